//! How far an execution of an operation was from raising an exception.
//!
//! Distances are counted in steps between neighbouring numbers, so that a search
//! that takes steps of one number, two, four, … goes downhill. 0 is a hit: the
//! exception was created there, not passed on from an operand that was already
//! NaN or infinite. [`FAR`] says that the execution tells nothing.

use crate::actions;
use crate::code::libm::{Domain, Function, RangeError};
use crate::goal::exception::Exception;
use crate::goal::integer::{Arithmetic, IntegerArithmetic};
use crate::goal::site::Action;
use nanoscope_ieee::{Format, domains};

/// Farther than any execution that tells something.
pub const FAR: u64 = u64::MAX;

/// The landmarks of a format, as magnitudes: encodings without their sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landmarks {
    format: Format,
    sign: u128,
    pub infinity: u128,
    pub smallest_normal: u128,
}

impl Landmarks {
    pub fn of(format: Format) -> Landmarks {
        let stored = format.width() - 1 - format.exponent_bits;
        let integer = if format.explicit_integer_bit { 1u128 << (stored - 1) } else { 0 };
        Landmarks {
            format,
            sign: 1 << (format.width() - 1),
            infinity: (((1u128 << format.exponent_bits) - 1) << stored) | integer,
            smallest_normal: (1u128 << stored) | integer,
        }
    }

    /// The magnitude of 2^n, infinity where that is out of range.
    pub fn power(self, n: u32) -> u128 {
        let stored = self.format.width() - 1 - self.format.exponent_bits;
        let bias = (1u128 << (self.format.exponent_bits - 1)) - 1;
        let integer = if self.format.explicit_integer_bit { 1u128 << (stored - 1) } else { 0 };
        if u128::from(n) > bias {
            self.infinity
        } else {
            ((bias + u128::from(n)) << stored) | integer
        }
    }

    /// The largest finite magnitude.
    pub fn largest(self) -> u128 {
        // Below an explicit integer bit that is clear, the largest has it set.
        if self.format.explicit_integer_bit {
            let stored = self.format.width() - 1 - self.format.exponent_bits;
            (((1u128 << self.format.exponent_bits) - 2) << stored) | ((1 << stored) - 1)
        } else {
            self.infinity - 1
        }
    }

    fn magnitude(self, value: u128) -> u128 {
        value & (self.sign - 1)
    }

    fn negative(self, value: u128) -> bool {
        value & self.sign != 0
    }

    fn is_nan(self, value: u128) -> bool {
        self.magnitude(value) > self.infinity
    }

    /// Whether a value is neither NaN nor infinite.
    pub fn is_finite(self, value: u128) -> bool {
        self.magnitude(value) < self.infinity
    }

    /// Whether a comparison of the two finds no order.
    pub fn is_unordered(self, a: u128, b: u128) -> bool {
        self.is_nan(a) || self.is_nan(b)
    }

    /// Where a number stands among all numbers, both zeros at 0.
    pub fn ordinal(self, value: u128) -> i128 {
        let magnitude = self.magnitude(value) as i128;
        if self.negative(value) { -magnitude } else { magnitude }
    }

    /// How far apart the counted distances of wide formats are squeezed.
    pub fn squeeze(self) -> u32 {
        self.format.width().saturating_sub(64)
    }

    /// A distance as the search has it.
    fn steps(self, distance: u128) -> u64 {
        let squeezed = (distance >> self.squeeze()).min(u128::from(FAR - 1)) as u64;
        if distance > 0 { squeezed.max(1) } else { 0 }
    }
}

/// How far an execution of `action` in `format` with these operands and this result
/// was from raising `exception`. For a conversion to an integer, `format` is the
/// operand's and the result is not looked at.
pub fn distance(
    action: Action,
    format: Format,
    exception: Exception,
    operands: &[u128],
    result: u128,
) -> u64 {
    let marks = Landmarks::of(format);
    let hit = |yes: bool, otherwise: u128| if yes { 0 } else { marks.steps(otherwise.max(1)) };
    let operand_marks = match action {
        Action::Narrow { from } => Landmarks::of(from),
        _ => marks,
    };
    let finite = operands.iter().all(|&x| operand_marks.is_finite(x));
    let magnitude = |x: u128| operand_marks.magnitude(x);
    match exception {
        Exception::Overflow => {
            let pole = match action {
                Action::Div => magnitude(operands[1]) == 0,
                Action::Libm(function) => pole(function, marks, operands),
                Action::Mul
                | Action::Fma
                | Action::Narrow { .. }
                | actions!(Sum, Rest, ToIntegers) => false,
            };
            if !finite || pole || marks.is_nan(result) {
                return FAR;
            }
            marks.steps(marks.infinity - marks.magnitude(result))
        }
        Exception::Underflow => {
            if !finite || marks.is_nan(result) {
                return FAR;
            }
            let size = marks.magnitude(result);
            if size == 0 {
                let lost = match action {
                    Action::Mul => operands.iter().all(|&x| magnitude(x) != 0),
                    Action::Div | Action::Narrow { .. } => magnitude(operands[0]) != 0,
                    Action::Fma => {
                        magnitude(operands[0]) != 0
                            && magnitude(operands[1]) != 0
                            && magnitude(operands[2]) == 0
                    }
                    Action::Libm(function) => {
                        function.has(RangeError::Vanishing)
                            && operands.iter().all(|&x| magnitude(x) != 0)
                    }
                    actions!(Sum, Rest, ToIntegers) => false,
                };
                return if lost { 0 } else { FAR };
            }
            hit(size < marks.smallest_normal, (size + 1).saturating_sub(marks.smallest_normal))
        }
        Exception::DivideByZero => match action {
            Action::Libm(function) => {
                if finite && pole(function, marks, operands) {
                    0
                } else {
                    marks.steps(pole_distance(function, marks, operands).max(1))
                }
            }
            _ => {
                if !finite {
                    return FAR;
                }
                let zero_dividend = magnitude(operands[0]) == 0;
                let divisor = magnitude(operands[1]);
                hit(divisor == 0 && !zero_dividend, divisor + u128::from(zero_dividend))
            }
        },
        Exception::Invalid => {
            if operands.iter().any(|&x| marks.is_nan(x)) {
                return FAR;
            }
            if marks.is_nan(result) {
                return 0;
            }
            marks.steps(invalid_distance(action, marks, operands).max(1))
        }
        Exception::ConversionOutOfRange => match action {
            Action::ToInteger { bits, signed } => {
                marks.steps(conversion_distance(marks, bits, signed, operands[0]))
            }
            _ => FAR,
        },
        Exception::IntegerOverflow => match action {
            Action::Integer(arithmetic) => arithmetic.distance(operands),
            _ => FAR,
        },
    }
}

/// How far operands that are not NaN, with a result that is not, are from an invalid operation.
fn invalid_distance(action: Action, marks: Landmarks, operands: &[u128]) -> u128 {
    let magnitude = |i: usize| marks.magnitude(operands[i]);
    match action {
        // Infinities of opposite effect.
        Action::Add | Action::Sub => {
            let opposite = (marks.negative(operands[0]) != marks.negative(operands[1]))
                == matches!(action, Action::Add);
            marks.infinity - magnitude(0).min(magnitude(1)) + u128::from(!opposite)
        }
        // Zero times infinity.
        Action::Mul | Action::Fma => marks.infinity - magnitude(0).abs_diff(magnitude(1)),
        // Zero by zero, or infinity by infinity.
        Action::Div => {
            let sum = magnitude(0) + magnitude(1);
            sum.min(2 * marks.infinity - sum)
        }
        Action::Rem => magnitude(1).min(marks.infinity - magnitude(0)),
        Action::Sqrt => magnitude(0) + 1,
        Action::Narrow { .. } | Action::ToInteger { .. } | Action::Integer(_) => u128::MAX,
        Action::Libm(function) => domain_distance(function, marks, operands),
    }
}

/// How far arguments inside a function's domain are from its outside.
fn domain_distance(function: &Function, marks: Landmarks, operands: &[u128]) -> u128 {
    let one = marks.power(0) as i128;
    let x = marks.ordinal(operands[0]);
    match function.domain {
        Domain::All | Domain::NonZero | Domain::LogGamma => u128::MAX,
        Domain::Finite => marks.infinity - marks.magnitude(operands[0]),
        Domain::Positive => (x + 1).max(1) as u128,
        Domain::AboveMinusOne => (x + one + 1).max(1) as u128,
        Domain::UnitClosed | Domain::UnitOpen => (one + 1 - x.abs()).max(1) as u128,
        Domain::AtLeastOne => (x - one + 1).max(1) as u128,
        Domain::Gamma => (x + one).max(1) as u128,
        Domain::Power => {
            // A negative base and an exponent with a fraction: near 0.5 is far from any integer.
            let fraction = (marks.ordinal(operands[1]) - marks.power(0) as i128 / 2).unsigned_abs();
            (x + 1).max(0) as u128 + if x < 0 { fraction.max(1) } else { 1 }
        }
        Domain::Modulus => {
            marks.magnitude(operands[1]).min(marks.infinity - marks.magnitude(operands[0]))
        }
    }
}

/// Whether finite arguments stand at a pole of the function.
fn pole(function: &Function, marks: Landmarks, operands: &[u128]) -> bool {
    match function.domain {
        Domain::Power => pole_distance(function, marks, operands) == 0,
        // Which integers a number is needs no care here: at a pole the function itself says so.
        Domain::LogGamma => marks.ordinal(operands[0]) <= 0 && is_integer(marks, operands[0]),
        domains!(WithoutPole) => false,
        domains!(AtZero, AtOne) => pole_distance(function, marks, operands) == 0,
    }
}

/// How far arguments are from a pole of the function.
fn pole_distance(function: &Function, marks: Landmarks, operands: &[u128]) -> u128 {
    let one = marks.power(0) as i128;
    let x = marks.ordinal(operands[0]);
    match function.domain {
        domains!(AtZero) => x.unsigned_abs(),
        Domain::LogGamma => {
            if x <= 0 && is_integer(marks, operands[0]) {
                0
            } else {
                x.max(1) as u128
            }
        }
        Domain::AboveMinusOne => (x + one).unsigned_abs(),
        Domain::UnitOpen => x.abs().abs_diff(one),
        Domain::Power => {
            let exponent = marks.ordinal(operands[1]);
            x.unsigned_abs() + (exponent + 1).max(0) as u128
        }
        domains!(WithoutPole) => u128::MAX,
    }
}

/// Whether a finite number has no fraction.
fn is_integer(marks: Landmarks, value: u128) -> bool {
    let format = marks.format;
    let stored = format.width() - 1 - format.exponent_bits;
    let fraction_bits = format.precision - 1;
    let magnitude = marks.magnitude(value);
    let exponent = (magnitude >> stored) as i64 - ((1i64 << (format.exponent_bits - 1)) - 1);
    if magnitude == 0 || exponent >= i64::from(fraction_bits) {
        return true;
    }
    exponent >= 0 && magnitude & ((1u128 << (i64::from(fraction_bits) - exponent)) - 1) == 0
}

/// How far a value is from not fitting an integer type after truncation; 0: it does not fit.
fn conversion_distance(marks: Landmarks, bits: u32, signed: bool, value: u128) -> u128 {
    if !marks.is_finite(value) {
        return 0;
    }
    let size = marks.magnitude(value);
    let limit = marks.power(if signed { bits - 1 } else { bits });
    if !marks.negative(value) {
        // A value below the upper limit may as well go down past the lower one.
        return limit.saturating_sub(size);
    }
    if signed {
        // Truncation takes (-2^(n-1) - 1, …) into range: only whole numbers below -2^(n-1) are out.
        let fits = size <= limit || truncates_to(marks, size, limit);
        if fits { (limit + 1).saturating_sub(size).max(1) } else { 0 }
    } else {
        marks.power(0).saturating_sub(size)
    }
}

/// Whether a magnitude above a power of two truncates to that power.
fn truncates_to(marks: Landmarks, size: u128, power: u128) -> bool {
    let format = marks.format;
    let stored = format.width() - 1 - format.exponent_bits;
    let exponent = (power >> stored) as i64 - ((1i64 << (format.exponent_bits - 1)) - 1);
    let fraction_bits = i64::from(format.precision - 1) - exponent;
    fraction_bits > 0 && size - power < 1u128 << fraction_bits
}

impl IntegerArithmetic {
    /// How far an execution was from a result that does not fit; 0: it does not.
    pub fn distance(self, operands: &[u128]) -> u64 {
        let (least, greatest) = self.limits();
        match self.exact(operands) {
            Some(exact) if exact >= least && exact <= greatest => {
                // Without a sign, zero is an end of the range for differences alone: no sum
                // and no product goes below.
                let down = match (self.operation, self.signed) {
                    (Arithmetic::Add | Arithmetic::Mul, false) => i128::MAX,
                    (Arithmetic::Add | Arithmetic::Mul, true)
                    | (Arithmetic::Sub | Arithmetic::Narrow { .. }, _) => exact - least,
                };
                let up = match (self.operation, self.signed) {
                    (Arithmetic::Sub, false) => i128::MAX,
                    (Arithmetic::Sub, true)
                    | (Arithmetic::Add | Arithmetic::Mul | Arithmetic::Narrow { .. }, _) => {
                        greatest - exact
                    }
                };
                (down.min(up) + 1).min(i128::from(FAR - 1)) as u64
            }
            Some(_) | None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let check = |operation, bits, signed, operands: &[i128], expected| {
            let arithmetic = IntegerArithmetic { operation, bits, signed };
            let encoded: Vec<u128> =
                operands.iter().map(|&x| x as u128 & (u128::MAX >> (128 - bits))).collect();
            assert_eq!(arithmetic.distance(&encoded), expected, "{arithmetic:?} {operands:?}");
        };
        use Arithmetic::*;
        let top = i128::from(i32::MAX);
        check(Add, 32, true, &[top, 0], 1);
        check(Add, 32, true, &[top, 1], 0);
        check(Add, 32, true, &[-top, -1], 1);
        check(Add, 32, true, &[-top, -2], 0);
        check(Sub, 32, true, &[0, -top - 1], 0);
        check(Sub, 32, true, &[0, -top], 1);
        check(Mul, 32, true, &[1 << 16, 1 << 15], 0);
        check(Mul, 32, true, &[1 << 16, -(1 << 15)], 1);
        check(Mul, 64, true, &[i128::from(i64::MIN), -1], 0);
        check(Mul, 64, false, &[i128::from(u64::MAX), i128::from(u64::MAX)], 0);
        check(Add, 64, false, &[i128::from(u64::MAX), 0], 1);
        check(Add, 64, false, &[i128::from(u64::MAX), 1], 0);
        check(Sub, 32, false, &[5, 5], 1);
        check(Sub, 32, false, &[5, 6], 0);
        check(Sub, 32, false, &[9, 5], 5);
        check(Narrow { to: 32 }, 64, true, &[1 << 32], 0);
        check(Narrow { to: 32 }, 64, true, &[(1 << 32) - 1], 1);
        check(Narrow { to: 32 }, 64, true, &[-top - 1], 1);
        check(Narrow { to: 32 }, 64, true, &[-top - 2], 0);
    }
}
