//! What bitcode becomes in our representation: the subjects in `lowered/`, each with its
//! snapshot; what must hold of every lowered program; entries, sites, support.

use nanoscope_program::compile::{Bitcode, Compiler, Flags};
use nanoscope_program::ir::{Act, Code, End, Lowering, Type};
use nanoscope_program::{Program, SiteId};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/lowered")
}

fn compiled(file: &Path, flags: &[&str]) -> Bitcode {
    let cache = std::env::temp_dir().join(format!("nanoscope-lower-{}", std::process::id()));
    let compiler = Compiler::caching_in(&cache, Flags::parse(flags)).expect("a cache");
    compiler.bitcode(&[file.to_owned()], None).unwrap_or_else(|fault| panic!("{fault}"))
}

fn program(file: &Path, flags: &[&str]) -> Program {
    Program::load(compiled(file, flags)).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Lowers a program; what comes out is valid.
fn code(program: &Program, lowering: &Lowering) -> Code {
    let code = program.code(lowering).unwrap_or_else(|fault| panic!("{fault}"));
    if let Err(breaches) = code.check() {
        panic!("{}\n{code}", breaches.join("\n"));
    }
    code
}

/// What has no counterpart in a program.
fn unknown(code: &Code) -> Vec<String> {
    let mut list = Vec::new();
    for block in code.functions.iter().flat_map(|function| &function.blocks) {
        list.extend(block.instructions.iter().filter_map(|instruction| match &instruction.act {
            Act::Unknown { text, .. } => Some(text.clone()),
            _ => None,
        }));
        if let End::Unknown(text) = &block.end {
            list.push(text.clone());
        }
    }
    list
}

/// A subject, its flags, and how many things in it have no counterpart.
fn check(name: &str, flags: &[&str], unknowns: usize) {
    let code = code(&program(&folder().join(name), flags), &Lowering::default());
    assert_eq!(unknown(&code).len(), unknowns, "{:?}", unknown(&code));
    insta::assert_snapshot!(name, code.to_string());
}

#[test]
fn every_instruction() {
    // Real assembly and a jump out of it.
    check("instructions.ll", &[], 2);
}

#[test]
fn every_kind_of_constant() {
    check("constants.ll", &[], 0);
}

#[test]
fn intrinsics() {
    // Fixed-point multiplication.
    check("intrinsics.ll", &[], 1);
}

#[test]
fn plain_c() {
    check("accumulate.c", &[], 0);
}

#[test]
fn strict_c() {
    check("strict.c", &[], 0);
}

#[test]
fn vectors_of_the_machine() {
    check("lanes.c", &["-mavx2"], 0);
}

#[test]
fn plain_cxx() {
    check("shapes.cpp", &[], 0);
}

#[test]
fn plain_fortran() {
    check("stencil.f90", &[], 0);
}

/// Optimised code is as good: everything has its counterpart, with any optimisation.
#[test]
fn optimised_code() {
    for (subject, flags) in [
        ("accumulate.c", ["-O2", "-g"].as_slice()),
        ("accumulate.c", &["-O3", "-mavx2", "-ffast-math"]),
        ("accumulate.c", &["-O1", "-ffp-model=strict"]),
        ("lanes.c", &["-O3", "-mavx2"]),
        ("shapes.cpp", &["-O2", "-g"]),
    ] {
        let number = flags.len() + subject.len();
        let out = std::env::temp_dir()
            .join(format!("nanoscope-lower-{}-{number}-{subject}.bc", std::process::id()));
        let status = std::process::Command::new("clang-19")
            .args(flags)
            .args(["-emit-llvm", "-c", "-o"])
            .arg(&out)
            .arg(folder().join(subject))
            .status()
            .expect("clang-19 runs");
        assert!(status.success(), "{subject}");
        let code = code(&program(&out, &[]), &Lowering::default());
        std::fs::remove_file(&out).expect("it was written");
        assert_eq!(unknown(&code), Vec::<String>::new(), "{subject} {flags:?}");
        assert!(code.functions.iter().any(|function| function.is_defined()));
    }
}

/// The user's examples lower whole, promoted or not, and each site is there once, at the
/// place that its site says.
#[test]
fn examples_keep_their_sites() {
    let house = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let examples = house.join("examples");
    let headers = format!("-I{}", house.join("explore/include").display());
    let mut files: Vec<PathBuf> = std::fs::read_dir(&examples)
        .expect("there are examples")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp" || e == "f90"))
        .collect();
    files.sort();
    assert!(files.len() >= 5);
    for file in files {
        let program = program(&file, &[&headers]);
        for promote in [true, false] {
            let code = code(&program, &Lowering { promote, ..Lowering::default() });
            assert_eq!(unknown(&code), Vec::<String>::new(), "{}", file.display());
            let mut found: Vec<SiteId> = Vec::new();
            for function in &code.functions {
                for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                    let Some(id) = instruction.site else { continue };
                    found.push(id);
                    let site = &program.sites()[id.0 as usize];
                    assert_eq!(*code.location(instruction.location), site.location);
                    assert_eq!(function.source_name, site.function);
                }
            }
            found.sort();
            let all: Vec<SiteId> = program.sites().iter().map(|site| site.id).collect();
            assert_eq!(found, all, "{}", file.display());
        }
    }
}

/// Structures become registers; an access outside its variable stays, to be found.
#[test]
fn only_what_is_kept_to_is_promoted() {
    let file = temporary("keep.c", KEEP);
    let code = code(&program(&file, &[]), &Lowering::default());
    let variables = |name: &str| -> usize {
        let function = code.function(code.named(name).expect("it is there"));
        let all = function.blocks.iter().flat_map(|block| &block.instructions);
        all.filter(|instruction| matches!(instruction.act, Act::Allocate { .. })).count()
    };
    for (name, expected) in
        [("inside", 0), ("outside", 1), ("before", 1), ("wide", 1), ("copied", 1), ("counted", 1)]
    {
        assert_eq!(variables(name), expected, "{name}: {code}");
    }
}

const KEEP: &str = "struct pair { int a; float b; };
float inside(int x) { struct pair p = {x, 1}, q = p; int a[2]; a[1] = x; return q.b + a[1]; }
int outside(int x) { int a[2]; a[0] = x; a[2] = 5; return a[0]; }
int before(int x) { int a[2]; a[0] = x; return *(a - 1); }
long wide(int x) { int a = x; return *(long *)&a; }
int copied(int *p) { int a[2]; __builtin_memcpy(a, p, 12); return a[0]; }
int counted(int n) { int a[n]; a[0] = 1; return a[0]; }
";

/// An entry reads each input as what it is, and writes outputs so.
#[test]
fn entries_move_values_whole() {
    let file = temporary("entry.c", ENTRY);
    let program = program(&file, &[]);
    let functions = vec!["mix".to_owned()];
    let code = code(&program, &Lowering { functions, ..Lowering::default() });
    let entry = code.function(code.named("nanoscope_run_0").expect("an entry"));
    let mut loaded = Vec::new();
    for instruction in entry.blocks.iter().flat_map(|block| &block.instructions) {
        match &instruction.act {
            Act::Load { ty, .. } => loaded.push(ty.to_string()),
            Act::Convert { from: Type::Float(_), .. } => panic!("a float is cast: {instruction:?}"),
            _ => {}
        }
    }
    assert_eq!(loaded[..5], ["binary32", "x87", "i16", "binary64", "binary64"]);
}

const ENTRY: &str = "struct two { double a, b; };
double mix(float x, long double y, short n, struct two *p) { return x + y * n - p->a / p->b; }";

/// Bodies are linked for what is declared and used, and for what those need; nothing of
/// the program's own is replaced.
#[test]
fn support_fills_what_is_missing() {
    let user = temporary(
        "user.c",
        "double first(double); double own(double x) { return x; }
         int counter; double user(double x) { return first(x) + own(x) + counter; }",
    );
    let first = temporary(
        "first.c",
        "double second(double); extern int shared; static double inner(double x) { return x * 2; }
         double own(double x) { return -x; } double unused(double x) { return x; }
         double first(double x) { return second(inner(x)) + own(x) + shared; }",
    );
    let second =
        temporary("second.c", "int shared = 7; double second(double x) { return x + shared; }");
    let support = vec![compiled(&second, &["-O1"]), compiled(&first, &[])];
    let program = program(&user, &["-fno-pic"]);
    let code = code(&program, &Lowering { support, ..Lowering::default() });
    let defined: Vec<&str> = code
        .functions
        .iter()
        .filter(|function| function.is_defined())
        .map(|function| function.name.as_str())
        .collect();
    assert_eq!(defined, ["own", "user", "first", "inner", "second"]);
    let shared = code.globals.iter().find(|global| global.name == "shared").expect("linked");
    assert!(shared.initial.is_some());
    let own = code.show(code.named("own").expect("its own")).to_string();
    assert!(own.contains("return r0"), "{own}");
}

fn temporary(name: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("nanoscope-lower-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join(name);
    std::fs::write(&file, text).expect("it can be written");
    file
}
