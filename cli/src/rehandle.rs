//! `nanoscope replay` of what `nanoscope handling` found.

use crate::handling::{Watcher, as_fault};
use crate::prototypes::Sources;
use nanoscope_cli::programs::Replay;
use nanoscope_cli::{Conclusion, Fault, output};
use nanoscope_report::{Finding, Number, Report, SCHEMA, from_json};
use nanoscope_spoof::handling::{self, Options, Origin, Seen};
use nanoscope_spoof::{from_finding, seen_words};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The report in a file, if it is one of `nanoscope handling`.
pub fn report(file: &Path) -> Option<Report> {
    let text = std::fs::read_to_string(file).ok()?;
    from_json(&text).ok().filter(|report| report.command == "handling")
}

/// Runs a finding once more and says what happened.
pub fn run(report: &Report, arguments: &Replay) -> Result<Conclusion, Fault> {
    let finding = chosen(report, arguments)?;
    let (seen, words) = again(report, finding)?;
    let happened = match &seen {
        Seen::Fails { .. } => true,
        Seen::Handled(_) => false,
        Seen::Other(why) => {
            return Err(Fault::User(format!("the program is not the one of the report: {why}")));
        }
    };
    if let Some(path) = &arguments.json {
        let json = json!({
            "schema": SCHEMA,
            "command": "replay",
            "version": env!("CARGO_PKG_VERSION"),
            "id": finding.id,
            "happened": happened,
            "what": words,
        });
        output::write(path, &format!("{json:#}\n"))?;
    }
    if !arguments.quiet && !arguments.json.as_deref().is_some_and(output::is_stdout) {
        let kind = finding.kind.name();
        let mut text = format!("{kind} in {}: {words}\n\ninput\n", finding.function);
        list(&mut text, &finding.inputs);
        if happened && !finding.details.outputs.is_empty() {
            text.push_str("\nreturned, when it was found\n");
            list(&mut text, &finding.details.outputs);
        }
        output::print(&text)?;
    }
    Ok(if happened { Conclusion::Findings } else { Conclusion::Nothing })
}

/// The finding the user means.
fn chosen<'a>(report: &'a Report, arguments: &Replay) -> Result<&'a Finding, Fault> {
    let file = arguments.file.display();
    let ids: Vec<&str> = report.findings.iter().map(|finding| finding.id.as_str()).collect();
    match (&arguments.id, report.findings.as_slice()) {
        (_, []) => Err(Fault::User(format!("{file} has no finding to replay"))),
        (None, [only]) => Ok(only),
        (None, _) => {
            let ids = ids.join("\n  ");
            Err(Fault::User(format!("{file} has several findings: choose with --id\n  {ids}")))
        }
        (Some(id), findings) => {
            findings.iter().find(|finding| finding.id == *id).ok_or_else(|| {
                Fault::User(format!("{file} has no finding {id}. It has\n  {}", ids.join("\n  ")))
            })
        }
    }
}

fn list(text: &mut String, numbers: &[Number]) {
    for number in numbers {
        let _ = match &number.hex {
            Some(hex) if !number.is_exceptional() => {
                writeln!(text, "  {} = {} ({hex})", number.name, number.value)
            }
            Some(_) | None => writeln!(text, "  {} = {}", number.name, number.value),
        };
    }
}

/// Runs a finding in the call it was found in.
fn again(report: &Report, finding: &Finding) -> Result<(Seen, String), Fault> {
    let how = finding.details.more.get("replay");
    let how = how.ok_or_else(|| Fault::User("the finding does not say how to run".to_string()))?;
    let words = |key: &str| -> Vec<String> {
        let list = how.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        list.iter().filter_map(Value::as_str).map(str::to_string).collect()
    };
    let paths = |key: &str| -> Vec<PathBuf> { words(key).into_iter().map(PathBuf::from).collect() };
    if how.get("piped") == Some(&Value::Bool(true)) {
        let why = "the program read from a pipe: give it a file (`< FILE`) to be able to replay";
        return Err(Fault::User(why.to_string()));
    }
    let input = how.get("input").and_then(Value::as_str).map(PathBuf::from);
    let subject = &report.subject;
    let sources = Sources {
        prototypes: paths("prototypes"),
        headers: paths("headers"),
        include: paths("include"),
        define: words("define"),
        debug_info: paths("debug_info"),
    };
    let program = subject.sources.first().map_or("", String::as_str);
    let options = Options {
        library: sources.library(Path::new(program))?,
        functions: words("functions"),
        error_routines: words("error_routines"),
        command: subject.sources.iter().chain(&subject.arguments).map(OsString::from).collect(),
        preload: paths("preload"),
        origin: Origin::default(),
        input,
        integer_bits: if how.get("integers") == Some(&Value::from(64)) { 64 } else { 32 },
        symbols: how.get("symbols").and_then(Value::as_str).map(str::to_string),
        jobs: 1,
        time_limit: None,
        results: false,
        every_call: false,
        solver_time: Duration::ZERO,
        dump_queries: None,
        resume: None,
    };
    let trial = from_finding(finding, &options)
        .ok_or_else(|| Fault::User("the finding does not say which call it is".to_string()))?;
    let watcher = Watcher::new(true)?;
    let seen = handling::again(&options, &[trial], &watcher).map_err(as_fault)?;
    let seen = seen.into_iter().next().map(|tried| tried.seen);
    let seen = seen.unwrap_or(Seen::Other("nothing was run".to_string()));
    let words = seen_words(&seen);
    Ok((seen, words))
}
