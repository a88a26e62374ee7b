//! Regression tests are compiled and run: they fail on the program they were written for,
//! and pass once it is mended.

use nanoscope_ieee::Format;
use nanoscope_report::{
    Claim, Evidence, Finding, Kind, Number, Place, RegressionTest, Report, Run, Statistics,
    Subject, identity, to_regression_test,
};
use std::path::Path;
use std::process::Command;

fn double(name: &str, value: f64) -> Number {
    Number::float(name, "double", Format::BINARY64, u128::from(value.to_bits()))
}

fn finding(function: &str, kind: Kind, inputs: Vec<Number>, outputs: Vec<Number>) -> Finding {
    let place = Place { file: "subject.c".to_string(), line: 1, column: 1 };
    Finding::new(
        Claim {
            id: identity(kind, function, &place, "fadd", 1),
            kind,
            function: function.to_string(),
            place,
            operation: "fadd".to_string(),
            inputs,
            engine: "native-search".to_string(),
        },
        Evidence { outputs, ..Evidence::default() },
    )
}

fn written(source: &str, finding: &Finding) -> Result<RegressionTest, &'static str> {
    let subject = Subject {
        sources: vec![source.to_string()],
        flags: vec!["-O1".to_string()],
        ..Subject::default()
    };
    let run = Run { command: "exceptions".to_string(), seed: 1, subject };
    let report = Report::new(run, vec![finding.clone()], Vec::new(), Statistics::default());
    to_regression_test(&report, finding)
}

/// Builds a test with a subject and gives its exit code.
fn outcome(test: &RegressionTest, subject: &str) -> i32 {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("the folder takes files");
    };
    write(&test.file, &test.text);
    write("subject.c", subject);
    // As the test's own head says, with a compiler that is there for sure.
    let command = test.text.lines().find_map(|line| line.strip_prefix(" *     "));
    let command: Vec<&str> = command.expect("it says how").split(' ').collect();
    let built = Command::new("clang-19")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o", "test"])
        .args(&command[1..])
        .current_dir(folder.path())
        .output()
        .expect("clang-19 is there");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(Path::new("./test")).current_dir(folder.path()).status();
    run.expect("it runs").code().expect("it ends")
}

#[track_caller]
fn check(finding: &Finding, broken: &str, mended: &str) {
    let test = written("subject.c", finding).expect("it can be written");
    assert_eq!(outcome(&test, broken), 1, "{}", test.text);
    assert_eq!(outcome(&test, mended), 0, "{}", test.text);
}

#[test]
fn scalars() {
    check(
        &finding(
            "mean",
            Kind::Overflow,
            vec![double("x", f64::MAX), double("y", 1e308)],
            vec![double("return", f64::INFINITY)],
        ),
        "double mean(double x, double y) { return (x + y) / 2; }",
        "double mean(double x, double y) { return x / 2 + y / 2; }",
    );
}

/// A finding whose details say how C calls the function.
fn called(finding: &Finding, computed: Number, call: serde_json::Value) -> Finding {
    let mut finding = finding.clone();
    finding.details.computed = Some(computed);
    if !call.is_null() {
        finding.details.more.insert("call".to_string(), call);
    }
    finding
}

#[test]
fn infinite_and_nan_inputs() {
    check(
        &finding(
            "difference",
            Kind::Invalid,
            vec![double("x", f64::INFINITY), double("y", f64::INFINITY), double("z", f64::NAN)],
            vec![double("return", f64::NAN)],
        ),
        "double difference(double x, double y, double z) { (void)z; return x - y; }",
        "double difference(double x, double y, double z) { (void)z; return x + y; }",
    );
}

#[test]
fn exact_subnormal_results() {
    let finding = finding(
        "half",
        Kind::Underflow,
        vec![double("x", f64::MIN_POSITIVE)],
        vec![double("return", f64::MIN_POSITIVE / 2.0)],
    );
    check(
        &called(&finding, double("result", f64::MIN_POSITIVE / 2.0), serde_json::Value::Null),
        "double half(double x) { return x * 0.5; }",
        "double half(double x) { return x * 2; }",
    );
}

#[test]
fn integers_that_do_not_fit() {
    let number = |name, bits, signed, value: u128| {
        let type_name = if signed { "int" } else { "unsigned char" };
        Number::integer(name, type_name, bits, signed, value)
    };
    let one = |kind| {
        finding("next", kind, vec![double("x", 2147483647.0)], vec![number("return", 32, true, 0)])
    };
    check(
        &called(
            &one(Kind::IntegerOverflow),
            number("result", 32, true, 1 << 31),
            serde_json::Value::Null,
        ),
        "int next(double x) { return (int)x + 1; }",
        "int next(double x) { return (int)(x - 1) + 1; }",
    );
    check(
        &called(
            &one(Kind::ConversionOutOfRange),
            number("result", 8, false, 255),
            serde_json::Value::Null,
        ),
        "int next(double x) { return (unsigned char)x; }",
        "int next(double x) { return x < 256 ? (unsigned char)x : 0; }",
    );
}

#[test]
fn structures_and_functions_of_the_file() {
    let inputs = vec![
        double("p->x", 1e200),
        double("p->more[0]", 2.0),
        double("p->more[1]", 1e300),
        double("*p->far", 1e308),
        double("by.value", 1e308),
        Number::integer("n", "int", 32, true, 2),
    ];
    let finding = finding("norm", Kind::Overflow, inputs, Vec::new());
    let call = serde_json::json!({
        "file": "subject.c", "static": true, "returns": "struct pair",
        "parameters": [
            {"name": "p", "type": "struct point const *"}, {"name": "by", "type": "factor"},
            {"name": "n", "type": "int"}, {"name": "result", "type": "double *"},
        ],
        "memory": [
            {"name": "p", "bytes": 32}, {"name": "p->far", "bytes": 8},
            {"name": "result", "bytes": 8},
        ],
    });
    let subject = |body: &str| {
        format!(
            "struct point {{ double x, more[2], *far; }};\nstruct pair {{ double a, b; }};\n\
             typedef struct {{ double value; }} factor;\n\
             static struct pair norm(const struct point *p, const factor by, int n, double *result)\n\
             {{\n    struct pair pair = {{ 0, n }};\n    {body}\n    return pair;\n}}\n\
             int main(void) {{ return norm(0, (factor){{ 0 }}, 1, 0).a > 0; }}\n"
        )
    };
    check(
        &called(&finding, double("result", f64::INFINITY), call),
        &subject("*result = *p->far + by.value + p->more[1];"),
        &subject("*result = *p->far / 4 + by.value / 4 + p->more[1];"),
    );
}

#[test]
fn arrays_integers_and_no_result() {
    let float = |name: &str, value: f32| {
        Number::float(name, "real", Format::BINARY32, u128::from(value.to_bits()))
    };
    check(
        &finding(
            "scale",
            Kind::DivideByZero,
            vec![
                float("a[0]", 1.0),
                float("a[1]", 0.1),
                Number::integer("n", "int", 32, true, 2),
                double("*by", 0.0),
                Number::integer("k", "int64_t", 64, true, 1 << 63),
            ],
            Vec::new(),
        ),
        "void scale(float *a, int n, double *by, long k) { while (n--) a[n] /= *by + 0 * (double)k; }",
        "void scale(float *a, int n, double *by, long k) { (void)a; (void)n; (void)by; (void)k; }",
    );
}

#[test]
fn a_test() {
    let finding = finding(
        "mean",
        Kind::Overflow,
        vec![double("x", f64::MAX), double("y[0]", 1e308), double("y[1]", 0.0)],
        vec![double("return", f64::INFINITY)],
    );
    insta::assert_snapshot!(written("subject.c", &finding).expect("it can be written").text);
}

#[test]
fn what_cannot_be_written_is_said() {
    let of = |inputs, outputs| finding("f", Kind::Invalid, inputs, outputs);
    let returned = || vec![double("return", 0.0)];
    for (source, finding, reason) in [
        ("f.f90", of(vec![], returned()), "other files cannot call it"),
        ("f.rs", of(vec![], returned()), "not all C"),
        ("f.c", of(vec![double("p->val", 1.0)], returned()), "a structure"),
        ("f.c", of(vec![double("a[1]", 1.0)], returned()), "holes"),
        ("f.c", of(vec![double("a[0].re", 1.0)], returned()), "a structure"),
        ("f.c", of(vec![], vec![double("return.re", 0.0)]), "a structure"),
    ] {
        let error = written(source, &finding).expect_err("it has no test");
        assert!(error.contains(reason), "{error}");
    }
}
