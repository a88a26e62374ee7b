//! From bitcode to an executable that runs the whole program, with the runtime that hands
//! it its inputs and tells how it ended (`runtime/test.c`).
//!
//! Three builds of the same sources: plain, as the user builds it, but counting the edges
//! it takes; with sanitisers, which see invalid memory accesses and undefined integer
//! arithmetic; with the coverage that clang's tools read.

use super::cache::{Ingredients, hash_file};
use super::flags::plain_level;
use super::library::{RuntimeSource, generate, runtime_object};
use super::tool::{Tool, file_identity, on_path};
use super::{Bitcode, Compiler, Flags, Language};
use crate::Fault;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is built into an executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Build {
    /// Only guards that tell which edges were taken.
    Plain,
    /// AddressSanitizer, and the checks of UndefinedBehaviorSanitizer that findings need.
    Sanitised,
    /// Counters for line and branch coverage.
    Covered,
}

/// What the sanitisers look for: what `explore` reports, and no more.
const SANITISERS: &str =
    "-fsanitize=address,integer-divide-by-zero,shift-exponent,unreachable,null,return";

impl Build {
    /// Flags for the front end.
    pub(super) fn reading(self) -> &'static [&'static str] {
        match self {
            Build::Plain => &[],
            Build::Sanitised => &[SANITISERS, "-fno-omit-frame-pointer"],
            Build::Covered => &["-fprofile-instr-generate", "-fcoverage-mapping"],
        }
    }

    /// Flags for the back end.
    fn generating(self) -> &'static [&'static str] {
        match self {
            Build::Plain => &["-fsanitize-coverage=trace-pc-guard"],
            Build::Sanitised => &[SANITISERS, "-fno-omit-frame-pointer"],
            Build::Covered => &["-fprofile-instr-generate"],
        }
    }

    /// Flags for the linker.
    fn linking(self) -> &'static [&'static str] {
        match self {
            Build::Plain => &[],
            Build::Sanitised => &[SANITISERS],
            Build::Covered => &["-fprofile-instr-generate"],
        }
    }
}

/// What to make an executable of, and how.
#[derive(Clone, Debug)]
pub struct ExecutableRequest {
    /// The bitcode file.
    pub bitcode: PathBuf,
    /// Decides which runtime libraries are linked.
    pub languages: BTreeSet<Language>,
    /// The user's flags: code generation and linking take what concerns them.
    pub flags: Flags,
    /// What is built in.
    pub build: Build,
    /// Whether it runs a function, through `nanoscope_run`, instead of `main`.
    pub function: bool,
}

impl ExecutableRequest {
    /// An executable of a program as the user compiles it.
    pub fn new(bitcode: &Bitcode, build: Build, function: bool) -> ExecutableRequest {
        ExecutableRequest {
            bitcode: bitcode.path.clone(),
            languages: bitcode.languages.clone(),
            flags: bitcode.flags.clone(),
            build,
            function,
        }
    }

    /// The same, of another (transformed) bitcode file.
    pub fn of(mut self, bitcode: &Path) -> ExecutableRequest {
        self.bitcode = bitcode.to_owned();
        self
    }

    fn runtime(&self) -> RuntimeSource {
        let define = if self.function { "#define NANOSCOPE_FUNCTION\n" } else { "" };
        let text = format!("{define}{}", include_str!("../../runtime/test.c"));
        RuntimeSource { name: "test.c".into(), text }
    }
}

pub(super) fn make(
    compiler: &Compiler,
    request: &ExecutableRequest,
    deadline: Option<Instant>,
) -> Result<PathBuf, Fault> {
    let contents = hash_file(&request.bitcode).ok_or_else(|| {
        Fault::User(format!("cannot read the bitcode `{}`", request.bitcode.display()))
    })?;
    let mut generating = request.flags.generating();
    generating.push(plain_level(request.flags.optimisation().unwrap_or("-O0")).to_owned());
    generating.extend(request.build.generating().iter().map(|&word| word.to_owned()));
    generating.extend(["-fPIC", "-c", "-Qunused-arguments"].map(str::to_owned));
    let driver = driver_words(compiler, request)?;
    let runtime = request.runtime();

    let mut ingredients = Ingredients::of("executable");
    ingredients.add(compiler.tools.identity(Tool::Clang)?);
    ingredients.add(contents);
    ingredients.add_all(&generating);
    ingredients.add_all(&driver);
    ingredients.add(&runtime.text);
    for file in request.flags.libraries(&compiler.directory) {
        ingredients.add(file_identity(&file));
    }
    ingredients.add(std::env::var_os("LIBRARY_PATH").unwrap_or_default().as_encoded_bytes());
    let key = ingredients.key();
    if let Some(path) = compiler.cache.object(&key, "exe") {
        return Ok(path);
    }

    let scratch = compiler.cache.scratch()?;
    let (object, made) = (scratch.file("program.o"), scratch.file("program.exe"));
    generate(compiler, &request.bitcode, &generating, &object, deadline)?;
    // The runtime first: of two weak definitions the linker takes the first, and a stub
    // for what the program lacks is the last resort.
    let mut arguments: Vec<OsString> =
        vec![runtime_object(compiler, &runtime, deadline)?.into(), object.into()];
    arguments.extend(driver.iter().map(OsString::from));
    arguments.extend(["-o".into(), made.clone().into()]);
    let clang = compiler.tools.path(Tool::Clang)?;
    let outcome = compiler.tools.run(clang, &arguments, &compiler.directory, deadline)?;
    if !outcome.success {
        return Err(Fault::User(format!(
            "{}\nlinking the program with `{}` failed ({})",
            outcome.stderr.trim_end(),
            driver.join(" "),
            outcome.status
        )));
    }
    let path = compiler.cache.keep(&made, &key, "exe")?;
    compiler.cache.shrink_at_times();
    Ok(path)
}

/// What clang's driver is told about the link.
fn driver_words(compiler: &Compiler, request: &ExecutableRequest) -> Result<Vec<String>, Fault> {
    let mut words = vec!["-pie".to_owned()];
    if on_path("ld.gold").is_some() && request.build == Build::Plain {
        words.push("-fuse-ld=gold".to_owned());
    }
    if request.languages.contains(&Language::Cxx) {
        words.push("--driver-mode=g++".to_owned());
    }
    if request.flags.flushes_subnormals() {
        words.push("-mdaz-ftz".to_owned());
    }
    words.extend(request.build.linking().iter().map(|&word| word.to_owned()));
    words.extend(request.flags.linking(&compiler.directory));
    if request.languages.contains(&Language::Fortran) {
        let flang = compiler.tools.path(Tool::Flang)?;
        let libraries = flang.parent().unwrap_or(Path::new("/")).join("../lib");
        words.push(format!("-L{}", libraries.display()));
        words.extend(["-lFortranRuntime", "-lFortranDecimal"].map(str::to_owned));
    }
    words.push("-lm".to_owned());
    Ok(words)
}
