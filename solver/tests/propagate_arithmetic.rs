//! The projections of the rounded operations against enumeration on tiny formats.

mod propagate_oracle;

use nanoscope_ieee::{Format, Operation, Parameters, Rounding};
use nanoscope_solver::propagate::arithmetic::{self, Left};
use nanoscope_solver::propagate::scalar::Scalar;
use nanoscope_solver::propagate::{FloatBox, Grid, Interval, Modes};
use propagate_oracle::{Draw, Number, Tally, any_box, floats, holds, hull, soft};

type Project<const N: usize> = fn(Grid, Modes, [FloatBox; N], FloatBox) -> Left<N>;

const BINARY: [(Operation, Project<2>); 4] = [
    (Operation::Add, arithmetic::add),
    (Operation::Sub, arithmetic::sub),
    (Operation::Mul, arithmetic::mul),
    (Operation::Div, arithmetic::div),
];

/// The operation as a table: the result for every tuple of operands.
fn table<const N: usize>(
    operation: Operation,
    format: Format,
    mode: Rounding,
) -> Vec<([Number; N], Number)> {
    let floats = floats(format);
    let parameters = Parameters::of(format);
    let count = floats.len().pow(N as u32);
    (0..count)
        .map(|mut index| {
            let operands: [Number; N] = std::array::from_fn(|_| {
                let float = floats[index % floats.len()];
                index /= floats.len();
                float
            });
            (operands, soft(operation, &parameters, mode, &operands))
        })
        .collect()
}

/// Checks one projection against all solutions and counts how tight it is.
fn check<const N: usize>(
    table: &[([Number; N], Number)],
    project: impl Fn([FloatBox; N], FloatBox) -> Left<N>,
    given: ([FloatBox; N], FloatBox),
    tally: &mut Tally,
) {
    let (arguments, result) = given;
    let mut expected = ([FloatBox::EMPTY; N], FloatBox::EMPTY);
    for (operands, value) in table {
        if holds(result, *value) && (0..N).all(|i| holds(arguments[i], operands[i])) {
            for (best, operand) in expected.0.iter_mut().zip(operands) {
                *best = best.join(hull([*operand]));
            }
            expected.1 = expected.1.join(hull([*value]));
        }
    }
    let left = project(arguments, result)
        .map_or(([FloatBox::EMPTY; N], FloatBox::EMPTY), |(_, left)| (left.arguments, left.result));
    let pairs = (0..N).map(|i| (expected.0[i], left.0[i], arguments[i]));
    for (best, got, before) in pairs.chain([(expected.1, left.1, result)]) {
        assert_eq!(got.join(best), got, "lost a solution of {given:?}: {left:?} {expected:?}");
        assert_eq!(got.meet(before), got, "grew {given:?}: {left:?}");
    }
    for i in 0..N {
        tally.count(true, left.0[i] == expected.0[i]);
    }
    tally.count(false, left.1 == expected.1);
}

#[test]
fn scalars_are_the_soft_float() {
    for format in [Format::new(2, 2), Format::new(2, 3), Format::new(3, 3), Format::new(3, 4)] {
        let grid = Grid::new(format).unwrap();
        let floats = floats(format);
        let parameters = Parameters::of(format);
        for mode in Rounding::ALL {
            let scalar = Scalar::new(grid, mode);
            for x in &floats {
                let soft =
                    |operation, operands: &[Number]| soft(operation, &parameters, mode, operands);
                let x = *x;
                assert_eq!(x.and_then(|x| scalar.sqrt(x)), soft(Operation::Sqrt, &[x]));
                let integral = x.map(|x| scalar.round_to_integral(x));
                assert_eq!(integral, soft(Operation::RoundToIntegral, &[x]));
                for y in &floats {
                    let y = *y;
                    let both = x.zip(y);
                    for (operation, value) in [
                        (Operation::Add, both.and_then(|(x, y)| scalar.add(x, y))),
                        (Operation::Sub, both.and_then(|(x, y)| scalar.sub(x, y))),
                        (Operation::Mul, both.and_then(|(x, y)| scalar.mul(x, y))),
                        (Operation::Div, both.and_then(|(x, y)| scalar.div(x, y))),
                    ] {
                        assert_eq!(
                            value,
                            soft(operation, &[x, y]),
                            "{operation} {mode} {x:?} {y:?}"
                        );
                    }
                    if format == Format::new(2, 3) {
                        for z in &floats {
                            let z = *z;
                            let value = both.zip(z).and_then(|((x, y), z)| scalar.fma(x, y, z));
                            assert_eq!(value, soft(Operation::Fma, &[x, y, z]));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_box_of_the_tiniest_format() {
    let format = Format::new(2, 2);
    let grid = Grid::new(format).unwrap();
    let all = grid.numbers();
    let boxes: Vec<Interval> = (all.lo..=all.hi)
        .flat_map(|lo| (lo..=all.hi).map(move |hi| Interval::new(lo, hi)))
        .collect();
    // Whether NaN is possible is taken in turn: eight combinations along the way.
    for (operation, project) in BINARY {
        let mut tally = Tally::default();
        for mode in Rounding::ALL {
            let table = table::<2>(operation, format, mode);
            let mut turn = 0usize;
            for x in &boxes {
                for y in &boxes {
                    for z in &boxes {
                        turn += 1;
                        // Every pair of operands with every 23rd result; the turn
                        // moves on, so that results meet operands of all kinds.
                        if !turn.is_multiple_of(23) {
                            continue;
                        }
                        let boxed = |numbers: &Interval, bit: usize| FloatBox {
                            numbers: *numbers,
                            nan: (turn / 23) >> bit & 1 == 1,
                        };
                        check(
                            &table,
                            |arguments, result| project(grid, Modes::only(mode), arguments, result),
                            ([boxed(x, 0), boxed(y, 1)], boxed(z, 2)),
                            &mut tally,
                        );
                    }
                }
            }
        }
        let (operands, results) = tally.report(operation.name());
        assert!(operands > 99.0 && results > 90.0, "{operation}");
    }
}

/// Random boxes of a format; a third of them around a solution.
fn sample<const N: usize>(
    operation: Operation,
    format: Format,
    project: Project<N>,
    rounds: usize,
) -> (f64, f64) {
    let grid = Grid::new(format).unwrap();
    let mut draw = Draw(operation as u64 + 1);
    let mut tally = Tally::default();
    for mode in Rounding::ALL {
        let table = table::<N>(operation, format, mode);
        for _ in 0..rounds {
            let (operands, value) = table[draw.below(table.len() as u64) as usize];
            let around = draw.below(3) > 0;
            let arguments = operands.map(|float| any_box(&mut draw, grid, around.then_some(float)));
            let result = any_box(&mut draw, grid, around.then_some(value));
            check(
                &table,
                |arguments, result| project(grid, Modes::only(mode), arguments, result),
                (arguments, result),
                &mut tally,
            );
        }
    }
    tally.report(&format!("{operation} {format}"))
}

#[test]
fn samples_of_tiny_formats() {
    for format in [Format::new(2, 3), Format::new(3, 3), Format::new(3, 4), Format::new(4, 2)] {
        for (operation, project) in BINARY {
            // Enumeration costs the square of the format's size.
            let rounds = if format.width() > 6 { 250 } else { 1000 };
            let (operands, results) = sample(operation, format, project, rounds);
            assert!(operands > 99.0 && results > 85.0, "{operation} {format}");
        }
        let (operands, results) = sample(Operation::Sqrt, format, arithmetic::sqrt, 2000);
        assert!(operands == 100.0 && results == 100.0, "sqrt {format}");
    }
    for format in [Format::new(2, 2), Format::new(2, 3)] {
        let (operands, results) = sample(Operation::Fma, format, arithmetic::fma, 500);
        assert!(operands > 90.0 && results > 80.0, "fma {format}");
    }
}

/// The formats that programs have, and two odd ones.
const LARGE: [Format; 7] = [
    Format::BINARY16,
    Format::BFLOAT16,
    Format::BINARY32,
    Format::BINARY64,
    Format::BINARY128,
    Format::new(15, 64),
    Format::new(3, 61),
];

/// A float of any magnitude, often special or near the one before.
fn any_float(draw: &mut Draw, grid: Grid, before: Number) -> Number {
    let infinity = grid.infinity();
    let magnitude = match draw.below(12) {
        0 => 0,
        1 => infinity,
        2 => return None,
        3 => 1,
        4 => grid.max_finite(),
        5 => grid.min_normal() - draw.below(2) as i128,
        6 => grid.one() + draw.below(3) as i128 - 1,
        7..9 => {
            let before = before.unwrap_or(0);
            let before = if before < 0 { !before } else { before };
            let reach = 1 << draw.below(40);
            before + draw.below(reach) as i128 - 1
        }
        _ => {
            let bits = (draw.next() as i128) << 64 | draw.next() as i128;
            let trailing = draw.below(grid.format().precision as u64) as u32;
            ((bits & i128::MAX) % infinity) >> trailing << trailing
        }
    };
    let magnitude = magnitude.clamp(0, infinity);
    Some(if draw.below(2) == 0 { magnitude } else { !magnitude })
}

#[test]
fn large_formats_keep_their_solutions() {
    for format in LARGE {
        let grid = Grid::new(format).unwrap();
        let parameters = Parameters::of(format);
        let mut draw = Draw(format.width() as u64);
        for _ in 0..4000 {
            let mode = Rounding::ALL[draw.below(5) as usize];
            let scalar = Scalar::new(grid, mode);
            let x = any_float(&mut draw, grid, None);
            let y = any_float(&mut draw, grid, x);
            let z = any_float(&mut draw, grid, y);
            let soft =
                |operation, operands: &[Number]| soft(operation, &parameters, mode, operands);
            let modes = if draw.below(4) == 0 { Modes::ALL } else { Modes::only(mode) };
            for (operation, project) in BINARY {
                let value = soft(operation, &[x, y]);
                let ours = x.zip(y).and_then(|(x, y)| match operation {
                    Operation::Add => scalar.exactly().add(x, y),
                    Operation::Sub => scalar.exactly().sub(x, y),
                    Operation::Mul => scalar.exactly().mul(x, y),
                    _ => scalar.exactly().div(x, y),
                });
                assert_eq!(ours, value, "{operation} {format} {mode} {x:?} {y:?}");
                contained(&mut draw, grid, (mode, modes), project, [x, y], value);
            }
            let root = soft(Operation::Sqrt, &[x]);
            assert_eq!(
                x.and_then(|x| scalar.exactly().sqrt(x)),
                root,
                "sqrt {format} {mode} {x:?}"
            );
            contained(&mut draw, grid, (mode, modes), arithmetic::sqrt, [x], root);
            let fused = soft(Operation::Fma, &[x, y, z]);
            let ours = x.zip(y).zip(z).and_then(|((x, y), z)| scalar.exactly().fma(x, y, z));
            assert_eq!(ours, fused, "fma {format} {mode} {x:?} {y:?} {z:?}");
            contained(&mut draw, grid, (mode, modes), arithmetic::fma, [x, y, z], fused);
            let integral = x.map(|x| scalar.round_to_integral(x));
            assert_eq!(
                integral,
                soft(Operation::RoundToIntegral, &[x]),
                "rti {format} {mode} {x:?}"
            );
        }
    }
}

/// A solution in random boxes around it must still be there afterwards.
fn contained<const N: usize>(
    draw: &mut Draw,
    grid: Grid,
    (mode, modes): (Rounding, Modes),
    project: Project<N>,
    operands: [Number; N],
    value: Number,
) {
    let arguments = operands.map(|float| any_box(draw, grid, Some(float)));
    let result = any_box(draw, grid, Some(value));
    let (left_modes, left) = project(grid, modes, arguments, result)
        .unwrap_or_else(|| panic!("{operands:?} = {value:?} refuted in {arguments:?} {result:?}"));
    assert!(left_modes.contains(mode));
    assert!(holds(left.result, value), "{operands:?} = {value:?}: {arguments:?} {left:?}");
    for (i, operand) in operands.iter().enumerate() {
        assert!(holds(left.arguments[i], *operand), "{operands:?} = {value:?}: {left:?}");
    }
}
