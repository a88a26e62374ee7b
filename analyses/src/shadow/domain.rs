//! What a shadow run computes with: the interface between the machine, which knows functions,
//! blocks and memory, and the numbers, which it does not look into.
//!
//! To add a domain: say what a number is, what an integer is that is not known (nothing, for
//! a run on one input), and what the rows of the operation table, comparisons and the
//! mathematical library do with them.

use super::Stuck;
use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Operation, Parameters, Rounding};
use nanoscope_program::ir::{
    Code, FloatPredicate, FunctionId, IntegerConversion, IntegerOperation, IntegerPredicate,
    LocationId, Mode,
};
use std::convert::Infallible;
use std::fmt::Debug;
use std::sync::Arc;

/// What a register holds: with numbers `N`, and unknown integers `S`.
#[derive(Clone, Debug)]
pub(crate) enum ShadowValue<N, S> {
    /// An integer or an address.
    Bits(u128),
    /// A float.
    Number(N),
    /// An integer that is the encoding of a float: it becomes bits when somebody computes
    /// with it, and the exact float again when it is read as one.
    Coded(Format, N),
    /// An integer or a truth value that is not known.
    Symbol(S),
    /// Lanes, members, elements.
    Parts(Arc<[ShadowValue<N, S>]>),
}

/// The values of a domain.
pub(crate) type ValueOf<D> = ShadowValue<<D as Domain>::Number, <D as Domain>::Symbol>;

impl<N, S> ShadowValue<N, S> {
    /// Its lanes, members or elements; a scalar is its only one.
    pub fn parts(&self) -> &[ShadowValue<N, S>] {
        match self {
            ShadowValue::Parts(parts) => parts,
            ShadowValue::Bits(_)
            | ShadowValue::Number(_)
            | ShadowValue::Coded(..)
            | ShadowValue::Symbol(_) => std::slice::from_ref(self),
        }
    }

    /// A truth value.
    pub fn truth(holds: bool) -> ShadowValue<N, S> {
        ShadowValue::Bits(u128::from(holds))
    }
}

/// An instruction as a run comes by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct At {
    /// Its function.
    pub function: u32,
    /// Its block.
    pub block: u32,
    /// Its position there; the number of instructions for the block's end.
    pub index: u32,
    /// Its place in the source.
    pub location: LocationId,
}

/// What happened in a run, written down to be compared with another run.
#[derive(Clone, Debug)]
pub(crate) enum Step<N> {
    /// An operation gave a float of a format.
    Number(At, Format, N),
    /// An operation on floats gave an integer or a truth value.
    Integer(At, u128),
    /// Control left a block by one of its ways.
    Left(At, usize),
}

impl<N> Step<N> {
    /// Where.
    pub fn at(&self) -> At {
        match self {
            Step::Number(at, ..) | Step::Integer(at, _) | Step::Left(at, _) => *at,
        }
    }
}

/// What a function of the mathematical library gives: a value, and what it stores where its
/// pointer arguments (by number) point.
pub(crate) struct Answer<N, S> {
    /// What it returns.
    pub value: ShadowValue<N, S>,
    /// What it stores.
    pub stores: Vec<(usize, Stored<N>)>,
}

/// What is stored behind a pointer argument.
pub(crate) enum Stored<N> {
    /// A float of the function's format.
    Number(N),
    /// An `int`.
    Int(i32),
}

impl<N, S> From<ShadowValue<N, S>> for Answer<N, S> {
    fn from(value: ShadowValue<N, S>) -> Answer<N, S> {
        Answer { value, stores: Vec::new() }
    }
}

/// Numbers, and what operations do with them.
pub(crate) trait Domain: Sized {
    /// A float.
    type Number: Clone + Debug;
    /// An integer that is not known.
    type Symbol: Clone + Debug;

    /// The number that a format's encoding stands for.
    fn decoded(&mut self, format: Format, bits: u128) -> Self::Number;

    /// The encoding that a store of the number would write.
    fn encoded(&mut self, format: Format, number: &Self::Number) -> Result<u128, Stuck>;

    /// A row of the operation table on scalars.
    fn float(
        &mut self,
        at: At,
        operation: Operation,
        parameters: &Parameters,
        mode: Mode,
        operands: &[ValueOf<Self>],
    ) -> Result<ValueOf<Self>, Stuck>;

    /// A comparison of two floats.
    fn compare(
        &mut self,
        at: At,
        predicate: FloatPredicate,
        format: Format,
        a: &Self::Number,
        b: &Self::Number,
    ) -> Result<ValueOf<Self>, Stuck>;

    /// Whether a float is in one of the classes of LLVM's mask.
    fn classified(
        &mut self,
        at: At,
        mask: u32,
        format: Format,
        a: &Self::Number,
    ) -> Result<ValueOf<Self>, Stuck>;

    /// A function of the mathematical library by its name in the double form; `symbol` is the
    /// name it is called by.
    fn mathematical(
        &mut self,
        at: At,
        name: &str,
        symbol: &str,
        format: Format,
        arguments: &[ValueOf<Self>],
    ) -> Result<Answer<Self::Number, Self::Symbol>, Stuck>;

    /// An operation on integers of which one is unknown.
    fn integer(
        &mut self,
        operation: IntegerOperation,
        bits: u32,
        operands: [&ValueOf<Self>; 2],
    ) -> Result<ValueOf<Self>, Stuck>;

    /// A comparison of integers of which one is unknown.
    fn integer_compare(
        &mut self,
        at: At,
        predicate: IntegerPredicate,
        bits: u32,
        operands: [&ValueOf<Self>; 2],
    ) -> Result<ValueOf<Self>, Stuck>;

    /// An unknown integer as one of another width.
    fn converted(
        &mut self,
        conversion: IntegerConversion,
        before: u32,
        after: u32,
        symbol: &Self::Symbol,
    ) -> Result<ValueOf<Self>, Stuck>;

    /// One of two values, where the truth is not known.
    fn select(
        &mut self,
        at: At,
        condition: &Self::Symbol,
        values: [&ValueOf<Self>; 2],
    ) -> Result<ValueOf<Self>, Stuck>;

    /// Whether both sides of a branch on a truth value that is not known are to be run, and what
    /// they leave joined.
    fn joins(&mut self, condition: &Self::Symbol) -> bool {
        let _ = condition;
        false
    }

    /// The first value where the condition holds, else the second.
    fn joined(
        &mut self,
        at: At,
        condition: &Self::Symbol,
        values: [&ValueOf<Self>; 2],
    ) -> Result<ValueOf<Self>, Stuck> {
        let _ = (at, condition, values);
        Err(Stuck::new("the sides of a branch cannot be joined"))
    }

    /// What a call of a function gives, where the domain knows it without running it.
    fn called(
        &mut self,
        code: &Code,
        id: FunctionId,
        arguments: &[ValueOf<Self>],
        budget: &Budget,
    ) -> Option<ValueOf<Self>> {
        let _ = (code, id, arguments, budget);
        None
    }

    /// An unknown integer, settled for this run.
    fn settled(&mut self, at: At, symbol: &Self::Symbol) -> Result<u128, Stuck>;

    /// Is told that control leaves a block by one of its ways.
    fn left(&mut self, at: At, way: usize) {
        let _ = (at, way);
    }

    /// Is told in how many branches it is of which both sides are run.
    fn beside(&mut self, branches: u32) {
        let _ = branches;
    }

    /// The rounding mode of an operation that takes it from the environment.
    fn rounding(&self) -> Rounding {
        Rounding::NearestEven
    }
}

/// The rounding mode of an operation.
pub(crate) fn rounding_of<D: Domain>(domain: &D, mode: Mode) -> Rounding {
    match mode {
        Mode::Dynamic => domain.rounding(),
        Mode::Fixed(rounding) => rounding,
    }
}

/// A value as an integer.
pub(crate) fn bits<D: Domain>(domain: &mut D, at: At, value: &ValueOf<D>) -> Result<u128, Stuck> {
    match value {
        ShadowValue::Bits(bits) => Ok(*bits),
        ShadowValue::Coded(format, number) => domain.encoded(*format, number),
        ShadowValue::Number(number) => domain.encoded(Format::BINARY64, number),
        ShadowValue::Symbol(symbol) => domain.settled(at, symbol),
        ShadowValue::Parts(_) => Ok(0),
    }
}

/// A value as a float of a format.
pub(crate) fn number<D: Domain>(
    domain: &mut D,
    at: At,
    format: Format,
    value: &ValueOf<D>,
) -> Result<D::Number, Stuck> {
    Ok(match value {
        ShadowValue::Number(number) => number.clone(),
        ShadowValue::Coded(coded, number) if *coded == format => number.clone(),
        ShadowValue::Bits(_) | ShadowValue::Coded(..) | ShadowValue::Symbol(_) => {
            let bits = bits(domain, at, value)?;
            domain.decoded(format, bits)
        }
        ShadowValue::Parts(_) => return Err(Stuck::new("a structure is read as a float")),
    })
}

/// What every domain without unknown integers has: they cannot be there.
macro_rules! nothing_unknown {
    () => {
        fn integer(
            &mut self,
            _: nanoscope_program::ir::IntegerOperation,
            _: u32,
            _: [&$crate::shadow::ValueOf<Self>; 2],
        ) -> Result<$crate::shadow::ValueOf<Self>, Stuck> {
            Err(Stuck::new("an integer is not known"))
        }

        fn integer_compare(
            &mut self,
            _: $crate::shadow::At,
            _: nanoscope_program::ir::IntegerPredicate,
            _: u32,
            _: [&$crate::shadow::ValueOf<Self>; 2],
        ) -> Result<$crate::shadow::ValueOf<Self>, Stuck> {
            Err(Stuck::new("an integer is not known"))
        }

        fn converted(
            &mut self,
            _: nanoscope_program::ir::IntegerConversion,
            _: u32,
            _: u32,
            symbol: &Self::Symbol,
        ) -> Result<$crate::shadow::ValueOf<Self>, Stuck> {
            $crate::shadow::impossible(symbol)
        }

        fn select(
            &mut self,
            _: $crate::shadow::At,
            symbol: &Self::Symbol,
            _: [&$crate::shadow::ValueOf<Self>; 2],
        ) -> Result<$crate::shadow::ValueOf<Self>, Stuck> {
            $crate::shadow::impossible(symbol)
        }

        fn settled(&mut self, _: $crate::shadow::At, symbol: &Self::Symbol) -> Result<u128, Stuck> {
            $crate::shadow::impossible(symbol)
        }
    };
}
pub(crate) use nothing_unknown;

/// What cannot be.
pub(crate) fn impossible<T>(symbol: &Infallible) -> T {
    match *symbol {}
}
