//! `nanoscope replay`.

use crate::document::read;
use crate::{as_ours, harm, rerun};
use nanoscope_analyses::replay::{self, Happening, Replayed};
use nanoscope_cli::programs::Replay;
use nanoscope_cli::{Conclusion, Fault, output};
use nanoscope_report::{Document, Finding, Number, Report, SCHEMA, TestFile};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// Runs findings or tests once more and says what happened.
pub fn run(arguments: &Replay) -> Result<Conclusion, Fault> {
    if arguments.harm {
        return harm::run(arguments);
    }
    let mut told = Told::default();
    if arguments.file.is_dir() {
        folder(arguments, &mut told)?;
    } else {
        match read(&arguments.file)? {
            Document::Test(file) => tests(vec![*file], &mut told)?,
            Document::Report(report) => match test_of(&report, arguments) {
                Some(file) => tests(vec![file], &mut told)?,
                None => told.finding(&report, chosen(&report, arguments)?)?,
            },
        }
    }
    if let Some(path) = &arguments.json {
        let json = match told.json.as_slice() {
            [one] => format!("{one:#}\n"),
            several => format!("{:#}\n", Value::from(several.to_vec())),
        };
        output::write(path, &json)?;
    }
    let json_on_stdout = arguments.json.as_deref().is_some_and(output::is_stdout);
    if !arguments.quiet && !json_on_stdout {
        output::print(&told.text)?;
    }
    Ok(if told.notable { Conclusion::Findings } else { Conclusion::Nothing })
}

/// What is told, piece by piece.
#[derive(Default)]
struct Told {
    text: String,
    json: Vec<Value>,
    notable: bool,
}

impl Told {
    fn finding(&mut self, report: &Report, finding: &Finding) -> Result<(), Fault> {
        let replayed = replay::run(report, finding).map_err(as_ours)?;
        self.notable |= replayed.happened;
        self.json.push(to_json(finding, &replayed));
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&to_text(finding, &replayed));
        Ok(())
    }
}

/// All findings and tests of a folder, in the order of their files.
fn folder(arguments: &Replay, told: &mut Told) -> Result<(), Fault> {
    let folder = &arguments.file;
    let entries =
        std::fs::read_dir(folder).map_err(|error| output::cannot("read", folder, &error))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    let mut suite = Vec::new();
    let mut count = 0;
    for file in &files {
        match read(file)? {
            Document::Test(test) => suite.push(*test),
            Document::Report(report) => {
                for finding in &report.findings {
                    told.finding(&report, finding)?;
                    count += 1;
                }
            }
        }
    }
    if suite.is_empty() && count == 0 {
        return Err(Fault::User(format!(
            "{} has neither findings nor tests; `nanoscope test --tests DIR` writes tests, \
             --findings DIR findings",
            folder.display()
        )));
    }
    if suite.is_empty() { Ok(()) } else { tests(suite, told) }
}

fn tests(files: Vec<TestFile>, told: &mut Told) -> Result<(), Fault> {
    for program in rerun::run(files)? {
        if !told.text.is_empty() {
            told.text.push('\n');
        }
        told.text.push_str(&program.to_text());
        told.json.push(program.to_json());
        told.notable |= program.is_notable();
    }
    Ok(())
}

/// The test of a report that the user means by its name.
fn test_of(report: &Report, arguments: &Replay) -> Option<TestFile> {
    let id = arguments.id.as_ref()?;
    let test = report.tests.iter().find(|test| test.name == *id)?.clone();
    Some(TestFile { subject: report.subject.clone(), test })
}

/// The finding the user means.
fn chosen<'a>(report: &'a Report, arguments: &Replay) -> Result<&'a Finding, Fault> {
    let file = arguments.file.display();
    let names = || {
        let ids: Vec<String> =
            report.findings.iter().map(|finding| format!("  {}", finding.id)).collect();
        ids.join("\n")
    };
    match (&arguments.id, report.findings.as_slice()) {
        (_, []) => Err(Fault::User(format!("{file} has no finding to replay"))),
        (None, [only]) => Ok(only),
        (None, _) => {
            Err(Fault::User(format!("{file} has several findings: choose with --id\n{}", names())))
        }
        (Some(id), findings) => findings
            .iter()
            .find(|finding| finding.id == *id)
            .ok_or_else(|| Fault::User(format!("{file} has no finding {id}. It has\n{}", names()))),
    }
}

fn to_text(finding: &Finding, replayed: &Replayed) -> String {
    let mut text = String::new();
    let again = if replayed.happened { "it happens" } else { "it does not happen any more" };
    let place = &finding.place;
    let _ = writeln!(
        text,
        "{} at {}:{}:{}, called through {}: {again}",
        finding.kind.name(),
        place.file,
        place.line,
        place.column,
        finding.function
    );
    text.push_str("\ninput\n");
    list(&mut text, &finding.inputs);
    if finding.kind.is_precision() {
        compared(&mut text, replayed);
        return text;
    }
    if !finding.kind.is_exception() {
        let ended = replayed.ended.as_deref().unwrap_or("ended");
        let _ = writeln!(text, "\nrun natively, the program {ended}");
        for event in &replayed.events {
            let _ = writeln!(text, "  {}", described(event));
        }
        return text;
    }
    text.push_str(if replayed.events.is_empty() {
        "\nno exception was raised\n"
    } else {
        "\nexceptions, in the order in which they were first raised\n"
    });
    for (index, event) in replayed.events.iter().enumerate() {
        let _ = writeln!(text, "  {}", described(event));
        if replayed.born == Some(index) {
            text.push_str("      the first NaN or infinity is born here\n");
        }
        if event.is_the_finding {
            text.push_str("      this is the finding\n");
        }
    }
    match &replayed.ended {
        Some(ended) => {
            let _ = writeln!(text, "\nthe function did not return ({ended})");
        }
        None => {
            text.push_str("\nreturned\n");
            list(&mut text, &replayed.outputs);
        }
    }
    if !replayed.printed.is_empty() {
        text.push_str("\nprinted\n");
        for line in replayed.printed.lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// Steps that the text lists; the JSON has all.
const STEPS: usize = 60;

/// Computed and exact values along the run.
fn compared(text: &mut String, replayed: &Replayed) {
    text.push_str("\ncomputed and exact values along the run\n");
    let _ = writeln!(
        text,
        "  {:<24} {:<10} {:>24} {:>24} {:>10}",
        "place", "operation", "computed", "exact", "rel. error"
    );
    let all = replayed.steps.len();
    let shown = if all > STEPS + 1 { STEPS } else { all };
    let skipped = all - shown;
    for (at, step) in replayed.steps.iter().enumerate() {
        // The beginning and the end are what tells most.
        if skipped > 0 && at >= shown / 2 && at < shown / 2 + skipped {
            if at == shown / 2 {
                let _ = writeln!(text, "  … {skipped} more, in the JSON");
            }
            continue;
        }
        let place = format!("{}:{}", step.place.file, step.place.line);
        let tail: String = place.chars().rev().take(24).collect();
        let place: String = tail.chars().rev().collect();
        let _ = writeln!(
            text,
            "  {place:<24} {:<10} {:>24} {:>24} {:>10.1e}",
            step.operation, step.computed.value, step.exact, step.relative
        );
    }
    text.push_str("\nreturned\n");
    list(text, &replayed.outputs);
}

fn described(event: &Happening) -> String {
    let mut line = match &event.place {
        Some(place) => format!("{}:{}:{}: ", place.file, place.line, place.column),
        None => String::new(),
    };
    let _ = write!(line, "{}, {}", event.kind.name(), event.operation);
    if let Some(computed) = &event.computed {
        let _ = write!(line, " = {}", computed.value);
    }
    if !event.operands.is_empty() {
        let operands: Vec<&str> =
            event.operands.iter().map(|operand| operand.value.as_str()).collect();
        let _ = write!(line, " from {}", operands.join(", "));
    }
    if event.times > 1 {
        let _ = write!(line, " ({} times)", event.times);
    }
    line
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

fn to_json(finding: &Finding, replayed: &Replayed) -> Value {
    let events: Vec<Value> = replayed
        .events
        .iter()
        .map(|event| {
            json!({
                "kind": event.kind,
                "place": event.place,
                "function": event.function,
                "operation": event.operation,
                "operands": event.operands,
                "computed": event.computed,
                "times": event.times,
                "finding": event.is_the_finding,
            })
        })
        .collect();
    json!({
        "schema": SCHEMA,
        "command": "replay",
        "version": env!("CARGO_PKG_VERSION"),
        "id": finding.id,
        "happened": replayed.happened,
        "events": events,
        "born": replayed.born,
        "steps": replayed.steps.iter().map(|step| json!({
            "place": step.place,
            "operation": step.operation,
            "computed": step.computed,
            "exact": step.exact,
            "relative": if step.relative.is_finite() { json!(step.relative) } else { json!("inf") },
        })).collect::<Vec<Value>>(),
        "outputs": replayed.outputs,
        "ended": replayed.ended,
        "printed": replayed.printed,
    })
}
