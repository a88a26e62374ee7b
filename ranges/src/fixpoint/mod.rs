//! Iteration to a fixpoint: the order of blocks, trace partitions, loops, widening.

pub mod acceleration;
pub mod interpreter;
pub mod invariant;
pub mod loops;
pub mod modes;
pub mod order;
pub mod partitions;
pub mod step;
pub mod thresholds;
pub mod unbounded;
