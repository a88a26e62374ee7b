//! `conversion-out-of-range`: an integer type cannot hold the value.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "A conversion to an integer that cannot hold the value",
    severity: Severity::Error,
    what: "\
A floating-point value is converted to an integer type, and its integral part does
not fit: it is too large, too small, negative for an unsigned type, infinite or NaN.
In C and C++ the behaviour is undefined (C17 6.3.1.4).",
    why: "\
What happens depends on the machine, the compiler and its flags. x86-64 gives the
most negative integer, ARM the nearest one, a constant-folding compiler anything at
all. The result is commonly used as an index or a count. This is the mistake that
destroyed Ariane 5's first flight.",
    example: "\
int bucket(double x, double width)
{
    return (int)(x / width);        /* x = 1e10, width = 1 */
}",
    remedy: "\
Compare with the limits before converting, in a way that a NaN fails:
`if (!(v >= -2147483648.0 && v < 2147483648.0))`. Beware that (double)INT64_MAX rounds
up to 2^63, which does not fit: compare with < 0x1p63.",
};
