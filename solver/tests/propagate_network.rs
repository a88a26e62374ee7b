//! Whole formulas: planted solutions survive propagation, whatever the terms.

mod draw;

use draw::Draw;
use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Operation, OutOfRange, Parameters, Rounding, Sort as Kind, Word};
use nanoscope_solver::propagate::{Domain, Network, Propagated};
use nanoscope_term::{
    BitsOp, Evaluation, Libm, Model, Op, Sort, Term, Terms, Value, evaluate, smtlib,
};

/// Terms of a few sorts, grown at random.
struct Grove {
    terms: Terms,
    model: Model,
    all: Vec<Term>,
    draw: Draw,
}

const SORTS: [Sort; 8] = [
    Sort::Bool,
    Sort::Rounding,
    Sort::Float(Format::BINARY64),
    Sort::Float(Format::BINARY32),
    Sort::Float(Format::new(3, 4)),
    Sort::Bits(32),
    Sort::Bits(7),
    Sort::Bits(64),
];

impl Grove {
    fn new(seed: u64) -> Grove {
        let mut grove = Grove {
            terms: Terms::without_rewriting(),
            model: Model::new(),
            all: Vec::new(),
            draw: Draw(seed),
        };
        for (i, sort) in SORTS.iter().enumerate() {
            for j in 0..2 {
                let variable = grove.terms.variable(&format!("v{i}_{j}"), *sort);
                let value = grove.value(*sort);
                grove.model.set(grove.terms.as_variable(variable).unwrap(), value);
                grove.all.push(variable);
                let constant = grove.value(*sort);
                let constant = grove.terms.constant(constant);
                grove.all.push(constant);
            }
        }
        grove
    }

    fn value(&mut self, sort: Sort) -> Value {
        let draw = &mut self.draw;
        match sort {
            Sort::Bool => Value::Bool(draw.below(2) == 0),
            Sort::Rounding => Value::Rounding(Rounding::ALL[draw.below(5) as usize]),
            Sort::Bits(width) => {
                let bits = draw.next() as u128 >> draw.below(64);
                Value::bits(width, if draw.below(2) == 0 { bits } else { !bits })
            }
            Sort::Float(format) => {
                let grid = nanoscope_solver::propagate::Grid::new(format).unwrap();
                let magnitude = match draw.below(6) {
                    0 => 0,
                    1 => grid.infinity(),
                    2 => grid.infinity() + 1,
                    3 => grid.one() + draw.below(9) as i128 - 4,
                    4 => draw.below(5) as i128,
                    _ => draw.next() as i128 % grid.infinity(),
                };
                let bits = grid.encode(if draw.below(2) == 0 { magnitude } else { !magnitude });
                Value::float(format, Word::new(format.width(), bits))
            }
            Sort::Array(_) => unreachable!(),
        }
    }

    fn any(&mut self, sort: Sort) -> Term {
        let of_sort: Vec<Term> =
            self.all.iter().copied().filter(|term| self.terms.sort(*term) == sort).collect();
        // The newest come more often, so that terms grow deep.
        let count = of_sort.len() as u64;
        let newest = self.draw.below(3) == 0;
        let from = if newest { count - count.min(3) } else { 0 };
        of_sort[(from + self.draw.below(count - from)) as usize]
    }

    fn float(&mut self) -> Format {
        [Format::BINARY64, Format::BINARY32, Format::new(3, 4)][self.draw.below(3) as usize]
    }

    fn width(&mut self) -> u32 {
        [32, 7, 64][self.draw.below(3) as usize]
    }

    /// One more term, of any operation.
    fn grow(&mut self) {
        let (op, arguments) = match self.draw.below(12) {
            0 => (Op::Not, vec![self.any(Sort::Bool)]),
            1 => (Op::And, vec![self.any(Sort::Bool), self.any(Sort::Bool)]),
            2 => (Op::Or, vec![self.any(Sort::Bool), self.any(Sort::Bool), self.any(Sort::Bool)]),
            3 => {
                let sort = SORTS[self.draw.below(8) as usize];
                (Op::Ite, vec![self.any(Sort::Bool), self.any(sort), self.any(sort)])
            }
            4 => {
                let sort = SORTS[self.draw.below(8) as usize];
                (Op::Equal, vec![self.any(sort), self.any(sort)])
            }
            5 | 6 => self.bits(),
            7 => {
                let function = Libm::ALL[self.draw.below(Libm::ALL.len() as u64) as usize];
                let format = [Format::BINARY64, Format::BINARY32][self.draw.below(2) as usize];
                let arguments = (0..function.arity()).map(|_| self.any(Sort::Float(format)));
                (Op::Libm(function, format), arguments.collect())
            }
            _ => self.operation(),
        };
        if self.terms.sort_of(op, &arguments).is_ok_and(|sort| SORTS.contains(&sort)) {
            let term = self.terms.make(op, &arguments);
            self.all.push(term);
        }
    }

    fn bits(&mut self) -> (Op, Vec<Term>) {
        let width = self.width();
        let sort = Sort::Bits(width);
        let low = self.draw.below(width as u64) as u32;
        let op = [
            BitsOp::Not,
            BitsOp::Neg,
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
            BitsOp::Ult,
            BitsOp::Ule,
            BitsOp::Slt,
            BitsOp::Sle,
            BitsOp::Concat,
            BitsOp::ZeroExtend(32),
            BitsOp::SignExtend(32),
            BitsOp::ZeroExtend(25),
            BitsOp::SignExtend(25),
            BitsOp::Extract { high: (low + 6).min(width - 1), low },
            BitsOp::Extract { high: width - 1, low: width - 7 },
            BitsOp::Extract { high: 31.min(width - 1), low: 0 },
        ][self.draw.below(25) as usize];
        let unary = matches!(
            op,
            BitsOp::Not
                | BitsOp::Neg
                | BitsOp::ZeroExtend(_)
                | BitsOp::SignExtend(_)
                | BitsOp::Extract { .. }
        );
        let count = if unary { 1 } else { 2 };
        (Op::Bits(op), (0..count).map(|_| self.any(sort)).collect())
    }

    fn operation(&mut self) -> (Op, Vec<Term>) {
        let operation = Operation::ALL[self.draw.below(Operation::ALL.len() as u64) as usize];
        if operation == Operation::Identical {
            return (Op::Not, vec![self.any(Sort::Bool)]);
        }
        let (format, target) = (self.float(), self.float());
        let width = match operation {
            Operation::FromBits | Operation::ToBits => format.width(),
            _ => self.width(),
        };
        let out_of_range = OutOfRange::ALL[self.draw.below(3) as usize];
        let parameters = Parameters { format, target, width, out_of_range };
        let arguments = operation
            .operands()
            .iter()
            .map(|kind| match kind {
                Kind::Float => self.any(Sort::Float(format)),
                Kind::Rounding => self.any(Sort::Rounding),
                Kind::Bits if SORTS.contains(&Sort::Bits(width)) => self.any(Sort::Bits(width)),
                Kind::Bits | Kind::Bool => self.any(Sort::Bool),
            })
            .collect();
        (Op::Float(operation, parameters), arguments)
    }
}

/// Whether a domain holds a value.
fn holds(domain: Domain, value: &Value) -> bool {
    !domain.meet(Domain::of_value(value)).is_empty()
}

#[test]
fn planted_solutions_survive() {
    let budget = Budget::unlimited().with_evaluations(u64::MAX);
    let (mut narrowed, mut decided) = (0, 0);
    for seed in 0..1500 {
        let mut grove = Grove::new(seed);
        for _ in 0..60 {
            grove.grow();
        }
        // Whatever is true of the model is asserted, and may be used.
        let bools: Vec<Term> = grove
            .all
            .iter()
            .copied()
            .filter(|term| grove.terms.sort(*term) == Sort::Bool)
            .collect();
        let mut assertions = Vec::new();
        for term in bools {
            if grove.draw.below(2) == 0 {
                continue;
            }
            let value = evaluate(&grove.terms, &grove.model, term).as_bool().unwrap();
            assertions.push(if value { term } else { grove.terms.make(Op::Not, &[term]) });
        }
        let mut network = Network::new(&grove.terms, &assertions);
        network.push();
        let outcome = network.propagate(&budget);
        assert_eq!(outcome, Propagated::Settled, "seed {seed} refuted");
        let mut evaluation = Evaluation::new(&grove.terms, &grove.model);
        for (term, domain) in network.domains() {
            let value = evaluation.value(term);
            assert!(
                holds(domain, value),
                "seed {seed}: {} lost {value:?}: {domain:?}",
                smtlib::term_text(&grove.terms, term)
            );
            narrowed += (domain != Domain::of_sort(grove.terms.sort(term))) as u64;
            decided += domain.is_single() as u64;
        }
        network.pop();
        let fresh = Network::new(&grove.terms, &assertions);
        assert!(network.domains().eq(fresh.domains()), "seed {seed}: pop takes back everything");
    }
    println!("{narrowed} domains narrowed, {decided} of them to one value");
    assert!(decided > 20_000);
}
