//! Functions of the C library that run on the machine's floats and are no operations.

use super::super::libm;
use super::{Rounded, Running, RunningErrors, Watch, integral};
use crate::shadow::{Answer, At, ShadowValue, Stored, Stuck};
use nanoscope_ieee::{Format, Parameters, Rounding};
use std::convert::Infallible;

impl<W: Watch> RunningErrors<W> {
    /// Calls a function. `integer` is an argument of a width that is an integer.
    pub(super) fn library(
        &mut self,
        at: At,
        name: &str,
        symbol: &str,
        format: Format,
        floats: &[Running],
        integer: impl Fn(usize, u32) -> i64,
    ) -> Result<Answer<Running, Infallible>, Stuck> {
        let first = floats.first().copied().unwrap_or(Running::exact(f64::NAN));
        let single = format == Format::BINARY32;
        let mut stores = Vec::new();
        let value = match name {
            "ldexp" | "scalbn" | "scalbln" => {
                let (result, factor) =
                    scaled(first, single, integer(1, if name == "scalbln" { 64 } else { 32 }));
                ShadowValue::Number(self.done(at, format, result, 0.0, &[(first, factor)]))
            }
            "frexp" => {
                let x = first.value;
                let exponent = match x == 0.0 || !x.is_finite() {
                    true => 0,
                    false => libm::exponent(x) + 1,
                };
                stores.push((1, Stored::Int(exponent)));
                let (result, factor) = scaled(first, single, -i64::from(exponent));
                ShadowValue::Number(self.done(at, format, result, 0.0, &[(first, factor)]))
            }
            "modf" => {
                let whole = Running::exact(first.value.trunc());
                self.stepped(at, &first, Rounding::TowardZero);
                let rest = Running { value: first.value - first.value.trunc(), ..first };
                stores.push((1, Stored::Number(whole)));
                ShadowValue::Number(rest)
            }
            "sincos" => {
                for (place, function) in [(1, "sin"), (2, "cos")] {
                    let value = self.called(at, function, symbol, format, &[first])?;
                    stores.push((place, Stored::Number(value)));
                }
                ShadowValue::Bits(0)
            }
            "powi" => {
                let exponent = integer(1, 32) as f64;
                let floats = [first, Running::exact(exponent)];
                ShadowValue::Number(self.called(at, "pow", symbol, format, &floats)?)
            }
            "ilogb" => {
                let x = first.value;
                let bits = match x == 0.0 || !x.is_finite() {
                    true => 1 << 31,
                    false => u128::from(libm::exponent(x) as u32),
                };
                self.whole(at, bits)
            }
            "logb" if first.value != 0.0 && first.value.is_finite() => {
                ShadowValue::Number(Running::exact(f64::from(libm::exponent(first.value))))
            }
            "lround" | "llround" | "lrint" | "llrint" => {
                let rounding = match name.ends_with("rint") {
                    true => Rounding::NearestEven,
                    false => Rounding::NearestAway,
                };
                self.stepped(at, &first, rounding);
                let value = integral(first.value, rounding);
                let whole = if value.abs() < 9.2e18 { value as i64 } else { i64::MIN };
                self.whole(at, u128::from(whole as u64))
            }
            "isnan" => self.whole(at, u128::from(first.value.is_nan())),
            "isinf" => self.whole(at, u128::from(first.value.is_infinite())),
            "finite" | "isfinite" => self.whole(at, u128::from(first.value.is_finite())),
            "signbit" => self.whole(at, u128::from(first.value.is_sign_negative())),
            "fdim" => {
                let second = floats.get(1).copied().unwrap_or(Running::exact(0.0));
                self.compared(at, &first, &second);
                if first.value > second.value {
                    let three = [first, second, Running::exact(0.0)];
                    let (op, mode) = (Rounded::Sub, self.mode);
                    ShadowValue::Number(self.arithmetic(
                        at,
                        op,
                        &Parameters::of(format),
                        mode,
                        three,
                    )?)
                } else {
                    let none = Running::exact(0.0);
                    ShadowValue::Number(self.done(at, format, none, 0.0, &[]))
                }
            }
            _ => ShadowValue::Number(self.called(at, name, symbol, format, floats)?),
        };
        Ok(Answer { value, stores })
    }
}

/// A float times a power of two, and that.
fn scaled(first: Running, single: bool, by: i64) -> (Running, f64) {
    let factor = 2f64.powi(by.clamp(-2000, 2000) as i32);
    let half = 2f64.powi((by / 2).clamp(-1000, 1000) as i32);
    let rest = 2f64.powi((by - by / 2).clamp(-1000, 1000) as i32);
    let value = first.value * half * rest;
    let value = if single { f64::from(value as f32) } else { value };
    let (error, bound) = (first.error * factor, first.bound * factor);
    (Running { value, error, bound, ..first }, factor)
}
