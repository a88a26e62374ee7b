//! The command line.

use crate::delivery::Delivery;
use crate::range::{ArrayLength, InputRange};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

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
    /// Find inputs that overflow, underflow, divide by zero, make a NaN or convert out of range
    #[command(long_about = EXCEPTIONS, after_long_help = EXCEPTIONS_MORE)]
    Exceptions(Box<Exceptions>),
    /// Run a finding once more, on the program as it is now
    #[command(long_about = REPLAY, after_long_help = REPLAY_MORE)]
    Replay(Replay),
    /// Decide SMT-LIB scripts over floats
    #[command(long_about = crate::solve::ABOUT, after_long_help = crate::solve::MORE)]
    Solve(Box<crate::solve::Solve>),
    /// Say what a kind of finding is, why it matters and what to do about it
    #[command(long_about = EXPLAIN)]
    Explain(Explain),
}

/// `nanoscope exceptions`.
#[derive(Debug, Args)]
pub struct Exceptions {
    /// C, C++ or Fortran sources (.c .cc .cpp .f .f90), LLVM text or bitcode (.ll .bc)
    #[arg(value_name = "SOURCE", required_unless_present = "compile_commands")]
    pub sources: Vec<PathBuf>,

    /// Look at this function only; may be given several times. Otherwise: at every function
    /// of the sources that has inputs Nanoscope can choose
    #[arg(long = "function", value_name = "F")]
    pub functions: Vec<String>,

    /// Keep an input within a range; may be given several times.
    /// F:x=LO..HI means function F's x only. Numbers are decimal (1e-3) or hexadecimal
    /// (0x1p-10)
    #[arg(long = "input", value_name = "x=LO..HI", allow_hyphen_values = true)]
    pub ranges: Vec<InputRange>,

    /// Which floating-point inputs are admitted where --input says nothing
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Inputs::Finite)]
    pub inputs: Inputs,

    /// Elements that a pointer or array parameter points to; may be given several times.
    /// F:x=N means function F's x only
    #[arg(long = "array", value_name = "x=N")]
    pub arrays: Vec<ArrayLength>,

    /// Take compiler flags from this compile_commands.json (or the folder it is in), and the
    /// sources too if none is named
    #[arg(long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,

    /// Seconds for the whole run
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds, allow_negative_numbers = true)]
    pub time_limit: f64,

    /// At most so many runs of the instrumented code for each function
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub evaluations: Option<u64>,

    /// Start of all random choices: the same seed and the same number of evaluations give
    /// the same report
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Functions worked on at the same time; otherwise as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,

    /// Where the report goes.
    #[command(flatten)]
    pub delivery: Delivery,
}

/// Which values floating-point inputs may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Inputs {
    /// Every finite number
    Finite,
    /// Infinities and NaN too
    Any,
}

/// `nanoscope replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// A finding written by --findings, or a report written by --json
    #[arg(value_name = "FINDING.json")]
    pub file: PathBuf,

    /// Which finding, if the file has several
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,

    /// Write what happened as JSON to a file, or to standard output (-) in place of the text
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// No text; the exit code tells
    #[arg(long, short)]
    pub quiet: bool,
}

/// `nanoscope explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The kind, as a report names it; without it, all kinds are listed
    pub kind: Option<String>,
}

/// A positive number of seconds, not so many that a clock overflows.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e8 => Ok(seconds),
        Ok(_) | Err(_) => Err("give a positive number of seconds, as in 10 or 0.5".to_string()),
    }
}

const EXIT_CODES: &str = "\
Exit codes:
  0   nothing was found
  1   something was found
  2   the command or the program given to it needs mending: the message says what
  70  Nanoscope itself failed

Start with:  nanoscope exceptions examples/average.c";

const EXCEPTIONS: &str = "\
Find inputs that make floating-point operations overflow, underflow, divide by zero, produce \
a NaN or convert out of range.

Every operation of every function is asked about. Nanoscope compiles the program, runs an \
instrumented copy of it very many times, led by how near each run came, and runs every \
candidate once more on the original program under hardware traps. Only what that run showed \
is reported. The program's code runs in a sandbox: it can neither write files nor reach the \
network.";

const EXCEPTIONS_MORE: &str = "\
Compiler flags are taken as compilers take them: -I -D -U -L -l -O -f -m -W -g -std -include \
-isystem and a few more. Any other goes through --cflags \"FLAGS\". The code is compiled with the \
optimisation you give; what is found is true of that code.

Examples:
  nanoscope exceptions mean.c
  nanoscope exceptions mean.c --function mean --input x=-1e6..1e6
  nanoscope exceptions -O2 -Iinclude src/norm.c -lm --array x=3 --findings found/
  nanoscope exceptions --compile-commands build/ --json report.json --quiet

Reading the output: each finding names the operation, the whole input, what the operation \
computed, and whether the NaN or infinity reached the result. The table at the end counts goals, \
that is questions of the form \"can this operation overflow?\": reached (seen to happen), \
impossible (proved not to), open (neither, and why). Open is not safe.

Exit code: 0 nothing found, 1 findings, 2 your mistake, 70 ours.";

const REPLAY: &str = "\
Run a finding once more: compile the program as it is now with the flags of that run, run the \
function on the finding's input under hardware traps, and say whether it still happens.

Run it in the folder the finding was made in: sources are named from there.";

const REPLAY_MORE: &str = "\
Examples:
  nanoscope replay found/overflow-mean-12.9-fadd.json
  nanoscope replay report.json --id overflow-mean-12.9-fadd

Exit code: 1 it happens, 0 it does not any more, 2 your mistake, 70 ours.";

const EXPLAIN: &str = "\
Say what a kind of finding is, why it matters and what to do about it.

Example: nanoscope explain overflow";

#[cfg(test)]
mod tests {
    use super::{Arguments, Command, Inputs};
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn options_of_exceptions() {
        let line = "nanoscope exceptions a.c b.f90 --function f --function g --input x=-1..1 \
                    --input f:y=0..0x1p3 --array x=8 --inputs any --time-limit 0.5 --seed 7 --jobs 2 \
                    --evaluations 1000 --json - --findings out -q";
        let arguments = Arguments::try_parse_from(line.split_whitespace()).expect("it is right");
        let Command::Exceptions(options) = arguments.command else { panic!("another command") };
        assert_eq!(options.sources.len(), 2);
        assert_eq!(options.functions, ["f", "g"]);
        assert_eq!(options.ranges.len(), 2);
        assert_eq!(options.ranges[0].low, "-1");
        assert_eq!(options.arrays[0].length, 8);
        assert_eq!(options.inputs, Inputs::Any);
        assert_eq!((options.time_limit, options.seed, options.jobs), (0.5, 7, Some(2)));
        assert_eq!(options.evaluations, Some(1000));
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
            ("exceptions a.c --jobs 0", "0 is not in 1..=1024"),
            ("exceptions a.c --sed 1", "a similar argument exists: '--seed'"),
            ("replay", "FINDING.json"),
        ] {
            let words = std::iter::once("nanoscope").chain(line.split_whitespace());
            let error = Arguments::try_parse_from(words).expect_err("it is wrong").to_string();
            assert!(error.contains(reason), "{line}: {error}");
        }
    }
}
