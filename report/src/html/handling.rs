//! How every function handles exceptions: heat maps of what was not handled, by function and binary, and
//! of what other builds do with the same inputs; then what vanished without being a finding.

use super::escaped;
use crate::handling::by_place;
use crate::text::done;
use crate::words::put;
use crate::{Handled, Report, Vanished};
use serde_json::Value;
use std::collections::BTreeMap;

/// All of it.
pub(super) fn write(page: &mut String, report: &Report) {
    let Some(handling) = &report.handling else { return };
    page.push_str(
        "<h2 id=\"handling\">Spoofed exceptions by function</h2>\n<table>\n<tr><th>function</th>\
         <th>binary</th><th class=\"count\">calls</th><th class=\"count\">done</th><th class=\"count\">classes</th>\
         <th class=\"count\">inputs</th><th class=\"count\">not handled</th>\
         <th class=\"count\">results</th><th class=\"count\">not handled</th>\
         <th class=\"count\">with an input</th></tr>\n",
    );
    for row in &handling.functions {
        let Handled { calls, classes, input_spoofs, result_spoofs, reified, .. } = row;
        put(
            page,
            format_args!(
                "<tr><td><code>{}</code></td><td><code>{}</code></td><td class=\"count\">{calls}\
                 </td><td class=\"count\">{}</td><td class=\"count\">{classes}</td><td class=\"count\">{input_spoofs}</td>{}\
                 <td class=\"count\">{result_spoofs}</td>{}<td class=\"count\">{reified}</td></tr>\n",
                escaped(&row.function),
                escaped(&row.binary),
                done(row),
                heat(row.input_failures, *input_spoofs),
                heat(row.warnings, *result_spoofs),
            ),
        );
    }
    page.push_str("</table>\n");
    builds(page, report);
    vanished(page, "Warnings: spoofed results that vanish, no input known", &handling.warnings);
    vanished(page, "Vanishes as it should", &handling.apart);
}

/// A cell that is the warmer, the larger the share. The square root keeps small shares visible.
fn heat(part: u64, whole: u64) -> String {
    format!("<td class=\"count\" style=\"{}\">{part}</td>", warmth(part, whole))
}

fn warmth(part: u64, whole: u64) -> String {
    let share = if whole == 0 { 0.0 } else { (part as f64 / whole as f64).sqrt() };
    format!("background:rgba(220,60,30,{share:.2})")
}

/// How many of a function's findings fail in each of the builds that were tried.
fn builds(page: &mut String, report: &Report) {
    let mut names: Vec<&str> = Vec::new();
    let mut rows: BTreeMap<&str, (u64, BTreeMap<&str, u64>)> = BTreeMap::new();
    for finding in &report.findings {
        let also = finding.details.more.get("also").and_then(Value::as_array);
        let (count, failing) = rows.entry(&finding.function).or_default();
        *count += 1;
        for other in also.into_iter().flatten() {
            let Some(build) = other.get("build").and_then(Value::as_str) else { continue };
            if !names.contains(&build) {
                names.push(build);
            }
            let fails = other.get("fails") == Some(&Value::Bool(true));
            *failing.entry(build).or_default() += u64::from(fails);
        }
    }
    if names.is_empty() {
        return;
    }
    page.push_str(
        "<h2 id=\"builds\">Findings that fail, by function and build</h2>\n<table>\n<tr>\
         <th>function</th><th class=\"count\">tested</th>",
    );
    for name in &names {
        put(page, format_args!("<th class=\"count\"><code>{}</code></th>", escaped(name)));
    }
    page.push_str("</tr>\n");
    for (function, (count, failing)) in rows {
        let (name, all) = (escaped(function), heat(count, count));
        put(page, format_args!("<tr><td><code>{name}</code></td>{all}"));
        for name in &names {
            let fails = failing.get(name).copied().unwrap_or(0);
            page.push_str(&heat(fails, count));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n");
}

fn vanished(page: &mut String, title: &str, all: &[Vanished]) {
    let groups = by_place(all);
    if groups.is_empty() {
        return;
    }
    put(
        page,
        format_args!(
            "<details><summary>{title} ({})</summary>\n<table>\n<tr><th>function</th><th>where</th>\
             <th>instruction</th><th>source</th><th>value</th><th>why</th>\
             <th class=\"count\">spoofs</th></tr>\n",
            groups.len()
        ),
    );
    for (one, values, spoofs) in groups {
        let why = if one.why.is_empty() { &one.effect } else { &one.why };
        put(
            page,
            format_args!(
                "<tr><td><code>{}</code></td><td><code>{}</code></td><td><code>{}</code></td>\
                 <td>{}</td><td>{}</td><td>{}</td><td class=\"count\">{spoofs}</td></tr>\n",
                escaped(&one.function),
                escaped(&one.place),
                escaped(&one.instruction),
                escaped(if one.instruction.is_empty() { "" } else { &one.source }),
                escaped(&values.join(", ")),
                escaped(why),
            ),
        );
    }
    page.push_str("</table>\n</details>\n");
}
