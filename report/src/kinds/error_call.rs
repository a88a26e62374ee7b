//! `error-call`: a call that stands for an error is reached.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "A call that stands for an error",
    severity: Severity::Error,
    what: "\
The program calls a function that only says that something went wrong: reach_error
or __VERIFIER_error as in SV-COMP's programs, or klee_report_error. The finding's
place is that of the call.",
    why: "\
Whoever wrote the call claims that it is never reached. The input shows that it is.",
    example: "\
void check(float x)
{
    if (x * x < 0.0f) reach_error();        /* never */
    if (x != x) reach_error();              /* for a NaN */
}",
    remedy: "\
Follow the input to the call with `nanoscope replay` or a debugger, and correct what
the condition before it rests on.",
};
