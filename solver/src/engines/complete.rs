//! `blast` as an engine.

use crate::blast::{self, Blaster, KnownBits};
use crate::engine::{Attempt, Engine, Progress};
use crate::propagate::{BitsBox, Domain, Grid};
use crate::query::{Clues, Query, Reason};
use nanoscope_budget::Budget;
use nanoscope_ieee::Word;
use nanoscope_term::Term;
use std::path::PathBuf;

/// Circuits and a SAT solver.
#[derive(Clone, Debug, Default)]
pub struct Complete {
    /// How circuits and clauses are made.
    pub options: blast::Options,
    /// Where a proof of a refutation goes.
    pub proof: Option<PathBuf>,
}

impl Engine for Complete {
    fn name(&self) -> &'static str {
        "blast"
    }

    /// What is left to it is often its alone.
    fn share(&self) -> u32 {
        3
    }

    fn begin<'q>(&'q mut self, query: Query<'q>) -> Box<dyn Attempt + 'q> {
        let mut options = self.options;
        if let Some(memory) = query.memory {
            options.memory = memory;
        }
        Box::new(Blasting { query, options, proof: self.proof.clone(), blaster: None })
    }
}

struct Blasting<'q> {
    query: Query<'q>,
    options: blast::Options,
    proof: Option<PathBuf>,
    blaster: Option<Blaster>,
}

impl Attempt for Blasting<'_> {
    fn advance(&mut self, clues: &mut Clues, budget: &Budget) -> Progress {
        if self.blaster.is_none() {
            let mut blaster = Blaster::new(self.options);
            if let Some(path) = &self.proof
                && let Err(error) = blaster.trace(path)
            {
                return Progress::Exhausted(Reason::Incomplete(error.to_string()));
            }
            // A proof is of the query alone, without what others derived.
            if self.proof.is_none() {
                for (term, bits) in known(clues) {
                    blaster.know(term, bits);
                }
            }
            self.query.assertions.iter().for_each(|term| blaster.assert(*term));
            self.blaster = Some(blaster);
        }
        let blaster = self.blaster.as_mut().expect("made above");
        let hint = clues.nearest.as_ref().or(clues.hint.as_ref());
        let verdict = blaster.check(self.query.terms, &[], budget, hint);
        if self.proof.is_some()
            && !matches!(verdict, blast::Verdict::Unknown(_))
            && let Err(error) = blaster.close_trace()
        {
            return Progress::Exhausted(Reason::Incomplete(error.to_string()));
        }
        match verdict {
            blast::Verdict::Sat(model) => Progress::Sat(model),
            blast::Verdict::Unsat => Progress::Unsat,
            blast::Verdict::Unknown(blast::Reason::Time | blast::Reason::Stopped) => {
                Progress::Paused
            }
            blast::Verdict::Unknown(reason) => Progress::Exhausted(reason.into()),
        }
    }
}

/// The bits that domains settle.
fn known(clues: &Clues) -> impl Iterator<Item = (Term, KnownBits)> {
    clues.domains.iter().filter_map(|(term, domain)| Some((*term, known_bits(domain)?)))
}

fn known_bits(domain: &Domain) -> Option<KnownBits> {
    match domain {
        Domain::Float(grid, floats) if !floats.nan && !floats.numbers.is_empty() => {
            let ends = [floats.numbers.lo, floats.numbers.hi];
            if (ends[0] < 0) != (ends[1] < 0) {
                return None;
            }
            let [low, high] = ends.map(|end| encoding(*grid, end));
            Some(KnownBits::between(&low, &high))
        }
        Domain::Bits(bits) => {
            let BitsBox { width, zeros, ones, .. } = *bits;
            let (mask, value) = (Word::new(width, zeros | ones), Word::new(width, ones));
            (!mask.is_zero()).then_some(KnownBits { mask, value })
        }
        Domain::Float(..) | Domain::Bool(_) | Domain::Rounding(_) | Domain::Untracked => None,
    }
}

fn encoding(grid: Grid, ordinal: i128) -> Word {
    Word::new(grid.format().width(), grid.encode(ordinal))
}
