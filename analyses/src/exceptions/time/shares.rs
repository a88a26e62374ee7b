//! The model: how a function's time is divided.
//!
//! Most functions are small: ranges settle them in a hundredth of a second, and a search
//! shows within a small part of a second all that it ever will. So of a short time nearly all
//! is the search's, and a search without news leaves its rest to other functions. Large
//! functions need seconds of ranges, which settle what nothing else does; who grants many seconds
//! wants them used up. Between the two the shares change with the logarithm of the time: there
//! is no time at which a little more of it gives a different division.

use std::time::Duration;

/// Up to this time a function's time is short.
const SHORT: Duration = Duration::from_secs(1);

/// From this time on it is long.
const LONG: Duration = Duration::from_secs(16);

/// A quantity for short times and for long ones.
#[derive(Clone, Copy)]
struct Span {
    short: f64,
    long: f64,
}

/// The parts of a function's time after which each engine ends, so that what one leaves is
/// the next one's. What comes after exploration is for shortening and judging.
const RANGES_END: Span = Span { short: 0.1, long: 0.65 };
const SEARCH_END: Span = Span { short: 0.93, long: 0.72 };
const CUTTING_END: Span = Span { short: 0.95, long: 0.93 };
const EXPLORATION_END: Span = Span { short: 0.97, long: 0.95 };

/// The part of the time that shortening and judging have at least: an engine before them that
/// overran its end does not leave findings unjudged.
const POLISHING_AT_LEAST: f64 = 0.1;

/// The part of the time that the search has at least, where ranges took long.
const SEARCH_AT_LEAST: f64 = 0.25;

/// The part of its time that a search goes on for without news, at least.
const PATIENCE_AT_LEAST: Span = Span { short: 0.2, long: 1.0 };

/// It goes on without news for so many times as long as it took to the last, and longer by such
/// a part for every own time that the pool has for each function.
const PATIENCE: f64 = 2.0;
const PATIENCE_OF_POOL: f64 = 0.5;

/// With what others left, a search of a long time goes on only if it had news within such a
/// part of its time.
const NEWS_WITHIN: f64 = 0.05;

/// The part of its time that a function borrows at once.
const LOAN: f64 = 0.05;

/// So many times a function's own time ranges may borrow.
const RANGES_BORROW: Span = Span { short: 0.0, long: 2.5 };

/// The part of the time that ranges of parts of the input space, and exploration, may have where
/// there are other functions: after a search that left its rest to them, and after one that
/// came to its end. (A few hundredths of a second are not enough to explore anything.)
const CUTTING_AFTER_LEAVING: Span = Span { short: 0.04, long: 1.0 };
const EXPLORATION_AFTER_LEAVING: Span = Span { short: 0.0, long: 1.0 };
const AFTER_SEARCH: Span = Span { short: 0.15, long: 1.0 };

/// How a function's time is divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    /// The function's own time.
    pub time: Duration,
    /// Where it lies between short and long, from 0 to 1.
    length: f64,
}

/// What a search did so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// How long it has been at work.
    pub spent: Duration,
    /// How long it has been without news.
    pub idle: Duration,
}

/// The engines that come after the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// Ranges of parts of the input space.
    Cutting,
    /// Exploration.
    Exploration,
}

impl Shares {
    /// The division of a function's time.
    pub fn of(time: Duration) -> Shares {
        let octaves = |time: Duration| time.as_secs_f64().max(1e-9).log2();
        let length = (octaves(time) - octaves(SHORT)) / (octaves(LONG) - octaves(SHORT));
        Shares { time, length: length.clamp(0.0, 1.0) }
    }

    fn at(self, span: Span) -> f64 {
        span.short + (span.long - span.short) * self.length
    }

    /// When ranges of the whole input space end.
    pub fn ranges_end(self) -> Duration {
        self.time.mul_f64(self.at(RANGES_END))
    }

    /// When the search ends, if ranges ended then.
    pub fn search_end(self, ranged: Duration) -> Duration {
        let usual = self.time.mul_f64(self.at(SEARCH_END));
        let latest = self.time.mul_f64(self.at(CUTTING_END));
        (ranged + self.time.mul_f64(SEARCH_AT_LEAST)).max(usual).min(latest)
    }

    /// When an engine after the search ends.
    pub fn end_of(self, after: After) -> Duration {
        self.time.mul_f64(match after {
            After::Cutting => self.at(CUTTING_END),
            After::Exploration => self.at(EXPLORATION_END),
        })
    }

    /// The longest that an engine after the search may take, where there are other functions.
    pub fn longest(self, after: After, search_left: bool) -> Duration {
        self.time.mul_f64(match (search_left, after) {
            (true, After::Cutting) => self.at(CUTTING_AFTER_LEAVING),
            (true, After::Exploration) => self.at(EXPLORATION_AFTER_LEAVING),
            (false, After::Cutting | After::Exploration) => self.at(AFTER_SEARCH),
        })
    }

    /// How long shortening and judging may take, whatever was spent before.
    pub fn polishing_at_least(self) -> Duration {
        self.time.mul_f64(POLISHING_AT_LEAST)
    }

    /// How much ranges may borrow.
    pub fn ranges_borrow(self) -> Duration {
        self.time.mul_f64(self.at(RANGES_BORROW))
    }

    /// How much is borrowed at once.
    pub fn loan(self) -> Duration {
        self.time.mul_f64(LOAN)
    }

    /// How long a search goes on without news; `each` is what the pool has for each function.
    fn patience(self, progress: Progress, each: Duration) -> Duration {
        let pool = each.as_secs_f64() / self.time.as_secs_f64();
        let to_last = progress.spent.saturating_sub(progress.idle);
        let earned = to_last.mul_f64(PATIENCE * (1.0 + PATIENCE_OF_POOL * pool));
        self.time.mul_f64(self.at(PATIENCE_AT_LEAST)).max(earned)
    }

    /// Whether searches may leave their time to others before it is over.
    pub fn leaves_early(self) -> bool {
        self.length < 1.0
    }

    /// Whether a search without news leaves the rest of its time to others.
    pub fn leaves(self, progress: Progress, each: Duration) -> bool {
        self.leaves_early() && progress.idle > self.patience(progress, each)
    }

    /// Whether a search whose own time is over goes on with what others left.
    pub fn borrows(self, progress: Progress, each: Duration) -> bool {
        let lately = self.time.mul_f64(NEWS_WITHIN).as_secs_f64();
        let patience = self.patience(progress, each).as_secs_f64();
        progress.idle.as_secs_f64() <= patience + (lately - patience) * self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_follow_each_other_at_all_times() {
        for tenths in 1..600 {
            let shares = Shares::of(Duration::from_millis(100 * tenths));
            let ends = [
                shares.ranges_end(),
                shares.search_end(shares.ranges_end()),
                shares.end_of(After::Cutting),
                shares.end_of(After::Exploration),
                shares.time,
            ];
            assert!(ends.is_sorted(), "{shares:?}: {ends:?}");
        }
    }

    #[test]
    fn a_little_more_time_changes_little() {
        let parts = |millis: u64| {
            let shares = Shares::of(Duration::from_millis(millis));
            let time = shares.time.as_secs_f64();
            [
                shares.ranges_end().as_secs_f64() / time,
                shares.search_end(Duration::ZERO).as_secs_f64() / time,
                shares.longest(After::Cutting, false).as_secs_f64() / time,
                shares.longest(After::Exploration, true).as_secs_f64() / time,
                shares.ranges_borrow().as_secs_f64() / time,
            ]
        };
        for millis in (100..30_000).step_by(100) {
            for (before, after) in parts(millis).into_iter().zip(parts(millis + 100)) {
                assert!((before - after).abs() < 0.1, "{millis} ms: {before} {after}");
            }
        }
    }
}
