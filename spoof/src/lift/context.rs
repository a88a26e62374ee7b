//! One executed instruction while it is lifted: reads operands as terms, collects effects.

use super::symbolic_state::{Byte, Effect, Part, Parts, Place, Status, SymbolicState};
use crate::trace::Step;
use iced_x86::{EncodingKind, Instruction, OpKind, Register, RoundingControl};
use nanoscope_ieee::{Format, Operation, Rounding};
use nanoscope_term::{BitsOp, Op, Sort, Term, Terms, Value};

/// Why an instruction's result is taken as concrete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unlifted {
    /// Its semantics are not modelled.
    Instruction,
    /// Its semantics are modelled, but not with these operands or settings.
    Form,
}

/// A bit of a mask: known, or a truth value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bit {
    Known(bool),
    Term(Term),
}

/// An instruction, the registers before it, and where its terms go.
pub(super) struct Context<'a> {
    pub(super) instruction: &'a Instruction,
    pub(super) step: &'a Step,
    pub(super) machine: &'a SymbolicState,
    pub(super) terms: &'a mut Terms,
    pub(super) effects: Vec<Effect>,
}

/// The place of a register, and its size.
pub(super) fn register_place(register: Register) -> Option<(Place, usize)> {
    if register.is_vector_register() {
        return Some((Place::Vector(register.number() as u8, 0), register.size()));
    }
    if register.is_gpr() {
        let high = matches!(register, Register::AH | Register::CH | Register::DH | Register::BH);
        let full = register.full_register().number() as u8;
        return Some((Place::General(full, u8::from(high)), register.size()));
    }
    None
}

/// The value of a register that addresses are made of.
pub(super) fn address_register(step: &Step, register: Register) -> Option<u64> {
    match register {
        Register::FS => Some(step.before.fs_base),
        Register::GS | Register::CS | Register::DS | Register::ES | Register::SS => Some(0),
        Register::RIP => Some(step.before.rip),
        _ if register.is_gpr() => {
            let value = step.before.general[register.full_register().number()];
            Some(if register.size() == 4 { value & 0xffff_ffff } else { value })
        }
        _ => None,
    }
}

/// A byte of a register in the trace.
fn register_byte(step: &Step, place: Place, offset: usize) -> u8 {
    match place {
        Place::Vector(register, from) => {
            step.before.vectors[register as usize][from as usize + offset]
        }
        Place::General(register, from) => {
            step.before.general[register as usize].to_le_bytes()[from as usize + offset]
        }
        Place::Memory(_) => 0,
    }
}

impl<'a> Context<'a> {
    /// How many operands there are, immediates apart.
    pub(super) fn operands(&self) -> u32 {
        let all = self.instruction.op_count();
        (0..all).take_while(|n| !self.is_immediate(*n)).count() as u32
    }

    fn is_immediate(&self, n: u32) -> bool {
        self.instruction.try_immediate(n).is_ok()
    }

    pub(super) fn is_memory(&self, n: u32) -> bool {
        matches!(
            self.instruction.op_kind(n),
            OpKind::Memory
                | OpKind::MemorySegSI
                | OpKind::MemorySegESI
                | OpKind::MemorySegRSI
                | OpKind::MemoryESDI
                | OpKind::MemoryESEDI
                | OpKind::MemoryESRDI
                | OpKind::MemorySegRDI
        )
    }

    /// The last operand that is no immediate.
    pub(super) fn last(&self) -> u32 {
        self.operands() - 1
    }

    /// Whether bytes above the destination are cleared, as VEX and EVEX do.
    pub(super) fn clears_above(&self) -> bool {
        self.instruction.encoding() != EncodingKind::Legacy
    }

    /// The low byte of the last operand, an immediate.
    pub(super) fn control(&self) -> u8 {
        let last = self.instruction.op_count() - 1;
        self.instruction.immediate(last) as u8
    }

    /// The size of operand `n`, in bytes.
    pub(super) fn size(&self, n: u32) -> usize {
        if self.instruction.op_kind(n) == OpKind::Register {
            self.instruction.op_register(n).size()
        } else if self.is_memory(n) {
            let size = self.instruction.memory_size();
            if self.instruction.is_broadcast() { size.info().size() } else { size.size() }
        } else {
            1
        }
    }

    /// The place of operand `n`.
    pub(super) fn place(&self, n: u32) -> Result<Place, Unlifted> {
        if self.instruction.op_kind(n) == OpKind::Register {
            let register = self.instruction.op_register(n);
            return register_place(register).map(|(place, _)| place).ok_or(Unlifted::Form);
        }
        let step = self.step;
        self.instruction
            .virtual_address(n, 0, |register, _, _| address_register(step, register))
            .map(Place::Memory)
            .ok_or(Unlifted::Form)
    }

    /// So many bytes from a place on.
    pub(super) fn bytes_at(&self, place: Place, size: usize) -> Result<Vec<Byte>, Unlifted> {
        let read = match place {
            Place::Memory(address) => Some(
                self.step
                    .reads
                    .iter()
                    .find_map(|memory| memory.get(address, size))
                    .ok_or(Unlifted::Form)?,
            ),
            Place::Vector(..) | Place::General(..) => None,
        };
        Ok((0..size)
            .map(|offset| {
                let known = read
                    .map_or_else(|| register_byte(self.step, place, offset), |read| read[offset]);
                Byte { known, part: self.machine.part(place, offset) }
            })
            .collect())
    }

    /// The low `size` bytes of operand `n`; an immediate is sign-extended.
    pub(super) fn bytes(&self, n: u32, size: usize) -> Result<Vec<Byte>, Unlifted> {
        if self.is_immediate(n) {
            let value = self.instruction.immediate(n).to_le_bytes();
            return Ok((0..size).map(|at| Byte { known: value[at.min(7)], part: None }).collect());
        }
        let place = self.place(n)?;
        let available = self.size(n);
        if size > available && matches!(place, Place::Memory(_)) {
            return Err(Unlifted::Form);
        }
        self.bytes_at(place, size)
    }

    /// Operand `n` as a vector of elements: `size` bytes, a broadcast element repeated.
    pub(super) fn vector(&self, n: u32, size: usize) -> Result<Vec<Byte>, Unlifted> {
        if self.is_memory(n) && self.instruction.is_broadcast() {
            let element = self.instruction.memory_size().element_size();
            let one = self.bytes_at(self.place(n)?, element)?;
            return Ok(one.iter().copied().cycle().take(size).collect());
        }
        self.bytes(n, size)
    }

    /// The rounding mode of the instruction or of MXCSR.
    pub(super) fn rounding_mode(&self) -> Rounding {
        match self.instruction.rounding_control() {
            RoundingControl::RoundToNearest => Rounding::NearestEven,
            RoundingControl::RoundDown => Rounding::Downward,
            RoundingControl::RoundUp => Rounding::Upward,
            RoundingControl::RoundTowardZero => Rounding::TowardZero,
            _ => mode(self.step.before.mxcsr >> 13),
        }
    }

    pub(super) fn rounding(&mut self) -> Term {
        let mode = self.rounding_mode();
        self.terms.rounding(mode)
    }

    /// Whether subnormal results become zero.
    pub(super) fn flushes(&self) -> bool {
        self.step.before.mxcsr >> 15 & 1 == 1
    }

    /// Whether subnormal operands count as zero.
    pub(super) fn ignores_subnormals(&self) -> bool {
        self.step.before.mxcsr >> 6 & 1 == 1
    }

    /// Bytes as one string of bits.
    pub(super) fn bits(&mut self, bytes: &[Byte]) -> Term {
        let whole = bytes[0].part.filter(|first| {
            first.index == 0
                && bytes
                    .iter()
                    .enumerate()
                    .all(|(at, byte)| byte.part == Some(Part { term: first.term, index: at as u8 }))
                && self.terms.width(first.term) as usize == 8 * bytes.len()
        });
        if let Some(first) = whole {
            return first.term;
        }
        // Runs of bytes that belong together, from the lowest.
        let mut all: Option<Term> = None;
        let mut at = 0;
        while at < bytes.len() {
            let mut end = at + 1;
            let run = match bytes[at].part {
                None => {
                    while end < bytes.len() && bytes[end].part.is_none() {
                        end += 1;
                    }
                    let run = &bytes[at..end];
                    let value =
                        run.iter().rev().fold(num_bigint::BigUint::default(), |value, byte| {
                            (value << 8u32) | num_bigint::BigUint::from(byte.known)
                        });
                    let width = 8 * run.len() as u32;
                    self.terms.constant(Value::Bits(nanoscope_ieee::Word::from_big(width, &value)))
                }
                Some(part) => {
                    while end < bytes.len()
                        && bytes[end].part
                            == Some(Part { term: part.term, index: part.index + (end - at) as u8 })
                    {
                        end += 1;
                    }
                    let low = 8 * u32::from(part.index);
                    self.terms.extract(low + 8 * (end - at) as u32 - 1, low, part.term)
                }
            };
            all = Some(match all {
                None => run,
                Some(low) => self.terms.concat(run, low),
            });
            at = end;
        }
        all.expect("at least one byte")
    }

    /// A term's bytes; a known value is left to the trace.
    pub(super) fn parts(&self, term: Term) -> Parts {
        let bytes = self.terms.width(term) / 8;
        if self.terms.value(term).is_some() {
            return vec![None; bytes as usize];
        }
        (0..bytes as u8).map(|index| Some(Part { term, index })).collect()
    }

    /// Bytes as a float of a format, as they are.
    pub(super) fn float_as_is(&mut self, format: Format, bytes: &[Byte]) -> Term {
        let bits = self.bits(bytes);
        self.float_of(format, bits)
    }

    /// Bytes as a float of a format, a subnormal one as zero where MXCSR says so.
    pub(super) fn float(&mut self, format: Format, bytes: &[Byte]) -> Term {
        let float = self.float_as_is(format, bytes);
        if self.ignores_subnormals() { self.without_subnormals(float) } else { float }
    }

    /// An encoding read as a float; choices between encodings become choices between floats.
    pub(super) fn float_of(&mut self, format: Format, bits: Term) -> Term {
        if self.terms.op(bits) == Op::Ite {
            let &[condition, then, otherwise] = self.terms.args(bits) else { unreachable!() };
            let is_plain = |terms: &Terms, term: Term| {
                terms.value(term).is_some()
                    || matches!(terms.op(term), Op::Float(Operation::ToBits, _) | Op::Ite)
            };
            if is_plain(self.terms, then) && is_plain(self.terms, otherwise) {
                let then = self.float_of(format, then);
                let otherwise = self.float_of(format, otherwise);
                return self.terms.ite(condition, then, otherwise);
            }
        }
        self.terms.from_bits(format, bits)
    }

    /// A float with zero of its sign in place of a subnormal one.
    pub(super) fn without_subnormals(&mut self, float: Term) -> Term {
        let format = self.terms.format(float);
        let subnormal = self.terms.fp(Operation::IsSubnormal, &[float]);
        let zero = self.terms.constant(Value::zero(format, false));
        let zero = self.terms.fp(Operation::CopySign, &[zero, float]);
        self.terms.ite(subnormal, zero, float)
    }

    /// The encoding of a float.
    pub(super) fn encoding(&mut self, float: Term) -> Term {
        self.terms.fp(Operation::ToBits, &[float])
    }

    /// A bit of a mask register.
    pub(super) fn mask_bit(&self, register: Register, bit: usize) -> Bit {
        let number = register.number();
        match self.machine.mask(number as u8, bit) {
            Some(term) => Bit::Term(term),
            None => Bit::Known(self.step.before.masks[number] >> bit & 1 == 1),
        }
    }

    /// Whether writes of element `lane` take place.
    fn writes(&self, lane: usize) -> Bit {
        match self.instruction.op_mask() {
            Register::None | Register::K0 => Bit::Known(true),
            register => self.mask_bit(register, lane),
        }
    }

    /// Whether results must be known as terms even of concrete operands.
    pub(super) fn is_masked_symbolically(&self) -> bool {
        match self.instruction.op_mask() {
            Register::None | Register::K0 => false,
            register => self.machine.touches_mask(register.number() as u8),
        }
    }

    /// Writes a vector to operand `n`, a register or memory, by elements of `element` bytes,
    /// where the mask says so; clears what lies above where the encoding does.
    pub(super) fn write_vector(
        &mut self,
        n: u32,
        result: Parts,
        element: usize,
    ) -> Result<(), Unlifted> {
        let place = self.place(n)?;
        let parts = self.masked(place, result, element)?;
        self.write(place, parts);
        Ok(())
    }

    /// Writes bytes; in a vector register clears what lies above where the encoding does.
    pub(super) fn write(&mut self, place: Place, mut parts: Parts) {
        if matches!(place, Place::Vector(_, 0)) && self.clears_above() {
            parts.resize(64, None);
        }
        self.effects.push(Effect::Bytes(place, parts));
    }

    /// What is in a place after a masked write by elements.
    pub(super) fn masked(
        &mut self,
        place: Place,
        mut result: Parts,
        element: usize,
    ) -> Result<Parts, Unlifted> {
        if matches!(self.instruction.op_mask(), Register::None | Register::K0) {
            return Ok(result);
        }
        let zeroes = self.instruction.zeroing_masking();
        for lane in 0..result.len() / element {
            let at = lane * element;
            let old: Parts = match zeroes {
                true => vec![None; element],
                false => (at..at + element).map(|at| self.machine.part(place, at)).collect(),
            };
            match self.writes(lane) {
                Bit::Known(true) => {}
                Bit::Known(false) => result[at..at + element].copy_from_slice(&old),
                // A choice between a result and what is there needs both as terms.
                Bit::Term(condition) => {
                    let Place::Vector(register, _) = place else { return Err(Unlifted::Form) };
                    let old = if zeroes {
                        self.terms.bits(8 * element as u32, 0)
                    } else {
                        let place = Place::Vector(register, at as u8);
                        let old = self.bytes_at(place, element)?;
                        self.bits(&old)
                    };
                    let first = result[at].filter(|part| {
                        part.index == 0 && self.terms.width(part.term) as usize == 8 * element
                    });
                    let new = first.ok_or(Unlifted::Form)?.term;
                    let chosen = self.terms.ite(condition, new, old);
                    result[at..at + element].copy_from_slice(&self.parts(chosen));
                }
            }
        }
        Ok(result)
    }

    /// Applies `f` to each lane; `inputs` are vectors with the size of their elements. A lane
    /// whose inputs are all concrete is left to the trace.
    pub(super) fn map(
        &mut self,
        lanes: usize,
        inputs: &[(&[Byte], usize)],
        size: usize,
        mut f: impl FnMut(&mut Self, usize, &[&[Byte]]) -> Term,
    ) -> Parts {
        let force = self.is_masked_symbolically();
        let mut result = Vec::with_capacity(lanes * size);
        for lane in 0..lanes {
            let slices: Vec<&[Byte]> = inputs
                .iter()
                .map(|(bytes, element)| &bytes[lane * element..(lane + 1) * element])
                .collect();
            if force || slices.iter().any(|bytes| is_symbolic(bytes)) {
                let term = f(self, lane, &slices);
                if force {
                    // A constant too: the mask chooses between it and what was there.
                    result.extend((0..size as u8).map(|index| Some(Part { term, index })));
                } else {
                    result.extend(self.parts(term));
                }
            } else {
                result.extend(std::iter::repeat_n(None, size));
            }
        }
        result
    }

    /// Notes the float that a lane computes.
    pub(super) fn result(&mut self, lane: usize, float: Term) {
        self.effects.push(Effect::Result(lane as u32, float));
    }

    /// A status flag as a truth value.
    pub(super) fn status(&mut self, status: Status) -> Term {
        match self.machine.status(status) {
            Some(term) => term,
            None => self.terms.bool(self.step.before.rflags & status.bit() != 0),
        }
    }

    /// Sets a status flag.
    pub(super) fn set_status(&mut self, status: Status, value: Term) {
        let value = Some(value).filter(|value| self.terms.value(*value).is_none());
        self.effects.push(Effect::Status(status, value));
    }

    /// A truth value as a string of bits: all ones or all zeros.
    pub(super) fn filled(&mut self, width: u32, condition: Term) -> Term {
        let ones = self.terms.constant(Value::Bits(nanoscope_ieee::Word::ones(width)));
        let zeros = self.terms.bits(width, 0);
        self.terms.ite(condition, ones, zeros)
    }

    /// A bit of a string as a truth value; of a choice between known strings the condition.
    pub(super) fn bit_of(&mut self, term: Term, bit: u32) -> Term {
        if self.terms.op(term) == Op::Ite {
            let &[condition, then, otherwise] = self.terms.args(term) else { unreachable!() };
            let value = |terms: &Terms, term: Term| {
                terms.value(term).and_then(Value::as_bits).map(|word| word.bit(bit))
            };
            match (value(self.terms, then), value(self.terms, otherwise)) {
                (Some(true), Some(false)) => return condition,
                (Some(false), Some(true)) => return self.terms.not(condition),
                (Some(a), Some(b)) if a == b => return self.terms.bool(a),
                (Some(a), _) => {
                    let then = self.terms.bool(a);
                    let otherwise = self.bit_of(otherwise, bit);
                    return self.terms.ite(condition, then, otherwise);
                }
                (_, Some(b)) => {
                    let then = self.bit_of(then, bit);
                    let otherwise = self.terms.bool(b);
                    return self.terms.ite(condition, then, otherwise);
                }
                (None, None) => {}
            }
        }
        // The sign of a float that is no NaN; a NaN's is clear, as its encoding has it.
        if let Op::Float(Operation::ToBits, parameters) = self.terms.op(term)
            && bit + 1 == parameters.format.width()
        {
            let float = self.terms.args(term)[0];
            return self.terms.fp(Operation::IsNegative, &[float]);
        }
        let one = self.terms.bits(1, 1);
        let bit = self.terms.extract(bit, bit, term);
        self.terms.equal(bit, one)
    }

    /// Truth values as a string of bits, the first one lowest.
    pub(super) fn gathered(&mut self, bits: &[Term], width: u32) -> Term {
        let mut all: Option<Term> = None;
        for bit in bits {
            let bit = self.terms.bit(*bit);
            all = Some(all.map_or(bit, |low| self.terms.concat(bit, low)));
        }
        let all = all.expect("at least one bit");
        let more = width - self.terms.width(all);
        self.terms.bits_op(BitsOp::ZeroExtend(more), &[all])
    }

    /// Writes a string of bits to operand `n`, a general register or memory. A register of
    /// four bytes is cleared above.
    pub(super) fn write_integer(&mut self, n: u32, term: Term) -> Result<(), Unlifted> {
        debug_assert!(matches!(self.terms.sort(term), Sort::Bits(_)));
        let place = self.place(n)?;
        let mut parts = self.parts(term);
        parts.truncate(self.size(n));
        if matches!(place, Place::General(..)) && parts.len() == 4 {
            parts.resize(8, None);
        }
        self.effects.push(Effect::Bytes(place, parts));
        Ok(())
    }
}

/// Whether any byte is symbolic.
pub(super) fn is_symbolic(bytes: &[Byte]) -> bool {
    bytes.iter().any(|byte| byte.part.is_some())
}

/// The parts of bytes that are moved.
pub(super) fn moved(bytes: &[Byte]) -> Parts {
    bytes.iter().map(|byte| byte.part).collect()
}

/// A rounding mode as MXCSR and the x87 control word encode it.
pub(super) fn mode(bits: u32) -> Rounding {
    match bits & 3 {
        0 => Rounding::NearestEven,
        1 => Rounding::Downward,
        2 => Rounding::Upward,
        _ => Rounding::TowardZero,
    }
}
