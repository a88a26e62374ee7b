//! The time that functions did not need. Most functions show all that they ever will within a
//! small part of their time, and a few large ones have not shown half of it when theirs is
//! over: these borrow what those left.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What is left, and for how many functions.
pub(in super::super) struct TimePool(Mutex<Contents>);

struct Contents {
    saved: Duration,
    /// Pending functions.
    pending: usize,
}

impl TimePool {
    /// Empty, for so many functions.
    pub fn new(functions: usize) -> TimePool {
        TimePool(Mutex::new(Contents { saved: Duration::ZERO, pending: functions }))
    }

    /// The work on a function begins.
    pub fn begin(&self) {
        self.with(|contents| contents.pending = contents.pending.saturating_sub(1));
    }

    /// A function does not need so much of its time.
    pub fn put(&self, time: Duration) {
        self.with(|contents| contents.saved += time);
    }

    /// Grants a function that has borrowed so much a further loan, if at least as much remains for
    /// half of the pending functions.
    pub fn take(&self, taken: Duration, more: Duration) -> bool {
        self.with(|contents| {
            let share = (contents.saved + taken) / (1 + contents.pending as u32 / 2);
            let granted = contents.saved >= more && taken + more <= share;
            if granted {
                contents.saved -= more;
            }
            granted
        })
    }

    /// What is left for each pending function, and for the one at work.
    pub fn each(&self) -> Duration {
        self.with(|contents| contents.saved / (1 + contents.pending as u32))
    }

    fn with<T>(&self, change: impl FnOnce(&mut Contents) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_shared_by_pending_functions() {
        let second = Duration::from_secs(1);
        let pool = TimePool::new(4);
        assert!(!pool.take(Duration::ZERO, second));
        pool.begin();
        pool.put(4 * second);
        pool.begin();
        // Two are to come: this one gets half.
        assert!(pool.take(Duration::ZERO, second));
        assert!(pool.take(second, second));
        assert!(!pool.take(2 * second, second));
        assert_eq!(pool.each(), 2 * second / 3);
        pool.begin();
        pool.begin();
        assert!(pool.take(Duration::ZERO, 2 * second));
        assert!(!pool.take(2 * second, second));
    }
}
