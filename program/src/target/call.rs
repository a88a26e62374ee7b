//! How C calls a target: what a test of it must declare and allocate.

use crate::llvm::{DebugType, Linkage, Value, parameter, signature};
use crate::target::layout::{Argument, Layout};
use crate::target::object::Object;

/// A function as C declares it, and the memory that its parameters need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Whether only its own file can call it.
    pub is_static: bool,
    /// The type of its result.
    pub returns: String,
    /// Names and types of its parameters.
    pub parameters: Vec<(String, String)>,
    /// What pointers point to, outer ones first: the pointer as C writes it, and how many
    /// bytes.
    pub memory: Vec<(String, u64)>,
}

impl Call {
    /// Of a function with declared types that can be written in C.
    pub(crate) fn of(function: Value, layout: &Layout) -> Option<Call> {
        // What has descriptors and components of Fortran's, C cannot declare.
        let is_odd = |object: &Object| !object.fixed.is_empty() || !object.shape.is_empty();
        let is_derived = |object: &Object| object.leaves.iter().any(|l| l.name.contains('%'));
        if layout.objects.iter().any(|object| is_odd(object) || is_derived(object)) {
            return None;
        }
        let declared = signature(function);
        let (result, taken) = declared.split_first()?;
        let mut parameters = Vec::new();
        for (at, ty) in taken.iter().enumerate() {
            let (name, _) = parameter(function, at as u32 + 1)?;
            let is_word =
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            parameters.push((name, written((*ty)?)?));
            if !is_word {
                return None;
            }
        }
        let mut memory = Vec::new();
        for argument in &layout.arguments {
            match argument {
                // Structures passed by value are objects too, but no pointer's.
                Argument::Address(object) | Argument::Optional(_, object) => {
                    let object = &layout.objects[*object];
                    let by_pointer = parameters
                        .iter()
                        .any(|(name, ty)| *name == object.name && ty.ends_with('*'));
                    gather(object, by_pointer, &mut memory);
                }
                Argument::Piece(object, 0) => gather(&layout.objects[*object], false, &mut memory),
                Argument::Piece(..) | Argument::Scalar(_) | Argument::Callback(_) => {}
            }
        }
        Some(Call {
            is_static: function.linkage() == Linkage::LLVMInternalLinkage,
            returns: match result {
                Some(ty) => written(*ty)?,
                None => "void".into(),
            },
            parameters,
            memory,
        })
    }
}

fn gather(object: &Object, is_pointed_to: bool, memory: &mut Vec<(String, u64)>) {
    if is_pointed_to {
        memory.push((object.name.clone(), object.size.max(1)));
    }
    for (_, behind) in &object.pointers {
        gather(behind, true, memory);
    }
}

/// A type as C writes it before a name.
fn written(ty: DebugType) -> Option<String> {
    use crate::target::declared::tag;
    let named = |word: &str| {
        let name = ty.name();
        (!name.is_empty()).then(|| format!("{word}{name}"))
    };
    let base = || ty.base().map_or(Some("void".into()), written);
    match ty.tag() {
        tag::BASE | tag::TYPEDEF => named(""),
        tag::STRUCTURE => named("struct "),
        tag::UNION => named("union "),
        tag::ENUMERATION => named("enum "),
        tag::POINTER => Some(format!("{} *", base()?)),
        tag::CONST => Some(format!("{} const", base()?)),
        tag::VOLATILE => Some(format!("{} volatile", base()?)),
        tag::RESTRICT | tag::ATOMIC => base(),
        // Classes, references, arrays and functions: not in a parameter of C.
        _ => None,
    }
}
