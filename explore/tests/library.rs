//! The library on known numbers: programs print what they compute, natively and explored.

mod subject;

use nanoscope_explore::{Ending, Event, Flow, Options, Start, explore};
use std::process::Command;

/// Runs a program natively and explores it; both must write the same and end with the same
/// status, and there must be one path.
fn check(name: &str, text: &str) {
    let folder =
        std::env::temp_dir().join(format!("nanoscope-library-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let (source, program) = (folder.join(name), folder.join(format!("{name}.out")));
    std::fs::write(&source, text).expect("it can be written");
    let compiled = Command::new("clang-19")
        .args(["-w", "-O0", "-frounding-math"])
        .args([&source, &"-o".into(), &program, &"-lm".into()])
        .status()
        .expect("clang-19");
    assert!(compiled.success(), "{name} does not compile");
    let native = Command::new(&program).output().expect("it runs");

    let code = subject::code_of(name, text);
    let mut written = Vec::new();
    let mut endings = Vec::new();
    let options = Options { echo: true, every_path: true, ..Options::default() };
    let start = Start::Main { arguments: vec![name.to_owned()] };
    let outcome = explore(&code, start, &options, &mut |event| {
        match event {
            Event::Output { bytes, .. } => written.extend(bytes),
            Event::Path(end) => endings.push((end.ending, end.location)),
            Event::Goal { .. } => {}
        }
        Flow::Continue
    });
    let expected = String::from_utf8_lossy(&native.stdout);
    let actual = String::from_utf8_lossy(&written);
    for (number, (expected, actual)) in expected.lines().zip(actual.lines()).enumerate() {
        assert_eq!(expected, actual, "line {} of what {name} writes", number + 1);
    }
    assert_eq!(expected.lines().count(), actual.lines().count(), "{endings:?} {outcome:?}");
    let [(Ending::Returned(status) | Ending::Exited(status), _)] = endings[..] else {
        panic!("{name} ends as {endings:?}")
    };
    assert_eq!(Some(status), native.status.code());
    assert!(outcome.exhausted, "{name}: {:?}", outcome.stopped_by);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn mathematics() {
    check("math.c", include_str!("library/math.c"));
}

#[test]
fn files() {
    check("files.c", include_str!("library/files.c"));
}

#[test]
fn text() {
    check("text.c", include_str!("library/text.c"));
}

#[test]
fn environment() {
    check("fenv.c", include_str!("library/fenv.c"));
}
