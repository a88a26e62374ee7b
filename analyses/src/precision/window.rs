//! Around a witness: how far along each input a branch stays unstable, and the error over
//! each input.

use super::Case;
use super::confirm::Judged;
use super::summary::Summary;
use crate::numbers;
use nanoscope_budget::Budget;
use nanoscope_program::{Fault, Input, Scalar};
use nanoscope_report::ErrorPlot;
use std::time::Duration;

/// Judges a point; nothing where it shows nothing.
pub(super) type Probe<'a> = &'a dyn Fn(&[u64]) -> Result<Option<Judged>, Fault>;

/// Inputs that are looked along, at most.
const INPUTS: usize = 8;

/// Points of a plot.
const POINTS: i128 = 48;

/// How long the looking may take.
const TIME: Duration = Duration::from_secs(3);

/// Windows of what turned out differently, and plots of the worst output.
pub(super) fn look(
    case: &Case,
    summary: &mut Summary,
    probe: Probe,
    budget: &Budget,
) -> Result<(), Fault> {
    let budget = budget.slice(TIME);
    for at in 0..summary.flips.len() {
        let (site, point) = (summary.flips[at].site, summary.flips[at].point.clone());
        let mut parts = Vec::new();
        for input in floats(case).take(INPUTS) {
            if let Some(part) = stretch(case, input, site, &point, probe, &budget)? {
                parts.push(part);
            }
        }
        summary.flips[at].window = parts.join(", ");
    }
    for output in 0..summary.worst.len() {
        let Some((point, _)) = &summary.worst[output] else { continue };
        let point = point.clone();
        for input in floats(case).take(INPUTS) {
            if budget.exhausted() {
                break;
            }
            let plot = plot(case, input, output, &point, probe, &budget)?;
            summary.plots[output].push(plot);
        }
    }
    Ok(())
}

fn floats<'a>(case: &'a Case) -> impl Iterator<Item = &'a Input> {
    case.target.inputs.iter().filter(|input| matches!(input.scalar, Scalar::Float(_)))
}

/// How far along an input the same turns out differently, in steps of floats.
fn stretch(
    case: &Case,
    input: &Input,
    site: usize,
    point: &[u64],
    probe: Probe,
    budget: &Budget,
) -> Result<Option<String>, Fault> {
    let here = numbers::key(input.scalar, numbers::encoding(point, input.word, input.scalar));
    let (low, high) =
        (numbers::key(input.scalar, input.low), numbers::key(input.scalar, input.high));
    let flips = |key: i128| -> Result<bool, Fault> {
        let mut moved = point.to_vec();
        let bits = numbers::encoding_at(input.scalar, key);
        numbers::set_encoding(&mut moved, input.word, input.scalar, bits);
        if !case.admits(case.points.words(&moved)) {
            return Ok(false);
        }
        let judged = probe(&moved)?;
        Ok(judged.is_some_and(|judged| judged.flips.iter().any(|flip| flip.site == site)))
    };
    let reach = |direction: i128| -> Result<i128, Fault> {
        // Doubling steps as long as it flips, then halving ones to the border.
        let (mut good, mut step) = (here, 1i128);
        let mut bad = None;
        while !budget.exhausted() {
            let next = (good + direction * step).clamp(low, high);
            if next == good {
                return Ok(good);
            }
            if flips(next)? {
                good = next;
                step *= 2;
            } else {
                bad = Some(next);
                break;
            }
        }
        let Some(mut bad) = bad else { return Ok(good) };
        while (bad - good).abs() > 1 && !budget.exhausted() {
            let middle = good + (bad - good) / 2;
            if flips(middle)? { good = middle } else { bad = middle }
        }
        Ok(good)
    };
    let (least, most) = (reach(-1)?, reach(1)?);
    let text = |key: i128| {
        let bits = numbers::encoding_at(input.scalar, key);
        numbers::number("", "", input.scalar, bits).value
    };
    Ok(Some(match most - least {
        0 => format!("{} only at {}", input.name, text(least)),
        floats => {
            format!("{} in {}..{} ({} floats)", input.name, text(least), text(most), floats + 1)
        }
    }))
}

/// The error of an output along an input.
fn plot(
    case: &Case,
    input: &Input,
    output: usize,
    point: &[u64],
    probe: Probe,
    budget: &Budget,
) -> Result<ErrorPlot, Fault> {
    let key = |bits: u128| numbers::key(input.scalar, bits);
    let here = key(numbers::encoding(point, input.word, input.scalar));
    let (low, high) = (key(input.low), key(input.high));
    let value = |key: i128| {
        let bits = numbers::encoding_at(input.scalar, key);
        let Scalar::Float(format) = input.scalar else { return 0.0 };
        crate::shadow::Real::decoded(format, bits).approximate()
    };
    let (first, last) = (value(low), value(high));
    // Evenly over the numbers where the range is a moderate one, else over the floats.
    let one_sign = first * last > 0.0;
    let wide = one_sign && (first / last).abs().max((last / first).abs()) > 1e3;
    let even = !wide && last - first < 1e6;
    let mut keys: Vec<i128> = (0..=POINTS)
        .map(|step| match even {
            true => {
                let x = first + (last - first) * step as f64 / POINTS as f64;
                let Scalar::Float(format) = input.scalar else { return here };
                let real = crate::shadow::Real::decoded(
                    nanoscope_ieee::Format::BINARY64,
                    u128::from(x.to_bits()),
                );
                key(real.encoded(format)).clamp(low, high)
            }
            false => low + (high - low) / POINTS * step,
        })
        .collect();
    for power in 0..16 {
        keys.push((here - (1i128 << (3 * power))).clamp(low, high));
        keys.push((here + (1i128 << (3 * power))).clamp(low, high));
    }
    keys.push(here);
    keys.sort_unstable();
    keys.dedup();
    let threshold = case.options.threshold;
    let mut made = ErrorPlot {
        input: input.name.clone(),
        at: Vec::new(),
        error: Vec::new(),
        worst: value(here),
        bound: None,
        measure: threshold.measure().to_owned(),
    };
    for key in keys {
        if budget.exhausted() {
            break;
        }
        let mut moved = point.to_vec();
        let bits = numbers::encoding_at(input.scalar, key);
        numbers::set_encoding(&mut moved, input.word, input.scalar, bits);
        if !case.admits(case.points.words(&moved)) {
            continue;
        }
        let Some(judged) = probe(&moved)? else { continue };
        if let Some(measured) = &judged.outputs[output] {
            made.at.push(value(key));
            made.error.push(measured.error.by(threshold).min(f64::MAX));
        }
    }
    Ok(made)
}
