//! Lemmas about fused sums.

use super::Lemma;
use nanoscope_ieee::Operation;

pub(super) const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "NaN of a fused sum",
        statement: "isNaN r iff an operand is, zero meets infinity, or infinities clash",
        operations: &[Operation::Fma],
        say: |say, _, i| {
            let [a, b, c] = [i.args[0], i.args[1], i.args[2]];
            let nans = [say.nan(a), say.nan(b), say.nan(c)];
            let infinite = [say.infinite(a), say.infinite(b), say.infinite(c)];
            let zeros = [say.zero(a), say.zero(b)];
            let first = say.t.and(&[zeros[0], infinite[1]]);
            let second = say.t.and(&[infinite[0], zeros[1]]);
            let product = say.t.or(&[infinite[0], infinite[1]]);
            let differ = say.signs_differ(a, b);
            let negative = say.negative(c);
            let differ = say.t.xor(differ, negative);
            let clash = say.t.and(&[product, infinite[2], differ]);
            let any = say.t.or(&[nans[0], nans[1], nans[2], first, second, clash]);
            let nan = say.nan(i.result);
            say.iff(&[], nan, any);
        },
    },
    Lemma {
        name: "fused sum with a zero product",
        statement: "r = c up to the sign of a zero if a or b is a zero",
        operations: &[Operation::Fma],
        say: |say, _, i| {
            let number = say.number(i.result);
            let zeros = [say.zero(i.args[0]), say.zero(i.args[1])];
            let zero = say.t.or(&zeros);
            let (above, below) = (say.le(i.args[2], i.result), say.le(i.result, i.args[2]));
            say.implies(&[number, zero], above);
            say.implies(&[number, zero], below);
        },
    },
    Lemma {
        name: "growth of a fused sum",
        statement: "c <= r if a * b has a plus, r <= c if it has a minus",
        operations: &[Operation::Fma],
        say: |say, _, i| {
            let number = say.number(i.result);
            let minus = say.signs_differ(i.args[0], i.args[1]);
            let plus = say.t.not(minus);
            let (above, below) = (say.le(i.args[2], i.result), say.le(i.result, i.args[2]));
            say.implies(&[number, plus], above);
            say.implies(&[number, minus], below);
        },
    },
];
