//! Native runs on made-up inputs: cheap, and often enough.

use super::Work;
use super::inputs::Case;
use super::native::is_plain;
use super::seen;
use nanoscope_explore::Stdin;
use nanoscope_native::whole::{Ended, Recipe, Run};
use nanoscope_program::{Fault, Scalar, Target};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What found a finding.
pub(super) const ENGINE: &str = "native-search";
/// How long one of these runs may take.
const RUN: Duration = Duration::from_millis(200);
/// After runs that hang, further ones get less time, but at least this.
const SHORTEST: Duration = Duration::from_millis(5);
/// After so many runs that took no new edge, no more are made.
const PATIENCE: u64 = 100;

/// Makes runs until the deadline, or until nothing new comes of them.
pub(super) fn make(work: &mut Work, deadline: Instant) -> Result<(), Fault> {
    if work.natives.target.is_none() && matches!(work.options.stdin, Stdin::Given(_)) {
        // Made-up runs read made-up standard input.
        return Ok(());
    }
    let mut idle = 0;
    let mut time = RUN;
    let mut dice = Dice(work.options.seed);
    for number in 0..work.options.guesses {
        let stopped = work.options.stop.load(Ordering::Relaxed);
        if stopped || idle >= PATIENCE || Instant::now() >= deadline {
            break;
        }
        let (case, run) = guess(work, number, &mut dice, time)?;
        idle = if run.new_edges { 0 } else { idle + 1 };
        // Runs that hang cost more than they tell; others may still end.
        time = match run.ended {
            Ended::TimedOut => (time / 2).max(SHORTEST),
            _ => (time * 2).min(RUN),
        };
        if matches!(run.ended, Ended::TimedOut | Ended::Missing(_)) {
            continue;
        }
        let entry = work.entry().to_owned();
        let mut troubles = seen::troubles(&run, work.natives.names());
        troubles.retain(|trouble| work.counts(trouble));
        for trouble in &troubles {
            if is_plain(trouble) {
                work.suite.found(trouble, &case, &run, &entry, ENGINE);
            } else if !work.suite.has(trouble) {
                // A crash has a cause that the sanitisers name better.
                work.later.push((trouble.clone(), case.clone()));
            }
        }
        let told = matches!(run.ended, Ended::Exited(_));
        if troubles.is_empty() && run.new_edges && told {
            match &mut work.held {
                Some(held) => held.push((case, run)),
                None => work.suite.test(&case, &run, &entry, ENGINE, None),
            }
        }
    }
    Ok(())
}

fn guess(
    work: &mut Work,
    number: u64,
    dice: &mut Dice,
    time: Duration,
) -> Result<(Case, Run), Fault> {
    if let Some(target) = work.natives.target.clone() {
        let words = point(&target, dice);
        let case = Case::of_words(&target, &words).with_stdin(work.natives.stdin());
        let run = work.natives.run_within(&case, time)?;
        return Ok((case, run));
    }
    let stdin = match work.options.stdin {
        Stdin::Symbolic(bytes) => bytes,
        Stdin::Given(_) => 0,
    };
    let seed = work.options.seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(number);
    let run = work.natives.plain().make_up(&Recipe { seed, stdin }, time)?;
    Ok((Case::made_up(&run, &work.shapes), run))
}

/// An input vector of a function, within its ranges.
fn point(target: &Target, dice: &mut Dice) -> Vec<u64> {
    let mut words = vec![0; target.input_words];
    for input in &target.inputs {
        let bits = match input.scalar {
            Scalar::Integer { bits, signed } => {
                let (low, high) = (input.low, input.high);
                let drawn = match dice.below(4) {
                    0 => low,
                    1 => high,
                    2 => u128::from(dice.below(5)),
                    _ => u128::from(dice.next()) & (u128::MAX >> (128 - bits)),
                };
                if within(drawn, low, high, bits, signed) { drawn } else { low }
            }
            Scalar::Float(format) => {
                let order = |bits: u128| nanoscope_ieee::Float::from_bits(format, bits);
                let (low, high) = (order(input.low), order(input.high));
                let drawn = match dice.below(6) {
                    0 => input.low,
                    1 => input.high,
                    2 => of_double(format, dice.below(21) as f64 - 10.0),
                    3 => of_double(format, dice.unit() * 1000.0 - 500.0),
                    4 => of_double(format, dice.unit() * 2.0 - 1.0),
                    _ => u128::from(dice.next()) & (u128::MAX >> (128 - format.width().min(64))),
                };
                let value = order(drawn);
                let inside = low.to_f64() <= value.to_f64() && value.to_f64() <= high.to_f64();
                if inside { drawn } else { input.low }
            }
        };
        words[input.word] = bits as u64;
        if input.scalar.words() == 2 {
            words[input.word + 1] = (bits >> 64) as u64;
        }
    }
    words
}

fn of_double(format: nanoscope_ieee::Format, value: f64) -> u128 {
    use nanoscope_ieee::{Float, Rounding};
    let text = format!("{value:e}");
    match Float::parse(format, Rounding::NearestEven, &text) {
        Ok((float, _)) => float.to_bits().unwrap_or(0),
        Err(_) => 0,
    }
}

fn within(value: u128, low: u128, high: u128, bits: u32, signed: bool) -> bool {
    if !signed {
        return low <= value && value <= high;
    }
    let unused = 128 - bits;
    let number = |bits: u128| ((bits << unused) as i128) >> unused;
    number(low) <= number(value) && number(value) <= number(high)
}

/// Random numbers (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
