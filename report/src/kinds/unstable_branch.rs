//! `unstable-branch`: rounding decides which way the program goes.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "A comparison that rounding decides",
    severity: Severity::Warning,
    what: "\
Two floats are compared, and the program run in real numbers on the same input finds the
opposite: what was rounded off before is larger than the difference. From there on the
two runs may go different ways. The finding has the window of inputs around the witness
in which that happens, and how far the results are apart.",
    why: "\
Where both ways give nearly the same result that is harmless. Where they do not, the
result jumps: a controller switches, a loop runs once more, a point is on the wrong
side.",
    example: "\
int left_of(float ax, float ay, float bx, float by)
{
    return ax * by - ay * bx > 0;   /* the sign of a rounded determinant */
}",
    remedy: "\
Make both ways agree near the border, or decide with a tolerance that is larger than the
error and treat what lies within as its own case. Or compute the compared values so that
their sign is right (wider format, exact predicates).",
};
