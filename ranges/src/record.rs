//! What an analysis has seen: the sites with the ranges that met there, and the code reached.

use crate::exceptions::Exceptions;
use crate::integers::Integers;
use crate::value::AbstractValue;
use nanoscope_program::ir::{BlockId, FunctionId};
use nanoscope_program::{Exception, SiteId};
use nanoscope_sets::{CompactFloats, Floats};
use std::collections::btree_map::Entry;
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
}

/// What came to a site, in little room.
#[derive(Clone, Debug)]
pub struct Seen {
    operands: Ranges,
    result: Option<CompactFloats>,
    raised: Exceptions,
    /// Whose code it is in.
    pub function: FunctionId,
}

/// Operands that are all of one kind.
#[derive(Clone, Debug)]
enum Ranges {
    /// They are not, or not always, or there are none.
    Unlike,
    Floats(List<CompactFloats>),
    Integers(List<Integers>),
}

/// One or two, or any number.
#[derive(Clone, Debug)]
enum List<T> {
    One([T; 1]),
    Two([T; 2]),
    More(Vec<T>),
}

impl<T> List<T> {
    /// All that there are; `None` if there are none.
    fn of(mut items: impl Iterator<Item = T>) -> Option<List<T>> {
        let first = items.next()?;
        let Some(second) = items.next() else { return Some(List::One([first])) };
        let Some(third) = items.next() else { return Some(List::Two([first, second])) };
        Some(List::More([first, second, third].into_iter().chain(items).collect()))
    }

    fn items(&self) -> &[T] {
        match self {
            List::One(items) => items,
            List::Two(items) => items,
            List::More(items) => items,
        }
    }

    fn items_mut(&mut self) -> &mut [T] {
        match self {
            List::One(items) => items,
            List::Two(items) => items,
            List::More(items) => items,
        }
    }

    /// Joins each with another; whether there are as many.
    fn join<'a>(
        &mut self,
        others: impl Iterator<Item = Option<&'a T>>,
        join: impl Fn(&T, &T) -> T,
    ) -> bool
    where
        T: 'a,
    {
        let mut mine = self.items_mut().iter_mut();
        for other in others {
            let (Some(mine), Some(other)) = (mine.next(), other) else { return false };
            *mine = join(mine, other);
        }
        mine.next().is_none()
    }
}

fn join_floats(a: &CompactFloats, b: &CompactFloats) -> CompactFloats {
    if a.format() == b.format() { a.join(b) } else { Floats::everything(a.format()).into() }
}

impl Ranges {
    fn of<'v>(values: impl Iterator<Item = &'v AbstractValue> + Clone) -> Ranges {
        if values.clone().all(|value| value.as_float().is_some()) {
            List::of(values.filter_map(AbstractValue::as_float).cloned())
                .map_or(Ranges::Unlike, Ranges::Floats)
        } else if values.clone().all(|value| value.as_integer().is_some()) {
            List::of(values.filter_map(AbstractValue::as_integer).copied())
                .map_or(Ranges::Unlike, Ranges::Integers)
        } else {
            Ranges::Unlike
        }
    }
}

impl Seen {
    /// Whether an exception may be raised here.
    pub fn may_raise(&self, exception: Exception) -> bool {
        self.raised.contains(exception)
    }

    /// What came there, for whoever asks.
    pub fn range(&self) -> SiteRange {
        let (mut operands, mut integers) = (Vec::new(), Vec::new());
        match &self.operands {
            Ranges::Unlike => {}
            Ranges::Floats(list) => operands.extend(list.items().iter().map(CompactFloats::get)),
            Ranges::Integers(list) => integers.extend(list.items()),
        }
        let result = self.result.as_ref().map(CompactFloats::get);
        SiteRange { operands, integers, result, raised: self.raised, function: self.function }
    }

    fn join(&mut self, other: &Seen) {
        self.raised = self.raised.union(other.raised);
        let alike = match (&mut self.operands, &other.operands) {
            (Ranges::Floats(mine), Ranges::Floats(theirs)) => {
                mine.join(theirs.items().iter().map(Some), join_floats)
            }
            (Ranges::Integers(mine), Ranges::Integers(theirs)) => {
                mine.join(theirs.items().iter().map(Some), Integers::join)
            }
            (_, _) => false,
        };
        if !alike {
            self.operands = Ranges::Unlike;
        }
        self.join_result(other.result.as_ref());
    }

    fn join_values<'v>(&mut self, values: impl Iterator<Item = &'v AbstractValue>) {
        let alike = match &mut self.operands {
            Ranges::Unlike => return,
            Ranges::Floats(mine) => mine.join(values.map(AbstractValue::as_float), join_floats),
            Ranges::Integers(mine) => {
                mine.join(values.map(AbstractValue::as_integer), Integers::join)
            }
        };
        if !alike {
            self.operands = Ranges::Unlike;
        }
    }

    fn join_result(&mut self, other: Option<&CompactFloats>) {
        self.result = match (&self.result, other) {
            (Some(a), Some(b)) if a.format() == b.format() => Some(a.join(b)),
            (_, _) => None,
        };
    }
}

/// The record of an analysis.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The sites reached.
    pub sites: BTreeMap<SiteId, Box<Seen>>,
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
    /// Whether an integer may have been divided by zero or shifted too far.
    pub undefined: bool,
}

impl Record {
    /// How many sites may give what is not finite from what is.
    pub fn roots(&self) -> usize {
        let ordinary = |floats: &CompactFloats| {
            let floats = floats.get();
            !floats.nan && !floats.has_infinity()
        };
        let is_root = |seen: &Seen| {
            let wrong = [Exception::Overflow, Exception::Invalid, Exception::DivideByZero];
            wrong.iter().any(|&exception| seen.may_raise(exception))
                && match &seen.operands {
                    Ranges::Floats(list) => list.items().iter().all(ordinary),
                    Ranges::Unlike | Ranges::Integers(_) => true,
                }
        };
        self.sites.values().filter(|seen| is_root(seen)).count()
    }

    /// Adds what came to a site.
    pub fn site<'v>(
        &mut self,
        site: SiteId,
        function: FunctionId,
        operands: impl Iterator<Item = &'v AbstractValue> + Clone,
        result: Option<&AbstractValue>,
        raised: Exceptions,
    ) {
        let result = result.and_then(AbstractValue::as_float);
        match self.sites.entry(site) {
            Entry::Occupied(known) => {
                let known = known.into_mut();
                known.raised = known.raised.union(raised);
                known.join_values(operands);
                known.join_result(result);
            }
            Entry::Vacant(place) => {
                let (operands, result) = (Ranges::of(operands), result.cloned());
                place.insert(Box::new(Seen { operands, result, raised, function }));
            }
        }
    }

    /// Takes away what a look at a larger part of the input space has excluded. Of
    /// functions that were not followed there it has excluded nothing.
    pub fn restrict(&mut self, larger: &Record) {
        let unknown = |function: &FunctionId| larger.given_up.contains(function);
        self.undefined &= larger.undefined || !larger.given_up.is_empty();
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
            match self.sites.entry(*site) {
                Entry::Occupied(known) => known.into_mut().join(range),
                Entry::Vacant(place) => {
                    place.insert(range.clone());
                }
            }
        }
        self.blocks.extend(&other.blocks);
        self.calls.extend(&other.calls);
        self.given_up.extend(&other.given_up);
        self.foreign.extend(other.foreign.iter().cloned());
        self.libm |= other.libm;
        self.clipped |= other.clipped;
        self.undefined |= other.undefined;
    }
}
