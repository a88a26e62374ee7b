//! Who works on a unit: a process, told apart from all others, also from a later one with its
//! number.

use std::fs;

/// A process that may hold units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The machine since it was started, and the name space of its processes.
    machine: String,
    process: u32,
    /// When the process was started, in the machine's own count.
    started: String,
}

impl Holder {
    /// This process.
    pub fn this() -> Holder {
        let process = std::process::id();
        Holder { machine: machine(), process, started: started(process).unwrap_or_default() }
    }

    /// As the store has it.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.machine, self.process, self.started)
    }

    /// Whether another holder is a process of this machine that is gone. Of those of other
    /// machines nothing is known.
    pub fn knows_dead(&self, text: &str) -> bool {
        let mut parts = text.split(' ');
        let (Some(machine), Some(process), Some(since)) =
            (parts.next(), parts.next(), parts.next())
        else {
            return true;
        };
        let Ok(process) = process.parse() else { return true };
        machine == self.machine && started(process).as_deref() != Some(since)
    }
}

fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let space = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let host = read("/proc/sys/kernel/hostname");
    format!("{host}/{}/{}", read("/proc/sys/kernel/random/boot_id"), space.display())
        .replace(' ', "_")
}

/// When a process was started: the 22nd field of its `stat`, which begins anew after the
/// command's name, for that may hold anything. A zombie is gone.
fn started(process: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    if matches!(fields.next(), Some("Z" | "X")) {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::Holder;
    use std::process::Command;

    #[test]
    fn the_dead_are_told_from_the_living() {
        let this = Holder::this();
        assert!(!this.knows_dead(&this.text()));
        let later = Holder { started: "1".to_owned(), ..this.clone() };
        assert!(this.knows_dead(&later.text()), "another process had this number");
        let elsewhere = Holder { machine: "elsewhere/1/2".to_owned(), ..later };
        assert!(!this.knows_dead(&elsewhere.text()), "nothing is known of other machines");
        let mut child = Command::new("sleep").arg("100").spawn().expect("it starts");
        let started = super::started(child.id()).expect("it runs");
        let other = Holder { process: child.id(), started, ..this.clone() };
        assert!(!this.knows_dead(&other.text()));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        assert!(this.knows_dead(&other.text()));
    }
}
