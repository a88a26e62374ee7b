//! Time that functions leave to others. Most functions show all that they ever will within a
//! small part of their time, and a few large ones have not shown half of it when theirs is
//! over: these go on with what those left.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What is left, and for how many.
pub(super) struct Purse(Mutex<Contents>);

struct Contents {
    saved: Duration,
    /// Functions that are still to come.
    coming: usize,
}

impl Purse {
    /// Empty, for so many functions.
    pub fn new(functions: usize) -> Purse {
        Purse(Mutex::new(Contents { saved: Duration::ZERO, coming: functions }))
    }

    /// The work on a function begins.
    pub fn begin(&self) {
        self.with(|contents| contents.coming = contents.coming.saturating_sub(1));
    }

    /// A function does not need so much of its time.
    pub fn put(&self, time: Duration) {
        self.with(|contents| contents.saved += time);
    }

    /// A function that has taken so much wants so much more. It gets it if that leaves as much
    /// to every second one of those still to come.
    pub fn take(&self, taken: Duration, more: Duration) -> bool {
        self.with(|contents| {
            let share = (contents.saved + taken) / (1 + contents.coming as u32 / 2);
            let granted = contents.saved >= more && taken + more <= share;
            if granted {
                contents.saved -= more;
            }
            granted
        })
    }

    /// What is left for each function that is still to come, and for the one at work.
    pub fn each(&self) -> Duration {
        self.with(|contents| contents.saved / (1 + contents.coming as u32))
    }

    fn with<T>(&self, change: impl FnOnce(&mut Contents) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_shared_by_those_to_come() {
        let second = Duration::from_secs(1);
        let purse = Purse::new(4);
        assert!(!purse.take(Duration::ZERO, second));
        purse.begin();
        purse.put(4 * second);
        purse.begin();
        // Two are to come: this one gets half.
        assert!(purse.take(Duration::ZERO, second));
        assert!(purse.take(second, second));
        assert!(!purse.take(2 * second, second));
        assert_eq!(purse.each(), 2 * second / 3);
        purse.begin();
        purse.begin();
        assert!(purse.take(Duration::ZERO, 2 * second));
        assert!(!purse.take(2 * second, second));
    }
}
