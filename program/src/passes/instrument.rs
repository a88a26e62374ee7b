//! Instrumentation: probes at every operation and branch, fuel at every loop.
//!
//! The probes only look: no operation is changed, reordered or given a flag that
//! the user's compiler did not give it.

use crate::goal::Goal;
use crate::goal::distance::Landmarks;
use crate::goal::exception::Exception;
use crate::goal::site::{self, Action, Found};
use crate::llvm::{Block, Builder, IntPredicate, Module, Opcode, TypeKind, Value};
use crate::passes::fuel;
use crate::passes::overflow;
use crate::passes::probe::{Filter, Gate, Key, Point, Probes, RECORD_WORDS, Test};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Probes that a function may have in line. The optimiser and the register allocator take time
/// that grows with the square of them; more are calls, and the function is not optimised.
const INLINE: usize = 200;

/// Probes that a program may have in line: each costs the compiler some ten milliseconds, and what
/// the optimiser copies into its callers again. In a larger program all are calls.
const INLINE_IN_ALL: usize = 1000;

/// Puts a probe at every site that has goals, and at every branch that compares.
/// Returns what the probes mean, and the functions that are too large to be optimised; the
/// branches' own goals are numbered after `goals`.
pub(crate) fn instrument(module: &Module, goals: &[Goal]) -> (Probes, BTreeSet<Value>) {
    let mut probes = Probes::default();
    let sites = site::find(module);
    for found in &sites {
        probes.points.push(Point::Operation {
            action: found.action,
            format: found.format,
            goals: Vec::new(),
        });
    }
    for (index, goal) in goals.iter().enumerate() {
        let found = &sites[goal.site.0 as usize];
        probes.filters.push(Filter::of(found.action, found.format, goal.exception));
        if let Point::Operation { goals, .. } = &mut probes.points[goal.site.0 as usize]
            && goal.never.is_none()
        {
            goals.push((index, goal.exception));
        }
    }
    let branches = find_branches(module);
    for branch in &branches {
        let taken = probes.filters.len();
        probes.filters.extend([Filter::Branch, Filter::Branch]);
        probes.points.push(Point::Branch { test: branch.test, taken, passed: taken + 1 });
    }
    probes.gates = probes.points.iter().filter_map(gate).collect();
    let counts = counts(&probes, &sites, &branches);
    let is_large_program = counts.values().sum::<usize>() > INLINE_IN_ALL;
    let chosen = |least: usize| {
        let counts = counts.iter().filter(move |(_, count)| **count > least);
        counts.map(|(function, _)| *function).collect::<BTreeSet<Value>>()
    };
    let large = chosen(INLINE);
    let called = if is_large_program { chosen(0) } else { large.clone() };
    let writer = Writer::new(module, &probes, &called);
    for (number, found) in sites.iter().enumerate() {
        writer.operation(number as u32, found);
    }
    for (number, branch) in branches.iter().enumerate() {
        writer.branch((sites.len() + number) as u32, branch);
    }
    drop(writer);
    fuel::burn(module);
    (probes, large)
}

/// How many probes the functions have.
fn counts(probes: &Probes, sites: &[Found], branches: &[Branch]) -> BTreeMap<Value, usize> {
    let mut counts: BTreeMap<Value, usize> = BTreeMap::new();
    for (point, found) in probes.points.iter().zip(sites) {
        if let Point::Operation { goals, .. } = point
            && !goals.is_empty()
        {
            let lanes = lanes(found.instruction) as usize;
            *counts.entry(found.instruction.block().function()).or_default() += lanes;
        }
    }
    for branch in branches {
        *counts.entry(branch.terminator.block().function()).or_default() += 1;
    }
    counts
}

fn lanes(instruction: Value) -> u32 {
    match instruction.ty().kind() {
        TypeKind::Vector(_, lanes) => lanes,
        _ => 1,
    }
}

/// The gate of an operation that can both overflow and be invalid.
fn gate(point: &Point) -> Option<Gate> {
    let Point::Operation { format, goals, .. } = point else { return None };
    let of =
        |wanted| goals.iter().find(|(_, exception)| *exception == wanted).map(|(goal, _)| *goal);
    let marks = Landmarks::of(*format);
    Some(Gate {
        overflow: of(Exception::Overflow)?,
        invalid: of(Exception::Invalid)?,
        infinity: (marks.infinity >> marks.squeeze()) as u64,
    })
}

/// A conditional branch on a comparison.
struct Branch {
    test: Test,
    compare: Value,
    terminator: Value,
}

/// The functions that the branches stand in, in order.
pub(crate) fn branch_functions(module: &Module) -> Vec<Value> {
    find_branches(module).into_iter().map(|branch| branch.terminator.block().function()).collect()
}

fn find_branches(module: &Module) -> Vec<Branch> {
    let mut branches = Vec::new();
    for function in module.functions() {
        for block in function.blocks() {
            let Some(terminator) = block.terminator() else { continue };
            if terminator.opcode() != Some(Opcode::LLVMBr) {
                continue;
            }
            let Some(compare) = terminator.condition() else { continue };
            let test = match compare.opcode() {
                Some(Opcode::LLVMFCmp) => match compare.operand(0).ty().kind() {
                    TypeKind::Float(format) => Test::Real(format, compare.real_predicate()),
                    _ => continue,
                },
                Some(Opcode::LLVMICmp) => match compare.operand(0).ty().kind() {
                    TypeKind::Integer(bits @ 2..=64) => {
                        Test::Integer(bits, compare.int_predicate())
                    }
                    _ => continue,
                },
                _ => continue,
            };
            branches.push(Branch { test, compare, terminator });
        }
    }
    branches
}

/// Writes the inline halves of the probes.
struct Writer<'m> {
    module: &'m Module,
    probes: &'m Probes,
    builder: Builder<'m>,
    cutoffs: Value,
    hook: Value,
    /// The functions whose probes are calls.
    called: &'m BTreeSet<Value>,
    /// Which gate an overflow's goal has.
    gates: BTreeMap<usize, usize>,
    records: RefCell<BTreeMap<Value, Value>>,
    /// The probes that are called, by what they look at.
    outlined: RefCell<BTreeMap<String, Value>>,
}

/// What a probe looks at and compares with.
struct Look<'a> {
    /// The probe's number.
    number: Value,
    /// Where the cutoff of goal `base` is; the others' follow.
    cutoffs: Value,
    base: usize,
    /// Where the gate's cutoff is, if there is a gate.
    gate: Option<Value>,
    /// Stack memory for the record.
    record: Value,
    /// The operands, then the result.
    values: &'a [Value],
}

impl<'m> Writer<'m> {
    fn new(module: &'m Module, probes: &'m Probes, called: &'m BTreeSet<Value>) -> Writer<'m> {
        let word = module.integer(64);
        let cutoffs = word.array((probes.filters.len() + probes.gates.len()).max(1) as u64);
        Writer {
            module,
            probes,
            builder: Builder::new(module),
            cutoffs: module.add_global("nanoscope_cutoffs", cutoffs, Some(cutoffs.zero())),
            hook: module.add_global("nanoscope_probe", module.pointer(), None),
            called,
            gates: probes.gates.iter().enumerate().map(|(at, gate)| (gate.overflow, at)).collect(),
            records: RefCell::default(),
            outlined: RefCell::default(),
        }
    }

    /// The stack memory of a function that its probes write their records to.
    fn record(&self, function: Value) -> Value {
        if let Some(&record) = self.records.borrow().get(&function) {
            return record;
        }
        let first = function.blocks()[0].instructions()[0];
        self.builder.before(first);
        let record = self.builder.stack(self.module.integer(64).array(RECORD_WORDS as u64));
        self.records.borrow_mut().insert(function, record);
        record
    }

    /// Where a goal's or a gate's cutoff is.
    fn place(&self, index: usize) -> Value {
        self.builder.offset(self.cutoffs, 8 * index as u64)
    }

    /// A probe after an operation, a lane at a time.
    fn operation(&self, number: u32, found: &Found) {
        let Point::Operation { goals, .. } = &self.probes.points[number as usize] else { return };
        if goals.is_empty() {
            return;
        }
        let instruction = found.instruction;
        if matches!(found.action, Action::Integer(_)) {
            // The probe comes after: nothing may be concluded from what was promised.
            instruction.may_wrap();
        }
        let function = instruction.block().function();
        let called = self.called.contains(&function);
        let record = (!called).then(|| self.record(function));
        let Some(after) = self.after(instruction) else { return };
        let gate = goals.iter().find_map(|(goal, _)| self.gates.get(goal).copied());
        let count = found.action.operands();
        for lane in 0..lanes(instruction) {
            self.builder.before(after);
            let take = |value: Value| match value.ty().kind() {
                TypeKind::Vector(..) => self.builder.lane(value, lane),
                _ => value,
            };
            let mut values: Vec<Value> =
                (0..count as u32).map(|i| take(instruction.operand(i))).collect();
            values.push(take(instruction));
            let number = self.module.integer(32).constant(u64::from(number));
            let gate = gate.map(|gate| self.place(self.probes.filters.len() + gate));
            match record {
                Some(record) => {
                    let (cutoffs, values) = (self.cutoffs, &values[..]);
                    let look = Look { number, cutoffs, base: 0, gate, record, values };
                    self.look(found.action, goals, &look, after);
                }
                None => self.call(number, found.action, goals, gate, &values),
            }
        }
    }

    /// Two looks at an operation. Every execution passes the first one, a few instructions;
    /// what that lets through gets a second one before the host is called.
    fn look(&self, action: Action, goals: &[(usize, Exception)], look: &Look, after: Value) {
        let values = look.values;
        let count = values.len() - 1;
        let first = goals.iter().filter_map(|&(goal, exception)| match (look.gate, exception) {
            (Some(gate), Exception::Overflow) => {
                let cutoff = self.builder.load(self.module.integer(64), gate);
                let magnitude = self.magnitude(values[count]);
                Some(self.builder.compare(IntPredicate::LLVMIntUGE, magnitude, cutoff))
            }
            (Some(_), Exception::Invalid) => None,
            // Any other exception has no gate of its own.
            _ => Some(self.passes(goal, look)),
        });
        let looks = first
            .reduce(|a, b| self.builder.or(a, b))
            .expect("there are goals, and not only a gated one");
        let rest = self.rarely(looks, after);
        let second = goals.iter().map(|&(goal, exception)| {
            let passes = self.passes(goal, look);
            let creates = self.can_create(action, exception, &values[..count]);
            self.builder.and(passes, creates)
        });
        let near = second.reduce(|a, b| self.builder.or(a, b)).expect("there are goals");
        self.report(near, rest, look.number, look.record, values);
    }

    /// Calls the function that looks at operations of this kind.
    fn call(
        &self,
        number: Value,
        action: Action,
        goals: &[(usize, Exception)],
        gate: Option<Value>,
        values: &[Value],
    ) {
        let base = goals[0].0;
        let asked: Vec<_> =
            goals.iter().map(|(goal, exception)| (goal - base, exception)).collect();
        let key = format!("{action:?} {asked:?} {}", gate.is_some());
        let mut given = vec![self.place(base)];
        given.extend(gate);
        given.extend(values);
        self.call_outlined(key, number, &given, |number, given, record, after| {
            let values = &given[1 + usize::from(gate.is_some())..];
            let gate = gate.is_some().then(|| given[1]);
            let look = Look { number, cutoffs: given[0], base, gate, record, values };
            self.look(action, goals, &look, after);
        });
    }

    /// Calls a probe with its number and what it is given; `write` writes the body of the first
    /// of its kind, before the instruction that returns.
    fn call_outlined(
        &self,
        key: String,
        number: Value,
        given: &[Value],
        write: impl FnOnce(Value, &[Value], Value, Value),
    ) {
        let mut types = vec![number.ty()];
        types.extend(given.iter().map(|value| value.ty()));
        let texts: Vec<String> = types.iter().map(|ty| ty.text()).collect();
        let key = format!("{key} {}", texts.join(" "));
        let known = self.outlined.borrow().get(&key).copied();
        let mut arguments = vec![number];
        arguments.extend(given);
        if let Some(probe) = known {
            self.builder.call(probe, &arguments);
            return;
        }
        let name = format!("nanoscope_look_{}", self.outlined.borrow().len());
        let ty = self.module.function_type(self.module.void(), &types);
        let probe = self.module.add_function(&name, ty);
        probe.set_attribute("noinline");
        self.outlined.borrow_mut().insert(key, probe);
        self.builder.call(probe, &arguments);
        self.builder.at_end(self.module.add_block(probe, "entry"));
        let record = self.builder.stack(self.module.integer(64).array(RECORD_WORDS as u64));
        self.builder.return_nothing();
        let parameters = probe.parameters();
        let after = record.next().expect("the return");
        self.builder.before(after);
        write(parameters[0], &parameters[1..], record, after);
    }

    /// Goes to a new block where a condition holds, rarely, and stands there; the block
    /// returned, which begins with `after`, is where to go on from it.
    fn rarely(&self, condition: Value, after: Value) -> Block {
        let rest = self.builder.split_before(after);
        let rare = self.module.add_block(rest.function(), "near");
        self.builder.branch_rarely(condition, rare, rest);
        self.builder.at_end(rare);
        rest
    }

    /// Whether an exception would be created here and not be passed on from the operands.
    fn can_create(&self, action: Action, exception: Exception, operands: &[Value]) -> Value {
        let b = &self.builder;
        let word = self.module.integer(64);
        let mut all = self.module.integer(1).constant(1);
        if exception == Exception::IntegerOverflow {
            return all;
        }
        for &operand in operands {
            let infinity = word.constant(self.infinity(operand));
            let sane = match exception {
                Exception::Overflow | Exception::Underflow | Exception::DivideByZero => {
                    IntPredicate::LLVMIntULT
                }
                Exception::Invalid => IntPredicate::LLVMIntULE,
                Exception::ConversionOutOfRange | Exception::IntegerOverflow => continue,
            };
            // Of wide formats only the upper bits are compared: NaN may look infinite.
            let magnitude = self.magnitude(operand);
            all = b.and(all, b.compare(sane, magnitude, infinity));
            // What is zero to begin with loses nothing.
            let loses = matches!(action, Action::Mul | Action::Div | Action::Narrow { .. });
            if exception == Exception::Underflow && loses && self.bits(operand).1 <= 64 {
                all = b.and(all, b.compare(IntPredicate::LLVMIntNE, magnitude, word.zero()));
            }
        }
        all
    }

    /// Where a probe after an instruction is written: before the next one.
    fn after(&self, instruction: Value) -> Option<Value> {
        match instruction.opcode() {
            // The result is there only on the edge to the normal destination.
            Some(Opcode::LLVMInvoke) => {
                let normal = instruction.successors()[0];
                normal.instructions().into_iter().find(|i| i.opcode() != Some(Opcode::LLVMPHI))
            }
            _ => instruction.next(),
        }
    }

    /// Whether an execution may come nearer to a goal than any before.
    fn passes(&self, goal: usize, look: &Look) -> Value {
        let b = &self.builder;
        let values = look.values;
        let place = b.offset(look.cutoffs, 8 * (goal - look.base) as u64);
        let cutoff = b.load(self.module.integer(64), place);
        match self.probes.filters[goal] {
            Filter::Above { key, .. } => {
                b.compare(IntPredicate::LLVMIntUGE, self.key(key, values), cutoff)
            }
            Filter::Below { key, .. } => {
                b.compare(IntPredicate::LLVMIntULT, self.key(key, values), cutoff)
            }
            Filter::All | Filter::Branch => {
                b.compare(IntPredicate::LLVMIntNE, cutoff, self.module.integer(64).zero())
            }
        }
    }

    fn key(&self, key: Key, values: &[Value]) -> Value {
        let b = &self.builder;
        let word = self.module.integer(64);
        let result = values[values.len() - 1];
        match key {
            Key::Result => self.magnitude(result),
            Key::NonZeroResult => b.sub(self.magnitude(result), word.constant(1)),
            Key::Operand(i) => self.magnitude(values[i]),
            Key::Sign(i) => {
                let zero = word.zero();
                let (bits, width) = self.bits(values[i]);
                let negative = b.compare(
                    IntPredicate::LLVMIntNE,
                    b.shift_right(bits, u64::from(width - 1)),
                    bits.ty().zero(),
                );
                b.select(negative, zero, b.add(self.magnitude(values[i]), word.constant(1)))
            }
            Key::Smaller => self.smaller(self.magnitude(values[0]), self.magnitude(values[1])),
            Key::Difference => {
                self.difference(self.magnitude(values[0]), self.magnitude(values[1]))
            }
            Key::Sum => {
                let sum = b.add(self.magnitude(values[0]), self.magnitude(values[1]));
                let infinity = self.infinity(values[0]);
                self.smaller(sum, b.sub(word.constant(2u64.wrapping_mul(infinity)), sum))
            }
            Key::Margin(arithmetic) => {
                let margin = overflow::margin(self.module, b, arithmetic, values);
                // Twice the width has room for everything but the sum of all.
                let most = self.module.integer(128).constant(u64::MAX - 1);
                b.resize(self.smaller(margin, most), word)
            }
        }
    }

    fn smaller(&self, a: Value, c: Value) -> Value {
        let less = self.builder.compare(IntPredicate::LLVMIntULT, a, c);
        self.builder.select(less, a, c)
    }

    fn difference(&self, a: Value, c: Value) -> Value {
        let less = self.builder.compare(IntPredicate::LLVMIntULT, a, c);
        self.builder.select(less, self.builder.sub(c, a), self.builder.sub(a, c))
    }

    /// A value's encoding as an integer of its width.
    fn bits(&self, value: Value) -> (Value, u32) {
        match value.ty().kind() {
            TypeKind::Float(format) => {
                (self.builder.bitcast(value, self.module.integer(format.width())), format.width())
            }
            TypeKind::Integer(bits) => (value, bits),
            kind => unreachable!("a probe observes scalars, not {kind:?}"),
        }
    }

    /// The upper 64 bits of an encoding without its sign.
    fn magnitude(&self, value: Value) -> Value {
        let (bits, width) = self.bits(value);
        let b = &self.builder;
        let word = self.module.integer(64);
        let upper = if width > 64 { b.shift_right(bits, u64::from(width - 64)) } else { bits };
        let sign = 1u64 << (width.min(64) - 1);
        b.and(b.resize(upper, word), word.constant(sign - 1))
    }

    /// The upper 64 bits of the magnitude of infinity in a value's format.
    fn infinity(&self, value: Value) -> u64 {
        match value.ty().kind() {
            TypeKind::Float(format) => {
                let marks = Landmarks::of(format);
                (marks.infinity >> marks.squeeze()) as u64
            }
            kind => unreachable!("a probe observes floating-point operands, not {kind:?}"),
        }
    }

    /// Calls the host where `near` holds, with the values observed, and goes on to `rest`.
    fn report(&self, near: Value, rest: Block, number: Value, record: Value, values: &[Value]) {
        let b = &self.builder;
        let report = self.module.add_block(rest.function(), "report");
        b.branch_rarely(near, report, rest);
        b.at_end(report);
        let (word, double) = (self.module.integer(64), self.module.integer(128));
        for (i, &value) in values.iter().enumerate() {
            let place = b.offset(record, 16 * i as u64);
            let (bits, width) = self.bits(value);
            if width <= 64 {
                b.store(b.resize(bits, word), place);
                b.store(word.zero(), b.offset(place, 8));
            } else {
                b.store(b.resize(bits, double), place);
            }
        }
        let hook = b.load(self.module.pointer(), self.hook);
        let (number_type, pointer) = (self.module.integer(32), self.module.pointer());
        let ty = self.module.function_type(self.module.void(), &[number_type, pointer]);
        b.call_through(ty, hook, &[number, record]);
        b.jump(rest);
    }

    /// A probe before a branch.
    fn branch(&self, number: u32, branch: &Branch) {
        let Point::Branch { taken, .. } = self.probes.points[number as usize] else { return };
        let function = branch.terminator.block().function();
        let number = self.module.integer(32).constant(u64::from(number));
        let operands = [branch.compare.operand(0), branch.compare.operand(1)];
        if self.called.contains(&function) {
            self.builder.before(branch.terminator);
            let given = [self.place(taken), branch.compare, operands[0], operands[1]];
            self.call_outlined("branch".into(), number, &given, |number, given, record, after| {
                self.look_at_branch(number, given[0], given[1], record, &given[2..], after);
            });
            return;
        }
        let record = self.record(function);
        self.builder.before(branch.terminator);
        let (cutoffs, after) = (self.place(taken), branch.terminator);
        self.look_at_branch(number, cutoffs, branch.compare, record, &operands, after);
    }

    /// Lets through a side's first taking, and what comes nearer to the side not taken. The
    /// cutoffs of the two sides follow each other.
    fn look_at_branch(
        &self,
        number: Value,
        cutoffs: Value,
        condition: Value,
        record: Value,
        operands: &[Value],
        after: Value,
    ) {
        let b = &self.builder;
        let word = self.module.integer(64);
        let (taken, passed) = (b.load(word, cutoffs), b.load(word, b.offset(cutoffs, 8)));
        let here = b.select(condition, taken, passed);
        let there = b.select(condition, passed, taken);
        let first = b.compare(IntPredicate::LLVMIntNE, here, word.zero());
        let gap = self.gap(operands[0], operands[1]);
        let nearer = b.compare(IntPredicate::LLVMIntULT, gap, there);
        let near = b.or(first, nearer);
        let rest = b.split_before(after);
        self.report(near, rest, number, record, operands);
    }

    /// How many numbers lie between two values, as an unsigned word.
    fn gap(&self, x: Value, y: Value) -> Value {
        let b = &self.builder;
        let (x, y) = (self.ordinal(x), self.ordinal(y));
        let less = b.compare(IntPredicate::LLVMIntSLT, x, y);
        b.select(less, b.sub(y, x), b.sub(x, y))
    }

    /// Where a value stands among all of its type, as a signed word.
    fn ordinal(&self, value: Value) -> Value {
        let b = &self.builder;
        let word = self.module.integer(64);
        match value.ty().kind() {
            TypeKind::Float(_) => {
                let (bits, width) = self.bits(value);
                let magnitude = self.magnitude(value);
                let negative = b.compare(
                    IntPredicate::LLVMIntNE,
                    b.shift_right(bits, u64::from(width - 1)),
                    bits.ty().zero(),
                );
                b.select(negative, b.sub(word.zero(), magnitude), magnitude)
            }
            _ => b.resize_signed(value, word),
        }
    }
}
