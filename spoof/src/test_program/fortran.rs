//! The program in Fortran.

use super::words;
use crate::handling::{Effect, Failure, is_finite};
use crate::prototype::{
    Argument, Intent, Kind, Language, Parameter, Place, Prototype, USUAL, as_double, signed,
};
use std::fmt::Write;

/// The program; nothing if Fortran cannot call the function or see what it reports.
pub(super) fn program(prototype: &Prototype, failure: &Failure, headline: &str) -> Option<String> {
    let name = fortran_name(&failure.tested.symbol)?;
    if prototype.language != Language::Fortran {
        return None;
    }
    let mut declarations = String::new();
    let mut values = String::new();
    let mut variables = Vec::new();
    for (k, parameter) in prototype.parameters.iter().enumerate() {
        let argument = failure.arguments.get(k)?;
        let variable = Variable::of(parameter, argument)?;
        declarations.push_str(&variable.declaration()?);
        values.push_str(&variable.assignments(failure.inputs.get(k)?)?);
        variables.push(variable);
    }
    let result = failure.arguments.iter().find(|argument| argument.intent == Intent::Return);
    if let Some(argument) = result {
        let parts = if argument.kind == Kind::Complex { 2 } else { 1 };
        let type_name = type_name(argument).filter(|_| argument.elements.len() == parts)?;
        let _ = writeln!(declarations, "  {type_name} :: p_return");
        let _ = writeln!(declarations, "  {type_name}, external :: {name}");
    } else {
        let _ = writeln!(declarations, "  external :: {name}");
    }
    let mut text = format!(
        "! {name}: {headline}.\n!\n! Link it with the library that has {name} and run it. It fails as long as \
         the\n! exception vanishes.\nprogram handling\n  use, intrinsic :: iso_c_binding, only: c_int\n  \
         use, intrinsic :: ieee_arithmetic\n  use, intrinsic :: iso_fortran_env\n  implicit none\n  \
         interface\n    integer(c_int) function alarm(seconds) bind(c)\n      import :: c_int\n      \
         integer(c_int), value :: seconds\n    end function\n  end interface\n{declarations}"
    );
    // A function that does not return is ended by the signal.
    let _ = writeln!(
        text,
        "  integer(c_int) :: seconds_left\n{values}  seconds_left = alarm(10_c_int)"
    );
    let list = continued(&variables);
    let _ = match result {
        Some(_) => writeln!(text, "  p_return = {name}({list})"),
        None => writeln!(text, "  call {name}({list})"),
    };
    for (_, report) in &prototype.reports {
        let condition = condition(report, failure)?;
        let _ = writeln!(text, "  if ({condition}) call handled('it is reported')");
    }
    text.push_str(&outputs(&variables, failure)?);
    text.push_str(
        "  print '(a)', 'the exception vanishes'\n  stop 1\ncontains\n  subroutine handled(how)\n    \
         character(*), intent(in) :: how\n    print '(a)', how\n    stop\n  end subroutine\nend program\n",
    );
    for routine in &prototype.error_routines {
        let routine = fortran_name(routine)?;
        let _ = write!(
            text,
            "\nsubroutine {routine}()\n  print '(a)', 'it is reported'\n  stop\nend subroutine\n"
        );
    }
    Some(text)
}

/// What compilers make the symbol of.
fn fortran_name(symbol: &str) -> Option<&str> {
    let name = symbol.strip_suffix('_')?;
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let first = name.chars().next()?;
    (first.is_ascii_lowercase() && name.chars().all(letters)).then_some(name)
}

/// Arguments, so that no line is too long.
fn continued(variables: &[Variable]) -> String {
    let names: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
    let lines: Vec<String> = names.chunks(6).map(|some| some.join(", ")).collect();
    lines.join(", &\n      ")
}

fn type_name(argument: &Argument) -> Option<&'static str> {
    Some(match (argument.kind, argument.bits) {
        (Kind::Character, _) => "character",
        (Kind::Integer, 8) => "integer(int8)",
        (Kind::Integer, 16) => "integer(int16)",
        (Kind::Integer, 32) => "integer(int32)",
        (Kind::Integer, 64) => "integer(int64)",
        (Kind::Real, 32) => "real(real32)",
        (Kind::Real, 64) => "real(real64)",
        (Kind::Complex, 32) => "complex(real32)",
        (Kind::Complex, 64) => "complex(real64)",
        _ => return None,
    })
}

/// A variable that is passed.
struct Variable<'a> {
    name: String,
    argument: &'a Argument,
    /// The index of each element, and of a complex number the part.
    places: Vec<(u64, Option<&'static str>)>,
    is_array: bool,
}

impl Variable<'_> {
    fn of<'a>(parameter: &Parameter, argument: &'a Argument) -> Option<Variable<'a>> {
        let is_array = parameter.shape.is_some() || parameter.observed;
        let name = format!("p_{}", argument.name);
        let mut places = Vec::new();
        for element in &argument.elements {
            let Place::Memory(address) = element.place else { return None };
            places.push(index(argument, address)?);
        }
        Some(Variable { name, argument, places, is_array })
    }

    fn declaration(&self) -> Option<String> {
        let type_name = type_name(self.argument)?;
        let name = &self.name;
        if !self.is_array {
            return Some(format!("  {type_name} :: {name}\n"));
        }
        let last = self.places.iter().map(|(at, _)| *at).max().unwrap_or(0);
        Some(format!("  {type_name} :: {name}(0:{last})\n"))
    }

    fn assignments(&self, inputs: &[Vec<u8>]) -> Option<String> {
        let mut text = String::new();
        let zero = if self.argument.kind == Kind::Character { "' '" } else { "0" };
        let _ = writeln!(text, "  {} = {zero}", self.name);
        for (e, bytes) in inputs.iter().enumerate().filter(|(_, bytes)| !bytes.is_empty()) {
            let place = self.element(e);
            let value = literal(self.argument, bytes)?;
            let _ = writeln!(text, "  {place} = {value}");
        }
        Some(text)
    }

    fn element(&self, number: usize) -> String {
        let (at, part) = self.places[number];
        let index = if self.is_array { format!("({at})") } else { String::new() };
        format!("{}{index}{}", self.name, part.unwrap_or_default())
    }
}

/// Which element of an array an address is.
fn index(argument: &Argument, address: u64) -> Option<(u64, Option<&'static str>)> {
    let scalar = u64::from(argument.bits / 8);
    let scalars = address.checked_sub(argument.base?)? / scalar;
    Some(match argument.kind {
        Kind::Complex => (scalars / 2, Some(if scalars % 2 == 0 { "%re" } else { "%im" })),
        Kind::Character | Kind::Integer | Kind::Real => (scalars, None),
    })
}

fn literal(argument: &Argument, bytes: &[u8]) -> Option<String> {
    Some(match argument.kind {
        Kind::Character => {
            let letter = char::from(bytes[0]);
            if !letter.is_ascii_alphanumeric() {
                return None;
            }
            format!("'{letter}'")
        }
        Kind::Integer => {
            let value = Some(signed(bytes)).filter(|value| *value != i64::MIN)?;
            if argument.bits == 64 {
                format!("{value}_int64")
            } else {
                format!("int({value}_int64)")
            }
        }
        Kind::Real | Kind::Complex => {
            let kind = if argument.bits == 32 { "real32" } else { "real64" };
            let value = as_double(bytes);
            if is_finite(bytes) {
                // The shortest digits that are read as the same number.
                let digits = match argument.bits {
                    32 => format!("{:e}", value as f32),
                    _ => format!("{value:e}"),
                };
                return Some(format!("{digits}_{kind}"));
            }
            let class = match (value.is_nan(), value > 0.0) {
                (true, _) => "ieee_quiet_nan",
                (false, true) => "ieee_positive_inf",
                (false, false) => "ieee_negative_inf",
            };
            format!("ieee_value(1.0_{kind}, {class})")
        }
    })
}

/// Looks at what comes back.
fn outputs(variables: &[Variable], failure: &Failure) -> Option<String> {
    let mut text = String::new();
    let mut another = String::new();
    for (k, argument) in failure.arguments.iter().enumerate() {
        for (e, element) in argument.elements.iter().enumerate() {
            if !element.output || !argument.kind.is_float() {
                continue;
            }
            let part = if e == 0 { "%re" } else { "%im" };
            let place = match (variables.get(k), argument.kind) {
                (Some(variable), _) => variable.element(e),
                (None, Kind::Complex) => format!("p_return{part}"),
                (None, Kind::Character | Kind::Integer | Kind::Real) => "p_return".to_string(),
            };
            let _ = writeln!(text, "  if (.not. ieee_is_finite({place})) &");
            let _ = writeln!(text, "    call handled('it reaches the caller')");
            if failure.effect == Effect::Wrong {
                let value = literal(argument, &failure.outputs[k][e])?;
                let _ = writeln!(another, "  if ({place} /= {value}) &");
                another.push_str("    call handled('the result is another')\n");
            }
        }
    }
    text.push_str(&another);
    Some(text)
}

/// A condition of the prototype; nothing if it speaks of what Fortran does not have.
fn condition(text: &str, failure: &Failure) -> Option<String> {
    let named = |name: &str| failure.arguments.iter().position(|a| a.name == name);
    let mut written = Vec::new();
    for word in words(text) {
        written.push(match word {
            "and" => ".and.".to_string(),
            "or" => ".or.".to_string(),
            "not" => ".not.".to_string(),
            "!=" => "/=".to_string(),
            "[" => "(".to_string(),
            "]" => ")".to_string(),
            "==" | "<=" | ">=" | "<" | ">" | "+" | "-" | "*" | "(" | ")" | "," | "min" | "max"
            | "abs" => word.to_string(),
            number if number.parse::<f64>().is_ok() => number.to_string(),
            usual if usual.ends_with(USUAL) => {
                let k = named(usual.strip_suffix(USUAL)?)?;
                let argument = Some(&failure.arguments[k]).filter(|a| a.kind == Kind::Integer)?;
                literal(argument, failure.expected.get(k)?.first()?)?
            }
            name => {
                let argument = &failure.arguments[named(name)?];
                if argument.kind == Kind::Complex {
                    return None;
                }
                format!("p_{name}")
            }
        });
    }
    Some(written.join(" "))
}
