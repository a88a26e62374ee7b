//! What someone says about a script: the chain, an engine alone, another
//! solver's program.

use nanoscope_budget::Budget;
use nanoscope_solver::{Choice, Options, Solver};
use nanoscope_term::smtlib::{Answer, Decide, Session};
use nanoscope_term::{Term, Terms};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// No answer.
    None,
}

impl Opinion {
    fn of(word: &str) -> Opinion {
        match word {
            "sat" => Opinion::Sat,
            "unsat" => Opinion::Unsat,
            _ => Opinion::None,
        }
    }
}

/// Every engine of ours.
#[allow(dead_code, reason = "not every test asks all")]
pub fn engines_alone() -> [Choice; 5] {
    [Choice::Propagate, Choice::Search, Choice::Reals, Choice::Prune, Choice::Blast]
}

struct Door {
    solver: Solver,
    defect: Option<String>,
}

impl Decide for Door {
    fn decide(&mut self, terms: &mut Terms, query: &[Term], limit: Option<Duration>) -> Answer {
        let budget = limit.map_or_else(Budget::unlimited, Budget::lasting);
        match self.solver.decide(terms, query, None, &budget) {
            Ok(verdict) => verdict.map_reason(|reason| reason.to_string()),
            Err(defect) => {
                self.defect = Some(defect.to_string());
                Answer::Unknown("defect".to_string())
            }
        }
    }
}

/// Our answers to a script's questions, by these engines (none: the chain). A
/// wrong model, or a script that cannot be read, is an error.
pub fn ask(script: &str, engines: &[Choice], limit: Duration) -> Result<Vec<Opinion>, String> {
    let options = Options { engines: engines.to_vec(), seed: 1, ..Options::default() };
    let mut session = Session::new(Door { solver: Solver::new(options), defect: None });
    session.limit = Some(limit);
    let mut output = Vec::new();
    session.run(script.as_bytes(), &mut output).map_err(|failure| failure.to_string())?;
    if let Some(defect) = session.decider.defect {
        return Err(defect);
    }
    let output = String::from_utf8_lossy(&output).into_owned();
    Ok(output.lines().map(Opinion::of).collect())
}

/// Whether a program can be run.
#[allow(dead_code, reason = "not every user asks first")]
pub fn is_there(program: &str) -> bool {
    let mut asked = Command::new(program);
    asked.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}

/// Whether a program's word counts for a script. cvc5 1.0.3 goes wrong on tiny
/// formats and on integers of one bit: it finds models of
/// `(= ((_ to_fp 4 3) RTP b) ((_ to_fp 4 3) RNE 0.3))`, and none where every
/// operand is a literal.
#[allow(dead_code, reason = "not every user asks others")]
pub fn is_reliable(program: &str, script: &str) -> bool {
    let doubtful = ["FloatingPoint 2 ", "FloatingPoint 3 ", "FloatingPoint 4 ", "(_ BitVec 1)"];
    !program.ends_with("cvc5") || doubtful.iter().all(|sort| !script.contains(sort))
}

/// Another solver's answer to the one question of a script.
#[allow(dead_code, reason = "not every user asks others")]
pub fn ask_program(program: &str, script: &str, limit: Duration) -> Opinion {
    let base = program.rsplit('/').next().unwrap_or(program);
    let milliseconds = limit.as_millis();
    let arguments: Vec<String> = match base {
        "z3" => vec!["-in".into(), "-smt2".into(), format!("-t:{milliseconds}")],
        "cvc5" => ["--lang=smt2", "--fp-exp", "-q", &format!("--tlimit={milliseconds}"), "-"]
            .map(str::to_string)
            .to_vec(),
        _ => Vec::new(),
    };
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return Opinion::None };
    if let Some(mut input) = child.stdin.take() {
        // One that stops reading has said what it had to say.
        let _ = input.write_all(script.as_bytes());
    }
    // Its own limit is not always kept.
    let end = Instant::now() + limit + limit / 2;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() > end {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let Ok(output) = child.wait_with_output() else { return Opinion::None };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Opinion::of(text.trim())
}

/// Two of these who cannot both be right.
pub fn inconsistency(opinions: &[(String, Opinion)]) -> Option<String> {
    let name = |wanted| opinions.iter().filter(move |(_, opinion)| *opinion == wanted);
    let list = |wanted| name(wanted).map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let (sat, unsat) = (list(Opinion::Sat), list(Opinion::Unsat));
    (!sat.is_empty() && !unsat.is_empty()).then(|| format!("sat: {sat}; unsat: {unsat}"))
}
