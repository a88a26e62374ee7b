//! The solver as a symbolic executor uses it: levels, assumptions, hints,
//! limits.

use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Operation, Rounding};
use nanoscope_solver::propagate::FloatBox;
use nanoscope_solver::{Choice, Options, Reason, Solver, Verdict, bounds};
use nanoscope_term::{Model, Sort, Term, Terms, Value, VariableId};
use std::time::{Duration, Instant};

const DOUBLE: Sort = Sort::Float(Format::BINARY64);

fn less(terms: &mut Terms, a: Term, b: Term) -> Term {
    terms.fp(Operation::Less, &[a, b])
}

fn add(terms: &mut Terms, a: Term, b: Term) -> Term {
    let mode = terms.rounding(Rounding::NearestEven);
    terms.fp(Operation::Add, &[mode, a, b])
}

fn mul(terms: &mut Terms, a: Term, b: Term) -> Term {
    let mode = terms.rounding(Rounding::NearestEven);
    terms.fp(Operation::Mul, &[mode, a, b])
}

fn is_sat(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Sat(_))
}

#[test]
fn levels_assumptions_and_hints() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.variable(name, DOUBLE));
    let (zero, ten) = (terms.f64(0.0), terms.f64(10.0));
    let positive = less(&mut terms, zero, x);
    let small = less(&mut terms, x, ten);
    let sum = add(&mut terms, x, y);
    let shrinks = less(&mut terms, sum, x);
    let upward = less(&mut terms, zero, y);
    let budget = Budget::lasting(Duration::from_secs(20));
    let mut solver = Solver::new(Options::default());
    solver.assert(positive);
    solver.assert(small);
    let first = solver.check(&mut terms, &[], None, &budget).expect("sound");
    let Verdict::Sat(model) = &first else { panic!("{first:?}") };
    solver.push();
    solver.assert(shrinks);
    assert!(is_sat(&solver.check(&mut terms, &[], Some(model), &budget).expect("sound")));
    // A sum with something positive is not less.
    let clash = solver.check(&mut terms, &[upward], None, &budget).expect("sound");
    assert_eq!(clash, Verdict::Unsat);
    assert!(is_sat(&solver.check(&mut terms, &[], None, &budget).expect("sound")));
    solver.pop();
    assert!(is_sat(&solver.check(&mut terms, &[upward], None, &budget).expect("sound")));
    assert!(solver.statistics().decided.contains_key("cache"), "{:?}", solver.statistics());
}

#[test]
fn small_queries_take_no_time() {
    // Comparisons and classification only, growing as paths do.
    let mut terms = Terms::new();
    let variables: Vec<Term> =
        (0..12).map(|number| terms.variable(&format!("v{number}"), DOUBLE)).collect();
    let mut solver = Solver::new(Options::default());
    for (number, pair) in variables.windows(2).enumerate() {
        let order = less(&mut terms, pair[0], pair[1]);
        let class = terms.fp(Operation::IsNormal, &[pair[0]]);
        solver.assert(order);
        let side = if number % 2 == 0 { class } else { terms.not(class) };
        for assumption in [class, side] {
            let verdict =
                solver.check(&mut terms, &[assumption], None, &Budget::unlimited()).expect("sound");
            assert!(is_sat(&verdict), "{verdict:?}");
        }
    }
}

/// Three factors of a large number: hard for every engine.
fn hard(terms: &mut Terms) -> Vec<Term> {
    let wide = Sort::Bits(128);
    let [a, b] = ["a", "b"].map(|name| terms.variable(name, wide));
    let product = terms.bits_op(nanoscope_term::BitsOp::Mul, &[a, b]);
    let number = terms.bits(128, 0x7fff_ffff_ffff_ffe7_u128 * 0x7fff_ffff_ffff_ff2d_u128);
    let one = terms.bits(128, 1);
    let limit = terms.bits(128, 1 << 64);
    let mut all = vec![terms.equal(product, number)];
    for factor in [a, b] {
        all.push(terms.bits_op(nanoscope_term::BitsOp::Ult, &[one, factor]));
        all.push(terms.bits_op(nanoscope_term::BitsOp::Ult, &[factor, limit]));
    }
    all
}

#[test]
fn limits_are_kept() {
    let mut terms = Terms::new();
    let query = hard(&mut terms);
    let mut solver = Solver::new(Options::default());
    let start = Instant::now();
    let budget = Budget::lasting(Duration::from_millis(300));
    let verdict = solver.decide(&mut terms, &query, None, &budget).expect("sound");
    assert_eq!(verdict, Verdict::Unknown(Reason::Time));
    let late = start.elapsed().saturating_sub(Duration::from_millis(300));
    // Wide: it must end, and the machine may be busy. `bench/` measures how late it is.
    assert!(late < Duration::from_secs(30), "{late:?}");
    let mut solver = Solver::new(Options {
        engines: vec![Choice::Blast],
        memory: Some(1 << 20),
        ..Options::default()
    });
    let budget = Budget::lasting(Duration::from_secs(30));
    let verdict = solver.decide(&mut terms, &query, None, &budget).expect("sound");
    assert_eq!(verdict, Verdict::Unknown(Reason::Memory));
}

fn hull_of(
    solver: &mut Solver,
    terms: &mut Terms,
    assertions: &[Term],
    variable: VariableId,
    model: &Model,
) -> FloatBox {
    let budget = Budget::lasting(Duration::from_secs(20));
    let hulls = bounds(solver, terms, assertions, &[variable], model, &budget).expect("sound");
    hulls[0].clone().expect("enough time")
}

/// Solutions found for one step count for all of them.
#[test]
fn bounds_of_a_chain_share_their_work() {
    let mut terms = Terms::new();
    let mut chain = vec![terms.variable("x0", Sort::Float(Format::BINARY32))];
    let (low, high, half) = (terms.f32(1.0), terms.f32(3.0), terms.f32(0.5));
    let at_least = terms.fp(Operation::LessEqual, &[low, chain[0]]);
    let at_most = terms.fp(Operation::LessEqual, &[chain[0], high]);
    let mut assertions = vec![at_least, at_most];
    for step in 1..40 {
        let next = terms.variable(&format!("x{step}"), Sort::Float(Format::BINARY32));
        let halved = mul(&mut terms, chain[step - 1], half);
        let mode = terms.rounding(Rounding::NearestEven);
        let sum = terms.fp(Operation::Add, &[mode, halved, half]);
        assertions.push(terms.equal(next, sum));
        chain.push(next);
    }
    let variables: Vec<_> = chain.iter().filter_map(|term| terms.as_variable(*term)).collect();
    let budget = Budget::lasting(Duration::from_secs(60));
    let mut solver = Solver::new(Options::default());
    let verdict = solver.decide(&mut terms, &assertions, None, &budget).expect("sound");
    let Verdict::Sat(model) = verdict else { panic!("{verdict:?}") };
    let hulls =
        bounds(&mut solver, &mut terms, &assertions, &variables, &model, &budget).expect("sound");
    let (mut least, mut greatest) = (1f32, 3f32);
    for hull in hulls {
        let hull = hull.expect("enough time");
        assert!(!hull.nan);
        let ends = [least, greatest].map(|end| i128::from(end.to_bits()));
        assert_eq!([hull.numbers.lo, hull.numbers.hi], ends);
        (least, greatest) = (least * 0.5 + 0.5, greatest * 0.5 + 0.5);
    }
    let queries = solver.statistics().queries;
    assert!(queries < 10, "{queries} queries");
}

#[test]
fn bounds_are_exact() {
    let mut terms = Terms::new();
    let x = terms.variable("x", Sort::Float(Format::BINARY32));
    // x * x < 2, and x is not below -1.
    let (two, minus_one) = (terms.f32(2.0), terms.f32(-1.0));
    let square = mul(&mut terms, x, x);
    let under = less(&mut terms, square, two);
    let below = less(&mut terms, x, minus_one);
    let not_below = terms.not(below);
    let assertions = [under, not_below];
    let budget = Budget::lasting(Duration::from_secs(20));
    let mut solver = Solver::new(Options::default());
    let verdict = solver.decide(&mut terms, &assertions, None, &budget).expect("sound");
    let Verdict::Sat(model) = verdict else { panic!("{verdict:?}") };
    let variable = terms.as_variable(x).expect("a variable");
    let hull = hull_of(&mut solver, &mut terms, &assertions, variable, &model);
    let greatest = (0..).map(|step| f32::from_bits(2f32.sqrt().to_bits() + 4 - step));
    let greatest = greatest.into_iter().find(|x| x * x < 2.0).expect("one is");
    assert!(!hull.nan);
    assert_eq!(hull.numbers.hi, i128::from(greatest.to_bits()));
    assert_eq!(hull.numbers.lo, !i128::from(1f32.to_bits()));
    // With infinities and NaN: what is not constrained.
    let y = terms.variable("y", Sort::Float(Format::BINARY32));
    let variable = terms.as_variable(y).expect("a variable");
    let hull = hull_of(&mut solver, &mut terms, &assertions, variable, &model);
    let infinity = i128::from(f32::INFINITY.to_bits());
    assert!(hull.nan && (hull.numbers.lo, hull.numbers.hi) == (!infinity, infinity));
    assert_eq!(Value::from_f32(f32::NAN), Value::nan(Format::BINARY32));
}
