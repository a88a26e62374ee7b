//! Values at which numerical code changes its ways: for each dimension a table, the
//! most telling first.

use crate::line::{Line, Word};
use crate::space::{Dimension, Kind};
use std::collections::BTreeSet;

/// At most so many of the program's constants are used: the first ones.
const CONSTANTS: usize = 64;

/// The admitted boundary values of a dimension as ordinals, without repetition. Never
/// empty: the ends of the range are among them.
pub(crate) fn table<W: Word>(dimension: &Dimension, line: &Line<W>, constants: &[f64]) -> Vec<W> {
    let mut values = Values { line, seen: BTreeSet::new(), table: Vec::new() };
    let constants = &constants[..constants.len().min(CONSTANTS)];
    match dimension.kind() {
        Kind::Float(_) => values.floats(constants, dimension.specials()),
        Kind::Integer { bits, .. } => values.integers(constants, bits),
    }
    values.table
}

struct Values<'a, W> {
    line: &'a Line<W>,
    seen: BTreeSet<W>,
    table: Vec<W>,
}

impl<W: Word> Values<'_, W> {
    fn floats(&mut self, constants: &[f64], specials: bool) {
        let line = self.line;
        let smallest_normal = line.power_of_two(1 - line.bias());
        let infinity = line.power_of_two(line.bias() + 1);
        let largest = infinity.minus(W::ONE);
        let (one, half_range) = (line.power_of_two(0), line.power_of_two((line.bias() + 1) / 2));
        let (emax, precision) = (line.bias() + 1, line.fraction_bits as i32 + 1);

        self.both(W::ZERO);
        self.both(one);
        constants.iter().for_each(|&c| self.real(c));
        self.both(largest);
        self.both(W::ONE);
        self.both(smallest_normal);
        if specials {
            self.special(infinity);
        }
        self.ends();
        self.both(half_range);
        self.both(line.power_of_two(1));
        self.both(line.power_of_two(-1));
        self.both(smallest_normal.minus(W::ONE));

        self.integer_limits();
        self.range_limits(emax, precision);
        for small in 0..=20 {
            self.either(f64::from(small));
        }
        self.libm_limits(emax, precision);
        self.ordinary();
        self.narrower_formats(precision);
        for step in 1..32 {
            self.both(line.power_of_two(emax * step / 32));
            self.both(line.power_of_two(-emax * step / 32));
        }
        constants.iter().for_each(|&c| self.derived(c));
    }

    /// Limits of integer types, as conversions and casts meet them.
    fn integer_limits(&mut self) {
        let line = self.line;
        for exponent in [7, 8, 15, 16, 31, 32, 53, 63, 64] {
            let limit = line.power_of_two(exponent);
            self.both(limit);
            self.around(limit, 1);
            let value = 2f64.powi(exponent);
            for near in [value - 1.0, value - 0.5, value + 0.5, value + 1.0] {
                self.either(near);
            }
        }
    }

    /// Where squares, cubes and quotients leave the range, and where ulps become as large as 1 or
    /// vanish beside it.
    fn range_limits(&mut self, emax: i32, precision: i32) {
        let line = self.line;
        let smallest_normal = line.power_of_two(1 - line.bias());
        let largest = line.power_of_two(emax).minus(W::ONE);
        for exponent in [
            emax / 2,
            emax / 3,
            emax / 4,
            emax - 1,
            emax - 2,
            -emax / 2,
            -emax / 3,
            (1 - emax - precision) / 2,
            1 - precision,
            -precision,
            precision - 1,
            precision,
            precision / 2,
            -precision / 2,
            -emax + precision,
        ] {
            let power = line.power_of_two(exponent);
            self.both(power);
            self.around(power, 1);
        }
        self.around(largest, 2);
        self.around(line.power_of_two(0), 2);
        self.around(smallest_normal, 2);
    }

    /// Where exp, exp2, exp10 and gamma overflow and underflow; quarters of turns.
    fn libm_limits(&mut self, emax: i32, precision: i32) {
        let range = f64::from(emax);
        let tiny = range + f64::from(precision) - 2.0;
        for limit in [range, tiny] {
            for value in
                [limit, limit * std::f64::consts::LN_2, limit * std::f64::consts::LOG10_2, 171.6243]
            {
                for near in [value, value * 0.999, value * 1.001] {
                    self.either(near);
                }
            }
        }
        for quarter in [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 1e3, 1e6, 1e15, 4e22] {
            self.either(std::f64::consts::FRAC_PI_4 * quarter);
        }
    }

    /// Numbers that people write: fractions and powers of ten.
    fn ordinary(&mut self) {
        for value in [std::f64::consts::E, 1.5, 0.1, 0.25, 0.75, 0.9, 0.99, 0.3, 1.1, 25.0] {
            self.either(value);
        }
        for power in [2, 3, 4, 5, 6, 7, 9, 10, 12, 15, 16, 18, 20, 30, 38, 50, 100, 154, 200, 300] {
            self.either(10f64.powi(power));
            self.either(10f64.powi(-power));
        }
    }

    /// Where narrower formats end.
    fn narrower_formats(&mut self, precision: i32) {
        let line = self.line;
        for narrow in [65504.0, 6.1e-5, 6e-8, f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE)] {
            self.either(narrow);
            self.either(narrow * 1.001);
            self.either(narrow * 0.5);
        }
        if precision > PRECISION_64 {
            for value in [f64::MAX, f64::MIN_POSITIVE, 5e-324] {
                let magnitude = line.ordinal_of(value).minus(line.zero());
                self.both(magnitude);
                self.around(magnitude, 1);
            }
            self.both(line.power_of_two(1024));
        }
    }

    fn integers(&mut self, constants: &[f64], bits: u32) {
        self.both(W::ZERO);
        self.both(W::ONE);
        self.ends();
        constants.iter().for_each(|&c| self.real(c));
        for small in 2..=20 {
            self.either(f64::from(small));
        }
        for exponent in (0..bits).rev() {
            let power = W::ONE << exponent;
            self.both(power);
            self.around(power, 1);
        }
        for power in 1..=38 {
            self.either(10f64.powi(power));
        }
        constants.iter().for_each(|&c| self.derived(c));
    }

    /// The range's ends and their neighbours, and its middle.
    fn ends(&mut self) {
        let (low, high) = (self.line.low, self.line.high);
        for step in [W::ZERO, W::ONE, W::ONE.plus(W::ONE)] {
            self.push(low.plus(step));
            self.push(high.minus(step));
        }
        self.push((low & high).plus((low ^ high) >> 1));
    }

    /// A constant and what comes directly before and after it.
    fn real(&mut self, constant: f64) {
        if constant.is_nan() || constant.is_infinite() {
            return;
        }
        let ordinal = self.line.ordinal_of(constant);
        self.push(ordinal);
        self.push(ordinal.plus(W::ONE));
        self.push(ordinal.minus(W::ONE));
    }

    /// What code may compute from a constant, or compare with it after computing.
    fn derived(&mut self, c: f64) {
        let two = W::ONE.plus(W::ONE);
        let ordinal = self.line.ordinal_of(if c.is_finite() { c } else { 0.0 });
        self.push(ordinal.plus(two));
        self.push(ordinal.minus(two));
        let root = c.abs().sqrt();
        for value in [-c, 2.0 * c, c / 2.0, root, -root, c * c, c + 1.0, c - 1.0, 1.0 / c] {
            self.real(value);
        }
    }

    /// A number and its negative.
    fn either(&mut self, value: f64) {
        if value.is_finite() {
            self.push(self.line.ordinal_of(value));
            self.push(self.line.ordinal_of(-value));
        }
    }

    /// A magnitude with both signs.
    fn both(&mut self, magnitude: W) {
        self.push(self.line.signed(false, magnitude));
        self.push(self.line.signed(true, magnitude));
    }

    /// The neighbours of a magnitude, with both signs.
    fn around(&mut self, magnitude: W, reach: usize) {
        let mut step = W::ONE;
        for _ in 0..reach {
            self.both(magnitude.plus(step));
            self.both(magnitude.minus(step));
            step = step.plus(W::ONE);
        }
    }

    /// Infinities and quiet NaN with both signs. Signalling NaN are left out: they raise
    /// invalid wherever they go, which says nothing about the code.
    fn special(&mut self, infinity: W) {
        let quiet = infinity | (W::ONE << (self.line.fraction_bits - 1));
        for magnitude in [infinity, quiet] {
            for negative in [false, true] {
                let ordinal = self.line.signed(negative, magnitude);
                if self.seen.insert(ordinal) {
                    self.table.push(ordinal);
                }
            }
        }
    }

    fn push(&mut self, ordinal: W) {
        if self.line.clamp(ordinal) == ordinal && self.seen.insert(ordinal) {
            self.table.push(ordinal);
        }
    }
}

/// The precision of binary64.
const PRECISION_64: i32 = 53;

#[cfg(test)]
mod tests {
    use super::*;
    use nanoscope_ieee::Format;

    fn doubles(dimension: Dimension, constants: &[f64]) -> Vec<f64> {
        let line = Line::<u64>::new(&dimension, 0);
        let table = table(&dimension, &line, constants);
        table.into_iter().map(|ordinal| f64::from_bits(line.encoding(ordinal))).collect()
    }

    #[test]
    fn doubles_have_their_limits() {
        let values = doubles(Dimension::float(Format::BINARY64), &[3.7]);
        for expected in [
            0.0,
            -0.0,
            1.0,
            f64::MAX,
            -f64::MAX,
            f64::MAX / 2.0,
            5e-324,
            f64::MIN_POSITIVE,
            f64::MIN_POSITIVE.next_down(),
            2f64.powi(512),
            2147483647.0,
            -2147483649.0,
            9223372036854774784.0,
            3.7,
            3.7f64.next_up(),
            -3.7,
            7.4,
            3.7 * 3.7,
            std::f64::consts::FRAC_PI_2,
        ] {
            let found = values.iter().any(|value| value.to_bits() == expected.to_bits());
            assert!(found, "{expected:e}");
        }
        assert!(values.iter().all(|value| value.is_finite()));
        let specials = doubles(Dimension::float(Format::BINARY64).with_specials(true), &[]);
        assert!(specials.iter().any(|value| value.is_nan()));
        assert!(specials.contains(&f64::INFINITY) && specials.contains(&f64::NEG_INFINITY));
    }

    #[test]
    fn a_narrow_range_keeps_its_ends() {
        let (low, high) = (1.25f64, 1.75f64);
        let range = Dimension::float(Format::BINARY64)
            .within(low.to_bits().into(), high.to_bits().into())
            .unwrap();
        let values = doubles(range, &[1.3, 9.0]);
        assert!(values.contains(&low) && values.contains(&high) && values.contains(&1.3));
        assert!(values.iter().all(|value| (low..=high).contains(value)));
    }

    #[test]
    fn integers_have_theirs() {
        let dimension = Dimension::integer(16, true);
        let line = Line::<u64>::new(&dimension, 0);
        let values: Vec<i16> = table(&dimension, &line, &[1234.0])
            .into_iter()
            .map(|ordinal| line.encoding(ordinal) as i16)
            .collect();
        for expected in [0, 1, -1, i16::MIN, i16::MAX, 255, 256, -128, 1234, -1234, 2468, 35] {
            assert!(values.contains(&expected), "{expected}");
        }
    }
}
