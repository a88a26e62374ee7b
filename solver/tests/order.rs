//! Every lemma of order, proved: the circuits of the operations cannot contradict it, on tiny
//! formats, with rewriting off so that no rule takes part.

use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Operation, Parameters, Rounding};
use nanoscope_solver::blast::{Blaster, Verdict};
use nanoscope_solver::order::{Instance, Known, PAIRS, Say, lemmas, selection};
use nanoscope_term::smtlib::term_text;
use nanoscope_term::{Op, Sort, Term, Terms};
use std::time::Duration;

/// The operation on variables of this format whose names start so; the rounding mode is any.
fn operation(terms: &mut Terms, operation: Operation, format: Format, name: &str) -> Term {
    let mut args = Vec::new();
    for (at, sort) in operation.operands().iter().enumerate() {
        let sort = match sort {
            nanoscope_ieee::Sort::Rounding => Sort::Rounding,
            _ => Sort::Float(format),
        };
        args.push(terms.variable(&format!("{name}{at}"), sort));
    }
    let mut parameters = Parameters::of(format);
    if operation == Operation::Convert {
        parameters = Parameters::between(format, Format::new(2, 3));
    }
    terms.float(operation, parameters, &args)
}

fn instance(terms: &Terms, term: Term) -> Instance {
    Instance::of(terms, terms.op(term), terms.args(term), term).expect("lemmas speak of it")
}

/// That no lemma said of these can fail; how many there are.
fn prove(terms: &mut Terms, name: &str, said: Vec<Term>) -> usize {
    for lemma in &said {
        let mut blaster = Blaster::default();
        let fails = terms.not(*lemma);
        blaster.assert(fails);
        let verdict = blaster.check(terms, &[], &Budget::lasting(Duration::from_secs(60)), None);
        assert_eq!(verdict, Verdict::Unsat, "`{name}`: {}", term_text(terms, *lemma));
    }
    said.len()
}

/// Some known numbers of a format.
fn numbers(terms: &mut Terms, format: Format) -> Vec<Term> {
    ["1.5", "-0.5", "3"]
        .map(|text| {
            let (float, _) = nanoscope_ieee::Float::parse(format, Rounding::Upward, text).unwrap();
            terms.float_bits(format, float.word().clone())
        })
        .to_vec()
}

/// Sums of operations that some lemmas look into: halves of sums, midpoints, scalings.
fn nested(terms: &mut Terms, format: Format) -> Vec<Vec<Term>> {
    let [x, y] = ["x", "y"].map(|name| terms.variable(name, Sort::Float(format)));
    let modes = ["m", "n", "o"].map(|name| terms.variable(name, Sort::Rounding));
    let number = |terms: &mut Terms, text: &str| {
        let (float, flags) =
            nanoscope_ieee::Float::parse(format, Rounding::TowardZero, text).unwrap();
        assert!(!flags.inexact, "{text} is in the format");
        terms.float_bits(format, float.word().clone())
    };
    let [half, quarter, two] = ["0.5", "0.25", "2"].map(|text| number(terms, text));
    let sum = terms.fp(Operation::Add, &[modes[0], x, y]);
    let average = terms.fp(Operation::Mul, &[modes[1], sum, half]);
    let opposite = terms.fp(Operation::Neg, &[x]);
    let width = terms.fp(Operation::Add, &[modes[0], y, opposite]);
    let minus_y = terms.fp(Operation::Neg, &[y]);
    let undone = terms.fp(Operation::Add, &[modes[1], sum, minus_y]);
    let z = terms.variable("z", Sort::Float(format));
    let minus_z = terms.fp(Operation::Neg, &[z]);
    let less = terms.fp(Operation::Add, &[modes[1], sum, minus_z]);
    let mut found = vec![vec![sum, average], vec![sum, undone], vec![sum, less]];
    for factor in [half, quarter] {
        let step = terms.fp(Operation::Mul, &[modes[1], width, factor]);
        let midpoint = terms.fp(Operation::Add, &[modes[2], x, step]);
        found.push(vec![width, step, midpoint]);
    }
    let rounded = terms.fp(Operation::RoundToIntegral, &[modes[0], x]);
    let one = number(terms, "1");
    for head in [Operation::Remainder, Operation::Fmod] {
        let inner = terms.fp(head, &[x, y]);
        let outer = terms.fp(head, &[inner, z]);
        found.push(vec![inner, outer]);
        for divisor in [one, half] {
            found.push(vec![rounded, terms.fp(head, &[rounded, divisor])]);
        }
    }
    for (first, second) in [(two, half), (half, two)] {
        let inner = terms.fp(Operation::Mul, &[modes[0], x, first]);
        let outer = terms.fp(Operation::Mul, &[modes[1], inner, second]);
        found.push(vec![inner, outer]);
    }
    found
}

#[test]
fn every_lemma_about_one_operation_is_proved() {
    let mut proved = vec![0; lemmas().count()];
    for format in [Format::new(2, 3), Format::new(3, 4)] {
        let mut terms = Terms::without_rewriting();
        let mut groups = Vec::new();
        for lemma in lemmas() {
            for head in lemma.operations {
                groups.push(vec![operation(&mut terms, *head, format, "x")]);
            }
        }
        groups.extend(nested(&mut terms, format));
        groups.sort();
        groups.dedup();
        let numbers = numbers(&mut terms, format);
        for group in groups {
            let instances: Vec<Instance> = group
                .iter()
                .filter(|term| matches!(terms.op(**term), Op::Float(..)))
                .filter_map(|term| Instance::of(&terms, terms.op(*term), terms.args(*term), *term))
                .collect();
            let known = Known::new(&terms, &instances, numbers.clone());
            let Some(last) = instances.last() else { continue };
            for (lemma, proved) in lemmas().zip(&mut proved) {
                if lemma.operations.contains(&last.operation) {
                    let mut say = Say::new(&mut terms);
                    (lemma.say)(&mut say, &known, last);
                    let said = say.said();
                    *proved += prove(&mut terms, lemma.name, said);
                }
            }
        }
    }
    for (lemma, proved) in lemmas().zip(proved) {
        assert!(proved > 0, "nothing was said by `{}`", lemma.name);
    }
}

#[test]
fn selections_are_choices() {
    for least in [false, true] {
        let mut terms = Terms::without_rewriting();
        let [x, y] = ["x", "y"].map(|name| terms.variable(name, Sort::Float(Format::new(3, 4))));
        let operation = if least { Operation::MinNum } else { Operation::MaxNum };
        let (meant, chosen) = (terms.fp(operation, &[x, y]), selection(&mut terms, least, x, y));
        let same = terms.equal(meant, chosen);
        prove(&mut terms, "selection", vec![same]);
    }
}

#[test]
fn every_lemma_about_two_operations_is_proved() {
    let (tiny, wide, narrow) = (Format::new(2, 3), Format::new(3, 4), Format::new(3, 3));
    let mixed = [(tiny, tiny), (narrow, wide), (wide, narrow)];
    for pair in PAIRS {
        let mut proved = 0;
        for (first, second) in pair.operations {
            for formats in mixed {
                let mut terms = Terms::without_rewriting();
                let source = |format| {
                    if *first == Operation::Convert { Format::new(3, 4) } else { format }
                };
                let a = operation(&mut terms, *first, source(formats.0), "x");
                let b = operation(&mut terms, *second, source(formats.1), "y");
                let (a, b) = (instance(&terms, a), instance(&terms, b));
                let mut say = Say::new(&mut terms);
                (pair.say)(&mut say, &a, &b);
                let said = say.said();
                proved += prove(&mut terms, pair.name, said);
            }
            // Squares, doubles, shared operands and known modes.
            let mut terms = Terms::without_rewriting();
            let said = special(&mut terms, *first, *second, pair.say, tiny);
            proved += prove(&mut terms, pair.name, said);
            let mut terms = Terms::without_rewriting();
            let said = special(&mut terms, *first, *second, pair.say, wide);
            proved += prove(&mut terms, pair.name, said);
        }
        assert!(proved > 0, "nothing was said by `{}`", pair.name);
    }
}

fn special(
    terms: &mut Terms,
    first: Operation,
    second: Operation,
    say_pair: fn(&mut Say, &Instance, &Instance),
    format: Format,
) -> Vec<Term> {
    let x = terms.variable("x", Sort::Float(format));
    let y = terms.variable("y", Sort::Float(format));
    let (two, _) = nanoscope_ieee::Float::parse(format, Rounding::TowardZero, "2").unwrap();
    let two = terms.float_bits(format, two.word().clone());
    let mut said = Vec::new();
    for modes in [
        [Rounding::NearestEven, Rounding::NearestEven],
        [Rounding::TowardZero, Rounding::Downward],
        [Rounding::Upward, Rounding::TowardZero],
        [Rounding::Upward, Rounding::Downward],
    ] {
        let modes = modes.map(|mode| terms.rounding(mode));
        for second_args in [[x, x], [x, y], [x, two]] {
            let mut made = Vec::new();
            for (head, mode, floats) in [(first, modes[0], [x, y]), (second, modes[1], second_args)]
            {
                let mut args = Vec::new();
                let mut next = floats.iter().cycle();
                for sort in head.operands() {
                    args.push(match sort {
                        nanoscope_ieee::Sort::Rounding => mode,
                        _ => *next.next().expect("a cycle"),
                    });
                }
                if matches!(head, Operation::Convert) {
                    let narrow = Format::new(2, 2);
                    made.push(terms.float(head, Parameters::between(format, narrow), &args));
                } else {
                    made.push(terms.fp(head, &args));
                }
            }
            let (a, b) = (instance(terms, made[0]), instance(terms, made[1]));
            let mut say = Say::new(terms);
            say_pair(&mut say, &a, &b);
            said.extend(say.said());
        }
    }
    said.sort();
    said.dedup();
    said
}
