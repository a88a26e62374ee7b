//! Makes the page of a report in JSON, and of one with many times as many findings:
//! `page REPORT.json [COPIES] > page.html`.

use nanoscope_report::text::Files;
use nanoscope_report::{Report, Run, from_json, to_html};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a report in JSON");
    let copies: usize = arguments.next().map_or(1, |copies| copies.parse().expect("a number"));
    let text = std::fs::read_to_string(path).expect("the report can be read");
    let report = from_json(&text).expect("it is a report");
    let run =
        Run { command: report.command.clone(), seed: report.seed, subject: report.subject.clone() };
    let mut findings = Vec::new();
    for copy in 0..copies {
        findings.extend(report.findings.iter().cloned().map(|mut finding| {
            if copy > 0 {
                finding.id = format!("{}-{copy}", finding.id);
                finding.function = format!("{}_{copy}", finding.function);
            }
            finding
        }));
    }
    let many = Report::new(run, findings, report.verdicts.clone(), report.statistics.clone());
    print!("{}", to_html(&many.with_notes(report.notes), &Files::default()));
}
