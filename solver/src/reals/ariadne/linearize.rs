//! A literal with one unknown as a set of its values (Algorithm 4): `R(x) ⋈ 0` by
//! the signs of `R`, where everything known stands for its number. What is no rational
//! function, as libm's are not, is compared at places spread over the axis.

use super::axis::Axis;
use super::branch::{Branch, Literal, extreme};
use super::number::{compared, exactly, number, valued};
use super::polynomial::{Fraction, Polynomial};
use super::region::{Order, Region};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Float, Format, Operation, Rational, operations};
use nanoscope_term::{
    BitsOp, Evaluation, Model, Op, Sort, Term, Terms, VariableId, bits_ops, op_heads,
};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Shifts by more bits make no integer that a program has.
const MOST_SHIFT: u32 = 64;

/// Linearises literals in one unknown.
pub(super) struct Linearizer<'a> {
    terms: &'a Terms,
    branch: &'a Branch,
    model: &'a Model,
    known: Evaluation<'a>,
    unknown: VariableId,
    axis: Axis,
    budget: &'a Budget,
    /// The terms that the unknown is in.
    depending: BTreeSet<Term>,
    fractions: BTreeMap<Term, Option<Fraction>>,
    /// Whether the last region was traced, so that some of it may have been overlooked.
    pub(super) traced: bool,
}

impl<'a> Linearizer<'a> {
    /// With every variable but the unknown having its value of the model; none
    /// if the budget ends.
    pub(super) fn new(
        terms: &'a Terms,
        below: &[Term],
        branch: &'a Branch,
        model: &'a Model,
        (unknown, axis): (VariableId, Axis),
        budget: &'a Budget,
    ) -> Option<Linearizer<'a>> {
        let mut depending = BTreeSet::from([terms.variable_term(unknown)]);
        for term in below {
            if terms.args(*term).iter().any(|arg| depending.contains(arg)) {
                depending.insert(*term);
            }
        }
        let mut linearizer = Linearizer {
            terms,
            branch,
            model,
            known: Evaluation::new(terms, model),
            unknown,
            axis,
            budget,
            depending,
            fractions: BTreeMap::new(),
            traced: false,
        };
        // Arguments first, so that nothing recurs deeply.
        for term in below {
            let number = matches!(terms.sort(*term), Sort::Float(_) | Sort::Bits(_));
            if number && linearizer.depending.contains(term) {
                if budget.exhausted() {
                    return None;
                }
                linearizer.fraction(*term);
            }
        }
        Some(linearizer)
    }

    /// The floats for which a literal holds in reals; none if it is no comparison.
    pub(super) fn region(&mut self, literal: Literal) -> Option<Region> {
        self.traced = false;
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
        let operation = match self.terms.op(term) {
            Op::Float(operation, _) => operation,
            Op::Bits(operation) => {
                let holding = self.comparison(operation, args)?;
                return Some(if wanted { holding } else { holding.complement(self.axis.whole()) });
            }
            Op::Equal if matches!(self.terms.sort(args[0]), Sort::Float(_) | Sort::Bits(_)) => {
                return self.equality(args[0], args[1], wanted);
            }
            Op::Equal | Op::Ite | Op::Libm(..) | op_heads!(Leaf, Connective, Door) => return None,
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
                self.beyond(args[0], Float::largest)?.complement(self.axis.whole())
            }
            Operation::IsNormal => {
                let over = self.beyond(args[0], Float::largest)?;
                let normal = self.beyond(args[0], Float::smallest_normal)?;
                normal.meet(&over.complement(self.axis.whole()))
            }
            Operation::IsSubnormal => {
                let normal = self.beyond(args[0], Float::smallest_normal)?;
                let zero = self.against(args[0], &Rational::zero())?.equal;
                normal.join(&zero).complement(self.axis.whole())
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
        Some(if wanted { holding } else { holding.complement(self.axis.whole()) })
    }

    /// Where a comparison of integers holds.
    fn comparison(&mut self, operation: BitsOp, args: &[Term]) -> Option<Region> {
        let (strict, signed) = match operation {
            BitsOp::Slt => (true, true),
            BitsOp::Sle => (false, true),
            BitsOp::Ult => (true, false),
            BitsOp::Ule => (false, false),
            bits_ops!(Logic, Arithmetic, Shift, Slice) => return None,
        };
        let order = self.order(args[0], args[1])?;
        let below = if strict { order.less } else { order.less.join(&order.equal) };
        if signed {
            return Some(below);
        }
        // Read without a sign, what is negative is beyond what is not.
        let a = self.against(args[0], &Rational::zero())?.less;
        let b = self.against(args[1], &Rational::zero())?.less;
        let whole = self.axis.whole();
        let alike = a.meet(&b).join(&a.complement(whole).meet(&b.complement(whole)));
        Some(below.meet(&alike).join(&a.complement(whole).meet(&b)))
    }

    fn equality(&mut self, a: Term, b: Term, wanted: bool) -> Option<Region> {
        let order = self.order(a, b)?;
        Some(if wanted { order.near } else { order.equal.complement(self.axis.whole()) })
    }

    /// Where the magnitude is beyond a float of the term's format.
    fn beyond(&mut self, term: Term, limit: fn(Format, bool) -> Float) -> Option<Region> {
        let limit = exactly(&limit(self.terms.format(term), false))?;
        let above = self.against(term, &limit)?.greater;
        Some(above.join(&self.against(term, &-limit)?.less))
    }

    fn against(&mut self, term: Term, value: &Rational) -> Option<Order> {
        match self.rational_against(term, value) {
            Some(order) => Some(order),
            None => self.traced(|evaluation| compared(evaluation.value(term), value)),
        }
    }

    fn rational_against(&mut self, term: Term, value: &Rational) -> Option<Order> {
        let value = Fraction::of(Polynomial::constant(value.clone()));
        match self.rooted(term) {
            Some(operand) => self.root_against(operand, &value),
            None => Some(Order::of_fraction(
                &self.fraction(term)?.minus(&value)?,
                self.axis,
                self.budget,
            )),
        }
    }

    /// How two numbers compare in reals.
    fn order(&mut self, a: Term, b: Term) -> Option<Order> {
        match self.rational_order(a, b) {
            Some(order) => Some(order),
            None => self.traced(|evaluation| {
                let first = evaluation.value(a).clone();
                valued(&first, evaluation.value(b))
            }),
        }
    }

    fn rational_order(&mut self, a: Term, b: Term) -> Option<Order> {
        match (self.rooted(a), self.rooted(b)) {
            (None, None) => {
                let difference = self.fraction(a)?.minus(&self.fraction(b)?)?;
                Some(Order::of_fraction(&difference, self.axis, self.budget))
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
                Some(Order::of_fraction(&difference, self.axis, self.budget))
            }
        }
    }

    /// A comparison as it comes out in floats at places spread over the axis, and where it
    /// changes between two of them; none if the budget ends.
    fn traced(&mut self, compare: impl Fn(&mut Evaluation) -> Option<Ordering>) -> Option<Order> {
        self.traced = true;
        let mut model = self.model.clone();
        let order = Order::traced(self.axis, self.budget, |place| {
            model.set(self.unknown, self.axis.value(place));
            compare(&mut Evaluation::new(self.terms, &model))
        });
        (!self.budget.exhausted()).then_some(order)
    }

    /// The operand of a square root that the unknown is in.
    fn rooted(&self, term: Term) -> Option<Term> {
        (is_root(self.terms, term) && self.depending.contains(&term))
            .then(|| self.terms.args(term)[1])
    }

    /// `sqrt(a) ⋈ b` is `a ⋈ b²` where b is not negative.
    fn root_against(&mut self, operand: Term, other: &Fraction) -> Option<Order> {
        let operand = self.fraction(operand)?;
        let real =
            Order::of_fraction(&operand, self.axis, self.budget).less.complement(self.axis.whole());
        let squares =
            Order::of_fraction(&operand.minus(&other.times(other)?)?, self.axis, self.budget);
        let negative = Order::of_fraction(other, self.axis, self.budget).less;
        let here = real.meet(&negative.complement(self.axis.whole()));
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
            let value = number(self.known.value(term))?;
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
            Op::Float(
                Operation::Convert | Operation::FromSigned | operations!(ToInteger, Integral),
                _,
            ) => self.fraction(args[1]),
            Op::Float(Operation::FromUnsigned, _) => self.unsigned(term, args[1]),
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
            Op::Bits(operation) => self.integer(term, operation),
            Op::Equal | Op::Libm(..) | op_heads!(Leaf, Connective, Door) => None,
        }
    }

    /// An integer as a rational function of the unknown, if nothing wraps.
    fn integer(&mut self, term: Term, operation: BitsOp) -> Option<Fraction> {
        let args = self.terms.args(term);
        match operation {
            BitsOp::Add => self.fraction(args[0])?.plus(&self.fraction(args[1])?),
            BitsOp::Sub => self.fraction(args[0])?.minus(&self.fraction(args[1])?),
            BitsOp::Mul => self.fraction(args[0])?.times(&self.fraction(args[1])?),
            BitsOp::Neg => Some(self.fraction(args[0])?.negated()),
            BitsOp::SignExtend(_) | BitsOp::Extract { low: 0, .. } => self.fraction(args[0]),
            BitsOp::ZeroExtend(_) => self.unsigned(term, args[0]),
            BitsOp::Shl => {
                let by = self.terms.value(args[1])?.as_bits()?.to_u128();
                let by = by.filter(|by| *by < u128::from(MOST_SHIFT))?;
                let scale = Polynomial::constant(Rational::from_integer((1u128 << by).into()));
                self.fraction(args[0])?.times(&Fraction::of(scale))
            }
            BitsOp::Lshr | BitsOp::Ashr | BitsOp::Concat | BitsOp::Extract { .. } => None,
            bits_ops!(Quotient, Logic, Compare) => None,
        }
    }

    /// The operand read without a sign, which the term decided.
    fn unsigned(&mut self, term: Term, operand: Term) -> Option<Fraction> {
        let negative = *self.branch.decided.get(&term)?;
        let signed = self.fraction(operand)?;
        let Sort::Bits(width) = self.terms.sort(operand) else { return None };
        let turn = Polynomial::constant(Rational::from_integer(BigInt::one() << width));
        if negative { signed.plus(&Fraction::of(turn)) } else { Some(signed) }
    }
}

fn is_root(terms: &Terms, term: Term) -> bool {
    matches!(terms.op(term), Op::Float(Operation::Sqrt, _))
}
