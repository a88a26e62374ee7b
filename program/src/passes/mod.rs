//! Passes over bitcode: what the compiler may do is decided once, what our representation does not
//! have is written in instructions that it has, and copies are instrumented.
//!
//! - `fast_math.rs`, `flush.rs`: relaxed arithmetic, as it is really run
//! - `horizontal.rs`, `powers.rs`, `inlined.rs`, `trampolines.rs`: intrinsics and calls as plain
//!   instructions
//! - `instrument.rs`: probes (`probe.rs`), flags (`flags.rs`) and fuel (`fuel.rs`) for searching
//! - `overflow.rs`, `sanitise.rs`: checks of integers and of memory
//! - `shifts.rs`: shifts that an optimiser computes in advance, judged where they are used
//! - `redirect.rs`: functions that a program replaces by others

pub mod fast_math;
pub mod flags;
pub mod flush;
pub mod fuel;
pub mod horizontal;
pub mod inlined;
pub mod instrument;
pub mod overflow;
pub mod powers;
pub mod probe;
pub mod redirect;
pub mod sanitise;
pub mod shifts;
pub mod trampolines;
