//! Comparisons of bit strings that rewriting decides, on every value: random expressions of few
//! bits, and the same expressions written differently.

use nanoscope_term::Sort;
use nanoscope_term::smtlib::term_text;
use nanoscope_term::{BitsOp, Evaluation, Model, Term, Terms, Value};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// An expression as a tree, to be made in several terms.
#[derive(Clone)]
enum Tree {
    Variable(&'static str),
    Known(u128),
    Apply(BitsOp, Vec<Tree>),
    /// The low bits of a product, shifted and put together with others.
    Cut(Box<Tree>),
}

const WIDTH: u32 = 3;
const NAMES: [&str; 3] = ["a", "b", "c"];

impl Tree {
    fn draw(random: &mut Random, depth: u32) -> Tree {
        if depth == 0 || random.below(6) == 0 {
            return match random.below(4) {
                0 => Tree::Known(u128::from(random.below(8))),
                at => Tree::Variable(NAMES[at as usize - 1]),
            };
        }
        let mut below = || Tree::draw(random, depth - 1);
        let (first, second) = (below(), below());
        const TWO: [BitsOp; 9] = [
            BitsOp::Add,
            BitsOp::Sub,
            BitsOp::Mul,
            BitsOp::And,
            BitsOp::Or,
            BitsOp::Xor,
            BitsOp::Shl,
            BitsOp::Urem,
            BitsOp::Udiv,
        ];
        match random.below(12) {
            0 => Tree::Apply(BitsOp::Neg, vec![first]),
            1 => Tree::Apply(BitsOp::Not, vec![first]),
            2 => Tree::Cut(Box::new(first)),
            // Sums and products more often than others.
            3..=5 => Tree::Apply(TWO[random.below(3) as usize], vec![first, second]),
            _ => Tree::Apply(TWO[random.below(9) as usize], vec![first, second]),
        }
    }

    /// Another tree with the same values.
    fn rewritten(&self, random: &mut Random) -> Tree {
        let Tree::Apply(op, args) = self else { return self.clone() };
        let mut args: Vec<Tree> = args.iter().map(|arg| arg.rewritten(random)).collect();
        let apply =
            |op, args: &[&Tree]| Tree::Apply(op, args.iter().map(|arg| (*arg).clone()).collect());
        match (op, random.below(3)) {
            (BitsOp::Add | BitsOp::Mul | BitsOp::And | BitsOp::Or | BitsOp::Xor, 0) => {
                args.reverse();
                Tree::Apply(*op, args)
            }
            (BitsOp::Sub, 0 | 1) => {
                let minus = apply(BitsOp::Neg, &[&args[1]]);
                apply(BitsOp::Add, &[&minus, &args[0]])
            }
            (BitsOp::Or, _) => {
                let (sum, both) = (
                    apply(BitsOp::Add, &[&args[0], &args[1]]),
                    apply(BitsOp::And, &[&args[1], &args[0]]),
                );
                apply(BitsOp::Sub, &[&sum, &both])
            }
            (BitsOp::Mul, 1) => match &args[0] {
                Tree::Apply(BitsOp::Add, sum) => {
                    let parts = [0, 1].map(|at| apply(BitsOp::Mul, &[&args[1], &sum[at]]));
                    apply(BitsOp::Add, &[&parts[1], &parts[0]])
                }
                _ => Tree::Apply(*op, args),
            },
            (BitsOp::Not, _) => {
                let minus = apply(BitsOp::Neg, &[&args[0]]);
                apply(BitsOp::Sub, &[&minus, &Tree::Known(1)])
            }
            _ => Tree::Apply(*op, args),
        }
    }

    fn make(&self, terms: &mut Terms) -> Term {
        match self {
            Tree::Variable(name) => terms.variable(name, Sort::Bits(WIDTH)),
            Tree::Known(value) => terms.bits(WIDTH, *value),
            Tree::Apply(op, args) => {
                let args: Vec<Term> = args.iter().map(|arg| arg.make(terms)).collect();
                terms.bits_op(*op, &args)
            }
            Tree::Cut(inner) => {
                let inner = inner.make(terms);
                let low = terms.extract(WIDTH - 2, 0, inner);
                let zero = terms.bits(1, 0);
                terms.concat(low, zero)
            }
        }
    }
}

#[test]
fn what_is_decided_holds_for_every_value() {
    let mut random = Random(1);
    let (mut decided, mut alike) = (0, 0);
    for round in 0..6000 {
        let first = Tree::draw(&mut random, 3);
        let same = round % 2 == 0;
        let second = if same { first.rewritten(&mut random) } else { Tree::draw(&mut random, 2) };
        let comparisons = [None, Some(BitsOp::Ult), Some(BitsOp::Sle)];
        let comparison = comparisons[random.below(3) as usize];
        let made = |terms: &mut Terms| {
            let (a, b) = (first.make(terms), second.make(terms));
            match comparison {
                None => terms.equal(a, b),
                Some(op) => terms.bits_op(op, &[a, b]),
            }
        };
        let mut rewriting = Terms::new();
        let short = made(&mut rewriting);
        let Some(truth) = rewriting.value(short).and_then(Value::as_bool) else { continue };
        decided += 1;
        alike += u32::from(same);
        let mut terms = Terms::without_rewriting();
        let long = made(&mut terms);
        let variables = terms.variables_below(&[long]);
        for number in 0..1u128 << (WIDTH * variables.len() as u32) {
            let mut model = Model::new();
            for (at, variable) in variables.iter().enumerate() {
                let bits = number >> (WIDTH * at as u32) & ((1 << WIDTH) - 1);
                model.set(*variable, Value::bits(WIDTH, bits));
            }
            let value = Evaluation::new(&terms, &model).value(long).as_bool();
            assert_eq!(value, Some(truth), "{} for {model:?}", term_text(&terms, long));
        }
    }
    assert!(decided > 2000 && alike > 1500, "{decided} decided, {alike} of them alike");
}
