//! Findings and verdicts in words, the same in every format for people.

use crate::kinds::Severity;
use crate::{Effect, Exact, Finding, Kind, Note, Outcome, Report, Status, Tally, Verdict};
use std::collections::BTreeMap;
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
];

/// The operation for the caret: `addition`, `call of exp`.
pub(crate) fn operation(name: &str) -> String {
    match row(name) {
        Some((_, noun, _)) => noun.to_string(),
        None => format!("call of {name}"),
    }
}

/// The first line of a finding.
pub(crate) fn headline(finding: &Finding) -> String {
    let result = match row(&finding.operation) {
        Some((_, _, result)) => format!("the {result}"),
        None => format!("the value of {}", finding.operation),
    };
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
    }
}

/// What came of it.
pub(crate) fn effect(finding: &Finding) -> String {
    let details = &finding.details;
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
            Kind::AssertionFailure
            | Kind::ErrorCall
            | Kind::Abort
            | Kind::InvalidDeref
            | Kind::InvalidFree
            | Kind::IntegerDivisionByZero
            | Kind::Overshift
            | Kind::Unreachable => String::new(),
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

/// Why goals are open, the most frequent reason first. Reasons that differ in their
/// figures only are one: `after 10 runs` and `after 30 runs` are `after 10 to 30 runs`.
pub(crate) fn open_reasons(verdicts: &[Verdict]) -> Vec<(String, u64)> {
    let mut groups: BTreeMap<Vec<&str>, (Vec<Extent>, u64)> = BTreeMap::new();
    for verdict in verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Open) {
        let (words, figures) = taken_apart(&verdict.why);
        let (extents, count) = groups.entry(words).or_default();
        *count += 1;
        if extents.is_empty() {
            *extents = figures.iter().map(|&figure| Extent { low: figure, high: figure }).collect();
        }
        for (extent, figure) in extents.iter_mut().zip(figures) {
            extent.low = extent.low.min(figure);
            extent.high = extent.high.max(figure);
        }
    }
    let mut reasons: Vec<(String, u64)> = groups
        .into_iter()
        .map(|(words, (extents, count))| {
            let mut text = words[0].to_string();
            for (extent, words) in extents.iter().zip(&words[1..]) {
                match extent {
                    Extent { low, high } if low == high => put(&mut text, format_args!("{low}")),
                    Extent { low, high } => put(&mut text, format_args!("{low} to {high}")),
                }
                text.push_str(words);
            }
            (text, count)
        })
        .collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    reasons
}

/// The smallest and the largest of some figures.
#[derive(Clone, Copy)]
struct Extent {
    low: u64,
    high: u64,
}

/// The words around the whole numbers of a text, and these: one less than the words.
fn taken_apart(text: &str) -> (Vec<&str>, Vec<u64>) {
    let (mut words, mut figures) = (Vec::new(), Vec::new());
    let mut rest = text;
    let mut from = 0;
    while let Some(at) = rest[from..].find(|c: char| c.is_ascii_digit()) {
        let start = from + at;
        let length =
            rest[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - start);
        // Digits of a name or of a decimal are left where they are.
        let alone = !rest[..start].ends_with(|c: char| c.is_alphanumeric() || "_.".contains(c))
            && !rest[start + length..]
                .starts_with(|c: char| c.is_alphanumeric() || "_.".contains(c));
        match rest[start..start + length].parse() {
            Ok(figure) if alone => {
                words.push(&rest[..start]);
                figures.push(figure);
                rest = &rest[start + length..];
                from = 0;
            }
            Ok(_) | Err(_) => from = start + length,
        }
    }
    words.push(rest);
    (words, figures)
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
    if report.command == "test" {
        return format!("{found}; {}.", paths(report));
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
fn said<'a>(finding: &'a Finding, name: &str) -> &'a str {
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

/// `1 goal`, `2 goals`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
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
            ("after 10 runs", vec!["after ", " runs"], vec![10]),
            ("3", vec!["", ""], vec![3]),
            ("2 of 5", vec!["", " of ", ""], vec![2, 5]),
            ("the limit of 0.5 s in norm2", vec!["the limit of 0.5 s in norm2"], vec![]),
            ("norm2, 7 times", vec!["norm2, ", " times"], vec![7]),
        ] {
            assert_eq!(taken_apart(text), (words, figures), "{text}");
        }
    }
}
