//! Exceptions of C++ as ordinary control flow.
//!
//! An exception on its way is a variable: what was thrown (null when nothing is) and its type.
//! After each call that may throw, control looks at it and goes to the landing pad, or back to
//! the caller. Landing pads compare types. So engines need to know nothing of unwinding.
//!
//! A type catches the types derived from it whose base lies at their beginning; an exception
//! caught as any other base is taken for one that is not caught there.

use crate::code::cxx::{EXCEPTIONS, thrown_by};
use crate::llvm::{Block, Builder, IntPredicate, Linkage, Module, Opcode, TypeKind, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Marks returns with an exception on its way.
pub(super) const LEAVES: &str = "nanoscope.leaves";

/// Writes the module without `invoke`, `landingpad` and `resume`.
pub fn unwind(module: &Module) {
    let throwers = throwers(module);
    let has_pads = |function: &Value| {
        let blocks = function.blocks();
        blocks.iter().any(|block| {
            block.terminator().is_some_and(|end| {
                matches!(end.opcode(), Some(Opcode::LLVMInvoke | Opcode::LLVMResume))
            })
        })
    };
    let concerned: Vec<Value> = module
        .functions()
        .into_iter()
        .filter(|f| !f.is_declaration() && (throwers.contains(f) || has_pads(f)))
        .collect();
    if concerned.is_empty() {
        return;
    }
    let mut unwinder = Unwinder {
        module,
        builder: Builder::new(module),
        always_throwing: always_throwing(&throwers),
        throwers,
        flight: Flight::declare(module),
        types: Types::of(module),
    };
    for function in concerned {
        unwinder.function(function);
    }
}

/// The variables of an exception: what is on its way, and what was caught last.
struct Flight {
    thrown: Value,
    thrown_type: Value,
    caught: Value,
    caught_type: Value,
    /// The part of the thrown object that the handler takes: a base may lie behind its start.
    handed: Value,
    /// What the standard library's own exceptions are.
    standard: Value,
}

impl Flight {
    fn declare(module: &Module) -> Flight {
        let pointer = module.pointer();
        let variable = |name: &str| {
            let global = module.add_global(name, pointer, Some(pointer.zero()));
            global.set_linkage(Linkage::LLVMInternalLinkage);
            global
        };
        let room = module.integer(64).array(2);
        let standard = module.add_global("nanoscope_standard_exception", room, Some(room.zero()));
        standard.set_linkage(Linkage::LLVMInternalLinkage);
        Flight {
            thrown: variable("nanoscope_thrown"),
            thrown_type: variable("nanoscope_thrown_type"),
            caught: variable("nanoscope_caught"),
            caught_type: variable("nanoscope_caught_type"),
            handed: variable("nanoscope_handed"),
            standard,
        }
    }
}

/// The types that are thrown and caught.
struct Types {
    /// Each with its bases and their offsets. Virtual bases have none.
    bases: BTreeMap<String, Vec<(String, u64)>>,
    numbers: BTreeMap<String, u64>,
    /// Those that may be thrown, in order.
    thrown: Vec<Value>,
}

fn standard_type(class: &str) -> String {
    format!("_ZTISt{}{class}", class.len())
}

impl Types {
    fn of(module: &Module) -> Types {
        let mut bases: BTreeMap<String, Vec<(String, u64)>> = EXCEPTIONS
            .iter()
            .map(|(class, base)| (standard_type(class), vec![(standard_type(base), 0)]))
            .collect();
        for global in module.globals().into_iter().filter(|g| g.name().starts_with("_ZTI")) {
            let Some(initial) = global.initializer() else { continue };
            let parts = initial.operands();
            let is_type = |value: &Value| value.name().starts_with("_ZTI");
            let mut found = Vec::new();
            match parts.get(2).map(is_type) {
                Some(true) => found.push((parts[2].name(), 0)),
                // Several bases: after their number, each with its offset and flags (8 bits).
                Some(false) => {
                    for pair in parts.get(4..).unwrap_or_default().chunks(2) {
                        if let [base, offset] = pair
                            && let Some(offset) = offset.as_integer()
                            && offset & 1 == 0
                            && let Ok(offset) = u64::try_from(offset >> 8)
                        {
                            found.push((base.name(), offset));
                        }
                    }
                }
                None => {}
            }
            bases.insert(global.name(), found);
        }
        let mut thrown = Vec::new();
        let mut seen = BTreeSet::new();
        for function in module.functions() {
            let class = match function.name().as_str() {
                "__cxa_throw" => None,
                name => match thrown_by(name) {
                    Some(class) => Some(class),
                    None => continue,
                },
            };
            let types = match class {
                Some(class) => vec![type_info(module, &standard_type(class))],
                None => function
                    .users()
                    .into_iter()
                    .filter_map(|call| call.arguments().get(1).copied())
                    .collect(),
            };
            thrown.extend(types.into_iter().filter(|ty| seen.insert(ty.name())));
        }
        Types { bases, numbers: BTreeMap::new(), thrown }
    }

    /// The number that a landing pad gives for a type.
    fn number(&mut self, name: String) -> u64 {
        let next = self.numbers.len() as u64 + 1;
        *self.numbers.entry(name).or_insert(next)
    }

    /// Where in a thrown object the part lies that a handler takes, if it takes it.
    fn catches(&self, handler: &str, thrown: &str) -> Option<u64> {
        if handler == thrown {
            return Some(0);
        }
        let mut bases = self.bases.get(thrown)?.iter();
        bases.find_map(|(base, offset)| Some(offset + self.catches(handler, base)?))
    }
}

fn type_info(module: &Module, name: &str) -> Value {
    module.global(name).unwrap_or_else(|| module.add_global(name, module.pointer(), None))
}

/// The functions that may end by an exception.
fn throwers(module: &Module) -> BTreeSet<Value> {
    let mut throwers = BTreeSet::new();
    let functions = module.functions();
    for function in functions.iter().filter(|f| f.is_declaration()) {
        let name = function.name();
        if matches!(&*name, "__cxa_throw" | "__cxa_rethrow") || thrown_by(&name).is_some() {
            throwers.insert(*function);
        }
    }
    if throwers.is_empty() {
        return throwers;
    }
    let may = |f: &Value| !f.is_declaration() && !f.has_attribute("nounwind");
    with_callers(throwers, &functions.into_iter().filter(may).collect::<Vec<_>>())
}

/// Functions, and those among the others that may call one of them, directly or not.
pub(super) fn with_callers(mut reached: BTreeSet<Value>, others: &[Value]) -> BTreeSet<Value> {
    loop {
        let before = reached.len();
        // What is called through an address may be any of those whose address is kept.
        let is_taken = |function: &Value| {
            function.users().iter().any(|user| user.opcode().is_none() || !calls(*user, *function))
        };
        let through = reached.iter().any(is_taken);
        for function in others {
            let may = function.blocks().iter().any(|block| {
                block.instructions().iter().any(|i| is_call(*i) && may_reach(*i, &reached, through))
            });
            if may {
                reached.insert(*function);
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}

/// The functions among these that come back by an exception only: raising an error with a
/// message is mostly a function of its own. Grown from none, so that recursion decides nothing.
fn always_throwing(throwers: &BTreeSet<Value>) -> BTreeSet<Value> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for function in throwers.iter().filter(|f| !f.is_declaration()) {
            if !found.contains(function) && !may_return(*function, &found) {
                found.insert(*function);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Whether some way through a function's blocks ends in a return.
fn may_return(function: Value, always_throwing: &BTreeSet<Value>) -> bool {
    let throws = |call: Value| {
        call.callee().is_some_and(|callee| {
            let name = callee.name();
            matches!(&*name, "__cxa_throw" | "__cxa_rethrow")
                || thrown_by(&name).is_some()
                || always_throwing.contains(&callee)
        })
    };
    let mut pending: Vec<Block> = function.blocks().first().copied().into_iter().collect();
    let mut seen: BTreeSet<Block> = pending.iter().copied().collect();
    while let Some(block) = pending.pop() {
        let ends = |i: &Value| i.opcode() == Some(Opcode::LLVMCall) && throws(*i);
        if block.instructions().iter().any(ends) {
            continue;
        }
        let Some(end) = block.terminator() else { continue };
        let next = match end.opcode() {
            Some(Opcode::LLVMRet) => return true,
            Some(Opcode::LLVMInvoke) if throws(end) => vec![end.unwind_destination()],
            _ => end.successors(),
        };
        pending.extend(next.into_iter().filter(|block| seen.insert(*block)));
    }
    false
}

pub(super) fn is_call(instruction: Value) -> bool {
    matches!(instruction.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke))
}

fn calls(user: Value, function: Value) -> bool {
    is_call(user) && user.called_value() == function && !user.arguments().contains(&function)
}

/// Whether a call may be of one of the functions. `through`: whether some of them may be called
/// by their addresses.
pub(super) fn may_reach(call: Value, functions: &BTreeSet<Value>, through: bool) -> bool {
    match call.callee() {
        Some(callee) => functions.contains(&callee),
        None => through && !call.calls_assembly(),
    }
}

struct Unwinder<'m> {
    module: &'m Module,
    builder: Builder<'m>,
    throwers: BTreeSet<Value>,
    always_throwing: BTreeSet<Value>,
    flight: Flight,
    types: Types,
}

impl Unwinder<'_> {
    fn function(&mut self, function: Value) {
        let mut leave: Option<Block> = None;
        for block in function.blocks() {
            for instruction in block.instructions() {
                match instruction.opcode() {
                    Some(Opcode::LLVMCall) => self.call(function, instruction, &mut leave),
                    Some(Opcode::LLVMInvoke) => self.invoke(instruction),
                    Some(Opcode::LLVMResume) => self.resume(function, instruction, &mut leave),
                    _ => {}
                }
            }
        }
        // Landing pads last: what leads to them is no `invoke` any more.
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction.opcode() == Some(Opcode::LLVMLandingPad) {
                    self.land(function, instruction, &mut leave);
                }
            }
        }
    }

    /// Where control goes that leaves a function by an exception: to the caller, who looks.
    fn leave(&self, function: Value, leave: &mut Option<Block>) -> Block {
        if let Some(block) = *leave {
            return block;
        }
        let block = self.module.add_block(function, "leave");
        *leave = Some(block);
        let other = Builder::new(self.module);
        other.at_end(block);
        if function.has_attribute("nounwind") {
            let nothing = self.module.function_type(self.module.void(), &[]);
            other.call(self.module.add_function("abort", nothing), &[]);
            other.unreachable();
        } else {
            match function.result_type().kind() {
                TypeKind::Void => other.return_nothing(),
                _ => other.return_value(function.result_type().zero()),
            }
            if let Some(end) = block.terminator() {
                end.attach(self.module, LEAVES, 1);
            }
        }
        block
    }

    /// Whether an exception is on its way after a call. Of one that ends in no other way this is a
    /// constant: what stands behind it stays in the program, and nothing leads there.
    fn is_thrown_by(&self, call: Value) -> Value {
        if call.callee().is_some_and(|callee| self.always_throwing.contains(&callee)) {
            return self.module.integer(1).constant(1);
        }
        let thrown = self.builder.load(self.module.pointer(), self.flight.thrown);
        self.builder.compare(IntPredicate::LLVMIntNE, thrown, self.module.pointer().zero())
    }

    /// Puts what a call of the run-time does in its place; true where it throws for sure, false
    /// where it does not throw; none where it is no such call.
    fn effect(&mut self, call: Value) -> Option<bool> {
        let name = call.callee()?.name();
        let (module, pointer) = (self.module, self.module.pointer());
        let arguments = call.arguments();
        self.builder.before(call);
        self.builder.place_as(call);
        let replacement = match name.as_str() {
            "__cxa_throw" => {
                self.builder.store(arguments[0], self.flight.thrown);
                self.builder.store(arguments[1], self.flight.thrown_type);
                return Some(true);
            }
            "__cxa_rethrow" => {
                let caught = self.builder.load(pointer, self.flight.caught);
                let ty = self.builder.load(pointer, self.flight.caught_type);
                self.builder.store(caught, self.flight.thrown);
                self.builder.store(ty, self.flight.thrown_type);
                return Some(true);
            }
            "__cxa_allocate_exception" => {
                let ty = module.function_type(pointer, &[module.integer(64)]);
                self.builder.call(module.add_function("_Znwm", ty), &arguments[..1])
            }
            "__cxa_begin_catch" => {
                self.builder.store(arguments[0], self.flight.caught);
                self.held(arguments[0])
            }
            "__cxa_get_exception_ptr" => self.builder.load(pointer, self.flight.handed),
            "__cxa_free_exception" | "__cxa_end_catch" => {
                if !call.is_terminator() {
                    call.erase();
                }
                return Some(false);
            }
            "llvm.eh.typeid.for" | "llvm.eh.typeid.for.p0" => {
                module.integer(32).constant(self.types.number(arguments[0].name()))
            }
            other => {
                let class = thrown_by(other)?;
                let ty = type_info(module, &standard_type(class));
                self.builder.store(self.flight.standard, self.flight.thrown);
                self.builder.store(ty, self.flight.thrown_type);
                return Some(true);
            }
        };
        call.replace_with(replacement);
        if !call.is_terminator() {
            call.erase();
        }
        Some(false)
    }

    /// What a handler is given: the object, or the pointer where one was thrown.
    fn held(&self, object: Value) -> Value {
        let pointer = self.module.pointer();
        let ty = self.builder.load(pointer, self.flight.caught_type);
        let pointers = self.types.thrown.iter().filter(|ty| ty.name().starts_with("_ZTIP"));
        let mut held = self.builder.load(pointer, self.flight.handed);
        let mut inner = None;
        for thrown in pointers {
            let inner = *inner.get_or_insert_with(|| self.builder.load(pointer, object));
            let same = self.builder.compare(IntPredicate::LLVMIntEQ, ty, *thrown);
            held = self.builder.select(same, inner, held);
        }
        held
    }

    fn call(&mut self, function: Value, call: Value, leave: &mut Option<Block>) {
        let replaced = match self.effect(call) {
            Some(false) => return,
            Some(true) => true,
            None if may_reach(call, &self.throwers, true) => false,
            None => return,
        };
        let Some(next) = call.next() else { return };
        let leave = self.leave(function, leave);
        self.builder.split_before(if replaced { call } else { next });
        self.builder.place_as(call);
        if replaced {
            self.builder.jump(leave);
        } else {
            let rest = next.block();
            let thrown = self.is_thrown_by(call);
            self.builder.branch_rarely(thrown, leave, rest);
        }
    }

    fn invoke(&mut self, invoke: Value) {
        let (from, normal) = (invoke.block(), invoke.normal_destination());
        let pad = invoke.unwind_destination();
        let effect = self.effect(invoke);
        if effect.is_none() {
            self.as_call(invoke);
        }
        match effect {
            Some(true) => {
                self.builder.jump(pad);
                normal.forget_predecessor(from);
            }
            None if may_reach(invoke, &self.throwers, true) => {
                let thrown = self.is_thrown_by(invoke);
                self.builder.branch_rarely(thrown, pad, normal);
            }
            Some(false) | None => {
                self.builder.jump(normal);
                pad.forget_predecessor(from);
            }
        }
        invoke.erase();
    }

    /// Writes an `invoke`'s call before it, and has its users look there.
    fn as_call(&self, invoke: Value) {
        self.builder.before(invoke);
        self.builder.place_as(invoke);
        let call = self.builder.call_through(
            invoke.called_type(),
            invoke.called_value(),
            &invoke.arguments(),
        );
        if invoke.ty().kind() != TypeKind::Void {
            invoke.replace_with(call);
        }
    }

    fn resume(&mut self, function: Value, resume: Value, leave: &mut Option<Block>) {
        let leave = self.leave(function, leave);
        self.builder.before(resume);
        self.builder.place_as(resume);
        let object = self.builder.extract(resume.operand(0), 0);
        let ty = self.builder.load(self.module.pointer(), self.flight.caught_type);
        self.builder.store(object, self.flight.thrown);
        self.builder.store(ty, self.flight.thrown_type);
        self.builder.jump(leave);
        resume.erase();
    }

    /// A landing pad: the object, and the number of the first clause that takes its type. An
    /// exception that no clause takes goes on, if nothing is to be cleaned up.
    fn land(&mut self, function: Value, pad: Value, leave: &mut Option<Block>) {
        let (module, pointer) = (self.module, self.module.pointer());
        let word = module.integer(32);
        self.builder.before(pad);
        self.builder.place_as(pad);
        let object = self.builder.load(pointer, self.flight.thrown);
        let ty = self.builder.load(pointer, self.flight.thrown_type);
        let mut handed = object;
        const NONE: u64 = 0xffff_ffff;
        let mut selector = word.constant(if pad.is_cleanup() { 0 } else { NONE });
        for clause in pad.operands().into_iter().rev() {
            if matches!(clause.ty().kind(), TypeKind::Array(..)) {
                continue; // an exception specification: what it lets through goes on
            }
            let name = clause.name();
            if name.is_empty() {
                selector = word.constant(0x7fff_ffff); // takes everything
                handed = object;
                continue;
            }
            let number = word.constant(self.types.number(name.clone()));
            let thrown = self.types.thrown.clone();
            for one in &thrown {
                let Some(offset) = self.types.catches(&name, &one.name()) else { continue };
                let same = self.builder.compare(IntPredicate::LLVMIntEQ, ty, *one);
                selector = self.builder.select(same, number, selector);
                let part = self.builder.offset(object, offset);
                handed = self.builder.select(same, part, handed);
            }
        }
        let goes_on = self.builder.compare(IntPredicate::LLVMIntEQ, selector, word.constant(NONE));
        let pair = self.builder.insert(pad.ty().poison(), object, 0);
        let pair = self.builder.insert(pair, selector, 1);
        pad.replace_with(pair);
        let leave = self.leave(function, leave);
        let rest = self.builder.split_before(pad);
        self.builder.place_as(pad);
        self.builder.branch_rarely(goes_on, leave, rest);
        self.builder.before(pad);
        self.builder.store(pointer.zero(), self.flight.thrown);
        self.builder.store(ty, self.flight.caught_type);
        self.builder.store(handed, self.flight.handed);
        pad.erase();
    }
}
