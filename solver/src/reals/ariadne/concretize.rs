//! Which variables stay unknown, and floats for the others (Algorithm 3).
//!
//! Every literal keeps one unknown at most. What is a function of bound
//! variables, as libm's are, is evaluated with them.

use super::branch::{Branch, Literal};
use super::linearize::{real, rounded};
use crate::propagate::{Domain, Grid, Interval, Ordinal};
use crate::search::Random;
use nanoscope_budget::Budget;
use nanoscope_ieee::{Float, Format, Rational, Rounding, Word};
use nanoscope_term::{Evaluation, Model, Op, Sort, Term, Terms, Value, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// How many values are tried for a variable (MAX_BINDINGS).
const MOST_BINDINGS: usize = 8;

/// What is known of the variables of a query.
pub(super) struct Variables<'a> {
    pub(super) terms: &'a Terms,
    pub(super) domains: BTreeMap<VariableId, Domain>,
    /// The finite float constants of the query.
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
            below.iter().filter_map(|term| real(terms.value(*term)?)).collect();
        constants.sort();
        constants.dedup();
        Variables { terms, domains: variables.collect(), constants }
    }

    /// The finite floats that a variable may be; none if there is no choice.
    pub(super) fn line(&self, variable: VariableId) -> Option<(Grid, Interval)> {
        let Domain::Float(grid, floats) = self.domains[&variable] else { return None };
        let numbers = floats.numbers.meet(grid.finite());
        // Formats with an explicit integer bit are encoded otherwise; of those
        // longer than double, powers have too many digits.
        let plain = self.terms.variable_sort(variable) == Sort::Float(grid.format())
            && Format::BINARY64.holds(grid.format());
        (plain && !numbers.is_empty() && !numbers.is_point()).then_some((grid, numbers))
    }

    /// A value of a variable's domain.
    pub(super) fn any(&self, variable: VariableId, random: &mut Random) -> Value {
        let domain = self.domains[&variable];
        if let Some(value) = domain.value() {
            return value;
        }
        if let Some((grid, numbers)) = self.line(variable) {
            return value_at(grid, self.place(grid, numbers, random));
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
    fn place(&self, grid: Grid, numbers: Interval, random: &mut Random) -> Ordinal {
        let small = |random: &mut Random| {
            let whole = random.below(41) as i64 - 20;
            rounded(grid, &Rational::new(whole.into(), (1 + random.below(2)).into())).ordinal()
        };
        let place = match random.below(6) {
            0 => numbers.lo,
            1 => numbers.hi,
            2 => match random.one_of(&self.constants) {
                Some(constant) => rounded(grid, constant).ordinal(),
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

    /// The variables that stay unknown: a greedy hitting set of the literals,
    /// of which no two meet in one literal.
    pub(super) fn unknowns(&self, branch: &Branch, random: &mut Random) -> BTreeSet<VariableId> {
        let mut waiting: Vec<BTreeSet<VariableId>> = branch
            .literals
            .iter()
            .map(|(_, reached)| {
                let free = reached.difference(&branch.depended).copied();
                free.filter(|variable| self.line(*variable).is_some()).collect()
            })
            .filter(|free: &BTreeSet<VariableId>| !free.is_empty())
            .collect();
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

    /// Binds all but the unknowns, beginning with what the guide has, so that
    /// no literal is false for it. As in the paper, a literal about what is a function of
    /// bound variables (libm's) does not keep a value from being bound: where only such ones
    /// are false, reals have no solution with what was bound.
    pub(super) fn bind(
        &self,
        branch: &Branch,
        unknowns: &BTreeSet<VariableId>,
        guide: &Model,
        random: &mut Random,
        budget: &Budget,
    ) -> Bound {
        let mut below: Vec<(Literal, Vec<VariableId>)> = Vec::new();
        for (literal, _) in &branch.literals {
            if budget.exhausted() {
                return Bound::Nowhere;
            }
            below.push((*literal, self.terms.variables_below(&about(*literal))));
        }
        let mut model = guide.clone();
        let mut open: BTreeSet<VariableId> = self.domains.keys().copied().collect();
        for variable in self.domains.keys().filter(|variable| !unknowns.contains(variable)) {
            open.remove(variable);
            let own = self.terms.variable_term(*variable);
            let ground: Vec<Literal> = below
                .iter()
                .filter(|(_, all)| all.contains(variable) && all.iter().all(|v| !open.contains(v)))
                .map(|(literal, _)| *literal)
                .collect();
            let fits = |model: &Model, which: &[Literal]| {
                let mut evaluation = Evaluation::new(self.terms, model);
                which.iter().all(|one| is_so(&mut evaluation, *one))
            };
            let independent: Vec<Literal> =
                ground.iter().copied().filter(|one| !self.is_dependent(*one)).collect();
            let forced = ground.iter().find_map(|literal| match literal {
                Literal::Is(term, wanted) if *term == own => Some(Value::Bool(*wanted)),
                Literal::Is(..) | Literal::Negative(..) | Literal::Ordered(..) => None,
            });
            if let Some(value) = forced {
                model.set(*variable, value);
                continue;
            }
            let (mut tries, mut fitted) = (0, false);
            while !fits(&model, &ground) {
                fitted = fitted || fits(&model, &independent);
                if tries == MOST_BINDINGS || budget.exhausted() {
                    return if fitted { Bound::Falsified } else { Bound::Nowhere };
                }
                tries += 1;
                model.set(*variable, self.any(*variable, random));
            }
        }
        Bound::At(model)
    }

    /// Whether a literal is about a value of the mathematical library.
    fn is_dependent(&self, literal: Literal) -> bool {
        let below = self.terms.below(&about(literal));
        below.into_iter().any(|term| matches!(self.terms.op(term), Op::Libm(..)))
    }
}

/// What came of binding variables.
pub(super) enum Bound {
    At(Model),
    /// Values were found, but a literal about the mathematical library is false for them.
    Falsified,
    /// No values were found, or the budget ended.
    Nowhere,
}

/// The float at a place.
pub(super) fn value_at(grid: Grid, place: Ordinal) -> Value {
    Value::float(grid.format(), Word::new(grid.format().width(), grid.encode(place)))
}

fn about(literal: Literal) -> Vec<Term> {
    match literal {
        Literal::Is(term, _) | Literal::Negative(term, _) => vec![term],
        Literal::Ordered(a, b, _) => vec![a, b],
    }
}

/// Whether a literal holds of floats.
pub(super) fn is_so(evaluation: &mut Evaluation, literal: Literal) -> bool {
    let mut float = |term: Term| {
        let value = evaluation.value(term);
        let (format, word) = value.as_float().expect("a float");
        Float::from_word(format, word.clone())
    };
    match literal {
        Literal::Is(term, wanted) => *evaluation.value(term) == Value::Bool(wanted),
        Literal::Negative(term, negative) => {
            let value = float(term);
            let zero = Float::zero(value.format(), false);
            (value.partial_order(&zero) == Some(std::cmp::Ordering::Less)) == negative
        }
        Literal::Ordered(a, b, ordered) => {
            let (a, b) = (float(a), float(b));
            let order = a.partial_order(&b);
            order.is_none_or(|order| if ordered { order.is_le() } else { order.is_ge() })
        }
    }
}
