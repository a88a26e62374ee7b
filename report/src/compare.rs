//! Two reports compared: what is new, what is gone, what is still there.

use crate::{Finding, Outcome, Report};
use std::collections::BTreeSet;

/// What became of findings from one report to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Only in the new report.
    pub new: Vec<Finding>,
    /// In both; as the new report has them.
    pub still: Vec<Finding>,
    /// Only in the old report: not possible any more, or not asked about any more.
    pub fixed: Vec<Finding>,
    /// Only in the old report, but the new one leaves a goal of that kind open there: it may
    /// still happen.
    pub open: Vec<Finding>,
}

/// Compares two reports by the names of findings that survive moved lines.
pub fn compare(old: &Report, new: &Report) -> Comparison {
    let names = |report: &Report| -> BTreeSet<String> {
        report.all_findings().map(|finding| finding.lasting_name().to_owned()).collect()
    };
    let (before, after) = (names(old), names(new));
    let (still, fresh) =
        new.findings.iter().cloned().partition(|finding| before.contains(finding.lasting_name()));
    let gone =
        old.all_findings().filter(|finding| !after.contains(finding.lasting_name())).cloned();
    let is_open = |finding: &Finding| {
        new.verdicts.iter().any(|verdict| {
            verdict.outcome == Outcome::Open
                && verdict.kind == finding.kind
                && verdict.function == finding.function
                && verdict.operation == finding.operation
        })
    };
    let (open, fixed) = gone.partition(is_open);
    Comparison { new: fresh, still, fixed, open }
}

impl Finding {
    /// The name that survives moved lines; of a report without one, the identity.
    pub fn lasting_name(&self) -> &str {
        if self.fingerprint.is_empty() { &self.id } else { &self.fingerprint }
    }
}
