//! What a user says about functions, as words: preconditions, success, results.

use clap::Args;
use std::path::PathBuf;

/// What is known about the functions, and what counts.
#[derive(Debug, Default, Args)]
pub struct Contract {
    /// Assume this of the inputs, a C expression: "x > 0 && n <= 100"; may be given several
    /// times. "F: EXPR" means function F only. Inputs that violate it are never run
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub assume: Vec<String>,

    /// A call succeeded when this holds of the outputs, a C expression: "ret == 0". A call that
    /// reports failure has done no silent harm. "F: EXPR" means function F only
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub status_ok: Vec<String>,

    /// An output that is a result: ret, result->val; may be given several times. F:NAME means
    /// function F's. Otherwise all floating-point outputs but those called err, error or abserr
    #[arg(long = "value", value_name = "NAME")]
    pub values: Vec<String>,

    /// Let a run end at its first exception: what happens after it does not count
    #[arg(long)]
    pub stop_at_first: bool,

    /// Leave inputs as they were found, and do not judge what harm each finding does
    #[arg(long)]
    pub quick: bool,

    /// Read what is known about functions from this file; otherwise from nanoscope.toml, if
    /// there is one in the current folder
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,
}
