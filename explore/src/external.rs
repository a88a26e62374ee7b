//! External functions: what a program calls that has neither a body nor an exact model. Whoever
//! drives the exploration may call them natively; this room only says what to call.

use nanoscope_ieee::{Flags, Rounding, Word};
use nanoscope_program::ir::FunctionId;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// How external functions are treated that have no effects but `errno` and flags.
#[derive(Clone, Debug, Default)]
pub struct External {
    /// Calls them natively; none: nobody does.
    pub caller: Option<Caller>,
    /// What happens where arguments are unknown.
    pub unknown: UnknownArguments,
    /// Functions that have no effects, beside those that the library's table names.
    pub pure: BTreeSet<String>,
}

/// What happens to calls of external functions with unknown arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownArguments {
    /// The result is unknown, which keeps proofs true; beside it, paths on which the arguments
    /// have a few known values.
    #[default]
    Both,
    /// The path goes on with one known value of each argument, as in KLEE, also where there is a
    /// model. It is not exhaustive then.
    Concretise,
    /// The result is unknown.
    AnyResult,
}

/// A call with known arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeCall<'a> {
    /// The function.
    pub function: FunctionId,
    /// Its name, as libraries have it.
    pub name: &'a str,
    /// The bits of its arguments.
    pub arguments: Vec<Word>,
    /// The rounding mode.
    pub rounding: Rounding,
    /// What `errno` is before.
    pub errno: i32,
}

/// What a native call gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NativeAnswer {
    /// The bits of the result, the low ones.
    pub result: u128,
    /// What `errno` is then.
    pub errno: i32,
    /// The flags that it raised.
    pub raised: Flags,
}

type Call = dyn Fn(&NativeCall) -> Option<NativeAnswer> + Send + Sync;

/// Calls functions natively; `None` from it: this one could not be called, or did not return.
#[derive(Clone)]
pub struct Caller(Arc<Call>);

impl Caller {
    /// One that calls so.
    pub fn new(
        call: impl Fn(&NativeCall) -> Option<NativeAnswer> + Send + Sync + 'static,
    ) -> Caller {
        Caller(Arc::new(call))
    }

    pub(crate) fn call(&self, call: &NativeCall) -> Option<NativeAnswer> {
        (self.0)(call)
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Caller")
    }
}
