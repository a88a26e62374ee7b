//! What is true of an operation on a tiny format, by enumeration with `ieee`'s soft float, and
//! how a projection compares with it.

#![allow(dead_code, reason = "every test takes what it needs")]

use nanoscope_ieee::{
    Circuit, Concrete, Datum, Format, Operation, OutOfRange, Parameters, Rounding, Sort, Word,
    apply,
};
use nanoscope_sets::{
    BitsBox, FloatBox, Floats, Grid, Interval, Modes, Operand, Ordinal, Projection, Set, SetDatum,
    Truths,
};
use std::cell::Cell;
use std::fmt::Debug;

/// A splitmix64 generator: small, seeded, the same everywhere.
pub struct Draw(pub u64);

impl Draw {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// A float: a number, or `None` for NaN.
pub type Number = Option<Ordinal>;

/// A value of any sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Float(Number),
    Bits(u128),
    Bool(bool),
}

/// A set that random ones can be drawn of.
pub trait Sampled: Set {
    /// A set of the format, narrow or wide, around `float` if it is given.
    fn draw(draw: &mut Draw, grid: Grid, around: Option<Number>) -> Self;

    /// Whether the float is in it.
    fn holds(&self, float: Number) -> bool;

    /// The smallest set that holds this float.
    fn point(grid: Grid, float: Number) -> Self {
        float.map_or(Self::of_nan(grid), |at| Self::of_numbers(grid, Interval::point(at)))
    }
}

/// An interval, narrow or wide, around a number if it is given.
pub fn any_interval(draw: &mut Draw, grid: Grid, around: Option<Ordinal>) -> Interval {
    let all = grid.numbers();
    let any = |draw: &mut Draw| {
        let magnitude = ((draw.next() as Ordinal) << 63 | draw.next() as Ordinal) % (all.hi + 1);
        if draw.below(2) == 0 { magnitude } else { !magnitude }
    };
    let near = |draw: &mut Draw, at: Ordinal, side: Ordinal| match draw.below(4) {
        0 => at,
        1 => at + side * draw.below(4) as Ordinal,
        2 => at + side * (draw.next() >> (1 + draw.below(62))) as Ordinal,
        _ => side * all.hi - (side < 0) as Ordinal,
    };
    let numbers = match around {
        Some(at) => Interval::new(near(draw, at, -1), near(draw, at, 1)),
        None => {
            let (a, b) = (any(draw), any(draw));
            Interval::new(a.min(b), a.max(b))
        }
    };
    numbers.meet(all)
}

impl Sampled for FloatBox {
    fn draw(draw: &mut Draw, grid: Grid, around: Option<Number>) -> FloatBox {
        if around == Some(None) && draw.below(3) == 0 {
            return FloatBox::NAN;
        }
        let nan = draw.below(3) == 0 || around == Some(None);
        FloatBox { numbers: any_interval(draw, grid, around.flatten()), nan }
    }

    fn holds(&self, float: Number) -> bool {
        float.map_or(self.nan, |at| self.numbers.contains(at))
    }
}

impl Sampled for Floats {
    fn draw(draw: &mut Draw, grid: Grid, around: Option<Number>) -> Floats {
        let format = grid.format();
        let mut floats = Floats { nan: draw.below(4) == 0, ..Floats::nothing(format) };
        for _ in 0..1 + draw.below(3) {
            let Interval { lo, hi } = any_interval(draw, grid, None);
            // Often with a gap around zero.
            let numbers = Floats::between(format, lo, hi);
            let tiny = 1 + draw.below(4) as Ordinal;
            let part = match draw.below(3) {
                0 => numbers,
                1 => numbers.at_least(tiny),
                _ => numbers.at_most(!tiny),
            };
            floats = floats.join(&part);
        }
        if draw.below(4) == 0 {
            floats = floats.multiples(draw.below(9) as i16 - 6);
        }
        match around {
            Some(float) => floats.join(&Floats::point(grid, float)),
            None => floats,
        }
    }

    fn holds(&self, float: Number) -> bool {
        float.map_or(self.nan, |at| self.contains_place(at))
    }
}

/// A set of any sort.
pub type AnySet<S> = SetDatum<S, BitsBox>;

fn draw_set<S: Sampled>(draw: &mut Draw, sort: &Kind, around: Option<Value>) -> AnySet<S> {
    match *sort {
        Kind::Float(grid) => {
            let around = around.map(|value| match value {
                Value::Float(number) => number,
                other => panic!("{other:?} is no float"),
            });
            Datum::Float(S::draw(draw, grid, around))
        }
        Kind::Bits(width) => {
            let all = BitsBox::any(width).unwrap();
            let any = |draw: &mut Draw| draw.next() as u128 % (1 << width);
            let (mut lo, mut hi) = (any(draw), any(draw));
            if let Some(Value::Bits(at)) = around {
                (lo, hi) = (lo.min(at), hi.max(at));
            }
            Datum::Bits(all.within(lo.min(hi), lo.max(hi)))
        }
        Kind::Bool => Datum::Bool(match (draw.below(3), around) {
            (0, _) => Truths::BOTH,
            (_, Some(Value::Bool(value))) => Truths::only(value),
            (turn, _) => Truths::only(turn == 1),
        }),
    }
}

pub fn holds<S: Sampled>(set: &AnySet<S>, value: Value) -> bool {
    match (set, value) {
        (Datum::Float(set), Value::Float(float)) => set.holds(float),
        (Datum::Bits(set), Value::Bits(bits)) => !set.within(bits, bits).is_empty(),
        (Datum::Bool(truths), Value::Bool(true)) => truths.may_hold,
        (Datum::Bool(truths), Value::Bool(false)) => truths.may_fail,
        (set, value) => panic!("{set:?} and {value:?} are of different sorts"),
    }
}

/// Whether the set is empty of everything.
fn empty<S: Sampled>(kind: &Kind) -> AnySet<S> {
    match *kind {
        Kind::Float(grid) => Datum::Float(S::empty(grid)),
        Kind::Bits(width) => Datum::Bits(BitsBox::empty(width)),
        Kind::Bool => Datum::Bool(Truths::NONE),
    }
}

fn with<S: Sampled>(set: AnySet<S>, kind: &Kind, value: Value) -> AnySet<S> {
    match (set, value, kind) {
        (Datum::Float(set), Value::Float(float), Kind::Float(grid)) => {
            Datum::Float(set.join(&S::point(*grid, float)))
        }
        (Datum::Bits(set), Value::Bits(bits), _) => {
            Datum::Bits(set.join(BitsBox::point(set.width, bits)))
        }
        (Datum::Bool(truths), Value::Bool(value), _) => {
            let only = Truths::only(value);
            let may_hold = truths.may_hold || only.may_hold;
            Datum::Bool(Truths { may_hold, may_fail: truths.may_fail || only.may_fail })
        }
        (set, value, _) => panic!("{set:?} and {value:?} are of different sorts"),
    }
}

/// The sort of an operand or result, with its line or width.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Float(Grid),
    Bits(u32),
    Bool,
}

impl Kind {
    /// Every value of the sort.
    fn values(&self) -> Vec<Value> {
        match *self {
            Kind::Float(grid) => {
                let numbers = grid.numbers();
                let numbers = (numbers.lo..=numbers.hi).map(Some);
                numbers.chain([None]).map(Value::Float).collect()
            }
            Kind::Bits(width) => (0..1 << width).map(Value::Bits).collect(),
            Kind::Bool => vec![Value::Bool(false), Value::Bool(true)],
        }
    }
}

/// An operation with its parameters and one rounding mode.
#[derive(Clone, Copy, Debug)]
pub struct Equation {
    pub operation: Operation,
    pub parameters: Parameters,
    pub mode: Rounding,
}

impl Equation {
    /// The sorts of the operands (without the rounding mode) and of the result.
    pub fn kinds(&self) -> (Vec<Kind>, Kind) {
        let Parameters { format, target, width, .. } = self.parameters;
        let kind = |sort: Sort, format: Format| match sort {
            Sort::Float => Kind::Float(Grid::new(format).unwrap()),
            Sort::Bits if matches!(self.operation, Operation::FromBits | Operation::ToBits) => {
                Kind::Bits(format.width())
            }
            Sort::Bits => Kind::Bits(width),
            Sort::Bool => Kind::Bool,
            Sort::Rounding => unreachable!("left out"),
        };
        let result = if self.operation == Operation::Convert { target } else { format };
        let operands = self.operation.operands().iter().filter(|sort| **sort != Sort::Rounding);
        let operands = operands.map(|sort| kind(*sort, format)).collect();
        (operands, kind(self.operation.result(), result))
    }

    pub fn is_rounded(&self) -> bool {
        self.operation.operands().first() == Some(&Sort::Rounding)
    }

    /// What the soft float says; `None` where any result is possible.
    pub fn soft(&self, operands: &[Value]) -> Option<Value> {
        let (kinds, result) = self.kinds();
        let mut data = Vec::new();
        if self.is_rounded() {
            data.push(Datum::Rounding(Word::from(self.mode)));
        }
        data.extend(operands.iter().zip(&kinds).map(|(operand, kind)| match (operand, kind) {
            (Value::Float(float), Kind::Float(grid)) => {
                let bits = float.map_or(grid.nan(), |at| grid.encode(at));
                Datum::Float(Word::new(grid.format().width(), bits))
            }
            (Value::Bits(bits), Kind::Bits(width)) => Datum::Bits(Word::new(*width, *bits)),
            (value, kind) => panic!("{value:?} is no {kind:?}"),
        }));
        let (value, flags) =
            apply(&mut Circuit::new(Concrete), self.operation, &self.parameters, &data).unwrap();
        Some(match (value, result) {
            (Datum::Float(word), Kind::Float(grid)) => {
                Value::Float(grid.decode(word.to_u128().unwrap()))
            }
            (Datum::Bits(_), Kind::Bits(_))
                if flags.invalid && self.parameters.out_of_range == OutOfRange::Undefined =>
            {
                return None;
            }
            (Datum::Bits(word), Kind::Bits(_)) => Value::Bits(word.to_u128().unwrap()),
            (Datum::Bool(value), Kind::Bool) => Value::Bool(value),
            (value, kind) => panic!("{value:?} is no {kind:?}"),
        })
    }

    /// The operation as a table: every solution, operands first.
    pub fn solutions(&self) -> Vec<(Vec<Value>, Value)> {
        let (kinds, result) = self.kinds();
        let mut tuples = vec![Vec::new()];
        for kind in &kinds {
            let values = kind.values();
            let longer = tuples.iter().flat_map(|tuple: &Vec<Value>| {
                values.iter().map(|value| tuple.iter().copied().chain([*value]).collect())
            });
            tuples = longer.collect();
        }
        let all = result.values();
        tuples
            .into_iter()
            .flat_map(|tuple| {
                let results = self.soft(&tuple).map_or(all.clone(), |value| vec![value]);
                results.into_iter().map(move |value| (tuple.clone(), value))
            })
            .collect()
    }

    /// What the projection leaves; `None` for a contradiction.
    pub fn project<S: Sampled>(
        &self,
        modes: Modes,
        operands: &[AnySet<S>],
        result: AnySet<S>,
        same: bool,
    ) -> Option<(Modes, Vec<AnySet<S>>, AnySet<S>)> {
        let mut cells: Vec<Operand<S, BitsBox>> = Vec::new();
        if self.is_rounded() {
            cells.push(Datum::Rounding(Cell::new(modes)));
        }
        cells.extend(operands.iter().map(|set| match *set {
            Datum::Float(set) => Datum::Float(Cell::new(set)),
            Datum::Bits(set) => Datum::Bits(Cell::new(set)),
            Datum::Bool(set) => Datum::Bool(Cell::new(set)),
            Datum::Rounding(set) => Datum::Rounding(Cell::new(set)),
        }));
        let mut projection = Projection { result, same };
        let (left, consistent) =
            apply(&mut projection, self.operation, &self.parameters, &cells).unwrap();
        let mut sets = cells.iter().chain([&left]).map(|set| match set {
            Datum::Float(set) => Datum::Float(set.get()),
            Datum::Bits(set) => Datum::Bits(set.get()),
            Datum::Bool(set) => Datum::Bool(set.get()),
            Datum::Rounding(set) => Datum::Rounding(set.get()),
        });
        let modes = match self.is_rounded().then(|| sets.next()).flatten() {
            Some(Datum::Rounding(modes)) => modes,
            _ => modes,
        };
        let mut sets: Vec<AnySet<S>> = sets.collect();
        let result = sets.pop().unwrap();
        consistent.then_some((modes, sets, result))
    }

    /// Checks one projection against all solutions and counts how tight it is.
    pub fn check<S: Sampled>(
        &self,
        solutions: &[(Vec<Value>, Value)],
        (operands, result): (&[AnySet<S>], AnySet<S>),
        same: bool,
        tally: &mut Tally,
    ) {
        let (kinds, result_kind) = self.kinds();
        let mut best: Vec<AnySet<S>> = kinds.iter().map(empty).collect();
        let mut best_result = empty(&result_kind);
        let mut kept = Vec::new();
        for (tuple, value) in solutions {
            let inside = operands.iter().zip(tuple).all(|(set, value)| holds(set, *value));
            let twice = !same || tuple[0] == tuple[tuple.len() - 1];
            if inside && twice && holds(&result, *value) {
                for ((best, kind), value) in best.iter_mut().zip(&kinds).zip(tuple) {
                    *best = with(*best, kind, *value);
                }
                best_result = with(best_result, &result_kind, *value);
                kept.push((tuple, value));
            }
        }
        let left = self.project(Modes::only(self.mode), operands, result, same);
        let (_, left, left_result) = match left {
            Some(left) => left,
            None => (Modes::NONE, kinds.iter().map(empty).collect(), empty(&result_kind)),
        };
        for (tuple, value) in kept {
            let lost = left.iter().zip(tuple).any(|(set, value)| !holds(set, *value))
                || !holds(&left_result, *value);
            assert!(
                !lost,
                "{self:?} lost {tuple:?} = {value:?} of {operands:?} = {result:?}: \
                 {left:?} = {left_result:?}"
            );
        }
        for (left, best) in left.iter().zip(&best) {
            if let Datum::Float(_) = left {
                tally.count(true, left == best);
            }
        }
        if let Datum::Float(_) | Datum::Bool(_) = left_result {
            tally.count(false, left_result == best_result);
        }
    }

    /// Random sets, two thirds of them around a solution.
    pub fn sample<S: Sampled>(&self, rounds: usize, same: bool, tally: &mut Tally) {
        let (kinds, result) = self.kinds();
        let solutions = self.solutions();
        let mut draw = Draw(self.operation as u64 + 1);
        for _ in 0..rounds {
            let (tuple, value) = &solutions[draw.below(solutions.len() as u64) as usize];
            let around = draw.below(3) > 0;
            let mut operands: Vec<AnySet<S>> = Vec::new();
            for (kind, value) in kinds.iter().zip(tuple) {
                operands.push(draw_set(&mut draw, kind, around.then_some(*value)));
            }
            if same {
                operands = vec![operands[0]; operands.len()];
            }
            let result = draw_set(&mut draw, &result, around.then_some(*value));
            self.check(&solutions, (&operands, result), same, tally);
        }
    }
}

impl Equation {
    /// A solution in random sets around it must still be there afterwards.
    pub fn keeps<S: Sampled>(
        &self,
        draw: &mut Draw,
        modes: Modes,
        operands: &[Value],
        value: Value,
    ) {
        let (kinds, result) = self.kinds();
        let mut sets: Vec<AnySet<S>> = Vec::new();
        for (kind, value) in kinds.iter().zip(operands) {
            sets.push(draw_set(draw, kind, Some(*value)));
        }
        let given = draw_set(draw, &result, Some(value));
        let Some((left_modes, left, left_result)) = self.project(modes, &sets, given, false) else {
            panic!("{self:?} {operands:?} = {value:?} refuted in {sets:?} = {given:?}");
        };
        assert!(left_modes.contains(self.mode));
        assert!(holds(&left_result, value), "{self:?} {operands:?} = {value:?} of {sets:?}");
        for (set, operand) in left.iter().zip(operands) {
            assert!(holds(set, *operand), "{self:?} {operands:?} = {value:?} of {sets:?}");
        }
    }
}

/// The equations of an operation on a format: all rounding modes, and parameters for conversions.
pub fn equations(operation: Operation, format: Format) -> Vec<Equation> {
    let parameters: Vec<Parameters> = match operation {
        Operation::Convert => [Format::new(2, 2), Format::new(3, 4), Format::new(4, 2)]
            .map(|target| Parameters::between(format, target))
            .into(),
        Operation::FromSigned
        | Operation::FromUnsigned
        | Operation::ToSigned
        | Operation::ToUnsigned => {
            [2, 3, 5].map(|width| Parameters::integer(format, width, OutOfRange::Undefined)).into()
        }
        _ => vec![Parameters::of(format)],
    };
    let modes: &[Rounding] = match operation.operands().first() {
        Some(Sort::Rounding) => &Rounding::ALL,
        _ => &[Rounding::NearestEven],
    };
    let each = parameters.into_iter().flat_map(|parameters| {
        modes.iter().map(move |mode| Equation { operation, parameters, mode: *mode })
    });
    each.collect()
}

/// How often projections were the hull.
#[derive(Default, Debug)]
pub struct Tally {
    pub operands: (u64, u64),
    pub results: (u64, u64),
}

impl Tally {
    /// Counts sets that are optimal among all.
    pub fn count(&mut self, operand: bool, optimal: bool) {
        let (hits, all) = if operand { &mut self.operands } else { &mut self.results };
        *hits += optimal as u64;
        *all += 1;
    }

    /// The shares of optimal sets in percent: of operands, of results.
    pub fn shares(&self, what: impl Debug) -> (f64, f64) {
        let share = |(hits, all): (u64, u64)| {
            if all == 0 { 100.0 } else { 100.0 * hits as f64 / all as f64 }
        };
        let (operands, results) = (share(self.operands), share(self.results));
        println!("{what:?}: operands optimal {operands:.2} %, results {results:.2} %");
        (operands, results)
    }
}
