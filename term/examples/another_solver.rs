//! Follows a script with another solver's answers: what reaches that solver is
//! free of arrays, functions and open results, and its models are checked.
//!
//! `cargo run --release --example another_solver -- z3 -T:10 -in < query.smt2`

use nanoscope_term::smtlib::{Answer, Decide, Failure, Session, read_values, script_text};
use nanoscope_term::{Model, Term, Terms, standard};
use std::io::Write;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

struct Another {
    command: Vec<String>,
}

impl Decide for Another {
    fn decide(&mut self, terms: &mut Terms, query: &[Term], _: Option<Duration>) -> Answer {
        let written = match standard(terms, query) {
            Ok(written) => written,
            Err(why) => return Answer::Unknown(why),
        };
        let variables = terms.variables_below(&written);
        let names: Vec<String> =
            variables.iter().map(|v| format!("|{}|", terms.symbol(*v))).collect();
        let mut script = script_text(terms, &written);
        if !names.is_empty() {
            script.push_str(&format!("(get-value ({}))\n", names.join(" ")));
        }
        let answer = match self.ask(&format!("(set-option :produce-models true)\n{script}")) {
            Ok(answer) => answer,
            Err(error) => return Answer::Unknown(error.to_string()),
        };
        let (verdict, rest) = answer.split_once('\n').unwrap_or((&answer, ""));
        match verdict.trim() {
            "unsat" => Answer::Unsat,
            "sat" => match read_values(terms, rest) {
                Ok(values) => {
                    let mut model = Model::new();
                    for (variable, (_, value)) in variables.iter().zip(values) {
                        model.set(*variable, value);
                    }
                    Answer::Sat(model)
                }
                Err(mistake) => Answer::Unknown(mistake.to_string()),
            },
            other => Answer::Unknown(other.to_string()),
        }
    }
}

impl Another {
    fn ask(&self, script: &str) -> std::io::Result<String> {
        let mut process = Command::new(&self.command[0])
            .args(&self.command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        if let Some(mut input) = process.stdin.take() {
            input.write_all(script.as_bytes())?;
        }
        Ok(String::from_utf8_lossy(&process.wait_with_output()?.stdout).into_owned())
    }
}

fn main() -> ExitCode {
    let command: Vec<String> = std::env::args().skip(1).collect();
    if command.is_empty() {
        eprintln!("usage: another_solver SOLVER [ARGUMENT]... < SCRIPT");
        return ExitCode::from(2);
    }
    let mut session = Session::new(Another { command });
    match session.run(std::io::stdin().lock(), &mut std::io::stdout()) {
        Ok(_) => ExitCode::SUCCESS,
        Err(Failure::WrongModel(query)) => {
            eprintln!("{query}");
            ExitCode::from(70)
        }
        Err(_) => ExitCode::from(2),
    }
}
