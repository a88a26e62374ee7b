//! Which globals a program may write to: what has to be reset before every run.
//!
//! Tables are often not declared constant, and reach the code that reads them as arguments
//! and through other tables. Every pointer to a global is followed to where it is used; a
//! use that is not understood counts as one that writes.

use crate::llvm::{Opcode, TypeKind, Value};
use std::collections::BTreeSet;

/// Whether anything may write to a global through a pointer to it.
pub(crate) fn may_be_written(global: Value) -> bool {
    let mut pointers = Pointers { tabled: is_tabled(global), ..Pointers::default() };
    pointers.note(global);
    while let Some(pointer) = pointers.unread.pop() {
        for user in pointer.users() {
            if pointers.may_write(user, pointer) {
                return true;
            }
        }
    }
    false
}

/// Whether the first value of another global has a pointer to it.
fn is_tabled(global: Value) -> bool {
    let mut constants = vec![global];
    while let Some(constant) = constants.pop() {
        for user in constant.users().into_iter().filter(|user| user.opcode().is_none()) {
            if user.is_global_variable() {
                return true;
            }
            constants.push(user);
        }
    }
    false
}

/// What is loaded from a local variable that is only loaded and stored; none for another place.
fn variable(place: Value) -> Option<Vec<Value>> {
    if place.opcode() != Some(Opcode::LLVMAlloca) {
        return None;
    }
    let mut loads = Vec::new();
    for user in place.users() {
        match user.opcode() {
            Some(Opcode::LLVMLoad) => loads.push(user),
            Some(Opcode::LLVMStore) if user.operand(0) != place => {}
            Some(Opcode::LLVMCall)
                if user.callee().is_some_and(|it| it.name().starts_with("llvm.lifetime.")) => {}
            _ => return None,
        }
    }
    let is_pointer = |load: &Value| load.ty().kind() == TypeKind::Pointer;
    loads.iter().all(is_pointer).then_some(loads)
}

/// Pointers to a global, and to the globals that have one to it in their first value.
#[derive(Default)]
struct Pointers {
    known: BTreeSet<Value>,
    unread: Vec<Value>,
    /// Whether what is loaded through them may be a pointer to the global.
    tabled: bool,
}

impl Pointers {
    fn note(&mut self, pointer: Value) {
        if self.known.insert(pointer) {
            self.unread.push(pointer);
        }
    }

    /// Whether a user of a pointer may write through it, or lets it go where that is not seen.
    fn may_write(&mut self, user: Value, pointer: Value) -> bool {
        match user.opcode() {
            Some(Opcode::LLVMICmp) => {}
            Some(Opcode::LLVMLoad) => match user.ty().kind() {
                TypeKind::Float(_) => {}
                TypeKind::Integer(bits) if bits <= 32 => {}
                TypeKind::Pointer if self.tabled => self.note(user),
                _ => return self.tabled,
            },
            Some(
                Opcode::LLVMGetElementPtr
                | Opcode::LLVMBitCast
                | Opcode::LLVMPHI
                | Opcode::LLVMSelect
                | Opcode::LLVMFreeze,
            ) => self.note(user),
            Some(Opcode::LLVMStore) => {
                let place = user.operand(1);
                match variable(place) {
                    Some(loads) if place != pointer => {
                        loads.into_iter().for_each(|load| self.note(load));
                    }
                    _ => return true,
                }
            }
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
                return self.is_written_by_call(user, pointer);
            }
            Some(_) => return true,
            // A constant expression, part of another global's first value, or that global.
            None => self.note(user),
        }
        false
    }

    fn is_written_by_call(&mut self, call: Value, pointer: Value) -> bool {
        let Some(callee) = call.callee() else { return true };
        let name = callee.name();
        if name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove") {
            return self.tabled || call.operand(0) == pointer;
        }
        if callee.is_declaration() {
            return true;
        }
        let parameters = callee.parameters();
        for (at, _) in call.arguments().iter().enumerate().filter(|(_, it)| **it == pointer) {
            match parameters.get(at) {
                Some(parameter) if call.copied_argument(at as u32).is_none() => {
                    self.note(*parameter);
                }
                _ => return true,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;
    use crate::compile::{Compiler, Flags};

    const SOURCE: &str = "
        typedef struct { double *of; int count; } series;
        extern void tell(const double *);
        static double read[] = { 1, 2 }, through[] = { 3, 4 }, counted;
        static double passed_on[] = { 5, 6 }, told[] = { 7 }, set_through[] = { 8 };
        static double chosen[2][2] = { { 1, 2 }, { 3, 4 } }, copied_to[2], copied_from[2] = { 9 };
        static double first[] = { 1 }, kept_in_struct[] = { 2 };
        static series reads = { through, 2 }, sets = { set_through, 1 };
        static series structs = { kept_in_struct, 1 };
        static double *moving = first;
        __attribute__((noinline)) static double sum(const series *it) {
            double all = 0;
            for (int i = 0; i < it->count; i++) all += it->of[i];
            return all;
        }
        __attribute__((noinline)) static void set(series *it, double x) { it->of[0] = x; }
        __attribute__((noinline)) static void put(double *to, double x) { to[1] = x; }
        __attribute__((noinline)) static double get(const double *from, int i) { return from[i]; }
        double f(double x, int i) {
            series copy = structs;
            copy.of[0] = x;
            counted += x;
            put(passed_on, x);
            tell(told);
            set(&sets, x);
            moving = i ? first : copied_to;
            __builtin_memcpy(copied_to, copied_from, sizeof copied_to);
            return sum(&reads) + get(read, i) + get(chosen[i], i) + counted + *moving;
        }";

    fn written(level: &str) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("globals.c");
        std::fs::write(&source, SOURCE).expect("it can be written");
        let flags = Flags::parse([level]);
        let compiler = Compiler::caching_in(&folder.path().join("cache"), flags).expect("a cache");
        let bitcode = compiler.bitcode(&[source], None).unwrap_or_else(|fault| panic!("{fault}"));
        let program = Program::load(bitcode).unwrap_or_else(|fault| panic!("{fault}"));
        let mut names: Vec<String> = program
            .module
            .globals()
            .into_iter()
            .filter(|global| may_be_written(*global))
            .map(|global| global.name())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn tables_that_are_only_read_are_not_written() {
        let expected = [
            "copied_to",
            "counted",
            "first",
            "kept_in_struct",
            "moving",
            "passed_on",
            "set_through",
            "told",
        ];
        assert_eq!(written("-O0"), expected);
        for name in written("-O2") {
            assert!(expected.contains(&name.as_str()), "{name}");
        }
    }
}
