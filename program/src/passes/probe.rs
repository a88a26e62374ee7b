//! Probes: what an instrumented place reports, and how far that is from each goal.
//!
//! A probe has two halves. The inline half ([`Filter`]) is a few machine
//! instructions that compare a key of the operands and result with the goal's
//! cutoff; it lets through every execution that comes nearer to the goal than any
//! before, and few others. The other half, here, is called for those and computes
//! the exact distance.

use crate::actions;
use crate::code::libm::{Domain, RangeError};
use crate::goal::distance::{FAR, Landmarks, distance};
use crate::goal::exception::Exception;
use crate::goal::integer::IntegerArithmetic;
use crate::goal::site::Action;
use crate::llvm::{IntPredicate, RealPredicate};
use nanoscope_ieee::{Format, domains};

/// Words in a probe's record: three operands and a result at most.
pub const RECORD_WORDS: usize = 8;

/// The meaning of every probe of an instrumented library.
#[derive(Clone, Debug, Default)]
pub struct Probes {
    pub(crate) points: Vec<Point>,
    pub(crate) filters: Vec<Filter>,
    pub(crate) gates: Vec<Gate>,
}

/// What lets an execution with an infinite or NaN result pass to the filter for invalid
/// operations, which costs too much to ask every time: its cutoff is the overflow's, but
/// no higher than infinity while the other goal is open. Gates have their cutoffs after
/// all goals'.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gate {
    pub overflow: usize,
    pub invalid: usize,
    pub infinity: u64,
}

/// An instrumented place: what is observed there, and which goals that can bring nearer.
#[derive(Clone, Debug)]
pub(crate) enum Point {
    /// An operation, with its goals.
    Operation { action: Action, format: Format, goals: Vec<(usize, Exception)> },
    /// A conditional branch: the goal of taking it, and that of not taking it.
    Branch { test: Test, taken: usize, passed: usize },
}

/// The comparison that decides a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    Real(Format, RealPredicate),
    Integer(u32, IntPredicate),
}

/// The inline half of a goal's probe: lets an execution through by a key of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filter {
    /// Those with a key from the cutoff on: the distance is at least `top` minus the key.
    Above { key: Key, top: u64 },
    /// Those with a key below the cutoff: the distance is at least the key minus `bottom`.
    Below { key: Key, bottom: u64 },
    /// All, while the goal is open.
    All,
    /// The two sides of a branch are filtered together.
    Branch,
}

/// A number that tells how near an execution may be. Magnitudes are encodings without
/// their sign, of wide formats only the upper 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// The result's magnitude.
    Result,
    /// The result's magnitude less one: zero is largest.
    NonZeroResult,
    /// An operand's magnitude.
    Operand(usize),
    /// 0 for a negative operand, else its magnitude plus one.
    Sign(usize),
    /// The smaller of two magnitudes.
    Smaller,
    /// The difference of two magnitudes.
    Difference,
    /// The sum of two magnitudes, or what it lacks to two infinities.
    Sum,
    /// The distance of integer arithmetic itself.
    Margin(IntegerArithmetic),
}

impl Filter {
    /// The filter for an exception of an operation.
    pub fn of(action: Action, format: Format, exception: Exception) -> Filter {
        let marks = Landmarks::of(format);
        let squeezed = |magnitude: u128| (magnitude >> marks.squeeze()) as u64;
        // Squeezing rounds two operands and the limit down: two steps of slack let nothing slip through.
        let slack = if marks.squeeze() > 0 { 2 } else { 0 };
        let above = |key, top| Filter::Above { key, top: squeezed(top) - slack };
        let below = |key, bottom| Filter::Below { key, bottom: squeezed(bottom) + slack };
        let infinity = marks.infinity;
        let tiny = marks.smallest_normal - 1;
        match exception {
            Exception::Overflow => above(Key::Result, infinity),
            Exception::Underflow => {
                let from_zero = match action {
                    Action::Mul | Action::Div | Action::Fma | Action::Narrow { .. } => true,
                    Action::Libm(function) => function.has(RangeError::Vanishing),
                    actions!(Sum, Rest, ToIntegers) => false,
                };
                if from_zero || slack > 0 {
                    below(Key::Result, tiny)
                } else {
                    below(Key::NonZeroResult, tiny - 1)
                }
            }
            Exception::DivideByZero => match action {
                Action::Div => below(Key::Operand(1), 0),
                Action::Libm(function) => match function.domain {
                    // The pole is at zero; of a power, at a zero base and a negative exponent.
                    Domain::Power | domains!(AtZero) => below(Key::Operand(0), 0),
                    Domain::LogGamma | domains!(WithoutPole, AtOne) => Filter::All,
                },
                Action::Mul
                | Action::Fma
                | Action::Narrow { .. }
                | actions!(Sum, Rest, ToIntegers) => Filter::All,
            },
            Exception::Invalid => match action {
                Action::Add | Action::Sub => above(Key::Smaller, infinity),
                Action::Mul | Action::Fma => above(Key::Difference, infinity),
                Action::Div => below(Key::Sum, 0),
                Action::Sqrt => below(Key::Sign(0), 0),
                Action::Rem
                | Action::Narrow { .. }
                | Action::ToInteger { .. }
                | Action::Integer(_) => Filter::All,
                Action::Libm(function) => match function.domain {
                    Domain::Finite => above(Key::Operand(0), infinity),
                    // Of a power, a negative base is half the way.
                    Domain::Positive | Domain::Power => below(Key::Sign(0), 0),
                    Domain::UnitClosed | Domain::UnitOpen => {
                        above(Key::Operand(0), marks.power(0) + 1)
                    }
                    Domain::AboveMinusOne | Domain::AtLeastOne => Filter::All,
                    Domain::Gamma | Domain::Modulus | domains!(EveryNumber) => Filter::All,
                },
            },
            Exception::ConversionOutOfRange => match action {
                Action::ToInteger { bits, signed: true } => {
                    above(Key::Operand(0), marks.power(bits - 1))
                }
                _ => Filter::All,
            },
            Exception::IntegerOverflow => match action {
                Action::Integer(arithmetic) => {
                    Filter::Below { key: Key::Margin(arithmetic), bottom: 0 }
                }
                _ => Filter::All,
            },
        }
    }

    /// The cutoff that lets through only what may come nearer than `best`.
    fn cutoff(self, best: u64) -> u64 {
        match self {
            Filter::Above { top, .. } => {
                if best == 0 {
                    u64::MAX
                } else {
                    (top + 1).saturating_sub(best)
                }
            }
            Filter::Below { bottom, .. } => {
                if best == 0 {
                    0
                } else {
                    bottom.saturating_add(best)
                }
            }
            Filter::All => u64::from(best > 0),
            Filter::Branch => best,
        }
    }
}

impl Probes {
    /// How many cutoffs there are: a goal each, the branches' own included.
    pub fn goals(&self) -> usize {
        self.filters.len()
    }

    /// Tells, after the distance to beat of `goal` has changed, which entries of
    /// `nanoscope_cutoffs` must be what, so that only executions that may come nearer
    /// are let through. A distance of 0 lets none.
    pub fn cutoffs(&self, goal: usize, best: &[u64], set: &mut dyn FnMut(usize, u64)) {
        set(goal, self.filters[goal].cutoff(best[goal]));
        // A site has one gate at the most, and gates are in the order of their goals.
        let at = self.gates.partition_point(|gate| gate.overflow.max(gate.invalid) < goal);
        let Some(gate) =
            self.gates.get(at).filter(|gate| gate.overflow == goal || gate.invalid == goal)
        else {
            return;
        };
        let overflow = self.filters[gate.overflow].cutoff(best[gate.overflow]);
        let limit = if best[gate.invalid] > 0 { gate.infinity } else { u64::MAX };
        set(self.filters.len() + at, overflow.min(limit));
    }

    /// Tells for each goal of a probe how far the observed execution was from it;
    /// 0 is a hit. `record` holds the operands, then the result, two words each.
    pub fn observe(
        &self,
        probe: u32,
        record: &[u64; RECORD_WORDS],
        each: &mut dyn FnMut(usize, u64),
    ) {
        let value = |i: usize| u128::from(record[2 * i]) | u128::from(record[2 * i + 1]) << 64;
        match &self.points[probe as usize] {
            Point::Operation { action, format, goals } => {
                let count = action.operands();
                let mut operands = [0; 3];
                for (i, operand) in operands.iter_mut().enumerate().take(count) {
                    *operand = value(i);
                }
                for &(goal, exception) in goals {
                    each(
                        goal,
                        distance(*action, *format, exception, &operands[..count], value(count)),
                    );
                }
            }
            Point::Branch { test, taken, passed } => {
                let (taken_at, passed_at) = test.distances(value(0), value(1));
                each(*taken, taken_at);
                each(*passed, passed_at);
            }
        }
    }
}

impl Test {
    /// How far a comparison of `a` with `b` is from being true, and from being false.
    fn distances(self, a: u128, b: u128) -> (u64, u64) {
        let (true_now, gap, equality) = match self {
            Test::Real(format, predicate) => {
                let marks = Landmarks::of(format);
                let (x, y) = (marks.ordinal(a), marks.ordinal(b));
                let unordered = marks.is_unordered(a, b);
                let outcome = real_outcome(predicate, x.cmp(&y), unordered);
                let Some(true_now) = outcome else { return (FAR, FAR) };
                let gap = if unordered { u128::MAX } else { x.abs_diff(y) };
                (true_now, gap >> marks.squeeze(), is_equality(predicate))
            }
            Test::Integer(bits, predicate) => {
                use IntPredicate::*;
                let shift = 128 - bits;
                let signed = |v: u128| ((v << shift) as i128) >> shift;
                let (order, gap) = match predicate {
                    LLVMIntSLT | LLVMIntSLE | LLVMIntSGT | LLVMIntSGE | LLVMIntEQ | LLVMIntNE => {
                        (signed(a).cmp(&signed(b)), signed(a).abs_diff(signed(b)))
                    }
                    LLVMIntULT | LLVMIntULE | LLVMIntUGT | LLVMIntUGE => (a.cmp(&b), a.abs_diff(b)),
                };
                let true_now = match predicate {
                    LLVMIntEQ => order.is_eq(),
                    LLVMIntNE => order.is_ne(),
                    LLVMIntSLT | LLVMIntULT => order.is_lt(),
                    LLVMIntSLE | LLVMIntULE => order.is_le(),
                    LLVMIntSGT | LLVMIntUGT => order.is_gt(),
                    LLVMIntSGE | LLVMIntUGE => order.is_ge(),
                };
                (true_now, gap, matches!(predicate, LLVMIntEQ | LLVMIntNE))
            }
        };
        // Away from equality any step does; otherwise the gap must be closed.
        let other = if equality && gap == 0 {
            1
        } else {
            gap.saturating_add(1).min(u128::from(FAR - 1)) as u64
        };
        if true_now { (0, other) } else { (other, 0) }
    }
}

fn is_equality(predicate: RealPredicate) -> bool {
    use RealPredicate::*;
    matches!(predicate, LLVMRealOEQ | LLVMRealUEQ | LLVMRealONE | LLVMRealUNE)
}

/// The outcome of a comparison; `None` for the two that do not compare.
fn real_outcome(
    predicate: RealPredicate,
    order: std::cmp::Ordering,
    unordered: bool,
) -> Option<bool> {
    use RealPredicate::*;
    let (when_unordered, when_ordered) = match predicate {
        LLVMRealPredicateFalse | LLVMRealPredicateTrue => return None,
        LLVMRealORD => (false, true),
        LLVMRealUNO => (true, false),
        LLVMRealOEQ => (false, order.is_eq()),
        LLVMRealUEQ => (true, order.is_eq()),
        LLVMRealONE => (false, order.is_ne()),
        LLVMRealUNE => (true, order.is_ne()),
        LLVMRealOLT => (false, order.is_lt()),
        LLVMRealULT => (true, order.is_lt()),
        LLVMRealOLE => (false, order.is_le()),
        LLVMRealULE => (true, order.is_le()),
        LLVMRealOGT => (false, order.is_gt()),
        LLVMRealUGT => (true, order.is_gt()),
        LLVMRealOGE => (false, order.is_ge()),
        LLVMRealUGE => (true, order.is_ge()),
    };
    Some(if unordered { when_unordered } else { when_ordered })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::libm;

    /// The inline half in Rust: what the instrumented code computes.
    fn key(key: Key, format: Format, values: &[u128]) -> u64 {
        let squeeze = format.width().saturating_sub(64);
        let sign = 1u64 << (format.width().min(64) - 1);
        let magnitude = |i: usize| (values[i] >> squeeze) as u64 & (sign - 1);
        let result = values.len() - 1;
        match key {
            Key::Result => magnitude(result),
            Key::NonZeroResult => magnitude(result).wrapping_sub(1),
            Key::Operand(i) => magnitude(i),
            Key::Sign(i) => {
                if values[i] >> (format.width() - 1) != 0 {
                    0
                } else {
                    magnitude(i) + 1
                }
            }
            Key::Smaller => magnitude(0).min(magnitude(1)),
            Key::Difference => magnitude(0).abs_diff(magnitude(1)),
            Key::Sum => {
                let marks = Landmarks::of(format);
                let infinity = (marks.infinity >> marks.squeeze()) as u64;
                let sum = magnitude(0).wrapping_add(magnitude(1));
                sum.min(infinity.wrapping_mul(2).wrapping_sub(sum))
            }
            Key::Margin(arithmetic) => arithmetic.distance(&values[..result]),
        }
    }

    fn passes(filter: Filter, format: Format, values: &[u128], best: u64) -> bool {
        let cutoff = filter.cutoff(best);
        match filter {
            Filter::Above { key: k, .. } => key(k, format, values) >= cutoff,
            Filter::Below { key: k, .. } => key(k, format, values) < cutoff,
            Filter::All => cutoff != 0,
            Filter::Branch => unreachable!("operations have no branch filter"),
        }
    }

    /// Encodings that matter, and noise.
    fn encodings(format: Format) -> Vec<u128> {
        let marks = Landmarks::of(format);
        let mut list = vec![
            0,
            1,
            2,
            marks.smallest_normal,
            marks.infinity,
            marks.infinity + 1,
            marks.power(0),
            marks.power(31),
        ];
        list.extend([
            marks.smallest_normal - 1,
            marks.largest(),
            marks.power(0) + 1,
            marks.power(7),
        ]);
        let mut noise = 0x9e37_79b9_7f4a_7c15_u128;
        for _ in 0..24 {
            noise = noise
                .wrapping_mul(0x2545_f491_4f6c_dd1d_2545_f491_4f6c_dd1d)
                .wrapping_add(0x1234_5677);
            let value = noise >> 7 & ((1 << (format.width() - 1)) - 1);
            list.push(if format.explicit_integer_bit && value >> 64 != 0 {
                value | 1 << 63
            } else {
                value
            });
        }
        list.iter().flat_map(|&v| [v, v | 1 << (format.width() - 1)]).collect()
    }

    /// What the machine computes, in binary64.
    fn computed(action: Action, format: Format, operands: &[u128]) -> Option<u128> {
        if format != Format::BINARY64 {
            return None;
        }
        let x = |i: usize| f64::from_bits(operands[i] as u64);
        let result = match action {
            Action::Add => x(0) + x(1),
            Action::Sub => x(0) - x(1),
            Action::Mul => x(0) * x(1),
            Action::Div => x(0) / x(1),
            Action::Rem => x(0) % x(1),
            Action::Fma => x(0).mul_add(x(1), x(2)),
            Action::Sqrt => x(0).sqrt(),
            Action::Narrow { .. } | Action::ToInteger { .. } | Action::Integer(_) => return None,
            Action::Libm(function) => match function.name {
                "exp" => x(0).exp(),
                "log" => x(0).ln(),
                "acos" => x(0).acos(),
                "atanh" => x(0).atanh(),
                "pow" => x(0).powf(x(1)),
                "sin" => x(0).sin(),
                _ => return None,
            },
        };
        Some(u128::from(result.to_bits()))
    }

    /// What comes nearer is never held back, whatever the operands and the result.
    fn check(action: Action, format: Format) {
        let values = encodings(format);
        let mut tried = 0u64;
        for exception in action.exceptions() {
            let filter = Filter::of(action, format, exception);
            for (i, &a) in values.iter().enumerate() {
                for (j, &b) in values.iter().enumerate() {
                    let record = [a, b, values[(i * 7 + j * 3) % values.len()]];
                    let count = action.operands();
                    // Any result will do: a filter must hold for what the machine may give.
                    let real = computed(action, format, &record[..count]);
                    for result in values.iter().copied().skip((i + j) % 5).step_by(5).chain(real) {
                        let mut all = record[..count].to_vec();
                        // But a NaN comes from nowhere only if the machine makes it.
                        let born = Landmarks::of(format).is_unordered(result, result)
                            && !all.iter().any(|&x| Landmarks::of(format).is_unordered(x, x));
                        if born && computed(action, format, &all) != Some(result) {
                            continue;
                        }
                        let far = distance(action, format, exception, &all, result);
                        all.push(result);
                        for best in [far.saturating_add(1), far.saturating_mul(2).max(1), FAR] {
                            if far < best {
                                tried += 1;
                                let through = passes(filter, format, &all, best);
                                assert!(
                                    through,
                                    "{action:?} {format:?} {exception} {all:x?} far {far} best {best}"
                                );
                            }
                        }
                        assert!(!passes(filter, format, &all, 0), "a closed goal asks for nothing");
                    }
                }
            }
        }
        assert!(tried > 1000 || action.exceptions().is_empty());
    }

    #[test]
    fn filters_hold_back_nothing_that_comes_nearer() {
        for format in [Format::BINARY32, Format::BINARY64, Format::X87, Format::BINARY128] {
            for action in [
                Action::Add,
                Action::Sub,
                Action::Mul,
                Action::Div,
                Action::Rem,
                Action::Fma,
                Action::Sqrt,
            ] {
                check(action, format);
            }
            check(Action::ToInteger { bits: 32, signed: true }, format);
            check(Action::ToInteger { bits: 8, signed: false }, format);
        }
        for name in ["exp", "log", "acos", "atanh", "pow", "sin", "tgamma", "lgamma"] {
            check(Action::Libm(libm::with_errors(name).expect(name)), Format::BINARY64);
        }
        check(Action::Narrow { from: Format::BINARY64 }, Format::BINARY32);
    }

    #[test]
    fn a_branch_is_as_far_as_its_operands() {
        let test = Test::Real(Format::BINARY64, RealPredicate::LLVMRealOLT);
        let bits = |x: f64| u128::from(x.to_bits());
        assert_eq!(test.distances(bits(1.0), bits(1.0)), (1, 0));
        assert_eq!(test.distances(bits(1f64.next_up()), bits(1.0)), (2, 0));
        assert_eq!(test.distances(bits(-0.0), bits(f64::from_bits(1))), (0, 2));
        let test = Test::Integer(32, IntPredicate::LLVMIntEQ);
        assert_eq!(test.distances(7, 7), (0, 1));
        assert_eq!(test.distances(0xffff_ffff, 1), (3, 0));
    }
}
