//! The command as a user runs it: what it says, writes and returns.

mod competition;
mod exceptions;
mod external;
mod fortran;
mod harm;
mod papers;
mod paths;
mod replay;
mod schema;
mod start;
mod stories;
mod support;
mod test;
mod words;
