//! FPCore 2.0, the field's exchange format for kernels: reading and lowering to graphs.
//! Tensors are not supported, apart from a result that lists several numbers.

mod constants;
mod loops;
mod lower;
mod names;
mod precondition;
mod read;
mod syntax;

pub use loops::{TRIPS, recurrence};
pub use lower::{Lowered, Lowering, Refusal, admits, lower};
pub use read::{Place, SyntaxError};
pub use syntax::{Core, number};

/// Reads all FPCores of a text.
pub fn parse(text: &str) -> Result<Vec<Core>, SyntaxError> {
    let cores = syntax::cores(text)?;
    let all: Vec<&str> = cores.iter().map(|core| core.symbol.as_deref().unwrap_or("")).collect();
    cores.iter().try_for_each(|core| names::check(core, &all))?;
    Ok(cores)
}
