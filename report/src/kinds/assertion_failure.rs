//! `assertion-failure`: an assertion that some input makes false.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "An assertion that fails",
    severity: Severity::Error,
    what: "\
The program states a condition with assert, klee_assert or the like, and there is an
input on which it is false: the program stops there instead of going on.",
    why: "\
An assertion says what the author takes for granted, and what the code after it
relies on. With NDEBUG defined the check is gone, and the program goes on with what
it takes to be impossible.",
    example: "\
double mean(double a, double b)
{
    double m = (a + b) / 2;
    assert(a <= m && m <= b);       /* fails for a = b = DBL_MAX, and for any NaN */
    return m;
}",
    remedy: "\
Correct the code if the input is one it must cope with; check inputs where they
enter if it is not; correct the assertion if it claims too much: comparisons with
NaN are false, rounding may make a sum equal to an operand, and products overflow.",
};
