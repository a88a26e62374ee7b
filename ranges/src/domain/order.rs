//! The domain of order: which of two operands is the greater.
//!
//! Comparisons give relations between registers (`relations.rs`); a comparison of absolute values
//! gives one between magnitudes. Definitions give more, on demand: `a * t` with `t` between 0
//! and 1 does not exceed `a`, the greater of two is at least each, rounding is monotone. So
//! `c / m` with `|c| <= |m|` is at most 1, and `x - y` of ordered operands has a sign.

use crate::domain::environment::Environment;
use crate::domain::point::{Domain, Known, Side, Text, names_after};
use crate::domain::relations::{ANY, Fact, Relations};
use crate::domain::values::Computed;
use crate::policy::{MOST_PHI_PAIRS, ORDER_FUEL};
use crate::predicate;
use crate::value::Value;
use nanoscope_ieee::{Operation, Rounding};
use nanoscope_program::Exception;
use nanoscope_program::ir::{Act, Edge, Instruction, Mode, Operand, Register, Type};
use nanoscope_sets::floats::granularity::WHOLE;
use nanoscope_sets::{Floats, Grid, Modes, Order, Relation, Signs, Span};
use std::cell::Cell;

impl Domain for Relations {
    /// A whole number is what it is rounded to.
    fn transfer(&mut self, at: &Text, environment: &Environment, instruction: &Instruction) {
        if let Act::Float {
            operation: Operation::RoundToIntegral | Operation::RoundToIntegralExact,
            operands,
            ..
        } = &instruction.act
            && let (Some(result), Some(Operand::Register(of))) =
                (instruction.result, operands.first())
            && let Some(floats) = floats(at, environment, Operand::Register(*of))
            && floats.coarsest() >= WHOLE
        {
            self.relate(result, *of, Relation::NOT_APART);
        }
        self.relate_monotone(at, environment, instruction);
    }

    fn assume(
        &mut self,
        at: &Text,
        environment: &Environment,
        operands: [Operand; 2],
        relation: Relation,
    ) {
        if let [Operand::Register(a), Operand::Register(b)] = operands
            && a != b
        {
            self.relate(a, b, relation);
        }
        // Of operands that are not negative, the magnitudes have the same relation.
        let inner = operands.map(|operand| magnitude(at, operand));
        if inner != operands
            && let [Operand::Register(a), Operand::Register(b)] = inner
            && a != b
            && operands.iter().all(|operand| is_not_negative(at, environment, *operand))
        {
            self.add(Fact { a, b, relation, magnitudes: true });
        }
    }

    fn forget(&mut self, register: Register) {
        if !self.0.is_empty() {
            self.0.retain(|fact| fact.a != register && fact.b != register);
        }
    }

    fn follow(
        &mut self,
        at: &Text,
        before: &Environment,
        edge: &Edge,
        is_live: &dyn Fn(Register) -> bool,
    ) {
        // The order of registers that are assigned together.
        let mut moved_pairs = Vec::new();
        if edge.moves.len() > 1 && at.order_depth > 0 {
            let is_float = |register: Register| {
                matches!(at.function.registers[register.0 as usize], Type::Float(_))
            };
            let moves: Vec<_> =
                edge.moves.iter().filter(|(to, _)| is_float(*to) && is_live(*to)).collect();
            for (i, (a, x)) in moves.iter().enumerate() {
                for (b, y) in &moves[i + 1..] {
                    if moved_pairs.len() >= MOST_PHI_PAIRS {
                        break;
                    }
                    let derivation = Derivation::new(at, before, self);
                    let mut relation = ANY;
                    if derivation.not_greater(*x, *y, at.order_depth) {
                        relation = relation.meet(Relation::LESS_EQUAL.join(Relation::UNORDERED));
                    }
                    if derivation.not_greater(*y, *x, at.order_depth) {
                        relation = relation.meet(Relation::GREATER_EQUAL.join(Relation::UNORDERED));
                    }
                    if relation != ANY {
                        let (a, b) = (*a, *b);
                        moved_pairs.push(Fact { a, b, relation, magnitudes: false });
                    }
                }
            }
        }
        let mut carried = Vec::new();
        for fact in &self.0 {
            for a in names_after(edge, fact.a).filter(|a| is_live(*a)) {
                for b in names_after(edge, fact.b).filter(|b| is_live(*b) && *b != a) {
                    carried.push(Fact { a, b, ..*fact });
                }
            }
        }
        // A register that stays is equal to what it moves to.
        for (to, from) in edge.moves.iter().filter(|(to, _)| is_live(*to)) {
            if let Some(from) = from.register()
                && from != *to
                && is_live(from)
                && matches!(at.function.registers[to.0 as usize], Type::Float(_))
                && !edge.moves.iter().any(|(assigned, _)| *assigned == from)
            {
                let relation = Relation::NOT_APART;
                carried.push(Fact { a: *to, b: from, relation, magnitudes: false });
            }
        }
        self.0.clear();
        carried.into_iter().chain(moved_pairs).for_each(|fact| self.add(fact));
    }

    fn join(a: Side<Self>, b: Side<Self>, _joined: &Environment) -> Self {
        let mut joined = Relations::default();
        for (side, other) in [(a, b), (b, a)] {
            for fact in &side.element.0 {
                match other.element.0.iter().find(|known| is_about_the_same(fact, known)) {
                    Some(known) => {
                        let relation = fact.relation.join(known.relation);
                        if relation != ANY {
                            joined.add(Fact { relation, ..*fact });
                        }
                    }
                    None if holds(fact, other.environment) => joined.add(*fact),
                    None => {}
                }
            }
        }
        joined
    }

    fn widen(a: Side<Self>, b: Side<Self>, wide: &Environment) -> Self {
        Relations::join(a, b, wide)
    }

    fn includes(&self, other: Side<Self>) -> bool {
        self.0.iter().all(|fact| {
            let known = other.element.0.iter().find(|known| is_about_the_same(fact, known));
            known.is_some_and(|known| fact.relation.join(known.relation) == fact.relation)
                || holds(fact, other.environment)
        })
    }

    fn sharpen(&self, at: &Text, known: Known, instruction: &Instruction, computed: &mut Computed) {
        let Act::Float {
            operation: operation @ (Operation::Div | Operation::Add),
            parameters,
            operands,
            relaxed: false,
            ..
        } = &instruction.act
        else {
            return;
        };
        let (Value::Float(floats), &[a, b]) = (&computed.value, &operands[..]) else { return };
        let given = floats.get();
        let derivation = Derivation::new(at, known.environment, self);
        let no_larger = |a, b| derivation.is_no_larger(a, b, at.order_depth);
        if *operation == Operation::Div {
            let one = Grid::of(parameters.format).one();
            let magnitudes = given.magnitudes().positive;
            if !magnitudes.is_empty() && magnitudes.hi > one && no_larger(a, b) {
                // Rounding is monotone, and 1 is a number of every format.
                let unit = Floats::between(parameters.format, !one, one);
                computed.value = Value::float(Floats { nan: given.nan, ..given.meet(&unit) });
                computed.raised.remove(Exception::Overflow);
                computed.raised.remove(Exception::DivideByZero);
            }
            return;
        }
        // A sum of opposite signs has the sign of the larger operand.
        for (small, large) in [(a, b), (b, a)] {
            let not_negative = Floats { negative: Span::EMPTY, ..given };
            let not_positive = Floats { positive: Span::EMPTY, ..given };
            let is = |operand, negative| match negative {
                true => derivation.is_not_positive(operand),
                false => derivation.is_not_negative(operand),
            };
            if !given.negative.is_empty() && is(small, true) && is(large, false) {
                if no_larger(small, large) {
                    computed.value = Value::float(not_negative);
                }
            } else if !given.positive.is_empty()
                && is(small, false)
                && is(large, true)
                && no_larger(small, large)
            {
                computed.value = Value::float(not_positive);
            }
        }
    }
}

impl Relations {
    /// Relates a result with those that the same operation gave for ordered operands.
    fn relate_monotone(&mut self, at: &Text, environment: &Environment, instruction: &Instruction) {
        let (Some(result), Act::Float { operation, relaxed: false, .. }, false) =
            (instruction.result, &instruction.act, self.0.is_empty() || at.order_depth == 0)
        else {
            return;
        };
        if !matches!(operation, Operation::Add | Operation::Sub | Operation::Mul) {
            return;
        }
        let mut others = Vec::new();
        for register in instruction.act.operands().registers() {
            for fact in self.0.iter().filter(|fact| !fact.magnitudes) {
                let other = match (fact.a == register, fact.b == register) {
                    (true, _) => fact.b,
                    (_, true) => fact.a,
                    (false, false) => continue,
                };
                for (block, position) in at.facts.definitions.users(other) {
                    let user = &at.function.block(*block).instructions[*position];
                    if let (Some(twin), Act::Float { operation: same, .. }) =
                        (user.result, &user.act)
                        && same == operation
                        && twin != result
                        && !others.contains(&twin)
                        && environment.get(twin).is_some()
                    {
                        others.push(twin);
                    }
                }
            }
        }
        for twin in others {
            let (a, b) = (Operand::Register(result), Operand::Register(twin));
            let derivation = Derivation::new(at, environment, self);
            let mut relation = ANY;
            if derivation.is_monotone(a, b, at.order_depth) {
                relation = relation.meet(Relation::LESS_EQUAL.join(Relation::UNORDERED));
            }
            if derivation.is_monotone(b, a, at.order_depth) {
                relation = relation.meet(Relation::GREATER_EQUAL.join(Relation::UNORDERED));
            }
            if relation != ANY {
                self.relate(result, twin, relation);
            }
        }
    }
}

fn is_about_the_same(fact: &Fact, other: &Fact) -> bool {
    (fact.a, fact.b, fact.magnitudes) == (other.a, other.b, other.magnitudes)
}

/// Whether the values of an environment imply a relation.
fn holds(fact: &Fact, environment: &Environment) -> bool {
    match (environment.get(fact.a), environment.get(fact.b)) {
        (Some(Value::Float(a)), Some(Value::Float(b)))
            if !fact.magnitudes && a.format() == b.format() && !a.is_empty() && !b.is_empty() =>
        {
            let truth = fact.relation.truth(&a.get(), &b.get(), Order::default());
            !truth.may_fail
        }
        (_, _) => false,
    }
}

/// The order of two operands, by relations and by definitions where the values leave it open.
pub fn between(
    at: &Text,
    environment: &Environment,
    relations: &Relations,
    a: Operand,
    b: Operand,
) -> Order {
    if at.has_equal_numbers() && at.facts.numbers.alike(a, b) {
        return Order { same: true, ..Order::default() };
    }
    let mut order = relations.of(a, b);
    if !order.same && at.domains.order && at.order_depth > 0 {
        let (Value::Float(x), Value::Float(y)) =
            (at.value(environment, a), at.value(environment, b))
        else {
            return order;
        };
        let (x, y) = (x.get(), y.get());
        let overlap = match (x.bounds(), y.bounds()) {
            (Some(x), Some(y)) => x.0 <= y.1 && y.0 <= x.1,
            (_, _) => false,
        };
        if overlap && x.single_place().is_none() | y.single_place().is_none() {
            let derivation = Derivation::new(at, environment, relations);
            order.not_greater |= derivation.not_greater(a, b, at.order_depth);
            order.not_less |= derivation.not_greater(b, a, at.order_depth);
        }
    }
    order
}

/// The operand whose magnitude an operand has.
fn magnitude(at: &Text, operand: Operand) -> Operand {
    let mut operand = operand;
    while let Operand::Register(register) = operand
        && let Some(Act::Float { operation: Operation::Abs | Operation::Neg, operands, .. }) =
            at.facts.definitions.act(at.function, register)
    {
        operand = operands[0];
    }
    operand
}

fn floats<'a>(at: &'a Text, environment: &'a Environment, operand: Operand) -> Option<Floats> {
    match at.value(environment, operand) {
        Value::Float(floats) => Some(floats.get()),
        _ => None,
    }
}

/// The signs that an operand may have.
fn signs(at: &Text, environment: &Environment, operand: Operand) -> Option<Signs> {
    match at.value(environment, operand) {
        Value::Float(floats) => Some(floats.signs()),
        _ => None,
    }
}

/// Whether an operand has no negative number (and is a float).
fn is_not_negative(at: &Text, environment: &Environment, operand: Operand) -> bool {
    signs(at, environment, operand).is_some_and(|signs| !signs.negative)
}

/// Derives the order of operands from definitions.
struct Derivation<'a> {
    at: &'a Text<'a>,
    environment: &'a Environment,
    relations: &'a Relations,
    /// Pairs that may still be looked at.
    fuel: Cell<u32>,
}

impl<'a> Derivation<'a> {
    fn new(
        at: &'a Text<'a>,
        environment: &'a Environment,
        relations: &'a Relations,
    ) -> Derivation<'a> {
        Derivation { at, environment, relations, fuel: Cell::new(ORDER_FUEL) }
    }

    fn signs(&self, operand: Operand) -> Option<Signs> {
        signs(self.at, self.environment, operand)
    }

    fn floats(&self, operand: Operand) -> Option<Floats> {
        floats(self.at, self.environment, operand)
    }

    fn same(&self, a: Operand, b: Operand) -> bool {
        a == b || (self.at.has_equal_numbers() && self.at.facts.numbers.alike(a, b))
    }

    /// Whether all numbers of an operand are at most (or at least) a double.
    fn is_at_most(&self, operand: Operand, bound: f64) -> bool {
        let most = |floats: Floats| match floats.bounds() {
            Some((_, hi)) => hi <= Grid::of(floats.format).nearest(bound),
            None => true,
        };
        self.floats(operand).is_some_and(most)
    }

    fn is_at_least(&self, operand: Operand, bound: f64) -> bool {
        let least = |floats: Floats| match floats.bounds() {
            Some((lo, _)) => lo >= Grid::of(floats.format).nearest(bound),
            None => true,
        };
        self.floats(operand).is_some_and(least)
    }

    /// Whether no number is negative; the zeros are not.
    fn is_not_negative(&self, operand: Operand) -> bool {
        is_not_negative(self.at, self.environment, operand)
    }

    fn is_not_positive(&self, operand: Operand) -> bool {
        self.signs(operand).is_some_and(|signs| !signs.positive)
    }

    fn is_number(&self, operand: Operand) -> bool {
        self.signs(operand).is_some_and(|signs| !signs.nan)
    }

    /// Whether `|a| <= |b|` unless one is a NaN.
    fn is_no_larger(&self, a: Operand, b: Operand, depth: u32) -> bool {
        let (inner_a, inner_b) = (magnitude(self.at, a), magnitude(self.at, b));
        if self.same(inner_a, inner_b) {
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
        if let (Operand::Register(x), Operand::Register(y)) = (inner_a, inner_b) {
            for fact in self.relations.0.iter().filter(|fact| fact.magnitudes) {
                let order = match (fact.a == x && fact.b == y, fact.a == y && fact.b == x) {
                    (true, _) => fact.relation.order(),
                    (_, true) => fact.relation.swapped().order(),
                    (false, false) => continue,
                };
                if order.not_greater {
                    return true;
                }
            }
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

    /// Whether `a <= b` unless one is a NaN.
    fn not_greater(&self, a: Operand, b: Operand, depth: u32) -> bool {
        if self.same(a, b) {
            return true;
        }
        let (Some(x), Some(y)) = (self.floats(a), self.floats(b)) else { return false };
        match (x.bounds(), y.bounds()) {
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
        if let Operand::Register(register) = operand
            && let Some(extremum) = self.at.facts.extrema.get(&register)
            && extremum.is_greatest()
            && self.at.has_equal_numbers()
        {
            return extremum.operands.map(Some);
        }
        if let Some(operands) = self.greater_of(operand) {
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

    /// The operands of which an operand selects the greater.
    fn greater_of(&self, operand: Operand) -> Option<[Operand; 2]> {
        let Act::Select { operands: [condition, then, otherwise] } = self.act(operand)? else {
            return None;
        };
        let Act::FloatCompare { predicate, operands: [x, y], .. } = self.act(*condition)? else {
            return None;
        };
        let relation = predicate::relation(*predicate);
        let relation = match (self.same(*then, *x), self.same(*otherwise, *y)) {
            (true, true) => relation,
            (_, _) if self.same(*then, *y) && self.same(*otherwise, *x) => relation.swapped(),
            (_, _) => return None,
        };
        let greatest = relation.order().not_less && relation.negated().order().not_greater;
        greatest.then_some([*then, *otherwise])
    }

    /// Whether an operand is between 0 and 1.
    fn shrinks(&self, operand: Operand) -> bool {
        self.is_not_negative(operand) && self.is_at_most(operand, 1.0)
    }

    /// Whether two operands are the same monotone function of ordered ones. Rounding to nearest
    /// is monotone.
    fn is_monotone(&self, a: Operand, b: Operand, depth: u32) -> bool {
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

    fn excludes_zero(&self, operand: Operand) -> bool {
        self.signs(operand).is_some_and(|signs| !signs.zero)
    }
}
