//! The compilers as processes: found once, run to an end or to the deadline.

use crate::Fault;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

/// A program that Nanoscope starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Clang,
    Flang,
    Assembler,
    Linker,
}

impl Tool {
    fn name(self) -> &'static str {
        match self {
            Tool::Clang => "clang-19",
            Tool::Flang => "flang-new-19",
            Tool::Assembler => "llvm-as-19",
            Tool::Linker => "llvm-link-19",
        }
    }

    fn package(self) -> &'static str {
        match self {
            Tool::Clang => "clang-19",
            Tool::Flang => "flang-19",
            Tool::Assembler | Tool::Linker => "llvm-19",
        }
    }
}

/// What a process said.
#[derive(Debug)]
pub(super) struct Outcome {
    pub success: bool,
    pub stderr: String,
    /// How it ended, in words, when not well.
    pub status: String,
}

/// Finds the tools and runs them.
#[derive(Debug, Default)]
pub(super) struct Toolbox {
    clang: OnceLock<Option<PathBuf>>,
    flang: OnceLock<Option<PathBuf>>,
    assembler: OnceLock<Option<PathBuf>>,
    linker: OnceLock<Option<PathBuf>>,
    spawned: AtomicUsize,
}

impl Toolbox {
    /// Where a tool is: the real file, so that its folder is LLVM's own.
    pub fn path(&self, tool: Tool) -> Result<&Path, Fault> {
        let place = match tool {
            Tool::Clang => &self.clang,
            Tool::Flang => &self.flang,
            Tool::Assembler => &self.assembler,
            Tool::Linker => &self.linker,
        };
        place.get_or_init(|| on_path(tool.name())).as_deref().ok_or_else(|| {
            Fault::User(format!(
                "cannot find `{}`: install it (Debian package {}) or put it on PATH",
                tool.name(),
                tool.package()
            ))
        })
    }

    /// What a cached result has to agree on: the file, its size and its time. Asking
    /// for `--version` would cost a process.
    pub fn identity(&self, tool: Tool) -> Result<String, Fault> {
        Ok(file_identity(self.path(tool)?))
    }

    /// How many processes were started.
    pub fn spawned(&self) -> usize {
        self.spawned.load(Ordering::Relaxed)
    }

    /// Runs `program` in `directory` until it ends, or kills it at the deadline.
    pub fn run(
        &self,
        program: &Path,
        arguments: &[impl AsRef<OsStr>],
        directory: &Path,
        deadline: Option<Instant>,
    ) -> Result<Outcome, Fault> {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(out_of_time(&name));
        }
        self.spawned.fetch_add(1, Ordering::Relaxed);
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(directory)
            // Messages are matched and shown as they are: in one language.
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                Fault::User(format!(
                    "cannot start `{}` in `{}`: {error}",
                    program.display(),
                    directory.display()
                ))
            })?;
        let Some(mut pipe) = child.stderr.take() else {
            return Err(Fault::Internal("a child without the pipe it was given".to_owned()));
        };
        let (said, hear) = mpsc::channel();
        // The end of its output is the end of the process: waiting for that needs no
        // polling, and has a time-out.
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = pipe.read_to_end(&mut bytes).map(|_| bytes);
            said.send(read).ok();
        });
        let heard = match deadline {
            None => hear.recv().ok(),
            Some(deadline) => {
                hear.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
            }
        };
        let Some(read) = heard else {
            child.kill().ok();
            child.wait().ok();
            return Err(out_of_time(&name));
        };
        let lost = |error| Fault::Internal(format!("cannot hear what `{name}` says: {error}"));
        let stderr = String::from_utf8_lossy(&read.map_err(lost)?).into_owned();
        let status = child.wait().map_err(lost)?;
        Ok(Outcome { success: status.success(), stderr, status: status.to_string() })
    }
}

/// A file's path, size and time of change.
pub(super) fn file_identity(path: &Path) -> String {
    use std::os::unix::fs::MetadataExt;
    match std::fs::metadata(path) {
        Ok(data) => {
            format!("{} {} {}.{}", path.display(), data.size(), data.mtime(), data.mtime_nsec())
        }
        Err(_) => format!("{} missing", path.display()),
    }
}

/// The first executable of that name on `PATH`, links resolved.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let runnable = |path: &PathBuf| {
        std::fs::metadata(path)
            .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    let folders = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    let found = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(runnable)?;
    Some(found.canonicalize().unwrap_or(found))
}

fn out_of_time(name: &str) -> Fault {
    Fault::User(format!(
        "`{name}` did not finish within the time limit: allow more with --time-limit"
    ))
}
