//! Properties as the competitions write them: `CHECK( init(main()), LTL(G ! call(reach_error())) )`.

use crate::{Finding, Kind, Report, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a property file asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The file's text, on one line.
    pub specification: String,
    clauses: Vec<Clause>,
}

/// What a line of the file asks.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Clause {
    /// A function is never called.
    NeverCalls(String),
    /// Only memory that is there is accessed.
    ValidDeref,
    /// Only what can be freed is freed.
    ValidFree,
    /// No memory is lost; this is not looked into.
    NothingLost,
    /// Tests are wanted that reach an error.
    CoverError,
    /// Tests are wanted that cover the branches.
    CoverBranches,
}

/// How a property ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PropertyVerdict {
    /// The property.
    pub specification: String,
    /// Whether it holds.
    pub holds: Answer,
    /// What that rests on.
    pub why: String,
}

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// On every input.
    True,
    /// Not on the input of a finding.
    False,
    /// Nobody knows.
    Unknown,
}

impl Answer {
    /// In a word, as the competition has it.
    pub fn word(self) -> &'static str {
        match self {
            Answer::True => "TRUE",
            Answer::False => "FALSE",
            Answer::Unknown => "UNKNOWN",
        }
    }
}

/// Functions whose calls are looked for.
const ERRORS: &[&str] = &["reach_error", "__VERIFIER_error"];

impl Property {
    /// Reads a property file; what is wrong with it, with the line, otherwise.
    pub fn parse(text: &str) -> Result<Property, String> {
        let mut clauses = Vec::new();
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with("//") || line.starts_with('#') {
                continue;
            }
            clauses.push(clause(line).map_err(|why| format!("line {}: {why}", number + 1))?);
            lines.push(line);
        }
        match clauses.is_empty() {
            true => Err("there is no CHECK and no COVER in it".to_string()),
            false => Ok(Property { specification: lines.join(" "), clauses }),
        }
    }

    /// Whether a finding violates it.
    pub fn is_violated_by(&self, finding: &Finding) -> bool {
        self.clauses.iter().any(|clause| match clause {
            Clause::NeverCalls(function) => {
                finding.kind == Kind::ErrorCall && finding.operation == *function
            }
            Clause::ValidDeref => finding.kind == Kind::InvalidDeref,
            Clause::ValidFree => finding.kind == Kind::InvalidFree,
            Clause::CoverError => finding.kind == Kind::ErrorCall,
            Clause::NothingLost | Clause::CoverBranches => false,
        })
    }

    /// Whether it asks for tests, not for a verdict.
    pub fn asks_for_tests(&self) -> bool {
        self.clauses.iter().all(|it| matches!(it, Clause::CoverError | Clause::CoverBranches))
    }

    /// How it ended, by a report of all findings.
    pub fn verdict(&self, report: &Report) -> PropertyVerdict {
        let mut violating = report.all_findings().filter(|finding| self.is_violated_by(finding));
        let (holds, why) = match (violating.next(), report.status) {
            (Some(finding), _) => (
                Answer::False,
                format!("{}:{} was seen in a native run", finding.place.file, finding.place.line),
            ),
            (None, Status::Exhausted) if self.clauses.contains(&Clause::NothingLost) => {
                (Answer::Unknown, "memory that is lost is not looked for".to_string())
            }
            (None, Status::Exhausted) => {
                (Answer::True, "every path was followed to its end".to_string())
            }
            (None, Status::Stopped) => {
                (Answer::Unknown, "no violation was found, and not every path was followed".into())
            }
        };
        PropertyVerdict { specification: self.specification.clone(), holds, why }
    }

    /// The report of what it asks about: other findings are left out.
    pub fn narrow(&self, report: Report) -> Report {
        let verdict = self.verdict(&report);
        let asks_for_branches = self.clauses.contains(&Clause::CoverBranches);
        let mut findings = report.findings.clone();
        findings.retain(|finding| asks_for_branches || self.is_violated_by(finding));
        let property = (!self.asks_for_tests()).then_some(verdict);
        Report { property, ..report.with_findings(findings) }
    }
}

/// Reads one line.
fn clause(line: &str) -> Result<Clause, String> {
    let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let inside = |text: &str, open: &str| -> Option<String> {
        Some(text.strip_prefix(open)?.strip_suffix(')')?.to_owned())
    };
    if let Some(cover) = inside(&compact, "COVER(init(main()),FQL(") {
        return match cover.trim_end_matches(')') {
            "COVEREDGES(@CALL(reach_error" | "COVEREDGES(@CALL(__VERIFIER_error" => {
                Ok(Clause::CoverError)
            }
            "COVEREDGES(@DECISIONEDGE" | "COVEREDGES(@BASICBLOCKENTRY" => Ok(Clause::CoverBranches),
            _ => Err(format!(
                "tests for `{line}` are not made; those for calls of reach_error and \
                              for branches (@DECISIONEDGE) are"
            )),
        };
    }
    let Some(check) = inside(&compact, "CHECK(init(main()),LTL(") else {
        return Err(format!(
            "`{line}` is no property: CHECK( init(main()), LTL(…) ) or COVER( init(main()), FQL(…) ) \
             is expected"
        ));
    };
    let formula = check.strip_suffix(')').unwrap_or(&check);
    let called = formula.strip_prefix("G!call(").and_then(|rest| rest.strip_suffix("())"));
    match (formula, called) {
        (_, Some(function)) if ERRORS.contains(&function) => {
            Ok(Clause::NeverCalls(function.to_owned()))
        }
        (_, Some(function)) => Err(format!(
            "calls of `{function}` are not looked for: name the error {}",
            ERRORS.join(" or ")
        )),
        ("Gvalid-deref", None) => Ok(Clause::ValidDeref),
        ("Gvalid-free", None) => Ok(Clause::ValidFree),
        ("Gvalid-memtrack" | "Gvalid-memcleanup", None) => Ok(Clause::NothingLost),
        (_, None) => Err(format!(
            "`{line}` is not decided by Nanoscope; calls of reach_error (G ! call(reach_error())), \
             valid-deref and valid-free are"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{Clause, Property};

    #[test]
    fn properties_are_read() {
        let reach = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
        let property = Property::parse(reach).expect("a property");
        assert_eq!(property.clauses, [Clause::NeverCalls("reach_error".to_string())]);
        assert_eq!(property.specification, reach.trim());
        let memory = "CHECK( init(main()), LTL(G valid-free) )\n\
                      CHECK( init(main()), LTL(G valid-deref) )\n\
                      CHECK( init(main()), LTL(G valid-memtrack) )\n\n";
        let property = Property::parse(memory).expect("a property");
        let expected = [Clause::ValidFree, Clause::ValidDeref, Clause::NothingLost];
        assert_eq!(property.clauses, expected);
        for (text, clause) in [
            ("COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )", Clause::CoverError),
            ("COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )", Clause::CoverBranches),
        ] {
            let property = Property::parse(text).expect("a property");
            assert_eq!(property.clauses, [clause]);
            assert!(property.asks_for_tests());
        }
        for (text, why) in [
            ("", "no CHECK"),
            (
                "CHECK( init(main()), LTL(F end) )",
                "line 1: `CHECK( init(main()), LTL(F end) )` is not",
            ),
            ("\nCHECK( init(main()), LTL(G ! call(foo())) )", "line 2: calls of `foo`"),
            ("hello", "`hello` is no property"),
        ] {
            let told = Property::parse(text).expect_err(text);
            assert!(told.contains(why), "{told}");
        }
    }
}
