//! binary32 and binary64 against the machine: value, NaN payload and MXCSR
//! flags, in the four modes it has.
#![cfg(target_arch = "x86_64")]

mod machine;
mod operands;

use machine::MODES;
use nanoscope_ieee::{
    Circuit, Concrete, Domain, Flags, Format, NanRule, OutOfRange, Rounding, Word,
};
use operands::{Random, operand};
use std::io::Write;

const ROUNDS: usize = 25_000;

fn soft() -> Circuit<Concrete> {
    Circuit { algebra: Concrete, nan: NanRule::X86 }
}

/// Two operands, often close to each other.
fn pair(format: Format, random: &mut Random) -> (u128, u128) {
    let (a, b) = (operand(format, random), operand(format, random));
    let width = format.implicit().width();
    let mask = u128::MAX >> (128 - width);
    match random.below(4) {
        0 => {
            let near =
                (random.below(3) as u128) << format.fraction_bits() | random.below(5) as u128;
            (a, a.wrapping_add(near) & mask ^ (random.below(2) as u128) << (width - 1))
        }
        _ => (a, b),
    }
}

/// Compares what the soft float gave with the machine.
#[track_caller]
fn check(
    what: &str,
    rounding: Rounding,
    operands: &[u64],
    soft: (Word, Flags),
    machine: (u64, Flags),
) {
    let bits = soft.0.low_u64();
    let mask = u64::MAX >> (64 - soft.0.width());
    assert!(
        bits == machine.0 & mask && soft.1.standard() == machine.1,
        "{what} {rounding} {operands:x?}: {bits:x} {}, the machine has {:x} {}",
        soft.1,
        machine.0 & mask,
        machine.1
    );
}

macro_rules! binary_test {
    ($name:ident, $format:expr, $method:ident, $instruction:literal) => {
        #[test]
        fn $name() {
            let mut random = Random(0x1234_5678_9abc_def1);
            let width = $format.width();
            for rounding in MODES {
                for _ in 0..ROUNDS {
                    let (a, b) = pair($format, &mut random);
                    let result = soft().$method(
                        $format,
                        &rounding.into(),
                        &Word::new(width, a),
                        &Word::new(width, b),
                    );
                    let (a, b) = (a as u64, b as u64);
                    check(
                        $instruction,
                        rounding,
                        &[a, b],
                        result,
                        sse!($instruction, rounding, a, b, 0),
                    );
                }
            }
        }
    };
}

binary_test!(add64, Format::BINARY64, add, "addsd xmm0, xmm1");
binary_test!(sub64, Format::BINARY64, sub, "subsd xmm0, xmm1");
binary_test!(mul64, Format::BINARY64, mul, "mulsd xmm0, xmm1");
binary_test!(div64, Format::BINARY64, div, "divsd xmm0, xmm1");
binary_test!(add32, Format::BINARY32, add, "addss xmm0, xmm1");
binary_test!(sub32, Format::BINARY32, sub, "subss xmm0, xmm1");
binary_test!(mul32, Format::BINARY32, mul, "mulss xmm0, xmm1");
binary_test!(div32, Format::BINARY32, div, "divss xmm0, xmm1");

macro_rules! selection_test {
    ($name:ident, $format:expr, $method:ident, $instruction:literal) => {
        #[test]
        fn $name() {
            let mut random = Random(0x0dd_c0ff_ee11);
            let width = $format.width();
            for _ in 0..ROUNDS {
                let (a, b) = pair($format, &mut random);
                let result = soft().$method($format, &Word::new(width, a), &Word::new(width, b));
                let (a, b) = (a as u64, b as u64);
                let rounding = Rounding::NearestEven;
                check(
                    $instruction,
                    rounding,
                    &[a, b],
                    result,
                    sse!($instruction, rounding, a, b, 0),
                );
            }
        }
    };
}

selection_test!(min64, Format::BINARY64, min_x86, "minsd xmm0, xmm1");
selection_test!(max64, Format::BINARY64, max_x86, "maxsd xmm0, xmm1");
selection_test!(min32, Format::BINARY32, min_x86, "minss xmm0, xmm1");
selection_test!(max32, Format::BINARY32, max_x86, "maxss xmm0, xmm1");

macro_rules! unary_test {
    ($name:ident, $format:expr, $instruction:literal, $soft:expr) => {
        #[test]
        fn $name() {
            let mut random = Random(0xfeed_5eed_0001);
            let width = $format.width();
            for rounding in MODES {
                for _ in 0..ROUNDS {
                    let a = operand($format, &mut random);
                    let result = $soft(soft(), rounding.into(), Word::new(width, a));
                    let a = a as u64;
                    check(
                        $instruction,
                        rounding,
                        &[a],
                        result,
                        sse!($instruction, rounding, a, a, 0),
                    );
                }
            }
        }
    };
}

type Soft = Circuit<Concrete>;

unary_test!(
    sqrt64,
    Format::BINARY64,
    "sqrtsd xmm0, xmm0",
    |mut soft: Soft, mode: Word, a: Word| { soft.sqrt(Format::BINARY64, &mode, &a) }
);
unary_test!(
    sqrt32,
    Format::BINARY32,
    "sqrtss xmm0, xmm0",
    |mut soft: Soft, mode: Word, a: Word| { soft.sqrt(Format::BINARY32, &mode, &a) }
);
unary_test!(
    rint64,
    Format::BINARY64,
    "roundsd xmm0, xmm1, 4",
    |mut soft: Soft, mode: Word, a: Word| {
        soft.round_to_integral_exact(Format::BINARY64, &mode, &a)
    }
);
unary_test!(
    nearbyint64,
    Format::BINARY64,
    "roundsd xmm0, xmm1, 12",
    |mut soft: Soft, mode: Word, a: Word| { soft.round_to_integral(Format::BINARY64, &mode, &a) }
);
unary_test!(
    rint32,
    Format::BINARY32,
    "roundss xmm0, xmm1, 4",
    |mut soft: Soft, mode: Word, a: Word| {
        soft.round_to_integral_exact(Format::BINARY32, &mode, &a)
    }
);
unary_test!(
    narrow,
    Format::BINARY64,
    "cvtsd2ss xmm0, xmm1",
    |mut soft: Soft, mode: Word, a: Word| {
        soft.convert(Format::BINARY64, Format::BINARY32, &mode, &a)
    }
);
unary_test!(
    widen,
    Format::BINARY32,
    "cvtss2sd xmm0, xmm1",
    |mut soft: Soft, mode: Word, a: Word| {
        soft.convert(Format::BINARY32, Format::BINARY64, &mode, &a)
    }
);

macro_rules! integer_test {
    ($name:ident, $format:expr, $width:literal, $rounded:literal, $truncated:literal) => {
        #[test]
        fn $name() {
            let mut random = Random(0xabcd_ef01_2345);
            let bits = $format.width();
            for mode in MODES {
                for _ in 0..ROUNDS {
                    let a = operand($format, &mut random);
                    let word = Word::new(bits, a);
                    let policy = OutOfRange::Indefinite;
                    let rounded = soft().to_signed($format, $width, policy, &mode.into(), &word);
                    let zero = Rounding::TowardZero;
                    let truncated = soft().to_signed($format, $width, policy, &zero.into(), &word);
                    let a = a as u64;
                    check($rounded, mode, &[a], rounded, sse_to_integer!($rounded, mode, a, a));
                    check(
                        $truncated,
                        mode,
                        &[a],
                        truncated,
                        sse_to_integer!($truncated, mode, a, a),
                    );
                }
            }
        }
    };
}

integer_test!(to_i64_from64, Format::BINARY64, 64, "cvtsd2si rax, xmm0", "cvttsd2si rax, xmm0");
integer_test!(to_i32_from64, Format::BINARY64, 32, "cvtsd2si eax, xmm0", "cvttsd2si eax, xmm0");
integer_test!(to_i64_from32, Format::BINARY32, 64, "cvtss2si rax, xmm0", "cvttss2si rax, xmm0");
integer_test!(to_i32_from32, Format::BINARY32, 32, "cvtss2si eax, xmm0", "cvttss2si eax, xmm0");

/// AVX-512's conversions to unsigned integers.
#[test]
fn to_unsigned() {
    if !std::arch::is_x86_feature_detected!("avx512f") {
        return skipped("conversions to unsigned integers", "this processor has no AVX-512");
    }
    let mut random = Random(0x5121_5121);
    let format = Format::BINARY64;
    for mode in MODES {
        for _ in 0..ROUNDS {
            let a = operand(format, &mut random);
            let word = Word::new(64, a);
            let policy = OutOfRange::Indefinite;
            let a = a as u64;
            let wide = soft().to_unsigned(format, 64, policy, &mode.into(), &word);
            let machine = sse_to_integer!("vcvtsd2usi rax, xmm0", mode, a, a);
            check("vcvtsd2usi", mode, &[a], wide, machine);
            let narrow = soft().to_unsigned(format, 32, policy, &mode.into(), &word);
            let machine = sse_to_integer!("vcvtsd2usi eax, xmm0", mode, a, a);
            check("vcvtsd2usi", mode, &[a], narrow, machine);
        }
    }
}

/// F16C's conversions from and to binary16.
#[test]
fn half_precision() {
    if !std::arch::is_x86_feature_detected!("f16c") {
        return;
    }
    let mut random = Random(0xf16c);
    for mode in MODES {
        for _ in 0..ROUNDS {
            let (wide, half) = (Format::BINARY32, Format::BINARY16);
            let a = operand(wide, &mut random);
            let narrowed = soft().convert(wide, half, &mode.into(), &Word::new(32, a));
            let a = a as u64;
            let machine = sse!("vcvtps2ph xmm0, xmm1, 4", mode, a, a, 0);
            check("vcvtps2ph", mode, &[a], narrowed, machine);
            let a = operand(half, &mut random);
            let widened = soft().convert(half, wide, &mode.into(), &Word::new(16, a));
            let a = a as u64;
            let machine = sse!("vcvtph2ps xmm0, xmm1", mode, a, a, 0);
            check("vcvtph2ps", mode, &[a], widened, machine);
        }
    }
}

#[test]
fn from_i64() {
    let mut random = Random(0x7777_1111_9999);
    for rounding in MODES {
        for _ in 0..ROUNDS {
            let integer = (random.next() as i64 >> random.below(64)) as u64;
            let word = Word::new(64, integer as u128);
            let wide = soft().from_signed(Format::BINARY64, 64, &rounding.into(), &word);
            let machine = sse!("cvtsi2sd xmm0, {a}", rounding, integer, 0, 0);
            check("cvtsi2sd", rounding, &[integer], wide, machine);
            let narrow = soft().from_signed(Format::BINARY32, 64, &rounding.into(), &word);
            let machine = sse!("cvtsi2ss xmm0, {a}", rounding, integer, 0, 0);
            check("cvtsi2ss", rounding, &[integer], narrow, machine);
        }
    }
}

#[test]
fn fma_in_all_modes() {
    if !std::arch::is_x86_feature_detected!("fma") {
        return;
    }
    for (format, seed) in [(Format::BINARY64, 0x5151_u64), (Format::BINARY32, 0x6262)] {
        let mut random = Random(seed);
        let width = format.width();
        for rounding in MODES {
            for round in 0..2 * ROUNDS {
                let (a, b) = pair(format, &mut random);
                // Half of the time an addend that nearly cancels the product.
                let c = if round % 2 == 0 {
                    operand(format, &mut random)
                } else {
                    let [a, b] = [a, b].map(|bits| Word::new(width, bits));
                    let mode = Rounding::NearestEven.into();
                    let near = soft().mul(format, &mode, &a, &b).0.to_u128().unwrap();
                    near ^ 1 << (width - 1) ^ random.below(3) as u128
                };
                let [x, y, z] = [a, b, c].map(|bits| Word::new(width, bits));
                let result = soft().fma(format, &rounding.into(), &x, &y, &z);
                let [a, b, c] = [a, b, c].map(|bits| bits as u64);
                // The 213 form takes its second operand for the first factor.
                let machine = if format == Format::BINARY64 {
                    sse!("vfmadd213sd xmm1, xmm0, xmm2; movapd xmm0, xmm1", rounding, a, b, c)
                } else {
                    sse!("vfmadd213ss xmm1, xmm0, xmm2; movapd xmm0, xmm1", rounding, a, b, c)
                };
                check("fma", rounding, &[a, b, c], result, machine);
            }
        }
    }
}

#[test]
fn comparisons() {
    // ZF, PF and CF after a comparison: bits 6, 2 and 0.
    let flags = |order: (bool, bool, bool)| match order {
        (_, _, true) => 0x45,
        (true, _, _) => 0x01,
        (_, true, _) => 0x40,
        _ => 0x00,
    };
    let mut random = Random(0x4242_4242);
    let format = Format::BINARY64;
    for _ in 0..2 * ROUNDS {
        let (a, b) = pair(format, &mut random);
        let [x, y] = [a, b].map(|bits| Word::new(64, bits));
        let [a, b] = [a as u64, b as u64];
        let unordered = soft().unordered(format, &x, &y).0;
        let (less, loud) = soft().less_signaling(format, &x, &y);
        let (equal, quiet) = soft().equal(format, &x, &y);
        let expected = Word::new(8, flags((less, equal, unordered)));
        let rounding = Rounding::NearestEven;
        // LAHF puts the flags into AH; bit 1 of them is always set.
        let machine =
            sse_to_integer!("ucomisd xmm0, xmm1; lahf; shr eax, 8; and eax, 0x45", rounding, a, b);
        check("ucomisd", rounding, &[a, b], (expected.clone(), quiet), machine);
        let machine =
            sse_to_integer!("comisd xmm0, xmm1; lahf; shr eax, 8; and eax, 0x45", rounding, a, b);
        check("comisd", rounding, &[a, b], (expected, loud), machine);
    }
}

/// Says that something was not tested. Written past the harness, which keeps what a passing test
/// prints to itself; `scripts/test.sh` counts these lines.
fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}: {why}");
}
