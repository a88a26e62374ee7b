//! A line of source with a caret under the operation.

use super::Layout;
use crate::Place;
use crate::kinds::Severity;
use crate::words::put;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Where source lines come from.
pub trait Sources {
    /// Line `line` (from 1) of `file`, without its end.
    fn line(&self, file: &str, line: u32) -> Option<String>;
}

/// The files as they are now, each read once.
#[derive(Debug, Default)]
pub struct Files {
    read: RefCell<BTreeMap<String, Option<Vec<String>>>>,
}

impl Sources for Files {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut read = self.read.borrow_mut();
        let lines = read.entry(file.to_string()).or_insert_with(|| {
            // Old Fortran and C files are often Latin-1: show what can be shown.
            let bytes = std::fs::read(file).ok()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(str::to_string).collect())
        });
        lines.as_ref()?.get((line as usize).checked_sub(1)?).cloned()
    }
}

/// Tabs stand for blanks up to the next multiple of this.
const TAB: usize = 4;

/// Writes where it is, and the line itself if it can be had.
pub(super) fn snippet(
    out: &mut String,
    place: &Place,
    label: &str,
    severity: Severity,
    layout: &Layout,
) {
    let paint = layout.paint;
    let number = place.line.to_string();
    let margin = " ".repeat(number.len());
    let source = match place.line {
        0 => None,
        line => layout.sources.line(&place.file, line),
    };
    put(out, format_args!("{margin} {} {}\n", paint.line("-->"), position(place)));
    let Some(source) = source else {
        put(out, format_args!(" {margin} {} operation: {label}\n", paint.line("=")));
        return;
    };
    put(out, format_args!(" {margin} {}\n", paint.line("|")));
    marked(out, place, &source, label, severity, layout);
}

/// The source line, if it can be had, with a label under the operation; else the label alone.
pub(super) fn line_with_caret(
    out: &mut String,
    place: &Place,
    label: &str,
    severity: Severity,
    layout: &Layout,
) {
    let source = match place.line {
        0 => None,
        line => layout.sources.line(&place.file, line),
    };
    match source {
        Some(source) => marked(out, place, &source, label, severity, layout),
        None => put(out, format_args!("   {} {label}\n", layout.paint.line("="))),
    }
}

/// A line with its number and a label under its column.
fn marked(
    out: &mut String,
    place: &Place,
    source: &str,
    label: &str,
    severity: Severity,
    layout: &Layout,
) {
    let paint = layout.paint;
    let number = place.line.to_string();
    let margin = " ".repeat(number.len());
    let bar = paint.line("|");
    // " 12 | " stands before the text.
    let room = layout.width.max(40).saturating_sub(number.len() + 4);
    let (text, caret) = window(source, place.column, room);
    put(out, format_args!(" {} {bar} {text}\n", paint.line(&number)));
    match caret {
        Some(caret) => {
            let mark = paint.severity(severity, &format!("^ {label}"));
            put(out, format_args!(" {margin} {bar} {}{mark}\n", " ".repeat(caret)));
        }
        None => put(out, format_args!(" {margin} {bar} {}\n", paint.severity(severity, label))),
    }
}

/// `file:line:column`, as far as they are known.
fn position(place: &Place) -> String {
    match (place.file.as_str(), place.line, place.column) {
        ("", _, _) => "place unknown (compiled without -g?)".to_string(),
        (file, 0, _) => file.to_string(),
        (file, line, 0) => format!("{file}:{line}"),
        (file, line, column) => format!("{file}:{line}:{column}"),
    }
}

/// The part of a line that fits `room` columns around `column` (in bytes, from 1, as
/// compilers count), tabs expanded, and the caret's column in it (from 0).
fn window(source: &str, column: u32, room: usize) -> (String, Option<usize>) {
    let mut text = String::new();
    let mut width = 0;
    let mut caret = None;
    for (offset, c) in source.trim_end().char_indices() {
        let wanted = (column as usize).wrapping_sub(1);
        if caret.is_none() && column > 0 && offset + c.len_utf8() > wanted {
            caret = Some(width);
        }
        let blanks = if c == '\t' { TAB - width % TAB } else { 1 };
        match c {
            '\t' => text.extend(std::iter::repeat_n(' ', blanks)),
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
        width += blanks;
    }
    if width <= room {
        return (text, caret);
    }
    // Keep the caret well inside, and say where something is missing.
    let first = caret.unwrap_or(0).saturating_sub(room * 2 / 3).min(width - room);
    let mut cut: Vec<char> = text.chars().skip(first).take(room).collect();
    if first > 0 {
        cut[0] = '…';
    }
    if first + room < width {
        cut[room - 1] = '…';
    }
    (cut.into_iter().collect(), caret.map(|caret| caret - first))
}

#[cfg(test)]
mod tests {
    use super::window;

    #[track_caller]
    fn check(source: &str, column: u32, room: usize, text: &str, caret: Option<usize>) {
        assert_eq!(window(source, column, room), (text.to_string(), caret));
    }

    #[test]
    fn a_caret_stands_under_its_column() {
        check("a + b", 3, 40, "a + b", Some(2));
        check("\ta + b", 4, 40, "    a + b", Some(6));
        check("a\tb", 3, 40, "a   b", Some(4));
        check("é + b", 4, 40, "é + b", Some(2));
    }

    #[test]
    fn no_column_no_caret() {
        check("a + b", 0, 40, "a + b", None);
        check("", 1, 40, "", None);
        check("a", 9, 40, "a", None);
    }

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let line = "0123456789".repeat(3);
        check(&line, 1, 10, "012345678…", Some(0));
        check(&line, 15, 10, "…90123456…", Some(6));
        check(&line, 30, 10, "…123456789", Some(9));
    }
}
