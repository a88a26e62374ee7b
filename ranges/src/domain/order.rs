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
use crate::function::extrema::Choice;
use crate::policy::{MOST_PHI_PAIRS, ORDER_FUEL};
use crate::value::AbstractValue;
use nanoscope_ieee::{Operation, Rounding};
use nanoscope_program::Exception;
use nanoscope_program::ir::{Act, Edge, Instruction, Mode, Operand, Register, Type};
use nanoscope_sets::floats::granularity::WHOLE;
use nanoscope_sets::{Floats, Grid, Modes, Order, Ordinal, Relation, Signs, Span};
use smallvec::SmallVec;
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
        self.relate_selected(at, environment, instruction);
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
        let mut moved_pairs: SmallVec<[Fact; 4]> = SmallVec::new();
        if edge.moves.len() > 1 && at.order_depth > 0 {
            let is_float = |register: Register| {
                matches!(at.function.registers[register.0 as usize], Type::Float(_))
            };
            let moves: SmallVec<[_; 8]> =
                edge.moves.iter().filter(|(to, _)| is_float(*to) && is_live(*to)).collect();
            let mut tried = 0;
            for (i, (a, x)) in moves.iter().enumerate() {
                for (b, y) in &moves[i + 1..] {
                    if tried >= MOST_PHI_PAIRS {
                        break;
                    }
                    tried += 1;
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
        let mut carried: SmallVec<[Fact; 16]> = SmallVec::new();
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
        let (AbstractValue::Float(floats), &[a, b]) = (&computed.value, &operands[..]) else {
            return;
        };
        let given = floats.get();
        let derivation = Derivation::new(at, known.environment, self);
        let no_larger = |a, b| derivation.is_no_larger(a, b, at.order_depth);
        if *operation == Operation::Div {
            let one = Grid::of(parameters.format).one();
            let magnitudes = given.magnitudes().positive;
            if !magnitudes.is_empty() && magnitudes.hi > one && no_larger(a, b) {
                // Rounding is monotone, and 1 is a number of every format.
                let unit = Floats::between(parameters.format, !one, one);
                computed.value =
                    AbstractValue::float(Floats { nan: given.nan, ..given.meet(&unit) });
                computed.raised.remove(Exception::Overflow);
                computed.raised.remove(Exception::DivideByZero);
            }
            if derivation.is_sum_with(a, b) {
                keep_apart_from_zero(computed);
            }
            return;
        }
        // A sum of opposite signs has the sign of the larger operand.
        let (Some(of_a), Some(of_b)) = (derivation.signs(a), derivation.signs(b)) else { return };
        for ((small, of_small), (large, of_large)) in
            [((a, of_a), (b, of_b)), ((b, of_b), (a, of_a))]
        {
            if !given.negative.is_empty() && !of_small.positive && !of_large.negative {
                if no_larger(small, large) {
                    computed.value =
                        AbstractValue::float(Floats { negative: Span::EMPTY, ..given });
                }
            } else if !given.positive.is_empty()
                && !of_small.negative
                && !of_large.positive
                && no_larger(small, large)
            {
                computed.value = AbstractValue::float(Floats { positive: Span::EMPTY, ..given });
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
                let is_alike = |act: &Act| matches!(act, Act::Float { operation: same, .. } if same == operation);
                add_users(at, environment, other, &is_alike, &mut others);
            }
        }
        for twin in others.into_iter().filter(|twin| *twin != result) {
            self.relate_by(at, environment, [result, twin], |derivation, a, b| {
                derivation.is_monotone(a, b, at.order_depth)
            });
        }
    }

    /// Relates what is selected with what else is selected of the same operands: the lesser of two
    /// with the greater.
    fn relate_selected(&mut self, at: &Text, environment: &Environment, instruction: &Instruction) {
        let (Some(result), Act::Select { operands }, 1..) =
            (instruction.result, &instruction.act, at.order_depth)
        else {
            return;
        };
        if !matches!(at.function.registers[result.0 as usize], Type::Float(_)) {
            return;
        }
        let mut others = Vec::new();
        let is_alike = |act: &Act| matches!(act, Act::Select { .. });
        for register in operands[1..].iter().filter_map(|operand| operand.register()) {
            add_users(at, environment, register, &is_alike, &mut others);
        }
        for twin in others.into_iter().filter(|twin| *twin != result) {
            self.relate_by(at, environment, [result, twin], |derivation, a, b| {
                derivation.not_greater(a, b, at.order_depth)
            });
        }
    }

    /// Relates two registers as a derivation of "at most" tells, either way.
    fn relate_by(
        &mut self,
        at: &Text,
        environment: &Environment,
        registers: [Register; 2],
        not_greater: impl Fn(&Derivation, Operand, Operand) -> bool,
    ) {
        let [a, b] = registers.map(Operand::Register);
        let derivation = Derivation::new(at, environment, self);
        let mut relation = ANY;
        if not_greater(&derivation, a, b) {
            relation = relation.meet(Relation::LESS_EQUAL.join(Relation::UNORDERED));
        }
        if not_greater(&derivation, b, a) {
            relation = relation.meet(Relation::GREATER_EQUAL.join(Relation::UNORDERED));
        }
        if relation != ANY {
            self.relate(registers[0], registers[1], relation);
        }
    }
}

/// Adds the results of acts of a kind that use a register and that are known.
fn add_users(
    at: &Text,
    environment: &Environment,
    register: Register,
    is_alike: &dyn Fn(&Act) -> bool,
    found: &mut Vec<Register>,
) {
    for (block, position) in at.facts.definitions.users(register) {
        let user = &at.function.block(*block).instructions[*position];
        if let Some(result) = user.result
            && is_alike(&user.act)
            && !found.contains(&result)
            && environment.get(result).is_some()
        {
            found.push(result);
        }
    }
}

fn is_about_the_same(fact: &Fact, other: &Fact) -> bool {
    (fact.a, fact.b, fact.magnitudes) == (other.a, other.b, other.magnitudes)
}

/// Whether the values of an environment imply a relation.
fn holds(fact: &Fact, environment: &Environment) -> bool {
    match (environment.get(fact.a), environment.get(fact.b)) {
        (Some(AbstractValue::Float(a)), Some(AbstractValue::Float(b)))
            if !fact.magnitudes && a.format() == b.format() && !a.is_empty() && !b.is_empty() =>
        {
            let truth = fact.relation.truth(&a.get(), &b.get(), Order::default());
            !truth.may_fail
        }
        (_, _) => false,
    }
}

/// What an act needs to know of the order of its operands. Sums, products and quotients only need
/// to know whether they are the same.
pub fn of_operands(
    at: &Text,
    environment: &Environment,
    relations: &Relations,
    act: &Act,
    operands: &[Operand],
) -> Order {
    let ordered = match act {
        Act::FloatCompare { .. } => true,
        Act::Float { operation, .. } => *operation == Operation::Sub,
        // Of any other act, ranges alone decide.
        _ => return Order::default(),
    };
    let &[a, b] = operands else { return Order::default() };
    let is_same = match a {
        Operand::Register(_) => a == b || at.has_equal_numbers() && at.facts.numbers.alike(a, b),
        // One that is not defined is any value, each time.
        Operand::Constant(_) => false,
    };
    if is_same {
        return Order { same: true, ..Order::default() };
    }
    if ordered { between(at, environment, relations, a, b) } else { Order::default() }
}

/// The order of two operands, by relations and by definitions where the values leave it open.
fn between(
    at: &Text,
    environment: &Environment,
    relations: &Relations,
    a: Operand,
    b: Operand,
) -> Order {
    let mut order = relations.of(a, b);
    if !order.same && at.domains.order && at.order_depth > 0 {
        let (AbstractValue::Float(x), AbstractValue::Float(y)) =
            (at.value(environment, a), at.value(environment, b))
        else {
            return order;
        };
        let is_open = match (x.bounds(), y.bounds()) {
            (Some(x), Some(y)) => x.0 <= y.1 && y.0 <= x.1 && (x.0 < x.1 || y.0 < y.1),
            (_, _) => false,
        };
        if is_open {
            let derivation = Derivation::new(at, environment, relations);
            order.not_greater |= derivation.not_greater(a, b, at.order_depth);
            order.not_less |= derivation.not_greater(b, a, at.order_depth);
        }
    }
    order
}

/// `(x - y) / x` in magnitude is zero or at least 2^-(p + 1), with `p` the precision: `x - y` is
/// exact and a multiple of half the unit of `x` if the two are within a factor of two of each other,
/// and at least half of `x` otherwise. A result that small is no underflow.
fn keep_apart_from_zero(computed: &mut Computed) {
    let AbstractValue::Float(given) = &computed.value else { return };
    let given = given.get();
    let least = Grid::of(given.format).power(-(i64::from(given.format.precision) + 1));
    let apart = Span::new(least, Ordinal::MAX);
    let (positive, negative) = (given.positive.meet(apart), given.negative.meet(apart));
    // Where nothing is left of a sign, control does not come here; that is for others to say.
    if least > Grid::of(given.format).min_normal() {
        computed.value = AbstractValue::float(Floats { positive, negative, ..given });
        computed.raised.remove(Exception::Underflow);
    }
}

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

fn floats<'a>(at: &'a Text, environment: &'a Environment, operand: Operand) -> Option<Floats> {
    match at.value(environment, operand) {
        AbstractValue::Float(floats) => Some(floats.get()),
        _ => None,
    }
}

/// The signs that an operand may have.
fn signs(at: &Text, environment: &Environment, operand: Operand) -> Option<Signs> {
    match at.value(environment, operand) {
        AbstractValue::Float(floats) => Some(floats.signs()),
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

    /// The least and the greatest number of an operand, if it is a float and has numbers.
    fn bounds(&self, operand: Operand) -> Option<Option<(Ordinal, Ordinal)>> {
        match self.at.value(self.environment, operand) {
            AbstractValue::Float(floats) => Some(floats.bounds()),
            _ => None,
        }
    }

    /// Whether two operands are equal, or both NaN.
    fn same(&self, a: Operand, b: Operand) -> bool {
        a == b
            || (self.at.has_equal_numbers() && self.at.facts.numbers.alike(a, b))
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
        let register = operand.register().filter(|_| self.at.has_equal_numbers())?;
        let (function, facts) = (self.at.function, self.at.facts);
        let choice = match facts.definitions.act(function, register) {
            Some(act) => Choice::selected(function, &facts.definitions, &facts.numbers, act)?,
            None => facts.extrema.get(&register)?.choice,
        };
        let is_it = if greatest { choice.is_greatest() } else { choice.is_least() };
        is_it.then_some(choice.operands)
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

    /// Whether an operand is a sum or a difference of which one operand has the magnitude of
    /// another.
    fn is_sum_with(&self, sum: Operand, other: Operand) -> bool {
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
