//! Every rule, on every value of tiny sorts.

use nanoscope_ieee::{Rounding, Word};
use nanoscope_term::smtlib::term_text;
use nanoscope_term::{Evaluation, Model, Sort, Terms, Value, rules};

/// All values of a tiny sort, the NaN once.
fn values(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Rounding => Rounding::ALL.map(Value::Rounding).to_vec(),
        Sort::Bits(width) => (0..1 << width).map(|bits| Value::bits(width, bits)).collect(),
        Sort::Float(format) => {
            let all = 0..1u128 << format.width();
            let mut values: Vec<Value> = all
                .map(|bits| Value::float(format, Word::new(format.width(), bits)))
                .filter(|value| !value.is_nan())
                .collect();
            values.push(Value::nan(format));
            values
        }
        Sort::Array(_) => panic!("no rule is about arrays"),
    }
}

#[test]
fn every_rule_holds_for_every_value() {
    let mut names = Vec::new();
    for rule in rules() {
        assert!(!names.contains(&rule.name), "two rules are named `{}`", rule.name);
        names.push(rule.name);
        assert!(!rule.left.is_empty(), "`{}` has no sample", rule.name);
        let mut terms = Terms::without_rewriting();
        for (left, right) in rule.samples(&mut terms) {
            let text = term_text(&terms, left);
            let Some(right) = right else { panic!("`{}` does not apply to {text}", rule.name) };
            assert_ne!(left, right, "`{}` changes nothing of {text}", rule.name);
            assert_eq!(terms.sort(left), terms.sort(right), "`{}`: {text}", rule.name);
            let variables = terms.variables_below(&[left, right]);
            let choices: Vec<Vec<Value>> =
                variables.iter().map(|v| values(terms.variable_sort(*v))).collect();
            let total: usize = choices.iter().map(Vec::len).product();
            for mut number in 0..total {
                let mut model = Model::new();
                for (variable, values) in variables.iter().zip(&choices) {
                    model.set(*variable, values[number % values.len()].clone());
                    number /= values.len();
                }
                let mut evaluation = Evaluation::new(&terms, &model);
                let expected = evaluation.value(left).clone();
                let right_text = term_text(&terms, right);
                assert_eq!(
                    *evaluation.value(right),
                    expected,
                    "`{}`: {text} is not {right_text} for {model:?}",
                    rule.name
                );
            }
        }
    }
    assert!(names.len() > 60, "{} rules", names.len());
}
