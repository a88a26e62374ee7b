//! The command `nanoscope`: words to options, results to exit codes.

mod arguments;
mod delivery;
mod exceptions;
mod explain;
mod flags;
mod output;
mod progress;
mod range;
mod replay;
mod solve;

use arguments::{Arguments, Command};
use clap::Parser;
use clap::error::ErrorKind;
use nanoscope_program::Fault;
use std::panic;
use std::process::ExitCode;

/// Whether there is anything to act upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Nothing,
    Findings,
}

/// Something was found.
const FINDINGS: u8 = 1;
/// The user has something to mend.
const MISTAKE: u8 = 2;
/// We have: sysexits.h's EX_SOFTWARE.
const INTERNAL: u8 = 70;

fn main() -> ExitCode {
    panic::set_hook(Box::new(|panic| {
        output::tell(&internal(&panic.to_string()));
    }));
    let code = match panic::catch_unwind(run) {
        Ok(Ok(Outcome::Nothing)) => 0,
        Ok(Ok(Outcome::Findings)) => FINDINGS,
        Ok(Err(Fault::User(message))) => {
            output::tell(&format!("nanoscope: {message}"));
            MISTAKE
        }
        Ok(Err(Fault::Internal(message))) => {
            output::tell(&internal(&message));
            INTERNAL
        }
        // The hook has spoken.
        Err(_) => INTERNAL,
    };
    ExitCode::from(code)
}

fn internal(message: &str) -> String {
    format!(
        "nanoscope {}: internal error: {message}\n\
         This is a defect of Nanoscope, not of your program. Please report it with the command \
         line and the source.",
        env!("CARGO_PKG_VERSION")
    )
}

fn run() -> Result<Outcome, Fault> {
    let split = flags::split(std::env::args_os()).map_err(Fault::User)?;
    let arguments = match Arguments::try_parse_from(&split.ours) {
        Ok(arguments) => arguments,
        // Help and version come this way too, and go to standard output.
        Err(error) if !error.use_stderr() => {
            output::print(&error.render().to_string())?;
            return Ok(Outcome::Nothing);
        }
        Err(error) => return Err(Fault::User(told(&error))),
    };
    match arguments.command {
        Command::Exceptions(arguments) => exceptions::run(&arguments, split.compiler),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Solve(arguments) => {
            solve::run(&arguments).map(|()| Outcome::Nothing).map_err(|trouble| match trouble {
                solve::Trouble::Mistake(message) => Fault::User(message),
                solve::Trouble::Internal(message) => Fault::Internal(message),
            })
        }
        Command::Explain(arguments) => explain::run(&arguments).map(|()| Outcome::Nothing),
    }
}

/// The parser's message without the word that ours begins with.
fn told(error: &clap::Error) -> String {
    let message = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            format!("a command is missing\n\n{}", message.trim_end())
        }
        _ => message.trim_start_matches("error: ").trim_end().to_string(),
    }
}
