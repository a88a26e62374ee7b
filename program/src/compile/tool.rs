//! The compilers as processes: found once, run to an end or to the deadline.

use crate::Fault;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

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
pub(super) struct ToolRun {
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
    ended: AtomicBool,
}

/// How often a running tool is asked whether it shall go on.
const SLICE: Duration = Duration::from_millis(20);

impl Toolbox {
    /// Where a tool is: the real file, so that its folder is LLVM's own.
    pub fn path(&self, tool: Tool) -> Result<&Path, Fault> {
        let place = match tool {
            Tool::Clang => &self.clang,
            Tool::Flang => &self.flang,
            Tool::Assembler => &self.assembler,
            Tool::Linker => &self.linker,
        };
        place.get_or_init(|| on_path(tool.name())).as_deref().ok_or_else(|| missing(tool))
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

    /// Kills what runs, and runs nothing any more.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Runs `program` in `directory` until it ends, or kills it at the deadline.
    pub fn run(
        &self,
        program: &Path,
        arguments: &[impl AsRef<OsStr>],
        directory: &Path,
        deadline: Option<Instant>,
    ) -> Result<ToolRun, Fault> {
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
        let heard = loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let slice = left.map_or(SLICE, |left| left.min(SLICE));
            match hear.recv_timeout(slice) {
                Ok(read) => break Some(read),
                Err(mpsc::RecvTimeoutError::Disconnected) => break None,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if left.is_some_and(|left| left <= slice) || self.ended.load(Ordering::Relaxed)
                    {
                        break None;
                    }
                }
            }
        };
        let Some(read) = heard else {
            kill_children(child.id());
            child.kill().ok();
            child.wait().ok();
            return Err(out_of_time(&name));
        };
        let lost = |error| Fault::Internal(format!("cannot hear what `{name}` says: {error}"));
        let stderr = String::from_utf8_lossy(&read.map_err(lost)?).into_owned();
        let status = child.wait().map_err(lost)?;
        Ok(ToolRun { success: status.success(), stderr, status: status.to_string() })
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

/// Ends what a driver has started (flang's compiles in a process of its own), which
/// would otherwise go on without it.
#[allow(unsafe_code, reason = "the standard library kills only its own children")]
fn kill_children(driver: u32) {
    let list = format!("/proc/{driver}/task/{driver}/children");
    let children = std::fs::read_to_string(list).unwrap_or_default();
    for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
        // SAFETY: kill(2) takes two numbers and touches no memory of this process. The
        // driver waits for its child, so the number is still that child's.
        unsafe { libc::kill(child, libc::SIGKILL) };
    }
}

fn missing(tool: Tool) -> Fault {
    Fault::User(format!(
        "cannot find `{}`: install it (Debian package {}) or put it on PATH",
        tool.name(),
        tool.package()
    ))
}

fn out_of_time(name: &str) -> Fault {
    Fault::User(format!(
        "`{name}` did not finish within the time limit: allow more with --time-limit"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_names_its_package() {
        let check = |tool, name: &str, package: &str| {
            let said = missing(tool).to_string();
            let expected = format!("cannot find `{name}`: install it (Debian package {package})");
            assert!(said.starts_with(&expected), "{said}");
        };
        check(Tool::Clang, "clang-19", "clang-19");
        check(Tool::Flang, "flang-new-19", "flang-19");
        check(Tool::Assembler, "llvm-as-19", "llvm-19");
        check(Tool::Linker, "llvm-link-19", "llvm-19");
        assert_eq!(on_path("no-such-program-anywhere"), None);
    }

    #[test]
    fn a_driver_and_its_children_end_at_the_deadline() {
        let tools = Toolbox::default();
        let start = Instant::now();
        let deadline = Some(start + std::time::Duration::from_millis(200));
        let marker = format!("6{}", std::process::id());
        // `; :` keeps the shell from becoming the sleep.
        let script = format!("sleep {marker} & wait; :");
        let shell = on_path("sh").unwrap();
        let fault = tools.run(&shell, &["-c", &script], Path::new("/"), deadline).unwrap_err();
        assert!(fault.to_string().contains("time limit"), "{fault}");
        assert!(start.elapsed().as_millis() < 2000);
        let ended = || {
            let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
            let line = |entry: std::fs::DirEntry| std::fs::read(entry.path().join("cmdline")).ok();
            let sleep = format!("sleep\0{marker}\0").into_bytes();
            !processes.filter_map(line).any(|command| command == sleep)
        };
        while !ended() {
            assert!(start.elapsed().as_millis() < 5000, "the child goes on");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}
