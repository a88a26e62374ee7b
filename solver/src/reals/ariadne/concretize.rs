//! Which variables stay unknown, and values for the others (Algorithm 3).
//!
//! Every literal keeps one unknown at most. What is a function of bound
//! variables, as libm's are, is evaluated with them.

use super::axis::Axis;
use super::branch::{Branch, Literal};
use super::number::{is_negative, number};
use crate::propagate::{Domain, Interval, Ordinal};
use crate::search::Random;
use nanoscope_ieee::{Float, Format, Rational, Rounding};
use nanoscope_term::{Evaluation, Op, Sort, Term, Terms, Value, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// Integers of more bits are no unknowns: programs compute with at most so many.
const LONGEST: u32 = 64;

/// What is known of the variables of a query.
pub(super) struct Variables<'a> {
    pub(super) terms: &'a Terms,
    pub(super) domains: BTreeMap<VariableId, Domain>,
    /// The finite numbers that the query has as constants.
    pub(super) constants: Vec<Rational>,
}

impl<'a> Variables<'a> {
    /// Those below the assertions, in these domains.
    pub(super) fn new(
        terms: &'a Terms,
        below: &[Term],
        domains: &BTreeMap<Term, Domain>,
    ) -> Variables<'a> {
        let of = |term: Term| {
            let domain = domains.get(&term).copied();
            domain.unwrap_or_else(|| Domain::of_sort(terms.sort(term)))
        };
        let variables =
            below.iter().filter_map(|term| Some((terms.as_variable(*term)?, of(*term))));
        let mut constants: Vec<Rational> =
            below.iter().filter_map(|term| number(terms.value(*term)?)).collect();
        constants.sort();
        constants.dedup();
        Variables { terms, domains: variables.collect(), constants }
    }

    /// The numbers that a variable may be; none if there is no choice.
    pub(super) fn line(&self, variable: VariableId) -> Option<(Axis, Interval)> {
        let (axis, numbers) = match self.domains[&variable] {
            // Formats with an explicit integer bit are encoded otherwise; of those
            // longer than double, powers have too many digits.
            Domain::Float(grid, floats)
                if self.terms.variable_sort(variable) == Sort::Float(grid.format())
                    && Format::BINARY64.holds(grid.format()) =>
            {
                (Axis::Floats(grid), floats.numbers.meet(grid.finite()))
            }
            Domain::Bits(bits) if bits.width <= LONGEST && !bits.is_empty() => {
                (Axis::Integers(bits.width), bits.signed())
            }
            Domain::Float(..)
            | Domain::Bits(_)
            | Domain::Bool(_)
            | Domain::Rounding(_)
            | Domain::Untracked => return None,
        };
        (!numbers.is_empty() && !numbers.is_point()).then_some((axis, numbers))
    }

    /// A value of a variable's domain.
    pub(super) fn any(&self, variable: VariableId, random: &mut Random) -> Value {
        let domain = self.domains[&variable];
        if let Some(value) = domain.value() {
            return value;
        }
        if let Some((axis, numbers)) = self.line(variable) {
            return axis.value(self.place(axis, numbers, random));
        }
        match domain {
            Domain::Bool(_) => Value::Bool(random.below(2) == 0),
            Domain::Bits(bits) => {
                let wide = u128::from(random.next()) << 64 | u128::from(random.next());
                let span = (bits.hi - bits.lo).checked_add(1);
                let offset = span.map_or(wide, |span| wide % span);
                let end = if random.below(2) == 0 { bits.lo } else { bits.hi };
                let inner = bits.lo + offset;
                Value::bits(bits.width, if random.below(3) == 0 { end } else { inner })
            }
            Domain::Rounding(modes) => {
                let nearest = modes.iter().find(|mode| *mode == Rounding::NearestEven);
                let mode = nearest.or(modes.iter().next());
                Value::Rounding(mode.unwrap_or(Rounding::NearestEven))
            }
            Domain::Float(..) | Domain::Untracked => {
                self.terms.default_value(self.terms.variable_sort(variable))
            }
        }
    }

    /// Boundaries, constants of the query, small numbers and any others.
    fn place(&self, axis: Axis, numbers: Interval, random: &mut Random) -> Ordinal {
        let small = |random: &mut Random| {
            let whole = random.below(41) as i64 - 20;
            axis.nearest(&Rational::new(whole.into(), (1 + random.below(2)).into()))
        };
        let place = match random.below(6) {
            0 => numbers.lo,
            1 => numbers.hi,
            2 => match random.one_of(&self.constants) {
                Some(constant) => axis.nearest(constant),
                None => small(random),
            },
            3 | 4 => small(random),
            _ => {
                let wide = u128::from(random.next() >> 1) << 64 | u128::from(random.next());
                numbers.lo + (wide % numbers.count()) as Ordinal
            }
        };
        place.clamp(numbers.lo, numbers.hi)
    }

    /// The literals, each with the variables in which it can be solved: as a rational function,
    /// or, when tracing, in any way.
    pub(super) fn solvable(
        &self,
        branch: &Branch,
        tracing: bool,
    ) -> Vec<(Literal, BTreeSet<VariableId>)> {
        let solvable = |(literal, reached): &(Literal, BTreeSet<VariableId>)| {
            let mut free = if tracing {
                self.terms.variables_below(&about(*literal)).into_iter().collect()
            } else {
                reached - &branch.depended
            };
            free.retain(|variable| self.line(*variable).is_some());
            (*literal, free)
        };
        branch.literals.iter().map(solvable).collect()
    }

    /// The variables that stay unknown: a greedy hitting set of the literals,
    /// of which no two meet in one literal.
    pub(super) fn unknowns(
        &self,
        literals: &[(Literal, BTreeSet<VariableId>)],
        random: &mut Random,
    ) -> BTreeSet<VariableId> {
        let free = literals.iter().map(|(_, free)| free.clone());
        let mut waiting: Vec<BTreeSet<VariableId>> = free.filter(|it| !it.is_empty()).collect();
        let all = waiting.clone();
        let (mut chosen, mut bound) = (BTreeSet::new(), BTreeSet::new());
        while !waiting.is_empty() {
            let literal = waiting.swap_remove(random.below(waiting.len()));
            let free: Vec<VariableId> = literal.difference(&bound).copied().collect();
            let Some(one) = random.one_of(&free) else { continue };
            chosen.insert(*one);
            for other in all.iter().filter(|other| other.contains(one)).flatten() {
                if other != one {
                    bound.insert(*other);
                }
            }
            waiting.retain(|literal| !literal.contains(one));
        }
        chosen
    }

    /// Whether a literal is about a value of the mathematical library.
    pub(super) fn is_dependent(&self, literal: Literal) -> bool {
        let below = self.terms.below(&about(literal));
        below.into_iter().any(|term| matches!(self.terms.op(term), Op::Libm(..)))
    }
}

pub(super) fn about(literal: Literal) -> Vec<Term> {
    match literal {
        Literal::Is(term, _) | Literal::Negative(term, _) => vec![term],
        Literal::Ordered(a, b, _) => vec![a, b],
    }
}

/// Whether a literal holds of floats and integers.
pub(super) fn is_so(evaluation: &mut Evaluation, literal: Literal) -> bool {
    let mut float = |term: Term| {
        let value = evaluation.value(term);
        let (format, word) = value.as_float().expect("a float");
        Float::from_word(format, word.clone())
    };
    match literal {
        Literal::Is(term, wanted) => *evaluation.value(term) == Value::Bool(wanted),
        Literal::Negative(term, negative) => is_negative(evaluation.value(term)) == negative,
        Literal::Ordered(a, b, ordered) => {
            let (a, b) = (float(a), float(b));
            let order = a.partial_order(&b);
            order.is_none_or(|order| if ordered { order.is_le() } else { order.is_ge() })
        }
    }
}
