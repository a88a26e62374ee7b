//! The page in a browser: it is drawn, it filters and sorts, and no script fails.

mod sample;

use nanoscope_report::text::Files;
use nanoscope_report::to_html;
use std::fs;
use std::io::Write;
use std::process::Command;

/// Does what a reader does, and leaves what it sees in the document.
const READER: &str = r##"<script>
(() => {
  const seen = {};
  const count = () => document.getElementById("count").textContent;
  const rows = () => document.querySelectorAll("#rows tr").length;
  const words = document.getElementById("words");
  const type = (text) => { words.value = text; words.dispatchEvent(new Event("input")); };
  seen.stories = document.querySelectorAll("#told article").length;
  seen.all = count();
  type("overflow");
  seen.filtered = count();
  type("no such word anywhere");
  seen.none = rows();
  type("");
  document.querySelector("th[data-key=kind]").firstElementChild.click();
  const kinds = [...document.querySelectorAll("#rows tr")].map((row) => row.children[1].textContent);
  seen.sorted = JSON.stringify(kinds) === JSON.stringify([...kinds].sort());
  document.querySelector("#rows tr").click();
  seen.opened = document.querySelectorAll("tr.opened").length;
  document.body.setAttribute("data-seen", JSON.stringify(seen));
})();
</script>"##;

#[test]
fn a_reader_filters_sorts_and_opens() {
    let Some(browser) = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok())
    else {
        // Written past the harness; `scripts/test.sh` counts these lines.
        let _ = writeln!(std::io::stderr(), "skipped: the page in a browser: no chromium");
        return;
    };
    let report = sample::report();
    let page = to_html(&report, &Files::default());
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("page.html");
    let (head, tail) = page.rsplit_once("</body>").expect("a page has a body");
    fs::write(&file, format!("{head}{READER}</body>{tail}")).expect("the folder takes files");
    let run = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("the browser runs");
    let (dom, said) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    let complaints: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "the console says: {complaints:?}");
    let seen = dom
        .split("data-seen=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap_or_else(|| panic!("the reader's script did not end: {said}"))
        .replace("&quot;", "\"");
    let seen: serde_json::Value = serde_json::from_str(&seen).expect("the script wrote JSON");
    let findings = report.findings.len();
    let overflows = report.findings.iter().filter(|finding| {
        let text = format!("{} {}", finding.kind.name(), finding.function);
        text.contains("overflow")
    });
    assert_eq!(seen["all"], format!("{findings} of {findings} findings"));
    assert_eq!(seen["filtered"], format!("{} of {findings} findings", overflows.count()));
    assert_eq!(seen["none"], 0);
    assert_eq!(seen["sorted"], true);
    assert_eq!(seen["opened"], 1);
    assert!(seen["stories"].as_u64().is_some_and(|stories| stories > 0), "{seen}");
    assert!(!page.contains("http://") && !page.contains("src=\"//"), "nothing is fetched");
}
