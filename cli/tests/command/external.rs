//! `nanoscope test` on programs that call functions which are neither theirs nor modelled.

use crate::support::Desk;
use serde_json::Value;
use std::process::Command;

/// Functions with known arguments, in several formats and rounding modes, with `errno` and flags.
const KNOWN: &str = r#"#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    volatile double two = 2.0, three = 3.0;
    printf("%.17g\n", jn(3, 4.2));
    printf("%.20Lg %.20Lg\n", sinl(1.5L), expl(2.5L));
    for (int i = 0; i < 4; i++) {
        const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
        fesetround(modes[i]);
        double e = exp(three), s = sin(two), p = pow(three, two);
        float l = logf(7.0f);
        fesetround(FE_TONEAREST);
        printf("%.17g %.17g %.17g %.9g\n", e, s, p, l);
    }
    errno = 0;
    double y = yn(2, 0.0);
    printf("%g %d\n", y, errno == ERANGE);
    feclearexcept(FE_ALL_EXCEPT);
    double z = y0(-two);
    printf("%d %d %d\n", z != z, fetestexcept(FE_INVALID) != 0, fetestexcept(FE_OVERFLOW) != 0);
    return 0;
}
"#;

#[test]
fn known_arguments_are_passed_natively() {
    let desk = Desk::new();
    let source = desk.write("known.c", KNOWN);
    let program = desk.path().join("known");
    let built = Command::new("clang-19")
        .args(["-w", "-frounding-math", "-o"])
        .args([&program, &source, &"-lm".into()])
        .status();
    assert!(built.expect("clang-19 runs").success());
    let native = Command::new(&program).output().expect("it runs");
    let native = String::from_utf8(native.stdout).expect("it prints text");
    let run = desk.run(&["test", "known.c", "-frounding-math", "-lm", "--echo", "--guesses", "0"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.starts_with(&native), "natively\n{native}explored\n{}", run.stdout);
    assert!(run.stdout.contains("every path was followed to its end"), "{}", run.stdout);
}

const UNKNOWN: &str = r#"#include <assert.h>
#include <math.h>
extern double __VERIFIER_nondet_double(void);

int main(void)
{
    double x = __VERIFIER_nondet_double();
    if (x > 3 && x < 5) {
        double b = j0(x) + jn(4, x);
        assert(x != 4 || b > 1e9);
        if (x > 4.5) assert(b == b);
    }
    return 0;
}
"#;

#[test]
fn unknown_arguments_are_concretised_as_asked() {
    let desk = Desk::new();
    desk.write("unknown.c", UNKNOWN);
    let run = |how: &str| {
        let run = desk.run(&[
            "test",
            "unknown.c",
            "-lm",
            "--guesses",
            "0",
            "--external-calls",
            how,
            "--time-limit",
            "10",
            "--json",
            "-",
        ]);
        let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
        (run.code, report)
    };
    let (code, report) = run("both");
    assert_eq!(code, 1, "{report:#}");
    assert_eq!(report["findings"][0]["line"], 10, "{report:#}");
    let (_, report) = run("concretise");
    assert_eq!(report["status"], "stopped", "{report:#}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("is called with one value of its arguments"), "{notes}");
}

#[test]
fn a_function_of_a_library_is_called_where_it_is_said_to_be_pure() {
    let desk = Desk::new();
    desk.write("other.c", "double other(double x) { return x * 3 + 1; }\n");
    let library = desk.path().join("libother.so");
    let built = Command::new("clang-19")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &desk.path().join("other.c")])
        .status();
    assert!(built.expect("clang-19 runs").success());
    desk.write(
        "uses.c",
        "#include <assert.h>\ndouble other(double);\nint main(void)\n{\n    \
         assert(other(2.5) == 8.5);\n    return 0;\n}\n",
    );
    let link = [format!("-L{}", desk.path().display()), "-lother".to_owned()];
    let rpath = format!("--cflags=-Wl,-rpath,{}", desk.path().display());
    let mut words = vec!["test", "uses.c", &link[0], &link[1], &rpath, "--guesses", "0"];
    let run = desk.run(&words);
    assert!(run.stdout.contains("other is not modelled: any result"), "{}", run.stdout);
    words.extend(["--pure", "other"]);
    let run = desk.run(&words);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("every path was followed to its end"), "{}", run.stdout);
}
