//! Exponentials that leave the range though what is made of them does not.

use super::formula::{
    Formula, add, binary, call, div, is_same, mul, negative, number, sub, sum, terms, value,
};
use super::{Edit, argument_of, one};
use crate::llvm::{Opcode, Value};

/// `exp(x) - 1` as `expm1(x)`.
pub(super) fn expm1(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let terms = terms(root);
        let [first, second] = terms[..] else { return None };
        let is_unit = |(_, term): (bool, Value)| term.as_double().is_some_and(|it| it.abs() == 1.0);
        let ((sign, power), unit) = match (is_unit(first), is_unit(second)) {
            (false, true) => (first, second),
            (true, false) => (second, first),
            (true, true) | (false, false) => return None,
        };
        let unit_is_negative = unit.0 != (unit.1.as_double()? < 0.0);
        let formula = call("expm1", [value(argument_of(power, "exp")?)]);
        (sign != unit_is_negative).then(|| if sign { negative(formula) } else { formula })
    };
    one(root, formula())
}

/// A quotient of exponentials: `exp(a) / (exp(a) + exp(b) + c)` as
/// `1 / (1 + exp(b - a) + c * exp(-a))`.
pub(super) fn quotient(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let (above, below) = binary(root, Opcode::LLVMFDiv)?;
        let a = argument_of(above, "exp")?;
        let terms = terms(below);
        if let [(false, term)] = terms[..] {
            let b = argument_of(term, "exp")?;
            return Some(call("exp", [sub(value(a), value(b))]));
        }
        let mut has_power = false;
        let quotients: Vec<(bool, Formula)> = terms
            .iter()
            .map(|&(sign, term)| {
                let quotient = match argument_of(term, "exp") {
                    Some(b) if is_same(a, b) => number(1.0),
                    Some(b) => call("exp", [sub(value(b), value(a))]),
                    None => match term.as_double() {
                        Some(1.0) => call("exp", [negative(value(a))]),
                        Some(_) | None => mul(value(term), call("exp", [negative(value(a))])),
                    },
                };
                has_power |= argument_of(term, "exp").is_some();
                (sign, quotient)
            })
            .collect();
        let below = sum(quotients).filter(|_| has_power)?;
        Some(div(number(1.0), below))
    };
    one(root, formula())
}

/// `exp(a) * exp(b)` as `exp(a + b)`.
pub(super) fn of_sum(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let (a, b) = binary(root, Opcode::LLVMFMul)?;
        let (a, b) = (argument_of(a, "exp")?, argument_of(b, "exp")?);
        Some(call("exp", [add(value(a), value(b))]))
    };
    one(root, formula())
}

/// `(exp(x) - exp(-x)) / (exp(x) + exp(-x))` as `tanh(x)`, `(exp(x) - 1) / (exp(x) + 1)` as
/// `tanh(x / 2)`.
pub(super) fn tanh(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let (above, below) = binary(root, Opcode::LLVMFDiv)?;
        let (above, below) = (terms(above), terms(below));
        let [(false, power), (negated, other)] = above[..] else { return None };
        let (other, negated) = match other.as_double() {
            Some(-1.0) => (None, !negated),
            Some(1.0) => (None, negated),
            Some(_) => return None,
            None => (Some(other), negated),
        };
        let has = |wanted: Value| {
            below.iter().any(|&(is_negative, term)| !is_negative && is_same(term, wanted))
        };
        let is_one = |&(sign, term): &(bool, Value)| !sign && term.as_double() == Some(1.0);
        if !negated || below.len() != 2 || !has(power) {
            return None;
        }
        let x = argument_of(power, "exp")?;
        match other {
            None if below.iter().any(is_one) => Some(call("tanh", [mul(value(x), number(0.5))])),
            Some(other) if has(other) => {
                let y = argument_of(other, "exp")?;
                let is_opposite = |a: Value, b: Value| {
                    a.opcode() == Some(Opcode::LLVMFNeg) && is_same(a.operand(0), b)
                };
                (is_opposite(y, x) || is_opposite(x, y)).then(|| call("tanh", [value(x)]))
            }
            Some(_) | None => None,
        }
    };
    one(root, formula())
}
