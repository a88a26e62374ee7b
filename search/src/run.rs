//! A run: a few points drawn one behind the other in the same way.
//!
//! Whose point is changed, on which axis and by what kind of move is decided once a run;
//! what is left for each point is a step of random length in a short loop, which a
//! processor foresees. `cargo bench` tells what that is worth.

/// Points in a run at most.
pub(crate) const RUN: usize = 32;

/// A batch so small is one of long evaluations, beside which drawing costs nothing.
const SMALL: usize = 256;

/// How many points of a batch to draw in one run: fewer where a batch is shared by many
/// goals, and single ones where it is small, or chance would have too few choices in it.
pub(crate) fn length(batch: usize, goals: usize) -> usize {
    let least = if batch < SMALL { 1 } else { RUN / 4 };
    (batch / 128.max(4 * goals)).clamp(least, RUN)
}

/// Up to [`RUN`] points in a row.
pub(crate) struct Run<'a> {
    words: &'a mut [u64],
    stride: usize,
}

impl<'a> Run<'a> {
    /// The points of so many words each that a slice holds; at least one word.
    pub(crate) fn new(words: &'a mut [u64], stride: usize) -> Run<'a> {
        debug_assert!(words.len() <= RUN * stride);
        Run { words, stride }
    }

    /// How many points there are.
    pub(crate) fn len(&self) -> usize {
        self.words.len() / self.stride
    }

    /// Its points.
    #[inline]
    pub(crate) fn points(&mut self) -> std::slice::ChunksExactMut<'_, u64> {
        self.words.chunks_exact_mut(self.stride)
    }

    /// All points but the first.
    pub(crate) fn rest(&mut self) -> Run<'_> {
        let first = self.stride.min(self.words.len());
        Run { words: &mut self.words[first..], stride: self.stride }
    }

    /// Makes every point a copy of this one, twice as many with every stroke: copying
    /// one by one would call `memcpy` for each.
    pub(crate) fn repeat(&mut self, point: &[u64]) {
        if self.words.is_empty() {
            return;
        }
        self.words[..self.stride].copy_from_slice(point);
        let mut done = self.stride;
        while done < self.words.len() {
            let more = done.min(self.words.len() - done);
            self.words.copy_within(..more, done);
            done += more;
        }
    }
}
