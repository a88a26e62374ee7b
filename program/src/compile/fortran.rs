//! What a Fortran source includes, defines and uses.
//!
//! flang writes no list of the files it read, and sources with modules compile only
//! after those that define them. Both are read off the text here: line by line, no
//! parsing. A line that only looks like `use` costs a needless look for a file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A source's relations to other files.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Files it includes, directly or not.
    pub included: Vec<PathBuf>,
    /// Modules it uses, in lower case, as their files are called (a submodule's parent
    /// too).
    pub uses: BTreeSet<String>,
    /// Modules it defines, in lower case.
    pub defines: BTreeSet<String>,
}

/// Reads `source` and what it includes from its own folder or `folders`.
pub(super) fn scan(source: &Path, folders: &[PathBuf]) -> Scan {
    let mut scan = Scan::default();
    read(source, folders, &mut scan);
    // What it defines itself, it need not wait for.
    scan.uses = scan.uses.difference(&scan.defines).cloned().collect();
    scan
}

/// An order in which every module is defined before it is used; the given one where
/// that leaves a choice, or where modules use each other in a circle.
pub(super) fn order(scans: &[Scan]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut waiting: Vec<usize> = (0..scans.len()).collect();
    while !waiting.is_empty() {
        let ready = waiting.iter().position(|&i| {
            let missing = |j: usize| j != i && !scans[j].defines.is_disjoint(&scans[i].uses);
            !waiting.iter().any(|&j| missing(j))
        });
        order.push(waiting.remove(ready.unwrap_or(0)));
    }
    order
}

fn read(path: &Path, folders: &[PathBuf], scan: &mut Scan) {
    let Ok(bytes) = std::fs::read(path) else { return };
    // Comments may be in any encoding.
    for line in String::from_utf8_lossy(&bytes).split(['\n', '\r', ';']) {
        match statement(line) {
            Statement::Include(name) => {
                let own = path.parent().unwrap_or(Path::new(""));
                let places = std::iter::once(own).chain(folders.iter().map(PathBuf::as_path));
                let found = places.map(|folder| folder.join(&name)).find(|file| file.is_file());
                if let Some(file) = found.filter(|file| !scan.included.contains(file)) {
                    scan.included.push(file.clone());
                    read(&file, folders, scan);
                }
            }
            Statement::Use(module) => drop(scan.uses.insert(module)),
            Statement::Module(module) => drop(scan.defines.insert(module)),
            Statement::Other => {}
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Statement {
    Include(String),
    Use(String),
    Module(String),
    Other,
}

fn statement(line: &str) -> Statement {
    let line = line.split('!').next().unwrap_or("").trim_start();
    if let Some(directive) = line.strip_prefix('#') {
        let quoted = directive.trim_start().strip_prefix("include").and_then(quoted);
        return quoted.map_or(Statement::Other, Statement::Include);
    }
    let lower = line.to_ascii_lowercase();
    if let Some(rest) = lower.strip_prefix("include") {
        // The file's name keeps its case.
        let quoted = quoted(&line[line.len() - rest.len()..]);
        return quoted.map_or(Statement::Other, Statement::Include);
    }
    if let Some(rest) = lower.strip_prefix("use") {
        // `use m`, `use :: m`, `use, non_intrinsic :: m`; not `used = 1`.
        let name = match rest.split_once("::") {
            Some((_, name)) if rest.starts_with([' ', '\t', ',', ':']) => name,
            Some(_) | None if rest.starts_with([' ', '\t']) => rest,
            Some(_) | None => return Statement::Other,
        };
        return identifier(name).map_or(Statement::Other, Statement::Use);
    }
    if let Some(rest) = lower.strip_prefix("submodule") {
        // submodule (ancestor:parent) name
        let parent = rest.trim_start().strip_prefix('(').and_then(identifier);
        return parent.map_or(Statement::Other, Statement::Use);
    }
    if let Some(rest) = lower.strip_prefix("module").filter(|rest| rest.starts_with([' ', '\t'])) {
        let is_prefix = |word: &String| {
            ["procedure", "function", "subroutine", "pure", "elemental", "recursive"]
                .contains(&word.as_str())
        };
        let name = identifier(rest).filter(|word| !is_prefix(word));
        return name.map_or(Statement::Other, Statement::Module);
    }
    Statement::Other
}

fn identifier(text: &str) -> Option<String> {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

fn quoted(text: &str) -> Option<String> {
    let text = text.trim_start();
    let close = match text.chars().next()? {
        '<' => '>',
        quote @ ('"' | '\'') => quote,
        _ => return None,
    };
    text[1..].split_once(close).map(|(name, _)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_apart() {
        let check = |line: &str, expected| assert_eq!(statement(line), expected, "{line}");
        let named = |name: &str| name.to_owned();
        check("  use Constants, only: pi", Statement::Use(named("constants")));
        check("use, intrinsic :: ieee_arithmetic", Statement::Use(named("ieee_arithmetic")));
        check("use::m", Statement::Use(named("m")));
        check("USE m ! not :: n", Statement::Use(named("m")));
        check("used = 1", Statement::Other);
        check("module Grid", Statement::Module(named("grid")));
        check("module procedure f", Statement::Other);
        check("end module grid", Statement::Other);
        check("submodule (grid:fine) finer", Statement::Use(named("grid")));
        check("      INCLUDE 'Sizes.inc'", Statement::Include(named("Sizes.inc")));
        check("#include \"a.h\"", Statement::Include(named("a.h")));
        check("included = 2", Statement::Other);
    }

    #[test]
    fn modules_come_before_their_users() {
        let of = |defines: &[&str], uses: &[&str]| Scan {
            defines: defines.iter().map(|name| name.to_string()).collect(),
            uses: uses.iter().map(|name| name.to_string()).collect(),
            included: Vec::new(),
        };
        assert_eq!(order(&[of(&[], &["b"]), of(&["b"], &["c"]), of(&["c"], &[])]), [2, 1, 0]);
        assert_eq!(order(&[of(&["a"], &[]), of(&["b"], &["x"])]), [0, 1]);
        assert_eq!(order(&[of(&["a"], &["b"]), of(&["b"], &["a"])]), [0, 1]);
    }
}
