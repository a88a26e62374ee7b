//! Real numbers that come from floats: read, never believed in a model.

use nanoscope_term::smtlib::{Answer, Decide, Session};
use nanoscope_term::{Model, Term, Terms};
use std::time::Duration;

/// Says what it was told to say.
struct Always(Answer);

impl Decide for Always {
    fn decide(&mut self, _: &mut Terms, _: &[Term], _: Option<Duration>) -> Answer {
        self.0.clone()
    }
}

fn check(assertion: &str, answer: Answer, expected: &str) {
    let script = format!(
        "(declare-const x Float32)(declare-const y Float32)(assert {assertion})(check-sat)"
    );
    let mut output = Vec::new();
    Session::new(Always(answer)).run(script.as_bytes(), &mut output).expect("a script");
    assert_eq!(String::from_utf8_lossy(&output).trim(), expected, "{assertion}");
}

#[test]
fn what_comes_from_floats_is_never_satisfied() {
    for assertion in [
        "(= (fp.to_real x) 1.5)",
        "(< 0.1 (+ (fp.to_real x) (* 2.0 (fp.to_real y))) 3.0)",
        "(fp.eq y ((_ to_fp 8 24) RNE (- (fp.to_real x))))",
        "(<= (ite (fp.lt x y) (fp.to_real x) 2.0) 1.0)",
    ] {
        check(assertion, Answer::Sat(Model::new()), "unknown");
        check(assertion, Answer::Unsat, "unsat");
    }
    check("(= x y)", Answer::Sat(Model::new()), "sat");
}

/// One unknown must not stand for the numbers of several floats.
#[test]
fn functions_of_what_comes_from_floats_are_refused() {
    let script = "(define-fun f ((x Float32)) Bool (< (fp.to_real x) 0.0))(check-sat)";
    let mut output = Vec::new();
    let outcome = Session::new(Always(Answer::Unsat)).run(script.as_bytes(), &mut output);
    assert!(outcome.is_err(), "{}", String::from_utf8_lossy(&output));
}
