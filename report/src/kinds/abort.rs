//! `abort`: the program aborts.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "The program aborts",
    severity: Severity::Error,
    what: "\
The program calls abort, or runs into a trap instruction such as __builtin_trap
makes.",
    why: "\
The process ends at once: nothing is flushed, nobody is told, and whatever depends
on the program goes without an answer.",
    example: "\
double root(double x)
{
    if (!(x >= 0)) abort();         /* for a NaN too */
    return sqrt(x);
}",
    remedy: "\
If the abort guards against what must not happen, treat it as a failed assertion; if
the input is one that users have, report the error to the caller instead.",
};
