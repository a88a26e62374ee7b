//! The x87 extended format against the machine: value and status flags in the
//! four modes, with pseudo-denormals, unnormals, pseudo-infinities and
//! pseudo-NaNs among the operands. Of NaN results only that they are quiet NaNs
//! is compared: the unit chooses among payloads by its own rule.
#![cfg(target_arch = "x86_64")]

mod machine;
mod operands;

use machine::MODES;
use nanoscope_ieee::{Circuit, Concrete, Domain, Flags, Format, OutOfRange, Rounding, Word};
use operands::{Random, operand};

const X87: Format = Format::X87;
const ROUNDS: usize = 20_000;

/// An encoding, one in eight with its integer bit as it should not be.
fn extended(random: &mut Random) -> u128 {
    let implicit = operand(X87, random);
    let fraction = implicit & ((1 << 63) - 1);
    let top = implicit >> 63;
    let mut integer = (top & 0x7fff != 0) as u128;
    if random.below(8) == 0 {
        integer ^= 1;
    }
    top << 64 | integer << 63 | fraction
}

fn pair(random: &mut Random) -> (u128, u128) {
    let a = extended(random);
    match random.below(4) {
        0 => (a, a ^ (random.below(8) as u128) ^ (random.below(2) as u128) << 79),
        _ => (a, extended(random)),
    }
}

#[track_caller]
fn check(
    what: &str,
    rounding: Rounding,
    operands: &[u128],
    format: Format,
    soft: (Word, Flags),
    machine: (u128, Flags),
) {
    let mut circuit = Circuit::new(Concrete);
    let mask = u128::MAX >> (128 - format.width());
    let machine_word = Word::new(format.width(), machine.0);
    let nans = circuit.is_nan(format, &soft.0).0 && circuit.is_nan(format, &machine_word).0;
    let quiet = !circuit.is_signaling(format, &soft.0).0;
    let same = if nans { quiet } else { soft.0 == machine_word };
    assert!(
        same && soft.1.standard() == machine.1,
        "{what} {rounding} {operands:x?}: {:x} {}, the machine has {:x} {}",
        soft.0.to_u128().unwrap(),
        soft.1,
        machine.0 & mask,
        machine.1
    );
}

macro_rules! binary_test {
    ($name:ident, [$($instruction:literal),*], $soft:expr) => {
        #[test]
        fn $name() {
            let mut random = Random(0x8087_8087_8087);
            for rounding in MODES {
                for _ in 0..ROUNDS {
                    let (a, b) = pair(&mut random);
                    let soft = $soft(Circuit::new(Concrete), rounding.into(), Word::new(80, a), Word::new(80, b));
                    let machine = x87!([$($instruction),*], "fstp tbyte ptr [{result}]", rounding, a, b);
                    check(stringify!($name), rounding, &[a, b], X87, soft, machine);
                }
            }
        }
    };
}

type Soft = Circuit<Concrete>;

binary_test!(add, ["fadd st(0), st(1)"], |mut soft: Soft, mode: Word, a: Word, b: Word| {
    soft.add(X87, &mode, &a, &b)
});
binary_test!(sub, ["fsub st(0), st(1)"], |mut soft: Soft, mode: Word, a: Word, b: Word| {
    soft.sub(X87, &mode, &a, &b)
});
binary_test!(mul, ["fmul st(0), st(1)"], |mut soft: Soft, mode: Word, a: Word, b: Word| {
    soft.mul(X87, &mode, &a, &b)
});
binary_test!(div, ["fdiv st(0), st(1)"], |mut soft: Soft, mode: Word, a: Word, b: Word| {
    soft.div(X87, &mode, &a, &b)
});
binary_test!(sqrt, ["fsqrt"], |mut soft: Soft, mode: Word, a: Word, _b: Word| {
    soft.sqrt(X87, &mode, &a)
});
binary_test!(rint, ["frndint"], |mut soft: Soft, mode: Word, a: Word, _b: Word| {
    soft.round_to_integral_exact(X87, &mode, &a)
});
// The partial remainders, repeated while C2 says there is more to do.
binary_test!(
    fmod,
    ["2: fprem", "fnstsw ax", "test ax, 0x400", "jnz 2b"],
    |mut soft: Soft, _mode: Word, a: Word, b: Word| soft.fmod(X87, &a, &b)
);
binary_test!(
    remainder,
    ["2: fprem1", "fnstsw ax", "test ax, 0x400", "jnz 2b"],
    |mut soft: Soft, _mode: Word, a: Word, b: Word| soft.remainder(X87, &a, &b)
);

macro_rules! narrowing_test {
    ($name:ident, $target:expr, $store:literal) => {
        #[test]
        fn $name() {
            let mut random = Random(0x1987_1985);
            for rounding in MODES {
                for _ in 0..ROUNDS {
                    let a = extended(&mut random);
                    let mut soft = Circuit::new(Concrete);
                    let soft = soft.convert(X87, $target, &rounding.into(), &Word::new(80, a));
                    let machine = x87!([], $store, rounding, a, 0u128);
                    check($store, rounding, &[a], $target, soft, machine);
                }
            }
        }
    };
}

narrowing_test!(to_binary64, Format::BINARY64, "fstp qword ptr [{result}]");
narrowing_test!(to_binary32, Format::BINARY32, "fstp dword ptr [{result}]");

macro_rules! integer_test {
    ($name:ident, $width:literal, $store:literal) => {
        #[test]
        fn $name() {
            let mut random = Random(0x2718_2818);
            for rounding in MODES {
                for _ in 0..ROUNDS {
                    let a = extended(&mut random);
                    let soft = Circuit::new(Concrete).to_signed(
                        X87,
                        $width,
                        OutOfRange::Indefinite,
                        &rounding.into(),
                        &Word::new(80, a),
                    );
                    let machine = x87!([], $store, rounding, a, 0u128);
                    assert_eq!(
                        (soft.0.to_u128().unwrap(), soft.1),
                        machine,
                        "{} {rounding} {a:x}",
                        $store
                    );
                }
            }
        }
    };
}

integer_test!(to_i64, 64, "fistp qword ptr [{result}]");
integer_test!(to_i32, 32, "fistp dword ptr [{result}]");
integer_test!(to_i16, 16, "fistp word ptr [{result}]");

#[test]
fn from_binary64() {
    let mut random = Random(0x3141_5926);
    for _ in 0..4 * ROUNDS {
        let a = operand(Format::BINARY64, &mut random);
        let rounding = Rounding::NearestEven;
        let mut soft = Circuit::new(Concrete);
        let soft = soft.convert(Format::BINARY64, X87, &rounding.into(), &Word::new(64, a));
        let machine = x87!(
            ["fstp st(0)", "fld qword ptr [{a}]"],
            "fstp tbyte ptr [{result}]",
            rounding,
            a,
            0u128
        );
        check("fld", rounding, &[a], X87, soft, machine);
    }
}

#[test]
fn comparisons() {
    let mut random = Random(0x1618_0339);
    let rounding = Rounding::NearestEven;
    for _ in 0..4 * ROUNDS {
        let (a, b) = pair(&mut random);
        let [x, y] = [a, b].map(|bits| Word::new(80, bits));
        let mut soft = Circuit::new(Concrete);
        let unordered = soft.unordered(X87, &x, &y).0;
        let (less, loud) = soft.less_signaling(X87, &x, &y);
        let (equal, quiet) = soft.equal(X87, &x, &y);
        let expected = if unordered {
            0x45
        } else if less {
            0x01
        } else if equal {
            0x40
        } else {
            0x00
        };
        // The comparison leaves its outcome in the processor's flags; LAHF
        // brings them to AH, and from there to the result.
        let machine = x87!(
            ["fucomi st(0), st(1)"],
            "lahf; shr eax, 8; and eax, 0x45; fstp tbyte ptr [{result}]; mov [{result}], rax; mov qword ptr [{result} + 8], 0",
            rounding,
            a,
            b
        );
        assert_eq!((expected, quiet), (machine.0 & 0xff, machine.1), "fucomi {a:x} {b:x}");
        let machine = x87!(
            ["fcomi st(0), st(1)"],
            "lahf; shr eax, 8; and eax, 0x45; fstp tbyte ptr [{result}]; mov [{result}], rax; mov qword ptr [{result} + 8], 0",
            rounding,
            a,
            b
        );
        assert_eq!((expected, loud), (machine.0 & 0xff, machine.1), "fcomi {a:x} {b:x}");
    }
}
