//! `swallowed-exception`: an exception does not reach the caller.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "An exception does not reach the caller",
    severity: Severity::Error,
    what: "\
A function is given a NaN or an infinity, or raises an overflow, a division by zero or
an invalid operation on the way, and yet none of its outputs is a NaN or an infinity,
and it reports nothing: no error routine is called, no code is set. Or it crashes, or
does not return.",
    why: "\
The caller sees a plausible number and goes on with it. Exceptions are no defect in
themselves, since NaN and infinity tell whoever looks; one that vanishes tells nobody.",
    example: "\
double best(const double *x, int n)
{
    double best = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] > best) best = x[i];   /* false for a NaN, which is lost */
    return best;
}",
    remedy: "\
Let NaN propagate: compare so that a NaN is taken (`!(x[i] <= best)`), do not skip
work because an operand is zero, do not compile with -ffast-math what must see NaN. Or
check, and report by an error code. If the interface means it so, say so in the
prototype (`documented`).",
};
