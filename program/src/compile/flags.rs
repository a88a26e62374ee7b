//! The user's compiler flags, sorted by the step that needs them.
//!
//! A flag plays a role: it says how to read the source (`-I`, `-D`, `-std`), how
//! to make code (`-O2`, `-mavx`, `-ffp-contract=off`), or what to link (`-lm`).
//! Flags that only say which file to write (`-c`, `-o`, `-MD`) or that add
//! somebody else's instrumentation (`-fsanitize=`, `--coverage`) are left out: the
//! first would put the output elsewhere, the second would be analysed instead of
//! the program. No flag that changes floating-point semantics is dropped or added.

use super::Language;
use std::path::{Path, PathBuf};

/// Compiler flags, as the user wrote them and in that order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    flags: Vec<Flag>,
}

/// One flag with its value, if that is a word of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Flag {
    words: Vec<String>,
    role: Role,
}

/// Which steps a flag belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// From source to bitcode only.
    Read,
    /// From source to bitcode, and from bitcode to machine code.
    Generate,
    /// From object files to the library.
    Link,
    /// From source to bitcode, and linking.
    ReadAndLink,
    /// None: where output goes, or instrumentation of other tools.
    None,
}

/// Flags whose value may be the next word.
const TAKES_VALUE: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-o",
    "-x",
    "-J",
    "-u",
    "-T",
    "-z",
    "-B",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-std",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-Xclang",
    "-Xflang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-mllvm",
    "-mmlir",
    "-target",
    "-arch",
    "-framework",
    "-module-dir",
    "-fintrinsic-modules-path",
    "-dumpbase",
    "-dumpdir",
    "--param",
    "--sysroot",
    "--target",
    "--serialize-diagnostics",
];

/// Flags that let a compiler compute something else than is written, and those that take it back.
/// They are settled in the bitcode, once for all that look at it.
const FREEDOMS: &[&str] = &[
    "-ffast-math",
    "-fno-fast-math",
    "-fassociative-math",
    "-fno-associative-math",
    "-freciprocal-math",
    "-fno-reciprocal-math",
    "-fsigned-zeros",
    "-fno-signed-zeros",
    "-ffinite-math-only",
    "-fno-finite-math-only",
    "-fhonor-nans",
    "-fno-honor-nans",
    "-fhonor-infinities",
    "-fno-honor-infinities",
    "-fapprox-func",
    "-fno-approx-func",
    "-funsafe-math-optimizations",
    "-fno-unsafe-math-optimizations",
];

fn is_freedom(word: &str) -> bool {
    FREEDOMS.contains(&word) || matches!(word, "-ffp-model=fast" | "-ffp-model=aggressive")
}

/// `-f` flags that matter to the step from bitcode to machine code.
const GENERATE: &[&str] = &[
    "-ffp-contract",
    "-ffp-model",
    "-ffp-exception-behavior",
    "-fmath-errno",
    "-fno-math-errno",
    "-ftrapping-math",
    "-fno-trapping-math",
    "-frounding-math",
    "-fno-rounding-math",
    "-fdenormal-fp-math",
    "-fexcess-precision",
    "-fvectorize",
    "-fno-vectorize",
    "-fslp-vectorize",
    "-fno-slp-vectorize",
    "-ftree-vectorize",
    "-fno-tree-vectorize",
    "-funroll-loops",
    "-fno-unroll-loops",
    "-fveclib",
    "-finline-functions",
    "-fno-inline-functions",
    "-fno-inline",
    "-fomit-frame-pointer",
    "-fno-omit-frame-pointer",
];

/// `-f` flags of other tools' instrumentation, or of other outputs.
const OTHERS: &[&str] = &[
    "-fsanitize",
    "-fno-sanitize",
    "-fprofile",
    "-fcoverage",
    "-fcs-profile",
    "-ftest-coverage",
    "-fxray",
    "-flto",
    "-fno-lto",
    "-ffat-lto-objects",
    "-fuse-ld",
    "-ftime-",
    "-fsave-optimization-record",
    "-fdiagnostics",
    "-fcolor-diagnostics",
    "-fsyntax-only",
    "-fdebug-prefix-map",
    "-ffile-prefix-map",
];

impl Flags {
    /// Sorts the words of a compiler's command line. Words that are not flags
    /// (source files, objects) are not kept.
    pub fn parse<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Flags {
        let mut flags = Vec::new();
        let mut rest = words.into_iter();
        while let Some(word) = rest.next() {
            let word = word.as_ref();
            if word.len() < 2 || !(word.starts_with('-') || word.starts_with('@')) {
                continue;
            }
            let mut words = vec![word.to_owned()];
            if TAKES_VALUE.contains(&word) {
                words.extend(rest.next().map(|value| value.as_ref().to_owned()));
            }
            flags.push(Flag { role: role(word), words });
        }
        Flags { flags }
    }

    /// These flags, then `later` ones, which win where they contradict.
    pub fn followed_by(&self, later: &Flags) -> Flags {
        Flags { flags: self.flags.iter().chain(&later.flags).cloned().collect() }
    }

    /// Whether the user links with libraries of their own choice: others than the system's,
    /// which are known.
    pub fn links_libraries(&self) -> bool {
        const SYSTEM: [&str; 6] = ["-lm", "-lc", "-lpthread", "-ldl", "-lrt", "-lgcc"];
        let chosen = |word: &str| word.starts_with("-l") && !SYSTEM.contains(&word);
        self.flags.iter().any(|flag| chosen(&flag.words[0]))
    }

    /// Whether a source means the same with these flags as with others. What only a shared
    /// library is told (`-DNAME_EXPORTS`, `-fPIC`) makes no difference.
    pub(super) fn compiles_like(&self, other: &Flags) -> bool {
        let telling = |flags: &Flags| -> Vec<Vec<String>> {
            let is_told = |flag: &&Flag| {
                let word = flag.words.concat();
                let of_library = word.starts_with("-D") && word.ends_with("_EXPORTS");
                let code = matches!(&*word, "-fPIC" | "-fpic" | "-fPIE" | "-fpie");
                !matches!(flag.role, Role::Link | Role::None) && !of_library && !code
            };
            flags.flags.iter().filter(is_told).map(|flag| flag.words.clone()).collect()
        };
        telling(self) == telling(other)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.flags.is_empty()
    }

    /// The last `-O` flag, as written (`-O2`, `-Os`, `-O`).
    pub fn optimisation(&self) -> Option<&str> {
        self.flags.iter().rev().map(|flag| flag.words[0].as_str()).find(|word| is_level(word))
    }

    /// Whether any optimisation happens.
    pub fn optimises(&self) -> bool {
        self.optimisation().is_some_and(|level| level != "-O0")
    }

    /// Whether an executable linked with these flags starts with subnormals flushed
    /// to zero: clang's driver then adds `crtfastmath.o`, but never to a shared
    /// library, so whoever runs the library has to set the mode.
    pub fn flushes_subnormals(&self) -> bool {
        let last = |says: fn(&str) -> Option<bool>| {
            self.flags.iter().rev().find_map(|flag| says(&flag.words[0]))
        };
        let explicit = last(|word| match word {
            "-mdaz-ftz" => Some(true),
            "-mno-daz-ftz" => Some(false),
            _ => None,
        });
        let arithmetic = last(|word| match word {
            "-ffast-math" | "-funsafe-math-optimizations" => Some(true),
            "-fno-fast-math" | "-fno-unsafe-math-optimizations" => Some(false),
            word => word.strip_prefix("-ffp-model=").map(|model| model == "fast"),
        });
        let fast = self.optimisation() == Some("-Ofast") || arithmetic == Some(true);
        explicit.unwrap_or(fast)
    }

    /// What `-x` says, if anything.
    pub(super) fn language(&self) -> Option<Language> {
        let named = self.flags.iter().rev().find_map(|flag| {
            let name = flag.words[0].strip_prefix("-x")?;
            Some(if name.is_empty() { flag.words.get(1)?.as_str() } else { name })
        })?;
        match named {
            "c" | "cpp-output" => Some(Language::C),
            "c++" | "c++-cpp-output" => Some(Language::Cxx),
            "f95" | "f95-cpp-input" | "f77" | "f77-cpp-input" => Some(Language::Fortran),
            "ir" => Some(Language::Ir),
            // `none` and languages that no front end here reads: the name decides.
            _ => None,
        }
    }

    /// The words for compiling a source of `language`.
    pub(super) fn reading(&self, language: Language) -> Vec<String> {
        let mut words = Vec::new();
        for flag in &self.flags {
            let wanted = match flag.role {
                Role::Read | Role::Generate | Role::ReadAndLink => true,
                Role::Link | Role::None => false,
            };
            if wanted && speaks_of(&flag.words, language) {
                words.extend(match language {
                    Language::Fortran => for_flang(&flag.words),
                    Language::C | Language::Cxx | Language::Ir => flag.words.clone(),
                });
            }
        }
        words
    }

    /// Whether an optimiser may compute something else than is written.
    pub(super) fn frees_arithmetic(&self) -> bool {
        let is_free = |flag: &Flag| is_freedom(&flag.words[0]) || flag.words[0] == "-Ofast";
        self.optimises() && self.flags.iter().any(is_free)
    }

    /// The words for optimising bitcode, with all that they let an optimiser do.
    pub(super) fn optimising(&self) -> Vec<String> {
        self.words(|flag| flag.role == Role::Generate)
    }

    /// The words for making machine code of bitcode, without the `-O` level. What contracts and
    /// what else may be computed is written in the bitcode: the code generator has no say in it.
    pub(super) fn generating(&self) -> Vec<String> {
        let is_wanted = |word: &str| !is_level(word) && !is_freedom(word);
        let mut words = self.words(|flag| flag.role == Role::Generate && is_wanted(&flag.words[0]));
        words.push("-ffp-contract=on".to_owned());
        words
    }

    /// The files in the user's `-L` folders that `-l` flags may mean, there or not.
    pub(super) fn libraries(&self, directory: &Path) -> Vec<PathBuf> {
        let values = |name| self.flags.iter().filter_map(move |flag| value_of(flag, name));
        let mut files = Vec::new();
        for folder in values("-L").map(|folder| directory.join(folder)) {
            for name in values("-l") {
                match name.strip_prefix(':') {
                    Some(file) => files.push(folder.join(file)),
                    None => {
                        files.push(folder.join(format!("lib{name}.so")));
                        files.push(folder.join(format!("lib{name}.a")));
                    }
                }
            }
        }
        files
    }

    /// The words for linking, with relative `-L` folders taken from `directory`. What is
    /// linked from there is also found there when the library is loaded.
    pub(super) fn linking(&self, directory: &Path) -> Vec<String> {
        let mut words = Vec::new();
        for flag in &self.flags {
            match flag.role {
                Role::Read | Role::Generate | Role::None => continue,
                Role::Link | Role::ReadAndLink => {}
            }
            match value_of(flag, "-L") {
                Some(folder) => {
                    let folder = directory.join(folder).display().to_string();
                    words.extend([format!("-L{folder}"), "-Xlinker".to_owned()]);
                    words.extend([format!("-rpath={folder}")]);
                }
                None => words.extend(flag.words.iter().cloned()),
            }
        }
        words
    }

    /// The folders that `#include`, `include` and `use` look into.
    pub(super) fn include_folders(&self, directory: &Path) -> Vec<PathBuf> {
        const FOLDERS: &[&str] = &["-I", "-iquote", "-isystem", "-idirafter", "-J", "-module-dir"];
        let named = |flag| FOLDERS.iter().find_map(|name| value_of(flag, name));
        self.flags.iter().filter_map(named).map(|folder| directory.join(folder)).collect()
    }

    /// Without flags about warnings, which are for the compiler that the user builds with.
    pub(super) fn without_warnings(mut self) -> Flags {
        self.flags.retain(|flag| {
            let word = &flag.words[0];
            let passed_on = ["-Wl,", "-Wa,", "-Wp,"].iter().any(|start| word.starts_with(start));
            passed_on || !(word.starts_with("-W") || word.starts_with("-pedantic"))
        });
        self
    }

    /// Only what concerns code generation and linking.
    pub(super) fn for_library(&self) -> Flags {
        let kept = |flag: &&Flag| !matches!(flag.role, Role::Read | Role::None);
        Flags { flags: self.flags.iter().filter(kept).cloned().collect() }
    }

    fn words(&self, wanted: impl Fn(&Flag) -> bool) -> Vec<String> {
        self.flags.iter().filter(|f| wanted(f)).flat_map(|f| f.words.iter().cloned()).collect()
    }
}

fn role(word: &str) -> Role {
    let starts = |list: &[&str]| list.iter().any(|start| word.starts_with(start));
    let is_or_sets = |list: &[&str]| {
        let name = word.split('=').next().unwrap_or(word);
        list.contains(&name)
    };
    if matches!(word, "-c" | "-S" | "-E" | "-o" | "-P" | "-v" | "-###" | "-emit-llvm" | "-pipe")
        || matches!(word, "-static" | "-shared" | "-pie" | "-no-pie" | "-rdynamic" | "-s" | "-pg")
        || matches!(word, "--coverage" | "-coverage" | "-gsplit-dwarf" | "-x" | "-dumpbase")
        || matches!(word, "-dumpdir" | "--serialize-diagnostics" | "-fPIE" | "-fpie" | "-p")
        || starts(&["-M", "-save-temps", "--save-temps", "-g", "-x", "-o"])
        || starts(OTHERS)
    {
        Role::None
    } else if starts(&["-l", "-L", "-Wl,", "-Xlinker", "-framework", "-nostdlib", "-nodefaultlibs"])
        || starts(&["-nostartfiles", "-static-lib", "-rpath"])
        || matches!(word, "-u" | "-T" | "-z")
    {
        Role::Link
    } else if starts(&["-fopenmp", "-pthread", "-stdlib=", "--sysroot", "-B", "--gcc-"]) {
        Role::ReadAndLink
    } else if starts(&["-O", "-m", "-target", "--target"])
        || is_or_sets(GENERATE)
        || is_freedom(word)
    {
        // -mmlir and -module-dir only look like -m: they are flang's.
        if word.starts_with("-mmlir") || word.starts_with("-module-dir") {
            Role::Read
        } else {
            Role::Generate
        }
    } else {
        Role::Read
    }
}

/// A level of optimisation without what it says about arithmetic.
pub(super) fn plain_level(level: &str) -> &str {
    if level == "-Ofast" { "-O3" } else { level }
}

fn is_level(word: &str) -> bool {
    word.starts_with("-O")
}

/// The value of a `-I`-like flag, in either spelling.
fn value_of<'a>(flag: &'a Flag, name: &str) -> Option<&'a str> {
    match flag.words[0].strip_prefix(name)? {
        "" => flag.words.get(1).map(String::as_str),
        joined => Some(joined),
    }
}

/// Whether a flag is for sources of `language`: in a list of mixed sources `-std`
/// speaks of one language only, and a compiler refuses another's.
fn speaks_of(words: &[String], language: Language) -> bool {
    let standard = match words[0].strip_prefix("-std") {
        Some("") => words.get(1).map_or("", String::as_str),
        Some(value) => value.trim_start_matches('='),
        None => return true,
    };
    let of = if standard.contains("++") {
        Language::Cxx
    } else if standard.starts_with('f') || standard == "legacy" {
        Language::Fortran
    } else {
        Language::C
    };
    of == language
}

/// A flag as flang understands it. Optimisation is left to the step that makes
/// machine code (flang cannot be told to skip its passes), but what `-Ofast` says
/// about arithmetic is kept; and module files are never written into the user's
/// folders.
fn for_flang(words: &[String]) -> Vec<String> {
    match words[0].as_str() {
        "-Ofast" => vec!["-ffast-math".to_owned()],
        word if is_level(word) => Vec::new(),
        // Headers are none of Fortran's business.
        "-idirafter" | "-isystem" | "-iquote" => Vec::new(),
        "-J" | "-module-dir" => vec!["-I".to_owned(), words.get(1).cloned().unwrap_or_default()],
        word if word.starts_with("-J") => vec![format!("-I{}", &word[2..])],
        _ => words.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, reading: &str, generating: &str, linking: &str) {
        let flags = Flags::parse(line.split_whitespace());
        assert_eq!(flags.reading(Language::C).join(" "), reading, "reading `{line}`");
        // Products and sums are fused in the bitcode, once for all that look at it.
        let generating = format!("{generating} -ffp-contract=on");
        assert_eq!(flags.generating().join(" "), generating.trim_start(), "generating `{line}`");
        assert_eq!(flags.linking(Path::new("/d")).join(" "), linking, "linking `{line}`");
    }

    #[test]
    fn flags_go_to_the_steps_that_need_them() {
        check("-I inc -DX=1 -Uy -std=c99", "-I inc -DX=1 -Uy -std=c99", "", "");
        check("-O2 -mavx2 a.c -c -o a.o", "-O2 -mavx2", "-mavx2", "");
        check("-ffast-math -fwrapv", "-ffast-math -fwrapv", "", "");
        check("-ffp-contract=off", "-ffp-contract=off", "-ffp-contract=off", "");
        check("-lm -Wl,-z,now", "", "", "-lm -Wl,-z,now");
        check("-L x -lq", "", "", "-L/d/x -Xlinker -rpath=/d/x -lq");
        check("-MD -MF a.d -MT a.o -MMD", "", "", "");
        check("-fsanitize=address --coverage -flto=thin -g3", "", "", "");
        check("-fopenmp", "-fopenmp", "", "-fopenmp");
        check("-std=c++17 -std=f2018", "", "", "");
        check("-mllvm -unroll-count=2", "-mllvm -unroll-count=2", "-mllvm -unroll-count=2", "");
    }

    #[test]
    fn flang_gets_its_own_spelling() {
        let flags = Flags::parse(["-Ofast", "-Jmods", "-fdefault-real-8", "-std=c99"]);
        let words = flags.reading(Language::Fortran);
        assert_eq!(words, ["-ffast-math", "-Imods", "-fdefault-real-8"]);
    }

    #[test]
    fn the_last_level_wins() {
        let flags = Flags::parse(["-O3", "-O1"]);
        assert_eq!(flags.optimisation(), Some("-O1"));
        let later = Flags::parse(["-Ofast"]);
        assert_eq!(flags.followed_by(&later).optimisation(), Some("-Ofast"));
    }

    /// As `clang-19 FLAGS a.o -###` names crtfastmath.o or not.
    #[test]
    fn fast_programs_flush_subnormals() {
        let check = |line: &str, flushes: bool| {
            let flags = Flags::parse(line.split_whitespace());
            assert_eq!(flags.flushes_subnormals(), flushes, "{line}");
        };
        check("-O2", false);
        check("-ffast-math", true);
        check("-ffp-model=fast", true);
        check("-funsafe-math-optimizations", true);
        check("-Ofast", true);
        check("-Ofast -O2", false);
        check("-Ofast -fno-fast-math", true);
        check("-ffast-math -fno-fast-math", false);
        check("-ffast-math -ffp-model=precise", false);
        check("-mdaz-ftz", true);
        check("-mno-daz-ftz -ffast-math", false);
    }
}
