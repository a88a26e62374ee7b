//! Which arguments a head takes, and the sort that comes of it.

use crate::{BitsOp, Op, Sort, Term, Terms, Unspecified, bits_ops};
use nanoscope_ieee::{self as ieee, Format, Operation, ParameterKind, Parameters};

/// Panics on a sort that no term may have.
pub(crate) fn well_formed(sort: Sort) {
    match sort {
        Sort::Bits(width) => assert!(width > 0, "a string of at least one bit"),
        Sort::Float(format) => {
            assert!(!format.explicit_integer_bit, "a format without a stored integer bit");
        }
        Sort::Bool | Sort::Rounding | Sort::Array(_) => {}
    }
}

/// The head with the parameters that its operation does not read set to their
/// defaults, so that equal terms are written equally.
pub(crate) fn canonical(op: Op) -> Op {
    let Op::Float(operation, given) = op else { return op };
    if operation == Operation::Identical {
        return Op::Equal;
    }
    let mut parameters = Parameters::of(given.format);
    for parameter in operation.parameters() {
        match parameter {
            ParameterKind::Format => {}
            ParameterKind::Target => parameters.target = given.target,
            ParameterKind::Width => parameters.width = given.width,
            ParameterKind::OutOfRange => parameters.out_of_range = given.out_of_range,
        }
    }
    Op::Float(operation, parameters)
}

/// The sort of `op` applied to `args`, or why there is none.
pub(crate) fn sort_of(terms: &Terms, op: Op, args: &[Term]) -> Result<Sort, String> {
    let sorts: Vec<Sort> = args.iter().map(|arg| terms.sort(*arg)).collect();
    let expect = |wanted: &[Sort], result: Sort| {
        if sorts == wanted { Ok(result) } else { Err(mismatch(terms, op, &sorts, wanted)) }
    };
    match op {
        Op::Value(_) | Op::Variable(_) => Ok(terms.sort(args[0])),
        Op::Not => expect(&[Sort::Bool], Sort::Bool),
        Op::And | Op::Or => expect(&vec![Sort::Bool; sorts.len().max(2)], Sort::Bool),
        Op::Ite => {
            let branch = sorts.get(1).copied().unwrap_or(Sort::Bool);
            expect(&[Sort::Bool, branch, branch], branch)
        }
        Op::Equal => {
            let side = sorts.first().copied().unwrap_or(Sort::Bool);
            expect(&[side, side], Sort::Bool)
        }
        Op::Bits(bits) => {
            let width = match sorts.first() {
                Some(Sort::Bits(width)) => *width,
                Some(_) | None => 1,
            };
            bits_sort(terms, bits, &sorts, width)
        }
        Op::Float(operation, parameters) => {
            let (wanted, result) = float_sorts(operation, &parameters);
            well_formed(Sort::Float(parameters.format));
            expect(&wanted, result)
        }
        Op::Libm(function, format) => {
            if ![Format::BINARY32, Format::BINARY64].contains(&format) {
                return Err(format!("libm.{} is for binary32 and binary64", function.name()));
            }
            expect(&vec![Sort::Float(format); function.arity()], Sort::Float(format))
        }
        Op::Unspecified(function) => {
            let (wanted, result) = unspecified_sorts(function);
            expect(&wanted, result)
        }
        Op::Apply(function) => {
            let function = terms.function(function);
            expect(&function.domain, function.range)
        }
        Op::Select => match sorts.first() {
            Some(Sort::Array(array)) => {
                let (index, element) = terms.array(*array);
                expect(&[Sort::Array(*array), index], element)
            }
            Some(_) | None => Err("select takes an array and an index".to_string()),
        },
        Op::Store => match sorts.first() {
            Some(Sort::Array(array)) => {
                let (index, element) = terms.array(*array);
                expect(&[Sort::Array(*array), index, element], Sort::Array(*array))
            }
            Some(_) | None => Err("store takes an array, an index and an element".to_string()),
        },
        Op::ConstantArray(array) => {
            let (_, element) = terms.array(array);
            expect(&[element], Sort::Array(array))
        }
    }
}

fn bits_sort(terms: &Terms, op: BitsOp, sorts: &[Sort], width: u32) -> Result<Sort, String> {
    let one = Sort::Bits(width);
    let expect = |wanted: &[Sort], result: Sort| {
        if sorts == wanted { Ok(result) } else { Err(mismatch(terms, Op::Bits(op), sorts, wanted)) }
    };
    match op {
        BitsOp::Not | BitsOp::Neg => expect(&[one], one),
        bits_ops!(Binary, Shift) => expect(&[one, one], one),
        bits_ops!(Compare) => expect(&[one, one], Sort::Bool),
        BitsOp::Concat => match sorts {
            [Sort::Bits(high), Sort::Bits(low)] => widened(*high, *low),
            _ => Err("concat takes two bit vectors".to_string()),
        },
        BitsOp::Extract { high, low } => {
            if low > high || high >= width {
                return Err(format!("extract of bits {high} to {low} from {width}"));
            }
            expect(&[one], Sort::Bits(high - low + 1))
        }
        BitsOp::ZeroExtend(more) | BitsOp::SignExtend(more) => {
            expect(&[one], widened(width, more)?)
        }
    }
}

/// The widest bit vectors there are: what is beyond is a mistake.
pub(crate) const MAX_WIDTH: u32 = 1 << 24;

fn widened(width: u32, more: u32) -> Result<Sort, String> {
    match width.checked_add(more) {
        Some(width) if width <= MAX_WIDTH => Ok(Sort::Bits(width)),
        Some(_) | None => Err(format!("more than {MAX_WIDTH} bits")),
    }
}

/// The sorts of an operation's operands and result.
pub(crate) fn float_sorts(operation: Operation, parameters: &Parameters) -> (Vec<Sort>, Sort) {
    let has = |kind| operation.parameters().contains(&kind);
    let width =
        if has(ParameterKind::Width) { parameters.width } else { parameters.format.width() };
    let result = if has(ParameterKind::Target) { parameters.target } else { parameters.format };
    let sort = |sort: ieee::Sort, format: Format| match sort {
        ieee::Sort::Float => Sort::Float(format),
        ieee::Sort::Rounding => Sort::Rounding,
        ieee::Sort::Bits => Sort::Bits(width),
        ieee::Sort::Bool => Sort::Bool,
    };
    let operands = operation.operands().iter().map(|s| sort(*s, parameters.format)).collect();
    (operands, sort(operation.result(), result))
}

/// The sorts of arguments and result of a function that SMT-LIB leaves open.
pub(crate) fn unspecified_sorts(function: Unspecified) -> (Vec<Sort>, Sort) {
    match function {
        Unspecified::Min(format) | Unspecified::Max(format) => {
            (vec![Sort::Float(format); 2], Sort::Float(format))
        }
        Unspecified::ToUnsigned(format, width) | Unspecified::ToSigned(format, width) => {
            (vec![Sort::Rounding, Sort::Float(format)], Sort::Bits(width))
        }
        Unspecified::ToIeeeBits(format) => (vec![Sort::Float(format)], Sort::Bits(format.width())),
    }
}

fn mismatch(terms: &Terms, op: Op, given: &[Sort], wanted: &[Sort]) -> String {
    let list = |sorts: &[Sort]| {
        let texts: Vec<String> = sorts.iter().map(|s| terms.sort_text(*s)).collect();
        format!("({})", texts.join(" "))
    };
    format!("{} takes {}, not {}", terms.op_text(op), list(wanted), list(given))
}
