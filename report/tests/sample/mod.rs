//! A report of one run, with one of everything that a writer must cope with.

use nanoscope_ieee::Format;
use nanoscope_report::{
    Claim, Evidence, Finding, Kind, Note, Number, Outcome, Place, Raised, Report, Run, Search,
    Statistics, Subject, Verdict, identity,
};

fn double(name: &str, value: f64) -> Number {
    Number::float(name, "double", Format::BINARY64, u128::from(value.to_bits()))
}

fn place(line: u32, column: u32) -> Place {
    Place { file: "mean.c".to_string(), line, column }
}

struct Case {
    kind: Kind,
    function: &'static str,
    place: Place,
    operation: &'static str,
    inputs: Vec<Number>,
    evidence: Evidence,
}

fn finding(case: Case) -> Finding {
    let id = identity(case.kind, case.function, &case.place, case.operation, 1);
    Finding::new(
        Claim {
            id,
            kind: case.kind,
            function: case.function.to_string(),
            place: case.place,
            operation: case.operation.to_string(),
            inputs: case.inputs,
            engine: "native-search".to_string(),
        },
        case.evidence,
    )
}

/// The exception that a later one comes from.
fn root() -> Raised {
    Raised { kind: Kind::Overflow, place: place(3, 12), operation: "fadd".to_string() }
}

fn findings() -> Vec<Finding> {
    let half = double("y", 1e308);
    vec![
        finding(Case {
            kind: Kind::ConversionOutOfRange,
            function: "bucket",
            place: Place { file: "gone.c".to_string(), line: 7, column: 12 },
            operation: "fptosi",
            inputs: vec![double("x", -3e9), Number::integer("n", "int", 32, true, 0xffff_fffe)],
            evidence: Evidence {
                operands: vec![double("", -3e9)],
                computed: Some(Number::integer("", "int", 32, true, 0x8000_0000)),
                outputs: vec![Number::integer("return", "int", 32, true, 0x8000_0000)],
                ..Evidence::default()
            },
        }),
        finding(Case {
            kind: Kind::Overflow,
            function: "mean",
            place: place(3, 12),
            operation: "fadd",
            inputs: vec![double("x", f64::MAX), half.clone()],
            evidence: Evidence {
                operands: vec![double("", f64::MAX), double("", 1e308)],
                computed: Some(double("", f64::INFINITY)),
                outputs: vec![double("return", f64::INFINITY)],
                run: vec![root()],
                inlined_at: vec![place(9, 5)],
                ..Evidence::default()
            },
        }),
        finding(Case {
            kind: Kind::Underflow,
            function: "mean",
            place: place(3, 0),
            operation: "fdiv",
            inputs: vec![double("x", 5e-324), double("y", 0.0)],
            evidence: Evidence { outputs: vec![double("return", 0.0)], ..Evidence::default() },
        }),
        finding(Case {
            kind: Kind::Invalid,
            function: "spread",
            place: place(0, 0),
            operation: "log",
            inputs: (0..20).map(|i| double(&format!("a[{i}]"), f64::from(i) - 0.5)).collect(),
            evidence: Evidence {
                computed: Some(double("", f64::NAN)),
                ended: Some("signal 11".to_string()),
                ..Evidence::default()
            },
        }),
        finding(Case {
            kind: Kind::DivideByZero,
            function: "spread",
            place: place(6, 19),
            operation: "fdiv",
            inputs: vec![double("x", 0.1)],
            evidence: Evidence {
                operands: vec![double("", 1.0), double("", -0.0)],
                computed: Some(double("", f64::NEG_INFINITY)),
                outputs: vec![double("return", 0.0)],
                run: vec![root()],
                ..Evidence::default()
            },
        }),
    ]
}

/// The report; findings and verdicts are handed over in no order.
pub fn report() -> Report {
    let findings = findings();
    let mut verdicts: Vec<Verdict> = findings
        .iter()
        .map(|finding| Verdict {
            goal: finding.id.clone(),
            kind: finding.kind,
            function: finding.function.clone(),
            place: finding.place.clone(),
            operation: finding.operation.clone(),
            outcome: Outcome::Reached,
            why: "native-search".to_string(),
            proof: None,
        })
        .collect();
    let unsettled = [
        (Kind::Invalid, 3, Outcome::Impossible, "the operands are never infinite"),
        (Kind::Overflow, 9, Outcome::Open, "the time limit of 10 s"),
        (Kind::Underflow, 9, Outcome::Open, "the time limit of 10 s"),
        (Kind::Invalid, 9, Outcome::Open, "not nearer after 1000 runs"),
        (Kind::Invalid, 4, Outcome::Open, "not nearer after 200 runs"),
        (Kind::Invalid, 5, Outcome::Open, "not nearer after 3000 runs"),
        (Kind::Overflow, 4, Outcome::Open, "the call of `foreign` is not modelled"),
    ];
    for (kind, line, outcome, why) in unsettled {
        let place = place(line, 5);
        verdicts.push(Verdict {
            goal: identity(kind, "mean", &place, "fmul", 1),
            kind,
            function: "mean".to_string(),
            place,
            operation: "fmul".to_string(),
            outcome,
            why: why.to_string(),
            proof: None,
        });
    }
    let run = Run {
        command: "exceptions".to_string(),
        seed: 1,
        subject: Subject {
            sources: vec!["mean.c".to_string()],
            flags: vec!["-O2".to_string()],
            compile_commands: None,
            arrays: [("spread:a".to_string(), 20)].into(),
            ..Subject::default()
        },
    };
    let statistics = Statistics {
        seconds: 1.25,
        search: Search { evaluations: 1_000_000, seconds: 1.0, replays: 6, refuted: 1, stopped: 0 },
        ..Statistics::default()
    };
    let note = |function: &str, place: Place, text: &str| Note {
        function: function.to_string(),
        place,
        text: text.to_string(),
    };
    Report::new(run, findings, verdicts, statistics).with_notes([
        note("spread", Place::default(), "`n` is in 0..20, the length of the arrays"),
        note("mean", place(4, 3), "the inline assembly is not looked into"),
        note("", Place::default(), "-fsanitize=address is left out"),
    ])
}
