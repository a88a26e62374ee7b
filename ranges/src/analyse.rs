//! The analysis as a whole: efforts from small to large, then the input space cut into
//! parts, each looked at alone, for as long as that may settle something.

use crate::arithmetic::Modes;
use crate::calls;
use crate::exceptions::EVERY;
use crate::floats::Floats;
use crate::integers::Integers;
use crate::libm;
use crate::library;
use crate::machine::{Effort, Limits, Machine};
use crate::memory::{Memory, constant_value};
use crate::record::{Record, SiteRange};
use crate::start::{self, Inputs, Start};
use crate::value::{Landmarks, Value};
use nanoscope_ieee::Float;
use nanoscope_program::ir::{
    Act, BlockId, Callee, Code, Constant, ConstantId, End, FunctionId, LocationId, Operand,
};
use nanoscope_program::{Exception, SiteId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What an analysis may take for granted and how long it may take.
#[derive(Clone, Debug)]
pub struct Options {
    /// When it has to be done; what is settled by then counts.
    pub deadline: Option<Instant>,
    /// The processor time it may take, and the clock that tells the thread's.
    pub processor: Option<(Duration, fn() -> Duration)>,
    /// The rounding modes that the program may run in. A program that changes the mode
    /// itself is looked at in all of them.
    pub rounding: Modes,
    /// The goals that are asked about; `None`: all.
    pub wanted: Option<BTreeSet<(SiteId, Exception)>>,
    /// The most parts that the input space is cut into; 1 leaves it whole.
    pub parts: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            deadline: None,
            processor: None,
            rounding: Modes::Nearest,
            wanted: None,
            parts: 32,
        }
    }
}

/// What an analysis found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Why nothing could be settled, if so.
    pub stopped: Option<String>,
    /// What cannot happen, with the reason.
    pub impossible: BTreeMap<(SiteId, Exception), String>,
    /// The sites that can be reached, with the ranges that meet there.
    pub sites: BTreeMap<SiteId, SiteRange>,
    /// The blocks of functions that control cannot come to.
    pub unreachable: BTreeSet<(FunctionId, BlockId)>,
    /// Calls that mean a failure (`abort`, `__assert_fail`, `reach_error`, …).
    pub failures: Vec<FailureCall>,
    /// Where the inputs must be for a goal that is still open, by the input's position.
    pub needs: BTreeMap<(SiteId, Exception), Vec<Option<Ends>>>,
    /// Whether every access was seen to stay inside the object it is meant for.
    pub accesses_stay_inside: bool,
    /// What all of this rests on.
    pub assumptions: Vec<String>,
    /// Into how many parts the input space was cut.
    pub parts: usize,
    /// How many instructions were run on ranges.
    pub steps: u64,
}

/// The least and the greatest encoding that an input may have, in the order of its type.
pub type Ends = (u128, u128);

/// A call that means a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureCall {
    /// In whose code it stands.
    pub function: FunctionId,
    /// Whom it calls.
    pub callee: String,
    /// Where it stands.
    pub location: LocationId,
    /// Whether control may come to it.
    pub may_be_reached: bool,
}

/// A quick look, and a thorough one where that was quick indeed; where it was not, coarser ones
/// that end, and a fuller one.
const QUICK: Effort =
    Effort { unroll: 40, guess: 3, depth: 60, contexts: 12, nested: 2, steps: 60_000 };
const THOROUGH: Effort =
    Effort { unroll: 600, guess: 16, depth: 60, contexts: 32, nested: 3, steps: 1_000_000 };
const COARSE: Effort =
    Effort { unroll: 8, guess: 2, depth: 60, contexts: 8, nested: 2, steps: 2_000_000 };
const ALONE: Effort =
    Effort { unroll: 1, guess: 1, depth: 2, contexts: 1, nested: 1, steps: 60_000 };
const FULL: Effort =
    Effort { unroll: 100, guess: 6, depth: 60, contexts: 48, nested: 2, steps: 4_000_000 };

/// Steps after which no further part is looked at.
const MOST_STEPS: u64 = 8_000_000;

/// The stack that a deep program may need.
const STACK: usize = 512 << 20;

/// Finds out what cannot happen.
pub fn analyse(code: &Code, start: Start, options: &Options) -> Findings {
    std::thread::scope(|scope| {
        let work = || Analysis::new(code, start, options).run();
        match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
            Ok(thread) => match thread.join() {
                Ok(findings) => findings,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(fault) => Findings {
                stopped: Some(format!("no thread for the analysis of ranges: {fault}")),
                ..Findings::default()
            },
        }
    })
}

/// The landmarks of a program: what it compares with.
fn landmarks(code: &Code, constants: &[Value]) -> Landmarks {
    let mut compared: BTreeSet<ConstantId> = BTreeSet::new();
    for block in code.functions.iter().flat_map(|function| &function.blocks) {
        for instruction in &block.instructions {
            if let Act::FloatCompare { operands, .. } | Act::IntegerCompare { operands, .. } =
                &instruction.act
            {
                compared.extend(operands.iter().filter_map(|operand| match operand {
                    Operand::Constant(id) => Some(*id),
                    Operand::Register(_) => None,
                }));
            }
        }
        if let End::Switch { cases, .. } = &block.end {
            compared.extend(cases.iter().map(|(constant, _)| *constant));
        }
    }
    let floats = compared.iter().filter_map(|id| match code.constant(*id) {
        (_, Constant::Float(format, word)) => Some(Float::from_word(*format, word.clone())),
        (_, _) => None,
    });
    let integers = compared.iter().filter_map(|id| match &constants[id.0 as usize] {
        Value::Integer(integers) => integers.single(),
        Value::Anything | Value::Zeros | Value::Float(_) | Value::Pointer(_) | Value::Parts(_) => {
            None
        }
    });
    Landmarks::of(floats, integers)
}

struct Analysis<'a> {
    code: &'a Code,
    start: Start<'a>,
    options: &'a Options,
    modes: Modes,
    limits: Limits,
    constants: Rc<Vec<Value>>,
    landmarks: Rc<Landmarks>,
    steps: u64,
}

/// A part of the input space and what was seen there.
struct Part {
    inputs: Inputs,
    record: Rc<Record>,
    effort: Effort,
}

impl<'a> Analysis<'a> {
    fn new(code: &'a Code, start: Start<'a>, options: &'a Options) -> Analysis<'a> {
        let constants: Vec<Value> =
            code.constants.iter().map(|(ty, constant)| constant_value(constant, ty)).collect();
        let landmarks = landmarks(code, &constants);
        let entry = match start {
            Start::Target(target) => code.named(&format!("nanoscope_run_{}", target.entry)),
            Start::Program(main) => Some(main),
            // Whoever calls it may have changed the mode before.
            Start::Function(_) => None,
        };
        let changed = calls::changes_rounding(code, entry);
        let modes = if changed { Modes::Any } else { options.rounding };
        // The thread that works on it may have worked before.
        let processor = options.processor.map(|(time, clock)| (clock() + time, clock));
        Analysis {
            limits: Limits { deadline: options.deadline, processor },
            code,
            start,
            options,
            modes,
            landmarks: Rc::new(landmarks),
            constants: Rc::new(constants),
            steps: 0,
        }
    }

    fn run(mut self) -> Findings {
        if self.code.named("__cxa_begin_catch").is_some() {
            let why = "the program catches exceptions, which is not followed".to_owned();
            return Findings { stopped: Some(why), ..Findings::default() };
        }
        let whole: Inputs = match self.start {
            Start::Target(target) => target.inputs.iter().map(start::admitted).collect(),
            Start::Program(_) | Start::Function(_) => Vec::new(),
        };
        let mut best: Option<Part> = None;
        let mut stopped = None;
        for effort in [QUICK, THOROUGH, COARSE, ALONE, FULL] {
            let needless = match effort {
                THOROUGH => best.is_none(),
                COARSE | ALONE => best.is_some(),
                FULL => best.as_ref().is_some_and(|part| part.effort != COARSE),
                _ => false,
            };
            if needless {
                continue;
            }
            match self.look(&whole, effort) {
                Ok(mut record) => {
                    if let Some(quick) = &best {
                        record.restrict(&quick.record);
                    }
                    // A part need not be looked at as fully as the whole.
                    let effort = if effort == FULL { COARSE } else { effort };
                    best = Some(Part { inputs: whole.clone(), record: Rc::new(record), effort });
                }
                Err(why) => stopped = Some(why),
            }
        }
        let Some(first) = best else {
            return Findings { stopped, steps: self.steps, ..Findings::default() };
        };
        let parts = self.cut(first);
        self.report(&parts)
    }

    /// One run over a part of the input space.
    fn look(&mut self, inputs: &Inputs, effort: Effort) -> Result<Record, String> {
        let mut machine = Machine::new(
            self.code,
            Rc::clone(&self.constants),
            Rc::clone(&self.landmarks),
            self.modes,
            effort,
            self.limits,
        );
        let (entry, mut memory, arguments) = match self.start {
            Start::Target(target) => {
                let name = format!("nanoscope_run_{}", target.entry);
                let Some(entry) = self.code.named(&name) else {
                    return Err(format!("there is no entry `{name}` in the code"));
                };
                let (memory, arguments) = start::vectors(target, inputs, &machine.globals);
                (entry, memory, arguments)
            }
            Start::Program(main) => (main, Memory::default(), Vec::new()),
            Start::Function(function) => {
                let mut memory = Memory::default();
                memory.forget_all(&machine.globals);
                (function, memory, Vec::new())
            }
        };
        if !self.code.function(entry).is_defined() {
            return Err("its code is not here".into());
        }
        for &constructor in &self.code.constructors {
            if matches!(self.start, Start::Function(_))
                || !self.code.function(constructor).is_defined()
            {
                memory.forget_all(&machine.globals);
                continue;
            }
            match machine.enter(constructor, &[], memory) {
                Some((_, after)) => memory = after,
                None => {
                    memory = Memory::default();
                    memory.forget_all(&machine.globals);
                }
            }
        }
        let returned = machine.enter(entry, &arguments, memory);
        if let (Some((_, mut memory)), Start::Program(_)) = (returned, self.start) {
            for &destructor in &self.code.destructors {
                if self.code.function(destructor).is_defined()
                    && let Some((_, after)) = machine.enter(destructor, &[], memory.clone())
                {
                    memory = after;
                }
            }
        }
        self.steps += machine.steps;
        match machine.stopped {
            Some(why) => Err(why),
            None => Ok(machine.seen()),
        }
    }

    /// What of a record is still open and wanted.
    fn open(&self, record: &Record) -> bool {
        record.sites.iter().any(|(site, range)| {
            EVERY
                .iter()
                .any(|&exception| range.may_raise(exception) && self.is_wanted(*site, exception))
        })
    }

    fn is_wanted(&self, site: SiteId, exception: Exception) -> bool {
        let wanted = self.options.wanted.as_ref();
        wanted.is_none_or(|wanted| wanted.contains(&(site, exception)))
    }

    /// Cuts the input space where something is open, the largest parts first.
    fn cut(&mut self, first: Part) -> Vec<Part> {
        let mut parts = vec![first];
        let mut waiting: std::collections::VecDeque<usize> = [0].into();
        while let Some(index) = waiting.pop_front() {
            let enough = parts.len() >= self.options.parts || self.steps >= MOST_STEPS;
            if enough || self.limits.over() {
                break;
            }
            if !self.open(&parts[index].record) {
                continue;
            }
            let inputs = &parts[index].inputs;
            let widest = (0..inputs.len()).max_by(|&a, &b| {
                start::extent(&inputs[a]).total_cmp(&start::extent(&inputs[b])).then(b.cmp(&a))
            });
            let Some(widest) = widest else { continue };
            let Some((left, right)) = start::halves(&inputs[widest]) else { continue };
            let effort = parts[index].effort;
            let mut found = Vec::new();
            for half in [left, right] {
                let mut inputs = inputs.clone();
                inputs[widest] = half;
                match self.look(&inputs, effort) {
                    Ok(mut record) => {
                        record.restrict(&parts[index].record);
                        found.push(Part { inputs, record: Rc::new(record), effort });
                    }
                    Err(_) => break,
                }
            }
            if let [_, _] = found[..] {
                let second = found.pop().expect("two");
                parts[index] = found.pop().expect("two");
                parts.push(second);
                waiting.extend([index, parts.len() - 1]);
            }
        }
        parts
    }

    fn report(&self, parts: &[Part]) -> Findings {
        let mut record = Record::default();
        parts.iter().for_each(|part| record.join(&part.record));
        // Functions that were not followed everywhere meet more than what was seen.
        let given_up = std::mem::take(&mut record.given_up);
        record.sites.retain(|_, range| !given_up.contains(&range.function));
        let mut findings =
            Findings { parts: parts.len(), steps: self.steps, ..Findings::default() };
        for (number, function) in self.code.functions.iter().enumerate() {
            let id = FunctionId(number as u32);
            let given_up = given_up.contains(&id);
            for (block_number, block) in function.blocks.iter().enumerate() {
                let block_id = BlockId(block_number as u32);
                let reached = given_up || record.blocks.contains(&(id, block_id));
                if !reached {
                    findings.unreachable.insert((id, block_id));
                }
                for (position, instruction) in block.instructions.iter().enumerate() {
                    if let Act::Call { callee: Callee::Function(callee), .. } = &instruction.act
                        && library::is_failure(&self.code.function(*callee).name)
                    {
                        findings.failures.push(FailureCall {
                            function: id,
                            callee: self.code.function(*callee).name.clone(),
                            location: instruction.location,
                            may_be_reached: given_up
                                || record.calls.contains(&(id, block_id, position)),
                        });
                    }
                    let Some(site) = instruction.site else { continue };
                    if given_up {
                        findings.impossible.retain(|(known, _), _| *known != site);
                        continue;
                    }
                    let range = record.sites.get(&site);
                    for exception in EVERY {
                        if self.is_wanted(site, exception)
                            && range.is_none_or(|range| !range.may_raise(exception))
                        {
                            findings.impossible.insert((site, exception), why(range));
                        }
                    }
                }
            }
        }
        if let Start::Target(target) = self.start {
            findings.assumptions.extend(target.assumptions.iter().cloned());
            for (&site, range) in &record.sites {
                let open = |e: &Exception| range.may_raise(*e) && self.is_wanted(site, *e);
                for exception in EVERY.into_iter().filter(open) {
                    let hull = needs(parts, site, exception);
                    findings.needs.insert((site, exception), hull);
                }
            }
        }
        findings.sites = record.sites;
        if record.libm {
            findings.assumptions.push(libm::ASSUMPTION.into());
        }
        findings.accesses_stay_inside = !record.clipped && given_up.is_empty();
        if record.clipped {
            findings
                .assumptions
                .push("no access goes outside of the object it is meant for".into());
        }
        if !record.foreign.is_empty() {
            let names: Vec<String> = record.foreign.iter().map(|n| format!("`{n}`")).collect();
            findings.assumptions.push(format!(
                "code that is not here ({}) changes only what it can reach and calls back only \
                 what it is handed",
                names.join(", ")
            ));
        }
        findings.assumptions.push(match self.modes {
            Modes::Nearest => "operations round to nearest, ties to even".into(),
            Modes::Any => "operations round in any mode".into(),
        });
        findings.assumptions.push("subnormal numbers are not flushed to zero".into());
        // A compiler takes it for granted, and what it makes of the program may do otherwise.
        findings.assumptions.push(
            "nothing undefined happens on the way, such as overflow of a signed integer".into(),
        );
        findings
    }
}

/// Why something cannot happen.
fn why(range: Option<&SiteRange>) -> String {
    let Some(range) = range else { return "control never comes here".into() };
    let list =
        |floats: &[Floats]| floats.iter().map(Floats::to_string).collect::<Vec<_>>().join(", ");
    if !range.integers.is_empty() {
        let list: Vec<String> = range.integers.iter().map(Integers::to_string).collect();
        return format!("with operands in {} the result fits", list.join(", "));
    }
    match (range.operands.is_empty(), &range.result) {
        (false, Some(result)) => {
            format!("with operands in {} the result stays in {result}", list(&range.operands))
        }
        (false, None) => format!("the operands stay in {}", list(&range.operands)),
        (true, Some(result)) => format!("the result stays in {result}"),
        (true, None) => "the ranges of the operands exclude it".into(),
    }
}

/// The hull of the parts in which an exception may be raised.
fn needs(parts: &[Part], site: SiteId, exception: Exception) -> Vec<Option<Ends>> {
    let mut hull: Option<Inputs> = None;
    for part in parts {
        let may = part.record.sites.get(&site).is_some_and(|range| range.may_raise(exception));
        if may {
            hull = Some(match hull {
                None => part.inputs.clone(),
                Some(hull) => hull.iter().zip(&part.inputs).map(|(a, b)| a.join(b)).collect(),
            });
        }
    }
    let encode = |value: &Value| match value {
        Value::Float(floats) if !floats.nan => {
            let (lo, hi) = floats.bounds()?;
            let bits = |at| crate::grid::number(floats.format, at).to_bits();
            Some((bits(lo)?, bits(hi)?))
        }
        Value::Integer(integers) => {
            let mask = u128::MAX >> (128 - integers.bits);
            Some((integers.lo as u128 & mask, integers.hi as u128 & mask))
        }
        Value::Float(_) | Value::Anything | Value::Zeros | Value::Pointer(_) | Value::Parts(_) => {
            None
        }
    };
    hull.unwrap_or_default().iter().map(encode).collect()
}
