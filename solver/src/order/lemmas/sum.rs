//! Lemmas about sums.

use super::{Lemma, known_factor, landmarks, rounded};
use nanoscope_ieee::{Operation, Rounding};
use nanoscope_term::{BitsOp, Value};

pub(super) const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "NaN of a sum",
        statement: "isNaN r iff an operand is or they are opposite infinities; r = a if a is infinite",
        operations: &[Operation::Add],
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
        operations: &[Operation::Add],
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
        operations: &[Operation::Add],
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
        operations: &[Operation::Add],
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
        operations: &[Operation::Add],
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
        operations: &[Operation::Add],
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
        name: "midpoint from below",
        statement: "a + fl(fl(b - a) * k) <= b if a <= b, b - a is finite and 0 <= k <= 1/2",
        operations: &[Operation::Add],
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
        name: "difference undone",
        statement: "(a + b) - b = a if the signs differ and neither is more than twice the other",
        operations: &[Operation::Add],
        say: |say, known, i| {
            for (inner, back) in [(i.args[0], i.args[1]), (i.args[1], i.args[0])] {
                let Some(inner) = known.maker(inner, Operation::Add) else { continue };
                for (a, b) in [(inner.args[0], inner.args[1]), (inner.args[1], inner.args[0])] {
                    let opposite = say.neg(b);
                    let undone = say.same(back, opposite);
                    let [x, y] = [a, b].map(|term| say.abs(term));
                    let (Some((x, twice_x)), Some((y, twice_y))) =
                        (say.encodings(x), say.encodings(y))
                    else {
                        continue;
                    };
                    let close = [(x, twice_y), (y, twice_x)]
                        .map(|(less, more)| say.t.bits_op(BitsOp::Ule, &[less, more]));
                    let differ = say.signs_differ(a, b);
                    let some =
                        [say.zero(a), say.nan(b), say.infinite(b)].map(|other| say.t.not(other));
                    let some = say.t.and(&some);
                    let same = say.same(i.result, a);
                    say.implies(&[undone, close[0], close[1], differ, some], same);
                }
            }
        },
    },
    Lemma {
        name: "directed sum undone",
        statement: "(a + b) - b <= a if a + b was rounded downward, a <= (a + b) - b if upward",
        operations: &[Operation::Add],
        say: |say, known, i| {
            for (inner, back) in [(i.args[0], i.args[1]), (i.args[1], i.args[0])] {
                let Some(inner) = known.maker(inner, Operation::Add) else { continue };
                let Some(rounding) = inner.rounding else { continue };
                let [down, up, inward] =
                    [Rounding::Downward, Rounding::Upward, Rounding::TowardZero]
                        .map(|mode| say.mode_is(rounding, mode));
                let (plus, minus) = (say.positive(inner.result), say.negative(inner.result));
                let floor = say.t.and(&[inward, plus]);
                let ceiling = say.t.and(&[inward, minus]);
                let (down, up) = (say.t.or(&[down, floor]), say.t.or(&[up, ceiling]));
                for (a, b) in [(inner.args[0], inner.args[1]), (inner.args[1], inner.args[0])] {
                    let opposite = say.neg(b);
                    let undone = say.same(back, opposite);
                    let number = say.number(i.result);
                    let (below, above) = (say.le(i.result, a), say.le(a, i.result));
                    say.implies(&[number, undone, down], below);
                    say.implies(&[number, undone, up], above);
                }
            }
        },
    },
    Lemma {
        name: "sum undone to nearest",
        statement: "(a + b) - b is between 0 and 2 * a if a + b was rounded to nearest",
        operations: &[Operation::Add],
        say: |say, known, i| {
            for (inner, back) in [(i.args[0], i.args[1]), (i.args[1], i.args[0])] {
                let Some(inner) = known.maker(inner, Operation::Add) else { continue };
                let Some(rounding) = inner.rounding else { continue };
                // Since b itself is a float, a + b is rounded by |a| at most.
                let nearest = [Rounding::NearestEven, Rounding::NearestAway]
                    .map(|mode| say.mode_is(rounding, mode));
                let nearest = say.t.or(&nearest);
                let number = say.number(i.result);
                let zero = say.zero(i.result);
                for (a, b) in [(inner.args[0], inner.args[1]), (inner.args[1], inner.args[0])] {
                    let opposite = say.neg(b);
                    let undone = say.same(back, opposite);
                    let infinite = say.infinite(inner.result);
                    let finite = say.t.not(infinite);
                    let conditions = [number, undone, nearest, finite];
                    let differ = say.signs_differ(i.result, a);
                    let agree = say.t.not(differ);
                    let agree = say.t.or(&[zero, agree]);
                    say.implies(&conditions, agree);
                    let [a, r] = [a, i.result].map(|term| say.abs(term));
                    if let (Some((_, twice)), Some((r, _))) = (say.encodings(a), say.encodings(r)) {
                        let small = say.t.bits_op(BitsOp::Ule, &[r, twice]);
                        say.implies(&conditions, small);
                    }
                }
            }
        },
    },
    Lemma {
        name: "sum less a bound of both operands",
        statement: "c <= (a + b) - c if c <= a and c <= b, and so from above, where c + c is finite",
        operations: &[Operation::Add],
        say: |say, known, i| {
            let format = say.t.format(i.result);
            let (Some(largest), Some(half)) = (say.largest(format), say.power(format, -1)) else {
                return;
            };
            let Some(most) = say.folded(Operation::Mul, Rounding::TowardZero, &[largest, half])
            else {
                return;
            };
            for (inner, back) in [(i.args[0], i.args[1]), (i.args[1], i.args[0])] {
                let Some(inner) = known.maker(inner, Operation::Add) else { continue };
                let (c, magnitude) = (say.neg(back), say.abs(back));
                let number = say.number(i.result);
                let small = say.le(magnitude, most);
                let [a, b] = [inner.args[0], inner.args[1]];
                let above = [say.le(c, a), say.le(c, b), say.le(c, i.result)];
                say.implies(&[number, small, above[0], above[1]], above[2]);
                let below = [say.le(a, c), say.le(b, c), say.le(i.result, c)];
                say.implies(&[number, small, below[0], below[1]], below[2]);
            }
        },
    },
];
