//! The program an analysis looks at: sources and flags, compiled and loaded.

use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::{Fault, Program, Wish, Wishes};
use nanoscope_report::Subject;
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
        let arrays = self.wishes.arrays.iter().map(|wish| {
            let name = match &wish.function {
                Some(function) => format!("{function}:{}", wish.name),
                None => wish.name.clone(),
            };
            (name, wish.value)
        });
        Subject {
            sources: self.files.iter().map(|file| file.display().to_string()).collect(),
            flags: self.flags.clone(),
            compile_commands: self.compile_commands.as_ref().map(|file| file.display().to_string()),
            arrays: arrays.collect(),
            ..Subject::default()
        }
    }

    /// From what a report says.
    pub(crate) fn described(subject: &Subject) -> Source {
        let arrays = subject.arrays.iter().map(|(name, length)| {
            let (function, name) = match name.rsplit_once(':') {
                Some((function, name)) => (Some(function.to_owned()), name),
                None => (None, name.as_str()),
            };
            Wish { function, name: name.to_owned(), value: *length }
        });
        Source {
            files: subject.sources.iter().map(PathBuf::from).collect(),
            flags: subject.flags.clone(),
            compile_commands: subject.compile_commands.as_ref().map(PathBuf::from),
            wishes: Wishes { arrays: arrays.collect(), ..Wishes::default() },
            ours: Vec::new(),
        }
    }
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
