//! Logarithms of what may leave the range, or lie too near to one.

use super::formula::{
    Formula, add, binary, call, is_called, mul, negative, root_of_square, sub, terms, value,
};
use super::{Edit, argument_of, one};
use crate::llvm::{Opcode, Value};

/// `log(1 + x)` as `log1p(x)`.
pub(super) fn log1p(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let terms = terms(argument_of(root, "log")?);
        let [first, second] = terms[..] else { return None };
        let is_one = |(sign, term): (bool, Value)| !sign && term.as_double() == Some(1.0);
        let (sign, rest) = match (is_one(first), is_one(second)) {
            (true, false) => second,
            (false, true) => first,
            (true, true) | (false, false) => return None,
        };
        let rest = value(rest);
        Some(call("log1p", [if sign { negative(rest) } else { rest }]))
    };
    one(root, formula())
}

/// `log(x + sqrt(x * x + 1))` as `asinh(x)`, and `acosh`.
pub(super) fn area(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let outer = terms(argument_of(root, "log")?);
        let [(false, a), (false, b)] = outer[..] else { return None };
        let (x, root_of) = match (argument_of(a, "sqrt"), argument_of(b, "sqrt")) {
            (None, Some(inside)) => (a, inside),
            (Some(inside), None) => (b, inside),
            (Some(_), Some(_)) | (None, None) => return None,
        };
        let inner = terms(root_of);
        let [first, second] = inner[..] else { return None };
        let is_square =
            |(sign, term): (bool, Value)| !sign && root_of_square(term) == Some((false, x));
        let unit = match (is_square(first), is_square(second)) {
            (true, false) => second,
            (false, true) => first,
            (true, true) | (false, false) => return None,
        };
        match (unit.0, unit.1.as_double()?) {
            (false, 1.0) => Some(call("asinh", [value(x)])),
            (true, 1.0) | (false, -1.0) => Some(call("acosh", [value(x)])),
            _ => None,
        }
    };
    one(root, formula())
}

/// `log(exp(a) + exp(b))` as `fmax(a, b) + log1p(exp(-fabs(a - b)))`.
pub(super) fn sum_of_exponentials(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let terms = terms(argument_of(root, "log")?);
        let [(false, first), (false, second)] = terms[..] else { return None };
        let exponent = |term: Value| match term.as_double() {
            Some(1.0) => Some(Formula::Constant(0.0)),
            Some(_) => None,
            None => argument_of(term, "exp").map(value),
        };
        if !is_called(first, "exp") && !is_called(second, "exp") {
            return None;
        }
        let (a, b) = (exponent(first)?, exponent(second)?);
        let difference = match (&a, &b) {
            (Formula::Constant(_), x) | (x, Formula::Constant(_)) => x.clone(),
            (a, b) => sub(a.clone(), b.clone()),
        };
        let distance = call("fabs", [difference]);
        let rest = call("log1p", [call("exp", [negative(distance)])]);
        Some(add(call("fmax", [a, b]), rest))
    };
    one(root, formula())
}

/// `log(a * b)` as `log(a) + log(b)`; of quotients and powers alike.
pub(super) fn of_product(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let log = ["log", "log2", "log10"].into_iter().find(|log| is_called(root, log))?;
        let inside = root.operand(0);
        let of = |part: Value| call(log, [value(part)]);
        if let Some((a, b)) = binary(inside, Opcode::LLVMFMul) {
            return Some(add(of(a), of(b)));
        }
        if let Some((a, b)) = binary(inside, Opcode::LLVMFDiv) {
            return Some(sub(of(a), of(b)));
        }
        let is_power = is_called(inside, "pow");
        is_power.then(|| mul(value(inside.operand(1)), of(inside.operand(0))))
    };
    one(root, formula())
}
