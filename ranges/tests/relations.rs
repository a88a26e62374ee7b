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
