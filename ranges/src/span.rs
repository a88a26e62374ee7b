//! Magnitudes between two, of which the greatest may stand apart.

use crate::grid::Ordinal;

/// Magnitudes of numbers of one sign, neither of them zero; none when `lo > hi`. The greatest
/// may stand apart: what is infinite or small is not any large number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The smallest.
    pub lo: Ordinal,
    /// The greatest.
    pub hi: Ordinal,
    /// The greatest of the others.
    next: Ordinal,
}

/// The same of magnitudes that fit into 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ShortSpan {
    lo: i64,
    hi: i64,
    next: i64,
}

/// What can be done with either.
macro_rules! span {
    ($span:ident, $ordinal:ty) => {
        impl $span {
            /// No magnitude.
            pub const EMPTY: $span =
                $span { lo: <$ordinal>::MAX, hi: <$ordinal>::MIN, next: <$ordinal>::MIN };

            /// From `lo` to `hi`.
            pub const fn new(lo: $ordinal, hi: $ordinal) -> $span {
                if lo > hi { $span::EMPTY } else { $span { lo, hi, next: hi - 1 } }
            }

            /// From `lo` to `next`, and `hi` above.
            pub const fn apart(lo: $ordinal, next: $ordinal, hi: $ordinal) -> $span {
                if lo > next {
                    $span::new(hi, hi)
                } else {
                    $span { lo, hi, next: if next < hi { next } else { hi - 1 } }
                }
            }

            /// Whether there is none.
            pub const fn is_empty(self) -> bool {
                self.lo > self.hi
            }

            /// The greatest besides the greatest of all.
            pub const fn others(self) -> Option<$ordinal> {
                if self.lo <= self.next { Some(self.next) } else { None }
            }

            /// The interval without what stands apart from it, and that.
            pub fn pieces(self) -> impl Iterator<Item = ($ordinal, $ordinal)> + use<> {
                let (first, second) = match self.others() {
                    _ if self.is_empty() => (None, None),
                    Some(next) if next < self.hi - 1 => {
                        (Some((self.lo, next)), Some((self.hi, self.hi)))
                    }
                    Some(_) | None => (Some((self.lo, self.hi)), None),
                };
                first.into_iter().chain(second)
            }

            /// The least and the greatest below a magnitude that none is above.
            pub const fn below(self, top: $ordinal) -> Option<($ordinal, $ordinal)> {
                if self.hi < top {
                    if self.is_empty() { None } else { Some((self.lo, self.hi)) }
                } else if self.lo <= self.next {
                    Some((self.lo, self.next))
                } else {
                    None
                }
            }

            /// Whether a magnitude is among them.
            pub const fn contains(self, magnitude: $ordinal) -> bool {
                (self.lo <= magnitude && magnitude <= self.next)
                    || (magnitude == self.hi && !self.is_empty())
            }

            /// The hull of both, but for the greatest.
            pub fn join(self, other: $span) -> $span {
                if self.is_empty() {
                    other
                } else if other.is_empty() {
                    self
                } else {
                    let hi = self.hi.max(other.hi);
                    let below =
                        |span: $span| if span.hi < hi { Some(span.hi) } else { span.others() };
                    match below(self).max(below(other)) {
                        Some(next) => $span::apart(self.lo.min(other.lo), next, hi),
                        None => $span::new(hi, hi),
                    }
                }
            }

            /// What both hold.
            pub fn meet(self, other: $span) -> $span {
                if self.is_empty() || other.is_empty() {
                    return $span::EMPTY;
                }
                let lo = self.lo.max(other.lo);
                let next = self.next.min(other.next);
                let hi = self.hi.min(other.hi);
                if self.contains(hi) && other.contains(hi) {
                    $span::apart(lo, next, hi)
                } else {
                    $span::new(lo, next)
                }
            }

            /// Whether everything here is in the other.
            pub fn within(self, other: $span) -> bool {
                self.is_empty()
                    || (other.lo <= self.lo
                        && other.contains(self.hi)
                        && self.others().is_none_or(|next| next <= other.next || next == other.hi))
            }
        }
    };
}

span!(Span, Ordinal);
span!(ShortSpan, i64);

impl From<ShortSpan> for Span {
    fn from(short: ShortSpan) -> Span {
        if short.is_empty() {
            return Span::EMPTY;
        }
        Span { lo: short.lo.into(), hi: short.hi.into(), next: short.next.into() }
    }
}

impl From<Span> for ShortSpan {
    fn from(span: Span) -> ShortSpan {
        if span.is_empty() {
            return ShortSpan::EMPTY;
        }
        debug_assert!(i64::try_from(span.hi).is_ok());
        ShortSpan { lo: span.lo as i64, hi: span.hi as i64, next: span.next as i64 }
    }
}
