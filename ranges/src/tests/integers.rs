//! Integers with a gap, and operations on them forward and backward: everything exhaustively on
//! few bits.

use super::transfer::Dice;
use crate::integers::{self, Integers};
use crate::preimage;
use nanoscope_program::ir::{IntegerOperation, IntegerUnary};

const BITS: u32 = 6;

/// Some integers, with a gap as a rule; single values now and then, as masks and distances are.
fn some(dice: &mut Dice, bits: u32) -> Integers {
    let (least, greatest) = Integers::limits(bits);
    let mut ends = [0; 4].map(|_| least + dice.roll((greatest - least + 1) as u64) as i128);
    if dice.roll(3) == 0 {
        return Integers::between(bits, ends[0], ends[0]);
    }
    ends.sort_unstable();
    let [a, b, c, d] = ends;
    if dice.chance() {
        Integers::between(bits, a, b)
    } else {
        Integers::united(bits, &mut [(a, b), (c, d)])
    }
}

fn members(a: &Integers) -> Vec<i128> {
    (a.lo()..=a.hi()).filter(|x| a.contains(*x)).collect()
}

fn unsigned(bits: u32, x: i128) -> i128 {
    x & ((1 << bits) - 1)
}

/// What an operation gives, where it is defined.
fn concrete(operation: IntegerOperation, x: i128, y: i128) -> Option<i128> {
    use IntegerOperation::*;
    let (ux, uy) = (unsigned(BITS, x), unsigned(BITS, y));
    let within = uy < i128::from(BITS);
    let value = match operation {
        Add => x + y,
        Sub => x - y,
        Mul => x * y,
        And => x & y,
        Or => x | y,
        Xor => x ^ y,
        ShiftLeft if within => x << uy,
        LogicalShiftRight if within => ux >> uy,
        ArithmeticShiftRight if within => x >> uy,
        ShiftLeft | LogicalShiftRight | ArithmeticShiftRight => return None,
        other => panic!("{other:?} is not asked for"),
    };
    Some(Integers::of_bits(BITS, unsigned(BITS, value) as u128).lo())
}

const OPERATIONS: [IntegerOperation; 9] = [
    IntegerOperation::Add,
    IntegerOperation::Sub,
    IntegerOperation::Mul,
    IntegerOperation::And,
    IntegerOperation::Or,
    IntegerOperation::Xor,
    IntegerOperation::ShiftLeft,
    IntegerOperation::LogicalShiftRight,
    IntegerOperation::ArithmeticShiftRight,
];

#[test]
fn operations_on_integers_forward_and_backward() {
    let mut dice = Dice::new(11);
    for _ in 0..250 {
        let (a, b) = (some(&mut dice, BITS), some(&mut dice, BITS));
        let result = some(&mut dice, BITS);
        for operation in OPERATIONS {
            let forward = integers::binary(operation, &a, &b).expect("an integer");
            let (left, right) = preimage::of_integers(operation, &a, &b, &result);
            for x in members(&a) {
                for y in members(&b) {
                    let Some(value) = concrete(operation, x, y) else { continue };
                    assert!(forward.contains(value), "{x} {operation:?} {y} not in {forward}");
                    if result.contains(value) {
                        assert!(
                            left.contains(x) && right.contains(y),
                            "{x} {operation:?} {y} in {result}: of {a}, {b} left {left}, {right}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn sets_of_integers() {
    let mut dice = Dice::new(12);
    for _ in 0..400 {
        let (a, b) = (some(&mut dice, BITS), some(&mut dice, BITS));
        let (join, meet) = (a.join(&b), a.meet(&b));
        let wide = a.widen(&b, &[-9, 0, 13]);
        let mut seen = 0;
        for x in -32..32 {
            if a.contains(x) || b.contains(x) {
                assert!(join.contains(x) && wide.contains(x), "{x} of {a} and {b}");
            }
            if a.contains(x) && b.contains(x) {
                assert!(meet.contains(x), "{x} of {a} and {b}");
            }
            if a.contains(x) {
                seen += 1;
                let (least, greatest) = a.unsigned();
                assert!((least..=greatest).contains(&unsigned(BITS, x)));
                assert!(
                    a.unsigned_pieces().any(|(lo, hi)| { (lo..=hi).contains(&unsigned(BITS, x)) })
                );
                let zeros = i128::from((unsigned(BITS, x) as u128).leading_zeros() + BITS - 128);
                assert!(integers::unary(IntegerUnary::LeadingZeros, &a).contains(zeros));
            }
            for bits in [1, 3] {
                let cut = Integers::of_bits(bits, unsigned(bits, x) as u128);
                let narrow = integers::truncated(&a, bits);
                assert!(!a.contains(x) || narrow.contains(cut.lo()), "{x} cut to {bits}: {narrow}");
            }
            for signed in [false, true] {
                let extended = if signed { x } else { unsigned(BITS, x) };
                let found = integers::extended(&a, 9, signed);
                assert!(!a.contains(x) || found.contains(extended), "{x} in {found}");
                let back = preimage::of_extended(BITS, signed, &found);
                assert!(!found.contains(extended) || back.contains(x), "{x} in {back}");
            }
        }
        assert_eq!(seen, a.pieces().map(|(lo, hi)| hi - lo + 1).sum::<i128>());
        let narrow = some(&mut dice, 3);
        let back = preimage::of_truncated(&a, &narrow);
        for x in members(&a) {
            let cut = Integers::of_bits(3, unsigned(3, x) as u128).lo();
            assert!(!narrow.contains(cut) || back.contains(x), "{x} cut to {narrow}: {back}");
        }
        // What is within stays as it was: fixpoints are found by that.
        assert_eq!(join.join(&a), join);
        assert_eq!(join.join(&b), join);
    }
    for (signed, other) in [(false, 1), (true, -1)] {
        for (lo, hi) in [(0, 0), (other, other), (other.min(0), other.max(0))] {
            let whole = Integers::between(BITS, lo, hi);
            let truth = preimage::of_extended(1, signed, &whole);
            assert_eq!(truth.may_be(false), whole.contains(0));
            assert_eq!(truth.may_be(true), whole.contains(other));
        }
    }
}
