//! What a condition says of real numbers: comparisons that hold of the inputs themselves, free of
//! the rounding in the condition's own arithmetic.

use super::evaluate::CValue;
use super::{Binary, Bound, Expression, Slot, Unary};
use nanoscope_program::Scalar;

/// A side of a comparison: a number, or one operation on two.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Side {
    /// The input whose first word is this.
    Input(usize),
    /// A constant.
    Constant(f64),
    /// An operation on two of them.
    Combined(Combination, Box<[Side; 2]>),
}

/// An operation of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combination {
    Sum,
    Difference,
    Product,
}

/// `left < right`, or `left <= right`, of real numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Order {
    pub left: Side,
    pub strict: bool,
    pub right: Side,
}

/// The comparisons of real numbers that follow from a condition on floats. Rounding is monotone:
/// where one rounded result is less than another, the exact results are too. That one is at most
/// the other says so only of numbers that are not rounded.
pub(crate) fn orders(bound: &Bound) -> Vec<Order> {
    let mut found = Vec::new();
    collect(&bound.expression, &bound.slots, &mut found);
    found
}

fn collect(expression: &Expression, slots: &[Slot], found: &mut Vec<Order>) {
    match expression {
        Expression::And(parts) => parts.iter().for_each(|part| collect(part, slots, found)),
        Expression::Binary(operator, sides) => {
            let (Some(a), Some(b)) = (side(&sides[0], slots, true), side(&sides[1], slots, true))
            else {
                return;
            };
            let rounds = |side: &Side| matches!(side, Side::Combined(..));
            let rounded = rounds(&a) || rounds(&b);
            let mut add = |left: &Side, strict: bool, right: &Side| {
                if strict || !rounded {
                    found.push(Order { left: left.clone(), strict, right: right.clone() });
                }
            };
            match operator {
                Binary::Less => add(&a, true, &b),
                Binary::LessEqual => add(&a, false, &b),
                Binary::Greater => add(&b, true, &a),
                Binary::GreaterEqual => add(&b, false, &a),
                Binary::Equal => {
                    add(&a, false, &b);
                    add(&b, false, &a);
                }
                _ => {}
            }
        }
        _ => {}
    }
}

/// A side, if it is a float: a number alone, or one rounded operation where that is allowed.
fn side(expression: &Expression, slots: &[Slot], operation: bool) -> Option<Side> {
    match expression {
        Expression::Slot(at) => {
            let slot = slots.get(*at)?;
            matches!(slot.scalar, Scalar::Float(_)).then_some(Side::Input(slot.word))
        }
        Expression::Constant(CValue::Double(x)) => x.is_finite().then_some(Side::Constant(*x)),
        Expression::Constant(CValue::Single(x)) => {
            x.is_finite().then_some(Side::Constant(f64::from(*x)))
        }
        Expression::Constant(CValue::Integer { value, .. }) => {
            let x = *value as f64;
            (value.unsigned_abs() < 1 << 53).then_some(Side::Constant(x))
        }
        Expression::Unary(Unary::Minus, of) => match side(of, slots, false)? {
            Side::Constant(x) => Some(Side::Constant(-x)),
            Side::Input(_) | Side::Combined(..) => None,
        },
        Expression::Binary(operator, sides) if operation => {
            let how = match operator {
                Binary::Add => Combination::Sum,
                Binary::Sub => Combination::Difference,
                Binary::Mul => Combination::Product,
                _ => return None,
            };
            let (a, b) = (side(&sides[0], slots, false)?, side(&sides[1], slots, false)?);
            // Of two constants the operation may be one of integers.
            let float = matches!(a, Side::Input(_)) || matches!(b, Side::Input(_));
            float.then(|| Side::Combined(how, Box::new([a, b])))
        }
        _ => None,
    }
}
