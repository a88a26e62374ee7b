//! Where errors are born: operations whose operands are within the threshold and whose results
//! are not.

use super::measure::Threshold;
use super::meter::measured;
use super::running::{Running, Watch};
use super::sites::Sites;
use crate::shadow::At;
use nanoscope_ieee::Format;
use std::collections::BTreeSet;

/// Collects the places where errors are born in a run.
pub(super) struct Births<'s> {
    sites: &'s Sites,
    threshold: Threshold,
    pub born: BTreeSet<usize>,
}

impl<'s> Births<'s> {
    pub fn new(sites: &'s Sites, threshold: Threshold) -> Births<'s> {
        Births { sites, threshold, born: BTreeSet::new() }
    }
}

impl Watch for Births<'_> {
    fn value(&mut self, at: At, format: Format, value: &Running, operands: &[Running]) {
        let limit = self.threshold.limit();
        let over = |running: &Running| {
            measured(self.threshold, format, running, running.error.abs()) > limit
        };
        // A number that is lost is news even where it was inaccurate before.
        let lost = |running: &Running| running.error.is_infinite();
        if over(value)
            && (!operands.iter().any(over) || lost(value) && !operands.iter().any(lost))
            && let Some(site) = self.sites.at(at)
        {
            self.born.insert(site);
        }
    }

    fn comparison(&mut self, _: At, _: f64, _: f64, _: f64) {}

    fn domain(&mut self, _: At, _: f64, _: f64, _: f64) {}

    fn conversion(&mut self, _: At, _: f64, _: f64, _: f64) {}
}
