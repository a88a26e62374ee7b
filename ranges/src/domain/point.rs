//! Where a domain is asked: a point of a function, and the interface of domains.

use crate::domain::environment::Environment;
use crate::domain::memo::Memo;
use crate::domain::relations::Relations;
use crate::domain::values::Computed;
use crate::exceptions::FloatTransfer;
use crate::function::facts::FunctionFacts;
use crate::memory::Globals;
use crate::value::AbstractValue;
use nanoscope_program::ir::{Edge, Function, FunctionId, Instruction, Operand, Register};
use nanoscope_sets::{Floats, Modes, Relation};
use std::cell::RefCell;
use std::collections::HashMap;

/// A function with everything that is the same at all of its points in a run.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    pub id: FunctionId,
    pub function: &'a Function,
    pub facts: &'a FunctionFacts,
    /// The values of the program's constants.
    pub constants: &'a [AbstractValue],
    /// Global variables.
    pub globals: &'a Globals<'a>,
    /// The rounding modes of the program.
    pub modes: Modes,
    /// The domains that are switched on.
    pub domains: Domains,
    /// The length of derivations of order.
    pub order_depth: u32,
    /// Facts from the caller.
    pub caller_facts: &'a [(Register, AbstractValue)],
    /// What bisection knows; `None` if it is not to be used.
    pub bisections: Option<&'a RefCell<Bisections>>,
    /// Results that were computed before.
    pub memo: &'a RefCell<Memo>,
    /// Instructions interpreted so far.
    pub steps: u64,
}

impl Text<'_> {
    /// The value of an operand.
    pub fn value<'v>(
        &'v self,
        environment: &'v Environment,
        operand: Operand,
    ) -> &'v AbstractValue {
        environment.operand(operand, self.constants)
    }

    /// Whether registers of one value number are equal: there is one rounding mode.
    pub fn has_equal_numbers(&self) -> bool {
        self.modes == Modes::NEAREST && self.domains.value_numbers
    }
}

/// Slices that were bisected, and their outcomes.
#[derive(Default)]
pub struct Bisections {
    pub outcomes: HashMap<(FunctionId, Register, Floats), FloatTransfer>,
    /// Times in a row that a slice was bisected in vain.
    pub vain: HashMap<(FunctionId, Register), u32>,
    /// Instructions run.
    pub acts: u64,
}

/// What domains read of each other when they sharpen.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub environment: &'a Environment,
    pub relations: &'a Relations,
}

/// One side of a join, a widening or an inclusion.
pub struct Side<'a, D> {
    pub environment: &'a Environment,
    pub element: &'a D,
}

impl<D> Clone for Side<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Side<'_, D> {}

/// A domain of the product; the type is that of its elements. An element says something that
/// holds of every concrete state, and the default element says nothing.
pub trait Domain: Clone + Default {
    /// The effect of an instruction whose result has been assigned, seen from before it.
    fn transfer(&mut self, _at: &Text, _before: &Environment, _instruction: &Instruction) {}

    /// Adds that a comparison of two operands has a relation.
    fn assume(
        &mut self,
        _at: &Text,
        _environment: &Environment,
        _operands: [Operand; 2],
        _relation: Relation,
    ) {
    }

    /// Forgets a register that is assigned anew.
    fn forget(&mut self, _register: Register) {}

    /// The effect of an edge: its moves are made at once, then only live registers stay.
    fn follow(
        &mut self,
        _at: &Text,
        _before: &Environment,
        _edge: &Edge,
        _is_live: &dyn Fn(Register) -> bool,
    ) {
    }

    /// What holds of either side.
    fn join(_a: Side<Self>, _b: Side<Self>, _joined: &Environment) -> Self {
        Self::default()
    }

    /// The widening of one side by the next: ends after finitely many steps.
    fn widen(_a: Side<Self>, _b: Side<Self>, _wide: &Environment) -> Self {
        Self::default()
    }

    /// Whether the element holds of a side.
    fn includes(&self, _other: Side<Self>) -> bool {
        true
    }

    /// Takes from the result of an instruction that only computes what cannot be.
    fn sharpen(
        &self,
        _at: &Text,
        _known: Known,
        _instruction: &Instruction,
        _computed: &mut Computed,
    ) {
    }
}

/// The names of a register at the end of an edge: itself unless it is assigned there, and the
/// registers that it moves to.
pub fn names_after(edge: &Edge, register: Register) -> impl Iterator<Item = Register> {
    let kept = !edge.moves.iter().any(|(to, _)| *to == register);
    let moved = edge.moves.iter().filter(move |(_, from)| *from == Operand::Register(register));
    kept.then_some(register).into_iter().chain(moved.map(|(to, _)| *to))
}

macro_rules! switches {
    ($($(#[$doc:meta])* $field:ident: $element:ident,)*) => {
        /// The domains that an analysis uses; all unless switched off.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Domains {
            $($(#[$doc])* pub $field: bool,)*
        }

        impl Default for Domains {
            fn default() -> Domains {
                Domains { $($field: true,)* }
            }
        }

        impl Domains {
            /// The names of all domains.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($field),)*];

            /// All but the named one; `None` if there is none of that name.
            pub fn without(name: &str) -> Option<Domains> {
                let mut domains = Domains::default();
                match name {
                    $(stringify!($field) => domains.$field = false,)*
                    _ => return None,
                }
                Some(domains)
            }
        }
    };
}

/// The table of domains: expands a macro with a row for each, in the order in which they sharpen.
macro_rules! for_each_domain {
    ($callback:ident) => {
        $callback! {
            /// Order between operands.
            order: Relations,
            /// Ratios of magnitudes.
            ratios: Ratios,
            /// Differences between registers.
            zones: Zones,
            /// Affine forms.
            affine: AffineForms,
            /// Blends of two values.
            blends: Blends,
            /// Whole parts.
            whole_parts: WholeParts,
            /// Bisection of slices.
            bisection: Bisection,
            /// Facts from callers.
            caller_facts: CallerFacts,
            /// Value numbers.
            value_numbers: ValueNumbering,
            /// Implications of truth values.
            implications: Implications,
            /// Linear recurrences of loops.
            recurrences: Recurrences,
            /// Registers that hold the value of a cell of memory.
            cells: Cells,
        }
    };
}
pub(crate) use for_each_domain;

for_each_domain!(switches);
