//! The exact value of a computation at a point: intervals of MPFR numbers, as precise as wanted.

use crate::graph::tape::Tape;
use crate::graph::{Comparison, Graph, NodeId, Operation, Relation};
use nanoscope_ieee::{Libm, Rational, Rounding};
use num_bigint::{BigInt, Sign};
use num_traits::One;
use rug::Float;
use rug::float::Round;
use rug::ops::{AssignRound, Pow};
use std::cmp::Ordering;

/// The exact value of a finite MPFR number.
pub fn rational_of(value: &Float) -> Option<Rational> {
    let (integer, exponent) = value.to_integer_exp()?;
    let sign = match integer.cmp0() {
        std::cmp::Ordering::Less => Sign::Minus,
        std::cmp::Ordering::Equal => Sign::NoSign,
        std::cmp::Ordering::Greater => Sign::Plus,
    };
    let digits = integer.to_digits::<u64>(rug::integer::Order::Lsf);
    let bytes: Vec<u8> = digits.iter().flat_map(|digit| digit.to_le_bytes()).collect();
    let numerator = BigInt::from_bytes_le(sign, &bytes);
    let scale = BigInt::one() << exponent.unsigned_abs();
    Some(if exponent >= 0 {
        Rational::from_integer(numerator * scale)
    } else {
        Rational::new(numerator, scale)
    })
}

/// An interval of MPFR numbers; NaN ends where an operation has no value.
#[derive(Clone, Debug)]
pub struct Wide {
    lo: Float,
    hi: Float,
}

fn down<T>(precision: u32, value: T) -> Float
where
    Float: AssignRound<T, Round = Round, Ordering = Ordering>,
{
    Float::with_val_round(precision, value, Round::Down).0
}

fn up<T>(precision: u32, value: T) -> Float
where
    Float: AssignRound<T, Round = Round, Ordering = Ordering>,
{
    Float::with_val_round(precision, value, Round::Up).0
}

/// An MPFR number as precise as a rational needs, if that is dyadic; rounded else.
fn rounded(value: &Rational, precision: u32, direction: Round) -> Float {
    let integer = |number: &BigInt| {
        let (sign, bytes) = number.to_bytes_le();
        let magnitude = rug::Integer::from_digits(&bytes, rug::integer::Order::Lsf);
        if sign == Sign::Minus { -magnitude } else { magnitude }
    };
    let quotient = rug::Rational::from((integer(value.numer()), integer(value.denom())));
    Float::with_val_round(precision, &quotient, direction).0
}

impl Wide {
    /// Encloses a rational.
    pub fn rational(value: &Rational, precision: u32) -> Wide {
        Wide {
            lo: rounded(value, precision, Round::Down),
            hi: rounded(value, precision, Round::Up),
        }
    }

    fn point(x: f64, precision: u32) -> Wide {
        Wide { lo: Float::with_val(precision, x), hi: Float::with_val(precision, x) }
    }

    fn nothing(precision: u32) -> Wide {
        Wide::point(f64::NAN, precision)
    }

    /// Whether both ends are finite numbers.
    pub fn is_finite(&self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    fn contains_zero(&self) -> bool {
        // A NaN contains anything.
        let apart = self.lo > 0 || self.hi < 0;
        !apart
    }

    /// How it compares with another, if that is certain.
    pub fn compare(&self, relation: Relation, other: &Wide) -> Option<bool> {
        if !(self.is_finite() && other.is_finite()) {
            return None;
        }
        let same = self.lo == self.hi && other.lo == other.hi && self.lo == other.lo;
        let apart = self.hi < other.lo || self.lo > other.hi;
        match relation {
            Relation::Less if self.hi < other.lo => Some(true),
            Relation::Less if self.lo >= other.hi => Some(false),
            Relation::LessEqual if self.hi <= other.lo => Some(true),
            Relation::LessEqual if self.lo > other.hi => Some(false),
            Relation::Equal if same => Some(true),
            Relation::Equal if apart => Some(false),
            Relation::NotEqual if same => Some(false),
            Relation::NotEqual if apart => Some(true),
            Relation::Less | Relation::LessEqual | Relation::Equal | Relation::NotEqual => None,
        }
    }

    /// Everything between both; nothing where one is nothing.
    fn hull(&self, other: &Wide) -> Wide {
        if !(self.is_finite() && other.is_finite()) {
            return Wide::nothing(self.lo.prec());
        }
        let lo = if self.lo <= other.lo { &self.lo } else { &other.lo };
        let hi = if self.hi >= other.hi { &self.hi } else { &other.hi };
        Wide { lo: lo.clone(), hi: hi.clone() }
    }

    /// Bounds the distance from a float, from both sides, as `f64`s rounded outward.
    pub fn distance(&self, float: &Rational) -> (f64, f64) {
        let precision = self.lo.prec() + 64;
        let at = Wide::rational(float, precision);
        let difference = at.sub(self, precision);
        let (lo, hi) = (difference.lo, difference.hi);
        let most =
            if lo.clone().abs() > hi.clone().abs() { lo.clone().abs() } else { hi.clone().abs() };
        let least = if lo > 0 {
            lo
        } else if hi < 0 {
            -hi
        } else {
            Float::with_val(precision, 0)
        };
        (least.to_f64_round(Round::Down), most.to_f64_round(Round::Up))
    }

    /// The largest magnitude and the least one, rounded outward.
    pub fn magnitudes(&self) -> (f64, f64) {
        let zero = Rational::from_integer(BigInt::from(0));
        self.distance(&zero)
    }

    /// The middle in decimal.
    pub fn decimal(&self, digits: usize) -> String {
        let sum = Float::with_val(self.lo.prec() + 2, &self.lo + &self.hi);
        let middle: Float = sum / 2u32;
        middle.to_string_radix(10, Some(digits))
    }

    fn add(&self, other: &Wide, p: u32) -> Wide {
        Wide { lo: down(p, &self.lo + &other.lo), hi: up(p, &self.hi + &other.hi) }
    }

    fn sub(&self, other: &Wide, p: u32) -> Wide {
        Wide { lo: down(p, &self.lo - &other.hi), hi: up(p, &self.hi - &other.lo) }
    }

    fn neg(&self) -> Wide {
        Wide { lo: -self.hi.clone(), hi: -self.lo.clone() }
    }

    /// The hull of what both ends of both operands give, rounded outward.
    fn corners(&self, other: &Wide, p: u32, f: impl Fn(&Float, &Float, Round) -> Float) -> Wide {
        let ends = [
            (&self.lo, &other.lo),
            (&self.lo, &other.hi),
            (&self.hi, &other.lo),
            (&self.hi, &other.hi),
        ];
        let mut lo = Float::with_val(p, f64::INFINITY);
        let mut hi = Float::with_val(p, f64::NEG_INFINITY);
        for (a, b) in ends {
            let (least, most) = (f(a, b, Round::Down), f(a, b, Round::Up));
            if least.is_nan() || most.is_nan() {
                return Wide::nothing(p);
            }
            if least < lo {
                lo = least;
            }
            if most > hi {
                hi = most;
            }
        }
        Wide { lo, hi }
    }

    fn mul(&self, other: &Wide, p: u32) -> Wide {
        self.corners(other, p, |a, b, round| Float::with_val_round(p, a * b, round).0)
    }

    fn div(&self, other: &Wide, p: u32) -> Wide {
        if other.contains_zero() {
            return Wide::nothing(p);
        }
        self.corners(other, p, |a, b, round| Float::with_val_round(p, a / b, round).0)
    }

    fn abs(&self, p: u32) -> Wide {
        if self.lo >= 0 {
            self.clone()
        } else if self.hi <= 0 {
            self.neg()
        } else {
            let (_, most) = self.magnitudes();
            Wide { lo: Float::with_val(p, 0), hi: Float::with_val(p, most) }
        }
    }

    fn growing(&self, p: u32, f: impl Fn(&Float, Round) -> Float) -> Wide {
        let _ = p;
        Wide { lo: f(&self.lo, Round::Down), hi: f(&self.hi, Round::Up) }
    }

    fn function(&self, function: Libm, p: u32) -> Wide {
        macro_rules! growing {
            ($method:ident) => {
                self.growing(p, |x, round| Float::with_val_round(p, x.$method(), round).0)
            };
        }
        // Sine and cosine move no more than their argument.
        let steady = |value: Float| {
            let width = up(p, &self.hi - &self.lo);
            let step = Float::with_val(p, Float::i_exp(1, 2 - p as i32));
            let reach = up(p, &width + &step);
            Wide { lo: down(p, &value - &reach), hi: up(p, &value + &reach) }
        };
        match function {
            Libm::Exp => growing!(exp_ref),
            Libm::Exp2 => growing!(exp2_ref),
            Libm::Expm1 => growing!(exp_m1_ref),
            Libm::Log => growing!(ln_ref),
            Libm::Log2 => growing!(log2_ref),
            Libm::Log10 => growing!(log10_ref),
            Libm::Log1p => growing!(ln_1p_ref),
            Libm::Sin => steady(Float::with_val(p, self.lo.sin_ref())),
            Libm::Cos => steady(Float::with_val(p, self.lo.cos_ref())),
            Libm::Tan => {
                let value = growing!(tan_ref);
                let near = Float::with_val(p, &self.hi - &self.lo) < 1;
                if near && value.lo <= value.hi { value } else { Wide::nothing(p) }
            }
            Libm::Asin => growing!(asin_ref),
            Libm::Acos => {
                let at = |x: &Float, round| Float::with_val_round(p, x.acos_ref(), round).0;
                Wide { lo: at(&self.hi, Round::Down), hi: at(&self.lo, Round::Up) }
            }
            Libm::Atan => growing!(atan_ref),
            Libm::Sinh => growing!(sinh_ref),
            Libm::Cosh => {
                let x = self.abs(p);
                x.growing(p, |x, round| Float::with_val_round(p, x.cosh_ref(), round).0)
            }
            Libm::Tanh => growing!(tanh_ref),
            Libm::Cbrt => growing!(cbrt_ref),
            Libm::Exp10 => growing!(exp10_ref),
            Libm::Asinh => growing!(asinh_ref),
            Libm::Acosh => growing!(acosh_ref),
            Libm::Atanh => growing!(atanh_ref),
            Libm::Erf => growing!(erf_ref),
            Libm::Erfc => {
                let at = |x: &Float, round| Float::with_val_round(p, x.erfc_ref(), round).0;
                Wide { lo: at(&self.hi, Round::Down), hi: at(&self.lo, Round::Up) }
            }
            // Of two arguments, or without an enclosure here.
            _ => Wide::nothing(p),
        }
    }

    fn function_of_two(&self, other: &Wide, function: Libm, p: u32) -> Wide {
        match function {
            Libm::Pow if self.lo > 0 || (self.hi < 0 && other.lo == other.hi) => {
                self.corners(other, p, |a, b, round| Float::with_val_round(p, a.pow(b), round).0)
            }
            Libm::Pow if other.lo == other.hi && other.lo.is_integer() && other.lo > 0 => {
                // A whole power of an interval around 0.
                let most = self
                    .abs(p)
                    .growing(p, |x, round| Float::with_val_round(p, x.pow(&other.lo), round).0);
                Wide { lo: -most.hi.clone(), hi: most.hi }
            }
            Libm::Atan2 if other.lo > 0 || !self.contains_zero() => {
                self.corners(other, p, |a, b, round| {
                    Float::with_val_round(p, a.atan2_ref(b), round).0
                })
            }
            Libm::Hypot => self.abs(p).corners(&other.abs(p), p, |a, b, round| {
                Float::with_val_round(p, a.hypot_ref(b), round).0
            }),
            other if other.arity() == 2 => Wide::nothing(p),
            other => unreachable!("{} takes one argument", other.name()),
        }
    }
}

/// Evaluates a tape in real numbers at a point, with so many bits.
pub fn evaluate(tape: &Tape, graph: &Graph, point: &[Rational], precision: u32) -> Vec<Wide> {
    let p = precision;
    let mut values: Vec<Wide> = Vec::with_capacity(tape.steps.len());
    for step in &tape.steps {
        let of = |id: NodeId| &values[id.index()];
        let value =
            match graph.node(step.node).operation.map(|id| NodeId::new(tape.place(id) as u32)) {
                Operation::Input(input) => Wide::rational(&point[input as usize], p),
                Operation::Constant(place) => Wide::rational(&graph.constants()[place as usize], p),
                Operation::Add(a, b) => of(a).add(of(b), p),
                Operation::Sub(a, b) => of(a).sub(of(b), p),
                Operation::Mul(a, b) => of(a).mul(of(b), p),
                Operation::Div(a, b) => of(a).div(of(b), p),
                Operation::Fma(a, b, c) => of(a).mul(of(b), p).add(of(c), p),
                Operation::Sqrt(a) => {
                    let a = of(a);
                    a.growing(p, |x, round| Float::with_val_round(p, x.sqrt_ref(), round).0)
                }
                Operation::Neg(a) => of(a).neg(),
                Operation::Abs(a) => of(a).abs(p),
                Operation::Min(a, b) => {
                    let (a, b) = (of(a), of(b));
                    Wide { lo: a.lo.clone().min(&b.lo), hi: a.hi.clone().min(&b.hi) }
                }
                Operation::Max(a, b) => {
                    let (a, b) = (of(a), of(b));
                    Wide { lo: a.lo.clone().max(&b.lo), hi: a.hi.clone().max(&b.hi) }
                }
                Operation::Convert(a) | Operation::Argument(a) => of(a).clone(),
                Operation::Call(_) => unreachable!("calls are inlined before runs"),
                Operation::Integral(mode, a) => {
                    let round = |x: &Float| match mode {
                        Rounding::NearestEven => Float::with_val(p, x.round_even_ref()),
                        Rounding::NearestAway => Float::with_val(p, x.round_ref()),
                        Rounding::Upward => Float::with_val(p, x.ceil_ref()),
                        Rounding::Downward => Float::with_val(p, x.floor_ref()),
                        Rounding::TowardZero => Float::with_val(p, x.trunc_ref()),
                    };
                    let a = of(a);
                    Wide { lo: round(&a.lo), hi: round(&a.hi) }
                }
                Operation::Unary(function, a) => of(a).function(function, p),
                Operation::Binary(function, a, b) => of(a).function_of_two(of(b), function, p),
                Operation::Choose(Comparison { left, relation, right }, a, b) => {
                    match of(left).compare(relation, of(right)) {
                        Some(true) => of(a).clone(),
                        Some(false) => of(b).clone(),
                        None => of(a).hull(of(b)),
                    }
                }
            };
        values.push(value);
    }
    values
}
