//! Recasting through simplification, which it is a part of.

use crate::simplify::simplify;
use crate::{Options, Solver, Verdict};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Operation};
use nanoscope_term::{Model, Sort, Term, Terms, Value};

/// Asserts `low < f < high` of the float that `read` makes of variables of these widths;
/// expects floats to be all that is left, models to come back, and hints to get there.
fn check(widths: &[u32], read: impl Fn(&mut Terms, &[Term]) -> Vec<Term>) {
    let mut terms = Terms::new();
    let variables: Vec<Term> = widths
        .iter()
        .enumerate()
        .map(|(i, width)| terms.variable(&format!("v{i}"), Sort::Bits(*width)))
        .collect();
    let mut assertions = Vec::new();
    for float in read(&mut terms, &variables) {
        let (low, high) = (terms.f32(1.5), terms.f32(2.5));
        assertions.push(terms.fp(Operation::Less, &[low, float]));
        assertions.push(terms.fp(Operation::Less, &[float, high]));
    }
    let left = simplify(&mut terms, &assertions).assertions;
    for variable in terms.variables_below(&left) {
        assert_eq!(terms.variable_sort(variable), Sort::Float(Format::BINARY32));
    }
    let decide = |terms: &mut Terms, assertions: &[Term], hint: Option<&Model>| {
        let mut solver = Solver::new(Options::default());
        let verdict = solver.decide(terms, assertions, hint, &Budget::unlimited());
        (verdict.expect("no defect"), solver.statistics().decided.contains_key("hint"))
    };
    let (Verdict::Sat(model), false) = decide(&mut terms, &assertions, None) else {
        panic!("there are such floats")
    };
    // The model says something of every old variable, and is a hint for the same again.
    for variable in &variables {
        assert!(model.variables.contains_key(&terms.as_variable(*variable).expect("one")));
    }
    assert!(matches!(decide(&mut terms, &assertions, Some(&model)), (Verdict::Sat(_), true)));
}

#[test]
fn encodings_become_floats() {
    check(&[32], |terms, v| vec![terms.from_bits(Format::BINARY32, v[0])]);
}

#[test]
fn pieces_become_floats() {
    check(&[64], |terms, v| {
        [(31, 0), (63, 32)]
            .map(|(high, low)| {
                let piece = terms.extract(high, low, v[0]);
                terms.from_bits(Format::BINARY32, piece)
            })
            .to_vec()
    });
}

#[test]
fn bytes_become_floats() {
    check(&[8, 8, 8, 8], |terms, v| {
        let bits = v[1..].iter().fold(v[0], |low, high| terms.concat(*high, low));
        vec![terms.from_bits(Format::BINARY32, bits)]
    });
}

#[test]
fn pieces_of_pieces_become_floats() {
    check(&[64, 16], |terms, v| {
        let low = terms.extract(15, 0, v[0]);
        let across = terms.concat(low, v[1]);
        vec![terms.from_bits(Format::BINARY32, across)]
    });
}

/// `not (f <= 1)`, or `1 < f`, and the low byte of its encoding; what is left of these.
fn number_and_byte(terms: &mut Terms, is_number: bool) -> (Term, Vec<Term>) {
    let bits = terms.variable("b", Sort::Bits(32));
    let float = terms.from_bits(Format::BINARY32, bits);
    let one = terms.f32(1.0);
    let above = if is_number {
        terms.fp(Operation::Less, &[one, float])
    } else {
        let below = terms.fp(Operation::LessEqual, &[float, one]);
        terms.not(below)
    };
    let mask = terms.bits(32, 0xff);
    let low = terms.bits_op(nanoscope_term::BitsOp::And, &[bits, mask]);
    let odd = terms.equal(low, mask);
    (bits, vec![above, odd])
}

#[test]
fn numbers_that_are_looked_at_otherwise_become_floats() {
    let mut terms = Terms::new();
    let (bits, assertions) = number_and_byte(&mut terms, true);
    let left = simplify(&mut terms, &assertions).assertions;
    for variable in terms.variables_below(&left) {
        assert_eq!(terms.variable_sort(variable), Sort::Float(Format::BINARY32));
    }
    let mut solver = Solver::new(Options::default());
    let verdict = solver.decide(&mut terms, &assertions, None, &Budget::unlimited());
    let Ok(Verdict::Sat(model)) = verdict else { panic!("there are such floats") };
    assert!(nanoscope_term::holds(&terms, &model, &assertions));
    assert!(model.variables.contains_key(&terms.as_variable(bits).expect("one")));
}

#[test]
fn what_may_be_a_nan_and_is_looked_at_otherwise_stays() {
    let mut terms = Terms::new();
    let (bits, assertions) = number_and_byte(&mut terms, false);
    let left = simplify(&mut terms, &assertions).assertions;
    assert_eq!(left.len(), 2);
    let mut model = Model::new();
    // A NaN, of which there are many.
    model.set(terms.as_variable(bits).expect("one"), Value::bits(32, 0x7fc0_00ff));
    assert!(nanoscope_term::holds(&terms, &model, &left));
}
