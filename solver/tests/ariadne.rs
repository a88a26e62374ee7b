//! Ariadne's loop alone: models where reals lead to them, and never a
//! refutation.

mod random_query;

use nanoscope_budget::Budget;
use nanoscope_solver::{Choice, Options, Reason, Solver, Verdict};
use nanoscope_term::smtlib::read;
use random_query::{Planted, Shape};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Doubles x, y and z, and these assertions; whether a model is found. That
/// it is one, the chain has checked.
fn check(assertions: &str, found: bool) {
    let script = format!(
        "(declare-const x Float64)(declare-const y Float64)(declare-const z Float64)
         (declare-const p Bool) {assertions}"
    );
    let mut problem = read(&script).unwrap_or_else(|mistake| panic!("{mistake}\n{script}"));
    let options = Options { engines: vec![Choice::Ariadne(None)], ..Options::default() };
    let budget = Budget::lasting(Duration::from_secs(20));
    let verdict =
        Solver::new(options).decide(&mut problem.terms, &problem.assertions, None, &budget);
    match verdict.unwrap_or_else(|defect| panic!("{defect}")) {
        Verdict::Sat(_) => assert!(found, "a model of {assertions}"),
        Verdict::Unsat => panic!("refuted {assertions}"),
        Verdict::Unknown(why @ (Reason::Incomplete(_) | Reason::Reals)) => {
            assert!(!found, "{why}: {assertions}");
        }
        Verdict::Unknown(reason) => panic!("{reason}: {assertions}"),
    }
}

/// A decimal constant.
fn number(text: &str) -> String {
    format!("((_ to_fp 11 53) RNE {text})")
}

/// `x² + b x + c`, evaluated from left to right.
fn quadratic(b: &str, c: &str) -> String {
    let (b, c) = (number(b), number(c));
    format!("(fp.add RNE (fp.add RNE (fp.mul RNE x x) (fp.mul RNE {b} x)) {c})")
}

#[test]
fn one_unknown() {
    let zero = number("0.0");
    check(&format!("(assert (fp.lt {} {zero}))", quadratic("(- 3.0)", "2.0")), true);
    check(&format!("(assert (fp.eq {} {zero}))", quadratic("(- 3.0)", "2.0")), true);
    // The roots of x² - 1000000 x + 1 are far apart; between 0 and 1 is one.
    let apart = quadratic("(- 1000000.0)", "1.0");
    check(&format!("(assert (and (fp.lt {apart} {zero}) (fp.lt x {})))", number("0.001")), true);
    // x³ - 7x + 6 < 0 between its roots 1 and 2.
    let cubic = format!(
        "(fp.add RNE (fp.sub RNE (fp.mul RNE x (fp.mul RNE x x)) (fp.mul RNE {} x)) {})",
        number("7.0"),
        number("6.0")
    );
    check(&format!("(assert (and (fp.lt {cubic} {zero}) (fp.gt x {zero})))"), true);
    // A perfect square.
    check(&format!("(assert (fp.eq (fp.mul RNE x x) {}))", number("2.25")), true);
}

#[test]
fn quotients_and_roots() {
    let (one, two) = (number("1.0"), number("2.0"));
    // (x - 1) / (x - 2) < 0
    let quotient = format!("(fp.div RNE (fp.sub RNE x {one}) (fp.sub RNE x {two}))");
    check(&format!("(assert (fp.lt {quotient} {}))", number("0.0")), true);
    // 1.5 < sqrt(x + 1) < 1.75
    let root = format!("(fp.sqrt RNE (fp.add RNE x {one}))");
    check(
        &format!(
            "(assert (and (fp.lt {} {root}) (fp.lt {root} {})))",
            number("1.5"),
            number("1.75")
        ),
        true,
    );
    check(&format!("(assert (fp.isNaN {root}))"), true);
}

#[test]
fn overflow() {
    check("(assert (and (fp.isInfinite (fp.mul RNE x x)) (not (fp.isInfinite x))))", true);
    let finite = "(not (fp.isInfinite x)) (not (fp.isInfinite y))";
    check(
        &format!(
            "(assert (and (fp.isInfinite (fp.mul RNE x y)) {finite} (fp.lt x {}) (fp.gt y x)))",
            number("10.0")
        ),
        true,
    );
    check("(assert (and (fp.isSubnormal (fp.mul RNE x x)) (fp.isNormal x)))", true);
}

#[test]
fn several_unknowns() {
    // A point between two circles, above the diagonal.
    let circle = "(fp.add RNE (fp.mul RNE x x) (fp.mul RNE y y))";
    check(
        &format!(
            "(assert (and (fp.lt {} {circle}) (fp.lt {circle} {}) (fp.gt y x)))",
            number("24.5"),
            number("25.5")
        ),
        true,
    );
    // x y = z, away from zero.
    check(
        &format!(
            "(assert (and (fp.eq (fp.mul RNE x y) z) (fp.gt x {}) (fp.gt z {})))",
            number("3.0"),
            number("100.0")
        ),
        true,
    );
    // With a function in between, and a choice.
    check(
        &format!(
            "(assert (and (fp.gt (fp.add RNE (libm.exp x) y) {}) (fp.lt (fp.abs y) {})
                          (or p (fp.lt z (ite p x y))) (not (and p (fp.lt x y)))))",
            number("10.0"),
            number("1.0")
        ),
        true,
    );
}

/// What libm computes is solved for its argument by trying.
#[test]
fn functions_of_libm() {
    let decay = "(libm.exp (fp.neg x))";
    let scale = format!("(fp.sqrt RNE (fp.div RNE {} x))", number("1.5707963267948966"));
    let product = format!("(fp.mul RNE {scale} {decay})");
    let normal = |term: &str| format!("(fp.isNormal {term})");
    // Both factors are normal numbers between 705 and 708 only.
    check(
        &format!("(assert (and (fp.isSubnormal {product}) {} {}))", normal(&scale), normal(decay)),
        true,
    );
    // Another unknown, in which the product is rational.
    let cubic = format!("(fp.mul RNE {product} (fp.add RNE {} (fp.mul RNE y y)))", number("1.0"));
    check(&format!("(assert (and (fp.isSubnormal {cubic}) (fp.gt y {})))", number("3.0")), true);
    check(
        &format!(
            "(assert (and (fp.lt {} (libm.log x)) (fp.lt (libm.log x) {})))",
            number("699.5"),
            number("699.75")
        ),
        true,
    );
}

#[test]
fn conditions() {
    // From 0 to 2 it is negative and from 2 on at least 4.
    let (zero, two, three) = (number("0.0"), number("2.0"), number("3.0"));
    let side = format!("(ite (fp.lt x {two}) (fp.neg x) (fp.mul RNE x x))");
    check(
        &format!("(assert (and (fp.gt {side} {zero}) (fp.lt {side} {three}) (fp.gt x {zero})))"),
        false,
    );
    check(&format!("(assert (and (fp.gt {side} {zero}) (fp.lt {side} {three})))"), true);
    let distance = format!("(fp.abs (fp.sub RNE x {}))", number("5.0"));
    check(
        &format!(
            "(assert (and (fp.lt {distance} {}) (fp.lt (fp.min x y) {zero})))",
            number("0.25")
        ),
        true,
    );
}

#[test]
fn formats() {
    // Long ones are bound only, and no number of theirs fills the memory.
    for (exponent, precision) in [(2, 3), (5, 11), (8, 24), (15, 64), (15, 113), (30, 90)] {
        let sort = format!("(_ FloatingPoint {exponent} {precision})");
        check(
            &format!(
                "(declare-const u {sort})(declare-const v {sort})
                 (assert (fp.leq u v)) (assert (not (fp.isNaN (fp.mul RNE u u))))
                 (assert (fp.leq ((_ to_fp 11 53) RNE u) x))"
            ),
            true,
        );
    }
}

#[test]
fn no_refutation() {
    // x² + x/2 + 1 < 0 has no solution in reals, nor in floats.
    let zero = number("0.0");
    check(&format!("(assert (fp.lt {} {zero}))", quadratic("0.5", "1.0")), false);
    // Nor have these: all literals hold of reals, in no float.
    check(&format!("(assert (fp.eq (fp.mul RNE x x) {}))", number("2.0")), false);
    check(&format!("(assert (fp.lt (fp.sqrt RNE x) {}))", number("(- 1.0)")), false);
}

#[test]
fn planted_models() {
    let mut found = 0;
    for seed in 0..40 {
        for shape in [Shape::Tiny, Shape::Single, Shape::Double, Shape::Mixed] {
            let Planted { mut terms, assertions, .. } = Planted::new(shape, seed);
            let engines = vec![Choice::Propagate, Choice::Ariadne(None)];
            let mut solver = Solver::new(Options { engines, ..Options::default() });
            let budget = Budget::lasting(Duration::from_millis(40));
            match solver.decide(&mut terms, &assertions, None, &budget) {
                Ok(Verdict::Sat(_)) => found += 1,
                Ok(Verdict::Unknown(_)) => {}
                Ok(Verdict::Unsat) => panic!("refuted {shape:?} {seed}"),
                Err(defect) => panic!("{shape:?} {seed}: {defect}"),
            }
        }
    }
    assert!(found >= 100, "{found} of 160 found");
}

#[test]
fn ends_in_time() {
    // Many literals, each a long sum and product of the variables.
    let mut script = String::from("(declare-const x0 Float64)(declare-const x1 Float64)\n");
    for index in 2..3000 {
        let (a, b) = (index - 1, index - 2);
        let operation = if index % 7 == 0 { "fp.mul" } else { "fp.add" };
        writeln!(script, "(define-fun x{index} () Float64 ({operation} RNE x{a} x{b}))").unwrap();
        if index % 3 == 0 {
            writeln!(script, "(assert (not (fp.eq x{index} (fp.sqrt RNE x{a}))))").unwrap();
        }
    }
    script.push_str("(assert (and (fp.lt x0 x1) (fp.lt x2999 x1) (fp.gt x2999 x0)))");
    let mut problem = read(&script).expect("a script");
    let options = Options { engines: vec![Choice::Ariadne(None)], ..Options::default() };
    let limit = Duration::from_millis(100);
    let start = Instant::now();
    let mut solver = Solver::new(options);
    let verdict =
        solver.decide(&mut problem.terms, &problem.assertions, None, &Budget::lasting(limit));
    let took = start.elapsed();
    assert!(took < limit + Duration::from_millis(400), "{took:?}");
    assert_ne!(verdict, Ok(Verdict::Unsat));
}
