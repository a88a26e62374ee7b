//! Decimal and hexadecimal text against Rust's own, and round trips where Rust
//! has no such format.

mod operands;

use nanoscope_ieee::{Flags, Float, Format, Rounding, Word};
use operands::{Random, operand};

const NEAREST: Rounding = Rounding::NearestEven;

/// The shortest text is Rust's; it reads back; hexadecimal text reads back.
#[track_caller]
fn check64(value: f64) {
    let float = Float::from(value);
    let text = float.to_string();
    if value.is_nan() {
        assert!(text == "nan" || text == "-nan", "{text}");
        return;
    }
    assert_eq!(text, format!("{value:?}"));
    assert_eq!(Float::parse(Format::BINARY64, NEAREST, &text).unwrap().0, float);
    check_hexadecimal(&float);
}

#[track_caller]
fn check32(value: f32) {
    let float = Float::from(value);
    if value.is_nan() {
        return;
    }
    let text = float.to_string();
    assert_eq!(text, format!("{value:?}"));
    assert_eq!(Float::parse(Format::BINARY32, NEAREST, &text).unwrap().0, float);
    check_hexadecimal(&float);
}

#[track_caller]
fn check_hexadecimal(float: &Float) {
    let text = float.to_hexadecimal();
    let (back, flags) = Float::parse(float.format(), Rounding::Upward, &text).unwrap();
    let tiny = float.is_subnormal();
    assert_eq!((&back, flags), (float, Flags { tiny, ..Flags::NONE }), "{text}");
}

#[test]
fn shortest_text_is_rusts() {
    let mut random = Random(0xdec1);
    for _ in 0..6_000 {
        check64(f64::from_bits(operand(Format::BINARY64, &mut random) as u64));
        check64(f64::from_bits(random.next()));
        check64(random.below(1 << 60) as f64 / 1000.0);
        check32(f32::from_bits(operand(Format::BINARY32, &mut random) as u32));
        check32(f32::from_bits(random.next() as u32));
    }
    for exponent in -1074..1024 {
        let power = if exponent < -1022 {
            f64::from_bits(1 << (exponent + 1074))
        } else {
            f64::from_bits(((exponent + 1023) as u64) << 52)
        };
        check64(power);
        check64(f64::from_bits(power.to_bits() + 1));
        check64(f64::from_bits(power.to_bits() - 1));
    }
    for exponent in -320..309 {
        check64(format!("1e{exponent}").parse().unwrap());
        check64(format!("9.5e{exponent}").parse().unwrap());
    }
}

#[test]
fn reading_is_rusts() {
    let mut random = Random(0x5eed);
    let mut texts: Vec<String> = [
        "0",
        "-0",
        "1",
        "+1.5",
        ".5",
        "5.",
        "1e400",
        "-1e400",
        "1e-400",
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "9007199254740993",
        "9007199254740992.99999999999999999999999999999999999999",
        "9007199254740993.00000000000000000000000000000000000000000000000000000001",
        "0.000000000000000000000000000000000000000000000000000000000000000000001e69",
        "inf",
        "-infinity",
    ]
    .map(str::to_owned)
    .to_vec();
    for _ in 0..4_000 {
        let digits = 1 + random.below(40) as usize;
        let digits: String = (0..digits).map(|_| (b'0' + random.below(10) as u8) as char).collect();
        let exponent = random.below(700) as i64 - 360;
        texts.push(format!("{digits}e{exponent}"));
        texts.push(format!("-0.{digits}e{exponent}"));
    }
    // Exact halfway points, and a hair beside them.
    for _ in 0..300 {
        let below = f64::from_bits(operand(Format::BINARY64, &mut random) as u64).abs();
        if !(1e-30..=1e300).contains(&below) {
            continue;
        }
        let above = f64::from_bits(below.to_bits() + 1);
        let half = format!("{:.1200}", below);
        texts.push(half.clone() + "1");
        texts.push(format!("{:.1200}", (below + above) / 2.0));
    }
    for text in texts {
        let double: f64 = text.parse().unwrap();
        let single: f32 = text.parse().unwrap();
        let (float, _) = Float::parse(Format::BINARY64, NEAREST, &text).unwrap();
        assert_eq!(float, Float::from(double), "{text}");
        let (float, _) = Float::parse(Format::BINARY32, NEAREST, &text).unwrap();
        assert_eq!(float, Float::from(single), "{text}");
    }
}

#[test]
fn reading_rounds_and_raises() {
    let cases = [
        ("0.1", Rounding::Upward, "0x1.999999999999ap-4", "x"),
        ("0.1", Rounding::Downward, "0x1.9999999999999p-4", "x"),
        ("-0.1", Rounding::Upward, "-0x1.9999999999999p-4", "x"),
        ("0.5", Rounding::Upward, "0x1p-1", "-"),
        ("1e-500", Rounding::Upward, "0x1p-1074", "uxt"),
        ("1e-500", Rounding::NearestEven, "0x0p+0", "uxt"),
        ("-1e-500", Rounding::NearestAway, "-0x0p+0", "uxt"),
        ("1e999", Rounding::TowardZero, "0x1.fffffffffffffp+1023", "ox"),
        ("1e999", Rounding::NearestEven, "inf", "ox"),
        ("0x1p-1074", Rounding::NearestEven, "0x1p-1074", "t"),
        ("0x1.8p-1074", Rounding::NearestEven, "0x1p-1073", "uxt"),
        ("0x1.00000000000008p0", Rounding::NearestEven, "0x1p+0", "x"),
        ("0x1.00000000000008p0", Rounding::NearestAway, "0x1.0000000000001p+0", "x"),
        ("0x.8", Rounding::NearestEven, "0x1p-1", "-"),
        ("0x1p99999999999999999999", Rounding::Downward, "0x1.fffffffffffffp+1023", "ox"),
        ("-nan", Rounding::NearestEven, "-nan", "-"),
    ];
    for (text, rounding, expected, flags) in cases {
        let (float, raised) = Float::parse(Format::BINARY64, rounding, text).unwrap();
        assert_eq!(
            (float.to_hexadecimal(), raised.to_string()),
            (expected.into(), flags.into()),
            "{text}"
        );
    }
    for text in ["", "-", ".", "e5", "1e", "1e+", "0x", "0x1p", "1.2.3", "one", "0xg", "1 "] {
        assert!(Float::parse(Format::BINARY64, NEAREST, text).is_err(), "`{text}`");
    }
}

#[test]
fn every_format_reads_its_own_text() {
    let mut random = Random(0x7e57);
    let formats = [
        Format::BINARY16,
        Format::BFLOAT16,
        Format::BINARY128,
        Format::X87,
        Format::new(2, 3),
        Format::new(6, 30),
        Format::new(15, 240),
    ];
    for format in formats {
        for _ in 0..150 {
            let ordinal = operand(
                if format.precision > 113 { Format::BINARY64 } else { format },
                &mut random,
            );
            let implicit = format.implicit().width();
            let word = Word::new(implicit.min(128), ordinal);
            let float = if format.explicit_integer_bit {
                let magnitude = (word.to_u128().unwrap() & (u128::MAX >> (129 - implicit))) as i128;
                Float::from_ordinal(format, magnitude).unwrap()
            } else if format.precision > 113 {
                // A wide value by division, so that all its digits are busy.
                let (one, _) = Float::parse(format, NEAREST, "1").unwrap();
                let divisor = Float::from_unsigned(format, NEAREST, &Word::new(128, ordinal | 1)).0;
                one.div(&divisor, NEAREST).0
            } else {
                Float::from_word(format, word)
            };
            if float.is_nan() {
                continue;
            }
            let text = float.to_string();
            let (back, _) = Float::parse(format, NEAREST, &text).unwrap();
            assert_eq!(back, float, "{format} {text}");
            check_hexadecimal(&float);
            if let Some(value) = float.to_rational() {
                let (again, flags) = Float::from_rational(format, Rounding::Downward, &value);
                assert!(again == float || float.is_zero(), "{format} {text}");
                assert!(!flags.inexact, "{format} {text}");
            }
        }
    }
}

/// No text with fewer digits reads back: tried on every value of a tiny format,
/// with both decimals of that length around it.
#[test]
fn shortest_text_is_shortest() {
    let format = Format::new(5, 6);
    let half = 1i128 << (format.width() - 1);
    let mut tried = 0;
    for ordinal in 1..half {
        let float = Float::from_ordinal(format, ordinal).unwrap();
        let Some((digits, point)) = float.shortest_digits() else { continue };
        let exact = float.to_rational().unwrap();
        for length in 1..digits.len() as i32 {
            // The two multiples of 10^(point - length) around the value.
            let ten = num_rational::BigRational::from_integer(10.into());
            let unit = ten.pow(point as i32 - length);
            let floor = (&exact / &unit).floor();
            for multiple in [floor.clone(), floor + num_bigint::BigInt::from(1)] {
                let text = format!("{}e{}", multiple.to_integer(), point as i32 - length);
                let (back, _) = Float::parse(format, NEAREST, &text).unwrap();
                assert_ne!(back, float, "{text} is shorter than {digits}");
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "{tried} candidates");
}
