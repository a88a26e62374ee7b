//! Settling one target: search, confirm, hold both ends against each other.

use super::confirm::{Confirmation, Judged};
use super::extract::{Branches, Calls, Extracted, extract};
use super::known::known;
use super::prove::prove_target;
use super::pursue::{Caught, Manner, pursue};
use super::sites::SiteKind;
use super::summary::Summary;
use super::{Case, Ends, Model, window};
use crate::shadow::Stuck;
use nanoscope_budget::Budget;
use nanoscope_errors::Effort;
use nanoscope_native::processor_time;
use nanoscope_program::Fault;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long proving may take, at most: alone, and where errors are shown too.
const PROVING: Duration = Duration::from_secs(60);
const BESIDE_SHOWING: Duration = Duration::from_secs(15);

/// How many times as long as the processor needs for it a proof may take.
const LONGEST_WAIT: f64 = 8.0;

/// Runs of the quick search and of the close one, where the user says nothing.
const QUICKLY: u64 = 400_000;
const CLOSELY: u64 = 150_000;

/// Shares of the time: of the quick search, of the close one; the rest is for the graph and for
/// confirming.
const SHARES: [f64; 2] = [0.25, 0.3];

/// The share of the time for the search on the graph, and the results that it is about.
const ON_GRAPH: f64 = 0.15;
const RESULTS: usize = 8;

/// The share of the time for proving in which a graph must be made.
const WAYS: f64 = 0.25;

/// The share of all time in which it must be made on a busy machine.
const WAITED: f64 = 0.2;

/// Operations up to which a graph with functions is made without them too.
const UNROLLED: usize = 300_000;

/// How much below the threshold what an error could be is still looked at.
const SUSPICIOUS: f64 = 0.05;

/// Works on a target.
pub(super) fn settle(case: &Case, budget: &Budget) -> Result<Summary, Fault> {
    let start = Instant::now();
    let mut summary = Summary::new(case);
    let left = budget.remaining().unwrap_or(PROVING);
    let share = match case.options.ends {
        Ends::Both | Ends::Show => left.mul_f64(0.4).min(BESIDE_SHOWING),
        Ends::Prove => left.min(PROVING),
    };
    let begun = processor_time();
    let (extracted, joined) = match case.options.blind {
        true => (Err(Stuck::new("inputs are drawn at random")), None),
        false => graphs(case, budget, share),
    };
    if extracted.as_ref().is_ok_and(|extracted| extracted.ended > 0) {
        summary.note(
            "bounds are of runs that return, in floats and in exact arithmetic: \
            on some ways the program ends (an assertion, `abort`, `exit`)",
        );
    }
    if case.options.ends != Ends::Show {
        let used = processor_time().saturating_sub(begun);
        let rest = share.saturating_sub(used.min(start.elapsed()));
        let most = left.mul_f64(if case.options.ends == Ends::Both { 0.6 } else { 1.0 });
        let most = most.saturating_sub(start.elapsed());
        let waiting = waiting(start.elapsed(), used);
        let proving = budget.slice(rest.mul_f64(waiting).min(most));
        prove_target(case, &extracted, joined.as_ref(), &proving, &mut summary);
    }
    if case.options.ends != Ends::Prove {
        show(case, extracted.as_ref().ok(), budget, &mut summary)?;
    }
    summary.seconds = start.elapsed().as_secs_f64();
    summary.finish(case);
    summary.check()?;
    Ok(summary)
}

/// How much longer work takes than the processor needs for it: others use the machine too, and no
/// proof is to be lost for that.
pub(super) fn waiting(elapsed: Duration, processor: Duration) -> f64 {
    // Short times say nothing.
    if elapsed < Duration::from_millis(20) {
        return 1.0;
    }
    (elapsed.as_secs_f64() / processor.as_secs_f64().max(1e-3)).clamp(1.0, LONGEST_WAIT)
}

/// The target as a graph in which branches are ways, and as one in which their sides are joined;
/// where only one can be made, that is the first. One way with functions of its own comes second
/// with every call taken apart.
fn graphs(
    case: &Case,
    budget: &Budget,
    time: Duration,
) -> (Result<Extracted, Stuck>, Option<Extracted>) {
    let known = match case.options.model {
        Model::Taylor => known(case, &budget.slice(time)),
        Model::Interval { .. } => BTreeMap::new(),
    };
    // Others use the machine too: what counts is the processor's time.
    let most = budget.remaining().map_or(time, |left| left.mul_f64(WAITED));
    let make = |branches: Branches, calls: Calls| {
        let processor = processor_time() + time.mul_f64(WAYS);
        extract(case, branches, calls, &known, processor, &budget.slice(most))
    };
    let calls = match case.options.model {
        Model::Taylor => Calls::Summarised,
        Model::Interval { .. } => Calls::Apart,
    };
    let apart = make(Branches::Apart, calls);
    if let Ok(extracted) = &apart
        && extracted.pieces.len() == 1
    {
        let summarised = !extracted.graph.functions().is_empty();
        let whole = (summarised && extracted.graph.operations() <= UNROLLED)
            .then(|| make(Branches::Apart, Calls::Apart).ok());
        return (apart, whole.flatten());
    }
    let joined = make(Branches::Joined, calls);
    match (apart, joined) {
        (Ok(apart), joined) => (Ok(apart), joined.ok()),
        (Err(_), Ok(joined)) => (Ok(joined), None),
        (Err(why), Err(_)) => (Err(why), None),
    }
}

fn show(
    case: &Case,
    extracted: Option<&Extracted>,
    budget: &Budget,
    summary: &mut Summary,
) -> Result<(), Fault> {
    let left = budget.remaining().unwrap_or(Duration::from_secs(60));
    let rounding = case.options.witness_rounding();
    let (quickly, closely) = match budget.evaluations {
        Some(evaluations) => (evaluations * 2 / 3, evaluations / 3),
        None => (QUICKLY, CLOSELY),
    };
    if case.options.blind {
        return blindly(case, budget, summary);
    }
    let manner = |closely: bool, evaluations: u64, share: f64| Manner {
        closely,
        blind: false,
        evaluations,
        time: left.mul_f64(share),
        seed: case.options.seed + u64::from(closely),
        rounding,
    };
    let first = pursue(case, &[], manner(false, quickly, SHARES[0]), budget)?;
    let hints = promising(case, &first, SUSPICIOUS);
    let second = pursue(case, &hints, manner(true, closely, SHARES[1]), budget)?;
    summary.evaluations += first.evaluations + second.evaluations;
    if let (Some(why), true) = (&first.why, first.stuck == first.evaluations) {
        summary.why = Some(why.clone());
    }
    let mut points = match extracted {
        Some(extracted) => {
            on_graph(case, extracted, summary, &budget.slice(left.mul_f64(ON_GRAPH)))
        }
        None => Vec::new(),
    };
    points.extend(promising(case, &second, 0.5));
    points.extend(promising(case, &first, 0.5));
    let confirmation = Confirmation::new(case)?;
    confirm(case, &confirmation, points, budget, summary)?;
    let probe = |point: &[u64]| -> Result<Option<Judged>, Fault> {
        Ok(confirmation.judge(point, budget)?.ok())
    };
    window::look(case, summary, &probe, budget)
}

/// A search that draws inputs at random, as a baseline.
fn blindly(case: &Case, budget: &Budget, summary: &mut Summary) -> Result<(), Fault> {
    let left = budget.remaining().unwrap_or(Duration::from_secs(60));
    let manner = Manner {
        closely: true,
        blind: true,
        evaluations: budget.evaluations.unwrap_or(u64::MAX),
        time: left.mul_f64(0.8),
        seed: case.options.seed,
        rounding: case.options.witness_rounding(),
    };
    let caught = pursue(case, &[], manner, budget)?;
    summary.evaluations += caught.evaluations;
    let confirmation = Confirmation::new(case)?;
    confirm(case, &confirmation, promising(case, &caught, 0.5), budget, summary)
}

/// Runs points natively and exactly, and writes down what they show.
fn confirm(
    case: &Case,
    confirmation: &Confirmation,
    points: Vec<Vec<u64>>,
    budget: &Budget,
    summary: &mut Summary,
) -> Result<(), Fault> {
    let mut known: Vec<Vec<u64>> = Vec::new();
    for point in points {
        if budget.exhausted() {
            break;
        }
        if known.contains(&point) || !case.admits(case.points.words(&point)) {
            continue;
        }
        let judged = confirmation.judge(&point, budget)?;
        summary.replays += 1;
        match judged {
            Ok(judged) => match case.contract.failure(&judged.native) {
                Some(status) => summary.refuted(&format!("the call reports failure: not {status}")),
                None => summary.judged(&point, judged),
            },
            Err(why) => summary.refuted(why.why()),
        }
        known.push(point);
    }
    Ok(())
}

/// Points with large errors of the results, found on the graph: its runs are quicker than those
/// of the program, and its proof says where errors are large.
fn on_graph(
    case: &Case,
    extracted: &Extracted,
    summary: &mut Summary,
    budget: &Budget,
) -> Vec<Vec<u64>> {
    let bound = |output: usize| summary.proved[output].absolute.unwrap_or(f64::INFINITY);
    let mut outputs: Vec<usize> = (0..extracted.outputs.len()).collect();
    outputs.retain(|&at| case.is_result(extracted.outputs[at]));
    outputs.sort_by(|&a, &b| bound(extracted.outputs[b]).total_cmp(&bound(extracted.outputs[a])));
    outputs.truncate(RESULTS);
    let mut points = Vec::new();
    for (number, &at) in outputs.iter().enumerate() {
        let share = budget.remaining().map(|left| left / (outputs.len() - number) as u32);
        let slice = share.map_or(budget.clone(), |share| budget.slice(share));
        let mut effort = Effort { seed: case.options.seed, ..Effort::default() };
        if let Some(evaluations) = budget.evaluations {
            effort.points = effort.points.min(evaluations as usize);
        }
        let hints = summary.suspected.get(at).map_or(&[][..], Vec::as_slice);
        let worst =
            nanoscope_errors::show(&extracted.graph, &extracted.pieces, at, hints, effort, &slice);
        summary.evaluations += worst.points as u64;
        for shown in [worst.relative, worst.absolute].into_iter().flatten() {
            let inputs = shown.inputs.into_iter().map(|input| (input.float, input.real));
            points.extend(case.points.point(inputs));
        }
    }
    points
}

/// The best points of the goals that are worth a look: those of outputs first.
fn promising(case: &Case, caught: &Caught, share: f64) -> Vec<Vec<u64>> {
    let sites = case.sites.list.len();
    let limit = case.options.threshold.limit();
    let mut points: Vec<Vec<u64>> = Vec::new();
    let mut add = |point: &Vec<u64>| {
        if !points.contains(point) {
            points.push(point.clone());
        }
    };
    for at in 0..case.target.outputs.len() {
        if let (Some((_, point)), true) = (&caught.best[sites + at], case.is_result(at)) {
            add(point);
        }
    }
    for at in 0..case.target.outputs.len() {
        caught.lost[sites + at].iter().for_each(&mut add);
    }
    for site in 0..sites {
        caught.lost[site].iter().for_each(&mut add);
    }
    // Arguments that may have left a function's domain.
    for (reading, point) in caught.best[sites + case.target.outputs.len()..].iter().flatten() {
        if *reading >= 1.0 {
            add(point);
        }
    }
    let mut rest: Vec<(f64, &Vec<u64>)> = Vec::new();
    for (site, best) in caught.best[..sites].iter().enumerate() {
        let Some((reading, point)) = best else { continue };
        let least = match case.sites.list[site].kind {
            SiteKind::Value(_) => limit * share,
            SiteKind::Comparison | SiteKind::Conversion => share,
        };
        if *reading >= least {
            rest.push((*reading, point));
        }
    }
    rest.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, point) in rest {
        add(point);
    }
    points
}
