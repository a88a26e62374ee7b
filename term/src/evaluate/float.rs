//! Every operation of the table, on exact numbers.

use super::exact::{self, Exact, Finite};
use super::out_of_range;
use nanoscope_ieee::{Domain, Format, OutOfRange, Rounding, Word};
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};
use std::cmp::Ordering;

/// The domain of encodings, computed exactly and rounded once.
pub(crate) struct Exactly;

/// `a * b + c`, or without `c` the product.
fn multiply_add(format: Format, mode: Rounding, a: &Exact, b: &Exact, c: Option<&Exact>) -> Word {
    let negative = a.negative() != b.negative();
    let product = match (a, b) {
        (Exact::Nan, _) | (_, Exact::Nan) => Exact::Nan,
        (Exact::Infinite(_), Exact::Zero(_)) | (Exact::Zero(_), Exact::Infinite(_)) => Exact::Nan,
        (Exact::Infinite(_), _) | (_, Exact::Infinite(_)) => Exact::Infinite(negative),
        (Exact::Zero(_), _) | (_, Exact::Zero(_)) => Exact::Zero(negative),
        (Exact::Finite(a), Exact::Finite(b)) => Exact::Finite(a.times(b)),
    };
    match c {
        Some(c) => sum(format, mode, &product, c),
        None => rounded(format, mode, &product),
    }
}

fn rounded(format: Format, mode: Rounding, a: &Exact) -> Word {
    match a {
        Exact::Nan => exact::nan(format),
        Exact::Infinite(negative) => exact::infinity(format, *negative),
        Exact::Zero(negative) => exact::zero(format, *negative),
        Exact::Finite(finite) => finite.round(format, mode),
    }
}

fn sum(format: Format, mode: Rounding, a: &Exact, b: &Exact) -> Word {
    match (a, b) {
        (Exact::Nan, _) | (_, Exact::Nan) => exact::nan(format),
        (Exact::Infinite(a), Exact::Infinite(b)) if a != b => exact::nan(format),
        (Exact::Infinite(negative), _) | (_, Exact::Infinite(negative)) => {
            exact::infinity(format, *negative)
        }
        (Exact::Zero(a), Exact::Zero(b)) => {
            let negative = if a == b { *a } else { mode == Rounding::Downward };
            exact::zero(format, negative)
        }
        (Exact::Zero(_), Exact::Finite(finite)) | (Exact::Finite(finite), Exact::Zero(_)) => {
            finite.round(format, mode)
        }
        (Exact::Finite(a), Exact::Finite(b)) => exact::add(format, mode, a, b),
    }
}

fn opposite(a: Exact) -> Exact {
    match a {
        Exact::Nan => Exact::Nan,
        Exact::Infinite(negative) => Exact::Infinite(!negative),
        Exact::Zero(negative) => Exact::Zero(!negative),
        Exact::Finite(finite) => Exact::Finite(finite.negated()),
    }
}

fn remainder(format: Format, a: &Word, b: &Word, truncated: bool) -> Word {
    match (Exact::decode(format, a), Exact::decode(format, b)) {
        (Exact::Nan | Exact::Infinite(_), _) | (_, Exact::Nan | Exact::Zero(_)) => {
            exact::nan(format)
        }
        (Exact::Zero(_), _) | (_, Exact::Infinite(_)) => a.clone(),
        (Exact::Finite(a), Exact::Finite(b)) => match exact::remainder(&a, &b, truncated) {
            Some(rest) => rest.round(format, Rounding::TowardZero),
            None => exact::zero(format, a.negative),
        },
    }
}

fn integral(format: Format, mode: Rounding, a: &Word) -> Word {
    match Exact::decode(format, a) {
        Exact::Nan => exact::nan(format),
        Exact::Finite(finite) if finite.exponent < 0 => {
            let limit = u64::MAX;
            let integer = exact::integral(&finite, mode, limit).expect("no limit");
            if integer.is_zero() {
                return exact::zero(format, finite.negative);
            }
            let finite = Finite { magnitude: integer, exponent: 0, ..finite };
            // In a format of little range the integer can be beyond it.
            finite.round(format, mode)
        }
        Exact::Infinite(_) | Exact::Zero(_) | Exact::Finite(_) => a.clone(),
    }
}

/// The magnitude bits of an encoding as a number, negative with the sign bit:
/// ordered as the floats are, both zeros being 0.
fn ordinal(format: Format, a: &Word) -> BigInt {
    let top = format.width() - 1;
    let mut magnitude = a.to_big();
    magnitude.set_bit(top as u64, false);
    BigInt::from_biguint(if a.bit(top) { Sign::Minus } else { Sign::Plus }, magnitude)
}

/// The order of two floats, none with a NaN (5.11).
fn compare(format: Format, a: &Word, b: &Word) -> Option<Ordering> {
    let nan = |word| Exact::decode(format, word) == Exact::Nan;
    (!nan(a) && !nan(b)).then(|| ordinal(format, a).cmp(&ordinal(format, b)))
}

/// The lesser one, `-0 < +0`; none with a NaN.
fn lesser<'a>(format: Format, a: &'a Word, b: &'a Word) -> Option<(&'a Word, &'a Word)> {
    let sign = |word: &Word| word.bit(format.width() - 1);
    let order = compare(format, a, b)?.then(sign(b).cmp(&sign(a)));
    Some(if order == Ordering::Greater { (b, a) } else { (a, b) })
}

/// The one of `a` and `b` that is no NaN, `a` where both are numbers.
fn number<'a>(format: Format, a: &'a Word, b: &'a Word) -> &'a Word {
    if Exact::decode(format, a) == Exact::Nan { b } else { a }
}

fn with_sign(format: Format, a: &Word, negative: bool) -> Word {
    let mut bits = a.to_big();
    bits.set_bit(format.width() as u64 - 1, negative);
    Word::from_big(format.width(), &bits)
}

fn next_up(format: Format, a: &Word) -> Word {
    match Exact::decode(format, a) {
        Exact::Nan => exact::nan(format),
        Exact::Infinite(false) => a.clone(),
        Exact::Infinite(true) | Exact::Zero(_) | Exact::Finite(_) => {
            let next = ordinal(format, a) + BigInt::one();
            // -0 stands between the least negative number and +0.
            let negative = next.sign() == Sign::Minus || (next.is_zero() && !a.is_zero());
            let word = Word::from_big(format.width(), next.magnitude());
            with_sign(format, &word, negative)
        }
    }
}

fn negate(format: Format, a: &Word) -> Word {
    with_sign(format, a, !a.bit(format.width() - 1))
}

fn to_integer(
    format: Format,
    width: u32,
    policy: OutOfRange,
    mode: Rounding,
    a: &Word,
    signed: bool,
) -> Word {
    exact::to_integer(format, mode, a, width, signed).unwrap_or_else(|| {
        let exact = Exact::decode(format, a);
        let sign = (exact != Exact::Nan).then(|| exact.negative());
        out_of_range(policy, width, signed, sign)
    })
}

fn from_integer(format: Format, mode: Rounding, negative: bool, magnitude: BigUint) -> Word {
    if magnitude.is_zero() {
        return exact::zero(format, false);
    }
    Finite { negative, magnitude, exponent: 0 }.round(format, mode)
}

fn holds(order: Option<Ordering>, wanted: &[Ordering]) -> (bool, ()) {
    (order.is_some_and(|order| wanted.contains(&order)), ())
}

use Ordering::{Equal, Greater, Less};

impl Domain for Exactly {
    type Float = Word;
    type Rounding = Rounding;
    type Bits = Word;
    type Bool = bool;
    type Flags = ();

    fn add(&mut self, format: Format, mode: &Rounding, a: &Word, b: &Word) -> (Word, ()) {
        (sum(format, *mode, &Exact::decode(format, a), &Exact::decode(format, b)), ())
    }

    fn sub(&mut self, format: Format, mode: &Rounding, a: &Word, b: &Word) -> (Word, ()) {
        let b = opposite(Exact::decode(format, b));
        (sum(format, *mode, &Exact::decode(format, a), &b), ())
    }

    fn mul(&mut self, format: Format, mode: &Rounding, a: &Word, b: &Word) -> (Word, ()) {
        let (a, b) = (Exact::decode(format, a), Exact::decode(format, b));
        (multiply_add(format, *mode, &a, &b, None), ())
    }

    fn div(&mut self, format: Format, mode: &Rounding, a: &Word, b: &Word) -> (Word, ()) {
        let (a, b) = (Exact::decode(format, a), Exact::decode(format, b));
        let negative = a.negative() != b.negative();
        let quotient = match (&a, &b) {
            (Exact::Nan, _) | (_, Exact::Nan) => exact::nan(format),
            (Exact::Infinite(_), Exact::Infinite(_)) | (Exact::Zero(_), Exact::Zero(_)) => {
                exact::nan(format)
            }
            (Exact::Infinite(_), _) | (_, Exact::Zero(_)) => exact::infinity(format, negative),
            (Exact::Zero(_), _) | (_, Exact::Infinite(_)) => exact::zero(format, negative),
            (Exact::Finite(a), Exact::Finite(b)) => exact::divide(format, *mode, a, b),
        };
        (quotient, ())
    }

    fn fma(&mut self, format: Format, mode: &Rounding, a: &Word, b: &Word, c: &Word) -> (Word, ()) {
        let [a, b, c] = [a, b, c].map(|word| Exact::decode(format, word));
        (multiply_add(format, *mode, &a, &b, Some(&c)), ())
    }

    fn sqrt(&mut self, format: Format, mode: &Rounding, a: &Word) -> (Word, ()) {
        let root = match Exact::decode(format, a) {
            Exact::Zero(_) | Exact::Infinite(false) => a.clone(),
            Exact::Finite(finite) if !finite.negative => exact::square_root(format, *mode, &finite),
            Exact::Nan | Exact::Infinite(true) | Exact::Finite(_) => exact::nan(format),
        };
        (root, ())
    }

    fn remainder(&mut self, format: Format, a: &Word, b: &Word) -> (Word, ()) {
        (remainder(format, a, b, false), ())
    }

    fn fmod(&mut self, format: Format, a: &Word, b: &Word) -> (Word, ()) {
        (remainder(format, a, b, true), ())
    }

    fn round_to_integral(&mut self, format: Format, mode: &Rounding, a: &Word) -> (Word, ()) {
        (integral(format, *mode, a), ())
    }

    fn round_to_integral_exact(&mut self, format: Format, mode: &Rounding, a: &Word) -> (Word, ()) {
        (integral(format, *mode, a), ())
    }

    fn min_num(&mut self, format: Format, a: &Word, b: &Word) -> (Word, ()) {
        let least = lesser(format, a, b).map(|(less, _)| less);
        (least.unwrap_or_else(|| number(format, a, b)).clone(), ())
    }

    fn max_num(&mut self, format: Format, a: &Word, b: &Word) -> (Word, ()) {
        let greatest = lesser(format, a, b).map(|(_, greater)| greater);
        (greatest.unwrap_or_else(|| number(format, a, b)).clone(), ())
    }

    fn minimum(&mut self, format: Format, a: &Word, b: &Word) -> (Word, ()) {
        (lesser(format, a, b).map_or_else(|| exact::nan(format), |(less, _)| less.clone()), ())
    }

    fn maximum(&mut self, format: Format, a: &Word, b: &Word) -> (Word, ()) {
        let greatest = lesser(format, a, b).map(|(_, greater)| greater.clone());
        (greatest.unwrap_or_else(|| exact::nan(format)), ())
    }

    fn min_x86(&mut self, format: Format, a: &Word, b: &Word) -> (Word, ()) {
        (if compare(format, a, b) == Some(Less) { a.clone() } else { b.clone() }, ())
    }

    fn max_x86(&mut self, format: Format, a: &Word, b: &Word) -> (Word, ()) {
        (if compare(format, a, b) == Some(Greater) { a.clone() } else { b.clone() }, ())
    }

    fn abs(&mut self, format: Format, a: &Word) -> (Word, ()) {
        (with_sign(format, a, false), ())
    }

    fn neg(&mut self, format: Format, a: &Word) -> (Word, ()) {
        (negate(format, a), ())
    }

    fn copy_sign(&mut self, format: Format, a: &Word, b: &Word) -> (Word, ()) {
        (with_sign(format, a, b.bit(format.width() - 1)), ())
    }

    fn next_up(&mut self, format: Format, a: &Word) -> (Word, ()) {
        (next_up(format, a), ())
    }

    fn next_down(&mut self, format: Format, a: &Word) -> (Word, ()) {
        (negate(format, &next_up(format, &negate(format, a))), ())
    }

    fn identical(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        (Exact::decode(format, a) == Exact::decode(format, b), ())
    }

    fn equal(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        holds(compare(format, a, b), &[Equal])
    }

    fn less(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        holds(compare(format, a, b), &[Less])
    }

    fn less_equal(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        holds(compare(format, a, b), &[Less, Equal])
    }

    fn greater(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        holds(compare(format, a, b), &[Greater])
    }

    fn greater_equal(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        holds(compare(format, a, b), &[Greater, Equal])
    }

    fn unordered(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        (compare(format, a, b).is_none(), ())
    }

    fn equal_signaling(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        self.equal(format, a, b)
    }

    fn less_signaling(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        self.less(format, a, b)
    }

    fn less_equal_signaling(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        self.less_equal(format, a, b)
    }

    fn greater_signaling(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        self.greater(format, a, b)
    }

    fn greater_equal_signaling(&mut self, format: Format, a: &Word, b: &Word) -> (bool, ()) {
        self.greater_equal(format, a, b)
    }

    fn is_nan(&mut self, format: Format, a: &Word) -> (bool, ()) {
        (Exact::decode(format, a) == Exact::Nan, ())
    }

    fn is_signaling(&mut self, format: Format, a: &Word) -> (bool, ()) {
        let quiet = a.bit(format.fraction_bits() - 1);
        (Exact::decode(format, a) == Exact::Nan && !quiet, ())
    }

    fn is_infinite(&mut self, format: Format, a: &Word) -> (bool, ()) {
        (matches!(Exact::decode(format, a), Exact::Infinite(_)), ())
    }

    fn is_finite(&mut self, format: Format, a: &Word) -> (bool, ()) {
        (matches!(Exact::decode(format, a), Exact::Zero(_) | Exact::Finite(_)), ())
    }

    fn is_zero(&mut self, format: Format, a: &Word) -> (bool, ()) {
        (matches!(Exact::decode(format, a), Exact::Zero(_)), ())
    }

    fn is_subnormal(&mut self, format: Format, a: &Word) -> (bool, ()) {
        let Exact::Finite(finite) = Exact::decode(format, a) else { return (false, ()) };
        (finite.top() < format.min_exponent(), ())
    }

    fn is_normal(&mut self, format: Format, a: &Word) -> (bool, ()) {
        let Exact::Finite(finite) = Exact::decode(format, a) else { return (false, ()) };
        (finite.top() >= format.min_exponent(), ())
    }

    fn is_negative(&mut self, format: Format, a: &Word) -> (bool, ()) {
        (Exact::decode(format, a).negative(), ())
    }

    fn is_positive(&mut self, format: Format, a: &Word) -> (bool, ()) {
        let exact = Exact::decode(format, a);
        (exact != Exact::Nan && !exact.negative(), ())
    }

    fn is_sign_minus(&mut self, format: Format, a: &Word) -> (bool, ()) {
        (a.bit(format.width() - 1), ())
    }

    fn convert(&mut self, format: Format, target: Format, mode: &Rounding, a: &Word) -> (Word, ()) {
        (rounded(target, *mode, &Exact::decode(format, a)), ())
    }

    fn from_signed(&mut self, format: Format, width: u32, mode: &Rounding, a: &Word) -> (Word, ()) {
        let negative = a.bit(width - 1);
        let magnitude = a.to_big();
        let magnitude = if negative { (BigUint::one() << width) - magnitude } else { magnitude };
        (from_integer(format, *mode, negative, magnitude), ())
    }

    fn from_unsigned(
        &mut self,
        format: Format,
        _width: u32,
        mode: &Rounding,
        a: &Word,
    ) -> (Word, ()) {
        (from_integer(format, *mode, false, a.to_big()), ())
    }

    fn to_signed(
        &mut self,
        format: Format,
        width: u32,
        policy: OutOfRange,
        mode: &Rounding,
        a: &Word,
    ) -> (Word, ()) {
        (to_integer(format, width, policy, *mode, a, true), ())
    }

    fn to_unsigned(
        &mut self,
        format: Format,
        width: u32,
        policy: OutOfRange,
        mode: &Rounding,
        a: &Word,
    ) -> (Word, ()) {
        (to_integer(format, width, policy, *mode, a, false), ())
    }

    fn from_bits(&mut self, _format: Format, a: &Word) -> (Word, ()) {
        (a.clone(), ())
    }

    fn to_bits(&mut self, _format: Format, a: &Word) -> (Word, ()) {
        (a.clone(), ())
    }
}
