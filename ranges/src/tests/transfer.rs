//! Every transfer function against the operation table, exhaustively on a tiny format:
//! each concrete result is inside, each exception that `program`'s `distance` sees is
//! announced.

use crate::arithmetic::{self, Modes, Order};
use crate::domain::values as acts;
use crate::exceptions::{Exceptions, Outcome};
use crate::floats::{Floats, Span};
use crate::grain::{FINEST, Grain};
use crate::grid;
use crate::integers::{self, Integers};
use crate::pieces::{self, NanChoice};
use crate::relation::{self, Relation};
use crate::value::Value;
use nanoscope_ieee::{Datum, Float, Format, Operation, Parameters, Rounding, Word, evaluate};
use nanoscope_program::ir::{
    Act, FloatPredicate, IntegerOperation, IntegerPredicate, IntegerUnary, Mode, Type,
};
use nanoscope_program::{Action, distance};

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
        let infinity = grid::infinity(format);
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

fn quiet(result: Floats) -> Outcome {
    Outcome { result, raised: Exceptions::NONE }
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
    holds: impl Fn(&[Float]) -> bool,
    outcome: &Outcome,
) {
    let roundings: &[Rounding] = match modes {
        Modes::Nearest => &[Rounding::NearestEven],
        Modes::Any => &Rounding::ALL,
    };
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
    for tuple in tuples.iter().filter(|tuple| holds(tuple)) {
        for &rounding in roundings {
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
fn rounded_operations_on_a_tiny_format() {
    let mut dice = Dice::new(1);
    let of = Parameters::of(TINY);
    let all = |_: &[Float]| true;
    for round in 0..120 {
        let modes = if round % 3 == 0 { Modes::Any } else { Modes::Nearest };
        let (x, y) = (dice.floats(TINY), dice.floats(TINY));
        let any = Order::default();
        let both = [&x, &y];
        let run = |operation, action, outcome: Outcome| {
            check(operation, of, Some(action), modes, &both, all, &outcome);
        };
        run(Operation::Add, Action::Add, arithmetic::add(modes, &x, &y));
        run(Operation::Sub, Action::Sub, arithmetic::sub(modes, &x, &y, any));
        run(Operation::Mul, Action::Mul, arithmetic::mul(modes, &x, &y, false));
        run(Operation::Div, Action::Div, arithmetic::div(modes, &x, &y, false));
        run(Operation::Fmod, Action::Rem, arithmetic::remainder(&x, &y, false));
        run(Operation::Remainder, Action::Rem, arithmetic::remainder(&x, &y, true));
        let sqrt = arithmetic::sqrt(modes, &x);
        check(Operation::Sqrt, of, Some(Action::Sqrt), modes, &[&x], all, &sqrt);
        // The same value twice.
        let same = |tuple: &[Float]| tuple[0] == tuple[1];
        let twice = [&x, &x];
        let square = arithmetic::mul(modes, &x, &x, true);
        check(Operation::Mul, of, Some(Action::Mul), modes, &twice, same, &square);
        let ratio = arithmetic::div(modes, &x, &x, true);
        check(Operation::Div, of, Some(Action::Div), modes, &twice, same, &ratio);
        let itself = Order { same: true, ..any };
        let nought = arithmetic::sub(modes, &x, &x, itself);
        check(Operation::Sub, of, Some(Action::Sub), modes, &twice, same, &nought);
    }
}

#[test]
fn acts_on_multiples_of_powers_of_two() {
    let mut dice = Dice::new(12);
    let of = Parameters::of(TINY);
    for round in 0..150 {
        let modes = if round % 3 == 0 { Modes::Any } else { Modes::Nearest };
        let (x, y) = (dice.floats(TINY), dice.floats(TINY));
        for (operation, action) in [
            (Operation::Add, Some(Action::Add)),
            (Operation::Sub, Some(Action::Sub)),
            (Operation::Mul, Some(Action::Mul)),
            (Operation::Div, Some(Action::Div)),
            (Operation::Fmod, Some(Action::Rem)),
            (Operation::MinNum, None),
            (Operation::CopySign, None),
            (Operation::RoundToIntegral, None),
            (Operation::Neg, None),
            (Operation::Abs, None),
        ] {
            let count = match operation {
                Operation::RoundToIntegral | Operation::Neg | Operation::Abs => 1,
                // The others take two.
                _ => 2,
            };
            let operands = [&x, &y];
            let values = [Value::float(x), Value::float(y)];
            let act = Act::Float {
                operation,
                parameters: of,
                mode: Mode::Dynamic,
                operands: Box::default(),
                relaxed: false,
            };
            let values: Vec<&Value> = values.iter().take(count).collect();
            let ty = Type::Float(TINY);
            let computed = acts::evaluate(modes, &act, &values, &ty, Order::default()).unwrap();
            let outcome = Outcome { result: computed.value.floats(TINY), raised: computed.raised };
            check(operation, of, action, modes, &operands[..count], |_| true, &outcome);
        }
    }
}

#[test]
fn differences_of_ordered_numbers() {
    let mut dice = Dice::new(2);
    for round in 0..100 {
        let modes = if round % 3 == 0 { Modes::Any } else { Modes::Nearest };
        let (x, y) = (dice.floats(TINY), dice.floats(TINY));
        for predicate in [
            FloatPredicate::OrderedLess,
            FloatPredicate::UnorderedGreaterEqual,
            FloatPredicate::OrderedNotEqual,
            FloatPredicate::OrderedGreater,
        ] {
            let relation = Relation::of(predicate);
            let outcome = arithmetic::sub(modes, &x, &y, relation.order());
            let holds = |tuple: &[Float]| {
                let [a, b] = [0, 1].map(|i| Floats::of(&tuple[i]));
                relation.truth(&a, &b, Order::default()).may_be(true)
            };
            let of = Parameters::of(TINY);
            check(Operation::Sub, of, Some(Action::Sub), modes, &[&x, &y], holds, &outcome);
        }
    }
}

#[test]
fn fused_and_converted() {
    let mut dice = Dice::new(3);
    let all = |_: &[Float]| true;
    for round in 0..12 {
        let modes = if round % 3 == 0 { Modes::Any } else { Modes::Nearest };
        let (x, y, z) = (dice.floats(TINY), dice.floats(TINY), dice.floats(TINY));
        let outcome = arithmetic::fma(modes, &x, &y, &z);
        let of = Parameters::of(TINY);
        check(Operation::Fma, of, Some(Action::Fma), modes, &[&x, &y, &z], all, &outcome);
    }
    for round in 0..60 {
        let modes = if round % 3 == 0 { Modes::Any } else { Modes::Nearest };
        for from in [TINY, Format::new(5, 5), Format::new(3, 6)] {
            for to in [TINY, Format::new(4, 3), Format::new(2, 4)] {
                let x = dice.floats(from);
                let outcome = arithmetic::convert(modes, to, &x);
                let parameters = Parameters::between(from, to);
                let action = (!to.holds(from)).then_some(Action::Narrow { from });
                check(Operation::Convert, parameters, action, modes, &[&x], all, &outcome);
            }
        }
    }
}

#[test]
fn operations_that_pick() {
    let mut dice = Dice::new(4);
    let of = Parameters::of(TINY);
    for _ in 0..150 {
        let (x, y) = (dice.floats(TINY), dice.floats(TINY));
        let run = |operation, result: Floats, operands: &[&Floats]| {
            check(operation, of, None, Modes::Nearest, operands, |_| true, &quiet(result));
        };
        for (operation, greater, choice) in [
            (Operation::MinNum, false, NanChoice::Other),
            (Operation::MaxNum, true, NanChoice::Other),
            (Operation::Minimum, false, NanChoice::Nan),
            (Operation::Maximum, true, NanChoice::Nan),
            (Operation::MinX86, false, NanChoice::Second),
            (Operation::MaxX86, true, NanChoice::Second),
        ] {
            run(operation, pieces::extremum(greater, choice, &x, &y), &[&x, &y]);
        }
        run(Operation::CopySign, pieces::copy_sign(&x, &y), &[&x, &y]);
        run(Operation::NextUp, pieces::neighbour(true, &x), &[&x]);
        run(Operation::NextDown, pieces::neighbour(false, &x), &[&x]);
        run(Operation::Abs, x.magnitudes(), &[&x]);
        run(Operation::Neg, x.negated(), &[&x]);
        for rounding in Rounding::ALL {
            for mode in [Some(rounding), None] {
                let result = pieces::integral(mode, &x);
                for value in members(&x) {
                    let concrete = value.round_to_integral(rounding).0;
                    assert!(result.contains(&concrete), "{value} rounds to {concrete}");
                }
            }
        }
    }
}

#[test]
fn comparisons_refine_soundly() {
    use FloatPredicate::*;
    let mut dice = Dice::new(5);
    let predicates = [
        False,
        OrderedEqual,
        OrderedGreater,
        OrderedGreaterEqual,
        OrderedLess,
        OrderedLessEqual,
        OrderedNotEqual,
        Ordered,
        Unordered,
        UnorderedEqual,
        UnorderedGreater,
        UnorderedGreaterEqual,
        UnorderedLess,
        UnorderedLessEqual,
        UnorderedNotEqual,
        True,
    ];
    for _ in 0..150 {
        let (x, y) = (dice.floats(TINY), dice.floats(TINY));
        for predicate in predicates {
            let relation = Relation::of(predicate);
            let truth = relation.truth(&x, &y, Order::default());
            let (left, right) = relation.refine(&x, &y);
            for a in members(&x) {
                for b in members(&y) {
                    let holds = match a.partial_order(&b) {
                        None => relation.meet(Relation::UNORDERED) != Relation::of(False),
                        Some(std::cmp::Ordering::Less) => {
                            relation.meet(Relation::LESS) != Relation::of(False)
                        }
                        Some(std::cmp::Ordering::Equal) => {
                            relation.meet(Relation::EQUAL) != Relation::of(False)
                        }
                        Some(std::cmp::Ordering::Greater) => {
                            relation.meet(Relation::GREATER) != Relation::of(False)
                        }
                    };
                    assert!(truth.may_be(holds), "{a} {predicate:?} {b}");
                    if holds {
                        assert!(left.contains(&a) && right.contains(&b), "{a} {predicate:?} {b}");
                    }
                }
            }
        }
        for mask in [1, 3, 0x3fc, 0x204, 0x90, 0x60, 0x108] {
            let truth = relation::classify(mask, &x);
            for a in members(&x).iter().filter(|a| !a.is_nan()) {
                let point = Floats::of(a);
                let inside = relation::classify(mask, &point);
                assert!(truth.lo() <= inside.lo() && inside.hi() <= truth.hi(), "{a} in {mask:x}");
            }
        }
    }
}

#[test]
fn integers_and_floats() {
    let mut dice = Dice::new(6);
    let wide = Format::new(5, 5);
    for _ in 0..200 {
        let x = dice.floats(wide);
        for signed in [false, true] {
            for out_of_range in nanoscope_ieee::OutOfRange::ALL {
                for rounding in [Rounding::TowardZero, Rounding::NearestEven] {
                    let (found, raised) =
                        pieces::to_integer(Some(rounding), &x, 6, signed, out_of_range);
                    let found = found.expect("six bits");
                    for value in members(&x) {
                        let (word, flags) = if signed {
                            value.to_signed(6, rounding, out_of_range)
                        } else {
                            value.to_unsigned(6, rounding, out_of_range)
                        };
                        let integer = Integers::of_bits(6, word.to_u128().unwrap());
                        assert!(
                            found.contains(integer.lo()),
                            "{value} to {integer}, not in {found}"
                        );
                        let exception = nanoscope_program::Exception::ConversionOutOfRange;
                        assert!(
                            !flags.invalid || raised.contains(exception),
                            "{value} out of range"
                        );
                    }
                }
            }
        }
        if let Some(bits) = pieces::to_bits(&x) {
            for value in members(&x).iter().filter(|v| !v.is_nan()) {
                let encoding = Integers::of_bits(wide.width(), value.to_bits().unwrap());
                assert!(bits.contains(encoding.lo()));
                assert!(pieces::from_bits(wide, &encoding).contains(value));
            }
            let back = pieces::from_bits(wide, &bits);
            assert!(x.within(&back), "{x} within {back}");
        }
        let (a, b) = (dice.roll(64) as i128 - 32, dice.roll(64) as i128 - 32);
        let (lo, hi) = (a.min(b), a.max(b));
        let floats = pieces::from_integer(Modes::Any, TINY, (lo, hi));
        for value in lo..=hi {
            for rounding in Rounding::ALL {
                let word = Word::new(8, value as u128);
                let (float, _) = Float::from_signed(TINY, rounding, &word);
                assert!(floats.contains(&float), "{value} is {float}, not in {floats}");
            }
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
