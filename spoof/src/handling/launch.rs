//! Where the program runs, and what is said if it does not.

use super::Trouble;
use crate::run::{Launch, Stop, executable, is_static};
use std::fs;
use std::path::Path;

pub fn cannot_run(program: &Path, error: &std::io::Error) -> Trouble {
    let name = program.display();
    let forbidden = error.kind() == std::io::ErrorKind::PermissionDenied;
    if forbidden && executable(program).is_some_and(|file| is_static(&file)) {
        return Trouble::User(format!(
            "cannot run {name}: {error}\n\nIt is a static executable, which Nanoscope's agent is put \
             into by ptrace. Is that forbidden here? Allow it (containers: the capability SYS_PTRACE; \
             /proc/sys/kernel/yama/ptrace_scope below 3), or link the program dynamically."
        ));
    }
    if forbidden && error.raw_os_error() == Some(libc::EPERM) {
        return Trouble::User(format!(
            "cannot run {name}: {error}\n\nBefore it runs it is confined (PR_SET_NO_NEW_PRIVS, Landlock, \
             seccomp). Containers: allow the system calls prctl, seccomp and landlock_restrict_self."
        ));
    }
    Trouble::User(format!("cannot run {name}: {error}"))
}

pub fn not_started(launch: &Launch, ended: Stop) -> Trouble {
    let name = Path::new(&launch.command[0]).display();
    Trouble::User(format!(
        "{name} ran without Nanoscope's agent in it: {}\n\nThe agent is preloaded into dynamic \
         executables (LD_PRELOAD). Has this one special rights, or does its start replace the \
         environment? Run the program itself, without them.",
        last_words(launch, ended)
    ))
}

/// How the program ended, and what it printed last.
pub fn last_words(launch: &Launch, ended: Stop) -> String {
    const LINES: usize = 8;
    let how = match ended {
        Stop::Exited(code) => format!("it ended with code {code}"),
        Stop::Signalled(signal) => format!("signal {signal} ended it"),
    };
    let printed = fs::read(launch.private.join("output")).unwrap_or_default();
    let printed = String::from_utf8_lossy(&printed);
    let lines: Vec<&str> = printed.trim().lines().collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join("\n  ");
    if last.is_empty() { how } else { format!("{how}, having printed\n\n  {last}") }
}

/// The folder that the subject runs in: what is in the current one, so that it finds its files, but
/// what it writes stays here. Small files are copied, since it may write them; others are linked.
pub fn furnish(scratch: &Path) -> std::io::Result<()> {
    fs::create_dir(scratch)?;
    for entry in fs::read_dir(".")? {
        let entry = entry?;
        let to = scratch.join(entry.file_name());
        let small = |kind: fs::Metadata| kind.is_file() && kind.len() < 1 << 20;
        let copied = entry.metadata().is_ok_and(small) && fs::copy(entry.path(), &to).is_ok();
        // What cannot be read, the program cannot read either; a link may lead nowhere.
        if !copied && let Ok(full) = fs::canonicalize(entry.path()) {
            let _ = fs::remove_file(&to);
            std::os::unix::fs::symlink(full, &to)?;
        }
    }
    Ok(())
}
