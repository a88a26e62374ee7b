//! Functions take turns. A first pass counts the calls; after it each function has so many calls a round, those of
//! other kinds first, and as much of the time as any other.

use super::{Tested, lock};
use nanoscope_search::Budget;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The calls of functions under test, as the first pass sees them.
#[derive(Debug, Default)]
pub struct Census {
    /// Of each call, from 1: the function, and the kind as far as its integers and characters tell.
    calls: Vec<(usize, Option<u64>)>,
    /// The functions by number.
    pub functions: Vec<Tested>,
    /// Whether the program was left before its end, and why.
    pub left: Option<&'static str>,
    began: Option<Instant>,
    last: Option<Instant>,
}

/// A program that makes no call for so many times the time until its last one is left.
const PATIENCE: u32 = 10;
/// But not before so long.
const LEAST_PATIENCE: Duration = Duration::from_secs(60);
/// Of a time limit, at most this part goes to counting calls.
const MOST_OF_LIMIT: u32 = 4;

impl Census {
    /// The time begins.
    pub fn begin(&mut self) {
        self.began = Some(Instant::now());
    }

    /// Notes the next call.
    pub fn record(&mut self, function: usize, kind: Option<u64>) {
        self.calls.push((function, kind));
        self.last = Some(Instant::now());
    }

    /// How many calls there are.
    pub fn len(&self) -> u64 {
        self.calls.len() as u64
    }

    /// The function of a call, if it was made.
    pub fn function(&self, call: u64) -> Option<usize> {
        let at = usize::try_from(call.checked_sub(1)?).ok()?;
        self.calls.get(at).map(|(function, _)| *function)
    }

    /// Whether to leave the program, which has not ended yet.
    pub fn leaves(&mut self, limit: Option<Duration>) -> bool {
        let (Some(began), Some(last)) = (self.began, self.last) else { return false };
        let silent = LEAST_PATIENCE.max((last - began) * PATIENCE);
        if limit.is_some_and(|limit| began.elapsed() > limit / MOST_OF_LIMIT) {
            self.left = Some("after a quarter of the time");
        } else if last.elapsed() > silent {
            self.left = Some("as it made no more calls and did not end");
        }
        self.left.is_some()
    }

    /// How many calls each function has.
    pub fn by_function(&self) -> BTreeMap<usize, u64> {
        let mut counts = BTreeMap::new();
        self.calls.iter().for_each(|(function, _)| *counts.entry(*function).or_default() += 1);
        counts
    }

    /// Of each function the next `most` calls that are not `done`: first one of each kind, from all over the
    /// program, then the others.
    pub fn turn(&self, done: &BTreeSet<u64>, most: usize) -> BTreeSet<u64> {
        let mut kinds = BTreeSet::new();
        let mut queues: BTreeMap<usize, [Vec<u64>; 2]> = BTreeMap::new();
        for (at, (function, kind)) in self.calls.iter().enumerate() {
            let first = kind.is_none_or(|kind| kinds.insert((*function, kind)));
            let queue = &mut queues.entry(*function).or_default()[usize::from(!first)];
            queue.push(at as u64 + 1);
        }
        let mut turn = BTreeSet::new();
        for [mut first, mut others] in queues.into_values() {
            spread(&mut first);
            spread(&mut others);
            let next = first.into_iter().chain(others).filter(|call| !done.contains(call));
            turn.extend(next.take(most));
        }
        turn
    }
}

/// Puts a list into an order in which its beginning is of all of it, whatever period it has.
pub fn spread<T>(list: &mut [T]) {
    // Multiples of the golden ratio, modulo 1.
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut order: Vec<u64> = (0..list.len() as u64).collect();
    order.sort_by_key(|k| k.wrapping_mul(GOLDEN));
    let mut place = vec![0; list.len()];
    for (to, from) in order.into_iter().enumerate() {
        place[from as usize] = to;
    }
    for k in 0..list.len() {
        while place[k] != k {
            let to = place[k];
            list.swap(k, to);
            place.swap(k, to);
        }
    }
}

/// How long each function may be worked at: what one leaves, it has in later rounds.
#[derive(Debug, Default)]
pub struct Shares {
    /// Since the beginning; none if there is no limit.
    allowed: Option<Duration>,
    spent: Mutex<BTreeMap<usize, Duration>>,
}

/// A share is no less than this.
const LEAST_SHARE: Duration = Duration::from_millis(100);

impl Shares {
    /// Deals half of the time that is left, worked by so many at once, to so many functions.
    pub fn deal(&mut self, budget: &Budget, functions: usize, jobs: usize) {
        let jobs = u32::try_from(jobs).unwrap_or(1);
        let functions = u32::try_from(functions.max(1)).unwrap_or(u32::MAX);
        self.allowed = budget.remaining().map(|left| {
            let share = (left * jobs / 2 / functions).max(LEAST_SHARE);
            self.allowed.unwrap_or_default() + share
        });
    }

    /// What a function has left; none if there is no limit.
    pub fn left(&self, function: usize) -> Option<Duration> {
        let spent = self.all_spent().get(&function).copied().unwrap_or_default();
        self.allowed.map(|allowed| allowed.saturating_sub(spent))
    }

    /// Notes what was spent on a function.
    pub fn spend(&self, function: usize, time: Duration) {
        *self.all_spent().entry(function).or_default() += time;
    }

    fn all_spent(&self) -> MutexGuard<'_, BTreeMap<usize, Duration>> {
        lock(&self.spent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn census(calls: &[(usize, u64)]) -> Census {
        let mut census = Census::default();
        calls.iter().for_each(|(function, kind)| census.record(*function, Some(*kind)));
        census
    }

    #[test]
    fn every_function_has_its_turn() {
        let calls: Vec<(usize, u64)> = (0..1000).map(|k| (0, k)).chain([(1, 0), (2, 0)]).collect();
        let census = census(&calls);
        let turn = census.turn(&BTreeSet::new(), 4);
        assert_eq!(turn.len(), 6);
        assert!(turn.contains(&1001) && turn.contains(&1002));
        assert_eq!(census.function(1001), Some(1));
        assert_eq!((census.function(0), census.function(1003)), (None, None));
        assert_eq!(census.by_function()[&0], 1000);
    }

    #[test]
    fn other_kinds_come_first() {
        let census = census(&[(0, 7), (0, 7), (0, 7), (0, 8), (0, 9), (0, 9)]);
        assert_eq!(census.turn(&BTreeSet::new(), 3), BTreeSet::from([1, 4, 5]));
        let done = BTreeSet::from([1, 4, 5]);
        assert_eq!(census.turn(&done, 100), BTreeSet::from([2, 3, 6]));
        assert!(census.turn(&(1..=6).collect(), 100).is_empty());
    }

    /// The first few of a list with a period meet all of its phases, and all parts of the list.
    #[test]
    fn a_few_are_of_everything() {
        for period in 2..12 {
            let mut list: Vec<usize> = (0..period * 972).collect();
            spread(&mut list);
            let first = &list[..6 * period];
            let phases: BTreeSet<usize> = first.iter().map(|k| k % period).collect();
            assert_eq!(phases.len(), period, "{first:?}");
            let quarters: BTreeSet<usize> = first.iter().map(|k| 4 * k / list.len()).collect();
            assert_eq!(quarters.len(), 4, "{first:?}");
            list.sort_unstable();
            assert!(list.iter().copied().eq(0..period * 972));
        }
    }

    #[test]
    fn what_one_leaves_it_has_later() {
        let mut shares = Shares::default();
        assert_eq!(shares.left(0), None);
        let budget = Budget::lasting(Duration::from_secs(80));
        shares.deal(&budget, 4, 2);
        let share = shares.left(0).expect("there is a limit");
        assert!(share > Duration::from_secs(19) && share <= Duration::from_secs(20));
        shares.spend(0, share);
        shares.deal(&budget, 4, 2);
        let second = shares.left(0).expect("there is a limit");
        assert!(second <= Duration::from_secs(20) && shares.left(1) > Some(second));
        shares.spend(0, Duration::from_secs(1000));
        assert_eq!(shares.left(0), Some(Duration::ZERO));
    }
}
