//! Models: a value for everything that a problem leaves open.

use crate::{FunctionId, Terms, Unspecified, Value, VariableId};
use std::collections::BTreeMap;

/// Values for variables, and for functions at the door. What it does not
/// mention has its sort's first value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// The variables' values.
    pub variables: BTreeMap<VariableId, Value>,
    /// The uninterpreted functions.
    pub functions: BTreeMap<FunctionId, FunctionValue>,
    /// What the functions that SMT-LIB leaves open give where they are open.
    pub unspecified: BTreeMap<(Unspecified, Vec<Value>), Value>,
}

/// An uninterpreted function's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionValue {
    /// By arguments.
    pub entries: BTreeMap<Vec<Value>, Value>,
    /// For all other arguments.
    pub default: Value,
}

impl Model {
    /// No values yet.
    pub fn new() -> Model {
        Model::default()
    }

    /// Sets a variable's value.
    pub fn set(&mut self, variable: VariableId, value: Value) {
        self.variables.insert(variable, value);
    }

    /// A variable's value, its sort's first one where the model has none.
    pub fn get(&self, terms: &Terms, variable: VariableId) -> Value {
        let value = self.variables.get(&variable).cloned();
        value.unwrap_or_else(|| terms.default_value(terms.variable_sort(variable)))
    }
}
