//! What holds of one operation: when its result is a NaN, a zero or infinite, its sign, and
//! bounds by its operands. Each row is proved on tiny formats by `tests/order.rs`.

use super::{Instance, Known, Say};
use nanoscope_ieee::{Operation, Rounding, Word};
use nanoscope_term::{BitsOp, Term, Value};
use num_bigint::BigUint;

/// A statement about every instance of some operations.
pub struct Lemma {
    /// Its name.
    pub name: &'static str,
    /// What it says, as a reader would write it; `r` is the result.
    pub statement: &'static str,
    /// The operations it is about.
    pub operations: &'static [Operation],
    /// Says it of one.
    pub say: fn(&mut Say, &Known, &Instance),
}

const ADD: &[Operation] = &[Operation::Add];
const MUL: &[Operation] = &[Operation::Mul];
const DIV: &[Operation] = &[Operation::Div];
const SQRT: &[Operation] = &[Operation::Sqrt];

/// What the operation yields on known numbers; if its mode is unknown, a bound of that.
fn rounded(say: &mut Say, i: &Instance, up: bool, args: &[Term]) -> Option<Term> {
    let outward = if up { Rounding::Upward } else { Rounding::Downward };
    let mode = say.mode(i.rounding).unwrap_or(outward);
    say.folded(i.operation, mode, args)
}

/// Every lemma about one operation.
pub const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "NaN of a sum",
        statement: "isNaN r iff an operand is or they are opposite infinities; r = a if a is infinite",
        operations: ADD,
        say: |say, _, i| {
            let [a, b] = [i.args[0], i.args[1]];
            let infinite = [say.infinite(a), say.infinite(b)];
            let differ = say.signs_differ(a, b);
            let clash = say.t.and(&[infinite[0], infinite[1], differ]);
            let nans = [say.nan(a), say.nan(b)];
            let any = say.t.or(&[nans[0], nans[1], clash]);
            let nan = say.nan(i.result);
            say.iff(&[], nan, any);
            let number = say.number(i.result);
            for (operand, infinite) in [(a, infinite[0]), (b, infinite[1])] {
                let same = say.same(i.result, operand);
                say.implies(&[number, infinite], same);
            }
        },
    },
    Lemma {
        name: "sign of a sum",
        statement: "r < 0 iff a < -b, r = 0 iff a = -b: sums do not underflow",
        operations: ADD,
        say: |say, _, i| {
            let [a, b] = [i.args[0], i.args[1]];
            let number = say.number(i.result);
            let zero = say.zero_of(say.t.format(a));
            let opposite = say.neg(b);
            let (below, less) = (say.lt(i.result, zero), say.lt(a, opposite));
            say.iff(&[number], below, less);
            let (above, greater) = (say.lt(zero, i.result), say.lt(opposite, a));
            say.iff(&[number], above, greater);
        },
    },
    Lemma {
        name: "zero of a sum",
        statement: "a zero r is a if both are the same zero, else -0 downward and +0 otherwise",
        operations: ADD,
        say: |say, _, i| {
            let [a, b] = [i.args[0], i.args[1]];
            let Some(rounding) = i.rounding else { return };
            let format = say.t.format(a);
            let zero = say.zero(i.result);
            let operand_zero = say.zero(a);
            let alike = say.same(a, b);
            let both = say.t.and(&[operand_zero, alike]);
            let same = say.same(i.result, a);
            say.implies(&[zero, both], same);
            let downward = say.mode_is(rounding, Rounding::Downward);
            let [plus, minus] = [false, true].map(|sign| say.t.constant(Value::zero(format, sign)));
            let usual = say.t.ite(downward, minus, plus);
            let same = say.same(i.result, usual);
            let not_both = say.t.not(both);
            say.implies(&[zero, not_both], same);
        },
    },
    Lemma {
        name: "sum with a zero",
        statement: "r = a if b is a zero and a is not",
        operations: ADD,
        say: |say, _, i| {
            for (a, b) in [(i.args[0], i.args[1]), (i.args[1], i.args[0])] {
                let (zero, other) = (say.zero(b), say.zero(a));
                let not = say.t.not(other);
                let same = say.same(i.result, a);
                say.implies(&[zero, not], same);
            }
        },
    },
    Lemma {
        name: "growth of a sum",
        statement: "a <= r if 0 <= b, r <= a if b <= 0",
        operations: ADD,
        say: |say, _, i| {
            let number = say.number(i.result);
            let zero = say.zero_of(say.t.format(i.result));
            for (a, b) in [(i.args[0], i.args[1]), (i.args[1], i.args[0])] {
                let (up, grown) = (say.le(zero, b), say.le(a, i.result));
                say.implies(&[number, up], grown);
                let (down, shrunk) = (say.le(b, zero), say.le(i.result, a));
                say.implies(&[number, down], shrunk);
            }
        },
    },
    Lemma {
        name: "sum against landmarks",
        statement: "r <= fl(k + l) if a <= k and b <= l for known k, l; and so from below",
        operations: ADD,
        say: |say, known, i| {
            let number = say.number(i.result);
            let numbers = landmarks(say, known, i.args[0]);
            for (n, k) in numbers.iter().enumerate() {
                for l in &numbers[n..] {
                    for (a, b) in [(i.args[0], i.args[1]), (i.args[1], i.args[0])] {
                        if let Some(most) = rounded(say, i, true, &[*k, *l]) {
                            let at_most = [say.le(a, *k), say.le(b, *l)];
                            let conclusion = say.le(i.result, most);
                            say.implies(&[number, at_most[0], at_most[1]], conclusion);
                        }
                        if let Some(least) = rounded(say, i, false, &[*k, *l]) {
                            let at_least = [say.le(*k, a), say.le(*l, b)];
                            let conclusion = say.le(least, i.result);
                            say.implies(&[number, at_least[0], at_least[1]], conclusion);
                        }
                    }
                }
            }
        },
    },
    Lemma {
        name: "half of a sum",
        statement: "a <= r <= b if r = fl((fl(a + b)) / 2), a <= b, and neither doubles to infinity",
        operations: MUL,
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
        operations: MUL,
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
        name: "midpoint from below",
        statement: "a + fl(fl(b - a) * k) <= b if a <= b, b - a is finite and 0 <= k <= 1/2",
        operations: ADD,
        say: |say, known, i| {
            for (a, step) in [(i.args[0], i.args[1]), (i.args[1], i.args[0])] {
                let Some(step) = known.maker(step, Operation::Mul) else { continue };
                let Some((k, width)) = known_factor(say, step) else { continue };
                let Some(width) = known.maker(width, Operation::Add) else { continue };
                let format = say.t.format(a);
                let Some(half) = say.power(format, -1) else { continue };
                let zero = say.zero_of(format);
                let within = [say.le(zero, k), say.le(k, half)];
                for (b, minus_a) in [(width.args[0], width.args[1]), (width.args[1], width.args[0])]
                {
                    let opposite = say.neg(a);
                    let fits = say.same(minus_a, opposite);
                    let ordered = say.le(a, b);
                    let infinite = say.infinite(width.result);
                    let finite = say.t.not(infinite);
                    let number = say.number(i.result);
                    let conclusion = say.le(i.result, b);
                    let conditions = [within[0], within[1], fits, ordered, finite, number];
                    say.implies(&conditions, conclusion);
                }
            }
        },
    },
    Lemma {
        name: "NaN, sign and class of a product",
        statement: "isNaN r iff an operand is or zero meets infinity; signs multiply; 0 and oo absorb",
        operations: MUL,
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
        operations: MUL,
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
        operations: MUL,
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
        name: "NaN, sign and class of a quotient",
        statement: "isNaN r iff an operand is or 0/0 or oo/oo; signs multiply; 0/b, a/oo = 0, a/0, oo/b = oo",
        operations: DIV,
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
        operations: DIV,
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
        operations: DIV,
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
    Lemma {
        name: "NaN and sign of a root",
        statement: "isNaN r iff isNaN a or a < 0; r = a for zeros and +oo; r is not negative else",
        operations: SQRT,
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
        operations: SQRT,
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
        operations: SQRT,
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
        name: "product with a power of two",
        statement: "the exponent of a * 2^k is k more than that of a, where both are normal",
        operations: MUL,
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
    Lemma {
        name: "directed rounding to an integral value",
        statement: "roundToIntegral RTN a <= a <= roundToIntegral RTP a",
        operations: &[Operation::RoundToIntegral],
        say: |say, _, i| directed(say, i, i.args[0], i.result),
    },
    Lemma {
        name: "directed rounding to a narrower format",
        statement: "to_fp RTN a <= a <= to_fp RTP a, compared in the wider format",
        operations: &[Operation::Convert],
        say: |say, _, i| {
            let format = say.t.format(i.args[0]);
            if format.holds(say.t.format(i.result)) {
                let widened = say.widened(i.result, format);
                directed(say, i, i.args[0], widened);
            }
        },
    },
];

/// The known numbers to compare operands of this format with: the query's, and one.
fn landmarks(say: &mut Say, known: &Known, like: Term) -> Vec<Term> {
    let sort = say.t.sort(like);
    let one = say.power(say.t.format(like), 0);
    let mut numbers: Vec<Term> =
        known.landmarks.iter().copied().filter(|term| say.t.sort(*term) == sort).collect();
    numbers.extend(one);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The magnitudes of landmarks.
fn magnitudes(say: &mut Say, known: &Known, like: Term) -> Vec<Term> {
    let landmarks = landmarks(say, known, like);
    let mut numbers: Vec<Term> = Vec::new();
    for landmark in landmarks {
        let magnitude = say.abs(landmark);
        numbers.extend(say.value_of(magnitude));
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The sign of a product or quotient is the product of the signs.
fn sign_of_product(say: &mut Say, i: &Instance) {
    let number = say.number(i.result);
    let minus = say.negative(i.result);
    let differ = say.signs_differ(i.args[0], i.args[1]);
    say.iff(&[number], minus, differ);
}

/// What rounds downward is no larger than what it rounds, and so on.
fn directed(say: &mut Say, i: &Instance, exact: Term, rounded: Term) {
    let Some(rounding) = i.rounding else { return };
    let number = say.number(exact);
    let [down, up, inward] = [Rounding::Downward, Rounding::Upward, Rounding::TowardZero]
        .map(|mode| say.mode_is(rounding, mode));
    let (below, above) = (say.le(rounded, exact), say.le(exact, rounded));
    say.implies(&[number, down], below);
    say.implies(&[number, up], above);
    let (plus, minus) = (say.positive(exact), say.negative(exact));
    say.implies(&[number, inward, plus], below);
    say.implies(&[number, inward, minus], above);
}

/// The other factor and the exponent, if the product is one with a power of two.
fn scaled(say: &Say, i: &Instance) -> Option<(Term, i64)> {
    let at = [0, 1].into_iter().find(|at| say.exponent(i.args[*at]).is_some())?;
    Some((i.args[1 - at], say.exponent(i.args[at])?))
}

/// The known factor of a product and the other one.
fn known_factor(say: &Say, i: &Instance) -> Option<(Term, Term)> {
    let at = [0, 1].into_iter().find(|at| say.t.value(i.args[*at]).is_some())?;
    Some((i.args[at], i.args[1 - at]))
}
