//! Floats and their encodings.

use crate::bits::Bits;
use crate::floats::Floats;
use crate::grid::Grid;
use crate::integers::Integers;
use crate::interval::Interval;
use crate::set::Set;
use nanoscope_ieee::Format;

/// The encodings of floats as integers; `None` for formats not followed so.
pub fn to_bits(a: &Floats) -> Option<Integers> {
    let bits = a.format.width();
    if bits > Integers::WIDEST || a.format.explicit_integer_bit {
        return None;
    }
    let least = -(1i128 << (bits - 1));
    let mut pieces: Vec<(i128, i128)> = Vec::new();
    for (lo, hi) in a.pieces() {
        pieces.push(if lo < 0 { (least + !hi, least + !lo) } else { (lo, hi) });
    }
    if a.nan {
        // Of any sign.
        let infinity = a.grid().infinity();
        pieces.extend([(infinity + 1, -least - 1), (least + infinity + 1, -1)]);
    }
    Some(Integers::united(bits, &mut pieces))
}

/// The floats that integers encode.
pub fn from_bits(format: Format, a: &Integers) -> Floats {
    if format.explicit_integer_bit || a.bits != format.width() {
        return Floats::everything(format);
    }
    let mut result = Floats::nothing(format);
    let infinity = Grid::of(format).infinity();
    let least = -(1i128 << (a.bits - 1));
    let mut add = |lo: i128, hi: i128, negative: bool| {
        if lo > hi {
            return;
        }
        result.nan |= hi > infinity;
        let found = Floats::between(format, lo, hi.min(infinity));
        result = result.join(&if negative { found.negated() } else { found });
    };
    for (lo, hi) in a.pieces() {
        add(lo.max(0), hi, false);
        add(lo - least, hi.min(-1) - least, true);
    }
    result
}

/// The encodings `bits` of `floats`, both ways. Every encoding of a NaN reads as NaN; NaN is
/// written as the `canonical` one, if that is asked for and the set has but one.
pub fn narrow<S: Set, B: Bits>(grid: Grid, bits: B, floats: S, canonical: bool) -> Option<(B, S)> {
    let width = grid.format().width();
    let sign = 1u128 << (width - 1);
    let infinity = grid.infinity() as u128;
    let mut left = (B::empty(width), S::empty(grid));
    for negative in [false, true] {
        let base = if negative { sign } else { 0 };
        let flipped = |numbers: Interval| if negative { numbers.negated() } else { numbers };
        let encodings = bits.within(base, base + infinity);
        if !encodings.is_empty() {
            let (lo, hi) = encodings.unsigned();
            let ends = Interval::new((lo - base) as i128, (hi - base) as i128);
            let numbers = flipped(ends).meet(floats.side(negative));
            if !numbers.is_empty() {
                let magnitudes = flipped(numbers);
                let kept =
                    encodings.within(magnitudes.lo as u128 + base, magnitudes.hi as u128 + base);
                if !kept.is_empty() {
                    let floats = S::of_numbers(grid, numbers).kept_of(&floats);
                    left = (left.0.join(kept), left.1.join(&floats));
                }
            }
        }
        if floats.has_nan() {
            let nans = match (canonical && S::ONE_NAN, negative) {
                (true, false) => bits.within(grid.nan(), grid.nan()),
                (true, true) => B::empty(width),
                (false, _) => bits.within(base + infinity + 1, base + (sign - 1)),
            };
            if !nans.is_empty() {
                left = (left.0.join(nans), left.1.join(&S::of_nan(grid)));
            }
        }
    }
    (!left.0.is_empty() && !left.1.is_empty()).then_some(left)
}
