//! Shadow runs: a function once more on an input, on other numbers than the machine's.
//!
//! The machine runs our representation: functions, blocks, calls, memory. What a number is,
//! and what operations do with it, is a domain's business (`domain.rs`). The first domain is
//! exact arithmetic: Ariadne (section 5.3) replaces every float of the program by an
//! arbitrary-precision rational and runs that program. Operations do not round, do not
//! overflow and do not underflow, and branches are decided anew by the exact numbers.
//!
//! - `domain.rs`: the interface to the numbers
//! - `interpreter.rs`: functions, blocks, calls
//! - `act.rs`: instructions; `arguments.rs`: variable arguments
//! - `meetings.rs`: where the sides of a branch meet
//! - `memory.rs`: where values are stored
//! - `outside.rs`: functions whose code is not the program's; `named.rs`: those that are operations
//! - `integer.rs`: integers, as the processor has them
//! - `exact/`: exact numbers: rationals, and MPFR where they are not enough

mod act;
mod arguments;
mod domain;
pub(crate) mod exact;
mod integer;
mod interpreter;
mod meetings;
mod memory;
mod named;
mod outside;
mod types;

pub(crate) use domain::{
    Answer, At, Domain, ShadowValue, Step, Stored, ValueOf, bits, impossible, nothing_unknown,
    number, rounding_of,
};
pub(crate) use exact::{Arithmetic, Real, classified, exact_libm, holds, smallest_normal};
pub(crate) use integer::{Given, compare as compare_integers, masked, operate, signed};
pub(crate) use interpreter::Interpreter;
pub(crate) use memory::Reach;
pub(crate) use named::operation_named;

use nanoscope_budget::Budget;
use nanoscope_program::ir::Code;
use nanoscope_program::{Scalar, Target};
use std::convert::Infallible;

/// Why a shadow run came to no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stuck {
    why: String,
    /// Whether the program ends there, without a result.
    ends_program: bool,
}

impl Stuck {
    /// Whether the run left its memory.
    pub fn left(&self) -> bool {
        self.why == memory::LEFT
    }

    /// For a reason in words.
    pub fn new(why: impl Into<String>) -> Stuck {
        Stuck { why: why.into(), ends_program: false }
    }

    /// The program ends there, without a result.
    pub fn ended(why: impl Into<String>) -> Stuck {
        Stuck { why: why.into(), ends_program: true }
    }

    /// Whether the program ends there, without a result: an assertion fails, it aborts or exits.
    pub fn ends_program(&self) -> bool {
        self.ends_program
    }

    /// The same of one side of a branch of which both are run: the other may return.
    fn beside_another(self) -> Stuck {
        Stuck { ends_program: false, ..self }
    }

    /// In words.
    pub fn why(&self) -> &str {
        &self.why
    }
}

/// What an output is at the end of a run.
#[derive(Clone, Debug)]
pub(crate) enum Output<N, S = Infallible> {
    /// A float.
    Number(N),
    /// An integer's encoding.
    Bits(u128),
    /// An integer that is not known.
    Symbol(S),
}

/// Instructions that one run may take.
const STEPS: u64 = 3_000_000;

/// The precision of rounded numbers, and a higher one that must agree.
const PRECISIONS: [u32; 2] = [640, 1280];

/// Runs a target's entry in `code` on an input vector, exactly. The outputs come in the order
/// of the target's.
pub(crate) fn run(
    code: &Code,
    target: &Target,
    point: &[u64],
    budget: &Budget,
) -> Result<Vec<Output<Real>>, Stuck> {
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

/// How a run uses the memory that it was given.
pub(crate) struct Trial {
    /// Whether it leaves it.
    pub leaves: bool,
    /// Whether what it leaves is what its arguments point to.
    pub leaves_given: bool,
    /// How far it uses what each argument points to; empty where it does not return.
    pub reached: Vec<Reach>,
    /// The steps that it took.
    pub steps: u64,
}

/// Tries a run of at most so many steps. Numbers are not exact: they hardly lead anywhere.
pub(crate) fn try_run(
    code: &Code,
    target: &Target,
    point: &[u64],
    budget: &Budget,
    steps: u64,
) -> Trial {
    let machine = Interpreter::new(code, Arithmetic::new(64), steps, budget);
    let mut machine = machine.watching(&target.symbol);
    let leaves = machine.enter(target, point, &[]).is_err_and(|stuck| stuck.left());
    let taken = steps - machine.steps_left().min(steps);
    let leaves_given = leaves && machine.left_what_was_given();
    Trial { leaves, leaves_given, reached: machine.reached().to_vec(), steps: taken }
}

fn once(
    code: &Code,
    target: &Target,
    point: &[u64],
    budget: &Budget,
    precision: u32,
) -> Result<(Vec<Output<Real>>, bool), Stuck> {
    let mut machine = Interpreter::new(code, Arithmetic::new(precision), STEPS, budget);
    let outputs = machine.enter(target, point, &[])?;
    Ok((outputs, machine.domain.rounded))
}

/// Whether two precisions tell the same.
pub(crate) fn agree(a: &Output<Real>, b: &Output<Real>) -> bool {
    match (a, b) {
        (Output::Bits(a), Output::Bits(b)) => a == b,
        (Output::Number(a), Output::Number(b)) => {
            let format = nanoscope_ieee::Format::BINARY128;
            // To a quadruple's last bits: far more than a double has, far less than we have.
            let (a, b) = (a.encoded(format), b.encoded(format));
            a.abs_diff(b) <= 1 << 16
        }
        (Output::Symbol(never), _) | (_, Output::Symbol(never)) => impossible(never),
        (Output::Bits(_), Output::Number(_)) | (Output::Number(_), Output::Bits(_)) => false,
    }
}

/// Bytes of a scalar in a vector of words.
pub(crate) fn bytes_of(scalar: Scalar) -> u64 {
    u64::from(scalar.bits()).div_ceil(8)
}
