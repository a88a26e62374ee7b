//! How long an engine may work: a deadline, a stop flag, a number of evaluations.
//!
//! ```
//! use nanoscope_budget::Budget;
//! use std::time::Duration;
//!
//! let whole = Budget::lasting(Duration::from_secs(10));
//! let part = whole.slice(Duration::from_secs(1));
//! assert!(!part.exhausted() && part.deadline < whole.deadline);
//! whole.cancel();
//! assert!(part.exhausted());
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What an engine may use up. Clones share the stop flag.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The moment to stop at.
    pub deadline: Option<Instant>,
    /// Raised by anyone who wants the work to stop.
    pub stop: Arc<AtomicBool>,
    /// How many evaluations to spend, for engines that count them.
    pub evaluations: Option<u64>,
}

impl Budget {
    /// No limit but the stop flag.
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    /// A deadline from now on.
    pub fn lasting(time: Duration) -> Budget {
        Budget { deadline: Instant::now().checked_add(time), ..Budget::default() }
    }

    /// The same stop flag and deadline, and a number of evaluations.
    pub fn with_evaluations(self, evaluations: u64) -> Budget {
        Budget { evaluations: Some(evaluations), ..self }
    }

    /// A part of this budget: ends after `time` or when this one ends, whichever is
    /// first, and stops when this one is stopped.
    pub fn slice(&self, time: Duration) -> Budget {
        let ends = Instant::now().checked_add(time);
        let deadline = match (self.deadline, ends) {
            (Some(own), Some(ends)) => Some(own.min(ends)),
            (own, ends) => own.or(ends),
        };
        Budget { deadline, ..self.clone() }
    }

    /// Whether the deadline has passed or someone said stop.
    pub fn exhausted(&self) -> bool {
        self.stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether nothing is left after `spent` evaluations, by count, clock or flag.
    pub fn exhausted_after(&self, spent: u64) -> bool {
        self.evaluations.is_some_and(|limit| spent >= limit) || self.exhausted()
    }

    /// Whether someone said stop; cheaper than reading the clock.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Raises the stop flag for every clone and slice.
    pub fn cancel(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Time until the deadline; `None` without one.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_ends_with_its_whole() {
        let whole = Budget::lasting(Duration::from_secs(3600)).with_evaluations(10);
        let part = whole.slice(Duration::from_secs(7200));
        assert_eq!(part.deadline, whole.deadline);
        assert!(whole.slice(Duration::ZERO).exhausted());
        assert!(!part.exhausted() && !part.exhausted_after(9) && part.exhausted_after(10));
        part.cancel();
        assert!(whole.exhausted());
    }

    #[test]
    fn without_limits_only_the_flag_stops() {
        let budget = Budget::unlimited();
        assert!(!budget.exhausted_after(u64::MAX));
        assert_eq!(budget.remaining(), None);
        assert!(budget.slice(Duration::from_secs(9)).remaining().is_some());
        budget.cancel();
        assert!(budget.exhausted_after(0));
    }
}
