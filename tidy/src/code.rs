//! Source text with its comments, strings and characters blanked, so that a search
//! for a word finds code only. Lines keep their numbers and columns in characters.

/// Blanks what is not code, in Rust or in C.
pub fn code_only(source: &str) -> String {
    let text: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < text.len() {
        let end = match text[at] {
            '/' if text.get(at + 1) == Some(&'/') => line_end(&text, at),
            '/' if text.get(at + 1) == Some(&'*') => comment_end(&text, at),
            '"' => string_end(&text, at),
            'r' if !after_word(&text, at) => raw_string_end(&text, at).unwrap_or(at),
            '\'' => character_end(&text, at).unwrap_or(at),
            _ => at,
        };
        if end == at {
            out.push(text[at]);
            at += 1;
        } else {
            out.extend(text[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Whether the character before `at` belongs to a word; the `b` and `c` that may
/// stand before a string's `r` do not count.
fn after_word(text: &[char], at: usize) -> bool {
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let before = match at.checked_sub(1).map(|before| text[before]) {
        Some('b' | 'c') => at.checked_sub(2),
        _ => at.checked_sub(1),
    };
    before.is_some_and(|before| is_word(&text[before]))
}

fn line_end(text: &[char], at: usize) -> usize {
    text[at..].iter().position(|&c| c == '\n').map_or(text.len(), |length| at + length)
}

/// Rust's comments nest; C's do not, but hold no `/*` in decent code.
fn comment_end(text: &[char], at: usize) -> usize {
    let mut depth = 0;
    let mut here = at;
    while here < text.len() {
        match (text[here], text.get(here + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                here += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                here += 2;
                if depth == 0 {
                    return here;
                }
            }
            _ => here += 1,
        }
    }
    here
}

fn string_end(text: &[char], at: usize) -> usize {
    let mut here = at + 1;
    while here < text.len() {
        match text[here] {
            '\\' => here += 2,
            '"' => return here + 1,
            _ => here += 1,
        }
    }
    text.len()
}

/// `r"…"`, `r#"…"#`; nothing if it is a word or a raw identifier.
fn raw_string_end(text: &[char], at: usize) -> Option<usize> {
    let hashes = text[at + 1..].iter().take_while(|&&c| c == '#').count();
    let open = at + 1 + hashes;
    if text.get(open) != Some(&'"') {
        return None;
    }
    let closes = |here: usize| {
        text[here] == '"' && text[here + 1..].iter().take_while(|&&c| c == '#').count() >= hashes
    };
    let end = (open + 1..text.len()).find(|&here| closes(here));
    Some(end.map_or(text.len(), |end| end + 1 + hashes))
}

/// `'x'`, `'\n'`, `'\u{1F600}'`; nothing if it is a lifetime.
fn character_end(text: &[char], at: usize) -> Option<usize> {
    if text.get(at + 1) == Some(&'\\') {
        let close = text[at + 3..].iter().position(|&c| c == '\'')?;
        Some(at + 3 + close + 1)
    } else {
        (text.get(at + 2) == Some(&'\'')).then_some(at + 3)
    }
}

#[cfg(test)]
mod tests {
    use super::code_only;

    #[test]
    fn only_code_is_left() {
        for (source, expected) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */\n d */ e", "a             \n      e"),
            (r#"f("x\"y", z)"#, "f(      , z)"),
            ("f(r#\"a\"b\"#, br\"c\")", "f(        , b    )"),
            ("r#match + for", "r#match + for"),
            ("'a' '\\'' '\\u{1}' &'a str", "                 &'a str"),
            ("\"open", "     "),
        ] {
            assert_eq!(code_only(source), expected, "{source}");
        }
    }
}
