//! The attack of `bench/gsl` on proofs: a long search for what is said to be impossible.
//!
//! ```text
//! attack SOURCE SECONDS SEED GOALS
//! ```
//!
//! GOALS has a line for every goal: the function's symbol, the kind of exception and the
//! operation's name as the baseline writes it. Each function's goals are searched for with
//! that seed and so many processor seconds, as if nobody knew anything about them. A line is
//! printed for every goal: `fell`, with the input, where the original code was seen to do it;
//! `doubtful`, where instrumented code did it and the original did not; `held`, with how near
//! a run came; `unasked`, where a constant operand shows the answer and no run looks at it.

#[path = "names.rs"]
mod names;

use nanoscope_budget::Budget;
use nanoscope_native::{
    Allowance, Candidate, Hunt, Judgement, Limits, Promise, Pursuit, Replayer, confirm,
    search_goals,
};
use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::{Fault, Goal, GoalId, Program, Target, Wishes};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

/// The same as the search's own.
const FUEL: i64 = 100_000;

fn main() -> Result<(), Fault> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, seconds, seed, goals] = arguments.as_slice() else {
        return Err(Fault::User("usage: attack SOURCE SECONDS SEED GOALS".into()));
    };
    let seconds = seconds.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    let seconds = seconds.ok_or_else(|| Fault::User("SECONDS is no time".into()))?;
    let seed: u64 = seed.parse().map_err(|_| Fault::User(format!("not a number: {seed}")))?;
    let text = std::fs::read_to_string(goals)
        .map_err(|error| Fault::User(format!("cannot read {goals}: {error}")))?;
    let mut wanted: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for line in text.lines() {
        if let Some((function, goal)) = line.split_once(' ') {
            wanted.entry(function.into()).or_default().insert(goal);
        }
    }
    let compiler = Compiler::new(Flags::parse(["-O2", "-lm"]))?;
    let program = Program::load(compiler.bitcode(&[PathBuf::from(source)], None)?)?;
    let (functions, wishes) = (wanted.keys().cloned().collect::<Vec<String>>(), Wishes::default());
    let names = names::names(program.sites());
    let scratch = std::env::temp_dir().join(format!("nanoscope-attack-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|error| Fault::Internal(error.to_string()))?;
    let libraries = program.libraries(&functions, &wishes, &compiler, &scratch, None)?;
    for (function, target) in functions.iter().zip(program.targets(&functions, &wishes)?) {
        let target = target.map_err(|untestable| Fault::User(untestable.why.clone()))?;
        let name = |goal: &Goal| format!("{} {}", goal.exception, names[goal.site.0 as usize]);
        let of = |id: GoalId| program.goals()[id.0 as usize];
        let is_asked = |id: &&GoalId| wanted[function].contains(name(&of(**id)).as_str());
        let (unasked, asked): (Vec<GoalId>, Vec<GoalId>) =
            target.goals.iter().filter(is_asked).partition(|id| of(**id).never.is_some());
        for id in unasked {
            println!("unasked {function} {}", name(&of(id)));
        }
        let hunt = Hunt {
            seed,
            limits: Limits { fuel: FUEL, ..Limits::default() },
            settled: target.goals.iter().copied().filter(|id| !asked.contains(id)).collect(),
            until_stalled: false,
            processor: Some(Allowance::of(seconds)),
            ..Hunt::default()
        };
        let replayer = Replayer::new(&libraries.original(&target)?, &hunt.limits)?;
        let mut judge = |candidate: &Candidate| {
            let Goal { site, exception, .. } = of(candidate.goal);
            let record = Some(candidate.record);
            let promise = Promise { site, exception, point: candidate.point, record };
            Ok(match confirm(&replayer, &promise)? {
                Some(_) => Judgement::Confirmed,
                None => Judgement::Refuted,
            })
        };
        let instrumented = libraries.instrumented(&target)?;
        let caught = search_goals(&instrumented, &hunt, &Budget::unlimited(), &mut judge)?;
        for pursuit in &caught.pursuits {
            println!("{}", told(function, &name(&of(pursuit.goal)), &target, pursuit));
        }
    }
    std::fs::remove_dir_all(&scratch).map_err(|error| Fault::Internal(error.to_string()))
}

fn told(function: &str, goal: &str, target: &Target, pursuit: &Pursuit) -> String {
    let point = pursuit.best.as_ref().map(|(_, point)| {
        let word = |word: usize| format!("{:#x}", point[word]);
        let inputs = target.inputs.iter().map(|i| format!("{} = {}", i.name, word(i.word)));
        inputs.collect::<Vec<String>>().join(", ")
    });
    let distance = pursuit.best.as_ref().map_or("never there".into(), |(d, _)| format!("at {d}"));
    match point {
        Some(point) if pursuit.confirmed => format!("fell {function} {goal} ({point})"),
        Some(point) if pursuit.refuted > 0 => format!("doubtful {function} {goal} ({point})"),
        Some(_) | None => format!("held {function} {goal} ({distance})"),
    }
}
