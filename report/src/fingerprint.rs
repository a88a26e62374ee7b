//! Names of findings that survive moved lines.
//!
//! A finding's `id` has its line and column; when lines are added above, the id changes. Its
//! fingerprint is made of what stays: the kind, the function, the operation, and the text of
//! the source line. Findings that agree in all of these are counted in the order of their columns.

use crate::suppress::without_suppression;
use crate::text::Sources;
use crate::{Finding, Report};
use std::collections::BTreeMap;

/// The fingerprint of every finding, by its id: the one it was given, or one from the sources.
pub fn fingerprints(report: &Report, sources: &dyn Sources) -> BTreeMap<String, String> {
    let mut order: Vec<&Finding> = report.findings.iter().collect();
    order.sort_by_key(|finding| (&finding.place, &finding.id));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    order
        .into_iter()
        .map(|finding| {
            if !finding.fingerprint.is_empty() {
                return (finding.id.clone(), finding.fingerprint.clone());
            }
            let base = base(finding, sources);
            let count = counts.entry(base.clone()).or_default();
            *count += 1;
            (finding.id.clone(), format!("{base}-{count}"))
        })
        .collect()
}

impl Report {
    /// Gives every finding its fingerprint, from the sources as they are.
    pub fn with_fingerprints(mut self, sources: &dyn Sources) -> Report {
        let mut names = fingerprints(&self, sources);
        for finding in &mut self.findings {
            finding.fingerprint = names.remove(&finding.id).unwrap_or_default();
        }
        self
    }
}

fn base(finding: &Finding, sources: &dyn Sources) -> String {
    let line = match finding.place.line {
        0 => None,
        number => sources.line(&finding.place.file, number),
    };
    // Indentation and spacing are no change.
    let words: Vec<String> = line
        .map(|line| without_suppression(&line).split_whitespace().map(str::to_string).collect())
        .unwrap_or_default();
    let mut name = format!(
        "{}-{}-{}",
        finding.kind.name(),
        finding.function,
        finding.operation.replace(' ', "-")
    );
    name.retain(|c| c.is_alphanumeric() || "-_.$".contains(c));
    format!("{name}-{:016x}", fnv(words.join(" ").as_bytes()))
}

/// FNV-1a, 64 bits: stable across versions and machines.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
