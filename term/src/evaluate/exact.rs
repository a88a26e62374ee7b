//! Exact numbers `± magnitude * 2^exponent`, and the one rounding of them.

use nanoscope_ieee::{Format, Rounding, Word};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Zero};

/// What an encoding stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Exact {
    /// No number.
    Nan,
    /// An infinity, negative or not.
    Infinite(bool),
    /// A zero, negative or not.
    Zero(bool),
    /// Any other number.
    Finite(Finite),
}

/// A number that is neither zero nor infinite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finite {
    pub(crate) negative: bool,
    /// Not zero.
    pub(crate) magnitude: BigUint,
    pub(crate) exponent: i64,
}

impl Exact {
    /// Reads an encoding.
    pub(crate) fn decode(format: Format, word: &Word) -> Exact {
        let bits = word.to_big();
        let negative = bits.bit(format.width() as u64 - 1);
        let fraction_bits = format.fraction_bits();
        let fraction = &bits & ((BigUint::one() << fraction_bits) - 1u32);
        let field = (bits >> fraction_bits).iter_u64_digits().next().unwrap_or(0)
            & format.special_exponent();
        if field == format.special_exponent() {
            return if fraction.is_zero() { Exact::Infinite(negative) } else { Exact::Nan };
        }
        if field == 0 {
            if fraction.is_zero() {
                return Exact::Zero(negative);
            }
            let exponent = format.quantum_exponent();
            return Exact::Finite(Finite { negative, magnitude: fraction, exponent });
        }
        let magnitude = fraction | (BigUint::one() << fraction_bits);
        let exponent = format.quantum_exponent() + field as i64 - 1;
        Exact::Finite(Finite { negative, magnitude, exponent })
    }

    /// The sign bit; clear for the NaN.
    pub(crate) fn negative(&self) -> bool {
        match self {
            Exact::Nan => false,
            Exact::Infinite(negative) | Exact::Zero(negative) => *negative,
            Exact::Finite(finite) => finite.negative,
        }
    }
}

impl Finite {
    /// The exponent of the leading bit.
    pub(crate) fn top(&self) -> i64 {
        self.exponent + self.magnitude.bits() as i64 - 1
    }

    pub(crate) fn negated(mut self) -> Finite {
        self.negative = !self.negative;
        self
    }

    pub(crate) fn times(&self, other: &Finite) -> Finite {
        Finite {
            negative: self.negative != other.negative,
            magnitude: &self.magnitude * &other.magnitude,
            exponent: self.exponent + other.exponent,
        }
    }

    /// Rounds it into a format.
    pub(crate) fn round(&self, format: Format, mode: Rounding) -> Word {
        round(format, mode, self, false)
    }
}

/// The encoding of an infinity.
pub(crate) fn infinity(format: Format, negative: bool) -> Word {
    encode(format, negative, format.special_exponent(), &BigUint::zero())
}

/// The encoding of a zero.
pub(crate) fn zero(format: Format, negative: bool) -> Word {
    encode(format, negative, 0, &BigUint::zero())
}

/// The encoding of the NaN.
pub(crate) fn nan(format: Format) -> Word {
    encode(
        format,
        false,
        format.special_exponent(),
        &(BigUint::one() << (format.fraction_bits() - 1)),
    )
}

fn encode(format: Format, negative: bool, field: u64, fraction: &BigUint) -> Word {
    let head = BigUint::from(negative as u64) << format.exponent_bits | BigUint::from(field);
    Word::from_big(format.width(), &(head << format.fraction_bits() | fraction))
}

/// Whether a magnitude cut below its last kept bit is rounded up, by 754's
/// definition of the five attributes (4.3): `half` is the first bit cut,
/// `rest` whether any bit below is set.
fn goes_up(mode: Rounding, negative: bool, odd: bool, half: bool, rest: bool) -> bool {
    match mode {
        Rounding::NearestEven => half && (rest || odd),
        Rounding::NearestAway => half,
        Rounding::Upward => (half || rest) && !negative,
        Rounding::Downward => (half || rest) && negative,
        Rounding::TowardZero => false,
    }
}

/// Cuts the low `shift` bits off and rounds; `more` tells of further bits
/// below.
fn cut(mode: Rounding, negative: bool, magnitude: &BigUint, shift: u64, more: bool) -> BigUint {
    let bits = magnitude.bits();
    let kept = if shift >= bits { BigUint::zero() } else { magnitude >> shift };
    let half = shift > 0 && magnitude.bit(shift - 1);
    let lowest = magnitude.trailing_zeros().unwrap_or(u64::MAX);
    let rest = more || (shift > 0 && lowest < shift - 1);
    let up = goes_up(mode, negative, kept.is_odd(), half, rest);
    if up { kept + 1u32 } else { kept }
}

/// Rounds a number into a format (4.3, 7.4). With `more`, the number is
/// greater in magnitude by less than a unit in the last place of
/// `number.magnitude`, which must then be finer than a quarter of the
/// result's.
pub(crate) fn round(format: Format, mode: Rounding, number: &Finite, more: bool) -> Word {
    let precision = format.precision as i64;
    let quantum = (number.top() - (precision - 1)).max(format.quantum_exponent());
    let shift = quantum - number.exponent;
    assert!(!more || shift >= 2, "a number given finely enough to be rounded");
    let (mut significand, mut quantum) = if shift <= 0 {
        (&number.magnitude << shift.unsigned_abs(), quantum)
    } else {
        (cut(mode, number.negative, &number.magnitude, shift as u64, more), quantum)
    };
    if significand.bits() > precision as u64 {
        significand >>= 1u32;
        quantum += 1;
    }
    if significand.is_zero() {
        return zero(format, number.negative);
    }
    if significand.bits() as i64 == precision {
        let exponent = quantum + precision - 1;
        if exponent > format.max_exponent() {
            return overflow(format, mode, number.negative);
        }
        let field = (exponent + format.max_exponent()) as u64;
        significand.set_bit(precision as u64 - 1, false);
        encode(format, number.negative, field, &significand)
    } else {
        encode(format, number.negative, 0, &significand)
    }
}

/// What comes of a number beyond the format (7.4).
fn overflow(format: Format, mode: Rounding, negative: bool) -> Word {
    let away = match mode {
        Rounding::NearestEven | Rounding::NearestAway => true,
        Rounding::Upward => !negative,
        Rounding::Downward => negative,
        Rounding::TowardZero => false,
    };
    if away {
        infinity(format, negative)
    } else {
        let fraction = (BigUint::one() << format.fraction_bits()) - 1u32;
        encode(format, negative, format.special_exponent() - 1, &fraction)
    }
}

/// The rounded sum of two numbers.
pub(crate) fn add(format: Format, mode: Rounding, a: &Finite, b: &Finite) -> Word {
    let (high, low) = if a.top() >= b.top() { (a, b) } else { (b, a) };
    let margin = format.precision as i64 + 3;
    if low.top() < high.exponent - margin {
        // The lesser one is so far below that only its presence matters.
        let mut magnitude = &high.magnitude << margin;
        if high.negative != low.negative {
            magnitude -= 1u32;
        }
        let exponent = high.exponent - margin;
        return round(format, mode, &Finite { magnitude, exponent, ..*high }, true);
    }
    let exponent = a.exponent.min(b.exponent);
    let signed = |number: &Finite| {
        let magnitude = &number.magnitude << (number.exponent - exponent);
        BigInt::from_biguint(if number.negative { Sign::Minus } else { Sign::Plus }, magnitude)
    };
    let sum = signed(a) + signed(b);
    if sum.is_zero() {
        // 6.3: an exact zero sum is +0 in all attributes but downward.
        return zero(format, mode == Rounding::Downward);
    }
    let (sign, magnitude) = sum.into_parts();
    round(format, mode, &Finite { negative: sign == Sign::Minus, magnitude, exponent }, false)
}

/// The rounded quotient of two numbers.
pub(crate) fn divide(format: Format, mode: Rounding, a: &Finite, b: &Finite) -> Word {
    let wanted = format.precision as u64 + 4 + b.magnitude.bits();
    let shift = wanted.saturating_sub(a.magnitude.bits());
    let (magnitude, rest) = (&a.magnitude << shift).div_rem(&b.magnitude);
    let exponent = a.exponent - b.exponent - shift as i64;
    let quotient = Finite { negative: a.negative != b.negative, magnitude, exponent };
    round(format, mode, &quotient, !rest.is_zero())
}

/// A rational number rounded into a format; the denominator is not zero.
pub(crate) fn from_ratio(
    format: Format,
    mode: Rounding,
    numerator: &BigInt,
    denominator: &BigInt,
) -> Word {
    let finite = |number: &BigInt| Finite {
        negative: number.sign() == Sign::Minus,
        magnitude: number.magnitude().clone(),
        exponent: 0,
    };
    if numerator.is_zero() {
        return zero(format, false);
    }
    divide(format, mode, &finite(numerator), &finite(denominator))
}

/// The rounded square root of a positive number.
pub(crate) fn square_root(format: Format, mode: Rounding, a: &Finite) -> Word {
    let wanted = 2 * (format.precision as u64 + 4);
    let mut shift = wanted.saturating_sub(a.magnitude.bits());
    if (a.exponent - shift as i64) % 2 != 0 {
        shift += 1;
    }
    let radicand = &a.magnitude << shift;
    let magnitude = radicand.sqrt();
    let exact = &magnitude * &magnitude == radicand;
    let exponent = (a.exponent - shift as i64) / 2;
    round(format, mode, &Finite { negative: false, magnitude, exponent }, !exact)
}

/// `a - b * n` for the integer `n` nearest to `a / b`, ties to even, or, with
/// `truncated`, for the quotient cut to an integer. None stands for zero.
pub(crate) fn remainder(a: &Finite, b: &Finite, truncated: bool) -> Option<Finite> {
    if b.top() > a.top() + 1 {
        return Some(a.clone());
    }
    // Both in units of `exponent`; `rest` is modulo twice the divisor, which
    // tells whether the quotient is odd.
    let exponent = a.exponent.min(b.exponent);
    let divisor = &b.magnitude << (b.exponent - exponent);
    let twice = &divisor << 1u32;
    let power = BigUint::from(2u32).modpow(&BigUint::from((a.exponent - exponent) as u64), &twice);
    let rest = (&a.magnitude * power) % &twice;
    let odd = rest >= divisor;
    let rest = if odd { rest - &divisor } else { rest };
    if rest.is_zero() {
        return None;
    }
    let doubled = &rest << 1u32;
    let beyond = !truncated && (doubled > divisor || (doubled == divisor && odd));
    Some(if beyond {
        Finite { negative: !a.negative, magnitude: divisor - rest, exponent }
    } else {
        Finite { negative: a.negative, magnitude: rest, exponent }
    })
}

/// A number rounded to an integer's magnitude, which may be zero. None if it
/// has more than `limit` bits.
pub(crate) fn integral(a: &Finite, mode: Rounding, limit: u64) -> Option<BigUint> {
    if a.exponent >= 0 {
        return (a.top() < limit as i64).then(|| &a.magnitude << a.exponent);
    }
    let integer = cut(mode, a.negative, &a.magnitude, a.exponent.unsigned_abs(), false);
    (integer.bits() <= limit).then_some(integer)
}

/// A float rounded to an integer of `width` bits, if it fits.
pub(crate) fn to_integer(
    format: Format,
    mode: Rounding,
    word: &Word,
    width: u32,
    signed: bool,
) -> Option<Word> {
    match Exact::decode(format, word) {
        Exact::Nan | Exact::Infinite(_) => None,
        Exact::Zero(_) => Some(Word::zero(width)),
        Exact::Finite(finite) => {
            let integer = integral(&finite, mode, width as u64)?;
            let bound = BigUint::one() << (width - 1);
            let fits = match (signed, finite.negative) {
                (false, false) => true,
                (false, true) => integer.is_zero(),
                (true, false) => integer < bound,
                (true, true) => integer <= bound,
            };
            let modulus = BigUint::one() << width;
            let value = if finite.negative { (&modulus - integer) % &modulus } else { integer };
            fits.then(|| Word::from_big(width, &value))
        }
    }
}
