//! Modules of a room that use each other in a circle.
//!
//! A module uses what it names by `crate::…` or `super::…`, outside of its tests. A module and
//! the ones inside it are one: a parent that hands on its children's names is no circle.

use crate::Complaint;
use crate::code::code_only;
use std::collections::{BTreeMap, BTreeSet};

/// A module's path within its crate, empty for the crate itself.
type Path = Vec<String>;

/// Complains about every circle of a room, whose files are given by their path within `src`.
pub fn check(room: &str, files: &[(String, String)]) -> Vec<Complaint> {
    let modules: BTreeMap<Path, String> = files
        .iter()
        .filter_map(|(name, source)| Some((module(name)?, without_tests(&code_only(source)))))
        .collect();
    let uses: BTreeMap<&Path, BTreeSet<&Path>> = modules
        .iter()
        .map(|(here, code)| {
            let named = named(here, code).into_iter().filter_map(|path| nearest(&modules, path));
            (here, named.filter(|there| !related(here, there)).collect())
        })
        .collect();
    let mut seen: BTreeSet<&Path> = BTreeSet::new();
    let mut complaints = Vec::new();
    for start in modules.keys() {
        if seen.contains(start) {
            continue;
        }
        let reached = reachable(&uses, start);
        let circle: Vec<&Path> = reached
            .iter()
            .copied()
            .filter(|other| *other != start && reachable(&uses, other).contains(start))
            .collect();
        if circle.is_empty() {
            continue;
        }
        seen.extend(circle.iter().copied());
        let names: Vec<String> =
            std::iter::once(start).chain(circle).map(|path| path.join("::")).collect();
        complaints.push(Complaint {
            place: room.to_string(),
            what: format!("modules that use each other in a circle: {}", names.join(", ")),
        });
    }
    complaints
}

/// The module that a file is; none of a test's.
fn module(name: &str) -> Option<Path> {
    let mut parts: Path = name.strip_suffix(".rs")?.split('/').map(str::to_string).collect();
    if parts.iter().any(|part| part == "tests") {
        return None;
    }
    if matches!(parts.last()?.as_str(), "mod" | "lib" | "main") {
        parts.pop();
    }
    Some(parts)
}

/// Code without the module of unit tests at its end.
fn without_tests(code: &str) -> String {
    let tests = code.find("#[cfg(test)]\nmod tests {").unwrap_or(code.len());
    code[..tests].to_string()
}

/// Every path that code of a module names, from the crate on; a list in braces is a path each.
fn named(here: &Path, code: &str) -> Vec<Path> {
    let mut found = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for start in ["crate", "super"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| is_word(c) || c == ':' || c == '$') {
                continue;
            }
            let mut base = if start == "crate" { Vec::new() } else { parent(here) };
            let mut rest = &code[at + start.len()..];
            while let Some(further) = rest.strip_prefix("::super") {
                base = parent(&base);
                rest = further;
            }
            follow(&base, rest, &mut found);
        }
    }
    found
}

fn parent(path: &Path) -> Path {
    path[..path.len().saturating_sub(1)].to_vec()
}

/// The paths that `::a::b` or `::a::{b, c}` names.
fn follow(base: &Path, text: &str, found: &mut Vec<Path>) {
    let mut path = base.clone();
    let mut rest = text;
    while let Some(further) = rest.strip_prefix("::") {
        if let Some(list) = further.strip_prefix('{') {
            for item in items(list) {
                follow(&path, &format!("::{}", item.trim()), found);
            }
            return;
        }
        let end = further.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(further.len());
        if end == 0 {
            break;
        }
        path.push(further[..end].to_string());
        rest = &further[end..];
    }
    found.push(path);
}

/// The items of a list up to its closing brace.
fn items(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                found.push(&list[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// The module that a path leads to or into.
fn nearest(modules: &BTreeMap<Path, String>, mut path: Path) -> Option<&Path> {
    while !path.is_empty() {
        if let Some((module, _)) = modules.get_key_value(&path) {
            return Some(module);
        }
        path.pop();
    }
    None
}

/// Whether one is the other, or inside it.
fn related(a: &Path, b: &Path) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

fn reachable<'a>(
    uses: &BTreeMap<&'a Path, BTreeSet<&'a Path>>,
    start: &'a Path,
) -> BTreeSet<&'a Path> {
    let mut reached = BTreeSet::new();
    let mut next = vec![start];
    while let Some(here) = next.pop() {
        for there in uses.get(here).into_iter().flatten() {
            if reached.insert(*there) {
                next.push(there);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let files: Vec<(String, String)> =
            files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        let complaints = super::check("room", &files);
        let circles: Vec<&str> =
            complaints.iter().filter_map(|it| it.what.split(": ").nth(1)).collect();
        assert_eq!(circles, expected);
    }

    #[test]
    fn circles_are_found() {
        check(&[("a.rs", "use crate::b::B;"), ("b.rs", "fn f() {}")], &[]);
        check(&[("a.rs", "use crate::b::B;"), ("b.rs", "fn f() { crate::a::g() }")], &["a, b"]);
        check(
            &[("a.rs", "use crate::{b, c::C};"), ("b.rs", ""), ("c.rs", "use super::a;")],
            &["a, c"],
        );
        check(
            &[
                ("a/x.rs", "use super::y::Y;"),
                ("a/y.rs", "use super::z;"),
                ("a/z.rs", "use super::x;"),
            ],
            &["a::x, a::y, a::z"],
        );
    }

    #[test]
    fn parents_comments_and_tests_are_none() {
        check(&[("a/mod.rs", "pub use x::X;"), ("a/x.rs", "use super::helper;")], &[]);
        check(&[("a.rs", "use crate::b;"), ("b.rs", "// crate::a\nfn f() {}")], &[]);
        check(
            &[
                ("a.rs", "use crate::b;"),
                ("b.rs", "#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n"),
            ],
            &[],
        );
        check(&[("a.rs", "use crate::b;"), ("b/tests.rs", "use crate::a;"), ("b.rs", "")], &[]);
    }
}
