//! `integer-overflow`: arithmetic on integers that come from floats goes beyond their type.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "An integer computed from floats that its type cannot hold",
    severity: Severity::Error,
    what: "\
A sum, difference, product or negation of integers that derive from floats (through
a conversion, lrint and its like, further arithmetic, variables and calls) does not
fit its type; or a value is cut to a narrower type that cannot hold it, signed or
unsigned. For signed types C and C++ leave undefined what happens (C17 6.5); unsigned
ones wrap by right, and are asked about only where an index or a size is computed from
them.",
    why: "\
The float was in range, its conversion was fine, and still the number is wrong: a
large positive count becomes a negative one, a size becomes tiny. As an index it reads
or writes somewhere else; a compiler that takes the overflow to be impossible may drop
the check that was to catch it.",
    example: "\
double at(const double *table, double x)
{
    int i = (int)x;                 /* fits: x = 2147483647 */
    return table[i + 1];            /* i + 1 does not */
}",
    remedy: "\
Compare the float with the limits of the table before converting, in a way that a NaN
fails, and leave room for what is added: `if (!(x >= 0 && x < size - 1))`. Compute
sizes in a type that is wide enough, or with __builtin_mul_overflow.",
};
