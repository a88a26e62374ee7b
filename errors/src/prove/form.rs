//! Affine forms: `center + sum of slopes[j] * e[j] +- rest`, every `e[j]` between -1 and 1.
//!
//! A box of inputs has one symbol `e[j]` for each of its sides, so that forms over the same box
//! keep how values depend on each other: `x - x` is 0. What is not linear, and every rounding of
//! this arithmetic itself, goes into `rest`: a form encloses what it stands for.

use crate::interval::{Interval, add_down, add_up};

/// An affine form over `N` symbols.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form<const N: usize> {
    /// The value where all symbols are 0.
    pub center: f64,
    /// How it depends on each symbol.
    pub slopes: [f64; N],
    /// How far the value can be from the linear part.
    pub rest: f64,
}

/// Bounds the error of one operation of `f64` to nearest, relative to its result.
const UNIT: f64 = 1.2e-16;
/// Bounds what underflow loses in a few operations.
const TINY: f64 = 1e-320;

impl<const N: usize> Form<N> {
    /// Zero.
    pub const ZERO: Form<N> = Form { center: 0.0, slopes: [0.0; N], rest: 0.0 };

    /// A constant.
    pub fn constant(x: f64) -> Form<N> {
        Form { center: x, ..Form::ZERO }
    }

    /// Anything of an interval.
    pub fn interval(x: Interval) -> Form<N> {
        let center = x.middle();
        Form { center, slopes: [0.0; N], rest: x.radius_from(center) }
    }

    /// Adds the slack of this arithmetic: `scale` is the sum of the magnitudes that were rounded.
    fn slack(mut self, scale: f64) -> Form<N> {
        if scale != 0.0 {
            self.rest = (self.rest + scale * UNIT) * (1.0 + 16.0 * UNIT) + TINY;
        }
        self
    }

    /// The largest distance from the center.
    pub fn radius(&self) -> f64 {
        let mut sum = self.rest;
        for slope in self.slopes {
            sum += slope.abs();
        }
        sum * (1.0 + (N + 2) as f64 * UNIT)
    }

    /// Where its values lie.
    pub fn range(&self) -> Interval {
        let radius = self.radius();
        if !(radius.is_finite() && self.center.is_finite()) {
            return Interval::ALL;
        }
        Interval { lo: add_down(self.center, -radius), hi: add_up(self.center, radius) }
    }

    /// Whether it says anything.
    pub fn is_finite(&self) -> bool {
        self.radius().is_finite() && self.center.is_finite()
    }

    /// The same, `r` less sure.
    pub fn widened(mut self, r: f64) -> Form<N> {
        self.rest = add_up(self.rest, r);
        self
    }

    /// The same, shifted by a number.
    pub fn shifted(mut self, x: f64) -> Form<N> {
        if x == 0.0 {
            return self;
        }
        self.center += x;
        let scale = self.center.abs();
        self.slack(scale)
    }

    /// The same, times a number.
    pub fn scaled(self, k: f64) -> Form<N> {
        if k == 1.0 {
            return self;
        }
        let mut result =
            Form { center: self.center * k, slopes: [0.0; N], rest: self.rest * k.abs() };
        let mut scale = result.center.abs() + result.rest;
        for j in 0..N {
            result.slopes[j] = self.slopes[j] * k;
            scale += result.slopes[j].abs();
        }
        result.slack(scale)
    }

    /// The product of two forms.
    pub fn times(&self, other: &Form<N>) -> Form<N> {
        let (a, b) = (self, other);
        if a.rest == 0.0 && a.slopes == [0.0; N] {
            return b.scaled(a.center);
        }
        if b.rest == 0.0 && b.slopes == [0.0; N] {
            return a.scaled(b.center);
        }
        let mut result = Form::constant(a.center * b.center);
        let mut scale = result.center.abs();
        let (mut sum_a, mut sum_b, mut diagonal, mut diagonal_size) = (0.0, 0.0, 0.0, 0.0);
        for j in 0..N {
            let slope = a.center * b.slopes[j] + b.center * a.slopes[j];
            result.slopes[j] = slope;
            scale += 3.0 * ((a.center * b.slopes[j]).abs() + (b.center * a.slopes[j]).abs());
            sum_a += a.slopes[j].abs();
            sum_b += b.slopes[j].abs();
            // A square of a symbol lies between 0 and 1: half of it is certain.
            let square = a.slopes[j] * b.slopes[j];
            diagonal += square;
            diagonal_size += square.abs();
        }
        result.center += 0.5 * diagonal;
        let cross = if N <= 9 {
            let mut cross = 0.0;
            for j in 0..N {
                for k in 0..j {
                    cross += (a.slopes[j] * b.slopes[k] + a.slopes[k] * b.slopes[j]).abs();
                }
            }
            cross + sum_a * sum_b * 4.0 * UNIT
        } else {
            (sum_a * sum_b - diagonal_size) + sum_a * sum_b * (N as f64) * UNIT
        };
        let uncertain =
            (a.center.abs() + sum_a) * b.rest + (b.center.abs() + sum_b) * a.rest + a.rest * b.rest;
        result.rest = 0.5 * diagonal_size + cross.max(0.0) + uncertain;
        scale += (N + 4) as f64 * (diagonal_size + cross + uncertain) + result.center.abs();
        result.slack(scale)
    }

    /// A function with its value at the center, its slope there and its second derivatives on
    /// the whole range: Taylor's formula of second order.
    pub fn curved(&self, value: Interval, slope: Interval, bend: Interval) -> Form<N> {
        let radius = self.radius();
        let half =
            Interval { lo: 0.0, hi: 0.5 } * Interval::point(radius) * Interval::point(radius);
        let second = bend * half;
        if !(radius.is_finite() && slope.is_finite()) {
            return Form::interval(Interval::ALL);
        }
        let k = slope.middle();
        let mut result = self.shifted(-self.center).scaled(k);
        let constant = value + second;
        if !(constant.is_finite() && k.is_finite()) {
            return Form::interval(Interval::ALL);
        }
        let middle = constant.middle();
        result.center += middle;
        let scale = result.center.abs();
        let uncertain =
            add_up(constant.radius_from(middle), slope.radius_from(k) * radius * (1.0 + UNIT));
        result.widened(uncertain).slack(scale)
    }

    /// A function with its value at the center and its slopes on the whole range: the mean value
    /// theorem.
    pub fn sloped(&self, value: Interval, slope: Interval) -> Form<N> {
        if !(value.is_finite() && slope.is_finite() && self.is_finite()) {
            return Form::interval(Interval::ALL);
        }
        let k = slope.middle();
        let mut result = self.shifted(-self.center).scaled(k);
        let middle = value.middle();
        result.center += middle;
        let scale = result.center.abs();
        let uncertain =
            value.radius_from(middle) + slope.radius_from(k) * self.radius() * (1.0 + 4.0 * UNIT);
        result.widened(uncertain * (1.0 + 4.0 * UNIT)).slack(scale)
    }

    /// A form that is nowhere less than the absolute value of this one: the chord, where the
    /// sign is not known.
    pub fn absolute_above(&self) -> Form<N> {
        let Interval { lo, hi } = self.range();
        if lo >= 0.0 {
            *self
        } else if hi <= 0.0 {
            -*self
        } else if lo.is_finite() && hi.is_finite() {
            let width = hi - lo;
            let slope = (hi + lo) / width;
            let chord = self.scaled(slope).shifted(-2.0 * (hi / width) * lo);
            // The chord's own ends are rounded.
            chord.slack(4.0 * width)
        } else {
            Form::interval(Interval::ALL)
        }
    }
}

impl<const N: usize> std::ops::Neg for Form<N> {
    type Output = Form<N>;
    fn neg(mut self) -> Form<N> {
        self.center = -self.center;
        for slope in &mut self.slopes {
            *slope = -*slope;
        }
        self
    }
}

impl<const N: usize> std::ops::Add for Form<N> {
    type Output = Form<N>;
    fn add(self, other: Form<N>) -> Form<N> {
        let mut result = Form::constant(self.center + other.center);
        let mut scale = result.center.abs();
        for j in 0..N {
            result.slopes[j] = self.slopes[j] + other.slopes[j];
            scale += result.slopes[j].abs();
        }
        result.rest = self.rest + other.rest;
        scale += result.rest;
        result.slack(scale)
    }
}

impl<const N: usize> std::ops::Sub for Form<N> {
    type Output = Form<N>;
    fn sub(self, other: Form<N>) -> Form<N> {
        self + -other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(center: f64, radius: f64, j: usize) -> Form<2> {
        let mut slopes = [0.0; 2];
        slopes[j] = radius;
        Form { center, slopes, rest: 0.0 }
    }

    fn at(form: &Form<2>, e: [f64; 2]) -> f64 {
        form.center + form.slopes[0] * e[0] + form.slopes[1] * e[1]
    }

    #[test]
    fn forms_enclose_and_correlate() {
        let (x, y) = (side(2.0, 0.5, 0), side(-1.0, 0.25, 1));
        assert!((x - x).radius() < 1e-15);
        let product = x.times(&y) + x.times(&x);
        let absolute = (x + y.scaled(2.0)).absolute_above();
        let root = x.curved(
            Interval::point(2.0).sqrt(),
            Interval::point(0.5) / Interval::point(2.0).sqrt(),
            -(Interval::point(0.25) / x.range().sqrt().powi(3)),
        );
        for i in 0..=20 {
            for j in 0..=20 {
                let e = [f64::from(i) / 10.0 - 1.0, f64::from(j) / 10.0 - 1.0];
                let (a, b) = (at(&x, e), at(&y, e));
                assert!((a * b + a * a - at(&product, e)).abs() <= product.rest);
                assert!((a + 2.0 * b).abs() <= at(&absolute, e) + absolute.rest);
                assert!((a.sqrt() - at(&root, e)).abs() <= root.rest + 1e-15);
            }
        }
    }
}
