//! The program an analysis looks at: sources and flags, compiled and loaded.

use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::{Fault, Program, Wish, Wishes};
use nanoscope_report::Subject;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// What the user named: files, flags, and what is known about inputs.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// C, C++, Fortran, LLVM text or bitcode.
    pub files: Vec<PathBuf>,
    /// Flags for the compiler and linker.
    pub flags: Vec<String>,
    /// A `compile_commands.json`, or its folder.
    pub compile_commands: Option<PathBuf>,
    /// What the user says about inputs.
    pub wishes: Wishes,
    /// Flags of our own, which no report names.
    pub ours: Vec<String>,
}

impl Source {
    /// A compiler with all these flags.
    pub(crate) fn compiler(&self) -> Result<Compiler, Fault> {
        let compiler = Compiler::new(Flags::parse(self.flags.iter().chain(&self.ours)))?;
        Ok(match &self.compile_commands {
            Some(file) => compiler.with_compile_commands(file),
            None => compiler,
        })
    }

    /// Compiles and loads.
    pub(crate) fn load(&self, deadline: Option<Instant>) -> Result<(Compiler, Program), Fault> {
        let compiler = self.compiler()?;
        let bitcode = compiler.bitcode(&self.files, deadline)?;
        let program = Program::load(bitcode)?;
        Ok((compiler, program))
    }

    /// As a report names it.
    pub(crate) fn describe(&self) -> Subject {
        let wishes = &self.wishes;
        let (mut arrays, mut extents) = (BTreeMap::new(), BTreeMap::new());
        let mut ranges = BTreeMap::new();
        for wish in &wishes.arrays {
            let name = full(&wish.function, &wish.name);
            match wish.value.number() {
                Some(number) => drop(arrays.insert(name, number)),
                None => drop(extents.insert(name, wish.value.to_string())),
            }
            // The same arrays are made again from the same ranges.
            let parts = wish.value.names();
            for range in wishes.ranges.iter().filter(|range| parts.contains(&range.name)) {
                ranges.insert(full(&range.function, &range.name), range.value.clone());
            }
        }
        Subject {
            sources: self.files.iter().map(|file| file.display().to_string()).collect(),
            flags: self.flags.clone(),
            compile_commands: self.compile_commands.as_ref().map(|file| file.display().to_string()),
            arrays,
            extents,
            ranges,
            callbacks: wishes
                .callbacks
                .iter()
                .map(|wish| (full(&wish.function, &wish.name), wish.value.clone()))
                .collect(),
            globals: wishes.globals.iter().map(|wish| full(&wish.function, &wish.name)).collect(),
            ..Subject::default()
        }
    }

    /// From what a report says.
    pub(crate) fn described(subject: &Subject) -> Source {
        let arrays = subject.arrays.iter().map(|(name, length)| wish(name, (*length).into()));
        let extents =
            subject.extents.iter().filter_map(|(name, text)| Some(wish(name, text.parse().ok()?)));
        let wishes = Wishes {
            arrays: arrays.chain(extents).collect(),
            ranges: subject.ranges.iter().map(|(name, ends)| wish(name, ends.clone())).collect(),
            shared_ranges: 0,
            callbacks: subject.callbacks.iter().map(|(n, what)| wish(n, what.clone())).collect(),
            globals: subject.globals.iter().map(|name| wish(name, ())).collect(),
            specials: false,
        };
        Source {
            files: subject.sources.iter().map(PathBuf::from).collect(),
            flags: subject.flags.clone(),
            compile_commands: subject.compile_commands.as_ref().map(PathBuf::from),
            wishes,
            ours: Vec::new(),
        }
    }
}

/// A name as a report has it: with its function's, where it is meant for one.
fn full(function: &Option<String>, name: &str) -> String {
    match function {
        Some(function) => format!("{function}:{name}"),
        None => name.to_owned(),
    }
}

fn wish<T>(full: &str, value: T) -> Wish<T> {
    let (function, name) = match full.rsplit_once(':') {
        Some((function, name)) => (Some(function.to_owned()), name),
        None => (None, full),
    };
    Wish { function, name: name.to_owned(), value }
}

/// A folder of our own for intermediate files, gone when dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Result<Scratch, Fault> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("nanoscope-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| {
            Fault::User(format!("cannot make the folder `{}`: {error}", path.display()))
        })?;
        Ok(Scratch(path))
    }

    pub fn path(&self) -> &std::path::Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Whatever cannot be removed is in the system's folder for such things.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
