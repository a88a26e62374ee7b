//! The program's own variables: global ones, those that a function keeps (`static`, SAVE), and
//! the members of Fortran's COMMON blocks. They may be inputs; what is not one has the value that
//! the program starts with, which is an assumption where code reads it.

use crate::Fault;
use crate::code::written_globals::may_be_written;
use crate::llvm::{
    CommonMember, DebugType, Linkage, Module, Opcode, TypeKind, Value, common_members, global_name,
    object_type,
};
use crate::nearest::nearest;
use crate::target::Wish;
use crate::target::declared::Leaf;
use crate::target::layout::{leaves_of, leaves_of_fortran};
use crate::target::range;
use crate::target::scalar::Scalar;
use std::collections::BTreeSet;

/// How many variables an assumption names.
const NAMED: usize = 6;

/// A variable of the program.
pub(crate) struct Variable {
    /// Its name in the source.
    name: String,
    /// The name with that of its COMMON block: `block.name`.
    full_name: String,
    global: Value,
    /// Its scalars, by their offsets in the global.
    leaves: Vec<Leaf>,
}

/// All variables of a module that may change, in order.
pub(crate) fn variables(module: &Module) -> Vec<Variable> {
    let mut list: Vec<Variable> = module.globals().into_iter().filter_map(whole).collect();
    let mut seen = BTreeSet::new();
    for function in module.functions() {
        for member in common_members(function) {
            let key = (member.global, member.offset, member.name.clone());
            if is_variable(member.global) && seen.insert(key) {
                list.extend(part(&member));
            }
        }
    }
    list
}

/// Whether a global is defined here and may change.
fn is_variable(global: Value) -> bool {
    !global.is_declaration() && !global.is_constant_global() && !global.name().starts_with("llvm.")
}

/// A global as one variable.
fn whole(global: Value) -> Option<Variable> {
    if !is_variable(global) {
        return None;
    }
    let symbol = global.name();
    let declared = object_type(global);
    let leaves = match declared {
        Some(ty) => leaves_below(ty, global.name().starts_with("_Q"))?,
        None => vec![undeclared(global)?],
    };
    let name = declared.and_then(|_| global_name(global)).unwrap_or_else(|| symbol.clone());
    Some(Variable { full_name: name.clone(), name, global, leaves })
}

/// A member of a COMMON block.
fn part(member: &CommonMember) -> Option<Variable> {
    let mut leaves = leaves_below(member.ty?, true)?;
    leaves.iter_mut().for_each(|leaf| leaf.offset += member.offset);
    let block = member.global.name();
    let full_name = format!("{}.{}", block.trim_end_matches('_'), member.name);
    Some(Variable { name: member.name.clone(), full_name, global: member.global, leaves })
}

/// The scalars of a declared type, their names the ways to them.
fn leaves_below(ty: DebugType, is_fortran: bool) -> Option<Vec<Leaf>> {
    if is_fortran { leaves_of_fortran(ty) } else { leaves_of(ty) }
}

/// The scalar that a global without a declared type is.
fn undeclared(global: Value) -> Option<Leaf> {
    let ty = global.value_type();
    let scalar = match ty.kind() {
        TypeKind::Float(format) => Scalar::Float(format),
        TypeKind::Integer(bits @ 1..=128) => Scalar::Integer { bits, signed: true },
        _ => return None,
    };
    Some(Leaf::input("", &ty.text(), scalar))
}

/// The scalars that `--global` makes inputs of a target, with the symbols they lie in. `reached`
/// is the code that the target can come to.
pub(crate) fn inputs(
    module: &Module,
    function: &str,
    reached: &BTreeSet<Value>,
    wishes: &[Wish<()>],
) -> Result<Vec<(String, Leaf)>, Fault> {
    let wishes: Vec<&Wish<()>> = wishes.iter().filter(|wish| wish.concerns(function)).collect();
    if wishes.is_empty() {
        return Ok(Vec::new());
    }
    let variables = variables(module);
    let mut list = Vec::new();
    for wish in wishes {
        let fault = |why: String| Fault::User(format!("--global {}: {why}", wish.name));
        let means = |variable: &&Variable| {
            [&variable.name, &variable.full_name, &variable.global.name()]
                .into_iter()
                .any(|name| variable.leaves.iter().any(|leaf| is_meant(&wish.name, name, leaf)))
        };
        let mut meant: Vec<&Variable> = variables.iter().filter(means).collect();
        if meant.len() > 1 {
            let used: Vec<&Variable> =
                meant.iter().filter(|it| is_used(it.global, reached)).copied().collect();
            meant = if used.is_empty() { meant } else { used };
        }
        let places: BTreeSet<(Value, u64)> =
            meant.iter().map(|it| (it.global, it.leaves[0].offset)).collect();
        if places.len() > 1 {
            let names: Vec<String> =
                meant.iter().map(|it| format!("`{}`", it.distinct_name())).collect();
            let names = names.join(", ");
            return Err(fault(format!("several variables have this name: give one of {names}")));
        }
        let Some(variable) = meant.first() else {
            let names = variables.iter().map(|variable| variable.name.as_str());
            return Err(fault(match nearest(&wish.name, names) {
                Some(near) => format!("no such variable; did you mean `{near}`?"),
                None => match module.global(&wish.name).is_some_and(is_variable) {
                    true => "only numbers can be inputs".to_owned(),
                    false => "the program has no such variable".to_owned(),
                },
            }));
        };
        list.extend(variable.inputs(&wish.name));
    }
    Ok(list)
}

impl Variable {
    /// A name that no other variable has.
    fn distinct_name(&self) -> String {
        if self.full_name == self.name { self.global.name() } else { self.full_name.clone() }
    }

    /// Its scalars that a wish means, named as the wish does.
    fn inputs(&self, wish: &str) -> Vec<(String, Leaf)> {
        let symbol = self.global.name();
        let mut list = Vec::new();
        for leaf in &self.leaves {
            let names = [&self.name, &self.full_name, &symbol];
            let Some(name) = names.into_iter().find(|name| is_meant(wish, name, leaf)) else {
                continue;
            };
            let name = format!("{name}{}", leaf.name);
            list.push((symbol.clone(), Leaf { name, is_input: true, ..leaf.clone() }));
        }
        list
    }
}

/// Whether a wish is about a leaf of a variable.
fn is_meant(wish: &str, variable: &str, leaf: &Leaf) -> bool {
    wish.starts_with(variable) && range::names(wish, &format!("{variable}{}", leaf.name))
}

/// What is assumed of the variables that are no inputs, where reached code reads them.
pub(crate) fn assumption(
    variables: &[Variable],
    reached: &BTreeSet<Value>,
    inputs: &[(String, Leaf)],
) -> Option<String> {
    let is_assumed = |variable: &Variable| {
        let symbol = variable.global.name();
        let is_open = |leaf: &Leaf| {
            !inputs.iter().any(|(known, input)| *known == symbol && input.offset == leaf.offset)
        };
        // What only this file knows and nobody writes is a constant.
        let may_change = || {
            variable.global.linkage() != Linkage::LLVMInternalLinkage
                || may_be_written(variable.global)
        };
        variable.leaves.iter().any(is_open) && is_read(variable, reached) && may_change()
    };
    let symbols: BTreeSet<String> = variables.iter().map(|it| it.global.name()).collect();
    let is_guard = |symbol: &str| symbol.starts_with(GUARD);
    let sets_itself = |variable: &Variable| {
        let symbol = variable.global.name();
        let guard = symbol.strip_prefix("_Z").map(|rest| format!("{GUARD}{rest}"));
        is_guard(&symbol)
            || guard.is_some_and(|guard| symbols.contains(&guard)) && is_set_once(variable.global)
    };
    let mut names: Vec<String> = Vec::new();
    for variable in variables.iter().filter(|it| !sets_itself(it) && is_assumed(it)) {
        let name = format!("`{}`", variable.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let verb =
        if names.len() == 1 { "has the value it starts" } else { "have the values they start" };
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("{}{more} {verb} with", names.join(", ")))
}

/// What the symbols begin with of variables that say whether a local `static` of C++ is initialised.
const GUARD: &str = "_ZGV";

/// Whether a global is only read, but for one store.
fn is_set_once(global: Value) -> bool {
    let mut stores = 0;
    uses(global).into_iter().all(|(user, pointer)| match user.opcode() {
        Some(Opcode::LLVMLoad) => true,
        Some(Opcode::LLVMStore) if user.operand(0) != pointer.value => {
            stores += 1;
            stores == 1
        }
        _ => user.callee().is_some_and(|callee| callee.name().starts_with("llvm.invariant.")),
    })
}

/// Whether code mentions a global.
fn is_used(global: Value, code: &BTreeSet<Value>) -> bool {
    uses(global).iter().any(|(user, _)| code.contains(&user.block().function()))
}

/// Whether code may read a variable: a load of its bytes, or any use that is not followed.
fn is_read(variable: &Variable, code: &BTreeSet<Value>) -> bool {
    let bytes = |leaf: &Leaf| leaf.offset..leaf.offset + u64::from(leaf.scalar.bits()).div_ceil(8);
    uses(variable.global).iter().filter(|(user, _)| code.contains(&user.block().function())).any(
        |(user, pointer)| match (user.opcode(), pointer.offset) {
            (Some(Opcode::LLVMStore), _) => user.operand(0) == pointer.value,
            (Some(Opcode::LLVMLoad), Some(at)) => {
                let end = at + user.ty().byte_size().max(1);
                variable.leaves.iter().map(bytes).any(|own| own.start < end && at < own.end)
            }
            _ => true,
        },
    )
}

/// A pointer into a global, and how far, where that is a constant.
#[derive(Clone, Copy)]
struct Pointer {
    value: Value,
    offset: Option<u64>,
}

/// The instructions that use a pointer into a global, through constant and other offsets.
fn uses(global: Value) -> Vec<(Value, Pointer)> {
    let mut list = Vec::new();
    let mut open = vec![Pointer { value: global, offset: Some(0) }];
    let mut seen = BTreeSet::from([global]);
    while let Some(pointer) = open.pop() {
        for user in pointer.value.users() {
            let is_step = user.opcode() == Some(Opcode::LLVMGetElementPtr)
                || user.opcode().is_none() && user.is_constant_expression();
            if !is_step {
                if user.opcode().is_some() {
                    list.push((user, pointer));
                }
                continue;
            }
            if seen.insert(user) {
                let step = user.constant_offset();
                let offset = pointer.offset.zip(step).map(|(at, step)| at + step);
                open.push(Pointer { value: user, offset });
            }
        }
    }
    list
}
