//! A folder that receives every question to the solver as SMT-LIB, for other solvers to be
//! tried on.

use nanoscope_term::{Term, Terms};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where questions go. Clones share the numbering.
#[derive(Clone, Debug)]
pub struct QueryLog {
    folder: PathBuf,
    next: Arc<AtomicU64>,
    /// What the questions are about: a function, a file.
    subject: String,
}

impl QueryLog {
    /// A log in a folder that exists.
    pub fn new(folder: PathBuf) -> QueryLog {
        QueryLog { folder, next: Arc::default(), subject: String::new() }
    }

    /// The same log, for questions about a function.
    pub fn of(&self, subject: &str) -> QueryLog {
        QueryLog { subject: subject.to_owned(), ..self.clone() }
    }

    /// Writes a question with its answer (`sat`, `unsat` or `unknown`). One that cannot be
    /// written is one less to look at: the exploration goes on.
    pub(crate) fn write(&self, terms: &Terms, query: &[Term], status: &str, time: Duration) {
        let number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let about = match self.subject.as_str() {
            "" => String::new(),
            subject => format!(" about {subject}"),
        };
        let text = nanoscope_term::smtlib::script_text(terms, query);
        let text = format!(
            "; question {number}{about} of an exploration by Nanoscope, answered in {:.6} s\n\
             (set-info :status {status})\n{text}",
            time.as_secs_f64()
        );
        let _ = std::fs::write(self.folder.join(format!("{number:06}.smt2")), text);
    }
}
