//! What programs come by that is unknown, and its values at the end of a path.

use crate::path::Path;
use crate::{Given, How};
use nanoscope_program::Scalar;
use nanoscope_term::{Term, Terms, Value};

/// One unknown thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// How the program came by it.
    pub how: How,
    /// What its bytes are, where it is one scalar.
    pub scalar: Option<Scalar>,
    /// How many bytes it has.
    pub size: u64,
    /// What its bytes are: terms (truth values or bits) and where they lie.
    pub pieces: Vec<(u64, Term)>,
}

impl Unknown {
    /// Its value under the witness of a path.
    pub fn given(&self, terms: &Terms, path: &Path) -> Given {
        let mut bytes = vec![0; self.size as usize];
        for (offset, term) in &self.pieces {
            let value = match path.value(terms, *term) {
                Value::Bool(truth) => vec![truth.into()],
                Value::Bits(word) => word.to_big().to_bytes_le(),
                Value::Float(..) | Value::Rounding(_) | Value::Array(_) => {
                    unreachable!("unknown things are made of bits")
                }
            };
            for (byte, at) in value.into_iter().zip(*offset..self.size) {
                bytes[at as usize] = byte;
            }
        }
        Given { name: self.name.clone(), how: self.how.clone(), scalar: self.scalar, bytes }
    }
}
