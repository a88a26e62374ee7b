//! How much a batch is given to do. Most runs of most functions end after few iterations of
//! their loops; where they do not, long runs would eat the time of all others. So most
//! batches have little fuel for each run, some have more and few have all; and where runs
//! are long, batches are short, so that the search learns and the clock is looked at as often
//! as elsewhere. All by counting, no clock: the same search takes the same course.

/// The fuel of the batches, in turn: of all there is, a part of 2^-n.
const TURNS: [u32; 16] = [10, 7, 10, 5, 10, 7, 10, 3, 10, 7, 10, 5, 10, 7, 10, 0];

/// Iterations that a batch should not take more of: some milliseconds.
const WORK: u64 = 400_000;

/// Iterations that every run may take.
const LEAST: i64 = 64;

/// Points that even the longest runs leave to a batch.
const FEWEST: u64 = 8;

/// The course of the batches of a search.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    begun: usize,
    finished: usize,
    /// For every part, the iterations and the runs of what was finished.
    burnt: [(u64, u64); 11],
}

impl Pace {
    /// Iterations after which a batch ends, if its runs are far longer than those before.
    pub(crate) const MOST: u64 = 4 * WORK;

    /// How many points the next batch may have.
    pub(crate) fn room(&self, fuel: i64) -> usize {
        let part = TURNS[self.begun % TURNS.len()];
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
        let part = TURNS[self.begun % TURNS.len()];
        self.begun += 1;
        amount(fuel, part)
    }

    /// The oldest batch ended.
    pub(crate) fn finished(&mut self, runs: u64, burnt: u64) {
        let part = TURNS[self.finished % TURNS.len()] as usize;
        self.finished += 1;
        let known = &mut self.burnt[part];
        // What is long ago counts for less.
        *known = (known.0 / 2 + burnt, known.1 / 2 + runs);
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
            pace.finished(100, 100);
        }
        assert!(pace.room(100_000) > 4096);
        for _ in 0..16 {
            pace.finished(100, 300_000);
        }
        assert!((FEWEST as usize..1000).contains(&pace.room(100_000)));
    }

    #[test]
    fn little_fuel_is_not_shared() {
        let mut pace = Pace::default();
        assert!((0..16).all(|_| pace.begin(60) == 60));
    }
}
