//! Random scripts over every operation of the door, asked in many ways: by the
//! chain at once and step by step, by every engine alone, by other solvers
//! where they are installed. None may contradict another, and none may refute a
//! script whose model is known. `bench/differential` asks many more.

mod opinion;
mod random_script;

use opinion::{Opinion, ask, ask_program, engines_alone, inconsistency, is_reliable, is_there};
use random_script::{Script, Size};
use std::io::Write;
use std::time::Duration;

/// Asks everyone about scripts of one size; the share of them that the chain
/// decides must be no less than `decided`.
fn check(size: Size, seeds: std::ops::Range<u64>, decided: f64, others: &[&str]) {
    let count = (seeds.end - seeds.start) as f64;
    let mut answered = 0;
    for seed in seeds {
        let planted = seed % 3 == 0;
        let script = if planted { Script::planted(size, seed) } else { Script::random(size, seed) };
        let text = script.text();
        let last = |answers: Result<Vec<Opinion>, String>| match answers {
            Ok(answers) => *answers.last().expect("an answer"),
            Err(trouble) => panic!("{size:?} {seed}: {trouble}\n{text}"),
        };
        let limit = Duration::from_millis(200);
        let at_once = last(ask(&text, &[], limit));
        answered += u32::from(at_once != Opinion::None);
        let mut opinions = vec![
            ("planted".to_string(), if planted { Opinion::Sat } else { Opinion::None }),
            ("at once".to_string(), at_once),
            ("step by step".to_string(), last(ask(&script.steps(), &[], limit / 4))),
        ];
        for engine in engines_alone() {
            let opinion = last(ask(&text, std::slice::from_ref(&engine), limit / 10));
            opinions.push((format!("{engine:?}"), opinion));
        }
        for program in others.iter().filter(|program| is_reliable(program, &text)) {
            let opinion = ask_program(program, &text, Duration::from_millis(500));
            opinions.push((program.to_string(), opinion));
        }
        if let Some(what) = inconsistency(&opinions) {
            panic!("{size:?} {seed}: {what}\n{text}");
        }
    }
    let share = f64::from(answered) / count;
    assert!(share >= decided, "{size:?}: only {share} decided");
}

#[test]
fn tiny_floats_everyone_agrees() {
    check(Size::Tiny, 0..400, 0.99, &[]);
}

#[test]
fn larger_floats_everyone_agrees() {
    check(Size::Half, 0..40, 0.8, &[]);
    check(Size::Single, 0..25, 0.7, &[]);
    check(Size::Double, 0..15, 0.6, &[]);
}

#[test]
fn exponents_may_be_wide() {
    check(Size::Wide, 0..40, 0.6, &[]);
}

#[test]
fn arrays_of_arrays_are_decided() {
    let declare =
        "(define-sort Row () (Array Bool Bool))(define-sort Table () (Array (_ BitVec 1) Row))
        (declare-const a Table)(declare-const b Table)(declare-const r Row)
        (declare-const i (_ BitVec 1))(declare-const j (_ BitVec 1))
        (declare-const p Bool)(declare-fun f (Bool) Row)";
    for (assertions, verdict) in [
        ("(distinct (select (select a i) p) (select (select a j) p)) (= i j)", Opinion::Unsat),
        ("(distinct (select (select a i) p) (select (select a j) p))", Opinion::Sat),
        ("(= a b) (distinct (select (select a i) p) (select (select b i) p))", Opinion::Unsat),
        ("(distinct (select a i) (select b i)) (= a b)", Opinion::Unsat),
        ("(not (= a b)) (= (select a #b0) (select b #b0))", Opinion::Sat),
        (
            "(not (= a b)) (= (select a #b0) (select b #b0)) (= (select a #b1) (select b #b1))",
            Opinion::Unsat,
        ),
        ("(= (select (store a i r) j) r) (not (= i j)) (not (= (select a j) r))", Opinion::Unsat),
        ("(not (= (select (store a i r) j) r)) (not (= i j))", Opinion::Sat),
        (
            "(= (store a i (store (select a i) p true)) a) (not (select (select a i) p))",
            Opinion::Unsat,
        ),
        ("(not (= (store a i (select a i)) a))", Opinion::Unsat),
        ("(= (select a i) r) (select r p) (not (select (select a i) p))", Opinion::Unsat),
        (
            "(= ((as const Table) r) a) (distinct (select (select a i) p) (select r p))",
            Opinion::Unsat,
        ),
        ("(= ((as const Table) r) a) (distinct (select a i) (select b i))", Opinion::Sat),
        ("(= (ite p a b) b) (distinct a b) p", Opinion::Unsat),
        ("(= (f p) r) (distinct (select (f p) p) (select r p))", Opinion::Unsat),
        ("(= (f p) r) (not (= (f (not p)) (select a i)))", Opinion::Sat),
    ] {
        let script = format!("{declare}(assert (and {assertions}))(check-sat)");
        let answers = ask(&script, &[], Duration::from_secs(20)).expect("an answer");
        assert_eq!(answers, [verdict], "{assertions}");
    }
}

#[test]
fn other_solvers_agree() {
    let others: Vec<&str> = ["z3", "cvc5"].into_iter().filter(|name| is_there(name)).collect();
    for name in ["z3", "cvc5"].into_iter().filter(|name| !others.contains(name)) {
        skipped("random scripts", &format!("{name} is not installed"));
    }
    if !others.is_empty() {
        check(Size::Tiny, 1000..1060, 0.9, &others);
        check(Size::Half, 1000..1010, 0.5, &others);
    }
}

/// Says that something was not tested. Written past the harness, which keeps what a passing test
/// prints to itself; `scripts/test.sh` counts these lines.
fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}: {why}");
}
