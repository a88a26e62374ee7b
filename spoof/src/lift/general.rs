//! General registers and status flags that floating-point data reached: moves, integer
//! arithmetic, conditions, branches.

use super::context::{Context, Unlifted, is_symbolic, moved};
use super::symbolic_state::{Effect, Place, Status};
use iced_x86::Mnemonic::{self, *};
use iced_x86::{ConditionCode, FlowControl, Register};
use nanoscope_ieee::Operation;
use nanoscope_term::{BitsOp, Term};

/// Lifts instructions on general registers.
pub(super) fn lift(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    if c.instruction.condition_code() != ConditionCode::None {
        return conditional(c);
    }
    Some(match mnemonic {
        Mov | Movnti => copy(c),
        Movzx => extended(c, false),
        Movsx | Movsxd => extended(c, true),
        Lea => address(c),
        Add => sum(c, BitsOp::Add, false, true),
        Adc => sum(c, BitsOp::Add, true, true),
        Sub => sum(c, BitsOp::Sub, false, true),
        Sbb => sum(c, BitsOp::Sub, true, true),
        Cmp => sum(c, BitsOp::Sub, false, false),
        And => bitwise(c, BitsOp::And, true),
        Or => bitwise(c, BitsOp::Or, true),
        Xor => bitwise(c, BitsOp::Xor, true),
        Test => bitwise(c, BitsOp::And, false),
        Andn => and_not(c),
        Not => unary(c, BitsOp::Not),
        Neg => negated(c),
        Inc => stepped(c, BitsOp::Add),
        Dec => stepped(c, BitsOp::Sub),
        Shl | Sal => shifted(c, BitsOp::Shl),
        Shr => shifted(c, BitsOp::Lshr),
        Sar => shifted(c, BitsOp::Ashr),
        Shlx => shifted_by_register(c, BitsOp::Shl),
        Shrx => shifted_by_register(c, BitsOp::Lshr),
        Sarx => shifted_by_register(c, BitsOp::Ashr),
        Imul if c.instruction.op_count() >= 2 => product(c),
        Bt => bit_test(c),
        Bswap => swapped(c),
        Xchg => exchanged(c),
        Push => pushed(c),
        Pop => popped(c),
        Cwde => accumulator(c, 2, 4),
        Cdqe => accumulator(c, 4, 8),
        Cdq => sign_filled(c, 4),
        Cqo => sign_filled(c, 8),
        Sahf => status_from_ah(c),
        Movsb | Movsw | Movsq => string_move(c),
        Movsd if c.is_memory(0) && c.is_memory(1) => string_move(c),
        Popcnt => population(c),
        Bsf | Tzcnt => first_set(c, mnemonic == Tzcnt),
        Xsave | Xsave64 | Xsavec | Xsavec64 | Xsaveopt | Xsaveopt64 | Fxsave | Fxsave64 => save(c),
        Xrstor | Xrstor64 | Fxrstor | Fxrstor64 => restore(c),
        _ => return None,
    })
}

fn copy(c: &mut Context) -> Result<(), Unlifted> {
    let source = c.bytes(1, c.size(0))?;
    let place = c.place(0)?;
    let mut parts = moved(&source);
    if matches!(place, Place::General(..)) && parts.len() == 4 {
        parts.resize(8, None);
    }
    c.effects.push(Effect::Bytes(place, parts));
    Ok(())
}

fn integer(c: &mut Context, n: u32, size: usize) -> Result<Term, Unlifted> {
    let bytes = c.bytes(n, size)?;
    Ok(c.bits(&bytes))
}

fn extended(c: &mut Context, signed: bool) -> Result<(), Unlifted> {
    let source = integer(c, 1, c.size(1))?;
    let more = 8 * (c.size(0) - c.size(1)) as u32;
    let op = if signed { BitsOp::SignExtend(more) } else { BitsOp::ZeroExtend(more) };
    let result = c.terms.bits_op(op, &[source]);
    c.write_integer(0, result)
}

/// `lea`: the sum of base, scaled index and displacement.
fn address(c: &mut Context) -> Result<(), Unlifted> {
    let size = c.size(0);
    let mut all = c.terms.bits(64, u128::from(c.instruction.memory_displacement64()));
    let (base, index) = (c.instruction.memory_base(), c.instruction.memory_index());
    if base == Register::RIP || base == Register::EIP || base.size() == 4 || index.size() == 4 {
        return Err(Unlifted::Form);
    }
    for (register, scale) in [(base, 1), (index, c.instruction.memory_index_scale())] {
        if register != Register::None {
            let place = Place::General(register.number() as u8, 0);
            let bytes = c.bytes_at(place, 8)?;
            let value = c.bits(&bytes);
            let scale = c.terms.bits(64, u128::from(scale));
            let scaled = c.terms.bits_op(BitsOp::Mul, &[value, scale]);
            all = c.terms.bits_op(BitsOp::Add, &[all, scaled]);
        }
    }
    let result = c.terms.extract(8 * size as u32 - 1, 0, all);
    c.write_integer(0, result)
}

/// Zero, sign and parity of a result.
fn result_status(c: &mut Context, result: Term) {
    let width = c.terms.width(result);
    let zero = c.terms.bits(width, 0);
    let is_zero = super::logic::equal(c.terms, result, zero);
    let sign = c.bit_of(result, width - 1);
    let mut odd = c.terms.bits(1, 1);
    for bit in 0..8 {
        let bit = c.terms.extract(bit, bit, result);
        odd = c.terms.bits_op(BitsOp::Xor, &[odd, bit]);
    }
    let one = c.terms.bits(1, 1);
    let parity = c.terms.equal(odd, one);
    c.set_status(Status::Zero, is_zero);
    c.set_status(Status::Sign, sign);
    c.set_status(Status::Parity, parity);
}

fn adjust(c: &mut Context, a: Term, b: Term, result: Term) {
    let mixed = c.terms.bits_op(BitsOp::Xor, &[a, b]);
    let mixed = c.terms.bits_op(BitsOp::Xor, &[mixed, result]);
    let bit = c.bit_of(mixed, 4);
    c.set_status(Status::Adjust, bit);
}

/// The signed overflow of a sum or a difference, by the signs.
fn overflow(c: &mut Context, op: BitsOp, a: Term, b: Term, result: Term) -> Term {
    let top = c.terms.width(a) - 1;
    let (a, b, result) = (c.bit_of(a, top), c.bit_of(b, top), c.bit_of(result, top));
    let same = c.terms.equal(a, b);
    let operands = if op == BitsOp::Add { same } else { c.terms.not(same) };
    let changed = c.terms.xor(a, result);
    c.terms.and(&[operands, changed])
}

fn sum(c: &mut Context, op: BitsOp, carries: bool, keeps: bool) -> Result<(), Unlifted> {
    let size = c.size(0);
    let width = 8 * size as u32;
    let (a, b) = (integer(c, 0, size)?, integer(c, 1, size)?);
    let extend = BitsOp::ZeroExtend(1);
    let wide = [a, b].map(|term| c.terms.bits_op(extend, &[term]));
    let mut exact = c.terms.bits_op(op, &wide);
    if carries {
        let carry = c.status(Status::Carry);
        let bit = c.terms.bit(carry);
        let bit = c.terms.bits_op(BitsOp::ZeroExtend(width), &[bit]);
        exact = c.terms.bits_op(op, &[exact, bit]);
    }
    let result = c.terms.extract(width - 1, 0, exact);
    let carry = if !carries && op == BitsOp::Sub {
        c.terms.bits_op(BitsOp::Ult, &[a, b])
    } else {
        c.bit_of(exact, width)
    };
    let overflow = overflow(c, op, a, b, result);
    result_status(c, result);
    if !carries && op == BitsOp::Sub {
        let equal = super::logic::equal(c.terms, a, b);
        c.set_status(Status::Zero, equal);
    }
    adjust(c, a, b, result);
    c.set_status(Status::Carry, carry);
    c.set_status(Status::Overflow, overflow);
    if keeps { c.write_integer(0, result) } else { Ok(()) }
}

fn bitwise(c: &mut Context, op: BitsOp, keeps: bool) -> Result<(), Unlifted> {
    let size = c.size(0);
    let (a, b) = (integer(c, 0, size)?, integer(c, 1, size)?);
    let logic = match op {
        BitsOp::And => super::logic::Logic::And,
        BitsOp::Or => super::logic::Logic::Or,
        _ => super::logic::Logic::Xor,
    };
    let result = super::logic::combine(c.terms, logic, a, b);
    logic_status(c, result);
    if keeps { c.write_integer(0, result) } else { Ok(()) }
}

fn logic_status(c: &mut Context, result: Term) {
    result_status(c, result);
    let clear = c.terms.bool(false);
    c.set_status(Status::Carry, clear);
    c.set_status(Status::Overflow, clear);
}

fn and_not(c: &mut Context) -> Result<(), Unlifted> {
    let size = c.size(0);
    let (a, b) = (integer(c, 1, size)?, integer(c, 2, size)?);
    let result = super::logic::combine(c.terms, super::logic::Logic::AndNot, a, b);
    logic_status(c, result);
    c.write_integer(0, result)
}

fn unary(c: &mut Context, op: BitsOp) -> Result<(), Unlifted> {
    let a = integer(c, 0, c.size(0))?;
    let result = c.terms.bits_op(op, &[a]);
    c.write_integer(0, result)
}

fn negated(c: &mut Context) -> Result<(), Unlifted> {
    let a = integer(c, 0, c.size(0))?;
    let width = c.terms.width(a);
    let zero = c.terms.bits(width, 0);
    let result = c.terms.bits_op(BitsOp::Neg, &[a]);
    let is_zero = c.terms.equal(a, zero);
    let carry = c.terms.not(is_zero);
    let overflow = c.terms.neg_overflows(a);
    result_status(c, result);
    adjust(c, zero, a, result);
    c.set_status(Status::Carry, carry);
    c.set_status(Status::Overflow, overflow);
    c.write_integer(0, result)
}

fn stepped(c: &mut Context, op: BitsOp) -> Result<(), Unlifted> {
    let a = integer(c, 0, c.size(0))?;
    let one = c.terms.bits(c.terms.width(a), 1);
    let result = c.terms.bits_op(op, &[a, one]);
    let overflow = overflow(c, op, a, one, result);
    result_status(c, result);
    adjust(c, a, one, result);
    c.set_status(Status::Overflow, overflow);
    c.write_integer(0, result)
}

fn shifted(c: &mut Context, op: BitsOp) -> Result<(), Unlifted> {
    let size = c.size(0);
    let width = 8 * size as u32;
    let count = c.bytes(1, 1)?;
    if is_symbolic(&count) {
        return Err(Unlifted::Form);
    }
    let count = u32::from(count[0].known) & if size == 8 { 63 } else { 31 };
    let a = integer(c, 0, size)?;
    if count == 0 {
        // Flags stay; a register of four bytes is cleared above all the same.
        for status in Status::ALL {
            c.effects.push(Effect::Status(status, c.machine.status(status)));
        }
        return c.write_integer(0, a);
    }
    let by = c.terms.bits(width, u128::from(count));
    let result = c.terms.bits_op(op, &[a, by]);
    result_status(c, result);
    // The last bit shifted out.
    let out = match op {
        BitsOp::Shl => width.checked_sub(count),
        _ => Some(if op == BitsOp::Ashr { (count - 1).min(width - 1) } else { count - 1 }),
    };
    let carry = match out {
        Some(bit) if bit < width => c.bit_of(a, bit),
        _ => c.terms.bool(false),
    };
    c.set_status(Status::Carry, carry);
    if count == 1 {
        let top = c.bit_of(a, width - 1);
        let overflow = match op {
            BitsOp::Shl => {
                let sign = c.bit_of(result, width - 1);
                c.terms.xor(sign, carry)
            }
            BitsOp::Lshr => top,
            _ => c.terms.bool(false),
        };
        c.set_status(Status::Overflow, overflow);
    }
    c.write_integer(0, result)
}

fn shifted_by_register(c: &mut Context, op: BitsOp) -> Result<(), Unlifted> {
    let size = c.size(0);
    let count = c.bytes(2, 1)?;
    if is_symbolic(&count) {
        return Err(Unlifted::Form);
    }
    let count = u128::from(count[0].known) & if size == 8 { 63 } else { 31 };
    let a = integer(c, 1, size)?;
    let by = c.terms.bits(8 * size as u32, count);
    let result = c.terms.bits_op(op, &[a, by]);
    c.write_integer(0, result)
}

fn product(c: &mut Context) -> Result<(), Unlifted> {
    let size = c.size(0);
    let (a, b) = match c.instruction.op_count() {
        2 => (integer(c, 0, size)?, integer(c, 1, size)?),
        _ => (integer(c, 1, size)?, integer(c, 2, size)?),
    };
    let result = c.terms.bits_op(BitsOp::Mul, &[a, b]);
    let overflow = c.terms.mul_overflows(true, a, b);
    c.set_status(Status::Carry, overflow);
    c.set_status(Status::Overflow, overflow);
    c.write_integer(0, result)
}

fn bit_test(c: &mut Context) -> Result<(), Unlifted> {
    let size = c.size(0);
    let bit = c.bytes(1, 1)?;
    if is_symbolic(&bit) || c.is_memory(0) {
        return Err(Unlifted::Form);
    }
    let a = integer(c, 0, size)?;
    let carry = c.bit_of(a, u32::from(bit[0].known) % (8 * size as u32));
    c.set_status(Status::Carry, carry);
    Ok(())
}

fn swapped(c: &mut Context) -> Result<(), Unlifted> {
    if c.size(0) == 2 {
        return Err(Unlifted::Form); // undefined
    }
    let mut bytes = c.bytes(0, c.size(0))?;
    bytes.reverse();
    let place = c.place(0)?;
    let mut parts = moved(&bytes);
    if parts.len() == 4 {
        parts.resize(8, None);
    }
    c.effects.push(Effect::Bytes(place, parts));
    Ok(())
}

fn exchanged(c: &mut Context) -> Result<(), Unlifted> {
    let size = c.size(0);
    let (a, b) = (c.bytes(0, size)?, c.bytes(1, size)?);
    for (n, bytes) in [(0, b), (1, a)] {
        let place = c.place(n)?;
        let mut parts = moved(&bytes);
        if matches!(place, Place::General(..)) && parts.len() == 4 {
            parts.resize(8, None);
        }
        c.effects.push(Effect::Bytes(place, parts));
    }
    Ok(())
}

const RSP: usize = 4;

fn pushed(c: &mut Context) -> Result<(), Unlifted> {
    let size = c.instruction.stack_pointer_increment().unsigned_abs() as usize;
    let source = c.bytes(0, size)?;
    let at = c.step.before.general[RSP].wrapping_sub(size as u64);
    c.effects.push(Effect::Bytes(Place::Memory(at), moved(&source)));
    Ok(())
}

fn popped(c: &mut Context) -> Result<(), Unlifted> {
    let size = c.instruction.stack_pointer_increment().unsigned_abs() as usize;
    let source = c.bytes_at(Place::Memory(c.step.before.general[RSP]), size)?;
    let place = c.place(0)?;
    c.effects.push(Effect::Bytes(place, moved(&source)));
    Ok(())
}

/// `cwde`, `cdqe`: the accumulator's low part extended by its sign.
fn accumulator(c: &mut Context, from: usize, to: usize) -> Result<(), Unlifted> {
    let bytes = c.bytes_at(Place::General(0, 0), from)?;
    let bits = c.bits(&bytes);
    let result = c.terms.bits_op(BitsOp::SignExtend(8 * (to - from) as u32), &[bits]);
    let mut parts = c.parts(result);
    parts.resize(8, None);
    c.effects.push(Effect::Bytes(Place::General(0, 0), parts));
    Ok(())
}

/// `cdq`, `cqo`: rdx filled with the accumulator's sign.
fn sign_filled(c: &mut Context, size: usize) -> Result<(), Unlifted> {
    let bytes = c.bytes_at(Place::General(0, 0), size)?;
    let bits = c.bits(&bytes);
    let sign = c.bit_of(bits, 8 * size as u32 - 1);
    let filled = c.filled(8 * size as u32, sign);
    let mut parts = c.parts(filled);
    parts.resize(8, None);
    c.effects.push(Effect::Bytes(Place::General(2, 0), parts));
    Ok(())
}

fn status_from_ah(c: &mut Context) -> Result<(), Unlifted> {
    let bytes = c.bytes_at(Place::General(0, 1), 1)?;
    let bits = c.bits(&bytes);
    for status in [Status::Carry, Status::Parity, Status::Adjust, Status::Zero, Status::Sign] {
        let bit = c.bit_of(bits, status.bit().trailing_zeros());
        c.set_status(status, bit);
    }
    Ok(())
}

/// One element of a string move; with a prefix the processor stops after each.
fn string_move(c: &mut Context) -> Result<(), Unlifted> {
    let repeats = c.instruction.has_rep_prefix() || c.instruction.has_repne_prefix();
    if repeats && c.step.before.general[1] == 0 {
        return Ok(());
    }
    let size = c.size(0);
    let from = Place::Memory(c.step.before.general[6]);
    let source = c.bytes_at(from, size)?;
    let to = Place::Memory(c.step.before.general[7]);
    c.effects.push(Effect::Bytes(to, moved(&source)));
    Ok(())
}

fn population(c: &mut Context) -> Result<(), Unlifted> {
    let a = integer(c, 1, c.size(1))?;
    let width = c.terms.width(a);
    let mut count = c.terms.bits(width, 0);
    for bit in 0..width {
        let bit = c.terms.extract(bit, bit, a);
        let bit = c.terms.bits_op(BitsOp::ZeroExtend(width - 1), &[bit]);
        count = c.terms.bits_op(BitsOp::Add, &[count, bit]);
    }
    let zero = c.terms.bits(width, 0);
    let is_zero = c.terms.equal(a, zero);
    let clear = c.terms.bool(false);
    c.set_status(Status::Zero, is_zero);
    for status in [Status::Carry, Status::Overflow, Status::Sign, Status::Parity, Status::Adjust] {
        c.set_status(status, clear);
    }
    c.write_integer(0, count)
}

/// `tzcnt`, and `bsf` where there is a set bit.
fn first_set(c: &mut Context, counts: bool) -> Result<(), Unlifted> {
    let bytes = c.bytes(1, c.size(1))?;
    if !counts {
        // Of zero, bsf leaves its destination as it was.
        return Err(Unlifted::Form);
    }
    let a = c.bits(&bytes);
    let width = c.terms.width(a);
    let mut result = c.terms.bits(width, u128::from(width));
    for bit in (0..width).rev() {
        let set = c.bit_of(a, bit);
        let number = c.terms.bits(width, u128::from(bit));
        result = c.terms.ite(set, number, result);
    }
    let zero = c.terms.bits(width, 0);
    let none = c.terms.equal(a, zero);
    let first = c.bit_of(a, 0);
    c.set_status(Status::Carry, none);
    c.set_status(Status::Zero, first);
    c.write_integer(0, result)
}

fn save(c: &mut Context) -> Result<(), Unlifted> {
    let Place::Memory(address) = c.place(0)? else { return Err(Unlifted::Form) };
    c.effects.push(Effect::Save(address));
    Ok(())
}

fn restore(c: &mut Context) -> Result<(), Unlifted> {
    let Place::Memory(address) = c.place(0)? else { return Err(Unlifted::Form) };
    c.effects.push(Effect::Restore(address));
    Ok(())
}

fn conditional(c: &mut Context) -> Option<Result<(), Unlifted>> {
    let code = c.instruction.condition_code();
    let mnemonic = format!("{:?}", c.instruction.mnemonic());
    if c.instruction.flow_control() == FlowControl::ConditionalBranch {
        if !mnemonic.starts_with('J') {
            return None; // loope and its like
        }
        let condition = condition(c, code);
        let taken = is_taken(c.step.before.rflags, code);
        let holds = if taken { condition } else { c.terms.not(condition) };
        c.effects.push(Effect::Path(holds));
        return Some(Ok(()));
    }
    if mnemonic.starts_with("Set") {
        let condition = condition(c, code);
        let (one, zero) = (c.terms.bits(8, 1), c.terms.bits(8, 0));
        let result = c.terms.ite(condition, one, zero);
        return Some(c.write_integer(0, result));
    }
    if mnemonic.starts_with("Cmov") {
        return Some(conditional_move(c, code));
    }
    None
}

fn conditional_move(c: &mut Context, code: ConditionCode) -> Result<(), Unlifted> {
    let size = c.size(0);
    let condition = condition(c, code);
    let (old, new) = (c.bytes(0, size)?, c.bytes(1, size)?);
    // A known condition moves bytes as they are.
    if let Some(taken) = c.terms.value(condition).and_then(|value| value.as_bool()) {
        let place = c.place(0)?;
        let mut parts = moved(if taken { &new } else { &old });
        if parts.len() == 4 {
            parts.resize(8, None);
        }
        c.effects.push(Effect::Bytes(place, parts));
        return Ok(());
    }
    let (old, new) = (c.bits(&old), c.bits(&new));
    let result = c.terms.ite(condition, new, old);
    c.write_integer(0, result)
}

/// A condition of the status flags; after a comparison of floats, said of these.
pub(super) fn condition(c: &mut Context, code: ConditionCode) -> Term {
    if let Some((a, b)) = c.machine.comparison() {
        let float = |c: &mut Context, operation| c.terms.fp(operation, &[a, b]);
        let (term, negate) = match code {
            ConditionCode::a => (Some(float(c, Operation::Greater)), false),
            ConditionCode::be => (Some(float(c, Operation::Greater)), true),
            ConditionCode::ae => (Some(float(c, Operation::GreaterEqual)), false),
            ConditionCode::b => (Some(float(c, Operation::GreaterEqual)), true),
            ConditionCode::p => (Some(float(c, Operation::Unordered)), false),
            ConditionCode::np => (Some(float(c, Operation::Unordered)), true),
            _ => (None, false),
        };
        if let Some(term) = term {
            return if negate { c.terms.not(term) } else { term };
        }
    }
    let (positive, negate) = match code {
        ConditionCode::ne => (ConditionCode::e, true),
        ConditionCode::ae => (ConditionCode::b, true),
        ConditionCode::a => (ConditionCode::be, true),
        ConditionCode::no => (ConditionCode::o, true),
        ConditionCode::ns => (ConditionCode::s, true),
        ConditionCode::np => (ConditionCode::p, true),
        ConditionCode::ge => (ConditionCode::l, true),
        ConditionCode::g => (ConditionCode::le, true),
        other => (other, false),
    };
    let term = match positive {
        ConditionCode::e => c.status(Status::Zero),
        ConditionCode::b => c.status(Status::Carry),
        ConditionCode::o => c.status(Status::Overflow),
        ConditionCode::s => c.status(Status::Sign),
        ConditionCode::p => c.status(Status::Parity),
        ConditionCode::be => {
            let either = [c.status(Status::Carry), c.status(Status::Zero)];
            c.terms.or(&either)
        }
        ConditionCode::l | ConditionCode::le => {
            let (sign, overflow) = (c.status(Status::Sign), c.status(Status::Overflow));
            let less = c.terms.xor(sign, overflow);
            if positive == ConditionCode::le {
                let zero = c.status(Status::Zero);
                c.terms.or(&[less, zero])
            } else {
                less
            }
        }
        _ => c.terms.bool(true),
    };
    if negate { c.terms.not(term) } else { term }
}

/// Whether a condition holds of the flags of the trace.
fn is_taken(rflags: u64, code: ConditionCode) -> bool {
    let set = |status: Status| rflags & status.bit() != 0;
    let less = set(Status::Sign) != set(Status::Overflow);
    match code {
        ConditionCode::o => set(Status::Overflow),
        ConditionCode::no => !set(Status::Overflow),
        ConditionCode::b => set(Status::Carry),
        ConditionCode::ae => !set(Status::Carry),
        ConditionCode::e => set(Status::Zero),
        ConditionCode::ne => !set(Status::Zero),
        ConditionCode::be => set(Status::Carry) || set(Status::Zero),
        ConditionCode::a => !set(Status::Carry) && !set(Status::Zero),
        ConditionCode::s => set(Status::Sign),
        ConditionCode::ns => !set(Status::Sign),
        ConditionCode::p => set(Status::Parity),
        ConditionCode::np => !set(Status::Parity),
        ConditionCode::l => less,
        ConditionCode::ge => !less,
        ConditionCode::le => less || set(Status::Zero),
        ConditionCode::g => !less && !set(Status::Zero),
        _ => true,
    }
}
