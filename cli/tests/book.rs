//! The commands that the book shows: each is run, and must print what the page says.
//!
//! A block ```` ```console ```` is a session: `$ ` begins a command (for `sh`, here documents
//! included), what follows is its output. `...` on a line of its own stands for any lines, and at
//! the end of a line for its rest. A block with `file=NAME` puts a file into the folder in which
//! the page's commands run, which has a copy of `examples/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of a page.
struct Block {
    language: String,
    text: String,
    line: usize,
}

/// A command of a session and what it prints.
struct Step {
    command: String,
    expected: Vec<String>,
    line: usize,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in page.lines().enumerate() {
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (None, Some(language)) => {
                open = Some(Block {
                    language: language.trim().to_owned(),
                    text: String::new(),
                    line: number + 1,
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

fn steps(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut until: Option<String> = None;
    for (number, line) in block.text.lines().enumerate() {
        if let Some(end) = &until {
            let step = steps.last_mut().expect("a here document follows a command");
            step.command.push('\n');
            step.command.push_str(line);
            if line == end {
                until = None;
            }
        } else if let Some(command) = line.strip_prefix("$ ") {
            until = command
                .split("<<'")
                .nth(1)
                .and_then(|rest| rest.split('\'').next().map(str::to_owned));
            steps.push(Step {
                command: command.to_owned(),
                expected: Vec::new(),
                line: block.line + 1 + number,
            });
        } else {
            let step = steps.last_mut().expect("a session begins with a command");
            step.expected.push(line.to_owned());
        }
    }
    steps
}

/// Whether lines of output match a pattern with `...`.
fn matches(pattern: &[String], output: &[&str]) -> bool {
    match pattern {
        [] => output.is_empty(),
        [any, rest @ ..] if any == "..." => {
            (0..=output.len()).any(|skipped| matches(rest, &output[skipped..]))
        }
        [first, rest @ ..] => {
            let Some((line, others)) = output.split_first() else { return false };
            let same = match first.strip_suffix("...") {
                Some(start) => line.starts_with(start.trim_end()),
                None => line.trim_end() == first.trim_end(),
            };
            same && matches(rest, others)
        }
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the scratch folder takes folders");
    for entry in fs::read_dir(from).expect("the folder is there").flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("it can be copied");
    }
}

fn run_page(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs").join(name)).expect("the page is there");
    let desk = tempfile::tempdir().expect("a scratch folder");
    copy_folder(&root.join("examples"), &desk.path().join("examples"));
    let here = PathBuf::from(env!("CARGO_BIN_EXE_nanoscope"));
    let folder = here.parent().expect("a binary lies in a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut sessions = 0;
    for block in blocks(&page) {
        let file = block.language.split_whitespace().find_map(|word| word.strip_prefix("file="));
        if let Some(file) = file {
            fs::write(desk.path().join(file), &block.text).expect("the folder takes files");
        }
        if block.language != "console" {
            continue;
        }
        for step in steps(&block) {
            sessions += 1;
            let output = Command::new("sh")
                .args(["-c", &step.command])
                .current_dir(desk.path())
                .env("PATH", format!("{folder}:{path}"))
                .env("NANOSCOPE_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
                .output()
                .expect("sh runs");
            let at = format!("docs/{name}:{}: `{}`", step.line, step.command);
            let stderr = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 1)), "{at}: exit code {code:?}\n{stderr}");
            let stdout = String::from_utf8_lossy(&output.stdout);
            let lines: Vec<&str> = stdout.lines().collect();
            assert!(
                matches(&step.expected, &lines),
                "{at} is said to print\n{}\nand prints\n{stdout}{stderr}",
                step.expected.join("\n")
            );
        }
    }
    assert!(sessions > 0, "docs/{name} has no session");
}

#[test]
fn tutorial() {
    run_page("tutorial.md");
}

#[test]
fn library_in_ci() {
    run_page("guides/ci.md");
}

#[test]
fn controller() {
    run_page("guides/controller.md");
}

#[test]
fn fortran() {
    run_page("guides/fortran.md");
}

#[test]
fn solver() {
    run_page("guides/solver.md");
}

#[test]
fn exceptions() {
    run_page("exceptions.md");
}

#[test]
fn papers() {
    run_page("papers.md");
}

#[test]
fn testing() {
    run_page("test.md");
}

#[test]
fn json() {
    run_page("json.md");
}

/// Every page is in the table of contents, and what that names is there.
#[test]
fn table_of_contents() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("there is one");
    let mut named: Vec<&str> =
        summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    for page in &named {
        assert!(docs.join(page).is_file(), "SUMMARY.md names {page}, which is not there");
    }
    named.push("SUMMARY.md");
    for folder in ["", "guides"] {
        for entry in fs::read_dir(docs.join(folder)).expect("it is there").flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|end| end == "md") {
                let page = path.strip_prefix(&docs).expect("it is below").display().to_string();
                assert!(named.contains(&page.as_str()), "SUMMARY.md does not name {page}");
            }
        }
    }
}

/// Links between pages lead to files.
#[test]
fn links() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    for folder in ["", "guides"] {
        for entry in fs::read_dir(docs.join(folder)).expect("it is there").flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|end| end != "md") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a page");
            for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let file = link.split('#').next().unwrap_or_default();
                if file.is_empty() || link.contains("://") || link.contains(' ') {
                    continue;
                }
                let target = path.parent().expect("a folder").join(file);
                assert!(target.exists(), "{}: {link} leads nowhere", path.display());
            }
        }
    }
}
