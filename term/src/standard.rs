//! Terms in SMT-LIB's own functions only, for solvers that know no others.

use crate::evaluate::{from_ratio, out_of_range};
use crate::{BitsOp, Op, Sort, Term, Terms, Unspecified, Value};
use nanoscope_ieee::{Format, Operation, OutOfRange, Parameters, Rounding, operations};
use num_bigint::BigInt;
use num_traits::One;

/// `roots` with the operations that SMT-LIB does not have, or leaves partly
/// open, written out by its own; an error names a function that cannot be. Of
/// what is more than SMT-LIB has, only `fp.to_ieee_bv` may remain.
pub fn standard(terms: &mut Terms, roots: &[Term]) -> Result<Vec<Term>, String> {
    let mut done: hashbrown::HashMap<Term, Term> = hashbrown::HashMap::new();
    for term in terms.below(roots) {
        let args: Vec<Term> = terms.args(term).iter().map(|arg| done[arg]).collect();
        let new = match terms.op(term) {
            Op::Libm(function, _) => return Err(format!("libm's {}", function.name())),
            Op::Float(operation, parameters) => write_out(terms, operation, parameters, &args),
            op => {
                if args == terms.args(term) {
                    term
                } else {
                    terms.make(op, &args)
                }
            }
        };
        done.insert(term, new);
    }
    Ok(roots.iter().map(|root| done[root]).collect())
}

fn write_out(terms: &mut Terms, operation: Operation, p: Parameters, args: &[Term]) -> Term {
    let f = p.format;
    match operation {
        Operation::MinNum => {
            let first = terms.fp(Operation::IsNegative, &args[..1]);
            select(terms, Unspecified::Min(f), first, args)
        }
        Operation::MaxNum => {
            let first = terms.fp(Operation::IsPositive, &args[..1]);
            select(terms, Unspecified::Max(f), first, args)
        }
        Operation::Minimum | Operation::Maximum => {
            let number =
                if operation == Operation::Minimum { Operation::MinNum } else { Operation::MaxNum };
            let selected = write_out(terms, number, p, args);
            let nans = [args[0], args[1]].map(|arg| terms.fp(Operation::IsNan, &[arg]));
            let any = terms.or(&nans);
            let nan = terms.constant(Value::nan(f));
            terms.ite(any, nan, selected)
        }
        Operation::MinX86 => {
            let less = terms.fp(Operation::Less, &[args[0], args[1]]);
            terms.ite(less, args[0], args[1])
        }
        Operation::MaxX86 => {
            let less = terms.fp(Operation::Less, &[args[1], args[0]]);
            terms.ite(less, args[0], args[1])
        }
        Operation::CopySign => copy_sign(terms, args[0], args[1]),
        Operation::NextUp => next_up(terms, f, args[0]),
        Operation::NextDown => {
            let opposite = terms.fp(Operation::Neg, &[args[0]]);
            let next = next_up(terms, f, opposite);
            terms.fp(Operation::Neg, &[next])
        }
        Operation::Fmod => fmod(terms, args[0], args[1]),
        Operation::ToBits => encoding(terms, f, args[0]),
        Operation::ToSigned | Operation::ToUnsigned => {
            let signed = operation == Operation::ToSigned;
            to_integer(terms, f, p.width, p.out_of_range, signed, args)
        }
        Operation::Unordered => {
            let nans = [args[0], args[1]].map(|arg| terms.fp(Operation::IsNan, &[arg]));
            terms.or(&nans)
        }
        Operation::IsFinite => {
            let nan = terms.fp(Operation::IsNan, args);
            let infinite = terms.fp(Operation::IsInfinite, args);
            let either = terms.or(&[nan, infinite]);
            terms.not(either)
        }
        Operation::IsSignaling => terms.bool(false),
        Operation::IsSignMinus => terms.fp(Operation::IsNegative, args),
        Operation::RoundToIntegralExact => terms.fp(Operation::RoundToIntegral, args),
        Operation::EqualSignaling => terms.fp(Operation::Equal, args),
        Operation::LessSignaling => terms.fp(Operation::Less, args),
        Operation::LessEqualSignaling => terms.fp(Operation::LessEqual, args),
        Operation::GreaterSignaling => terms.fp(Operation::Greater, args),
        Operation::GreaterEqualSignaling => terms.fp(Operation::GreaterEqual, args),
        Operation::Remainder
        | Operation::RoundToIntegral
        | Operation::Identical
        | Operation::Convert
        | Operation::FromBits
        | operations!(Mirror, Category)
        | operations!(Quiet)
        | operations!(Arithmetic, FromInteger) => terms.float(operation, p, args),
    }
}

/// `fp.min` or `fp.max`, but of two zeros the first if `first`, else the second.
fn select(terms: &mut Terms, function: Unspecified, first: Term, args: &[Term]) -> Term {
    let zeros = [args[0], args[1]].map(|arg| terms.fp(Operation::IsZero, &[arg]));
    let both = terms.and(&zeros);
    let zero = terms.ite(first, args[0], args[1]);
    let other = terms.make(Op::Unspecified(function), args);
    terms.ite(both, zero, other)
}

fn copy_sign(terms: &mut Terms, a: Term, b: Term) -> Term {
    let signs = [a, b].map(|arg| terms.fp(Operation::IsNegative, &[arg]));
    let same = terms.equal(signs[0], signs[1]);
    let opposite = terms.fp(Operation::Neg, &[a]);
    terms.ite(same, a, opposite)
}

/// The encoding, the canonical one for the NaN.
fn encoding(terms: &mut Terms, format: Format, a: Term) -> Term {
    let bits = terms.make(Op::Unspecified(Unspecified::ToIeeeBits(format)), &[a]);
    let is_nan = terms.fp(Operation::IsNan, &[a]);
    let (_, nan) = match Value::nan(format) {
        Value::Float(format, word) => (format, word),
        other => unreachable!("a NaN is a float, not {other:?}"),
    };
    let nan = terms.constant(Value::Bits(nan));
    terms.ite(is_nan, nan, bits)
}

fn next_up(terms: &mut Terms, format: Format, a: Term) -> Term {
    let width = format.width();
    let bits = encoding(terms, format, a);
    let one = terms.bits(width, 1);
    let up = terms.bits_op(BitsOp::Add, &[bits, one]);
    let down = terms.bits_op(BitsOp::Sub, &[bits, one]);
    let negative = terms.fp(Operation::IsNegative, &[a]);
    let next = terms.ite(negative, down, up);
    let zero = terms.fp(Operation::IsZero, &[a]);
    let next = terms.ite(zero, one, next);
    let next = terms.from_bits(format, next);
    let is_nan = terms.fp(Operation::IsNan, &[a]);
    let greatest = terms.constant(Value::infinity(format, false));
    let last = terms.equal(a, greatest);
    let stays = terms.or(&[is_nan, last]);
    terms.ite(stays, a, next)
}

/// The remainder of the magnitudes, brought from nearest to truncated by one
/// exact addition, with the dividend's sign.
fn fmod(terms: &mut Terms, a: Term, b: Term) -> Term {
    let format = terms.format(a);
    let [magnitude, divisor] = [a, b].map(|arg| terms.fp(Operation::Abs, &[arg]));
    let rest = terms.fp(Operation::Remainder, &[magnitude, divisor]);
    let mode = terms.rounding(Rounding::NearestEven);
    let raised = terms.fp(Operation::Add, &[mode, rest, divisor]);
    let zero = terms.constant(Value::zero(format, false));
    let below = terms.fp(Operation::Less, &[rest, zero]);
    let rest = terms.ite(below, raised, rest);
    copy_sign(terms, rest, a)
}

/// Whether the integer that a float is rounded to has a place among those of
/// `width` bits.
pub(crate) fn fits(
    terms: &mut Terms,
    format: Format,
    width: u32,
    signed: bool,
    args: &[Term],
) -> Term {
    // In a format of little range, integers next to its greatest numbers are
    // beyond it: look at them in one that has them.
    let mut ample = format;
    while i64::from(ample.precision) > ample.max_exponent() {
        ample.exponent_bits += 1;
    }
    let wide = if ample == format { args[1] } else { terms.convert(ample, args[0], args[1]) };
    let power = |exponent: u32| BigInt::one() << exponent;
    let range = if signed {
        [-power(width - 1), power(width - 1) - 1]
    } else {
        [BigInt::ZERO, power(width) - 1]
    };
    // A float lies in the range just if it lies between the range's outermost
    // floats.
    let bounds = range.map(|bound| {
        let word = from_ratio(ample, Rounding::TowardZero, &bound, &BigInt::one());
        terms.float_bits(ample, word)
    });
    let integral = terms.fp(Operation::RoundToIntegral, &[args[0], wide]);
    let above = terms.fp(Operation::LessEqual, &[bounds[0], integral]);
    let below = terms.fp(Operation::LessEqual, &[integral, bounds[1]]);
    terms.and(&[above, below])
}

fn to_integer(
    terms: &mut Terms,
    format: Format,
    width: u32,
    policy: OutOfRange,
    signed: bool,
    args: &[Term],
) -> Term {
    let fits = fits(terms, format, width, signed, args);
    let function = if signed {
        Unspecified::ToSigned(format, width)
    } else {
        Unspecified::ToUnsigned(format, width)
    };
    let usual = terms.make(Op::Unspecified(function), args);
    let mut otherwise =
        |sign| terms.constant(Value::Bits(out_of_range(policy, width, signed, sign)));
    let (nan, low, high) = (otherwise(None), otherwise(Some(true)), otherwise(Some(false)));
    let negative = terms.fp(Operation::IsNegative, &args[1..]);
    let side = terms.ite(negative, low, high);
    let is_nan = terms.fp(Operation::IsNan, &args[1..]);
    let other = terms.ite(is_nan, nan, side);
    debug_assert_eq!(terms.sort(other), Sort::Bits(width));
    terms.ite(fits, usual, other)
}
