//! Polynomials in one unknown with exact coefficients, and their fractions.

use nanoscope_ieee::Rational;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use std::cmp::Ordering;

/// Beyond this degree, or this many bits of a coefficient, there is no
/// polynomial: what is left out is left to the check of the candidates.
const MOST_DEGREE: usize = 9;
const MOST_BITS: u64 = 1 << 13;

/// Coefficients, of the lowest power first; the last is not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Polynomial(Vec<Rational>);

impl Polynomial {
    pub(super) fn constant(value: Rational) -> Polynomial {
        Polynomial(vec![value]).trimmed()
    }

    /// The unknown itself.
    pub(super) fn unknown() -> Polynomial {
        Polynomial(vec![Rational::zero(), Rational::one()])
    }

    fn trimmed(mut self) -> Polynomial {
        while self.0.last().is_some_and(Zero::is_zero) {
            self.0.pop();
        }
        self
    }

    fn plus(&self, other: &Polynomial) -> Polynomial {
        let length = self.0.len().max(other.0.len());
        let at = |all: &[Rational], index| all.get(index).cloned().unwrap_or_else(Rational::zero);
        Polynomial((0..length).map(|index| at(&self.0, index) + at(&other.0, index)).collect())
            .trimmed()
    }

    fn times(&self, other: &Polynomial) -> Polynomial {
        if self.0.is_empty() || other.0.is_empty() {
            return Polynomial(Vec::new());
        }
        let mut product = vec![Rational::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial(product).trimmed()
    }

    fn is_small(&self) -> bool {
        self.0.len() <= MOST_DEGREE + 1
            && self.0.iter().all(|c| c.numer().bits() + c.denom().bits() <= MOST_BITS)
    }

    /// A polynomial of the same sign everywhere, with integers.
    pub(super) fn integral(&self) -> Integral {
        let common = self.0.iter().fold(BigInt::one(), |common, c| {
            let shared = Rational::new(common.clone(), c.denom().clone());
            // common / gcd * denominator
            shared.numer() * c.denom()
        });
        Integral(self.0.iter().map(|c| c.numer() * (&common / c.denom())).collect())
    }
}

/// A quotient of polynomials.
#[derive(Clone, Debug)]
pub(super) struct Fraction {
    pub(super) above: Polynomial,
    pub(super) below: Polynomial,
}

impl Fraction {
    pub(super) fn of(above: Polynomial) -> Fraction {
        Fraction { above, below: Polynomial::constant(Rational::one()) }
    }

    fn kept(self) -> Option<Fraction> {
        (self.above.is_small() && self.below.is_small() && !self.below.0.is_empty()).then_some(self)
    }

    pub(super) fn plus(&self, other: &Fraction) -> Option<Fraction> {
        if self.below == other.below {
            return Fraction { above: self.above.plus(&other.above), below: self.below.clone() }
                .kept();
        }
        let above = self.above.times(&other.below).plus(&other.above.times(&self.below));
        Fraction { above, below: self.below.times(&other.below) }.kept()
    }

    pub(super) fn negated(&self) -> Fraction {
        let above = Polynomial(self.above.0.iter().map(|c| -c.clone()).collect());
        Fraction { above, below: self.below.clone() }
    }

    pub(super) fn minus(&self, other: &Fraction) -> Option<Fraction> {
        self.plus(&other.negated())
    }

    pub(super) fn times(&self, other: &Fraction) -> Option<Fraction> {
        let (above, below) = (self.above.times(&other.above), self.below.times(&other.below));
        Fraction { above, below }.kept()
    }

    pub(super) fn over(&self, other: &Fraction) -> Option<Fraction> {
        let (above, below) = (self.above.times(&other.below), self.below.times(&other.above));
        Fraction { above, below }.kept()
    }
}

/// Integer coefficients, of the lowest power first.
#[derive(Clone, Debug)]
pub(super) struct Integral(Vec<BigInt>);

impl Integral {
    /// With these coefficients, the last of which is not zero.
    pub(super) fn of(coefficients: Vec<BigInt>) -> Integral {
        Integral(coefficients)
    }

    /// Whether it is the same everywhere.
    pub(super) fn is_constant(&self) -> bool {
        self.0.len() <= 1
    }

    pub(super) fn derivative(&self) -> Integral {
        Integral(self.0.iter().enumerate().skip(1).map(|(power, c)| c * power).collect())
    }

    /// Its sign at `x * 2^exponent`.
    pub(super) fn sign(&self, (mut x, exponent): (BigInt, i64)) -> Ordering {
        // Below one, everything is scaled by the degree's power of the scale.
        let down = if exponent < 0 { exponent.unsigned_abs() } else { 0 };
        if exponent > 0 {
            x <<= exponent as u64;
        }
        let mut sum = BigInt::zero();
        for (step, coefficient) in self.0.iter().rev().enumerate() {
            sum = sum * &x + (coefficient << (down * step as u64));
        }
        if sum.is_zero() {
            Ordering::Equal
        } else if sum.is_negative() {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }
}
