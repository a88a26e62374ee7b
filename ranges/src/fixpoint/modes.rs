//! Modes of a loop: flags, small counters and residues of counters that may tell which matrix a round
//! of a linear recurrence has.

use crate::domain::recurrences::{Residue, Variable, divided};
use crate::domain::state::State;
use crate::fixpoint::interpreter::{Frame, Interpreter};
use crate::fixpoint::invariant::{self, value_of};
use crate::fixpoint::order::{Loop, back_edges};
use crate::integers::Integers;
use crate::memory::Globals;
use crate::policy::{MOST_MODE_VARIABLES, MOST_MODES};
use crate::value::AbstractValue;
use nanoscope_program::ir::{Edge, Register, Type};

/// What tells the rounds of a loop apart.
pub enum Modes {
    /// Nothing.
    One,
    /// The values of a flag or a small counter at the head, and its width.
    Values(Variable, u32, Vec<i128>),
    /// The residues of a counter.
    Residues(Counter),
}

/// A counter of some width, and what every round adds to it.
pub struct Counter {
    register: Register,
    bits: u32,
    step: i128,
    modulus: i128,
}

impl Counter {
    /// Whether the values without sign of a state include one with a residue.
    fn may_be(&self, state: &State, residue: i128, globals: &Globals) -> bool {
        let Some(value) = value_of(state, &Variable::Register(self.register), globals) else {
            return true;
        };
        value.integers(self.bits).unsigned_pieces().any(|(lo, hi)| {
            let first = lo + (residue - lo).rem_euclid(self.modulus);
            first <= hi
        })
    }

    /// Whether a round did not take the counter around the ends of its width, given the values
    /// that it has afterwards; or its residues are the same all around.
    fn keeps_residues(&self, state: &State, globals: &Globals) -> bool {
        let all = 1i128 << self.bits;
        let value = value_of(state, &Variable::Register(self.register), globals);
        let stays = |value: AbstractValue| {
            let (lo, hi) = value.integers(self.bits).unsigned();
            lo >= self.step && hi < all + self.step
        };
        all % self.modulus == 0 || value.is_some_and(stays)
    }
}

impl Modes {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Modes::One => 1,
            Modes::Values(_, _, values) => values.len(),
            Modes::Residues(counter) => counter.modulus as usize,
        }
    }

    /// Restricts a state from which a round is followed to a mode.
    pub fn assume(&self, state: &mut State, mode: usize, globals: &Globals) {
        match self {
            Modes::One => {}
            Modes::Values(variable, bits, values) => {
                let only = Integers::between(*bits, values[mode], values[mode]);
                invariant::assign(state, variable, AbstractValue::Integer(only), globals);
            }
            Modes::Residues(Counter { register, modulus, .. }) => {
                let value = mode as i128;
                let residue = Residue { counter: *register, modulus: *modulus, value };
                state.domains.recurrences.assume_residue(residue);
            }
        }
    }

    /// Whether a state may be in a mode.
    pub fn may_be(&self, state: &State, mode: usize, globals: &Globals) -> bool {
        match self {
            Modes::One => true,
            Modes::Values(variable, bits, values) => value_of(state, variable, globals)
                .is_none_or(|it| it.integers(*bits).contains(values[mode])),
            Modes::Residues(counter) => counter.may_be(state, mode as i128, globals),
        }
    }

    /// The modes at the end of a round that began in one; of all values that the state has there,
    /// only those of the fixpoint can be.
    pub fn after(&self, state: &State, mode: usize, globals: &Globals) -> Vec<usize> {
        match self {
            Modes::Residues(counter) if counter.keeps_residues(state, globals) => {
                vec![(mode as i128 + counter.step).rem_euclid(counter.modulus) as usize]
            }
            Modes::One | Modes::Values(..) | Modes::Residues(_) => {
                (0..self.count()).filter(|mode| self.may_be(state, *mode, globals)).collect()
            }
        }
    }
}

impl<'c> Interpreter<'c> {
    /// The modes that a loop may have: flags and small counters, registers and cells of memory, that
    /// have few values at its head, and counters that it divides by small numbers.
    pub fn modes(
        &self,
        frame: &Frame<'c>,
        inner: &Loop,
        entry: &State,
        fixpoint: &State,
    ) -> Vec<Modes> {
        let back = back_edges(frame.function, inner);
        let moves = back.iter().flat_map(|edge| edge.moves.iter());
        let mut registers: Vec<Register> =
            moves.filter(|(to, from)| from.register() != Some(*to)).map(|(to, _)| *to).collect();
        registers.sort_unstable();
        registers.dedup();
        let flags = registers.iter().map(|register| Variable::Register(*register));
        let cells = fixpoint.memory.objects().filter(|(_, contents)| contents.unique);
        let cells = cells.flat_map(|(object, contents)| {
            contents.cells.iter().filter_map(move |(at, cell)| match &cell.value {
                AbstractValue::Integer(integers) => {
                    let ty = Type::Integer(integers.bits);
                    (cell.bytes == ty.stored_bytes()).then_some(Variable::Cell((object, *at, ty)))
                }
                _ => None,
            })
        });
        let changes = |cell: &Variable| {
            value_of(entry, cell, &self.globals) != value_of(fixpoint, cell, &self.globals)
        };
        let few = |variable: Variable| {
            let AbstractValue::Integer(all) = value_of(fixpoint, &variable, &self.globals)? else {
                return None;
            };
            if all.is_empty() || all.hi() - all.lo() >= MOST_MODES as i128 {
                return None;
            }
            let values: Vec<i128> =
                (all.lo()..=all.hi()).filter(|value| all.contains(*value)).collect();
            (values.len() > 1).then_some(Modes::Values(variable, all.bits, values))
        };
        let modes = flags.chain(cells.filter(changes)).filter_map(few);
        let counted =
            registers.iter().flat_map(|register| self.counted(frame, inner, &back, *register));
        counted.chain(modes).take(MOST_MODE_VARIABLES).collect()
    }

    /// The small numbers that a loop divides a counter by, the greatest first.
    fn counted(
        &self,
        frame: &Frame<'c>,
        inner: &Loop,
        back: &[&Edge],
        register: Register,
    ) -> Vec<Modes> {
        let Some((bits, step)) = self.increments(frame, back, register) else { return Vec::new() };
        let blocks = frame.function.blocks.iter().zip(&*inner.members);
        let acts = blocks.filter(|(_, member)| **member).flat_map(|(block, _)| &block.instructions);
        let moduli = acts.filter_map(|it| {
            let constant = |operand| self.integer_constant(operand, bits);
            divided(&it.act, constant).filter(|(divided, _)| *divided == register)
        });
        let mut moduli: Vec<i128> =
            moduli.map(|(_, modulus)| modulus).filter(|it| *it <= MOST_MODES as i128).collect();
        moduli.sort_unstable_by(|a, b| b.cmp(a));
        moduli.dedup();
        let modes = |modulus| Modes::Residues(Counter { register, bits, step, modulus });
        moduli.into_iter().map(modes).collect()
    }
}
