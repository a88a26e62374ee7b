//! Initialisers of global variables that a function has nothing to do with, left out.
//!
//! A library may compute much when a program starts: tables, the variables of all its functions. A
//! call in a constructor goes when nothing that the entry can come by refers to a variable that
//! the call may write.

use super::coreachable::{Calls, addresses_kept};
use super::{
    Act, Callee, Code, Constant, End, Function, FunctionId, GlobalId, Operand, Place, Register,
    Special,
};
use crate::{acts, code::cxx, code::libm};
use std::collections::BTreeSet;

impl Code {
    /// The variables that constructors may write before anything else runs.
    pub fn initialised_variables(&self) -> BTreeSet<GlobalId> {
        let closure = Closure { code: self, calls: Calls::of(self), kept: addresses_kept(self) };
        let mut first = BTreeSet::new();
        self.constructors.iter().for_each(|id| first.extend(closure.of(*id)));
        closure.variables(&first)
    }

    /// Leaves out of the constructors what cannot matter to an entry.
    pub(super) fn leave_out_initialisers(&mut self, entry: FunctionId) {
        let dropped = self.initialisers_without_effect(entry);
        for (function, block, at) in dropped.into_iter().rev() {
            self.functions[function].blocks[block].instructions.remove(at);
        }
    }

    /// Calls in constructors that may go, in order: function, block, instruction.
    fn initialisers_without_effect(&self, entry: FunctionId) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        if self.constructors.is_empty() {
            return found;
        }
        let closure = Closure { code: self, calls: Calls::of(self), kept: addresses_kept(self) };
        let read = closure.variables(&closure.of(entry));
        let mut first = BTreeSet::new();
        self.constructors.iter().for_each(|id| first.extend(closure.of(*id)));
        // What constructors keep the address of, any of them may write.
        if closure.any_escapes(&read, &first) {
            return found;
        }
        for constructor in &self.constructors {
            let number = constructor.0 as usize;
            for (block, at, id) in void_calls(self, number) {
                let run = closure.of(id);
                if run.iter().all(|id| closure.is_plain(*id))
                    && closure.variables(&run).is_disjoint(&read)
                {
                    found.push((number, block, at));
                }
            }
        }
        found
    }
}

/// Calls of functions of the program that have no result: block, instruction, function.
fn void_calls(code: &Code, function: usize) -> Vec<(usize, usize, FunctionId)> {
    let mut found = Vec::new();
    for (number, block) in code.functions[function].blocks.iter().enumerate() {
        for (at, instruction) in block.instructions.iter().enumerate() {
            if let Act::Call { callee: Callee::Function(id), .. } = &instruction.act
                && instruction.result.is_none()
                && code.function(*id).is_defined()
            {
                found.push((number, at, *id));
            }
        }
    }
    found
}

struct Closure<'c> {
    code: &'c Code,
    calls: Calls,
    kept: Vec<bool>,
}

impl Closure<'_> {
    /// The functions that may run when one does.
    fn of(&self, id: FunctionId) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut pending = vec![id.0 as usize];
        while let Some(at) = pending.pop() {
            if !found.insert(at) {
                continue;
            }
            pending.extend(&self.calls.callees[at]);
            if self.calls.through_address.contains(&at) {
                pending.extend((0..self.kept.len()).filter(|at| self.kept[*at]));
            }
        }
        found
    }

    /// Whether what a function does itself is known: it sets no rounding mode, and is code, or of a
    /// library that keeps to what it is given.
    fn is_plain(&self, id: usize) -> bool {
        let function = &self.code.functions[id];
        let is_odd = |act: &Act| {
            matches!(act, Act::Special { special: Special::SetRounding, .. } | Act::Unknown { .. })
        };
        match function.is_defined() {
            true => !acts_of(function).any(is_odd),
            false => is_known(&function.name),
        }
    }

    /// The variables that functions refer to, and those that these lead to at first. The variables of
    /// an exception on its way are as they were when nothing is thrown any more.
    fn variables(&self, functions: &BTreeSet<usize>) -> BTreeSet<GlobalId> {
        let mut found = BTreeSet::new();
        for &id in functions {
            for operand in operands_of(&self.code.functions[id]) {
                globals_in(self.code, operand, &mut |id| {
                    found.insert(id);
                });
            }
        }
        let mut pending: Vec<GlobalId> = found.iter().copied().collect();
        while let Some(id) = pending.pop() {
            let initial = self.code.global(id).initial.as_ref();
            initial.into_iter().for_each(|initial| {
                globals_within(initial, &mut |id| pending.extend(found.insert(id).then_some(id)));
            });
        }
        found.retain(|id| {
            let global = self.code.global(*id);
            let is_table = ["nanoscope_", "_ZTV", "_ZTI", "_ZTS", "_ZTT"];
            !global.constant && !is_table.iter().any(|start| global.name.starts_with(start))
        });
        found
    }

    /// Whether functions keep an address of one of the variables.
    fn any_escapes(&self, variables: &BTreeSet<GlobalId>, functions: &BTreeSet<usize>) -> bool {
        let is_initial = |id: &GlobalId| {
            let mut initials =
                self.code.globals.iter().filter_map(|global| global.initial.as_ref());
            initials.any(|initial| {
                let mut found = false;
                globals_within(initial, &mut |other| found |= other == *id);
                found
            })
        };
        if variables.iter().any(is_initial) {
            return true;
        }
        let keeping = self.keeping(functions);
        let is_one = |operand: Operand| {
            let mut found = false;
            globals_in(self.code, operand, &mut |id| found |= variables.contains(&id));
            found
        };
        functions.iter().any(|&id| {
            let function = &self.code.functions[id];
            operands_of(function).any(is_one) && self.keeps(function, &is_one, &keeping)
        })
    }

    /// The parameters that functions keep, from none: (function, parameter).
    fn keeping(&self, functions: &BTreeSet<usize>) -> BTreeSet<(usize, usize)> {
        let mut keeping = BTreeSet::new();
        loop {
            let before = keeping.len();
            for &id in functions {
                let function = &self.code.functions[id];
                for number in 0..function.parameters.len() {
                    let is_it = |operand| operand == Operand::Register(Register(number as u32));
                    if function.is_defined()
                        && !keeping.contains(&(id, number))
                        && self.keeps(function, &is_it, &keeping)
                    {
                        keeping.insert((id, number));
                    }
                }
            }
            if keeping.len() == before {
                return keeping;
            }
        }
    }

    /// Whether a function stores an address, returns it, or hands it to who keeps it.
    fn keeps(
        &self,
        function: &Function,
        is_address: &dyn Fn(Operand) -> bool,
        keeping: &BTreeSet<(usize, usize)>,
    ) -> bool {
        let mut derived: BTreeSet<Register> = BTreeSet::new();
        let is_it = |derived: &BTreeSet<Register>, operand: Operand| {
            is_address(operand) || matches!(operand, Operand::Register(r) if derived.contains(&r))
        };
        loop {
            let before = derived.len();
            for block in &function.blocks {
                for instruction in &block.instructions {
                    let passes = matches!(instruction.act, acts!(Computing));
                    let operands = instruction.act.operands();
                    if passes && operands.iter().any(|one| is_it(&derived, *one)) {
                        derived.extend(instruction.result);
                    }
                }
                for (to, from) in block.end.edges().into_iter().flat_map(|edge| &edge.moves) {
                    if is_it(&derived, *from) {
                        derived.insert(*to);
                    }
                }
            }
            if derived.len() == before {
                break;
            }
        }
        let is_it = |operand: &Operand| is_it(&derived, *operand);
        let returned = function
            .blocks
            .iter()
            .any(|block| matches!(&block.end, End::Return(Some(operand)) if is_it(operand)));
        returned
            || acts_of(function).any(|act| match act {
                Act::Store { value, .. } => is_it(value),
                Act::Call { callee: Callee::Function(id), arguments, .. } => {
                    let callee = self.code.function(*id);
                    let followed = cxx::is_followed(&callee.name);
                    arguments.iter().enumerate().any(|(number, argument)| {
                        let kept = match callee.is_defined() {
                            true => keeping.contains(&(id.0 as usize, number)),
                            false => !followed,
                        };
                        kept && is_it(argument)
                    })
                }
                Act::Call { callee: Callee::Address(_), arguments, .. } => {
                    arguments.iter().any(is_it)
                }
                Act::Unknown { operands, .. } => operands.iter().any(is_it),
                acts!(Computing)
                | Act::Allocate { .. }
                | Act::Load { .. }
                | Act::Special { .. } => false,
            })
    }
}

/// Whether a function of a library changes nothing but what it is given.
fn is_known(name: &str) -> bool {
    cxx::is_followed(name)
        || cxx::is_self_contained(name)
        || libm::watched().iter().any(|watched| watched == name)
        || libm::never_raises(name)
        || name == "__errno_location"
}

fn acts_of(function: &Function) -> impl Iterator<Item = &Act> {
    function.blocks.iter().flat_map(|block| &block.instructions).map(|one| &one.act)
}

/// Everything that a function reads.
fn operands_of(function: &Function) -> impl Iterator<Item = Operand> {
    let read = acts_of(function).flat_map(|act| act.operands().to_vec());
    let ends = function.blocks.iter().flat_map(|block| {
        let moves = block.end.edges().into_iter().flat_map(|edge| &edge.moves);
        let moved: Vec<Operand> = moves.map(|(_, operand)| *operand).collect();
        moved.into_iter().chain(block.end.operand())
    });
    read.chain(ends)
}

fn globals_in(code: &Code, operand: Operand, tell: &mut dyn FnMut(GlobalId)) {
    if let Operand::Constant(id) = operand {
        globals_within(&code.constant(id).1, tell);
    }
}

fn globals_within(constant: &Constant, tell: &mut dyn FnMut(GlobalId)) {
    match constant {
        Constant::Address { of: Place::Global(id), .. } => tell(*id),
        Constant::Parts(_, parts) => parts.iter().for_each(|part| globals_within(part, tell)),
        Constant::Address { of: Place::Nowhere | Place::Function(_), .. }
        | Constant::Integer(_)
        | Constant::Float(..)
        | Constant::Undefined(_)
        | Constant::Poison(_)
        | Constant::Zero(_)
        | Constant::Bytes(_) => {}
    }
}
