//! What the text of a function tells before it is run: definitions and uses, liveness, and
//! what each domain prepares once.

pub mod definitions;
pub mod facts;
pub mod liveness;
