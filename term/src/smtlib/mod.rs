//! The SMT-LIB door: reading, printing, and answering scripts.

mod names;
mod session;

pub use session::{Answer, Decide};
