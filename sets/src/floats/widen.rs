//! Widening: joins that end every ascending chain in few steps.

use super::granularity::{FINEST, WHOLE};
use super::{Floats, Span};
use crate::interval::Ordinal;

impl Floats {
    /// A superset of both that an ascending chain reaches in few steps: an end that moved
    /// goes on to the next landmark.
    pub fn widen(&self, next: &Floats, landmarks: &[Ordinal]) -> Floats {
        let infinity = self.grid().infinity();
        let stretch = |old: Span, new: Span| {
            let joined = old.join(new);
            if joined.is_empty() || old.is_empty() {
                return joined;
            }
            let lo = if joined.lo < old.lo {
                landmarks.iter().rev().copied().find(|&l| l <= joined.lo && l >= 1).unwrap_or(1)
            } else {
                joined.lo
            };
            // Infinity is not come to by growing.
            let finite =
                |span: Span| if span.hi < infinity { Some(span.hi) } else { span.others() };
            let most = match finite(joined) {
                None => return joined,
                Some(most) if Some(most) <= finite(old) => most,
                Some(most) => {
                    let next = landmarks.iter().copied().find(|&mark| mark >= most);
                    next.unwrap_or(infinity - 1).min(infinity - 1)
                }
            };
            if joined.hi == infinity {
                Span::apart(lo, most, infinity)
            } else {
                Span::new(lo, most)
            }
        };
        let wide = Floats {
            positive: stretch(self.positive, next.positive),
            negative: stretch(self.negative, next.negative),
            grain: FINEST,
            ..self.join(next)
        };
        // What is no longer multiples of as much is whole numbers, or anything.
        match (self.coarsest(), next.coarsest()) {
            (old, new) if new >= old => wide.multiples(old),
            (_, WHOLE..) => wide.multiples(WHOLE),
            (_, _) => wide,
        }
    }
}
