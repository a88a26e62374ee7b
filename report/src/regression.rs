//! A finding as a regression test in C or C++: a program that calls the function with the
//! finding's input and fails as long as the exception happens.

use crate::replaying;
use crate::words;
use crate::{Finding, Kind, Number, Report};
use std::fmt::Write;

/// A test's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegressionTest {
    /// Its name: the finding's, with `.c` or `.cpp`.
    pub file: String,
    /// What is in it.
    pub text: String,
}

/// Writes a finding's test; the error says why there can be none.
pub fn to_regression_test(
    report: &Report,
    finding: &Finding,
) -> Result<RegressionTest, &'static str> {
    if !finding.kind.is_exception() {
        return replaying::to_program(report, finding);
    }
    let suffix = suffix(report)?;
    is_flagged(finding)?;
    let parameters = parameters(&finding.inputs)?;
    let result = result_type(finding)?;
    let (flag, name) = flag(finding.kind)?;
    let declared: Vec<String> = parameters.iter().map(Parameter::declaration).collect();
    let passed: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let declared = if declared.is_empty() { "void".to_string() } else { declared.join(", ") };
    let mut text = String::new();
    header(&mut text, report, finding, suffix, name);
    let _ = write!(text, "\n{result} {}({declared});\n\nint main(void)\n{{\n", finding.function);
    for parameter in &parameters {
        let _ = writeln!(text, "    {}", parameter.definition());
    }
    let call = format!("{}({})", finding.function, passed.join(", "));
    let _ = writeln!(text, "    feclearexcept(FE_ALL_EXCEPT);");
    if result == "void" {
        let _ = writeln!(text, "    {call};");
    } else {
        // Used, so that no compiler leaves the call out.
        let _ = writeln!(text, "    volatile {result} result = {call};\n    (void)result;");
    }
    let _ = write!(
        text,
        "    if (fetestexcept({flag})) {{\n        puts(\"{}: {name} happens\");\n        \
         return 1;\n    }}\n    return 0;\n}}\n",
        finding.id
    );
    Ok(RegressionTest { file: format!("{}.{suffix}", finding.id), text })
}

/// The flag that an exception raises, and what to call it.
fn flag(kind: Kind) -> Result<(&'static str, &'static str), &'static str> {
    match kind {
        Kind::Overflow => Ok(("FE_OVERFLOW", "an overflow")),
        Kind::Underflow => Ok(("FE_UNDERFLOW", "an underflow")),
        Kind::DivideByZero => Ok(("FE_DIVBYZERO", "a division by zero")),
        Kind::Invalid => Ok(("FE_INVALID", "an invalid operation")),
        Kind::ConversionOutOfRange => Ok(("FE_INVALID", "a conversion out of range")),
        Kind::AssertionFailure
        | Kind::ErrorCall
        | Kind::Abort
        | Kind::InvalidDeref
        | Kind::InvalidFree
        | Kind::IntegerDivisionByZero
        | Kind::Overshift
        | Kind::Unreachable => Err("it raises no flag"),
    }
}

/// Whether the machine raises a flag that the test can see: a test that cannot fail
/// is none.
fn is_flagged(finding: &Finding) -> Result<(), &'static str> {
    let computed = finding.details.computed.as_ref();
    match finding.kind {
        Kind::Overflow | Kind::DivideByZero | Kind::Invalid => Ok(()),
        // IEEE 754 7.5: an exact subnormal result raises no flag by default. Zero, from
        // what is not zero, is never exact.
        Kind::Underflow => match computed {
            Some(number) if number.value.trim_start_matches('-') == "0" => Ok(()),
            Some(_) | None => Err("its subnormal result may be exact, which raises no flag"),
        },
        // x86-64 converts to 32 and 64 bits with a sign; other types are cut out of these.
        Kind::ConversionOutOfRange => match computed {
            Some(number) if finding.operation == "fptosi" && number.bits.len() >= 2 + 8 => Ok(()),
            Some(_) | None => Err("a conversion to this type raises no flag"),
        },
        Kind::AssertionFailure
        | Kind::ErrorCall
        | Kind::Abort
        | Kind::InvalidDeref
        | Kind::InvalidFree
        | Kind::IntegerDivisionByZero
        | Kind::Overshift
        | Kind::Unreachable => Err("it raises no flag"),
    }
}

fn header(text: &mut String, report: &Report, finding: &Finding, suffix: &str, name: &str) {
    let compiler = if suffix == "c" { "cc" } else { "c++" };
    let mut command = vec![compiler.to_string()];
    command.extend(report.subject.flags.iter().cloned());
    command.push(format!("{}.{suffix}", finding.id));
    command.extend(report.subject.sources.iter().cloned());
    command.push("-lm".to_string());
    // A comment must not be ended by what it quotes.
    let quoted = |words: &str| words.replace("*/", "* /");
    let _ = write!(
        text,
        "/* {}: {}\n * {}:{}:{}, in {}. Found by Nanoscope {}.\n *\n * Fails as long as this call \
         raises {name}:\n *     {}\n */\n\n#include <fenv.h>\n#include <stddef.h>\n\
         #include <stdint.h>\n#include <stdio.h>\n",
        finding.kind.name(),
        quoted(&words::headline(finding)),
        quoted(&finding.place.file),
        finding.place.line,
        finding.place.column,
        quoted(&finding.function),
        report.version,
        quoted(&command.join(" "))
    );
}

/// A parameter and what is passed for it.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    type_name: String,
    values: Vec<String>,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Scalar,
    Array,
}

impl Parameter {
    pub(crate) fn declaration(&self) -> String {
        match self.shape {
            Shape::Scalar => format!("{} {}", self.type_name, self.name),
            Shape::Array => format!("{} *{}", self.type_name, self.name),
        }
    }

    pub(crate) fn definition(&self) -> String {
        let (name, type_name, values) = (&self.name, &self.type_name, self.values.join(", "));
        match self.shape {
            Shape::Scalar => format!("{type_name} {name} = {values};"),
            Shape::Array => format!("{type_name} {name}[] = {{ {values} }};"),
        }
    }
}

/// Puts leaves together to parameters: `x`; `*x`; `x[0]`, `x[1]`, …
pub(crate) fn parameters(inputs: &[Number]) -> Result<Vec<Parameter>, &'static str> {
    let mut list: Vec<Parameter> = Vec::new();
    for input in inputs {
        let (name, index) = match (input.name.split_once('['), input.name.strip_prefix('*')) {
            (Some((name, rest)), _) => {
                (name, rest.strip_suffix(']').and_then(|index| index.parse::<usize>().ok()))
            }
            (None, Some(name)) => (name, Some(0)),
            (None, None) => (input.name.as_str(), None),
        };
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        let element = input.name.contains(['[', '*']);
        if name.is_empty() || !is_name || element != index.is_some() {
            return Err("its input is a structure, whose type is not known here");
        }
        match (list.last_mut(), index) {
            (Some(array), Some(index)) if array.name == name && array.values.len() == index => {
                array.values.push(literal(input)?);
            }
            (_, None | Some(0)) => list.push(Parameter {
                name: name.to_string(),
                type_name: type_name(input)?,
                values: vec![literal(input)?],
                shape: if index.is_some() { Shape::Array } else { Shape::Scalar },
            }),
            (_, Some(_)) => return Err("its input is an array with holes"),
        }
    }
    Ok(list)
}

/// The type, in names that need no header of the program's.
fn type_name(number: &Number) -> Result<String, &'static str> {
    const KNOWN: &[&str] = &[
        "float",
        "double",
        "long double",
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned int",
        "unsigned",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "size_t",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
    ];
    let plain = number.type_name.trim_start_matches("const ");
    if KNOWN.contains(&plain) {
        return Ok(plain.to_string());
    }
    // Behind a typedef: what has the same width is passed in the same way.
    match (&number.hex, number.bits.len() - 2) {
        (Some(_), 8) => Ok("float".to_string()),
        (Some(_), 16) => Ok("double".to_string()),
        (Some(_), 20) => Ok("long double".to_string()),
        (None, digits @ (2 | 4 | 8 | 16)) => Ok(format!("int{}_t", digits * 4)),
        (Some(_) | None, _) => Err("a type of its input has no name in standard C"),
    }
}

/// The value as C writes it, exactly.
fn literal(number: &Number) -> Result<String, &'static str> {
    let Some(hex) = &number.hex else {
        return Ok(match number.value.parse::<i64>() {
            // -9223372036854775808 is an operator and a number too large for its type.
            Ok(i64::MIN) => "INT64_MIN".to_string(),
            Ok(_) => number.value.clone(),
            Err(_) => format!("{}u", number.value),
        });
    };
    if number.is_exceptional() {
        return Err("its input is infinite or a NaN");
    }
    Ok(match number.bits.len() - 2 {
        8 => format!("{hex}f"),
        20 => format!("{hex}L"),
        _ => hex.clone(),
    })
}

fn result_type(finding: &Finding) -> Result<String, &'static str> {
    let returned = |output: &&Number| output.name == "return" || output.name.starts_with("return.");
    match finding.details.outputs.iter().find(returned) {
        Some(output) if output.name == "return" => type_name(output),
        Some(_) => Err("its result is a structure, whose type is not known here"),
        None if finding.details.ended.is_some() => Err("the function did not return"),
        None => Ok("void".to_string()),
    }
}

/// `c` or `cpp`, as the sources are.
pub(crate) fn suffix(report: &Report) -> Result<&'static str, &'static str> {
    let sources = &report.subject.sources;
    let all = |suffixes: &[&str]| {
        let ends = |file: &String| suffixes.iter().any(|end| file.ends_with(end));
        !sources.is_empty() && sources.iter().all(ends)
    };
    if all(&[".c"]) {
        Ok("c")
    } else if all(&[".cc", ".cpp", ".cxx", ".C"]) {
        Ok("cpp")
    } else {
        Err("its sources are not all C, or all C++")
    }
}
