//! The commands that look at programs, as words.
//!
//! `nanoscope` reads them to see that they are right, `nanoscope-llvm` to follow them.

use crate::delivery::Delivery;
use crate::precision::{PRECISION, PRECISION_MORE, Precision};
use crate::range::{CallbackChoice, InputRange, seconds};
use crate::subject::{Effort, Sources, Subject};
use crate::testing::{TEST, TEST_MORE, Test};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

/// What to do with a program.
#[derive(Debug, Subcommand)]
pub enum ProgramCommand {
    /// Find inputs that overflow, underflow, divide by zero, make a NaN or convert out of range
    #[command(long_about = EXCEPTIONS, after_long_help = EXCEPTIONS_MORE)]
    Exceptions(Box<Exceptions>),
    /// Explore a program: failing assertions, memory errors, aborts; and a test suite for it
    #[command(long_about = TEST, after_long_help = TEST_MORE)]
    Test(Box<Test>),
    /// Find how wrong results can be: inputs with large errors, and bounds that are proved
    #[command(long_about = PRECISION, after_long_help = PRECISION_MORE)]
    Precision(Box<Precision>),
    /// List the functions of a program that can be analysed
    #[command(hide = true)]
    Functions(Functions),
    /// Run findings or tests once more, on the program as it is now
    #[command(long_about = REPLAY, after_long_help = REPLAY_MORE)]
    Replay(Replay),
}

/// `nanoscope exceptions`.
#[derive(Debug, Args)]
pub struct Exceptions {
    /// The functions and their inputs.
    #[command(flatten)]
    pub subject: Subject,

    /// What a function parameter is: any (another value at each call), pure (the same value for
    /// the same arguments), or a function of the program; any where nothing is said
    #[arg(long = "callback", value_name = "f=any|pure|NAME")]
    pub callbacks: Vec<CallbackChoice>,

    /// Make a global variable an input, within a range; may be given several times
    #[arg(long = "global", value_name = "g=LO..HI", allow_hyphen_values = true)]
    pub globals: Vec<InputRange>,

    /// How long it may work.
    #[command(flatten)]
    pub effort: Effort,

    /// Use these engines only: ranges, search, explore, reals; the first three are used
    /// otherwise. reals is Ariadne's method: conditions of paths over the real numbers, and the
    /// floats around their solutions; it asks z3 where that is installed
    #[arg(
        long,
        value_name = "LIST",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub engines: Vec<Engine>,

    /// Follow paths that come by the same place of a call at most so often (or as often as they
    /// like: none); otherwise once, twice, four times, …, at last without a bound
    #[arg(long, value_name = "N|none")]
    pub max_loop: Option<MaxLoop>,

    /// Seconds for each question to the solver, which is asked once; otherwise little at first, and
    /// more for those that stay open
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub question_time: Option<f64>,

    /// Concretisations that the engine reals tries for a question, at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub concretizations: Option<u32>,

    /// Ask about an exception on every path that comes by it, and keep an input for each; for engines
    /// that follow paths (explore, reals)
    #[arg(long)]
    pub every_path: bool,

    /// Write every question to the solver into this folder, as SMT-LIB with its answer
    #[arg(long, value_name = "DIR")]
    pub queries: Option<PathBuf>,

    /// Where the report goes.
    #[command(flatten)]
    pub delivery: Delivery,
}

/// `nanoscope functions`.
#[derive(Debug, Args)]
pub struct Functions {
    /// What they stand in.
    #[command(flatten)]
    pub sources: Sources,

    /// Read what is known about functions from this file
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,

    /// Seconds for compiling
    #[arg(long, value_name = "S", default_value = "600", value_parser = seconds)]
    pub time_limit: f64,

    /// Write the list as JSON to a file, or to standard output (-)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// A bound on loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxLoop {
    /// So often at most.
    Times(u64),
    /// No bound.
    None,
}

impl FromStr for MaxLoop {
    type Err = String;

    fn from_str(text: &str) -> Result<MaxLoop, String> {
        match (text, text.parse::<u64>()) {
            ("none", _) => Ok(MaxLoop::None),
            (_, Ok(most)) if most > 0 => Ok(MaxLoop::Times(most)),
            (_, _) => Err("give a number from 1 on, or none".to_string()),
        }
    }
}

/// What settles goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Abstract interpretation
    Ranges,
    /// Native search
    Search,
    /// Exploration of paths with a solver over floats
    Explore,
    /// Exploration of paths with Ariadne's method over the reals
    Reals,
}

/// `nanoscope replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// A finding written by --findings, a report written by --json, a test written by --tests, or a
    /// folder of findings or tests
    #[arg(value_name = "FILE|DIR")]
    pub file: PathBuf,

    /// Which finding (or test), if the file has several
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,

    /// Judge what exceptions of a report did that was not judged when they were found (all that are
    /// unclassified, or the one that --id names), by exact arithmetic; with --json, write the whole
    /// report with what is known now
    #[arg(long)]
    pub harm: bool,

    /// A C expression over the outputs that tells success, for --harm: `ret == 0`, or `f: ret == 0`
    /// for one function's; may be given several times
    #[arg(long = "status-ok", value_name = "EXPR", requires = "harm")]
    pub status_ok: Vec<String>,

    /// Seconds for all of --harm
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds, allow_negative_numbers = true)]
    pub time_limit: f64,

    /// Write what happened as JSON to a file, or to standard output (-) in place of the text
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// No text; the exit code tells
    #[arg(long, short)]
    pub quiet: bool,
}

const EXCEPTIONS: &str = "\
Find inputs that make floating-point operations overflow, underflow, divide by zero, produce \
a NaN or convert out of range, and integers that come from floats overflow.

Every operation of every function is asked about. What no input in range can do is proved \
impossible. Then Nanoscope runs an instrumented copy of the program very many times, led by how \
near each run came, and follows the paths to what is left with a solver. Every candidate is run \
once more on the original program under hardware traps: only what that run showed is reported. \
The program's code runs in a sandbox: it can neither write files nor reach the \
network.";

const EXCEPTIONS_MORE: &str = "\
Compiler flags are taken as compilers take them: -I -D -U -L -l -O -f -m -W -g -std -include \
-isystem and a few more. Any other goes through --cflags \"FLAGS\". The code is compiled with the \
optimisation you give; what is found is true of that code. What the optimiser leaves out is \
looked for in a build without it, and said to be.

Examples:
  nanoscope exceptions mean.c
  nanoscope exceptions mean.c --function mean --input x=-1e6..1e6
  nanoscope exceptions -O2 -Iinclude src/norm.c -lm --array x=3 --findings found/
  nanoscope exceptions --compile-commands build/ --json report.json --quiet
  nanoscope exceptions f.c --assume \"x > 0 && n <= 100\" --status-ok \"ret == 0\"

Reading the output: each finding names the operation, the whole input, what the operation \
computed, whether the NaN or infinity reached the result, and what harm that does: the function \
is run once more in exact arithmetic, and a result that looks ordinary and is wrong comes first, \
one that is right all the same comes last. The table at the end counts goals, \
that is questions of the form \"can this operation overflow?\": reached (seen to happen), \
impossible (proved not to), open (neither, and why). Open is not safe.

Exit code: 0 nothing found, 1 findings, 2 your mistake, 70 ours.";

const REPLAY: &str = "\
Run a finding once more: compile the program as it is now with the flags of that run, run the \
function on the finding's input under hardware traps, and say whether it still happens.

Of a test that `nanoscope test --tests` wrote, or a folder of them, say how each ends now and what \
they cover.

Run it in the folder the finding was made in: sources are named from there.";

const REPLAY_MORE: &str = "\
Examples:
  nanoscope replay found/overflow-mean-12.9-fadd.json
  nanoscope replay report.json --id overflow-mean-12.9-fadd
  nanoscope replay suite/
  nanoscope replay suite/test-0003.json

Exit code: 1 a finding happens, or a test ends otherwise than when it was written; 0 neither, 2 \
your mistake, 70 ours.";
