//! Small kernels whose largest error is known from other arguments.

use nanoscope_errors::fpcore::{Lowering, lower, parse};
use nanoscope_errors::{FpcoreOptions, InputError, Open, Options, analyse_fpcore, prove};
use nanoscope_search::Budget;

/// The proved absolute and relative bound of an FPCore.
fn bound(text: &str, error: InputError) -> (f64, Option<f64>, Option<Open>) {
    let core = parse(text).unwrap().remove(0);
    let options = Lowering { input_error: error, ..Lowering::default() };
    let lowered = lower(&core, &options).unwrap();
    let bound =
        prove(&lowered.graph, &lowered.pieces, &Options::default(), &Budget::unlimited()).remove(0);
    (bound.absolute, bound.relative, bound.open)
}

/// Checks the bound where the sides of branches are joined.
fn check_joined(text: &str, least: f64, most: f64) {
    let core = parse(text).unwrap().remove(0);
    let lowered = lower(&core, &Lowering { joined: true, ..Lowering::default() }).unwrap();
    let options = Options { boxes: 3_000, relative: false, ..Options::default() };
    let bound = prove(&lowered.graph, &lowered.pieces, &options, &Budget::unlimited()).remove(0);
    assert!((least..=most).contains(&bound.absolute), "{text}: {:e}", bound.absolute);
}

fn check(text: &str, error: InputError, least: f64, most: f64) {
    let (absolute, _, open) = bound(text, error);
    assert!((least..=most).contains(&absolute), "{text}: {absolute:e} {open:?}");
}

const U: f64 = f64::EPSILON / 2.0;

#[test]
fn one_rounding_is_half_an_ulp() {
    let sum = "(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2)) (+ x y))";
    check(sum, InputError::None, 2.0 * U, 2.0 * U);
    check(sum, InputError::HalfUlp, 4.0 * U, 4.0 * U);
    check(
        "(FPCore (x y) :pre (and (<= -1 x 1) (<= -1 y 1)) (* x y))",
        InputError::None,
        U / 2.0,
        U / 2.0,
    );
}

#[test]
fn exact_operations_cost_nothing() {
    check("(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2)) (- x y))", InputError::None, 0.0, 0.0);
    check("(FPCore (x) :pre (<= 1 x 1000) (* 0.25 (* 2 x)))", InputError::None, 0.0, 0.0);
    check("(FPCore (x) :pre (<= 1 x 1000) (+ x x))", InputError::None, 0.0, 0.0);
    check(
        "(FPCore (x) :precision binary32 :pre (<= -9 x 9) (! :precision binary64 (* x x)))",
        InputError::None,
        0.0,
        0.0,
    );
}

#[test]
fn a_wider_operand_is_rounded_by_a_power_of_two_too() {
    let narrowed = "(FPCore (x) :pre (<= 1 x 2) (! :precision binary32 (* 2 x)))";
    check(narrowed, InputError::None, 1.1e-7, 1.2e-7);
    let divided = "(FPCore (x) :pre (<= 1 x 2) (! :precision binary32 (/ x 2)))";
    check(divided, InputError::None, 2.9e-8, 3e-8);
}

#[test]
fn constants_have_their_own_error() {
    // 0.1 is rounded up by 5.55e-18; the product is rounded by half an ulp of at most 0.2.
    let scaled = "(FPCore (x) :pre (<= 1 x 2) (* 0.1 x))";
    check(scaled, InputError::None, 1.3e-17 + 1.1e-17, 2.6e-17);
}

#[test]
fn what_may_fail_has_no_bound() {
    let (absolute, _, open) = bound("(FPCore (x) :pre (<= -1 x 1) (/ 1 x))", InputError::None);
    assert_eq!(absolute, f64::INFINITY);
    assert!(matches!(open, Some(Open::Divisor(_))));
    let (_, _, open) = bound("(FPCore (x) :pre (<= 1 x) (* x x))", InputError::None);
    assert_eq!(open, Some(Open::UnboundedInput("x".into())));
    let (_, _, open) = bound("(FPCore (x) :pre (<= 1 x 1e200) (* x x))", InputError::None);
    assert!(matches!(open, Some(Open::Overflow(_))));
    let (_, _, open) = bound(
        "(FPCore (x) :precision binary32 :pre (<= 1 x 2) (* x (sqrt 1e60)))",
        InputError::None,
    );
    assert!(matches!(open, Some(Open::Overflow(_))));
}

#[test]
fn relative_errors_of_products_hold_across_zero() {
    let (_, relative, _) =
        bound("(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 1)) (* x y))", InputError::HalfUlp);
    // Three roundings, and as much again against the smallest normal.
    assert!(relative.unwrap() < 9.1 * U, "{relative:?}");
}

#[test]
fn a_branch_that_may_part_counts_its_jump() {
    let step = "(FPCore (x) :pre (<= 0 x 10) (if (< (* x 0.1) 0.5) 1 2))";
    check(step, InputError::None, 1.0, 1.0);
    // Continuous at the seam: no jump.
    let seam = "(FPCore (x) :pre (<= 1 x 10) (if (< (/ x 3) 1) (/ x 3) (* (/ x 3) (/ x 3))))";
    let (absolute, _, _) = bound(seam, InputError::None);
    assert!(absolute < 3e-15, "{absolute:e}");
}

#[test]
fn loops_with_known_counts_are_unrolled() {
    let sum = "(FPCore (x) :pre (<= 1 x 2) (while (< i 10) ([s 0 (+ s x)] [i 0 (+ i 1)]) s))";
    let (absolute, _, _) = bound(sum, InputError::None);
    assert!(absolute > 8e-16 && absolute < 1.2e-14, "{absolute:e}");
}

#[test]
fn errors_say_where() {
    for (text, line, column) in [
        ("(FPCore (x)\n  (+ x 1)", 1, 1),
        ("(FPCore (x)\n  (+ x 1]))", 2, 9),
        ("(FPCore (x) (let ([y]) x))", 1, 19),
        ("(FPCore (x) 12z)", 1, 13),
        ("(FPCore x)", 1, 1),
        ("(FPCore (x) x y)", 1, 15),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!((error.place.line, error.place.column), (line, column), "{text}: {error}");
    }
}

/// The bound of an FPCore by all means, loops without an end included.
fn analysed(text: &str) -> f64 {
    let entries = analyse_fpcore(text, &FpcoreOptions::default(), &Budget::unlimited()).unwrap();
    entries[0].proved.as_ref().map_or(f64::INFINITY, |bound| bound.absolute)
}

#[test]
fn stable_recurrences_have_bounds_for_ever() {
    // First order: errors of at most half an ulp die out by a tenth each trip.
    let smooth = "(FPCore (u) :pre (<= -1 u 1)
        (while TRUE ([y 0 (+ (* 0.9 y) (* 0.1 u))]) y))";
    let first = analysed(smooth);
    assert!(first > 1e-16 && first < 3e-15, "{first:e}");
    // Second order, with states that swing: only several trips at once shrink.
    let swing = "(FPCore (u) :pre (<= -1 u 1)
        (while TRUE ([y 0 (+ (- (* 1.5 y) (* 0.7 z)) u)] [z 0 y]) y))";
    let second = analysed(swing);
    assert!(second > 1e-16 && second < 1e-12, "{second:e}");
    // An integrator is not stable.
    assert_eq!(
        analysed("(FPCore (u) :pre (<= 0 u 1) (while TRUE ([y 0 (+ y u)]) y))"),
        f64::INFINITY
    );
}

/// Branches whose sides meet, in a loop too: more ways through them than are told apart.
#[test]
fn sides_that_meet_are_joined() {
    let options = FpcoreOptions::default();
    let proved = |text: &str| {
        let entry = analyse_fpcore(text, &options, &Budget::unlimited()).unwrap().remove(0);
        entry.proved.unwrap_or_else(|| panic!("{text}: {:?}", entry.open)).absolute
    };
    let clamp = "(FPCore (x y) :pre (and (<= -50 x 50) (<= 0.5 y 2))
        (let ((u (* x y))) (if (> u 10) 10 (if (< u -10) -10 u))))";
    let bound = proved(clamp);
    assert!((8.8e-16..1e-15).contains(&bound), "{bound:e}");
    let grown = "(FPCore (x z) :pre (and (<= 0.1 x 1) (<= 0 z 1))
        (while (< i 12) ((i 0 (+ i 1)) (y x (if (> (* y 1.3) (+ z 1)) (+ z 1) (* y 1.3)))) y))";
    let bound = proved(grown);
    assert!(bound > 1e-16 && bound < 1e-14, "{bound:e}");
    let jump = "(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 1)) (if (< (* x y) 0.5) 1 0.25))";
    assert!(proved(jump) >= 0.75);
}

#[test]
fn differences_with_roots_have_relative_bounds() {
    let relative = |text: &str| bound(text, InputError::None).1.unwrap_or(f64::INFINITY);
    let root = "(FPCore (a b c) :pre (and (<= 1 a 10) (<= 100 b 1e6) (<= 1 c 10))
        (/ (+ (- b) (sqrt (- (* b b) (* (* 4 a) c)))) (* 2 a)))";
    let found = relative(root);
    assert!((1e-5..1e-3).contains(&found), "{found:e}");
    let roots = relative("(FPCore (x) :pre (<= 1 x 1e4) (- (sqrt (+ x 1)) (sqrt x)))");
    assert!((1e-13..1e-11).contains(&roots), "{roots:e}");
}

#[test]
fn relative_errors_hold_towards_zero() {
    let text = "(FPCore (e) :pre (<= -10 e 10) (+ (* 3 e) (* (* 0.1 e) e)))";
    let (_, relative, _) = bound(text, InputError::None);
    assert!(relative.is_some_and(|relative| relative < 1e-15), "{relative:?}");
}

#[test]
fn compensated_sums_have_relative_bounds() {
    // Kahan's sum of three numbers, and Kahan's sum of numbers of both signs.
    let kahan = |low: &str| {
        format!(
            "(FPCore (x y z) :pre (and (<= {low} x 1) (<= {low} y 1) (<= {low} z 1))
            (let* ([s (+ x y)] [c (- (- s x) y)] [w (- z c)]) (+ s w)))"
        )
    };
    let (_, relative, _) = bound(&kahan("0"), InputError::None);
    assert!(relative.is_some_and(|relative| relative < 1e-14), "{relative:?}");
    let (_, relative, _) = bound(&kahan("-1"), InputError::None);
    assert!(relative.is_none_or(|relative| relative > 1.0), "{relative:?}");
}

#[test]
fn guards_that_rounding_decides_cost_what_they_jump() {
    // The root of a discriminant that may be 0: the computations part where it is about 0.
    let root = "(FPCore (a b c) :pre (and (<= 1 a 10) (<= 1 b 10) (<= 1 c 10))
        (let ([d (- (* b b) (* (* 4 a) c))]) (if (< d 0) 0 (sqrt d))))";
    check_joined(root, 1e-8, 1e-5);
    let inverse = "(FPCore (x y) :pre (and (<= -2 x 2) (<= -2 y 2))
        (let ([d (* x y)]) (if (< d 0.5) 2 (/ 1 d))))";
    check_joined(inverse, 1e-16, 1e-14);
    let angle =
        "(FPCore (x y) :pre (and (<= -2 x 2) (<= -2 y 2)) (acos (fmin 1 (fmax -1 (* x y)))))";
    check_joined(angle, 1e-8, 1e-6);
}

#[test]
fn the_lesser_over_the_greater_is_at_most_one() {
    // The length of a vector, scaled by its larger component.
    let length = "(FPCore (x y) :pre (and (<= -100 x 100) (<= -100 y 100))
        (let* ([p (fabs x)] [q (fabs y)] [a (if (< p q) q p)] [b (if (< p q) p q)])
          (if (== a 0) 0 (let ([r (/ b a)]) (* a (sqrt (+ 1 (* r r))))))))";
    check_joined(length, 3e-14, 1e-12);
}

#[test]
fn assumptions_make_differences_exact() {
    // Kahan's area of a triangle, however flat it is.
    let area = "(FPCore (a b c) :pre (and (<= 1 a 10) (<= 1 b 10) (<= 1 c 10)
          (>= a b) (>= b c) (< a (+ b c)))
        (/ (sqrt (* (* (* (+ a (+ b c)) (- c (- a b))) (+ c (- a b))) (+ a (- b c)))) 4))";
    let (absolute, relative, open) = bound(area, InputError::None);
    assert!(
        absolute < 1e-13 && relative.is_some_and(|bound| bound < 1e-15),
        "{absolute:e} {relative:?} {open:?}"
    );
    // Without the order of b and c, a may be more than twice b.
    let flat = area.replace("(>= b c)", "");
    assert_eq!(bound(&flat, InputError::None).0, f64::INFINITY);
}

#[test]
fn ways_that_exact_comparisons_part_are_looked_at_one_by_one() {
    // The largest share of a softmax of six numbers, whichever is the largest: 32 ways.
    let names = ["a", "b", "c", "d", "e", "f"];
    let mut largest = "a".to_owned();
    let mut bindings = String::new();
    for (at, name) in names.iter().enumerate().skip(1) {
        bindings += &format!("[m{at} (if (> {name} {largest}) {name} {largest})] ");
        largest = format!("m{at}");
    }
    let ranges: String = names.iter().map(|name| format!("(<= -10 {name} 10) ")).collect();
    let terms: Vec<String> =
        names.iter().map(|name| format!("(exp (- {name} {largest}))")).collect();
    let sum = terms.iter().skip(1).fold(terms[0].clone(), |sum, term| format!("(+ {sum} {term})"));
    let text = format!(
        "(FPCore ({}) :pre (and {ranges}) (let* ({bindings}) (/ {} {sum})))",
        names.join(" "),
        terms[0]
    );
    let core = parse(&text).unwrap().remove(0);
    let lowered = lower(&core, &Lowering::default()).unwrap();
    let options = Options { boxes: 20, relative: false, ..Options::default() };
    let bound = prove(&lowered.graph, &lowered.pieces, &options, &Budget::unlimited()).remove(0);
    assert!(bound.absolute < 1e-13, "{:e} with {} ways", bound.absolute, lowered.pieces.len());
}

/// Ranges come through chains and from both sides of an `or`.
#[test]
fn preconditions_of_many_shapes_bound_arguments() {
    let chain = "(FPCore (x y) :pre (and (<= 1 x y) (<= y 2)) (+ x y))";
    check(chain, InputError::None, 2.0 * U, 2.0 * U);
    let either = "(FPCore (x) :pre (or (<= 1 x 1.5) (<= 3 x 4)) (/ 1 (- x 2.25)))";
    check(either, InputError::None, U / 2.0, 8.0 * U);
}

/// Names that mean nothing are told with their places.
#[test]
fn unknown_names_are_mistakes() {
    for (text, place) in [
        ("(FPCore (x)\n  (+ x y))", (2, 8)),
        ("(FPCore (x) (frob x))", (1, 13)),
        ("(FPCore (x) (let ([a 1] [b a]) (+ a b)))", (1, 28)),
    ] {
        let place_of = parse(text).map_err(|error| (error.place.line, error.place.column));
        assert_eq!(place_of.map(|_| ()), Err(place), "{text}");
    }
    let bound = "(FPCore (x) (let* ([a 1] [b a]) (while (< b 3) ([b b (+ b a)]) (* b PI))))";
    assert!(parse(bound).is_ok());
}
