//! Reports follow the published JSON schema.

use crate::support::Desk;
use serde_json::Value;

#[test]
fn reports_follow_the_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/nanoscope-1.schema.json");
    let schema = std::fs::read_to_string(path).expect("the schema is published");
    let schema: Value = serde_json::from_str(&schema).expect("it is JSON");
    let schema = jsonschema::validator_for(&schema).expect("it is a schema");
    let desk = Desk::new();
    let average = desk.example("average.c");
    let histogram = desk.example("histogram.c");
    let precision = desk.example("precision.c");
    let function = "--function";
    for arguments in [
        vec!["exceptions", &average, function, "average_naive"],
        vec!["test", &histogram],
        vec!["precision", &precision, "-lm", function, "smaller_root", "--input", "b=2..100"],
    ] {
        let limits = ["--time-limit", "3", "--quiet", "--json", "-"];
        let run = desk.run(&[&arguments[..], &limits[..]].concat());
        let report: Value = serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", run.stderr));
        let mistakes: Vec<String> =
            schema.iter_errors(&report).map(|mistake| mistake.to_string()).collect();
        assert!(mistakes.is_empty(), "{arguments:?}: {mistakes:?}");
        // The schema is no empty promise: a report without its findings violates it.
        let mut less = report.clone();
        less.as_object_mut().expect("a report is an object").remove("findings");
        assert!(!schema.is_valid(&less), "{arguments:?}");
    }
}
