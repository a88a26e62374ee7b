//! The shadow run: a function once more on an input, in exact arithmetic.
//!
//! Ariadne (section 5.3) replaces every float of the program by an arbitrary-precision
//! rational and runs that program: operations do not round, do not overflow and do not
//! underflow, and branches are decided anew by the exact numbers. Where the result is an
//! ordinary float, an overflow or underflow on the way was potentially avoidable; where it
//! differs from what the machine computed, the machine was wrong.
//!
//! - `real.rs`: the numbers
//! - `libm.rs`: the mathematical library on them
//! - `memory.rs`: where they are stored
//! - `machine.rs`: functions, blocks, calls
//! - `act.rs`: instructions
//! - `outside.rs`: functions whose code is not the program's
//! - `float.rs`: the rows of the operation table
//! - `integer.rs`: integers, as the processor has them

mod act;
mod float;
mod integer;
mod libm;
mod machine;
mod memory;
mod outside;
mod real;

pub(crate) use float::smallest_normal;
pub(crate) use real::{Arithmetic, Real};

use nanoscope_program::ir::Code;
use nanoscope_program::{Scalar, Target};
use nanoscope_search::Budget;

/// Why a shadow run came to no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stuck(String);

impl Stuck {
    fn new(why: impl Into<String>) -> Stuck {
        Stuck(why.into())
    }

    /// For a reason that lies before the run.
    pub fn because(why: &str) -> Stuck {
        Stuck::new(why)
    }

    /// In words.
    pub fn why(&self) -> &str {
        &self.0
    }
}

/// What an output is in exact arithmetic.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    /// A float, exactly.
    Real(Real),
    /// An integer's encoding.
    Bits(u128),
}

/// Instructions that one run may take.
const STEPS: u64 = 3_000_000;

/// The precision of rounded numbers, and a higher one that must agree.
const PRECISIONS: [u32; 2] = [640, 1280];

/// Runs a target's entry in `code` on an input vector. The outputs come in the order of the
/// target's.
pub(crate) fn run(
    code: &Code,
    target: &Target,
    point: &[u64],
    budget: &Budget,
) -> Result<Vec<Output>, Stuck> {
    let (first, rounded) = once(code, target, point, budget, PRECISIONS[0])?;
    if !rounded {
        return Ok(first);
    }
    let (second, _) = once(code, target, point, budget, PRECISIONS[1])?;
    if first.iter().zip(&second).all(|(a, b)| agree(a, b)) {
        return Ok(second);
    }
    Err(Stuck::new(format!("{} bits are not enough to tell the exact result", PRECISIONS[0])))
}

fn once(
    code: &Code,
    target: &Target,
    point: &[u64],
    budget: &Budget,
    precision: u32,
) -> Result<(Vec<Output>, bool), Stuck> {
    let mut machine = machine::Machine::new(code, precision, STEPS, budget)?;
    let outputs = machine.enter(target, point)?;
    Ok((outputs, machine.has_rounded()))
}

/// Whether two precisions tell the same.
fn agree(a: &Output, b: &Output) -> bool {
    match (a, b) {
        (Output::Bits(a), Output::Bits(b)) => a == b,
        (Output::Real(a), Output::Real(b)) => {
            let format = nanoscope_ieee::Format::BINARY128;
            // To a quadruple's last bits: far more than a double has, far less than we have.
            let (a, b) = (a.encoded(format), b.encoded(format));
            a.abs_diff(b) <= 1 << 16
        }
        (Output::Bits(_), Output::Real(_)) | (Output::Real(_), Output::Bits(_)) => false,
    }
}

/// Bytes of a scalar in a vector of words.
fn bytes_of(scalar: Scalar) -> u64 {
    u64::from(scalar.bits()).div_ceil(8)
}
