//! How every function handles exceptions: a heat map of what was not handled, by function and
//! binary.

use super::escaped;
use crate::words::put;
use crate::{Handled, Report};

/// All of it.
pub(super) fn write(page: &mut String, report: &Report) {
    let Some(handling) = &report.handling else { return };
    page.push_str(
        "<h2 id=\"handling\">Spoofed exceptions by function</h2>\n<table>\n<tr><th>function</th>\
         <th>binary</th><th class=\"count\">calls</th><th class=\"count\">classes</th>\
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
                 </td><td class=\"count\">{classes}</td><td class=\"count\">{input_spoofs}</td>{}\
                 <td class=\"count\">{result_spoofs}</td>{}<td class=\"count\">{reified}</td></tr>\n",
                escaped(&row.function),
                escaped(&row.binary),
                heat(row.input_failures, *input_spoofs),
                heat(row.warnings, *result_spoofs),
            ),
        );
    }
    page.push_str("</table>\n");
}

/// A cell that is the warmer, the larger the share. The square root keeps small shares visible.
fn heat(part: u64, whole: u64) -> String {
    let share = if whole == 0 { 0.0 } else { (part as f64 / whole as f64).sqrt() };
    format!("<td class=\"count\" style=\"background:rgba(220,60,30,{share:.2})\">{part}</td>")
}
