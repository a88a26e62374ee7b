//! The domain of blends: `a + t*(b - a)` and `t*a + (1 - t)*b` with `t` between 0 and 1 lie between
//! `a` and `b`, as in interpolation and exponential smoothing. Intervals lose that `t` occurs twice.

use crate::domain::linear_form::{Bounds, finite, floats_within, greatest};
use crate::domain::point::{Domain, Known, Text};
use crate::domain::values::{Computed, modes_of};
use crate::value::AbstractValue;
use nanoscope_ieee::{Format, Operation, Rounding};
use nanoscope_program::Exception;
use nanoscope_program::ir::{Act, Instruction, Mode, Operand};
use nanoscope_sets::{Grid, Modes};

/// The domain of blends; it has no elements of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blends;

impl Domain for Blends {
    fn sharpen(&self, at: &Text, known: Known, instruction: &Instruction, computed: &mut Computed) {
        let Act::Float { operation, parameters, operands, mode, relaxed: false } = &instruction.act
        else {
            return;
        };
        let AbstractValue::Float(floats) = &computed.value else { return };
        let floats = floats.get();
        let blends = Definitions { at, known };
        let found = match (operation, &operands[..]) {
            (Operation::Add, &[a, b]) => blends.of_sum(a, b).or_else(|| blends.of_sum(b, a)),
            (Operation::Fma, &[a, b, c]) => {
                blends.of_step(c, a, b).or_else(|| blends.of_step(c, b, a))
            }
            // Any other operation is no sum.
            (_, _) => None,
        };
        if let Some(blend) = found
            && let Some(bounds) = blend.bounds(parameters.format, at.modes, *mode)
        {
            let left = floats.meet(&floats_within(floats.format, bounds));
            if !left.is_empty() {
                // Of finite operands, and finite itself.
                computed.raised.remove(Exception::Invalid);
                computed.raised.remove(Exception::Overflow);
                computed.value = AbstractValue::float(left);
            }
        }
    }
}

/// `a` and `b`, and how much of `b`: `a + t*(b - a)`.
struct Blend {
    a: Bounds,
    b: Bounds,
    t: Bounds,
}

impl Blend {
    /// The exact sum of the rounded operands; `None` if something may overflow.
    fn bounds(&self, format: Format, modes: Modes, mode: Mode) -> Option<Bounds> {
        let part = |t: f64| {
            let rest = Bounds::only(1.0).plus(Bounds::only(-t));
            self.a.times(rest).plus(self.b.times(Bounds::only(t)))
        };
        let unit = match modes_of(modes, mode) {
            Modes::NEAREST => 2f64.powi(-(format.precision as i32)),
            _ => 2f64.powi(1 - format.precision as i32),
        };
        // Three roundings before the sum: each is at most a unit of `|a| + |b|`, or tiny.
        let size = Bounds::only(self.a.size()).plus(Bounds::only(self.b.size()));
        let tiny = Bounds::only(4.0 * Grid::of(format).to_double(1, Rounding::Upward));
        let error = size.times(Bounds::only(4.0 * unit)).plus(tiny);
        let within = part(self.t.lo).join(part(self.t.hi));
        let bounds = within.plus(Bounds::new(-error.hi, error.hi));
        let limit = greatest(format)? / 2.0;
        (size.is_within(limit) && bounds.is_finite()).then_some(bounds)
    }
}

/// What operands are defined by.
struct Definitions<'a> {
    at: &'a Text<'a>,
    known: Known<'a>,
}

impl Definitions<'_> {
    fn of_sum(&self, a: Operand, b: Operand) -> Option<Blend> {
        let [t, s] = self.operation(b, Operation::Mul)?;
        self.of_step(a, t, s)
            .or_else(|| self.of_step(a, s, t))
            .or_else(|| self.of_parts(self.operation(a, Operation::Mul)?, [t, s]))
    }

    /// `a + t*(b - a)`.
    fn of_step(&self, a: Operand, t: Operand, step: Operand) -> Option<Blend> {
        let [b, base] = self.operation(step, Operation::Sub)?;
        self.is_same(a, base).then_some(())?;
        Some(Blend { a: self.range(a)?, b: self.range(b)?, t: self.share(t)? })
    }

    /// `t*b + (1 - t)*a`.
    fn of_parts(&self, first: [Operand; 2], second: [Operand; 2]) -> Option<Blend> {
        let [x, y] = first;
        let [u, v] = second;
        for (t, b) in [(x, y), (y, x)] {
            for (rest, a) in [(u, v), (v, u)] {
                if let Some([one, taken]) = self.operation(rest, Operation::Sub)
                    && self.range(one) == Some(Bounds::only(1.0))
                    && self.is_same(taken, t)
                {
                    return Some(Blend { a: self.range(a)?, b: self.range(b)?, t: self.share(t)? });
                }
            }
        }
        None
    }

    /// A range between 0 and 1.
    fn share(&self, operand: Operand) -> Option<Bounds> {
        self.range(operand).filter(|range| Bounds::new(0.0, 1.0).includes(*range))
    }

    fn range(&self, operand: Operand) -> Option<Bounds> {
        finite(self.at.value(self.known.environment, operand))
    }

    fn is_same(&self, a: Operand, b: Operand) -> bool {
        match (a, b) {
            (Operand::Register(x), Operand::Register(y)) => {
                let numbers = &self.at.facts.numbers;
                x == y || (self.at.has_equal_numbers() && numbers.number(x) == numbers.number(y))
            }
            (_, _) => a == b,
        }
    }

    fn operation(&self, operand: Operand, wanted: Operation) -> Option<[Operand; 2]> {
        let definitions = &self.at.facts.definitions;
        match definitions.act(self.at.function, operand.register()?)? {
            Act::Float { operation, operands, relaxed: false, .. } if *operation == wanted => {
                <[Operand; 2]>::try_from(&operands[..]).ok()
            }
            // Any other act is another definition.
            _ => None,
        }
    }
}
