//! The project file, `nanoscope.toml`: what is known about a library's functions, written
//! down once.

use nanoscope_analyses::exceptions::Contracts;
use nanoscope_cli::Fault;
use nanoscope_cli::range::InputRange;
use nanoscope_program::{Wish, Wishes};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file that is looked for where none is named.
const NAME: &str = "nanoscope.toml";

/// A project file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Project {
    assume: List,
    status_ok: Option<String>,
    value: List,
    input: BTreeMap<String, String>,
    array: BTreeMap<String, Elements>,
    function: BTreeMap<String, Section>,
}

/// What is known about one function.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Section {
    assume: List,
    status_ok: Option<String>,
    value: List,
    input: BTreeMap<String, String>,
    array: BTreeMap<String, Elements>,
}

/// A number of elements, or an expression over integer inputs.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Elements {
    Number(u64),
    Expression(String),
}

/// One text or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum List {
    One(String),
    Several(Vec<String>),
}

impl Default for List {
    fn default() -> List {
        List::Several(Vec::new())
    }
}

impl List {
    fn texts(&self) -> &[String] {
        match self {
            List::One(text) => std::slice::from_ref(text),
            List::Several(texts) => texts,
        }
    }
}

/// Adds what the project file says to what the command line says, which has the last word.
pub fn add(
    file: Option<&PathBuf>,
    functions: &[String],
    wishes: &mut Wishes,
    contracts: &mut Contracts,
) -> Result<(), Fault> {
    let path = match file {
        Some(path) => path.as_path(),
        None if Path::new(NAME).is_file() => Path::new(NAME),
        None => return Ok(()),
    };
    let complain = |why: String| Fault::User(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| complain(error.to_string()))?;
    let project: Project = toml::from_str(&text).map_err(|error| complain(error.to_string()))?;
    let (mut known, mut said) = (Wishes::default(), Contracts::default());
    let general = Section {
        assume: project.assume,
        status_ok: project.status_ok,
        value: project.value,
        input: project.input,
        array: project.array,
    };
    general.tell(None, &mut known, &mut said).map_err(complain)?;
    for (function, section) in &project.function {
        // What it knows about functions that nobody asks about is no mistake.
        if functions.is_empty() || functions.contains(function) {
            section.tell(Some(function), &mut known, &mut said).map_err(complain)?;
        }
    }
    known.ranges.append(&mut wishes.ranges);
    wishes.ranges = known.ranges;
    known.arrays.append(&mut wishes.arrays);
    wishes.arrays = known.arrays;
    said.assume.append(&mut contracts.assume);
    contracts.assume = said.assume;
    said.status_ok.append(&mut contracts.status_ok);
    contracts.status_ok = said.status_ok;
    if contracts.values.is_empty() {
        contracts.values = said.values;
    }
    Ok(())
}

impl Section {
    fn tell(
        &self,
        function: Option<&String>,
        wishes: &mut Wishes,
        contracts: &mut Contracts,
    ) -> Result<(), String> {
        let about = |text: &String| match function {
            Some(function) => format!("{function}: {text}"),
            None => text.clone(),
        };
        contracts.assume.extend(self.assume.texts().iter().map(about));
        contracts.status_ok.extend(self.status_ok.iter().map(about));
        let function = function.cloned();
        for (name, range) in &self.input {
            let range: InputRange =
                format!("{name}={range}").parse().map_err(|why| format!("input {name}: {why}"))?;
            let value = (range.low, range.high);
            wishes.ranges.push(Wish { function: function.clone(), name: name.clone(), value });
        }
        for (name, length) in &self.array {
            let value = match length {
                Elements::Number(number) => (*number).into(),
                Elements::Expression(text) => {
                    text.parse().map_err(|why| format!("array {name}: {why}"))?
                }
            };
            wishes.arrays.push(Wish { function: function.clone(), name: name.clone(), value });
        }
        for name in self.value.texts() {
            let name = name.clone();
            contracts.values.push(Wish { function: function.clone(), name, value: () });
        }
        Ok(())
    }
}
