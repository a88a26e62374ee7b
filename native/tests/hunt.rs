//! Native search: goals hit, candidates judged, edges used, budgets kept.

mod support;

use nanoscope_budget::Budget;
use nanoscope_native::{
    Candidate, Catch, Death, Ended, Hunt, Judgement, Limits, search_goals_observed, space,
};
use nanoscope_program::{GoalId, Instrumented};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{Direct, instrumented};

fn hunt() -> Hunt {
    let limits = Limits { fuel: 1000, memory: 64 << 20, ..Limits::default() };
    Hunt { limits, ..Hunt::default() }
}

/// Searches with so many evaluations, confirming every candidate.
fn search(subject: &Instrumented, hunt: &Hunt, evaluations: u64) -> Catch {
    let budget = Budget::unlimited().with_evaluations(evaluations);
    let judge = &mut |_: &Candidate| Ok(Judgement::Confirmed);
    search_goals_observed(subject, Arc::new(Direct), hunt, &budget, judge).unwrap()
}

/// A body with doubles `x` and `y`, and `ORDER`, a double's place among the doubles.
fn doubles(goals: usize, body: &str) -> Instrumented {
    let prelude = "double x, y; memcpy(&x, in, 8); memcpy(&y, in + 1, 8);\n\
        #define BITS(v) ({ double d_ = (v); uint64_t b_; memcpy(&b_, &d_, 8); b_; })\n\
        #define ORDER(v) ({ uint64_t o_ = BITS(v); o_ >> 63 ? ~o_ : o_ | 1ull << 63; })\n";
    instrumented(goals, 2, &format!("\n{prelude}{body}"))
}

#[test]
fn finds_an_overflow_and_an_equality() {
    let subject = doubles(
        2,
        "near(0, apart(ORDER(x * y), ORDER(1.0 / 0.0))); near(1, apart(ORDER(x), ORDER(1234.5)));",
    );
    let catch = search(&subject, &hunt(), 2_000_000);
    assert_eq!(catch.ended, Ended::AllConfirmed);
    let value = |pursuit: usize, word: usize| {
        let (distance, point) = catch.pursuits[pursuit].best.as_ref().unwrap();
        assert_eq!(*distance, 0);
        f64::from_bits(point[word])
    };
    assert_eq!(value(0, 0) * value(0, 1), f64::INFINITY);
    assert_eq!(value(1, 0), 1234.5);
}

#[test]
fn the_same_work_gives_the_same_result() {
    let subject = doubles(2, "near(0, apart(ORDER(x), ORDER(y + 1))); near(1, ORDER(y) | 1);");
    for jobs in [1, 2, 3] {
        let run = || {
            let hunt = Hunt { jobs, until_stalled: false, ..hunt() };
            let catch = search(&subject, &hunt, 50_000);
            (catch.evaluations, catch.pursuits)
        };
        let (evaluations, pursuits) = run();
        assert_eq!((evaluations, &pursuits), (50_000, &run().1), "{jobs} jobs");
        assert!(pursuits[0].best.is_some());
    }
}

#[test]
fn a_refuted_candidate_is_put_back() {
    // Every multiple of 8 claims to be a hit; only those of 64 are.
    let subject = instrumented(1, 1, "near(0, in[0] % 8);");
    let mut shown = Vec::new();
    let budget = Budget::unlimited().with_evaluations(1_000_000);
    let judge = &mut |&Candidate { goal, point, .. }: &Candidate| {
        assert_eq!(goal, GoalId(0));
        assert!(!shown.contains(&point[0]), "shown again");
        shown.push(point[0]);
        let real = point[0].is_multiple_of(64) && shown.len() > 3;
        Ok(if real { Judgement::Confirmed } else { Judgement::Refuted })
    };
    let catch = search_goals_observed(&subject, Arc::new(Direct), &hunt(), &budget, judge).unwrap();
    assert_eq!(catch.ended, Ended::AllConfirmed);
    let pursuit = &catch.pursuits[0];
    assert!(pursuit.confirmed && pursuit.refuted >= 3);
    assert_eq!(pursuit.best.as_ref().unwrap().1[0], *shown.last().unwrap());
}

#[test]
fn a_goal_that_is_always_refuted_is_given_up() {
    let subject = instrumented(1, 1, "near(0, in[0] % 8);");
    let mut shown = 0;
    let budget = Budget::unlimited().with_evaluations(1_000_000);
    let judge = &mut |_: &Candidate| {
        shown += 1;
        Ok(Judgement::Refuted)
    };
    let catch = search_goals_observed(&subject, Arc::new(Direct), &hunt(), &budget, judge).unwrap();
    assert_eq!((catch.ended, catch.pursuits[0].confirmed), (Ended::Stalled, false));
    assert_eq!((shown, catch.pursuits[0].refuted), (16, 16));
}

#[test]
fn edges_lead_and_settled_goals_are_left_alone() {
    let body = "near(2, apart(ORDER(x), ORDER(77.25))); near(1, 3); \
                if (x == 77.25) near(0, apart(ORDER(y), ORDER(-3.0)));";
    let mut subject = doubles(2, body);
    subject.edges = 1;
    subject.target.edges = vec![2];
    let hunt = Hunt { settled: vec![GoalId(1)], ..hunt() };
    let catch = search(&subject, &hunt, 4_000_000);
    assert_eq!((catch.ended, catch.edges), (Ended::AllConfirmed, (1, 1)));
    assert_eq!(catch.pursuits.len(), 1);
    let point = &catch.pursuits[0].best.as_ref().unwrap().1;
    assert_eq!([77.25, -3.0], [0, 1].map(|word| f64::from_bits(point[word])));
}

#[test]
fn crashes_are_counted_and_do_not_stop_it() {
    let subject =
        doubles(1, "if (x > 1e200) __builtin_trap(); near(0, apart(ORDER(x), ORDER(42.0)));");
    let catch = search(&subject, &hunt(), 1_000_000);
    assert_eq!(catch.ended, Ended::AllConfirmed);
    let deaths = catch.deaths[&Death::Signal(libc::SIGILL)];
    assert!(deaths > 0);
    assert!(catch.casualties.iter().all(|c| f64::from_bits(c.point[0]) > 1e200));
}

#[test]
fn hopeless_goals_stall_and_budgets_hold() {
    let subject = doubles(1, "near(0, 5);");
    let catch = search(&subject, &hunt(), 100_000_000);
    assert_eq!(catch.ended, Ended::Stalled);
    assert_eq!(catch.pursuits[0].best.as_ref().unwrap().0, 5);
    let endless = Hunt { until_stalled: false, ..hunt() };
    let start = Instant::now();
    let budget = Budget::lasting(Duration::from_millis(100));
    let judge = &mut |_: &Candidate| Ok(Judgement::Confirmed);
    let catch =
        search_goals_observed(&subject, Arc::new(Direct), &endless, &budget, judge).unwrap();
    assert_eq!(catch.ended, Ended::Budget);
    // Wide: it must end, and the machine may be busy.
    assert!(start.elapsed() < Duration::from_secs(30));
    println!("{} evaluations in {:?}", catch.evaluations, start.elapsed());
}

#[test]
fn a_target_without_inputs_is_run_once() {
    let subject = instrumented(1, 0, "near(0, 9);");
    let catch = search(&subject, &hunt(), 1000);
    assert_eq!((catch.evaluations, catch.ended), (1, Ended::Stalled));
    assert_eq!(catch.pursuits[0].best, Some((9, Vec::new())));
}

#[test]
fn spaces_are_made_of_inputs() {
    let mut target = support::target(3, 0);
    assert_eq!(space(&target).unwrap().words(), 3);
    target.inputs[1].low = u128::from(5f64.to_bits());
    target.inputs[1].high = u128::from(4f64.to_bits());
    assert!(space(&target).unwrap_err().to_string().contains("x1"));
}
