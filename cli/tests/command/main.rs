//! The command as a user runs it: what it says, writes and returns.

mod exceptions;
mod harm;
mod start;
mod support;
mod test;
mod words;
