//! `nanoscope precision`.

use crate::as_ours;
use crate::exceptions::{contracts, deliver, source};
use crate::progress::ProgressLine;
use crate::project;
use nanoscope_analyses::precision::{self, Ends, InputError, Rounds, Threshold};
use nanoscope_cli::interruptible;
use nanoscope_cli::precision::{
    self as precision_words, Direction, End, InputUncertainty, Precision,
};
use nanoscope_cli::{Conclusion, Fault};
use nanoscope_ieee::{Format, Rounding};
use nanoscope_program::Wish;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Looks for errors, proves bounds, and hands the report over.
pub fn run(arguments: &Precision, flags: Vec<String>) -> Result<Conclusion, Fault> {
    arguments.delivery.prepare()?;
    let options = options(arguments, flags)?;
    let line = Mutex::new(ProgressLine::new(arguments.delivery.quiet));
    let show = |text: &dyn Fn() -> String| {
        line.lock().unwrap_or_else(PoisonError::into_inner).show(text);
    };
    let report = precision::run(&options, &show);
    drop(line);
    deliver(
        &arguments.delivery,
        report.map_err(as_ours)?,
        arguments.subject.contract.project.as_ref(),
        arguments.subject.functions.is_empty(),
    )
}

fn options(arguments: &Precision, flags: Vec<String>) -> Result<precision::Options, Fault> {
    let Precision { subject, effort, .. } = arguments;
    for (option, given) in
        [("--stop-at-first", subject.contract.stop_at_first), ("--quick", subject.contract.quick)]
    {
        if given {
            let instead = "use --only show, or a smaller --time-limit or --evaluations";
            return Err(Fault::User(format!("{option} is for `exceptions`: {instead}")));
        }
    }
    if arguments.blind && arguments.only != Some(End::Show) {
        return Err(Fault::User("--blind is for --only show: nothing is proved".to_string()));
    }
    let mut options = precision::Options {
        source: source(subject, flags)?,
        functions: subject.functions.clone(),
        contracts: contracts(&subject.contract),
        threshold: match (arguments.ulps, arguments.absolute) {
            (Some(ulps), _) => Threshold::Ulps(ulps),
            (None, Some(absolute)) => Threshold::Absolute(absolute),
            (None, None) => Threshold::Relative(arguments.threshold),
        },
        input_errors: arguments.input_errors.iter().map(uncertainty).collect(),
        rounding: match arguments.rounding {
            Direction::Nearest => Rounds::To(Rounding::NearestEven),
            Direction::Up => Rounds::To(Rounding::Upward),
            Direction::Down => Rounds::To(Rounding::Downward),
            Direction::Zero => Rounds::To(Rounding::TowardZero),
            Direction::Any => Rounds::Any,
        },
        model: match arguments.model {
            precision_words::Model::Interval => precision::Model::Interval {
                delta: arguments.delta.iter().map(per_type).collect(),
                epsilon: arguments.epsilon.iter().map(per_type).collect(),
            },
            precision_words::Model::Taylor => {
                let given = !arguments.delta.is_empty() || !arguments.epsilon.is_empty();
                if given {
                    let why = "--delta and --epsilon are for --model interval";
                    return Err(Fault::User(why.into()));
                }
                precision::Model::Taylor
            }
        },
        ranges: !arguments.no_ranges,
        ends: match arguments.only {
            None => Ends::Both,
            Some(End::Show) => Ends::Show,
            Some(End::Prove) => Ends::Prove,
        },
        time_limit: effort.time_limit.map(Duration::from_secs_f64),
        function_time: effort.function_time.map(Duration::from_secs_f64),
        evaluations: effort.evaluations,
        blind: arguments.blind,
        seed: effort.seed,
        jobs: effort.jobs(),
        stop: interruptible()?,
    };
    let file = subject.contract.project.as_ref();
    let (wishes, contracts) = (&mut options.source.wishes, &mut options.contracts);
    project::add(file, &subject.functions, wishes, contracts)?;
    Ok(options)
}

fn per_type(said: &precision_words::PerType) -> (Option<Format>, f64) {
    let format = said.type_name.as_deref().map(|name| match name {
        "float" => Format::BINARY32,
        "double" => Format::BINARY64,
        _ => Format::X87,
    });
    (format, said.value)
}

fn uncertainty(said: &InputUncertainty) -> Wish<InputError> {
    Wish {
        function: said.function.clone(),
        name: said.name.clone(),
        value: said.absolute.map_or(InputError::HalfUlp, InputError::Absolute),
    }
}
