//! Instructions of every form with operands at random, and registers full of interesting values.

use crate::trace::State;
use iced_x86::{Code, Instruction, OpCodeOperandKind as Kind, OpKind, Register};

/// A generator of numbers that look random (SplitMix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    pub(super) fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// A float of 32 or 64 bits: boundaries, numbers of a like size, any bits. NaNs are quiet
    /// and positive.
    pub(super) fn float(&mut self, bits: u32) -> u64 {
        if bits == 32 {
            let value = match self.below(4) {
                0 => self.pick(&SINGLES),
                1 => ((self.next() as i64 % 4001) as f32 / 8.0).to_bits(),
                2 => ((self.next() as f64 / 2e19 * 2f64.powi(self.below(60) as i32 - 30)) as f32)
                    .to_bits(),
                _ => self.next() as u32,
            };
            u64::from(if f32::from_bits(value).is_nan() { 0x7fc0_0000 } else { value })
        } else {
            let value = match self.below(4) {
                0 => self.pick(&DOUBLES),
                1 => ((self.next() as i64 % 4001) as f64 / 8.0).to_bits(),
                2 => (self.next() as f64 / 2e19 * 2f64.powi(self.below(60) as i32 - 30)).to_bits(),
                _ => self.next(),
            };
            if f64::from_bits(value).is_nan() { 0x7ff8_0000_0000_0000 } else { value }
        }
    }

    /// A float of the x87 unit.
    pub(super) fn extended(&mut self) -> [u8; 10] {
        let (exponent, significand): (u16, u64) = match self.below(10) {
            0 => (0, 0),
            1 => (0x7fff, 1 << 63),
            2 => (0x7fff, 3 << 62),
            3 => (0, self.next() >> 1),
            4 => (0x7ffe, self.next() | 1 << 63),
            5 => (1, self.next() | 1 << 63),
            6 => (16383 + self.below(40) as u16 - 20, (self.next() << 40) | 1 << 63),
            7 => (16383 + self.below(300) as u16 - 150, self.next() | 1 << 63),
            8 => (16383 + self.below(2200) as u16 - 1100, self.next() | 1 << 63),
            _ => ((self.next() & 0x7ffe) as u16 + 1, self.next() | 1 << 63),
        };
        let exponent = if exponent == 0x7fff && significand << 1 != 0 { 0x7fff } else { exponent };
        let is_nan = exponent == 0x7fff && significand << 1 != 0;
        let significand = if is_nan { 3 << 62 } else { significand };
        let sign = if is_nan { 0 } else { (self.next() as u16 & 1) << 15 };
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&significand.to_le_bytes());
        bytes[8..].copy_from_slice(&(exponent | sign).to_le_bytes());
        bytes
    }

    /// Bytes that are floats of some format, or masks, or anything.
    pub(super) fn fill(&mut self, bytes: &mut [u8], floats_only: bool) {
        let kind = if floats_only { self.below(2) } else { self.below(5) };
        match kind {
            0 => bytes.chunks_mut(4).for_each(|lane| {
                lane.copy_from_slice(&(self.float(32) as u32).to_le_bytes()[..lane.len()])
            }),
            1 => bytes
                .chunks_mut(8)
                .for_each(|lane| lane.copy_from_slice(&self.float(64).to_le_bytes()[..lane.len()])),
            2 => bytes.iter_mut().for_each(|byte| *byte = self.next() as u8),
            3 => bytes.chunks_mut(4).for_each(|lane| {
                let fill = if self.chance(2) { 0xff } else { 0 };
                lane.fill(fill);
            }),
            _ => bytes.chunks_mut(4).for_each(|lane| {
                let small = (self.below(9) as i32 - 4).to_le_bytes();
                lane.copy_from_slice(&small[..lane.len()]);
            }),
        }
    }

    /// A number for a general register.
    pub(super) fn integer(&mut self) -> u64 {
        match self.below(5) {
            0 => self.next(),
            1 => self.below(70) as u64,
            2 => (self.below(9) as i64 - 4) as u64,
            3 => self.pick(&[1 << 31, 1 << 63, 0x7fff_ffff, 0xffff_ffff, u64::MAX, 1 << 32, 0x80]),
            _ => self.next() as u32 as i32 as i64 as u64,
        }
    }
}

const SINGLES: [u32; 18] = [
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x3f00_0000,
    0x5f00_0000,
];
const DOUBLES: [u64; 18] = [
    0,
    1 << 63,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    1,
    0x8000_0000_0000_0001,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x47ef_ffff_f000_0000,
    0x7fef_ffff_ffff_ffff,
    0x36a0_0000_0000_0000,
    0x41e0_0000_0000_0000,
    0xc1e0_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0x43e0_0000_0000_0000,
];

/// Registers full of values; x87 full precision, all exceptions masked.
pub(super) fn state(random: &mut Random) -> State {
    let mut state = State::zero();
    for register in &mut state.general {
        *register = random.integer();
    }
    for register in &mut state.vectors {
        random.fill(&mut register[..], false);
    }
    if !std::arch::is_x86_feature_detected!("avx512f") {
        for (number, register) in state.vectors.iter_mut().enumerate() {
            register[if number < 16 { 32 } else { 0 }..].fill(0);
        }
    } else {
        for mask in &mut state.masks {
            *mask = random.next();
        }
    }
    for register in &mut state.x87.stack {
        *register = random.extended();
    }
    state.rflags = random.next() & 0x8d5;
    state.mxcsr = 0x1f80 | (random.below(4) as u32) << 13;
    if random.chance(4) {
        state.mxcsr |= random.pick(&[1 << 6, 1 << 15, 1 << 15 | 1 << 6]);
    }
    state.x87.control = 0x37f | (random.below(4) as u16) << 10;
    // One place is free, so that a push finds one.
    let top = random.below(8) as u16;
    state.x87.status = top << 11 | (random.next() as u16 & 0x4500);
    state.x87.in_use = !(1 << ((top + 7) & 7));
    state
}

/// An instruction of that code with operands at random; memory is at `scratch`.
pub(super) fn instruction(
    code: Code,
    in_memory: bool,
    scratch: u64,
    random: &mut Random,
) -> Option<Instruction> {
    let info = code.op_code();
    let mut instruction = Instruction::default();
    instruction.set_code(code);
    let mut has_memory = false;
    for n in 0..info.op_count() {
        let choices = if random.chance(3) { 16 } else { 4 };
        let vector = random.below(choices) as u32;
        let general = loop {
            let number = random.below(16) as u32;
            if number != 4 {
                break number;
            }
        };
        let kind = info.op_kind(n);
        if let Some(register) = register(kind, in_memory, vector, general) {
            instruction.set_op_kind(n, OpKind::Register);
            instruction.set_op_register(n, register);
        } else if in_memory && may_be_memory(kind) {
            has_memory = true;
            instruction.set_op_kind(n, OpKind::Memory);
            instruction.set_memory_base(Register::RIP);
            instruction.set_memory_displ_size(8);
            instruction.set_memory_displacement64(scratch);
        } else {
            set_immediate(&mut instruction, n, kind, random)?;
        }
    }
    if in_memory && !has_memory {
        return None;
    }
    if info.can_use_op_mask_register() && random.chance(2) {
        instruction.set_op_mask_register(random);
    }
    Some(instruction)
}

/// The register of an operand that is one, of those with these numbers.
fn register(kind: Kind, in_memory: bool, vector: u32, general: u32) -> Option<Register> {
    Some(match kind {
        Kind::xmm_reg | Kind::xmm_rm | Kind::xmm_vvvv | Kind::xmm_is4 => Register::XMM0 + vector,
        Kind::ymm_reg | Kind::ymm_rm | Kind::ymm_vvvv | Kind::ymm_is4 => Register::YMM0 + vector,
        Kind::zmm_reg | Kind::zmm_rm | Kind::zmm_vvvv => Register::ZMM0 + vector,
        Kind::xmm_or_mem if !in_memory => Register::XMM0 + vector,
        Kind::ymm_or_mem if !in_memory => Register::YMM0 + vector,
        Kind::zmm_or_mem if !in_memory => Register::ZMM0 + vector,
        Kind::k_reg | Kind::k_rm | Kind::k_vvvv => Register::K0 + general % 8,
        Kind::k_or_mem if !in_memory => Register::K0 + general % 8,
        Kind::r8_reg | Kind::r8_opcode => byte_register(general),
        Kind::r8_or_mem if !in_memory => byte_register(general),
        Kind::r16_reg | Kind::r16_rm | Kind::r16_opcode => Register::AX + general,
        Kind::r16_or_mem if !in_memory => Register::AX + general,
        Kind::r32_reg | Kind::r32_rm | Kind::r32_opcode | Kind::r32_vvvv => Register::EAX + general,
        Kind::r32_or_mem if !in_memory => Register::EAX + general,
        Kind::r64_reg | Kind::r64_rm | Kind::r64_opcode | Kind::r64_vvvv => Register::RAX + general,
        Kind::r64_or_mem if !in_memory => Register::RAX + general,
        Kind::al => Register::AL,
        Kind::cl => Register::CL,
        Kind::ax => Register::AX,
        Kind::eax => Register::EAX,
        Kind::rax => Register::RAX,
        Kind::st0 => Register::ST0,
        Kind::sti_opcode => Register::ST0 + general % 7,
        _ => return None,
    })
}

fn may_be_memory(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::mem
            | Kind::xmm_or_mem
            | Kind::ymm_or_mem
            | Kind::zmm_or_mem
            | Kind::k_or_mem
            | Kind::r8_or_mem
            | Kind::r16_or_mem
            | Kind::r32_or_mem
            | Kind::r64_or_mem
    )
}

/// Nothing if the operand is no immediate.
fn set_immediate(
    instruction: &mut Instruction,
    n: u32,
    kind: Kind,
    random: &mut Random,
) -> Option<()> {
    let value = random.next();
    let form = match kind {
        Kind::imm8 | Kind::imm8_const_1 => OpKind::Immediate8,
        Kind::imm8sex16 => OpKind::Immediate8to16,
        Kind::imm8sex32 => OpKind::Immediate8to32,
        Kind::imm8sex64 => OpKind::Immediate8to64,
        Kind::imm16 => OpKind::Immediate16,
        Kind::imm32 => OpKind::Immediate32,
        Kind::imm32sex64 => OpKind::Immediate32to64,
        Kind::imm64 => OpKind::Immediate64,
        _ => return None,
    };
    instruction.set_op_kind(n, form);
    match form {
        OpKind::Immediate16 => instruction.set_immediate16(value as u16),
        OpKind::Immediate32 | OpKind::Immediate32to64 => instruction.set_immediate32(value as u32),
        OpKind::Immediate64 => instruction.set_immediate64(value),
        _ if kind == Kind::imm8_const_1 => instruction.set_immediate8(1),
        _ => instruction.set_immediate8(value as u8),
    }
    Some(())
}

/// Masks of EVEX.
trait Masked {
    fn set_op_mask_register(&mut self, random: &mut Random);
}

impl Masked for Instruction {
    fn set_op_mask_register(&mut self, random: &mut Random) {
        self.set_op_mask(Register::K1 + random.below(7) as u32);
        let can_zero =
            self.code().op_code().can_use_zeroing_masking() && self.op0_kind() == OpKind::Register;
        self.set_zeroing_masking(can_zero && random.chance(2));
    }
}

/// A register of one byte; the high ones of the old four only in the place of low ones.
fn byte_register(number: u32) -> Register {
    match number {
        0..=3 => Register::AL + number,
        4..=7 => Register::SPL + (number - 4),
        _ => Register::R8L + (number - 8),
    }
}
