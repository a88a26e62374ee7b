//! Handing a report over: text, JSON, SARIF, HTML, a file for each finding.

use crate::output;
use crate::{Conclusion, Fault};
use clap::Args;
use nanoscope_report::text::{Files, Kept, Layout, Sources, to_text};
use nanoscope_report::{
    Note, Place, Report, Rule, compare, from_json, test_to_json, to_html, to_json, to_junit,
    to_markdown, to_regression_test, to_sarif,
};
use std::path::{Path, PathBuf};

/// Where the report goes.
#[derive(Debug, Args)]
pub struct Delivery {
    /// Write the report as JSON to a file, or to standard output (-) in place of the text. While
    /// the work goes on the file has what is settled by then
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Write the findings as SARIF 2.1.0 to a file (-: standard output), for code hosts and
    /// editors
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,

    /// Write the report as a page of HTML to a file (-: standard output)
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write the functions as test cases in JUnit XML to a file (-: standard output)
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Write a summary in Markdown to a file (-: standard output), for a pull request
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,

    /// Write each finding to a file of its own in this folder, for `nanoscope replay`
    #[arg(long, value_name = "DIR")]
    pub findings: Option<PathBuf>,

    /// Write a regression test in C, C++ or Fortran for each finding into this folder, a program that
    /// fails as long as it happens; and, of `nanoscope test`, the inputs of each test as JSON
    #[arg(long, value_name = "DIR")]
    pub tests: Option<PathBuf>,

    /// Show every finding whole, instead of grouping them into stories
    #[arg(long)]
    pub all: bool,

    /// Show, and count for the exit code, only findings that this report (written by --json) does
    /// not have; lines may have moved. The JSON still has all
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// No text report and no progress line; the exit code tells
    #[arg(long, short)]
    pub quiet: bool,

    /// Leave suppressions to whoever reads the report
    #[arg(long, hide = true)]
    pub unsuppressed: bool,
}

/// What is known beside a report.
pub struct Context<'a> {
    /// Where source lines come from.
    pub sources: &'a dyn Sources,
    /// Findings that are allowed.
    pub rules: Vec<Rule>,
    /// Whether everything was asked about, not some functions.
    pub whole: bool,
}

impl Delivery {
    /// Finds out before the work, not after it, that its result has nowhere to go.
    pub fn prepare(&self) -> Result<(), Fault> {
        for folder in [&self.findings, &self.tests].into_iter().flatten() {
            std::fs::create_dir_all(folder)
                .map_err(|error| output::cannot("make the folder", folder, &error))?;
        }
        let to_stdout = self.files().filter(|path| output::is_stdout(path)).count();
        if to_stdout > 1 {
            return Err(Fault::User(
                "only one of --json, --sarif, --html, --junit and --markdown can go to standard output \
                 (-)".to_string(),
            ));
        }
        for path in self.files().filter(|path| !output::is_stdout(path)) {
            // Opened for appending, an existing file keeps what it has until there is better.
            std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(path)
                .map_err(|error| output::cannot("write", path, &error))?;
        }
        Ok(())
    }

    /// Writes what is settled so far, so that it is not lost with the process. What cannot be
    /// written now will be complained about at the end.
    pub fn keep(&self, report: &Report) {
        if let Some(path) = self.json.as_ref().filter(|path| !output::is_stdout(path)) {
            let kept = report.clone().with_fingerprints(&Files::default());
            let _ = output::write(path, &to_json(&kept));
        }
    }

    /// Writes everything that was asked for, with the suppressions that the sources have.
    pub fn deliver(&self, report: Report) -> Result<Conclusion, Fault> {
        let sources = Files::default();
        self.deliver_in(report, &Context { sources: &sources, rules: Vec::new(), whole: false })
    }

    /// Writes everything that was asked for.
    pub fn deliver_in(&self, report: Report, context: &Context) -> Result<Conclusion, Fault> {
        let sources = context.sources;
        let mut report = report.with_fingerprints(sources);
        if !self.unsuppressed {
            report = report.suppressing(&context.rules, sources, context.whole);
        }
        if let Some(path) = &self.json {
            output::write(path, &to_json(&report))?;
        }
        if let Some(path) = &self.baseline {
            report = since(report, path)?;
        }
        let report = &report;
        if let Some(folder) = &self.findings {
            for finding in &report.findings {
                let alone = report.only(&finding.id).expect("it is one of the report's");
                output::write(&folder.join(format!("{}.json", finding.id)), &to_json(&alone))?;
            }
        }
        if let Some(folder) = &self.tests {
            for finding in &report.findings {
                match to_regression_test(report, finding) {
                    Ok(test) => output::write(&folder.join(&test.file), &test.text)?,
                    Err(why) => {
                        output::tell(&format!("nanoscope: no test for {}: {why}", finding.id));
                    }
                }
            }
        }
        if let Some(folder) = &self.tests {
            for test in &report.tests {
                let file = folder.join(format!("{}.json", test.name));
                output::write(&file, &test_to_json(report, test))?;
            }
        }
        if let Some(path) = &self.sarif {
            output::write(path, &to_sarif(report, sources))?;
        }
        if let Some(path) = &self.html {
            output::write(path, &to_html(report, sources))?;
        }
        if let Some(path) = &self.junit {
            output::write(path, &to_junit(report))?;
        }
        if let Some(path) = &self.markdown {
            output::write(path, &to_markdown(report))?;
        }
        if !self.quiet && !self.files().any(output::is_stdout) {
            let layout = Layout {
                paint: output::paint(),
                width: output::width(),
                sources,
                kept: self.kept(),
                all: self.all,
            };
            output::print(&to_text(report, &layout))?;
        }
        Ok(if report.findings.is_empty() { Conclusion::Nothing } else { Conclusion::Findings })
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.json, &self.sarif, &self.html, &self.junit, &self.markdown]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
    }

    fn kept(&self) -> Kept {
        match (&self.findings, &self.json) {
            (Some(folder), _) => Kept::Folder(folder.display().to_string()),
            (None, Some(file)) => Kept::Report(file.display().to_string()),
            (None, None) => Kept::Nowhere,
        }
    }
}

/// A report of what is new since another was written.
fn since(report: Report, path: &Path) -> Result<Report, Fault> {
    let text =
        std::fs::read_to_string(path).map_err(|error| output::cannot("read", path, &error))?;
    let old =
        from_json(&text).map_err(|error| Fault::User(format!("{}: {error}", path.display())))?;
    let compared = compare(&old, &report);
    let gone = compared.fixed.len() + compared.open.len();
    let text = format!(
        "only what is new is shown: {} of the findings are in the baseline {} too; {gone} of the \
         baseline's were not found any more",
        compared.still.len(),
        path.display(),
    );
    let note = Note { function: String::new(), place: Place::default(), text };
    Ok(report.with_findings(compared.new).with_notes([note]))
}
