//! Harm in words, and the order it gives.

mod sample;

use nanoscope_report::text::{Files, Kept, Layout, Paint, to_text};
use nanoscope_report::{Effect, Exact, Harm, Report, Run, from_json, to_html, to_json, to_sarif};

fn harm(effect: Effect, avoidable: Option<bool>, error: Option<f64>) -> Harm {
    let exact = Exact { name: "return".to_string(), value: "1e-200".to_string(), error };
    Harm { effect, avoidable, exact: vec![exact], why: "ret == 0".to_string() }
}

/// The sample with harms, from the least to the worst.
fn judged() -> Report {
    let sample = sample::report();
    let mut findings = sample.findings.clone();
    for (finding, effect) in findings.iter_mut().zip(Effect::ALL.iter().rev()) {
        let error = (*effect == Effect::SilentlyWrong).then_some(1.0);
        finding.details.harm = Some(harm(*effect, Some(true), error));
    }
    let run = Run { command: sample.command, seed: sample.seed, subject: sample.subject };
    Report::new(run, findings, sample.verdicts, sample.statistics)
}

#[test]
fn the_worst_comes_first() {
    let report = judged();
    let effects: Vec<Effect> = report
        .findings
        .iter()
        .map(|finding| finding.details.harm.as_ref().map_or(Effect::Unclassified, |h| h.effect))
        .collect();
    assert!(effects.is_sorted(), "{effects:?}");
    assert_eq!(from_json(&to_json(&report)).expect("our own"), report);
}

#[test]
fn harm_is_told_in_every_format() {
    let sample = sample::report();
    for (effect, error, words) in [
        (
            Effect::SilentlyWrong,
            Some(1.0),
            "silently wrong: exactly, return = 1e-200 (relative error 1.0e0); the exception is potentially avoidable",
        ),
        (Effect::Spoilt, None, "the exact result is an ordinary number: return = 1e-200"),
        (
            Effect::Unavoidable,
            None,
            "the exact result is no ordinary number either: return = 1e-200",
        ),
        (Effect::Reported, None, "the function reports an error: ret == 0 does not hold"),
        (Effect::Unclassified, None, "unclassified: ret == 0"),
        (Effect::Harmless, None, "harmless: the result agrees with the exact one, return = 1e-200"),
    ] {
        let mut report = sample.only("overflow-mean-3.12-fadd").expect("it is there");
        report.findings[0].details.harm = Some(harm(effect, Some(true), error));
        let layout = Layout {
            paint: Paint::Plain,
            width: 80,
            sources: &Files::default(),
            kept: Kept::Nowhere,
            all: true,
        };
        let text = to_text(&report, &layout);
        assert!(text.contains(&format!("= harm:     {words}")), "{text}");
        assert!(text.contains(&format!("By harm: 1 {}.", effect.words())), "{text}");
        assert!(to_html(&report, &Files::default()).contains(words));
        assert!(to_sarif(&report, &Files::default()).to_lowercase().contains(words));
    }
}
