//! The abstract interpreter: functions, blocks and branches.

use crate::calls::graph::CallGraph;
use crate::calls::summary::{CallSite, Contexts, Made, Recursions};
use crate::domain::assume::Refinement;
use crate::domain::memo::Memo;
use crate::domain::point::{Bisections, Domains, Text};
use crate::domain::pure_functions::PureFunctions;
use crate::domain::recurrences::Recurrences;
use crate::domain::state::State;
use crate::exceptions::Exceptions;
use crate::fixpoint::partitions::Partitions;
use crate::fixpoint::thresholds::Thresholds;
use crate::fixpoint::unbounded::Unbounded;
use crate::function::facts::FunctionFacts;
use crate::function::liveness;
use crate::integers;
use crate::memory::{Globals, Memory};
use crate::policy::{
    Effort, Limits, MOST_SPLIT_EDGES, MOST_SPLIT_SELECTIONS, PARTITIONS_OF_SELECTIONS,
    STEPS_BETWEEN_CLOCKS,
};
use crate::record::Record;
use crate::value::AbstractValue;
use nanoscope_program::ir::{
    Act, BlockId, Code, Constant, Edge, End, Function, FunctionId, Instruction, IntegerPredicate,
    Operand, Register, Type,
};
use nanoscope_sets::Modes;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The interpreter of one program.
pub struct Interpreter<'c> {
    pub code: &'c Code,
    pub globals: Globals<'c>,
    pub constants: Rc<Vec<AbstractValue>>,
    pub modes: Modes,
    pub effort: Effort,
    pub limits: Limits,
    /// What was recorded in the code of the function being run.
    pub record: Record,
    /// False during fixpoint iteration: nothing is recorded yet.
    pub recording: bool,
    pub thresholds: Rc<Thresholds>,
    /// What is true in every run over the program.
    pub learnt: Learnt<'c>,
    bisections: RefCell<Bisections>,
    /// The domains that are switched on.
    pub domains: Domains,
    pub steps: u64,
    /// Why the analysis cannot say anything, if so.
    pub stopped: Option<String>,
    /// The functions being run, outermost first.
    pub active: Vec<FunctionId>,
    /// The contexts of each function.
    pub contexts: Vec<Contexts>,
    /// The calls that the function being run has made.
    pub made: Vec<Made>,
    /// The functions that call themselves.
    pub recursions: Recursions,
    /// The call site of the function being run.
    pub call_site: CallSite,
}

/// What runs over a program learn of it that serves the next.
pub struct Learnt<'c> {
    code: &'c Code,
    facts: Vec<Option<Rc<FunctionFacts>>>,
    pure: PureFunctions<'c>,
    pub call_graph: Option<Rc<CallGraph>>,
    /// Loops that acceleration was tried on in vain, and how often.
    pub vain_accelerations: HashMap<(FunctionId, BlockId), u32>,
    /// Loops whose variables grow without bounds that acceleration finds, and why.
    pub unbounded: BTreeMap<(FunctionId, BlockId), Unbounded>,
    memo: RefCell<Memo>,
}

impl<'c> Learnt<'c> {
    /// Nothing yet.
    pub fn new(code: &'c Code) -> Learnt<'c> {
        Learnt {
            code,
            facts: vec![None; code.functions.len()],
            pure: PureFunctions::new(code),
            call_graph: None,
            vain_accelerations: HashMap::new(),
            unbounded: BTreeMap::new(),
            memo: RefCell::default(),
        }
    }
}

/// A function being run.
pub struct Frame<'c> {
    pub id: FunctionId,
    pub function: &'c Function,
    pub facts: Rc<FunctionFacts>,
    /// Facts from its caller.
    pub caller_facts: Vec<(Register, AbstractValue)>,
    /// The states at the start of each block that are still to be run.
    pub pending: Vec<Partitions>,
    pub returned: Option<Rc<Leaving>>,
    /// The loops being run, and whether they may exit in this round.
    pub loops: Vec<(Rc<[bool]>, bool)>,
    /// The edges being run by themselves.
    split_edges: u32,
}

/// What a function returns: its result, the memory it leaves, and the recurrence that is followed
/// through it.
pub type Leaving = (AbstractValue, Memory, Recurrences);

/// Whether control continues after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// It does.
    On,
    /// It does not: the program stops, or the state is bottom.
    Ends,
}

impl<'c> Interpreter<'c> {
    /// An interpreter for a program.
    pub fn new(
        learnt: Learnt<'c>,
        constants: Rc<Vec<AbstractValue>>,
        thresholds: Rc<Thresholds>,
        modes: Modes,
        effort: Effort,
        limits: Limits,
        domains: Domains,
    ) -> Interpreter<'c> {
        let code = learnt.code;
        Interpreter {
            code,
            globals: Globals::new(code),
            constants,
            modes,
            effort,
            limits,
            record: Record::default(),
            recording: true,
            thresholds,
            learnt,
            bisections: RefCell::default(),
            domains,
            steps: 0,
            stopped: None,
            active: Vec::new(),
            contexts: code.functions.iter().map(|_| Contexts::default()).collect(),
            made: Vec::new(),
            recursions: Recursions::default(),
            call_site: None,
        }
    }

    /// The facts of a function's text.
    pub fn facts(&mut self, id: FunctionId) -> Rc<FunctionFacts> {
        let code = self.code;
        let facts = || Rc::new(FunctionFacts::of(code.function(id), Some(code)));
        Rc::clone(self.learnt.facts[id.0 as usize].get_or_insert_with(facts))
    }

    /// Whether the analysis has to end now.
    fn over(&mut self) -> bool {
        self.steps += 1;
        if self.stopped.is_none() {
            if self.steps > self.effort.steps {
                self.stopped = Some("the analysis of ranges ran out of steps".into());
            } else if self.steps.is_multiple_of(STEPS_BETWEEN_CLOCKS) && self.limits.over() {
                self.stopped = Some("the analysis of ranges ran out of time".into());
            }
        }
        self.stopped.is_some()
    }

    /// Runs a function in a context.
    pub fn run_function(
        &mut self,
        id: FunctionId,
        arguments: &[AbstractValue],
        memory: Memory,
        recurrences: Recurrences,
    ) -> Option<Leaving> {
        let function = self.code.function(id);
        let mut state = State::new(memory);
        state.domains.recurrences = recurrences;
        for (i, parameter) in function.parameters.iter().enumerate() {
            let value =
                arguments.get(i).map_or(AbstractValue::Anything, |value| value.cast(&parameter.ty));
            state.environment.set(Register(i as u32), value);
        }
        self.active.push(id);
        let facts = self.facts(id);
        let passed = arguments.iter().skip(function.parameters.len());
        let passed = facts.expressions.iter().map(|expression| expression.register).zip(passed);
        let passed = passed.filter(|(_, fact)| !matches!(fact, AbstractValue::Anything));
        let mut frame = Frame {
            caller_facts: passed.map(|(register, fact)| (register, fact.clone())).collect(),
            id,
            function,
            facts: Rc::clone(&facts),
            pending: vec![Partitions::default(); function.blocks.len()],
            returned: None,
            loops: Vec::new(),
            split_edges: 0,
        };
        frame.pending[0] = Partitions::one(Rc::new(state));
        self.run(&mut frame, &facts.order);
        self.active.pop();
        frame.returned.map(Rc::unwrap_or_clone).map(|(value, mut memory, recurrences)| {
            memory.leave();
            (value, memory, recurrences)
        })
    }

    /// Runs a block.
    pub fn block(&mut self, frame: &mut Frame<'c>, block: BlockId, mut state: State) {
        if self.recording {
            self.record.blocks.insert((frame.id, block));
        }
        let text = frame.function.block(block);
        state.environment.reserve(text.instructions.len());
        self.block_from(frame, block, 0, state, MOST_SPLIT_SELECTIONS);
    }

    /// Runs the rest of a block from a position. Where a float is selected, what follows is run for
    /// either truth of the condition, as after a branch, at most so many times in a row.
    fn block_from(
        &mut self,
        frame: &mut Frame<'c>,
        block: BlockId,
        first: usize,
        mut state: State,
        mut splits: u32,
    ) {
        let text = frame.function.block(block);
        for (position, instruction) in text.instructions.iter().enumerate().skip(first) {
            if self.over() {
                return;
            }
            if splits > 0
                && let Some(condition) = self.selects_on(frame, &state, instruction)
            {
                splits -= 1;
                let [no, yes] = self.branch(frame, state, condition);
                for state in [yes, no].into_iter().flatten() {
                    self.block_from(frame, block, position, state, splits);
                }
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

    /// The condition on which an instruction selects a float, if it is open and traces are
    /// partitioned.
    fn selects_on(
        &self,
        frame: &Frame<'c>,
        state: &State,
        instruction: &Instruction,
    ) -> Option<Operand> {
        let Act::Select { operands: [condition, ..] } = &instruction.act else { return None };
        let is_float = |register: Register| {
            matches!(frame.function.registers[register.0 as usize], Type::Float(_))
        };
        let is_open = || {
            let truth = state.environment.operand(*condition, &self.constants).as_integer();
            truth.is_some_and(|truth| truth.bits == 1 && truth.single().is_none())
        };
        let splits = self.effort.partitions >= PARTITIONS_OF_SELECTIONS
            && instruction.result.is_some_and(is_float)
            && liveness::compared(frame.function, &frame.facts.definitions, *condition).is_some()
            && is_open();
        splits.then_some(*condition)
    }

    fn end(&mut self, frame: &mut Frame<'c>, end: &End, mut state: State) {
        match end {
            End::Return(operand) => {
                let value = operand.map_or(AbstractValue::Anything, |o| self.operand(&state, o));
                frame.loops.iter_mut().for_each(|(_, left)| *left = true);
                let State { environment, domains, .. } = &mut state;
                domains.recurrences.give_back(&self.text(frame), environment, *operand);
                if domains.recurrences.level().is_some_and(|level| level.0 == self.active.len()) {
                    // A loop of this function, which ends.
                    domains.recurrences.stop();
                }
                let recurrences = state.domains.recurrences;
                frame.returned = Some(Rc::new(match frame.returned.take() {
                    None => (value, state.memory, recurrences),
                    Some(old) => {
                        let (old_value, old_memory, old_recurrences) = Rc::unwrap_or_clone(old);
                        (
                            old_value.join(&value),
                            old_memory.join(&state.memory, &self.globals),
                            old_recurrences.merged(&recurrences),
                        )
                    }
                }));
            }
            End::Jump(edge) => self.follow(frame, edge, state),
            End::Branch { condition, then, otherwise } => {
                let [no, yes] = self.branch(frame, state, *condition);
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
                    if possible && self.assume_value(frame, &mut taken, *on, &value) {
                        self.follow(frame, edge, taken);
                    }
                    // The others go on without it.
                    if let (AbstractValue::Integer(known), AbstractValue::Integer(case)) =
                        (self.operand(&rest, *on), &value)
                        && known.bits == case.bits
                    {
                        let (left, _) = integers::refined(IntegerPredicate::NotEqual, &known, case);
                        possible = possible
                            && !left.is_empty()
                            && self.assume_value(
                                frame,
                                &mut rest,
                                *on,
                                &AbstractValue::Integer(left),
                            );
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

    /// Assumes that an operand is in a value; false if it cannot be.
    pub fn assume_value(
        &self,
        frame: &Frame<'c>,
        state: &mut State,
        operand: Operand,
        value: &AbstractValue,
    ) -> bool {
        let refinement = Refinement { text: self.text(frame), pure: &self.learnt.pure };
        let possible = refinement.assume(state, operand, value);
        self.refine_cells(state);
        possible
    }

    /// The states where a truth value is false, and where it is true.
    fn branch(&self, frame: &Frame<'c>, state: State, operand: Operand) -> [Option<State>; 2] {
        let truths = [AbstractValue::truth(true, false), AbstractValue::truth(false, true)];
        let known = state.environment.operand(operand, &self.constants);
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
            self.assume_value(frame, &mut state, operand, truth).then_some(state)
        })
    }

    /// Takes an edge.
    fn follow(&mut self, frame: &mut Frame<'c>, edge: &Edge, mut state: State) {
        let to = edge.to.0 as usize;
        let followed = state.domains.recurrences.level();
        for (at, (members, left)) in frame.loops.iter_mut().enumerate() {
            *left |= !members[to];
            if !members[to] && followed == Some((self.active.len(), at)) {
                state.domains.recurrences.stop();
            }
        }
        // A truth value that comes along the edge tells which way control came: that is how
        // C's `&&` and `||` look. The block is run for each such edge, and for either truth.
        let tells =
            |register: &Register| frame.function.registers[register.0 as usize] == Type::Integer(1);
        let truth = edge.moves.iter().find(|(register, _)| tells(register));
        if let Some((_, source)) = truth
            && !frame.facts.heads[to]
            && frame.split_edges < MOST_SPLIT_EDGES
        {
            frame.split_edges += 1;
            for state in self.branch(frame, state, *source).into_iter().flatten() {
                let state = self.along(frame, edge, state);
                self.block(frame, edge.to, state);
            }
            frame.split_edges -= 1;
            return;
        }
        let state = self.along(frame, edge, state);
        frame.pending[to].add(state, self.effort.partitions, &self.globals);
    }

    /// The state at the end of an edge.
    fn along(&self, frame: &Frame<'c>, edge: &Edge, state: State) -> State {
        let constant = |operand| match operand {
            Operand::Constant(id) => Some(match self.code.constant(id) {
                (ty, Constant::Undefined(_)) => AbstractValue::unset(ty),
                _ => self.constants[id.0 as usize].clone(),
            }),
            Operand::Register(_) => None,
        };
        state.along(&self.text(frame), edge, constant)
    }

    /// The function being run, as domains see it.
    pub fn text<'a>(&'a self, frame: &'a Frame<'c>) -> Text<'a> {
        Text {
            id: frame.id,
            function: frame.function,
            facts: &frame.facts,
            constants: &self.constants,
            globals: &self.globals,
            modes: self.modes,
            domains: self.domains,
            order_depth: self.effort.order_depth,
            caller_facts: &frame.caller_facts,
            bisections: (self.effort.argument_partitions > 1).then_some(&self.bisections),
            memo: &self.learnt.memo,
            steps: self.steps,
        }
    }

    /// What conditions tell of a register that holds the value of a cell is known of the cell.
    fn refine_cells(&self, state: &mut State) {
        let State { environment, memory, domains } = state;
        for held in &mut domains.cells.0 {
            if let Some(value) = environment.get(held.register)
                && *value != held.value
                && !value.is_empty()
            {
                held.value = value.clone();
                let (object, offset, ty) = &held.place;
                memory.refine(*object, *offset, ty, value, &self.globals);
            }
        }
    }

    /// The value of an operand.
    pub fn operand(&self, state: &State, operand: Operand) -> AbstractValue {
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

    /// Assigns an instruction's result.
    pub fn assign(&self, state: &mut State, instruction: &Instruction, value: AbstractValue) {
        if let Some(register) = instruction.result {
            state.set(register, value);
        }
    }

    /// Records an execution of a site.
    pub fn site<'v, V>(
        &mut self,
        instruction: &Instruction,
        operands: V,
        result: Option<&AbstractValue>,
        raised: Exceptions,
    ) where
        V: IntoIterator<Item = &'v AbstractValue, IntoIter: Clone>,
    {
        let (Some(site), true) = (instruction.site, self.recording) else { return };
        let function = *self.active.last().expect("a function is running");
        self.record.site(site, function, operands.into_iter(), result, raised);
    }
}
