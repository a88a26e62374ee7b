//! Goals mean what distances mean: an operation raises what is looked for, as a term, just
//! where `nanoscope_program` counts a distance of zero.

mod values;

use nanoscope_explore::Value;
use nanoscope_explore::compute::Deed;
use nanoscope_ieee::{Format, Libm, Operation, OutOfRange, Parameters, Rounding, Word};
use nanoscope_program::ir::{Act, ConstantId, Mode, Operand, Special, Type};
use nanoscope_program::{Action, Exception, distance, libm};
use nanoscope_term::Value as Known;
use values::{Place, Random};

const NOWHERE: Operand = Operand::Constant(ConstantId(0));

const EXCEPTIONS: [Exception; 6] = [
    Exception::Overflow,
    Exception::Underflow,
    Exception::DivideByZero,
    Exception::Invalid,
    Exception::ConversionOutOfRange,
    Exception::IntegerOverflow,
];

fn bits(word: &Word) -> u128 {
    word.to_u128().expect("an encoding of at most 128 bits")
}

/// Every exception that the act can raise, on operands that are known, and on unknown ones
/// that are these in a model. What was raised.
fn check(act: &Act, types: &[Type], words: &[Word], result: &Type) -> Vec<Exception> {
    let deed = Deed::of(act).expect("a deed");
    let mut known = Place::default();
    let operands: Vec<Value> = words.iter().map(|word| Value::word(word.clone())).collect();
    let operands: Vec<&Value> = operands.iter().collect();
    let value = known.compute().apply(act, &operands, result).expect("floats never fail");
    let width = match result {
        Type::Float(format) => format.width(),
        Type::Integer(width) => *width,
        other => panic!("no scalar: {other:?}"),
    };
    let computed = match (&value, value.as_word(width)) {
        (_, Some(word)) => bits(&word),
        // The library's NaN, whose sign nobody knows.
        (Value::Float { term, .. }, None) => match known.terms.value(*term) {
            Some(Known::Float(_, word)) => bits(word),
            other => panic!("{act:?} of known operands is not {other:?}"),
        },
        // Where the result of a conversion is not defined, it is not looked at either.
        (_, None) => 0,
    };
    let mut place = Place::default();
    let unknown: Vec<Value> =
        words.iter().zip(types).map(|(word, ty)| place.unknown(ty, word)).collect();
    let unknown: Vec<&Value> = unknown.iter().collect();
    let found = place.compute().apply(act, &unknown, result).expect("floats never fail");
    let mut raised = Vec::new();
    for exception in deed.action.exceptions() {
        let given: Vec<u128> = words.iter().map(bits).collect();
        let expected = distance(
            deed.action,
            deed.format,
            exception,
            &given[..deed.action.operands()],
            computed,
        ) == 0;
        let context = || format!("{exception} of {act:?} on {words:x?} giving {computed:x}");
        let term = known.compute().raises(deed, exception, &operands, &value);
        assert_eq!(known.terms.value(term), Some(&Known::Bool(expected)), "{}", context());
        let term = place.compute().raises(deed, exception, &unknown, &found);
        assert_eq!(place.value(term), Known::Bool(expected), "unknown: {}", context());
        if expected {
            raised.push(exception);
        }
    }
    raised
}

fn float(operation: Operation, parameters: Parameters, mode: Mode) -> Act {
    let operands = vec![NOWHERE; 3].into();
    Act::Float { operation, parameters, mode, operands, relaxed: false }
}

#[test]
fn integers() {
    use nanoscope_program::ir::{IntegerConversion, IntegerOperation, Promises};
    let mut random = Random(0x1e9e5);
    let mut raised = 0;
    for bits in [8u32, 32, 64] {
        let ty = Type::Integer(bits);
        let mut acts = Vec::new();
        for operation in [IntegerOperation::Add, IntegerOperation::Sub, IntegerOperation::Mul] {
            for no_signed_wrap in [false, true] {
                let promises = Promises { no_signed_wrap, ..Promises::default() };
                let act = Act::Integer { operation, bits, operands: [NOWHERE; 2], promises };
                acts.push((act, vec![ty.clone(); 2], ty.clone()));
            }
        }
        if bits > 8 {
            let act = Act::Convert {
                conversion: IntegerConversion::Truncate,
                operand: NOWHERE,
                from: ty.clone(),
                to: Type::Integer(8),
            };
            acts.push((act, vec![ty.clone()], Type::Integer(8)));
        }
        for (act, types, result) in &acts {
            for _ in 0..60 {
                let words: Vec<Word> = types.iter().map(|_| random.integer(bits)).collect();
                raised += check(act, types, &words, result).len();
            }
        }
    }
    assert!(raised > 200, "{raised}");
}

/// Checks acts on random operands until each of the exceptions they can raise was seen.
fn check_all(acts: &[(Act, Vec<Type>, Type)], times: u32) {
    let mut random = Random(0x5eed);
    for (act, types, result) in acts {
        let mut seen = Vec::new();
        for _ in 0..times {
            let words: Vec<Word> = types
                .iter()
                .map(|ty| match ty {
                    Type::Float(format) => random.encoding(*format),
                    other => panic!("no float: {other:?}"),
                })
                .collect();
            seen.extend(check(act, types, &words, result));
        }
        let can = Deed::of(act).expect("a deed").action.exceptions();
        for exception in EXCEPTIONS.iter().filter(|exception| can.contains(exception)) {
            assert!(seen.contains(exception), "{exception} of {act:?} was never tried");
        }
    }
}

#[test]
fn arithmetic() {
    let mut acts = Vec::new();
    for format in [Format::BINARY32, Format::BINARY64] {
        let ty = Type::Float(format);
        for (operation, count) in [
            (Operation::Add, 2),
            (Operation::Sub, 2),
            (Operation::Mul, 2),
            (Operation::Div, 2),
            (Operation::Fmod, 2),
            (Operation::Fma, 3),
            (Operation::Sqrt, 1),
        ] {
            let act = float(operation, Parameters::of(format), Mode::Dynamic);
            acts.push((act, vec![ty.clone(); count], ty.clone()));
        }
    }
    check_all(&acts, 6000);
}

#[test]
fn conversions() {
    let mut acts = Vec::new();
    for (from, to) in [(Format::BINARY64, Format::BINARY32), (Format::BINARY32, Format::BINARY16)] {
        let parameters = Parameters { target: to, ..Parameters::of(from) };
        let act = float(Operation::Convert, parameters, Mode::Dynamic);
        acts.push((act, vec![Type::Float(from)], Type::Float(to)));
    }
    for format in [Format::BINARY32, Format::BINARY64] {
        for width in [16, 32, 64] {
            for operation in [Operation::ToSigned, Operation::ToUnsigned] {
                let parameters = Parameters {
                    width,
                    out_of_range: OutOfRange::Undefined,
                    ..Parameters::of(format)
                };
                let act = float(operation, parameters, Mode::Fixed(Rounding::TowardZero));
                acts.push((act, vec![Type::Float(format)], Type::Integer(width)));
            }
        }
    }
    check_all(&acts, 600);
}

#[test]
fn functions_of_the_library() {
    let format = Format::BINARY64;
    let ty = Type::Float(format);
    let mut random = Random(0x5eed);
    let special: Vec<f64> = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        -2.0,
        2.0,
        -2.5,
        0.5,
        710.0,
        -710.0,
        -740.0,
        -800.0,
        1e-310,
        1e300,
        1e-300,
        -1e300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        -36.5,
        27.0,
    ];
    let with_errors = |function: &&Libm| libm::with_errors(function.name()).is_some();
    for function in Libm::ALL.iter().filter(with_errors) {
        let name = function.name();
        let act = Act::Special {
            special: Special::Libm(*function, format),
            operands: vec![NOWHERE; 2].into(),
        };
        let Some(Deed { action: action @ Action::Libm(_), .. }) = Deed::of(&act) else {
            panic!("{name} is of the library");
        };
        for _ in 0..120 {
            let words: Vec<Word> = (0..action.operands())
                .map(|_| Word::new(64, random.one_of(&special).to_bits().into()))
                .collect();
            check(&act, &vec![ty.clone(); words.len()], &words, &ty);
        }
    }
}

#[test]
fn examples() {
    let doubles = |operation: Operation, operands: &[f64]| {
        let act = float(operation, Parameters::of(Format::BINARY64), Mode::Dynamic);
        let ty = Type::Float(Format::BINARY64);
        let words: Vec<Word> = operands.iter().map(|x| Word::new(64, x.to_bits().into())).collect();
        check(&act, &vec![ty.clone(); words.len()], &words, &ty)
    };
    let infinity = f64::INFINITY;
    // An infinity that is passed on, or stands at a pole, did not overflow.
    assert_eq!(doubles(Operation::Mul, &[1e200, 1e200]), [Exception::Overflow]);
    assert_eq!(doubles(Operation::Mul, &[infinity, 2.0]), []);
    assert_eq!(doubles(Operation::Div, &[1.0, 0.0]), [Exception::DivideByZero]);
    assert_eq!(doubles(Operation::Div, &[0.0, 0.0]), [Exception::Invalid]);
    assert_eq!(doubles(Operation::Div, &[infinity, 0.0]), []);
    // Tiny is tiny, exact or not; a zero that stands for something was tiny, too.
    assert_eq!(doubles(Operation::Sub, &[3e-308, 2.9e-308]), [Exception::Underflow]);
    assert_eq!(doubles(Operation::Mul, &[1e-200, 1e-200]), [Exception::Underflow]);
    assert_eq!(doubles(Operation::Mul, &[0.0, 1e-200]), []);
    // A NaN counts where it is born.
    assert_eq!(doubles(Operation::Sub, &[infinity, infinity]), [Exception::Invalid]);
    assert_eq!(doubles(Operation::Sub, &[f64::NAN, 1.0]), []);
    assert_eq!(doubles(Operation::Sqrt, &[-1.0]), [Exception::Invalid]);
}
