//! Exact numbers as a domain of shadow runs.
//!
//! - `real.rs`: the numbers
//! - `float.rs`: the rows of the operation table
//! - `libm.rs`: the mathematical library; `complex.rs`: its functions of complex numbers

mod complex;
mod float;
mod libm;
mod real;

pub(crate) use float::{classified, holds, smallest_normal};
pub(crate) use real::{Arithmetic, Real};

use super::domain::{
    Answer, At, Domain, ShadowValue, Step, Stored, ValueOf, nothing_unknown, number,
};
use super::integer::signed;
use super::{Stuck, rounding_of};
use float::{Class, class, neighbour};
use libm::Called;
use nanoscope_ieee::{Format, Operation, Parameters, Rounding, operations};
use nanoscope_program::ir::{FloatPredicate, Mode};
use std::convert::Infallible;

impl Domain for Arithmetic {
    type Number = Real;
    type Symbol = Infallible;

    fn decoded(&mut self, format: Format, bits: u128) -> Real {
        Real::decoded(format, bits)
    }

    fn encoded(&mut self, format: Format, number: &Real) -> Result<u128, Stuck> {
        Ok(number.encoded(format))
    }

    fn float(
        &mut self,
        at: At,
        operation: Operation,
        parameters: &Parameters,
        mode: Mode,
        operands: &[ValueOf<Self>],
    ) -> Result<ValueOf<Self>, Stuck> {
        // Rounding matters where a result is an integer only.
        let rounding = rounding_of(self, mode);
        let value = float::operate(self, at, operation, parameters, rounding, operands)?;
        let converts = operation == Operation::Convert;
        let format = if converts { parameters.target } else { parameters.format };
        if !is_quiet(operation) {
            self.note(at, format, &value);
        }
        Ok(value)
    }

    fn compare(
        &mut self,
        at: At,
        predicate: FloatPredicate,
        format: Format,
        a: &Real,
        b: &Real,
    ) -> Result<ValueOf<Self>, Stuck> {
        let value = ShadowValue::truth(holds(predicate, self.order(a, b)));
        self.note(at, format, &value);
        Ok(value)
    }

    fn classified(
        &mut self,
        at: At,
        mask: u32,
        format: Format,
        a: &Real,
    ) -> Result<ValueOf<Self>, Stuck> {
        let value = ShadowValue::truth(classified(self, mask, a, format));
        self.note(at, format, &value);
        Ok(value)
    }

    fn mathematical(
        &mut self,
        at: At,
        name: &str,
        symbol: &str,
        format: Format,
        arguments: &[ValueOf<Self>],
    ) -> Result<Answer<Real, Infallible>, Stuck> {
        if let Some(value) = self.complex(at, name, format, arguments)? {
            return Ok(Answer::from(value));
        }
        let mut floats = Vec::with_capacity(arguments.len());
        for argument in arguments {
            floats.push(match argument {
                ShadowValue::Bits(_) => Real::Nan,
                other => number(self, at, format, other)?,
            });
        }
        let real = |place: usize| floats.get(place).cloned().unwrap_or(Real::Nan);
        let whole = |place: usize, width: u32| match arguments.get(place) {
            Some(ShadowValue::Bits(bits)) => signed(*bits, width) as i64,
            _ => 0,
        };
        let a = real(0);
        let mut stores = Vec::new();
        let value = match name {
            "ldexp" | "scalbn" => ShadowValue::Number(self.scaled(&a, whole(1, 32))),
            "scalbln" => ShadowValue::Number(self.scaled(&a, whole(1, 64))),
            "powi" => ShadowValue::Number(self.power(&a, whole(1, 32) as i32)),
            "frexp" => {
                let (fraction, exponent) = self.fraction(&a);
                stores.push((1, Stored::Int(exponent as i32)));
                ShadowValue::Number(fraction)
            }
            "modf" => {
                let whole = self.integral(&a, Rounding::TowardZero);
                let rest = self.sub(&a, &whole).with_sign(a.is_negative());
                stores.push((1, Stored::Number(whole)));
                ShadowValue::Number(rest)
            }
            "remquo" => {
                let b = real(1);
                let quotient = self.div(&a, &b).to_integer(Rounding::NearestEven);
                // The sign and three bits, as glibc has it.
                let bits = quotient.map_or(0, |it| (it % 8i32).to_i32_wrapping());
                stores.push((2, Stored::Int(bits)));
                ShadowValue::Number(self.remainder(&a, &b, Rounding::NearestEven))
            }
            "sincos" => {
                for (place, function) in [(1, "sin"), (2, "cos")] {
                    let value = pure(self, function, symbol, std::slice::from_ref(&a))?;
                    stores.push((place, Stored::Number(value)));
                }
                ShadowValue::Bits(0)
            }
            "lgamma_r" => {
                let value = pure(self, "lgamma", symbol, std::slice::from_ref(&a))?;
                let floor = a.to_integer(Rounding::Downward);
                let negative = a.is_negative() && floor.is_some_and(|floor| floor.is_odd());
                let sign: i32 = if negative { -1 } else { 1 };
                stores.push((1, Stored::Int(sign)));
                ShadowValue::Number(value)
            }
            "jn" | "yn" => {
                let order = whole(0, 32) as i32;
                let x = real(1);
                ShadowValue::Number(finished(libm::bessel(self, name == "yn", order, &x), symbol)?)
            }
            "ilogb" => match a {
                Real::Nan | Real::Infinite { .. } | Real::Zero { .. } => ShadowValue::Bits(1 << 31),
                Real::Exact(_) | Real::Rounded(_) => {
                    ShadowValue::Bits(u128::from((self.fraction(&a).1 - 1) as u32))
                }
            },
            "lround" | "llround" | "lrint" | "llrint" => {
                let rounding = if name.ends_with("rint") {
                    Rounding::NearestEven
                } else {
                    Rounding::NearestAway
                };
                let whole = a.to_integer(rounding).and_then(|value| value.to_i64());
                ShadowValue::Bits(u128::from(whole.unwrap_or(i64::MIN) as u64))
            }
            "nextafter" => {
                let b = real(1);
                match self.order(&a, &b) {
                    None => ShadowValue::Number(Real::Nan),
                    Some(std::cmp::Ordering::Equal) => ShadowValue::Number(b),
                    Some(order) => ShadowValue::Number(neighbour(
                        &a,
                        format,
                        order == std::cmp::Ordering::Greater,
                    )),
                }
            }
            "isnan" => ShadowValue::Bits(u128::from(matches!(a, Real::Nan))),
            "isinf" => ShadowValue::Bits(u128::from(matches!(a, Real::Infinite { .. }))),
            "finite" | "isfinite" => ShadowValue::Bits(u128::from(a.is_finite())),
            "signbit" => ShadowValue::Bits(u128::from(a.is_negative())),
            "fpclassify" => ShadowValue::Bits(match class(self, &a, format) {
                Class::Nan => 0,
                Class::Infinite => 1,
                Class::Zero => 2,
                Class::Subnormal => 3,
                Class::Normal => 4,
            }),
            _ => ShadowValue::Number(pure(self, name, symbol, &floats)?),
        };
        for (_, stored) in &stores {
            if let Stored::Number(stored) = stored
                && name == "sincos"
            {
                self.note(at, format, &ShadowValue::Number(stored.clone()));
            }
        }
        if name != "sincos"
            && !matches!(name, "fabs" | "copysign" | "modf" | "logb" | "fmin" | "fmax")
        {
            self.note(at, format, &value);
        }
        Ok(Answer { value, stores })
    }

    fn left(&mut self, at: At, way: usize) {
        if let Some(steps) = &mut self.steps {
            steps.push(Step::Left(at, way));
        }
    }

    nothing_unknown!();
}

impl Arithmetic {
    /// A function of complex numbers, each a vector or two floats.
    fn complex(
        &mut self,
        at: At,
        name: &str,
        format: Format,
        arguments: &[ValueOf<Arithmetic>],
    ) -> Result<Option<ValueOf<Arithmetic>>, Stuck> {
        if !name.starts_with('c') {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for part in arguments.iter().flat_map(ShadowValue::parts) {
            match part {
                ShadowValue::Bits(_) | ShadowValue::Parts(_) => return Ok(None),
                ShadowValue::Number(_) | ShadowValue::Coded(..) | ShadowValue::Symbol(_) => {
                    parts.push(number(self, at, format, part)?);
                }
            }
        }
        let value = complex::call(self, name, &parts);
        Ok(value
            .map(|parts| ShadowValue::Parts(parts.into_iter().map(ShadowValue::Number).collect())))
    }

    /// Writes a result down.
    fn note(&mut self, at: At, format: Format, value: &ValueOf<Arithmetic>) {
        let Some(steps) = &mut self.steps else { return };
        match value {
            ShadowValue::Number(number) => steps.push(Step::Number(at, format, number.clone())),
            ShadowValue::Bits(bits) => steps.push(Step::Integer(at, *bits)),
            ShadowValue::Coded(..) | ShadowValue::Parts(_) => {}
            ShadowValue::Symbol(never) => super::impossible(never),
        }
    }
}

/// Whether an operation computes nothing: it is not written down.
fn is_quiet(operation: Operation) -> bool {
    matches!(operation, operations!(Choice, Sign, Encoding))
}

/// A function of the mathematical library by its name in the double form; nothing where it is
/// not known or takes too long.
pub(crate) fn exact_libm(run: &mut Arithmetic, name: &str, arguments: &[Real]) -> Option<Real> {
    match libm::call(run, name, arguments) {
        Called::Number(value) => Some(value),
        Called::Unknown | Called::TooHard => None,
    }
}

fn pure(run: &mut Arithmetic, name: &str, symbol: &str, floats: &[Real]) -> Result<Real, Stuck> {
    finished(libm::call(run, name, floats), symbol)
}

fn finished(called: Called, symbol: &str) -> Result<Real, Stuck> {
    match called {
        Called::Number(value) => Ok(value),
        Called::Unknown => {
            let name = nanoscope_program::cxx::demangled(symbol);
            Err(Stuck::new(format!("it calls `{name}`, which is not modelled")))
        }
        Called::TooHard => {
            Err(Stuck::new(format!("`{symbol}` of such an argument takes too long exactly")))
        }
    }
}
