//! Who says whether an input does what it promises: the program as the user compiles it; and
//! where the optimiser leaves an operation out or makes another of it, the same program
//! compiled as it is written.

use super::case::Case;
use nanoscope_native::{Confirmed, Promise, Replayer, confirm, confirm_alone};
use nanoscope_program::Fault;
use std::cell::OnceCell;
use std::time::Duration;

/// The flag of the build that does what is written.
pub(crate) const AS_WRITTEN: &str = "-O0";

/// How much longer a program takes that is not optimised.
const SLOWER: u32 = 3;

/// The witnesses of one target.
pub(super) struct Witness<'a> {
    case: &'a Case<'a>,
    original: Replayer,
    written: OnceCell<Option<Replayer>>,
}

/// What was seen, and where.
pub(super) struct Seen {
    pub confirmed: Confirmed,
    /// Whether only the build without optimisation showed it.
    pub as_written: bool,
}

impl<'a> Witness<'a> {
    pub fn new(case: &'a Case<'a>) -> Result<Witness<'a>, Fault> {
        let original = Replayer::new(&case.libraries.original(case.target)?, &case.limits)?;
        Ok(Witness { case, original, written: OnceCell::new() })
    }

    /// The program as the user compiles it.
    pub fn original(&self) -> &Replayer {
        &self.original
    }

    /// The program as it is written, where that is another; none, too, where it cannot be
    /// made in time.
    pub fn written(&self) -> Option<&Replayer> {
        let make = || {
            let Case { libraries, target, limits, .. } = self.case;
            let written = libraries.written(target).ok()??;
            Replayer::new(&written, limits).ok()
        };
        self.written.get_or_init(make).as_ref()
    }

    /// The one of the two that showed something.
    pub fn of(&self, as_written: bool) -> &Replayer {
        match self.written().filter(|_| as_written) {
            Some(written) => written,
            None => &self.original,
        }
    }

    /// Whether promises of one point are kept by the program as the user compiles it, each
    /// within so long.
    pub fn confirm(
        &self,
        promises: &[Promise],
        within: Duration,
    ) -> Result<Vec<Option<Confirmed>>, Fault> {
        self.ask(&self.original, promises, within)
    }

    /// Whether they are kept by the program as it is written, which takes longer.
    pub fn confirm_written(
        &self,
        promises: &[Promise],
        within: Duration,
    ) -> Result<Vec<Option<Confirmed>>, Fault> {
        match self.written() {
            Some(written) => self.ask(written, promises, within * SLOWER),
            None => Ok(vec![None; promises.len()]),
        }
    }

    /// Whether one of the two keeps a promise.
    pub fn confirm_somehow(&self, promise: &Promise) -> Result<Option<Seen>, Fault> {
        let promises = std::slice::from_ref(promise);
        let within = self.case.limits.replay;
        let mut seen = self.confirm(promises, within)?.pop().flatten();
        let as_written = seen.is_none();
        if as_written {
            seen = self.confirm_written(promises, within)?.pop().flatten();
        }
        Ok(seen.map(|confirmed| Seen { confirmed, as_written }))
    }

    /// Where a run's first exception is asked for, all of them have to be seen.
    fn ask(
        &self,
        replayer: &Replayer,
        promises: &[Promise],
        within: Duration,
    ) -> Result<Vec<Option<Confirmed>>, Fault> {
        match self.case.options.stop_at_first {
            true => promises.iter().map(|promise| confirm(replayer, promise)).collect(),
            false => confirm_alone(replayer, promises, within),
        }
    }
}
