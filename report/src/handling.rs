//! What `nanoscope handling` has to say beside its findings: how every function did.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The part of a report that is about the handling of exceptions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Handling {
    /// Every function that was called, in every file it is in.
    pub functions: Vec<Handled>,
    /// Spoofed results that vanished, for which no input is known.
    pub warnings: Vec<Vanished>,
    /// Spoofs that vanish as they should.
    pub apart: Vec<Vanished>,
}

/// How a function did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Handled {
    /// Its name.
    pub function: String,
    /// The program or the library that it is in.
    pub binary: String,
    /// Its calls.
    pub calls: u64,
    /// Of these, those that were spoofed.
    pub spoofed_calls: u64,
    /// Calls that execute the same instructions are one class.
    pub classes: u64,
    /// Spoofed inputs.
    pub input_spoofs: u64,
    /// Of these, those that were not handled.
    pub input_failures: u64,
    /// Spoofed results.
    pub result_spoofs: u64,
    /// Of these, those that were not handled.
    pub warnings: u64,
    /// Of these, those that an input was found for.
    pub reified: u64,
    /// Whether all of its calls were looked at, and results in one of each kind.
    #[serde(default)]
    pub whole: bool,
    /// Why other calls were not spoofed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unfit: BTreeMap<String, u64>,
}

/// Spoofs that vanished alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Vanished {
    /// The function that was called.
    pub function: String,
    /// The program or the library that it is in.
    pub binary: String,
    /// The parameter, or the instruction: `sgbmv_+0x8b`.
    pub place: String,
    /// The instruction, disassembled.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instruction: String,
    /// Its source line, where the binary says: `sgbmv.f:310`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What was put there.
    pub value: String,
    /// What became of it.
    pub effect: String,
    /// Why it should vanish, if it should.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// How many spoofs.
    pub spoofs: u64,
    /// In how many calls.
    pub calls: u64,
}

/// Spoofs that vanished alike but for the value: the first, all values, and how many spoofs.
pub(crate) fn by_place(all: &[Vanished]) -> Vec<(&Vanished, Vec<&str>, u64)> {
    let mut groups: Vec<(&Vanished, Vec<&str>, u64)> = Vec::new();
    for one in all {
        let same = |(first, _, _): &&mut (&Vanished, Vec<&str>, u64)| {
            let of = |v: &Vanished| {
                [&v.function, &v.binary, &v.place, &v.instruction, &v.effect, &v.why]
                    .map(String::clone)
            };
            of(first) == of(one)
        };
        match groups.iter_mut().find(same) {
            Some((_, values, spoofs)) => {
                values.push(&one.value);
                *spoofs += one.spoofs;
            }
            None => groups.push((one, vec![&one.value], one.spoofs)),
        }
    }
    groups
}
