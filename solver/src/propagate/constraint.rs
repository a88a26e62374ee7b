//! A term as a constraint: what its operation leaves of the domains of its
//! arguments and itself.

use super::arithmetic::{self, Left};
use super::bits::BitsBox;
use super::cases::Narrowed;
use super::domain::Domain;
use super::grid::Grid;
use super::interval::{FloatBox, Interval, Modes};
use super::relation::{self, Class, Truths};
use super::remainder::{self, Quotient};
use super::sign::{self, NanChoice};
use super::{bitwise, conversion, diagonal, libm};
use nanoscope_ieee::{Operation, Parameters};
use nanoscope_term::{BitsOp, Op};

/// The widest integers that conversions are projected for.
const WIDEST_INTEGER: u32 = 120;

/// Narrows the domains of a term's arguments and of the term itself to what
/// its operation leaves. `None` is a contradiction. `same` tells that the
/// arguments of a binary operation are one and the same term.
pub fn project(op: Op, arguments: &mut [Domain], result: &mut Domain, same: bool) -> Option<()> {
    match op {
        Op::Not => {
            let [Domain::Bool(x)] = arguments else { unreachable!("not of a truth value") };
            let Domain::Bool(z) = result else { unreachable!("not is a truth value") };
            *z = z.meet(x.negated());
            *x = z.negated();
        }
        Op::And => conjunction(arguments, result, true),
        Op::Or => conjunction(arguments, result, false),
        Op::Ite => choice(arguments, result),
        Op::Equal => return equality(arguments, result, same),
        Op::Bits(op) => return bits(op, arguments, result),
        Op::Float(operation, parameters) => {
            return float(operation, parameters, arguments, result, same);
        }
        Op::Libm(function, _) => {
            return match arguments {
                [x] => narrow([x], result, |grid, x, z| libm::unary(grid, function, x, z)),
                [x, y] => narrow([x, y], result, |grid, x, z| libm::binary(grid, function, x, z)),
                _ => unreachable!("{} takes one or two arguments", function.name()),
            };
        }
        // Leaves, and what only the door has: nothing to say.
        Op::Value(_)
        | Op::Variable(_)
        | Op::Unspecified(_)
        | Op::Apply(_)
        | Op::Select
        | Op::Store
        | Op::ConstantArray(_) => {}
    }
    let left = !result.is_empty() && arguments.iter().all(|argument| !argument.is_empty());
    left.then_some(())
}

/// A conjunction, or, mirrored, a disjunction.
fn conjunction(arguments: &mut [Domain], result: &mut Domain, neutral: bool) {
    let Domain::Bool(z) = result else { unreachable!("a conjunction is a truth value") };
    let known = |domain: &Domain| match domain {
        Domain::Bool(truths) => truths.known(),
        _ => None,
    };
    if arguments.iter().any(|argument| known(argument) == Some(!neutral)) {
        *z = z.meet(Truths::only(!neutral));
    } else if arguments.iter().all(|argument| known(argument) == Some(neutral)) {
        *z = z.meet(Truths::only(neutral));
    }
    if z.known() == Some(neutral) {
        for argument in arguments {
            *argument = argument.meet(Domain::Bool(Truths::only(neutral)));
        }
    } else if z.known() == Some(!neutral) {
        let mut open = arguments.iter_mut().filter(|argument| known(argument) != Some(neutral));
        if let (Some(last), None) = (open.next(), open.next()) {
            *last = last.meet(Domain::Bool(Truths::only(!neutral)));
        }
    }
}

fn choice(arguments: &mut [Domain], result: &mut Domain) {
    let [Domain::Bool(condition), then, otherwise] = arguments else {
        unreachable!("ite has a condition and two branches")
    };
    if then.meet(*result).is_empty() {
        *condition = condition.meet(Truths::only(false));
    }
    if otherwise.meet(*result).is_empty() {
        *condition = condition.meet(Truths::only(true));
    }
    match condition.known() {
        Some(true) => {
            *then = then.meet(*result);
            *result = *then;
        }
        Some(false) => {
            *otherwise = otherwise.meet(*result);
            *result = *otherwise;
        }
        None => *result = result.meet(then.join(*otherwise)),
    }
}

fn equality(arguments: &mut [Domain], result: &mut Domain, same: bool) -> Option<()> {
    let Domain::Bool(truths) = result else { unreachable!("equality is a truth value") };
    if same {
        *truths = truths.meet(Truths::only(true));
        return (!truths.is_empty()).then_some(());
    }
    match arguments {
        [Domain::Float(_, x), Domain::Float(_, y)] => {
            (*truths, [*x, *y]) = relation::decide(*truths, [*x, *y], relation::identical)?;
        }
        [Domain::Bits(x), Domain::Bits(y)] => {
            (*truths, [*x, *y]) = BitsBox::equal([*x, *y], *truths)?;
        }
        [x, y] => {
            // Truth values and rounding modes: few values.
            let both = x.meet(*y);
            if both.is_empty() && *x != Domain::Untracked {
                *truths = truths.meet(Truths::only(false));
            } else if x.is_single() && *x == *y {
                *truths = truths.meet(Truths::only(true));
            }
            match truths.known() {
                Some(true) => (*x, *y) = (both, both),
                Some(false) => {
                    let (before_x, before_y) = (*x, *y);
                    *x = without(*x, before_y);
                    *y = without(*y, before_x);
                }
                None => {}
            }
            if truths.is_empty() || x.is_empty() || y.is_empty() {
                return None;
            }
        }
        _ => unreachable!("equality has two sides"),
    }
    Some(())
}

/// `x` less the only value of `y`, for truth values and modes.
fn without(x: Domain, y: Domain) -> Domain {
    match (x, y) {
        (Domain::Bool(a), Domain::Bool(b)) => match b.known() {
            Some(value) => Domain::Bool(a.meet(Truths::only(!value))),
            None => x,
        },
        (Domain::Rounding(a), Domain::Rounding(b)) if b.is_single() => {
            let others = a.iter().filter(|mode| !b.contains(*mode));
            Domain::Rounding(others.fold(Modes::NONE, |all, mode| all.join(Modes::only(mode))))
        }
        _ => x,
    }
}

fn bits(op: BitsOp, arguments: &mut [Domain], result: &mut Domain) -> Option<()> {
    let compared = match op {
        BitsOp::Ult => Some((false, true)),
        BitsOp::Ule => Some((false, false)),
        BitsOp::Slt => Some((true, true)),
        BitsOp::Sle => Some((true, false)),
        BitsOp::Not
        | BitsOp::Neg
        | BitsOp::And
        | BitsOp::Or
        | BitsOp::Xor
        | BitsOp::Add
        | BitsOp::Sub
        | BitsOp::Mul
        | BitsOp::Udiv
        | BitsOp::Urem
        | BitsOp::Shl
        | BitsOp::Lshr
        | BitsOp::Ashr
        | BitsOp::Concat
        | BitsOp::Extract { .. }
        | BitsOp::ZeroExtend(_)
        | BitsOp::SignExtend(_) => None,
    };
    match (compared, arguments, result) {
        (Some((signed, strict)), [Domain::Bits(x), Domain::Bits(y)], Domain::Bool(truths)) => {
            (*truths, [*x, *y]) = BitsBox::compare([*x, *y], signed, strict, *truths)?;
        }
        (None, [Domain::Bits(x)], Domain::Bits(z)) => {
            bitwise::project(op, std::slice::from_mut(x), z)?;
        }
        (None, [Domain::Bits(x), Domain::Bits(y)], Domain::Bits(z)) => {
            let mut both = [*x, *y];
            bitwise::project(op, &mut both, z)?;
            [*x, *y] = both;
        }
        // Something too wide is among them.
        _ => {}
    }
    Some(())
}

/// Narrows floats without a rounding mode. Nothing where one is not tracked.
fn narrow<const N: usize>(
    arguments: [&mut Domain; N],
    result: &mut Domain,
    project: impl FnOnce(Grid, [FloatBox; N], FloatBox) -> Option<Narrowed<N>>,
) -> Option<()> {
    let Domain::Float(grid, z) = result else { return Some(()) };
    let mut boxes = [FloatBox::EMPTY; N];
    for (i, argument) in arguments.iter().enumerate() {
        let Domain::Float(_, floats) = argument else { return Some(()) };
        boxes[i] = *floats;
    }
    let narrowed = project(*grid, boxes, *z)?;
    *z = narrowed.result;
    for (argument, floats) in arguments.into_iter().zip(narrowed.arguments) {
        if let Domain::Float(_, left) = argument {
            *left = floats;
        }
    }
    Some(())
}

/// Narrows floats and the rounding mode.
fn rounded<const N: usize>(
    mode: &mut Domain,
    arguments: [&mut Domain; N],
    result: &mut Domain,
    project: impl FnOnce(Grid, Modes, [FloatBox; N], FloatBox) -> Left<N>,
) -> Option<()> {
    let Domain::Rounding(modes) = mode else { unreachable!("a rounding mode comes first") };
    narrow(arguments, result, |grid, boxes, z| {
        let (left, narrowed) = project(grid, *modes, boxes, z)?;
        *modes = left;
        Some(narrowed)
    })
}

/// Narrows the operands of a predicate and its truth.
fn predicate<const N: usize>(
    arguments: [&mut Domain; N],
    result: &mut Domain,
    assume: impl Fn(Grid, [FloatBox; N], bool) -> Option<[FloatBox; N]>,
) -> Option<()> {
    let Domain::Bool(truths) = result else { unreachable!("a predicate is a truth value") };
    let mut boxes = [FloatBox::EMPTY; N];
    let mut grid = None;
    for (i, argument) in arguments.iter().enumerate() {
        let Domain::Float(its, floats) = argument else { return Some(()) };
        (boxes[i], grid) = (*floats, Some(*its));
    }
    let Some(grid) = grid else { return Some(()) };
    let (left, boxes) =
        relation::decide(*truths, boxes, |boxes, value| assume(grid, boxes, value))?;
    *truths = left;
    for (argument, floats) in arguments.into_iter().zip(boxes) {
        *argument = Domain::Float(grid, floats);
    }
    Some(())
}

fn float(
    operation: Operation,
    parameters: Parameters,
    arguments: &mut [Domain],
    z: &mut Domain,
    same: bool,
) -> Option<()> {
    let class = |class: Class| {
        move |grid: Grid, x: [FloatBox; 1], value: bool| class.project(grid, x, value)
    };
    let extremum = |greater, choice| {
        move |grid: Grid, x: [FloatBox; 2], z: FloatBox| sign::extremum(grid, greater, choice, x, z)
    };
    match operation {
        Operation::Add => {
            let [mode, x, y] = of(arguments);
            match same {
                true => rounded(mode, [x], z, diagonal::double),
                false => rounded(mode, [x, y], z, arithmetic::add),
            }
        }
        Operation::Sub => {
            let [mode, x, y] = of(arguments);
            match same {
                true => rounded(mode, [x], z, diagonal::cancel),
                false => rounded(mode, [x, y], z, arithmetic::sub),
            }
        }
        Operation::Mul => {
            let [mode, x, y] = of(arguments);
            match same {
                true => rounded(mode, [x], z, diagonal::square),
                false => rounded(mode, [x, y], z, arithmetic::mul),
            }
        }
        Operation::Div => {
            let [mode, x, y] = of(arguments);
            match same {
                true => rounded(mode, [x], z, diagonal::self_quotient),
                false => rounded(mode, [x, y], z, arithmetic::div),
            }
        }
        Operation::Fma => {
            let [mode, a, b, c] = of(arguments);
            rounded(mode, [a, b, c], z, arithmetic::fma)
        }
        Operation::Sqrt => {
            let [mode, x] = of(arguments);
            rounded(mode, [x], z, arithmetic::sqrt)
        }
        Operation::Remainder => {
            let [x, y] = of(arguments);
            narrow([x, y], z, |grid, x, z| remainder::remainder(grid, Quotient::Nearest, x, z))
        }
        Operation::Fmod => {
            let [x, y] = of(arguments);
            narrow([x, y], z, |grid, x, z| remainder::remainder(grid, Quotient::Truncated, x, z))
        }
        Operation::RoundToIntegral | Operation::RoundToIntegralExact => {
            let [mode, x] = of(arguments);
            rounded(mode, [x], z, conversion::round_to_integral)
        }
        Operation::MinNum => {
            let [x, y] = of(arguments);
            narrow([x, y], z, extremum(false, NanChoice::Other))
        }
        Operation::MaxNum => {
            let [x, y] = of(arguments);
            narrow([x, y], z, extremum(true, NanChoice::Other))
        }
        Operation::Minimum => {
            let [x, y] = of(arguments);
            narrow([x, y], z, extremum(false, NanChoice::Nan))
        }
        Operation::Maximum => {
            let [x, y] = of(arguments);
            narrow([x, y], z, extremum(true, NanChoice::Nan))
        }
        Operation::MinX86 => {
            let [x, y] = of(arguments);
            narrow([x, y], z, extremum(false, NanChoice::Second))
        }
        Operation::MaxX86 => {
            let [x, y] = of(arguments);
            narrow([x, y], z, extremum(true, NanChoice::Second))
        }
        Operation::Abs => {
            let [x] = of(arguments);
            narrow([x], z, |_, x, z| sign::abs(x, z))
        }
        Operation::Neg => {
            let [x] = of(arguments);
            narrow([x], z, |_, x, z| sign::neg(x, z))
        }
        Operation::CopySign => {
            let [x, y] = of(arguments);
            narrow([x, y], z, |_, x, z| sign::copy_sign(x, z))
        }
        Operation::NextUp => {
            let [x] = of(arguments);
            narrow([x], z, |grid, x, z| sign::neighbour(grid, true, x, z))
        }
        Operation::NextDown => {
            let [x] = of(arguments);
            narrow([x], z, |grid, x, z| sign::neighbour(grid, false, x, z))
        }
        Operation::Identical => {
            let [x, y] = of(arguments);
            predicate([x, y], z, |_, x, v| relation::identical(x, v))
        }
        Operation::Equal | Operation::EqualSignaling => {
            let [x, y] = of(arguments);
            match same {
                true => predicate([x], z, |grid, x, v| Class::Nan.project(grid, x, !v)),
                false => predicate([x, y], z, |_, x, v| relation::equal(x, v)),
            }
        }
        Operation::Less | Operation::LessSignaling => {
            let [x, y] = of(arguments);
            predicate([x, y], z, |_, x, v| relation::less(x, v))
        }
        Operation::LessEqual | Operation::LessEqualSignaling => {
            let [x, y] = of(arguments);
            predicate([x, y], z, |_, x, v| relation::less_equal(x, v))
        }
        Operation::Greater | Operation::GreaterSignaling => {
            let [x, y] = of(arguments);
            predicate([y, x], z, |_, x, v| relation::less(x, v))
        }
        Operation::GreaterEqual | Operation::GreaterEqualSignaling => {
            let [x, y] = of(arguments);
            predicate([y, x], z, |_, x, v| relation::less_equal(x, v))
        }
        Operation::Unordered => {
            let [x, y] = of(arguments);
            predicate([x, y], z, |_, x, v| relation::unordered(x, v))
        }
        Operation::IsNan => {
            let [x] = of(arguments);
            predicate([x], z, class(Class::Nan))
        }
        Operation::IsInfinite => {
            let [x] = of(arguments);
            predicate([x], z, class(Class::Infinite))
        }
        Operation::IsFinite => {
            let [x] = of(arguments);
            predicate([x], z, class(Class::Finite))
        }
        Operation::IsZero => {
            let [x] = of(arguments);
            predicate([x], z, class(Class::Zero))
        }
        Operation::IsSubnormal => {
            let [x] = of(arguments);
            predicate([x], z, class(Class::Subnormal))
        }
        Operation::IsNormal => {
            let [x] = of(arguments);
            predicate([x], z, class(Class::Normal))
        }
        // The one NaN has a clear sign bit, so that both mean the same here.
        Operation::IsNegative | Operation::IsSignMinus => {
            let [x] = of(arguments);
            predicate([x], z, class(Class::Negative))
        }
        Operation::IsPositive => {
            let [x] = of(arguments);
            predicate([x], z, class(Class::Positive))
        }
        // Whether the NaN signals is not tracked: only that it is one.
        Operation::IsSignaling => {
            let [x] = of(arguments);
            predicate(
                [x],
                z,
                |grid, x, value| {
                    if value { Class::Nan.project(grid, x, true) } else { Some(x) }
                },
            )
        }
        Operation::Convert => {
            let [Domain::Rounding(modes), Domain::Float(from, x)] = of(arguments) else {
                return Some(());
            };
            let Domain::Float(to, z) = z else { return Some(()) };
            let narrowed;
            (*modes, narrowed) = conversion::convert(*from, *to, *modes, [*x], *z)?;
            (*x, *z) = (narrowed.arguments[0], narrowed.result);
            Some(())
        }
        Operation::FromSigned | Operation::FromUnsigned => {
            let [Domain::Rounding(modes), Domain::Bits(x)] = of(arguments) else { return Some(()) };
            let Domain::Float(grid, z) = z else { return Some(()) };
            if x.width > WIDEST_INTEGER {
                return Some(());
            }
            let signed = operation == Operation::FromSigned;
            let values = if signed { x.signed() } else { x.unsigned() };
            let narrowed;
            (*modes, narrowed) = conversion::from_integer(*grid, *modes, values, *z)?;
            *z = narrowed.result;
            *x = within(*x, narrowed.arguments[0].numbers, signed)?;
            Some(())
        }
        Operation::ToSigned | Operation::ToUnsigned => {
            let [Domain::Rounding(modes), Domain::Float(grid, x)] = of(arguments) else {
                return Some(());
            };
            let Domain::Bits(z) = z else { return Some(()) };
            if z.width > WIDEST_INTEGER {
                return Some(());
            }
            let signed = operation == Operation::ToSigned;
            let least = if signed { -(1i128 << (z.width - 1)) } else { 0 };
            let range = Interval::new(least, least + (1i128 << z.width) - 1);
            let values = if signed { z.signed() } else { z.unsigned() };
            let left;
            (*modes, *x, left) = conversion::to_integer(*grid, *modes, range, *x, values)?;
            *z = within(*z, left, signed)?;
            Some(())
        }
        Operation::FromBits => {
            let [Domain::Bits(bits)] = of(arguments) else { return Some(()) };
            let Domain::Float(grid, floats) = z else { return Some(()) };
            encoding(*grid, bits, floats, parameters.format.explicit_integer_bit, false)
        }
        Operation::ToBits => {
            let [Domain::Float(grid, floats)] = of(arguments) else { return Some(()) };
            let Domain::Bits(bits) = z else { return Some(()) };
            encoding(*grid, bits, floats, parameters.format.explicit_integer_bit, true)
        }
    }
}

/// The arguments of an operation, of which there are as many as terms are typed to have.
fn of<const N: usize>(arguments: &mut [Domain]) -> &mut [Domain; N] {
    arguments.try_into().expect("an operation has as many arguments as its row says")
}

/// The strings whose value as an integer lies within; `None` if there are none.
fn within(bits: BitsBox, values: Interval, signed: bool) -> Option<BitsBox> {
    let left = if values.is_empty() {
        BitsBox::empty(bits.width)
    } else if signed {
        bits.within_signed(values)
    } else {
        bits.within(values.lo.max(0) as u128, values.hi.max(0) as u128)
    };
    (!left.is_empty()).then_some(left)
}

/// Floats and their encodings. Every encoding of a NaN reads as NaN; NaN is
/// written as the `canonical` one, if that is asked for.
fn encoding(
    grid: Grid,
    bits: &mut BitsBox,
    floats: &mut FloatBox,
    explicit: bool,
    canonical: bool,
) -> Option<()> {
    if explicit {
        return Some(());
    }
    let sign = 1u128 << (bits.width - 1);
    let infinity = grid.infinity() as u128;
    let mut bits_left = BitsBox::empty(bits.width);
    let mut floats_left = FloatBox::EMPTY;
    for base in [0, sign] {
        let encodings = bits.within(base, base + infinity);
        if !encodings.is_empty() {
            let ends = Interval::new((encodings.lo - base) as i128, (encodings.hi - base) as i128);
            let numbers = if base == 0 { ends } else { ends.negated() };
            let numbers = numbers.meet(floats.numbers);
            if !numbers.is_empty() {
                let magnitudes = if base == 0 { numbers } else { numbers.negated() };
                let (lo, hi) = (magnitudes.lo as u128 + base, magnitudes.hi as u128 + base);
                let kept = encodings.within(lo, hi);
                if !kept.is_empty() {
                    bits_left = bits_left.join(kept);
                    floats_left = floats_left.join(FloatBox { numbers, nan: false });
                }
            }
        }
        if floats.nan {
            let nans = match (canonical, base) {
                (true, 0) => bits.within(grid.nan(), grid.nan()),
                (true, _) => BitsBox::empty(bits.width),
                (false, _) => bits.within(base + infinity + 1, base + (sign - 1)),
            };
            if !nans.is_empty() {
                bits_left = bits_left.join(nans);
                floats_left.nan = true;
            }
        }
    }
    (*bits, *floats) = (bits_left, floats_left);
    (!bits.is_empty() && !floats.is_empty()).then_some(())
}
