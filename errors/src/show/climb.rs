//! Climbing: from a point with a large error to points near by with larger ones.
//!
//! Errors jump from float to float, so no slope helps: a step moves one coordinate or a few by a
//! number of ulps of any magnitude and is kept if the error is no less. What finds nothing better
//! for long is kicked farther away, and falls back to its best if that does not help.

use crate::show::sample::Sampler;

/// A climb towards larger errors.
pub struct Climb {
    /// The best point and its error.
    best: (f64, Vec<u64>),
    /// Where it is now.
    here: (f64, Vec<u64>),
    /// Steps since the last gain.
    idle: usize,
    /// Steps without a gain that are enough.
    patience: usize,
}

impl Climb {
    /// A climb from a point with its error; `dimensions` say how many steps are worth trying.
    pub fn new(error: f64, point: Vec<u64>, dimensions: usize) -> Climb {
        let here = (error, point);
        Climb { best: here.clone(), here, idle: 0, patience: 300 + 40 * dimensions }
    }

    /// The next point to look at.
    pub fn step(&mut self, sampler: &mut Sampler<'_>, point: &mut [u64]) {
        self.idle += 1;
        if self.idle.is_multiple_of(self.patience) {
            // By turns: on from a kick, or back to the best.
            let round = self.idle / self.patience;
            self.here = if round.is_multiple_of(2) {
                self.best.clone()
            } else {
                let mut kicked = self.best.1.clone();
                sampler.kick(&self.best.1, &mut kicked);
                (0.0, kicked)
            };
        }
        sampler.beside(&self.here.1, point);
    }

    /// Tells the error at the point that was proposed.
    pub fn told(&mut self, error: f64, point: &[u64]) {
        if error >= self.here.0 {
            self.here.0 = error;
            self.here.1.copy_from_slice(point);
        }
        if error > self.best.0 {
            self.best.0 = error;
            self.best.1.copy_from_slice(point);
            self.idle = 0;
        }
    }

    /// The error where it is now: a step that has less is not kept.
    pub fn here(&self) -> f64 {
        self.here.0
    }

    /// The best error and its point.
    pub fn best(&self) -> &(f64, Vec<u64>) {
        &self.best
    }
}
