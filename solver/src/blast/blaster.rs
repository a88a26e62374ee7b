//! The engine: assertions in, a model or a refutation out.

use super::Reason;
use super::aig::Tuning;
use super::aig::{Lit, Simulation};
use super::cnf::{Cnf, Writing};
use super::image::{Images, KnownBits, bits_of, value_of};
use super::lazy::Refinement;
use super::proof::Proof;
use super::sat::{Answer, Sat, reason_of};
use nanoscope_budget::Budget;
use nanoscope_term::{Model, Term, Terms};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What came of a query; a model has every variable below its assertions.
pub type Verdict = nanoscope_term::Verdict<Reason>;

/// How to go about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The shapes of circuits.
    pub tuning: Tuning,
    /// The shapes of clauses.
    pub writing: Writing,
    /// Put off the circuits of multiplications, divisions and their like until
    /// a model contradicts them.
    pub lazy: bool,
    /// How much memory a query may take, in bytes.
    pub memory: u64,
    /// Conflicts to spend near a hint before searching freely.
    pub near_hint: i32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            tuning: Tuning::default(),
            writing: Writing::default(),
            lazy: false,
            memory: 4 << 30,
            near_hint: 2000,
        }
    }
}

/// Figures about the work done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Gates of the graph.
    pub gates: usize,
    /// Variables of the SAT solver.
    pub variables: i32,
    /// Clauses given to the SAT solver.
    pub clauses: u64,
    /// Its conflicts.
    pub conflicts: i64,
    /// Lemmas added about operations whose circuit was put off.
    pub lemmas: u64,
}

/// Bytes that a node takes with all that hangs on it: fan-ins, hash table,
/// variable, clauses.
const BYTES_PER_NODE: u64 = 160;

/// Graphs up to this size are simulated in search of a model before clauses are
/// written.
const NODES_TO_SIMULATE: usize = 1 << 19;

#[derive(Default)]
struct Frame {
    /// Holds while the frame does; none for the ground frame.
    guard: Option<i32>,
    assertions: Vec<Term>,
    /// How many of them the SAT solver has.
    written: usize,
}

/// The complete engine, incremental: frames of assertions, and assumptions for
/// one query. Circuits and clauses are kept between queries.
///
/// All calls must pass the same [`Terms`], which may grow between them.
pub struct Blaster {
    options: Options,
    images: Images,
    cnf: Cnf,
    sat: Sat,
    frames: Vec<Frame>,
    constraints_written: usize,
    refinement: Refinement,
    failed: Vec<Term>,
    proof_path: Option<PathBuf>,
}

impl Default for Blaster {
    fn default() -> Blaster {
        Blaster::new(Options::default())
    }
}

impl Blaster {
    /// Nothing asserted.
    pub fn new(options: Options) -> Blaster {
        Blaster {
            options,
            images: Images::new(options.tuning, options.lazy),
            cnf: Cnf::new(options.writing),
            sat: Sat::new(),
            frames: vec![Frame::default()],
            constraints_written: 0,
            refinement: Refinement::default(),
            failed: Vec::new(),
            proof_path: None,
        }
    }

    /// Keeps a proof of refutations. Only before the first query; and only what
    /// follows from the ground frame without assumptions ends in the empty
    /// clause.
    pub fn keep_proof(&mut self) {
        self.sat.trace();
    }

    /// What was derived since [`Blaster::keep_proof`].
    pub fn proof(&self) -> Option<Proof> {
        self.sat.proof()
    }

    /// As [`Blaster::keep_proof`], for [`Blaster::close_trace`] to write to a
    /// file, which is made at once.
    pub fn trace(&mut self, path: &Path) -> io::Result<()> {
        File::create(path)?;
        self.keep_proof();
        self.proof_path = Some(path.to_path_buf());
        Ok(())
    }

    /// Writes the proof, in LRAT, and the clauses that it is about into a file
    /// beside it which ends in `.cnf`.
    pub fn close_trace(&mut self) -> io::Result<()> {
        let (Some(path), Some(proof)) = (self.proof_path.take(), self.proof()) else {
            return Ok(());
        };
        let mut lrat = BufWriter::new(File::create(&path)?);
        proof.write_lrat(&mut lrat)?;
        lrat.flush()?;
        let mut dimacs = BufWriter::new(File::create(path.with_extension("cnf"))?);
        proof.write_dimacs(&mut dimacs)?;
        dimacs.flush()
    }

    /// Opens a frame.
    pub fn push(&mut self) {
        let guard = self.sat.variable();
        self.frames.push(Frame { guard: Some(guard), ..Frame::default() });
    }

    /// Closes the last frame and forgets its assertions.
    pub fn pop(&mut self) {
        assert!(self.frames.len() > 1, "the ground frame stays");
        let frame = self.frames.pop().expect("counted above");
        if let (Some(guard), true) = (frame.guard, frame.written > 0) {
            self.sat.clause(&[-guard]);
        }
    }

    /// Asserts a truth value in the last frame.
    pub fn assert(&mut self, term: Term) {
        self.frames.last_mut().expect("the ground frame").assertions.push(term);
    }

    /// Says what bits of a term are, as follows from the assertions of the
    /// ground frame: circuits are built with these bits in place. It has no
    /// effect on circuits already built.
    pub fn know(&mut self, term: Term, bits: KnownBits) {
        self.images.know(term, bits);
    }

    /// Figures about the work so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            gates: self.images.circuit.algebra.gates(),
            variables: self.sat.variables(),
            clauses: self.sat.clauses(),
            conflicts: self.sat.conflicts(),
            lemmas: self.refinement.lemmas,
        }
    }

    /// After [`Verdict::Unsat`]: assumptions that cannot hold together with
    /// the assertions. None if the assertions alone clash.
    pub fn failed(&self) -> &[Term] {
        &self.failed
    }

    /// Begins another query with the circuits of those before: its memory is counted from here.
    pub fn begin_query(&mut self) {
        self.sat.begin_query();
    }

    /// Whether all assertions and assumptions can hold. The search starts near
    /// the hint.
    pub fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        budget: &Budget,
        hint: Option<&Model>,
    ) -> Verdict {
        self.failed.clear();
        match self.attempt(terms, assumptions, budget, hint) {
            Ok(verdict) => verdict,
            Err(reason) => Verdict::Unknown(reason),
        }
    }

    fn attempt(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        budget: &Budget,
        hint: Option<&Model>,
    ) -> Result<Verdict, Reason> {
        if budget.exhausted() || !self.sat.come_back(budget) {
            return Err(reason_of(budget));
        }
        let most_nodes = (self.options.memory / BYTES_PER_NODE) as usize;
        self.images.aig().bound(most_nodes, budget);
        let mut roots: Vec<Term> = Vec::new();
        for frame in &self.frames {
            roots.extend(&frame.assertions);
        }
        roots.extend(assumptions);
        self.images.build(terms, &roots)?;
        self.refinement.introduce(&mut self.images, terms)?;

        for &root in &roots {
            if self.images.of(root)[0] == Lit::FALSE {
                self.failed.extend(assumptions.iter().find(|&&assumption| assumption == root));
                if self.frames[0].assertions.contains(&root) {
                    self.sat.clause(&[]);
                }
                return Ok(Verdict::Unsat);
            }
        }
        if let Some(model) = self.lucky(terms, &roots, hint) {
            return Ok(Verdict::Sat(model));
        }
        self.write(budget)?;
        let mut assumed = Vec::new();
        for &term in assumptions {
            let lit = self.images.of(term)[0];
            if lit != Lit::TRUE {
                let aig = &self.images.circuit.algebra;
                assumed.push((self.cnf.assumable(aig, &mut self.sat, lit, budget)?, term));
            }
        }
        let mut literals: Vec<i32> = self.frames.iter().filter_map(|frame| frame.guard).collect();
        literals.extend(assumed.iter().map(|(literal, _)| *literal));
        let mut hint = hint;
        loop {
            let answer = self.solve(&literals, budget, hint.take());
            match answer {
                Answer::Unknown(reason) => return Err(reason),
                Answer::Unsat => {
                    for (literal, term) in assumed {
                        if self.sat.failed(literal) {
                            self.failed.push(term);
                        }
                    }
                    return Ok(Verdict::Unsat);
                }
                Answer::Sat(()) => {}
            }
            let simulation = self.replay();
            self.images.aig().bound(most_nodes, budget);
            if self.refinement.refine(&mut self.images, terms, &roots, &simulation)? == 0 {
                return Ok(Verdict::Sat(self.model(terms, &roots, &simulation, 0)));
            }
            self.write(budget)?;
        }
    }

    /// Gives the SAT solver what it does not have yet.
    fn write(&mut self, budget: &Budget) -> Result<(), Reason> {
        let aig = &self.images.circuit.algebra;
        while let Some(&lit) = self.images.constraints.get(self.constraints_written) {
            self.cnf.assert(aig, &mut self.sat, lit, None, budget)?;
            self.constraints_written += 1;
        }
        for frame in &mut self.frames {
            while let Some(&term) = frame.assertions.get(frame.written) {
                let lit = self.images.of(term)[0];
                self.cnf.assert(aig, &mut self.sat, lit, frame.guard, budget)?;
                frame.written += 1;
            }
        }
        Ok(())
    }

    /// Solves: first near the hint, then freely.
    fn solve(&mut self, literals: &[i32], budget: &Budget, hint: Option<&Model>) -> Answer {
        let memory = Some(self.options.memory);
        let Some(hint) = hint.filter(|_| self.options.near_hint > 0) else {
            return self.sat.solve(literals, budget, memory);
        };
        let simulation = self.images.circuit.algebra.simulate(&self.patterns(Some(hint)));
        let preferred: Vec<i32> = self
            .cnf
            .variables()
            .map(
                |(node, variable)| {
                    if simulation.first(Lit::of(node)) { variable } else { -variable }
                },
            )
            .collect();
        for &literal in &preferred {
            self.sat.prefer(literal);
        }
        let near = self.sat.solve_within(self.options.near_hint, literals, budget, memory);
        for &literal in &preferred {
            self.sat.no_preference(literal);
        }
        match near {
            Answer::Unknown(_) => self.sat.solve(literals, budget, memory),
            answer @ (Answer::Sat(()) | Answer::Unsat) => answer,
        }
    }

    /// The whole graph under the SAT solver's assignment.
    fn replay(&mut self) -> Simulation {
        let inputs = self.images.circuit.algebra.input_literals();
        let patterns: Vec<u64> = inputs
            .iter()
            .map(|&input| match self.cnf.existing(input) {
                Some(literal) if self.sat.value(literal) => 1,
                _ => 0,
            })
            .collect();
        self.images.circuit.algebra.simulate(&patterns)
    }

    /// Tries the hint and a few simple points, by simulation alone.
    fn lucky(&self, terms: &Terms, roots: &[Term], hint: Option<&Model>) -> Option<Model> {
        if !self.images.opaque.is_empty() || self.images.circuit.algebra.nodes() > NODES_TO_SIMULATE
        {
            return None;
        }
        let simulation = self.images.circuit.algebra.simulate(&self.patterns(hint));
        let mut lanes = u64::MAX;
        for &root in roots {
            lanes &= simulation.of(self.images.of(root)[0]);
        }
        for &constraint in &self.images.constraints {
            lanes &= simulation.of(constraint);
        }
        (lanes != 0).then(|| self.model(terms, roots, &simulation, lanes.trailing_zeros()))
    }

    /// Inputs for 64 lanes: the hint in the first, simple values in the others.
    fn patterns(&self, hint: Option<&Model>) -> Vec<u64> {
        let aig = &self.images.circuit.algebra;
        let mut state = 0x2545_f491_4f6c_dd1du64;
        let mut by_node = vec![0u64; aig.nodes()];
        for &(variable, term) in &self.images.variables {
            // Ones here and there: lane 1 has zeros only, 2 ones only, the
            // following few bits set or few clear, the last at random.
            let hinted = hint
                .and_then(|hint| hint.variables.get(&variable))
                .and_then(bits_of)
                .filter(|word| word.width() as usize == self.images.of(term).len());
            for (i, lit) in self.images.of(term).iter().enumerate() {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let more = state.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let sparse = state & more.rotate_left(21) & more.rotate_left(42);
                let pattern = (sparse & 0x0000_0000_ffff_0000)
                    | (!sparse & 0x0000_ffff_0000_0000)
                    | (state & 0xffff_0000_0000_fff8)
                    | 4;
                let first = hinted.as_ref().is_some_and(|word| word.bit(i as u32));
                if lit.value().is_none() {
                    by_node[lit.node()] = pattern & !3 | first as u64;
                }
            }
        }
        aig.input_literals().iter().map(|input| by_node[input.node()]).collect()
    }

    fn model(&self, terms: &Terms, roots: &[Term], simulation: &Simulation, lane: u32) -> Model {
        let mut model = Model::new();
        for variable in terms.variables_below(roots) {
            let image = self.images.of(terms.variable_term(variable));
            let bits: Vec<bool> =
                image.iter().map(|&lit| simulation.of(lit) >> lane & 1 == 1).collect();
            if let Some(value) = value_of(terms.variable_sort(variable), &bits) {
                model.set(variable, value);
            }
        }
        model
    }
}
