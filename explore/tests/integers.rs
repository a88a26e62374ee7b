//! Integers: what is computed on machine words and what terms say must agree.

mod values;

use nanoscope_explore::Value;
use nanoscope_ieee::Word;
use nanoscope_program::ir::{
    Act, Aggregate, ConstantId, IntegerConversion, IntegerOperation as O, IntegerPredicate as P,
    IntegerUnary as U, Operand, Promises, Type,
};
use std::sync::Arc;
use values::{Place, Random};

const OPERATIONS: &[O] = &[
    O::Add,
    O::Sub,
    O::Mul,
    O::UnsignedDiv,
    O::SignedDiv,
    O::UnsignedRem,
    O::SignedRem,
    O::ShiftLeft,
    O::LogicalShiftRight,
    O::ArithmeticShiftRight,
    O::And,
    O::Or,
    O::Xor,
    O::UnsignedMin,
    O::UnsignedMax,
    O::SignedMin,
    O::SignedMax,
    O::SaturatingUnsignedAdd,
    O::SaturatingSignedAdd,
    O::SaturatingUnsignedSub,
    O::SaturatingSignedSub,
    O::SaturatingUnsignedShiftLeft,
    O::SaturatingSignedShiftLeft,
    O::UnsignedAddOverflow,
    O::SignedAddOverflow,
    O::UnsignedSubOverflow,
    O::SignedSubOverflow,
    O::UnsignedMulOverflow,
    O::SignedMulOverflow,
    O::UnsignedCompare,
    O::SignedCompare,
];

const PREDICATES: &[P] = &[
    P::Equal,
    P::NotEqual,
    P::UnsignedGreater,
    P::UnsignedGreaterEqual,
    P::UnsignedLess,
    P::UnsignedLessEqual,
    P::SignedGreater,
    P::SignedGreaterEqual,
    P::SignedLess,
    P::SignedLessEqual,
];

const NOWHERE: Operand = Operand::Constant(ConstantId(0));

/// The type of an operation's result on integers of a width.
fn result(operation: O, bits: u32) -> Type {
    match operation {
        O::UnsignedAddOverflow
        | O::SignedAddOverflow
        | O::UnsignedSubOverflow
        | O::SignedSubOverflow
        | O::UnsignedMulOverflow
        | O::SignedMulOverflow => {
            let size = u64::from(bits).div_ceil(8);
            Type::Aggregate(Arc::new(Aggregate::Structure {
                members: vec![(0, Type::Integer(bits)), (size, Type::Integer(1))],
                size: size + 1,
            }))
        }
        O::UnsignedCompare | O::SignedCompare => Type::Integer(8),
        _ => Type::Integer(bits),
    }
}

/// An act on known words, and on variables that are these words in a model: the same result,
/// or the same thing that goes wrong.
fn check(act: &Act, bits: u32, words: &[Word], result: &Type) {
    let ty = Type::Integer(bits);
    let mut known = Place::default();
    let values: Vec<Value> = words.iter().map(|word| Value::word(word.clone())).collect();
    let values: Vec<&Value> = values.iter().collect();
    let expected = known.compute().apply(act, &values, result);
    assert!(known.obligations.is_empty(), "{act:?} on {words:?}");

    let mut place = Place::default();
    let values: Vec<Value> = words.iter().map(|word| place.unknown(&ty, word)).collect();
    let values: Vec<&Value> = values.iter().collect();
    let found = place.compute().apply(act, &values, result);
    let wrong = place.obligations.clone().into_iter();
    let wrong = wrong.filter(|one| place.truth(one.condition)).map(|one| one.trouble).next();
    match (expected, found) {
        (Err(trouble), _) => assert_eq!(wrong, Some(trouble), "{act:?} on {words:?}"),
        (Ok(expected), Ok(found)) => {
            assert_eq!(wrong, None, "{act:?} on {words:?}");
            assert!(expected.is_known(), "{act:?} on {words:?}");
            let parts: Vec<(Value, Value, Type)> = match (&expected, result) {
                (Value::Parts(_), Type::Aggregate(aggregate)) => (0..2)
                    .map(|at| {
                        let ty = aggregate.member(at).expect("two members").1.clone();
                        let at = at as usize;
                        (expected.part(at).clone(), found.part(at).clone(), ty)
                    })
                    .collect(),
                _ => vec![(expected, found, result.clone())],
            };
            for (expected, found, ty) in parts {
                let expected = expected.as_word(ty.bits().expect("an integer"));
                let found = place.bits(&found, &ty);
                assert_eq!(Some(found), expected, "{act:?} on {words:?}");
            }
        }
        (Ok(_), Err(trouble)) => panic!("{trouble} though all is well: {act:?} on {words:?}"),
    }
}

fn binary(operation: O, bits: u32) -> Act {
    let promises = Promises::default();
    Act::Integer { operation, bits, operands: [NOWHERE; 2], promises }
}

#[test]
fn all_pairs_of_four_bits() {
    for &operation in OPERATIONS {
        for bits in [1, 2, 4] {
            for pair in 0..1u128 << (2 * bits) {
                let words = [pair >> bits, pair].map(|bits_of| Word::new(bits, bits_of));
                check(&binary(operation, bits), bits, &words, &result(operation, bits));
            }
        }
    }
}

#[test]
fn operations_of_any_width() {
    let mut random = Random(1);
    for _ in 0..60 {
        for &operation in OPERATIONS {
            let bits = *random.one_of(&[7, 8, 16, 31, 32, 33, 63, 64, 65, 128]);
            let words = [random.integer(bits), random.integer(bits)];
            check(&binary(operation, bits), bits, &words, &result(operation, bits));
        }
    }
}

#[test]
fn comparisons() {
    let mut random = Random(2);
    for _ in 0..200 {
        for &predicate in PREDICATES {
            let bits = *random.one_of(&[1, 8, 32, 64, 100]);
            let act = Act::IntegerCompare { predicate, bits, operands: [NOWHERE; 2] };
            let words = [random.integer(bits), random.integer(bits)];
            check(&act, bits, &words, &Type::Integer(1));
        }
    }
}

#[test]
fn bits_counted_and_turned() {
    let mut random = Random(3);
    for _ in 0..80 {
        let all =
            [U::Abs, U::CountOnes, U::LeadingZeros, U::TrailingZeros, U::SwapBytes, U::ReverseBits];
        for operation in all {
            let bits = *random.one_of(&[8, 16, 32, 64]);
            let act = Act::IntegerUnary { operation, bits, operand: NOWHERE };
            check(&act, bits, &[random.integer(bits)], &Type::Integer(bits));
        }
        for left in [true, false] {
            let bits = *random.one_of(&[1, 7, 8, 32, 64]);
            let act = Act::FunnelShift { left, bits, operands: [NOWHERE; 3] };
            let words = [0, 1, 2].map(|_| random.integer(bits));
            check(&act, bits, &words, &Type::Integer(bits));
        }
    }
}

#[test]
fn conversions() {
    let mut random = Random(4);
    for _ in 0..400 {
        let (narrow, wide) = *random.one_of(&[(1, 8), (1, 64), (8, 32), (33, 64), (64, 128)]);
        for (conversion, from, to) in [
            (IntegerConversion::Truncate, wide, narrow),
            (IntegerConversion::ZeroExtend, narrow, wide),
            (IntegerConversion::SignExtend, narrow, wide),
        ] {
            let act = Act::Convert {
                conversion,
                operand: NOWHERE,
                from: Type::Integer(from),
                to: Type::Integer(to),
            };
            check(&act, from, &[random.integer(from)], &Type::Integer(to));
        }
    }
}

#[test]
fn known_answers() {
    let cases: &[(O, u32, u64, u64, u64)] = &[
        (O::SignedDiv, 32, 0xffff_fff9, 2, 0xffff_fffd),
        (O::SignedRem, 32, 0xffff_fff9, 2, 0xffff_ffff),
        (O::ArithmeticShiftRight, 8, 0x80, 3, 0xf0),
        (O::SaturatingSignedAdd, 8, 0x7f, 1, 0x7f),
        (O::SaturatingSignedSub, 8, 0x80, 1, 0x80),
        (O::SaturatingUnsignedAdd, 16, 0xffff, 2, 0xffff),
        (O::SaturatingSignedShiftLeft, 8, 0xc0, 2, 0x80),
        (O::SignedMax, 8, 0x80, 0x7f, 0x7f),
        (O::SignedCompare, 8, 0x80, 0, 0xff),
        (O::UnsignedCompare, 8, 0x80, 0, 1),
    ];
    for &(operation, bits, a, b, expected) in cases {
        let mut place = Place::default();
        let act = binary(operation, bits);
        let values = [Value::Small(a), Value::Small(b)];
        let found =
            place.compute().apply(&act, &[&values[0], &values[1]], &result(operation, bits));
        assert_eq!(found, Ok(Value::Small(expected)), "{operation:?} {a:#x} {b:#x}");
    }
}
