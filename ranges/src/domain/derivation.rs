//! Derivations of order: which of two operands is the greater, or the larger in magnitude, by what
//! is known of registers, by their definitions and by their values.

use crate::domain::environment::Environment;
use crate::domain::point::Text;
use crate::domain::relations::{ANY, Relations};
use crate::domain::values::modes_of;
use crate::function::extrema::Choice;
use crate::policy::{MOST_SQUARES, ORDER_FUEL};
use crate::value::AbstractValue;
use nanoscope_ieee::{Domain as _, Format, Operation, Rounding};
use nanoscope_program::ir::{Act, Mode, Operand, Register};
use nanoscope_sets::{Direct, Floats, Grid, Modes, Order, Ordinal, Relation, Signs};
use smallvec::SmallVec;
use std::cell::Cell;

/// The operand whose magnitude an operand has.
pub fn magnitude(at: &Text, operand: Operand) -> Operand {
    let mut operand = operand;
    while let Operand::Register(register) = operand
        && let Some(Act::Float { operation: Operation::Abs | Operation::Neg, operands, .. }) =
            at.facts.definitions.act(at.function, register)
    {
        operand = operands[0];
    }
    operand
}

/// The operand whose magnitude an operand is.
fn absolute(at: &Text, operand: Operand) -> Option<Operand> {
    match at.facts.definitions.act(at.function, operand.register()?)? {
        Act::Float { operation: Operation::Abs, operands, .. } => Some(magnitude(at, operands[0])),
        // No other act gives a magnitude.
        _ => None,
    }
}

/// The operand that an operand is, or is the negative of.
pub fn signed(at: &Text, operand: Operand) -> (Operand, bool) {
    let (mut operand, mut is_negated) = (operand, false);
    while let Operand::Register(register) = operand
        && let Some(Act::Float { operation: Operation::Neg, operands, .. }) =
            at.facts.definitions.act(at.function, register)
    {
        (operand, is_negated) = (operands[0], !is_negated);
    }
    (operand, is_negated)
}

/// The numbers that an operand may be, if it is a float.
pub fn floats<'a>(at: &'a Text, environment: &'a Environment, operand: Operand) -> Option<Floats> {
    match at.value(environment, operand) {
        AbstractValue::Float(floats) => Some(floats.get()),
        _ => None,
    }
}

/// The signs that an operand may have.
pub fn signs(at: &Text, environment: &Environment, operand: Operand) -> Option<Signs> {
    match at.value(environment, operand) {
        AbstractValue::Float(floats) => Some(floats.signs()),
        _ => None,
    }
}

/// Whether an operand has no negative number (and is a float).
pub fn is_not_negative(at: &Text, environment: &Environment, operand: Operand) -> bool {
    signs(at, environment, operand).is_some_and(|signs| !signs.negative)
}

/// Derives the order of operands from definitions.
pub struct Derivation<'a> {
    at: &'a Text<'a>,
    environment: &'a Environment,
    relations: &'a Relations,
    /// Pairs that may still be looked at.
    fuel: Cell<u32>,
}

impl<'a> Derivation<'a> {
    /// One at a point.
    pub fn new(
        at: &'a Text<'a>,
        environment: &'a Environment,
        relations: &'a Relations,
    ) -> Derivation<'a> {
        Derivation { at, environment, relations, fuel: Cell::new(ORDER_FUEL) }
    }

    /// The signs that an operand may have.
    pub fn signs(&self, operand: Operand) -> Option<Signs> {
        signs(self.at, self.environment, operand)
    }

    /// The least and the greatest number of an operand, if it is a float and has numbers.
    fn bounds(&self, operand: Operand) -> Option<Option<(Ordinal, Ordinal)>> {
        match self.at.value(self.environment, operand) {
            AbstractValue::Float(floats) => Some(floats.bounds()),
            _ => None,
        }
    }

    /// Whether two operands are one by their names or their value numbers.
    fn is_one(&self, a: Operand, b: Operand) -> bool {
        a == b || (self.at.has_equal_numbers() && self.at.facts.numbers.alike(a, b))
    }

    /// Whether two operands are equal, or both NaN.
    fn same(&self, a: Operand, b: Operand) -> bool {
        self.is_one(a, b)
            || (self.relations.equates(a, b) && self.is_number(a) && self.is_number(b))
    }

    /// Whether all numbers of an operand are at most (or at least) a double.
    fn is_at_most(&self, operand: Operand, bound: f64) -> bool {
        match self.at.value(self.environment, operand) {
            AbstractValue::Float(floats) => {
                floats.bounds().is_none_or(|(_, hi)| hi <= Grid::of(floats.format()).nearest(bound))
            }
            _ => false,
        }
    }

    fn is_at_least(&self, operand: Operand, bound: f64) -> bool {
        match self.at.value(self.environment, operand) {
            AbstractValue::Float(floats) => {
                floats.bounds().is_none_or(|(lo, _)| lo >= Grid::of(floats.format()).nearest(bound))
            }
            _ => false,
        }
    }

    /// Whether no number is negative; the zeros are not.
    fn is_not_negative(&self, operand: Operand) -> bool {
        is_not_negative(self.at, self.environment, operand)
    }

    fn is_not_positive(&self, operand: Operand) -> bool {
        self.signs(operand).is_some_and(|signs| !signs.positive)
    }

    /// Whether an operand is no NaN.
    pub fn is_number(&self, operand: Operand) -> bool {
        self.signs(operand).is_some_and(|signs| !signs.nan)
    }

    /// Whether `|a| <= |b|` unless one is a NaN.
    pub fn is_no_larger(&self, a: Operand, b: Operand, depth: u32) -> bool {
        let (inner_a, inner_b) = (magnitude(self.at, a), magnitude(self.at, b));
        let larger = || self.larger(a).map(|y| magnitude(self.at, y));
        if self.same(inner_a, inner_b)
            || larger().any(|y| self.is_one(y, inner_b))
            || larger().any(|y| self.same(y, inner_b))
            || self.are_scaled_alike(inner_a, inner_b, depth)
        {
            return true;
        }
        // A factor of at most 1 does not enlarge.
        if let (Some(Act::Float { operation: Operation::Mul, operands, relaxed: false, .. }), 1..) =
            (self.act(inner_a), depth)
            && let &[c, t] = &operands[..]
            && [(c, t), (t, c)].into_iter().any(|(c, t)| {
                self.is_at_least(t, -1.0)
                    && self.is_at_most(t, 1.0)
                    && self.is_no_larger(c, inner_b, depth - 1)
            })
        {
            return true;
        }
        if depth > 0 && self.is_bounded(a, inner_b, depth) {
            return true;
        }
        // One operand may be the absolute value of the other's.
        let candidates = |operand: Operand, inner: Operand| {
            let list = [operand, inner];
            list.into_iter().filter(|operand| self.is_not_negative(*operand))
        };
        for x in candidates(a, inner_a) {
            for y in candidates(b, inner_b) {
                if self.not_greater(x, y, self.at.order_depth) {
                    return true;
                }
            }
        }
        let below = |operand: Operand| self.is_not_positive(operand);
        below(a) && below(b) && self.not_greater(b, a, self.at.order_depth)
    }

    /// The operands whose magnitudes are known to be at least an operand's, by what is known of it,
    /// of what it is the magnitude of, or of registers with their values.
    fn larger(&self, operand: Operand) -> impl Iterator<Item = Operand> {
        let registers = self.of_one_magnitude(operand);
        let larger = |x| self.relations.magnitudes_beside(x, true).map(Operand::Register);
        registers.into_iter().flat_map(larger)
    }

    /// The registers that are known to have an operand's magnitude.
    fn of_one_magnitude(&self, operand: Operand) -> SmallVec<[Register; 4]> {
        let mut found: SmallVec<[Register; 4]> = SmallVec::new();
        if !self.relations.0.iter().any(|fact| fact.magnitudes) {
            return found;
        }
        let mut next = Some(operand);
        while let Some(Operand::Register(register)) = next {
            found.extend(self.relations.class(register));
            next = match self.at.facts.definitions.act(self.at.function, register) {
                Some(Act::Float {
                    operation: Operation::Abs | Operation::Neg, operands, ..
                }) => Some(operands[0]),
                Some(_) | None => None,
            };
        }
        found
    }

    /// Whether what is known of the magnitude of a number between an operand and another passes on
    /// to the operand: the number is no NaN, or only where the operand is one.
    pub fn passes(&self, operand: Operand, between: Operand) -> bool {
        let [x, y] = [operand, between].map(|operand| magnitude(self.at, operand));
        self.is_number(between) || self.is_one(x, y)
    }

    /// The largest magnitude of a quotient `a / b` rounded to nearest, where `b` is chosen from
    /// two operands: that by one of them, or by the other.
    pub fn quotient_by_chosen(&self, format: Format, [a, b]: [Operand; 2]) -> Option<Ordinal> {
        let choice = self.choice_of(b)?;
        let grid = Grid::of(format);
        let by = |divisor: Operand| {
            if self.is_no_larger(a, divisor, self.at.order_depth) {
                return Some(grid.one());
            }
            let [x, y] = [a, divisor].map(|operand| floats(self.at, self.environment, operand));
            let mut direct = Direct { order: Order::default() };
            let (quotients, _) = direct.div(format, &Modes::NEAREST, &x?, &y?);
            quotients.magnitudes().bounds().map(|(_, most)| most)
        };
        let [x, y] = choice.operands;
        Some(by(x)?.max(by(y)?))
    }

    /// The least sum of the squares of two registers rounded to nearest: no less than the square of
    /// the greater of their magnitudes, if one is computed.
    pub fn least_of_squares(&self, format: Format, [a, b]: [Operand; 2]) -> Option<Ordinal> {
        let root = |product: Operand| match self.rounded(product)? {
            Act::Float { operation: Operation::Mul, operands, .. } => {
                let &[x, y] = &operands[..] else { return None };
                let [x, y] = [x, y].map(|operand| magnitude(self.at, operand));
                self.same(x, y).then_some(x)
            }
            // No other operation squares.
            _ => None,
        };
        let (x, y) = (root(a)?, root(b)?);
        let least = |greatest: &Register| {
            let choice =
                self.choice_of(Operand::Register(*greatest)).filter(Choice::is_greatest)?;
            let [p, q] = choice.operands;
            let [u, v] = [p, q].map(|operand| absolute(self.at, operand));
            let (u, v) = (u?, v?);
            let is_theirs =
                self.same(u, x) && self.same(v, y) || self.same(u, y) && self.same(v, x);
            let range = floats(self.at, self.environment, Operand::Register(*greatest))?;
            let lo = range.bounds().filter(|_| is_theirs)?.0;
            let only = Floats::between(format, lo, lo);
            let mut direct = Direct { order: Order::default() };
            let (square, _) = direct.mul(format, &Modes::NEAREST, &only, &only);
            square.bounds().map(|(lo, _)| lo).filter(|_| lo > 0)
        };
        self.at.facts.greatest.iter().filter_map(least).max()
    }

    /// How the magnitudes of two operands are related.
    pub fn of_magnitudes(&self, a: Operand, b: Operand) -> Relation {
        let depth = self.at.order_depth;
        let mut relation = ANY;
        if self.is_no_larger(a, b, depth) {
            relation = relation.meet(Relation::LESS_EQUAL.join(Relation::UNORDERED));
        }
        self.fuel.set(ORDER_FUEL);
        if self.is_no_larger(b, a, depth) {
            relation = relation.meet(Relation::GREATER_EQUAL.join(Relation::UNORDERED));
        }
        relation
    }

    /// Whether two operands, or registers with their values, are scaled alike.
    fn are_scaled_alike(&self, a: Operand, b: Operand, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        let class = |operand: Operand| match operand {
            Operand::Register(register) => self.relations.class(register),
            Operand::Constant(_) => SmallVec::new(),
        };
        let (of_a, of_b) = (class(a), class(b));
        let pairs = of_a.iter().flat_map(|x| of_b.iter().map(move |y| [*x, *y]));
        pairs
            .map(|pair| pair.map(Operand::Register))
            .any(|[x, y]| self.is_scaled_alike(x, y, depth))
    }

    /// Whether two products, or quotients by the same, have factors of which the first's are no
    /// larger. Rounding to nearest is monotone and knows no sign.
    fn is_scaled_alike(&self, a: Operand, b: Operand, depth: u32) -> bool {
        let (
            1..,
            Some(Act::Float { operation, operands, relaxed: false, .. }),
            Some(Act::Float { operation: other, operands: others, relaxed: false, .. }),
        ) = (depth, self.act(a), self.act(b))
        else {
            return false;
        };
        if operation != other || self.at.modes != Modes::NEAREST {
            return false;
        }
        let (&[p, c], &[q, d]) = (&operands[..], &others[..]) else { return false };
        let no_larger = |x, y| self.is_no_larger(x, y, depth - 1);
        match operation {
            Operation::Mul => {
                no_larger(p, q) && no_larger(c, d) || no_larger(p, d) && no_larger(c, q)
            }
            Operation::Div => self.same(c, d) && no_larger(p, q),
            // Any other operation does not scale.
            _ => false,
        }
    }

    /// Whether relations of magnitudes, and what the second is the greatest of, bound the first.
    fn is_bounded(&self, a: Operand, b: Operand, depth: u32) -> bool {
        let fuel = self.fuel.get();
        if fuel == 0 {
            return false;
        }
        self.fuel.set(fuel - 1);
        for larger in self.larger(a) {
            let passes = self.is_number(larger) || self.is_greatest_with(b, larger);
            if passes && self.is_no_larger(larger, b, depth - 1) {
                return true;
            }
        }
        let Some(choice) = self.choice_of(b).filter(Choice::is_greatest) else { return false };
        choice.operands.into_iter().any(|c| {
            self.is_not_negative(c)
                && (self.is_number(c) || choice.of_unordered() == c)
                && self.is_no_larger(a, c, depth - 1)
        })
    }

    /// The numbers whose squares are part of a sum and that are no larger than the sum's root. Rounded
    /// to nearest, the root of a square is the number again, unless the square underflows; and
    /// rounded sums and roots are monotone.
    pub fn legs(&self, sum: Operand, root: &Floats) -> SmallVec<[Register; 4]> {
        // The least power of two whose square is normal.
        let format = root.format;
        let least = Grid::of(format).power(-(-format.min_exponent()).div_euclid(2));
        let is_large = |x: &Floats| x.magnitudes().positive.lo >= least;
        let root_is_large = !root.has_zero() && root.negative.is_empty() && is_large(root);
        let mut found = SmallVec::new();
        self.squares(sum, MOST_SQUARES, &mut found);
        found.retain(|leg| {
            let leg = floats(self.at, self.environment, Operand::Register(*leg));
            leg.is_some_and(|leg| leg.format == format && (root_is_large || is_large(&leg)))
        });
        found
    }

    /// The numbers whose squares are added to what is not negative.
    fn squares(&self, sum: Operand, depth: u32, found: &mut SmallVec<[Register; 4]>) {
        let Some(Act::Float { operation, operands, .. }) = self.rounded(sum) else { return };
        match (operation, &operands[..]) {
            (Operation::Mul, &[x, y]) => {
                let [x, y] = [x, y].map(|operand| magnitude(self.at, operand));
                if self.same(x, y) && self.is_not_negative(sum) {
                    found.extend(x.register());
                }
            }
            (Operation::Fma, &[x, y, c]) => {
                if self.same(x, y) && self.is_not_negative(c) {
                    found.extend(magnitude(self.at, x).register());
                }
            }
            (Operation::Add, &[x, y]) if depth > 0 => {
                for (x, y) in [(x, y), (y, x)] {
                    if self.is_not_negative(y) {
                        self.squares(x, depth - 1, found);
                    }
                }
            }
            (Operation::Sub, &[x, y]) if depth > 0 => {
                if self.is_not_positive(y) {
                    self.squares(x, depth - 1, found);
                }
                // A number times its negative, taken away.
                if self.is_not_negative(x) {
                    self.negated_square(y, found);
                }
            }
            // Of any other operation nothing is known.
            (_, _) => {}
        }
    }

    fn negated_square(&self, product: Operand, found: &mut SmallVec<[Register; 4]>) {
        if let Some(Act::Float { operation: Operation::Mul, operands, .. }) = self.rounded(product)
            && let &[x, y] = &operands[..]
        {
            let [x, y] = [x, y].map(|operand| magnitude(self.at, operand));
            if self.same(x, y) && self.is_not_positive(product) {
                found.extend(x.register());
            }
        }
    }

    /// The operation on floats that gives an operand, if it rounds to nearest.
    fn rounded(&self, operand: Operand) -> Option<&Act> {
        let act = self.act(operand)?;
        let Act::Float { mode, relaxed: false, .. } = act else { return None };
        (modes_of(self.at.modes, *mode) == Modes::NEAREST).then_some(act)
    }

    /// Whether an operand is the greatest of some of which one is the other operand, and a NaN
    /// where that is.
    fn is_greatest_with(&self, greatest: Operand, one: Operand) -> bool {
        self.choice_of(greatest)
            .is_some_and(|choice| choice.is_greatest() && choice.of_unordered() == one)
    }

    /// Whether `a <= b` unless one is a NaN.
    pub fn not_greater(&self, a: Operand, b: Operand, depth: u32) -> bool {
        if self.same(a, b) {
            return true;
        }
        let (Some(x), Some(y)) = (self.bounds(a), self.bounds(b)) else { return false };
        match (x, y) {
            (Some((_, hi)), Some((lo, _))) if hi <= lo || (hi <= 0 && lo >= -1) => return true,
            (Some(_), Some(_)) => {}
            (_, _) => return true,
        }
        let fuel = self.fuel.get();
        if depth == 0 || fuel == 0 {
            return false;
        }
        self.fuel.set(fuel - 1);
        // Through a third that is a number.
        let through = |c: Operand| {
            self.same(c, b) || (self.is_number(c) && self.not_greater(c, b, depth - 1))
        };
        if let Operand::Register(register) = a {
            for fact in self.relations.0.iter().filter(|fact| !fact.magnitudes) {
                let next = match (fact.a == register, fact.b == register) {
                    (true, _) if fact.relation.order().not_greater => fact.b,
                    (_, true) if fact.relation.swapped().order().not_greater => fact.a,
                    (_, _) => continue,
                };
                if through(Operand::Register(next)) {
                    return true;
                }
            }
        }
        let from = |c: Operand| {
            self.same(c, a) || (self.is_number(c) && self.not_greater(a, c, depth - 1))
        };
        self.is_below(a).into_iter().flatten().any(through)
            || self.is_above(b).into_iter().flatten().any(from)
            || self.is_monotone(a, b, depth)
    }

    fn act(&self, operand: Operand) -> Option<&Act> {
        self.at.facts.definitions.act(self.at.function, operand.register()?)
    }

    /// Operands that an operand does not exceed, by its definition.
    fn is_below(&self, operand: Operand) -> [Option<Operand>; 2] {
        if let Some(operands) = self.extreme_of(operand, false) {
            return operands.map(Some);
        }
        let Some(Act::Float { operation, operands, mode, relaxed: false, .. }) = self.act(operand)
        else {
            return [None, None];
        };
        let one = |condition: bool, operand: Operand| condition.then_some(operand);
        match (operation, &operands[..]) {
            (Operation::Mul, &[c, t]) => [
                one(self.shrinks(t) && self.is_not_negative(c), c),
                one(self.shrinks(c) && self.is_not_negative(t), t),
            ],
            (Operation::Div, &[c, t]) => {
                [one(self.is_at_least(t, 1.0) && self.is_not_negative(c), c), None]
            }
            (Operation::Add, &[c, t]) => {
                [one(self.is_not_positive(t), c), one(self.is_not_positive(c), t)]
            }
            (Operation::Sub, &[c, t]) => [one(self.is_not_negative(t), c), None],
            // Beside a NaN, each of these gives the other operand or a NaN.
            (Operation::MinNum | Operation::Minimum | Operation::MinX86, &[c, t]) => {
                [Some(c), Some(t)]
            }
            (Operation::Sqrt, &[c]) => [one(self.is_at_least(c, 1.0), c), None],
            (Operation::RoundToIntegral | Operation::RoundToIntegralExact, &[c]) => {
                [one(*mode == Mode::Fixed(Rounding::Downward), c), None]
            }
            // Of any other operation nothing is known.
            (_, _) => [None, None],
        }
    }

    /// Operands that do not exceed an operand, by its definition.
    fn is_above(&self, operand: Operand) -> [Option<Operand>; 2] {
        let one = |condition: bool, operand: Operand| condition.then_some(operand);
        if let Some(operands) = self.extreme_of(operand, true) {
            return operands.map(Some);
        }
        let Some(Act::Float { operation, operands, mode, relaxed: false, .. }) = self.act(operand)
        else {
            return [None, None];
        };
        match (operation, &operands[..]) {
            (Operation::Mul, &[c, t]) => [
                one(self.is_at_least(t, 1.0) && self.is_not_negative(c), c),
                one(self.is_at_least(c, 1.0) && self.is_not_negative(t), t),
            ],
            (Operation::Div, &[c, t]) => {
                let shrinks = self.shrinks(t) && self.excludes_zero(t);
                [one(shrinks && self.is_not_negative(c), c), None]
            }
            (Operation::Add, &[c, t]) => {
                [one(self.is_not_negative(t), c), one(self.is_not_negative(c), t)]
            }
            (Operation::Sub, &[c, t]) => [one(self.is_not_positive(t), c), None],
            (Operation::MaxNum | Operation::Maximum | Operation::MaxX86, &[c, t]) => {
                [Some(c), Some(t)]
            }
            (Operation::Abs, &[c]) => [Some(c), None],
            (Operation::Sqrt, &[c]) => {
                [one(self.is_not_negative(c) && self.is_at_most(c, 1.0), c), None]
            }
            (Operation::RoundToIntegral | Operation::RoundToIntegralExact, &[c]) => {
                [one(*mode == Mode::Fixed(Rounding::Upward), c), None]
            }
            // Of any other operation nothing is known.
            (_, _) => [None, None],
        }
    }

    /// The operands of which an operand is the greatest, or the least.
    fn extreme_of(&self, operand: Operand, greatest: bool) -> Option<[Operand; 2]> {
        let choice = self.choice_of(operand)?;
        let is_it = if greatest { choice.is_greatest() } else { choice.is_least() };
        is_it.then_some(choice.operands)
    }

    /// The choice between two operands that an operand is.
    pub fn choice_of(&self, operand: Operand) -> Option<Choice> {
        let register = operand.register().filter(|_| self.at.has_equal_numbers())?;
        let (function, facts) = (self.at.function, self.at.facts);
        match facts.definitions.act(function, register) {
            Some(act) => Choice::selected(function, &facts.definitions, &facts.numbers, act),
            None => Some(facts.extrema.get(&register)?.choice),
        }
    }

    /// Whether an operand is between 0 and 1.
    fn shrinks(&self, operand: Operand) -> bool {
        self.is_not_negative(operand) && self.is_at_most(operand, 1.0)
    }

    /// Whether two operands are the same monotone function of ordered ones. Rounding to nearest
    /// is monotone.
    pub fn is_monotone(&self, a: Operand, b: Operand, depth: u32) -> bool {
        let (
            Some(Act::Float { operation, parameters, operands, mode, relaxed: false }),
            Some(Act::Float {
                operation: other_operation,
                parameters: other_parameters,
                operands: others,
                mode: other_mode,
                relaxed: false,
            }),
        ) = (self.act(a), self.act(b))
        else {
            return false;
        };
        if (operation, parameters, mode) != (other_operation, other_parameters, other_mode)
            || self.at.modes != Modes::NEAREST
        {
            return false;
        }
        let below = |x: Operand, y: Operand| self.not_greater(x, y, depth - 1);
        match (operation, &operands[..], &others[..]) {
            (Operation::Add, &[p, c], &[q, d]) => {
                self.same(c, d) && below(p, q)
                    || self.same(p, q) && below(c, d)
                    || self.same(c, q) && below(p, d)
                    || self.same(p, d) && below(c, q)
                    || below(p, q) && below(c, d)
            }
            (Operation::Sub, &[p, c], &[q, d]) => {
                (self.same(p, q) || below(p, q)) && (self.same(c, d) || below(d, c))
            }
            (Operation::Mul, &[p, c], &[q, d]) => {
                self.same(c, d) && self.is_not_negative(c) && below(p, q)
                    || self.same(p, q) && self.is_not_negative(p) && below(c, d)
            }
            (Operation::Div, &[p, c], &[q, d]) => {
                self.same(c, d) && self.is_not_negative(c) && self.excludes_zero(c) && below(p, q)
            }
            (Operation::Sqrt | Operation::Convert, &[p], &[q]) => below(p, q),
            (Operation::Neg, &[p], &[q]) => below(q, p),
            // Any other operation is not monotone, or not often used so.
            (_, _, _) => false,
        }
    }

    /// Whether an operand is a sum or a difference of which one operand has the magnitude of
    /// another.
    pub fn is_sum_with(&self, sum: Operand, other: Operand) -> bool {
        let other = magnitude(self.at, other);
        match self.act(magnitude(self.at, sum)) {
            Some(Act::Float {
                operation: Operation::Add | Operation::Sub,
                operands,
                relaxed: false,
                ..
            }) => operands.iter().any(|operand| self.same(magnitude(self.at, *operand), other)),
            Some(_) | None => false,
        }
    }

    fn excludes_zero(&self, operand: Operand) -> bool {
        self.signs(operand).is_some_and(|signs| !signs.zero)
    }
}
