//! Running real machine code: worker processes for searching, replay under hardware
//! traps for confirming, and the sandbox that both are in. x86-64 Linux.
#![allow(unsafe_code)] // forking, loading and tracing foreign code is what this room is for

mod board;
mod child;
mod confirm;
mod fork_server;
mod frame;
mod hunt;
mod libm;
mod loaded;
mod number;
mod pace;
mod processor;
mod replay;
mod run_end;
mod runner;
mod sandbox;
mod shared;
mod text;
mod trace;
mod tracer;
pub mod whole;
mod worker;

pub use board::Record;
pub use child::give_back_memory;
pub use confirm::{Confirmed, Promise, confirm, confirm_alone, retell};
pub use hunt::{
    Admission, Allowance, Candidate, Catch, Ended, Hunt, Judge, Judgement, Pursuit, search_goals,
    search_goals_observed, space,
};
pub use number::{Class, Number};
pub use processor::processor_time;
pub use replay::{Event, Replay, Replayer};
pub use run_end::{Death, Limits, RunEnd};
pub use runner::Observer;
pub use sandbox::Sandbox;
pub use worker::{Batch, Casualty, Improvement, Late, Worker};
