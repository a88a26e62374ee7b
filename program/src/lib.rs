//! Programs: compiled, identified, asked about, and made into native code.
//!
//! The only room that links LLVM.

mod code;
pub mod compile;
mod fault;
mod goal;
pub mod ir;
mod llvm;
mod native;
mod nearest;
mod passes;
mod program;
mod rewrite;
mod target;

pub use code::failure::{FAILURE_FUNCTIONS, Failure, FailureFunction};
pub use code::libm::{Domain, Function as LibmFunction};
pub use code::{cxx, libm};
pub use fault::Fault;
pub use goal::distance::{FAR, distance};
pub use goal::exception::Exception;
pub use goal::integer::{Arithmetic, IntegerArithmetic};
pub use goal::site::{Action, Location, Site, SiteId};
pub use goal::software::{is_checked, is_soft};
pub use goal::{Goal, GoalId};
pub use native::libraries::Libraries;
pub use native::library::{Instrumented, Original};
pub use passes::flags;
pub use passes::probe::{Probes, RECORD_WORDS};
pub use program::{Candidate, Program};
pub use rewrite::{Offer, Rewriter, Step};
pub use target::call::Call;
pub use target::extent::Extent;
pub use target::fortran_call::{FortranArgument, FortranCall};
pub use target::scalar::Scalar;
pub use target::symbolic::Member;
pub use target::{
    Array, Assumption, Gap, Input, Output, Target, Untestable, Wish, Wishes, is_the_same,
};
