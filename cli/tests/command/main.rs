//! The command as a user runs it: what it says, writes and returns.

mod exceptions;
mod start;
mod support;
mod words;
