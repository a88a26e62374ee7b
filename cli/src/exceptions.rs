//! `nanoscope exceptions`.

use crate::as_ours;
use crate::progress::ProgressLine;
use crate::project;
use nanoscope_analyses::{Source, exceptions, tests};
use nanoscope_cli::contract::Contract;
use nanoscope_cli::delivery::{Context, Delivery};
use nanoscope_cli::programs::{Engine, Exceptions, MaxLoop};
use nanoscope_cli::range::{ArrayLength, CallbackChoice, InputRange, Inputs};
use nanoscope_cli::subject::Subject;
use nanoscope_cli::{Conclusion, Fault, interruptible, output};
use nanoscope_program::{Wish, Wishes};
use nanoscope_report::Report;
use nanoscope_report::text::Files;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Looks for exceptions and hands the report over.
pub fn run(arguments: &Exceptions, flags: Vec<String>) -> Result<Conclusion, Fault> {
    arguments.delivery.prepare()?;
    let options = options(arguments, flags)?;
    let line = Mutex::new(ProgressLine::new(arguments.delivery.quiet));
    let show = |text: &dyn Fn() -> String| {
        line.lock().unwrap_or_else(PoisonError::into_inner).show(text);
    };
    let report = exceptions::run_keeping(&options, &show, &|report| {
        arguments.delivery.keep(report);
    });
    drop(line);
    deliver(
        &arguments.delivery,
        report.map_err(as_ours)?,
        arguments.subject.contract.project.as_ref(),
        arguments.subject.functions.is_empty(),
    )
}

/// Hands a report over, with the suppressions of the project file.
pub fn deliver(
    delivery: &Delivery,
    report: Report,
    project: Option<&PathBuf>,
    whole: bool,
) -> Result<Conclusion, Fault> {
    let context = Context { sources: &Files::default(), rules: project::rules(project)?, whole };
    delivery.deliver_in(report, &context)
}

fn options(arguments: &Exceptions, flags: Vec<String>) -> Result<exceptions::Options, Fault> {
    let Exceptions { subject, effort, .. } = arguments;
    let mut source = source(subject, flags)?;
    source.wishes.ranges.extend(arguments.globals.iter().map(range));
    source.wishes.callbacks = callbacks(&arguments.callbacks);
    source.wishes.globals = globals(&arguments.globals);
    let mut options = exceptions::Options {
        source,
        functions: subject.functions.clone(),
        contracts: contracts(&subject.contract),
        time_limit: effort.time_limit.map(Duration::from_secs_f64),
        function_time: effort.function_time.map(Duration::from_secs_f64),
        evaluations: effort.evaluations,
        engines: engines(&arguments.engines),
        seed: effort.seed,
        jobs: effort.jobs(),
        stop_at_first: subject.contract.stop_at_first,
        following: exceptions::Following {
            queries: query_log(arguments.queries.as_ref())?,
            max_loop: arguments.max_loop.map(|bound| match bound {
                MaxLoop::Times(most) => exceptions::LoopBound::Times(most),
                MaxLoop::None => exceptions::LoopBound::None,
            }),
            question_time: arguments.question_time.map(Duration::from_secs_f64),
            concretizations: arguments.concretizations,
            every_path: arguments.every_path,
        },
        polish: !subject.contract.quick,
        stop: interruptible()?,
    };
    let (wishes, contracts) = (&mut options.source.wishes, &mut options.contracts);
    let file = subject.contract.project.as_ref();
    project::add(file, &subject.functions, wishes, contracts)?;
    Ok(options)
}

/// The program, and what the user says about its inputs.
pub fn source(subject: &Subject, flags: Vec<String>) -> Result<Source, Fault> {
    Ok(Source {
        files: subject.sources.files.clone(),
        flags,
        compile_commands: subject.sources.compile_commands.clone(),
        wishes: wishes(&subject.ranges, &subject.arrays, subject.inputs)?,
        ..Source::default()
    })
}

/// Who works; without a word about it, the usual ones.
fn engines(names: &[Engine]) -> Vec<exceptions::Engine> {
    if names.is_empty() {
        return exceptions::USUAL.to_vec();
    }
    let engine = |name: &Engine| match name {
        Engine::Ranges => exceptions::Engine::Ranges,
        Engine::Search => exceptions::Engine::Search,
        Engine::Explore => exceptions::Engine::Explore,
        Engine::Reals => exceptions::Engine::Reals,
    };
    names.iter().map(engine).collect()
}

/// What the user says about functions.
pub fn contracts(contract: &Contract) -> exceptions::Contracts {
    let value = |text: &String| {
        // One colon stands between function and name; two are part of a C++ name.
        let single = text.rfind(':').filter(|&at| at > 0 && !text[..at].ends_with(':'));
        let (function, name) = match single {
            Some(at) => (Some(text[..at].to_owned()), &text[at + 1..]),
            None => (None, text.as_str()),
        };
        Wish { function, name: name.to_owned(), value: () }
    };
    exceptions::Contracts {
        assume: contract.assume.clone(),
        status_ok: contract.status_ok.clone(),
        values: contract.values.iter().map(value).collect(),
        ..exceptions::Contracts::default()
    }
}

/// What the user says about inputs.
pub fn wishes(
    ranges: &[InputRange],
    arrays: &[ArrayLength],
    inputs: Inputs,
) -> Result<Wishes, Fault> {
    let array = |array: &ArrayLength| {
        let value = array.length.parse().map_err(|why| {
            Fault::User(format!("--array {}={}: {why}", array.name, array.length))
        })?;
        Ok(Wish { function: array.function.clone(), name: array.name.clone(), value })
    };
    Ok(Wishes {
        arrays: arrays.iter().map(array).collect::<Result<_, Fault>>()?,
        ranges: ranges.iter().map(range).collect(),
        specials: inputs == Inputs::Any,
        ..Wishes::default()
    })
}

fn range(said: &InputRange) -> Wish<(String, String)> {
    Wish {
        function: said.function.clone(),
        name: said.name.clone(),
        value: (said.low.clone(), said.high.clone()),
    }
}

/// What functions are that targets are given.
fn callbacks(choices: &[CallbackChoice]) -> Vec<Wish<String>> {
    let wish = |choice: &CallbackChoice| Wish {
        function: choice.function.clone(),
        name: choice.name.clone(),
        value: choice.what.clone(),
    };
    choices.iter().map(wish).collect()
}

/// The variables that are inputs.
fn globals(ranges: &[InputRange]) -> Vec<Wish<()>> {
    let wish = |range: &InputRange| Wish {
        function: range.function.clone(),
        name: range.name.clone(),
        value: (),
    };
    ranges.iter().map(wish).collect()
}

/// Where the solver's questions go.
pub fn query_log(folder: Option<&PathBuf>) -> Result<Option<tests::QueryLog>, Fault> {
    let Some(folder) = folder else { return Ok(None) };
    std::fs::create_dir_all(folder)
        .map_err(|error| output::cannot("make the folder", folder, &error))?;
    Ok(Some(tests::QueryLog::new(folder.clone())))
}
