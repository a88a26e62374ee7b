//! `nanoscope test`, as words.

use crate::delivery::Delivery;
use crate::range::{ArrayLength, InputRange, Inputs, seconds};
use crate::subject::Sources;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

/// `nanoscope test`.
#[derive(Debug, Args)]
pub struct Test {
    /// The program.
    #[command(flatten)]
    pub sources: Sources,

    /// Start at this function, with its parameters unknown
    #[arg(long, value_name = "F")]
    pub function: Option<String>,

    /// Start at this function: `main`, or as with --function
    #[arg(long, value_name = "F", default_value = "main", conflicts_with = "function")]
    pub entry: String,

    /// An argument for `main`; may be given several times
    #[arg(long = "argument", value_name = "TEXT", allow_hyphen_values = true)]
    pub arguments: Vec<String>,

    /// Keep a parameter of --function within a range; may be given several times. Numbers are
    /// decimal (1e-3) or hexadecimal (0x1p-10)
    #[arg(long = "input", value_name = "x=LO..HI", allow_hyphen_values = true)]
    pub ranges: Vec<InputRange>,

    /// Which floating-point parameters are admitted where --input says nothing
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Inputs::Any)]
    pub inputs: Inputs,

    /// Elements that a pointer or array parameter points to; may be given several times
    #[arg(long = "array", value_name = "x=N")]
    pub arrays: Vec<ArrayLength>,

    /// Seconds for the whole run
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds, allow_negative_numbers = true)]
    pub time_limit: f64,

    /// By how much memory may grow, as in 500M or 4G; beyond that, paths are dropped, and the
    /// run says so
    #[arg(long, value_name = "SIZE", default_value = "4G")]
    pub memory_limit: Size,

    /// Start of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Stop paths that have forked so often
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_depth: Option<u64>,

    /// Stop paths that have come by the same place of a call so often
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_loop: Option<u64>,

    /// Which path goes on next
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Search::Coverage)]
    pub search: Search,

    /// What standard input holds: so many unknown bytes, or what is in a file
    #[arg(long, value_name = "N|FILE", default_value = "0")]
    pub stdin: StandardInput,

    /// A variable of the program's environment; may be given several times. There are no others
    /// then, --env "" alone says that there is none. Otherwise it is assumed that getenv finds
    /// nothing, and nothing is proved behind it
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    pub environment: Vec<String>,

    /// Native runs on made-up inputs before the exploration, at most
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub guesses: u64,

    /// Do not measure what the tests cover
    #[arg(long)]
    pub no_coverage: bool,

    /// List the paths that inputs can take, in place of looking for failures: the branches of
    /// each, its condition in three-address form, an input, and the results as expressions
    #[arg(long, conflicts_with = "path")]
    pub paths: bool,

    /// Say whether the path that a file names can be taken, and by which input. The file has
    /// branch outcomes (5:true 7:true*40 7:false) or lines (5 6 (7 8)*40 7 10)
    #[arg(long, value_name = "FILE")]
    pub path: Option<PathBuf>,

    /// What becomes of calls of functions without effects that are neither in the sources nor
    /// modelled, where arguments are unknown; where they are known, they are called natively
    #[arg(long, value_name = "HOW", value_enum, default_value_t = ExternalCalls::Both)]
    pub external_calls: ExternalCalls,

    /// A function without effects that is not in the sources, to be called natively; may be given
    /// several times. Those of the C library are known
    #[arg(long = "pure", value_name = "F")]
    pub pure: Vec<String>,

    /// Write every question to the solver into this folder, as SMT-LIB with its answer
    #[arg(long, value_name = "DIR")]
    pub queries: Option<PathBuf>,

    /// Show what the program prints on the paths explored
    #[arg(long)]
    pub echo: bool,

    /// Ask about this property (a .prp file of SV-COMP or Test-Comp): other findings are left out,
    /// and the report says whether it holds
    #[arg(long, value_name = "FILE.prp")]
    pub property: Option<PathBuf>,

    /// Write a witness for how the property ended, in SV-COMP's format 2.0
    #[arg(long, value_name = "FILE.yml", requires = "property")]
    pub witness: Option<PathBuf>,

    /// Write the tests into this folder as a suite of Test-Comp (XML)
    #[arg(long, value_name = "DIR")]
    pub test_suite: Option<PathBuf>,

    /// Write the tests into this folder as KLEE's .ktest files
    #[arg(long, value_name = "DIR")]
    pub ktest: Option<PathBuf>,

    /// Where the report goes.
    #[command(flatten)]
    pub delivery: Delivery,
}

/// Which path goes on next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Search {
    /// The one nearest to code not seen yet
    Coverage,
    /// The newest
    DepthFirst,
    /// A random one
    RandomPath,
}

/// What becomes of calls of external functions with unknown arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExternalCalls {
    /// Any result; and beside it, paths with known values of the arguments
    Both,
    /// One value of each argument, also where there is a model: not exhaustive
    Concretise,
    /// Any result
    Any,
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let (digits, unit) = match text.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
            Some((at, _)) => text.split_at(at),
            None => (text, ""),
        };
        let scale = match unit.to_ascii_uppercase().as_str() {
            "" => Some(0),
            "K" | "KB" | "KIB" => Some(10),
            "M" | "MB" | "MIB" => Some(20),
            "G" | "GB" | "GIB" => Some(30),
            _ => None,
        };
        let bytes = digits.parse::<u64>().ok().zip(scale);
        match bytes.and_then(|(number, scale)| number.checked_mul(1 << scale)) {
            Some(bytes) if bytes > 0 => Ok(Size(bytes)),
            Some(_) | None => Err("give a size as in 500M or 4G".to_string()),
        }
    }
}

/// What standard input holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StandardInput {
    /// So many unknown bytes.
    Unknown(usize),
    /// The contents of a file.
    File(PathBuf),
}

/// The most unknown bytes: a native run's standard input is no longer.
const MOST: usize = 65536;

impl FromStr for StandardInput {
    type Err = String;

    fn from_str(text: &str) -> Result<StandardInput, String> {
        match text.parse::<usize>() {
            Ok(bytes) if bytes <= MOST => Ok(StandardInput::Unknown(bytes)),
            Ok(_) => Err(format!("at most {MOST} bytes can be unknown")),
            Err(_) if text.is_empty() => Err("a number of bytes or a file is missing".to_string()),
            Err(_) => Ok(StandardInput::File(PathBuf::from(text))),
        }
    }
}

/// A variable of the environment with its value, or nothing.
fn variable(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() => Ok(text.to_owned()),
        None if text.is_empty() => Ok(String::new()),
        Some(_) | None => Err("say NAME=VALUE, as in HOME=/root".to_owned()),
    }
}

/// What `--help` begins with.
pub const TEST: &str = "\
Explore a program by symbolic execution: find inputs that fail its assertions, call its error \
functions, abort it, access memory that is not there, divide an integer by zero or shift too far; \
and write a test suite that covers its branches.

Inputs are what the program says is unknown: by klee_make_symbolic and the like (the header \
klee/klee.h comes with Nanoscope), by __VERIFIER_nondet_double() and the like, the parameters of \
--function, and standard input with --stdin. Floating point is exact: every rounding mode, every \
format, every NaN. Every finding has been seen in a native run of the original program, in a \
sandbox, where need be with sanitisers. When every path was followed to its end, the report says \
so: what was not found then cannot happen, as far as the model goes.";

/// What `--help` ends with.
pub const TEST_MORE: &str = "\
Compiler flags are taken as compilers take them: -I -D -U -L -l -O -f -m -W -g -std -include \
-isystem and a few more. Any other goes through --cflags \"FLAGS\".

Examples:
  nanoscope test examples/histogram.c
  nanoscope test histogram.c --tests suite/ --html report.html
  nanoscope test roots.c --function roots --input a=-10..10 --time-limit 10
  nanoscope test parse.c --stdin 4 --echo
  nanoscope test power.c --function power --paths --max-loop 5
  nanoscope test power.c --function power --path path.txt
  nanoscope test task.c --property unreach-call.prp --witness witness.yml

Exit code: 0 nothing found, 1 findings, 2 your mistake, 70 ours.";

#[cfg(test)]
mod tests {
    use super::{Size, StandardInput};
    use std::path::PathBuf;

    #[test]
    fn sizes() {
        for (text, bytes) in [("1", 1), ("3k", 3 << 10), ("500M", 500 << 20), ("4GiB", 4 << 30)] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for text in ["", "0", "4T", "-1", "G", "99999999999999999999", "99999999999G"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn standard_inputs() {
        assert_eq!("4".parse(), Ok(StandardInput::Unknown(4)));
        assert_eq!("in.txt".parse(), Ok(StandardInput::File(PathBuf::from("in.txt"))));
        assert!("65537".parse::<StandardInput>().is_err());
        assert!("".parse::<StandardInput>().is_err());
    }
}
