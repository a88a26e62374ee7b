//! How a function uses memory that it is handed: what it may read before it writes there, how
//! far it goes, whether it indexes.
//!
//! A place is an input unless every path writes it before it reads it. So the bytes written on
//! all paths are propagated through the control-flow graph, and a read of any other byte counts.
//! A loop that writes at an index in every iteration has written what it walks over.

use crate::code::libm::written_result;
use crate::llvm::{Block, Opcode, Type, TypeKind, Value};
use crate::target::greatest_offset;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// More bytes than these, written by one instruction, are not counted one by one.
const MOST_BYTES: u64 = 4096;

/// The use of one pointer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    /// Bytes that some path reads before it writes there: from, to.
    reads: BTreeSet<(u64, u64)>,
    /// Whether some path reads at an index before it writes at one.
    reads_at_index: bool,
    /// What every path has written at the end.
    written: Written,
    /// What stands at constant offsets.
    pub types: BTreeMap<u64, Type>,
    /// What an index steps by.
    pub element: Option<Type>,
    /// One past the last byte at a constant offset.
    pub extent: u64,
    /// Whether an index that is no constant goes in.
    pub variable: bool,
    /// One past the last byte that such indices lead to, as far as that can be told
    /// (`index.rs`).
    pub reach: u64,
    /// Whether anything is written.
    pub writes: bool,
    /// Whether the pointer is kept somewhere (in Fortran's descriptors, in a C++ object): what
    /// is done with it there is not seen.
    pub escapes: bool,
}

/// What has been written on all paths so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Written {
    bytes: BTreeSet<u64>,
    at_index: bool,
}

impl Written {
    fn covers(&self, from: u64, to: u64) -> bool {
        (from..to.max(from + 1)).all(|byte| self.bytes.contains(&byte))
    }

    fn add(&mut self, from: u64, to: u64) {
        if to - from <= MOST_BYTES {
            self.bytes.extend(from..to);
        }
    }

    fn meet(&mut self, other: &Written) {
        self.bytes.retain(|byte| other.bytes.contains(byte));
        self.at_index &= other.at_index;
    }
}

impl Usage {
    /// Whether what is at an offset matters to the function.
    pub fn is_read(&self, offset: u64) -> bool {
        self.reads_at_index
            || self.reads.iter().any(|&(from, to)| (from..to).contains(&offset))
            || self.escapes && !self.written.bytes.contains(&offset)
    }

    /// With what a more thoroughly optimised copy of the function shows: a pointer that is
    /// followed there does not escape, and indices that are constant there are.
    pub fn sharpened(&self, by: &Usage) -> Usage {
        if by.escapes {
            let extent = self.extent.max(by.extent);
            let reach = self.reach.max(by.reach);
            let variable = self.variable || by.variable;
            return Usage { extent, reach, variable, ..self.clone() };
        }
        let mut sharp = self.clone();
        sharp.reads.extend(&by.reads);
        sharp.reads_at_index |= by.reads_at_index;
        sharp.extent = sharp.extent.max(by.extent);
        sharp.variable = by.variable;
        sharp.reach = sharp.reach.max(by.reach);
        sharp.writes |= by.writes;
        sharp.escapes = false;
        if sharp.element.is_none() {
            sharp.element = by.element;
        }
        for (&at, &ty) in &by.types {
            sharp.types.entry(at).or_insert(ty);
        }
        sharp
    }

    fn unseen() -> Usage {
        Usage { escapes: true, writes: true, ..Usage::default() }
    }
}

/// What an instruction does through the pointer.
enum Touch {
    /// Reads or writes so many bytes at an offset, or at an index.
    Read(Option<u64>, Type, u64),
    Write(Option<u64>, Type, u64),
    /// Reads or writes bytes of no type: a copy, a fill; `None`: as many as it likes.
    ReadBytes(Option<u64>, Option<u64>),
    WriteBytes(Option<u64>, Option<u64>),
    /// Hands it to a function, moved by an offset, or by an index that leads so far.
    Pass(Option<u64>, u64, Rc<Usage>),
    /// An address at an index is computed, in steps of a type; one past the byte it leads to.
    Index(Type, u64),
    Escape,
}

/// The use of pointer parameters, found when first asked for.
#[derive(Default)]
pub(crate) struct Usages {
    known: BTreeMap<Value, Option<Rc<Usage>>>,
}

impl Usages {
    /// The use of a parameter. The function should have its stack slots promoted and its offsets
    /// folded.
    pub fn of(&mut self, parameter: Value) -> Rc<Usage> {
        match self.known.get(&parameter) {
            Some(Some(usage)) => return Rc::clone(usage),
            // A call of itself, or of a caller.
            Some(None) => return Rc::new(Usage::unseen()),
            None => {}
        }
        if parameter.ty().kind() != TypeKind::Pointer {
            return Rc::default();
        }
        self.known.insert(parameter, None);
        let usage = Rc::new(self.analyse(parameter));
        self.known.insert(parameter, Some(Rc::clone(&usage)));
        usage
    }

    fn analyse(&mut self, parameter: Value) -> Usage {
        let Some(function) = parameter.parent_function() else { return Usage::default() };
        let blocks = function.blocks();
        let instructions: Vec<Vec<Value>> = blocks.iter().map(|b| b.instructions()).collect();
        // Pointers through phi nodes may be met before they are known: two rounds settle most.
        let mut known: BTreeMap<Value, Option<u64>> = BTreeMap::from([(parameter, Some(0))]);
        for _ in 0..2 {
            instructions.iter().flatten().for_each(|&i| derive(i, &mut known));
        }
        let touches: Vec<Vec<Touch>> = instructions
            .iter()
            .map(|block| {
                let mut list = Vec::new();
                block.iter().for_each(|&i| self.touches(i, &known, &mut list));
                list
            })
            .collect();
        let mut usage = Usage::default();
        for touch in touches.iter().flatten() {
            usage.note(touch);
        }
        let before = written_before(&Graph::of(&blocks), &touches);
        let mut at_end: Option<Written> = None;
        for (at, touches) in touches.iter().enumerate() {
            let Some(mut written) = before[at].clone() else { continue };
            for touch in touches {
                usage.note_read(touch, &written);
                write(touch, &mut written);
            }
            let returns = blocks[at].terminator().and_then(Value::opcode);
            if returns == Some(Opcode::LLVMRet) {
                match &mut at_end {
                    Some(end) => end.meet(&written),
                    None => at_end = Some(written),
                }
            }
        }
        usage.written = at_end.unwrap_or_default();
        usage
    }

    /// What an instruction does through known pointers, in order.
    fn touches(
        &mut self,
        instruction: Value,
        known: &BTreeMap<Value, Option<u64>>,
        list: &mut Vec<Touch>,
    ) {
        let at = |operand: u32| known.get(&instruction.operand(operand)).copied();
        match instruction.opcode() {
            Some(Opcode::LLVMLoad) => {
                let ty = instruction.ty();
                list.extend(at(0).map(|offset| Touch::Read(offset, ty, ty.byte_size())));
            }
            Some(Opcode::LLVMStore) => {
                let ty = instruction.operand(0).ty();
                list.extend(at(1).map(|offset| Touch::Write(offset, ty, ty.byte_size())));
                list.extend(at(0).map(|_| Touch::Escape));
            }
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => {
                let ty = instruction.operand(1).ty();
                if let Some(offset) = at(0) {
                    list.push(Touch::Read(offset, ty, ty.byte_size()));
                    list.push(Touch::Write(offset, ty, ty.byte_size()));
                }
            }
            Some(Opcode::LLVMInsertValue) => list.extend(at(1).map(|_| Touch::Escape)),
            // Whoever it is returned to may do anything with it.
            Some(Opcode::LLVMRet) if !instruction.operands().is_empty() => {
                list.extend(at(0).map(|_| Touch::Escape));
            }
            Some(Opcode::LLVMPtrToInt) => list.extend(at(0).map(|_| Touch::Escape)),
            Some(Opcode::LLVMGetElementPtr)
                if known.contains_key(&instruction.operand(0))
                    && known.get(&instruction) == Some(&None) =>
            {
                let end = greatest_offset::end(instruction);
                list.push(Touch::Index(instruction.source_element_type(), end));
            }
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => self.passed(instruction, known, list),
            _ => {}
        }
    }

    fn passed(&mut self, call: Value, known: &BTreeMap<Value, Option<u64>>, list: &mut Vec<Touch>) {
        let arguments = call.arguments();
        if !arguments.iter().any(|argument| known.contains_key(argument)) {
            return;
        }
        let at = |i: usize| arguments.get(i).and_then(|argument| known.get(argument)).copied();
        let Some(callee) = call.callee() else {
            list.push(Touch::Escape);
            return;
        };
        let name = callee.name();
        let intrinsic = callee.intrinsic_name().unwrap_or_default();
        let bytes = |i: usize| {
            let count = arguments.get(i).and_then(|count| count.as_integer());
            count.and_then(|count| u64::try_from(count).ok())
        };
        match intrinsic.strip_prefix("llvm.").unwrap_or(&name) {
            "memcpy" | "memmove" | "memcpy.inline" => {
                list.extend(at(1).map(|offset| Touch::ReadBytes(offset, bytes(2))));
                list.extend(at(0).map(|offset| Touch::WriteBytes(offset, bytes(2))));
            }
            "memset" | "memset.inline" => {
                list.extend(at(0).map(|offset| Touch::WriteBytes(offset, bytes(2))));
            }
            "memcmp" => {
                for i in 0..2 {
                    list.extend(at(i).map(|offset| Touch::ReadBytes(offset, bytes(2))));
                }
            }
            _ if callee.is_intrinsic() => {}
            name if callee.is_declaration() && written_result(name).is_some() => {
                for offset in arguments.iter().filter_map(|argument| known.get(argument)) {
                    list.push(Touch::WriteBytes(*offset, written_result(name)));
                }
            }
            _ if callee.is_declaration() => list.push(Touch::Escape),
            _ => {
                let parameters = callee.parameters();
                for (i, argument) in arguments.iter().enumerate() {
                    let Some(&offset) = known.get(argument) else { continue };
                    list.push(match parameters.get(i) {
                        Some(&parameter) => Touch::Pass(
                            offset,
                            greatest_offset::start(*argument),
                            self.of(parameter),
                        ),
                        None => Touch::Escape,
                    });
                }
            }
        }
    }
}

impl Usage {
    /// Takes note of everything but what is read first.
    fn note(&mut self, touch: &Touch) {
        match touch {
            Touch::Read(offset, ty, size) => self.note_place(*offset, *ty, *size),
            Touch::Write(offset, ty, size) => {
                self.writes = true;
                self.note_place(*offset, *ty, *size);
            }
            Touch::ReadBytes(offset, bytes) => self.note_bytes(*offset, *bytes),
            Touch::WriteBytes(offset, bytes) => {
                self.writes = true;
                self.note_bytes(*offset, *bytes);
            }
            Touch::Pass(offset, start, callee) => {
                self.writes |= callee.writes;
                self.escapes |= callee.escapes;
                self.element = self.element.or(callee.element);
                match offset {
                    Some(base) => {
                        for (&at, &ty) in &callee.types {
                            self.types.entry(base + at).or_insert(ty);
                        }
                        self.variable |= callee.variable;
                        self.extent = self.extent.max(base + callee.extent);
                        if callee.reach > 0 {
                            self.reach = self.reach.max(base + callee.reach);
                        }
                    }
                    None => {
                        self.variable = true;
                        self.reach = self.reach.max(start + callee.reach.max(callee.extent));
                        let first = callee.types.first_key_value().map(|(_, &ty)| ty);
                        self.element = self.element.or(first);
                    }
                }
            }
            Touch::Index(element, end) => {
                self.variable = true;
                self.reach = self.reach.max(*end);
                self.element.get_or_insert(*element);
            }
            Touch::Escape => self.escapes = true,
        }
    }

    fn note_place(&mut self, offset: Option<u64>, ty: Type, size: u64) {
        match offset {
            Some(offset) => {
                self.types.entry(offset).or_insert(ty);
                self.extent = self.extent.max(offset + size);
            }
            None => {
                self.element.get_or_insert(ty);
            }
        }
    }

    fn note_bytes(&mut self, offset: Option<u64>, bytes: Option<u64>) {
        match (offset, bytes) {
            (Some(offset), Some(bytes)) => self.extent = self.extent.max(offset + bytes),
            (_, None) | (None, _) => self.variable = true,
        }
    }

    /// Takes note of what is read and not written before.
    fn note_read(&mut self, touch: &Touch, written: &Written) {
        let mut read = |offset: Option<u64>, bytes: Option<u64>| match (offset, bytes) {
            (Some(from), Some(bytes)) => {
                if !written.covers(from, from + bytes) {
                    self.reads.insert((from, from + bytes.max(1)));
                }
            }
            (_, None) | (None, _) => self.reads_at_index |= !written.at_index,
        };
        match touch {
            Touch::Read(offset, _, size) => read(*offset, Some(*size)),
            Touch::ReadBytes(offset, bytes) => read(*offset, *bytes),
            Touch::Pass(offset, _, callee) => {
                for &(from, to) in &callee.reads {
                    read(offset.map(|base| base + from), Some(to - from));
                }
                if callee.reads_at_index {
                    read(None, None);
                }
            }
            Touch::Write(..) | Touch::WriteBytes(..) | Touch::Index(..) | Touch::Escape => {}
        }
    }
}

/// Adds what a touch writes for sure.
fn write(touch: &Touch, written: &mut Written) {
    let mut add = |offset: Option<u64>, bytes: Option<u64>| match (offset, bytes) {
        (Some(from), Some(bytes)) => written.add(from, from + bytes),
        (_, None) | (None, _) => written.at_index = true,
    };
    match touch {
        Touch::Write(offset, _, size) => add(*offset, Some(*size)),
        Touch::WriteBytes(offset, bytes) => add(*offset, *bytes),
        Touch::Pass(Some(base), _, callee) => {
            written.bytes.extend(callee.written.bytes.iter().map(|byte| base + byte));
            written.at_index |= callee.written.at_index;
        }
        Touch::Pass(None, _, callee) => {
            written.at_index |= callee.written.at_index || !callee.written.bytes.is_empty();
        }
        Touch::Read(..) | Touch::ReadBytes(..) | Touch::Index(..) | Touch::Escape => {}
    }
}

/// What is written on all paths to each block; `None` for blocks that nothing leads to.
fn written_before(graph: &Graph, touches: &[Vec<Touch>]) -> Vec<Option<Written>> {
    let effects: Vec<Written> = touches
        .iter()
        .map(|touches| {
            let mut written = Written::default();
            touches.iter().for_each(|touch| write(touch, &mut written));
            written
        })
        .collect();
    let filling = graph.exits_of_loops(&|block| effects[block].at_index);
    let mut before: Vec<Option<Written>> = vec![None; touches.len()];
    before[0] = Some(Written::default());
    loop {
        let mut changed = false;
        for &block in &graph.order {
            let Some(mut after) = before[block].clone() else { continue };
            after.bytes.extend(&effects[block].bytes);
            after.at_index |= effects[block].at_index;
            for &next in &graph.successors[block] {
                let at_index = after.at_index || filling.contains(&(block, next));
                let after = Written { at_index, bytes: after.bytes.clone() };
                let met = match &before[next] {
                    Some(known) => {
                        let mut known = known.clone();
                        known.meet(&after);
                        known
                    }
                    None => after,
                };
                if before[next].as_ref() != Some(&met) {
                    before[next] = Some(met);
                    changed = true;
                }
            }
        }
        if !changed {
            return before;
        }
    }
}

/// A control-flow graph, its blocks by number.
struct Graph {
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    /// Blocks that the first leads to, in reverse postorder.
    order: Vec<usize>,
    /// The immediate dominator of each of these.
    dominator: Vec<Option<usize>>,
}

impl Graph {
    fn of(blocks: &[Block]) -> Graph {
        let numbers: BTreeMap<Block, usize> =
            blocks.iter().enumerate().map(|(at, &block)| (block, at)).collect();
        let successors: Vec<Vec<usize>> = blocks
            .iter()
            .map(|block| {
                let next = block.terminator().map(Value::successors).unwrap_or_default();
                next.iter().map(|block| numbers[block]).collect()
            })
            .collect();
        let order = reverse_postorder(&successors);
        let mut predecessors = vec![Vec::new(); successors.len()];
        for &block in &order {
            successors[block].iter().for_each(|&next: &usize| predecessors[next].push(block));
        }
        let dominator = dominators(&predecessors, &order);
        Graph { successors, predecessors, order, dominator }
    }

    fn dominates(&self, first: usize, then: usize) -> bool {
        let mut at = then;
        loop {
            if at == first {
                return true;
            }
            match self.dominator[at] {
                Some(up) if up != at => at = up,
                Some(_) | None => return false,
            }
        }
    }

    /// The edges that leave natural loops in which some block with a property is run in every
    /// iteration.
    fn exits_of_loops(&self, has: &dyn Fn(usize) -> bool) -> BTreeSet<(usize, usize)> {
        let mut exits = BTreeSet::new();
        for &latch in &self.order {
            for &header in &self.successors[latch] {
                if !self.dominates(header, latch) {
                    continue;
                }
                let mut inside = BTreeSet::from([header]);
                let mut open = vec![latch];
                while let Some(block) = open.pop() {
                    if inside.insert(block) {
                        open.extend(&self.predecessors[block]);
                    }
                }
                if inside.iter().any(|&block| has(block) && self.dominates(block, latch)) {
                    for &block in &inside {
                        let leaves = self.successors[block].iter();
                        exits.extend(
                            leaves.filter(|to| !inside.contains(to)).map(|&to| (block, to)),
                        );
                    }
                }
            }
        }
        exits
    }
}

fn reverse_postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, at)) = stack.pop() {
        match successors[block].get(at) {
            Some(&next) => {
                stack.push((block, at + 1));
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push((next, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}

/// Immediate dominators (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
fn dominators(predecessors: &[Vec<usize>], order: &[usize]) -> Vec<Option<usize>> {
    let mut place = vec![usize::MAX; predecessors.len()];
    order.iter().enumerate().for_each(|(at, &block)| place[block] = at);
    let mut dominator: Vec<Option<usize>> = vec![None; predecessors.len()];
    dominator[0] = Some(0);
    loop {
        let mut changed = false;
        for &block in order.iter().skip(1) {
            let reached = predecessors[block].iter().copied().filter(|&p| dominator[p].is_some());
            let met = reached.reduce(|a, b| meet(&dominator, &place, a, b));
            if dominator[block] != met {
                dominator[block] = met;
                changed = true;
            }
        }
        if !changed {
            return dominator;
        }
    }
}

fn meet(dominator: &[Option<usize>], place: &[usize], a: usize, b: usize) -> usize {
    let (mut a, mut b) = (a, b);
    while a != b {
        while place[a] > place[b] {
            a = dominator[a].expect("reached before");
        }
        while place[b] > place[a] {
            b = dominator[b].expect("reached before");
        }
    }
    a
}

/// Notes a pointer derived from a known one, with its offset where that is constant.
fn derive(instruction: Value, known: &mut BTreeMap<Value, Option<u64>>) {
    match instruction.opcode() {
        Some(Opcode::LLVMGetElementPtr) => {
            let Some(&base) = known.get(&instruction.operand(0)) else { return };
            let offset =
                base.zip(instruction.constant_offset()).map(|(base, more)| base.wrapping_add(more));
            known.insert(instruction, offset.filter(|&o| o < 1 << 40));
        }
        Some(Opcode::LLVMBitCast | Opcode::LLVMFreeze) => {
            if let Some(&offset) = known.get(&instruction.operand(0)) {
                known.insert(instruction, offset);
            }
        }
        Some(Opcode::LLVMPHI | Opcode::LLVMSelect)
            if instruction.operands().iter().any(|operand| known.contains_key(operand)) =>
        {
            known.insert(instruction, None);
        }
        _ => {}
    }
}
