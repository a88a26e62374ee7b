//! The head of an application, as a script writes it.

use nanoscope_ieee::Format;

/// A head as written: `bvadd`, or `(_ extract 7 0)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) name: String,
    pub(crate) indices: Vec<u32>,
    /// A word among the indices, as our extensions have.
    pub(crate) word: Option<String>,
}

/// The format with these two widths, if there is one.
pub(crate) fn two_widths(indices: &[u32]) -> Option<Format> {
    match indices {
        [exponent, precision]
            if (2..=Format::MAX_EXPONENT_BITS).contains(exponent) && *precision >= 2 =>
        {
            Some(Format::new(*exponent, *precision))
        }
        _ => None,
    }
}
