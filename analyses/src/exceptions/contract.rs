//! Contracts: what the user says about functions. What may be assumed of the inputs
//! together, how a function tells that it failed, which outputs are its values.

use crate::condition::{self, Bound, Condition};
use nanoscope_explore::Assumption;
use nanoscope_native::Admission;
use nanoscope_program::{Fault, Output, Scalar, Target, Wish, is_the_same};
use nanoscope_term::{Term, Terms};

/// What the user says about functions, as it was written.
#[derive(Clone, Debug, Default)]
pub struct Contracts {
    /// C expressions over the inputs that hold of every call: `x > 0`, or `f: x > 0` for one
    /// function's.
    pub assume: Vec<String>,
    /// A C expression over the outputs that tells success: `ret == 0`, or `f: ret == 0`.
    pub status_ok: Vec<String>,
    /// The outputs that are results; empty: all floats but estimates of errors.
    pub values: Vec<Wish<()>>,
    /// The first so many of `assume` are about whoever has such inputs; that nobody has is no
    /// mistake.
    pub shared_assume: usize,
    /// The same of `status_ok`.
    pub shared_status_ok: usize,
}

/// What was said about one function, looked up in its inputs and outputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contract {
    assumed: Vec<Bound>,
    /// What was found out about integers and the arrays they belong to, and how that is told.
    inferred: Vec<(Bound, String)>,
    /// Lengths of arrays that were found out, as they are told.
    extents: Vec<String>,
    status: Option<Bound>,
    /// Positions of the outputs that are results.
    pub values: Vec<usize>,
}

/// Outputs of these names are estimates of errors, not results.
const ESTIMATES: &[&str] = &["err", "error", "abserr"];

impl Contracts {
    /// Looks everything up for each target, and narrows the targets' ranges by it.
    pub(crate) fn of(&self, targets: &mut [&mut Target]) -> Result<Vec<Contract>, Fault> {
        let mut list = vec![Contract::default(); targets.len()];
        for (at, text) in self.assume.iter().enumerate() {
            let said = Said::read("--assume", text)?;
            let mut all: Vec<Option<Bound>> = Vec::new();
            for target in targets.iter() {
                all.push(said.about(target, &condition::inputs(target))?);
            }
            if at >= self.shared_assume {
                said.concerns_somebody(&all, targets, &condition::inputs)?;
            }
            for ((contract, bound), target) in list.iter_mut().zip(all).zip(targets.iter_mut()) {
                if let Some(bound) = bound {
                    condition::narrow(&bound, &mut target.inputs);
                    contract.assumed.push(bound);
                }
            }
        }
        for (at, text) in self.status_ok.iter().enumerate() {
            let said = Said::read("--status-ok", text)?;
            let mut all = Vec::new();
            for target in targets.iter() {
                all.push(said.about(target, &condition::outputs(target))?);
            }
            if at >= self.shared_status_ok {
                said.concerns_somebody(&all, targets, &condition::outputs)?;
            }
            for (contract, bound) in list.iter_mut().zip(all) {
                contract.status = bound.or(contract.status.take());
            }
        }
        for (contract, target) in list.iter_mut().zip(targets.iter()) {
            contract.values = self.values_of(target);
        }
        Ok(list)
    }

    fn values_of(&self, target: &Target) -> Vec<usize> {
        let outputs = || target.outputs.iter().enumerate();
        let named = |output: &Output| {
            self.values.iter().any(|wish| {
                let written = if wish.name == "ret" { "return" } else { &wish.name };
                wish.concerns(&target.function) && written == output.name
            })
        };
        let chosen: Vec<usize> = outputs().filter(|(_, o)| named(o)).map(|(at, _)| at).collect();
        if !chosen.is_empty() {
            return chosen;
        }
        let is_float = |output: &Output| matches!(output.scalar, Scalar::Float(_));
        let is_estimate = |output: &Output| {
            let last = output.name.rsplit(['.', '>', '*']).next().unwrap_or("");
            ESTIMATES.contains(&last)
        };
        let pick = |wanted: &dyn Fn(&Output) -> bool| {
            outputs().filter(|(_, o)| wanted(o)).map(|(at, _)| at).collect::<Vec<usize>>()
        };
        let floats = pick(&|output| is_float(output) && !is_estimate(output));
        if !floats.is_empty() {
            return floats;
        }
        let floats = pick(&is_float);
        if floats.is_empty() { outputs().map(|(at, _)| at).collect() } else { floats }
    }
}

impl Contract {
    /// Which points may be run.
    pub fn admission(&self) -> Option<Admission> {
        if self.is_empty() {
            return None;
        }
        let assumed = self.all();
        Some(Admission::new(move |point| assumed.iter().all(|condition| condition.holds(point))))
    }

    /// The same for an exploration, as terms.
    pub fn assumption(&self) -> Option<Assumption> {
        if self.is_empty() {
            return None;
        }
        let assumed = self.all();
        let encode = move |terms: &mut Terms, inputs: &[Term]| {
            assumed.iter().flat_map(|condition| condition.encode(terms, inputs)).collect()
        };
        Some(Assumption::new(encode))
    }

    /// What is assumed, as far as it compares real numbers.
    pub fn orders(&self) -> Vec<condition::Order> {
        self.assumed.iter().flat_map(condition::orders).collect()
    }

    /// Whether a point is within what is assumed.
    pub fn admits(&self, point: &[u64]) -> bool {
        let inferred = self.inferred.iter().map(|(condition, _)| condition);
        self.assumed.iter().chain(inferred).all(|condition| condition.holds(point))
    }

    /// Adds what was found out; `text` is a condition over the inputs.
    pub fn infer(&mut self, target: &Target, text: &str, told: String) {
        let condition = Condition::parse(text).ok();
        let bound = condition.and_then(|it| it.bind(&condition::inputs(target)).ok());
        self.inferred.extend(bound.map(|bound| (bound, told)));
    }

    /// A target with the ranges of its inputs narrowed by what was found out.
    pub fn narrowed(&self, target: &Target) -> Target {
        let mut target = target.clone();
        for (bound, _) in &self.inferred {
            condition::narrow(bound, &mut target.inputs);
        }
        target
    }

    /// Adds how long an array has to be.
    pub fn infer_extent(&mut self, array: &str, extent: String) {
        self.extents.push(format!("`{array}` has {extent} elements"));
    }

    fn is_empty(&self) -> bool {
        self.assumed.is_empty() && self.inferred.is_empty()
    }

    fn all(&self) -> Vec<Bound> {
        let inferred = self.inferred.iter().map(|(condition, _)| condition);
        self.assumed.iter().chain(inferred).cloned().collect()
    }

    /// The condition of success, if it does not hold of these outputs.
    pub fn failure(&self, outputs: &[u64]) -> Option<&str> {
        let status = self.status.as_ref()?;
        (!status.holds(outputs)).then(|| status.text())
    }

    /// What is assumed, in the user's words, and what was found out.
    pub fn assumptions(&self) -> impl Iterator<Item = &str> {
        let inferred = self.inferred.iter().map(|(_, told)| told.as_str());
        self.assumed.iter().map(Bound::text).chain(inferred)
    }

    /// How long arrays have to be that nobody told the length of, as far as trials show.
    pub fn extents(&self) -> &[String] {
        &self.extents
    }
}

/// A condition and the function it is about.
struct Said<'t> {
    option: &'static str,
    text: &'t str,
    function: Option<String>,
    condition: Condition,
}

impl<'t> Said<'t> {
    fn read(option: &'static str, text: &'t str) -> Result<Said<'t>, Fault> {
        let (function, rest) = condition::split_function(text);
        let condition =
            Condition::parse(rest).map_err(|why| Fault::User(format!("{option}: {why}")))?;
        Ok(Said { option, text, function, condition })
    }

    /// Bound to a target; nothing where it is about others. Said of no function in
    /// particular, it is about those that have all of its names.
    fn about(&self, target: &Target, slots: &[condition::Slot]) -> Result<Option<Bound>, Fault> {
        match &self.function {
            Some(function)
                if !is_the_same(function, &target.function) && *function != target.symbol =>
            {
                Ok(None)
            }
            Some(_) => match self.condition.bind(slots) {
                Ok(bound) => Ok(Some(bound)),
                Err(name) => Err(self.no_such(&name, slots)),
            },
            None => Ok(self.condition.bind(slots).ok()),
        }
    }

    fn concerns_somebody(
        &self,
        bound: &[Option<Bound>],
        targets: &[&mut Target],
        slots: &dyn Fn(&Target) -> Vec<condition::Slot>,
    ) -> Result<(), Fault> {
        if targets.is_empty() || bound.iter().any(Option::is_some) {
            return Ok(());
        }
        match (&self.function, targets) {
            (Some(function), _) => Err(Fault::User(format!(
                "{} \"{}\": `{function}` is not among the functions analysed",
                self.option, self.text
            ))),
            (None, targets) => {
                let slots = slots(targets[0]);
                let name = self.condition.bind(&slots).err().unwrap_or_default();
                Err(self.no_such(&name, &slots))
            }
        }
    }

    fn no_such(&self, name: &str, slots: &[condition::Slot]) -> Fault {
        let mut names: Vec<&str> = slots.iter().map(|slot| slot.name.as_str()).collect();
        names.truncate(12);
        let what = if self.option == "--assume" { "input" } else { "output" };
        Fault::User(format!(
            "{} \"{}\": no {what} is called `{name}`; there are: {}",
            self.option,
            self.text,
            names.join(", ")
        ))
    }
}
