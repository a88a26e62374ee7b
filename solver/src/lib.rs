//! A solver for floats as floats: a query goes in, a model, a refutation or a reason comes out.

pub mod blast;
pub mod propagate;
