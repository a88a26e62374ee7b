//! Numbers as their bytes.

use crate::prototype::Kind;

/// Whether a float is neither an infinity nor a NaN.
pub fn is_finite(bytes: &[u8]) -> bool {
    crate::prototype::as_double(bytes).is_finite()
        || bytes.len() == 10 && bytes[8..] != [0xff, 0x7f]
}

/// The bytes of a scalar.
pub fn scalar_bytes(kind: Kind, bits: u32) -> u32 {
    match (kind, bits) {
        (Kind::Real | Kind::Complex, 80) => 10,
        (Kind::Character | Kind::Integer | Kind::Real | Kind::Complex, _) => bits / 8,
    }
}

/// A number in a format of so many bits.
pub(super) fn number_bytes(value: f64, bits: u32) -> Vec<u8> {
    match bits {
        32 => (value as f32).to_le_bytes().to_vec(),
        80 => {
            let mut bytes = vec![0u8; 10];
            if value != 0.0 {
                let fields = value.to_bits();
                let exponent = ((fields >> 52) & 0x7ff) as i32 - 1023;
                let significand = (1u64 << 63) | ((fields & ((1 << 52) - 1)) << 11);
                let top = (exponent + 16383) as u16 | if value < 0.0 { 0x8000 } else { 0 };
                bytes[..8].copy_from_slice(&significand.to_le_bytes());
                bytes[8..].copy_from_slice(&top.to_le_bytes());
            }
            bytes
        }
        _ => value.to_le_bytes().to_vec(),
    }
}
