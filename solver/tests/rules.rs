//! Every rewriting rule, proved: the circuits of both sides of its equation
//! cannot differ, with rewriting off so that no rule proves itself.

use nanoscope_budget::Budget;
use nanoscope_ieee::Format;
use nanoscope_solver::blast::{Blaster, Verdict};
use nanoscope_term::smtlib::term_text;
use nanoscope_term::{Terms, eliminate, rules};
use std::time::Duration;

/// Proves every sample of every rule with floats of these formats; says how
/// many there were.
fn prove(tiny: Format, wider: Format) -> usize {
    let mut proved = 0;
    for rule in rules() {
        let mut terms = Terms::without_rewriting();
        for (left, right) in rule.samples_in(&mut terms, tiny, wider) {
            let text = term_text(&terms, left);
            let Some(right) = right else { panic!("`{}` does not apply to {text}", rule.name) };
            let same = terms.equal(left, right);
            let differ = terms.not(same);
            let plain = eliminate(&mut terms, &[differ]).expect("no rule is about arrays");
            let mut blaster = Blaster::default();
            plain.assertions.iter().for_each(|assertion| blaster.assert(*assertion));
            let budget = Budget::lasting(Duration::from_secs(30));
            let verdict = blaster.check(&terms, &[], &budget, None);
            let right = term_text(&terms, right);
            assert_eq!(verdict, Verdict::Unsat, "`{}`: {text} is not {right}", rule.name);
            proved += 1;
        }
    }
    proved
}

#[test]
fn every_rule_is_proved_on_tiny_formats() {
    let proved = prove(Format::new(2, 3), Format::new(3, 4));
    assert!(proved > 200, "{proved} proved");
}

#[test]
fn every_rule_is_proved_on_small_formats() {
    prove(Format::new(3, 5), Format::new(4, 8));
    prove(Format::new(4, 4), Format::new(5, 5));
}
