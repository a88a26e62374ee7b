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
