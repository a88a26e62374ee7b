//! Our bodies of run-time functions beside the run-times' own, bit for bit on random inputs: what
//! is analysed is what runs.

use std::path::Path;
use std::process::Command;

/// Compiles our bodies under other names, links the driver with both, and runs it.
fn check(name: &str, prefix: &str, libraries: &[&str]) {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::temp_dir().join(format!("nanoscope-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let bodies = std::fs::read_to_string(home.join("runtime").join(format!("{name}.c")))
        .expect("the bodies are there")
        .replace("__attribute__((always_inline))", "");
    let renamed = match prefix {
        "__" => ["__mul", "__div"].iter().fold(bodies, |text, stem| {
            ["s", "d", "x"].iter().fold(text, |text, kind| {
                let symbol = format!("{stem}{kind}c3");
                text.replace(&symbol, &format!("ours{symbol}"))
            })
        }),
        prefix => bodies.replace(prefix, &format!("ours{prefix}")),
    };
    let ours = folder.join("ours.c");
    std::fs::write(&ours, renamed).expect("it can be written");
    let program = folder.join("compare");
    let driver = home.join("tests/runtimes").join(format!("{name}.c"));
    let flags = ["-O1", "-w", "-ffp-contract=off", "-fno-builtin-cabs", "-fno-math-errno"];
    let made = Command::new("clang-19")
        .args(flags)
        .args([&driver, &ours])
        .arg("-o")
        .arg(&program)
        .args(libraries)
        .output()
        .expect("clang-19 runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let run = Command::new(&program).output().expect("it runs");
    std::fs::remove_dir_all(&folder).expect("it was there");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
}

#[test]
fn complex_numbers() {
    check("complex", "__", &["-lm"]);
}

#[test]
fn fortran() {
    let libraries =
        ["-L/usr/lib/llvm-19/lib", "-lFortranRuntime", "-lFortranDecimal", "-lstdc++", "-lm"];
    check("fortran", "_FortranA", &libraries);
}
