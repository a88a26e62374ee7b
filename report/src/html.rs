//! The report as one HTML page that needs nothing else: to attach to a build, to mail.

mod coverage;

use crate::text::Sources;
use crate::words::{self, by_function, plural, put};
use crate::{Finding, Number, Outcome, Place, Report, Tally};

const STYLE: &str = "\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24 }
h2 { border-bottom: 1px solid #d0d7de; margin-top: 2.5rem }
h2, h3, code, pre, td { font-variant-numeric: tabular-nums }
article { border-left: 4px solid #d0d7de; padding: .1rem 0 .1rem 1rem; margin: 1.5rem 0 }
article.error { border-color: #cf222e } article.warning { border-color: #bf8700 } article.note { border-color: #0969da }
.tag { font-weight: 600 } .error .tag { color: #cf222e } .warning .tag { color: #9a6700 } .note .tag { color: #0969da }
h3 { margin: 0 0 .3rem } pre { background: #f6f8fa; padding: .6rem; overflow-x: auto; margin: .4rem 0 }
mark { background: #ffdf5d } table { border-collapse: collapse } td, th { padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top }
td.count, th.count { text-align: right } .ran { background: #dafbe1 } .never { background: #ffebe9 } .half { background: #fff8c5 } .faint { color: #656d76 }
@media (prefers-color-scheme: dark) { .ran { background: #12261e } .never { background: #2d1518 } .half { background: #2c2410 } body { background: #0d1117; color: #e6edf3 } pre { background: #161b22 } mark { background: #6e5200; color: inherit } h2 { border-color: #30363d } }";

/// The whole page.
pub fn to_html(report: &Report, sources: &dyn Sources) -> String {
    let names = report.subject.sources.join(" ");
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Nanoscope: {0}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n\
         <h1>Nanoscope {1} <code>{0}</code></h1>\n<p>{2}</p>\n",
        escaped(&names),
        escaped(&report.command),
        escaped(&words::conclusion(report)),
    );
    if let Some(harms) = words::harms(report) {
        put(&mut page, format_args!("<p>{}</p>\n", escaped(&harms)));
    }
    goals(&mut page, report);
    for (function, findings) in by_function(&report.findings) {
        put(
            &mut page,
            format_args!(
                "<h2><code>{}</code>: {}</h2>\n",
                escaped(function),
                plural(findings.len() as u64, "finding")
            ),
        );
        for finding in findings {
            article(&mut page, finding, sources);
        }
    }
    for note in &report.notes {
        put(&mut page, format_args!("<p>Note: {}</p>\n", escaped(&words::note(note))));
    }
    verdicts(&mut page, report);
    coverage::write(&mut page, report, sources);
    put(
        &mut page,
        format_args!(
            "<p class=\"faint\">Nanoscope {}, seed {}, {:.1} s, {}</p>\n</body>\n</html>\n",
            escaped(&report.version),
            report.seed,
            report.statistics.seconds,
            match &report.statistics.exploration {
                Some(exploration) => plural(exploration.paths, "path"),
                None => plural(report.statistics.search.evaluations, "evaluation"),
            }
        ),
    );
    page
}

fn goals(page: &mut String, report: &Report) {
    page.push_str(
        "<table>\n<tr><th>goals</th><th class=\"count\">reached</th>\
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

fn article(page: &mut String, finding: &Finding, sources: &dyn Sources) {
    let severity = finding.severity().word();
    put(
        page,
        format_args!(
            "<article class=\"{severity}\" id=\"{}\">\n<h3><span class=\"tag\" title=\"{}\">\
             {severity}[{}]</span> {}</h3>\n<div>{}: {}</div>\n",
            escaped(&finding.id),
            escaped(finding.kind.explanation().title),
            finding.kind.name(),
            escaped(&words::headline(finding)),
            escaped(&position(&finding.place)),
            escaped(&words::operation(&finding.operation)),
        ),
    );
    if let Some(line) = source(&finding.place, sources) {
        put(page, format_args!("<pre>{line}</pre>\n"));
    }
    page.push_str("<table>\n");
    let mut rows = |label: &str, numbers: &[Number]| {
        for (index, number) in numbers.iter().enumerate() {
            let hex = match &number.hex {
                Some(hex) if !number.is_exceptional() => hex.as_str(),
                Some(_) | None => "",
            };
            put(
                page,
                format_args!(
                    "<tr><td>{}</td><td><code>{}</code></td><td><code>{}</code></td>\
                     <td class=\"faint\"><code>{}</code></td></tr>\n",
                    if index == 0 { label } else { "" },
                    escaped(&number.name),
                    escaped(&number.value),
                    escaped(hex)
                ),
            );
        }
    };
    rows("input", &finding.inputs);
    rows("operand", &finding.details.operands);
    rows("computed", finding.details.computed.as_slice());
    rows("returned", &finding.details.outputs);
    put(page, format_args!("</table>\n<p>{}</p>\n", escaped(&words::effect(finding))));
    if let Some(build) = words::build(finding) {
        put(page, format_args!("<p>Seen in a build {}.</p>\n", escaped(&build)));
    }
    if let Some(harm) = words::harm(finding) {
        put(page, format_args!("<p>{}</p>\n", escaped(&harm)));
    }
    page.push_str("</article>\n");
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
        let outcome = match verdict.outcome {
            Outcome::Reached => "reached",
            Outcome::Impossible => "impossible",
            Outcome::Open => "open",
        };
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

/// The source line with the operation marked, if it can be had.
fn source(place: &Place, sources: &dyn Sources) -> Option<String> {
    let line = match place.line {
        0 => None,
        number => sources.line(&place.file, number),
    }?;
    // Compilers count bytes; a column inside a letter marks the letter.
    let wanted = (place.column as usize).checked_sub(1);
    let marked = wanted
        .and_then(|at| line.char_indices().find(|(start, letter)| start + letter.len_utf8() > at));
    Some(match marked {
        Some((start, letter)) => format!(
            "{}<mark>{}</mark>{}",
            escaped(&line[..start]),
            escaped(&letter.to_string()),
            escaped(&line[start + letter.len_utf8()..])
        ),
        None => escaped(&line),
    })
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
