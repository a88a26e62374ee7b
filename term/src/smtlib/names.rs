//! What sorts and heads are called in SMT-LIB text.

use crate::{BitsOp, Op, Sort, Terms, Unspecified, bits_ops};
use nanoscope_ieee::{Format, Operation, OutOfRange, ParameterKind, Parameters};

/// Before the names of libm's functions.
pub(crate) const LIBM: &str = "libm.";
/// Before the names of operations of the table that SMT-LIB does not have.
pub(crate) const IEEE: &str = "ieee.";

impl Terms {
    /// A sort as SMT-LIB writes it.
    pub fn sort_text(&self, sort: Sort) -> String {
        match sort {
            Sort::Bool => "Bool".to_string(),
            Sort::Bits(width) => format!("(_ BitVec {width})"),
            Sort::Float(format) => {
                format!("(_ FloatingPoint {} {})", format.exponent_bits, format.precision)
            }
            Sort::Rounding => "RoundingMode".to_string(),
            Sort::Array(array) => {
                let (index, element) = self.array(array);
                format!("(Array {} {})", self.sort_text(index), self.sort_text(element))
            }
        }
    }

    /// A head that takes arguments, as SMT-LIB writes it: `bvadd`, `(_ to_fp 8 24)`.
    pub fn op_text(&self, op: Op) -> String {
        match op {
            Op::Value(_) => "value".to_string(),
            Op::Variable(variable) => self.symbol(variable).to_string(),
            Op::Not => "not".to_string(),
            Op::And => "and".to_string(),
            Op::Or => "or".to_string(),
            Op::Ite => "ite".to_string(),
            Op::Equal => "=".to_string(),
            Op::Bits(op) => bits_text(op),
            Op::Float(operation, parameters) => float_text(operation, &parameters),
            Op::Libm(function, _) => format!("{LIBM}{}", function.name()),
            Op::Unspecified(function) => unspecified_text(function),
            Op::Apply(function) => symbol_text(&self.function(function).name),
            Op::Select => "select".to_string(),
            Op::Store => "store".to_string(),
            Op::ConstantArray(array) => {
                format!("(as const {})", self.sort_text(Sort::Array(array)))
            }
        }
    }
}

fn bits_text(op: BitsOp) -> String {
    match op {
        BitsOp::Extract { high, low } => format!("(_ extract {high} {low})"),
        BitsOp::ZeroExtend(more) | BitsOp::SignExtend(more) => format!("(_ {} {more})", op.name()),
        BitsOp::Concat | bits_ops!(Logic, Arithmetic, Shift, Compare) => op.name().to_string(),
    }
}

/// SMT-LIB's name of an operation where SMT-LIB means exactly the same, the
/// table's own name behind `ieee.` elsewhere: `fp.min` is open for zeros of
/// opposite sign, and conversions to integers are where they do not fit, but
/// the table's operations are not.
pub(crate) fn exact_name(operation: Operation) -> Option<&'static str> {
    let open = [Operation::MinNum, Operation::MaxNum, Operation::ToSigned, Operation::ToUnsigned];
    if open.contains(&operation) { None } else { operation.smtlib_name() }
}

fn float_text(operation: Operation, parameters: &Parameters) -> String {
    let widths = |format: Format| format!("{} {}", format.exponent_bits, format.precision);
    let own = exact_name(operation);
    let name = own.map_or_else(|| format!("{IEEE}{}", operation.name()), str::to_string);
    let has = |kind| operation.parameters().contains(&kind);
    let to_float = ["to_fp", "to_fp_unsigned"].contains(&name.as_str());
    let mut indices = Vec::new();
    if has(ParameterKind::Target) {
        indices.push(widths(parameters.target));
    } else if to_float {
        indices.push(widths(parameters.format));
    }
    if has(ParameterKind::Width) && !to_float {
        indices.push(parameters.width.to_string());
    }
    if has(ParameterKind::OutOfRange) && parameters.out_of_range != OutOfRange::Undefined {
        indices.push(parameters.out_of_range.name().to_string());
    }
    if indices.is_empty() { name } else { format!("(_ {name} {})", indices.join(" ")) }
}

fn unspecified_text(function: Unspecified) -> String {
    match function {
        Unspecified::Min(_) => "fp.min".to_string(),
        Unspecified::Max(_) => "fp.max".to_string(),
        Unspecified::ToUnsigned(_, width) => format!("(_ fp.to_ubv {width})"),
        Unspecified::ToSigned(_, width) => format!("(_ fp.to_sbv {width})"),
        Unspecified::ToIeeeBits(_) => "fp.to_ieee_bv".to_string(),
    }
}

/// A symbol, between bars where it must be (SMT-LIB 2.6, 3.1).
pub(crate) fn symbol_text(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let simple = name.starts_with(|c: char| plain(c) && !c.is_ascii_digit())
        && name.chars().all(plain)
        && !RESERVED.contains(&name);
    if simple { name.to_string() } else { format!("|{name}|") }
}

/// Words that are no symbols unless between bars.
pub(crate) const RESERVED: [&str; 12] = [
    "_",
    "!",
    "as",
    "let",
    "exists",
    "forall",
    "match",
    "par",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "STRING",
];
