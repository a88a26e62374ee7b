//! The instructions of the process under test, decoded.

use crate::prototype::Reader;
use crate::run::Decoded;
use iced_x86::{
    Decoder, DecoderOptions, Formatter, Instruction, InstructionInfoFactory, IntelFormatter,
    Mnemonic, Register,
};
use std::collections::HashMap;
use std::sync::Mutex;

/// What was decoded so far, by address.
#[derive(Default)]
pub struct Code {
    known: Mutex<HashMap<u64, Option<Instruction>>>,
}

impl Code {
    /// The instruction at an address.
    pub fn instruction(&self, address: u64, reader: &mut dyn Reader) -> Option<Instruction> {
        let known = self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(instruction) = known.get(&address) {
            return *instruction;
        }
        drop(known);
        // The last instruction of the last page has fewer than 15 bytes after it.
        let bytes = (1..=15).rev().find_map(|length| reader.read(address, length));
        let instruction = bytes.and_then(|bytes| decode(address, &bytes));
        let mut known = self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        known.insert(address, instruction);
        instruction
    }
}

/// Decodes one instruction.
pub fn decode(address: u64, bytes: &[u8]) -> Option<Instruction> {
    let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let instruction = decoder.decode();
    (!instruction.is_invalid()).then_some(instruction)
}

/// As people read it.
pub fn disassemble(instruction: &Instruction) -> String {
    let mut formatter = IntelFormatter::new();
    let mut text = String::new();
    formatter.format(instruction, &mut text);
    text
}

/// The memory operands of an instruction, for the agent.
pub fn operands(address: u64, bytes: &[u8]) -> Decoded {
    let Some(instruction) = decode(address, bytes) else { return Decoded::default() };
    let mut decoded = Decoded { operands: Vec::new(), length: instruction.len() };
    if instruction.mnemonic() == Mnemonic::Lea {
        return decoded;
    }
    let mut factory = InstructionInfoFactory::new();
    for memory in factory.info(&instruction).used_memory() {
        let size = memory.memory_size().size() as u32;
        let general = |register: Register| {
            if register.is_gpr() { register.full_register().number() as u8 } else { 16 }
        };
        if size == 0 || size > 64 || memory.index().is_vector_register() {
            continue;
        }
        let segment = u8::from(memory.segment() == Register::FS);
        let base = memory.base();
        let (base, index) = (general(base), general(memory.index()));
        let scale = memory.scale() as u8;
        // Relative to the instruction pointer: already an absolute address.
        let displacement = memory.displacement() as i64;
        decoded.operands.push((base, index, scale, segment, size, displacement));
    }
    decoded
}
