//! Running the command as a user does.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run of the command showed.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Runs a command to its end.
    pub fn of(command: &mut Command) -> Run {
        let Output { status, stdout, stderr } = command.output().expect("the command runs");
        Run {
            code: status.code().expect("it is not killed"),
            stdout: String::from_utf8(stdout).expect("it writes UTF-8"),
            stderr: String::from_utf8(stderr).expect("it writes UTF-8"),
        }
    }

    /// All of it, for a snapshot; times and counts of work, which differ from run to run,
    /// are blanked.
    pub fn transcript(&self) -> String {
        format!(
            "exit code {}\n-- standard output --\n{}-- standard error --\n{}",
            self.code,
            blanked(&self.stdout),
            blanked(&self.stderr)
        )
    }
}

/// A folder to work in, and the command run in it.
pub struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    pub fn new() -> Desk {
        Desk { folder: tempfile::tempdir().expect("a scratch folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts a file on the desk.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, contents).expect("the desk takes files");
        path
    }

    /// Puts an example on the desk, under `examples/` as in the source tree.
    pub fn example(&self, name: &str) -> String {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
        std::fs::create_dir_all(self.path().join("examples")).expect("the desk takes folders");
        std::fs::copy(from, self.path().join("examples").join(name)).expect("the example is there");
        format!("examples/{name}")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nanoscope"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_remove("NO_COLOR")
            .env("NANOSCOPE_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        Run::of(&mut self.command(arguments))
    }
}

/// `1.2 s, 345 evaluations` and `… after 345 runs` with `#` for their figures.
fn blanked(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let is_cost = line.ends_with(" runs") || line.contains(" s, ") && line.contains(", seed ");
        let figures = |c: char| if is_cost && c.is_ascii_digit() { '#' } else { c };
        let mut blank: String = line.chars().map(figures).collect();
        while blank.contains("##") {
            blank = blank.replace("##", "#");
        }
        out.push_str(&blank);
        out.push('\n');
    }
    out
}
