//! `math.h`: functions that IEEE 754 defines as exact terms, the others as the machine's libm.
//!
//! The format of a function is that of its first argument, so that one model serves the
//! forms for `float`, `double`, `long double` and `__float128`.

use super::convert::{self, IGNORED};
use super::fenv::raise_if;
use super::{Call, Detour, Row, World};
use crate::Value;
use crate::environment::Raising;
use nanoscope_ieee::{Flag, Format, Libm, Operation, OutOfRange, Parameters, Rounding, Sort, Word};
use nanoscope_program::ir::{
    Act, Aggregate, FloatPredicate, IntegerOperation, Mode, Promises, Special, Type,
};
use std::sync::Arc;

/// What is modelled here.
pub(super) const ROWS: &[Row] = &[
    Row::floats("fabs", fabs, "exact"),
    Row::floats("copysign", copysign, "exact"),
    Row::floats("floor", floor, "exact"),
    Row::floats("ceil", ceil, "exact"),
    Row::floats("trunc", trunc, "exact"),
    Row::floats("round", round, "exact"),
    Row::floats("roundeven", roundeven, "exact"),
    Row::floats("rint", rint, "exact"),
    Row::floats("nearbyint", nearbyint, "exact"),
    Row::floats("lrint", lrint, "exact; out of range as x86-64 converts"),
    Row::floats("llrint", lrint, "exact"),
    Row::floats("lround", lround, "exact"),
    Row::floats("llround", lround, "exact"),
    Row::floats("sqrt", sqrt, "exact"),
    Row::floats("fma", fma, "exact"),
    Row::floats("fmod", fmod, "exact"),
    Row::floats("remainder", remainder, "exact"),
    Row::floats("drem", remainder, "exact"),
    Row::floats("remquo", remquo, "exact, with the quotient's sign and three low bits"),
    Row::floats("fmin", fmin, "exact; glibc's choice between zeros"),
    Row::floats("fmax", fmax, "exact; glibc's choice between zeros"),
    Row::floats("fdim", fdim, "exact"),
    Row::floats("frexp", frexp, "exact"),
    Row::floats("ldexp", ldexp, "exact"),
    Row::floats("scalbn", ldexp, "exact"),
    Row::floats("scalbln", scalbln, "exact"),
    Row::floats("modf", modf, "exact"),
    Row::floats("nextafter", nextafter, "exact"),
    Row::floats("nexttoward", nextafter, "exact"),
    Row::floats("nextup", nextup, "exact"),
    Row::floats("nextdown", nextdown, "exact"),
    Row::floats("logb", logb, "exact"),
    Row::floats("ilogb", ilogb, "exact"),
    Row::floats("nan", nan, "the payload of a known text"),
    Row::floats("significand", significand, "exact"),
    Row::floats("__fpclassify", fpclassify, "exact"),
    Row::floats("__isnan", isnan, "exact"),
    Row::floats("isnan", isnan, "exact"),
    Row::floats("__isinf", isinf, "exact"),
    Row::floats("isinf", isinf, "exact"),
    Row::floats("__finite", finite, "exact"),
    Row::floats("finite", finite, "exact"),
    Row::floats("__signbit", signbit, "exact"),
    Row::floats("__issignaling", issignaling, "exact"),
    Row::floats("sincos", sincos, "as `sin` and `cos`"),
];

/// A function of the machine's libm.
pub(super) fn libm(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let format = format(call);
    let Some(function) = Libm::from_name(super::stem(call.name)) else {
        panic!("{} is not among the functions of libm", call.name)
    };
    apply_libm(world, function, format, &[&call.arguments[0], call.arguments.last().expect("one")])
}

fn apply_libm(
    world: &mut dyn World,
    function: Libm,
    format: Format,
    arguments: &[&Value],
) -> Result<Value, Detour> {
    let act = Act::Special { special: Special::Libm(function, format), operands: Box::new([]) };
    world.compute(&act, &arguments[..function.arity()], &Type::Float(format))
}

/// The format of a call's first argument.
fn format(call: &Call) -> Format {
    match &call.types[0] {
        Type::Float(format) => *format,
        other => match call.result {
            Type::Float(format) => *format,
            _ => panic!("{} of {other:?}", call.name),
        },
    }
}

/// A row of the operation table on values of one format.
fn row(
    world: &mut dyn World,
    operation: Operation,
    format: Format,
    mode: Mode,
    operands: &[&Value],
) -> Result<Value, Detour> {
    let parameters = Parameters::of(format);
    let result = match operation.result() {
        Sort::Float => Type::Float(format),
        Sort::Bool => Type::Integer(1),
        Sort::Bits => Type::Integer(format.width()),
        Sort::Rounding => panic!("no operation gives a rounding mode"),
    };
    let act = Act::Float { operation, parameters, mode, operands: Box::new([]), relaxed: false };
    world.compute(&act, operands, &result)
}

/// A row that does not round, or in the environment's mode.
fn dynamic(
    world: &mut dyn World,
    operation: Operation,
    call: &Call,
    count: usize,
) -> Result<Value, Detour> {
    let operands: Vec<&Value> = call.arguments.iter().take(count).collect();
    row(world, operation, format(call), Mode::Dynamic, &operands)
}

fn compare(
    world: &mut dyn World,
    predicate: FloatPredicate,
    format: Format,
    a: &Value,
    b: &Value,
) -> Result<Value, Detour> {
    let act =
        Act::FloatCompare { predicate, signaling: false, format, operands: [IGNORED, IGNORED] };
    world.compute(&act, &[a, b], &Type::Integer(1))
}

fn select(
    world: &mut dyn World,
    condition: &Value,
    then: &Value,
    otherwise: &Value,
    ty: &Type,
) -> Result<Value, Detour> {
    let act = Act::Select { operands: [IGNORED; 3] };
    world.compute(&act, &[condition, then, otherwise], ty)
}

/// What is computed for some of the cases only raises nothing in the others: the flags stay as
/// they were before.
fn quietly<T>(
    world: &mut dyn World,
    compute: impl FnOnce(&mut dyn World) -> Result<T, Detour>,
) -> Result<T, Detour> {
    let flags = world.environment().0.flags;
    let result = compute(world);
    world.environment().0.flags = flags;
    result
}

fn integral(world: &mut dyn World, call: &Call, mode: Rounding) -> Result<Value, Detour> {
    let operation = Operation::RoundToIntegral;
    row(world, operation, format(call), Mode::Fixed(mode), &[&call.arguments[0]])
}

fn floor(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    integral(world, call, Rounding::Downward)
}

fn ceil(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    integral(world, call, Rounding::Upward)
}

fn trunc(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    integral(world, call, Rounding::TowardZero)
}

fn round(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    integral(world, call, Rounding::NearestAway)
}

fn roundeven(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    integral(world, call, Rounding::NearestEven)
}

fn rint(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    dynamic(world, Operation::RoundToIntegralExact, call, 1)
}

fn nearbyint(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    dynamic(world, Operation::RoundToIntegral, call, 1)
}

pub(super) fn fabs(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    dynamic(world, Operation::Abs, call, 1)
}

fn copysign(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    dynamic(world, Operation::CopySign, call, 2)
}

pub(super) fn sqrt(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    dynamic(world, Operation::Sqrt, call, 1)
}

fn fma(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    dynamic(world, Operation::Fma, call, 3)
}

fn fmod(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    dynamic(world, Operation::Fmod, call, 2)
}

fn remainder(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    dynamic(world, Operation::Remainder, call, 2)
}

fn nextup(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    dynamic(world, Operation::NextUp, call, 1)
}

fn nextdown(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    dynamic(world, Operation::NextDown, call, 1)
}

/// To a `long`, in a mode; x86-64's indefinite value where it does not fit.
fn to_long(world: &mut dyn World, call: &Call, mode: Mode) -> Result<Value, Detour> {
    let parameters = Parameters::integer(format(call), 64, OutOfRange::Indefinite);
    let operation = Operation::ToSigned;
    let act = Act::Float { operation, parameters, mode, operands: Box::new([]), relaxed: false };
    world.compute(&act, &[&call.arguments[0]], &Type::Integer(64))
}

fn lrint(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    to_long(world, call, Mode::Dynamic)
}

fn lround(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    to_long(world, call, Mode::Fixed(Rounding::NearestAway))
}

/// The smaller, or the larger, as glibc chooses between zeros: the second argument, except
/// that `fminl` gives the first.
fn extreme(world: &mut dyn World, call: &Call, operation: Operation) -> Result<Value, Detour> {
    let (a, b) = (&call.arguments[0], &call.arguments[1]);
    let format = format(call);
    let result = row(world, operation, format, Mode::Dynamic, &[a, b])?;
    let equal = compare(world, FloatPredicate::OrderedEqual, format, a, b)?;
    let first = format == Format::X87 && operation == Operation::MinNum;
    select(world, &equal, if first { a } else { b }, &result, &Type::Float(format))
}

fn fmin(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    extreme(world, call, Operation::MinNum)
}

fn fmax(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    extreme(world, call, Operation::MaxNum)
}

fn fdim(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let (a, b) = (&call.arguments[0], &call.arguments[1]);
    let format = format(call);
    let least = compare(world, FloatPredicate::OrderedLessEqual, format, a, b)?;
    let before = world.environment().0.flags;
    let difference = row(world, Operation::Sub, format, Mode::Dynamic, &[a, b])?;
    let skipped = convert::truth(world, &least);
    let (environment, terms) = world.environment();
    for (after, before) in environment.flags.iter_mut().zip(before) {
        let (was, is) = (before.term(terms), after.term(terms));
        let raised = terms.ite(skipped, was, is);
        *after = Raising::of(terms, raised);
    }
    let zero = Value::zero(&Type::Float(format));
    select(world, &least, &zero, &difference, &Type::Float(format))
}

/// The structure of fraction and exponent.
fn fraction(
    world: &mut dyn World,
    value: &Value,
    format: Format,
) -> Result<(Value, Value), Detour> {
    let members = vec![(0, Type::Float(format)), (16, Type::Integer(32))];
    let pair = Type::Aggregate(Arc::new(Aggregate::Structure { members, size: 32 }));
    let act = Act::Special { special: Special::Fraction(format), operands: Box::new([]) };
    let both = world.compute(&act, &[value], &pair)?;
    Ok((both.part(0).clone(), both.part(1).clone()))
}

/// glibc stores 0 for zeros, infinities and NaNs, where the standard leaves it open.
fn frexp(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let format = format(call);
    let (fraction, exponent) = fraction(world, &call.arguments[0], format)?;
    let exponent = only_where_finite(world, &call.arguments[0], format, &exponent)?;
    world.store(&call.arguments[1], &Type::Integer(32), exponent)?;
    Ok(fraction)
}

fn only_where_finite(
    world: &mut dyn World,
    value: &Value,
    format: Format,
    exponent: &Value,
) -> Result<Value, Detour> {
    let finite = row(world, Operation::IsFinite, format, Mode::Dynamic, &[value])?;
    select(world, &finite, exponent, &Value::Small(0), &Type::Integer(32))
}

fn scale(
    world: &mut dyn World,
    format: Format,
    value: &Value,
    exponent: &Value,
) -> Result<Value, Detour> {
    let act = Act::Special { special: Special::Scale(format), operands: Box::new([]) };
    world.compute(&act, &[value, exponent], &Type::Float(format))
}

fn ldexp(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    scale(world, format(call), &call.arguments[0], &call.arguments[1])
}

/// No format's exponents reach as far as this.
const FAR: i64 = 100_000;

fn scalbln(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let mut exponent = call.arguments[1].clone();
    for (operation, limit) in
        [(IntegerOperation::SignedMin, FAR), (IntegerOperation::SignedMax, -FAR)]
    {
        let operands = [IGNORED, IGNORED];
        let act = Act::Integer { operation, bits: 64, operands, promises: Promises::default() };
        let limit = Value::Small(limit as u64);
        exponent = world.compute(&act, &[&exponent, &limit], &Type::Integer(64))?;
    }
    let exponent = convert::resize(world, &exponent, 64, 32, true)?;
    scale(world, format(call), &call.arguments[0], &exponent)
}

/// The rest has the sign of the whole, and is zero for infinities (C23, F.10.3.18).
fn modf(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let x = &call.arguments[0];
    let format = format(call);
    let ty = Type::Float(format);
    let whole = trunc(world, call)?;
    let nearest = Mode::Fixed(Rounding::NearestEven);
    let rest = quietly(world, |world| row(world, Operation::Sub, format, nearest, &[x, &whole]));
    let infinite = row(world, Operation::IsInfinite, format, Mode::Dynamic, &[x])?;
    let rest = select(world, &infinite, &Value::zero(&ty), &rest?, &ty)?;
    let rest = row(world, Operation::CopySign, format, Mode::Dynamic, &[&rest, x])?;
    world.store(&call.arguments[1], &ty, whole)?;
    Ok(rest)
}

/// `nextafter`, and `nexttoward`, whose second argument is a `long double`.
fn nextafter(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let (x, toward) = (&call.arguments[0], &call.arguments[1]);
    let format = format(call);
    let wide = match call.types.get(1) {
        Some(Type::Float(wide)) => *wide,
        Some(_) | None => format,
    };
    let ty = Type::Float(format);
    let converted = |world: &mut dyn World, value: &Value, from: Format, to: Format| {
        if from == to {
            return Ok(value.clone());
        }
        let mode = Mode::Fixed(Rounding::NearestEven);
        let parameters = Parameters::between(from, to);
        let operation = Operation::Convert;
        let act =
            Act::Float { operation, parameters, mode, operands: Box::new([]), relaxed: false };
        world.compute(&act, &[value], &Type::Float(to))
    };
    let widened = converted(world, x, format, wide)?;
    let equal = compare(world, FloatPredicate::OrderedEqual, wide, &widened, toward)?;
    let less = compare(world, FloatPredicate::OrderedLess, wide, &widened, toward)?;
    let unordered = compare(world, FloatPredicate::Unordered, wide, &widened, toward)?;
    let up = row(world, Operation::NextUp, format, Mode::Dynamic, &[x])?;
    let down = row(world, Operation::NextDown, format, Mode::Dynamic, &[x])?;
    let stepped = select(world, &less, &up, &down, &ty)?;
    let same = quietly(world, |world| converted(world, toward, wide, format))?;
    let result = select(world, &equal, &same, &stepped, &ty)?;
    let nearest = Mode::Fixed(Rounding::NearestEven);
    let nan = quietly(world, |world| {
        let sum = row(world, Operation::Add, wide, nearest, &[&widened, toward])?;
        converted(world, &sum, wide, format)
    })?;
    raise_on_step(world, &[&unordered, &equal], x, &result, format)?;
    select(world, &unordered, &nan, &result, &ty)
}

/// A step that leaves the finite numbers overflows, one among the subnormals underflows.
fn raise_on_step(
    world: &mut dyn World,
    unless: &[&Value],
    x: &Value,
    result: &Value,
    format: Format,
) -> Result<(), Detour> {
    if !world.environment().0.tracked {
        return Ok(());
    }
    let mut stepped = Vec::new();
    for condition in unless {
        let condition = convert::truth(world, condition);
        stepped.push(world.terms().not(condition));
    }
    let finite = row(world, Operation::IsFinite, format, Mode::Dynamic, &[x])?;
    let infinite = row(world, Operation::IsInfinite, format, Mode::Dynamic, &[result])?;
    let small = row(world, Operation::IsSubnormal, format, Mode::Dynamic, &[result])?;
    let zero = row(world, Operation::IsZero, format, Mode::Dynamic, &[result])?;
    let [finite, infinite, small, zero] =
        [finite, infinite, small, zero].map(|value| convert::truth(world, &value));
    let stepped = world.terms().and(&stepped);
    let over = world.terms().and(&[stepped, finite, infinite]);
    let tiny = world.terms().or(&[small, zero]);
    let under = world.terms().and(&[stepped, tiny]);
    raise_if(world, &[Flag::Overflow, Flag::Inexact], over);
    raise_if(world, &[Flag::Underflow, Flag::Inexact], under);
    Ok(())
}

/// `x` times two to the power that makes it at least 1 and less than 2.
fn significand(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let x = &call.arguments[0];
    let format = format(call);
    let (fraction, _) = fraction(world, x, format)?;
    let doubled = scale(world, format, &fraction, &Value::Small(1))?;
    let zero = row(world, Operation::IsZero, format, Mode::Dynamic, &[x])?;
    select(world, &zero, x, &doubled, &Type::Float(format))
}

/// The exponent of a finite number that is not zero; less than `frexp`'s by one.
fn exponent(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let (_, exponent) = fraction(world, &call.arguments[0], format(call))?;
    let operands = [IGNORED, IGNORED];
    let operation = IntegerOperation::Sub;
    let act = Act::Integer { operation, bits: 32, operands, promises: Promises::default() };
    world.compute(&act, &[&exponent, &Value::Small(1)], &Type::Integer(32))
}

fn logb(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let x = &call.arguments[0];
    let format = format(call);
    let ty = Type::Float(format);
    let exponent = exponent(world, call)?;
    let mode = Mode::Fixed(Rounding::NearestEven);
    let parameters = Parameters::integer(format, 32, OutOfRange::Undefined);
    let operation = Operation::FromSigned;
    let act = Act::Float { operation, parameters, mode, operands: Box::new([]), relaxed: false };
    let exponent = world.compute(&act, &[&exponent], &ty)?;
    let zero = row(world, Operation::IsZero, format, Mode::Dynamic, &[x])?;
    let finite = row(world, Operation::IsFinite, format, Mode::Dynamic, &[x])?;
    let square = quietly(world, |world| row(world, Operation::Mul, format, mode, &[x, x]))?;
    let infinity = infinity(format, true);
    let result = select(world, &zero, &infinity, &exponent, &ty)?;
    let at_zero = convert::truth(world, &zero);
    raise_if(world, &[Flag::DivideByZero], at_zero);
    select(world, &finite, &result, &square, &ty)
}

fn infinity(format: Format, negative: bool) -> Value {
    let implicit = format.implicit();
    let fraction = implicit.fraction_bits();
    let top =
        u128::from(implicit.special_exponent()) | u128::from(negative) << implicit.exponent_bits;
    if format.explicit_integer_bit {
        Value::word(Word::new(80, top << 64 | 1 << 63))
    } else {
        Value::bits(format.width(), top << fraction)
    }
}

/// `FP_ILOGB0` and `FP_ILOGBNAN` are the least `int`, an infinity's is the largest.
fn ilogb(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let x = &call.arguments[0];
    let format = format(call);
    let ty = Type::Integer(32);
    let exponent = exponent(world, call)?;
    let zero = row(world, Operation::IsZero, format, Mode::Dynamic, &[x])?;
    let nan = row(world, Operation::IsNan, format, Mode::Dynamic, &[x])?;
    let infinite = row(world, Operation::IsInfinite, format, Mode::Dynamic, &[x])?;
    let (least, most) = (Value::Small(1 << 31), Value::Small((1 << 31) - 1));
    let mut result = exponent;
    for (condition, value) in [(&zero, &least), (&nan, &least), (&infinite, &most)] {
        result = select(world, condition, value, &result, &ty)?;
        let condition = convert::truth(world, condition);
        raise_if(world, &[Flag::Invalid], condition);
    }
    Ok(result)
}

/// The quotient's three low bits with its sign: found by dividing by eight times the divisor,
/// as the remainder by that tells which eighth it lies in.
fn remquo(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let (x, y) = (&call.arguments[0], &call.arguments[1]);
    let format = format(call);
    let ty = Type::Integer(32);
    let nearest = Mode::Fixed(Rounding::NearestEven);
    let result = row(world, Operation::Remainder, format, nearest, &[x, y])?;
    let quotient = quietly(world, |world| quotient_bits(world, format, x, y))?;
    let nan = row(world, Operation::IsNan, format, nearest, &[&result])?;
    let quotient = select(world, &nan, &Value::Undefined, &quotient, &ty)?;
    world.store(&call.arguments[2], &ty, quotient)?;
    Ok(result)
}

fn quotient_bits(
    world: &mut dyn World,
    format: Format,
    x: &Value,
    y: &Value,
) -> Result<Value, Detour> {
    let nearest = Mode::Fixed(Rounding::NearestEven);
    // |x| modulo 8|y| is exact unless 8|y| overflows, where |x| is less than that anyway.
    let (ax, ay) = (
        row(world, Operation::Abs, format, nearest, &[x])?,
        row(world, Operation::Abs, format, nearest, &[y])?,
    );
    let eightfold = scale(world, format, &ay, &Value::Small(3))?;
    let mut rest = row(world, Operation::Fmod, format, nearest, &[&ax, &eightfold])?;
    let overflowed = row(world, Operation::IsInfinite, format, nearest, &[&eightfold])?;
    rest = select(world, &overflowed, &ax, &rest, &Type::Float(format))?;
    let mut bits = world.terms().bits(32, 0);
    for power in [2u32, 1] {
        let part = scale(world, format, &ay, &Value::Small(power.into()))?;
        let fits = compare(world, FloatPredicate::OrderedGreaterEqual, format, &rest, &part)?;
        let less = row(world, Operation::Sub, format, nearest, &[&rest, &part])?;
        rest = select(world, &fits, &less, &rest, &Type::Float(format))?;
        let fits = convert::truth(world, &fits);
        bits = add_if(world, bits, fits, 1 << power);
    }
    // What is left is less than 2|y|: the nearest integer, ties to even, is 0, 1 or 2.
    let fits = compare(world, FloatPredicate::OrderedGreaterEqual, format, &rest, &ay)?;
    let less = row(world, Operation::Sub, format, nearest, &[&rest, &ay])?;
    let below = select(world, &fits, &less, &rest, &Type::Float(format))?;
    let fits = convert::truth(world, &fits);
    bits = add_if(world, bits, fits, 1);
    let other = row(world, Operation::Sub, format, nearest, &[&ay, &below])?;
    let above = compare(world, FloatPredicate::OrderedGreater, format, &below, &other)?;
    let tie = compare(world, FloatPredicate::OrderedEqual, format, &below, &other)?;
    let (above, tie) = (convert::truth(world, &above), convert::truth(world, &tie));
    let terms = world.terms();
    let tie = terms.and(&[tie, fits]);
    let up = terms.or(&[above, tie]);
    bits = add_if(world, bits, up, 1);
    let terms = world.terms();
    let seven = terms.bits(32, 7);
    bits = terms.bits_op(nanoscope_term::BitsOp::And, &[bits, seven]);
    let minus = terms.bits_op(nanoscope_term::BitsOp::Neg, &[bits]);
    let signs = [x, y].map(|value| row(world, Operation::IsSignMinus, format, nearest, &[value]));
    let [sign_x, sign_y] = signs;
    let (sign_x, sign_y) = (convert::truth(world, &sign_x?), convert::truth(world, &sign_y?));
    let terms = world.terms();
    let negative = terms.xor(sign_x, sign_y);
    let quotient = terms.ite(negative, minus, bits);
    Ok(convert::value(world, quotient))
}

fn add_if(
    world: &mut dyn World,
    sum: nanoscope_term::Term,
    condition: nanoscope_term::Term,
    amount: u128,
) -> nanoscope_term::Term {
    let terms = world.terms();
    let (amount, zero) = (terms.bits(32, amount), terms.bits(32, 0));
    let amount = terms.ite(condition, amount, zero);
    terms.bits_op(nanoscope_term::BitsOp::Add, &[sum, amount])
}

/// A quiet NaN whose payload is the number that the text is, if it is one.
fn nan(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let Type::Float(format) = *call.result else { panic!("nan returns a float") };
    let text = world.string(&call.arguments[0])?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let number = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None if text.starts_with('0') => u64::from_str_radix(&text, 8),
        None => text.parse(),
    };
    let implicit = format.implicit();
    let fraction = implicit.fraction_bits();
    let payload = u128::from(number.unwrap_or(0)) & ((1 << (fraction - 1)) - 1);
    let quiet = 1u128 << (fraction - 1);
    let exponent = u128::from(implicit.special_exponent());
    Ok(if format.explicit_integer_bit {
        Value::word(Word::new(80, exponent << 64 | 1 << 63 | quiet | payload))
    } else {
        Value::bits(format.width(), exponent << fraction | quiet | payload)
    })
}

/// `FP_NAN` 0, `FP_INFINITE` 1, `FP_ZERO` 2, `FP_SUBNORMAL` 3, `FP_NORMAL` 4.
fn fpclassify(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let classes = [
        (Operation::IsNan, 0),
        (Operation::IsInfinite, 1),
        (Operation::IsZero, 2),
        (Operation::IsSubnormal, 3),
    ];
    let mut result = Value::Small(4);
    for (operation, number) in classes {
        let is = dynamic(world, operation, call, 1)?;
        result = select(world, &is, &Value::Small(number), &result, &Type::Integer(32))?;
    }
    Ok(result)
}

/// glibc's `__isnanl` gives 65535, the others 1.
pub(super) fn isnan(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let nan = dynamic(world, Operation::IsNan, call, 1)?;
    let yes = if format(call) == Format::X87 { 0xffff } else { 1 };
    Ok(convert::choose(world, &nan, yes, 0))
}

pub(super) fn isnormal(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let normal = dynamic(world, Operation::IsNormal, call, 1)?;
    Ok(convert::choose(world, &normal, 1, 0))
}

pub(super) fn issubnormal(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let subnormal = dynamic(world, Operation::IsSubnormal, call, 1)?;
    Ok(convert::choose(world, &subnormal, 1, 0))
}

pub(super) fn isinf(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let infinite = dynamic(world, Operation::IsInfinite, call, 1)?;
    let negative = dynamic(world, Operation::IsSignMinus, call, 1)?;
    let sign = convert::choose(world, &negative, -1, 1);
    select(world, &infinite, &sign, &Value::Small(0), &Type::Integer(32))
}

fn finite(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let finite = dynamic(world, Operation::IsFinite, call, 1)?;
    Ok(convert::choose(world, &finite, 1, 0))
}

/// Nonzero: which number it is, glibc takes from the instruction it asks by.
fn signbit(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let negative = dynamic(world, Operation::IsSignMinus, call, 1)?;
    let yes = match format(call) {
        Format::BINARY32 => 8,
        Format::BINARY64 => 128,
        Format::X87 => 512,
        _ => 1,
    };
    Ok(convert::choose(world, &negative, yes, 0))
}

fn issignaling(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let act = Act::Classify { mask: 1, format: format(call), operand: IGNORED };
    let signaling = world.compute(&act, &[&call.arguments[0]], &Type::Integer(1))?;
    Ok(convert::choose(world, &signaling, 1, 0))
}

fn sincos(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let format = format(call);
    let x = &call.arguments[0];
    let sine = apply_libm(world, Libm::Sin, format, &[x])?;
    let cosine = apply_libm(world, Libm::Cos, format, &[x])?;
    world.load(&call.arguments[2], &Type::Float(format))?;
    world.store(&call.arguments[1], &Type::Float(format), sine)?;
    world.store(&call.arguments[2], &Type::Float(format), cosine)?;
    Ok(Value::Undefined)
}
