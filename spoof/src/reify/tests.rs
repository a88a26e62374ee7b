//! Lifting, reifying and judging whole runs of small subjects.

use super::{Answer, Class, Exceptional, Judgement, Question, Site, entry_model, judge_exact};
use crate::lift::stepper::{Library, doubles, record};
use crate::lift::{events, lift};
use crate::prototype::Intent;
use crate::trace::Trace;
use nanoscope_search::Budget;
use nanoscope_term::{Terms, Value, evaluate, holds};
use std::time::Duration;

const SUBJECTS: &str = r"
#include <math.h>
void norm(const double *x, double *y) {
    double s = 0; for (int i = 0; i < 8; i++) s += x[i] * x[i]; y[0] = sqrt(s);
}
void clip(const double *x, double *y) {
    for (int i = 0; i < 8; i++) { double p = x[i] * x[i]; y[i] = p < 1.0 ? p : 1.0; }
}
void scaled(const double *x, double *y) {
    double big = 0;
    for (int i = 0; i < 8; i++) { double a = fabs(x[i]); if (a > big) big = a; }
    if (big == 0) { y[0] = 0; return; }
    double s = 0; for (int i = 0; i < 8; i++) s += (x[i] / big) * (x[i] / big);
    y[0] = big * sqrt(s);
}
void mixed(const double *x, double *y) {
    float f = (float)x[0]; long double l = x[1]; int n = (int)x[2];
    l = l * l + f; y[0] = (double)(l / (n + 3)); y[1] = copysign(x[3], x[4]); y[2] = -x[5] + n;
    y[3] = fmax(x[6], x[7]); y[4] = x[6] != x[6] ? 1 : x[7];
}
void lost(const double *x, double *y) { y[0] = x[0] / (1 + x[0] * x[0]); }
void harmless(const double *x, double *y) { y[0] = 1 / (1 + x[0] * x[0]); }
void product(const double *x, double *y) { double p = x[0] * x[1]; y[0] = p < 1.0 ? p : 1.0; }
";

fn run(library: &Library, name: &str, x: &[f64; 8]) -> Trace {
    let address = library.function(name);
    let mut y = [0.5f64; 8];
    let arguments = vec![doubles("x", x, Intent::In), doubles("y", &y, Intent::Out)];
    let place = y.as_mut_ptr();
    let x = x.as_ptr();
    record(address, arguments, move || {
        // SAFETY: the subject has this signature, and both arrays have eight elements.
        let function: extern "C" fn(*const f64, *mut f64) =
            unsafe { std::mem::transmute(address as *const ()) };
        function(x, place);
    })
}

const INPUTS: [[f64; 8]; 4] = [
    [1.5, -2.0, 3.25, 0.0, -0.5, 6.0, 7.0, -8.0],
    [0.25, -0.5, 0.125, 0.75, 0.5, -0.25, 0.0625, 1.0],
    [1e200, 1e200, -3.0, f64::INFINITY, -0.0, f64::NAN, 1.0, f64::NAN],
    [0.0; 8],
];

/// The lifted outputs of a run are those that it gave, and its path is the one it took.
#[test]
fn a_lifted_run_is_the_run() {
    let builds: [(&str, &[&str]); 6] = [
        ("gcc", &["-O0"]),
        ("gcc", &["-O2"]),
        ("gcc", &["-O3", "-mavx2", "-mfma"]),
        ("gcc", &["-O3", "-ffast-math"]),
        ("clang-19", &["-O2"]),
        ("clang-19", &["-O3", "-mavx2", "-mfma", "-ffast-math"]),
    ];
    for (compiler, options) in builds {
        let library = Library::compile(compiler, options, SUBJECTS);
        for name in ["norm", "clip", "scaled", "mixed", "lost", "harmless", "product"] {
            for x in &INPUTS {
                let trace = run(&library, name, x);
                let what = format!("{compiler} {options:?} {name} {x:?}");
                let mut terms = Terms::new();
                let lifted = lift(&trace, &mut terms);
                assert_eq!(lifted.unlifted.len(), 0, "{what}: {:?}", lifted.unlifted);
                let model = entry_model(&terms, &lifted.inputs, &trace);
                for branch in &lifted.path {
                    assert!(holds(&terms, &model, &[branch.holds]), "{what}: step {}", branch.step);
                }
                for (at, output) in lifted.outputs.iter().enumerate() {
                    let bytes: [u8; 8] = trace.memory_after[8 + at].bytes[..].try_into().unwrap();
                    let native = Value::from_f64(f64::from_le_bytes(bytes));
                    let term = evaluate(&terms, &model, output.float);
                    assert_eq!(term, native, "{what}: y[{at}]");
                }
            }
        }
    }
}

fn gcc() -> Library {
    Library::compile("gcc", &["-O2", "-ffp-contract=off"], SUBJECTS)
}

/// The step of the first instruction of that name.
fn step_of(trace: &Trace, name: &str) -> usize {
    let is = |text: String| text.starts_with(name);
    trace
        .steps
        .iter()
        .position(|step| is(crate::lift::decode(step).to_string()))
        .expect("the instruction")
}

fn ask(trace: &Trace, site: Site) -> super::Solved {
    let mut class = Class::new(1, None);
    let questions = class.questions(trace, site).expect("it depends on the inputs");
    let budget = Budget::lasting(Duration::from_secs(60));
    class.solve(&questions, "site", Duration::from_secs(20), &budget).expect("no defect")
}

#[test]
fn questions_are_answered_and_cut_off() {
    let trace = run(&gcc(), "product", &INPUTS[1]);
    let step = step_of(&trace, "mulsd");
    let solved = ask(&trace, Site { step, lane: 0, result: Exceptional::Nan });
    // A NaN needs an exceptional factor; the stronger question is not even asked.
    let expected = [
        (Question::Reached, Answer::Sat),
        (Question::ReachedFinite, Answer::Unsat),
        (Question::Lost, Answer::Sat),
    ];
    assert_eq!(solved.answers.into_iter().collect::<Vec<_>>(), expected);
    // An infinity overflows from finite factors, and is clipped away.
    let solved = ask(&trace, Site { step, lane: 0, result: Exceptional::PlusInfinity });
    assert_eq!(solved.answers[&Question::LostFinite], Answer::Sat);
    let best = &solved.inputs[0];
    assert_eq!(best.question, Question::LostFinite);
    let values: Vec<f64> = best.values.iter().map(|v| f64::from_bits(v.2 as u64)).collect();
    assert!(values.iter().all(|value| value.is_finite()));
    assert_eq!(values[0] * values[1], f64::INFINITY);
}

#[test]
fn queries_are_written_for_other_solvers() {
    let trace = run(&gcc(), "product", &INPUTS[1]);
    let folder = tempfile::tempdir().unwrap();
    let mut class = Class::new(1, Some(folder.path().to_path_buf()));
    let step = step_of(&trace, "mulsd");
    let site = Site { step, lane: 0, result: Exceptional::PlusInfinity };
    let questions = class.questions(&trace, site).unwrap();
    let budget = Budget::lasting(Duration::from_secs(60));
    class.solve(&questions, "product", Duration::from_secs(20), &budget).unwrap();
    let text = std::fs::read_to_string(folder.path().join("product-q1.smt2")).unwrap();
    assert!(text.contains("fp.mul") && text.contains("(check-sat)"), "{text}");
}

#[test]
fn a_plausible_and_wrong_output_is_told_from_a_harmless_one() {
    let library = gcc();
    let mut x = INPUTS[1];
    x[0] = 1e200;
    let judged = judge_exact(&run(&library, "lost", &x));
    assert!(judged.is_wrong() && !judged.is_harmless(), "{judged:?}");
    assert_eq!(judged.outputs[0].exact.as_deref(), Some("1e-200"));
    let judged = judge_exact(&run(&library, "harmless", &x));
    assert!(judged.is_harmless() && !judged.is_wrong(), "{judged:?}");
    // Without an exception nothing is wrong, and rounding is no error.
    let judged = judge_exact(&run(&library, "scaled", &INPUTS[0]));
    assert!(judged.exceptions.is_empty() && judged.outputs[0].judgement == Judgement::Right);
    let judged = judge_exact(&run(&library, "norm", &x));
    assert_eq!(judged.outputs[0].judgement, Judgement::Exceptional);
}

#[test]
fn events_follow_an_exceptional_value_to_its_end() {
    let mut x = INPUTS[1];
    x[0] = 1e200;
    let trace = run(&gcc(), "lost", &x);
    let events = events(&trace);
    let text: Vec<String> = events
        .iter()
        .map(|event| {
            let text = event.to_string();
            text[text.find(' ').unwrap() + 1..].to_string()
        })
        .collect();
    assert!(events[0].generated && events[0].disassembly.starts_with("mulsd"), "{text:#?}");
    assert!(events.iter().any(|event| event.propagated && event.read), "{text:#?}");
    assert!(events.last().unwrap().killed || events.last().unwrap().read, "{text:#?}");
}
