//! `invalid-deref`: memory is read or written where there is none to be.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "An invalid memory access",
    severity: Severity::Error,
    what: "\
Memory is read or written outside of every object, through a null pointer, beyond
the end of an array, or in an object that was freed or has gone out of scope; or
something is called that is no function. AddressSanitizer saw it in a native run, or
the run crashed.",
    why: "\
C leaves undefined what happens then. Often nothing visible does: another variable
changes, or a plausible number is read from beside the array.",
    example: "\
double pick(const double *table, double x)
{
    int i = (int)(x * 10);          /* 10 for x = 1, negative for x < 0 */
    return table[i];                /* of a table of 10 */
}",
    remedy: "\
Check indices after they are computed, in integers; write the check so that a NaN
fails it: `if (!(x >= 0 && x < 1))`.",
};
