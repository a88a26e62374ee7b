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

/// Bodies of functions, and what is offered for them.
const BODIES: &[&str] = &[
    "return sqrt(a * a + b * b);",
    "double r = a * a + b * b + c * c; return sqrt(r);",
    "return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);",
    "return sqrt(*v * *v + x * x);",
    "double s = 0; for (int i = 0; i < n; i++) s += v[i] * v[i]; return sqrt(s);",
    // The sum is needed elsewhere, too.
    "double s = 0; for (int i = 0; i < n; i++) s += v[i] * v[i]; return sqrt(s) + s;",
    "return sqrt(a * a - b * b);",
    "return sqrt(b * b - 4 * a * c);",
    "return (a * b + x * c) / (b * b + c * c);",
    "return (a + b) / 2;",
    "return 0.5 * (a - b);",
    "return (a + b) * 2;",
    "double s = 0; for (int i = 0; i < n; i++) s += v[i]; return s / n;",
    "return a * b / c;",
    "return a / (b * c);",
    "return x / (1 + x * x);",
    "return sqrt(a * b);",
    "return log(1 + x);",
    "return log(1 - x);",
    "return log(a * b);",
    "return log(x + sqrt(x * x + 1));",
    "return log(x + sqrt(x * x - 1));",
    "return log(exp(a) + exp(b));",
    "return exp(x) - 1;",
    "return 1 - exp(-x);",
    "return exp(x) + 1;",
    "return exp(a) / exp(b);",
    "return exp(a) * exp(b);",
    "return exp(a) / (exp(a) + exp(b));",
    "return (exp(x) - exp(-x)) / (exp(x) + exp(-x));",
    "return (exp(x) - 1) / (exp(x) + 1);",
    "return a + b * c;",
];

#[test]
fn offers_for_formulas() {
    let mut page = String::new();
    for body in BODIES {
        page.push_str(&format!("{body}\n"));
        offers(body).iter().for_each(|offer| page.push_str(&format!("    {offer}\n")));
    }
    insta::assert_snapshot!(page);
}
