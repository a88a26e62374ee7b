//! From bitcode to a shared library.
//!
//! Three processes at the most: clang makes the object file, clang's driver is asked
//! once per set of link flags which linker command it would run, and that linker is
//! started directly; the driver alone takes longer than the linker.

use super::cache::{Dependency, Ingredients, Record, hash_file, unwritable};
use super::flags::plain_level;
use super::tool::{Tool, file_identity, on_path};
use super::{Bitcode, Compiler, Flags, Language};
use crate::Fault;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What to make a library of, and how.
#[derive(Clone, Debug)]
pub struct LibraryRequest {
    /// The bitcode file.
    pub bitcode: PathBuf,
    /// Further bitcode to link in, which is not optimised.
    pub unoptimised: Option<PathBuf>,
    /// Decides which runtime libraries are linked.
    pub languages: BTreeSet<Language>,
    /// The user's flags: code generation and linking take what concerns them.
    pub flags: Flags,
    /// `-O0`, `-O2`, …: `None` is the user's own level.
    pub optimisation: Option<String>,
    /// C sources to link in.
    pub runtime: Vec<RuntimeSource>,
    /// Symbols whose calls go to `__wrap_SYMBOL` (the linker's `--wrap`).
    pub wrap: Vec<String>,
}

/// A C source that comes with Nanoscope.
#[derive(Clone, Debug)]
pub struct RuntimeSource {
    /// As messages name it: `replay.c`.
    pub name: String,
    /// The C text.
    pub text: String,
}

impl LibraryRequest {
    /// A library of a program as the user compiles it.
    pub fn new(bitcode: &Bitcode) -> LibraryRequest {
        LibraryRequest {
            bitcode: bitcode.path.clone(),
            unoptimised: None,
            languages: bitcode.languages.clone(),
            flags: bitcode.flags.clone(),
            optimisation: None,
            runtime: Vec::new(),
            wrap: Vec::new(),
        }
    }

    /// The same, of another (transformed) bitcode file.
    pub fn of(mut self, bitcode: &Path) -> LibraryRequest {
        self.bitcode = bitcode.to_owned();
        self
    }
}

/// The linker's command without objects and output.
#[derive(Serialize, Deserialize)]
struct LinkLine {
    linker: PathBuf,
    before: Vec<String>,
    after: Vec<String>,
}

impl Record for LinkLine {
    fn dependencies(&self) -> &[Dependency] {
        &[]
    }
}

/// Stands for the file that differs from one link to the next.
const OUTPUT: &str = "nanoscope-output.so";

pub(super) fn make(
    compiler: &Compiler,
    request: &LibraryRequest,
    deadline: Option<Instant>,
) -> Result<PathBuf, Fault> {
    let contents = |bitcode: &Path| {
        hash_file(bitcode)
            .ok_or_else(|| Fault::User(format!("cannot read the bitcode `{}`", bitcode.display())))
    };
    let level = request.optimisation.as_deref().or(request.flags.optimisation());
    let generating = generating(request, plain_level(level.unwrap_or("-O0")));
    let driver = driver_words(compiler, request)?;
    let wraps: Vec<String> = request.wrap.iter().map(|symbol| format!("--wrap={symbol}")).collect();

    let mut ingredients = Ingredients::of("library");
    ingredients.add(compiler.tools.identity(Tool::Clang)?);
    ingredients.add(contents(&request.bitcode)?);
    if let Some(bitcode) = &request.unoptimised {
        ingredients.add(contents(bitcode)?);
    }
    ingredients.add_all(&generating);
    ingredients.add_all(&driver);
    ingredients.add_all(&wraps);
    for source in &request.runtime {
        ingredients.add(&source.name);
        ingredients.add(&source.text);
    }
    for file in request.flags.libraries(&compiler.directory) {
        ingredients.add(file_identity(&file));
    }
    ingredients.add(std::env::var_os("LIBRARY_PATH").unwrap_or_default().as_encoded_bytes());
    let key = ingredients.key();
    if let Some(path) = compiler.cache.object(&key, "so") {
        return Ok(path);
    }

    let scratch = compiler.cache.scratch()?;
    let (object, made) = (scratch.file("program.o"), scratch.file("library.so"));
    let mut objects = vec![object];
    std::thread::scope(|scope| {
        let beside = request.unoptimised.as_ref().map(|bitcode| {
            let object = scratch.file("unoptimised.o");
            objects.push(object.clone());
            let generating = self::generating(request, "-O0");
            scope.spawn(move || generate(compiler, bitcode, &generating, &object, deadline))
        });
        generate(compiler, &request.bitcode, &generating, &objects[0], deadline)?;
        let joined = beside.map_or(Ok(Ok(())), |thread| thread.join());
        joined.map_err(|_| Fault::Internal("the compiler's thread panicked".into()))?
    })?;
    for source in &request.runtime {
        objects.push(runtime_object(compiler, source, deadline)?);
    }
    let line = link_line(compiler, &driver, &objects[0], deadline)?;
    let mut arguments: Vec<OsString> = Vec::new();
    arguments.extend(line.before.iter().map(OsString::from));
    arguments.extend(wraps.iter().map(OsString::from));
    arguments.extend(objects.into_iter().map(OsString::from));
    arguments.extend(line.after.iter().map(OsString::from));
    arguments.extend(["-o".into(), made.clone().into()]);
    let outcome = compiler.tools.run(&line.linker, &arguments, &compiler.directory, deadline)?;
    if !outcome.success {
        return Err(Fault::User(format!(
            "{}\nlinking a library with `{}` failed ({})",
            outcome.stderr.trim_end(),
            driver.join(" "),
            outcome.status
        )));
    }
    let path = compiler.cache.keep(&made, &key, "so")?;
    compiler.cache.shrink_at_times();
    Ok(path)
}

/// Flags for clang's back end.
fn generating(request: &LibraryRequest, level: &str) -> Vec<String> {
    let mut words = request.flags.generating();
    words.push(level.to_owned());
    // Flags of the front end that reach this step too are not worth a warning.
    words.extend(["-fPIC", "-c", "-Qunused-arguments"].map(str::to_owned));
    words
}

/// Machine code of bitcode.
pub(super) fn generate(
    compiler: &Compiler,
    bitcode: &Path,
    generating: &[String],
    object: &Path,
    deadline: Option<Instant>,
) -> Result<(), Fault> {
    let mut arguments: Vec<OsString> = generating.iter().map(OsString::from).collect();
    arguments.extend(["-x".into(), "ir".into(), bitcode.into(), "-o".into()]);
    arguments.push(object.into());
    let clang = compiler.tools.path(Tool::Clang)?;
    let outcome = compiler.tools.run(clang, &arguments, &compiler.directory, deadline)?;
    if outcome.success {
        return Ok(());
    }
    // What the user wrote has been through a compiler; what fails here was made since.
    Err(Fault::Internal(format!(
        "{}\n`clang-19 {}` cannot make code of `{}` ({})",
        outcome.stderr.trim_end(),
        generating.join(" "),
        bitcode.display(),
        outcome.status
    )))
}

/// Compiles a runtime source, once.
pub(super) fn runtime_object(
    compiler: &Compiler,
    source: &RuntimeSource,
    deadline: Option<Instant>,
) -> Result<PathBuf, Fault> {
    runtime_file(compiler, source, "o", &["-O2", "-fPIC"], deadline)
}

/// Compiles a runtime source to bitcode, once.
pub(super) fn runtime_bitcode(
    compiler: &Compiler,
    source: &RuntimeSource,
    flags: &[&str],
    deadline: Option<Instant>,
) -> Result<PathBuf, Fault> {
    let flags: Vec<&str> = flags.iter().chain(&["-emit-llvm"]).copied().collect();
    runtime_file(compiler, source, "bc", &flags, deadline)
}

fn runtime_file(
    compiler: &Compiler,
    source: &RuntimeSource,
    ending: &str,
    flags: &[&str],
    deadline: Option<Instant>,
) -> Result<PathBuf, Fault> {
    let mut ingredients = Ingredients::of("runtime object");
    ingredients.add(compiler.tools.identity(Tool::Clang)?);
    ingredients.add(&source.name);
    ingredients.add(&source.text);
    ingredients.add_all(flags);
    let key = ingredients.key();
    if let Some(path) = compiler.cache.object(&key, ending) {
        return Ok(path);
    }
    let failed = |why: String| Fault::Internal(format!("the runtime `{}`: {why}", source.name));
    let scratch = compiler.cache.scratch()?;
    let (text, made) = (scratch.file("runtime.c"), scratch.file("runtime.o"));
    std::fs::write(&text, &source.text).map_err(|error| unwritable(&text, &error))?;
    let mut arguments: Vec<OsString> = flags.iter().map(OsString::from).collect();
    arguments.extend(["-c", "-x", "c"].map(OsString::from));
    arguments.extend([text.into(), "-o".into(), made.clone().into()]);
    let clang = compiler.tools.path(Tool::Clang)?;
    let outcome = compiler.tools.run(clang, &arguments, &compiler.directory, deadline)?;
    if !outcome.success {
        return Err(failed(outcome.stderr));
    }
    compiler.cache.keep(&made, &key, ending)
}

/// What clang's driver is told about the link.
fn driver_words(compiler: &Compiler, request: &LibraryRequest) -> Result<Vec<String>, Fault> {
    // The program's names are its own, whatever the process it is loaded into has; and
    // bitcode that was not compiled with -fPIC can be linked at all.
    let mut words = vec!["-shared".to_owned(), "-Wl,-Bsymbolic".to_owned()];
    // gold links in half of bfd's time.
    if on_path("ld.gold").is_some() {
        words.push("-fuse-ld=gold".to_owned());
    }
    if request.languages.contains(&Language::Cxx) {
        words.push("--driver-mode=g++".to_owned());
    }
    words.extend(request.flags.linking(&compiler.directory));
    if request.languages.contains(&Language::Fortran) {
        let flang = compiler.tools.path(Tool::Flang)?;
        let libraries = flang.parent().unwrap_or(Path::new("/")).join("../lib");
        if !libraries.join("libFortranRuntime.a").exists() {
            return Err(Fault::User(format!(
                "cannot find `libFortranRuntime.a` in `{}`: install it (Debian package libflang-19-dev)",
                libraries.display()
            )));
        }
        words.push(format!("-L{}", libraries.display()));
        words.extend(["-lFortranRuntime", "-lFortranDecimal"].map(str::to_owned));
    }
    words.extend(["-lm", "-o", OUTPUT].map(str::to_owned));
    Ok(words)
}

/// Asks the driver (`-###`) what it would run.
fn link_line(
    compiler: &Compiler,
    driver: &[String],
    object: &Path,
    deadline: Option<Instant>,
) -> Result<LinkLine, Fault> {
    let mut ingredients = Ingredients::of("link line");
    ingredients.add(compiler.tools.identity(Tool::Clang)?);
    ingredients.add(on_path("ld.gold").map(|path| file_identity(&path)).unwrap_or_default());
    ingredients.add_all(driver);
    let key = ingredients.key();
    if let Some(line) = compiler.cache.record::<LinkLine>(&key)
        && line.linker.exists()
    {
        return Ok(line);
    }
    // The driver wants to see a file, even if only to speak of it.
    let object = object.display().to_string();
    let mut arguments = vec!["-###".to_owned(), object.clone()];
    arguments.extend(driver.iter().cloned());
    let clang = compiler.tools.path(Tool::Clang)?;
    let outcome = compiler.tools.run(clang, &arguments, &compiler.directory, deadline)?;
    let line = outcome.stderr.lines().last().and_then(|said| split_line(said, &object));
    let Some(line) = line.filter(|_| outcome.success) else {
        return Err(Fault::User(format!(
            "{}\n`clang-19 {}` failed ({})",
            outcome.stderr.trim_end(),
            driver.join(" "),
            outcome.status
        )));
    };
    compiler.cache.keep_record(&key, &line)?;
    Ok(line)
}

/// Takes a printed command apart: every word is in double quotes, `"`, `\` and `$`
/// escaped. Object and output fall out.
fn split_line(line: &str, object: &str) -> Option<LinkLine> {
    let mut words = Vec::new();
    let mut letters = line.chars();
    while letters.by_ref().any(|letter| letter == '"') {
        let mut word = String::new();
        loop {
            match letters.next()? {
                '"' => break,
                '\\' => word.push(letters.next()?),
                other => word.push(other),
            }
        }
        words.push(word);
    }
    let output = words.iter().position(|word| word == OUTPUT)?;
    words.drain(output.checked_sub(1)?..=output);
    let object = words.iter().position(|word| word == object)?;
    let after = words.split_off(object + 1);
    words.pop();
    let before = words.split_off(1);
    Some(LinkLine { linker: PathBuf::from(words.pop()?), before, after })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drivers_command_comes_apart() {
        let line = format!(r#" "/bin/ld" "-shared" "-o" "{OUTPUT}" "a\\b" "x.o" "-lm" "x y""#);
        let line = split_line(&line, "x.o").unwrap();
        assert_eq!(line.linker, Path::new("/bin/ld"));
        assert_eq!(line.before, ["-shared", r"a\b"]);
        assert_eq!(line.after, ["-lm", "x y"]);
        assert!(split_line("clang: error: no", "x.o").is_none());
    }
}
