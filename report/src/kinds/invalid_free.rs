//! `invalid-free`: memory is freed that cannot be.

use super::{Explanation, Severity};

pub(super) const EXPLANATION: Explanation = Explanation {
    title: "An invalid free",
    severity: Severity::Error,
    what: "\
free or realloc is given something that malloc did not return, or that was freed
already.",
    why: "\
The allocator's own records are damaged: the program may crash much later,
elsewhere, or be made to do what an attacker wants.",
    example: "\
if (error > limit) free(work);
...
free(work);                         /* twice, when the error was large */",
    remedy: "\
Give every allocation one owner; set a pointer to NULL once it is freed.",
};
