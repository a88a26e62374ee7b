//! What cannot happen in the functions of source files: `impossible FILE... [FUNCTION]...`, with
//! `-I` and other flags for the compiler and `--input x=LO..HI` among them. `--wide` says
//! nothing of single goals. `--main` starts from `main` and tells which calls of error functions
//! control may come to, and the
//! loops without bounds. `--without DOMAIN` switches a domain off, `--code` prints what is analysed.
//! Times are wall times.

use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::ir::Lowering;
use nanoscope_program::{Program, Wish, Wishes};
use nanoscope_ranges::{Domains, Options, Start, analyse};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn main() {
    let mut flags = Vec::new();
    let mut names = Vec::new();
    let mut wishes = Wishes::default();
    let (mut wide, mut prints) = (false, false);
    let mut milliseconds = 1000;
    let mut parts = 32;
    let mut arguments = std::env::args().skip(1);
    let mut files = Vec::new();
    let mut domains = Domains::default();
    while let Some(argument) = arguments.next() {
        if argument == "--input" {
            let text = arguments.next().expect("name=lo..hi");
            let (name, range) = text.split_once('=').expect("name=lo..hi");
            let (low, high) = range.split_once("..").expect("name=lo..hi");
            let value = (low.to_owned(), high.to_owned());
            wishes.ranges.push(Wish { function: None, name: name.into(), value });
        } else if argument == "--main" {
            names.push(argument);
        } else if argument == "--wide" {
            wide = true;
        } else if argument == "--code" {
            prints = true;
        } else if argument == "--time" {
            milliseconds = arguments.next().and_then(|n| n.parse().ok()).expect("milliseconds");
        } else if argument == "--without" {
            let name = arguments.next().expect("a domain");
            domains = Domains::without(&name).expect("a domain");
        } else if argument == "--parts" {
            parts = arguments.next().and_then(|n| n.parse().ok()).expect("a number");
        } else if argument.starts_with('-') {
            flags.push(argument);
        } else if Path::new(&argument).is_file() {
            files.push(PathBuf::from(argument));
        } else {
            names.push(argument);
        }
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let cache = std::env::temp_dir().join("nanoscope-impossible");
    let compiler = Compiler::caching_in(&cache, Flags::parse(&flags)).expect("a cache");
    let bitcode = compiler.bitcode(&files, None).unwrap_or_else(|fault| panic!("{fault}"));
    let program = Program::load(bitcode).unwrap_or_else(|fault| panic!("{fault}"));
    if names.is_empty() {
        names = program.callable().into_iter().map(|candidate| candidate.symbol).collect();
    }
    if names == ["--main"] {
        return failures(&program, milliseconds);
    }
    let targets = program.targets(&names, &wishes).unwrap_or_else(|fault| panic!("{fault}"));
    let lowering = Lowering { functions: names, wishes, ..Lowering::default() };
    let code = program.code(&lowering).unwrap_or_else(|fault| panic!("{fault}"));
    if prints {
        println!("{code}");
    }
    let (mut goals, mut settled) = (0, 0);
    for target in targets.into_iter().flatten() {
        let begin = Instant::now();
        let deadline = Some(begin + Duration::from_millis(milliseconds));
        let options = Options { deadline, parts, domains, ..Options::default() };
        let findings = analyse(&code, Start::Target(&target), &options);
        let mut count = 0;
        for id in &target.goals {
            let goal = &program.goals()[id.0 as usize];
            let site = &program.sites()[goal.site.0 as usize];
            let why = findings.impossible.get(&(goal.site, goal.exception));
            count += usize::from(why.is_some());
            if !wide {
                let location = &site.location;
                let file = location.file.rsplit('/').next().unwrap_or_default();
                let place = format!("{file}:{}:{}", location.line, location.column);
                let (action, exception) = (site.action.name(), goal.exception);
                match why {
                    Some(why) => println!("  {place} {action} {exception}: impossible, {why}"),
                    None => {
                        let range = findings.sites.get(&goal.site);
                        let operands = range.into_iter().flat_map(|range| &range.operands);
                        let text: Vec<String> = operands.map(ToString::to_string).collect();
                        println!("  {place} {action} {exception}: open, {}", text.join(" and "));
                    }
                }
            }
        }
        goals += target.goals.len();
        settled += count;
        println!(
            "{}: {count} of {} impossible, {} parts, {} steps, {:?}{}",
            target.function,
            target.goals.len(),
            findings.parts,
            findings.steps,
            begin.elapsed(),
            findings.stopped.map(|why| format!(", {why}")).unwrap_or_default()
        );
    }
    println!("{settled} of {goals} goals impossible");
}

/// Which calls of error functions control may come to from `main`.
fn failures(program: &Program, milliseconds: u64) {
    let lowering = Lowering { functions: vec!["main".into()], ..Lowering::default() };
    let code = program.code(&lowering).unwrap_or_else(|fault| panic!("{fault}"));
    let begin = Instant::now();
    let deadline = Some(begin + Duration::from_millis(milliseconds));
    let main = code.named("main").expect("a main");
    let options = Options { deadline, wanted: Some(Default::default()), ..Options::default() };
    let findings = analyse(&code, Start::Program(main), &options);
    for failure in &findings.failures {
        let line = code.location(failure.location).line;
        let can = if failure.may_be_reached { "may be reached" } else { "is impossible" };
        println!("  `{}` at line {line} {can}", failure.callee);
    }
    for unbounded in &findings.unbounded {
        let line = code.location(unbounded.location).line;
        println!("  the loop at line {line} is not bounded: {}", unbounded.why);
    }
    let inside = if findings.accesses_stay_inside { "" } else { ", accesses may leave objects" };
    let steps = findings.steps;
    println!("main: {steps} steps, {:?}{inside} {:?}", begin.elapsed(), findings.stopped);
}
