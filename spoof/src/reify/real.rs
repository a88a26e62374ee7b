//! Real numbers enclosed in intervals whose bounds have many bits and any exponent, so that
//! nothing overflows or underflows.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::cmp::Ordering;

/// Bits that bounds are rounded to.
const PRECISION: u64 = 320;

/// `significand * 2^exponent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dyadic {
    significand: BigInt,
    exponent: i64,
}

/// Which way a bound is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Toward {
    Below,
    Above,
}

impl Dyadic {
    pub(super) fn new(significand: BigInt, exponent: i64) -> Dyadic {
        if significand.is_zero() {
            return Dyadic { significand, exponent: 0 };
        }
        let zeros = significand.trailing_zeros().unwrap_or(0);
        Dyadic { significand: significand >> zeros, exponent: exponent + zeros as i64 }
    }

    pub(super) fn zero() -> Dyadic {
        Dyadic { significand: BigInt::zero(), exponent: 0 }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.significand.is_zero()
    }

    pub(super) fn is_negative(&self) -> bool {
        self.significand.is_negative()
    }

    pub(super) fn negated(&self) -> Dyadic {
        Dyadic { significand: -&self.significand, exponent: self.exponent }
    }

    pub(super) fn magnitude(&self) -> Dyadic {
        Dyadic { significand: self.significand.abs(), exponent: self.exponent }
    }

    /// Times a power of two.
    pub(super) fn scaled(&self, by: i64) -> Dyadic {
        Dyadic::new(self.significand.clone(), self.exponent + by)
    }

    /// The exponent of the binade above it: its magnitude is below two to that power.
    fn top(&self) -> i64 {
        self.exponent + self.significand.bits() as i64
    }

    /// Rounded to so many bits.
    fn rounded(&self, precision: u64, toward: Toward) -> Dyadic {
        let bits = self.significand.bits();
        if bits <= precision {
            return self.clone();
        }
        let cut = bits - precision;
        // A shift to the right rounds toward minus infinity.
        let significand = match toward {
            Toward::Below => &self.significand >> cut,
            Toward::Above => -(-&self.significand >> cut),
        };
        Dyadic::new(significand, self.exponent + cut as i64)
    }

    /// Rounded to the nearest number of so many bits, ties to even.
    pub(super) fn nearest(&self, precision: u64) -> Dyadic {
        let bits = self.significand.bits();
        if bits <= precision {
            return self.clone();
        }
        let cut = bits - precision;
        let half = BigInt::one() << (cut - 1);
        let (mut quotient, remainder) =
            (&self.significand >> cut, &self.significand & ((BigInt::one() << cut) - 1));
        if remainder > half || remainder == half && quotient.is_odd() {
            quotient += 1;
        }
        Dyadic::new(quotient, self.exponent + cut as i64)
    }

    fn sum(&self, other: &Dyadic, toward: Toward) -> Dyadic {
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        let (large, small) = if self.top() >= other.top() { (self, other) } else { (other, self) };
        // What lies far below the other's last bit only tells which side the sum is on.
        let far = 2 * PRECISION as i64 + 8;
        let floor = (large.top() - far).min(large.exponent - far);
        let small = if small.top() < floor {
            Dyadic { significand: small.significand.signum(), exponent: floor }
        } else {
            small.clone()
        };
        let exponent = large.exponent.min(small.exponent);
        let aligned = |a: &Dyadic| &a.significand << (a.exponent - exponent) as u64;
        Dyadic::new(aligned(large) + aligned(&small), exponent).rounded(PRECISION, toward)
    }

    fn product(&self, other: &Dyadic, toward: Toward) -> Dyadic {
        Dyadic::new(&self.significand * &other.significand, self.exponent + other.exponent)
            .rounded(PRECISION, toward)
    }

    fn quotient(&self, other: &Dyadic, toward: Toward) -> Dyadic {
        let shift = PRECISION + 2 + other.significand.bits();
        let numerator = &self.significand << shift;
        let significand = match toward {
            Toward::Below => numerator.div_floor(&other.significand),
            Toward::Above => -(-numerator).div_floor(&other.significand),
        };
        Dyadic::new(significand, self.exponent - other.exponent - shift as i64)
            .rounded(PRECISION, toward)
    }

    fn root(&self, toward: Toward) -> Dyadic {
        let mut shift = 2 * PRECISION as i64 + 4;
        if (self.exponent - shift) % 2 != 0 {
            shift += 1;
        }
        let radicand = &self.significand << shift as u64;
        let mut root = radicand.sqrt();
        if toward == Toward::Above && &root * &root < radicand {
            root += 1;
        }
        Dyadic::new(root, (self.exponent - shift) / 2).rounded(PRECISION, toward)
    }

    /// The greatest integer that is not above it; itself where it is huge.
    fn floor(&self) -> Dyadic {
        if self.exponent >= 0 {
            return self.clone();
        }
        Dyadic::new(&self.significand >> self.exponent.unsigned_abs(), 0)
    }

    pub(super) fn compare(&self, other: &Dyadic) -> Ordering {
        let difference = self.sum(&other.negated(), Toward::Below);
        difference.significand.cmp(&BigInt::zero())
    }

    /// As text with few digits.
    pub(super) fn text(&self) -> String {
        if self.is_zero() {
            return "0".to_string();
        }
        // The decimal exponent, first by logarithms, then put right.
        let magnitude = self.magnitude();
        let mut decimal = ((magnitude.top() - 1) as f64 * std::f64::consts::LOG10_2).floor() as i64;
        let digits = 7i64;
        loop {
            let scale = digits - 1 - decimal;
            let power = BigInt::from(10).pow(scale.unsigned_abs() as u32);
            let power = Dyadic::new(power, 0);
            let scaled = if scale >= 0 {
                magnitude.product(&power, Toward::Below)
            } else {
                magnitude.quotient(&power, Toward::Below)
            };
            let whole = scaled.sum(&Dyadic::new(BigInt::one(), -1), Toward::Below).floor();
            let whole = (&whole.significand << whole.exponent.max(0) as u64).to_string();
            if whole.len() as i64 > digits {
                decimal += 1;
                continue;
            }
            let sign = if self.is_negative() { "-" } else { "" };
            let fraction = whole[1..].trim_end_matches('0');
            let dot = if fraction.is_empty() { "" } else { "." };
            return format!("{sign}{}{dot}{fraction}e{decimal}", &whole[..1]);
        }
    }
}

/// A real number between two bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) low: Dyadic,
    pub(super) high: Dyadic,
}

impl Interval {
    pub(super) fn point(value: Dyadic) -> Interval {
        Interval { low: value.clone(), high: value }
    }

    pub(super) fn negated(&self) -> Interval {
        Interval { low: self.high.negated(), high: self.low.negated() }
    }

    pub(super) fn magnitude(&self) -> Interval {
        if self.low.is_negative() && !self.high.is_negative() {
            let (a, b) = (self.low.negated(), self.high.clone());
            let high = if a.compare(&b) == Ordering::Less { b } else { a };
            return Interval { low: Dyadic::zero(), high };
        }
        if self.low.is_negative() { self.negated() } else { self.clone() }
    }

    pub(super) fn sum(&self, other: &Interval) -> Interval {
        Interval {
            low: self.low.sum(&other.low, Toward::Below),
            high: self.high.sum(&other.high, Toward::Above),
        }
    }

    fn hull(candidates: [(Dyadic, Dyadic); 4]) -> Interval {
        let [first, rest @ ..] = candidates;
        rest.into_iter().fold(Interval { low: first.0, high: first.1 }, |all, (low, high)| {
            Interval {
                low: if low.compare(&all.low) == Ordering::Less { low } else { all.low },
                high: if high.compare(&all.high) == Ordering::Greater { high } else { all.high },
            }
        })
    }

    pub(super) fn product(&self, other: &Interval) -> Interval {
        let pair =
            |a: &Dyadic, b: &Dyadic| (a.product(b, Toward::Below), a.product(b, Toward::Above));
        Interval::hull([
            pair(&self.low, &other.low),
            pair(&self.low, &other.high),
            pair(&self.high, &other.low),
            pair(&self.high, &other.high),
        ])
    }

    pub(super) fn contains_zero(&self) -> bool {
        !(self.low.is_negative() && self.high.is_negative())
            && (self.low.is_negative() || self.low.is_zero())
    }

    /// None where the divisor may be zero.
    pub(super) fn quotient(&self, other: &Interval) -> Option<Interval> {
        if other.contains_zero() {
            return None;
        }
        let pair =
            |a: &Dyadic, b: &Dyadic| (a.quotient(b, Toward::Below), a.quotient(b, Toward::Above));
        Some(Interval::hull([
            pair(&self.low, &other.low),
            pair(&self.low, &other.high),
            pair(&self.high, &other.low),
            pair(&self.high, &other.high),
        ]))
    }

    /// None where it may be negative.
    pub(super) fn root(&self) -> Option<Interval> {
        if self.low.is_negative() {
            return None;
        }
        Some(Interval { low: self.low.root(Toward::Below), high: self.high.root(Toward::Above) })
    }

    /// Its bounds' integers not above them.
    pub(super) fn floor(&self) -> Interval {
        Interval { low: self.low.floor(), high: self.high.floor() }
    }

    /// How two compare, if their bounds tell.
    pub(super) fn compare(&self, other: &Interval) -> Option<Ordering> {
        let (first, second) = (self.low.compare(&other.high), self.high.compare(&other.low));
        match (first, second) {
            (Ordering::Greater, _) => Some(Ordering::Greater),
            (_, Ordering::Less) => Some(Ordering::Less),
            (Ordering::Equal, Ordering::Equal) => Some(Ordering::Equal),
            _ => None,
        }
    }

    /// The number in the middle of its bounds.
    pub(super) fn middle(&self) -> Dyadic {
        self.low.sum(&self.high, Toward::Below).scaled(-1)
    }
}
