//! The report as one HTML page that needs nothing else: to attach to a build, to mail.

mod charts;
mod coverage;
mod data;
mod handling;
mod precision;
mod source;

use crate::text::Sources;
use crate::words::{self, plural, put};
use crate::{Outcome, Place, Report, Tally};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page. Its text and charts are there without a script; stories and the table of
/// findings are drawn by one, so that ten thousand of them open quickly.
pub fn to_html(report: &Report, sources: &dyn Sources) -> String {
    let names = report.subject.sources.join(" ");
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Nanoscope: {0}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{1}<main>\n\
         <h1 id=\"summary\">Nanoscope {2} <code>{0}</code></h1>\n<p>{3}</p>\n",
        escaped(&names),
        contents(report),
        escaped(&report.command),
        escaped(&words::conclusion(report)),
    );
    if let Some(harms) = words::harms(report) {
        put(&mut page, format_args!("<p>{}</p>\n", escaped(&harms)));
    }
    charts::write(&mut page, report);
    goals(&mut page, report);
    handling::write(&mut page, report);
    precision::write(&mut page, report, sources);
    if !report.findings.is_empty() {
        page.push_str(FINDINGS);
    }
    notes(&mut page, report);
    verdicts(&mut page, report);
    source::write(&mut page, report, sources);
    coverage::write(&mut page, report, sources);
    put(
        &mut page,
        format_args!(
            "<p class=\"faint\">Nanoscope {}, seed {}, {:.1} s, {}</p>\n</main>\n",
            escaped(&report.version),
            report.seed,
            report.statistics.seconds,
            match &report.statistics.exploration {
                Some(exploration) => plural(exploration.paths, "path"),
                None => plural(report.statistics.search.evaluations, "evaluation"),
            }
        ),
    );
    if !report.findings.is_empty() {
        put(
            &mut page,
            format_args!(
                "<script id=\"data\" type=\"application/json\">{}</script>\n<script>\n{SCRIPT}</script>\n",
                data::of(report, sources)
            ),
        );
    }
    page.push_str("</body>\n</html>\n");
    page
}

/// Where the script puts the stories and the table.
const FINDINGS: &str = "\
<h2 id=\"stories\">Stories</h2>
<p>Findings with one root are one story; the most important comes first.</p>
<noscript><p>The stories and the table of findings need JavaScript; the JSON report has the same.</p></noscript>
<div id=\"told\"></div><button class=\"copy\" type=\"button\" id=\"more-stories\" hidden></button>
<h2 id=\"findings\">All findings</h2>
<div class=\"filter\" role=\"search\"><label>Filter <input id=\"words\" type=\"search\" placeholder=\"function, file, words\"></label>
<label>Kind <select id=\"kind\"><option value=\"\">all</option></select></label>
<label>Severity <select id=\"severity\"><option value=\"\">all</option><option>error</option><option>warning</option><option>note</option></select></label>
<span id=\"count\" aria-live=\"polite\"></span></div>
<table class=\"list\" aria-label=\"All findings\"><thead><tr><th scope=\"col\" data-key=\"severity\"><button type=\"button\">severity</button></th><th scope=\"col\" data-key=\"kind\"><button type=\"button\">kind</button></th><th scope=\"col\" data-key=\"function\"><button type=\"button\">function</button></th><th scope=\"col\" data-key=\"place\"><button type=\"button\">place</button></th><th scope=\"col\">what</th><th scope=\"col\" data-key=\"harm\"><button type=\"button\">harm</button></th></tr></thead><tbody id=\"rows\"></tbody></table>
<button class=\"copy\" type=\"button\" id=\"more-rows\" hidden>Show more</button>
";

/// The table of contents, of the sections that are there.
fn contents(report: &Report) -> String {
    let mut links = vec![("summary", "Summary")];
    if !report.errors.is_empty() {
        links.push(("errors", "Errors"));
    }
    if report.handling.is_some() {
        links.push(("handling", "Functions"));
    }
    if !report.findings.is_empty() {
        links.extend([("stories", "Stories"), ("findings", "All findings")]);
    }
    if !report.notes.is_empty() {
        links.push(("notes", "Notes"));
    }
    if !report.verdicts.is_empty() {
        links.push(("source", "Source"));
    }
    if report.coverage.is_some() {
        links.push(("coverage", "Coverage"));
    }
    let links: Vec<String> =
        links.into_iter().map(|(id, title)| format!("<a href=\"#{id}\">{title}</a>")).collect();
    format!("<nav aria-label=\"Contents\">{}</nav>\n", links.join(""))
}

fn notes(page: &mut String, report: &Report) {
    if report.notes.is_empty() {
        return;
    }
    page.push_str("<h2 id=\"notes\">Notes</h2>\n<ul>\n");
    for note in &report.notes {
        put(page, format_args!("<li>{}</li>\n", escaped(&words::note(note))));
    }
    page.push_str("</ul>\n");
}

fn goals(page: &mut String, report: &Report) {
    if report.handling.is_some() {
        return; // spoofs, not goals
    }
    page.push_str(
        "<table aria-label=\"Goals by kind\">\n<tr><th>goals</th><th class=\"count\">reached</th>\
         <th class=\"count\">impossible</th><th class=\"count\">open</th></tr>\n",
    );
    let mut row = |name: &str, tally: Tally| {
        put(
            page,
            format_args!(
                "<tr><td>{name}</td><td class=\"count\">{}</td><td class=\"count\">{}</td>\
                 <td class=\"count\">{}</td></tr>\n",
                tally.reached, tally.impossible, tally.open
            ),
        );
    };
    for (name, tally) in words::tallies(report) {
        row(name, tally);
    }
    page.push_str("</table>\n");
}

/// Every verdict that is not a finding, folded away.
fn verdicts(page: &mut String, report: &Report) {
    let rest: Vec<_> =
        report.verdicts.iter().filter(|verdict| verdict.outcome != Outcome::Reached).collect();
    if rest.is_empty() {
        return;
    }
    put(
        page,
        format_args!(
            "<details>\n<summary>{} not reached</summary>\n<table>\n",
            plural(rest.len() as u64, "goal")
        ),
    );
    for verdict in rest {
        let outcome = source::word(verdict.outcome);
        put(
            page,
            format_args!(
                "<tr><td>{}</td><td><code>{}</code></td><td>{}</td><td>{outcome}: {}</td></tr>\n",
                escaped(&position(&verdict.place)),
                escaped(&verdict.function),
                verdict.kind.name(),
                escaped(&verdict.why)
            ),
        );
    }
    page.push_str("</table>\n</details>\n");
}

fn position(place: &Place) -> String {
    match place.line {
        0 => place.file.clone(),
        line => format!("{}:{line}", place.file),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}
