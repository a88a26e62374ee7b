//! `precision-loss`: a result is far from the exact one.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "A result far from the exact one",
    severity: Severity::Warning,
    what: "\
The program, run in real numbers on the same input, gives another value than the program
run in floats, and the difference is above the threshold (--threshold, --ulps or
--absolute). That includes a NaN or an infinity where the exact value is an ordinary
number. The finding has the input, both values, and the operations that the error came
from: what each rounded off, and by how much that grew on the way.",
    why: "\
Each operation is right to half a unit in the last place, and yet a result may have no
right digit at all: errors that are small beside an intermediate value are large beside
what is left of it. Nothing in the run tells.",
    example: "\
double f(double x)
{
    return (1 - cos(x)) / (x * x);   /* x = 1e-8: 0, exactly 0.5 */
}",
    remedy: "\
Look at the first of the lines named: there most of the error comes from. Rewrite it so
that no close numbers are subtracted (2 * sin(x/2)^2 for 1 - cos(x), log1p, expm1), sum
small numbers first or with compensation, or compute that part in a wider format.",
};
