//! Lemmas about products.

use super::{Lemma, magnitudes, scaled, sign_of_product};
use nanoscope_ieee::{Operation, Rounding, Word};
use nanoscope_term::{BitsOp, Value};
use num_bigint::BigUint;

pub(super) const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "half of a sum",
        statement: "a <= r <= b if r = fl((fl(a + b)) / 2), a <= b, and neither doubles to infinity",
        operations: &[Operation::Mul],
        say: |say, known, i| {
            let Some((sum, -1)) = scaled(say, i) else { return };
            let Some(sum) = known.maker(sum, Operation::Add) else { return };
            let format = say.t.format(i.result);
            let (Some(largest), Some(half)) = (say.largest(format), say.power(format, -1)) else {
                return;
            };
            let Some(most) = say.folded(Operation::Mul, Rounding::TowardZero, &[largest, half])
            else {
                return;
            };
            let magnitudes = [say.abs(sum.args[0]), say.abs(sum.args[1])];
            let small = magnitudes.map(|magnitude| say.le(magnitude, most));
            for (a, b) in [(sum.args[0], sum.args[1]), (sum.args[1], sum.args[0])] {
                let ordered = say.le(a, b);
                let (above, below) = (say.le(a, i.result), say.le(i.result, b));
                let between = say.t.and(&[above, below]);
                say.implies(&[small[0], small[1], ordered], between);
            }
        },
    },
    Lemma {
        name: "scaled there and back",
        statement: "(a * 2^k) * 2^-k = a where the inner product is exact",
        operations: &[Operation::Mul],
        say: |say, known, i| {
            let Some((inner, outer)) = scaled(say, i) else { return };
            let Some(inner) = known.maker(inner, Operation::Mul) else { return };
            let Some((a, exponent)) = scaled(say, inner) else { return };
            if outer != -exponent {
                return;
            }
            let format = say.t.format(a);
            let magnitude = say.abs(a);
            let same = say.same(i.result, a);
            let bound = if exponent >= 0 {
                let largest = say.largest(format);
                let Some((largest, inverse)) = largest.zip(say.power(format, -exponent)) else {
                    return;
                };
                let most = say.folded(Operation::Mul, Rounding::TowardZero, &[largest, inverse]);
                let Some(most) = most else { return };
                say.le(magnitude, most)
            } else {
                let Some(least) = say.power(format, format.min_exponent() - exponent) else {
                    return;
                };
                say.le(least, magnitude)
            };
            say.implies(&[bound], same);
            let zero = say.zero(a);
            say.implies(&[zero], same);
        },
    },
    Lemma {
        name: "NaN, sign and class of a product",
        statement: "isNaN r iff an operand is or zero meets infinity; signs multiply; 0 and oo absorb",
        operations: &[Operation::Mul],
        say: |say, _, i| {
            let [a, b] = [i.args[0], i.args[1]];
            let nans = [say.nan(a), say.nan(b)];
            let (zeros, infinite) =
                ([say.zero(a), say.zero(b)], [say.infinite(a), say.infinite(b)]);
            let first = say.t.and(&[zeros[0], infinite[1]]);
            let second = say.t.and(&[infinite[0], zeros[1]]);
            let any = say.t.or(&[nans[0], nans[1], first, second]);
            let nan = say.nan(i.result);
            say.iff(&[], nan, any);
            sign_of_product(say, i);
            let number = say.number(i.result);
            let zero = say.zero(i.result);
            let infinity = say.infinite(i.result);
            for at in [0, 1] {
                say.implies(&[number, zeros[at]], zero);
                say.implies(&[number, infinite[at]], infinity);
            }
        },
    },
    Lemma {
        name: "factor against one",
        statement: "|r| <= |b| if |a| <= 1, |b| <= |r| if 1 <= |a|",
        operations: &[Operation::Mul],
        say: |say, _, i| {
            let Some(one) = say.power(say.t.format(i.result), 0) else { return };
            let number = say.number(i.result);
            for (a, b) in [(i.args[0], i.args[1]), (i.args[1], i.args[0])] {
                let [a, b, r] = [a, b, i.result].map(|term| say.abs(term));
                let (small, shrunk) = (say.le(a, one), say.le(r, b));
                say.implies(&[number, small], shrunk);
                let (large, grown) = (say.le(one, a), say.le(b, r));
                say.implies(&[number, large], grown);
            }
        },
    },
    Lemma {
        name: "product against landmarks",
        statement: "|r| <= fl(k * l) if |a| <= k and |b| <= l for known k, l; and so from below",
        operations: &[Operation::Mul],
        say: |say, known, i| {
            let number = say.number(i.result);
            let numbers = magnitudes(say, known, i.args[0]);
            let [x, y, r] = [i.args[0], i.args[1], i.result].map(|term| say.abs(term));
            for (n, k) in numbers.iter().enumerate() {
                for l in &numbers[n..] {
                    let most = say.folded(Operation::Mul, Rounding::Upward, &[*k, *l]);
                    let least = say.folded(Operation::Mul, Rounding::Downward, &[*k, *l]);
                    for (a, b) in [(x, y), (y, x)] {
                        if let Some(most) = most {
                            let at_most = [say.le(a, *k), say.le(b, *l)];
                            let conclusion = say.le(r, most);
                            say.implies(&[number, at_most[0], at_most[1]], conclusion);
                        }
                        if let Some(least) = least {
                            let at_least = [say.le(*k, a), say.le(*l, b)];
                            let conclusion = say.le(least, r);
                            say.implies(&[number, at_least[0], at_least[1]], conclusion);
                        }
                    }
                }
            }
        },
    },
    Lemma {
        name: "product with a power of two",
        statement: "the exponent of a * 2^k is k more than that of a, where both are normal",
        operations: &[Operation::Mul],
        say: |say, _, i| {
            let Some((a, exponent)) = scaled(say, i) else { return };
            let format = say.t.format(a);
            if format.explicit_integer_bit || exponent.unsigned_abs() >= format.special_exponent() {
                return;
            }
            let least =
                say.power(format, format.min_exponent().max(format.min_exponent() - exponent));
            let most = if exponent > 0 {
                // Below this power, the product is finite.
                say.power(format, format.max_exponent() - exponent)
            } else {
                say.largest(format)
            };
            let (Some(least), Some(most)) = (least, most) else { return };
            let magnitude = say.abs(a);
            let within = [say.le(least, magnitude), say.le(magnitude, most)];
            let bits = [a, i.result].map(|term| say.t.fp(Operation::ToBits, &[term]));
            let step = BigUint::from(exponent.unsigned_abs()) << format.fraction_bits();
            let step = say.t.constant(Value::Bits(Word::from_big(format.width(), &step)));
            let op = if exponent >= 0 { BitsOp::Add } else { BitsOp::Sub };
            let moved = say.t.bits_op(op, &[bits[0], step]);
            let same = say.t.equal(bits[1], moved);
            say.implies(&within, same);
        },
    },
];
