//! The commands that the book shows: each is run, and must print what the page says.
//!
//! A block ```` ```console ```` is a session: `$ ` begins a command (for `sh`, here documents
//! included), what follows is its output. `...` on a line of its own stands for any lines, and at
//! the end of a line for its rest. A block ```` ```sh ```` is a list of commands that must work,
//! whatever they print. A line that ends in `\` goes on in the next. A block with
//! `file=NAME` puts a file into the folder in which the page's commands run, which has a copy of
//! `examples/`; one with `needs=FILE` is left out where the system does not have that file.
//!
//! Commands that are shown without being run (in a text, in YAML) are looked at: their options
//! must exist.

use nanoscope_campaign::project::Project;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of a page.
struct Block {
    language: String,
    text: String,
    line: usize,
}

impl Block {
    /// Its language.
    fn word(&self) -> &str {
        self.language.split_whitespace().next().unwrap_or_default()
    }

    /// What follows the language under a name: `file=a.c`.
    fn said(&self, name: &str) -> Option<&str> {
        let mut words = self.language.split_whitespace();
        words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }
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

/// The commands of a block: of a session, or of a list (`sh`), whose output nothing is said of.
fn steps(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    if block.word() == "sh" {
        let lines = block.text.lines().enumerate();
        let lines = lines.filter(|(_, line)| line.starts_with("nanoscope "));
        let anything = || vec!["...".to_owned()];
        let step = |(at, line): (usize, &str)| Step {
            command: line.to_owned(),
            expected: anything(),
            line: block.line + 1 + at,
        };
        return lines.map(step).collect();
    }
    let mut until: Option<String> = None;
    for (number, line) in block.text.lines().enumerate() {
        let goes_on = steps.last().is_some_and(|step| step.command.ends_with('\\'));
        if goes_on && until.is_none() {
            let step = steps.last_mut().expect("a line goes on");
            step.command.truncate(step.command.len() - 1);
            step.command.push_str(line.trim_start());
        } else if let Some(end) = &until {
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

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs the sessions of a page of the book.
fn run_page(name: &str) {
    run_file(&format!("docs/{name}"));
}

fn run_file(name: &str) {
    let root = root();
    let page = fs::read_to_string(root.join(name)).expect("the page is there");
    let desk = tempfile::tempdir().expect("a scratch folder");
    copy_folder(&root.join("examples"), &desk.path().join("examples"));
    let here = PathBuf::from(env!("CARGO_BIN_EXE_nanoscope"));
    let folder = here.parent().expect("a binary lies in a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut sessions = 0;
    for block in blocks(&page) {
        if let Some(file) = block.said("file") {
            fs::write(desk.path().join(file), &block.text).expect("the folder takes files");
        }
        if !["console", "sh"].contains(&block.word()) {
            continue;
        }
        if let Some(needed) = block.said("needs").filter(|needed| !Path::new(needed).exists()) {
            println!("{name}:{}: not run: {needed} is missing", block.line);
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
            let at = format!("{name}:{}: `{}`", step.line, step.command);
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
    assert!(sessions > 0, "{name} has no session");
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
fn readme() {
    run_file("README.md");
}

#[test]
fn campaigns() {
    run_page("campaigns.md");
}

#[test]
fn handling() {
    run_page("handling.md");
}

#[test]
fn precision() {
    run_page("precision.md");
}

#[test]
fn vendor_blas() {
    run_page("guides/blas.md");
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

/// The pages, from the root of the tree.
fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned()];
    for folder in ["docs", "docs/guides"] {
        for entry in fs::read_dir(root().join(folder)).expect("it is there").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".md") {
                pages.push(format!("{folder}/{name}"));
            }
        }
    }
    pages.sort();
    pages
}

/// A block of commands is a session: then it is run.
#[test]
fn commands_are_in_sessions() {
    let tests = include_str!("book.rs");
    for page in pages() {
        let text = fs::read_to_string(root().join(&page)).expect("a page");
        let mut has_sessions = false;
        for block in blocks(&text) {
            has_sessions |= ["console", "sh"].contains(&block.word());
            let is_command = |line: &str| {
                let line = line.trim_start_matches("$ ");
                line.starts_with("nanoscope ") && !line.starts_with("nanoscope: ")
            };
            assert!(
                !block.word().is_empty() || block.text.lines().all(|line| !is_command(line)),
                "{page}:{}: a block of commands that no test runs",
                block.line
            );
        }
        let name = page.strip_prefix("docs/").unwrap_or(&page);
        assert!(!has_sessions || tests.contains(&format!("\"{name}\"")), "no test runs {page}");
    }
}

/// Commands that are shown and not run have options that exist.
#[test]
fn options_exist() {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for page in pages() {
        let text = fs::read_to_string(root().join(&page)).expect("a page");
        for (at, _) in text.match_indices("nanoscope ") {
            let rest = &text[at..];
            let end = rest.find(['`', '\n', '#', '|']).unwrap_or(rest.len());
            let words: Vec<&str> = rest[..end].split_whitespace().skip(1).collect();
            let Some(command) = words.first().filter(|word| COMMANDS.contains(*word)) else {
                continue;
            };
            let mut asked = vec![(*command).to_owned()];
            if *command == "campaign" {
                asked.extend(words.get(1).filter(|word| word.len() > 2).map(|w| (*w).to_owned()));
            }
            let help = known.entry(asked.join(" ")).or_insert_with(|| {
                let output = Command::new(env!("CARGO_BIN_EXE_nanoscope"))
                    .args(&asked)
                    .arg("--help")
                    .output()
                    .expect("it runs");
                String::from_utf8_lossy(&output.stdout).into_owned()
            });
            for word in words.iter().take_while(|word| **word != "--") {
                let Some(option) = word.strip_prefix("--") else { continue };
                let name: String =
                    option.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
                assert!(
                    help.contains(&format!("--{name}")),
                    "{page}: `nanoscope {command}` has no option --{name}"
                );
            }
        }
    }
}

/// The commands whose options are looked at.
const COMMANDS: &[&str] = &[
    "exceptions",
    "precision",
    "test",
    "handling",
    "campaign",
    "solve",
    "replay",
    "explain",
    "doctor",
    "completions",
    "manual",
];

/// Project files that pages show are right.
#[test]
fn project_files() {
    for page in pages() {
        let text = fs::read_to_string(root().join(&page)).expect("a page");
        for block in blocks(&text).iter().filter(|block| block.word() == "toml") {
            let at = format!("{page}:{}", block.line);
            if let Err(why) = Project::parse(&block.text, &at) {
                panic!("{why}");
            }
        }
    }
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
