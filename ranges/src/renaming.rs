//! What a called function sees of memory, under names that do not depend on who calls.
//!
//! A function can come only by the objects that its arguments, global variables and escaped
//! addresses lead to. These are handed to it as the first, the second, … object that it was
//! given, so that what was found out about one call holds for every other call that is given
//! the like. The rest of memory waits until the function returns.

use crate::memory::{Globals, Memory};
use crate::value::{ObjectId, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The caller's side of a call: how objects were renamed, and what the callee does not see.
pub struct Renaming {
    /// The caller's names of what was given.
    outer: BTreeMap<ObjectId, ObjectId>,
    rest: Memory,
}

/// Gives names in the order in which objects are met.
#[derive(Default)]
struct Names {
    inner: BTreeMap<ObjectId, ObjectId>,
    waiting: Vec<ObjectId>,
    met: BTreeSet<ObjectId>,
}

impl Names {
    fn meet(&mut self, object: ObjectId) {
        if !self.met.insert(object) {
            return;
        }
        self.waiting.push(object);
        match object {
            ObjectId::Allocated { .. } | ObjectId::Given(_) => {
                let name = ObjectId::Given(self.inner.len() as u32);
                self.inner.insert(object, name);
            }
            ObjectId::Global(_) | ObjectId::Function(_) | ObjectId::Inputs | ObjectId::Outputs => {}
        }
    }

    fn meet_all(&mut self, value: &Value) {
        match value {
            Value::Pointer(pointers) => pointers.targets.keys().for_each(|o| self.meet(*o)),
            Value::Parts(parts) => parts.iter().for_each(|part| self.meet_all(part)),
            Value::Anything | Value::Zeros | Value::Float(_) | Value::Integer(_) => {}
        }
    }
}

impl Renaming {
    /// Cuts out of memory what a function with these arguments can come by: the arguments and
    /// the memory as it sees them, and what puts them back.
    pub fn cut(arguments: &[Value], memory: Memory) -> (Vec<Value>, Memory, Renaming) {
        let mut names = Names::default();
        arguments.iter().for_each(|argument| names.meet_all(argument));
        let mut next = 0;
        let mut others = false;
        loop {
            while let Some(&object) = names.waiting.get(next) {
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

    /// What the caller has after the function returned.
    pub fn put_back(self, value: Value, after: Memory, globals: &Globals) -> (Value, Memory) {
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
        // What was given first: what the function has allocated may share its name. What other
        // calls were given, whom the same was found out for, is none of this one's.
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
