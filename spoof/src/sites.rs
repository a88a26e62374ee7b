//! Which instructions can raise invalid, overflow or divide-by-zero with an exceptional result,
//! and in which lanes of their destination it is.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// What is spoofed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Spoof {
    /// A quiet NaN.
    NaN,
    /// Plus infinity.
    PlusInfinity,
    /// Minus infinity.
    MinusInfinity,
    /// The greatest finite number.
    Greatest,
    /// The least finite number.
    Least,
    /// Zero.
    Zero,
}

impl Spoof {
    /// For a report.
    pub fn name(self) -> &'static str {
        match self {
            Spoof::NaN => "NaN",
            Spoof::PlusInfinity => "+inf",
            Spoof::MinusInfinity => "-inf",
            Spoof::Greatest => "the greatest finite number",
            Spoof::Least => "the least finite number",
            Spoof::Zero => "zero",
        }
    }

    /// Whether it is a NaN or an infinity.
    pub fn is_exceptional(self) -> bool {
        match self {
            Spoof::NaN | Spoof::PlusInfinity | Spoof::MinusInfinity => true,
            Spoof::Greatest | Spoof::Least | Spoof::Zero => false,
        }
    }

    /// Of what lies at the end of all numbers, whether it is the negative end.
    pub fn end(self) -> Option<bool> {
        match self {
            Spoof::PlusInfinity | Spoof::Greatest => Some(false),
            Spoof::MinusInfinity | Spoof::Least => Some(true),
            Spoof::NaN | Spoof::Zero => None,
        }
    }

    /// Its bytes, least significant first, in the format of that many bits.
    pub fn bytes(self, bits: u32) -> Vec<u8> {
        let negative = matches!(self, Spoof::MinusInfinity | Spoof::Least);
        match bits {
            16 => {
                let magnitude: u16 = match self {
                    Spoof::NaN => 0x7e00,
                    Spoof::PlusInfinity | Spoof::MinusInfinity => 0x7c00,
                    Spoof::Greatest | Spoof::Least => 0x7bff,
                    Spoof::Zero => 0,
                };
                (magnitude | (u16::from(negative) << 15)).to_le_bytes().to_vec()
            }
            32 => match self {
                Spoof::NaN => f32::NAN,
                Spoof::PlusInfinity => f32::INFINITY,
                Spoof::MinusInfinity => f32::NEG_INFINITY,
                Spoof::Greatest => f32::MAX,
                Spoof::Least => f32::MIN,
                Spoof::Zero => 0.0,
            }
            .to_le_bytes()
            .to_vec(),
            80 => {
                let (top, significand): (u16, u64) = match self {
                    Spoof::NaN => (0x7fff, 0xc000_0000_0000_0000),
                    Spoof::PlusInfinity | Spoof::MinusInfinity => (0x7fff, 1 << 63),
                    Spoof::Greatest | Spoof::Least => (0x7ffe, u64::MAX),
                    Spoof::Zero => (0, 0),
                };
                let mut bytes = significand.to_le_bytes().to_vec();
                bytes.extend((top | (u16::from(negative) << 15)).to_le_bytes());
                bytes
            }
            _ => match self {
                Spoof::NaN => f64::NAN,
                Spoof::PlusInfinity => f64::INFINITY,
                Spoof::MinusInfinity => f64::NEG_INFINITY,
                Spoof::Greatest => f64::MAX,
                Spoof::Least => f64::MIN,
                Spoof::Zero => 0.0,
            }
            .to_le_bytes()
            .to_vec(),
        }
    }
}

/// A lane of an instruction's destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Lane {
    /// Of a vector register: its number, the first byte, and the bits.
    Vector {
        /// 0 is xmm0.
        register: u8,
        /// The lane's first byte.
        byte: u8,
        /// The lane's bits.
        bits: u32,
    },
    /// st(index) after the instruction.
    X87 {
        /// From the top.
        index: u8,
    },
}

impl Lane {
    /// Its bits.
    pub fn bits(self) -> u32 {
        match self {
            Lane::Vector { bits, .. } => bits,
            Lane::X87 { .. } => 80,
        }
    }

    /// Its number in the register, from 0.
    pub fn number(self) -> u32 {
        match self {
            Lane::Vector { byte, bits, .. } => u32::from(byte) * 8 / bits,
            Lane::X87 { .. } => 0,
        }
    }
}

/// What an instruction can give instead of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raises {
    /// Its lanes.
    pub lanes: Vec<Lane>,
    /// The exceptional values that each can be.
    pub values: &'static [Spoof],
}

const ALL: &[Spoof] = &[Spoof::NaN, Spoof::PlusInfinity, Spoof::MinusInfinity];
const INVALID: &[Spoof] = &[Spoof::NaN];
const OVERFLOW: &[Spoof] = &[Spoof::PlusInfinity, Spoof::MinusInfinity];

/// The exceptional results an instruction can have, if any. A result that goes to memory is not
/// spoofed: the value that is stored was.
pub fn raises(instruction: &Instruction) -> Option<Raises> {
    let (bits, packed, values) = ROWS[instruction.mnemonic() as usize]?;
    if bits == 80 {
        let index = x87_destination(instruction)?;
        return Some(Raises { lanes: vec![Lane::X87 { index }], values });
    }
    if instruction.op0_kind() != OpKind::Register {
        return None;
    }
    let register = instruction.op0_register();
    if !register.is_vector_register() {
        return None;
    }
    let number = register.number() as u8;
    let width = if packed { register.size() as u32 * 8 } else { bits };
    // A conversion to a narrower format fills half of the destination.
    let width = match instruction.mnemonic() {
        Mnemonic::Cvtpd2ps | Mnemonic::Vcvtpd2ps => instruction_source_bits(instruction) / 2,
        _ => width,
    };
    let lanes = (0..width / bits)
        .map(|lane| Lane::Vector { register: number, byte: (lane * bits / 8) as u8, bits })
        .collect();
    Some(Raises { lanes, values })
}

fn instruction_source_bits(instruction: &Instruction) -> u32 {
    let last = instruction.op_count() - 1;
    match instruction.op_kind(last) {
        OpKind::Register => instruction.op_register(last).size() as u32 * 8,
        _ => instruction.memory_size().size() as u32 * 8,
    }
}

/// Where an x87 result is after the instruction.
fn x87_destination(instruction: &Instruction) -> Option<u8> {
    let popped =
        x87_arithmetic(instruction.mnemonic()).is_some_and(|form| form == X87Form::Popping);
    let register = match instruction.op0_kind() {
        OpKind::Register if instruction.op_count() > 0 => instruction.op0_register(),
        _ => Register::ST0,
    };
    let index = (register as u32).checked_sub(Register::ST0 as u32).filter(|index| *index < 8)?;
    u8::try_from(index).ok()?.checked_sub(u8::from(popped))
}

/// The bits of a lane, whether there are several, and what each can be.
type Row = (u32, bool, &'static [Spoof]);

/// A row for each instruction, by its number.
static ROWS: LazyLock<Vec<Option<Row>>> = LazyLock::new(|| {
    let row = |mnemonic| floating(mnemonic).or_else(|| Some((80, false, x87(mnemonic)?)));
    Mnemonic::values().map(row).collect()
});

/// How an x87 instruction has its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum X87Form {
    /// Registers or a float in memory.
    Plain,
    /// Registers; the top is popped.
    Popping,
    /// An integer in memory.
    Integer,
}

/// The x87's sums, differences, products and quotients: `fadd`, `fsubrp`, `fidiv`, …
fn x87_arithmetic(mnemonic: Mnemonic) -> Option<X87Form> {
    let name = name(mnemonic);
    let name = name.strip_prefix('f')?;
    let (name, form) = match name.strip_prefix('i') {
        Some(rest) => (rest, X87Form::Integer),
        None => match name.strip_suffix('p') {
            Some(rest) => (rest, X87Form::Popping),
            None => (name, X87Form::Plain),
        },
    };
    matches!(name, "add" | "sub" | "subr" | "mul" | "div" | "divr").then_some(form)
}

fn x87(mnemonic: Mnemonic) -> Option<&'static [Spoof]> {
    use Mnemonic::{Fprem, Fprem1, Fscale, Fsqrt, Fyl2x, Fyl2xp1};
    match mnemonic {
        Fscale | Fyl2x => Some(ALL),
        Fsqrt | Fprem | Fprem1 | Fyl2xp1 => Some(INVALID),
        _ => x87_arithmetic(mnemonic).map(|_| ALL),
    }
}

/// The row of an SSE or AVX instruction. Its name has three parts: `v` where it is AVX's, what it
/// computes, and of which lanes.
fn floating(mnemonic: Mnemonic) -> Option<Row> {
    let name = name(mnemonic);
    let name = name.strip_prefix('v').unwrap_or(&name);
    let (computes, lanes) = name.split_at_checked(name.len().checked_sub(2)?)?;
    let (bits, packed) = match lanes {
        "ss" => (32, false),
        "sd" => (64, false),
        "ps" => (32, true),
        "pd" => (64, true),
        _ => return None,
    };
    let values = match computes {
        "add" | "sub" | "mul" | "div" | "hadd" | "hsub" | "addsub" | "dp" | "scalef" => ALL,
        "rcp" | "rsqrt" => ALL,
        "sqrt" => INVALID,
        "cvtsd2" | "cvtpd2" => OVERFLOW,
        _ if is_fused(computes) => ALL,
        _ => return None,
    };
    Some((bits, packed, values))
}

/// Whether it is a fused multiply-add: `fmadd213`, `fnmsub132`, `fmaddsub231`, …
fn is_fused(computes: &str) -> bool {
    let orders = ["132", "213", "231"];
    orders.iter().find_map(|order| computes.strip_suffix(order)).is_some_and(|kind| {
        matches!(kind, "fmadd" | "fmsub" | "fnmadd" | "fnmsub" | "fmaddsub" | "fmsubadd")
    })
}

/// The instruction's name as assemblers write it.
fn name(mnemonic: Mnemonic) -> String {
    format!("{mnemonic:?}").to_lowercase()
}
