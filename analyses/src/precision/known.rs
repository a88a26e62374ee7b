//! What `ranges` knows of a target's floats: between which numbers the operands and the result of
//! each operation lie whenever control comes there.

use super::sites::Sites;
use super::{Case, Rounds};
use nanoscope_budget::Budget;
use nanoscope_native::processor_time;
use nanoscope_ranges::{Floats, Modes, Options, Start, analyse};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Processor time for it, at most.
const TIME: Duration = Duration::from_secs(1);

/// How many times as long a busy machine may take for that.
const PATIENCE: u32 = 4;

/// Between which doubles a float lies.
pub(super) type Ends = (f64, f64);

/// What is known of an operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Its operands, where all of them are floats.
    pub operands: Vec<Option<Ends>>,
    /// Its result.
    pub result: Option<Ends>,
}

/// What is known of the operations of a target, by the numbers of their sites. Nothing where its
/// inputs stand for real numbers: the floats that these are rounded to may be out of range.
pub(super) fn known(case: &Case, budget: &Budget) -> BTreeMap<usize, Known> {
    if !case.options.ranges || !case.points.uncertain.is_empty() {
        return BTreeMap::new();
    }
    let time = budget.remaining().map_or(TIME, |left| TIME.min(left / 8));
    let options = Options {
        deadline: Some(Instant::now() + PATIENCE * time),
        processor: Some((time, processor_time)),
        rounding: match case.options.rounding {
            Rounds::To(mode) => Modes::only(mode),
            Rounds::Any => Modes::ALL,
        },
        ..Options::default()
    };
    let found = analyse(case.code, Start::Target(case.target), &options);
    if found.stopped.is_some() {
        return BTreeMap::new();
    }
    let numbers = case.sites.by_identity();
    let known = found.sites.iter().filter_map(|(site, range)| {
        let known = Known {
            operands: range.operands.iter().map(ends).collect(),
            result: range.result.as_ref().and_then(ends),
        };
        Some((*numbers.get(site)?, known))
    });
    known.collect()
}

/// The ends of a set of numbers; none where some are infinite or NaNs.
fn ends(floats: &Floats) -> Option<Ends> {
    use nanoscope_ieee::Rounding::{Downward, Upward};
    if floats.nan || floats.has_infinity() {
        return None;
    }
    let (low, high) = floats.bounds()?;
    let grid = floats.grid();
    Some((grid.to_double(low, Downward), grid.to_double(high, Upward)))
}

impl Sites {
    /// The numbers of sites by what `program` calls them.
    fn by_identity(&self) -> BTreeMap<nanoscope_program::SiteId, usize> {
        let mut found = BTreeMap::new();
        for (number, site) in self.list.iter().enumerate() {
            found.extend(site.identity.map(|identity| (identity, number)));
        }
        found
    }
}
