//! Intervals of reals with `f64` ends, rounded outward.
//!
//! Each end is exact where the operation is exact: the residual of the rounded operation says
//! which way it rounded, so that `1 + 1` is `2` and not the next float above.

/// The reals from `lo` to `hi`. Ends may be infinite; an interval is never empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
}

/// Below this magnitude the residual of a product or quotient may itself underflow.
const RESIDUAL_LIMIT: f64 = 1e-270;

/// `a + b` and the sign of what its rounding cut off.
fn sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// The least float that is at least `a + b`.
pub fn add_up(a: f64, b: f64) -> f64 {
    let (s, rest) = sum(a, b);
    if s.is_nan() {
        return f64::INFINITY;
    }
    if s == f64::NEG_INFINITY && a.is_finite() && b.is_finite() {
        return f64::MIN;
    }
    if rest > 0.0 { s.next_up() } else { s }
}

/// The greatest float that is at most `a + b`.
pub fn add_down(a: f64, b: f64) -> f64 {
    -add_up(-a, -b)
}

/// An upper bound of `a * b`, the least one but near underflow; `0 * inf` is 0.
pub fn mul_up(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let p = a * b;
    if p.abs() < RESIDUAL_LIMIT {
        return p.next_up();
    }
    let rest = a.mul_add(b, -p);
    if rest > 0.0 || p == f64::NEG_INFINITY && a.is_finite() && b.is_finite() {
        p.next_up()
    } else {
        p
    }
}

/// A lower bound of `a * b`.
pub fn mul_down(a: f64, b: f64) -> f64 {
    -mul_up(-a, b)
}

/// An upper bound of `a / b` for `b` not 0.
pub fn div_up(a: f64, b: f64) -> f64 {
    if a == 0.0 || b.is_infinite() && a.is_finite() {
        // A quotient by an infinite end stands for all smaller ones: it comes near 0.
        return 0.0;
    }
    let q = a / b;
    if q.abs() < RESIDUAL_LIMIT || a.abs() < RESIDUAL_LIMIT {
        return q.next_up();
    }
    if q == f64::NEG_INFINITY && a.is_finite() {
        return f64::MIN;
    }
    let rest = (-q).mul_add(b, a);
    if q.is_finite() && rest != 0.0 && (rest > 0.0) == (b > 0.0) { q.next_up() } else { q }
}

/// A lower bound of `a / b` for `b` not 0.
pub fn div_down(a: f64, b: f64) -> f64 {
    -div_up(-a, b)
}

impl Interval {
    /// All reals.
    pub const ALL: Interval = Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    /// Zero alone.
    pub const ZERO: Interval = Interval { lo: 0.0, hi: 0.0 };

    /// From `lo` to `hi`.
    pub fn new(lo: f64, hi: f64) -> Interval {
        debug_assert!(lo <= hi, "an interval from {lo} to {hi}");
        Interval { lo, hi }
    }

    /// One number alone.
    pub fn point(x: f64) -> Interval {
        Interval { lo: x, hi: x }
    }

    /// From `-r` to `r`.
    pub fn symmetric(r: f64) -> Interval {
        Interval { lo: -r, hi: r }
    }

    /// Whether both ends are finite.
    pub fn is_finite(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// Whether it holds a number.
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// The largest magnitude.
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// The least magnitude.
    pub fn mignitude(self) -> f64 {
        if self.contains(0.0) { 0.0 } else { self.lo.abs().min(self.hi.abs()) }
    }

    /// A number in the middle, of finite intervals.
    pub fn middle(self) -> f64 {
        let m = 0.5 * self.lo + 0.5 * self.hi;
        m.clamp(self.lo, self.hi)
    }

    /// How far any member can be from `center`.
    pub fn radius_from(self, center: f64) -> f64 {
        add_up(self.hi, -center).max(add_up(center, -self.lo))
    }

    /// The width, rounded up.
    pub fn width(self) -> f64 {
        add_up(self.hi, -self.lo)
    }

    /// The least interval that holds both.
    pub fn hull(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// What both hold, or nothing.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (lo <= hi).then_some(Interval { lo, hi })
    }

    /// What both hold; itself where rounding left nothing in common.
    pub fn narrowed(self, other: Interval) -> Interval {
        self.meet(other).unwrap_or(self)
    }

    /// The absolute values.
    pub fn abs(self) -> Interval {
        Interval { lo: self.mignitude(), hi: self.magnitude() }
    }

    /// The squares.
    pub fn square(self) -> Interval {
        let a = self.abs();
        Interval { lo: mul_down(a.lo, a.lo).max(0.0), hi: mul_up(a.hi, a.hi) }
    }

    /// The reciprocals; all reals if 0 is among the divisors.
    pub fn recip(self) -> Interval {
        Interval::point(1.0) / self
    }

    /// The square roots of the members that have one.
    pub fn sqrt(self) -> Interval {
        let root_up = |x: f64| {
            let q = x.sqrt();
            if q.is_finite() && q > 0.0 && (x < RESIDUAL_LIMIT || (-q).mul_add(q, x) > 0.0) {
                q.next_up()
            } else {
                q
            }
        };
        let root_down = |x: f64| {
            let q = x.sqrt();
            if q.is_finite() && q > 0.0 && (x < RESIDUAL_LIMIT || (-q).mul_add(q, x) < 0.0) {
                q.next_down()
            } else {
                q
            }
        };
        Interval { lo: root_down(self.lo.max(0.0)), hi: root_up(self.hi.max(0.0)) }
    }

    /// The `n`-th powers.
    pub fn powi(self, n: i32) -> Interval {
        if n < 0 {
            return self.powi(-n).recip();
        }
        let base = if n % 2 == 0 { self.abs() } else { self };
        let end = |x: f64, up: bool| {
            // Magnitudes are rounded the way the signed result must go.
            let negative = x < 0.0;
            let grow = up != negative;
            let mut power = 1.0;
            for _ in 0..n {
                power =
                    if grow { mul_up(power, x.abs()) } else { mul_down(power, x.abs()).max(0.0) };
            }
            if negative && n % 2 == 1 { -power } else { power }
        };
        if n > 4096 {
            return Interval::ALL;
        }
        Interval { lo: end(base.lo, false), hi: end(base.hi, true) }
    }

    /// Wider by `r` on both sides.
    pub fn widened(self, r: f64) -> Interval {
        Interval { lo: add_down(self.lo, -r), hi: add_up(self.hi, r) }
    }

    /// The lesser of each pair.
    pub fn min(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    /// The greater of each pair.
    pub fn max(self, other: Interval) -> Interval {
        Interval { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }
}

impl std::ops::Neg for Interval {
    type Output = Interval;
    fn neg(self) -> Interval {
        Interval { lo: -self.hi, hi: -self.lo }
    }
}

impl std::ops::Add for Interval {
    type Output = Interval;
    fn add(self, other: Interval) -> Interval {
        Interval { lo: add_down(self.lo, other.lo), hi: add_up(self.hi, other.hi) }
    }
}

impl std::ops::Sub for Interval {
    type Output = Interval;
    fn sub(self, other: Interval) -> Interval {
        self + -other
    }
}

/// From `lo` to `hi`; all reals where an operand was no interval of numbers.
fn from_ends(lo: f64, hi: f64) -> Interval {
    if lo <= hi { Interval { lo, hi } } else { Interval::ALL }
}

impl std::ops::Mul for Interval {
    type Output = Interval;
    fn mul(self, other: Interval) -> Interval {
        let (a, b) = (self, other);
        let ends = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)];
        from_ends(
            ends.iter().map(|&(x, y)| mul_down(x, y)).fold(f64::INFINITY, f64::min),
            ends.iter().map(|&(x, y)| mul_up(x, y)).fold(f64::NEG_INFINITY, f64::max),
        )
    }
}

impl std::ops::Div for Interval {
    type Output = Interval;
    fn div(self, other: Interval) -> Interval {
        let (a, b) = (self, other);
        if b.contains(0.0) {
            return Interval::ALL;
        }
        let ends = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)];
        from_ends(
            ends.iter().map(|&(x, y)| div_down(x, y)).fold(f64::INFINITY, f64::min),
            ends.iter().map(|&(x, y)| div_up(x, y)).fold(f64::NEG_INFINITY, f64::max),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_operations_stay_exact() {
        let one = Interval::point(1.0);
        assert_eq!(Interval::point(f64::NAN) * Interval::point(1.0), Interval::ALL);
        assert_eq!(one + one, Interval::point(2.0));
        assert_eq!(Interval::new(-1.0, 1.0).square(), Interval::new(0.0, 1.0));
        assert_eq!(Interval::new(-2.0, 3.0).powi(3), Interval::new(-8.0, 27.0));
        assert_eq!(Interval::new(1.0, 4.0).sqrt(), Interval::new(1.0, 2.0));
        assert_eq!(Interval::new(1.0, 4.0).recip(), Interval::new(0.25, 1.0));
    }

    #[test]
    fn inexact_operations_enclose() {
        let tenth = Interval::point(0.1);
        let sum = tenth + Interval::point(0.2);
        assert!(sum.lo < sum.hi && sum.lo >= 0.3 && sum.hi <= 0.30000000000000005);
        let third = Interval::point(1.0) / Interval::point(3.0);
        assert!(third.lo == 1.0 / 3.0 && third.hi == third.lo.next_up());
        let product = tenth * tenth;
        assert!(product.lo < product.hi);
        assert_eq!(tenth / Interval::new(-1.0, 1.0), Interval::ALL);
    }
}
