//! The functions of a program that can be analysed, with the identity of the code they reach.

use crate::subject::Source;
use nanoscope_program::Fault;
use std::time::{Duration, Instant};

/// A function that can be asked for by its name.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its name, as reports have it.
    pub function: String,
    /// Its symbol.
    pub symbol: String,
    /// The file it is defined in.
    pub file: String,
    /// The line it starts on.
    pub line: u32,
    /// Its inputs, as reports name them.
    pub inputs: Vec<String>,
    /// Whether its inputs are numbers, none of them in arrays or from functions.
    pub scalar: bool,
    /// Questions that can be asked about it.
    pub goals: usize,
    /// Names the code it reaches: equal means that nothing of it has changed.
    pub code: String,
    /// Why its parameters cannot be made, if they cannot.
    pub untestable: Option<String>,
}

/// The functions, in the order of the program, and what was left out of the build.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The functions that other files can call.
    pub functions: Vec<Listed>,
    /// Whether there is a `main`.
    pub main: bool,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// Compiles a program and lists its functions.
pub fn list(source: &Source, time_limit: Duration) -> Result<Listing, Fault> {
    let (_, program) = source.load(Some(Instant::now() + time_limit))?;
    let symbols: Vec<String> =
        program.callable().into_iter().map(|candidate| candidate.symbol).collect();
    let codes = program.identities(&symbols)?;
    let targets = program.targets(&symbols, &source.wishes)?;
    let functions = symbols.into_iter().zip(codes).zip(targets);
    let functions = functions.map(|((symbol, code), target)| match target {
        Ok(target) => Listed {
            function: target.function,
            symbol,
            file: target.file,
            line: target.line,
            scalar: target.inputs.iter().all(|input| !input.name.contains(['[', '('])),
            inputs: target.inputs.into_iter().map(|input| input.name).collect(),
            goals: target.goals.len(),
            code,
            untestable: None,
        },
        Err(untestable) => Listed {
            function: untestable.function,
            symbol,
            file: untestable.file,
            line: untestable.line,
            inputs: Vec::new(),
            scalar: false,
            goals: untestable.goals.len(),
            code,
            untestable: Some(untestable.why),
        },
    });
    Ok(Listing {
        functions: functions.collect(),
        main: program.defines("main"),
        notes: program.notes().to_vec(),
    })
}
