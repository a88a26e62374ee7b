//! Arrays of integers that are indices: pivots, permutations, columns of sparse matrices.
//!
//! What the elements of such an array may be goes with the integers beside it: from 1 to `n`, or
//! below `n`. Nobody says so. All elements are given the same small number, for several
//! combinations of the other integers; which numbers lead out of the arrays tells the bounds. Arrays
//! that were made for lack of a better word are longer than what is used of them, so numbers that
//! only lead farther than others do count, too, where an expression tells just these.

use super::contract::Contract;
use super::extents::{combinations, point};
use crate::numbers::{key, set_encoding};
use crate::shadow;
use nanoscope_budget::Budget;
use nanoscope_program::ir::Code;
use nanoscope_program::{Input, Scalar, Target};
use std::collections::BTreeMap;
use std::time::Instant;

/// What elements are tried with.
const VALUES: std::ops::RangeInclusive<i64> = -1..=6;

/// More combinations of other integers are not tried.
const MOST: usize = 16;

/// Instructions that one try may take, and all of a target.
const STEPS: u64 = 20_000;
const ALL_STEPS: u64 = 2_000_000;

/// Which numbers elements may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    low: Option<i64>,
    /// The number of an integer, and what is added to it; or a number alone.
    high: Option<(Option<usize>, i64)>,
}

/// A try.
struct Trial {
    /// The other integers, and what the elements are.
    integers: Vec<i64>,
    value: i64,
    /// Whether it led out of the arrays.
    leaves: bool,
    /// How far each argument was used; empty where it did not return.
    reached: Vec<u64>,
    /// Whether it used an argument farther than another number did.
    is_far: bool,
}

impl Bounds {
    fn greatest(self, integers: &[i64]) -> Option<i64> {
        self.high.map(|(name, by)| name.map_or(0, |at| integers[at]) + by)
    }

    fn admits(self, integers: &[i64], value: i64) -> bool {
        self.low.is_none_or(|low| value >= low)
            && self.greatest(integers).is_none_or(|high| value <= high)
    }

    /// The bounds that keep out what leads out and the least besides; none where nothing does, or
    /// where bounds of this kind keep out much of what does not.
    fn of(trials: &[Trial], integers: usize) -> Option<Bounds> {
        if trials.iter().all(|trial| !trial.leaves && !trial.is_far) {
            return None;
        }
        let named = (0..integers).flat_map(|at| [0, -1].map(|by| Some((Some(at), by))));
        let numbers = VALUES.map(|number| Some((None, number))).chain([None]);
        let bounds = |high| [None, Some(0), Some(1)].map(|low| Bounds { low, high });
        let is_kept = |it: &Bounds, trial: &Trial| it.admits(&trial.integers, trial.value);
        let is_exact = |it: &Bounds| {
            trials.iter().all(|trial| is_kept(it, trial) != (trial.leaves || trial.is_far))
        };
        if let Some(exact) = named.clone().flat_map(bounds).find(is_exact) {
            return Some(exact);
        }
        if trials.iter().all(|trial| !trial.leaves) {
            return None;
        }
        let keeps_out =
            |it: &Bounds| trials.iter().all(|trial| !(trial.leaves && is_kept(it, trial)));
        let kept = |it: &Bounds| trials.iter().filter(|trial| is_kept(it, trial)).count();
        // Of several that keep as much the first, an expression before a number.
        let best = named.chain(numbers).flat_map(bounds).filter(keeps_out);
        let best = best.map(|it| (kept(&it), it));
        let (kept, best) = best.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
        let harmless = trials.iter().filter(|trial| !trial.leaves).count();
        (kept > 0 && kept * 4 >= harmless * 3).then_some(best)
    }
}

/// Marks what uses an argument farther than another number does with the same integers.
fn mark_far(trials: &mut [Trial]) {
    let arguments = trials.iter().map(|trial| trial.reached.len()).max().unwrap_or(0);
    let least = |at: usize, trials: &[Trial]| {
        trials.iter().filter_map(|trial| trial.reached.get(at)).min().copied()
    };
    let least: Vec<Option<u64>> = (0..arguments).map(|at| least(at, trials)).collect();
    for trial in trials {
        trial.is_far = trial.reached.iter().zip(&least).any(|(end, least)| Some(*end) > *least);
    }
}

/// Finds the arrays of integers whose elements lead out of other arrays, and keeps them within
/// bounds.
pub(super) fn infer(code: &Code, target: &Target, contract: &mut Contract, end: Option<Instant>) {
    let is_plain = |at: &&usize| {
        let name = target.inputs[**at].name.trim_start_matches('*');
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let places: Vec<usize> = target.lengths.iter().filter(is_plain).copied().collect();
    let Some(mut combinations) = combinations(target, &places) else { return };
    combinations.retain(|values| contract.admits(&point(target, &places, values)));
    // The last ones have the largest integers: those use all of their arrays.
    let step = combinations.len().div_ceil(MOST).max(1);
    let chosen: Vec<Vec<i64>> = combinations.into_iter().rev().step_by(step).collect();
    let names: Vec<&str> = places.iter().map(|&at| target.inputs[at].name.as_str()).collect();
    let budget = Budget { deadline: end, ..Budget::default() };
    let mut taken = 0;
    for (array, elements) in arrays_of_integers(target) {
        let mut trials: Vec<Trial> = Vec::new();
        for integers in &chosen {
            let mut of_these = Vec::new();
            for value in VALUES {
                if taken > ALL_STEPS || budget.exhausted() {
                    return;
                }
                let mut point = point(target, &places, integers);
                let encoding = |input: &Input| {
                    let bits = input.scalar.bits();
                    value as u128 & (u128::MAX >> (128 - bits))
                };
                let is_allowed = |input: &Input| {
                    let place = key(input.scalar, encoding(input));
                    key(input.scalar, input.low) <= place && place <= key(input.scalar, input.high)
                };
                let inputs = || elements.iter().map(|&at| &target.inputs[at]);
                if !inputs().all(is_allowed) {
                    continue;
                }
                for input in inputs() {
                    set_encoding(&mut point, input.word, input.scalar, encoding(input));
                }
                let trial = shadow::try_run(code, target, &point, &budget, STEPS);
                taken += trial.steps;
                of_these.push(Trial {
                    integers: integers.clone(),
                    value,
                    leaves: trial.leaves_given,
                    reached: trial.reached.iter().map(|reach| reach.end).collect(),
                    is_far: false,
                });
            }
            // What always leads out does so for other reasons.
            if !of_these.iter().all(|trial| trial.leaves) {
                mark_far(&mut of_these);
                trials.extend(of_these);
            }
        }
        let Some(bounds) = Bounds::of(&trials, places.len()) else { continue };
        let most = trials.iter().filter_map(|trial| bounds.greatest(&trial.integers)).max();
        let conditions: Vec<String> = elements
            .iter()
            .map(|&at| condition(&target.inputs[at].name, bounds, most, &names))
            .collect();
        let told = format!(
            "`{array}` holds indices {}: with others it leaves the arrays that it is given; --array \
             and --assume change that",
            text(bounds, &names)
        );
        contract.infer(target, &conditions.join(" && "), told);
    }
}

/// Arrays of integers, with the positions of their elements.
fn arrays_of_integers(target: &Target) -> BTreeMap<String, Vec<usize>> {
    let mut arrays: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, input) in target.inputs.iter().enumerate() {
        let name = input.name.as_str();
        let element = name.strip_suffix(')').and_then(|it| it.split_once('('));
        let element = element.or_else(|| name.strip_suffix(']').and_then(|it| it.split_once('[')));
        if let (Scalar::Integer { bits: 16.., .. }, Some((array, number))) = (input.scalar, element)
            && number.parse::<u32>().is_ok()
        {
            arrays.entry(array.to_owned()).or_default().push(at);
        }
    }
    arrays
}

/// The bounds in words: `from 1 to n`.
fn text(bounds: Bounds, names: &[&str]) -> String {
    let high = bounds.high.map(|(name, by)| expression(name, by, names));
    match (bounds.low, high) {
        (Some(low), Some(high)) => format!("from {low} to {high}"),
        (Some(low), None) => format!("from {low}"),
        (None, Some(high)) => format!("up to {high}"),
        (None, None) => String::new(),
    }
}

fn expression(name: Option<usize>, by: i64, names: &[&str]) -> String {
    match (name, by) {
        (None, by) => by.to_string(),
        (Some(at), 0) => names[at].to_owned(),
        (Some(at), by) => format!("{} - {}", names[at], -by),
    }
}

/// The condition on an element. Where the integers leave no index at all, no element is used.
fn condition(element: &str, bounds: Bounds, most: Option<i64>, names: &[&str]) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(bounds.low.map(|low| format!("{element} >= {low}")));
    // A number narrows what is tried at all.
    parts.extend(most.map(|most| format!("{element} <= {most}")));
    if let Some((Some(at), by)) = bounds.high {
        let high = expression(Some(at), by, names);
        let least = bounds.low.unwrap_or(0);
        parts.push(format!("({element} <= {high} || {high} < {least})"));
    }
    parts.join(" && ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of arrays that are so much longer than `n`.
    #[track_caller]
    fn check_with(slack: i64, is_index: impl Fn(i64, i64) -> bool, expected: Option<&str>) {
        let mut trials: Vec<Trial> = Vec::new();
        for n in 1..=4 {
            let trial = |value: i64| {
                let leaves = !is_index(n + slack, value);
                let reached = if leaves { Vec::new() } else { vec![8, value.max(n) as u64 * 8] };
                Trial { integers: vec![n, 7], value, leaves, reached, is_far: false }
            };
            let mut of_these: Vec<Trial> = VALUES.map(trial).collect();
            mark_far(&mut of_these);
            trials.extend(of_these);
        }
        let bounds = Bounds::of(&trials, 2);
        assert_eq!(bounds.map(|it| text(it, &["n", "m"])), expected.map(str::to_owned));
    }

    #[test]
    fn bounds_are_told_by_what_leads_out() {
        let check = |is_index: &dyn Fn(i64, i64) -> bool, expected| {
            check_with(0, is_index, expected);
        };
        check(&|_, _| false, None);
        assert_eq!(Bounds::of(&[], 2), None);
        check(&|n, i| i >= 1 && i <= n, Some("from 1 to n"));
        check(&|n, i| i >= 0 && i < n, Some("from 0 to n - 1"));
        check(&|n, i| i <= n, Some("up to n"));
        check(&|_, i| i % 2 == 1, None);
        check_with(2, |n, i| i >= 1 && i <= n, Some("from 1 to n"));
    }

    #[test]
    fn elements_without_an_index_are_free() {
        let bounds = Bounds { low: Some(1), high: Some((Some(0), 0)) };
        let told = condition("p(2)", bounds, Some(4), &["n"]);
        assert_eq!(told, "p(2) >= 1 && p(2) <= 4 && (p(2) <= n || n < 1)");
    }
}
