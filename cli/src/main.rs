//! The command `nanoscope`: words to options, results to exit codes.

mod arguments;
mod campaign;
mod doctor;
mod explain;
mod handling;
mod manual;
mod prototypes;
mod rehandle;
mod solve;

use arguments::{Arguments, Command};
use nanoscope_cli::programs::ProgramCommand;
use nanoscope_cli::{Conclusion, Fault, conclude, read};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{self, ExitCode};

/// The binary that links LLVM, in the same folder as this one.
const WITH_LLVM: &str = "nanoscope-llvm";

fn main() -> ExitCode {
    conclude(run)
}

fn run() -> Result<Conclusion, Fault> {
    let Some(words) = read::<Arguments>()? else { return Ok(Conclusion::Nothing) };
    match words.arguments.command {
        Command::Program(ProgramCommand::Replay(arguments)) => {
            match rehandle::report(&arguments.file) {
                Some(report) => rehandle::run(&report, &arguments),
                None => Err(make_way()),
            }
        }
        Command::Program(_) => Err(make_way()),
        Command::Solve(arguments) => solve::run(&arguments).map(|()| Conclusion::Nothing),
        Command::Handling(arguments) => handling::run(&arguments),
        Command::Campaign(arguments) => campaign::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments).map(|()| Conclusion::Nothing),
        Command::Doctor => doctor::run(WITH_LLVM).map(|()| Conclusion::Nothing),
        Command::Completions(arguments) => {
            manual::completions(&arguments).map(|()| Conclusion::Nothing)
        }
        Command::Manual(arguments) => manual::pages(&arguments).map(|()| Conclusion::Nothing),
    }
}

/// Replaces this process by the binary that links LLVM, with the same arguments. Returns
/// only if that cannot be done.
fn make_way() -> Fault {
    let here = match std::env::current_exe() {
        Ok(here) => here,
        Err(error) => {
            return Fault::Installation(format!(
                "cannot tell where Nanoscope is installed: {error}"
            ));
        }
    };
    let there = here.with_file_name(WITH_LLVM);
    let error = process::Command::new(&there).args(std::env::args_os().skip(1)).exec();
    let there = there.display();
    Fault::Installation(if error.kind() == io::ErrorKind::NotFound {
        format!(
            "{there} is missing\n\nThis command needs it. `make install` installs both, side by \
             side; a copy of one needs a copy of the other."
        )
    } else {
        format!("cannot run {there}: {error}")
    })
}
