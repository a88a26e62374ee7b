//! Ariadne's hybrid: a solver of real arithmetic is asked, too. Whatever it does, the answer is
//! true and comes in time.

use nanoscope_budget::Budget;
use nanoscope_solver::{Choice, Options, Reason, Solver, Statistics, Verdict};
use nanoscope_term::smtlib::read;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(3);
/// For a busy machine.
const SLACK: Duration = Duration::from_secs(12);

/// What a program and the loop say of doubles x and y.
fn ask(program: &str, assertions: &str) -> (Verdict, Statistics) {
    ask_with(program, None, assertions)
}

/// What a program says by itself, without any concretisation.
fn ask_alone(program: &str, assertions: &str) -> (Verdict, Statistics) {
    ask_with(program, Some(0), assertions)
}

fn ask_with(
    program: &str,
    concretizations: Option<u32>,
    assertions: &str,
) -> (Verdict, Statistics) {
    let script =
        format!("(declare-const x Float64)(declare-const y Float64) (assert (and {assertions}))");
    let mut problem = read(&script).unwrap_or_else(|mistake| panic!("{mistake}\n{script}"));
    let engines = vec![Choice::Ariadne(Some(program.to_string()))];
    let mut solver = Solver::new(Options { engines, concretizations, ..Options::default() });
    let began = Instant::now();
    let (terms, all) = (&mut problem.terms, &problem.assertions);
    let verdict = solver.decide(terms, all, None, &Budget::lasting(LIMIT));
    assert!(began.elapsed() < LIMIT + SLACK, "{program} took {:?}", began.elapsed());
    let verdict = verdict.unwrap_or_else(|defect| panic!("{defect}"));
    (verdict, solver.statistics().clone())
}

fn fake(name: &str) -> String {
    format!("{}/tests/fakes/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// `x² < 2 < x³`, which the loop solves by itself.
fn easy() -> String {
    let two = "((_ to_fp 11 53) RNE 2.0)";
    let square = "(fp.mul RNE x x)";
    format!("(fp.lt {square} {two}) (fp.lt {two} (fp.mul RNE {square} x))")
}

/// Floats that do not behave as reals do: `x + 1 = x` where x is positive.
fn absorbed() -> String {
    let one = "((_ to_fp 11 53) RNE 1.0)";
    format!("(fp.eq (fp.add RNE x {one}) x) (fp.gt x {one}) (not (fp.isInfinite x))")
}

#[test]
fn broken_solvers_do_no_harm() {
    for name in ["hanging", "confused", "babbling", "dying", "mistaken", "not-installed"] {
        let (verdict, statistics) = ask(&fake(name), &easy());
        assert!(matches!(verdict, Verdict::Sat(_)), "{name}: {verdict:?}");
        assert_eq!(statistics.decided.get("ariadne"), Some(&1), "{name}: {statistics:?}");
        let (verdict, _) = ask_alone(&fake(name), &easy());
        assert!(matches!(verdict, Verdict::Unknown(_)), "{name}: {verdict:?}");
    }
}

#[test]
fn reals_refute_nothing() {
    let (verdict, statistics) = ask(&fake("refuting"), &absorbed());
    assert_eq!(verdict, Verdict::Unknown(Reason::Reals));
    assert_eq!(statistics.over_reals.get("nlsat"), Some(&1), "{statistics:?}");
    assert!(statistics.decided.is_empty(), "{statistics:?}");
}

/// Whether z3 is installed; says so if it is not.
fn z3() -> bool {
    let mut command = Command::new("z3");
    let installed = command.arg("--version").stdout(Stdio::null()).status().is_ok();
    if !installed {
        skipped("models over the reals", "z3 is not installed");
    }
    installed
}

#[test]
fn z3_finds_what_it_can() {
    if !z3() {
        return;
    }
    let number = |text: &str| format!("((_ to_fp 11 53) RNE {text})");
    let product = |a: &str, b: &str| format!("(fp.mul RNE {a} {b})");
    let found = |assertions: &str| {
        let (verdict, statistics) = ask_alone("z3", assertions);
        assert!(matches!(verdict, Verdict::Sat(_)), "{verdict:?}: {assertions}");
        assert_eq!(statistics.decided.get("nlsat"), Some(&1), "{statistics:?}: {assertions}");
    };
    // x² + y² = 25 and x y = 12.
    let squares = format!("(fp.add RNE {} {})", product("x", "x"), product("y", "y"));
    found(&format!(
        "(fp.eq {squares} {}) (fp.eq {} {})",
        number("25.0"),
        product("x", "y"),
        number("12.0")
    ));
    // Next to the root of x³ - x - 3, which is no fraction.
    let cube = product("x", &product("x", "x"));
    let cubic = format!("(fp.sub RNE (fp.sub RNE {cube} x) {})", number("3.0"));
    found(&format!("(fp.lt (fp.abs {cubic}) {})", number("0.000000000001")));
    // An overflow.
    found(&format!("(fp.isInfinite {}) (not (fp.isInfinite x))", product("x", "x")));
    // A quotient and a root.
    let quotient = format!("(fp.div RNE (fp.sqrt RNE x) (fp.sub RNE y {}))", number("1.0"));
    found(&format!("(fp.eq {quotient} {}) (fp.lt y x)", number("8.0")));
    // A square is not negative, neither of reals nor of floats; but only that of reals is said.
    let (verdict, statistics) =
        ask("z3", &format!("(fp.lt {} {})", product("x", "x"), number("0.0")));
    assert_eq!(verdict, Verdict::Unknown(Reason::Reals));
    assert_eq!(statistics.over_reals.get("nlsat"), Some(&1), "{statistics:?}");
    let (verdict, _) = ask("z3", &absorbed());
    assert!(!matches!(verdict, Verdict::Unsat), "floats absorb");
}

/// Says that something was not tested. Written past the harness, which keeps what a passing test
/// prints to itself; `scripts/test.sh` counts these lines.
fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}: {why}");
}

/// Integers are unknowns as floats are: roots of polynomials in them, in two's complement or
/// without a sign, and on the way from and to floats.
#[test]
fn integers_are_solved_for() {
    let root = "(= (bvmul ((_ sign_extend 32) n) ((_ sign_extend 32) n)) (_ bv1522756 64))";
    let double = "((_ to_fp 11 53) RNE n)";
    let unsigned = "((_ to_fp_unsigned 11 53) RNE n)";
    for (name, assertions) in [
        ("negative root", format!("{root} (bvslt n (_ bv0 32))")),
        ("range check", format!("{root} (bvult (bvsub n (_ bv1000 32)) (_ bv500 32))")),
        (
            "converted",
            format!("(fp.eq (fp.mul RNE {double} {double}) ((_ to_fp 11 53) RNE 1522756.0))"),
        ),
        (
            "without a sign",
            format!(
                "(fp.gt {unsigned} ((_ to_fp 11 53) RNE 4000000000.0))
                 (fp.lt {unsigned} ((_ to_fp 11 53) RNE 4000000003.0))"
            ),
        ),
        ("shifted", "(= (bvshl ((_ zero_extend 8) n) (_ bv3 40)) (_ bv98765432 40))".to_owned()),
        (
            "rounded",
            "(fp.eq (fp.roundToIntegral RTZ (fp.mul RNE x x)) ((_ to_fp 11 53) RNE 1522756.0))
             (fp.lt (fp.roundToIntegral RTZ x) ((_ to_fp 11 53) RNE n)) (bvsle n (_ bv5000 32))
             (fp.isPositive x)"
                .to_owned(),
        ),
    ] {
        let script = format!(
            "(declare-const x Float64)(declare-const n (_ BitVec 32))(assert (and {assertions} true))"
        );
        let mut problem = read(&script).unwrap_or_else(|mistake| panic!("{mistake}\n{script}"));
        let options = Options {
            engines: vec![Choice::Ariadne(None)],
            concretizations: Some(50),
            ..Options::default()
        };
        let mut solver = Solver::new(options);
        let verdict = solver
            .decide(&mut problem.terms, &problem.assertions, None, &Budget::lasting(SLACK))
            .unwrap_or_else(|defect| panic!("{defect}"));
        assert!(matches!(verdict, Verdict::Sat(_)), "{name}: {verdict:?}");
    }
}
