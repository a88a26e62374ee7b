//! A unit of work: one check of one target, by one worker process.

use crate::project::Check;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

/// What a worker does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Names the target, the same for the same function of the same program.
    pub target: String,
    /// What is checked.
    pub check: Check,
    /// Names the code, the options and the version: equal means that the result is known.
    pub key: String,
    /// The words after `nanoscope`.
    pub command: Vec<String>,
    /// What the worker reads, if it reads anything.
    pub input: Option<String>,
}

impl Unit {
    /// As a store has it; nothing if it is of a version that does other checks.
    pub(crate) fn stored(target: String, check: &str, key: String, command: &str) -> Option<Unit> {
        let check: Result<Check, Error> = Check::deserialize(check.into_deserializer());
        let (command, input) = serde_json::from_str(command).ok()?;
        Some(Unit { target, check: check.ok()?, key, command, input })
    }

    pub(crate) fn command_text(&self) -> String {
        serde_json::to_string(&(&self.command, &self.input)).expect("texts are JSON")
    }
}
