//! What the search finds, and within how many evaluations, for every one of several
//! seeds. The subjects are closures; the worker protocol is played as it is.

use nanoscope_ieee::Format;
use nanoscope_search::{Dimension, Search, Space};

/// Points in a batch, and the seeds tried.
const BATCH: usize = 512;
const SEEDS: std::ops::Range<u64> = 0..8;

/// The distance of a goal that an execution does not come to.
const AWAY: u64 = u64::MAX;

/// One or more distances of a point given as words.
type Subject<'a> = &'a dyn Fn(&[u64], &mut [u64]);

/// Searches until every goal is hit; the evaluations that took, or None.
fn run(search: &mut Search, goals: usize, subject: Subject, limit: u64) -> Option<u64> {
    let words = search.space().words();
    let mut points = vec![0; BATCH * words];
    let mut distances = vec![0; goals];
    while search.evaluations() < limit {
        let drawn = search.fill(&mut points);
        // The worker has its own copy, lowered at once; reports come after the batch.
        let mut thresholds = search.thresholds().to_vec();
        let mut reports = Vec::new();
        for (index, point) in points.chunks_exact(words).take(drawn).enumerate() {
            if search.evaluations() < 10_000 {
                assert!(search.space().contains(point), "{point:x?}");
            }
            distances.fill(AWAY);
            subject(point, &mut distances);
            for goal in 0..goals {
                if distances[goal] < thresholds[goal] {
                    thresholds[goal] = distances[goal];
                    reports.push((index, goal, distances[goal]));
                }
            }
        }
        for (index, goal, distance) in reports {
            search.improved(goal, distance, &points[index * words..][..words]);
        }
        if search.open_goals() == 0 {
            return Some(search.evaluations());
        }
    }
    None
}

/// Every seed hits every goal within `limit` evaluations.
fn check(name: &str, space: Vec<Dimension>, goals: usize, limit: u64, subject: Subject) {
    check_knowing(name, space, &[], goals, limit, subject);
}

/// The same with constants of the program.
fn check_knowing(
    name: &str,
    space: Vec<Dimension>,
    constants: &[f64],
    goals: usize,
    limit: u64,
    subject: Subject,
) {
    let took: Vec<Option<u64>> = SEEDS
        .map(|seed| {
            let mut search = Search::new(Space::new(space.clone()), goals, constants, seed);
            run(&mut search, goals, subject, limit)
        })
        .collect();
    println!("{name}: {took:?}");
    assert!(took.iter().all(Option::is_some), "{name}: {took:?} of {limit}");
}

fn double() -> Dimension {
    Dimension::float(Format::BINARY64)
}

fn between(low: f64, high: f64) -> Dimension {
    double().within(low.to_bits().into(), high.to_bits().into()).unwrap()
}

fn float(point: &[u64], index: usize) -> f64 {
    f64::from_bits(point[index])
}

/// A double's position in the order of doubles.
fn order(x: f64) -> u64 {
    let bits = x.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// Doubles between two; NaN is far from everything.
fn ulps(x: f64, y: f64) -> u64 {
    if x.is_nan() || y.is_nan() { AWAY - 1 } else { order(x).abs_diff(order(y)) }
}

/// How far a result is from overflowing.
fn to_overflow(result: f64) -> u64 {
    if result.is_nan() { AWAY } else { ulps(result.abs(), f64::INFINITY) }
}

/// How far a result is from being subnormal, 0 not being so.
fn to_subnormal(result: f64) -> u64 {
    let bits = result.abs().to_bits();
    if bits == 0 { 1 } else { bits.saturating_sub(f64::MIN_POSITIVE.to_bits() - 1) }
}

#[test]
fn a_hidden_constant_by_its_ulp_distance() {
    for hidden in [-4.7182e-93, 123456.789, 2.2250738585072014e-308, -1.7e308] {
        check("constant", vec![double()], 1, 20_000, &|p, d| d[0] = ulps(float(p, 0), hidden));
    }
}

#[test]
fn a_constant_of_the_program_without_any_distance() {
    let subject = |p: &[u64], d: &mut [u64]| d[0] = u64::from(float(p, 0) * 2.0 != 2.0 * 0.7391);
    check_knowing("mined", vec![double(), double()], &[0.7391], 1, 20_000, &subject);
}

#[test]
fn overflow_and_underflow_of_a_square() {
    check("square", vec![double()], 2, 2_000, &|p, d| {
        let square = float(p, 0) * float(p, 0);
        d[0] = to_overflow(square);
        d[1] = if float(p, 0) == 0.0 { 1 } else { to_subnormal(square) };
    });
}

#[test]
fn overflow_deep_in_a_computation() {
    // Only |x| between about 1e102 and 1.3e154 overflows the cube and not the square.
    check("guarded cube", vec![double()], 1, 20_000, &|p, d| {
        let x = float(p, 0);
        if (x * x).is_finite() && x < 0.0 {
            d[0] = to_overflow(x * x * x);
        }
    });
}

#[test]
fn a_sum_with_cancellation() {
    for sum in [0.5, 3.0, 1e17] {
        check("sum", vec![double(), double()], 1, 150_000, &|p, d| {
            let (x, y) = (float(p, 0), float(p, 1));
            d[0] = if x.abs() < 1e10 { AWAY } else { ulps(x + y, sum) };
        });
    }
}

#[test]
fn a_subnormal_difference() {
    check("difference", vec![double(), double()], 1, 100_000, &|p, d| {
        let (x, y) = (float(p, 0), float(p, 1));
        // Operands that are no subnormals themselves.
        if x.is_normal() && y.is_normal() {
            d[0] = if x == y { 1 << 52 } else { to_subnormal(x - y) };
        }
    });
}

#[test]
fn a_needle_at_the_end_of_a_gradient() {
    check("needle", vec![double(); 3], 1, 100_000, &|p, d| {
        let parts = [(0, -7.25e-11), (1, 3.9e150), (2, 0.0123)];
        d[0] = parts.iter().map(|&(i, c)| ulps(float(p, i), c) >> 2).sum::<u64>();
    });
    check("line", vec![between(-1e3, 1e3); 3], 1, 400_000, &|p, d| {
        let (x, y, z) = (float(p, 0), float(p, 1), float(p, 2));
        d[0] = ulps(x * 3.0 + y, 17.25).max(ulps(y - z, 4.5)) >> 8;
    });
}

#[test]
fn a_root_of_a_polynomial() {
    check("cubic", vec![between(-100.0, 100.0)], 1, 50_000, &|p, d| {
        let x = float(p, 0);
        let value = ((x - 3.3) * x + 1.7) * x - 21.0;
        d[0] = ulps(value.abs(), 0.0).saturating_sub(1e-12f64.to_bits());
    });
}

#[test]
fn integers() {
    let space = vec![Dimension::integer(32, true), Dimension::integer(64, false)];
    check("equation", space, 1, 50_000, &|p, d| {
        let (x, y) = (i64::from(p[0] as u32 as i32), p[1]);
        d[0] = x.abs_diff(-1_234_567) + (y.abs_diff(0xdead_beef_0123) >> 1);
    });
    let bytes = vec![Dimension::integer(8, true); 4];
    check("bytes", bytes, 1, 400_000, &|p, d| {
        let [a, b, c, e] = [0, 1, 2, 3].map(|i| i64::from(p[i] as u8 as i8));
        d[0] = if a > b { (a * b + c * e).abs_diff(-15_001) } else { AWAY };
    });
    let wide = vec![Dimension::integer(128, true)];
    check("wide", wide, 1, 50_000, &|p, d| {
        let value = i128::from(p[1] as i64) << 64 | i128::from(p[0]);
        let apart = value.abs_diff(-170_141_183_460_469_231_731_687_303);
        d[0] = u64::try_from(apart).unwrap_or(AWAY - 1 - u64::from(apart.leading_zeros()));
    });
}

#[test]
fn narrow_and_wide_formats() {
    let space = vec![Dimension::float(Format::BINARY32)];
    check("single", space, 1, 20_000, &|p, d| {
        let x = f32::from_bits(p[0] as u32);
        d[0] = ulps(f64::from(x), f64::from(-0.3f32)) >> 29;
    });
    let space = vec![Dimension::float(Format::X87)];
    check("extended", space, 1, 50_000, &|p, d| {
        // 1 + 77 ulps; the exponent counts above the fraction.
        let exponent = p[1].abs_diff(0x3fff);
        d[0] = if exponent > 0 { exponent << 40 | 1 << 63 } else { p[0].abs_diff(77 | 1 << 63) };
    });
}

#[test]
fn goals_that_want_opposite_things() {
    check("opposites", vec![double(), double()], 4, 100_000, &|p, d| {
        let (x, y) = (float(p, 0), float(p, 1));
        d[0] = ulps(x, 1.2345e80);
        d[1] = ulps(x, -9.87e-70);
        d[2] = ulps(x + y, 0.625).max(ulps(x, 31.0));
        d[3] = ulps(y, 1.2345e80).saturating_add(u64::from(x > 0.0) << 40);
    });
}

#[test]
fn behind_a_guard_that_another_goal_passes() {
    check("guard", vec![double(), double()], 2, 100_000, &|p, d| {
        let (x, y) = (float(p, 0), float(p, 1));
        d[0] = ulps(x, 77.125);
        if (77.0..77.25).contains(&x) {
            d[1] = to_overflow(y * x);
        }
    });
}

#[test]
fn a_dead_end_is_left_by_restarts() {
    // A wide basin whose bottom is no hit, and a narrow one that looks worse.
    check("basins", vec![between(0.0, 1.0)], 1, 1_000_000, &|p, d| {
        let x = float(p, 0);
        let deep = (0.4..0.8).contains(&x);
        d[0] = if deep { ulps(x, 0.65) } else { (ulps(x, 0.2) >> 20) + 50 };
    });
    // Steps without slope: only a jump leads from one to the next.
    check("stairs", vec![between(-1e6, 1e6), double()], 1, 400_000, &|p, d| {
        let gap = (float(p, 0) - 4321.77).abs();
        d[0] = if gap < 1e-6 { 0 } else { (gap.log2().ceil() as i64 + 21) as u64 };
    });
}

/// The first goals are hit although the others, by far more, never can be.
fn check_beside(name: &str, space: Vec<Dimension>, limit: u64, subject: Subject) {
    let (hard, vain) = (4, 28);
    let took: Vec<Option<u64>> = SEEDS
        .map(|seed| {
            let mut search = Search::new(Space::new(space.clone()), hard + vain, &[], seed);
            while search.evaluations() < limit && search.open_goals() > vain {
                let all = |point: &[u64], distances: &mut [u64]| {
                    subject(point, &mut distances[..hard]);
                    for (goal, distance) in distances[hard..].iter_mut().enumerate() {
                        *distance = (ulps(float(point, 0), goal as f64 / 10.0) >> goal) + 5;
                    }
                };
                let until = search.evaluations() + 1;
                run(&mut search, hard + vain, &all, until);
            }
            (search.open_goals() == vain).then_some(search.evaluations())
        })
        .collect();
    println!("{name}: {took:?}");
    assert!(took.iter().all(Option::is_some), "{name}: {took:?} of {limit}");
}

#[test]
fn hopeless_goals_do_not_starve_others() {
    check_beside("beside", vec![double(), double()], 200_000, &|p, d| {
        let (x, y) = (float(p, 0), float(p, 1));
        d[0] = ulps(x, -7.7e33);
        d[1] = ulps(y, 0.3 * 0.7);
        d[2] = to_overflow(x * y);
        d[3] = if x > 1e10 { ulps(x + y, 0.5) } else { AWAY };
    });
    check_beside("basins beside", vec![between(0.0, 1.0)], 100_000, &|p, d| {
        let x = float(p, 0);
        let deep = (0.4..0.8).contains(&x);
        d.fill(if deep { ulps(x, 0.65) } else { (ulps(x, 0.2) >> 20) + 50 });
    });
}

#[test]
fn specials_where_admitted() {
    let space = vec![double().with_specials(true); 2];
    check("infinity minus infinity", space, 2, 10_000, &|p, d| {
        let (x, y) = (float(p, 0), float(p, 1));
        d[0] = u64::from(!(x.is_infinite() && y.is_infinite() && (x - y).is_nan()));
        d[1] = u64::from(!(x.is_nan() && y.is_finite()));
    });
}

#[test]
fn among_many_dimensions() {
    check("dot product", vec![between(-1e8, 1e8); 20], 2, 300_000, &|p, d| {
        let sum = (0..10).map(|i| float(p, i) * float(p, i + 10)).sum::<f64>();
        d[0] = ulps(sum, 1e-3) >> 30;
        d[1] = ulps(float(p, 13), 7777.75);
    });
}
