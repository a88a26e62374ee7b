//! That rounding is monotone, said beside the circuits.
//!
//! `x + y >= x` where `y >= 0`, `sqrt(x) <= sqrt(y)` where `x <= y`, rounded down at most what
//! is rounded up: a SAT solver finds such things only through the adders, bit by bit. Here they
//! are lemmas, over comparisons that the query mostly has anyway. All follow from this: a
//! rounding never goes past a number of its format (IEEE 754, 4.3).

use super::Reason;
use super::aig::{Aig, Lit};
use super::image::Images;
use nanoscope_ieee::{Algebra, Circuit, Domain, Format, Operation, Parameters, Rounding, Word};
use nanoscope_term::{Op, Term, Terms, Value};

/// Operations whose results are compared with one another, at most.
const COMPARED: usize = 64;
/// Operations up to which those are compared that share no operand.
const FEW: usize = 6;

/// Whether lemmas are to be had of an operation.
pub(super) fn concerns(operation: Operation, parameters: &Parameters) -> bool {
    let rounds = match operation {
        Operation::Convert => !holds(parameters.target, parameters.format),
        _ => matches!(
            operation,
            Operation::Add
                | Operation::Sub
                | Operation::Mul
                | Operation::Div
                | Operation::Sqrt
                | Operation::RoundToIntegral
        ),
    };
    rounds && !parameters.format.explicit_integer_bit && !parameters.target.explicit_integer_bit
}

/// What was said so far.
#[derive(Default)]
pub(super) struct Order {
    said: Vec<Rounded>,
    introduced: usize,
}

/// A rounded result.
#[derive(Clone, Debug)]
struct Rounded {
    term: Term,
    operation: Operation,
    /// Of the operands.
    source: Format,
    /// Of the result.
    format: Format,
    mode: Term,
    /// The mode, if it is known.
    rounding: Option<Rounding>,
    operands: Vec<Term>,
}

impl Order {
    /// Says what there is to say about operations not met before.
    pub fn introduce(&mut self, images: &mut Images, terms: &Terms) -> Result<(), Reason> {
        while let Some(&term) = images.rounded.get(self.introduced) {
            let new = Rounded::read(terms, term);
            let mut lemmas = Lemmas { images, terms, found: Vec::new() };
            lemmas.alone(&new);
            if self.said.len() < COMPARED {
                for old in &self.said {
                    let few = self.said.len() < FEW;
                    lemmas.pair(&new, old, few);
                    lemmas.pair(old, &new, few);
                }
                lemmas.between(&new, &self.said);
                self.said.push(new);
            }
            let found = lemmas.found;
            if images.circuit.algebra.overgrown() {
                return Err(images.circuit.algebra.why_overgrown());
            }
            images.constraints.extend(found);
            self.introduced += 1;
        }
        Ok(())
    }
}

impl Rounded {
    fn read(terms: &Terms, term: Term) -> Rounded {
        let Op::Float(operation, parameters) = terms.op(term) else {
            unreachable!("only operations on floats are rounded")
        };
        let args = terms.args(term);
        let format =
            if operation == Operation::Convert { parameters.target } else { parameters.format };
        let rounding = match terms.value(args[0]) {
            Some(Value::Rounding(rounding)) => Some(*rounding),
            Some(_) | None => None,
        };
        Rounded {
            term,
            operation,
            source: parameters.format,
            format,
            mode: args[0],
            rounding,
            operands: args[1..].to_vec(),
        }
    }

    /// Whether this one is at most another if it is so before rounding.
    fn rounds_below(&self, other: &Rounded) -> bool {
        let down = self.rounding == Some(Rounding::Downward);
        let up = other.rounding == Some(Rounding::Upward);
        if self.format == other.format {
            return self.mode == other.mode || down || up;
        }
        (down && holds(other.format, self.format)) || (up && holds(self.format, other.format))
    }
}

/// Whether a format has all numbers of another.
fn holds(wide: Format, narrow: Format) -> bool {
    let implicit = !wide.explicit_integer_bit && !narrow.explicit_integer_bit;
    implicit && wide.exponent_bits >= narrow.exponent_bits && wide.precision >= narrow.precision
}

/// The float that a term is, without conversions that change nothing; and its format.
fn core(terms: &Terms, term: Term, format: Format) -> (Term, Format) {
    match terms.op(term) {
        Op::Float(Operation::Convert, parameters) if holds(format, parameters.format) => {
            core(terms, terms.args(term)[1], parameters.format)
        }
        _ => (term, format),
    }
}

struct Lemmas<'a> {
    images: &'a mut Images,
    terms: &'a Terms,
    found: Vec<Lit>,
}

impl Lemmas<'_> {
    /// What a result is beside its own operands.
    fn alone(&mut self, of: &Rounded) {
        let format = of.format;
        let result = self.images.of(of.term).to_vec();
        let operands: Vec<Vec<Lit>> =
            of.operands.iter().map(|&operand| self.images.of(operand).to_vec()).collect();
        let number = !self.circuit().is_nan(format, &result).0;
        match of.operation {
            Operation::Add | Operation::Sub => {
                let mut operands = operands;
                if of.operation == Operation::Sub {
                    operands[1] = self.circuit().neg(format, &operands[1]).0;
                }
                for (one, other) in [(0, 1), (1, 0)] {
                    let (one, other) = (&operands[one], &operands[other]);
                    let rises = self.at_least_zero(format, other);
                    let above = self.at_most(format, one, &result);
                    self.when(&[number, rises], above);
                    let falls = self.at_most_zero(format, other);
                    let below = self.at_most(format, &result, one);
                    self.when(&[number, falls], below);
                }
            }
            Operation::Mul => {
                for (one, other) in [(0, 1), (1, 0)] {
                    self.scales(format, number, &operands[one], &operands[other], &result, false);
                }
            }
            Operation::Div => {
                self.scales(format, number, &operands[1], &operands[0], &result, true);
            }
            // Everything that is known of these is in pairs.
            _ => {}
        }
    }

    /// A factor of at most one does not lengthen, one of at least one does not shorten; with
    /// divisors it is the other way round.
    fn scales(
        &mut self,
        format: Format,
        number: Lit,
        factor: &[Lit],
        other: &[Lit],
        result: &[Lit],
        divides: bool,
    ) {
        let length = |word: &[Lit]| word[..word.len() - 1].to_vec();
        let (factor, other, result) = (length(factor), length(other), length(result));
        let one = nanoscope_ieee::Float::one(format, false).word().clone();
        let aig = &mut self.images.circuit.algebra;
        let one = length(&aig.constant(&one));
        let mut small = !aig.less(&one, &factor);
        let mut large = !aig.less(&factor, &one);
        if divides {
            std::mem::swap(&mut small, &mut large);
        }
        let shorter = !aig.less(&other, &result);
        let longer = !aig.less(&result, &other);
        self.when(&[number, small], shorter);
        self.when(&[number, large], longer);
    }

    /// Where one result is at most another.
    fn pair(&mut self, low: &Rounded, high: &Rounded, few: bool) {
        if low.operation != high.operation || !low.rounds_below(high) {
            return;
        }
        let same = |a: Term, b: Term| {
            core(self.terms, a, low.source).0 == core(self.terms, b, high.source).0
        };
        let operands = (low.operands.as_slice(), high.operands.as_slice());
        match (low.operation, operands) {
            (Operation::Add, (&[a, b], &[c, d])) => {
                if same(b, d) || same(a, c) || few {
                    self.conclude(low, high, &[(a, c), (b, d)], &[]);
                } else if same(a, d) || same(b, c) {
                    self.conclude(low, high, &[(a, d), (b, c)], &[]);
                }
            }
            (Operation::Sub, (&[a, b], &[c, d])) if same(b, d) || same(a, c) || few => {
                if let Some(falls) = self.compare(high.source, d, low.source, b) {
                    self.conclude(low, high, &[(a, c)], &[falls]);
                }
            }
            (Operation::Mul, (&[a, b], &[c, d])) => {
                let shared = [(a, b, c, d), (b, a, c, d), (a, b, d, c), (b, a, d, c)];
                let shared = shared.into_iter().find(|&(a, _, c, _)| same(a, c));
                if let Some((factor, one, _, other)) = shared {
                    self.scaled(low, high, factor, one, other, false);
                }
            }
            (Operation::Div, (&[a, b], &[c, d])) if same(b, d) => {
                self.scaled(low, high, b, a, c, true);
            }
            (Operation::Sqrt | Operation::RoundToIntegral | Operation::Convert, (&[a], &[b])) => {
                self.conclude(low, high, &[(a, b)], &[]);
            }
            _ => {}
        }
    }

    /// Results of the same factor or divisor: its sign says which way.
    fn scaled(
        &mut self,
        low: &Rounded,
        high: &Rounded,
        factor: Term,
        one: Term,
        other: Term,
        divides: bool,
    ) {
        let word = self.images.of(factor).to_vec();
        let format = low.source;
        let mut up = self.at_least_zero(format, &word);
        let mut down = self.at_most_zero(format, &word);
        if divides {
            let zero = self.circuit().is_zero(format, &word).0;
            let aig = &mut self.images.circuit.algebra;
            up = aig.and(up, !zero);
            down = aig.and(down, !zero);
        }
        self.conclude(low, high, &[(one, other)], &[up]);
        if let Some(reversed) = self.compare(high.source, other, low.source, one) {
            self.conclude(low, high, &[], &[down, reversed]);
        }
    }

    /// `low <= high`, where operands are ordered like this and conditions hold.
    fn conclude(
        &mut self,
        low: &Rounded,
        high: &Rounded,
        ordered: &[(Term, Term)],
        conditions: &[Lit],
    ) {
        let mut conditions = conditions.to_vec();
        for &(one, other) in ordered {
            let Some(holds) = self.compare(low.source, one, high.source, other) else { return };
            conditions.push(holds);
        }
        for of in [low, high] {
            let word = self.images.of(of.term).to_vec();
            conditions.push(!self.circuit().is_nan(of.format, &word).0);
        }
        if let Some(so) = self.compare(low.format, low.term, high.format, high.term) {
            self.when(&conditions, so);
        }
    }

    /// What is rounded to nearest or towards zero is rounded down or up.
    fn between(&mut self, new: &Rounded, said: &[Rounded]) {
        let alike = |old: &&Rounded| {
            old.operation == new.operation
                && old.format == new.format
                && old.source == new.source
                && old.operands == new.operands
        };
        let mut all: Vec<&Rounded> = said.iter().filter(alike).collect();
        all.push(new);
        let with = |mode: Rounding| all.iter().find(|of| of.rounding == Some(mode)).copied();
        let (Some(down), Some(up)) = (with(Rounding::Downward), with(Rounding::Upward)) else {
            return;
        };
        for of in all {
            if of.term == down.term || of.term == up.term {
                continue;
            }
            let format = of.format;
            let [word, down, up] = [of, down, up].map(|of| self.images.of(of.term).to_vec());
            let circuit = self.circuit();
            let is_down = circuit.equal(format, &word, &down).0;
            let is_up = circuit.equal(format, &word, &up).0;
            let number = !circuit.is_nan(format, &word).0;
            let either = circuit.algebra.or(is_down, is_up);
            self.when(&[number], either);
            if of.rounding == Some(Rounding::TowardZero) {
                let negative = word[word.len() - 1];
                self.when(&[number, !negative], is_down);
                self.when(&[number, negative], is_up);
            }
        }
    }

    /// `one <= other`, neither being a NaN, in the wider of their formats, if one is.
    fn compare(
        &mut self,
        format: Format,
        one: Term,
        other_format: Format,
        other: Term,
    ) -> Option<Lit> {
        let (one, format) = core(self.terms, one, format);
        let (other, other_format) = core(self.terms, other, other_format);
        let wide = if holds(format, other_format) { format } else { other_format };
        if !holds(wide, format) {
            return None;
        }
        let [one, other] = [(one, format), (other, other_format)].map(|(term, format)| {
            let word = self.images.of(term).to_vec();
            if format == wide {
                return word;
            }
            let nearest = Word::new(3, Rounding::NearestEven as u128);
            let circuit = self.circuit();
            let nearest = circuit.algebra.constant(&nearest);
            circuit.convert(format, wide, &nearest, &word).0
        });
        Some(self.at_most(wide, &one, &other))
    }

    fn at_most(&mut self, format: Format, one: &Vec<Lit>, other: &Vec<Lit>) -> Lit {
        self.circuit().less_equal(format, one, other).0
    }

    fn at_least_zero(&mut self, format: Format, word: &Vec<Lit>) -> Lit {
        let zero = self.circuit().algebra.constant(&Word::zero(format.width()));
        self.at_most(format, &zero, word)
    }

    fn at_most_zero(&mut self, format: Format, word: &Vec<Lit>) -> Lit {
        let zero = self.circuit().algebra.constant(&Word::zero(format.width()));
        self.at_most(format, word, &zero)
    }

    fn when(&mut self, conditions: &[Lit], conclusion: Lit) {
        let aig = &mut self.images.circuit.algebra;
        let all = aig.all(&conditions.iter().collect::<Vec<_>>());
        let lemma = aig.or(!all, conclusion);
        if lemma != Lit::TRUE {
            self.found.push(lemma);
        }
    }

    fn circuit(&mut self) -> &mut Circuit<Aig> {
        &mut self.images.circuit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blast::cnf::{Cnf, Writing};
    use crate::blast::sat::{Answer, Sat};
    use crate::blast::words::Tuning;
    use nanoscope_search::Budget;
    use nanoscope_term::Sort;

    /// No lemma about these terms can fail, and there are some.
    fn check(terms: &Terms, roots: &[Term]) {
        let budget = Budget::default();
        let mut images = Images::new(Tuning::default(), false);
        images.build(terms, roots).expect("small circuits");
        let given = images.constraints.len();
        Order::default().introduce(&mut images, terms).expect("small circuits");
        let (given, lemmas) = images.constraints.split_at(given);
        let (given, lemmas) = (given.to_vec(), lemmas.to_vec());
        assert!(!lemmas.is_empty(), "nothing was said about {roots:?}");
        let (mut cnf, mut sat) = (Cnf::new(Writing::default()), Sat::new());
        let aig = images.aig();
        let failing: Vec<Lit> = lemmas.iter().map(|lemma| !*lemma).collect();
        let some = aig.any(&failing.iter().collect::<Vec<_>>());
        for lit in given.into_iter().chain([some]) {
            cnf.assert(aig, &mut sat, lit, None, &budget).expect("no limit");
        }
        let answer = sat.solve(&[], &budget, None);
        assert!(matches!(answer, Answer::Unsatisfiable), "a lemma about {roots:?} can fail");
    }

    fn operation(terms: &mut Terms, operation: Operation, format: Format, args: &[Term]) -> Term {
        terms.float(operation, Parameters::of(format), args)
    }

    #[test]
    fn lemmas_hold() {
        let (narrow, wide) = (Format::new(2, 2), Format::new(3, 3));
        let modes = Rounding::ALL.map(Some).into_iter().chain([None]);
        for (first, second) in modes.clone().flat_map(|a| modes.clone().map(move |b| (a, b))) {
            let mut terms = Terms::new();
            let unknown = terms.variable("mode", Sort::Rounding);
            let [m, n] = [first, second].map(|mode| match mode {
                Some(mode) => terms.constant(Value::Rounding(mode)),
                None => unknown,
            });
            let [a, b, c, d] =
                ["a", "b", "c", "d"].map(|name| terms.variable(name, Sort::Float(narrow)));
            for op in [Operation::Add, Operation::Sub, Operation::Mul, Operation::Div] {
                for [p, q, r, s] in [[a, b, c, b], [a, b, a, c], [a, b, b, c], [a, b, c, d]] {
                    let x = operation(&mut terms, op, narrow, &[m, p, q]);
                    let y = operation(&mut terms, op, narrow, &[n, r, s]);
                    check(&terms, &[x, y]);
                }
                // The same operands, one result rounded in a wider format.
                let [wide_a, wide_b] = [a, b].map(|term| {
                    let parameters = Parameters::between(narrow, wide);
                    terms.float(Operation::Convert, parameters, &[m, term])
                });
                let x = operation(&mut terms, op, narrow, &[m, a, b]);
                let y = operation(&mut terms, op, wide, &[n, wide_a, wide_b]);
                check(&terms, &[x, y]);
                let all: Vec<Term> = Rounding::ALL
                    .iter()
                    .map(|mode| {
                        let mode = terms.constant(Value::Rounding(*mode));
                        operation(&mut terms, op, narrow, &[mode, a, b])
                    })
                    .collect();
                if first == second && first.is_none() {
                    check(&terms, &all);
                }
            }
            if first == second {
                for op in [Operation::Sqrt, Operation::RoundToIntegral] {
                    let x = operation(&mut terms, op, narrow, &[m, a]);
                    let y = operation(&mut terms, op, narrow, &[n, b]);
                    check(&terms, &[x, y]);
                }
                let [e, f] = ["e", "f"].map(|name| terms.variable(name, Sort::Float(wide)));
                let parameters = Parameters::between(wide, narrow);
                let [x, y] =
                    [e, f].map(|term| terms.float(Operation::Convert, parameters, &[m, term]));
                check(&terms, &[x, y]);
            }
        }
    }
}
