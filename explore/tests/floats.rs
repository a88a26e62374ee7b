//! Floats: what the soft float computes on known operands and what terms say of unknown ones
//! must agree, bit by bit, NaNs and flags included.

mod values;

use nanoscope_explore::Value;
use nanoscope_explore::environment::RoundingMode;
use nanoscope_ieee::{Float, Format, Operation, OutOfRange, Parameters, Rounding, Sort, Word};
use nanoscope_program::ir::{
    Act, ConstantId, FloatPredicate as P, IntegerConversion, Mode, Operand, Special, Type,
};
use nanoscope_term::{Sort as TermSort, Value as Known, VariableId};
use values::{Place, Random};

const NOWHERE: Operand = Operand::Constant(ConstantId(0));

const FORMATS: [Format; 6] = [
    Format::BINARY16,
    Format::BFLOAT16,
    Format::BINARY32,
    Format::BINARY64,
    Format::X87,
    Format::BINARY128,
];

/// The rounding modes that x86 has.
const MODES: [Rounding; 4] =
    [Rounding::NearestEven, Rounding::Upward, Rounding::Downward, Rounding::TowardZero];

/// An act on known operands, and on variables that are these in a model, the rounding mode a
/// variable too if `open`. Where x86 or a library has the choice, some choice must give the
/// same.
fn check(
    act: &Act,
    types: &[Type],
    words: &[Word],
    result: &Type,
    mode: Rounding,
    (tracked, open): (bool, bool),
) {
    let context = || format!("{act:?} on {words:x?} {mode}");
    let mut known = Place::default();
    known.environment.rounding = RoundingMode::Known(mode);
    known.environment.tracked = tracked;
    let operands: Vec<Value> = words.iter().map(|word| Value::word(word.clone())).collect();
    let operands: Vec<&Value> = operands.iter().collect();
    let expected = known.compute().apply(act, &operands, result).expect("floats never fail");
    let out_of_range = !known.obligations.is_empty();

    let mut place = Place::default();
    place.environment.tracked = tracked;
    place.environment.rounding = RoundingMode::Known(mode);
    if open {
        let variable = place.terms.fresh("mode", TermSort::Rounding);
        let id = place.terms.as_variable(variable).expect("a variable");
        place.model.set(id, Known::Rounding(mode));
        place.environment.rounding = RoundingMode::Unknown(variable);
    }
    let operands: Vec<Value> =
        words.iter().zip(types).map(|(word, ty)| place.unknown(ty, word)).collect();
    let operands: Vec<&Value> = operands.iter().collect();
    let found = place.compute().apply(act, &operands, result).expect("floats never fail");

    let parts: Vec<(Value, Value, Type)> = match result {
        Type::Aggregate(aggregate) => (0..aggregate.count())
            .map(|at| {
                let ty = aggregate.member(at).expect("a member").1.clone();
                (expected.part(at as usize).clone(), found.part(at as usize).clone(), ty)
            })
            .collect(),
        _ => vec![(expected, found, result.clone())],
    };
    let mut tries = Vec::new();
    for choice in 0..8u32 {
        let mut same = true;
        for (expected, found, ty) in &parts {
            // Bits first: asking for them may make choices.
            let term = place.compute().bits_of(found, ty);
            choose(&mut place, choice);
            let found = place.value(term).as_bits().expect("bits").clone();
            let expected = expected.as_word(found.width());
            let free = free_nan(act, ty, &found, expected.as_ref());
            same &= free || expected.as_ref() == Some(&found);
            tries.push((found, expected));
        }
        let flags = (known.flags(), place.flags());
        let noted = place.obligations.clone();
        let noted = noted.iter().any(|one| place.truth(one.condition));
        if same && (!tracked || flags.0 == flags.1) && noted == out_of_range {
            return;
        }
        if choice == 7 {
            panic!("{}: {tries:x?}, flags {flags:?}, noted {noted} {out_of_range}", context());
        }
    }
}

/// Sets the truth values that stand for a choice of the hardware.
fn choose(place: &mut Place, choice: u32) {
    let names = ["which_nan", "which_zero", "signaling_wins"];
    let mut number = 0;
    for index in 0..200 {
        for name in names {
            let symbol = format!("{name}!{index}");
            let before = place.terms.len();
            let term = place.terms.variable(&symbol, TermSort::Bool);
            if place.terms.len() > before {
                continue;
            }
            let id: VariableId = place.terms.as_variable(term).expect("a variable");
            place.model.set(id, Known::Bool(choice >> number & 1 == 1));
            number = (number + 1).min(2);
        }
        if place.terms.len() > 4000 {
            break;
        }
    }
}

/// Whether both are NaNs of an operation that a library computes, which may give any.
fn free_nan(act: &Act, ty: &Type, found: &Word, expected: Option<&Word>) -> bool {
    let (Type::Float(format), Some(expected)) = (ty, expected) else { return false };
    let library = matches!(
        act,
        Act::Float { operation: Operation::Remainder | Operation::Fmod, .. }
            | Act::Special { special: Special::Libm(..), .. }
    );
    let nan = |word: &Word| Float::from_word(*format, word.clone()).is_nan();
    library && nan(found) && nan(expected)
}

/// The types of an operation's operands and of its result.
fn types(operation: Operation, parameters: &Parameters) -> (Vec<Type>, Type) {
    let bits = match operation {
        Operation::FromBits | Operation::ToBits => parameters.format.width(),
        _ => parameters.width,
    };
    let target =
        if operation == Operation::Convert { parameters.target } else { parameters.format };
    let of = |sort: Sort, format: Format| match sort {
        Sort::Float => Type::Float(format),
        Sort::Bits => Type::Integer(bits),
        Sort::Bool => Type::Integer(1),
        Sort::Rounding => Type::Void,
    };
    let operands = operation.operands().iter().filter(|sort| **sort != Sort::Rounding);
    let operands = operands.map(|sort| of(*sort, parameters.format)).collect();
    (operands, of(operation.result(), target))
}

fn random_word(random: &mut Random, ty: &Type) -> Word {
    match ty {
        Type::Float(format) => random.encoding(*format),
        _ => random.integer(ty.bits().expect("a scalar")),
    }
}

/// Every row of the table, in every format and mode, with flags and without.
fn every_row(seed: u64, tracked: bool, rounds: u32) {
    let mut random = Random(seed);
    for round in 0..rounds {
        for &operation in Operation::ALL {
            let format = FORMATS[(round as usize + operation as usize) % FORMATS.len()];
            let parameters = Parameters {
                format,
                target: *random.one_of(&FORMATS),
                width: *random.one_of(&[8, 16, 32, 64, 128]),
                out_of_range: *random.one_of(&OutOfRange::ALL),
            };
            let (types, result) = types(operation, &parameters);
            let mut words: Vec<Word> =
                types.iter().map(|ty| random_word(&mut random, ty)).collect();
            if random.below(10) == 0 && words.len() > 1 && types[0] == types[1] {
                words[1] = words[0].clone();
            }
            let act = Act::Float {
                operation,
                parameters,
                mode: Mode::Dynamic,
                operands: vec![NOWHERE; words.len()].into(),
                relaxed: false,
            };
            let mode = *random.one_of(&MODES);
            check(&act, &types, &words, &result, mode, (tracked, random.below(4) == 0));
        }
    }
}

#[test]
fn every_row_of_the_table() {
    every_row(11, false, 150);
}

#[test]
fn every_row_with_its_flags() {
    every_row(12, true, 150);
}

#[test]
fn flags_at_the_ends_of_the_range() {
    let mut random = Random(13);
    let format = Format::BINARY16;
    let ends = |random: &mut Random| {
        let magnitude = *random.one_of(&[
            0x0001, 0x0002, 0x03ff, 0x0400, 0x0401, 0x07ff, 0x0800, 0x7bff, 0x7bfe, 0x7800, 0x3c00,
            0x3bff, 0x3c01, 0x4000, 0x3800,
        ]);
        Word::new(16, magnitude | u128::from(random.below(2)) << 15)
    };
    let all = [Operation::Add, Operation::Mul, Operation::Div, Operation::Fma];
    for _ in 0..250 {
        for operation in all {
            let parameters = Parameters::of(format);
            let (types, result) = types(operation, &parameters);
            let words: Vec<Word> = types.iter().map(|_| ends(&mut random)).collect();
            let act = Act::Float {
                operation,
                parameters,
                mode: Mode::Dynamic,
                operands: vec![NOWHERE; words.len()].into(),
                relaxed: false,
            };
            for mode in MODES {
                check(&act, &types, &words, &result, mode, (true, false));
            }
        }
    }
}

#[test]
fn comparisons_and_classes() {
    let predicates = [
        P::False,
        P::OrderedEqual,
        P::OrderedGreater,
        P::OrderedGreaterEqual,
        P::OrderedLess,
        P::OrderedLessEqual,
        P::OrderedNotEqual,
        P::Ordered,
        P::Unordered,
        P::UnorderedEqual,
        P::UnorderedGreater,
        P::UnorderedGreaterEqual,
        P::UnorderedLess,
        P::UnorderedLessEqual,
        P::UnorderedNotEqual,
        P::True,
    ];
    let mut random = Random(14);
    for round in 0..60 {
        for predicate in predicates {
            let format = *random.one_of(&FORMATS);
            let types = [Type::Float(format), Type::Float(format)];
            let mut words = [random.encoding(format), random.encoding(format)];
            if round % 4 == 0 {
                words[1] = words[0].clone();
            }
            let signaling = random.below(2) == 0;
            let act = Act::FloatCompare { predicate, signaling, format, operands: [NOWHERE; 2] };
            let result = Type::Integer(1);
            check(&act, &types, &words, &result, Rounding::NearestEven, (true, false));
            let mask = random.below(1024) as u32;
            let act = Act::Classify { mask, format, operand: NOWHERE };
            let (types, words) = (&types[..1], &words[..1]);
            check(&act, types, words, &result, Rounding::NearestEven, (true, false));
        }
    }
}

#[test]
fn to_integers_as_clang_does() {
    let mut random = Random(15);
    for _ in 0..120 {
        for operation in [Operation::ToSigned, Operation::ToUnsigned] {
            let format = *random.one_of(&FORMATS);
            let width = *random.one_of(&[8, 16, 32, 64, 128]);
            let parameters = Parameters::integer(format, width, OutOfRange::Undefined);
            // Around the ends of the range.
            let exponent = *random.one_of(&[7, 8, 15, 16, 31, 32, 63, 64, 65]);
            let bits = Word::new(130, 1 << exponent);
            let (float, _) = Float::from_signed(format, Rounding::NearestEven, &bits);
            let float = if random.below(2) == 0 { float.neg() } else { float };
            let float = match random.below(3) {
                0 => float,
                1 => float.next_down().0,
                _ => float.next_up().0,
            };
            let words = [float.word().clone()];
            let (types, result) = types(operation, &parameters);
            let act = Act::Float {
                operation,
                parameters,
                mode: Mode::Fixed(Rounding::TowardZero),
                operands: vec![NOWHERE].into(),
                relaxed: false,
            };
            check(&act, &types, &words, &result, Rounding::NearestEven, (true, false));
        }
    }
}

#[test]
fn fractions_and_scales() {
    let mut random = Random(16);
    let pair = |format: Format| {
        let members = vec![(0, Type::Float(format)), (16, Type::Integer(32))];
        let structure = nanoscope_program::ir::Aggregate::Structure { members, size: 20 };
        Type::Aggregate(std::sync::Arc::new(structure))
    };
    for _ in 0..40 {
        for format in FORMATS {
            let word = random.encoding(format);
            let ty = Type::Float(format);
            let operands = vec![NOWHERE].into();
            let act = Act::Special { special: Special::Fraction(format), operands };
            let types = [ty.clone(), Type::Integer(32)];
            let mode = *random.one_of(&MODES);
            let one = std::slice::from_ref(&word);
            check(&act, &types[..1], one, &pair(format), mode, (true, false));
            scaled_back(format, &word);

            let limit = 2 * format.max_exponent() as u64 + 300;
            let exponent = random.below(2 * limit).wrapping_sub(limit);
            let operands = vec![NOWHERE; 2].into();
            let act = Act::Special { special: Special::Scale(format), operands };
            let words = [word, Word::new(32, exponent.into())];
            check(&act, &types, &words, &ty, mode, (true, random.below(3) == 0));
        }
    }
}

/// A known float's fraction is in [1/2, 1), and scaled by its exponent the float again.
fn scaled_back(format: Format, word: &Word) {
    let float = Float::from_word(format, word.clone());
    let mut place = Place::default();
    let value = Value::word(word.clone());
    let (fraction, exponent) = place.compute().frexp(format, &value);
    let back = place.compute().ldexp(format, &fraction, &exponent);
    if !float.is_finite() {
        return;
    }
    let back = Float::from_word(format, back.as_word(format.width()).expect("known"));
    assert_eq!(back.partial_order(&float), Some(std::cmp::Ordering::Equal), "{float:?}");
    let fraction = Float::from_word(format, fraction.as_word(format.width()).expect("known"));
    if !float.is_zero() {
        let size = fraction.abs().to_f64();
        assert!((0.5..1.0).contains(&size) || size == 1.0, "{float:?}: {size}");
    }
}

#[test]
fn doubles_as_the_machine_scales_them() {
    let cases: &[(f64, i32, f64)] = &[
        (1.0, 10, 1024.0),
        (1.5, -1074, f64::from_bits(2)),
        (1.0, -1075, 0.0),
        (1.25, -1075, f64::from_bits(1)),
        (-1.0, 5000, f64::NEG_INFINITY),
        (f64::from_bits(1), 1074, 1.0),
        (f64::from_bits(1), 2097, f64::from_bits(0x7fe0_0000_0000_0000)),
        (1.0, i32::MIN, 0.0),
        (1.0, i32::MAX, f64::INFINITY),
    ];
    for &(float, exponent, expected) in cases {
        let mut place = Place::default();
        let exponent_value = Value::Small(exponent as u32 as u64);
        let value = Value::double(float);
        let found = place.compute().ldexp(Format::BINARY64, &value, &exponent_value);
        assert_eq!(found, Value::double(expected), "{float:e} {exponent}");
    }
}

#[test]
fn neighbours_and_fractions() {
    let mut random = Random(17);
    for _ in 0..60 {
        for format in FORMATS {
            let words = [random.encoding(format), random.encoding(format)];
            let [a, b] = words.clone().map(|word| Float::from_word(format, word));
            let mut place = Place::default();
            let values = words.clone().map(Value::word);
            let next = place.compute().nextafter(format, &values[0], &values[1]);
            let (rest, whole) = place.compute().modf(format, &values[0]);
            let word = |value: &Value| value.as_word(format.width());
            if a.is_nan() || b.is_nan() {
                continue;
            }
            let expected = match a.partial_order(&b) {
                Some(std::cmp::Ordering::Less) => a.next_up().0,
                Some(std::cmp::Ordering::Greater) => a.next_down().0,
                Some(std::cmp::Ordering::Equal) | None => b.clone(),
            };
            // Pseudo-denormals come back in their usual form.
            let same = Float::from_word(format, word(&next).expect("known"));
            assert_eq!(same.partial_order(&expected), Some(std::cmp::Ordering::Equal));
            let whole = Float::from_word(format, word(&whole).expect("known"));
            let rest = Float::from_word(format, word(&rest).expect("known"));
            assert_eq!(rest.is_sign_minus(), a.is_sign_minus(), "{a:?}");
            let sum = whole.add(&rest, Rounding::NearestEven).0;
            assert_eq!(sum.partial_order(&a), Some(std::cmp::Ordering::Equal), "{a:?}");

            let unknown = [0, 1].map(|at: usize| place.unknown(&Type::Float(format), &words[at]));
            let found = place.compute().nextafter(format, &unknown[0], &unknown[1]);
            let found = place.bits(&found, &Type::Float(format));
            assert_eq!(Some(found), word(&next), "{a:?} {b:?}");
        }
    }
}

#[test]
fn bits_read_back() {
    // What is written as bits and read back is the same float, not another term for it.
    for format in FORMATS {
        let ty = Type::Float(format);
        let bits = Type::Integer(format.width());
        let mut place = Place::default();
        let a = place.unknown(&ty, &Word::new(format.width(), 1));
        let parameters = Parameters::of(format);
        let mut compute = place.compute();
        let sum = compute.float(Operation::Add, &parameters, Mode::Dynamic, &[&a, &a]);
        let convert = |from: &Type, to: &Type| Act::Convert {
            conversion: IntegerConversion::Reinterpret,
            operand: NOWHERE,
            from: from.clone(),
            to: to.clone(),
        };
        for value in [&a, &sum] {
            let written = compute.apply(&convert(&ty, &bits), &[value], &bits).expect("bits");
            let read = compute.apply(&convert(&bits, &ty), &[&written], &ty).expect("a float");
            assert_eq!(read, *value, "{format}");
        }
    }
}

#[test]
fn nans_by_hand() {
    // 0/0 is the default NaN, whose sign is set; a NaN operand comes back quieted.
    let double = Parameters::of(Format::BINARY64);
    let cases: &[(Operation, u64, u64, u64)] = &[
        (Operation::Div, 0, 0, 0xfff8_0000_0000_0000),
        (Operation::Add, 0x7ff0_0000_0000_0001, 0, 0x7ff8_0000_0000_0001),
        (Operation::Mul, 0, 0xfff0_0000_0000_00ff, 0xfff8_0000_0000_00ff),
        (Operation::Sub, 0x7ff0_0000_0000_0000, 0x7ff0_0000_0000_0000, 0xfff8_0000_0000_0000),
    ];
    for &(operation, a, b, expected) in cases {
        let ty = Type::Float(Format::BINARY64);
        let mut place = Place::default();
        let known = [Value::Small(a), Value::Small(b)];
        let found =
            place.compute().float(operation, &double, Mode::Dynamic, &[&known[0], &known[1]]);
        assert_eq!(found, Value::Small(expected), "{operation} {a:#x} {b:#x}");
        let unknown = [a, b].map(|bits| place.unknown(&ty, &Word::new(64, bits.into())));
        let found =
            place.compute().float(operation, &double, Mode::Dynamic, &[&unknown[0], &unknown[1]]);
        let found = place.bits(&found, &ty);
        assert_eq!(found, Word::new(64, expected.into()), "{operation} {a:#x} {b:#x}");
    }
}
