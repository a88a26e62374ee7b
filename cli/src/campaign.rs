//! `nanoscope campaign`.

use clap::{Args, Subcommand};
use nanoscope_campaign::{
    Claim, Cluster, Ended, Journal, Listener, Rooted, Setting, Status, Store, Submission, Trouble,
    Workshop, gather, shards_of,
};
use nanoscope_cli::delivery::{Context, Delivery};
use nanoscope_cli::{Conclusion, Fault, interruptible, output};
use nanoscope_report::{Comparison, Finding, Report, compare, from_json};
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What it does, for `--help`.
pub const ABOUT: &str = "\
Check a whole library: every function that the project file means, by every check that it asks \
for, one worker process for each. Every result is stored when it is known. A campaign that is \
killed, however, goes on where it was; several processes on one store share the work; functions \
whose code and options have not changed are not checked again.";

/// Examples, for `--help`.
pub const MORE: &str = "\
A project file, nanoscope.toml:

  [campaign]
  sources = [\"src/*.c\"]
  flags = [\"-O2\", \"-Iinclude\", \"-lm\"]
  functions = [\"vec_*\"]
  checks = [\"exceptions\", \"precision\"]
  evaluations = 200000

  [function.vec_norm.input]
  n = \"1..100\"

  [[suppress]]
  kind = \"underflow\"
  function = \"vec_*\"
  reason = \"gradual underflow is meant\"

Examples:
  nanoscope campaign run nanoscope.toml --jobs 8
  nanoscope campaign status nanoscope.toml --watch
  nanoscope campaign report nanoscope.toml --html report.html --json report.json
  nanoscope campaign run nanoscope.toml --baseline report.json
  nanoscope campaign diff report.json nanoscope.db
  nanoscope campaign submit nanoscope.toml --slurm --shards 64

docs/campaigns.md describes the project file.";

/// `nanoscope campaign`.
#[derive(Debug, Args)]
pub struct Campaign {
    /// What to do.
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Plan what the project file says, do what is not done yet, and report
    Run(Box<Run>),
    /// Say how a campaign goes: done, running, left, findings, rate
    Status(StatusOptions),
    /// Report what is known by now
    Report(Box<ReportOptions>),
    /// Compare two campaigns or reports: what is new, fixed, still there
    Diff(Diff),
    /// Submit what is not done yet to Slurm, as a job array
    Submit(Submit),
    /// Take the results of other stores over: of shards, of other machines, of a damaged store
    Merge(Merge),
    /// Do the units of a store that was planned elsewhere
    #[command(hide = true)]
    Work(Work),
}

/// A project and its store.
#[derive(Debug, Args)]
struct Place {
    /// The project file
    #[arg(value_name = "PROJECT", default_value = "nanoscope.toml")]
    project: PathBuf,

    /// The store; otherwise the one that the project file names, or its name with .db
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Run {
    #[command(flatten)]
    place: Place,

    /// Units worked on at the same time; otherwise as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,

    /// Try units again that ended without a report
    #[arg(long)]
    retry_failed: bool,

    #[command(flatten)]
    delivery: Delivery,
}

#[derive(Debug, Args)]
struct StatusOptions {
    #[command(flatten)]
    place: Place,

    /// Show it anew every two seconds until everything is done
    #[arg(long)]
    watch: bool,

    /// Write it as JSON to a file, or to standard output (-) in place of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct ReportOptions {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    delivery: Delivery,
}

#[derive(Debug, Args)]
struct Diff {
    /// A store, or a report written by --json
    old: PathBuf,

    /// A store, or a report written by --json
    new: PathBuf,

    /// Write it as JSON to a file, or to standard output (-) in place of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Submit {
    #[command(flatten)]
    place: Place,

    /// To Slurm, by sbatch: the only way there is today
    #[arg(long, required = true)]
    slurm: bool,

    /// Tasks of the job array, at most
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=4096))]
    shards: u32,

    /// Processors for each task
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    processors: u32,

    /// An option for sbatch, as in --sbatch=--partition=short; may be given several times
    #[arg(long = "sbatch", value_name = "OPTION", allow_hyphen_values = true)]
    options: Vec<String>,

    /// Print what would be submitted, and submit nothing
    #[arg(long)]
    dry_run: bool,

    /// Wait until everything is done, submitting again what dead tasks left
    #[arg(long)]
    wait: bool,
}

#[derive(Debug, Args)]
struct Merge {
    /// The store that takes the results; it is made if it is not there
    store: PathBuf,

    /// The stores that have them; otherwise the shards of the store
    from: Vec<PathBuf>,
}

#[derive(Debug, Args)]
struct Work {
    /// The store
    #[arg(long, value_name = "FILE")]
    store: PathBuf,

    /// Units worked on at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
}

/// How often the status is looked at.
const GLANCE: Duration = Duration::from_secs(2);

/// How often what dead tasks left is submitted again.
const RESUBMISSIONS: usize = 20;

/// Runs the command.
pub fn run(arguments: &Campaign) -> Result<Conclusion, Fault> {
    match &arguments.action {
        Action::Run(options) => work_all(options),
        Action::Status(options) => status(options),
        Action::Report(options) => {
            let setting = setting(&options.place)?;
            options.delivery.prepare()?;
            let store = existing(&options.place, &setting)?;
            report(&setting, &store, &options.delivery)
        }
        Action::Diff(options) => diff(options),
        Action::Submit(options) => submit(options),
        Action::Merge(options) => merge(options),
        Action::Work(options) => {
            let store = Store::existing(&options.store).map_err(fault)?;
            let folder = store.said("folder").map_err(fault)?.unwrap_or_default();
            work(&store, PathBuf::from(folder), options.jobs, false)?;
            Ok(Conclusion::Nothing)
        }
    }
}

fn work_all(options: &Run) -> Result<Conclusion, Fault> {
    let setting = setting(&options.place)?;
    options.delivery.prepare()?;
    let quiet = options.delivery.quiet;
    let mut store = planned(&options.place, &setting, quiet)?;
    if options.retry_failed {
        store.retry_failed().map_err(fault)?;
    }
    let jobs = match options.jobs {
        Some(jobs) => jobs as usize,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let stopped = work(&store, setting.folder.clone(), jobs, quiet)?;
    if stopped && !quiet {
        output::tell("nanoscope: interrupted; the same command goes on from here");
    }
    report(&setting, &store, &options.delivery)
}

/// Works on a store; whether it was interrupted.
fn work(store: &Store, folder: PathBuf, jobs: usize, quiet: bool) -> Result<bool, Fault> {
    let stop = interruptible()?;
    let before = store.counts().map_err(fault)?;
    let total = before.total();
    let done = std::sync::atomic::AtomicU64::new(before.done + before.failed);
    let ended = |claim: &Claim, ended: &Ended| {
        if quiet {
            return;
        }
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        let what = match ended {
            Ended::Report(report) if report.findings.is_empty() => "nothing found".to_owned(),
            Ended::Report(report) => format!("{} found", report.findings.len()),
            Ended::Refused(why) | Ended::Crashed(why) => {
                format!("failed: {}", why.lines().next().unwrap_or_default())
            }
        };
        let (check, target) = (claim.unit.check.name(), &claim.unit.target);
        output::tell(&format!("[{done}/{total}] {check} {target}: {what}"));
    };
    let workshop = Workshop { nanoscope: this_command()?, folder, jobs };
    let listener = Listener { ended: &ended, stop: &stop };
    workshop.work(store.path(), &listener).map_err(fault)?;
    Ok(stop.load(Ordering::Relaxed))
}

/// Plans, and says what came of it.
fn planned(place: &Place, setting: &Setting, quiet: bool) -> Result<Store, Fault> {
    let tell = |text: String| {
        if !quiet {
            output::tell(&text);
        }
    };
    let path = store_path(place, setting);
    let mut store = Store::open(&path, Journal::WriteAhead).map_err(fault)?;
    let plan = setting.plan(&|what| tell(what)).map_err(fault)?;
    let folder = setting.folder.display().to_string();
    let planned = store.plan(&[("folder", &folder)], &plan.units, &plan.troubles).map_err(fault)?;
    for (what, why) in &plan.troubles {
        tell(format!("left out: {what}: {why}"));
    }
    if plan.units.is_empty() {
        return Err(Fault::User(format!(
            "{}: there is nothing to do: no function is meant that can be tested",
            setting.file.display()
        )));
    }
    tell(format!(
        "{} units: {} new, {} changed, {} as before, {} gone",
        plan.units.len(),
        planned.added,
        planned.changed,
        planned.kept,
        planned.removed
    ));
    Ok(store)
}

fn report(setting: &Setting, store: &Store, delivery: &Delivery) -> Result<Conclusion, Fault> {
    let name = setting.file.file_name().unwrap_or_default().to_string_lossy();
    let rules = setting.project.rules(&setting.text, &name).map_err(Fault::User)?;
    let sources = Rooted::new(setting.folder.clone());
    let whole = store.counts().map_err(fault)?.left() == 0;
    let report = gather(store).map_err(fault)?;
    delivery.deliver_in(report, &Context { sources: &sources, rules, whole })
}

fn status(options: &StatusOptions) -> Result<Conclusion, Fault> {
    let setting = setting(&options.place)?;
    let look = || -> Result<Status, Fault> {
        let store = existing(&options.place, &setting)?;
        let shards = shards_of(store.path());
        let mut stores = vec![store];
        // What shards have done is not in the store before they are merged.
        let main = Status::of(&stores).map_err(fault)?;
        if main.counts.left() == 0 || shards.is_empty() {
            return Ok(main);
        }
        for shard in shards {
            stores.push(Store::existing(&shard).map_err(fault)?);
        }
        let mut all = Status::of(&stores[1..]).map_err(fault)?;
        all.counts.done += main.counts.done;
        all.counts.failed += main.counts.failed;
        for (kind, count) in main.kinds {
            match all.kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, total)) => *total += count,
                None => all.kinds.push((kind, count)),
            }
        }
        all.troubles.extend(main.troubles);
        Ok(all)
    };
    loop {
        let status = look()?;
        match &options.json {
            Some(path) => output::write(path, &status.json())?,
            None => {
                let clear = options.watch && io::stdout().is_terminal();
                output::print(if clear { "\x1b[H\x1b[2J" } else { "" })?;
                output::print(&status.text())?;
            }
        }
        if !options.watch || status.counts.left() == 0 {
            return Ok(Conclusion::Nothing);
        }
        std::thread::sleep(GLANCE);
    }
}

fn diff(options: &Diff) -> Result<Conclusion, Fault> {
    let (old, new) = (known(&options.old)?, known(&options.new)?);
    let compared = compare(&old, &new);
    match &options.json {
        Some(path) => {
            let ids = |list: &[Finding]| {
                list.iter()
                    .map(|finding| {
                        serde_json::json!({"id": finding.id, "fingerprint": finding.fingerprint})
                    })
                    .collect::<Vec<_>>()
            };
            let value = serde_json::json!({
                "new": ids(&compared.new), "fixed": ids(&compared.fixed),
                "open": ids(&compared.open), "still": ids(&compared.still),
            });
            output::write(path, &format!("{value:#}\n"))?;
        }
        None => output::print(&comparison_text(&compared))?,
    }
    Ok(if compared.new.is_empty() { Conclusion::Nothing } else { Conclusion::Findings })
}

fn comparison_text(compared: &Comparison) -> String {
    let mut text = String::new();
    let mut list = |title: &str, findings: &[Finding]| {
        for finding in findings {
            let at = &finding.place;
            let _ = writeln!(
                text,
                "{title}: {}:{}:{}: {} in {} ({})",
                at.file,
                at.line,
                at.column,
                finding.kind.name(),
                finding.function,
                finding.id
            );
        }
    };
    list("new", &compared.new);
    list("fixed", &compared.fixed);
    list("not found again, open", &compared.open);
    let _ = writeln!(
        text,
        "{} new, {} fixed, {} not found again but open, {} still there",
        compared.new.len(),
        compared.fixed.len(),
        compared.open.len(),
        compared.still.len()
    );
    text
}

/// A report, or what a store knows as one.
fn known(path: &Path) -> Result<Report, Fault> {
    let bytes = std::fs::read(path).map_err(|error| output::cannot("read", path, &error))?;
    if bytes.starts_with(b"SQLite format 3\0") {
        return gather(&Store::existing(path).map_err(fault)?).map_err(fault);
    }
    from_json(&String::from_utf8_lossy(&bytes))
        .map_err(|error| Fault::User(format!("{}: {error}", path.display())))
}

fn submit(options: &Submit) -> Result<Conclusion, Fault> {
    let setting = setting(&options.place)?;
    let cluster = Cluster {
        nanoscope: this_command()?,
        options: options.options.clone(),
        processors: options.processors as usize,
    };
    let mut store = planned(&options.place, &setting, false)?;
    let shards = options.shards as usize;
    let submission = cluster.submit(&mut store, shards, options.dry_run).map_err(fault)?;
    output::print(&submission_text(&submission, options.dry_run))?;
    if options.dry_run || !options.wait {
        return Ok(Conclusion::Nothing);
    }
    let mut again = 0;
    while store.counts().map_err(fault)?.left() > 0 {
        std::thread::sleep(GLANCE);
        let submission =
            cluster.submit(&mut store, shards, again >= RESUBMISSIONS).map_err(fault)?;
        if submission.job.is_some() {
            again += 1;
            output::print(&submission_text(&submission, false))?;
        } else if again >= RESUBMISSIONS && !submission.tasks.is_empty() && submission.live == 0 {
            return Err(Fault::User(format!(
                "tasks died again and again; their logs are in {}.shards",
                store.path().display()
            )));
        }
    }
    output::print(&Status::of(std::slice::from_ref(&store)).map_err(fault)?.text())?;
    Ok(Conclusion::Nothing)
}

fn submission_text(submission: &Submission, dry_run: bool) -> String {
    let Submission { tasks, units, live, script, job } = submission;
    if tasks.is_empty() {
        return match live {
            0 => "nothing is left to submit\n".to_owned(),
            _ => format!("nothing is left to submit: {live} tasks are queued or running\n"),
        };
    }
    let share = format!("{units} units in {} tasks", tasks.len());
    match (job, dry_run) {
        (Some(job), _) => format!("submitted {share} as job {job}\n"),
        (None, true) => format!("would submit {share}:\n\n{script}"),
        (None, false) => String::new(),
    }
}

fn merge(options: &Merge) -> Result<Conclusion, Fault> {
    let from = match options.from.as_slice() {
        [] => shards_of(&options.store),
        some => some.to_vec(),
    };
    if from.is_empty() {
        return Err(Fault::User(format!(
            "{} has no shards, and no other stores are named",
            options.store.display()
        )));
    }
    let mut store = Store::open(&options.store, Journal::WriteAhead).map_err(fault)?;
    let (taken, lost) = store.merge(&from).map_err(fault)?;
    output::print(&format!("{taken} results taken over\n"))?;
    match (taken, lost) {
        (_, 0) => Ok(Conclusion::Nothing),
        (0, _) => Err(Fault::User(format!("none of {lost} units could be read"))),
        (1.., _) => {
            output::tell(&format!("nanoscope: {lost} units could not be read"));
            Ok(Conclusion::Nothing)
        }
    }
}

fn setting(place: &Place) -> Result<Setting, Fault> {
    Setting::read(&place.project, this_command()?).map_err(fault)
}

fn store_path(place: &Place, setting: &Setting) -> PathBuf {
    let path = place.store.clone().unwrap_or_else(|| setting.store());
    std::path::absolute(&path).unwrap_or(path)
}

fn existing(place: &Place, setting: &Setting) -> Result<Store, Fault> {
    Store::existing(&store_path(place, setting)).map_err(fault)
}

/// The command that this process is.
fn this_command() -> Result<PathBuf, Fault> {
    std::env::current_exe()
        .map_err(|error| Fault::Installation(format!("cannot tell where this command is: {error}")))
}

fn fault(trouble: Trouble) -> Fault {
    match trouble {
        Trouble::User(why) => Fault::User(why),
        Trouble::Internal(why) => Fault::Internal(why),
    }
}
