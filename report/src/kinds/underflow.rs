//! `underflow`: a non-zero result is too small for a normal number.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "A result too small for a normal number",
    severity: Severity::Note,
    what: "\
The exact result is not zero but lies closer to zero than the smallest normal number
of the format (about 2.2e-308 for a double, 1.2e-38 for a float). It becomes a
subnormal number, with fewer significant bits, or zero. IEEE 754 calls it the
underflow exception (clause 7.5). Nanoscope counts exact subnormal results too,
because they have the reduced precision that the next operation suffers from.",
    why: "\
Gradual underflow is often harmless: an error of the size of the smallest subnormal
is small beside any normal number. It is not harmless when the tiny value is then
divided by, multiplied by something large, or compared with zero; when the relative
accuracy of a product of probabilities matters; or when the code runs with
flush-to-zero, where x - y can be 0 although x != y.",
    example: "\
double ratio(double a, double b)
{
    return a / (b * b);             /* b * b is 0 for b = 1e-170 */
}",
    remedy: "\
Scale the operands, reorder the operations ((a / b) / b), work with logarithms, or
handle the tiny case on its own. If the loss is negligible for your purpose, the
finding tells you only that it can happen.",
};
