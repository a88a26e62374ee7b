//! Both directions of every operation, against enumeration on tiny formats: no solution is lost,
//! and how often the sets left are the smallest.

mod oracle;

use nanoscope_ieee::{Format, Operation, Parameters, Rounding};
use nanoscope_sets::{FloatBox, Floats, Grid, Interval, Modes, Scalar};
use oracle::{Draw, Equation, Kind, Number, Tally, Value, equations};

const TINY: [Format; 5] =
    [Format::new(2, 2), Format::new(2, 3), Format::new(3, 3), Format::new(3, 4), Format::new(4, 2)];

/// The shares of operands and results, in percent, that must be the hull.
fn least(operation: Operation) -> (f64, f64) {
    match operation {
        Operation::Add | Operation::Sub | Operation::Mul | Operation::Div => (99.0, 85.0),
        Operation::Fma => (88.0, 80.0),
        Operation::Remainder | Operation::Fmod => (50.0, 25.0),
        Operation::MinX86 | Operation::MaxX86 => (90.0, 90.0),
        // Bits in the order of unsigned integers are not always in that of signed ones.
        Operation::FromSigned | Operation::ToSigned => (50.0, 50.0),
        // Whether a NaN signals is not known.
        Operation::IsSignaling => (0.0, 0.0),
        // All others are exact.
        _ => (100.0, 100.0),
    }
}

#[test]
fn every_operation_keeps_its_solutions() {
    for operation in Operation::ALL {
        for format in TINY {
            let equations = equations(*operation, format);
            let arity = equations[0].kinds().0.len();
            if arity == 3 && format.width() > 5 {
                continue;
            }
            // Enumeration costs a power of the format's size.
            let rounds = match (arity, format.width()) {
                (1, _) => 300,
                (2, ..6) => 200,
                (2, _) => 40,
                (_, _) => 60,
            };
            let mut tally = Tally::default();
            for equation in equations {
                equation.sample::<FloatBox>(rounds, false, &mut tally);
            }
            let (operands, results) = tally.shares((operation, format));
            let least = least(*operation);
            assert!(operands >= least.0 && results >= least.1, "{operation} {format}");
        }
    }
}

#[test]
fn sets_with_gaps_keep_their_solutions() {
    for operation in Operation::ALL {
        for format in &TINY[..3] {
            for equation in equations(*operation, *format) {
                let arity = equation.kinds().0.len();
                if arity == 3 && format.width() > 4 {
                    continue;
                }
                let twice = matches!(equation.kinds().0[..], [Kind::Float(_), Kind::Float(_)]);
                let tally = &mut Tally::default();
                equation.sample::<Floats>(40, false, tally);
                if twice {
                    equation.sample::<Floats>(20, true, tally);
                }
            }
        }
    }
}

#[test]
fn one_operand_twice() {
    for operation in Operation::ALL {
        if !matches!(
            equations(*operation, TINY[0])[0].kinds().0[..],
            [Kind::Float(_), Kind::Float(_)]
        ) {
            continue;
        }
        for format in TINY {
            for equation in equations(*operation, format) {
                equation.sample::<FloatBox>(40, true, &mut Tally::default());
            }
        }
    }
}

#[test]
fn every_box_of_the_tiniest_format() {
    let format = Format::new(2, 2);
    let all = Grid::new(format).unwrap().numbers();
    let boxes: Vec<Interval> = (all.lo..=all.hi)
        .flat_map(|lo| (lo..=all.hi).map(move |hi| Interval::new(lo, hi)))
        .collect();
    for operation in [Operation::Add, Operation::Mul, Operation::Div] {
        let mut tally = Tally::default();
        for equation in equations(operation, format) {
            let solutions = equation.solutions();
            let mut turn = 0usize;
            for x in &boxes {
                for y in &boxes {
                    for z in &boxes {
                        turn += 1;
                        // Every pair of operands with every 47th result; the turn
                        // moves on, so that results meet operands of all kinds.
                        if !turn.is_multiple_of(47) {
                            continue;
                        }
                        // Whether NaN is possible is taken in turn.
                        let boxed = |numbers: &Interval, bit: usize| {
                            let nan = (turn / 47) >> bit & 1 == 1;
                            nanoscope_ieee::Datum::Float(FloatBox { numbers: *numbers, nan })
                        };
                        let operands = [boxed(x, 0), boxed(y, 1)];
                        equation.check(&solutions, (&operands, boxed(z, 2)), false, &mut tally);
                    }
                }
            }
        }
        let (operands, results) = tally.shares(operation);
        assert!(operands > 99.0 && results > 90.0, "{operation}");
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
        let mut draw = Draw(format.width() as u64);
        for _ in 0..300 {
            let mode = Rounding::ALL[draw.below(5) as usize];
            let x = any_float(&mut draw, grid, None);
            let y = any_float(&mut draw, grid, x);
            let z = any_float(&mut draw, grid, y);
            let modes = if draw.below(4) == 0 { Modes::ALL } else { Modes::only(mode) };
            for operation in Operation::ALL {
                let parameters = Parameters::of(format);
                let equation = Equation { operation: *operation, parameters, mode };
                let (kinds, _) = equation.kinds();
                if kinds.iter().any(|kind| matches!(kind, Kind::Bits(_)))
                    || matches!(equation.kinds().1, Kind::Bits(_))
                {
                    continue;
                }
                let operands: Vec<Value> =
                    [x, y, z].map(Value::Float).into_iter().take(kinds.len()).collect();
                let value = equation.soft(&operands).unwrap();
                equation.keeps::<FloatBox>(&mut draw, modes, &operands, value);
            }
        }
    }
}

#[test]
fn scalars_are_the_soft_float() {
    let formats = LARGE.into_iter().chain(TINY);
    for format in formats {
        let grid = Grid::new(format).unwrap();
        let mut draw = Draw(format.width() as u64 + 7);
        for _ in 0..600 {
            let mode = Rounding::ALL[draw.below(5) as usize];
            let scalar = Scalar::new(grid, mode).exactly();
            let x = any_float(&mut draw, grid, None);
            let y = any_float(&mut draw, grid, x);
            let z = any_float(&mut draw, grid, y);
            let check = |operation, operands: &[Number], ours: Number| {
                let equation = Equation { operation, parameters: Parameters::of(format), mode };
                let operands: Vec<Value> = operands.iter().copied().map(Value::Float).collect();
                let value = equation.soft(&operands);
                assert_eq!(Some(Value::Float(ours)), value, "{equation:?} {operands:?}");
            };
            let both = x.zip(y);
            check(Operation::Add, &[x, y], both.and_then(|(x, y)| scalar.add(x, y)));
            check(Operation::Sub, &[x, y], both.and_then(|(x, y)| scalar.sub(x, y)));
            check(Operation::Mul, &[x, y], both.and_then(|(x, y)| scalar.mul(x, y)));
            check(Operation::Div, &[x, y], both.and_then(|(x, y)| scalar.div(x, y)));
            let fused = both.zip(z).and_then(|((x, y), z)| scalar.fma(x, y, z));
            check(Operation::Fma, &[x, y, z], fused);
            check(Operation::Sqrt, &[x], x.and_then(|x| scalar.sqrt(x)));
            check(Operation::RoundToIntegral, &[x], x.map(|x| scalar.round_to_integral(x)));
        }
    }
}
