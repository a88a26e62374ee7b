//! Numbers and their parts: integers, and what is left of others when an integer is taken away.

mod attack;
mod sources;

use attack::{impossible, load};
use sources::{check, expect, source};

#[test]
fn what_is_left_of_a_number() {
    let text = "\
#include <math.h>
double fraction(double x) { return 1.0 / (x - floor(x) + 0.5); }
double nearest(double x) { return 1.0 / (x - floor(x + 0.5) + 2.25); }
double cut(double x) {
    if (!(fabs(x) < 1e9)) return 0.0;
    int n = -(int)(x - 0.5);
    return 1.0 / (x + n + 4.0);
}
double either_way(double x) {
    double n = x < 0.0 ? ceil(x - 0.5) : floor(x + 0.5);
    return 1.0 / (x - n + 2.5);
}
double other(double x, double y) { return 1.0 / (x - floor(y) + 0.5); }
";
    expect(
        "left.c",
        text,
        &[],
        &[
            ("fraction", &["2 fsub overflow", "2 fdiv divide-by-zero", "2 fdiv overflow"]),
            ("nearest", &["3 fsub overflow", "3 fdiv divide-by-zero", "3 fdiv overflow"]),
            ("cut", &["7 fdiv divide-by-zero", "7 fdiv overflow"]),
            ("either_way", &["11 fdiv divide-by-zero", "11 fdiv overflow"]),
            ("other", &[]),
        ],
    );
}

#[test]
fn a_whole_part_of_what_a_number_was() {
    let text = "\
#include <math.h>
double stale(double x) {
    double y = floor(x), sum = 0.0;
    for (int i = 0; i < 3; i++) {
        sum += 1.0 / (x - y - 1.5);
        y = floor(x);
        x = x + 1.0;
    }
    return sum;
}
";
    let subject = load(&source("stale.c", text), &[], &["stale"], &[("x", "0", "4")]);
    let (findings, _) = check(&subject, &subject.targets[0], 400);
    let found = impossible(&subject, &subject.targets[0], &findings);
    assert!(!found.contains(&"5 fdiv divide-by-zero".to_owned()), "0.5 divides by zero: {found:?}");
}

#[test]
fn integers_stay_integers_as_floats() {
    let text = "\
#include <math.h>
static double general(double a, double x) {
    double rounded = floor(a + 0.5);
    if (fabs(a - rounded) < 1e-10) return x;
    return 1.0 / (x - a);
}
static double exact(double a) {
    return a == floor(a) ? a : 1.0 / (a - 0.5);
}
double whole(int n, double x) {
    return general(n, x) + exact(2.0 * n + 1.0);
}
double apart(int n, int m) {
    double a = n, b = m;
    for (double i = 1.0; i < 50.0; i += 1.0) a += i;
    if (a == b) return 0.0;
    return 1e300 / (a - b);
}
double any(double n, double x) {
    return general(n, x) + exact(2.0 * n + 1.0);
}
";
    let file = source("whole.c", text);
    let subject = load(&file, &[], &["whole", "apart", "any"], &[("x", "-1e9", "1e9")]);
    let goals = ["5 fdiv divide-by-zero", "8 fdiv divide-by-zero"];
    for (target, excluded) in subject.targets.iter().zip([true, true, false]) {
        let (findings, _) = check(&subject, target, 400);
        let found = impossible(&subject, target, &findings);
        let among = |goal: &str| found.iter().any(|f| f == goal);
        if target.function == "apart" {
            assert!(among("17 fdiv overflow") && among("17 fsub underflow"), "{found:?}");
        } else {
            assert!(goals.iter().all(|goal| among(goal) == excluded), "{found:?}");
        }
    }
}

#[test]
fn whole_numbers_and_what_callers_know() {
    let text = "\
#include <math.h>
double between(double a, double b) {
    if (!(a >= 1.0 && a <= 100.0 && b >= 1.0 && b <= 100.0)) return 0.0;
    double apart = a - b, further = apart - 0.5;
    if (further == 0.0) return 0.0;
    return 1.0 / further;
}
double reciprocal_gamma(double x) {
    if (x <= 0.0 && x == floor(x)) return 0.0;
    return 1e300 * x;
}
static __attribute__((noinline)) double inner(double a, double b) {
    return reciprocal_gamma(1.0 + a - b) * 1e300;
}
double outer(double a, double b) {
    if (1.0 + a - b < 0.0 && 1.0 + a - b == floor(1.0 + a - b)) return inner(a, b);
    return 0.0;
}
static __attribute__((noinline)) double times(double a, double x) {
    return exp(a * x) + a * x;
}
double tested(double a, double x) {
    if (fabs(x * a) < 1.0) return times(a, x);
    return 0.0;
}
double stale(double a, int n) {
    double sum = 0.0, seen = 1.0;
    for (int i = 0; i < n && i < 20; i++) {
        if (i == 3 && fabs(a * a) < 1.0) seen = a * a;
        sum += times(a, a) + seen;
        a = a * 1e40;
    }
    return sum;
}
";
    expect(
        "callers.c",
        text,
        &[],
        &[
            ("between", &["6 fdiv overflow", "6 fdiv divide-by-zero", "4 fsub underflow"]),
            (
                "outer",
                &["13 fmul overflow", "13 fmul underflow", "13 fmul invalid", "10 fmul overflow"],
            ),
            ("tested", &["20 fmul overflow", "20 exp overflow", "20 fadd overflow"]),
            ("stale", &[]),
        ],
    );
}

#[test]
fn what_is_known_of_the_greater_is_known_of_both() {
    let text = "\
#include <math.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
static double greater(double a, double b) { return a > b ? a : b; }
static double lesser(double a, double b) { return b <= a ? b : a; }
double by_macro(double a, double b) {
    if (MAX(fabs(a), fabs(b)) < 1e100) return a * b;
    return 0.0;
}
double by_function(double a, double b) {
    if (greater(fabs(a), fabs(b)) < 1e100) return a * b;
    return 0.0;
}
double from_below(double a, double b) {
    if (lesser(a, b) > 1e-100) return 1.0 / a + 1.0 / b;
    return 0.0;
}
double not_a_number(double a, double b) {
    if (!(greater(a - a, b) < 1e100)) return 0.0;
    return (a - a) * b;
}
double again(double a, int n) {
    double most = 0.0, sum = 0.0;
    for (int i = 0; i < n && i < 9; i++) {
        if (most < 1e100) sum += most * a;
        most = MAX(most, a);
        a = a * 1e60;
    }
    return sum;
}
";
    expect(
        "extremes.c",
        text,
        &[],
        &[
            ("by_macro", &["6 fmul overflow", "6 fmul invalid"]),
            ("by_function", &["10 fmul overflow", "10 fmul invalid"]),
            ("from_below", &["14 fdiv overflow", "14 fdiv divide-by-zero", "14 fadd overflow"]),
            ("not_a_number", &[]),
            ("again", &[]),
        ],
    );
}
