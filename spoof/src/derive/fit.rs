//! Whether a prototype fits the function that was compiled.

use super::{Declaration, Type};
use crate::prototype::{Kind, Language, Parameter, Passing, Prototype};

/// What is wrong with a prototype, if the function was compiled otherwise.
pub fn misfit(prototype: &Prototype, declared: &Declaration) -> Option<String> {
    let is_character = |parameter: &&Parameter| parameter.kind == Kind::Character;
    let characters = prototype.parameters.iter().filter(is_character).count();
    // The numbers of one structure are one parameter.
    let is_shared = |p: &&Parameter| p.inside.as_ref().is_some_and(|inside| inside.shared);
    let described = |parameter: &&Parameter| {
        !(is_shared(parameter) || declared.omits_characters && is_character(parameter))
    };
    let said: Vec<&Parameter> = prototype.parameters.iter().filter(described).collect();
    let compiled = declared.parameters.len();
    // The lengths of characters follow, where the source is not Fortran.
    let lengths = match prototype.language {
        Language::C => 0,
        Language::Fortran => characters,
    };
    if compiled < said.len() || compiled > said.len() + lengths {
        let names: Vec<&str> = declared.parameters.iter().map(|(name, _)| name.as_str()).collect();
        let said = said.len();
        let plural = if said == 1 { "" } else { "s" };
        return Some(format!(
            "the prototype has {said} parameter{plural}, the function has {compiled} ({})",
            names.join(", ")
        ));
    }
    for (parameter, (_, compiled)) in said.into_iter().zip(&declared.parameters) {
        let by_value = parameter.passing != Passing::Reference;
        let what = match prototype.language {
            Language::C => clash(parameter, by_value, compiled),
            Language::Fortran => fortran_clash(parameter, compiled),
        };
        if let Some(what) = what {
            let (name, said) = (&parameter.name, said_of(parameter, by_value));
            return Some(format!("{name} is {said} in the prototype and {what} in the function"));
        }
    }
    None
}

fn said_of(parameter: &Parameter, by_value: bool) -> String {
    let what = match parameter.kind {
        Kind::Character => "a character".to_string(),
        Kind::Integer => "an integer".to_string(),
        Kind::Real => format!("a number of {} bits", parameter.bits),
        Kind::Complex => format!("a complex number of {} bits a part", parameter.bits),
    };
    if by_value { what } else { format!("the address of {what}") }
}

/// The same for Fortran, where everything is passed by reference and the debugging information need
/// not say so.
fn fortran_clash(parameter: &Parameter, compiled: &Type) -> Option<String> {
    let float = parameter.kind.is_float();
    match compiled {
        Type::Real(bits) | Type::Complex(bits) if !float || *bits != parameter.bits => {
            Some(format!("of numbers of {bits} bits"))
        }
        Type::Integer(bits) | Type::Boolean(bits) if float => {
            Some(format!("of integers of {bits} bits"))
        }
        Type::Pointer { to, .. } | Type::Array(to, _) => fortran_clash(parameter, to),
        Type::Void
        | Type::Real(_)
        | Type::Complex(_)
        | Type::Integer(_)
        | Type::Boolean(_)
        | Type::Structure(_)
        | Type::Described(_)
        | Type::Other => None,
    }
}

/// What a parameter is in the function, if it cannot be what the prototype says.
fn clash(parameter: &Parameter, by_value: bool, compiled: &Type) -> Option<String> {
    let float = parameter.kind.is_float();
    let other = |bits: u32| !float || bits != parameter.bits;
    match compiled {
        Type::Real(bits) if !by_value || other(*bits) => Some(format!("a number of {bits} bits")),
        Type::Integer(bits) | Type::Boolean(bits) if !by_value || float => {
            Some(format!("an integer of {bits} bits"))
        }
        Type::Pointer { .. } if by_value && parameter.kind != Kind::Integer => {
            Some("an address".to_string())
        }
        Type::Pointer { to, .. } if !by_value => {
            let bits = to.floats().filter(|bits| other(*bits))?;
            Some(format!("the address of numbers of {bits} bits"))
        }
        Type::Structure(_) | Type::Array(..) => {
            let bits = compiled.floats().filter(|bits| !by_value || other(*bits))?;
            Some(format!("a structure of numbers of {bits} bits"))
        }
        Type::Void
        | Type::Real(_)
        | Type::Complex(_)
        | Type::Integer(_)
        | Type::Boolean(_)
        | Type::Pointer { .. }
        | Type::Described(_)
        | Type::Other => None,
    }
}
