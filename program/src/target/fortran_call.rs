//! How Fortran calls a target: what a test of it must declare.

use crate::llvm::{Linkage, Value};
use crate::target::declared::Leaf;
use crate::target::fortran::derived_symbol;
use crate::target::layout::{Argument, Layout};
use crate::target::object::Object;
use crate::target::scalar::Scalar;

/// A procedure as Fortran declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FortranCall {
    /// Its name.
    pub name: String,
    /// The module that it is in.
    pub module: Option<String>,
    /// Its arguments, in order.
    pub arguments: Vec<FortranArgument>,
    /// Derived types that its arguments have, with their modules.
    pub types: Vec<(String, String)>,
}

/// An argument of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FortranArgument {
    /// Its name.
    pub name: String,
    /// Its type: `real(8)`, `type(point)`.
    pub type_name: String,
    /// The extents of an array: those of its descriptor, otherwise all elements in one.
    pub extents: Vec<u64>,
}

impl FortranCall {
    /// Of a procedure of Fortran that other files can call, with arguments that can be declared.
    pub(crate) fn of(function: Value, layout: &Layout) -> Option<FortranCall> {
        let (module, name) = place(&function.name())?;
        if function.linkage() == Linkage::LLVMInternalLinkage {
            return None;
        }
        let (mut arguments, mut types) = (Vec::new(), Vec::new());
        for (at, argument) in layout.arguments.iter().enumerate() {
            // By value, optional, or the result in memory: of another kind of interface.
            let Argument::Address(object) = argument else { return None };
            let object = &layout.objects[*object];
            if object.name == "return" {
                return None;
            }
            let derived = derived_symbol(*function.parameters().get(at)?);
            if let Some(symbol) = &derived {
                let (module, _) = symbol.strip_prefix("_QM")?.split_once('T')?;
                types.push((module.to_owned(), derived_type_name(symbol)?));
            }
            arguments.push(declared(object, derived)?);
        }
        types.sort();
        types.dedup();
        Some(FortranCall { name, module, arguments, types })
    }
}

/// The module and the name of a procedure, by its symbol: `_QMgeometryPlength`, `norm2_`.
fn place(symbol: &str) -> Option<(Option<String>, String)> {
    if let Some(rest) = symbol.strip_prefix("_QM") {
        let (module, name) = rest.split_once('P')?;
        let is_plain = |word: &str| word.chars().all(|c| !c.is_ascii_uppercase());
        return (is_plain(module) && is_plain(name)).then(|| (Some(module.into()), name.into()));
    }
    let name = symbol.strip_suffix('_')?;
    (!name.starts_with('_') && !name.is_empty()).then(|| (None, name.to_owned()))
}

fn derived_type_name(symbol: &str) -> Option<String> {
    symbol.rsplit_once('T').map(|(_, name)| name.to_owned())
}

fn declared(object: &Object, derived: Option<String>) -> Option<FortranArgument> {
    let name = object.name.clone();
    let content = match object.shape.is_empty() {
        true => object,
        false => &object.pointers.first()?.1,
    };
    // Allocatable arrays, pointers and objects of a class need more than a declaration.
    let is_odd = content.on_heap
        || object.fixed.contains(&(22, 8, 1))
        || object.shape.is_empty() && !object.fixed.is_empty()
        || object.shape.is_empty() && !object.pointers.is_empty();
    if is_odd {
        return None;
    }
    let type_name = match derived {
        Some(symbol) => format!("type({})", derived_type_name(&symbol)?),
        None => written(content.leaves.first()?)?,
    };
    let is_element = |leaf: &Leaf| leaf.name.starts_with(&format!("{name}("));
    let extents = match content.leaves.iter().any(is_element) {
        false => Vec::new(),
        true if object.shape.is_empty() => vec![object.elements],
        true => object.shape.clone(),
    };
    Some(FortranArgument { name, type_name, extents })
}

/// The type of a scalar, with its kind.
fn written(leaf: &Leaf) -> Option<String> {
    let bytes = leaf.scalar.bits().div_ceil(8);
    match (leaf.type_name.as_str(), leaf.scalar) {
        ("complex", Scalar::Float(_)) => Some(format!("complex({bytes})")),
        (_, Scalar::Float(_)) => Some(format!("real({bytes})")),
        ("integer", Scalar::Integer { .. }) => Some(format!("integer({bytes})")),
        // A bit is read of a logical; which kind it is of, is not told: the default.
        ("logical", Scalar::Integer { .. }) => Some("logical".to_owned()),
        (_, Scalar::Integer { .. }) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn symbols_tell_module_and_name() {
        let in_module = |module: &str, name: &str| Some((Some(module.into()), name.into()));
        for (symbol, told) in [
            ("_QMgeometryPlength", in_module("geometry", "length")),
            ("norm2_", Some((None, "norm2".into()))),
            ("_QMaFouterPinner", None),
            ("_QFmainPinner", None),
            ("norm2", None),
        ] {
            assert_eq!(place(symbol), told, "{symbol}");
        }
    }
}
