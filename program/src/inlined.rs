//! Run-time functions that are part of the program: bodies of our own for what a compiler calls
//! to compute, inlined where they are called, so that what they do is done at the line of the
//! call by the program itself.

use crate::Fault;
use crate::llvm::{Builder, Linkage, Module, Opcode, TypeKind, Value};
use std::path::Path;

/// Bodies of flang's run-time functions.
pub(crate) const FORTRAN: &str = include_str!("../runtime/fortran.c");

/// How the bodies are compiled: without debug information, so that inlined operations stand
/// where the call stands.
pub(crate) const FLAGS: &[&str] = &[
    "-O1",
    "-fPIC",
    "-w",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-strict-aliasing",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-fno-builtin-malloc",
];

/// Links and inlines the bodies of what a module calls and does not define.
pub(crate) fn inline(module: &Module, bodies: &Path) -> Result<(), Fault> {
    let is_wanted = |function: &Value| function.name().starts_with("_FortranA");
    let declared: Vec<String> = module
        .functions()
        .into_iter()
        .filter(|f| f.is_declaration() && is_wanted(f))
        .map(Value::name)
        .collect();
    if declared.is_empty() {
        return Ok(());
    }
    let before: Vec<String> = module.functions().into_iter().map(Value::name).collect();
    module.link_needed(bodies)?;
    let builder = Builder::new(module);
    let linked = |function: &Value| {
        let name = function.name();
        !function.is_declaration() && (declared.contains(&name) || !before.contains(&name))
    };
    let bodies: Vec<Value> = module.functions().into_iter().filter(linked).collect();
    for function in &bodies {
        function.set_linkage(Linkage::LLVMInternalLinkage);
        // They are compiled for the machine that their caller is.
        for key in ["target-cpu", "target-features", "tune-cpu", "min-legal-vector-width"] {
            function.remove_string_attribute(key);
        }
        // flang declares that nothing comes back as an empty structure.
        for call in function.users() {
            let is_call = matches!(call.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke));
            if is_call
                && call.called_value() == *function
                && call.called_type() != function.value_type()
                && function.result_type().kind() == TypeKind::Void
                && call.users().is_empty()
            {
                builder.before(call);
                builder.place_as(call);
                builder.call_through(function.value_type(), *function, &call.arguments());
                call.erase();
            }
        }
    }
    if bodies.is_empty() {
        return Ok(());
    }
    module.run("always-inline")?;
    // The pass may have dropped what it inlined everywhere: look again.
    let left = module.functions().into_iter().filter(|f| {
        f.linkage() == Linkage::LLVMInternalLinkage
            && declared.contains(&f.name())
            && f.users().is_empty()
    });
    for function in left {
        function.delete_function();
    }
    Ok(())
}
