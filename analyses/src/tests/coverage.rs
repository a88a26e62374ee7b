//! What tests cover: lines and branches, counted by clang's instrumentation in native runs
//! and read with LLVM's tools.

use super::inputs::Case;
use super::native::Natives;
use super::seen::same_file;
use crate::subject::Scratch;
use nanoscope_program::Fault;
use nanoscope_report::{Coverage, FileCoverage, HalfTaken, Share};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Runs all cases once more, counting; nothing where time or the tools are short.
pub(super) fn measure(
    natives: &Natives,
    cases: &[&Case],
    deadline: Instant,
) -> Result<Option<Coverage>, Fault> {
    if cases.is_empty() || Instant::now() >= deadline {
        return Ok(None);
    }
    let Ok(mut whole) = natives.covered(deadline) else { return Ok(None) };
    for case in cases {
        if Instant::now() >= deadline {
            return Ok(None);
        }
        natives.run_on(&mut whole, case)?;
    }
    let scratch = Scratch::new()?;
    let (raw, merged) = (scratch.path().join("runs.profraw"), scratch.path().join("runs.profdata"));
    // A program with a memory management of its own may not survive what is built in.
    if whole.write_profile(&raw).is_err() {
        return Ok(None);
    }
    let merge = ["merge".as_ref(), raw.as_os_str(), "-o".as_ref(), merged.as_os_str()];
    if tool("llvm-profdata-19", &merge).is_none() {
        return Ok(None);
    }
    let profile = format!("-instr-profile={}", merged.display());
    let export = [
        "export".as_ref(),
        whole.executable().as_os_str(),
        profile.as_ref(),
        "-skip-functions".as_ref(),
        "-skip-expansions".as_ref(),
    ];
    let Some(text) = tool("llvm-cov-19", &export) else { return Ok(None) };
    Ok(serde_json::from_str(&text).ok().and_then(|value| read(&value, natives.names())))
}

/// What a tool of LLVM's prints, if it is there and content.
fn tool(name: &str, arguments: &[&std::ffi::OsStr]) -> Option<String> {
    let output =
        Command::new(name).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Reads what `llvm-cov export` prints.
fn read(export: &Value, names: &[String]) -> Option<Coverage> {
    let data = export.get("data")?.get(0)?;
    let mut coverage = Coverage::default();
    for file in data.get("files")?.as_array()? {
        let path = file.get("filename")?.as_str()?;
        let share = |what: &str| {
            let summary = file.get("summary")?.get(what)?;
            Some(Share {
                covered: summary.get("covered")?.as_u64()?,
                total: summary.get("count")?.as_u64()?,
            })
        };
        let (lines, branches) = (share("lines")?, share("branches")?);
        let add = |all: &mut Share, share: Share| {
            all.covered += share.covered;
            all.total += share.total;
        };
        add(&mut coverage.lines, lines);
        add(&mut coverage.branches, branches);
        let named = names.iter().find(|name| same_file(name, path));
        coverage.files.push(FileCoverage {
            file: named.cloned().unwrap_or_else(|| path.to_owned()),
            lines,
            branches,
            counts: counts(file.get("segments")?.as_array()?),
            half_taken: half_taken(file.get("branches")?.as_array()?),
        });
    }
    coverage.files.sort_by(|a, b| a.file.cmp(&b.file));
    Some(coverage)
}

/// A change of the count: line, column, count, whether it counts at all, whether a region
/// begins, whether that is a gap between others.
struct Segment {
    line: u32,
    count: u64,
    counts: bool,
    begins: bool,
    gap: bool,
}

fn segment(value: &Value) -> Option<Segment> {
    let truth = |at: usize| value.get(at).and_then(Value::as_bool).unwrap_or(false);
    Some(Segment {
        line: u32::try_from(value.get(0)?.as_u64()?).ok()?,
        count: value.get(2)?.as_u64()?,
        counts: truth(3),
        begins: truth(4),
        gap: truth(5),
    })
}

/// How often each line ran: as often as the most frequent region that begins on it, or the
/// one that it lies in.
fn counts(segments: &[Value]) -> Vec<(u32, u64)> {
    let segments: Vec<Segment> = segments.iter().filter_map(segment).collect();
    let mut list = Vec::new();
    let Some(last) = segments.last().map(|segment| segment.line) else { return list };
    let mut next = 0;
    let mut around: Option<&Segment> = None;
    for line in segments[0].line..=last {
        let start = next;
        while segments.get(next).is_some_and(|segment| segment.line == line) {
            next += 1;
        }
        let here = &segments[start..next];
        let begun = here.iter().filter(|s| s.counts && s.begins && !s.gap).map(|s| s.count).max();
        let within = around.filter(|segment| segment.counts && !segment.gap).map(|s| s.count);
        // A region that begins on a line does not make what came before it run again.
        if let Some(count) = begun.max(within) {
            list.push((line, count));
        }
        around = here.last().or(around);
    }
    list
}

fn half_taken(branches: &[Value]) -> Vec<HalfTaken> {
    let mut list: Vec<HalfTaken> = Vec::new();
    for branch in branches {
        let number = |at: usize| branch.get(at).and_then(Value::as_u64).unwrap_or(0);
        let (was_true, was_false) = (number(4) > 0, number(5) > 0);
        if !(was_true && was_false) {
            let (line, column) = (number(0) as u32, number(1) as u32);
            list.push(HalfTaken { line, column, was_true, was_false });
        }
    }
    list
}

/// Whether LLVM's tools for coverage are there.
pub fn tools_are_there() -> bool {
    let there = |name: &str| {
        std::env::var_os("PATH").is_some_and(|paths| {
            std::env::split_paths(&paths).any(|folder| Path::new(&folder).join(name).exists())
        })
    };
    there("llvm-profdata-19") && there("llvm-cov-19")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_export_is_read() {
        let export = json!({"data": [{"files": [{
            "filename": "/home/u/p.c",
            "summary": {"lines": {"count": 4, "covered": 3}, "branches": {"count": 2, "covered": 1}},
            "segments": [
                [1, 16, 5, true, true, false], [2, 9, 5, true, true, false],
                [2, 14, 0, true, true, true], [3, 9, 0, true, true, false],
                [3, 18, 5, true, false, false], [4, 2, 0, false, false, false]
            ],
            "branches": [[2, 9, 2, 14, 0, 5, 0, 0, 4]]
        }]}]});
        let coverage = read(&export, &["p.c".to_owned()]).expect("it is one");
        let file = &coverage.files[0];
        assert_eq!(file.file, "p.c");
        assert_eq!(coverage.lines, Share { covered: 3, total: 4 });
        assert_eq!(file.counts, [(1, 5), (2, 5), (3, 0), (4, 5)]);
        let half = HalfTaken { line: 2, column: 9, was_true: false, was_false: true };
        assert_eq!(file.half_taken, [half]);
        assert!(read(&json!({}), &[]).is_none());
    }
}
