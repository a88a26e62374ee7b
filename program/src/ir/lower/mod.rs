//! From bitcode to our representation.
//!
//! The program's bitcode is copied; each site's number is attached to its instruction; the
//! entries of targets are written; library bodies are linked in; variables that nothing
//! points to become registers; and what results is lowered:
//!
//! - `unwind.rs`: exceptions of C++ as branches; `jumps.rs`: `setjmp` and `longjmp`
//! - `aggregates.rs`: structures as values are taken apart
//! - `promote.rs`: which variables become registers
//! - `globals.rs`: functions, global variables, constructors
//! - `types.rs`, `constants.rs`: what is known before running
//! - `body.rs`: blocks, registers, edges
//! - `instructions.rs`: what LLVM's instructions do
//! - `calls.rs`: calls, and inline assembly
//! - `intrinsics.rs`, `float.rs`, `masked.rs`, `x86.rs`: what is written as a call but is none

mod aggregates;
mod body;
mod calls;
mod constants;
mod float;
mod globals;
mod instructions;
mod intrinsics;
mod jumps;
mod masked;
mod promote;
mod types;
mod unwind;
mod x86;

pub(crate) use calls::is_barrier;
pub(crate) use jumps::is_jump;

use super::{Code, Constant, ConstantId, FunctionId, GlobalId, LocationId, Type};
use crate::compile::Bitcode;
use crate::llvm::{self, Module, Value};
use crate::program::{Program, entry_name};
use crate::target::Wishes;
use crate::{
    Action, Fault, Location, goal::site, native::entry, passes::fast_math, passes::flush,
    passes::shifts,
};
use std::collections::HashMap;

/// What to lower besides the program itself, and how.
#[derive(Clone, Debug)]
pub struct Lowering {
    /// Functions to write entries for: `nanoscope_run_N(inputs, outputs)`, numbered as
    /// [`Target::entry`](crate::Target::entry) by [`Program::targets`].
    pub functions: Vec<String>,
    /// What the user says about their inputs, as given to [`Program::targets`].
    pub wishes: Wishes,
    /// Bitcode with bodies for what the program declares and does not define.
    pub support: Vec<Bitcode>,
    /// Whether variables that nothing points to become registers. It removes no undefined
    /// behaviour but reads of such variables, which become undefined constants.
    pub promote: bool,
    /// Whether subnormal numbers that the program flushes to zero are flushed here. Without,
    /// operations are those of IEEE 754.
    pub flush: bool,
    /// Whether `nanoscope_overshift_where` is told where the result of a shift by too much is used
    /// that an optimiser moved.
    pub judge_shifts: bool,
}

impl Default for Lowering {
    fn default() -> Lowering {
        Lowering {
            functions: Vec::new(),
            wishes: Wishes::default(),
            support: Vec::new(),
            promote: true,
            flush: false,
            judge_shifts: false,
        }
    }
}

/// The metadata that carries a site's number.
const SITE: &str = "nanoscope.site";

impl Program {
    /// The program in our representation.
    pub fn code(&self, lowering: &Lowering) -> Result<Code, Fault> {
        let module = self.module.copy();
        for (number, found) in site::find(&module).into_iter().enumerate() {
            found.instruction.attach(&module, SITE, number as u32);
            if let Action::Integer(arithmetic) = found.action
                && arithmetic.signed
            {
                // What Fortran promises its compiler does not tell.
                found.instruction.may_not_wrap();
            }
        }
        let plans = self.plans(&lowering.functions, &lowering.wishes)?;
        let testable = plans.iter().filter_map(|plan| Some((plan, plan.layout.as_ref().ok()?)));
        for (number, (plan, layout)) in testable.enumerate() {
            let function = module.function(&plan.symbol).expect("a copy has the same functions");
            entry::write(&module, &entry_name(number as u32), function, layout);
        }
        link_support(&module, &lowering.support)?;
        shifts::settle(&module, lowering.judge_shifts);
        fast_math::decide(&module, self.bitcode.flags.optimises());
        let flushes = lowering.flush && self.flushes_subnormals();
        if flushes {
            flush::write_out(&module);
        }
        unwind::unwind(&module);
        jumps::write_out(&module)?;
        if lowering.promote {
            aggregates::split(&module);
            promote::promote(&module)?;
            aggregates::fold(&module);
        }
        let jumps = module.global(jumps::BUFFER).is_some();
        Ok(Code { flushes, jumps, ..Lowerer::new(&module).lower() })
    }
}

/// Links support until nothing that it defines is missing any more.
fn link_support(module: &Module, support: &[Bitcode]) -> Result<(), Fault> {
    let missing = || -> Vec<String> {
        let all = module.functions().into_iter().chain(module.globals());
        all.filter(|symbol| symbol.is_declaration() && !symbol.name().starts_with("llvm."))
            .map(Value::name)
            .collect()
    };
    let mut before = missing();
    while !before.is_empty() {
        for bitcode in support {
            module.link_needed(&bitcode.path)?;
        }
        let after = missing();
        if after == before || support.len() <= 1 {
            break;
        }
        before = after;
    }
    Ok(())
}

/// A module on its way to being [`Code`].
struct Lowerer<'m> {
    module: &'m Module,
    code: Code,
    types: HashMap<llvm::Type, Type>,
    functions: HashMap<Value, FunctionId>,
    globals: HashMap<Value, GlobalId>,
    /// LLVM's constants; `None` for those that must be computed.
    constants: HashMap<Value, Option<ConstantId>>,
    interned: HashMap<(Type, Constant), ConstantId>,
    places: HashMap<usize, LocationId>,
    locations: HashMap<Location, LocationId>,
}

impl<'m> Lowerer<'m> {
    fn new(module: &'m Module) -> Lowerer<'m> {
        let nowhere = Location::default();
        Lowerer {
            module,
            code: Code { locations: vec![nowhere.clone()], ..Code::default() },
            types: HashMap::new(),
            functions: HashMap::new(),
            globals: HashMap::new(),
            constants: HashMap::new(),
            interned: HashMap::new(),
            places: HashMap::new(),
            locations: HashMap::from([(nowhere, LocationId(0))]),
        }
    }

    /// Where an instruction stands.
    fn place(&mut self, instruction: Value) -> LocationId {
        let Some(identity) = instruction.place_identity() else { return LocationId(0) };
        if let Some(&known) = self.places.get(&identity) {
            return known;
        }
        let id = self.location(instruction.location());
        self.places.insert(identity, id);
        id
    }

    fn location(&mut self, location: Location) -> LocationId {
        let next = LocationId(self.code.locations.len() as u32);
        let id = *self.locations.entry(location.clone()).or_insert(next);
        if id == next {
            self.code.locations.push(location);
        }
        id
    }
}
