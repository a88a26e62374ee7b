//! Variable arguments as x86-64 lays them out.
//!
//! A `va_list` is a structure of two offsets into a register save area, the address of what
//! was passed on the stack, and the save area's (System V ABI for AMD64, 3.5.7). Everything is
//! passed on the stack here: the offsets say that the registers are used up.

use super::Type;

/// Past the six general registers of 8 bytes.
pub const GENERAL_USED: u64 = 48;
/// Past these and the eight vector registers of 16 bytes.
pub const VECTOR_USED: u64 = 176;
/// Where in a `va_list` the address of the next argument on the stack is.
pub const NEXT: u64 = 8;
/// Where in it the address of the register save area is.
pub const SAVED: u64 = 16;
/// Bytes of a `va_list`.
pub const SIZE: u64 = 24;

/// Where arguments of these types lie, and how many bytes all of them take.
pub fn places<'t>(types: impl Iterator<Item = &'t Type>) -> (Vec<u64>, u64) {
    let mut places = Vec::new();
    let mut size = 0u64;
    for ty in types {
        size = size.next_multiple_of(alignment(ty));
        places.push(size);
        size += slot(ty);
    }
    (places, size)
}

/// The bytes an argument takes.
pub fn slot(ty: &Type) -> u64 {
    ty.stored_bytes().next_multiple_of(8).max(8)
}

/// The alignment of an argument.
pub fn alignment(ty: &Type) -> u64 {
    match ty {
        Type::Integer(bits) if *bits > 64 => 16,
        Type::Float(format) if format.width() > 64 => 16,
        Type::Vector(..) if ty.stored_bytes() > 8 => ty.stored_bytes().next_power_of_two(),
        Type::Void
        | Type::Integer(_)
        | Type::Float(_)
        | Type::Pointer
        | Type::Vector(..)
        | Type::Aggregate(_) => 8,
    }
}
