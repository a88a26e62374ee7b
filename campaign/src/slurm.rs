//! Beyond one machine: the units are shared among the tasks of a Slurm job array.
//!
//! Each task has a store of its own, a shard, on the file system that the machines share; no two
//! machines write the same file. What a dead task left is shared out again by the next
//! submission; what it had finished is kept.

use crate::fault::Trouble;
use crate::store::{Journal, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is said in the store about the jobs that were submitted.
const JOBS: &str = "slurm-jobs";

/// What is said in every store about where workers run.
const FOLDER: &str = "folder";

/// How to reach Slurm.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The command `nanoscope`, the same on every machine.
    pub nanoscope: PathBuf,
    /// More words for `sbatch`: a partition, an account, memory.
    pub options: Vec<String>,
    /// Processors for each task, and units worked on at once in it.
    pub processors: usize,
}

/// What was, or would be, submitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submission {
    /// The tasks, by their shards.
    pub tasks: Vec<usize>,
    /// Units in them.
    pub units: u64,
    /// Tasks of earlier submissions that are still queued or running.
    pub live: usize,
    /// The job's script.
    pub script: String,
    /// The number that Slurm gave the job.
    pub job: Option<String>,
}

/// The shards of a store that are there.
pub fn shards_of(store: &Path) -> Vec<PathBuf> {
    let mut list: Vec<(usize, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder(store)).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let number = name.strip_prefix("shard-").and_then(|rest| rest.strip_suffix(".db"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            list.push((number, entry.path()));
        }
    }
    list.sort();
    list.into_iter().map(|(_, path)| path).collect()
}

fn folder(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(".shards");
    PathBuf::from(name)
}

fn shard(store: &Path, number: usize) -> PathBuf {
    folder(store).join(format!("shard-{number}.db"))
}

impl Store {
    /// Takes the results of other stores over. Says how many, and how many cannot be read.
    pub fn merge(&mut self, others: &[PathBuf]) -> Result<(u64, u64), Trouble> {
        let (mut taken, mut lost) = (0, 0);
        for path in others {
            let other = Store::existing(path)?;
            if let Some(folder) = other.said(FOLDER).ok().flatten()
                && self.said(FOLDER)?.is_none()
            {
                self.say(&[(FOLDER, &folder)])?;
            }
            let (outcomes, unread) = other.readable_outcomes()?;
            lost += unread;
            for outcome in outcomes {
                taken += u64::from(self.adopt(&outcome)?);
            }
        }
        Ok((taken, lost))
    }
}

impl Cluster {
    /// Takes over what earlier tasks finished, and submits what nobody works on to at most
    /// `shards` tasks. A dry run changes nothing that matters: it only says what it would do.
    pub fn submit(
        &self,
        store: &mut Store,
        shards: usize,
        dry_run: bool,
    ) -> Result<Submission, Trouble> {
        let path = store.path().to_owned();
        store.merge(&shards_of(&path))?;
        let jobs = store.said(JOBS)?.unwrap_or_default();
        let live = live_tasks(&jobs)?;
        let mut busy = BTreeSet::new();
        for &number in &live {
            if let Ok(shard) = Store::existing(&shard(&path, number)) {
                busy.extend(shard.units()?.into_iter().map(|(unit, _)| (unit.target, unit.check)));
            }
        }
        let left: Vec<_> = store
            .units()?
            .into_iter()
            .filter(|(_, ended)| !ended)
            .map(|(unit, _)| unit)
            .filter(|unit| !busy.contains(&(unit.target.clone(), unit.check)))
            .collect();
        let free: Vec<usize> = (0..).filter(|number| !live.contains(number)).take(shards).collect();
        let tasks: Vec<usize> = free.into_iter().take(left.len()).collect();
        let mut submission = Submission {
            units: left.len() as u64,
            live: live.len(),
            script: self.script(&path, &tasks),
            tasks,
            job: None,
        };
        if dry_run || submission.tasks.is_empty() {
            return Ok(submission);
        }
        let cannot = |what: &Path, error: std::io::Error| {
            Trouble::User(format!("cannot write {}: {error}", what.display()))
        };
        let shards = folder(&path);
        std::fs::create_dir_all(&shards).map_err(|error| cannot(&shards, error))?;
        // Shards that nobody works on have handed over what they had.
        for old in shards_of(&path) {
            let number = shard_number(&old);
            if number.is_none_or(|number| !live.contains(&number)) {
                remove(&old).map_err(|error| cannot(&old, error))?;
            }
        }
        let folder_said = store.said(FOLDER)?.unwrap_or_default();
        for (at, &number) in submission.tasks.iter().enumerate() {
            let units: Vec<_> =
                left.iter().skip(at).step_by(submission.tasks.len()).cloned().collect();
            let mut made = Store::open(&shard(&path, number), Journal::Rollback)?;
            made.plan(&[(FOLDER, &folder_said)], &units, &BTreeMap::new())?;
        }
        let file = shards.join("job.sh");
        std::fs::write(&file, &submission.script).map_err(|error| cannot(&file, error))?;
        let said = run(Command::new("sbatch").arg("--parsable").args(&self.options).arg(&file))?;
        let job = said.trim().split(';').next().unwrap_or_default().to_owned();
        store.say(&[(JOBS, &format!("{jobs} {job}"))])?;
        submission.job = Some(job);
        Ok(submission)
    }

    fn script(&self, store: &Path, tasks: &[usize]) -> String {
        let list: Vec<String> = tasks.iter().map(usize::to_string).collect();
        let folder = folder(store);
        let mut text = String::from("#!/bin/bash\n");
        let _ = writeln!(text, "#SBATCH --job-name=nanoscope");
        let _ = writeln!(text, "#SBATCH --array={}", list.join(","));
        let _ = writeln!(text, "#SBATCH --cpus-per-task={}", self.processors);
        let _ = writeln!(text, "#SBATCH --requeue");
        let _ = writeln!(text, "#SBATCH --open-mode=append");
        let _ = writeln!(text, "#SBATCH --output={}/task-%a.log", folder.display());
        let _ = writeln!(
            text,
            "exec {} campaign work --jobs {} --store {}/shard-\"$SLURM_ARRAY_TASK_ID\".db",
            quoted(&self.nanoscope),
            self.processors,
            quoted(&folder)
        );
        text
    }
}

/// The array tasks of jobs that are queued or running.
fn live_tasks(jobs: &str) -> Result<BTreeSet<usize>, Trouble> {
    let mut tasks = BTreeSet::new();
    if jobs.trim().is_empty() {
        return Ok(tasks);
    }
    let wanted: BTreeSet<&str> = jobs.split_whitespace().collect();
    // All of this user's: asked for a job that it has forgotten, Slurm says nothing but an error.
    let said = run(Command::new("squeue").args(["--me", "--noheader", "--array"]).args([
        "--states",
        "PENDING,CONFIGURING,RUNNING,SUSPENDED,COMPLETING,REQUEUED",
        "--format",
        "%F %K",
    ]))?;
    for line in said.lines() {
        if let Some((job, task)) = line.split_once(' ')
            && wanted.contains(job)
            && let Ok(task) = task.trim().parse()
        {
            tasks.insert(task);
        }
    }
    Ok(tasks)
}

/// Runs one of Slurm's commands.
fn run(command: &mut Command) -> Result<String, Trouble> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        Trouble::User(format!(
            "cannot run {name}: {error}\n\nSubmitting needs Slurm's commands on this machine; \
             --dry-run shows what would be submitted."
        ))
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Trouble::User(format!("{name} refused: {}", said.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn shard_number(path: &Path) -> Option<usize> {
    path.file_stem()?.to_str()?.strip_prefix("shard-")?.parse().ok()
}

/// Removes a store with what belongs to it.
fn remove(path: &Path) -> std::io::Result<()> {
    std::fs::remove_file(path)?;
    for ending in ["-journal", "-wal", "-shm"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(ending);
        let _ = std::fs::remove_file(PathBuf::from(beside));
    }
    Ok(())
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}
