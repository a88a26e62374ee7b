//! The instructions of the process under test: decoded from the files they were loaded from, and
//! the basic blocks they form.

use crate::run::{Block, BlockKind, Decoded, Goes, Modules};
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Formatter, Instruction, InstructionInfoFactory,
    IntelFormatter, Mnemonic, Register,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

/// What was decoded so far, by address.
#[derive(Default)]
pub struct Code {
    known: Mutex<HashMap<u64, Option<Instruction>>>,
    /// The blocks that can be reached from an address without a call.
    bodies: Mutex<HashMap<u64, Arc<Vec<Block>>>>,
    /// The functions, by first address, that calls of a function under test have reached.
    reached: Mutex<BTreeMap<u64, BTreeSet<u64>>>,
}

/// A function with more instructions is not decoded further.
const MOST_INSTRUCTIONS: usize = 100_000;

impl Code {
    /// The instruction at an address.
    pub fn instruction(&self, address: u64, modules: &Modules) -> Option<Instruction> {
        if let Some(instruction) = lock(&self.known).get(&address) {
            return *instruction;
        }
        let bytes = modules.at(address).and_then(|module| module.code(address, 15));
        let instruction = bytes.and_then(|bytes| decode(address, bytes));
        lock(&self.known).insert(address, instruction);
        instruction
    }

    /// The length of the instruction at an address if the next one follows it in memory, else 0.
    pub fn straight_length(&self, address: u64, modules: &Modules) -> u64 {
        match self.instruction(address, modules) {
            Some(instruction) if goes(&instruction).0 == Goes::On => instruction.len() as u64,
            _ => 0,
        }
    }

    /// The blocks that calls of the function at `entry` are known to reach.
    pub fn blocks(&self, entry: u64, modules: &Modules) -> Vec<Block> {
        let reached = lock(&self.reached).entry(entry).or_insert_with(|| [entry].into()).clone();
        let mut blocks = Vec::new();
        for function in reached {
            blocks.extend(self.body(function, modules).iter().copied());
        }
        blocks
    }

    /// The blocks at an address that a call of the function at `entry` came to.
    pub fn learn(&self, entry: u64, address: u64, modules: &Modules) -> Arc<Vec<Block>> {
        let body = self.body(address, modules);
        if !body.is_empty() {
            lock(&self.reached).entry(entry).or_default().insert(address);
        }
        body
    }

    /// Follows jumps from an address on. Where calls lead to is looked at when they are made.
    fn body(&self, start: u64, modules: &Modules) -> Arc<Vec<Block>> {
        if let Some(body) = lock(&self.bodies).get(&start) {
            return body.clone();
        }
        let mut starts: BTreeSet<u64> = [start].into();
        let mut kinds: BTreeMap<u64, BlockKind> = BTreeMap::new();
        let mut pending = vec![start];
        let mut decoded = BTreeSet::new();
        while let Some(mut address) = pending.pop() {
            while decoded.len() < MOST_INSTRUCTIONS && decoded.insert(address) {
                let Some(instruction) = self.instruction(address, modules) else { break };
                let mut begins = |at: u64| {
                    starts.insert(at);
                    pending.push(at);
                };
                let next = instruction.next_ip();
                match instruction.flow_control() {
                    FlowControl::Next | FlowControl::Exception | FlowControl::Interrupt => {
                        address = next;
                        continue;
                    }
                    FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend => {
                        begins(instruction.near_branch_target());
                        begins(next);
                    }
                    FlowControl::UnconditionalBranch => begins(instruction.near_branch_target()),
                    FlowControl::Call => {
                        // A system call is one too, for the decoder.
                        if instruction.is_call_near() {
                            let target = instruction.near_branch_target();
                            kinds.entry(target).or_insert(BlockKind::Callee);
                        }
                        begins(next);
                    }
                    FlowControl::IndirectCall => {
                        kinds.insert(address, BlockKind::Jump);
                        begins(next);
                    }
                    FlowControl::IndirectBranch => {
                        kinds.insert(address, BlockKind::Jump);
                    }
                    FlowControl::Return => {}
                }
                break;
            }
        }
        let mut body: Vec<Block> = Vec::new();
        for &address in &starts {
            if self.instruction(address, modules).is_none() {
                continue;
            }
            let jumps = kinds.get(&address) == Some(&BlockKind::Jump);
            let kind = if jumps { BlockKind::StartJump } else { BlockKind::Plain };
            body.push(Block { address, kind });
        }
        let others = kinds.into_iter().filter(|(address, _)| !starts.contains(address));
        body.extend(others.map(|(address, kind)| Block { address, kind }));
        if self.instruction(start, modules).is_none() {
            body.clear();
        }
        let body = Arc::new(body);
        lock(&self.bodies).insert(start, body.clone());
        body
    }

    /// All instructions of the blocks that begin at these addresses, each once and in order.
    pub fn instructions_of(&self, blocks: &[u64], modules: &Modules) -> Vec<u64> {
        let mut all = BTreeSet::new();
        for &start in blocks {
            let mut address = start;
            while all.insert(address) {
                match self.instruction(address, modules) {
                    Some(instruction) if goes(&instruction).0 == Goes::On => {
                        address = instruction.next_ip();
                    }
                    _ => break,
                }
            }
        }
        all.into_iter().collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Where an instruction goes, and the target of a direct branch.
fn goes(instruction: &Instruction) -> (Goes, u64) {
    let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    match instruction.flow_control() {
        // The processor stops between the rounds of a repeated string instruction: so do traces.
        FlowControl::Next if repeats && instruction.is_string_instruction() => (Goes::Anywhere, 0),
        FlowControl::Next => (Goes::On, 0),
        FlowControl::ConditionalBranch => (Goes::Either, instruction.near_branch_target()),
        FlowControl::UnconditionalBranch => (Goes::ToTarget, instruction.near_branch_target()),
        FlowControl::Call if instruction.is_call_near() => {
            (Goes::ToTarget, instruction.near_branch_target())
        }
        FlowControl::Return => (Goes::Back, 0),
        _ => (Goes::Anywhere, 0),
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
    let (goes, target) = goes(&instruction);
    let mut decoded = Decoded { operands: Vec::new(), length: instruction.len(), goes, target };
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
