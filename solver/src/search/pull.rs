//! Moves that pull a wish back to a variable: pick an assertion that fails,
//! wish for the value that would make it hold, and undo one operation after
//! another on the way down, everything else staying as it is.

use super::congruence;
use super::random::Random;
use super::tape::Tape;
use nanoscope_ieee::{Float, Format, Operation, Rounding, operations};
use nanoscope_term::{BitsOp, Libm, Op, Sort, Term, Terms, bits_ops, op_heads};
use std::collections::BTreeMap;

/// Where wishes start and what leads to variables.
pub(super) struct Pull<'a> {
    terms: &'a Terms,
    assertions: &'a [Term],
    /// Which terms have variables below.
    open: Vec<bool>,
    /// The place of a variable's term among the tape's variables.
    places: BTreeMap<Term, usize>,
}

impl<'a> Pull<'a> {
    /// Wishes of these assertions.
    pub(super) fn new(terms: &'a Terms, assertions: &'a [Term], tape: &Tape) -> Pull<'a> {
        let mut open = vec![false; terms.len()];
        for term in terms.below(assertions) {
            open[term.index()] = terms.as_variable(term).is_some()
                || terms.args(term).iter().any(|arg| open[arg.index()]);
        }
        let places = tape.variables.iter().enumerate();
        let places =
            places.map(|(place, (variable, _))| (terms.variable_term(*variable), place)).collect();
        Pull { terms, assertions, open, places }
    }

    /// A variable's place and the value that one of the failing assertions
    /// wishes it had, at the point with these registers.
    pub(super) fn draw(
        &self,
        tape: &Tape,
        column: &[u64],
        random: &mut Random,
    ) -> Option<(usize, u64)> {
        let fails = |term: Term, wanted: bool| {
            tape.distance_to(term, wanted).is_some_and(|register| column[register] > 0)
        };
        let failing: Vec<Term> =
            self.assertions.iter().copied().filter(|term| fails(*term, true)).collect();
        let (mut term, mut wanted) = (*random.one_of(&failing)?, true);
        // From the assertion down to what is no truth value.
        loop {
            let args = self.terms.args(term);
            match self.terms.op(term) {
                Op::Value(_) => return None,
                Op::Variable(_) => return Some((*self.places.get(&term)?, u64::from(wanted))),
                Op::Not => (term, wanted) = (args[0], !wanted),
                Op::And | Op::Or => {
                    let failing: Vec<Term> =
                        args.iter().copied().filter(|arg| fails(*arg, wanted)).collect();
                    term = *random.one_of(&failing)?;
                }
                Op::Ite => {
                    let holds = !fails(args[0], true);
                    let branch = if holds { args[1] } else { args[2] };
                    (term, wanted) = if self.open[branch.index()] && random.below(3) > 0 {
                        (branch, wanted)
                    } else {
                        (args[0], !holds)
                    };
                }
                Op::Equal if self.terms.sort(args[0]) == Sort::Bool => {
                    let side = random.below(2);
                    let other = !fails(args[1 - side], true);
                    (term, wanted) = (args[side], other == wanted);
                }
                Op::Equal | Op::Bits(_) | Op::Float(..) => break,
                Op::Libm(..) | op_heads!(Door) => return None,
            }
        }
        let (term, target) = self.wish(tape, column, term, random)?;
        self.descend(tape, column, term, target, random)
    }

    /// The operand of a failing comparison to change, and to what.
    fn wish(
        &self,
        tape: &Tape,
        column: &[u64],
        term: Term,
        random: &mut Random,
    ) -> Option<(Term, u64)> {
        let args = self.terms.args(term);
        let sides: Vec<usize> = (0..args.len())
            .filter(|side| self.open[args[*side].index()])
            .filter(|side| self.terms.sort(args[*side]) != Sort::Rounding)
            .collect();
        let side = *random.one_of(&sides)?;
        let now = column[tape.value(args[side])?];
        let target = match args {
            [_, _] => column[tape.value(args[1 - side])?],
            // A class: some value near its border, or one at random.
            _ => match random.below(4) {
                0 => 0,
                1 => now,
                2 => random.next(),
                _ => random.next() & random.next() & random.next(),
            },
        };
        let sort = self.terms.sort(args[side]);
        // Beyond the border as often as on it, by little or by much.
        let target = match random.below(4) {
            0 => target,
            1 | 2 => nudge(sort, target, random, 3),
            _ => nudge(sort, target, random, 40),
        };
        Some((args[side], target))
    }

    /// Undoes operations from `term` down to a variable.
    fn descend(
        &self,
        tape: &Tape,
        column: &[u64],
        mut term: Term,
        mut target: u64,
        random: &mut Random,
    ) -> Option<(usize, u64)> {
        loop {
            if let Some(place) = self.places.get(&term) {
                if random.below(3) == 0 {
                    target = nudge(self.terms.sort(term), target, random, 3);
                }
                return Some((*place, target));
            }
            let args = self.terms.args(term);
            let roads: Vec<usize> = (0..args.len())
                .filter(|at| self.open[args[*at].index()])
                .filter(|at| self.terms.sort(args[*at]) != Sort::Rounding)
                .filter(|at| self.terms.sort(args[*at]) != Sort::Bool)
                .collect();
            let road = *random.one_of(&roads)?;
            let values: Option<Vec<u64>> =
                args.iter().map(|arg| tape.value(*arg).map(|register| column[register])).collect();
            let values = values?;
            target = match self.terms.op(term) {
                Op::Ite => target,
                Op::Float(operation, parameters) => {
                    let floats = match self.terms.sort(args[0]) {
                        Sort::Rounding => 1,
                        Sort::Bool | Sort::Bits(_) | Sort::Float(_) | Sort::Array(_) => 0,
                    };
                    let result = self.terms.sort(term);
                    let wanted = Wanted { result, target, road: road - floats };
                    wanted.of_operation(operation, parameters.format, &values[floats..], random)?
                }
                Op::Libm(function, format) => {
                    let t = decode(format, target);
                    let other = decode(format, values[(road + 1) % values.len()]);
                    encode(format, before_libm(function, road, t, other))
                }
                Op::Bits(op) => {
                    let width = self.terms.width(args[road]);
                    let low = self.terms.width(args[args.len() - 1]);
                    before_bits(op, road, target, &values, (width, low))?
                }
                Op::Equal | op_heads!(Leaf, Connective, Door) => return None,
            };
            term = args[road];
        }
    }
}

/// A wished result and the operand to reach it by.
struct Wanted {
    result: Sort,
    target: u64,
    road: usize,
}

impl Wanted {
    /// The operand that gives the wished result of an operation, about.
    fn of_operation(
        &self,
        operation: Operation,
        format: Format,
        values: &[u64],
        random: &mut Random,
    ) -> Option<u64> {
        let Wanted { result, target, road } = *self;
        let number = |at: usize| decode(format, values[at]);
        let t = match result {
            Sort::Float(format) => decode(format, target),
            Sort::Bool | Sort::Bits(_) | Sort::Rounding | Sort::Array(_) => 0.0,
        };
        let float = |value: f64| Some(encode(format, value));
        match (operation, road) {
            (Operation::Add, road) => float(t - number(1 - road)),
            (Operation::Sub, 0) => float(t + number(1)),
            (Operation::Sub, _) => float(number(0) - t),
            (Operation::Mul, road) if values[0] == values[1] && random.below(2) == 0 => {
                let _ = road;
                float(if number(0) < 0.0 { -t.sqrt() } else { t.sqrt() })
            }
            (Operation::Mul, road) => float(t / number(1 - road)),
            (Operation::Div, 0) => float(t * number(1)),
            (Operation::Div, _) => float(number(0) / t),
            (Operation::Fma, 2) => float((-number(0)).mul_add(number(1), t)),
            (Operation::Fma, road) => float((t - number(2)) / number(1 - road)),
            (Operation::Sqrt, _) => float(t * t),
            (Operation::Neg, _) => float(-t),
            (Operation::Abs, _) => float(if random.below(2) == 0 { t } else { -t }),
            (Operation::Remainder | Operation::Fmod, 0) if random.below(2) == 0 => {
                congruence::dividend(format, values[0], values[1], target, random)
            }
            (Operation::Remainder | Operation::Fmod, 0) => {
                let steps = (number(0) / number(1)).round();
                float(number(1).mul_add(steps, t))
            }
            (Operation::Remainder | Operation::Fmod, _) => float(number(0) - t),
            (Operation::RoundToIntegral | Operation::RoundToIntegralExact, _) => {
                float(t + (random.below(9) as f64 - 4.0) / 8.0)
            }
            (Operation::CopySign | Operation::Convert | operations!(Choice, Step), _) => float(t),
            (Operation::FromSigned | Operation::FromUnsigned, _) => Some(t as i128 as u64),
            (Operation::ToSigned, _) => {
                let Sort::Bits(width) = result else { return None };
                let shift = 64 - width;
                float((((target << shift) as i64) >> shift) as f64)
            }
            (Operation::ToUnsigned, _) => float(target as f64),
            (Operation::FromBits | Operation::ToBits, _) => Some(target),
            (operations!(Compare, Classify), _) => None,
        }
    }
}

/// The argument at `road` that gives `t`, about; `other` is the other argument.
fn before_libm(function: Libm, road: usize, t: f64, other: f64) -> f64 {
    match (function, road) {
        (Libm::Exp, _) => t.ln(),
        (Libm::Exp2, _) => t.log2(),
        (Libm::Exp10, _) => t.log10(),
        (Libm::Expm1, _) => t.ln_1p(),
        (Libm::Log, _) => t.exp(),
        (Libm::Log2, _) => t.exp2(),
        (Libm::Log10, _) => 10f64.powf(t),
        (Libm::Log1p, _) => t.exp_m1(),
        (Libm::Sin, _) => t.asin(),
        (Libm::Cos, _) => t.acos(),
        (Libm::Tan, _) => t.atan(),
        (Libm::Asin, _) => t.sin(),
        (Libm::Acos, _) => t.cos(),
        (Libm::Atan, _) => t.tan(),
        (Libm::Atan2, 0) => t.tan() * other,
        (Libm::Atan2, _) => other / t.tan(),
        (Libm::Sinh, _) => t.asinh(),
        (Libm::Cosh, _) => t.acosh(),
        (Libm::Tanh, _) => t.atanh(),
        (Libm::Asinh, _) => t.sinh(),
        (Libm::Acosh, _) => t.cosh(),
        (Libm::Atanh, _) => t.tanh(),
        (Libm::Cbrt, _) => t * t * t,
        (Libm::Pow, 0) => t.powf(1.0 / other),
        (Libm::Pow, _) => t.ln() / other.ln(),
        (Libm::Hypot, _) => (t * t - other * other).abs().sqrt(),
        // Without an inverse in closed form: on a stretch where they are monotone.
        (Libm::Erf, _) => bisect(function, (-6.0, 6.0), t),
        (Libm::Erfc, _) => bisect(function, (-6.0, 28.0), t),
        (Libm::Tgamma, _) => bisect(function, (1.47, 172.0), t),
        (Libm::Lgamma, _) => bisect(function, (1.47, 1e306), t),
        (Libm::J0, _) => bisect(function, (0.0, 3.83), t),
        (Libm::J1, _) => bisect(function, (0.0, 1.84), t),
        (Libm::Y0, _) => bisect(function, (1e-300, 2.19), t),
        (Libm::Y1, _) => bisect(function, (1e-300, 3.68), t),
    }
}

/// Where a function that is monotone between two numbers comes nearest to `t`.
fn bisect(function: Libm, (mut low, mut high): (f64, f64), t: f64) -> f64 {
    let at = |x: f64| function.of_doubles(x, 0.0);
    let rises = at(low) < at(high);
    for _ in 0..100 {
        // Between magnitudes far apart, their geometric mean.
        let middle = match low > 0.0 && high > 2.0 * low {
            true => low.sqrt() * high.sqrt(),
            false => low + (high - low) / 2.0,
        };
        if (at(middle) < t) == rises { low = middle } else { high = middle }
    }
    low
}

/// The argument at `road` that gives `target`, or something like it.
fn before_bits(
    op: BitsOp,
    road: usize,
    target: u64,
    values: &[u64],
    (width, low): (u32, u32),
) -> Option<u64> {
    let other = values[(road + 1) % values.len()];
    let now = values[road];
    let found = match (op, road) {
        (BitsOp::Not, _) => !target,
        (BitsOp::Neg, _) => target.wrapping_neg(),
        (BitsOp::And, _) => now & !other | target,
        (BitsOp::Or, _) => now & other | target & !other,
        (BitsOp::Xor, _) => target ^ other,
        (BitsOp::Add, _) => target.wrapping_sub(other),
        (BitsOp::Sub, 0) => target.wrapping_add(other),
        (BitsOp::Sub, _) => other.wrapping_sub(target),
        (BitsOp::Mul, _) if other & 1 == 1 => target.wrapping_mul(inverse(other)),
        (BitsOp::Mul, _) | (BitsOp::Udiv, 1) => {
            if road == 1 && op == BitsOp::Udiv {
                other.checked_div(target)?
            } else {
                target.checked_div(other)?
            }
        }
        (BitsOp::Udiv, _) => target.wrapping_mul(other),
        (BitsOp::Urem, 0) => now.checked_div(other)?.wrapping_mul(other).wrapping_add(target),
        (BitsOp::Shl, 0) => target.checked_shr(u32::try_from(other).ok()?)?,
        (BitsOp::Lshr | BitsOp::Ashr, 0) => target.checked_shl(u32::try_from(other).ok()?)?,
        (BitsOp::Urem | bits_ops!(Shift), _) => return None,
        (BitsOp::Concat, 0) => target.checked_shr(low)?,
        (BitsOp::Concat, _) => target,
        (BitsOp::Extract { high, low }, _) => {
            let field = (u64::MAX >> (63 - (high - low))) << low;
            now & !field | target << low & field
        }
        (BitsOp::ZeroExtend(_) | BitsOp::SignExtend(_), _) => target,
        (bits_ops!(Compare), _) => return None,
    };
    Some(found & (u64::MAX >> (64 - width)))
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

fn decode(format: Format, bits: u64) -> f64 {
    if format == Format::BINARY64 {
        f64::from_bits(bits)
    } else if format == Format::BINARY32 {
        f64::from(f32::from_bits(bits as u32))
    } else {
        Float::from_bits(format, bits.into()).to_f64()
    }
}

fn encode(format: Format, value: f64) -> u64 {
    if format == Format::BINARY64 {
        value.to_bits()
    } else if format == Format::BINARY32 {
        u64::from((value as f32).to_bits())
    } else {
        let wide = Float::from_bits(Format::BINARY64, value.to_bits().into());
        wide.convert(format, Rounding::NearestEven).0.word().low_u64()
    }
}

/// A value a few steps away: at most `2^scale`.
fn nudge(sort: Sort, bits: u64, random: &mut Random, scale: usize) -> u64 {
    let step = 1 + random.next() % (1 << random.below(scale));
    let up = random.below(2) == 0;
    match sort {
        Sort::Float(format) => {
            let sign = 1u64 << (format.width() - 1);
            let magnitude = bits & (sign - 1);
            let place = if bits & sign != 0 { !(magnitude as i64) } else { magnitude as i64 };
            let moved =
                if up { place.checked_add(step as i64) } else { place.checked_sub(step as i64) };
            let moved = moved.unwrap_or(place);
            let magnitude = if moved < 0 { !moved } else { moved } as u64;
            if magnitude >= sign { bits } else { magnitude | if moved < 0 { sign } else { 0 } }
        }
        Sort::Bits(width) => {
            let moved = if up { bits.wrapping_add(step) } else { bits.wrapping_sub(step) };
            moved & (u64::MAX >> (64 - width))
        }
        Sort::Bool | Sort::Rounding | Sort::Array(_) => bits,
    }
}
