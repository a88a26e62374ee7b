//! A test run's finding as a regression test in C: linked with the program, it hands it the
//! finding's inputs as the program asks for them, and the program fails as it did.

use crate::calling::{Parameter, parameters};
use crate::test_file::{RegressionTest, suffix};
use crate::words;
use crate::{Asking, Finding, Given, Report, finding_kinds};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Writes the test; the error says why there can be none.
pub(crate) fn to_program(
    report: &Report,
    finding: &Finding,
) -> Result<RegressionTest, &'static str> {
    let suffix = suffix(report)?;
    let given = finding.given();
    if given.iter().any(|given| given.how == Asking::Never) {
        return Err("it depends on what no test can give");
    }
    let mut text = String::new();
    header(&mut text, report, finding, suffix);
    let stdin: Vec<u8> = of(&given, Asking::Stdin).filter_map(Given::decoded).flatten().collect();
    if !stdin.is_empty() {
        write_stdin(&mut text, &stdin);
    }
    interface(&mut text, &given, suffix)?;
    if let Some(function) = &report.subject.entry {
        call(&mut text, function, &parameters(&finding.inputs)?);
    }
    Ok(RegressionTest { file: format!("{}.{suffix}", finding.id), text })
}

fn of(given: &[Given], how: Asking) -> impl Iterator<Item = &Given> {
    given.iter().filter(move |given| given.how == how)
}

fn header(text: &mut String, report: &Report, finding: &Finding, suffix: &str) {
    let mut command = vec![if suffix == "c" { "cc" } else { "c++" }.to_string()];
    command.extend(report.subject.flags.iter().cloned());
    match finding.kind {
        finding_kinds!(Undefined) => {
            let checks = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
            command.extend(checks.map(str::to_string));
        }
        finding_kinds!(Stop, Precision, Handling, Exception) => {}
    }
    command.push(format!("{}.{suffix}", finding.id));
    command.extend(report.subject.sources.iter().cloned());
    command.push("-lm".to_string());
    // A comment must not be ended by what it quotes.
    let quoted = |words: &str| words.replace("*/", "* /");
    let _ = write!(
        text,
        "/* {}: {}\n * {}:{}, in {}. Found by Nanoscope {}.\n *\n * Ends by a signal, or with a \
         status other than 0, as long as it happens:\n *     {}\n */\n\n#include <stdio.h>\n\
         #include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\n",
        finding.kind.name(),
        quoted(&words::headline(finding)),
        quoted(&finding.place.file),
        finding.place.line,
        quoted(&finding.function),
        report.version,
        quoted(&command.join(" "))
    );
}

fn bytes(list: &[u8]) -> String {
    let numbers: Vec<String> = list.iter().map(|byte| format!("{byte:#04x}")).collect();
    let lines: Vec<String> =
        numbers.chunks(12).map(|line| format!("    {},\n", line.join(", "))).collect();
    lines.concat()
}

fn write_stdin(text: &mut String, stdin: &[u8]) {
    let _ = write!(
        text,
        "static const unsigned char standard_input[] = {{\n{}}};\n\n\
         __attribute__((constructor)) static void feed(void)\n{{\n    FILE *file = tmpfile();\n    \
         fwrite(standard_input, 1, sizeof standard_input, file);\n    rewind(file);\n    \
         dup2(fileno(file), 0);\n}}\n\n",
        bytes(stdin)
    );
}

/// KLEE's way of asking.
const SYMBOLIC: &str = "klee_make_symbolic";

/// The functions by which the program asks for unknowns, and those that end it.
fn interface(text: &mut String, given: &[Given], suffix: &str) -> Result<(), &'static str> {
    let unknowns: Vec<&Given> = of(given, Asking::Unknown).collect();
    let decoded: Vec<Vec<u8>> = unknowns.iter().filter_map(|given| given.decoded()).collect();
    let lengths: Vec<String> = decoded.iter().map(|bytes| bytes.len().to_string()).collect();
    let count = decoded.len();
    if suffix != "c" {
        text.push_str("extern \"C\" {\n\n");
    }
    if count > 0 {
        let _ = write!(
            text,
            "static const unsigned char inputs[] = {{\n{}}};\nstatic const size_t lengths[] = \
             {{ {} }};\n\n",
            bytes(&decoded.concat()),
            lengths.join(", ")
        );
        let _ = write!(
            text,
            "static void take(void *place, size_t size)\n{{\n    static size_t next, offset;\n    \
             if (next == {count}) {{\n        puts(\"the program asks for more than it did\");\n        \
             exit(0);\n    }}\n    memset(place, 0, size);\n    memcpy(place, inputs + offset, \
             lengths[next] < size ? lengths[next] : size);\n    offset += lengths[next++];\n}}\n\n"
        );
    }
    let mut through: BTreeSet<&str> = unknowns.iter().map(|given| given.through.as_str()).collect();
    if through.contains(SYMBOLIC) {
        // It stands for all of KLEE's that give an unknown.
        through.extend(["klee_int", "klee_range"]);
    }
    for function in through {
        text.push_str(&asking(function)?);
    }
    text.push_str(
        "#define WEAK __attribute__((weak))\n\
         WEAK void klee_assume(unsigned long condition) { if (!condition) exit(0); }\n\
         WEAK void __VERIFIER_assume(int condition) { if (!condition) exit(0); }\n\
         WEAK void klee_silent_exit(int status) { (void)status; exit(0); }\n\
         WEAK void reach_error(void) { abort(); }\n\
         WEAK void __VERIFIER_error(void) { abort(); }\n",
    );
    if suffix != "c" {
        text.push_str("\n}\n");
    }
    Ok(())
}

/// The definition of a function that asks for an unknown.
fn asking(function: &str) -> Result<String, &'static str> {
    let result = match function {
        SYMBOLIC | "__VERIFIER_nondet_memory" => {
            let name = if function == SYMBOLIC { ", const char *name" } else { "" };
            let used = if name.is_empty() { "" } else { "    (void)name;\n" };
            return Ok(format!(
                "void {function}(void *place, size_t size{name})\n{{\n{used}    take(place, \
                 size);\n}}\n\n"
            ));
        }
        "klee_int" => {
            return Ok("int klee_int(const char *name)\n{\n    int value;\n    (void)name;\n    \
                       take(&value, sizeof value);\n    return value;\n}\n\n"
                .to_string());
        }
        "klee_range" => {
            return Ok(
                "int klee_range(int begin, int end, const char *name)\n{\n    int value;\n    \
                       (void)name;\n    if (begin + 1 == end) return begin;\n    take(&value, \
                       sizeof value);\n    return value;\n}\n\n"
                    .to_string(),
            );
        }
        other => {
            let name = other.strip_prefix("__VERIFIER_nondet_").unwrap_or("");
            nondet_type(name).ok_or("it asks through a function not known here")?
        }
    };
    Ok(format!(
        "{result} {function}(void)\n{{\n    {result} value;\n    take(&value, sizeof \
         value);\n    return value;\n}}\n\n"
    ))
}

/// What `__VERIFIER_nondet_NAME` returns.
fn nondet_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "bool" | "_Bool" => "_Bool",
        "char" => "char",
        "schar" | "S8" | "int8_t" => "signed char",
        "uchar" | "unsigned_char" | "u8" | "U8" | "uint8_t" => "unsigned char",
        "short" | "S16" | "int16_t" => "short",
        "ushort" | "u16" | "U16" | "uint16_t" => "unsigned short",
        "int" | "S32" | "int32_t" => "int",
        "uint" | "unsigned" | "unsigned_int" | "u32" | "U32" | "uint32_t" => "unsigned",
        "long" | "S64" | "int64_t" | "loff_t" | "off_t" | "ssize_t" | "intptr_t" => "long",
        "ulong" | "u64" | "U64" | "uint64_t" | "size_t" | "sector_t" | "pthread_t"
        | "uintptr_t" => "unsigned long",
        "longlong" => "long long",
        "ulonglong" => "unsigned long long",
        "int128" => "__int128",
        "uint128" => "unsigned __int128",
        "float16" => "_Float16",
        "float" => "float",
        "double" => "double",
        "longdouble" | "long_double" => "long double",
        "float128" => "__float128",
        "pointer" => "void *",
        _ => return None,
    })
}

fn call(text: &mut String, function: &str, parameters: &[Parameter]) {
    let declared: Vec<String> = parameters.iter().map(Parameter::declaration).collect();
    let passed: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let declared = if declared.is_empty() { "void".to_string() } else { declared.join(", ") };
    let _ = write!(text, "\nvoid {function}({declared});\n\nint main(void)\n{{\n");
    for parameter in parameters {
        let _ = writeln!(text, "    {}", parameter.definition());
    }
    let _ = write!(text, "    {function}({});\n    return 0;\n}}\n", passed.join(", "));
}
