//! What a truth value says of other registers. `near = fabs(x - n) < eps && n < limit` is
//! computed here and asked about there; what the ways that made it true had in common is
//! remembered with it.

use crate::state::Registers;
use crate::value::Value;
use nanoscope_program::ir::{Edge, Operand, Register};

/// The most that is remembered.
const MOST: usize = 64;

/// Implications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Implied(Vec<Implication>);

/// Where `on` is zero, or is not, a register holds no more than a value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Implication {
    on: Register,
    nonzero: bool,
    register: Register,
    value: Value,
}

/// Registers and what is implied among them, of one of two ways that meet.
#[derive(Clone, Copy)]
pub struct Way<'a> {
    pub registers: &'a Registers,
    pub implied: &'a Implied,
}

/// Whether a value may be zero, and whether it may be anything else, if it is a truth value.
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

impl Way<'_> {
    /// Whether a register may be zero, or may be not.
    fn admits(&self, on: Register, nonzero: bool) -> bool {
        let truths = self.registers.get(on).and_then(truths);
        truths.is_none_or(|truths| truths[usize::from(nonzero)])
    }

    /// What a register holds if another is zero, or is not.
    fn value(&self, on: Register, nonzero: bool, register: Register) -> Option<Value> {
        let held = self.registers.get(register)?;
        let said = self.implied.said(on, nonzero).find(|(about, _)| *about == register);
        Some(said.map_or_else(|| held.clone(), |(_, value)| held.meet(value)))
    }
}

impl Implied {
    /// What is implied by a register that is zero, or is not.
    pub fn said(&self, on: Register, nonzero: bool) -> impl Iterator<Item = (Register, &Value)> {
        let about = move |it: &&Implication| it.on == on && it.nonzero == nonzero;
        self.0.iter().filter(about).map(|it| (it.register, &it.value))
    }

    /// A register is assigned anew.
    pub fn forget(&mut self, register: Register) {
        if !self.0.is_empty() {
            self.0.retain(|it| it.on != register && it.register != register);
        }
    }

    /// What is implied here has come true.
    pub fn forget_one(&mut self, on: Register, nonzero: bool, register: Register) {
        self.0.retain(|it| (it.on, it.nonzero, it.register) != (on, nonzero, register));
    }

    /// The same at the end of an edge, for what is needed there.
    pub fn along(&self, edge: &Edge, needed: impl Fn(&Register) -> bool) -> Implied {
        let names = |register: Register| {
            let kept = !edge.moves.iter().any(|(to, _)| *to == register);
            let moved =
                edge.moves.iter().filter(move |(_, from)| *from == Operand::Register(register));
            kept.then_some(register).into_iter().chain(moved.map(|(to, _)| *to))
        };
        let mut carried = Vec::new();
        for it in &self.0 {
            for register in names(it.register).filter(&needed) {
                for on in names(it.on) {
                    carried.push(Implication { on, register, ..it.clone() });
                }
            }
        }
        carried.truncate(MOST);
        Implied(carried)
    }

    /// What is implied wherever two ways meet, and holds less than the `joined` registers do.
    pub fn joined(a: Way, b: Way, joined: &Registers) -> Implied {
        let mut found = Vec::new();
        let mut asked: Vec<Register> = Vec::new();
        for (register, value) in joined.iter() {
            // A truth that one of the ways decides.
            if truths(value) == Some([true, true])
                && [false, true].iter().any(|&t| a.admits(*register, t) != b.admits(*register, t))
            {
                asked.push(*register);
            }
        }
        for it in a.implied.0.iter().chain(&b.implied.0) {
            if !asked.contains(&it.on) {
                asked.push(it.on);
            }
        }
        for &on in &asked {
            for nonzero in [false, true] {
                let (in_a, in_b) = (a.admits(on, nonzero), b.admits(on, nonzero));
                for (register, held) in joined.iter() {
                    if *register == on || found.len() >= MOST {
                        continue;
                    }
                    let said = |way: Way| way.value(on, nonzero, *register);
                    let value = match (in_a, in_b) {
                        (true, true) => {
                            said(a).zip(said(b)).map(|(a, b)| if a == b { a } else { a.join(&b) })
                        }
                        (true, false) => said(a),
                        (false, true) => said(b),
                        (false, false) => None,
                    };
                    // Of what is not set yet on one of the ways nothing is said.
                    if let Some(value) = value.filter(|value| value != held && !value.is_empty()) {
                        found.push(Implication { on, nonzero, register: *register, value });
                    }
                }
            }
        }
        Implied(found)
    }

    /// What both say alike.
    pub fn common(&self, other: &Implied) -> Implied {
        Implied(self.0.iter().filter(|it| other.0.contains(it)).cloned().collect())
    }

    /// Whether all of it holds of a way.
    pub fn holds(&self, way: Way) -> bool {
        self.0.iter().all(|it| {
            !way.admits(it.on, it.nonzero)
                || way
                    .value(it.on, it.nonzero, it.register)
                    .is_some_and(|value| value.is_within(&it.value))
        })
    }
}
