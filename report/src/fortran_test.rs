//! A finding as a regression test in Fortran: a program that calls the procedure with the
//! finding's input and fails as long as the exception happens.

use crate::test_file::{RegressionTest, name};
use crate::words;
use crate::{Finding, Kind, Number, Report, finding_kinds};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Where a finding's details keep how Fortran calls its procedure.
pub const FORTRAN_CALL: &str = "fortran_call";

/// How Fortran calls a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FortranCall {
    /// Its name.
    pub name: String,
    /// The module that it is in.
    pub module: Option<String>,
    /// Its arguments, in order.
    pub arguments: Vec<FortranArgument>,
    /// Derived types of its arguments: module and name.
    pub types: Vec<(String, String)>,
}

/// An argument of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FortranArgument {
    /// Its name.
    pub name: String,
    /// Its type: `real(8)`, `type(point)`.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The extents of an array.
    pub extents: Vec<u64>,
}

/// Writes a finding's test; the error says why there can be none.
pub(crate) fn write(report: &Report, finding: &Finding) -> Result<RegressionTest, &'static str> {
    let kept = finding.details.more.get(FORTRAN_CALL).cloned();
    let call: FortranCall = kept
        .and_then(|kept| serde_json::from_value(kept).ok())
        .ok_or("other files cannot call it, or its arguments cannot be declared")?;
    if finding.details.ended.is_some() {
        return Err("the function did not return");
    }
    let flag = flag(finding.kind)?;
    let result = result_type(finding)?;
    let mut text = head(report, finding);
    let taken: BTreeSet<&str> = call.arguments.iter().map(|a| a.name.as_str()).collect();
    let free = |wanted: &str| {
        let mut name = wanted.to_owned();
        while taken.contains(name.as_str()) || call.name == name {
            name.push_str("_of_test");
        }
        name
    };
    let (raised, returned) = (free("raised"), free("returned"));
    let _ = writeln!(text, "program {}", free("regression"));
    let _ = writeln!(text, "  use, intrinsic :: ieee_exceptions");
    uses(&mut text, &call);
    let _ = writeln!(text, "  implicit none");
    for FortranArgument { name, type_name, extents } in &call.arguments {
        let extents: Vec<String> = extents.iter().map(u64::to_string).collect();
        let shape =
            if extents.is_empty() { String::new() } else { format!("({})", extents.join(",")) };
        let _ = writeln!(text, "  {type_name} :: {name}{shape}");
    }
    if let Some(result) = &result {
        let _ = writeln!(text, "  {result} :: {returned}");
    }
    match (&result, &call.module) {
        (_, Some(_)) => {}
        (Some(result), None) => {
            let _ = writeln!(text, "  {result}, external :: {}", call.name);
        }
        (None, None) => {
            let _ = writeln!(text, "  external :: {}", call.name);
        }
    }
    let _ = writeln!(text, "  logical :: {raised}\n");
    assignments(&mut text, &call, &finding.inputs)?;
    let names: Vec<&str> = call.arguments.iter().map(|a| a.name.as_str()).collect();
    let invoked = format!("{}({})", call.name, names.join(", "));
    let _ = writeln!(text, "\n  call ieee_set_flag(ieee_all, .false.)");
    let computed = finding.details.computed.as_ref();
    if finding.kind == Kind::Underflow
        && computed.is_none_or(|number| number.value.trim_start_matches('-') != "0")
    {
        // An exact subnormal result raises no flag, but halts where underflow does.
        let _ = writeln!(text, "  call ieee_set_halting_mode(ieee_underflow, .true.)");
    }
    let _ = match &result {
        Some(_) => writeln!(text, "  {returned} = {invoked}"),
        None => writeln!(text, "  call {invoked}"),
    };
    let _ = writeln!(text, "  call ieee_get_flag({flag}, {raised})");
    let _ = write!(
        text,
        "  if ({raised}) then\n    print '(a)', '{}: {} happens'\n    stop 1\n  end if\nend program\n",
        finding.id,
        name(finding.kind)
    );
    Ok(RegressionTest { file: format!("{}.f90", finding.id), text })
}

/// What it tests, and how to compile it: modules first.
fn head(report: &Report, finding: &Finding) -> String {
    let mut command = vec!["flang-new-19".to_owned()];
    command.extend(report.subject.flags.iter().cloned());
    let build = finding.details.more.get(words::BUILD).and_then(|flag| flag.as_str());
    command.extend(build.map(str::to_owned));
    command.extend(report.subject.sources.iter().cloned());
    command.push(format!("{}.f90", finding.id));
    format!(
        "! {}: {}\n! {}:{}:{}, in {}. Found by Nanoscope {}.\n!\n! Fails as long as this call raises \
         {} (other compilers may compute in another order):\n!     {}\n",
        finding.kind.name(),
        words::headline(finding),
        finding.place.file,
        finding.place.line,
        finding.place.column,
        finding.function,
        report.version,
        name(finding.kind),
        command.join(" ")
    )
}

/// The modules, and what is needed of them.
fn uses(text: &mut String, call: &FortranCall) {
    let own = call.module.iter().map(|module| (module, &call.name));
    let needed: BTreeSet<(&String, &String)> =
        own.chain(call.types.iter().map(|(module, name)| (module, name))).collect();
    for (module, name) in needed {
        let _ = writeln!(text, "  use {module}, only: {name}");
    }
}

/// Gives arguments their values; what is no input is zero.
fn assignments(
    text: &mut String,
    call: &FortranCall,
    inputs: &[Number],
) -> Result<(), &'static str> {
    for FortranArgument { name, type_name, .. } in &call.arguments {
        match type_name.split('(').next() {
            Some("type") => {}
            Some("logical") => {
                let _ = writeln!(text, "  {name} = .false.");
            }
            Some(_) | None => {
                let _ = writeln!(text, "  {name} = 0");
            }
        }
    }
    for input in inputs {
        let (place, part) = match input.name.rsplit_once(['.', '%']) {
            Some((place, part @ ("real" | "re"))) => (place, Some(part)),
            Some((place, part @ ("imag" | "im"))) => (place, Some(part)),
            Some(_) | None => (input.name.as_str(), None),
        };
        let root = place.split(['(', '%']).next().unwrap_or(place);
        let argument = call.arguments.iter().find(|argument| argument.name == root);
        let argument = argument.ok_or("an input is no argument")?;
        if place.split('%').skip(1).any(|word| word.starts_with(|c: char| !c.is_ascii_alphabetic()))
        {
            return Err("a component has no name");
        }
        let is_complex = argument.type_name.starts_with("complex");
        let target = match part {
            Some("real" | "re") if is_complex => format!("{place}%re"),
            Some(_) if is_complex => format!("{place}%im"),
            Some(_) | None => input.name.clone(),
        };
        let value = match argument.type_name.as_str() {
            "logical" if input.value == "0" => ".false.".to_owned(),
            "logical" => ".true.".to_owned(),
            _ => literal(input)?,
        };
        let _ = writeln!(text, "  {target} = {value}");
    }
    Ok(())
}

/// The value, exactly: in decimal where compilers read it back without complaint, else by its
/// bits.
fn literal(number: &Number) -> Result<String, &'static str> {
    let digits = number.bits.trim_start_matches("0x");
    let bytes = digits.len() / 2;
    if number.hex.is_none() {
        return Ok(match number.value.starts_with('-') {
            // The least integer is an operator and a number too large for its type.
            true => format!("int(z'{digits}', {bytes})"),
            false => format!("{}_{bytes}", number.value),
        });
    }
    let value: f64 = number.value.parse().map_err(|_| "an input has no name in Fortran")?;
    let least = if bytes == 4 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let is_plain = value.is_finite() && (value.abs() >= least || number.value == "0");
    match (bytes, is_plain) {
        (4 | 8, true) => {
            let mantissa = number.value.replace("e+", "e");
            let point = if mantissa.contains(['.', 'e']) { "" } else { ".0" };
            Ok(format!("{mantissa}{point}_{bytes}"))
        }
        (4 | 8, false) => {
            Ok(format!("transfer(int(z'{digits}', {bytes}), 0.0_{bytes}) ! {}", number.value))
        }
        (_, _) => Err("an input is of a format without a name in Fortran"),
    }
}

fn flag(kind: Kind) -> Result<&'static str, &'static str> {
    match kind {
        Kind::Overflow => Ok("ieee_overflow"),
        Kind::Underflow => Ok("ieee_underflow"),
        Kind::DivideByZero => Ok("ieee_divide_by_zero"),
        Kind::Invalid | Kind::ConversionOutOfRange => Ok("ieee_invalid"),
        Kind::IntegerOverflow => Err("no compiler of Fortran checks integers"),
        finding_kinds!(Precision, Handling, Failure) => Err("it raises no flag"),
    }
}

fn result_type(finding: &Finding) -> Result<Option<String>, &'static str> {
    let outputs = &finding.details.outputs;
    if outputs.iter().any(|output| output.name.starts_with("return.")) {
        return Err("its result is more than a number");
    }
    let Some(output) = outputs.iter().find(|output| output.name == "return") else {
        return Ok(None);
    };
    let bytes = (output.bits.len() - 2) / 2;
    Ok(Some(match output.hex {
        Some(_) => format!("real({bytes})"),
        None => format!("integer({bytes})"),
    }))
}
