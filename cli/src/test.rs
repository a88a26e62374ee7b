//! `nanoscope test`.

use crate::as_ours;
use crate::exceptions::{query_log, wishes};
use crate::progress::ProgressLine;
use nanoscope_analyses::{Source, tests};
use nanoscope_cli::interruptible;
use nanoscope_cli::testing::{ExternalCalls, Search, StandardInput, Test};
use nanoscope_cli::{Conclusion, Fault, output};
use nanoscope_report::Report;
use nanoscope_report::competition::{
    NoWitness, Origin, Property, to_ktest, to_test_suite, to_witness,
};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Explores a program and hands the report over.
pub fn run(arguments: &Test, flags: Vec<String>) -> Result<Conclusion, Fault> {
    arguments.delivery.prepare()?;
    let property = property(arguments.property.as_deref())?;
    for folder in [&arguments.test_suite, &arguments.ktest].into_iter().flatten() {
        std::fs::create_dir_all(folder)
            .map_err(|error| output::cannot("make the folder", folder, &error))?;
    }
    let options = options(arguments, flags)?;
    let line = Mutex::new(ProgressLine::new(arguments.delivery.quiet || arguments.echo));
    let echo = |error: bool, bytes: &[u8]| {
        // Whoever closed it does not want to know.
        let _ = if error {
            std::io::stderr().write_all(bytes)
        } else {
            std::io::stdout().write_all(bytes)
        };
    };
    let report = tests::run(
        &options,
        &tests::Listener {
            progress: &|text| line.lock().unwrap_or_else(PoisonError::into_inner).show(text),
            echo: arguments.echo.then_some(&echo),
        },
    );
    drop(line);
    let report = report.map_err(as_ours)?;
    hand_over(arguments, &report, property.as_ref())?;
    let report = match &property {
        Some(property) => property.narrow(report),
        None => report,
    };
    arguments.delivery.deliver(report)
}

/// The property that is asked about.
fn property(file: Option<&Path>) -> Result<Option<Property>, Fault> {
    let Some(file) = file else { return Ok(None) };
    let text =
        std::fs::read_to_string(file).map_err(|error| output::cannot("read", file, &error))?;
    let property =
        Property::parse(&text).map_err(|why| Fault::User(format!("{}: {why}", file.display())))?;
    Ok(Some(property))
}

/// Writes what other tools of the field read.
fn hand_over(arguments: &Test, report: &Report, property: Option<&Property>) -> Result<(), Fault> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let origin = Origin {
        created: now.map_or(0, |since| since.as_secs()),
        read: &|file| std::fs::read(file).ok(),
    };
    if let Some(folder) = &arguments.test_suite {
        const BRANCHES: &str = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )";
        let specification = property.map_or(BRANCHES, |property| &property.specification);
        for (name, text) in to_test_suite(report, specification, &origin) {
            output::write(&folder.join(name), &text)?;
        }
    }
    if let Some(folder) = &arguments.ktest {
        for test in &report.tests {
            let file = folder.join(format!("{}.ktest", test.name));
            std::fs::write(&file, to_ktest(report, test))
                .map_err(|error| output::cannot("write", &file, &error))?;
        }
    }
    if let (Some(file), Some(property)) = (&arguments.witness, property) {
        match to_witness(report, property, &origin) {
            Ok(text) => output::write(file, &text)?,
            Err(NoWitness::Unknown(why)) => {
                output::tell(&format!("nanoscope: no witness: {why}"));
            }
            Err(NoWitness::AsksForTests) => {
                output::tell("nanoscope: no witness: the property asks for tests (--test-suite)");
            }
        }
    }
    Ok(())
}

/// What is asked about paths.
fn path_question(arguments: &Test) -> Result<Option<tests::PathQuestion>, Fault> {
    Ok(match &arguments.path {
        Some(file) => Some(tests::PathQuestion::One {
            file: file.display().to_string(),
            text: std::fs::read_to_string(file)
                .map_err(|error| output::cannot("read", file, &error))?,
        }),
        None => arguments.paths.then_some(tests::PathQuestion::All),
    })
}

fn options(arguments: &Test, flags: Vec<String>) -> Result<tests::Options, Fault> {
    let function = match (&arguments.function, arguments.entry.as_str()) {
        (Some(function), _) => Some(function.clone()),
        (None, "main") => None,
        (None, other) => Some(other.to_owned()),
    };
    if function.is_some() && !arguments.arguments.is_empty() {
        return Err(Fault::User("--argument is for `main`, not for a function".to_string()));
    }
    if function.is_none() && !(arguments.ranges.is_empty() && arguments.arrays.is_empty()) {
        return Err(Fault::User(
            "--input and --array are about the parameters of --function F; in a program, use \
             klee_assume or __VERIFIER_assume"
                .to_string(),
        ));
    }
    let stdin = match &arguments.stdin {
        StandardInput::Unknown(bytes) => tests::Stdin::Symbolic(*bytes),
        StandardInput::File(file) => tests::Stdin::Given(
            std::fs::read(file).map_err(|error| output::cannot("read", file, &error))?,
        ),
    };
    Ok(tests::Options {
        source: Source {
            files: arguments.sources.files.clone(),
            flags,
            compile_commands: arguments.sources.compile_commands.clone(),
            wishes: wishes(&arguments.ranges, &arguments.arrays, arguments.inputs)?,
            ..Source::default()
        },
        function,
        arguments: arguments.arguments.clone(),
        environment: environment(&arguments.environment),
        time_limit: Duration::from_secs_f64(arguments.time_limit),
        memory_limit: Some(arguments.memory_limit.0),
        seed: arguments.seed,
        scheduler: match arguments.search {
            Search::Coverage => tests::Scheduler::Coverage,
            Search::DepthFirst => tests::Scheduler::DepthFirst,
            Search::RandomPath => tests::Scheduler::RandomPath,
        },
        max_depth: arguments.max_depth,
        max_loop: arguments.max_loop,
        stdin,
        guesses: arguments.guesses,
        coverage: !arguments.no_coverage,
        external_calls: match arguments.external_calls {
            ExternalCalls::Both => tests::UnknownArguments::Both,
            ExternalCalls::Concretise => tests::UnknownArguments::Concretise,
            ExternalCalls::Any => tests::UnknownArguments::AnyResult,
        },
        pure: arguments.pure.iter().cloned().collect(),
        queries: query_log(arguments.queries.as_ref())?,
        paths: path_question(arguments)?,
        stop: interruptible()?,
    })
}

/// The environment, if anything was said of it.
fn environment(variables: &[String]) -> Option<Vec<String>> {
    let stated = variables.iter().filter(|variable| !variable.is_empty()).cloned();
    (!variables.is_empty()).then(|| stated.collect())
}
