//! The domain of implications: where a truth value is zero, or is not, a register holds no more
//! than a value. `near = fabs(x - n) < eps && n < limit` is computed here and tested there;
//! what the paths that made it true have in common is kept with it.

use crate::domain::environment::Environment;
use crate::policy::MOST_IMPLICATIONS;
use crate::value::Value;
use nanoscope_program::ir::{Edge, Operand, Register};

/// Implications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Implications(Vec<Implication>);

/// Where `on` is zero, or is not, a register holds no more than a value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Implication {
    on: Register,
    nonzero: bool,
    register: Register,
    value: Value,
}

/// One side of a join.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub environment: &'a Environment,
    pub implications: &'a Implications,
}

/// Whether a truth value may be zero, and whether it may be one; `None` for other values.
fn truths(value: &Value) -> Option<[bool; 2]> {
    match value {
        Value::Integer(integers) if integers.lo() >= 0 && integers.hi() <= 1 => {
            Some([integers.lo() == 0, integers.hi() == 1])
        }
        Value::Integer(_)
        | Value::Anything
        | Value::Zeros
        | Value::Float(_)
        | Value::Pointer(_)
        | Value::Parts(_) => None,
    }
}

impl Side<'_> {
    /// Whether a register may be zero, or may not be.
    fn admits(&self, on: Register, nonzero: bool) -> bool {
        let truths = self.environment.get(on).and_then(truths);
        truths.is_none_or(|truths| truths[usize::from(nonzero)])
    }

    /// The value of a register where another is zero, or is not.
    fn value(&self, on: Register, nonzero: bool, register: Register) -> Option<Value> {
        let held = self.environment.get(register)?;
        let implied =
            self.implications.implied_by(on, nonzero).find(|(about, _)| *about == register);
        Some(implied.map_or_else(|| held.clone(), |(_, value)| held.meet(value)))
    }
}

impl Implications {
    /// The values that a register implies where it is zero, or is not.
    pub fn implied_by(
        &self,
        on: Register,
        nonzero: bool,
    ) -> impl Iterator<Item = (Register, &Value)> {
        let about = move |it: &&Implication| it.on == on && it.nonzero == nonzero;
        self.0.iter().filter(about).map(|it| (it.register, &it.value))
    }

    /// Forgets a register that is assigned anew.
    pub fn forget(&mut self, register: Register) {
        if !self.0.is_empty() {
            self.0.retain(|it| it.on != register && it.register != register);
        }
    }

    /// Drops an implication that was applied.
    pub fn forget_one(&mut self, on: Register, nonzero: bool, register: Register) {
        self.0.retain(|it| (it.on, it.nonzero, it.register) != (on, nonzero, register));
    }

    /// The implications between live registers at the end of an edge.
    pub fn along(&self, edge: &Edge, is_live: impl Fn(&Register) -> bool) -> Implications {
        let names = |register: Register| {
            let kept = !edge.moves.iter().any(|(to, _)| *to == register);
            let moved =
                edge.moves.iter().filter(move |(_, from)| *from == Operand::Register(register));
            kept.then_some(register).into_iter().chain(moved.map(|(to, _)| *to))
        };
        let mut carried = Vec::new();
        for it in &self.0 {
            for register in names(it.register).filter(&is_live) {
                for on in names(it.on) {
                    carried.push(Implication { on, register, ..it.clone() });
                }
            }
        }
        carried.truncate(MOST_IMPLICATIONS);
        Implications(carried)
    }

    /// The implications of a join that say more than the joined environment.
    pub fn join(a: Side, b: Side, joined: &Environment) -> Implications {
        let mut found = Vec::new();
        let mut decided: Vec<Register> = Vec::new();
        for (register, value) in joined.iter() {
            // A truth value that one side decides.
            if truths(value) == Some([true, true])
                && [false, true].iter().any(|&t| a.admits(*register, t) != b.admits(*register, t))
            {
                decided.push(*register);
            }
        }
        for it in a.implications.0.iter().chain(&b.implications.0) {
            if !decided.contains(&it.on) {
                decided.push(it.on);
            }
        }
        for &on in &decided {
            for nonzero in [false, true] {
                let (in_a, in_b) = (a.admits(on, nonzero), b.admits(on, nonzero));
                for (register, held) in joined.iter() {
                    if *register == on || found.len() >= MOST_IMPLICATIONS {
                        continue;
                    }
                    let implied = |side: Side| side.value(on, nonzero, *register);
                    let value = match (in_a, in_b) {
                        (true, true) => implied(a)
                            .zip(implied(b))
                            .map(|(a, b)| if a == b { a } else { a.join(&b) }),
                        (true, false) => implied(a),
                        (false, true) => implied(b),
                        (false, false) => None,
                    };
                    // Nothing is implied of a register that one side has not set.
                    if let Some(value) = value.filter(|value| value != held && !value.is_empty()) {
                        found.push(Implication { on, nonzero, register: *register, value });
                    }
                }
            }
        }
        Implications(found)
    }

    /// The implications common to both.
    pub fn common(&self, other: &Implications) -> Implications {
        Implications(self.0.iter().filter(|it| other.0.contains(it)).cloned().collect())
    }

    /// Whether all of these hold of a side.
    pub fn includes(&self, side: Side) -> bool {
        self.0.iter().all(|it| {
            !side.admits(it.on, it.nonzero)
                || side
                    .value(it.on, it.nonzero, it.register)
                    .is_some_and(|value| value.is_within(&it.value))
        })
    }
}
