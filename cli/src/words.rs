//! Reading the words of the command line.

use crate::{Fault, flags, output};
use clap::Parser;
use clap::error::ErrorKind;

/// A command line that was understood.
#[derive(Debug)]
pub struct Words<A> {
    /// Our own arguments.
    pub arguments: A,
    /// The compiler's flags among them, in order.
    pub flags: Vec<String>,
}

/// Reads this process's command line. Nothing is left to do if help or the version was
/// asked for: it has been printed.
pub fn read<A: Parser>() -> Result<Option<Words<A>>, Fault> {
    let split = flags::split(std::env::args_os()).map_err(Fault::User)?;
    match A::try_parse_from(&split.ours) {
        Ok(arguments) => Ok(Some(Words { arguments, flags: split.compiler })),
        // Help and version come this way too, and go to standard output.
        Err(error) if !error.use_stderr() => {
            output::print(&error.render().to_string())?;
            Ok(None)
        }
        Err(error) => Err(Fault::User(told(&error))),
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
