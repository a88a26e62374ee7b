//! What the search for large errors shows.

use nanoscope_errors::{Entry, FpcoreOptions, InputError, analyse_fpcore};
use nanoscope_ieee::Rational;
use nanoscope_search::Budget;

fn analysed(text: &str, error: InputError, points: usize) -> Entry {
    let mut options = FpcoreOptions::default();
    options.lowering.input_error = error;
    options.showing.points = points;
    options.time = std::time::Duration::from_secs(600);
    analyse_fpcore(text, &options, &Budget::unlimited()).unwrap().remove(0)
}

/// Shown errors come near the bound, and never above.
fn check_near(text: &str, error: InputError, least: f64) {
    let entry = analysed(text, error, 300_000);
    let shown = entry.shown.absolute.as_ref().map_or(0.0, |shown| shown.absolute);
    let proved = entry.proved.as_ref().map_or(f64::INFINITY, |bound| bound.absolute);
    assert!(shown <= proved, "{text}: {shown:e} above {proved:e}");
    assert!(shown >= least * proved, "{text}: {shown:e} of {proved:e}");
}

/// Himmelblau's function: the roundings of a dozen operations must go the same way.
#[test]
fn many_roundings_go_the_same_way() {
    let text = "(FPCore (x y) :pre (and (<= -5 x 5) (<= -5 y 5))
        (let ((a (- (+ (* x x) y) 11)) (b (- (+ x (* y y)) 7))) (+ (* a a) (* b b))))";
    check_near(text, InputError::None, 0.9);
    check_near(text, InputError::HalfUlp, 0.95);
}

/// The error is large only where `a + b` is hardly more than `c`: coordinates move together.
#[test]
fn errors_at_the_edge_of_a_precondition() {
    let text = "(FPCore (a b c)
        :pre (and (<= 1 a 9) (<= 1 b 9) (<= 1 c 9) (> (+ a b) (+ c 0.000001)) (< a c) (< b c))
        (let ((s (/ (+ (+ a b) c) 2)))
            (sqrt (* (* (* s (- s a)) (- s b)) (- s c)))))";
    check_near(text, InputError::HalfUlp, 0.65);
}

/// Functions of the library are looked at where they could matter.
#[test]
fn errors_of_library_functions_add_up() {
    let text = "(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2)) (* (exp x) (log (+ x (exp y)))))";
    check_near(text, InputError::None, 0.85);
}

/// A real number inside the range may round to its end, where the float result is infinite.
#[test]
fn a_number_that_rounds_to_the_end_of_its_range() {
    let text = "(FPCore (e) :pre (< -1 e 1) (log (/ (- 1 e) (+ 1 e))))";
    let entry = analysed(text, InputError::HalfUlp, 100_000);
    let shown = entry.shown.absolute.unwrap();
    assert_eq!(shown.absolute, f64::INFINITY);
    let one = Rational::from_integer(1.into());
    assert!(shown.inputs[0].real > -&one && shown.inputs[0].real < one, "{:?}", shown.inputs);
    assert_eq!(entry.proved.unwrap().absolute, f64::INFINITY);
    assert!(analysed(text, InputError::None, 100_000).proved.unwrap().absolute < 1e-14);
}

/// An overflow where the exact result is a number.
#[test]
fn an_overflow_is_shown() {
    let text = "(FPCore (a b) :pre (and (<= 1e-320 a 1) (<= 1 b 2)) (/ b a))";
    let entry = analysed(text, InputError::None, 100_000);
    assert_eq!(entry.shown.absolute.unwrap().absolute, f64::INFINITY);
}

/// The real inputs of a witness lie in the ranges that were given, to the last digit.
#[test]
fn real_inputs_stay_in_their_ranges() {
    let text = "(FPCore (x y) :pre (and (<= 0.1 x 0.3) (<= 0.7 y 0.9)) (- (* x y) (/ x y)))";
    let entry = analysed(text, InputError::HalfUlp, 20_000);
    let tenths = |n: i64| Rational::new(n.into(), 10.into());
    for shown in [entry.shown.absolute, entry.shown.relative].into_iter().flatten() {
        for (input, (low, high)) in shown.inputs.iter().zip([(1, 3), (7, 9)]) {
            assert!(tenths(low) <= input.real && input.real <= tenths(high), "{input:?}");
        }
    }
}

/// An infinity on the way, and a function in another format than its operand's, are no reason to
/// claim that no number is computed.
#[test]
fn infinities_on_the_way_are_no_errors() {
    for text in [
        "(FPCore (x) :pre (<= 0 x 1000) (/ 1 (+ 1 (exp x))))",
        "(FPCore (x) :pre (<= -1 x 1) (cast (! :precision binary32 (sin x))))",
        "(FPCore (x) :pre (or (<= 1 x 2) (<= 3 x 4)) (/ 1 (- x 2.5)))",
    ] {
        let shown = analysed(text, InputError::None, 50_000).shown;
        assert!(shown.absolute.is_none_or(|shown| shown.absolute < 1e-6), "{text}");
    }
}

fn shown(text: &str) -> (f64, f64) {
    let shown = analysed(text, InputError::None, 1_000_000).shown;
    let absolute = shown.absolute.map_or(0.0, |shown| shown.absolute);
    (absolute, shown.relative.map_or(0.0, |shown| shown.relative))
}

/// The exact argument of the root is 0.
#[test]
fn operands_leave_domains_by_rounding() {
    let root = "(FPCore (a b) :pre (and (<= 1 a 2) (<= 1 b 2)) (sqrt (- (- (+ a b) a) b)))";
    assert_eq!(shown(root).0, f64::INFINITY);
}

/// fixme: between antipodes the sine of half the angle may be computed above 1, at one point in ten
/// thousand there.
#[test]
fn a_great_circle_is_not_lost_yet() {
    let great_circle = "(FPCore (p l q m)
        :pre (and (<= -90 p 90) (<= -90 q 90) (<= -180 l 180) (<= -180 m 180))
        (let* ((d 0.017453292519943295) (s (sin (/ (* (- q p) d) 2))) (t (sin (/ (* (- m l) d) 2))))
            (* 12742 (asin (sqrt (+ (* s s) (* (* (* (cos (* p d)) (cos (* q d))) t) t)))))))";
    let absolute = shown(great_circle).0;
    assert!(1e-5 < absolute && absolute.is_finite(), "{absolute:e}");
}

/// No rounding takes these out of their domains.
#[test]
fn operands_that_stay_in_domains() {
    for text in [
        "(FPCore (x y) :pre (and (<= -9 x 9) (<= -9 y 9)) (sqrt (+ (* x x) (* y y))))",
        "(FPCore (x) :pre (<= -1 x 1) (asin (* 0.5 x)))",
        "(FPCore (x) :pre (<= 0 x 1) (/ 1 (- 1 x)))",
    ] {
        let (absolute, _) = shown(text);
        assert!(absolute.is_finite(), "{text}: {absolute:e}");
    }
}

/// A quotient that is rounded to a whole number where the exact one is just below it.
#[test]
fn steps_are_climbed() {
    let wrapped = "(FPCore (a) :pre (<= -100 a 100)
        (- a (* 6.283185307179586 (floor (/ a 6.283185307179586)))))";
    assert!(shown(wrapped).0 > 6.0);
}

/// Squares underflow where their root would not.
#[test]
fn all_inputs_are_small() {
    let norm = "(FPCore (x y z) :pre (and (<= -100 x 100) (<= -100 y 100) (<= -100 z 100))
        (sqrt (+ (+ (* x x) (* y y)) (* z z))))";
    assert!(shown(norm).1 > 0.9);
}
