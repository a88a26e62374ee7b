//! What a run has done so far, in a file: a run that was stopped goes on from there.

use super::gather::Gathered;
use super::{Options, Trouble, lock};
use serde::{Deserialize, Serialize};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// So often it is written.
const INTERVAL: Duration = Duration::from_secs(3);

/// The file.
pub struct Store {
    file: PathBuf,
    /// Tells runs of the same program with the same prototypes from others.
    run: u64,
    last: Mutex<Instant>,
}

#[derive(Serialize)]
struct Written<'a> {
    run: u64,
    gathered: &'a Gathered,
}

#[derive(Deserialize)]
struct Read {
    run: u64,
    gathered: Gathered,
}

impl Store {
    /// The file for a run.
    pub fn new(file: &Path, options: &Options) -> Result<Store, Trouble> {
        let last = Mutex::new(Instant::now());
        Ok(Store { file: file.to_path_buf(), run: identity(options), last })
    }

    /// What an earlier run left, if there was one.
    pub fn read(&self) -> Result<Option<Gathered>, Trouble> {
        let name = self.file.display();
        let text = match fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Trouble::User(format!("cannot read {name}: {error}"))),
        };
        let read: Read = serde_json::from_str(&text).map_err(|error| {
            Trouble::User(format!("{name} is no file of `handling --resume`: {error}"))
        })?;
        if read.run != self.run {
            return Err(Trouble::User(format!(
                "{name} is of a run of another program, or with other prototypes or input: give \
                 another file, or remove it"
            )));
        }
        Ok(Some(read.gathered))
    }

    /// Whether the last writing is some time ago.
    pub fn is_due(&self) -> bool {
        lock(&self.last).elapsed() >= INTERVAL
    }

    /// Writes what is done, all of it or nothing.
    pub fn write(&self, gathered: &Gathered) -> Result<(), Trouble> {
        let cannot = |error: &dyn std::fmt::Display| {
            Trouble::User(format!("cannot write {}: {error}", self.file.display()))
        };
        let text = serde_json::to_string(&Written { run: self.run, gathered })
            .map_err(|error| Trouble::Internal(error.to_string()))?;
        let mut part = self.file.clone().into_os_string();
        part.push(".part");
        fs::write(&part, text).map_err(|error| cannot(&error))?;
        fs::rename(&part, &self.file).map_err(|error| cannot(&error))?;
        *lock(&self.last) = Instant::now();
        Ok(())
    }

    /// There is nothing left to go on with.
    pub fn remove(&self) {
        let _ = fs::remove_file(&self.file);
    }
}

/// What must be the same for a run to be continued: the program and what it loads first, what it reads,
/// and what is asked of it.
fn identity(options: &Options) -> u64 {
    let mut hasher = DefaultHasher::new();
    let program = crate::run::executable(Path::new(&options.command[0]));
    for file in program.iter().chain(&options.preload).chain(&options.input) {
        fs::read(file).unwrap_or_default().hash(&mut hasher);
    }
    options.command.hash(&mut hasher);
    format!("{:?}", options.library).hash(&mut hasher);
    (&options.functions, &options.error_routines, &options.preload).hash(&mut hasher);
    (options.integer_bits, &options.symbols, options.every_call).hash(&mut hasher);
    hasher.finish()
}
