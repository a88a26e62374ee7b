//! `setjmp` and `longjmp` as ordinary control flow.
//!
//! A jump on its way is a variable: the buffer it goes to (null when there is none) and the value
//! it brings. After each call that may jump, control looks at it: a function that has saved its
//! place in that buffer goes on there, any other returns to its caller, who looks. So engines
//! need to know nothing of jumps.
//!
//! Variables that changed since `setjmp` have their last values. C promises that of volatile ones
//! only.

use super::unwind::{is_call, may_reach, with_callers};
use crate::Fault;
use crate::llvm::{Block, Builder, IntPredicate, Linkage, Module, TypeKind, Value};
use std::collections::BTreeSet;

/// What saves a place, and what jumps to one.
const SAVES: &[&str] = &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"];
const JUMPS: &[&str] = &["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"];

/// Whether a symbol is one of these.
pub fn is_jump(symbol: &str) -> bool {
    SAVES.contains(&symbol) || JUMPS.contains(&symbol)
}

/// The variable that says where a jump leads.
pub(super) const BUFFER: &str = "nanoscope_jump";

/// Writes the module without them, where a place is saved at all.
pub fn write_out(module: &Module) -> Result<(), Fault> {
    let named = |names: &[&str]| -> BTreeSet<Value> {
        let functions = module.functions().into_iter();
        functions.filter(|f| f.is_declaration() && names.contains(&f.name().as_str())).collect()
    };
    let (saves, jumps) = (named(SAVES), named(JUMPS));
    if saves.is_empty() {
        return Ok(());
    }
    let defined: Vec<Value> =
        module.functions().into_iter().filter(|f| !f.is_declaration()).collect();
    defined.iter().for_each(|function| function.remove_attribute("optnone"));
    // Control will come back to places that their definitions no longer dominate.
    module.run("function(reg2mem)")?;
    let jumpers = with_callers(jumps.clone(), &defined);
    let pointer = module.pointer();
    let variable = |name: &str, ty: crate::llvm::Type| {
        let global = module.add_global(name, ty, Some(ty.zero()));
        global.set_linkage(Linkage::LLVMInternalLinkage);
        global
    };
    let writer = Writer {
        module,
        builder: Builder::new(module),
        buffer: variable(BUFFER, pointer),
        value: variable("nanoscope_jump_value", module.integer(32)),
        jumps,
    };
    for function in defined {
        writer.function(function, &saves, &jumpers);
    }
    Ok(())
}

/// A place that a function saves.
struct Saved {
    call: Value,
    /// The buffer that it is saved in, null before; and what `setjmp` returns.
    buffer: Value,
    result: Value,
}

struct Writer<'m> {
    module: &'m Module,
    builder: Builder<'m>,
    buffer: Value,
    value: Value,
    jumps: BTreeSet<Value>,
}

impl Writer<'_> {
    fn function(&self, function: Value, saves: &BTreeSet<Value>, jumpers: &BTreeSet<Value>) {
        let all: Vec<Value> = function
            .blocks()
            .into_iter()
            .flat_map(|block| block.instructions())
            .filter(|instruction| is_call(*instruction))
            .collect();
        let is_save = |call: &Value| call.callee().is_some_and(|callee| saves.contains(&callee));
        let places: Vec<Saved> = all
            .iter()
            .filter(|call| is_save(call))
            .map(|call| self.place(function, *call))
            .collect();
        let calls: Vec<Value> = all
            .into_iter()
            .filter(|call| !is_save(call) && may_reach(*call, jumpers, true))
            .collect();
        let resumes: Vec<Block> = (0..places.len()).map(|at| self.save(&places, at)).collect();
        if calls.is_empty() {
            return;
        }
        let land = self.land(function, &places, &resumes);
        for call in calls {
            self.look(call, land);
        }
    }

    /// The variables of a place, made where the function begins.
    fn place(&self, function: Value, call: Value) -> Saved {
        let first = function.blocks()[0].instructions()[0];
        self.builder.before(first);
        let pointer = self.module.pointer();
        let (buffer, result) =
            (self.builder.stack(pointer), self.builder.stack(self.module.integer(32)));
        self.builder.store(pointer.zero(), buffer);
        Saved { call, buffer, result }
    }

    /// Saves a place. Where control comes back to.
    fn save(&self, places: &[Saved], at: usize) -> Block {
        let (module, pointer) = (self.module, self.module.pointer());
        let Saved { call, buffer, result } = &places[at];
        let given = call.arguments()[0];
        self.builder.before(*call);
        self.builder.place_as(*call);
        // A buffer holds the last place that was saved in it.
        for other in places.iter().map(|place| place.buffer).filter(|other| other != buffer) {
            let held = self.builder.load(pointer, other);
            let same = self.builder.compare(IntPredicate::LLVMIntEQ, held, given);
            self.builder.store(self.builder.select(same, pointer.zero(), held), other);
        }
        self.builder.store(given, *buffer);
        self.builder.store(module.integer(32).zero(), *result);
        let resume = self.builder.split_before(*call);
        self.builder.place_as(*call);
        self.builder.jump(resume);
        self.builder.before(*call);
        self.builder.place_as(*call);
        call.replace_with(self.builder.load(module.integer(32), *result));
        call.erase();
        resume
    }

    /// Where a jump goes that comes by a function: to a place of its own, else to the caller.
    fn land(&self, function: Value, places: &[Saved], resumes: &[Block]) -> Block {
        let (module, pointer) = (self.module, self.module.pointer());
        let other = Builder::new(module);
        let land = module.add_block(function, "land");
        other.at_end(land);
        for (place, resume) in places.iter().zip(resumes) {
            let (mine, on) =
                (module.add_block(function, "resume"), module.add_block(function, "on"));
            let (to, held) = (other.load(pointer, self.buffer), other.load(pointer, place.buffer));
            let same = other.compare(IntPredicate::LLVMIntEQ, to, held);
            other.branch_rarely(same, mine, on);
            other.at_end(mine);
            other.store(pointer.zero(), self.buffer);
            other.store(other.load(module.integer(32), self.value), place.result);
            other.jump(*resume);
            other.at_end(on);
        }
        match function.result_type().kind() {
            TypeKind::Void => other.return_nothing(),
            _ => other.return_value(function.result_type().zero()),
        }
        land
    }

    /// Lets control look for a jump after a call; the call that jumps itself starts one.
    fn look(&self, call: Value, land: Block) {
        let (module, pointer) = (self.module, self.module.pointer());
        let starts = call.callee().is_some_and(|callee| self.jumps.contains(&callee));
        if starts {
            self.builder.before(call);
            self.builder.place_as(call);
            let (buffer, value) = (call.arguments()[0], call.arguments()[1]);
            let word = module.integer(32);
            let is_zero = self.builder.compare(IntPredicate::LLVMIntEQ, value, word.zero());
            self.builder.store(buffer, self.buffer);
            self.builder.store(self.builder.select(is_zero, word.constant(1), value), self.value);
            self.builder.split_before(call);
            self.builder.place_as(call);
            self.builder.jump(land);
            return;
        }
        let Some(next) = call.next() else { return };
        let rest = self.builder.split_before(next);
        self.builder.place_as(call);
        let to = self.builder.load(pointer, self.buffer);
        let jumps = self.builder.compare(IntPredicate::LLVMIntNE, to, pointer.zero());
        self.builder.branch_rarely(jumps, land, rest);
    }
}
