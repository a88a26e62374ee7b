//! Confirmation: only what the original code was seen to do is a finding.

use crate::board::Record;
use crate::number::Number;
use crate::replay::{Event, Replay, Replayer};
use crate::trace::{WANTED, fingerprint};
use nanoscope_ieee::Format;
use nanoscope_program::{Action, Exception, Fault, Site, SiteId, actions};
use std::time::Duration;

/// A point on which a replay of the original code showed the exception at the site.
/// There is no other way to make one than [`confirm`] and [`confirm_alone`].
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
    let replay = match is_told(replayer, promise.site, promise.exception) {
        true => replayer.run_with_checks(promise.point)?,
        false => replayer.run(promise.point)?,
    };
    Ok(kept(replayer, promise, &replay))
}

/// The same for several promises of one point, looking for what was promised only: where much
/// else happens, far quicker. The replay is left after so long.
pub fn confirm_alone(
    replayer: &Replayer,
    promises: &[Promise],
    within: Duration,
) -> Result<Vec<Option<Confirmed>>, Fault> {
    let by_checks = |at: &usize| {
        let Promise { site, exception, .. } = promises[*at];
        is_told(replayer, site, exception)
    };
    let mut told: Vec<Option<Confirmed>> = vec![None; promises.len()];
    for checked in [false, true] {
        let asked: Vec<usize> = (0..promises.len()).filter(|at| by_checks(at) == checked).collect();
        let replayer = match checked {
            true if asked.is_empty() => continue,
            true => match replayer.checked()? {
                Some(checked) => checked,
                None => continue,
            },
            false => replayer,
        };
        for some in asked.chunks(WANTED) {
            let wanted: Vec<_> = some.iter().map(|at| wanted(replayer, &promises[*at])).collect();
            let point = promises[some[0]].point;
            let replay = replayer.glance_for(point, &wanted, false, within)?;
            for &at in some {
                told[at] = kept(replayer, &promises[at], &replay);
            }
            // Where others trap all the time, nobody may have been looking any more.
            let left: Vec<usize> = some.iter().copied().filter(|at| told[*at].is_none()).collect();
            if !left.is_empty() && !replay.complete && !checked {
                let wanted: Vec<_> =
                    left.iter().map(|at| self::wanted(replayer, &promises[*at])).collect();
                let replay = replayer.glance_for(point, &wanted, true, within)?;
                for at in left {
                    told[at] = kept(replayer, &promises[at], &replay);
                }
            }
        }
    }
    Ok(told)
}

/// Whether a check tells of an exception at a site, and no trap.
fn is_told(replayer: &Replayer, site: SiteId, exception: Exception) -> bool {
    exception == Exception::IntegerOverflow
        || nanoscope_program::is_checked(&replayer.original().sites[site.0 as usize])
}

/// A promise as a replay looks for it.
fn wanted(replayer: &Replayer, promise: &Promise) -> (SiteId, Exception, u64) {
    let site = &replayer.original().sites[promise.site.0 as usize];
    let sign = 1u128 << (site.format.width() - 1);
    let operands = match (promise.record, site.action) {
        (None, _) | (_, Action::Libm(_) | Action::Integer(_)) => 0,
        (Some(record), _) => {
            fingerprint(operands(site, record).iter().map(|bits| bits & (sign - 1)))
        }
    };
    (promise.site, promise.exception, operands)
}

/// The same run once more, with all that happens in it; none where that is too much for what
/// was seen to be seen again.
pub fn retell(replayer: &Replayer, seen: &Confirmed) -> Result<Option<Confirmed>, Fault> {
    let is_told = seen.event.site.is_some_and(|site| is_told(replayer, site, seen.event.exception));
    let replay = match is_told {
        true => replayer.run_with_checks(&seen.point)?,
        false => replayer.run(&seen.point)?,
    };
    let Event { address, exception, operands, .. } = &seen.event;
    let is_it = |event: &&Event| {
        event.address == *address
            && event.exception == *exception
            && event.operands == *operands
            && (!is_told || event.site == seen.event.site)
    };
    let event = replay.events.iter().find(is_it);
    let event = event.map(|event| Event { site: seen.event.site, ..event.clone() });
    Ok(event.map(|event| Confirmed { point: seen.point.clone(), event, replay }))
}

fn kept(replayer: &Replayer, promise: &Promise, replay: &Replay) -> Option<Confirmed> {
    let site = &replayer.original().sites[promise.site.0 as usize];
    let there =
        |event: &&Event| event.site == Some(promise.site) && event.exception == promise.exception;
    let event = match promise.record {
        None => replay.events.iter().find(there).cloned(),
        Some(record) => {
            let at_site = || replay.events.iter().filter(there);
            let wanted = operands(site, record);
            // An instruction may bear the line of another operation than its own.
            let same = at_site().find(|event| match readable(site, event) {
                Some(seen) => are_alike(site, &wanted, &seen) || site.rewritable,
                None => !event.packed,
            });
            same.cloned().or_else(|| lost(replayer, replay, promise, &wanted))
        }
    };
    let replay = || replay.clone();
    event.map(|event| Confirmed { point: promise.point.to_vec(), event, replay: replay() })
}

/// What an instrumented run saw a site be given.
fn operands(site: &Site, record: &Record) -> Vec<u128> {
    let value = |i: usize| u128::from(record[2 * i]) | u128::from(record[2 * i + 1]) << 64;
    (0..site.action.operands()).map(value).collect()
}

/// What an instruction was given, where all of it can be read as the site's operands.
fn readable(site: &Site, event: &Event) -> Option<Vec<u128>> {
    if event.call.is_some() || event.within.is_some() {
        return None;
    }
    let seen: Option<Vec<u128>> =
        event.operands.iter().map(|number| encoding(*number, site.format)).collect();
    seen.filter(|seen| seen.len() == site.action.operands() && !seen.is_empty())
}

/// Whether operands may be an operation's at its own line: the optimiser moves signs from
/// operands to results and turns operands round.
fn are_alike(site: &Site, wanted: &[u128], seen: &[u128]) -> bool {
    let magnitude = |bits: &u128| bits & !(1 << (site.format.width() - 1));
    let sizes = |list: &[u128]| list.iter().map(magnitude).collect::<Vec<_>>();
    let mut pair = (sizes(wanted), sizes(seen));
    match site.action {
        // x87's divisions come in both orders.
        Action::Div if site.format == Format::X87 => {
            pair.0.sort_unstable();
            pair.1.sort_unstable();
        }
        Action::Add | Action::Sub | Action::Mul | Action::Fma => {
            pair.0.sort_unstable();
            pair.1.sort_unstable();
        }
        Action::Div | Action::Narrow { .. } | Action::Libm(_) | actions!(Rest, ToIntegers) => {}
    }
    pair.0 == pair.1 || is_the_same(site, wanted, seen)
}

/// The event of an instruction whose place the optimiser lost (as it does with what it
/// executes ahead of a branch, or several at once) or took from another site of the same
/// computation (as it does when it computes only once what stands there twice), but which
/// does what the site does, to the same operands.
fn lost(replayer: &Replayer, replay: &Replay, promise: &Promise, wanted: &[u128]) -> Option<Event> {
    let site = &replayer.original().sites[promise.site.0 as usize];
    let fits = |event: &&Event| {
        event.exception == promise.exception
            && event.address.is_some_and(|address| replayer.does(address, site.action))
            && readable(site, event).is_some_and(|seen| is_the_same(site, wanted, &seen))
    };
    let found = replay.events.iter().find(fits)?;
    Some(Event { site: Some(promise.site), ..found.clone() })
}

/// A number's encoding, where it is of a format.
fn encoding(number: Number, wanted: Format) -> Option<u128> {
    match number {
        Number::Float { format, bits } if format == wanted => Some(bits),
        Number::Float { .. } | Number::Integer(_) => None,
    }
}

/// Whether an instruction's operands are an operation's: also in the other order, with
/// the negation of an operand as part of the instruction, and with the reciprocal of a
/// power of two for that power.
fn is_the_same(site: &Site, wanted: &[u128], seen: &[u128]) -> bool {
    let magnitude = |bits: u128| bits & !(1 << (site.format.width() - 1));
    let sizes = |list: &[u128]| list.iter().map(|bits| magnitude(*bits)).collect::<Vec<_>>();
    let turned = |list: &[u128]| list.iter().rev().copied().collect::<Vec<_>>();
    match site.action {
        Action::Add | Action::Sub => {
            let sizes_seen = sizes(seen);
            sizes_seen == sizes(wanted) || sizes_seen == sizes(&turned(wanted))
        }
        Action::Mul => {
            // Twice a number is its sum with itself.
            let two = match site.format {
                Format::BINARY32 => u128::from(2f32.to_bits()),
                _ => u128::from(2f64.to_bits()),
            };
            let doubled = |x: u128| seen == [x, x];
            seen == wanted
                || seen == turned(wanted)
                || wanted[0] == two && doubled(wanted[1])
                || wanted[1] == two && doubled(wanted[0])
        }
        Action::Div if seen.len() == 2 && seen[1] != wanted[1] => {
            let number = |bits: u128| match site.format {
                Format::BINARY32 => f64::from(f32::from_bits(bits as u32)),
                _ => f64::from_bits(bits as u64),
            };
            // Exact only for powers of two.
            let is_power = wanted[1] & ((1 << (site.format.precision - 1)) - 1) == 0;
            seen[0] == wanted[0] && is_power && number(seen[1]) * number(wanted[1]) == 1.0
        }
        Action::Div
        | Action::Fma
        | Action::Narrow { .. }
        | Action::Libm(_)
        | actions!(Rest, ToIntegers) => seen == wanted,
    }
}
