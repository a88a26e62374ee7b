//! Scaling before squaring: what is squared is divided by the largest of its kind, which multiplies
//! the result.

use super::formula::{
    Formula, add, binary, call, div, factors, is_same, mul, named, number, signed_factors,
    signed_squares, squares, sub, sum, terms, value,
};
use super::{Edit, argument_of, one};
use crate::llvm::{Opcode, Value};

/// `sqrt(a * a - b * b)` as `sqrt(|a| - |b|) * sqrt(|a| + |b|)`.
pub(super) fn difference(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let squares = signed_squares(argument_of(root, "sqrt")?)?;
        let (larger, smaller) = match squares[..] {
            [(false, larger), (true, smaller)] | [(true, smaller), (false, larger)] => {
                (larger, smaller)
            }
            _ => return None,
        };
        let [a, b] = [larger, smaller].map(|base| call("fabs", [value(base)]));
        let (difference, sum) = (sub(a.clone(), b.clone()), add(a, b));
        Some(mul(call("sqrt", [difference]), call("sqrt", [sum])))
    };
    one(root, formula())
}

/// The root of a sum of products of two factors, as of a discriminant: with the size `m` of its
/// largest term, `m * sqrt(sum of (t / m) * (t / m))`.
pub(super) fn root(root: Value) -> Vec<Vec<Edit>> {
    const SIZES: [&str; 3] = ["r", "s", "t"];
    let formula = || {
        let inside = argument_of(root, "sqrt")?;
        if squares(inside).is_some() {
            return None; // `hypot` does better
        }
        let monomials: Option<Vec<Monomial>> =
            terms(inside).into_iter().map(|(sign, term)| Monomial::of(sign, term)).collect();
        let monomials = monomials.filter(|list| (2..=SIZES.len()).contains(&list.len()))?;
        let sizes: Vec<Formula> =
            monomials.iter().zip(SIZES).map(|(one, name)| named(name, one.size())).collect();
        let largest = sizes.iter().cloned().reduce(|a, b| call("fmax", [a, b]))?;
        let scale = named("m", call("fmax", [largest, Formula::SmallestNormal]));
        let scaled = monomials.iter().zip(sizes).map(|(one, size)| {
            let ratio = div(size, scale.clone());
            (one.is_negative, one.with_sign(mul(ratio.clone(), ratio)))
        });
        Some(mul(scale.clone(), call("sqrt", [sum(scaled)?])))
    };
    one(root, formula())
}

/// A product of two values and a constant.
struct Monomial {
    is_negative: bool,
    constant: f64,
    factors: [Value; 2],
}

impl Monomial {
    fn of(is_negative: bool, term: Value) -> Option<Monomial> {
        let (sign, all) = signed_factors(term);
        let (constants, others): (Vec<Value>, Vec<Value>) =
            all.into_iter().partition(|factor| factor.as_double().is_some());
        let constant: f64 = constants.iter().filter_map(|factor| factor.as_double()).product();
        let [a, b] = others[..] else { return None };
        let is_negative = (is_negative != sign) != (constant < 0.0);
        Some(Monomial { is_negative, constant: constant.abs(), factors: [a, b] })
    }

    fn is_square(&self) -> bool {
        is_same(self.factors[0], self.factors[1])
    }

    /// The root of its size.
    fn size(&self) -> Formula {
        let [a, b] = self.factors.map(|factor| call("fabs", [value(factor)]));
        let size = match self.is_square() {
            true => a,
            false => mul(call("sqrt", [a]), call("sqrt", [b])),
        };
        match self.constant {
            1.0 => size,
            constant => mul(number(constant.sqrt()), size),
        }
    }

    /// Something positive with the sign of the factors' product.
    fn with_sign(&self, positive: Formula) -> Formula {
        if self.is_square() {
            return positive;
        }
        let [a, b] = self.factors.map(|factor| call("copysign", [number(1.0), value(factor)]));
        mul(mul(a, b), positive)
    }
}

/// A quotient by a sum of squares, as in complex division: what is squared is scaled to at most
/// a half, in the numerator, too, where it is a factor of every term.
pub(super) fn quotient(root: Value) -> Vec<Vec<Edit>> {
    const SCALED: [&str; 3] = ["u", "v", "w"];
    let formula = || {
        let (numerator, denominator) = binary(root, Opcode::LLVMFDiv)?;
        let bases = squares(denominator).filter(|bases| bases.len() <= SCALED.len())?;
        let sizes = bases.iter().map(|base| call("fabs", [value(*base)]));
        let scale = named("m", sizes.reduce(|a, b| call("fmax", [a, b]))?);
        let scaled: Vec<Formula> = bases
            .iter()
            .zip(SCALED)
            .map(|(base, name)| named(name, mul(div(value(*base), scale.clone()), number(0.5))))
            .collect();
        let squared = scaled.iter().map(|one| (false, mul(one.clone(), one.clone())));
        let below = sum(squared)?;
        // A term with one of the bases replaced by its scaled form.
        let with_scaled = |(sign, term): (bool, Value)| {
            let mut list = factors(term);
            let at = list.iter().position(|factor| bases.contains(factor))?;
            let base = bases.iter().position(|base| *base == list[at])?;
            list.remove(at);
            let rest = list.into_iter().map(value).reduce(mul);
            let scaled = scaled[base].clone();
            Some((sign, rest.map_or(scaled.clone(), |rest| mul(rest, scaled))))
        };
        let above: Option<Vec<(bool, Formula)>> =
            terms(numerator).into_iter().map(with_scaled).collect();
        Some(match above.and_then(sum) {
            Some(above) => div(mul(div(above, scale), number(0.5)), below),
            None => {
                let twice = div(div(value(numerator), scale.clone()), scale);
                div(mul(twice, number(0.25)), below)
            }
        })
    };
    one(root, formula())
}
