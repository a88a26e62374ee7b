//! Projections: what an equation `z = f(x…)` leaves of the sets of its operands and its result.

mod cases;
mod monotone;
mod quadrants;

pub(crate) use cases::Cases;
pub use cases::{Left, Narrowed, over_modes};
pub(crate) use monotone::Piece;
pub use monotone::{Monotone, Wanted};
pub(crate) use quadrants::{End, cut_corners, for_quadrants, without_end};
