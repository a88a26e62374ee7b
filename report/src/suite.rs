//! The test suite that a run wrote, and what of the program it covers.

use crate::Number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A test: inputs, and what the program was seen to do with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    /// Its name, a file's name too: `test-0001`.
    pub name: String,
    /// The function that is called with the inputs; `main` takes none.
    pub function: String,
    /// The inputs for a person.
    pub inputs: Vec<Number>,
    /// The inputs for a machine, in the order in which the program asks for them.
    pub given: Vec<Given>,
    /// How the native run ended: `exited with status 0`.
    pub outcome: String,
    /// The finding it shows, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<String>,
    /// What found it: `exploration`, `native-search`.
    pub engine: String,
}

/// Something that a program is given when it asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Given {
    /// The program's name for it.
    pub name: String,
    /// Which queue it waits in.
    pub how: Asking,
    /// The function that asks: `klee_make_symbolic`, `__VERIFIER_nondet_double`; empty for
    /// parameters and standard input.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub through: String,
    /// Its bytes in the order of memory, two hexadecimal digits each.
    pub bytes: String,
}

/// How a program comes by something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Asking {
    /// By asking for an unknown.
    Unknown,
    /// As a parameter.
    Parameter,
    /// By reading standard input.
    Stdin,
    /// By asking for the time.
    Time,
    /// In no way that a run can be given it: memory never written, an unknown function.
    Never,
}

impl Given {
    /// The bytes, if they are readable.
    pub fn decoded(&self) -> Option<Vec<u8>> {
        let digits = self.bytes.as_bytes();
        if !digits.len().is_multiple_of(2) || !self.bytes.is_ascii() {
            return None;
        }
        let byte = |pair: &[u8]| {
            let text = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(text, 16).ok()
        };
        digits.chunks_exact(2).map(byte).collect()
    }

    /// Bytes as they are written here.
    pub fn encoded(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What of the program the tests cover, as clang's own instrumentation counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Lines with code.
    pub lines: Share,
    /// Sides of branches.
    pub branches: Share,
    /// By file, in order of their names.
    pub files: Vec<FileCoverage>,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Those that were covered.
    pub covered: u64,
    /// All of them.
    pub total: u64,
}

impl Share {
    /// In per cent; nothing at all is covered wholly.
    pub fn percent(self) -> f64 {
        if self.total == 0 { 100.0 } else { 100.0 * self.covered as f64 / self.total as f64 }
    }
}

/// The coverage of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileCoverage {
    /// The file, as the user named it where it is one of the sources.
    pub file: String,
    /// Lines with code.
    pub lines: Share,
    /// Sides of branches.
    pub branches: Share,
    /// How often each line with code ran: line and count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<(u32, u64)>,
    /// Branches of which a side was never taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub half_taken: Vec<HalfTaken>,
}

/// A branch of which a side was never taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HalfTaken {
    /// The line of its condition.
    pub line: u32,
    /// The column of its condition.
    pub column: u32,
    /// Whether the condition was ever true.
    pub was_true: bool,
    /// Whether the condition was ever false.
    pub was_false: bool,
}

#[cfg(test)]
mod tests {
    use super::{Asking, Given, Share};

    #[test]
    fn bytes_go_both_ways() {
        let given = |bytes: &str| Given {
            name: String::new(),
            how: Asking::Unknown,
            through: String::new(),
            bytes: bytes.to_string(),
        };
        assert_eq!(Given::encoded(&[0, 255, 16]), "00ff10");
        assert_eq!(given("00ff10").decoded(), Some(vec![0, 255, 16]));
        assert_eq!(given("").decoded(), Some(Vec::new()));
        for wrong in ["0", "0x", "é0"] {
            assert_eq!(given(wrong).decoded(), None, "{wrong}");
        }
    }

    #[test]
    fn nothing_is_covered_wholly() {
        assert_eq!(Share::default().percent(), 100.0);
        assert_eq!(Share { covered: 1, total: 4 }.percent(), 25.0);
    }
}
