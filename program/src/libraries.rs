//! The libraries of a program: one with probes for searching, one without for replay,
//! each with an entry for every target.

use crate::compile::{Bitcode, Compiler, Flags, LibraryRequest, RuntimeSource};
use crate::entry;
use crate::goal::Goal;
use crate::instrument::instrument;
use crate::layout::Layout;
use crate::library::{Checked, Instrumented, Original};
use crate::llvm::{Builder, LineTable, Linkage, Module, Opcode};
use crate::program::{Plan, Program, entry_name};
use crate::site::{self, Action, Site};
use crate::target::{Target, Wishes};
use crate::{Exception, Fault, Probes, flags, libm, overflow, reach};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// The libraries of a program, for all its targets at once.
pub struct Libraries {
    instrumented: PathBuf,
    original: PathBuf,
    checked: Option<Arc<Checked>>,
    /// How to make the original without optimisation, where the user's has some.
    plain: Option<LibraryRequest>,
    written: OnceLock<Result<PathBuf, Fault>>,
    goals: Arc<Vec<Goal>>,
    probes: Arc<Probes>,
    sites: Arc<Vec<Site>>,
}

impl Libraries {
    /// The library with probes, set to a target.
    pub fn instrumented(&self, target: &Target) -> Instrumented {
        Instrumented {
            library: self.instrumented.clone(),
            target: target.clone(),
            goals: Arc::clone(&self.goals),
            edges: self.probes.goals() - self.goals.len(),
            probes: Arc::clone(&self.probes),
            constants: Arc::new(target.constants.clone()),
        }
    }

    /// The library without, set to a target.
    pub fn original(&self, target: &Target) -> Original {
        Original {
            library: self.original.clone(),
            target: target.clone(),
            sites: Arc::clone(&self.sites),
            checked: self.checked.clone(),
        }
    }

    /// The same, of the program as it is written: no optimisation leaves an operation out or
    /// makes another of it. Made when it is first asked for; none where the user's own is so.
    pub fn written(
        &self,
        target: &Target,
        compiler: &Compiler,
        deadline: Option<Instant>,
    ) -> Result<Option<Original>, Fault> {
        let Some(plain) = &self.plain else { return Ok(None) };
        let made = self.written.get_or_init(|| compiler.library(plain, deadline));
        let library = made.clone()?;
        Ok(Some(Original { library, ..self.original(target) }))
    }
}

impl Program {
    /// Makes the two libraries, with an entry for each of the functions named (the same
    /// names and wishes as for [`Program::targets`]).
    pub fn libraries(
        &self,
        names: &[String],
        wishes: &Wishes,
        compiler: &Compiler,
        scratch: &Path,
        deadline: Option<Instant>,
    ) -> Result<Libraries, Fault> {
        let plans = self.plans(names, wishes)?;
        let plans: Vec<(&Plan, &Layout)> =
            plans.iter().filter_map(|p| Some((p, p.layout.as_ref().ok()?))).collect();
        let (instrumented, original) = std::thread::scope(|scope| {
            let instrumented = self.instrumented_bitcode(&plans, scratch)?;
            let plain = self.original_request(&plans, &scratch.join("original.bc"), |_| ())?;
            let mut probed = LibraryRequest::new(&self.bitcode).of(&instrumented.0);
            probed.optimisation = Some("-O2".into());
            probed.runtime.push(runtime("search.c", include_str!("../runtime/search.c")));
            probed.runtime.extend(startup(&probed.flags));
            let optimised = plain.flags.optimises();
            let written = LibraryRequest { optimisation: Some("-O0".into()), ..plain.clone() };
            let other = scope.spawn(move || compiler.library(&plain, deadline));
            let first = compiler.library(&probed, deadline);
            let second = other
                .join()
                .map_err(|_| Fault::Internal("the compiler's thread panicked".into()))?;
            let written = optimised.then_some(written);
            Ok::<_, Fault>(((first?, instrumented.1), (second?, written)))
        })?;
        let checked = match self.has_integers(&plans) {
            true => {
                let path = scratch.join("checked.bc");
                let mut request = self.original_request(&plans, &path, overflow::check)?;
                request.runtime.push(runtime("checks.c", overflow::RUNTIME));
                let compiler = compiler.clone();
                Some(Arc::new(Checked { compiler, request, made: Mutex::default() }))
            }
            false => None,
        };
        Ok(Libraries {
            instrumented: instrumented.0,
            original: original.0,
            checked,
            plain: original.1,
            written: OnceLock::new(),
            goals: Arc::new(self.goals.clone()),
            probes: Arc::new(instrumented.1),
            sites: Arc::clone(&self.sites),
        })
    }

    /// Whether what is planned can come to arithmetic on integers that is asked about.
    fn has_integers(&self, plans: &[(&Plan, &Layout)]) -> bool {
        let asked = |goal: &&Goal| goal.exception == Exception::IntegerOverflow;
        if !self.goals.iter().any(|goal| asked(&goal)) {
            return false;
        }
        let sites = site::find(&self.module);
        let home = |goal: &Goal| sites[goal.site.0 as usize].instruction.block().function();
        let homes: BTreeSet<_> = self.goals.iter().filter(asked).map(home).collect();
        plans.iter().any(|(plan, _)| !reach::from(plan.value).is_disjoint(&homes))
    }

    /// Makes a library with [flag probes](crate::flags) and an entry for each of the
    /// functions named. `runtime` is C that defines `nanoscope_flagged`, `nanoscope_fuel`
    /// and `nanoscope_stop`, and calls `nanoscope_run`.
    pub fn flagged_library(
        &self,
        names: &[String],
        wishes: &Wishes,
        compiler: &Compiler,
        scratch: &Path,
        runtime: RuntimeSource,
    ) -> Result<PathBuf, Fault> {
        let plans = self.plans(names, wishes)?;
        let plans: Vec<(&Plan, &Layout)> =
            plans.iter().filter_map(|p| Some((p, p.layout.as_ref().ok()?))).collect();
        let path = scratch.join("flagged.bc");
        self.probed_bitcode(&plans, &path, flags::flag)?;
        let mut request = LibraryRequest::new(&self.bitcode).of(&path);
        request.optimisation = Some("-O2".into());
        request.runtime.push(runtime);
        compiler.library(&request, None)
    }

    fn instrumented_bitcode(
        &self,
        plans: &[(&Plan, &Layout)],
        scratch: &Path,
    ) -> Result<(PathBuf, Probes), Fault> {
        let path = scratch.join("instrumented.bc");
        let probes = self.probed_bitcode(plans, &path, |module| instrument(module, &self.goals))?;
        Ok((path, probes))
    }

    /// Writes a copy of the program with probes, as `probe` puts them, and with entries.
    fn probed_bitcode<T>(
        &self,
        plans: &[(&Plan, &Layout)],
        path: &Path,
        probe: impl FnOnce(&Module) -> T,
    ) -> Result<T, Fault> {
        let module = self.module.copy();
        module.strip_debug_information();
        let probes = probe(&module);
        write_entries(&module, plans);
        define_missing(&module, &self.bitcode, true);
        for function in module.functions() {
            // Bitcode of an -O0 build says that it must not be optimised: the copy with
            // probes may be.
            function.remove_attribute("optnone");
            function.remove_attribute("noinline");
        }
        hide(&module);
        module.run("globaldce")?;
        module.verify()?;
        module.write(path)?;
        Ok(probes)
    }

    /// How to make the program with a line table that names sites, after `change`.
    fn original_request(
        &self,
        plans: &[(&Plan, &Layout)],
        path: &Path,
        change: impl FnOnce(&Module),
    ) -> Result<LibraryRequest, Fault> {
        let module = self.module.copy();
        let mut lines = BTreeMap::new();
        for (number, found) in site::find(&module).into_iter().enumerate() {
            if matches!(found.action, Action::Integer(_)) {
                continue; // nothing traps there
            }
            let line = number as u32 + 1;
            lines.insert(found.instruction, line);
            // What the machine may do in one instruction with the operation is its, too.
            for user in found.instruction.users() {
                use Opcode::{LLVMSIToFP, LLVMStore, LLVMUIToFP};
                if matches!(user.opcode(), Some(LLVMStore | LLVMSIToFP | LLVMUIToFP)) {
                    lines.entry(user).or_insert(line);
                }
            }
        }
        change(&module);
        write_entries(&module, plans);
        let mut table = LineTable::new(&module);
        for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
            table.function(function);
            // A call in tail position would report from its caller's place.
            function.set_string_attribute("disable-tail-calls", "true");
            for block in function.blocks() {
                for instruction in block.instructions() {
                    table.place(
                        function,
                        instruction,
                        lines.get(&instruction).copied().unwrap_or(0),
                    );
                }
            }
        }
        drop(table);
        define_missing(&module, &self.bitcode, false);
        drop_unreached(&module, plans)?;
        module.verify()?;
        module.write(path)?;
        let watched: BTreeSet<String> = libm::watched().into_iter().collect();
        let wrap = module
            .functions()
            .into_iter()
            .filter(|f| f.is_declaration())
            .flat_map(|f| symbols_of(&f.name()))
            .filter(|name| watched.contains(name))
            .collect::<BTreeSet<String>>();
        let mut request = LibraryRequest::new(&self.bitcode).of(path);
        // A square root that is computed in line, with a call for its errors, would have two
        // places.
        let whole_calls = Flags::parse(["-mllvm", "-disable-partial-libcall-inlining"]);
        request.flags = request.flags.followed_by(&whole_calls);
        request.runtime.push(runtime("replay.c", &replay_runtime()));
        request.runtime.extend(startup(&request.flags));
        request.wrap = wrap.into_iter().collect();
        Ok(request)
    }
}

fn write_entries(module: &Module, plans: &[(&Plan, &Layout)]) {
    entry::write_reset(module);
    let mut names = Vec::new();
    for (number, (plan, layout)) in plans.iter().enumerate() {
        let function = module.function(&plan.symbol).expect("a copy has the same functions");
        let name = entry_name(number as u32);
        entry::write(module, &name, function, layout);
        names.push(name);
    }
    entry::write_switch(module, &names);
}

/// Gives every external function that is nowhere to be found a body that ends the run.
fn define_missing(module: &Module, bitcode: &Bitcode, probed: bool) {
    let builder = Builder::new(module);
    for function in module.functions() {
        let name = function.name();
        if !function.is_declaration() || function.is_intrinsic() || name.starts_with("nanoscope_") {
            continue;
        }
        if function.users().is_empty() || crate::symbols::is_there(&name, bitcode) {
            continue;
        }
        let end = if probed { "nanoscope_stop" } else { "abort" };
        let end = module.add_function(end, module.function_type(module.void(), &[]));
        builder.at_end(module.add_block(function, "missing"));
        builder.call(end, &[]);
        builder.unreachable();
        function.set_linkage(Linkage::LLVMInternalLinkage);
    }
}

/// Only the host's symbols stay visible: what no entry reaches is dropped.
fn hide(module: &Module) {
    let all = module.functions().into_iter().chain(module.globals());
    for symbol in all.filter(|s| !s.is_declaration() && !s.name().starts_with("nanoscope_")) {
        if matches!(
            symbol.linkage(),
            Linkage::LLVMExternalLinkage
                | Linkage::LLVMWeakAnyLinkage
                | Linkage::LLVMWeakODRLinkage
        ) && !symbol.name().starts_with("llvm.")
        {
            symbol.set_linkage(Linkage::LLVMInternalLinkage);
        }
    }
}

/// Takes away the functions that no entry can come to. What is left stays as it is, so that
/// the compiler makes the same of it.
fn drop_unreached(module: &Module, plans: &[(&Plan, &Layout)]) -> Result<(), Fault> {
    let mut kept = BTreeSet::new();
    for (plan, _) in plans {
        let function = module.function(&plan.symbol).expect("a copy has the same functions");
        if !kept.contains(&function) {
            kept.extend(reach::from(function));
        }
    }
    let dropped = module.functions().into_iter().filter(|function| {
        !function.is_declaration()
            && !kept.contains(function)
            && !function.name().starts_with("nanoscope_")
            && function.linkage() == Linkage::LLVMExternalLinkage
    });
    for function in dropped {
        function.set_linkage(Linkage::LLVMInternalLinkage);
    }
    module.run("globaldce")
}

/// The library symbols that a declaration may become: intrinsics turn into calls.
fn symbols_of(name: &str) -> Vec<String> {
    let Some(rest) = name.strip_prefix("llvm.") else { return vec![name.to_owned()] };
    let rest = rest.strip_prefix("experimental.constrained.").unwrap_or(rest);
    let base = rest.split('.').next().unwrap_or(rest);
    ["", "f", "l"].map(|suffix| format!("{base}{suffix}")).to_vec()
}

/// What an executable of the same flags does when it starts.
fn startup(flags: &Flags) -> Option<RuntimeSource> {
    let flush = runtime("flush.c", include_str!("../runtime/flush.c"));
    flags.flushes_subnormals().then_some(flush)
}

fn runtime(name: &str, text: &str) -> RuntimeSource {
    RuntimeSource { name: name.into(), text: text.into() }
}

/// The replay runtime with the table it includes written into it: one text, no folder.
fn replay_runtime() -> String {
    include_str!("../runtime/replay.c").replace("#include \"libm.def\"", &libm::wrappers())
}
