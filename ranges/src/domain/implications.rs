//! The domain of implications: where a truth value is zero, or is not, a register holds no more
//! than a value. `near = fabs(x - n) < eps && n < limit` is computed here and tested there;
//! what the paths that made it true have in common is kept with it. A conjunction that fails
//! (`x == 0 & y == 0`) says of each of its parts that, where it holds, the other does not.

use crate::domain::environment::Environment;
use crate::domain::point::{Domain, Side, Text, names_after};
use crate::policy::MOST_IMPLICATIONS;
use crate::value::AbstractValue;
use nanoscope_program::ir::{Edge, Register};

/// Implications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Implications(Vec<Implication>);

/// Where `on` is zero, or is not, a register holds no more than a value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Implication {
    on: Register,
    nonzero: bool,
    register: Register,
    value: AbstractValue,
}

/// Whether a truth value may be zero, and whether it may be one; `None` for other values.
fn truths(value: &AbstractValue) -> Option<[bool; 2]> {
    let integers = value.as_integer()?;
    let is_truth = integers.lo() >= 0 && integers.hi() <= 1;
    is_truth.then(|| [integers.lo() == 0, integers.hi() == 1])
}

/// One side of a join.
type Branch<'a> = Side<'a, Implications>;

impl Branch<'_> {
    /// Whether a register may be zero, or may not be.
    fn admits(&self, on: Register, nonzero: bool) -> bool {
        let truths = self.environment.get(on).and_then(truths);
        truths.is_none_or(|truths| truths[usize::from(nonzero)])
    }

    /// The value of a register where another is zero, or is not.
    fn value(&self, on: Register, nonzero: bool, register: Register) -> Option<AbstractValue> {
        let held = self.environment.get(register)?;
        let implied = self.element.implied_by(on, nonzero).find(|(about, _)| *about == register);
        Some(implied.map_or_else(|| held.clone(), |(_, value)| held.meet(value)))
    }
}

impl Implications {
    /// The values that a register implies where it is zero, or is not.
    pub fn implied_by(
        &self,
        on: Register,
        nonzero: bool,
    ) -> impl Iterator<Item = (Register, &AbstractValue)> {
        let about = move |it: &&Implication| it.on == on && it.nonzero == nonzero;
        self.0.iter().filter(about).map(|it| (it.register, &it.value))
    }

    /// Adds an implication.
    pub fn add(&mut self, on: Register, nonzero: bool, register: Register, value: AbstractValue) {
        if on != register && self.0.len() < MOST_IMPLICATIONS {
            self.0.push(Implication { on, nonzero, register, value });
        }
    }

    /// Drops an implication that was applied.
    pub fn forget_one(&mut self, on: Register, nonzero: bool, register: Register) {
        self.0.retain(|it| (it.on, it.nonzero, it.register) != (on, nonzero, register));
    }
}

impl Domain for Implications {
    fn forget(&mut self, register: Register) {
        if !self.0.is_empty() {
            self.0.retain(|it| it.on != register && it.register != register);
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
        for it in &self.0 {
            for register in names_after(edge, it.register).filter(|register| is_live(*register)) {
                for on in names_after(edge, it.on) {
                    carried.push(Implication { on, register, ..it.clone() });
                }
            }
        }
        carried.truncate(MOST_IMPLICATIONS);
        self.0 = carried;
    }

    /// The implications that say more than the joined environment.
    fn join(a: Side<Self>, b: Side<Self>, joined: &Environment) -> Self {
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
        for it in a.element.0.iter().chain(&b.element.0) {
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
                    let implied = |side: Branch| side.value(on, nonzero, *register);
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

    fn widen(a: Side<Self>, b: Side<Self>, _wide: &Environment) -> Self {
        let common = |it: &&Implication| b.element.0.contains(it);
        Implications(a.element.0.iter().filter(common).cloned().collect())
    }

    fn includes(&self, side: Side<Self>) -> bool {
        self.0.iter().all(|it| {
            !side.admits(it.on, it.nonzero)
                || side
                    .value(it.on, it.nonzero, it.register)
                    .is_some_and(|value| value.is_within(&it.value))
        })
    }
}
