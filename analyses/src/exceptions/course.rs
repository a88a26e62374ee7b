//! How the engines share the time of a target.
//!
//! A function's own time, where the user gave one, is processor time: that of the thread and
//! of the processes it starts. The engines' ends lie at fixed parts of it, so that what one
//! leaves is the next one's. Where there are several functions, what one does not need is for
//! others (`purse.rs`): for searches that find something when their own time is over, and, of
//! many seconds, for ranges of large functions. Where the time is short, a search that has
//! found nothing new for long leaves the rest of its time, too, exploration's with it. Without a
//! function's own time the wall's clock counts.

use super::Engine;
use super::purse::Purse;
use super::settle::Case;
use nanoscope_native::{Allowance, processor_time};
use nanoscope_search::Budget;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The parts of a function's time after which ranges of the whole input space, search, ranges
/// of its parts, and exploration have to end. (Where there are many seconds, ranges have more:
/// what takes them long are large functions, and these they settle as nobody else does.)
/// Shortening and judging have the rest, or exploration has where nothing is to be judged.
const SHORT: [f64; 4] = [0.1, 0.93, 0.95, 0.97];
const LONG: [f64; 4] = [0.65, 0.72, 0.93, 0.95];

/// The part of the time that the search has at least, where ranges took long.
const SEARCH: f64 = 0.25;

/// From when on there are many.
const MANY: Duration = Duration::from_secs(4);

/// A search whose function's time is short goes on for so many times as long as it took to
/// what it last found that was new, and by such a part more for every such time that others
/// have left to each function; but for so large a part of its time at least.
const HOPE: f64 = 2.0;
const HOPE_OF_OTHERS: f64 = 0.5;
const HOPE_AT_LEAST: f64 = 0.2;

/// One whose time is long goes on with what others left as long as it found something within
/// such a part of its time.
const LATELY: f64 = 0.05;

/// The part of its time that it borrows at once from what others left.
const LOAN: f64 = 0.05;

/// So many times a function's own time ranges may borrow, where that is long.
const AT_LENGTH: f64 = 2.5;

/// The part of such a time that ranges of parts of the input space, and exploration, may have
/// after a search that left the rest to others, and after one that came to its end. (A few
/// hundredths of a second are not enough to explore anything.)
const CUTTING: (f64, f64) = (0.04, 0.15);
const AFTERWARDS: (f64, f64) = (0.0, 0.15);

/// Without such a time: what ranges may have of the time that there is, and at most.
const RANGES: (f64, Duration) = (0.1, Duration::from_secs(2));

/// The search's share of it, where findings are to be judged.
const SEARCHING: f64 = 0.65;

/// Exploration's share of the time that is left, and the longest it may take: so many times as
/// long as the search, but at least so long.
const EXPLORING: (f64, f64, Duration) = (0.5, 2.0, Duration::from_secs(2));

/// The share of the search's time that shortening and judging may take on top, and the least
/// they get.
const POLISHING: (f64, Duration) = (0.5, Duration::from_secs(2));

/// The time of one target.
pub(super) struct Course<'a> {
    budget: &'a Budget,
    /// The function's own time and the processor's clock when it began.
    own: Option<(Duration, Duration)>,
    /// What was spent beside that clock.
    besides: Duration,
    polishes: bool,
    /// Whether nobody searches, so that exploration has the search's time.
    explores_only: bool,
    /// With a number of evaluations the report must not depend on the clock.
    counts: bool,
    /// Where there are other functions: what those have left, and how this one stands to it.
    others: Option<&'a Arc<Purse>>,
    dealings: Arc<Mutex<Dealings>>,
}

/// What a function took of others' time, and whether its search left time to them.
#[derive(Default)]
struct Dealings {
    borrowed: Duration,
    left: bool,
}

impl<'a> Course<'a> {
    pub fn new(case: &'a Case, budget: &'a Budget) -> Course<'a> {
        let counts = case.options.evaluations.is_some();
        case.purse.iter().for_each(|purse| purse.begin());
        Course {
            budget,
            own: case.options.function_time.map(|time| (time, processor_time())),
            besides: Duration::ZERO,
            polishes: case.options.polish,
            explores_only: !case.options.engines.contains(&Engine::Search),
            counts,
            others: case.purse.filter(|_| case.options.function_time.is_some() && !counts),
            dealings: Arc::default(),
        }
    }

    /// For ranges.
    pub fn ranging(&self) -> Budget {
        let wall = self.budget.remaining().map_or(RANGES.1, |left| left.mul_f64(RANGES.0));
        match self.own {
            _ if self.counts => self.budget.clone(),
            Some((time, _)) => {
                if !self.is_short() {
                    self.borrow(time.mul_f64(AT_LENGTH));
                }
                self.budget.slice(self.until(self.parts()[0]))
            }
            None => self.budget.slice(wall.min(RANGES.1)),
        }
    }

    /// Ranges have ended: what they borrowed in vain is for others again.
    pub fn ranged(&self) {
        let (Some((time, _)), Some(others)) = (self.own, self.others) else { return };
        let needed = self.spent().saturating_sub(time.mul_f64(self.parts()[0]));
        let mut dealings = self.dealings();
        others.put(dealings.borrowed.saturating_sub(needed));
        dealings.borrowed = dealings.borrowed.min(needed);
    }

    /// Takes up to so much of others' time.
    fn borrow(&self, most: Duration) {
        let (Some((time, _)), Some(others)) = (self.own, self.others) else { return };
        let mut dealings = self.dealings();
        let loan = time.mul_f64(LOAN);
        while dealings.borrowed < most && others.take(dealings.borrowed, loan) {
            dealings.borrowed += loan;
        }
    }

    /// For ranges of parts of the input space.
    pub fn cutting(&self) -> Budget {
        let wall = self.budget.remaining().map_or(RANGES.1, |left| left.mul_f64(RANGES.0));
        match self.own {
            Some(_) => self.budget.slice(self.afterwards(self.parts()[2], CUTTING)),
            None => self.budget.slice(wall.min(RANGES.1)),
        }
    }

    /// When the engines end.
    fn parts(&self) -> [f64; 4] {
        if self.is_short() { SHORT } else { LONG }
    }

    /// Whether there are not many seconds.
    fn is_short(&self) -> bool {
        self.own.is_none_or(|(time, _)| time < MANY)
    }

    /// Whether goals that were reached through other functions matter less than others.
    pub fn prefers_news(&self) -> bool {
        self.is_short()
    }

    /// Does something in a thread of its own, which the processor's clock does not see.
    pub fn spending<T>(&mut self, budget: &Budget, work: impl FnOnce() -> T) -> T {
        let most = budget.remaining().unwrap_or_default();
        let begun = Instant::now();
        let done = work();
        self.besides += begun.elapsed().min(most);
        done
    }

    /// For the search: on the wall's clock, and of the processor.
    pub fn searching(&self) -> (Budget, Option<Allowance>) {
        let processor = self.own.map(|(time, _)| {
            let own = self.until(self.search_end());
            match self.others {
                Some(others) => {
                    let leaves = self.is_short();
                    shared(own, time, others, &self.dealings, leaves)
                }
                None => Allowance::of(own),
            }
        });
        let budget = match self.budget.remaining() {
            Some(left) if self.polishes && !self.counts => {
                self.budget.slice(left.mul_f64(SEARCHING))
            }
            Some(_) | None => self.budget.clone(),
        };
        (budget, processor)
    }

    /// For exploration, after a search that took so long.
    pub fn exploring(&self, searched: Duration) -> Budget {
        match (self.budget.remaining(), self.own) {
            _ if self.counts => self.budget.clone(),
            (_, Some(_)) if self.polishes => {
                self.budget.slice(self.afterwards(self.parts()[3], AFTERWARDS))
            }
            (_, Some(_)) => self.budget.slice(self.afterwards(1.0, AFTERWARDS)),
            (Some(left), None) if self.explores_only => self.budget.slice(left.mul_f64(SEARCHING)),
            (Some(left), None) => {
                let (share, times, least) = EXPLORING;
                self.budget.slice(left.mul_f64(share).min(searched.mul_f64(times).max(least)))
            }
            (None, None) => self.budget.clone(),
        }
    }

    /// For shortening and judging.
    pub fn polishing(&self, searched: Duration) -> Budget {
        match self.own {
            _ if self.counts => self.budget.clone(),
            Some(_) => self.budget.slice(self.until(1.0)),
            None => self.budget.slice(searched.mul_f64(POLISHING.0).max(POLISHING.1)),
        }
    }

    /// All is done: what time is left is for others.
    pub fn end(self) {
        self.others.iter().for_each(|others| others.put(self.until(1.0)));
    }

    /// How long an engine may take that comes after the search.
    fn afterwards(&self, part: f64, (leaving, ended): (f64, f64)) -> Duration {
        let Some((time, _)) = self.own else { return self.until(part) };
        let most = match self.dealings().left {
            true => leaving,
            false if self.is_short() && self.others.is_some() && !self.explores_only => ended,
            false => 1.0,
        };
        self.until(part).min(time.mul_f64(most))
    }

    fn dealings(&self) -> MutexGuard<'_, Dealings> {
        self.dealings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the search has to end.
    fn search_end(&self) -> f64 {
        let (time, _) = self.own.unwrap_or_default();
        let spent = self.spent().saturating_sub(self.dealings().borrowed);
        let [_, usual, latest, _] = self.parts();
        (spent.as_secs_f64() / time.as_secs_f64() + SEARCH).max(usual).min(latest)
    }

    /// The processor time since it began.
    fn spent(&self) -> Duration {
        let (_, begun) = self.own.unwrap_or_default();
        (processor_time() + self.besides).saturating_sub(begun)
    }

    /// How long it is until a part of the function's own time is over, what it borrowed aside.
    fn until(&self, part: f64) -> Duration {
        let (time, _) = self.own.unwrap_or_default();
        let borrowed = self.dealings().borrowed;
        (time.mul_f64(part) + borrowed).saturating_sub(self.spent())
    }
}

/// Lets a search go on while it finds something new: in its own time, then in what others left.
/// Where it `leaves`, it does not take all of its own time either if it finds nothing.
fn shared(
    own: Duration,
    time: Duration,
    others: &Arc<Purse>,
    dealings: &Arc<Mutex<Dealings>>,
    leaves: bool,
) -> Allowance {
    let (others, dealings) = (Arc::clone(others), Arc::clone(dealings));
    let before = dealings.lock().unwrap_or_else(PoisonError::into_inner).borrowed;
    Allowance::new(move |spent, idle| {
        let mut dealings = dealings.lock().unwrap_or_else(PoisonError::into_inner);
        let riches = others.each().as_secs_f64() / time.as_secs_f64();
        let times = HOPE * (1.0 + HOPE_OF_OTHERS * riches);
        let hope = time.mul_f64(HOPE_AT_LEAST).max(spent.saturating_sub(idle).mul_f64(times));
        dealings.left = leaves && idle > hope;
        let loan = time.mul_f64(LOAN);
        let is_over = |dealings: &Dealings| spent >= own + dealings.borrowed - before;
        while !dealings.left && is_over(&dealings) {
            let promising = leaves || idle < time.mul_f64(LATELY);
            match promising && others.take(dealings.borrowed, loan) {
                true => dealings.borrowed += loan,
                false => {
                    dealings.left = leaves;
                    return false;
                }
            }
        }
        !dealings.left
    })
}
