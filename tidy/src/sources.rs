//! What a source file must not hold.

use crate::Complaint;
use crate::arms::swallowed;
use crate::code::code_only;
use crate::rooms::Unsafe;

/// A file beyond this holds two ideas.
const LONGEST: usize = 900;

/// Macros that are never committed, and why.
const MACROS: &[(&str, &str)] = &[
    ("todo", "not written yet"),
    ("unimplemented", "not written yet"),
    ("dbg", "left over from debugging"),
];

/// Attributes that are never committed, and why.
const ATTRIBUTES: &[(&str, &str)] =
    &[("ignore", "an ignored test checks nothing: assert what happens today and say fixme")];

/// Checks a file of a room.
pub fn check(name: &str, source: &str, unsafe_code: Unsafe) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let lines = source.lines().count();
    if lines > LONGEST {
        complaints.push(Complaint {
            place: name.to_string(),
            what: format!("{lines} lines, more than {LONGEST}: which two ideas does it hold?"),
        });
    }
    if !name.ends_with(".rs") {
        return complaints;
    }
    let code = code_only(source);
    // Unit tests stand at the end of a file.
    let tests_from = code.lines().position(|line| line.contains("#[cfg(test)]"));
    let in_tests = |index: usize| {
        name.contains("/tests/")
            || name.ends_with("/tests.rs")
            || tests_from.is_some_and(|from| index > from)
    };
    for (index, line) in code.lines().enumerate() {
        let mut complain = |what: String| {
            complaints.push(Complaint { place: format!("{name}:{}", index + 1), what });
        };
        let macros = MACROS.iter().map(|(name, why)| (format!("{name}!("), why));
        let attributes = ATTRIBUTES.iter().map(|(name, why)| (format!("#[{name}"), why));
        for (text, why) in macros.chain(attributes) {
            if line.contains(&text) {
                complain(format!("`{text}`: {why}"));
            }
        }
        let allowed = match unsafe_code {
            Unsafe::Yes => true,
            Unsafe::Tests => in_tests(index),
            Unsafe::No => false,
        };
        if !allowed && has_word(line, "unsafe") {
            complain("`unsafe` in a room where ARCHITECTURE.md does not allow it".to_string());
        }
    }
    // A test may look at some operations only, and so may code that says what any other
    // means.
    let lines: Vec<&str> = source.lines().collect();
    let excused = |line: usize| {
        let above = lines[line.saturating_sub(2)];
        above.trim_start().starts_with("// Any other") || lines[line - 1].contains("// Any other")
    };
    let arms = swallowed(&code).into_iter();
    for line in arms.filter(|&line| !in_tests(line - 1) && !excused(line)) {
        complaints.push(Complaint {
            place: format!("{name}:{line}"),
            what: "a `_ =>` arm swallows operations: name them, so that a new one is noticed, or \
                   say `// Any other …` and why"
                .to_string(),
        });
    }
    complaints
}

fn has_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use crate::rooms::Unsafe;

    /// The lines complained about, `0` standing for the file.
    #[track_caller]
    fn check(name: &str, source: &str, unsafe_code: Unsafe, expected: &[usize]) {
        let lines: Vec<usize> = super::check(name, source, unsafe_code)
            .iter()
            .map(|c| c.place.split_once(':').map_or(0, |(_, line)| line.parse().expect("a line")))
            .collect();
        assert_eq!(lines, expected, "{source}");
    }

    #[test]
    fn forbidden_words_are_found_in_code_only() {
        for (name, _) in super::MACROS {
            let source = format!("{name}!()\n// {name}!()\nconst S: &str = \"{name}!(\";\n");
            check("a/src/b.rs", &source, Unsafe::No, &[1]);
            check("a/src/b.c", &source, Unsafe::No, &[]);
        }
        for (name, _) in super::ATTRIBUTES {
            let source = format!("#[{name}]\n#[{name} = \"slow\"]\n#[test]\n");
            check("a/src/b.rs", &source, Unsafe::No, &[1, 2]);
        }
    }

    #[test]
    fn unsafe_stands_where_it_may() {
        let source = "unsafe {}\nlet unsafe_code = 1;\n#[cfg(test)]\nmod t {\n    unsafe {}\n}\n";
        check("a/src/b.rs", source, Unsafe::Yes, &[]);
        check("a/src/b.rs", source, Unsafe::Tests, &[1]);
        check("a/src/b.rs", source, Unsafe::No, &[1, 5]);
        check("a/tests/b.rs", source, Unsafe::Tests, &[]);
    }

    #[test]
    fn files_have_an_end() {
        check("a/src/b.c", &"x\n".repeat(900), Unsafe::No, &[]);
        check("a/src/b.c", &"x\n".repeat(901), Unsafe::No, &[0]);
    }

    #[test]
    fn operations_are_not_swallowed() {
        let source = "match o {\n    Operation::Add | Operation::Sub => 1,\n    _ => 2,\n}";
        check("a/src/b.rs", source, Unsafe::No, &[3]);
        check("a/tests/b.rs", source, Unsafe::No, &[]);
        let excused = source.replace("    _ =>", "    // Any other is safe.\n    _ =>");
        check("a/src/b.rs", &excused, Unsafe::No, &[]);
    }
}
