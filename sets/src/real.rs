//! Exact arithmetic on dyadic numbers, cut where rounding no longer looks.
//!
//! A [`Real`] is `±significand * 2^exponent`, or, when `sticky`, some number
//! strictly between that magnitude and the one a unit of the significand above.
//! Every operation leaves at least three bits more than the precision it is
//! meant for below the leading one, or is exact, so that rounding to a grid in
//! any mode is the rounding of the true value.

use nanoscope_ieee::Rounding;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero;

/// A real number, as far as rounding needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Real {
    /// Its sign; of a zero too.
    pub negative: bool,
    /// Its leading bits, an integer.
    pub significand: u128,
    /// The power of two that the significand counts.
    pub exponent: i64,
    /// Whether its magnitude lies strictly between `significand` and one more.
    pub sticky: bool,
}

impl Real {
    /// `±significand * 2^exponent`.
    pub const fn exact(negative: bool, significand: u128, exponent: i64) -> Real {
        Real { negative, significand, exponent, sticky: false }
    }

    /// An integer.
    pub const fn integer(value: i128) -> Real {
        Real::exact(value < 0, value.unsigned_abs(), 0)
    }

    /// Whether it is zero.
    pub const fn is_zero(self) -> bool {
        self.significand == 0 && !self.sticky
    }

    /// Its negation.
    pub const fn negated(self) -> Real {
        Real { negative: !self.negative, ..self }
    }

    /// The exponent of its leading bit. It must not be zero.
    pub const fn leading(self) -> i64 {
        self.exponent + 127 - self.significand.leading_zeros() as i64
    }

    /// The significand moved up so that `bit` is its leading bit's place.
    const fn raised_to(self, bit: u32) -> (u128, i64) {
        let shift = self.significand.leading_zeros() - (127 - bit);
        (self.significand << shift, self.exponent - shift as i64)
    }

    /// The sum of two exact numbers. Exact zeros keep their exponent's zero:
    /// the sign of a zero sum is the caller's business.
    pub const fn plus(self, other: Real) -> Real {
        if self.significand == 0 {
            return other;
        }
        if other.significand == 0 {
            return self;
        }
        let (large, small) =
            if self.leading() >= other.leading() { (self, other) } else { (other, self) };
        let (mut sum, exponent) = large.raised_to(126);
        let (low, low_exponent) = small.raised_to(126);
        let distance = exponent - low_exponent;
        let (low, sticky) = if distance >= 127 {
            (0, true)
        } else {
            let kept = low >> distance;
            (kept, kept << distance != low)
        };
        let mut negative = large.negative;
        if large.negative == small.negative {
            sum += low;
        } else if low > sum {
            // Equal leading exponents: the distance is zero and nothing was cut.
            sum = low - sum;
            negative = small.negative;
        } else {
            sum = sum - low - sticky as u128;
        }
        Real { negative, significand: sum, exponent, sticky }
    }

    /// The product of two exact numbers.
    pub const fn times(self, other: Real) -> Real {
        let negative = self.negative != other.negative;
        let exponent = self.exponent + other.exponent;
        match self.significand.checked_mul(other.significand) {
            Some(product) => Real::exact(negative, product, exponent),
            None => {
                let (high, low) = widening_product(self.significand, other.significand);
                let shift = 128 - high.leading_zeros();
                let (significand, rest) = if shift == 128 {
                    (high, low)
                } else {
                    (high << (128 - shift) | low >> shift, low << (128 - shift))
                };
                let exponent = exponent + shift as i64;
                Real { negative, significand, exponent, sticky: rest != 0 }
            }
        }
    }

    /// The quotient of two exact numbers, the second not zero, for rounding to
    /// `precision` bits.
    pub const fn over(self, other: Real, precision: u32) -> Real {
        let negative = self.negative != other.negative;
        if self.significand == 0 {
            return Real::exact(negative, 0, 0);
        }
        if precision <= 60 && other.significand >> 60 == 0 {
            let (dividend, dividend_exponent) = self.raised_to(127);
            let quotient = dividend / other.significand;
            let sticky = quotient * other.significand != dividend;
            let exponent = dividend_exponent - other.exponent;
            return Real { negative, significand: quotient, exponent, sticky };
        }
        let (mut rest, rest_exponent) = self.raised_to(126);
        let (divisor, divisor_exponent) = other.raised_to(126);
        let mut quotient = 0u128;
        let mut digits = 0;
        while digits < 126 {
            quotient <<= 1;
            if rest >= divisor {
                rest -= divisor;
                quotient |= 1;
            }
            rest <<= 1;
            digits += 1;
        }
        let exponent = rest_exponent - divisor_exponent - 125;
        Real { negative, significand: quotient, exponent, sticky: rest != 0 }
    }

    /// The square root of an exact number that is not negative, for rounding to
    /// `precision` bits.
    pub fn root(self, precision: u32) -> Real {
        if self.significand == 0 {
            return self;
        }
        if precision <= 60 && self.significand >> 60 == 0 {
            let (mut radicand, mut exponent) = self.raised_to(127);
            if exponent % 2 != 0 {
                radicand >>= 1;
                exponent += 1;
            }
            let root = radicand.isqrt();
            let sticky = root * root != radicand;
            return Real { negative: false, significand: root, exponent: exponent / 2, sticky };
        }
        let shift = 250 + self.exponent.rem_euclid(2);
        let radicand = BigUint::from(self.significand) << shift;
        let root = radicand.sqrt();
        let sticky = &root * &root != radicand;
        cut(false, root, (self.exponent - shift) / 2, sticky)
    }

    /// `self * factor + addend` of exact numbers.
    pub fn times_plus(self, factor: Real, addend: Real) -> Real {
        let product = self.times(factor);
        let narrow = product.significand >> 120 == 0 && addend.significand >> 120 == 0;
        if !product.sticky && narrow {
            return product.plus(addend);
        }
        if addend.significand == 0 {
            return product;
        }
        let signed = |negative, magnitude| {
            BigInt::from_biguint(if negative { Sign::Minus } else { Sign::Plus }, magnitude)
        };
        let product_exponent = self.exponent + factor.exponent;
        let mut exact = signed(
            product.negative,
            BigUint::from(self.significand) * BigUint::from(factor.significand),
        );
        let mut term = signed(addend.negative, BigUint::from(addend.significand));
        // Beyond this distance the lower one only says that there is something.
        const FAR: i64 = 600;
        let distance = product_exponent - addend.exponent;
        let exponent = if distance > FAR {
            exact <<= FAR as u32;
            term = signed(addend.negative, BigUint::from(1u32));
            product_exponent - FAR
        } else if distance < -FAR {
            term <<= FAR as u32;
            exact = signed(product.negative, BigUint::from(1u32));
            addend.exponent - FAR
        } else if distance >= 0 {
            exact <<= distance as u32;
            addend.exponent
        } else {
            term <<= -distance as u32;
            product_exponent
        };
        let sum = exact + term;
        if sum.is_zero() {
            return Real::exact(false, 0, 0);
        }
        cut(sum.sign() == Sign::Minus, sum.magnitude().clone(), exponent, false)
    }

    /// The number halfway between two exact numbers.
    pub const fn halfway(self, other: Real) -> Real {
        let sum = self.plus(other);
        if sum.significand == 0 {
            return sum;
        }
        let zeros = sum.significand.trailing_zeros();
        let exponent = sum.exponent - 1 + zeros as i64;
        Real { significand: sum.significand >> zeros, exponent, ..sum }
    }

    /// An exact number near this one with few bits, for guessing.
    pub const fn coarse(self) -> Real {
        let excess = 70 - self.significand.leading_zeros() as i64;
        if excess <= 0 {
            return Real { sticky: false, ..self };
        }
        Real::exact(self.negative, self.significand >> excess, self.exponent + excess)
    }

    /// The integer that it rounds to; `None` beyond 127 bits.
    pub const fn round_to_integer(self, mode: Rounding) -> Option<i128> {
        let magnitude = if self.significand == 0 {
            mode.rounds_up(self.negative, false, false, self.sticky) as u128
        } else if self.leading() >= 126 {
            return None;
        } else if self.exponent >= 0 {
            self.significand << self.exponent
        } else if self.exponent < -128 {
            mode.rounds_up(self.negative, false, false, true) as u128
        } else {
            let shift = -self.exponent;
            let kept = if shift == 128 { 0 } else { self.significand >> shift };
            let half = self.significand >> (shift - 1) & 1 == 1;
            let rest = self.significand & ((1 << (shift - 1)) - 1) != 0 || self.sticky;
            kept + mode.rounds_up(self.negative, kept & 1 == 1, half, rest) as u128
        };
        Some(if self.negative { -(magnitude as i128) } else { magnitude as i128 })
    }
}

/// The 256 bits of a product: high and low half.
const fn widening_product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64);
    let (middle_high, middle_low) = (middle >> 64, (middle & LOW) + a0 * b1);
    (a1 * b1 + middle_high + (middle_low >> 64), middle_low << 64 | low & LOW)
}

/// A large significand brought down to 128 bits.
fn cut(negative: bool, significand: BigUint, exponent: i64, sticky: bool) -> Real {
    let excess = significand.bits().saturating_sub(128);
    let kept = &significand >> excess;
    let sticky = sticky || significand.trailing_zeros().is_some_and(|zeros| zeros < excess);
    let mut digits = kept.iter_u64_digits();
    let low = digits.next().unwrap_or(0) as u128;
    let high = digits.next().unwrap_or(0) as u128;
    Real { negative, significand: high << 64 | low, exponent: exponent + excess as i64, sticky }
}
