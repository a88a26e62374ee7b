//! Another solver's process: a script goes in, a text comes out, and nothing waits for it
//! longer than a budget.

use nanoscope_budget::Budget;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// A process at work. It ends with this, whatever it is doing.
#[derive(Debug)]
pub struct Process {
    child: Child,
    output: mpsc::Receiver<String>,
}

/// How often the stop flag is looked at while another process works.
const PULSE: Duration = Duration::from_millis(5);

/// More than this of an output is not read: no answer is so long.
const MOST_OUTPUT: u64 = 64 << 20;

impl Process {
    /// Starts a program with its arguments and gives it a script to read.
    pub fn start(command: &[String], script: String) -> io::Result<Process> {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (mut input, mut output) = (child.stdin.take(), child.stdout.take());
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            if let Some(input) = &mut input {
                // A solver that stops reading has said what it had to say.
                let _ = input.write_all(script.as_bytes());
            }
            drop(input);
            let mut bytes = Vec::new();
            if let Some(output) = &mut output {
                let _ = output.take(MOST_OUTPUT).read_to_end(&mut bytes);
            }
            let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
        });
        Ok(Process { child, output: receiver })
    }

    /// What it said before it ended; none if the budget ends first.
    pub fn said(&self, budget: &Budget) -> Option<String> {
        loop {
            let left = budget.remaining().map_or(PULSE, |left| left.min(PULSE));
            match self.output.recv_timeout(left) {
                Ok(text) => return Some(text),
                Err(mpsc::RecvTimeoutError::Timeout) if budget.exhausted() => return None,
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return Some(String::new()),
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
