//! How a command ends: its exit code, and what it says when it did not end well.

use crate::output;
use nanoscope_campaign::PARENT;
use std::os::unix::process::parent_id;
use std::panic;
use std::process::ExitCode;
use std::time::Duration;

/// Whether there is anything to act upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// There is not.
    Nothing,
    /// There is.
    Findings,
}

/// Why a command could not do its work, by who has something to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The user: the message says where and what.
    User(String),
    /// Whoever installed Nanoscope.
    Installation(String),
    /// We.
    Internal(String),
}

/// Something was found.
const FINDINGS: u8 = 1;
/// The user has something to mend.
const MISTAKE: u8 = 2;
/// Nanoscope itself failed: sysexits.h's EX_SOFTWARE.
const FAILURE: u8 = 70;

/// Runs a command, tells what went wrong, and says how to exit.
pub fn conclude(command: fn() -> Result<Conclusion, Fault>) -> ExitCode {
    panic::set_hook(Box::new(|panic| {
        output::tell(&internal(&panic.to_string()));
    }));
    end_with_parent();
    let code = match panic::catch_unwind(command) {
        Ok(Ok(Conclusion::Nothing)) => 0,
        Ok(Ok(Conclusion::Findings)) => FINDINGS,
        Ok(Err(Fault::User(message))) => {
            output::tell(&format!("nanoscope: {message}"));
            MISTAKE
        }
        Ok(Err(Fault::Installation(message))) => {
            output::tell(&format!("nanoscope: {message}"));
            FAILURE
        }
        Ok(Err(Fault::Internal(message))) => {
            output::tell(&internal(&message));
            FAILURE
        }
        // The hook has spoken.
        Err(_) => FAILURE,
    };
    ExitCode::from(code)
}

/// A worker of a campaign ends when the campaign does, however that ended.
fn end_with_parent() {
    let parent = std::env::var(PARENT).ok().and_then(|text| text.parse::<u32>().ok());
    let Some(parent) = parent else {
        return;
    };
    std::thread::spawn(move || {
        while parent_id() == parent {
            std::thread::sleep(Duration::from_millis(100));
        }
        std::process::exit(i32::from(FAILURE));
    });
}

fn internal(message: &str) -> String {
    format!(
        "nanoscope {}: internal error: {message}\n\
         This is a defect of Nanoscope, not of your program. Please report it with the command \
         line and the source.",
        env!("CARGO_PKG_VERSION")
    )
}
