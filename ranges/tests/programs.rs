//! Programs: what is said to be impossible never happens in runs on numbers, and what must
//! be found impossible is.

mod attack;
mod sources;

use attack::{impossible, load};
use nanoscope_ranges::{Options, Start, analyse};
use sources::{check, expect, source};
use std::path::Path;

#[test]
fn examples_survive_attack() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut seen = 0;
    for name in ["average.c", "quotient.c", "norm2.c", "asymptotic.c"] {
        let subject = load(&examples.join(name), &[], &[], &[]);
        for target in &subject.targets {
            seen += check(&subject, target, 300).1;
        }
    }
    assert!(seen > 40, "{seen} exceptions seen");
}

#[test]
fn guards_are_understood() {
    let text = "\
#include <math.h>
double guarded(double x) {
    if (x == 0.0) return 0.0;
    return 1.0 / x;
}
double away(double x) {
    if (fabs(x) < 1e-5) return x;
    return 1.0 / x;
}
double both(double x, double y) {
    if (x > 0.0 && x < 10.0 && y >= 1.0 && y <= 1e6)
        return log(x) * sqrt(y) / y;
    return 0.0;
}
double flag(double x) {
    int fine = x > 1.0 && x < 2.0;
    if (fine) return sqrt(x - 1.0);
    return 0.0;
}
double gap(double x, double y) {
    if (x != y) return 1.0 / (x - y);
    return 0.0;
}
double square(double x) {
    if (x * x > 4.0) return 0.0;
    return acos(x / 2.5);
}
double half(double x) {
    double y = -x;
    if (x > 3.0) return log(-y);
    return 0.0;
}
int whole(double x) {
    if (x >= -100.0 && x <= 100.0) return (int)floor(x);
    return 0;
}
double clamped(double x) {
    double y = fmin(fmax(x, -1.0), 1.0);
    return asin(y);
}
";
    expect(
        "guards.c",
        text,
        &[],
        &[
            ("guarded", &["4 fdiv divide-by-zero", "4 fdiv invalid"]),
            ("away", &["8 fdiv divide-by-zero", "8 fdiv overflow"]),
            (
                "both",
                &[
                    "12 log invalid",
                    "12 log divide-by-zero",
                    "12 sqrt invalid",
                    "12 fmul overflow",
                    "12 fdiv divide-by-zero",
                    "12 fdiv overflow",
                ],
            ),
            ("flag", &["17 sqrt invalid", "17 fsub underflow", "17 fsub overflow"]),
            ("gap", &["21 fdiv divide-by-zero", "21 fdiv invalid"]),
            ("square", &["26 acos invalid", "26 fdiv overflow"]),
            ("half", &["30 log invalid", "30 log divide-by-zero"]),
            ("whole", &["34 fptosi conversion-out-of-range"]),
            ("clamped", &["39 asin invalid"]),
        ],
    );
}

#[test]
fn integers_that_derive_from_floats() {
    let text = "\
#include <math.h>
#include <stdlib.h>
int index(double x) {
    if (!(x >= -10 && x < 1000)) return 0;
    int i = (int)floor(x);
    return (i + 1) * i - 3;
}
short narrow(double x, double y) {
    long n = lrint(x);
    if (n < -30000 || n > 30000) return 0;
    short m = (short)n;
    return (short)(m + (int)y);
}
double *room(double x) {
    if (!(x >= 0 && x < 1e6)) return 0;
    unsigned n = (unsigned)x;
    return malloc((n + 1) * sizeof(double) - 8);
}
int all(double x, double y) {
    int i = (int)x, j = (int)y;
    return -i * j + (i - j);
}
int loop(double x) {
    int n = x > 0 && x < 50 ? (int)x : 7;
    int sum = n;
    for (int i = 0; i < 10; i++) sum = sum + n > 1000 ? 1000 : sum + n;
    return sum;
}
";
    expect(
        "integers.c",
        text,
        &[],
        &[
            (
                "index",
                &["6 add integer-overflow", "6 mul integer-overflow", "6 sub integer-overflow"],
            ),
            ("narrow", &["11 trunc integer-overflow"]),
            (
                "room",
                &["17 add integer-overflow", "17 mul integer-overflow", "17 sub integer-overflow"],
            ),
            ("all", &[]),
            ("loop", &["26 add integer-overflow"]),
        ],
    );
}

#[test]
fn guards_on_encodings() {
    let text = "\
#include <math.h>
#include <stdint.h>
#include <string.h>
static uint64_t bits(double x) { union { double f; uint64_t i; } u = {x}; return u.i; }
static double from(uint64_t i) { double x; memcpy(&x, &i, 8); return x; }
static uint32_t top(double x) { return bits(x) >> 52; }
double high(double x) {
    uint32_t hx, ix;
    do { hx = bits(x) >> 32; } while (0);
    ix = hx & 0x7fffffff;
    if (ix >= 0x3ff00000) return 0;
    if (ix < 0x3fe00000) return x * x;
    if (hx >> 31) return sqrt(1 + x);
    return sqrt(1 - x);
}
double window(double x) {
    uint32_t t = top(x) & 0x7ff;
    if (t - top(0x1p-54) >= top(512.0) - top(0x1p-54)) return 0;
    return x * x / x;
}
double low(double x) {
    if (!(x > 1 && x < 2)) return 0;
    double z = from(bits(x) & -1ULL << 32);
    return 1 / (x + z);
}
double power(int n) {
    if (n < -1022 || n > 1023) return 0;
    return 1 / from((uint64_t)(0x3ff + n) << 52);
}
float special(float x) {
    union { float f; uint32_t i; } u = {x};
    if (2 * u.i - 1 >= 2u * 0x7f800000 - 1) return 0;
    return 1 / x;
}
double fraction(double x) {
    int e = bits(x) >> 52 & 0x7ff;
    if (!e || e == 0x7ff) return 0;
    return 1 / from((bits(x) & 0x800fffffffffffff) | 0x3fe0000000000000);
}
double cut(double x) {
    if (!(x > -100 && x < 100)) return 0;
    int n = x;
    if (n < 3) return 0;
    return sqrt(x - 1);
}
double halves(double x) {
    uint32_t w[2];
    memcpy(w, &x, 8);
    if ((w[1] & 0x7fffffff) >= 0x7fe00000) return 0;
    w[0] = 0;
    memcpy(&x, w, 8);
    return x + x;
}
static double size(double x) { return from(bits(x) & -1ULL >> 1); }
double gone(double x) {
    uint32_t ix = bits(x) >> 32 & 0x7fffffff;
    double y = size(x);
    if (ix >= 0x41000000) return 0;
    if (ix < 0x40000000) return y * 0x1p1022;
    return sqrt(y - 1);
}
static void clear(double *p) { ((uint32_t *)p)[0] = 0; }
double cleared(double x) {
    if (!(x >= 1 && x <= 2)) return 0;
    double y = x;
    uint32_t h = ((uint32_t *)&y)[1];
    clear(&y);
    double z = 1 / y;
    return z + 1. / ((h >> 20) - 1000);
}
";
    expect(
        "encodings.c",
        text,
        &[],
        &[
            (
                "high",
                &["12 fmul overflow", "13 sqrt invalid", "13 fadd overflow", "14 sqrt invalid"],
            ),
            (
                "window",
                &[
                    "19 fmul overflow",
                    "19 fmul underflow",
                    "19 fdiv divide-by-zero",
                    "19 fdiv invalid",
                ],
            ),
            ("low", &["24 fdiv divide-by-zero", "24 fdiv overflow", "24 fdiv underflow"]),
            ("power", &["28 fdiv divide-by-zero", "28 fdiv overflow", "28 fdiv invalid"]),
            ("special", &["33 fdiv divide-by-zero", "33 fdiv invalid"]),
            ("fraction", &["38 fdiv divide-by-zero", "38 fdiv overflow", "38 fdiv underflow"]),
            ("cut", &["44 sqrt invalid"]),
            ("halves", &["52 fadd overflow"]),
            ("gone", &["59 fmul overflow", "60 sqrt invalid"]),
            ("cleared", &["68 fdiv divide-by-zero", "68 fdiv overflow", "69 fdiv divide-by-zero"]),
        ],
    );
}

#[test]
fn sums_that_cancel() {
    let text = "\
#include <math.h>
double fraction(double x) {
    if (!(fabs(x) < 1e15)) return 0;
    return sqrt(x - floor(x));
}
double half(double x) {
    if (!(x >= 0 && x < 1e9)) return 0;
    double y = 0.5 * x - floor(0.5 * x);
    return 1 / (y - 2);
}
double reduced(double x) {
    if (!(fabs(x) < 700)) return 0;
    int k = 1.4426950408889634 * x + (x < 0 ? -0.5 : 0.5);
    double r = x - k * 0.6931471805599453;
    return 1 / (r - 2);
}
double whole(double x) {
    if (!(fabs(x) < 1000)) return 0;
    int n = -(int)(x - 0.5);
    double rest = x + n;
    return 1 / (rest - 2.5);
}
double compensated(double x, double y) {
    if (!(fabs(x) < 1e6 && fabs(y) < 1e6)) return 0;
    double s = x + y, e = (s - x) - y;
    return sqrt(1 - e);
}
float split(float x) {
    if (!(fabsf(x) < 1000)) return 0;
    float c = x * 4097.0f, h = x - c + c;
    return 1 / (2 - (x - h));
}
double shifted(double x) {
    if (!(fabs(x) < 1e6)) return 0;
    double k = x + 0x1.8p52 - 0x1.8p52;
    return sqrt(2 - (x - k));
}
double square(double x, double y) {
    if (!(fabs(x) < 10 && fabs(y) < 10)) return 0;
    return sqrt((x - y) * (x - y));
}
double open(double x) {
    return 1 / (x - floor(x) - 1);
}
double set(double x) {
    double y;
    int known = 0;
    if (x > 1 && x < 2) {
        y = x;
        known = 1;
    }
    for (int i = 0; i < 3; i++) {
        if (known) return sqrt(y);
        if (x > 3 && x < 4) {
            y = x - 3;
            known = 1;
        }
    }
    return 0;
}
";
    expect(
        "cancel.c",
        text,
        &[],
        &[
            ("fraction", &["4 sqrt invalid"]),
            ("half", &["9 fdiv divide-by-zero", "9 fdiv overflow"]),
            ("reduced", &["15 fdiv divide-by-zero", "14 fadd overflow"]),
            ("whole", &["21 fdiv divide-by-zero"]),
            ("compensated", &["26 sqrt invalid"]),
            ("split", &["31 fdiv divide-by-zero"]),
            ("shifted", &["36 sqrt invalid"]),
            ("square", &["40 sqrt invalid"]),
            ("open", &[]),
            ("set", &["53 sqrt invalid"]),
        ],
    );
}

#[test]
fn rounding_modes_that_may_be_met() {
    let text = "\
#include <fenv.h>
double still(double x) { return x + 1; }
static double upward(double x) { fesetround(FE_UPWARD); return x + 1; }
double moved(double x) { return upward(x); }
";
    let subject = load(&source("rounding.c", text), &[], &["still", "moved"], &[]);
    for (target, mode) in subject.targets.iter().zip(["to nearest, ties to even", "in any mode"]) {
        let (findings, _) = check(&subject, target, 50);
        let said = format!("operations round {mode}");
        assert!(findings.assumptions.contains(&said), "{}: {said}", target.function);
    }
}

#[test]
fn calls_in_many_contexts() {
    let text = "\
#include <stdlib.h>
#define CALLED __attribute__((noinline)) static
struct pair { double value, error; };
CALLED int into(double x, struct pair *r) { r->value = x; r->error = 1.0; return 0; }
CALLED void both(double x, double *a, double *b) { *a = 1.0; *b = x; }
CALLED double *fresh(double x) { double *p = malloc(sizeof x); if (!p) abort(); *p = x; return p; }
CALLED double inverse(double x) { return 1.0 / x; }
CALLED void down(double *at, int n) {
    double own = n;
    if (n > 0) down(&own, n - 1);
    *at = own - 2.0;
}
static double *kept;
CALLED void keep(double *at) { kept = at; }
CALLED void change(double x) { *kept = x; }
double apart(double x) {
    struct pair a, b;
    into(2.0, &a);
    into(x, &b);
    return b.error / a.value;
}
double aliased(double x) {
    double a = 3.0, b = 5.0;
    both(x, &a, &b);
    both(x, &a, &a);
    return 1.0 / a;
}
double often(double x) {
    double sum = x;
    for (int i = 1; i < 60; i++) sum += inverse(i);
    return sum;
}
double allocated(double x) {
    double *p = fresh(1.0), *q = fresh(x);
    double first = *p, second = *q;
    free(p);
    free(q);
    return second > 0.0 ? 1.0 / first : 1.0 / (1.0 - second);
}
double recursive(int n) {
    double a;
    down(&a, n & 3);
    return 1.0 / a;
}
double indirect(double x) {
    double a = 1.0;
    keep(&a);
    change(x);
    return 1.0 / a;
}
";
    expect(
        "contexts.c",
        text,
        &[],
        &[
            ("apart", &["20 fdiv divide-by-zero", "20 fdiv overflow"]),
            ("aliased", &[]),
            ("often", &["7 fdiv divide-by-zero", "7 fdiv overflow", "7 fdiv underflow"]),
            ("allocated", &[]),
            ("recursive", &[]),
            ("indirect", &[]),
        ],
    );
}

#[test]
fn what_wrapped_around_is_looked_at_apart() {
    let text = "\
#define CALLED __attribute__((noinline)) static
CALLED double shrink(int n, double x) {
    if (n < 0) return 0.5 * x;
    return x / n;
}
CALLED double grow(int n) {
    if (n > 0) return 1e300 * (n < 100 ? 1.0 : 2.0);
    return 1.0 / (n + 2147483648.5);
}
CALLED double squared(int n) {
    double b = n;
    return b < 10.0 ? 1.0 / (b * b - 3.0) : 0.0;
}
CALLED double signed_one(int n) {
    double b = n;
    double one = b / __builtin_fabs(b);
    return 1.0 / (one + 2.0);
}
double mirrored(int n, double x) {
    if (!(n < 1 && x > 0.0 && x < 1.0)) return 0.0;
    int m = (int)(2u - (unsigned)n);
    return shrink(m, x) * grow(m) + squared(m) + signed_one(m);
}
";
    expect(
        "wrapped.c",
        text,
        &[],
        &[(
            "mirrored",
            &[
                "4 fdiv divide-by-zero",
                "4 fdiv overflow",
                "8 fdiv divide-by-zero",
                "8 fdiv overflow",
                "12 fdiv divide-by-zero",
                "17 fdiv divide-by-zero",
            ],
        )],
    );
}

#[test]
fn failed_conjunctions_and_selections_are_understood() {
    let text = "\
subroutine part(g, r)
  complex(8), intent(in) :: g
  real(8), intent(out) :: r
  if (g == (0d0, 0d0)) then
    r = 0
  else if (real(g) == 0) then
    r = 1 / aimag(g) + aimag(g) / abs(aimag(g))
  else
    r = 1 / aimag(g)
  end if
end subroutine
subroutine unit(x, y, r)
  real(8), intent(in) :: x, y
  real(8), intent(out) :: r
  real(8) :: m
  m = max(abs(x), abs(y))
  r = 0
  if (m > 1d-100) then
    if (m < 1d100) r = x / sqrt(x*x + y*y)
  end if
end subroutine
";
    expect(
        "conjunctions.f90",
        text,
        &[],
        &[
            ("part", &["7 fdiv divide-by-zero", "7 fdiv invalid"]),
            ("unit", &["19 fdiv divide-by-zero", "19 fdiv invalid", "19 fmul overflow"]),
        ],
    );
}

#[test]
fn recursions_that_pass_ever_more_objects_settle() {
    let text = "\
#include <stdlib.h>
#define CALLED __attribute__((noinline)) static
struct node { double value; struct node *next; };
CALLED double chain(struct node *last, double x, int n) {
    struct node mine = { 0.5 * x, last };
    if (n > 0) return chain(&mine, mine.value, n - 1);
    if (last) last->value = 9.0;
    return 1.0 / (x + 2.0) + 1.0 / (last ? last->value - 9.0 : 1.0);
}
double chained(double x, int n) {
    if (!(x > 0.0 && x < 8.0)) return 0.0;
    return chain(0, x, n & 63);
}
double *kept;
CALLED double keep(double x, int n) {
    double mine = x;
    kept = &mine;
    if (n > 0) return keep(0.5 * x, n - 1) + 1.0 / (mine + 1.0);
    return 1.0 / (*kept - 4.0);
}
double keeping(double x, int n) {
    if (!(x > 0.0 && x < 8.0)) return 0.0;
    return keep(x, n & 63);
}
CALLED double after(double x, int n);
CALLED double before(double x, int n) {
    double *made = malloc(sizeof(double));
    if (!made) return 0.0;
    kept = made;
    *made = x;
    return n > 0 ? after(x, n - 1) : 1.0 / *made;
}
CALLED double after(double x, int n) {
    double local = *kept;
    kept = &local;
    double found = before(x < 1.0 ? 1.0 : x, n);
    return found + 1.0 / (x + 1.0) + 1.0 / (x - 5.0);
}
double mutual(double x, int n) {
    if (!(x >= 1.0 && x < 8.0)) return 0.0;
    return before(x, n & 31);
}
";
    expect(
        "objects.c",
        text,
        &[],
        &[
            ("chained", &["8 fdiv divide-by-zero", "8 fdiv invalid", "8 fdiv overflow"]),
            ("keeping", &["18 fdiv divide-by-zero", "18 fdiv overflow"]),
            ("mutual", &["31 fdiv divide-by-zero", "31 fdiv invalid", "37 fdiv divide-by-zero"]),
        ],
    );
}

#[test]
fn recursions_are_followed() {
    let text = "\
#define CALLED __attribute__((noinline)) static
CALLED double odd(double x, int n);
CALLED double even(double x, int n) {
    if (n <= 0) return 1.0 / (x + 2.0);
    return 1.0 + odd(0.5 * x, n - 1);
}
CALLED double odd(double x, int n) {
    if (n <= 0) return 1.0 / (x - 9.0);
    return 0.5 * even(x, n - 1);
}
double halved(double x, int n) {
    if (!(x > 0.0 && x < 8.0)) return 0.0;
    return even(x, n & 255);
}
CALLED void count(double *at, int n) {
    double mine = 1.0;
    if (n > 0) count(&mine, n - 1);
    *at = mine + 1.0;
}
double counted(int n) {
    double a;
    count(&a, n & 63);
    return 1.0 / (a - 9.0);
}
CALLED double never(double x) { return never(x + 1.0) + 1.0 / x; }
double endless(double x) {
    if (x > 1.0) return 1.0 / (x - 2.0);
    if (x < -1e300) return never(x);
    return 0.0;
}
";
    expect(
        "recursions.c",
        text,
        &[],
        &[
            (
                "halved",
                &[
                    "4 fdiv divide-by-zero",
                    "4 fdiv overflow",
                    "8 fdiv divide-by-zero",
                    "8 fdiv invalid",
                ],
            ),
            ("counted", &["18 fadd invalid"]),
            ("endless", &["27 fdiv invalid"]),
        ],
    );
}

#[test]
fn loops_memory_and_calls_are_followed() {
    let text = "\
static const double table[5] = {0.5, 0.25, -0.125, 0.0625, 1e-3};
static double evaluate(const double *c, int order, double x) {
    double d = 0.0, dd = 0.0;
    for (int j = order; j >= 1; j--) {
        double t = d;
        d = 2.0 * x * d - dd + c[j];
        dd = t;
    }
    return x * d - dd + 0.5 * c[0];
}
double chebyshev(double x) {
    if (x < -1.0 || x > 1.0) return 0.0;
    return evaluate(table, 4, x);
}
struct pair { double value, error; };
static int inner(double x, struct pair *result) {
    if (x < 0.0) { result->value = 1.0; result->error = 0.0; return 1; }
    result->value = x / (1.0 + x);
    result->error = 1e-10 * result->value;
    return 0;
}
double outer(double x) {
    struct pair p;
    inner(x, &p);
    return p.value + p.error;
}
double series(double x) {
    double sum = 0.0;
    for (int k = 1; k <= 20; k++) sum += x / k;
    return sum;
}
double steady(double x, int n) {
    double y = 0.0;
    for (int i = 0; i < n; i++) {
        y = y * 0.5 + 1.0;
        if (y > 100.0) y = 100.0;
    }
    return y * x;
}
double buffered(int n) {
    double a[8];
    for (int i = 0; i < 8; i++) a[i] = i + 1.0;
    if (n < 0 || n > 7) return 0.0;
    return 1.0 / a[n];
}
";
    expect(
        "loops.c",
        text,
        &[("x", "-1e100", "1e100")],
        &[
            ("chebyshev", &["6 fmul overflow", "6 fadd overflow", "9 fmul overflow"]),
            ("outer", &["18 fdiv divide-by-zero", "18 fdiv overflow", "25 fadd overflow"]),
            ("series", &[]),
            ("steady", &["35 fmul overflow", "35 fadd overflow", "38 fmul overflow"]),
            ("buffered", &["44 fdiv divide-by-zero", "44 fdiv overflow"]),
        ],
    );
}

/// Whether every call that means a failure is excluded, from `main` on.
fn proves(name: &str, text: &str, proved: bool) {
    let file = source(name, text);
    let subject = load(&file, &[], &["main"], &[]);
    let main = subject.code.named("main").expect("a main");
    let findings = analyse(&subject.code, Start::Program(main), &Options::default());
    assert_eq!(findings.stopped, None, "{name}");
    assert!(!findings.failures.is_empty(), "{name} can fail at all");
    let safe = findings.failures.iter().all(|call| !call.may_be_reached);
    assert_eq!(safe, proved, "{name}: {:#?}", findings.failures);
}

#[test]
fn assertions_of_whole_programs() {
    let declarations = "\
extern double __VERIFIER_nondet_double(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void) __attribute__((noreturn));
";
    // An unbounded loop with an invariant: the filter stays in a bounded interval.
    let filter = "
int main(void) {
    double x = 0.0;
    while (__VERIFIER_nondet_int()) {
        double in = __VERIFIER_nondet_double();
        __VERIFIER_assume(in >= -1.0 && in <= 1.0);
        x = 0.5 * x + in;
        if (!(x >= -4.0 && x <= 4.0)) reach_error();
    }
    return 0;
}
";
    proves("filter.c", &format!("{declarations}{filter}"), true);
    let wrong = filter.replace("4.0", "1.5");
    proves("wrong.c", &format!("{declarations}{wrong}"), false);
    let counter = "
int main(void) {
    int i = 0;
    int n = __VERIFIER_nondet_int();
    while (i < n) i++;
    if (i < 0) reach_error();
    return 0;
}
";
    proves("counter.c", &format!("{declarations}{counter}"), true);
    let squares = "
int main(void) {
    double x = __VERIFIER_nondet_double();
    if (x * x < 0.0) reach_error();
    double y = __VERIFIER_nondet_double();
    __VERIFIER_assume(y > 2.0);
    if (1.0 / y > 0.5) reach_error();
    return 0;
}
";
    proves("squares.c", &format!("{declarations}{squares}"), true);
}

#[test]
fn what_is_not_set_yet_excludes_no_way() {
    let text = "\
double series(double x) {
    double sum = 1.0, n = 1.0;
    while (n < 1e6) {
        int status;
        int done = 0;
        if (x > 1e300) { status = 16; done = 1; }
        else if (n > 10000.0) { status = 1; done = 1; }
        if (done) return 1.0 / (status - 1);
        sum = sum + x;
        n += 1.0;
    }
    return sum;
}
";
    let subject = load(&source("unset.c", text), &[], &["series"], &[]);
    let (findings, _) = check(&subject, &subject.targets[0], 60);
    let found = impossible(&subject, &subject.targets[0], &findings);
    let goal = "8 fdiv divide-by-zero".to_owned();
    assert!(!found.contains(&goal), "after ten thousand turns: {found:?}");
}

#[test]
fn truths_are_remembered_with_what_they_say() {
    let text = "\
#include <math.h>
double flags(double x, double n) {
    int whole = fabs(x) < 1e-3 && n > 2.0 && n < 50.0;
    double y = x + 3.0;
    if (!whole) return y;
    return 1.0 / n + (int)n;
}
double either(int a, int b) {
    if (a == 0 || b == 0) return 0.0;
    if (b < 0 && (a < b || a > 0)) return 1.0;
    if (a < 0 && b < 0) return 2.0;
    if (a < 0 && b > 0) return 3.0;
    return 1.0 / a + log(b);
}
";
    expect(
        "truths.c",
        text,
        &[],
        &[
            ("flags", &["6 fdiv divide-by-zero", "6 fptosi conversion-out-of-range"]),
            ("either", &["13 fdiv divide-by-zero", "13 log invalid", "13 log divide-by-zero"]),
        ],
    );
}

#[test]
fn what_overflowed_is_told_from_what_is_large() {
    let text = "\
double estimate(double x) {
    double y = x * x;
    double error = 4e-16 * y;
    return error + error;
}
double tail(double x) { return 1.0 / (1.0 / x) * 0.25 * 3.0; }
";
    expect(
        "apart.c",
        text,
        &[],
        &[("estimate", &["4 fadd overflow", "4 fadd invalid"]), ("tail", &["6 fmul overflow"])],
    );
}

#[test]
fn small_functions_are_looked_at_in_parts() {
    let text = "\
#include <math.h>
static double sum(double x) { return 2.0 + 12.0 / (x + 1.0) - 10.0 / (x + 1.5); }
double outer(double x, double y) {
    if (!(x > 0.0 && x < 1000.0 && y > 0.0 && y < 1000.0)) return 0.0;
    return log(sum(x)) + log(sum(y));
}
double arch(double x) {
    if (!(x > 1e-3 && x < 1.0)) return 0.0;
    double s = 3.1 * x;
    return s / sin(s);
}
static double steep(double x) {
    return 1.0 + 700.0 / (x + 1.0) - 1300.0 / (x + 2.0) + 800.0 / (x + 3.0) - 180.0 / (x + 4.0);
}
double finely(double x) {
    if (!(x > 0.0 && x < 40.0)) return 0.0;
    return log(steep(x)) + log(steep(0.5 * x));
}
";
    expect(
        "parts.c",
        text,
        &[],
        &[
            ("outer", &["5 log invalid", "5 log divide-by-zero"]),
            ("arch", &["10 fdiv divide-by-zero"]),
            ("finely", &["17 log invalid", "17 log divide-by-zero"]),
        ],
    );
}

#[test]
fn loops_with_a_range_of_turns() {
    let text = "\
double series(double x, int few) {
    const double c[] = {0.5, 0.25, 0.1, 0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001, 0.00005};
    if (!(x >= -1.0 && x <= 1.0)) return 0.0;
    int order = few ? 5 : 9;
    double d = 0.0, dd = 0.0;
    for (int j = order; j >= 1; j--) {
        double temp = d;
        d = 2.0 * x * d - dd + c[j];
        dd = temp;
    }
    return x * d - dd + 0.5 * c[0];
}
";
    expect(
        "series.c",
        text,
        &[],
        &[(
            "series",
            &["8 fmul overflow", "8 fadd overflow", "11 fadd overflow", "11 fadd invalid"],
        )],
    );
}

#[test]
fn what_lies_beside_an_object_may_be_anything() {
    let text = "\
static const double steps[] = {0.001, 0.03, 0.1};
double outside(double x, int mode) {
    return x / steps[mode & 7];
}
double inside(double x, int mode) {
    return x / steps[(mode & 7) % 3];
}
";
    let file = source("beside.c", text);
    let subject = load(&file, &[], &["outside", "inside"], &[]);
    let goals = [("3 fdiv divide-by-zero", false), ("6 fdiv divide-by-zero", true)];
    for (target, (goal, excluded)) in subject.targets.iter().zip(goals) {
        let findings = analyse(&subject.code, Start::Target(target), &Options::default());
        let found = impossible(&subject, target, &findings);
        assert_eq!(found.iter().any(|f| f == goal), excluded, "{}: {found:?}", target.function);
        assert_eq!(findings.accesses_stay_inside, excluded, "{}", target.function);
    }
}
