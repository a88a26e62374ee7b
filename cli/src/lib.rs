//! What the binaries `nanoscope` and `nanoscope-llvm` share.
//!
//! `nanoscope` is what users type. Loading LLVM takes longer than deciding many a query, so
//! it links none: for the commands that look at programs it makes way for `nanoscope-llvm`,
//! which lies beside it. Nothing here may use a room that links LLVM.

pub mod contract;
pub mod delivery;
mod ending;
mod flags;
mod interrupt;
pub mod output;
pub mod precision;
pub mod programs;
pub mod range;
pub mod subject;
pub mod testing;
mod words;

pub use ending::{Conclusion, Fault, conclude};
pub use interrupt::interruptible;
pub use words::{Words, read};
