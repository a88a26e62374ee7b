//! Where output goes: a terminal, a pipe, a file.

use crate::Fault;
use nanoscope_report::text::Paint;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Writes to standard output. A reader that has seen enough is no error.
pub fn print(text: &str) -> Result<(), Fault> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Fault::User(format!("cannot write to standard output: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes a message to standard error, where there is nobody left to tell of failures.
pub fn tell(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a file, or standard output for `-`. Whoever reads the file, whenever, finds the old
/// text or the new one, never a part.
pub fn write(path: &Path, text: &str) -> Result<(), Fault> {
    if is_stdout(path) {
        return print(text);
    }
    let written = match std::fs::canonicalize(path) {
        Ok(real) if real.is_file() => replace(&real, text),
        Ok(_) => std::fs::write(path, text), // a device or a pipe
        Err(_) => replace(path, text),
    };
    written.map_err(|error| cannot("write", path, &error))
}

/// Writes a file beside it and gives that its name.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    match std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path)) {
        Ok(()) => Ok(()),
        Err(_) => {
            // A folder that takes no new files may still hold one that can be written.
            let _ = std::fs::remove_file(&beside);
            std::fs::write(path, text)
        }
    }
}

/// Whether a path stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What to say when a file cannot be had.
pub fn cannot(action: &str, path: &Path, error: &io::Error) -> Fault {
    Fault::User(format!("cannot {action} {}: {error}", path.display()))
}

/// Colours on a terminal, unless the user wants none (<https://no-color.org>).
pub fn paint() -> Paint {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if io::stdout().is_terminal() && !refused && !dumb { Paint::Colour } else { Paint::Plain }
}

/// The terminal's columns; a pipe gets what reads well in a file.
pub fn width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0))
}
