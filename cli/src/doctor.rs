//! `nanoscope doctor`: what this machine has of what Nanoscope uses.

use nanoscope_cli::Fault;
use nanoscope_cli::output::print;
use nanoscope_spoof::run::Walls;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One thing that was looked at.
struct Item {
    name: String,
    state: State,
    /// What was seen, or how to get what is missing.
    note: String,
}

/// Whether a thing is there, and how much depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Here,
    /// Missing; some inputs or some proofs are out of reach.
    Optional,
    /// Missing; the main commands do not work.
    Needed,
}

impl Item {
    fn new(name: &str, state: State, note: impl Into<String>) -> Item {
        Item { name: name.to_owned(), state, note: note.into() }
    }
}

/// Looks and prints. What is needed and missing is the user's to mend.
pub fn run(with_llvm: &str) -> Result<(), Fault> {
    let groups = [
        ("Programs", programs(with_llvm)),
        ("Kernel", kernel()),
        ("Machine", machine()),
        ("Folders", vec![cache()]),
    ];
    let mut text = format!("nanoscope {}\n", env!("CARGO_PKG_VERSION"));
    for (title, items) in &groups {
        text.push_str(&format!("\n{title}\n"));
        for Item { name, state, note } in items {
            let state = match state {
                State::Here => "ok",
                State::Optional => "missing",
                State::Needed => "MISSING",
            };
            text.push_str(&format!("  {state:<8} {name:<16} {note}\n"));
        }
    }
    let missing =
        |state| groups.iter().flat_map(|(_, items)| items).filter(move |i| i.state == state);
    let needed: Vec<&str> = missing(State::Needed).map(|item| item.name.as_str()).collect();
    text.push_str(&match missing(State::Optional).count() {
        0 if needed.is_empty() => "\nEverything is there.\n".to_owned(),
        count if needed.is_empty() => {
            format!("\nEverything needed is there; {count} more would widen what can be done.\n")
        }
        _ => String::new(),
    });
    print(&text)?;
    match needed.as_slice() {
        [] => Ok(()),
        names => {
            Err(Fault::User(format!("missing: {}; see above for what to do", names.join(", "))))
        }
    }
}

/// The compilers and linkers that Nanoscope starts: name, Debian package, how much depends on
/// it, what it is for. This binary must not link the room that runs them, which needs LLVM.
const TOOLS: [(&str, &str, State, &str); 4] = [
    ("clang-19", "clang-19", State::Needed, "C and C++"),
    ("flang-new-19", "flang-19", State::Optional, "Fortran"),
    ("llvm-as-19", "llvm-19", State::Optional, "LLVM assembly (.ll)"),
    ("llvm-link-19", "llvm-19", State::Needed, "programs of several files"),
];

/// The first file of that name on `PATH`.
fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// The programs that Nanoscope starts.
fn programs(with_llvm: &str) -> Vec<Item> {
    let mut items = vec![companion(with_llvm)];
    for (name, package, state, what) in TOOLS {
        items.push(match on_path(name) {
            Some(path) => Item::new(name, State::Here, format!("{what}: {}", path.display())),
            None => Item::new(name, state, format!("{what}: apt-get install {package}")),
        });
    }
    let z3 = Command::new("z3").arg("--version").output();
    items.push(match z3 {
        Ok(said) => Item::new("z3", State::Here, first_line(&said.stdout)),
        Err(_) => Item::new(
            "z3",
            State::Optional,
            "a second opinion on real arithmetic (--engines reals): apt-get install z3",
        ),
    });
    items
}

/// The binary that links LLVM: it must lie beside this one, and LLVM must load.
fn companion(with_llvm: &str) -> Item {
    let there = std::env::current_exe().map(|here| here.with_file_name(with_llvm));
    let Ok(there) = there else {
        return Item::new(with_llvm, State::Needed, "cannot tell where Nanoscope is installed");
    };
    match Command::new(&there).arg("--version").output() {
        Ok(said) if said.status.success() => {
            Item::new(with_llvm, State::Here, there.display().to_string())
        }
        Ok(said) => Item::new(
            with_llvm,
            State::Needed,
            format!("does not start ({}): apt-get install libllvm19", first_line(&said.stderr)),
        ),
        Err(_) => Item::new(
            with_llvm,
            State::Needed,
            "must lie beside `nanoscope`: make install puts it there",
        ),
    }
}

/// What confines the program under test.
fn kernel() -> Vec<Item> {
    let walls = Walls::around(&std::env::temp_dir());
    let landlock = match walls {
        Ok(walls) if walls.confines_files() => {
            Item::new("Landlock", State::Here, "confines the files of the program under test")
        }
        _ => Item::new(
            "Landlock",
            State::Optional,
            "the program under test cannot write any file; Linux 5.13 or later, lsm=landlock",
        ),
    };
    let seccomp = match fs::read_to_string("/proc/self/status") {
        Ok(status) if status.contains("\nSeccomp:") => Item::new(
            "seccomp",
            State::Here,
            "keeps the program under test from network and processes",
        ),
        _ => Item::new(
            "seccomp",
            State::Optional,
            "system calls of the program under test are not filtered: a kernel with CONFIG_SECCOMP_FILTER",
        ),
    };
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
    let ptrace = match scope.as_deref().map(str::trim) {
        Ok("2" | "3") => Item::new(
            "ptrace",
            State::Optional,
            "debuggers cannot follow a replayed finding: sysctl kernel.yama.ptrace_scope=1",
        ),
        _ => Item::new("ptrace", State::Here, "debuggers can follow a replayed finding"),
    };
    vec![landlock, seccomp, ptrace]
}

/// The processor and the memory. Nothing here is missing; it says what limits a run.
fn machine() -> Vec<Item> {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = info.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    let has = |flag: &str| flags.split_whitespace().any(|word| word == flag);
    let vectors: Vec<&str> =
        [("avx", "AVX"), ("avx2", "AVX2"), ("fma", "FMA"), ("avx512f", "AVX-512")]
            .iter()
            .filter(|(flag, _)| has(flag))
            .map(|(_, name)| *name)
            .collect();
    let vectors = if vectors.is_empty() { "SSE2".to_owned() } else { vectors.join(", ") };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes: u64 = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or(0);
    vec![
        Item::new("processor", State::Here, format!("{cores} for --jobs; {vectors}")),
        Item::new("memory", State::Here, format!("{:.1} GB free", kilobytes as f64 / 1048576.0)),
    ]
}

/// Where compiled programs are kept.
fn cache() -> Item {
    let variable =
        |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("NANOSCOPE_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("nanoscope")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache/nanoscope")));
    match folder {
        Some(folder) if writable(&folder) => {
            Item::new("cache", State::Here, folder.display().to_string())
        }
        Some(folder) => Item::new(
            "cache",
            State::Optional,
            format!(
                "{} cannot be written: set NANOSCOPE_CACHE; a temporary one serves until then",
                folder.display()
            ),
        ),
        None => Item::new(
            "cache",
            State::Optional,
            "set NANOSCOPE_CACHE; a temporary one serves until then",
        ),
    }
}

fn writable(folder: &Path) -> bool {
    let probe = folder.join(format!("doctor-{}", std::process::id()));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&probe, b""));
    let _ = fs::remove_file(&probe);
    written.is_ok()
}

fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().next().unwrap_or_default().to_owned()
}
