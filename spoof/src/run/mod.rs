//! Running binaries: the subject in its sandbox with our agent inside, and the workers that repeat
//! its calls.

mod inject;
mod modules;
mod registers;
mod sandbox;
mod shared;
mod subject;
mod worker;

pub use inject::{executable, foreign, is_static};
pub use modules::{Module, Modules, STREAMS, is_library};
pub use registers::{Layout, STATE_BYTES, patch_place, state_from};
pub use sandbox::Walls;
pub use shared::{Channel, Gone, Shared};
pub use subject::{Breakpoint, Event, Launch, Scratch, Stop, Subject};
pub use worker::{
    Block, BlockKind, Decoded, Ended, Ending, Goes, Output, Patch, Peek, Region, Site,
    SpoofedResult, Traced, Walked, Worker, channel_of,
};
