//! Inputs for people: short decimals, few digits, ordinary magnitudes, other arguments at 0
//! or 1.
//!
//! One input after the other is replaced by the simplest value that still shows the
//! exception. The instrumented library says which of many candidates do, in one batch; the
//! original code has the last word on the one that is taken.

use super::contract::Contract;
use super::standing::is_first;
use crate::numbers::{encoding, key, set_encoding};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Float, Format};
use nanoscope_native::{Confirmed, Limits, Promise, Record, Replayer, Worker, confirm};
use nanoscope_program::{Exception, Fault, Goal, Input, Instrumented, Scalar};
use std::time::Duration;

/// Candidates for one input at a time.
const CANDIDATES: usize = 2048;

/// Inputs that are looked at: the elements of a long array are left alone.
const INPUTS: usize = 48;

/// Rounds over all inputs: an input may become simple once another has, and a magnitude more
/// ordinary step by step.
const ROUNDS: usize = 6;

/// How long a batch of candidates may take, and how many may fail to return.
const BATCH: Duration = Duration::from_secs(1);
const CASUALTIES: usize = 1;

/// Inputs that are tried further out.
const FURTHER: usize = 3;

/// Candidates for one input on which the exception may be only passed on.
const PASSED_ON: usize = 4;

/// Replays of one finding that may fail before it is left as it is.
const REFUTED: u32 = 3;

/// Makes inputs simple, for the goals of one target.
pub(super) struct Minimiser<'a> {
    worker: Worker,
    replayer: &'a Replayer,
    contract: &'a Contract,
    inputs: &'a [Input],
    /// For every goal of the library: nothing is asked.
    silence: Vec<u64>,
    words: usize,
    /// Whether only the first exception of a run counts.
    first_only: bool,
    pub replays: u64,
}

impl<'a> Minimiser<'a> {
    pub fn new(
        instrumented: &'a Instrumented,
        replayer: &'a Replayer,
        contract: &'a Contract,
        limits: &Limits,
        first_only: bool,
    ) -> Result<Minimiser<'a>, Fault> {
        let target = &instrumented.target;
        Ok(Minimiser {
            worker: Worker::start(instrumented, limits, CANDIDATES)?,
            replayer,
            contract,
            inputs: &target.inputs,
            silence: vec![0; instrumented.goals.len() + instrumented.edges],
            words: target.input_words,
            first_only,
            replays: 0,
        })
    }

    /// A confirmed point that is at least as simple.
    pub fn simplest(
        &mut self,
        goal: Goal,
        found: &Confirmed,
        budget: &Budget,
    ) -> Result<Option<Confirmed>, Fault> {
        let mut best: Option<Confirmed> = None;
        let created = is_created(found);
        let mut refuted = 0;
        for _ in 0..ROUNDS {
            let mut better = false;
            for input in self.inputs.iter().take(INPUTS) {
                if budget.exhausted() || refuted > REFUTED {
                    return Ok(best);
                }
                let point = best.as_ref().unwrap_or(found).point().to_vec();
                match self.simplified(goal, &point, input, created, budget)? {
                    Tried::Better(confirmed) => {
                        better = true;
                        best = Some(*confirmed);
                    }
                    Tried::Refuted => refuted += 1,
                    Tried::Nothing => {}
                }
            }
            if !better {
                break;
            }
        }
        Ok(best)
    }

    /// Simple points that go further in the same direction: what is barely tiny or barely too
    /// large often does no harm, what is far beyond does.
    pub fn further(&mut self, goal: Goal, found: &Confirmed) -> Result<Vec<Confirmed>, Fault> {
        let mut list = Vec::new();
        let inputs = self.inputs;
        let is_far = |input: &&Input| decade(input, found.point()).is_some_and(|d| d.abs() > 20);
        for input in inputs.iter().filter(is_far).take(FURTHER) {
            let Scalar::Float(format) = input.scalar else { continue };
            let Some(decade) = decade(input, found.point()) else { continue };
            let now = encoding(found.point(), input.word, input.scalar);
            let sign = if Float::from_bits(format, now).is_sign_minus() { "-" } else { "" };
            for beyond in [decade * 13 / 10, decade * 19 / 10] {
                let text = format!("{sign}1e{beyond}");
                list.extend(self.shown_with(goal, found.point(), input, &text)?);
            }
        }
        Ok(list)
    }

    /// The point with one input replaced by something simpler. What is created there stays so.
    fn simplified(
        &mut self,
        goal: Goal,
        point: &[u64],
        input: &Input,
        created: bool,
        budget: &Budget,
    ) -> Result<Tried, Fault> {
        let now = encoding(point, input.word, input.scalar);
        let mut batch = Vec::new();
        for value in candidates(input, now) {
            let mut candidate = point.to_vec();
            set_encoding(&mut candidate, input.word, input.scalar, value);
            if self.contract.admits(&candidate) {
                batch.extend(candidate);
            }
        }
        batch.truncate(CANDIDATES * self.words);
        let mut left = batch.as_slice();
        for _ in 0..PASSED_ON {
            let (tried, taken) = self.first_shown(goal, left, created, budget)?;
            match taken {
                Some(taken) => left = &left[taken * self.words..],
                None => return Ok(tried),
            }
        }
        Ok(Tried::Nothing)
    }

    /// The first of these candidates that shows the goal. If it was only passed on there, how many
    /// candidates that settles.
    fn first_shown(
        &mut self,
        goal: Goal,
        batch: &[u64],
        created: bool,
        budget: &Budget,
    ) -> Result<(Tried, Option<usize>), Fault> {
        if batch.is_empty() {
            return Ok((Tried::Nothing, None));
        }
        // Only this goal is asked, and only to be hit: the first hit is the simplest.
        let mut best = self.silence.clone();
        best[goal.id.0 as usize] = 1;
        self.worker.points_mut()[..batch.len()].copy_from_slice(batch);
        self.worker.begin(batch.len() / self.words, &best)?;
        let run = self.worker.finish(&budget.slice(BATCH))?;
        let hit =
            run.improvements.iter().find(|one| one.goal == goal.id.0 as usize && one.distance == 0);
        let Some(hit) = hit else {
            // Where runs do not return, candidates are dear.
            let dear = run.casualties.len() > CASUALTIES;
            return Ok((if dear { Tried::Refuted } else { Tried::Nothing }, None));
        };
        self.replays += 1;
        let promise = Promise {
            site: goal.site,
            exception: goal.exception,
            point: &hit.point,
            record: Some(&hit.record),
        };
        Ok(match confirm(self.replayer, &promise)? {
            Some(confirmed) if created && !is_created(&confirmed) => {
                let at = batch.chunks(self.words).position(|point| point == hit.point.as_slice());
                (Tried::Nothing, at.map(|at| at + 1))
            }
            Some(confirmed) if !self.first_only || is_first(&confirmed) => {
                (Tried::Better(Box::new(confirmed)), None)
            }
            Some(_) | None => (Tried::Refuted, None),
        })
    }

    /// The point with one float replaced by a decimal, where it shows the same.
    fn shown_with(
        &mut self,
        goal: Goal,
        point: &[u64],
        input: &Input,
        decimal: &str,
    ) -> Result<Option<Confirmed>, Fault> {
        let Scalar::Float(format) = input.scalar else { return Ok(None) };
        let Ok(value) = Float::parse_nearest(format, decimal) else { return Ok(None) };
        let Some(bits) = value.to_bits().filter(|_| is_within(input, &value)) else {
            return Ok(None);
        };
        let mut point = point.to_vec();
        set_encoding(&mut point, input.word, input.scalar, bits);
        if !self.contract.admits(&point) {
            return Ok(None);
        }
        let Some(record) = self.recorded(goal, &point)? else { return Ok(None) };
        self.replays += 1;
        let Goal { site, exception, .. } = goal;
        let promise = Promise { site, exception, point: &point, record: Some(&record) };
        let confirmed = confirm(self.replayer, &promise)?;
        Ok(confirmed.filter(|it| !self.first_only || is_first(it)))
    }

    /// What a goal's operation is given on a point, where the instrumented code hits the goal.
    fn recorded(&mut self, goal: Goal, point: &[u64]) -> Result<Option<Record>, Fault> {
        let mut best = self.silence.clone();
        best[goal.id.0 as usize] = 1;
        self.worker.points_mut()[..point.len()].copy_from_slice(point);
        self.worker.begin(1, &best)?;
        let run = self.worker.finish(&Budget::default().slice(BATCH))?;
        let hit =
            run.improvements.iter().find(|one| one.goal == goal.id.0 as usize && one.distance == 0);
        Ok(hit.map(|hit| hit.record))
    }

    /// A point at which an exception is created that others only passed on at the point found: one
    /// of the inputs at the ends of the integer types, the others as they were or different from
    /// one another, so that little cancels.
    pub fn at_the_ends(
        &mut self,
        goal: Goal,
        found: &Confirmed,
    ) -> Result<Option<Confirmed>, Fault> {
        if is_created(found) {
            return Ok(None);
        }
        let inputs = self.inputs;
        for point in [found.point().to_vec(), self.apart(found.point())] {
            for input in inputs.iter().take(INPUTS) {
                for end in ENDS {
                    let shown = self.shown_with(goal, &point, input, end)?.filter(is_created);
                    if shown.is_some() {
                        return Ok(shown);
                    }
                }
            }
        }
        Ok(None)
    }

    /// The point with floats 1, 2, 3, …, and integers 1, where their ranges have these.
    fn apart(&self, point: &[u64]) -> Vec<u64> {
        let mut point = point.to_vec();
        for (number, input) in (1..).zip(self.inputs.iter().take(INPUTS)) {
            let bits = match input.scalar {
                Scalar::Float(format) => Float::parse_nearest(format, &number.to_string())
                    .ok()
                    .filter(|value| is_within(input, value))
                    .and_then(|value| value.to_bits()),
                Scalar::Integer { .. } => (key(input.scalar, input.low)
                    ..=key(input.scalar, input.high))
                    .contains(&1)
                    .then_some(1),
            };
            if let Some(bits) = bits {
                set_encoding(&mut point, input.word, input.scalar, bits);
            }
        }
        point
    }
}

/// The ends of C's integer types, as decimals.
const ENDS: [&str; 8] = [
    "2147483647",
    "-2147483648",
    "4294967295",
    "32767",
    "-32768",
    "65535",
    "9223372036854774784",
    "-9223372036854775808",
];

/// Whether an exception was not passed on: an integer overflows by itself, not because a
/// conversion out of range has made it; a number is too large for an integer, not an infinity or a
/// NaN that another exception has made.
fn is_created(confirmed: &Confirmed) -> bool {
    let passed_on: &[Exception] = match confirmed.event().exception {
        Exception::IntegerOverflow => &[Exception::ConversionOutOfRange],
        Exception::ConversionOutOfRange => {
            &[Exception::Overflow, Exception::DivideByZero, Exception::Invalid]
        }
        Exception::Overflow
        | Exception::Underflow
        | Exception::DivideByZero
        | Exception::Invalid => return true,
    };
    let events = &confirmed.replay().events;
    let before = events.iter().take_while(|event| *event != confirmed.event());
    !before.into_iter().any(|event| passed_on.contains(&event.exception))
}

enum Tried {
    Better(Box<Confirmed>),
    Refuted,
    Nothing,
}

/// The power of ten of an input's first digit; none of integers, zeros and special values.
fn decade(input: &Input, point: &[u64]) -> Option<i64> {
    let Scalar::Float(format) = input.scalar else { return None };
    let float = Float::from_bits(format, encoding(point, input.word, input.scalar));
    float.shortest_digits().map(|(_, place)| place - 1)
}

/// Whether a number is neither zero nor special, and in an input's range.
fn is_within(input: &Input, value: &Float) -> bool {
    let bits = value.to_bits().unwrap_or(0);
    let range = key(input.scalar, input.low)..=key(input.scalar, input.high);
    value.is_finite() && !value.is_zero() && range.contains(&key(input.scalar, bits))
}

/// Values simpler than `now`, the simplest first.
fn candidates(input: &Input, now: u128) -> Vec<u128> {
    let mut list: Vec<(Cost, u128)> = match input.scalar {
        Scalar::Float(format) => decimals(format, now)
            .into_iter()
            .filter_map(|text| {
                let value = Float::parse_nearest(format, &text).ok()?;
                Some((cost(format, value.to_bits()?), value.to_bits()?))
            })
            .collect(),
        Scalar::Integer { bits, .. } => integers(input.scalar, now)
            .into_iter()
            .map(|value| {
                let size = value.unsigned_abs();
                let cost = Cost { digits: digits_of(size), decades: size, negative: value < 0 };
                (
                    cost,
                    crate::numbers::encoding_at(input.scalar, value) & (u128::MAX >> (128 - bits)),
                )
            })
            .collect(),
    };
    let limit = match input.scalar {
        Scalar::Float(format) => cost(format, now),
        Scalar::Integer { .. } => {
            let value = key(input.scalar, now);
            let size = value.unsigned_abs();
            Cost { digits: digits_of(size), decades: size, negative: value < 0 }
        }
    };
    let (low, high) = (key(input.scalar, input.low), key(input.scalar, input.high));
    list.retain(|(cost, value)| *cost < limit && (low..=high).contains(&key(input.scalar, *value)));
    list.sort();
    list.dedup();
    list.into_iter().map(|(_, value)| value).collect()
}

/// How hard a number is on the eye: its digits first, then how far it is from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    digits: u32,
    decades: u128,
    negative: bool,
}

fn cost(format: Format, bits: u128) -> Cost {
    let float = Float::from_bits(format, bits);
    let negative = float.is_sign_minus();
    if float.is_zero() {
        return Cost { digits: 0, decades: 0, negative };
    }
    match float.shortest_digits() {
        Some((digits, point)) => {
            let digits = digits.trim_end_matches('0');
            let decades = (point - 1).unsigned_abs();
            // An exponent is read like digits, once it has to be written.
            let written = if decades > 5 { 1 } else { 0 };
            Cost { digits: digits.len() as u32 + written, decades: u128::from(decades), negative }
        }
        None => Cost { digits: u32::MAX, decades: 0, negative },
    }
}

fn digits_of(size: u128) -> u32 {
    if size == 0 { 0 } else { size.to_string().trim_end_matches('0').len() as u32 }
}

/// Short decimals: small numbers, and the value itself with fewer digits, a decade or a few
/// to either side.
fn decimals(format: Format, now: u128) -> Vec<String> {
    let mut list: Vec<String> = [
        "0", "1", "-1", "2", "-2", "0.5", "-0.5", "3", "4", "5", "10", "-10", "100", "1000", "0.1",
    ]
    .into_iter()
    .chain(ENDS)
    .map(str::to_owned)
    .collect();
    let float = Float::from_bits(format, now);
    let Some((digits, _)) = float.shortest_digits() else { return list };
    if float.is_zero() {
        return list;
    }
    let signs: &[&str] = if float.is_sign_minus() { &["", "-"] } else { &[""] };
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let decade = decade_of(format, now);
    // Fewer digits, rounded down and up.
    for length in 1..digits.len() {
        let Ok(short) = digits[..length].parse::<u64>() else { break };
        let power = decade - length as i64 + 1;
        for value in [short, short + 1] {
            for sign in signs {
                list.push(format!("{sign}{value}e{power}"));
            }
        }
    }
    // One digit, a few decades around, and all the way to ordinary magnitudes.
    let mut decades: Vec<i64> = (decade - 3..=decade + 3).collect();
    let mut step = decade;
    while step != 0 {
        step = step * 15 / 16;
        decades.push(step);
    }
    for decade in decades {
        for digit in 1..10 {
            for sign in signs {
                list.push(format!("{sign}{digit}e{decade}"));
            }
        }
    }
    list
}

/// The power of ten of a number's first digit.
fn decade_of(format: Format, bits: u128) -> i64 {
    Float::from_bits(format, bits).shortest_digits().map_or(0, |(_, point)| point - 1)
}

fn integers(scalar: Scalar, now: u128) -> Vec<i128> {
    let value = key(scalar, now);
    let mut list: Vec<i128> = (-10..=20).collect();
    for power in 1..19 {
        let ten = 10i128.pow(power);
        list.extend([ten, -ten, 2 * ten, -2 * ten, 5 * ten, -5 * ten]);
        // Fewer digits of the value itself.
        list.extend([value / ten * ten, (value / ten + value.signum()) * ten]);
    }
    let mut half = value;
    while half != 0 {
        half /= 2;
        list.push(half);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::{candidates, decade_of};
    use nanoscope_ieee::Format;
    use nanoscope_program::{Input, Scalar};

    fn input(scalar: Scalar, low: u128, high: u128) -> Input {
        let (name, type_name) = ("x".to_owned(), "double".to_owned());
        Input { name, type_name, scalar, word: 0, low, high, specials: false }
    }

    #[test]
    fn the_simplest_come_first() {
        let bits = |value: f64| u128::from(value.to_bits());
        let all = input(Scalar::Float(Format::BINARY64), bits(-f64::MAX), bits(f64::MAX));
        let list = |now: f64| -> Vec<f64> {
            candidates(&all, bits(now)).into_iter().map(|b| f64::from_bits(b as u64)).collect()
        };
        let overflowing = list(1.3407807929942597e154);
        assert_eq!(overflowing[..2], [0.0, 1.0]);
        let first = overflowing.iter().find(|x| **x * **x == f64::INFINITY);
        assert_eq!(first, Some(&2e154));
        assert!(list(0.0).is_empty());
        assert!(list(2.0).iter().all(|x| x.abs() < 10.0));
        let positive = input(Scalar::Float(Format::BINARY64), bits(1e-3), bits(f64::MAX));
        assert!(
            candidates(&positive, bits(7.25)).iter().all(|b| f64::from_bits(*b as u64) >= 1e-3)
        );
        let n = input(Scalar::Integer { bits: 32, signed: true }, 1 << 31, (1 << 31) - 1);
        assert_eq!(candidates(&n, 123_456)[..4], [0, 1, u128::from(u32::MAX), 2]);
        assert!(candidates(&n, 123_456).contains(&100_000));
    }

    #[test]
    fn decades() {
        for (value, decade) in [(1.0, 0), (0.5, -1), (1.5e300, 300), (123.0, 2), (0.0025, -3)] {
            let bits = u128::from(f64::to_bits(value));
            assert_eq!(decade_of(Format::BINARY64, bits), decade, "{value}");
        }
    }
}
