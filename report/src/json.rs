//! The JSON that other programs read.

use crate::{Report, SCHEMA, Test};
use std::fmt;

/// Why a file is not a report.
#[derive(Debug)]
pub enum Unreadable {
    /// Not JSON, or not of this shape.
    Shape(serde_json::Error),
    /// Another version of the schema.
    Schema(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::Shape(error) => write!(f, "not a Nanoscope report: {error}"),
            Unreadable::Schema(found) => {
                write!(f, "its schema is \"{found}\"; this version of Nanoscope reads \"{SCHEMA}\"")
            }
        }
    }
}

impl std::error::Error for Unreadable {}

/// A report as JSON, indented, with a newline at its end.
pub fn to_json(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report)
        .expect("a report has only string keys and finite numbers");
    text.push('\n');
    text
}

/// A test by itself, with what it takes to build the program.
pub fn test_to_json(report: &Report, test: &Test) -> String {
    let value = serde_json::json!({
        "schema": SCHEMA,
        "command": report.command,
        "version": report.version,
        "subject": report.subject,
        "test": test,
    });
    format!("{value:#}\n")
}

/// Reads a report back.
pub fn from_json(text: &str) -> Result<Report, Unreadable> {
    // The schema first, so that a newer file is not blamed for its shape.
    let value: serde_json::Value = serde_json::from_str(text).map_err(Unreadable::Shape)?;
    match value.get("schema").and_then(|schema| schema.as_str()) {
        Some(SCHEMA) | None => {}
        Some(other) => return Err(Unreadable::Schema(other.to_string())),
    }
    serde_json::from_value(value).map_err(Unreadable::Shape)
}
