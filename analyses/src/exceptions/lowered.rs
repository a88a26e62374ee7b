//! The program in our representation, as each engine wants it.

use crate::library;
use nanoscope_program::ir::{Code, Lowering};
use nanoscope_program::{Fault, Goal, Program, SiteId, Target, Wishes};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Instant;

/// The program in our representation. Who follows single paths follows the bodies of
/// `std::string`, too. Ranges leave it to its contract: bodies of it take all the time that proofs
/// have, and mostly make messages of errors.
pub(super) struct Lowered {
    paths: Made,
    /// For ranges, where it is not the same.
    ranges: Option<Made>,
    /// For runs in exact arithmetic, which flush nothing to zero, where it is not the same.
    exact: Option<Made>,
}

/// The representation, or why there is none.
type Made = Result<Code, String>;

impl Lowered {
    /// Lowers a program with entries for functions.
    pub fn new(
        program: &Program,
        functions: &[String],
        wishes: &Wishes,
        deadline: Instant,
    ) -> Result<Lowered, Fault> {
        let plain = Lowering {
            functions: functions.to_vec(),
            wishes: wishes.clone(),
            support: library::self_contained(program, Some(deadline))?,
            flush: program.flushes_subnormals(),
            ..Lowering::default()
        };
        let lower = |lowering: &Lowering| program.code(lowering).map_err(|fault| fault.to_string());
        let templates = library::with_templates(program, Some(deadline))?;
        let ranges = templates.is_some().then(|| lower(&plain));
        let followed = match templates {
            Some(support) => Lowering { support, ..plain },
            None => plain,
        };
        let exact = Lowering { flush: false, ..followed.clone() };
        Ok(Lowered {
            paths: lower(&followed),
            ranges,
            exact: followed.flush.then(|| lower(&exact)),
        })
    }

    /// For exploration.
    pub fn for_paths(&self) -> Result<&Code, &str> {
        self.paths.as_ref().map_err(String::as_str)
    }

    /// For abstract interpretation of a target. C++ does much that decides nothing, before the
    /// target runs and on the way to an exception: it is left out.
    pub fn for_ranges(&self, target: &Target, goals: &[Goal]) -> Result<Cow<'_, Code>, &str> {
        let code = self.ranges.as_ref().unwrap_or(&self.paths).as_ref().map_err(String::as_str)?;
        let entry = code.named(&format!("nanoscope_run_{}", target.entry));
        let (Some(entry), false) = (entry, code.constructors.is_empty() && self.ranges.is_none())
        else {
            return Ok(Cow::Borrowed(code));
        };
        let asked: BTreeSet<SiteId> =
            target.goals.iter().map(|goal| goals[goal.0 as usize].site).collect();
        Ok(Cow::Owned(code.toward(entry, &|site| asked.contains(&site))))
    }

    /// For runs in exact arithmetic.
    pub fn exact(&self) -> Result<&Code, &str> {
        self.exact.as_ref().unwrap_or(&self.paths).as_ref().map_err(String::as_str)
    }
}
