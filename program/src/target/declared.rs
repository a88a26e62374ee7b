//! Declared types, as debug information has them: the scalars they are made of.

use crate::llvm::DebugType;
use crate::target::scalar::Scalar;
use nanoscope_ieee::Format;

/// A scalar in memory.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub offset: u64,
    /// Of a bit-field: its lowest bit in the byte at `offset`.
    pub bit: Option<u32>,
    pub name: String,
    pub type_name: String,
    pub scalar: Scalar,
    pub is_input: bool,
    pub is_output: bool,
}

/// Without names and qualifiers.
pub(crate) fn strip(mut ty: DebugType) -> DebugType {
    while matches!(
        ty.tag(),
        tag::TYPEDEF | tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC
    ) {
        match ty.base() {
            Some(base) => ty = base,
            None => break,
        }
    }
    ty
}

pub(crate) fn type_name(ty: DebugType) -> String {
    let name = ty.name();
    if name.is_empty() { "a nameless type".into() } else { name }
}

/// The scalar that a declared type is.
pub(crate) fn scalar_of(ty: DebugType) -> Option<Scalar> {
    let bits = ty.bits();
    match ty.tag() {
        tag::BASE => match ty.encoding() {
            encoding::FLOAT => Some(Scalar::Float(float_format(bits, &ty.name())?)),
            encoding::SIGNED | encoding::SIGNED_CHAR => {
                Some(Scalar::Integer { bits: bits as u32, signed: true })
            }
            encoding::UNSIGNED | encoding::UNSIGNED_CHAR | encoding::UTF => {
                Some(Scalar::Integer { bits: bits as u32, signed: false })
            }
            encoding::BOOLEAN => Some(Scalar::Integer { bits: 1, signed: false }),
            _ => None,
        },
        tag::ENUMERATION => Some(Scalar::Integer { bits: bits as u32, signed: false }),
        _ => None,
    }
}

/// The format of a declared type of so many bits.
pub(crate) fn float_format(bits: u64, name: &str) -> Option<Format> {
    match bits {
        16 if name.contains("bf16") => Some(Format::BFLOAT16),
        16 => Some(Format::BINARY16),
        32 => Some(Format::BINARY32),
        64 => Some(Format::BINARY64),
        80 => Some(Format::X87),
        128 if name.contains("128") => Some(Format::BINARY128),
        128 => Some(Format::X87),
        _ => None,
    }
}

/// DW_TAG_* of the kinds of type met here.
pub(crate) mod tag {
    pub const ARRAY: u32 = 0x01;
    pub const CLASS: u32 = 0x02;
    pub const ENUMERATION: u32 = 0x04;
    pub const MEMBER: u32 = 0x0d;
    pub const POINTER: u32 = 0x0f;
    pub const REFERENCE: u32 = 0x10;
    pub const STRUCTURE: u32 = 0x13;
    pub const SUBROUTINE: u32 = 0x15;
    pub const TYPEDEF: u32 = 0x16;
    pub const UNION: u32 = 0x17;
    pub const INHERITANCE: u32 = 0x1c;
    pub const BASE: u32 = 0x24;
    pub const CONST: u32 = 0x26;
    pub const VOLATILE: u32 = 0x35;
    pub const RESTRICT: u32 = 0x37;
    pub const RVALUE_REFERENCE: u32 = 0x42;
    pub const ATOMIC: u32 = 0x47;
}

/// DW_ATE_* of the kinds of scalar met here.
pub(crate) mod encoding {
    pub const BOOLEAN: u32 = 0x02;
    pub const COMPLEX: u32 = 0x03;
    pub const FLOAT: u32 = 0x04;
    pub const SIGNED: u32 = 0x05;
    pub const SIGNED_CHAR: u32 = 0x06;
    pub const UNSIGNED: u32 = 0x07;
    pub const UNSIGNED_CHAR: u32 = 0x08;
    pub const UTF: u32 = 0x10;
}
