//! What Nanoscope tells the world: findings, verdicts and figures as plain data,
//! and their writers, a file each.
//!
//! This room knows nothing of LLVM, of processes or of how a finding was made.

mod advice;
mod calling;
mod compare;
pub mod competition;
mod document;
mod errors;
mod finding;
mod fingerprint;
mod fortran_test;
mod handling;
mod harm;
mod html;
mod json;
mod junit;
pub mod kinds;
mod markdown;
mod number;
mod path;
mod regression;
mod replaying;
mod sarif;
mod statistics;
mod story;
mod suite;
mod suppress;
mod test_file;
pub mod text;
mod verdict;
mod words;

pub use advice::{Advice, Rewritten};
pub use calling::{Call, Declared, Memory};
pub use compare::{Comparison, compare};
pub use document::{Note, Report, Run, SCHEMA, Status, Subject, Suppressed, Tally};
pub use errors::{ErrorPlot, ErrorSource, OutputError, ProvedError, ShownError};
pub use finding::{Claim, Confirmed, Details, Evidence, Finding, Place, identity};
pub use fingerprint::fingerprints;
pub use fortran_test::{FORTRAN_CALL, FortranArgument, FortranCall};
pub use handling::{Handled, Handling, Vanished};
pub use harm::{Effect, Exact, Harm};
pub use html::to_html;
pub use json::{Document, TestFile, Unreadable, from_json, schema, test_to_json, to_json};
pub use junit::to_junit;
pub use kinds::Kind;
pub use markdown::to_markdown;
pub use number::Number;
pub use path::{
    BranchTaken, Feasibility, PathAnswer, PathCondition, PathOutput, PathTaken, Paths, RefutedPath,
};
pub use regression::to_regression_test;
pub use sarif::to_sarif;
pub use statistics::{Exploration, Search, Solver, Statistics};
pub use story::{Raised, Story};
pub use suite::{Asking, Coverage, FileCoverage, Given, HalfTaken, Share, Test};
pub use suppress::{Rule, kinds as kinds_from_text};
pub use test_file::RegressionTest;
pub use verdict::{Outcome, Proof, Verdict};
