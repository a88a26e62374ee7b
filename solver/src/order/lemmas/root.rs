//! Lemmas about square roots.

use super::{Lemma, magnitudes, rounded};
use nanoscope_ieee::Operation;

pub(super) const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "NaN and sign of a root",
        statement: "isNaN r iff isNaN a or a < 0; r = a for zeros and +oo; r is not negative else",
        operations: &[Operation::Sqrt],
        say: |say, _, i| {
            let a = i.args[0];
            let zero = say.zero_of(say.t.format(a));
            let (nan, below) = (say.nan(a), say.lt(a, zero));
            let any = say.t.or(&[nan, below]);
            let nan = say.nan(i.result);
            say.iff(&[], nan, any);
            let number = say.number(i.result);
            let same = say.same(i.result, a);
            let (is_zero, infinite) = (say.zero(a), say.infinite(a));
            say.implies(&[number, is_zero], same);
            say.implies(&[number, infinite], same);
            let (positive, above) = (say.lt(zero, a), say.lt(zero, i.result));
            say.implies(&[positive], above);
            let result_infinite = say.infinite(i.result);
            say.implies(&[result_infinite], infinite);
        },
    },
    Lemma {
        name: "root against one",
        statement: "1 <= r <= a if 1 <= a, a <= r <= 1 if 0 <= a <= 1",
        operations: &[Operation::Sqrt],
        say: |say, _, i| {
            let (a, r) = (i.args[0], i.result);
            let format = say.t.format(a);
            let Some(one) = say.power(format, 0) else { return };
            let zero = say.zero_of(format);
            let large = say.le(one, a);
            let conclusions = [say.le(one, r), say.le(r, a)];
            let both = say.t.and(&conclusions);
            say.implies(&[large], both);
            let small = [say.le(zero, a), say.le(a, one)];
            let conclusions = [say.le(a, r), say.le(r, one)];
            let both = say.t.and(&conclusions);
            say.implies(&small, both);
        },
    },
    Lemma {
        name: "root against landmarks",
        statement: "r <= fl(sqrt k) if a <= k for known k; and so from below",
        operations: &[Operation::Sqrt],
        say: |say, known, i| {
            let number = say.number(i.result);
            for k in magnitudes(say, known, i.args[0]) {
                if let Some(most) = rounded(say, i, true, &[k]) {
                    let (condition, conclusion) = (say.le(i.args[0], k), say.le(i.result, most));
                    say.implies(&[number, condition], conclusion);
                }
                if let Some(least) = rounded(say, i, false, &[k]) {
                    let (condition, conclusion) = (say.le(k, i.args[0]), say.le(least, i.result));
                    say.implies(&[number, condition], conclusion);
                }
            }
        },
    },
];
