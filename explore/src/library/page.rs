//! The page `docs/library.md`: one list of what is supported.

use super::{TABLE, bodies};
use nanoscope_ieee::Libm;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The text of the page.
pub fn page() -> String {
    let mut page = String::from(
        "# The C library under exploration\n\n\
         What `nanoscope test` knows of the functions that a program calls and does not define.\n\
         This page is made from the table in `explore/src/library` by `make docs`.\n\n\
         A function that is not here gives any result, and leaves any bytes in the memory that it can\n\
         reach: its arguments, variables of the program, and what pointers there lead to. The run\n\
         names it. Where that memory cannot be told, or where the function may call back, nothing is\n\
         proved by going through all paths.\n\n\
         ## Models\n",
    );
    for (title, rows) in TABLE.iter().filter(|(title, _)| *title != "Inside") {
        let _ = write!(page, "\n### {title}\n\n");
        for row in *rows {
            let forms = if row.floats { ", and its other forms (`f`, `l`, ...)" } else { "" };
            let says = if row.says.is_empty() { String::new() } else { format!(": {}", row.says) };
            let _ = writeln!(page, "- `{}`{forms}{says}", row.name);
        }
        if *title == "`math.h`" {
            let mut names: Vec<String> =
                Libm::ALL.iter().map(|function| format!("`{}`", function.name())).collect();
            names.sort();
            let _ = writeln!(
                page,
                "\nThese and their other forms are the machine's libm, not exact mathematics:\n{}.",
                wrapped(&names)
            );
        }
    }
    page.push_str("\n## Bodies\n\nThese are C of our own, explored like the program's code.\n");
    let mut by_header: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (header, name) in bodies() {
        by_header.entry(header).or_default().push(format!("`{name}`"));
    }
    for (header, mut names) in by_header {
        names.sort();
        let _ = write!(page, "\n### {header}\n\n{}.\n", wrapped(&names));
    }
    page.push_str(NOTES);
    page
}

/// What holds for several functions.
const NOTES: &str = "
## Notes

- `errno` is set by the functions of `math.h` only in programs that look at `errno`.
- The exception flags are computed only in programs that look at them.
- `printf` and its like print nothing unless `--echo` is given; a value that is unknown is then
  shown as `?`, and what they return is unknown too.
- `qsort` compares what glibc's compares, in the same order.
- `rand` gives glibc's numbers; after `srand` with an unknown seed, any.
- Standard input is unknown or given; files cannot be opened.
- The locale is C's, and no standard stream is a terminal.
- The code of `std::string` is libstdc++'s own, instantiated for the exploration. Streams of C++
  print nothing.
";

/// Names separated by commas, in lines of at most 95 characters.
fn wrapped(names: &[String]) -> String {
    let mut text = String::new();
    let mut width = 0;
    for (at, name) in names.iter().enumerate() {
        let comma = if at + 1 < names.len() { "," } else { "" };
        if width > 0 && width + 1 + name.len() + comma.len() > 95 {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(name);
        text.push_str(comma);
        width += name.len() + comma.len();
    }
    text
}
