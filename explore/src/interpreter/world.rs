//! What models of library functions see: a state at a call.

use super::{access, ending};
use crate::compute::{Trouble, part_type};
use crate::inputs::Unknown;
use crate::library::{Detour, Extent, Unread, World};
use crate::machine::Machine;
use crate::state::State;
use crate::{Environment, How, Stdin, Value};
use nanoscope_ieee::{Format, Word};
use nanoscope_program::Scalar;
use nanoscope_program::ir::{Act, Type};
use nanoscope_term::{BitsOp, Sort, Term, Terms, Value as Known};
use std::rc::Rc;

/// A state at a call of a function that has a model.
pub(super) struct Site<'a, 'm> {
    /// What all states share.
    pub machine: &'a mut Machine<'m>,
    /// The state.
    pub state: &'a mut State,
}

impl World for Site<'_, '_> {
    fn terms(&mut self) -> &mut Terms {
        &mut self.machine.terms
    }

    fn environment(&mut self) -> (&mut Environment, &mut Terms) {
        (&mut self.state.environment, &mut self.machine.terms)
    }

    fn compute(&mut self, act: &Act, operands: &[&Value], result: &Type) -> Result<Value, Detour> {
        let value = self.machine.compute(self.state).apply(act, operands, result);
        let obligations = std::mem::take(&mut self.machine.obligations);
        for obligation in obligations {
            let is_note = obligation.trouble == Trouble::ConversionOutOfRange;
            let known = self.state.path.knows(&mut self.machine.terms, obligation.condition);
            if !is_note && known != Some(false) {
                let ending = ending(obligation.trouble, "");
                return Err(Detour::Wrong { condition: obligation.condition, ending });
            }
        }
        value.map_err(|trouble| Detour::End(ending(trouble, "")))
    }

    fn load(&mut self, address: &Value, ty: &Type) -> Result<Value, Detour> {
        access::load(self.machine, self.state, address, ty)
    }

    fn store(&mut self, address: &Value, ty: &Type, value: Value) -> Result<(), Detour> {
        access::store(self.machine, self.state, address, ty, value)
    }

    fn copy(
        &mut self,
        to: &Value,
        from: &Value,
        count: &Value,
        _may_overlap: bool,
    ) -> Result<(), Detour> {
        access::copy(self.machine, self.state, to, from, count)
    }

    fn fill(&mut self, to: &Value, byte: &Value, count: &Value) -> Result<(), Detour> {
        access::fill(self.machine, self.state, to, byte, count)
    }

    fn allocate(&mut self, size: u64, alignment: u64, zeroed: bool) -> Result<Value, Detour> {
        access::heap(self.machine, self.state, size, alignment, zeroed)
    }

    fn release(&mut self, address: &Value) -> Result<(), Detour> {
        access::release(self.machine, self.state, address)
    }

    fn extent(&mut self, address: &Value) -> Result<Extent, Detour> {
        access::extent(self.machine, self.state, address)
    }

    fn input(&mut self, how: How, name: &str, ty: &Type) -> Value {
        let count = match ty {
            Type::Integer(_) | Type::Pointer | Type::Float(_) => None,
            Type::Vector(_, lanes) => Some(u64::from(*lanes)),
            Type::Aggregate(aggregate) => Some(aggregate.count()),
            Type::Void => return Value::Undefined,
        };
        if let Some(count) = count {
            let mut part = |index| self.input(how.clone(), name, &part_type(ty, index));
            return Value::parts((0..count).map(&mut part).collect());
        }
        let width = ty.bits().expect("a scalar");
        let scalar = match ty {
            Type::Float(format) => Scalar::Float(*format),
            _ => Scalar::Integer { bits: width, signed: is_signed(&how) },
        };
        let (term, _) = self.new_input(how, name, width, Some(scalar));
        let mut compute = self.machine.compute(self.state);
        if width == 1 { Value::Term(term) } else { compute.of_bits(term, ty) }
    }

    fn input_between(&mut self, how: How, name: &str, width: u32, low: i64, high: i64) -> Value {
        let signed = low < 0;
        let scalar = Scalar::Integer { bits: width, signed };
        let (term, _) = self.new_input(how, name, width, Some(scalar));
        let terms = &mut self.machine.terms;
        let mut limit = |number: i64| terms.bits(width, number as i128 as u128);
        let (low_term, high_term) = (limit(low), limit(high));
        let above = terms.bits_op(BitsOp::Sle, &[low_term, term]);
        let below = terms.bits_op(BitsOp::Sle, &[term, high_term]);
        let within = terms.and(&[above, below]);
        if !self.state.path.takes(&self.machine.terms, within) {
            let variable = self.machine.terms.as_variable(term).expect("a variable");
            let value = Known::bits(width, low as i128 as u128);
            self.state.path.suggest(&self.machine.terms, variable, value);
        }
        self.state.path.assume(&mut self.machine.terms, within);
        Value::Term(term)
    }

    fn unknown_bytes(
        &mut self,
        address: &Value,
        size: u64,
        how: How,
        name: &str,
    ) -> Result<(), Detour> {
        let start = self.number(address)?;
        // Whether the bytes are there is known before any is changed.
        access::writable(self.machine, self.state, start, size)?;
        let index = self.state.inputs.len();
        let mut pieces = Vec::new();
        for (offset, length) in cut(size, self.machine.has_extended) {
            let label = format!("{name}#{index}[{offset}]");
            let width = (length * 8) as u32;
            let term = self.machine.terms.variable(&label, Sort::Bits(width));
            let place = Value::Small(start + offset);
            let ty = Type::Integer(width);
            access::store(self.machine, self.state, &place, &ty, Value::Term(term))?;
            pieces.push((offset, term));
        }
        let name = name.to_owned();
        let unknown = Unknown { name, how, scalar: None, size, pieces };
        self.state.inputs.push(Rc::new(unknown));
        Ok(())
    }

    fn stdin(&mut self, position: u64) -> Option<Value> {
        match &self.machine.options.stdin {
            Stdin::Given(bytes) => {
                let byte = bytes.get(usize::try_from(position).ok()?)?;
                Some(Value::Small((*byte).into()))
            }
            Stdin::Symbolic(size) => {
                let size = *size as u64;
                let terms = &mut self.machine.terms;
                let mut byte = |at: u64| terms.variable(&format!("stdin[{at}]"), Sort::Bits(8));
                if position >= size {
                    return None;
                }
                let value = Value::Term(byte(position));
                if !self.state.inputs.iter().any(|unknown| unknown.how == How::Stdin) {
                    let pieces = (0..size).map(|at| (at, byte(at))).collect();
                    let name = "stdin".to_owned();
                    let unknown = Unknown { name, how: How::Stdin, scalar: None, size, pieces };
                    self.state.inputs.push(Rc::new(unknown));
                }
                Some(value)
            }
        }
    }

    fn file(&mut self, name: &[u8]) -> Result<usize, Unread> {
        self.machine.files.find(name)
    }

    fn file_bytes(&self, file: usize) -> &[u8] {
        self.machine.files.bytes(file)
    }

    fn environment_vector(&self) -> u64 {
        self.machine.environment
    }

    fn pinned(&mut self, term: Term) -> Option<Word> {
        match self.state.path.fixed(&self.machine.terms, term)? {
            Known::Bits(word) => Some(word.clone()),
            Known::Bool(truth) => Some(Word::new(1, (*truth).into())),
            Known::Float(..) | Known::Rounding(_) | Known::Array(_) => None,
        }
    }

    fn decide(&mut self, condition: &Value) -> Result<bool, Detour> {
        match condition {
            Value::Small(bits) => Ok(bits & 1 != 0),
            Value::Term(term) => {
                let terms = &mut self.machine.terms;
                match self.state.path.knows(terms, *term) {
                    Some(known) => Ok(known),
                    None => Err(Detour::Split(vec![*term, terms.not(*term)])),
                }
            }
            Value::Undefined => Ok(false),
            Value::Wide(_) | Value::Float { .. } | Value::Parts(_) => {
                panic!("{condition:?} is no truth value")
            }
        }
    }

    fn at_exit(&mut self, function: Value, argument: Option<Value>) {
        let function = function.as_small().and_then(|address| self.machine.function_at(address));
        self.state.at_exit.push((function, argument));
    }

    fn print(&mut self, error: bool, bytes: &[u8]) {
        if self.machine.options.echo {
            self.machine.printed.push((error, bytes.to_vec()));
        }
    }

    fn assumed(&mut self, what: &str) {
        self.state.assume(what);
    }

    fn note(&mut self, what: &str) {
        // The call at hand is the instruction before the next one.
        let frame = self.state.frame();
        let block = self.machine.code.function(frame.function).block(frame.block);
        let call = block.instructions.get((frame.at as usize).wrapping_sub(1));
        let at = call.map_or(block.end_location, |call| call.location);
        self.machine.note_open(at, what.to_owned());
    }

    fn prefer(&mut self, condition: Term) {
        Rc::make_mut(&mut self.state.preferences).push(condition);
    }

    fn set_forking(&mut self, forks: bool) {
        self.state.forks_no_more = !forks;
    }

    fn mentions(&self, symbol: &str) -> bool {
        self.machine.code.named(symbol).is_some()
    }
}

impl Site<'_, '_> {
    /// A new variable that is an input of its own: truth values of one bit, bits of more.
    fn new_input(
        &mut self,
        how: How,
        name: &str,
        width: u32,
        scalar: Option<Scalar>,
    ) -> (Term, usize) {
        let index = self.state.inputs.len();
        let sort = if width == 1 { Sort::Bool } else { Sort::Bits(width) };
        let term = self.machine.terms.variable(&format!("{name}#{index}"), sort);
        let size = u64::from(width.div_ceil(8));
        let pieces = vec![(0, term)];
        let unknown = Unknown { name: name.to_owned(), how, scalar, size, pieces };
        self.state.inputs.push(Rc::new(unknown));
        (term, index)
    }
}

/// Whether an integer that came this way is signed, by the name of its C type.
fn is_signed(how: &How) -> bool {
    match how {
        How::Nondet(ty) => {
            !(ty.starts_with('u') || ["bool", "size_t", "pointer", "_Bool"].contains(&&ty[..]))
        }
        _ => true,
    }
}

/// Bytes cut into pieces that scalars likely have: offset and length of each. A solver puts
/// pieces together or takes them apart where the program reads them otherwise.
fn cut(size: u64, has_extended: bool) -> Vec<(u64, u64)> {
    let mut pieces = Vec::new();
    let mut offset = 0;
    while offset < size {
        let left = size - offset;
        let length = if has_extended && size.is_multiple_of(16) {
            // An x86_fp80 and its padding.
            const EXTENDED: u64 = Format::X87.width() as u64 / 8;
            if offset % 16 == 0 { EXTENDED } else { 16 - EXTENDED }
        } else {
            1 << left.min(8).ilog2()
        };
        pieces.push((offset, length));
        offset += length;
    }
    pieces
}
