//! Whole parts: what is left of a number without its whole part, as in `x - floor(x)` and
//! `x - (int)(x + 0.5)`.
//!
//! The values of the operands do not bound it, nor do affine forms where `x` has no bound,
//! because the rounding error of `x + 0.5` has none.

use crate::domain::environment::Environment;
use crate::domain::point::{Domain, Known, Side, Text};
use crate::domain::values::Computed;
use crate::exceptions::Exceptions;
use crate::value::AbstractValue;
use nanoscope_ieee::{Format, Operation, Rounding};
use nanoscope_program::Exception;
use nanoscope_program::ir::{
    Act, Edge, Instruction, IntegerOperation, Mode, Operand, Register, Type,
};
use nanoscope_sets::{Floats, Grid, Modes};

/// Registers to which whole parts of others have moved on edges.
#[derive(Clone, Debug, Default)]
pub struct WholeParts(Vec<(Register, WholePart)>);

/// Whole parts at one point of a function.
struct Query<'a> {
    at: &'a Text<'a>,
    environment: &'a Environment,
    moved: &'a [(Register, WholePart)],
}

/// A whole part of an operand: how that was rounded, and whether it was negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WholePart {
    of: Operand,
    rounding: Rounding,
    negated: bool,
}

impl WholeParts {
    fn at<'a>(&'a self, at: &'a Text<'a>, environment: &'a Environment) -> Query<'a> {
        Query { at, environment, moved: &self.0 }
    }
}

impl Domain for WholeParts {
    fn forget(&mut self, register: Register) {
        if !self.0.is_empty() {
            self.0.retain(|(whole, _)| *whole != register);
        }
    }

    fn follow(
        &mut self,
        at: &Text,
        before: &Environment,
        edge: &Edge,
        is_live: &dyn Fn(Register) -> bool,
    ) {
        // In the next round of a loop, the operand of a whole part may be another number.
        if at.facts.heads[edge.to.0 as usize] {
            self.0.clear();
            return;
        }
        let mut moved = Vec::new();
        for (to, from) in edge.moves.iter().filter(|(to, _)| is_live(*to)) {
            if let Type::Float(format) = at.function.registers[to.0 as usize]
                && let Some(whole) = self.at(at, before).whole(*from, format)
            {
                moved.push((*to, whole));
            }
        }
        self.0.retain(|(register, _)| {
            is_live(*register) && !edge.moves.iter().any(|(to, _)| to == register)
        });
        self.0.extend(moved);
    }

    fn join(a: Side<Self>, b: Side<Self>, _joined: &Environment) -> Self {
        let common = |whole: &&(Register, WholePart)| b.element.0.contains(whole);
        WholeParts(a.element.0.iter().filter(common).copied().collect())
    }

    fn widen(a: Side<Self>, b: Side<Self>, wide: &Environment) -> Self {
        WholeParts::join(a, b, wide)
    }

    fn includes(&self, other: Side<Self>) -> bool {
        self.0.iter().all(|whole| other.element.0.contains(whole))
    }

    fn sharpen(&self, at: &Text, known: Known, instruction: &Instruction, computed: &mut Computed) {
        if matches!(computed.value, AbstractValue::Float(_))
            && let Some(rest) = self.at(at, known.environment).rest(at.modes, &instruction.act)
        {
            restrict(&mut computed.value, &mut computed.raised, &rest);
        }
    }
}

impl<'a> Query<'a> {
    fn value(&self, operand: Operand) -> &AbstractValue {
        self.at.value(self.environment, operand)
    }

    fn definition(&self, operand: Operand) -> Option<&'a Act> {
        self.at.facts.definitions.act(self.at.function, operand.register()?)
    }

    /// The operand's value as a whole part of another's.
    fn whole(&self, operand: Operand, format: Format) -> Option<WholePart> {
        let moved = |known: &&(Register, WholePart)| Operand::Register(known.0) == operand;
        if let Some((_, whole)) = self.moved.iter().find(moved) {
            return Some(*whole);
        }
        let Act::Float { operation, parameters, mode, operands, .. } = self.definition(operand)?
        else {
            return None;
        };
        match operation {
            Operation::RoundToIntegral | Operation::RoundToIntegralExact => {
                let Mode::Fixed(rounding) = *mode else { return None };
                Some(WholePart { of: operands[0], rounding, negated: false })
            }
            Operation::FromSigned => self.cut(operands[0], parameters.width, format),
            // Any other operation gives no whole part.
            _ => None,
        }
    }

    /// An integer that a float in its range was truncated to, or the negation of one.
    fn cut(&self, operand: Operand, bits: u32, format: Format) -> Option<WholePart> {
        let zero = |operand| self.value(operand).integers(bits).single() == Some(0);
        match self.definition(operand)? {
            Act::Integer { operation: IntegerOperation::Sub, operands, .. }
                if zero(operands[0]) =>
            {
                let whole = self.cut(operands[1], bits, format)?;
                (!whole.negated).then_some(WholePart { negated: true, ..whole })
            }
            Act::Float { operation: Operation::ToSigned, parameters, operands, .. } => {
                let of = operands[0];
                let range = self.value(of).floats(format);
                let (lo, hi) = range.bounds()?;
                let limit = Grid::of(format).power(i64::from(bits) - 1);
                let exact = parameters.width == bits && bits <= format.precision;
                let fits = !range.nan && !limit < lo && hi < limit;
                if !exact || !fits || parameters.format != format {
                    return None;
                }
                // Of a whole number nothing is cut off.
                let cut = WholePart { of, rounding: Rounding::TowardZero, negated: false };
                Some(self.whole(of, format).unwrap_or(cut))
            }
            _ => None,
        }
    }

    /// The constant by which an operand exceeds `x`, before rounding.
    fn beyond(&self, operand: Operand, x: Operand, format: Format) -> Option<f64> {
        if operand == x {
            return Some(0.0);
        }
        let Act::Float { operation, operands, parameters, relaxed: false, .. } =
            self.definition(operand)?
        else {
            return None;
        };
        let other = match operation {
            Operation::Add if operands[0] == x => operands[1],
            Operation::Add if operands[1] == x => operands[0],
            Operation::Sub if operands[0] == x => operands[1],
            // Any other operation is no sum.
            _ => return None,
        };
        let (lo, hi) = self.value(other).floats(format).numbers().bounds()?;
        let exact = lo == hi && parameters.format == format;
        let number = Grid::of(format).to_double(lo, NEAREST);
        // Far more could take the sum of a large number to infinity.
        (exact && number.abs() <= MOST).then_some(match operation {
            Operation::Sub => -number,
            // Any other operation was an addition.
            _ => number,
        })
    }

    /// The finite results of an act that subtracts the whole part of a number from it.
    fn rest(&self, modes: Modes, act: &Act) -> Option<Floats> {
        let Act::Float { operation, parameters, operands, relaxed: false, .. } = act else {
            return None;
        };
        let format = parameters.format;
        let &[x, y] = &operands[..] else { return None };
        let known = matches!(format, Format::BINARY64 | Format::BINARY32);
        match operation {
            Operation::Sub if known => self.difference(modes, format, [x, y], false),
            Operation::Add if known => self
                .difference(modes, format, [x, y], true)
                .or_else(|| self.difference(modes, format, [y, x], true)),
            // Any other operation takes nothing away.
            _ => None,
        }
    }

    /// The finite differences of `x` and `y`, if that is a whole part of it (or, where
    /// `negated`, the finite sums with the negation of one).
    fn difference(
        &self,
        modes: Modes,
        format: Format,
        [x, y]: [Operand; 2],
        negated: bool,
    ) -> Option<Floats> {
        let whole = self.whole(y, format).filter(|whole| whole.negated == negated)?;
        let more = self.beyond(whole.of, x, format)?;
        let cut = self.value(whole.of).floats(format).numbers();
        let (least, most) = match whole.rounding {
            Rounding::Downward => (0.0, 1.0),
            Rounding::Upward => (-1.0, 0.0),
            Rounding::TowardZero if cut.negative.is_empty() => (0.0, 1.0),
            Rounding::TowardZero if cut.positive.is_empty() => (-1.0, 0.0),
            Rounding::TowardZero => (-1.0, 1.0),
            Rounding::NearestEven | Rounding::NearestAway => (-0.5, 0.5),
        };
        // The sum is off by half a unit at most, and not by more than by leaving `x` as it is.
        let off = match (more == 0.0, modes) {
            (true, _) => 0.0,
            (false, Modes::NEAREST) => more.abs().min(self.half_unit(format, x, more)),
            (false, _) => return None,
        };
        let outward = |bound: f64, rounding| Grid::of(format).of_double(bound, rounding);
        let lo = outward((least - more - off).next_down(), Rounding::Downward);
        let hi = outward((most - more + off).next_up(), Rounding::Upward);
        Some(Floats::between(format, lo, hi).with_both_zeros())
    }

    /// Half a unit of the greatest sum of `x` and a number; infinity where that is not known.
    fn half_unit(&self, format: Format, x: Operand, more: f64) -> f64 {
        let Some((lo, hi)) = self.value(x).floats(format).finite_part().bounds() else {
            return f64::INFINITY;
        };
        let magnitude = |at: i128| if at < 0 { !at } else { at };
        let size = magnitude(lo).max(magnitude(hi));
        let size = Grid::of(format).to_double(size, NEAREST);
        let digits = i32::try_from(format.precision).unwrap_or(0);
        (size + more.abs()) * 2f64.powi(1 - digits)
    }
}

const NEAREST: Rounding = Rounding::NearestEven;

/// The most that may be added to a number before its whole part is taken.
const MOST: f64 = 1e6;

/// Meets the result of an act with a bound of its finite part.
fn restrict(value: &mut AbstractValue, raised: &mut Exceptions, rest: &Floats) {
    if let AbstractValue::Float(floats) = value {
        let given = floats.get();
        *floats = Floats { nan: given.nan, ..given.meet(rest) }.into();
        if given.has_infinity() {
            raised.remove(Exception::Overflow);
        }
    }
}
