//! Working: threads that claim units, have worker processes do them, and store the results.

use crate::fault::Trouble;
use crate::lease::Holder;
use crate::store::{Claim, Ended, LEASE, Store};
use nanoscope_report::from_json;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a worker is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// How often to look for units that others give back.
const PAUSE: Duration = Duration::from_millis(300);

/// What a worker of ours finds its starter's process number in, so that it ends with it.
pub const PARENT: &str = "NANOSCOPE_PARENT";

/// How much longer than twice its time a worker may take: compiling is not counted by all.
const GRACE: Duration = Duration::from_secs(120);

/// The most of a worker's message that is kept.
const MESSAGE: usize = 4000;

/// How the work is done.
#[derive(Clone, Debug)]
pub struct Workshop {
    /// The command `nanoscope`.
    pub nanoscope: PathBuf,
    /// Where workers run.
    pub folder: PathBuf,
    /// Units worked on at once.
    pub jobs: usize,
}

/// What is told of the work.
pub struct Listener<'a> {
    /// A unit ended, with so many findings or a message.
    pub ended: &'a (dyn Fn(&Claim, &Ended) + Sync),
    /// Set by someone who wants the work to end: units that are not done are given back.
    pub stop: &'a AtomicBool,
}

impl Workshop {
    /// Works until no unit is left, here or in other processes on the same store.
    pub fn work(&self, store: &Path, listener: &Listener) -> Result<(), Trouble> {
        let holder = Holder::this();
        let trouble: Mutex<Option<Trouble>> = Mutex::new(None);
        let over = AtomicBool::new(false);
        let fail = |why: Trouble| {
            over.store(true, Ordering::Relaxed);
            trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        };
        let stopped = || over.load(Ordering::Relaxed) || listener.stop.load(Ordering::Relaxed);
        let finished = AtomicBool::new(false);
        thread::scope(|scope| {
            let keeper = scope.spawn(|| {
                while !finished.load(Ordering::Relaxed) {
                    if let Err(why) = Store::existing(store).and_then(|store| store.renew(&holder))
                    {
                        fail(why);
                    }
                    thread::park_timeout(LEASE / 6);
                }
            });
            let workers: Vec<_> = (0..self.jobs.max(1))
                .map(|_| {
                    scope.spawn(|| {
                        let work = || {
                            let mut store = Store::existing(store)?;
                            self.work_alone(&mut store, &holder, listener, &stopped)
                        };
                        if let Err(why) = work() {
                            fail(why);
                        }
                    })
                })
                .collect();
            for worker in workers {
                // A panic has told of itself.
                if worker.join().is_err() {
                    fail(Trouble::Internal("a thread of the campaign has failed".to_owned()));
                }
            }
            finished.store(true, Ordering::Relaxed);
            keeper.thread().unpark();
        });
        trouble.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn work_alone(
        &self,
        store: &mut Store,
        holder: &Holder,
        listener: &Listener,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), Trouble> {
        while !stopped() {
            let Some(claim) = store.claim(holder)? else {
                if store.counts()?.left() == 0 {
                    return Ok(());
                }
                // Others are at work; what they give back is for whoever is there.
                thread::sleep(PAUSE);
                continue;
            };
            let start = Instant::now();
            match self.run(&claim, stopped)? {
                Some(ended) => {
                    let seconds = start.elapsed().as_secs_f64();
                    if store.finish(&claim, holder, seconds, &ended)? {
                        (listener.ended)(&claim, &ended);
                    }
                }
                None => store.release(&claim, holder)?,
            }
        }
        Ok(())
    }

    /// Has a worker do a unit; nothing if it was stopped.
    fn run(&self, claim: &Claim, stopped: &dyn Fn() -> bool) -> Result<Option<Ended>, Trouble> {
        let unit = &claim.unit;
        let input = match &unit.input {
            None => Stdio::null(),
            Some(file) => match File::open(self.folder.join(file)) {
                Ok(file) => file.into(),
                Err(error) => {
                    return Ok(Some(Ended::Refused(format!("cannot read {file}: {error}"))));
                }
            },
        };
        let (first, rest) = unit.command.split_first().expect("a unit has a command");
        let mut worker = Command::new(&self.nanoscope)
            .arg(first)
            .args(["--json", "-", "--quiet", "--unsuppressed"])
            .args(rest)
            .current_dir(&self.folder)
            .env(PARENT, std::process::id().to_string())
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // What interrupts the campaign must not cut a worker's report short.
            .process_group(0)
            .spawn()
            .map_err(|error| {
                Trouble::User(format!("cannot start {}: {error}", self.nanoscope.display()))
            })?;
        let stdout = gathered(worker.stdout.take());
        let stderr = gathered(worker.stderr.take());
        let status = match wait(&mut worker, stopped, limit(&unit.command))? {
            Waited::Ended(status) => status,
            Waited::Stopped => return Ok(None),
            Waited::TooLong(limit) => {
                let why = format!("the worker did not end within {} seconds", limit.as_secs());
                return Ok(Some(Ended::Crashed(why)));
            }
        };
        let stdout = stdout.join().unwrap_or_default();
        let stderr = stderr.join().unwrap_or_default();
        self.judge(status, &stdout, &stderr)
    }

    fn judge(
        &self,
        status: ExitStatus,
        stdout: &str,
        stderr: &str,
    ) -> Result<Option<Ended>, Trouble> {
        let said = stderr.trim().trim_start_matches("nanoscope: ");
        let message = || -> String {
            let kept: String = said.chars().take(MESSAGE).collect();
            if kept.is_empty() { format!("the worker ended with {status}") } else { kept }
        };
        if said.contains("os error 28") || said.contains("No space left on device") {
            return Err(Trouble::User(format!(
                "the disk is full: {}\n\nEverything found until now is kept. Make room and run \
                 the same command again: it goes on from there.",
                message()
            )));
        }
        Ok(Some(match (status.code(), status.signal()) {
            (Some(0 | 1), _) => match from_json(stdout) {
                Ok(report) => Ended::Report(Box::new(report)),
                Err(why) => Ended::Crashed(format!("the worker's report is unreadable: {why}")),
            },
            (Some(2), _) => Ended::Refused(message()),
            (_, Some(signal)) => {
                Ended::Crashed(format!("the worker was ended by signal {signal}\n{said}"))
            }
            (_, None) => Ended::Crashed(message()),
        }))
    }
}

/// Reads a pipe to its end, beside everything else.
fn gathered(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// How waiting for a worker ended.
enum Waited {
    Ended(ExitStatus),
    Stopped,
    TooLong(Duration),
}

/// Waits for a worker, which keeps its own limit of time; twice that is too much.
fn wait(
    worker: &mut Child,
    stopped: &dyn Fn() -> bool,
    limit: Option<Duration>,
) -> Result<Waited, Trouble> {
    let start = Instant::now();
    loop {
        let ended = match worker.try_wait() {
            Ok(Some(status)) => return Ok(Waited::Ended(status)),
            Ok(None) if stopped() => Waited::Stopped,
            Ok(None) => match limit.filter(|&limit| start.elapsed() > limit) {
                Some(limit) => Waited::TooLong(limit),
                None => {
                    thread::sleep(GLANCE);
                    continue;
                }
            },
            Err(error) => {
                return Err(Trouble::Internal(format!("cannot wait for a worker: {error}")));
            }
        };
        let _ = worker.kill();
        let _ = worker.wait();
        return Ok(ended);
    }
}

/// When a worker is given up: some time after it should have ended.
fn limit(command: &[String]) -> Option<Duration> {
    let at = command.iter().position(|word| word == "--time-limit")?;
    let seconds: f64 = command.get(at + 1)?.parse().ok()?;
    Duration::try_from_secs_f64(2.0 * seconds).ok()?.checked_add(GRACE)
}
