//! Integers that go with arrays: how long each array has to be, and which integers lead out of the
//! arrays that were made for lack of a better word.
//!
//! Where nobody says how long an array is, it is as long as small integers lead, and the integers beside
//! it are small. Not all of these go together: a row that is longer than the matrix is wide, an index
//! below the first element. Combinations are tried, on numbers that do not matter. How far each
//! array is used tells its length as an expression over the integers (`lda*(n - 1) + m`); combinations
//! that lead out of the arrays are kept out by the plainest conditions that do. The report tells both.

use super::contract::Contract;
use super::fitted::fit;
use crate::numbers::{encoding_at, key, set_encoding};
use crate::shadow::{self, Reach};
use nanoscope_budget::Budget;
use nanoscope_ieee::Float;
use nanoscope_program::ir::Code;
use nanoscope_program::{Input, Scalar, Target};
use std::time::Instant;

/// More combinations are not tried.
const MOST: usize = 3200;

/// Instructions that one try may take.
const STEPS: u64 = 40_000;

/// Instructions that all tries may take: a second or so.
const ALL_STEPS: u64 = 4_000_000;

/// Finds how long the arrays of a target are, and the condition under which it stays within them,
/// where that is not all it is given.
pub(super) fn infer(code: &Code, target: &Target, contract: &mut Contract, end: Option<Instant>) {
    let is_plain = |at: &&usize| {
        let name = target.inputs[**at].name.trim_start_matches('*');
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let places: Vec<usize> = target.lengths.iter().filter(is_plain).copied().collect();
    let Some(combinations) = combinations(target, &places) else { return };
    let budget = Budget { deadline: end, ..Budget::default() };
    let mut taken = 0;
    let mut tried = Vec::with_capacity(combinations.len());
    let mut used: Vec<Vec<(Vec<i64>, Reach)>> = vec![Vec::new(); target.arrays.len()];
    for values in combinations {
        if budget.exhausted() {
            return;
        }
        if taken > ALL_STEPS {
            break;
        }
        let point = point(target, &places, &values);
        if !contract.admits(&point) {
            continue;
        }
        let trial = shadow::try_run(code, target, &point, &budget, STEPS);
        taken += trial.steps;
        for (array, used) in target.arrays.iter().zip(&mut used) {
            if let Some(reach) = trial.reached.get(array.parameter) {
                used.push((values.clone(), *reach));
            }
        }
        tried.push((values, trial.leaves));
    }
    let names: Vec<&str> = places.iter().map(|&at| target.inputs[at].name.as_str()).collect();
    let mut apart = Vec::new();
    for (array, used) in target.arrays.iter().zip(&used) {
        let is_written = used.iter().any(|(_, reach)| reach.written);
        let counts: Vec<(&[i64], u64)> = used
            .iter()
            .map(|(values, reach)| (values.as_slice(), reach.end.div_ceil(array.element)))
            .collect();
        let Some(extent) = fit(&counts) else { continue };
        contract.infer_extent(&array.name, extent.text(&names));
        // Columns that share elements are no columns: where they are written, they lie apart.
        if let (true, Some((stride, length))) = (is_written, extent.columns()) {
            apart.push((array.name.as_str(), stride, length));
        }
    }
    for (_, stride, length) in &apart {
        tried.retain(|(values, _)| values[*stride] >= values[*length]);
    }
    let is_used = |values: &[i64]| {
        used.iter().flatten().any(|(tried, reach)| tried == values && reach.end > 0)
    };
    let mut conditions = conditions(&names, &tried, &is_used).unwrap_or_default();
    let mut told = match conditions.is_empty() {
        true => Vec::new(),
        false => vec![format!(
            "{}: with other integers it leaves the arrays that it is given",
            conditions.join(" and ")
        )],
    };
    for (array, stride, length) in apart {
        let condition = format!("{} >= {}", names[stride], names[length]);
        if !conditions.contains(&condition) {
            told.push(format!("{condition}: columns of `{array}` do not overlap"));
            conditions.push(condition);
        }
    }
    if !conditions.is_empty() {
        let told = format!("{}; --array and --assume change that", told.join(", "));
        contract.infer(target, &conditions.join(" && "), told);
    }
}

/// All values that the integers may have together, or some where they are too many; none where
/// there are none.
pub(super) fn combinations(target: &Target, places: &[usize]) -> Option<Vec<Vec<i64>>> {
    let mut ends = Vec::new();
    for &at in places {
        let Input { low, high, .. } = &target.inputs[at];
        ends.push((i64::try_from(*low).ok()?, i64::try_from(*high).ok()?));
    }
    let sizes = || ends.iter().map(|(low, high)| high.abs_diff(*low) as u128 + 1);
    let all = sizes().try_fold(1u128, u128::checked_mul)?;
    // Steps that have no factor in common with the number of all come by every one.
    let step = match all <= MOST as u128 {
        true => 1,
        false => (all / MOST as u128..).find(|step| coprime(*step, all))?,
    };
    let combination = |number: usize| {
        let mut rest = number as u128 * step % all;
        let mut values = Vec::with_capacity(ends.len());
        for ((low, _), size) in ends.iter().zip(sizes()) {
            values.push(low + (rest % size) as i64);
            rest /= size;
        }
        values
    };
    (!places.is_empty()).then(|| (0..all.min(MOST as u128) as usize).map(combination).collect())
}

fn coprime(a: u128, b: u128) -> bool {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// Inputs with these integers, and ordinary numbers elsewhere.
pub(super) fn point(target: &Target, places: &[usize], values: &[i64]) -> Vec<u64> {
    let mut point = vec![0; target.input_words];
    for (at, input) in target.inputs.iter().enumerate() {
        let number = match input.scalar {
            Scalar::Float(format) => {
                // Eighths above one, or what is allowed next to them.
                let one = Float::one(format, false).to_bits().unwrap_or_default();
                let number = one + ((at as u128 % 7) << (format.precision - 4));
                let [low, high, number] =
                    [input.low, input.high, number].map(|bits| key(input.scalar, bits));
                encoding_at(input.scalar, number.clamp(low, high.max(low)))
            }
            Scalar::Integer { bits, .. } => {
                // Elements of other arrays may be indices: one is the first or the second.
                let [low, high] = [input.low, input.high].map(|bits| key(input.scalar, bits));
                let one =
                    || encoding_at(input.scalar, key(input.scalar, 1).clamp(low, high.max(low)));
                let known = places.iter().position(|&place| place == at).map(|i| values[i] as u128);
                known.unwrap_or_else(one) & (u128::MAX >> (128 - bits))
            }
        };
        set_encoding(&mut point, input.word, input.scalar, number);
    }
    point
}

/// A condition on one integer, or on two.
#[derive(Clone, Copy)]
enum Atom {
    AtLeast(usize, i64),
    AtMost(usize, i64),
    /// The first is not below the second.
    NotBelow(usize, usize),
    /// The first is above the second.
    Above(usize, usize),
}

impl Atom {
    fn holds(self, values: &[i64]) -> bool {
        match self {
            Atom::AtLeast(at, least) => values[at] >= least,
            Atom::AtMost(at, most) => values[at] <= most,
            Atom::NotBelow(at, other) => values[at] >= values[other],
            Atom::Above(at, other) => values[at] > values[other],
        }
    }

    fn text(self, names: &[&str]) -> String {
        match self {
            Atom::AtLeast(at, least) => format!("{} >= {least}", names[at]),
            Atom::AtMost(at, most) => format!("{} <= {most}", names[at]),
            Atom::NotBelow(at, other) => format!("{} >= {}", names[at], names[other]),
            Atom::Above(at, other) => format!("{} > {}", names[at], names[other]),
        }
    }
}

/// The fewest and weakest conditions that keep all that lead out, chosen one after the other; none
/// where nothing leads out, or everything does that uses an array: then it is not these integers
/// that lead out.
fn conditions(
    names: &[&str],
    tried: &[(Vec<i64>, bool)],
    is_used: &dyn Fn(&[i64]) -> bool,
) -> Option<Vec<String>> {
    let mut left: Vec<&(Vec<i64>, bool)> = tried.iter().collect();
    let atoms = atoms(names.len(), tried);
    let mut chosen: Vec<Atom> = Vec::new();
    while left.iter().any(|(_, leaves)| *leaves) {
        let count = |atom: &Atom, wanted: bool| {
            left.iter().filter(|(values, leaves)| *leaves == wanted && !atom.holds(values)).count()
        };
        // What is lost weighs more than what is kept out.
        let worth =
            |atom: &Atom| count(atom, true) as f64 / (1.0 + 8.0 * count(atom, false) as f64);
        let best = atoms.iter().copied().map(|atom| (worth(&atom), atom));
        let (worth, best) = best.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
        if worth == 0.0 {
            return None;
        }
        left.retain(|(values, _)| best.holds(values));
        chosen.push(best);
    }
    // What was chosen first may be implied by what came later.
    for at in (0..chosen.len()).rev() {
        let others = || chosen.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, atom)| atom);
        let leads_out = |(values, leaves): &(Vec<i64>, bool)| {
            *leaves && others().all(|atom| atom.holds(values))
        };
        if !tried.iter().any(leads_out) {
            chosen.remove(at);
        }
    }
    let told = || chosen.iter().map(|atom| atom.text(names)).collect();
    (!chosen.is_empty() && left.iter().any(|(values, _)| is_used(values))).then(told)
}

fn atoms(count: usize, tried: &[(Vec<i64>, bool)]) -> Vec<Atom> {
    let mut list = Vec::new();
    for at in 0..count {
        let values = || tried.iter().map(|(values, _)| values[at]);
        let (Some(low), Some(high)) = (values().min(), values().max()) else { continue };
        list.extend((low + 1..=high).map(|least| Atom::AtLeast(at, least)));
        list.extend((low..high).map(|most| Atom::AtMost(at, most)));
        let others = (0..count).filter(|other| *other != at);
        list.extend(others.flat_map(|other| [Atom::NotBelow(at, other), Atom::Above(at, other)]));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], leaves: impl Fn(&[i64]) -> bool, expected: Option<&[&str]>) {
        let mut all = vec![Vec::new()];
        for _ in names {
            let longer = all.iter().flat_map(|values: &Vec<i64>| {
                (0..=4).map(move |value| values.iter().copied().chain([value]).collect())
            });
            all = longer.collect();
        }
        let tried: Vec<(Vec<i64>, bool)> =
            all.into_iter().map(|values| (values.clone(), leaves(&values))).collect();
        let expected = expected.map(|list| list.iter().map(|text| (*text).to_owned()).collect());
        assert_eq!(conditions(names, &tried, &|_| true), expected);
    }

    #[test]
    fn integers_that_leave_no_element_are_not_asked_for() {
        let tried: Vec<(Vec<i64>, bool)> = (0..=4).map(|n| (vec![n], n > 0)).collect();
        assert_eq!(conditions(&["n"], &tried, &|_| true), Some(vec!["n <= 0".to_owned()]));
        assert_eq!(conditions(&["n"], &tried, &|values| values[0] > 0), None);
    }

    #[test]
    fn the_plainest_conditions_are_told() {
        check(&["n"], |_| false, None);
        check(&["n"], |_| true, None);
        check(&["n"], |v| v[0] < 2, Some(&["n >= 2"]));
        check(&["m", "lda"], |v| v[1] < v[0], Some(&["lda >= m"]));
        check(&["i", "n"], |v| v[0] >= v[1], Some(&["n > i"]));
        check(&["n", "k"], |v| v[0] == 0 || v[0] == 1 && v[1] > 0, Some(&["n >= 2"]));
        check(&["i", "n"], |v| v[0] > v[1] || v[0] == 0, Some(&["n >= i", "i >= 1"]));
    }
}
