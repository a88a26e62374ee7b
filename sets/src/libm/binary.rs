//! Functions of two arguments.

use super::enclosure::Enclosure;
use crate::grid::Grid;
use crate::interval::Interval;
use crate::project::{Cases, Narrowed};
use crate::set::Set;
use nanoscope_ieee::Libm;

/// `z = f(x, y)`, both ways. Formats that the library does not have are left as they are.
pub fn narrow<S: Set>(grid: Grid, function: Libm, [x, y]: [S; 2], z: S) -> Option<Narrowed<S, 2>> {
    let (infinity, one) = (grid.infinity(), grid.one());
    let (plus, minus) = (Interval::new(0, infinity), Interval::new(!infinity, -1));
    let range = match function {
        Libm::Hypot => plus,
        Libm::Atan2 => Interval::new(!grid.nearest(3.2), grid.nearest(3.2)),
        Libm::Pow => grid.numbers(),
        unary => unreachable!("{} takes one argument", unary.name()),
    };
    let Some(f) = Enclosure::new(grid, function, range) else {
        return Some(Narrowed { arguments: [x, y], result: z });
    };
    let mut cases = Cases::none(grid, [x, y], z);
    let nan = S::of_nan(grid);
    let in_range = z.meet(S::of_numbers(grid, range).join(nan));
    // With a NaN among the operands some of these functions still give a
    // number: any result in range is left possible.
    for (x, y) in [(x.meet(nan), y), (x, y.meet(nan))] {
        cases.add(Narrowed { arguments: [x, y], result: in_range });
    }
    match function {
        Libm::Hypot => {
            for x_negative in [false, true] {
                for y_negative in [false, true] {
                    let rectangle = [x.side(x_negative), y.side(y_negative)];
                    cases.monotone(&f, rectangle, [x_negative, y_negative]);
                }
            }
        }
        Libm::Pow => {
            let bases = x.side(false);
            for (bases, falls_in_y) in [
                (bases.meet(Interval::new(one, infinity)), false),
                (bases.meet(Interval::new(0, one)), true),
            ] {
                for falls_in_x in [false, true] {
                    let rectangle = [bases, y.side(falls_in_x)];
                    cases.monotone(&f, rectangle, [falls_in_x, falls_in_y]);
                }
            }
            let negative = S::of_numbers(grid, x.hull().meet(minus)).kept_of(&x);
            cases.add(Narrowed { arguments: [negative, y], result: z });
        }
        Libm::Atan2 => {
            let arguments = [x.without_nan(), y.without_nan()];
            cases.add(Narrowed { arguments, result: in_range.without_nan() });
        }
        unary => unreachable!("{} takes one argument", unary.name()),
    }
    cases.finish()
}
