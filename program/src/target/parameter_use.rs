//! How functions use their parameters, as copies of them show it: one with variables in
//! registers, and, where that leaves a question open, one that is inlined and optimised.

use crate::Fault;
use crate::code::reach;
use crate::llvm::{Linkage, Module, Value};
use crate::target::memory_use::{Usage, Usages};
use std::collections::BTreeSet;

/// Attributes that keep a function from being inlined or optimised.
const HINDRANCES: &[&str] = &["noinline", "optnone"];

pub(crate) struct Uses {
    promoted: Copy,
    optimised: Option<Copy>,
}

/// A copy of the program with what is known of it.
struct Copy {
    module: Module,
    usages: Usages,
}

impl Copy {
    fn of(&mut self, symbol: &str, number: usize) -> Usage {
        let function = self.module.function(symbol).expect("a copy has the same functions");
        (*self.usages.of(function.parameters()[number])).clone()
    }
}

impl Uses {
    /// Copies some functions and all that they can come to call.
    pub fn of_functions(module: &Module, functions: &[Value]) -> Result<Uses, Fault> {
        let mut reached = BTreeSet::new();
        for function in functions {
            if !reached.contains(function) {
                reached.extend(reach::from(*function));
            }
        }
        let reached: BTreeSet<String> = reached.into_iter().map(|f| f.name()).collect();
        let promoted = part(module, &reached);
        promoted.run("globaldce,function(sroa,instcombine<no-verify-fixpoint>)")?;
        let mut uses = Uses {
            promoted: Copy { module: promoted, usages: Usages::default() },
            optimised: None,
        };
        let unclear: BTreeSet<String> =
            functions.iter().map(|f| f.name()).filter(|symbol| uses.is_unclear(symbol)).collect();
        if !unclear.is_empty() {
            let module = part(module, &unclear);
            for function in module.functions() {
                HINDRANCES.iter().for_each(|hindrance| function.remove_attribute(hindrance));
            }
            module.optimise()?;
            uses.optimised = Some(Copy { module, usages: Usages::default() });
        }
        Ok(uses)
    }

    /// The copy with variables in registers.
    pub fn promoted(&self) -> &Module {
        &self.promoted.module
    }

    /// How a function uses a parameter.
    pub fn of(&mut self, symbol: &str, number: usize) -> Usage {
        let usage = self.promoted.of(symbol, number);
        match &mut self.optimised {
            Some(copy) if is_open(&usage) => usage.sharpened(&copy.of(symbol, number)),
            Some(_) | None => usage,
        }
    }

    fn is_unclear(&mut self, symbol: &str) -> bool {
        let function = self.promoted.module.function(symbol).expect("a copy has it");
        let count = function.parameters().len();
        (0..count).any(|number| is_open(&self.promoted.of(symbol, number)))
    }
}

/// Whether a closer look may show more.
fn is_open(usage: &Usage) -> bool {
    usage.escapes || usage.variable
}

/// A copy in which only some functions can be called from elsewhere.
fn part(module: &Module, kept: &BTreeSet<String>) -> Module {
    let copy = module.copy();
    for function in copy.functions().into_iter().filter(|f| !f.is_declaration()) {
        // What is not asked for goes, unless something else needs it.
        function.set_linkage(match kept.contains(&function.name()) {
            true => Linkage::LLVMExternalLinkage,
            false => Linkage::LLVMInternalLinkage,
        });
    }
    copy
}
