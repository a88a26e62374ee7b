//! The process that forks for every run.

use super::board::{self, Board, Head};
use super::frames::Places;
use super::{Asked, Branch, Ended, Inputs, Invocation, Manner, Recipe, Run, Trouble};
use crate::Limits;
use crate::sandbox::Walls;
use nanoscope_program::Fault;
use nanoscope_program::compile::Build;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Where the program finds its descriptors.
const PLACES: [RawFd; 4] = [198, 199, 200, 201];

const RUN: i32 = 1;
const WRITE_PROFILE: i32 = 2;

/// A program, started and waiting before its `main`.
pub struct Whole {
    process: Child,
    orders: std::fs::File,
    answers: std::fs::File,
    board: Board,
    places: Places,
    executable: PathBuf,
    edges_seen: Vec<bool>,
    output_words: usize,
}

impl Whole {
    /// Starts an executable that [`Compiler::executable`](nanoscope_program::compile::Compiler::executable)
    /// made.
    pub fn start(
        executable: &Path,
        build: Build,
        invocation: &Invocation,
        limits: &Limits,
    ) -> Result<Whole, Fault> {
        let mut board = Board::new()?;
        let walls = Walls::new(limits)?;
        let filter = walls.filter().unwrap_or_default();
        let head = board.head();
        head.memory = match build {
            // Red zones and quarantine take their share.
            Build::Sanitised => limits.memory * 2,
            Build::Plain | Build::Covered => limits.memory,
        };
        head.rules = u64::from(walls.descriptor().is_some());
        head.filter = (filter.len() / 8) as u64;
        board.write(board::FILTER_AT, board::FILTER_MOST, &filter)?;
        let (order_end, orders) = pipe()?;
        let (answers, answer_end) = pipe()?;
        let silence = || Stdio::null();
        let mut command = Command::new(executable);
        command
            .args(&invocation.arguments)
            .env_clear()
            .envs(invocation.environment.iter().filter_map(|variable| variable.split_once('=')))
            .env("NANOSCOPE_SERVE", "1")
            .env("LLVM_PROFILE_FILE", "/dev/null")
            .env(
                "ASAN_OPTIONS",
                "detect_leaks=0:symbolize=0:handle_sigfpe=0:allocator_may_return_null=1:\
                 detect_stack_use_after_return=1:handle_abort=0:handle_sigill=0",
            )
            .env("UBSAN_OPTIONS", "symbolize=0:print_stacktrace=0")
            .stdin(silence())
            .stdout(silence())
            .stderr(silence());
        let handed = [
            order_end.as_raw_fd(),
            answer_end.as_raw_fd(),
            board.descriptor(),
            walls.descriptor().unwrap_or(-1),
        ];
        // SAFETY: between fork and exec only system calls on numbers of our own.
        unsafe {
            command.pre_exec(move || {
                libc::setpgid(0, 0); // the terminal's ^C is the parent's business
                for (from, to) in handed.into_iter().zip(PLACES) {
                    if from >= 0 && libc::dup2(from, to) < 0 {
                        return Err(std::io::Error::last_os_error());
                    }
                }
                Ok(())
            });
        }
        let process = command.spawn().map_err(|error| {
            Fault::Internal(format!("cannot start `{}`: {error}", executable.display()))
        })?;
        drop((order_end, answer_end));
        let mut whole = Whole {
            process,
            orders: orders.into(),
            answers: answers.into(),
            board,
            places: Places::read(executable)?,
            executable: executable.to_owned(),
            edges_seen: Vec::new(),
            output_words: 0,
        };
        whole.answer(Duration::from_secs(20))?;
        let edges = (whole.board.head().edges as usize).min(board::EDGES_MOST);
        whole.edges_seen = vec![false; edges];
        Ok(whole)
    }

    /// Says how many words a function's entry gives back.
    pub fn with_outputs(mut self, words: usize) -> Whole {
        self.output_words = words.min(board::OUTPUTS_MOST / 8);
        self
    }

    /// Numbers of the program's, for making inputs up.
    pub fn with_dictionary(mut self, numbers: &[f64]) -> Whole {
        let count = numbers.len().min(board::DICTIONARY_MOST / 8);
        let bytes: Vec<u8> =
            numbers[..count].iter().flat_map(|number| number.to_ne_bytes()).collect();
        self.board.section(board::DICTIONARY_AT, bytes.len()).copy_from_slice(&bytes);
        self.board.head().dictionary = count as u64;
        self
    }

    /// Runs the program once, on these inputs.
    pub fn run(&mut self, inputs: &Inputs, time: Duration) -> Result<Run, Fault> {
        let given = stream(&inputs.unknowns);
        let times = stream(&inputs.times);
        let words: Vec<u8> = inputs.words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        self.board.write(board::GIVEN_AT, board::GIVEN_MOST, &given)?;
        self.board.write(board::TIMES_AT, board::TIMES_MOST, &times)?;
        self.board.write(board::STDIN_AT, board::STDIN_MOST, &inputs.stdin)?;
        self.board.write(board::WORDS_AT, board::WORDS_MOST, &words)?;
        let head = self.board.head();
        head.generate = 0;
        head.given_bytes = given.len() as u64;
        head.time_bytes = times.len() as u64;
        head.stdin_bytes = inputs.stdin.len() as u64;
        self.order_run(time)
    }

    /// Runs the program once, on inputs made up as it asks for them.
    pub fn make_up(&mut self, recipe: &Recipe, time: Duration) -> Result<Run, Fault> {
        let head = self.board.head();
        head.generate = 1;
        head.seed = recipe.seed;
        head.stdin_bytes = 0;
        head.stdin_generated = recipe.stdin.min(board::STDIN_MOST) as u64;
        self.order_run(time)
    }

    /// How many edges the program has, and how many of them runs have taken.
    pub fn edges(&self) -> (usize, usize) {
        let taken = self.edges_seen.iter().filter(|&&seen| seen).count();
        (self.edges_seen.len().saturating_sub(1), taken)
    }

    /// Has the program write what all runs counted, in the form that `llvm-profdata` reads.
    pub fn write_profile(&mut self, path: &Path) -> Result<(), Fault> {
        let bytes = path.as_os_str().as_encoded_bytes();
        let head = self.board.head();
        head.profile = [0; board::TEXT];
        if bytes.len() >= board::TEXT {
            return Err(Fault::User(format!("the name is too long: {}", path.display())));
        }
        head.profile[..bytes.len()].copy_from_slice(bytes);
        self.order(WRITE_PROFILE)?;
        self.answer(Duration::from_secs(20)).map(drop)
    }

    /// The file that runs.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    fn order_run(&mut self, time: Duration) -> Result<Run, Fault> {
        let edges = self.edges_seen.len();
        self.board.section(board::EDGES_AT, edges).fill(0);
        let head = self.board.head();
        head.milliseconds = (time.as_millis() as u64).clamp(1, i32::MAX as u64);
        head.outcome = 0;
        head.frames = 0;
        head.asked_bytes = 0;
        head.troubles = 0;
        head.outputs_written = 0;
        head.stdin_made = 0;
        head.branches = 0;
        self.order(RUN)?;
        let (status, late) = self.answer(time + Duration::from_secs(10))?;
        if late < 0 {
            return Err(Fault::User("the system lets no more processes start".into()));
        }
        self.account(status, late > 0)
    }

    fn order(&mut self, order: i32) -> Result<(), Fault> {
        self.orders.write_all(&order.to_ne_bytes()).map_err(|error| lost(&error))
    }

    /// Waits for two numbers from the program.
    fn answer(&mut self, most: Duration) -> Result<(i32, i32), Fault> {
        let mut watch =
            libc::pollfd { fd: self.answers.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor, which lives.
        let ready = unsafe { libc::poll(&mut watch, 1, most.as_millis() as i32) };
        if ready == 0 {
            return Err(lost(&"it does not answer"));
        }
        let mut bytes = [0; 8];
        self.answers.read_exact(&mut bytes).map_err(|error| lost(&error))?;
        let number = |at: usize| {
            i32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Ok((number(0), number(4)))
    }

    /// Reads from the board how a run went.
    fn account(&mut self, status: i32, late: bool) -> Result<Run, Fault> {
        let edges = self.edges_seen.len();
        let mut new_edges = false;
        for (seen, &taken) in
            self.edges_seen.iter_mut().zip(self.board.section(board::EDGES_AT, edges).iter())
        {
            new_edges |= taken != 0 && !*seen;
            *seen |= taken != 0;
        }
        let asked_bytes = (self.board.head().asked_bytes as usize).min(board::ASKED_MOST);
        let asked = read_asked(self.board.section(board::ASKED_AT, asked_bytes));
        let made = (self.board.head().stdin_made as usize).min(board::STDIN_MOST);
        let stdin = self.board.section(board::STDIN_AT, made).to_vec();
        let branches = (self.board.head().branches as usize).min(board::BRANCHES_MOST / 16);
        let branches = self.board.section(board::BRANCHES_AT, 16 * branches);
        let branches = branches.chunks_exact(16).map(read_branch).collect();
        let returned = self.board.head().outputs_written != 0;
        let outputs = self
            .board
            .section(board::OUTPUTS_AT, if returned { 8 * self.output_words } else { 0 })
            .chunks_exact(8)
            .map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")))
            .collect();
        let head = self.board.head();
        let ended = if late { Ended::TimedOut } else { ended(head, status)? };
        let frames = (head.frames as usize).min(board::FRAMES);
        let stack = self.places.stack(&head.frame[..frames]);
        let troubles = head.trouble[..(head.troubles as usize).min(board::TROUBLES)]
            .iter()
            .map(|trouble| Trouble {
                kind: board::text(&trouble.kind),
                stack: self
                    .places
                    .stack(&trouble.frame[..(trouble.frames as usize).min(board::FRAMES)]),
            })
            .collect();
        Ok(Run { ended, stack, troubles, asked, stdin, new_edges, outputs, branches })
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        // It ends by itself when its orders end; a run that goes on is its child, which
        // goes with it.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// What the status and the board say together.
fn ended(head: &Head, status: i32) -> Result<Ended, Fault> {
    let text = board::text(&head.text);
    Ok(match head.outcome {
        1 => Ended::Assertion {
            text,
            file: board::text(&head.file),
            line: head.line as u32,
            function: board::text(&head.function),
        },
        2 => Ended::ErrorCall(text),
        3 => Ended::Aborted,
        4 => Ended::Signal(head.line as i32),
        5 => Ended::Rejected,
        6 => Ended::Silent,
        7 => Ended::Missing(text),
        8 => Ended::RanShort,
        _ if libc::WIFSIGNALED(status) => Ended::Signal(libc::WTERMSIG(status)),
        0 if libc::WEXITSTATUS(status) == 86 => {
            return Err(Fault::Internal("a native run could not be confined".into()));
        }
        _ => Ended::Exited(libc::WEXITSTATUS(status)),
    })
}

/// Records of a length and that many bytes, in eights.
fn stream(records: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for record in records {
        bytes.extend((record.len() as u64).to_ne_bytes());
        bytes.extend(record);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    bytes
}

fn read_branch(bytes: &[u8]) -> Branch {
    let number =
        |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    Branch {
        line: number(0),
        column: number(4),
        value: u64::from(number(8)) | u64::from(number(12)) << 32,
    }
}

fn read_asked(bytes: &[u8]) -> Vec<Asked> {
    let mut list = Vec::new();
    let mut rest = bytes;
    while rest.len() >= 16 {
        let number = |at: usize| {
            u32::from_ne_bytes([rest[at], rest[at + 1], rest[at + 2], rest[at + 3]]) as usize
        };
        let (manner, size, name) = (number(0), number(4), number(8));
        let Some(body) = rest.get(16..16 + name + size) else { break };
        list.push(Asked {
            manner: match manner {
                1 => Manner::Float,
                2 => Manner::Integer,
                3 => Manner::Ranged,
                4 => Manner::Clock,
                _ => Manner::Memory,
            },
            name: String::from_utf8_lossy(&body[..name]).into_owned(),
            bytes: body[name..].to_vec(),
        });
        rest = rest.get((16 + name + size).next_multiple_of(8)..).unwrap_or_default();
    }
    list
}

fn pipe() -> Result<(OwnedFd, OwnedFd), Fault> {
    let mut ends = [0; 2];
    // SAFETY: two places for two fresh descriptors.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(crate::child::last_error("cannot make a pipe"));
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

fn lost(error: &dyn std::fmt::Display) -> Fault {
    Fault::Internal(format!("the program under test is lost: {error}"))
}
