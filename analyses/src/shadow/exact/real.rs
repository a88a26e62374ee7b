//! Numbers of the shadow run: exact rationals as long as that lasts, long MPFR floats with a
//! huge exponent range from the first irrational result on, and IEEE's special values.

use crate::shadow::Step;
use nanoscope_ieee::{Format, Rounding};
use rug::float::Special;
use rug::ops::{DivRounding, Pow};
use rug::{Assign, Float, Integer, Rational};
use std::cmp::Ordering;
use std::sync::Arc;

/// A number, or what stands for none. Zeros have signs, since 1/-0 is not 1/+0.
#[derive(Clone, Debug)]
pub(crate) enum Real {
    /// No number.
    Nan,
    /// An infinity.
    Infinite {
        /// Its sign.
        negative: bool,
    },
    /// A zero.
    Zero {
        /// Its sign.
        negative: bool,
    },
    /// An exact number, not zero.
    Exact(Arc<Rational>),
    /// A number to the precision of the run, not zero.
    Rounded(Arc<Float>),
}

/// How the run computes, and whether it has rounded yet.
#[derive(Debug)]
pub(crate) struct Arithmetic {
    /// Bits of a rounded number.
    pub precision: u32,
    /// Whether any result is not exact.
    pub rounded: bool,
    /// Rationals longer than so many bits, numerator and denominator together, are rounded.
    pub longest: u32,
    /// What happened, if it is to be written down.
    pub steps: Option<Vec<Step<Real>>>,
}

/// As long as rationals may be where nobody says otherwise.
const LONGEST: u32 = 1 << 14;

impl Arithmetic {
    /// Exact as long as that is reasonable, then of a precision.
    pub fn new(precision: u32) -> Arithmetic {
        Arithmetic { precision, rounded: false, longest: LONGEST, steps: None }
    }
}

impl Real {
    /// An integer.
    pub fn integer(value: i128) -> Real {
        Real::rational(Rational::from(value))
    }

    /// A rational number.
    pub fn rational(value: Rational) -> Real {
        if value == 0 { Real::Zero { negative: false } } else { Real::Exact(Arc::new(value)) }
    }

    /// The nearest double.
    pub fn approximate(&self) -> f64 {
        self.to_float(64).to_f64()
    }

    /// From a rounded number or a special value of MPFR's.
    pub fn float(value: Float) -> Real {
        if value.is_nan() {
            Real::Nan
        } else if value.is_infinite() {
            Real::Infinite { negative: value.is_sign_negative() }
        } else if value.is_zero() {
            Real::Zero { negative: value.is_sign_negative() }
        } else {
            Real::Rounded(Arc::new(value))
        }
    }

    /// The number that a format's encoding stands for.
    pub fn decoded(format: Format, bits: u128) -> Real {
        let fraction_bits = format.width() - 1 - format.exponent_bits;
        let negative = bits >> (format.width() - 1) & 1 == 1;
        let field = (bits >> fraction_bits) as u64 & format.special_exponent();
        let fraction = bits & ((1 << fraction_bits) - 1);
        let hidden = 1u128 << format.fraction_bits();
        if field == format.special_exponent() {
            let payload = fraction & (hidden - 1);
            return if payload == 0 { Real::Infinite { negative } } else { Real::Nan };
        }
        let significand = match (format.explicit_integer_bit, field) {
            (true, _) | (false, 0) => fraction,
            (false, _) => fraction | hidden,
        };
        if significand == 0 {
            return Real::Zero { negative };
        }
        let exponent = format.quantum_exponent() + field.max(1) as i64 - 1;
        let mut value = Rational::from(Integer::from(significand));
        shift(&mut value, exponent as i32);
        Real::rational(if negative { -value } else { value })
    }

    /// The nearest encoding of a format, ties to even: what a store of the value would write.
    pub fn encoded(&self, format: Format) -> u128 {
        let sign = |negative: bool| u128::from(negative) << (format.width() - 1);
        let fraction_bits = format.width() - 1 - format.exponent_bits;
        let integer_bit =
            if format.explicit_integer_bit { 1u128 << format.fraction_bits() } else { 0 };
        let infinity = u128::from(format.special_exponent()) << fraction_bits | integer_bit;
        let (negative, value) = match self {
            Real::Nan => return infinity | 1 << (format.fraction_bits() - 1),
            Real::Infinite { negative } => return sign(*negative) | infinity,
            Real::Zero { negative } => return sign(*negative),
            Real::Exact(value) => (**value < 0, Rational::from(value.abs_ref())),
            Real::Rounded(value) => {
                let exponent = i64::from(value.get_exp().expect("not zero"));
                let negative = value.is_sign_negative();
                // Not even to be written out: the exponent may have thirty bits.
                if exponent > format.max_exponent() + 2 {
                    return sign(negative) | infinity;
                }
                if exponent < format.quantum_exponent() - 2 {
                    return sign(negative);
                }
                (negative, value.to_rational().expect("finite").abs())
            }
        };
        let exponent = logarithm(&value);
        let quantum = (exponent - i64::from(format.fraction_bits())).max(format.quantum_exponent());
        if exponent > format.max_exponent() {
            return sign(negative) | infinity;
        }
        let mut scaled = value;
        shift(&mut scaled, -quantum as i32);
        let significand = nearest_even(&scaled).to_u128().expect("as long as the precision");
        let field = (quantum - format.quantum_exponent()) as u128;
        // A significand with its integer bit counts one up in the exponent's field, and one
        // that was rounded up to the next power of two counts another.
        let magnitude = if format.explicit_integer_bit {
            let carried = significand >> format.precision;
            let significand = significand >> carried;
            let normal = significand >> format.fraction_bits();
            (field + carried + normal) << fraction_bits | significand
        } else {
            (field << fraction_bits) + significand
        };
        sign(negative) | magnitude.min(infinity)
    }

    /// Whether its sign is minus.
    pub fn is_negative(&self) -> bool {
        match self {
            Real::Nan => false,
            Real::Infinite { negative } | Real::Zero { negative } => *negative,
            Real::Exact(value) => **value < 0,
            Real::Rounded(value) => value.is_sign_negative(),
        }
    }

    /// Whether it is a number.
    pub fn is_finite(&self) -> bool {
        !matches!(self, Real::Nan | Real::Infinite { .. })
    }

    /// The integer it is after rounding, if it is a number and not astronomically large.
    pub fn to_integer(&self, rounding: Rounding) -> Option<Integer> {
        let value = match self {
            Real::Nan | Real::Infinite { .. } => return None,
            Real::Zero { .. } => return Some(Integer::new()),
            Real::Exact(value) => value.clone(),
            Real::Rounded(value) if value.get_exp().is_some_and(|e| e < -2) => {
                Arc::new(Rational::from((if value.is_sign_negative() { -1 } else { 1 }, 8)))
            }
            Real::Rounded(value) if value.get_exp().is_some_and(|e| e > 1 << 16) => return None,
            Real::Rounded(value) => Arc::new(value.to_rational()?),
        };
        Some(match rounding {
            Rounding::NearestEven if *value < 0 => -nearest_even(&Rational::from(-&*value)),
            Rounding::NearestEven => nearest_even(&value),
            Rounding::NearestAway => Rational::from(value.round_ref()).into_numer_denom().0,
            Rounding::Upward => Rational::from(value.ceil_ref()).into_numer_denom().0,
            Rounding::Downward => Rational::from(value.floor_ref()).into_numer_denom().0,
            Rounding::TowardZero => Rational::from(value.trunc_ref()).into_numer_denom().0,
        })
    }

    /// Fifteen digits, without zeros at the end.
    pub fn text(&self) -> String {
        match self {
            Real::Nan => return "nan".to_owned(),
            Real::Infinite { negative } => return signed(*negative, "inf"),
            Real::Zero { negative } => return signed(*negative, "0"),
            Real::Exact(_) | Real::Rounded(_) => {}
        }
        let text = self.to_float(128).to_string_radix(10, Some(15));
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (negative, digits) = match digits.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, digits),
        };
        // MPFR writes plain decimals for moderate numbers: the point is moved to stand after
        // the first digit that counts.
        let point = digits.find('.').unwrap_or(digits.len()) as i64;
        let all: String = digits.chars().filter(char::is_ascii_digit).collect();
        let leading = all.len() - all.trim_start_matches('0').len();
        let exponent = exponent.parse::<i64>().unwrap_or(0) + point - 1 - leading as i64;
        let all = all.trim_start_matches('0').trim_end_matches('0');
        signed(negative, &written(all, exponent))
    }

    /// As an MPFR float of a precision, special values included.
    pub fn to_float(&self, precision: u32) -> Float {
        let special = |negative: bool, plus, minus| {
            Float::with_val(precision, if negative { minus } else { plus })
        };
        match self {
            Real::Nan => Float::with_val(precision, Special::Nan),
            Real::Infinite { negative } => {
                special(*negative, Special::Infinity, Special::NegInfinity)
            }
            Real::Zero { negative } => special(*negative, Special::Zero, Special::NegZero),
            Real::Exact(value) => Float::with_val(precision, &**value),
            Real::Rounded(value) => Float::with_val(precision, &**value),
        }
    }

    /// The same with the other sign.
    pub fn negated(&self) -> Real {
        match self {
            Real::Nan => Real::Nan,
            Real::Infinite { negative } => Real::Infinite { negative: !negative },
            Real::Zero { negative } => Real::Zero { negative: !negative },
            Real::Exact(value) => Real::Exact(Arc::new(Rational::from(-&**value))),
            Real::Rounded(value) => {
                let mut other = Float::new(value.prec());
                other.assign(-&**value);
                Real::Rounded(Arc::new(other))
            }
        }
    }

    /// The same with a sign of choice.
    pub fn with_sign(&self, negative: bool) -> Real {
        if self.is_negative() == negative { self.clone() } else { self.negated() }
    }
}

impl Arithmetic {
    /// Whatever is too long is rounded.
    fn kept(&mut self, value: Rational) -> Real {
        let bits = value.numer().significant_bits() + value.denom().significant_bits();
        if bits <= self.longest {
            return Real::rational(value);
        }
        self.rounded = true;
        Real::float(Float::with_val(self.precision, value))
    }

    /// A result that MPFR computed.
    pub(super) fn computed(&mut self, value: Float) -> Real {
        self.rounded = true;
        Real::float(value)
    }

    /// Sum.
    pub fn add(&mut self, a: &Real, b: &Real) -> Real {
        match (a, b) {
            (Real::Exact(a), Real::Exact(b)) => self.kept(Rational::from(&**a + &**b)),
            (Real::Zero { negative: a }, Real::Zero { negative: b }) => {
                Real::Zero { negative: *a && *b }
            }
            (Real::Zero { .. }, other) | (other, Real::Zero { .. }) => other.clone(),
            (_, _) => {
                let sum = a.to_float(self.precision) + b.to_float(self.precision);
                self.computed(sum)
            }
        }
    }

    /// Difference.
    pub fn sub(&mut self, a: &Real, b: &Real) -> Real {
        self.add(a, &b.negated())
    }

    /// Product.
    pub fn mul(&mut self, a: &Real, b: &Real) -> Real {
        match (a, b) {
            (Real::Exact(a), Real::Exact(b)) => self.kept(Rational::from(&**a * &**b)),
            (_, _) => {
                let product = a.to_float(self.precision) * b.to_float(self.precision);
                self.computed(product)
            }
        }
    }

    /// Quotient.
    pub fn div(&mut self, a: &Real, b: &Real) -> Real {
        match (a, b) {
            (Real::Exact(a), Real::Exact(b)) => self.kept(Rational::from(&**a / &**b)),
            (_, _) => {
                let quotient = a.to_float(self.precision) / b.to_float(self.precision);
                self.computed(quotient)
            }
        }
    }

    /// Square root, exact where it is rational.
    pub fn sqrt(&mut self, a: &Real) -> Real {
        if let Real::Exact(value) = a
            && value.numer().is_perfect_square()
            && value.denom().is_perfect_square()
        {
            let root = (value.numer().clone().sqrt(), value.denom().clone().sqrt());
            return Real::rational(Rational::from(root));
        }
        let root = a.to_float(self.precision).sqrt();
        self.computed(root)
    }

    /// The power of a number to a small integer.
    pub fn power(&mut self, a: &Real, exponent: i32) -> Real {
        match a {
            Real::Exact(value)
                if (value.numer().significant_bits() + value.denom().significant_bits())
                    .saturating_mul(exponent.unsigned_abs())
                    <= self.longest =>
            {
                self.kept(Rational::from((&**value).pow(exponent)))
            }
            _ => {
                let power = a.to_float(self.precision).pow(exponent);
                self.computed(power)
            }
        }
    }

    /// The number times two to an integer.
    pub fn scaled(&mut self, a: &Real, by: i64) -> Real {
        match a {
            Real::Exact(value) if by.unsigned_abs() < u64::from(self.longest) => {
                let mut value = (**value).clone();
                shift(&mut value, by as i32);
                self.kept(value)
            }
            Real::Nan | Real::Infinite { .. } | Real::Zero { .. } => a.clone(),
            Real::Exact(_) | Real::Rounded(_) => {
                let by = by.clamp(-(1 << 31) + 1, (1 << 31) - 1) as i32;
                let scaled = a.to_float(self.precision) << by;
                self.computed(scaled)
            }
        }
    }

    /// C's `frexp`: a fraction of magnitude in [0.5, 1) and a power of two.
    pub fn fraction(&mut self, a: &Real) -> (Real, i64) {
        let exponent = match a {
            Real::Nan | Real::Infinite { .. } | Real::Zero { .. } => return (a.clone(), 0),
            Real::Exact(value) => logarithm(&Rational::from(value.abs_ref())) + 1,
            Real::Rounded(value) => i64::from(value.get_exp().expect("not zero")),
        };
        (self.scaled(a, -exponent), exponent)
    }

    /// To an integral value.
    pub fn integral(&mut self, a: &Real, rounding: Rounding) -> Real {
        match a.to_integer(rounding) {
            Some(value) if value == 0 => Real::Zero { negative: a.is_negative() },
            Some(value) => Real::rational(Rational::from(value)),
            None => a.clone(),
        }
    }

    /// The remainder after a quotient rounded to an integer in a way.
    pub fn remainder(&mut self, a: &Real, b: &Real, rounding: Rounding) -> Real {
        match (a, b) {
            (Real::Nan | Real::Infinite { .. }, _) | (_, Real::Nan | Real::Zero { .. }) => {
                Real::Nan
            }
            (_, Real::Infinite { .. }) | (Real::Zero { .. }, _) => a.clone(),
            (_, _) => {
                let quotient = self.div(a, b);
                let whole = self.integral(&quotient, rounding);
                let product = self.mul(&whole, b);
                match self.sub(a, &product) {
                    Real::Zero { .. } => Real::Zero { negative: a.is_negative() },
                    other => other,
                }
            }
        }
    }

    /// How two numbers stand to each other; nothing with a NaN. Rounded numbers that differ
    /// only in their last bits are taken for equal.
    pub fn order(&self, a: &Real, b: &Real) -> Option<Ordering> {
        match (a, b) {
            (Real::Exact(a), Real::Exact(b)) => Some(a.cmp(b)),
            (Real::Zero { .. }, Real::Zero { .. }) => Some(Ordering::Equal),
            (_, _) => {
                let (x, y) = (a.to_float(self.precision), b.to_float(self.precision));
                let order = x.partial_cmp(&y)?;
                let (Some(p), Some(q)) = (x.get_exp(), y.get_exp()) else { return Some(order) };
                let difference = Float::with_val(self.precision, &x - &y);
                let slack = self.precision as i32 - 64;
                match difference.get_exp() {
                    Some(exponent) if exponent > p.max(q).saturating_sub(slack) => Some(order),
                    Some(_) | None => Some(Ordering::Equal),
                }
            }
        }
    }
}

/// Multiplies by two to an integer.
fn shift(value: &mut Rational, by: i32) {
    if by >= 0 {
        *value <<= by as u32;
    } else {
        *value >>= by.unsigned_abs();
    }
}

/// The integer part of the binary logarithm of a positive number.
fn logarithm(value: &Rational) -> i64 {
    let (numerator, denominator) = (value.numer(), value.denom());
    let guess = i64::from(numerator.significant_bits()) - i64::from(denominator.significant_bits());
    let mut power = Rational::from(1);
    shift(&mut power, guess as i32);
    if *value >= power { guess } else { guess - 1 }
}

/// The integer nearest to a number that is not negative, ties to even.
fn nearest_even(value: &Rational) -> Integer {
    let (numerator, denominator) = (value.numer(), value.denom());
    let floor = Integer::from(numerator.div_floor(denominator));
    let product = Integer::from(&floor * denominator);
    let rest: Integer = Integer::from(numerator - &product) * 2u32;
    match rest.cmp(denominator) {
        Ordering::Greater => floor + 1,
        Ordering::Equal if floor.is_odd() => floor + 1,
        Ordering::Equal | Ordering::Less => floor,
    }
}

fn signed(negative: bool, text: &str) -> String {
    format!("{}{text}", if negative { "-" } else { "" })
}

/// Digits with a power of ten for the first: plainly where that is short.
fn written(digits: &str, exponent: i64) -> String {
    match exponent {
        0..17 => {
            let whole = exponent as usize + 1;
            if digits.len() <= whole {
                format!("{digits:0<whole$}")
            } else {
                format!("{}.{}", &digits[..whole], &digits[whole..])
            }
        }
        -5..0 => format!("0.{}{digits}", "0".repeat(-exponent as usize - 1)),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            format!("{first}{point}{rest}e{sign}{:02}", exponent.unsigned_abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Arithmetic, Real};
    use nanoscope_ieee::{Format, Rounding};
    use std::cmp::Ordering;

    fn of(value: f64) -> Real {
        Real::decoded(Format::BINARY64, u128::from(value.to_bits()))
    }

    fn back(real: &Real) -> f64 {
        f64::from_bits(real.encoded(Format::BINARY64) as u64)
    }

    fn arithmetic() -> Arithmetic {
        Arithmetic::new(512)
    }

    #[test]
    fn encodings_there_and_back() {
        for value in [
            1.0,
            -0.0,
            0.1,
            -1.5e300,
            5e-324,
            2.225073858507201e-308, // the largest subnormal
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::NEG_INFINITY,
        ] {
            assert_eq!(back(&of(value)).to_bits(), value.to_bits(), "{value}");
            let single = Real::decoded(Format::BINARY64, u128::from(value.to_bits()))
                .encoded(Format::BINARY32);
            assert_eq!(single as u32, (value as f32).to_bits(), "{value} as float");
            let extended = of(value).encoded(Format::X87);
            assert_eq!(back(&Real::decoded(Format::X87, extended)).to_bits(), value.to_bits());
        }
        assert_eq!(of(1.0).encoded(Format::X87), 0x3fff << 64 | 1 << 63);
        assert!(back(&of(f64::NAN)).is_nan());
    }

    #[test]
    fn rounding_to_a_format() {
        let mut run = arithmetic();
        let large = of(f64::MAX);
        let tenth_more = run.mul(&large, &of(1.1));
        assert_eq!(back(&tenth_more), f64::INFINITY);
        let half_quantum = run.div(&of(5e-324), &of(2.0));
        assert_eq!(back(&half_quantum), 0.0);
        let more = run.mul(&half_quantum, &of(1.5));
        assert_eq!(back(&more), 5e-324);
        // Rounded up to the smallest normal number.
        let below = run.sub(&of(f64::MIN_POSITIVE), &half_quantum);
        assert_eq!(back(&below), f64::MIN_POSITIVE);
        let third = run.div(&of(1.0), &of(3.0));
        assert_eq!(back(&third), 1.0 / 3.0);
        assert!(!run.rounded);
    }

    #[test]
    fn far_beyond_the_format() {
        let mut run = arithmetic();
        let mut value = of(1e300);
        for _ in 0..10 {
            value = run.mul(&value.clone(), &value);
        }
        assert!(run.rounded && value.is_finite());
        assert_eq!(back(&value), f64::INFINITY);
        for _ in 0..10 {
            value = run.sqrt(&value);
        }
        assert!((back(&value) / 1e300 - 1.0).abs() < 1e-15);
        assert_eq!(run.order(&value, &of(1e300)), Some(Ordering::Equal));
    }

    #[test]
    fn specials() {
        let mut run = arithmetic();
        let minus_zero = of(-0.0);
        assert_eq!(back(&run.div(&of(1.0), &minus_zero)), f64::NEG_INFINITY);
        assert!(matches!(run.div(&of(0.0), &minus_zero), Real::Nan));
        assert!(matches!(run.sqrt(&of(-1.0)), Real::Nan));
        assert_eq!(run.order(&of(f64::NAN), &of(1.0)), None);
        assert_eq!(back(&run.remainder(&of(5.5), &of(2.0), Rounding::TowardZero)), 1.5);
        assert_eq!(back(&run.remainder(&of(5.5), &of(2.0), Rounding::NearestEven)), -0.5);
        assert_eq!(back(&run.integral(&of(2.5), Rounding::NearestEven)), 2.0);
        assert_eq!(back(&run.integral(&of(-2.5), Rounding::NearestEven)), -2.0);
        assert_eq!(back(&run.integral(&of(-0.5), Rounding::Upward)).to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn in_digits() {
        let mut run = arithmetic();
        for (value, text) in [
            (of(0.0), "0"),
            (of(1.5), "1.5"),
            (of(-100.0), "-100"),
            (of(0.001), "0.001"),
            (of(1e300), "1e+300"),
            (of(f64::NAN), "nan"),
            (run.power(&of(10.0), 400), "1e+400"),
            (run.power(&of(10.0), -400), "1e-400"),
            (run.sqrt(&of(2.0)), "1.4142135623731"),
        ] {
            assert_eq!(value.text().trim_end_matches('0'), text.trim_end_matches('0'), "{text}");
        }
    }
}
