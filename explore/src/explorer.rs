//! The exploration: takes states from the queue, lets them run, and deals with what comes.
//!
//! A fork costs no query: the side that the path's witness takes goes on at once, the others
//! wait in the queue with their condition, and the solver is asked when their turn comes. A
//! side that it cannot decide goes back to the queue and has more time later.

use crate::branches;
use crate::coverage::FAR;
use crate::interpreter::{self, Alternative, Effect};
use crate::machine::{Machine, Sought};
use crate::path::Path;
use crate::questions::{Answer, Questions};
use crate::route::Stray;
use crate::schedule::Queue;
use crate::state::{State, Then, Waiting};
use crate::telling;
use crate::{
    Ending, Event, Explored, Flow, Gap, Given, OffRoute, Options, PathEnd, Scheduler, Start,
    Statistics, Trail,
};
use nanoscope_program::ir::{Code, LocationId};
use nanoscope_program::{Location, Output};
use nanoscope_term::Term;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Explores a program from a start, and tells an observer what comes by.
pub fn explore(
    code: &Code,
    start: Start,
    options: &Options,
    observe: &mut dyn FnMut(Event) -> Flow,
) -> Explored {
    let began = Instant::now();
    let (mut machine, memory) = Machine::new(code, options);
    let first = crate::start::start(&mut machine, memory, &start);
    // Methods over the reals answer quickly or not at all: others go before a long attempt.
    let attempt = match options.engines.is_empty() {
        true => Duration::ZERO,
        false => options.query_limit / FIRST_SHARE,
    };
    let mut explorer = Explorer {
        machine,
        options,
        queue: Queue::new(options.scheduler, options.seed, attempt),
        questions: Questions::new(options),
        statistics: Statistics::default(),
        found: BTreeMap::new(),
        goals: vec![GoalStanding::default(); options.goals.len()],
        gaps: BTreeSet::new(),
        open: BTreeSet::new(),
        observe,
        asked_to_stop: false,
        outputs: match &start {
            Start::Target { outputs, .. } => outputs.to_vec(),
            Start::Main { .. } => Vec::new(),
        },
        off_route: None,
        refuted: None,
        on_route: None,
        watch: MemoryWatch::new(options.memory_limit),
    };
    match first {
        Ok(state) => explorer.queue.push(Box::new(state)),
        Err(why) => drop(explorer.gaps.insert(Gap::Other(why))),
    }
    explorer.work();
    explorer.tell_unfinished();
    explorer.outcome(began)
}

/// How long a state runs before another one has its turn, in instructions.
const QUANTUM: u64 = 200_000;
/// What a fork counts for: who leaves many others behind lets them have their turn.
const FORK: u64 = 1_000;
/// Instructions between looks at the clock.
const SLICE: u64 = 4_000;
/// First attempts at a question take this part of the limit, later ones four times more each.
const FIRST_SHARE: u32 = 8;
/// Attempts after which a question is left open that more time does not help, or that has
/// all the time there is.
const GIVING_UP: u32 = 4;
/// How often a place is reported again after a native run did not confirm it.
const REFUSALS: u32 = 8;

struct Explorer<'a> {
    machine: Machine<'a>,
    options: &'a Options,
    queue: Queue,
    questions: Questions,
    statistics: Statistics,
    /// Findings by place and kind.
    found: BTreeMap<(Location, &'static str), Standing>,
    goals: Vec<GoalStanding>,
    gaps: BTreeSet<Gap>,
    open: BTreeSet<(Location, String)>,
    observe: &'a mut dyn FnMut(Event) -> Flow,
    asked_to_stop: bool,
    /// What a target gives back.
    outputs: Vec<Output>,
    /// Where the path that came farthest left the route.
    off_route: Option<(usize, String)>,
    /// The longest path on the route that no input takes.
    refuted: Option<Trail>,
    /// The first path that followed the route to its end, until a path is told.
    on_route: Option<Box<State>>,
    watch: MemoryWatch,
}

/// What became of a finding.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    accepted: bool,
    refusals: u32,
}

impl Standing {
    fn is_settled(self) -> bool {
        self.accepted || self.refusals >= REFUSALS
    }
}

/// What became of a goal.
#[derive(Clone, Copy, Debug, Default)]
struct GoalStanding {
    standing: Standing,
    /// Whether it was seen, and is to be told again.
    seen: bool,
}

impl Explorer<'_> {
    fn work(&mut self) {
        while !self.is_over()
            && let Some(state) =
                self.queue.pick(self.machine.code, &mut self.machine.coverage, &self.machine.aim)
        {
            let began = Instant::now();
            let class = state.waiting.as_ref().map_or(0, |waiting| waiting.attempts);
            self.resume(state);
            self.queue.charge(class, began.elapsed());
            self.statistics.most_states =
                self.statistics.most_states.max(self.queue.len() as u64 + 1);
            match self.watch.look() {
                Growth::Fine => {}
                Growth::TooMuch if self.queue.len() > 1 => {
                    self.queue.thin();
                    self.watch.settle();
                    self.gaps.insert(Gap::Dropped);
                }
                Growth::TooMuch => {}
                Growth::FarTooMuch => {
                    self.gaps.insert(Gap::Memory);
                    return;
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        let asked = self.statistics.queries;
        self.asked_to_stop
            || self.questions.is_over()
            || self.options.max_queries.is_some_and(|most| asked >= most)
    }

    /// Asks what a state waits for, and lets it go on.
    fn resume(&mut self, mut state: Box<State>) {
        if self.is_hopeless(&state) {
            return self.note_assumptions(&state);
        }
        let Some(waiting) = state.waiting.take() else {
            return self.run(state);
        };
        if self.is_settled(&state, &waiting.then) {
            return;
        }
        let time = (self.options.query_limit / FIRST_SHARE) * 4u32.saturating_pow(waiting.attempts);
        match self.ask(&state.path, waiting.condition, time) {
            Answer::Unsat => {
                self.machine.pruned = true;
                self.note_refuted(&state, &waiting);
            }
            Answer::Unknown(why) => {
                let attempts = waiting.attempts + 1;
                let impatient = self.options.patience.is_some_and(|most| attempts >= most);
                let in_vain = self.options.deadline.is_none() || why.is_final();
                // Methods over the reals do the same again.
                let repeats = !self.options.engines.is_empty() && why.is_final();
                if impatient || repeats || attempts >= GIVING_UP && in_vain {
                    let place = self.machine.place(&state, self.machine.location(&state)).0;
                    self.gaps.insert(Gap::Undecided);
                    self.open.insert((place, format!("undecided: {why}")));
                } else {
                    let why = Some(why);
                    state.path.rest();
                    state.waiting = Some(Waiting { attempts, why, ..waiting });
                    self.queue.push(state);
                }
            }
            Answer::Sat(model) => {
                state.path.turn(&mut self.machine.terms, waiting.condition, model);
                match waiting.then {
                    Then::GoOn => self.run(state),
                    Then::End(ending, at) => self.end(&state, ending, at),
                    Then::Goal(goal, at) => self.reach(&state, goal, at),
                }
            }
        }
    }

    fn ask(&mut self, path: &Path, condition: Term, time: Duration) -> Answer {
        let terms = &mut self.machine.terms;
        let hints = &self.machine.hints;
        self.questions.possible(terms, path, condition, hints, time, &mut self.statistics)
    }

    /// Lets a state run until it ends, has to wait, or had its turn.
    fn run(&mut self, mut state: Box<State>) {
        let goes_on = self.takes_turn(&mut state);
        state.path.rest();
        if goes_on {
            self.queue.push(state);
        }
    }

    /// The same; whether the state is to go on later.
    fn takes_turn(&mut self, state: &mut State) -> bool {
        let mut left = QUANTUM;
        loop {
            let (before, forks) = (state.instructions, state.forks);
            let effect = interpreter::run(&mut self.machine, state, left.min(SLICE));
            let done = state.instructions - before;
            self.statistics.instructions += done;
            left = left.saturating_sub(done.max(1));
            for (error, bytes) in self.machine.printed.drain(..) {
                let flow = (self.observe)(Event::Output { error, bytes });
                self.asked_to_stop |= flow == Flow::Stop;
            }
            for other in std::mem::take(&mut self.machine.spawned) {
                self.statistics.forks += 1;
                self.queue.push(Box::new(other));
            }
            let goes_on = match effect {
                Effect::Pause => true,
                Effect::End(ending, at) => {
                    self.end(state, ending, at);
                    return false;
                }
                Effect::Split(alternatives) => self.split(state, alternatives),
                Effect::Pin(term) => self.pin(state, term),
                Effect::Assume(condition) => self.assume(state, condition),
                Effect::Checks(checks, at) => self.check(state, checks, at),
                Effect::Goals(sought, at) => self.pursue(state, sought, at),
                Effect::Leave(stray, entry) => {
                    self.note_contradicted(state, &stray);
                    self.stray(stray, entry);
                    return false;
                }
            };
            if self.on_route.is_none()
                && state.track.as_ref().is_some_and(|track| track.on_route.is_some())
            {
                self.on_route = Some(Box::new(state.clone()));
            }
            if goes_on && self.is_hopeless(state) {
                self.note_assumptions(state);
                return false;
            }
            if !goes_on {
                return state.waiting.is_some();
            }
            left = left.saturating_sub(FORK * (state.forks - forks));
            if left == 0 || self.is_over() {
                return true;
            }
        }
    }

    /// One of several goes on with the state, the others wait. Whether the state goes on.
    fn split(&mut self, state: &mut State, mut alternatives: Vec<Alternative>) -> bool {
        for side in std::mem::take(&mut alternatives) {
            let way = side.heading.map(|(_, way)| way);
            match way.and_then(|way| branches::leaves(&self.machine, state, way)) {
                None => alternatives.push(side),
                // Others go there; that this one does not is no proof of anything.
                Some((Stray::Way, _)) => {}
                Some((stray, entry)) => self.stray(stray, entry),
            }
        }
        if alternatives.is_empty() {
            return false;
        }
        if self.options.max_depth.is_some_and(|limit| state.forks >= limit) {
            let why = "the bound on forks of a path".to_owned();
            self.end(state, Ending::Stopped(why), self.machine.location(state));
            return false;
        }
        if state.forks_no_more {
            state.assume("the program switched forking off (klee_set_forking)");
            return self.follow(state, &alternatives, &mut |_, _| ());
        }
        let mut others = Vec::new();
        let goes_on = self.follow(state, &alternatives, &mut |state, other| {
            others.push(state.fork(other.condition, Then::GoOn, other.heading));
        });
        for other in others {
            self.statistics.forks += 1;
            self.queue.push(Box::new(other));
        }
        state.forks += 1;
        goes_on
    }

    /// Takes the side that the witness takes; hands the state as it was before and each of
    /// the others to `leave`.
    fn follow(
        &mut self,
        state: &mut State,
        alternatives: &[Alternative],
        leave: &mut dyn FnMut(&State, &Alternative),
    ) -> bool {
        let terms = &mut self.machine.terms;
        let taken = alternatives.iter().position(|side| state.path.takes(terms, side.condition));
        for (number, other) in alternatives.iter().enumerate() {
            if Some(number) != taken
                && state.path.knows(&mut self.machine.terms, other.condition) != Some(false)
            {
                leave(state, other);
            }
        }
        match taken {
            Some(number) => {
                let condition = alternatives[number].condition;
                state.path.assume(&mut self.machine.terms, condition);
                true
            }
            None => false,
        }
    }

    /// The state goes on with one value of a term; another one waits for the others.
    fn pin(&mut self, state: &mut State, term: Term) -> bool {
        let value = state.path.value(&self.machine.terms, term);
        let terms = &mut self.machine.terms;
        let constant = terms.constant(value.clone());
        let same = terms.equal(term, constant);
        let differs = terms.not(same);
        let alternatives =
            [same, differs].map(|condition| Alternative { condition, heading: None }).to_vec();
        let goes_on = self.split(state, alternatives);
        state.path.pin(term, value);
        goes_on
    }

    /// The state goes on where a condition holds. Whether it does.
    fn assume(&mut self, state: &mut State, condition: Term) -> bool {
        if state.path.takes(&self.machine.terms, condition) {
            state.path.assume(&mut self.machine.terms, condition);
            return true;
        }
        match self.ask(&state.path, condition, self.options.query_limit) {
            Answer::Sat(model) => {
                state.path.turn(&mut self.machine.terms, condition, model);
                true
            }
            Answer::Unsat => false,
            Answer::Unknown(why) => {
                let (then, why) = (Then::GoOn, Some(why));
                state.waiting =
                    Some(Waiting { condition, then, attempts: 2, why, heading: None, size: 0 });
                false
            }
        }
    }

    /// None of these may hold: where one can, the path ends there, and goes on elsewhere.
    fn check(&mut self, state: &mut State, checks: Vec<(Term, Ending)>, at: LocationId) -> bool {
        let mut opposites = Vec::new();
        for (condition, ending) in checks {
            opposites.push(self.machine.terms.not(condition));
            if state.path.knows(&mut self.machine.terms, condition) == Some(false) {
                continue;
            }
            if state.path.takes(&self.machine.terms, condition) {
                self.end(state, ending, at);
            } else if self.options.scheduler != Scheduler::Goals {
                let then = Then::End(ending, at);
                if !self.is_settled(state, &then) {
                    self.queue.push(Box::new(state.fork(condition, then, None)));
                }
            }
        }
        let none = self.machine.terms.and(&opposites);
        self.assume(state, none)
    }

    /// Asks for goals here; the path goes on in any case.
    fn pursue(&mut self, state: &mut State, sought: Sought, at: LocationId) -> bool {
        for (goal, condition) in sought.goals {
            if self.goals[goal].standing.is_settled() {
                continue;
            }
            if state.path.takes(&self.machine.terms, condition) {
                self.reach(state, goal, at);
            } else if state.path.knows(&mut self.machine.terms, condition) != Some(false) {
                let mut asked = state.fork(condition, Then::Goal(goal, at), None);
                if let Some(waiting) = &mut asked.waiting {
                    waiting.size = self.machine.terms.below(&[condition]).len() as u32;
                }
                self.queue.push(Box::new(asked));
            }
        }
        if sought.quiet.is_empty() {
            return true;
        }
        let quiet = self.machine.terms.and(&sought.quiet);
        self.assume(state, quiet)
    }

    /// Whether a state can come by nothing that is looked for.
    fn is_hopeless(&self, state: &State) -> bool {
        let waits = state.waiting.as_ref().is_some_and(|it| !matches!(it.then, Then::GoOn));
        self.options.scheduler == Scheduler::Goals
            && !waits
            && self.machine.aim.ahead(self.machine.code, state) >= FAR
    }

    /// What was assumed on a path keeps the exploration from being a proof.
    fn note_assumptions(&mut self, state: &State) {
        self.gaps.extend(state.assumptions.iter().cloned().map(Gap::Other));
    }

    /// Whether nothing is to be learned from what a state waits for.
    fn is_settled(&self, state: &State, then: &Then) -> bool {
        match then {
            Then::GoOn => false,
            Then::End(ending, at) => ending.finding().is_some_and(|kind| {
                let place = self.machine.place(state, *at).0;
                self.found.get(&(place, kind)).is_some_and(|standing| standing.is_settled())
            }),
            Then::Goal(goal, _) => self.goals[*goal].standing.is_settled(),
        }
    }

    /// A path ends, or would end here with the inputs of its witness.
    fn end(&mut self, state: &State, ending: Ending, at: LocationId) {
        self.statistics.paths += 1;
        let kind = ending.finding();
        let class = kind.unwrap_or(match ending {
            Ending::Stopped(_) => "stopped",
            Ending::Silent => "silent",
            _ => "ordinary",
        });
        *self.statistics.endings.entry(class).or_default() += 1;
        let (location, function) = self.machine.place(state, at);
        if self.is_off_route(state, &ending) {
            return;
        }
        if let Ending::Stopped(why) = &ending {
            self.gaps.insert(Gap::Other(why.clone()));
            self.open.insert((location.clone(), why.clone()));
        }
        self.note_assumptions(state);
        let key = kind.map(|kind| (location.clone(), kind));
        let is_new = match &key {
            Some(key) => !self.found.get(key).copied().unwrap_or_default().is_settled(),
            None => state.found_new && ending != Ending::Silent,
        };
        if !is_new && !self.options.every_path {
            return;
        }
        let trail = (self.options.trails)
            .then(|| Box::new(telling::tell(&mut self.machine, state, &ending, &self.outputs)));
        let path_end = PathEnd {
            ending,
            location,
            function,
            calls: self.machine.calls(state),
            inputs: self.preferred_inputs(state),
            new_coverage: state.found_new,
            assumptions: state.assumptions.iter().chain(state.remarks.iter()).cloned().collect(),
            trail,
        };
        self.on_route = None;
        let flow = (self.observe)(Event::Path(path_end));
        self.asked_to_stop |= flow == Flow::Stop;
        if let Some(key) = key {
            let standing = self.found.entry(key).or_default();
            match flow {
                Flow::Continue | Flow::Again | Flow::Stop => standing.accepted = true,
                Flow::Refuse => standing.refusals += 1,
            }
        }
    }

    fn reach(&mut self, state: &State, goal: usize, at: LocationId) {
        let (location, _) = self.machine.place(state, at);
        let event =
            Event::Goal { goal: self.options.goals[goal], location, inputs: self.inputs(state) };
        let flow = (self.observe)(event);
        self.asked_to_stop |= flow == Flow::Stop;
        let standing = &mut self.goals[goal].standing;
        match flow {
            Flow::Continue | Flow::Stop => standing.accepted = true,
            Flow::Again => self.goals[goal].seen = true,
            Flow::Refuse => standing.refusals += 1,
        }
        if self.goals[goal].standing.is_settled() {
            self.machine.forget_goal(goal);
        }
    }

    /// A path has left its route.
    fn stray(&mut self, stray: Stray, entry: usize) {
        match stray {
            Stray::Way => self.machine.pruned = true,
            Stray::Place(instead) => {
                if self.off_route.as_ref().is_none_or(|(farthest, _)| *farthest < entry) {
                    self.off_route = Some((entry, instead));
                }
            }
        }
    }

    /// Notes a path on the route that no input takes, if it is the longest so far.
    fn note_refuted(&mut self, state: &State, waiting: &Waiting) {
        let (Some(_), Then::GoOn) = (&self.options.route, &waiting.then) else { return };
        if state.track.as_ref().is_some_and(|track| track.on_route.is_none()) {
            let trail = telling::tell_refuted(&mut self.machine, state, waiting);
            self.keep_longest(trail);
        }
    }

    /// The same of a path whose own conditions contradict the next entry.
    fn note_contradicted(&mut self, state: &State, stray: &Stray) {
        if *stray == Stray::Way {
            let trail = telling::tell_contradicted(&mut self.machine, state);
            self.keep_longest(trail);
        }
    }

    fn keep_longest(&mut self, trail: Trail) {
        let longest = self.refuted.as_ref().map_or(0, |trail| trail.decisions.len());
        if trail.decisions.len() > longest {
            self.refuted = Some(trail);
        }
    }

    /// Whether a path ends before its route does, and notes it. Where it was stopped nobody knows.
    fn is_off_route(&mut self, state: &State, ending: &Ending) -> bool {
        let (Some(track), Some(_)) = (&state.track, &self.options.route) else { return false };
        if track.on_route.is_some() || matches!(ending, Ending::Stopped(_)) {
            return false;
        }
        self.stray(telling::ended_early(ending), track.position);
        true
    }

    /// Tells a path that is on the route but did not end in time.
    fn tell_unfinished(&mut self) {
        if let Some(state) = self.on_route.take().filter(|_| !self.asked_to_stop) {
            let why = "the path goes on after what was asked for, and did not end in time";
            self.end(&state, Ending::Stopped(why.to_owned()), self.machine.location(&state));
        }
    }

    fn inputs(&self, state: &State) -> Vec<Given> {
        self.inputs_along(state, &state.path)
    }

    fn inputs_along(&self, state: &State, path: &Path) -> Vec<Given> {
        let terms = &self.machine.terms;
        state.inputs.iter().map(|unknown| unknown.given(terms, path)).collect()
    }

    /// Inputs that satisfy what the program prefers, as far as they can.
    fn preferred_inputs(&mut self, state: &State) -> Vec<Given> {
        let mut path = state.path.clone();
        for preference in state.preferences.iter() {
            let time = self.options.query_limit / FIRST_SHARE;
            if let Answer::Sat(model) = self.ask(&path, *preference, time) {
                path.turn(&mut self.machine.terms, *preference, model);
            }
        }
        self.inputs_along(state, &path)
    }

    fn outcome(mut self, began: Instant) -> Explored {
        if self.queue.len() > 0 {
            self.gaps.insert(if self.asked_to_stop {
                Gap::Observer
            } else if self.questions.is_over() {
                Gap::Time
            } else {
                Gap::Questions
            });
        }
        for state in self.queue.states() {
            if let Some(Waiting { why: Some(why), .. }) = &state.waiting {
                let (location, _) = self.machine.place(state, self.machine.location(state));
                self.open.insert((location, format!("undecided: {why}")));
            }
        }
        let unmodelled = std::mem::take(&mut self.machine.stopped_by);
        self.gaps.extend(unmodelled.into_iter().map(Gap::Other));
        self.open.extend(std::mem::take(&mut self.machine.open));
        self.statistics.merged = self.machine.merged;
        self.statistics.time = began.elapsed();
        let exhausted = self.gaps.is_empty();
        let unasked = std::mem::take(&mut self.machine.unasked);
        let unreached = self.options.goals.iter().zip(&self.goals).enumerate();
        Explored {
            exhausted,
            impossible: unreached
                .filter(|(number, _)| exhausted && !unasked.contains(number))
                .filter(|(_, (_, goal))| !goal.seen)
                .filter(|(_, (_, goal))| goal.standing.refusals == 0 && !goal.standing.accepted)
                .map(|(_, (goal, _))| *goal)
                .collect(),
            stopped_by: sorted(self.gaps),
            open: self.open,
            covered: self.machine.coverage.blocks(self.machine.code),
            statistics: self.statistics,
            refuted: self.refuted,
            off_route: self.off_route.map(|(entry, instead)| OffRoute {
                entry,
                instead,
                pruned: self.machine.pruned,
            }),
            files: self.machine.files.told(),
            defect: self.questions.defect,
        }
    }
}

/// Watches how the process grows.
struct MemoryWatch {
    limit: Option<u64>,
    start: u64,
    /// Growth beyond this is too much: the limit, or a bit more than was left after states
    /// were dropped, because what is free again mostly stays with the process.
    threshold: u64,
    next: Instant,
}

/// How the process has grown.
enum Growth {
    Fine,
    TooMuch,
    /// Dropping states does not help any more.
    FarTooMuch,
}

impl MemoryWatch {
    fn new(limit: Option<u64>) -> MemoryWatch {
        let threshold = limit.unwrap_or(u64::MAX) / 8 * 7;
        MemoryWatch { limit, start: resident(), threshold, next: Instant::now() }
    }

    /// Looks a few times a second.
    fn look(&mut self) -> Growth {
        let Some(limit) = self.limit else { return Growth::Fine };
        let now = Instant::now();
        if now < self.next {
            return Growth::Fine;
        }
        self.next = now + Duration::from_millis(50);
        let grown = resident().saturating_sub(self.start);
        if grown > limit {
            Growth::FarTooMuch
        } else if grown > self.threshold {
            Growth::TooMuch
        } else {
            Growth::Fine
        }
    }

    /// States were dropped.
    fn settle(&mut self) {
        let grown = resident().saturating_sub(self.start);
        self.threshold = self.threshold.max(grown + grown / 50);
    }
}

/// Bytes of memory that the process has.
fn resident() -> u64 {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|field| field.parse::<u64>().ok());
    pages.unwrap_or(0) * PAGE
}

/// In the order of their words.
fn sorted(gaps: BTreeSet<Gap>) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = gaps.into_iter().collect();
    gaps.sort_by_key(Gap::to_string);
    gaps
}
