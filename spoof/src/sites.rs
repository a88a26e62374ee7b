//! Which instructions can raise invalid, overflow or divide-by-zero with an exceptional result,
//! and in which lanes of their destination it is.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// What is spoofed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    let (bits, packed, values) = floating(instruction.mnemonic()).or_else(|| {
        let values = x87(instruction.mnemonic())?;
        Some((80, false, values))
    })?;
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
    let popped = matches!(
        instruction.mnemonic(),
        Mnemonic::Faddp
            | Mnemonic::Fmulp
            | Mnemonic::Fsubp
            | Mnemonic::Fsubrp
            | Mnemonic::Fdivp
            | Mnemonic::Fdivrp
    );
    let register = match instruction.op0_kind() {
        OpKind::Register if instruction.op_count() > 0 => instruction.op0_register(),
        _ => Register::ST0,
    };
    let index = (register as u32).checked_sub(Register::ST0 as u32).filter(|index| *index < 8)?;
    u8::try_from(index).ok()?.checked_sub(u8::from(popped))
}

fn x87(mnemonic: Mnemonic) -> Option<&'static [Spoof]> {
    use Mnemonic as M;
    Some(match mnemonic {
        M::Fadd
        | M::Faddp
        | M::Fiadd
        | M::Fsub
        | M::Fsubp
        | M::Fsubr
        | M::Fsubrp
        | M::Fisub
        | M::Fisubr
        | M::Fmul
        | M::Fmulp
        | M::Fimul
        | M::Fdiv
        | M::Fdivp
        | M::Fdivr
        | M::Fdivrp
        | M::Fidiv
        | M::Fidivr
        | M::Fscale => ALL,
        M::Fsqrt | M::Fprem | M::Fprem1 | M::Fyl2xp1 => INVALID,
        M::Fyl2x => ALL,
        _ => return None,
    })
}

/// The bits of a lane, whether there are several, and what each can be.
#[rustfmt::skip]
fn floating(mnemonic: Mnemonic) -> Option<(u32, bool, &'static [Spoof])> {
    use Mnemonic as M;
    Some(match mnemonic {
        M::Addss | M::Vaddss | M::Subss | M::Vsubss | M::Mulss | M::Vmulss | M::Divss | M::Vdivss
        | M::Vfmadd132ss | M::Vfmadd213ss | M::Vfmadd231ss | M::Vfmsub132ss | M::Vfmsub213ss
        | M::Vfmsub231ss | M::Vfnmadd132ss | M::Vfnmadd213ss | M::Vfnmadd231ss | M::Vfnmsub132ss
        | M::Vfnmsub213ss | M::Vfnmsub231ss | M::Vscalefss => (32, false, ALL),
        M::Addsd | M::Vaddsd | M::Subsd | M::Vsubsd | M::Mulsd | M::Vmulsd | M::Divsd | M::Vdivsd
        | M::Vfmadd132sd | M::Vfmadd213sd | M::Vfmadd231sd | M::Vfmsub132sd | M::Vfmsub213sd
        | M::Vfmsub231sd | M::Vfnmadd132sd | M::Vfnmadd213sd | M::Vfnmadd231sd | M::Vfnmsub132sd
        | M::Vfnmsub213sd | M::Vfnmsub231sd | M::Vscalefsd => (64, false, ALL),
        M::Addps | M::Vaddps | M::Subps | M::Vsubps | M::Mulps | M::Vmulps | M::Divps | M::Vdivps
        | M::Haddps | M::Vhaddps | M::Hsubps | M::Vhsubps | M::Addsubps | M::Vaddsubps | M::Dpps
        | M::Vdpps | M::Vfmadd132ps | M::Vfmadd213ps | M::Vfmadd231ps | M::Vfmsub132ps
        | M::Vfmsub213ps | M::Vfmsub231ps | M::Vfnmadd132ps | M::Vfnmadd213ps | M::Vfnmadd231ps
        | M::Vfnmsub132ps | M::Vfnmsub213ps | M::Vfnmsub231ps | M::Vfmaddsub132ps
        | M::Vfmaddsub213ps | M::Vfmaddsub231ps | M::Vfmsubadd132ps | M::Vfmsubadd213ps
        | M::Vfmsubadd231ps | M::Vscalefps => (32, true, ALL),
        M::Addpd | M::Vaddpd | M::Subpd | M::Vsubpd | M::Mulpd | M::Vmulpd | M::Divpd | M::Vdivpd
        | M::Haddpd | M::Vhaddpd | M::Hsubpd | M::Vhsubpd | M::Addsubpd | M::Vaddsubpd | M::Dppd
        | M::Vdppd | M::Vfmadd132pd | M::Vfmadd213pd | M::Vfmadd231pd | M::Vfmsub132pd
        | M::Vfmsub213pd | M::Vfmsub231pd | M::Vfnmadd132pd | M::Vfnmadd213pd | M::Vfnmadd231pd
        | M::Vfnmsub132pd | M::Vfnmsub213pd | M::Vfnmsub231pd | M::Vfmaddsub132pd
        | M::Vfmaddsub213pd | M::Vfmaddsub231pd | M::Vfmsubadd132pd | M::Vfmsubadd213pd
        | M::Vfmsubadd231pd | M::Vscalefpd => (64, true, ALL),
        M::Sqrtss | M::Vsqrtss => (32, false, INVALID),
        M::Sqrtsd | M::Vsqrtsd => (64, false, INVALID),
        M::Sqrtps | M::Vsqrtps => (32, true, INVALID),
        M::Sqrtpd | M::Vsqrtpd => (64, true, INVALID),
        M::Cvtsd2ss | M::Vcvtsd2ss => (32, false, OVERFLOW),
        M::Cvtpd2ps | M::Vcvtpd2ps => (32, true, OVERFLOW),
        M::Rcpss | M::Vrcpss | M::Rsqrtss | M::Vrsqrtss => (32, false, ALL),
        M::Rcpps | M::Vrcpps | M::Rsqrtps | M::Vrsqrtps => (32, true, ALL),
        _ => return None,
    })
}
