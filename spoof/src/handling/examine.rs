//! One execution of a function under test: what it takes and gives, and what becomes of spoofed
//! inputs and results.

use super::numbers::scalar_bytes;
use super::observe::{MOST_STEPS as OBSERVED_STEPS, Unobserved, observe};
use super::turns::spread;
use crate::prototype::{
    Argument, Bound, Element, Environment, NoValue, Place, Prototype, RAISES, Reader, Scalar,
    USUAL, bind,
};
use crate::run::{
    Ended, Ending, Gone, Layout, Modules, Output, Patch, Region, Worker, patch_place,
};
use crate::sites::{Lane, Spoof};
use crate::trace::{Memory, State};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Why an execution was not spoofed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The call does not fit the prototype, or not its `require`.
    Prototype(String),
    /// Without any spoof it already reports, crashes or returns an exceptional value.
    Already(&'static str),
    /// The process that stood for it went away.
    Lost,
}

impl From<Gone> for Unfit {
    fn from(_: Gone) -> Unfit {
        Unfit::Lost
    }
}

/// What was spoofed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cause {
    /// An input.
    Input {
        /// The argument's number.
        argument: usize,
        /// The element's number in it.
        element: usize,
        /// What was put there.
        spoof: Spoof,
    },
    /// A result.
    Result {
        /// The instruction.
        address: u64,
        /// Its execution in this call, from 0.
        execution: u64,
        /// The lane of its destination.
        lane: Lane,
        /// What was put there.
        spoof: Spoof,
    },
    /// Inputs that the solver gave.
    Solved {
        /// Argument, element, bits.
        #[serde(with = "super::encoding::wide")]
        values: Vec<(usize, usize, u128)>,
    },
}

impl Effect {
    /// Whether it is no failure.
    pub fn is_harmless(self) -> bool {
        match self {
            Effect::Endless | Effect::Crash(_) | Effect::Wrong | Effect::Swallowed => false,
            Effect::Limit | Effect::Harmless | Effect::Unjudged => true,
        }
    }
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Effect {
    /// The function does not return.
    Endless,
    /// A signal stopped it.
    Crash(u8),
    /// No output is exceptional, and nothing is reported.
    Swallowed,
    /// As before, the inputs are finite, and an output is far from the real result.
    Wrong,
    /// As before, but the outputs are those of a very large input: what an infinity means.
    Limit,
    /// As before, the inputs are finite, and the outputs are right.
    Harmless,
    /// As before, the inputs are finite, and it cannot be said whether the outputs are right.
    Unjudged,
}

/// What an output should be: the argument, the element, the value.
pub type ExactOutput = (usize, usize, String);

/// A spoof that was not handled.
#[derive(Clone, Debug, PartialEq)]
pub struct Failing {
    /// What was spoofed.
    pub cause: Cause,
    /// What became of it.
    pub effect: Effect,
    /// Sticky exceptions of the run.
    pub flags: u8,
    /// The outputs, if it returned: 16 bytes each.
    pub outputs: Vec<u8>,
    /// What outputs that are wrong should be: argument, element, value.
    pub exact: Vec<ExactOutput>,
}

/// An execution that is being looked at.
pub struct Examined<'a> {
    /// Its arguments.
    pub bound: Bound,
    /// What is looked at after a run.
    pub outputs: Vec<Output>,
    /// Which argument and element each output is; none for errno.
    pub output_elements: Vec<Option<(usize, usize)>>,
    /// The outputs without any spoof.
    pub base: Vec<u8>,
    /// The sticky exceptions without any spoof.
    pub base_flags: u8,
    /// What it prints without any spoof, as a hash.
    pub(super) base_told: u64,
    prototype: &'a Prototype,
    pub(super) layout: Layout,
    pub(super) regions: Vec<Region>,
    /// What the regions hold at entry.
    pub(super) memory: Vec<Memory>,
    errno: Option<usize>,
    /// Hundredths of a second that a run may take.
    pub ticks: u64,
}

/// A call, as it stands.
pub struct Stand<'a, 'p> {
    pub prototype: &'p Prototype,
    pub state: &'a State,
    pub modules: &'a Modules,
    pub layout: Layout,
    /// Where errno is, or 0.
    pub errno: u64,
    pub integer_bits: u32,
}

/// Static data of a module up to this size is restored before every run.
const MOST_STATIC: u64 = 128 << 10;
/// How much of the caller's stack is: arguments that are passed there.
const STACK: u64 = 256;
/// Hundredths of a second that a run of a quick function may take.
const TICKS: u64 = 5;

impl<'a> Examined<'a> {
    /// Looks at a call: binds its arguments. It is run only if their elements are to be observed.
    pub fn bound(stand: &Stand<'_, 'a>, worker: &mut Worker) -> Result<Examined<'a>, Unfit> {
        let Stand { prototype, state, integer_bits, .. } = *stand;
        let mut bound = bind(prototype, state, worker, integer_bits)
            .map_err(|NoValue(why)| Unfit::Prototype(why))?;
        if prototype.parameters.iter().any(|parameter| parameter.observed) {
            let observed = observe(prototype, &bound.arguments, state, stand.modules, worker, 1000);
            let elements = observed.map_err(|unobserved| match unobserved {
                Unobserved::Lost => Unfit::Lost,
                Unobserved::TooLong => Unfit::Prototype(format!(
                    "it executes more than {OBSERVED_STEPS} instructions, so that its elements were \
                     not observed"
                )),
            })?;
            for (number, elements) in elements {
                bound.arguments[number].elements = elements;
            }
            let comes_back =
                |a: &Argument| a.kind.is_float() && a.elements.iter().any(|e| e.output);
            if !bound.arguments.iter().any(comes_back) {
                let why = "no floating-point number comes back from it";
                return Err(Unfit::Prototype(why.to_string()));
            }
        }
        Examined::with(stand, worker, bound)
    }

    /// The same, the observed elements being those of an earlier run of the program.
    pub fn bound_as(
        stand: &Stand<'_, 'a>,
        worker: &mut Worker,
        earlier: &[Argument],
    ) -> Result<Examined<'a>, Unfit> {
        let Stand { prototype, state, integer_bits, .. } = *stand;
        let mut bound = bind(prototype, state, worker, integer_bits)
            .map_err(|NoValue(why)| Unfit::Prototype(why))?;
        let observed = prototype.parameters.iter().map(|parameter| parameter.observed);
        for ((argument, before), observed) in bound.arguments.iter_mut().zip(earlier).zip(observed)
        {
            // Addresses are the same in every run: they are not randomised.
            if observed && argument.base == before.base {
                argument.elements = before.elements.clone();
            }
        }
        Examined::with(stand, worker, bound)
    }

    fn with(
        stand: &Stand<'_, 'a>,
        worker: &mut Worker,
        bound: Bound,
    ) -> Result<Examined<'a>, Unfit> {
        let Stand { prototype, state, modules, layout, errno, .. } = *stand;
        let mut regions: Vec<Region> = Vec::new();
        let mut outputs = Vec::new();
        let mut output_elements = Vec::new();
        for (a, argument) in bound.arguments.iter().enumerate() {
            let bytes = scalar_bytes(argument.kind, argument.bits);
            let addresses = argument.elements.iter().filter_map(|element| match element.place {
                Place::Memory(address) => Some(address),
                Place::General { .. } | Place::Vector { .. } | Place::X87(_) => None,
            });
            let (mut low, mut high) = (u64::MAX, 0);
            for address in addresses {
                low = low.min(address);
                high = high.max(address + u64::from(bytes));
            }
            if low < high {
                regions.push(Region { address: low, length: high - low });
            }
            for (e, element) in argument.elements.iter().enumerate() {
                if element.output
                    && let Some(place) = patch_place(&layout, element.place)
                {
                    let floating = argument.kind.is_float();
                    outputs.push(Output { place, bytes, floating });
                    output_elements.push(Some((a, e)));
                }
            }
        }
        let errno = (errno != 0).then(|| {
            outputs.push(Output { place: errno, bytes: 4, floating: false });
            output_elements.push(None);
            regions.push(Region { address: errno, length: 4 });
            outputs.len() - 1
        });
        if let Some(module) = modules.at(state.rip) {
            let total: u64 = module.writable.iter().map(|(_, length)| length).sum();
            if total <= MOST_STATIC {
                let whole = module.writable.iter();
                regions.extend(whole.map(|&(address, length)| Region { address, length }));
            }
        }
        let regions = merge(regions);
        let mut memory = Vec::new();
        for &Region { address, length } in &regions {
            let Some(bytes) = worker.read(address, length as usize) else {
                return Err(Unfit::Prototype(format!("there is no memory at {address:#x}")));
            };
            memory.push(Memory { address, bytes });
        }
        Ok(Examined {
            bound,
            outputs,
            output_elements,
            base: Vec::new(),
            base_flags: 0,
            base_told: 0,
            prototype,
            layout,
            regions,
            memory,
            errno,
            ticks: 1000,
        })
    }

    /// Looks at a call: binds its arguments and runs it once as it is.
    pub fn new(stand: &Stand<'_, 'a>, worker: &mut Worker) -> Result<Examined<'a>, Unfit> {
        let mut examined = Examined::bound(stand, worker)?;
        examined.prepare(worker)?;
        let endings = worker.runs(&[Vec::new()], examined.outputs.len())?;
        let Some((_, ending)) = endings.into_iter().next() else {
            return Err(Unfit::Already("returns an exceptional value"));
        };
        match ending.ended {
            Ended::Clean => {}
            Ended::Exceptional => return Err(Unfit::Already("returns an exceptional value")),
            Ended::Reported => return Err(Unfit::Already("calls an error routine")),
            Ended::Exit => return Err(Unfit::Already("ends the process")),
            Ended::Crashed => return Err(Unfit::Already("crashes")),
            Ended::TimedOut => return Err(Unfit::Already("takes more than ten seconds")),
        }
        if examined.reports(&ending).is_some() {
            return Err(Unfit::Already("reports trouble"));
        }
        examined.base = ending.outputs;
        examined.base_flags = ending.flags;
        examined.base_told = ending.told;
        // A hundred times what the call took.
        examined.ticks = TICKS.max(worker.took() / 100);
        worker.limit(examined.ticks)?;
        Ok(examined)
    }

    /// The observed arguments that this call writes.
    pub fn written(&self) -> impl Iterator<Item = usize> {
        let all = self.prototype.parameters.iter().zip(&self.bound.arguments).enumerate();
        all.filter(|(_, (parameter, argument))| {
            parameter.observed && argument.elements.iter().any(|element| element.output)
        })
        .map(|(number, _)| number)
    }

    /// Makes a worker ready for runs.
    pub fn prepare(&self, worker: &mut Worker) -> Result<(), Gone> {
        worker.prepare(&self.regions, &self.outputs, self.ticks, STACK)
    }

    /// The reason that the prototype gives for which this is not read, if any.
    pub fn documented(&self, cause: &Cause) -> Option<String> {
        match cause {
            Cause::Input { argument, element, .. } => {
                self.bound.arguments[*argument].elements[*element].documented.clone()
            }
            Cause::Result { .. } | Cause::Solved { .. } => None,
        }
    }

    /// Outputs, by argument and element.
    pub fn spread(&self, outputs: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let arguments = self.bound.arguments.iter();
        let mut values: Vec<Vec<Vec<u8>>> =
            arguments.map(|argument| vec![Vec::new(); argument.elements.len()]).collect();
        for (k, owner) in self.output_elements.iter().enumerate() {
            let length = self.outputs[k].bytes as usize;
            if let (Some((a, e)), Some(bytes)) = (owner, outputs.get(16 * k..16 * k + length)) {
                values[*a][*e] = bytes.to_vec();
            }
        }
        values
    }

    /// Sets what comes back without a spoof, as `spread` has it.
    pub fn set_usual(&mut self, values: &[Vec<Vec<u8>>]) {
        self.base = vec![0; 16 * self.outputs.len()];
        for (k, owner) in self.output_elements.iter().enumerate() {
            let bytes = owner.and_then(|(a, e)| values.get(a)?.get(e));
            if let Some(bytes) = bytes.filter(|bytes| bytes.len() <= 16) {
                self.base[16 * k..16 * k + bytes.len()].copy_from_slice(bytes);
            }
        }
    }

    /// Whether a report is recognised by what an output is without a spoof.
    pub fn compares_with_usual(&self) -> bool {
        let mut names = Vec::new();
        self.prototype.reports.iter().for_each(|(condition, _)| condition.names(&mut names));
        names.iter().any(|name| name.ends_with(USUAL))
    }

    /// The report that an ending makes, if any.
    pub fn reports(&self, ending: &Ending) -> Option<String> {
        if self.prototype.reports.is_empty() {
            return None;
        }
        let mut names = self.environment_after(&ending.outputs);
        for (name, flag) in RAISES {
            names.insert(name.to_string(), Scalar::Truth(ending.flags & flag != 0));
        }
        let mut reports = self.prototype.reports.iter();
        let found = reports.find(|(condition, _)| condition.truth(&names).unwrap_or(false));
        found.map(|(_, text)| text.clone())
    }

    /// The inputs' values, and over them the outputs'.
    fn environment_after(&self, outputs: &[u8]) -> Environment {
        let mut names = self.bound.environment.clone();
        for (k, owner) in self.output_elements.iter().enumerate() {
            let output = &self.outputs[k];
            let bytes = &outputs[16 * k..16 * k + output.bytes as usize];
            let value = number(output.floating, bytes);
            let name = match owner {
                None => "errno".to_string(),
                Some((a, e)) => {
                    let argument = &self.bound.arguments[*a];
                    if argument.elements.len() == 1 {
                        argument.name.clone()
                    } else {
                        format!("{}[{e}]", argument.name)
                    }
                }
            };
            if let Some(bytes) = self.base.get(16 * k..16 * k + output.bytes as usize) {
                names.insert(format!("{name}{USUAL}"), number(output.floating, bytes));
            }
            names.insert(name, value);
        }
        if let Some(errno) = self.errno {
            let now = &outputs[16 * errno..16 * errno + 4];
            let usual = self.base.get(16 * errno..16 * errno + 4);
            let before = Kept(&self.memory).read(self.outputs[errno].place, 4);
            // What errno holds anyway is no report.
            if usual == Some(now) || before.as_deref() == Some(now) {
                names.insert("errno".to_string(), Scalar::Integer(0));
            }
        }
        names
    }

    /// What an ending means; nothing if the spoof was handled.
    pub(super) fn effect(&self, spoof: Spoof, ending: &Ending) -> Option<Effect> {
        match ending.ended {
            Ended::Exceptional | Ended::Reported | Ended::Exit => None,
            Ended::Crashed => Some(Effect::Crash(ending.signal)),
            Ended::TimedOut => Some(Effect::Endless),
            // A message that the call does not print otherwise.
            Ended::Clean if ending.told != 0 && ending.told != self.base_told => None,
            Ended::Clean => {
                // A finite input matters if it raised what the call did not raise before.
                let raised = ending.flags & 0b1101 & !self.base_flags != 0;
                let matters = spoof.is_exceptional() || raised;
                (matters && self.reports(ending).is_none()).then_some(Effect::Swallowed)
            }
        }
    }

    /// The patch that puts a value into an input.
    pub fn patch(&self, argument: usize, element: usize, bytes: &[u8]) -> Option<Patch> {
        let place = self.bound.arguments[argument].elements[element].place;
        let mut padded = [0u8; 16];
        padded[..bytes.len()].copy_from_slice(bytes);
        let place = patch_place(&self.layout, place)?;
        Some(Patch { place, length: bytes.len() as u32, bytes: padded })
    }

    /// Spoofs every input element, from spoof number `from` on. If time runs out, the elements that were spoofed are
    /// from all over the arguments.
    pub fn spoof_inputs(
        &self,
        worker: &mut Worker,
        from: u64,
        until: Option<Instant>,
    ) -> InputSpoofs {
        let mut causes = self.input_spoofs();
        causes.drain(..causes.len().min(from as usize));
        // Without a limit all at once.
        let most = if until.is_some() { BATCH } else { causes.len().max(1) };
        let mut spoofs = InputSpoofs { failing: Vec::new(), next: from, whole: false, lost: true };
        for part in causes.chunks(most) {
            let put = |(a, e, spoof): &(usize, usize, Spoof)| {
                let bytes = spoof.bytes(self.bound.arguments[*a].bits);
                self.patch(*a, *e, &bytes).into_iter().collect()
            };
            let runs: Vec<Vec<Patch>> = part.iter().map(put).collect();
            let Ok(endings) = worker.runs(&runs, self.outputs.len()) else { return spoofs };
            spoofs.next += part.len() as u64;
            let mut failing = Vec::new();
            for (run, ending) in endings {
                let (argument, element, spoof) = part[run];
                if let Some(effect) = self.effect(spoof, &ending) {
                    let cause = Cause::Input { argument, element, spoof };
                    let (flags, outputs) = (ending.flags, ending.outputs);
                    let exact = Vec::new();
                    failing.push(Failing { cause, effect, flags, outputs, exact });
                }
            }
            if self.find_limits(worker, &mut failing).is_err() {
                return spoofs;
            }
            spoofs.failing.extend(failing);
            if until.is_some_and(|until| Instant::now() >= until) {
                spoofs.whole = spoofs.next == from + causes.len() as u64;
                return InputSpoofs { lost: false, ..spoofs };
            }
        }
        InputSpoofs { whole: true, lost: false, ..spoofs }
    }

    /// What can be put into each element: argument, element, value. Elements that follow each other in the list are
    /// far apart in the arguments.
    fn input_spoofs(&self) -> Vec<(usize, usize, Spoof)> {
        const VALUES: [Spoof; 6] = [
            Spoof::NaN,
            Spoof::PlusInfinity,
            Spoof::MinusInfinity,
            Spoof::Greatest,
            Spoof::Least,
            Spoof::Zero,
        ];
        let mut inputs = Vec::new();
        for (a, argument) in self.bound.arguments.iter().enumerate() {
            if !argument.kind.is_float() {
                continue;
            }
            let elements = argument.elements.iter().enumerate().filter(|(_, e)| e.input);
            let reachable = |element: &Element| patch_place(&self.layout, element.place).is_some();
            inputs.extend(elements.filter(|(_, e)| reachable(e)).map(|(e, _)| (a, e)));
        }
        spread(&mut inputs);
        inputs.into_iter().flat_map(|(a, e)| VALUES.map(|spoof| (a, e, spoof))).collect()
    }
}

/// How many inputs are spoofed between two looks at the clock.
const BATCH: usize = 240;

/// What came of spoofed inputs.
pub struct InputSpoofs {
    /// What was not handled.
    pub failing: Vec<Failing>,
    /// The number of the first spoof that was not tried.
    pub next: u64,
    /// Whether all were tried.
    pub whole: bool,
    /// Whether the process went away.
    pub lost: bool,
}

/// Reads memory that was kept.
pub struct Kept<'a>(pub &'a [Memory]);

impl Reader for Kept<'_> {
    fn read(&mut self, address: u64, length: usize) -> Option<Vec<u8>> {
        self.0.iter().find_map(|piece| piece.get(address, length)).map(<[u8]>::to_vec)
    }
}

fn number(floating: bool, bytes: &[u8]) -> Scalar {
    if floating {
        Scalar::Real(crate::prototype::as_double(bytes))
    } else {
        Scalar::Integer(crate::prototype::signed(bytes))
    }
}

/// Regions that overlap or touch become one.
fn merge(mut regions: Vec<Region>) -> Vec<Region> {
    regions.sort();
    let mut merged: Vec<Region> = Vec::new();
    for region in regions {
        match merged.last_mut() {
            Some(last) if region.address <= last.address + last.length => {
                let end = (region.address + region.length).max(last.address + last.length);
                last.length = end - last.address;
            }
            _ => merged.push(region),
        }
    }
    merged
}
