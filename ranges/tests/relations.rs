//! Values that go together: what ranges alone forget of them is found out, and what is said to
//! be impossible never happens in runs on numbers.

mod attack;

use attack::{attack, impossible, load};
use nanoscope_ranges::{Options, Start, analyse};

/// Checks functions of a text: goals of each that must be impossible, and some that must not.
fn expect(name: &str, text: &str, expected: &[(&str, &[&str], &[&str])]) {
    let folder = std::env::temp_dir().join(format!("nanoscope-relations-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join(name);
    std::fs::write(&file, text).expect("it can be written");
    let functions: Vec<&str> = expected.iter().map(|(function, _, _)| *function).collect();
    let subject = load(&file, &[], &functions, &[]);
    for (target, (function, excluded, open)) in subject.targets.iter().zip(expected) {
        let options = Options { parts: 1, ..Options::default() };
        let findings = analyse(&subject.code, Start::Target(target), &options);
        attack(&subject, target, &findings, 400, 7);
        let found = impossible(&subject, target, &findings);
        for (goals, is_excluded) in [(excluded, true), (open, false)] {
            for goal in *goals {
                let has = found.iter().any(|f| f == goal);
                assert_eq!(has, is_excluded, "{function}: {goal} among {found:#?}");
            }
        }
    }
}

#[test]
fn what_comes_from_one_register_is_looked_at_in_parts() {
    let text = "\
#include <math.h>
double below(double z) {
    if (!(z > 0.0 && z < 0.98)) return 0.0;
    double root = sqrt(1.0 - z * z);
    return pow(log((1.0 + root) / z) - root, 2.0 / 3.0);
}
double polynomial(double t) {
    if (!(fabs(t) < 2.0)) return 0.0;
    double p = 3.0 + t * t * (t * t - 3.0);
    return 1.0 / p;
}
double zero(double t) {
    if (!(fabs(t) < 2.0)) return 0.0;
    double p = 1.0 + t * (t - 2.0);
    return 1.0 / p;
}
";
    expect(
        "parts.c",
        text,
        &[
            ("below", &["5 pow invalid"], &["5 fdiv overflow"]),
            ("polynomial", &["10 fdiv divide-by-zero", "10 fdiv overflow"], &[]),
            ("zero", &[], &["15 fdiv divide-by-zero"]),
        ],
    );
}

#[test]
fn what_was_learnt_of_a_value_holds_of_the_same_value_again() {
    let text = "\
#include <math.h>
double again(double x, double y) {
    if (fabs(x * y) < 1.0) return 0.0;
    if (x > 1.0) return 1.0 / (x * y);
    return 0.0;
}
double beside(double z) {
    if (fabs(1.0 - z) < 0.25) return 0.0;
    if (z < 1.0) return sqrt(0.875 - z);
    return sqrt(z - 1.125);
}
double moved(double x, double y, int n) {
    double sum = 0.0;
    double product = x * y;
    if (fabs(product) < 1.0) return 0.0;
    for (int i = 0; i < n; i++) {
        x = x * 0.5;
        sum += 1.0 / (x * y);
    }
    return sum + 1.0 / (x * y);
}
double turns(double x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        if (fabs(1.0 - x) > 0.5 && x < 1.0) sum += sqrt(0.5 - x);
        x = 1.0 - x;
        if (x < 1.0) sum += sqrt(0.5 - x);
    }
    return sum;
}
";
    expect(
        "again.c",
        text,
        &[
            ("again", &["4 fdiv divide-by-zero", "4 fdiv overflow"], &[]),
            ("beside", &["9 sqrt invalid", "10 sqrt invalid"], &[]),
            ("moved", &[], &["18 fdiv divide-by-zero", "20 fdiv divide-by-zero"]),
            ("turns", &[], &["27 sqrt invalid"]),
        ],
    );
}

#[test]
fn the_lesser_and_the_greater_tell_of_both() {
    let text = "\
#include <math.h>
double lesser(double x, double y) {
    if (!((x < y ? x : y) >= 0.0)) return 0.0;
    return sqrt(x) + sqrt(y);
}
static double greatest(double x, double y, double z) {
    double most = x > y ? x : y;
    return most > z ? most : z;
}
double all(double x, double y, double z) {
    if (!(greatest(fabs(x), fabs(y), fabs(z)) < 1.0)) return 0.0;
    return acos(x) + acos(y) + acos(z);
}
double other(double x, double y) {
    if (!((x > y ? x : y) >= 0.0)) return 0.0;
    return sqrt(x);
}
double again(double x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double most = x > 1.0 ? x : 1.0;
        x = x - 2.0;
        if (most > 3.0) sum += sqrt(x - 0.5);
        if (most > 3.0) sum += sqrt(x - 1.5);
    }
    return sum;
}
";
    expect(
        "lesser.c",
        text,
        &[
            ("lesser", &["4 sqrt invalid"], &[]),
            ("all", &["12 acos invalid"], &[]),
            ("other", &[], &["16 sqrt invalid"]),
            ("again", &["23 sqrt invalid"], &["24 sqrt invalid"]),
        ],
    );
}

#[test]
fn the_least_integer_has_no_absolute_value_to_learn_of() {
    let text = "\
#include <stdlib.h>
double few(int n, double x) {
    n = abs(n);
    if (x * x < 10.0 * (n + 1.0)) return 0.0;
    if (n < 150) return 1.0;
    return x * x;
}
double some(int n, double x) {
    if (n < -1000) return 0.0;
    n = abs(n);
    if (x * x < 10.0 * (n + 1.0)) return 0.0;
    if (n < 150) return 1.0;
    return x * x;
}
";
    expect(
        "least.c",
        text,
        &[("few", &[], &["6 fmul underflow"]), ("some", &["13 fmul underflow"], &[])],
    );
}

#[test]
fn a_leg_is_no_longer_than_the_hypotenuse() {
    let text = "\
#include <math.h>
double part(double a, double b) {
    double h = hypot(a, b);
    return h > 0.0 ? a / h : 0.0;
}
double scaled(double a, double b) {
    double h = hypot(a, b);
    if (h > 1e300) { a *= 0.5; h *= 0.5; }
    if (h < 1e-300) { a *= 0x1p52; h *= 0x1p52; }
    return h > 0.0 ? a / h : 0.0;
}
double greatest(double a, double b, double c, double d) {
    double h = hypot(a, b), g = hypot(c, d);
    double most = g > h ? g : h;
    return most > 0.0 ? a / most + c / most : 0.0;
}
double compared(double a, double b, double c) {
    double h = hypot(a, b);
    if (!(h < c)) return 0.0;
    return b / c;
}
double another(double a, double b, double c) {
    double h = hypot(a, b);
    return h > 0.0 ? c / h : 0.0;
}
double not_greatest(double a, double b, double c, double d) {
    double h = hypot(a, b), g = hypot(c, d);
    double least = g < h ? g : h;
    return least > 0.0 ? a / least : 0.0;
}
double scaled_apart(double a, double b) {
    double h = hypot(a, b);
    if (h > 1e300) { a *= 0.5; h *= 0x1p-60; }
    return h > 0.0 ? a / h * 1e300 : 0.0;
}
";
    expect(
        "legs.c",
        text,
        &[
            ("part", &["4 fdiv overflow"], &["4 fdiv underflow"]),
            ("scaled", &["9 fmul overflow", "10 fdiv overflow"], &["10 fdiv underflow"]),
            ("greatest", &["15 fdiv overflow", "15 fadd overflow"], &[]),
            ("compared", &["20 fdiv overflow"], &[]),
            ("another", &[], &["24 fdiv overflow"]),
            ("not_greatest", &[], &["29 fdiv overflow"]),
            ("scaled_apart", &[], &["34 fmul overflow"]),
        ],
    );
}

#[test]
fn what_is_selected_without_choice_is_the_operand() {
    // As a quotient of complex numbers by a real one: which part of the divisor is the greater is
    // decided, and both are scaled together.
    let text = "\
#include <math.h>
double quotient(double a, double b) {
    double h = hypot(a, b), none = 0.0;
    if (h == 0.0) return 0.0;
    int is_less = fabs(h) < fabs(none);
    double most = is_less ? none : h;
    if (fabs(most) < 0x1p-52) { a *= 0x1p52; b *= 0x1p52; h *= 0x1p52; none *= 0x1p52; }
    double by = is_less ? none : h, of = is_less ? b : a, other = is_less ? a : b;
    double rest = none * (other / by);
    return (of + rest) / by;
}
";
    expect(
        "selected.c",
        text,
        &[("quotient", &["7 fmul overflow", "10 fdiv overflow"], &["10 fdiv underflow"])],
    );
}

#[test]
fn what_is_squared_is_no_larger_than_the_root_of_the_sum() {
    let text = "\
#include <math.h>
#define FITS(x) (fabs(x) > 1e-150 && fabs(x) < 1e150)
double leg(double x, double y) {
    if (!FITS(x) || !(fabs(y) < 1e150)) return 0.0;
    double d = sqrt(x * x + y * y);
    return x / d * 0x1.8p1023 + y / d * 0x1p1022;
}
double space(double x, double y, double z) {
    if (!FITS(x) || !(fabs(y) < 1e150) || !(fabs(z) < 1e150)) return 0.0;
    double d = sqrt(z * z - x * -x + y * y);
    return z / d * 0x1.8p1023;
}
double tiny(double x, double y) {
    if (!(fabs(x) < 1e150) || !(fabs(y) < 1e150)) return 0.0;
    double d = sqrt(x * x + y * y);
    return d > 0.0 ? x / d * 0x1.8p1023 : 0.0;
}
double less(double x, double y) {
    if (!FITS(x) || !(fabs(y) < 1e150)) return 0.0;
    double d = sqrt(x * x - fabs(y));
    return x / d * 0x1.8p1023;
}
double normal(double x, double y) {
    double m = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    if (!(m > 0.0 && m < 1e300)) return 0.0;
    double s = x / m, c = y / m, d = sqrt(s * s + c * c);
    return s / d + c / d;
}
double negative(double x) {
    double p = x * -x;
    return 1.0 / (1.0 - p) + sqrt(-p);
}
";
    expect(
        "roots.c",
        text,
        &[
            ("leg", &["6 fdiv overflow", "6 fmul overflow", "6 fdiv divide-by-zero"], &[]),
            ("space", &["11 fdiv divide-by-zero", "11 fmul overflow"], &[]),
            ("tiny", &["16 fdiv divide-by-zero"], &["16 fmul overflow"]),
            ("less", &[], &["21 fmul overflow"]),
            ("normal", &["27 fdiv divide-by-zero", "27 fdiv overflow"], &[]),
            ("negative", &["31 fdiv divide-by-zero", "31 sqrt invalid"], &[]),
        ],
    );
}

#[test]
fn a_register_holds_a_cell_while_others_are_written() {
    let text = "\
#include <math.h>
double a[3];
double beside(double x, double y, double t) {
    a[0] = x;
    if (!(fabs(x) < y)) return 0.0;
    a[1] = t;
    return a[0] / y + x;
}
double some(double x, double y, double t, int i) {
    a[2] = x;
    if (!(fabs(x) < y) || i < 0 || i > 1) return 0.0;
    a[i] = t;
    return a[2] / y + x;
}
double any(double x, double y, double t, int i) {
    a[1] = x;
    if (!(fabs(x) < y) || i < 0 || i > 2) return 0.0;
    a[i] = t;
    return a[1] / y + x;
}
double part(double x, double y, int i) {
    a[1] = x;
    if (!(fabs(x) < y)) return 0.0;
    ((int *)a)[3] = i;
    return a[1] / y + x;
}
";
    expect(
        "cells.c",
        text,
        &[
            ("beside", &["7 fdiv overflow"], &[]),
            ("some", &["13 fdiv overflow"], &[]),
            ("any", &[], &["19 fdiv overflow"]),
            ("part", &[], &["25 fdiv overflow"]),
        ],
    );
}

#[test]
fn roots_of_complex_numbers_have_parts_within_bounds() {
    let text = "\
#include <complex.h>
double real(double x, double y) {
    if (!(x > 1.0 && x < 4.0 && y > -1.0 && y < 1.0)) return 0.0;
    return 1.0 / creal(csqrt(__builtin_complex(x, y)));
}
double imaginary(double x, double y) {
    if (!(x > 1.0 && x < 4.0 && y > -1.0 && y < 1.0)) return 0.0;
    return 1.0 / cimag(csqrt(__builtin_complex(x, y)));
}
double a;
double other(double x, double y) {
    a = x;
    double complex z = cexp(__builtin_complex(x, y));
    if (!(x > 1.0)) return creal(z);
    return 1.0 / a;
}
";
    expect(
        "complex.c",
        text,
        &[
            ("real", &["4 fdiv divide-by-zero", "4 fdiv overflow"], &[]),
            ("imaginary", &[], &["8 fdiv divide-by-zero"]),
            ("other", &["15 fdiv divide-by-zero"], &[]),
        ],
    );
}

#[test]
fn what_is_compared_with_a_product_has_a_quotient_within_bounds() {
    let text = "\
#include <math.h>
double above(double a, double b) {
    if (!(b > 1e-300 && b < 1e300 && a >= 1e-290 && a < 1e305 && a >= b * 0x1p-1000)) return 0.0;
    return a / b;
}
double below(double a, double b) {
    if (!(fabs(a) < 1e305 && fabs(b) < 1e305 && fabs(b) > 1e-305)) return 0.0;
    if (fabs(a) > fabs(b) * 1e10) return 0.0;
    return a / b;
}
double between(double a, double b, double c) {
    if (!(fabs(b) > 1e-305 && fabs(b) < 1e305)) return 0.0;
    if (!(fabs(a) <= c && c <= fabs(b) / 0.125)) return 0.0;
    return a / b + c;
}
double vanishing(double a, double b) {
    if (!(b > 0.0 && b < 1e300 && a >= 0.0 && a < 1e300 && a >= b * 0x1p-1000)) return 0.0;
    return a / b;
}
double not_exactly(double a, double b) {
    if (!(b > 1e-300 && b < 1e300 && a >= 1e-307 && a < 1e305 && a >= b * 0x1p-1000)) return 0.0;
    return a / b;
}
float narrow(float a, float b) {
    if (!(b > 1e-30f && b < 1e30f && a >= 1e-28f && a < 1e37f && a >= b * 1e-20f)) return 0.0f;
    return a / b + b / a;
}
double magnitude(double a, double b) {
    double m = fabs(b);
    if (!(fabs(a) < 1e305 && m < 1e305 && m > 1e-305)) return 0.0;
    if (fabs(a) > m * 1e10) return 0.0;
    return a / m;
}
";
    expect(
        "ratio.c",
        text,
        &[
            ("above", &["4 fdiv underflow"], &["4 fdiv overflow"]),
            ("below", &["9 fdiv overflow", "9 fdiv divide-by-zero"], &["9 fdiv underflow"]),
            ("between", &["14 fdiv overflow"], &["14 fdiv underflow"]),
            ("vanishing", &[], &["18 fdiv underflow", "18 fdiv overflow"]),
            ("not_exactly", &[], &["22 fdiv overflow"]),
            ("narrow", &["26 fdiv underflow"], &[]),
            ("magnitude", &["32 fdiv overflow"], &["32 fdiv underflow"]),
        ],
    );
}

#[test]
fn a_quotient_is_bounded_by_what_its_divisor_is_chosen_from() {
    let text = "\
#include <math.h>
double scaled(double x, double y) {
    double most = fmax(fabs(x), fabs(y));
    double most_of = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    double bounded = most_of < 0x1p1021 ? most_of : 0x1p1021;
    if (!(bounded > 0x1p-1000)) return most;
    double u = x / bounded;
    return u * u;
}
double greater(double x, double y) {
    if (!(fabs(x) < 1e200 && fabs(y) < 1e200)) return 0.0;
    double most = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    if (!(most > 1e-150)) return 0.0;
    return 1.0 / (x * x + y * y);
}
double other(double x, double y) {
    if (!(fabs(x) < 1e200 && fabs(y) < 1e200)) return 0.0;
    double most = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    if (!(most > 1e-150)) return 0.0;
    return 1.0 / (x * x + x * y);
}
double alike(double x, double y) {
    double most = fabs(y);
    if (!(fabs(x) <= most && most > 0.0 && most < 1e300)) return 0.0;
    double up = -x;
    if (most < 1.0) { up *= 0x1p52; most *= 0x1p52; }
    return up / most;
}
";
    expect(
        "chosen.c",
        text,
        &[
            ("scaled", &["7 fdiv overflow", "8 fmul overflow"], &["7 fdiv underflow"]),
            ("greater", &["14 fdiv overflow", "14 fdiv divide-by-zero"], &["14 fmul underflow"]),
            ("other", &[], &["20 fdiv divide-by-zero"]),
            ("alike", &["27 fdiv overflow"], &["27 fdiv underflow"]),
        ],
    );
}
