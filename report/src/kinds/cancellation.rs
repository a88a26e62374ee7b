//! `cancellation`: a subtraction leaves mostly error.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "Catastrophic cancellation",
    severity: Severity::Warning,
    what: "\
Two nearly equal numbers are subtracted (or two nearly opposite ones added). Both are
accurate, with relative errors below the threshold; what is left of them is not. The
subtraction itself is often exact: it uncovers the errors that its operands bring.",
    why: "\
The leading digits that the operands share vanish, and the rounding errors in their last
digits become leading digits of the result. Everything computed from it is as wrong.",
    example: "\
double variance(double sum, double squares, double n)
{
    return squares / n - (sum / n) * (sum / n);
}",
    remedy: "\
Rearrange the formula so that the difference is taken of exact inputs, or not at all:
(a - b) * (a + b) for a*a - b*b, a second pass for the variance, the other root of a
quadratic from the product of both. Or compute the operands in a wider format.",
};
