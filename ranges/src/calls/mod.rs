//! Calls: summaries by context, recursion, the library.

pub mod argument_partitions;
pub mod call;
pub mod complex;
pub mod followed;
pub mod graph;
pub mod library;
pub mod recursion;
pub mod summaries;
pub mod summary;
