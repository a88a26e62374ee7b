//! `klee_alias_function`: from there on, calls of one function go to another.
//!
//! A function that the program redirects is called through a variable, which every engine and the
//! native builds follow alike. As in KLEE, calls through the program's own pointers stay as they are.

use crate::llvm::{Builder, Linkage, Module, Value};
use std::collections::BTreeMap;

/// Redirects as the program says. A call with names that are not constants, or of functions
/// that are not there, stays.
pub(crate) fn write_out(module: &Module) {
    let Some(alias) = module.function("klee_alias_function").filter(|f| f.is_declaration()) else {
        return;
    };
    let mut variables: BTreeMap<String, Value> = BTreeMap::new();
    for call in alias.users() {
        if call.callee() != Some(alias) {
            continue;
        }
        let [Some(name), Some(instead)] = [0, 1].map(|at| call.operand(at).constant_text()) else {
            continue;
        };
        let [Some(function), Some(other)] = [&name, &instead].map(|it| module.function(it)) else {
            continue;
        };
        let variable = *variables.entry(name).or_insert_with_key(|name| {
            let variable =
                module.add_global(&format!("nanoscope.{name}"), module.pointer(), Some(function));
            variable.set_linkage(Linkage::LLVMInternalLinkage);
            call_through(module, function, variable);
            variable
        });
        let builder = Builder::new(module);
        builder.before(call);
        builder.place_as(call);
        builder.store(other, variable);
        call.erase();
    }
}

/// Has every direct call of a function read from the variable what it calls.
fn call_through(module: &Module, function: Value, variable: Value) {
    let calls = function.users().into_iter().filter(|user| user.callee() == Some(function));
    for call in calls {
        let builder = Builder::new(module);
        builder.before(call);
        builder.place_as(call);
        let target = builder.load(module.pointer(), variable);
        call.set_operand(call.operands().len() as u32 - 1, target);
    }
}
