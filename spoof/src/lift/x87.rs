//! The x87 unit: a stack of eight floats of 64 bits precision, and its condition codes.

use super::context::{Context, Unlifted, mode};
use super::float::set_comparison;
use super::general::condition;
use super::symbolic_state::{Byte, Effect, Place};
use iced_x86::Mnemonic::{self, *};
use iced_x86::{ConditionCode, OpKind};
use nanoscope_ieee::{Format, Operation, OutOfRange, Parameters, Word};
use nanoscope_term::{Term, Value};
use num_bigint::BigUint;

/// The values of the stack: x87's format without the integer bit.
pub(super) const EXTENDED: Format = Format::new(15, 64);

/// Whether an instruction is one of the x87 unit.
pub(super) fn is_x87(mnemonic: Mnemonic) -> bool {
    let name = format!("{mnemonic:?}");
    name.starts_with('F') && !name.starts_with("Fx") || mnemonic == Fxch || mnemonic == Fxam
}

/// Lifts an instruction of the x87 unit, whether it touches anything symbolic or not.
pub(super) fn lift(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    Some(match mnemonic {
        Fld => load(c, Kind::Float),
        Fild => load(c, Kind::Integer),
        Fld1 | Fldz | Fldpi | Fldl2e | Fldl2t | Fldlg2 | Fldln2 => {
            push(c, None);
            Ok(())
        }
        Fst => store(c, 0),
        Fstp => store(c, 1),
        Fist => store_integer(c, 0, false),
        Fistp => store_integer(c, 1, false),
        Fisttp => store_integer(c, 1, true),
        Fadd => arithmetic(c, Operation::Add, false, 0, Kind::Float),
        Faddp => arithmetic(c, Operation::Add, false, 1, Kind::Float),
        Fiadd => arithmetic(c, Operation::Add, false, 0, Kind::Integer),
        Fmul => arithmetic(c, Operation::Mul, false, 0, Kind::Float),
        Fmulp => arithmetic(c, Operation::Mul, false, 1, Kind::Float),
        Fimul => arithmetic(c, Operation::Mul, false, 0, Kind::Integer),
        Fsub => arithmetic(c, Operation::Sub, false, 0, Kind::Float),
        Fsubp => arithmetic(c, Operation::Sub, false, 1, Kind::Float),
        Fisub => arithmetic(c, Operation::Sub, false, 0, Kind::Integer),
        Fsubr => arithmetic(c, Operation::Sub, true, 0, Kind::Float),
        Fsubrp => arithmetic(c, Operation::Sub, true, 1, Kind::Float),
        Fisubr => arithmetic(c, Operation::Sub, true, 0, Kind::Integer),
        Fdiv => arithmetic(c, Operation::Div, false, 0, Kind::Float),
        Fdivp => arithmetic(c, Operation::Div, false, 1, Kind::Float),
        Fidiv => arithmetic(c, Operation::Div, false, 0, Kind::Integer),
        Fdivr => arithmetic(c, Operation::Div, true, 0, Kind::Float),
        Fdivrp => arithmetic(c, Operation::Div, true, 1, Kind::Float),
        Fidivr => arithmetic(c, Operation::Div, true, 0, Kind::Integer),
        Fchs => unary(c, Operation::Neg),
        Fabs => unary(c, Operation::Abs),
        Fsqrt => unary(c, Operation::Sqrt),
        Frndint => unary(c, Operation::RoundToIntegral),
        Fxch => exchange(c),
        Fcomi | Fucomi => compare_to_status(c, 0),
        Fcomip | Fucomip => compare_to_status(c, 1),
        Fcom | Fucom => compare(c, 0),
        Fcomp | Fucomp => compare(c, 1),
        Fcompp | Fucompp => compare(c, 2),
        Ftst => compare_with_zero(c),
        Fnstsw => status_word(c),
        Fcmovb => choose(c, ConditionCode::b),
        Fcmove => choose(c, ConditionCode::e),
        Fcmovbe => choose(c, ConditionCode::be),
        Fcmovu => choose(c, ConditionCode::p),
        Fcmovnb => choose(c, ConditionCode::ae),
        Fcmovne => choose(c, ConditionCode::ne),
        Fcmovnbe => choose(c, ConditionCode::a),
        Fcmovnu => choose(c, ConditionCode::np),
        Fldcw | Fnstcw | Fnop | Fnclex => Ok(()),
        Ffree => {
            let at = register(c, 0);
            let at = physical(c, at);
            c.effects.push(Effect::Stack(at, None));
            Ok(())
        }
        _ => return None,
    })
}

/// What a memory operand holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Float,
    Integer,
}

/// The physical number of st(i); -1 is where a push goes.
fn physical(c: &Context, i: i32) -> u8 {
    let top = i32::from(c.step.before.x87.status >> 11 & 7);
    ((top + i) & 7) as u8
}

/// The number of the stack register that operand `n` is.
fn register(c: &Context, n: u32) -> i32 {
    c.instruction.op_register(n).number() as i32
}

/// Whether anything of st(i) is symbolic.
fn is_symbolic(c: &Context, i: i32) -> bool {
    c.machine.stack(physical(c, i)).is_some()
}

/// st(i) as a term.
fn stacked(c: &mut Context, i: i32) -> Term {
    match c.machine.stack(physical(c, i)) {
        Some(term) => term,
        None => {
            let value = decoded(&c.step.before.x87.stack[i as usize]);
            c.terms.constant(value)
        }
    }
}

/// The value that ten bytes encode.
pub(super) fn decoded(bytes: &[u8; 10]) -> Value {
    let significand = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"));
    let sign_exponent = u16::from_le_bytes([bytes[8], bytes[9]]);
    let exponent = sign_exponent & 0x7fff;
    let integer = significand >> 63 == 1;
    if exponent != 0 && !integer {
        return Value::nan(EXTENDED); // an encoding that the unit does not support
    }
    // A subnormal encoding with its integer bit set is the smallest normal binade.
    let sign_exponent = if exponent == 0 && integer { sign_exponent | 1 } else { sign_exponent };
    let bits = BigUint::from(sign_exponent) << 63u32 | BigUint::from(significand & !(1 << 63));
    Value::float(EXTENDED, Word::from_big(79, &bits))
}

/// The ten bytes of a float, as one string.
pub(super) fn encoding(terms: &mut nanoscope_term::Terms, float: Term) -> Term {
    let bits = terms.fp(Operation::ToBits, &[float]);
    let sign_exponent = terms.extract(78, 63, bits);
    let fraction = terms.extract(62, 0, bits);
    let exponent = terms.extract(77, 63, bits);
    let zero = terms.bits(15, 0);
    let subnormal = terms.equal(exponent, zero);
    let normal = terms.not(subnormal);
    let integer = terms.bit(normal);
    let significand = terms.concat(integer, fraction);
    terms.concat(sign_exponent, significand)
}

/// The float that ten bytes encode, the integer bit taken as the exponent says.
pub(super) fn from_encoding(c: &mut Context, bytes: &[Byte]) -> Term {
    if !super::context::is_symbolic(bytes) {
        let known: Vec<u8> = bytes.iter().map(|byte| byte.known).collect();
        let value = decoded(&known.try_into().expect("ten bytes"));
        return c.terms.constant(value);
    }
    let bits = c.bits(bytes);
    let sign_exponent = c.terms.extract(79, 64, bits);
    let fraction = c.terms.extract(62, 0, bits);
    let all = c.terms.concat(sign_exponent, fraction);
    c.terms.from_bits(EXTENDED, all)
}

/// A memory operand as a float of the stack, and whether it is symbolic.
fn in_memory(c: &mut Context, n: u32, kind: Kind) -> Result<(Term, bool), Unlifted> {
    let size = c.size(n);
    let bytes = c.bytes(n, size)?;
    let symbolic = super::context::is_symbolic(&bytes);
    let nearest = c.terms.rounding(nanoscope_ieee::Rounding::NearestEven);
    let float = match (kind, size) {
        (Kind::Integer, _) => {
            let bits = c.bits(&bytes);
            let parameters = Parameters::integer(EXTENDED, 8 * size as u32, OutOfRange::Undefined);
            c.terms.float(Operation::FromSigned, parameters, &[nearest, bits])
        }
        (Kind::Float, 4) => {
            let float = c.float_as_is(Format::BINARY32, &bytes);
            c.terms.convert(EXTENDED, nearest, float)
        }
        (Kind::Float, 8) => {
            let float = c.float_as_is(Format::BINARY64, &bytes);
            c.terms.convert(EXTENDED, nearest, float)
        }
        (Kind::Float, _) => from_encoding(c, &bytes),
    };
    Ok((float, symbolic))
}

fn put(c: &mut Context, i: i32, float: Option<Term>) {
    let float = float.filter(|float| c.terms.value(*float).is_none());
    c.effects.push(Effect::Stack(physical(c, i), float));
}

fn push(c: &mut Context, float: Option<Term>) {
    put(c, -1, float);
}

fn pop(c: &mut Context, count: i32) {
    for i in 0..count {
        put(c, i, None);
    }
}

fn rounding(c: &mut Context) -> Term {
    let mode = mode(u32::from(c.step.before.x87.control) >> 10);
    c.terms.rounding(mode)
}

/// Results of less than full precision are rounded in a way that is not modelled.
fn has_full_precision(c: &Context) -> Result<(), Unlifted> {
    if c.step.before.x87.control >> 8 & 3 == 3 { Ok(()) } else { Err(Unlifted::Form) }
}

fn load(c: &mut Context, kind: Kind) -> Result<(), Unlifted> {
    if c.instruction.op0_kind() == OpKind::Register {
        let i = register(c, 0);
        let float = c.machine.stack(physical(c, i));
        push(c, float);
        return Ok(());
    }
    let (float, symbolic) = in_memory(c, 0, kind)?;
    push(c, symbolic.then_some(float));
    Ok(())
}

fn store(c: &mut Context, pops: i32) -> Result<(), Unlifted> {
    if c.instruction.op0_kind() == OpKind::Register {
        let float = c.machine.stack(physical(c, 0));
        let i = register(c, 0);
        put(c, i, float);
        pop(c, pops);
        return Ok(());
    }
    let size = c.size(0);
    let place = c.place(0)?;
    let parts = if is_symbolic(c, 0) {
        let float = stacked(c, 0);
        let rounding = rounding(c);
        let bits = match size {
            4 | 8 => {
                let format = if size == 4 { Format::BINARY32 } else { Format::BINARY64 };
                let narrow = c.terms.convert(format, rounding, float);
                c.result(0, narrow);
                c.encoding(narrow)
            }
            _ => encoding(c.terms, float),
        };
        c.parts(bits)
    } else {
        vec![None; size]
    };
    c.effects.push(Effect::Bytes(place, parts));
    pop(c, pops);
    Ok(())
}

fn store_integer(c: &mut Context, pops: i32, truncates: bool) -> Result<(), Unlifted> {
    let size = c.size(0);
    let place = c.place(0)?;
    let parts = if is_symbolic(c, 0) {
        let float = stacked(c, 0);
        let rounding = match truncates {
            true => c.terms.rounding(nanoscope_ieee::Rounding::TowardZero),
            false => rounding(c),
        };
        let parameters = Parameters::integer(EXTENDED, 8 * size as u32, OutOfRange::Indefinite);
        let bits = c.terms.float(Operation::ToSigned, parameters, &[rounding, float]);
        c.parts(bits)
    } else {
        vec![None; size]
    };
    c.effects.push(Effect::Bytes(place, parts));
    pop(c, pops);
    Ok(())
}

fn arithmetic(
    c: &mut Context,
    operation: Operation,
    reversed: bool,
    pops: i32,
    kind: Kind,
) -> Result<(), Unlifted> {
    let (destination, a, b, symbolic) = if c.is_memory(c.instruction.op_count() - 1) {
        let n = c.instruction.op_count() - 1;
        let (float, symbolic) = in_memory(c, n, kind)?;
        let a = stacked(c, 0);
        (0, a, float, symbolic || is_symbolic(c, 0))
    } else {
        let (i, j) = (register(c, 0), register(c, 1));
        (i, stacked(c, i), stacked(c, j), is_symbolic(c, i) || is_symbolic(c, j))
    };
    let result = if symbolic {
        has_full_precision(c)?;
        let (a, b) = if reversed { (b, a) } else { (a, b) };
        let rounding = rounding(c);
        let result = c.terms.fp(operation, &[rounding, a, b]);
        c.result(0, result);
        Some(result)
    } else {
        None
    };
    put(c, destination, result);
    pop(c, pops);
    Ok(())
}

fn unary(c: &mut Context, operation: Operation) -> Result<(), Unlifted> {
    let result = if is_symbolic(c, 0) {
        let a = stacked(c, 0);
        let result = match operation {
            Operation::Neg | Operation::Abs => c.terms.fp(operation, &[a]),
            // Any other one that instructions have takes a rounding mode first.
            _ => {
                if operation == Operation::Sqrt {
                    has_full_precision(c)?;
                }
                let rounding = rounding(c);
                c.terms.fp(operation, &[rounding, a])
            }
        };
        if operation == Operation::Sqrt {
            c.result(0, result);
        }
        Some(result)
    } else {
        None
    };
    put(c, 0, result);
    Ok(())
}

fn exchange(c: &mut Context) -> Result<(), Unlifted> {
    let i = if c.instruction.op_count() > 1 { register(c, 1) } else { 1 };
    let (a, b) = (c.machine.stack(physical(c, 0)), c.machine.stack(physical(c, i)));
    put(c, 0, b);
    put(c, i, a);
    Ok(())
}

fn compare_to_status(c: &mut Context, pops: i32) -> Result<(), Unlifted> {
    let i = register(c, 1);
    if is_symbolic(c, 0) || is_symbolic(c, i) {
        let (a, b) = (stacked(c, 0), stacked(c, i));
        set_comparison(c, a, b);
    }
    pop(c, pops);
    Ok(())
}

fn codes(c: &mut Context, a: Term, b: Term) {
    let unordered = c.terms.fp(Operation::Unordered, &[a, b]);
    let equal = c.terms.fp(Operation::Equal, &[a, b]);
    let less = c.terms.fp(Operation::Less, &[a, b]);
    let all = [c.terms.or(&[unordered, less]), unordered, c.terms.or(&[unordered, equal])];
    let all = all.map(|code| Some(code).filter(|code| c.terms.value(*code).is_none()));
    c.effects.push(Effect::Codes(all));
}

fn compare(c: &mut Context, pops: i32) -> Result<(), Unlifted> {
    let count = c.instruction.op_count();
    let (b, symbolic) = if count > 0 && c.is_memory(count - 1) {
        in_memory(c, count - 1, Kind::Float)?
    } else {
        let i = if count > 1 { register(c, 1) } else { 1 };
        (stacked(c, i), is_symbolic(c, i))
    };
    if symbolic || is_symbolic(c, 0) {
        let a = stacked(c, 0);
        codes(c, a, b);
    } else {
        c.effects.push(Effect::Codes([None; 3]));
    }
    pop(c, pops);
    Ok(())
}

fn compare_with_zero(c: &mut Context) -> Result<(), Unlifted> {
    if is_symbolic(c, 0) {
        let a = stacked(c, 0);
        let zero = c.terms.constant(Value::zero(EXTENDED, false));
        codes(c, a, zero);
    } else {
        c.effects.push(Effect::Codes([None; 3]));
    }
    Ok(())
}

/// The status word with the condition codes C0, C2 and C3 in bits 8, 10 and 14.
fn status_word(c: &mut Context) -> Result<(), Unlifted> {
    let place = match c.place(0)? {
        Place::General(register, _) => Place::General(register, 0),
        other => other,
    };
    let [c0, c2, c3] = c.machine.codes();
    let parts = if [c0, c2, c3].iter().any(Option::is_some) {
        let status = c.step.before.x87.status;
        let bits: Vec<Term> = (0..16)
            .map(|bit| {
                let code = match bit {
                    8 => c0,
                    10 => c2,
                    14 => c3,
                    _ => None,
                };
                code.unwrap_or_else(|| c.terms.bool(status >> bit & 1 == 1))
            })
            .collect();
        let word = c.gathered(&bits, 16);
        c.parts(word)
    } else {
        vec![None; 2]
    };
    c.effects.push(Effect::Bytes(place, parts));
    Ok(())
}

fn choose(c: &mut Context, code: ConditionCode) -> Result<(), Unlifted> {
    let i = register(c, 1);
    let condition = condition(c, code);
    let result = match c.terms.value(condition).and_then(Value::as_bool) {
        Some(true) => c.machine.stack(physical(c, i)),
        Some(false) => c.machine.stack(physical(c, 0)),
        None => {
            let (new, old) = (stacked(c, i), stacked(c, 0));
            Some(c.terms.ite(condition, new, old))
        }
    };
    put(c, 0, result);
    Ok(())
}
