//! What other tools of the field read: parsed back by readers of our own.

use nanoscope_report::competition::{
    Answer, NoWitness, Origin, Property, to_ktest, to_test_suite, to_witness,
};
use nanoscope_report::{
    Asking, Claim, Evidence, Finding, Given, Kind, Place, Report, Run, Status, Subject, Test,
    identity,
};

const PROGRAM: &str = "\
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);
int main(void) {
    double x = __VERIFIER_nondet_double();
    if (x > 1) reach_error();
    return 0;
}
";

const REACH: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )";

fn given(how: Asking, value: f64) -> Given {
    Given {
        name: "x<1>".to_string(),
        how,
        through: "__VERIFIER_nondet_double".to_string(),
        bytes: Given::encoded(&value.to_le_bytes()),
    }
}

fn report(findings: &[(Kind, &str)], status: Status) -> Report {
    let finding = |(kind, operation): &(Kind, &str)| {
        let place = Place { file: "program.c".to_string(), line: 5, column: 16 };
        let mut evidence = Evidence::default();
        let kept = serde_json::to_value([given(Asking::Unknown, 1.5)]).expect("plain data");
        evidence.more.insert("given".to_string(), kept);
        let claim = Claim {
            id: identity(*kind, "main", &place, operation, 1),
            kind: *kind,
            function: "main".to_string(),
            place,
            operation: (*operation).to_string(),
            inputs: Vec::new(),
            engine: "exploration".to_string(),
        };
        Finding::new(claim, evidence)
    };
    let findings: Vec<Finding> = findings.iter().map(finding).collect();
    let test = |number: usize, value: f64| Test {
        name: format!("test-{number:04}"),
        function: "main".to_string(),
        inputs: Vec::new(),
        given: vec![given(Asking::Unknown, value), given(Asking::Never, 0.0)],
        outcome: "exited with status 0".to_string(),
        finding: findings.first().filter(|_| number == 1).map(|finding| finding.id.clone()),
        engine: "exploration".to_string(),
    };
    let tests = vec![test(1, 1.5), test(2, -2e-300)];
    let run = Run {
        command: "test".to_string(),
        seed: 1,
        subject: Subject { sources: vec!["program.c".to_string()], ..Subject::default() },
    };
    Report::new(run, findings, Vec::new(), Default::default())
        .with_tests(tests, None)
        .with_status(status)
}

fn origin() -> Origin<'static> {
    Origin {
        created: 1_767_225_599,
        read: &|file| (file == "program.c").then(|| PROGRAM.as_bytes().to_vec()),
    }
}

#[test]
fn verdicts_on_properties() {
    let reach = Property::parse(REACH).expect("a property");
    let memory =
        "CHECK( init(main()), LTL(G valid-deref) )\nCHECK( init(main()), LTL(G valid-memtrack) )";
    let memory = Property::parse(memory).expect("a property");
    let error = (Kind::ErrorCall, "reach_error");
    let deref = (Kind::InvalidDeref, "load");
    for (property, findings, status, holds) in [
        (&reach, vec![error], Status::Stopped, Answer::False),
        (&reach, vec![deref], Status::Exhausted, Answer::True),
        (&reach, vec![], Status::Stopped, Answer::Unknown),
        (&memory, vec![error, deref], Status::Exhausted, Answer::False),
        (&memory, vec![error], Status::Exhausted, Answer::Unknown),
    ] {
        let report = report(&findings, status);
        assert_eq!(property.verdict(&report).holds, holds, "{findings:?}");
        let narrowed = property.narrow(report);
        assert_eq!(narrowed.property.map(|verdict| verdict.holds), Some(holds));
        assert!(narrowed.findings.iter().all(|finding| property.is_violated_by(finding)));
    }
}

#[test]
fn witnesses() {
    let reach = Property::parse(REACH).expect("a property");
    let violation = report(&[(Kind::ErrorCall, "reach_error")], Status::Stopped);
    insta::assert_snapshot!(to_witness(&violation, &reach, &origin()).expect("a witness"));
    // No constant says NaN: what was given before it stands.
    let mut with_nan = violation;
    let values = [1.5, f64::NAN, 2.5].map(|value| given(Asking::Unknown, value));
    let kept = serde_json::to_value(values).expect("plain data");
    with_nan.findings[0].details.more.insert("given".to_string(), kept);
    let told = to_witness(&with_nan, &reach, &origin()).expect("a witness");
    assert_eq!(told.matches("function_return").count(), 1, "{told}");
    assert_eq!(told.matches("\"target\"").count(), 1, "{told}");
    let correct = to_witness(&report(&[], Status::Exhausted), &reach, &origin());
    let correct = correct.expect("a witness");
    assert!(correct.starts_with("- entry_type: \"invariant_set\"\n"), "{correct}");
    assert!(correct.ends_with("\n  content: []\n"), "{correct}");
    let unknown = to_witness(&report(&[], Status::Stopped), &reach, &origin());
    assert!(matches!(unknown, Err(NoWitness::Unknown(_))), "{unknown:?}");
}

/// An element of XML: name, attributes, text.
type Element = (String, Vec<(String, String)>, String);

/// The elements of a small XML document.
fn elements(text: &str) -> Vec<Element> {
    let plain = |text: &str| {
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    };
    let mut list = Vec::new();
    for part in text.split('<').skip(1).filter(|part| part.starts_with(char::is_alphabetic)) {
        let (tag, inner) = part.split_once('>').expect("a tag ends");
        let (name, rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let attributes = rest
            .split("\" ")
            .filter_map(|pair| pair.split_once("=\""))
            .map(|(key, value)| (key.to_string(), plain(value.trim_end_matches('"'))))
            .collect();
        list.push((name.to_string(), attributes, plain(inner.trim())));
    }
    list
}

#[test]
fn test_suites() {
    let report = report(&[(Kind::ErrorCall, "reach_error")], Status::Stopped);
    let specification = "COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )";
    let files = to_test_suite(&report, specification, &origin());
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["metadata.xml", "test-0001.xml", "test-0002.xml"]);
    let metadata = elements(&files[0].1);
    let text = |name: &str| {
        let found = metadata.iter().find(|(element, ..)| element == name);
        found.unwrap_or_else(|| panic!("no {name} in {}", files[0].1)).2.clone()
    };
    assert_eq!(text("specification"), specification);
    assert_eq!(
        (text("programfile").as_str(), text("architecture").as_str()),
        ("program.c", "64bit")
    );
    assert_eq!(text("creationtime"), "2025-12-31T23:59:59Z");
    assert_eq!(text("programhash").len(), 64);
    let first = elements(&files[1].1);
    let covers = vec![("coversError".to_string(), "true".to_string())];
    assert_eq!(first[0], ("testcase".to_string(), covers, String::new()));
    let attributes = vec![
        ("variable".to_string(), "x<1>".to_string()),
        ("type".to_string(), "double".to_string()),
    ];
    assert_eq!(first[1..], [("input".to_string(), attributes, "1.5".to_string())]);
    assert_eq!(elements(&files[2].1)[1].2, "-2e-300");
}

#[test]
fn ktest_files() {
    let report = report(&[], Status::Exhausted);
    let bytes = to_ktest(&report, &report.tests[1]);
    let mut rest = bytes.strip_prefix(b"KTEST").expect("the format's mark");
    let word = |rest: &mut &[u8]| {
        let (head, tail) = rest.split_at(4);
        *rest = tail;
        u32::from_be_bytes(head.try_into().expect("four bytes"))
    };
    let block = |rest: &mut &[u8]| {
        let length = word(rest) as usize;
        let (head, tail) = rest.split_at(length);
        *rest = tail;
        head.to_vec()
    };
    assert_eq!((word(&mut rest), word(&mut rest)), (3, 1), "version, arguments");
    assert_eq!(block(&mut rest), b"program.c");
    assert_eq!((word(&mut rest), word(&mut rest)), (0, 0), "symbolic arguments");
    assert_eq!(word(&mut rest), 1, "objects");
    assert_eq!(block(&mut rest), b"x<1>");
    assert_eq!(block(&mut rest), (-2e-300f64).to_le_bytes());
    assert!(rest.is_empty());
}
