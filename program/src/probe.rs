//! Probes: what an instrumented site reports, and how far that is from each goal.

/// The meaning of every probe of an instrumented library.
#[derive(Clone, Debug, Default)]
pub struct Probes {}

impl Probes {
    /// Tells for each goal of `site` how far the observed execution was from it;
    /// 0 is a hit. `record` holds the operands, then the result, two words each.
    pub fn observe(&self, _site: u32, _record: *const u64, _each: &mut dyn FnMut(usize, u64)) {}

    /// The value of `nanoscope_cutoffs[goal]` that lets through only executions
    /// that may come nearer than `best`. `best == 0`: none.
    pub fn cutoff(&self, _goal: usize, best: u64) -> u64 {
        best
    }
}
