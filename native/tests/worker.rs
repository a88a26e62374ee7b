//! Workers: what they find, what they survive, what they forbid.

mod support;

use nanoscope_budget::Budget;
use nanoscope_native::{Batch, Death, Limits, Worker};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{Direct, instrumented};
use tempfile::TempDir;

fn limits() -> Limits {
    Limits { fuel: 1000, stall: Duration::from_millis(250), memory: 64 << 20, ..Limits::default() }
}

/// Runs `body` on one-word points and gives the batch and the distances it left.
fn run_all(body: &str, goals: usize, points: &[u64], limits: &Limits) -> (Batch, Vec<u64>) {
    let subject = instrumented(goals, 1, body);
    let mut worker =
        Worker::with_observer(&subject, Arc::new(Direct), limits, points.len()).unwrap();
    let mut best = vec![u64::MAX; goals];
    let batch = worker.run(points, &mut best).unwrap();
    assert_eq!(batch.evaluations, points.len() as u64);
    (batch, best)
}

/// Each of `points` is run through `body` (goal 0: distance to 50). The deaths are
/// as given, and every other point was still tried.
fn check(body: &str, points: &[u64], deaths: &[(usize, Death)]) {
    let body = format!("near(0, apart(in[0], 50)); {body}");
    let (batch, best) = run_all(&body, 1, points, &limits());
    let found: Vec<_> = batch.casualties.iter().map(|c| (c.index, c.how)).collect();
    assert_eq!(found, deaths, "{body}");
    for casualty in &batch.casualties {
        assert_eq!(casualty.point, [points[casualty.index]]);
    }
    assert_eq!(best[0], points.iter().map(|p| p.abs_diff(50)).min().unwrap(), "{body}");
}

#[test]
fn improvements_are_told_in_order() {
    let (batch, best) = run_all("near(0, apart(in[0], 50));", 1, &[90, 95, 60, 60, 49], &limits());
    let told: Vec<_> = batch.improvements.iter().map(|i| (i.index, i.distance)).collect();
    assert_eq!(told, [(0, 40), (2, 10), (4, 1)]);
    assert_eq!(batch.improvements[1].point, [60]);
    assert_eq!(best, [1]);
}

#[test]
fn a_run_with_many_improvements_tells_its_best() {
    let body = "for (int i = 0; i < 20; i++) near(0, in[0] + 20 - i);";
    let (batch, best) = run_all(body, 1, &[5], &limits());
    assert_eq!(batch.improvements.len(), 1);
    assert_eq!((batch.improvements[0].distance, best[0]), (6, 6));
}

#[test]
fn a_full_log_keeps_the_nearest() {
    let points: Vec<u64> = (0..20_000).rev().collect();
    let body = "near(0, in[0]); near(1, in[0] / 2); if (in[0] < 9) near(2, in[0]);";
    let (batch, best) = run_all(body, 3, &points, &limits());
    assert_eq!(best, [0, 0, 0]);
    for goal in 0..3 {
        let told: Vec<_> = batch.improvements.iter().filter(|i| i.goal == goal).collect();
        assert!(told.is_sorted_by(|one, next| one.distance > next.distance));
        let last = told.last().unwrap();
        assert_eq!(last.distance, 0);
        assert_eq!(points[last.index], last.point[0]);
    }
}

#[test]
fn two_batches_are_run_in_turn_across_deaths() {
    let body = "near(0, in[0]); if (in[0] == 13) __builtin_trap();";
    let subject = instrumented(1, 1, body);
    let mut worker = Worker::with_observer(&subject, Arc::new(Direct), &limits(), 4).unwrap();
    let begin = |worker: &mut Worker, points: &[u64; 4]| {
        worker.points_mut().copy_from_slice(points);
        worker.begin(4, &[u64::MAX]).unwrap();
    };
    let mut nearest = Vec::new();
    begin(&mut worker, &[40, 13, 30, 13]);
    for points in [[13, 25, 13, 24], [9, 8, 7, 13], [6, 5, 4, 3]] {
        begin(&mut worker, &points);
        assert_eq!(worker.begun(), 2);
        let batch = worker.finish(&Budget::unlimited()).unwrap();
        let deaths: Vec<usize> = batch.casualties.iter().map(|casualty| casualty.index).collect();
        nearest.push((batch.evaluations, deaths, batch.improvements.last().unwrap().distance));
    }
    let last = worker.finish(&Budget::unlimited()).unwrap();
    assert_eq!((worker.begun(), last.improvements.last().unwrap().distance), (0, 3));
    assert_eq!(nearest, [(4, vec![1, 3], 13), (4, vec![0, 2], 13), (4, vec![3], 7)]);
    assert_eq!(worker.restarts(), 5);
}

#[test]
fn closed_goals_are_not_asked() {
    let subject = instrumented(2, 1, "near(0, in[0]); near(1, in[0]);");
    let mut worker = Worker::with_observer(&subject, Arc::new(Direct), &limits(), 8).unwrap();
    let batch = worker.run(&[3, 2, 1], &mut [0, 2]).unwrap();
    assert_eq!(batch.improvements.len(), 1);
    assert_eq!((batch.improvements[0].goal, batch.improvements[0].index), (1, 2));
    // Reopened, it is asked again.
    let batch = worker.run(&[7], &mut [u64::MAX, 0]).unwrap();
    assert_eq!((batch.improvements[0].goal, batch.improvements[0].distance), (0, 7));
}

#[test]
fn crashes_cost_one_point() {
    let points = [10, 20, 30, 40, 55];
    let at_20 = |code: &str| format!("if (in[0] == 20) {{ {code} }}");
    check(&at_20("*(volatile int *)8 = 1;"), &points, &[(1, Death::Signal(libc::SIGSEGV))]);
    check(&at_20("exit(3);"), &points, &[(1, Death::Exited(3))]);
    check(
        &at_20("for (;;) *(volatile char *)malloc(1 << 20) = 1;"),
        &points,
        &[(1, Death::OutOfMemory)],
    );
    check(&at_20("volatile int go = 1; while (go) ;"), &points, &[(1, Death::TimedOut)]);
    check(
        "if (in[0] > 15) *(volatile int *)8 = 1;",
        &points,
        &[1, 2, 3, 4].map(|at| (at, Death::Signal(libc::SIGSEGV))),
    );
}

#[test]
fn endless_recursion_costs_one_point() {
    let body = "volatile char frame[256]; frame[in[0] % 256] = 1; \
                if (in[0] == 20) nanoscope_run(in, out); counter += frame[3];";
    check(body, &[10, 20, 30], &[(1, Death::Signal(libc::SIGSEGV))]);
}

#[test]
fn many_deaths_end_a_batch() {
    let subject = instrumented(1, 1, "if (in[0] != 1) *(volatile int *)8 = 1; near(0, 5);");
    let mut worker = Worker::with_observer(&subject, Arc::new(Direct), &limits(), 32).unwrap();
    worker.points_mut().fill(0);
    worker.begin_with(32, &[u64::MAX], 1000, 400_000).unwrap();
    let batch = worker.finish(&Budget::unlimited()).unwrap();
    assert_eq!((batch.casualties.len(), batch.evaluations), (4, 4));
    // The next batch has a new process, whether it was begun before or not.
    worker.points_mut().fill(0);
    worker.begin_with(32, &[u64::MAX], 1000, 400_000).unwrap();
    worker.points_mut().fill(1);
    worker.begin_with(32, &[u64::MAX], 1000, 400_000).unwrap();
    assert_eq!(worker.finish(&Budget::unlimited()).unwrap().evaluations, 4);
    let batch = worker.finish(&Budget::unlimited()).unwrap();
    assert_eq!((batch.casualties.len(), batch.evaluations), (0, 32));
    assert_eq!(batch.improvements.len(), 1);
}

#[test]
fn fuel_ends_a_run_but_not_the_process() {
    let body = "if (in[0] == 20) for (;;) if (--nanoscope_fuel < 0) nanoscope_stop(); \
                near(0, apart(in[0], 50));";
    let (batch, best) = run_all(body, 1, &[20, 20, 40, 20], &limits());
    assert_eq!((batch.stopped, batch.casualties.len(), best[0]), (3, 0, 10));
}

#[test]
fn globals_and_modes_do_not_reach_the_next_point() {
    let body = "near(0, 100 + counter + 10 * fegetround()); counter++; \
                if (in[0] == 1) { fesetround(FE_UPWARD); if (in[0] == 1) nanoscope_stop(); } \
                fesetround(FE_DOWNWARD);";
    let (batch, best) = run_all(body, 1, &[0, 1, 0, 1, 0], &limits());
    assert_eq!((best[0], batch.improvements.len()), (100, 1));
}

#[test]
fn forbidden_things_fail() {
    let outside = TempDir::new().unwrap();
    let scratch = TempDir::new().unwrap();
    let limits = Limits { scratch: Some(scratch.path().to_owned()), ..limits() };
    // Distance 0 tells that it went through.
    let try_it = |code: &str| {
        let (batch, best) = run_all(&format!("near(0, !({code}));"), 1, &[1], &limits);
        assert_eq!(batch.casualties, []);
        best[0] == 0
    };
    let (outside, scratch) = (outside.path().display(), scratch.path().display());
    assert!(try_it("1"));
    assert!(!try_it(&format!("open(\"{outside}/x\", O_CREAT | O_WRONLY, 0600) >= 0")));
    assert!(!try_it(&format!("mkdir(\"{outside}/d\", 0700) == 0")));
    assert!(!try_it("fork() >= 0"));
    assert!(!try_it("system(\"true\") == 0"));
    assert!(!try_it("socket(AF_INET, SOCK_STREAM, 0) >= 0"));
    assert!(!try_it("socket(AF_UNIX, SOCK_STREAM, 0) >= 0"));
    assert!(!try_it("kill(getppid(), 0) == 0"));
    assert!(try_it("open(\"/etc/passwd\", O_RDONLY) >= 0"));
    assert!(try_it("printf(\"hello\\n\") > 0 && fflush(stdout) == 0"));
    let landlock = {
        let subject = instrumented(0, 1, "");
        let worker = Worker::start(&subject, &limits, 1).unwrap();
        assert!(worker.sandbox().seccomp);
        worker.sandbox().landlock
    };
    assert_eq!(try_it(&format!("open(\"{scratch}/x\", O_CREAT | O_WRONLY, 0600) >= 0")), landlock);
}

#[test]
fn a_missing_library_is_the_users_fault() {
    let mut subject = instrumented(0, 1, "");
    subject.library = "/nowhere/none.so".into();
    let fault = Worker::start(&subject, &limits(), 1).err().unwrap();
    assert!(fault.to_string().contains("none.so"), "{fault}");
}

#[test]
fn aborted_runs_cost_no_process() {
    let aborts = "if (in[0] % 2) abort(); near(0, in[0]);";
    let divides = "volatile int one = 1 - in[0] % 2; volatile int q = 7 / one; near(0, in[0]);";
    for body in [aborts, divides] {
        let subject = instrumented(1, 1, body);
        let mut worker =
            Worker::with_observer(&subject, Arc::new(Direct), &limits(), 1000).unwrap();
        let points: Vec<u64> = (0..1000).rev().collect();
        let batch = worker.run(&points, &mut [u64::MAX]).unwrap();
        assert_eq!((batch.aborted, batch.stopped, batch.casualties.len()), (500, 0, 0), "{body}");
        assert_eq!(batch.improvements.last().map(|i| i.distance), Some(0), "{body}");
        assert_eq!(worker.restarts(), 0, "{body}");
    }
}

#[test]
fn a_budget_breaks_a_batch_off() {
    let body = "near(0, in[0]); volatile int go = in[0] == 2; while (go) ;";
    let subject = instrumented(1, 1, body);
    let limits = Limits { stall: Duration::from_secs(20), ..limits() };
    let mut worker = Worker::with_observer(&subject, Arc::new(Direct), &limits, 4).unwrap();
    worker.points_mut().copy_from_slice(&[5, 2, 1, 0]);
    worker.begin(4, &[u64::MAX]).unwrap();
    let start = Instant::now();
    let batch = worker.finish(&Budget::lasting(Duration::from_millis(50))).unwrap();
    // Wide: it must end, and the machine may be busy.
    assert!(start.elapsed() < Duration::from_secs(30));
    assert_eq!((batch.evaluations, batch.casualties.len()), (2, 0));
    assert_eq!(batch.improvements.len(), 2);
    let batch = worker.run(&[1], &mut [9]).unwrap();
    assert_eq!(batch.improvements[0].distance, 1);
}
