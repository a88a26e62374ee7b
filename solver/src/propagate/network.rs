//! Propagation: every term a domain, every operation a constraint between its
//! term and its arguments, worked off until nothing changes.
//!
//! Domains only shrink, and only by what no solution has, so stopping early is
//! sound: what is left still holds every solution. [`Network::push`] and
//! [`Network::pop`] take back what was learnt in between.

use super::constraint;
use super::domain::Domain;
use nanoscope_budget::Budget;
use nanoscope_term::{Op, Term, Terms};
use std::collections::VecDeque;

/// How propagation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagated {
    /// Nothing more follows, or only little by little.
    Settled,
    /// There is no solution.
    Contradiction,
    /// The budget ended; domains are as far as they got.
    Interrupted,
}

/// The terms below some assertions, with what is known of each.
pub struct Network<'a> {
    terms: &'a Terms,
    /// The terms, arguments before the terms that have them.
    nodes: Vec<Node>,
    /// Where a term is among the nodes, plus one; zero for terms not there.
    places: Vec<u32>,
    domains: Vec<Domain>,
    /// The constraints waiting, and which ones wait.
    waiting: VecDeque<u32>,
    waits: Vec<bool>,
    /// The domains as they were before they changed, since each `push`.
    trail: Vec<(u32, Domain)>,
    levels: Vec<usize>,
    /// At which level a node's domain was last put on the trail.
    saved: Vec<u64>,
    stamp: u64,
    contradiction: bool,
    /// How often a node shrank only a little since the work last began.
    creeping: Vec<u16>,
    projections: u64,
    scratch: Vec<Domain>,
}

struct Node {
    term: Term,
    op: Op,
    arguments: Vec<u32>,
    /// The nodes that have this one as an argument.
    users: Vec<u32>,
    /// Whether the last two arguments are one term.
    same: bool,
}

/// A node may shrink that often by less than a sixteenth before it no longer
/// wakes its neighbours.
const PATIENCE: u16 = 40;

impl<'a> Network<'a> {
    /// The network of the assertions, all of which are to be true. Nothing is
    /// propagated yet.
    pub fn new(terms: &'a Terms, assertions: &[Term]) -> Network<'a> {
        let below = terms.below(assertions);
        let mut places = vec![0u32; terms.len()];
        let mut nodes: Vec<Node> = Vec::with_capacity(below.len());
        let mut domains = Vec::with_capacity(below.len());
        for (place, term) in below.iter().enumerate() {
            places[term.index()] = place as u32 + 1;
            let arguments: Vec<u32> =
                terms.args(*term).iter().map(|argument| places[argument.index()] - 1).collect();
            for argument in &arguments {
                let users = &mut nodes[*argument as usize].users;
                if users.last() != Some(&(place as u32)) {
                    users.push(place as u32);
                }
            }
            let same = matches!(arguments.as_slice(), [.., a, b] if a == b);
            let op = terms.op(*term);
            nodes.push(Node { term: *term, op, arguments, users: Vec::new(), same });
            domains.push(match terms.value(*term) {
                Some(value) => Domain::of_value(value),
                None => Domain::of_sort(terms.sort(*term)),
            });
        }
        let count = nodes.len();
        let mut network = Network {
            terms,
            nodes,
            places,
            domains,
            waiting: VecDeque::new(),
            waits: vec![false; count],
            trail: Vec::new(),
            levels: Vec::new(),
            saved: vec![0; count],
            stamp: 1,
            contradiction: false,
            creeping: vec![0; count],
            projections: 0,
            scratch: Vec::new(),
        };
        for place in 0..count as u32 {
            network.wake(place);
        }
        let holds = Domain::Bool(super::Truths::only(true));
        for assertion in assertions {
            network.restrict(*assertion, holds);
        }
        network
    }

    /// The terms that it is about.
    pub fn terms(&self) -> &'a Terms {
        self.terms
    }

    /// What is known of a term; of one that is not in the network, its sort.
    pub fn domain(&self, term: Term) -> Domain {
        match self.place(term) {
            Some(place) => self.domains[place as usize],
            None => Domain::of_sort(self.terms.sort(term)),
        }
    }

    /// Every term of the network with its domain, arguments first.
    pub fn domains(&self) -> impl Iterator<Item = (Term, Domain)> {
        self.nodes.iter().map(|node| node.term).zip(self.domains.iter().copied())
    }

    /// How many projections were computed so far.
    pub fn projections(&self) -> u64 {
        self.projections
    }

    /// Whether there is no solution below the present choices.
    pub fn is_contradictory(&self) -> bool {
        self.contradiction
    }

    /// Takes away from a term all that `domain` does not hold. Its consequences
    /// come with [`Network::propagate`].
    pub fn restrict(&mut self, term: Term, domain: Domain) {
        if let Some(place) = self.place(term) {
            let left = self.domains[place as usize].meet(domain);
            self.update(place, left, None);
        }
    }

    /// Begins a level that [`Network::pop`] ends.
    pub fn push(&mut self) {
        self.levels.push(self.trail.len());
        self.stamp += 1;
    }

    /// Takes back all that was learnt since the last `push`.
    pub fn pop(&mut self) {
        let Some(length) = self.levels.pop() else { return };
        while self.trail.len() > length {
            if let Some((place, domain)) = self.trail.pop() {
                self.domains[place as usize] = domain;
            }
        }
        self.stamp += 1;
        self.contradiction = false;
        self.rest();
    }

    /// Works until nothing more follows, a contradiction is found or the budget
    /// ends.
    pub fn propagate(&mut self, budget: &Budget) -> Propagated {
        self.creeping.fill(0);
        let mut rounds = 0u64;
        while !self.contradiction {
            let Some(place) = self.waiting.pop_front() else { return Propagated::Settled };
            self.waits[place as usize] = false;
            self.project(place);
            rounds += 1;
            if rounds.is_multiple_of(64) && budget.exhausted_after(self.projections) {
                return Propagated::Interrupted;
            }
        }
        self.rest();
        Propagated::Contradiction
    }

    fn place(&self, term: Term) -> Option<u32> {
        self.places.get(term.index()).copied().unwrap_or(0).checked_sub(1)
    }

    /// Forgets what waits.
    fn rest(&mut self) {
        for place in self.waiting.drain(..) {
            self.waits[place as usize] = false;
        }
    }

    fn wake(&mut self, place: u32) {
        if self.nodes[place as usize].arguments.is_empty() {
            return;
        }
        if !std::mem::replace(&mut self.waits[place as usize], true) {
            self.waiting.push_back(place);
        }
    }

    fn project(&mut self, place: u32) {
        self.projections += 1;
        let node = &self.nodes[place as usize];
        let mut arguments = std::mem::take(&mut self.scratch);
        arguments.clear();
        arguments.extend(node.arguments.iter().map(|at| self.domains[*at as usize]));
        let mut result = self.domains[place as usize];
        if constraint::project(node.op, &mut arguments, &mut result, node.same).is_none() {
            self.contradiction = true;
        } else {
            let result = self.domains[place as usize].meet(result);
            self.update(place, result, Some(place));
            for (index, left) in arguments.iter().enumerate() {
                let at = self.nodes[place as usize].arguments[index];
                let left = self.domains[at as usize].meet(*left);
                self.update(at, left, Some(place));
            }
        }
        self.scratch = arguments;
    }

    /// Sets a domain that is no larger than before and wakes whom it concerns,
    /// except for the constraint that it comes from: projections are done with
    /// what they found out themselves, unless an argument comes twice.
    fn update(&mut self, place: u32, left: Domain, from: Option<u32>) {
        let at = place as usize;
        let before = self.domains[at];
        if left == before {
            return;
        }
        if !self.levels.is_empty() && self.saved[at] != self.stamp {
            self.saved[at] = self.stamp;
            self.trail.push((place, before));
        }
        self.domains[at] = left;
        if left.is_empty() {
            self.contradiction = true;
            return;
        }
        let (old, new) = (before.count(), left.count());
        if new > 2 && old - new < old / 16 {
            self.creeping[at] = self.creeping[at].saturating_add(1);
            if self.creeping[at] > PATIENCE {
                return;
            }
        }
        if from != Some(place) {
            self.wake(place);
        }
        for index in 0..self.nodes[at].users.len() {
            let user = self.nodes[at].users[index];
            let itself = from == Some(user);
            if !itself || self.nodes[user as usize].same {
                self.wake(user);
            }
        }
    }
}
