//! The page in a browser: it is drawn, it filters and sorts, no script fails, text stands out from its
//! ground in both schemes, and all that can be clicked can be reached by the keyboard and has a name.

mod sample;

use nanoscope_report::text::Files;
use nanoscope_report::{Report, to_html};
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
  const row = document.querySelector("#rows button");
  row.click();
  seen.opened = document.querySelectorAll("tr.opened").length;
  seen.expanded = row.getAttribute("aria-expanded");
  row.click();
  seen.closed = document.querySelectorAll("tr.opened").length === 0 && row.getAttribute("aria-expanded") === "false";
  row.focus();
  row.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
  seen.down = document.activeElement === document.querySelectorAll("#rows button")[1];
  document.body.setAttribute("data-seen", JSON.stringify(seen));
})();
</script>"##;

/// Looks for what somebody could not read or reach.
const INSPECTOR: &str = r##"<script>
(() => {
  const seen = { dark: matchMedia("(prefers-color-scheme: dark)").matches, faint: [], nameless: [], twice: [] };
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  document.querySelector("#rows button").click();
  const channels = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const opaque = (colour) => { const [, , , alpha = 1] = channels(colour); return colour !== "transparent" && alpha === 1; };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (opaque(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((value) => value / 255).map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => { const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y); return (high + 0.05) / (low + 0.05); };
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || ["SCRIPT", "STYLE", "NOSCRIPT", "OPTION", "TITLE", "title"].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const ratio = contrast(element instanceof SVGElement ? style.fill : style.color, ground(element));
    if (ratio < 4.5) seen.faint.push(`${element.tagName}.${element.getAttribute("class")} ${ratio.toFixed(2)}: ${element.textContent.slice(0, 30)}`);
  }
  for (const element of document.querySelectorAll("button, a, input, select, summary, [role=img], table[class], nav")) {
    const name = element.getAttribute("aria-label") || element.labels?.[0]?.textContent || (element.matches("[role=img], table, nav") ? "" : element.textContent);
    if (!element.hidden && !name.trim()) seen.nameless.push(element.outerHTML.slice(0, 80));
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  seen.twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  seen.skipped = [...document.querySelectorAll("button, a, input, select, summary")].filter((element) => element.tabIndex < 0).length;
  document.body.setAttribute("data-seen", JSON.stringify(seen));
})();
</script>"##;

/// What a script sees of the page of a report, in a browser with more options; none without a browser.
fn seen(report: &Report, script: &str, options: &[&str]) -> Option<serde_json::Value> {
    let Some(browser) = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok())
    else {
        // Written past the harness; `scripts/test.sh` counts these lines.
        let _ = writeln!(std::io::stderr(), "skipped: the page in a browser: no chromium");
        return None;
    };
    let page = to_html(report, &Files::default());
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("page.html");
    let (head, tail) = page.rsplit_once("</body>").expect("a page has a body");
    fs::write(&file, format!("{head}{script}</body>{tail}")).expect("the folder takes files");
    let run = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom"])
        .args(options)
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
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    Some(serde_json::from_str(&seen).expect("the script wrote JSON"))
}

#[test]
fn a_reader_filters_sorts_and_opens() {
    let report = sample::report();
    let Some(seen) = seen(&report, READER, &[]) else { return };
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
    assert_eq!(seen["expanded"], "true");
    assert_eq!(seen["closed"], true);
    assert_eq!(seen["down"], true, "the arrow goes to the next row");
    assert!(seen["stories"].as_u64().is_some_and(|stories| stories > 0), "{seen}");
    let page = to_html(&report, &Files::default());
    assert!(!page.contains("http://") && !page.contains("src=\"//"), "nothing is fetched");
}

#[test]
fn everybody_can_read_and_reach_it() {
    for (is_dark, scheme) in [(false, "1"), (true, "0")] {
        let scheme = format!("--blink-settings=preferredColorScheme={scheme}");
        let Some(seen) = seen(&sample::report(), INSPECTOR, &[&scheme]) else { return };
        assert_eq!(seen["dark"], is_dark, "{seen}");
        for problem in ["faint", "nameless", "twice"] {
            assert_eq!(seen[problem], serde_json::json!([]), "{problem}, dark: {is_dark}");
        }
        assert_eq!(seen["skipped"], 0, "controls that the keyboard does not reach");
    }
}
