//! A computation run in floats at a point: on the hardware where that gives the same, else by
//! exact arithmetic and one rounding.

use crate::graph::tape::{Action, Tape};
use crate::graph::{Comparison, Graph, Operation, Precision, Rounds};
use nanoscope_ieee::{Float, Format, Libm, Rational, Rounding};
use num_traits::{Signed, Zero};

/// Which arithmetic of the hardware a step needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    Double,
    Single,
    /// Not computed in floats: an integer input, or what only assumptions use.
    Exact,
}

/// Runs a tape on the hardware. Values of binary32 are kept as `f64`s.
pub struct Runner<'t> {
    tape: &'t Tape,
    lanes: Vec<Lane>,
}

impl<'t> Runner<'t> {
    /// A runner, if binary32 and binary64 to nearest are all that is needed for `outputs`.
    pub fn new(tape: &'t Tape, graph: &Graph, needed: &[usize]) -> Option<Runner<'t>> {
        let lanes: Vec<Lane> = tape
            .steps
            .iter()
            .map(|step| match graph.node(step.node).precision {
                Precision::Float(Format::BINARY64, Rounds::To(Rounding::NearestEven)) => {
                    Some(Lane::Double)
                }
                Precision::Float(Format::BINARY32, Rounds::To(Rounding::NearestEven)) => {
                    Some(Lane::Single)
                }
                Precision::Exact => Some(Lane::Exact),
                Precision::Float(..) => None,
            })
            .collect::<Option<_>>()?;
        let mut used = vec![false; tape.steps.len()];
        for &place in needed {
            used[place] = true;
        }
        for (place, step) in tape.steps.iter().enumerate().rev() {
            let Action::Operation(operation) = step.action else { continue };
            if !used[place] {
                continue;
            }
            for operand in operation.operands() {
                used[operand.index()] = true;
                // A double rounded to a single is rounded twice.
                if lanes[place] == Lane::Single
                    && lanes[operand.index()] != Lane::Single
                    && !matches!(operation, Operation::Convert(_) | Operation::Choose(..))
                    && !matches!(tape.steps[operand.index()].action, Action::Constant(_))
                {
                    return None;
                }
            }
            if lanes[place] == Lane::Exact {
                return None;
            }
        }
        Some(Runner { tape, lanes })
    }

    /// All values at a point of the tape's inputs.
    pub fn run(&self, point: &[f64], values: &mut Vec<f64>) {
        values.clear();
        for (step, &lane) in self.tape.steps.iter().zip(&self.lanes) {
            let value = match step.action {
                Action::Input(input) => point[input as usize],
                Action::Constant(constant) => constant.float.lo,
                Action::Operation(operation) => {
                    let value = compute(operation, lane, values);
                    if lane == Lane::Single { f64::from(value as f32) } else { value }
                }
            };
            values.push(value);
        }
    }
}

fn compute(operation: Operation, lane: Lane, values: &[f64]) -> f64 {
    let of = |id: crate::graph::NodeId| values[id.index()];
    let single = lane == Lane::Single;
    match operation {
        Operation::Input(_) | Operation::Constant(_) => unreachable!("folded by the tape"),
        Operation::Add(a, b) => of(a) + of(b),
        Operation::Sub(a, b) => of(a) - of(b),
        Operation::Mul(a, b) => of(a) * of(b),
        Operation::Div(a, b) => of(a) / of(b),
        Operation::Fma(a, b, c) if single => {
            f64::from((of(a) as f32).mul_add(of(b) as f32, of(c) as f32))
        }
        Operation::Fma(a, b, c) => of(a).mul_add(of(b), of(c)),
        Operation::Sqrt(a) => of(a).sqrt(),
        Operation::Neg(a) => -of(a),
        Operation::Abs(a) => of(a).abs(),
        Operation::Min(a, b) => of(a).min(of(b)),
        Operation::Max(a, b) => of(a).max(of(b)),
        Operation::Convert(a) | Operation::Argument(a) => of(a),
        Operation::Call(_) => unreachable!("calls are inlined before runs"),
        Operation::Integral(mode, a) => integral(mode, of(a)),
        Operation::Unary(function, a) => library(function, single, of(a), 0.0),
        Operation::Binary(function, a, b) => library(function, single, of(a), of(b)),
        Operation::Choose(Comparison { left, relation, right }, a, b) => {
            of(if relation.holds(&of(left), &of(right)) { a } else { b })
        }
    }
}

fn library(function: Libm, single: bool, x: f64, y: f64) -> f64 {
    if single {
        f64::from(function.of_singles(x as f32, y as f32))
    } else {
        function.of_doubles(x, y)
    }
}

fn integral(mode: Rounding, x: f64) -> f64 {
    match mode {
        Rounding::NearestEven => x.round_ties_even(),
        Rounding::NearestAway => x.round(),
        Rounding::Upward => x.ceil(),
        Rounding::Downward => x.floor(),
        Rounding::TowardZero => x.trunc(),
    }
}

/// Why a step has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is infinite or a NaN.
    NoNumber,
    /// The machine has no such function, or an operand has no value.
    Unknown,
}

/// Runs a tape in any format by exact arithmetic. `choose` is the direction where any is allowed.
pub fn run_exactly(
    tape: &Tape,
    graph: &Graph,
    point: &[Rational],
    mut choose: impl FnMut() -> Rounding,
) -> Vec<Result<Rational, Missing>> {
    let mut values: Vec<Result<Rational, Missing>> = Vec::with_capacity(tape.steps.len());
    for step in &tape.steps {
        let node = graph.node(step.node);
        let precision = node.precision;
        let of = |id: crate::graph::NodeId| values[tape.place(id)].clone();
        // A quotient by an infinity is a number, and so may others be of what is none.
        let number = |id: crate::graph::NodeId| of(id).map_err(|_| Missing::Unknown);
        let value = (|| {
            Ok(match node.operation {
                Operation::Input(input) => return Ok(point[input as usize].clone()),
                Operation::Constant(place) => graph.constants()[place as usize].clone(),
                Operation::Add(a, b) => of(a)? + of(b)?,
                Operation::Sub(a, b) => of(a)? - of(b)?,
                Operation::Mul(a, b) => of(a)? * of(b)?,
                Operation::Div(a, b) => {
                    let (a, b) = (of(a)?, number(b)?);
                    if b.is_zero() {
                        return Err(Missing::NoNumber);
                    }
                    a / b
                }
                Operation::Fma(a, b, c) => of(a)? * of(b)? + of(c)?,
                Operation::Neg(a) => -of(a)?,
                Operation::Abs(a) => of(a)?.abs(),
                Operation::Min(a, b) => number(a)?.min(number(b)?),
                Operation::Max(a, b) => number(a)?.max(number(b)?),
                Operation::Convert(a) | Operation::Argument(a) => of(a)?,
                Operation::Call(_) => unreachable!("calls are inlined before runs"),
                Operation::Integral(mode, a) => {
                    let a = of(a)?;
                    match mode {
                        Rounding::Upward => a.ceil(),
                        Rounding::Downward => a.floor(),
                        Rounding::TowardZero => a.trunc(),
                        Rounding::NearestAway => a.round(),
                        Rounding::NearestEven => {
                            let half = Rational::new(1.into(), 2.into());
                            let low = (&a - &half).ceil();
                            let high = (&a + &half).floor();
                            let even = |x: &Rational| (x.numer() % 2u32).is_zero();
                            if even(&low) { low } else { high }
                        }
                    }
                }
                Operation::Sqrt(a) => {
                    let a = of(a)?;
                    if a.is_negative() {
                        return Err(Missing::NoNumber);
                    }
                    let format = precision.format().ok_or(Missing::Unknown)?;
                    // An operand of a wider format than the result needs its own root.
                    let wide = Format::new(15, 2 * format.precision + 66);
                    let (x, flags) = Float::from_rational(wide, Rounding::NearestEven, &a);
                    if flags.inexact {
                        return Err(Missing::Unknown);
                    }
                    // Rounded to odd and then to the format, the root is rounded once.
                    let (root, flags) = x.sqrt(Rounding::TowardZero);
                    let exactly = |x: Float| x.to_rational().ok_or(Missing::Unknown);
                    let mut root = exactly(root)?;
                    if flags.inexact {
                        let tiny = Float::from_rational(wide, Rounding::Upward, &root).0;
                        root +=
                            (exactly(tiny.next_up().0)? - &root) / Rational::from_integer(4.into());
                    }
                    root
                }
                Operation::Unary(function, a) => {
                    return machine(function, precision, &number(a)?, None);
                }
                Operation::Binary(function, a, b) => {
                    return machine(function, precision, &number(a)?, Some(&number(b)?));
                }
                Operation::Choose(Comparison { left, relation, right }, a, b) => {
                    of(if relation.holds(&number(left)?, &number(right)?) { a } else { b })?
                }
            })
        })();
        let rounded = value.and_then(|value| match (node.operation, precision) {
            (Operation::Input(_) | Operation::Unary(..) | Operation::Binary(..), _)
            | (_, Precision::Exact) => Ok(value),
            (_, Precision::Float(format, rounds)) => {
                let mode = match rounds {
                    Rounds::To(mode) => mode,
                    Rounds::Any => choose(),
                };
                Float::from_rational(format, mode, &value).0.to_rational().ok_or(Missing::NoNumber)
            }
        });
        values.push(rounded);
    }
    values
}

/// The machine's libm on exact operands, for the two formats it is searched in.
fn machine(
    function: Libm,
    precision: Precision,
    a: &Rational,
    b: Option<&Rational>,
) -> Result<Rational, Missing> {
    let format = precision.format().ok_or(Missing::Unknown)?;
    let float = |x: &Rational| {
        let (float, flags) = Float::from_rational(format, Rounding::NearestEven, x);
        if flags.inexact { Err(Missing::Unknown) } else { Ok(float.to_f64()) }
    };
    let (x, y) = (float(a)?, b.map_or(Ok(0.0), float)?);
    let single = match format {
        Format::BINARY64 => false,
        Format::BINARY32 => true,
        _ => return Err(Missing::Unknown),
    };
    Float::from(library(function, single, x, y)).to_rational().ok_or(Missing::NoNumber)
}
