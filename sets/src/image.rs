//! What an operation gives on sets of operands, and what it may raise.
//!
//! The results of finite operands are kept apart from the others, because only they overflow or
//! are tiny (IEEE 754 clause 7). Every correctly rounded result lies between the ones rounded down
//! and rounded up, which is how several rounding modes are covered at once.

use crate::floats::granularity::{Grain, WHOLE};
use crate::floats::{Floats, Span};
use crate::grid::Grid;
use crate::interval::Ordinal;
use crate::modes::Modes;
use crate::scalar::Scalar;
use nanoscope_ieee::{Flags, Format};

/// The image of sets of operands under an operation, and what it may raise on the way.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Image {
    /// The results possible.
    pub result: Floats,
    /// The exceptions possible; `tiny` stands for underflow, exact or not. Whether a result is
    /// inexact is not told.
    pub raised: Flags,
}

impl Image {
    /// The same of an operation whose exact results are multiples of a power of two.
    pub(crate) fn of_multiples(mut self, grain: Grain) -> Image {
        let format = self.result.format;
        if has_whole_numbers(format) {
            self.raised.tiny &= i64::from(grain) < format.min_exponent();
            self.result = self.result.multiples(grain);
        }
        self
    }
}

/// Those of a set that are whole numbers.
pub(crate) fn whole_numbers(floats: Floats) -> Floats {
    if has_whole_numbers(floats.format) { floats.multiples(WHOLE) } else { floats }
}

/// Where the greatest number is no whole one, what overflows may stop at it.
const fn has_whole_numbers(format: Format) -> bool {
    format.max_exponent() >= format.fraction_bits() as i64
}

/// What is known about the order of two operands beyond their sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Order {
    /// They are the same value.
    pub same: bool,
    /// The first is not less than the second (and neither is a NaN).
    pub not_less: bool,
    /// The first is not greater than the second (and neither is a NaN).
    pub not_greater: bool,
    /// They are numbers and differ.
    pub differ: bool,
}

/// The image while its cases are gone through.
pub(crate) struct ImageParts {
    pub format: Format,
    pub grid: Grid,
    pub modes: Modes,
    /// Rounding to the least results.
    pub down: Scalar,
    /// Rounding to the greatest results.
    pub up: Scalar,
    /// Results of finite operands.
    pub finite: Floats,
    /// Results where an operand is infinite or a NaN.
    pub special: Floats,
    pub raised: Flags,
}

impl ImageParts {
    pub fn new(format: Format, modes: Modes) -> ImageParts {
        let (grid, nothing) = (Grid::of(format), Floats::nothing(format));
        ImageParts {
            format,
            grid,
            modes,
            down: Scalar::new(grid, modes.down()),
            up: Scalar::new(grid, modes.up()),
            finite: nothing,
            special: nothing,
            raised: Flags::NONE,
        }
    }

    /// Rounding of magnitudes to the least and to the greatest, where the results have this sign.
    pub fn magnitudes(&self, negative: bool) -> (Scalar, Scalar) {
        if !negative {
            return (self.down, self.up);
        }
        let mirrored = |scalar: Scalar| Scalar::new(self.grid, scalar.mode.mirrored());
        (mirrored(self.up), mirrored(self.down))
    }

    /// The results between two places.
    pub fn between(&self, lo: Option<Ordinal>, hi: Option<Ordinal>) -> Floats {
        let (lo, hi) = lo.zip(hi).expect(crate::scalar::NEVER_NAN);
        Floats::between(self.format, lo, hi)
    }

    /// A product or quotient of finite numbers that are not zero, by its magnitude.
    pub fn product(&mut self, negative: bool, lo: Option<Ordinal>, hi: Option<Ordinal>) {
        let (lo, hi) = lo.zip(hi).expect(crate::scalar::NEVER_NAN);
        let (span, zero) = (Span::new(lo.max(1), hi), lo <= 0 && 0 <= hi);
        if negative {
            self.finite.negative = self.finite.negative.join(span);
            self.finite.minus_zero |= zero;
        } else {
            self.finite.positive = self.finite.positive.join(span);
            self.finite.plus_zero |= zero;
        }
        // Rounded to zero though it was not.
        self.raised.tiny |= lo <= 0;
    }

    /// An infinity that comes of an operand that is infinite or zero.
    pub fn infinite(&mut self, negative: bool) {
        let infinity = Span::new(self.grid.infinity(), self.grid.infinity());
        let Floats { positive, negative: below, .. } = &mut self.special;
        let span = if negative { below } else { positive };
        *span = span.join(infinity);
    }

    /// A zero that comes of such a one.
    pub fn zero(&mut self, negative: bool) {
        self.special.minus_zero |= negative;
        self.special.plus_zero |= !negative;
    }

    pub fn invalid(&mut self, condition: bool) {
        self.raised.invalid |= condition;
        self.special.nan |= condition;
    }

    pub fn nan_operand(&mut self, operands: &[&Floats]) {
        let nan = operands.iter().any(|x| x.nan);
        self.special.nan |= nan;
        // An x87 encoding that is no number may count as the cause itself.
        self.raised.invalid |= nan && self.format == Format::X87;
    }

    /// Settles what overflows and what is tiny from the results of finite operands. Where a
    /// result may be rounded, the smallest normal number can be the rounding of a tiny one.
    pub fn finish(mut self, inexact: bool) -> Image {
        // Rounding toward zero an overflow stops at the greatest number.
        let top = self.grid.infinity() - Ordinal::from(self.modes != Modes::NEAREST);
        let smallest = self.grid.min_normal() - Ordinal::from(!inexact);
        for span in [self.finite.positive, self.finite.negative] {
            if !span.is_empty() {
                self.raised.overflow |= span.hi >= top;
                self.raised.tiny |= span.lo <= smallest;
            }
        }
        Image { result: self.finite.join(&self.special), raised: self.raised }
    }
}

/// The numbers of either sign.
pub(crate) fn signs(x: &Floats) -> [(Span, bool); 2] {
    [(x.positive, false), (x.negative, true)]
}

/// The pairs of signs: of the first, of the second (set: minus), and whether they differ.
pub(crate) const SIGN_PAIRS: [(bool, bool, bool); 4] =
    [(false, false, false), (false, true, true), (true, false, true), (true, true, false)];

/// The magnitudes of the numbers of a sign.
pub(crate) fn pick(x: &Floats, negative: bool) -> Span {
    if negative { x.negative } else { x.positive }
}

/// Whether the zero of a sign is among them.
pub(crate) fn zero(x: &Floats, negative: bool) -> bool {
    if negative { x.minus_zero } else { x.plus_zero }
}

/// Whether infinity is among the magnitudes, and the others.
pub(crate) fn parts(grid: Grid, span: Span) -> (bool, Span) {
    let infinity = grid.infinity();
    if span.hi < infinity {
        return (false, span);
    }
    (span.contains(infinity), span.meet(Span::new(1, infinity - 1)))
}

/// Numbers of a sign, of these magnitudes.
pub(crate) fn signed_span(format: Format, negative: bool, span: Span) -> Floats {
    let positive = Floats { positive: span, ..Floats::nothing(format) };
    if negative { positive.negated() } else { positive }
}
