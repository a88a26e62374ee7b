//! Sets of floats as a lattice: what joins, meets and widens holds what it must, and no more than
//! a hull does.

mod oracle;

use nanoscope_ieee::Format;
use nanoscope_sets::{CompactFloats, Floats, Grid, Span};
use oracle::{Draw, Sampled};

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
fn compact_floats_are_the_same_lattice() {
    let mut draw = Draw(3);
    for format in [Format::new(3, 3), Format::BINARY64, Format::X87] {
        for _ in 0..300 {
            let grid = Grid::of(format);
            let [a, b] = [0; 2].map(|_| Floats { format, ..Floats::draw(&mut draw, grid, None) });
            let [x, y] = [a, b].map(CompactFloats::from);
            assert_eq!(x.join(&y), a.join(&b).into(), "{a} and {b}");
            assert_eq!(x.meet(&y), a.meet(&b).into(), "{a} and {b}");
            assert_eq!(x.get(), a.settled());
            assert_eq!(x.is_empty(), a.is_empty());
        }
    }
}

#[test]
fn widening_holds_both_and_comes_to_an_end() {
    let format = Format::new(3, 3);
    let grid = Grid::of(format);
    let landmarks = [2, 5, 11, grid.max_finite()];
    let mut draw = Draw(11);
    for _ in 0..1000 {
        let mut wide = Floats::draw(&mut draw, grid, None);
        let mut steps = 0;
        for _ in 0..40 {
            let next = wide.widen(&Floats::draw(&mut draw, grid, None), &landmarks);
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
    let grid = Grid::of(format);
    let (one, infinity) = (grid.one(), grid.infinity());
    let small = Floats::between(format, one, 3 * one / 2);
    let both = small.join(&Floats::between(format, infinity, infinity));
    assert_eq!(both.finite_part(), small);
    assert!(both.to_string().ends_with("] or inf"), "{both}");
}
