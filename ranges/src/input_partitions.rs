//! Input partitions: the input space is bisected, and each part analysed by itself. What can
//! happen in none of them cannot happen.

use crate::exceptions::EVERY;
use crate::fixpoint::thresholds::Thresholds;
use crate::integers::Integers;
use crate::policy::Effort;
use crate::record::Record;
use crate::start::Inputs;
use crate::value::AbstractValue;
use nanoscope_program::{Exception, SiteId};
use nanoscope_sets::{Floats, Grid, Ordinal, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A part of the input space and what was recorded there.
pub struct Part {
    pub inputs: Inputs,
    pub record: Rc<Record>,
    pub effort: Effort,
    /// Bisections of its ancestors in a row that settled nothing; [`FINAL`] if it is not
    /// bisected.
    pub vain: u32,
}

/// It cannot be bisected, or not in time.
pub const FINAL: u32 = u32::MAX;

/// The goals of an analysis; `None`: all.
pub type Wanted = Option<BTreeSet<(SiteId, Exception)>>;

impl Part {
    /// The goals that are open here.
    pub fn open<'a>(
        &'a self,
        wanted: &'a Wanted,
    ) -> impl Iterator<Item = (SiteId, Exception)> + 'a {
        self.record.sites.iter().flat_map(move |(&site, range)| {
            EVERY.into_iter().filter(move |&exception| range.may_raise(exception)).filter_map(
                move |exception| {
                    let goal = (site, exception);
                    wanted.as_ref().is_none_or(|wanted| wanted.contains(&goal)).then_some(goal)
                },
            )
        })
    }
}

/// The part to bisect next: with the most open goals that are open in few others.
pub fn most_promising(parts: &[Part], wanted: &Wanted) -> Option<usize> {
    let mut count: BTreeMap<(SiteId, Exception), u32> = BTreeMap::new();
    for part in parts {
        part.open(wanted).for_each(|goal| *count.entry(goal).or_default() += 1);
    }
    let promise = |part: &Part| {
        if part.vain == FINAL {
            return 0.0;
        }
        let open: f64 = part.open(wanted).map(|goal| 1.0 / f64::from(count[&goal])).sum();
        open * 0.5f64.powi(part.vain.min(60) as i32)
    };
    let promises: Vec<f64> = parts.iter().map(promise).collect();
    let best = (0..parts.len()).max_by(|&a, &b| promises[a].total_cmp(&promises[b]))?;
    (promises[best] > 0.0).then_some(best)
}

/// The two halves of a part's inputs, along the input with the greatest variety.
pub fn halves(inputs: &Inputs, thresholds: &Thresholds) -> Option<[Inputs; 2]> {
    let axis = (0..inputs.len()).max_by(|&a, &b| {
        variety(&inputs[a], thresholds).total_cmp(&variety(&inputs[b], thresholds)).then(b.cmp(&a))
    })?;
    let (left, right) = cut(&inputs[axis], thresholds)?;
    let with = |half: AbstractValue| {
        let mut inputs = inputs.clone();
        inputs[axis] = half;
        inputs
    };
    Some([with(left), with(right)])
}

/// How much a value covers: both signs, thresholds of the program, and its size.
fn variety(value: &AbstractValue, thresholds: &Thresholds) -> f64 {
    match value {
        AbstractValue::Float(floats) => {
            let floats = floats.get();
            let (marks, size) = [floats.positive, floats.negative]
                .into_iter()
                .filter(|span| !span.is_empty())
                .map(|span| (inside(thresholds.floats(floats.format), span).len(), span))
                .fold((0, 0.0), |(marks, size), (more, span)| {
                    (marks + more, size + (span.hi - span.lo) as f64)
                });
            let share = size / Grid::of(floats.format).infinity() as f64;
            let both = !floats.positive.is_empty() && !floats.negative.is_empty();
            f64::from(u8::from(both)) * 1e6 + marks as f64 + share
        }
        AbstractValue::Integer(integers) => {
            let marks = between(&thresholds.integers, integers).len();
            let size = integers.hi() as f64 - integers.lo() as f64;
            let both = integers.lo() < 0 && integers.hi() > 0;
            f64::from(u8::from(both)) * 1e6 + marks as f64 + size / 2f64.powi(integers.bits as i32)
        }
        AbstractValue::Anything
        | AbstractValue::Zeros
        | AbstractValue::Pointer(_)
        | AbstractValue::Parts(_) => 0.0,
    }
}

/// The thresholds inside a span.
fn inside(thresholds: &[Ordinal], span: Span) -> &[Ordinal] {
    let from = thresholds.partition_point(|&mark| mark <= span.lo);
    let to = thresholds.partition_point(|&mark| mark <= span.hi);
    &thresholds[from..to.max(from)]
}

/// The thresholds inside integers.
fn between<'a>(thresholds: &'a [i128], integers: &Integers) -> &'a [i128] {
    let from = thresholds.partition_point(|&mark| mark <= integers.lo());
    let to = thresholds.partition_point(|&mark| mark <= integers.hi());
    &thresholds[from..to.max(from)]
}

/// Bisects a value: by sign, then at the middle threshold, then at the middle ordinal.
fn cut(value: &AbstractValue, thresholds: &Thresholds) -> Option<(AbstractValue, AbstractValue)> {
    match value {
        AbstractValue::Float(floats) => {
            let floats = floats.get();
            let (lo, hi) = floats.bounds()?;
            // One number, or the two zeros: neither side of zero has a middle.
            if hi <= lo.saturating_add(1) {
                return None;
            }
            let marks = thresholds.floats(floats.format);
            // The first place of the second half. The zeros go with the positive numbers.
            let middle = |span: Span| match inside(marks, span) {
                [] => round_middle(span),
                marks => marks[marks.len() / 2],
            };
            let second = match (lo < -1, hi > 0) {
                (true, true) => -1,
                (false, _) => middle(floats.positive),
                (true, false) => !middle(floats.negative) + 1,
            };
            let first = floats.at_most(second - 1);
            let second = Floats { nan: floats.nan, ..floats.at_least(second) };
            let apart = !first.has_no_number() && !second.has_no_number();
            apart.then_some((
                AbstractValue::float(Floats { nan: false, ..first }),
                AbstractValue::float(second),
            ))
        }
        AbstractValue::Integer(integers) if integers.hi() > integers.lo() => {
            let second = match between(&thresholds.integers, integers) {
                _ if integers.lo() < 0 && integers.hi() > 0 => 0,
                [] => integers.lo().midpoint(integers.hi()) + 1,
                marks => marks[marks.len() / 2],
            };
            Some((
                AbstractValue::Integer(integers.at_most(second - 1)),
                AbstractValue::Integer(integers.at_least(second)),
            ))
        }
        AbstractValue::Integer(_)
        | AbstractValue::Anything
        | AbstractValue::Zeros
        | AbstractValue::Pointer(_)
        | AbstractValue::Parts(_) => None,
    }
}

/// The roundest number in the middle half of a span. Spans that overlap are mostly bisected at
/// the same numbers, and then share parts.
fn round_middle(span: Span) -> Ordinal {
    let quarter = (span.hi - span.lo) / 4;
    let (lo, hi) = (span.lo + quarter, span.hi - quarter);
    // The last place in which the two differ is the greatest that can be zero below.
    let differ = Ordinal::BITS - (lo ^ hi).leading_zeros();
    let round = hi >> differ.saturating_sub(1) << differ.saturating_sub(1);
    round.max(span.lo + 1)
}
