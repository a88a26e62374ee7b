//! Campaigns: many functions, checked one by one by worker processes, with a store that
//! survives whatever happens.
//!
//! - `project.rs`: the project file; `plan.rs`: from it to units of work (`unit.rs`)
//! - `store.rs`: units and results in SQLite; `lease.rs`: who works on what
//! - `work.rs`: worker processes; `status.rs`: how it goes; `gather.rs`: one report of it
//! - `slurm.rs`: the units shared among the tasks of a job array

mod fault;
mod gather;
mod lease;
mod plan;
pub mod project;
mod slurm;
mod status;
mod store;
mod unit;
mod work;

pub use fault::Trouble;
pub use gather::{Rooted, gather};
pub use plan::{Plan, Setting};
pub use slurm::{Cluster, Submission, shards_of};
pub use status::Status;
pub use store::{Claim, Counts, Ended, Journal, Planned, Store, UnitResult};
pub use unit::Unit;
pub use work::{Listener, PARENT, Workshop};
