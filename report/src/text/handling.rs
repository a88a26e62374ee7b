//! The part of the text that is about the handling of exceptions: a row a function, then what
//! vanished without being a finding.

use super::Layout;
use crate::handling::by_place;
use crate::words::{plural, put};
use crate::{Handled, Handling, Report, Vanished};
use std::collections::BTreeMap;

/// So many rows of what vanished are shown; the JSON has all.
const SHOWN: usize = 12;

pub(super) fn write(out: &mut String, report: &Report, handling: &Handling, layout: &Layout) {
    let paint = layout.paint;
    let several = handling.functions.iter().any(|f| f.binary != handling.functions[0].binary);
    let title = format!(
        "{:<18} {:>7} {:>8} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>8}",
        "function",
        "calls",
        "spoofed",
        "done",
        "classes",
        "inputs",
        "failed",
        "results",
        "warnings",
        "reified"
    );
    put(out, format_args!("{}\n", paint.bold(&title)));
    for f in &handling.functions {
        let binary = if several { format!("  {}", f.binary) } else { String::new() };
        put(
            out,
            format_args!(
                "{:<18} {:>7} {:>8} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>8}{binary}\n",
                f.function,
                f.calls,
                f.spoofed_calls,
                done(f),
                f.classes,
                f.input_spoofs,
                f.input_failures,
                f.result_spoofs,
                f.warnings,
                f.reified
            ),
        );
    }
    out.push('\n');
    let mut unfit: BTreeMap<&str, u64> = BTreeMap::new();
    for f in &handling.functions {
        f.unfit.iter().for_each(|(why, count)| *unfit.entry(why).or_default() += count);
    }
    for (why, count) in unfit {
        put(out, format_args!("not spoofed: {} ({why})\n", plural(count, "call")));
    }
    list(out, "vanishes as it should", &handling.apart, layout);
    list(out, "warning, no input known", &handling.warnings, layout);
    let findings = plural(report.findings.len() as u64, "finding");
    let functions = plural(handling.functions.len() as u64, "function");
    put(out, format_args!("{}\n", paint.bold(&format!("{findings} in {functions}."))));
    put(out, format_args!("{}\n", paint.dim(&format!("{:.1} s", report.statistics.seconds))));
}

/// How much of a function was looked at.
pub(crate) fn done(f: &Handled) -> String {
    let looked = f.spoofed_calls + f.unfit.values().sum::<u64>();
    match f.whole {
        true => "whole".to_string(),
        // What is not whole is not 100 %.
        false => format!("{} %", (100 * looked / f.calls.max(1)).min(99)),
    }
}

fn list(out: &mut String, title: &str, all: &[Vanished], layout: &Layout) {
    if all.is_empty() {
        return;
    }
    put(out, format_args!("\n{}\n", layout.paint.bold(title)));
    let groups = by_place(all);
    for (one, values, spoofs) in groups.iter().take(SHOWN) {
        let mut place = one.place.clone();
        if !one.instruction.is_empty() {
            put(&mut place, format_args!("  {}", one.instruction));
            if !one.source.is_empty() {
                put(&mut place, format_args!(" ({})", one.source));
            }
        }
        let why = if one.why.is_empty() { &one.effect } else { &one.why };
        let values = values.join(", ");
        put(out, format_args!("  {}: {place} = {values}: {why} ({spoofs}×)\n", one.function));
    }
    if groups.len() > SHOWN {
        put(out, format_args!("  … and {} more, in the JSON\n", groups.len() - SHOWN));
    }
    out.push('\n');
}
