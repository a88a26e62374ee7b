//! The default circuits of `Algebra`, from bits alone: an algebra that gives
//! only what it must has to agree with `Concrete` on every operation.

mod operands;

use nanoscope_ieee::{
    Algebra, Circuit, Concrete, Datum, Format, Operation, OutOfRange, Parameters, Rounding, Sort,
    Word, apply,
};
use operands::{Random, operand};

/// Known bits, one by one.
#[derive(Default)]
struct Bits;

impl Algebra for Bits {
    type Bit = bool;
    type Word = Vec<bool>;

    fn bit(&mut self, value: bool) -> bool {
        value
    }
    fn not(&mut self, a: &bool) -> bool {
        !a
    }
    fn and(&mut self, a: &bool, b: &bool) -> bool {
        *a && *b
    }
    fn assemble(&mut self, bits: &[bool]) -> Vec<bool> {
        bits.to_vec()
    }
    fn bit_of(&mut self, a: &Vec<bool>, index: u32) -> bool {
        a[index as usize]
    }
    fn width(&self, a: &Vec<bool>) -> u32 {
        a.len() as u32
    }
}

fn bits(word: &Word) -> Vec<bool> {
    (0..word.width()).map(|i| word.bit(i)).collect()
}

/// Runs an operation over both algebras and compares.
#[track_caller]
fn check(operation: Operation, parameters: Parameters, rounding: Rounding, operands: &[Word]) {
    let mut words = operands.iter();
    let concrete: Vec<_> = operation
        .operands()
        .iter()
        .map(|sort| match sort {
            Sort::Rounding => Datum::Rounding(rounding.into()),
            Sort::Float => Datum::Float(words.next().expect("an operand").clone()),
            Sort::Bits => Datum::Bits(words.next().expect("an operand").clone()),
            Sort::Bool => unreachable!("no operation takes a truth value"),
        })
        .collect();
    let plain: Vec<_> = concrete
        .iter()
        .map(|datum: &nanoscope_ieee::ConcreteDatum| match datum {
            Datum::Float(word) => Datum::Float(bits(word)),
            Datum::Rounding(word) => Datum::Rounding(bits(word)),
            Datum::Bits(word) => Datum::Bits(bits(word)),
            Datum::Bool(bit) => Datum::Bool(*bit),
        })
        .collect();
    let expected = apply(&mut Circuit::new(Concrete), operation, &parameters, &concrete).unwrap();
    let (result, flags) = apply(&mut Circuit::new(Bits), operation, &parameters, &plain).unwrap();
    let result = match result {
        Datum::Float(word) => Datum::Float(Word::from_bits(&word)),
        Datum::Rounding(word) => Datum::Rounding(Word::from_bits(&word)),
        Datum::Bits(word) => Datum::Bits(Word::from_bits(&word)),
        Datum::Bool(bit) => Datum::Bool(bit),
    };
    assert_eq!((result, flags), expected, "{operation} {parameters:?} {rounding} {operands:?}");
}

fn check_all(format: Format, target: Format, rounds: usize, seed: u64) {
    let mut random = Random(seed);
    for &operation in Operation::ALL {
        for round in 0..rounds {
            let rounding = Rounding::ALL[round % 5];
            let width = 1 + random.below(70) as u32;
            let out_of_range = OutOfRange::ALL[round % 3];
            let parameters = Parameters { format, target, width, out_of_range };
            let operands: Vec<_> = operation
                .operands()
                .iter()
                .filter(|&&sort| sort != Sort::Rounding)
                .map(|sort| match sort {
                    Sort::Bits if operation != Operation::FromBits => {
                        Word::new(width, random.next() as u128 >> random.below(64))
                    }
                    _ => Word::new(format.width(), encoding(format, &mut random)),
                })
                .collect();
            check(operation, parameters, rounding, &operands);
        }
    }
}

fn encoding(format: Format, random: &mut Random) -> u128 {
    let implicit = operand(format, random);
    if !format.explicit_integer_bit {
        return implicit;
    }
    let fraction_bits = format.fraction_bits();
    let fraction = implicit & ((1 << fraction_bits) - 1);
    let top = (implicit >> fraction_bits) << 1 | (random.below(8) != 0) as u128;
    top << fraction_bits | fraction
}

#[test]
fn default_circuits_agree_with_concrete_words() {
    check_all(Format::new(3, 4), Format::new(4, 3), 400, 0xace1);
    check_all(Format::new(2, 7), Format::new(5, 2), 400, 0xace2);
    check_all(Format::BINARY16, Format::BFLOAT16, 150, 0xace3);
    check_all(Format::BINARY32, Format::BINARY16, 40, 0xace4);
    check_all(Format::BINARY64, Format::X87, 5, 0xace5);
}

#[test]
fn wide_words_agree_with_the_default_circuits() {
    // Beyond 128 bits a word is a big integer.
    let mut random = Random(0xace6);
    let format = Format::BINARY128;
    for &operation in Operation::ALL {
        for round in 0..4 {
            let parameters = Parameters {
                format,
                target: Format::BINARY64,
                width: 140,
                out_of_range: OutOfRange::ALL[round % 3],
            };
            let operands: Vec<_> = operation
                .operands()
                .iter()
                .filter(|&&sort| sort != Sort::Rounding)
                .map(|sort| match sort {
                    Sort::Bits if operation != Operation::FromBits => {
                        Word::new(140, random.next() as u128 * random.next() as u128)
                    }
                    _ => Word::new(128, operand(format, &mut random)),
                })
                .collect();
            check(operation, parameters, Rounding::ALL[round % 5], &operands);
        }
    }
}

/// The circuits of words that no float operation uses in full.
#[test]
fn integer_circuits() {
    let mut random = Random(0xbee);
    for _ in 0..2_000 {
        let width = 1 + random.below(20) as u32;
        let [a, b] = [0; 2].map(|_| Word::new(width, random.next() as u128 >> random.below(64)));
        let amount = Word::new(6, random.below(64) as u128);
        let (mut plain, mut concrete) = (Bits, Concrete);
        let (x, y, s) = (bits(&a), bits(&b), bits(&amount));
        let (quotient, remainder) = plain.udiv_rem(&x, &y);
        let expected = concrete.udiv_rem(&a, &b);
        assert_eq!(
            (Word::from_bits(&quotient), Word::from_bits(&remainder)),
            expected,
            "{a:?} / {b:?}"
        );
        assert_eq!(Word::from_bits(&plain.mul(&x, &y)), concrete.mul(&a, &b), "{a:?} * {b:?}");
        assert_eq!(Word::from_bits(&plain.sub(&x, &y)), concrete.sub(&a, &b), "{a:?} - {b:?}");
        assert_eq!(Word::from_bits(&plain.neg(&x)), concrete.neg(&a), "-{a:?}");
        assert_eq!(plain.less_signed(&x, &y), concrete.less_signed(&a, &b), "{a:?} < {b:?}");
        assert_eq!(
            Word::from_bits(&plain.shl(&x, &s)),
            concrete.shl(&a, &amount),
            "{a:?} << {amount:?}"
        );
        assert_eq!(
            Word::from_bits(&plain.shr(&x, &s)),
            concrete.shr(&a, &amount),
            "{a:?} >> {amount:?}"
        );
        assert_eq!(
            Word::from_bits(&plain.shr_signed(&x, &s)),
            concrete.shr_signed(&a, &amount),
            "{a:?} >> {amount:?}, signed"
        );
        assert_eq!(
            Word::from_bits(&plain.leading_zeros(&x)),
            concrete.leading_zeros(&a),
            "leading zeros of {a:?}"
        );
        let (root, inexact) = plain.root(&x);
        assert_eq!((Word::from_bits(&root), inexact), concrete.root(&a), "root of {a:?}");
    }
}

/// Both circuits of a shifted remainder: a small limit doubles step by step, a
/// large one takes powers.
#[test]
fn shifted_remainders() {
    let mut random = Random(0xcab);
    for round in 0..3_000 {
        let width = 2 + random.below(20) as u32;
        let limit = if round % 2 == 0 { 20 } else { 5_000 };
        let top = 1u128 << (width - 1);
        let b = top | random.next() as u128 & (top - 1);
        let a = Word::new(width, random.next() as u128 % b);
        let b = Word::new(width, b);
        let shift = Word::new(14, random.below(limit + 1) as u128);
        let expected = Concrete.shifted_remainder(&a, &shift, limit, &b);
        let (remainder, odd) = Bits.shifted_remainder(&bits(&a), &bits(&shift), limit, &bits(&b));
        let got = (Word::from_bits(&remainder), odd);
        assert_eq!(got, expected, "{a:?} << {shift:?} mod {b:?}");
    }
}
