//! KLEE's test files: what `ktest-tool` and KLEE's replay library read. All numbers are 32 bits,
//! the highest byte first.

use crate::{Asking, Report, Test};

/// The version of the format.
const VERSION: u32 = 3;

/// A test as the bytes of a `.ktest` file.
pub fn to_ktest(report: &Report, test: &Test) -> Vec<u8> {
    let mut out = b"KTEST".to_vec();
    put(&mut out, VERSION);
    let program = report.subject.sources.first().map_or("program", String::as_str);
    let arguments =
        std::iter::once(program).chain(report.subject.arguments.iter().map(String::as_str));
    let arguments: Vec<&str> = arguments.collect();
    put(&mut out, arguments.len() as u32);
    for argument in arguments {
        put_bytes(&mut out, argument.as_bytes());
    }
    // No argument of `main` is symbolic.
    put(&mut out, 0);
    put(&mut out, 0);
    let objects: Vec<(&str, Vec<u8>)> = test
        .given
        .iter()
        .filter(|given| given.how != Asking::Never)
        .filter_map(|given| Some((name(given), given.decoded()?)))
        .collect();
    put(&mut out, objects.len() as u32);
    for (name, bytes) in objects {
        put_bytes(&mut out, name.as_bytes());
        put_bytes(&mut out, &bytes);
    }
    out
}

/// What KLEE calls an object.
fn name(given: &crate::Given) -> &str {
    match given.how {
        Asking::Stdin => "stdin",
        Asking::Unknown | Asking::Parameter | Asking::Time | Asking::Never => &given.name,
    }
}

fn put(out: &mut Vec<u8>, number: u32) {
    out.extend(number.to_be_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u32);
    out.extend(bytes);
}
