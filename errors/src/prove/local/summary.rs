//! Summaries of functions, by boxes of arguments.
//!
//! A summary is found by one pass over the function's own tape, whose inputs are the parameters.
//! Calls whose arguments lie in the same box share it; the more boxes there are, the coarser they
//! become, so that a helper in a long loop is not looked at again for every call.

use super::Local;
use crate::call::{Outcome, Summarise, Summary};
use crate::graph::tape::{Called, Tape};
use crate::interval::Interval;
use crate::prove::facts::{Inside, Trouble, condition};
use crate::rounding::power_of_two;
use std::collections::HashMap;
use std::rc::Rc;

/// A summariser for every function of a tape.
pub fn summarisers(tape: &Tape) -> Vec<Box<dyn Summarise + '_>> {
    tape.functions.iter().map(|function| summariser(function)).collect()
}

fn summariser(function: &Called) -> Box<dyn Summarise + '_> {
    match function.tape.inputs.len() {
        0..=1 => Box::new(Summariser::<1>::new(function)),
        2 => Box::new(Summariser::<2>::new(function)),
        3 => Box::new(Summariser::<3>::new(function)),
        4 => Box::new(Summariser::<4>::new(function)),
        5..=6 => Box::new(Summariser::<6>::new(function)),
        7..=9 => Box::new(Summariser::<9>::new(function)),
        _ => Box::new(Summariser::<16>::new(function)),
    }
}

struct Summariser<'t, const M: usize> {
    function: &'t Called,
    local: Local<'t, M>,
    known: HashMap<Vec<[u64; 2]>, Rc<Summary>>,
}

/// The sides of a box as a key.
fn key(sides: &[Interval]) -> Vec<[u64; 2]> {
    sides.iter().map(|side| [side.lo.to_bits(), side.hi.to_bits()]).collect()
}

/// How fine boxes are, by the number of those that are known: sides end at multiples of two to
/// this power of their magnitude or width.
fn fineness(known: usize) -> i32 {
    match known {
        0..64 => 16,
        64..512 => 10,
        512..4096 => 6,
        _ => 3,
    }
}

/// A side of a box, moved outward to multiples of a power of two. A point stays one.
fn snapped(side: Interval, fineness: i32) -> Interval {
    let size = side.magnitude();
    let normal = |x: f64| (1e-290..1e290).contains(&x);
    if side.lo == side.hi || !normal(size) {
        return side;
    }
    let exponent = |x: f64| ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let width = side.hi - side.lo;
    let by_width = if normal(width) { exponent(width) - 3 } else { i32::MIN };
    let cell = power_of_two((exponent(size) - fineness).max(by_width));
    // Quotients may underflow: never inside the side.
    Interval {
        lo: ((side.lo / cell).floor() * cell).min(side.lo),
        hi: ((side.hi / cell).ceil() * cell).max(side.hi),
    }
}

impl<'t, const M: usize> Summariser<'t, M> {
    fn new(function: &'t Called) -> Summariser<'t, M> {
        Summariser { function, local: Local::new(&function.tape), known: HashMap::new() }
    }

    /// The sides of the parameters that are used.
    fn used<T: Copy>(&self, sides: &[T]) -> Vec<T> {
        self.function.tape.inputs.iter().map(|input| sides[input.input]).collect()
    }

    fn summarised(&mut self, sides: &[Interval]) -> Summary {
        let used = self.used(sides);
        let bounded = self.local.pass(&used, &[]);
        debug_assert!(bounded, "a function has no premises");
        let outputs = (0..self.function.outputs.len()).map(|output| self.outcome(output));
        Summary { outputs: outputs.collect() }
    }

    fn outcome(&mut self, output: usize) -> Result<Outcome, Trouble> {
        let place = self.function.outputs[output];
        if let Some(trouble) = self.local.trouble(place) {
            return Err(trouble);
        }
        let slip = self.local.absolute(place, |_, _| {}).bound;
        let slopes = self.local.slopes(place, self.function.parameters);
        let facts = self.local.facts(place);
        let whole = condition(slip, facts.real);
        let carried = (facts.relative, facts.floor);
        let (relative, floor) = match whole.1 == 0.0 && whole.0 <= carried.0 {
            true => whole,
            false if carried.0.is_finite() && carried.1.is_finite() => carried,
            false => whole,
        };
        Ok(Outcome {
            real: facts.real,
            float: facts.float,
            slopes: slopes.map(Into::into),
            inside: Inside { slip, relative, floor },
        })
    }
}

impl<const M: usize> Summarise for Summariser<'_, M> {
    fn begin(&mut self) {
        self.known.clear();
        self.local.begin();
    }

    fn summary(&mut self, sides: &[Interval]) -> Rc<Summary> {
        let fineness = fineness(self.known.len());
        let around: Vec<Interval> = sides.iter().map(|side| snapped(*side, fineness)).collect();
        let clear = |summary: &Summary| {
            let is_clear = |found: &Result<Outcome, Trouble>| {
                found.as_ref().is_ok_and(|outcome| outcome.slopes.is_some())
            };
            summary.outputs.iter().all(is_clear)
        };
        // What a box around the arguments loses, the arguments themselves may have.
        let mut last = None;
        for sides in [around.as_slice(), sides] {
            let key = key(sides);
            let found = match self.known.get(&key) {
                Some(known) => Rc::clone(known),
                None => {
                    let made = Rc::new(self.summarised(sides));
                    self.known.insert(key, Rc::clone(&made));
                    made
                }
            };
            if clear(&found) {
                return found;
            }
            last = Some(found);
        }
        last.expect("two boxes were tried")
    }

    fn at(&mut self, point: &[f64], output: usize) -> Result<Interval, Trouble> {
        let sides: Vec<Interval> = self.used(point).into_iter().map(Interval::point).collect();
        self.local.pass(&sides, &[]);
        let place = self.function.outputs[output];
        match self.local.trouble(place) {
            Some(trouble) => Err(trouble),
            None => Ok(self.local.facts(place).real),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_around_boxes_are_few() {
        let mut boxes: Vec<Interval> = (0..10_000)
            .map(|at| f64::from(at) * 1e-4 + 1.0)
            .map(|x| snapped(Interval { lo: x, hi: x + 1e-9 }, 6))
            .collect();
        for (at, side) in boxes.iter().enumerate() {
            let x = f64::from(at as u32) * 1e-4 + 1.0;
            assert!(side.lo <= x && x + 1e-9 <= side.hi && side.width() < 0.04, "{side:?}");
        }
        boxes.dedup();
        assert!(boxes.len() < 200, "{}", boxes.len());
        let wide = snapped(Interval { lo: -1.0, hi: 3.1 }, 16);
        assert!(wide.lo <= -1.0 && wide.hi >= 3.1 && wide.width() < 5.2, "{wide:?}");
    }
}
