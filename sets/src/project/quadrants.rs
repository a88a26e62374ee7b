//! Products and quotients: monotone on the four quadrants of signs, NaN at some of their corners.

use super::cases::Cases;
use super::monotone::Monotone;
use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use crate::set::Set;

/// The numbers of one sign.
#[derive(Clone, Copy)]
pub(crate) struct Half {
    pub negative: bool,
    pub numbers: Interval,
    infinity: Ordinal,
}

/// The ends of the numbers of one sign.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Zero,
    Infinity,
}

impl Half {
    fn of(set: &impl Set, negative: bool, grid: Grid) -> Half {
        let infinity = if negative { !grid.infinity() } else { grid.infinity() };
        Half { negative, numbers: set.side(negative), infinity }
    }

    const fn at(self, end: End) -> Ordinal {
        match end {
            End::Zero if self.negative => -1,
            End::Zero => 0,
            End::Infinity => self.infinity,
        }
    }

    fn holds(self, end: End) -> bool {
        self.numbers.contains(self.at(end))
    }

    pub fn only(self, end: End) -> Interval {
        self.numbers.meet(Interval::point(self.at(end)))
    }

    pub fn without(self, end: End) -> Interval {
        without_end(self.numbers, self.at(end))
    }
}

/// The interval less `end`, which is one of its ends or not in it.
pub(crate) fn without_end(numbers: Interval, end: Ordinal) -> Interval {
    if numbers.lo == end {
        Interval::new(end + 1, numbers.hi)
    } else if numbers.hi == end {
        Interval::new(numbers.lo, end - 1)
    } else {
        numbers
    }
}

/// The four combinations of signs, as far as there are such numbers.
pub(crate) fn for_quadrants<S: Set>(
    [x, y]: &[S; 2],
    grid: Grid,
    mut visit: impl FnMut(Half, Half),
) {
    for x_negative in [false, true] {
        let x = Half::of(x, x_negative, grid);
        for y_negative in [false, true] {
            let y = Half::of(y, y_negative, grid);
            if !x.numbers.is_empty() && !y.numbers.is_empty() {
                visit(x, y);
            }
        }
    }
}

/// The cases of a quadrant where an end of `x` with the end `partner` of `y`
/// gives NaN.
pub(crate) fn cut_corners<S: Set>(
    cases: &mut Cases<S, 2>,
    f: &impl Monotone<2>,
    [x, y]: [Half; 2],
    falling: [bool; 2],
    partner: impl Fn(End) -> End,
) {
    let mut rest = x;
    for end in [End::Zero, End::Infinity] {
        if x.holds(end) && y.holds(partner(end)) {
            rest.numbers = rest.without(end);
            cases.monotone(f, [x.only(end), y.without(partner(end))], falling);
            cases.invalid([x.only(end), y.only(partner(end))]);
        }
    }
    cases.monotone(f, [rest.numbers, y.numbers], falling);
}
