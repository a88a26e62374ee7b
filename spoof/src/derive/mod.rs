//! Prototypes that nobody wrote: from what a C header or a binary's debugging information declares.
//!
//! A declaration has types and no lengths. What a pointer points to is *observed*: the elements that a
//! call reads come in, those that it writes go out. So are the numbers inside of structures, and those that
//! addresses inside of structures lead to.

mod channel;
mod debug;
mod fit;
mod header;
mod types;

pub(crate) use channel::{Channel, channel_by_name};
pub use debug::declarations as from_debug_information;
pub(crate) use debug::declarations_at;
pub(crate) use fit::misfit;
pub use header::declarations as from_header;
pub use types::{Field, Leaf, Record, Type};

use crate::prototype::{
    Dimension, Expression, Inside, Intent, Kind, Language, Parameter, Passing, Prototype, Scalar,
    Shape,
};
use channel::Said;

/// A function as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// What people call it.
    pub name: String,
    /// Its name in the binary.
    pub symbol: String,
    /// Its parameters' names and types.
    pub parameters: Vec<(String, Type)>,
    /// What it returns.
    pub result: Type,
    /// Whether it takes more than it says.
    pub variadic: bool,
    /// Whether everything is passed by reference, as in Fortran.
    pub by_reference: bool,
    /// Whether parameters that are characters may be missing here.
    pub omits_characters: bool,
}

/// The prototype of a declared function, or why there is none.
pub fn prototype(declared: &Declaration) -> Result<Prototype, &'static str> {
    if declared.variadic {
        return Err("it takes a variable number of arguments");
    }
    if declared.omits_characters {
        return Err("flang's debugging information leaves its characters out");
    }
    let mut prototype = Prototype {
        name: declared.name.clone(),
        symbol: declared.symbol.clone(),
        address: None,
        language: if declared.by_reference { Language::Fortran } else { Language::C },
        line: 0,
        parameters: Vec::new(),
        result: None,
        fields: Vec::new(),
        returned: None,
        require: Vec::new(),
        documented: Vec::new(),
        reports: Vec::new(),
        error_routines: Vec::new(),
    };
    let mut said = Vec::new();
    for (number, (name, passed)) in declared.parameters.iter().enumerate() {
        let name = if name.is_empty() { format!("argument{}", number + 1) } else { name.clone() };
        for (parameter, truth) in parameters(name, passed, declared.by_reference)? {
            said.push(Said { parameter: parameter.clone(), truth });
            prototype.parameters.push(parameter);
        }
    }
    match &declared.result {
        Type::Structure(record) if declared.result.floats().is_none() => {
            prototype.returned = Some(record.returned());
            for (field, truth) in fields(record)? {
                said.push(Said { parameter: field.clone(), truth });
                prototype.fields.push(field);
            }
        }
        Type::Pointer { .. } => return Err("it returns an address"),
        returned => {
            prototype.result = result(returned)?;
            let truth = matches!(returned, Type::Boolean(_));
            let plain = prototype.result.iter().cloned();
            said.extend(plain.map(|parameter| Said { parameter, truth }));
        }
    }
    let is_output = |p: &Parameter| p.kind.is_float() && p.intent.is_output();
    if !prototype.parameters.iter().chain(prototype.results()).any(is_output) {
        return Err("no floating-point number comes back from it");
    }
    if !prototype.parameters.iter().any(|p| p.kind.is_float()) {
        return Err("it takes no floating-point number");
    }
    prototype.reports = channel::reports(&said);
    Ok(prototype)
}

fn plain(name: String, kind: Kind, bits: u32, intent: Intent, passing: Passing) -> Parameter {
    Parameter {
        name,
        kind,
        bits,
        default_size: false,
        intent,
        passing,
        shape: None,
        out_shape: None,
        observed: false,
        inside: None,
    }
}

/// The kind and the bits of a scalar, and whether it is a truth value.
fn scalar(of: &Type) -> Option<(Kind, u32, bool)> {
    match of {
        Type::Integer(bits) => Some((Kind::Integer, *bits, false)),
        Type::Boolean(bits) => Some((Kind::Integer, *bits, true)),
        Type::Real(bits) => Some((Kind::Real, *bits, false)),
        Type::Complex(bits) => Some((Kind::Complex, *bits, false)),
        Type::Void
        | Type::Pointer { .. }
        | Type::Array(..)
        | Type::Structure(_)
        | Type::Described(_)
        | Type::Other => None,
    }
}

fn result(returned: &Type) -> Result<Option<Parameter>, &'static str> {
    if matches!(returned, Type::Void) {
        return Ok(None);
    }
    let name = "return".to_string();
    if let Some((kind, bits, _)) = scalar(returned) {
        return Ok(Some(plain(name, kind, bits, Intent::Return, Passing::Value)));
    }
    let bits = returned.floats().ok_or("it returns a value of a type that is not known here")?;
    let shape = Some(elements(returned.count()));
    let result = plain(name, Kind::Real, bits, Intent::Return, Passing::Value);
    Ok(Some(Parameter { shape, ..result }))
}

/// The numbers of a structure that is returned, and which of them are truth values.
fn fields(record: &Record) -> Result<Vec<(Parameter, bool)>, &'static str> {
    let mut fields = Vec::new();
    for leaf in record.leaves() {
        if leaf.path.len() > 1 {
            return Err("it returns a structure with an address in it");
        }
        let Some((kind, bits, truth)) = scalar(&leaf.of) else { continue };
        let truth = truth || leaf.tells && kind == Kind::Integer;
        let name = format!("return{}", leaf.name);
        let size = leaf.extent.unwrap_or(leaf.of.size());
        let field = plain(name, kind, bits, Intent::Return, Passing::Value);
        let shape = (size > leaf.of.size()).then(|| elements((size / leaf.of.size()) as i64));
        let inside = Some(leaf.inside(true));
        fields.push((Parameter { shape, inside, ..field }, truth));
    }
    Ok(fields)
}

/// What a parameter is: several numbers if a structure is passed by its address.
fn parameters(
    name: String,
    passed: &Type,
    by_reference: bool,
) -> Result<Vec<(Parameter, bool)>, &'static str> {
    let value = |kind, bits| plain(name.clone(), kind, bits, Intent::In, Passing::Value);
    let intent = |constant: bool| if constant { Intent::In } else { Intent::InOut };
    let pointed = |kind: Kind, bits, constant: bool| {
        let parameter = plain(name.clone(), kind, bits, intent(constant), Passing::Reference);
        // Fortran's integers are always there; a C pointer to one may lead nowhere.
        Parameter { observed: kind.is_float() || !by_reference, ..parameter }
    };
    let address = || plain(name.clone(), Kind::Integer, 64, Intent::In, Passing::Address);
    let one = |parameter, truth| Ok(vec![(parameter, truth)]);
    if let Some((kind, bits, truth)) = scalar(passed) {
        return match by_reference {
            true => one(pointed(kind, bits, false), truth),
            false => one(value(kind, bits), truth),
        };
    }
    match passed {
        Type::Described(of) => {
            let Some(bits) = of.floats() else { return one(address(), false) };
            let kind = if matches!(**of, Type::Complex(_)) { Kind::Complex } else { Kind::Real };
            let inside = Inside { path: vec![0, 0], ..Inside::default() };
            one(Parameter { inside: Some(inside), ..pointed(kind, bits, false) }, false)
        }
        Type::Pointer { to, constant } => match to.as_ref() {
            Type::Structure(record) if to.floats().is_none() => {
                Ok(inside(&name, record, *constant).unwrap_or_else(|| vec![(address(), false)]))
            }
            // What it is given is not told to others.
            Type::Integer(_) | Type::Boolean(_) if *constant => one(address(), false),
            to => match (scalar(to), to.floats()) {
                (Some((kind, bits, truth)), _) => one(pointed(kind, bits, *constant), truth),
                (None, Some(bits)) => one(pointed(Kind::Real, bits, *constant), false),
                (None, None) => one(address(), false),
            },
        },
        Type::Structure(record) if record.by_address => {
            Ok(inside(&name, record, true).unwrap_or_else(|| vec![(address(), false)]))
        }
        Type::Structure(_) | Type::Array(..) => {
            let bits = passed.floats().ok_or(
                "it takes a structure by value that is not all floating-point numbers of one size",
            )?;
            let shape = Some(elements(passed.count()));
            one(Parameter { shape, ..value(Kind::Real, bits) }, false)
        }
        Type::Integer(_)
        | Type::Boolean(_)
        | Type::Real(_)
        | Type::Complex(_)
        | Type::Void
        | Type::Other => Err("it takes a value of a type that is not known here"),
    }
}

/// The numbers inside of a structure whose address is passed; nothing if there are none.
fn inside(name: &str, record: &Record, constant: bool) -> Option<Vec<(Parameter, bool)>> {
    let mut found = Vec::new();
    for leaf in record.leaves() {
        let Some((kind, bits, truth)) = scalar(&leaf.of) else { continue };
        let truth = truth || leaf.tells && kind == Kind::Integer;
        let name = format!("{name}{}", leaf.name);
        // What an address in a constant structure leads to may be written.
        let constant = leaf.constant || constant && leaf.path.len() == 1;
        let intent = if constant { Intent::In } else { Intent::InOut };
        let field = plain(name, kind, bits, intent, Passing::Reference);
        let inside = Some(leaf.inside(!found.is_empty()));
        found.push((Parameter { observed: true, inside, ..field }, truth));
    }
    (!found.is_empty()).then_some(found)
}

/// So many elements, one after the other.
fn elements(count: i64) -> Shape {
    let extent = Expression::Literal(Scalar::Integer(count));
    let dimensions = vec![Dimension { index: "k".to_string(), extent }];
    Shape { dimensions, offset: None, step: None, condition: None, line: 0, column: 0 }
}
