//! FPCores: kernels in the exchange format of the field, analysed by `errors`.

use super::prove::USELESS;
use super::settle::waiting;
use super::summary::{digits, short_of};
use super::{Ends, InputError, Options, Rounds, Threshold, decimal};
use nanoscope_budget::Budget;
use nanoscope_errors::fpcore::{Core, admits, parse};
use nanoscope_errors::{
    Entry, FpcoreOptions, InputError as GraphError, Rounds as GraphRounds, Shown, analyse_core,
};
use nanoscope_ieee::{Float, Format, Rational, Rounding};
use nanoscope_native::processor_time;
use nanoscope_program::Fault;
use nanoscope_report::{
    Claim, Evidence, Finding, Kind, Number, Outcome, OutputError, Place, ProvedError, Report, Run,
    ShownError, Statistics, Verdict, identity,
};
use serde_json::{Map, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one kernel may take, where nobody says.
const KERNEL: Duration = Duration::from_secs(10);

/// Analyses files of FPCores.
pub(crate) fn run(options: &Options) -> Result<Report, Fault> {
    let start = Instant::now();
    let budget = Budget {
        deadline: options.time_limit.and_then(|limit| start.checked_add(limit)),
        stop: Arc::clone(&options.stop),
        evaluations: None,
    };
    let mut chosen = kernels(options)?;
    let kernel = chosen.time;
    let (mut findings, mut verdicts, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    let mut named = vec![false; options.functions.len()];
    let cores = cores(options, &mut named)?;
    for (path, core) in &cores {
        admits(core, &chosen.lowering).map_err(|refusal| {
            let (path, place) = (path.display(), core.place);
            Fault::User(format!("{path}:{}:{}: {refusal}", place.line, place.column))
        })?;
    }
    let begun = processor_time();
    for (at, (path, core)) in cores.iter().enumerate() {
        chosen.time = kernel;
        // Others use the machine too: what counts is the processor's time.
        if options.function_time.is_none() {
            let waiting = waiting(start.elapsed(), processor_time().saturating_sub(begun));
            chosen.time = kernel.mul_f64(waiting);
        }
        // None takes from those after it more than a share as large as its own.
        if let Some(left) = budget.remaining() {
            chosen.time = chosen.time.min(left.mul_f64(2.0 / (cores.len() - at + 1) as f64));
        }
        for entry in analyse_core(core, &chosen, &budget) {
            let place = Place {
                file: path.display().to_string(),
                line: entry.place.line,
                column: entry.place.column,
            };
            let error = one(options, &entry);
            let id = identity(Kind::PrecisionLoss, &entry.function, &place, &entry.output, 1);
            verdicts.push(Verdict {
                goal: id.clone(),
                kind: Kind::PrecisionLoss,
                function: entry.function.clone(),
                place: place.clone(),
                operation: entry.output.clone(),
                outcome: error.verdict,
                why: error.why.clone(),
                proof: None,
            });
            if error.verdict == Outcome::Reached
                && let Some(shown) = &error.shown
            {
                let mut more = Map::new();
                for (name, value) in [
                    ("absolute", &shown.absolute),
                    ("relative", &shown.relative),
                    ("ulps", &shown.ulps),
                    ("exact", &shown.exact),
                    ("output", &error.output),
                ] {
                    more.insert(name.into(), json!(value));
                }
                let claim = Claim {
                    id,
                    kind: Kind::PrecisionLoss,
                    function: entry.function.clone(),
                    place,
                    operation: "return".into(),
                    inputs: shown.inputs.clone(),
                    engine: "error-search".into(),
                };
                let evidence =
                    Evidence { computed: shown.computed.clone(), more, ..Evidence::default() };
                findings.push(Finding::new(claim, evidence));
            }
            errors.push(error);
        }
    }
    let run =
        Run { command: "precision".into(), seed: options.seed, subject: options.source.describe() };
    let statistics = Statistics { seconds: start.elapsed().as_secs_f64(), ..Statistics::default() };
    Ok(Report::new(run, findings, verdicts, statistics).with_errors(errors))
}

/// The FPCores that are asked for, with the files they stand in.
fn cores<'o>(options: &'o Options, named: &mut [bool]) -> Result<Vec<(&'o Path, Core)>, Fault> {
    let mut cores = Vec::new();
    for path in &options.source.files {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Fault::User(format!("cannot read {}: {error}", path.display())))?;
        let parsed = parse(&text).map_err(|error| {
            let place = error.place;
            let (line, column) = (place.line, place.column);
            Fault::User(format!("{}:{line}:{column}: {}", path.display(), error.message))
        })?;
        for core in parsed {
            let wanted = options.functions.iter().position(|name| *name == core.name);
            if let Some(wanted) = wanted {
                named[wanted] = true;
            }
            if wanted.is_some() || options.functions.is_empty() {
                cores.push((path.as_path(), core));
            }
        }
    }
    match named.iter().position(|named| !named) {
        Some(at) => {
            Err(Fault::User(format!("there is no FPCore named `{}`", options.functions[at])))
        }
        None => Ok(cores),
    }
}

/// What the options say to `errors`.
fn kernels(options: &Options) -> Result<FpcoreOptions, Fault> {
    let mut chosen = FpcoreOptions { time: KERNEL, ..FpcoreOptions::default() };
    if let Some(time) = options.function_time {
        chosen.time = time;
    }
    chosen.showing.seed = options.seed;
    if let Some(evaluations) = options.evaluations {
        chosen.showing.points = evaluations as usize;
    }
    if options.ends == Ends::Prove {
        chosen.showing.points = 0;
    }
    chosen.lowering.rounds = match options.rounding {
        Rounds::To(rounding) => GraphRounds::To(rounding),
        Rounds::Any => GraphRounds::Any,
    };
    for wish in &options.input_errors {
        let error = match wish.value {
            InputError::HalfUlp => GraphError::HalfUlp,
            InputError::Absolute(most) => GraphError::Absolute(most),
        };
        match wish.name.as_str() {
            "*" => chosen.lowering.input_error = error,
            name => {
                chosen.lowering.input_errors.insert(name.to_owned(), error);
            }
        }
    }
    for wish in &options.source.wishes.ranges {
        let (low, high) = &wish.value;
        let number = |text: &str| {
            let value = decimal(text).ok_or_else(|| {
                Fault::User(format!("--input {}: `{text}` is no number", wish.name))
            })?;
            rational(&value)
        };
        chosen.lowering.ranges.insert(wish.name.clone(), (number(low)?, number(high)?));
    }
    Ok(chosen)
}

/// The same number in the other library.
pub(super) fn rational(value: &rug::Rational) -> Result<Rational, Fault> {
    value
        .to_string()
        .parse()
        .map_err(|_| Fault::Internal(format!("{value} is not read as a rational number")))
}

fn one(options: &Options, entry: &Entry) -> OutputError {
    let threshold = options.threshold;
    let shown = match threshold {
        Threshold::Absolute(_) => entry.shown.absolute.as_ref(),
        Threshold::Relative(_) | Threshold::Ulps(_) => entry.shown.relative.as_ref(),
    };
    let (absolute, relative) = match &entry.proved {
        Some(bound) => (
            Some(bound.absolute).filter(|bound| bound.is_finite()),
            bound.relative.filter(|bound| *bound < USELESS),
        ),
        None => (None, None),
    };
    let exceeded = shown.is_some_and(|shown| {
        let error = match threshold {
            Threshold::Relative(_) => shown.relative,
            Threshold::Ulps(_) => shown.ulps,
            Threshold::Absolute(_) => shown.absolute,
        };
        error > threshold.limit()
    });
    let below = match threshold {
        Threshold::Relative(limit) => relative.is_some_and(|bound| bound <= limit),
        Threshold::Absolute(limit) => absolute.is_some_and(|bound| bound <= limit),
        // An ulp is at least the number itself divided by two to the precision.
        Threshold::Ulps(limit) => entry
            .precision
            .zip(relative)
            .is_some_and(|(precision, bound)| bound * 2f64.powi(precision as i32) <= limit),
    };
    // Why there is no relative bound, where one is asked for.
    let unbounded = entry.proved.as_ref().zip(absolute).and_then(|(bound, absolute)| {
        let wanted = relative.is_none() && !matches!(threshold, Threshold::Absolute(_));
        wanted.then(|| short_of(absolute, bound.why_not_relative()))
    });
    let (verdict, why) = match (exceeded, below) {
        (true, _) => (Outcome::Reached, entry.open.clone().or(unbounded).unwrap_or_default()),
        (false, true) => (Outcome::Impossible, "error bounded over all inputs".to_owned()),
        (false, false) => {
            let both = || "no error above the threshold was found, no bound below it proved".into();
            (Outcome::Open, entry.open.clone().or(unbounded).unwrap_or_else(both))
        }
    };
    OutputError {
        function: entry.function.clone(),
        output: entry.output.clone(),
        convention: entry.convention.to_owned(),
        shown: shown.map(|shown| {
            let (absolute, relative) = (&entry.shown.absolute, &entry.shown.relative);
            let other = match threshold {
                Threshold::Absolute(_) => relative,
                Threshold::Relative(_) | Threshold::Ulps(_) => absolute,
            };
            let largest = |of: fn(&Shown) -> f64| {
                [absolute, relative].into_iter().flatten().map(of).fold(of(shown), f64::max)
            };
            ShownError {
                absolute: digits(largest(|shown| shown.absolute)),
                relative: digits(largest(|shown| shown.relative)),
                other_inputs: other.as_ref().map_or_else(Vec::new, |other| told(other).inputs),
                ..told(shown)
            }
        }),
        proved: ProvedError { absolute: absolute.map(digits), relative: relative.map(digits) },
        threshold: threshold.words(),
        verdict,
        why,
        sources: Vec::new(),
        plots: Vec::new(),
    }
}

fn told(shown: &Shown) -> ShownError {
    let inputs = shown.inputs.iter().map(|input| match input.format {
        Some(format) => number(&input.name, format, &input.float),
        None => {
            let value: i128 = input.float.to_integer().try_into().unwrap_or(0);
            Number::integer(&input.name, "integer", 128, true, value as u128)
        }
    });
    let format = shown.inputs.iter().find_map(|input| input.format).unwrap_or(Format::BINARY64);
    ShownError {
        absolute: digits(shown.absolute),
        relative: digits(shown.relative),
        ulps: digits(shown.ulps),
        inputs: inputs.collect(),
        other_inputs: Vec::new(),
        computed: shown.computed.as_ref().map(|value| number("return", format, value)),
        exact: shown.exact.clone(),
    }
}

fn number(name: &str, format: Format, value: &Rational) -> Number {
    let (float, _) = Float::from_rational(format, Rounding::NearestEven, value);
    let type_name = match format {
        Format::BINARY32 => "binary32",
        Format::BINARY64 => "binary64",
        _ => "float",
    };
    Number::float(name, type_name, format, float.to_bits().unwrap_or(0))
}
