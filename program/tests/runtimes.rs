//! Our bodies of run-time functions beside the run-times' own, bit for bit on random inputs: what
//! is analysed is what runs.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The text of files with bodies, one after the other, as they are compiled.
fn bodies(files: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
    let text = |file: &&str| std::fs::read_to_string(folder.join(file)).expect("bodies are there");
    files.iter().map(text).collect::<String>().replace("__attribute__((always_inline))", "")
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("nanoscope-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

/// Compiles our bodies under other names, links the driver with both, and runs it.
fn check(name: &str, files: &[&str], prefix: &str, libraries: &[&str]) {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = scratch(name);
    let bodies = bodies(files);
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

/// Runs a command to its end and gives what it prints.
fn output(command: &mut Command) -> String {
    let done = command.output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

const FORTRAN: [&str; 6] = [
    "fortran.h",
    "fortran.c",
    "fortran_memory.c",
    "fortran_characters.c",
    "fortran_arrays.c",
    "fortran_quadruple.c",
];
const LIBRARIES: [&str; 5] =
    ["-L/usr/lib/llvm-19/lib", "-lFortranRuntime", "-lFortranDecimal", "-lstdc++", "-lm"];

#[test]
fn complex_numbers() {
    check("complex", &["complex.c"], "__", &["-lm"]);
}

#[test]
fn fortran() {
    check("fortran", &FORTRAN, "_FortranA", &LIBRARIES);
}

/// A Fortran program prints the same with our bodies in the place of the run-time's.
#[test]
fn fortran_objects() {
    let folder = scratch("fortran-objects");
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runtimes/fortran_objects.f90");
    let (program, ours) = (folder.join("program.o"), folder.join("ours.o"));
    output(
        Command::new("flang-new-19")
            .current_dir(&folder)
            .args(["-O0", "-c", "-o"])
            .arg(&program)
            .arg(driver),
    );
    std::fs::write(folder.join("ours.c"), bodies(&FORTRAN)).expect("it can be written");
    let flags = ["-O1", "-w", "-ffp-contract=off", "-c", "ours.c", "-o"];
    output(Command::new("clang-19").current_dir(&folder).args(flags).arg(&ours));
    let printed = |objects: &[&PathBuf]| {
        let linked = folder.join("linked");
        // The first definition of a symbol is the one that is linked.
        let link = ["-Wl,--allow-multiple-definition", "-o"];
        output(Command::new("clang-19").args(link).arg(&linked).args(objects).args(LIBRARIES));
        output(&mut Command::new(&linked))
    };
    let (theirs, mine) = (printed(&[&program]), printed(&[&program, &ours]));
    std::fs::remove_dir_all(&folder).expect("it was there");
    assert!(theirs.lines().count() > 2000);
    for (number, (a, b)) in theirs.lines().zip(mine.lines()).enumerate() {
        assert_eq!(a, b, "line {number}");
    }
    assert_eq!(theirs.lines().count(), mine.lines().count());
}
