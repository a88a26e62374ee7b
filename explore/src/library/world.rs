//! What stands between the engine and the models: the engine implements [`World`] on a state,
//! models are written against it.
//!
//! A model answers with the call's result, or with a [`Detour`] where it cannot go on yet.
//! After a detour that splits the path the engine makes the call again on every side, so a
//! model does whatever may detour first and changes things last. It is written with `?`.

use crate::{Ending, Environment, How, Value};
use nanoscope_ieee::Word;
use nanoscope_program::ir::{Act, Type};
use nanoscope_term::{Term, Terms};

/// A model of a function.
pub type Model = fn(&mut dyn World, &Call) -> Result<Value, Detour>;

/// A call of a function that has a model.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The function's symbol.
    pub name: &'a str,
    /// The arguments, those beyond the parameters of a variadic function included.
    pub arguments: &'a [Value],
    /// The arguments' types.
    pub types: &'a [Type],
    /// The type of the result; what a function of type `Void` answers is not looked at.
    pub result: &'a Type,
}

/// Why a call does not simply return.
#[derive(Clone, Debug)]
pub enum Detour {
    /// The path ends here.
    End(Ending),
    /// The program ends with this status (`i32`), after what it registered for its end.
    Exit(Value),
    /// One of these holds. The path goes on with each that is possible, and makes the call
    /// again there.
    Split(Vec<Term>),
    /// The model needs one value of this unknown: one path for each, and the call made again.
    /// Then [`World::pinned`] knows it.
    Pin(Term),
    /// Where the condition holds, the path ends so; elsewhere it makes the call again.
    Wrong {
        /// What must not be.
        condition: Term,
        /// How the path ends where it is.
        ending: Ending,
    },
    /// The path goes on only where this holds; the call returns nothing.
    Assume(Term),
}

/// Where an address lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The address where its object starts.
    pub base: u64,
    /// The object's bytes.
    pub size: u64,
}

/// Why a file is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is not there.
    Absent,
    /// It is no regular file, or too large to be followed.
    Unfollowed,
}

/// What a model sees of the path that calls it, and what it can do there.
///
/// Addresses may be unknown: whatever takes one detours until it lies in one object, and
/// where it can lie outside, as a load or store of the program itself would.
pub trait World {
    /// Where terms are made.
    fn terms(&mut self) -> &mut Terms;

    /// The rounding mode and the exception flags, and where terms are made.
    fn environment(&mut self) -> (&mut Environment, &mut Terms);

    /// Computes an act without memory or control. The act's own operands are not looked at:
    /// the values stand for them, in order.
    fn compute(&mut self, act: &Act, operands: &[&Value], result: &Type) -> Result<Value, Detour>;

    /// Reads memory.
    fn load(&mut self, address: &Value, ty: &Type) -> Result<Value, Detour>;

    /// Writes memory.
    fn store(&mut self, address: &Value, ty: &Type, value: Value) -> Result<(), Detour>;

    /// Copies bytes; the places may overlap if `may_overlap`.
    fn copy(
        &mut self,
        to: &Value,
        from: &Value,
        count: &Value,
        may_overlap: bool,
    ) -> Result<(), Detour>;

    /// Fills with a byte (`i8`).
    fn fill(&mut self, to: &Value, byte: &Value, count: &Value) -> Result<(), Detour>;

    /// A new object on the heap, its contents zero or undefined. Never null.
    fn allocate(&mut self, size: u64, alignment: u64, zeroed: bool) -> Result<Value, Detour>;

    /// Frees an object of the heap; anything else (but null, which the model sorts out) is an
    /// invalid free.
    fn release(&mut self, address: &Value) -> Result<(), Detour>;

    /// The living object that an address points into.
    fn extent(&mut self, address: &Value) -> Result<Extent, Detour>;

    /// A new unknown, each of its scalars remembered as an input of the path.
    fn input(&mut self, how: How, name: &str, ty: &Type) -> Value;

    /// A new unknown integer of a width, from `low` to `high` (signed), remembered as an input.
    fn input_between(&mut self, how: How, name: &str, width: u32, low: i64, high: i64) -> Value;

    /// Makes bytes in memory unknown, remembered as one input of the path.
    fn unknown_bytes(
        &mut self,
        address: &Value,
        size: u64,
        how: How,
        name: &str,
    ) -> Result<(), Detour>;

    /// A byte of standard input by its position; `None` past its end.
    fn stdin(&mut self, position: u64) -> Option<Value>;

    /// A file that is there when it is first asked for, by its name: its number.
    fn file(&mut self, name: &[u8]) -> Result<usize, Unread>;

    /// What a file holds.
    fn file_bytes(&self, file: usize) -> &[u8];

    /// The address of the environment, as `environ` has it; 0 where nobody stated it.
    fn environment_vector(&self) -> u64;

    /// The value of a term that a [`Detour::Pin`] on this path fixed, or that the path
    /// condition is known to fix. Terms of sorts Bits and Bool only, one bit for these.
    fn pinned(&mut self, term: Term) -> Option<Word>;

    /// Whether a truth value is true. Splits the path where it may be either.
    fn decide(&mut self, condition: &Value) -> Result<bool, Detour>;

    /// Remembers a function (an address) to be called when the program ends, with an
    /// argument or without.
    fn at_exit(&mut self, function: Value, argument: Option<Value>);

    /// What the program writes to standard output, or to standard error.
    fn print(&mut self, error: bool, bytes: &[u8]);

    /// The path goes on with something that the program does not promise: it is noted with
    /// what is found, and nothing is proved by going through all paths.
    fn assumed(&mut self, what: &str);

    /// A reader is told this once, with the place.
    fn note(&mut self, what: &str);

    /// Inputs that are told should satisfy this, where they can.
    fn prefer(&mut self, condition: Term);

    /// Whether the path forks where both sides of a branch are possible, or takes one.
    fn set_forking(&mut self, forks: bool);

    /// Whether the program refers to a function of this name anywhere.
    fn mentions(&self, symbol: &str) -> bool;

    /// An integer or an address as known bits. Splits the path, one side a value, where it is
    /// unknown.
    fn word(&mut self, value: &Value, width: u32) -> Result<Word, Detour> {
        match value {
            Value::Small(bits) => Ok(Word::new(width, u128::from(*bits))),
            Value::Wide(word) => Ok(Word::clone(word)),
            Value::Term(term) => self.pinned(*term).ok_or(Detour::Pin(*term)),
            Value::Undefined => Ok(Word::zero(width)),
            Value::Float { .. } | Value::Parts(_) => panic!("{value:?} is no integer"),
        }
    }

    /// An integer or an address of at most 64 bits as a number, as [`word`](World::word) has it.
    fn number(&mut self, value: &Value) -> Result<u64, Detour> {
        match value {
            Value::Small(bits) => Ok(*bits),
            other => Ok(self.word(other, 64)?.low_u64()),
        }
    }

    /// The bytes of a string in memory, up to its zero.
    fn string(&mut self, address: &Value) -> Result<Vec<u8>, Detour> {
        let start = self.number(address)?;
        let mut bytes = Vec::new();
        loop {
            let at = Value::Small(start.wrapping_add(bytes.len() as u64));
            let byte = self.load(&at, &Type::Integer(8))?;
            match self.number(&byte)? as u8 {
                0 => return Ok(bytes),
                byte => bytes.push(byte),
            }
        }
    }
}
