//! From what was gathered to a report.

use crate::handling::{
    Cause, Decision, Effect, Elsewhere, Failure, Flow, Options, Seen, SpoofRun, Trial, is_finite,
};
use crate::prototype::{Argument, Kind as What};
use crate::sites::Spoof;
use crate::test_program::test_program;
use addr2line::Loader;
use nanoscope_ieee::Format;
use nanoscope_report::{
    Claim, Evidence, Exact, Finding, Handled, Handling, Harm, Kind, Note, Number, Place, Report,
    Run, Statistics, Status, Subject, Vanished,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Writes the report of a run.
pub fn to_report(options: &Options, outcome: &SpoofRun, seconds: f64) -> Report {
    let mut lines = Lines::default();
    let mut handling = Handling::default();
    for (tested, figures) in &outcome.figures {
        handling.functions.push(Handled {
            function: tested.symbol.clone(),
            binary: file_name(&tested.module),
            calls: figures.calls,
            spoofed_calls: figures.spoofed_calls,
            classes: figures.classes,
            input_spoofs: figures.input_spoofs,
            input_failures: figures.input_failures,
            result_spoofs: figures.result_spoofs,
            warnings: figures.result_warnings,
            reified: figures.reified,
            whole: figures.whole,
            unfit: figures.unfit.clone(),
        });
    }
    let mut findings = Vec::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for failure in &outcome.failures {
        if failure.documented.is_some() || failure.effect.is_harmless() {
            handling.apart.push(vanished(failure, &mut lines));
        } else {
            findings.push(finding(failure, options, &mut lines, &mut names));
        }
    }
    // What an input is known for is a finding.
    for failure in outcome.warnings.iter().filter(|failure| failure.reified == 0) {
        handling.warnings.push(vanished(failure, &mut lines));
    }
    let words = |word: &std::ffi::OsString| word.to_string_lossy().into_owned();
    let subject = Subject {
        sources: options.command.first().map(words).into_iter().collect(),
        arguments: options.command.iter().skip(1).map(words).collect(),
        ..Subject::default()
    };
    let run = Run { command: "handling".to_string(), seed: 0, subject };
    let statistics = Statistics { seconds, ..Statistics::default() };
    let mut notes: Vec<Note> = outcome.notes.iter().map(|text| note(text)).collect();
    if !outcome.absent.is_empty() {
        let count = outcome.absent.len();
        let first: Vec<&str> = outcome.absent.iter().take(5).map(String::as_str).collect();
        let more = if count > 5 { ", …" } else { "" };
        notes.push(note(&format!(
            "{count} functions with a prototype are not in the program: {}{more}",
            first.join(", ")
        )));
    }
    if !outcome.unlifted.is_empty() {
        let mut names: Vec<(&String, &u64)> = outcome.unlifted.iter().collect();
        names.sort_by_key(|(name, times)| (std::cmp::Reverse(**times), *name));
        let names: Vec<String> =
            names.iter().take(8).map(|(name, times)| format!("{name} ({times})")).collect();
        notes.push(note(&format!(
            "the solver took the results of these instructions as they were: {}",
            names.join(", ")
        )));
    }
    if !outcome.complete {
        let whole = outcome.figures.values().filter(|figures| figures.whole).count();
        let none = outcome.figures.values().filter(|figures| figures.input_spoofs == 0).count();
        let untouched = match none {
            0 => String::new(),
            1 => ", 1 was not spoofed at all".to_string(),
            more => format!(", {more} were not spoofed at all"),
        };
        notes.push(note(&format!(
            "stopped before the end: {whole} of {} functions were looked at as a whole{untouched}. There may be \
             more to find; --resume FILE lets a later run go on",
            outcome.figures.len()
        )));
    }
    let status = if outcome.complete { Status::Exhausted } else { Status::Stopped };
    Report::new(run, findings, Vec::new(), statistics)
        .with_handling(handling)
        .with_notes(notes)
        .with_status(status)
}

fn note(text: &str) -> Note {
    Note { function: String::new(), place: Place::default(), text: text.to_string() }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The element that was spoofed, or the instruction.
fn place_of(failure: &Failure) -> String {
    match &failure.cause {
        Cause::Input { argument, element, .. } => {
            failure.arguments[*argument].elements[*element].name.clone()
        }
        Cause::Result { .. } | Cause::Solved { .. } => failure.place.clone(),
    }
}

fn spoof_of(failure: &Failure) -> Spoof {
    match failure.cause {
        Cause::Input { spoof, .. } | Cause::Result { spoof, .. } => spoof,
        Cause::Solved { .. } => {
            let mut values =
                failure.inputs.iter().zip(&failure.arguments).filter(|(_, a)| a.kind.is_float());
            let finite =
                values.all(|(values, _)| values.iter().all(|v| v.is_empty() || is_finite(v)));
            if finite { Spoof::Greatest } else { Spoof::NaN }
        }
    }
}

fn solved(failure: &Failure) -> bool {
    matches!(failure.cause, Cause::Solved { .. })
}

fn effect_words(effect: Effect) -> String {
    match effect {
        Effect::Endless => "the function does not return".to_string(),
        Effect::Crash(signal) => format!("the function crashes (signal {signal})"),
        Effect::Swallowed => "no output is exceptional and nothing is reported".to_string(),
        Effect::Wrong => "an output is wrong, and nothing is reported".to_string(),
        Effect::Limit => "the outputs are those that large numbers tend to".to_string(),
        Effect::Harmless => "the outputs are right".to_string(),
        Effect::Unjudged => "it is not known whether the outputs are right".to_string(),
    }
}

fn vanished(failure: &Failure, lines: &mut Lines) -> Vanished {
    let source = lines.short(&failure.location);
    Vanished {
        function: failure.tested.symbol.clone(),
        binary: file_name(&failure.tested.module),
        place: failure.place.clone(),
        instruction: failure.instruction.clone(),
        source,
        value: if solved(failure) {
            "inputs from the solver".to_string()
        } else {
            spoof_of(failure).name().to_string()
        },
        effect: effect_words(failure.effect),
        why: match (&failure.documented, failure.effect) {
            (Some(why), _) => format!("documented: {why}"),
            (None, effect) if effect.is_harmless() => effect_words(effect),
            (None, _) => String::new(),
        },
        spoofs: failure.count,
        calls: failure.calls,
    }
}

fn finding(
    failure: &Failure,
    options: &Options,
    lines: &mut Lines,
    names: &mut BTreeMap<String, usize>,
) -> Finding {
    let spoof = spoof_of(failure);
    let place = place_of(failure);
    let what = headline(failure, &place);
    let value = match (solved(failure), spoof.is_exceptional()) {
        (true, true) => "solved".to_string(),
        (true, false) => "finite".to_string(),
        (false, _) => {
            spoof.name().replace("the ", "").replace("finite number", "").replace(' ', "")
        }
    };
    let mut id = format!("swallowed-exception-{}-{}-{value}", failure.tested.symbol, failure.place);
    id.retain(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '$' | '+'));
    let count = names.entry(id.clone()).or_default();
    *count += 1;
    if *count > 1 {
        id.push_str(&format!("-{count}"));
    }
    let inputs = numbers(&failure.arguments, &failure.inputs);
    let outputs = numbers(&failure.arguments, &failure.outputs);
    let expected = numbers(&failure.arguments, &failure.expected);
    let ended = ended(failure);
    let finite = inputs.iter().all(|number| !number.is_exceptional());
    let mut more = Map::new();
    more.insert("what".to_string(), json!(what));
    more.insert("binary".to_string(), json!(failure.tested.module.display().to_string()));
    more.insert("input".to_string(), json!(place));
    more.insert("spoof".to_string(), json!(spoof.name()));
    more.insert("effect".to_string(), json!(effect_words(failure.effect)));
    more.insert("finite_inputs".to_string(), json!(finite));
    more.insert("call_number".to_string(), json!(failure.call));
    more.insert("class".to_string(), json!(format!("{:016x}", failure.class)));
    more.insert("spoofs".to_string(), json!(failure.count));
    more.insert("calls".to_string(), json!(failure.calls));
    more.insert("without_spoof".to_string(), json!(expected));
    more.insert("confirmed".to_string(), json!("by a fresh process"));
    more.insert("rank".to_string(), json!(rank(failure, finite)));
    more.insert("replay".to_string(), replay_json(options));
    let prototypes = options.library.prototypes.iter();
    let mut mine = prototypes.filter(|p| options.symbol(p) == failure.tested.symbol);
    if let Some(test) = mine.next().and_then(|p| test_program(p, failure, &what)) {
        more.insert("test".to_string(), json!(test.text));
        more.insert("test_suffix".to_string(), json!(test.suffix));
    }
    if !failure.also.is_empty() {
        let builds = failure.also.iter().map(|other| elsewhere_json(failure, other, lines));
        more.insert("also".to_string(), builds.collect());
    }
    let events: Vec<_> = failure.events.iter().map(|flow| flow_json(flow, lines)).collect();
    if !events.is_empty() {
        more.insert("events".to_string(), json!(events));
    }
    let claim = Claim {
        id,
        kind: Kind::SwallowedException,
        function: failure.tested.symbol.clone(),
        place: lines.place(&failure.location),
        operation: failure.tested.symbol.clone(),
        inputs,
        engine: if solved(failure) { "solver" } else { "input-spoofing" }.to_string(),
    };
    let harm = harm(failure);
    let evidence = Evidence { outputs, ended: Some(ended), harm, more, ..Evidence::default() };
    Finding::new(claim, evidence)
}

/// What happened, in a line.
fn headline(failure: &Failure, place: &str) -> String {
    let spoof = spoof_of(failure);
    match (failure.effect, spoof.is_exceptional()) {
        (Effect::Wrong, _) if solved(failure) => {
            format!("finite inputs give a wrong result: {} vanishes", raised(failure.flags))
        }
        (Effect::Swallowed, _) if solved(failure) => {
            format!("an exception that {place} cause vanishes")
        }
        (Effect::Endless, _) if solved(failure) => format!("{place} make it run forever"),
        (Effect::Wrong, _) => {
            let raised = raised(failure.flags);
            format!("wrong result: {raised} vanishes, {place} being {}", spoof.name())
        }
        (Effect::Swallowed, true) => format!("{} in {place} vanishes", spoof.name()),
        (Effect::Swallowed, false) => {
            let raised = raised(failure.flags);
            format!("{raised} vanishes, {place} being {}", spoof.name())
        }
        (Effect::Endless, _) => format!("{} in {place} makes it run forever", spoof.name()),
        (Effect::Crash(signal), _) => {
            format!("{} in {place} makes it crash (signal {signal})", spoof.name())
        }
        (Effect::Limit | Effect::Harmless | Effect::Unjudged, _) => {
            format!("{} in {place}", spoof.name())
        }
    }
}

/// How the native run ended.
fn ended(failure: &Failure) -> String {
    match failure.effect {
        Effect::Swallowed | Effect::Wrong | Effect::Limit | Effect::Harmless | Effect::Unjudged => {
            let read = if failure.unread { "; no instruction read it" } else { "" };
            let alike = match (failure.count, failure.calls) {
                (0 | 1, _) | (_, 0) => String::new(),
                (count, 1) => format!(" ({count} spoofs of the call fail alike)"),
                (count, calls) => format!(" ({count} spoofs in {calls} calls fail alike)"),
            };
            format!("returned without a NaN, an infinity or a report{read}{alike}")
        }
        Effect::Endless => "did not return within a hundred times its time".to_string(),
        Effect::Crash(signal) => format!("crashed with signal {signal}"),
    }
}

/// What a run showed, in words.
pub fn seen_words(seen: &Seen) -> String {
    match seen {
        Seen::Fails { effect, .. } => format!("it fails: {}", effect_words(*effect)),
        Seen::Handled(how) => format!("it is handled: {how}"),
        Seen::Other(why) => format!("not comparable: {why}"),
    }
}

/// What another build does; where it does not fail, with the first branch that goes another way there.
fn elsewhere_json(failure: &Failure, other: &Elsewhere, lines: &mut Lines) -> Value {
    let fails = matches!(other.seen, Seen::Fails { .. });
    let mut json = json!({
        "build": other.build.display().to_string(),
        "what": seen_words(&other.seen),
        "fails": fails,
    });
    if matches!(other.seen, Seen::Handled(_))
        && let Some((here, there)) = diverging(&failure.decisions, &other.decisions, lines)
    {
        json["diverges"] = json!({ "here": here, "there": there });
    }
    json
}

/// The first decision on an exceptional value that two builds make differently, in words. Lines of the
/// source tell which decisions are the same; without them, the first ones are shown.
fn diverging(here: &[Decision], there: &[Decision], lines: &mut Lines) -> Option<(String, String)> {
    let mut key =
        |decision: &Decision| (lines.short(&decision.location), lines.short(&decision.next));
    let mut at = 0;
    while let (Some(a), Some(b)) = (here.get(at), there.get(at)) {
        let (a, b) = (key(a), key(b));
        if a != b || a.0.is_empty() {
            break;
        }
        at += 1;
    }
    let none = || "no further branch is decided by NaN or an infinity".to_string();
    let mut words = |decision: &Decision| decision_words(decision, lines);
    match (here.get(at), there.get(at)) {
        (None, None) => None,
        (a, b) => Some((a.map_or_else(none, &mut words), b.map_or_else(none, words))),
    }
}

/// `sger_+0x8b  ucomiss xmm0,xmm1  jne taken  sger.f:240 -> sger.f:242`
fn decision_words(decision: &Decision, lines: &mut Lines) -> String {
    let jumps: Vec<String> = decision
        .jumps
        .iter()
        .map(|(jump, taken)| format!("{jump} {}", if *taken { "taken" } else { "not taken" }))
        .collect();
    let (from, to) = (lines.short(&decision.location), lines.short(&decision.next));
    let route = match (from.is_empty(), to.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!("  {from}"),
        (false, false) => format!("  {from} -> {to}"),
    };
    format!("{}  {}  {}{route}", decision.place, decision.comparison, jumps.join(", "))
}

/// How to run the program in the same way.
fn replay_json(options: &Options) -> Value {
    let paths = |paths: &[PathBuf]| -> Vec<String> {
        paths.iter().map(|path| path.display().to_string()).collect()
    };
    json!({
        "prototypes": paths(&options.origin.prototypes),
        "headers": paths(&options.origin.headers),
        "include": paths(&options.origin.include),
        "define": options.origin.define,
        "debug_info": paths(&options.origin.debug_info),
        "functions": options.functions,
        "error_routines": options.error_routines,
        "preload": paths(&options.preload),
        "input": options.origin.input.as_ref().map(|path| path.display().to_string()),
        "piped": options.origin.piped,
        "integers": options.integer_bits,
        "symbols": options.symbols,
    })
}

/// The trial that a finding of a report is, with the symbol of its function.
pub fn from_finding(finding: &Finding, options: &Options) -> Option<Trial> {
    let call = finding.details.more.get("call_number").and_then(Value::as_u64)?;
    let prototypes = options.library.prototypes.iter();
    let mut mine = prototypes.filter(|p| options.symbol(p) == finding.function);
    let function = mine.next()?.symbol.clone();
    let mut inputs = Vec::new();
    for number in finding.inputs.iter().filter(|number| number.hex.is_some()) {
        let bits = u128::from_str_radix(number.bits.trim_start_matches("0x"), 16).ok()?;
        let bytes = match number.type_name.as_str() {
            "float" => 4,
            "double" => 8,
            _ => 10,
        };
        inputs.push((number.name.clone(), bits.to_le_bytes()[..bytes].to_vec()));
    }
    Some(Trial { call, function, inputs })
}

/// Finite inputs with a wrong result, or without any, come first.
fn rank(failure: &Failure, finite: bool) -> u64 {
    match (failure.effect, finite) {
        (Effect::Wrong | Effect::Endless | Effect::Crash(_), true) => 0,
        (Effect::Endless, false) => 1,
        (Effect::Crash(_), false) => 2,
        (_, true) => 3,
        (_, false) => 4,
    }
}

/// A line of the event trace, as in EXCVATE's figure 1.
fn flow_json(flow: &Flow, lines: &mut Lines) -> Value {
    let event = &flow.event;
    let letter = |set: bool, letter: char| if set { letter } else { '-' };
    let letters: String = [
        letter(event.generated, 'G'),
        letter(event.propagated, 'P'),
        letter(event.killed, 'K'),
        letter(event.read, 'r'),
    ]
    .iter()
    .collect();
    json!({
        "at": flow.place,
        "instruction": event.disassembly,
        "source": lines.short(&flow.location),
        "event": letters,
        "alive": event.alive,
    })
}

/// How bad it is, where that is known.
fn harm(failure: &Failure) -> Option<Harm> {
    let effect = match failure.effect {
        Effect::Wrong => nanoscope_report::Effect::SilentlyWrong,
        Effect::Endless => nanoscope_report::Effect::NoReturn,
        Effect::Crash(_)
        | Effect::Swallowed
        | Effect::Limit
        | Effect::Harmless
        | Effect::Unjudged => return None,
    };
    let exact = failure.exact.iter().map(|(argument, element, value)| Exact {
        name: failure.arguments[*argument].elements[*element].name.clone(),
        value: value.clone(),
        error: None,
    });
    Some(Harm { effect, avoidable: None, exact: exact.collect(), why: String::new() })
}

fn raised(flags: u8) -> &'static str {
    if flags & 8 != 0 {
        "an overflow"
    } else if flags & 4 != 0 {
        "a division by zero"
    } else {
        "an invalid operation"
    }
}

/// The values that are there, by the elements' names.
fn numbers(arguments: &[Argument], values: &[Vec<Vec<u8>>]) -> Vec<Number> {
    let mut numbers = Vec::new();
    for (argument, values) in arguments.iter().zip(values) {
        for (element, bytes) in argument.elements.iter().zip(values) {
            if bytes.is_empty() {
                continue;
            }
            let mut all = [0u8; 16];
            all[..bytes.len()].copy_from_slice(bytes);
            let bits = u128::from_le_bytes(all);
            numbers.push(number(argument, &element.name, bits));
        }
    }
    numbers
}

fn number(argument: &Argument, name: &str, bits: u128) -> Number {
    match (argument.kind, argument.bits) {
        (What::Real | What::Complex, 32) => Number::float(name, "float", Format::BINARY32, bits),
        (What::Real | What::Complex, 80) => Number::float(name, "long double", Format::X87, bits),
        (What::Real | What::Complex, _) => Number::float(name, "double", Format::BINARY64, bits),
        (What::Character, _) => Number::memory(name, &[bits as u8]),
        (What::Integer, width) => {
            let type_name = if width == 64 { "long" } else { "int" };
            Number::integer(name, type_name, width, true, bits)
        }
    }
}

/// Source lines by the binaries' debugging information.
#[derive(Default)]
struct Lines {
    loaders: BTreeMap<PathBuf, Option<Loader>>,
}

impl Lines {
    /// `sgbmv.f:310`, or nothing.
    fn short(&mut self, location: &(PathBuf, u64)) -> String {
        let place = self.place(location);
        if place.line == 0 {
            return String::new();
        }
        format!("{}:{}", file_name(Path::new(&place.file)), place.line)
    }

    fn place(&mut self, (file, address): &(PathBuf, u64)) -> Place {
        let loader = self.loaders.entry(file.clone()).or_insert_with(|| Loader::new(file).ok());
        let location = loader
            .as_ref()
            .and_then(|loader| loader.find_location(*address).ok().flatten())
            .map(|location| Place {
                file: location.file.unwrap_or_default().to_string(),
                line: location.line.unwrap_or(0),
                column: location.column.unwrap_or(0),
            });
        location.unwrap_or_else(|| Place { file: file.display().to_string(), ..Place::default() })
    }
}
