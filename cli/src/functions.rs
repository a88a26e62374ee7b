//! `nanoscope functions`: what a campaign chooses from.

use crate::{as_ours, project};
use nanoscope_analyses::{Source, exceptions, listing};
use nanoscope_cli::programs::Functions;
use nanoscope_cli::{Conclusion, Fault, output};
use serde_json::{Value, json};
use std::time::Duration;

/// Lists the functions of a program.
pub fn run(arguments: &Functions, flags: Vec<String>) -> Result<Conclusion, Fault> {
    let mut source = Source {
        files: arguments.sources.files.clone(),
        flags,
        compile_commands: arguments.sources.compile_commands.clone(),
        ..Source::default()
    };
    let mut contracts = exceptions::Contracts::default();
    project::add(arguments.project.as_ref(), &[], &mut source.wishes, &mut contracts)?;
    // Ranges are for the analyses; lengths of arrays decide on what the inputs are.
    let arrays = std::mem::take(&mut source.wishes.arrays);
    source
        .wishes
        .ranges
        .retain(|range| arrays.iter().any(|array| array.value.names().contains(&range.name)));
    source.wishes.shared_ranges = source.wishes.ranges.len();
    source.wishes.arrays = arrays;
    let time = Duration::from_secs_f64(arguments.time_limit);
    let listing = listing::list(&source, time).map_err(as_ours)?;
    match &arguments.json {
        Some(path) => output::write(path, &format!("{:#}\n", as_json(&listing)))?,
        None => output::print(&as_text(&listing))?,
    }
    Ok(Conclusion::Nothing)
}

fn as_json(listing: &listing::Listing) -> Value {
    let function = |listed: &listing::Listed| {
        json!({
            "function": listed.function, "symbol": listed.symbol, "file": listed.file,
            "line": listed.line, "inputs": listed.inputs, "scalar": listed.scalar,
            "goals": listed.goals, "code": listed.code, "untestable": listed.untestable,
        })
    };
    json!({
        "schema": nanoscope_report::SCHEMA,
        "command": "functions",
        "functions": listing.functions.iter().map(function).collect::<Vec<Value>>(),
        "main": listing.main,
        "notes": listing.notes,
    })
}

fn as_text(listing: &listing::Listing) -> String {
    let mut text = String::new();
    for listed in &listing.functions {
        let about = match &listed.untestable {
            Some(why) => format!("cannot be tested: it {why}"),
            None => format!("{} inputs, {} goals", listed.inputs.len(), listed.goals),
        };
        let (file, line) = (&listed.file, listed.line);
        text.push_str(&format!("{file}:{line}: {}: {about}\n", listed.function));
    }
    for note in &listing.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}
