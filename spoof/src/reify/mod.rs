//! Reifying a spoofed exception: which inputs really cause it, on the path that lost it?
//!
//! The four questions are EXCVATE's (section III, component 3). All of them ask for inputs that
//! reach the instruction on the path of the trace and give the exceptional result there. Two
//! also ask that none of the inputs is exceptional, two that the path goes on as in the spoofed
//! run and no output is exceptional. A weaker question without a solution settles those that
//! imply it.
//!
//! A solution is a candidate: what really fails is seen when the function runs on it.

mod exact;
mod real;
#[cfg(test)]
mod tests;

pub(crate) use exact::is_exceptional;
pub use exact::{Judged, Judgement, Output, judge_exact};

use crate::lift::{Lifter, Symbol};
use crate::prototype::{Argument, Place};
use crate::trace::{Memory, State, Trace};
use nanoscope_ieee::{Operation, Word};
use nanoscope_search::Budget;
use nanoscope_solver::{Options, Solver, Verdict};
use nanoscope_term::smtlib::script_text;
use nanoscope_term::{Evaluation, Model, Term, Terms, Value, holds, standard};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The exceptional result that is to come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exceptional {
    /// Not a number.
    Nan,
    /// Plus infinity.
    PlusInfinity,
    /// Minus infinity.
    MinusInfinity,
}

/// Where an exception was spoofed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The number of the step in the trace.
    pub step: usize,
    /// The lane of the instruction's destination.
    pub lane: u32,
    /// What was spoofed there.
    pub result: Exceptional,
}

/// One of the four questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Question {
    /// The exception comes about.
    Reached,
    /// It does for inputs that are not exceptional.
    ReachedFinite,
    /// It does, the path goes on as in the trace, and no output is exceptional.
    Lost,
    /// All of that.
    LostFinite,
}

impl Question {
    /// All four, the weaker before those that imply it.
    pub const ALL: [Question; 4] =
        [Question::Reached, Question::ReachedFinite, Question::Lost, Question::LostFinite];

    /// Its name in the paper, for files.
    pub const fn name(self) -> &'static str {
        match self {
            Question::Reached => "q1",
            Question::ReachedFinite => "q1-finite",
            Question::Lost => "q2",
            Question::LostFinite => "q2-finite",
        }
    }

    const fn wants_finite_inputs(self) -> bool {
        matches!(self, Question::ReachedFinite | Question::LostFinite)
    }

    const fn wants_lost(self) -> bool {
        matches!(self, Question::Lost | Question::LostFinite)
    }

    /// Whether a solution of this one is a solution of the other.
    const fn implies(self, other: Question) -> bool {
        (self.wants_finite_inputs() || !other.wants_finite_inputs())
            && (self.wants_lost() || !other.wants_lost())
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a solution.
    Sat,
    /// There is none.
    Unsat,
    /// Undecided, and why.
    Unknown(String),
}

/// The questions about a site, as terms.
#[derive(Clone, Debug)]
pub struct Questions {
    inputs: Vec<Symbol>,
    /// The exception and the path before it.
    reached: Vec<Term>,
    /// The path after it, and outputs that are not exceptional.
    lost: Vec<Term>,
    /// Inputs that are not exceptional.
    finite: Vec<Term>,
    /// The inputs of the trace.
    base: Model,
    /// Instructions on unknowns that were not lifted, and how often they came.
    pub unlifted: BTreeMap<String, usize>,
}

impl Questions {
    /// What a question asserts.
    pub fn assertions(&self, question: Question) -> Vec<Term> {
        let mut all = self.reached.clone();
        if question.wants_lost() {
            all.extend_from_slice(&self.lost);
        }
        if question.wants_finite_inputs() {
            all.extend_from_slice(&self.finite);
        }
        all
    }
}

/// An input that solves a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The strongest question that it solves.
    pub question: Question,
    /// The elements that the solution gives values, by argument and element, with their bits.
    pub values: Vec<(usize, usize, u128)>,
}

/// What came of a site's questions.
#[derive(Clone, Debug, Default)]
pub struct Solved {
    /// Inputs to be run, the strongest first, each once.
    pub inputs: Vec<Input>,
    /// How the questions ended; those that were settled by another are missing.
    pub answers: BTreeMap<Question, Answer>,
}

/// The questions of a class of executions: they share terms and what the solver learns.
pub struct Class {
    terms: Terms,
    solver: Solver,
    /// Where to write the questions in SMT-LIB.
    dump: Option<PathBuf>,
}

impl Class {
    /// Nothing asked yet.
    pub fn new(seed: u64, dump: Option<PathBuf>) -> Class {
        let options = Options { seed, ..Options::default() };
        Class { terms: Terms::new(), solver: Solver::new(options), dump }
    }

    /// The questions about a spoof; `trace` is the run with the spoof. None where the result
    /// there does not depend on the inputs.
    pub fn questions(&mut self, trace: &Trace, site: Site) -> Option<Questions> {
        let mut lifter = Lifter::new(&mut self.terms);
        let inputs = lifter.enter(&trace.arguments);
        for step in &trace.steps[..(site.step + 1).min(trace.steps.len())] {
            lifter.step(step);
        }
        let before = lifter.path().len();
        let computed = lifter
            .computed()
            .iter()
            .rev()
            .find(|computed| computed.step == site.step && computed.lane == site.lane)?
            .float;
        for step in trace.steps.iter().skip(site.step + 1) {
            lifter.step(step);
        }
        let outputs = if trace.returned { lifter.leave(trace) } else { Vec::new() };
        let unlifted = lifter.unlifted().clone();
        let path: Vec<Term> = lifter.path().iter().map(|branch| branch.holds).collect();
        let terms = &mut self.terms;
        let exceptional = exceptional(terms, site.result, computed);
        let mut reached = path[..before].to_vec();
        reached.push(exceptional);
        let mut lost = path[before..].to_vec();
        let unknowns: BTreeSet<Term> = inputs.iter().map(|input| input.float).collect();
        for output in &outputs {
            // What was there before and was not touched tells nobody anything.
            if !unknowns.contains(&output.float) {
                lost.push(terms.fp(Operation::IsFinite, &[output.float]));
            }
        }
        let finite =
            inputs.iter().map(|input| terms.fp(Operation::IsFinite, &[input.float])).collect();
        let base = entry_model(terms, &inputs, trace);
        Some(Questions { inputs, reached, lost, finite, base, unlifted })
    }

    /// Asks the questions, each within `limit`, all within the budget.
    pub fn solve(
        &mut self,
        questions: &Questions,
        name: &str,
        limit: Duration,
        budget: &Budget,
    ) -> Result<Solved, nanoscope_solver::Defect> {
        let mut solved = Solved::default();
        let mut models: Vec<Model> = Vec::new();
        let mut unsat: Vec<Question> = Vec::new();
        for question in Question::ALL {
            if unsat.iter().any(|weaker| question.implies(*weaker)) {
                continue;
            }
            if budget.exhausted() {
                break;
            }
            let assertions = questions.assertions(question);
            if let Some(folder) = &self.dump {
                write_query(&mut self.terms, folder, name, question, &assertions);
            }
            // A solution of a weaker question may do, or a simple change of the trace's input.
            let known = models.iter().find(|model| holds(&self.terms, model, &assertions)).cloned();
            let found = match known.or_else(|| self.guess(questions, question, &assertions)) {
                Some(model) => Verdict::Sat(model),
                None => {
                    let hint = models.last().unwrap_or(&questions.base).clone();
                    let slice = budget.slice(limit);
                    self.solver.decide(&mut self.terms, &assertions, Some(&hint), &slice)?
                }
            };
            let answer = match found {
                Verdict::Sat(model) => {
                    models.push(model);
                    Answer::Sat
                }
                Verdict::Unsat => {
                    unsat.push(question);
                    Answer::Unsat
                }
                Verdict::Unknown(reason) => Answer::Unknown(reason.to_string()),
            };
            solved.answers.insert(question, answer);
        }
        for model in models {
            let strongest = Question::ALL
                .into_iter()
                .rev()
                .find(|question| holds(&self.terms, &model, &questions.assertions(*question)));
            let values = values(&self.terms, &questions.inputs, &questions.base, &model);
            let question = strongest.unwrap_or(Question::Reached);
            if solved.inputs.iter().all(|known| known.values != values) {
                solved.inputs.push(Input { question, values });
            }
        }
        solved.inputs.sort_by_key(|input| std::cmp::Reverse(input.question));
        Ok(solved)
    }

    /// The trace's input with one or two of its elements exchanged for boundary values.
    fn guess(
        &mut self,
        questions: &Questions,
        question: Question,
        assertions: &[Term],
    ) -> Option<Model> {
        let target = *questions.reached.last()?;
        let below: BTreeSet<Term> = self.terms.below(&[target]).into_iter().collect();
        let support: Vec<Term> = questions
            .inputs
            .iter()
            .map(|input| input.float)
            .filter(|v| below.contains(v))
            .collect();
        let work = self.terms.below(assertions).len().max(1);
        let mut left = (400_000 / work).clamp(50, 2_000);
        let finite = question.wants_finite_inputs();
        for variable in &support {
            for value in boundary(&self.terms, *variable, finite) {
                if left == 0 {
                    return None;
                }
                left -= 1;
                let mut model = questions.base.clone();
                model.set(self.terms.as_variable(*variable)?, value);
                if holds(&self.terms, &model, assertions) {
                    return Some(model);
                }
            }
        }
        for (at, first) in support.iter().enumerate() {
            for second in &support[at + 1..] {
                for a in boundary(&self.terms, *first, true) {
                    for b in boundary(&self.terms, *second, true) {
                        if left == 0 {
                            return None;
                        }
                        left -= 1;
                        let mut model = questions.base.clone();
                        model.set(self.terms.as_variable(*first)?, a.clone());
                        model.set(self.terms.as_variable(*second)?, b);
                        if holds(&self.terms, &model, assertions) {
                            return Some(model);
                        }
                    }
                }
            }
        }
        None
    }
}

/// That a float is as it was spoofed.
fn exceptional(terms: &mut Terms, result: Exceptional, float: Term) -> Term {
    let format = terms.format(float);
    match result {
        Exceptional::Nan => terms.fp(Operation::IsNan, &[float]),
        Exceptional::PlusInfinity | Exceptional::MinusInfinity => {
            let negative = result == Exceptional::MinusInfinity;
            let infinity = terms.constant(Value::infinity(format, negative));
            terms.equal(float, infinity)
        }
    }
}

/// Boundary values of an unknown's format.
fn boundary(terms: &Terms, variable: Term, finite: bool) -> Vec<Value> {
    use nanoscope_ieee::Float;
    let format = terms.format(variable);
    let mut all = Vec::new();
    if !finite {
        all.push(Value::nan(format));
        all.push(Value::infinity(format, false));
        all.push(Value::infinity(format, true));
    }
    for negative in [false, true] {
        let largest = Float::largest(format, negative);
        all.push(Value::float(format, largest.word().clone()));
    }
    all.push(Value::zero(format, false));
    all.push(Value::float(format, Float::smallest(format, false).word().clone()));
    all
}

/// The values of the inputs at entry.
pub(crate) fn entry_model(terms: &Terms, inputs: &[Symbol], trace: &Trace) -> Model {
    let mut model = Model::new();
    for input in inputs {
        let element = &trace.arguments[input.argument].elements[input.element];
        let bits = trace.arguments[input.argument].bits;
        let value = value_at(element.place, bits, &trace.entry, &trace.memory);
        if let (Some(variable), Some(value)) = (terms.as_variable(input.float), value) {
            model.set(variable, value);
        }
    }
    model
}

/// The float in a place of registers and memory.
pub(crate) fn value_at(place: Place, bits: u32, state: &State, memory: &[Memory]) -> Option<Value> {
    let size = if bits > 64 { 10 } else { bits as usize / 8 };
    let bytes: Vec<u8> = match place {
        Place::Memory(address) => {
            memory.iter().find_map(|piece| piece.get(address, size))?.to_vec()
        }
        Place::General { register, byte } => {
            let byte = usize::from(byte);
            state.general[register as usize].to_le_bytes().get(byte..byte + size)?.to_vec()
        }
        Place::Vector { register, byte } => {
            state.vectors[register as usize].get(byte as usize..byte as usize + size)?.to_vec()
        }
        Place::X87(index) => state.x87.stack[usize::from(index)].to_vec(),
    };
    if bits > 64 || matches!(place, Place::X87(_)) {
        return Some(crate::lift::extended(&bytes.try_into().ok()?));
    }
    let value = bytes.iter().rev().fold(0, |all, byte| all << 8 | u128::from(*byte));
    let format = crate::lift::format_of(bits)?;
    Some(Value::float(format, Word::new(bits, value)))
}

/// The elements whose values in a model differ from the trace's, or all that it mentions.
fn values(
    terms: &Terms,
    inputs: &[Symbol],
    base: &Model,
    model: &Model,
) -> Vec<(usize, usize, u128)> {
    inputs
        .iter()
        .filter_map(|input| {
            let variable = terms.as_variable(input.float)?;
            // What the question does not mention stays as it was.
            let value = model.variables.get(&variable).or(base.variables.get(&variable))?;
            let (_, bits) = value.as_float()?;
            Some((input.argument, input.element, crate::lift::encoded(bits)))
        })
        .collect()
}

fn write_query(
    terms: &mut Terms,
    folder: &Path,
    name: &str,
    question: Question,
    assertions: &[Term],
) {
    let written = standard(terms, assertions).unwrap_or_else(|_| assertions.to_vec());
    let text = script_text(terms, &written);
    let file = folder.join(format!("{name}-{question}.smt2"));
    // The queries are for reading; that one cannot be written stops nothing.
    let _ = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, text));
}

/// The results that are exceptional in a run, by step: the lane, and what it is. Results that do not
/// depend on the inputs are left out.
pub fn exceptional_results(trace: &Trace) -> BTreeMap<usize, Vec<(u32, Exceptional)>> {
    let mut terms = Terms::new();
    let mut lifter = Lifter::new(&mut terms);
    let inputs = lifter.enter(&trace.arguments);
    trace.steps.iter().for_each(|step| lifter.step(step));
    let computed = lifter.computed().to_vec();
    let model = entry_model(&terms, &inputs, trace);
    let mut evaluation = Evaluation::new(&terms, &model);
    let mut all: BTreeMap<usize, Vec<(u32, Exceptional)>> = BTreeMap::new();
    for result in computed {
        let value = evaluation.value(result.float);
        let Some((format, _)) = value.as_float() else { continue };
        let what = if *value == Value::infinity(format, false) {
            Exceptional::PlusInfinity
        } else if *value == Value::infinity(format, true) {
            Exceptional::MinusInfinity
        } else if is_exceptional(value) {
            Exceptional::Nan
        } else {
            continue;
        };
        all.entry(result.step).or_default().push((result.lane, what));
    }
    all
}

/// The questions about one site, and the terms they live in.
pub fn questions(trace: &Trace, site: Site) -> Option<(Class, Questions)> {
    let mut class = Class::new(1, None);
    let questions = class.questions(trace, site)?;
    Some((class, questions))
}

/// The inputs of a run as the terms of its lifted trace know them, for evaluation.
pub(crate) fn evaluation<'a>(terms: &'a Terms, model: &'a Model) -> Evaluation<'a> {
    Evaluation::new(terms, model)
}

/// The names and values of arguments that a solution changes, for people.
pub fn describe(arguments: &[Argument], input: &Input) -> Vec<(String, String)> {
    input
        .values
        .iter()
        .filter_map(|(argument, element, bits)| {
            let argument = arguments.get(*argument)?;
            let element = argument.elements.get(*element)?;
            let text = match argument.bits {
                32 => f32::from_bits(*bits as u32).to_string(),
                64 => f64::from_bits(*bits as u64).to_string(),
                _ => format!("{bits:#x}"),
            };
            Some((element.name.clone(), text))
        })
        .collect()
}
