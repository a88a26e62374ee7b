//! The project file, `nanoscope.toml`: what is known about a library's functions, written
//! down once.

use nanoscope_analyses::exceptions::Contracts;
use nanoscope_campaign::project::{Elements, Known, Project};
use nanoscope_cli::Fault;
use nanoscope_cli::range::InputRange;
use nanoscope_program::{Wish, Wishes};
use nanoscope_report::Rule;
use std::path::{Path, PathBuf};

/// The file that is looked for where none is named.
const NAME: &str = "nanoscope.toml";

/// The file that is meant, if there is one.
fn meant(file: Option<&PathBuf>) -> Option<&Path> {
    match file {
        Some(path) => Some(path.as_path()),
        None => Some(Path::new(NAME)).filter(|path| path.is_file()),
    }
}

/// The suppressions of the project file.
pub fn rules(file: Option<&PathBuf>) -> Result<Vec<Rule>, Fault> {
    let Some(path) = meant(file) else { return Ok(Vec::new()) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| nanoscope_cli::output::cannot("read", path, &error))?;
    let name = path.display().to_string();
    Project::parse(&text, &name)
        .and_then(|project| project.rules(&text, &name))
        .map_err(Fault::User)
}

/// Adds what the project file says to what the command line says, which has the last word.
pub fn add(
    file: Option<&PathBuf>,
    functions: &[String],
    wishes: &mut Wishes,
    contracts: &mut Contracts,
) -> Result<(), Fault> {
    let Some(path) = meant(file) else { return Ok(()) };
    let complain = |why: String| Fault::User(format!("{}: {why}", path.display()));
    let project = Project::read(path).map_err(Fault::User)?;
    let (mut known, mut said) = (Wishes::default(), Contracts::default());
    let general = Known {
        assume: project.assume,
        status_ok: project.status_ok,
        value: project.value,
        input: project.input,
        array: project.array,
    };
    tell(&general, None, &mut known, &mut said).map_err(complain)?;
    if !functions.is_empty() {
        // What is said of all functions may be about others than those asked for.
        known.shared_ranges = known.ranges.len();
        said.shared_assume = said.assume.len();
        said.shared_status_ok = said.status_ok.len();
    }
    for (function, section) in &project.function {
        // What it knows about functions that nobody asks about is no mistake.
        if functions.is_empty() || functions.contains(function) {
            tell(section, Some(function), &mut known, &mut said).map_err(complain)?;
        }
    }
    known.ranges.append(&mut wishes.ranges);
    wishes.ranges = known.ranges;
    wishes.shared_ranges = known.shared_ranges;
    known.arrays.append(&mut wishes.arrays);
    wishes.arrays = known.arrays;
    said.assume.append(&mut contracts.assume);
    contracts.assume = said.assume;
    contracts.shared_assume = said.shared_assume;
    said.status_ok.append(&mut contracts.status_ok);
    contracts.status_ok = said.status_ok;
    contracts.shared_status_ok = said.shared_status_ok;
    if contracts.values.is_empty() {
        contracts.values = said.values;
    }
    Ok(())
}

/// What is known about one function, or about all.
fn tell(
    known: &Known,
    function: Option<&String>,
    wishes: &mut Wishes,
    contracts: &mut Contracts,
) -> Result<(), String> {
    let about = |text: &String| match function {
        Some(function) => format!("{function}: {text}"),
        None => text.clone(),
    };
    contracts.assume.extend(known.assume.0.iter().map(about));
    contracts.status_ok.extend(known.status_ok.iter().map(about));
    let function = function.cloned();
    for (name, range) in &known.input {
        let range: InputRange =
            format!("{name}={range}").parse().map_err(|why| format!("input {name}: {why}"))?;
        let value = (range.low, range.high);
        wishes.ranges.push(Wish { function: function.clone(), name: name.clone(), value });
    }
    for (name, length) in &known.array {
        let value = match length {
            Elements::Number(number) => (*number).into(),
            Elements::Expression(text) => {
                text.parse().map_err(|why| format!("array {name}: {why}"))?
            }
        };
        wishes.arrays.push(Wish { function: function.clone(), name: name.clone(), value });
    }
    for name in &known.value.0 {
        let name = name.clone();
        contracts.values.push(Wish { function: function.clone(), name, value: () });
    }
    Ok(())
}
