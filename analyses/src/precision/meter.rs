//! The meter of a search: how near a run came to each goal.

use super::measure::Threshold;
use super::running::{Running, Watch, smallest};
use super::sites::{SiteKind, Sites};
use crate::shadow::At;
use nanoscope_ieee::Format;

/// An error of a float in a threshold's measure, about.
pub(super) fn measured(threshold: Threshold, format: Format, running: &Running, error: f64) -> f64 {
    if error.is_nan() || running.error.is_nan() {
        return 0.0;
    }
    let scale = (running.value + running.error).abs().max(smallest(format));
    match threshold {
        Threshold::Relative(_) | Threshold::Ulps(_) if scale.is_infinite() => f64::INFINITY,
        Threshold::Relative(_) => error / scale,
        Threshold::Ulps(_) => error / scale * 2f64.powi(format.precision as i32 - 1),
        Threshold::Absolute(_) => error,
    }
}

/// The reading of an argument at the end of a function's domain: above any beside it.
const AT_END: f64 = 1e100;

/// What is measured: the larger, the nearer to the goal.
pub(super) struct Meter<'s> {
    sites: &'s Sites,
    threshold: Threshold,
    /// Whether errors are measured, or what they could be.
    pub closely: bool,
    /// For each site, the largest of this run.
    pub readings: Vec<f64>,
    /// The sites that have a reading.
    pub touched: Vec<u32>,
    /// How near this run came to the ends of functions' domains, by site.
    pub edges: Vec<(u32, f64)>,
}

impl<'s> Meter<'s> {
    pub fn new(sites: &'s Sites, threshold: Threshold) -> Meter<'s> {
        let readings = vec![0.0; sites.list.len()];
        Meter { sites, threshold, closely: false, readings, touched: Vec::new(), edges: Vec::new() }
    }

    /// Makes ready for another run.
    pub fn reset(&mut self) {
        for site in self.touched.drain(..) {
            self.readings[site as usize] = 0.0;
        }
        self.edges.clear();
    }

    /// The error of a float, in the threshold's measure.
    pub fn error(&self, format: Format, running: &Running) -> f64 {
        if self.closely {
            return measured(self.threshold, format, running, running.error.abs());
        }
        let reading = measured(self.threshold, format, running, running.bound);
        // A slope without a bound, at the end of a function's domain, has lost no number yet.
        if running.error.is_finite() { reading.min(f64::MAX) } else { reading }
    }

    fn read(&mut self, at: At, kind: fn(&SiteKind) -> bool, reading: f64) {
        let Some(site) = self.sites.at(at) else { return };
        if !kind(&self.sites.list[site].kind) {
            return;
        }
        let place = &mut self.readings[site];
        if *place == 0.0 {
            self.touched.push(site as u32);
        }
        if reading > *place {
            *place = reading;
        }
    }

    /// How near a step of a function is, against how wrong its argument may be.
    fn nearness(&self, gap: f64, error: f64, bound: f64) -> f64 {
        if !error.is_finite() || gap.is_nan() {
            return 0.0;
        }
        if !self.closely {
            return if gap == 0.0 && bound > 0.0 { 1e300 } else { bound / gap.abs() };
        }
        let exact = gap + error;
        let flips = if gap == 0.0 { exact != 0.0 } else { exact == 0.0 || exact * gap < 0.0 };
        // On the way to the other side it is as far as the error goes that way.
        if flips { f64::INFINITY } else { (-error / gap).max(0.0) }
    }
}

impl Watch for Meter<'_> {
    fn value(&mut self, at: At, format: Format, value: &Running, _: &[Running]) {
        let reading = self.error(format, value);
        self.read(at, |kind| matches!(kind, SiteKind::Value(_)), reading);
    }

    fn comparison(&mut self, at: At, gap: f64, error: f64, bound: f64) {
        let reading = self.nearness(gap, error, bound);
        self.read(at, |kind| *kind == SiteKind::Comparison, reading);
    }

    /// Nearer to the end is better, and at the end whatever takes the computed argument farther
    /// out than the exact one: beyond it no number is computed.
    fn domain(&mut self, at: At, gap: f64, error: f64, bound: f64) {
        let Some(site) = self.sites.at(at) else { return };
        if gap.is_nan() || !error.is_finite() || bound == 0.0 || gap < 0.0 {
            return;
        }
        let outward = error / bound;
        let reading = if gap == 0.0 { AT_END * (2.0 + outward) } else { bound / gap };
        self.edges.push((site as u32, reading.clamp(0.0, f64::MAX)));
    }

    fn conversion(&mut self, at: At, gap: f64, error: f64, bound: f64) {
        let reading = self.nearness(gap, error, bound);
        self.read(at, |kind| *kind == SiteKind::Conversion, reading);
    }
}
