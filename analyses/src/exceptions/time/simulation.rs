//! What sharing does to a made-up set of functions: no clock, no program, only the model.

use super::pool::TimePool;
use super::schedule::Loans;
use super::shares::{Progress, Shares};
use std::time::Duration;

/// A function: how long ranges take for it, and after how much search it shows something.
#[derive(Clone)]
struct Function {
    ranges: f64,
    news: Vec<f64>,
}

/// What came of the work on some functions.
#[derive(Debug, Default)]
struct Tally {
    /// Findings of each function.
    found: Vec<usize>,
    /// Functions whose ranges came to an end.
    ranged: usize,
    spent: Duration,
}

impl Tally {
    fn all(&self) -> usize {
        self.found.iter().sum()
    }
}

/// Works on functions, each with so much time of its own, that share it or not.
fn simulate(functions: &[Function], seconds: f64, shared: bool) -> Tally {
    let shares = Shares::of(Duration::from_secs_f64(seconds));
    let pool = TimePool::new(functions.len());
    let mut outcome = Tally::default();
    for function in functions {
        pool.begin();
        let mut loans = Loans { taken: Duration::ZERO, before: Duration::ZERO };
        let need = Duration::from_secs_f64(function.ranges);
        while shared && need > shares.ranges_end() + loans.taken {
            let more = loans.taken < shares.ranges_borrow();
            if !more || !pool.take(loans.taken, shares.loan()) {
                break;
            }
            loans.taken += shares.loan();
        }
        let ranged = need.min(shares.ranges_end() + loans.taken);
        outcome.ranged += usize::from(ranged == need);
        loans.before = loans.taken;
        let own_ranged = ranged.saturating_sub(loans.taken);
        let own = shares.search_end(own_ranged).saturating_sub(own_ranged);
        let step = shares.time / 400;
        let mut spent = Duration::ZERO;
        loop {
            let shown = function.news.iter().filter(|at| **at <= spent.as_secs_f64());
            let last = shown.fold(0.0, |last: f64, at| last.max(*at));
            let idle = spent.saturating_sub(Duration::from_secs_f64(last));
            let goes_on = match shared {
                true => loans.go_on(shares, &pool, own, Progress { spent, idle }),
                false => spent < own,
            };
            if !goes_on {
                break;
            }
            spent += step;
        }
        let found = function.news.iter().filter(|at| **at <= spent.as_secs_f64()).count();
        outcome.found.push(found);
        outcome.spent += ranged + spent;
        pool.put((shares.time + loans.taken).saturating_sub(ranged + spent));
    }
    outcome
}

/// Ninety small functions and then ten large ones, as a library has them; times in parts of
/// the time that each has.
fn library(seconds: f64) -> Vec<Function> {
    let small = Function { ranges: 0.01 * seconds, news: vec![0.01 * seconds, 0.03 * seconds] };
    let large = Function {
        ranges: 1.2 * seconds,
        news: (1..=40).map(|i| f64::from(i) * 0.06 * seconds).collect(),
    };
    let mut all = vec![small; 90];
    all.extend(vec![large; 10]);
    all
}

#[test]
fn sharing_finds_more_in_the_same_time() {
    for seconds in [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 60.0] {
        let functions = library(seconds);
        let alone = simulate(&functions, seconds, false);
        let shared = simulate(&functions, seconds, true);
        assert!(shared.all() >= alone.all(), "{seconds} s: {shared:?} {alone:?}");
        assert!(shared.ranged >= alone.ranged, "{seconds} s: {shared:?} {alone:?}");
        let most = Duration::from_secs_f64(seconds * 1.02 * functions.len() as f64);
        assert!(shared.spent <= most, "{seconds} s: {:?}", shared.spent);
        // No small function loses what it would have shown alone.
        assert_eq!(shared.found[..90], alone.found[..90], "{seconds} s");
    }
}

#[test]
fn large_functions_go_on_with_what_small_ones_left() {
    let functions = library(1.0);
    let (alone, shared) = (simulate(&functions, 1.0, false), simulate(&functions, 1.0, true));
    assert!(shared.all() > alone.all() + 100, "{} {}", shared.all(), alone.all());
    // None of them shows less than it would have alone.
    let each = shared.found.iter().zip(&alone.found);
    assert!(each.clone().all(|(shared, alone)| shared >= alone), "{shared:?} {alone:?}");
}

#[test]
fn ranges_of_large_functions_borrow_where_there_are_many_seconds() {
    let functions = library(16.0);
    assert_eq!(simulate(&functions, 16.0, false).ranged, 90);
    assert_eq!(simulate(&functions, 16.0, true).ranged, 100);
}
