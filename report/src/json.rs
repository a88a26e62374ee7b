//! The JSON that other programs read.

use crate::{Report, SCHEMA, Subject, Test};
use serde::Deserialize;
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

/// The JSON schema of a report, indented, with a newline at its end.
pub fn schema() -> String {
    let mut schema = schemars::schema_for!(Report);
    schema.insert("title".to_owned(), format!("A report of Nanoscope, {SCHEMA}").into());
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema has only string keys");
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

/// A test on its own, as [`test_to_json`] writes it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct TestFile {
    /// The program that it is a test of.
    pub subject: Subject,
    /// The test.
    pub test: Test,
}

/// A file that Nanoscope wrote and reads back.
#[derive(Clone, Debug)]
pub enum Document {
    /// A report, of a whole run or of one finding.
    Report(Box<Report>),
    /// A test.
    Test(Box<TestFile>),
}

impl Document {
    /// Reads a report or a test back.
    pub fn from_json(text: &str) -> Result<Document, Unreadable> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(Unreadable::Shape)?;
        if value.get("test").is_none() {
            return from_json(text).map(|report| Document::Report(Box::new(report)));
        }
        known_schema(&value)?;
        let test = serde_json::from_value(value).map_err(Unreadable::Shape)?;
        Ok(Document::Test(Box::new(test)))
    }
}

/// Reads a report back.
pub fn from_json(text: &str) -> Result<Report, Unreadable> {
    // The schema first, so that a newer file is not blamed for its shape.
    let value: serde_json::Value = serde_json::from_str(text).map_err(Unreadable::Shape)?;
    known_schema(&value)?;
    serde_json::from_value(value).map_err(Unreadable::Shape)
}

fn known_schema(value: &serde_json::Value) -> Result<(), Unreadable> {
    match value.get("schema").and_then(|schema| schema.as_str()) {
        Some(SCHEMA) | None => Ok(()),
        Some(other) => Err(Unreadable::Schema(other.to_string())),
    }
}
