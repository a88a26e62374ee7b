//! Random scripts by the thousand, answered by the chain, by each engine
//! alone and by other solvers. Prints every contradiction with its script, and
//! a table.
//!
//! usage: opinions COUNT [--first SEED] [--size tiny|half|single|double]
//!                 [--time-limit MS] [--theirs MS] [PROGRAM...]
//! with PROGRAM such as z3 or cvc5.

#[path = "../tests/opinion/mod.rs"]
mod opinion;
#[path = "../tests/random_script/mod.rs"]
mod random_script;

use opinion::{Opinion, ask, ask_program, engines_alone, inconsistency, is_reliable};
use random_script::{Script, Size};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

struct Task {
    count: u64,
    first: u64,
    size: Option<Size>,
    ours: Duration,
    theirs: Duration,
    programs: Vec<String>,
}

fn task() -> Result<Task, String> {
    let mut task = Task {
        count: 1000,
        first: 0,
        size: None,
        ours: Duration::from_millis(200),
        theirs: Duration::from_millis(1000),
        programs: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
    let mut count = None;
    while let Some(word) = words.next() {
        let mut number = || {
            let value = words.next().and_then(|value| value.parse().ok());
            value.ok_or_else(|| format!("{word} takes a number"))
        };
        match word.as_str() {
            "--first" => task.first = number()?,
            "--time-limit" => task.ours = Duration::from_millis(number()?),
            "--theirs" => task.theirs = Duration::from_millis(number()?),
            "--size" => {
                let name = words.next().unwrap_or_default();
                let known = Size::ALL
                    .into_iter()
                    .find(|size| format!("{size:?}").eq_ignore_ascii_case(&name));
                task.size = Some(known.ok_or_else(|| format!("`{name}` is no size"))?);
            }
            _ if count.is_none() => {
                count = Some(word.parse().map_err(|_| format!("`{word}` is no count"))?);
            }
            _ => task.programs.push(word),
        }
    }
    task.count = count.unwrap_or(task.count);
    Ok(task)
}

/// Mostly what is small: that is decided soon, and its corners are near.
fn size_of(seed: u64) -> Size {
    match seed % 10 {
        0..=4 => Size::Tiny,
        5 | 6 => Size::Half,
        7 | 8 => Size::Single,
        _ => Size::Double,
    }
}

#[derive(Default)]
struct Row {
    sat: u64,
    unsat: u64,
    unknown: u64,
    seconds: f64,
}

fn main() {
    let task = match task() {
        Ok(task) => task,
        Err(why) => {
            eprintln!("{why}");
            std::process::exit(2);
        }
    };
    let mut table: BTreeMap<String, Row> = BTreeMap::new();
    let contradictions = Cell::new(0u64);
    for seed in task.first..task.first + task.count {
        let size = task.size.unwrap_or_else(|| size_of(seed));
        let planted = seed % 3 == 0;
        let script = if planted { Script::planted(size, seed) } else { Script::random(size, seed) };
        let mut opinions =
            vec![("planted".to_string(), if planted { Opinion::Sat } else { Opinion::None })];
        let mut hear = |name: &str, opinion: &dyn Fn() -> Opinion| {
            let start = Instant::now();
            let opinion = opinion();
            let row = table.entry(name.to_string()).or_default();
            row.seconds += start.elapsed().as_secs_f64();
            match opinion {
                Opinion::Sat => row.sat += 1,
                Opinion::Unsat => row.unsat += 1,
                Opinion::None => row.unknown += 1,
            }
            opinions.push((name.to_string(), opinion));
        };
        let text = script.text();
        let last = |answers: Result<Vec<Opinion>, String>| match answers {
            Ok(answers) => answers.last().copied().unwrap_or(Opinion::None),
            Err(trouble) => {
                contradictions.set(contradictions.get() + 1);
                println!("TROUBLE {size:?} {seed}: {trouble}\n{text}");
                Opinion::None
            }
        };
        hear("chain", &|| last(ask(&text, &[], task.ours)));
        hear("chain, step by step", &|| last(ask(&script.steps(), &[], task.ours)));
        for engine in engines_alone() {
            let name = format!("{engine:?}").to_lowercase();
            hear(&name, &|| last(ask(&text, std::slice::from_ref(&engine), task.ours / 4)));
        }
        for program in &task.programs {
            if !is_reliable(program, &text) {
                continue;
            }
            hear(program, &|| ask_program(program, &text, task.theirs));
        }
        if let Some(what) = inconsistency(&opinions) {
            contradictions.set(contradictions.get() + 1);
            println!("CONTRADICTION {size:?} {seed}: {what}\n{text}");
        }
    }
    println!("{:<22}{:>8}{:>8}{:>9}{:>10}", "", "sat", "unsat", "unknown", "seconds");
    for (name, row) in &table {
        println!("{name:<22}{:>8}{:>8}{:>9}{:>10.1}", row.sat, row.unsat, row.unknown, row.seconds);
    }
    println!("{} scripts, {} contradictions", task.count, contradictions.get());
    std::process::exit(i32::from(contradictions.get() > 0));
}
