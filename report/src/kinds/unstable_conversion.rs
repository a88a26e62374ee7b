//! `unstable-conversion`: rounding decides which integer a float becomes.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "An integer that rounding decides",
    severity: Severity::Warning,
    what: "\
A float becomes an integer, or is rounded to one by floor, ceil, trunc, round or rint,
and the program run in real numbers on the same input gets another integer: the value
was
so near to the border between two that what was rounded off before decides.",
    why: "\
An integer that is off by one is an array index, a number of steps, a bin, a price in
cents. The error is no longer small.",
    example: "\
int cents(double amount)
{
    return (int)(amount * 100);   /* 0.29 * 100 = 28.999999999999996 */
}",
    remedy: "\
Round to the nearest integer instead of cutting off where the exact value is meant to be
one; add a margin larger than the error; or compute in integers.",
};
