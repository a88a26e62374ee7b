//! `nanoscope precision kernels.fpcore`: what is shown and what is proved of every FPCore.

use crate::fpcore::{Core, Lowering, Place, Refusal, SyntaxError, TRIPS, lower, parse, recurrence};
use crate::graph::{InputError, Piece};
use crate::prove::recurrence::invariant_errors;
use crate::prove::{Bound, Method, Open, Options, prove};
use crate::show::{self, Worst, show};
use nanoscope_search::Budget;
use std::time::{Duration, Instant};

/// How to analyse FPCores.
#[derive(Clone, Debug)]
pub struct FpcoreOptions {
    /// How FPCores become graphs: ranges, input errors, rounding.
    pub lowering: Lowering,
    /// How hard to prove.
    pub proving: Options,
    /// How hard to search for large errors.
    pub showing: show::Effort,
    /// How long one FPCore may take.
    pub time: Duration,
}

impl Default for FpcoreOptions {
    fn default() -> FpcoreOptions {
        FpcoreOptions {
            lowering: Lowering::default(),
            proving: Options::default(),
            showing: show::Effort::default(),
            time: Duration::from_secs(10),
        }
    }
}

/// What was found out about one output of an FPCore.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The `:name` of the FPCore.
    pub function: String,
    /// Which output: `return`, or its number where there are several.
    pub output: String,
    /// What the inputs mean: `float-inputs`, or `real-inputs` where some are rounded on entry.
    pub convention: &'static str,
    /// The largest errors that were shown.
    pub shown: Worst,
    /// The bound that was proved; none where the FPCore is not a graph.
    pub proved: Option<Bound>,
    /// The precision of the result in bits; none where it is not known.
    pub precision: Option<u32>,
    /// What stands for the tags of the bound.
    pub places: Vec<Place>,
    /// Why there is no bound, in words.
    pub open: Option<String>,
    /// Where the FPCore begins.
    pub place: Place,
    /// How long it took.
    pub seconds: f64,
}

/// The share of the time in which loops must be unrolled.
const UNROLLING: f64 = 0.15;

/// Analyses every FPCore of a text. The error is the text's: it does not parse.
pub fn analyse_fpcore(
    text: &str,
    options: &FpcoreOptions,
    budget: &Budget,
) -> Result<Vec<Entry>, SyntaxError> {
    Ok(parse(text)?.iter().flat_map(|core| analyse_core(core, options, budget)).collect())
}

/// Analyses one FPCore: an entry for each output.
pub fn analyse_core(core: &Core, options: &FpcoreOptions, budget: &Budget) -> Vec<Entry> {
    let begin = Instant::now();
    let budget = budget.slice(options.time);
    let real = options.lowering.input_error != InputError::None
        || options.lowering.input_errors.values().any(|error| *error != InputError::None);
    let convention = if real { "real-inputs" } else { "float-inputs" };
    let entry = |output: String| Entry {
        function: core.name.clone(),
        output,
        convention,
        shown: Worst::default(),
        proved: None,
        precision: None,
        places: Vec::new(),
        open: None,
        place: core.place,
        seconds: begin.elapsed().as_secs_f64(),
    };
    let lowering = |joined: bool| Lowering {
        joined,
        budget: budget.slice(options.time.mul_f64(UNROLLING)),
        ..options.lowering.clone()
    };
    let apart = lower(core, &lowering(options.lowering.joined));
    // Where there are branches, once more with their sides joined: the better bound counts.
    let joined = match &apart {
        Ok(lowered) if lowered.pieces.len() == 1 => None,
        Ok(_) | Err(_) => lower(core, &lowering(true)).ok(),
    };
    let (lowered, joined) = match (apart, joined) {
        (Err(_), Some(joined)) => (Ok(joined), None),
        (apart, joined) => (apart, joined),
    };
    let lowered = match lowered {
        Ok(lowered) => lowered,
        Err(refusal) => {
            if matches!(refusal, Refusal::Loop(_))
                && let Some(errors) = endless(core, options, &budget)
            {
                let name = |output: usize| {
                    if errors.len() > 1 { output.to_string() } else { "return".to_string() }
                };
                return errors
                    .iter()
                    .enumerate()
                    .map(|(output, &absolute)| Entry {
                        proved: Some(invariant_bound(absolute)),
                        ..entry(name(output))
                    })
                    .collect();
            }
            let open = match refusal {
                Refusal::Loop(_) => "loop".to_string(),
                Refusal::Unsupported(..) | Refusal::EmptyRange(_) => refusal.to_string(),
            };
            return vec![Entry { open: Some(open), ..entry("return".into()) }];
        }
    };
    let outputs = lowered.pieces.first().map_or(0, |piece| piece.outputs.len());
    let half = options.time.mul_f64(0.6);
    let half = if joined.is_some() { half / 2 } else { half };
    let bounds = prove(&lowered.graph, &lowered.pieces, &options.proving, &budget.slice(half));
    let others = joined.map_or_else(Vec::new, |joined| {
        prove(&joined.graph, &joined.pieces, &options.proving, &budget.slice(half))
    });
    let mut others = others.into_iter();
    bounds
        .into_iter()
        .map(|bound| match others.next() {
            Some(other) => bound.sharpened(&other),
            None => bound,
        })
        .enumerate()
        .map(|(output, bound)| {
            let share =
                budget.remaining().map_or(options.time, |left| left / (outputs - output) as u32);
            let slice = budget.slice(share);
            let shown = show(
                &lowered.graph,
                &lowered.pieces,
                output,
                &bound.points,
                options.showing,
                &slice,
            );
            let name = if outputs == 1 { "return".to_string() } else { output.to_string() };
            let format =
                |piece: &Piece| lowered.graph.node(piece.outputs[output]).precision.format();
            Entry {
                shown,
                precision: lowered.pieces.iter().filter_map(format).map(|f| f.precision).max(),
                open: bound.open.as_ref().map(|open| placed(open, &lowered.places)),
                proved: Some(bound),
                places: lowered.places.clone(),
                seconds: begin.elapsed().as_secs_f64(),
                ..entry(name)
            }
        })
        .collect()
}

/// Why there is no bound, with the place of the operation.
fn placed(open: &Open, places: &[Place]) -> String {
    let at = match open {
        Open::Overflow(tag) | Open::Divisor(tag) | Open::Domain(tag) => places.get(*tag as usize),
        Open::UnboundedInput(_) | Open::NoInput => None,
    };
    at.map_or(open.to_string(), |at| format!("{open}, {}:{}", at.line, at.column))
}

/// The errors of a loop's results after any number of trips, if an invariant is found.
fn endless(core: &Core, options: &FpcoreOptions, budget: &Budget) -> Option<Vec<f64>> {
    TRIPS.iter().find_map(|&trips| {
        let recurrence = recurrence(core, &options.lowering, trips).ok()?;
        invariant_errors(&recurrence, budget)
    })
}

/// A bound that holds after any number of trips of a loop.
fn invariant_bound(absolute: f64) -> Bound {
    Bound {
        absolute,
        relative: None,
        contributions: Vec::new(),
        method: Method { boxes: 1, attained: 0.0, unstable: false },
        open: None,
        points: Vec::new(),
        signs: [false; 2],
    }
}
