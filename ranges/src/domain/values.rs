//! The domain of values: the transfer functions of acts that only compute, lane by lane for
//! vectors.

use crate::arithmetic::{self, Modes, Order};
use crate::exceptions::{Exceptions, Outcome};
use crate::floats::{Floats, Span};
use crate::grain::{self, Grain, WHOLE};
use crate::grid;
use crate::integers::{self, Integers};
use crate::memory::address::{Offsets, Pointers};
use crate::pieces::{self, NanChoice};
use crate::relation::{self, Relation};
use crate::value::{Value, count_of};
use nanoscope_ieee::{Operation, Parameters, Rounding};
use nanoscope_program::Exception;
use nanoscope_program::ir::{
    Act, IntegerConversion, IntegerOperation, IntegerPredicate, Mode, Type,
};

/// The result of an act, and the exceptions that it may raise.
#[derive(Clone, Debug)]
pub struct Computed {
    /// The value.
    pub value: Value,
    /// The exceptions possible.
    pub raised: Exceptions,
}

impl Computed {
    fn quiet(value: Value) -> Computed {
        Computed { value, raised: Exceptions::NONE }
    }

    /// Meets the result of an operation that rounds to nearest with a value known to include
    /// it.
    pub fn meet(&mut self, known: &Value) {
        let (Value::Float(given), Value::Float(known)) = (&self.value, known) else { return };
        if given.format() != known.format() {
            return;
        }
        let left = given.meet(known);
        let floats = left.get();
        if !floats.nan {
            self.raised.remove(Exception::Invalid);
        }
        if !floats.has_infinity() {
            self.raised.remove(Exception::Overflow);
            self.raised.remove(Exception::DivideByZero);
        }
        let normal = |span: Span| span.is_empty() || span.lo > grid::min_normal(floats.format);
        if !floats.has_zero() && normal(floats.positive) && normal(floats.negative) {
            self.raised.remove(Exception::Underflow);
        }
        self.value = Value::Float(left);
    }
}

/// Whether an operation on integers is defined for all of its operands: no divisor is zero, no
/// quotient overflows, no shift is too far.
pub fn is_defined(operation: IntegerOperation, bits: u32, operands: &[&Value]) -> bool {
    use IntegerOperation as I;
    if bits > Integers::WIDEST {
        return false;
    }
    let second = || operands[1].integers(bits);
    match operation {
        I::UnsignedDiv | I::UnsignedRem => !second().contains(0),
        I::SignedDiv | I::SignedRem => {
            let least = operands[0].integers(bits).contains(Integers::limits(bits).0);
            let overflows = least && second().contains(-1);
            !overflows && !second().contains(0)
        }
        I::ShiftLeft | I::LogicalShiftRight | I::ArithmeticShiftRight => {
            second().unsigned().1 < i128::from(bits)
        }
        // All others are defined everywhere.
        _ => true,
    }
}

/// Evaluates an act that neither touches memory nor calls; `None` for the others.
pub fn evaluate(
    modes: Modes,
    act: &Act,
    operands: &[&Value],
    result: &Type,
    order: Order,
) -> Option<Computed> {
    let lanes = match result {
        Type::Vector(lane, count) => Some((&**lane, *count as usize)),
        Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer | Type::Aggregate(_) => None,
    };
    match act {
        Act::Integer { .. }
        | Act::IntegerUnary { .. }
        | Act::FunnelShift { .. }
        | Act::IntegerCompare { .. }
        | Act::Float { .. }
        | Act::FloatCompare { .. }
        | Act::Classify { .. } => Some(match lanes {
            Some((lane, count)) => {
                let mut raised = Exceptions::NONE;
                let values = (0..count).map(|i| {
                    let parts: Vec<Value> = operands.iter().map(|x| x.part(i)).collect();
                    let parts: Vec<&Value> = parts.iter().collect();
                    let computed = scalar(modes, act, &parts, lane, order);
                    raised = raised.union(computed.raised);
                    computed.value
                });
                let value = Value::Parts(values.collect());
                Computed { value, raised }
            }
            None => scalar(modes, act, operands, result, order),
        }),
        Act::Convert { conversion, from, to, .. } => {
            let value = match lanes {
                Some((lane, count)) if count_of(from) == count && from.lane() != from => {
                    let part = |i| convert(*conversion, &operands[0].part(i), from.lane(), lane);
                    Value::Parts((0..count).map(part).collect())
                }
                Some(_) => Value::Anything,
                None => convert(*conversion, operands[0], from, to),
            };
            let mut raised = Exceptions::NONE;
            let loses = *conversion == IntegerConversion::Truncate && loses(operands[0], to);
            raised.add_if(loses, Exception::IntegerOverflow);
            Some(Computed { value, raised })
        }
        Act::Select { .. } => Some(Computed::quiet(select(operands, lanes.map(|(_, n)| n)))),
        Act::Freeze { .. } => Some(Computed::quiet(operands[0].clone())),
        Act::Offset { constant, scaled, .. } => Some(Computed::quiet(if lanes.is_some() {
            Value::Anything
        } else {
            let mut by = Offsets::at(*constant);
            for (index, (_, bytes)) in operands[1..].iter().zip(scaled.iter()) {
                by = by.plus(match index {
                    Value::Integer(integers) => Offsets::scaled(integers, *bytes),
                    Value::Zeros => Offsets::at(0),
                    Value::Anything | Value::Float(_) | Value::Pointer(_) | Value::Parts(_) => {
                        Offsets::ANY
                    }
                });
            }
            Value::pointer(operands[0].pointers().moved(by))
        })),
        Act::Lane { .. } => Some(Computed::quiet(match operands[1] {
            Value::Integer(index) if index.single().is_some() => {
                operands[0].part(index.lo() as usize).cast(result)
            }
            Value::Zeros => operands[0].part(0).cast(result),
            Value::Anything
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Pointer(_)
            | Value::Parts(_) => Value::top(result),
        })),
        Act::SetLane { .. } => Some(Computed::quiet(match operands[2] {
            Value::Integer(index) if index.single().is_some() => {
                operands[0].with_part(count_of(result), index.lo() as usize, operands[1].clone())
            }
            Value::Zeros => operands[0].with_part(count_of(result), 0, operands[1].clone()),
            Value::Anything
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Pointer(_)
            | Value::Parts(_) => Value::Anything,
        })),
        Act::Shuffle { mask, .. } => Some(Computed::quiet(shuffle(operands, mask))),
        Act::Member { path, .. } => {
            let mut value = operands[0].clone();
            for &index in path.iter() {
                value = value.part(index as usize);
            }
            Some(Computed::quiet(value.cast(result)))
        }
        Act::SetMember { path, .. } => {
            Some(Computed::quiet(with_member(operands[0], result, path, operands[1])))
        }
        Act::Allocate { .. }
        | Act::Load { .. }
        | Act::Store { .. }
        | Act::Call { .. }
        | Act::Special { .. }
        | Act::Unknown { .. } => None,
    }
}

/// Whether a truncation may lose a value that is neither a signed nor an unsigned integer of the
/// width.
fn loses(value: &Value, to: &Type) -> bool {
    match (value, to) {
        (Value::Zeros, _) => false,
        (Value::Integer(integers), Type::Integer(bits @ 2..=Integers::WIDEST)) => {
            let (least, _) = Integers::limits(*bits);
            integers.lo() < least || integers.hi() >= 1 << bits
        }
        (_, _) => true,
    }
}

fn with_member(whole: &Value, ty: &Type, path: &[u32], member: &Value) -> Value {
    let Some((&first, rest)) = path.split_first() else { return member.clone() };
    let Type::Aggregate(aggregate) = ty else { return Value::Anything };
    let Some((_, inner)) = aggregate.member(first.into()) else { return Value::Anything };
    let part = with_member(&whole.part(first as usize), inner, rest, member);
    whole.with_part(count_of(ty), first as usize, part)
}

fn shuffle(operands: &[&Value], mask: &[Option<u32>]) -> Value {
    // Both operands have as many lanes; a value without parts tells nothing of its lanes.
    let lanes = match (operands[0], operands[1]) {
        (Value::Parts(parts), _) | (_, Value::Parts(parts)) => parts.len(),
        (Value::Zeros, Value::Zeros) => return Value::Zeros,
        (_, _) => return Value::Anything,
    };
    let pick = |lane: &Option<u32>| match lane {
        Some(lane) if (*lane as usize) < lanes => operands[0].part(*lane as usize),
        Some(lane) => operands[1].part(*lane as usize - lanes),
        None => Value::Anything,
    };
    Value::Parts(mask.iter().map(pick).collect())
}

fn select(operands: &[&Value], lanes: Option<usize>) -> Value {
    let choose = |condition: Integers, then: &Value, otherwise: &Value| match (
        condition.may_be(true),
        condition.may_be(false),
    ) {
        (true, false) => then.clone(),
        (false, true) => otherwise.clone(),
        (true, true) | (false, false) => then.join(otherwise),
    };
    match (operands[0], lanes) {
        (Value::Parts(conditions), Some(count)) if conditions.len() == count => Value::Parts(
            (0..count)
                .map(|i| {
                    choose(conditions[i].integers(1), &operands[1].part(i), &operands[2].part(i))
                })
                .collect(),
        ),
        (condition, _) => choose(condition.integers(1), operands[1], operands[2]),
    }
}

fn convert(conversion: IntegerConversion, value: &Value, from: &Type, to: &Type) -> Value {
    let bits = |ty: &Type| ty.bits().filter(|bits| *bits <= Integers::WIDEST);
    match conversion {
        IntegerConversion::Truncate => match (value, bits(to)) {
            (Value::Integer(integers), Some(bits)) => {
                Value::Integer(integers::truncated(integers, bits))
            }
            (Value::Zeros, Some(bits)) => Value::Integer(Integers::of_bits(bits, 0)),
            (_, _) => Value::top(to),
        },
        IntegerConversion::ZeroExtend | IntegerConversion::SignExtend => {
            let (Some(narrow), Some(wide)) = (bits(from), bits(to)) else { return Value::top(to) };
            let signed = conversion == IntegerConversion::SignExtend;
            Value::Integer(integers::extended(&value.integers(narrow), wide, signed))
        }
        IntegerConversion::Reinterpret => {
            if from == to {
                value.clone()
            } else {
                value.cast(to)
            }
        }
        IntegerConversion::FromPointer => Value::top(to),
        IntegerConversion::ToPointer => match value {
            Value::Zeros => Value::pointer(Pointers::null()),
            Value::Integer(integers) if integers.single() == Some(0) => {
                Value::pointer(Pointers::null())
            }
            Value::Anything
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Pointer(_)
            | Value::Parts(_) => Value::pointer(Pointers::anywhere()),
        },
    }
}

fn scalar(modes: Modes, act: &Act, operands: &[&Value], result: &Type, order: Order) -> Computed {
    match act {
        Act::Integer { operation, bits, promises, .. } => {
            if *bits > Integers::WIDEST {
                return Computed { value: Value::top(result), raised: Exceptions::ALL };
            }
            let (a, b) = (operands[0].integers(*bits), operands[1].integers(*bits));
            if let Some((value, overflowed)) = integers::overflowing(*operation, &a, &b) {
                let parts = [Value::Integer(value), Value::Integer(overflowed)];
                return Computed::quiet(Value::Parts(parts.into()));
            }
            let value = match integers::binary(*operation, &a, &b) {
                Some(value) => Value::Integer(value),
                None => Value::top(result),
            };
            let mut raised = Exceptions::NONE;
            let wraps = integers::may_overflow(*operation, promises.no_signed_wrap, &a, &b);
            raised.add_if(wraps, Exception::IntegerOverflow);
            Computed { value, raised }
        }
        Act::IntegerUnary { operation, bits, .. } if *bits <= Integers::WIDEST => Computed::quiet(
            Value::Integer(integers::unary(*operation, &operands[0].integers(*bits))),
        ),
        Act::IntegerCompare { predicate, bits, .. } => {
            Computed::quiet(Value::Integer(compare_integers(*predicate, *bits, operands)))
        }
        Act::Float { operation, parameters, mode, relaxed, .. } => {
            if *relaxed {
                return Computed { value: Value::top(result), raised: Exceptions::ALL };
            }
            float(modes, *operation, parameters, *mode, operands, result, order)
        }
        Act::FloatCompare { predicate, format, .. } => {
            let (a, b) = (operands[0].floats(*format), operands[1].floats(*format));
            Computed::quiet(Value::Integer(Relation::of(*predicate).truth(&a, &b, order)))
        }
        Act::Classify { mask, format, .. } => {
            Computed::quiet(Value::Integer(relation::classify(*mask, &operands[0].floats(*format))))
        }
        Act::IntegerUnary { .. }
        | Act::FunnelShift { .. }
        | Act::Convert { .. }
        | Act::Select { .. }
        | Act::Freeze { .. }
        | Act::Allocate { .. }
        | Act::Offset { .. }
        | Act::Load { .. }
        | Act::Store { .. }
        | Act::Call { .. }
        | Act::Special { .. }
        | Act::Lane { .. }
        | Act::SetLane { .. }
        | Act::Shuffle { .. }
        | Act::Member { .. }
        | Act::SetMember { .. }
        | Act::Unknown { .. } => Computed::quiet(Value::top(result)),
    }
}

fn compare_integers(predicate: IntegerPredicate, bits: u32, operands: &[&Value]) -> Integers {
    if let (Value::Pointer(_), _) | (_, Value::Pointer(_)) = (operands[0], operands[1]) {
        let (a, b) = (operands[0].pointers(), operands[1].pointers());
        let only_null = |p: &Pointers| p.null && p.targets.is_empty() && !p.anywhere;
        let never_null = |p: &Pointers| !p.null && !p.anywhere && !p.targets.is_empty();
        let apart = (only_null(&a) && never_null(&b)) || (never_null(&a) && only_null(&b));
        let equal = only_null(&a) && only_null(&b);
        return match predicate {
            IntegerPredicate::Equal if apart || equal => Integers::truth(!equal, equal),
            IntegerPredicate::NotEqual if apart || equal => Integers::truth(equal, !equal),
            _ => Integers::everything(1),
        };
    }
    if bits > Integers::WIDEST {
        return Integers::everything(1);
    }
    integers::compare(predicate, &operands[0].integers(bits), &operands[1].integers(bits))
}

/// The rounding modes of an operation.
pub fn modes_of(modes: Modes, mode: Mode) -> Modes {
    match mode {
        Mode::Dynamic => modes,
        Mode::Fixed(Rounding::NearestEven) => Modes::Nearest,
        Mode::Fixed(_) => Modes::Any,
    }
}

fn float(
    environment: Modes,
    operation: Operation,
    parameters: &Parameters,
    mode: Mode,
    operands: &[&Value],
    result: &Type,
    order: Order,
) -> Computed {
    use Operation as O;
    let format = parameters.format;
    let modes = modes_of(environment, mode);
    let direction = match (mode, environment) {
        (Mode::Fixed(rounding), _) => Some(rounding),
        (Mode::Dynamic, Modes::Nearest) => Some(Rounding::NearestEven),
        (Mode::Dynamic, Modes::Any) => None,
    };
    let at = |i: usize| operands[i].floats(format);
    let give =
        |outcome: Outcome| Computed { value: Value::float(outcome.result), raised: outcome.raised };
    let quiet = |floats: Floats| Computed::quiet(Value::float(floats));
    let truth = |truth: Integers| Computed::quiet(Value::Integer(truth));
    let related = |relation: Relation| truth(relation.truth(&at(0), &at(1), order));
    let classes = |mask: u32| truth(relation::classify(mask, &at(0)));
    let bits = parameters.width;
    let computed = match operation {
        O::Add => give(arithmetic::add(modes, &at(0), &at(1))),
        O::Sub => give(arithmetic::sub(modes, &at(0), &at(1), order)),
        O::Mul => give(arithmetic::mul(modes, &at(0), &at(1), order.same)),
        O::Div => give(arithmetic::div(modes, &at(0), &at(1), order.same)),
        O::Fma => give(arithmetic::fma(modes, &at(0), &at(1), &at(2))),
        O::Sqrt => give(arithmetic::sqrt(modes, &at(0))),
        O::Remainder => give(arithmetic::remainder(&at(0), &at(1), true)),
        O::Fmod => give(arithmetic::remainder(&at(0), &at(1), false)),
        O::RoundToIntegral | O::RoundToIntegralExact => quiet(pieces::integral(direction, &at(0))),
        O::MinNum => quiet(pieces::extremum(false, NanChoice::Other, &at(0), &at(1))),
        O::MaxNum => quiet(pieces::extremum(true, NanChoice::Other, &at(0), &at(1))),
        O::Minimum => quiet(pieces::extremum(false, NanChoice::Nan, &at(0), &at(1))),
        O::Maximum => quiet(pieces::extremum(true, NanChoice::Nan, &at(0), &at(1))),
        O::MinX86 => quiet(pieces::extremum(false, NanChoice::Second, &at(0), &at(1))),
        O::MaxX86 => quiet(pieces::extremum(true, NanChoice::Second, &at(0), &at(1))),
        O::Abs => quiet(at(0).magnitudes()),
        O::Neg => quiet(at(0).negated()),
        O::CopySign => quiet(pieces::copy_sign(&at(0), &at(1))),
        O::NextUp => quiet(pieces::neighbour(true, &at(0))),
        O::NextDown => quiet(pieces::neighbour(false, &at(0))),
        O::Identical | O::IsSignaling | O::IsSignMinus => truth(Integers::everything(1)),
        O::Equal | O::EqualSignaling => related(Relation::EQUAL),
        O::Less | O::LessSignaling => related(Relation::LESS),
        O::LessEqual | O::LessEqualSignaling => related(Relation::LESS_EQUAL),
        O::Greater | O::GreaterSignaling => related(Relation::GREATER),
        O::GreaterEqual | O::GreaterEqualSignaling => related(Relation::GREATER_EQUAL),
        O::Unordered => related(Relation::UNORDERED),
        O::IsNan => classes(0x003),
        O::IsInfinite => classes(0x204),
        O::IsFinite => classes(0x1f8),
        O::IsZero => classes(0x060),
        O::IsSubnormal => classes(0x090),
        O::IsNormal => classes(0x108),
        O::IsNegative => classes(0x03c),
        O::IsPositive => classes(0x3c0),
        O::Convert => give(arithmetic::convert(modes, parameters.target, &at(0))),
        O::FromSigned | O::FromUnsigned if bits <= Integers::WIDEST => {
            let integers = operands[0].integers(bits);
            let from = |values| pieces::from_integer(modes, format, values);
            let join = |a: Floats, b: Floats| a.join(&b);
            let floats = match operation {
                // Read with its sign, a truth value is 0 or -1.
                O::FromSigned if bits == 1 => Some(from(integers.signed())),
                O::FromSigned => integers.pieces().map(from).reduce(join),
                _ => integers.unsigned_pieces().map(from).reduce(join),
            };
            quiet(floats.unwrap_or(Floats::nothing(format)))
        }
        O::ToSigned | O::ToUnsigned => {
            let signed = operation == O::ToSigned;
            let (value, raised) =
                pieces::to_integer(direction, &at(0), bits, signed, parameters.out_of_range);
            Computed { value: value.map_or(Value::Anything, Value::Integer), raised }
        }
        O::FromSigned | O::FromUnsigned | O::FromBits | O::ToBits => {
            Computed::quiet(Value::top(result))
        }
    };
    let grain = |i: usize| at(i).coarsest();
    match operation {
        O::Add | O::Sub => grained(computed, grain::of_sum(grain(0), grain(1))),
        O::Mul => grained(computed, grain::of_product(grain(0), grain(1))),
        O::Fma => {
            let product = grain::of_product(grain(0), grain(1));
            grained(computed, grain::of_sum(product, grain(2)))
        }
        O::Remainder | O::Fmod => grained(computed, grain::of_sum(grain(0), grain(1))),
        O::RoundToIntegral | O::RoundToIntegralExact | O::FromSigned | O::FromUnsigned => {
            grained(computed, WHOLE)
        }
        O::Convert => grained(computed, grain(0)),
        // Others give what they were given, or nothing that is known to be a multiple.
        _ => computed,
    }
}

/// The outcome of an operation whose exact results are multiples of a power of two.
fn grained(mut computed: Computed, grain: Grain) -> Computed {
    if let Value::Float(floats) = &mut computed.value {
        let given = floats.get();
        // Where the greatest number is no whole one, what overflows may stop at it.
        if given.format.max_exponent() < i64::from(given.format.fraction_bits()) {
            return computed;
        }
        if i64::from(grain) >= given.format.min_exponent() {
            computed.raised.remove(Exception::Underflow);
        }
        *floats = given.multiples(grain).into();
    }
    computed
}
