//! Polynomials with an enclosed error: what a float term is over the reals.
//!
//! A [`Form`] stands for every number within `error` of its polynomial in
//! variables that each run over [-1, 1]. Sums and products of forms enclose
//! the exact sums and products: the rounding of the coefficients, which are
//! `double`s, is added to the error, upward.

/// A product of powers of variables: four bits for each exponent.
pub(super) type Monomial = u128;

/// How many variables there can be.
pub(super) const MOST_VARIABLES: usize = 32;

/// A polynomial and an error.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form {
    /// By monomial, ascending; the constant first if there is one.
    terms: Vec<(Monomial, f64)>,
    error: f64,
}

/// Half an ulp of one.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Above what a few thousand roundings to nearest can lose of a sum of
/// positive numbers, and of numbers too small to be normal.
fn up(value: f64) -> f64 {
    value * (1.0 + 1e-10) + f64::MIN_POSITIVE
}

fn degree(monomial: Monomial) -> u32 {
    let mut rest = monomial;
    let mut sum = 0;
    while rest != 0 {
        sum += (rest & 15) as u32;
        rest >>= 4;
    }
    sum
}

/// Whether all exponents are even, so that it runs over [0, 1].
fn is_even(monomial: Monomial) -> bool {
    monomial & 0x1111_1111_1111_1111_1111_1111_1111_1111 == 0
}

impl Form {
    /// A known number.
    pub(super) fn constant(value: f64) -> Form {
        Form { terms: vec![(0, value)], error: 0.0 }
    }

    /// Any number within `radius` of `centre`.
    pub(super) fn around(centre: f64, radius: f64) -> Form {
        Form { terms: vec![(0, centre)], error: radius }
    }

    /// `centre + radius * variable`.
    pub(super) fn variable(index: usize, centre: f64, radius: f64) -> Form {
        Form { terms: vec![(0, centre), (1 << (4 * index), radius)], error: 0.0 }
    }

    /// The value where all variables are 0, but for the error.
    pub(super) fn centre(&self) -> f64 {
        match self.terms.first() {
            Some((0, value)) => *value,
            Some(_) | None => 0.0,
        }
    }

    /// The coefficient of a variable alone.
    pub(super) fn slope(&self, index: usize) -> f64 {
        let monomial = 1 << (4 * index);
        match self.terms.binary_search_by_key(&monomial, |(monomial, _)| *monomial) {
            Ok(at) => self.terms[at].1,
            Err(_) => 0.0,
        }
    }

    /// Bounds of what is neither constant nor linear, the error included.
    pub(super) fn rest(&self) -> (f64, f64) {
        let (mut low, mut high) = (self.error, self.error);
        for (monomial, value) in &self.terms {
            if degree(*monomial) >= 2 {
                if !is_even(*monomial) || *value < 0.0 {
                    low += value.abs();
                }
                if !is_even(*monomial) || *value > 0.0 {
                    high += value.abs();
                }
            }
        }
        (-up(low), up(high))
    }

    /// Bounds of all its values.
    pub(super) fn range(&self) -> (f64, f64) {
        let (low, high) = self.rest();
        let linear: f64 =
            self.terms.iter().filter(|(m, _)| degree(*m) == 1).map(|(_, v)| v.abs()).sum();
        let centre = self.centre();
        let slack = up(linear) + up(UNIT * 4.0 * (centre.abs() + linear));
        (centre - up(slack - low), centre + up(slack + high))
    }

    /// The sum of the magnitudes of coefficients.
    fn size(&self) -> f64 {
        self.terms.iter().map(|(_, value)| value.abs()).sum()
    }

    /// Whether the arithmetic stayed within the range of `double`s.
    pub(super) fn is_finite(&self) -> bool {
        self.error.is_finite() && self.terms.iter().all(|(_, value)| value.is_finite())
    }

    /// With a larger error.
    pub(super) fn widened(mut self, by: f64) -> Form {
        self.error = up(self.error + by);
        self
    }

    /// The opposite numbers.
    pub(super) fn negated(mut self) -> Form {
        self.terms.iter_mut().for_each(|(_, value)| *value = -*value);
        self
    }

    /// Sums.
    pub(super) fn plus(&self, other: &Form) -> Form {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        let mut rounding = 0.0;
        loop {
            match (a.peek(), b.peek()) {
                (Some((m, x)), Some((n, y))) if m == n => {
                    let sum = x + y;
                    rounding += sum.abs();
                    if sum != 0.0 {
                        terms.push((*m, sum));
                    }
                    a.next();
                    b.next();
                }
                (Some((m, x)), Some((n, _))) if m < n => {
                    terms.push((*m, *x));
                    a.next();
                }
                (Some((m, x)), None) => {
                    terms.push((*m, *x));
                    a.next();
                }
                (_, Some((n, y))) => {
                    terms.push((*n, *y));
                    b.next();
                }
                (None, None) => break,
            }
        }
        Form { terms, error: up(self.error + other.error + UNIT * rounding) }
    }

    /// Differences.
    pub(super) fn minus(&self, other: &Form) -> Form {
        self.plus(&other.clone().negated())
    }

    /// Products. Monomials above the degree go to the error.
    pub(super) fn times(&self, other: &Form, most: u32) -> Form {
        let mut products: Vec<(Monomial, f64)> =
            Vec::with_capacity(self.terms.len() * other.terms.len());
        let mut lost = 0.0;
        let degrees: Vec<u32> = other.terms.iter().map(|(m, _)| degree(*m)).collect();
        for (m, x) in &self.terms {
            let own = degree(*m);
            for ((n, y), others) in other.terms.iter().zip(&degrees) {
                if own + others > most {
                    lost += (x * y).abs();
                } else {
                    products.push((m + n, x * y));
                }
            }
        }
        products.sort_unstable_by_key(|(monomial, _)| *monomial);
        let mut terms: Vec<(Monomial, f64)> = Vec::with_capacity(products.len());
        for (monomial, value) in products {
            match terms.last_mut() {
                Some((last, sum)) if *last == monomial => *sum += value,
                Some(_) | None => terms.push((monomial, value)),
            }
        }
        let (a, b) = (self.size(), other.size());
        // Each coefficient is a sum of at most so many products.
        let summands = self.terms.len().min(other.terms.len()) as f64 + 2.0;
        let error = lost
            + self.error * (b + other.error)
            + other.error * a
            + UNIT * summands * a * b * 1.01;
        Form { terms, error: up(error) }
    }

    /// `sum of coefficients[k] * t^k` for this form as `t`, and `error` more.
    fn series(&self, coefficients: &[f64], error: f64, most: u32) -> Form {
        let mut sum = Form::constant(0.0);
        for coefficient in coefficients.iter().rev() {
            sum = sum.times(self, most).plus(&Form::constant(*coefficient));
        }
        sum.widened(error)
    }

    /// This form as `centre * (1 + t)`: the centre, `t` and its bound; none
    /// if `t` may come near -1.
    fn around_one(&self, most: u32) -> Option<(f64, Form, f64)> {
        let centre = self.centre();
        let inverse = 1.0 / centre;
        if !inverse.is_normal() {
            return None;
        }
        // 1/centre is off by half an ulp; so is the product with it.
        let scaled = self.times(&Form::around(inverse, inverse.abs() * UNIT), most);
        let t = scaled.minus(&Form::constant(1.0));
        let (low, high) = t.range();
        let bound = up(low.abs().max(high.abs()));
        (bound < 0.9).then_some((centre, t, bound))
    }

    /// Inverses; none if 0 may be among the numbers, or nearly.
    pub(super) fn inverted(&self, most: u32) -> Option<Form> {
        let (centre, t, bound) = self.around_one(most)?;
        // 1/(1 + t) = 1 - t + t^2 - ...
        let signs: Vec<f64> = (0..=most + 2).map(|k| if k % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let rest = up(bound.powi(signs.len() as i32) / (1.0 - bound));
        let inverse = 1.0 / centre;
        let scale = Form::around(inverse, inverse.abs() * UNIT);
        Some(t.series(&signs, rest, most).times(&scale, most))
    }

    /// Square roots; none if numbers are near 0 or below.
    pub(super) fn rooted(&self, most: u32) -> Option<Form> {
        let (centre, t, bound) = self.around_one(most)?;
        if centre <= 0.0 {
            return None;
        }
        // The binomial series; its coefficients fall in magnitude, and are
        // exact for as long as they are few.
        let mut coefficients = vec![1.0];
        for k in 0..most + 2 {
            let last = coefficients[k as usize];
            coefficients.push(last * (0.5 - f64::from(k)) / f64::from(k + 1));
        }
        let rest = up(bound.powi(coefficients.len() as i32) / (1.0 - bound));
        let rounding = up(UNIT * 16.0 / (1.0 - bound));
        let root = centre.sqrt();
        let scale = Form::around(root, root * UNIT * 2.0);
        Some(t.series(&coefficients, rest + rounding, most).times(&scale, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A form holds what it stands for at some points.
    fn check(form: &Form, exact: impl Fn(f64, f64) -> f64) {
        for x in [-1.0, -0.7, 0.0, 0.3, 1.0] {
            for y in [-1.0, -0.2, 0.0, 0.9, 1.0] {
                let mut value = 0.0;
                for (monomial, coefficient) in &form.terms {
                    let (i, j) = ((monomial & 15) as i32, (monomial >> 4 & 15) as i32);
                    value += coefficient * f64::powi(x, i) * f64::powi(y, j);
                }
                let error = (value - exact(x, y)).abs();
                assert!(error <= form.error + 1e-12, "{error} > {} at {x}, {y}", form.error);
                let (low, high) = form.range();
                assert!(low <= exact(x, y) && exact(x, y) <= high, "{low} {high} at {x}, {y}");
            }
        }
    }

    #[test]
    fn forms_enclose() {
        let x = Form::variable(0, 2.0, 0.5);
        let y = Form::variable(1, -3.0, 0.25);
        for most in [1, 2, 4] {
            let value = |x: f64| 2.0 + 0.5 * x;
            let other = |y: f64| -3.0 + 0.25 * y;
            check(&x.plus(&y), |x, y| value(x) + other(y));
            check(&x.times(&y, most), |x, y| value(x) * other(y));
            check(&x.times(&x, most).times(&y, most), |x, y| value(x) * value(x) * other(y));
            check(&y.inverted(most).expect("not zero"), |_, y| 1.0 / other(y));
            check(&x.rooted(most).expect("positive"), |x, _| value(x).sqrt());
        }
        assert_eq!(Form::variable(0, 0.1, 0.5).inverted(2), None);
    }
}
