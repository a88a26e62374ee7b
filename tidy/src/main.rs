//! Checks that the house is as ARCHITECTURE.md says: `cargo run -p nanoscope-tidy`.

mod arms;
mod arrows;
mod circles;
mod code;
mod rooms;
mod sources;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Something that is not as it should be: where, and what.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Complaint {
    place: String,
    what: String,
}

fn main() -> ExitCode {
    match inspect() {
        Ok(complaints) if complaints.is_empty() => {
            println!("tidy: the house is as ARCHITECTURE.md says");
            ExitCode::SUCCESS
        }
        Ok(complaints) => {
            for complaint in &complaints {
                eprintln!("{}: {}", complaint.place, complaint.what);
            }
            eprintln!("tidy: {} to mend", complaints.len());
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("tidy: {message}");
            ExitCode::FAILURE
        }
    }
}

fn inspect() -> Result<Vec<Complaint>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = read(&root.join("ARCHITECTURE.md"))?;
    let plan = rooms::parse(&page)?;
    let metadata = metadata(&root)?;
    let mut complaints = arrows::check(&plan, &metadata)?;
    for room in &plan.rooms {
        let src = root.join(&room.name).join("src");
        let mut modules = Vec::new();
        for file in files(&root.join(&room.name)) {
            let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
            let source = read(&file)?;
            complaints.extend(sources::check(&name, &source, room.unsafe_code));
            if let Ok(inside) = file.strip_prefix(&src) {
                modules.push((inside.display().to_string(), source));
            }
        }
        complaints.extend(circles::check(&room.name, &modules));
    }
    complaints.sort();
    Ok(complaints)
}

fn metadata(root: &Path) -> Result<serde_json::Value, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The Rust and C files under a folder, in order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path
            .extension()
            .is_some_and(|e| ["rs", "c", "h", "cpp", "def"].iter().any(|x| e == *x))
        {
            found.push(path);
        }
    }
    found
}
