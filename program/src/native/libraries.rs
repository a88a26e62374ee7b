//! The libraries of a program: one with probes for searching, one without for replay,
//! each with an entry for every target.

use crate::compile::{Bitcode, Compiler, Flags, LibraryRequest, RuntimeSource};
use crate::goal::Goal;
use crate::goal::site::{self, Action, Site};
use crate::goal::software::{self, is_checked};
use crate::llvm::{Builder, LineTable, Linkage, Module, Opcode, Value};
use crate::native::entry;
use crate::native::library::{Checked, Instrumented, Original};
use crate::passes::instrument::instrument;
use crate::program::{Plan, Program, entry_name};
use crate::target::layout::Layout;
use crate::target::{Target, Wishes};
use crate::{Exception, Fault, Probes, code::libm, code::reach, passes::flags, passes::overflow};
use nanoscope_ieee::Format;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// The libraries of a program, for all its targets at once. Each is built when it is first
/// asked for; who asks meanwhile waits.
pub struct Libraries {
    compiler: Compiler,
    instrumented: Build,
    original: Build,
    /// The original without optimisation, where the user's has some.
    written: Option<Build>,
    checked: Option<Arc<Checked>>,
    goals: Arc<Vec<Goal>>,
    probes: Arc<Probes>,
    sites: Arc<Vec<Site>>,
}

/// A library that is built once.
struct Build {
    request: LibraryRequest,
    deadline: Option<Instant>,
    made: OnceLock<Result<PathBuf, Fault>>,
}

impl Build {
    fn new(request: LibraryRequest, deadline: Option<Instant>) -> Build {
        Build { request, deadline, made: OnceLock::new() }
    }

    fn library(&self, compiler: &Compiler) -> Result<PathBuf, Fault> {
        self.made.get_or_init(|| compiler.library(&self.request, self.deadline)).clone()
    }
}

impl Libraries {
    /// Gives building the library with probes less time than the rest has.
    pub fn probes_until(&mut self, deadline: Instant) {
        self.instrumented.deadline = Some(deadline);
    }

    /// Builds the original, where nobody asks for probes.
    pub fn build_original(&self) -> Result<(), Fault> {
        self.original.library(&self.compiler).map(drop)
    }

    /// Builds both libraries at the same time. A fault of the original's; whether there is one
    /// with probes, [`Libraries::instrumented`] says.
    pub fn build(&self) -> Result<(), Fault> {
        std::thread::scope(|scope| {
            scope.spawn(|| self.instrumented.library(&self.compiler).is_ok());
            self.build_original()
        })
    }

    /// The library with probes, set to a target.
    pub fn instrumented(&self, target: &Target) -> Result<Instrumented, Fault> {
        Ok(Instrumented {
            library: self.instrumented.library(&self.compiler)?,
            target: target.clone(),
            goals: Arc::clone(&self.goals),
            edges: self.probes.goals() - self.goals.len(),
            probes: Arc::clone(&self.probes),
            constants: Arc::new(target.constants.clone()),
        })
    }

    /// The library without, set to a target.
    pub fn original(&self, target: &Target) -> Result<Original, Fault> {
        Ok(Original {
            library: self.original.library(&self.compiler)?,
            target: target.clone(),
            sites: Arc::clone(&self.sites),
            checked: self.checked.clone(),
        })
    }

    /// The same, of the program as it is written: no optimisation leaves an operation out or
    /// makes another of it. None where the user's own is so.
    pub fn written(&self, target: &Target) -> Result<Option<Original>, Fault> {
        let Some(written) = &self.written else { return Ok(None) };
        let library = written.library(&self.compiler)?;
        Ok(Some(Original { library, ..self.original(target)? }))
    }
}

impl Program {
    /// The libraries, with an entry for each of the functions named (the same names and wishes
    /// as for [`Program::targets`]), to be built until the deadline.
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
        let (probed, probes) = self.instrumented_request(&plans, scratch)?;
        let original = self.original_request(&plans, &scratch.join("original.bc"), |_| ())?;
        let written = original.flags.optimises().then(|| {
            let optimisation = Some("-O0".into());
            Build::new(LibraryRequest { optimisation, ..original.clone() }, deadline)
        });
        let checked = match self.has_checks(&plans) {
            true => {
                let path = scratch.join("checked.bc");
                let mut request = self.original_request(&plans, &path, check)?;
                request.runtime.push(runtime("checks.c", include_str!("../../runtime/checks.c")));
                let compiler = compiler.clone();
                Some(Arc::new(Checked { compiler, request, made: Mutex::default() }))
            }
            false => None,
        };
        Ok(Libraries {
            compiler: compiler.clone(),
            instrumented: Build::new(probed, deadline),
            original: Build::new(original, deadline),
            written,
            checked,
            goals: Arc::new(self.goals.clone()),
            probes: Arc::new(probes),
            sites: Arc::clone(&self.sites),
        })
    }

    /// Whether what is planned can come to operations that are asked about and trap nowhere.
    fn has_checks(&self, plans: &[(&Plan, &Layout)]) -> bool {
        let asked = |goal: &&Goal| {
            goal.exception == Exception::IntegerOverflow
                || is_checked(&self.sites[goal.site.0 as usize])
        };
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
        let (module, ()) = self.probed(&plans, flags::flag)?;
        module.verify()?;
        module.write(&path)?;
        let mut request = LibraryRequest::new(&self.bitcode).of(&path);
        request.optimisation = Some("-O2".into());
        request.runtime.push(runtime);
        compiler.library(&request, None)
    }

    /// How to make the program with probes. Functions that are too large for the optimiser stand
    /// in a module of their own.
    fn instrumented_request(
        &self,
        plans: &[(&Plan, &Layout)],
        scratch: &Path,
    ) -> Result<(LibraryRequest, Probes), Fault> {
        let path = scratch.join("instrumented.bc");
        let (module, (probes, large)) =
            self.probed(plans, |module| instrument(module, &self.goals))?;
        let large: Vec<Value> =
            module.functions().into_iter().filter(|function| large.contains(function)).collect();
        let mut request = LibraryRequest::new(&self.bitcode).of(&path);
        request.optimisation = Some("-O2".into());
        if !large.is_empty()
            && let Some(part) = module.split_off(&large)
        {
            let path = scratch.join("unoptimised.bc");
            part.verify()?;
            part.write(&path)?;
            request.unoptimised = Some(path);
        }
        module.verify()?;
        module.write(&path)?;
        request.runtime.push(runtime("search.c", include_str!("../../runtime/search.c")));
        request.runtime.extend(startup(&request.flags));
        request.runtime.extend(self.narrowing());
        Ok((request, probes))
    }

    /// A copy of the program with probes, as `probe` puts them, and with entries.
    fn probed<T>(
        &self,
        plans: &[(&Plan, &Layout)],
        probe: impl FnOnce(&Module) -> T,
    ) -> Result<(Module, T), Fault> {
        let module = self.module.copy();
        module.strip_debug_information();
        for function in module.functions() {
            // Bitcode of an -O0 build says that it must not be optimised: the copy with
            // probes may be.
            function.remove_attribute("optnone");
            function.remove_attribute("noinline");
        }
        let probes = probe(&module);
        write_entries(&module, plans);
        define_missing(&module, &self.bitcode, true);
        hide(&module);
        module.run("globaldce")?;
        Ok((module, probes))
    }

    /// What narrows to bfloat16, where the program does.
    fn narrowing(&self) -> Option<RuntimeSource> {
        let is_used = self.sites.iter().any(|site| site.format == Format::BFLOAT16);
        is_used.then(|| runtime("bfloat16.c", include_str!("../../runtime/bfloat16.c")))
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
        request.runtime.extend(self.narrowing());
        request.wrap = wrap.into_iter().collect();
        Ok(request)
    }
}

/// Puts checks at all that traps nowhere.
fn check(module: &Module) {
    // Found once: checks compute, too.
    let sites = site::find(module);
    overflow::check(module, &sites);
    software::check(module, &sites);
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
        if function.users().is_empty() || crate::code::symbols::is_there(&name, bitcode) {
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
    let flush = runtime("flush.c", include_str!("../../runtime/flush.c"));
    flags.flushes_subnormals().then_some(flush)
}

fn runtime(name: &str, text: &str) -> RuntimeSource {
    RuntimeSource { name: name.into(), text: text.into() }
}

/// The replay runtime with the table it includes written into it: one text, no folder.
fn replay_runtime() -> String {
    include_str!("../../runtime/replay.c").replace("#include \"libm.def\"", &libm::wrappers())
}
