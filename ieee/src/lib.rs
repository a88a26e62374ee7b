//! IEEE 754 arithmetic: formats, values, rounding, exceptions and every operation.

mod format;

pub use format::Format;
