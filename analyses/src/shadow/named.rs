//! Functions of the mathematical library that are operations of IEEE 754 under another name.

use nanoscope_ieee::{Operation, Rounding};
use nanoscope_program::ir::Mode;

/// The operation that a function is, and how it rounds. The name is that of the double version.
pub(crate) fn operation_named(name: &str) -> Option<(Operation, Mode)> {
    Some(match name {
        "sqrt" => (Operation::Sqrt, Mode::Dynamic),
        "fma" => (Operation::Fma, Mode::Dynamic),
        "fabs" => (Operation::Abs, Mode::Dynamic),
        "copysign" => (Operation::CopySign, Mode::Dynamic),
        "fmod" => (Operation::Fmod, Mode::Dynamic),
        "remainder" | "drem" => (Operation::Remainder, Mode::Dynamic),
        "fmin" => (Operation::MinNum, Mode::Dynamic),
        "fmax" => (Operation::MaxNum, Mode::Dynamic),
        "floor" => (Operation::RoundToIntegral, Mode::Fixed(Rounding::Downward)),
        "ceil" => (Operation::RoundToIntegral, Mode::Fixed(Rounding::Upward)),
        "trunc" => (Operation::RoundToIntegral, Mode::Fixed(Rounding::TowardZero)),
        "round" => (Operation::RoundToIntegral, Mode::Fixed(Rounding::NearestAway)),
        "rint" | "nearbyint" | "roundeven" => {
            (Operation::RoundToIntegral, Mode::Fixed(Rounding::NearestEven))
        }
        _ => return None,
    })
}
