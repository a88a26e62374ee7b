//! The modules that do the work, as engines of the chain.

mod complete;
mod external;
mod guessing;
mod process;
mod propagation;

pub use complete::Complete;
pub use external::External;
pub use guessing::Guessing;
pub(crate) use process::Process;
pub use propagation::Propagation;
