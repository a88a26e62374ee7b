//! C's functions of complex numbers: they only compute. Of the square root its range is known, of the
//! others nothing.

use crate::domain::state::State;
use crate::exceptions::{Exceptions, FloatTransfer};
use crate::fixpoint::interpreter::{Flow, Interpreter};
use crate::libm;
use crate::value::{AbstractValue, parts_of};
use nanoscope_program::ir::{Instruction, Type};
use nanoscope_sets::operation::sqrt;
use nanoscope_sets::{Floats, Modes, Span};

/// The functions of `<complex.h>` by their names in double precision.
const FUNCTIONS: &[&str] = &[
    "csqrt", "cexp", "clog", "cpow", "csin", "ccos", "ctan", "casin", "cacos", "catan", "csinh",
    "ccosh", "ctanh", "casinh", "cacosh", "catanh", "cproj", "conj", "creal", "cimag", "cabs",
    "carg",
];

/// How many numbers a part of a root may lie beside the exact one.
const SLACK: i128 = 8;

/// The name in double precision of a function of complex numbers.
fn base(name: &str) -> Option<&'static str> {
    let named = |name: &str| FUNCTIONS.iter().copied().find(|function| *function == name);
    named(name).or_else(|| named(name.strip_suffix(['f', 'l'])?))
}

/// Whether a name is that of a function of complex numbers.
pub fn is_function(name: &str) -> bool {
    base(name).is_some()
}

impl<'c> Interpreter<'c> {
    /// A function of complex numbers; `None` for other functions.
    pub fn complex(
        &mut self,
        state: &mut State,
        instruction: &'c Instruction,
        name: &str,
        values: &[AbstractValue],
        types: &[Type],
        result: &'c Type,
    ) -> Option<Flow> {
        let base = base(name)?;
        let mut given: Vec<Floats> = Vec::new();
        for (value, ty) in values.iter().zip(types) {
            match (ty, parts_of(ty)) {
                (Type::Float(format), _) => given.push(value.floats(*format)),
                (_, Some(parts)) => {
                    for (at, (_, ty)) in parts.iter().enumerate() {
                        let Type::Float(format) = ty else { return None };
                        given.push(value.part(at).floats(*format));
                    }
                }
                (_, None) => return None,
            }
        }
        let root = match (base, &given[..]) {
            ("csqrt", [re, im]) => square_root(self.modes, re, im),
            (_, _) => None,
        };
        let value = match (root, parts_of(result)) {
            (Some(root), Some(parts)) if parts.len() == 2 => {
                AbstractValue::Parts(root.map(AbstractValue::float).into())
            }
            (_, _) => AbstractValue::top(result),
        };
        self.record.libm = true;
        self.site(instruction, &[], None, Exceptions::ALL);
        self.assign(state, instruction, value);
        Some(Flow::On)
    }
}

/// The parts of the principal root: of `z = x + iy` they are the roots of `(|z| + x)/2`, which is at
/// least `x`, and of `(|z| - x)/2` with the sign of `y`.
fn square_root(modes: Modes, x: &Floats, y: &Floats) -> Option<[Floats; 2]> {
    let format = x.format;
    let root = |x: &Floats| FloatTransfer::from(sqrt::direct(modes, x)).result;
    let is_number = !x.nan && !y.nan;
    let is_positive = x.negative.is_empty() && is_number;
    let zero = Floats::zero(format).with_both_zeros();
    if is_positive && y.positive.is_empty() && y.negative.is_empty() {
        return Some([root(x).magnitudes(), zero]);
    }
    let magnitude = libm::apply(modes, "hypot", format, &[*x, *y])?.result;
    let (_, most) = root(&magnitude).bounds()?;
    let most = most.saturating_add(SLACK).min(x.grid().infinity());
    let least = match root(x).bounds() {
        Some((least, _)) if is_positive => least.saturating_sub(SLACK).max(0),
        Some(_) | None => 0,
    };
    let mut re = Floats::between(format, least, most);
    if least == 0 {
        re = re.join(&zero);
    }
    let mut im = Floats::between(format, !most, most).join(&zero);
    if y.negative.is_empty() && !y.minus_zero {
        im.negative = Span::EMPTY;
    }
    if y.positive.is_empty() && !y.plus_zero {
        im.positive = Span::EMPTY;
    }
    (re.nan, im.nan) = (!is_number, !is_number);
    Some([re, im])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Dice;
    use nanoscope_ieee::{Float, Format};

    /// Against the formula in double precision, for numbers of single precision.
    #[test]
    fn roots_of_complex_numbers_are_inside() {
        let mut dice = Dice::new(23);
        let format = Format::BINARY32;
        let mut checked = 0;
        while checked < 20_000 {
            let [x, y] = [0, 1].map(|_| {
                let bits = dice.roll(1 << 32) as u32;
                match dice.roll(8) {
                    0 => 0.0,
                    1 => -0.0,
                    2 => f32::from_bits(0x3f80_0000 | bits & 0x8000_00ff),
                    _ => f32::from_bits(bits),
                }
            });
            if x.is_nan() || y.is_nan() || x.is_infinite() || y.is_infinite() {
                continue;
            }
            checked += 1;
            let (wide_x, wide_y) = (f64::from(x), f64::from(y));
            let larger = ((wide_x.hypot(wide_y) + wide_x.abs()) / 2.0).sqrt();
            let other = if larger == 0.0 { 0.0 } else { wide_y.abs() / 2.0 / larger };
            let (re, im) = if x < 0.0 { (other, larger) } else { (larger, other) };
            let [re, im] = [re, im.copysign(wide_y)].map(|part| part as f32);
            let only = |x: f32| Floats::of(&Float::from_bits(format, x.to_bits().into()));
            let around = |x: f32, dice: &mut Dice| {
                only(x).join(&match dice.roll(3) {
                    0 => only(x * 2.0),
                    1 => only(-x),
                    _ => only(x),
                })
            };
            let (x, y) = (around(x, &mut dice), around(y, &mut dice));
            let parts = square_root(Modes::NEAREST, &x, &y).expect("of numbers");
            for (part, set) in [re, im].iter().zip(&parts) {
                let is_inside = !only(*part).meet(set).is_empty();
                assert!(is_inside, "{part:e} in {set} of {x}, {y}");
            }
        }
    }
}
