//! Whose fault a failure is: the user's (say what to do) or ours.

use std::fmt;

/// Why something could not be done.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The user's: the message says where and what to do. Exit code 2.
    User(String),
    /// Ours: an invariant broke. Exit code 70.
    Internal(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::User(message) | Fault::Internal(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Fault {}
