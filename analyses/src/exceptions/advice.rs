//! Advice: where the exact result is ordinary, another formula may compute it without the
//! exception. Known rewritings that fit are tried: the program is rewritten and compiled, runs on the
//! inputs that went wrong and on ordinary ones, and is searched again. Only what passes all of it is
//! told.

use super::case::Case;
use super::classify::Judge;
use super::cross_target_hints::CrossTargetHints;
use super::lowered::Lowered;
use super::settle::settle;
use super::standing::{Reached, Standing};
use super::summary::{Questions, Summary};
use super::{Engine, Field, Options, Progress, naming};
use crate::numbers::{self, encoding, encoding_at, key, set_encoding};
use crate::subject::Scratch;
use nanoscope_budget::Budget;
use nanoscope_ieee::{Float, Format, Rounding};
use nanoscope_native::{Limits, Replayer, RunEnd};
use nanoscope_program::compile::Compiler;
use nanoscope_program::ir::Code;
use nanoscope_program::{Fault, GoalId, Libraries, Location, Offer, Rewriter, Scalar, Target};
use nanoscope_report::{
    Advice, Effect, Finding, Kind, Number, Place, Raised, Report, Rewritten, Run,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Stories that advice is looked for, the most important first.
const STORIES: usize = 30;

/// Ways to rewrite that are tried for a story.
const TRIES: usize = 4;

/// Runs of the search on a rewritten function.
const EVALUATIONS: u64 = 30_000;

/// Ordinary inputs that a rewritten function is run on.
const SAMPLES: u64 = 48;

/// Inputs from the whole range that it is run on.
const WILD: u64 = 200;

/// How much less exact a rewritten function may be: so many times, or so many units of rounding.
const WORSE: f64 = 16.0;
const UNITS: f64 = 64.0;

/// The program as it was looked at, and how it can be rewritten.
struct Adviser<'a> {
    field: &'a Field<'a>,
    options: &'a Options,
    /// As it is: libraries and representation.
    libraries: &'a Libraries,
    code: Result<&'a Code, &'a str>,
    symbols: &'a [String],
    compiler: Compiler,
    rewriter: Rewriter,
    deadline: Instant,
    /// The kinds of exception that spoil results of each function as it is.
    known: BTreeMap<String, BTreeSet<Kind>>,
}

/// Adds advice to the findings of a report.
pub(super) fn advise(
    report: &mut Report,
    field: &Field,
    (libraries, code): (&Libraries, Result<&Code, &str>),
    (options, symbols): (&Options, &[String]),
    deadline: Instant,
    progress: Progress,
) -> Result<(), Fault> {
    let wrong: Vec<_> = report.stories.iter().filter(|story| is_wrong(story.harm)).collect();
    if wrong.is_empty() || Instant::now() >= deadline {
        return Ok(());
    }
    let (compiler, program) = options.source.load(Some(deadline))?;
    let rewriter = program.rewriter()?;
    drop(program);
    let mut known: BTreeMap<String, BTreeSet<Kind>> = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| is_wrong(effect(finding))) {
        known.entry(finding.function.clone()).or_default().insert(finding.birth().kind);
    }
    let adviser =
        Adviser { field, options, libraries, code, symbols, compiler, rewriter, deadline, known };
    let mut given: BTreeMap<String, Advice> = BTreeMap::new();
    for story in wrong.into_iter().take(STORIES) {
        let findings: Vec<&Finding> = report
            .findings
            .iter()
            .filter(|finding| story.findings.contains(&finding.id) && is_wrong(effect(finding)))
            .collect();
        progress(&|| format!("{}: trying rewritings", story.functions.join(", ")));
        for (id, advice) in adviser.advice(&findings) {
            given.insert(id, advice);
        }
    }
    for finding in &mut report.findings {
        finding.details.advice = given.remove(&finding.id);
    }
    Ok(())
}

/// Whether the result is none while exact arithmetic has one.
fn is_wrong(effect: Effect) -> bool {
    matches!(effect, Effect::SilentlyWrong | Effect::Spoilt)
}

fn effect(finding: &Finding) -> Effect {
    finding.details.harm.as_ref().map_or(Effect::Unclassified, |harm| harm.effect)
}

impl Adviser<'_> {
    /// What avoids the findings of a story, by their identities; findings that no rewriting
    /// concerns get none.
    fn advice(&self, findings: &[&Finding]) -> Vec<(String, Advice)> {
        let births: Vec<Raised> = findings.iter().map(|finding| finding.birth()).collect();
        let concerns = |at: &usize, birth: &Raised| {
            let Offer { replaced, feeds, .. } = &self.rewriter.offers()[*at];
            let is_here = |location: &Location| is_at(location, &birth.place);
            // A zero or a NaN may come from what feeds the operation that it shows in.
            let is_fed = matches!(birth.kind, Kind::DivideByZero | Kind::Invalid);
            replaced.iter().any(is_here) || is_fed && feeds.iter().any(is_here)
        };
        let fitting: Vec<usize> = (0..self.rewriter.offers().len())
            .filter(|at| births.iter().any(|birth| concerns(at, birth)))
            .collect();
        let concerned = |set: &[usize]| {
            births.iter().filter(|birth| set.iter().any(|at| concerns(at, birth))).count()
        };
        for set in sets(self.rewriter.offers(), &fitting, &concerned).into_iter().take(TRIES) {
            if self.is_over() {
                break;
            }
            let is_covered = |birth: &Raised| set.iter().any(|at| concerns(at, birth));
            let covered: Vec<&Finding> = findings
                .iter()
                .zip(&births)
                .filter(|(_, birth)| is_covered(birth))
                .map(|(finding, _)| *finding)
                .collect();
            // What goes wrong at the ends of the range, too, is told by what goes wrong elsewhere.
            let inner: Vec<&Finding> =
                covered.iter().copied().filter(|one| !is_at_end(&one.inputs)).collect();
            let covered = if inner.is_empty() { covered } else { inner };
            // A fault of ours in a rewriting is no reason to lose the report: it is not told.
            if let Ok(Some(trial)) = self.tried(&set, &covered) {
                let advice = self.told(&set, &trial);
                return covered.iter().map(|one| (one.id.clone(), advice.clone())).collect();
            }
        }
        Vec::new()
    }

    fn is_over(&self) -> bool {
        self.budget().exhausted()
    }

    fn budget(&self) -> Budget {
        Budget {
            deadline: Some(self.deadline),
            stop: Arc::clone(&self.options.stop),
            evaluations: Some(EVALUATIONS),
        }
    }

    /// Tries some offers on findings: how many inputs come out right, and how long the search
    /// found nothing.
    fn tried(&self, set: &[usize], findings: &[&Finding]) -> Result<Option<Trial>, Fault> {
        let scratch = Scratch::new()?;
        let program = self.rewriter.apply(set, scratch.path())?;
        let wishes = &self.options.source.wishes;
        let functions: BTreeSet<&str> =
            findings.iter().map(|finding| finding.function.as_str()).collect();
        let concerned = self.field.targets.iter().filter(|it| functions.contains(&*it.function));
        let mut symbols: Vec<String> = concerned.map(|target| target.symbol.clone()).collect();
        let targets = match program.targets(&symbols, wishes) {
            Ok(targets) => targets,
            // What is said of inputs may be about other functions, too.
            Err(_) => {
                symbols = self.symbols.to_vec();
                program.targets(&symbols, wishes)?
            }
        };
        let limit = Some(self.deadline);
        let libraries =
            program.libraries(&symbols, wishes, &self.compiler, scratch.path(), limit)?;
        let lowered = Lowered::new(&program, &symbols, wishes, self.deadline)?;
        let questions = Questions::new(&program);
        let rewritten = RewrittenProgram { questions, libraries, lowered };
        let mut trial = Trial::default();
        for function in functions {
            let of_function: Vec<&Finding> =
                findings.iter().copied().filter(|finding| finding.function == function).collect();
            let at = self.field.targets.iter().position(|target| target.function == function);
            let Some(at) = at else { return Ok(None) };
            let target = self.field.targets[at];
            let mut same = targets.iter().flatten();
            let Some(new) = same.find(|new| new.symbol == target.symbol) else { return Ok(None) };
            if !is_alike(target, new) {
                return Ok(None);
            }
            let new = Target { inputs: target.inputs.clone(), ..new.clone() };
            let points = self.points(at, &of_function);
            if points.len() < of_function.len() || !self.is_right(at, &rewritten, &new, &points)? {
                return Ok(None);
            }
            let spots = self.spots(set, &of_function);
            let tame = self.is_tame(at, &rewritten, &new, (&points[0], &spots))?;
            let searched = self.searched(at, &rewritten, &new, &spots)?.filter(|_| tame);
            let Some(Searched { runs, ends }) = searched else { return Ok(None) };
            trial.inputs += points.len() as u64;
            trial.evaluations += runs + WILD;
            trial.ends |= ends;
        }
        Ok(Some(trial))
    }

    /// The inputs of findings of one function.
    fn points(&self, at: usize, findings: &[&Finding]) -> Vec<Vec<u64>> {
        let standing = self.field.standings[at].lock().unwrap_or_else(PoisonError::into_inner);
        let target = self.field.targets[at];
        let questions = &self.field.questions;
        let is_asked = |id: &String| findings.iter().any(|finding| finding.id == *id);
        let point = |(goal, reached): (&GoalId, &Reached)| {
            let id = questions.name(&target.function, questions.goals[goal.0 as usize]);
            is_asked(&id).then(|| reached.confirmed.point().to_vec())
        };
        standing.reached.iter().filter_map(point).collect()
    }

    /// Whether the rewritten function gives the exact result on points that went wrong, and no
    /// worse results than the original on ordinary points.
    fn is_right(
        &self,
        at: usize,
        rewritten: &RewrittenProgram,
        new: &Target,
        points: &[Vec<u64>],
    ) -> Result<bool, Fault> {
        let (target, contract) = (self.field.targets[at], &self.field.contracts[at]);
        let limits = Limits::default();
        let original = Replayer::new(&self.libraries.original(target)?, &limits)?;
        let replayer = Replayer::new(&rewritten.libraries.original(new)?, &limits)?;
        let mut judge = Judge::new(self.code, target, contract, self.budget());
        for point in points {
            let replay = replayer.run(point)?;
            if replay.outcome != RunEnd::Returned || judge.is_wrong(point, &replay.outputs) {
                return Ok(false);
            }
        }
        let mut error = |replayer: &Replayer, point: &[u64]| -> Result<Option<f64>, Fault> {
            let replay = replayer.run(point)?;
            let returned = replay.outcome == RunEnd::Returned;
            Ok(if returned { judge.error(point, &replay.outputs) } else { None })
        };
        let unit = |scalar: Scalar| match scalar {
            Scalar::Float(format) => 2f64.powi(-(format.fraction_bits() as i32)),
            Scalar::Integer { .. } => 0.0,
        };
        let unit = contract
            .values
            .iter()
            .map(|&value| unit(target.outputs[value].scalar))
            .fold(0.0, f64::max);
        for number in 0..SAMPLES {
            let base = &points[number as usize % points.len()];
            let point = ordinary(target, base, self.options.seed.wrapping_add(number));
            if !contract.admits(&point) {
                continue;
            }
            if let Some(before) = error(&original, &point)? {
                let allowed = (before * WORSE).max(unit * UNITS);
                if error(&replayer, &point)?.is_none_or(|after| after > allowed) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Where exceptions of what kind must not come from any more: the places of the findings'
    /// first exceptional values, and those of the new formulas.
    fn spots(&self, set: &[usize], findings: &[&Finding]) -> Spots {
        let births: Vec<Raised> = findings.iter().map(|finding| finding.birth()).collect();
        let steps = set.iter().flat_map(|at| &self.rewriter.offers()[*at].steps);
        let places: Vec<Place> = steps.map(|step| place(&step.location)).collect();
        let at_births = births.iter().map(|birth| (birth.kind, birth.place.clone()));
        let at_steps =
            births.iter().flat_map(|birth| places.iter().map(|place| (birth.kind, place.clone())));
        Spots {
            places: at_births.chain(at_steps).collect(),
            reaches_ends: findings.iter().any(|finding| is_at_end(&finding.inputs)),
        }
    }

    /// Whether, on inputs from the whole range, no exception of those kinds at those places spoils
    /// a result, and no result is wrong that the original gets right.
    fn is_tame(
        &self,
        at: usize,
        rewritten: &RewrittenProgram,
        new: &Target,
        (base, spots): (&[u64], &Spots),
    ) -> Result<bool, Fault> {
        let (target, contract) = (self.field.targets[at], &self.field.contracts[at]);
        let limits = Limits::default();
        let original = Replayer::new(&self.libraries.original(target)?, &limits)?;
        let replayer = Replayer::new(&rewritten.libraries.original(new)?, &limits)?;
        let mut judge = Judge::new(self.code, target, contract, self.budget());
        for number in 0..WILD {
            let point = wild(target, base, self.options.seed.wrapping_add(number));
            let at_end = !spots.reaches_ends && is_at_end(&numbers::inputs(target, &point));
            if at_end || !contract.admits(&point) {
                continue;
            }
            let replay = replayer.run(&point)?;
            if replay.outcome == RunEnd::Returned && !judge.is_wrong(&point, &replay.outputs) {
                continue;
            }
            let sites = &rewritten.questions.sites;
            let is_spot = replay.events.iter().any(|event| {
                let site = event.site.map(|site| &sites[site.0 as usize]);
                site.is_some_and(|site| {
                    let spot = (naming::kind(event.exception), naming::place(site));
                    spots.places.contains(&spot)
                })
            });
            let before = original.run(&point)?;
            let was_right = before.outcome == RunEnd::Returned
                && judge.error(&point, &before.outputs).is_some();
            if is_spot || was_right {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Searches the rewritten function: how many runs found nothing like the findings, and nothing
    /// that the original does not do.
    fn searched(
        &self,
        at: usize,
        rewritten: &RewrittenProgram,
        new: &Target,
        spots: &Spots,
    ) -> Result<Option<Searched>, Fault> {
        let contract = &self.field.contracts[at];
        let RewrittenProgram { questions, libraries, lowered } = rewritten;
        let options = Options {
            engines: vec![Engine::Search],
            evaluations: Some(EVALUATIONS),
            polish: true,
            ..self.options.clone()
        };
        let standing = Mutex::new(Standing::of(new, &questions.goals));
        let hints = CrossTargetHints::default();
        let case = Case::new(
            &questions.goals,
            (libraries, lowered),
            (new, contract),
            &options,
            1,
            Some(self.deadline),
            (&standing, &hints, None),
        );
        settle(&case, &self.budget())?;
        let standing = standing.into_inner().unwrap_or_else(PoisonError::into_inner);
        if self.is_over() || standing.trouble.is_some() {
            return Ok(None);
        }
        let mut summary = Summary::new(questions);
        summary.target(new, contract, &standing);
        let run =
            Run { command: "exceptions".into(), seed: options.seed, subject: Default::default() };
        let report = summary.report(run, 0.0);
        let known = self.known.get(&new.function);
        let is_bad = |finding: &&Finding| {
            let birth = finding.birth();
            let harms = is_wrong(effect(finding)) || effect(finding) == Effect::NoReturn;
            let is_new = !known.is_some_and(|known| known.contains(&birth.kind));
            harms && (is_new || spots.places.contains(&(birth.kind, birth.place)))
        };
        let bad: Vec<&Finding> = report.findings.iter().filter(is_bad).collect();
        let is_left = |finding: &&Finding| spots.reaches_ends || !is_at_end(&finding.inputs);
        let runs = standing.search.evaluations;
        Ok(
            match bad.iter().copied().filter(|finding| !is_largest(finding)).any(|it| is_left(&it))
            {
                true => None,
                false => Some(Searched { runs, ends: !bad.is_empty() }),
            },
        )
    }

    fn told(&self, set: &[usize], trial: &Trial) -> Advice {
        let offers: Vec<&Offer> = set.iter().map(|at| &self.rewriter.offers()[*at]).collect();
        let mut names: Vec<&str> = offers.iter().map(|offer| offer.rewriting).collect();
        names.dedup();
        let steps = offers.iter().flat_map(|offer| &offer.steps);
        Advice {
            rewriting: names.join(", "),
            steps: steps
                .map(|step| Rewritten {
                    place: place(&step.location),
                    before: step.before.clone(),
                    after: step.after.clone(),
                })
                .collect(),
            inputs: trial.inputs,
            evaluations: trial.evaluations,
            ends: trial.ends,
        }
    }
}

/// How a trial went.
#[derive(Default, Debug)]
struct Trial {
    inputs: u64,
    evaluations: u64,
    ends: bool,
}

/// What a search of a rewritten function found nothing in.
struct Searched {
    runs: u64,
    /// Whether something was found at the ends of the range.
    ends: bool,
}

/// Where exceptions must not come from any more.
struct Spots {
    places: BTreeSet<(Kind, Place)>,
    /// Whether inputs of the findings lie at the ends of the range themselves.
    reaches_ends: bool,
}

/// What counts as the end of the range: a factor from the largest and the smallest normal number.
const END: f64 = 16.0;

/// Whether a number lies at the ends of its format's range.
fn is_at_end(inputs: &[Number]) -> bool {
    inputs.iter().filter(|input| input.hex.is_some()).any(|input| {
        let (largest, smallest) = ends(input);
        let size = input.value.parse::<f64>().map_or(0.0, f64::abs);
        size >= largest / END || size > 0.0 && size <= smallest * END
    })
}

/// The largest and the smallest normal number of a format, as far as a double holds them.
fn ends(number: &Number) -> (f64, f64) {
    match number.type_name.as_str() {
        "float" => (f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE)),
        _ => (f64::MAX, f64::MIN_POSITIVE),
    }
}

/// Whether the exact result is, up to roundings, the largest number there is.
fn is_largest(finding: &Finding) -> bool {
    const NEARLY: f64 = 1.0 - 1.0 / 65536.0;
    let exact = finding.details.harm.iter().flat_map(|harm| &harm.exact);
    let mut sizes = exact.filter_map(|exact| {
        let output = finding.details.outputs.iter().find(|output| output.name == exact.name)?;
        Some((exact.value.parse::<f64>().ok()?.abs(), ends(output).0))
    });
    sizes.any(|(size, largest)| size >= largest * NEARLY)
}

/// A program after rewriting.
struct RewrittenProgram {
    questions: Questions,
    libraries: Libraries,
    lowered: Lowered,
}

fn place(location: &Location) -> Place {
    Place { file: location.file.clone(), line: location.line, column: location.column }
}

fn is_at(location: &Location, place: &Place) -> bool {
    (location.line, location.column, &location.file) == (place.line, place.column, &place.file)
}

/// Whether a rewritten target takes and gives what the original does.
fn is_alike(a: &Target, b: &Target) -> bool {
    let inputs = |target: &Target| -> Vec<(String, Scalar, usize)> {
        let all = target.inputs.iter();
        all.map(|input| (input.name.clone(), input.scalar, input.word)).collect()
    };
    let outputs = |target: &Target| -> Vec<(String, Scalar, usize)> {
        let all = target.outputs.iter();
        all.map(|output| (output.name.clone(), output.scalar, output.word)).collect()
    };
    inputs(a) == inputs(b) && outputs(a) == outputs(b)
}

/// Which offers to try: each alone, those that concern most findings first; and one for every formula,
/// where that concerns more.
fn sets(
    offers: &[Offer],
    fitting: &[usize],
    concerned: &dyn Fn(&[usize]) -> usize,
) -> Vec<Vec<usize>> {
    let is_within = |inner: &usize, outer: &usize| {
        let place = offers[*inner].steps.first().map(|step| &step.location);
        place.is_some_and(|place| offers[*outer].replaced.iter().skip(1).any(|at| at == place))
    };
    let mut seen = BTreeSet::new();
    let one_each: Vec<usize> = fitting
        .iter()
        .copied()
        .filter(|inner| !fitting.iter().any(|outer| is_within(inner, outer)))
        .filter(|&at| offers[at].steps.first().is_some_and(|step| seen.insert(&step.location)))
        .collect();
    let mut sets: Vec<Vec<usize>> = fitting.iter().map(|&at| vec![at]).collect();
    if one_each.len() > 1 {
        sets.push(one_each);
    }
    sets.sort_by_key(|set| (std::cmp::Reverse(concerned(set)), set.len()));
    sets
}

/// A point with ordinary numbers, integers as they are in another.
fn ordinary(target: &Target, base: &[u64], seed: u64) -> Vec<u64> {
    let mut point = base.to_vec();
    let mut next = random(seed);
    for input in &target.inputs {
        let Scalar::Float(format) = input.scalar else { continue };
        let (size, sign) = (next() >> 11, next() & 1);
        let exponent = (size as f64 / (1u64 << 53) as f64) * 6.0 - 3.0;
        let value = 10f64.powf(exponent) * if sign == 0 { 1.0 } else { -1.0 };
        let bits = Float::from_bits(Format::BINARY64, u128::from(value.to_bits()));
        let bits = bits.convert(format, Rounding::NearestEven).0.to_bits().unwrap_or(0);
        let admitted = |bits: u128| {
            let key = |bits| key(input.scalar, bits);
            (key(input.low)..=key(input.high)).contains(&key(bits))
        };
        // The other sign where the range is one-sided; else the number stays.
        let other = bits ^ (1u128 << (format.width() - 1));
        let chosen = [bits, other].into_iter().find(|bits| admitted(*bits));
        let kept = encoding(base, input.word, input.scalar);
        set_encoding(&mut point, input.word, input.scalar, chosen.unwrap_or(kept));
    }
    point
}

/// A point with numbers from all of their ranges, every magnitude as likely.
fn wild(target: &Target, base: &[u64], seed: u64) -> Vec<u64> {
    let mut point = base.to_vec();
    let mut next = random(seed);
    for input in &target.inputs {
        let Scalar::Float(_) = input.scalar else { continue };
        let (low, high) = (key(input.scalar, input.low), key(input.scalar, input.high));
        let width = (high - low) as u128 + 1;
        let offset = (u128::from(next()) << 64 | u128::from(next())) % width;
        let bits = encoding_at(input.scalar, low + offset as i128);
        set_encoding(&mut point, input.word, input.scalar, bits);
    }
    point
}

/// SplitMix64.
fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
