//! Settling one target: search, confirm, hold both ends against each other.

use super::confirm::{Confirmation, Judged};
use super::prove::prove_target;
use super::pursue::{Caught, Manner, pursue};
use super::sites::SiteKind;
use super::summary::Summary;
use super::{Case, Ends, window};
use nanoscope_budget::Budget;
use nanoscope_program::{Fault, Scalar};
use std::time::{Duration, Instant};

/// How long proving may take, at most: alone, and where errors are shown too.
const PROVING: Duration = Duration::from_secs(60);
const BESIDE_SHOWING: Duration = Duration::from_secs(15);

/// Runs of the quick search and of the close one, where the user says nothing.
const QUICKLY: u64 = 400_000;
const CLOSELY: u64 = 150_000;

/// Shares of the time: of the quick search, of the close one; the rest is for confirming.
const SHARES: [f64; 2] = [0.35, 0.35];

/// How much below the threshold what an error could be is still looked at.
const SUSPICIOUS: f64 = 0.05;

/// Works on a target.
pub(super) fn settle(case: &Case, budget: &Budget) -> Result<Summary, Fault> {
    let start = Instant::now();
    let mut summary = Summary::new(case);
    if case.options.ends != Ends::Show {
        let left = budget.remaining().unwrap_or(PROVING);
        let share = match case.options.ends {
            Ends::Both => left.mul_f64(0.4).min(BESIDE_SHOWING),
            Ends::Prove | Ends::Show => left.min(PROVING),
        };
        prove_target(case, &budget.slice(share), &mut summary);
    }
    if case.options.ends != Ends::Prove {
        show(case, budget, &mut summary)?;
    }
    summary.seconds = start.elapsed().as_secs_f64();
    summary.finish(case);
    summary.check()?;
    Ok(summary)
}

fn show(case: &Case, budget: &Budget, summary: &mut Summary) -> Result<(), Fault> {
    let left = budget.remaining().unwrap_or(Duration::from_secs(60));
    let rounding = case.options.witness_rounding();
    let (quickly, closely) = match budget.evaluations {
        Some(evaluations) => (evaluations * 2 / 3, evaluations / 3),
        None => (QUICKLY, CLOSELY),
    };
    let manner = |closely: bool, evaluations: u64, share: f64| Manner {
        closely,
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
    let mut points = promising(case, &second, 0.5);
    points.extend(promising(case, &first, 0.5));
    points.dedup();
    let confirmation = Confirmation::new(case)?;
    let mut known: Vec<Vec<u64>> = Vec::new();
    for point in points {
        if budget.exhausted() {
            break;
        }
        if known.contains(&point) {
            continue;
        }
        let judged = confirmation.judge(&point, budget)?;
        summary.replays += 1;
        match judged {
            Ok(judged) => summary.judged(&point, judged),
            Err(why) => summary.refuted(why.why()),
        }
        known.push(point);
    }
    let probe = |point: &[u64]| -> Result<Option<Judged>, Fault> {
        Ok(confirmation.judge(point, budget)?.ok())
    };
    window::look(case, summary, &probe, budget)
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
    for (at, output) in case.target.outputs.iter().enumerate() {
        if let (Some((_, point)), Scalar::Float(_)) = (&caught.best[sites + at], output.scalar) {
            add(point);
        }
    }
    for at in 0..case.target.outputs.len() {
        caught.lost[sites + at].iter().for_each(&mut add);
    }
    for site in 0..sites {
        caught.lost[site].iter().for_each(&mut add);
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
