//! Programs: compiled, identified, asked about, and made into native code.
//!
//! The only room that links LLVM.

mod call;
pub mod compile;
mod constants;
pub mod cxx;
mod derived;
mod distance;
mod entry;
mod fast_math;
mod fault;
pub mod flags;
mod fuel;
mod goal;
mod inlined;
mod instrument;
mod integer;
pub mod ir;
mod layout;
pub mod libm;
mod libraries;
mod library;
mod llvm;
mod merge;
mod nearest;
mod never;
mod overflow;
mod probe;
mod program;
mod range;
mod reach;
mod site;
mod symbolic;
mod symbols;
mod target;
mod usage;
mod whole;
mod written;

pub use call::Call;
pub use distance::{FAR, distance};
pub use fault::Fault;
pub use goal::{Exception, Goal, GoalId};
pub use integer::{Arithmetic, IntegerArithmetic};
pub use libm::{Domain, Function as LibmFunction};
pub use libraries::Libraries;
pub use library::{Instrumented, Original};
pub use probe::{Probes, RECORD_WORDS};
pub use program::{Candidate, Program, Untestable};
pub use site::{Action, Location, Site, SiteId};
pub use symbolic::Member;
pub use target::{Gap, Input, Output, Scalar, Target, Wish, Wishes, is_the_same};
