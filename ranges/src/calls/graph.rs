//! The call graph, and what it tells of the rounding mode.

use nanoscope_program::ir::{Act, Callee, Code, Constant, Function, FunctionId, Place, Special};
use std::collections::BTreeSet;

/// Functions that change how the others round.
const ROUNDING: &[&str] =
    &["fesetround", "fesetenv", "feupdateenv", "feholdexcept", "_controlfp", "__fesetround"];

/// The call graph of a program.
pub struct CallGraph {
    /// For each function, those it calls by name, and whether it calls through an address.
    calls: Vec<(Vec<FunctionId>, bool)>,
    /// The functions whose address is taken.
    pub address_taken: Vec<FunctionId>,
}

impl CallGraph {
    /// The call graph of a program.
    pub fn of(code: &Code) -> CallGraph {
        let mut taken = BTreeSet::new();
        fn visit(constant: &Constant, taken: &mut BTreeSet<FunctionId>) {
            match constant {
                Constant::Address { of: Place::Function(id), .. } => {
                    taken.insert(*id);
                }
                Constant::Parts(_, parts) => parts.iter().for_each(|part| visit(part, taken)),
                Constant::Integer(_)
                | Constant::Float(..)
                | Constant::Address { .. }
                | Constant::Undefined(_)
                | Constant::Poison(_)
                | Constant::Zero(_)
                | Constant::Bytes(_) => {}
            }
        }
        code.constants.iter().for_each(|(_, constant)| visit(constant, &mut taken));
        code.globals.iter().filter_map(|g| g.initial.as_ref()).for_each(|c| visit(c, &mut taken));
        let calls = code.functions.iter().map(|function| {
            let mut named = BTreeSet::new();
            let mut through = false;
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                match &instruction.act {
                    Act::Call { callee: Callee::Function(id), .. } => {
                        named.insert(*id);
                    }
                    Act::Call { callee: Callee::Address(_), .. } | Act::Unknown { .. } => {
                        through = true;
                    }
                    _ => {}
                }
            }
            (named.into_iter().collect(), through)
        });
        CallGraph { calls: calls.collect(), address_taken: taken.into_iter().collect() }
    }

    /// All functions that may run when one of these does.
    pub fn reachable(&self, from: &[FunctionId]) -> BTreeSet<FunctionId> {
        let mut found = BTreeSet::new();
        let mut queue = from.to_vec();
        while let Some(id) = queue.pop() {
            if found.insert(id) {
                let (named, through) = &self.calls[id.0 as usize];
                queue.extend(named);
                if *through {
                    queue.extend(&self.address_taken);
                }
            }
        }
        found
    }
}

/// Whether the rounding mode may be changed when a function runs, after the constructors.
pub fn changes_rounding(code: &Code, entry: Option<FunctionId>) -> bool {
    let changes = |function: &Function| {
        ROUNDING.contains(&function.name.as_str())
            || function
                .blocks
                .iter()
                .flat_map(|block| &block.instructions)
                .any(|i| matches!(i.act, Act::Special { special: Special::SetRounding, .. }))
    };
    if !code.functions.iter().any(changes) {
        return false;
    }
    let Some(entry) = entry else { return true };
    let graph = CallGraph::of(code);
    let mut first = code.constructors.clone();
    first.push(entry);
    let mut reached = graph.reachable(&first);
    if reached.iter().any(|id| code.function(*id).blocks.is_empty()) {
        // Code that is not here may call what it finds the address of.
        first.extend(&graph.address_taken);
        reached = graph.reachable(&first);
    }
    reached.iter().any(|id| changes(code.function(*id)))
}
