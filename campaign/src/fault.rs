//! What stops a campaign. What stops one unit of it does not: that is a result.

use std::fmt;

/// Why a campaign cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The user can mend it; the message says what.
    User(String),
    /// Ours.
    Internal(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::User(why) | Trouble::Internal(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Trouble {}
