//! The engines that a user chooses, and no others.

use nanoscope_analyses::{Source, exceptions};
use nanoscope_report::{Kind, Outcome, Report};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use exceptions::Engine;

fn run(engines: &[Engine]) -> Report {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects/chosen.c");
    let options = exceptions::Options {
        source: Source { files: vec![file], ..Source::default() },
        functions: Vec::new(),
        contracts: exceptions::Contracts::default(),
        time_limit: Some(Duration::from_secs(120)),
        function_time: None,
        evaluations: Some(200_000),
        engines: engines.to_vec(),
        seed: 1,
        jobs: 1,
        stop_at_first: false,
        polish: false,
        following: Default::default(),
        stop: Arc::new(AtomicBool::new(false)),
    };
    exceptions::run(&options, &|_| ()).unwrap_or_else(|fault| panic!("{fault}"))
}

/// How the goal of this kind in `square` and in `guarded` ended, and who said so.
fn check(engines: &[Engine], kind: Kind, outcome: Outcome, by: Option<&str>) {
    let report = run(engines);
    let asked = report.verdicts.iter().filter(|verdict| verdict.kind == kind);
    let ends: Vec<Outcome> = asked.map(|verdict| verdict.outcome).collect();
    assert!(ends.contains(&outcome), "{engines:?}: {ends:?}");
    let finders = report.findings.iter().map(|finding| finding.engine.as_str());
    let provers =
        report.verdicts.iter().filter_map(|one| Some(one.proof.as_ref()?.engine.as_str()));
    let mut named: Vec<&str> = finders.chain(provers).filter(|one| *one != "constants").collect();
    named.sort_unstable();
    named.dedup();
    assert_eq!(named, by.into_iter().collect::<Vec<_>>(), "{engines:?}");
    let asks = engines.contains(&Engine::Explore) || engines.contains(&Engine::Reals);
    assert_eq!(report.statistics.solver.queries > 0, asks, "{engines:?}");
    let runs = report.statistics.search.evaluations > 0;
    assert_eq!(runs, engines.contains(&Engine::Search), "{engines:?}");
}

#[test]
fn each_alone() {
    check(&[Engine::Ranges], Kind::Overflow, Outcome::Impossible, Some("ranges"));
    check(&[Engine::Search], Kind::Overflow, Outcome::Reached, Some("native-search"));
    check(&[Engine::Explore], Kind::Overflow, Outcome::Reached, Some("exploration"));
    check(&[Engine::Reals], Kind::Overflow, Outcome::Reached, Some("reals"));
    check(&[], Kind::Overflow, Outcome::Open, None);
}

/// Over the reals the guarded product cannot overflow; that proves nothing of floats.
#[test]
fn reals_prove_nothing() {
    let report = run(&[Engine::Reals]);
    let guarded = report.verdicts.iter().filter(|verdict| verdict.function == "guarded");
    for verdict in guarded {
        let proved = verdict.proof.as_ref().is_some_and(|proof| proof.engine != "constants");
        assert!(!proved, "{verdict:?}");
    }
    assert_eq!(report.statistics.solver.unsat, 0);
}
