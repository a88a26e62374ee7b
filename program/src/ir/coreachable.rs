//! Paths that come by nothing that is asked about, ended where that is known.
//!
//! A block is co-reachable when a way leads from it to a wanted site: in its function, in one that
//! it calls, or after its function has returned. The rest decides nothing: making the message of
//! an error that is thrown, cleaning up, printing results.

use super::{Act, Block, BlockId, Callee, Code, Constant, End, FunctionId, Operand, Place};
use crate::{SiteId, code::cxx};
use std::collections::BTreeSet;

impl Code {
    /// The same program as far as it matters to sites that an entry comes by: blocks from which no
    /// way leads to a wanted one are empty, and control ends there; what constructors compute for
    /// others is left out. For questions about those sites only.
    pub fn toward(&self, entry: FunctionId, wanted: &dyn Fn(SiteId) -> bool) -> Code {
        let mut code = self.clone();
        code.leave_out_initialisers(entry);
        let known = Coreachable::of(&code, wanted);
        for (number, function) in code.functions.iter_mut().enumerate() {
            for (at, block) in function.blocks.iter_mut().enumerate() {
                if !known.blocks[number][at] {
                    *block = Block {
                        instructions: Vec::new(),
                        end: End::Unreachable,
                        end_location: block.end_location,
                    };
                }
            }
        }
        code
    }
}

struct Coreachable {
    /// Whether a function, or one that it calls, has a wanted site.
    inside: Vec<bool>,
    /// Whether a way leads to one after it has returned, and after an exception has left it.
    after: Vec<[bool; 2]>,
    /// The same from the start of a block.
    blocks: Vec<Vec<bool>>,
    /// Whether a function whose address is kept has one inside.
    through_address: bool,
}

impl Coreachable {
    fn of(code: &Code, wanted: &dyn Fn(SiteId) -> bool) -> Coreachable {
        let count = code.functions.len();
        let mut known = Coreachable {
            inside: vec![false; count],
            after: vec![[false; 2]; count],
            blocks: code.functions.iter().map(|f| vec![false; f.blocks.len()]).collect(),
            through_address: false,
        };
        let kept = addresses_kept(code);
        let calls = Calls::of(code);
        known.inside(code, wanted, &kept, &calls);
        // What is called by its address returns to anybody, and what runs first, to the rest.
        known.after = kept.iter().map(|kept| [*kept; 2]).collect();
        for id in code.constructors.iter().chain(&code.destructors) {
            known.after[id.0 as usize] = [true; 2];
        }
        // What runs at the end comes after everything.
        let mut last =
            calls.at_exit.iter().copied().chain(code.destructors.iter().copied().map(Some));
        let inside = |id: FunctionId| known.inside[id.0 as usize];
        if last.any(|id| id.map_or(known.through_address, inside)) {
            let is_called = |id: usize| !calls.callers[id].is_empty();
            (0..count).filter(|id| !is_called(*id)).for_each(|id| known.after[id] = [true; 2]);
        }
        known.spread(code, wanted);
        known
    }

    /// Which functions have a wanted site inside: from those that have one to those that call them.
    fn inside(
        &mut self,
        code: &Code,
        wanted: &dyn Fn(SiteId) -> bool,
        kept: &[bool],
        calls: &Calls,
    ) {
        let has = |at: &usize| {
            let instructions = code.functions[*at].blocks.iter().flat_map(|b| &b.instructions);
            instructions.filter_map(|instruction| instruction.site).any(wanted)
        };
        let mut pending: Vec<usize> = (0..code.functions.len()).filter(has).collect();
        while let Some(at) = pending.pop() {
            if std::mem::replace(&mut self.inside[at], true) {
                continue;
            }
            pending.extend(&calls.callers[at]);
            if kept[at] && !std::mem::replace(&mut self.through_address, true) {
                pending.extend(&calls.through_address);
            }
        }
    }

    /// Repeats functions until no block more leads to a wanted site.
    fn spread(&mut self, code: &Code, wanted: &dyn Fn(SiteId) -> bool) {
        let mut pending: Vec<usize> = (0..code.functions.len()).collect();
        while let Some(number) = pending.pop() {
            let function = &code.functions[number];
            let mut grew = true;
            while grew {
                grew = false;
                for at in (0..function.blocks.len()).rev() {
                    if !self.blocks[number][at]
                        && self.leads(code, wanted, (number, at), &mut |_, _| ())
                    {
                        self.blocks[number][at] = true;
                        grew = true;
                    }
                }
            }
            let mut returned = Vec::new();
            for at in 0..function.blocks.len() {
                let mut tell = |id, how: [bool; 2]| returned.push((id, how));
                self.leads(code, wanted, (number, at), &mut tell);
            }
            for (id, how) in returned {
                let before = self.after[id];
                self.after[id] = [before[0] | how[0], before[1] | how[1]];
                if self.after[id] != before {
                    pending.push(id);
                }
            }
        }
    }

    /// Whether a block leads to a wanted site, looked at from its end; the functions it calls are
    /// told, with whether one is ahead when they return, and when an exception leaves them.
    fn leads(
        &self,
        code: &Code,
        wanted: &dyn Fn(SiteId) -> bool,
        (number, at): (usize, usize),
        tell: &mut dyn FnMut(usize, [bool; 2]),
    ) -> bool {
        let block = &code.functions[number].blocks[at];
        let mut leads = match &block.end {
            End::Return(_) => {
                let leaves = code.functions[number].leave == Some(BlockId(at as u32));
                self.after[number][usize::from(leaves)]
            }
            // Nobody knows what it does.
            End::Unknown(_) => true,
            End::Jump(_)
            | End::Branch { .. }
            | End::Switch { .. }
            | End::Computed { .. }
            | End::Unreachable => {
                code.ways(&block.end).iter().any(|edge| self.blocks[number][edge.to.0 as usize])
            }
        };
        for (place, instruction) in block.instructions.iter().enumerate().rev() {
            if let Act::Call { callee, .. } = &instruction.act {
                match callee {
                    Callee::Function(id) => {
                        let (here, block) = (FunctionId(number as u32), BlockId(at as u32));
                        let way = code.way_of_exception(here, block, place as u32 + 1);
                        let thrown = way.map_or(leads, |to| self.blocks[number][to.0 as usize]);
                        let id = id.0 as usize;
                        tell(id, [leads, thrown]);
                        let calls_back = self.through_address && may_call_back(code, id);
                        leads |= self.inside[id] || calls_back;
                    }
                    Callee::Address(_) => leads |= self.through_address,
                }
            }
            leads |= instruction.site.is_some_and(wanted);
        }
        leads
    }
}

/// Whether a function without a body may call functions of the program.
fn may_call_back(code: &Code, id: usize) -> bool {
    let function = &code.functions[id];
    let known = cxx::is_followed(&function.name) || cxx::is_self_contained(&function.name);
    let sorts = matches!(function.name.as_str(), "qsort" | "bsearch");
    !function.is_defined() && (sorts || !known)
}

/// Who calls whom.
pub(super) struct Calls {
    callers: Vec<Vec<usize>>,
    pub callees: Vec<Vec<usize>>,
    /// Those that call through an address, or what may call back.
    pub through_address: BTreeSet<usize>,
    /// What is to be called when the program ends; none where that is not known.
    at_exit: Vec<Option<FunctionId>>,
}

/// Functions of the C library that are given a function to call at the end.
const AT_EXIT: [&str; 5] =
    ["atexit", "at_quick_exit", "on_exit", "__cxa_atexit", "__cxa_thread_atexit"];

impl Calls {
    pub fn of(code: &Code) -> Calls {
        let mut calls = Calls {
            callers: vec![Vec::new(); code.functions.len()],
            callees: vec![Vec::new(); code.functions.len()],
            through_address: BTreeSet::new(),
            at_exit: Vec::new(),
        };
        for (number, function) in code.functions.iter().enumerate() {
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                let Act::Call { callee, arguments, .. } = &instruction.act else { continue };
                match callee {
                    Callee::Function(FunctionId(id)) => {
                        if AT_EXIT.contains(&&*code.functions[*id as usize].name) {
                            calls.at_exit.push(arguments.first().and_then(|a| given(code, *a)));
                        }
                        calls.callers[*id as usize].push(number);
                        calls.callees[number].push(*id as usize);
                        if may_call_back(code, *id as usize) {
                            calls.through_address.insert(number);
                        }
                    }
                    Callee::Address(_) => {
                        calls.through_address.insert(number);
                    }
                }
            }
        }
        calls
    }
}

/// The function whose address an operand is, where that is known.
fn given(code: &Code, operand: Operand) -> Option<FunctionId> {
    let Operand::Constant(id) = operand else { return None };
    match code.constant(id).1 {
        Constant::Address { of: Place::Function(id), .. } => Some(id),
        Constant::Address { of: Place::Nowhere | Place::Global(_), .. }
        | Constant::Integer(_)
        | Constant::Float(..)
        | Constant::Undefined(_)
        | Constant::Poison(_)
        | Constant::Zero(_)
        | Constant::Parts(..)
        | Constant::Bytes(_) => None,
    }
}

/// The functions whose addresses are kept somewhere.
pub(super) fn addresses_kept(code: &Code) -> Vec<bool> {
    let mut kept = vec![false; code.functions.len()];
    let globals = code.globals.iter().filter_map(|global| global.initial.as_ref());
    let mut pending: Vec<&Constant> =
        code.constants.iter().map(|(_, constant)| constant).chain(globals).collect();
    while let Some(constant) = pending.pop() {
        match constant {
            Constant::Address { of: Place::Function(id), .. } => kept[id.0 as usize] = true,
            Constant::Parts(_, parts) => pending.extend(parts.iter()),
            Constant::Address { of: Place::Nowhere | Place::Global(_), .. }
            | Constant::Integer(_)
            | Constant::Float(..)
            | Constant::Undefined(_)
            | Constant::Poison(_)
            | Constant::Zero(_)
            | Constant::Bytes(_) => {}
        }
    }
    kept
}
