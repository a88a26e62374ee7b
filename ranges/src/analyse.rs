//! The analysis as a whole: runs of growing effort over the whole input space, then over
//! partitions of it.

use crate::calls::{graph, library};
use crate::domain::point::Domains;
use crate::exceptions::EVERY;
use crate::fixpoint::interpreter::{Interpreter, Learnt};
use crate::fixpoint::thresholds::Thresholds;
use crate::fixpoint::unbounded::Unbounded;
use crate::input_partitions::{self, Part, Wanted};
use crate::integers::Integers;
use crate::libm;
use crate::memory::Memory;
use crate::memory::contents::constant_value;
use crate::policy::{
    ALONE, COARSE, DEEP, DEEP_FACTOR, DEEP_PARTITION_TIME, Effort, FULL, Limits, MOST_STEPS, QUICK,
    STACK, THOROUGH, WIDE, WIDE_FACTOR,
};
use crate::record::{Record, SiteRange};
use crate::start::{self, Inputs, Start};
use crate::value::AbstractValue;
use nanoscope_program::ir::{Act, BlockId, Callee, Code, FunctionId, LocationId};
use nanoscope_program::{Exception, SiteId};
use nanoscope_sets::{Floats, Modes};
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
    pub wanted: Wanted,
    /// The most parts that the input space is cut into; 1 leaves it whole.
    pub parts: usize,
    /// The domains of the product that it uses.
    pub domains: Domains,
    /// What an earlier analysis has seen of the whole input space: it is not looked at again.
    pub known: Option<Whole>,
}

/// What was seen of the whole input space, with which effort.
#[derive(Clone, Debug)]
pub struct Whole {
    record: Record,
    effort: Effort,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            deadline: None,
            processor: None,
            rounding: Modes::NEAREST,
            wanted: None,
            parts: 32,
            domains: Domains::default(),
            known: None,
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
    /// Whether every access was seen to stay inside the object it is meant for.
    pub accesses_stay_inside: bool,
    /// Whether no integer was seen to be divided by zero or shifted too far.
    pub integers_are_defined: bool,
    /// The loops whose variables were not bounded, with the reason.
    pub unbounded: Vec<UnboundedLoop>,
    /// What all of this rests on.
    pub assumptions: Vec<String>,
    /// Into how many parts the input space was cut.
    pub parts: usize,
    /// What was seen of the whole of it.
    pub whole: Option<Whole>,
    /// How many instructions were run on ranges.
    pub steps: u64,
}

/// A loop whose variables were not bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnboundedLoop {
    /// Where its head stands.
    pub location: LocationId,
    /// Why.
    pub why: Unbounded,
}

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

/// The sites that goals are about.
fn sites_of(wanted: &BTreeSet<(SiteId, Exception)>) -> BTreeSet<SiteId> {
    wanted.iter().map(|(site, _)| *site).collect()
}

struct Analysis<'a> {
    code: &'a Code,
    start: Start<'a>,
    options: &'a Options,
    modes: Modes,
    limits: Limits,
    constants: Rc<Vec<AbstractValue>>,
    thresholds: Rc<Thresholds>,
    /// What earlier runs have learnt; it is lent to the one under way.
    learnt: Option<Learnt<'a>>,
    steps: u64,
}

impl<'a> Analysis<'a> {
    fn new(code: &'a Code, start: Start<'a>, options: &'a Options) -> Analysis<'a> {
        let constants: Vec<AbstractValue> =
            code.constants.iter().map(|(ty, constant)| constant_value(constant, ty)).collect();
        let thresholds = Thresholds::of_functions(code, &code.functions);
        let entry = match start {
            Start::Target(target) => code.named(&format!("nanoscope_run_{}", target.entry)),
            Start::Program(main) => Some(main),
            // Whoever calls it may have changed the mode before.
            Start::Function(_) => None,
        };
        let changed = graph::changes_rounding(code, entry);
        let modes = if changed { Modes::ALL } else { options.rounding };
        // The thread that works on it may have worked before.
        let processor = options.processor.map(|(time, clock)| (clock() + time, clock));
        Analysis {
            limits: Limits { deadline: options.deadline, processor },
            code,
            start,
            options,
            modes,
            thresholds: Rc::new(thresholds),
            constants: Rc::new(constants),
            learnt: None,
            steps: 0,
        }
    }

    fn run(mut self) -> Findings {
        let whole: Inputs = match self.start {
            Start::Target(target) => target.inputs.iter().map(start::admitted).collect(),
            Start::Program(_) | Start::Function(_) => Vec::new(),
        };
        let first = match &self.options.known {
            Some(Whole { record, effort }) => Ok((record.clone(), *effort)),
            None => self.whole(&whole),
        };
        let (record, effort) = match first {
            Ok(first) => first,
            Err(why) => {
                return Findings { stopped: Some(why), steps: self.steps, ..Findings::default() };
            }
        };
        let seen = Whole { record: record.clone(), effort };
        let parts = self.cut(Part { inputs: whole, record: Rc::new(record), effort, vain: 0 });
        Findings { whole: Some(seen), ..self.report(&parts) }
    }

    /// Looks at the whole of the input space, with one effort after the other: what one
    /// excludes is excluded.
    fn whole(&mut self, inputs: &Inputs) -> Result<(Record, Effort), String> {
        let mut best: Option<(Record, Effort)> = None;
        let mut stopped = String::new();
        let (mut last, mut lasted) = (QUICK, Duration::ZERO);
        for effort in [QUICK, THOROUGH, COARSE, ALONE, FULL, DEEP, WIDE] {
            let small = best.as_ref().is_some_and(|(_, effort)| [QUICK, THOROUGH].contains(effort));
            let needless = match effort {
                THOROUGH => !small,
                COARSE | ALONE => best.is_some(),
                FULL | DEEP => best.as_ref().is_some_and(|(_, effort)| *effort == THOROUGH),
                WIDE => last != FULL,
                _ => false,
            };
            let expected = match effort {
                DEEP => lasted.mul_f64(DEEP_FACTOR),
                WIDE => lasted.mul_f64(WIDE_FACTOR),
                _ => Duration::ZERO,
            };
            // What is not likely to be done in time is not begun.
            if needless || self.limits.left() < expected {
                continue;
            }
            let begun = self.limits.left();
            match self.look(inputs, effort) {
                Ok(mut record) => {
                    (last, lasted) = (effort, begun.saturating_sub(self.limits.left()));
                    if let Some((before, _)) = &best {
                        record.restrict(before);
                    }
                    // A part need not be looked at as fully as the whole.
                    let effort = match effort {
                        FULL | WIDE => COARSE,
                        DEEP if lasted > DEEP_PARTITION_TIME => COARSE,
                        _ => effort,
                    };
                    best = Some((record, effort));
                }
                Err(why) => stopped = why,
            }
        }
        best.ok_or(stopped)
    }

    /// One run over a part of the input space.
    fn look(&mut self, inputs: &Inputs, effort: Effort) -> Result<Record, String> {
        let mut interpreter = Interpreter::new(
            self.learnt.take().unwrap_or_else(|| Learnt::new(self.code)),
            Rc::clone(&self.constants),
            Rc::clone(&self.thresholds),
            self.modes,
            effort,
            self.limits,
            self.options.domains,
        );
        let (entry, mut memory, arguments) = match self.start {
            Start::Target(target) => {
                let name = format!("nanoscope_run_{}", target.entry);
                let Some(entry) = self.code.named(&name) else {
                    return Err(format!("there is no entry `{name}` in the code"));
                };
                let (memory, arguments) = start::vectors(target, inputs, &interpreter.globals);
                (entry, memory, arguments)
            }
            Start::Program(main) => (main, Memory::default(), Vec::new()),
            Start::Function(function) => {
                let mut memory = Memory::default();
                memory.forget_all(&interpreter.globals);
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
                memory.forget_all(&interpreter.globals);
                continue;
            }
            match interpreter.enter(constructor, &[], memory) {
                Some((_, after)) => memory = after,
                None => {
                    memory = Memory::default();
                    memory.forget_all(&interpreter.globals);
                }
            }
        }
        let returned = interpreter.enter(entry, &arguments, memory);
        if let (Some((_, mut memory)), Start::Program(_)) = (returned, self.start) {
            for &destructor in &self.code.destructors {
                if self.code.function(destructor).is_defined()
                    && let Some((_, after)) = interpreter.enter(destructor, &[], memory.clone())
                {
                    memory = after;
                }
            }
        }
        self.steps += interpreter.steps;
        let looked = match interpreter.stopped.take() {
            Some(why) => Err(why),
            None => Ok(interpreter.recorded()),
        };
        self.learnt = Some(interpreter.learnt);
        looked
    }

    fn is_wanted(&self, site: SiteId, exception: Exception) -> bool {
        let wanted = self.options.wanted.as_ref();
        wanted.is_none_or(|wanted| wanted.contains(&(site, exception)))
    }

    /// Cuts the input space where that may settle something.
    fn cut(&mut self, first: Part) -> Vec<Part> {
        let mut parts = vec![first];
        while parts.len() < self.options.parts && self.steps < MOST_STEPS && !self.limits.over() {
            let Some(index) = input_partitions::most_promising(&parts, &self.options.wanted) else {
                break;
            };
            let Part { ref inputs, ref record, effort, vain } = parts[index];
            let mut found = Vec::new();
            for inputs in input_partitions::halves(inputs, &self.thresholds).into_iter().flatten() {
                if let Ok(mut seen) = self.look(&inputs, effort) {
                    seen.restrict(record);
                    found.push(Part { inputs, record: Rc::new(seen), effort, vain });
                }
            }
            let Ok([mut left, mut right]) = <[Part; 2]>::try_from(found) else {
                parts[index].vain = input_partitions::FINAL;
                continue;
            };
            let open = |part: &Part| part.open(&self.options.wanted).count();
            let whole = open(&parts[index]);
            for half in [&mut left, &mut right] {
                half.vain = if open(half) < whole { 0 } else { vain + 1 };
            }
            parts[index] = left;
            parts.push(right);
        }
        parts
    }

    /// The loops that no run has found bounds of.
    fn unbounded(&self) -> Vec<UnboundedLoop> {
        let unbounded = self.learnt.iter().flat_map(|learnt| &learnt.unbounded);
        let located = unbounded.map(|((function, head), why)| {
            let head = self.code.function(*function).block(*head);
            let acts = head.instructions.iter().map(|instruction| instruction.location);
            let mut locations = acts.chain([head.end_location]);
            let location = locations.find(|location| *location != LocationId::default());
            UnboundedLoop { location: location.unwrap_or_default(), why: *why }
        });
        located.collect()
    }

    fn report(&self, parts: &[Part]) -> Findings {
        let mut record = Record::default();
        parts.iter().for_each(|part| record.join(&part.record));
        // Functions that were not followed everywhere meet more than what was seen.
        let given_up = std::mem::take(&mut record.given_up);
        record.sites.retain(|_, seen| !given_up.contains(&seen.function));
        let sites: BTreeMap<SiteId, SiteRange> =
            record.sites.iter().map(|(site, seen)| (*site, seen.range())).collect();
        let mut findings =
            Findings { parts: parts.len(), steps: self.steps, ..Findings::default() };
        findings.unbounded = self.unbounded();
        let asked = self.options.wanted.as_ref().map(sites_of);
        let (mut unreachable, mut unknown) = (Vec::new(), BTreeSet::new());
        for (number, function) in self.code.functions.iter().enumerate() {
            let id = FunctionId(number as u32);
            let given_up = given_up.contains(&id);
            for (block_number, block) in function.blocks.iter().enumerate() {
                let block_id = BlockId(block_number as u32);
                let reached = given_up || record.blocks.contains(&(id, block_id));
                if !reached {
                    unreachable.push((id, block_id));
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
                        unknown.insert(site);
                        continue;
                    }
                    if asked.as_ref().is_some_and(|asked| !asked.contains(&site)) {
                        continue;
                    }
                    let range = sites.get(&site);
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
        findings.impossible.retain(|(site, _), _| !unknown.contains(site));
        findings.unreachable = unreachable.into_iter().collect();
        if let Start::Target(target) = self.start {
            findings
                .assumptions
                .extend(target.assumptions.iter().map(|assumption| assumption.text.clone()));
        }
        findings.sites = sites;
        if record.libm {
            findings.assumptions.push(libm::ASSUMPTION.into());
        }
        findings.accesses_stay_inside = !record.clipped && given_up.is_empty();
        findings.integers_are_defined = !record.undefined && given_up.is_empty();
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
            Modes::NEAREST => "operations round to nearest, ties to even".into(),
            _ => "operations round in any mode".into(),
        });
        if !self.code.flushes {
            findings.assumptions.push("subnormal numbers are not flushed to zero".into());
        }
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
