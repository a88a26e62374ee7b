//! Which elements of what a pointer points to a call references, where no prototype says so: those that
//! an undisturbed run is seen to read and to write through that pointer.

use super::access::{accesses, address, touched};
use super::code::{decode, operands};
use super::numbers::is_finite;
use super::skipped::{add_skipped, around, one, zeros};
use crate::prototype::{
    Argument, Element, Kind, Language, Passing, Place, Prototype, Reader, hops,
};
use crate::run::{Ended, Gone, Modules, Patch, Worker};
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

/// Lower numbers are no addresses.
const LOWEST_ADDRESS: u64 = 1 << 16;

/// What a value was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Origin {
    /// No pointer that was passed.
    #[default]
    Nothing,
    /// The pointer to this group, perhaps moved.
    Group(usize),
    /// Several.
    Several,
    /// A pointer that was passed, or that memory which it leads to holds, and that nothing is known of.
    Unknown,
}

impl Origin {
    fn and(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::Nothing, any) | (any, Origin::Nothing) => any,
            // What is not known may be a number.
            (Origin::Unknown, any) | (any, Origin::Unknown) => any,
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

/// Numbers that a pointer leads to: all that are there, or those of a field of a structure.
#[derive(Clone, Debug)]
struct Numbers {
    argument: usize,
    /// Which have the same pointer.
    group: usize,
    base: u64,
    /// The bytes from one number to the next.
    apart: i64,
    /// The bytes of the field.
    extent: Option<i64>,
    /// The bytes from a structure to the next one; 0 if there is one.
    stride: i64,
    /// By their offset from the base.
    uses: BTreeMap<i64, Use>,
}

impl Numbers {
    /// The offsets of those that bytes overlap with.
    fn overlapping(&self, offset: i64, length: i64) -> Vec<i64> {
        let last = offset + length - 1;
        let Some(extent) = self.extent else {
            let from = offset.div_euclid(self.apart);
            return (from..=last.div_euclid(self.apart)).map(|k| k * self.apart).collect();
        };
        let structures = match self.stride {
            0 => 0..=0,
            stride => offset.div_euclid(stride)..=last.div_euclid(stride),
        };
        let all = structures.flat_map(|k| {
            (0..extent / self.apart).map(move |number| k * self.stride + number * self.apart)
        });
        all.filter(|at| *at <= last && at + self.apart > offset).collect()
    }
}

/// A run, as its steps are followed.
pub struct Observation {
    numbers: Vec<Numbers>,
    /// Of each group, the parameter that the pointer is or comes from.
    kin: Vec<usize>,
    general: [Origin; 16],
    vectors: [Origin; 32],
    memory: HashMap<u64, Origin>,
    /// What was overwritten, in order.
    undo: Vec<(u64, Vec<u8>)>,
    /// Where numbers were stored by a pointer that nothing is known of, with their bytes.
    elsewhere: BTreeMap<u64, usize>,
    /// The first address above the function's own stack.
    stack: u64,
    /// Where memory is given back: what is read there is the heap's own.
    frees: Vec<u64>,
    /// The stack pointer at its entry, while that runs.
    freeing: Option<u64>,
    /// Taken out while an instruction is looked at.
    factory: Option<InstructionInfoFactory>,
}

/// Whether a function is given addresses that nothing is known of, or that hold such.
pub fn opens_unknown(prototype: &Prototype) -> bool {
    let mut all = prototype.parameters.iter();
    all.any(|p| {
        p.passing == Passing::Address || p.inside.as_ref().is_some_and(|i| i.path.len() == 1)
    })
}

impl Observation {
    /// Of a call with these arguments, at its first instruction.
    pub fn new(
        prototype: &Prototype,
        arguments: &[Argument],
        state: &State,
        modules: &Modules,
        reader: &mut dyn Reader,
    ) -> Observation {
        let mut numbers: Vec<Numbers> = Vec::new();
        let mut memory = HashMap::new();
        // The address of each group, and whether what is there may hold addresses.
        let mut groups: Vec<u64> = Vec::new();
        let (mut kin, mut carrier) = (Vec::new(), 0);
        let mut unknown: Vec<u64> = Vec::new();
        for (number, (parameter, argument)) in
            prototype.parameters.iter().zip(arguments).enumerate()
        {
            if parameter.passing == Passing::Address {
                unknown.extend(argument.origin);
            }
            let Some(base) = argument.base.filter(|base| parameter.observed && *base != 0) else {
                continue;
            };
            let size = if argument.bits == 80 { 16 } else { i64::from(argument.bits / 8) };
            let inside = parameter.inside.as_ref();
            let from = argument.origin.unwrap_or(base);
            let shared = inside.is_some_and(|inside| inside.shared);
            carrier = if shared { carrier } else { number };
            let mut group_of = |address: u64| {
                groups.iter().position(|other| *other == address).unwrap_or_else(|| {
                    groups.push(address);
                    kin.push(carrier);
                    groups.len() - 1
                })
            };
            let mut group = group_of(from);
            if let Some((read, _)) = inside.and_then(|i| hops(from, &i.path, reader)) {
                for at in read {
                    let target = reader.read(at, 8).and_then(|bytes| bytes.try_into().ok());
                    group = group_of(target.map_or(0, u64::from_le_bytes));
                    memory.insert(at, Origin::Group(group));
                }
            }
            numbers.push(Numbers {
                argument: number,
                group,
                base,
                apart: size,
                extent: inside.and_then(|inside| inside.extent).map(|extent| extent as i64),
                stride: inside.map_or(0, |inside| inside.stride as i64),
                uses: BTreeMap::new(),
            });
        }
        let of = |value: u64| match groups.iter().position(|group| *group == value) {
            Some(group) if value != 0 => Origin::Group(group),
            None if value >= LOWEST_ADDRESS && unknown.contains(&value) => Origin::Unknown,
            Some(_) | None => Origin::Nothing,
        };
        let mut general = [Origin::Nothing; 16];
        for register in [7, 6, 2, 1, 8, 9] {
            general[register] = of(state.general[register]);
        }
        let above = state.general[4] + 8;
        let stack = reader.read(above, 8 * STACK_WORDS).unwrap_or_default();
        for (k, word) in stack.chunks_exact(8).enumerate() {
            let value = u64::from_le_bytes(std::array::from_fn(|b| word[b]));
            memory.insert(above + 8 * k as u64, of(value));
        }
        Observation {
            numbers,
            kin,
            general,
            vectors: [Origin::Nothing; 32],
            memory,
            undo: Vec::new(),
            elsewhere: BTreeMap::new(),
            stack: above,
            frees: modules.list.iter().filter_map(|module| module.find("free")).collect(),
            freeing: None,
            factory: None,
        }
    }

    /// Follows one instruction.
    pub fn step(&mut self, step: &Step) {
        let Some(instruction) = decode(step.address, &step.code) else { return };
        let stack = step.before.general[4];
        if self.freeing.is_some_and(|entry| stack > entry) {
            self.freeing = None;
        }
        if self.freeing.is_none() && self.frees.contains(&step.address) {
            self.freeing = Some(stack);
        }
        let mut factory = self.factory.take().unwrap_or_else(InstructionInfoFactory::new);
        let info = factory.info(&instruction);
        if instruction.mnemonic() != Mnemonic::Lea {
            for memory in info.used_memory() {
                self.access(&instruction, memory, step);
            }
        }
        self.flow(&instruction, info, step);
        self.factory = Some(factory);
    }

    fn access(&mut self, instruction: &Instruction, memory: &UsedMemory, step: &Step) {
        let length = memory.memory_size().size();
        if length == 0 {
            return;
        }
        let (reads, writes) = accesses(memory.access());
        if writes
            && let Some(address) = address(memory, &step.before)
            && let Some(before) = step.reads.iter().find(|read| read.address == address)
        {
            self.undo.push((address, before.bytes.clone()));
        }
        if self.freeing.is_some() {
            return;
        }
        let made_of = self.register(memory.base()).and(self.register(memory.index()));
        for (address, length) in touched(instruction, memory, &step.before) {
            let group = match made_of {
                Origin::Nothing => return,
                Origin::Group(group) => group,
                Origin::Several => match self.nearest(address) {
                    Some(group) => group,
                    None => return,
                },
                Origin::Unknown => {
                    let own = address < self.stack && address >= step.before.general[4] - 128;
                    if writes && length >= 4 && !own {
                        self.elsewhere.insert(address, length as usize);
                    }
                    continue;
                }
            };
            let mut known = false;
            for numbers in self.numbers.iter_mut().filter(|numbers| numbers.group == group) {
                if known && numbers.extent.is_none() {
                    continue; // the same array, passed twice
                }
                let offset = address.wrapping_sub(numbers.base) as i64;
                if offset.unsigned_abs() > FARTHEST {
                    continue;
                }
                for at in numbers.overlapping(offset, length as i64) {
                    let used = numbers.uses.entry(at).or_default();
                    used.read |= reads && !used.written;
                    used.written |= writes;
                    known = true;
                }
            }
            if !known && writes && length >= 4 {
                self.elsewhere.insert(address, length as usize);
            }
        }
    }

    /// The group whose numbers an address is nearest to, from above.
    fn nearest(&self, address: u64) -> Option<usize> {
        let below = |numbers: &Numbers| address.checked_sub(numbers.base).filter(|d| *d < FARTHEST);
        let all = self.numbers.iter().filter_map(|n| Some((below(n)?, n.group)));
        all.min().map(|(_, group)| group)
    }

    /// Whether an exceptional value was left where a pointer leads that nothing is known of.
    pub fn goes_elsewhere(&self, worker: &mut Worker) -> bool {
        self.elsewhere.iter().any(|(address, length)| {
            let bytes = worker.read(*address, *length).unwrap_or_default();
            let size = if length % 8 == 0 { 8 } else { 4 };
            bytes.chunks_exact(size).any(|number| !is_finite(number))
        })
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
    fn flow(&mut self, instruction: &Instruction, info: &InstructionInfo, step: &Step) {
        let before = &step.before;
        let mnemonic = instruction.mnemonic();
        let operand = |k: u32| (instruction.op_kind(k), instruction.op_register(k));
        let written = |m: &&UsedMemory| accesses(m.access()).1;
        if matches!(mnemonic, Mnemonic::Mul | Mnemonic::Div | Mnemonic::Idiv) {
            self.general[0] = Origin::Nothing;
            self.general[2] = Origin::Nothing;
            return;
        }
        if mnemonic == Mnemonic::Leave {
            self.general[5] = self.in_memory(before.general[5], 8);
            return;
        }
        let mut made_of = Origin::Nothing;
        let mut parts = Vec::new();
        for k in 0..instruction.op_count() {
            let (kind, register) = operand(k);
            match kind {
                OpKind::Register if accesses(info.op_access(k)).0 => {
                    parts.push(self.register(register));
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
                            let mut held = self.in_memory(address, length);
                            if held == Origin::Nothing && length == 8 {
                                held = self.unknown(memory, step, address);
                            }
                            parts.push(held);
                            made_of = made_of.and(held);
                        }
                    }
                }
                _ => {}
            }
        }
        let difference = matches!(mnemonic, Mnemonic::Sub | Mnemonic::Xor | Mnemonic::Pxor);
        if difference && parts.len() == 2 && self.are_kin(parts[0], parts[1]) {
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

    /// Whether two pointers are the same or from one structure, as an array's begin and end: their difference is a
    /// number.
    fn are_kin(&self, a: Origin, b: Origin) -> bool {
        match (a, b) {
            (Origin::Group(a), Origin::Group(b)) => self.kin[a] == self.kin[b],
            (Origin::Several, _) | (_, Origin::Several) => false,
            (a, b) => a == b,
        }
    }

    /// What is read where a passed pointer leads, if it may be an address.
    fn unknown(&self, memory: &UsedMemory, step: &Step, address: u64) -> Origin {
        let from = self.register(memory.base()).and(self.register(memory.index()));
        let opens = match from {
            Origin::Nothing | Origin::Several => false,
            Origin::Unknown => true,
            // What lies beside the numbers of a structure.
            Origin::Group(group) => {
                let mut own = self.numbers.iter().filter(|numbers| numbers.group == group);
                own.all(|numbers| {
                    let offset = address.wrapping_sub(numbers.base) as i64;
                    numbers.extent.is_some() && numbers.overlapping(offset, 8).is_empty()
                })
            }
        };
        let read = step.reads.iter().find(|read| read.address == address);
        let value =
            read.and_then(|read| read.bytes.get(..8)?.try_into().ok()).map(u64::from_le_bytes);
        match value {
            Some(value) if opens && (LOWEST_ADDRESS..1 << 47).contains(&value) => Origin::Unknown,
            Some(_) | None => Origin::Nothing,
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
        for numbers in &self.numbers {
            let parameter = &prototype.parameters[numbers.argument];
            let alone = numbers.uses.keys().all(|offset| *offset == 0);
            let mut elements = Vec::new();
            for (offset, used) in &numbers.uses {
                let input = used.read && parameter.intent.is_input();
                let output = used.written && parameter.intent.is_output();
                if input || output {
                    let at = numbers.base.wrapping_add_signed(*offset);
                    let name = match numbers.extent {
                        Some(_) => field_name(
                            prototype.language,
                            parameter.kind,
                            &parameter.name,
                            numbers,
                            *offset,
                        ),
                        None => {
                            let number = if alone { None } else { Some(offset / numbers.apart) };
                            name(prototype.language, parameter.kind, &parameter.name, number)
                        }
                    };
                    let place = Place::Memory(at);
                    elements.push(Element { name, place, input, output, documented: None });
                }
            }
            all.insert(numbers.argument, elements);
        }
        all
    }
}

/// What people call a number of a field: `p.x`, `p[2].x[1]`.
fn field_name(
    language: Language,
    kind: Kind,
    field: &str,
    numbers: &Numbers,
    offset: i64,
) -> String {
    let (structure, inner) = match numbers.stride {
        0 => (0, offset),
        stride => (offset.div_euclid(stride), offset.rem_euclid(stride)),
    };
    let field = match (structure, field.split_once('.')) {
        (0, _) | (_, None) => field.to_string(),
        (structure, Some((array, rest))) => format!("{array}[{structure}].{rest}"),
    };
    let several = numbers.extent.is_some_and(|extent| extent > numbers.apart);
    name(language, kind, &field, several.then_some(inner / numbers.apart))
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

/// Runs a call once as it is, and gives the elements of its observed arguments. Memory is as before
/// afterwards.
pub fn observe(
    prototype: &Prototype,
    arguments: &[Argument],
    state: &State,
    modules: &Modules,
    worker: &mut Worker,
    ticks: u64,
) -> Result<BTreeMap<usize, Vec<Element>>, Unobserved> {
    let follow = |worker: &mut Worker, patches: &[Patch]| {
        let mut observation = Observation::new(prototype, arguments, state, modules, worker);
        worker.prepare(&around(patches), &[], ticks, 8)?;
        let mut decode = |at: u64, code: &[u8]| operands(at, code);
        let (_, ending) =
            worker.trace_each(patches, None, MOST_STEPS, &mut decode, &mut |step| {
                observation.step(&step);
            })?;
        observation.restore(worker)?;
        Ok::<_, Gone>((observation.elements(prototype), ending.ended))
    };
    let (mut elements, ended) = follow(worker, &[])?;
    if ended == Ended::TimedOut {
        return Err(Unobserved::TooLong);
    }
    let zeros = zeros(arguments, &elements, worker);
    if !zeros.is_empty() {
        let one = |patch: &Patch| Patch { bytes: one(patch.length), ..*patch };
        let (others, ended) = follow(worker, &zeros.iter().map(one).collect::<Vec<_>>())?;
        for zero in &zeros {
            worker.write(zero.place, &zero.bytes[..zero.length as usize])?;
        }
        if ended == Ended::Clean {
            add_skipped(&mut elements, others);
        }
    }
    Ok(elements)
}

/// Whether a run leaves an exceptional value where a pointer leads that nothing is known of; true if the run is too
/// long to tell.
pub fn leaves_elsewhere(
    prototype: &Prototype,
    arguments: &[Argument],
    state: &State,
    modules: &Modules,
    worker: &mut Worker,
    patches: &[Patch],
) -> Result<bool, Gone> {
    let mut observation = Observation::new(prototype, arguments, state, modules, worker);
    let mut decode = |at: u64, code: &[u8]| operands(at, code);
    let (_, ending) = worker.trace_each(patches, None, MOST_STEPS, &mut decode, &mut |step| {
        observation.step(&step);
    })?;
    Ok(ending.ended == Ended::TimedOut || observation.goes_elsewhere(worker))
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
