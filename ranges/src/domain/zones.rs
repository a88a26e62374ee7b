//! The domain of zones: bounds on the difference or the sum of two registers. Linear recurrences of
//! loops give differences (`recurrences.rs`), and sums and comparisons where paths meet give both
//! (`affine.rs`); rounding is accounted for there, the bounds are of exact numbers. A step that is
//! limited where paths meet (`d = x - y`, cut to a range, then `y + d`) is bounded by its sum.

use crate::domain::affine;
use crate::domain::environment::Environment;
use crate::domain::linear_form::{Bounds, finite, floats_within};
use crate::domain::point::{Domain, Known, Side, Text, names_after};
use crate::domain::values::Computed;
use crate::policy::MOST_ZONES;
use crate::predicate;
use crate::value::AbstractValue;
use nanoscope_ieee::Operation;
use nanoscope_program::Exception;
use nanoscope_program::ir::{Act, Edge, Instruction, Operand, Register, Type};
use nanoscope_sets::{Floats, Order};
use smallvec::SmallVec;

/// `a - b`, or `a + b`, is within bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Zone {
    a: Register,
    b: Register,
    is_sum: bool,
    bounds: Bounds,
}

impl Zone {
    /// Whether two zones bound the same.
    fn is_about(&self, other: &Zone) -> bool {
        (self.a, self.b, self.is_sum) == (other.a, other.b, other.is_sum)
    }

    /// What the values of the registers alone say.
    fn of_values(&self, environment: &Environment) -> Option<Bounds> {
        let [a, b] = [self.a, self.b].map(|register| finite(environment.known(register)));
        let second = if self.is_sum { b? } else { b?.negated() };
        Some(a?.plus(second)).filter(|bounds| bounds.is_finite())
    }
}

/// Differences and sums that hold. Both registers of each are finite.
#[derive(Clone, Debug, Default)]
pub struct Zones(Vec<Zone>);

impl Zones {
    /// Adds bounds on `a - b`.
    pub fn add(&mut self, a: Register, b: Register, bounds: Bounds) {
        self.insert(Zone { a, b, is_sum: false, bounds });
    }

    fn insert(&mut self, zone: Zone) {
        if let Some(known) = self.0.iter_mut().find(|known| known.is_about(&zone)) {
            known.bounds = known.bounds.meet(zone.bounds);
        } else if self.0.len() < MOST_ZONES {
            self.0.push(zone);
        }
    }

    /// Takes from the values of registers what zones exclude.
    pub fn refine(&self, environment: &mut Environment) {
        for zone in &self.0 {
            let [a, b] = [zone.a, zone.b].map(|register| finite(environment.known(register)));
            let (Some(a), Some(b)) = (a, b) else { continue };
            let (of_a, of_b) = if zone.is_sum {
                (zone.bounds.plus(b.negated()), zone.bounds.plus(a.negated()))
            } else {
                (zone.bounds.plus(b), a.plus(zone.bounds.negated()))
            };
            cut(environment, zone.a, of_a);
            cut(environment, zone.b, of_b);
        }
    }

    /// Adds the differences between registers that move along an edge and what they are computed
    /// from or were compared with: where paths meet, definitions say nothing any more. Elsewhere than
    /// at the head of a loop this is worth its time only where sums meet, which may be limited there.
    pub fn derive(
        &mut self,
        at: &Text,
        known: Known,
        edge: &Edge,
        is_live: &dyn Fn(Register) -> bool,
    ) {
        let is_head = at.facts.heads[edge.to.0 as usize];
        let stays = |register: Register| names_after(edge, register).any(is_live);
        let is_float =
            |to: Register| matches!(at.function.registers[to.0 as usize], Type::Float(_));
        let is_worth = |to: Register| is_head || at.facts.summed.get(&to).is_some();
        let is_finite = |from: Register| finite(known.environment.known(from)).is_some();
        let moves = edge.moves.iter();
        let moves = moves.filter(|(to, _)| is_float(*to) && is_live(*to) && is_worth(*to));
        let moved = moves.filter_map(|(_, from)| from.register());
        for moved in moved.filter(|from| is_finite(*from)) {
            let mut partners: SmallVec<[Register; 8]> = SmallVec::new();
            summands(at, moved, &mut partners);
            for fact in known.relations.0.iter().filter(|fact| !fact.magnitudes) {
                if fact.a == moved || fact.b == moved {
                    let other = if fact.a == moved { fact.b } else { fact.a };
                    partners.push(other);
                    summands(at, other, &mut partners);
                }
            }
            // What it is computed from comes first: there is not room for all.
            for (i, partner) in partners.iter().copied().enumerate() {
                if partner != moved
                    && !partners[..i].contains(&partner)
                    && stays(partner)
                    && self.0.len() < MOST_ZONES
                    && let Some(bounds) = affine::difference(at, known, moved, partner)
                {
                    self.add(moved, partner, bounds);
                }
            }
            if let Some(subtracted) = subtrahend(at, moved).filter(|other| stays(*other))
                && let Some(bounds) = affine::sum(at, known, moved, subtracted)
            {
                self.insert(Zone { a: moved, b: subtracted, is_sum: true, bounds });
            }
        }
    }

    /// The bounds on the difference of two operands.
    pub fn difference(&self, a: Operand, b: Operand) -> Option<Bounds> {
        let (a, b) = (a.register()?, b.register()?);
        self.0.iter().filter(|zone| !zone.is_sum).find_map(|zone| match (zone.a, zone.b) {
            pair if pair == (a, b) => Some(zone.bounds),
            pair if pair == (b, a) => Some(zone.bounds.negated()),
            _ => None,
        })
    }

    /// The bounds on the sum of two operands.
    fn sum(&self, a: Operand, b: Operand) -> Option<Bounds> {
        let (a, b) = (a.register()?, b.register()?);
        let is_theirs = |zone: &&Zone| (zone.a, zone.b) == (a, b) || (zone.a, zone.b) == (b, a);
        self.0.iter().filter(|zone| zone.is_sum).find(is_theirs).map(|zone| zone.bounds)
    }
}

impl Domain for Zones {
    fn forget(&mut self, register: Register) {
        if !self.0.is_empty() {
            self.0.retain(|zone| zone.a != register && zone.b != register);
        }
    }

    fn follow(
        &mut self,
        _at: &Text,
        _before: &Environment,
        edge: &Edge,
        is_live: &dyn Fn(Register) -> bool,
    ) {
        if self.0.is_empty() {
            return;
        }
        let mut carried = Vec::new();
        for zone in &self.0 {
            for a in names_after(edge, zone.a).filter(|a| is_live(*a)) {
                for b in names_after(edge, zone.b).filter(|b| is_live(*b) && *b != a) {
                    carried.push(Zone { a, b, ..*zone });
                }
            }
        }
        carried.truncate(MOST_ZONES);
        self.0 = carried;
    }

    fn join(a: Side<Self>, b: Side<Self>, _joined: &Environment) -> Self {
        let mut joined = Zones::default();
        for (side, other) in [(a, b), (b, a)] {
            for zone in &side.element.0 {
                let theirs = other.element.0.iter().find(|theirs| zone.is_about(theirs));
                // Of a sum the values of the other side may say as much: a constant is a limit.
                let bounds = match theirs {
                    Some(theirs) => Some(theirs.bounds),
                    None if zone.is_sum => zone.of_values(other.environment),
                    None => None,
                };
                if let Some(bounds) = bounds.map(|bounds| zone.bounds.join(bounds))
                    && joined.0.len() < MOST_ZONES
                    && !joined.0.iter().any(|known| known.is_about(zone))
                {
                    joined.0.push(Zone { bounds, ..*zone });
                }
            }
        }
        joined
    }

    fn widen(a: Side<Self>, b: Side<Self>, _wide: &Environment) -> Self {
        // A zone that grows is dropped.
        let stable = |zone: &&Zone| {
            b.element
                .0
                .iter()
                .any(|other| zone.is_about(other) && zone.bounds.includes(other.bounds))
        };
        Zones(a.element.0.iter().filter(stable).copied().collect())
    }

    fn includes(&self, other: Side<Self>) -> bool {
        self.0.iter().all(|zone| {
            other
                .element
                .0
                .iter()
                .any(|theirs| zone.is_about(theirs) && zone.bounds.includes(theirs.bounds))
        })
    }

    fn sharpen(&self, at: &Text, known: Known, instruction: &Instruction, computed: &mut Computed) {
        if self.0.is_empty() {
            return;
        }
        match (&instruction.act, &computed.value) {
            (
                Act::Float {
                    operation: operation @ (Operation::Add | Operation::Sub),
                    operands,
                    relaxed: false,
                    ..
                },
                AbstractValue::Float(given),
            ) => {
                let exact = |a: Operand, b: Operand| match operation {
                    Operation::Add => self.sum(a, b),
                    _ => self.difference(a, b),
                };
                if let &[a, b] = &operands[..]
                    && let Some(bounds) = exact(a, b)
                {
                    let given = given.get();
                    let left = given.meet(&floats_within(given.format, bounds));
                    // Of finite operands, and finite itself.
                    computed.raised.remove(Exception::Invalid);
                    if !left.has_infinity() {
                        computed.raised.remove(Exception::Overflow);
                    }
                    computed.value = AbstractValue::float(left);
                }
            }
            (Act::FloatCompare { predicate, operands: [a, b], .. }, AbstractValue::Integer(_)) => {
                if let Some(bounds) = self.difference(*a, *b) {
                    let order = Order {
                        same: false,
                        not_less: bounds.lo >= 0.0,
                        not_greater: bounds.hi <= 0.0,
                        differ: bounds.lo > 0.0 || bounds.hi < 0.0,
                    };
                    if let (Some(x), Some(y)) = (float(at, known, *a), float(at, known, *b)) {
                        let relation = predicate::relation(*predicate);
                        computed.value = computed
                            .value
                            .meet(&AbstractValue::Integer(relation.truth(&x, &y, order).into()));
                    }
                }
            }
            (_, _) => {}
        }
    }
}

/// What is subtracted where a register is a difference.
fn subtrahend(at: &Text, register: Register) -> Option<Register> {
    match at.facts.definitions.act(at.function, register)? {
        Act::Float { operation: Operation::Sub, operands, .. } => operands.get(1)?.register(),
        _ => None,
    }
}

/// Cuts the floats of a register to bounds.
fn cut(environment: &mut Environment, register: Register, bounds: Bounds) {
    let AbstractValue::Float(given) = environment.known(register) else { return };
    let given = given.get();
    if !bounds.is_finite() {
        return;
    }
    let left = given.meet(&floats_within(given.format, bounds));
    // Where nothing is left, control does not come here; that is for others to say.
    if left != given && !left.is_empty() {
        environment.set(register, AbstractValue::float(left));
    }
}

/// The registers of which a register is the sum or the difference.
fn summands(at: &Text, register: Register, found: &mut SmallVec<[Register; 8]>) {
    if let Some(Act::Float { operation: Operation::Add | Operation::Sub, operands, .. }) =
        at.facts.definitions.act(at.function, register)
    {
        found.extend(operands.iter().filter_map(|operand| operand.register()));
    }
}

fn float(at: &Text, known: Known, operand: Operand) -> Option<Floats> {
    match at.value(known.environment, operand) {
        AbstractValue::Float(floats) => Some(floats.get()),
        _ => None,
    }
}
