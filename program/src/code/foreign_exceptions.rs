//! Exceptions of C++ that functions of other libraries may throw.

use crate::code::cxx;
use crate::llvm::{Opcode, Value};
use std::collections::BTreeSet;

/// How many functions are named.
const NAMED: usize = 3;

/// What is assumed of functions that are called and not defined: no exception of theirs leads to a
/// handler or a destructor of the program. Nothing where none could.
pub(crate) fn assumption(reachable: &BTreeSet<Value>) -> Option<String> {
    let calls = |function: &Value| -> Vec<Value> {
        let blocks = function.blocks();
        let instructions = blocks.iter().flat_map(|block| block.instructions());
        let is_call = |i: &Value| matches!(i.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke));
        instructions.filter(is_call).collect()
    };
    let calls: Vec<(Value, Vec<Value>)> = reachable.iter().map(|f| (*f, calls(f))).collect();
    let callees = calls.iter().flat_map(|(_, calls)| calls).filter_map(|call| call.callee());
    let foreign: BTreeSet<Value> = callees.filter(|callee| may_throw(*callee)).collect();
    let mut throwers = foreign.clone();
    let throws = |call: &Value, throwers: &BTreeSet<Value>| {
        call.callee().is_some_and(|callee| throwers.contains(&callee))
    };
    loop {
        let before = throwers.len();
        for (function, calls) in calls.iter().filter(|(f, _)| !f.has_attribute("nounwind")) {
            if calls.iter().any(|call| throws(call, &throwers)) {
                throwers.insert(*function);
            }
        }
        if throwers.len() == before {
            break;
        }
    }
    let lands =
        |call: &&Value| call.opcode() == Some(Opcode::LLVMInvoke) && throws(call, &throwers);
    calls.iter().flat_map(|(_, calls)| calls).find(lands)?;
    let mut names: Vec<String> =
        foreign.iter().map(|callee| format!("`{}`", cxx::demangled(&callee.name()))).collect();
    names.sort();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let others = if more > 0 { format!(" and {more} others") } else { String::new() };
    let verb = if names.len() == 1 { "throws" } else { "throw" };
    Some(format!("{}{others}, of other libraries, {verb} no exception", names.join(", ")))
}

/// Whether a function is of another library and may end by an exception that nobody follows.
fn may_throw(callee: Value) -> bool {
    let name = callee.name();
    callee.is_declaration()
        && !callee.is_intrinsic()
        && !callee.has_attribute("nounwind")
        && name.starts_with("_Z")
        && !cxx::is_followed(&name)
        && !cxx::is_followed_template(&name)
}
