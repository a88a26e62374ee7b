//! Dividends by their remainders: a float of a wanted size that leaves a wanted remainder, by
//! solving a congruence of integers.

use super::random::Random;
use nanoscope_ieee::{Float, Format};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// A float with about the exponent of `near` whose difference to `wanted` is a multiple of
/// `divisor`; all are encodings. None if there is none with that exponent.
pub(super) fn dividend(
    format: Format,
    near: u64,
    divisor: u64,
    wanted: u64,
    random: &mut Random,
) -> Option<u64> {
    if format.explicit_integer_bit || format.width() > 64 {
        return None;
    }
    let parts = |bits: u64| Float::from_bits(format, bits.into()).to_parts();
    let (_, divisor, divisor_exponent) = parts(divisor)?;
    let (minus, remainder, remainder_exponent) = parts(wanted)?;
    // The divisor is an odd number of its units.
    let zeros = divisor.trailing_zeros()?;
    let (odd, divisor_exponent) = (divisor >> zeros, divisor_exponent + zeros as i64);
    let fraction_bits = i64::from(format.fraction_bits());
    let least = format.quantum_exponent();
    let most = format.max_exponent() - fraction_bits;
    let (_, _, exponent) = parts(near)?;
    let exponent = match random.below(4) {
        0 => least + (random.next() % (most - least + 1) as u64) as i64,
        _ => exponent + random.below(5) as i64 - 2,
    };
    if !(least..=most).contains(&exponent) {
        return None;
    }
    // In units of both: `significand * 2^up = remainder (mod odd * 2^shift)`.
    let unit = divisor_exponent.min(exponent);
    let (up, shift) = (exponent - unit, divisor_exponent - unit);
    if shift > 2 * fraction_bits {
        return None;
    }
    let modulus = odd.clone() << shift;
    let below = remainder_exponent - unit;
    let remainder = match below {
        0.. if below <= 4 * fraction_bits => (remainder << below) % &modulus,
        0.. => return None,
        _ if remainder.trailing_zeros().unwrap_or(u64::MAX) >= below.unsigned_abs() => {
            (remainder >> below.unsigned_abs()) % &modulus
        }
        _ => return None,
    };
    // Halving modulo an odd number is multiplying by half of what is one more.
    let half = (&odd + 1u32) >> 1u32;
    let first = if up > 0 {
        (remainder * half.modpow(&BigUint::from(up as u64), &modulus)) % &modulus
    } else {
        remainder
    };
    let (first, modulus) = (first.to_u128()?, modulus.to_u128()?);
    let (low, high) = (1u128 << fraction_bits, 2u128 << fraction_bits);
    let skipped = low.saturating_sub(first).div_ceil(modulus);
    let first = first + skipped * modulus;
    if first >= high {
        return None;
    }
    let choices = (high - 1 - first) / modulus + 1;
    let significand = first + (u128::from(random.next()) % choices) * modulus;
    let field = (exponent - least + 1) as u64;
    let sign = u64::from(minus) << (format.width() - 1);
    let magnitude = (field << fraction_bits) | (significand - low) as u64;
    Some(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividends_leave_what_is_wanted() {
        let mut random = Random::new(7);
        let mut found = 0;
        for (divisor, wanted) in [(3.0, 1.5), (0.1, 0.05), (6.25, 1.0), (7e-3, 3e-3), (1.0, -0.5)] {
            for near in [1e3f64, 1e10, 1e20, 1e200] {
                for _ in 0..20 {
                    let [near, divided, left] = [near, divisor, wanted].map(f64::to_bits);
                    let Some(bits) = dividend(Format::BINARY64, near, divided, left, &mut random)
                    else {
                        continue;
                    };
                    let x = f64::from_bits(bits);
                    assert_eq!(x % divisor, wanted, "{x:e} by {divisor}");
                    found += 1;
                }
            }
        }
        assert!(found > 100, "{found}");
    }
}
