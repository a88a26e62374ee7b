//! Lemmas about remainders.

use super::Lemma;
use nanoscope_ieee::Operation;
use nanoscope_term::BitsOp;

pub(super) const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "NaN of a remainder",
        statement: "isNaN r iff an operand is, a is infinite or b is zero; r has the sign of a (fmod)",
        operations: &[Operation::Remainder, Operation::Fmod],
        say: |say, _, i| {
            let [a, b] = [i.args[0], i.args[1]];
            let causes = [say.nan(a), say.nan(b), say.infinite(a), say.zero(b)];
            let any = say.t.or(&causes);
            let nan = say.nan(i.result);
            say.iff(&[], nan, any);
            let number = say.number(i.result);
            let (minus, of_a) = (say.negative(i.result), say.negative(a));
            if i.operation == Operation::Fmod {
                say.iff(&[number], minus, of_a);
            } else {
                let zero = say.zero(i.result);
                say.iff(&[number, zero], minus, of_a);
            }
        },
    },
    Lemma {
        name: "bounds of a remainder",
        statement: "|r| <= |a|, |r| < |b|; r = a if |a| < |b| (fmod), if 2 |a| <= |b| (rem)",
        operations: &[Operation::Remainder, Operation::Fmod],
        say: |say, _, i| {
            let number = say.number(i.result);
            let [a, b, r] = [i.args[0], i.args[1], i.result].map(|term| say.abs(term));
            let (shrunk, below) = (say.le(r, a), say.lt(r, b));
            say.implies(&[number], shrunk);
            say.implies(&[number], below);
            let same = say.same(i.result, i.args[0]);
            if i.operation == Operation::Fmod {
                let short = say.lt(a, b);
                say.implies(&[number, short], same);
                return;
            }
            // Doubling moves a normal number's exponent, and a subnormal's by less.
            let (Some((_, doubled)), Some((bits, _))) = (say.encodings(a), say.encodings(b)) else {
                return;
            };
            let short = say.t.bits_op(BitsOp::Ule, &[doubled, bits]);
            say.implies(&[number, short], same);
            let Some((_, doubled)) = say.encodings(r) else { return };
            let within = say.t.bits_op(BitsOp::Ule, &[doubled, bits]);
            let normal = say.t.fp(Operation::IsNormal, &[r]);
            let infinite = say.infinite(b);
            let finite = say.t.not(infinite);
            say.implies(&[number, normal, finite], within);
        },
    },
    Lemma {
        name: "remainder of a remainder",
        statement: "r = a if a is a remainder by a divisor that is at most |b|",
        operations: &[Operation::Remainder, Operation::Fmod],
        say: |say, known, i| {
            let Some(inner) = known.maker(i.args[0], i.operation) else { return };
            let number = say.number(i.result);
            let [inner, outer] = [inner.args[1], i.args[1]].map(|divisor| say.abs(divisor));
            let within = say.le(inner, outer);
            let same = say.same(i.result, i.args[0]);
            say.implies(&[number, within], same);
        },
    },
    Lemma {
        name: "remainder of an integral value",
        statement: "r = 0 if a is integral and b = 2^k for k <= 0",
        operations: &[Operation::Remainder, Operation::Fmod],
        say: |say, known, i| {
            let integral = known.maker(i.args[0], Operation::RoundToIntegral).is_some();
            if !integral || say.exponent(i.args[1]).is_none_or(|exponent| exponent > 0) {
                return;
            }
            let number = say.number(i.result);
            let zero = say.zero(i.result);
            say.implies(&[number], zero);
        },
    },
];
