//! `divide-by-zero`: an exact infinity from finite operands.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "A division by zero",
    severity: Severity::Error,
    what: "\
A finite, non-zero number is divided by zero, or a function is evaluated at a pole
(log(0), pow(0, -1)). IEEE 754 calls it the divideByZero exception (clause 7.3). The
operation gives an infinity whose sign is that of the quotient, the sign of the zero
included. 0 / 0 is another kind: see invalid.",
    why: "\
The infinity is seldom what the author meant, and its sign depends on the sign of a
zero, which is easily an accident of rounding. A guard such as x != y does protect
1 / (x - y) under gradual underflow, but not under flush-to-zero, and not
1 / (x * x - y * y).",
    example: "\
double slope(double x, double y)
{
    return 1.0 / (x * x - y * y);   /* x = 1e-200, y = 2e-200: both squares are 0 */
}",
    remedy: "\
Test the divisor itself, after it was computed, not the values it was computed from.
Where a limit exists, return it. Where none does, report the error to the caller
before dividing.",
};
