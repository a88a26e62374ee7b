//! The program in C.

use super::words;
use crate::handling::{Effect, Failure, is_finite, scalar_bytes};
use crate::prototype::{Argument, Intent, Kind, Language, Passing, Place, Prototype, USUAL};
use std::fmt::Write;

/// The program; nothing if the function takes or gives what C does not write.
pub(super) fn program(prototype: &Prototype, failure: &Failure, headline: &str) -> Option<String> {
    let symbol = &failure.tested.symbol;
    let mut variables = String::new();
    let mut values = String::new();
    let mut types = Vec::new();
    let mut passed = Vec::new();
    let mut structures = String::new();
    let mut lengths = 0;
    for (k, parameter) in prototype.parameters.iter().enumerate() {
        let argument = failure.arguments.get(k)?;
        let inputs = failure.inputs.get(k)?;
        let name = format!("p_{}", parameter.name);
        let size = u64::from(scalar_bytes(argument.kind, argument.bits));
        if parameter.passing == Passing::Address {
            return None; // nobody knows what is to be there
        }
        if parameter.passing == Passing::Value {
            let type_name = value_type(argument, &mut structures)?;
            let _ = writeln!(variables, "    {type_name} {name};");
            for (part, bytes) in inputs.iter().enumerate() {
                put(&mut values, &format!("&{name}"), part as u64 * size, bytes, argument, part);
            }
            types.push(type_name);
            passed.push(name);
            continue;
        }
        let base = argument.base?;
        let mut length = 16;
        for (e, element) in argument.elements.iter().enumerate() {
            let Place::Memory(address) = element.place else { return None };
            let offset = address.checked_sub(base)?;
            length = length.max(offset + size);
            if !inputs[e].is_empty() {
                put(&mut values, &name, offset, &inputs[e], argument, e);
            }
        }
        let _ = writeln!(variables, "    static _Alignas(16) unsigned char {name}[{length}];");
        types.push("void *".to_string());
        passed.push(name);
        lengths += usize::from(
            prototype.language == Language::Fortran && argument.kind == Kind::Character,
        );
    }
    for _ in 0..lengths {
        types.push("long".to_string());
        passed.push("1".to_string());
    }
    let result = failure.arguments.iter().find(|argument| argument.intent == Intent::Return);
    let result_type = match result {
        None => "void".to_string(),
        Some(argument) => value_type(argument, &mut structures)?,
    };
    let reports: Option<Vec<String>> =
        prototype.reports.iter().map(|(_, text)| condition(text, failure)).collect();
    let reports = reports?;
    let mut text = String::new();
    let _ = write!(
        text,
        "/* {symbol}: {headline}.\n *\n * Link it with the library that has {symbol} and run it. It \
         fails as long as the\n * exception vanishes. */\n#include <errno.h>\n#include <signal.h>\n#include <stdio.h>\n\
         #include <string.h>\n#include <unistd.h>\n\n{structures}{result_type} {symbol}({});\n\n",
        types.join(", ")
    );
    text.push_str(HELPERS);
    for routine in &prototype.error_routines {
        let _ = writeln!(text, "void {routine}(void)\n{{\n    end(\"it is reported\", 0);\n}}\n");
    }
    let _ = write!(text, "int main(void)\n{{\n{variables}{values}    signal(SIGSEGV, stopped);\n");
    text.push_str("    signal(SIGFPE, stopped);\n    signal(SIGALRM, stopped);\n    alarm(10);\n    errno = 0;\n");
    let call = format!("{symbol}({})", passed.join(", "));
    let _ = match result {
        None => writeln!(text, "    {call};"),
        Some(_) => writeln!(text, "    {result_type} p_return = {call};"),
    };
    for report in reports {
        let _ = writeln!(text, "    if ({report})\n        end(\"it is reported\", 0);");
    }
    text.push_str(&checks(failure)?);
    text.push_str("    end(\"the exception vanishes\", 1);\n}\n");
    Some(text)
}

/// Ends the program if an output is exceptional, or is not the wrong one that was seen.
fn checks(failure: &Failure) -> Option<String> {
    let mut text = String::new();
    let mut same = Vec::new();
    for (k, argument) in failure.arguments.iter().enumerate() {
        let size = u64::from(scalar_bytes(argument.kind, argument.bits));
        for (e, element) in argument.elements.iter().enumerate() {
            if !element.output || !argument.kind.is_float() {
                continue;
            }
            let at = match (argument.base, element.place) {
                (Some(base), Place::Memory(address)) => {
                    format!("p_{} + {}", argument.name, address.checked_sub(base)?)
                }
                (_, _) => format!("(unsigned char *)&p_return + {}", e as u64 * size),
            };
            let _ = writeln!(
                text,
                "    if (exceptional({at}, {size})) /* {} */\n        end(\"it reaches the caller\", 0);",
                element.name
            );
            if failure.effect == Effect::Wrong {
                let bytes: Vec<String> =
                    failure.outputs[k][e].iter().map(|byte| format!("\\x{byte:02x}")).collect();
                same.push(format!("memcmp({at}, \"{}\", {size}) == 0", bytes.concat()));
            }
        }
    }
    if !same.is_empty() {
        let _ = writeln!(text, "    if (!({}))", same.join("\n        && "));
        text.push_str("        end(\"the result is another\", 0);\n");
    }
    Some(text)
}

const HELPERS: &str = r#"static void end(const char *what, int code)
{
    puts(what);
    fflush(stdout);
    _exit(code);
}

static void stopped(int signal)
{
    end(signal == SIGALRM ? "it does not return" : "it crashes", 1);
}

static void put(void *to, long offset, unsigned long low, unsigned high, int bytes)
{
    memcpy((char *)to + offset, &low, bytes < 8 ? bytes : 8);
    if (bytes > 8)
        memcpy((char *)to + offset + 8, &high, bytes - 8);
}

/* Whether the float there is NaN or infinite. */
static int exceptional(const void *at, int bytes)
{
    unsigned long low = 0;
    unsigned short high = 0;
    memcpy(&low, at, bytes < 8 ? bytes : 8);
    switch (bytes) {
    case 4: return (low & 0x7f800000) == 0x7f800000;
    case 8: return (low & 0x7ff0000000000000) == 0x7ff0000000000000;
    default: memcpy(&high, (const char *)at + 8, 2); return (high & 0x7fff) == 0x7fff;
    }
}

"#;

fn put(
    text: &mut String,
    to: &str,
    offset: u64,
    bytes: &[u8],
    argument: &Argument,
    element: usize,
) {
    let mut padded = [0u8; 16];
    padded[..bytes.len()].copy_from_slice(bytes);
    let bits = u128::from_le_bytes(padded);
    let name = &argument.elements[element].name;
    let value = match argument.kind {
        Kind::Real | Kind::Complex if is_finite(bytes) => {
            crate::prototype::as_double(bytes).to_string()
        }
        Kind::Real | Kind::Complex => {
            let value = crate::prototype::as_double(bytes);
            if value.is_nan() { "NaN".to_string() } else { value.to_string() }
        }
        Kind::Character => char::from(bytes[0]).escape_default().to_string(),
        Kind::Integer => crate::prototype::signed(bytes).to_string(),
    };
    let _ = writeln!(
        text,
        "    put({to}, {offset}, {:#x}ul, {:#x}, {}); /* {name} = {value} */",
        bits as u64,
        (bits >> 64) as u64,
        bytes.len()
    );
}

/// The scalars that a value of its type in C has.
fn c_parts(argument: &Argument) -> usize {
    if argument.kind == Kind::Complex { 2 } else { 1 }
}

/// The type of a value that is passed or returned. A structure of numbers is treated as an array in a
/// structure is, which is declared.
fn value_type(argument: &Argument, structures: &mut String) -> Option<String> {
    let number = c_type(argument)?;
    let count = argument.elements.len();
    if count == c_parts(argument) {
        return Some(number.to_string());
    }
    if argument.kind != Kind::Real {
        return None;
    }
    let name = format!("struct s_{}", argument.name);
    let _ = write!(structures, "{name} {{\n    {number} number[{count}];\n}};\n\n");
    Some(name)
}

fn c_type(argument: &Argument) -> Option<&'static str> {
    Some(match (argument.kind, argument.bits) {
        (Kind::Character, _) => "char",
        (Kind::Integer, 8) => "signed char",
        (Kind::Integer, 16) => "short",
        (Kind::Integer, 32) => "int",
        (Kind::Integer, 64) => "long",
        (Kind::Real, 32) => "float",
        (Kind::Real, 64) => "double",
        (Kind::Real, 80) => "long double",
        (Kind::Complex, 32) => "float _Complex",
        (Kind::Complex, 64) => "double _Complex",
        _ => return None,
    })
}

/// A condition of the prototype in C; nothing if it speaks of what the program does not have.
fn condition(text: &str, failure: &Failure) -> Option<String> {
    let mut written = String::new();
    let mut all = words(text).peekable();
    while let Some(word) = all.next() {
        match word {
            "and" => written.push_str("&&"),
            "or" => written.push_str("||"),
            "not" => written.push('!'),
            "errno" => written.push_str(word),
            number if number.parse::<f64>().is_ok() => written.push_str(number),
            sign if !sign.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
                written.push_str(sign);
            }
            usual if usual.ends_with(USUAL) => {
                let name = usual.strip_suffix(USUAL)?;
                let k = failure.arguments.iter().position(|argument| argument.name == name)?;
                let value = failure.expected.get(k)?.first()?;
                if failure.arguments[k].kind.is_float() {
                    return None;
                }
                written.push_str(&crate::prototype::signed(value).to_string());
            }
            name => {
                let argument = failure.arguments.iter().find(|argument| argument.name == name)?;
                let kind = c_type(argument).filter(|_| argument.kind != Kind::Complex)?;
                match (argument.base, all.peek() == Some(&"[")) {
                    (Some(_), true) => written.push_str(&format!("(({kind} *)p_{name})")),
                    (Some(_), false) => written.push_str(&format!("*({kind} *)p_{name}")),
                    (None, _) => written.push_str(&format!("p_{name}")),
                }
            }
        }
        let tight = word == "not"
            || word == "["
            || all.peek().is_some_and(|next| ["[", "]", ")"].contains(next));
        if !tight && all.peek().is_some() {
            written.push(' ');
        }
    }
    Some(written)
}
