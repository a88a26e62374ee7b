//! Floating-point arithmetic of SSE, AVX, FMA and AVX-512: sums, roots, comparisons, conversions.

use super::context::{Bit, Context, Unlifted, is_symbolic, mode, moved};
use super::symbolic_state::{Byte, Effect, Parts, Status};
use iced_x86::Mnemonic::{self, *};
use iced_x86::{OpKind, Register};
use nanoscope_ieee::{Format, Operation, OutOfRange, Parameters};
use nanoscope_term::{Term, Value};

const HALF: Format = Format::BINARY16;
const SINGLE: Format = Format::BINARY32;
const DOUBLE: Format = Format::BINARY64;

/// Whether an instruction works on all lanes or on the lowest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Packed,
    Scalar,
}
use Shape::{Packed, Scalar};

const fn bytes_of(format: Format) -> usize {
    format.width() as usize / 8
}

/// Lifts floating-point arithmetic.
pub(super) fn lift(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    let (operation, format, shape) = match mnemonic {
        Addps | Vaddps => (Operation::Add, SINGLE, Packed),
        Addpd | Vaddpd => (Operation::Add, DOUBLE, Packed),
        Addss | Vaddss => (Operation::Add, SINGLE, Scalar),
        Addsd | Vaddsd => (Operation::Add, DOUBLE, Scalar),
        Subps | Vsubps => (Operation::Sub, SINGLE, Packed),
        Subpd | Vsubpd => (Operation::Sub, DOUBLE, Packed),
        Subss | Vsubss => (Operation::Sub, SINGLE, Scalar),
        Subsd | Vsubsd => (Operation::Sub, DOUBLE, Scalar),
        Mulps | Vmulps => (Operation::Mul, SINGLE, Packed),
        Mulpd | Vmulpd => (Operation::Mul, DOUBLE, Packed),
        Mulss | Vmulss => (Operation::Mul, SINGLE, Scalar),
        Mulsd | Vmulsd => (Operation::Mul, DOUBLE, Scalar),
        Divps | Vdivps => (Operation::Div, SINGLE, Packed),
        Divpd | Vdivpd => (Operation::Div, DOUBLE, Packed),
        Divss | Vdivss => (Operation::Div, SINGLE, Scalar),
        Divsd | Vdivsd => (Operation::Div, DOUBLE, Scalar),
        Minps | Vminps => (Operation::MinX86, SINGLE, Packed),
        Minpd | Vminpd => (Operation::MinX86, DOUBLE, Packed),
        Minss | Vminss => (Operation::MinX86, SINGLE, Scalar),
        Minsd | Vminsd => (Operation::MinX86, DOUBLE, Scalar),
        Maxps | Vmaxps => (Operation::MaxX86, SINGLE, Packed),
        Maxpd | Vmaxpd => (Operation::MaxX86, DOUBLE, Packed),
        Maxss | Vmaxss => (Operation::MaxX86, SINGLE, Scalar),
        Maxsd | Vmaxsd => (Operation::MaxX86, DOUBLE, Scalar),
        Sqrtps | Vsqrtps => (Operation::Sqrt, SINGLE, Packed),
        Sqrtpd | Vsqrtpd => (Operation::Sqrt, DOUBLE, Packed),
        Sqrtss | Vsqrtss => (Operation::Sqrt, SINGLE, Scalar),
        Sqrtsd | Vsqrtsd => (Operation::Sqrt, DOUBLE, Scalar),
        Roundps | Vroundps | Vrndscaleps => (Operation::RoundToIntegral, SINGLE, Packed),
        Roundpd | Vroundpd | Vrndscalepd => (Operation::RoundToIntegral, DOUBLE, Packed),
        Roundss | Vroundss | Vrndscaless => (Operation::RoundToIntegral, SINGLE, Scalar),
        Roundsd | Vroundsd | Vrndscalesd => (Operation::RoundToIntegral, DOUBLE, Scalar),
        Addsubps | Vaddsubps => return Some(alternating(c, SINGLE)),
        Addsubpd | Vaddsubpd => return Some(alternating(c, DOUBLE)),
        Haddps | Vhaddps => return Some(horizontal(c, Operation::Add, SINGLE)),
        Haddpd | Vhaddpd => return Some(horizontal(c, Operation::Add, DOUBLE)),
        Hsubps | Vhsubps => return Some(horizontal(c, Operation::Sub, SINGLE)),
        Hsubpd | Vhsubpd => return Some(horizontal(c, Operation::Sub, DOUBLE)),
        Dpps | Vdpps => return Some(dot(c, SINGLE)),
        Dppd | Vdppd => return Some(dot(c, DOUBLE)),
        Cmpps | Vcmpps => return Some(compare(c, SINGLE, Packed)),
        Cmppd | Vcmppd => return Some(compare(c, DOUBLE, Packed)),
        Cmpss | Vcmpss => return Some(compare(c, SINGLE, Scalar)),
        Cmpsd | Vcmpsd => return Some(compare(c, DOUBLE, Scalar)),
        Comiss | Vcomiss | Ucomiss | Vucomiss => return Some(compare_to_status(c, SINGLE)),
        Comisd | Vcomisd | Ucomisd | Vucomisd => return Some(compare_to_status(c, DOUBLE)),
        _ => return multiply_add(c, mnemonic).or_else(|| conversion(c, mnemonic)),
    };
    Some(arithmetic(c, operation, format, shape))
}

/// One operation on terms, with the rounding mode and flushing that hold now.
fn compute(c: &mut Context, operation: Operation, args: &[Term]) -> Term {
    let rounding = c.rounding();
    match operation {
        Operation::MinX86 | Operation::MaxX86 => c.terms.fp(operation, args),
        Operation::RoundToIntegral => {
            let control = c.control();
            let rounding = if control & 4 == 0 {
                let chosen = mode(u32::from(control));
                c.terms.rounding(chosen)
            } else {
                rounding
            };
            c.terms.fp(operation, &[rounding, args[0]])
        }
        // Any other operation that instructions have takes a rounding mode first.
        _ => {
            let mut all = vec![rounding];
            all.extend_from_slice(args);
            let exact = c.terms.fp(operation, &all);
            if c.flushes() { c.without_subnormals(exact) } else { exact }
        }
    }
}

fn arithmetic(
    c: &mut Context,
    operation: Operation,
    format: Format,
    shape: Shape,
) -> Result<(), Unlifted> {
    if operation == Operation::RoundToIntegral && c.control() >> 4 != 0 {
        // vrndscale with a scale.
        return Err(Unlifted::Form);
    }
    let is_unary = matches!(operation, Operation::Sqrt | Operation::RoundToIntegral);
    lanes(c, format, shape, is_unary, |c, lane, x| {
        let args: Vec<Term> = x.iter().map(|bytes| c.float(format, bytes)).collect();
        let result = compute(c, operation, &args);
        c.result(lane, result);
        c.encoding(result)
    })
}

/// Lanes of the last operand, or of the last two, to lanes of the destination.
fn lanes(
    c: &mut Context,
    format: Format,
    shape: Shape,
    is_unary: bool,
    f: impl FnMut(&mut Context, usize, &[&[Byte]]) -> Term,
) -> Result<(), Unlifted> {
    let size = bytes_of(format);
    let last = c.last();
    match shape {
        Packed => {
            let total = c.size(0);
            let b = c.vector(last, total)?;
            let parts = if is_unary {
                c.map(total / size, &[(&b, size)], size, f)
            } else {
                let a = c.vector(last - 1, total)?;
                c.map(total / size, &[(&a, size), (&b, size)], size, f)
            };
            c.write_vector(0, parts, size)
        }
        Scalar => {
            let (a, b) = (c.bytes(last - 1, 16)?, c.bytes(last, size)?);
            let low = if is_unary {
                c.map(1, &[(&b, size)], size, f)
            } else {
                c.map(1, &[(&a[..size], size), (&b, size)], size, f)
            };
            write_scalar(c, low, &a)
        }
    }
}

/// The lowest lane of the destination, and above it what the first source has there.
fn write_scalar(c: &mut Context, low: Parts, first: &[Byte]) -> Result<(), Unlifted> {
    let size = low.len();
    let place = c.place(0)?;
    let mut parts = c.masked(place, low, size)?;
    parts.extend(moved(&first[size..16]));
    c.write(place, parts);
    Ok(())
}

fn alternating(c: &mut Context, format: Format) -> Result<(), Unlifted> {
    lanes(c, format, Packed, false, |c, lane, x| {
        let operation = if lane % 2 == 0 { Operation::Sub } else { Operation::Add };
        let (a, b) = (c.float(format, x[0]), c.float(format, x[1]));
        let result = compute(c, operation, &[a, b]);
        c.result(lane, result);
        c.encoding(result)
    })
}

fn horizontal(c: &mut Context, operation: Operation, format: Format) -> Result<(), Unlifted> {
    let size = bytes_of(format);
    let (last, total) = (c.last(), c.size(0));
    let (a, b) = (c.bytes(last - 1, total)?, c.bytes(last, total)?);
    let mut parts = Parts::new();
    for block in (0..total).step_by(16) {
        for source in [&a, &b] {
            for at in (block..block + 16).step_by(2 * size) {
                let pair = &source[at..at + 2 * size];
                if !is_symbolic(pair) {
                    parts.extend(std::iter::repeat_n(None, size));
                    continue;
                }
                let (x, y) = (c.float(format, &pair[..size]), c.float(format, &pair[size..]));
                let result = compute(c, operation, &[x, y]);
                c.result(parts.len() / size, result);
                let bits = c.encoding(result);
                parts.extend(c.parts(bits));
            }
        }
    }
    c.write_vector(0, parts, size)
}

fn dot(c: &mut Context, format: Format) -> Result<(), Unlifted> {
    let size = bytes_of(format);
    let (last, total, control) = (c.last(), c.size(0), c.control());
    let (a, b) = (c.bytes(last - 1, total)?, c.bytes(last, total)?);
    let count = 16 / size;
    let zero = c.terms.constant(Value::zero(format, false));
    let mut parts = Parts::new();
    for block in (0..total).step_by(16) {
        let mut products = Vec::new();
        for lane in 0..count {
            products.push(if control >> (4 + lane) & 1 == 1 {
                let range = block + lane * size..block + (lane + 1) * size;
                let (x, y) = (c.float(format, &a[range.clone()]), c.float(format, &b[range]));
                let product = compute(c, Operation::Mul, &[x, y]);
                if c.ignores_subnormals() { c.without_subnormals(product) } else { product }
            } else {
                zero
            });
        }
        while products.len() > 1 {
            products = products.chunks(2).map(|pair| compute(c, Operation::Add, pair)).collect();
        }
        let bits = c.encoding(products[0]);
        for lane in 0..count {
            if control >> lane & 1 == 1 {
                c.result(parts.len() / size, products[0]);
                parts.extend(c.parts(bits));
            } else {
                parts.extend(std::iter::repeat_n(None, size));
            }
        }
    }
    c.write_vector(0, parts, size)
}

/// Fused multiply-add: which operands are multiplied is in the name.
fn multiply_add(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    let name = format!("{mnemonic:?}");
    let rest = name.strip_prefix("Vf")?;
    let (kind, rest) = ["nmadd", "nmsub", "maddsub", "msubadd", "madd", "msub"]
        .into_iter()
        .find_map(|kind| Some((kind, rest.strip_prefix(kind)?)))?;
    let order = rest.get(..3)?;
    let (format, shape) = match rest.get(3..)? {
        "ps" => (SINGLE, Packed),
        "pd" => (DOUBLE, Packed),
        "ss" => (SINGLE, Scalar),
        "sd" => (DOUBLE, Scalar),
        _ => return None,
    };
    // The factors and the addend, by operand.
    let (x, y, z) = match order {
        "132" => (0, 2, 1),
        "213" => (1, 0, 2),
        "231" => (1, 2, 0),
        _ => return None,
    };
    Some(fused(c, kind, [x, y, z], format, shape))
}

fn fused(
    c: &mut Context,
    kind: &str,
    order: [u32; 3],
    format: Format,
    shape: Shape,
) -> Result<(), Unlifted> {
    let size = bytes_of(format);
    let total = if shape == Packed { c.size(0) } else { size };
    let [x, y, z] = order;
    let (x, y, z) = (c.vector(x, total)?, c.vector(y, total)?, c.vector(z, total)?);
    let parts = c.map(total / size, &[(&x, size), (&y, size), (&z, size)], size, |c, lane, x| {
        let (mut a, b) = (c.float(format, x[0]), c.float(format, x[1]));
        let mut addend = c.float(format, x[2]);
        if kind.starts_with('n') {
            a = c.terms.fp(Operation::Neg, &[a]);
        }
        let subtracts = match kind {
            "msub" | "nmsub" => true,
            "maddsub" => lane % 2 == 0,
            "msubadd" => lane % 2 == 1,
            _ => false,
        };
        if subtracts {
            addend = c.terms.fp(Operation::Neg, &[addend]);
        }
        let result = compute(c, Operation::Fma, &[a, b, addend]);
        c.result(lane, result);
        c.encoding(result)
    });
    match shape {
        Packed => c.write_vector(0, parts, size),
        Scalar => {
            let first = c.bytes(0, 16)?;
            write_scalar(c, parts, &first)
        }
    }
}

/// The predicate of `cmpps` and its like, by its number.
fn predicate(c: &mut Context, number: u8, a: Term, b: Term) -> Term {
    let t = &mut *c.terms;
    match number & 15 {
        0 => t.fp(Operation::Equal, &[a, b]),
        1 => t.fp(Operation::Less, &[a, b]),
        2 => t.fp(Operation::LessEqual, &[a, b]),
        3 => t.fp(Operation::Unordered, &[a, b]),
        8 => {
            let all = [t.fp(Operation::Equal, &[a, b]), t.fp(Operation::Unordered, &[a, b])];
            t.or(&all)
        }
        9 => {
            let opposite = t.fp(Operation::GreaterEqual, &[a, b]);
            t.not(opposite)
        }
        10 => {
            let opposite = t.fp(Operation::Greater, &[a, b]);
            t.not(opposite)
        }
        11 => t.bool(false),
        // 4 to 7 and 12 to 15 negate what is four before them (12: not equal and ordered).
        opposite => {
            let opposite = predicate(c, opposite - 4, a, b);
            c.terms.not(opposite)
        }
    }
}

fn compare(c: &mut Context, format: Format, shape: Shape) -> Result<(), Unlifted> {
    let size = bytes_of(format);
    let number = if c.clears_above() { c.control() } else { c.control() & 7 };
    if c.instruction.op0_register().is_k() {
        let total = if shape == Scalar { size } else { c.size(1) };
        let (a, b) = (c.vector(1, total)?, c.vector(2, total)?);
        return to_mask(c, total / size, &[(&a, size), (&b, size)], |c, x| {
            let (a, b) = (c.float(format, x[0]), c.float(format, x[1]));
            predicate(c, number, a, b)
        });
    }
    lanes(c, format, shape, false, |c, _, x| {
        let (a, b) = (c.float(format, x[0]), c.float(format, x[1]));
        let holds = predicate(c, number, a, b);
        c.filled(format.width(), holds)
    })
}

/// A truth value a lane, to the mask register that is operand 0, where the mask says so.
pub(super) fn to_mask(
    c: &mut Context,
    lanes: usize,
    inputs: &[(&[Byte], usize)],
    f: impl Fn(&mut Context, &[&[Byte]]) -> Term,
) -> Result<(), Unlifted> {
    let force = c.is_masked_symbolically();
    let mut bits = Vec::new();
    for lane in 0..lanes {
        let slices: Vec<&[Byte]> =
            inputs.iter().map(|(bytes, size)| &bytes[lane * size..(lane + 1) * size]).collect();
        if !force && !slices.iter().any(|bytes| is_symbolic(bytes)) {
            bits.push(None);
            continue;
        }
        let mut bit = f(c, &slices);
        match c.instruction.op_mask() {
            Register::None | Register::K0 => {}
            register => match c.mask_bit(register, lane) {
                Bit::Known(true) => {}
                Bit::Known(false) => bit = c.terms.bool(false),
                Bit::Term(mask) => bit = c.terms.and(&[mask, bit]),
            },
        }
        bits.push(Some(bit).filter(|bit| c.terms.value(*bit).is_none()));
    }
    let number = c.instruction.op0_register().number() as u8;
    c.effects.push(Effect::Mask(number, bits));
    Ok(())
}

fn compare_to_status(c: &mut Context, format: Format) -> Result<(), Unlifted> {
    let size = bytes_of(format);
    let (a, b) = (c.bytes(0, size)?, c.bytes(1, size)?);
    let (a, b) = (c.float(format, &a), c.float(format, &b));
    set_comparison(c, a, b);
    Ok(())
}

/// The status flags as `comisd`, `fcomi` and their like set them.
pub(super) fn set_comparison(c: &mut Context, a: Term, b: Term) {
    let unordered = c.terms.fp(Operation::Unordered, &[a, b]);
    let equal = c.terms.fp(Operation::Equal, &[a, b]);
    let less = c.terms.fp(Operation::Less, &[a, b]);
    let zero = c.terms.or(&[unordered, equal]);
    let carry = c.terms.or(&[unordered, less]);
    let clear = c.terms.bool(false);
    c.set_status(Status::Zero, zero);
    c.set_status(Status::Parity, unordered);
    c.set_status(Status::Carry, carry);
    for status in [Status::Overflow, Status::Sign, Status::Adjust] {
        c.set_status(status, clear);
    }
    c.effects.push(Effect::Comparison(a, b));
}

/// What a lane of a conversion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    Float(Format),
    Signed(usize),
    Unsigned(usize),
}

impl Lane {
    fn size(self) -> usize {
        match self {
            Lane::Float(format) => bytes_of(format),
            Lane::Signed(size) | Lane::Unsigned(size) => size,
        }
    }
}

fn conversion(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    use Lane::{Float, Signed, Unsigned};
    let (from, to, truncates) = match mnemonic {
        Cvtss2sd | Vcvtss2sd => return Some(scalar_conversion(c, Float(SINGLE), DOUBLE)),
        Cvtsd2ss | Vcvtsd2ss => return Some(scalar_conversion(c, Float(DOUBLE), SINGLE)),
        Cvtsi2ss | Vcvtsi2ss => {
            let from = Signed(c.size(c.last()));
            return Some(scalar_conversion(c, from, SINGLE));
        }
        Cvtsi2sd | Vcvtsi2sd => {
            let from = Signed(c.size(c.last()));
            return Some(scalar_conversion(c, from, DOUBLE));
        }
        Vcvtusi2ss => {
            let from = Unsigned(c.size(c.last()));
            return Some(scalar_conversion(c, from, SINGLE));
        }
        Vcvtusi2sd => {
            let from = Unsigned(c.size(c.last()));
            return Some(scalar_conversion(c, from, DOUBLE));
        }
        Cvtss2si | Vcvtss2si => return Some(to_general(c, SINGLE, true, false)),
        Cvtsd2si | Vcvtsd2si => return Some(to_general(c, DOUBLE, true, false)),
        Cvttss2si | Vcvttss2si => return Some(to_general(c, SINGLE, true, true)),
        Cvttsd2si | Vcvttsd2si => return Some(to_general(c, DOUBLE, true, true)),
        Vcvtss2usi => return Some(to_general(c, SINGLE, false, false)),
        Vcvtsd2usi => return Some(to_general(c, DOUBLE, false, false)),
        Vcvttss2usi => return Some(to_general(c, SINGLE, false, true)),
        Vcvttsd2usi => return Some(to_general(c, DOUBLE, false, true)),
        Cvtps2pd | Vcvtps2pd => (Float(SINGLE), Float(DOUBLE), false),
        Cvtpd2ps | Vcvtpd2ps => (Float(DOUBLE), Float(SINGLE), false),
        Cvtdq2ps | Vcvtdq2ps => (Signed(4), Float(SINGLE), false),
        Cvtdq2pd | Vcvtdq2pd => (Signed(4), Float(DOUBLE), false),
        Cvtps2dq | Vcvtps2dq => (Float(SINGLE), Signed(4), false),
        Cvttps2dq | Vcvttps2dq => (Float(SINGLE), Signed(4), true),
        Cvtpd2dq | Vcvtpd2dq => (Float(DOUBLE), Signed(4), false),
        Cvttpd2dq | Vcvttpd2dq => (Float(DOUBLE), Signed(4), true),
        Vcvtudq2ps => (Unsigned(4), Float(SINGLE), false),
        Vcvtudq2pd => (Unsigned(4), Float(DOUBLE), false),
        Vcvtqq2ps => (Signed(8), Float(SINGLE), false),
        Vcvtqq2pd => (Signed(8), Float(DOUBLE), false),
        Vcvtuqq2ps => (Unsigned(8), Float(SINGLE), false),
        Vcvtuqq2pd => (Unsigned(8), Float(DOUBLE), false),
        Vcvtps2udq => (Float(SINGLE), Unsigned(4), false),
        Vcvttps2udq => (Float(SINGLE), Unsigned(4), true),
        Vcvtpd2udq => (Float(DOUBLE), Unsigned(4), false),
        Vcvttpd2udq => (Float(DOUBLE), Unsigned(4), true),
        Vcvtps2qq => (Float(SINGLE), Signed(8), false),
        Vcvttps2qq => (Float(SINGLE), Signed(8), true),
        Vcvtpd2qq => (Float(DOUBLE), Signed(8), false),
        Vcvttpd2qq => (Float(DOUBLE), Signed(8), true),
        Vcvtps2uqq => (Float(SINGLE), Unsigned(8), false),
        Vcvttps2uqq => (Float(SINGLE), Unsigned(8), true),
        Vcvtpd2uqq => (Float(DOUBLE), Unsigned(8), false),
        Vcvttpd2uqq => (Float(DOUBLE), Unsigned(8), true),
        Vcvtph2ps => (Float(HALF), Float(SINGLE), false),
        Vcvtps2ph => return Some(to_half(c)),
        _ => return None,
    };
    Some(packed_conversion(c, from, to, truncates))
}

/// A lane converted.
fn convert(c: &mut Context, from: Lane, to: Lane, truncates: bool, bytes: &[Byte]) -> Term {
    let rounding = match truncates {
        true => c.terms.rounding(nanoscope_ieee::Rounding::TowardZero),
        false => c.rounding(),
    };
    match (from, to) {
        (Lane::Float(from), Lane::Float(target)) => {
            // Subnormal halves are never ignored.
            let float =
                if from == HALF { c.float_as_is(from, bytes) } else { c.float(from, bytes) };
            let result = c.terms.convert(target, rounding, float);
            if c.flushes() && target != HALF { c.without_subnormals(result) } else { result }
        }
        (Lane::Float(from), Lane::Signed(size) | Lane::Unsigned(size)) => {
            let float = c.float(from, bytes);
            let parameters = Parameters::integer(from, 8 * size as u32, OutOfRange::Indefinite);
            let operation = match to {
                Lane::Unsigned(_) => Operation::ToUnsigned,
                Lane::Float(_) | Lane::Signed(_) => Operation::ToSigned,
            };
            c.terms.float(operation, parameters, &[rounding, float])
        }
        (Lane::Signed(size) | Lane::Unsigned(size), Lane::Float(target)) => {
            let bits = c.bits(bytes);
            let parameters = Parameters::integer(target, 8 * size as u32, OutOfRange::Undefined);
            let operation = match from {
                Lane::Unsigned(_) => Operation::FromUnsigned,
                Lane::Float(_) | Lane::Signed(_) => Operation::FromSigned,
            };
            c.terms.float(operation, parameters, &[rounding, bits])
        }
        (Lane::Signed(_) | Lane::Unsigned(_), Lane::Signed(_) | Lane::Unsigned(_)) => {
            unreachable!("no conversion between integers")
        }
    }
}

fn scalar_conversion(c: &mut Context, from: Lane, target: Format) -> Result<(), Unlifted> {
    let last = c.last();
    let (first, source) = (c.bytes(last - 1, 16)?, c.bytes(last, from.size())?);
    let size = bytes_of(target);
    let low = c.map(1, &[(&source, from.size())], size, |c, lane, x| {
        let result = convert(c, from, Lane::Float(target), false, x[0]);
        c.result(lane, result);
        c.encoding(result)
    });
    write_scalar(c, low, &first)
}

fn to_general(
    c: &mut Context,
    format: Format,
    signed: bool,
    truncates: bool,
) -> Result<(), Unlifted> {
    let (size, source) = (c.size(0), c.bytes(1, bytes_of(format))?);
    let to = if signed { Lane::Signed(size) } else { Lane::Unsigned(size) };
    let result = convert(c, Lane::Float(format), to, truncates, &source);
    c.write_integer(0, result)
}

fn packed_conversion(
    c: &mut Context,
    from: Lane,
    to: Lane,
    truncates: bool,
) -> Result<(), Unlifted> {
    // As many lanes as both registers have; a memory operand has its own size.
    if c.instruction.op0_kind() == OpKind::Register
        && !c.instruction.op0_register().is_vector_register()
        || c.instruction.op1_kind() == OpKind::Register
            && !c.instruction.op1_register().is_vector_register()
    {
        return Err(Unlifted::Form); // MMX
    }
    let wide = from.size().max(to.size());
    let reference = if from.size() > to.size() { 1 } else { 0 };
    let total = if reference == 1 && c.is_memory(1) && c.instruction.is_broadcast() {
        c.instruction.memory_size().size().max(wide * broadcast_lanes(c))
    } else {
        c.size(reference)
    };
    let lanes = total / wide;
    let source = c.vector(1, lanes * from.size())?;
    let mut parts = c.map(lanes, &[(&source, from.size())], to.size(), |c, lane, x| {
        let result = convert(c, from, to, truncates, x[0]);
        match to {
            Lane::Float(_) => {
                c.result(lane, result);
                c.encoding(result)
            }
            Lane::Signed(_) | Lane::Unsigned(_) => result,
        }
    });
    let place = c.place(0)?;
    parts = c.masked(place, parts, to.size())?;
    // A narrower result is followed by zeros, in legacy encodings up to 16 bytes.
    if parts.len() < 16 {
        parts.resize(16, None);
    }
    c.write(place, parts);
    Ok(())
}

/// How often a broadcast element of a narrowing conversion is repeated.
fn broadcast_lanes(c: &Context) -> usize {
    use iced_x86::MemorySize::*;
    match c.instruction.memory_size() {
        Broadcast128_Float64 | Broadcast128_Int64 | Broadcast128_UInt64 => 2,
        Broadcast256_Float64 | Broadcast256_Int64 | Broadcast256_UInt64 => 4,
        _ => 8,
    }
}

fn to_half(c: &mut Context) -> Result<(), Unlifted> {
    let control = c.control();
    let source_size = c.size(1);
    let source = c.bytes(1, source_size)?;
    let lanes = source_size / 4;
    let parts = c.map(lanes, &[(&source, 4)], 2, |c, lane, x| {
        let rounding = if control & 4 == 0 {
            let chosen = mode(u32::from(control));
            c.terms.rounding(chosen)
        } else {
            c.rounding()
        };
        let float = c.float(SINGLE, x[0]);
        let result = c.terms.convert(HALF, rounding, float);
        c.result(lane, result);
        c.encoding(result)
    });
    let place = c.place(0)?;
    let mut parts = c.masked(place, parts, 2)?;
    if !c.is_memory(0) && parts.len() < 16 {
        parts.resize(16, None);
    }
    c.write(place, parts);
    Ok(())
}
