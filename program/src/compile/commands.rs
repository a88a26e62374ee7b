//! `compile_commands.json`: how a build compiles its sources.

use super::Flags;
use crate::Fault;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// One source of the build.
#[derive(Debug)]
pub(super) struct Entry {
    pub file: PathBuf,
    pub directory: PathBuf,
    pub flags: Flags,
    /// The program or library it is compiled for, where the object's path names it: CMake
    /// writes `CMakeFiles/TARGET.dir/…`.
    pub group: Option<String>,
}

/// As the file has it. What else a tool may add is of no interest.
#[derive(Deserialize)]
struct Written {
    directory: Option<PathBuf>,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
    output: Option<PathBuf>,
}

/// Reads all entries. A source that is compiled several times in the same way counts once.
pub(super) fn read(file: &Path) -> Result<Vec<Entry>, Fault> {
    let wrong = |what: String| Fault::User(format!("cannot use `{}`: {what}", file.display()));
    let text = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let written: Vec<Written> =
        serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
    let home = file.parent().unwrap_or(Path::new(""));
    let mut entries: Vec<Entry> = Vec::new();
    for one in written {
        let name = one.file.display().to_string();
        let words = match (one.arguments, one.command) {
            (Some(arguments), _) => arguments,
            (None, Some(command)) => unquote(&command)
                .ok_or_else(|| wrong(format!("a quote is left open in the command of `{name}`")))?,
            (None, None) => {
                return Err(wrong(format!("`{name}` has neither `command` nor `arguments`")));
            }
        };
        let directory = match one.directory {
            Some(directory) => home.join(directory),
            None => home.to_owned(),
        };
        let full = directory.join(&one.file);
        let words = expand(words, &directory);
        let written = words.iter().skip_while(|word| *word != "-o").nth(1);
        let output = one.output.as_deref().or(written.map(Path::new));
        let group = output.and_then(group);
        // The first word is the compiler, and so is the second behind ccache and its
        // like: neither is a flag. Warnings are meant for that compiler.
        let flags = Flags::parse(words.iter().skip(1)).without_warnings();
        let is_same = |entry: &Entry| {
            entry.directory.join(&entry.file) == full && entry.flags.compiles_like(&flags)
        };
        if !entries.iter().any(is_same) {
            entries.push(Entry { file: one.file, directory, flags, group });
        }
    }
    Ok(entries)
}

/// CMake's target, of an object's path.
fn group(output: &Path) -> Option<String> {
    let folder = output.iter().filter_map(|part| part.to_str()).find(|part| part.ends_with(".dir"));
    folder.map(|folder| folder.trim_end_matches(".dir").to_owned())
}

/// With the words of response files (`@FILE`) in their place.
fn expand(words: Vec<String>, directory: &Path) -> Vec<String> {
    let mut expanded = Vec::new();
    for word in words {
        let file = word.strip_prefix('@').map(|name| directory.join(name));
        match file.and_then(|file| unquote(&std::fs::read_to_string(file).ok()?)) {
            Some(inner) => expanded.extend(inner),
            None => expanded.push(word),
        }
    }
    expanded
}

/// A command line's words, as a POSIX shell splits them (no expansion). `None` when a
/// quote is left open.
fn unquote(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        quoted => word.push(quoted),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '\\' => match letters.next()? {
                            '\n' => {}
                            escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                            other => word.extend(['\\', other]),
                        },
                        quoted => word.push(quoted),
                    }
                }
            }
            '\\' => match letters.next()? {
                '\n' => {}
                escaped => word.get_or_insert_default().push(escaped),
            },
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_split_as_in_a_shell() {
        let check = |line: &str, words: &[&str]| {
            assert_eq!(unquote(line).unwrap(), words, "{line}");
        };
        check("cc  -c a.c ", &["cc", "-c", "a.c"]);
        check(r#"-DS="\"two words\"" x"#, &["-DS=\"two words\"", "x"]);
        check(r"'-DA=a b'c \' ''", &["-DA=a bc", "'", ""]);
        check(r#""a\b\\" d\ e"#, &[r"a\b\", "d e"]);
        assert_eq!(unquote("'open"), None);
        assert_eq!(unquote("\"open"), None);
    }
}
