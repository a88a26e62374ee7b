//! How a campaign goes.

use crate::fault::Trouble;
use crate::store::{Counts, Store, now};
use std::fmt::Write;
use std::time::Duration;

/// Results that the rate is measured by.
const RECENT: usize = 50;

/// How a campaign stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Units by their state.
    pub counts: Counts,
    /// Findings by kind, the most frequent first.
    pub kinds: Vec<(String, u64)>,
    /// The units worked on.
    pub running: Vec<String>,
    /// What could not be planned.
    pub troubles: Vec<(String, String)>,
    /// Units a minute, of late.
    pub rate: Option<f64>,
}

impl Status {
    /// Looks into stores: one, or the shards of one.
    pub fn of(stores: &[Store]) -> Result<Status, Trouble> {
        let mut status = Status {
            counts: Counts::default(),
            kinds: Vec::new(),
            running: Vec::new(),
            troubles: Vec::new(),
            rate: None,
        };
        let mut latest = Vec::new();
        for store in stores {
            let counts = store.counts()?;
            status.counts.waiting += counts.waiting;
            status.counts.running += counts.running;
            status.counts.done += counts.done;
            status.counts.failed += counts.failed;
            for (kind, count) in store.kinds()? {
                match status.kinds.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, total)) => *total += count,
                    None => status.kinds.push((kind, count)),
                }
            }
            status.running.extend(store.running()?);
            for trouble in store.troubles()? {
                if !status.troubles.contains(&trouble) {
                    status.troubles.push(trouble);
                }
            }
            latest.extend(store.latest(RECENT)?);
        }
        status.kinds.sort_by(|(a, x), (b, y)| y.cmp(x).then(a.cmp(b)));
        latest.sort_unstable_by(|a, b| b.cmp(a));
        latest.truncate(RECENT);
        if let (Some(oldest), true) = (latest.last(), latest.len() > 1 && status.counts.running > 0)
        {
            let minutes = (now() - oldest).max(1) as f64 / 60_000.0;
            status.rate = Some((latest.len() - 1) as f64 / minutes);
        }
        Ok(status)
    }

    /// When it will be done, as things go.
    pub fn remaining(&self) -> Option<Duration> {
        let rate = self.rate.filter(|rate| *rate > 0.0)?;
        Duration::try_from_secs_f64(self.counts.left() as f64 / rate * 60.0).ok()
    }

    /// For a person.
    pub fn text(&self) -> String {
        let Counts { waiting, running, done, failed } = self.counts;
        let mut text = String::new();
        let total = self.counts.total();
        let share = 100.0 * (done + failed) as f64 / total as f64;
        let _ = match total {
            0 => writeln!(text, "nothing is planned yet: `campaign run` lists the functions first"),
            _ => writeln!(
                text,
                "{done} of {total} units done ({share:.0} %), {running} running, {waiting} \
                 waiting, {failed} failed"
            ),
        };
        if let Some(rate) = self.rate {
            let _ = write!(text, "{rate:.1} units a minute");
            if let Some(left) = self.remaining() {
                let _ = write!(text, ", about {} left", spell(left));
            }
            text.push('\n');
        }
        let findings: u64 = self.kinds.iter().map(|(_, count)| count).sum();
        let _ = writeln!(text, "{findings} finding{}", if findings == 1 { "" } else { "s" });
        for (kind, count) in &self.kinds {
            let _ = writeln!(text, "{count:>8} {kind}");
        }
        for target in self.running.iter().take(8) {
            let _ = writeln!(text, "running: {target}");
        }
        for (what, why) in self.troubles.iter().take(8) {
            let _ = writeln!(text, "left out: {what}: {}", why.lines().next().unwrap_or_default());
        }
        if self.troubles.len() > 8 {
            let _ = writeln!(text, "left out: {} more", self.troubles.len() - 8);
        }
        text
    }

    /// For a program.
    pub fn json(&self) -> String {
        let Counts { waiting, running, done, failed } = self.counts;
        let kinds: serde_json::Map<String, serde_json::Value> =
            self.kinds.iter().map(|(kind, count)| (kind.clone(), (*count).into())).collect();
        let value = serde_json::json!({
            "units": {"total": self.counts.total(), "done": done, "failed": failed,
                      "running": running, "waiting": waiting},
            "findings": kinds,
            "running": self.running,
            "troubles": self.troubles.iter().map(|(what, why)| {
                serde_json::json!({"what": what, "message": why})
            }).collect::<Vec<_>>(),
            "units_per_minute": self.rate,
            "seconds_left": self.remaining().map(|left| left.as_secs_f64()),
        });
        format!("{value:#}\n")
    }
}

fn spell(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
