//! An oracle of its own: exact rational arithmetic, and rounding by looking for
//! the neighbours of the exact result among all values of the format.
//!
//! It shares no code with the semantics; it is slow and plain.

use nanoscope_ieee::{Flags, Format, Operation, OutOfRange, Parameters, Rounding};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// A decoded operand.
#[derive(Clone, PartialEq)]
enum Value {
    Nan { signaling: bool },
    Infinite { negative: bool },
    Finite { negative: bool, value: BigRational },
}

fn power_of_two(exponent: i64) -> BigRational {
    let power = BigRational::from_integer(BigInt::one() << exponent.unsigned_abs());
    if exponent < 0 { power.recip() } else { power }
}

fn decode(format: Format, bits: u128) -> Value {
    let fraction_bits = format.precision - 1;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let field = bits >> fraction_bits & ((1 << format.exponent_bits) - 1);
    let negative = bits >> (format.width() - 1) == 1;
    if field == (1 << format.exponent_bits) - 1 {
        return match fraction {
            0 => Value::Infinite { negative },
            _ => Value::Nan { signaling: fraction >> (fraction_bits - 1) == 0 },
        };
    }
    let (significand, exponent) = match field {
        0 => (fraction, 1),
        _ => (fraction | 1 << fraction_bits, field as i64),
    };
    let magnitude = BigRational::from_integer(significand.into())
        * power_of_two(exponent - format.max_exponent() - fraction_bits as i64);
    Value::Finite { negative, value: if negative { -magnitude } else { magnitude } }
}

/// The magnitude rounded to a multiple of `unit`: how many units, and whether
/// it was inexact.
fn to_multiple(
    magnitude: &BigRational,
    unit: &BigRational,
    rounding: Rounding,
    negative: bool,
) -> (BigInt, bool) {
    let units = magnitude / unit;
    let floor = units.floor().to_integer();
    let rest = units - BigRational::from_integer(floor.clone());
    let half = BigRational::new(1.into(), 2.into());
    let odd = (&floor % 2u32).is_one();
    let up = match rounding {
        Rounding::NearestEven => rest > half || rest == half && odd,
        Rounding::NearestAway => rest >= half,
        Rounding::Upward => !negative && !rest.is_zero(),
        Rounding::Downward => negative && !rest.is_zero(),
        Rounding::TowardZero => false,
    };
    (floor + up as u32, !rest.is_zero())
}

fn exponent_of(magnitude: &BigRational) -> i64 {
    let mut exponent = magnitude.numer().bits() as i64 - magnitude.denom().bits() as i64;
    while power_of_two(exponent) > *magnitude {
        exponent -= 1;
    }
    while power_of_two(exponent + 1) <= *magnitude {
        exponent += 1;
    }
    exponent
}

/// Rounds an exact value that is not zero.
pub fn round(format: Format, rounding: Rounding, exact: &BigRational) -> (u128, Flags) {
    let negative = exact.is_negative();
    let magnitude = exact.abs();
    let fraction_bits = (format.precision - 1) as i64;
    let smallest_normal = power_of_two(format.min_exponent());
    let quantum_of = |exponent: i64| power_of_two(exponent - fraction_bits);

    let unbounded_unit = quantum_of(exponent_of(&magnitude));
    let (units, _) = to_multiple(&magnitude, &unbounded_unit, rounding, negative);
    let tiny = BigRational::from_integer(units) * &unbounded_unit < smallest_normal;

    let exponent = exponent_of(&magnitude).max(format.min_exponent());
    let unit = quantum_of(exponent);
    let (units, inexact) = to_multiple(&magnitude, &unit, rounding, negative);
    let delivered = BigRational::from_integer(units) * &unit;
    let limit = power_of_two(format.max_exponent() + 1);
    let largest = &limit - quantum_of(format.max_exponent());
    let sign = (negative as u128) << (format.width() - 1);
    let infinity = ((1u128 << format.exponent_bits) - 1) << fraction_bits;
    if delivered >= limit {
        let to_infinity = match rounding {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::Upward => !negative,
            Rounding::Downward => negative,
            Rounding::TowardZero => false,
        };
        let flags = Flags { overflow: true, inexact: true, ..Flags::NONE };
        return (sign | if to_infinity { infinity } else { infinity - 1 }, flags);
    }
    assert!(delivered <= largest, "no value between the largest and the limit");
    let in_quanta = (&delivered / quantum_of(format.min_exponent())).to_integer();
    let bits = if delivered < smallest_normal {
        in_quanta.to_u128().unwrap()
    } else {
        let exponent = exponent_of(&delivered);
        let field = (exponent + format.max_exponent()) as u128;
        let units = (&delivered / quantum_of(exponent)).to_integer().to_u128().unwrap();
        (field << fraction_bits) + units - (1 << fraction_bits)
    };
    (sign | bits, Flags { inexact, tiny, underflow: tiny && inexact, ..Flags::NONE })
}

fn canonical_nan(format: Format) -> u128 {
    let fraction_bits = format.precision - 1;
    ((1 << (format.exponent_bits + 1)) - 1) << (fraction_bits - 1)
}

fn zero(format: Format, negative: bool) -> u128 {
    (negative as u128) << (format.width() - 1)
}

fn infinity(format: Format, negative: bool) -> u128 {
    zero(format, negative) | ((1 << format.exponent_bits) - 1) << (format.precision - 1)
}

/// Rounds, or gives a zero of the sign told.
fn round_or_zero(
    format: Format,
    rounding: Rounding,
    exact: BigRational,
    zero_negative: bool,
) -> (u128, Flags) {
    if exact.is_zero() {
        (zero(format, zero_negative), Flags::NONE)
    } else {
        round(format, rounding, &exact)
    }
}

/// The sum of two values neither of which is a NaN.
fn sum(format: Format, rounding: Rounding, x: &Value, y: &Value) -> (u128, Flags) {
    match (x, y) {
        (Value::Infinite { negative: a }, Value::Infinite { negative: b }) if a != b => {
            (canonical_nan(format), Flags::INVALID)
        }
        (Value::Infinite { negative }, _) | (_, Value::Infinite { negative }) => {
            (infinity(format, *negative), Flags::NONE)
        }
        (Value::Finite { negative: a, value: x }, Value::Finite { negative: b, value: y }) => {
            let zero_negative = if a == b { *a } else { rounding == Rounding::Downward };
            round_or_zero(format, rounding, x + y, zero_negative)
        }
        _ => unreachable!("NaNs are handled before"),
    }
}

fn is_zero(x: &Value) -> bool {
    matches!(x, Value::Finite { value, .. } if value.is_zero())
}

fn is_negative(x: &Value) -> bool {
    match x {
        Value::Nan { .. } => false,
        Value::Infinite { negative } | Value::Finite { negative, .. } => *negative,
    }
}

/// The exact product of two values neither of which is a NaN; none if invalid.
fn product(x: &Value, y: &Value) -> Option<Value> {
    let negative = is_negative(x) != is_negative(y);
    match (x, y) {
        (Value::Finite { value: x, .. }, Value::Finite { value: y, .. }) => {
            Some(Value::Finite { negative, value: x * y })
        }
        _ if is_zero(x) || is_zero(y) => None,
        _ => Some(Value::Infinite { negative }),
    }
}

fn negated(x: &Value) -> Value {
    match x {
        Value::Nan { signaling } => Value::Nan { signaling: *signaling },
        Value::Infinite { negative } => Value::Infinite { negative: !negative },
        Value::Finite { negative, value } => {
            Value::Finite { negative: !negative, value: -value.clone() }
        }
    }
}

/// The square root: its neighbours in quarter units of the last place, by the
/// squares of these; the exact root lies strictly between two unless it is one.
fn square_root(format: Format, rounding: Rounding, x: &BigRational) -> (u128, Flags) {
    let exponent = exponent_of(x).div_euclid(2);
    let unit = power_of_two(exponent - format.precision as i64 - 2);
    let steps = (x / &unit / &unit).floor().to_integer().sqrt();
    let low = BigRational::from_integer(steps) * &unit;
    if &low * &low == *x {
        round(format, rounding, &low)
    } else {
        // Irrational or longer than the format: anything strictly between
        // the two neighbours rounds alike.
        round(format, rounding, &(low + unit / BigRational::from_integer(2.into())))
    }
}

fn expected(
    operation: Operation,
    format: Format,
    rounding: Rounding,
    operands: &[Value],
) -> (u128, Flags) {
    let nan = canonical_nan(format);
    if operands.iter().any(|x| matches!(x, Value::Nan { .. })) {
        let invalid = operands.contains(&Value::Nan { signaling: true });
        return (nan, Flags { invalid, ..Flags::NONE });
    }
    let invalid = (nan, Flags::INVALID);
    match (operation, operands) {
        (Operation::Add, [x, y]) => sum(format, rounding, x, y),
        (Operation::Sub, [x, y]) => sum(format, rounding, x, &negated(y)),
        (Operation::Mul, [x, y]) => match product(x, y) {
            None => invalid,
            Some(Value::Finite { negative, value }) => {
                round_or_zero(format, rounding, value, negative)
            }
            Some(_) => (infinity(format, is_negative(x) != is_negative(y)), Flags::NONE),
        },
        (Operation::Fma, [x, y, z]) => match product(x, y) {
            None => invalid,
            Some(product) => sum(format, rounding, &product, z),
        },
        (Operation::Div, [x, y]) => {
            let negative = is_negative(x) != is_negative(y);
            match (x, y) {
                (Value::Infinite { .. }, Value::Infinite { .. }) => invalid,
                _ if is_zero(x) && is_zero(y) => invalid,
                (Value::Infinite { .. }, _) => (infinity(format, negative), Flags::NONE),
                (_, Value::Infinite { .. }) => (zero(format, negative), Flags::NONE),
                _ if is_zero(y) => {
                    (infinity(format, negative), Flags { divide_by_zero: true, ..Flags::NONE })
                }
                (Value::Finite { value: x, .. }, Value::Finite { value: y, .. }) => {
                    round_or_zero(format, rounding, x / y, negative)
                }
                _ => unreachable!("NaNs are handled before"),
            }
        }
        (Operation::Remainder | Operation::Fmod, [x, y]) => match (x, y) {
            (Value::Infinite { .. }, _) => invalid,
            _ if is_zero(y) => invalid,
            (Value::Finite { negative, value }, Value::Infinite { .. }) => {
                round_or_zero(format, rounding, value.clone(), *negative)
            }
            (Value::Finite { negative, value: x }, Value::Finite { value: y, .. }) => {
                let quotient = x / y;
                let whole = if operation == Operation::Fmod {
                    quotient.trunc()
                } else {
                    let (units, _) = to_multiple(
                        &quotient.abs(),
                        &BigRational::one(),
                        Rounding::NearestEven,
                        false,
                    );
                    BigRational::from_integer(units) * quotient.signum()
                };
                let (bits, flags) = round_or_zero(format, rounding, x - y * whole, *negative);
                assert!(!flags.inexact, "remainders are exact");
                (bits, flags)
            }
            _ => unreachable!("NaNs are handled before"),
        },
        (Operation::Sqrt, [x]) => match x {
            Value::Infinite { negative: false } => (infinity(format, false), Flags::NONE),
            Value::Finite { negative, value } if value.is_zero() => {
                (zero(format, *negative), Flags::NONE)
            }
            Value::Finite { negative: false, value } => square_root(format, rounding, value),
            _ => invalid,
        },
        (Operation::RoundToIntegral | Operation::RoundToIntegralExact, [x]) => match x {
            Value::Finite { negative, value } => {
                let (units, inexact) =
                    to_multiple(&value.abs(), &BigRational::one(), rounding, *negative);
                let value = BigRational::from_integer(units)
                    * if *negative { -BigRational::one() } else { BigRational::one() };
                let (bits, _) = round_or_zero(format, rounding, value, *negative);
                let inexact = inexact && operation == Operation::RoundToIntegralExact;
                (bits, Flags { inexact, ..Flags::NONE })
            }
            _ => (infinity(format, is_negative(x)), Flags::NONE),
        },
        _ => unreachable!("no exact meaning of {operation} here"),
    }
}

/// Compares value and all flags with exact arithmetic.
#[track_caller]
pub fn check(
    operation: Operation,
    format: Format,
    rounding: Rounding,
    operands: &[u128],
    got: (u128, Flags),
) {
    let values: Vec<_> = operands.iter().map(|&bits| decode(format, bits)).collect();
    let want = expected(operation, format, rounding, &values);
    assert_eq!(
        got, want,
        "{operation} {format} {rounding} {operands:x?}: {:x} {}, not {:x} {}",
        got.0, got.1, want.0, want.1
    );
}

/// Compares a conversion between formats with exact arithmetic.
#[track_caller]
pub fn check_conversion(parameters: Parameters, rounding: Rounding, a: u128, got: (u128, Flags)) {
    let target = parameters.target;
    let want = match decode(parameters.format, a) {
        Value::Nan { signaling } => {
            (canonical_nan(target), Flags { invalid: signaling, ..Flags::NONE })
        }
        Value::Infinite { negative } => (infinity(target, negative), Flags::NONE),
        Value::Finite { negative, value } => round_or_zero(target, rounding, value, negative),
    };
    assert_eq!(got, want, "{} to {target} {rounding} {a:x}", parameters.format);
}

/// Compares a conversion to an integer with exact arithmetic.
#[track_caller]
pub fn check_integer(
    parameters: Parameters,
    rounding: Rounding,
    a: u128,
    signed: bool,
    run: impl Fn(Operation) -> (u128, Flags),
) {
    let operation = if signed { Operation::ToSigned } else { Operation::ToUnsigned };
    let width = parameters.width;
    let (least, greatest) = if signed {
        (-(BigInt::one() << (width - 1)), (BigInt::one() << (width - 1)) - 1)
    } else {
        (BigInt::zero(), (BigInt::one() << width) - 1)
    };
    let modulus = BigInt::one() << width;
    let bits = |n: &BigInt| ((n + &modulus) % &modulus).to_u128().unwrap();
    let value = decode(parameters.format, a);
    let outside = match parameters.out_of_range {
        OutOfRange::Undefined => 0,
        OutOfRange::Indefinite if signed => 1 << (width - 1),
        OutOfRange::Indefinite => (1 << width) - 1,
        OutOfRange::Saturate => match value {
            Value::Nan { .. } => 0,
            _ if is_negative(&value) => bits(&least),
            _ => bits(&greatest),
        },
    };
    let want = match &value {
        Value::Nan { .. } | Value::Infinite { .. } => (outside, Flags::INVALID),
        Value::Finite { negative, value } => {
            let (units, inexact) =
                to_multiple(&value.abs(), &BigRational::one(), rounding, *negative);
            let n = if *negative { -units } else { units };
            if n < least || n > greatest {
                (outside, Flags::INVALID)
            } else {
                (bits(&n), Flags { inexact, ..Flags::NONE })
            }
        }
    };
    assert_eq!(run(operation), want, "{operation} {parameters:?} {rounding} {a:x}");
}

/// Compares a conversion from an integer with exact arithmetic.
#[track_caller]
pub fn check_from_integer(parameters: Parameters, rounding: Rounding, n: i128, got: (u128, Flags)) {
    let exact = BigRational::from_integer(n.into());
    let want = round_or_zero(parameters.format, rounding, exact, false);
    assert_eq!(got, want, "{n} to {} {rounding}", parameters.format);
}
