//! Products and quotients in another order, which keeps what is between in range. Which order helps
//! depends on the inputs.

use super::formula::{
    Formula, binary, call, div, factors, is_same, mul, number, product, sum, terms, value,
};
use super::{Edit, argument_of, one};
use crate::llvm::{Opcode, Value};

/// Other orders of three factors.
pub(super) fn reorder(root: Value) -> Vec<Vec<Edit>> {
    orders(root).into_iter().map(|formula| vec![(root, formula)]).collect()
}

fn orders(root: Value) -> Vec<Formula> {
    let multiplied = |value| binary(value, Opcode::LLVMFMul);
    let divided = |value| binary(value, Opcode::LLVMFDiv);
    let v = value;
    let mut list = Vec::new();
    if let Some((above, c)) = divided(root) {
        if let Some((a, b)) = multiplied(above) {
            list.push(mul(v(a), div(v(b), v(c))));
            if a != b {
                list.push(mul(div(v(a), v(c)), v(b)));
            }
        }
        if let Some((a, b)) = divided(above) {
            list.push(div(v(a), mul(v(b), v(c))));
        }
        if let Some((p, q)) = multiplied(c) {
            list.push(div(div(v(above), v(p)), v(q)));
            if p != q {
                list.push(div(div(v(above), v(q)), v(p)));
            }
        }
        if let Some((p, q)) = divided(c) {
            list.push(mul(div(v(above), v(p)), v(q)));
            list.push(div(mul(v(above), v(q)), v(p)));
        }
    }
    let Some((left, right)) = multiplied(root) else { return list };
    for (inner, c) in [(left, right), (right, left)] {
        if let Some((a, b)) = multiplied(inner) {
            list.push(mul(v(a), mul(v(b), v(c))));
            if a != b {
                list.push(mul(mul(v(a), v(c)), v(b)));
            }
        }
        if let Some((a, b)) = divided(inner) {
            list.push(mul(v(a), div(v(c), v(b))));
            list.push(div(mul(v(a), v(c)), v(b)));
        }
    }
    list
}

/// `a / (b + a * c)` as `1 / (b / a + c)`.
pub(super) fn through(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let (above, below) = binary(root, Opcode::LLVMFDiv)?;
        let terms = terms(below);
        let is_above = |factor: &Value| is_same(*factor, above);
        let is_factor = |(_, term): &(bool, Value)| factors(*term).iter().any(is_above);
        if terms.len() < 2 || above.is_constant() || !terms.iter().any(is_factor) {
            return None;
        }
        let quotients = terms.iter().map(|&(sign, term)| {
            let mut list = factors(term);
            let quotient = match list.iter().position(is_above) {
                Some(at) => {
                    list.remove(at);
                    product(list.into_iter().map(value)).unwrap_or(number(1.0))
                }
                None => div(value(term), value(above)),
            };
            (sign, quotient)
        });
        Some(div(number(1.0), sum(quotients)?))
    };
    one(root, formula())
}

/// `sqrt(a * b)` as `sqrt(a) * sqrt(b)`, and of quotients.
pub(super) fn roots(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let inside = argument_of(root, "sqrt")?;
        let root_of = |inner: Value| call("sqrt", [value(inner)]);
        if let Some((a, b)) = binary(inside, Opcode::LLVMFMul) {
            return Some(match a == b {
                true => call("fabs", [value(a)]),
                false => mul(root_of(a), root_of(b)),
            });
        }
        let (a, b) = binary(inside, Opcode::LLVMFDiv)?;
        Some(div(root_of(a), root_of(b)))
    };
    one(root, formula())
}
