//! Exception handling of x86-64 binaries: run an executable that exercises a library, spoof
//! exceptional values into its functions' inputs and intermediate results, and find the places
//! where an exception vanishes instead of reaching the caller.
//!
//! The method is EXCVATE's (Vanover, Demmel, Li, Rubio-González 2025).
#![allow(unsafe_code)] // running and tracing foreign code is what this room is for

pub mod derive;
mod describe;
pub mod handling;
pub mod lift;
pub mod prototype;
pub mod reify;
pub mod run;
pub mod sites;
mod test_program;
pub mod trace;

pub use describe::{from_finding, seen_words, to_report};
