//! The memory that a callee can reach, with canonical names for its objects.
//!
//! A function can reach only the objects that its arguments, global variables and escaped
//! addresses lead to. They are numbered in the order of that search, so that a summary of one
//! call holds for every call with the same arguments and memory. The rest of memory waits
//! until the function returns.

use crate::memory::address::ObjectId;
use crate::memory::{Globals, Memory};
use crate::value::AbstractValue;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The caller's side of a call: the renaming, and the memory that the callee cannot reach.
pub struct Renaming {
    /// The caller's names of the objects passed.
    outer: BTreeMap<ObjectId, ObjectId>,
    rest: Memory,
}

/// Canonical names, in the order of a search.
#[derive(Default)]
struct Names {
    inner: BTreeMap<ObjectId, ObjectId>,
    work_list: Vec<ObjectId>,
    met: BTreeSet<ObjectId>,
}

impl Names {
    fn meet(&mut self, object: ObjectId) {
        if !self.met.insert(object) {
            return;
        }
        self.work_list.push(object);
        match object {
            ObjectId::Allocated { .. } | ObjectId::Given(_) => {
                let name = ObjectId::Given(self.inner.len() as u32);
                self.inner.insert(object, name);
            }
            ObjectId::Global(_) | ObjectId::Function(_) | ObjectId::Inputs | ObjectId::Outputs => {}
        }
    }

    fn meet_all(&mut self, value: &AbstractValue) {
        match value {
            AbstractValue::Pointer(pointers) => pointers.targets.keys().for_each(|o| self.meet(*o)),
            AbstractValue::Parts(parts) => parts.iter().for_each(|part| self.meet_all(part)),
            AbstractValue::Anything
            | AbstractValue::Zeros
            | AbstractValue::Float(_)
            | AbstractValue::Integer(_) => {}
        }
    }
}

impl Renaming {
    /// Projects memory on what a function with these arguments can reach: the arguments and the
    /// memory as it sees them, and what undoes the renaming.
    pub fn cut(
        arguments: &[AbstractValue],
        memory: Memory,
    ) -> (Vec<AbstractValue>, Memory, Renaming) {
        let mut names = Names::default();
        arguments.iter().for_each(|argument| names.meet_all(argument));
        let mut next = 0;
        let mut others = false;
        loop {
            while let Some(&object) = names.work_list.get(next) {
                next += 1;
                if let Some(contents) = memory.objects.get(&object) {
                    contents.values().for_each(|value| names.meet_all(value));
                }
            }
            if others {
                break;
            }
            others = true;
            let variables = memory.objects.keys().filter(|o| matches!(o, ObjectId::Global(_)));
            variables.chain(memory.escaped.iter()).for_each(|object| names.meet(*object));
        }
        let mut rest = memory;
        let mut seen = Memory { lost: rest.lost, ..Memory::default() };
        for object in &names.met {
            if let Some(contents) = rest.objects_mut().remove(object) {
                let contents = contents.renamed(&names.inner);
                seen.objects_mut().insert(named(&names.inner, *object), contents);
            }
        }
        seen.escaped = renamed(&rest.escaped, &names.inner);
        let arguments = arguments.iter().map(|value| value.renamed(&names.inner)).collect();
        let outer = names.inner.into_iter().map(|(outer, inner)| (inner, outer)).collect();
        (arguments, seen, Renaming { outer, rest })
    }

    /// The callee's name of an object; `None` if it cannot reach it.
    pub fn inside(&self, object: ObjectId) -> Option<ObjectId> {
        match object {
            ObjectId::Allocated { .. } | ObjectId::Given(_) => {
                let mut names = self.outer.iter();
                names.find(|(_, outer)| **outer == object).map(|(inner, _)| *inner)
            }
            ObjectId::Global(_) | ObjectId::Function(_) | ObjectId::Inputs | ObjectId::Outputs => {
                Some(object)
            }
        }
    }

    /// The caller's name of an object; `None` for one of the callee.
    pub fn outside(&self, object: ObjectId) -> Option<ObjectId> {
        match object {
            ObjectId::Given(_) => self.outer.get(&object).copied(),
            ObjectId::Allocated { .. } => None,
            ObjectId::Global(_) | ObjectId::Function(_) | ObjectId::Inputs | ObjectId::Outputs => {
                Some(object)
            }
        }
    }

    /// The result and the memory after the call, in the caller's names.
    pub fn put_back(
        self,
        value: AbstractValue,
        after: Memory,
        globals: &Globals,
    ) -> (AbstractValue, Memory) {
        let Renaming { outer, rest: mut memory } = self;
        if after.swept {
            memory.forget_all(globals);
        }
        memory.lost |= after.lost;
        memory.clipped |= after.clipped;
        if !after.escaped.is_empty() {
            let escaped = renamed(&after.escaped, &outer);
            Rc::make_mut(&mut memory.escaped).extend(escaped.iter());
        }
        // First the objects passed: what the function has allocated may share a name. Objects
        // that only other calls with the same summary passed are left out.
        let (given, mut made): (Vec<_>, Vec<_>) = Rc::unwrap_or_clone(after.objects)
            .into_iter()
            .partition(|(object, _)| outer.contains_key(object));
        made.retain(|(object, _)| !matches!(object, ObjectId::Given(_)));
        for (object, contents) in given.into_iter().chain(made) {
            let contents = contents.renamed(&outer);
            memory.bring(named(&outer, object), contents);
        }
        (value.renamed(&outer), memory)
    }
}

fn named(names: &BTreeMap<ObjectId, ObjectId>, object: ObjectId) -> ObjectId {
    names.get(&object).copied().unwrap_or(object)
}

fn renamed(
    objects: &Rc<BTreeSet<ObjectId>>,
    names: &BTreeMap<ObjectId, ObjectId>,
) -> Rc<BTreeSet<ObjectId>> {
    if objects.is_empty() || names.is_empty() {
        return Rc::clone(objects);
    }
    Rc::new(objects.iter().map(|object| named(names, *object)).collect())
}
