//! A regression test as a file.

use crate::Report;

/// A test's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegressionTest {
    /// Its name: the finding's, with `.c` or `.cpp`.
    pub file: String,
    /// What is in it.
    pub text: String,
}

/// `c` or `cpp`, as the sources are.
pub(crate) fn suffix(report: &Report) -> Result<&'static str, &'static str> {
    let sources = &report.subject.sources;
    let all = |suffixes: &[&str]| {
        let ends = |file: &String| suffixes.iter().any(|end| file.ends_with(end));
        !sources.is_empty() && sources.iter().all(ends)
    };
    if all(&[".c"]) {
        Ok("c")
    } else if all(&[".cc", ".cpp", ".cxx", ".C"]) {
        Ok("cpp")
    } else {
        Err("its sources are not all C, or all C++")
    }
}
