//! Paths for a person: each with its branches, as a path file has them, and its condition.

use super::Layout;
use crate::words::{plural, put};
use crate::{PathCondition, PathTaken, Paths, Report};

/// Paths shown whole, and lines of each; `--all` shows all of them.
const PATHS: usize = 20;
const LINES: usize = 24;

/// Writes the paths, and what is to be said of all of them.
pub(super) fn write(out: &mut String, report: &Report, paths: &Paths, layout: &Layout) {
    let paint = layout.paint;
    let shown = if layout.all { paths.list.len() } else { paths.list.len().min(PATHS) };
    for path in &paths.list[..shown] {
        one(out, path, layout);
    }
    if shown < paths.list.len() {
        let rest =
            format!("… and {} more: --all shows them, --json has them", paths.list.len() - shown);
        put(out, format_args!("{rest}\n\n"));
    }
    if let Some(refuted) = paths.answer.as_ref().and_then(|answer| answer.refuted.as_ref()) {
        put(out, format_args!("{}\n", paint.bold("the part that no input takes")));
        fact(out, "branches", &[branches(&refuted.branches)], layout);
        fact(out, "condition", &lines(refuted.conditions.iter()), layout);
        out.push('\n');
    }
    super::stories::notes(out, report, layout);
    let conclusion = match &paths.answer {
        Some(answer) => {
            let verdict = answer.verdict.word();
            format!("The path in {} is {verdict}: {}.", answer.file, answer.why)
        }
        None => {
            let confirmed = paths.list.iter().filter(|path| path.confirmed).count();
            let all = match report.status {
                crate::Status::Exhausted => "These are all paths that inputs can take.",
                crate::Status::Stopped => "There may be more.",
            };
            format!(
                "{}, {confirmed} of them seen in native runs. {all}",
                plural(paths.list.len() as u64, "path")
            )
        }
    };
    put(out, format_args!("{}\n{}\n", paint.bold(&conclusion), paint.dim(&super::cost(report))));
}

fn one(out: &mut String, path: &PathTaken, layout: &Layout) {
    let paint = layout.paint;
    let seen = if path.confirmed { "" } else { ", not seen natively" };
    put(out, format_args!("{}\n", paint.bold(&format!("{}: {}{seen}", path.name, path.ending))));
    let asked = path.asked.map_or(path.branches.len(), |asked| asked as usize);
    let later = |condition: &&PathCondition| condition.branch.is_some_and(|at| at >= asked as u64);
    fact(out, "branches", &[branches(&path.branches[..asked])], layout);
    fact(out, "condition", &lines(path.conditions.iter().filter(|it| !later(it))), layout);
    if asked < path.branches.len() {
        fact(out, "then", &[branches(&path.branches[asked..])], layout);
        fact(out, "if", &lines(path.conditions.iter().filter(later)), layout);
    }
    for output in &path.outputs {
        fact(out, "output", &output.lines, layout);
    }
    let inputs: Vec<String> = path
        .inputs
        .iter()
        .map(|input| format!("{} = {}", input.name, super::plain(input)))
        .collect();
    fact(out, "input", &inputs, layout);
    if !path.refuted.is_empty() {
        fact(out, "natively", std::slice::from_ref(&path.refuted), layout);
    }
    fact(out, "assumed", &path.assumptions, layout);
    out.push('\n');
}

fn lines<'c>(conditions: impl Iterator<Item = &'c PathCondition>) -> Vec<String> {
    conditions.flat_map(|condition| condition.lines.clone()).collect()
}

/// Labelled lines, as many as are shown.
fn fact(out: &mut String, label: &str, lines: &[String], layout: &Layout) {
    let shown = if layout.all { lines.len() } else { lines.len().min(LINES) };
    for (number, line) in lines[..shown].iter().enumerate() {
        let label = if number == 0 { format!("{label}:") } else { String::new() };
        put(out, format_args!("  {} {line}\n", layout.paint.bold(&format!("{label:<10}"))));
    }
    if shown < lines.len() {
        put(out, format_args!("  {:<10} … and {} more lines\n", "", lines.len() - shown));
    }
}

/// Branches as a path file has them: the file only where there are several, repeats counted.
fn branches(list: &[crate::BranchTaken]) -> String {
    let one_file = list.iter().all(|branch| branch.place.file == list[0].place.file);
    let words: Vec<String> = list
        .iter()
        .map(|branch| match one_file {
            true => format!("{}:{}", branch.place.line, branch.outcome),
            false => format!("{}:{}:{}", branch.place.file, branch.place.line, branch.outcome),
        })
        .collect();
    if words.is_empty() { "none".to_owned() } else { repeats_counted(&words) }
}

/// The longest group of words that is looked for.
const GROUP: usize = 16;

/// `a b a b a b c` as `(a b)*3 c`.
fn repeats_counted(words: &[String]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let times = |length: usize| {
            let group = &words[at..at + length];
            let mut count = 1;
            while words[at..].get(count * length..(count + 1) * length) == Some(group) {
                count += 1;
            }
            count
        };
        let longest = GROUP.min(words.len() - at);
        let best = (1..=longest)
            .map(|length| (length, times(length)))
            .filter(|(_, count)| *count > 1)
            .max_by_key(|(length, count)| (length * count, std::cmp::Reverse(*length)));
        match best {
            Some((1, count)) => {
                out.push(format!("{}*{count}", words[at]));
                at += count;
            }
            Some((length, count)) => {
                out.push(format!("({})*{count}", words[at..at + length].join(" ")));
                at += length * count;
            }
            None => {
                out.push(words[at].clone());
                at += 1;
            }
        }
    }
    out.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats() {
        for (words, text) in [
            ("a", "a"),
            ("a a a b", "a*3 b"),
            ("c a b a b a b c", "c (a b)*3 c"),
            ("a b c", "a b c"),
        ] {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            assert_eq!(repeats_counted(&words), text);
        }
    }
}
