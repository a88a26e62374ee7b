//! Exceptions that an operation with a constant operand can never raise, whatever the
//! other operand: the cheapest of all proofs.

use crate::goal::exception::Exception;
use crate::goal::site::Action;
use nanoscope_ieee::Format;

/// Why `action`, rounding to nearest, cannot raise `exception` with these operands, of
/// which some are known to be constants of binary32 or binary64.
pub(crate) fn why_never(
    action: Action,
    format: Format,
    exception: Exception,
    operands: &[Option<f64>],
) -> Option<&'static str> {
    let limits = Limits::of(format)?;
    let constant = |i: usize| operands.get(i).copied().flatten().filter(|c| c.is_finite());
    let either = constant(0).or(constant(1));
    match (action, exception) {
        (Action::Add | Action::Sub, Exception::Invalid) => {
            either.map(|_| "only infinities of opposite sign are invalid, and one operand is a finite constant")
        }
        // Half an ulp of the largest number rounds back to it.
        (Action::Add | Action::Sub, Exception::Overflow) => either
            .filter(|c| c.abs() < limits.last_half_ulp)
            .map(|_| "the constant is too small to carry the largest number over the limit"),
        // Next to the constant all numbers are multiples of a normal number.
        (Action::Add | Action::Sub, Exception::Underflow) => either
            .filter(|c| c.abs() >= limits.coarse)
            .map(|_| "so near to the constant that the difference is small, it is a multiple of a normal number"),
        (Action::Mul, Exception::Invalid) => either
            .filter(|&c| c != 0.0)
            .map(|_| "only zero times infinity is invalid, and one factor is a non-zero finite constant"),
        (Action::Mul, Exception::Overflow) => {
            either.filter(|c| c.abs() <= 1.0).map(|_| "the constant factor is not above 1 in magnitude")
        }
        (Action::Mul, Exception::Underflow) => either.filter(|&c| c == 0.0).map(|_| "the product is zero"),
        (Action::Div, Exception::DivideByZero) => {
            if constant(1).is_some_and(|c| c != 0.0) {
                Some("the divisor is a non-zero constant")
            } else {
                constant(0).filter(|&c| c == 0.0).map(|_| "the dividend is zero")
            }
        }
        (Action::Div, Exception::Invalid) => either
            .filter(|&c| c != 0.0)
            .map(|_| "zero by zero and infinity by infinity are invalid, and one operand is a non-zero finite constant"),
        (Action::Div, Exception::Overflow) => {
            if constant(1).is_some_and(|c| c.abs() >= 1.0) {
                Some("the constant divisor is not below 1 in magnitude")
            } else {
                constant(0)
                    .filter(|c| c.abs() <= limits.quotient)
                    .map(|_| "the constant dividend is too small for any divisor")
            }
        }
        (Action::Div, Exception::Underflow) => constant(0)
            .filter(|c| *c == 0.0 || c.abs() >= 8.0)
            .map(|_| "the constant dividend is too large for any divisor, or zero"),
        // Any other question is not settled by a constant.
        _ => None,
    }
}

struct Limits {
    /// Less than this, added to the largest number, rounds away.
    last_half_ulp: f64,
    /// From here on, neighbours differ by a normal number.
    coarse: f64,
    /// No more than this, divided by the smallest subnormal, is still in range.
    quotient: f64,
}

impl Limits {
    fn of(format: Format) -> Option<Limits> {
        let two = |exponent: i32| 2f64.powi(exponent);
        match format {
            // emax 127, precision 24, emin -126; emax 1023, precision 53, emin -1022.
            Format::BINARY32 => Some(Limits {
                last_half_ulp: two(127 - 24),
                coarse: two(-126 + 24),
                quotient: two(127 - 149),
            }),
            Format::BINARY64 => Some(Limits {
                last_half_ulp: two(1023 - 53),
                coarse: two(-1022 + 53),
                quotient: two(1023 - 1022) * two(-52),
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attacks every claim with boundary values and neighbours, in binary32.
    #[test]
    fn no_claim_falls() {
        let mut values = vec![
            0f32,
            1.0,
            1.5,
            3.0,
            f32::MAX,
            f32::MIN_POSITIVE,
            f32::from_bits(1),
            0.5,
            7.9,
            8.0,
            4.0,
        ];
        for exponent in -149..=127 {
            let power = 2f64.powi(exponent) as f32;
            values.extend([power, power.next_up(), power.next_down()]);
        }
        values.extend([f32::INFINITY]);
        let values: Vec<f32> = values.iter().flat_map(|&v| [v, -v]).collect();
        let exceptions = [
            Exception::Overflow,
            Exception::Underflow,
            Exception::DivideByZero,
            Exception::Invalid,
        ];
        let mut claims = 0;
        for action in [Action::Add, Action::Sub, Action::Mul, Action::Div] {
            for &constant in values.iter().filter(|v| v.is_finite()) {
                for side in 0..2 {
                    let mut known = [None, None];
                    known[side] = Some(f64::from(constant));
                    for exception in exceptions {
                        if why_never(action, Format::BINARY32, exception, &known).is_none() {
                            continue;
                        }
                        claims += 1;
                        for &other in &values {
                            let mut pair = [other, other];
                            pair[side] = constant;
                            let result = match action {
                                Action::Add => pair[0] + pair[1],
                                Action::Sub => pair[0] - pair[1],
                                Action::Mul => pair[0] * pair[1],
                                Action::Div => pair[0] / pair[1],
                                _ => unreachable!("only these four are asked about"),
                            };
                            let bits = pair.map(|v| u128::from(v.to_bits()));
                            let far = crate::distance(
                                action,
                                Format::BINARY32,
                                exception,
                                &bits,
                                result.to_bits().into(),
                            );
                            assert!(far > 0, "{action:?} {exception:?} {pair:?} gave {result:e}");
                        }
                    }
                }
            }
        }
        assert!(claims > 1000, "{claims}");
    }
}
