//! The budgets of a target's engines: [`Shares`] by the clock, with what is borrowed from the
//! pool.

use super::pool::TimePool;
use super::shares::{After, Progress, Shares};
use nanoscope_budget::Budget;
use nanoscope_native::{Allowance, processor_time};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Without a function's own time: what ranges may have of the time that there is, and at most.
const RANGES: (f64, Duration) = (0.1, Duration::from_secs(2));

/// The search's share of it, where findings are to be judged.
const SEARCHING: f64 = 0.65;

/// Exploration's share of the time that is left, and the longest it may take: so many times as
/// long as the search, but at least so long.
const EXPLORING: (f64, f64, Duration) = (0.5, 2.0, Duration::from_secs(2));

/// The share of the search's time that shortening and judging may take on top, and the least
/// they get.
const POLISHING: (f64, Duration) = (0.5, Duration::from_secs(2));

/// What a schedule depends on, besides the clock.
pub(in super::super) struct Wishes<'a> {
    /// The function's own processor time.
    pub function_time: Option<Duration>,
    /// Whether findings are shortened and judged.
    pub polishes: bool,
    /// Whether nobody searches, so that exploration has the search's time.
    pub explores_only: bool,
    /// With a number of evaluations the report must not depend on the clock.
    pub counts: bool,
    /// What other functions left; none where there are no others.
    pub pool: Option<&'a Arc<TimePool>>,
}

/// The time of one target.
pub(in super::super) struct Schedule<'a> {
    budget: &'a Budget,
    wishes: Wishes<'a>,
    own: Option<Own<'a>>,
}

/// A function's own time, by the processor's clock.
struct Own<'a> {
    shares: Shares,
    begun: Duration,
    /// What was spent beside that clock.
    besides: Duration,
    pool: Option<&'a Arc<TimePool>>,
    account: Arc<Mutex<Account>>,
}

/// What a function borrowed, and whether its search left time to others.
#[derive(Default)]
struct Account {
    borrowed: Duration,
    search_left: bool,
}

impl<'a> Schedule<'a> {
    pub fn new(wishes: Wishes<'a>, budget: &'a Budget) -> Schedule<'a> {
        wishes.pool.iter().for_each(|pool| pool.begin());
        let own = wishes.function_time.map(|time| Own {
            shares: Shares::of(time),
            begun: processor_time(),
            besides: Duration::ZERO,
            pool: wishes.pool.filter(|_| !wishes.counts),
            account: Arc::default(),
        });
        Schedule { budget, wishes, own }
    }

    /// For ranges.
    pub fn ranging(&self) -> Budget {
        match &self.own {
            _ if self.wishes.counts => self.budget.clone(),
            Some(own) => {
                own.borrow(own.shares.ranges_borrow());
                self.budget.slice(own.until(own.shares.ranges_end()))
            }
            None => self.budget.slice(self.wall_ranges()),
        }
    }

    /// Ranges have ended: what they borrowed in vain goes back.
    pub fn ranged(&self) {
        let Some(own) = &self.own else { return };
        let Some(pool) = own.pool else { return };
        let needed = own.spent().saturating_sub(own.shares.ranges_end());
        let mut account = own.account();
        pool.put(account.borrowed.saturating_sub(needed));
        account.borrowed = account.borrowed.min(needed);
    }

    /// For ranges of parts of the input space.
    pub fn cutting(&self) -> Budget {
        match &self.own {
            _ if self.wishes.counts => self.budget.clone(),
            Some(own) => self.budget.slice(self.after_search(own, After::Cutting)),
            None => self.budget.slice(self.wall_ranges()),
        }
    }

    fn wall_ranges(&self) -> Duration {
        let share = self.budget.remaining().map_or(RANGES.1, |left| left.mul_f64(RANGES.0));
        share.min(RANGES.1)
    }

    /// Does something in a thread of its own, which the processor's clock does not see.
    pub fn spending<T>(&mut self, budget: &Budget, work: impl FnOnce() -> T) -> T {
        let most = budget.remaining().unwrap_or_default();
        let begun = Instant::now();
        let done = work();
        if let Some(own) = &mut self.own {
            own.besides += begun.elapsed().min(most);
        }
        done
    }

    /// For the search: on the wall's clock, and of the processor.
    pub fn searching(&self) -> (Budget, Option<Allowance>) {
        let processor = self.own.as_ref().map(Own::allowance);
        let budget = match self.budget.remaining() {
            Some(left) if self.wishes.polishes && !self.wishes.counts => {
                self.budget.slice(left.mul_f64(SEARCHING))
            }
            Some(_) | None => self.budget.clone(),
        };
        (budget, processor)
    }

    /// For exploration, after a search that took so long.
    pub fn exploring(&self, searched: Duration) -> Budget {
        match (self.budget.remaining(), &self.own) {
            _ if self.wishes.counts => self.budget.clone(),
            (_, Some(own)) => self.budget.slice(self.after_search(own, After::Exploration)),
            (Some(left), None) if self.wishes.explores_only => {
                self.budget.slice(left.mul_f64(SEARCHING))
            }
            (Some(left), None) => {
                let (share, times, least) = EXPLORING;
                self.budget.slice(left.mul_f64(share).min(searched.mul_f64(times).max(least)))
            }
            (None, None) => self.budget.clone(),
        }
    }

    /// For shortening and judging.
    pub fn polishing(&self, searched: Duration) -> Budget {
        match &self.own {
            _ if self.wishes.counts => self.budget.clone(),
            Some(own) => {
                let rest = own.until(own.shares.time);
                self.budget.slice(rest.max(own.shares.polishing_at_least()))
            }
            None => self.budget.slice(searched.mul_f64(POLISHING.0).max(POLISHING.1)),
        }
    }

    /// All is done: what time is left is for others.
    pub fn end(self) {
        if let Some(own) = &self.own {
            own.pool.iter().for_each(|pool| pool.put(own.until(own.shares.time)));
        }
    }

    /// How long an engine may take that comes after the search. Where nothing is to be judged,
    /// exploration has the rest.
    fn after_search(&self, own: &Own, after: After) -> Duration {
        let end = match after {
            After::Exploration if !self.wishes.polishes => own.shares.time,
            After::Cutting | After::Exploration => own.shares.end_of(after),
        };
        let left = own.account().search_left;
        let alone = own.pool.is_none() || self.wishes.explores_only;
        match alone && !left {
            true => own.until(end),
            false => own.until(end).min(own.shares.longest(after, left)),
        }
    }
}

impl Own<'_> {
    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes up to so much of others' time.
    fn borrow(&self, most: Duration) {
        let Some(pool) = self.pool else { return };
        let mut account = self.account();
        let loan = self.shares.loan();
        while account.borrowed < most && pool.take(account.borrowed, loan) {
            account.borrowed += loan;
        }
    }

    /// The processor time since it began.
    fn spent(&self) -> Duration {
        (processor_time() + self.besides).saturating_sub(self.begun)
    }

    /// How long it is until then, what was borrowed aside.
    fn until(&self, end: Duration) -> Duration {
        let borrowed = self.account().borrowed;
        (end + borrowed).saturating_sub(self.spent())
    }

    /// Lets a search go on while it has news: in its own time, then in what others left.
    fn allowance(&self) -> Allowance {
        let ranged = self.spent().saturating_sub(self.account().borrowed);
        let own = self.until(self.shares.search_end(ranged));
        let Some(pool) = self.pool else { return Allowance::of(own) };
        let (pool, account, shares) = (Arc::clone(pool), Arc::clone(&self.account), self.shares);
        let before = self.account().borrowed;
        Allowance::new(move |spent, idle| {
            let mut account = account.lock().unwrap_or_else(PoisonError::into_inner);
            let mut loans = Loans { taken: account.borrowed, before };
            let goes_on = loans.go_on(shares, &pool, own, Progress { spent, idle });
            account.borrowed = loans.taken;
            account.search_left = !goes_on && shares.leaves_early();
            goes_on
        })
    }
}

/// What a search borrows while it goes on.
pub(super) struct Loans {
    /// All that the function borrowed.
    pub taken: Duration,
    /// What it had borrowed before the search.
    pub before: Duration,
}

impl Loans {
    /// Whether a search with `own` time goes on, with loans where that is over.
    pub fn go_on(
        &mut self,
        shares: Shares,
        pool: &TimePool,
        own: Duration,
        progress: Progress,
    ) -> bool {
        if shares.leaves(progress, pool.each()) {
            return false;
        }
        while progress.spent >= own + self.taken - self.before {
            if !shares.borrows(progress, pool.each()) || !pool.take(self.taken, shares.loan()) {
                return false;
            }
            self.taken += shares.loan();
        }
        true
    }
}
