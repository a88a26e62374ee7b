//! The projections of functions of bit strings, by enumeration of three bits.

mod draw;

use draw::Draw;
use nanoscope_solver::propagate::{BitsBox, Domain, Truths, constraint};
use nanoscope_term::{BitsOp, Model, Op, Terms, Value, evaluate};

const WIDTH: u32 = 3;

/// A box of some strings: their hull, or a little more.
fn any_box(draw: &mut Draw, width: u32) -> BitsBox {
    let mut boxed = BitsBox::point(width, draw.next() as u128);
    for _ in 0..draw.below(4) {
        boxed = boxed.join(BitsBox::point(width, draw.next() as u128));
    }
    boxed
}

fn holds(bits: BitsBox, value: u128) -> bool {
    !bits.meet(BitsBox::point(bits.width, value)).is_empty()
}

/// No solution of `z = op(x, y)` is lost, whatever the boxes.
fn check(op: BitsOp, arity: usize) {
    let mut terms = Terms::without_rewriting();
    let mut solutions = Vec::new();
    let mut result_width = None;
    for x in 0..1u128 << WIDTH {
        for y in 0..1u128 << WIDTH {
            let arguments = [x, y].map(|value| terms.bits(WIDTH, value));
            let term = terms.make(Op::Bits(op), &arguments[..arity]);
            let z = match evaluate(&terms, &Model::new(), term) {
                Value::Bits(word) => {
                    result_width = Some(word.width());
                    word.to_u128().unwrap()
                }
                Value::Bool(value) => value as u128,
                other => panic!("{other:?}"),
            };
            solutions.push(([x, y], z));
        }
    }
    let mut draw = Draw(op.name().len() as u64);
    let mut narrowed = 0;
    for _ in 0..3000 {
        let given = [any_box(&mut draw, WIDTH), any_box(&mut draw, WIDTH)];
        let result = match result_width {
            Some(width) => Domain::Bits(any_box(&mut draw, width)),
            None => Domain::Bool(
                [Truths::BOTH, Truths::only(true), Truths::only(false)][draw.below(3) as usize],
            ),
        };
        let within = |domain: Domain, z: u128| match domain {
            Domain::Bits(bits) => holds(bits, z),
            Domain::Bool(truths) => {
                if z == 1 {
                    truths.may_hold
                } else {
                    truths.may_fail
                }
            }
            other => panic!("{other:?}"),
        };
        let mut arguments = given.map(Domain::Bits);
        let mut left = result;
        let projected =
            constraint::project(Op::Bits(op), &mut arguments[..arity], &mut left, false);
        for ([x, y], z) in &solutions {
            let inside = holds(given[0], *x) && holds(given[1], *y) && within(result, *z);
            if inside {
                let kept = within(left, *z)
                    && within(arguments[0], *x)
                    && (arity == 1 || within(arguments[1], *y));
                assert!(
                    projected.is_some() && kept,
                    "{op:?} {x} {y} = {z} lost from {given:?} {result:?}: {arguments:?} {left:?}"
                );
            }
        }
        narrowed += (projected.is_none() || left != result) as u32;
    }
    println!("{op:?}: {narrowed} of 3000 narrowed");
    assert!(narrowed > 100, "{op:?}");
}

#[test]
fn three_bits() {
    for op in [BitsOp::Not, BitsOp::Neg, BitsOp::ZeroExtend(2), BitsOp::SignExtend(2)] {
        check(op, 1);
    }
    for (high, low) in [(2, 0), (1, 0), (2, 1), (1, 1), (0, 0), (2, 2)] {
        check(BitsOp::Extract { high, low }, 1);
    }
    for op in [
        BitsOp::And,
        BitsOp::Or,
        BitsOp::Xor,
        BitsOp::Add,
        BitsOp::Sub,
        BitsOp::Mul,
        BitsOp::Udiv,
        BitsOp::Urem,
        BitsOp::Shl,
        BitsOp::Lshr,
        BitsOp::Ashr,
        BitsOp::Concat,
        BitsOp::Ult,
        BitsOp::Ule,
        BitsOp::Slt,
        BitsOp::Sle,
    ] {
        check(op, 2);
    }
}
