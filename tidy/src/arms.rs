//! Finds the `_ =>` arms of matches over operations.
//!
//! A match is taken to be over operations when its patterns name two or more variants
//! of one of these enumerations: with one, it is an `if let` in other words. That
//! misses variants imported bare; it is a net, not a proof.

const ENUMERATIONS: &[&str] = &["Operation::", "Action::", "Exception::"];

/// The macros whose patterns are families of such variants.
const FAMILIES: &[&str] = &["operations!", "actions!", "exceptions!"];

/// The lines (from 1) of arms that swallow operations, in code without comments and
/// strings.
pub fn swallowed(code: &str) -> Vec<usize> {
    let text: Vec<char> = code.chars().collect();
    let mut lines = Vec::new();
    for at in 0..text.len() {
        if !is_keyword(&text, at, "match") {
            continue;
        }
        let Some(open) = body(&text, at + "match".len()) else { continue };
        let patterns = patterns(&text, open + 1);
        let variants = patterns.iter().map(|(_, pattern)| named(pattern)).sum::<usize>();
        if variants < 2 {
            continue;
        }
        for (start, pattern) in patterns {
            if pattern == "_" || pattern.starts_with("_ if ") {
                lines.push(1 + text[..start].iter().filter(|&&c| c == '\n').count());
            }
        }
    }
    lines
}

fn is_keyword(text: &[char], at: usize, keyword: &str) -> bool {
    let word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || "_#.!".contains(*c));
    let end = at + keyword.len();
    end <= text.len()
        && text[at..end].iter().copied().eq(keyword.chars())
        && !word(at.checked_sub(1).and_then(|before| text.get(before)))
        && !word(text.get(end))
}

/// How many variants a pattern names, its guard aside.
fn named(pattern: &str) -> usize {
    let pattern = pattern.split(" if ").next().unwrap_or_default();
    // The end of another name, as in `UserAction::`, is none.
    let alone = |at: usize| {
        !pattern[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
    };
    let count = |name: &&str| pattern.match_indices(*name).filter(|(at, _)| alone(*at)).count();
    let families: usize = FAMILIES.iter().map(count).sum();
    2 * families + ENUMERATIONS.iter().map(count).sum::<usize>()
}

/// Where the match's `{` is: the first outside brackets.
fn body(text: &[char], from: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, &c) in text.iter().enumerate().skip(from) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(at),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The patterns of the arms from `from` to the closing brace, with where they start.
fn patterns(text: &[char], from: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut depth = 0;
    let mut start = Some(from);
    let mut at = from;
    while at < text.len() {
        match text[at] {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth < 0 {
                    break;
                }
                // An arm whose expression is a block needs no comma.
                if depth == 0 && text[at] == '}' && start.is_none() && !continues(text, at + 1) {
                    start = Some(at + 1);
                }
            }
            ',' if depth == 0 && start.is_none() => start = Some(at + 1),
            '=' if depth == 0 && text.get(at + 1) == Some(&'>') => {
                if let Some(begin) = start.take() {
                    let raw: String = text[begin..at].iter().collect();
                    let blank = |c: char| c.is_whitespace() || c == ',' || c == '|';
                    let skipped = raw.chars().take_while(|&c| blank(c)).count();
                    found.push((begin + skipped, raw.trim_matches(blank).to_string()));
                }
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Whether the expression goes on after a block: `{ … }.method()`, `{ … } else`.
fn continues(text: &[char], from: usize) -> bool {
    let rest: String = text[from..].iter().skip_while(|c| c.is_whitespace()).take(5).collect();
    rest.starts_with(['.', '?', '+', '*', '/', ',']) || rest.starts_with("else ")
}

#[cfg(test)]
mod tests {
    use super::swallowed;

    #[test]
    fn only_wildcards_beside_operations_are_found() {
        for (code, lines) in [
            ("match o { Operation::Add => 1, Operation::Sub => 2, _ => 3 }", vec![1]),
            ("match o { Operation::Add => 1, _ => 2 }", vec![]),
            ("match o { A if x != Operation::B && y != Operation::C => 1, _ => 2 }", vec![]),
            ("match o { Operation::Add => 1, Operation::Sub => 2 }", vec![]),
            ("match n { 1 => 2, _ => 3 }", vec![]),
            (
                "match o {\n Action::Add | Action::Sub => { f() }\n _ if x => 2,\n _ => 3 }",
                vec![3, 4],
            ),
            (
                "match o {\n Operation::Add => match n { 1 => 2, _ => 3 },\n Operation::Sub => 1 }",
                vec![],
            ),
            (
                "match n {\n 1 => match o { Operation::Add | Operation::Sub => 2,\n _ => 3 },\n _ => 4 }",
                vec![3],
            ),
            (
                "match (a, f(|x| { x })) {\n (Operation::Add, Action::X) => if x { 1 } else { 2 },\n _ => 1 }",
                vec![3],
            ),
            ("match t { UserAction::Add | UserAction::Sub => 1, _ => 2 }", vec![]),
            ("rematch!(o) { Operation::Add | Operation::Sub => 1, _ => 2 }", vec![]),
        ] {
            assert_eq!(swallowed(code), lines, "{code}");
        }
    }
}
