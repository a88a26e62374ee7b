//! The rounded operations on ranges: sum, product, quotient, fused multiply-add, square
//! root, remainder and the conversions between formats.
//!
//! Each is cut into cases on which it is monotone: signs, zeros and infinities apart. The
//! results of finite operands are kept apart from the others, because only they overflow
//! or underflow (IEEE 754 clause 7; `program`'s `distance` is the definition here). Every
//! correctly rounded result lies between the ones rounded down and rounded up, which is
//! how all rounding modes are covered at once.

use crate::exceptions::{Exceptions, Outcome};
use crate::floats::{Floats, Span};
use crate::grid::{self, Ordinal};
use nanoscope_ieee::{Format, Operation, Rounding};
use nanoscope_program::Exception;

/// Which rounding modes an operation may meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Modes {
    /// To the nearest, ties to even.
    #[default]
    Nearest,
    /// Any.
    Any,
}

impl Modes {
    /// The mode that gives the least result.
    pub const fn down(self) -> Rounding {
        match self {
            Modes::Nearest => Rounding::NearestEven,
            Modes::Any => Rounding::Downward,
        }
    }

    /// The mode that gives the greatest result.
    pub const fn up(self) -> Rounding {
        match self {
            Modes::Nearest => Rounding::NearestEven,
            Modes::Any => Rounding::Upward,
        }
    }
}

/// What is known about the order of two operands beyond their ranges.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Order {
    /// They are the same value.
    pub same: bool,
    /// The first is not less than the second (and neither is a NaN).
    pub not_less: bool,
    /// The first is not greater than the second (and neither is a NaN).
    pub not_greater: bool,
    /// They are numbers and differ.
    pub differ: bool,
}

/// One operation in one format.
struct Case {
    format: Format,
    modes: Modes,
    /// Results of finite operands.
    finite: Floats,
    /// Results where an operand is infinite or a NaN.
    special: Floats,
    raised: Exceptions,
}

impl Case {
    fn new(format: Format, modes: Modes) -> Case {
        let nothing = Floats::nothing(format);
        Case { format, modes, finite: nothing, special: nothing, raised: Exceptions::NONE }
    }

    fn low(&self, operation: Operation, operands: &[Ordinal]) -> Ordinal {
        grid::rounded(self.format, operation, self.modes.down(), operands)
            .expect("a case without a NaN")
    }

    fn high(&self, operation: Operation, operands: &[Ordinal]) -> Ordinal {
        grid::rounded(self.format, operation, self.modes.up(), operands)
            .expect("a case without a NaN")
    }

    /// The sign and magnitudes of a product or quotient that is positive before its sign.
    fn signed(&mut self, negative: bool, lo: Ordinal, hi: Ordinal) {
        let (span, zero) = (Span::new(lo.max(1), hi), lo <= 0 && 0 <= hi);
        if negative {
            self.finite.negative = self.finite.negative.join(span);
            self.finite.minus_zero |= zero;
        } else {
            self.finite.positive = self.finite.positive.join(span);
            self.finite.plus_zero |= zero;
        }
    }

    /// An infinity that comes of an operand that is infinite or zero.
    fn infinite(&mut self, negative: bool) {
        let infinity = Span::new(grid::infinity(self.format), grid::infinity(self.format));
        let Floats { positive, negative: below, .. } = &mut self.special;
        let span = if negative { below } else { positive };
        *span = span.join(infinity);
    }

    /// A zero that comes of such a one.
    fn zero(&mut self, negative: bool) {
        self.special.minus_zero |= negative;
        self.special.plus_zero |= !negative;
    }

    fn invalid(&mut self, condition: bool) {
        self.raised.add_if(condition, Exception::Invalid);
        self.special.nan |= condition;
    }

    fn nan_operand(&mut self, operands: &[&Floats]) {
        let nan = operands.iter().any(|x| x.nan);
        self.special.nan |= nan;
        // An x87 encoding that is no number may count as the cause itself.
        self.raised.add_if(nan && self.format == Format::X87, Exception::Invalid);
    }

    /// Settles overflow and underflow from the results of finite operands. Where a result
    /// may be rounded, the smallest normal number can be the rounding of a tiny one.
    fn finish(mut self, inexact: bool) -> Outcome {
        let top = match self.modes {
            Modes::Nearest => grid::infinity(self.format),
            // Rounding toward zero an overflow stops at the greatest number.
            Modes::Any => grid::max_finite(self.format),
        };
        let smallest = grid::min_normal(self.format) - Ordinal::from(!inexact);
        for span in [self.finite.positive, self.finite.negative] {
            if !span.is_empty() {
                self.raised.add_if(span.hi >= top, Exception::Overflow);
                self.raised.add_if(span.lo <= smallest, Exception::Underflow);
            }
        }
        Outcome { result: self.finite.join(&self.special), raised: self.raised }
    }
}

/// `x + y`.
pub fn add(modes: Modes, x: &Floats, y: &Floats) -> Outcome {
    sum(modes, x, y, Order::default())
}

/// `x - y`, with what is known of the order of `x` and `y`.
pub fn sub(modes: Modes, x: &Floats, y: &Floats, order: Order) -> Outcome {
    if order.same {
        let mut case = Case::new(x.format, modes);
        case.nan_operand(&[x]);
        case.invalid(x.has_infinity());
        if !x.finite_part().is_empty() {
            case.finite.plus_zero = true;
            case.finite.minus_zero = modes == Modes::Any;
        }
        return case.finish(false);
    }
    sum(modes, x, &y.negated(), order)
}

/// The sum of `x` and `y`, where `order` is of `x` and `-y`.
fn sum(modes: Modes, x: &Floats, y: &Floats, order: Order) -> Outcome {
    let format = x.format;
    let mut case = Case::new(format, modes);
    case.nan_operand(&[x, y]);
    let opposite = (x.has_plus_infinity() && y.has_minus_infinity())
        || (x.has_minus_infinity() && y.has_plus_infinity());
    // Infinities that cancel are equal before one is negated.
    case.invalid(opposite && !order.differ);
    // An infinity stays what it is beside any number but its opposite.
    if !y.has_no_number() {
        case.special = case.special.join(&x.infinite_part());
    }
    if !x.has_no_number() {
        case.special = case.special.join(&y.infinite_part());
    }
    let (x, y) = (x.finite_part(), y.finite_part());
    // Zeros (6.3): like signs keep theirs, unlike ones give the mode's zero.
    case.finite.plus_zero |= x.plus_zero && y.plus_zero;
    case.finite.minus_zero |= x.minus_zero && y.minus_zero;
    let mut cancels = (x.plus_zero && y.minus_zero) || (x.minus_zero && y.plus_zero);
    if y.has_zero() {
        case.finite = case.finite.join(&x.nonzero_part());
    }
    if x.has_zero() {
        case.finite = case.finite.join(&y.nonzero_part());
    }
    for negative in [false, true] {
        let pick = |floats: &Floats, negative: bool| {
            if negative { floats.negative } else { floats.positive }
        };
        let (a, b) = (pick(&x, negative), pick(&y, negative));
        if !a.is_empty() && !b.is_empty() {
            let flip = |at: Ordinal| if negative { !at } else { at };
            let one = [flip(a.lo), flip(b.lo)];
            let other = [flip(a.hi), flip(b.hi)];
            let (least, greatest) = if negative { (other, one) } else { (one, other) };
            let lo = case.low(Operation::Add, &least);
            let hi = case.high(Operation::Add, &greatest);
            case.finite = case.finite.join(&Floats::between(format, lo, hi));
        }
        // The difference of two magnitudes, `a` from x and `b` of the other sign from y.
        let b = pick(&y, !negative);
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let (lo, hi) = if negative {
            (case.low(Operation::Add, &[!a.hi, b.lo]), case.high(Operation::Add, &[!a.lo, b.hi]))
        } else {
            (case.low(Operation::Add, &[a.lo, !b.hi]), case.high(Operation::Add, &[a.hi, !b.lo]))
        };
        let mut difference = Floats::between(format, lo, hi);
        if difference.has_zero() {
            // Within a factor of two of each other, both are multiples of the unit of half
            // the larger and so is their exact difference; otherwise it is at least that half.
            let quantum = grid::unit(format, grid::half(format, a.lo.max(b.lo))).max(1);
            let coarse = Span::new(quantum, Ordinal::MAX);
            difference.positive = difference.positive.meet(coarse);
            difference.negative = difference.negative.meet(coarse);
            // With gradual underflow only equal numbers differ by zero.
            difference.plus_zero = false;
            difference.minus_zero = false;
            cancels |= !a.meet(b).is_empty() && !order.differ;
        }
        case.finite = case.finite.join(&difference);
    }
    if cancels {
        case.finite.plus_zero = true;
        case.finite.minus_zero |= modes == Modes::Any;
    }
    if order.not_less {
        case.finite.negative = Span::EMPTY;
    }
    if order.not_greater {
        case.finite.positive = Span::EMPTY;
    }
    if order.differ {
        case.finite.plus_zero = false;
        case.finite.minus_zero = false;
    }
    case.finish(false)
}

/// `x * y`; `same` says that they are one value.
pub fn mul(modes: Modes, x: &Floats, y: &Floats, same: bool) -> Outcome {
    let mut case = Case::new(x.format, modes);
    case.nan_operand(&[x, y]);
    if !same {
        case.invalid(x.has_zero() && y.has_infinity() || x.has_infinity() && y.has_zero());
    }
    for (a, a_negative) in signs(x) {
        for (b, b_negative) in signs(y) {
            let negative = a_negative != b_negative;
            if same && negative {
                continue;
            }
            let (a_infinite, a) = parts(x.format, a);
            let (b_infinite, b) = parts(x.format, b);
            if (a_infinite && (b_infinite || !b.is_empty()) && !same)
                || (b_infinite && !a.is_empty() && !same)
                || (same && a_infinite)
            {
                case.infinite(negative);
            }
            let b = if same { a } else { b };
            if !a.is_empty() && !b.is_empty() {
                let lo = case.low(Operation::Mul, &[a.lo, b.lo]);
                let hi = case.high(Operation::Mul, &[a.hi, b.hi]);
                case.product(negative, lo, hi);
            }
        }
    }
    case.zeros_of_product(x, y, same);
    case.finish(true)
}

/// `x / y`; `same` says that they are one value.
pub fn div(modes: Modes, x: &Floats, y: &Floats, same: bool) -> Outcome {
    let format = x.format;
    let mut case = Case::new(format, modes);
    case.nan_operand(&[x, y]);
    let zeros = x.has_zero() && y.has_zero();
    let infinities = x.has_infinity() && y.has_infinity();
    case.invalid(zeros || infinities);
    if same {
        if x.has_finite_nonzero() {
            let one = grid::power(format, 0);
            case.finite = Floats::between(format, one, one);
        }
        return case.finish(true);
    }
    case.raised.add_if(x.has_finite_nonzero() && y.has_zero(), Exception::DivideByZero);
    for (a, a_negative) in signs(x) {
        for (b, b_negative) in signs(y) {
            let negative = a_negative != b_negative;
            let (a_infinite, a) = parts(format, a);
            let (b_infinite, b) = parts(format, b);
            if a_infinite && !b.is_empty() {
                case.infinite(negative);
            }
            if b_infinite && !a.is_empty() {
                case.zero(negative);
            }
            if !a.is_empty() && !b.is_empty() {
                let lo = case.low(Operation::Div, &[a.lo, b.hi]);
                let hi = case.high(Operation::Div, &[a.hi, b.lo]);
                case.product(negative, lo, hi);
            }
        }
    }
    for (x_zero, y_zero, negative) in SIGN_PAIRS {
        let (x_span, y_span) = (pick(x, x_zero), pick(y, y_zero));
        // Zero by anything but zero, anything but zero by zero.
        if zero(x, x_zero) && !y_span.is_empty() {
            case.zero(negative);
        }
        if zero(y, y_zero) && !x_span.is_empty() {
            case.infinite(negative);
        }
    }
    case.finish(true)
}

/// `a * b + c`, rounded once.
pub fn fma(modes: Modes, a: &Floats, b: &Floats, c: &Floats) -> Outcome {
    let format = a.format;
    let product = mul(modes, a, b, false);
    let mut case = Case::new(format, modes);
    case.nan_operand(&[a, b, c]);
    case.invalid(product.raised.contains(Exception::Invalid));
    let infinite_operand = a.has_infinity() || b.has_infinity();
    let infinite_product =
        if infinite_operand { product.result.infinite_part() } else { Floats::nothing(format) };
    case.invalid(
        (infinite_product.has_plus_infinity() && c.has_minus_infinity())
            || (infinite_product.has_minus_infinity() && c.has_plus_infinity()),
    );
    case.special = case.special.join(&infinite_product).join(&c.infinite_part());
    let (a, b, c) = (a.finite_part(), b.finite_part(), c.finite_part());
    let Some((c_lo, c_hi)) = c.bounds() else { return case.finish(true) };
    for (a_lo, a_hi) in a.pieces() {
        for (b_lo, b_hi) in b.pieces() {
            // On pieces of one sign the product's least and greatest are at corners.
            let corners = [[a_lo, b_lo], [a_lo, b_hi], [a_hi, b_lo], [a_hi, b_hi]];
            let least = corners.map(|[a, b]| case.low(Operation::Fma, &[a, b, c_lo]));
            let greatest = corners.map(|[a, b]| case.high(Operation::Fma, &[a, b, c_hi]));
            let lo = least.into_iter().min().expect("four corners");
            let hi = greatest.into_iter().max().expect("four corners");
            let found = Floats::between(format, lo, hi).with_both_zeros();
            case.finite = case.finite.join(&found);
            // A product that is lost beside a zero addend.
            let lost = (a_lo > 0 || a_hi < -1) && (b_lo > 0 || b_hi < -1);
            case.raised.add_if(lost && c.has_zero() && found.has_zero(), Exception::Underflow);
        }
    }
    case.finish(true)
}

/// The square root.
pub fn sqrt(modes: Modes, x: &Floats) -> Outcome {
    let mut case = Case::new(x.format, modes);
    case.nan_operand(&[x]);
    case.invalid(!x.negative.is_empty());
    case.special = case.special.join(&Floats {
        plus_zero: x.plus_zero,
        minus_zero: x.minus_zero,
        ..Floats::nothing(x.format)
    });
    let (infinite, finite) = parts(x.format, x.positive);
    if infinite {
        case.infinite(false);
    }
    if !finite.is_empty() {
        let lo = case.low(Operation::Sqrt, &[finite.lo]);
        let hi = case.high(Operation::Sqrt, &[finite.hi]);
        case.special = case.special.join(&Floats::between(x.format, lo, hi));
    }
    case.finish(true)
}

/// C's `fmod` or IEEE's remainder (`nearest`).
pub fn remainder(x: &Floats, y: &Floats, nearest: bool) -> Outcome {
    let format = x.format;
    let mut case = Case::new(format, Modes::Nearest);
    case.nan_operand(&[x, y]);
    let some = |floats: &Floats| !floats.has_no_number();
    case.invalid(x.has_infinity() && some(y) || y.has_zero() && some(x));
    let x = x.finite_part();
    let divisors = y.positive.join(y.negative);
    if divisors.is_empty() {
        return case.finish(false);
    }
    // A zero, or a dividend below the divisor, is its own remainder.
    case.finite.plus_zero |= x.plus_zero;
    case.finite.minus_zero |= x.minus_zero;
    let infinity = grid::infinity(format);
    for (a, negative) in signs(&x) {
        if a.is_empty() {
            continue;
        }
        let finite_divisors = divisors.meet(Span::new(1, infinity - 1));
        if divisors.hi == infinity || (!nearest && a.lo < divisors.hi) {
            let own =
                Span::new(a.lo, if divisors.hi == infinity { a.hi } else { a.hi.min(divisors.hi) });
            case.finite = case.finite.join(&signed_span(format, negative, own));
        }
        if finite_divisors.is_empty() {
            continue;
        }
        if !nearest && a.hi < finite_divisors.lo {
            case.finite = case.finite.join(&signed_span(format, negative, a));
            continue;
        }
        // Exact, and a multiple of the smaller unit.
        let quantum = grid::unit(format, a.lo).min(grid::unit(format, finite_divisors.lo)).max(1);
        let most = if nearest { finite_divisors.hi } else { finite_divisors.hi - 1 };
        let left = Span::new(quantum, a.hi.min(most));
        case.finite = case.finite.join(&signed_span(format, negative, left));
        if nearest {
            case.finite = case.finite.join(&signed_span(format, !negative, left));
        }
        case.finite = case.finite.join(&signed_zero(format, negative));
    }
    case.finish(false)
}

/// To another format.
pub fn convert(modes: Modes, to: Format, x: &Floats) -> Outcome {
    let mut case = Case::new(to, modes);
    case.nan_operand(&[x]);
    case.raised = Exceptions::NONE;
    if x.has_plus_infinity() {
        case.infinite(false);
    }
    if x.has_minus_infinity() {
        case.infinite(true);
    }
    let finite = x.finite_part();
    for (lo, hi) in finite.pieces() {
        let least = grid::converted(x.format, to, modes.down(), lo);
        let greatest = grid::converted(x.format, to, modes.up(), hi);
        let mut found = Floats::between(to, least, greatest);
        if lo > 0 || hi < -1 {
            // Not zero before it was rounded.
            case.raised.add_if(found.has_zero(), Exception::Underflow);
            if lo > 0 {
                found.minus_zero = false;
            } else {
                found.plus_zero = false;
            }
        }
        case.finite = case.finite.join(&found);
    }
    case.finish(!to.holds(x.format))
}

impl Case {
    /// A product or quotient of finite numbers that are not zero.
    fn product(&mut self, negative: bool, lo: Ordinal, hi: Ordinal) {
        self.signed(negative, lo, hi);
        // Rounded to zero though it was not.
        self.raised.add_if(lo <= 0, Exception::Underflow);
    }

    fn zeros_of_product(&mut self, x: &Floats, y: &Floats, same: bool) {
        for (x_minus, y_minus, negative) in SIGN_PAIRS {
            if same && x_minus != y_minus {
                continue;
            }
            let finite = |span: Span| !parts(x.format, span).1.is_empty();
            let product_is_zero = if same {
                zero(x, x_minus)
            } else {
                (zero(x, x_minus) && (zero(y, y_minus) || finite(pick(y, y_minus))))
                    || (zero(y, y_minus) && finite(pick(x, x_minus)))
            };
            if product_is_zero {
                self.zero(negative);
            }
        }
    }
}

fn signs(x: &Floats) -> [(Span, bool); 2] {
    [(x.positive, false), (x.negative, true)]
}

/// The pairs of signs: of the first, of the second (set: minus), and whether they differ.
const SIGN_PAIRS: [(bool, bool, bool); 4] =
    [(false, false, false), (false, true, true), (true, false, true), (true, true, false)];

fn pick(x: &Floats, negative: bool) -> Span {
    if negative { x.negative } else { x.positive }
}

fn zero(x: &Floats, negative: bool) -> bool {
    if negative { x.minus_zero } else { x.plus_zero }
}

/// Whether infinity is among the magnitudes, and the others.
fn parts(format: Format, span: Span) -> (bool, Span) {
    let infinity = grid::infinity(format);
    if span.hi < infinity {
        return (false, span);
    }
    (span.contains(infinity), span.meet(Span::new(1, infinity - 1)))
}

fn signed_zero(format: Format, negative: bool) -> Floats {
    Floats { plus_zero: !negative, minus_zero: negative, ..Floats::nothing(format) }
}

fn signed_span(format: Format, negative: bool, span: Span) -> Floats {
    let positive = Floats { positive: span, ..Floats::nothing(format) };
    if negative { positive.negated() } else { positive }
}
