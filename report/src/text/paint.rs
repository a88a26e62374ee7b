//! Colours of the terminal, or none.

use crate::kinds::Severity;

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// With ANSI escape codes.
    Colour,
    /// As it is.
    Plain,
}

impl Paint {
    pub(super) fn bold(self, text: &str) -> String {
        self.code("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.code("2", text)
    }

    /// The lines around a snippet.
    pub(super) fn line(self, text: &str) -> String {
        self.code("1;34", text)
    }

    pub(super) fn severity(self, severity: Severity, text: &str) -> String {
        let code = match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Note => "1;36",
        };
        self.code(code, text)
    }

    fn code(self, code: &str, text: &str) -> String {
        match self {
            Paint::Plain => text.to_string(),
            Paint::Colour if text.trim().is_empty() => text.to_string(),
            Paint::Colour => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}
