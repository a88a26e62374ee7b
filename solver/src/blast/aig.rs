//! The and-inverter graph: every circuit is made of two-input conjunctions and
//! negated edges.
//!
//! Structural hashing makes equal gates one, and the local two-level rules
//! (Brummayer and Biere, "Local Two-Level And-Inverter Graph Minimization
//! without Blowup", 2006) fold what hashing alone does not see. A node's
//! fan-ins come before it, so ascending order is topological.

use super::Reason;
use super::sat::reason_of;
use nanoscope_budget::Budget;
use std::fmt;
use std::ops::Not;
use std::time::Duration;

/// How multipliers are shaped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Multiplier {
    /// A row of adders for every bit of an operand.
    Rows,
    /// Columns compressed three to two until two rows are left (Dadda). No more
    /// gates than rows and less deep; where path conditions with products were
    /// measured, refutations took fewer conflicts (`examples/blast_files.rs`).
    #[default]
    Columns,
}

/// Choices of shape that measurements decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tuning {
    /// How multipliers are shaped.
    pub multiplier: Multiplier,
}

/// An edge to a node, its lowest bit telling whether it is negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The constant false.
    pub const FALSE: Lit = Lit(0);
    /// The constant true.
    pub const TRUE: Lit = Lit(1);

    /// The constant of this value.
    pub const fn known(value: bool) -> Lit {
        Lit(value as u32)
    }

    /// The edge to `node`, not negated.
    pub(super) const fn of(node: usize) -> Lit {
        Lit((node as u32) << 1)
    }

    /// The node it leads to.
    pub const fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is negated.
    pub const fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Its value if it is a constant.
    pub const fn value(self) -> Option<bool> {
        if self.0 < 2 { Some(self.0 == 1) } else { None }
    }

    /// Negated if `negate`.
    pub const fn xor_sign(self, negate: bool) -> Lit {
        Lit(self.0 ^ negate as u32)
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.negated() { "!" } else { "" }, self.node())
    }
}

/// Marks the fan-ins of an input.
const INPUT: Lit = Lit(u32::MAX);

/// How many gates are asked for between two looks at the budget. Those that
/// are there already count too: a circuit begun in an earlier slice is built
/// again from its first gate on.
const GATES_PER_LOOK: u32 = 1 << 12;

/// How long it takes to hash a gate anew, where the table is in no cache.
const TIME_TO_MOVE_A_GATE: Duration = Duration::from_nanos(20);

/// The graph.
///
/// It can be told how far it may grow. Beyond that no gate is made, whatever
/// was asked for is meaningless, and [`Aig::overgrown`] says so.
pub struct Aig {
    fanins: Vec<[Lit; 2]>,
    inputs: Vec<Lit>,
    /// Open addressing by fan-ins; zero, the constant's node, is an empty slot.
    table: Vec<u32>,
    most_nodes: usize,
    budget: Budget,
    until_look: u32,
    stopped: bool,
    pub(super) tuning: Tuning,
}

impl Default for Aig {
    fn default() -> Aig {
        Aig::new()
    }
}

impl Aig {
    /// An empty graph.
    pub fn new() -> Aig {
        Aig::with_tuning(Tuning::default())
    }

    /// An empty graph with circuits shaped so.
    pub fn with_tuning(tuning: Tuning) -> Aig {
        Aig {
            fanins: vec![[INPUT, INPUT]],
            inputs: Vec::new(),
            table: vec![0; 1 << 10],
            most_nodes: u32::MAX as usize >> 2,
            budget: Budget::unlimited(),
            until_look: GATES_PER_LOOK,
            stopped: false,
            tuning,
        }
    }

    /// Bounds the number of nodes, and the time to make them in.
    pub fn bound(&mut self, most_nodes: usize, budget: &Budget) {
        self.most_nodes = most_nodes.min(u32::MAX as usize >> 2);
        self.budget = budget.clone();
        self.stopped = budget.exhausted();
        self.until_look = GATES_PER_LOOK;
    }

    /// Whether gates were refused since the last [`Aig::bound`].
    pub fn overgrown(&self) -> bool {
        self.stopped
    }

    /// What made it refuse gates.
    pub fn why_overgrown(&self) -> Reason {
        if self.fanins.len() >= self.most_nodes { Reason::Memory } else { reason_of(&self.budget) }
    }

    /// The number of nodes: the constant, inputs and gates.
    pub fn nodes(&self) -> usize {
        self.fanins.len()
    }

    /// The number of gates.
    pub fn gates(&self) -> usize {
        self.fanins.len() - 1 - self.inputs.len()
    }

    /// How many gates these outputs depend on.
    pub fn cone(&self, outputs: &[Lit]) -> usize {
        let mut seen = vec![false; self.nodes()];
        let mut pending: Vec<usize> = outputs.iter().map(|lit| lit.node()).collect();
        let mut gates = 0;
        while let Some(node) = pending.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            if let Some([a, b]) = self.gate(node) {
                gates += 1;
                pending.extend([a.node(), b.node()]);
            }
        }
        gates
    }

    /// The fan-ins of a node, if it is a gate.
    pub fn gate(&self, node: usize) -> Option<[Lit; 2]> {
        let fanins = self.fanins[node];
        (fanins[0] != INPUT).then_some(fanins)
    }

    /// The fan-ins of the gate behind a literal, whatever its sign.
    fn behind(&self, lit: Lit) -> Option<[Lit; 2]> {
        self.gate(lit.node())
    }

    /// A new input.
    pub fn input(&mut self) -> Lit {
        let node = self.fanins.len();
        self.fanins.push([INPUT, INPUT]);
        self.inputs.push(Lit::of(node));
        Lit::of(node)
    }

    /// All inputs in the order of their making.
    pub fn input_literals(&self) -> &[Lit] {
        &self.inputs
    }

    /// The conjunction.
    pub fn and(&mut self, mut a: Lit, mut b: Lit) -> Lit {
        if self.stopped {
            return Lit::FALSE;
        }
        loop {
            if a > b {
                std::mem::swap(&mut a, &mut b);
            }
            if a == Lit::FALSE || a == !b {
                return Lit::FALSE;
            }
            if a == Lit::TRUE || a == b {
                return b;
            }
            match self.simplified(a, b) {
                Simpler::Is(lit) => return lit,
                Simpler::And(c, d) => (a, b) = (c, d),
                Simpler::No => return self.gate_of(a, b),
            }
        }
    }

    /// The two-level rules.
    fn simplified(&self, a: Lit, b: Lit) -> Simpler {
        let (inside_a, inside_b) = (self.behind(a), self.behind(b));
        for (gate, inside, other) in [(a, inside_a, b), (b, inside_b, a)] {
            let Some([x, y]) = inside else { continue };
            if gate.negated() {
                // !(x & y) & !x = !x
                if x == !other || y == !other {
                    return Simpler::Is(other);
                }
                // !(x & y) & x = x & !y
                if x == other {
                    return Simpler::And(other, !y);
                }
                if y == other {
                    return Simpler::And(other, !x);
                }
            } else {
                // (x & y) & !x = 0
                if x == !other || y == !other {
                    return Simpler::Is(Lit::FALSE);
                }
                // (x & y) & x = x & y
                if x == other || y == other {
                    return Simpler::Is(gate);
                }
            }
        }
        let (Some([p, q]), Some([s, t])) = (inside_a, inside_b) else { return Simpler::No };
        let opposite = p == !s || p == !t || q == !s || q == !t;
        match (a.negated(), b.negated()) {
            (false, false) => {
                // (p & q) & (!p & t) = 0
                if opposite {
                    return Simpler::Is(Lit::FALSE);
                }
                // (p & q) & (p & t) = (p & q) & t
                if p == s || q == s {
                    return Simpler::And(a, t);
                }
                if p == t || q == t {
                    return Simpler::And(a, s);
                }
            }
            (true, false) => return negative_with_positive([p, q], b, [s, t], opposite),
            (false, true) => return negative_with_positive([s, t], a, [p, q], opposite),
            (true, true) => {
                // !(p & q) & !(p & !q) = !p
                let pairs = [(p, q, s, t), (p, q, t, s), (q, p, s, t), (q, p, t, s)];
                for (common, rest, other_common, other_rest) in pairs {
                    if common == other_common && rest == !other_rest {
                        return Simpler::Is(!common);
                    }
                }
            }
        }
        Simpler::No
    }

    fn gate_of(&mut self, a: Lit, b: Lit) -> Lit {
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = GATES_PER_LOOK;
            self.stopped = self.budget.exhausted();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(a, b) & mask;
        loop {
            match self.table[slot] as usize {
                0 => break,
                node if self.fanins[node] == [a, b] => return Lit::of(node),
                _ => slot = (slot + 1) & mask,
            }
        }
        let node = self.fanins.len();
        if self.stopped || node >= self.most_nodes {
            self.stopped = true;
            return Lit::FALSE;
        }
        self.fanins.push([a, b]);
        self.table[slot] = node as u32;
        if 2 * self.gates() > self.table.len() {
            self.grow();
        }
        Lit::of(node)
    }

    fn grow(&mut self) {
        // All gates are moved at once, which a deadline must leave time for.
        let time = TIME_TO_MOVE_A_GATE * self.gates() as u32;
        if self.budget.remaining().is_some_and(|remaining| remaining < time) {
            self.stopped = true;
            return;
        }
        let mask = 2 * self.table.len() - 1;
        let mut table = vec![0; mask + 1];
        for (node, &[a, b]) in self.fanins.iter().enumerate() {
            if a == INPUT {
                continue;
            }
            let mut slot = hash(a, b) & mask;
            while table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            table[slot] = node as u32;
        }
        self.table = table;
    }

    /// The disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// The exclusive disjunction: `!(a & b) & !(!a & !b)` of edges without
    /// sign, so that it is one gate however its operands are negated.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let sign = a.negated() ^ b.negated();
        let (a, b) = (a.xor_sign(a.negated()), b.xor_sign(b.negated()));
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither).xor_sign(sign)
    }

    /// `then` if `condition`, else `otherwise`.
    pub fn mux(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if then == otherwise {
            return then;
        }
        if then == !otherwise {
            return self.xor(condition, otherwise);
        }
        // Without a sign on the condition, so that both readings share gates.
        let (condition, then, otherwise) = if condition.negated() {
            (!condition, otherwise, then)
        } else {
            (condition, then, otherwise)
        };
        let then = self.and(condition, then);
        let otherwise = self.and(!condition, otherwise);
        self.or(then, otherwise)
    }

    /// If the node is an exclusive disjunction, of what.
    pub fn as_xor(&self, node: usize) -> Option<[Lit; 2]> {
        let [[p, q], [s, t]] = self.negated_pair(node)?;
        ((s == !p && t == !q) || (s == !q && t == !p)).then_some([p, q])
    }

    /// If the node is a choice, its condition and what it chooses from.
    pub fn as_mux(&self, node: usize) -> Option<[Lit; 3]> {
        let [[p, q], [s, t]] = self.negated_pair(node)?;
        if p == !s {
            Some([p, !q, !t])
        } else if p == !t {
            Some([p, !q, !s])
        } else if q == !s {
            Some([q, !p, !t])
        } else if q == !t {
            Some([q, !p, !s])
        } else {
            None
        }
    }

    /// If the node is a negated carry, `!(a & b) & !((a ^ b) & c)`, of what:
    /// it is the negated majority of three.
    pub fn as_no_majority(&self, node: usize) -> Option<[Lit; 3]> {
        let [first, second] = self.negated_pair(node)?;
        self.carry(first, second).or_else(|| self.carry(second, first))
    }

    /// Whether `a & b` and `half & c` make a carry.
    fn carry(&self, [a, b]: [Lit; 2], through: [Lit; 2]) -> Option<[Lit; 3]> {
        let [x, y] = through;
        [(x, y), (y, x)].into_iter().find_map(|(half, c)| {
            let [p, q] = self.as_xor(half.node())?;
            let p = p.xor_sign(half.negated());
            let matches = [(p, q), (q, p), (!p, !q), (!q, !p)].contains(&(a, b));
            matches.then_some([a, b, c])
        })
    }

    /// The fan-ins of both gates below a node whose fan-ins are both negated.
    fn negated_pair(&self, node: usize) -> Option<[[Lit; 2]; 2]> {
        let [a, b] = self.gate(node)?;
        if !a.negated() || !b.negated() {
            return None;
        }
        Some([self.behind(a)?, self.behind(b)?])
    }

    /// The value of every node, 64 patterns at once; `inputs` gives those of
    /// the inputs in the order of their making.
    pub fn simulate(&self, inputs: &[u64]) -> Simulation {
        assert_eq!(inputs.len(), self.inputs.len(), "a pattern for every input");
        let mut inputs = inputs.iter();
        let mut values = Vec::with_capacity(self.nodes());
        values.push(0u64);
        for &[a, b] in &self.fanins[1..] {
            values.push(if a == INPUT {
                *inputs.next().expect("counted above")
            } else {
                look_up(&values, a) & look_up(&values, b)
            });
        }
        Simulation { values }
    }
}

/// What a conjunction turns out to be.
enum Simpler {
    Is(Lit),
    And(Lit, Lit),
    No,
}

/// `!(p & q) & (s & t)`, the latter being the gate `positive`.
fn negative_with_positive(
    [p, q]: [Lit; 2],
    positive: Lit,
    [s, t]: [Lit; 2],
    opposite: bool,
) -> Simpler {
    // !(p & q) & (!p & t) = !p & t
    if opposite {
        return Simpler::Is(positive);
    }
    // !(p & q) & (p & t) = (p & t) & !q
    if p == s || p == t {
        return Simpler::And(positive, !q);
    }
    if q == s || q == t {
        return Simpler::And(positive, !p);
    }
    Simpler::No
}

fn hash(a: Lit, b: Lit) -> usize {
    let both = (a.0 as u64) << 32 | b.0 as u64;
    (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 29) as usize
}

fn look_up(values: &[u64], lit: Lit) -> u64 {
    let value = values[lit.node()];
    if lit.negated() { !value } else { value }
}

/// The values of all nodes under 64 patterns.
pub struct Simulation {
    values: Vec<u64>,
}

impl Simulation {
    /// The values of a literal.
    pub fn of(&self, lit: Lit) -> u64 {
        look_up(&self.values, lit)
    }

    /// The values of a literal in the first pattern.
    pub fn first(&self, lit: Lit) -> bool {
        self.of(lit) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every formula of a few connectives over four inputs means what it says,
    /// whatever the rules made of it.
    #[test]
    fn rules_keep_the_meaning() {
        let patterns = [0xaaaa_aaaa, 0xcccc_cccc, 0xf0f0_f0f0, 0xff00_ff00u64];
        let mut aig = Aig::new();
        let inputs: Vec<Lit> = (0..4).map(|_| aig.input()).collect();
        let mut state = 1u64;
        let mut pool: Vec<(Lit, u64)> =
            inputs.iter().copied().zip(patterns.iter().map(|pattern| pattern & 0xffff)).collect();
        for _ in 0..20_000 {
            let mut pick = |bound: usize| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) as usize % bound
            };
            let (i, j, k) = (pick(pool.len()), pick(pool.len()), pick(pool.len()));
            let [(a, x), (b, y), (c, z)] = [pool[i], pool[j], pool[k]];
            let made = match pick(4) {
                0 => (aig.and(a, b), x & y),
                1 => (aig.xor(a, b), x ^ y),
                2 => (aig.mux(a, b, c), x & y | !x & z),
                _ => (!a, !x),
            };
            let slot = pick(40);
            let made = (made.0, made.1 & 0xffff);
            if slot + 4 < pool.len() {
                pool[slot + 4] = made
            } else {
                pool.push(made)
            }
            if let Some(value) = made.0.value() {
                assert_eq!(made.1, if value { 0xffff } else { 0 });
            }
        }
        let simulation = aig.simulate(&patterns);
        for (lit, value) in pool {
            assert_eq!(simulation.of(lit) & 0xffff, value);
        }
    }

    #[test]
    fn gates_are_recognised() {
        let mut aig = Aig::new();
        let [a, b, c] = [(); 3].map(|()| aig.input());
        let half = aig.xor(a, !b);
        assert_eq!(aig.as_xor(half.node()).map(|pair| pair.map(|lit| lit.node())), Some([1, 2]));
        let choice = aig.mux(a, b, c);
        // The gate is the choice negated: that between the negated branches.
        assert!(choice.negated());
        let shape = aig.as_mux(choice.node());
        assert!(shape == Some([a, !b, !c]) || shape == Some([!a, !c, !b]));
        let half = aig.xor(a, b);
        let (both, through) = (aig.and(a, b), aig.and(half, c));
        let carry = aig.or(both, through);
        assert_eq!(aig.as_no_majority(carry.node()), Some([a, b, c]));
    }

    #[test]
    fn growth_is_bounded() {
        let mut aig = Aig::new();
        let inputs: Vec<Lit> = (0..40).map(|_| aig.input()).collect();
        aig.bound(60, &Budget::unlimited());
        let mut last = inputs[0];
        for &input in &inputs[1..] {
            last = aig.and(last, input);
        }
        assert!(aig.overgrown() && aig.why_overgrown() == Reason::Memory && aig.nodes() == 60);
        aig.bound(1000, &Budget::unlimited());
        assert!(!aig.overgrown());
    }
}
