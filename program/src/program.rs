//! A program: its bitcode, its sites, its goals and its targets.

use crate::code::constants;
use crate::code::foreign_exceptions;
use crate::code::reach;
use crate::compile::Bitcode;
use crate::compile::merge;
use crate::goal::constant_operands::why_never;
use crate::goal::exception::Exception;
use crate::goal::site::{self, Site, SiteId};
use crate::goal::{Goal, GoalId};
use crate::ir::is_barrier;
use crate::llvm::{Linkage, Module, Opcode, TypeKind, Value};
use crate::native::entry;
use crate::passes::instrument::branch_functions;
use crate::passes::redirect;
use crate::target::call::Call;
use crate::target::callback::Manner;
use crate::target::fortran_call::FortranCall;
use crate::target::handed_memory::Handed;
use crate::target::layout::{Argument, Layout, lay_out};
use crate::target::object::Object;
use crate::target::parameter_use::Uses;
use crate::target::range;
use crate::target::state::{self, Variable};
use crate::target::{
    Array, Assumption, Gap, Input, Target, Untestable, Wish, Wishes, is_short_for, is_the_same,
};
use crate::{
    Fault, code::cxx, code::libm, passes::fast_math, passes::horizontal, passes::inlined,
    passes::powers, passes::trampolines,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A program, loaded and identified.
pub struct Program {
    pub(crate) module: Module,
    pub(crate) bitcode: Bitcode,
    pub(crate) sites: Arc<Vec<Site>>,
    pub(crate) goals: Vec<Goal>,
    /// What its functions are called in reports.
    shown: BTreeMap<Value, String>,
}

/// The functions that the sites and branches stand in, in their order.
struct Homes {
    sites: Vec<Value>,
    branches: Vec<Value>,
}

impl Homes {
    fn of(module: &Module) -> Homes {
        let sites = site::find(module).iter().map(|s| s.instruction.block().function()).collect();
        Homes { sites, branches: branch_functions(module) }
    }
}

/// A function that a user can name.
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
        for bodies in &bitcode.runtime {
            inlined::inline(&module, bodies)?;
        }
        inlined::inline_nameless(&module)?;
        redirect::write_out(&module);
        trampolines::write_out(&module);
        powers::expand(&module);
        horizontal::expand(&module);
        fast_math::decide(&module, bitcode.flags.optimises());
        let shown = shown(&module);
        let mut sites = Vec::new();
        let mut goals = Vec::new();
        for (number, found) in site::find(&module).into_iter().enumerate() {
            let id = SiteId(number as u32);
            let function = found.instruction.block().function();
            sites.push(Site {
                id,
                function: shown[&function].clone(),
                location: found.instruction.location(),
                action: found.action,
                format: found.format,
                rewritable: found.instruction.may_be_rewritten(),
            });
            for exception in found.action.exceptions() {
                let never = never(&found, exception);
                goals.push(Goal { id: GoalId(goals.len() as u32), site: id, exception, never });
            }
        }
        Ok(Program { module, bitcode, sites: Arc::new(sites), goals, shown })
    }

    /// Every floating-point operation, in order of identity.
    pub fn sites(&self) -> &Arc<Vec<Site>> {
        &self.sites
    }

    /// Every question about them, in order of identity.
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// What was left out of the build it is from, and what of it has several definitions.
    pub fn notes(&self) -> &[String] {
        &self.bitcode.notes
    }

    /// Whether it starts with subnormal numbers flushed to zero, as `-ffast-math` has it.
    pub fn flushes_subnormals(&self) -> bool {
        self.bitcode.flags.flushes_subnormals()
    }

    /// The functions defined here, in order.
    pub(crate) fn defined(&self) -> Vec<Value> {
        self.module.functions().into_iter().filter(|f| !f.is_declaration()).collect()
    }

    /// Numbers that the whole program compares or computes with.
    pub(crate) fn constants(&self) -> Vec<f64> {
        constants::of(&self.defined().into_iter().collect())
    }

    /// The functions a user would ask about: those that other files can call.
    pub fn callable(&self) -> Vec<Candidate> {
        let visible = |f: &Value| {
            use Linkage::*;
            // Weak by the one-definition rule: explicit instances of templates.
            matches!(f.linkage(), LLVMExternalLinkage | LLVMWeakAnyLinkage | LLVMWeakODRLinkage)
        };
        let mut list: Vec<Candidate> = self
            .defined()
            .into_iter()
            .filter(visible)
            .map(|f| Candidate { function: self.shown[&f].clone(), symbol: f.name() })
            .collect();
        if list.len() > 1 {
            list.retain(|candidate| {
                !is_the_same("main", &candidate.function) && candidate.symbol != "_QQmain"
            });
        }
        list
    }

    /// The function a user named: by its name in the source, by file and name (`a.c:f`), or by
    /// its symbol.
    fn find(&self, name: &str) -> Result<Value, Fault> {
        let defined = self.defined();
        let named: Vec<&Value> = match split_file(name) {
            Some((file, name)) => defined.iter().filter(|f| is_in(**f, file, name)).collect(),
            None => {
                let is_exact = |f: &&Value| f.source_name().as_deref() == Some(name);
                let exact: Vec<&Value> = defined.iter().filter(is_exact).collect();
                let short = || defined.iter().filter(|f| is_called(**f, name)).collect();
                if exact.is_empty() { short() } else { exact }
            }
        };
        // The linker knows one function by a name, whatever files call their own.
        let is_own = |f: &&Value| f.linkage() == Linkage::LLVMInternalLinkage;
        let by_symbol = defined.iter().find(|f| f.name() == name || f.name() == format!("{name}_"));
        let is_apart =
            |f: &&Value| self.shown[*f] == name && merge::apart(**f, &self.module).is_some();
        let by_symbol = by_symbol.or_else(|| defined.iter().find(is_apart));
        if let Some(&function) = by_symbol
            && !(is_own(&&function) && named.len() > 1)
        {
            return Ok(function);
        }
        match named.as_slice() {
            [one] => Ok(**one),
            [] => {
                let mut names: Vec<String> =
                    self.callable().into_iter().map(|candidate| candidate.function).collect();
                let others = defined.iter().map(|f| self.shown[f].clone());
                let others: Vec<String> = others.filter(|one| !names.contains(one)).collect();
                names.extend(others);
                Err(Fault::User(no_function(name, &names)))
            }
            several => {
                let mut names: Vec<String> =
                    several.iter().map(|f| format!("`{}`", self.shown[*f])).collect();
                names.sort();
                let mut which = "";
                if names.windows(2).any(|pair| pair[0] == pair[1]) {
                    which = "the symbols ";
                    names = several.iter().map(|f| format!("`{}`", f.name())).collect();
                }
                Err(Fault::User(format!(
                    "`{name}` names several functions: give one of {which}{}",
                    names.join(", ")
                )))
            }
        }
    }

    /// The symbols of all definitions of a function that a build has several of, by its name: a
    /// source compiled twice, programs with functions of the same name.
    pub fn definitions(&self, name: &str) -> Vec<String> {
        let Ok(found) = self.find(name) else { return vec![name.to_owned()] };
        let symbol = found.name();
        let is_other = |function: &Value| {
            merge::apart(*function, &self.module).is_some_and(|(first, _)| first == symbol)
        };
        let others = self.defined().into_iter().filter(is_other).map(Value::name);
        std::iter::once(name.to_owned()).chain(others).collect()
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
        let homes = Homes::of(&self.module);
        let variables = state::variables(&self.module);
        for plan in &plans {
            list.push(match &plan.layout {
                Err(why) => Err(Untestable {
                    function: plan.function.clone(),
                    file: plan.value.source_file().unwrap_or_default(),
                    line: plan.value.source_line(),
                    why: why.clone(),
                    goals: self.goals_in(&homes, &reach::from(plan.value)),
                }),
                Ok(layout) => {
                    let function =
                        copy.function(&plan.symbol).expect("a copy has the same functions");
                    let name = entry_name(entry_number);
                    let outputs = entry::write(&copy, &name, function, layout);
                    entry_number += 1;
                    Ok(self.target(
                        plan,
                        layout,
                        (entry_number - 1, outputs),
                        wishes,
                        &mut used,
                        (&homes, &variables),
                    )?)
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
        (entry, outputs): (u32, Vec<crate::target::Output>),
        wishes: &Wishes,
        used: &mut range::Used,
        (homes, variables): (&Homes, &[Variable]),
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
        range::bound_extents(&plan.function, &mut inputs, wishes, &mut assumptions);
        range::narrow(&plan.function, &mut inputs, wishes, used, &mut assumptions)?;
        let lengths = (0..inputs.len())
            .filter(|&at| {
                let begin = format!("`{}` is in ", inputs[at].name);
                assumptions.iter().any(|text| text.starts_with(&begin))
            })
            .collect();
        let reachable = reach::from(plan.value);
        let assumptions = range::together(assumptions);
        let assumptions = assumed(assumptions, layout, variables, &reachable);
        let output_words = outputs.iter().map(|output| output.scalar.words()).sum();
        Ok(Target {
            function: plan.function.clone(),
            symbol: plan.symbol.clone(),
            file: plan.value.source_file().unwrap_or_default(),
            line: plan.value.source_line(),
            entry,
            inputs,
            lengths,
            arrays: arrays(layout, |name| {
                wishes.arrays.iter().any(|w| w.name == name && w.concerns(&plan.function))
            }),
            outputs,
            input_words: word,
            output_words,
            goals: self.goals_in(homes, &reachable),
            edges: self.edges_in(homes, &reachable),
            constants: constants::of(&reachable),
            call: Call::of(plan.value, layout),
            fortran_call: FortranCall::of(plan.value, layout),
            assumptions,
            gaps: self.gaps(&reachable),
        })
    }

    pub(crate) fn plans(&self, names: &[String], wishes: &Wishes) -> Result<Vec<Plan>, Fault> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let values = names.iter().map(|name| self.find(name)).collect::<Result<Vec<_>, _>>()?;
        let mut uses = Uses::of_functions(&self.module, &values)?;
        let mut plans = Vec::new();
        for value in values {
            let function = self.shown[&value].clone();
            let symbol = value.name();
            let length = |array: &str| {
                let mut told = wishes.arrays.iter().rev();
                let told = told.find(|w| w.name == array && w.concerns(&function))?;
                Some(told.value.most(&|name| range::ends(name, &function, wishes)))
            };
            let mut layout =
                lay_out(&self.module, value, &mut |number| uses.of(&symbol, number), &length);
            if let Ok(layout) = &mut layout {
                self.choose_callbacks(&function, layout, wishes)?;
                fill_callbacks(uses.promoted(), &symbol, layout);
                let reached = reach::from(value);
                layout.globals = state::inputs(&self.module, &function, &reached, &wishes.globals)?;
            }
            plans.push(Plan { function, symbol, value, layout });
        }
        Ok(plans)
    }

    /// What the functions are that a target is given.
    fn choose_callbacks(
        &self,
        function: &str,
        layout: &mut Layout,
        wishes: &Wishes,
    ) -> Result<(), Fault> {
        for callback in layout.callbacks_mut() {
            let concerns = |wish: &&Wish<String>| {
                wish.concerns(function) && range::names(&wish.name, &callback.name)
            };
            let Some(wish) = wishes.callbacks.iter().rev().find(concerns) else { continue };
            callback.become_what(match wish.value.as_str() {
                "any" => Manner::Any,
                "pure" => Manner::Pure,
                name => Manner::Function(self.find(name)?.name()),
            });
        }
        Ok(())
    }

    /// The goals of the sites in some functions.
    fn goals_in(&self, homes: &Homes, functions: &BTreeSet<Value>) -> Vec<GoalId> {
        let goals = self.goals.iter();
        goals
            .filter(|goal| functions.contains(&homes.sites[goal.site.0 as usize]))
            .map(|goal| goal.id)
            .collect()
    }

    /// Both sides of every branch in some functions, as the instrumentation numbers them.
    fn edges_in(&self, homes: &Homes, functions: &BTreeSet<Value>) -> Vec<usize> {
        let first = self.goals.len();
        let branches = homes.branches.iter().enumerate();
        branches
            .filter(|(_, function)| functions.contains(function))
            .flat_map(|(i, _)| [first + 2 * i, first + 2 * i + 1])
            .collect()
    }

    /// What in reachable code cannot be looked into.
    fn gaps(&self, functions: &BTreeSet<Value>) -> Vec<Gap> {
        let mut gaps = Vec::new();
        for reached in functions {
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
}

/// The arrays that parameters lead to, of which nobody told the length.
fn arrays(layout: &Layout, is_told: impl Fn(&str) -> bool) -> Vec<Array> {
    let parameters = layout.arguments.iter().enumerate();
    parameters
        .filter_map(|(parameter, argument)| {
            let Argument::Address(number) = argument else { return None };
            let object = &layout.objects[*number];
            let plain = object.pointers.is_empty() && object.callbacks.is_empty();
            let (name, elements) = (object.name.clone(), object.elements);
            let known = object.is_array && plain && elements > 0 && !is_told(&name);
            let element = object.size / elements.max(1);
            (known && element > 0).then_some(Array { name, parameter, element, elements })
        })
        .collect()
}

/// All that is assumed of a target's inputs: `told` of its parameters, then pointers that lead
/// nowhere, and variables of the program.
fn assumed(
    told: Vec<String>,
    layout: &Layout,
    variables: &[Variable],
    reachable: &BTreeSet<Value>,
) -> Vec<Assumption> {
    let made = |options| move |text| Assumption { text, options };
    let mut list: Vec<Assumption> =
        told.into_iter().map(made("--input and --array change that")).collect();
    let objects = layout.objects.iter().flat_map(Object::all);
    // What the standard library has of its own is nobody's business.
    let nulls = objects.flat_map(|object| object.nulls.clone());
    let nulls: Vec<String> = nulls.filter(|name| !name.contains("_M_")).collect();
    if let Some(first) = nulls.first() {
        let text = match nulls.len() {
            1 => format!("`{first}` is a null pointer"),
            2 => format!("`{first}` and `{}` are null pointers", nulls[1]),
            more => format!("`{first}` and {} other members are null pointers", more - 1),
        };
        list.push(made("a function of your own that makes the argument changes that")(text));
    }
    let foreign = foreign_exceptions::assumption(reachable);
    list.extend(foreign.map(made("sources that define it change that")));
    let state = state::assumption(variables, reachable, &layout.globals);
    list.extend(state.map(made("--global changes that")));
    list
}

/// Has stand-ins write to the arrays that a target hands them.
fn fill_callbacks(promoted: &Module, symbol: &str, layout: &mut Layout) {
    let Some(target) = promoted.function(symbol) else { return };
    let known = layout.clone();
    if layout.callbacks_mut().is_empty() {
        return;
    }
    let handed = Handed::of(promoted, target, &known);
    for callback in layout.callbacks_mut() {
        let same = callback.clone();
        callback.fill(&|parameter| handed.bytes(&same, parameter));
    }
}

/// What the functions of a module are called in reports: by their names in the source, with
/// their files' where several files have functions of their own by that name.
fn shown(module: &Module) -> BTreeMap<Value, String> {
    let defined = module.functions().into_iter().filter(|f| !f.is_declaration());
    let mut named: BTreeMap<String, Vec<(Value, String)>> = BTreeMap::new();
    for function in defined {
        let name = function.source_name().unwrap_or_else(|| function.name());
        named.entry(name).or_default().push((function, function.source_file().unwrap_or_default()));
    }
    let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let mut shown = BTreeMap::new();
    for (name, functions) in named {
        for (function, file) in &functions {
            let is_own = function.linkage() == Linkage::LLVMInternalLinkage;
            let mut others = functions.iter().filter(|(_, other)| other != file).peekable();
            let full = if let Some((_, suffix)) = merge::apart(*function, module) {
                format!("{suffix}:{name}")
            } else if !is_own || others.peek().is_none() || file.is_empty() {
                name.clone()
            } else if others.any(|(_, other)| last(other) == last(file)) {
                format!("{file}:{name}")
            } else {
                format!("{}:{name}", last(file))
            };
            shown.insert(*function, full);
        }
    }
    shown
}

/// Whether the source has a function by that name: scopes before it and arguments of a template
/// behind it may be left out.
fn is_called(function: Value, name: &str) -> bool {
    function.source_name().is_some_and(|full| is_short_for(name, &full))
}

/// Whether a function by a name is defined in a file, given by the end of its path.
fn is_in(function: Value, file: &str, name: &str) -> bool {
    let path = function.source_file().unwrap_or_default();
    let fits = path.strip_suffix(file).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    fits && (is_called(function, name) || function.name() == name)
}

/// File and function, of `a.c:f`. (Two colons are C++'s.)
fn split_file(name: &str) -> Option<(&str, &str)> {
    let (file, function) = name.rsplit_once(':')?;
    (!file.is_empty() && !file.ends_with(':')).then_some((file, function))
}

/// A function on its way to being a target.
pub(crate) struct Plan {
    function: String,
    pub symbol: String,
    pub value: Value,
    pub layout: Result<Layout, String>,
}

/// The symbol of a target's entry.
pub(crate) fn entry_name(number: u32) -> String {
    format!("nanoscope_run_{number}")
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

/// Something an analysis does not see through.
fn gap(instruction: Value, bitcode: &Bitcode) -> Option<String> {
    if !matches!(
        instruction.opcode(),
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
    ) {
        return None;
    }
    if instruction.calls_assembly() {
        return (!is_barrier(instruction)).then(|| "inline assembly".into());
    }
    let callee = instruction.callee()?;
    let name = callee.name();
    if !callee.is_declaration() || callee.is_intrinsic() {
        return None;
    }
    if !crate::code::symbols::is_there(&name, bitcode) {
        let name = cxx::demangled(&name);
        return Some(format!("calls `{name}`, which is nowhere to be found: a run ends there"));
    }
    let takes_floats = matches!(callee.result_type().kind(), TypeKind::Float(_))
        || callee
            .parameters()
            .iter()
            .any(|p| matches!(p.ty().kind(), TypeKind::Float(_) | TypeKind::Pointer));
    let known =
        libm::watched().contains(&name) || libm::never_raises(&name) || cxx::is_followed(&name);
    let known = known || cxx::is_self_contained(&name);
    let name = cxx::demangled(&name);
    (!known && takes_floats).then(|| format!("calls `{name}`, whose code is not among the sources"))
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
