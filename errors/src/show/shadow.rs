//! Twofold shadows: a tape in double-double arithmetic beside its floats, and the derivatives of a
//! result, at a point. Estimates that guide a search; nothing is claimed from them.

use crate::graph::tape::{Action, Tape};
use crate::graph::{Comparison, NodeId, Operation};
use nanoscope_ieee::{Libm, Rounding};

/// An unevaluated sum of two doubles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twofold {
    /// The larger part.
    pub high: f64,
    /// The rest.
    pub low: f64,
}

impl Twofold {
    /// A double.
    pub fn new(x: f64) -> Twofold {
        Twofold { high: x, low: 0.0 }
    }

    fn of(high: f64, low: f64) -> Twofold {
        let sum = high + low;
        Twofold { high: sum, low: low - (sum - high) }
    }

    fn two_sum(a: f64, b: f64) -> Twofold {
        let s = a + b;
        let t = s - a;
        Twofold { high: s, low: (a - (s - t)) + (b - t) }
    }

    /// As one double.
    pub fn value(self) -> f64 {
        self.high + self.low
    }

    /// Sum.
    pub fn plus(self, other: Twofold) -> Twofold {
        let s = Twofold::two_sum(self.high, other.high);
        let t = Twofold::two_sum(self.low, other.low);
        let v = Twofold::of(s.high, s.low + t.high);
        Twofold::of(v.high, v.low + t.low)
    }

    /// Minus.
    pub fn negated(self) -> Twofold {
        Twofold { high: -self.high, low: -self.low }
    }

    /// Product.
    pub fn times(self, other: Twofold) -> Twofold {
        let p = self.high * other.high;
        let rest = self.high.mul_add(other.high, -p);
        Twofold::of(p, rest + (self.high * other.low + self.low * other.high))
    }

    /// Quotient.
    pub fn over(self, other: Twofold) -> Twofold {
        let q = self.high / other.high;
        let rest = self.plus(other.times(Twofold::new(-q)));
        let more = rest.high / other.high;
        let rest = rest.plus(other.times(Twofold::new(-more)));
        let last = rest.high / other.high;
        Twofold::of(q, more).plus(Twofold::new(last))
    }

    /// Square root.
    pub fn root(self) -> Twofold {
        let q = self.high.sqrt();
        if q == 0.0 || !q.is_finite() {
            return Twofold::new(q);
        }
        let rest = self.plus(Twofold::new(q).times(Twofold::new(q)).negated());
        Twofold::of(q, rest.high / (2.0 * q))
    }
}

/// The tape in twofold arithmetic; the inputs as twofold numbers.
pub fn shadow(tape: &Tape, point: &[Twofold], values: &mut Vec<Twofold>) {
    values.clear();
    for step in &tape.steps {
        let of = |id: NodeId| values[id.index()];
        let value = match step.action {
            Action::Input(input) => point[input as usize],
            Action::Constant(constant) => Twofold::of(constant.float.lo, -constant.slip.mid),
            Action::Operation(operation) => match operation {
                Operation::Input(_) | Operation::Constant(_) => unreachable!("folded by the tape"),
                Operation::Add(a, b) => of(a).plus(of(b)),
                Operation::Sub(a, b) => of(a).plus(of(b).negated()),
                Operation::Mul(a, b) => of(a).times(of(b)),
                Operation::Div(a, b) => of(a).over(of(b)),
                Operation::Fma(a, b, c) => of(a).times(of(b)).plus(of(c)),
                Operation::Sqrt(a) => of(a).root(),
                Operation::Neg(a) => of(a).negated(),
                Operation::Abs(a) => {
                    if of(a).high < 0.0 {
                        of(a).negated()
                    } else {
                        of(a)
                    }
                }
                Operation::Min(a, b) => {
                    if of(a).plus(of(b).negated()).value() <= 0.0 {
                        of(a)
                    } else {
                        of(b)
                    }
                }
                Operation::Max(a, b) => {
                    if of(a).plus(of(b).negated()).value() >= 0.0 {
                        of(a)
                    } else {
                        of(b)
                    }
                }
                Operation::Convert(a) | Operation::Argument(a) => of(a),
                Operation::Call(_) => unreachable!("calls are inlined before runs"),
                Operation::Integral(mode, a) => Twofold::new(integral(mode, of(a))),
                Operation::Unary(function, a) => library(function, of(a), None),
                Operation::Binary(function, a, b) => library(function, of(a), Some(of(b))),
                Operation::Choose(Comparison { left, relation, right }, a, b) => {
                    let difference = of(left).plus(of(right).negated()).value();
                    of(if relation.holds(&difference, &0.0) { a } else { b })
                }
            },
        };
        values.push(value);
    }
}

fn integral(mode: Rounding, x: Twofold) -> f64 {
    // The low part decides where the high one is an integer.
    let whole = x.high.floor();
    let part = (x.high - whole) + x.low;
    let (whole, part) = if part < 0.0 { (whole - 1.0, part + 1.0) } else { (whole, part) };
    let up = match mode {
        Rounding::Downward => false,
        Rounding::Upward => part > 0.0,
        Rounding::TowardZero => whole < 0.0 && part > 0.0,
        Rounding::NearestAway => part > 0.5 || part == 0.5 && whole >= 0.0,
        Rounding::NearestEven => part > 0.5 || part == 0.5 && whole % 2.0 != 0.0,
    };
    if up { whole + 1.0 } else { whole }
}

/// Bits of the reference value of a library function.
const BITS: u32 = 120;

/// A library function: exact at the high parts, linear in the low ones.
fn library(function: Libm, x: Twofold, y: Option<Twofold>) -> Twofold {
    use rug::Float;
    use rug::ops::Pow;
    let a = Float::with_val(BITS, x.high) + x.low;
    let value = match function {
        Libm::Exp => a.exp(),
        Libm::Exp2 => a.exp2(),
        Libm::Expm1 => a.exp_m1(),
        Libm::Log => a.ln(),
        Libm::Log2 => a.log2(),
        Libm::Log10 => a.log10(),
        Libm::Log1p => a.ln_1p(),
        Libm::Sin => a.sin(),
        Libm::Cos => a.cos(),
        Libm::Tan => a.tan(),
        Libm::Asin => a.asin(),
        Libm::Acos => a.acos(),
        Libm::Atan => a.atan(),
        Libm::Sinh => a.sinh(),
        Libm::Cosh => a.cosh(),
        Libm::Tanh => a.tanh(),
        Libm::Cbrt => a.cbrt(),
        Libm::Exp10 => a.exp10(),
        Libm::Asinh => a.asinh(),
        Libm::Acosh => a.acosh(),
        Libm::Atanh => a.atanh(),
        Libm::Erf => a.erf(),
        Libm::Erfc => a.erfc(),
        // MPFR takes as long for them as the argument is large.
        Libm::Tgamma | Libm::Lgamma | Libm::J0 | Libm::J1 | Libm::Y0 | Libm::Y1
            if x.high.abs() > 1e4 =>
        {
            return Twofold::new(f64::NAN);
        }
        Libm::Tgamma => a.gamma(),
        Libm::Lgamma => a.ln_abs_gamma().0,
        Libm::J0 => a.j0(),
        Libm::J1 => a.j1(),
        Libm::Y0 => a.y0(),
        Libm::Y1 => a.y1(),
        Libm::Pow | Libm::Atan2 | Libm::Hypot => {
            let y = y.unwrap_or(Twofold::new(0.0));
            let b = Float::with_val(BITS, y.high) + y.low;
            match function {
                Libm::Pow => a.pow(b),
                Libm::Atan2 => a.atan2(&b),
                _ => a.hypot(&b),
            }
        }
    };
    let high = value.to_f64();
    if !high.is_finite() {
        return Twofold::new(high);
    }
    Twofold { high, low: (value - high).to_f64() }
}

/// The derivatives of a place by all places, at the values of a run.
pub fn derivatives(tape: &Tape, values: &[f64], output: usize, adjoints: &mut Vec<f64>) {
    adjoints.clear();
    adjoints.resize(output + 1, 0.0);
    adjoints[output] = 1.0;
    for place in (0..=output).rev() {
        let d = adjoints[place];
        let Action::Operation(operation) = tape.steps[place].action else { continue };
        if d == 0.0 {
            continue;
        }
        let of = |id: NodeId| values[id.index()];
        let mut give = |id: NodeId, by: f64| adjoints[id.index()] += d * by;
        match operation {
            Operation::Input(_) | Operation::Constant(_) | Operation::Integral(..) => {}
            Operation::Add(a, b) => {
                give(a, 1.0);
                give(b, 1.0);
            }
            Operation::Sub(a, b) => {
                give(a, 1.0);
                give(b, -1.0);
            }
            Operation::Mul(a, b) => {
                give(a, of(b));
                give(b, of(a));
            }
            Operation::Div(a, b) => {
                give(a, 1.0 / of(b));
                give(b, -of(a) / (of(b) * of(b)));
            }
            Operation::Fma(a, b, c) => {
                give(a, of(b));
                give(b, of(a));
                give(c, 1.0);
            }
            Operation::Sqrt(a) => give(a, 0.5 / of(a).sqrt()),
            Operation::Neg(a) => give(a, -1.0),
            Operation::Abs(a) => give(a, of(a).signum()),
            Operation::Min(a, b) => give(if of(a) <= of(b) { a } else { b }, 1.0),
            Operation::Max(a, b) => give(if of(a) >= of(b) { a } else { b }, 1.0),
            Operation::Convert(a) | Operation::Argument(a) => give(a, 1.0),
            Operation::Call(_) => unreachable!("calls are inlined before runs"),
            Operation::Unary(function, a) => give(a, slope(function, of(a))),
            Operation::Choose(Comparison { left, relation, right }, a, b) => {
                give(if relation.holds(&of(left), &of(right)) { a } else { b }, 1.0);
            }
            Operation::Binary(function, a, b) => {
                let (x, y) = (of(a), of(b));
                match function {
                    Libm::Pow => {
                        give(a, y * x.powf(y - 1.0));
                        if x > 0.0 {
                            give(b, x.powf(y) * x.ln());
                        }
                    }
                    Libm::Atan2 => {
                        give(a, y / (x * x + y * y));
                        give(b, -x / (x * x + y * y));
                    }
                    _ => {
                        give(a, x / x.hypot(y));
                        give(b, y / x.hypot(y));
                    }
                }
            }
        }
    }
}

fn slope(function: Libm, x: f64) -> f64 {
    match function {
        Libm::Exp | Libm::Expm1 => x.exp(),
        Libm::Exp2 => x.exp2() * std::f64::consts::LN_2,
        Libm::Log => 1.0 / x,
        Libm::Log2 => 1.0 / (x * std::f64::consts::LN_2),
        Libm::Log10 => 1.0 / (x * std::f64::consts::LN_10),
        Libm::Log1p => 1.0 / (1.0 + x),
        Libm::Sin => x.cos(),
        Libm::Cos => -x.sin(),
        Libm::Tan => 1.0 + x.tan() * x.tan(),
        Libm::Asin => 1.0 / (1.0 - x * x).sqrt(),
        Libm::Acos => -1.0 / (1.0 - x * x).sqrt(),
        Libm::Atan => 1.0 / (1.0 + x * x),
        Libm::Sinh => x.cosh(),
        Libm::Cosh => x.sinh(),
        Libm::Tanh => 1.0 - x.tanh() * x.tanh(),
        Libm::Cbrt => 1.0 / (3.0 * x.cbrt() * x.cbrt()),
        Libm::Exp10 => 10f64.powf(x) * std::f64::consts::LN_10,
        Libm::Asinh => 1.0 / (x * x + 1.0).sqrt(),
        Libm::Acosh => 1.0 / (x * x - 1.0).sqrt(),
        Libm::Atanh => 1.0 / (1.0 - x * x),
        Libm::Erf => std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp(),
        Libm::Erfc => -std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp(),
        Libm::Pow | Libm::Atan2 | Libm::Hypot => 0.0,
        // Any other by a difference quotient.
        _ => {
            let h = 1e-6 * x.abs().max(1.0);
            let at = |x: f64| function.of_doubles(x, 0.0);
            (at(x + h) - at(x - h)) / (2.0 * h)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twofold_arithmetic_is_twice_as_precise() {
        let third = Twofold::new(1.0).over(Twofold::new(3.0));
        let back = third.times(Twofold::new(3.0)).plus(Twofold::new(-1.0));
        assert!(back.value().abs() < 1e-31, "{back:?}");
        let root = Twofold::new(2.0).root();
        let square = root.times(root).plus(Twofold::new(-2.0));
        assert!(square.value().abs() < 1e-30, "{square:?}");
    }
}
