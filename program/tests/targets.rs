//! What Nanoscope makes of a function: its sites, goals, inputs, outputs and gaps. Each
//! subject is a source with its expectation beside it.

use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::{Fault, Program, Scalar, Target, Wish, Wishes};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of this test's own, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("nanoscope-targets-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn load(name: &str, text: &str, flags: &[&str]) -> (Folder, Compiler, Program) {
    let folder = Folder::new();
    let file = folder.0.join(name);
    std::fs::write(&file, text).expect("it can be written");
    // One cache for all tests of a run: the runtime is compiled once.
    let cache = std::env::temp_dir().join(format!("nanoscope-targets-{}", std::process::id()));
    let compiler = Compiler::caching_in(&cache, Flags::parse(flags)).expect("a cache");
    let bitcode = compiler.bitcode(&[file], None).unwrap_or_else(|fault| panic!("{fault}"));
    let program = Program::load(bitcode).unwrap_or_else(|fault| panic!("{fault}"));
    (folder, compiler, program)
}

/// A target in short: inputs with types, `->`, outputs.
fn describe(target: &Target) -> String {
    let kind = |scalar: Scalar| match scalar {
        Scalar::Float(format) => format.to_string(),
        Scalar::Integer { bits, signed } => format!("{}{bits}", if signed { "i" } else { "u" }),
    };
    let mut text = String::new();
    for input in &target.inputs {
        write!(text, "{}:{} ", input.name, kind(input.scalar)).expect("to a string");
    }
    text.push_str("->");
    for output in &target.outputs {
        write!(text, " {}:{}", output.name, kind(output.scalar)).expect("to a string");
    }
    text
}

fn check_with(name: &str, text: &str, wishes: &Wishes, expected: &str) {
    let (folder, compiler, program) = load(name, text, &[]);
    let names: Vec<String> =
        program.callable().into_iter().map(|candidate| candidate.symbol).collect();
    let targets = program.targets(&names, wishes).unwrap_or_else(|fault| panic!("{fault}"));
    let found: Vec<String> = targets
        .iter()
        .map(|target| match target {
            Ok(target) => describe(target),
            Err(untestable) => format!("not: {}", untestable.why),
        })
        .collect();
    assert_eq!(found.join("\n"), expected, "{text}");
    // Whatever it is, libraries can be made of it.
    if targets.iter().any(Result::is_ok) {
        program
            .libraries(&names, wishes, &compiler, &folder.0, None)
            .and_then(|libraries| {
                targets.iter().flatten().try_for_each(|target| {
                    libraries.instrumented(target)?;
                    libraries.original(target).map(drop)
                })
            })
            .unwrap_or_else(|fault| panic!("{text}: {fault}"));
    }
}

fn check(name: &str, text: &str, expected: &str) {
    check_with(name, text, &Wishes::default(), expected);
}

fn array(name: &str, value: u64) -> Wishes {
    let value = value.into();
    Wishes { arrays: vec![Wish { function: None, name: name.into(), value }], ..Wishes::default() }
}

#[test]
fn scalars() {
    check(
        "a.c",
        "double f(double x, float y, int n, unsigned char c) { return x * y + n + c; }",
        "x:binary64 y:binary32 n:i32 c:u8 -> return:binary64",
    );
    check(
        "a.c",
        "long double f(long double x, _Bool b) { return b ? x / 3 : x; }",
        "x:x87 b:u1 -> return:x87",
    );
    check("a.c", "__float128 f(__float128 x) { return x * x; }", "x:binary128 -> return:binary128");
    check(
        "a.c",
        "enum e { A, B }; double f(enum e k, double x) { return k == A ? x * x : x; }",
        "k:u32 x:binary64 -> return:binary64",
    );
}

#[test]
fn structures_in_registers_and_in_memory() {
    let text = "struct p { double x, y; }; double f(struct p a, struct p b) { return a.x * b.y; }";
    check("a.c", text, "a.x:binary64 a.y:binary64 b.x:binary64 b.y:binary64 -> return:binary64");
    let text = "struct p { float x; int n; }; float f(struct p a) { return a.x / a.n; }";
    check("a.c", text, "a.x:binary32 a.n:i32 -> return:binary32");
    let text = "struct p { double x[3]; }; double f(struct p a) { return a.x[0] * a.x[2]; }";
    check("a.c", text, "a.x[0]:binary64 a.x[1]:binary64 a.x[2]:binary64 -> return:binary64");
    let text = "struct p { double x[3]; }; struct p f(double a) { struct p r = {{a, a * a, 1 / a}}; return r; }";
    check(
        "a.c",
        text,
        "a:binary64 -> return.x[0]:binary64 return.x[1]:binary64 return.x[2]:binary64",
    );
    let text = "double _Complex f(double _Complex a) { return a + a; }";
    check("a.c", text, "a.real:binary64 a.imag:binary64 -> return.0:binary64 return.1:binary64");
}

#[test]
fn memory_behind_pointers() {
    let text = "typedef struct { double val, err; } r; int f(double x, r *result) { result->val = x * x; result->err = result->val / 2; return 0; }";
    check("a.c", text, "x:binary64 -> return:i32 result->val:binary64 result->err:binary64");
    let text = "typedef struct { double val, err; } r; void f(r *a) { a->err = a->val * a->val; }";
    check("a.c", text, "a->val:binary64 -> a->val:binary64 a->err:binary64");
    check("a.c", "double f(const double *x) { return *x * *x; }", "*x:binary64 -> return:binary64");
    check(
        "a.c",
        "double f(const double *x) { return x[0] * x[2]; }",
        "x[0]:binary64 x[1]:binary64 x[2]:binary64 -> return:binary64",
    );
    let sum = "double f(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
    check(
        "a.c",
        sum,
        "x[0]:binary64 x[1]:binary64 x[2]:binary64 x[3]:binary64 n:i32 -> return:binary64",
    );
    check_with("a.c", sum, &array("x", 2), "x[0]:binary64 x[1]:binary64 n:i32 -> return:binary64");
    check_with(
        "a.c",
        "double f(const char *s) { return s[0] / 3.0; }",
        &array("s", 2),
        "s[0]:i8 s[1]:i8 -> return:binary64",
    );
    let text = "struct n { double v; struct n *next; }; double f(const struct n *l) { return l->v * l->next->v; }";
    check(
        "a.c",
        text,
        "l->v:binary64 l->next->v:binary64 l->next->next->v:binary64 l->next->next->next->v:binary64 -> return:binary64 l->next->v:binary64 l->next->next->v:binary64 l->next->next->next->v:binary64",
    );
}

#[test]
fn results_of_callbacks_are_inputs() {
    check(
        "a.c",
        "double f(double (*g)(double), double x) { return g(x) * x; }",
        "g()[0]:binary64 g()[1]:binary64 g()[2]:binary64 g()[3]:binary64 x:binary64 -> \
         return:binary64",
    );
}

#[test]
fn parts_of_bytes_and_of_unions_are_inputs() {
    let text = "struct b { unsigned mode : 3; int sign : 2; unsigned : 0; unsigned n : 10; };\n\
                double f(struct b b, double x) { return x / b.n; }";
    check("b.c", text, "b.mode:u3 b.sign:i2 b.n:u10 x:binary64 -> return:binary64");
    let text = "union u { float narrow; double wide; long whole; };\n\
                double f(const union u *u) { return u->wide; }";
    check("u.c", text, "u->wide:binary64 -> return:binary64");
}

#[test]
fn functions_in_structures_and_what_they_write_are_inputs() {
    let text = "struct s { double (*f)(double, void *); void *p; };\n\
                double f(struct s *s, double x) { return 1 / s->f(x, s->p); }";
    let results = "s->f()[0]:binary64 s->f()[1]:binary64 s->f()[2]:binary64 s->f()[3]:binary64";
    check("s.c", text, &format!("{results} x:binary64 -> return:binary64"));
    let text = "float f(void (*g)(const float *, float *)) { float x[2] = {1, 2}, y[2]; g(x, y); return y[1]; }";
    let numbers: Vec<String> = (0..4).map(|i| format!("g().arg2[{i}]:binary32")).collect();
    check("g.c", text, &format!("{} -> return:binary32", numbers.join(" ")));
}

#[test]
fn what_cannot_be_made_says_why() {
    check(
        "a.c",
        "double f(int n, ...) { return n * 2.0; }",
        "not: takes a variable number of arguments",
    );
}

#[test]
fn other_languages() {
    let text = "subroutine scale(n, a, x)\n integer, intent(in) :: n\n real, intent(in) :: a\n real, intent(inout) :: x(n)\n x(1) = a * x(1)\nend subroutine\n";
    check(
        "a.f90",
        text,
        "a:binary32 x(1):binary32 -> x(1):binary32 x(2):binary32 x(3):binary32 x(4):binary32",
    );
    let text = "module m\n type t\n real(8) :: a\n integer :: n(2)\n end type\ncontains\n real(8) function f(p)\n type(t), intent(in) :: p\n f = p%a * p%n(2)\n end function\nend module\n";
    check("a.f90", text, "p%a:binary64 p%n(2):i32 -> return:binary64");
    let text = "subroutine f(x, s)\n real, intent(in) :: x(:,:)\n real, intent(out) :: s\n s = x(1, 2)\nend subroutine\n";
    check_with(
        "a.f90",
        text,
        &array("x", 4),
        "x(1,1):binary32 x(2,1):binary32 x(1,2):binary32 x(2,2):binary32 -> x(1,1):binary32 \
         x(2,1):binary32 x(1,2):binary32 x(2,2):binary32 s:binary32",
    );
    let text = "real function f(x)\n real, intent(in), optional :: x\n f = 1\n if (present(x)) f = x * x\nend function\n";
    check("a.f90", text, "present(x):u1 x:binary32 -> return:binary32");
    let text = "struct v { double x, y; double dot(const v &o) const { return x * o.x + y * o.y; } };\ndouble f(const v &a) { return a.dot(a); }\n";
    check("a.cpp", text, "a->x:binary64 a->y:binary64 -> return:binary64");
    let text = "#include <vector>\ndouble f(const std::vector<double> &v) { return v.front() * v.back(); }\n";
    check_with("a.cpp", text, &array("v", 2), "v[0]:binary64 v[1]:binary64 -> return:binary64");
    let text =
        "#include <array>\ndouble f(const std::array<double, 2> &a) { return a[0] * a[1]; }\n";
    check("a.cpp", text, "a[0]:binary64 a[1]:binary64 -> return:binary64");
    let text = "#include <functional>\ndouble f(const std::function<double(double)> &g) { return 1 / g(2); }\n";
    let results: Vec<String> = (0..4).map(|i| format!("g()[{i}]:binary64")).collect();
    check("a.cpp", text, &format!("{} -> return:binary64", results.join(" ")));
    let text =
        "#include <map>\ndouble f(const std::map<int, double> &m) { return m.size() * 0.5; }\n";
    check("a.cpp", text, "not: has `m`, which only the standard library can make");
    let text = "define double @f(double %x, ptr %p) {\n  %y = load double, ptr %p\n  %z = fmul double %x, %y\n  ret double %z\n}\n";
    check("a.ll", text, "arg1:binary64 arg2:binary64 -> return:binary64");
}

/// Bitcode of a plain -O0 build forbids its own optimisation.
#[test]
fn bitcode_that_must_not_be_optimised() {
    let text = "define double @f(double %x) noinline optnone {\n  %y = fmul double %x, %x\n  ret double %y\n}\n";
    check("a.ll", text, "arg1:binary64 -> return:binary64");
}

/// The sites of a source: line:column operation, and the goals that are open.
fn check_sites(text: &str, flags: &[&str], expected: &[&str]) {
    let (_folder, _, program) = load("a.c", text, flags);
    let found: Vec<String> = program
        .sites()
        .iter()
        .map(|site| {
            let goals =
                program.goals().iter().filter(|goal| goal.site == site.id && goal.never.is_none());
            let letters: String =
                goals.map(|goal| goal.exception.name().chars().next().expect("a name")).collect();
            format!(
                "{}:{} {} {letters}",
                site.location.line,
                site.location.column,
                site.action.name()
            )
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn sites_and_the_goals_a_constant_leaves_open() {
    check_sites("double f(double x, double y) { return x * y; }", &[], &["1:41 fmul oui"]);
    check_sites("double f(double x) { return x / 2; }", &[], &["1:31 fdiv u"]);
    check_sites("double f(double x) { return 1 / x; }", &[], &["1:31 fdiv oud"]);
    check_sites("double f(double x) { return x - 1; }", &[], &["1:31 fsub "]);
    check_sites("double f(double x) { return x * 0.5; }", &[], &["1:31 fmul u"]);
    check_sites("float f(double x) { return (float)x; }", &[], &["1:28 fptrunc ou"]);
    check_sites("short f(double x) { return (short)x; }", &[], &["1:28 fptosi c"]);
    check_sites(
        "#include <math.h>\ndouble f(double x) { return sqrt(x) + log(x) - fabs(x); }",
        &[],
        &["2:29 sqrt i", "2:39 log di", "2:37 fadd oui", "2:46 fsub oui"],
    );
    // One expression: fused where the machine can, two operations where it cannot.
    let text = "double f(double a, double b, double c) { return a * b + c; }";
    check_sites(text, &[], &["1:49 fmul oui", "1:55 fadd oui"]);
    check_sites(text, &["-mfma"], &["1:55 fma oui"]);
    check_sites(text, &["-mfma", "-ffp-contract=off"], &["1:51 fmul oui", "1:55 fadd oui"]);
    // A macro's operations stand on one place and stay apart.
    check_sites(
        "#define SQ(x) ((x) * (x))\ndouble f(double x, double y) { return SQ(x) + SQ(y); }",
        &["-ffp-contract=off"],
        &["2:39 fmul oui", "2:47 fmul oui", "2:45 fadd oui"],
    );
    // Without fused operations nothing contracts; with them, what the code generator takes up.
    let fast = "-ffp-contract=fast";
    check_sites(text, &[fast], &["1:51 fmul oui", "1:55 fadd oui"]);
    check_sites(text, &[fast, "-mfma"], &["1:51 fmul oui", "1:55 fadd oui"]);
    check_sites(text, &[fast, "-mfma", "-O2"], &["1:55 fma oui"]);
    // Without optimisation no freedom of fast-math is used; with it, what the optimiser makes of it.
    check_sites("double f(double x) { return x / 2; }", &["-ffast-math"], &["1:31 fdiv u"]);
    let flags = ["-O2", "-ffast-math"];
    check_sites("double f(double x) { return x / 2; }", &flags, &["1:31 fmul u"]);
}

fn refused(text: &str, functions: &[&str], wishes: &Wishes, expected: &str) {
    let (_folder, _, program) = load("a.c", text, &[]);
    let names: Vec<String> = functions.iter().map(|name| (*name).to_owned()).collect();
    match program.targets(&names, wishes) {
        Err(Fault::User(message)) => assert_eq!(message, expected),
        Err(fault) => panic!("{fault}"),
        Ok(_) => panic!("{text} was accepted"),
    }
}

#[test]
fn a_range_for_every_float() {
    let text = "double mean(double x, float y, int n) { return (x + y) / n; }";
    let wish = |name: &str, low: &str, high: &str| Wish {
        function: None,
        name: name.into(),
        value: (low.into(), high.into()),
    };
    // What is said of `y` alone holds, though it is said first.
    let ranges = vec![wish("y", "1", "2"), wish("*", "-4", "4")];
    let (_folder, _, program) = load("a.c", text, &[]);
    let wishes = Wishes { ranges, ..Wishes::default() };
    let targets = program.targets(&["mean".to_owned()], &wishes).expect("they are there");
    let target = targets[0].as_ref().expect("it can be tested");
    let ends: Vec<(u128, u128)> =
        target.inputs.iter().take(2).map(|input| (input.low, input.high)).collect();
    let double = |x: f64| u128::from(x.to_bits());
    let float = |x: f32| u128::from(x.to_bits());
    assert_eq!(ends, [(double(-4.0), double(4.0)), (float(1.0), float(2.0))]);
    let free = program.targets(&["mean".to_owned()], &Wishes::default()).expect("they are there");
    let free = free[0].as_ref().expect("it can be tested");
    assert_eq!(
        (target.inputs[2].low, target.inputs[2].high),
        (free.inputs[2].low, free.inputs[2].high)
    );
}

/// Functions of C++ go by their scopes, and are found without them; what is instantiated
/// explicitly is the user's own.
#[test]
fn names_have_scopes() {
    let text = "namespace { double own(double x) { return x; } }\n\
        namespace shapes {\n\
        class Circle { double r; public: Circle(double r) : r(r) {} double area() const; };\n\
        double Circle::area() const { return r * r + own(r); }\n\
        double area(double x) { return Circle(x).area(); }\n\
        template <typename T> T blend(T a, T b) { return a + b; }\n\
        template float blend<float>(float, float);\n\
        }\n";
    let (_folder, _, program) = load("names.cpp", text, &[]);
    let mut callable: Vec<String> =
        program.callable().into_iter().map(|candidate| candidate.function).collect();
    callable.sort();
    assert_eq!(callable, ["shapes::Circle::area", "shapes::area", "shapes::blend<float>"]);
    let called = |name: &str| {
        let found = program.targets(&[name.to_owned()], &Wishes::default());
        found.map(|targets| match &targets[0] {
            Ok(target) => target.function.clone(),
            Err(untestable) => untestable.function.clone(),
        })
    };
    for (name, full) in [
        ("Circle::area", "shapes::Circle::area"),
        ("shapes::area", "shapes::area"),
        ("blend", "shapes::blend<float>"),
        ("names.cpp:blend<float>", "shapes::blend<float>"),
        ("own", "own"),
    ] {
        assert_eq!(called(name).expect(name), full);
    }
    let two = called("area").expect_err("two functions");
    assert!(
        two.to_string().starts_with("`area` names several functions: give one of `shapes::"),
        "{two}"
    );
}

#[test]
fn mistakes_get_a_message() {
    let text = "double mean(double x, int n) { return x / n; }";
    let range = |name: &str, low: &str, high: &str| Wishes {
        ranges: vec![Wish { function: None, name: name.into(), value: (low.into(), high.into()) }],
        ..Wishes::default()
    };
    refused(
        text,
        &["maen"],
        &Wishes::default(),
        "no function `maen` is defined in the sources; there are: mean",
    );
    refused(
        text,
        &["mea"],
        &Wishes::default(),
        "no function `mea` is defined in the sources; did you mean `mean`?",
    );
    refused(
        text,
        &["mean"],
        &range("m", "0", "1"),
        "--input m=…: no input is called `m`; did you mean `n`?",
    );
    refused(
        text,
        &["mean"],
        &range("x", "2", "1"),
        "--input x=2..1: the range is empty: its low end is above its high end",
    );
    refused(text, &["mean"], &range("n", "0.5", "1"), "--input n=0.5..1: `0.5` is not an integer");
    refused(
        text,
        &["mean"],
        &range("n", "0", "3e9"),
        "--input n=0..3e9: 3000000000 does not fit: the type holds -2147483648..2147483647",
    );
    refused(
        text,
        &["mean"],
        &range("x", "one", "2"),
        "--input x=one..2: `one` is not a number (write 1.5, 1e-3 or 0x1.8p-4)",
    );
}

#[test]
fn ends_of_ranges_are_read_as_a_compiler_reads_them() {
    let (_folder, _, program) = load("a.c", "float f(float x, double y) { return x * y; }", &[]);
    let range = |name: &str, low: &str, high: &str| Wish {
        function: None,
        name: name.into(),
        value: (low.into(), high.into()),
    };
    let ranges = vec![range("x", "-1e400", "0.1"), range("y", "1e308", "1e308")];
    let targets = program
        .targets(&["f".to_owned()], &Wishes { ranges, ..Wishes::default() })
        .expect("it is right");
    let inputs = &targets[0].as_ref().expect("it can be tested").inputs;
    assert_eq!(f32::from_bits(inputs[0].low as u32), -f32::MAX);
    assert_eq!(f32::from_bits(inputs[0].high as u32), 0.1f32);
    assert_eq!([inputs[1].low, inputs[1].high], [u128::from(1e308f64.to_bits()); 2]);
}

#[test]
fn identities_do_not_depend_on_where_the_code_is_compiled() {
    let text = "static double g(double x) { return x * x; }\ndouble f(double x) { return g(x) / g(x - 1); }";
    let (_one, _, first) = load("a.c", text, &[]);
    let (_two, _, second) = load("a.c", text, &["-O2"]);
    let places = |program: &Program| -> Vec<(u32, u32, &'static str)> {
        program
            .sites()
            .iter()
            .map(|s| (s.location.line, s.location.column, s.action.name()))
            .collect()
    };
    assert_eq!(places(&first), places(&second));
    assert_eq!(first.sites().len(), 3);
}

/// What is an input is what some path reads before it writes it, in whatever order the branches
/// stand in the source.
#[test]
fn what_a_path_reads_first_is_an_input() {
    let text = "void f(double *a, double x) { if (x < 0) { *a = 0; } else { *a = *a * x; } }";
    check("a.c", text, "*a:binary64 x:binary64 -> *a:binary64");
    let text = "void f(double *a, double x) { *a = x; if (x < 0) { *a = *a * x; } }";
    check("a.c", text, "x:binary64 -> *a:binary64");
    let text =
        "static void set(double *p) { *p = 1; } double f(double *a) { set(a); return *a / 3; }";
    check("a.c", text, "-> return:binary64 *a:binary64");
    let scale = "void f(int n, double b, double *y) { for (int i = 0; i < n; i++) if (b == 0) y[i] = 0; else y[i] *= b; }";
    check_with(
        "a.c",
        scale,
        &array("y", 2),
        "n:i32 b:binary64 y[0]:binary64 y[1]:binary64 -> y[0]:binary64 y[1]:binary64",
    );
    let fill = "void f(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; for (int i = 0; i < n; i++) y[i] *= 3; }";
    check_with("a.c", fill, &array("y", 2), "n:i32 -> y[0]:binary64 y[1]:binary64");
    let text = "#include <string.h>\ndouble f(const double *a) { double b[3]; memcpy(b, a, sizeof b); return b[0] * b[2]; }";
    check("a.c", text, "a[0]:binary64 a[1]:binary64 a[2]:binary64 -> return:binary64");
}

/// How far code goes, through objects that keep pointers and loops of constant length.
#[test]
fn how_far_code_goes() {
    let text = "static const double *same(const double *p) { return p; } struct view { const double *data; view(const double *d) : data(same(d)) {} double at(int i) const { return data[i]; } }; double f(const double a[4]) { view v(a); return v.at(0) * v.at(2); }";
    check("a.cpp", text, "a[0]:binary64 a[1]:binary64 a[2]:binary64 -> return:binary64");
    let text =
        "float f(const float *a) { float s = 0; for (int i = 0; i < 6; i++) s += a[i]; return s; }";
    let six: Vec<String> = (0..6).map(|i| format!("a[{i}]:binary32")).collect();
    check("a.c", text, &format!("{} -> return:binary32", six.join(" ")));
    let text = "struct out { double *data; void put(double x) { data[1] = x * x; } }; void f(double x, double c[2]) { out o{c}; o.put(x); }";
    check("a.cpp", text, "x:binary64 -> c[0]:binary64 c[1]:binary64");
}

/// A function's identity changes with what it can reach, and with nothing else.
#[test]
fn identities_are_of_what_is_reached() {
    let folder = Folder::new();
    let file = folder.0.join("reached.c");
    let cache = std::env::temp_dir().join(format!("nanoscope-targets-{}", std::process::id()));
    let identities = |table: &str, divisor: &str| {
        let text = format!(
            "static double table[2] = {{1, {table}}};\n\
             static double helper(double x) {{ return x * table[x > 0]; }}\n\
             double f(double x) {{ return helper(x) + 1; }}\n\
             double g(double x) {{ return x / {divisor}; }}\n"
        );
        std::fs::write(&file, text).expect("it can be written");
        let compiler = Compiler::caching_in(&cache, Flags::parse([""; 0])).expect("a cache");
        let bitcode = compiler.bitcode(std::slice::from_ref(&file), None).expect("it compiles");
        let program = Program::load(bitcode).expect("it loads");
        program.identities(&["f".to_owned(), "g".to_owned()]).expect("both are there")
    };
    let first = identities("2", "3");
    assert_eq!(identities("2", "3"), first);
    let other_divisor = identities("2", "4");
    assert_eq!(other_divisor[0], first[0], "f does not reach g");
    assert_ne!(other_divisor[1], first[1], "g divides by another number");
    let other_table = identities("5", "3");
    assert_ne!(other_table[0], first[0], "f reads another table");
    assert_eq!(other_table[1], first[1], "g does not read the table");
}
