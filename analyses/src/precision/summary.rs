//! What became of a target's goals, and the report of it.

use super::confirm::{Judged, Measured};
use super::measure::{Error, Threshold};
use super::sites::{Site, SiteKind};
use super::tape::Contribution;
use super::{Case, Ends, InputError, again};
use crate::numbers;
use nanoscope_ieee::Format;
use nanoscope_program::{Fault, Scalar};
use nanoscope_report::{
    Claim, ErrorPlot, ErrorSource, Evidence, Finding, Kind, Note, Number, Outcome, OutputError,
    Place, ProvedError, Report, Run, ShownError, Statistics, Verdict, identity,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// The engine that finds, as reports name it.
const ENGINE: &str = "error-search";

/// An error is a jump if it is so many times what the roundings explain.
const JUMP: f64 = 4.0;

/// Sources that a finding names.
const SOURCES: usize = 8;

/// A comparison or conversion that turned out differently.
#[derive(Clone, Debug)]
pub(super) struct Flipped {
    pub site: usize,
    pub point: Vec<u64>,
    pub computed: u128,
    pub exact: u128,
    pub judged: Judged,
    pub window: String,
}

/// A proved bound, and what it is worth.
#[derive(Clone, Debug, Default)]
pub(super) struct Proved {
    pub absolute: Option<f64>,
    pub relative: Option<f64>,
    /// Why there is none, or none that is good enough.
    pub why: String,
    /// Why there is no relative bound where there is an absolute one.
    pub not_relative: &'static str,
}

impl Proved {
    /// Why a threshold is open although a bound is proved.
    fn short_of(&self, threshold: Threshold) -> Option<String> {
        let absolute = self.absolute.filter(|_| self.relative.is_none())?;
        let says = !self.not_relative.is_empty() && !matches!(threshold, Threshold::Absolute(_));
        says.then(|| short_of(absolute, self.not_relative))
    }
}

/// Why there is an absolute bound and no relative one, in words.
pub(super) fn short_of(absolute: f64, why: &str) -> String {
    format!("{why}; the absolute error is at most {absolute:.2e}")
}

/// How a target's goals stand.
#[derive(Clone, Debug)]
pub(super) struct Summary {
    function: String,
    place: Place,
    threshold: Threshold,
    convention: &'static str,
    ends: Ends,
    /// For each output, the point of its largest error and what it showed.
    pub worst: Vec<Option<(Vec<u64>, Judged)>>,
    /// For each site that gave a float, the same.
    values: BTreeMap<usize, (Vec<u64>, Measured, Judged)>,
    pub flips: Vec<Flipped>,
    pub plots: Vec<Vec<ErrorPlot>>,
    /// Points where the proof suspects large errors, for each output of the graph.
    pub suspected: Vec<Vec<Vec<f64>>>,
    /// For each output, the point of its largest error by the other measure than the
    /// threshold's: absolute, or relative.
    other: Vec<Option<(Vec<u64>, Error)>>,
    /// What is proved of each output, and of each site.
    pub proved: Vec<Proved>,
    pub proved_sites: BTreeMap<usize, Proved>,
    /// Comparisons and conversions that are proved to turn out alike.
    pub stable: Vec<usize>,
    /// Places that no way through the target comes by.
    pub unreached: BTreeSet<usize>,
    /// Why nothing is proved.
    pub unproved: Option<String>,
    pub evaluations: u64,
    pub replays: u64,
    refuted: u64,
    /// Why nothing could be shown.
    pub why: Option<String>,
    pub seconds: f64,
    findings: Vec<Finding>,
    verdicts: Vec<Verdict>,
    errors: Vec<OutputError>,
    notes: Vec<Note>,
}

impl Summary {
    pub fn new(case: &Case) -> Summary {
        let target = case.target;
        let outputs = target.outputs.len();
        Summary {
            function: target.function.clone(),
            place: Place { file: target.file.clone(), line: target.line, column: 0 },
            threshold: case.options.threshold,
            convention: match case.points.uncertain.is_empty() {
                true => "float-inputs",
                false => "real-inputs",
            },
            ends: case.options.ends,
            worst: vec![None; outputs],
            values: BTreeMap::new(),
            flips: Vec::new(),
            plots: vec![Vec::new(); outputs],
            suspected: Vec::new(),
            other: vec![None; outputs],
            proved: vec![Proved::default(); outputs],
            proved_sites: BTreeMap::new(),
            stable: Vec::new(),
            unreached: BTreeSet::new(),
            unproved: None,
            evaluations: 0,
            replays: 0,
            refuted: 0,
            why: None,
            seconds: 0.0,
            findings: Vec::new(),
            verdicts: Vec::new(),
            errors: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Something to know about the target.
    pub fn note(&mut self, text: &str) {
        let (function, place) = (self.function.clone(), self.place.clone());
        self.notes.push(Note { function, place, text: text.to_owned() });
    }

    /// A point that shows nothing.
    pub fn refuted(&mut self, why: &str) {
        self.refuted += 1;
        self.why.get_or_insert_with(|| why.to_owned());
    }

    /// Takes in what a point showed.
    pub fn judged(&mut self, point: &[u64], judged: Judged) {
        let by = |measured: &Measured| measured.error.by(self.threshold);
        for (at, measured) in judged.outputs.iter().enumerate() {
            let Some(measured) = measured else { continue };
            let known = self.worst[at].as_ref().and_then(|(_, judged)| judged.outputs[at].as_ref());
            if known.is_none_or(|known| by(measured) > by(known)) {
                self.worst[at] = Some((point.to_vec(), judged.clone()));
            }
            let other = |error: &Error| match self.threshold {
                Threshold::Absolute(_) => error.relative,
                Threshold::Relative(_) | Threshold::Ulps(_) => error.absolute,
            };
            let known = self.other[at].as_ref().map(|(_, error)| error);
            if known.is_none_or(|known| other(&measured.error) > other(known)) {
                self.other[at] = Some((point.to_vec(), measured.error));
            }
        }
        for (site, measured) in &judged.values {
            let known = self.values.get(site);
            if known.is_none_or(|(_, known, _)| by(measured) > by(known)) {
                self.values.insert(*site, (point.to_vec(), measured.clone(), judged.clone()));
            }
        }
        for flip in &judged.flips {
            let distance = |judged: &Judged| {
                judged.outputs.iter().flatten().map(by).fold(0.0, f64::max)
                    + judged.integers.len() as f64
            };
            let known = self.flips.iter().position(|known| known.site == flip.site);
            let flipped = Flipped {
                site: flip.site,
                point: point.to_vec(),
                computed: flip.computed,
                exact: flip.exact,
                judged: judged.clone(),
                window: String::new(),
            };
            match known {
                Some(known) if distance(&judged) > distance(&self.flips[known].judged) => {
                    self.flips[known] = flipped;
                }
                Some(_) => {}
                None => self.flips.push(flipped),
            }
        }
    }

    /// Makes findings, verdicts and errors of it all.
    pub fn finish(&mut self, case: &Case) {
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for at in 0..case.target.outputs.len() {
            if let Scalar::Float(format) = case.target.outputs[at].scalar
                && case.is_result(at)
            {
                self.output(case, at, format, &mut names);
            }
        }
        for at in 0..case.sites.list.len() {
            let site = &case.sites.list[at];
            match site.kind {
                SiteKind::Value(_) => self.value(case, at, site, &mut names),
                SiteKind::Comparison | SiteKind::Conversion => {
                    self.flip(case, at, site, &mut names);
                }
            }
        }
    }

    /// Holds every bound against every error that was shown: one below would be our defect.
    pub fn check(&self) -> Result<(), Fault> {
        let wrong = |place: &str, what: &str, bound: Option<f64>, shown: f64| match bound {
            Some(bound) if shown.is_finite() && shown > bound => Err(Fault::Internal(format!(
                "{}: {place}: the proved {what} error {bound:e} is below the shown one {shown:e}",
                self.function
            ))),
            Some(_) | None => Ok(()),
        };
        for (at, worst) in self.worst.iter().enumerate() {
            let Some((_, judged)) = worst else { continue };
            if let Some(measured) = &judged.outputs[at] {
                let place = format!("output {at}");
                wrong(&place, "absolute", self.proved[at].absolute, measured.error.absolute)?;
                wrong(&place, "relative", self.proved[at].relative, measured.error.relative)?;
            }
        }
        for (at, other) in self.other.iter().enumerate() {
            let Some((_, error)) = other else { continue };
            let place = format!("output {at}");
            wrong(&place, "absolute", self.proved[at].absolute, error.absolute)?;
            wrong(&place, "relative", self.proved[at].relative, error.relative)?;
        }
        for (site, (_, measured, _)) in &self.values {
            if let Some(proved) = self.proved_sites.get(site) {
                let place = format!("operation {site}");
                wrong(&place, "absolute", proved.absolute, measured.error.absolute)?;
                wrong(&place, "relative", proved.relative, measured.error.relative)?;
            }
        }
        Ok(())
    }

    fn open(&self) -> String {
        match (&self.why, self.ends) {
            (Some(why), _) => why.clone(),
            (None, Ends::Prove) => "nothing was searched".to_owned(),
            (None, _) => "no error above the threshold was found, no bound below it proved".into(),
        }
    }

    fn output(
        &mut self,
        case: &Case,
        at: usize,
        format: Format,
        names: &mut BTreeMap<String, usize>,
    ) {
        let output = &case.target.outputs[at];
        let kind = Kind::PrecisionLoss;
        let id = named(names, kind, &self.function, &self.place, &output.name);
        let shown = self.worst[at]
            .as_ref()
            .and_then(|(point, judged)| Some((point, judged, judged.outputs[at].as_ref()?)));
        let proved = &self.proved[at];
        let exceeded = shown.is_some_and(|(_, _, m)| self.threshold.exceeded(&m.error));
        let below = self.threshold.allows(proved, format);
        let (outcome, why) = match (exceeded, below) {
            (true, _) => (Outcome::Reached, ENGINE.to_owned()),
            (false, true) => (Outcome::Impossible, proved.why.clone()),
            (false, false) if proved.why.is_empty() || proved.absolute.is_some() => {
                let open = || proved.short_of(self.threshold).unwrap_or_else(|| self.open());
                (Outcome::Open, self.why.clone().unwrap_or_else(open))
            }
            (false, false) => (Outcome::Open, proved.why.clone()),
        };
        let sources = shown
            .map_or_else(Vec::new, |(_, judged, measured)| sources(case, judged, at, measured));
        if let Some((point, judged, measured)) = shown.filter(|_| exceeded) {
            let mut more = described(measured);
            more.insert("output".into(), json!(output.name));
            more.insert("rank".into(), json!(rank(measured, true)));
            more.insert("sources".into(), json!(sources));
            more.insert("question".into(), again::kept(case, point));
            let reals = reals(case, point);
            if !reals.is_empty() {
                more.insert("reals".into(), json!(reals));
            }
            // The place is where most of the error comes from; the function's where unknown.
            let place = sources.first().map_or(self.place.clone(), |first| first.place.clone());
            let computed = number("computed", measured);
            self.findings.push(Finding::new(
                self.claim(case, id.clone(), kind, place, "return", point),
                Evidence {
                    computed: Some(computed),
                    outputs: numbers::outputs(case.target, &judged.native),
                    more,
                    ..Evidence::default()
                },
            ));
        }
        let other = self.other[at].as_ref();
        let shown = shown.map(|(point, _, measured)| ShownError {
            absolute: digits(match (self.threshold, other) {
                (Threshold::Relative(_) | Threshold::Ulps(_), Some((_, e))) => e.absolute,
                _ => measured.error.absolute,
            }),
            relative: digits(match (self.threshold, other) {
                (Threshold::Absolute(_), Some((_, error))) => error.relative,
                _ => measured.error.relative,
            }),
            ulps: digits(measured.error.ulps),
            inputs: inputs(case, point),
            other_inputs: match other {
                Some((elsewhere, _)) if elsewhere != point => inputs(case, elsewhere),
                Some(_) | None => Vec::new(),
            },
            computed: Some(number(&output.name, measured)),
            exact: measured.exact.text(),
        });
        let mut plots = std::mem::take(&mut self.plots[at]);
        for plot in &mut plots {
            plot.bound = match self.threshold {
                Threshold::Relative(_) => proved.relative,
                Threshold::Absolute(_) => proved.absolute,
                Threshold::Ulps(_) => proved.relative.map(|r| r * ulps_per_unit(format)),
            };
        }
        self.errors.push(OutputError {
            function: self.function.clone(),
            output: output.name.clone(),
            convention: self.convention.to_owned(),
            shown,
            proved: ProvedError {
                absolute: proved.absolute.map(digits),
                relative: proved.relative.map(digits),
            },
            threshold: self.threshold.words(),
            verdict: outcome,
            why: match outcome {
                Outcome::Reached if proved.absolute.is_none() => proved.why.clone(),
                Outcome::Reached => proved.short_of(self.threshold).unwrap_or_default(),
                Outcome::Impossible | Outcome::Open => why.clone(),
            },
            sources,
            plots,
        });
        self.verdicts.push(Verdict {
            goal: id,
            kind,
            function: self.function.clone(),
            place: self.place.clone(),
            operation: output.name.clone(),
            outcome,
            why,
            proof: None,
        });
    }

    fn value(&mut self, case: &Case, at: usize, site: &Site, names: &mut BTreeMap<String, usize>) {
        let found = self.values.get(&at);
        let exceeded = found.is_some_and(|(_, m, _)| self.threshold.exceeded(&m.error));
        let born = found.is_some_and(|(_, _, judged)| judged.births.contains(&at));
        let subtracts = matches!(site.operation.as_str(), "fadd" | "fsub" | "fma");
        let lost = found.is_some_and(|(_, m, _)| m.error.relative.is_infinite());
        let kind = match exceeded && born && subtracts && !lost {
            true => Kind::Cancellation,
            false => Kind::PrecisionLoss,
        };
        let id = named(names, kind, &self.function, &site.place, &site.operation);
        let proved = self.proved_sites.get(&at).cloned().unwrap_or_default();
        let SiteKind::Value(format) = site.kind else { return };
        let (outcome, why) = match (exceeded, self.threshold.allows(&proved, format)) {
            (true, _) => (Outcome::Reached, ENGINE.to_owned()),
            (false, _) if self.unreached.contains(&at) => {
                (Outcome::Impossible, "no input in range comes here".to_owned())
            }
            (false, true) => (Outcome::Impossible, proved.why.clone()),
            (false, false) if proved.why.is_empty() => {
                (Outcome::Open, self.unproved.clone().unwrap_or_else(|| self.open()))
            }
            (false, false) => (Outcome::Open, self.open()),
        };
        if let Some((point, measured, judged)) = found.filter(|_| exceeded) {
            let mut more = described(measured);
            more.insert("rank".into(), json!(rank(measured, false)));
            more.insert("carried".into(), json!(!born));
            more.insert("question".into(), again::kept(case, point));
            let claim =
                self.claim(case, id.clone(), kind, site.place.clone(), &site.operation, point);
            self.findings.push(Finding::new(
                claim,
                Evidence {
                    computed: Some(number("computed", measured)),
                    outputs: numbers::outputs(case.target, &judged.native),
                    inlined_at: site.inlined_at.clone(),
                    more,
                    ..Evidence::default()
                },
            ));
        }
        self.verdict(id, kind, site, outcome, why);
    }

    fn flip(&mut self, case: &Case, at: usize, site: &Site, names: &mut BTreeMap<String, usize>) {
        let kind = match site.kind {
            SiteKind::Comparison => Kind::UnstableBranch,
            SiteKind::Conversion | SiteKind::Value(_) => Kind::UnstableConversion,
        };
        let id = named(names, kind, &self.function, &site.place, &site.operation);
        let found = self.flips.iter().find(|flip| flip.site == at).cloned();
        let (outcome, why) = match &found {
            Some(_) => (Outcome::Reached, ENGINE.to_owned()),
            None if self.unreached.contains(&at) => {
                (Outcome::Impossible, "no input in range comes here".to_owned())
            }
            None if self.stable.contains(&at) => {
                (Outcome::Impossible, "the operands are exact".to_owned())
            }
            None => (Outcome::Open, "no input was found on which rounding decides it".to_owned()),
        };
        if let Some(flip) = found {
            let mut more = Map::new();
            let mut jumps = Vec::new();
            for (output, measured) in flip.judged.outputs.iter().enumerate() {
                let Some(measured) = measured.as_ref().filter(|m| m.error.relative > 1e-6) else {
                    continue;
                };
                let name = &case.target.outputs[output].name;
                let (is, be) = (number("", measured).value, measured.exact.text());
                jumps.push(format!("{name} is {is} where real numbers give {be}"));
            }
            for (output, (is, be)) in &flip.judged.integers {
                let output = &case.target.outputs[*output];
                let text = |bits: u128| numbers::key(output.scalar, bits).to_string();
                let (is, be) = (text(*is), text(*be));
                jumps.push(format!("{} is {is} where real numbers give {be}", output.name));
            }
            more.insert("jump".into(), json!(jumps.join(", ")));
            more.insert("window".into(), json!(flip.window));
            more.insert("question".into(), again::kept(case, &flip.point));
            more.insert("integer".into(), json!((flip.computed as i64).to_string()));
            if kind == Kind::UnstableConversion {
                more.insert("exact".into(), json!((flip.exact as i64).to_string()));
            }
            let jump = flip.judged.outputs.iter().flatten().map(|m| m.error.relative);
            let jump = jump.fold(if flip.judged.integers.is_empty() { 0.0 } else { 1.0 }, f64::max);
            more.insert("rank".into(), json!(ranked(jump, false)));
            let reals = reals(case, &flip.point);
            if !reals.is_empty() {
                more.insert("reals".into(), json!(reals));
            }
            let claim = self.claim(
                case,
                id.clone(),
                kind,
                site.place.clone(),
                &site.operation,
                &flip.point,
            );
            self.findings.push(Finding::new(
                claim,
                Evidence {
                    outputs: numbers::outputs(case.target, &flip.judged.native),
                    inlined_at: site.inlined_at.clone(),
                    more,
                    ..Evidence::default()
                },
            ));
        }
        self.verdict(id, kind, site, outcome, why);
    }

    fn verdict(&mut self, goal: String, kind: Kind, site: &Site, outcome: Outcome, why: String) {
        self.verdicts.push(Verdict {
            goal,
            kind,
            function: self.function.clone(),
            place: site.place.clone(),
            operation: site.operation.clone(),
            outcome,
            why,
            proof: None,
        });
    }

    fn claim(
        &self,
        case: &Case,
        id: String,
        kind: Kind,
        place: Place,
        operation: &str,
        point: &[u64],
    ) -> Claim {
        Claim {
            id,
            kind,
            function: self.function.clone(),
            place,
            operation: operation.to_owned(),
            inputs: inputs(case, point),
            engine: ENGINE.to_owned(),
        }
    }
}

impl Threshold {
    /// Whether a proved bound is below it.
    pub(super) fn allows(self, proved: &Proved, format: Format) -> bool {
        match self {
            Threshold::Relative(limit) => proved.relative.is_some_and(|bound| bound <= limit),
            Threshold::Absolute(limit) => proved.absolute.is_some_and(|bound| bound <= limit),
            // An ulp is at least the number itself divided by two to the precision.
            Threshold::Ulps(limit) => {
                proved.relative.is_some_and(|bound| bound * ulps_per_unit(format) <= limit)
            }
        }
    }

    /// Its measure.
    pub(super) fn measure(self) -> &'static str {
        match self {
            Threshold::Relative(_) => "relative error",
            Threshold::Ulps(_) => "ulps",
            Threshold::Absolute(_) => "absolute error",
        }
    }
}

/// Ulps of a number that is once itself, at most.
fn ulps_per_unit(format: Format) -> f64 {
    2f64.powi(format.precision as i32)
}

/// The report of all targets.
pub(super) fn report(
    run: Run,
    summaries: impl Iterator<Item = Summary>,
    mut notes: Vec<Note>,
    start: Instant,
) -> Report {
    let (mut findings, mut verdicts, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    let mut statistics = Statistics::default();
    for summary in summaries {
        findings.extend(summary.findings);
        verdicts.extend(summary.verdicts);
        errors.extend(summary.errors);
        notes.extend(summary.notes);
        statistics.search.evaluations += summary.evaluations;
        statistics.search.seconds += summary.seconds;
        statistics.search.replays += summary.replays;
        statistics.search.refuted += summary.refuted;
    }
    statistics.seconds = start.elapsed().as_secs_f64();
    Report::new(run, findings, verdicts, statistics).with_errors(errors).with_notes(notes)
}

/// A name that no other goal has.
fn named(
    names: &mut BTreeMap<String, usize>,
    kind: Kind,
    function: &str,
    place: &Place,
    operation: &str,
) -> String {
    let plain = identity(kind, function, place, operation, 1);
    let count = names.entry(plain).or_insert(0);
    *count += 1;
    identity(kind, function, place, operation, *count)
}

fn described(measured: &Measured) -> Map<String, Value> {
    let mut more = Map::new();
    more.insert("absolute".into(), json!(digits(measured.error.absolute)));
    more.insert("relative".into(), json!(digits(measured.error.relative)));
    more.insert("ulps".into(), json!(digits(measured.error.ulps)));
    more.insert("exact".into(), json!(measured.exact.text()));
    more
}

/// Findings with larger errors come first, those of results before others.
fn rank(measured: &Measured, is_output: bool) -> u64 {
    ranked(measured.error.relative, is_output)
}

fn ranked(relative: f64, is_output: bool) -> u64 {
    let below = f64::INFINITY.to_bits() - relative.abs().to_bits();
    (below >> 2) + if is_output { 0 } else { 1 << 62 }
}

/// The shortest decimal that reads back as the same double.
pub(super) fn digits(value: f64) -> String {
    format!("{value:e}")
}

fn number(name: &str, measured: &Measured) -> Number {
    let scalar = Scalar::Float(measured.format);
    Number::float(name, numbers::type_name(scalar), measured.format, measured.computed)
}

fn inputs(case: &Case, point: &[u64]) -> Vec<Number> {
    numbers::inputs(case.target, case.points.words(point))
}

/// The real numbers that uncertain inputs stand for at a point.
fn reals(case: &Case, point: &[u64]) -> String {
    let text = |uncertain: &super::inputs::Uncertain| {
        let real = crate::shadow::Real::rational(case.points.real(uncertain, point));
        let how = match uncertain.error {
            InputError::HalfUlp => "rounded",
            InputError::Absolute(_) => "off",
        };
        format!("{} = {} ({how})", case.target.inputs[uncertain.input].name, real.text())
    };
    case.points.uncertain.iter().map(text).collect::<Vec<String>>().join(", ")
}

/// Where an error came from, the largest share first. What the roundings do not explain comes
/// from the first comparison or conversion that turned out differently.
fn sources(case: &Case, judged: &Judged, at: usize, measured: &Measured) -> Vec<ErrorSource> {
    let found: &BTreeMap<usize, Contribution> = &judged.sources[at];
    let rounded: f64 = found.values().map(|contribution| contribution.arrived).sum();
    let error = measured.error.absolute;
    let jumped = judged.flips.first().filter(|_| error.is_finite() && error > JUMP * rounded);
    let total = if jumped.is_some() { error } else { rounded };
    let mut list: Vec<ErrorSource> = found
        .iter()
        .map(|(site, contribution)| {
            let site = &case.sites.list[*site];
            ErrorSource {
                place: site.place.clone(),
                operation: site.operation.clone(),
                share: if total > 0.0 { contribution.arrived / total } else { 0.0 },
                injected: contribution.injected,
                amplification: contribution.amplification,
            }
        })
        .collect();
    if let Some(flip) = jumped {
        let site = &case.sites.list[flip.site];
        list.push(ErrorSource {
            place: site.place.clone(),
            operation: site.operation.clone(),
            share: 1.0 - rounded / error,
            injected: error - rounded,
            amplification: 1.0,
        });
    }
    list.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.place.cmp(&b.place)));
    list.truncate(SOURCES);
    list
}
