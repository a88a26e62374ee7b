//! What is true of an operation on a tiny format, by enumeration with `ieee`'s
//! soft float, and how a projection compares with it.

#![allow(dead_code, reason = "every test takes what it needs")]

use nanoscope_ieee::{
    Circuit, Concrete, Datum, Format, Operation, Parameters, Rounding, Word, apply,
};
use nanoscope_solver::propagate::{FloatBox, Grid, Interval, Ordinal};

/// A splitmix64 generator: small, seeded, the same everywhere.
pub struct Draw(pub u64);

impl Draw {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// A float as the tests see it: a number, or `None` for NaN.
pub type Number = Option<Ordinal>;

/// The operation on one tuple of operands, by the soft float.
pub fn soft(
    operation: Operation,
    parameters: &Parameters,
    mode: Rounding,
    operands: &[Number],
) -> Number {
    let grid = Grid::new(parameters.format).unwrap();
    let target = match operation {
        Operation::Convert => Grid::new(parameters.target).unwrap(),
        _ => grid,
    };
    let mut data = Vec::new();
    if operation.operands().first() == Some(&nanoscope_ieee::Sort::Rounding) {
        data.push(Datum::Rounding(Word::new(3, mode as u128)));
    }
    for operand in operands {
        let bits = operand.map_or(grid.nan(), |at| grid.encode(at));
        data.push(Datum::Float(Word::new(grid.format().width(), bits)));
    }
    match apply(&mut Circuit::new(Concrete), operation, parameters, &data).unwrap().0 {
        Datum::Float(word) => target.decode(word.to_u128().unwrap()),
        other => panic!("{operation} gave {other:?}"),
    }
}

/// Every float of a format: its numbers in order, then NaN.
pub fn floats(format: Format) -> Vec<Number> {
    let grid = Grid::new(format).unwrap();
    let numbers = grid.numbers();
    (numbers.lo..=numbers.hi).map(Some).chain([None]).collect()
}

/// Whether the box holds the float.
pub fn holds(floats: FloatBox, float: Number) -> bool {
    float.map_or(floats.nan, |at| floats.numbers.contains(at))
}

/// The smallest box that holds these floats.
pub fn hull(floats: impl IntoIterator<Item = Number>) -> FloatBox {
    floats.into_iter().fold(FloatBox::EMPTY, |hull, float| {
        hull.join(float.map_or(FloatBox::NAN, FloatBox::point))
    })
}

/// A box of the format, narrow or wide, around `float` if it is given.
pub fn any_box(draw: &mut Draw, grid: Grid, around: Option<Number>) -> FloatBox {
    let all = grid.numbers();
    let any = |draw: &mut Draw| {
        let magnitude = ((draw.next() as Ordinal) << 63 | draw.next() as Ordinal) % (all.hi + 1);
        if draw.below(2) == 0 { magnitude } else { !magnitude }
    };
    let nan = draw.below(3) == 0;
    let near = |draw: &mut Draw, at: Ordinal, side: Ordinal| match draw.below(4) {
        0 => at,
        1 => at + side * draw.below(4) as Ordinal,
        2 => at + side * (draw.next() >> (1 + draw.below(62))) as Ordinal,
        _ => side * all.hi - (side < 0) as Ordinal,
    };
    let boxed = match around {
        Some(None) => match draw.below(3) {
            0 => FloatBox::NAN,
            _ => FloatBox { nan: true, ..any_box(draw, grid, None) },
        },
        Some(Some(at)) => {
            FloatBox { numbers: Interval::new(near(draw, at, -1), near(draw, at, 1)), nan }
        }
        None => {
            let (a, b) = (any(draw), any(draw));
            FloatBox { numbers: Interval::new(a.min(b), a.max(b)), nan }
        }
    };
    boxed.meet(grid.everything())
}

/// How often projections were the hull.
#[derive(Default)]
pub struct Tally {
    pub operands: (u64, u64),
    pub results: (u64, u64),
}

impl Tally {
    /// Counts boxes that are optimal among all.
    pub fn count(&mut self, operand: bool, optimal: bool) {
        let (hits, all) = if operand { &mut self.operands } else { &mut self.results };
        *hits += optimal as u64;
        *all += 1;
    }

    pub fn report(&self, what: &str) -> (f64, f64) {
        let share = |(hits, all): (u64, u64)| 100.0 * hits as f64 / all.max(1) as f64;
        let (operands, results) = (share(self.operands), share(self.results));
        println!(
            "{what}: {} projections, operands optimal {operands:.2} %, results {results:.2} %",
            self.results.1
        );
        (operands, results)
    }
}
