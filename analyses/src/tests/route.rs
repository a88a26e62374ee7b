//! Path files: a path through the program as branch outcomes or as lines.
//!
//! ```text
//! # comment
//! 5:true 7:true*40 7:false        branch outcomes, each with its line
//! true false default case=3       or without: then every branch is named
//! 5 6 (7 8)*40 7 10               lines that control comes to
//! other.c:12:true                 of another file than the function's
//! ```

use super::seen::same_file;
use nanoscope_explore::{Entry, Line, Route, Way, branches};
use nanoscope_program::ir::Code;
use nanoscope_program::{Fault, Location};
use std::collections::{BTreeMap, BTreeSet};

/// A route, and where each of its entries stands in its file.
pub(super) struct PathFile {
    pub route: Route,
    entries: Vec<Word>,
    name: String,
}

impl PathFile {
    /// Says what is wrong with an entry, by its number.
    pub fn fault(&self, entry: usize, what: &str) -> Fault {
        match self.entries.get(entry) {
            Some(word) => word.fault(&self.name, what),
            None => Fault::User(format!("{}: {what}", self.name)),
        }
    }
}

/// The most entries of a path, repeats counted.
const MOST: usize = 1_000_000;

/// Reads a path file. Lines without a file are lines of `home`; `is_ours` says which files are
/// none of the program's.
pub(super) fn read(
    name: &str,
    text: &str,
    code: &Code,
    home: &str,
    is_ours: &dyn Fn(&str) -> bool,
) -> Result<PathFile, Fault> {
    let entries = expanded(words(name, text)?, name)?;
    if entries.is_empty() {
        return Err(Fault::User(format!(
            "{name}: no path: write branch outcomes (5:true 7:false) or lines (5 6 8)"
        )));
    }
    let places = Places::of(code, is_ours);
    let mut route = Vec::new();
    for word in &entries {
        route.push(places.entry(word, name, home)?);
    }
    Ok(PathFile { route: Route::new(route), entries, name: name.to_owned() })
}

/// A word of a path file, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    text: String,
    line: usize,
}

impl Word {
    fn fault(&self, name: &str, what: &str) -> Fault {
        Fault::User(format!("{name}:{}: `{}`: {what}", self.line, self.text))
    }
}

/// The words of a text: brackets and repeats are words of their own.
fn words(name: &str, text: &str) -> Result<Vec<Word>, Fault> {
    let mut words: Vec<Word> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line_number = number + 1;
        let line = line.split('#').next().unwrap_or_default();
        let line = line.replace("->", " ").replace(['→', ','], " ");
        let mut rest = line.trim();
        while !rest.is_empty() {
            let end = match rest.starts_with(['(', ')']) {
                true => 1,
                false => rest
                    .char_indices()
                    .skip(1)
                    .find(|(_, c)| c.is_whitespace() || "()*".contains(*c))
                    .map_or(rest.len(), |(at, _)| at),
            };
            words.push(Word { text: rest[..end].to_owned(), line: line_number });
            rest = rest[end..].trim_start();
        }
    }
    match words.iter().find(|word| word.text == "*") {
        Some(word) => Err(word.fault(name, "a number of times is missing, as in `7:true*40`")),
        None => Ok(words),
    }
}

/// The words without brackets and repeats.
fn expanded(words: Vec<Word>, name: &str) -> Result<Vec<Word>, Fault> {
    // Open brackets, with where their contents begin.
    let mut open: Vec<(Word, usize)> = Vec::new();
    let mut out: Vec<Word> = Vec::new();
    // Where the last word or bracket began.
    let mut last: Option<usize> = None;
    for word in words {
        match word.text.as_str() {
            "(" => {
                let begin = out.len();
                open.push((word, begin));
                last = None;
            }
            ")" => match open.pop() {
                Some((_, begin)) => last = Some(begin),
                None => return Err(word.fault(name, "no bracket is open here")),
            },
            text => match text.strip_prefix('*') {
                Some(times) => {
                    let times = times.parse::<usize>().map_err(|_| {
                        word.fault(name, "after * stands a number of times, as in `7:true*40`")
                    })?;
                    let Some(begin) = last.take() else {
                        return Err(word.fault(name, "there is nothing to repeat before it"));
                    };
                    let group = out.split_off(begin);
                    if out.len() + group.len().saturating_mul(times) > MOST {
                        let what = format!("more than {MOST} entries");
                        return Err(word.fault(name, &what));
                    }
                    for _ in 0..times {
                        out.extend_from_slice(&group);
                    }
                }
                None => {
                    last = Some(out.len());
                    out.push(word);
                }
            },
        }
    }
    match open.pop() {
        Some((word, _)) => Err(word.fault(name, "this bracket is not closed")),
        None => Ok(out),
    }
}

/// Where the program has code and branches.
struct Places {
    lines: BTreeSet<Line>,
    branches: BTreeMap<Line, BTreeSet<Way>>,
}

impl Places {
    fn of(code: &Code, is_ours: &dyn Fn(&str) -> bool) -> Places {
        let users = |location: &Location| location.line != 0 && !is_ours(&location.file);
        let line = |location: &Location| (location.file.clone(), location.line);
        let mut places = Places { lines: BTreeSet::new(), branches: BTreeMap::new() };
        for block in code.functions.iter().flat_map(|function| &function.blocks) {
            let instructions = block.instructions.iter().map(|it| it.location);
            for location in instructions.chain([block.end_location]) {
                let location = code.location(location);
                if users(location) {
                    places.lines.insert(line(location));
                }
            }
        }
        for (location, ways) in branches(code).into_iter().filter(|(at, _)| users(at)) {
            places.branches.entry(line(&location)).or_default().extend(ways);
        }
        places
    }

    /// What a word means.
    fn entry(&self, word: &Word, name: &str, home: &str) -> Result<Entry, Fault> {
        let (place, way) = match word.text.rsplit_once(':') {
            Some((place, last)) => match way(last) {
                Some(way) => (place, Some(way)),
                None => (word.text.as_str(), None),
            },
            None => match way(&word.text) {
                Some(way) => return Ok(Entry::Branch(None, way)),
                None => (word.text.as_str(), None),
            },
        };
        let (file, number) = match place.rsplit_once(':') {
            Some((file, number)) => (file, number),
            None => (home, place),
        };
        let Ok(number) = number.parse::<u32>() else {
            let what = "neither a line nor a branch outcome: write 5 for a line, 5:true, 5:false, \
                        5:case=3 or 5:default for a branch on a line, or an outcome alone";
            return Err(word.fault(name, what));
        };
        let known = self.lines.iter().map(|(known, _)| known).find(|known| same_file(known, file));
        let Some(file) = known else {
            let what = format!("the program has no code in a file `{file}`");
            return Err(word.fault(name, &what));
        };
        let line = (file.clone(), number);
        let Some(way) = way else {
            if self.lines.contains(&line) {
                return Ok(Entry::Line(line));
            }
            let near = nearest(self.lines.iter(), &line);
            return Err(word.fault(
                name,
                &format!("line {number} has no code; lines near it that have: {near}"),
            ));
        };
        match self.branches.get(&line) {
            Some(ways) if ways.contains(&way) => Ok(Entry::Branch(Some(line), way)),
            Some(ways) => {
                let ways: Vec<String> = ways.iter().map(Way::to_string).collect();
                let what = format!("the branch on line {number} goes {}", ways.join(" or "));
                Err(word.fault(name, &what))
            }
            None => {
                let near = nearest(self.branches.keys(), &line);
                let what = format!("line {number} has no branch; lines near it that have: {near}");
                Err(word.fault(name, &what))
            }
        }
    }
}

/// Up to six lines of the same file that are near to one.
fn nearest<'l>(lines: impl Iterator<Item = &'l Line>, to: &Line) -> String {
    let mut numbers: Vec<u32> =
        lines.filter(|(file, _)| *file == to.0).map(|(_, number)| *number).collect();
    numbers.sort_by_key(|number| number.abs_diff(to.1));
    numbers.truncate(6);
    numbers.sort_unstable();
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

/// The branch outcome that a word is.
fn way(word: &str) -> Option<Way> {
    match word {
        "true" | "T" => Some(Way::True),
        "false" | "F" => Some(Way::False),
        "default" => Some(Way::Default),
        _ => word.strip_prefix("case=").and_then(|value| value.parse().ok()).map(Way::Case),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Result<String, String> {
        let words = words("p", text).and_then(|words| expanded(words, "p"));
        let words = words.map_err(|fault| fault.to_string())?;
        Ok(words.into_iter().map(|word| word.text).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn repeats_and_comments() {
        for (text, expected) in [
            ("5:true -> 7:false # why\n9", "5:true 7:false 9"),
            ("1→2→3,4", "1 2 3 4"),
            ("7:true*3 8", "7:true 7:true 7:true 8"),
            ("(7 8)*2 7", "7 8 7 8 7"),
            ("((a b)*2 c) * 2", "a b a b c a b a b c"),
            ("a*0 b", "b"),
        ] {
            // `* 2` with a space in it is read as well.
            assert_eq!(texts(&text.replace("* ", "*")).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn mistakes_have_a_line() {
        for (text, words) in [
            ("1\n(2 3", "p:2: `(`: this bracket is not closed"),
            ("1\n\n2)", "p:3: `)`: no bracket is open here"),
            ("1 *", "p:1: `*`: a number of times is missing, as in `7:true*40`"),
            ("*3", "p:1: `*3`: there is nothing to repeat before it"),
            ("1*x", "p:1: `*x`: after * stands a number of times, as in `7:true*40`"),
            ("(1*1000)*1000000", "p:1: `*1000000`: more than 1000000 entries"),
        ] {
            assert_eq!(texts(text), Err(words.to_owned()), "{text}");
        }
    }
}
