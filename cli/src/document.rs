//! Files that Nanoscope wrote and reads back.

use nanoscope_cli::{Fault, output};
use nanoscope_report::Document;
use std::path::Path;

/// Reads a report or a test.
pub fn read(path: &Path) -> Result<Document, Fault> {
    let text =
        std::fs::read_to_string(path).map_err(|error| output::cannot("read", path, &error))?;
    Document::from_json(&text).map_err(|error| Fault::User(format!("{}: {error}", path.display())))
}
