//! C++'s standard library, as far as it is no template: exceptions' messages, output.

use super::{Call, Detour, Model, World, process};
use crate::Value;
use nanoscope_program::cxx;

/// The model of a function, by its symbol.
pub(super) fn find(symbol: &str) -> Option<Model> {
    if cxx::is_of_exception(symbol) || cxx::is_empty(symbol) {
        Some(process::nothing)
    } else if cxx::is_output(symbol) {
        Some(output)
    } else {
        None
    }
}

/// Nothing is printed; the stream comes back.
fn output(_: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    Ok(call.arguments.first().cloned().unwrap_or(Value::Undefined))
}
