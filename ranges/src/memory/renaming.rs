//! The memory that a callee can reach, with canonical names for its objects.
//!
//! A function can reach only the objects that its arguments, global variables and escaped
//! addresses lead to. They are numbered in the order of that search, so that a summary of one
//! call holds for every call with the same arguments and memory. The rest of memory waits
//! until the function returns.
//!
//! An object that only escaped addresses lead to is not passed: only external code can reach it, or
//! an access to an unknown address. Whether such code ran is seen when the function returns.
//! A recursion may reach one object more each time; [`Bound`] limits them: the contents of those
//! beyond are forgotten, and their addresses become unknown.

use crate::memory::address::ObjectId;
use crate::memory::{Globals, Memory};
use crate::value::AbstractValue;
use nanoscope_program::ir::FunctionId;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The caller's side of a call: the renaming, and the memory that the callee cannot reach.
pub struct Renaming {
    /// The caller's names of the objects passed.
    outer: BTreeMap<ObjectId, ObjectId>,
    rest: Memory,
    /// The objects that only escaped addresses lead to.
    unnamed: Vec<ObjectId>,
}

/// What comes back from a call, in the caller's names.
pub struct PutBack {
    pub value: AbstractValue,
    pub memory: Memory,
    /// The functions that external code may have called back by addresses in objects that were not
    /// passed; `None`: any.
    pub called_back: Option<Vec<FunctionId>>,
}

/// The most objects that a call of a recursion passes by name.
#[derive(Clone, Copy)]
pub struct Bound(pub usize);

/// Canonical names, in the order of a search.
#[derive(Default)]
struct Names {
    inner: BTreeMap<ObjectId, ObjectId>,
    work_list: Vec<ObjectId>,
    /// How many of the work list have been looked into.
    searched: usize,
    met: BTreeSet<ObjectId>,
    bound: Option<Bound>,
    /// The objects beyond the bound.
    beyond: BTreeSet<ObjectId>,
}

impl Names {
    fn meet(&mut self, object: ObjectId) {
        if !self.met.insert(object) {
            return;
        }
        self.work_list.push(object);
        match object {
            ObjectId::Allocated { .. } | ObjectId::Given(_) => {
                if self.bound.is_some_and(|bound| self.inner.len() >= bound.0) {
                    self.beyond.insert(object);
                    return;
                }
                let name = ObjectId::Given(self.inner.len() as u32);
                self.inner.insert(object, name);
            }
            ObjectId::Global(_) | ObjectId::Function(_) | ObjectId::Inputs | ObjectId::Outputs => {}
        }
    }

    /// Meets what the contents of the objects met lead to.
    fn search(&mut self, memory: &Memory) {
        while let Some(&object) = self.work_list.get(self.searched) {
            self.searched += 1;
            if let Some(contents) = memory.objects.get(&object) {
                contents.values().for_each(|value| self.meet_all(value));
            }
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
        mut memory: Memory,
        bound: Option<Bound>,
    ) -> (Vec<AbstractValue>, Memory, Renaming) {
        let mut names = Names { bound, ..Names::default() };
        arguments.iter().for_each(|argument| names.meet_all(argument));
        names.search(&memory);
        let variables = memory.objects.keys().filter(|o| matches!(o, ObjectId::Global(_)));
        variables.for_each(|object| names.meet(*object));
        names.search(&memory);
        let is_unnamed = |object: &&ObjectId| !names.met.contains(object);
        let unnamed: Vec<ObjectId> = memory.escaped.iter().filter(is_unnamed).copied().collect();
        names.beyond.iter().for_each(|object| memory.forget_object(*object));
        let mut rest = memory;
        let mut seen = Memory { lost: rest.lost, ..Memory::default() };
        for object in names.met.difference(&names.beyond) {
            if let Some(contents) = rest.objects_mut().remove(object) {
                let contents = contents.without(&names.beyond).renamed(&names.inner);
                seen.objects_mut().insert(named(&names.inner, *object), contents);
            }
        }
        seen.escaped = if unnamed.is_empty() && names.beyond.is_empty() {
            renamed(&rest.escaped, &names.inner)
        } else {
            let is_passed = |o: &&ObjectId| names.met.contains(o) && !names.beyond.contains(o);
            let escaped = rest.escaped.iter().filter(is_passed);
            Rc::new(escaped.map(|object| named(&names.inner, *object)).collect())
        };
        let as_seen = |value: &AbstractValue| value.without(&names.beyond).renamed(&names.inner);
        let arguments = arguments.iter().map(as_seen).collect();
        let outer = names.inner.into_iter().map(|(outer, inner)| (inner, outer)).collect();
        (arguments, seen, Renaming { outer, rest, unnamed })
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
    pub fn put_back(self, value: AbstractValue, after: Memory, globals: &Globals) -> PutBack {
        let Renaming { outer, rest: mut memory, unnamed } = self;
        let mut called_back = Some(Vec::new());
        if after.handed_out {
            called_back = memory.hand_out_objects(unnamed, globals);
        }
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
        PutBack { value: value.renamed(&outer), memory, called_back }
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
