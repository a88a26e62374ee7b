//! One line on the terminal that says how the work goes; none in a pipe.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Often enough to look alive, seldom enough to cost nothing.
const PAUSE: Duration = Duration::from_millis(100);

/// A line on standard error that is written over and over.
#[derive(Debug)]
pub struct ProgressLine {
    shown: bool,
    visible: bool,
    last: Option<Instant>,
}

impl ProgressLine {
    /// A line, if standard error is a terminal and the user is not to be left alone.
    pub fn new(quiet: bool) -> ProgressLine {
        ProgressLine { shown: !quiet && io::stderr().is_terminal(), visible: false, last: None }
    }

    /// Shows `text`, unless something was shown just now.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        if !self.shown || self.last.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        self.last = Some(Instant::now());
        self.visible = true;
        let room = nanoscope_cli::output::width().saturating_sub(1);
        let line: String = text().chars().take(room).collect();
        // Erase to the end of the line, so that nothing of a longer one is left.
        let _ = write!(io::stderr().lock(), "\r{line}\x1b[K");
    }

    /// Takes the line away before anything else is written.
    pub fn clear(&mut self) {
        if self.visible {
            self.visible = false;
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
