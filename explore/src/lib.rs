//! Symbolic execution of our representation: states, memory, scheduling, library models.
//!
//! - `options.rs`, `outcome.rs`: what is asked and what is told
//! - `value.rs`, `environment.rs`, `compute/`, `memory/`: what registers and memory hold and
//!   what instructions compute
//! - `library/`: what the C library does; `files.rs`: files that programs read;
//!   `external.rs`: functions that are called natively
//! - `state.rs`, `path.rs`, `inputs.rs`: a path that has not ended, what holds on it, what it
//!   came by; `start.rs`: the first one; `groups.rs`: which conditions hang together;
//!   `persistent.rs`: tables that forks share
//! - `route.rs`: the path that is asked about; `branches.rs`: whether a state is on it; `trail.rs`,
//!   `telling.rs`: a path as people name it
//! - `machine.rs`, `coverage.rs`, `aim.rs`: what all states share
//! - `interpreter/`: from instruction to instruction, until something comes by
//! - `explorer.rs`: deals with that; `schedule.rs`: who goes on; `questions.rs`: the solver;
//!   `query_log.rs`: what it was asked

mod aim;
mod branches;
pub mod compute;
mod coverage;
pub mod environment;
mod explored;
mod explorer;
mod external;
mod files;
mod groups;
mod inputs;
mod interpreter;
pub mod library;
mod machine;
pub mod memory;
mod options;
mod path;
mod persistent;
mod placement;
mod query_log;
mod questions;
mod route;
mod schedule;
mod start;
mod state;
mod telling;
mod trail;
mod value;

pub use branches::branches;
pub use environment::Environment;
pub use explored::{Ending, Event, Explored, Flow, Gap, Given, How, OffRoute, PathEnd, Statistics};
pub use explorer::explore;
pub use external::{Caller, External, NativeAnswer, NativeCall, UnknownArguments};
pub use options::{Assumption, Goal, Options, Scheduler, Start, Stdin};
pub use query_log::QueryLog;
pub use route::{Entry, Line, Route, Way};
pub use trail::{Condition, Decision, Expression, Trail};
pub use value::Value;
