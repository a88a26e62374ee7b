//! Native code made from a program: entries that call a target on an input vector, the libraries
//! for searching and for replay, and the program whole.

pub mod entry;
pub mod libraries;
pub mod library;
pub mod whole_program;
