//! From one source to one bitcode file.

use super::cache::{Dependency, Ingredients, Record, hash_file, unwritable};
use super::source::{Source, is_bitcode};
use super::tool::{Tool, ToolRun};
use super::{Build, Compiler, Language, fortran, identification};
use crate::Fault;
use crate::passes::sanitise::sanitise;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A compiled source.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub path: PathBuf,
    /// Of the contents of `path`, or of everything they were made from.
    pub hash: String,
    pub warnings: String,
}

/// What is remembered of a compilation.
#[derive(Serialize, Deserialize)]
struct Compiled {
    dependencies: Vec<Dependency>,
    object: String,
    warnings: String,
    /// Fortran modules it defines: name and object.
    modules: Vec<(String, String)>,
}

impl Record for Compiled {
    fn dependencies(&self) -> &[Dependency] {
        &self.dependencies
    }
}

/// Environment variables that change what a compiler reads.
const ENVIRONMENT: &[&str] =
    &["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS", "SOURCE_DATE_EPOCH"];

impl Compiler {
    /// Compiles every source: Fortran in the order its modules ask for, the rest on
    /// all cores.
    pub(super) fn compile_all(
        &self,
        sources: &[Source],
        deadline: Option<Instant>,
    ) -> Vec<Result<Unit, Fault>> {
        let (fortran, others): (Vec<usize>, Vec<usize>) =
            (0..sources.len()).partition(|&i| sources[i].language == Language::Fortran);
        let compiled = self.compile_independent(sources, &others, deadline);
        let mut units: Vec<(usize, Result<Unit, Fault>)> =
            others.into_iter().zip(compiled).collect();
        if !fortran.is_empty() {
            let chosen: Vec<&Source> = fortran.iter().map(|&i| &sources[i]).collect();
            units.extend(fortran.into_iter().zip(self.compile_fortran(&chosen, deadline)));
        }
        units.sort_by_key(|(position, _)| *position);
        units
            .into_iter()
            .map(|(position, unit)| match sources[position].flags.frees_arithmetic() {
                true => self.settled(&sources[position], &unit?, deadline),
                false => unit,
            })
            .collect()
    }

    /// What the user's optimiser makes of arithmetic that it may compute otherwise than written
    /// (`-ffast-math`): decided once, by the same passes with the same flags, so that all that look
    /// at the program see what is run.
    fn settled(
        &self,
        source: &Source,
        unit: &Unit,
        deadline: Option<Instant>,
    ) -> Result<Unit, Fault> {
        let clang = self.tools.path(Tool::Clang)?;
        let mut words = source.flags.optimising();
        words.extend(["-emit-llvm", "-c", "-Qunused-arguments", "-x", "ir"].map(str::to_owned));
        let mut ingredients = Ingredients::of("settled arithmetic");
        ingredients.add(self.tools.identity(Tool::Clang)?);
        ingredients.add(&unit.hash);
        ingredients.add_all(&words);
        let key = ingredients.key();
        if let Some(unit) = self.remembered(&key, &mut |_, _| Ok(()))? {
            return Ok(unit);
        }
        let scratch = self.cache.scratch()?;
        let made = scratch.file("settled.bc");
        let mut arguments: Vec<OsString> = words.into_iter().map(OsString::from).collect();
        arguments.extend([unit.path.clone().into(), "-o".into(), made.clone().into()]);
        let run = self.tools.run(clang, &arguments, &source.directory, deadline)?;
        accepted(run, source, "clang-19")?;
        self.remember(&key, &made, Vec::new(), Vec::new(), unit.warnings.clone())
    }

    /// In the order of `chosen`, whichever thread was first.
    fn compile_independent(
        &self,
        sources: &[Source],
        chosen: &[usize],
        deadline: Option<Instant>,
    ) -> Vec<Result<Unit, Fault>> {
        let compile = |i: usize| match sources[i].language {
            Language::C | Language::Cxx => self.compile_c(&sources[i], deadline),
            Language::Ir => self.sanitise(self.accept_ir(&sources[i], deadline)?),
            Language::Fortran => Err(Fault::Internal("Fortran is compiled in order".to_owned())),
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from).min(chosen.len());
        if cores <= 1 {
            return chosen.iter().map(|&i| compile(i)).collect();
        }
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    loop {
                        let position = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&i) = chosen.get(position) else { break };
                        let unit = compile(i);
                        done.lock().unwrap_or_else(|e| e.into_inner()).push((position, unit));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(|e| e.into_inner());
        done.sort_by_key(|(position, _)| *position);
        done.into_iter().map(|(_, unit)| unit).collect()
    }

    fn compile_c(&self, source: &Source, deadline: Option<Instant>) -> Result<Unit, Fault> {
        let clang = self.tools.path(Tool::Clang)?;
        let mut arguments = source.flags.reading(source.language);
        // -g and its columns name operations, -fstandalone-debug describes classes whose
        // constructors stand elsewhere; -fPIC is for the library to come;
        // -disable-llvm-passes keeps the program as written; without
        // -disable-O0-optnone no later pass would be let in.
        for word in ["-g", "-fstandalone-debug", "-gcolumn-info", "-fPIC", "-emit-llvm", "-c"] {
            arguments.push(word.to_owned());
        }
        for word in ["-disable-llvm-passes", "-disable-O0-optnone"] {
            arguments.extend(["-Xclang".to_owned(), word.to_owned()]);
        }
        arguments.extend(self.build.reading().iter().map(|&word| word.to_owned()));
        let mut ingredients = self.ingredients("bitcode of clang", Tool::Clang, source)?;
        ingredients.add_all(&arguments);
        let key = ingredients.key();
        if let Some(unit) = self.remembered(&key, &mut |_, _| Ok(()))? {
            return Ok(unit);
        }

        let scratch = self.cache.scratch()?;
        let (made, list) = (scratch.file("unit.bc"), scratch.file("unit.d"));
        arguments.extend(["-MD", "-MT", "unit", "-MF"].map(str::to_owned));
        let mut arguments: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
        arguments.extend([list.clone().into(), "-x".into(), language_name(source.language).into()]);
        arguments.extend([source.path.clone().into(), "-o".into(), made.clone().into()]);
        let outcome = self.tools.run(clang, &arguments, &source.directory, deadline)?;
        let warnings = accepted(outcome, source, "clang-19")?;
        let listed = std::fs::read_to_string(&list).unwrap_or_default();
        let read: Vec<PathBuf> =
            prerequisites(&listed).into_iter().map(|path| source.directory.join(path)).collect();
        let dependencies = dependencies(source, &read);
        self.remember(&key, &made, dependencies, Vec::new(), warnings)
    }

    /// Fortran sources in the order of their modules, sharing a folder of module files.
    fn compile_fortran(
        &self,
        sources: &[&Source],
        deadline: Option<Instant>,
    ) -> Vec<Result<Unit, Fault>> {
        let scans: Vec<fortran::Scan> = sources
            .iter()
            .map(|source| {
                let folders = source.flags.include_folders(&source.directory);
                fortran::scan(&source.full_path(), &folders)
            })
            .collect();
        let shared = || {
            let scratch = self.cache.scratch()?;
            let modules = scratch.folder("modules")?;
            Ok((scratch, modules))
        };
        let (_scratch, modules) = match shared() {
            Ok(shared) => shared,
            Err(fault) => return sources.iter().map(|_| Err(Fault::clone(&fault))).collect(),
        };
        let mut units: Vec<(usize, Result<Unit, Fault>)> = fortran::order(&scans)
            .into_iter()
            .map(|i| {
                let unit = self.compile_f(sources[i], &scans[i], &modules, deadline);
                (i, unit.and_then(|unit| self.sanitise(unit)))
            })
            .collect();
        units.sort_by_key(|(position, _)| *position);
        units.into_iter().map(|(_, unit)| unit).collect()
    }

    fn compile_f(
        &self,
        source: &Source,
        scan: &fortran::Scan,
        modules: &Path,
        deadline: Option<Instant>,
    ) -> Result<Unit, Fault> {
        let flang = self.tools.path(Tool::Flang)?;
        let mut arguments = source.flags.reading(source.language);
        // flang has no switch to skip LLVM's passes: -O0 is the nearest. Its default is
        // to let every operation contract; that stays, for it is what the user's own
        // build means.
        arguments.extend(["-g", "-O0", "-fPIC", "-emit-llvm", "-c"].map(str::to_owned));
        let mut ingredients = self.ingredients("bitcode of flang", Tool::Flang, source)?;
        ingredients.add_all(&arguments);
        // flang lists no files it read: those found by scanning are known beforehand.
        for path in &scan.included {
            ingredients.add(path.as_os_str().as_encoded_bytes());
            ingredients.add(hash_file(path).unwrap_or_default());
        }
        let mut folders = vec![modules.to_owned(), source.directory.clone()];
        folders.extend(source.flags.include_folders(&source.directory));
        for used in &scan.uses {
            let file = format!("{used}.mod");
            let hash = folders.iter().find_map(|folder| hash_file(&folder.join(&file)));
            ingredients.add(used);
            ingredients.add(hash.unwrap_or_default());
        }
        let key = ingredients.key();
        let mut place = |name: &str, object: &Path| {
            std::fs::copy(object, modules.join(name)).map(drop).map_err(|e| unwritable(modules, &e))
        };
        if let Some(unit) = self.remembered(&key, &mut place)? {
            return Ok(unit);
        }

        let scratch = self.cache.scratch()?;
        let (own, made) = (scratch.folder("modules")?, scratch.file("unit.bc"));
        let mut arguments: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
        arguments.extend(["-I".into(), modules.into(), "-module-dir".into(), own.clone().into()]);
        arguments.extend([source.path.clone().into(), "-o".into(), made.clone().into()]);
        let outcome = self.tools.run(flang, &arguments, &source.directory, deadline)?;
        let warnings = accepted(outcome, source, "flang-new-19")?;
        let mut kept = Vec::new();
        for file in files_of(&own)? {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            place(&name, &file)?;
            let hash = hash_file(&file).unwrap_or_default();
            self.cache.keep(&file, &hash, "mod")?;
            kept.push((name, hash));
        }
        self.remember(&key, &made, Vec::new(), kept, warnings)
    }

    /// Bitcode as it is, once it is known to be readable; text is assembled.
    fn accept_ir(&self, source: &Source, deadline: Option<Instant>) -> Result<Unit, Fault> {
        let path = source.full_path();
        let contents = std::fs::read(&path).map_err(|error| unreadable(source, &error))?;
        if is_bitcode(&contents) {
            identification::check(&contents)
                .map_err(|why| Fault::User(format!("`{}` {why}", source.path.display())))?;
            let hash = blake3::hash(&contents).to_hex().to_string();
            return Ok(Unit { path, hash, warnings: String::new() });
        }
        if source.path.extension().is_some_and(|ending| ending == "bc") {
            return Err(Fault::User(format!(
                "`{}` is no LLVM bitcode: its first bytes are not `BC` 0xC0DE",
                source.path.display()
            )));
        }
        let assembler = self.tools.path(Tool::Assembler)?;
        let key = self.ingredients("assembled bitcode", Tool::Assembler, source)?.key();
        if let Some(unit) = self.remembered(&key, &mut |_, _| Ok(()))? {
            return Ok(unit);
        }
        let scratch = self.cache.scratch()?;
        let made = scratch.file("unit.bc");
        let arguments = [source.path.as_os_str(), "-o".as_ref(), made.as_os_str()];
        let outcome = self.tools.run(assembler, &arguments, &source.directory, deadline)?;
        let warnings = accepted(outcome, source, "llvm-as-19")?;
        self.remember(&key, &made, Vec::new(), Vec::new(), warnings)
    }

    /// What clang puts in where it reads C, in a build with sanitisers.
    fn sanitise(&self, unit: Unit) -> Result<Unit, Fault> {
        if self.build != Build::Sanitised {
            return Ok(unit);
        }
        let mut ingredients = Ingredients::of("sanitised bitcode, shifts judged where used");
        ingredients.add(&unit.hash);
        let key = ingredients.key();
        if let Some(sanitised) = self.remembered(&key, &mut |_, _| Ok(()))? {
            return Ok(sanitised);
        }
        let scratch = self.cache.scratch()?;
        let made = scratch.file("unit.bc");
        sanitise(&unit.path, &made)?;
        self.remember(&key, &made, Vec::new(), Vec::new(), unit.warnings)
    }

    /// What every compilation depends on: the tool, the place and the source itself.
    fn ingredients(&self, kind: &str, tool: Tool, source: &Source) -> Result<Ingredients, Fault> {
        let contents =
            std::fs::read(source.full_path()).map_err(|error| unreadable(source, &error))?;
        let mut ingredients = Ingredients::of(kind);
        ingredients.add(self.tools.identity(tool)?);
        ingredients.add(source.directory.as_os_str().as_encoded_bytes());
        ingredients.add(source.path.as_os_str().as_encoded_bytes());
        ingredients.add(contents);
        ingredients.add(format!("{:?}", source.language));
        for name in ENVIRONMENT {
            ingredients.add(std::env::var_os(name).unwrap_or_default().as_encoded_bytes());
        }
        Ok(ingredients)
    }

    fn remembered(
        &self,
        key: &str,
        place_module: &mut dyn FnMut(&str, &Path) -> Result<(), Fault>,
    ) -> Result<Option<Unit>, Fault> {
        let Some(compiled) = self.cache.record::<Compiled>(key) else { return Ok(None) };
        let Some(path) = self.cache.object(&compiled.object, "bc") else { return Ok(None) };
        for (name, object) in &compiled.modules {
            let Some(module) = self.cache.object(object, "mod") else { return Ok(None) };
            place_module(name, &module)?;
        }
        Ok(Some(Unit { path, hash: compiled.object, warnings: compiled.warnings }))
    }

    fn remember(
        &self,
        key: &str,
        made: &Path,
        dependencies: Vec<Dependency>,
        modules: Vec<(String, String)>,
        warnings: String,
    ) -> Result<Unit, Fault> {
        let object = hash_file(made)
            .ok_or_else(|| Fault::Internal(format!("the compiler wrote no {}", made.display())))?;
        let path = self.cache.keep(made, &object, "bc")?;
        let record =
            Compiled { dependencies, object: object.clone(), warnings: warnings.clone(), modules };
        self.cache.keep_record(key, &record)?;
        self.cache.shrink_at_times();
        Ok(Unit { path, hash: object, warnings })
    }
}

/// A folder's files by name.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let entries = std::fs::read_dir(folder).map_err(|error| unwritable(folder, &error))?;
    let mut files: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    Ok(files)
}

/// The warnings of a compilation that went well; else the compiler's own words.
fn accepted(outcome: ToolRun, source: &Source, tool: &str) -> Result<String, Fault> {
    if outcome.success {
        return Ok(outcome.stderr);
    }
    let flags = source.flags.reading(source.language);
    let mut command = vec![tool.to_owned()];
    command.extend(flags);
    command.push(source.path.display().to_string());
    Err(Fault::User(format!(
        "{}\n`{}` failed ({})",
        without_stack(&outcome.stderr),
        command.join(" "),
        outcome.status
    )))
}

/// A compiler's words. Of one that crashed: where in the source it was, not where in itself.
fn without_stack(said: &str) -> String {
    let Some((before, crash)) = said.split_once("PLEASE submit a bug report") else {
        return said.trim_end().to_owned();
    };
    let tells = |line: &&str| {
        let place = line.split_once(".\t").filter(|(number, _)| number.parse::<u32>().is_ok());
        place.is_some_and(|(_, place)| !place.starts_with("Program arguments"))
            || line.contains(": error: ")
            || line.contains("diagnostic msg: /")
    };
    let told: Vec<&str> = crash.lines().filter(tells).collect();
    format!(
        "{before}the compiler crashed; try another optimisation level, or leave the source out\n{}",
        told.join("\n")
    )
}

/// The files after the colon of a Makefile rule.
fn prerequisites(rule: &str) -> Vec<String> {
    let Some((_, list)) = rule.split_once(':') else { return Vec::new() };
    let mut paths = Vec::new();
    let mut path = String::new();
    let mut letters = list.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('\n') | None => {}
                Some(escaped @ (' ' | '#' | '\\')) => path.push(escaped),
                Some(other) => path.extend(['\\', other]),
            },
            '$' if letters.peek() == Some(&'$') => path.extend(letters.next()),
            ' ' | '\t' | '\n' | '\r' => {
                if !path.is_empty() {
                    paths.push(std::mem::take(&mut path));
                }
            }
            other => path.push(other),
        }
    }
    if !path.is_empty() {
        paths.push(path);
    }
    paths
}

/// The files read, and those that would be read instead if they came to be: the same
/// name in another folder that is searched.
fn dependencies(source: &Source, read: &[PathBuf]) -> Vec<Dependency> {
    let full = source.full_path();
    let mut folders = source.flags.include_folders(&source.directory);
    folders.extend(full.parent().map(Path::to_owned));
    let mut list: Vec<Dependency> = Vec::new();
    for path in read.iter().filter(|path| **path != full) {
        let Some(dependency) = Dependency::on(path) else { continue };
        list.push(dependency);
        let system = ["/usr/include/x86_64-linux-gnu", "/usr/include"].map(PathBuf::from);
        let homes = folders.iter().chain(&system);
        let Some(name) = homes.filter_map(|folder| path.strip_prefix(folder).ok()).next() else {
            continue;
        };
        for folder in &folders {
            let rival = folder.join(name);
            if !rival.exists() {
                list.push(Dependency::on_absence(&rival));
            }
        }
    }
    list
}

fn language_name(language: Language) -> &'static str {
    match language {
        Language::C => "c",
        Language::Cxx => "c++",
        Language::Fortran => "f95",
        Language::Ir => "ir",
    }
}

fn unreadable(source: &Source, error: &std::io::Error) -> Fault {
    Fault::User(format!("cannot read `{}`: {error}", source.path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makefile_rules_are_read() {
        let check = |rule: &str, paths: &[&str]| assert_eq!(prerequisites(rule), paths, "{rule}");
        check("unit: a.c b.h \\\n  c.h\n", &["a.c", "b.h", "c.h"]);
        check("unit: with\\ space.h do$$ar.h", &["with space.h", "do$ar.h"]);
        check("unit:", &[]);
        check("", &[]);
    }
    #[test]
    fn a_crash_is_told_by_its_place() {
        let said = "a.c:9:1: warning: odd\nPLEASE submit a bug report to somewhere\nStack dump:\n\
                    0.\tProgram arguments: clang -c a.c\n1.\ta.c:1:2: current parser token 'x'\n \
                    #0 0x00007f50f58b73c6 llvm::sys::PrintStackTrace()\n\
                    clang: error: clang frontend command failed\nclang: note: diagnostic msg: /tmp/a.c\n";
        let told = without_stack(said);
        for part in
            ["a.c:9:1: warning: odd\nthe compiler crashed", "1.\ta.c:1:2", "failed", "/tmp/a.c"]
        {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains("llvm::sys") && !told.contains("Program arguments"), "{told}");
        assert_eq!(without_stack("a.c:1:1: error: no\n"), "a.c:1:1: error: no");
    }
}
