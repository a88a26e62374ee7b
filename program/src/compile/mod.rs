//! From sources to bitcode to shared libraries and executables.
//!
//! No LLVM is linked here: the compilers are processes (`clang-19`, `flang-new-19`),
//! and everything they make is kept in a cache, so that a second run over unchanged
//! sources starts none of them.
//!
//! The bitcode is canonical: the user's flags decide what it means, no optimisation
//! has touched it, and it carries lines and columns. The optimisation the user asked
//! for happens when a library is made of it, as it would in the user's own build.

mod cache;
mod commands;
mod executable;
mod flags;
mod fortran;
mod frontend;
mod identification;
mod library;
pub mod merge;
mod source;
mod tool;

pub use executable::{Build, ExecutableRequest};
pub use flags::Flags;
pub use library::{LibraryRequest, RuntimeSource};
pub use source::Language;

use crate::Fault;
use crate::compile::merge::{Part, merge};
use crate::passes::inlined;
use cache::{Cache, Dependency, Ingredients, Record};
use serde::{Deserialize, Serialize};
use source::Source;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tool::{Tool, Toolbox};

/// Compiles sources and makes libraries, remembering both. Threads may share one.
#[derive(Clone, Debug)]
pub struct Compiler {
    flags: Flags,
    commands: Option<PathBuf>,
    directory: PathBuf,
    tools: Arc<Toolbox>,
    cache: Cache,
    build: Build,
}

/// A whole program in one bitcode file.
#[derive(Clone, Debug)]
pub struct Bitcode {
    /// The file. It belongs to the cache (or, for one `.bc`, to the user): read only.
    pub path: PathBuf,
    /// What the sources were written in; of LLVM IR also what it shows to have been.
    pub languages: BTreeSet<Language>,
    /// The user's flags that matter to a library made of this.
    pub flags: Flags,
    /// The compilers' warnings, verbatim, in the order of the sources.
    pub warnings: String,
    /// What was left out of a build, and what of it has several definitions.
    pub notes: Vec<String>,
    /// Bitcode with bodies of the run-time functions that the languages' compilers call.
    pub runtime: Vec<PathBuf>,
}

impl Compiler {
    /// A compiler with the user's flags and the user's cache: `$NANOSCOPE_CACHE`, else
    /// `$XDG_CACHE_HOME/nanoscope`, else `~/.cache/nanoscope`.
    pub fn new(flags: Flags) -> Result<Compiler, Fault> {
        Compiler::with_cache(flags, Cache::open()?)
    }

    /// A compiler whose cache is in `folder`.
    pub fn caching_in(folder: &Path, flags: Flags) -> Result<Compiler, Fault> {
        let cache = Cache::at(folder).map_err(|error| {
            Fault::User(format!("cannot write the cache `{}`: {error}", folder.display()))
        })?;
        Compiler::with_cache(flags, cache)
    }

    /// Takes flags (and, when no source is named, the sources too) from a
    /// `compile_commands.json`, or from the file of that name in a folder.
    pub fn with_compile_commands(mut self, file: &Path) -> Compiler {
        let file = self.directory.join(file);
        self.commands = Some(if file.is_dir() { file.join("compile_commands.json") } else { file });
        self
    }

    /// Has a build's instrumentation put in by the front end.
    pub fn building(mut self, build: Build) -> Compiler {
        self.build = build;
        self
    }

    /// Compiles sources to one bitcode file, linking when there are several.
    pub fn bitcode(
        &self,
        sources: &[PathBuf],
        deadline: Option<Instant>,
    ) -> Result<Bitcode, Fault> {
        let (sources, mut notes) = self.sources(sources)?;
        let (sources, compiled) = self.compile_build(sources, deadline, &mut notes)?;
        let warnings = compiled.iter().map(|unit| unit.warnings.as_str()).collect();
        let mut languages: BTreeSet<Language> =
            sources.iter().map(|source| source.language).collect();
        for (source, unit) in sources.iter().zip(&compiled) {
            if source.language == Language::Ir {
                languages.extend(source::languages_behind(&unit.path));
            }
        }
        let flags = sources[0].flags.for_library();
        let path = match compiled.as_slice() {
            [one] => one.path.clone(),
            several => self.link(&sources, several, deadline, &mut notes)?,
        };
        let mut runtime = Vec::new();
        for file in inlined::files(&path) {
            let source = RuntimeSource { name: file.name.to_owned(), text: file.text.to_owned() };
            runtime.push(library::runtime_bitcode(self, &source, inlined::FLAGS, deadline)?);
        }
        Ok(Bitcode { path, languages, flags, warnings, notes, runtime })
    }

    /// Compiles sources. Of a build that is taken as it is, what does not compile here, and what
    /// is the same as another, is left out and noted.
    fn compile_build(
        &self,
        sources: Vec<Source>,
        deadline: Option<Instant>,
        notes: &mut Vec<String>,
    ) -> Result<(Vec<Source>, Vec<frontend::Unit>), Fault> {
        let compiled = self.compile_all(&sources, deadline);
        if sources.iter().all(|source| source.group.is_none()) {
            let compiled = compiled.into_iter().collect::<Result<Vec<_>, _>>()?;
            return Ok((sources, compiled));
        }
        let (mut kept, mut units): (Vec<Source>, Vec<frontend::Unit>) = Default::default();
        let mut first = None;
        for (source, unit) in sources.into_iter().zip(compiled) {
            match unit {
                Ok(unit) if units.iter().any(|known| known.hash == unit.hash) => {}
                Ok(unit) => {
                    kept.push(source);
                    units.push(unit);
                }
                Err(fault @ Fault::Internal(_)) => return Err(fault),
                Err(Fault::User(said)) => {
                    let error = said.lines().find(|line| line.contains("error:"));
                    let error = error.or(said.lines().next()).unwrap_or_default();
                    let name = source.path.display();
                    notes.push(format!("left out `{name}`, which does not compile: {error}"));
                    first.get_or_insert(Fault::User(said));
                }
            }
        }
        match first {
            Some(fault) if units.is_empty() => Err(fault),
            Some(_) | None => Ok((kept, units)),
        }
    }

    /// Makes a shared library of a bitcode file.
    pub fn library(
        &self,
        request: &LibraryRequest,
        deadline: Option<Instant>,
    ) -> Result<PathBuf, Fault> {
        library::make(self, request, deadline)
    }

    /// Makes an executable of a bitcode file that [`Program::whole`](crate::Program::whole)
    /// wrote.
    pub fn executable(
        &self,
        request: &ExecutableRequest,
        deadline: Option<Instant>,
    ) -> Result<PathBuf, Fault> {
        executable::make(self, request, deadline)
    }

    /// A folder, always the same for the same files, that holds these texts by their names:
    /// sources and headers of our own, for compilers to find.
    pub fn folder(&self, files: &[(&str, &str)]) -> Result<PathBuf, Fault> {
        let mut ingredients = Ingredients::of("folder");
        for (name, text) in files {
            ingredients.add(name);
            ingredients.add(text);
        }
        self.cache.folder(&ingredients.key(), files)
    }

    /// Kills the compilers that still run, here and in clones of this: nobody needs what they
    /// make.
    pub fn end(&self) {
        self.tools.end();
    }

    /// How many processes this compiler has started.
    pub fn spawned(&self) -> usize {
        self.tools.spawned()
    }

    fn with_cache(flags: Flags, cache: Cache) -> Result<Compiler, Fault> {
        let directory = std::env::current_dir()
            .map_err(|error| Fault::User(format!("cannot tell the working folder: {error}")))?;
        Ok(Compiler {
            flags,
            commands: None,
            directory,
            tools: Arc::default(),
            cache,
            build: Build::Plain,
        })
    }

    /// The sources to compile; of a build as a whole, also what of it cannot be.
    fn sources(&self, named: &[PathBuf]) -> Result<(Vec<Source>, Vec<String>), Fault> {
        let entries = match &self.commands {
            Some(file) => commands::read(file)?,
            None => Vec::new(),
        };
        let whole = |path: &Path, directory: &Path| {
            let path = directory.join(path);
            path.canonicalize().unwrap_or(path)
        };
        let of_entry = |entry: &commands::Entry| {
            let flags = entry.flags.followed_by(&self.flags);
            Source::new(&entry.file, &entry.directory, flags)
        };
        if named.is_empty() {
            if entries.is_empty() {
                return Err(Fault::User("no source is named".to_owned()));
            }
            let (mut sources, mut notes) = (Vec::new(), Vec::new());
            for entry in &entries {
                match of_entry(entry) {
                    Ok(source) => {
                        let group = entry.group.clone().unwrap_or_default();
                        sources.push(Source { group: Some(group), ..source });
                    }
                    Err(Fault::User(said)) => notes.push(format!("left out: {said}")),
                    Err(fault) => return Err(fault),
                }
            }
            if sources.is_empty() {
                return Err(Fault::User(notes.join("\n")));
            }
            return Ok((sources, notes));
        }
        let mut sources = Vec::new();
        for path in named {
            let wanted = whole(path, &self.directory);
            let entry = entries.iter().find(|e| whole(&e.file, &e.directory) == wanted);
            sources.push(match entry {
                Some(entry) => of_entry(entry)?,
                None => Source::new(path, &self.directory, self.flags.clone())?,
            });
        }
        Ok((sources, Vec::new()))
    }

    /// One bitcode file out of several.
    fn link(
        &self,
        sources: &[Source],
        compiled: &[frontend::Unit],
        deadline: Option<Instant>,
        notes: &mut Vec<String>,
    ) -> Result<PathBuf, Fault> {
        let mut ingredients = Ingredients::of("linked bitcode");
        ingredients.add(self.tools.identity(Tool::Linker)?);
        ingredients.add_all(compiled.iter().map(|unit| unit.hash.as_bytes()));
        let key = ingredients.key();
        if let Some(path) = self.cache.object(&key, "bc")
            && let Some(linked) = self.cache.record::<Linked>(&key)
        {
            notes.extend(linked.notes);
            return Ok(path);
        }
        let scratch = self.cache.scratch()?;
        let made = scratch.file("linked.bc");
        let mut arguments = vec!["-o".into(), made.clone().into_os_string()];
        arguments.extend(compiled.iter().map(|unit| unit.path.clone().into_os_string()));
        let linker = self.tools.path(Tool::Linker)?;
        let outcome = self.tools.run(linker, &arguments, &self.directory, deadline)?;
        let mut merged = Vec::new();
        let is_build = sources.iter().any(|source| source.group.is_some());
        if !outcome.success && is_build && outcome.stderr.contains("multiply defined") {
            let part = |(source, unit): (&Source, &frontend::Unit)| Part {
                path: unit.path.clone(),
                source: source.path.display().to_string(),
                group: source.group.clone().filter(|group| !group.is_empty()),
            };
            let parts: Vec<Part> = sources.iter().zip(compiled).map(part).collect();
            merged = merge(&parts, &made)?;
        } else if !outcome.success {
            let mut said = outcome.stderr;
            for (source, unit) in sources.iter().zip(compiled) {
                let name = source.path.display().to_string();
                said = said.replace(&unit.path.display().to_string(), &name);
            }
            let names: Vec<String> =
                sources.iter().map(|source| source.path.display().to_string()).collect();
            return Err(Fault::User(format!(
                "{}\nthe sources do not link: {}",
                said.trim_end(),
                names.join(" ")
            )));
        }
        let path = self.cache.keep(&made, &key, "bc")?;
        notes.extend(merged.iter().cloned());
        self.cache.keep_record(&key, &Linked { notes: merged })?;
        self.cache.shrink_at_times();
        Ok(path)
    }
}

/// What is remembered of linked bitcode.
#[derive(Serialize, Deserialize)]
struct Linked {
    notes: Vec<String>,
}

impl Record for Linked {
    fn dependencies(&self) -> &[Dependency] {
        &[]
    }
}
