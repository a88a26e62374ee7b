//! Proving: bounds on the errors of a target's outputs and operations, over all its inputs.

use super::extract::Extracted;
use super::summary::{Proved, Summary};
use super::{Case, Model, Rounds, interval};
use crate::shadow::Stuck;
use nanoscope_budget::Budget;
use nanoscope_errors::{Bound, NodeId, Open, Options, prove, quick};
use nanoscope_ieee::{Float, Format, Rounding};
use nanoscope_program::Scalar;
use std::collections::BTreeSet;

/// A relative bound as large as this says that the result may be 0, and nothing else.
pub(super) const USELESS: f64 = 1e30;

/// Ways through a program that are many.
const MANY: usize = 8;

/// Proves what can be proved, and writes it down.
pub(super) fn prove_target(
    case: &Case,
    extracted: &Result<Extracted, Stuck>,
    joined: Option<&Extracted>,
    budget: &Budget,
    summary: &mut Summary,
) {
    let extracted = match extracted {
        Ok(extracted) => extracted,
        Err(why) => {
            let why = match why.why() {
                loops if loops.starts_with("loop") => loops.to_owned(),
                other => format!("not proved: {other}"),
            };
            for proved in &mut summary.proved {
                proved.why = why.clone();
            }
            summary.unproved = Some(why);
            return;
        }
    };
    // Of functions of the graph, only the graph without them knows every operation.
    let summarised = !extracted.graph.functions().is_empty();
    let whole = joined.filter(|joined| summarised && joined.inside.is_empty());
    let all_numbers = sites(case, whole.unwrap_or(extracted), summary);
    if !all_numbers && !are_numbers(extracted) {
        for proved in &mut summary.proved {
            proved.why = "a value that it checks may be no number".to_owned();
        }
        return;
    }
    let coarse = coarsely(case, extracted, summary);
    if coarse.as_ref().is_some_and(|(_, enough)| *enough) {
        return;
    }
    let options = Options::default();
    // Many ways are mostly rounds of a loop: there the joined graph says more.
    let share = if extracted.pieces.len() > MANY { 5 } else { 2 };
    let first = match (joined, budget.remaining()) {
        (Some(_), Some(left)) => budget.slice(left / share),
        (_, _) => budget.clone(),
    };
    let bounds = prove(&extracted.graph, &extracted.pieces, &options, &first);
    summary.suspected = bounds.iter().map(|bound| bound.points.clone()).collect();
    for (&output, bound) in extracted.outputs.iter().zip(&bounds) {
        summary.proved[output] = proved(case, extracted, bound);
    }
    let enough = |at: &usize| match case.target.outputs[*at].scalar {
        Scalar::Float(format) => case.options.threshold.allows(&summary.proved[*at], format),
        Scalar::Integer { .. } => true,
    };
    let enough = summarised && extracted.outputs.iter().all(enough);
    if let Some(joined) = joined.filter(|joined| !enough && are_numbers(joined)) {
        let bounds = prove(&joined.graph, &joined.pieces, &options, budget);
        for (&output, bound) in joined.outputs.iter().zip(&bounds) {
            summary.proved[output].sharpen(proved(case, joined, bound));
        }
    }
    for &output in &extracted.outputs {
        if let Some((said, _)) = &coarse {
            summary.proved[output].why.push_str(&format!("; {said}"));
        }
    }
}

/// Whether everything that the program takes for a number is one.
fn are_numbers(extracted: &Extracted) -> bool {
    let asked: Vec<NodeId> = extracted.taken_for_numbers.iter().copied().collect();
    quick(&extracted.graph, &asked).iter().all(|(bound, _)| bound.is_finite())
}

impl Proved {
    /// The lesser of two bounds, each.
    fn sharpen(&mut self, other: Proved) {
        let lesser = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, None) | (None, one) => one,
        };
        let better = |a: Option<f64>, b: Option<f64>| lesser(a, b) != a;
        if better(self.absolute, other.absolute) || better(self.relative, other.relative) {
            self.why = other.why;
        }
        self.absolute = lesser(self.absolute, other.absolute);
        self.relative = lesser(self.relative, other.relative);
    }
}

/// F-Soft's model, where it is asked for: what it says, and whether that is enough.
fn coarsely(case: &Case, extracted: &Extracted, summary: &mut Summary) -> Option<(String, bool)> {
    let Model::Interval { delta, epsilon } = &case.options.model else { return None };
    let [piece] = extracted.pieces.as_slice() else {
        return Some(("the interval model is for one way through a program".to_owned(), false));
    };
    let rounding = case.options.rounding;
    let units = |format: Format| {
        let given = |list: &[(Option<Format>, f64)]| {
            let found = list.iter().find(|(of, _)| of.is_none_or(|of| of == format));
            found.map(|(_, value)| *value)
        };
        // No less than what the format rounds off.
        let nearest = matches!(rounding, Rounds::To(Rounding::NearestEven));
        let unit = 2f64.powi(if nearest { 0 } else { 1 } - format.precision as i32);
        let least = Float::smallest(format, false).to_f64();
        (given(delta).unwrap_or(unit).max(unit), given(epsilon).unwrap_or(least).max(least))
    };
    let found = interval::bounds(&extracted.graph, &piece.outputs, &units, case.options.ranges);
    let mut enough = true;
    let mut worst = 0.0f64;
    for (&output, (absolute, relative)) in extracted.outputs.iter().zip(found) {
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let why = "interval model".to_owned();
        let (absolute, relative) = (finite(absolute), finite(relative));
        let proved = Proved { absolute, relative, why, ..Proved::default() };
        let Scalar::Float(format) = case.target.outputs[output].scalar else { continue };
        enough &= case.options.threshold.allows(&proved, format);
        worst = worst.max(relative.unwrap_or(f64::INFINITY));
        summary.proved[output] = proved;
    }
    let said = match worst.is_finite() {
        true => format!("the interval model has {worst:.3e}, which is spurious"),
        false => "the interval model has no bound".to_owned(),
    };
    Some((said, enough))
}

/// Bounds of the operations on the way, by the quick pass. Runs are compared operation by
/// operation only as long as both go the same way, where both compute the same node. Whether
/// every operation gives a number.
fn sites(case: &Case, extracted: &Extracted, summary: &mut Summary) -> bool {
    let mut all_numbers = extracted.inside.is_empty();
    let asked = extracted.sites.values().chain(extracted.decided.values()).flatten().copied();
    let nodes: BTreeSet<NodeId> = asked.collect();
    let nodes: Vec<NodeId> = nodes.into_iter().collect();
    // One pass over the graph, however often a loop comes by a site.
    let bounds = quick(&extracted.graph, &nodes);
    let bound = |of: &BTreeSet<NodeId>| {
        of.iter().fold((0.0f64, 0.0f64), |worst, node| {
            let at = nodes.binary_search(node).expect("every node was asked for");
            (worst.0.max(bounds[at].0), worst.1.max(bounds[at].1))
        })
    };
    for (site, nodes) in extracted.sites.iter().filter(|(site, _)| !extracted.inside.contains(site))
    {
        let (absolute, relative) = bound(nodes);
        all_numbers &= absolute.is_finite();
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let why = match absolute.is_finite() {
            true => "bounded over all inputs".to_owned(),
            false => String::new(),
        };
        let (absolute, relative) = (finite(absolute), finite(relative));
        let proved = Proved { absolute, relative, why, ..Proved::default() };
        summary.proved_sites.insert(*site, proved);
    }
    for (site, nodes) in &extracted.decided {
        if bound(nodes).0 == 0.0 && !extracted.inside.contains(site) {
            summary.stable.push(*site);
        }
    }
    // What no way comes by never happens, if no NaN leads there.
    for site in 0..case.sites.list.len() {
        let comes_by = extracted.sites.contains_key(&site) || extracted.decided.contains_key(&site);
        if all_numbers && !comes_by {
            summary.unreached.insert(site);
        }
    }
    all_numbers
}

fn proved(case: &Case, extracted: &Extracted, bound: &Bound) -> Proved {
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let place = |tag: u32| {
        let site = extracted.tags.get(tag as usize).copied().flatten();
        site.map_or(String::new(), |site| {
            let place = &case.sites.list[site].place;
            format!(", {}:{}", place.file, place.line)
        })
    };
    let why = match &bound.open {
        Some(open) => {
            let at = match open {
                Open::Overflow(tag) | Open::Divisor(tag) | Open::Domain(tag) => place(*tag),
                _ => String::new(),
            };
            format!("{open}{at}")
        }
        None => {
            let ways = match extracted.pieces.len() {
                1 => String::new(),
                ways => format!(", {ways} ways"),
            };
            let parts = bound.method.boxes;
            let known = match extracted.enclosed {
                0 => String::new(),
                many => format!(", {many} values narrowed by ranges"),
            };
            format!("error bounded over {parts} parts of the input space{ways}{known}")
        }
    };
    let relative = bound.relative.filter(|bound| *bound < USELESS);
    let not_relative = bound.why_not_relative();
    Proved { absolute: finite(bound.absolute), relative, why, not_relative }
}
