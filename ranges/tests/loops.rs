//! Loops and orders that need relations between values: what must be found impossible is, and what is
//! said to be impossible never happens in runs on numbers.

mod attack;
mod sources;

use attack::{impossible, load};
use nanoscope_ranges::{Options, Start, Unbounded, analyse};
use sources::{check, expect, expect_compiled, source};

#[test]
fn the_order_of_operands_is_used() {
    let text = "\
#include <math.h>
double scaled(double a, double b) {
    a = fabs(a); b = fabs(b);
    if (!(a < 1e300)) return 0.0;
    if (a > b)
        return sqrt(1.0 + (b / a) * (b / a));
    return 0.0;
}
double ratio(double c, double m) {
    if (m == 0.0 || !(fabs(c) <= fabs(m))) return 0.0;
    return c / m;
}
double greatest(double x, double y) {
    if (!(fabs(x) < 1e300 && fabs(y) < 1e300)) return 0.0;
    double w = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    if (w < 1e-300) return 0.0;
    return (fabs(x) / w) * 1e300 + fabs(y) / w;
}
double rest(double a, double t) {
    if (!(a >= 0.0 && a < 1e6 && t >= 0.0 && t <= 1.0)) return 0.0;
    return sqrt(a - a * t);
}
double unordered(double c, double m) {
    if (m == 0.0 || !(fabs(c) >= fabs(m))) return 0.0;
    return c / m;
}
";
    expect(
        "order.c",
        text,
        &[],
        &[
            ("scaled", &["6 fdiv overflow", "6 fdiv divide-by-zero", "6 fmul overflow"]),
            ("ratio", &["11 fdiv overflow", "11 fdiv divide-by-zero"]),
            ("greatest", &["17 fdiv overflow", "17 fmul overflow", "17 fadd overflow"]),
            ("rest", &["21 sqrt invalid"]),
            ("unordered", &[]),
        ],
    );
}

/// The lesser and the greater that a compiler selects without a branch, and what is left of the
/// greater: a quotient that is zero or not small.
#[test]
fn what_is_selected_is_ordered() {
    let text = "\
#include <math.h>
double parts(double x, double y) {
    double a = fabs(x), b = fabs(y);
    if (!(a < 1e300 && b < 1e300)) return 0.0;
    double least = a < b ? a : b, most = a > b ? a : b;
    if (!(most > 0.0)) return 0.0;
    double ratio = least / most;
    double rest = (most - least) / most;
    return ratio + rest * rest;
}
double limited(double x, double y) {
    if (!(x > 1.0 && x < 1e300 && y < 1e300)) return 0.0;
    double most = x > y ? x : y;
    return 1.0 / most;
}
double apart(double x, double y) {
    if (!(fabs(x) < 1e300 && fabs(y) < 1e300 && y != 0.0)) return 0.0;
    double rest = (x + y) / y;
    return rest * rest;
}
double unlike(double x, double y, double z) {
    if (!(fabs(x) < 1e300 && fabs(y) < 1e300 && z != 0.0)) return 0.0;
    return (x + y) / z;
}
";
    expect_compiled(
        "selected.c",
        text,
        &["-O1"],
        &[],
        &[
            (
                "parts",
                &[
                    "7 fdiv overflow",
                    "7 fdiv divide-by-zero",
                    "7 fdiv invalid",
                    "8 fdiv overflow",
                    "8 fdiv underflow",
                    "9 fmul overflow",
                    "9 fmul underflow",
                    "9 fadd overflow",
                ],
            ),
            ("limited", &["14 fdiv overflow", "14 fdiv divide-by-zero"]),
            ("apart", &["18 fdiv underflow", "19 fmul underflow"]),
            ("unlike", &[]),
        ],
    );
}

#[test]
fn comparisons_bound_sums() {
    let text = "\
double limited(double u, double v, int n) {
    double y = 0.0;
    for (int i = 0; i < n; i++) {
        double x = u * i, d = v * i;
        if (!(x >= -128.0 && x <= 128.0 && d >= 0.0 && d <= 16.0)) continue;
        double s = y, r = x - s;
        y = x;
        if (r <= -d) y = s - d;
        else if (r >= d) y = s + d;
    }
    return 1.0 / (y - 129.0);
}
";
    expect(
        "limited.c",
        text,
        &[],
        &[(
            "limited",
            &["6 fsub overflow", "8 fsub overflow", "9 fadd overflow", "11 fdiv divide-by-zero"],
        )],
    );
}

#[test]
fn recurrences_are_bounded() {
    let text = "\
double clamp(double x) { return x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x == x ? x : 0.0; }
double second(double u, int n) {
    double s = 0.0, s0 = 0.0;
    for (int i = 0; i < n; i++) {
        double next = 1.4 * s - 0.7 * s0 + clamp(u * i);
        s0 = s;
        s = next;
    }
    return 1.0 / (s - 6.0);
}
float single(float u, int n) {
    float s = 0.0f, s0 = 0.0f;
    for (int i = 0; i < n; i++) {
        float next = 1.2f * s - 0.5f * s0 + (float)clamp(u * i);
        s0 = s;
        s = next;
    }
    return 1.0f / (s - 6.0f);
}
double reset(double u, int n) {
    double s = 0.0, s0 = 0.0;
    for (int i = 0; i < n; i++) {
        double e = clamp(u * i), next;
        if (e > 0.5) { next = e; s = 0.0; }
        else next = 1.5 * s - 0.7 * s0 + e;
        s0 = s;
        s = next;
    }
    return 1.0 / (s - 30.0);
}
double shifted(double u, int n) {
    double s = 0.0, s0 = 0.0, e0 = 0.0, e1 = 0.0;
    for (int i = 0; i < n; i++) {
        double e = clamp(u * i);
        double next = 0.7 * e - 1.3 * e0 + 1.1 * e1 + 1.4 * s - 0.7 * s0;
        e1 = e0; e0 = e; s0 = s; s = next;
    }
    return 1.0 / (s - 9.0);
}
double many(double u) {
    double s = 0.0;
    for (int i = 0; i < 100000; i++)
        s += clamp(u * i);
    return 1.0 / (s - 100100.0);
}
double divergent(double u, int n) {
    double s = 1.0, s0 = 0.0;
    for (int i = 0; i < n; i++) {
        double next = 2.5 * s - 1.2 * s0 + clamp(u * i);
        s0 = s;
        s = next;
    }
    return 1.0 / (s - 6.0);
}
";
    expect(
        "recurrences.c",
        text,
        &[],
        &[
            ("second", &["5 fmul overflow", "5 fadd overflow", "9 fdiv divide-by-zero"]),
            ("single", &["14 fadd overflow"]),
            ("reset", &["25 fadd overflow"]),
            ("shifted", &["35 fadd overflow"]),
            ("many", &["43 fadd overflow"]),
            ("divergent", &[]),
        ],
    );
}

#[test]
fn rounds_differ_by_a_flag_or_a_counter() {
    let text = "\
double clamp(double x) { return x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x == x ? x : 0.0; }
double by_flag(double u, int n) {
    double s = 0.0, s0 = 0.0;
    int flag = 0;
    for (int i = 0; i < n; i++) {
        double e = clamp(u * i), next;
        if (flag) next = 1.2 * s - 0.5 * s0 + e;
        else next = 0.3 * s + 0.4 * s0 + e;
        s0 = s; s = next; flag = !flag;
    }
    return 1.0 / (s - 1000.0);
}
double entered_in_any(double u, int start, int n) {
    double s = 100.0;
    int flag = start != 0;
    for (int i = 0; i < n; i++) {
        s = flag ? 2.0 * s + clamp(u * i) : 0.25 * s;
        flag = !flag;
    }
    return 1.0 / (s - 1000.0);
}
double by_three(double u, int n) {
    double s = 0.0;
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (k == 0) s = 0.125 * s + clamp(u * i); else if (k == 1) s = 2.0 * s; else s = 2.0 * s - 1.0;
        k = k == 2 ? 0 : k + 1;
    }
    return 1.0 / (s - 1000.0);
}
double residue(double u, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        if (i % 2 == 0) s = 0.25 * s;
        else s = 2.0 * s + clamp(u * i);
    }
    return 1.0 / (s - 1000.0);
}
double residues(double u, unsigned n) {
    double s = 0.0;
    for (unsigned i = 0; i < n; i++)
        switch (i % 3) {
        case 0: s = 0.125 * s + clamp(u * i); break;
        case 1: s = 2.0 * s; break;
        case 2: s = 1.5 * s;
        }
    return 1.0 / (s - 1000.0);
}
double chosen(double u, int n, int bits) {
    double s = 0.0, s0 = 0.0;
    for (int i = 0; i < n; i++) {
        double next;
        if ((bits >> (i & 15)) & 1) next = 0.5 * s - 0.3 * s0 + clamp(u * i);
        else next = 0.6 * s - 0.2 * s0 + clamp(u * i);
        s0 = s; s = next;
    }
    return 1.0 / (s - 1000.0);
}
double reset(double u, double r, int n) {
    double s = 0.0;
    int flag = 0;
    for (int i = 0; i < n; i++) {
        double e = clamp(u * i);
        if (clamp(r * i) > 0.5) { s = e; flag = 0; }
        else { s = flag ? 2.0 * s + e : 0.25 * s; flag = !flag; }
    }
    return 1.0 / (s - 1000.0);
}
static int held;
double in_memory(double u, int n) {
    double s = 0.0;
    held = 0;
    for (int i = 0; i < n; i++) {
        if (held) { s = 2.0 * s + clamp(u * i); held = 0; }
        else { s = 0.25 * s; held = 1; }
    }
    return 1.0 / (s - 1000.0);
}
";
    divisors("modes.c", text, true);
}

/// The same with a flag that does not alternate, with a product of factors that grows, with a
/// counter that wraps, and entered with any residue.
#[test]
fn rounds_that_differ_may_grow() {
    let text = "\
double kept(double r, int n) {
    double s = 1.0;
    int flag = 0;
    for (int i = 0; i < n && i < 40; i++) {
        if (r > 0.5) flag = 1;
        else { s = flag ? 2.0 * s : 0.25 * s; flag = !flag; }
        if (flag) s = 2.0 * s;
    }
    return 1.0 / (s - 1024.0);
}
double alternating(int n) {
    double s = 1.0;
    int flag = 0;
    for (int i = 0; i < n && i < 40; i++) {
        s = flag ? 8.0 * s : 0.25 * s;
        flag = !flag;
    }
    return 1.0 / (s - 1024.0);
}
double wrapped(unsigned char n) {
    double s = 1.0;
    unsigned char i = 254;
    do {
        s = i % 3 == 0 ? 0.125 * s : 4.0 * s;
        i++;
    } while (i != n);
    return 1.0 / (s - 32.0);
}
double downward(unsigned n) {
    double s = 1.0;
    if (n > 300) n = 300;
    for (; n > 0; n--) s = n % 3 == 0 ? 0.25 * s : 2.0 * s;
    return 1.0 / (s - 4.0);
}
";
    divisors("growing.c", text, false);
}

/// Checks whether the division of each function is never one by zero.
fn divisors(name: &str, text: &str, never_zero: bool) {
    let subject = load(&source(name, text), &[], &[], &[]);
    for target in subject.targets.iter().filter(|target| target.function != "clamp") {
        let (findings, _) = check(&subject, target, 60);
        let found = impossible(&subject, target, &findings);
        let is_impossible = found.iter().any(|goal| goal.ends_with("fdiv divide-by-zero"));
        assert_eq!(is_impossible, never_zero, "{}: {found:#?}", target.function);
    }
}

#[test]
fn pairs_move_together() {
    let text = "\
double clamp(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x == x ? x : 0.0; }
double near(double u) {
    double x = 0.0, y = 0.0;
    for (int i = 0; i < 100000; i++) {
        double d = clamp(u * i);
        x = x + d + 0.25;
        y = y + d;
    }
    return 1.0 / (x - y + 1.0);
}
double ordered(double u, int n) {
    double low = 0.0, high = 0.0;
    for (int i = 0; i < n; i++) {
        double d = clamp(u * i);
        if (!(high < 1e9)) break;
        high += d;
        low += d;
    }
    return 1.0 / (high - low + 1.0);
}
";
    expect("pairs.c", text, &[], &[("near", &["6 fadd overflow"]), ("ordered", &[])]);
}

#[test]
fn recurrences_in_memory_are_bounded() {
    let text = "\
static double clamp(double x) { return x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x == x ? x : 0.0; }
struct filter { double s1, s0; };
static double step(struct filter *f, double input) {
    double s2 = 1.5 * f->s1 - 0.7 * f->s0 + input;
    f->s0 = f->s1;
    f->s1 = s2;
    return s2;
}
double members(double u, int n) {
    struct filter f = {0, 0};
    double y = 0.0;
    for (int i = 0; i < n && i < 300; i++) y = step(&f, clamp(u * i));
    return 1.0 / (y - 9.5);
}
static double held(double input) {
    static double s1, s0;
    double s2 = 1.5 * s1 - 0.7 * s0 + input;
    s0 = s1;
    s1 = s2;
    return s2;
}
double variables(double u, int n) {
    double y = 0.0;
    for (int i = 0; i < n && i < 300; i++) y = held(clamp(u * i));
    return 1.0 / (y - 9.5);
}
double shifted(double u, int n) {
    double s[3] = {0, 0, 0};
    for (int i = 0; i < n && i < 300; i++) {
        for (int k = 2; k > 0; k--) s[k] = s[k - 1];
        s[0] = 1.5 * s[1] - 0.7 * s[2] + clamp(u * i);
    }
    return 1.0 / (s[0] - 9.5);
}
struct section { double w1, w2; };
static double section(struct section *s, double a1, double a2, double x) {
    double w = x - a1 * s->w1 - a2 * s->w2;
    s->w2 = s->w1;
    s->w1 = w;
    return w;
}
double cascade(double u, int n) {
    struct section first = {0, 0}, second = {0, 0};
    double y = 0.0;
    for (int i = 0; i < n && i < 300; i++)
        y = section(&second, -0.6, 0.4, section(&first, -0.8, 0.5, clamp(u * i)));
    return 1.0 / (y - 6.0);
}
double unstable(double u, int n) {
    struct filter f = {0, 0};
    for (int i = 0; i < n && i < 300; i++) {
        double s2 = 1.5 * f.s1 + 0.7 * f.s0 + clamp(u * i);
        f.s0 = f.s1;
        f.s1 = s2;
    }
    return 1.0 / (f.s1 - 9.5);
}
static void touch(double *p, double x) { *p = x; }
double overwritten(double u, double v, int n) {
    struct filter f = {0, 0};
    double y = 0.0;
    for (int i = 0; i < n && i < 300; i++) {
        touch(&f.s1, v);
        y = step(&f, clamp(u * i));
    }
    return 1.0 / (y - 9.5);
}
";
    expect(
        "memory.c",
        text,
        &[],
        &[
            ("members", &["4 fmul overflow", "4 fadd overflow", "13 fdiv divide-by-zero"]),
            ("variables", &["17 fmul overflow", "17 fadd overflow"]),
            ("shifted", &["31 fadd overflow", "33 fdiv divide-by-zero"]),
            ("cascade", &["37 fadd overflow", "47 fdiv divide-by-zero"]),
            ("unstable", &[]),
            ("overwritten", &[]),
        ],
    );
}

#[test]
fn a_loop_without_bounds_says_why() {
    let text = "\
double diverges(double x, int n) {
    double s = 0.0, last = 0.0;
    if (!(x > -1.0 && x < 1.0)) return 0.0;
    for (int i = 0; i < n; i++) {
        double next = 2.5 * s - 1.2 * last + x;
        last = s;
        s = next;
    }
    return s;
}
double squares(double x, int n) {
    double s = 0.5;
    if (!(x > -1.0 && x < 1.0)) return 0.0;
    for (int i = 0; i < n; i++)
        s = s * s + x;
    return s;
}
double decays(double x, int n) {
    double s = 0.0;
    if (!(x > -1.0 && x < 1.0)) return 0.0;
    for (int i = 0; i < n; i++)
        s = 0.5 * s + x;
    return s;
}
";
    let folder = std::env::temp_dir().join(format!("nanoscope-unbounded-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("unbounded.c");
    std::fs::write(&file, text).expect("it can be written");
    let expected = [
        ("diverges", Some((4, Unbounded::NotContracting))),
        ("squares", Some((14, Unbounded::NoBox))),
        ("decays", None),
    ];
    let subject = load(&file, &[], &expected.map(|(function, _)| function), &[]);
    for (target, (function, loops)) in subject.targets.iter().zip(expected) {
        let findings = analyse(&subject.code, Start::Target(target), &Options::default());
        let told = findings.unbounded.iter();
        let told: Vec<(u32, Unbounded)> =
            told.map(|it| (subject.code.location(it.location).line, it.why)).collect();
        assert_eq!(told, loops.into_iter().collect::<Vec<_>>(), "{function}");
    }
}
