//! Running a program on ranges: blocks in order, loops unrolled as long as that pays and
//! then to a fixpoint, calls entered with what is known at the call.

use crate::arithmetic::{Modes, Order};
use crate::contexts::{Contexts, Made, Place, Recursions};
use crate::evaluate;
use crate::exceptions::Exceptions;
use crate::fraction::{self, Origin};
use crate::grain::WHOLE;
use crate::landmarks::Landmarks;
use crate::linear::Linear;
use crate::memory::{Contents, Globals, Memory};
use crate::plain::Plain;
use crate::record::Record;
use crate::refine::Refinement;
use crate::relation::Relation;
use crate::shape::{Element, Loop, Shape, operands};
use crate::slices::{Run, Slices};
use crate::state::State;
use crate::value::{ObjectId, Pointers, Value};
use crate::waiting::Waiting;
use nanoscope_ieee::Operation;
use nanoscope_program::ir::{
    Act, BlockId, Code, Constant, Edge, End, Function, FunctionId, Instruction, Operand, Register,
    Type,
};
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How far an analysis goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// How often a loop is unrolled whose end is certain each time.
    pub unroll: u32,
    /// How often a loop is unrolled that may end or go on.
    pub guess: u32,
    /// How deep calls are entered.
    pub depth: u32,
    /// In how many contexts a function is looked at before one is made for all others.
    pub contexts: usize,
    /// How often a function is active at once before one context stands for all calls of it.
    pub nested: usize,
    /// How many ways to a block are told apart, and how many of them a loop is run for.
    pub ways: usize,
    pub loops: usize,
    /// In how many parts of a context a small function is looked at.
    pub parts: usize,
    /// How many instructions are run.
    pub steps: u64,
}

/// When an analysis has to end.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// By the clock on the wall.
    pub deadline: Option<Instant>,
    /// By a clock that tells the processor time of this thread.
    pub processor: Option<(Duration, fn() -> Duration)>,
}

impl Limits {
    /// How long it is until then.
    pub fn left(&self) -> Duration {
        let wall = self.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let processor = self.processor.map(|(end, clock)| end.saturating_sub(clock()));
        wall.into_iter().chain(processor).min().unwrap_or(Duration::MAX)
    }

    /// Whether that is now.
    pub fn over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.processor.is_some_and(|(limit, clock)| clock() >= limit)
    }
}

/// What a function gives back: its result and the memory it leaves.
pub type Returned = Option<(Value, Memory)>;

/// The machine: a program and what was seen of it.
pub struct Machine<'c> {
    pub code: &'c Code,
    pub globals: Globals<'c>,
    pub constants: Rc<Vec<Value>>,
    pub modes: Modes,
    pub effort: Effort,
    pub limits: Limits,
    /// What was seen in the code of the function being run.
    pub record: Record,
    /// Whether what is seen now will be true in the end.
    pub recording: bool,
    pub landmarks: Rc<Landmarks>,
    shapes: Vec<Option<Rc<Shape>>>,
    plain: Plain<'c>,
    slices: Slices,
    pub steps: u64,
    /// Why the analysis cannot say anything, if so.
    pub stopped: Option<String>,
    /// The functions being run, outermost first.
    pub active: Vec<FunctionId>,
    pub reached: Option<Rc<crate::calls::CallGraph>>,
    /// What is known of each function.
    pub contexts: Vec<Contexts>,
    /// The calls that the function being run has made.
    pub made: Vec<Made>,
    /// The functions that call themselves.
    pub recursions: Recursions,
    /// Where the call stands that is being run.
    pub place: Place,
}

/// A function being run.
pub struct Frame<'c> {
    pub id: FunctionId,
    pub function: &'c Function,
    pub shape: Rc<Shape>,
    /// What its caller told of registers.
    told: Vec<(Register, Value)>,
    /// What waits at the start of each block.
    pending: Vec<Waiting>,
    returned: Option<Rc<(Value, Memory)>>,
    /// The loops being run, and whether anything left them in this round.
    loops: Vec<(Rc<[bool]>, bool)>,
    /// How many blocks are being run for one edge alone.
    apart: u32,
}

/// How many blocks in a row are run for one edge alone.
const MOST_APART: u32 = 8;

/// A loop that may end or go on is unrolled further as long as that takes no more steps.
const CHEAP: u64 = 2000;

/// How often what comes round a loop is joined with what came before, and how often that is
/// widened to landmarks before its ranges go to the end of everything.
const WIDENED: (u32, u32) = (2, 24);

/// A loop that takes more steps in a few rounds is dear: it calls much, with other numbers each
/// time. It is unrolled no further, and comes to its fixpoint on the shortest way.
const DEAR: u64 = 60_000;
const WIDENED_IF_DEAR: (u32, u32) = (0, 2);

/// Whether control goes on after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// It does.
    On,
    /// It does not: the program stops, or what was assumed cannot be.
    Ends,
}

impl<'c> Machine<'c> {
    /// A machine for a program.
    pub fn new(
        code: &'c Code,
        constants: Rc<Vec<Value>>,
        landmarks: Rc<Landmarks>,
        modes: Modes,
        effort: Effort,
        limits: Limits,
    ) -> Machine<'c> {
        Machine {
            code,
            globals: Globals::new(code),
            constants,
            modes,
            effort,
            limits,
            record: Record::default(),
            recording: true,
            landmarks,
            shapes: vec![None; code.functions.len()],
            plain: Plain::new(code),
            slices: Slices::default(),
            steps: 0,
            stopped: None,
            active: Vec::new(),
            reached: None,
            contexts: code.functions.iter().map(|_| Contexts::default()).collect(),
            made: Vec::new(),
            recursions: Recursions::default(),
            place: None,
        }
    }

    pub fn shape(&mut self, id: FunctionId) -> Rc<Shape> {
        let slot = &mut self.shapes[id.0 as usize];
        Rc::clone(
            slot.get_or_insert_with(|| Rc::new(Shape::of(self.code.function(id), Some(self.code)))),
        )
    }

    /// Whether the analysis has to end now.
    fn over(&mut self) -> bool {
        self.steps += 1;
        if self.stopped.is_none() {
            if self.steps > self.effort.steps {
                self.stopped = Some("the analysis of ranges ran out of steps".into());
            } else if self.steps.is_multiple_of(64) && self.limits.over() {
                self.stopped = Some("the analysis of ranges ran out of time".into());
            }
        }
        self.stopped.is_some()
    }

    /// Runs a function, whatever is known of it.
    pub fn run_function(
        &mut self,
        id: FunctionId,
        arguments: &[Value],
        memory: Memory,
    ) -> Returned {
        let function = self.code.function(id);
        let mut state = State::new(memory);
        for (i, parameter) in function.parameters.iter().enumerate() {
            let value = arguments.get(i).map_or(Value::Anything, |value| value.cast(&parameter.ty));
            state.registers.set(Register(i as u32), value);
        }
        self.active.push(id);
        let shape = self.shape(id);
        let told = arguments.iter().skip(function.parameters.len());
        let told = shape.questions.iter().map(|question| question.register).zip(told);
        let told = told.filter(|(_, answer)| !matches!(answer, Value::Anything));
        let mut frame = Frame {
            told: told.map(|(register, answer)| (register, answer.clone())).collect(),
            id,
            function,
            shape: Rc::clone(&shape),
            pending: vec![Waiting::default(); function.blocks.len()],
            returned: None,
            loops: Vec::new(),
            apart: 0,
        };
        frame.pending[0] = Waiting::one(Rc::new(state));
        self.run(&mut frame, &shape.order);
        self.active.pop();
        frame.returned.map(Rc::unwrap_or_clone).map(|(value, mut memory)| {
            memory.leave();
            (value, memory)
        })
    }

    fn run(&mut self, frame: &mut Frame<'c>, elements: &[Element]) {
        for element in elements {
            if self.stopped.is_some() {
                return;
            }
            match element {
                Element::Block(block) => {
                    for state in frame.pending[block.0 as usize].take() {
                        self.block(frame, *block, Rc::unwrap_or_clone(state));
                    }
                }
                Element::Loop(inner) => self.run_loop(frame, inner),
            }
        }
    }

    /// Runs a loop: unrolled first, then to a fixpoint.
    fn run_loop(&mut self, frame: &mut Frame<'c>, inner: &Loop) {
        let waiting = std::mem::take(&mut frame.pending[inner.head.0 as usize]);
        for state in waiting.most(self.effort.loops, &self.globals) {
            self.run_loop_from(frame, inner, state);
        }
    }

    fn run_loop_from(&mut self, frame: &mut Frame<'c>, inner: &Loop, mut current: Rc<State>) {
        let head = inner.head.0 as usize;
        let members: Rc<[bool]> = inner.members.clone().into();
        let (mut rounds, mut guesses) = (0, 0);
        let begun = self.steps;
        while rounds < self.effort.unroll
            && (guesses < self.effort.guess || self.steps - begun < CHEAP)
            && self.steps - begun <= DEAR.max(u64::from(rounds) * CHEAP)
        {
            let (back, left) = self.round(frame, inner, &members, Rc::clone(&current));
            rounds += 1;
            guesses += u32::from(left);
            match back {
                Some(back) if self.stopped.is_none() => current = back,
                Some(_) | None => return,
            }
        }
        let entry = Rc::clone(&current);
        let recording = std::mem::replace(&mut self.recording, false);
        let waiting = (frame.pending.clone(), frame.returned.clone());
        let restore = |frame: &mut Frame<'c>| {
            (frame.pending, frame.returned) = waiting.clone();
        };
        let mut count = 0;
        let begun = self.steps;
        let mut dear;
        loop {
            let (back, _) = self.round(frame, inner, &members, Rc::clone(&current));
            restore(frame);
            dear = self.steps - begun > DEAR;
            if self.stopped.is_some() {
                break;
            }
            let Some(back) = back else { break };
            if back.within(&current, &self.globals) {
                break;
            }
            count += 1;
            let none = Landmarks::NONE;
            let (joined, widened) = if dear { WIDENED_IF_DEAR } else { WIDENED };
            let landmarks = if count > widened { &none } else { &*self.landmarks };
            current = Rc::new(if count <= joined {
                current.join(&back, &self.globals)
            } else {
                current.widen(&back, &self.globals, landmarks)
            });
        }
        // From a fixpoint on, going round again only takes away what cannot be.
        for _ in 0..2 {
            if self.stopped.is_some() || dear {
                break;
            }
            let (back, _) = self.round(frame, inner, &members, Rc::clone(&current));
            restore(frame);
            current = match back {
                Some(back) => Rc::new(entry.join(&back, &self.globals)),
                None => Rc::clone(&entry),
            };
        }
        self.recording = recording;
        self.round(frame, inner, &members, current);
        frame.pending[head] = Waiting::default();
    }

    /// Goes round a loop once: what comes back to its head, and whether anything left.
    fn round(
        &mut self,
        frame: &mut Frame<'c>,
        inner: &Loop,
        members: &Rc<[bool]>,
        state: Rc<State>,
    ) -> (Option<Rc<State>>, bool) {
        frame.loops.push((Rc::clone(members), false));
        frame.pending[inner.head.0 as usize] = Waiting::default();
        self.block(frame, inner.head, Rc::unwrap_or_clone(state));
        self.run(frame, &inner.body);
        let (_, left) = frame.loops.pop().expect("just pushed");
        let back = std::mem::take(&mut frame.pending[inner.head.0 as usize]);
        (back.most(1, &self.globals).into_iter().next(), left)
    }

    /// Runs a block.
    fn block(&mut self, frame: &mut Frame<'c>, block: BlockId, mut state: State) {
        if self.recording {
            self.record.blocks.insert((frame.id, block));
        }
        let function = frame.function;
        let text = function.block(block);
        state.registers.reserve(text.instructions.len());
        for (position, instruction) in text.instructions.iter().enumerate() {
            if self.over() {
                return;
            }
            if self.step(frame, &mut state, instruction, block, position) == Flow::Ends {
                return;
            }
        }
        if self.over() {
            return;
        }
        self.record.clipped |= state.memory.clipped && self.recording;
        self.end(frame, &text.end, state);
    }

    fn end(&mut self, frame: &mut Frame<'c>, end: &End, state: State) {
        match end {
            End::Return(operand) => {
                let value = operand.map_or(Value::Anything, |o| self.operand(&state, o));
                frame.loops.iter_mut().for_each(|(_, left)| *left = true);
                frame.returned = Some(Rc::new(match frame.returned.take() {
                    None => (value, state.memory),
                    Some(old) => {
                        let (old_value, old_memory) = Rc::unwrap_or_clone(old);
                        (old_value.join(&value), old_memory.join(&state.memory, &self.globals))
                    }
                }));
            }
            End::Jump(edge) => self.follow(frame, edge, state),
            End::Branch { condition, then, otherwise } => {
                let [no, yes] = self.both_ways(frame, state, *condition);
                if let Some(yes) = yes {
                    self.follow(frame, then, yes);
                }
                if let Some(no) = no {
                    self.follow(frame, otherwise, no);
                }
            }
            End::Switch { on, cases, default } => {
                let mut rest = state;
                let mut possible = true;
                for (constant, edge) in cases {
                    let value = self.constants[constant.0 as usize].clone();
                    let mut taken = rest.clone();
                    if possible && self.learn(frame, &mut taken, *on, &value) {
                        self.follow(frame, edge, taken);
                    }
                    // The others go on without it.
                    if let (Value::Integer(known), Value::Integer(case)) =
                        (self.operand(&rest, *on), &value)
                        && known.bits == case.bits
                    {
                        let (left, _) = crate::integers::refined(
                            nanoscope_program::ir::IntegerPredicate::NotEqual,
                            &known,
                            case,
                        );
                        possible = possible
                            && !left.is_empty()
                            && self.learn(frame, &mut rest, *on, &Value::Integer(left));
                    }
                }
                if possible {
                    self.follow(frame, default, rest);
                }
            }
            End::Computed { edges, .. } => {
                for (_, edge) in edges {
                    self.follow(frame, edge, state.clone());
                }
            }
            End::Unreachable => {}
            End::Unknown(text) => {
                self.stopped = Some(format!("`{text}` is not followed"));
            }
        }
    }

    /// Learns that an operand is (at most) a value; false if it cannot be.
    pub fn learn(
        &self,
        frame: &Frame<'c>,
        state: &mut State,
        operand: Operand,
        value: &Value,
    ) -> bool {
        let refinement = Refinement {
            function: frame.function,
            shape: &frame.shape,
            constants: &self.constants,
            modes: self.modes,
            plain: &self.plain,
        };
        refinement.learn(state, operand, value)
    }

    /// What is known where a truth value is false, and where it is true, if it can be.
    fn both_ways(&self, frame: &Frame<'c>, state: State, operand: Operand) -> [Option<State>; 2] {
        let truths = [Value::truth(true, false), Value::truth(false, true)];
        let known = state.registers.operand(operand, &self.constants);
        let states = match [0, 1].map(|at| !known.meet(&truths[at]).is_empty()) {
            [true, true] => [Some(state.clone()), Some(state)],
            [true, false] => [Some(state), None],
            [false, true] => [None, Some(state)],
            [false, false] => [None, None],
        };
        let mut truths = truths.iter();
        states.map(|state| {
            let truth = truths.next().expect("two of them");
            let mut state = state?;
            self.learn(frame, &mut state, operand, truth).then_some(state)
        })
    }

    /// Takes an edge.
    fn follow(&mut self, frame: &mut Frame<'c>, edge: &Edge, state: State) {
        let to = edge.to.0 as usize;
        for (members, left) in &mut frame.loops {
            *left |= !members[to];
        }
        // A truth value that comes along the edge tells which way control came: that is how
        // C's `&&` and `||` look. The block is run for each such edge, and for either truth.
        let tells =
            |register: &Register| frame.function.registers[register.0 as usize] == Type::Integer(1);
        let truth = edge.moves.iter().find(|(register, _)| tells(register));
        if let Some((_, source)) = truth
            && !frame.shape.heads[to]
            && frame.apart < MOST_APART
        {
            frame.apart += 1;
            for state in self.both_ways(frame, state, *source).into_iter().flatten() {
                let state = self.along(frame, edge, state);
                self.block(frame, edge.to, state);
            }
            frame.apart -= 1;
            return;
        }
        let state = self.along(frame, edge, state);
        frame.pending[to].add(state, self.effort.ways, &self.globals);
    }

    /// The state at the end of an edge.
    fn along(&self, frame: &Frame<'c>, edge: &Edge, state: State) -> State {
        let constant = |operand| match operand {
            Operand::Constant(id) => Some(match self.code.constant(id) {
                (ty, Constant::Undefined(_)) => Value::unset(ty),
                _ => self.constants[id.0 as usize].clone(),
            }),
            Operand::Register(_) => None,
        };
        let live = &frame.shape.live[edge.to.0 as usize];
        // Once round a loop, what a whole part is of may be another number.
        let again = frame.shape.heads[edge.to.0 as usize];
        let mut wholes = Vec::new();
        for (to, from) in edge.moves.iter().filter(|(to, _)| live.binary_search(to).is_ok()) {
            if let Type::Float(format) = frame.function.registers[to.0 as usize]
                && let Some(whole) =
                    self.origin(frame, &state, |origin| origin.whole(*from, format))
            {
                wholes.push((*to, whole));
            }
        }
        let mut state = state.along(edge, live, constant);
        state.wholes.extend(wholes);
        if again {
            state.wholes.clear();
        }
        state
    }

    /// Asks where values come from.
    fn origin<T>(&self, frame: &Frame<'c>, state: &State, ask: impl FnOnce(&Origin) -> T) -> T {
        let value = |operand| self.operand(state, operand);
        let (function, shape) = (frame.function, &*frame.shape);
        ask(&Origin { function, shape, value: &value, wholes: &state.wholes })
    }

    /// The value of an operand.
    pub fn operand(&self, state: &State, operand: Operand) -> Value {
        match operand {
            Operand::Register(register) => state.get(register),
            Operand::Constant(id) => self.constants[id.0 as usize].clone(),
        }
    }

    /// The type of an operand.
    pub fn operand_type(&self, function: &'c Function, operand: Operand) -> &'c Type {
        match operand {
            Operand::Register(register) => &function.registers[register.0 as usize],
            Operand::Constant(id) => &self.code.constant(id).0,
        }
    }

    /// Runs an instruction.
    fn step(
        &mut self,
        frame: &mut Frame<'c>,
        state: &mut State,
        instruction: &'c Instruction,
        block: BlockId,
        position: usize,
    ) -> Flow {
        let list = operands(&instruction.act);
        let constants = Rc::clone(&self.constants);
        let values = state.registers.operands(&list, &constants);
        let result_type = match instruction.result {
            Some(register) => &frame.function.registers[register.0 as usize],
            None => &Type::Void,
        };
        let ty = match &instruction.act {
            Act::Store { .. } => &Type::Void,
            _ => result_type,
        };
        let order = match &*list {
            [a, b] if self.modes == Modes::Nearest && frame.shape.alike(*a, *b) => {
                Order { same: true, ..Order::default() }
            }
            [a, b] => state.order(*a, *b),
            _ => Default::default(),
        };
        if let Some(mut computed) =
            evaluate::evaluate(self.modes, &instruction.act, &values, ty, order)
        {
            if instruction
                .result
                .is_some_and(|register| frame.shape.shared.get(&register).is_some())
            {
                let linear = Linear {
                    function: frame.function,
                    shape: &frame.shape,
                    constants: &self.constants,
                    modes: self.modes,
                    state,
                };
                linear.sharpen(&instruction.act, &mut computed);
            }
            if matches!(ty, Type::Float(_)) {
                let rest =
                    self.origin(frame, state, |origin| origin.rest(self.modes, &instruction.act));
                if let Some(rest) = rest {
                    fraction::restrict(&mut computed.value, &mut computed.raised, &rest);
                }
            }
            if self.effort.parts > 1
                && self.modes == Modes::Nearest
                && let Some(result) = instruction.result
                && let Some(slice) = frame.shape.slices.get(&result)
            {
                let (function, acts) = (frame.function, Cell::new(0));
                let run = Run { function, slice, constants: &constants, acts };
                let from = state.registers.known(slice.from);
                self.slices.sharpen(frame.id, result, &run, from, &mut computed, self.steps);
            }
            if !frame.told.is_empty()
                && let Some(register) = instruction.result
                && let Some((_, told)) = frame.told.iter().find(|(known, _)| *known == register)
            {
                computed.is_told(told);
            }
            if let (Some(register), Modes::Nearest) = (instruction.result, self.modes) {
                for twin in frame.shape.twins(register) {
                    if let Some(known @ Value::Float(_)) = state.registers.get(twin) {
                        computed.is_told(known);
                    }
                }
            }
            let operands = values.iter().copied();
            self.site(instruction, operands, Some(&computed.value), computed.raised);
            if let Act::Convert {
                conversion: nanoscope_program::ir::IntegerConversion::FromPointer,
                ..
            } = &instruction.act
            {
                state.memory.escapes(values[0]);
            }
            if let Some(register) = instruction.result {
                if computed.value.is_empty() {
                    return Flow::Ends;
                }
                let whole = already_whole(&instruction.act, &values);
                state.set(register, computed.value);
                if let Some(of) = whole {
                    state.relate(register, of, Relation::NOT_APART);
                }
            }
            return Flow::On;
        }
        match &instruction.act {
            Act::Allocate { size, .. } => {
                let register = instruction.result.map_or(0, |r| r.0);
                let object = ObjectId::Allocated {
                    function: frame.id,
                    register: register + frame.function.parameters.len() as u32,
                    heap: false,
                };
                let count = match values[0] {
                    Value::Integer(count) => count.single().and_then(|n| u64::try_from(n).ok()),
                    Value::Anything
                    | Value::Zeros
                    | Value::Float(_)
                    | Value::Pointer(_)
                    | Value::Parts(_) => None,
                };
                let bytes = count.and_then(|count| count.checked_mul(*size));
                state.memory.allocate(object, Contents::unknown(bytes));
                self.assign(state, instruction, Value::pointer(Pointers::to(object)));
                Flow::On
            }
            Act::Load { ty, address: _ } => {
                let value = state.memory.load(&values[0].pointers(), ty, &self.globals);
                self.assign(state, instruction, value);
                Flow::On
            }
            Act::Store { ty, .. } => {
                let value = values[1].cast(ty);
                state.memory.store(&values[0].pointers(), ty, &value, &self.globals);
                Flow::On
            }
            Act::Call { callee, arguments, types } => {
                if self.recording {
                    self.record.calls.insert((frame.id, block, position));
                }
                self.place = Some((frame.id, block, position));
                self.call(frame, state, instruction, callee, arguments, types)
            }
            Act::Special { special, .. } => {
                let values: Vec<Value> = values.iter().copied().cloned().collect();
                self.special(frame, state, instruction, special, &list, &values)
            }
            Act::Unknown { .. } => {
                self.site(instruction, &[], None, Exceptions::ALL);
                let values: Vec<Value> = values.iter().copied().cloned().collect();
                self.foreign_code(state, &values);
                self.assign(state, instruction, Value::top(result_type));
                Flow::On
            }
            Act::Integer { .. }
            | Act::IntegerUnary { .. }
            | Act::FunnelShift { .. }
            | Act::IntegerCompare { .. }
            | Act::Convert { .. }
            | Act::Float { .. }
            | Act::FloatCompare { .. }
            | Act::Classify { .. }
            | Act::Select { .. }
            | Act::Freeze { .. }
            | Act::Offset { .. }
            | Act::Lane { .. }
            | Act::SetLane { .. }
            | Act::Shuffle { .. }
            | Act::Member { .. }
            | Act::SetMember { .. } => unreachable!("what only computes was computed"),
        }
    }

    /// Assigns an instruction's result.
    pub fn assign(&self, state: &mut State, instruction: &Instruction, value: Value) {
        if let Some(register) = instruction.result {
            state.set(register, value);
        }
    }

    /// Records what came to a site.
    pub fn site<'v, V>(
        &mut self,
        instruction: &Instruction,
        operands: V,
        result: Option<&Value>,
        raised: Exceptions,
    ) where
        V: IntoIterator<Item = &'v Value, IntoIter: Clone>,
    {
        let (Some(site), true) = (instruction.site, self.recording) else { return };
        let function = *self.active.last().expect("a function is running");
        self.record.site(site, function, operands.into_iter(), result, raised);
    }
}

/// The register that an act rounds to a whole number, where it is one already.
fn already_whole(act: &Act, values: &[&Value]) -> Option<Register> {
    let Act::Float { operation, operands, .. } = act else { return None };
    let rounds = matches!(operation, Operation::RoundToIntegral | Operation::RoundToIntegralExact);
    match (operands.first(), values.first()) {
        (Some(Operand::Register(of)), Some(Value::Float(floats)))
            if rounds && floats.get().coarsest() >= WHOLE =>
        {
            Some(*of)
        }
        (_, _) => None,
    }
}
