//! The order of encodings, and the hardware lane against the soft one.

mod operands;

use nanoscope_ieee::{
    ConcreteDatum, Datum, Float, Format, Operation, OutOfRange, Parameters, Rounding, Sort, Word,
    evaluate, evaluate_value,
};
use operands::{Random, operand};
use std::cmp::Ordering;

#[test]
fn ordinals_are_a_monotone_bijection() {
    for format in [Format::new(3, 4), Format::BINARY16, Format::new(2, 2)] {
        let half = 1i128 << (format.width() - 1);
        let mut previous: Option<Float> = None;
        for ordinal in -half..half {
            let float = Float::from_ordinal(format, ordinal).unwrap();
            assert_eq!(float.ordinal(), ordinal);
            if let Some(previous) = previous {
                match previous.partial_order(&float) {
                    Some(Ordering::Less) => {
                        assert_eq!(previous.ulp_distance(&float), Some(1));
                        assert_eq!(previous.next_up().0, float.clone());
                        assert!(float.next_down().0 == previous || previous.is_zero());
                    }
                    Some(Ordering::Equal) => {
                        assert!(float.is_zero() && ordinal == 0);
                        assert_eq!(previous.ulp_distance(&float), Some(0));
                    }
                    Some(Ordering::Greater) => panic!("{previous} > {float}"),
                    None => assert!(previous.is_nan() || float.is_nan()),
                }
            }
            previous = Some(float);
        }
        assert_eq!(Float::from_ordinal(format, half), None);
        assert_eq!(Float::from_ordinal(format, -half - 1), None);
    }
}

#[test]
fn ordinals_of_wide_formats() {
    let mut random = Random(0x0bd1);
    for format in [Format::BINARY64, Format::BINARY128, Format::X87] {
        for _ in 0..500 {
            let implicit = Float::from_bits(format.implicit(), operand(format, &mut random));
            let ordinal = implicit.ordinal();
            let float = Float::from_ordinal(format, ordinal).unwrap();
            assert_eq!(float.ordinal(), ordinal);
            assert_eq!(float.to_rational(), implicit.to_rational());
        }
    }
    // A pseudo-denormal shares the place of the smallest normal number.
    let pseudo = Float::from_bits(Format::X87, 1 << 63);
    assert_eq!(pseudo.ordinal(), Float::smallest_normal(Format::X87, false).ordinal());
    let far = Float::from(1.0).ulp_distance(&Float::from(-1.0));
    assert_eq!(far, Some(2 * 0x3ff0_0000_0000_0000));
    assert_eq!(Float::from(f64::NAN).ulp_distance(&Float::from(1.0)), None);
}

#[test]
fn constants_are_where_they_belong() {
    for format in [Format::BINARY32, Format::BINARY64, Format::X87, Format::new(3, 5)] {
        let next = |float: &Float| float.next_up().0;
        let zero = Float::zero(format, false);
        assert_eq!(next(&zero), Float::smallest(format, false));
        assert_eq!(next(&Float::largest(format, false)), Float::infinity(format, false));
        assert!(Float::smallest_normal(format, false).is_normal());
        assert!(Float::smallest_normal(format, false).next_down().0.is_subnormal());
        assert!(Float::nan(format).is_nan() && !Float::nan(format).is_signaling());
        let one = Float::one(format, true);
        assert_eq!(one.to_f64(), -1.0);
        assert_eq!(one.to_f32(), -1.0);
    }
    assert_eq!(Float::largest(Format::BINARY64, true), Float::from(f64::MIN));
    assert_eq!(Float::smallest_normal(Format::BINARY32, false), Float::from(f32::MIN_POSITIVE));
}

/// The hardware lane gives the soft lane's values, NaNs included.
#[test]
fn hardware_lane_agrees() {
    let mut random = Random(0x1a7e);
    for format in [Format::BINARY32, Format::BINARY64] {
        let target = if format == Format::BINARY32 { Format::BINARY64 } else { Format::BINARY32 };
        for &operation in Operation::ALL {
            for round in 0..1_500 {
                let rounding = Rounding::ALL[if round % 2 == 0 { 0 } else { round % 5 }];
                let parameters = Parameters {
                    format,
                    target,
                    width: [64, 32, 17][round % 3],
                    out_of_range: OutOfRange::ALL[round % 2],
                };
                let data: Vec<ConcreteDatum> = operation
                    .operands()
                    .iter()
                    .map(|sort| match sort {
                        Sort::Rounding => Datum::Rounding(rounding.into()),
                        Sort::Float => {
                            Datum::Float(Word::new(format.width(), operand(format, &mut random)))
                        }
                        Sort::Bits if operation == Operation::FromBits => {
                            Datum::Bits(Word::new(format.width(), operand(format, &mut random)))
                        }
                        Sort::Bits => {
                            Datum::Bits(Word::new(parameters.width, random.next() as u128))
                        }
                        Sort::Bool => unreachable!("no operation takes a truth value"),
                    })
                    .collect();
                let soft = evaluate(operation, &parameters, &data).unwrap().0;
                let fast = evaluate_value(operation, &parameters, &data).unwrap();
                assert_eq!(fast, soft, "{operation} {parameters:?} {rounding} {data:?}");
            }
        }
    }
    let wrong = evaluate(Operation::Add, &Parameters::of(Format::BINARY32), &[Datum::Bool(true)]);
    assert!(wrong.unwrap_err().to_string().contains("add takes"));
}

#[test]
fn names_read_back() {
    for &operation in Operation::ALL {
        assert_eq!(Operation::from_name(operation.name()), Some(operation));
    }
    assert_eq!(Operation::Fma.smtlib_name(), Some("fp.fma"));
    assert_eq!(Operation::Fmod.smtlib_name(), None);
    for rounding in Rounding::ALL {
        assert_eq!(rounding.smtlib_name().parse(), Ok(rounding));
        assert_eq!(rounding.smtlib_long_name().parse(), Ok(rounding));
    }
    for format in [Format::BINARY64, Format::X87, Format::new(3, 9)] {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    assert!("e1p3".parse::<Format>().is_err());
}
