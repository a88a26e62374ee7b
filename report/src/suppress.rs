//! Suppressions: findings that somebody looked at and decided to live with.
//!
//! In the source, a comment in the line of the operation or alone in the line above it:
//!
//! ```c
//! y = x * x; // nanoscope: allow overflow, underflow -- callers scale x
//! ```
//!
//! (`!` begins it in Fortran), and in a project file as [`Rule`]s. Suppressed findings stay in the
//! report, apart from the others. A suppression that nothing needed is noted.

use crate::text::Sources;
use crate::{Finding, Kind, Note, Outcome, Place, Report, Suppressed};
use glob::Pattern;
use std::collections::BTreeSet;

/// What is allowed: the findings of these kinds, in these functions and files.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The kinds; empty: all.
    pub kinds: Vec<Kind>,
    /// Functions, where not all are meant.
    pub function: Option<Pattern>,
    /// Files, where not all are meant.
    pub file: Option<Pattern>,
    /// Lines, where not all are meant.
    pub lines: Option<(u32, u32)>,
    /// Why.
    pub reason: String,
    /// Where it stands.
    pub by: Place,
}

/// What a comment begins with, after the comment's own sign.
const MARK: &str = "nanoscope:";

impl Rule {
    fn allows(&self, finding: &Finding) -> bool {
        let place = |place: &Place| self.is_about(place);
        self.allows_kind(finding.kind)
            && self.function.as_ref().is_none_or(|pattern| pattern.matches(&finding.function))
            && (place(&finding.place) || finding.details.inlined_at.iter().any(place))
    }

    fn allows_kind(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    fn is_about(&self, place: &Place) -> bool {
        self.file.as_ref().is_none_or(|pattern| pattern.matches(&place.file))
            && self.lines.is_none_or(|(first, last)| (first..=last).contains(&place.line))
    }

    /// Whether the report may yet come to need it, given more time, or never asked.
    fn is_undecided(&self, report: &Report, whole: bool) -> bool {
        let mut asked = false;
        let mine = |function: &str| self.function.as_ref().is_none_or(|it| it.matches(function));
        for verdict in &report.verdicts {
            if !self.is_about(&verdict.place) || !mine(&verdict.function) {
                continue;
            }
            asked = true;
            if verdict.outcome == Outcome::Open && self.allows_kind(verdict.kind) {
                return true;
            }
        }
        !asked && !whole
    }
}

impl Report {
    /// Puts the findings apart that the sources or `rules` allow, and notes the suppressions
    /// that nothing needed. `whole` says that everything was asked about, not some functions.
    pub fn suppressing(self, rules: &[Rule], sources: &dyn Sources, whole: bool) -> Report {
        let mut notes = Vec::new();
        let files: BTreeSet<&str> = self
            .verdicts
            .iter()
            .map(|verdict| &verdict.place)
            .chain(self.findings.iter().map(|finding| &finding.place))
            .map(|place| place.file.as_str())
            .filter(|file| !file.is_empty())
            .collect();
        let mut all = rules.to_vec();
        for file in files {
            all.extend(comments(file, sources, &mut notes));
        }
        let mut used = vec![false; all.len()];
        let (mut kept, mut suppressed) = (Vec::new(), self.suppressed.clone());
        for finding in self.findings.iter().cloned() {
            let mut allowed = None;
            for (at, rule) in all.iter().enumerate().filter(|(_, rule)| rule.allows(&finding)) {
                used[at] = true;
                allowed = allowed.or(Some(rule));
            }
            match allowed {
                Some(rule) => suppressed.push(Suppressed {
                    reason: rule.reason.clone(),
                    by: rule.by.clone(),
                    finding,
                }),
                None => kept.push(finding),
            }
        }
        for (rule, _) in all.iter().zip(&used).filter(|(_, used)| !**used) {
            if !rule.is_undecided(&self, whole) {
                notes.push(Note {
                    function: String::new(),
                    place: rule.by.clone(),
                    text: format!(
                        "this suppression is not needed: there is no such finding ({})",
                        rule.reason
                    ),
                });
            }
        }
        Report { suppressed, ..self.with_findings(kept) }.with_notes(notes)
    }
}

/// The suppressions in the comments of a file; what cannot be understood is noted.
fn comments(file: &str, sources: &dyn Sources, notes: &mut Vec<Note>) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut number = 0;
    while let Some(line) = {
        number += 1;
        sources.line(file, number)
    } {
        let Some((before, said)) = split(&line) else { continue };
        let by = Place { file: file.to_owned(), line: number, column: 0 };
        let mut complain = |why: String| {
            notes.push(Note { function: String::new(), place: by.clone(), text: why });
        };
        let (what, reason) = match said.split_once("--") {
            Some((what, reason)) if !reason.trim().is_empty() => (what.trim(), reason.trim()),
            Some(_) | None => {
                complain(format!("the suppression `{said}` gives no reason: add one after `--`"));
                continue;
            }
        };
        let Some(what) = what.strip_prefix("allow ") else {
            complain(format!("`{said}` is no suppression: write `allow KIND -- REASON`"));
            continue;
        };
        match kinds(what) {
            Ok(kinds) => {
                // A comment alone in its line is about the next line of code.
                let about = if before.trim().is_empty() {
                    next_code(file, number, sources)
                } else {
                    number
                };
                rules.push(Rule {
                    kinds,
                    function: None,
                    file: Pattern::new(&Pattern::escape(file)).ok(),
                    lines: Some((about, about)),
                    reason: reason.to_owned(),
                    by,
                });
            }
            Err(why) => complain(why),
        }
    }
    rules
}

/// What stands before a suppression in a line, and what it says.
fn split(line: &str) -> Option<(&str, &str)> {
    let at = line.find(MARK)?;
    let before = line[..at].trim_end();
    let before = before.strip_suffix("//").or_else(|| before.strip_suffix("/*")).or_else(|| {
        // A comment of Fortran; in C, `!` before a name would be code.
        before.strip_suffix('!')
    })?;
    let said = line[at + MARK.len()..].trim();
    Some((before, said.strip_suffix("*/").unwrap_or(said).trim()))
}

/// A source line without a suppression in it: adding one is no change of the line.
pub(crate) fn without_suppression(line: &str) -> &str {
    split(line).map_or(line, |(before, _)| before)
}

fn next_code(file: &str, mut number: u32, sources: &dyn Sources) -> u32 {
    loop {
        number += 1;
        match sources.line(file, number) {
            Some(line) if without_suppression(&line).trim().is_empty() => {}
            Some(_) | None => return number,
        }
    }
}

/// Reads kinds, separated by commas or blanks; `all` is every kind.
pub fn kinds(text: &str) -> Result<Vec<Kind>, String> {
    let mut list = Vec::new();
    let words = text.split([',', ' ']).map(str::trim).filter(|word| !word.is_empty());
    for word in words {
        match Kind::from_name(word) {
            Some(kind) => list.push(kind),
            None if word == "all" => return Ok(Vec::new()),
            None => {
                let near = Kind::ALL
                    .iter()
                    .map(|kind| kind.name())
                    .min_by_key(|name| strsim::damerau_levenshtein(word, name))
                    .unwrap_or_default();
                return Err(format!(
                    "there is no kind of finding `{word}`; the nearest is `{near}`"
                ));
            }
        }
    }
    if list.is_empty() { Err("a kind of finding is missing".to_owned()) } else { Ok(list) }
}

#[cfg(test)]
mod tests {
    use super::{kinds, split, without_suppression};
    use crate::Kind;

    #[test]
    fn comments_of_three_languages() {
        for (line, before, said) in [
            ("y = x*x; // nanoscope: allow overflow -- why", "y = x*x; ", "allow overflow -- why"),
            ("  /* nanoscope: allow all -- so */", "  ", "allow all -- so"),
            ("y = x*x ! nanoscope: allow overflow -- why", "y = x*x ", "allow overflow -- why"),
        ] {
            assert_eq!(split(line), Some((before, said)), "{line}");
        }
        for line in ["puts(\"nanoscope: allow\");", "y = x; // no word", "nanoscope: allow"] {
            assert_eq!(split(line), None, "{line}");
            assert_eq!(without_suppression(line), line);
        }
    }

    #[test]
    fn kinds_by_name() {
        assert_eq!(kinds("overflow, underflow"), Ok(vec![Kind::Overflow, Kind::Underflow]));
        assert_eq!(kinds("all"), Ok(vec![]));
        assert!(kinds("owerflow").is_err_and(|why| why.contains("`overflow`")));
        assert!(kinds(" ").is_err());
    }
}
