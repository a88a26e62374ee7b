//! A finding as a regression test in C or C++ (in Fortran: `fortran_test.rs`): a program that calls the function with the
//! finding's input and fails as long as the exception happens.

use crate::calling::{self, Written};
use crate::fortran_test;
use crate::replaying;
use crate::test_file::{RegressionTest, is_fortran, name, suffix};
use crate::words;
use crate::{Finding, Kind, Report, finding_kinds};
use std::fmt::Write;

/// Writes a finding's test; the error says why there can be none.
pub fn to_regression_test(
    report: &Report,
    finding: &Finding,
) -> Result<RegressionTest, &'static str> {
    // What calls a binary was written by the one who knows how it is called.
    let kept = |key: &str| finding.details.more.get(key).and_then(serde_json::Value::as_str);
    if let Some(text) = kept("test") {
        let suffix = kept("test_suffix").unwrap_or("c");
        let file = format!("{}.{suffix}", finding.id);
        return Ok(RegressionTest { file, text: text.to_string() });
    }
    if finding.kind == Kind::SwallowedException {
        return Err("its function takes or gives what neither C nor Fortran has a type for");
    }
    if !finding.kind.is_exception() {
        return replaying::to_program(report, finding);
    }
    if is_fortran(report) {
        return fortran_test::write(report, finding);
    }
    let suffix = suffix(report)?;
    let sight = sight(finding)?;
    let written = calling::write(finding, &report.subject.sources)?;
    if suffix != "c" && written.included.is_some() {
        return Err("its parameters are classes, or nobody else can call it");
    }
    let mut text = String::new();
    header(&mut text, report, finding, suffix, sight, &written);
    let name = name(finding.kind);
    if let Sight::Trap(_) | Sight::Check(_) = sight {
        let _ = write!(
            text,
            "\nstatic void trapped(int signal)\n{{\n    (void)signal;\n    \
             puts(\"{}: {name} happens\");\n    fflush(stdout);\n    _exit(1);\n}}\n",
            finding.id
        );
    }
    let _ = write!(text, "\nint main(void)\n{{\n");
    for statement in &written.statements {
        let _ = writeln!(text, "    {statement}");
    }
    if written.included.is_some() {
        // Through a pointer that nobody sees through: what is in the same file would be
        // computed by the compiler, or left out.
        let function = calling::c_name(&finding.function);
        let _ = writeln!(text, "    __typeof__({function}) *volatile tested = {function};");
    }
    let _ = match sight {
        Sight::Flag(_) => writeln!(text, "    feclearexcept(FE_ALL_EXCEPT);"),
        Sight::Trap(flag) => {
            writeln!(text, "    signal(SIGFPE, trapped);\n    feenableexcept({flag});")
        }
        Sight::Check(_) => writeln!(text, "    signal(SIGILL, trapped);"),
    };
    let call = match &written.included {
        Some(_) => written.call.replacen(calling::c_name(&finding.function), "tested", 1),
        None => written.call.clone(),
    };
    let _ = match &written.result {
        // Used, so that no compiler leaves the call out.
        Some(result) => {
            writeln!(text, "    volatile {result} returned = {call};\n    (void)returned;")
        }
        None => writeln!(text, "    {call};"),
    };
    if let Sight::Flag(flag) = sight {
        let _ = write!(
            text,
            "    if (fetestexcept({flag})) {{\n        puts(\"{}: {name} happens\");\n        \
             return 1;\n    }}\n",
            finding.id
        );
    }
    text.push_str("    return 0;\n}\n");
    Ok(RegressionTest { file: format!("{}.{suffix}", finding.id), text })
}

/// How a test sees that an exception happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// By a flag that the machine raises.
    Flag(&'static str),
    /// By a trap of the machine, where there is no flag: an exact subnormal result raises
    /// none, but traps where underflow does (IEEE 754, 7.5).
    Trap(&'static str),
    /// By a check that compilers put in: this one of `-fsanitize`.
    Check(&'static str),
}

fn sight(finding: &Finding) -> Result<Sight, &'static str> {
    let computed = finding.details.computed.as_ref();
    match finding.kind {
        Kind::Overflow => Ok(Sight::Flag("FE_OVERFLOW")),
        Kind::DivideByZero => Ok(Sight::Flag("FE_DIVBYZERO")),
        Kind::Invalid => Ok(Sight::Flag("FE_INVALID")),
        Kind::Underflow => match computed {
            // Zero, from what is not zero, is never exact.
            Some(number) if number.value.trim_start_matches('-') == "0" => {
                Ok(Sight::Flag("FE_UNDERFLOW"))
            }
            Some(_) | None => Ok(Sight::Trap("FE_UNDERFLOW")),
        },
        // x86-64 converts to 32 and 64 bits with a sign; other types are cut out of these.
        Kind::ConversionOutOfRange => match computed {
            Some(number) if finding.operation == "fptosi" && number.bits.len() >= 2 + 8 => {
                Ok(Sight::Flag("FE_INVALID"))
            }
            Some(_) | None => Ok(Sight::Check("float-cast-overflow")),
        },
        Kind::IntegerOverflow => match computed {
            Some(_) if finding.operation == "trunc" => {
                Err("no compiler checks conversions between integers that are written out")
            }
            Some(number) if number.type_name.starts_with("unsigned") => {
                Ok(Sight::Check("unsigned-integer-overflow"))
            }
            Some(_) | None => Ok(Sight::Check("signed-integer-overflow")),
        },
        finding_kinds!(Precision, Handling, Failure) => Err("it raises no flag"),
    }
}

fn header(
    text: &mut String,
    report: &Report,
    finding: &Finding,
    suffix: &str,
    sight: Sight,
    written: &Written,
) {
    let compiler = match sight {
        // No other compiler has it.
        Sight::Check("unsigned-integer-overflow") if suffix == "c" => "clang",
        Sight::Check("unsigned-integer-overflow") => "clang++",
        _ if suffix == "c" => "cc",
        _ => "c++",
    };
    let mut command = vec![compiler.to_string()];
    command.extend(report.subject.flags.iter().cloned());
    let build = finding.details.more.get(words::BUILD).and_then(|flag| flag.as_str());
    command.extend(build.map(str::to_owned));
    if let Sight::Check(check) = sight {
        command.push(format!("-fsanitize={check}"));
        command.push("-fsanitize-undefined-trap-on-error".to_string());
    }
    if written.included.is_some() {
        command.push("-I.".to_string());
    }
    command.push(format!("{}.{suffix}", finding.id));
    let others = report.subject.sources.iter();
    command.extend(others.filter(|source| written.included.as_ref() != Some(*source)).cloned());
    command.push("-lm".to_string());
    // A comment must not be ended by what it quotes.
    let quoted = |words: &str| words.replace("*/", "* /");
    let _ = write!(
        text,
        "/* {}: {}\n * {}:{}:{}, in {}. Found by Nanoscope {}.\n *\n * Fails as long as this call \
         raises {}:\n *     {}\n */\n\n",
        finding.kind.name(),
        quoted(&words::headline(finding)),
        quoted(&finding.place.file),
        finding.place.line,
        finding.place.column,
        quoted(&finding.function),
        report.version,
        name(finding.kind),
        quoted(&command.join(" "))
    );
    if let Sight::Trap(_) = sight {
        text.push_str("#ifndef _GNU_SOURCE\n#define _GNU_SOURCE 1\n#endif\n");
    }
    // First, with the features that it asks of the system's headers.
    if let Some(source) = &written.included {
        let _ =
            write!(text, "#define main main_of_the_program\n#include \"{source}\"\n#undef main\n");
    }
    text.push_str("#include <fenv.h>\n");
    if written.statements.iter().any(|s| s.contains("INFINITY;") || s.contains("NAN;")) {
        text.push_str("#include <math.h>\n");
    }
    if !matches!(sight, Sight::Flag(_)) {
        text.push_str("#include <signal.h>\n");
    }
    text.push_str("#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n");
    if written.statements.iter().any(|s| s.contains("calloc(") || s.starts_with("memset(")) {
        text.push_str("#include <stdlib.h>\n#include <string.h>\n");
    }
    if !matches!(sight, Sight::Flag(_)) {
        text.push_str("#include <unistd.h>\n");
    }
    if let Some(declaration) = &written.declaration {
        let _ = write!(text, "\n{declaration}\n");
    }
}
