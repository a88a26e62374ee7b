//! Hints from one target to others. A library's functions call each other, often with the
//! arguments they were given: an operation that was seen to do something through one of them is
//! first tried, through the others, with the same numbers.

use crate::numbers::{encoding, encoding_at, key, set_encoding};
use nanoscope_ieee::Format;
use nanoscope_program::{GoalId, Input, Scalar, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many points are kept of a goal, each from another function.
const KEPT: usize = 6;

/// So many points are handed to a function at most.
const HANDED: usize = 4096;

/// The goals that were reached, through whichever function.
#[derive(Default)]
pub(super) struct CrossTargetHints(Mutex<BTreeMap<GoalId, Vec<Point>>>);

/// The inputs of some function that reached a goal.
struct Point {
    inputs: Arc<[Input]>,
    words: Vec<u64>,
}

impl CrossTargetHints {
    /// What a function reached, and with what inputs.
    pub fn tell<'a>(&self, target: &Target, reached: impl Iterator<Item = (GoalId, &'a [u64])>) {
        let inputs: Arc<[Input]> = target.inputs.clone().into();
        let mut known = self.known();
        for (goal, words) in reached {
            let points = known.entry(goal).or_default();
            if points.len() == KEPT {
                points.remove(0);
            }
            points.push(Point { inputs: Arc::clone(&inputs), words: words.to_vec() });
        }
    }

    /// Those of a function's goals that were reached through others.
    pub fn known_of(&self, target: &Target) -> Vec<GoalId> {
        let known = self.known();
        target.goals.iter().copied().filter(|goal| known.contains_key(goal)).collect()
    }

    /// What others reached some goals with, as inputs of this function.
    pub fn points(&self, target: &Target, goals: &[GoalId]) -> Vec<Vec<u64>> {
        let known = self.known();
        let points = goals.iter().filter_map(|goal| known.get(goal)).flatten();
        let points: BTreeSet<Vec<u64>> = points.map(|point| point.of(target)).collect();
        let step = points.len().div_ceil(HANDED).max(1);
        points.into_iter().step_by(step).collect()
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<GoalId, Vec<Point>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Point {
    /// The same numbers for another function's inputs: to each what goes by its name, or else
    /// stands at its place; one where nothing does.
    fn of(&self, target: &Target) -> Vec<u64> {
        let mut words = vec![0; target.input_words];
        for (place, input) in target.inputs.iter().enumerate() {
            let namesake = self.inputs.iter().find(|other| other.name == input.name);
            let value = namesake.or_else(|| self.inputs.get(place)).map(|other| {
                let bits = encoding(&self.words, other.word, other.scalar);
                if other.scalar == input.scalar {
                    bits
                } else {
                    converted(other.scalar, bits, input.scalar)
                }
            });
            let bits = value.unwrap_or_else(|| of_number(input.scalar, 1.0));
            set_encoding(&mut words, input.word, input.scalar, bits);
        }
        words
    }
}

/// A number in another type, as nearly as that has it; zero from formats that are not
/// looked into.
fn converted(from: Scalar, bits: u128, to: Scalar) -> u128 {
    let value = match from {
        Scalar::Float(Format::BINARY64) => f64::from_bits(bits as u64),
        Scalar::Float(Format::BINARY32) => f64::from(f32::from_bits(bits as u32)),
        Scalar::Float(_) => 0.0,
        Scalar::Integer { .. } => key(from, bits) as f64,
    };
    of_number(to, value)
}

/// The encoding of a number, as nearly as a type has it.
fn of_number(scalar: Scalar, value: f64) -> u128 {
    match scalar {
        Scalar::Float(Format::BINARY64) => u128::from(value.to_bits()),
        Scalar::Float(Format::BINARY32) => u128::from((value as f32).to_bits()),
        Scalar::Float(_) => 0,
        Scalar::Integer { bits, signed } => {
            let (low, high) = match signed {
                true => (i128::MIN >> (128 - bits), i128::MAX >> (128 - bits)),
                false => (0, (u128::MAX >> (128 - bits).max(1)) as i128),
            };
            encoding_at(scalar, (value as i128).clamp(low, high))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Scalar = Scalar::Integer { bits: 32, signed: true };
    const DOUBLE: Scalar = Scalar::Float(Format::BINARY64);

    #[test]
    fn numbers_find_their_way_between_types() {
        assert_eq!(converted(INT, 0xffff_fffe, DOUBLE), u128::from((-2.0f64).to_bits()));
        assert_eq!(converted(DOUBLE, u128::from(1e300f64.to_bits()), INT), 0x7fff_ffff);
        assert_eq!(converted(DOUBLE, u128::from((-3.0f64).to_bits()), INT), 0xffff_fffd);
        let byte = Scalar::Integer { bits: 8, signed: false };
        assert_eq!(converted(DOUBLE, u128::from((-3.0f64).to_bits()), byte), 0);
        assert_eq!(of_number(Scalar::Float(Format::BINARY32), 1.0), 0x3f80_0000);
    }
}
