//! A source file: which language it is in, and where it is.

use super::Flags;
use crate::Fault;
use std::path::{Path, PathBuf};

/// What a source is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
    /// Fortran.
    Fortran,
    /// LLVM IR, as text or bitcode.
    Ir,
}

/// A source with the flags it is compiled with.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// As the compiler is given it (and so as debug information names it).
    pub path: PathBuf,
    /// The folder the compiler runs in.
    pub directory: PathBuf,
    pub flags: Flags,
    pub language: Language,
    /// Of a build that is taken as it is: the program or library it is compiled for, empty
    /// where that is not known.
    pub group: Option<String>,
}

impl Source {
    /// Finds out the language and that the file is there.
    pub fn new(path: &Path, directory: &Path, flags: Flags) -> Result<Source, Fault> {
        let full = directory.join(path);
        if full.is_dir() {
            return Err(Fault::User(format!(
                "`{}` is a folder: name the source files in it",
                path.display()
            )));
        }
        if !full.exists() {
            return Err(missing(path, &full));
        }
        let language = match flags.language() {
            Some(language) => language,
            None => language_of(path).ok_or_else(|| unknown(path))?,
        };
        let (path, directory) = (path.to_owned(), directory.to_owned());
        Ok(Source { path, directory, flags, language, group: None })
    }

    /// The file, wherever the process is.
    pub fn full_path(&self) -> PathBuf {
        self.directory.join(&self.path)
    }
}

/// Whether a file is bitcode or LLVM's text by its first bytes.
pub(super) fn is_bitcode(contents: &[u8]) -> bool {
    contents.starts_with(b"BC\xc0\xde") || contents.starts_with(&0x0B17_C0DE_u32.to_le_bytes())
}

/// The languages whose runtime a bitcode file calls: its string table holds the names
/// as they are.
pub(super) fn languages_behind(bitcode: &Path) -> Vec<Language> {
    let contents = std::fs::read(bitcode).unwrap_or_default();
    let names = |name: &str| contents.windows(name.len()).any(|part| part == name.as_bytes());
    let mut languages = Vec::new();
    if names("__gxx_personality_v0") || names("_Znwm") || names("_ZSt") || names("_ZNSt") {
        languages.push(Language::Cxx);
    }
    if names("_FortranA") {
        languages.push(Language::Fortran);
    }
    languages
}

fn language_of(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()? {
        "c" | "i" => Some(Language::C),
        "cc" | "cpp" | "cxx" | "c++" | "cp" | "C" | "CC" | "CPP" | "ii" => Some(Language::Cxx),
        "ll" | "bc" => Some(Language::Ir),
        other => match other.to_ascii_lowercase().as_str() {
            "f" | "for" | "ftn" | "f77" | "f90" | "f95" | "f03" | "f08" | "f18" | "fpp" => {
                Some(Language::Fortran)
            }
            _ => None,
        },
    }
}

fn unknown(path: &Path) -> Fault {
    Fault::User(format!(
        "cannot tell the language of `{}` from its name: a source ends in .c, .cc, .cpp, .cxx, .f, .f90 \
         (.f95, .f03, .F90, …), .ll or .bc",
        path.display()
    ))
}

fn missing(path: &Path, full: &Path) -> Fault {
    let mut message = format!("cannot find `{}`", path.display());
    let near = near_names(full);
    if !near.is_empty() {
        let names: Vec<String> =
            near.iter().map(|name| format!("`{}`", path.with_file_name(name).display())).collect();
        message += &format!("; did you mean {}?", names.join(" or "));
    }
    Fault::User(message)
}

/// Up to three names beside `path` that a slip of the finger would explain, nearest first.
fn near_names(path: &Path) -> Vec<String> {
    let (Some(folder), Some(wanted)) = (path.parent(), path.file_name().and_then(|n| n.to_str()))
    else {
        return Vec::new();
    };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut near: Vec<(usize, String)> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| language_of(Path::new(name)).is_some())
        .map(|name| (edit_distance(wanted, &name), name))
        .filter(|(distance, _)| *distance <= 1 + wanted.len() / 4)
        .collect();
    near.sort();
    near.truncate(3);
    near.into_iter().map(|(_, name)| name).collect()
}

/// Levenshtein's distance.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_languages() {
        let check =
            |name: &str, language| assert_eq!(language_of(Path::new(name)), language, "{name}");
        check("a.c", Some(Language::C));
        check("a.C", Some(Language::Cxx));
        check("a.cpp", Some(Language::Cxx));
        check("a.F90", Some(Language::Fortran));
        check("a.for", Some(Language::Fortran));
        check("a.ll", Some(Language::Ir));
        check("a.txt", None);
        check("c", None);
    }

    #[test]
    fn distances_count_edits() {
        let check = |a, b, distance| assert_eq!(edit_distance(a, b), distance, "{a} {b}");
        check("", "abc", 3);
        check("avrage.c", "average.c", 1);
        check("kitten", "sitting", 3);
        check("same", "same", 0);
    }
}
