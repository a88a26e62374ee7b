//! The machine's libm as a program in C calls it, against what every engine calls: the same
//! bits, for every function, in both formats.

use nanoscope_ieee::Libm;
use std::fmt::Write;
use std::process::Command;

/// Arguments of every size and sign, and what is special.
fn arguments() -> Vec<f64> {
    let mut list = vec![0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, 1e-310, f64::INFINITY];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for i in 0..150 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        list.push(unit * 2f64.powi(i % 24 - 12));
    }
    list
}

#[test]
fn every_function_is_the_one_that_c_programs_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, program) = (folder.path().join("libm.c"), folder.path().join("libm"));
    let arguments = arguments();
    let mut text = String::from(
        "#define _GNU_SOURCE\n#include <math.h>\n#include <stdio.h>\n#include <string.h>\n",
    );
    text.push_str(
        "static void d(double v) { unsigned long b; memcpy(&b, &v, 8); printf(\"%lx\\n\", b); }\n",
    );
    text.push_str(
        "static void s(float v) { unsigned b; memcpy(&b, &v, 4); printf(\"%x\\n\", b); }\n",
    );
    text.push_str("static const unsigned long bits[] = {");
    for x in &arguments {
        write!(text, "{:#x}ul,", x.to_bits()).expect("a string");
    }
    text.push_str("};\nint main(void) {\n  enum { N = sizeof bits / sizeof *bits };\n  static double x[N]; memcpy(x, bits, sizeof bits);\n");
    text.push_str(
        "  for (int i = 0; i < N; i++) {\n    double a = x[i], b = x[(i * 7 + 3) % N];\n",
    );
    for function in Libm::ALL {
        let (double, single) = (function.name(), function.single_name());
        match function.arity() {
            1 => writeln!(text, "    d({double}(a)); s({single}((float)a));"),
            _ => writeln!(text, "    d({double}(a, b)); s({single}((float)a, (float)b));"),
        }
        .expect("a string");
    }
    text.push_str("  }\n}\n");
    std::fs::write(&source, text).expect("written");
    let status = Command::new("clang-19")
        .args(["-O1", "-fno-builtin", "-o"])
        .arg(&program)
        .arg(&source)
        .arg("-lm")
        .status()
        .expect("clang-19");
    assert!(status.success());
    let output = Command::new(&program).output().expect("it runs");
    let output = String::from_utf8(output.stdout).expect("text");
    let mut lines = output.lines().map(|line| u64::from_str_radix(line, 16).expect("a number"));
    for (i, &a) in arguments.iter().enumerate() {
        let b = arguments[(i * 7 + 3) % arguments.len()];
        for function in Libm::ALL {
            let (name, mut next) = (function.name(), || lines.next().expect("a line each"));
            let (c, ours) = (f64::from_bits(next()), function.of_doubles(a, b));
            assert!(
                c.to_bits() == ours.to_bits() || c.is_nan() && ours.is_nan(),
                "{name} {a:e} {b:e}: {c:e}, {ours:e}"
            );
            let (c, ours) =
                (f32::from_bits(next() as u32), function.of_singles(a as f32, b as f32));
            assert!(
                c.to_bits() == ours.to_bits() || c.is_nan() && ours.is_nan(),
                "{name}f {a:e} {b:e}: {c:e}, {ours:e}"
            );
        }
    }
    assert!(lines.next().is_none());
}
