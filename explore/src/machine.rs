//! What all states of an exploration share: the program, its constants and addresses, the
//! terms, and what was covered.

use crate::aim::Aim;
use crate::compute::{Deed, Encodings, Obligation};
use crate::coverage::Coverage;
use crate::files::Files;
use crate::library::{self, Model};
use crate::memory::Memory;
use crate::state::{Concretising, State, Then};
use crate::{Options, Value};
use nanoscope_program::ir::{BlockId, Code, FunctionId, LocationId, Operand, Register, Type};
use nanoscope_program::{FailureFunction, Location, SiteId};
use nanoscope_term::{Model as Inputs, Term, Terms, Value as Known};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is to be asked about an operation that was computed.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    /// Goals, by number, that are reached where these hold.
    pub goals: Vec<(usize, Term)>,
    /// What holds where it raises nothing, if the path goes on only there.
    pub quiet: Vec<Term>,
}

impl Sought {
    pub(crate) fn is_empty(&self) -> bool {
        self.goals.is_empty() && self.quiet.is_empty()
    }
}

/// A branch whose ways meet again soon.
#[derive(Clone, Debug)]
pub struct Diamond {
    /// Where.
    pub(crate) join: BlockId,
    /// What the join receives.
    pub(crate) received: Vec<Register>,
}

/// What all states share.
pub struct Machine<'a> {
    /// The program.
    pub code: &'a Code,
    /// How to go about it.
    pub options: &'a Options,
    /// All terms.
    pub terms: Terms,
    /// All encodings of unknown floats.
    pub encodings: Encodings,
    /// The ways that were taken.
    pub coverage: Coverage,
    /// The program's constants as values.
    pub constants: Vec<Value>,
    /// What can go wrong in the instruction at hand.
    pub obligations: Vec<Obligation>,
    /// Whether a way was left out that the program's text has.
    pub pruned: bool,
    /// What was printed and not handed on yet, and whether to standard error.
    pub printed: Vec<(bool, Vec<u8>)>,
    /// What keeps this exploration from being a proof.
    pub stopped_by: BTreeSet<String>,
    /// What is not modelled, and where.
    pub open: BTreeSet<(Location, String)>,
    /// Branches that became terms.
    pub merged: u64,
    /// What the exploration starts with: a function and its arguments.
    pub entry: (FunctionId, Vec<Value>),
    /// Room for the moves of an edge.
    pub moved: Vec<Value>,
    /// No variable arguments.
    pub no_arguments: Rc<[(Value, Type)]>,
    /// Branches that may become terms, by function and block.
    pub diamonds: Vec<Option<Rc<Vec<Option<Diamond>>>>>,
    /// What accesses at unknown places cost beside their instruction.
    pub effort: u64,
    functions: BTreeMap<u64, FunctionId>,
    /// The files that programs read.
    pub files: Files,
    /// Where the environment lies, if it is stated.
    pub environment: u64,
    /// Where the library's own `errno` lies, if the program has it.
    pub errno: Option<u64>,
    /// States that came of a call beside the one that made it.
    pub spawned: Vec<State>,
    models: Vec<Option<Model>>,
    errors: Vec<bool>,
    /// The files of the library's own C.
    ours: BTreeSet<String>,
    /// Whether the program has `long double`s.
    pub has_extended: bool,
    /// The goals that are looked for, by site.
    goals: BTreeMap<SiteId, Vec<usize>>,
    /// How far it is to them.
    pub aim: Aim,
    /// Goals that a path came by and that could not be asked about there.
    pub unasked: BTreeSet<usize>,
    /// Inputs that somebody thinks worth following.
    pub hints: Vec<Inputs>,
}

impl<'a> Machine<'a> {
    /// A machine for a program, and the memory that it starts with.
    pub fn new(code: &'a Code, options: &'a Options) -> (Machine<'a>, Memory) {
        let placed = crate::placement::place(code);
        let models = code.functions.iter().map(|function| {
            if function.is_defined() { None } else { library::find(&function.name) }
        });
        // A call of the program's own error function is the error, whatever its body does.
        let is_error =
            |name: &str| FailureFunction::named(name).is_some_and(|function| function.programs_own);
        let mut goals: BTreeMap<SiteId, Vec<usize>> = BTreeMap::new();
        for (number, goal) in options.goals.iter().enumerate() {
            goals.entry(goal.site).or_default().push(number);
        }
        let machine = Machine {
            code,
            options,
            terms: Terms::new(),
            encodings: Encodings::new(),
            coverage: Coverage::new(code),
            constants: placed.constants,
            obligations: Vec::new(),
            pruned: false,
            printed: Vec::new(),
            stopped_by: BTreeSet::new(),
            open: BTreeSet::new(),
            merged: 0,
            entry: (FunctionId(0), Vec::new()),
            moved: Vec::new(),
            no_arguments: Rc::new([]),
            diamonds: vec![None; code.functions.len()],
            effort: 0,
            functions: placed.functions,
            files: Files::default(),
            environment: 0,
            errno: placed.errno,
            spawned: Vec::new(),
            models: models.collect(),
            errors: code.functions.iter().map(|function| is_error(&function.name)).collect(),
            ours: library_files(code),
            has_extended: has_extended(code),
            aim: Aim::new(code, &|site| goals.contains_key(&site)),
            goals,
            unasked: BTreeSet::new(),
            hints: Vec::new(),
        };
        (machine, placed.memory)
    }

    /// What an operand of the innermost call is.
    #[inline]
    pub fn read(&self, state: &State, operand: Operand) -> Value {
        match operand {
            Operand::Register(register) => {
                state.registers[(state.frame().registers + register.0) as usize].clone()
            }
            Operand::Constant(id) => self.constants[id.0 as usize].clone(),
        }
    }

    /// What an operand is; if nothing was said about it, an unknown that stays.
    pub fn read_stable(&mut self, state: &mut State, operand: Operand, why: &str) -> Value {
        let value = self.read(state, operand);
        let Operand::Register(register) = operand else { return value };
        if value != Value::Undefined {
            return value;
        }
        let function = self.code.function(state.frame().function);
        let ty = &function.registers[register.0 as usize];
        let value = self.compute(state).unknown(why, ty);
        state.set(register, value.clone());
        value
    }

    /// What computes for a state.
    pub fn compute<'m>(&'m mut self, state: &'m mut State) -> crate::compute::Compute<'m> {
        crate::compute::Compute {
            terms: &mut self.terms,
            encodings: &mut self.encodings,
            environment: &mut state.environment,
            obligations: &mut self.obligations,
        }
    }

    /// The bits that the path's conditions say a term has, if they do.
    pub fn fixed(&self, state: &State, term: Term) -> Option<u64> {
        match state.path.fixed(&self.terms, term)? {
            Known::Bits(word) => Some(word.low_u64()),
            Known::Bool(truth) => Some((*truth).into()),
            Known::Float(..) | Known::Rounding(_) | Known::Array(_) => None,
        }
    }

    /// The function that starts at an address.
    pub fn function_at(&self, address: u64) -> Option<FunctionId> {
        self.functions.get(&address).copied()
    }

    /// The model of a function that has no body.
    pub fn model(&self, id: FunctionId) -> Option<Model> {
        self.models[id.0 as usize]
    }

    /// Whether calling a function is the error that the program asks about.
    pub fn is_error_function(&self, id: FunctionId) -> bool {
        self.errors[id.0 as usize]
    }

    /// The place of the next instruction.
    pub fn location(&self, state: &State) -> LocationId {
        let Some(frame) = state.frames.last() else { return LocationId::default() };
        let block = self.code.function(frame.function).block(frame.block);
        block.instructions.get(frame.at as usize).map_or(block.end_location, |next| next.location)
    }

    /// Whether a file is one of the library's own.
    pub fn is_ours(&self, file: &str) -> bool {
        self.ours.contains(file)
    }

    /// The innermost place of the user's code and the function it is in: what happens in
    /// the library happens where it is called.
    pub fn place(&self, state: &State, at: LocationId) -> (Location, String) {
        let mut at = at;
        for frame in state.frames.iter().rev() {
            let function = self.code.function(frame.function);
            let location = self.code.location(at);
            if location.line != 0 && !self.is_ours(&location.file) {
                return (location.clone(), function.source_name.clone());
            }
            at = self.call_location(state, frame);
        }
        let function = state.frames.first().map(|frame| self.code.function(frame.function));
        let name = function.map(|function| function.source_name.clone()).unwrap_or_default();
        (self.code.location(at).clone(), name)
    }

    /// The calls that a state is in, outermost first, each with where its caller calls it.
    pub fn calls(&self, state: &State) -> Vec<(String, Location)> {
        let name =
            |frame: &crate::state::Frame| self.code.function(frame.function).source_name.clone();
        let mut calls = Vec::new();
        for (frame, callee) in state.frames.iter().zip(state.frames.iter().skip(1)) {
            let block = self.code.function(frame.function).block(frame.block);
            let call = block.instructions.get((frame.at as usize).wrapping_sub(1));
            let at = call.map_or(LocationId::default(), |call| call.location);
            calls.push((name(callee), self.code.location(at).clone()));
        }
        calls
    }

    /// Where the caller of a frame calls it.
    fn call_location(&self, state: &State, frame: &crate::state::Frame) -> LocationId {
        let position = state.frames.iter().position(|other| std::ptr::eq(other, frame));
        let caller = position.and_then(|at| at.checked_sub(1)).map(|at| &state.frames[at]);
        let Some(caller) = caller else { return LocationId::default() };
        let block = self.code.function(caller.function).block(caller.block);
        let call = block.instructions.get((caller.at as usize).wrapping_sub(1));
        call.map_or(LocationId::default(), |call| call.location)
    }

    /// Lets a copy of a state make the call at hand again, where a condition holds.
    pub fn spawn_again(&mut self, state: &State, condition: Term, concretising: Concretising) {
        let mut other = state.fork(condition, Then::GoOn, None);
        if self.terms.value(condition) == Some(&Known::Bool(true)) {
            other.waiting = None;
        }
        other.concretising = concretising;
        other.frame_mut().at -= 1;
        self.spawned.push(other);
    }

    /// Notes something that is not modelled.
    pub fn note_open(&mut self, at: LocationId, what: String) {
        self.open.insert((self.code.location(at).clone(), what));
    }
}

/// The files that the library's functions in a program come from.
fn library_files(code: &Code) -> BTreeSet<String> {
    let bodies = library::bodies();
    let (_, sources) =
        library::sources(&bodies.iter().map(|(_, name)| &name[..]).collect::<Vec<_>>());
    let named_so = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        sources.iter().any(|source| source.name == name)
    };
    code.functions
        .iter()
        .filter(|function| function.is_defined())
        .filter(|function| bodies.iter().any(|(_, name)| *name == function.name))
        .map(|function| code.location(function.location).file.clone())
        .filter(|file| named_so(file))
        .collect()
}

/// Whether a program has registers of the x87 unit's format.
fn has_extended(code: &Code) -> bool {
    let extended = Type::Float(nanoscope_ieee::Format::X87);
    code.functions.iter().any(|function| function.registers.contains(&extended))
}

/// Goals: exceptions that operations are to raise.
impl Machine<'_> {
    /// Whether anything is to be known of a site.
    #[inline]
    pub fn is_pursued(&self, site: SiteId) -> bool {
        self.options.stop_at_first || !self.goals.is_empty() && self.goals.contains_key(&site)
    }

    /// What there is to ask about an operation that was just computed. Without a deed nobody
    /// can tell when it raises something: its goals stay open.
    pub fn sought(
        &mut self,
        state: &mut State,
        site: SiteId,
        deed: Option<Deed>,
        operands: &[&Value],
        result: &Value,
    ) -> Sought {
        let goals = self.goals.get(&site).cloned().unwrap_or_default();
        let mut sought = Sought::default();
        let Some(deed) = deed else {
            self.unasked.extend(goals);
            return sought;
        };
        let options = self.options;
        let never = self.terms.bool(false);
        for number in goals {
            let exception = options.goals[number].exception;
            let condition = self.compute(state).raises(deed, exception, operands, result);
            if condition != never {
                sought.goals.push((number, condition));
            }
        }
        if options.stop_at_first {
            for exception in deed.action.exceptions() {
                let raised = self.compute(state).raises(deed, exception, operands, result);
                if raised != never {
                    sought.quiet.push(self.terms.not(raised));
                }
            }
        }
        sought
    }

    /// A goal is no longer looked for.
    pub fn forget_goal(&mut self, number: usize) {
        for list in self.goals.values_mut() {
            list.retain(|goal| *goal != number);
        }
        self.goals.retain(|_, list| !list.is_empty());
        self.aim = Aim::new(self.code, &|site| self.goals.contains_key(&site));
    }
}
