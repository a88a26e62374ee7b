//! `invalid`: no useful result is defined, a NaN is born.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "A NaN made from numbers",
    severity: Severity::Error,
    what: "\
No operand is a NaN, yet the operation has no defined result: 0 / 0, inf - inf,
inf * 0, inf / inf, the square root or logarithm of a negative number, fmod(x, 0).
IEEE 754 calls it the invalid operation exception (clause 7.2). The operation gives a
NaN. A NaN that is only passed on is not reported: the finding names the place where
it is born.",
    why: "\
A NaN spreads through everything computed from it and compares false with everything,
so that loops end early or never, and checks written as `if (error > limit)` pass.
It may also disappear again (fmin and fmax, a comparison, a conversion to an integer)
and leave a plausible wrong number.",
    example: "\
double triangle(double a, double b, double c)
{
    double s = (a + b + c) / 2;
    return sqrt(s * (s - a) * (s - b) * (s - c));   /* s - c < 0 by rounding */
}",
    remedy: "\
Check the operands where they enter; clamp what rounding can push over the edge
(fmax(0, d)); treat infinities before they meet. Write checks so that a NaN fails
them: `if (!(error <= limit))`.",
};
