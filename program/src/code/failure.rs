//! The functions whose call is a failure of the program: failed assertions, error calls, aborts.

/// What a call of such a function says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Failure {
    /// An assertion does not hold.
    Assertion,
    /// The program calls what it must not reach.
    Error,
    /// The program aborts.
    Abort,
}

/// A function whose call is a failure.
#[derive(Debug, PartialEq, Eq)]
pub struct FailureFunction {
    /// Its symbol.
    pub name: &'static str,
    /// What its call says.
    pub failure: Failure,
    /// Whether every call is one; others are given the condition that has to hold.
    pub always: bool,
    /// Whether programs define it themselves, as they like: a call of it is the failure all the
    /// same, whatever its body does.
    pub programs_own: bool,
}

const fn row(name: &'static str, failure: Failure) -> FailureFunction {
    FailureFunction { name, failure, always: true, programs_own: false }
}

/// All of them: glibc's, macOS's, KLEE's and the software verification competition's.
pub const FAILURE_FUNCTIONS: &[FailureFunction] = &[
    row("__assert_fail", Failure::Assertion),
    row("__assert_perror_fail", Failure::Assertion),
    row("__assert", Failure::Assertion),
    row("__assert_rtn", Failure::Assertion),
    FailureFunction { always: false, ..row("klee_assert", Failure::Assertion) },
    FailureFunction { programs_own: true, ..row("reach_error", Failure::Error) },
    FailureFunction { programs_own: true, ..row("__VERIFIER_error", Failure::Error) },
    FailureFunction { always: false, ..row("__VERIFIER_assert", Failure::Error) },
    row("klee_report_error", Failure::Error),
    row("abort", Failure::Abort),
    row("klee_abort", Failure::Abort),
];

impl FailureFunction {
    /// The function of that symbol, if its call is a failure.
    pub fn named(name: &str) -> Option<&'static FailureFunction> {
        FAILURE_FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// The functions that programs define themselves.
    pub fn of_programs() -> impl Iterator<Item = &'static FailureFunction> {
        FAILURE_FUNCTIONS.iter().filter(|function| function.programs_own)
    }
}
