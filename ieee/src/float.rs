//! A value with its format, for everybody who just wants numbers.

use crate::{
    Circuit, Concrete, ConcreteDatum, Datum, Domain, Flags, Format, MismatchedOperands, Operation,
    OutOfRange, Parameters, Rounding, Word, apply, hardware,
};
use std::cmp::Ordering;
use std::fmt;

/// A floating-point datum: an encoding in a format of up to any width.
///
/// `==` compares encodings, so that a value can be a key: `-0` differs from
/// `+0` and a NaN equals itself. The comparisons of IEEE 754 are
/// [`partial_order`](Float::partial_order) and the operations.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Float {
    format: Format,
    bits: Word,
}

/// Applies an operation to known operands: value and flags.
pub fn evaluate(
    operation: Operation,
    parameters: &Parameters,
    operands: &[ConcreteDatum],
) -> Result<(ConcreteDatum, Flags), MismatchedOperands> {
    apply(&mut Circuit::new(Concrete), operation, parameters, operands)
}

/// Applies an operation to known operands when nobody asks for the flags: on
/// the hardware where that gives the same, else in software.
pub fn evaluate_value(
    operation: Operation,
    parameters: &Parameters,
    operands: &[ConcreteDatum],
) -> Result<ConcreteDatum, MismatchedOperands> {
    match hardware::evaluate(operation, parameters, operands) {
        Some(result) => Ok(result),
        None => Ok(evaluate(operation, parameters, operands)?.0),
    }
}

impl From<Rounding> for Word {
    /// The three bits that stand for a rounding mode.
    fn from(rounding: Rounding) -> Word {
        Word::new(3, rounding as u128)
    }
}

impl Float {
    /// The datum with this encoding, which must be as wide as the format's.
    pub fn from_word(format: Format, bits: Word) -> Float {
        assert_eq!(bits.width(), format.width(), "an encoding of {format}");
        Float { format, bits }
    }

    /// The datum with this encoding, in a format of at most 128 bits.
    pub fn from_bits(format: Format, bits: u128) -> Float {
        Float::from_word(format, Word::new(format.width(), bits))
    }

    /// A zero.
    pub fn zero(format: Format, negative: bool) -> Float {
        Float::of_magnitude(format, negative, |_| false)
    }

    /// An infinity.
    pub fn infinity(format: Format, negative: bool) -> Float {
        Float::of_magnitude(format, negative, |i| i >= format.fraction_bits())
    }

    /// The canonical quiet NaN.
    pub fn nan(format: Format) -> Float {
        Float::of_magnitude(format, false, |i| i + 1 >= format.fraction_bits())
    }

    /// The finite number farthest from zero.
    pub fn largest(format: Format, negative: bool) -> Float {
        Float::of_magnitude(format, negative, |i| i != format.fraction_bits())
    }

    /// The normal number closest to zero.
    pub fn smallest_normal(format: Format, negative: bool) -> Float {
        Float::of_magnitude(format, negative, |i| i == format.fraction_bits())
    }

    /// The number closest to zero.
    pub fn smallest(format: Format, negative: bool) -> Float {
        Float::of_magnitude(format, negative, |i| i == 0)
    }

    /// One.
    pub fn one(format: Format, negative: bool) -> Float {
        let top = format.exponent_bits + format.fraction_bits() - 1;
        Float::of_magnitude(format, negative, |i| i >= format.fraction_bits() && i < top)
    }

    /// The datum whose magnitude has these bits, the integer bit implicit.
    fn of_magnitude(format: Format, negative: bool, bit: impl Fn(u32) -> bool) -> Float {
        let width = format.implicit().width();
        let bits: Vec<_> =
            (0..width).map(|i| if i == width - 1 { negative } else { bit(i) }).collect();
        Float::from_implicit(format, &Word::from_bits(&bits))
    }

    /// The datum whose encoding with an implicit integer bit is this one.
    pub(crate) fn from_implicit(format: Format, bits: &Word) -> Float {
        Float::from_word(format, Circuit::new(Concrete).encode(format, bits))
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Its encoding.
    pub fn word(&self) -> &Word {
        &self.bits
    }

    /// Its encoding, if the format has at most 128 bits.
    pub fn to_bits(&self) -> Option<u128> {
        self.bits.to_u128()
    }

    /// As a `f64`, rounded to the nearest.
    pub fn to_f64(&self) -> f64 {
        let (value, _) = self.convert(Format::BINARY64, Rounding::NearestEven);
        f64::from_bits(value.bits.low_u64())
    }

    /// As a `f32`, rounded to the nearest.
    pub fn to_f32(&self) -> f32 {
        let (value, _) = self.convert(Format::BINARY32, Rounding::NearestEven);
        f32::from_bits(value.bits.low_u64() as u32)
    }

    /// IEEE 754's order: none with a NaN; the zeros are equal.
    pub fn partial_order(&self, other: &Float) -> Option<Ordering> {
        if self.equal(other).0 {
            Some(Ordering::Equal)
        } else if self.less(other).0 {
            Some(Ordering::Less)
        } else if self.greater(other).0 {
            Some(Ordering::Greater)
        } else {
            None
        }
    }

    /// In another format.
    pub fn convert(&self, target: Format, rounding: Rounding) -> (Float, Flags) {
        let (bits, flags) =
            Circuit::new(Concrete).convert(self.format, target, &rounding.into(), &self.bits);
        (Float::from_word(target, bits), flags)
    }

    /// From a two's complement integer.
    pub fn from_signed(format: Format, rounding: Rounding, integer: &Word) -> (Float, Flags) {
        let (bits, flags) =
            Circuit::new(Concrete).from_signed(format, integer.width(), &rounding.into(), integer);
        (Float::from_word(format, bits), flags)
    }

    /// From an unsigned integer.
    pub fn from_unsigned(format: Format, rounding: Rounding, integer: &Word) -> (Float, Flags) {
        let (bits, flags) = Circuit::new(Concrete).from_unsigned(
            format,
            integer.width(),
            &rounding.into(),
            integer,
        );
        (Float::from_word(format, bits), flags)
    }

    /// To a two's complement integer of `width` bits. Raises invalid if the
    /// integer cannot hold it.
    pub fn to_signed(
        &self,
        width: u32,
        rounding: Rounding,
        out_of_range: OutOfRange,
    ) -> (Word, Flags) {
        let mut circuit = Circuit::new(Concrete);
        circuit.to_signed(self.format, width, out_of_range, &rounding.into(), &self.bits)
    }

    /// To an unsigned integer of `width` bits. Raises invalid if the integer
    /// cannot hold it.
    pub fn to_unsigned(
        &self,
        width: u32,
        rounding: Rounding,
        out_of_range: OutOfRange,
    ) -> (Word, Flags) {
        let mut circuit = Circuit::new(Concrete);
        circuit.to_unsigned(self.format, width, out_of_range, &rounding.into(), &self.bits)
    }
}

impl From<f32> for Float {
    fn from(value: f32) -> Float {
        Float::from_bits(Format::BINARY32, value.to_bits() as u128)
    }
}

impl From<f64> for Float {
    fn from(value: f64) -> Float {
        Float::from_bits(Format::BINARY64, value.to_bits() as u128)
    }
}

impl From<Float> for ConcreteDatum {
    fn from(value: Float) -> ConcreteDatum {
        Datum::Float(value.bits)
    }
}

impl fmt::Debug for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} ({} 0x{})", self.format, self.bits.to_hex())
    }
}

/// A method of [`Float`] for every operation on one format.
macro_rules! methods {
    ($($(#[$documentation:meta])* $kind:ident $method:ident;)*) => {
        impl Float {
            $( methods!(@ $kind $method $(#[$documentation])*); )*
        }
    };
    (@ rounded_binary $method:ident $(#[$documentation:meta])*) => {
        $(#[$documentation])*
        pub fn $method(&self, other: &Float, rounding: Rounding) -> (Float, Flags) {
            self.same_format(other);
            let mut circuit = Circuit::new(Concrete);
            let (bits, flags) =
                circuit.$method(self.format, &rounding.into(), &self.bits, &other.bits);
            (Float::from_word(self.format, bits), flags)
        }
    };
    (@ rounded_unary $method:ident $(#[$documentation:meta])*) => {
        $(#[$documentation])*
        pub fn $method(&self, rounding: Rounding) -> (Float, Flags) {
            let mut circuit = Circuit::new(Concrete);
            let (bits, flags) = circuit.$method(self.format, &rounding.into(), &self.bits);
            (Float::from_word(self.format, bits), flags)
        }
    };
    (@ binary $method:ident $(#[$documentation:meta])*) => {
        $(#[$documentation])*
        pub fn $method(&self, other: &Float) -> (Float, Flags) {
            self.same_format(other);
            let mut circuit = Circuit::new(Concrete);
            let (bits, flags) = circuit.$method(self.format, &self.bits, &other.bits);
            (Float::from_word(self.format, bits), flags)
        }
    };
    (@ unary $method:ident $(#[$documentation:meta])*) => {
        $(#[$documentation])*
        pub fn $method(&self) -> (Float, Flags) {
            let (bits, flags) = Circuit::new(Concrete).$method(self.format, &self.bits);
            (Float::from_word(self.format, bits), flags)
        }
    };
    (@ quiet_unary $method:ident $(#[$documentation:meta])*) => {
        $(#[$documentation])*
        pub fn $method(&self) -> Float {
            let (bits, _) = Circuit::new(Concrete).$method(self.format, &self.bits);
            Float::from_word(self.format, bits)
        }
    };
    (@ relation $method:ident $(#[$documentation:meta])*) => {
        $(#[$documentation])*
        pub fn $method(&self, other: &Float) -> (bool, Flags) {
            self.same_format(other);
            Circuit::new(Concrete).$method(self.format, &self.bits, &other.bits)
        }
    };
    (@ class $method:ident $(#[$documentation:meta])*) => {
        $(#[$documentation])*
        pub fn $method(&self) -> bool {
            Circuit::new(Concrete).$method(self.format, &self.bits).0
        }
    };
}

methods! {
    /// Sum.
    rounded_binary add;
    /// Difference.
    rounded_binary sub;
    /// Product.
    rounded_binary mul;
    /// Quotient.
    rounded_binary div;
    /// Square root.
    rounded_unary sqrt;
    /// To an integral value, without raising inexact.
    rounded_unary round_to_integral;
    /// To an integral value, raising inexact.
    rounded_unary round_to_integral_exact;
    /// IEEE 754's remainder.
    binary remainder;
    /// C's `fmod`.
    binary fmod;
    /// 754-2008's minimum.
    binary min_num;
    /// 754-2008's maximum.
    binary max_num;
    /// 754-2019's minimum.
    binary minimum;
    /// 754-2019's maximum.
    binary maximum;
    /// x86's minimum.
    binary min_x86;
    /// x86's maximum.
    binary max_x86;
    /// This with the other's sign; raises nothing.
    binary copy_sign;
    /// The least value greater than this.
    unary next_up;
    /// The greatest value less than this.
    unary next_down;
    /// The sign bit cleared.
    quiet_unary abs;
    /// The sign bit flipped.
    quiet_unary neg;
    /// Quiet equality.
    relation equal;
    /// Quiet less.
    relation less;
    /// Quiet less or equal.
    relation less_equal;
    /// Quiet greater.
    relation greater;
    /// Quiet greater or equal.
    relation greater_equal;
    /// Whether either is a NaN.
    relation unordered;
    /// Whether it is a NaN.
    class is_nan;
    /// Whether it is a signalling NaN.
    class is_signaling;
    /// Whether it is an infinity.
    class is_infinite;
    /// Whether it is neither infinite nor a NaN.
    class is_finite;
    /// Whether it is a zero.
    class is_zero;
    /// Whether it is subnormal.
    class is_subnormal;
    /// Whether it is normal.
    class is_normal;
    /// Whether its sign bit is set.
    class is_sign_minus;
}

impl Float {
    /// `self * factor + addend`, rounded once.
    pub fn fma(&self, factor: &Float, addend: &Float, rounding: Rounding) -> (Float, Flags) {
        self.same_format(factor);
        self.same_format(addend);
        let mut circuit = Circuit::new(Concrete);
        let (bits, flags) =
            circuit.fma(self.format, &rounding.into(), &self.bits, &factor.bits, &addend.bits);
        (Float::from_word(self.format, bits), flags)
    }

    fn same_format(&self, other: &Float) {
        assert_eq!(self.format, other.format, "operands of one format");
    }
}
