//! The stories, a few lines each, and one line a function: what fits on a screen or two.

use super::snippet::line_with_caret;
use super::{LISTED, Layout};
use crate::kinds::Severity;
use crate::words::{self, plural, put};
use crate::{Finding, Number, Report, Story, Tally};
use std::collections::BTreeMap;

/// Stories told with their source and input.
const TOLD: usize = 10;

/// Stories shown at all, the rest of them a line each; `--all` shows every finding.
const SHOWN: usize = 25;

/// Functions listed by name.
const FUNCTIONS: usize = 40;

/// Inputs of a story that are shown.
const NUMBERS: usize = 6;

/// Writes the stories, the most important first.
pub(super) fn stories(out: &mut String, report: &Report, layout: &Layout) {
    let findings: BTreeMap<&str, &Finding> =
        report.findings.iter().map(|finding| (finding.id.as_str(), finding)).collect();
    let all =
        report.stories.iter().filter_map(|story| Some((story, *findings.get(story.id.as_str())?)));
    let (minor, main): (Vec<_>, Vec<_>) =
        all.partition(|(_, finding)| finding.severity() == Severity::Note);
    for (at, (story, finding)) in main.iter().take(SHOWN).enumerate() {
        let severity = finding.severity();
        let also = words::also(story).filter(|_| at >= TOLD);
        title(out, at + 1, story, finding, also.as_deref(), layout);
        if at < TOLD {
            told(out, story, finding, severity, layout);
        }
    }
    if main.len() > TOLD {
        out.push('\n');
    }
    let mut left = Vec::new();
    if main.len() > SHOWN {
        left.push(format!("{} more", main.len() - SHOWN));
    }
    if !minor.is_empty() {
        left.push(format!("{} without harm to the result", plural(minor.len() as u64, "story")));
    }
    if !left.is_empty() {
        put(out, format_args!("and {} (--all shows every finding)\n\n", left.join(", ")));
    }
}

/// A line that says what is born where.
fn title(
    out: &mut String,
    number: usize,
    story: &Story,
    finding: &Finding,
    also: Option<&str>,
    layout: &Layout,
) {
    let paint = layout.paint;
    let (birth, severity) = (&story.birth, finding.severity());
    let tag = format!("{}[{}]", severity.word(), birth.kind.name());
    let title = format!(
        " {}:{}: in {}, {}",
        birth.place.file,
        birth.place.line,
        finding.function,
        words::born(birth, finding)
    );
    put(
        out,
        format_args!(
            "{number:>2} {}{}{}\n",
            paint.severity(severity, &tag),
            paint.bold(&title),
            also.map_or(String::new(), |also| format!("; {also}")),
        ),
    );
}

/// The source, the input, and what came of it.
fn told(out: &mut String, story: &Story, finding: &Finding, severity: Severity, layout: &Layout) {
    let equals = layout.paint.line("=");
    let call = format!("{}({})", finding.function, given(&finding.inputs));
    line_with_caret(out, &story.birth.place, &call, severity, layout);
    put(out, format_args!("   {equals} {}\n", words::came_of(finding)));
    if let Some(rest) = words::course(story, finding) {
        put(out, format_args!("   {equals} {rest}\n"));
    }
    for advice in words::advice::told(finding) {
        put(out, format_args!("   {equals} {advice}\n"));
    }
    out.push('\n');
}

/// `a = 1, b = 1e+200, the rest 0`: what is not zero, as far as there is room.
fn given(inputs: &[Number]) -> String {
    let is_zero = |number: &&Number| number.value.trim_start_matches('-') == "0";
    let zeros = inputs.iter().filter(is_zero).count();
    let few = inputs.len() <= NUMBERS;
    let named: Vec<&Number> = inputs.iter().filter(|number| few || !is_zero(number)).collect();
    let mut parts: Vec<String> = named
        .iter()
        .take(NUMBERS)
        .map(|number| format!("{} = {}", number.name, number.value))
        .collect();
    match (named.len().saturating_sub(NUMBERS), zeros) {
        (0, 1..) if !few && parts.is_empty() => parts.push("all 0".to_string()),
        (0, 1..) if !few => parts.push("the rest 0".to_string()),
        (0, _) => {}
        (more, 0) => parts.push(format!("… {more} more")),
        (more, zeros) => parts.push(format!("… {} more", more + zeros)),
    }
    parts.join(", ")
}

/// One line a function: its stories, and how its goals ended.
pub(super) fn functions(out: &mut String, report: &Report, layout: &Layout) {
    let mut rows: BTreeMap<&str, (u64, Tally)> = BTreeMap::new();
    for verdict in &report.verdicts {
        rows.entry(&verdict.function).or_default().1.count(verdict.outcome);
    }
    if rows.len() < 2 {
        return;
    }
    for story in &report.stories {
        for function in &story.functions {
            rows.entry(function).or_default().0 += 1;
        }
    }
    let title = format!(
        "{:<32} {:>7} {:>8} {:>11} {:>6}",
        "function", "stories", "reached", "impossible", "open"
    );
    put(out, format_args!("{}\n", layout.paint.bold(&title)));
    let total = rows.len();
    let mut rows: Vec<_> = rows.into_iter().collect();
    if total > FUNCTIONS {
        rows.sort_by_key(|(name, (stories, tally))| {
            (std::cmp::Reverse(*stories), std::cmp::Reverse(tally.open), *name)
        });
        rows.truncate(FUNCTIONS);
    }
    for (name, (stories, tally)) in &rows {
        put(
            out,
            format_args!(
                "{name:<32} {stories:>7} {:>8} {:>11} {:>6}\n",
                tally.reached, tally.impossible, tally.open
            ),
        );
    }
    if total > rows.len() {
        put(out, format_args!("and {} more functions, in the JSON\n", total - rows.len()));
    }
    out.push('\n');
}

/// Notes that say the same of several places are one.
pub(super) fn notes(out: &mut String, report: &Report, layout: &Layout) {
    let mut groups: Vec<(&str, Vec<&crate::Note>)> = Vec::new();
    for note in &report.notes {
        match groups.iter_mut().find(|(text, _)| *text == note.text) {
            Some((_, group)) => group.push(note),
            None => groups.push((&note.text, vec![note])),
        }
    }
    let tag = layout.paint.bold("note:");
    for (text, group) in &groups {
        match group.as_slice() {
            [note] => put(out, format_args!("{tag} {}\n", words::note(note))),
            several => {
                let mut functions: Vec<&str> =
                    several.iter().map(|note| note.function.as_str()).collect();
                functions.dedup();
                functions.retain(|name| !name.is_empty());
                let more = functions.len().saturating_sub(LISTED);
                functions.truncate(LISTED);
                let rest = if more > 0 { format!(", … {more} more") } else { String::new() };
                let places = plural(several.len() as u64, "place");
                put(out, format_args!("{tag} {text} ({places}: {}{rest})\n", functions.join(", ")));
            }
        }
    }
    if !groups.is_empty() {
        out.push('\n');
    }
}

/// Why goals are open, in a table.
pub(super) fn open_goals(out: &mut String, report: &Report, layout: &Layout) {
    const ROWS: usize = 8;
    let reasons = words::open_reasons(&report.verdicts);
    if reasons.is_empty() {
        return;
    }
    put(out, format_args!("{}\n", layout.paint.bold(&format!("{:>6}  {}", "open", "because"))));
    let shown = if reasons.len() > ROWS + 1 { ROWS } else { reasons.len() };
    for (why, goals) in &reasons[..shown] {
        put(out, format_args!("{goals:>6}  {why}\n"));
    }
    if shown < reasons.len() {
        let goals: u64 = reasons[shown..].iter().map(|(_, goals)| goals).sum();
        put(
            out,
            format_args!("{goals:>6}  for {} other reasons, in the JSON\n", reasons.len() - shown),
        );
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::given;
    use crate::Number;

    #[test]
    fn inputs_show_what_is_not_zero() {
        let number = |name: &str, value| Number::integer(name, "int", 32, true, value);
        let row = |values: &[u128]| -> Vec<Number> {
            values.iter().enumerate().map(|(i, value)| number(&format!("x[{i}]"), *value)).collect()
        };
        for (values, text) in [
            (vec![0, 1], "x[0] = 0, x[1] = 1"),
            (vec![0, 0, 0, 0, 0, 0, 5], "x[6] = 5, the rest 0"),
            (vec![0; 7], "all 0"),
            (
                vec![1, 2, 3, 4, 5, 6, 7, 0],
                "x[0] = 1, x[1] = 2, x[2] = 3, x[3] = 4, x[4] = 5, x[5] = 6, … 2 more",
            ),
        ] {
            assert_eq!(given(&row(&values)), text);
        }
    }
}
