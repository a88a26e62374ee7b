//! How long a projection takes: `cargo run --release -p nanoscope-sets --example speed`.
//!
//! Boxes of binary64 around random solutions, as propagation meets them: some
//! already narrow, some to be narrowed, in every rounding mode.

use nanoscope_ieee::{Format, Rounding};
use nanoscope_sets::operation::{add, div, mul};
use nanoscope_sets::{FloatBox, Grid, Left, Modes, Scalar};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let grid = Grid::new(Format::BINARY64).expect("binary64 has a grid");
    for mode in [Rounding::NearestEven, Rounding::Upward] {
        let scalar = Scalar::new(grid, mode);
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 11
        };
        let mut cases = Vec::new();
        while cases.len() < 4096 {
            // Magnitudes from 2^-8 to 2^8, boxes from a few ulps to some binades.
            let mut number = || {
                let magnitude = grid.one() - (8 << 52) + (next() % (16 << 52)) as i128;
                if next().is_multiple_of(2) { magnitude } else { !magnitude }
            };
            let (x, y) = (number(), number());
            let mut around = |at: i128| {
                let width = 1i128 << (next() % 54);
                FloatBox::numbers(at - width, at + width)
            };
            let boxes = [around(x), around(y)];
            let results = [scalar.add(x, y), scalar.mul(x, y), scalar.div(x, y)]
                .map(|z| around(z.unwrap_or(0)));
            cases.push((boxes, results));
        }
        type Project = fn(Grid, Modes, [FloatBox; 2], FloatBox) -> Left<FloatBox, 2>;
        let projections: [(&str, Project, usize); 3] =
            [("add", add::narrow, 0), ("mul", mul::narrow, 1), ("div", div::narrow, 2)];
        for (name, project, index) in projections {
            for settled in [false, true] {
                let mut given: Vec<_> = cases.iter().map(|(x, z)| (*x, z[index])).collect();
                if settled {
                    for (x, z) in &mut given {
                        let (_, left) =
                            project(grid, Modes::only(mode), *x, *z).expect("a solution");
                        (*x, *z) = (left.arguments, left.result);
                    }
                }
                let rounds = 50;
                let start = Instant::now();
                for _ in 0..rounds {
                    for (x, z) in &given {
                        black_box(project(grid, Modes::only(mode), black_box(*x), black_box(*z)));
                    }
                }
                let each = start.elapsed().as_nanos() as f64 / (rounds * given.len()) as f64;
                let what = if settled { "nothing to narrow" } else { "narrowing" };
                println!("{name} {mode} {what}: {each:.0} ns");
            }
        }
    }
}
