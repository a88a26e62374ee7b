//! A term as a constraint: what its operation leaves of the domains of its
//! arguments and itself.

use super::bitwise;
use super::domain::Domain;
use nanoscope_ieee::{Datum, Operation, Parameters, apply};
use nanoscope_sets::operation::compare;
use nanoscope_sets::{
    self as sets, BitsBox, FloatBox, Modes, Operand, Projection, SetDatum, Truths,
};
use nanoscope_term::{BitsOp, Libm, Op, bits_ops, op_heads};
use std::cell::Cell;

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
        Op::Libm(function, _) => return libm(function, arguments, result),
        // Leaves, and what only the door has: nothing to say.
        op_heads!(Leaf, Door) => {}
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
        [Domain::Float(grid, x), Domain::Float(_, y)] => {
            (*truths, [*x, *y]) =
                compare::decide(*truths, |value| compare::identical(*grid, [*x, *y], value))?;
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
        bits_ops!(Logic, Arithmetic, Shift, Slice) => None,
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

/// Narrows floats, rounding modes, bit strings and truth values through an operation of IEEE
/// 754. Nothing where one is not tracked.
fn float(
    operation: Operation,
    parameters: Parameters,
    arguments: &mut [Domain],
    result: &mut Domain,
    same: bool,
) -> Option<()> {
    let Some(given) = datum(result) else { return Some(()) };
    let mut operands = [const { Operand::Bool(Cell::new(Truths::NONE)) }; MOST_OPERANDS];
    for (operand, argument) in operands.iter_mut().zip(&*arguments) {
        let Some(set) = datum(argument) else { return Some(()) };
        *operand = cell(set);
    }
    let mut projection = Projection { result: given, same };
    let operands = &operands[..arguments.len()];
    let (left, consistent) =
        apply(&mut projection, operation, &parameters, operands).expect("terms are typed");
    if !consistent {
        return None;
    }
    update(result, &left);
    for (argument, left) in arguments.iter_mut().zip(operands) {
        update(argument, left);
    }
    Some(())
}

/// The most operands of an operation: a rounding mode and three floats.
const MOST_OPERANDS: usize = 4;

/// A domain as a set; `None` where nothing is tracked.
fn datum(domain: &Domain) -> Option<SetDatum<FloatBox, BitsBox>> {
    Some(match domain {
        Domain::Bool(truths) => Datum::Bool(*truths),
        Domain::Float(_, floats) => Datum::Float(*floats),
        Domain::Bits(bits) => Datum::Bits(*bits),
        Domain::Rounding(modes) => Datum::Rounding(*modes),
        Domain::Untracked => return None,
    })
}

fn cell(set: SetDatum<FloatBox, BitsBox>) -> Operand<FloatBox, BitsBox> {
    match set {
        Datum::Bool(truths) => Datum::Bool(Cell::new(truths)),
        Datum::Float(floats) => Datum::Float(Cell::new(floats)),
        Datum::Bits(bits) => Datum::Bits(Cell::new(bits)),
        Datum::Rounding(modes) => Datum::Rounding(Cell::new(modes)),
    }
}

fn update(domain: &mut Domain, left: &Operand<FloatBox, BitsBox>) {
    match (domain, left) {
        (Domain::Bool(truths), Datum::Bool(left)) => *truths = left.get(),
        (Domain::Float(_, floats), Datum::Float(left)) => *floats = left.get(),
        (Domain::Bits(bits), Datum::Bits(left)) => *bits = left.get(),
        (Domain::Rounding(modes), Datum::Rounding(left)) => *modes = left.get(),
        (domain, left) => unreachable!("{domain:?} and {left:?} are of different sorts"),
    }
}

/// Narrows through a function of the mathematical library.
fn libm(function: Libm, arguments: &mut [Domain], result: &mut Domain) -> Option<()> {
    let Domain::Float(grid, z) = result else { return Some(()) };
    match arguments {
        [Domain::Float(_, x)] => {
            let left = sets::libm::narrow(*grid, function, [*x], *z)?;
            ([*x], *z) = (left.arguments, left.result);
        }
        [Domain::Float(_, x), Domain::Float(_, y)] => {
            let left = sets::libm::narrow_binary(*grid, function, [*x, *y], *z)?;
            ([*x, *y], *z) = (left.arguments, left.result);
        }
        // Something too wide is among them.
        _ => {}
    }
    Some(())
}
