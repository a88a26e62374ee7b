//! Spoofed results: every execution of an instruction that can raise an exception goes on with NaN or an infinity.

use super::code::Code;
use super::examine::Examined;
use super::numbers::number_bytes;
use super::{Cause, Effect, Failing};
use crate::run::{Ended, Ending, Gone, Modules, Site, Walked, Worker};
use crate::sites::{Lane, Spoof, raises};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// A site with what its spoofs mean.
pub struct Sited {
    /// For the worker.
    pub site: Site,
    /// The lane and the value of each spoof.
    pub meaning: Vec<(Lane, Spoof)>,
}

/// What came of spoofed results.
#[derive(Default)]
pub struct ResultSpoofs {
    /// What was not handled.
    pub failing: Vec<Failing>,
    /// How many spoofs there were.
    pub count: u64,
    /// Whether time sufficed for all.
    pub whole: bool,
}

impl Examined<'_> {
    /// The instructions whose results can be spoofed, of those at `addresses`.
    pub fn sites(&self, addresses: &[u64], code: &Code, modules: &Modules) -> Vec<Sited> {
        let mut sites = Vec::new();
        for &address in addresses {
            let Some(instruction) = code.instruction(address, modules) else { continue };
            let Some(raised) = raises(&instruction) else { continue };
            let mut sited = Sited {
                site: Site { address, next: instruction.next_ip(), spoofs: Vec::new() },
                meaning: Vec::new(),
            };
            for lane in &raised.lanes {
                let Some(offset) = self.lane_offset(*lane) else { continue };
                for spoof in raised.values {
                    sited.site.spoofs.push((offset, spoof.bytes(lane.bits())));
                    sited.meaning.push((*lane, *spoof));
                }
            }
            sites.push(sited);
        }
        sites
    }

    /// Where a lane is in the registers as the agent has them.
    pub fn lane_offset(&self, lane: Lane) -> Option<u32> {
        let at = match lane {
            Lane::Vector { register, byte, .. } => self.layout.vector_byte(register, byte)?,
            Lane::X87 { index } => self.layout.x87(usize::from(index)),
        };
        u32::try_from(at).ok()
    }

    /// Spoofs every result, as far as there is time.
    pub fn spoof_results(
        &self,
        worker: &mut Worker,
        sites: &[Sited],
        most_hits: u64,
        until: Option<Instant>,
    ) -> Result<ResultSpoofs, Gone> {
        let plain: Vec<Site> = sites.iter().map(|sited| sited.site.clone()).collect();
        let walked = worker.walk(&plain, most_hits, self.outputs.len(), until)?;
        let Walked { results, count, whole } = walked;
        // Hits are counted over all sites: an execution of one site is its hits in order.
        let mut suspects: Vec<(usize, u64, Lane, Spoof, Effect, Ending)> = Vec::new();
        for mut result in results {
            let (lane, spoof) = sites[result.site].meaning[result.spoof];
            // What was printed before the site is part of the first spoof's message alone.
            if self.base_told != 0 {
                result.ending.told = self.base_told;
            }
            if let Some(effect) = self.effect(spoof, &result.ending) {
                suspects.push((result.site, result.hit, lane, spoof, effect, result.ending));
            }
        }
        if suspects.is_empty() {
            return Ok(ResultSpoofs { failing: Vec::new(), count, whole });
        }
        let used = self.used_lanes(worker, sites, &suspects, most_hits)?;
        let order = self.hit_order(worker, sites, most_hits)?;
        let mut failing = Vec::new();
        for (site, hit, lane, spoof, effect, ending) in suspects {
            // A lane of several may hold nothing that the program computes; a scalar is the
            // program's own, used here or not.
            let scalar = sites[site].meaning.iter().all(|(other, _)| *other == lane);
            if effect == Effect::Swallowed && !scalar && !used.contains(&(hit, lane)) {
                continue;
            }
            // A call that goes another way the next time has no hit of this number.
            let Some(before) = order.get(..hit as usize) else { continue };
            let execution = before.iter().filter(|other| **other == site).count();
            let cause = Cause::Result {
                address: sites[site].site.address,
                execution: execution as u64,
                lane,
                spoof,
            };
            let (flags, outputs) = (ending.flags, ending.outputs);
            failing.push(Failing { cause, effect, flags, outputs, exact: Vec::new() });
        }
        Ok(ResultSpoofs { failing, count, whole })
    }

    /// The lanes, by hit, on which the outputs depend: with some other finite number there, an
    /// output is another.
    fn used_lanes(
        &self,
        worker: &mut Worker,
        sites: &[Sited],
        suspects: &[(usize, u64, Lane, Spoof, Effect, Ending)],
        most_hits: u64,
    ) -> Result<BTreeSet<(u64, Lane)>, Gone> {
        let mut trials: Vec<Site> = Vec::new();
        let mut lanes: Vec<Vec<Lane>> = Vec::new();
        for (k, sited) in sites.iter().enumerate() {
            let mut trial = Site { spoofs: Vec::new(), ..sited.site };
            let mut trial_lanes = Vec::new();
            let mut of_site: Vec<Lane> =
                suspects.iter().filter(|s| s.0 == k).map(|s| s.2).collect();
            of_site.sort();
            of_site.dedup();
            for lane in of_site {
                for value in [0.0, 1.5, -2.5, 3e30, -3e30, 1e-30] {
                    if let Some(offset) = self.lane_offset(lane) {
                        trial.spoofs.push((offset, number_bytes(value, lane.bits())));
                        trial_lanes.push(lane);
                    }
                }
            }
            // A site without suspects is still passed, so that hits have the same numbers.
            trials.push(trial);
            lanes.push(trial_lanes);
        }
        let Walked { results, .. } = worker.walk(&trials, most_hits, self.outputs.len(), None)?;
        let mut unchanged = BTreeMap::<(u64, Lane), u32>::new();
        for result in results {
            let same = result.ending.ended == Ended::Clean && result.ending.outputs == self.base;
            if same {
                *unchanged.entry((result.hit, lanes[result.site][result.spoof])).or_default() += 1;
            }
        }
        let mut used = BTreeSet::new();
        for (_, hit, lane, _, _, _) in suspects {
            if unchanged.get(&(*hit, *lane)).copied().unwrap_or(0) < 6 {
                used.insert((*hit, *lane));
            }
        }
        Ok(used)
    }

    /// The site of every hit, in order.
    fn hit_order(
        &self,
        worker: &mut Worker,
        sites: &[Sited],
        most_hits: u64,
    ) -> Result<Vec<usize>, Gone> {
        // What is spoofed back is what was there before the call: nothing changes that matters,
        // but every hit answers.
        let trials: Vec<Site> = sites
            .iter()
            .map(|sited| Site { spoofs: vec![(152, vec![0; 8])], ..sited.site })
            .collect();
        let Walked { results, .. } = worker.walk(&trials, most_hits, self.outputs.len(), None)?;
        let most = results.iter().map(|result| result.hit + 1).max().unwrap_or(0);
        let mut order = vec![usize::MAX; most as usize];
        for result in results {
            order[result.hit as usize] = result.site;
        }
        Ok(order)
    }
}
