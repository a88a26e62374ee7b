//! Acts against the operation table on a tiny format: each concrete result is inside, each
//! exception that `program`'s `distance` sees is announced.

use crate::domain::values as acts;
use crate::exceptions::FloatTransfer;
use crate::integers::{self, Integers};
use crate::value::AbstractValue;
use nanoscope_ieee::{Datum, Float, Format, Operation, Parameters, Word, evaluate};
use nanoscope_program::ir::{Act, IntegerOperation, IntegerPredicate, IntegerUnary, Mode, Type};
use nanoscope_program::{Action, distance};
use nanoscope_sets::floats::granularity::{FINEST, Grain};
use nanoscope_sets::{Floats, Grid, Modes, Order, Span};

const TINY: Format = Format::new(3, 3);

/// A small generator, so that a run can be repeated.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    pub fn chance(&mut self) -> bool {
        self.roll(2) == 1
    }

    /// Some floats of a format.
    pub fn floats(&mut self, format: Format) -> Floats {
        let infinity = Grid::of(format).infinity();
        let mut span = || {
            if self.roll(3) == 0 {
                return Span::EMPTY;
            }
            let mut end = || 1 + (self.roll(infinity as u64)) as i128;
            let (a, b) = (end(), end());
            Span::new(a.min(b), a.max(b))
        };
        let (positive, negative) = (span(), span());
        Floats {
            format,
            positive,
            negative,
            plus_zero: self.chance(),
            minus_zero: self.chance(),
            nan: self.roll(4) == 0,
            grain: match self.roll(3) {
                0 => (self.roll(9) as Grain) - 6,
                _ => FINEST,
            },
        }
    }
}

fn members(floats: &Floats) -> Vec<Float> {
    let format = floats.format;
    (0..1u128 << format.width())
        .map(|bits| Float::from_bits(format, bits))
        .filter(|value| floats.contains(value))
        .collect()
}

fn check(
    operation: Operation,
    parameters: Parameters,
    action: Option<Action>,
    modes: Modes,
    operands: &[&Floats],
    outcome: &FloatTransfer,
) {
    let lists: Vec<Vec<Float>> = operands.iter().map(|x| members(x)).collect();
    let mut tuples: Vec<Vec<Float>> = vec![vec![]];
    for list in &lists {
        tuples = tuples
            .iter()
            .flat_map(|tuple| {
                list.iter().map(|value| {
                    let mut longer = tuple.clone();
                    longer.push(value.clone());
                    longer
                })
            })
            .collect();
    }
    for tuple in &tuples {
        for rounding in modes.iter() {
            let mut data = Vec::new();
            if operation.operands()[0] == nanoscope_ieee::Sort::Rounding {
                data.push(Datum::Rounding(Word::from(rounding)));
            }
            data.extend(tuple.iter().map(|x| Datum::Float(x.word().clone())));
            let (Datum::Float(word), _) = evaluate(operation, &parameters, &data).unwrap() else {
                panic!("{operation} gives a float");
            };
            let target = outcome.result.format;
            let result = Float::from_word(target, word);
            assert!(
                outcome.result.contains(&result),
                "{operation} {tuple:?} {rounding} = {result} not in {} of {operands:?}",
                outcome.result
            );
            let Some(action) = action else { continue };
            let bits: Vec<u128> = tuple.iter().map(|x| x.to_bits().unwrap()).collect();
            for exception in action.exceptions() {
                let far = distance(action, target, exception, &bits, result.to_bits().unwrap());
                assert!(
                    far > 0 || outcome.raised.contains(exception),
                    "{operation} {tuple:?} {rounding} raises {exception}, of {operands:?}"
                );
            }
        }
    }
}

#[test]
fn acts_on_sets_of_floats() {
    let mut dice = Dice::new(12);
    let of = Parameters::of(TINY);
    for round in 0..150 {
        let modes = if round % 3 == 0 { Modes::ALL } else { Modes::NEAREST };
        let (x, y, z) = (dice.floats(TINY), dice.floats(TINY), dice.floats(TINY));
        for (operation, action) in [
            (Operation::Add, Some(Action::Add)),
            (Operation::Sub, Some(Action::Sub)),
            (Operation::Mul, Some(Action::Mul)),
            (Operation::Div, Some(Action::Div)),
            (Operation::Fmod, Some(Action::Rem)),
            (Operation::Remainder, Some(Action::Rem)),
            (Operation::Sqrt, Some(Action::Sqrt)),
            (Operation::Fma, Some(Action::Fma)),
            (Operation::MinNum, None),
            (Operation::CopySign, None),
            (Operation::RoundToIntegral, None),
            (Operation::Neg, None),
            (Operation::Abs, None),
        ] {
            let count = match operation {
                Operation::RoundToIntegral | Operation::Neg | Operation::Abs | Operation::Sqrt => 1,
                Operation::Fma => 3,
                // The others take two.
                _ => 2,
            };
            let operands = [&x, &y, &z];
            if operation == Operation::Fma && round % 12 > 0 {
                continue;
            }
            let values =
                [AbstractValue::float(x), AbstractValue::float(y), AbstractValue::float(z)];
            let act = Act::Float {
                operation,
                parameters: of,
                mode: Mode::Dynamic,
                operands: Box::default(),
                relaxed: false,
            };
            let values: Vec<&AbstractValue> = values.iter().take(count).collect();
            let ty = Type::Float(TINY);
            let computed = acts::evaluate(modes, &act, &values, &ty, Order::default()).unwrap();
            let outcome =
                FloatTransfer { result: computed.value.floats(TINY), raised: computed.raised };
            check(operation, of, action, modes, &operands[..count], &outcome);
        }
    }
}

#[test]
fn the_least_integer_has_no_absolute_value() {
    let abs = |lo, hi| integers::unary(IntegerUnary::Abs, &Integers::between(5, lo, hi));
    assert_eq!(abs(-15, 3), Integers::between(5, 0, 15));
    assert_eq!(abs(-15, -4), Integers::between(5, 4, 15));
    assert_eq!(abs(2, 7), Integers::between(5, 2, 7));
    // What a compiler makes of it may be compared as positive and converted as negative.
    assert_eq!(abs(-16, 3), Integers::everything(5));
}

#[test]
fn integer_operations_on_five_bits() {
    use IntegerOperation::*;
    const BITS: u32 = 5;
    let mut dice = Dice::new(7);
    let mut some = move || {
        let (least, greatest) = Integers::limits(BITS);
        let mut end = || least + dice.roll((greatest - least + 1) as u64) as i128;
        let (a, b, c, d) = (end(), end(), end(), end());
        // With a gap, as a rule.
        Integers::united(BITS, &mut [(a.min(b), a.max(b)), (c.min(d), c.max(d))])
    };
    let operations = [
        Add,
        Sub,
        Mul,
        UnsignedDiv,
        SignedDiv,
        UnsignedRem,
        SignedRem,
        ShiftLeft,
        LogicalShiftRight,
        ArithmeticShiftRight,
        And,
        Or,
        Xor,
        UnsignedMin,
        UnsignedMax,
        SignedMin,
        SignedMax,
        SaturatingUnsignedAdd,
        SaturatingSignedAdd,
        SaturatingUnsignedSub,
        SaturatingSignedSub,
    ];
    let predicates = [
        IntegerPredicate::Equal,
        IntegerPredicate::NotEqual,
        IntegerPredicate::UnsignedGreater,
        IntegerPredicate::UnsignedGreaterEqual,
        IntegerPredicate::UnsignedLess,
        IntegerPredicate::UnsignedLessEqual,
        IntegerPredicate::SignedGreater,
        IntegerPredicate::SignedGreaterEqual,
        IntegerPredicate::SignedLess,
        IntegerPredicate::SignedLessEqual,
    ];
    let unsigned = |x: i128| x & 31;
    for _ in 0..150 {
        let (a, b) = (some(), some());
        for x in (a.lo()..=a.hi()).filter(|x| a.contains(*x)) {
            for y in (b.lo()..=b.hi()).filter(|y| b.contains(*y)) {
                for operation in operations {
                    let (ux, uy) = (unsigned(x), unsigned(y));
                    let concrete = match operation {
                        Add => x + y,
                        Sub => x - y,
                        Mul => x * y,
                        UnsignedDiv if uy != 0 => ux / uy,
                        SignedDiv if y != 0 => x / y,
                        UnsignedRem if uy != 0 => ux % uy,
                        SignedRem if y != 0 => x % y,
                        ShiftLeft if uy < 5 => x << uy,
                        LogicalShiftRight if uy < 5 => ux >> uy,
                        ArithmeticShiftRight if uy < 5 => x >> uy,
                        And => x & y,
                        Or => x | y,
                        Xor => x ^ y,
                        UnsignedMin => ux.min(uy),
                        UnsignedMax => ux.max(uy),
                        SignedMin => x.min(y),
                        SignedMax => x.max(y),
                        SaturatingUnsignedAdd => (ux + uy).min(31),
                        SaturatingSignedAdd => (x + y).clamp(-16, 15),
                        SaturatingUnsignedSub => (ux - uy).max(0),
                        SaturatingSignedSub => (x - y).clamp(-16, 15),
                        // Undefined there.
                        _ => continue,
                    };
                    let concrete = Integers::of_bits(BITS, unsigned(concrete) as u128).lo();
                    let found = integers::binary(operation, &a, &b).expect("an integer");
                    assert!(found.contains(concrete), "{x} {operation:?} {y} not in {found}");
                }
                for predicate in predicates {
                    let holds = match predicate {
                        IntegerPredicate::Equal => x == y,
                        IntegerPredicate::NotEqual => x != y,
                        IntegerPredicate::UnsignedGreater => unsigned(x) > unsigned(y),
                        IntegerPredicate::UnsignedGreaterEqual => unsigned(x) >= unsigned(y),
                        IntegerPredicate::UnsignedLess => unsigned(x) < unsigned(y),
                        IntegerPredicate::UnsignedLessEqual => unsigned(x) <= unsigned(y),
                        IntegerPredicate::SignedGreater => x > y,
                        IntegerPredicate::SignedGreaterEqual => x >= y,
                        IntegerPredicate::SignedLess => x < y,
                        IntegerPredicate::SignedLessEqual => x <= y,
                    };
                    assert!(integers::compare(predicate, &a, &b).may_be(holds));
                    let (left, right) = integers::refined(predicate, &a, &b);
                    if holds {
                        assert!(left.contains(x) && right.contains(y), "{x} {predicate:?} {y}");
                    }
                }
            }
        }
    }
}
