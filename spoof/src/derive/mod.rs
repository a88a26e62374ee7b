//! Prototypes that nobody wrote: from what a C header or a binary's debugging information declares.
//!
//! A declaration has types and no lengths. What a pointer points to is *observed*: the elements that a
//! call reads come in, those that it writes go out.

mod debug;
mod fit;
mod header;

pub use debug::declarations as from_debug_information;
pub(crate) use debug::declarations_at;
pub(crate) use fit::misfit;
pub use header::declarations as from_header;

use crate::prototype::{
    Binary, Dimension, Expression, Intent, Kind, Language, Parameter, Passing, Prototype, Scalar,
    Shape, USUAL,
};

/// A type of C, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// No value.
    Void,
    /// An integer, a character or an enumeration, of so many bits.
    Integer(u32),
    /// A truth value.
    Boolean(u32),
    /// A floating-point number.
    Real(u32),
    /// A complex number; the bits of each part.
    Complex(u32),
    /// The address of something.
    Pointer {
        /// Of what.
        to: Box<Type>,
        /// Whether it may only be read.
        constant: bool,
    },
    /// A structure or an array, by its fields.
    Structure(Vec<Type>),
    /// Anything else.
    Other,
}

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
        result: result(&declared.result)?,
        require: Vec::new(),
        documented: Vec::new(),
        reports: Vec::new(),
        error_routines: Vec::new(),
    };
    for (number, (name, passed)) in declared.parameters.iter().enumerate() {
        let name = if name.is_empty() { format!("argument{}", number + 1) } else { name.clone() };
        prototype.parameters.push(parameter(name, passed, declared.by_reference)?);
    }
    let mut all = prototype.parameters.iter().chain(&prototype.result);
    if !all.any(|p| p.kind.is_float() && p.intent.is_output()) {
        return Err("no floating-point number comes back from it");
    }
    if !prototype.parameters.iter().any(|p| p.kind.is_float()) {
        return Err("it takes no floating-point number");
    }
    prototype.reports = reports(declared, &prototype);
    Ok(prototype)
}

/// What the function says by an integer is not known; that it says something else than usual is.
fn reports(declared: &Declaration, prototype: &Prototype) -> Vec<(Expression, String)> {
    let mut reports = Vec::new();
    let types = declared.parameters.iter().map(|(_, passed)| passed);
    let parameters = prototype.parameters.iter().zip(types);
    for (p, passed) in parameters.chain(prototype.result.iter().zip([&declared.result])) {
        let name = || Expression::Name(p.name.clone());
        let usual = || Expression::Name(format!("{}{USUAL}", p.name));
        let is = |operation, of: Expression, number| {
            let number = Expression::Literal(Scalar::Integer(number));
            Expression::Binary(operation, Box::new(of), Box::new(number))
        };
        let and = |a, b| Expression::Binary(Binary::And, Box::new(a), Box::new(b));
        let other = || Expression::Binary(Binary::NotEqual, Box::new(name()), Box::new(usual()));
        let whole = |of: Expression| {
            let one = Expression::Literal(Scalar::Integer(1));
            let rest = Expression::Binary(Binary::Remainder, Box::new(of), Box::new(one));
            is(Binary::Equal, rest, 0)
        };
        let told = format!("{0} != {0}{USUAL}", p.name);
        match channel(p, passed) {
            None => {}
            Some(Channel::Other) => reports.push((other(), told)),
            Some(Channel::Whole) => {
                reports.push((and(other(), and(whole(name()), whole(usual()))), told));
            }
            Some(Channel::Success) => {
                let few = is(Binary::LessEqual, usual(), 1);
                let none = is(Binary::LessEqual, name(), 0);
                let either = Expression::Binary(Binary::Or, Box::new(few), Box::new(none));
                reports.push((and(other(), either), told));
            }
            Some(Channel::Negative) => {
                let both = and(is(Binary::Less, name(), 0), is(Binary::GreaterEqual, usual(), 0));
                reports.push((both, format!("{0} < 0 and {0}{USUAL} >= 0", p.name)));
            }
        }
    }
    let zero = Expression::Literal(Scalar::Integer(0));
    let errno = Expression::Name("errno".to_string());
    let set = Expression::Binary(Binary::NotEqual, Box::new(errno), Box::new(zero));
    reports.push((set, "errno != 0".to_string()));
    reports
}

/// How an output of a function that nobody described tells of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// By another value than usual.
    Other,
    /// The same, if both are whole numbers: others are estimates.
    Whole,
    /// By another value than a usual 0 or 1; what usually is more counts something, and tells of trouble if it is 0 or
    /// negative.
    Success,
    /// By a negative value: what counts, and what is an index, may well differ.
    Negative,
}

fn channel(p: &Parameter, passed: &Type) -> Option<Channel> {
    let truth = match passed {
        Type::Boolean(_) => true,
        Type::Pointer { to, .. } => matches!(**to, Type::Boolean(_)),
        Type::Void
        | Type::Integer(_)
        | Type::Real(_)
        | Type::Complex(_)
        | Type::Structure(_)
        | Type::Other => false,
    };
    match (p.intent, p.kind) {
        (Intent::Return, Kind::Integer) if truth => Some(Channel::Other),
        (Intent::Return, Kind::Integer) => Some(Channel::Success),
        (Intent::InOut, Kind::Integer) if truth => Some(Channel::Other),
        (Intent::InOut, Kind::Integer) => Some(channel_by_name(&p.name)),
        // A number can be a flag, as BLAS's srotm has one: its name must say so.
        (Intent::InOut, Kind::Real) if reports_by(&p.name) => Some(Channel::Whole),
        (Intent::InOut | Intent::Return, Kind::Character | Kind::Real | Kind::Complex)
        | (Intent::In | Intent::Out, _) => None,
    }
}

/// The same for an integer, of which only the name is known.
pub(crate) fn channel_by_name(name: &str) -> Channel {
    if reports_by(name) { Channel::Other } else { Channel::Negative }
}

/// Whether what has this name is for telling of trouble.
fn reports_by(name: &str) -> bool {
    let mut name = name.to_ascii_lowercase();
    // What sounds like it.
    for other in ["state", "static", "statist", "encod", "decod"] {
        name = name.replace(other, "_");
    }
    let part = ["info", "err", "stat", "flag", "fail", "code", "valid", "success", "converged"];
    let whole = ["ok", "ier", "rc", "ret", "good", "bad"];
    part.iter().any(|word| name.contains(word))
        || name.split('_').any(|piece| whole.contains(&piece))
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
    }
}

fn result(returned: &Type) -> Result<Option<Parameter>, &'static str> {
    let (kind, bits) = match returned {
        Type::Void => return Ok(None),
        Type::Integer(bits) | Type::Boolean(bits) => (Kind::Integer, *bits),
        Type::Real(bits) => (Kind::Real, *bits),
        Type::Complex(bits) => (Kind::Complex, *bits),
        Type::Pointer { .. } => return Err("it returns an address"),
        Type::Structure(_) => {
            let bits = floats(returned).ok_or(
                "it returns a structure that is not all floating-point numbers of one size",
            )?;
            let shape = elements(count(returned));
            let result =
                plain("return".to_string(), Kind::Real, bits, Intent::Return, Passing::Value);
            return Ok(Some(Parameter { shape: Some(shape), ..result }));
        }
        Type::Other => return Err("it returns a value of a type that is not known here"),
    };
    Ok(Some(plain("return".to_string(), kind, bits, Intent::Return, Passing::Value)))
}

fn parameter(name: String, passed: &Type, by_reference: bool) -> Result<Parameter, &'static str> {
    let by_value = |kind, bits| Ok(plain(name.clone(), kind, bits, Intent::In, Passing::Value));
    let pointed = |kind: Kind, bits, constant: bool| {
        let intent = if constant { Intent::In } else { Intent::InOut };
        let parameter = plain(name.clone(), kind, bits, intent, Passing::Reference);
        // Fortran's integers are always there; a C pointer to one may lead nowhere.
        Ok(Parameter { observed: kind.is_float() || !by_reference, ..parameter })
    };
    match passed {
        Type::Integer(bits) | Type::Boolean(bits) if by_reference => {
            pointed(Kind::Integer, *bits, false)
        }
        Type::Real(bits) if by_reference => pointed(Kind::Real, *bits, false),
        Type::Complex(bits) if by_reference => pointed(Kind::Complex, *bits, false),
        Type::Integer(bits) | Type::Boolean(bits) => by_value(Kind::Integer, *bits),
        Type::Real(bits) => by_value(Kind::Real, *bits),
        Type::Complex(bits) => by_value(Kind::Complex, *bits),
        Type::Pointer { to, constant } => match to.as_ref() {
            Type::Real(bits) => pointed(Kind::Real, *bits, *constant),
            Type::Complex(bits) => pointed(Kind::Complex, *bits, *constant),
            Type::Integer(bits) | Type::Boolean(bits) if !constant => {
                pointed(Kind::Integer, *bits, false)
            }
            Type::Integer(_) | Type::Boolean(_) => {
                Ok(plain(name.clone(), Kind::Integer, 64, Intent::In, Passing::Address))
            }
            Type::Structure(_) => match floats(to) {
                Some(bits) => pointed(Kind::Real, bits, *constant),
                None => {
                    Err("it takes a structure that is not all floating-point numbers of one size")
                }
            },
            Type::Void | Type::Pointer { .. } | Type::Other => {
                Err("it takes the address of something whose type is not known here")
            }
        },
        Type::Structure(_) => {
            let bits = floats(passed).ok_or(
                "it takes a structure by value that is not all floating-point numbers of one size",
            )?;
            let field = plain(name.clone(), Kind::Real, bits, Intent::In, Passing::Value);
            Ok(Parameter { shape: Some(elements(count(passed))), ..field })
        }
        Type::Void | Type::Other => Err("it takes a value of a type that is not known here"),
    }
}

/// So many elements, one after the other.
fn elements(count: i64) -> Shape {
    let extent = Expression::Literal(Scalar::Integer(count));
    let dimensions = vec![Dimension { index: "k".to_string(), extent }];
    Shape { dimensions, offset: None, step: None, condition: None, line: 0, column: 0 }
}

/// How many numbers a structure has.
fn count(of: &Type) -> i64 {
    match of {
        Type::Structure(fields) => fields.iter().map(count).sum(),
        Type::Complex(_) => 2,
        Type::Void
        | Type::Integer(_)
        | Type::Boolean(_)
        | Type::Real(_)
        | Type::Pointer { .. }
        | Type::Other => 1,
    }
}

/// The bits of the numbers that a structure is made of, if it is made of nothing else.
fn floats(of: &Type) -> Option<u32> {
    match of {
        Type::Real(bits) | Type::Complex(bits) => Some(*bits),
        Type::Structure(fields) => {
            let first = floats(fields.first()?)?;
            fields.iter().all(|field| floats(field) == Some(first)).then_some(first)
        }
        Type::Void | Type::Integer(_) | Type::Boolean(_) | Type::Pointer { .. } | Type::Other => {
            None
        }
    }
}
