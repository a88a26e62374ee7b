//! Every operand and every rounding mode on tiny formats, against rustc_apfloat
//! where it has the operation and against exact arithmetic where it has not.
//!
//! The oracle for tiny, underflow and overflow is exact arithmetic alone:
//! APFloat tells underflow by the rounded subnormal, where the hardware (and
//! this crate) looks at the result rounded with an unbounded exponent, and it
//! keeps quiet about an overflow that is rounded to the largest number.

mod exact;

use nanoscope_ieee::{
    Circuit, Concrete, ConcreteDatum, Datum, Flags, Format, Operation, OutOfRange, Parameters,
    Rounding, Word, apply,
};
use rustc_apfloat::ieee::{IeeeFloat, Semantics};
use rustc_apfloat::{Float as _, FloatConvert, Round, Status, StatusAnd};

macro_rules! tiny_formats {
    ($($name:ident: $exponent_bits:literal, $precision:literal;)*) => {
        $(
            struct $name;
            impl Semantics for $name {
                const BITS: usize = $exponent_bits + $precision;
                const EXP_BITS: usize = $exponent_bits;
            }
        )*
    };
}

tiny_formats! {
    E2P3: 2, 3;
    E3P2: 3, 2;
    E3P3: 3, 3;
    E3P4: 3, 4;
    E4P3: 4, 3;
    E4P4: 4, 4;
}

fn format_of<S: Semantics>() -> Format {
    Format::new(S::EXP_BITS as u32, (S::BITS - S::EXP_BITS) as u32)
}

fn round_of(rounding: Rounding) -> Round {
    match rounding {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::NearestAway => Round::NearestTiesToAway,
        Rounding::Upward => Round::TowardPositive,
        Rounding::Downward => Round::TowardNegative,
        Rounding::TowardZero => Round::TowardZero,
    }
}

fn flags_of(status: Status) -> Flags {
    Flags {
        invalid: status.contains(Status::INVALID_OP),
        divide_by_zero: status.contains(Status::DIV_BY_ZERO),
        overflow: status.contains(Status::OVERFLOW),
        underflow: status.contains(Status::UNDERFLOW),
        inexact: status.contains(Status::INEXACT),
        tiny: false,
    }
}

/// Runs an operation of the soft float.
fn run(
    operation: Operation,
    parameters: Parameters,
    rounding: Rounding,
    operands: &[u128],
) -> (u128, Flags) {
    let from_integer = matches!(operation, Operation::FromSigned | Operation::FromUnsigned);
    let width = if from_integer { parameters.width } else { parameters.format.width() };
    let mut words = operands.iter().map(|&bits| Word::new(width, bits));
    let data: Vec<ConcreteDatum> = operation
        .operands()
        .iter()
        .map(|sort| match sort {
            nanoscope_ieee::Sort::Rounding => Datum::Rounding(Word::new(3, rounding as u128)),
            nanoscope_ieee::Sort::Float => Datum::Float(words.next().expect("an operand")),
            nanoscope_ieee::Sort::Bits => Datum::Bits(words.next().expect("an operand")),
            nanoscope_ieee::Sort::Bool => unreachable!("no operation takes a truth value"),
        })
        .collect();
    let mut circuit = Circuit::new(Concrete);
    let (result, flags) = apply(&mut circuit, operation, &parameters, &data).expect("operands fit");
    assert!(
        flags.iter().all(|flag| operation.raises().contains(&flag)),
        "{operation} raises {flags}, which its row does not list"
    );
    let bits = match result {
        Datum::Float(word) | Datum::Bits(word) | Datum::Rounding(word) => word.to_u128().unwrap(),
        Datum::Bool(bit) => bit as u128,
    };
    (bits, flags)
}

/// Compares a result with APFloat's: value (any NaN is a NaN) and flags other
/// than those `exact` alone can tell.
#[track_caller]
fn check<S: Semantics>(
    operation: Operation,
    rounding: Rounding,
    operands: &[u128],
    expected: StatusAnd<IeeeFloat<S>>,
) {
    let format = format_of::<S>();
    let (bits, flags) = run(operation, Parameters::of(format), rounding, operands);
    check_value::<S>(bits, expected.value, || {
        format!("{operation} {format} {rounding} {operands:x?}")
    });
    let mut wanted = flags_of(expected.status);
    wanted.underflow = flags.underflow;
    wanted.overflow |= flags.overflow;
    assert_eq!(
        flags.standard(),
        wanted,
        "{operation} {format} {rounding} {operands:x?} -> {bits:x}: flags {flags}"
    );
}

#[track_caller]
fn check_value<S: Semantics>(bits: u128, expected: IeeeFloat<S>, what: impl Fn() -> String) {
    let got = IeeeFloat::<S>::from_bits(bits);
    if expected.is_nan() {
        let quiet = IeeeFloat::<S>::qnan(None).to_bits();
        assert_eq!(bits, quiet, "{}: the canonical NaN, not {bits:x}", what());
    } else {
        assert!(
            !got.is_nan() && bits == expected.to_bits(),
            "{}: {bits:x}, not {:x}",
            what(),
            expected.to_bits()
        );
    }
}

fn encodings<S: Semantics>() -> impl Iterator<Item = u128> + Clone {
    0..1u128 << S::BITS
}

fn binary_operations<S: Semantics>() {
    let format = format_of::<S>();
    for a in encodings::<S>() {
        for b in encodings::<S>() {
            let (x, y) = (IeeeFloat::<S>::from_bits(a), IeeeFloat::<S>::from_bits(b));
            for rounding in Rounding::ALL {
                let round = round_of(rounding);
                check(Operation::Add, rounding, &[a, b], x.add_r(y, round));
                check(Operation::Sub, rounding, &[a, b], x.sub_r(y, round));
                check(Operation::Mul, rounding, &[a, b], x.mul_r(y, round));
                check(Operation::Div, rounding, &[a, b], x.div_r(y, round));
                for operation in [Operation::Add, Operation::Sub, Operation::Mul, Operation::Div] {
                    let got = run(operation, Parameters::of(format), rounding, &[a, b]);
                    exact::check(operation, format, rounding, &[a, b], got);
                }
            }
            for operation in [Operation::Remainder, Operation::Fmod] {
                let got = run(operation, Parameters::of(format), Rounding::NearestEven, &[a, b]);
                exact::check(operation, format, Rounding::NearestEven, &[a, b], got);
            }
        }
    }
}

#[test]
fn add_sub_mul_div_and_remainders() {
    binary_operations::<E2P3>();
    binary_operations::<E3P2>();
    binary_operations::<E3P3>();
    binary_operations::<E3P4>();
    binary_operations::<E4P3>();
}

fn ternary_operations<S: Semantics>(exactly: bool) {
    let format = format_of::<S>();
    for a in encodings::<S>() {
        for b in encodings::<S>() {
            for c in encodings::<S>() {
                let [x, y, z] = [a, b, c].map(IeeeFloat::<S>::from_bits);
                for rounding in Rounding::ALL {
                    if exactly {
                        let got = run(Operation::Fma, Parameters::of(format), rounding, &[a, b, c]);
                        exact::check(Operation::Fma, format, rounding, &[a, b, c], got);
                    }
                    let mut expected = x.mul_add_r(y, z, round_of(rounding));
                    // 7.2 leaves it open whether this is invalid: APFloat says
                    // so, the machine and this crate do not.
                    let no_product =
                        x.is_zero() && y.is_infinite() || x.is_infinite() && y.is_zero();
                    if no_product && z.is_nan() && !z.is_signaling() {
                        expected.status = Status::OK;
                    }
                    check(Operation::Fma, rounding, &[a, b, c], expected);
                }
            }
        }
    }
}

#[test]
fn fma() {
    ternary_operations::<E2P3>(true);
    ternary_operations::<E3P2>(true);
    ternary_operations::<E3P3>(false);
}

fn unary_operations<S: Semantics>() {
    let format = format_of::<S>();
    for a in encodings::<S>() {
        let x = IeeeFloat::<S>::from_bits(a);
        for rounding in Rounding::ALL {
            let parameters = Parameters::of(format);
            let got = run(Operation::Sqrt, parameters, rounding, &[a]);
            exact::check(Operation::Sqrt, format, rounding, &[a], got);
            for operation in [Operation::RoundToIntegral, Operation::RoundToIntegralExact] {
                let got = run(operation, parameters, rounding, &[a]);
                exact::check(operation, format, rounding, &[a], got);
            }
        }
        for (operation, expected) in
            [(Operation::NextUp, x.next_up()), (Operation::NextDown, x.next_down())]
        {
            check(operation, Rounding::NearestEven, &[a], expected);
        }
        let classes = [
            (Operation::IsNan, x.is_nan()),
            (Operation::IsSignaling, x.is_signaling()),
            (Operation::IsInfinite, x.is_infinite()),
            (Operation::IsFinite, x.is_finite()),
            (Operation::IsZero, x.is_zero()),
            (Operation::IsSubnormal, x.is_denormal()),
            (Operation::IsNormal, x.is_normal()),
            (Operation::IsNegative, x.is_negative() && !x.is_nan()),
            (Operation::IsPositive, !x.is_negative() && !x.is_nan()),
            (Operation::IsSignMinus, a >> (S::BITS - 1) == 1),
        ];
        for (operation, expected) in classes {
            let got = run(operation, Parameters::of(format), Rounding::NearestEven, &[a]);
            assert_eq!(got, (expected as u128, Flags::NONE), "{operation} {format} {a:x}");
        }
        let top = 1u128 << (S::BITS - 1);
        let canonical = if x.is_nan() { IeeeFloat::<S>::qnan(None).to_bits() } else { a };
        for (operation, expected) in [
            (Operation::Abs, a & !top),
            (Operation::Neg, a ^ top),
            (Operation::FromBits, canonical),
            (Operation::ToBits, a),
        ] {
            let got = run(operation, Parameters::of(format), Rounding::NearestEven, &[a]);
            assert_eq!(got, (expected, Flags::NONE), "{operation} {format} {a:x}");
        }
    }
}

#[test]
fn sqrt_integral_neighbours_and_classes() {
    unary_operations::<E2P3>();
    unary_operations::<E3P2>();
    unary_operations::<E3P4>();
    unary_operations::<E4P3>();
    unary_operations::<E4P4>();
}

fn comparisons<S: Semantics>() {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let format = format_of::<S>();
    let top = 1u128 << (S::BITS - 1);
    for a in encodings::<S>() {
        for b in encodings::<S>() {
            let (x, y) = (IeeeFloat::<S>::from_bits(a), IeeeFloat::<S>::from_bits(b));
            let order = x.partial_cmp(&y);
            let quiet = Flags { invalid: x.is_signaling() || y.is_signaling(), ..Flags::NONE };
            let loud = Flags { invalid: order.is_none(), ..Flags::NONE };
            let (less, equal, greater) =
                (order == Some(Less), order == Some(Equal), order == Some(Greater));
            let relations = [
                (Operation::Equal, equal, quiet),
                (Operation::Less, less, quiet),
                (Operation::LessEqual, less || equal, quiet),
                (Operation::Greater, greater, quiet),
                (Operation::GreaterEqual, greater || equal, quiet),
                (Operation::Unordered, order.is_none(), quiet),
                (Operation::EqualSignaling, equal, loud),
                (Operation::LessSignaling, less, loud),
                (Operation::LessEqualSignaling, less || equal, loud),
                (Operation::GreaterSignaling, greater, loud),
                (Operation::GreaterEqualSignaling, greater || equal, loud),
                (Operation::Identical, a == b || x.is_nan() && y.is_nan(), Flags::NONE),
            ];
            for (operation, holds, flags) in relations {
                let got = run(operation, Parameters::of(format), Rounding::NearestEven, &[a, b]);
                assert_eq!(got, (holds as u128, flags), "{operation} {format} {a:x} {b:x}");
            }

            let nan = IeeeFloat::<S>::qnan(None).to_bits();
            let lower = if less || equal && x.is_negative() { a } else { b };
            let upper = if greater || equal && y.is_negative() { a } else { b };
            let number = |pick: u128| match (x.is_nan(), y.is_nan()) {
                _ if quiet.invalid => nan,
                (true, true) => nan,
                (true, false) => b,
                (false, true) => a,
                (false, false) => pick,
            };
            let propagating = |pick: u128| if order.is_none() { nan } else { pick };
            let copied = a & !top | b & top;
            let selections = [
                (Operation::MinNum, number(lower), quiet),
                (Operation::MaxNum, number(upper), quiet),
                (Operation::Minimum, propagating(lower), quiet),
                (Operation::Maximum, propagating(upper), quiet),
                (Operation::MinX86, if less { a } else { b }, loud),
                (Operation::MaxX86, if greater { a } else { b }, loud),
                (Operation::CopySign, copied, Flags::NONE),
            ];
            for (operation, bits, flags) in selections {
                let got = run(operation, Parameters::of(format), Rounding::NearestEven, &[a, b]);
                assert_eq!(got, (bits, flags), "{operation} {format} {a:x} {b:x}");
            }
        }
    }
}

#[test]
fn comparisons_and_selections() {
    comparisons::<E2P3>();
    comparisons::<E3P4>();
    comparisons::<E4P3>();
}

fn conversion<S: Semantics, T: Semantics>()
where
    IeeeFloat<S>: FloatConvert<IeeeFloat<T>>,
{
    let parameters = Parameters::between(format_of::<S>(), format_of::<T>());
    for a in encodings::<S>() {
        for rounding in Rounding::ALL {
            let x = IeeeFloat::<S>::from_bits(a);
            let expected: StatusAnd<IeeeFloat<T>> = x.convert_r(round_of(rounding), &mut false);
            let got = run(Operation::Convert, parameters, rounding, &[a]);
            check_value::<T>(got.0, expected.value, || {
                format!("{} to {} {rounding} {a:x}", parameters.format, parameters.target)
            });
            exact::check_conversion(parameters, rounding, a, got);
        }
    }
}

#[test]
fn conversions() {
    conversion::<E4P4, E2P3>();
    conversion::<E4P4, E3P3>();
    conversion::<E4P4, E3P4>();
    conversion::<E4P3, E3P4>();
    conversion::<E3P4, E4P3>();
    conversion::<E3P2, E4P4>();
    conversion::<E2P3, E4P4>();
    conversion::<E3P4, E3P4>();
}

fn integers<S: Semantics>() {
    let format = format_of::<S>();
    for width in 1..=7u32 {
        for rounding in Rounding::ALL {
            let round = round_of(rounding);
            for a in 0..1u128 << width {
                let parameters = Parameters::integer(format, width, OutOfRange::Undefined);
                let signed = (a as i128) << (128 - width) >> (128 - width);
                for (operation, expected) in [
                    (Operation::FromUnsigned, IeeeFloat::<S>::from_u128_r(a, round)),
                    (Operation::FromSigned, IeeeFloat::<S>::from_i128_r(signed, round)),
                ] {
                    let (bits, flags) = run(operation, parameters, rounding, &[a]);
                    let what = || format!("{operation} {format} {rounding} {width}'{a:x}");
                    check_value::<S>(bits, expected.value, what);
                    let mut wanted = flags_of(expected.status);
                    wanted.overflow |= flags.overflow;
                    assert_eq!(flags, wanted, "{}", what());
                    exact::check_from_integer(
                        parameters,
                        rounding,
                        if operation == Operation::FromSigned { signed } else { a as i128 },
                        (bits, flags),
                    );
                }
            }
            for a in encodings::<S>() {
                for out_of_range in OutOfRange::ALL {
                    let parameters = Parameters::integer(format, width, out_of_range);
                    for signed in [false, true] {
                        exact::check_integer(parameters, rounding, a, signed, |operation| {
                            run(operation, parameters, rounding, &[a])
                        });
                    }
                }
            }
        }
    }
}

#[test]
fn integers_of_small_widths() {
    integers::<E2P3>();
    integers::<E3P2>();
    integers::<E3P4>();
    integers::<E4P3>();
    integers::<E4P4>();
}
