//! Bisection: values that depend on one register in several ways, such as
//! `t * (3 - 5 * t * t)` and `sqrt(z * z - 1) - acos(1 / z)`.
//!
//! The slice between such a register and the value is run on parts of the register's range. The
//! parts that attain the value's bounds are bisected. Any partition gives sound bounds;
//! samples at the ends of a part only decide which one to bisect. A slice may go through
//! look-ups in constant tables at an index made of the register: each part is then a few entries.

use crate::domain::point::{Bisections, Domain, Known, Text};
use crate::domain::values::{self, Computed};
use crate::exceptions::{Exceptions, FloatTransfer};
use crate::function::slices::{Slice, Source};
use crate::libm;
use crate::memory::Globals;
use crate::memory::contents::load_from;
use crate::policy::{
    BISECTION_SHARE, FIRST_BISECTION_STEPS, FIRST_BISECTIONS, MOST_BISECTIONS, MOST_VAIN_BISECTIONS,
};
use crate::value::AbstractValue;
use nanoscope_ieee::Format;
use nanoscope_program::ir::{Act, Function, FunctionId, Instruction, Register, Type};
use nanoscope_sets::{Floats, Grid, Modes, Order, Ordinal, Span};
use std::cell::Cell;

/// The domain of bisection; it has no elements of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bisection;

/// A part of the register's range.
struct Part {
    lo: Ordinal,
    hi: Ordinal,
    outcome: FloatTransfer,
    /// The outcomes at its ends.
    ends: [FloatTransfer; 2],
}

/// What parts are bisected for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    Exceptions,
    Least,
    Greatest,
    Smallest,
}

/// Runs a slice.
struct Run<'a> {
    function: &'a Function,
    slice: &'a Slice,
    constants: &'a [AbstractValue],
    globals: &'a Globals<'a>,
    /// The number of instructions run.
    acts: Cell<u64>,
}

impl Run<'_> {
    /// The outcome for some values of the register.
    fn on(&self, from: Floats) -> Option<FloatTransfer> {
        self.acts.set(self.acts.get() + self.slice.nodes.len() as u64);
        let from = AbstractValue::float(from);
        let mut values: Vec<AbstractValue> = Vec::with_capacity(self.slice.nodes.len());
        let mut raised = Exceptions::NONE;
        for node in &self.slice.nodes {
            let value = |source: &Source| match source {
                Source::From => &from,
                Source::Node(at) => &values[*at],
                Source::Constant(id) => &self.constants[id.0 as usize],
            };
            let given: Vec<&AbstractValue> = node.sources.iter().map(value).collect();
            let ty = &self.function.registers[node.result.0 as usize];
            let value = match node.library {
                Some(name) => {
                    let format = Format::BINARY64;
                    let floats: Vec<Floats> = given.iter().map(|v| v.floats(format)).collect();
                    let outcome = libm::apply(Modes::NEAREST, name, format, &floats)?;
                    AbstractValue::float(outcome.result)
                }
                None => {
                    let act = &self.function.block(node.place.0).instructions[node.place.1].act;
                    match act {
                        Act::Load { ty, .. } => self.load(given[0], ty)?,
                        act => {
                            let same = matches!(node.sources[..], [a, b] if a == b);
                            let order = Order { same, ..Order::default() };
                            let computed =
                                values::evaluate(Modes::NEAREST, act, &given, ty, order)?;
                            raised = computed.raised;
                            computed.value
                        }
                    }
                }
            };
            values.push(value);
        }
        Some(FloatTransfer { result: values.pop()?.as_float()?.get(), raised })
    }

    /// What a load from constant tables gives.
    fn load(&self, address: &AbstractValue, ty: &Type) -> Option<AbstractValue> {
        let address = address.pointers();
        if address.anywhere {
            return None;
        }
        let mut found: Option<AbstractValue> = None;
        for (object, offsets) in &address.targets {
            let contents = self.globals.initial(*object).filter(|_| self.globals.is_fixed(*object));
            let contents = contents?;
            let (value, _) = load_from(&contents, *offsets, ty);
            found = Some(found.map_or(value.clone(), |found| found.join(&value)));
        }
        found
    }

    fn part(
        &self,
        format: Format,
        lo: Ordinal,
        hi: Ordinal,
        ends: [Option<FloatTransfer>; 2],
    ) -> Option<Part> {
        let at = |place| self.on(Floats::between(format, place, place));
        let [first, last] = ends;
        let first = first.or_else(|| at(lo))?;
        let last = last.or_else(|| at(hi))?;
        let outcome = self.on(Floats::between(format, lo, hi))?;
        Some(Part { lo, hi, outcome, ends: [first, last] })
    }

    /// The outcome for a range, by bisection.
    fn in_parts(&self, from: &Floats) -> Option<FloatTransfer> {
        let format = from.format;
        let mut special = Vec::new();
        if from.nan {
            special.push(self.on(Floats::only_nan(format))?);
        }
        for (lo, hi) in from.infinite_part().pieces() {
            special.push(self.on(Floats::between(format, lo, hi))?);
        }
        let mut parts = Vec::new();
        for (lo, hi) in from.finite_part().pieces() {
            parts.push(self.part(format, lo, hi, [None, None])?);
        }
        let of_parts = |parts: &[Part]| either(format, parts.iter().map(|part| part.outcome));
        let first = of_parts(&parts);
        let mut aims = vec![Aim::Exceptions, Aim::Least, Aim::Greatest, Aim::Smallest];
        for turn in 0..MOST_BISECTIONS {
            if aims.is_empty() {
                break;
            }
            if turn == FIRST_BISECTIONS {
                let now = of_parts(&parts);
                if now.raised == first.raised && !is_better(&now.result, &first.result) {
                    break;
                }
            }
            let aim = aims[turn % aims.len()];
            let worst = parts.iter().enumerate().max_by_key(|(_, part)| part.rank(aim));
            match worst {
                Some((at, part)) if !part.is_tight(aim) => {
                    let Part { lo, hi, ends, .. } = parts.swap_remove(at);
                    let middle = lo.midpoint(hi);
                    let left = self.part(format, lo, middle, [Some(ends[0]), None])?;
                    let between = left.ends[1];
                    let right =
                        self.part(format, middle + 1, hi, [Some(between), Some(ends[1])])?;
                    parts.extend([left, right]);
                }
                Some(_) | None => aims.retain(|other| *other != aim),
            }
        }
        special.push(of_parts(&parts));
        Some(either(format, special.into_iter()))
    }
}

/// The join of outcomes.
fn either(format: Format, outcomes: impl Iterator<Item = FloatTransfer>) -> FloatTransfer {
    let nothing = FloatTransfer { result: Floats::nothing(format), raised: Exceptions::NONE };
    outcomes.fold(nothing, |all, one| FloatTransfer {
        result: all.result.join(&one.result),
        raised: all.raised.union(one.raised),
    })
}

/// Bounds within a quarter of a binade count as equal.
const NEAR: u32 = 2;

impl Part {
    /// How much bisecting this part may gain.
    fn rank(&self, aim: Aim) -> Ordinal {
        let numbers = self.outcome.result.bounds();
        match aim {
            Aim::Exceptions => {
                let wrong = self.outcome.raised != Exceptions::NONE || self.outcome.result.nan;
                if wrong && !self.is_tight(aim) { self.hi - self.lo } else { -1 }
            }
            Aim::Least => numbers.map_or(Ordinal::MIN, |(lo, _)| -lo),
            Aim::Greatest => numbers.map_or(Ordinal::MIN, |(_, hi)| hi),
            Aim::Smallest => -smallest(&self.outcome.result),
        }
    }

    /// Whether the ends attain the outcome of the part.
    fn is_tight(&self, aim: Aim) -> bool {
        let [first, last] = &self.ends;
        if self.lo == self.hi {
            return true;
        }
        let ends = first.result.join(&last.result);
        let (Some((lo, hi)), Some((least, greatest))) =
            (self.outcome.result.bounds(), ends.bounds())
        else {
            return true;
        };
        let near = Ordinal::from(1) << (self.outcome.result.format.fraction_bits() - NEAR);
        match aim {
            Aim::Exceptions => {
                let raised = first.raised.union(last.raised);
                raised == self.outcome.raised && ends.nan == self.outcome.result.nan
            }
            Aim::Least => least - lo <= near,
            Aim::Greatest => hi - greatest <= near,
            Aim::Smallest => {
                let crosses = !ends.positive.is_empty() && !ends.negative.is_empty();
                crosses || smallest(&ends) - smallest(&self.outcome.result) <= near
            }
        }
    }
}

/// The least magnitude.
fn smallest(floats: &Floats) -> Ordinal {
    if floats.has_zero() { 0 } else { floats.magnitudes().positive.lo }
}

impl Domain for Bisection {
    fn sharpen(&self, at: &Text, known: Known, instruction: &Instruction, computed: &mut Computed) {
        if let (Some(bisections), Modes::NEAREST) = (at.bisections, at.modes)
            && let Some(result) = instruction.result
            && let Some(slice) = at.facts.slices.get(&result)
        {
            let (function, constants, globals) = (at.function, at.constants, at.globals);
            let run = Run { function, slice, constants, globals, acts: Cell::new(0) };
            let from = known.environment.known(slice.from);
            let mut bisections = bisections.borrow_mut();
            bisections.sharpen(at.id, result, &run, from, computed, at.steps);
        }
    }
}

impl Bisections {
    /// Sharpens the result and the exceptions of a slice's value.
    fn sharpen(
        &mut self,
        id: FunctionId,
        result: Register,
        run: &Run,
        from: &AbstractValue,
        computed: &mut Computed,
        steps: u64,
    ) {
        let (AbstractValue::Float(from), AbstractValue::Float(given)) = (from, &computed.value)
        else {
            return;
        };
        let (from, given) = (from.get(), given.get());
        let both = !given.positive.is_empty() && !given.negative.is_empty();
        let loose = computed.raised != Exceptions::NONE
            || both
            || given.has_zero()
            || given.has_infinity()
            || given.nan;
        let vain = self.vain.entry((id, result)).or_default();
        if !loose || *vain >= MOST_VAIN_BISECTIONS || from.single_place().is_some() {
            return;
        }
        let key = (id, result, from);
        let outcome = match self.outcomes.get(&key) {
            Some(outcome) => *outcome,
            None if self.acts > FIRST_BISECTION_STEPS + (steps as f64 * BISECTION_SHARE) as u64 => {
                return;
            }
            None => {
                let everything = FloatTransfer {
                    result: Floats::everything(given.format),
                    raised: Exceptions::ALL,
                };
                let outcome = run.in_parts(&from).unwrap_or(everything);
                self.acts += run.acts.get();
                self.outcomes.insert(key, outcome);
                outcome
            }
        };
        let value = given.meet(&outcome.result);
        let raised = computed.raised.meet(outcome.raised);
        let better = raised != computed.raised || is_better(&value, &given);
        *vain = if better { 0 } else { *vain + 1 };
        computed.value = AbstractValue::float(value);
        computed.raised = raised;
    }
}

/// Whether a value says noticeably more than another.
fn is_better(value: &Floats, given: &Floats) -> bool {
    let binade = Grid::of(given.format).min_normal();
    let tells = |mine: Span, theirs: Span| {
        mine.is_empty() != theirs.is_empty()
            || (!mine.is_empty() && theirs.hi - mine.hi > binade)
            || (!mine.is_empty() && mine.lo - theirs.lo > binade)
    };
    tells(value.positive, given.positive)
        || tells(value.negative, given.negative)
        || value.has_zero() != given.has_zero()
        || value.has_infinity() != given.has_infinity()
        || value.nan != given.nan
}
