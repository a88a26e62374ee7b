//! Confirmation: only what the original code was seen to do is a finding.

use crate::replay::{Event, Replay, Replayer};
use nanoscope_program::{Exception, Fault, SiteId};

/// A point on which a replay of the original code showed the exception at the site.
/// There is no other way to make one than [`confirm`].
#[derive(Clone, Debug)]
pub struct Confirmed {
    point: Vec<u64>,
    event: Event,
    replay: Replay,
}

impl Confirmed {
    /// The inputs.
    pub fn point(&self) -> &[u64] {
        &self.point
    }

    /// What was seen.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// All that was seen.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// The other exceptions of the program's operations that the same replay showed.
    pub fn others(&self) -> Vec<Confirmed> {
        let others =
            self.replay.events.iter().filter(|event| event.site.is_some() && **event != self.event);
        others
            .map(|event| Confirmed {
                point: self.point.clone(),
                event: event.clone(),
                replay: self.replay.clone(),
            })
            .collect()
    }
}

/// Replays `point`; none when `site` did not raise `exception`.
pub fn confirm(
    replayer: &Replayer,
    site: SiteId,
    exception: Exception,
    point: &[u64],
) -> Result<Option<Confirmed>, Fault> {
    let replay = replayer.run(point)?;
    let event = replay.find(site, exception).cloned();
    Ok(event.map(|event| Confirmed { point: point.to_vec(), event, replay }))
}
