//! Operations backward against the operation table, on a tiny format: whatever gives one of the
//! results is among the operands.

use super::Dice;
use crate::grid;
use crate::preimage;
use nanoscope_ieee::{Format, Operation, Rounding};

const TINY: Format = Format::new(3, 3);

#[test]
fn operands_of_results_are_kept() {
    let mut dice = Dice::new(23);
    let (mut narrowed, mut infinite) = (0, 0);
    for operation in [Operation::Add, Operation::Sub, Operation::Mul, Operation::Div] {
        for round in 0..2500 {
            let (x, result) = (dice.floats(TINY), dice.floats(TINY));
            let same = round % 5 == 0;
            let y = if same { x } else { dice.floats(TINY) };
            let (new_x, new_y) = preimage::of_binary(operation, &x, &y, &result, same);
            let infinity = grid::infinity(TINY);
            let numbers = || (!infinity..=infinity).filter(|at| x.contains_place(*at));
            for a in numbers() {
                for b in (!infinity..=infinity).filter(|at| y.contains_place(*at)) {
                    if same && a != b {
                        continue;
                    }
                    let (rounded, other) = match operation {
                        Operation::Sub => (Operation::Add, !b),
                        _ => (operation, b),
                    };
                    let value = grid::rounded(TINY, rounded, Rounding::NearestEven, &[a, other]);
                    let gives = value.map_or(result.nan, |at| result.contains_place(at));
                    assert!(
                        !gives || (new_x.contains_place(a) && new_y.contains_place(b)),
                        "{operation:?} of {a} and {b} in {x} and {y} is in {result}: \
                         {new_x} and {new_y}"
                    );
                }
            }
            narrowed += usize::from(!x.within(&new_x) || !y.within(&new_y));
            infinite += usize::from(
                result.has_infinity() && !result.nan && (!x.within(&new_x) || !y.within(&new_y)),
            );
        }
    }
    assert!(narrowed > 1000 && infinite > 100, "{narrowed} and {infinite} were narrowed");
}
