//! `nanoscope solve`: SMT-LIB in, answers out.

use clap::Args;
use nanoscope_budget::Budget;
use nanoscope_cli::Fault;
use nanoscope_ieee::Float;
use nanoscope_solver::{Choice, Defect, Options, Solver, Verdict, bounds};
use nanoscope_term::smtlib::{Answer, Decide, Failure, Session};
use nanoscope_term::{Sort, Term, Terms, VariableId, eliminate};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// `nanoscope solve`.
#[derive(Debug, Args)]
pub struct Solve {
    /// SMT-LIB scripts; `-` reads standard input, answering each command as it comes
    #[arg(value_name = "FILE.smt2", required = true)]
    pub files: Vec<PathBuf>,

    /// After `sat`, print the least and the greatest value of every floating-point variable
    /// over all solutions
    #[arg(long)]
    pub bounds: bool,

    /// After `sat`, print the model
    #[arg(long)]
    pub model: bool,

    /// Use this engine only: propagate, order, reals, ariadne, search, prune, guess, blast or
    /// external=PROGRAM; may be given several times. ariadne asks z3 about reals first, where it
    /// is installed (ariadne=PROGRAM: another program; ariadne-alone: none)
    #[arg(long = "engine", value_name = "E")]
    pub engines: Vec<Choice>,

    /// Seconds for each query; a script's :timeout goes before
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,

    /// Megabytes that a query may take
    #[arg(long, value_name = "M")]
    pub memory_limit: Option<u64>,

    /// Write the proof of a refutation in LRAT, and its clauses beside it in DIMACS (.cnf); only
    /// the engine blast is used then
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,

    /// Start of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Tell on standard error which engine decided
    #[arg(long)]
    pub statistics: bool,
}

/// The long help.
pub const ABOUT: &str = "\
Decide SMT-LIB scripts over floats, bit vectors, arrays and Booleans.

The answer to (check-sat) is sat, unsat or unknown. Every model is checked by an evaluator that \
shares nothing with the engine that found it before sat is printed.";

/// What stands below the long help.
pub const MORE: &str = "\
Bounds are exact: with --bounds, every floating-point variable gets a line NAME LO HI, as C's \
hexadecimal floats; a fourth word nan tells that NaN is a solution too.

Examples:
  nanoscope solve query.smt2 --time-limit 10
  nanoscope solve --bounds query.smt2
  nanoscope solve -                      as an interactive solver for other tools
  nanoscope solve --engine blast --proof query.lrat query.smt2

Exit code: 0 answered, 2 your mistake (a script that cannot be read), 70 ours.";

/// Follows every script.
pub fn run(arguments: &Solve) -> Result<(), Fault> {
    if let Some(limit) = arguments.time_limit
        && !(limit > 0.0 && limit <= 1e8)
    {
        let why = "--time-limit takes a positive number of seconds, as in 10 or 0.5";
        return Err(Fault::User(why.to_string()));
    }
    if let Some(path) = &arguments.proof {
        std::fs::File::create(path).map_err(|error| {
            Fault::User(format!("cannot write the proof to {}: {error}", path.display()))
        })?;
    }
    let mut output = io::stdout().lock();
    for file in &arguments.files {
        if file.as_os_str() == "-" {
            follow(arguments, io::stdin().lock(), None, &mut output)?;
        } else {
            let opened = std::fs::File::open(file)
                .map_err(|error| Fault::User(format!("cannot read {}: {error}", file.display())))?;
            let since = Some(Instant::now());
            follow(arguments, BufReader::new(opened), since, &mut output)?;
        }
    }
    Ok(())
}

/// The solver as scripts know it.
struct Door {
    solver: Solver,
    defect: Option<Defect>,
    /// When a file began to be read, until its first query: reading counts.
    since: Option<Instant>,
    /// How many queries were answered with `sat`.
    satisfied: u64,
    statistics: bool,
}

impl Decide for Door {
    fn decide(
        &mut self,
        terms: &mut Terms,
        assertions: &[Term],
        limit: Option<Duration>,
    ) -> Answer {
        let limit = match self.since.take() {
            Some(since) => limit.map(|limit| limit.saturating_sub(since.elapsed())),
            None => limit,
        };
        let before = self.solver.statistics().clone();
        let verdict = self.solver.decide(terms, assertions, None, &budget(limit));
        if self.statistics {
            let now = self.solver.statistics();
            let new = |name, count: &u64, before: &BTreeMap<_, u64>| {
                count - before.get(name).unwrap_or(&0)
            };
            for (name, count) in &now.decided {
                match new(name, count, &before.decided) {
                    0 => {}
                    new => eprintln!("; {new} by {name}"),
                }
            }
            for (name, count) in &now.over_reals {
                match new(name, count, &before.over_reals) {
                    0 => {}
                    new => eprintln!("; {new} without a solution over the reals by {name}"),
                }
            }
        }
        match verdict {
            Ok(verdict) => {
                self.satisfied += u64::from(matches!(verdict, Verdict::Sat(_)));
                verdict.map_reason(|reason| reason.to_string())
            }
            Err(defect) => {
                self.defect = Some(defect);
                Answer::Unknown("internal error".to_string())
            }
        }
    }
}

fn budget(limit: Option<Duration>) -> Budget {
    limit.map_or_else(Budget::unlimited, Budget::lasting)
}

fn follow(
    arguments: &Solve,
    mut input: impl BufRead,
    since: Option<Instant>,
    output: &mut impl Write,
) -> Result<(), Fault> {
    let options = Options {
        engines: arguments.engines.clone(),
        floats: Vec::new(),
        memory: arguments.memory_limit.map(|megabytes| megabytes << 20),
        seed: arguments.seed,
        proof: arguments.proof.clone(),
        concretizations: None,
    };
    let door = Door {
        solver: Solver::new(options),
        defect: None,
        since,
        satisfied: 0,
        statistics: arguments.statistics,
    };
    let mut session = Session::new(door);
    session.limit = arguments.time_limit.map(Duration::from_secs_f64);
    if !arguments.bounds && !arguments.model {
        return told(session.run(input, output), &session);
    }
    // Command by command, to add to the answers; line and column as they were.
    let mut text = String::new();
    input
        .read_to_string(&mut text)
        .map_err(|error| Fault::User(format!("cannot read the script: {error}")))?;
    for (line, column, command) in commands(&text) {
        let place = "\n".repeat(line) + &" ".repeat(column);
        let before = session.decider.satisfied;
        let outcome = session.run(place.as_bytes().chain(command.as_bytes()), output);
        told(outcome, &session)?;
        if session.decider.satisfied > before {
            if arguments.bounds {
                print_bounds(&mut session, output)?;
            }
            if arguments.model {
                told(session.run(&b"(get-model)"[..], output), &session)?;
            }
        }
        let name = command.trim_start_matches(['(', ' ', '\t', '\n', '\r']);
        if name.strip_prefix("exit").is_some_and(|rest| rest.starts_with([')', ' '])) {
            break;
        }
    }
    Ok(())
}

/// What became of a script, in the command's words.
fn told(outcome: Result<bool, Failure>, session: &Session<Door>) -> Result<(), Fault> {
    if let Some(defect) = &session.decider.defect {
        return Err(Fault::Internal(defect.to_string()));
    }
    match outcome {
        Ok(_) => Ok(()),
        Err(Failure::Mistake(mistake)) => Err(Fault::User(mistake.to_string())),
        Err(Failure::WrongModel(query)) => {
            Err(Fault::Internal(format!("a model that does not satisfy this query:\n{query}")))
        }
        // A reader that has seen enough is no error.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(Failure::Output(error)) => {
            Err(Fault::User(format!("cannot write the answer: {error}")))
        }
    }
}

/// The commands of a script with their lines and columns, from 0.
fn commands(text: &str) -> Vec<(usize, usize, &str)> {
    let mut found = Vec::new();
    let (mut line, mut column, mut depth) = (0, 0, 0usize);
    let mut start = None;
    let mut within = None;
    for (at, character) in text.char_indices() {
        match (within, character) {
            (Some('\n'), '\n') => within = None,
            (Some(end), other) if end != '\n' && end == other => within = None,
            (Some(_), _) => {}
            (None, ';') => within = Some('\n'),
            (None, '"' | '|') => within = Some(character),
            (None, '(') => {
                if depth == 0 {
                    start = Some((line, column, at));
                }
                depth += 1;
            }
            (None, ')') => {
                depth = depth.saturating_sub(1);
                if let (0, Some((line, column, from))) = (depth, start) {
                    found.push((line, column, &text[from..=at]));
                    start = None;
                }
            }
            (None, _) => {}
        }
        if character == '\n' {
            (line, column) = (line + 1, 0);
        } else {
            column += 1;
        }
    }
    // What is not closed is a mistake, to be told by the reader.
    if let Some((line, column, from)) = start {
        found.push((line, column, &text[from..]));
    }
    found
}

/// A line for every floating-point variable: its hull.
fn print_bounds(session: &mut Session<Door>, output: &mut impl Write) -> Result<(), Fault> {
    let Some(model) = session.model().cloned() else { return Ok(()) };
    let variables: Vec<VariableId> = session.variables().to_vec();
    let assertions = session.assertions();
    let limit = session.limit;
    let mut terms = std::mem::take(session.terms_mut());
    let written = (|| {
        let plain = match eliminate(&mut terms, &assertions) {
            Ok(plain) => plain,
            Err(why) => return writeln!(output, "; no bounds: {why}").map(|()| None),
        };
        let budget = budget(limit);
        for variable in variables {
            if !matches!(terms.variable_sort(variable), Sort::Float(_)) {
                continue;
            }
            let solver = &mut session.decider.solver;
            let found = bounds(solver, &mut terms, &plain.assertions, variable, &model, &budget);
            let name = terms.symbol(variable).to_string();
            match found {
                Err(defect) => return Ok(Some(defect)),
                Ok(Err(reason)) => writeln!(output, "; {name}: {reason}")?,
                Ok(Ok(floats)) => {
                    let Sort::Float(format) = terms.variable_sort(variable) else { continue };
                    let text = |place: i128| match Float::from_ordinal(format, place) {
                        Some(float) => float.to_hexadecimal(),
                        None => "nan".to_string(),
                    };
                    let (low, high) = if floats.numbers.is_empty() {
                        ("nan".to_string(), "nan".to_string())
                    } else {
                        (text(floats.numbers.lo), text(floats.numbers.hi))
                    };
                    let nan = if floats.nan { " nan" } else { "" };
                    writeln!(output, "{name} {low} {high}{nan}")?;
                }
            }
        }
        output.flush().map(|()| None)
    })();
    *session.terms_mut() = terms;
    match written {
        Ok(None) => Ok(()),
        Ok(Some(defect)) => Err(Fault::Internal(defect.to_string())),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Fault::User(format!("cannot write the answer: {error}"))),
    }
}
