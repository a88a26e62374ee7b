//! A regression test as a file.

use crate::{Kind, Report, finding_kinds};

/// A test's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegressionTest {
    /// Its name: the finding's, with `.c`, `.cpp` or `.f90`.
    pub file: String,
    /// What is in it.
    pub text: String,
}

/// Whether all sources are Fortran.
pub(crate) fn is_fortran(report: &Report) -> bool {
    let ends = [".f", ".for", ".f90", ".f95", ".f03", ".f08"];
    let is = |file: &String| ends.iter().any(|end| file.to_lowercase().ends_with(end));
    !report.subject.sources.is_empty() && report.subject.sources.iter().all(is)
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
        Err("its sources are not all C, all C++ or all Fortran")
    }
}

/// What to call an exception.
pub(crate) fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Overflow => "an overflow",
        Kind::Underflow => "an underflow",
        Kind::DivideByZero => "a division by zero",
        Kind::Invalid => "an invalid operation",
        Kind::ConversionOutOfRange => "a conversion out of range",
        Kind::IntegerOverflow => "an integer overflow",
        finding_kinds!(Precision, Handling, Failure) => kind.name(),
    }
}
