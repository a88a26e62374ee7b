//! How the engines share a target's time, and targets each other's.
//!
//! - `shares.rs`: the model. Which part of a function's time each engine has, how long a search
//!   goes on without news, and how much it may borrow: functions of the time alone.
//! - `pool.rs`: the time that functions did not need, for others to borrow.
//! - `schedule.rs`: the model applied to a target: budgets for its engines, by the clock.
//!
//! A function's own time, where the user gave one, is processor time: that of the thread and
//! of the processes it starts. Without it the wall's clock counts.

mod pool;
mod schedule;
mod shares;
#[cfg(test)]
mod simulation;

pub(super) use pool::TimePool;
pub(super) use schedule::{Schedule, Wishes};
