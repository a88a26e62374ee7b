//! Run-time functions that are part of the program: bodies of our own for what a compiler calls
//! to compute, inlined where they are called, so that what they do is done at the line of the
//! call by the program itself.

use crate::Fault;
use crate::llvm::{Builder, Linkage, Module, Opcode, TypeKind, Value};
use std::collections::BTreeSet;
use std::path::Path;

/// A file of bodies.
pub(crate) struct Bodies {
    pub name: &'static str,
    pub text: &'static str,
    /// What the symbols that it defines begin with.
    symbols: &'static [&'static str],
}

/// Bodies of flang's run-time functions, and of libgcc's and glibc's on complex numbers.
const FILES: &[Bodies] = &[
    Bodies {
        name: "fortran.c",
        text: concat!(
            include_str!("../../runtime/fortran.h"),
            include_str!("../../runtime/fortran.c"),
            include_str!("../../runtime/fortran_memory.c"),
            include_str!("../../runtime/fortran_characters.c"),
            include_str!("../../runtime/fortran_arrays.c"),
            include_str!("../../runtime/fortran_quadruple.c"),
        ),
        symbols: &["_FortranA"],
    },
    Bodies {
        name: "complex.c",
        text: include_str!("../../runtime/complex.c"),
        symbols: &[
            "__mulsc3", "__muldc3", "__mulxc3", "__divsc3", "__divdc3", "__divxc3", "cabs", "carg",
        ],
    },
];

/// The files with bodies for what bitcode mentions: its table of symbols stands in it as text.
pub(crate) fn files(bitcode: &Path) -> Vec<&'static Bodies> {
    let contents = std::fs::read(bitcode).unwrap_or_default();
    let file_of = |at: usize| {
        let begins = |symbol: &&str| contents[at..].starts_with(symbol.as_bytes());
        FILES.iter().position(|file| file.symbols.iter().any(begins))
    };
    let places = (0..contents.len()).filter(|&at| matches!(contents[at], b'_' | b'c'));
    let found: BTreeSet<usize> = places.filter_map(file_of).collect();
    found.into_iter().map(|number| &FILES[number]).collect()
}

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
    let is_wanted = |function: &Value| {
        let name = function.name();
        FILES.iter().flat_map(|file| file.symbols).any(|symbol| name.starts_with(symbol))
    };
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

/// Inlines functions that the compiler always inlines and describes nowhere, as those of clang's
/// headers for vectors are: what they do is done at the line of the call.
pub(crate) fn inline_nameless(module: &Module) -> Result<(), Fault> {
    let is_nameless = |function: &Value| {
        !function.is_declaration()
            && function.has_attribute("alwaysinline")
            && function.source_name().is_none()
    };
    match module.functions().iter().any(is_nameless) {
        true => module.run("always-inline"),
        false => Ok(()),
    }
}
