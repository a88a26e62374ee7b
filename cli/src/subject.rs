//! What commands that look at functions are given, and how long they may work, as words.

use crate::contract::Contract;
use crate::range::{ArrayLength, InputRange, Inputs, seconds};
use clap::Args;
use std::path::PathBuf;

/// The sources of a program.
#[derive(Debug, Args)]
pub struct Sources {
    /// C, C++ or Fortran sources (.c .cc .cpp .f .f90), LLVM text or bitcode (.ll .bc); for
    /// `precision` also FPCore (.fpcore)
    #[arg(value_name = "SOURCE", required_unless_present = "compile_commands")]
    pub files: Vec<PathBuf>,

    /// Take compiler flags from this compile_commands.json (or the folder it is in), and the
    /// sources too if none is named
    #[arg(long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,
}

/// Functions of a program, and their inputs.
#[derive(Debug, Args)]
pub struct Subject {
    /// What they stand in.
    #[command(flatten)]
    pub sources: Sources,

    /// Look at this function only, or at that of one file (a.c:F); may be given several
    /// times. Otherwise: at every function of the sources that has inputs Nanoscope can choose
    #[arg(long = "function", value_name = "F")]
    pub functions: Vec<String>,

    /// Keep an input within a range; may be given several times. F:x=LO..HI means function F's
    /// x only, *=LO..HI every floating-point input. Integers and lengths too: n=1..64. Numbers
    /// are decimal (1e-3) or hexadecimal (0x1p-10)
    #[arg(long = "input", value_name = "x=LO..HI", allow_hyphen_values = true)]
    pub ranges: Vec<InputRange>,

    /// Which floating-point inputs are admitted where --input says nothing
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Inputs::Finite)]
    pub inputs: Inputs,

    /// Elements that a pointer or array parameter points to, a number or an expression over
    /// integer inputs (a=lda*n); may be given several times. F:x=N means function F's x only
    #[arg(long = "array", value_name = "x=N")]
    pub arrays: Vec<ArrayLength>,

    /// What is known about the functions.
    #[command(flatten)]
    pub contract: Contract,
}

/// How long and how much a command may work.
#[derive(Debug, Args)]
pub struct Effort {
    /// Seconds for the whole run; without it 60 for a program (in `exceptions` two for each
    /// function, if that is more), and for FPCore files no limit but that of each kernel
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub time_limit: Option<f64>,

    /// Seconds for each function; in `exceptions`, processor seconds of all its processes, and
    /// what functions do not need is for larger ones that do, several times as much at most; a
    /// kernel of an FPCore file has 10 of processor time without it
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub function_time: Option<f64>,

    /// At most so many runs of the search for each function
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub evaluations: Option<u64>,

    /// Start of all random choices: the same seed and the same number of evaluations give
    /// the same report
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Functions worked on at the same time; otherwise as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
}

impl Effort {
    /// How many functions are worked on at the same time.
    pub fn jobs(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(all, |jobs| jobs as usize)
    }
}
