//! The exact least and greatest value of a float over all solutions.
//!
//! Propagation says where the ends can be at most; an engine that decides says
//! where they are. It is asked whether there is a solution with the value in
//! some interval of ordinals, and answers with one, so that each question
//! halves what is left at least.

use crate::propagate::{FloatBox, Interval, Ordinal};

/// Whether there is a solution with the float in the box that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existence {
    /// Yes, with this number.
    Number(Ordinal),
    /// Yes, with NaN.
    Nan,
    /// No.
    None,
    /// Not known.
    Unknown,
}

/// The hull of a float's values over all solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hull {
    /// The least number it can have and the greatest; empty if it has none.
    pub numbers: Interval,
    /// Whether `numbers.lo` is the value of a solution.
    pub least_is_exact: bool,
    /// Whether `numbers.hi` is the value of a solution.
    pub greatest_is_exact: bool,
    /// Whether there is a solution with NaN; `None` if that is not known.
    pub nan: Option<bool>,
}

/// What a float was seen to be in solutions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The least number and the greatest.
    pub numbers: Option<(Ordinal, Ordinal)>,
    /// Whether NaN was.
    pub nan: bool,
}

impl Seen {
    /// Another solution's number; none is NaN.
    pub fn add(&mut self, place: Option<Ordinal>) {
        match place {
            None => self.nan = true,
            Some(place) => {
                let (least, greatest) = self.numbers.unwrap_or((place, place));
                self.numbers = Some((least.min(place), greatest.max(place)));
            }
        }
    }
}

/// The hull of a float that is known to lie in `within`, by asking `exists`.
pub fn hull(within: FloatBox, seen: Seen, mut exists: impl FnMut(FloatBox) -> Existence) -> Hull {
    let nan = match within.nan {
        false => Some(false),
        true if seen.nan => Some(true),
        true => match exists(FloatBox::NAN) {
            Existence::Nan | Existence::Number(_) => Some(true),
            Existence::None => Some(false),
            Existence::Unknown => None,
        },
    };
    let empty =
        Hull { numbers: Interval::EMPTY, least_is_exact: true, greatest_is_exact: true, nan };
    if within.numbers.is_empty() {
        return empty;
    }
    let mut ask = |numbers: Interval| exists(FloatBox { numbers, nan: false });
    let inside = |(least, greatest): &(Ordinal, Ordinal)| {
        within.numbers.contains(*least) && within.numbers.contains(*greatest)
    };
    let (least_seen, greatest_seen) = match seen.numbers.filter(inside) {
        Some(seen) => seen,
        None => match ask(within.numbers) {
            Existence::Number(seen) => (seen, seen),
            Existence::None => return empty,
            Existence::Nan | Existence::Unknown => {
                let (least_is_exact, greatest_is_exact) = (false, false);
                return Hull { numbers: within.numbers, least_is_exact, greatest_is_exact, nan };
            }
        },
    };
    let (lo, least_is_exact) = least(within.numbers.lo, least_seen, &mut ask);
    // The greatest is the least of the mirrored numbers.
    let (mirrored, greatest_is_exact) =
        least(!within.numbers.hi, !greatest_seen, |numbers| match ask(numbers.negated()) {
            Existence::Number(at) => Existence::Number(!at),
            other => other,
        });
    Hull { numbers: Interval::new(lo, !mirrored), least_is_exact, greatest_is_exact, nan }
}

/// The least number with a solution, given that there is none below `bound` and
/// one at `seen`; and whether it is that, or only a bound.
fn least(
    mut bound: Ordinal,
    mut seen: Ordinal,
    mut ask: impl FnMut(Interval) -> Existence,
) -> (Ordinal, bool) {
    // The bound itself is most often it: the steps from it begin small.
    let mut step: Ordinal = 0;
    while bound < seen {
        let middle = bound.midpoint(seen).min(seen - 1);
        let to = bound.saturating_add(step).min(middle);
        match ask(Interval::new(bound, to)) {
            Existence::Number(at) => seen = at.clamp(bound, to),
            Existence::None => bound = to + 1,
            Existence::Nan | Existence::Unknown => return (bound, false),
        }
        step = step.saturating_mul(1 << 8).saturating_add(1);
    }
    (seen, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hull of a set of numbers, and how many questions it took.
    fn check(solutions: &[Ordinal], nan: bool, within: FloatBox) -> usize {
        let mut questions = 0;
        let hull = hull(within, Seen::default(), |floats| {
            questions += 1;
            if floats.nan {
                return if nan { Existence::Nan } else { Existence::None };
            }
            let found = solutions.iter().find(|at| floats.numbers.contains(**at));
            found.map_or(Existence::None, |at| Existence::Number(*at))
        });
        let numbers = match (solutions.iter().min(), solutions.iter().max()) {
            (Some(lo), Some(hi)) => Interval::new(*lo, *hi),
            _ => Interval::EMPTY,
        };
        assert_eq!(hull.numbers, numbers);
        assert!(hull.least_is_exact && hull.greatest_is_exact);
        assert_eq!(hull.nan, Some(nan && within.nan));
        questions
    }

    #[test]
    fn hulls_of_sets() {
        let wide = FloatBox { numbers: Interval::new(-(1 << 63), 1 << 63), nan: true };
        assert!(check(&[-5, 0, 7], true, wide) < 160);
        assert!(check(&[1 << 40], false, wide) < 160);
        assert_eq!(check(&[], false, wide), 2);
        let tight = FloatBox::numbers(-5, 7);
        assert!(check(&[7, 3, -5], false, tight) <= 4);
    }

    #[test]
    fn what_is_not_known_is_not_exact() {
        let seen = Seen { numbers: Some((3, 3)), nan: false };
        let hull = hull(FloatBox::numbers(-8, 8), seen, |_| Existence::Unknown);
        assert_eq!(hull.numbers, Interval::new(-8, 8));
        assert!(!hull.least_is_exact && !hull.greatest_is_exact);
    }
}
