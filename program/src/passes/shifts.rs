//! Shifts that an optimiser computes in advance.
//!
//! To LLVM a shift by the width or more is no failure: its result is poison, and only what the
//! program then does with it is one. So optimisers move shifts before the branches that guard them,
//! and select. Of a shift whose result is selected, or used in another block, this follows the
//! result as MemorySanitizer follows uninitialised memory: beside each value computed from it stands
//! whether that value is poison, and where one is stored, returned, branched on or passed,
//! `nanoscope_overshift_where` is told. The shift itself becomes one by the amount modulo the width,
//! as x86 has it. What stands before a use in its own block is left as it is: it is always used.

use crate::llvm::{Builder, IntPredicate, Module, Opcode, TypeKind, Value};
use std::collections::HashMap;

/// Told whether a poisoned value got to where it matters: a function from an `int` to nothing.
pub(crate) const TOLD: &str = "nanoscope_overshift_where";

/// A result that is computed from more values than this is not followed.
const MOST_VALUES: usize = 200;

/// Where the result of a shift goes.
struct Flow {
    /// The shift, and what is computed from it, in the order of distance.
    values: Vec<Value>,
    /// Instructions that do something with one of these, and which.
    uses: Vec<(Value, Value)>,
    /// Whether what becomes of it there, or elsewhere, is not followed.
    open: bool,
}

/// Rewrites every shift that may be computed in advance; if `judged`, with what tells where a
/// poisoned result is used.
pub(crate) fn settle(module: &Module, judged: bool) {
    for function in module.functions().into_iter().filter(|it| !it.is_declaration()) {
        let all = function.blocks().into_iter().flat_map(|block| block.instructions());
        for shift in all.filter(|it| is_shift(*it)).collect::<Vec<Value>>() {
            let Some(width) = loose_width(shift) else { continue };
            let flow = flow(shift);
            if flow.is_certain() {
                continue;
            }
            let builder = Builder::new(module);
            builder.before(shift);
            builder.place_as(shift);
            let amount = shift.operand(1);
            if judged && !flow.open {
                let beyond = builder.compare(
                    IntPredicate::LLVMIntUGE,
                    amount,
                    amount.ty().repeated(u64::from(width)),
                );
                let known = HashMap::from([(shift, beyond)]);
                Poison { module, builder: &builder, flow: &flow, known }.tell();
            }
            builder.before(shift);
            builder.place_as(shift);
            let turn = amount.ty().repeated(u64::from(width));
            shift.set_operand(1, builder.binary(Opcode::LLVMURem, amount, turn));
        }
    }
}

fn is_shift(instruction: Value) -> bool {
    let shifts = [Opcode::LLVMShl, Opcode::LLVMLShr, Opcode::LLVMAShr];
    instruction.opcode().is_some_and(|opcode| shifts.contains(&opcode))
}

/// The width of what is shifted, unless a constant keeps the amount below it.
fn loose_width(shift: Value) -> Option<u32> {
    let amount = shift.operand(1);
    let width = match amount.ty().kind() {
        TypeKind::Integer(bits) => bits,
        TypeKind::Vector(lane, _) => match lane.kind() {
            TypeKind::Integer(bits) => bits,
            _ => return None,
        },
        _ => return None,
    };
    let small = |it: Value| it.as_integer().is_some_and(|by| (0..i64::from(width)).contains(&by));
    let lanes = lanes(amount).unwrap_or(1);
    let constant = small(amount)
        || amount.is_constant()
            && (0..lanes).all(|lane| amount.constant_element(lane).is_some_and(small));
    (!constant).then_some(width)
}

/// How a value takes part in what is computed.
enum Part {
    /// It is an operand: what is poison stays it.
    Computes,
    /// It is made fit for any use.
    Frozen,
    /// Something is done with it.
    Used,
    /// Whatever becomes of it, it is not followed.
    Lost,
}

impl Flow {
    /// Whether the result is used wherever it is computed.
    fn is_certain(&self) -> bool {
        let home = self.values[0].block();
        let chosen = |it: &Value| {
            matches!(it.opcode(), Some(Opcode::LLVMSelect | Opcode::LLVMPHI)) || it.block() != home
        };
        self.values.len() <= MOST_VALUES
            && !self.values.iter().any(chosen)
            && self.uses.iter().all(|(user, _)| user.block() == home)
    }

    /// The place in the source that the shift has, or what is computed from it, or what is done
    /// with that: optimisers take it from what they move.
    fn place(&self, used: Value) -> Value {
        let located = |it: &Value| it.location().line > 0;
        let beside = used.block().instructions();
        let candidates = self.values.iter().chain([&used]).chain(&beside);
        candidates.copied().find(located).unwrap_or(used)
    }
}

fn flow(shift: Value) -> Flow {
    let mut flow = Flow { values: vec![shift], uses: Vec::new(), open: false };
    let mut at = 0;
    while at < flow.values.len() {
        let value = flow.values[at];
        for user in value.users() {
            match part(value, user) {
                Part::Computes if !flow.values.contains(&user) => flow.values.push(user),
                Part::Used if !flow.uses.contains(&(user, value)) => flow.uses.push((user, value)),
                Part::Computes | Part::Used | Part::Frozen => {}
                Part::Lost => {
                    flow.uses.push((user, value));
                    flow.open = true;
                }
            }
        }
        at += 1;
        if flow.values.len() > MOST_VALUES {
            flow.open = true;
            break;
        }
    }
    flow
}

/// The lanes of a vector.
fn lanes(value: Value) -> Option<u32> {
    match value.ty().kind() {
        TypeKind::Vector(_, lanes) => Some(lanes),
        _ => None,
    }
}

fn part(value: Value, user: Value) -> Part {
    use Opcode::*;
    let Some(opcode) = user.opcode() else { return Part::Lost };
    let lane_by_lane = match opcode {
        LLVMFreeze => return Part::Frozen,
        LLVMAdd | LLVMSub | LLVMMul | LLVMAnd | LLVMOr | LLVMXor | LLVMShl | LLVMLShr
        | LLVMAShr | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem | LLVMFNeg | LLVMICmp
        | LLVMFCmp | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMSIToFP | LLVMUIToFP | LLVMFPToSI
        | LLVMFPToUI | LLVMFPTrunc | LLVMFPExt | LLVMPtrToInt | LLVMIntToPtr
        | LLVMGetElementPtr | LLVMSelect | LLVMPHI => true,
        // A divisor that is poison is a failure.
        LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => user.operand(1) != value,
        LLVMExtractElement => {
            let known = user.operand(1).as_integer().is_some();
            return if known { Part::Computes } else { Part::Lost };
        }
        LLVMInsertElement | LLVMShuffleVector | LLVMBitCast => return Part::Lost,
        LLVMCall if user.called_value().name().starts_with("llvm.") => return Part::Lost,
        _ => return Part::Used,
    };
    let chosen_at_once = opcode == LLVMSelect && user.operand(0) == value;
    if !lane_by_lane {
        Part::Used
    } else if lanes(value) == lanes(user) || chosen_at_once && lanes(value).is_none() {
        Part::Computes
    } else {
        Part::Lost
    }
}

/// Whether values are poison, beside these.
struct Poison<'m> {
    module: &'m Module,
    builder: &'m Builder<'m>,
    flow: &'m Flow,
    known: HashMap<Value, Value>,
}

impl Poison<'_> {
    /// Tells of every use.
    fn tell(&mut self) {
        for value in &self.flow.values {
            self.of(*value);
        }
        for phi in &self.flow.values {
            if phi.opcode() == Some(Opcode::LLVMPHI) {
                let beside = self.known[phi];
                for (value, block) in phi.incoming() {
                    beside.add_incoming(self.of(value), block);
                }
            }
        }
        let int = self.module.integer(32);
        let told = self.module.function_type(self.module.void(), &[int]);
        let told = self.module.add_function(TOLD, told);
        for (user, value) in &self.flow.uses {
            let poison = self.of(*value);
            self.builder.before(*user);
            self.builder.place_as(self.flow.place(*user));
            let any = (0..lanes(poison).unwrap_or(0))
                .map(|lane| self.builder.lane(poison, lane))
                .reduce(|one, other| self.builder.or(one, other))
                .unwrap_or(poison);
            self.builder.call(told, &[self.builder.resize(any, int)]);
        }
    }

    /// Whether a value is poison, lane by lane.
    fn of(&mut self, value: Value) -> Value {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let truth = self.module.integer(1);
        let ty = lanes(value).map_or(truth, |lanes| truth.vector(lanes));
        if !self.flow.values.contains(&value) {
            return ty.zero();
        }
        if value.opcode() == Some(Opcode::LLVMPHI) {
            self.builder.before(value);
            self.builder.place_as(value);
            let beside = self.builder.phi(ty);
            self.known.insert(value, beside);
            return beside;
        }
        let operands = value.operands();
        let parts: Vec<Value> = operands
            .iter()
            .filter(|it| self.flow.values.contains(it))
            .map(|it| self.of(*it))
            .collect();
        let sides = match value.opcode() {
            Some(Opcode::LLVMSelect) => [1, 2].map(|side| self.of(operands[side])),
            _ => [ty.zero(); 2],
        };
        self.builder.before(value.next().expect("no terminator is computed from a value"));
        self.builder.place_as(value);
        let beside = match value.opcode() {
            Some(Opcode::LLVMSelect) => {
                let [yes, no] = sides;
                let chosen = self.builder.select(operands[0], yes, no);
                if self.flow.values.contains(&operands[0]) {
                    let condition = self.of(operands[0]);
                    let always = ty.ones();
                    self.builder.select(condition, always, chosen)
                } else {
                    chosen
                }
            }
            Some(Opcode::LLVMExtractElement) => {
                let lane = operands[1].as_integer().expect("a known lane");
                self.builder.lane(parts[0], lane as u32)
            }
            _ => parts
                .iter()
                .copied()
                .reduce(|one, other| self.builder.or(one, other))
                .expect("computed from one of the values"),
        };
        self.known.insert(value, beside);
        beside
    }
}
