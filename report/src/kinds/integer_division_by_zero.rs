//! `integer-division-by-zero`: an integer is divided by zero.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "An integer divided by zero",
    severity: Severity::Error,
    what: "\
The divisor of an integer division or remainder is zero; or the quotient does not
fit, as of INT_MIN / -1.",
    why: "\
C leaves it undefined; x86-64 ends the program with SIGFPE, other machines give zero
and go on. Divisors that come from a conversion of a small float are zero more often
than expected.",
    example: "\
int steps(double range, double step)
{
    return (int)range / (int)step;  /* step = 0.5 */
}",
    remedy: "\
Check the divisor, after the conversion; divide as floats where a float was meant.",
};
