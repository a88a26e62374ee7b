//! Programs: compiled, identified, asked about, and made into native code.
//!
//! The only room that links LLVM.

pub mod compile;
mod fault;
mod goal;
mod library;
mod probe;
mod site;
mod target;

pub use fault::Fault;
pub use goal::{Exception, Goal, GoalId};
pub use library::{Instrumented, Original};
pub use probe::Probes;
pub use site::{Action, Location, Site, SiteId};
pub use target::{Input, Output, Scalar, Target};
