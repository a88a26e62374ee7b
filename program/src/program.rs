//! A program: its bitcode, its sites, its targets, and the libraries made of it.

use crate::compile::{Bitcode, Compiler, Flags, LibraryRequest, RuntimeSource};
use crate::entry;
use crate::goal::{Exception, Goal, GoalId};
use crate::instrument::{branch_functions, instrument};
use crate::layout::{Layout, lay_out};
use crate::library::{Instrumented, Original};
use crate::llvm::{Builder, LineTable, Linkage, Module, Opcode, TypeKind, Value};
use crate::never::why_never;
use crate::range;
use crate::reach;
use crate::site::{self, Site, SiteId};
use crate::target::{Gap, Input, Target, Wishes};
use crate::{Fault, Probes, libm};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A program, loaded and identified.
pub struct Program {
    module: Module,
    bitcode: Bitcode,
    sites: Arc<Vec<Site>>,
    goals: Vec<Goal>,
}

/// The libraries of a program, for all its targets at once.
pub struct Libraries {
    instrumented: PathBuf,
    original: PathBuf,
    goals: Arc<Vec<Goal>>,
    probes: Arc<Probes>,
    constants: Arc<Vec<f64>>,
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
            constants: Arc::clone(&self.constants),
        }
    }

    /// The library without, set to a target.
    pub fn original(&self, target: &Target) -> Original {
        Original {
            library: self.original.clone(),
            target: target.clone(),
            sites: Arc::clone(&self.sites),
        }
    }
}

/// A function that could be made a target, or why not.
pub struct Candidate {
    /// Its name in the source.
    pub function: String,
    /// Its symbol.
    pub symbol: String,
}

impl Program {
    /// Loads compiled bitcode.
    pub fn load(bitcode: Bitcode) -> Result<Program, Fault> {
        let module = Module::read(&bitcode.path)?;
        module.verify().map_err(|fault| {
            Fault::User(format!("`{}` is not valid bitcode: {fault}", bitcode.path.display()))
        })?;
        split_multiply_add(&module);
        let mut sites = Vec::new();
        let mut goals = Vec::new();
        for (number, found) in site::find(&module).into_iter().enumerate() {
            let id = SiteId(number as u32);
            let function = found.instruction.block().function();
            sites.push(Site {
                id,
                function: function.source_name().unwrap_or_else(|| function.name()),
                location: found.instruction.location(),
                action: found.action,
                format: found.format,
            });
            for exception in found.action.exceptions() {
                let never = never(&found, exception);
                goals.push(Goal { id: GoalId(goals.len() as u32), site: id, exception, never });
            }
        }
        Ok(Program { module, bitcode, sites: Arc::new(sites), goals })
    }

    /// Every floating-point operation, in order of identity.
    pub fn sites(&self) -> &Arc<Vec<Site>> {
        &self.sites
    }

    /// Every question about them, in order of identity.
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// The functions defined here, in order.
    fn defined(&self) -> Vec<Value> {
        self.module.functions().into_iter().filter(|f| !f.is_declaration()).collect()
    }

    /// The functions a user would ask about: those that other files can call.
    pub fn callable(&self) -> Vec<Candidate> {
        let visible = |f: &Value| {
            matches!(f.linkage(), Linkage::LLVMExternalLinkage | Linkage::LLVMWeakAnyLinkage)
        };
        let mut list: Vec<Candidate> = self
            .defined()
            .into_iter()
            .filter(visible)
            .map(|f| Candidate {
                function: f.source_name().unwrap_or_else(|| f.name()),
                symbol: f.name(),
            })
            .collect();
        if list.len() > 1 {
            list.retain(|candidate| candidate.function != "main" && candidate.symbol != "_QQmain");
        }
        list
    }

    /// The function a user named, by its name in the source or its symbol.
    fn find(&self, name: &str) -> Result<Value, Fault> {
        let defined = self.defined();
        let by_symbol = defined.iter().find(|f| f.name() == name || f.name() == format!("{name}_"));
        if let Some(&function) = by_symbol {
            return Ok(function);
        }
        let named: Vec<&Value> =
            defined.iter().filter(|f| f.source_name().as_deref() == Some(name)).collect();
        match named.as_slice() {
            [one] => Ok(**one),
            [] => {
                let names: Vec<String> =
                    defined.iter().map(|f| f.source_name().unwrap_or_else(|| f.name())).collect();
                Err(Fault::User(no_function(name, &names)))
            }
            several => {
                let symbols: Vec<String> =
                    several.iter().map(|f| format!("`{}`", f.name())).collect();
                Err(Fault::User(format!(
                    "`{name}` names several functions: give one of the symbols {}",
                    symbols.join(", ")
                )))
            }
        }
    }

    /// Makes targets of functions, by name. A function whose parameters cannot be made
    /// comes back as the reason.
    pub fn targets(
        &self,
        names: &[String],
        wishes: &Wishes,
    ) -> Result<Vec<Result<Target, Untestable>>, Fault> {
        let plans = self.plans(names, wishes)?;
        let copy = self.module.copy();
        let mut entry_number = 0;
        let mut list = Vec::new();
        let mut used = range::Used::default();
        for plan in &plans {
            list.push(match &plan.layout {
                Err(why) => Err(Untestable {
                    function: plan.function.clone(),
                    file: plan.value.source_file().unwrap_or_default(),
                    line: plan.value.source_line(),
                    why: why.clone(),
                    goals: self.reachable_goals(plan.value),
                }),
                Ok(layout) => {
                    let function =
                        copy.function(&plan.symbol).expect("a copy has the same functions");
                    let name = entry_name(entry_number);
                    let outputs = entry::write(&copy, &name, function, layout);
                    entry_number += 1;
                    Ok(self.target(plan, layout, entry_number - 1, outputs, wishes, &mut used)?)
                }
            });
        }
        used.check(wishes, &plans.iter().map(|p| p.function.clone()).collect::<Vec<_>>(), &list)?;
        Ok(list)
    }

    fn target(
        &self,
        plan: &Plan,
        layout: &Layout,
        entry: u32,
        outputs: Vec<crate::target::Output>,
        wishes: &Wishes,
        used: &mut range::Used,
    ) -> Result<Target, Fault> {
        let mut inputs = Vec::new();
        let mut word = 0;
        for leaf in entry::inputs_of(layout) {
            let (low, high) = range::full(leaf.scalar);
            inputs.push(Input {
                name: leaf.name.clone(),
                type_name: leaf.type_name.clone(),
                scalar: leaf.scalar,
                word,
                low,
                high,
                specials: wishes.specials && matches!(leaf.scalar, crate::Scalar::Float(_)),
            });
            word += leaf.scalar.words();
        }
        let mut assumptions = Vec::new();
        range::bound_lengths(layout, &mut inputs, &mut assumptions);
        range::narrow(&plan.function, &mut inputs, wishes, used, &mut assumptions)?;
        let output_words = outputs.iter().map(|output| output.scalar.words()).sum();
        Ok(Target {
            function: plan.function.clone(),
            symbol: plan.symbol.clone(),
            file: plan.value.source_file().unwrap_or_default(),
            line: plan.value.source_line(),
            entry,
            inputs,
            outputs,
            input_words: word,
            output_words,
            goals: self.reachable_goals(plan.value),
            edges: self.reachable_edges(plan.value),
            assumptions,
            gaps: self.gaps(plan.value),
        })
    }

    fn plans(&self, names: &[String], wishes: &Wishes) -> Result<Vec<Plan>, Fault> {
        let promoted = self.module.copy();
        promoted.run("function(sroa,instcombine<no-verify-fixpoint>)")?;
        let mut plans = Vec::new();
        for name in names {
            let value = self.find(name)?;
            let function = value.source_name().unwrap_or_else(|| value.name());
            let symbol = value.name();
            let length = |array: &str| {
                wishes
                    .arrays
                    .iter()
                    .rev()
                    .find(|w| w.name == array && w.concerns(&function))
                    .map(|w| w.value)
            };
            let analysed = promoted.function(&symbol).expect("a copy has the same functions");
            let layout = lay_out(&self.module, value, analysed, &length);
            plans.push(Plan { function, symbol, value, layout });
        }
        Ok(plans)
    }

    fn reachable_goals(&self, function: Value) -> Vec<GoalId> {
        let reachable = reach::from(function);
        let found = site::find(&self.module);
        self.goals
            .iter()
            .filter(|goal| {
                reachable.contains(&found[goal.site.0 as usize].instruction.block().function())
            })
            .map(|goal| goal.id)
            .collect()
    }

    /// Both sides of every branch in reachable code, as the instrumentation numbers them.
    fn reachable_edges(&self, function: Value) -> Vec<usize> {
        let reachable = reach::from(function);
        let first = self.goals.len();
        branch_functions(&self.module)
            .into_iter()
            .enumerate()
            .filter(|(_, function)| reachable.contains(function))
            .flat_map(|(i, _)| [first + 2 * i, first + 2 * i + 1])
            .collect()
    }

    /// What in reachable code cannot be looked into.
    fn gaps(&self, function: Value) -> Vec<Gap> {
        let mut gaps = Vec::new();
        for reached in reach::from(function) {
            for block in reached.blocks() {
                for instruction in block.instructions() {
                    if let Some(what) = gap(instruction, &self.bitcode) {
                        gaps.push(Gap { location: instruction.location(), what });
                    }
                }
            }
        }
        gaps.sort();
        gaps.dedup();
        gaps
    }

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
            let original = self.original_bitcode(&plans, scratch)?;
            let request = |path: &Path| LibraryRequest::new(&self.bitcode).of(path);
            let mut probed = request(&instrumented.0);
            probed.optimisation = Some("-O2".into());
            probed.runtime.push(runtime("search.c", include_str!("../runtime/search.c")));
            let mut plain = request(&original.0);
            // A square root that is computed in line, with a call for its errors, would
            // have two places.
            let whole_calls = Flags::parse(["-mllvm", "-disable-partial-libcall-inlining"]);
            plain.flags = plain.flags.followed_by(&whole_calls);
            plain.runtime.push(runtime("replay.c", &replay_runtime()));
            plain.wrap = original.1;
            let other = scope.spawn(move || compiler.library(&plain, deadline));
            let first = compiler.library(&probed, deadline);
            let second = other
                .join()
                .map_err(|_| Fault::Internal("the compiler's thread panicked".into()))?;
            Ok::<_, Fault>(((first?, instrumented.1), second?))
        })?;
        Ok(Libraries {
            instrumented: instrumented.0,
            original,
            goals: Arc::new(self.goals.clone()),
            probes: Arc::new(instrumented.1),
            constants: Arc::new(self.constants()),
            sites: Arc::clone(&self.sites),
        })
    }

    fn instrumented_bitcode(
        &self,
        plans: &[(&Plan, &Layout)],
        scratch: &Path,
    ) -> Result<(PathBuf, Probes), Fault> {
        let module = self.module.copy();
        module.strip_debug_information();
        let probes = instrument(&module, &self.goals);
        write_entries(&module, plans);
        define_missing(&module, &self.bitcode, true);
        for function in module.functions() {
            // Bitcode of an -O0 build says that it must not be optimised: the copy with
            // probes may be.
            function.remove_attribute("optnone");
            function.remove_attribute("noinline");
        }
        hide(&module);
        module.verify()?;
        let path = scratch.join("instrumented.bc");
        module.write(&path)?;
        Ok((path, probes))
    }

    /// The program with a line table that names sites, and the libm symbols it calls.
    fn original_bitcode(
        &self,
        plans: &[(&Plan, &Layout)],
        scratch: &Path,
    ) -> Result<(PathBuf, Vec<String>), Fault> {
        let module = self.module.copy();
        let mut lines = BTreeMap::new();
        for (number, found) in site::find(&module).into_iter().enumerate() {
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
        module.verify()?;
        let path = scratch.join("original.bc");
        module.write(&path)?;
        let watched: BTreeSet<String> = libm::watched().into_iter().collect();
        let wrap = module
            .functions()
            .into_iter()
            .filter(|f| f.is_declaration())
            .flat_map(|f| symbols_of(&f.name()))
            .filter(|name| watched.contains(name))
            .collect::<BTreeSet<String>>();
        Ok((path, wrap.into_iter().collect()))
    }

    /// Numbers that the program computes or compares with, as binary64, without repetition.
    fn constants(&self) -> Vec<f64> {
        let mut list = Vec::new();
        for function in self.defined() {
            for block in function.blocks() {
                for instruction in block.instructions() {
                    for operand in instruction.operands() {
                        list.extend(operand.as_double());
                        if matches!(
                            instruction.opcode(),
                            Some(Opcode::LLVMICmp | Opcode::LLVMSwitch)
                        ) {
                            list.extend(operand.as_integer().map(|n| n as f64));
                        }
                    }
                }
            }
        }
        for global in self.module.globals() {
            if global.is_constant_global()
                && let Some(number) = global.initializer().and_then(Value::as_double)
            {
                list.push(number);
            }
        }
        list.retain(|number| number.is_finite());
        list.sort_by(f64::total_cmp);
        list.dedup_by(|a, b| a.to_bits() == b.to_bits());
        list
    }
}

/// A function whose parameters cannot be made.
#[derive(Clone, Debug)]
pub struct Untestable {
    /// Its name.
    pub function: String,
    /// The file it is defined in.
    pub file: String,
    /// The line it starts on.
    pub line: u32,
    /// What stands in the way, as the end of a sentence that begins with the function.
    pub why: String,
    /// The goals in code that it can reach.
    pub goals: Vec<GoalId>,
}

struct Plan {
    function: String,
    symbol: String,
    value: Value,
    layout: Result<Layout, String>,
}

fn entry_name(number: u32) -> String {
    format!("nanoscope_run_{number}")
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

/// Why a site can never raise an exception, where a constant operand shows it. An
/// operation that the compiler may rewrite is not argued about.
fn never(found: &site::Found, exception: Exception) -> Option<&'static str> {
    if found.instruction.may_be_rewritten() || found.instruction.ty().is_vector() {
        return None;
    }
    let count = found.action.operands() as u32;
    let operands: Vec<Option<f64>> =
        (0..count).map(|i| found.instruction.operand(i).as_double()).collect();
    why_never(found.action, found.format, exception, &operands)
}

/// What the analyses see is the machine's choice: where it has no fused operation,
/// `a * b + c` in one expression is a multiplication and an addition.
fn split_multiply_add(module: &Module) {
    let builder = Builder::new(module);
    for function in module.functions() {
        let features = function.string_attribute("target-features").unwrap_or_default();
        let fuses = features.split(',').any(|f| f == "+fma" || f == "+fma4");
        for block in function.blocks() {
            for instruction in block.instructions() {
                let Some(callee) = instruction.callee() else { continue };
                if !callee.name().starts_with("llvm.fmuladd.") {
                    continue;
                }
                let (a, b, c) =
                    (instruction.operand(0), instruction.operand(1), instruction.operand(2));
                builder.before(instruction);
                builder.place_as(instruction);
                let narrow = matches!(
                    site::scalar_format(instruction),
                    Some(nanoscope_ieee::Format::BINARY32 | nanoscope_ieee::Format::BINARY64)
                );
                let replacement = if fuses && narrow {
                    let name = callee.name().replace("llvm.fmuladd.", "llvm.fma.");
                    builder.call(module.add_function(&name, callee.value_type()), &[a, b, c])
                } else {
                    let product = builder.binary(Opcode::LLVMFMul, a, b);
                    builder.copy_fast_math(instruction, product);
                    builder.binary(Opcode::LLVMFAdd, product, c)
                };
                builder.copy_fast_math(instruction, replacement);
                instruction.replace_with(replacement);
                instruction.erase();
            }
        }
    }
}

/// Something an analysis does not see through.
fn gap(instruction: Value, bitcode: &Bitcode) -> Option<String> {
    if !matches!(
        instruction.opcode(),
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
    ) {
        return None;
    }
    if instruction.calls_assembly() {
        return Some("inline assembly".into());
    }
    let callee = instruction.callee()?;
    let name = callee.name();
    if !callee.is_declaration() || callee.is_intrinsic() {
        return None;
    }
    if !crate::symbols::is_there(&name, bitcode) {
        return Some(format!("calls `{name}`, which is nowhere to be found: a run ends there"));
    }
    let takes_floats = matches!(callee.result_type().kind(), TypeKind::Float(_))
        || callee
            .parameters()
            .iter()
            .any(|p| matches!(p.ty().kind(), TypeKind::Float(_) | TypeKind::Pointer));
    let known = libm::watched().contains(&name) || libm::never_raises(&name);
    (!known && takes_floats).then(|| format!("calls `{name}`, whose code is not among the sources"))
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

/// The library symbols that a declaration may become: intrinsics turn into calls.
fn symbols_of(name: &str) -> Vec<String> {
    let Some(rest) = name.strip_prefix("llvm.") else { return vec![name.to_owned()] };
    let rest = rest.strip_prefix("experimental.constrained.").unwrap_or(rest);
    let base = rest.split('.').next().unwrap_or(rest);
    ["", "f", "l"].map(|suffix| format!("{base}{suffix}")).to_vec()
}

fn runtime(name: &str, text: &str) -> RuntimeSource {
    RuntimeSource { name: name.into(), text: text.into() }
}

/// The replay runtime with the table it includes written into it: one text, no folder.
fn replay_runtime() -> String {
    include_str!("../runtime/replay.c")
        .replace("#include \"libm.def\"", include_str!("../runtime/libm.def"))
}

fn no_function(name: &str, defined: &[String]) -> String {
    let nearest = crate::nearest::nearest(name, defined.iter().map(String::as_str));
    match nearest {
        Some(near) => {
            format!("no function `{name}` is defined in the sources; did you mean `{near}`?")
        }
        None if defined.is_empty() => {
            format!("no function `{name}`: the sources define no function at all")
        }
        None => {
            let mut names: Vec<&str> = defined.iter().map(String::as_str).collect();
            names.truncate(10);
            format!(
                "no function `{name}` is defined in the sources; there are: {}",
                names.join(", ")
            )
        }
    }
}
