//! Queries to the complete engine: random ones against enumeration, planted
//! ones that must be satisfiable, identities that must hold, and the manners of
//! incremental use.

use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Operation, OutOfRange, Parameters, Rounding, Word};
use nanoscope_solver::blast::aig::{Multiplier, Tuning};
use nanoscope_solver::blast::cnf::Writing;
use nanoscope_solver::blast::guess::{Guess, guess};
use nanoscope_solver::blast::{Blaster, KnownBits, Options, Reason, Verdict};
use nanoscope_term::{BitsOp, Model, Op, Sort, Term, Terms, Value, evaluate, holds};
use std::time::{Duration, Instant};

struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as usize % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// As narrow as a format can be whose largest number is an integer.
const TINY: Format = Format::new(3, 2);
const SMALL: Format = Format::new(3, 3);

/// Every way to apply an operator to tiny sorts, and how many arguments it
/// takes.
fn operators() -> Vec<(Op, usize)> {
    let mut all = vec![(Op::Not, 1), (Op::And, 2), (Op::Or, 3), (Op::Ite, 3), (Op::Equal, 2)];
    let binary = [
        BitsOp::And,
        BitsOp::Or,
        BitsOp::Xor,
        BitsOp::Add,
        BitsOp::Sub,
        BitsOp::Mul,
        BitsOp::Udiv,
        BitsOp::Urem,
        BitsOp::Shl,
        BitsOp::Lshr,
        BitsOp::Ashr,
        BitsOp::Concat,
        BitsOp::Ult,
        BitsOp::Ule,
        BitsOp::Slt,
        BitsOp::Sle,
    ];
    all.extend(binary.map(|op| (Op::Bits(op), 2)));
    let unary = [
        BitsOp::Not,
        BitsOp::Neg,
        BitsOp::Extract { high: 2, low: 1 },
        BitsOp::Extract { high: 4, low: 2 },
        BitsOp::ZeroExtend(2),
        BitsOp::SignExtend(2),
    ];
    all.extend(unary.map(|op| (Op::Bits(op), 1)));
    for &operation in Operation::ALL {
        if operation == Operation::Identical {
            continue; // Op::Equal
        }
        for format in [TINY, SMALL] {
            for policy in OutOfRange::ALL {
                for (target, width) in [(TINY, 3), (SMALL, 5)] {
                    let parameters =
                        Parameters { target, ..Parameters::integer(format, width, policy) };
                    all.push((Op::Float(operation, parameters), operation.operands().len()));
                }
            }
        }
    }
    all
}

fn values(sort: Sort) -> Vec<Value> {
    let words = |width: u32| (0..1u128 << width).map(move |value| Word::new(width, value));
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Bits(width) => words(width).map(Value::Bits).collect(),
        Sort::Float(format) => {
            words(format.width()).map(|word| Value::float(format, word)).collect()
        }
        Sort::Rounding => Rounding::ALL.map(Value::Rounding).to_vec(),
        Sort::Array(_) => unreachable!("no arrays here"),
    }
}

/// A random query over two variables, and the truth about it by enumeration.
fn random_query(draw: &mut Draw, operators: &[(Op, usize)]) -> (Terms, Vec<Term>, bool) {
    let mut terms = Terms::without_rewriting();
    let sorts = [Sort::Float(TINY), Sort::Float(TINY), Sort::Bits(3), Sort::Rounding, Sort::Bool];
    let first = Sort::Float(draw.pick(&[TINY, SMALL]));
    let variables = [("x", first), ("y", draw.pick(&sorts))];
    let mut pool: Vec<Term> =
        variables.iter().map(|(name, sort)| terms.variable(name, *sort)).collect();
    for sort in [first, Sort::Float(TINY), Sort::Bits(3), Sort::Bits(5), Sort::Rounding] {
        let value = values(sort)[draw.below(values(sort).len())].clone();
        pool.push(terms.constant(value));
    }
    let mut wanted = 4 + draw.below(10);
    let mut tries = 0;
    while wanted > 0 && tries < 20_000 {
        tries += 1;
        let (op, count) = draw.pick(operators);
        let args: Vec<Term> = (0..count).map(|_| draw.pick(&pool)).collect();
        let sort = terms.sort_of(op, &args);
        if !matches!(sort, Ok(Sort::Bits(6..)) | Err(_)) {
            pool.push(terms.make_literally(op, &args));
            wanted -= 1;
        }
    }
    let last = pool[pool.len() - 1];
    let mut assertions: Vec<Term> =
        pool.iter().copied().filter(|&term| terms.sort(term) == Sort::Bool).collect();
    assertions.reverse();
    assertions.truncate(2);
    for assertion in &mut assertions {
        if draw.below(2) == 0 {
            *assertion = terms.make_literally(Op::Not, &[*assertion]);
        }
    }
    // The last term matters in any case.
    if terms.sort(last) != Sort::Bool {
        let choice = values(terms.sort(last));
        let value = terms.constant(choice[draw.below(choice.len())].clone());
        assertions.push(terms.make_literally(Op::Equal, &[last, value]));
    }
    let mut satisfiable = false;
    for a in values(variables[0].1) {
        for b in values(variables[1].1) {
            let mut model = Model::new();
            model.set(terms.as_variable(pool[0]).expect("x"), a.clone());
            model.set(terms.as_variable(pool[1]).expect("y"), b);
            satisfiable |= holds(&terms, &model, &assertions);
        }
    }
    (terms, assertions, satisfiable)
}

fn ways() -> Vec<Options> {
    let mut ways = Vec::new();
    for choice in 0..16 {
        let bit = |i: u32| choice >> i & 1 == 1;
        ways.push(Options {
            tuning: Tuning {
                multiplier: if bit(0) { Multiplier::Rows } else { Multiplier::Columns },
            },
            writing: Writing { by_polarity: bit(1), merge_xor: bit(2), redundant: bit(1) },
            lazy: bit(3),
            ..Options::default()
        });
    }
    ways
}

/// The verdict must be what is said, and a model one.
fn check(
    blaster: &mut Blaster,
    terms: &Terms,
    assertions: &[Term],
    assumptions: &[Term],
    satisfiable: bool,
) -> Option<Model> {
    let budget = Budget::lasting(Duration::from_secs(60));
    match blaster.check(terms, assumptions, &budget, None) {
        Verdict::Sat(model) => {
            let all = [assertions, assumptions].concat();
            assert!(holds(terms, &model, &all), "not a model: {model:?}");
            assert!(satisfiable, "no model is known, yet {model:?}");
            Some(model)
        }
        Verdict::Unsat => {
            assert!(!satisfiable, "a model is known");
            None
        }
        Verdict::Unknown(reason) => panic!("undecided: {reason}"),
    }
}

#[test]
fn random_queries_against_enumeration() {
    let (mut draw, operators, ways) = (Draw(88172645463325252), operators(), ways());
    let mut counts = [0, 0];
    for round in 0..600 {
        let (terms, assertions, satisfiable) = random_query(&mut draw, &operators);
        counts[satisfiable as usize] += 1;
        let mut blaster = Blaster::new(ways[round % ways.len()]);
        if round % 3 == 0 {
            // As assumptions, then under frames, in one solver.
            check(&mut blaster, &terms, &[], &assertions, satisfiable);
            for &assertion in &assertions {
                blaster.push();
                blaster.assert(assertion);
            }
            check(&mut blaster, &terms, &assertions, &[], satisfiable);
            for _ in &assertions {
                blaster.pop();
            }
            check(&mut blaster, &terms, &[], &[], true);
        } else {
            assertions.iter().for_each(|&assertion| blaster.assert(assertion));
            check(&mut blaster, &terms, &assertions, &[], satisfiable);
        }
    }
    assert!(counts[0] > 60 && counts[1] > 60, "both kinds are tried: {counts:?}");
}

/// A term of every operation of the table on bit strings read as floats, so
/// that NaNs come in every encoding: with operands pinned, exactly the
/// evaluator's value is possible.
#[test]
fn every_operation_has_one_value() {
    let mut draw = Draw(0x9876_5432_1234_5679);
    for (op, count) in operators() {
        let Op::Float(operation, parameters) = op else { continue };
        for _ in 0..4 {
            let mut terms = Terms::without_rewriting();
            let (mut args, mut pins) = (Vec::new(), Vec::new());
            for (i, kind) in operation.operands().iter().enumerate() {
                let sort = match kind {
                    nanoscope_ieee::Sort::Float => Sort::Bits(parameters.format.width()),
                    nanoscope_ieee::Sort::Rounding => Sort::Rounding,
                    nanoscope_ieee::Sort::Bits if operation == Operation::FromBits => {
                        Sort::Bits(parameters.format.width())
                    }
                    nanoscope_ieee::Sort::Bits => Sort::Bits(parameters.width),
                    nanoscope_ieee::Sort::Bool => Sort::Bool,
                };
                let variable = terms.variable(&format!("v{i}"), sort);
                let choice = values(sort);
                let value = terms.constant(choice[draw.below(choice.len())].clone());
                pins.push(terms.make_literally(Op::Equal, &[variable, value]));
                args.push(match kind {
                    nanoscope_ieee::Sort::Float => terms.from_bits(parameters.format, variable),
                    _ => variable,
                });
            }
            assert_eq!(args.len(), count);
            let term = terms.make_literally(op, &args);
            let mut model = Model::new();
            for &pin in &pins {
                let [variable, value] = *terms.args(pin) else { unreachable!("an equation") };
                let value = terms.value(value).expect("a value").clone();
                model.set(terms.as_variable(variable).expect("a variable"), value);
            }
            let value = evaluate(&terms, &model, term);
            let value = terms.constant(value);
            let so = terms.make_literally(Op::Equal, &[term, value]);
            let not_so = terms.make_literally(Op::Not, &[so]);
            let mut blaster = Blaster::default();
            pins.iter().for_each(|&pin| blaster.assert(pin));
            check(&mut blaster, &terms, &pins, &[so], true);
            check(&mut blaster, &terms, &pins, &[not_so], false);
        }
    }
}

fn rne(terms: &mut Terms) -> Term {
    terms.rounding(Rounding::NearestEven)
}

/// Arithmetic on doubles with the result asked for, and no operand given.
#[test]
fn planted_models_are_found() {
    let mut draw = Draw(0x0123_4567_89ab_cdef);
    for round in 0..8 {
        for lazy in [false, true] {
            let mut terms = Terms::new();
            let format = if round % 2 == 0 { Format::BINARY32 } else { Format::BINARY64 };
            let mode = rne(&mut terms);
            let mut model = Model::new();
            let mut pool = Vec::new();
            for name in ["x", "y", "z"] {
                let variable = terms.variable(name, Sort::Float(format));
                let number = (draw.below(2_000_001) as f64 - 1e6) / 1024.0;
                let value = if format == Format::BINARY64 {
                    Value::from_f64(number)
                } else {
                    Value::from_f32(number as f32)
                };
                model.set(terms.as_variable(variable).expect("a variable"), value);
                pool.push(variable);
            }
            for step in 0..3 {
                let operations = [Operation::Add, Operation::Sub, Operation::Mul, Operation::Div];
                // One product or quotient among the three.
                let operation =
                    if step == 1 { operations[2 + round % 2] } else { operations[draw.below(2)] };
                let (a, b) = (draw.pick(&pool), pool[pool.len() - 1]);
                pool.push(terms.fp(operation, &[mode, a, b]));
            }
            let last = pool[pool.len() - 1];
            let value = evaluate(&terms, &model, last);
            if value.is_nan() {
                continue;
            }
            let value = terms.constant(value);
            let assertion = terms.fp(Operation::Equal, &[last, value]);
            let mut blaster = Blaster::new(Options { lazy, ..Options::default() });
            blaster.assert(assertion);
            check(&mut blaster, &terms, &[assertion], &[], true);
            // The planted model as a hint is taken at once.
            let mut blaster = Blaster::default();
            blaster.assert(assertion);
            let budget = Budget::lasting(Duration::from_secs(20));
            let verdict = blaster.check(&terms, &[], &budget, Some(&model));
            assert!(matches!(verdict, Verdict::Sat(_)));
            assert_eq!(blaster.statistics().clauses, 0, "no clause was needed");
            // A hint that is wrong, here by zeros for all, leads nowhere wrong.
            let mut blaster = Blaster::new(Options { lazy, ..Options::default() });
            blaster.assert(assertion);
            let verdict = blaster.check(&terms, &[], &budget, Some(&Model::new()));
            let Verdict::Sat(found) = verdict else { panic!("a model is known: {verdict:?}") };
            assert!(holds(&terms, &found, &[assertion]));
        }
    }
}

/// What is claimed of all x and y cannot be false.
fn valid(format: Format, claim: impl Fn(&mut Terms, Term, Term, Term) -> Term) {
    for lazy in [false, true] {
        let mut terms = Terms::without_rewriting();
        let x = terms.variable("x", Sort::Float(format));
        let y = terms.variable("y", Sort::Float(format));
        let mode = terms.variable("m", Sort::Rounding);
        let claim = claim(&mut terms, mode, x, y);
        let refuted = terms.not(claim);
        let mut blaster = Blaster::new(Options { lazy, ..Options::default() });
        blaster.assert(refuted);
        check(&mut blaster, &terms, &[refuted], &[], false);
    }
}

#[test]
fn identities_hold() {
    let half = Format::BINARY16;
    valid(half, |t, m, x, y| {
        let (a, b) = (t.fp(Operation::Add, &[m, x, y]), t.fp(Operation::Add, &[m, y, x]));
        t.equal(a, b)
    });
    valid(Format::BINARY64, |t, m, x, _| {
        let one = t.f64(1.0);
        let product = t.fp(Operation::Mul, &[m, x, one]);
        t.equal(product, x)
    });
    valid(Format::BINARY64, |t, m, x, y| {
        let (sum, minus) = (t.fp(Operation::Sub, &[m, x, y]), t.fp(Operation::Neg, &[y]));
        let other = t.fp(Operation::Add, &[m, x, minus]);
        t.equal(sum, other)
    });
    valid(Format::BINARY64, |t, _, x, y| {
        let (less, not_less) = (t.fp(Operation::Less, &[x, y]), t.fp(Operation::Less, &[y, x]));
        let both = t.and(&[less, not_less]);
        t.not(both)
    });
    valid(half, |t, m, x, y| {
        // A square is not negative.
        let square = t.fp(Operation::Mul, &[m, x, x]);
        let zero = t.fp(Operation::Sub, &[m, y, y]);
        let negative = t.fp(Operation::Less, &[square, zero]);
        t.not(negative)
    });
    valid(Format::BINARY32, |t, m, x, _| {
        // There and back through a wider format.
        let wide = t.convert(Format::BINARY64, m, x);
        let back = t.convert(Format::BINARY32, m, wide);
        t.equal(back, x)
    });
    valid(half, |t, m, x, _| {
        let root = t.fp(Operation::Sqrt, &[m, x]);
        t.fp(Operation::IsNegative, &[root]);
        let negative = t.fp(Operation::IsNegative, &[root]);
        let zero = t.fp(Operation::IsZero, &[root]);
        let not_negative = t.not(negative);
        t.or(&[not_negative, zero])
    });
}

#[test]
fn failed_assumptions_are_named() {
    let mut terms = Terms::new();
    let x = terms.variable("x", Sort::Float(Format::BINARY64));
    let y = terms.variable("y", Sort::Float(Format::BINARY64));
    let (one, two) = (terms.f64(1.0), terms.f64(2.0));
    let low = terms.fp(Operation::Less, &[x, one]);
    let high = terms.fp(Operation::Less, &[two, x]);
    let other = terms.fp(Operation::Less, &[y, one]);
    let mut blaster = Blaster::default();
    check(&mut blaster, &terms, &[], &[other, low, high], false);
    let mut failed = blaster.failed().to_vec();
    failed.sort();
    let mut expected = vec![low, high];
    expected.sort();
    assert_eq!(failed, expected);
    check(&mut blaster, &terms, &[], &[other, low], true);
}

#[test]
fn known_bits_shrink_circuits() {
    let mut terms = Terms::new();
    let format = Format::BINARY64;
    let x = terms.variable("x", Sort::Float(format));
    let y = terms.variable("y", Sort::Float(format));
    let mode = rne(&mut terms);
    let (one, two, bound) = (terms.f64(1.0), terms.f64(1.9999), terms.f64(3.5));
    let mut assertions = Vec::new();
    for variable in [x, y] {
        assertions.push(terms.fp(Operation::LessEqual, &[one, variable]));
        assertions.push(terms.fp(Operation::LessEqual, &[variable, two]));
    }
    let sum = terms.fp(Operation::Add, &[mode, x, y]);
    assertions.push(terms.fp(Operation::Less, &[bound, sum]));
    let bits = |number: f64| Word::new(64, number.to_bits() as u128);
    let mut gates = Vec::new();
    for told in [false, true] {
        let mut blaster = Blaster::default();
        assertions.iter().for_each(|&assertion| blaster.assert(assertion));
        if told {
            let operand = KnownBits::between(&bits(1.0), &bits(1.9999));
            blaster.know(x, operand.clone());
            blaster.know(y, operand);
            blaster.know(sum, KnownBits::between(&bits(2.0), &bits(3.9998)));
        }
        check(&mut blaster, &terms, &assertions, &[], true);
        gates.push(blaster.statistics().gates);
    }
    assert!(2 * gates[1] < gates[0], "{gates:?}");
}

/// A query that takes long, and memory.
fn hard(terms: &mut Terms) -> Term {
    let format = Format::BINARY64;
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(name, Sort::Float(format)));
    let mode = terms.rounding(Rounding::NearestEven);
    let left = terms.fp(Operation::Mul, &[mode, x, y]);
    let left = terms.fp(Operation::Mul, &[mode, left, z]);
    let right = terms.fp(Operation::Mul, &[mode, y, z]);
    let right = terms.fp(Operation::Mul, &[mode, x, right]);
    let ratio = terms.fp(Operation::Div, &[mode, left, right]);
    let bound = terms.f64(1.000000000000001);
    let large = terms.f64(1e3);
    let mut all = vec![terms.fp(Operation::Less, &[bound, ratio])];
    let one = terms.f64(1.0);
    for variable in [x, y, z] {
        all.push(terms.fp(Operation::Less, &[one, variable]));
        all.push(terms.fp(Operation::Less, &[variable, large]));
    }
    terms.and(&all)
}

#[test]
fn limits_are_kept() {
    let mut terms = Terms::new();
    let query = hard(&mut terms);
    let mut blaster = Blaster::default();
    blaster.assert(query);
    let start = Instant::now();
    let verdict = blaster.check(&terms, &[], &Budget::lasting(Duration::from_millis(300)), None);
    assert_eq!(verdict, Verdict::Unknown(Reason::Time));
    // Wide: it must end, and the machine may be busy.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());

    let mut blaster = Blaster::new(Options { memory: 1 << 20, ..Options::default() });
    blaster.assert(query);
    let verdict = blaster.check(&terms, &[], &Budget::lasting(Duration::from_secs(20)), None);
    assert_eq!(verdict, Verdict::Unknown(Reason::Memory));

    let stopped = Budget::unlimited();
    stopped.cancel();
    let verdict = blaster.check(&terms, &[], &stopped, None);
    assert_eq!(verdict, Verdict::Unknown(Reason::Stopped));
}

/// A query stopped in the midst of its making is answered right when it is
/// asked again.
#[test]
fn stopped_work_is_taken_up_again() {
    let mut terms = Terms::new();
    let format = Format::BINARY64;
    let [x, y] = ["x", "y"].map(|name| terms.variable(name, Sort::Float(format)));
    let mode = terms.variable("m", Sort::Rounding);
    let quotient = terms.fp(Operation::Div, &[mode, x, y]);
    let three = terms.f64(3.0);
    let (is_three, y_is_three) = (terms.equal(quotient, three), terms.equal(y, three));
    let positive = terms.fp(Operation::IsPositive, &[x]);
    let odd = terms.fp(Operation::IsSubnormal, &[x]);
    let assertions = [is_three, y_is_three, positive];
    let mut blaster = Blaster::default();
    assertions.iter().for_each(|&assertion| blaster.assert(assertion));
    for micros in [0, 50, 200, 800, 2000, 5000] {
        let budget = Budget::lasting(Duration::from_micros(micros));
        match blaster.check(&terms, &[], &budget, None) {
            Verdict::Sat(model) => assert!(holds(&terms, &model, &assertions)),
            Verdict::Unsat => panic!("nine by three is three"),
            Verdict::Unknown(reason) => assert_eq!(reason, Reason::Time),
        }
    }
    check(&mut blaster, &terms, &assertions, &[], true);
    check(&mut blaster, &terms, &assertions, &[odd], false);
}

#[test]
fn libm_is_refined_by_points() {
    let mut terms = Terms::new();
    let x = terms.variable("x", Sort::Float(Format::BINARY32));
    let power = terms.libm(nanoscope_term::Libm::Exp, &[x]);
    let one = terms.f32(1.0);
    let zero = terms.fp(Operation::IsZero, &[x]);
    let is_one = terms.fp(Operation::Equal, &[power, one]);
    let not_one = terms.not(is_one);
    let mut blaster = Blaster::default();
    blaster.assert(zero);
    check(&mut blaster, &terms, &[zero], &[is_one], true);
    check(&mut blaster, &terms, &[zero], &[not_one], false);
}

/// Numbers of few bits solve this; so a short significand finds them.
#[test]
fn short_significands_guess_models() {
    let mut terms = Terms::new();
    let format = Format::BINARY64;
    let [x, y] = ["x", "y"].map(|name| terms.variable(name, Sort::Float(format)));
    let bits = terms.variable("b", Sort::Bits(64));
    let read = terms.from_bits(format, bits);
    let mode = rne(&mut terms);
    let product = terms.fp(Operation::Mul, &[mode, x, y]);
    let ratio = terms.fp(Operation::Div, &[mode, x, read]);
    let [one, five, seven] = [1.0, 5.0, 7.0].map(|number| terms.f64(number));
    let (low, high) = (terms.f64(0.4), terms.f64(0.6));
    let assertions = [
        terms.fp(Operation::Less, &[five, product]),
        terms.fp(Operation::Less, &[product, seven]),
        terms.fp(Operation::Less, &[low, ratio]),
        terms.fp(Operation::Less, &[ratio, high]),
        terms.fp(Operation::Less, &[one, x]),
        terms.fp(Operation::Less, &[one, y]),
    ];
    let budget = Budget::lasting(Duration::from_secs(20));
    let Guess::Right(model) = guess(&terms, &assertions, 5, Options::default(), &budget) else {
        panic!("two by three is about six");
    };
    assert!(holds(&terms, &model, &assertions));
    // What needs long significands is not found, and not called impossible.
    let tenth = terms.f64(0.1);
    let is_tenth = terms.fp(Operation::Equal, &[x, tenth]);
    let verdict = guess(&terms, &[is_tenth], 5, Options::default(), &budget);
    assert!(matches!(verdict, Guess::Near(_)), "{verdict:?}");
}
