//! Facts about the code of a program: what a function can reach, write, fail by and throw, and the
//! libraries that are known by name.

pub mod constants;
pub mod cxx;
pub mod failure;
pub mod fingerprint;
pub mod foreign_exceptions;
pub mod libm;
pub mod reach;
pub mod symbols;
pub mod written_globals;
