//! Which other formulas are offered for what, and that rewritten programs are whole.

use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::{Program, Wishes};

/// The formulas offered in a function of doubles `a`, `b`, `c`, `x` and `v` of length `n`: every
/// step of an offer as `before => after`.
fn offers(body: &str) -> Vec<String> {
    let folder = tempfile(body);
    let text = format!(
        "#include <math.h>\ndouble f(double a, double b, double c, double x, const double *v, int n)\n\
         {{ {body} }}\n"
    );
    let file = folder.join("f.c");
    std::fs::write(&file, text).expect("it can be written");
    let compiler = Compiler::caching_in(&folder.join("cache"), Flags::parse(["-lm"; 1]));
    let compiler = compiler.expect("a cache");
    let bitcode = compiler.bitcode(&[file], None).unwrap_or_else(|fault| panic!("{fault}"));
    let program = Program::load(bitcode).unwrap_or_else(|fault| panic!("{fault}"));
    let rewriter = program.rewriter().unwrap_or_else(|fault| panic!("{fault}"));
    let mut list = Vec::new();
    for (at, offer) in rewriter.offers().iter().enumerate() {
        let steps: Vec<String> =
            offer.steps.iter().map(|it| format!("{} => {}", it.before, it.after)).collect();
        list.push(steps.join("; "));
        // Applied, it is a program of the same shape.
        let new = rewriter.apply(&[at], &folder).unwrap_or_else(|fault| panic!("{fault}"));
        let names = ["f".to_owned()];
        let shape = |program: &Program| {
            let targets = program.targets(&names, &Wishes::default());
            let target = targets.unwrap_or_else(|fault| panic!("{fault}")).remove(0);
            let target = target.unwrap_or_else(|untestable| panic!("{}", untestable.why));
            (target.input_words, target.output_words)
        };
        assert_eq!(shape(&new), shape(&program), "{steps:?}");
        assert!(!offer.replaced.is_empty(), "{steps:?}");
    }
    let _ = std::fs::remove_dir_all(&folder);
    list
}

fn tempfile(body: &str) -> std::path::PathBuf {
    let name: String = body.bytes().map(|byte| format!("{byte:02x}")).take(40).collect();
    let unique = format!("nanoscope-rewrite-{}-{}-{name}", std::process::id(), body.len());
    let path = std::env::temp_dir().join(unique);
    std::fs::create_dir_all(&path).expect("a temporary folder");
    path
}

#[track_caller]
fn check(body: &str, expected: &[&str]) {
    assert_eq!(offers(body), expected, "{body}");
}

#[test]
fn roots_of_sums_of_squares() {
    check("return sqrt(a * a + b * b);", &["sqrt(a * a + b * b) => hypot(a, b)"]);
    check(
        "double r = a * a + b * b + c * c; return sqrt(r);",
        &["sqrt(r) => hypot(hypot(a, b), c)"],
    );
    check(
        "double s = 0; for (int i = 0; i < n; i++) s += v[i] * v[i]; return sqrt(s);",
        &["sqrt(s) => s; s => hypot(s, v[i])"],
    );
    // The sum is needed elsewhere, too.
    check("double s = 0; for (int i = 0; i < n; i++) s += v[i] * v[i]; return sqrt(s) + s;", &[]);
}

#[test]
fn scaling() {
    check(
        "return sqrt(a * a - b * b);",
        &[
            "sqrt(a * a - b * b) => sqrt(fabs(a) - fabs(b)) * sqrt(fabs(a) + fabs(b))",
            "sqrt(a * a - b * b) => m * sqrt(r / m * (r / m) - s / m * (s / m)) where \
             m = fmax(fmax(r, s), DBL_MIN), r = fabs(a), s = fabs(b)",
        ],
    );
    let list = offers("return sqrt(b * b - 4 * a * c);");
    assert!(list.iter().any(|offer| offer.contains("=> m * sqrt(")), "{list:?}");
    let list = offers("return (a * b + x * c) / (b * b + c * c);");
    assert!(list.iter().any(|offer| offer.contains("m = fmax(fabs(b), fabs(c))")), "{list:?}");
}

#[test]
fn averages() {
    check("return (a + b) / 2;", &["(a + b) / 2 => a / 2 + b / 2"]);
    check("return 0.5 * (a - b);", &["0.5 * (a - b) => a * 0.5 - b * 0.5"]);
    check("return (a + b) * 2;", &[]);
    check(
        "double s = 0; for (int i = 0; i < n; i++) s += v[i]; return s / n;",
        &["s / n => s; s => s + v[i] / n"],
    );
}

#[test]
fn products() {
    check("return a * b / c;", &["a * b / c => a * (b / c)", "a * b / c => a / c * b"]);
    check("return x / (1 + x * x);", &["x / (1 + x * x) => 1 / (1 / x + x)"]);
    check("return sqrt(a * b);", &["sqrt(a * b) => sqrt(a) * sqrt(b)"]);
}

#[test]
fn logarithms_and_exponentials() {
    check("return log(1 + x);", &["log(1 + x) => log1p(x)"]);
    check("return log(1 - x);", &["log(1 - x) => log1p(-x)"]);
    check("return log(a * b);", &["log(a * b) => log(a) + log(b)"]);
    check("return log(x + sqrt(x * x + 1));", &["log(x + sqrt(x * x + 1)) => asinh(x)"]);
    check(
        "return log(exp(a) + exp(b));",
        &["log(exp(a) + exp(b)) => fmax(a, b) + log1p(exp(-fabs(a - b)))"],
    );
    check("return exp(x) - 1;", &["exp(x) - 1 => expm1(x)"]);
    check("return 1 - exp(-x);", &["1 - exp(-x) => -expm1(-x)"]);
    check("return exp(x) + 1;", &[]);
    check("return exp(a) / exp(b);", &["exp(a) / exp(b) => exp(a - b)"]);
    check(
        "return exp(a) / (exp(a) + exp(b));",
        &["exp(a) / (exp(a) + exp(b)) => 1 / (1 + exp(b - a))"],
    );
    check(
        "return (exp(x) - exp(-x)) / (exp(x) + exp(-x));",
        &["(exp(x) - exp(-x)) / (exp(x) + exp(-x)) => tanh(x)"],
    );
}
