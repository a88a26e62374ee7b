//! The domain of order: which of two operands is the greater.
//!
//! Comparisons give relations between registers (`relations.rs`); a comparison of absolute values
//! gives one between magnitudes. Definitions give more, on demand: `a * t` with `t` between 0
//! and 1 does not exceed `a`, the greater of two is at least each, rounding is monotone. So
//! `c / m` with `|c| <= |m|` is at most 1, and `x - y` of ordered operands has a sign.

use crate::domain::derivation::{Derivation, floats, is_not_negative, magnitude, signed, signs};
use crate::domain::environment::Environment;
use crate::domain::linear_form::finite;
use crate::domain::point::{Domain, Known, Side, Text, names_after};
use crate::domain::relations::{ANY, Fact, Relations};
use crate::domain::values::{Computed, modes_of};
use crate::integers::Integers;
use crate::policy::MOST_PHI_PAIRS;
use crate::value::AbstractValue;
use nanoscope_ieee::Operation;
use nanoscope_program::Exception;
use nanoscope_program::ir::{Act, Edge, Instruction, Operand, Register, Type};
use nanoscope_sets::floats::granularity::WHOLE;
use nanoscope_sets::{Floats, Grid, Modes, Order, Ordinal, Relation, Span};
use smallvec::SmallVec;

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
        self.relate_equal(at, environment, instruction);
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
        // What a number that is not negative bounds, what is greater than it bounds too.
        if let [Operand::Register(a), Operand::Register(b)] = operands
            && a != b
            && self.0.iter().any(|fact| fact.magnitudes)
        {
            let bounds = |register: Register| {
                let signs = signs(at, environment, Operand::Register(register));
                let is_ordered = !relation.allows(Relation::UNORDERED);
                signs.is_some_and(|it| !it.negative && (is_ordered || !it.nan))
            };
            let order = relation.order();
            for (lesser, greater, is_so) in [(a, b, order.not_greater), (b, a, order.not_less)] {
                if is_so && bounds(lesser) {
                    self.bound_as(lesser, greater);
                }
            }
        }
    }

    fn forget(&mut self, register: Register) {
        if !self.0.is_empty() {
            self.0.retain(|fact| fact.a != register && fact.b != register);
        }
        if !self.1.is_empty() {
            self.1.retain(|(a, b)| *a != register && *b != register);
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
            let magnitudes = self.0.iter().any(|fact| fact.magnitudes);
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
                    let (a, b) = (*a, *b);
                    if relation != ANY {
                        moved_pairs.push(Fact { a, b, relation, magnitudes: false });
                    }
                    let are_registers = x.register().is_some() && y.register().is_some();
                    if magnitudes && are_registers {
                        let relation = derivation.of_magnitudes(*x, *y);
                        if relation != ANY {
                            moved_pairs.push(Fact { a, b, relation, magnitudes: true });
                        }
                    }
                }
            }
        }
        let mut carried: SmallVec<[Fact; 16]> = SmallVec::new();
        let mut same: SmallVec<[(Register, Register); 16]> = SmallVec::new();
        // What keeps its names stays where it is.
        let pairs = |a: Register, b: Register| {
            let names = names_after(edge, a).filter(|a| is_live(*a));
            names.flat_map(move |x| {
                let others = names_after(edge, b).filter(move |y| is_live(*y) && *y != x);
                others.map(move |y| (x, y))
            })
        };
        self.0.retain(|fact| {
            let (mut stays, names) = (false, (fact.a, fact.b));
            for (a, b) in pairs(fact.a, fact.b) {
                match (a, b) == names {
                    true => stays = true,
                    false => carried.push(Fact { a, b, ..*fact }),
                }
            }
            stays
        });
        self.1.retain(|&(a, b)| {
            let mut stays = false;
            for pair in pairs(a, b) {
                match pair == (a, b) {
                    true => stays = true,
                    false => same.push(pair),
                }
            }
            stays
        });
        same.into_iter().for_each(|(a, b)| self.identify(a, b));
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
                self.identify(*to, from);
            }
        }
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
        let common = |pair: &&(Register, Register)| b.element.1.contains(pair);
        joined.1 = a.element.1.iter().filter(common).copied().collect();
        joined
    }

    fn widen(a: Side<Self>, b: Side<Self>, wide: &Environment) -> Self {
        Relations::join(a, b, wide)
    }

    fn includes(&self, other: Side<Self>) -> bool {
        let same = |pair: &(Register, Register)| other.element.1.contains(pair);
        self.1.iter().all(same)
            && self.0.iter().all(|fact| {
                let known = other.element.0.iter().find(|known| is_about_the_same(fact, known));
                known.is_some_and(|known| fact.relation.join(known.relation) == fact.relation)
                    || holds(fact, other.environment)
            })
    }

    fn sharpen(&self, at: &Text, known: Known, instruction: &Instruction, computed: &mut Computed) {
        let Act::Float {
            operation: operation @ (Operation::Div | Operation::Add | Operation::Mul),
            parameters,
            operands,
            mode,
            relaxed: false,
        } = &instruction.act
        else {
            return;
        };
        let (AbstractValue::Float(floats), &[a, b]) = (&computed.value, &operands[..]) else {
            return;
        };
        let given = floats.get();
        if *operation == Operation::Mul {
            // A number times its negative.
            if let ((x, true), (y, false)) | ((x, false), (y, true)) =
                (signed(at, a), signed(at, b))
                && x == y
                && x.register().is_some()
                && (!given.negative.is_empty() || given.has_zero())
            {
                computed.value = AbstractValue::float(Floats { positive: Span::EMPTY, ..given });
            }
            return;
        }
        let derivation = Derivation::new(at, known.environment, self);
        let no_larger = |a, b| derivation.is_no_larger(a, b, at.order_depth);
        if *operation == Operation::Div {
            let one = Grid::of(parameters.format).one();
            let magnitudes = given.magnitudes().positive;
            let only = Span::new(one, one);
            let is_unit = magnitudes == only && !given.has_zero();
            if !magnitudes.is_empty() && !is_unit && no_larger(a, b) {
                // Rounding is monotone, and 1 is a number of every format.
                let mut unit = Floats::between(parameters.format, !one, one);
                computed.raised.remove(Exception::Overflow);
                computed.raised.remove(Exception::DivideByZero);
                if no_larger(b, a) {
                    // Of equal magnitudes.
                    unit = Floats { positive: only, negative: only, ..unit };
                    (unit.plus_zero, unit.minus_zero) = (false, false);
                    computed.raised.remove(Exception::Underflow);
                }
                computed.value =
                    AbstractValue::float(Floats { nan: given.nan, ..given.meet(&unit) });
            }
            if derivation.is_sum_with(a, b) {
                keep_apart_from_zero(computed);
            }
            let nearest = modes_of(at.modes, *mode) == Modes::NEAREST;
            let grid = Grid::of(parameters.format);
            if let Some(most) = derivation.quotient_by_chosen(parameters.format, [a, b])
                && nearest
                && most < grid.infinity()
            {
                let within = Floats::between(parameters.format, !most, most);
                computed.meet(&AbstractValue::float(Floats { nan: given.nan, ..within }));
            }
            return;
        }
        if *operation == Operation::Add
            && !given.magnitudes().has_no_number()
            && let Some(least) = derivation.least_of_squares(parameters.format, [a, b])
        {
            let most = Grid::of(parameters.format).infinity();
            let above = Floats::between(parameters.format, least, most);
            computed.meet(&AbstractValue::float(Floats { nan: given.nan, ..above }));
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
    /// Relates a result with the operand that it is: what a decided condition selects, a sum with
    /// zero (which a NaN in the place of zero makes a NaN).
    fn relate_equal(&mut self, at: &Text, environment: &Environment, instruction: &Instruction) {
        let (Some(result), 1..) = (instruction.result, at.order_depth) else { return };
        let is_float = matches!(at.function.registers[result.0 as usize], Type::Float(_));
        // Of one number everything is known already.
        if is_float && finite(environment.known(result)).is_some_and(|it| it.lo == it.hi) {
            return;
        }
        match &instruction.act {
            Act::Select { operands: [condition, then, otherwise] } if is_float => {
                let truth = at.value(environment, *condition).as_integer();
                let taken = match truth.and_then(Integers::single) {
                    Some(0) => otherwise,
                    Some(_) => then,
                    None => return,
                };
                taken.register().into_iter().for_each(|taken| self.equate(result, taken));
            }
            Act::Float {
                operation: operation @ (Operation::Add | Operation::Sub),
                operands,
                relaxed: false,
                ..
            } => {
                let &[a, b] = &operands[..] else { return };
                let vanishes = |operand| {
                    floats(at, environment, operand)
                        .is_some_and(|x| x.has_zero() && x.magnitudes().positive.is_empty())
                };
                let kept = match operation {
                    _ if vanishes(b) => a,
                    Operation::Add if vanishes(a) => b,
                    // A difference from zero is the other operand's negative.
                    _ => return,
                };
                kept.register().into_iter().for_each(|kept| self.equate_numbers(result, kept));
            }
            Act::Float { operation: Operation::Abs | Operation::Neg, operands, .. } => {
                let of = operands.first().and_then(|of| of.register());
                of.into_iter().for_each(|of| self.copy_magnitude(result, of));
            }
            Act::Float { operation: Operation::Sqrt, operands, mode, relaxed: false, .. }
                if modes_of(at.modes, *mode) == Modes::NEAREST =>
            {
                self.bound_legs(at, environment, operands[0], result);
            }
            // Any other act gives no operand.
            _ => {}
        }
    }

    /// What is squared in a sum is no larger than its root.
    pub fn bound_legs(
        &mut self,
        at: &Text,
        environment: &Environment,
        sum: Operand,
        root: Register,
    ) {
        let Some(floats) = floats(at, environment, Operand::Register(root)) else { return };
        let legs = Derivation::new(at, environment, self).legs(sum, &floats);
        legs.into_iter().for_each(|leg| self.bound_magnitude(leg, root));
    }

    /// Relates a result with those that the same operation gave for ordered operands.
    fn relate_monotone(&mut self, at: &Text, environment: &Environment, instruction: &Instruction) {
        let (Some(result), Act::Float { operation, relaxed: false, .. }, false) =
            (instruction.result, &instruction.act, self.0.is_empty() || at.order_depth == 0)
        else {
            return;
        };
        let scales = matches!(operation, Operation::Mul | Operation::Div);
        if !scales && !matches!(operation, Operation::Add | Operation::Sub) {
            return;
        }
        let (mut others, mut of_larger) = (Vec::new(), Vec::new());
        let is_alike =
            |act: &Act| matches!(act, Act::Float { operation: same, .. } if same == operation);
        for register in instruction.act.operands().registers() {
            for fact in &self.0 {
                let other = match (fact.a == register, fact.b == register) {
                    (true, _) => fact.b,
                    (_, true) => fact.a,
                    (false, false) => continue,
                };
                match fact.magnitudes {
                    false if *operation != Operation::Div => {
                        add_users(at, environment, other, &is_alike, &mut others);
                    }
                    true if scales => {
                        add_users(at, environment, other, &is_alike, &mut of_larger);
                    }
                    false | true => {}
                }
            }
        }
        for twin in others.into_iter().filter(|twin| *twin != result) {
            self.relate_by(at, environment, [result, twin], |derivation, a, b| {
                derivation.is_monotone(a, b, at.order_depth)
            });
        }
        for twin in of_larger.into_iter().filter(|twin| *twin != result) {
            let [a, b] = [result, twin].map(Operand::Register);
            let relation = Derivation::new(at, environment, self).of_magnitudes(a, b);
            if relation != ANY {
                self.add(Fact { a: result, b: twin, relation, magnitudes: true });
            }
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
        self.bound_by_greatest(at, environment, result);
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

    /// What operands bound, the greatest of them bounds.
    fn bound_by_greatest(&mut self, at: &Text, environment: &Environment, result: Register) {
        if !self.0.iter().any(|fact| fact.magnitudes) {
            return;
        }
        let derivation = Derivation::new(at, environment, self);
        let Some(choice) = derivation.choice_of(Operand::Register(result)) else { return };
        let bounds = |operand: &Operand| {
            choice.is_greatest()
                && is_not_negative(at, environment, *operand)
                && (derivation.is_number(*operand) || choice.of_unordered() == *operand)
        };
        let operands = choice.operands.into_iter().filter(bounds);
        let registers: SmallVec<[Register; 2]> =
            operands.filter_map(|operand| operand.register()).collect();
        for register in registers {
            self.bound_as(register, result);
            self.bound_magnitude(register, result);
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
