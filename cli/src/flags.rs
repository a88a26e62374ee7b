//! Compiler flags among our own arguments: `-Idir`, `-D NAME=1`, `-O2`, `-lm`, …
//!
//! They are taken out before the other arguments are parsed, because compilers do not
//! write options the way we do: `-std=c11` is one option, not seven. All of ours are
//! long, but `-h`, `-q` and `-V`, so nothing is ambiguous.

use std::ffi::OsString;

/// Flags that compilers take, by how they begin. What is not listed goes through
/// `--cflags`: better than taking a mistyped option for a flag.
const PASSED_ON: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-O",
    "-f",
    "-m",
    "-W",
    "-w",
    "-g",
    "-std",
    "-include",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-pthread",
    "-ansi",
    "-pedantic",
    "-nostdinc",
    "-cpp",
    "-J",
    "-x",
];

/// Those whose value may be the next word.
const WITH_VALUE: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-include",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-J",
    "-x",
];

/// Our own short options.
const OURS: &[&str] = &["-h", "-q", "-V"];

/// A command line with the compiler's flags apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// The words for our own parser.
    pub ours: Vec<OsString>,
    /// The words for the compiler, in order.
    pub compiler: Vec<String>,
}

/// Takes the compiler's flags out of a command line; the error is for the user.
pub fn split(words: impl IntoIterator<Item = OsString>) -> Result<Split, String> {
    let mut split = Split::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let Some(text) = word.to_str() else {
            split.ours.push(word);
            continue;
        };
        if text == "--" {
            split.ours.push(word);
            split.ours.extend(words.by_ref());
        } else if text == "--cflags" {
            let value = words
                .next()
                .ok_or("--cflags needs the flags, as one word: --cflags \"-O2 -lm\"")?;
            split.compiler.extend(shell_words(&value.to_string_lossy())?);
        } else if let Some(value) = text.strip_prefix("--cflags=") {
            split.compiler.extend(shell_words(value)?);
        } else if text.starts_with("--")
            || !text.starts_with('-')
            || text == "-"
            || is_number(text)
            || OURS.contains(&text)
        {
            split.ours.push(word);
        } else if PASSED_ON.iter().any(|flag| text.starts_with(flag)) {
            split.compiler.push(text.to_string());
            if WITH_VALUE.contains(&text) {
                let value = words.next().ok_or_else(|| format!("{text} needs a value after it"))?;
                split.compiler.push(value.to_string_lossy().into_owned());
            }
        } else {
            return Err(format!(
                "{text} is neither an option of Nanoscope nor a compiler flag it knows\n\n\
                 For help, try 'nanoscope --help'. Any flag at all reaches the compiler through \
                 --cflags \"{text}\"."
            ));
        }
    }
    Ok(split)
}

/// A negative number is some option's value.
fn is_number(text: &str) -> bool {
    text[1..].starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

/// The words of a line as a shell splits them: blanks, quotes, backslashes.
fn shell_words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(letter),
            (_, '\\') => word.get_or_insert_default().extend(letters.next()),
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err(format!("--cflags: a quote is left open in {line}"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::split;

    fn run(line: &[&str]) -> Result<(String, String), String> {
        let split = split(line.iter().map(std::ffi::OsString::from))?;
        let ours: Vec<_> = split.ours.iter().map(|word| word.to_string_lossy()).collect();
        Ok((ours.join(" "), split.compiler.join(" ")))
    }

    #[track_caller]
    fn check(line: &[&str], ours: &str, compiler: &str) {
        assert_eq!(run(line), Ok((ours.to_string(), compiler.to_string())));
    }

    #[test]
    fn compilers_flags_are_taken_out_in_order() {
        check(
            &["exceptions", "-Iinclude", "f.c", "-I", "more"],
            "exceptions f.c",
            "-Iinclude -I more",
        );
        check(
            &["-std=c11", "-O2", "-ffast-math", "-lm", "f.c"],
            "f.c",
            "-std=c11 -O2 -ffast-math -lm",
        );
        check(&["-D", "X=1", "-UY", "-mavx2", "--seed", "3"], "--seed 3", "-D X=1 -UY -mavx2");
        check(&["-h"], "-h", "");
        check(&["--seed", "-3"], "--seed -3", "");
        check(&["--json", "-", "f.c"], "--json - f.c", "");
        check(&["--", "-odd.c", "--cflags"], "-- -odd.c --cflags", "");
    }

    #[test]
    fn anything_passes_through_cflags() {
        check(
            &["--cflags", "-Xclang -menable-no-infs  -DNAME='a b'"],
            "",
            "-Xclang -menable-no-infs -DNAME=a b",
        );
        check(&["--cflags=-a \"b\\\"c\" d\\ e ''"], "", "-a b\"c d e ");
    }

    #[test]
    fn mistakes_are_told() {
        for (line, reason) in [
            (&["-Z"][..], "neither an option"),
            (&["-I"], "-I needs a value"),
            (&["--cflags"], "--cflags needs the flags"),
            (&["--cflags", "'open"], "a quote is left open"),
        ] {
            let error = run(line).expect_err("it is wrong");
            assert!(error.contains(reason), "{error}");
        }
    }
}
