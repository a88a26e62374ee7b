//! Spans, exhaustively on small magnitudes: what joins, meets and widens holds what it must,
//! and no more than a hull does.

use super::Dice;
use crate::floats::{Floats, Span};
use crate::grid;
use nanoscope_ieee::Format;

const MOST: i128 = 9;

/// Every span that joins of intervals make, up to the most magnitude.
fn spans() -> Vec<Span> {
    let mut all = vec![Span::EMPTY];
    for lo in 1..=MOST {
        for hi in lo..=MOST {
            all.push(Span::new(lo, hi));
            for far in hi + 1..=MOST {
                all.push(Span::new(lo, hi).join(Span::new(far, far)));
            }
        }
    }
    all
}

fn members(span: Span) -> Vec<i128> {
    (0..=MOST + 1).filter(|&magnitude| span.contains(magnitude)).collect()
}

#[test]
fn the_greatest_may_stand_apart() {
    let span = Span::new(1, 4).join(Span::new(9, 9));
    assert_eq!(members(span), [1, 2, 3, 4, 9]);
    assert_eq!(span.pieces().collect::<Vec<_>>(), [(1, 4), (9, 9)]);
    assert_eq!(members(span.meet(Span::new(3, 8))), [3, 4]);
    assert_eq!(members(span.join(Span::new(6, 6))), [1, 2, 3, 4, 5, 6, 9]);
}

#[test]
fn joins_and_meets_hold_what_they_must() {
    let all = spans();
    for &a in &all {
        for &b in &all {
            let (in_a, in_b) = (members(a), members(b));
            let (join, meet) = (members(a.join(b)), members(a.meet(b)));
            assert!(in_a.iter().chain(&in_b).all(|x| join.contains(x)), "{a:?} {b:?}");
            assert!(in_a.iter().filter(|x| in_b.contains(x)).all(|x| meet.contains(x)));
            assert!(meet.iter().all(|x| in_a.contains(x) && in_b.contains(x)), "{a:?} {b:?}");
            assert_eq!(a.within(b), in_a.iter().all(|x| in_b.contains(x)), "{a:?} {b:?}");
        }
        let pieces: Vec<i128> = a.pieces().flat_map(|(lo, hi)| lo..=hi).collect();
        assert_eq!(pieces, members(a), "{a:?}");
    }
}

#[test]
fn widening_holds_both_and_comes_to_an_end() {
    let format = Format::new(3, 3);
    let landmarks = [2, 5, 11, grid::max_finite(format)];
    let mut dice = Dice::new(11);
    for _ in 0..2000 {
        let mut wide = dice.floats(format);
        let mut steps = 0;
        for _ in 0..40 {
            let next = wide.widen(&dice.floats(format), &landmarks);
            assert!(wide.within(&next));
            steps += u32::from(next != wide);
            wide = next;
        }
        // Two ends of two signs over four landmarks and infinity, and what is no number.
        assert!(steps <= 24, "{steps} steps");
    }
}

#[test]
fn an_infinity_is_told_from_large_numbers() {
    let format = Format::BINARY64;
    let one = grid::power(format, 0);
    let infinity = grid::infinity(format);
    let small = Floats::between(format, one, 3 * one / 2);
    let both = small.join(&Floats::between(format, infinity, infinity));
    assert_eq!(both.finite_part(), small);
    assert!(both.to_string().ends_with("] or inf"), "{both}");
}
