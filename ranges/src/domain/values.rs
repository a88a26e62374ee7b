//! The domain of values: the transfer functions of acts that only compute, lane by lane for
//! vectors.

use crate::exceptions::Exceptions;
use crate::integers::{self, Integers};
use crate::memory::address::{Offsets, Pointers};
use crate::predicate;
use crate::value::{AbstractValue, count_of};
use nanoscope_ieee::{Datum, Domain, Flags, Format, Operation, Parameters, Sort, apply};
use nanoscope_program::Exception;
use nanoscope_program::ir::{
    Act, IntegerConversion, IntegerOperation, IntegerPredicate, Mode, Type,
};
use nanoscope_sets::{Classes, Direct, Floats, Grid, Modes, Order, Span};

/// The result of an act, and the exceptions that it may raise.
#[derive(Clone, Debug)]
pub struct Computed {
    /// The value.
    pub value: AbstractValue,
    /// The exceptions possible.
    pub raised: Exceptions,
}

impl Computed {
    fn quiet(value: AbstractValue) -> Computed {
        Computed { value, raised: Exceptions::NONE }
    }

    /// Meets the result of an operation that rounds to nearest with a value known to include
    /// it.
    pub fn meet(&mut self, known: &AbstractValue) {
        let (AbstractValue::Float(given), AbstractValue::Float(known)) = (&self.value, known)
        else {
            return;
        };
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
        let normal = |span: Span| span.is_empty() || span.lo > Grid::of(floats.format).min_normal();
        if !floats.has_zero() && normal(floats.positive) && normal(floats.negative) {
            self.raised.remove(Exception::Underflow);
        }
        self.value = AbstractValue::Float(left);
    }
}

/// Whether an operation on integers is defined for all of its operands: no divisor is zero, no
/// quotient overflows, no shift is too far.
pub fn is_defined(operation: IntegerOperation, bits: u32, operands: &[&AbstractValue]) -> bool {
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
    operands: &[&AbstractValue],
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
                    let parts: Vec<AbstractValue> = operands.iter().map(|x| x.part(i)).collect();
                    let parts: Vec<&AbstractValue> = parts.iter().collect();
                    let computed = scalar(modes, act, &parts, lane, order);
                    raised = raised.union(computed.raised);
                    computed.value
                });
                let value = AbstractValue::Parts(values.collect());
                Computed { value, raised }
            }
            None => scalar(modes, act, operands, result, order),
        }),
        Act::Convert { conversion, from, to, .. } => {
            let value = match lanes {
                Some((lane, count)) if count_of(from) == count && from.lane() != from => {
                    let part = |i| convert(*conversion, &operands[0].part(i), from.lane(), lane);
                    AbstractValue::Parts((0..count).map(part).collect())
                }
                Some(_) => AbstractValue::Anything,
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
            AbstractValue::Anything
        } else {
            let mut by = Offsets::at(*constant);
            for (index, (_, bytes)) in operands[1..].iter().zip(scaled.iter()) {
                by = by.plus(match index {
                    AbstractValue::Integer(integers) => Offsets::scaled(integers, *bytes),
                    AbstractValue::Zeros => Offsets::at(0),
                    AbstractValue::Anything
                    | AbstractValue::Float(_)
                    | AbstractValue::Pointer(_)
                    | AbstractValue::Parts(_) => Offsets::ANY,
                });
            }
            AbstractValue::pointer(operands[0].pointers().moved(by))
        })),
        Act::Lane { .. } => Some(Computed::quiet(match operands[1].count() {
            Some(index) => operands[0].part(index as usize).cast(result),
            None => AbstractValue::top(result),
        })),
        Act::SetLane { .. } => Some(Computed::quiet(match operands[2].count() {
            Some(index) => {
                operands[0].with_part(count_of(result), index as usize, operands[1].clone())
            }
            None => AbstractValue::Anything,
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
fn loses(value: &AbstractValue, to: &Type) -> bool {
    match (value, to) {
        (AbstractValue::Zeros, _) => false,
        (AbstractValue::Integer(integers), Type::Integer(bits @ 2..=Integers::WIDEST)) => {
            let (least, _) = Integers::limits(*bits);
            integers.lo() < least || integers.hi() >= 1 << bits
        }
        (_, _) => true,
    }
}

fn with_member(
    whole: &AbstractValue,
    ty: &Type,
    path: &[u32],
    member: &AbstractValue,
) -> AbstractValue {
    let Some((&first, rest)) = path.split_first() else { return member.clone() };
    let Type::Aggregate(aggregate) = ty else { return AbstractValue::Anything };
    let Some((_, inner)) = aggregate.member(first.into()) else { return AbstractValue::Anything };
    let part = with_member(&whole.part(first as usize), inner, rest, member);
    whole.with_part(count_of(ty), first as usize, part)
}

fn shuffle(operands: &[&AbstractValue], mask: &[Option<u32>]) -> AbstractValue {
    // Both operands have as many lanes; a value without parts tells nothing of its lanes.
    let lanes = match (operands[0], operands[1]) {
        (AbstractValue::Parts(parts), _) | (_, AbstractValue::Parts(parts)) => parts.len(),
        (AbstractValue::Zeros, AbstractValue::Zeros) => return AbstractValue::Zeros,
        (_, _) => return AbstractValue::Anything,
    };
    let pick = |lane: &Option<u32>| match lane {
        Some(lane) if (*lane as usize) < lanes => operands[0].part(*lane as usize),
        Some(lane) => operands[1].part(*lane as usize - lanes),
        None => AbstractValue::Anything,
    };
    AbstractValue::Parts(mask.iter().map(pick).collect())
}

fn select(operands: &[&AbstractValue], lanes: Option<usize>) -> AbstractValue {
    let choose = |condition: Integers, then: &AbstractValue, otherwise: &AbstractValue| match (
        condition.may_be(true),
        condition.may_be(false),
    ) {
        (true, false) => then.clone(),
        (false, true) => otherwise.clone(),
        (true, true) | (false, false) => then.join(otherwise),
    };
    match (operands[0], lanes) {
        (AbstractValue::Parts(conditions), Some(count)) if conditions.len() == count => {
            AbstractValue::Parts(
                (0..count)
                    .map(|i| {
                        choose(
                            conditions[i].integers(1),
                            &operands[1].part(i),
                            &operands[2].part(i),
                        )
                    })
                    .collect(),
            )
        }
        (condition, _) => choose(condition.integers(1), operands[1], operands[2]),
    }
}

fn convert(
    conversion: IntegerConversion,
    value: &AbstractValue,
    from: &Type,
    to: &Type,
) -> AbstractValue {
    let bits = |ty: &Type| ty.bits().filter(|bits| *bits <= Integers::WIDEST);
    match conversion {
        IntegerConversion::Truncate => match (value, bits(to)) {
            (AbstractValue::Integer(integers), Some(bits)) => {
                AbstractValue::Integer(integers::truncated(integers, bits))
            }
            (AbstractValue::Zeros, Some(bits)) => {
                AbstractValue::Integer(Integers::of_bits(bits, 0))
            }
            (_, _) => AbstractValue::top(to),
        },
        IntegerConversion::ZeroExtend | IntegerConversion::SignExtend => {
            let (Some(narrow), Some(wide)) = (bits(from), bits(to)) else {
                return AbstractValue::top(to);
            };
            let signed = conversion == IntegerConversion::SignExtend;
            AbstractValue::Integer(integers::extended(&value.integers(narrow), wide, signed))
        }
        IntegerConversion::Reinterpret => {
            if from == to {
                value.clone()
            } else {
                value.cast(to)
            }
        }
        IntegerConversion::FromPointer => AbstractValue::top(to),
        IntegerConversion::ToPointer => AbstractValue::pointer(match value.count() {
            Some(0) => Pointers::null(),
            Some(_) | None => Pointers::anywhere(),
        }),
    }
}

fn scalar(
    modes: Modes,
    act: &Act,
    operands: &[&AbstractValue],
    result: &Type,
    order: Order,
) -> Computed {
    match act {
        Act::Integer { operation, bits, promises, .. } => {
            if *bits > Integers::WIDEST {
                return Computed { value: AbstractValue::top(result), raised: Exceptions::ALL };
            }
            let (a, b) = (operands[0].integers(*bits), operands[1].integers(*bits));
            if let Some((value, overflowed)) = integers::overflowing(*operation, &a, &b) {
                let parts = [AbstractValue::Integer(value), AbstractValue::Integer(overflowed)];
                return Computed::quiet(AbstractValue::Parts(parts.into()));
            }
            let value = match integers::binary(*operation, &a, &b) {
                Some(value) => AbstractValue::Integer(value),
                None => AbstractValue::top(result),
            };
            let mut raised = Exceptions::NONE;
            let wraps = integers::may_overflow(*operation, promises.no_signed_wrap, &a, &b);
            raised.add_if(wraps, Exception::IntegerOverflow);
            Computed { value, raised }
        }
        Act::IntegerUnary { operation, bits, .. } if *bits <= Integers::WIDEST => Computed::quiet(
            AbstractValue::Integer(integers::unary(*operation, &operands[0].integers(*bits))),
        ),
        Act::IntegerCompare { predicate, bits, .. } => {
            Computed::quiet(AbstractValue::Integer(compare_integers(*predicate, *bits, operands)))
        }
        Act::Float { operation, parameters, mode, relaxed, .. } => {
            if *relaxed {
                return Computed { value: AbstractValue::top(result), raised: Exceptions::ALL };
            }
            float(modes_of(modes, *mode), *operation, parameters, operands, result, order)
        }
        Act::FloatCompare { predicate, format, .. } => {
            let (a, b) = (operands[0].floats(*format), operands[1].floats(*format));
            Computed::quiet(AbstractValue::Integer(
                predicate::relation(*predicate).truth(&a, &b, order).into(),
            ))
        }
        Act::Classify { mask, format, .. } => Computed::quiet(AbstractValue::Integer(
            Integers::from(Classes(*mask).truth(&operands[0].floats(*format))),
        )),
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
        | Act::Unknown { .. } => Computed::quiet(AbstractValue::top(result)),
    }
}

fn compare_integers(
    predicate: IntegerPredicate,
    bits: u32,
    operands: &[&AbstractValue],
) -> Integers {
    if let (AbstractValue::Pointer(_), _) | (_, AbstractValue::Pointer(_)) =
        (operands[0], operands[1])
    {
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
        Mode::Fixed(rounding) => Modes::only(rounding),
    }
}

fn float(
    modes: Modes,
    operation: Operation,
    parameters: &Parameters,
    operands: &[&AbstractValue],
    result: &Type,
    order: Order,
) -> Computed {
    // Most of what runs: these need no table.
    if let &[a, b] = operands
        && let Some((floats, flags)) = rational(modes, operation, parameters.format, [a, b], order)
    {
        return Computed { value: AbstractValue::float(floats), raised: flags.into() };
    }
    let mut sets = [const { Datum::Rounding(Modes::NEAREST) }; MOST_OPERANDS];
    let mut values = operands.iter();
    let sorts = operation.operands();
    for (set, sort) in sets.iter_mut().zip(sorts) {
        let mut next = || values.next().expect("as many operands as the operation has");
        *set = match sort {
            Sort::Rounding => Datum::Rounding(modes),
            Sort::Float => Datum::Float(next().floats(parameters.format)),
            Sort::Bits => {
                Datum::Bits(followed(operation, parameters).map(|bits| next().integers(bits)))
            }
            Sort::Bool => unreachable!("no operation takes a truth value"),
        };
    }
    let (set, flags) = apply(&mut Direct { order }, operation, parameters, &sets[..sorts.len()])
        .expect("operands of the operation's sorts");
    let mut raised = Exceptions::from(flags);
    let value = match set {
        Datum::Float(floats) => AbstractValue::float(floats),
        Datum::Bool(truths) => AbstractValue::Integer(truths.into()),
        Datum::Bits(integers) => {
            raised = Exceptions::NONE;
            raised.add_if(flags.invalid, Exception::ConversionOutOfRange);
            integers.map_or(AbstractValue::top(result), AbstractValue::Integer)
        }
        Datum::Rounding(_) => unreachable!("no operation gives a rounding mode"),
    };
    Computed { value, raised }
}

/// A sum, a difference, a product or a quotient; `None` for other operations.
fn rational(
    modes: Modes,
    operation: Operation,
    format: Format,
    operands: [&AbstractValue; 2],
    order: Order,
) -> Option<(Floats, Flags)> {
    let mut direct = Direct { order };
    let apply = match operation {
        Operation::Add => Direct::add,
        Operation::Sub => Direct::sub,
        Operation::Mul => Direct::mul,
        Operation::Div => Direct::div,
        // Any other operation is in the table.
        _ => return None,
    };
    let [a, b] = operands.map(|value| value.floats(format));
    Some(apply(&mut direct, format, &modes, &a, &b))
}

/// The most operands of an operation: a rounding mode and three floats.
pub const MOST_OPERANDS: usize = 4;

/// The width of an operation's integers, where these are followed.
pub fn followed(operation: Operation, parameters: &Parameters) -> Option<u32> {
    let encodes = matches!(operation, Operation::FromBits | Operation::ToBits);
    let bits = if encodes { parameters.format.width() } else { parameters.width };
    (bits <= Integers::WIDEST).then_some(bits)
}
