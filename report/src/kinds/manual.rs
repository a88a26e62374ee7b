//! A kind's documentation, for the terminal and as the page `docs/findings.md`.

use super::Kind;
use std::fmt::Write;

impl Kind {
    /// What `nanoscope explain` prints.
    pub fn manual(self) -> String {
        let explanation = self.explanation();
        let indent = |text: &str| {
            text.lines().map(|line| format!("    {line}").trim_end().to_string() + "\n").collect()
        };
        let sections: [(&str, String); 4] = [
            ("What it is", indent(explanation.what)),
            ("Why it matters", indent(explanation.why)),
            ("Example", indent(explanation.example)),
            ("What to do", indent(explanation.remedy)),
        ];
        let mut text =
            format!("{} ({}): {}\n", self.name(), explanation.severity.word(), explanation.title);
        for (heading, body) in sections {
            let _ = write!(text, "\n{heading}\n\n{body}");
        }
        text
    }
}

/// The page on every kind, in Markdown.
pub fn page() -> String {
    let mut text = String::from(
        "# The kinds of finding\n\nMade from `report/src/kinds/` by `make docs`; \
         `nanoscope explain KIND` prints the same.\n",
    );
    for &kind in Kind::ALL {
        let explanation = kind.explanation();
        let _ = write!(
            text,
            "\n## {}\n\n{}. In itself: {}.\n\n{}\n\n**Why it matters.** {}\n\n```c\n{}\n```\n\n\
             **What to do.** {}\n",
            kind.name(),
            explanation.title,
            explanation.severity.word(),
            explanation.what,
            explanation.why,
            explanation.example,
            explanation.remedy
        );
    }
    text
}
