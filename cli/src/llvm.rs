//! The binary `nanoscope-llvm`: the commands of `nanoscope` that look at programs.

mod document;
mod exceptions;
mod functions;
mod harm;
mod precise;
mod progress;
mod project;
mod replay;
mod rerun;
mod test;

use clap::Parser;
use nanoscope_cli::programs::ProgramCommand;
use nanoscope_cli::{Conclusion, Fault, conclude, read};
use std::process::ExitCode;

/// Finds the inputs that make programs go wrong; run as `nanoscope`.
#[derive(Debug, Parser)]
#[command(name = "nanoscope-llvm", version, max_term_width = 96, disable_help_subcommand = true)]
struct Arguments {
    /// What to do.
    #[command(subcommand)]
    command: ProgramCommand,
}

fn main() -> ExitCode {
    conclude(run)
}

fn run() -> Result<Conclusion, Fault> {
    let Some(words) = read::<Arguments>()? else { return Ok(Conclusion::Nothing) };
    match words.arguments.command {
        ProgramCommand::Exceptions(arguments) => exceptions::run(&arguments, words.flags),
        ProgramCommand::Precision(arguments) => precise::run(&arguments, words.flags),
        ProgramCommand::Test(arguments) => test::run(&arguments, words.flags),
        ProgramCommand::Functions(arguments) => functions::run(&arguments, words.flags),
        ProgramCommand::Replay(arguments) => replay::run(&arguments),
    }
}

/// What went wrong with a program, as this command tells it.
fn as_ours(fault: nanoscope_program::Fault) -> Fault {
    match fault {
        nanoscope_program::Fault::User(message) => Fault::User(message),
        nanoscope_program::Fault::Internal(message) => Fault::Internal(message),
    }
}
