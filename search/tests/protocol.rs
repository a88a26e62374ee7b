//! The promises that callers build on: admitted ranges, repeatability, closing and
//! reopening, refuted points, hints.

use nanoscope_ieee::Format;
use nanoscope_search::{Dimension, EmptyRange, Kind, Search, Space};

/// Every kind of dimension there is.
fn kinds() -> Vec<Dimension> {
    let formats = [
        Format::BINARY16,
        Format::BFLOAT16,
        Format::BINARY32,
        Format::BINARY64,
        Format::X87,
        Format::BINARY128,
        Format::new(3, 5),
        Format::new(2, 2),
    ];
    let widths = [1, 2, 8, 13, 16, 32, 63, 64, 65, 80, 127, 128];
    let integers = widths.into_iter().flat_map(|bits| {
        [false, true].into_iter().map(move |signed| Dimension::integer(bits, signed))
    });
    formats.into_iter().map(Dimension::float).chain(integers).collect()
}

/// Plain random numbers, none of the search's own.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A random range of a dimension; sometimes a single value.
    fn range(&mut self, whole: Dimension) -> Dimension {
        let width = whole.kind().width();
        loop {
            let mut encoding =
                || (u128::from(self.next()) << 64 | u128::from(self.next())) >> (128 - width);
            let (low, high) = (encoding(), encoding());
            let (low, high) = match low % 4 {
                0 => (low, low),
                1 => (low, low.saturating_add(high % 7) & (u128::MAX >> (128 - width))),
                _ => (low, high),
            };
            if let Ok(range) = whole.within(low, high) {
                return range.with_specials(self.next() & 1 == 0);
            }
        }
    }
}

/// Plays a worker whose distances are arbitrary but repeatable, and looks at every point.
fn play(search: &mut Search, goals: usize, batches: usize, mut look: impl FnMut(&[u64])) {
    let words = search.space().words();
    let mut points = vec![0; 96 * words];
    for _ in 0..batches {
        let drawn = search.fill(&mut points);
        assert_eq!(drawn, 96);
        for point in points.chunks_exact(words) {
            look(point);
            let sum = point.iter().fold(1u64, |sum, &word| sum.rotate_left(7).wrapping_add(word));
            for goal in 0..goals {
                let distance = sum.wrapping_mul(2 * goal as u64 + 3) >> goal | 1;
                if distance < search.thresholds()[goal] {
                    search.improved(goal, distance, point);
                }
            }
        }
    }
}

#[test]
fn every_point_is_admitted() {
    let mut numbers = Numbers(0x5eed);
    let kinds = kinds();
    for round in 0..60 {
        // Each kind alone with the whole range and with narrow ones, then mixtures.
        let dimensions: Vec<Dimension> = if round < 2 {
            kinds.clone()
        } else {
            let count = 1 + numbers.next() as usize % 6;
            (0..count)
                .map(|_| {
                    let kind = kinds[numbers.next() as usize % kinds.len()];
                    numbers.range(kind)
                })
                .collect()
        };
        check_admitted(dimensions, numbers.next());
    }
    for kind in kinds {
        check_admitted(vec![kind], 1);
        check_admitted(vec![kind.with_specials(true)], 2);
        for _ in 0..6 {
            check_admitted(vec![numbers.range(kind)], 3);
        }
    }
}

fn check_admitted(dimensions: Vec<Dimension>, seed: u64) {
    let space = Space::new(dimensions);
    let constants = [0.5, -3.0, 1e300, 7.25e-12, f64::NAN, f64::INFINITY];
    let mut search = Search::new(space.clone(), 3, &constants, seed);
    search.hint(&vec![u64::MAX; space.words()]);
    search.hint(&vec![0; space.words()]);
    play(&mut search, 3, 60, |point| {
        assert!(space.contains(point), "{point:x?} {:?}", space.dimensions());
    });
}

#[test]
fn specials_come_only_where_admitted() {
    let double = Dimension::float(Format::BINARY64);
    for (specials, expected) in [(false, false), (true, true)] {
        let space = Space::new(vec![double.with_specials(specials)]);
        let (mut infinite, mut nan) = (false, false);
        play(&mut Search::new(space, 1, &[], 9), 1, 40, |point| {
            infinite |= f64::from_bits(point[0]).is_infinite();
            nan |= f64::from_bits(point[0]).is_nan();
        });
        assert_eq!((infinite, nan), (expected, expected));
    }
    assert!(!Dimension::integer(8, true).with_specials(true).specials());
}

#[test]
fn ranges_are_taken_literally() {
    let double = Dimension::float(Format::BINARY64);
    let bits = |x: f64| u128::from(x.to_bits());
    assert_eq!(double.within(bits(1.0), bits(0.5)), Err(EmptyRange));
    assert_eq!(double.within(bits(f64::NAN), bits(0.5)), Err(EmptyRange));
    assert_eq!(double.within(bits(0.5), bits(f64::NAN)), Err(EmptyRange));
    assert_eq!(double.within(bits(f64::NEG_INFINITY), bits(f64::INFINITY)), Ok(double));
    let positive = double.within(bits(0.0), bits(2.0)).unwrap();
    assert!(positive.admits(bits(0.0)) && !positive.admits(bits(-0.0)));
    assert!(!positive.admits(bits(f64::INFINITY)));
    assert!(positive.with_specials(true).admits(bits(f64::NAN)));
    let byte = Dimension::integer(8, true).within(0xf0, 0x10).unwrap();
    assert!(byte.admits(0xff) && byte.admits(0) && !byte.admits(0x80) && !byte.admits(0x1ff));
    // An x87 number without its integer bit is none.
    let extended = Dimension::float(Format::X87);
    assert!(extended.admits(0x3fff_8000_0000_0000_0000));
    assert!(!extended.admits(0x3fff_0000_0000_0000_0000));
    assert_eq!(Kind::Float(Format::X87).width(), 80);
}

#[test]
fn the_same_seed_draws_the_same_points() {
    let space = Space::new(kinds());
    let run = |seed: u64, batches: usize| {
        let mut drawn = Vec::new();
        let mut search = Search::new(space.clone(), 5, &[1.5, 2e9], seed);
        play(&mut search, 5, batches, |point| drawn.extend_from_slice(point));
        assert_eq!(search.evaluations(), 96 * batches as u64);
        drawn
    };
    assert_eq!(run(4, 100), run(4, 100));
    assert_ne!(run(4, 10), run(5, 10));
}

fn one_double(goals: usize) -> Search {
    Search::new(Space::new(vec![Dimension::float(Format::BINARY64)]), goals, &[], 3)
}

#[test]
fn closed_goals_are_left_alone() {
    let mut search = one_double(2);
    assert_eq!((search.open_goals(), search.best(0)), (2, None));
    assert!(one_double(1).suggested_batch() < one_double(40).suggested_batch());
    assert!(search.improved(0, 40, &[7]));
    assert!(!search.improved(0, 40, &[8]), "not nearer");
    search.close(0);
    assert!(!search.improved(0, 1, &[9]) && search.thresholds()[0] == 0);
    assert_eq!((search.best(0), search.is_open(0)), (Some((40, &[7][..])), false));
    search.reopen(0);
    assert_eq!((search.thresholds()[0], search.open_goals()), (40, 2));
    assert!(search.improved(0, 0, &[11]));
    assert_eq!((search.thresholds()[0], search.open_goals()), (0, 1));
    search.reopen(0);
    assert_eq!((search.best(0), search.is_open(0)), (None, true));
    assert!(search.thresholds()[0] > 0);
}

#[test]
fn refuted_points_do_not_come_back() {
    // Whatever is at least 1e300 seems to overflow, but only from 1e305 on it does.
    let mut search = one_double(1);
    let mut refuted: Vec<u64> = Vec::new();
    let mut points = vec![0; 256];
    'found: loop {
        assert!(search.evaluations() < 50_000, "{refuted:x?}");
        search.fill(&mut points);
        for &word in &points {
            assert!(!refuted.contains(&word));
            let x = f64::from_bits(word);
            let distance = 1e300f64.to_bits().saturating_sub(x.abs().to_bits());
            if distance < search.thresholds()[0] {
                assert!(search.improved(0, distance, &[word]));
                if distance == 0 && x.abs() >= 1e305 {
                    break 'found;
                }
                if distance == 0 {
                    refuted.push(word);
                    search.ban(0, &[word]);
                    assert!(search.is_open(0) && search.best(0).is_none());
                    assert!(!search.improved(0, 0, &[word]));
                    break;
                }
            }
        }
    }
    assert_eq!(search.best(0).unwrap().0, 0);
    assert_eq!(search.refutations(0) as usize, refuted.len());
}

#[test]
fn banning_every_point_of_a_tiny_space_does_not_hang() {
    let mut search = Search::new(Space::new(vec![Dimension::integer(1, false)]), 1, &[], 1);
    for point in [0, 1] {
        search.improved(0, 0, &[point]);
        search.ban(0, &[point]);
    }
    assert_eq!(search.fill(&mut [0; 100]), 100);
}

#[test]
fn hints_come_first_and_are_admitted() {
    let one = u128::from(1f64.to_bits());
    let range = Dimension::float(Format::BINARY64).within(0, one).unwrap();
    let mut search = Search::new(Space::new(vec![range; 2]), 1, &[], 1);
    search.hint(&[0.3f64.to_bits(), 5f64.to_bits()]);
    let mut points = [0; 800];
    search.fill(&mut points);
    assert_eq!(points[..2], [0.3f64.to_bits(), 1f64.to_bits()]);
    // Mutations keep one of the coordinates more often than not.
    let near = points.chunks_exact(2).filter(|point| point[0] == 0.3f64.to_bits()).count();
    assert!(near > 20, "{near}");
}

#[test]
fn a_hopeless_search_stalls_and_a_hopeful_one_does_not() {
    let mut search = one_double(1);
    let mut points = vec![0; 512];
    assert!(!search.stalled());
    while !search.stalled() {
        assert!(search.evaluations() < 300_000);
        search.fill(&mut points);
        search.improved(0, 5, &points[..1]);
    }
    assert!(search.stalled_at(0) && search.idle() > 1_000);
    assert!(search.improved(0, 3, &[1]), "still open");
    assert!(!search.stalled() && search.idle() == 0);
    search.close(0);
    assert!(search.stalled());
}

#[test]
fn nothing_to_search() {
    let mut search = Search::new(Space::new(Vec::new()), 2, &[1.0], 1);
    assert_eq!(search.fill(&mut [0; 8]), 0);
    assert!(search.improved(0, 0, &[]));
    let mut search = Search::new(Space::new(vec![Dimension::integer(8, true)]), 0, &[], 1);
    assert_eq!(search.fill(&mut [0; 8]), 8);
    assert!(search.stalled());
}

#[test]
fn goals_that_wait_get_few_turns_and_all_once_they_are_alone() {
    // Each goal is to bring its own coordinate to a number that nobody knows.
    let evaluations_until = |deferred: bool| {
        let space = Space::new(vec![Dimension::float(Format::BINARY64); 2]);
        let mut search = Search::new(space, 2, &[], 5);
        if deferred {
            search.defer(0);
        }
        let target = [1.234_567_89e45f64.to_bits(), 9.876_543_21e-67f64.to_bits()];
        let mut hit = [None, None];
        let mut points = vec![0u64; 2 * 256];
        for _ in 0..4000 {
            let drawn = search.fill(&mut points);
            for point in points[..2 * drawn].chunks_exact(2) {
                for goal in 0..2 {
                    let distance = point[goal].abs_diff(target[goal]);
                    if distance < search.thresholds()[goal] {
                        search.improved(goal, distance, point);
                    }
                }
            }
            for (hit, threshold) in hit.iter_mut().zip(search.thresholds()) {
                if *threshold == 0 {
                    hit.get_or_insert(search.evaluations());
                }
            }
        }
        hit.map(|hit| hit.expect("every goal is hit in the end"))
    };
    let (plain, deferred) = (evaluations_until(false), evaluations_until(true));
    assert!(deferred[0] > plain[0] && deferred[0] > deferred[1], "{plain:?} {deferred:?}");
}
