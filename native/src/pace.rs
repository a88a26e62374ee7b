//! How much a batch is given to do. Most runs of most functions end after few iterations of
//! their loops; where they do not, long runs would eat the time of all others. So most
//! batches have little fuel for each run, some have more and few have all; and where runs
//! are long, batches are short, so that the search learns and the clock is looked at as often
//! as elsewhere. Where little fuel lets next to no run end, batches have more from then on. All by
//! counting, no clock: the same search takes the same course.

use std::collections::VecDeque;

/// The fuel of the batches, in turn: of all there is, a part of 2^-n.
const TURNS: [u32; 16] = [10, 7, 10, 5, 10, 7, 10, 3, 10, 7, 10, 5, 10, 7, 10, 0];

/// Iterations that a batch should not take more of: some milliseconds.
const WORK: u64 = 400_000;

/// Iterations that every run may take.
const LEAST: i64 = 64;

/// Points that even the longest runs leave to a batch.
const FEWEST: u64 = 8;

/// A part of the fuel is too little if of so many runs all but one in sixteen ran out of it.
const TRIED: u64 = 64;

/// The course of the batches of a search.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    begun: usize,
    /// The parts of the batches that run, the oldest first.
    running: VecDeque<u32>,
    /// For every part, the iterations and the runs of what was finished.
    burnt: [(u64, u64); 11],
    /// For every part, the runs and those that ran out of fuel.
    ended_early: [(u64, u64); 11],
}

impl Pace {
    /// Iterations after which a batch ends, if its runs are far longer than those before.
    pub(crate) const MOST: u64 = 4 * WORK;

    /// How many points the next batch may have.
    pub(crate) fn room(&self, fuel: i64) -> usize {
        let part = self.part();
        // Of what has not been run the worst is expected, but for the first look.
        let (burnt, runs) = match self.burnt[part as usize] {
            (_, 0) if part == TURNS[0] => return 256,
            (_, 0) => (amount(fuel, part) as u64, 1),
            known => known,
        };
        let each = (burnt / runs).max(1);
        (WORK / each).max(FEWEST) as usize
    }

    /// A batch begins: how much fuel its runs have.
    pub(crate) fn begin(&mut self, fuel: i64) -> i64 {
        let part = self.part();
        self.begun += 1;
        self.running.push_back(part);
        amount(fuel, part)
    }

    /// The oldest batch ended, `stopped` of its runs early. Whether they had all the fuel.
    pub(crate) fn finished(&mut self, runs: u64, burnt: u64, stopped: u64) -> bool {
        let part = self.running.pop_front().unwrap_or_default() as usize;
        let known = &mut self.burnt[part];
        // What is long ago counts for less.
        *known = (known.0 / 2 + burnt, known.1 / 2 + runs);
        let (all, early) = &mut self.ended_early[part];
        (*all, *early) = (*all + runs, *early + stopped);
        part == 0
    }

    /// The next batch's part: its turn's, or the next larger that lets runs end.
    fn part(&self) -> u32 {
        let turn = TURNS[self.begun % TURNS.len()];
        let is_enough = |part: &u32| {
            let (all, early) = self.ended_early[*part as usize];
            all < TRIED || early < all - all / 16
        };
        (1..=turn).rev().filter(|part| TURNS.contains(part)).find(is_enough).unwrap_or(0)
    }
}

/// A part of the fuel, never none.
fn amount(fuel: i64, part: u32) -> i64 {
    (fuel >> part).max(fuel.min(LEAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_make_short_batches() {
        let mut pace = Pace::default();
        assert_eq!(pace.room(100_000), 256);
        let fuels: Vec<i64> = (0..16).map(|_| pace.begin(100_000)).collect();
        assert_eq!(fuels[..8], [97, 781, 97, 3125, 97, 781, 97, 12_500]);
        assert_eq!(fuels[8..], [97, 781, 97, 3125, 97, 781, 97, 100_000]);
        for _ in 0..16 {
            pace.finished(100, 100, 0);
        }
        assert!(pace.room(100_000) > 4096);
        for _ in 0..16 {
            pace.begin(100_000);
            pace.finished(100, 300_000, 0);
        }
        assert!((FEWEST as usize..1000).contains(&pace.room(100_000)));
    }

    #[test]
    fn too_little_fuel_is_not_given_again() {
        let mut pace = Pace::default();
        // Every run takes 500 iterations.
        let mut given = Vec::new();
        for _ in 0..32 {
            let fuel = pace.begin(100_000);
            let all =
                pace.finished(100, 100 * fuel.min(500) as u64, if fuel < 500 { 100 } else { 0 });
            assert_eq!(all, fuel == 100_000);
            given.push(fuel);
        }
        assert_eq!(given.iter().filter(|&&fuel| fuel < 500).count(), 1, "{given:?}");
    }

    #[test]
    fn little_fuel_is_not_shared() {
        let mut pace = Pace::default();
        assert!((0..16).all(|_| pace.begin(60) == 60));
    }
}
