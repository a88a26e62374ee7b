//! Projections of the operations that choose or step: absolute value, negation,
//! sign copying, minimum and maximum, and the neighbours.

use super::cases::{Cases, Narrowed};
use super::grid::Grid;
use super::interval::{FloatBox, Interval, Ordinal};
use super::monotone::{Monotone, Wanted};

fn negated(x: FloatBox) -> FloatBox {
    FloatBox { numbers: x.numbers.negated(), nan: x.nan }
}

/// `z = -x`. There is one NaN, its own negation.
pub fn neg([x]: [FloatBox; 1], z: FloatBox) -> Option<Narrowed<1>> {
    let both = x.meet(negated(z));
    let narrowed = Narrowed { arguments: [both], result: negated(both) };
    (!both.is_empty()).then_some(narrowed)
}

/// `z = |x|`.
pub fn abs([x]: [FloatBox; 1], z: FloatBox) -> Option<Narrowed<1>> {
    let mut cases = Cases::new([x], z);
    for flip in [false, true] {
        let side = |floats: FloatBox| if flip { negated(floats) } else { floats };
        let positive = Interval::new(0, Ordinal::MAX);
        let magnitudes = side(x).numbers.meet(positive).meet(z.numbers);
        let magnitudes = FloatBox { numbers: magnitudes, nan: false };
        cases.add(Narrowed { arguments: [side(magnitudes)], result: magnitudes });
    }
    cases.finish()
}

/// `z` is `x` with the sign of `y`; the sign of the one NaN is clear.
pub fn copy_sign([x, y]: [FloatBox; 2], z: FloatBox) -> Option<Narrowed<2>> {
    let mut cases = Cases::none([x, y], z);
    if x.nan && z.nan {
        cases.add(Narrowed { arguments: [FloatBox::NAN, y], result: FloatBox::NAN });
    }
    let (plus, minus) = (Interval::new(0, Ordinal::MAX), Interval::new(Ordinal::MIN, -1));
    for x_side in [plus, minus] {
        for y_side in [plus, minus] {
            let signs = FloatBox { numbers: y.numbers.meet(y_side), nan: y.nan && y_side == plus };
            let flip = |floats: FloatBox| if x_side == y_side { floats } else { negated(floats) };
            let numbers = FloatBox { numbers: x.numbers.meet(x_side), nan: false };
            let result = flip(numbers).meet(z.without_nan());
            cases.add(Narrowed { arguments: [flip(result), signs], result });
        }
    }
    cases.finish()
}

/// Which operand a NaN leaves, in a minimum or maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanChoice {
    /// The other operand: C's `fmin`.
    Other,
    /// NaN: 754-2019's `minimum`.
    Nan,
    /// The second operand, whichever is NaN; of equal operands too: x86.
    Second,
}

/// `z` is the lesser of `x` and `y`, or the greater.
pub fn extremum(
    grid: Grid,
    greater: bool,
    choice: NanChoice,
    [x, y]: [FloatBox; 2],
    z: FloatBox,
) -> Option<Narrowed<2>> {
    let mut cases = match choice {
        NanChoice::Nan => Cases::new([x, y], z),
        NanChoice::Other | NanChoice::Second => Cases::none([x, y], z),
    };
    let second = y.meet(z);
    match choice {
        NanChoice::Nan => {}
        NanChoice::Other => {
            if x.nan {
                cases.add(Narrowed { arguments: [FloatBox::NAN, second], result: second });
            }
            if y.nan {
                let first = x.meet(z);
                cases.add(Narrowed { arguments: [first, FloatBox::NAN], result: first });
            }
        }
        NanChoice::Second => {
            if x.nan {
                cases.add(Narrowed { arguments: [FloatBox::NAN, second], result: second });
            }
            if y.nan && z.nan {
                cases.add(Narrowed { arguments: [x, FloatBox::NAN], result: FloatBox::NAN });
            }
        }
    }
    let f = Extremum { greater, loose_zeros: choice == NanChoice::Second };
    cases.monotone(
        &f,
        [x.numbers.meet(grid.numbers()), y.numbers.meet(grid.numbers())],
        [false; 2],
    );
    cases.finish()
}

struct Extremum {
    greater: bool,
    /// The sign of a zero result depends on more than the order.
    loose_zeros: bool,
}

impl Extremum {
    fn value(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        if self.greater { *x.max(y) } else { *x.min(y) }
    }
}

impl Monotone<2> for Extremum {
    fn least(&self, at: &[Ordinal; 2]) -> Ordinal {
        let value = self.value(at);
        if self.loose_zeros && value == 0 { -1 } else { value }
    }

    fn greatest(&self, at: &[Ordinal; 2]) -> Ordinal {
        let value = self.value(at);
        if self.loose_zeros && value == -1 { 0 } else { value }
    }

    fn guess(&self, _: usize, _: &[Ordinal; 2], wanted: Wanted) -> Option<Ordinal> {
        Some(wanted.z)
    }
}

/// `z` is the number next above `x`, or next below.
pub fn neighbour(grid: Grid, above: bool, [x]: [FloatBox; 1], z: FloatBox) -> Option<Narrowed<1>> {
    if !above {
        let narrowed = neighbour(grid, true, [negated(x)], negated(z))?;
        return Some(Narrowed {
            arguments: narrowed.arguments.map(negated),
            result: negated(narrowed.result),
        });
    }
    let mut cases = Cases::new([x], z);
    cases.monotone(&NextUp(grid), [x.numbers.meet(grid.numbers())], [false]);
    cases.finish()
}

struct NextUp(Grid);

impl Monotone<1> for NextUp {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        match *x {
            // Both zeros are followed by the smallest positive number.
            -1 => 1,
            x if x == self.0.infinity() => x,
            x => x + 1,
        }
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        Some(wanted.z - 1)
    }
}
