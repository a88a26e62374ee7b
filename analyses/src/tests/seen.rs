//! What native runs show: which kind of trouble, and where.

use nanoscope_explore::{Ending, PathEnd};
use nanoscope_native::whole::{Crash, Ended, Frame, Run};
use nanoscope_program::{FailureFunction, Location};
use nanoscope_report::{Kind, Place, finding_kinds};

/// Trouble, of a kind, at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub kind: Kind,
    pub place: Place,
    /// The function it happened in.
    pub function: String,
    /// The operation, for the finding's name.
    pub operation: String,
    /// An assertion's text, or what exactly is wrong.
    pub what: String,
}

/// Functions that programs define to end a run whose inputs are none of theirs.
const ASSUMPTIONS: &[&str] = &["assume_abort_if_not", "__VERIFIER_assume", "assume"];

/// So deep a stack is one that overflowed.
const DEEP: usize = 60;

/// Everything that went wrong in a native run.
pub(super) fn troubles(run: &Run, sources: &[String]) -> Vec<Seen> {
    let mut list = Vec::new();
    for trouble in &run.troubles {
        let Some(kind) = sanitisers_kind(&trouble.kind) else { continue };
        let Some(frame) = trouble.stack.first() else { continue };
        let what = trouble.kind.replace('-', " ");
        list.push(seen(kind, frame, operation(kind), &what, sources));
    }
    list.extend(ended(run, sources));
    list
}

/// What the end of a native run shows.
fn ended(run: &Run, sources: &[String]) -> Option<Seen> {
    let first = run.stack.first();
    // Inside an error function of the program's own, the call of it is meant.
    let error = run.stack.iter().rposition(|frame| is_error(&frame.function));
    if let (Some(at), Ended::Assertion { .. } | Ended::ErrorCall(_) | Ended::Aborted) =
        (error, &run.ended)
    {
        let name = run.stack[at].function.clone();
        let caller = run.stack.get(at + 1).unwrap_or(&run.stack[at]);
        return Some(seen(Kind::ErrorCall, caller, &name, "", sources));
    }
    match &run.ended {
        Ended::Assertion { text, file, line, function } => {
            let told =
                Frame { function: function.clone(), file: file.clone(), line: *line, column: 0 };
            let frame = first.unwrap_or(&told);
            Some(seen(Kind::AssertionFailure, frame, "assert", text, sources))
        }
        Ended::ErrorCall(name) => Some(seen(Kind::ErrorCall, first?, name, "", sources)),
        Ended::Aborted if ASSUMPTIONS.contains(&first?.function.as_str()) => None,
        Ended::Aborted => Some(seen(Kind::Abort, first?, "abort", "", sources)),
        Ended::Signal(_) => match run.ended.crash()? {
            Crash::Division => Some(seen(Kind::IntegerDivisionByZero, first?, "idiv", "", sources)),
            Crash::Address if run.stack.len() < DEEP => {
                Some(seen(Kind::InvalidDeref, first?, "access", "an invalid address", sources))
            }
            Crash::Trap => Some(seen(Kind::Abort, first?, "trap", "", sources)),
            Crash::Address | Crash::Other => None,
        },
        _ => None,
    }
}

fn seen(kind: Kind, frame: &Frame, operation: &str, what: &str, sources: &[String]) -> Seen {
    let named = sources.iter().find(|source| same_file(source, &frame.file));
    Seen {
        kind,
        place: Place {
            file: named.unwrap_or(&frame.file).clone(),
            line: frame.line,
            column: frame.column,
        },
        function: frame.function.clone(),
        operation: operation.to_owned(),
        what: what.to_owned(),
    }
}

/// What an exploration claims, in the same words; nothing of paths that end well.
pub(super) fn claimed(end: &PathEnd, ours: &dyn Fn(&str) -> bool) -> Option<Seen> {
    let kind = Kind::from_name(end.ending.finding()?)?;
    let what = match &end.ending {
        Ending::AssertionFailure(text) => text.clone(),
        Ending::InvalidDeref(what) | Ending::InvalidFree(what) | Ending::BadCall(what) => {
            what.clone()
        }
        Ending::StackOverflow => "the stack overflows".to_owned(),
        _ => String::new(),
    };
    let of = |function: &str, location: &Location, kind: Kind, operation: &str| Seen {
        kind,
        place: place(location),
        function: function.to_owned(),
        operation: operation.to_owned(),
        what: what.clone(),
    };
    // The stack, innermost first: each function with the place it has come to. A call is told
    // by who is called, and where.
    let mut stack = vec![(end.function.as_str(), &end.location)];
    for (at, (_, call)) in end.calls.iter().enumerate().rev() {
        let caller = at.checked_sub(1).map_or("main", |before| end.calls[before].0.as_str());
        stack.push((caller, call));
    }
    let error = stack.iter().rposition(|(function, _)| is_error(function));
    if let (Some(at), Kind::AssertionFailure | Kind::ErrorCall | Kind::Abort) = (error, kind)
        && let Some((caller, call)) = stack.get(at + 1)
    {
        return Some(of(caller, call, Kind::ErrorCall, stack[at].0));
    }
    if kind == Kind::Abort && ASSUMPTIONS.contains(&end.function.as_str()) {
        return None;
    }
    // What goes wrong in our own library does so in its caller's name.
    let (function, location) = stack
        .iter()
        .find(|(_, location)| location.line > 0 && !ours(&location.file))
        .copied()
        .unwrap_or(stack[0]);
    let operation = match &end.ending {
        Ending::ErrorCall(name) => name.as_str(),
        Ending::Trap => "trap",
        _ => operation(kind),
    };
    Some(of(function, location, kind, operation))
}

/// Whether a call of that function is an error even where the program defines it.
pub(super) fn is_error(function: &str) -> bool {
    FailureFunction::named(function).is_some_and(|known| known.programs_own)
}

/// Whether a function of that name ends runs whose inputs are none of the program's.
pub(super) fn is_assumption(function: &str) -> bool {
    ASSUMPTIONS.contains(&function)
}

/// Whether a native run shows what was claimed.
pub(super) fn agree(claimed: &Seen, seen: &Seen) -> bool {
    claimed.kind == seen.kind
        && claimed.place.line == seen.place.line
        && same_file(&claimed.place.file, &seen.place.file)
}

/// Whether two names mean one file: compilers join folders to names, or do not.
pub(super) fn same_file(a: &str, b: &str) -> bool {
    let plain = |name: &str| name.trim_start_matches("./").to_owned();
    let (a, b) = (plain(a), plain(b));
    a == b || a.ends_with(&format!("/{b}")) || b.ends_with(&format!("/{a}"))
}

pub(super) fn place(location: &Location) -> Place {
    Place { file: location.file.clone(), line: location.line, column: location.column }
}

fn operation(kind: Kind) -> &'static str {
    match kind {
        Kind::AssertionFailure => "assert",
        Kind::ErrorCall => "reach_error",
        Kind::Abort => "abort",
        Kind::InvalidDeref => "access",
        Kind::InvalidFree => "free",
        Kind::IntegerDivisionByZero => "idiv",
        Kind::Overshift => "shift",
        Kind::Unreachable => "unreachable",
        finding_kinds!(Precision, Handling, Exception) => "operation",
    }
}

/// Our word for a sanitiser's; nothing for what is no finding here, such as memory that
/// ran out.
fn sanitisers_kind(kind: &str) -> Option<Kind> {
    let has = |part: &str| kind.contains(part);
    if has("divide-by-zero") || kind == "signed-integer-overflow" {
        Some(Kind::IntegerDivisionByZero)
    } else if has("shift") {
        Some(Kind::Overshift)
    } else if has("unreachable") || has("missing-return") {
        Some(Kind::Unreachable)
    } else if kind == "double-free" || kind == "bad-free" || has("dealloc-mismatch") {
        Some(Kind::InvalidFree)
    } else if ["out-of-memory", "size-too-big", "limit", "alignment"].iter().any(|part| has(part))
        || ["stack-overflow", "calloc-overflow"].contains(&kind)
    {
        None
    } else {
        Some(Kind::InvalidDeref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_file() {
        for (a, b, same) in [
            ("p.c", "p.c", true),
            ("/home/u/p.c", "p.c", true),
            ("./src/p.c", "/home/u/src/p.c", true),
            ("ap.c", "p.c", false),
            ("src/p.c", "lib/p.c", false),
        ] {
            assert_eq!(same_file(a, b), same, "{a} {b}");
        }
    }

    #[test]
    fn sanitisers_words() {
        for (word, kind) in [
            ("heap-buffer-overflow", Some(Kind::InvalidDeref)),
            ("heap-use-after-free", Some(Kind::InvalidDeref)),
            ("null-deref", Some(Kind::InvalidDeref)),
            ("double-free", Some(Kind::InvalidFree)),
            ("integer-divide-by-zero", Some(Kind::IntegerDivisionByZero)),
            ("invalid-shift-exponent", Some(Kind::Overshift)),
            ("unreachable-call", Some(Kind::Unreachable)),
            ("allocation-size-too-big", None),
            ("stack-overflow", None),
        ] {
            assert_eq!(sanitisers_kind(word), kind, "{word}");
        }
    }

    #[test]
    fn an_error_function_of_the_programs_own_is_its_caller() {
        let at = |line| Location { file: "p.c".into(), line, column: 1, ..Location::default() };
        let end = PathEnd {
            ending: Ending::AssertionFailure("0".into()),
            location: at(2),
            function: "reach_error".into(),
            calls: vec![("check".into(), at(20)), ("reach_error".into(), at(9))],
            inputs: Vec::new(),
            new_coverage: false,
            assumptions: Vec::new(),
            trail: None,
        };
        let seen = claimed(&end, &|_| false).expect("it is one");
        assert_eq!((seen.kind, seen.place.line), (Kind::ErrorCall, 9));
        assert_eq!((seen.function.as_str(), seen.operation.as_str()), ("check", "reach_error"));
    }
}
