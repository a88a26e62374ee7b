//! Which elements of what a pointer points to a call references, where no prototype says so: those that
//! an undisturbed run is seen to read and to write through that pointer.

use super::code::{decode, operands};
use crate::prototype::{Argument, Element, Kind, Language, Place, Prototype};
use crate::run::{Ended, Gone, Worker};
use crate::trace::{State, Step};
use iced_x86::{
    Instruction, InstructionInfo, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register,
    UsedMemory,
};
use std::collections::{BTreeMap, HashMap};

/// A call that executes more instructions is not observed.
pub const MOST_STEPS: u64 = 400_000;
/// An element that far from where a pointer points is not its.
const FARTHEST: u64 = 1 << 24;
/// So many words above the return address may be arguments.
const STACK_WORDS: usize = 24;

/// What a value was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Origin {
    /// No pointer that was passed.
    #[default]
    Nothing,
    /// This pointer, perhaps moved.
    Pointer(usize),
    /// Several.
    Several,
}

impl Origin {
    fn and(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::Nothing, any) | (any, Origin::Nothing) => any,
            (a, b) if a == b => a,
            _ => Origin::Several,
        }
    }
}

/// What a call does to an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Use {
    /// It is read before it is written.
    read: bool,
    written: bool,
}

/// A pointer that was passed to numbers.
#[derive(Clone, Copy, Debug)]
struct Pointer {
    argument: usize,
    base: u64,
    /// The bytes from one number to the next.
    apart: u64,
}

/// A run, as its steps are followed.
pub struct Observation {
    pointers: Vec<Pointer>,
    general: [Origin; 16],
    vectors: [Origin; 32],
    memory: HashMap<u64, Origin>,
    uses: Vec<BTreeMap<i64, Use>>,
    /// What was overwritten, in order.
    undo: Vec<(u64, Vec<u8>)>,
    /// Taken out while an instruction is looked at.
    factory: Option<InstructionInfoFactory>,
}

impl Observation {
    /// Of a call with these arguments, at its first instruction; `stack` is what is above the return
    /// address.
    pub fn new(
        prototype: &Prototype,
        arguments: &[Argument],
        state: &State,
        stack: &[u8],
    ) -> Observation {
        let mut pointers = Vec::new();
        for (number, (parameter, argument)) in
            prototype.parameters.iter().zip(arguments).enumerate()
        {
            if let Some(base) = argument.base.filter(|_| parameter.observed) {
                let apart = if argument.bits == 80 { 16 } else { u64::from(argument.bits / 8) };
                pointers.push(Pointer { argument: number, base, apart });
            }
        }
        let of = |value: u64| match pointers.iter().position(|p| p.base == value && value != 0) {
            Some(pointer) => Origin::Pointer(pointer),
            None => Origin::Nothing,
        };
        let mut general = [Origin::Nothing; 16];
        for register in [7, 6, 2, 1, 8, 9] {
            general[register] = of(state.general[register]);
        }
        let mut memory = HashMap::new();
        for (k, word) in stack.chunks_exact(8).enumerate() {
            let value = u64::from_le_bytes(std::array::from_fn(|b| word[b]));
            memory.insert(state.general[4] + 8 + 8 * k as u64, of(value));
        }
        let uses = vec![BTreeMap::new(); pointers.len()];
        Observation {
            pointers,
            general,
            vectors: [Origin::Nothing; 32],
            memory,
            uses,
            undo: Vec::new(),
            factory: None,
        }
    }

    /// Follows one instruction.
    pub fn step(&mut self, step: &Step) {
        let Some(instruction) = decode(step.address, &step.code) else { return };
        let mut factory = self.factory.take().unwrap_or_else(InstructionInfoFactory::new);
        let info = factory.info(&instruction);
        if instruction.mnemonic() != Mnemonic::Lea {
            for memory in info.used_memory() {
                self.access(memory, step);
            }
        }
        self.flow(&instruction, info, &step.before);
        self.factory = Some(factory);
    }

    fn access(&mut self, memory: &UsedMemory, step: &Step) {
        let length = memory.memory_size().size();
        let Some(address) = address(memory, &step.before).filter(|_| length > 0) else { return };
        let (reads, writes) = accesses(memory.access());
        if writes && let Some(before) = step.reads.iter().find(|read| read.address == address) {
            self.undo.push((address, before.bytes.clone()));
        }
        let made_of = self.register(memory.base()).and(self.register(memory.index()));
        let pointer = match made_of {
            Origin::Nothing => return,
            Origin::Pointer(pointer) => pointer,
            Origin::Several => match self.nearest(address) {
                Some(pointer) => pointer,
                None => return,
            },
        };
        let Pointer { base, apart, .. } = self.pointers[pointer];
        let offset = address.wrapping_sub(base) as i64;
        if offset.unsigned_abs() > FARTHEST {
            return;
        }
        let (apart, last) = (apart as i64, offset + length as i64 - 1);
        for element in offset.div_euclid(apart)..=last.div_euclid(apart) {
            let used = self.uses[pointer].entry(element).or_default();
            used.read |= reads && !used.written;
            used.written |= writes;
        }
    }

    /// The pointer that an address is nearest to, from above.
    fn nearest(&self, address: u64) -> Option<usize> {
        let below = |pointer: &Pointer| address.checked_sub(pointer.base).filter(|d| *d < FARTHEST);
        let mut all = self.pointers.iter().enumerate().filter_map(|(k, p)| Some((below(p)?, k)));
        let first = all.next()?;
        Some(all.fold(first, Ord::min).1)
    }

    fn register(&self, register: Register) -> Origin {
        if register.is_gpr() {
            self.general[register.full_register().number()]
        } else if register.is_vector_register() {
            self.vectors[register.number()]
        } else {
            Origin::Nothing
        }
    }

    fn set_register(&mut self, register: Register, origin: Origin) {
        if register.is_gpr() {
            // A part of an address is none.
            let origin = if register.size() == 8 { origin } else { Origin::Nothing };
            self.general[register.full_register().number()] = origin;
        } else if register.is_vector_register() {
            self.vectors[register.number()] = origin;
        }
    }

    fn in_memory(&self, address: u64, length: usize) -> Origin {
        let words = (0..length as u64).step_by(8).filter_map(|k| self.memory.get(&(address + k)));
        words.fold(Origin::Nothing, |all, word| all.and(*word))
    }

    /// From which pointers an instruction's results are made.
    fn flow(&mut self, instruction: &Instruction, info: &InstructionInfo, before: &State) {
        let mnemonic = instruction.mnemonic();
        let operand = |k: u32| (instruction.op_kind(k), instruction.op_register(k));
        let written = |m: &&UsedMemory| accesses(m.access()).1;
        if matches!(mnemonic, Mnemonic::Mul | Mnemonic::Div | Mnemonic::Idiv) {
            self.general[0] = Origin::Nothing;
            self.general[2] = Origin::Nothing;
            return;
        }
        let mut made_of = Origin::Nothing;
        let mut read = Vec::new();
        for k in 0..instruction.op_count() {
            let (kind, register) = operand(k);
            match kind {
                OpKind::Register if accesses(info.op_access(k)).0 => {
                    read.push(register);
                    made_of = made_of.and(self.register(register));
                }
                OpKind::Memory if mnemonic == Mnemonic::Lea => {
                    let base = self.register(instruction.memory_base());
                    made_of = made_of.and(base.and(self.register(instruction.memory_index())));
                }
                OpKind::Memory if accesses(info.op_access(k)).0 => {
                    for memory in info.used_memory().iter().filter(|m| accesses(m.access()).0) {
                        if let Some(address) = address(memory, before) {
                            let length = memory.memory_size().size();
                            made_of = made_of.and(self.in_memory(address, length));
                        }
                    }
                }
                _ => {}
            }
        }
        let sources: Vec<Origin> = read.iter().map(|register| self.register(*register)).collect();
        let difference = matches!(mnemonic, Mnemonic::Sub | Mnemonic::Xor | Mnemonic::Pxor)
            && sources.len() == 2
            && sources[0] == sources[1];
        if difference && !matches!(made_of, Origin::Several) {
            made_of = Origin::Nothing;
        }
        for memory in info.used_memory().iter().filter(written) {
            if let Some(address) = address(memory, before) {
                let length = memory.memory_size().size();
                let stored = if length >= 8 && mnemonic != Mnemonic::Call {
                    made_of
                } else {
                    Origin::Nothing
                };
                for k in (0..length.max(8) as u64).step_by(8) {
                    self.memory.insert(address + k, stored);
                }
            }
        }
        if mnemonic == Mnemonic::Pop {
            made_of = self.in_memory(before.general[4], 8);
        }
        for k in 0..instruction.op_count() {
            let (kind, register) = operand(k);
            let access = info.op_access(k);
            if kind == OpKind::Register && accesses(access).1 {
                let conditional = matches!(access, OpAccess::CondWrite | OpAccess::ReadCondWrite);
                let kept = if conditional { self.register(register) } else { Origin::Nothing };
                self.set_register(register, made_of.and(kept));
            }
        }
    }

    /// Puts memory back as it was before the call.
    pub fn restore(&self, worker: &mut Worker) -> Result<(), Gone> {
        let mut first: BTreeMap<u64, u8> = BTreeMap::new();
        for (address, bytes) in self.undo.iter().rev() {
            for (k, byte) in bytes.iter().enumerate() {
                first.insert(address + k as u64, *byte);
            }
        }
        let mut pieces: Vec<(u64, Vec<u8>)> = Vec::new();
        for (address, byte) in first {
            match pieces.last_mut() {
                Some((start, bytes)) if *start + bytes.len() as u64 == address => bytes.push(byte),
                Some(_) | None => pieces.push((address, vec![byte])),
            }
        }
        pieces.iter().try_for_each(|(address, bytes)| worker.write(*address, bytes))
    }

    /// The elements of each argument that was observed, by its number.
    pub fn elements(&self, prototype: &Prototype) -> BTreeMap<usize, Vec<Element>> {
        let mut all = BTreeMap::new();
        for (pointer, uses) in self.pointers.iter().zip(&self.uses) {
            let parameter = &prototype.parameters[pointer.argument];
            let alone = uses.keys().all(|index| *index == 0);
            let mut elements = Vec::new();
            for (index, used) in uses {
                let input = used.read && parameter.intent.is_input();
                let output = used.written && parameter.intent.is_output();
                if input || output {
                    let at = pointer.base.wrapping_add_signed(index * pointer.apart as i64);
                    let number = if alone { None } else { Some(*index) };
                    let name = name(prototype.language, parameter.kind, &parameter.name, number);
                    let place = Place::Memory(at);
                    elements.push(Element { name, place, input, output, documented: None });
                }
            }
            all.insert(pointer.argument, elements);
        }
        all
    }
}

/// What people call the number with this index; the only one has none.
fn name(language: Language, kind: Kind, array: &str, index: Option<i64>) -> String {
    let Some(index) = index else { return array.to_string() };
    let (index, part) = match (kind, index.rem_euclid(2)) {
        (Kind::Complex, 0) => (index.div_euclid(2), ".re"),
        (Kind::Complex, _) => (index.div_euclid(2), ".im"),
        (Kind::Character | Kind::Integer | Kind::Real, _) => (index, ""),
    };
    match language {
        Language::Fortran => format!("{array}({}){part}", index + 1),
        Language::C => format!("{array}[{index}]{part}"),
    }
}

/// Whether an access reads, and whether it writes.
fn accesses(access: OpAccess) -> (bool, bool) {
    match access {
        OpAccess::None | OpAccess::NoMemAccess => (false, false),
        OpAccess::Read | OpAccess::CondRead => (true, false),
        OpAccess::Write | OpAccess::CondWrite => (false, true),
        OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
    }
}

fn address(memory: &UsedMemory, state: &State) -> Option<u64> {
    memory.virtual_address(0, |register, _, _| {
        if register == Register::FS {
            Some(state.fs_base)
        } else if register.is_segment_register() {
            Some(0)
        } else if register.is_gpr64() {
            Some(state.general[register.number()])
        } else {
            None
        }
    })
}

/// Runs a call once as it is, and gives the elements of its observed arguments. Memory is as before
/// afterwards.
pub fn observe(
    prototype: &Prototype,
    arguments: &[Argument],
    state: &State,
    worker: &mut Worker,
    ticks: u64,
) -> Result<BTreeMap<usize, Vec<Element>>, Unobserved> {
    use crate::prototype::Reader;
    let stack = worker.read(state.general[4] + 8, 8 * STACK_WORDS).unwrap_or_default();
    let mut observation = Observation::new(prototype, arguments, state, &stack);
    worker.prepare(&[], &[], ticks, 8)?;
    let mut decode = |at: u64, code: &[u8]| operands(at, code);
    let (_, ending) = worker
        .trace_each(&[], None, MOST_STEPS, &mut decode, &mut |step| observation.step(&step))?;
    observation.restore(worker)?;
    if ending.ended == Ended::TimedOut {
        return Err(Unobserved::TooLong);
    }
    Ok(observation.elements(prototype))
}

/// Why a call was not observed.
pub enum Unobserved {
    /// It executes too many instructions.
    TooLong,
    /// Its process went away.
    Lost,
}

impl From<Gone> for Unobserved {
    fn from(_: Gone) -> Unobserved {
        Unobserved::Lost
    }
}
