//! Test suites in the format of the competition on software testing: a file of metadata, and a file
//! for each test with what the program is given, in order.

use super::Origin;
use crate::words::put;
use crate::{Asking, Given, Kind, Report, Test};

/// The files of a suite: names and contents.
pub fn to_test_suite(
    report: &Report,
    specification: &str,
    origin: &Origin,
) -> Vec<(String, String)> {
    let mut files = vec![("metadata.xml".to_string(), metadata(report, specification, origin))];
    for test in &report.tests {
        files.push((format!("{}.xml", test.name), case(report, test)));
    }
    files
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n";

fn metadata(report: &Report, specification: &str, origin: &Origin) -> String {
    let program = report.subject.sources.first().map_or("", String::as_str);
    let is_cpp = [".cpp", ".cc", ".cxx"].iter().any(|ending| program.ends_with(ending));
    let entry = report.subject.entry.as_deref().unwrap_or("main");
    let mut out = HEAD.to_string();
    out.push_str(
        "<!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
         \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n<test-metadata>\n",
    );
    for (name, text) in [
        ("sourcecodelang", if is_cpp { "C++" } else { "C" }),
        ("producer", &format!("Nanoscope {}", report.version)),
        ("specification", specification),
        ("programfile", program),
        ("programhash", &origin.hash(program).unwrap_or_default()),
        ("entryfunction", entry),
        ("architecture", "64bit"),
        ("creationtime", &origin.time()),
    ] {
        put(&mut out, format_args!("  <{name}>{}</{name}>\n", escaped(text)));
    }
    out.push_str("</test-metadata>\n");
    out
}

fn case(report: &Report, test: &Test) -> String {
    let covers_error = test.finding.as_ref().is_some_and(|id| {
        report.all_findings().any(|finding| finding.id == *id && finding.kind == Kind::ErrorCall)
    });
    let mut out = HEAD.to_string();
    out.push_str(
        "<!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
         \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n",
    );
    out.push_str(if covers_error { "<testcase coversError=\"true\">\n" } else { "<testcase>\n" });
    for given in test.given.iter().filter(|given| given.how != Asking::Never) {
        let Some(bytes) = given.decoded() else { continue };
        let (ty, text) = value(given, &bytes);
        let ty = ty.map_or(String::new(), |ty| format!(" type=\"{ty}\""));
        put(
            &mut out,
            format_args!(
                "  <input variable=\"{}\"{ty}>{}</input>\n",
                escaped(&given.name),
                escaped(&text)
            ),
        );
    }
    out.push_str("</testcase>\n");
    out
}

/// C's type of what the program is given, where the function that asks tells it, and its value as a
/// constant of C.
pub(super) fn value(given: &Given, bytes: &[u8]) -> (Option<&'static str>, String) {
    let asked = given.through.rsplit_once("nondet_").map_or("", |(_, ty)| ty);
    let mut wide = [0u8; 16];
    let length = bytes.len().min(16);
    wide[..length].copy_from_slice(&bytes[..length]);
    let unsigned = u128::from_le_bytes(wide);
    let bits = 8 * length.max(1) as u32;
    let signed = ((unsigned << (128 - bits)) as i128) >> (128 - bits);
    let float = |value: f64| format!("{value:?}");
    match asked {
        "double" => (Some("double"), float(f64::from_bits(unsigned as u64))),
        "float" => (Some("float"), format!("{:?}", f32::from_bits(unsigned as u32))),
        "char" => (Some("char"), signed.to_string()),
        "short" => (Some("short"), signed.to_string()),
        "int" => (Some("int"), signed.to_string()),
        "long" => (Some("long"), signed.to_string()),
        "longlong" => (Some("long long"), signed.to_string()),
        "uchar" => (Some("unsigned char"), unsigned.to_string()),
        "ushort" => (Some("unsigned short"), unsigned.to_string()),
        "uint" | "unsigned" | "u32" => (Some("unsigned int"), unsigned.to_string()),
        "ulong" => (Some("unsigned long"), unsigned.to_string()),
        "ulonglong" => (Some("unsigned long long"), unsigned.to_string()),
        "bool" | "_Bool" => (Some("bool"), unsigned.to_string()),
        _ => {
            let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
            (None, if digits.is_empty() { "0".to_string() } else { format!("0x{digits}") })
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
