//! Sources in every language become bitcode and libraries, once.

use nanoscope_program::Fault;
use nanoscope_program::compile::{Compiler, Flags, Language, LibraryRequest, RuntimeSource};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A folder of the test's own with copies of the fixtures and a cache.
struct Bench(PathBuf);

impl Bench {
    fn new() -> Bench {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("nanoscope-compile-{}-{next}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let bench = Bench(folder.canonicalize().unwrap_or(folder));
        copy_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"), &bench.0);
        bench
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn files(&self, names: &str) -> Vec<PathBuf> {
        names.split_whitespace().map(|name| self.file(name)).collect()
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.file(name), text).unwrap();
        self.file(name)
    }

    /// Flags with `%` for this folder.
    fn compiler(&self, flags: &str) -> Compiler {
        let flags = flags.replace('%', &self.0.display().to_string());
        let flags = Flags::parse(flags.split_whitespace());
        Compiler::caching_in(&self.file("cache"), flags).unwrap()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_all(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The bitcode of `names` as text.
fn ir(bench: &Bench, flags: &str, names: &str) -> String {
    let bitcode = bench.compiler(flags).bitcode(&bench.files(names), None).unwrap();
    disassembled(&bitcode.path)
}

fn disassembled(bitcode: &Path) -> String {
    let shown = Command::new("llvm-dis-19").arg(bitcode).args(["-o", "-"]).output().unwrap();
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    String::from_utf8(shown.stdout).unwrap()
}

/// The user fault that compiling `names` ends in has all of `parts`.
fn check_fault(compiler: &Compiler, sources: &[PathBuf], parts: &[&str]) {
    match compiler.bitcode(sources, None) {
        Err(Fault::User(message)) => {
            for part in parts {
                assert!(message.contains(part), "`{part}` is not in:\n{message}");
            }
        }
        other => panic!("expected the user's fault, got {other:?}"),
    }
}

/// The bitcode has every one of `present` and none of `absent`.
fn check_ir(flags: &str, names: &str, present: &[&str], absent: &[&str]) {
    let text = ir(&Bench::new(), flags, names);
    for part in present {
        assert!(text.contains(part), "{names} {flags}: no `{part}` in\n{text}");
    }
    for part in absent {
        assert!(!text.contains(part), "{names} {flags}: `{part}` in\n{text}");
    }
}

#[test]
fn bitcode_is_canonical() {
    let c = ["fmul double", "fmuladd", "alloca double", "!DILocation(line: 6, column: 29"];
    check_ir(
        "-I%/include -ffp-contract=off",
        "mean.c",
        &["fmul double", "fadd double"],
        &["fmuladd"],
    );
    check_ir("-I%/include -O2", "mean.c", &c, &["optnone", "reassoc", " contract "]);
    check_ir("-I%/include", "mean.c", &c, &["optnone"]);
    // What the optimiser makes of its freedom is decided here: a product for the quotient.
    check_ir("-I%/include -O3 -ffast-math", "mean.c", &["fmul fast double"], &["fdiv"]);
    check_ir("-I%/include -ffast-math", "mean.c", &["fdiv fast double"], &[]);
    check_ir("-I%/include -DWEIGHT=3.0", "mean.c", &["3.000000e+00"], &[]);
    check_ir(
        "-I%/include -fsanitize=undefined --coverage",
        "mean.c",
        &c,
        &["__ubsan", "__llvm_gcov"],
    );
    check_ir("", "twice.ll", &["fadd double %x, %x"], &[]);
    check_ir("-std=c++17 -std=c99", "norm.cpp", &["@norm", "!DILocation"], &["optnone"]);
}

#[test]
fn fortran_keeps_its_own_meaning_of_arithmetic() {
    let names = "area.f90 circle.f90";
    check_ir("-I%/include", names, &["fmul contract double", "@area", "line: 6"], &["optnone"]);
    check_ir("-I%/include -ffp-contract=off -O2", names, &["fmul double", "alloca"], &["contract"]);
    check_ir("-I%/include -Ofast", names, &["fmul fast double"], &[]);
}

#[test]
fn fortran_in_its_older_dress() {
    let bench = Bench::new();
    let fixed = "C     Fixed form, continued in column 6.\n      REAL FUNCTION OLD(X)\n      \
                 REAL X\n      OLD = X *\n     & X\n      END\n";
    bench.write("old.f", fixed);
    bench.write("macro.F90", "real function new(x)\n  real :: x\n  new = x + STEP\nend function\n");
    let text = ir(&bench, "-ffp-contract=off -DSTEP=0.5", "old.f macro.F90");
    for part in ["@old_", "fmul float", "@new_", "fadd float", "5.000000e-01"] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

#[test]
fn std_chooses_the_dialect() {
    let bench = Bench::new();
    let old = bench.write("old.c", "double f(double typeof) { return typeof; }\n");
    assert!(bench.compiler("-std=c99").bitcode(std::slice::from_ref(&old), None).is_ok());
    check_fault(&bench.compiler("-std=c23"), &[old], &["error:", "-std=c23"]);
}

#[test]
fn four_languages_become_one_running_library() {
    let bench = Bench::new();
    let compiler = bench.compiler("-I%/include -O1");
    let sources = bench.files("norm.cpp area.f90 mean.c twice.ll circle.f90");
    let bitcode = compiler.bitcode(&sources, None).unwrap();
    let all = [Language::C, Language::Cxx, Language::Fortran, Language::Ir];
    assert!(bitcode.languages.iter().eq(&all));
    let library = compiler.library(&LibraryRequest::new(&bitcode), None).unwrap();
    assert_eq!(run_driver(&bench, &library), "2 8.5 12 42\n");

    // Bitcode alone shows which runtimes it needs.
    let bitcode = compiler.bitcode(&[bitcode.path], None).unwrap();
    assert!(bitcode.languages.iter().eq(&all[1..]));
    let library = compiler.library(&LibraryRequest::new(&bitcode), None).unwrap();
    assert_eq!(run_driver(&bench, &library), "2 8.5 12 42\n");
}

fn run_driver(bench: &Bench, library: &Path) -> String {
    let program = bench.file("driver");
    let mut clang = Command::new("clang-19");
    clang.arg(bench.file("driver.c")).arg(library).arg("-o").arg(&program);
    assert!(clang.status().unwrap().success());
    let ran = Command::new(&program).output().unwrap();
    String::from_utf8(ran.stdout).unwrap() + &String::from_utf8_lossy(&ran.stderr)
}

#[test]
fn runtime_sources_wrap_functions() {
    let bench = Bench::new();
    let driver = "#include <stdio.h>\ndouble length(double, double);\n\
                  int main(void) { printf(\"%g\\n\", length(3, 4)); }\n";
    bench.write("driver.c", driver);
    let compiler = bench.compiler("-I%/include");
    let bitcode = compiler.bitcode(&bench.files("mean.c"), None).unwrap();
    let mut request = LibraryRequest::new(&bitcode);
    let plain = compiler.library(&request, None).unwrap();
    assert_eq!(run_driver(&bench, &plain), "5\n");
    request.wrap = vec!["sqrt".to_owned()];
    let text = "double __real_sqrt(double);\n\
                double __wrap_sqrt(double x) { return 100 + __real_sqrt(x); }\n";
    request.runtime = vec![RuntimeSource { name: "wrap.c".into(), text: text.into() }];
    request.optimisation = Some("-O0".to_owned());
    let wrapped = compiler.library(&request, None).unwrap();
    assert_eq!(run_driver(&bench, &wrapped), "105\n");
}

#[test]
fn the_users_libraries_are_linked_and_watched() {
    let bench = Bench::new();
    let driver = "#include <stdio.h>\ndouble user(void);\n\
                  int main(void) { printf(\"%g\\n\", user()); }\n";
    bench.write("driver.c", driver);
    let source = bench.write("user.c", "double part(void); double user(void) { return part(); }\n");
    fs::create_dir(bench.file("lib")).unwrap();
    let answer = |number: u32, kind: &str| {
        let part = bench.write("part.c", &format!("double part(void) {{ return {number}; }}\n"));
        let (object, shared) = (bench.file("part.o"), bench.file("lib/libpart.so"));
        let clang = |words: &[&str], output: &Path| {
            let mut clang = Command::new("clang-19");
            clang.args(words).arg(&part).arg("-fPIC").arg("-o").arg(output);
            assert!(clang.status().unwrap().success());
        };
        if kind == "shared" {
            clang(&["-shared"], &shared);
        } else {
            clang(&["-c"], &object);
            let mut ar = Command::new("ar");
            ar.arg("rcs").arg(bench.file("lib/libpart.a")).arg(&object);
            assert!(ar.status().unwrap().success());
        }
        let compiler = bench.compiler("-L%/lib -lpart");
        let bitcode = compiler.bitcode(std::slice::from_ref(&source), None).unwrap();
        let library = compiler.library(&LibraryRequest::new(&bitcode), None).unwrap();
        run_driver(&bench, &library)
    };
    assert_eq!(answer(1, "static"), "1\n");
    assert_eq!(answer(22, "static"), "22\n");
    assert_eq!(answer(333, "shared"), "333\n");
    let compiler = bench.compiler("-L%/lib -labsent");
    let bitcode = compiler.bitcode(&[source], None).unwrap();
    let fault = compiler.library(&LibraryRequest::new(&bitcode), None).unwrap_err();
    assert!(matches!(&fault, Fault::User(m) if m.contains("cannot find -labsent")), "{fault}");
}

#[test]
fn globals_of_foreign_bitcode_can_be_linked() {
    let bench = Bench::new();
    let driver = "#include <stdio.h>\ndouble next(void);\n\
                  int main(void) { next(); printf(\"%g\\n\", next()); }\n";
    bench.write("driver.c", driver);
    // Not position independent: `table` is addressed directly.
    let text = "@table = dso_local global double 2.5\n\
                define dso_local double @next() {\n  %x = load double, ptr @table\n  \
                %y = fadd double %x, %x\n  store double %y, ptr @table\n  ret double %y\n}\n";
    let source = bench.write("global.ll", text);
    let compiler = bench.compiler("");
    let bitcode = compiler.bitcode(&[source], None).unwrap();
    let library = compiler.library(&LibraryRequest::new(&bitcode), None).unwrap();
    assert_eq!(run_driver(&bench, &library), "10\n");
}

#[test]
fn bitcode_files_are_taken_as_they_are() {
    let bench = Bench::new();
    let compiler = bench.compiler("-I%/include");
    let made = compiler.bitcode(&bench.files("mean.c"), None).unwrap();
    let given = bench.file("given.bc");
    fs::copy(&made.path, &given).unwrap();
    let spawned = compiler.spawned();
    assert_eq!(compiler.bitcode(std::slice::from_ref(&given), None).unwrap().path, given);
    assert_eq!(compiler.spawned(), spawned);

    let whole = fs::read(&given).unwrap();
    fs::write(&given, &whole[..whole.len() / 2]).unwrap();
    check_fault(&compiler, std::slice::from_ref(&given), &["given.bc` is cut off"]);
    fs::write(&given, "#include <math.h>\n").unwrap();
    check_fault(&compiler, std::slice::from_ref(&given), &["given.bc` is no LLVM bitcode"]);
    fs::write(&given, written_by("LLVM19", "LLVM21", &whole)).unwrap();
    let newer = "was written by LLVM 21.1.7; Nanoscope reads LLVM 19 and older: compile again with clang-19";
    check_fault(&compiler, std::slice::from_ref(&given), &["given.bc`", newer]);
    fs::write(&given, written_by("LLVM19", "LLVM18", &whole)).unwrap();
    assert!(compiler.bitcode(&[given], None).is_ok());
}

/// Bitcode with another producer: its name is stored in six bits a letter.
fn written_by(ours: &str, other: &str, bitcode: &[u8]) -> Vec<u8> {
    let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    let bits = |name: &str| -> Vec<bool> {
        let codes = name.chars().map(|letter| letters.find(letter).unwrap());
        codes.flat_map(|code| (0..6).map(move |i| code >> i & 1 == 1)).collect()
    };
    let mut file: Vec<bool> =
        bitcode.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1)).collect();
    let at = file.windows(36).position(|window| window == bits(ours)).unwrap();
    file.splice(at..at + 36, bits(other));
    let byte = |eight: &[bool]| (0..8).fold(0_u8, |byte, i| byte | u8::from(eight[i]) << i);
    file.chunks(8).map(byte).collect()
}

#[test]
fn compilers_speak_for_themselves() {
    let bench = Bench::new();
    let compiler = bench.compiler("-DLIMIT=3");
    let source = bench.write("bad.c", "double f(double x) {\n  return x +;\n}\n");
    let place = format!("{}:2:13: error: expected expression", source.display());
    let command = format!("`clang-19 -DLIMIT=3 {}` failed", source.display());
    check_fault(&compiler, &[source], &[&place, "    2 |   return x +;", &command]);
    let source = bench.write("lost.c", "#include \"nowhere.h\"\n");
    check_fault(&compiler, &[source], &["fatal error: 'nowhere.h' file not found"]);
    let source = bench.write("bad.f90", "real function f(x)\n  f = x +\nend function\n");
    check_fault(&compiler, &[source], &["bad.f90:2:", "error:", "`flang-new-19 -DLIMIT=3"]);
    let source = bench.write("bad.ll", "define double @f() {\n  ret float 0.0\n}\n");
    check_fault(&compiler, &[source], &["bad.ll:2:", "value doesn't match function result type"]);
}

#[test]
fn warnings_are_kept() {
    let bench = Bench::new();
    let source = bench.write("warn.c", "int f(void) { int unused; return 0; }\n");
    for _ in 0..2 {
        let compiler = bench.compiler("-Wall");
        let bitcode = compiler.bitcode(std::slice::from_ref(&source), None).unwrap();
        assert!(bitcode.warnings.contains("unused variable 'unused'"), "{}", bitcode.warnings);
    }
}

#[test]
fn names_that_lead_nowhere() {
    let bench = Bench::new();
    let compiler = bench.compiler("");
    check_fault(
        &compiler,
        &bench.files("maen.c"),
        &["cannot find `", "maen.c`; did you mean `", "/mean.c`?"],
    );
    check_fault(&compiler, &bench.files("zzzzzzzzz.c"), &["zzzzzzzzz.c`"]);
    check_fault(&compiler, &bench.files("include"), &["is a folder"]);
    let source = bench.write("notes.txt", "");
    check_fault(&compiler, &[source], &["cannot tell the language of", ".f90"]);
    check_fault(&compiler, &[], &["no source is named"]);
}

#[test]
fn what_is_defined_twice_does_not_link() {
    let bench = Bench::new();
    let other = bench.write("other.c", "double mean(double x) { return x; }\n");
    let sources = [bench.file("mean.c"), other];
    let parts = ["symbol multiply defined", "mean", "the sources do not link", "other.c"];
    check_fault(&bench.compiler("-I%/include"), &sources, &parts);
}

#[test]
fn compile_commands_say_how() {
    let bench = Bench::new();
    let folder = bench.0.display().to_string();
    let json = format!(
        r#"[{{"directory": "{folder}", "file": "mean.c", "output": "mean.o",
              "command": "ccache gcc -Iinclude -Werror -Wgccs-own -c -o mean.o -MD -MF x.d @more mean.c"}},
            {{"directory": "{folder}/include", "file": "../norm.cpp",
              "arguments": ["c++", "-O2", "-std=c++17", "-c", "../norm.cpp", "-o", "norm.o"]}}]"#
    );
    bench.write("compile_commands.json", &json);
    bench.write("more", "\"-DWEIGHT=7.0 \"\n");
    let compiler = || bench.compiler("").with_compile_commands(&bench.0);
    let all = compiler().bitcode(&[], None).unwrap();
    let text = disassembled(&all.path);
    assert!(text.contains("@norm") && text.contains("7.000000e+00"), "{text}");
    let one = compiler().bitcode(&bench.files("mean.c"), None).unwrap();
    let text = disassembled(&one.path);
    assert!(!text.contains("@norm") && text.contains("7.000000e+00"), "{text}");
    let one = compiler().bitcode(&bench.files("norm.cpp"), None).unwrap();
    assert_eq!(one.flags.optimisation(), Some("-O2"));

    bench.write("compile_commands.json", "[{\"file\": \"mean.c\"}]");
    check_fault(&compiler(), &[], &["compile_commands.json", "neither `command` nor `arguments`"]);
    bench.write("compile_commands.json", "[{");
    check_fault(&compiler(), &[], &["cannot use", "compile_commands.json", "line 1"]);
}

#[test]
fn the_second_time_no_process_starts() {
    let bench = Bench::new();
    let sources = bench.files("norm.cpp area.f90 mean.c twice.ll circle.f90");
    let run = || {
        let compiler = bench.compiler("-I%/include -O1");
        let bitcode = compiler.bitcode(&sources, None).unwrap();
        let mut request = LibraryRequest::new(&bitcode);
        let text = "int nanoscope_answer = 42;\n";
        request.runtime = vec![RuntimeSource { name: "answer.c".into(), text: text.into() }];
        let library = compiler.library(&request, None).unwrap();
        (compiler.spawned(), bitcode.path, library)
    };
    let (cold, bitcode, library) = run();
    // Five sources, their link, Fortran's bodies, an object, the runtime, the driver's words, the
    // linker.
    assert_eq!(cold, 11);
    assert_eq!(run(), (0, bitcode, library));
}

#[test]
fn a_change_is_noticed() {
    let bench = Bench::new();
    let check = |what: &str, names: &str, flags: &str, processes: usize| {
        let compiler = bench.compiler(flags);
        compiler.bitcode(&bench.files(names), None).unwrap();
        assert_eq!(compiler.spawned(), processes, "{what}");
    };
    let fortran = "area.f90 circle.f90";
    check("new", "mean.c", "-I%/first -I%/include", 1);
    check("same", "mean.c", "-I%/first -I%/include", 0);
    bench.write("include/weights.h", "#define WEIGHT 2.0\n");
    check("header", "mean.c", "-I%/first -I%/include", 1);
    check("header again", "mean.c", "-I%/first -I%/include", 0);
    fs::create_dir(bench.file("first")).unwrap();
    bench.write("first/weights.h", "#define WEIGHT 4.0\n");
    check("a header that is found first", "mean.c", "-I%/first -I%/include", 1);
    check("flag", "mean.c", "-I%/include", 1);
    check("flag of linking", "mean.c", "-I%/include -lm", 0);
    check("modules, and the bodies of their run-time", fortran, "-I%/include", 4);
    check("modules again", fortran, "-I%/include", 0);
    bench.write("include/pi.inc", "  real(8), parameter :: pi = 3.25d0\n");
    check("an include of a module that is used", fortran, "-I%/include", 3);
    let before = ir(&bench, "", "twice.ll");
    bench.write("twice.ll", &before.replace("fadd", "fmul"));
    check("text of IR", "twice.ll", "", 1);
}

#[test]
fn a_damaged_cache_is_no_cache() {
    let bench = Bench::new();
    let compile = || {
        let compiler = bench.compiler("-I%/include");
        let bitcode = compiler.bitcode(&bench.files("mean.c"), None).unwrap();
        (compiler.spawned(), disassembled(&bitcode.path))
    };
    let (_, text) = compile();
    for entry in files_below(&bench.file("cache")) {
        fs::write(entry, "").unwrap();
    }
    assert_eq!(compile(), (1, text.clone()));
    for entry in files_below(&bench.file("cache")) {
        fs::remove_file(entry).unwrap();
    }
    assert_eq!(compile(), (1, text.clone()));
    assert_eq!(compile(), (0, text));
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn threads_and_compilers_share_a_cache() {
    let bench = Bench::new();
    let sources = bench.files("mean.c area.f90 circle.f90");
    let shared = bench.compiler("-I%/include");
    let paths: Vec<PathBuf> = std::thread::scope(|scope| {
        let work = |own: bool| {
            let (bench, sources, shared) = (&bench, &sources, &shared);
            scope.spawn(move || {
                let other = bench.compiler("-I%/include");
                let compiler = if own { &other } else { shared };
                let bitcode = compiler.bitcode(sources, None).unwrap();
                compiler.library(&LibraryRequest::new(&bitcode), None).unwrap()
            })
        };
        let threads = [false, true, false, true].map(work);
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(paths.iter().all(|path| *path == paths[0] && path.exists()), "{paths:?}");
    let left = files_below(&bench.file("cache/1/tmp"));
    assert!(left.is_empty(), "left behind: {left:?}");
}

#[test]
fn a_deadline_ends_a_compilation() {
    let bench = Bench::new();
    // 2^24 expansions: minutes for clang.
    let mut text = "#define X0 1+1\n".to_owned();
    for i in 0..24 {
        text += &format!("#define X{} X{i} + X{i}\n", i + 1);
    }
    let source = bench.write("endless.c", &(text + "int f(void) { return X24; }\n"));
    let start = Instant::now();
    let deadline = start + Duration::from_millis(300);
    let fault = bench.compiler("").bitcode(&[source], Some(deadline)).unwrap_err();
    // Wide: it must end, and the machine may be busy.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert!(matches!(&fault, Fault::User(m) if m.contains("time limit")), "{fault}");
    let left = files_below(&bench.file("cache/1/tmp"));
    assert!(left.is_empty(), "left behind: {left:?}");
}
