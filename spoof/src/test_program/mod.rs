//! A finding as a program that calls the function with the finding's input, and fails as long as the
//! exception vanishes: in Fortran for what Fortran can call, else in C.

mod c;
mod fortran;

use crate::handling::Failure;
use crate::prototype::Prototype;

/// A program, and how its file's name ends.
pub struct TestProgram {
    /// Its text.
    pub text: String,
    /// `f90` or `c`.
    pub suffix: &'static str,
}

/// The program; nothing if the function takes or gives what neither language writes.
pub fn test_program(
    prototype: &Prototype,
    failure: &Failure,
    headline: &str,
) -> Option<TestProgram> {
    // What is inside of a structure and not looked at, nobody knows.
    let has_structure = prototype.parameters.iter().any(|p| p.inside.is_some());
    if has_structure || prototype.returned.is_some() {
        return None;
    }
    let in_fortran = fortran::program(prototype, failure, headline);
    in_fortran.map(|text| TestProgram { text, suffix: "f90" }).or_else(|| {
        c::program(prototype, failure, headline).map(|text| TestProgram { text, suffix: "c" })
    })
}

/// The words and signs of a prototype's condition.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            let two = rest.get(..2).filter(|two| ["==", "!=", "<=", ">="].contains(two));
            two.map_or(first.len_utf8(), str::len)
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}
