//! The chain against what is known beforehand: queries with a planted model
//! must not be refuted, by any engine; what z3 says must not be contradicted.

mod random_query;

use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Libm, Operation};
use nanoscope_solver::{Choice, Options, Solver, Verdict};
use nanoscope_term::smtlib::{read, script_text};
use nanoscope_term::{Sort, Terms};
use random_query::{Planted, Shape};
use std::io::Write;
use std::time::Duration;

const SHAPES: [Shape; 4] = [Shape::Tiny, Shape::Single, Shape::Double, Shape::Mixed];

/// Every engine on queries that have a model.
fn check_planted(engines: &[Choice], seeds: std::ops::Range<u64>, limit: Duration) -> [u64; 2] {
    let mut counts = [0, 0];
    for seed in seeds {
        for shape in SHAPES {
            let Planted { mut terms, assertions, .. } = Planted::new(shape, seed);
            let mut solver =
                Solver::new(Options { engines: engines.to_vec(), ..Options::default() });
            let budget = Budget::lasting(limit);
            let verdict = solver.decide(&mut terms, &assertions, None, &budget);
            match verdict {
                Ok(Verdict::Sat(_)) => counts[0] += 1,
                Ok(Verdict::Unknown(_)) => counts[1] += 1,
                Ok(Verdict::Unsat) => panic!(
                    "{engines:?} refuted {shape:?} {seed}, which has a model:\n{}",
                    script_text(&terms, &assertions)
                ),
                Err(defect) => panic!("{shape:?} {seed}: {defect}"),
            }
        }
    }
    counts
}

#[test]
fn no_engine_refutes_a_planted_model() {
    let limit = Duration::from_millis(40);
    for choice in [Choice::Propagate, Choice::Reals, Choice::Prune, Choice::Blast] {
        check_planted(std::slice::from_ref(&choice), 0..30, limit);
        // With what propagation found out before.
        check_planted(&[Choice::Propagate, choice], 30..60, limit);
    }
}

#[test]
fn the_chain_finds_planted_models() {
    let [found, open] = check_planted(&[], 100..130, Duration::from_secs(2));
    assert!(open * 10 <= found, "{found} found, {open} open");
}

#[test]
fn no_engine_contradicts_another() {
    for seed in 0..40 {
        for shape in [Shape::Tiny, Shape::Single] {
            let Planted { mut terms, assertions, .. } = Planted::unplanted(shape, seed);
            let mut verdicts = Vec::new();
            for choice in [Choice::Propagate, Choice::Reals, Choice::Prune, Choice::Blast] {
                let mut solver =
                    Solver::new(Options { engines: vec![choice.clone()], ..Options::default() });
                let budget = Budget::lasting(Duration::from_millis(100));
                let verdict = solver.decide(&mut terms, &assertions, None, &budget);
                match verdict.unwrap_or_else(|defect| panic!("{defect}")) {
                    Verdict::Sat(_) => verdicts.push((choice, true)),
                    Verdict::Unsat => verdicts.push((choice, false)),
                    Verdict::Unknown(_) => {}
                }
            }
            assert!(
                verdicts.windows(2).all(|pair| pair[0].1 == pair[1].1),
                "{verdicts:?} on {shape:?} {seed}:\n{}",
                script_text(&terms, &assertions)
            );
        }
    }
}

#[test]
fn z3_agrees_where_it_is() {
    let installed = std::process::Command::new("z3").arg("--version").output().is_ok();
    if !installed {
        skipped("agreement with z3", "z3 is not installed");
    }
    let mut compared = 0;
    for seed in 0..if installed { 40 } else { 0 } {
        let Planted { mut terms, assertions, .. } = Planted::unplanted(Shape::Tiny, seed);
        let mut verdicts = Vec::new();
        for engines in [Vec::new(), vec![Choice::External("z3".to_string())]] {
            let mut solver = Solver::new(Options { engines, ..Options::default() });
            let budget = Budget::lasting(Duration::from_secs(2));
            let verdict = solver.decide(&mut terms, &assertions, None, &budget);
            match verdict.unwrap_or_else(|defect| panic!("{defect}")) {
                Verdict::Sat(_) => verdicts.push(true),
                Verdict::Unsat => verdicts.push(false),
                Verdict::Unknown(_) => {}
            }
        }
        if let [ours, theirs] = verdicts[..] {
            compared += 1;
            let text = script_text(&terms, &assertions);
            assert_eq!(ours, theirs, "sat or not, seed {seed}:\n{text}");
        }
    }
    assert!(!installed || compared >= 20, "{compared} compared");
}

/// A query that pins an argument and the result that the machine's libm gives has a model.
#[test]
fn no_engine_refutes_what_libm_returns() {
    let points = [0.1, 0.7, 1.0, 1.9, 3.3, 8.1, 27.5, -0.4, -0.9, -6.5, 0.0, 1e-310, 1e10];
    for &function in Libm::ALL {
        for (i, x) in points.into_iter().enumerate() {
            let y = points[(i * 5 + 2) % points.len()];
            let mut terms = Terms::new();
            let pairs = [(terms.f64(x), terms.f64(y)), (terms.f32(x as f32), terms.f32(y as f32))];
            let results = [
                terms.f64(function.of_doubles(x, y)),
                terms.f32(function.of_singles(x as f32, y as f32)),
            ];
            for ((x, y), result) in pairs.into_iter().zip(results) {
                let mut assertions = Vec::new();
                let mut arguments = Vec::new();
                for (name, at) in [("x", x), ("y", y)].into_iter().take(function.arity()) {
                    let variable = terms.variable(name, terms.sort(at));
                    // In a way that no rewriting sees through: neither is greater.
                    assertions.push(terms.fp(Operation::LessEqual, &[variable, at]));
                    assertions.push(terms.fp(Operation::GreaterEqual, &[variable, at]));
                    arguments.push(variable);
                }
                let applied = terms.libm(function, &arguments);
                assertions.push(terms.equal(applied, result));
                for engines in
                    [vec![], vec![Choice::Propagate], vec![Choice::Propagate, Choice::Prune]]
                {
                    let mut solver = Solver::new(Options { engines, ..Options::default() });
                    let budget = Budget::lasting(Duration::from_millis(200));
                    let verdict = solver.decide(&mut terms, &assertions, None, &budget);
                    assert!(
                        !matches!(verdict, Ok(Verdict::Unsat) | Err(_)),
                        "{verdict:?}: {}",
                        script_text(&terms, &assertions)
                    );
                }
            }
        }
    }
}

/// A query that leaves an argument a range and pins the result at a point of it has a model, also for
/// the engine that puts lines and products in the place of functions.
#[test]
fn no_range_around_a_point_is_refuted() {
    let points = [0.1, 0.7, 1.0, 1.9, 3.3, 8.1, -0.4, -0.9, -6.5];
    for &function in Libm::ALL {
        for (i, x) in points.into_iter().enumerate() {
            let exponent = [2.0, 3.0, -2.0, -3.0, 0.5, 1.0, 7.0, 0.0][i % 8];
            let result = function.of_doubles(x, exponent);
            if result.is_nan() {
                continue;
            }
            let mut terms = Terms::new();
            let variable = terms.variable("x", Sort::Float(Format::BINARY64));
            let mut assertions = Vec::new();
            for (operation, end) in
                [(Operation::GreaterEqual, x - 0.3), (Operation::LessEqual, x + 0.2)]
            {
                let end = terms.f64(end);
                assertions.push(terms.fp(operation, &[variable, end]));
            }
            let exponent = terms.f64(exponent);
            let arguments = [variable, exponent];
            let applied = terms.libm(function, &arguments[..function.arity()]);
            let result = terms.f64(result);
            assertions.push(terms.fp(Operation::LessEqual, &[applied, result]));
            assertions.push(terms.fp(Operation::GreaterEqual, &[applied, result]));
            for engine in [Choice::Propagate, Choice::Reals] {
                let mut solver =
                    Solver::new(Options { engines: vec![engine], ..Options::default() });
                let budget = Budget::lasting(Duration::from_millis(60));
                let verdict = solver.decide(&mut terms, &assertions, None, &budget);
                assert!(
                    !matches!(verdict, Ok(Verdict::Unsat) | Err(_)),
                    "{verdict:?}: {}",
                    script_text(&terms, &assertions)
                );
            }
        }
    }
}

#[test]
fn conditions_with_libm_are_refuted() {
    for (condition, range) in [
        ("(fp.lt (libm.pow x two) zero)", 1e300),
        ("(fp.lt (fp.mul RNE (libm.pow x two) (libm.pow x two)) zero)", 1e300),
        (
            "(fp.lt (fp.add RNE (libm.pow x ((_ to_fp 11 53) RNE 3)) ((_ to_fp 11 53) RNE 9)) zero)",
            2.0,
        ),
        (
            "(fp.gt (fp.abs (fp.sub RNE (libm.pow x two) (fp.mul RNE x x))) ((_ to_fp 11 53) RNE 0.001))",
            100.0,
        ),
        ("(fp.gt (fp.sub RNE (libm.sin x) x) ((_ to_fp 11 53) RNE 0.25))", 1.0),
        ("(fp.lt (fp.sub RNE (libm.exp x) x) ((_ to_fp 11 53) RNE 0.9))", 3.0),
    ] {
        let script = format!(
            "(define-const two Float64 ((_ to_fp 11 53) RNE 2))(define-const zero Float64 (_ +zero 11 53))
             (declare-const x Float64)(assert (fp.leq (fp.abs x) ((_ to_fp 11 53) RNE {range:?})))
             (assert {condition})(check-sat)"
        );
        let script = script.replace("1e300", &format!("1{}.0", "0".repeat(300)));
        let mut problem = read(&script).expect("a script");
        let mut solver = Solver::new(Options::default());
        let budget = Budget::lasting(Duration::from_secs(30));
        let verdict = solver.decide(&mut problem.terms, &problem.assertions, None, &budget);
        assert_eq!(verdict, Ok(Verdict::Unsat), "{condition}");
    }
}

/// Newton's and Householder's iterations over an interval come as near as they should.
#[test]
fn iterations_converge() {
    let number = |text: &str| format!("((_ to_fp 11 53) RNE {text})");
    let (half, one, two) = (number("0.5"), number("1"), number("2"));
    let inverse = format!("(fp.mul RNE X (fp.sub RNE {two} (fp.mul RNE a X)))");
    let root = format!("(fp.mul RNE {half} (fp.add RNE X (fp.div RNE a X)))");
    let residual = format!("(fp.sub RNE {one} (fp.mul RNE a (fp.mul RNE X X)))");
    let inverse_root = format!(
        "(let ((h {residual})) (fp.add RNE X (fp.mul RNE X (fp.mul RNE h (fp.add RNE {half} \
         (fp.mul RNE h {}))))))",
        number("0.375")
    );
    let start = format!("(fp.sub RNE {} (fp.mul RNE {half} a))", number("1.457"));
    for (start, step, steps, residual, bound) in [
        (start, inverse, 3, format!("(fp.sub RNE (fp.mul RNE a X) {one})"), "0.000001"),
        (one.clone(), root, 4, "(fp.sub RNE (fp.mul RNE X X) a)".to_string(), "0.000001"),
        (number("0.8"), inverse_root, 2, residual, "0.001"),
    ] {
        let mut script = format!(
            "(declare-const a Float64)(assert (fp.leq {one} a {two}))(define-const x0 Float64 {start})"
        );
        for at in 0..steps {
            let step = step.replace('X', &format!("x{at}"));
            script += &format!("(define-const x{} Float64 {step})", at + 1);
        }
        let residual = residual.replace('X', &format!("x{steps}"));
        script += &format!("(assert (fp.gt (fp.abs {residual}) {}))(check-sat)", number(bound));
        let mut problem = read(&script).expect("a script");
        let mut solver = Solver::new(Options::default());
        let budget = Budget::lasting(Duration::from_secs(30));
        let verdict = solver.decide(&mut problem.terms, &problem.assertions, None, &budget);
        assert_eq!(verdict, Ok(Verdict::Unsat), "{script}");
    }
}

/// Says that something was not tested. Written past the harness, which keeps what a passing test
/// prints to itself; `scripts/test.sh` counts these lines.
fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}: {why}");
}
