//! Magnitudes between two, of which the greatest may stand apart.

use crate::interval::Ordinal;
use std::fmt::Debug;
use std::hash::Hash;

/// An integer type that holds the ordinals of some formats.
pub trait Place: Copy + Ord + Hash + Debug {
    /// Beyond all ordinals.
    const MAX: Self;
    /// Before all ordinals.
    const MIN: Self;

    /// The ordinal, which must fit.
    fn of(ordinal: Ordinal) -> Self;

    /// As an ordinal.
    fn ordinal(self) -> Ordinal;

    /// The place before.
    fn previous(self) -> Self;
}

macro_rules! place {
    ($($type:ty)*) => { $(
        impl Place for $type {
            const MAX: $type = <$type>::MAX;
            const MIN: $type = <$type>::MIN;

            #[inline]
            fn of(ordinal: Ordinal) -> $type {
                debug_assert!(<$type>::try_from(ordinal).is_ok());
                ordinal as $type
            }

            #[inline]
            fn ordinal(self) -> Ordinal {
                self as Ordinal
            }

            #[inline]
            fn previous(self) -> $type {
                self - 1
            }
        }
    )* };
}
place!(i64 i128);

/// Magnitudes of numbers of one sign, neither of them zero; none when `lo > hi`. The greatest
/// may stand apart: what is infinite or small is not any large number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span<O = Ordinal> {
    /// The smallest.
    pub lo: O,
    /// The greatest.
    pub hi: O,
    /// The greatest of the others.
    next: O,
}

impl<O: Place> Span<O> {
    /// No magnitude.
    pub const EMPTY: Span<O> = Span { lo: O::MAX, hi: O::MIN, next: O::MIN };

    /// From `lo` to `hi`.
    #[inline]
    pub fn new(lo: O, hi: O) -> Span<O> {
        if lo > hi { Span::EMPTY } else { Span { lo, hi, next: hi.previous() } }
    }

    /// From `lo` to `next`, and `hi` above.
    #[inline]
    pub fn apart(lo: O, next: O, hi: O) -> Span<O> {
        if lo > next {
            Span::new(hi, hi)
        } else {
            Span { lo, hi, next: if next < hi { next } else { hi.previous() } }
        }
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// The greatest besides the greatest of all.
    #[inline]
    pub fn others(self) -> Option<O> {
        if self.lo <= self.next { Some(self.next) } else { None }
    }

    /// The interval without what stands apart from it, and that.
    pub fn pieces(self) -> impl Iterator<Item = (O, O)> + use<O> {
        let (first, second) = match self.others() {
            _ if self.is_empty() => (None, None),
            Some(next) if next < self.hi.previous() => {
                (Some((self.lo, next)), Some((self.hi, self.hi)))
            }
            Some(_) | None => (Some((self.lo, self.hi)), None),
        };
        first.into_iter().chain(second)
    }

    /// The least and the greatest below a magnitude that none is above.
    #[inline]
    pub fn below(self, top: O) -> Option<(O, O)> {
        if self.hi < top {
            if self.is_empty() { None } else { Some((self.lo, self.hi)) }
        } else {
            self.others().map(|next| (self.lo, next))
        }
    }

    /// Whether a magnitude is among them.
    #[inline]
    pub fn contains(self, magnitude: O) -> bool {
        (self.lo <= magnitude && magnitude <= self.next)
            || (magnitude == self.hi && !self.is_empty())
    }

    /// The hull of both, but for the greatest.
    #[inline]
    pub fn join(self, other: Span<O>) -> Span<O> {
        if self.is_empty() {
            other
        } else if other.is_empty() {
            self
        } else {
            let hi = self.hi.max(other.hi);
            let below = |span: Span<O>| if span.hi < hi { Some(span.hi) } else { span.others() };
            match below(self).max(below(other)) {
                Some(next) => Span::apart(self.lo.min(other.lo), next, hi),
                None => Span::new(hi, hi),
            }
        }
    }

    /// What both hold.
    #[inline]
    pub fn meet(self, other: Span<O>) -> Span<O> {
        if self.is_empty() || other.is_empty() {
            return Span::EMPTY;
        }
        let lo = self.lo.max(other.lo);
        let next = self.next.min(other.next);
        let hi = self.hi.min(other.hi);
        if self.contains(hi) && other.contains(hi) {
            Span::apart(lo, next, hi)
        } else {
            Span::new(lo, next)
        }
    }

    /// Whether everything here is in the other.
    pub fn within(self, other: Span<O>) -> bool {
        self.is_empty()
            || (other.lo <= self.lo
                && other.contains(self.hi)
                && self.others().is_none_or(|next| next <= other.next || next == other.hi))
    }

    /// The same magnitudes as another type of ordinals, which holds them.
    #[inline]
    pub fn with_places<P: Place>(self) -> Span<P> {
        if self.is_empty() {
            return Span::EMPTY;
        }
        let place = |at: O| P::of(at.ordinal());
        Span { lo: place(self.lo), hi: place(self.hi), next: place(self.next) }
    }
}
