//! A literal with one unknown as a set of floats (Algorithm 4): `R(x) ⋈ 0` by
//! the signs of `R`, where everything known stands for its float.

use super::branch::{Branch, Literal, extreme};
use super::polynomial::{Fraction, Polynomial};
use super::region::{Order, Region};
use crate::propagate::Grid;
use nanoscope_budget::Budget;
use nanoscope_ieee::{Float, Format, Operation, Rational, Rounding, operations};
use nanoscope_term::{Evaluation, Model, Op, Sort, Term, Terms, Value, VariableId, op_heads};
use num_traits::Zero;
use std::collections::{BTreeMap, BTreeSet};

/// As many as binary128 has; numbers of longer exponents fill the memory.
const MOST_EXPONENT_BITS: u32 = 15;

/// Linearises literals in one unknown.
pub(super) struct Linearizer<'a> {
    terms: &'a Terms,
    branch: &'a Branch,
    known: Evaluation<'a>,
    unknown: VariableId,
    grid: Grid,
    budget: &'a Budget,
    /// The terms that the unknown is in.
    depending: BTreeSet<Term>,
    fractions: BTreeMap<Term, Option<Fraction>>,
}

impl<'a> Linearizer<'a> {
    /// With every variable but the unknown having its value of the model; none
    /// if the budget ends.
    pub(super) fn new(
        terms: &'a Terms,
        below: &[Term],
        branch: &'a Branch,
        model: &'a Model,
        (unknown, grid): (VariableId, Grid),
        budget: &'a Budget,
    ) -> Option<Linearizer<'a>> {
        let mut depending = BTreeSet::from([terms.variable_term(unknown)]);
        for term in below {
            if terms.args(*term).iter().any(|arg| depending.contains(arg)) {
                depending.insert(*term);
            }
        }
        let known = Evaluation::new(terms, model);
        let fractions = BTreeMap::new();
        let mut linearizer =
            Linearizer { terms, branch, known, unknown, grid, budget, depending, fractions };
        // Arguments first, so that nothing recurs deeply.
        for term in below {
            let float = matches!(terms.sort(*term), Sort::Float(_));
            if float && linearizer.depending.contains(term) {
                if budget.exhausted() {
                    return None;
                }
                linearizer.fraction(*term);
            }
        }
        Some(linearizer)
    }

    /// The floats for which a literal holds in reals; none if it is beyond
    /// rational functions.
    pub(super) fn region(&mut self, literal: Literal) -> Option<Region> {
        match literal {
            Literal::Is(term, wanted) => self.truth(term, wanted),
            Literal::Negative(term, negative) => {
                let order = self.against(term, &Rational::zero())?;
                Some(if negative { order.less } else { order.greater.join(&order.equal) })
            }
            Literal::Ordered(a, b, ordered) => {
                let order = self.order(a, b)?;
                Some(order.equal.join(if ordered { &order.less } else { &order.greater }))
            }
        }
    }

    fn truth(&mut self, term: Term, wanted: bool) -> Option<Region> {
        let args = self.terms.args(term);
        let Op::Float(operation, _) = self.terms.op(term) else {
            let floats = self.terms.op(term) == Op::Equal
                && matches!(self.terms.sort(args[0]), Sort::Float(_));
            return if floats { self.equality(args[0], args[1], wanted) } else { None };
        };
        let holding = match operation {
            Operation::Equal | Operation::EqualSignaling => {
                return self.equality(args[0], args[1], wanted);
            }
            Operation::Less | Operation::LessSignaling => self.order(args[0], args[1])?.less,
            Operation::Greater | Operation::GreaterSignaling => {
                self.order(args[0], args[1])?.greater
            }
            Operation::LessEqual | Operation::LessEqualSignaling => {
                let order = self.order(args[0], args[1])?;
                order.less.join(&order.equal)
            }
            Operation::GreaterEqual | Operation::GreaterEqualSignaling => {
                let order = self.order(args[0], args[1])?;
                order.greater.join(&order.equal)
            }
            Operation::IsZero => {
                let order = self.against(args[0], &Rational::zero())?;
                if wanted { order.near } else { order.equal }
            }
            Operation::IsNegative | Operation::IsSignMinus => {
                self.against(args[0], &Rational::zero())?.less
            }
            Operation::IsPositive => {
                let order = self.against(args[0], &Rational::zero())?;
                order.greater.join(&order.equal)
            }
            // What overflows is beyond the greatest float in reals.
            Operation::IsInfinite => self.beyond(args[0], Float::largest)?,
            Operation::IsFinite => {
                self.beyond(args[0], Float::largest)?.complement(self.grid.finite())
            }
            Operation::IsNormal => {
                let over = self.beyond(args[0], Float::largest)?;
                let normal = self.beyond(args[0], Float::smallest_normal)?;
                normal.meet(&over.complement(self.grid.finite()))
            }
            Operation::IsSubnormal => {
                let normal = self.beyond(args[0], Float::smallest_normal)?;
                let zero = self.against(args[0], &Rational::zero())?.equal;
                normal.join(&zero).complement(self.grid.finite())
            }
            // The root of what is negative.
            Operation::IsNan if is_root(self.terms, args[0]) => {
                self.against(self.terms.args(args[0])[1], &Rational::zero())?.less
            }
            Operation::IsNan
            | Operation::IsSignaling
            | Operation::Unordered
            | Operation::Identical
            | operations!(Arithmetic, Remainder, Integral, Choice, Sign, Step, Convert, Encoding) =>
            {
                return None;
            }
        };
        Some(if wanted { holding } else { holding.complement(self.grid.finite()) })
    }

    fn equality(&mut self, a: Term, b: Term, wanted: bool) -> Option<Region> {
        let order = self.order(a, b)?;
        Some(if wanted { order.near } else { order.equal.complement(self.grid.finite()) })
    }

    /// Where the magnitude is beyond a float of the term's format.
    fn beyond(&mut self, term: Term, limit: fn(Format, bool) -> Float) -> Option<Region> {
        let limit = exactly(&limit(self.terms.format(term), false))?;
        let above = self.against(term, &limit)?.greater;
        Some(above.join(&self.against(term, &-limit)?.less))
    }

    fn against(&mut self, term: Term, value: &Rational) -> Option<Order> {
        let value = Fraction::of(Polynomial::constant(value.clone()));
        match self.rooted(term) {
            Some(operand) => self.root_against(operand, &value),
            None => Some(Order::of_fraction(
                &self.fraction(term)?.minus(&value)?,
                self.grid,
                self.budget,
            )),
        }
    }

    /// How two floats compare in reals.
    fn order(&mut self, a: Term, b: Term) -> Option<Order> {
        match (self.rooted(a), self.rooted(b)) {
            (None, None) => {
                let difference = self.fraction(a)?.minus(&self.fraction(b)?)?;
                Some(Order::of_fraction(&difference, self.grid, self.budget))
            }
            (Some(operand), None) => {
                let other = self.fraction(b)?;
                self.root_against(operand, &other)
            }
            (None, Some(operand)) => {
                let other = self.fraction(a)?;
                let Order { less, equal, greater, near } = self.root_against(operand, &other)?;
                Some(Order { less: greater, equal, greater: less, near })
            }
            // Roots are ordered as their operands are.
            (Some(first), Some(second)) => {
                let difference = self.fraction(first)?.minus(&self.fraction(second)?)?;
                Some(Order::of_fraction(&difference, self.grid, self.budget))
            }
        }
    }

    /// The operand of a square root that the unknown is in.
    fn rooted(&self, term: Term) -> Option<Term> {
        (is_root(self.terms, term) && self.depending.contains(&term))
            .then(|| self.terms.args(term)[1])
    }

    /// `sqrt(a) ⋈ b` is `a ⋈ b²` where b is not negative.
    fn root_against(&mut self, operand: Term, other: &Fraction) -> Option<Order> {
        let operand = self.fraction(operand)?;
        let real = Order::of_fraction(&operand, self.grid, self.budget)
            .less
            .complement(self.grid.finite());
        let squares =
            Order::of_fraction(&operand.minus(&other.times(other)?)?, self.grid, self.budget);
        let negative = Order::of_fraction(other, self.grid, self.budget).less;
        let here = real.meet(&negative.complement(self.grid.finite()));
        Some(Order {
            less: squares.less.meet(&here),
            equal: squares.equal.meet(&here),
            greater: squares.greater.meet(&here).join(&negative.meet(&real)),
            near: squares.near.meet(&here),
        })
    }

    /// A float as a rational function of the unknown.
    fn fraction(&mut self, term: Term) -> Option<Fraction> {
        if let Some(known) = self.fractions.get(&term) {
            return known.clone();
        }
        let fraction = self.compute(term);
        self.fractions.insert(term, fraction.clone());
        fraction
    }

    fn compute(&mut self, term: Term) -> Option<Fraction> {
        if !self.depending.contains(&term) {
            let value = real(self.known.value(term))?;
            return Some(Fraction::of(Polynomial::constant(value)));
        }
        let args = self.terms.args(term);
        match self.terms.op(term) {
            Op::Variable(variable) if variable == self.unknown => {
                Some(Fraction::of(Polynomial::unknown()))
            }
            Op::Ite => {
                let side = *self.branch.decided.get(&args[0])?;
                self.fraction(if side { args[1] } else { args[2] })
            }
            Op::Float(Operation::Add, _) => self.fraction(args[1])?.plus(&self.fraction(args[2])?),
            Op::Float(Operation::Sub, _) => self.fraction(args[1])?.minus(&self.fraction(args[2])?),
            Op::Float(Operation::Mul, _) => self.fraction(args[1])?.times(&self.fraction(args[2])?),
            Op::Float(Operation::Div, _) => self.fraction(args[1])?.over(&self.fraction(args[2])?),
            Op::Float(Operation::Fma, _) => {
                let product = self.fraction(args[1])?.times(&self.fraction(args[2])?)?;
                product.plus(&self.fraction(args[3])?)
            }
            Op::Float(Operation::Convert, _) => self.fraction(args[1]),
            Op::Float(Operation::Neg, _) => Some(self.fraction(args[0])?.negated()),
            Op::Float(Operation::Abs, _) => {
                let operand = self.fraction(args[0])?;
                let negative = *self.branch.decided.get(&term)?;
                Some(if negative { operand.negated() } else { operand })
            }
            Op::Float(operation, _) => {
                let least = extreme(operation)?;
                let ordered = *self.branch.decided.get(&term)?;
                self.fraction(args[usize::from(least != ordered)])
            }
            Op::Equal | Op::Bits(_) | Op::Libm(..) | op_heads!(Leaf, Connective, Door) => None,
        }
    }
}

/// The exact number that a float is.
pub(super) fn real(value: &Value) -> Option<Rational> {
    let (format, word) = value.as_float()?;
    exactly(&Float::from_word(format, word.clone()))
}

/// The exact number that a float is, if its format has no monstrous ones.
pub(super) fn exactly(float: &Float) -> Option<Rational> {
    if float.format().exponent_bits > MOST_EXPONENT_BITS { None } else { float.to_rational() }
}

/// The float nearest to a number.
pub(super) fn rounded(grid: Grid, value: &Rational) -> Float {
    Float::from_rational(grid.format(), Rounding::NearestEven, value).0
}

fn is_root(terms: &Terms, term: Term) -> bool {
    matches!(terms.op(term), Op::Float(Operation::Sqrt, _))
}
