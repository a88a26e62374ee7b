//! `nanoscope test`.

use crate::as_ours;
use crate::exceptions::{interruptible, query_log, wishes};
use crate::progress::ProgressLine;
use nanoscope_analyses::{Source, tests};
use nanoscope_cli::testing::{ExternalCalls, Search, StandardInput, Test};
use nanoscope_cli::{Fault, Outcome, output};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Explores a program and hands the report over.
pub fn run(arguments: &Test, flags: Vec<String>) -> Result<Outcome, Fault> {
    arguments.delivery.prepare()?;
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
    arguments.delivery.deliver(report.map_err(as_ours)?)
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
            files: arguments.sources.clone(),
            flags,
            compile_commands: arguments.compile_commands.clone(),
            wishes: wishes(&arguments.ranges, &arguments.arrays, arguments.inputs)?,
            ..Source::default()
        },
        function,
        arguments: arguments.arguments.clone(),
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
