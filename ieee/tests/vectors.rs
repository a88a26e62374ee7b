//! The soft float, and the hardware lane, run every operation vector.

mod exact;

use nanoscope_ieee::vectors::Vector;
use nanoscope_ieee::{Datum, Operation, Rounding, Sort, evaluate, evaluate_value, vectors};

#[test]
fn soft_float_and_hardware_lane_run_every_vector() {
    for &operation in Operation::ALL {
        let vectors = vectors::of(operation).expect("well-formed vectors");
        assert!(vectors.len() >= 20, "{operation} has only {} vectors", vectors.len());
        for vector in vectors {
            let place = format!("{operation}.txt:{}", vector.line);
            let got = evaluate(operation, &vector.parameters, &vector.operands).expect(&place);
            assert_eq!(got, (vector.result.clone(), vector.flags), "{place}");
            let value = evaluate_value(operation, &vector.parameters, &vector.operands);
            assert_eq!(value.expect(&place), vector.result, "{place}");
        }
    }
}

/// The vectors themselves hold against exact arithmetic, which shares nothing
/// with the semantics.
#[test]
fn exact_arithmetic_confirms_the_vectors() {
    let mut confirmed = 0;
    for &operation in Operation::ALL {
        for vector in vectors::of(operation).expect("well-formed vectors") {
            confirmed += confirms(&vector) as usize;
        }
    }
    assert!(confirmed > 3_000, "only {confirmed} vectors have an exact meaning");
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (text, message) in [
        ("binary64 RNE 0x0 0x0 0x0 -", "no `->`"),
        ("\nbinary65 RNE 0x0 0x0 -> 0x0 -", "is no format"),
        ("binary64 RNE 0x0 -> 0x0 -", "takes more operands"),
        ("binary64 RNE 0x0 0x0 0x0 -> 0x0 -", "one operand too many"),
        ("binary32 RNE 0x100000000 0x0 -> 0x0 -", "no word of 32"),
        ("binary32 RNX 0x0 0x0 -> 0x0 -", "no rounding mode"),
        ("binary32 RNE 0x0 0x0 -> 0x0 q", "no flag"),
        ("binary32 colour=2 RNE 0x0 0x0 -> 0x0 -", "no parameter"),
    ] {
        let error = vectors::parse(Operation::Add, text).unwrap_err();
        let line = text.lines().count();
        assert_eq!(error.line, line);
        assert!(error.to_string().contains(message), "{error}");
    }
    let comment = vectors::parse(Operation::Add, "# nothing\n\n").unwrap();
    assert!(comment.is_empty());
    let one = vectors::parse(Operation::IsNan, "binary16 0x7e00 -> true -").unwrap();
    assert_eq!(one[0].result, Datum::Bool(true));
    assert_eq!(one[0].operands[0].sort(), Sort::Float);
}

/// Compares an operation vector with exact arithmetic; tells whether the
/// operation has a meaning here. x87's encodings have not.
#[track_caller]
fn confirms(vector: &Vector) -> bool {
    let parameters = vector.parameters;
    let formats = [parameters.format, parameters.target];
    if formats.iter().any(|format| format.explicit_integer_bit) {
        return false;
    }
    let mut rounding = Rounding::NearestEven;
    let mut operands = Vec::new();
    for operand in &vector.operands {
        match operand {
            Datum::Rounding(word) => rounding = Rounding::ALL[word.low_u64() as usize],
            Datum::Float(word) | Datum::Bits(word) => operands.push(word.to_u128().unwrap()),
            Datum::Bool(_) => unreachable!("no operation takes a truth value"),
        }
    }
    let (Datum::Float(result) | Datum::Bits(result)) = &vector.result else { return false };
    let got = (result.to_u128().unwrap(), vector.flags);
    match vector.operation {
        Operation::Add
        | Operation::Sub
        | Operation::Mul
        | Operation::Div
        | Operation::Fma
        | Operation::Sqrt
        | Operation::Remainder
        | Operation::Fmod
        | Operation::RoundToIntegral
        | Operation::RoundToIntegralExact => {
            exact::check(vector.operation, parameters.format, rounding, &operands, got)
        }
        Operation::Convert => exact::check_conversion(parameters, rounding, operands[0], got),
        Operation::FromSigned => {
            let shift = 128 - parameters.width;
            let n = (operands[0] as i128) << shift >> shift;
            exact::check_from_integer(parameters, rounding, n, got);
        }
        Operation::FromUnsigned => {
            exact::check_from_integer(parameters, rounding, operands[0] as i128, got)
        }
        Operation::ToSigned => {
            exact::check_integer(parameters, rounding, operands[0], true, |_| got)
        }
        Operation::ToUnsigned => {
            exact::check_integer(parameters, rounding, operands[0], false, |_| got)
        }
        Operation::MinNum
        | Operation::MaxNum
        | Operation::Minimum
        | Operation::Maximum
        | Operation::MinX86
        | Operation::MaxX86
        | Operation::Abs
        | Operation::Neg
        | Operation::CopySign
        | Operation::NextUp
        | Operation::NextDown
        | Operation::Identical
        | Operation::Equal
        | Operation::Less
        | Operation::LessEqual
        | Operation::Greater
        | Operation::GreaterEqual
        | Operation::Unordered
        | Operation::EqualSignaling
        | Operation::LessSignaling
        | Operation::LessEqualSignaling
        | Operation::GreaterSignaling
        | Operation::GreaterEqualSignaling
        | Operation::IsNan
        | Operation::IsSignaling
        | Operation::IsInfinite
        | Operation::IsFinite
        | Operation::IsZero
        | Operation::IsSubnormal
        | Operation::IsNormal
        | Operation::IsNegative
        | Operation::IsPositive
        | Operation::IsSignMinus
        | Operation::FromBits
        | Operation::ToBits => return false,
    }
    true
}
