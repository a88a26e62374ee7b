//! The projections of comparisons, classes, choices, conversions, remainders and
//! libm's functions: no solution lost, and how often they are the hull.

mod propagate_oracle;

use nanoscope_ieee::{
    Circuit, Concrete, Datum, Format, Operation, OutOfRange, Parameters, Rounding, Word, apply,
};
use nanoscope_solver::propagate::remainder::Quotient;
use nanoscope_solver::propagate::sign::NanChoice;
use nanoscope_solver::propagate::{
    Class, FloatBox, Grid, Interval, Modes, Narrowed, Truths, conversion, libm, relation,
    remainder, sign,
};
use nanoscope_term::Libm;
use propagate_oracle::{Draw, Number, Tally, any_box, floats, holds, hull, soft};

const TINY: [Format; 3] = [Format::new(2, 2), Format::new(2, 3), Format::new(3, 3)];

/// Checks what is left of the given boxes against the solutions among `table`.
fn check<const N: usize>(
    table: &[([Number; N], Number)],
    given: ([FloatBox; N], FloatBox),
    left: Option<Narrowed<N>>,
    tally: &mut Tally,
) {
    let mut best = Narrowed { arguments: [FloatBox::EMPTY; N], result: FloatBox::EMPTY };
    for (operands, value) in table {
        if holds(given.1, *value) && (0..N).all(|i| holds(given.0[i], operands[i])) {
            best = best.join(Narrowed {
                arguments: operands.map(|operand| hull([operand])),
                result: hull([*value]),
            });
        }
    }
    let empty = Narrowed { arguments: [FloatBox::EMPTY; N], result: FloatBox::EMPTY };
    let left = left.unwrap_or(empty);
    assert_eq!(left.join(best), left, "lost a solution of {given:?}: {best:?}");
    for i in 0..N {
        tally.count(true, left.arguments[i] == best.arguments[i]);
    }
    tally.count(false, left.result == best.result);
}

/// Every tuple of floats with what `f` makes of it.
fn table<const N: usize>(
    format: Format,
    f: impl Fn(&[Number; N]) -> Number,
) -> Vec<([Number; N], Number)> {
    let floats = floats(format);
    (0..floats.len().pow(N as u32))
        .map(|mut index| {
            let operands = std::array::from_fn(|_| {
                let float = floats[index % floats.len()];
                index /= floats.len();
                float
            });
            (operands, f(&operands))
        })
        .collect()
}

/// A predicate's truth value, by the soft float.
fn truth(operation: Operation, format: Format, operands: &[Number]) -> bool {
    let grid = Grid::new(format).unwrap();
    let data: Vec<_> = operands
        .iter()
        .map(|operand| {
            let bits = operand.map_or(grid.nan(), |at| grid.encode(at));
            Datum::Float(Word::new(format.width(), bits))
        })
        .collect();
    let parameters = Parameters::of(format);
    match apply(&mut Circuit::new(Concrete), operation, &parameters, &data).unwrap().0 {
        Datum::Bool(value) => value,
        other => panic!("{operation} gave {other:?}"),
    }
}

type Assume<const N: usize> = Box<dyn Fn([FloatBox; N], bool) -> Option<[FloatBox; N]>>;

/// A predicate's projection, both ways and open, on random boxes.
fn check_predicate<const N: usize>(operation: Operation, format: Format, assume: Assume<N>) {
    let grid = Grid::new(format).unwrap();
    let table = table::<N>(format, |operands| Some(truth(operation, format, operands) as i128));
    let mut draw = Draw(operation as u64);
    let mut tally = Tally::default();
    for _ in 0..1500 {
        let boxes: [FloatBox; N] = std::array::from_fn(|_| {
            let around = draw.below(2) == 0;
            let float = table[draw.below(table.len() as u64) as usize].0[0];
            any_box(&mut draw, grid, around.then_some(float))
        });
        for truths in [Truths::BOTH, Truths::only(true), Truths::only(false)] {
            let result = match (truths.may_fail, truths.may_hold) {
                (true, true) => FloatBox::numbers(0, 1),
                (_, value) => FloatBox::point(value as i128),
            };
            let left =
                relation::decide(truths, boxes, &assume).map(|(truths, arguments)| Narrowed {
                    arguments,
                    result: FloatBox::numbers(!truths.may_fail as i128, truths.may_hold as i128),
                });
            check(&table, (boxes, result), left, &mut tally);
        }
    }
    let (operands, results) = tally.report(&format!("{operation} {format}"));
    assert!(operands == 100.0 && results == 100.0, "{operation} {format}");
}

#[test]
fn comparisons_and_classes() {
    for format in TINY {
        let grid = Grid::new(format).unwrap();
        let comparisons: [(Operation, Assume<2>); 5] = [
            (Operation::Less, Box::new(relation::less)),
            (Operation::LessEqual, Box::new(relation::less_equal)),
            (Operation::Equal, Box::new(relation::equal)),
            (Operation::Identical, Box::new(relation::identical)),
            (Operation::Unordered, Box::new(relation::unordered)),
        ];
        for (operation, assume) in comparisons {
            check_predicate(operation, format, assume);
        }
        for (operation, class) in [
            (Operation::IsNan, Class::Nan),
            (Operation::IsInfinite, Class::Infinite),
            (Operation::IsFinite, Class::Finite),
            (Operation::IsZero, Class::Zero),
            (Operation::IsSubnormal, Class::Subnormal),
            (Operation::IsNormal, Class::Normal),
            (Operation::IsNegative, Class::Negative),
            (Operation::IsPositive, Class::Positive),
        ] {
            check_predicate::<1>(
                operation,
                format,
                Box::new(move |x, value| class.project(grid, x, value)),
            );
        }
    }
}

/// A function's projection on random boxes of operands and result.
fn check_function<const N: usize>(
    operation: Operation,
    parameters: Parameters,
    mode: Rounding,
    project: impl Fn([FloatBox; N], FloatBox) -> Option<Narrowed<N>>,
    least: (f64, f64),
) {
    let grid = Grid::new(parameters.format).unwrap();
    let target =
        if operation == Operation::Convert { parameters.target } else { parameters.format };
    let target = Grid::new(target).unwrap();
    let table =
        table::<N>(parameters.format, |operands| soft(operation, &parameters, mode, operands));
    let mut draw = Draw(operation as u64);
    let mut tally = Tally::default();
    for _ in 0..1500 {
        let (operands, value) = table[draw.below(table.len() as u64) as usize];
        let around = draw.below(3) > 0;
        let arguments = operands.map(|float| any_box(&mut draw, grid, around.then_some(float)));
        let result = any_box(&mut draw, target, around.then_some(value));
        check(&table, (arguments, result), project(arguments, result), &mut tally);
    }
    let (operands, results) = tally.report(&format!("{operation} {} {mode}", parameters.format));
    assert!(operands >= least.0 && results >= least.1, "{operation} {}", parameters.format);
}

#[test]
fn choices_and_steps() {
    const ALL: (f64, f64) = (100.0, 100.0);
    let mode = Rounding::NearestEven;
    for format in TINY {
        let grid = Grid::new(format).unwrap();
        let parameters = Parameters::of(format);
        check_function(Operation::Neg, parameters, mode, sign::neg, ALL);
        check_function(Operation::Abs, parameters, mode, sign::abs, ALL);
        check_function(
            Operation::NextUp,
            parameters,
            mode,
            |x, z| sign::neighbour(grid, true, x, z),
            ALL,
        );
        check_function(
            Operation::NextDown,
            parameters,
            mode,
            |x, z| sign::neighbour(grid, false, x, z),
            ALL,
        );
        check_function(Operation::CopySign, parameters, mode, sign::copy_sign, ALL);
        for (operation, greater, choice, least) in [
            (Operation::MinNum, false, NanChoice::Other, ALL),
            (Operation::MaxNum, true, NanChoice::Other, ALL),
            (Operation::Minimum, false, NanChoice::Nan, ALL),
            (Operation::Maximum, true, NanChoice::Nan, ALL),
            (Operation::MinX86, false, NanChoice::Second, (90.0, 90.0)),
            (Operation::MaxX86, true, NanChoice::Second, (90.0, 90.0)),
        ] {
            let project = |x, z| sign::extremum(grid, greater, choice, x, z);
            check_function(operation, parameters, mode, project, least);
        }
        for (operation, quotient) in
            [(Operation::Remainder, Quotient::Nearest), (Operation::Fmod, Quotient::Truncated)]
        {
            let project = |x, z| remainder::remainder(grid, quotient, x, z);
            check_function(operation, parameters, mode, project, (50.0, 50.0));
        }
    }
}

#[test]
fn conversions() {
    for mode in Rounding::ALL {
        let modes = Modes::only(mode);
        for format in TINY {
            let grid = Grid::new(format).unwrap();
            let project = |x, z| Some(conversion::round_to_integral(grid, modes, x, z)?.1);
            check_function(
                Operation::RoundToIntegral,
                Parameters::of(format),
                mode,
                project,
                (100.0, 100.0),
            );
            for target in [Format::new(2, 2), Format::new(3, 4), Format::new(4, 2)] {
                let to = Grid::new(target).unwrap();
                let project = |x, z| Some(conversion::convert(grid, to, modes, x, z)?.1);
                let parameters = Parameters::between(format, target);
                check_function(Operation::Convert, parameters, mode, project, (100.0, 100.0));
            }
            for (signed, width) in [(true, 3), (false, 3), (true, 5), (false, 2)] {
                check_integers(format, mode, signed, width);
            }
        }
    }
}

/// From and to integers of a few bits, over every interval of them.
fn check_integers(format: Format, mode: Rounding, signed: bool, width: u32) {
    let grid = Grid::new(format).unwrap();
    let modes = Modes::only(mode);
    let least = if signed { -(1i128 << (width - 1)) } else { 0 };
    let range = Interval::new(least, least + (1 << width) - 1);
    let integers = || range.lo..=range.hi;
    let parameters = Parameters::integer(format, width, OutOfRange::Undefined);
    let rounding = || Datum::Rounding(Word::new(3, mode as u128));
    let (from, to) = if signed {
        (Operation::FromSigned, Operation::ToSigned)
    } else {
        (Operation::FromUnsigned, Operation::ToUnsigned)
    };
    let mut circuit = Circuit::new(Concrete);
    let table: Vec<([Number; 1], Number)> = integers()
        .map(|integer| {
            let operands = [rounding(), Datum::Bits(Word::new(width, integer as u128))];
            match apply(&mut circuit, from, &parameters, &operands).unwrap().0 {
                Datum::Float(word) => ([Some(integer)], grid.decode(word.to_u128().unwrap())),
                other => panic!("{other:?}"),
            }
        })
        .collect();
    // Where the integer does not fit, any may come.
    let mut back: Vec<([Number; 1], Number)> = Vec::new();
    for float in floats(format) {
        let bits = float.map_or(grid.nan(), |at| grid.encode(at));
        let operands = [rounding(), Datum::Float(Word::new(format.width(), bits))];
        let (value, flags) = apply(&mut circuit, to, &parameters, &operands).unwrap();
        let Datum::Bits(word) = value else { panic!("{value:?}") };
        let value = word.to_u128().unwrap() as i128;
        let value = if value > range.hi { value - (1 << width) } else { value };
        back.extend(
            integers().filter(|i| flags.invalid || *i == value).map(|i| ([float], Some(i))),
        );
    }
    let mut draw = Draw(width as u64);
    let (mut there, mut here) = (Tally::default(), Tally::default());
    for lo in integers() {
        for hi in lo..=range.hi {
            let around = draw.below(3) > 0;
            let float = floats(format)[draw.below(floats(format).len() as u64) as usize];
            let floats = any_box(&mut draw, grid, around.then_some(float));
            let interval = Interval::new(lo, hi);
            let given = FloatBox { numbers: interval, nan: false };
            let left =
                conversion::from_integer(grid, modes, interval, floats).map(|(_, left)| left);
            check(&table, ([given], floats), left, &mut there);
            let left =
                conversion::to_integer(grid, modes, range, floats, interval).map(|(_, x, z)| {
                    Narrowed { arguments: [x], result: FloatBox { numbers: z, nan: false } }
                });
            check(&back, ([floats], given), left, &mut here);
        }
    }
    assert_eq!(there.report("from integer"), (100.0, 100.0));
    assert!(here.report("to integer").0 == 100.0);
}

#[test]
fn libm_functions_keep_what_the_machine_computes() {
    let grid = Grid::new(Format::BINARY64).unwrap();
    let single = Grid::new(Format::BINARY32).unwrap();
    let mut draw = Draw(7);
    let number = |value: f64| grid.decode(value.to_bits() as u128);
    let number32 = |value: f32| single.decode(value.to_bits() as u128);
    let mut narrowed = 0;
    for _ in 0..3000 {
        let any = |draw: &mut Draw| match draw.below(6) {
            0 => f64::from_bits(draw.next()),
            1 => [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.5]
                [draw.below(8) as usize],
            _ => (draw.next() as i64 as f64) / (1u64 << (20 + draw.below(44))) as f64,
        };
        let (x, y) = (any(&mut draw), any(&mut draw));
        let (x32, y32) = (x as f32, y as f32);
        for function in Libm::ALL {
            let value = function.of_doubles(x, y);
            let value32 = function.of_singles(x32, y32);
            for (grid, x, y, value) in [
                (grid, number(x), number(y), number(value)),
                (single, number32(x32), number32(y32), number32(value32)),
            ] {
                let result = any_box(&mut draw, grid, Some(value));
                let x_box = any_box(&mut draw, grid, Some(x));
                let y_box = any_box(&mut draw, grid, Some(y));
                let left = match function.arity() {
                    1 => libm::unary(grid, *function, [x_box], result)
                        .map(|left| (left.arguments[0], y_box, left.result)),
                    _ => libm::binary(grid, *function, [x_box, y_box], result)
                        .map(|left| (left.arguments[0], left.arguments[1], left.result)),
                };
                let name = function.name();
                let (x_left, y_left, z_left) =
                    left.unwrap_or_else(|| panic!("{name} {x:?} {y:?} = {value:?} refuted"));
                assert!(holds(x_left, x) && holds(y_left, y), "{name} {x:?} {y:?} {value:?}");
                assert!(holds(z_left, value), "{name} {x:?} {y:?} {value:?} {z_left:?}");
                narrowed += (z_left != result || x_left != x_box) as u32;
            }
        }
    }
    assert!(narrowed > 30_000, "{narrowed}");
}
