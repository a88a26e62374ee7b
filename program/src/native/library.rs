//! Native code made from a program: a shared library, and what its symbols mean.
//!
//! An instrumented library exports (C declarations):
//!
//! ```c
//! uint32_t nanoscope_entry;                    // which target: `Target::entry`; set by the host
//! void     nanoscope_run(const uint64_t *inputs, uint64_t *outputs);
//! void     nanoscope_reset(void);              // restores every global that may be written
//! void     nanoscope_keep(void);               // called once after loading: what static
//!                                              // initialisers computed is what is restored
//! uint64_t nanoscope_cutoffs[];                // one per goal and edge; see `Probes::cutoffs`
//! void   (*nanoscope_probe)(uint32_t site, const uint64_t *record); // set by the host
//! int64_t  nanoscope_fuel;                     // counted down at loop heads and entries
//! void     nanoscope_batch(struct nanoscope_batch *); // runs points until none is left
//! ```
//!
//! `nanoscope_batch` is the runtime's loop: it takes the next point (`next` is
//! advanced *before* the run, so after a crash the culprit is `next - 1`), sets the
//! fuel, resets globals where `nanoscope_resets` is not 0, and runs. A run that
//! uses up its fuel, or calls an external function that is not there, comes back
//! to the loop and counts in `stopped`.
//!
//! ```c
//! struct nanoscope_batch {
//!     const uint64_t *points;   // count * input_words
//!     uint64_t *outputs;        // output_words, overwritten by every run
//!     uint64_t  count, next;
//!     uint64_t  words;          // input_words
//!     int64_t   fuel;           // for one run
//!     uint64_t  stopped;        // runs ended early
//!     uint64_t  burnt;          // fuel that all runs used
//!     uint8_t  *late;           // count: set to 1 for each run ended early
//! };
//! ```
//!
//! An original library is the program as the user compiles it, with only
//! `nanoscope_run` and `nanoscope_reset` added. Its line table names, for every
//! machine instruction, the site it came from: line `n` is site `n - 1`, line 0 is
//! none. libm calls go through wrappers that report (see the runtime's `replay.c`).
//!
//! A checked library is the same, with a check before every integer operation that is a site
//! (see the runtime's `checks.c`). It is made when somebody asks for it.

use crate::compile::{Compiler, LibraryRequest};
use crate::{Fault, Goal, Probes, Site, Target};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A library with probes, and one of the targets it runs.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The shared library.
    pub library: PathBuf,
    /// What it runs.
    pub target: Target,
    /// The questions its probes answer; the first entries of `nanoscope_cutoffs`.
    pub goals: Arc<Vec<Goal>>,
    /// How many goals of the library's own follow: the sides of branches, which lead
    /// a search into guarded code.
    pub edges: usize,
    /// What the probes' records mean.
    pub probes: Arc<Probes>,
    /// Numbers that the program compares or computes with, as binary64, for seeding.
    pub constants: Arc<Vec<f64>>,
}

/// A library without, and one of the targets it runs.
#[derive(Clone, Debug)]
pub struct Original {
    /// The shared library.
    pub library: PathBuf,
    /// What it runs.
    pub target: Target,
    /// The sites that line numbers stand for, in order of their numbers.
    pub sites: Arc<Vec<Site>>,
    /// The same with checks, where there is something to check.
    pub checked: Option<Arc<Checked>>,
}

impl Original {
    /// The same with checks; none where there is nothing to check.
    pub fn with_checks(&self) -> Result<Option<Original>, Fault> {
        let Some(checked) = &self.checked else { return Ok(None) };
        Ok(Some(Original { library: checked.library()?, checked: None, ..self.clone() }))
    }
}

/// A checked library, made when it is first asked for.
#[derive(Debug)]
pub struct Checked {
    pub(crate) compiler: Compiler,
    pub(crate) request: LibraryRequest,
    pub(crate) made: Mutex<Option<PathBuf>>,
}

impl Checked {
    fn library(&self) -> Result<PathBuf, Fault> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.is_none() {
            *made = Some(self.compiler.library(&self.request, None)?);
        }
        Ok(made.clone().expect("just made"))
    }
}
