mod subject;
use nanoscope_explore::*;
#[test]
fn t() {
    let text = std::fs::read_to_string("/tmp/lib-try/try.c").unwrap();
    let code = subject::code_of("try.c", &text);
    let options = Options { echo: true, every_path: true, deadline: Some(std::time::Instant::now() + std::time::Duration::from_secs(60)), ..Options::default() };
    let mut out = Vec::new();
    let outcome = explore(&code, Start::Main { arguments: vec!["x".into()] }, &options, &mut |event| {
        match event {
            Event::Output { bytes, .. } => out.extend(bytes),
            Event::Path(end) => println!("{} at {:?} {:?} {:?}", end.ending, end.location, end.inputs, end.assumptions),
            _ => {}
        }
        Flow::Continue
    });
    println!("{}", String::from_utf8_lossy(&out));
    println!("{} {:?} {:?}", outcome.exhausted, outcome.stopped_by, outcome.statistics);
}
