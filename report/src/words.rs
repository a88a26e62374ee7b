//! Findings and verdicts in words, the same in every format for people.

pub(crate) mod advice;
pub(crate) mod handling;
pub(crate) mod precision;

use crate::kinds::Severity;
use crate::{
    Effect, Exact, Finding, Kind, Note, Number, Outcome, Raised, Report, Status, Story, Tally,
    Verdict, finding_kinds,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The operation as a noun, and its result as one: `fadd` is an "addition" that
/// makes a "sum". What is not listed is a function of the mathematical library.
const OPERATIONS: &[(&str, &str, &str)] = &[
    ("fadd", "addition", "sum"),
    ("fsub", "subtraction", "difference"),
    ("fmul", "multiplication", "product"),
    ("fdiv", "division", "quotient"),
    ("frem", "remainder", "remainder"),
    ("fma", "fused multiply-add", "fused product and sum"),
    ("sqrt", "square root", "square root"),
    ("fptrunc", "conversion to a narrower format", "converted value"),
    ("fpext", "conversion to a wider format", "converted value"),
    ("fptosi", "conversion to a signed integer", "integer"),
    ("fptoui", "conversion to an unsigned integer", "integer"),
    ("sitofp", "conversion from a signed integer", "converted value"),
    ("add", "addition of integers", "sum"),
    ("sub", "subtraction of integers", "difference"),
    ("mul", "multiplication of integers", "product"),
    ("trunc", "conversion to a narrower integer", "integer"),
    ("uitofp", "conversion from an unsigned integer", "converted value"),
    ("assert", "assertion", "condition"),
    ("access", "memory access", "value"),
    ("idiv", "integer division", "quotient"),
    ("shift", "shift", "shifted value"),
    ("unreachable", "code promised never to run", "code"),
    ("trap", "trap", "trap"),
    ("fcmp", "comparison", "comparison"),
    ("return", "result", "result"),
];

/// The operation for the caret: `addition`, `call of exp`.
pub(crate) fn operation(name: &str) -> String {
    match row(name) {
        Some((_, noun, _)) => noun.to_string(),
        None => format!("call of {name}"),
    }
}

/// What an operation gives: `the sum`, `the value of exp`.
fn result_of(operation: &str) -> String {
    match row(operation) {
        Some((_, _, result)) => format!("the {result}"),
        None => format!("the value of {operation}"),
    }
}

/// The first line of a story.
pub(crate) fn born(birth: &Raised, finding: &Finding) -> String {
    if birth.kind == finding.kind && birth.place == finding.place {
        return headline(finding);
    }
    let result = result_of(&birth.operation);
    match birth.kind {
        Kind::Overflow => format!("{result} is too large for its format"),
        Kind::Underflow => format!("{result} is too small for a normal number"),
        Kind::DivideByZero => format!("{result} is infinite"),
        Kind::Invalid => format!("{result} is undefined: a NaN is born here"),
        Kind::ConversionOutOfRange => "the integer type cannot hold the value".to_string(),
        Kind::IntegerOverflow => format!("{result} does not fit its type"),
        other => format!("{}: {}", other.name(), operation(&birth.operation)),
    }
}

/// What a story's input gave, and what it should have given: of several outputs, those that differ.
pub(crate) fn came_of(finding: &Finding) -> String {
    if !finding.kind.is_exception() {
        return effect(finding);
    }
    const OUTPUTS: usize = 3;
    let harm = finding.details.harm.as_ref();
    let exact_of = |output: &Number| harm?.exact.iter().find(|exact| exact.name == output.name);
    let differs = |output: &&Number| {
        output.is_exceptional()
            || exact_of(output).is_some_and(|exact| exact.error.unwrap_or(1.0) > 1e-6)
    };
    let outputs = &finding.details.outputs;
    let some: Vec<&Number> = match outputs.iter().any(|output| differs(&output)) {
        true => outputs.iter().filter(differs).take(OUTPUTS).collect(),
        false => outputs.iter().take(OUTPUTS).collect(),
    };
    let list: Vec<String> =
        some.iter().map(|output| format!("{} = {}", output.name, output.value)).collect();
    let gives = match (&finding.details.ended, list.as_slice()) {
        (Some(ended), _) => format!("does not return ({ended})"),
        (None, []) => "what it gives was not observed".to_string(),
        (None, list) => format!("gives {}", list.join(", ")),
    };
    let Some(harm) = harm else { return gives };
    let named = |exact: &&Exact| some.iter().any(|output| output.name == exact.name);
    let exact: Vec<String> =
        harm.exact.iter().filter(|exact| some.is_empty() || named(exact)).map(exact).collect();
    let exact = exact.join(", ");
    match harm.effect {
        Effect::SilentlyWrong => format!("{gives}: silently wrong; exactly, {exact}"),
        Effect::Spoilt => format!("{gives}; exactly, {exact}"),
        Effect::NoReturn if exact.is_empty() => gives,
        Effect::NoReturn => format!("{gives}; exactly, {exact}"),
        Effect::Undefined => format!("{gives}: {}", harm.why),
        Effect::Unclassified => format!("{gives}; unclassified: {}", harm.why),
        Effect::Unavoidable if has_no_number(&harm.exact) => {
            format!("{gives}; exact arithmetic has no number for it either")
        }
        Effect::Unavoidable => format!("{gives}; out of range in exact arithmetic too"),
        Effect::Reported => format!("{gives}, and reports an error"),
        Effect::Harmless => format!("{gives}, which is right"),
    }
}

/// Whether an exact value is undefined or at a pole.
fn has_no_number(exact: &[Exact]) -> bool {
    exact.iter().any(|exact| {
        let value = exact.value.trim_start_matches(['-', '+']);
        ["nan", "inf"].iter().any(|word| value.to_ascii_lowercase().starts_with(word))
    })
}

/// By which other kinds of exception the runs of a story begin: `also invalid, overflow`.
pub(crate) fn also(story: &Story) -> Option<String> {
    let others: Vec<&str> = story
        .kinds
        .iter()
        .filter(|kind| **kind != story.birth.kind)
        .map(|kind| kind.name())
        .collect();
    (!others.is_empty()).then(|| format!("also {}", others.join(", ")))
}

/// What else happened in the run of a story, and where else it was seen.
pub(crate) fn course(story: &Story, finding: &Finding) -> Option<String> {
    const THEN: usize = 3;
    let mut parts = Vec::new();
    let run = &finding.details.run;
    let after = run.iter().skip_while(|raised| **raised != story.birth).skip(1);
    let mut after: Vec<String> = after
        .map(|raised| format!("{} in line {}", raised.kind.name(), raised.place.line))
        .collect();
    let mut told = BTreeSet::new();
    after.retain(|one| told.insert(one.clone()));
    if !after.is_empty() {
        let mut text = format!("then {}", after[..after.len().min(THEN)].join(", "));
        if after.len() > THEN {
            put(&mut text, format_args!(" and {} more", after.len() - THEN));
        }
        parts.push(text);
    }
    if story.findings.len() > 1 {
        let mut text = plural(story.findings.len() as u64, "finding");
        if story.lines.len() > 1 {
            let lines: Vec<String> = story.lines.iter().map(u32::to_string).collect();
            put(&mut text, format_args!(", born in lines {}", lines.join(", ")));
        }
        if let Some(also) = also(story) {
            put(&mut text, format_args!(", {also}"));
        }
        parts.push(text);
    }
    let others: Vec<&str> = story.functions.iter().map(String::as_str).collect();
    let others: Vec<&str> =
        others.into_iter().filter(|function| *function != finding.function).collect();
    match others.as_slice() {
        [] => {}
        [one] => parts.push(format!("also through {one}")),
        several => {
            parts.push(format!("also through {} and {} more", several[0], several.len() - 1))
        }
    }
    if let Some(build) = build(finding) {
        parts.push(format!("seen in a build {build}"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The first line of a finding.
pub(crate) fn headline(finding: &Finding) -> String {
    let result = result_of(&finding.operation);
    let format = match &finding.details.computed {
        Some(computed) if !computed.type_name.is_empty() => format!("a {}", computed.type_name),
        Some(_) | None => "its format".to_string(),
    };
    match finding.kind {
        Kind::Overflow => format!("{result} is too large for {format}"),
        Kind::Underflow => format!("{result} is too small for a normal number"),
        Kind::DivideByZero if finding.operation == "fdiv" => {
            "a non-zero number is divided by zero".to_string()
        }
        Kind::DivideByZero => format!("{result} is infinite: the operand is a pole"),
        Kind::Invalid => format!("{result} is undefined: a NaN is born here"),
        Kind::ConversionOutOfRange => "the integer type cannot hold the value".to_string(),
        Kind::IntegerOverflow => match &finding.details.computed {
            Some(computed) => format!("{result} does not fit its type, {}", computed.type_name),
            None => format!("{result} does not fit its type"),
        },
        Kind::AssertionFailure => match said(finding, "assertion") {
            "" => "the assertion fails".to_string(),
            text => format!("the assertion `{text}` fails"),
        },
        Kind::ErrorCall => format!("{} is called", finding.operation),
        Kind::Abort => "the program aborts".to_string(),
        Kind::InvalidDeref => match said(finding, "what") {
            "" => "memory is accessed where there is none to be".to_string(),
            what => what.to_string(),
        },
        Kind::InvalidFree => match said(finding, "what") {
            "" => "memory is freed that cannot be".to_string(),
            what => what.to_string(),
        },
        Kind::IntegerDivisionByZero => {
            "an integer is divided by zero, or the quotient does not fit".to_string()
        }
        Kind::Overshift => "a shift by the width or more, or by less than nothing".to_string(),
        Kind::Unreachable => {
            "control comes to where the compiler was told it cannot come".to_string()
        }
        Kind::PrecisionLoss | Kind::Cancellation => {
            let what = match said(finding, "output") {
                "" => result,
                output => format!("`{output}`"),
            };
            let error = precision::short(said(finding, "relative"));
            match (finding.kind, &finding.details.computed) {
                (Kind::Cancellation, _) => {
                    format!("{what} is mostly rounding error (relative error {error})")
                }
                (_, Some(computed)) if computed.is_nan() => {
                    format!("{what} is a NaN where it should be {}", said(finding, "exact"))
                }
                (_, Some(computed)) if computed.is_infinite() => {
                    format!("{what} is infinite where it should be {}", said(finding, "exact"))
                }
                (_, _) => format!("{what} is wrong: relative error {error}"),
            }
        }
        Kind::UnstableBranch => {
            "rounding decides this comparison: real numbers decide it the other way".to_string()
        }
        Kind::SwallowedException => said(finding, "what").to_string(),
        Kind::UnstableConversion => format!(
            "rounding decides this integer: {} instead of {}",
            said(finding, "integer"),
            said(finding, "exact")
        ),
    }
}

/// What came of it.
pub(crate) fn effect(finding: &Finding) -> String {
    let details = &finding.details;
    if finding.kind.is_precision() {
        return precision::effect(finding);
    }
    if !finding.kind.is_exception() {
        let ended = details.ended.as_deref().unwrap_or("showed it");
        return format!("run natively, the program {ended}");
    }
    if let Some(ended) = &details.ended {
        return format!("the function did not return ({ended})");
    }
    let spoilt: Vec<_> = details.outputs.iter().filter(|output| output.is_exceptional()).collect();
    let names = spoilt.iter().map(|output| output.name.as_str()).collect::<Vec<_>>().join(", ");
    let noun = match (spoilt.iter().any(|n| n.is_nan()), spoilt.iter().any(|n| n.is_infinite())) {
        (true, true) => "NaN and infinity",
        (true, false) => "a NaN",
        (false, _) => "an infinity",
    };
    if !spoilt.is_empty() {
        format!("{noun} reached the result ({names})")
    } else if details.outputs.is_empty() {
        "what the function gives back was not observed".to_string()
    } else {
        match finding.kind {
            Kind::Overflow | Kind::DivideByZero => {
                "the infinity did not reach the result: an ordinary number hides it".to_string()
            }
            Kind::Invalid => {
                "the NaN did not reach the result: an ordinary number hides it".to_string()
            }
            Kind::Underflow => "no NaN or infinity reached the result".to_string(),
            Kind::ConversionOutOfRange => {
                "the integer used instead depends on machine and compiler".to_string()
            }
            Kind::IntegerOverflow => "the integer that was meant is lost".to_string(),
            finding_kinds!(Precision, Handling, Failure) => String::new(),
        }
    }
}

/// How the build differs from the user's that showed it, where it does.
pub(crate) fn build(finding: &Finding) -> Option<String> {
    let flag = said(finding, BUILD);
    (!flag.is_empty()).then(|| format!("with {flag}: the optimised code did not show it"))
}

/// Where the details keep the flag of the build that showed a finding.
pub(crate) const BUILD: &str = "build";

/// How that compares with exact arithmetic, where it was judged.
pub(crate) fn harm(finding: &Finding) -> Option<String> {
    let harm = finding.details.harm.as_ref()?;
    let exact: Vec<String> = harm.exact.iter().map(exact).collect();
    let exact = exact.join(", ");
    let avoidable = match harm.avoidable {
        Some(true) => "; the exception is potentially avoidable",
        Some(false) | None => "",
    };
    Some(match harm.effect {
        Effect::SilentlyWrong => format!("silently wrong: exactly, {exact}{avoidable}"),
        Effect::Spoilt => format!("the exact result is an ordinary number: {exact}{avoidable}"),
        Effect::NoReturn if exact.is_empty() => return None,
        Effect::NoReturn => format!("in exact arithmetic it returns: {exact}{avoidable}"),
        Effect::Undefined => format!("undefined: {}", harm.why),
        Effect::Unclassified => format!("unclassified: {}", harm.why),
        Effect::Unavoidable => format!("the exact result is no ordinary number either: {exact}"),
        Effect::Reported => {
            format!("the function reports an error: {} does not hold{avoidable}", harm.why)
        }
        Effect::Harmless if exact.is_empty() => "harmless".to_string(),
        Effect::Harmless => format!("harmless: the result agrees with the exact one, {exact}"),
    })
}

/// `return = 1.5 (relative error 0.25)`.
fn exact(exact: &Exact) -> String {
    match exact.error {
        Some(error) if error > 1e-6 => {
            format!("{} = {} (relative error {error:.1e})", exact.name, exact.value)
        }
        Some(_) | None => format!("{} = {}", exact.name, exact.value),
    }
}

/// Findings by effect, counted, the worst first; nothing where none was judged.
pub(crate) fn harms(report: &Report) -> Option<String> {
    let count = |effect: Effect| {
        let judged = report.findings.iter().filter_map(|finding| finding.details.harm.as_ref());
        judged.filter(|harm| harm.effect == effect).count()
    };
    let parts: Vec<String> = Effect::ALL
        .into_iter()
        .filter(|&effect| count(effect) > 0)
        .map(|effect| format!("{} {}", count(effect), effect.words()))
        .collect();
    (!parts.is_empty()).then(|| format!("By harm: {}.", parts.join(", ")))
}

/// Functions in the order of their first findings.
pub(crate) fn by_function(findings: &[Finding]) -> Vec<(&str, Vec<&Finding>)> {
    let mut groups: Vec<(&str, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        match groups.iter_mut().find(|(function, _)| *function == finding.function) {
            Some((_, group)) => group.push(finding),
            None => groups.push((&finding.function, vec![finding])),
        }
    }
    groups
}

/// Goals by kind, then all of them; kinds that were not asked about are left out.
pub(crate) fn tallies(report: &Report) -> Vec<(&'static str, Tally)> {
    let of = |kind: Kind| Tally::of(report.verdicts.iter().filter(|v| v.kind == kind));
    let mut rows: Vec<_> = Kind::ALL.iter().map(|&kind| (kind.name(), of(kind))).collect();
    rows.retain(|(_, tally)| tally.total > 0);
    rows.push(("all", report.goals));
    rows
}

/// Why goals are open, the most frequent reason first: what ended the work, not how near it came.
/// Reasons that differ in their figures only are one: `after 10 runs` and `after 30 runs` are
/// `after 10 to 30 runs`.
pub(crate) fn open_reasons(verdicts: &[Verdict]) -> Vec<(String, u64)> {
    let mut groups: BTreeMap<Vec<&str>, (Vec<Extent<'_>>, u64)> = BTreeMap::new();
    for verdict in verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Open) {
        let (words, figures) = taken_apart(what_ended(&verdict.why));
        let (extents, count) = groups.entry(words).or_default();
        *count += 1;
        if extents.is_empty() {
            *extents = figures.iter().map(|&figure| Extent { low: figure, high: figure }).collect();
        }
        for (extent, figure) in extents.iter_mut().zip(figures) {
            if figure.size < extent.low.size {
                extent.low = figure;
            }
            if figure.size > extent.high.size {
                extent.high = figure;
            }
        }
    }
    let mut reasons: Vec<(String, u64)> = groups
        .into_iter()
        .map(|(words, (extents, count))| {
            let mut text = words[0].to_string();
            for (extent, words) in extents.iter().zip(&words[1..]) {
                match extent {
                    Extent { low, high } if low.text == high.text => text.push_str(low.text),
                    Extent { low, high } => {
                        put(&mut text, format_args!("{} to {}", low.text, high.text));
                    }
                }
                text.push_str(words);
            }
            (text, count)
        })
        .collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    reasons
}

/// A reason without what was seen before the work ended, which differs from goal to goal.
fn what_ended(why: &str) -> &str {
    match why.split_once("; ") {
        Some((seen, ended)) if seen.starts_with("not seen to happen") => ended,
        Some(_) | None => why,
    }
}

/// The smallest and the largest of some figures.
#[derive(Clone, Copy)]
struct Extent<'a> {
    low: Figure<'a>,
    high: Figure<'a>,
}

/// A number in a sentence, as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Figure<'a> {
    text: &'a str,
    size: f64,
}

/// The words around the numbers of a text, and these: one less than the words.
fn taken_apart(text: &str) -> (Vec<&str>, Vec<Figure<'_>>) {
    let (mut words, mut figures) = (Vec::new(), Vec::new());
    let mut rest = text;
    let mut from = 0;
    while let Some(at) = rest[from..].find(|c: char| c.is_ascii_digit()) {
        let mut start = from + at;
        let length = numeral(&rest[start..]);
        let end = start + length;
        // Digits of a name are left where they are.
        let alone = !rest[..start].ends_with(|c: char| c.is_alphanumeric() || "_.".contains(c))
            && !rest[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if alone
            && rest[..start].ends_with('-')
            && !rest[..start - 1].ends_with(char::is_alphanumeric)
        {
            start -= 1;
        }
        match rest[start..end].parse() {
            Ok(size) if alone => {
                words.push(&rest[..start]);
                figures.push(Figure { text: &rest[start..end], size });
                rest = &rest[end..];
                from = 0;
            }
            Ok(_) | Err(_) => from = end,
        }
    }
    words.push(rest);
    (words, figures)
}

/// The length of the numeral that a text starts with: `12`, `0.5`, `1e+300`.
fn numeral(text: &str) -> usize {
    let digits = |from: usize| {
        let rest = &text[from..];
        from + rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())
    };
    let mut end = digits(0);
    if text[end..].starts_with('.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if let Some(exponent) = text[end..].strip_prefix('e') {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let start = end + 1 + sign;
        if digits(start) > start {
            end = digits(start);
        }
    }
    end
}

/// The sentence to remember. Nothing found is not proved absent, and says so.
pub(crate) fn conclusion(report: &Report) -> String {
    let count = |wanted| {
        report.findings.iter().filter(|finding| finding.severity() == wanted).count() as u64
    };
    let found = match report.findings.len() as u64 {
        0 => "Nothing found".to_string(),
        total => {
            let by_severity: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
                .into_iter()
                .filter(|&severity| count(severity) > 0)
                .map(|severity| plural(count(severity), severity.word()))
                .collect();
            format!("{}: {}", plural(total, "finding"), by_severity.join(", "))
        }
    };
    let found = match report.suppressed.len() as u64 {
        0 => found,
        allowed => format!("{found} ({allowed} suppressed)"),
    };
    if report.command == "test" {
        return format!("{found}; {}.", paths(report));
    }
    if let Some(handling) = &report.handling {
        let spoofs: u64 = handling.functions.iter().map(|f| f.input_spoofs + f.result_spoofs).sum();
        let functions = plural(handling.functions.len() as u64, "function");
        return format!("{found}; {} in {functions}.", plural(spoofs, "spoof"));
    }
    let rest = match (report.goals.total, report.goals.open) {
        (0, _) => "there was nothing to ask".to_string(),
        (_, 0) => "every goal is settled".to_string(),
        (_, open) => format!("{} open, neither shown nor excluded", plural_goals(open)),
    };
    format!("{found}; {rest}.")
}

/// What a test run can say of the paths it did not see.
fn paths(report: &Report) -> &'static str {
    let cut_short = report.notes.iter().any(|note| note.text.starts_with("not every path"));
    match (report.status, report.findings.is_empty()) {
        (Status::Exhausted, _) if cut_short => {
            "not every path was followed to its end, but it is proved that nothing can go wrong, as \
             far as the model goes"
        }
        (Status::Exhausted, true) => {
            "every path was followed to its end: nothing can go wrong, as far as the model goes"
        }
        (Status::Exhausted, false) => {
            "every path was followed to its end: nothing else can go wrong, as far as the model \
             goes"
        }
        (Status::Stopped, _) => "not every path was followed to its end: more may go wrong",
    }
}

/// What the details say under a name.
pub(crate) fn said<'a>(finding: &'a Finding, name: &str) -> &'a str {
    finding.details.more.get(name).and_then(|value| value.as_str()).unwrap_or("")
}

fn plural_goals(count: u64) -> String {
    format!("{} {}", plural(count, "goal"), if count == 1 { "is" } else { "are" })
}

/// `mean (mean.c:3): …`, as far as it is known.
pub(crate) fn note(note: &Note) -> String {
    let place = match (note.place.file.as_str(), note.place.line) {
        ("", _) => String::new(),
        (file, 0) => file.to_string(),
        (file, line) => format!("{file}:{line}"),
    };
    match (note.function.as_str(), place.as_str()) {
        ("", "") => note.text.clone(),
        ("", place) => format!("{place}: {}", note.text),
        (function, "") => format!("{function}: {}", note.text),
        (function, place) => format!("{function} ({place}): {}", note.text),
    }
}

/// `1 goal`, `2 goals`, `3 stories`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

/// Appends formatted text.
pub(crate) fn put(out: &mut String, text: std::fmt::Arguments) {
    out.write_fmt(text).expect("a string takes everything");
}

fn row(name: &str) -> Option<(&'static str, &'static str, &'static str)> {
    OPERATIONS.iter().copied().find(|(operation, _, _)| *operation == name)
}

#[cfg(test)]
mod tests {
    use super::taken_apart;

    #[test]
    fn figures_are_told_from_names() {
        for (text, words, figures) in [
            ("after 10 runs", vec!["after ", " runs"], vec!["10"]),
            ("3", vec!["", ""], vec!["3"]),
            ("2 of 5", vec!["", " of ", ""], vec!["2", "5"]),
            ("the limit of 0.5 s in norm2", vec!["the limit of ", " s in norm2"], vec!["0.5"]),
            ("norm2, 7 times", vec!["norm2, ", " times"], vec!["7"]),
            ("up to -1.5e+308.", vec!["up to ", "."], vec!["-1.5e+308"]),
            ("x-1 is 1e5", vec!["x-", " is ", ""], vec!["1", "1e5"]),
        ] {
            let (found, numbers) = taken_apart(text);
            let numbers: Vec<&str> = numbers.iter().map(|figure| figure.text).collect();
            assert_eq!((found, numbers), (words, figures), "{text}");
        }
    }
}
