//! Calls of libm as the runtime's wrappers report them, judged by their outcome.

use crate::number::{Class, class, format_of};
use crate::trace::{DIVIDE_BY_ZERO, INVALID, OUT_OF_RANGE, OVERFLOW, RawNumber, UNDERFLOW};

/// `struct nanoscope_number`.
#[repr(C)]
pub(crate) struct CallNumber {
    kind: u32,
    unused: u32,
    words: [u64; 2],
}

/// `struct nanoscope_call`.
#[repr(C)]
pub(crate) struct Call {
    pub(crate) name: *const libc::c_char,
    pub(crate) returns_to: *const libc::c_void,
    pub(crate) flags: u32,
    count: u32,
    argument: [CallNumber; 3],
    pub(crate) result: CallNumber,
}

impl Call {
    pub(crate) fn arguments(&self) -> &[CallNumber] {
        &self.argument[..(self.count as usize).min(3)]
    }

    /// Whether it is one of those that compute an argument's remainder, though that may be the
    /// argument.
    fn is_remainder(&self) -> bool {
        // SAFETY: a string constant of the runtime.
        let name = unsafe { std::ffi::CStr::from_ptr(self.name) }.to_bytes();
        name.starts_with(b"fmod") || name.starts_with(b"remainder")
    }
}

impl CallNumber {
    pub(crate) fn raw(&self) -> RawNumber {
        let kind = if self.kind == 0 { RawNumber::INTEGER } else { self.kind };
        RawNumber { kind, lanes: 1, words: [self.words[0], self.words[1], 0, 0] }
    }

    fn class(&self) -> Class {
        match format_of(self.kind) {
            Some(format) => class(format, self.raw().lane(0)),
            None if self.words[0] == 0 => Class::Zero,
            None => Class::Normal,
        }
    }

    /// The encoding without its sign.
    fn magnitude(&self) -> u128 {
        match format_of(self.kind) {
            Some(format) => self.raw().lane(0) & !(1 << (format.width() - 1)),
            None => u128::MAX,
        }
    }
}

/// What the call raised, by ISO C17 7.12.1: a domain error is a NaN from no NaN, a
/// pole or range error an infinity from finite numbers; the flags tell those apart.
/// Flags alone are not believed, since implementations raise some for nothing.
pub(crate) fn classify(call: &Call) -> u32 {
    let mut classes = call.arguments().iter().map(CallNumber::class);
    let has_nan = classes.clone().any(|class| class == Class::Nan);
    let is_finite = !classes.any(|class| matches!(class, Class::Nan | Class::Infinite));
    if call.result.kind == 0 {
        // lrint and its kin give long; ilogb, int, but its errors are of its domain.
        let is_ilogb = call.result.words[0] as i64 == i64::from(i32::MIN)
            || call.result.words[0] as i64 == i64::from(i32::MAX);
        return match (call.flags & INVALID != 0, is_ilogb) {
            (false, _) => 0,
            (true, true) => INVALID,
            (true, false) => OUT_OF_RANGE,
        };
    }
    match call.result.class() {
        Class::Nan if !has_nan => INVALID,
        Class::Infinite if is_finite && call.flags & DIVIDE_BY_ZERO != 0 => DIVIDE_BY_ZERO,
        Class::Infinite if is_finite => OVERFLOW,
        Class::Nan | Class::Infinite => 0,
        Class::Normal if call.flags & OVERFLOW != 0 => OVERFLOW,
        // fmin, rint, … hand an argument through: nothing was computed.
        Class::Subnormal if call.flags & UNDERFLOW == 0 => {
            let magnitude = call.result.magnitude();
            let is_argument = call.arguments().iter().any(|x| x.magnitude() == magnitude);
            if is_argument && !call.is_remainder() { 0 } else { UNDERFLOW }
        }
        Class::Normal | Class::Subnormal | Class::Zero if is_finite => call.flags & UNDERFLOW,
        Class::Normal | Class::Subnormal | Class::Zero => 0,
    }
}
