//! Lemmas about rounding to integral values.

use super::{Lemma, directed, landmarks};
use nanoscope_ieee::{Operation, Rounding};

pub(super) const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "NaN, sign and class of an integral value",
        statement: "r = a for NaNs, infinities, zeros and what has no fraction; r has the sign of a",
        operations: &[Operation::RoundToIntegral],
        say: |say, _, i| {
            let a = i.args[0];
            let format = say.t.format(a);
            let (of_a, of_r) = (say.nan(a), say.nan(i.result));
            say.iff(&[], of_a, of_r);
            let same = say.same(i.result, a);
            let (zero, infinite) = (say.zero(a), say.infinite(a));
            say.implies(&[zero], same);
            say.implies(&[infinite], same);
            let (of_a, of_r) = (say.negative(a), say.negative(i.result));
            say.iff(&[], of_a, of_r);
            if let Some(integral) = say.power(format, format.fraction_bits() as i64) {
                let magnitude = say.abs(a);
                let large = say.le(integral, magnitude);
                say.implies(&[large], same);
            }
        },
    },
    Lemma {
        name: "integral value against landmarks",
        statement: "r <= k if a <= k for known integral k, and so from below",
        operations: &[Operation::RoundToIntegral],
        say: |say, known, i| {
            for k in landmarks(say, known, i.args[0]) {
                for mode in [Rounding::Downward, Rounding::Upward] {
                    let Some(k) = say.folded(Operation::RoundToIntegral, mode, &[k]) else {
                        continue;
                    };
                    let (below, above) = (say.le(i.args[0], k), say.le(k, i.args[0]));
                    let (at_most, at_least) = (say.le(i.result, k), say.le(k, i.result));
                    say.implies(&[below], at_most);
                    say.implies(&[above], at_least);
                }
            }
        },
    },
    Lemma {
        name: "directed rounding to an integral value",
        statement: "roundToIntegral RTN a <= a <= roundToIntegral RTP a",
        operations: &[Operation::RoundToIntegral],
        say: |say, _, i| directed(say, i, i.args[0], i.result),
    },
];
