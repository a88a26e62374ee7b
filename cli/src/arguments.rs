//! The command line.

use clap::{Args, Parser, Subcommand};
use nanoscope_cli::programs::ProgramCommand;

/// Finds the inputs that make floating-point code go wrong.
#[derive(Debug, Parser)]
#[command(
    name = "nanoscope",
    version,
    about = "Finds the inputs that make floating-point code go wrong",
    after_help = EXIT_CODES,
    max_term_width = 96,
    disable_help_subcommand = true
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The commands that need LLVM.
    #[command(flatten)]
    Program(ProgramCommand),
    /// Decide SMT-LIB scripts over floats
    #[command(long_about = crate::solve::ABOUT, after_long_help = crate::solve::MORE)]
    Solve(Box<crate::solve::Solve>),
    /// Find the exceptions that a library swallows, given a program that exercises it
    #[command(long_about = crate::handling::ABOUT, after_long_help = crate::handling::MORE)]
    Handling(Box<crate::handling::Handling>),
    /// Check a whole library: many functions, resumable, on many processors or machines
    #[command(long_about = crate::campaign::ABOUT, after_long_help = crate::campaign::MORE)]
    Campaign(Box<crate::campaign::Campaign>),
    /// Say what a kind of finding is, why it matters and what to do about it
    #[command(long_about = EXPLAIN)]
    Explain(Explain),
    /// Look at what is installed, what is missing and how to get it
    #[command(long_about = DOCTOR)]
    Doctor,
    /// Print completions for a shell
    #[command(long_about = COMPLETIONS)]
    Completions(Completions),
    /// Write the man pages into a folder
    Manual(Manual),
}

/// `nanoscope completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `nanoscope manual`.
#[derive(Debug, Args)]
pub struct Manual {
    /// The folder, which is made if need be
    pub folder: std::path::PathBuf,
}

/// `nanoscope explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The kind, as a report names it; without it, all kinds are listed
    pub kind: Option<String>,
}

const EXIT_CODES: &str = "\
Exit codes:
  0   nothing was found
  1   something was found
  2   the command or the program given to it needs mending: the message says what
  70  Nanoscope itself failed

Start with:  nanoscope exceptions examples/average.c";

const EXPLAIN: &str = "\
Say what a kind of finding is, why it matters and what to do about it.

Example: nanoscope explain overflow";

const DOCTOR: &str = "\
Look at what is installed, what is missing and how to get it: compilers, the kernel's means to \
confine the program under test, the processor, the cache.

Exit code 2 if something that Nanoscope cannot do without is missing.";

const COMPLETIONS: &str = "\
Print completions for a shell.

Example: nanoscope completions bash > ~/.local/share/bash-completion/completions/nanoscope";

#[cfg(test)]
mod tests {
    use super::{Arguments, Command};
    use clap::{CommandFactory, Parser};
    use nanoscope_cli::programs::{Engine, ProgramCommand};
    use nanoscope_cli::range::Inputs;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn options_of_exceptions() {
        let line = "nanoscope exceptions a.c b.f90 --function f --function g --input x=-1..1 \
                    --input f:y=0..0x1p3 --array x=8 --inputs any --time-limit 0.5 --seed 7 --jobs 2 \
                    --evaluations 1000 --engines ranges,reals --json - --findings out -q";
        let arguments = Arguments::try_parse_from(line.split_whitespace()).expect("it is right");
        let Command::Program(ProgramCommand::Exceptions(options)) = arguments.command else {
            panic!("another command")
        };
        assert_eq!(options.subject.sources.files.len(), 2);
        assert_eq!(options.subject.functions, ["f", "g"]);
        assert_eq!(options.subject.ranges.len(), 2);
        assert_eq!(options.subject.ranges[0].low, "-1");
        assert_eq!(options.subject.arrays[0].length, "8");
        assert_eq!(options.subject.inputs, Inputs::Any);
        assert_eq!(
            (options.effort.time_limit, options.effort.seed, options.effort.jobs),
            (Some(0.5), 7, Some(2))
        );
        assert_eq!(options.effort.evaluations, Some(1000));
        assert_eq!(options.engines, [Engine::Ranges, Engine::Reals]);
        assert!(options.delivery.quiet);
    }

    #[test]
    fn wrong_values_are_refused_with_the_reason() {
        for (line, reason) in [
            ("exceptions", "SOURCE"),
            ("exceptions a.c --time-limit 0", "positive number of seconds"),
            ("exceptions a.c --time-limit nan", "positive number of seconds"),
            ("exceptions a.c --input x=2..1", "the range is empty"),
            ("exceptions a.c --inputs some", "possible values: finite, any"),
            ("exceptions a.c --engines magic", "possible values: ranges, search, explore, reals"),
            ("exceptions a.c --jobs 0", "0 is not in 1..=1024"),
            ("exceptions a.c --sed 1", "a similar argument exists: '--seed'"),
            ("replay", "<FILE|DIR>"),
            ("precision", "SOURCE"),
            ("precision a.c --threshold 0", "0 is not a positive number"),
            ("precision a.c --threshold much", "much is not a positive number"),
            ("precision a.c --ulps -1", "-1 is not a positive number"),
            ("precision a.c --ulps 3 --absolute 1", "cannot be used with"),
            ("precision a.c --input x=2..1", "the range is empty"),
            ("precision a.c --input-error x=ulp", "neither a positive number nor ulp/2"),
            ("precision a.c --rounding some", "possible values: nearest, up, down, zero, any"),
            ("precision a.c --delta int=1", "int is no type"),
        ] {
            let words = std::iter::once("nanoscope").chain(line.split_whitespace());
            let error = Arguments::try_parse_from(words).expect_err("it is wrong").to_string();
            assert!(error.contains(reason), "{line}: {error}");
        }
    }
}
