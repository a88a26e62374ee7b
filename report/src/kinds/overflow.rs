//! `overflow`: the result is too large for the format.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "A result too large for its format",
    severity: Severity::Warning,
    what: "\
The operands are finite, and the exact result, rounded as if the exponent had no
limit, exceeds the largest finite number of the format (about 1.8e308 for a double,
3.4e38 for a float). IEEE 754 calls it the overflow exception (clause 7.4). Under
rounding to nearest the operation gives an infinity.",
    why: "\
The magnitude is lost. What follows is often worse than an infinity: inf - inf and
inf * 0 are NaN, x / inf is 0, and a comparison with an infinity takes a branch that
no finite value would have taken. Many overflows are avoidable: the final result
would fit, only an intermediate one does not.",
    example: "\
double norm(double a, double b)
{
    return sqrt(a * a + b * b);     /* a * a overflows for a = 1e200 */
}",
    remedy: "\
Scale before squaring or multiplying (divide by the larger operand, as hypot does),
reorder the operations so that large and small factors meet first, work with
logarithms or with a separate exponent (frexp, ldexp), or state the range that the
function accepts and check it at the door. If the input cannot be that large, tell
Nanoscope so: --input a=-1e100..1e100.",
};
