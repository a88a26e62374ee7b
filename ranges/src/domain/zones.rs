//! The domain of zones: bounds on the difference of two registers. Linear recurrences of loops give
//! them (`recurrences.rs`), and sums and comparisons where paths meet (`affine.rs`); rounding is
//! accounted for there, the bounds are of exact differences.

use crate::domain::affine;
use crate::domain::environment::Environment;
use crate::domain::linear_form::{Bounds, floats_within};
use crate::domain::point::{Domain, Known, Side, Text, names_after};
use crate::domain::values::Computed;
use crate::policy::MOST_ZONES;
use crate::predicate;
use crate::value::Value;
use nanoscope_ieee::Operation;
use nanoscope_program::Exception;
use nanoscope_program::ir::{Act, Edge, Instruction, Operand, Register, Type};
use nanoscope_sets::{Floats, Order};
use smallvec::SmallVec;

/// `a - b` is within bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Zone {
    a: Register,
    b: Register,
    bounds: Bounds,
}

/// Differences that hold. Both registers of each are finite.
#[derive(Clone, Debug, Default)]
pub struct Zones(Vec<Zone>);

impl Zones {
    /// Adds bounds on `a - b`.
    pub fn add(&mut self, a: Register, b: Register, bounds: Bounds) {
        if let Some(known) = self.0.iter_mut().find(|zone| (zone.a, zone.b) == (a, b)) {
            known.bounds = known.bounds.meet(bounds);
        } else if self.0.len() < MOST_ZONES {
            self.0.push(Zone { a, b, bounds });
        }
    }

    /// Adds the differences between registers that move along an edge and what they are computed
    /// from or were compared with: where paths meet, definitions say nothing any more.
    pub fn derive(
        &mut self,
        at: &Text,
        known: Known,
        edge: &Edge,
        is_live: &dyn Fn(Register) -> bool,
    ) {
        let stays = |register: Register| names_after(edge, register).any(is_live);
        let is_float =
            |to: Register| matches!(at.function.registers[to.0 as usize], Type::Float(_));
        let moves = edge.moves.iter().filter(|(to, _)| is_float(*to) && is_live(*to));
        for moved in moves.filter_map(|(_, from)| from.register()) {
            let mut partners: SmallVec<[Register; 8]> = SmallVec::new();
            summands(at, moved, &mut partners);
            for fact in known.relations.0.iter().filter(|fact| !fact.magnitudes) {
                if fact.a == moved || fact.b == moved {
                    let other = if fact.a == moved { fact.b } else { fact.a };
                    partners.push(other);
                    summands(at, other, &mut partners);
                }
            }
            partners.sort_unstable();
            partners.dedup();
            for partner in partners.into_iter().filter(|partner| *partner != moved) {
                if stays(partner)
                    && self.0.len() < MOST_ZONES
                    && let Some(bounds) = affine::difference(at, known, moved, partner)
                {
                    self.add(moved, partner, bounds);
                }
            }
        }
    }

    /// The bounds on the difference of two operands.
    pub fn difference(&self, a: Operand, b: Operand) -> Option<Bounds> {
        let (a, b) = (a.register()?, b.register()?);
        self.0.iter().find_map(|zone| match (zone.a == a, zone.b == b) {
            (true, true) => Some(zone.bounds),
            (_, _) if zone.a == b && zone.b == a => Some(zone.bounds.negated()),
            (_, _) => None,
        })
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
        let both = |zone: &Zone| {
            let other = b.element.0.iter().find(|other| (zone.a, zone.b) == (other.a, other.b))?;
            Some(Zone { bounds: zone.bounds.join(other.bounds), ..*zone })
        };
        Zones(a.element.0.iter().filter_map(both).collect())
    }

    fn widen(a: Side<Self>, b: Side<Self>, _wide: &Environment) -> Self {
        // A zone that grows is dropped.
        let stable = |zone: &&Zone| {
            b.element.0.iter().any(|other| {
                (zone.a, zone.b) == (other.a, other.b) && zone.bounds.includes(other.bounds)
            })
        };
        Zones(a.element.0.iter().filter(stable).copied().collect())
    }

    fn includes(&self, other: Side<Self>) -> bool {
        self.0.iter().all(|zone| {
            other.element.0.iter().any(|theirs| {
                (zone.a, zone.b) == (theirs.a, theirs.b) && zone.bounds.includes(theirs.bounds)
            })
        })
    }

    fn sharpen(&self, at: &Text, known: Known, instruction: &Instruction, computed: &mut Computed) {
        if self.0.is_empty() {
            return;
        }
        match (&instruction.act, &computed.value) {
            (
                Act::Float { operation: Operation::Sub, operands, relaxed: false, .. },
                Value::Float(given),
            ) => {
                if let &[a, b] = &operands[..]
                    && let Some(bounds) = self.difference(a, b)
                {
                    let given = given.get();
                    let left = given.meet(&floats_within(given.format, bounds));
                    // Of finite operands, and finite itself.
                    computed.raised.remove(Exception::Invalid);
                    if !left.has_infinity() {
                        computed.raised.remove(Exception::Overflow);
                    }
                    computed.value = Value::float(left);
                }
            }
            (Act::FloatCompare { predicate, operands: [a, b], .. }, Value::Integer(_)) => {
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
                            .meet(&Value::Integer(relation.truth(&x, &y, order).into()));
                    }
                }
            }
            (_, _) => {}
        }
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
        Value::Float(floats) => Some(floats.get()),
        _ => None,
    }
}
