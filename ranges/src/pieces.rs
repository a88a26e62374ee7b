//! Operations that pick, cut or step: minimum and maximum, sign copying, rounding to
//! integral values, neighbours, and the way between floats and integers.

use crate::arithmetic::Modes;
use crate::exceptions::Exceptions;
use crate::floats::{Floats, Span};
use crate::grid::{self, Ordinal};
use crate::integers::Integers;
use nanoscope_ieee::{Format, Operation, OutOfRange, Rounding};
use nanoscope_program::Exception;

/// Which operand a NaN leaves, in a minimum or maximum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NanChoice {
    /// The other operand: C's `fmin`. A signalling NaN may come through.
    Other,
    /// NaN: 754-2019's `minimum`.
    Nan,
    /// The second operand: x86.
    Second,
}

/// The lesser of two, or the greater.
pub fn extremum(greater: bool, choice: NanChoice, a: &Floats, b: &Floats) -> Floats {
    let mut result = Floats::nothing(a.format);
    for (al, ah) in a.pieces() {
        for (bl, bh) in b.pieces() {
            let (lo, hi) =
                if greater { (al.max(bl), ah.max(bh)) } else { (al.min(bl), ah.min(bh)) };
            result = result.join(&Floats::between(a.format, lo, hi));
        }
    }
    if result.has_zero() {
        // Which of two unlike zeros is taken is left open.
        result.plus_zero |= a.plus_zero || b.plus_zero;
        result.minus_zero |= a.minus_zero || b.minus_zero;
    }
    match choice {
        NanChoice::Other => {
            if a.nan {
                result = result.join(b);
                result.nan = true;
            }
            if b.nan {
                result = result.join(a);
                result.nan = true;
            }
        }
        NanChoice::Nan => result.nan |= a.nan || b.nan,
        NanChoice::Second => {
            if a.nan {
                result = result.join(b);
            }
            result.nan |= b.nan;
        }
    }
    result
}

/// `a` with the sign of `b`.
pub fn copy_sign(a: &Floats, b: &Floats) -> Floats {
    let size = a.magnitudes();
    let mut result = Floats::nothing(a.format);
    if !b.positive.is_empty() || b.plus_zero || b.nan {
        result = result.join(&size);
    }
    if !b.negative.is_empty() || b.minus_zero || b.nan {
        result = result.join(&size.negated());
    }
    result
}

/// To an integral value; `None` for a mode that is not known.
pub fn integral(mode: Option<Rounding>, a: &Floats) -> Floats {
    let (down, up) = match mode {
        Some(mode) => (mode, mode),
        None => (Rounding::Downward, Rounding::Upward),
    };
    let mut result = Floats { nan: a.nan, ..Floats::nothing(a.format) };
    for (lo, hi) in a.pieces() {
        let at = |place, mode| {
            grid::rounded(a.format, Operation::RoundToIntegral, mode, &[place])
                .expect("a number stays one")
        };
        let mut found = Floats::between(a.format, at(lo, down), at(hi, up));
        // No integral value but zero is below one, and a zero keeps the sign.
        let whole = Span::new(grid::power(a.format, 0), Ordinal::MAX);
        found.positive = found.positive.meet(whole);
        found.negative = found.negative.meet(whole);
        result = result.join(&found);
    }
    result
}

/// The next number above (or below).
pub fn neighbour(up: bool, a: &Floats) -> Floats {
    if !up {
        return neighbour(true, &a.negated()).negated();
    }
    let infinity = grid::infinity(a.format);
    let next = |at: Ordinal| match at {
        -1 => 1,
        at if at == infinity => at,
        at => at + 1,
    };
    let mut result = Floats { nan: a.nan, ..Floats::nothing(a.format) };
    for (lo, hi) in a.pieces() {
        result = result.join(&Floats::between(a.format, next(lo), next(hi)));
    }
    result
}

/// From an integer's values; `None` where these are not known.
pub fn from_integer(modes: Modes, format: Format, values: (i128, i128)) -> Floats {
    let (lo, hi) = values;
    if lo > hi {
        return Floats::nothing(format);
    }
    let least = grid::of_integer(format, modes.down(), lo);
    let greatest = grid::of_integer(format, modes.up(), hi);
    let mut result = Floats::between(format, least, greatest);
    // An integer that is not zero is at least one, and zero is +0.
    let whole = Span::new(grid::power(format, 0), Ordinal::MAX);
    result.positive = result.positive.meet(whole);
    result.negative = result.negative.meet(whole);
    result.minus_zero = false;
    result
}

/// To an integer of a width, and what it may raise. `None`: the width is not followed.
pub fn to_integer(
    mode: Option<Rounding>,
    a: &Floats,
    bits: u32,
    signed: bool,
    out_of_range: OutOfRange,
) -> (Option<Integers>, Exceptions) {
    let mut raised = Exceptions::NONE;
    raised.add_if(a.nan || a.has_infinity(), Exception::ConversionOutOfRange);
    if bits > Integers::WIDEST {
        raised.add_if(true, Exception::ConversionOutOfRange);
        return (None, raised);
    }
    let (least, greatest) = if signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    let (down, up) = match mode {
        Some(mode) => (mode, mode),
        None => (Rounding::Downward, Rounding::Upward),
    };
    let mut result = Integers::nothing(bits);
    for (lo, hi) in a.finite_part().pieces() {
        let far =
            |at: Ordinal| if at < 0 { i128::from(i64::MIN) * 8 } else { i128::from(i64::MAX) * 8 };
        let lo = grid::to_integer(a.format, down, lo).unwrap_or(far(lo));
        let hi = grid::to_integer(a.format, up, hi).unwrap_or(far(hi));
        raised.add_if(lo < least || hi > greatest, Exception::ConversionOutOfRange);
        let (lo, hi) = (lo.clamp(least, greatest), hi.clamp(least, greatest));
        result = result.join(&Integers::wrapped(bits, lo, hi));
    }
    if raised.contains(Exception::ConversionOutOfRange) {
        result = match out_of_range {
            OutOfRange::Undefined | OutOfRange::Indefinite => Integers::everything(bits),
            OutOfRange::Saturate => result
                .join(&Integers::wrapped(bits, 0, 0))
                .join(&Integers::wrapped(bits, least, least))
                .join(&Integers::wrapped(bits, greatest, greatest)),
        };
    }
    (Some(result), raised)
}

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
        let infinity = grid::infinity(a.format);
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
    let infinity = grid::infinity(format);
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
