//! What a condition says about the range of one input alone, so that the search does not
//! propose what would be thrown away.

use super::binaries;
use super::evaluate::{CValue, evaluate, unary};
use super::{Binary, Bound, Expression, Function, Slot, Unary};
use crate::numbers::{encoding_at, key};
use nanoscope_ieee::Format;
use nanoscope_program::{Input, Scalar};

/// Narrows the ranges of inputs by the parts of a condition that compare one input, or its
/// magnitude, with a constant. What it leaves in may still violate the condition; what it takes
/// out does.
pub(crate) fn narrow(bound: &Bound, inputs: &mut [Input]) {
    narrow_by(&bound.expression, &bound.slots, inputs);
}

fn narrow_by(expression: &Expression, slots: &[Slot], inputs: &mut [Input]) {
    match expression {
        Expression::And(parts) => parts.iter().for_each(|part| narrow_by(part, slots, inputs)),
        // What either side leaves in.
        Expression::Or(parts) => {
            let sides = [0, 1].map(|side: usize| {
                let mut inputs = inputs.to_vec();
                narrow_by(&parts[side], slots, &mut inputs);
                inputs
            });
            for ((input, a), b) in inputs.iter_mut().zip(&sides[0]).zip(&sides[1]) {
                let at = |bits| key(input.scalar, bits);
                input.low = if at(a.low) <= at(b.low) { a.low } else { b.low };
                input.high = if at(a.high) >= at(b.high) { a.high } else { b.high };
            }
        }
        Expression::Binary(operator, sides) => {
            let (side, constant, operator) = match (&sides[0], &sides[1]) {
                (side, other) if constant_value(other).is_some() => (side, other, *operator),
                (other, side) => (side, other, turned(*operator)),
            };
            let Some(value) = constant_value(constant) else { return };
            let mut cut_at = |at: usize, operator, value| {
                let slot = &slots[at];
                if let Some(input) = inputs.iter_mut().find(|input| input.word == slot.word) {
                    cut(input, slot, operator, value);
                }
            };
            match side {
                Expression::Slot(at) => cut_at(*at, operator, value),
                Expression::Call(Function::Fabs, arguments) => {
                    let is_upper =
                        matches!(operator, Binary::Less | Binary::LessEqual | Binary::Equal);
                    if let (Expression::Slot(at), true) = (&arguments[0], is_upper)
                        && let Some(opposite) = unary(Unary::Minus, value)
                    {
                        let below =
                            if operator == Binary::Equal { Binary::LessEqual } else { operator };
                        cut_at(*at, below, value);
                        cut_at(*at, turned(below), opposite);
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
}

/// The operator with its sides exchanged.
fn turned(operator: Binary) -> Binary {
    match operator {
        Binary::Less => Binary::Greater,
        Binary::LessEqual => Binary::GreaterEqual,
        Binary::Greater => Binary::Less,
        Binary::GreaterEqual => Binary::LessEqual,
        other => other,
    }
}

fn constant_value(expression: &Expression) -> Option<CValue> {
    match expression {
        Expression::Constant(_) => evaluate(expression, &[], &[]),
        Expression::Unary(Unary::Minus, part) => match &**part {
            Expression::Constant(_) => evaluate(expression, &[], &[]),
            _ => None,
        },
        _ => None,
    }
}

/// Cuts one end of an input's range, found by bisection over the ordered values with the
/// comparison itself as the judge: no rounding of the constant to argue about.
fn cut(input: &mut Input, slot: &Slot, operator: Binary, value: CValue) {
    // Encodings of other formats are not all numbers, and other integers are rare.
    let plain = match input.scalar {
        Scalar::Float(format) => matches!(format, Format::BINARY32 | Format::BINARY64),
        Scalar::Integer { bits, .. } => bits <= 64,
    };
    if !plain {
        return;
    }
    let (upper, lower) = match operator {
        Binary::Less | Binary::LessEqual => (true, false),
        Binary::Greater | Binary::GreaterEqual => (false, true),
        Binary::Equal => (true, true),
        Binary::NotEqual | binaries!(Arithmetic, Bitwise) => return,
    };
    let holds = |operator: Binary, key: i128| {
        let mut words = vec![0; slot.word + 2];
        let encoding = encoding_at(input.scalar, key);
        words[slot.word] = encoding as u64;
        words[slot.word + 1] = (encoding >> 64) as u64;
        let part = Expression::Binary(
            operator,
            Box::new([Expression::Slot(0), Expression::Constant(value)]),
        );
        evaluate(&part, std::slice::from_ref(slot), &words).is_some_and(|value| value.truth())
    };
    let (low, high) = (key(input.scalar, input.low), key(input.scalar, input.high));
    if low > high {
        return;
    }
    // An integer against a type that changes its order (unsigned) is left alone.
    if let (Scalar::Integer { signed: true, .. }, CValue::Integer { signed: false, .. }) =
        (input.scalar, value)
    {
        return;
    }
    let upper_holds = |key| match operator {
        Binary::Equal => holds(Binary::LessEqual, key),
        other => holds(other, key),
    };
    let lower_holds = |key| match operator {
        Binary::Equal => holds(Binary::GreaterEqual, key),
        other => holds(other, key),
    };
    let new_high = if upper { last(low, high, &upper_holds) } else { Some(high) };
    let new_low = if lower {
        last(-high, -low, &|key: i128| lower_holds(-key)).map(|key| -key)
    } else {
        Some(low)
    };
    let ends = (new_low, new_high);
    if let (Some(low), Some(high)) = ends
        && low <= high
    {
        (input.low, input.high) = (encoding_at(input.scalar, low), encoding_at(input.scalar, high));
    }
}

/// The largest key at which a predicate holds that is true up to some key.
fn last(low: i128, high: i128, holds: &dyn Fn(i128) -> bool) -> Option<i128> {
    if !holds(low) {
        return None;
    }
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low + 1) / 2;
        if holds(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::super::{Condition, Slot};
    use super::narrow;
    use nanoscope_ieee::Format;
    use nanoscope_program::{Input, Scalar};

    #[track_caller]
    fn check(text: &str, expected: (f64, f64), expected_n: (i32, i32)) {
        let double = Scalar::Float(Format::BINARY64);
        let int = Scalar::Integer { bits: 32, signed: true };
        let input = |name: &str, scalar, word, low, high| Input {
            name: name.to_owned(),
            type_name: String::new(),
            scalar,
            word,
            low,
            high,
            specials: false,
        };
        let bits = |value: f64| u128::from(value.to_bits());
        let mut inputs = [
            input("x", double, 0, bits(-f64::MAX), bits(f64::MAX)),
            input("n", int, 1, 1 << 31, (1 << 31) - 1),
        ];
        let slots = inputs.clone().map(|input| Slot {
            name: input.name,
            scalar: input.scalar,
            word: input.word,
        });
        let bound = Condition::parse(text).expect("it is C").bind(&slots).expect("names");
        narrow(&bound, &mut inputs);
        let range = [inputs[0].low, inputs[0].high].map(|bits| f64::from_bits(bits as u64));
        assert_eq!((range[0], range[1]), expected, "{text}");
        assert_eq!((inputs[1].low as i32, inputs[1].high as i32), expected_n, "{text}");
    }

    #[test]
    fn comparisons_with_constants() {
        let (all, int) = ((-f64::MAX, f64::MAX), (i32::MIN, i32::MAX));
        check("x > 0 && n <= 100", (5e-324, f64::MAX), (i32::MIN, 100));
        check("-1 <= x && x < 2 && 3 == n", (-1.0, 2.0f64.next_down()), (3, 3));
        check("x > 0 || n < 0", all, int);
        check("x != 0 && n < 5u && fabs(x) > 1", all, int);
        check("fabs(x) < 2 && fabs(n) <= 7", (-(2f64.next_down()), 2f64.next_down()), (-7, 7));
        check("1e6 >= fabs(x)", (-1e6, 1e6), int);
        check("x > 1 && x < 2 || x == 5 && n > 0", (1f64.next_up(), 5.0), int);
        check("(n == 3 || n == 7) && (x > 0 || x > -1)", (-(1f64.next_down()), f64::MAX), (3, 7));
        check("x < -1e400", all, int);
        check("n > 2.5", all, (3, i32::MAX));
    }
}
