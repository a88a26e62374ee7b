//! One instruction on the processor: load all registers, execute it, store all registers.

use crate::trace::{State, X87};
use iced_x86::{Code, Encoder, Instruction, MemoryOperand, Register};

const SIZE: usize = 3 * 4096;
const GENERAL: u64 = 4096;
const RFLAGS: u64 = GENERAL + 128;
const HOST_STACK: u64 = RFLAGS + 8;
const HOST_MXCSR: u64 = HOST_STACK + 8;
/// Where the instruction's memory operand is.
const SCRATCH: u64 = GENERAL + 256;
pub(super) const SCRATCH_SIZE: usize = 128;
const AREA: u64 = 2 * 4096;

/// A page of code with the registers beside it.
pub(super) struct Processor {
    base: *mut u8,
    layout: Area,
}

/// Where the processor's save area has which registers.
#[derive(Clone, Copy)]
pub(crate) struct Area {
    /// The state components that it saves.
    components: u64,
    upper: usize,
    masks: usize,
    upper_256: usize,
    upper_16: usize,
}

impl Processor {
    pub(super) fn new() -> Processor {
        // SAFETY: an anonymous mapping at an address of the system's choice.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                SIZE,
                libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(base, libc::MAP_FAILED, "a page for code");
        Processor { base: base.cast(), layout: Area::of_this_processor() }
    }

    /// The address of the memory operand.
    pub(super) fn scratch(&self) -> u64 {
        self.base as u64 + SCRATCH
    }

    fn area(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is ours, and nobody else writes while we do.
        unsafe { std::slice::from_raw_parts_mut(self.base, SIZE) }
    }

    /// The instruction's encoding at the address where it is executed, in its surroundings.
    pub(super) fn prepare(&mut self, instruction: &Instruction) -> Option<(u64, Vec<u8>)> {
        let base = self.base as u64;
        let mut code = Assembler { encoder: Encoder::new(64), rip: base };
        let saved = [
            Register::RBX,
            Register::RBP,
            Register::R12,
            Register::R13,
            Register::R14,
            Register::R15,
        ];
        for register in saved {
            code.emit(Instruction::with1(Code::Push_r64, register).unwrap());
        }
        code.store(base + HOST_STACK, Register::RSP);
        code.memory(Code::Stmxcsr_m32, base + HOST_MXCSR);
        self.components_to(&mut code);
        code.memory(Code::Xrstor64_mem, base + AREA);
        code.memory(Code::Push_rm64, base + RFLAGS);
        code.emit(Instruction::with(Code::Popfq));
        for number in general() {
            code.load(register(number), base + GENERAL + 8 * number as u64);
        }
        let at = code.rip;
        let bytes = code.encode(instruction)?;
        for number in general() {
            code.store(base + GENERAL + 8 * number as u64, register(number));
        }
        code.load(Register::RSP, base + HOST_STACK);
        code.emit(Instruction::with(Code::Pushfq));
        code.memory(Code::Pop_rm64, base + RFLAGS);
        self.components_to(&mut code);
        code.memory(Code::Xsave64_mem, base + AREA);
        code.emit(Instruction::with(Code::Fninit));
        code.memory(Code::Ldmxcsr_m32, base + HOST_MXCSR);
        code.emit(Instruction::with(Code::Cld));
        for register in saved.into_iter().rev() {
            code.emit(Instruction::with1(Code::Pop_r64, register).unwrap());
        }
        code.emit(Instruction::with(Code::Retnq));
        let all = code.encoder.take_buffer();
        self.area()[..all.len()].copy_from_slice(&all);
        Some((at, bytes))
    }

    fn components_to(&self, code: &mut Assembler) {
        let components = self.layout.components as u32;
        code.emit(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, components).unwrap());
        code.emit(Instruction::with2(Code::Mov_r32_imm32, Register::EDX, 0u32).unwrap());
    }

    /// Executes what was prepared.
    pub(super) fn run(
        &mut self,
        state: &State,
        memory: &[u8; SCRATCH_SIZE],
    ) -> (State, [u8; SCRATCH_SIZE]) {
        self.load(state);
        let scratch = SCRATCH as usize..SCRATCH as usize + SCRATCH_SIZE;
        self.area()[scratch.clone()].copy_from_slice(memory);
        // SAFETY: the code saves and restores what a function must keep, and the instruction
        // between writes registers and the scratch memory only.
        unsafe {
            let function: extern "sysv64" fn() = std::mem::transmute(self.base);
            function();
        }
        let memory = self.area()[scratch].try_into().unwrap();
        (self.store(state), memory)
    }

    fn load(&mut self, state: &State) {
        let layout = self.layout;
        let bytes = self.area();
        for (number, value) in state.general.iter().enumerate() {
            let at = GENERAL as usize + 8 * number;
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        let rflags = state.rflags | 0x202;
        bytes[RFLAGS as usize..RFLAGS as usize + 8].copy_from_slice(&rflags.to_le_bytes());
        layout.write(&mut bytes[AREA as usize..], state);
    }

    fn store(&mut self, before: &State) -> State {
        let layout = self.layout;
        let bytes = &*self.area();
        let mut state = before.clone();
        for number in general() {
            state.general[number] = u64_at(bytes, GENERAL as usize + 8 * number);
        }
        state.rflags = u64_at(bytes, RFLAGS as usize);
        layout.read(&bytes[AREA as usize..], &mut state);
        state
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

impl Area {
    pub(crate) fn of_this_processor() -> Area {
        let has_512 = std::arch::is_x86_feature_detected!("avx512f");
        let offset = |component| std::arch::x86_64::__cpuid_count(13, component).ebx as usize;
        Area {
            components: if has_512 { 0xe7 } else { 7 },
            upper: offset(2),
            masks: offset(5),
            upper_256: offset(6),
            upper_16: offset(7),
        }
    }

    /// Writes vector, mask and x87 registers to a save area.
    fn write(&self, area: &mut [u8], state: &State) {
        area.fill(0);
        area[..2].copy_from_slice(&state.x87.control.to_le_bytes());
        area[2..4].copy_from_slice(&state.x87.status.to_le_bytes());
        area[4] = state.x87.in_use;
        area[24..28].copy_from_slice(&state.mxcsr.to_le_bytes());
        area[512..520].copy_from_slice(&self.components.to_le_bytes());
        for (i, register) in state.x87.stack.iter().enumerate() {
            area[32 + 16 * i..][..10].copy_from_slice(register);
        }
        for (i, register) in state.vectors.iter().enumerate().take(16) {
            area[160 + 16 * i..][..16].copy_from_slice(&register[..16]);
            area[self.upper + 16 * i..][..16].copy_from_slice(&register[16..32]);
        }
        if self.components == 7 {
            return;
        }
        for (i, mask) in state.masks.iter().enumerate() {
            area[self.masks + 8 * i..][..8].copy_from_slice(&mask.to_le_bytes());
        }
        for (i, register) in state.vectors.iter().enumerate() {
            if i < 16 {
                area[self.upper_256 + 32 * i..][..32].copy_from_slice(&register[32..]);
            } else {
                area[self.upper_16 + 64 * (i - 16)..][..64].copy_from_slice(register);
            }
        }
    }

    /// Reads vector, mask and x87 registers from a save area. A component in its initial state
    /// is not in it: its registers are zero.
    pub(crate) fn read(&self, area: &[u8], state: &mut State) {
        let present = u64_at(area, 512);
        state.mxcsr = u32::from_le_bytes(area[24..28].try_into().unwrap());
        state.x87 = X87 {
            control: u16::from_le_bytes([area[0], area[1]]),
            status: u16::from_le_bytes([area[2], area[3]]),
            in_use: area[4],
            stack: [[0; 10]; 8],
        };
        for i in 0..8 {
            state.x87.stack[i].copy_from_slice(&area[32 + 16 * i..][..10]);
        }
        for i in 0..16 {
            state.vectors[i] = [0; 64];
            if present & 2 != 0 {
                state.vectors[i][..16].copy_from_slice(&area[160 + 16 * i..][..16]);
            }
            if present & 4 != 0 {
                state.vectors[i][16..32].copy_from_slice(&area[self.upper + 16 * i..][..16]);
            }
        }
        if self.components == 7 {
            return;
        }
        for i in 0..8 {
            state.masks[i] = if present & 0x20 != 0 { u64_at(area, self.masks + 8 * i) } else { 0 };
        }
        for i in 0..32 {
            if i < 16 && present & 0x40 != 0 {
                state.vectors[i][32..].copy_from_slice(&area[self.upper_256 + 32 * i..][..32]);
            } else if i >= 16 {
                state.vectors[i] = [0; 64];
                if present & 0x80 != 0 {
                    let from = self.upper_16 + 64 * (i - 16);
                    state.vectors[i].copy_from_slice(&area[from..from + 64]);
                }
            }
        }
    }
}

impl Drop for Processor {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`.
        unsafe {
            libc::munmap(self.base.cast(), SIZE);
        }
    }
}

/// All general registers but the stack pointer.
fn general() -> impl Iterator<Item = usize> {
    (0..16).filter(|number| *number != 4)
}

pub(super) fn register(number: usize) -> Register {
    Register::RAX + number as u32
}

struct Assembler {
    encoder: Encoder,
    rip: u64,
}

impl Assembler {
    fn emit(&mut self, instruction: Instruction) {
        self.rip += self.encoder.encode(&instruction, self.rip).expect("own code") as u64;
    }

    /// Encodes an instruction and returns its bytes.
    fn encode(&mut self, instruction: &Instruction) -> Option<Vec<u8>> {
        let mut single = Encoder::new(64);
        let length = single.encode(instruction, self.rip).ok()?;
        let bytes = single.take_buffer();
        for byte in &bytes {
            self.encoder.write_u8(*byte);
        }
        self.rip += length as u64;
        Some(bytes)
    }

    fn operand(at: u64) -> MemoryOperand {
        MemoryOperand::with_base_displ(Register::RIP, at as i64)
    }

    fn memory(&mut self, code: Code, at: u64) {
        self.emit(Instruction::with1(code, Assembler::operand(at)).unwrap());
    }

    fn load(&mut self, register: Register, at: u64) {
        let operand = Assembler::operand(at);
        self.emit(Instruction::with2(Code::Mov_r64_rm64, register, operand).unwrap());
    }

    fn store(&mut self, at: u64, register: Register) {
        let operand = Assembler::operand(at);
        self.emit(Instruction::with2(Code::Mov_rm64_r64, operand, register).unwrap());
    }
}
