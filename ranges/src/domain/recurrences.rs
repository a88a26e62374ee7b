//! The domain of linear recurrences: loops whose registers are linear in those of the round before,
//! such as digital filters `s2 = a*s1 + b*s0 + input`, sums, and shift registers.
//!
//! In one round of a loop every register is a linear form of the registers at its head (the
//! variables `p`) and of inputs, with an interval for rounding errors: `p' = A p + w`. For any
//! row `v` and any rows `v_0 = v, v_1, …`,
//!
//! ```text
//! v p_n = v_k p_(n-k) + sum of (v_j w_(n-j-1) + (v_j A - v_(j+1)) p_(n-j-1)) for j < k
//! ```
//!
//! With `v_(j+1)` the rounded `v_j A`, the second part is tiny. If all states so far are in a box
//! `T`, the right side bounds the next one: the input's impulse response, summed in magnitude,
//! and what is left of a state `k` rounds ago. A box that includes what it gives is invariant.
//! Where the recurrence is stable, `v_k` vanishes; where it is not, the number of rounds may be
//! bounded. A trace that does not depend on the state is a reset: another beginning.
//! (Feret, "Static analysis of digital filters", 2004, bounds the same by ellipsoids.)

use crate::domain::environment::Environment;
use crate::domain::linear_form::{Bounds, Form, finite, limited, rounded};
use crate::domain::point::{Domain, Side, Text};
use crate::domain::values::modes_of;
use crate::function::definitions::Definitions;
use crate::policy::{LONGEST_RECURRENCE, LONGEST_RESPONSE, MOST_RECURRENCE_ATOMS, MOST_TRACES};
use nanoscope_ieee::{Format, Operation, operations};
use nanoscope_program::ir::{
    Act, BlockId, Edge, Function, Instruction, Mode, Operand, Register, Type,
};
use nanoscope_sets::Modes;

/// The linear forms of registers since the head of a loop, for each trace from there; nothing
/// where no loop is followed.
#[derive(Clone, Debug, Default)]
pub struct Recurrences(Option<Tracked>);

#[derive(Clone, Debug)]
struct Tracked {
    head: BlockId,
    traces: Vec<Trace>,
}

type Trace = Vec<(Register, Form)>;

impl Recurrences {
    /// Follows a round of a loop from its head on.
    pub fn follow_from(head: BlockId) -> Recurrences {
        Recurrences(Some(Tracked { head, traces: vec![Trace::new()] }))
    }

    /// The recurrence of some of the candidates after a round.
    pub fn system(&self, candidates: &[Register]) -> Option<System> {
        let Tracked { traces, .. } = self.0.as_ref()?;
        let form = |trace: &'_ Trace, variable: Register| {
            trace.iter().find(|(register, _)| *register == variable).map(|(_, form)| form.clone())
        };
        let mut variables = candidates.to_vec();
        variables.retain(|variable| traces.iter().all(|trace| form(trace, *variable).is_some()));
        if variables.is_empty() || traces.is_empty() {
            return None;
        }
        let steps = traces.iter().map(|trace| {
            let forms = variables.iter().map(|variable| form(trace, *variable).expect("retained"));
            Step::of(&variables, forms.collect())
        });
        Some(System { steps: steps.collect(), variables })
    }
}

/// The form of an operand in a trace.
fn form_of(at: &Text, environment: &Environment, trace: &Trace, operand: Operand) -> Option<Form> {
    let range = finite(at.value(environment, operand));
    if let Some(range) = range
        && range.lo == range.hi
    {
        return Some(Form::constant(range));
    }
    let register = operand.register()?;
    match trace.iter().find(|(known, _)| *known == register) {
        Some((_, form)) => Some(form.clone()),
        None => Some(Form::atom(register, range?)),
    }
}

/// The form of an instruction's result.
fn computed(at: &Text, environment: &Environment, trace: &Trace, act: &Act) -> Option<Form> {
    let form = |operand: Operand| form_of(at, environment, trace, operand);
    let unit = |format: Format, mode: Mode| match modes_of(at.modes, mode) {
        Modes::NEAREST => 2f64.powi(-(format.precision as i32)),
        _ => 2f64.powi(1 - format.precision as i32),
    };
    match act {
        Act::Freeze { operand } => form(*operand),
        Act::Float { operation, parameters, operands, mode, relaxed: false } => {
            let format = parameters.format;
            match (operation, &operands[..]) {
                (Operation::Add, &[a, b]) => {
                    let sum = form(a)?.plus(&form(b)?, MOST_RECURRENCE_ATOMS)?;
                    rounded(sum, format, unit(format, *mode), false)
                }
                (Operation::Sub, &[a, b]) => {
                    let negated = form(b)?.times(Bounds::only(-1.0));
                    let sum = form(a)?.plus(&negated, MOST_RECURRENCE_ATOMS)?;
                    rounded(sum, format, unit(format, *mode), false)
                }
                (Operation::Neg, &[a]) => Some(form(a)?.times(Bounds::only(-1.0))),
                (Operation::Mul, &[a, b]) => {
                    let single = |operand: Operand| {
                        finite(at.value(environment, operand)).filter(|range| range.lo == range.hi)
                    };
                    let product = match (single(a), single(b)) {
                        (Some(factor), _) => form(b)?.times(factor),
                        (None, Some(factor)) => form(a)?.times(factor),
                        (None, None) => return None,
                    };
                    rounded(product, format, unit(format, *mode), true)
                }
                (Operation::Div, &[a, b]) => {
                    // Only by a power of two, of which the reciprocal is exact.
                    let divisor = finite(at.value(environment, b))?;
                    let reciprocal = 1.0 / divisor.lo;
                    let exact = divisor.lo == divisor.hi
                        && divisor.lo.is_normal()
                        && divisor.lo.to_bits() << 12 == 0
                        && reciprocal.is_normal();
                    let quotient = form(a)?.times(Bounds::only(exact.then_some(reciprocal)?));
                    rounded(quotient, format, unit(format, *mode), true)
                }
                (Operation::Convert, &[a]) => match parameters.target.holds(format) {
                    true => limited(form(a)?, parameters.target),
                    false => {
                        let target = parameters.target;
                        rounded(form(a)?, target, unit(target, *mode), true)
                    }
                },
                // Any other operation is not linear.
                (_, _) => None,
            }
        }
        // Any other act gives an input.
        _ => None,
    }
}

impl Domain for Recurrences {
    fn transfer(&mut self, at: &Text, environment: &Environment, instruction: &Instruction) {
        let (Some(tracked), Some(result)) = (&mut self.0, instruction.result) else { return };
        for trace in &mut tracked.traces {
            if let Some(form) = computed(at, environment, trace, &instruction.act) {
                trace.push((result, form));
            }
        }
    }

    fn forget(&mut self, register: Register) {
        if let Some(tracked) = &mut self.0 {
            for trace in &mut tracked.traces {
                trace.retain(|(known, _)| *known != register);
            }
        }
    }

    fn follow(
        &mut self,
        at: &Text,
        before: &Environment,
        edge: &Edge,
        is_live: &dyn Fn(Register) -> bool,
    ) {
        let Some(tracked) = &mut self.0 else { return };
        if at.facts.heads[edge.to.0 as usize] && edge.to != tracked.head {
            self.0 = None;
            return;
        }
        for trace in &mut tracked.traces {
            let mut moved = Vec::new();
            for (to, from) in edge.moves.iter().filter(|(to, _)| is_live(*to)) {
                if matches!(at.function.registers[to.0 as usize], Type::Float(_)) {
                    let form = form_of(at, before, trace, *from);
                    moved.extend(form.map(|form| (*to, form)));
                }
            }
            trace.retain(|(register, _)| {
                is_live(*register) && !edge.moves.iter().any(|(to, _)| to == register)
            });
            trace.extend(moved);
        }
    }

    fn join(a: Side<Self>, b: Side<Self>, _joined: &Environment) -> Self {
        let (Some(x), Some(y)) = (&a.element.0, &b.element.0) else { return Recurrences(None) };
        let mut traces = x.traces.clone();
        traces.extend(y.traces.iter().filter(|trace| !x.traces.contains(trace)).cloned());
        let tracked = (x.head == y.head && traces.len() <= MOST_TRACES)
            .then_some(Tracked { head: x.head, traces });
        Recurrences(tracked)
    }
}

/// The float registers that are assigned on edges to the head of a loop.
pub fn variables(function: &Function, head: BlockId) -> Vec<Register> {
    let mut found: Vec<Register> = Vec::new();
    for edge in function.blocks.iter().flat_map(|block| block.end.edges()) {
        for (to, _) in edge.moves.iter().filter(|_| edge.to == head) {
            let ty = &function.registers[to.0 as usize];
            let is_known = matches!(ty, Type::Float(Format::BINARY32 | Format::BINARY64));
            if is_known && !found.contains(to) {
                found.push(*to);
            }
        }
    }
    found
}

/// Whether some variable may be a sum that depends on a variable, as far as the text tells.
pub fn may_recur(
    function: &Function,
    definitions: &Definitions,
    head: BlockId,
    variables: &[Register],
) -> bool {
    let edges = function.blocks.iter().flat_map(|block| block.end.edges());
    let mut moves = edges.filter(|edge| edge.to == head).flat_map(|edge| edge.moves.iter());
    moves.any(|(to, from)| {
        variables.contains(to)
            && *from != Operand::Register(*to)
            && from.register().is_some_and(|register| {
                !variables.contains(&register)
                    && depends(function, definitions, register, variables)
            })
    })
}

/// Whether a register may be linear in some variable.
fn depends(
    function: &Function,
    definitions: &Definitions,
    register: Register,
    variables: &[Register],
) -> bool {
    let mut seen = vec![register];
    let mut next = 0;
    while let Some(&register) = seen.get(next) {
        next += 1;
        if variables.contains(&register) {
            return true;
        }
        if next > LONGEST_RECURRENCE {
            return false;
        }
        let mut follow = |operand: &Operand| {
            seen.extend(operand.register().filter(|register| !seen.contains(register)));
        };
        match definitions.act(function, register) {
            Some(Act::Freeze { operand }) => follow(operand),
            Some(Act::Float { operation, operands, relaxed: false, .. }) => match operation {
                Operation::Neg | Operation::Convert | operations!(Rational) => {
                    operands.iter().for_each(follow);
                }
                // Any other operation is not linear.
                _ => {}
            },
            Some(_) => {}
            // Paths meet there: any of them may bring it.
            None => {
                let edges = function.blocks.iter().flat_map(|block| block.end.edges());
                let moves = edges.flat_map(|edge| edge.moves.iter());
                moves.filter(|(to, _)| *to == register).for_each(|(_, from)| follow(from));
            }
        }
    }
    false
}

/// A linear recurrence, with a step for each trace through the loop.
#[derive(Debug)]
pub struct System {
    /// The registers.
    pub variables: Vec<Register>,
    steps: Vec<Step>,
}

/// One round: `p' = matrix * p + inputs + rest`.
#[derive(Clone, Debug)]
struct Step {
    matrix: Vec<Vec<Bounds>>,
    /// Inputs with the column that each is multiplied by.
    inputs: Vec<(Register, Vec<Bounds>, Bounds)>,
    rest: Vec<Bounds>,
}

const ZERO: Bounds = Bounds::only(0.0);

impl Step {
    fn of(variables: &[Register], forms: Vec<Form>) -> Step {
        let size = variables.len();
        let mut step =
            Step { matrix: vec![vec![ZERO; size]; size], inputs: Vec::new(), rest: Vec::new() };
        for (row, form) in forms.iter().enumerate() {
            step.rest.push(form.rest);
            for term in &form.terms {
                match variables.iter().position(|variable| *variable == term.atom) {
                    Some(column) => step.matrix[row][column] = term.factor,
                    None => {
                        let at = step.inputs.iter().position(|input| input.0 == term.atom);
                        let at = at.unwrap_or_else(|| {
                            step.inputs.push((term.atom, vec![ZERO; size], term.range));
                            step.inputs.len() - 1
                        });
                        let (_, column, range) = &mut step.inputs[at];
                        column[row] = term.factor;
                        *range = range.meet(term.range);
                    }
                }
            }
        }
        step
    }

    /// Whether the round does not depend on the state.
    fn is_reset(&self) -> bool {
        self.matrix.iter().flatten().all(|factor| *factor == ZERO)
    }

    /// What is added in one round, seen by a row.
    fn added(&self, row: &[f64]) -> Bounds {
        let inputs = self.inputs.iter().map(|(_, column, range)| dot(row, column).times(*range));
        inputs.fold(dot(row, &self.rest), Bounds::plus)
    }

    /// A step that includes both: of different matrices and inputs only the hulls are kept.
    fn join(&self, other: &Step) -> Step {
        if self.matrix == other.matrix && self.inputs == other.inputs {
            let rest = self.rest.iter().zip(&other.rest).map(|(a, b)| a.join(*b)).collect();
            return Step { rest, ..self.clone() };
        }
        let size = self.rest.len();
        let unit = |at: usize| (0..size).map(|i| f64::from(u8::from(i == at))).collect::<Vec<_>>();
        let rest = (0..size).map(|at| self.added(&unit(at)).join(other.added(&unit(at))));
        let rows = self.matrix.iter().zip(&other.matrix);
        let matrix = rows.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.join(*b)).collect());
        Step { matrix: matrix.collect(), inputs: Vec::new(), rest: rest.collect() }
    }
}

fn dot(row: &[f64], column: &[Bounds]) -> Bounds {
    let products = row.iter().zip(column).filter(|(factor, _)| **factor != 0.0);
    products.map(|(factor, item)| Bounds::only(*factor).times(*item)).fold(ZERO, Bounds::plus)
}

/// What is asked of a system: where its states are, given where they begin, a box in which all of
/// them are taken to be, and the most rounds.
pub struct Reach<'a> {
    pub entry: &'a [Bounds],
    pub assumed: &'a [Bounds],
    pub rounds: Option<u64>,
}

impl System {
    /// The values of each variable in every round, if all states so far are as assumed.
    pub fn reach(&self, reach: &Reach) -> Vec<Bounds> {
        let size = self.variables.len();
        (0..size)
            .map(|at| {
                self.observe((0..size).map(|i| f64::from(u8::from(i == at))).collect(), reach)
            })
            .collect()
    }

    /// The values of the difference of two variables.
    pub fn difference(&self, a: usize, b: usize, reach: &Reach) -> Bounds {
        let mut row = vec![0.0; self.variables.len()];
        (row[a], row[b]) = (1.0, -1.0);
        self.observe(row, reach)
    }

    /// The values of a row times the state.
    fn observe(&self, mut row: Vec<f64>, reach: &Reach) -> Bounds {
        let (resets, moves): (Vec<&Step>, Vec<&Step>) =
            self.steps.iter().partition(|step| step.is_reset());
        let size = row.len();
        let mut entry = reach.entry.to_vec();
        for reset in resets {
            for (at, bounds) in entry.iter_mut().enumerate() {
                let unit: Vec<f64> = (0..size).map(|i| f64::from(u8::from(i == at))).collect();
                *bounds = bounds.join(reset.added(&unit));
            }
        }
        let Some(step) = moves.into_iter().cloned().reduce(|a, b| a.join(&b)) else {
            return dot(&row, &entry);
        };
        let mut sum = ZERO;
        let mut hull = dot(&row, &entry);
        for round in 0..LONGEST_RESPONSE {
            if reach.rounds.is_some_and(|rounds| round >= rounds) {
                return hull;
            }
            // What is left of the state so many rounds ago.
            let rest = dot(&row, reach.assumed).plus(sum);
            if !hull.is_finite() || (round > 0 && is_negligible(dot(&row, reach.assumed), hull)) {
                return hull.join(rest);
            }
            let next: Vec<Bounds> = (0..size)
                .map(|column| {
                    let items = row.iter().zip(&step.matrix);
                    items.fold(ZERO, |all, (factor, row)| match *factor == 0.0 {
                        true => all,
                        false => all.plus(Bounds::only(*factor).times(row[column])),
                    })
                })
                .collect();
            let rounded: Vec<f64> = next.iter().map(|item| item.lo.midpoint(item.hi)).collect();
            let error = next.iter().zip(&rounded).zip(reach.assumed).fold(
                ZERO,
                |all, ((item, point), state)| {
                    all.plus(item.plus(Bounds::only(-*point)).times(*state))
                },
            );
            let added = step.added(&row).plus(error);
            if let (true, Some(rounds)) = (rounded == row, reach.rounds) {
                // From here on, every round adds the same.
                let left = (rounds - round) as f64;
                let all = added.times(Bounds::new(0.0, left.next_up()));
                return hull.join(dot(&row, &entry).plus(sum).plus(all));
            }
            sum = sum.plus(added);
            row = rounded;
            hull = hull.join(dot(&row, &entry).plus(sum));
        }
        hull.join(dot(&row, reach.assumed).plus(sum))
    }
}

/// Whether one contribution hardly matters beside all others.
fn is_negligible(rest: Bounds, hull: Bounds) -> bool {
    rest.size() <= hull.size() * 1e-9
}
