//! The machine of a shadow run: functions, blocks, calls.

use super::domain::{At, Domain, ShadowValue, ValueOf, bits, number};
use super::integer::masked;
use super::meetings::Meetings;
use super::memory::{Memory, Reach};
use super::outside::{self, Caller};
use super::types::{part_type, unmodelled, zero};
use super::{Output, Stuck, bytes_of};
use nanoscope_budget::Budget;
use nanoscope_ieee::Format;
use nanoscope_program::ir::{
    BlockId, Code, Constant, ConstantId, Edge, End, Function, FunctionId, GlobalId, Operand, Place,
    Register, Type,
};
use nanoscope_program::{Scalar, Target};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// How deep calls may go.
const DEEPEST: u32 = 200;

/// Addresses of functions, sixteen bytes each: in no object.
const FUNCTIONS: u64 = 0xff_ffff << 40;

/// How many steps pass between two looks at the clock.
const GLANCE: u64 = 1024;

/// Branches of which both sides are run, in one another: the rounds of a loop that a float ends.
const JOINS: u32 = 256;

/// Where a run goes on after both sides of a branch.
enum Joined<D: Domain> {
    /// At the block where they meet.
    At(BlockId),
    /// Both have returned.
    Returned(ValueOf<D>),
}

/// A function that is being run.
pub(super) struct Frame<'c, D: Domain> {
    function: &'c Function,
    registers: Vec<ValueOf<D>>,
    /// The instruction that is being run.
    pub at: At,
    /// Objects that end with it.
    pub stack: Vec<u64>,
    /// Arguments beyond its parameters.
    pub variable: Vec<(ValueOf<D>, Type)>,
}

impl<D: Domain> Frame<'_, D> {
    /// The type of a register.
    pub fn ty(&self, Register(at): Register) -> &Type {
        &self.function.registers[at as usize]
    }
}

/// The outputs of a target, in their order.
pub(crate) type OutputsOf<D> = Vec<Output<<D as Domain>::Number, <D as Domain>::Symbol>>;

/// Runs a program on the numbers of a domain.
pub(crate) struct Interpreter<'c, D: Domain> {
    pub(super) code: &'c Code,
    /// The numbers.
    pub domain: D,
    pub(super) memory: Memory<D>,
    constants: Vec<Option<ValueOf<D>>>,
    globals: Vec<Option<u64>>,
    /// Constants and globals that the next run has to make anew.
    passing: Vec<Passing>,
    /// Variables that constructors may write, once somebody has asked for them.
    initialised: Option<Arc<BTreeSet<GlobalId>>>,
    /// Whether the constructors have run.
    has_started: bool,
    /// Variables of which nothing is known, since a constructor could not be run.
    unknown: BTreeSet<GlobalId>,
    errno: Option<u64>,
    /// Branches of which both sides are being run.
    joins: u32,
    /// Where the sides of branches meet, by function.
    meetings: HashMap<u32, Meetings>,
    steps: u64,
    depth: u32,
    budget: &'c Budget,
    /// The function whose use of its arguments is watched, by its symbol.
    watched: Option<&'c str>,
    /// How far it used what its arguments point to.
    reached: Vec<Reach>,
    /// How many objects there were when it was called: what it was given is among them.
    given: usize,
}

/// Steps that constructors may take.
const CONSTRUCTOR_STEPS: u64 = 100_000;

/// What does not outlive a run: where a global that may be written lies, and constants with
/// its address.
enum Passing {
    Global(GlobalId),
    Constant(ConstantId),
}

impl<'c, D: Domain> Interpreter<'c, D> {
    /// A machine that takes at most so many steps.
    pub fn new(code: &'c Code, domain: D, steps: u64, budget: &'c Budget) -> Interpreter<'c, D> {
        Interpreter {
            code,
            domain,
            memory: Memory::default(),
            constants: vec![None; code.constants.len()],
            globals: vec![None; code.globals.len()],
            passing: Vec::new(),
            initialised: None,
            has_started: code.constructors.is_empty(),
            unknown: BTreeSet::new(),
            errno: None,
            joins: 0,
            meetings: HashMap::new(),
            steps,
            depth: 0,
            budget,
            watched: None,
            reached: Vec::new(),
            given: 0,
        }
    }

    /// Has the first call of a function watched: how far it uses what its arguments point to.
    pub fn watching(self, symbol: &'c str) -> Interpreter<'c, D> {
        Interpreter { watched: Some(symbol), ..self }
    }

    /// How far the watched function used what each of its arguments points to; empty where it did
    /// not return.
    pub fn reached(&self) -> &[Reach] {
        &self.reached
    }

    /// Whether the run ended by an access beyond what the watched function was given.
    pub fn left_what_was_given(&self) -> bool {
        self.memory.left_one_of(self.given)
    }

    /// The steps that are left.
    pub fn steps_left(&self) -> u64 {
        self.steps
    }

    /// Makes ready for another run: memory is as in the beginning.
    pub fn reset(&mut self, steps: u64) {
        self.memory.reset();
        for passing in self.passing.drain(..) {
            match passing {
                Passing::Global(GlobalId(at)) => self.globals[at as usize] = None,
                Passing::Constant(ConstantId(at)) => self.constants[at as usize] = None,
            }
        }
        self.has_started = self.code.constructors.is_empty();
        self.unknown.clear();
        self.errno = None;
        self.joins = 0;
        self.steps = steps;
        self.depth = 0;
    }

    /// Runs a target's entry on an input vector, in which some inputs (by their words and
    /// sizes) are given as values of the domain.
    pub fn enter(
        &mut self,
        target: &Target,
        point: &[u64],
        given: &[(usize, u64, ValueOf<D>)],
    ) -> Result<OutputsOf<D>, Stuck> {
        let at = At::default();
        let name = format!("nanoscope_run_{}", target.entry);
        let entry = self
            .code
            .named(&name)
            .ok_or_else(|| Stuck::new(format!("the representation has no `{name}`")))?;
        let inputs = self.memory.allocate(8 * point.len() as u64)?;
        for (place, word) in point.iter().enumerate() {
            let address = inputs + 8 * place as u64;
            self.memory.store(&mut self.domain, at, address, 8, u128::from(*word))?;
        }
        for (word, size, value) in given {
            let address = inputs + 8 * *word as u64;
            self.memory.store_cell(&mut self.domain, at, address, *size, value.clone())?;
        }
        let outputs = self.memory.allocate(8 * target.output_words as u64)?;
        let arguments = [inputs, outputs].map(|address| ShadowValue::Bits(u128::from(address)));
        self.call(entry, &arguments, Vec::new())?;
        let mut given_back = Vec::with_capacity(target.outputs.len());
        for output in &target.outputs {
            let address = outputs + 8 * output.word as u64;
            let size = bytes_of(output.scalar);
            given_back.push(match output.scalar {
                Scalar::Float(format) => Output::Number(self.load_float(at, format, address)?),
                Scalar::Integer { bits, .. } => match self.memory.cell(address, size)? {
                    Some(ShadowValue::Symbol(symbol)) => Output::Symbol(symbol.clone()),
                    Some(_) | None => {
                        let whole = self.memory.load(&mut self.domain, at, address, size)?;
                        Output::Bits(masked(whole, bits))
                    }
                },
            });
        }
        Ok(given_back)
    }

    /// What functions of a library see of this machine.
    pub(super) fn caller(&mut self) -> Caller<'_, D> {
        Caller { memory: &mut self.memory, domain: &mut self.domain, errno: &mut self.errno }
    }

    pub(super) fn call(
        &mut self,
        id: FunctionId,
        arguments: &[ValueOf<D>],
        variable: Vec<(ValueOf<D>, Type)>,
    ) -> Result<ValueOf<D>, Stuck> {
        let code = self.code;
        let function = code.function(id);
        let at = At { function: id.0, location: function.location, ..At::default() };
        if !function.is_defined() {
            let types: Vec<Type> = function.parameters.iter().map(|p| p.ty.clone()).collect();
            let (caller, name) = (&mut self.caller(), &function.name);
            return outside::call(caller, at, name, arguments, &types, &function.result);
        }
        if variable.is_empty()
            && let Some(value) = self.domain.called(code, id, arguments, self.budget)
        {
            return Ok(value);
        }
        if self.depth >= DEEPEST {
            return Err(Stuck::new("its calls go too deep in exact arithmetic"));
        }
        self.depth += 1;
        let mut copies = Vec::new();
        let mut registers = vec![ShadowValue::Bits(0); function.registers.len()];
        for (place, (register, argument)) in registers.iter_mut().zip(arguments).enumerate() {
            *register = argument.clone();
            if let Some((size, _)) = function.parameters.get(place).and_then(|p| p.copied) {
                let copy = self.memory.allocate(size)?;
                copies.push(copy);
                let from = bits(&mut self.domain, at, argument)? as u64;
                self.memory.copy(&mut self.domain, at, copy, from, size)?;
                *register = ShadowValue::Bits(u128::from(copy));
            }
        }
        let watched = self.watched.take_if(|symbol| *symbol == function.name).is_some();
        if watched {
            self.memory.watch();
            self.given = self.memory.objects();
        }
        let mut frame = Frame { function, registers, at, stack: copies, variable };
        let result = self.run(&mut frame, BlockId(0), None)?;
        if watched {
            let address = |value: &ValueOf<D>| match value {
                ShadowValue::Bits(bits) => *bits as u64,
                ShadowValue::Number(_)
                | ShadowValue::Coded(..)
                | ShadowValue::Symbol(_)
                | ShadowValue::Parts(_) => 0,
            };
            let addresses: Vec<u64> = arguments.iter().map(address).collect();
            self.reached = self.memory.reaches(&addresses);
        }
        for address in frame.stack {
            self.memory.free(address);
        }
        self.depth -= 1;
        result.ok_or_else(|| Stuck::new("a function has no end"))
    }

    /// Calls a function that is to need nothing but its arguments; none: it uses a variable of
    /// the program.
    pub fn call_alone(
        &mut self,
        id: FunctionId,
        arguments: &[ValueOf<D>],
    ) -> Result<Option<ValueOf<D>>, Stuck> {
        self.memory.watch();
        let result = self.call(id, arguments, Vec::new())?;
        let code = self.code;
        let variables = code.globals.iter().zip(&self.globals);
        let addresses: Vec<u64> = variables
            .filter(|(global, _)| !global.constant)
            .filter_map(|(_, address)| *address)
            .chain(self.errno)
            .collect();
        let untouched = |reach: &Reach| *reach == Reach::default();
        Ok(self.memory.reaches(&addresses).iter().all(untouched).then_some(result))
    }

    /// Runs a function from a block until it returns, or comes to another block: none.
    fn run(
        &mut self,
        frame: &mut Frame<'c, D>,
        from: BlockId,
        until: Option<BlockId>,
    ) -> Result<Option<ValueOf<D>>, Stuck> {
        let function = frame.function;
        let mut at = frame.at;
        let mut to = from;
        loop {
            if Some(to) == until {
                return Ok(None);
            }
            at.block = to.0;
            let block = function.block(to);
            for (index, instruction) in block.instructions.iter().enumerate() {
                self.step()?;
                (at.index, at.location) = (index as u32, instruction.location);
                frame.at = at;
                let ty = instruction.result.map(|place| &function.registers[place.0 as usize]);
                let value = self.act(&instruction.act, ty, frame)?;
                if let Some(Register(place)) = instruction.result {
                    frame.registers[place as usize] = value;
                }
            }
            self.step()?;
            (at.index, at.location) = (block.instructions.len() as u32, block.end_location);
            frame.at = at;
            let edge = match &block.end {
                End::Return(None) => return Ok(Some(ShadowValue::Bits(0))),
                End::Return(Some(operand)) => return Ok(Some(self.value(*operand, frame)?)),
                End::Jump(edge) => edge,
                End::Branch { condition, then, otherwise } => {
                    let condition = self.value(*condition, frame)?;
                    if let ShadowValue::Symbol(symbol) = &condition
                        && self.meetings(function, at.function).both_return([then.to, otherwise.to])
                        && self.domain.joins(symbol)
                    {
                        match self.both(at, frame, symbol, [then, otherwise])? {
                            Joined::At(meeting) => to = meeting,
                            Joined::Returned(value) => return Ok(Some(value)),
                        }
                        continue;
                    }
                    let holds = bits(&mut self.domain, at, &condition)? & 1 == 1;
                    self.domain.left(at, usize::from(holds));
                    if holds { then } else { otherwise }
                }
                End::Switch { on, cases, default } => {
                    let chosen = self.chosen(*on, cases, frame)?;
                    self.domain.left(at, chosen.unwrap_or(usize::MAX));
                    chosen.map_or(default, |place| &cases[place].1)
                }
                End::Computed { to, edges } => {
                    let chosen = self.chosen(*to, edges, frame)?;
                    let chosen =
                        chosen.ok_or_else(|| Stuck::new("a computed goto leads nowhere"))?;
                    self.domain.left(at, chosen);
                    &edges[chosen].1
                }
                End::Unreachable => {
                    return Err(Stuck::ended("in exact arithmetic it comes where it never should"));
                }
                End::Unknown(text) => return Err(unmodelled(text)),
            };
            self.follow(edge, frame)?;
            to = edge.to;
        }
    }

    /// Runs both sides of the branch at the end of a block up to where they meet, and joins what
    /// they leave.
    fn both(
        &mut self,
        at: At,
        frame: &mut Frame<'c, D>,
        condition: &D::Symbol,
        sides: [&'c Edge; 2],
    ) -> Result<Joined<D>, Stuck> {
        if self.joins == JOINS {
            return Err(Stuck::new(format!("loop: more than {JOINS} branches in one another")));
        }
        self.make_globals();
        let meeting = self.meetings(frame.function, at.function).after(at.block);
        self.joins += 1;
        self.domain.beside(self.joins);
        let (registers, stack) = (frame.registers.clone(), frame.stack.len());
        let before = self.memory.keep();
        let mut ends = Vec::with_capacity(2);
        for edge in sides {
            self.follow(edge, frame)?;
            let returned = self.run(frame, edge.to, meeting).map_err(Stuck::beside_another)?;
            if returned.is_some() {
                for address in frame.stack.drain(stack..) {
                    self.memory.free(address);
                }
            }
            let left = std::mem::replace(&mut frame.registers, registers.clone());
            ends.push((returned, left, self.memory.restore(&before)));
        }
        self.joins -= 1;
        self.domain.beside(self.joins);
        let second = ends.pop().expect("two sides");
        let first = ends.pop().expect("two sides");
        frame.at = at;
        let domain = &mut self.domain;
        self.memory.join(domain, &before, [first.2, second.2], |domain, values| {
            domain.joined(at, condition, values)
        })?;
        match (first.0, second.0) {
            (Some(a), Some(b)) => Ok(Joined::Returned(domain.joined(at, condition, [&a, &b])?)),
            (None, None) => {
                for (place, (a, b)) in first.1.iter().zip(&second.1).enumerate() {
                    frame.registers[place] = domain.joined(at, condition, [a, b])?;
                }
                let meeting = meeting.ok_or_else(|| Stuck::new("a branch has no end"))?;
                Ok(Joined::At(meeting))
            }
            (_, _) => Err(Stuck::new("the sides of a branch do not meet")),
        }
    }

    /// Where the sides of a function's branches meet.
    fn meetings(&mut self, function: &Function, id: u32) -> &Meetings {
        self.meetings.entry(id).or_insert_with(|| Meetings::of(function))
    }

    /// Makes the objects that both sides may be the first to ask for.
    fn make_globals(&mut self) {
        if self.errno.is_some() {
            return;
        }
        self.errno = self.memory.allocate(4).ok();
        let code = self.code;
        for (place, global) in code.globals.iter().enumerate() {
            if global.initial.is_some() && !global.constant {
                let id = GlobalId(place as u32);
                if self.global(id).is_err() {
                    self.globals[place] = None;
                }
            }
        }
    }

    /// Which of the cases a value is.
    fn chosen(
        &mut self,
        on: Operand,
        cases: &[(ConstantId, Edge)],
        frame: &Frame<D>,
    ) -> Result<Option<usize>, Stuck> {
        let wanted = self.value(on, frame)?;
        let wanted = bits(&mut self.domain, frame.at, &wanted)?;
        for (place, (constant, _)) in cases.iter().enumerate() {
            let constant = self.constant(*constant)?;
            if bits(&mut self.domain, frame.at, &constant)? == wanted {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    fn follow(&mut self, edge: &Edge, frame: &mut Frame<D>) -> Result<(), Stuck> {
        let mut values = Vec::with_capacity(edge.moves.len());
        for (_, operand) in &edge.moves {
            values.push(self.value(*operand, frame)?);
        }
        for ((register, _), value) in edge.moves.iter().zip(values) {
            frame.registers[register.0 as usize] = value;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), Stuck> {
        self.steps = self
            .steps
            .checked_sub(1)
            .ok_or_else(|| Stuck::new("it does not end soon in exact arithmetic"))?;
        if self.steps.is_multiple_of(GLANCE) && self.budget.exhausted() {
            return Err(Stuck::new("there was no time left for exact arithmetic"));
        }
        Ok(())
    }

    pub(super) fn value(
        &mut self,
        operand: Operand,
        frame: &Frame<D>,
    ) -> Result<ValueOf<D>, Stuck> {
        match operand {
            Operand::Register(Register(at)) => Ok(frame.registers[at as usize].clone()),
            Operand::Constant(id) => self.constant(id),
        }
    }

    fn constant(&mut self, id: ConstantId) -> Result<ValueOf<D>, Stuck> {
        if let Some(value) = &self.constants[id.0 as usize] {
            return Ok(value.clone());
        }
        let code = self.code;
        let (ty, constant) = code.constant(id);
        let value = self.constant_value(ty, constant)?;
        if !is_number(constant) {
            self.passing.push(Passing::Constant(id));
        }
        self.constants[id.0 as usize] = Some(value.clone());
        Ok(value)
    }

    fn constant_value(&mut self, ty: &Type, constant: &Constant) -> Result<ValueOf<D>, Stuck> {
        Ok(match constant {
            Constant::Integer(word) => ShadowValue::Bits(
                word.to_u128().ok_or_else(|| Stuck::new("a constant of more than 128 bits"))?,
            ),
            Constant::Float(format, word) => {
                ShadowValue::Number(self.domain.decoded(*format, word.to_u128().unwrap_or(0)))
            }
            Constant::Address { of, offset } => {
                let base = match of {
                    Place::Nowhere => 0,
                    Place::Global(global) => self.global(*global)?,
                    Place::Function(function) => FUNCTIONS + 16 * u64::from(function.0),
                };
                ShadowValue::Bits(u128::from(base.wrapping_add_signed(*offset)))
            }
            Constant::Undefined(_) | Constant::Poison(_) | Constant::Zero(_) => {
                zero(&mut self.domain, ty)
            }
            Constant::Parts(_, parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for (at, part) in parts.iter().enumerate() {
                    let ty = part_type(ty, at as u64).ok_or_else(|| unmodelled("a constant"))?;
                    values.push(self.constant_value(&ty, part)?);
                }
                ShadowValue::Parts(values.into())
            }
            Constant::Bytes(bytes) => ShadowValue::Parts(
                bytes.iter().map(|byte| ShadowValue::Bits(u128::from(*byte))).collect(),
            ),
        })
    }

    /// Runs the constructors when the first variable that they may write is asked for. What they
    /// leave is as the program finds it: floats, rounded. Where one cannot be run, nothing is known
    /// of those variables.
    fn start(&mut self, asked: GlobalId) {
        let code = self.code;
        let variables =
            self.initialised.get_or_insert_with(|| Arc::new(code.initialised_variables())).clone();
        if !variables.contains(&asked) {
            return;
        }
        self.has_started = true;
        let made = self.memory.objects();
        let whole = self.steps;
        self.steps = whole.min(CONSTRUCTOR_STEPS);
        let given = self.steps;
        let mut constructors = code.constructors.iter();
        let ran = constructors.try_for_each(|id| self.call(*id, &[], Vec::new()).map(|_| ()));
        let rounded = ran.and_then(|()| self.memory.round(&mut self.domain, At::default(), made));
        self.steps = whole - (given - self.steps);
        if rounded.is_err() {
            for id in variables.iter() {
                if let Some(address) = self.globals[id.0 as usize] {
                    self.memory.forbid(address, &code.global(*id).name);
                }
            }
            self.unknown = variables.as_ref().clone();
        }
    }

    fn global(&mut self, id: GlobalId) -> Result<u64, Stuck> {
        if !self.has_started && !self.code.global(id).constant {
            self.start(id);
        }
        if let Some(address) = self.globals[id.0 as usize] {
            return Ok(address);
        }
        let code = self.code;
        let global = code.global(id);
        let address = match global.constant {
            true => self.memory.allocate_for_good(global.size.max(1))?,
            false => {
                self.passing.push(Passing::Global(id));
                self.memory.allocate(global.size.max(1))?
            }
        };
        // Known before it is filled: it may hold its own address.
        self.globals[id.0 as usize] = Some(address);
        match &global.initial {
            _ if self.unknown.contains(&id) => {
                self.memory.forbid(address, &global.name);
                Ok(address)
            }
            Some(initial) => {
                let value = self.constant_value(&global.ty, initial)?;
                self.store(At::default(), &global.ty, address, &value)?;
                self.memory.seal(address);
                Ok(address)
            }
            // Its address is all that is known of it.
            None => {
                self.memory.forbid(address, &global.name);
                Ok(address)
            }
        }
    }

    pub(super) fn load(&mut self, at: At, ty: &Type, address: u64) -> Result<ValueOf<D>, Stuck> {
        let size = ty.stored_bytes();
        let Interpreter { memory, domain, .. } = self;
        Ok(match ty {
            Type::Void => ShadowValue::Bits(0),
            Type::Float(format) => ShadowValue::Number(self.load_float(at, *format, address)?),
            Type::Integer(width) if *width <= 128 => match memory.cell(address, size)? {
                Some(value) if u64::from(*width) == 8 * size => value.clone(),
                Some(_) | None => {
                    ShadowValue::Bits(masked(memory.load(domain, at, address, size)?, *width))
                }
            },
            Type::Integer(bits) => return Err(Stuck::new(format!("an integer of {bits} bits"))),
            Type::Pointer => ShadowValue::Bits(memory.load(domain, at, address, 8)?),
            Type::Vector(lane, lanes) => {
                let bits = u64::from(lane.bits().unwrap_or(0));
                if bits % 8 != 0 {
                    let whole = memory.load(domain, at, address, size)?;
                    let lane =
                        |at: u64| ShadowValue::Bits(masked(whole >> (bits * at), bits as u32));
                    return Ok(ShadowValue::Parts((0..u64::from(*lanes)).map(lane).collect()));
                }
                let mut parts = Vec::new();
                for place in 0..u64::from(*lanes) {
                    parts.push(self.load(at, lane, address + place * bits / 8)?);
                }
                ShadowValue::Parts(parts.into())
            }
            Type::Aggregate(aggregate) => {
                let mut parts = Vec::new();
                for place in 0..aggregate.count() {
                    let (offset, ty) = aggregate.member(place).expect("counted");
                    parts.push(self.load(at, ty, address + offset)?);
                }
                ShadowValue::Parts(parts.into())
            }
        })
    }

    fn load_float(&mut self, at: At, format: Format, address: u64) -> Result<D::Number, Stuck> {
        let size = Type::Float(format).stored_bytes();
        match self.memory.cell(address, size)? {
            Some(ShadowValue::Coded(stored, value)) if *stored == format => Ok(value.clone()),
            Some(_) | None => {
                let bits = self.memory.load(&mut self.domain, at, address, size)?;
                Ok(self.domain.decoded(format, bits))
            }
        }
    }

    pub(super) fn store(
        &mut self,
        at: At,
        ty: &Type,
        address: u64,
        value: &ValueOf<D>,
    ) -> Result<(), Stuck> {
        let size = ty.stored_bytes();
        let Interpreter { memory, domain, .. } = self;
        match ty {
            Type::Void => Ok(()),
            Type::Float(format) => {
                let number = number(domain, at, *format, value)?;
                memory.store_cell(domain, at, address, size, ShadowValue::Coded(*format, number))
            }
            Type::Integer(bits) if *bits > 128 => {
                Err(Stuck::new(format!("an integer of {bits} bits")))
            }
            Type::Integer(_) | Type::Pointer => match value {
                ShadowValue::Coded(format, _) if u64::from(format.width()) == 8 * size => {
                    memory.store_cell(domain, at, address, size, value.clone())
                }
                ShadowValue::Symbol(_) => {
                    memory.store_cell(domain, at, address, size, value.clone())
                }
                ShadowValue::Bits(_)
                | ShadowValue::Number(_)
                | ShadowValue::Coded(..)
                | ShadowValue::Parts(_) => {
                    let bits = bits(domain, at, value)?;
                    memory.store(domain, at, address, size, bits)
                }
            },
            Type::Vector(lane, _) => {
                let width = u64::from(lane.bits().unwrap_or(0));
                if width % 8 != 0 {
                    let mut whole = 0;
                    for lane in value.parts().iter().rev() {
                        whole = whole << width | masked(bits(domain, at, lane)?, width as u32);
                    }
                    return memory.store(domain, at, address, size, whole);
                }
                for (place, part) in value.parts().iter().enumerate() {
                    self.store(at, lane, address + place as u64 * width / 8, part)?;
                }
                Ok(())
            }
            Type::Aggregate(aggregate) => {
                for (place, part) in value.parts().iter().enumerate() {
                    let Some((offset, ty)) = aggregate.member(place as u64) else { break };
                    self.store(at, ty, address + offset, part)?;
                }
                Ok(())
            }
        }
    }

    /// The function at an address.
    pub(super) fn function_at(&self, address: u64) -> Result<FunctionId, Stuck> {
        let number = address.wrapping_sub(FUNCTIONS) / 16;
        if (number as usize) < self.code.functions.len() {
            return Ok(FunctionId(number as u32));
        }
        Err(Stuck::new("in exact arithmetic it calls through a wrong pointer"))
    }
}

/// Whether a constant holds no address.
fn is_number(constant: &Constant) -> bool {
    match constant {
        Constant::Integer(_) | Constant::Float(..) | Constant::Bytes(_) => true,
        Constant::Undefined(_) | Constant::Poison(_) | Constant::Zero(_) => true,
        Constant::Address { .. } => false,
        Constant::Parts(_, parts) => parts.iter().all(is_number),
    }
}
