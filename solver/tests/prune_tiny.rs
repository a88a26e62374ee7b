//! Branch and prune against enumeration: random formulas over a tiny format,
//! every assignment evaluated.

mod draw;

use draw::{Draw, Number, floats};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Operation, Rounding};
use nanoscope_solver::propagate::{Domain, Network, Propagated};
use nanoscope_solver::prune::hull::{Existence, Seen, hull};
use nanoscope_solver::prune::{Pruning, Step, shave};
use nanoscope_term::{Model, Sort, Term, Terms, Value, VariableId, holds};

const FORMAT: Format = Format::new(3, 3);

fn value(number: Number) -> Value {
    let grid = nanoscope_solver::propagate::Grid::new(FORMAT).unwrap();
    let bits = number.map_or(grid.nan(), |at| grid.encode(at));
    Value::float(FORMAT, nanoscope_ieee::Word::new(FORMAT.width(), bits))
}

/// Assertions about two floats and a rounding mode.
fn formula(draw: &mut Draw, terms: &mut Terms) -> Vec<Term> {
    let mut numbers =
        vec![terms.variable("x", Sort::Float(FORMAT)), terms.variable("y", Sort::Float(FORMAT))];
    let mode = terms.rounding(Rounding::ALL[draw.below(5) as usize]);
    let all = floats(FORMAT);
    for _ in 0..3 + draw.below(4) {
        let constant = terms.constant(value(all[draw.below(all.len() as u64) as usize]));
        let any = |draw: &mut Draw| {
            let at = draw.below(numbers.len() as u64 + 1) as usize;
            numbers.get(at).copied().unwrap_or(constant)
        };
        let (a, b) = (any(draw), any(draw));
        let operations = [
            Operation::Add,
            Operation::Sub,
            Operation::Mul,
            Operation::Div,
            Operation::MinNum,
            Operation::Remainder,
        ];
        let operation = operations[draw.below(6) as usize];
        let arguments = match operation {
            Operation::MinNum | Operation::Remainder => vec![a, b],
            _ => vec![mode, a, b],
        };
        numbers.push(terms.fp(operation, &arguments));
    }
    let mut assertions = Vec::new();
    for _ in 0..2 + draw.below(3) {
        let atom = |draw: &mut Draw, terms: &mut Terms| {
            let any = |draw: &mut Draw| {
                numbers[numbers.len() - 1 - draw.below(numbers.len() as u64) as usize]
            };
            let (a, b) = (any(draw), any(draw));
            let operations =
                [Operation::Less, Operation::LessEqual, Operation::Equal, Operation::Less];
            let atom = terms.fp(operations[draw.below(4) as usize], &[a, b]);
            if draw.below(4) == 0 { terms.not(atom) } else { atom }
        };
        let first = atom(draw, terms);
        let assertion = if draw.below(3) == 0 {
            let second = atom(draw, terms);
            terms.or(&[first, second])
        } else {
            first
        };
        assertions.push(assertion);
    }
    assertions
}

#[test]
fn verdicts_and_hulls_are_those_of_enumeration() {
    let budget = Budget::unlimited();
    let (mut satisfiable, mut refuted, mut early) = (0, 0, 0);
    let all = floats(FORMAT);
    for seed in 0..240 {
        let mut terms = Terms::new();
        let assertions = formula(&mut Draw(seed), &mut terms);
        let variables = terms.variables_below(&assertions);
        let x = terms.variable("x", Sort::Float(FORMAT));
        let name = |term: Term| terms.as_variable(term).unwrap();
        let mut solutions: Vec<Number> = Vec::new();
        for a in &all {
            let mut found = false;
            for b in &all {
                let mut model = Model::new();
                for variable in &variables {
                    let outer = *variable == name(x) || variables.len() == 1;
                    model.set(*variable, value(if outer { *a } else { *b }));
                }
                found = holds(&terms, &model, &assertions);
                if found || variables.len() < 2 {
                    break;
                }
            }
            if found {
                solutions.push(*a);
            }
        }
        let mut network = Network::new(&terms, &assertions);
        early += (network.propagate(&budget) == Propagated::Contradiction) as u32;
        let step = decide(&terms, &assertions, None);
        match &step {
            Step::Sat(model) => assert!(holds(&terms, model, &assertions)),
            Step::Unsat => assert!(solutions.is_empty(), "seed {seed}: a solution was lost"),
            Step::Paused | Step::Stuck(_) => panic!("seed {seed}: {step:?}"),
        }
        assert_eq!(matches!(step, Step::Sat(_)), !solutions.is_empty(), "seed {seed}");
        if solutions.is_empty() {
            refuted += 1;
            continue;
        }
        satisfiable += 1;
        if !variables.contains(&name(x)) || seed % 4 != 0 {
            continue;
        }
        assert_eq!(shave(&mut network, x, &budget), Propagated::Settled);
        let Domain::Float(grid, within) = network.domain(x) else { panic!() };
        let hull = hull(within, Seen::default(), |floats| {
            match decide(&terms, &assertions, Some((x, Domain::Float(grid, floats)))) {
                Step::Sat(model) => number(&terms, &model, name(x)),
                _ => Existence::None,
            }
        });
        let numbers: Vec<i128> = solutions.iter().filter_map(|number| *number).collect();
        assert_eq!(hull.nan, Some(solutions.contains(&None)), "seed {seed}");
        assert_eq!(numbers.is_empty(), hull.numbers.is_empty(), "seed {seed}");
        if let (Some(lo), Some(hi)) = (numbers.first(), numbers.last()) {
            assert_eq!((hull.numbers.lo, hull.numbers.hi), (*lo, *hi), "seed {seed}");
        }
    }
    println!("{satisfiable} satisfiable, {refuted} not, {early} of them by propagation alone");
    assert!(satisfiable > 50 && refuted > 50 && early > 20);
}

/// The walk's verdict, with a term restricted.
fn decide(terms: &Terms, assertions: &[Term], within: Option<(Term, Domain)>) -> Step {
    let mut pruning = Pruning::new(terms, assertions);
    if let Some((term, domain)) = within {
        pruning.restrict(term, domain);
    }
    pruning.advance(&Budget::unlimited())
}

fn number(terms: &Terms, model: &Model, variable: VariableId) -> Existence {
    let grid = nanoscope_solver::propagate::Grid::new(FORMAT).unwrap();
    let value = model.get(terms, variable);
    let (_, bits) = value.as_float().unwrap();
    grid.decode(bits.to_u128().unwrap()).map_or(Existence::Nan, Existence::Number)
}

#[test]
fn what_is_open_at_the_door_is_not_refuted_by_a_point() {
    let script = "(declare-const x Float32)
        (assert (distinct (fp.max (_ +zero 8 24) (_ -zero 8 24)) (fp.max (_ -zero 8 24) (_ +zero 8 24))))
        (assert (fp.isZero x))";
    let problem = nanoscope_term::smtlib::read(script).unwrap();
    let step = decide(&problem.terms, &problem.assertions, None);
    assert!(matches!(step, Step::Stuck(_) | Step::Sat(_)), "{step:?}");
}
