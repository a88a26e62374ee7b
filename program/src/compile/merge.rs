//! The units of a build with several programs, in one module.
//!
//! A linker takes each symbol once; a build has a `main` for each of its programs, and may
//! compile a source several times. Here every definition stays: where several units define a
//! symbol, all but the first are renamed, and units that belong to the same program or library
//! as one of them follow it.

use crate::Fault;
use crate::code::cxx;
use crate::llvm::{Linkage, Module, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// So many of the sources that define a symbol are named.
const NAMED: usize = 3;

/// A compiled source.
pub(crate) struct Part {
    /// Its bitcode.
    pub path: PathBuf,
    /// The source, as messages name it.
    pub source: String,
    /// What it belongs to (CMake's target), where that is known.
    pub group: Option<String>,
}

impl Part {
    /// The source, with what it belongs to.
    fn told(&self) -> String {
        match &self.group {
            Some(group) => format!("`{}` ({group})", self.source),
            None => format!("`{}`", self.source),
        }
    }
}

/// The symbol of the first definition, and what tells another one apart, where a function is another
/// definition of a symbol.
pub(crate) fn apart(function: Value, module: &Module) -> Option<(String, String)> {
    let name = function.name();
    let (symbol, suffix) = name.split_once('.')?;
    let first = module.function(symbol).filter(|first| !first.is_declaration())?;
    (function.linkage() == Linkage::LLVMExternalLinkage && first != function)
        .then(|| (symbol.to_owned(), suffix.to_owned()))
}

/// Merges the units into `made`. What was renamed, as sentences.
pub(crate) fn merge(parts: &[Part], made: &Path) -> Result<Vec<String>, Fault> {
    let Some(first) = parts.first() else {
        return Err(Fault::Internal("nothing to merge".to_owned()));
    };
    let whole = Module::read(&first.path)?;
    let mut modules = Vec::new();
    for part in &parts[1..] {
        modules.push(whole.read_beside(&part.path)?);
    }
    let mut definers: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let at = |unit: usize| if unit == 0 { &whole } else { &modules[unit - 1] };
    for unit in 0..parts.len() {
        for symbol in symbols(at(unit)).into_iter().filter(|s| is_strong(*s)) {
            definers.entry(symbol.name()).or_default().push(unit);
        }
    }
    let mut notes = Vec::new();
    for (symbol, units) in definers.iter().filter(|(_, units)| units.len() > 1) {
        let sources: Vec<String> = units.iter().map(|unit| parts[*unit].told()).collect();
        let (named, others) = sources.split_at(sources.len().min(NAMED));
        let others = match others.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        notes.push(format!(
            "`{}` is defined in {}{others}: each is looked at",
            cxx::demangled(symbol),
            named.join(", ")
        ));
        for (number, &unit) in units.iter().enumerate().skip(1) {
            let others = units[..number].iter().map(|other| &parts[*other].group);
            let own = parts[unit]
                .group
                .as_ref()
                .filter(|own| !others.clone().any(|it| it.as_ref() == Some(own)));
            let other = match own {
                Some(group) => format!("{symbol}.{group}"),
                None => format!("{symbol}.{}", number + 1),
            };
            let follows = |mate: usize| {
                mate == unit
                    || parts[mate].group.is_some()
                        && parts[mate].group == parts[unit].group
                        && !units.contains(&mate)
            };
            for mate in (0..parts.len()).filter(|mate| follows(*mate)) {
                if let Some(value) = symbols(at(mate)).into_iter().find(|s| s.name() == *symbol) {
                    value.rename(&other);
                }
            }
        }
    }
    for (module, part) in modules.into_iter().zip(&parts[1..]) {
        whole
            .link(module)
            .map_err(|said| Fault::User(format!("`{}` does not link: {said}", part.source)))?;
    }
    whole.write(made)?;
    Ok(notes)
}

fn symbols(module: &Module) -> Vec<Value> {
    let mut list = module.functions();
    list.extend(module.globals());
    list.retain(|symbol| !symbol.name().starts_with("llvm."));
    list
}

/// Whether a linker takes it for the definition.
fn is_strong(symbol: Value) -> bool {
    !symbol.is_declaration() && symbol.linkage() == Linkage::LLVMExternalLinkage
}
