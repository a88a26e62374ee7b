//! Lemmas about quotients.

use super::{Lemma, magnitudes, sign_of_product};
use nanoscope_ieee::{Operation, Rounding};

pub(super) const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "NaN, sign and class of a quotient",
        statement: "isNaN r iff an operand is or 0/0 or oo/oo; signs multiply; 0/b, a/oo = 0, a/0, oo/b = oo",
        operations: &[Operation::Div],
        say: |say, _, i| {
            let [a, b] = [i.args[0], i.args[1]];
            let nans = [say.nan(a), say.nan(b)];
            let (zeros, infinite) =
                ([say.zero(a), say.zero(b)], [say.infinite(a), say.infinite(b)]);
            let both_zero = say.t.and(&zeros);
            let both_infinite = say.t.and(&infinite);
            let any = say.t.or(&[nans[0], nans[1], both_zero, both_infinite]);
            let nan = say.nan(i.result);
            say.iff(&[], nan, any);
            sign_of_product(say, i);
            let number = say.number(i.result);
            let (zero, infinity) = (say.zero(i.result), say.infinite(i.result));
            for cause in [zeros[0], infinite[1]] {
                say.implies(&[number, cause], zero);
            }
            for cause in [infinite[0], zeros[1]] {
                say.implies(&[number, cause], infinity);
            }
        },
    },
    Lemma {
        name: "quotient against one",
        statement: "|r| <= |a| if 1 <= |b|, |r| <= 1 if |a| <= |b|; and the reverse of both",
        operations: &[Operation::Div],
        say: |say, _, i| {
            let Some(one) = say.power(say.t.format(i.result), 0) else { return };
            let number = say.number(i.result);
            let [a, b, r] = [i.args[0], i.args[1], i.result].map(|term| say.abs(term));
            for (condition, conclusion) in
                [((one, b), (r, a)), ((b, one), (a, r)), ((a, b), (r, one)), ((b, a), (one, r))]
            {
                let condition = say.le(condition.0, condition.1);
                let conclusion = say.le(conclusion.0, conclusion.1);
                say.implies(&[number, condition], conclusion);
            }
        },
    },
    Lemma {
        name: "quotient against landmarks",
        statement: "|r| <= fl(k / l) if |a| <= k and l <= |b| for known k, l; and so from below",
        operations: &[Operation::Div],
        say: |say, known, i| {
            let number = say.number(i.result);
            let numbers = magnitudes(say, known, i.args[0]);
            let [a, b, r] = [i.args[0], i.args[1], i.result].map(|term| say.abs(term));
            for k in &numbers {
                for l in &numbers {
                    if let Some(most) = say.folded(Operation::Div, Rounding::Upward, &[*k, *l]) {
                        let conditions = [say.le(a, *k), say.le(*l, b)];
                        let conclusion = say.le(r, most);
                        say.implies(&[number, conditions[0], conditions[1]], conclusion);
                    }
                    if let Some(least) = say.folded(Operation::Div, Rounding::Downward, &[*k, *l]) {
                        let conditions = [say.le(*k, a), say.le(b, *l)];
                        let conclusion = say.le(least, r);
                        say.implies(&[number, conditions[0], conditions[1]], conclusion);
                    }
                }
            }
        },
    },
];
