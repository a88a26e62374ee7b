//! The process that the user asked for, with the agent inside it.

use super::inject::{be_traced, executable, inject, is_static};
use super::registers::{Layout, STATE_BYTES, state_from};
use super::sandbox::Walls;
use super::shared::{Channel, DESCRIPTOR, Shared};
use crate::trace::State;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// The agent, compiled by build.rs.
const AGENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/agent.so"));

/// What the agent stops at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breakpoint {
    /// The first instruction of a function under test.
    Entry = 0,
    /// Where the dynamic linker says that it has loaded something.
    Loader = 1,
    /// An error routine.
    Error = 2,
    /// What ends the process.
    Exit = 3,
    /// What gives memory back.
    Free = 4,
}

pub(super) const END: u32 = 0;
const GO: u32 = 1;
pub(super) const READ: u32 = 2;
pub(super) const BREAK: u32 = 3;
pub(super) const FORK: u32 = 4;
const RESOLVE: u32 = 12;
const STREAM: u32 = 13;

/// How to start a subject.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The executable and its arguments.
    pub command: Vec<OsString>,
    /// Libraries to load before others.
    pub preload: Vec<PathBuf>,
    /// Environment variables to set.
    pub environment: Vec<(OsString, OsString)>,
    /// What it reads.
    pub input: Option<PathBuf>,
    /// The folder it runs in and writes to.
    pub scratch: PathBuf,
    /// Where the agent is put and what the subject prints is kept.
    pub private: PathBuf,
}

/// What the subject did.
#[derive(Clone, Debug)]
pub enum Event {
    /// It is loaded and has run nothing of its own.
    Started {
        /// Where errno is, or 0.
        errno: u64,
    },
    /// It loaded a library.
    Loaded,
    /// It called a function under test.
    Entered {
        /// The breakpoint's number.
        id: u64,
        /// The call's number over all functions under test, from 1.
        call: u64,
        /// The registers.
        state: Box<State>,
    },
    /// It ended.
    Ended(Stop),
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
}

/// The subject, running.
pub struct Subject<'a> {
    channel: Channel<'a>,
    layout: Layout,
    child: Child,
    status: Option<ExitStatus>,
    /// The device and the number of the shared memory, by which what it starts is known.
    memory: (u64, u64),
}

impl<'a> Subject<'a> {
    /// Starts it.
    pub fn start(
        launch: &Launch,
        shared: &'a Shared,
        layout: Layout,
        walls: Walls,
    ) -> io::Result<Subject<'a>> {
        let agent = launch.private.join("agent.so");
        fs::write(&agent, AGENT)?;
        let mut preload = agent.into_os_string();
        for library in &launch.preload {
            preload.push(":");
            preload.push(library);
        }
        let input = match &launch.input {
            Some(path) => Stdio::from(File::open(path)?),
            None => Stdio::null(),
        };
        let output = File::create(launch.private.join("output"))?;
        let mut command = Command::new(&launch.command[0]);
        command
            .args(&launch.command[1..])
            .env("LD_PRELOAD", preload)
            .envs(launch.environment.iter().cloned())
            .current_dir(&launch.scratch)
            .stdin(input)
            .stdout(Stdio::from(output.try_clone()?))
            .stderr(Stdio::from(output));
        let program = executable(Path::new(&launch.command[0]));
        let alone = program.is_some_and(|program| is_static(&program));
        let channel = shared.channel(0);
        channel.reset();
        let memory = shared.descriptor();
        let host = std::process::id();
        // SAFETY: the closure's raw pointer is into the shared mapping, which outlives the child's
        // use of it; it makes system calls and writes there, and allocates nothing.
        unsafe {
            let shared: &'static Shared = std::mem::transmute::<&Shared, &'static Shared>(shared);
            command.pre_exec(move || {
                libc::setpgid(0, 0);
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                // The host died before the line above: nobody will end this process.
                if libc::getppid() as u32 != host {
                    libc::_exit(1);
                }
                if libc::dup2(memory, DESCRIPTOR) < 0 {
                    return Err(io::Error::last_os_error());
                }
                let core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
                libc::setrlimit(libc::RLIMIT_CORE, &core);
                // Addresses are the same in every run, so that runs can be compared.
                libc::personality(libc::ADDR_NO_RANDOMIZE as u64);
                shared.claim(std::process::id());
                if alone {
                    be_traced()?;
                }
                walls.enter()
            });
        }
        let child = command.spawn()?;
        let held = fs::metadata(format!("/proc/self/fd/{memory}"))?;
        let memory = (held.dev(), held.ino());
        let subject = Subject { channel, layout, child, status: None, memory };
        if alone {
            inject(subject.child.id() as i32, AGENT)?;
        }
        Ok(subject)
    }

    /// The process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Waits for what it does next. `stop` is asked now and then whether to give up; then the
    /// subject is killed.
    pub fn next(&mut self, stop: &mut dyn FnMut() -> bool) -> Event {
        let child = &mut self.child;
        let status = &mut self.status;
        let request = self.channel.wait(|| {
            if stop() {
                kill_group(child.id());
            }
            if status.is_none() {
                *status = child.try_wait().ok().flatten();
            }
            status.map(|_| 0)
        });
        match request {
            Ok(1) => Event::Started { errno: self.channel.argument(1) },
            Ok(2) => Event::Loaded,
            Ok(_) => {
                let bytes = self.channel.read(0, STATE_BYTES);
                let state = Box::new(state_from(&self.layout, &bytes));
                Event::Entered {
                    id: self.channel.argument(0),
                    call: self.channel.argument(2),
                    state,
                }
            }
            Err(_) => Event::Ended(self.ending()),
        }
    }

    fn ending(&self) -> Stop {
        match self.status {
            Some(status) => match status.signal() {
                Some(signal) => Stop::Signalled(signal),
                None => Stop::Exited(status.code().unwrap_or(0)),
            },
            None => Stop::Exited(0),
        }
    }

    fn ask(&mut self, command: u32, arguments: &[u64]) -> Option<u64> {
        self.channel.command(command, arguments);
        let child = &mut self.child;
        let status = &mut self.status;
        self.channel
            .wait(|| {
                *status = child.try_wait().ok().flatten();
                status.map(|_| 0)
            })
            .ok()?;
        Some(self.channel.argument(0))
    }

    /// Sets a breakpoint, while the subject waits. `length` is that of the instruction there if it
    /// goes on to the next, else 0. False if it could not be set.
    pub fn add_breakpoint(&mut self, address: u64, kind: Breakpoint, id: u64, length: u64) -> bool {
        self.ask(BREAK, &[address, kind as u64, id, length]) == Some(0)
    }

    /// Tells of a function that writes out what a run-time keeps in buffers, with its argument. `locks` if it waits
    /// for what an interrupted run may hold.
    pub fn add_stream(&mut self, write_out: u64, argument: u64, locks: bool) {
        self.ask(STREAM, &[write_out, argument, u64::from(locks)]);
    }

    /// Where an indirect function is, by its resolver.
    pub fn resolve(&mut self, resolver: u64) -> Option<u64> {
        self.ask(RESOLVE, &[resolver])
    }

    /// Forks a template of this moment that talks through `channel`.
    pub fn fork(&mut self, channel: usize) -> Option<i32> {
        let child = self.ask(FORK, &[channel as u64])? as i64;
        (child > 0).then_some(child as i32)
    }

    /// Lets it go on, with the breakpoints of these kinds set, to this call at least.
    pub fn go(&mut self, kinds: &[Breakpoint], call: u64) {
        let kinds = kinds.iter().fold(0, |kinds, kind| kinds | 1 << (*kind as u64));
        self.channel.command(GO, &[kinds, call]);
    }

    /// Ends it with its process group, workers included.
    pub fn kill(&mut self) -> Stop {
        if self.status.is_none() {
            kill_group(self.child.id());
            self.status = self.child.wait().ok();
        }
        self.ending()
    }

    /// Ends it alone: what comes after is of no interest, and workers go on.
    pub fn dismiss(&mut self) -> Stop {
        if self.status.is_none() {
            let _ = self.child.kill();
            self.status = self.child.wait().ok();
        }
        self.ending()
    }
}

impl Drop for Subject<'_> {
    fn drop(&mut self) {
        self.kill();
        kill_holders(self.memory);
    }
}

/// Ends every process that holds our memory under the subject's descriptor: what the subject started and
/// put into a session of its own is in no group of ours.
fn kill_holders(memory: (u64, u64)) {
    // Until none is left: dying takes a moment, and who dies last may have started another.
    const ROUNDS: u32 = 200;
    const PAUSE: Duration = Duration::from_millis(5);
    for _ in 0..ROUNDS {
        let mut holders = 0;
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok())
            else {
                continue;
            };
            let held = fs::metadata(entry.path().join(format!("fd/{DESCRIPTOR}")));
            if held.is_ok_and(|held| (held.dev(), held.ino()) == memory) {
                // SAFETY: a system call on a process that holds memory that only we give away.
                unsafe { libc::kill(process, libc::SIGKILL) };
                holders += 1;
            }
        }
        if holders == 0 {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Ends a process group.
fn kill_group(leader: u32) {
    // SAFETY: a system call on a process group that we made.
    unsafe { libc::kill(-(leader as i32), libc::SIGKILL) };
}

/// A folder of ours that is removed with all that is in it.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one in the system's temporary folder.
    pub fn new() -> io::Result<Scratch> {
        let base = std::env::temp_dir();
        for attempt in 0..1000 {
            let path = base.join(format!("nanoscope-{}-{attempt}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Scratch(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("no name for a temporary folder is free"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
