//! Memory: objects, and what they hold.

/// The number of an object. The upper half of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);
