//! What an analysis has seen: the sites with the ranges that met there, and the code reached.

use crate::exceptions::Exceptions;
use crate::floats::Floats;
use crate::integers::Integers;
use nanoscope_program::ir::{BlockId, FunctionId};
use nanoscope_program::{Exception, SiteId};
use std::collections::{BTreeMap, BTreeSet};

/// What came to a site.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteRange {
    /// The operands that are floats.
    pub operands: Vec<Floats>,
    /// The operands where all of them are integers.
    pub integers: Vec<Integers>,
    /// The results, where they are floats.
    pub result: Option<Floats>,
    /// What may be raised.
    pub(crate) raised: Exceptions,
    /// Whose code it is in.
    pub(crate) function: FunctionId,
}

impl SiteRange {
    /// Whether an exception may be raised here.
    pub fn may_raise(&self, exception: nanoscope_program::Exception) -> bool {
        self.raised.contains(exception)
    }

    fn join(&mut self, other: &SiteRange) {
        self.raised = self.raised.union(other.raised);
        if self.operands.len() == other.operands.len() {
            for (mine, theirs) in self.operands.iter_mut().zip(&other.operands) {
                *mine = if mine.format == theirs.format {
                    mine.join(theirs)
                } else {
                    Floats::everything(mine.format)
                };
            }
        } else {
            self.operands.clear();
        }
        if self.integers.len() == other.integers.len() {
            for (mine, theirs) in self.integers.iter_mut().zip(&other.integers) {
                *mine = mine.join(theirs);
            }
        } else {
            self.integers.clear();
        }
        self.result = match (self.result, other.result) {
            (Some(a), Some(b)) if a.format == b.format => Some(a.join(&b)),
            (_, _) => None,
        };
    }
}

/// The record of an analysis.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The sites reached.
    pub sites: BTreeMap<SiteId, SiteRange>,
    /// The blocks reached.
    pub blocks: BTreeSet<(FunctionId, BlockId)>,
    /// The calls reached, by block and position.
    pub calls: BTreeSet<(FunctionId, BlockId, usize)>,
    /// Functions that were not followed: anything may happen in them.
    pub given_up: BTreeSet<FunctionId>,
    /// Calls of functions that are not here.
    pub foreign: BTreeSet<String>,
    /// Whether the mathematical library was called.
    pub libm: bool,
    /// Whether an access may have gone outside of its object.
    pub clipped: bool,
}

impl Record {
    /// How many sites may give what is not finite from what is.
    pub fn roots(&self) -> usize {
        let ordinary = |floats: &Floats| !floats.nan && !floats.has_infinity();
        let is_root = |range: &&SiteRange| {
            let wrong = [Exception::Overflow, Exception::Invalid, Exception::DivideByZero];
            wrong.iter().any(|&exception| range.may_raise(exception))
                && range.operands.iter().all(ordinary)
        };
        self.sites.values().filter(is_root).count()
    }

    /// Adds what came to a site.
    pub fn site(&mut self, site: SiteId, range: SiteRange) {
        match self.sites.get_mut(&site) {
            Some(known) => known.join(&range),
            None => {
                self.sites.insert(site, range);
            }
        }
    }

    /// Takes away what a look at a larger part of the input space has excluded. Of
    /// functions that were not followed there it has excluded nothing.
    pub fn restrict(&mut self, larger: &Record) {
        let unknown = |function: &FunctionId| larger.given_up.contains(function);
        self.sites.retain(|site, range| {
            if unknown(&range.function) {
                return true;
            }
            let known = larger.sites.get(site);
            if let Some(known) = known {
                range.raised = range.raised.meet(known.raised);
            }
            known.is_some()
        });
        self.blocks.retain(|block| unknown(&block.0) || larger.blocks.contains(block));
        self.calls.retain(|call| unknown(&call.0) || larger.calls.contains(call));
    }

    /// Adds what another analysis has seen.
    pub fn join(&mut self, other: &Record) {
        for (site, range) in &other.sites {
            self.site(*site, range.clone());
        }
        self.blocks.extend(&other.blocks);
        self.calls.extend(&other.calls);
        self.given_up.extend(&other.given_up);
        self.foreign.extend(other.foreign.iter().cloned());
        self.libm |= other.libm;
        self.clipped |= other.clipped;
    }
}
