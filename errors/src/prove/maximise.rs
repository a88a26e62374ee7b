//! The largest value of a bound over a box: interval branch and bound with a certificate.
//!
//! The box with the largest upper bound is split until that bound is close to a value that is
//! attained somewhere, or the effort is spent. What comes out is sound at any time: the parts cover
//! the whole box, and the largest of their bounds bounds all. [`Certificate::check`] says so again
//! from the record of splits, by other code than that which made it.

use crate::interval::Interval;
use crate::prove::facts::Trouble;
use nanoscope_search::Budget;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What is maximised.
pub trait Objective {
    /// Bounds the objective on a box from above. None: the box holds no admitted point.
    fn above(&mut self, sides: &[Interval]) -> Option<Above>;
    /// Which sides hold integers only.
    fn integer(&self, side: usize) -> bool;
    /// How many sides may be split, from the first.
    fn splittable(&self) -> usize;
    /// How many boxes are worth looking at where little is to be expected of more work.
    fn hopeless(&self) -> Option<usize> {
        None
    }
    /// Whether what matters near 0 is how near: sides that end at 0 are split far from their
    /// middles.
    fn is_relative(&self) -> bool {
        false
    }
}

/// An upper bound on a box.
#[derive(Clone, Debug)]
pub struct Above {
    /// The bound; infinite with `trouble`.
    pub bound: f64,
    /// How much each side matters; as long as there are sides that may be split.
    pub weights: Vec<f64>,
    /// Why there is none.
    pub trouble: Option<Trouble>,
}

/// How hard to try.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many boxes to look at.
    pub boxes: usize,
    /// When the bound is near enough to a value that is attained: a relative difference.
    pub tolerance: f64,
}

/// The maximum, from both sides.
#[derive(Clone, Debug)]
pub struct Maximum {
    /// No admitted point has more.
    pub upper: f64,
    /// Some point has so much.
    pub lower: f64,
    /// That point.
    pub point: Vec<f64>,
    /// Why `upper` is infinite.
    pub trouble: Option<Trouble>,
    /// Boxes looked at.
    pub boxes: usize,
    /// The splits.
    pub certificate: Certificate,
}

/// A record of splits: how a box was taken apart, and the bound of each part.
#[derive(Clone, Debug, Default)]
pub struct Certificate {
    cells: Vec<Cell>,
}

#[derive(Clone, Debug)]
enum Cell {
    Leaf { upper: f64 },
    Split { side: u32, below: f64, above: f64, parts: (u32, u32) },
}

impl Certificate {
    /// Walks down from the whole box and checks that the parts cover it and that no part's bound
    /// is above the claimed one. Returns the number of parts.
    pub fn check(
        &self,
        whole: &[Interval],
        integer: impl Fn(usize) -> bool,
        claimed: f64,
    ) -> Result<usize, String> {
        let mut leaves = 0;
        let mut pending = vec![(0u32, whole.to_vec())];
        while let Some((cell, sides)) = pending.pop() {
            match self.cells.get(cell as usize) {
                None => return Err(format!("part {cell} is missing")),
                Some(&Cell::Leaf { upper }) => {
                    leaves += 1;
                    if upper.is_nan() || upper > claimed {
                        return Err(format!("a part has bound {upper} above {claimed}"));
                    }
                }
                Some(&Cell::Split { side, below, above, parts }) => {
                    let side = side as usize;
                    let cut = sides[side];
                    let covered = above <= below
                        || integer(side) && below.fract() == 0.0 && above <= below + 1.0;
                    if !covered || below < cut.lo || above > cut.hi {
                        return Err(format!(
                            "a split of {cut:?} at {below} and {above} leaves a gap"
                        ));
                    }
                    let (mut left, mut right) = (sides.clone(), sides);
                    left[side] = Interval { lo: cut.lo, hi: below };
                    right[side] = Interval { lo: above, hi: cut.hi };
                    pending.push((parts.0, left));
                    pending.push((parts.1, right));
                }
            }
        }
        Ok(leaves)
    }
}

struct Part {
    bound: f64,
    order: u32,
    cell: u32,
    depth: u32,
    sides: Vec<Interval>,
    weights: Vec<f64>,
    trouble: Option<Trouble>,
}

impl PartialEq for Part {
    fn eq(&self, other: &Part) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Part {}
impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Part) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Part {
    fn cmp(&self, other: &Part) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.order.cmp(&self.order))
    }
}

/// A part that has no bound after so many splits is given up.
const TROUBLE_DEPTH: u32 = 200;

/// Maximises over a box.
pub fn maximise(
    objective: &mut impl Objective,
    whole: &[Interval],
    effort: Effort,
    budget: &Budget,
) -> Maximum {
    let mut search = BranchAndBound {
        objective,
        whole: whole.to_vec(),
        heap: BinaryHeap::new(),
        certificate: Certificate::default(),
        lower: 0.0,
        point: whole.iter().map(|side| side.middle()).collect(),
        boxes: 0,
        settled: 0.0,
        trouble: None,
    };
    search.add(whole.to_vec(), 0, None);
    search.run(effort, budget);
    search.finish()
}

struct BranchAndBound<'o, O: Objective> {
    objective: &'o mut O,
    whole: Vec<Interval>,
    heap: BinaryHeap<Part>,
    certificate: Certificate,
    lower: f64,
    point: Vec<f64>,
    boxes: usize,
    /// The largest bound of parts that cannot be split.
    settled: f64,
    trouble: Option<Trouble>,
}

impl<O: Objective> BranchAndBound<'_, O> {
    /// Adds a part, unless no point in it is admitted.
    fn add(&mut self, sides: Vec<Interval>, depth: u32, parent: Option<f64>) -> u32 {
        let cell = self.certificate.cells.len() as u32;
        self.boxes += 1;
        let Some(above) = self.objective.above(&sides) else {
            self.certificate.cells.push(Cell::Leaf { upper: 0.0 });
            return cell;
        };
        let bound = if above.bound.is_nan() { f64::INFINITY } else { above.bound };
        // A part of a box cannot have more than the box.
        let bound = parent.map_or(bound, |parent| bound.min(parent));
        self.certificate.cells.push(Cell::Leaf { upper: bound });
        self.heap.push(Part {
            bound,
            order: cell,
            cell,
            depth,
            sides,
            weights: above.weights,
            trouble: above.trouble,
        });
        cell
    }

    /// Looks at a single point.
    fn probe(&mut self, point: &[f64]) {
        let sides: Vec<Interval> = point.iter().map(|&x| Interval::point(x)).collect();
        self.boxes += 1;
        if let Some(above) = self.objective.above(&sides)
            && above.bound > self.lower
        {
            self.lower = above.bound;
            self.point = point.to_vec();
            if above.bound == f64::INFINITY {
                self.trouble = above.trouble;
            }
        }
    }

    /// Climbs from a point, a side at a time, to its ends and middles.
    fn climb(&mut self, start: &[f64]) {
        let mut best = start.to_vec();
        self.probe(&best);
        for _ in 0..2 {
            for side in 0..self.objective.splittable().min(self.whole.len()) {
                let Interval { lo, hi } = self.whole[side];
                for candidate in [lo, hi] {
                    let before = self.lower;
                    let mut point = best.clone();
                    point[side] = candidate;
                    self.probe(&point);
                    if self.lower > before {
                        best = point;
                    }
                }
            }
        }
    }

    fn run(&mut self, effort: Effort, budget: &Budget) {
        if !self.whole.iter().all(|side| side.is_finite()) {
            return;
        }
        let middle = self.point.clone();
        if effort.boxes > 1 {
            self.climb(&middle);
        }
        let mut turns = 0u32;
        while self.boxes < effort.boxes && self.lower < f64::INFINITY {
            if self.objective.hopeless().is_some_and(|most| self.boxes >= most) {
                break;
            }
            turns += 1;
            if turns.is_multiple_of(8) && budget.exhausted() {
                break;
            }
            let Some(part) = self.heap.peek() else { break };
            let upper = part.bound.max(self.settled);
            if upper <= self.lower * (1.0 + effort.tolerance) || part.bound <= self.settled {
                break;
            }
            let part = self.heap.pop().expect("it was there");
            let hopeless = part.bound == f64::INFINITY && part.depth > TROUBLE_DEPTH;
            match (hopeless, self.cut(&part)) {
                (false, Some((side, below, above))) => self.split(part, side, below, above),
                _ => {
                    self.settled = self.settled.max(part.bound);
                    if part.bound == f64::INFINITY {
                        self.trouble = part.trouble;
                        break;
                    }
                }
            }
        }
    }

    fn split(&mut self, part: Part, side: usize, below: f64, above: f64) {
        let (mut left, mut right) = (part.sides.clone(), part.sides);
        left[side].hi = below;
        right[side].lo = above;
        let probe = |sides: &[Interval]| -> Vec<f64> { sides.iter().map(|s| s.middle()).collect() };
        let points = [probe(&left), probe(&right)];
        let depth = part.depth + 1;
        let first = self.add(left, depth, Some(part.bound));
        let second = self.add(right, depth, Some(part.bound));
        self.certificate.cells[part.cell as usize] =
            Cell::Split { side: side as u32, below, above, parts: (first, second) };
        // Points are worth a look where the bound says that there is more.
        for (cell, point) in [first, second].into_iter().zip(points) {
            if let Cell::Leaf { upper } = self.certificate.cells[cell as usize]
                && upper > self.lower
                && (depth < 12 || depth.is_multiple_of(4))
            {
                let point: Vec<f64> = point
                    .into_iter()
                    .enumerate()
                    .map(|(j, x)| if self.objective.integer(j) { x.round() } else { x })
                    .collect();
                self.probe(&point);
            }
        }
    }

    /// Where to split a part: the side that matters most.
    fn cut(&self, part: &Part) -> Option<(usize, f64, f64)> {
        let mut best: Option<(f64, usize, f64, f64)> = None;
        for (side, &weight) in part.weights.iter().enumerate() {
            let Interval { lo, hi } = part.sides[side];
            let (below, above) = if self.objective.integer(side) {
                if hi - lo < 1.0 {
                    continue;
                }
                let below = part.sides[side].middle().floor().max(lo.ceil());
                (below, below + 1.0)
            } else {
                let near_zero = self.objective.is_relative().then(|| near_zero(lo, hi)).flatten();
                let middle = near_zero.unwrap_or_else(|| split_point(lo, hi));
                if middle <= lo || middle >= hi {
                    continue;
                }
                (middle, middle)
            };
            if above > hi {
                continue;
            }
            let whole = self.whole[side].width();
            let share = if whole > 0.0 { (hi - lo) / whole } else { 0.0 };
            // With no bound there are no weights: the widest side goes first.
            let score = if part.bound == f64::INFINITY {
                share
            } else {
                weight + part.bound * share * 1e-3
            };
            if best.is_none_or(|(known, ..)| score > known) {
                best = Some((score, side, below, above));
            }
        }
        best.map(|(_, side, below, above)| (side, below, above))
    }

    fn finish(self) -> Maximum {
        let top = self.heap.peek();
        let rest = top.map_or(0.0, |part| part.bound);
        let upper = rest.max(self.settled).max(self.lower);
        let trouble = if upper == f64::INFINITY {
            self.trouble.or_else(|| top.and_then(|part| part.trouble))
        } else {
            None
        };
        let certificate = self.certificate;
        Maximum {
            upper,
            lower: self.lower,
            point: self.point,
            trouble,
            boxes: self.boxes,
            certificate,
        }
    }
}

/// Of an interval that ends at 0, a point much nearer to 0 than its other end.
fn near_zero(lo: f64, hi: f64) -> Option<f64> {
    let end = if lo == 0.0 { hi } else { lo };
    let point = end * 2f64.powi(-64);
    let ends_there = (lo == 0.0) != (hi == 0.0);
    (ends_there && point != 0.0 && point.is_finite()).then_some(point)
}

/// The middle; of an interval that spans many binades on one side of 0, the geometric one, and of
/// one around 0, 0.
fn split_point(lo: f64, hi: f64) -> f64 {
    if lo < 0.0 && hi > 0.0 && (lo.abs() > 0.01 * hi) && (hi > 0.01 * lo.abs()) {
        return 0.0;
    }
    let (small, large) = (lo.abs().min(hi.abs()), lo.abs().max(hi.abs()));
    if (lo > 0.0 || hi < 0.0) && large > 16.0 * small {
        let root = small.sqrt() * large.sqrt();
        return if lo < 0.0 { -root } else { root };
    }
    0.5 * lo + 0.5 * hi
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x y (1 - x)` on a box, by intervals.
    struct Hill;

    impl Objective for Hill {
        fn above(&mut self, sides: &[Interval]) -> Option<Above> {
            let [x, y] = [sides[0], sides[1]];
            let value = x * y * (Interval::point(1.0) - x);
            Some(Above { bound: value.hi, weights: vec![x.width(), y.width()], trouble: None })
        }
        fn integer(&self, _: usize) -> bool {
            false
        }
        fn splittable(&self) -> usize {
            2
        }
    }

    #[test]
    fn finds_a_maximum_and_certifies_it() {
        let whole = [Interval::new(0.0, 1.0), Interval::new(0.0, 2.0)];
        let effort = Effort { boxes: 5000, tolerance: 1e-3 };
        let maximum = maximise(&mut Hill, &whole, effort, &Budget::unlimited());
        assert!(maximum.upper >= 0.5 && maximum.upper <= 0.51, "{}", maximum.upper);
        assert!(maximum.lower <= maximum.upper && maximum.lower > 0.49);
        let parts = maximum.certificate.check(&whole, |_| false, maximum.upper).unwrap();
        assert!(parts > 10);
        assert!(maximum.certificate.check(&whole, |_| false, 0.4).is_err());
    }
}
