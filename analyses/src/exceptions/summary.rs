//! From standings to a report: findings, a verdict on every goal, notes.

use super::contract::Contract;
use super::naming::{self, Names};
use super::standing::{Impossible, Standing};
use nanoscope_program::{Goal, Program, Site, Target, Untestable};
use nanoscope_report::{
    Finding, Note, Outcome, Place, Proof, Report, Run, Search, Solver, Statistics, Verdict,
};
use std::sync::Arc;

/// What is asked of a program, apart from the program: can be shared among threads.
pub(super) struct Questions {
    pub goals: Vec<Goal>,
    pub sites: Arc<Vec<Site>>,
    names: Names,
}

impl Questions {
    pub fn new(program: &Program) -> Questions {
        Questions {
            goals: program.goals().to_vec(),
            sites: Arc::clone(program.sites()),
            names: Names::new(program),
        }
    }

    /// What a goal is called, asked through a function.
    pub fn name(&self, function: &str, goal: Goal) -> String {
        self.names.of(function, goal)
    }
}

/// Gathers what goes into the report.
pub(super) struct Summary<'q> {
    questions: &'q Questions,
    findings: Vec<Finding>,
    verdicts: Vec<Verdict>,
    notes: Vec<Note>,
    search: Search,
    solver: Solver,
}

impl<'q> Summary<'q> {
    pub fn new(questions: &'q Questions) -> Summary<'q> {
        Summary {
            questions,
            findings: Vec::new(),
            verdicts: Vec::new(),
            notes: Vec::new(),
            search: Search::default(),
            solver: Solver::default(),
        }
    }

    /// A target as it stands.
    pub fn target(&mut self, target: &Target, contract: &Contract, standing: &Standing) {
        self.search.evaluations += standing.search.evaluations;
        self.search.seconds += standing.search.seconds;
        self.search.replays += standing.search.replays;
        self.search.refuted += standing.search.refuted;
        self.search.stopped += standing.search.stopped;
        self.solver.queries += standing.solver.queries;
        self.solver.sat += standing.solver.sat;
        self.solver.unsat += standing.solver.unsat;
        self.solver.unknown += standing.solver.unknown;
        self.solver.unsat_over_reals += standing.solver.unsat_over_reals;
        self.solver.seconds += standing.solver.seconds;
        self.notes_of(target, contract);
        if let Some(trouble) = &standing.trouble {
            self.note(&target.function, place_of(target), trouble);
        }
        if let Some(why) = &standing.unranged {
            let text = format!("no proofs by ranges: {why}");
            self.note(&target.function, place_of(target), &text);
        }
        for &id in &target.goals {
            let goal = self.questions.goals[id.0 as usize];
            match (standing.impossible.get(&id), standing.reached.get(&id)) {
                (Some(impossible), _) => self.impossible(&target.function, goal, impossible),
                (None, Some(reached)) => {
                    let site = &self.questions.sites[goal.site.0 as usize];
                    let name = self.questions.name(&target.function, goal);
                    let claim = naming::claim(target, site, goal.exception, name, reached);
                    let evidence = naming::evidence(target, site, &self.questions.sites, reached);
                    self.findings.push(Finding::new(claim, evidence));
                    let seen = match reached.as_written {
                        false => "seen in a native run",
                        true => {
                            "seen in a native run without optimisation; the optimised code did not \
                             show it"
                        }
                    };
                    let why = format!("found by {}, {seen}", spoken(reached.engine));
                    self.verdict(&target.function, goal, Outcome::Reached, why, None);
                }
                (None, None) => {
                    let why = standing.why_open(id);
                    self.verdict(&target.function, goal, Outcome::Open, why, None);
                }
            }
        }
    }

    /// A function whose parameters cannot be made.
    pub fn untestable(&mut self, untestable: &Untestable) {
        let place = Place { file: untestable.file.clone(), line: untestable.line, column: 0 };
        let function = untestable.function.clone();
        self.note(&function, place, &format!("not run: {function} {}", untestable.why));
        for &id in &untestable.goals {
            let goal = self.questions.goals[id.0 as usize];
            match goal.never {
                Some(never) => {
                    let proof = Proof { engine: "constants".into(), assumptions: Vec::new() };
                    let impossible = Impossible { why: never.into(), proof: Arc::new(proof) };
                    self.impossible(&function, goal, &impossible);
                }
                None => {
                    let why = format!("not run: the function {}", untestable.why);
                    self.verdict(&function, goal, Outcome::Open, why, None);
                }
            }
        }
    }

    /// Everything together.
    pub fn report(self, run: Run, seconds: f64) -> Report {
        let statistics = Statistics {
            seconds,
            search: self.search,
            solver: self.solver,
            ..Statistics::default()
        };
        Report::new(run, self.findings, self.verdicts, statistics).with_notes(self.notes)
    }

    fn impossible(&mut self, function: &str, goal: Goal, impossible: &Impossible) {
        let (why, proof) = (impossible.why.to_string(), Proof::clone(&impossible.proof));
        self.verdict(function, goal, Outcome::Impossible, why, Some(proof));
    }

    fn notes_of(&mut self, target: &Target, contract: &Contract) {
        for assumption in &target.assumptions {
            let text = format!("assumed: {}; {}", assumption.text, assumption.options);
            self.note(&target.function, place_of(target), &text);
        }
        if !contract.extents().is_empty() {
            let text = format!(
                "inferred: {}, by the elements that it uses; --array confirms or corrects that",
                contract.extents().join(", ")
            );
            self.note(&target.function, place_of(target), &text);
        }
        for assumption in contract.assumptions() {
            self.note(&target.function, place_of(target), &format!("assumed: {assumption}"));
        }
        for gap in &target.gaps {
            let location = &gap.location;
            let place =
                Place { file: location.file.clone(), line: location.line, column: location.column };
            self.note(&target.function, place, &format!("not looked into: {}", gap.what));
        }
    }

    /// Something that concerns no single function.
    pub fn remark(&mut self, text: &str) {
        self.note("", Place::default(), text);
    }

    fn note(&mut self, function: &str, place: Place, text: &str) {
        self.notes.push(Note { function: function.to_owned(), place, text: text.to_owned() });
    }

    fn verdict(
        &mut self,
        function: &str,
        goal: Goal,
        outcome: Outcome,
        why: String,
        proof: Option<Proof>,
    ) {
        let site = &self.questions.sites[goal.site.0 as usize];
        self.verdicts.push(Verdict {
            goal: self.questions.name(function, goal),
            kind: naming::kind(goal.exception),
            function: function.to_owned(),
            place: naming::place(site),
            operation: site.action.name().to_owned(),
            outcome,
            why,
            proof,
        });
    }
}

/// An engine's name in a sentence.
fn spoken(engine: &str) -> String {
    engine.replace('-', " ")
}

fn place_of(target: &Target) -> Place {
    Place { file: target.file.clone(), line: target.line, column: 0 }
}
