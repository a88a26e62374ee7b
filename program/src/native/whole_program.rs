//! The program whole, to be run natively from `main` or from the entry of a function.

use crate::Fault;
use crate::code::failure::FailureFunction;
use crate::llvm::{Builder, Linkage, Module, Opcode, Type, TypeKind, Value};
use crate::native::entry;
use crate::program::{Program, entry_name};
use crate::target::Wishes;
use std::path::Path;

impl Program {
    /// Writes the program as bitcode for [`Compiler::executable`](crate::compile::Compiler::executable):
    /// every function that is nowhere to be found gets a body that says so, which a
    /// definition of the runtime's takes the place of; with `function`, there is a
    /// `nanoscope_run` that calls it, and no `main`.
    pub fn whole(&self, function: Option<(&str, &Wishes)>, path: &Path) -> Result<(), Fault> {
        self.write_whole(function, path, false)
    }

    /// The same; and every branch that stands in the source tells the way it goes.
    pub fn whole_telling_branches(
        &self,
        function: Option<(&str, &Wishes)>,
        path: &Path,
    ) -> Result<(), Fault> {
        self.write_whole(function, path, true)
    }

    fn write_whole(
        &self,
        function: Option<(&str, &Wishes)>,
        path: &Path,
        telling: bool,
    ) -> Result<(), Fault> {
        let module = self.module.copy();
        if telling {
            tell_branches(&module);
        }
        if let Some((name, wishes)) = function {
            write_entry(self, &module, name, wishes)?;
        }
        tell_error_calls(&module);
        stand_in(&module, &|name| crate::code::symbols::is_there(name, &self.bitcode));
        module.verify()?;
        module.write(path)
    }

    /// The symbols that the program refers to and does not define, in order.
    pub fn undefined(&self) -> Vec<String> {
        let all = self.module.functions().into_iter().chain(self.module.globals());
        let missing = all.filter(|symbol| symbol.is_declaration() && !symbol.is_intrinsic());
        let mut names: Vec<String> = missing.map(Value::name).collect();
        names.sort();
        names
    }

    /// Numbers that the program computes or compares with, for making inputs up.
    pub fn numbers(&self) -> Vec<f64> {
        self.constants()
    }

    /// Whether the program has a function of that symbol.
    pub fn defines(&self, symbol: &str) -> bool {
        self.module.function(symbol).is_some_and(|function| !function.is_declaration())
    }

    /// Whether the program has, or calls, a function whose symbol is of a kind.
    pub fn mentions(&self, is_of_kind: &dyn Fn(&str) -> bool) -> bool {
        self.module.functions().iter().any(|function| is_of_kind(&function.name()))
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

/// Has every branch say the way it goes, before it does.
fn tell_branches(module: &Module) {
    let (int, long) = (module.integer(32), module.integer(64));
    let ty = module.function_type(module.void(), &[int, int, long]);
    let mut tell = None;
    for function in module.functions().into_iter().filter(|it| !it.is_declaration()) {
        for end in function.blocks().into_iter().filter_map(|block| block.terminator()) {
            let value = match end.opcode() {
                Some(Opcode::LLVMBr) => end.condition(),
                Some(Opcode::LLVMSwitch) => Some(end.operand(0)),
                Some(_) | None => None,
            };
            let place = end.location();
            let Some(value) = value.filter(|_| place.line != 0) else { continue };
            let tell = *tell.get_or_insert_with(|| module.add_function("nanoscope_branch", ty));
            let builder = Builder::new(module);
            builder.before(end);
            builder.place_as(end);
            let value = match end.opcode() {
                Some(Opcode::LLVMBr) => builder.resize(value, long),
                Some(_) | None => builder.resize_signed(value, long),
            };
            let [line, column] =
                [place.line, place.column].map(|number| int.constant(u64::from(number)));
            builder.call(tell, &[line, column, value]);
        }
    }
}

/// Has the program's own error functions say that they were called.
fn tell_error_calls(module: &Module) {
    let ty = module.function_type(module.void(), &[module.pointer()]);
    for FailureFunction { name, .. } in FailureFunction::of_programs() {
        let Some(function) = module.function(name).filter(|f| !f.is_declaration()) else {
            continue;
        };
        let Some(&first) = function.blocks()[0].instructions().first() else { continue };
        let tell = module.add_function("nanoscope_error_call", ty);
        let builder = Builder::new(module);
        builder.before(first);
        builder.place_as(first);
        builder.call(tell, &[name_of(module, name)]);
    }
}

/// What is linked in from an archive that comes with the C library, where a weak definition
/// would keep it out.
const IN_AN_ARCHIVE: &[&str] = &[
    "atexit",
    "at_quick_exit",
    "pthread_atfork",
    "stat",
    "fstat",
    "lstat",
    "fstatat",
    "mknod",
    "mknodat",
];

/// What a name begins with that asks for an unknown of the type it is declared with.
const NONDET: &str = "__VERIFIER_nondet_";

/// Gives what is missing a weak body that tells its name; asks for an unknown in its place
/// where the name says so.
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
            || IN_AN_ARCHIVE.contains(&name.as_str())
            || is_there(&name)
        {
            continue;
        }
        let text = name_of(module, &name);
        builder.at_end(module.add_block(function, "missing"));
        let kind = function.result_type().kind();
        match kind {
            TypeKind::Float(_) | TypeKind::Integer(_) if name.starts_with(NONDET) => {
                ask(module, &builder, function.result_type(), text);
            }
            _ => {
                builder.call(module.add_function("nanoscope_missing", ty), &[text]);
                builder.unreachable();
            }
        }
        function.set_linkage(Linkage::LLVMWeakAnyLinkage);
        // What a declaration says of its source does not do for a definition.
        function.clear_metadata();
    }
}

/// Returns an unknown.
fn ask(module: &Module, builder: &Builder, ty: Type, name: Value) {
    let (pointer, long, int) = (module.pointer(), module.integer(64), module.integer(32));
    let asks = module.function_type(module.void(), &[pointer, pointer, long, int]);
    let ask = module.add_function("nanoscope_nondet", asks);
    let place = builder.stack(ty);
    builder.store(ty.zero(), place);
    let (size, is_float) = match ty.kind() {
        TypeKind::Float(format) => (u64::from(format.width().div_ceil(8)), 1),
        _ => (module.size_of(ty), 0),
    };
    builder.call(ask, &[name, place, long.constant(size), int.constant(is_float)]);
    builder.return_value(builder.load(ty, place));
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
