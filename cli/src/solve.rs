//! `nanoscope solve`: SMT-LIB in, answers out.

use clap::Args;
use nanoscope_budget::Budget;
use nanoscope_cli::Fault;
use nanoscope_ieee::Float;
use nanoscope_solver::propagate::FloatBox;
use nanoscope_solver::{Choice, Defect, Options, Reason, Solver, Verdict, bounds, boxes};
use nanoscope_term::smtlib::{Answer, Decide, Failure, Session};
use nanoscope_term::{Sort, Term, Terms, VariableId, eliminate};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// `nanoscope solve`.
#[derive(Debug, Args)]
pub struct Solve {
    /// SMT-LIB scripts; `-` reads standard input, answering each command as it comes
    #[arg(value_name = "FILE.smt2", required_unless_present = "bounds")]
    pub files: Vec<PathBuf>,

    /// After `sat`, print the least and the greatest value of every floating-point variable
    /// over all solutions, or of those named
    #[arg(long, value_name = "X,Y", num_args = 0..=1, default_missing_value = "")]
    pub bounds: Option<String>,

    /// After `sat`, print the model
    #[arg(long)]
    pub model: bool,

    /// Use this engine only: propagate, order, reals, ariadne, search, prune, guess, blast or
    /// external=PROGRAM; may be given several times. ariadne asks z3 about reals, too, where it
    /// is installed (ariadne=PROGRAM: another program; ariadne-alone: none)
    #[arg(long = "engine", value_name = "E")]
    pub engines: Vec<Choice>,

    /// Concretisations that the engine ariadne tries for a query, at most; 0: z3 alone
    #[arg(long, value_name = "N")]
    pub concretizations: Option<u32>,

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
hexadecimal floats; a fourth word nan tells that NaN is a solution too. With --engine propagate \
they are what propagation alone leaves: no solution lies outside, and none need be at the ends.

Examples:
  nanoscope solve query.smt2 --time-limit 10
  nanoscope solve --bounds query.smt2
  nanoscope solve --bounds x,y query.smt2
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
    let (wanted, files) = wanted(arguments)?;
    let mut output = io::stdout().lock();
    for file in &files {
        if file.as_os_str() == "-" {
            follow(arguments, wanted.as_ref(), io::stdin().lock(), None, &mut output)?;
        } else {
            let opened = std::fs::File::open(file)
                .map_err(|error| Fault::User(format!("cannot read {}: {error}", file.display())))?;
            let since = Some(Instant::now());
            follow(arguments, wanted.as_ref(), BufReader::new(opened), since, &mut output)?;
        }
    }
    Ok(())
}

/// Of which variables bounds are wanted.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    All,
    Named(Vec<String>),
}

/// Of which variables bounds are wanted, if of any, and the scripts: what stands after --bounds is
/// a script if it looks like one.
fn wanted(arguments: &Solve) -> Result<(Option<Wanted>, Vec<PathBuf>), Fault> {
    let mut files = arguments.files.clone();
    let wanted = match arguments.bounds.as_deref() {
        None => None,
        Some("") => Some(Wanted::All),
        Some(text) if text == "-" || text.ends_with(".smt2") || Path::new(text).is_file() => {
            files.insert(0, PathBuf::from(text));
            Some(Wanted::All)
        }
        Some(names) => {
            let names = names.split(',').map(|name| name.trim().trim_matches('|').to_string());
            Some(Wanted::Named(names.filter(|name| !name.is_empty()).collect()))
        }
    };
    if files.is_empty() {
        let why = "no script: nanoscope solve --bounds x,y FILE.smt2";
        return Err(Fault::User(why.to_string()));
    }
    Ok((wanted, files))
}

/// The solver as scripts know it.
struct Door {
    solver: Solver,
    defect: Option<Defect>,
    /// When a file began to be read, until its first query: reading counts.
    since: Option<Instant>,
    /// How many queries were answered with `sat`, and how many with `unknown`.
    satisfied: u64,
    left_open: u64,
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
                self.left_open += u64::from(matches!(verdict, Verdict::Unknown(_)));
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
    wanted: Option<&Wanted>,
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
        concretizations: arguments.concretizations,
    };
    let door = Door {
        solver: Solver::new(options),
        defect: None,
        since,
        satisfied: 0,
        left_open: 0,
        statistics: arguments.statistics,
    };
    let mut session = Session::new(door);
    session.limit = arguments.time_limit.map(Duration::from_secs_f64);
    if wanted.is_none() && !arguments.model {
        return told(session.run(input, output), &session);
    }
    // Command by command, to add to the answers; line and column as they were.
    let mut text = String::new();
    input
        .read_to_string(&mut text)
        .map_err(|error| Fault::User(format!("cannot read the script: {error}")))?;
    for (line, column, command) in commands(&text) {
        let place = "\n".repeat(line) + &" ".repeat(column);
        let before = (session.decider.satisfied, session.decider.left_open);
        let outcome = session.run(place.as_bytes().chain(command.as_bytes()), output);
        told(outcome, &session)?;
        let satisfied = session.decider.satisfied > before.0;
        let left_open = session.decider.left_open > before.1;
        let by_propagation = arguments.engines == [Choice::Propagate];
        if let Some(wanted) = wanted
            && (satisfied || by_propagation && left_open)
        {
            let variables = named(&session, wanted)?;
            if by_propagation {
                print_boxes(&mut session, &variables, output)?;
            } else {
                print_bounds(&mut session, &variables, output)?;
            }
        }
        if arguments.model && satisfied {
            told(session.run(&b"(get-model)"[..], output), &session)?;
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

/// The floating-point variables that are wanted, in the order of their declarations.
fn named(session: &Session<Door>, wanted: &Wanted) -> Result<Vec<VariableId>, Fault> {
    let terms = session.terms();
    let is_float = |variable: &VariableId| matches!(terms.variable_sort(*variable), Sort::Float(_));
    let floats: Vec<VariableId> = session.variables().iter().copied().filter(is_float).collect();
    let Wanted::Named(names) = wanted else { return Ok(floats) };
    let mut found = Vec::new();
    for name in names {
        let variable = floats.iter().find(|variable| terms.symbol(**variable) == name);
        let variable = variable.ok_or_else(|| {
            Fault::User(format!("--bounds: `{name}` is no floating-point variable of the script"))
        })?;
        found.push(*variable);
    }
    Ok(found)
}

/// A line for every one of these variables: what propagation leaves of it.
fn print_boxes(
    session: &mut Session<Door>,
    variables: &[VariableId],
    output: &mut impl Write,
) -> Result<(), Fault> {
    let assertions = session.assertions();
    let budget = budget(session.limit);
    let terms = session.terms_mut();
    let written = match eliminate(terms, &assertions) {
        Err(why) => writeln!(output, "; no bounds: {why}"),
        Ok(plain) => match boxes(terms, &plain.assertions, variables, &budget) {
            None => Ok(()),
            Some(boxes) => write_lines(terms, variables, &boxes, output),
        },
    };
    written_or_broken(written)
}

/// A line for every one of these variables: its hull.
fn print_bounds(
    session: &mut Session<Door>,
    variables: &[VariableId],
    output: &mut impl Write,
) -> Result<(), Fault> {
    let Some(model) = session.model().cloned() else { return Ok(()) };
    let assertions = session.assertions();
    let budget = budget(session.limit);
    let mut terms = std::mem::take(session.terms_mut());
    let solver = &mut session.decider.solver;
    let found = eliminate(&mut terms, &assertions)
        .map(|plain| bounds(solver, &mut terms, &plain.assertions, variables, &model, &budget));
    let written = match found {
        Err(why) => writeln!(output, "; no bounds: {why}"),
        Ok(Err(defect)) => return Err(Fault::Internal(defect.to_string())),
        Ok(Ok(hulls)) => write_lines(&terms, variables, &hulls, output),
    };
    *session.terms_mut() = terms;
    written_or_broken(written)
}

/// A reader that has seen enough is no error.
fn written_or_broken(written: io::Result<()>) -> Result<(), Fault> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Fault::User(format!("cannot write the answer: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// `NAME LO HI`, and `nan`; or why not.
fn write_lines(
    terms: &Terms,
    variables: &[VariableId],
    floats: &[Result<FloatBox, Reason>],
    output: &mut impl Write,
) -> io::Result<()> {
    for (variable, floats) in variables.iter().zip(floats) {
        let name = terms.symbol(*variable);
        let Sort::Float(format) = terms.variable_sort(*variable) else { continue };
        let text = |place: i128| match Float::from_ordinal(format, place) {
            Some(float) => float.to_hexadecimal(),
            None => "nan".to_string(),
        };
        match floats {
            Err(reason) => writeln!(output, "; {name}: {reason}")?,
            Ok(floats) if floats.numbers.is_empty() => writeln!(output, "{name} nan nan nan")?,
            Ok(floats) => {
                let nan = if floats.nan { " nan" } else { "" };
                let (low, high) = (text(floats.numbers.lo), text(floats.numbers.hi));
                writeln!(output, "{name} {low} {high}{nan}")?;
            }
        }
    }
    output.flush()
}
