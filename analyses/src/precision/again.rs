//! Replay: a finding of precision once more, on the program as it is now, with what was
//! computed and what is exact along the run.

use super::confirm::Confirmation;
use super::inputs::Points;
use super::sites::{SiteKind, Sites};
use super::{Case, Ends, InputError, Model, Options, Rounds, Threshold};
use crate::exceptions::{Contract, Contracts};
use crate::numbers;
use crate::replayed::{Compared, Replayed};
use crate::subject::{Scratch, Source};
use nanoscope_budget::Budget;
use nanoscope_ieee::Rounding;
use nanoscope_native::Limits;
use nanoscope_program::ir::Lowering;
use nanoscope_program::{Fault, Scalar};
use nanoscope_report::{Finding, Kind, Number, Report};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a finding keeps for its replay.
pub(super) fn kept(case: &Case, point: &[u64]) -> Value {
    let (measure, limit) = match case.options.threshold {
        Threshold::Relative(limit) => ("relative", limit),
        Threshold::Ulps(limit) => ("ulps", limit),
        Threshold::Absolute(limit) => ("absolute", limit),
    };
    let rounding = match case.options.witness_rounding() {
        Rounding::NearestEven | Rounding::NearestAway => "nearest",
        Rounding::Upward => "up",
        Rounding::Downward => "down",
        Rounding::TowardZero => "zero",
    };
    let reals: Vec<Value> = case
        .points
        .uncertain
        .iter()
        .map(|uncertain| {
            let real = case.points.real(uncertain, point);
            json!({"input": case.target.inputs[uncertain.input].name, "real": real.to_string()})
        })
        .collect();
    json!({"measure": measure, "limit": limit, "rounding": rounding, "reals": reals})
}

/// Runs a report's finding again.
pub(crate) fn run(report: &Report, finding: &Finding) -> Result<Replayed, Fault> {
    let source = Source::described(&report.subject);
    if source.files.iter().any(|file| super::is_fpcore(file)) {
        return Err(Fault::User(
            "a finding of an FPCore has no program to run: run `nanoscope precision` again".into(),
        ));
    }
    let (compiler, program) = source.load(None)?;
    let names = [finding.function.clone()];
    let target = program.targets(&names, &source.wishes)?.remove(0).map_err(|untestable| {
        Fault::User(format!("{} {}: it cannot be replayed", untestable.function, untestable.why))
    })?;
    let mut point = crate::replayed::point(&target, &finding.inputs)?;
    let scratch = Scratch::new()?;
    let libraries = program.libraries(&names, &source.wishes, &compiler, scratch.path(), None)?;
    let lowering = Lowering {
        functions: names.to_vec(),
        wishes: source.wishes.clone(),
        support: crate::library::self_contained(&program, None)?,
        ..Lowering::default()
    };
    let code = program.code(&lowering)?;
    let empty = Value::Null;
    let kept = finding.details.more.get("question").unwrap_or(&empty);
    let options = options(source, kept);
    let mut errors = vec![None; target.inputs.len()];
    let mut ends = vec![None; target.inputs.len()];
    for real in kept["reals"].as_array().into_iter().flatten() {
        let name = real["input"].as_str().unwrap_or("");
        let value = real["real"].as_str().and_then(|text| text.parse::<rug::Rational>().ok());
        let at = target.inputs.iter().position(|input| input.name == name);
        if let (Some(at), Some(value)) = (at, value) {
            errors[at] = Some(InputError::HalfUlp);
            ends[at] = Some((value.clone(), value));
            point.push(0);
        }
    }
    let case = Case {
        code: &code,
        target: &target,
        libraries: &libraries,
        options: &options,
        sites: Sites::of(&code, &target),
        points: Points::new(&target, &errors, &ends),
        limits: Limits { replay: Duration::from_secs(10), ..Limits::default() },
        admission: None,
        contract: Contract::default(),
    };
    let mut confirmation = Confirmation::new(&case)?;
    confirmation.step_by_step = true;
    let judged = confirmation
        .judge(&point, &Budget::unlimited())?
        .map_err(|why| Fault::User(format!("it cannot be replayed: {}", why.why())))?;
    let is_here = |site: usize| {
        let site = &case.sites.list[site];
        site.place == finding.place && site.operation == finding.operation
    };
    let output = finding.details.more.get("output").and_then(Value::as_str);
    let happened = match (finding.kind, output) {
        (Kind::UnstableBranch | Kind::UnstableConversion, _) => {
            judged.flips.iter().any(|flip| is_here(flip.site))
        }
        (_, Some(output)) => target.outputs.iter().enumerate().any(|(at, one)| {
            let measured = judged.outputs[at].as_ref();
            one.name == output && measured.is_some_and(|m| options.threshold.exceeded(&m.error))
        }),
        (_, None) => judged
            .values
            .iter()
            .any(|(site, measured)| is_here(*site) && options.threshold.exceeded(&measured.error)),
    };
    let mut steps: Vec<Compared> = judged
        .steps
        .iter()
        .filter(|step| matches!(case.sites.list[step.site].kind, SiteKind::Value(_)))
        .map(|step| {
            let site = &case.sites.list[step.site];
            let measured = &step.measured;
            Compared {
                place: site.place.clone(),
                operation: site.operation.clone(),
                computed: number(&site.operation, measured.format, measured.computed),
                exact: measured.exact.text(),
                relative: measured.error.relative,
            }
        })
        .collect();
    for flip in &judged.flips {
        let site = &case.sites.list[flip.site];
        let bits = Scalar::Integer { bits: 64, signed: true };
        steps.push(Compared {
            place: site.place.clone(),
            operation: site.operation.clone(),
            computed: numbers::number(&site.operation, "integer", bits, flip.computed),
            exact: (flip.exact as i64).to_string(),
            relative: f64::INFINITY,
        });
    }
    for (at, measured) in judged.outputs.iter().enumerate() {
        if let Some(measured) = measured {
            let name = &target.outputs[at].name;
            steps.push(Compared {
                place: finding.place.clone(),
                operation: name.clone(),
                computed: number(name, measured.format, measured.computed),
                exact: measured.exact.text(),
                relative: measured.error.relative,
            });
        }
    }
    Ok(Replayed {
        happened,
        events: Vec::new(),
        outputs: numbers::outputs(&target, &judged.native),
        ended: None,
        born: None,
        printed: String::new(),
        steps,
    })
}

fn number(name: &str, format: nanoscope_ieee::Format, bits: u128) -> Number {
    Number::float(name, numbers::type_name(Scalar::Float(format)), format, bits)
}

/// The options of the run that a finding comes from, as far as it keeps them.
fn options(source: Source, kept: &Value) -> Options {
    let limit = kept["limit"].as_f64().unwrap_or(1e-3);
    let threshold = match kept["measure"].as_str() {
        Some("ulps") => Threshold::Ulps(limit),
        Some("absolute") => Threshold::Absolute(limit),
        Some(_) | None => Threshold::Relative(limit),
    };
    let rounding = match kept["rounding"].as_str() {
        Some("up") => Rounding::Upward,
        Some("down") => Rounding::Downward,
        Some("zero") => Rounding::TowardZero,
        Some(_) | None => Rounding::NearestEven,
    };
    Options {
        ranges: true,
        source,
        functions: Vec::new(),
        contracts: Contracts::default(),
        threshold,
        input_errors: Vec::new(),
        rounding: Rounds::To(rounding),
        model: Model::Taylor,
        ends: Ends::Show,
        time_limit: None,
        function_time: None,
        evaluations: None,
        blind: false,
        seed: 1,
        jobs: 1,
        stop: Arc::new(AtomicBool::new(false)),
    }
}
