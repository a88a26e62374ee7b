//! The program whole, to be run natively from `main` or from the entry of a function.

use crate::Fault;
use crate::entry;
use crate::llvm::{Builder, Linkage, Module, Value};
use crate::program::{Program, entry_name};
use crate::target::Wishes;
use std::path::Path;

impl Program {
    /// Writes the program as bitcode for [`Compiler::executable`](crate::compile::Compiler::executable):
    /// every function that is nowhere to be found gets a body that says so, which a
    /// definition of the runtime's takes the place of; with `function`, there is a
    /// `nanoscope_run` that calls it, and no `main`.
    pub fn whole(&self, function: Option<(&str, &Wishes)>, path: &Path) -> Result<(), Fault> {
        let module = self.module.copy();
        if let Some((name, wishes)) = function {
            write_entry(self, &module, name, wishes)?;
        }
        stand_in(&module, &|name| crate::symbols::is_there(name, &self.bitcode));
        module.verify()?;
        module.write(path)
    }

    /// Whether the program has a function of that symbol.
    pub fn defines(&self, symbol: &str) -> bool {
        self.module.function(symbol).is_some_and(|function| !function.is_declaration())
    }

    /// Where the compiled program is, and what it is made of.
    pub fn bitcode(&self) -> &crate::compile::Bitcode {
        &self.bitcode
    }
}

fn write_entry(
    program: &Program,
    module: &Module,
    name: &str,
    wishes: &Wishes,
) -> Result<(), Fault> {
    let plan = program.plans(&[name.to_owned()], wishes)?.remove(0);
    let layout = plan.layout.as_ref().map_err(|why| Fault::User(format!("{name} {why}")))?;
    let function = module.function(&plan.symbol).expect("a copy has the same functions");
    let entry = entry_name(0);
    entry::write(module, &entry, function, layout);
    entry::write_switch(module, &[entry]);
    // The runtime's `main` calls the entry; the program's own may be what is called.
    if let Some(main) = module.function("main") {
        main.set_linkage(Linkage::LLVMInternalLinkage);
    }
    Ok(())
}

/// Gives what is missing a weak body that tells its name.
fn stand_in(module: &Module, is_there: &dyn Fn(&str) -> bool) {
    let builder = Builder::new(module);
    let ty = module.function_type(module.void(), &[module.pointer()]);
    for function in module.functions() {
        let name = function.name();
        let ours = ["nanoscope_", "__asan_", "__ubsan_", "__sanitizer_", "__llvm_profile"]
            .iter()
            .any(|start| name.starts_with(start));
        if !function.is_declaration()
            || function.is_intrinsic()
            || ours
            || function.users().is_empty()
            || is_there(&name)
        {
            continue;
        }
        let missing = module.add_function("nanoscope_missing", ty);
        let text = name_of(module, &name);
        builder.at_end(module.add_block(function, "missing"));
        builder.call(missing, &[text]);
        builder.unreachable();
        function.set_linkage(Linkage::LLVMWeakAnyLinkage);
    }
}

fn name_of(module: &Module, name: &str) -> Value {
    let byte = module.integer(8);
    let letters: Vec<Value> =
        name.bytes().chain([0]).map(|letter| byte.constant(u64::from(letter))).collect();
    let text = module.add_global(
        &format!("nanoscope_name_{name}"),
        byte.array(letters.len() as u64),
        Some(byte.constant_array(&letters)),
    );
    text.make_constant();
    text.set_linkage(Linkage::LLVMPrivateLinkage);
    text
}
