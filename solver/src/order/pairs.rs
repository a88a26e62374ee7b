//! What holds between two operations: where the exact result of one is at most that of the
//! other, so are the rounded ones. Each row is proved on tiny formats by `tests/order.rs`.

use super::{Instance, Say};
use nanoscope_ieee::{Format, Operation, Rounding};
use nanoscope_term::{Term, Value};

/// A statement about every two instances of some operations, in this order.
pub struct Pair {
    /// Its name.
    pub name: &'static str,
    /// What it says, as a reader would write it; `r` and `s` are the results.
    pub statement: &'static str,
    /// The operations it is about.
    pub operations: &'static [(Operation, Operation)],
    /// Says it of two.
    pub say: fn(&mut Say, &Instance, &Instance),
}

/// Every lemma about two operations.
pub const PAIRS: &[Pair] = &[
    Pair {
        name: "same operands",
        statement: "r = s if operands and modes are the same",
        operations: &[
            (Operation::Add, Operation::Add),
            (Operation::Mul, Operation::Mul),
            (Operation::Div, Operation::Div),
            (Operation::Fma, Operation::Fma),
            (Operation::Sqrt, Operation::Sqrt),
            (Operation::Remainder, Operation::Remainder),
            (Operation::Fmod, Operation::Fmod),
        ],
        say: |say, a, b| {
            if a.result > b.result || say.t.sort(a.result) != say.t.sort(b.result) {
                return;
            }
            let mut conditions: Vec<Term> =
                a.args.iter().zip(&b.args).map(|(a, b)| say.same(*a, *b)).collect();
            if let (Some(m), Some(n)) = (a.rounding, b.rounding) {
                conditions.push(say.same(m, n));
            }
            let same = say.same(a.result, b.result);
            say.implies(&conditions, same);
            if matches!(a.operation, Operation::Add | Operation::Mul | Operation::Fma) {
                conditions[0] = say.same(a.args[0], b.args[1]);
                conditions[1] = say.same(a.args[1], b.args[0]);
                say.implies(&conditions, same);
            }
        },
    },
    Pair {
        name: "monotone sums",
        statement: "r <= s if a <= c and b <= d",
        operations: &[(Operation::Add, Operation::Add)],
        say: |say, a, b| {
            monotone(say, a, b, sum_at_most);
            // Opposites: the sum of the opposites is the opposite of the sum.
            if let Some(mirrored) = mirrored(say, b) {
                monotone(say, a, &mirrored, sum_at_most);
                monotone(say, &mirrored, a, sum_at_most);
            }
        },
    },
    Pair {
        name: "sums against doubles",
        statement: "r <= s if a <= c and b <= c for s = c * 2",
        operations: &[(Operation::Add, Operation::Mul)],
        say: |say, a, b| {
            let Some(at) = [0, 1].into_iter().find(|at| say.exponent(b.args[*at]) == Some(1))
            else {
                return;
            };
            let other = b.args[1 - at];
            let doubled =
                Instance { operation: Operation::Add, args: vec![other, other], ..b.clone() };
            monotone(say, a, &doubled, sum_at_most);
            monotone(say, &doubled, a, sum_at_most);
        },
    },
    Pair {
        name: "monotone products",
        statement: "r <= s if a * b <= c * d, as signs and magnitudes tell",
        operations: &[(Operation::Mul, Operation::Mul)],
        say: |say, a, b| monotone(say, a, b, product_at_most),
    },
    Pair {
        name: "monotone quotients",
        statement: "r <= s if a / b <= c / d, as signs and magnitudes tell",
        operations: &[(Operation::Div, Operation::Div)],
        say: |say, a, b| monotone(say, a, b, quotient_at_most),
    },
    Pair {
        name: "monotone fused sums",
        statement: "r <= s if a * b <= c * d and e <= f",
        operations: &[(Operation::Fma, Operation::Fma)],
        say: |say, a, b| {
            monotone(say, a, b, fused_at_most);
            if let Some(mirrored) = mirrored(say, b) {
                monotone(say, a, &mirrored, fused_at_most);
                monotone(say, &mirrored, a, fused_at_most);
            }
        },
    },
    Pair {
        name: "products against fused sums",
        statement: "r <= s if a * b <= c * d and 0 <= e",
        operations: &[(Operation::Mul, Operation::Fma)],
        say: |say, a, b| {
            let zero = say.zero_of(say.t.format(a.args[0]));
            let mut fused = a.clone();
            fused.args.push(zero);
            let condition = |say: &mut Say, a: &[Term], b: &[Term]| {
                let products = product_at_most(say, a, b);
                let addends = say.le(a[2], b[2]);
                say.t.and(&[products, addends])
            };
            monotone(say, &fused, b, condition);
            monotone(say, b, &fused, condition);
        },
    },
    Pair {
        name: "sums against fused sums",
        statement: "r <= s if a <= c * d and b <= e, or so with a and b exchanged",
        operations: &[(Operation::Add, Operation::Fma)],
        say: |say, a, b| {
            let Some(one) = say.power(say.t.format(a.args[0]), 0) else { return };
            for (factor, addend) in [(a.args[0], a.args[1]), (a.args[1], a.args[0])] {
                let args = vec![factor, one, addend];
                let fused = Instance { operation: Operation::Fma, args, ..a.clone() };
                monotone(say, &fused, b, fused_at_most);
                monotone(say, b, &fused, fused_at_most);
            }
        },
    },
    Pair {
        name: "monotone roots and roundings",
        statement: "r <= s if a <= b",
        operations: &[
            (Operation::Sqrt, Operation::Sqrt),
            (Operation::RoundToIntegral, Operation::RoundToIntegral),
            (Operation::Convert, Operation::Convert),
        ],
        say: |say, a, b| {
            // Integral values depend on no format.
            let integral = a.operation == Operation::RoundToIntegral;
            if integral && say.t.sort(a.result) != say.t.sort(b.result) {
                return;
            }
            monotone(say, a, b, |say, a, b| say.le(a[0], b[0]));
        },
    },
    Pair {
        name: "roots of squares",
        statement: "|x| <= r if x * x <= a, r <= |x| if a <= x * x, to nearest, far from both ends",
        operations: &[(Operation::Sqrt, Operation::Mul)],
        say: |say, root, square| {
            let nearest =
                |instance: &Instance| say.mode(instance.rounding) == Some(Rounding::NearestEven);
            let format = say.t.format(root.result);
            if square.args[0] != square.args[1]
                || say.t.format(square.result) != format
                || !nearest(root)
                || !nearest(square)
            {
                return;
            }
            // The square is normal: its rounding error is a relative one.
            let least = say.power(format, (format.min_exponent() + 1).div_euclid(2));
            let most = say.power(format, format.max_exponent() / 2);
            let (Some(least), Some(most)) = (least, most) else { return };
            let magnitude = say.abs(square.args[0]);
            let within = [say.le(least, magnitude), say.le(magnitude, most)];
            let (above, below) =
                (say.le(square.result, root.args[0]), say.le(root.args[0], square.result));
            let (at_least, at_most) =
                (say.le(magnitude, root.result), say.le(root.result, magnitude));
            say.implies(&[within[0], within[1], above], at_least);
            let number = say.number(root.result);
            say.implies(&[within[0], within[1], below, number], at_most);
        },
    },
    Pair {
        name: "squares of roots",
        statement: "c * d <= a if c, d <= r, rounded downward; a <= c * d if r <= c, d, rounded upward",
        operations: &[(Operation::Sqrt, Operation::Mul)],
        say: |say, root, product| {
            let Some(mode) = root.rounding else { return };
            if say.t.sort(root.result) != say.t.sort(product.result) {
                return;
            }
            let [down, inward, up] = [Rounding::Downward, Rounding::TowardZero, Rounding::Upward]
                .map(|known| say.mode_is(mode, known));
            let down = say.t.or(&[down, inward]);
            let (a, r) = (root.args[0], root.result);
            let [c, d, square] =
                [product.args[0], product.args[1], product.result].map(|term| say.abs(term));
            let number = say.number(product.result);
            let (below, conclusion) = ([say.le(c, r), say.le(d, r)], say.le(square, a));
            say.implies(&[number, down, below[0], below[1]], conclusion);
            let (above, conclusion) = ([say.le(r, c), say.le(r, d)], say.le(a, square));
            say.implies(&[number, up, above[0], above[1]], conclusion);
        },
    },
    Pair {
        name: "products with quotients",
        statement: "|c * d| <= |a| if |c| <= |r|, |d| <= |b|, rounded inward; and so outward",
        operations: &[(Operation::Div, Operation::Mul)],
        say: |say, quotient, product| {
            let Some(mode) = quotient.rounding else { return };
            if say.t.sort(quotient.result) != say.t.sort(product.result) {
                return;
            }
            let [down, zero, up] = [Rounding::Downward, Rounding::TowardZero, Rounding::Upward]
                .map(|known| say.mode_is(mode, known));
            let (plus, minus) = (say.positive(quotient.result), say.negative(quotient.result));
            let mut sides = |first: Term, second: Term| {
                let (first, second) = (say.t.and(&[first, plus]), say.t.and(&[second, minus]));
                say.t.or(&[first, second])
            };
            let (inward, outward) = (sides(down, up), sides(up, down));
            let inward = say.t.or(&[inward, zero]);
            let [a, b, r] =
                [quotient.args[0], quotient.args[1], quotient.result].map(|term| say.abs(term));
            let [p, q, product] =
                [product.args[0], product.args[1], product.result].map(|term| say.abs(term));
            let number = say.number(product);
            for (c, d) in [(p, q), (q, p)] {
                let (small, shrunk) = ([say.le(c, r), say.le(d, b)], say.le(product, a));
                say.implies(&[number, inward, small[0], small[1]], shrunk);
                let (large, grown) = ([say.le(r, c), say.le(b, d)], say.le(a, product));
                say.implies(&[number, outward, large[0], large[1]], grown);
            }
        },
    },
    Pair {
        name: "remainders against doubles",
        statement: "|c * 2| <= |b| if |c| <= |r|; r = a if |a| <= |c| and |c * 2| < |b|",
        operations: &[(Operation::Remainder, Operation::Mul)],
        say: |say, remainder, double| {
            let Some(at) = [0, 1].into_iter().find(|at| say.exponent(double.args[*at]) == Some(1))
            else {
                return;
            };
            if say.t.sort(remainder.result) != say.t.sort(double.result) {
                return;
            }
            let number = say.number(remainder.result);
            let [a, b, r] =
                [remainder.args[0], remainder.args[1], remainder.result].map(|term| say.abs(term));
            let [c, double] = [double.args[1 - at], double.result].map(|term| say.abs(term));
            let (small, within) = (say.le(c, r), say.le(double, b));
            say.implies(&[number, small], within);
            let (large, short) = (say.le(a, c), say.lt(double, b));
            let same = say.same(remainder.result, remainder.args[0]);
            say.implies(&[number, large, short], same);
        },
    },
    Pair {
        name: "fractions",
        statement: "|a - r| <= 1/2 if r = round(a) to nearest, else |a - r| <= 1",
        operations: &[(Operation::RoundToIntegral, Operation::Add)],
        say: |say, integral, difference| {
            let Some(mode) = integral.rounding else { return };
            let format = say.t.format(integral.result);
            if say.t.format(difference.result) != format {
                return;
            }
            let (Some(half), Some(one)) = (say.power(format, -1), say.power(format, 0)) else {
                return;
            };
            let nearest = [Rounding::NearestEven, Rounding::NearestAway]
                .map(|known| say.mode_is(mode, known));
            let nearest = say.t.or(&nearest);
            let (a, r) = (integral.args[0], integral.result);
            let opposites = [a, r].map(|term| say.neg(term));
            let number = say.number(difference.result);
            let magnitude = say.abs(difference.result);
            let (at_half, at_one) = (say.le(magnitude, half), say.le(magnitude, one));
            for (first, second) in [(a, opposites[1]), (opposites[0], r)] {
                for (x, y) in [(0, 1), (1, 0)] {
                    let is_it =
                        [say.same(difference.args[x], first), say.same(difference.args[y], second)];
                    say.implies(&[number, is_it[0], is_it[1]], at_one);
                    say.implies(&[number, is_it[0], is_it[1], nearest], at_half);
                }
            }
        },
    },
    Pair {
        name: "quotients against scaled numbers",
        statement: "r <= s if a / b <= c / 2^-k for s = c * 2^k; and the reverse",
        operations: &[(Operation::Div, Operation::Mul)],
        say: |say, quotient, product| {
            let powers = [0, 1].map(|at| say.exponent(product.args[at]));
            let Some(at) = powers.iter().position(Option::is_some) else { return };
            let exponent = powers[at].expect("found above");
            let Some(divisor) = say.power(say.t.format(product.result), -exponent) else { return };
            let args = vec![product.args[1 - at], divisor];
            let scaled = Instance { operation: Operation::Div, args, ..product.clone() };
            monotone(say, quotient, &scaled, quotient_at_most);
            monotone(say, &scaled, quotient, quotient_at_most);
        },
    },
    Pair {
        name: "integral values against sums",
        statement: "round a <= c + d if a <= c and 1 <= d, and so from below",
        operations: &[(Operation::RoundToIntegral, Operation::Add)],
        say: |say, integral, sum| {
            let format = say.t.format(sum.result);
            // Where the largest number has a fraction, it is rounded to infinity.
            let is_large = format.max_exponent() >= i64::from(format.fraction_bits());
            if say.t.format(integral.result) != format || !is_large {
                return;
            }
            let Some(one) = say.power(format, 0) else { return };
            let minus_one = say.neg(one);
            let number = say.number(sum.result);
            let (a, r) = (integral.args[0], integral.result);
            for (c, d) in [(sum.args[0], sum.args[1]), (sum.args[1], sum.args[0])] {
                let above = [say.le(a, c), say.le(one, d)];
                let conclusion = say.le(r, sum.result);
                say.implies(&[number, above[0], above[1]], conclusion);
                let below = [say.le(c, a), say.le(d, minus_one)];
                let conclusion = say.le(sum.result, r);
                say.implies(&[number, below[0], below[1]], conclusion);
            }
        },
    },
    Pair {
        name: "roots against sums",
        statement: "sqrt a <= c + d if a <= c and 1/4 <= d",
        operations: &[(Operation::Sqrt, Operation::Add)],
        say: |say, root, sum| {
            for (c, d) in [(0, 1), (1, 0)] {
                monotone(say, root, sum, |say, root, sum| {
                    let quarter = say.power(say.t.format(sum[d]), -2);
                    let Some(quarter) = quarter else { return say.t.bool(false) };
                    let large = [say.le(root[0], sum[c]), say.le(quarter, sum[d])];
                    say.t.and(&large)
                });
            }
        },
    },
];

/// Whether `a + b <= c + d` over the reals, as the order of operands tells.
fn sum_at_most(say: &mut Say, a: &[Term], b: &[Term]) -> Term {
    let straight = [say.le(a[0], b[0]), say.le(a[1], b[1])];
    let crossed = [say.le(a[0], b[1]), say.le(a[1], b[0])];
    let straight = say.t.and(&straight);
    let crossed = say.t.and(&crossed);
    say.t.or(&[straight, crossed])
}

/// Whether `a * b <= c * d` over the reals, as signs and the order of magnitudes tell.
fn product_at_most(say: &mut Say, a: &[Term], b: &[Term]) -> Term {
    let [x, y] = [a, b].map(|args| [args[0], args[1]].map(|term| say.abs(term)));
    let mut within = |x: [Term; 2], y: [Term; 2]| sum_at_most(say, &x, &y);
    let (at_most, at_least) = (within(x, y), within(y, x));
    by_sign(say, a, b, at_most, at_least)
}

/// Whether `a / b <= c / d` over the reals, as signs and the order of magnitudes tell.
fn quotient_at_most(say: &mut Say, a: &[Term], b: &[Term]) -> Term {
    let [x, y] = [a, b].map(|args| [args[0], args[1]].map(|term| say.abs(term)));
    let at_most = [say.le(x[0], y[0]), say.le(y[1], x[1])];
    let at_least = [say.le(y[0], x[0]), say.le(x[1], y[1])];
    let (at_most, at_least) = (say.t.and(&at_most), say.t.and(&at_least));
    by_sign(say, a, b, at_most, at_least)
}

/// Whether `a * b + e <= c * d + f` over the reals, as the order of products and addends tells.
fn fused_at_most(say: &mut Say, a: &[Term], b: &[Term]) -> Term {
    let products = product_at_most(say, a, b);
    let addends = say.le(a[2], b[2]);
    say.t.and(&[products, addends])
}

/// Whether a signed product or quotient is at most another one, given how magnitudes compare.
fn by_sign(say: &mut Say, a: &[Term], b: &[Term], at_most: Term, at_least: Term) -> Term {
    let [first, second] = [a, b].map(|args| say.signs_differ(args[0], args[1]));
    let [first_plus, second_plus] = [first, second].map(|minus| say.t.not(minus));
    let apart = say.t.and(&[first, second_plus]);
    let both_plus = say.t.and(&[first_plus, second_plus, at_most]);
    let both_minus = say.t.and(&[first, second, at_least]);
    say.t.or(&[apart, both_plus, both_minus])
}

/// The same sum, fused or not, of opposites: the opposite, up to the sign of a zero.
fn mirrored(say: &mut Say, i: &Instance) -> Option<Instance> {
    let mode = say.mode(i.rounding)?;
    let mut args: Vec<Term> = i.args.iter().map(|arg| say.neg(*arg)).collect();
    if i.operation == Operation::Fma {
        // Of a product, one factor.
        args[1] = i.args[1];
    }
    let rounding = Some(say.t.rounding(mode.mirrored()));
    Some(Instance { operation: i.operation, rounding, args, result: say.neg(i.result) })
}

/// Says that the first result is at most the second where the exact ones are, as `exact` tells
/// from the operands, and the modes allow it. Formats may differ if one holds the other.
fn monotone(
    say: &mut Say,
    a: &Instance,
    b: &Instance,
    exact: impl Fn(&mut Say, &[Term], &[Term]) -> Term,
) {
    let Some(rounds_below) = rounds_below(say, a, b) else { return };
    let Some(format) = wider(say.t.format(a.args[0]), say.t.format(b.args[0])) else { return };
    let Some(target) = wider(say.t.format(a.result), say.t.format(b.result)) else { return };
    let numbers = [say.number(a.result), say.number(b.result)];
    let mut widened =
        |args: &[Term]| args.iter().map(|arg| say.widened(*arg, format)).collect::<Vec<Term>>();
    let (first, second) = (widened(&a.args), widened(&b.args));
    let at_most = exact(say, &first, &second);
    let results = [a.result, b.result].map(|result| say.widened(result, target));
    let conclusion = say.le(results[0], results[1]);
    say.implies(&[numbers[0], numbers[1], rounds_below, at_most], conclusion);
}

/// The format of the two that holds the other.
fn wider(a: Format, b: Format) -> Option<Format> {
    if a.holds(b) {
        Some(a)
    } else if b.holds(a) {
        Some(b)
    } else {
        None
    }
}

/// When an exact result that is at most another's is rounded to one that is at most the
/// other's: in one format, if the modes are the same, the first rounds down or the second up;
/// else, if the narrower result is the one that was rounded away from the wider one.
fn rounds_below(say: &mut Say, a: &Instance, b: &Instance) -> Option<Term> {
    let (m, n) = (a.rounding?, b.rounding?);
    let [inward_a, inward_b] = [m, n].map(|mode| say.mode_is(mode, Rounding::TowardZero));
    let down = say.mode_is(m, Rounding::Downward);
    let up = say.mode_is(n, Rounding::Upward);
    let (plus, minus) = (say.positive(a.result), say.negative(b.result));
    let floor = say.t.and(&[inward_a, plus]);
    let ceiling = say.t.and(&[inward_b, minus]);
    let (first, second) = (say.t.format(a.result), say.t.format(b.result));
    let condition = if first == second {
        let same = say.same(m, n);
        say.t.or(&[same, down, up, floor, ceiling])
    } else if second.holds(first) {
        say.t.or(&[down, floor])
    } else if first.holds(second) {
        say.t.or(&[up, ceiling])
    } else {
        return None;
    };
    (say.t.value(condition) != Some(&Value::Bool(false))).then_some(condition)
}
