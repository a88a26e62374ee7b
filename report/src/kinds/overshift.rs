//! `overshift`: a shift by the width or more.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "A shift too far",
    severity: Severity::Error,
    what: "\
An integer is shifted by a negative number of places, or by as many as it has bits,
or more.",
    why: "\
C leaves it undefined: x86-64 takes the count modulo the width, other machines shift
everything out, and compilers assume that it does not happen.",
    example: "\
unsigned scale(int exponent)
{
    return 1u << exponent;          /* of frexp: may be 40, or negative */
}",
    remedy: "\
Check the count first; use ldexp to scale a floating-point number.",
};
