//! `unreachable`: control comes to where the compiler was told it cannot come.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "Code that was promised never to run",
    severity: Severity::Error,
    what: "\
Control comes to __builtin_unreachable, or to the end of a function that must return
a value, or goes on after a call that was declared never to return.",
    why: "\
The compiler has left out whatever would be needed there: what runs next is whatever
code happens to follow.",
    example: "\
int sign(double x)
{
    if (x > 0) return 1;
    if (x < 0) return -1;
    if (x == 0) return 0;
    __builtin_unreachable();        /* for a NaN */
}",
    remedy: "\
Handle the case, or check with an assertion that it does not occur.",
};
