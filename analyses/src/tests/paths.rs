//! Paths: those that inputs can take, or whether one that is named can be taken (Botella, Gotlieb,
//! Michel: Symbolic execution of floating-point computations).
//!
//! A path that is told was seen: the program, built so that its branches tell the way they go, was
//! run natively on the input. That no input takes a path is told only where the exploration
//! followed everything that could be on it.

use super::inputs::Case;
use super::native::{Natives, Telling};
use super::route::{self, PathFile};
use super::shapes::Shapes;
use super::{Compiled, Listener, Options, library, lowered, seen, shapes, start_of};
use nanoscope_explore::{self as explore, Event, Flow, PathEnd, Trail, Way};
use nanoscope_native::whole::{Branch, Run};
use nanoscope_program::Fault;
use nanoscope_report::{
    BranchTaken, Exploration, Feasibility, PathAnswer, PathCondition, PathOutput, PathTaken, Paths,
    RefutedPath, Report, Search, Solver, Statistics, Status, Test,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// What is asked about paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathQuestion {
    /// Which there are.
    All,
    /// Whether one can be taken.
    One {
        /// The name of the file that names it.
        file: String,
        /// What stands in it.
        text: String,
    },
}

/// Answers a question about paths.
pub(super) fn run(
    options: &Options,
    question: &PathQuestion,
    listener: &Listener,
) -> Result<Report, Fault> {
    let begun = Instant::now();
    let deadline = begun + options.time_limit;
    let compiled = Compiled::new(options, listener, deadline)?;
    let natives = compiled.natives(options, deadline)?;
    let Compiled { source, compiler, program, target } = &compiled;
    let (support, folder) = library::support(program, deadline)?;
    let folder = folder.map(|folder| folder.display().to_string());
    let is_ours = |file: &str| folder.as_deref().is_some_and(|folder| file.starts_with(folder));
    let code = lowered(options, program, source, support)?;
    let first = start_of(options, &code, target.as_ref())?;
    let entry = target.as_ref().map_or("main", |target| target.symbol.as_str());
    let asked = match question {
        PathQuestion::All => None,
        PathQuestion::One { file, text } => {
            let home = code.named(entry).or_else(|| code.named("_QQmain"));
            let home = home.map(|id| &code.location(code.function(id).location).file);
            let home = home.map_or("", String::as_str);
            Some(route::read(file, text, &code, home, &is_ours)?)
        }
    };
    let telling = natives.telling(program, compiler)?;
    let mut shapes = shapes::declared(program);
    for (name, shape) in shapes::used(&code) {
        shapes.entry(name).or_insert(shape);
    }
    let ways = explore::branches(&code).into_iter().filter(|(at, _)| !is_ours(&at.file));
    let mut work = Work {
        options,
        natives,
        telling,
        shapes,
        asked,
        ways: ways.map(|(at, ways)| ((at.line, at.column), ways)).collect(),
        paths: Vec::new(),
        tests: Vec::new(),
        trouble: None,
    };
    let exploring = explore::Options {
        every_path: true,
        trails: true,
        merge: false,
        route: work.asked.as_ref().map(|asked| Arc::new(asked.route.clone())),
        ..super::exploring(options, listener, &code, deadline)
    };
    let outcome = explore::explore(&code, first, &exploring, &mut |event| match event {
        Event::Path(end) => {
            let told = work.paths.len();
            (listener.progress)(&|| format!("exploring: {told} paths so far"));
            work.path(&end).unwrap_or_else(|fault| {
                work.trouble = Some(fault);
                Flow::Stop
            })
        }
        Event::Output { error, bytes } => {
            if let Some(echo) = listener.echo {
                echo(error, &bytes);
            }
            Flow::Continue
        }
        Event::Goal { .. } => Flow::Continue,
    });
    if let Some(fault) = work.trouble.take() {
        return Err(fault);
    }
    work.report(question, &outcome, begun)
}

/// A run at work.
struct Work<'a> {
    options: &'a Options,
    natives: Natives<'a>,
    telling: Telling,
    shapes: Shapes,
    asked: Option<PathFile>,
    /// The ways of the program's branches, by line and column.
    ways: BTreeMap<(u32, u32), Vec<Way>>,
    paths: Vec<PathTaken>,
    tests: Vec<Test>,
    trouble: Option<Fault>,
}

impl Work<'_> {
    /// A path ended: has it confirmed.
    fn path(&mut self, end: &PathEnd) -> Result<Flow, Fault> {
        let Some(trail) = &end.trail else { return Ok(Flow::Continue) };
        if self.asked.is_some() && trail.on_route.is_none() || end.ending == explore::Ending::Silent
        {
            return Ok(Flow::Continue);
        }
        let case = Case::explored(&end.inputs, &self.shapes).with_stdin(self.natives.stdin());
        let refuted = match case.is_whole() {
            true => {
                let run = self.natives.run(&case)?;
                let told = self.natives.run_on(self.telling.whole(), &case)?;
                let refuted = self.difference(end, trail, &run, &told);
                if refuted.is_none() {
                    self.keep_test(&case, &run);
                }
                refuted
            }
            false => Some("it depends on what a native run cannot be given".to_owned()),
        };
        let confirmed = refuted.is_none();
        self.paths.push(taken(end, trail, case, refuted));
        Ok(if self.asked.is_some() && confirmed { Flow::Stop } else { Flow::Continue })
    }

    /// What a native run did instead of what was expected, if it did.
    fn difference(&self, end: &PathEnd, trail: &Trail, run: &Run, told: &Run) -> Option<String> {
        let unfinished = matches!(end.ending, explore::Ending::Stopped(_));
        if !unfinished && (run.ended != told.ended || run.outputs != told.outputs) {
            return Some(format!(
                "the program {}; with its branches told it {}",
                run.ended, told.ended
            ));
        }
        let mut seen = told
            .branches
            .iter()
            .filter(|branch| self.ways.contains_key(&(branch.line, branch.column)));
        let expected = match trail.on_route {
            Some((asked, _)) if unfinished => &trail.decisions[..asked],
            Some(_) | None => &trail.decisions[..],
        };
        for decision in expected {
            let place = format!("{}:{}", decision.location.line, decision.way);
            match seen.next() {
                Some(branch) if self.is(decision, branch) => {}
                Some(branch) => {
                    return Some(format!(
                        "it went another way than {place}, at the branch on line {}",
                        branch.line
                    ));
                }
                // As many as there was room for agree.
                None if told.branches.len() >= 1 << 16 => return None,
                None => return Some(format!("it {} before {place}", told.ended)),
            }
        }
        let more = seen.next().filter(|_| !unfinished);
        more.map(|branch| format!("it went on to the branch on line {}", branch.line))
    }

    /// Whether a branch of a native run is the one of a decision, and went its way.
    fn is(&self, decision: &explore::Decision, branch: &Branch) -> bool {
        let place = (decision.location.line, decision.location.column);
        let value = i128::from(branch.value as i64);
        place == (branch.line, branch.column)
            && match &decision.way {
                Way::True => branch.value & 1 == 1,
                Way::False => branch.value & 1 == 0,
                Way::Case(case) => *case == value,
                Way::Default => {
                    self.ways.get(&place).is_none_or(|ways| !ways.contains(&Way::Case(value)))
                }
            }
    }

    fn keep_test(&mut self, case: &Case, run: &Run) {
        self.tests.push(Test {
            name: String::new(),
            function: self.options.entry().to_owned(),
            inputs: case.numbers.clone(),
            given: case.given.clone(),
            outcome: super::native::outcome(run),
            finding: None,
            engine: super::EXPLORATION.to_owned(),
        });
    }

    fn report(
        mut self,
        question: &PathQuestion,
        outcome: &explore::Explored,
        begun: Instant,
    ) -> Result<Report, Fault> {
        let answer = match question {
            PathQuestion::All => None,
            PathQuestion::One { file, .. } => Some(self.answer(file, outcome)?),
        };
        // In the order of their branches; tests with the paths that they take.
        let key = |path: &PathTaken| -> Vec<(u32, u32, bool, String)> {
            let branches = path.branches.iter();
            let key = branches.map(|it| {
                (it.place.line, it.place.column, it.outcome != "true", it.outcome.clone())
            });
            key.collect()
        };
        self.paths.sort_by_cached_key(key);
        let mut tests = Vec::new();
        for (number, path) in self.paths.iter_mut().enumerate() {
            path.name = format!("path-{:04}", number + 1);
            let known = self.tests.iter().position(|test| test.given == path.given);
            if let Some(at) = known.filter(|_| path.confirmed) {
                tests.push(Test { name: path.name.clone(), ..self.tests.swap_remove(at) });
            }
        }
        let settled = match &answer {
            Some(answer) => answer.verdict != Feasibility::Undecided,
            None => outcome.exhausted && self.paths.iter().all(|path| path.confirmed),
        };
        let figures = &outcome.statistics;
        let statistics = Statistics {
            seconds: begun.elapsed().as_secs_f64(),
            search: Search { evaluations: self.natives.runs, ..Search::default() },
            solver: Solver {
                queries: figures.queries,
                sat: figures.satisfiable,
                unsat: figures.unsatisfiable,
                unknown: figures.undecided,
                unsat_over_reals: figures.over_reals,
                seconds: figures.solver_time.as_secs_f64(),
            },
            exploration: Some(Exploration {
                paths: figures.paths,
                instructions: figures.instructions,
                forks: figures.forks,
                merged: figures.merged,
                most_states: figures.most_states,
                seconds: figures.time.as_secs_f64(),
                generation_seconds: 0.0,
            }),
        };
        let notes = if settled { Vec::new() } else { super::notes(outcome) };
        let run = self.options.described();
        Ok(Report::new(run, Vec::new(), Vec::new(), statistics)
            .with_tests(tests, None)
            .with_paths(Paths { answer, list: self.paths })
            .with_status(if settled { Status::Exhausted } else { Status::Stopped })
            .with_notes(notes))
    }

    /// Whether the path that was asked about can be taken.
    fn answer(&self, file: &str, outcome: &explore::Explored) -> Result<PathAnswer, Fault> {
        let answer = |verdict: Feasibility, why: String| PathAnswer {
            file: file.to_owned(),
            verdict,
            why,
            refuted: None,
        };
        if self.paths.iter().any(|path| path.confirmed) {
            let why = "the program, run natively on this input, takes it".to_owned();
            return Ok(answer(Feasibility::Feasible, why));
        }
        if let Some(path) = self.paths.first() {
            let why = format!(
                "an input was found, but run natively on it: {}{}",
                path.refuted,
                match path.assumptions.as_slice() {
                    [] => String::new(),
                    some => format!("; assumed on the way: {}", some.join(", ")),
                }
            );
            return Ok(answer(Feasibility::Undecided, why));
        }
        if !outcome.exhausted {
            let why = explore::Gap::list(&outcome.stopped_by, "; ");
            return Ok(answer(Feasibility::Undecided, format!("stopped by {why}")));
        }
        if let (Some(off), Some(asked)) = (&outcome.off_route, &self.asked)
            && !off.pruned
        {
            let what = format!("the program has no such path: instead, {}", off.instead);
            return Err(asked.fault(off.entry, &what));
        }
        let refuted = outcome.refuted.as_ref().map(|trail| RefutedPath {
            branches: branches(trail),
            constraints: constraints(trail),
            conditions: conditions(trail),
            script: trail.script.clone(),
        });
        let infeasible = answer(Feasibility::Infeasible, "no input takes it".to_owned());
        Ok(PathAnswer { refuted, ..infeasible })
    }
}

/// A path that ended, for the report.
fn taken(end: &PathEnd, trail: &Trail, case: Case, refuted: Option<String>) -> PathTaken {
    let outputs = trail.outputs.iter().map(|output| PathOutput {
        name: output.name.clone(),
        lines: output.lines.clone(),
        term: output.term.clone(),
    });
    PathTaken {
        name: String::new(),
        branches: branches(trail),
        asked: trail.on_route.map(|(decisions, _)| decisions as u64),
        constraints: constraints(trail),
        conditions: conditions(trail),
        ranges: trail.ranges.clone(),
        script: trail.script.clone(),
        outputs: outputs.collect(),
        ending: match &end.ending {
            explore::Ending::Returned(_) => "returns".to_owned(),
            other => other.to_string(),
        },
        inputs: case.numbers,
        given: case.given,
        confirmed: refuted.is_none(),
        refuted: refuted.unwrap_or_default(),
        assumptions: end.assumptions.clone(),
    }
}

fn branches(trail: &Trail) -> Vec<BranchTaken> {
    let taken = trail.decisions.iter().map(|decision| BranchTaken {
        place: seen::place(&decision.location),
        outcome: decision.way.to_string(),
    });
    taken.collect()
}

fn conditions(trail: &Trail) -> Vec<PathCondition> {
    let conditions = trail.conditions.iter().map(|condition| PathCondition {
        branch: condition.decision.map(|number| number as u64),
        lines: condition.lines.clone(),
    });
    conditions.collect()
}

/// Constraints of a path condition: definitions of temporaries and relations.
fn constraints(trail: &Trail) -> u64 {
    trail.conditions.iter().map(|condition| condition.lines.len() as u64).sum()
}
