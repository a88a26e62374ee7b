//! Confirmation: only what the original code was seen to do is a finding.

use crate::number::Number;
use crate::replay::{Event, Replay, Replayer};
use crate::runner::Record;
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

/// What a point is to show.
#[derive(Clone, Copy, Debug)]
pub struct Promise<'a> {
    /// Where.
    pub site: SiteId,
    /// What.
    pub exception: Exception,
    /// On which inputs.
    pub point: &'a [u64],
    /// What an instrumented run saw the site be given, where there was one: tells its
    /// operation from others when the optimiser has lost its place.
    pub record: Option<&'a Record>,
}

/// Replays the point; none when the promise was not kept.
pub fn confirm(replayer: &Replayer, promise: &Promise) -> Result<Option<Confirmed>, Fault> {
    let replay = replayer.run(promise.point)?;
    let event = replay.find(promise.site, promise.exception).cloned();
    let event = event.or_else(|| lost(replayer, &replay, promise));
    Ok(event.map(|event| Confirmed { point: promise.point.to_vec(), event, replay }))
}

/// The event of an instruction whose place the optimiser lost (as it does with what it
/// executes ahead of a branch), but which does what the site does, to the same operands.
fn lost(replayer: &Replayer, replay: &Replay, promise: &Promise) -> Option<Event> {
    let record = promise.record?;
    let site = &replayer.original().sites[promise.site.0 as usize];
    let wanted: Vec<u128> = (0..site.action.operands())
        .map(|i| u128::from(record[2 * i]) | u128::from(record[2 * i + 1]) << 64)
        .collect();
    let fits = |event: &&Event| {
        let mut seen: Vec<u128> = Vec::new();
        for operand in &event.operands {
            match *operand {
                Number::Float { format, bits } if format == site.format => seen.push(bits),
                Number::Float { .. } | Number::Integer(_) => return false,
            }
        }
        let turned = || seen.len() == 2 && seen[0] == wanted[1] && seen[1] == wanted[0];
        event.site.is_none()
            && event.exception == promise.exception
            && event.call.is_none()
            && event.within.is_none()
            && event.address.is_some_and(|address| replayer.does(address, site.action))
            && (seen == wanted || wanted.len() == 2 && turned())
    };
    let found = replay.events.iter().find(fits)?;
    Some(Event { site: Some(promise.site), ..found.clone() })
}
