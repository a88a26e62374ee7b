//! What a replay shows.

use nanoscope_program::{Fault, Target};
use nanoscope_report::{Number, Place};

/// Everything a replay showed.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Whether the finding happened again.
    pub happened: bool,
    /// The exceptions, in the order in which they were first raised.
    pub events: Vec<Happening>,
    /// What the function gave back; empty if it did not return.
    pub outputs: Vec<Number>,
    /// How the run ended if it did not return.
    pub ended: Option<String>,
    /// Where the first NaN or infinity was born: a position in `events`.
    pub born: Option<usize>,
    /// What the program printed.
    pub printed: String,
    /// What was computed and what is exact, operation by operation, for findings of precision.
    pub steps: Vec<Compared>,
}

/// An operation in the machine's floats and in real numbers.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Where it stands.
    pub place: Place,
    /// The operation.
    pub operation: String,
    /// What it gave.
    pub computed: Number,
    /// What real numbers give.
    pub exact: String,
    /// The relative error.
    pub relative: f64,
}

/// An exception that was raised.
#[derive(Clone, Debug)]
pub struct Happening {
    /// What was raised.
    pub kind: nanoscope_report::Kind,
    /// Where; `None` in code that has no place in the source.
    pub place: Option<Place>,
    /// The function whose code it is.
    pub function: String,
    /// The operation.
    pub operation: String,
    /// What the operation was given.
    pub operands: Vec<Number>,
    /// What it gave.
    pub computed: Option<Number>,
    /// How often.
    pub times: u64,
    /// Whether it is the finding.
    pub is_the_finding: bool,
}

/// The input vector that a finding's inputs stand for.
pub(crate) fn point(target: &Target, inputs: &[Number]) -> Result<Vec<u64>, Fault> {
    let mut point = vec![0; target.input_words];
    for input in &target.inputs {
        let number = inputs.iter().find(|number| number.name == input.name).ok_or_else(|| {
            Fault::User(format!(
                "the finding has no value for `{}`: {} has other inputs now than when it was found",
                input.name, target.function
            ))
        })?;
        let bits = number.encoding().ok_or_else(|| {
            Fault::User(format!(
                "the finding's input `{}` has no readable bits: `{}`",
                number.name, number.bits
            ))
        })?;
        point[input.word] = bits as u64;
        if input.scalar.words() == 2 {
            point[input.word + 1] = (bits >> 64) as u64;
        }
    }
    Ok(point)
}
