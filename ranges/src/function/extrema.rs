//! Extrema: the lesser or the greater of two operands as C writes it, `a < b ? a : b`. A lower
//! bound of the lesser is one of both.

use super::definitions::{ByRegister, Definitions};
use super::value_numbers::ValueNumbers;
use crate::predicate;
use nanoscope_ieee::Format;
use nanoscope_program::ir::{Act, BlockId, Edge, End, Function, Operand, Register};
use nanoscope_sets::{Floats, Grid, Relation};

/// A register to which one of two operands moves, as a comparison of the two decides.
#[derive(Clone, Copy, Debug)]
pub struct Extremum {
    /// The block with the comparison, and the block where the paths meet.
    pub from: BlockId,
    pub to: BlockId,
    pub choice: Choice,
}

/// One of two operands, as a comparison of the two decides.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The operands compared.
    pub operands: [Operand; 2],
    pub format: Format,
    relation: Relation,
    /// Whether the first is chosen where the comparison holds.
    first: bool,
}

/// The extrema of a function.
pub fn of_function(
    function: &Function,
    definitions: &Definitions,
    numbers: &ValueNumbers,
) -> ByRegister<Extremum> {
    let mut found = ByRegister::of(function);
    let mut predecessors = vec![0; function.blocks.len()];
    for block in &function.blocks {
        block.end.edges().iter().for_each(|edge| predecessors[edge.to.0 as usize] += 1);
    }
    for (at, block) in function.blocks.iter().enumerate() {
        let End::Branch { condition: Operand::Register(condition), then, otherwise } = &block.end
        else {
            continue;
        };
        let Some(Act::FloatCompare { predicate, format, operands, .. }) =
            definitions.act(function, *condition)
        else {
            continue;
        };
        // Past a block with no other predecessor.
        let last = |edge: &Edge| match &function.block(edge.to).end {
            End::Jump(next) if predecessors[edge.to.0 as usize] == 1 && edge.moves.is_empty() => {
                next.clone()
            }
            _ => edge.clone(),
        };
        let (then, otherwise) = (last(then), last(otherwise));
        if then.to != otherwise.to || predecessors[then.to.0 as usize] != 2 {
            continue;
        }
        for (register, value) in &then.moves {
            let other = otherwise.moves.iter().find(|(other, _)| other == register);
            let Some((_, other)) = other else { continue };
            let relation = predicate::relation(*predicate);
            if let Some(choice) =
                Choice::of([*value, *other], *operands, (*format, relation), numbers)
            {
                let extremum = Extremum { from: BlockId(at as u32), to: then.to, choice };
                found.insert(*register, extremum);
            }
        }
    }
    found
}

/// The registers that are the greater of two operands.
pub fn greatest(
    function: &Function,
    definitions: &Definitions,
    numbers: &ValueNumbers,
    extrema: &ByRegister<Extremum>,
) -> Vec<Register> {
    let moved = extrema.iter().map(|(register, extremum)| (register, extremum.choice));
    let selected = function.blocks.iter().flat_map(|block| &block.instructions).filter_map(|it| {
        Some((it.result?, Choice::selected(function, definitions, numbers, &it.act)?))
    });
    moved.chain(selected).filter(|(_, choice)| choice.is_greatest()).map(|(it, _)| it).collect()
}

impl Choice {
    /// The choice of the first of two values where a comparison of operands holds, and of the second
    /// where it does not; `None` if these are others than the operands.
    fn of(
        taken: [Operand; 2],
        operands: [Operand; 2],
        (format, relation): (Format, Relation),
        numbers: &ValueNumbers,
    ) -> Option<Choice> {
        let taken = taken.map(|operand| numbers.of(operand));
        let [x, y] = operands.map(|operand| numbers.of(operand));
        let first = taken == [x, y];
        let is_choice = x != y && (first || taken == [y, x]);
        is_choice.then_some(Choice { operands, format, relation, first })
    }

    /// The choice that an act makes if it selects one of the operands of a comparison.
    pub fn selected(
        function: &Function,
        definitions: &Definitions,
        numbers: &ValueNumbers,
        act: &Act,
    ) -> Option<Choice> {
        let Act::Select { operands: [condition, then, otherwise] } = act else { return None };
        match definitions.act(function, condition.register()?)? {
            Act::FloatCompare { predicate, format, operands, .. } => {
                let relation = predicate::relation(*predicate);
                Choice::of([*then, *otherwise], *operands, (*format, relation), numbers)
            }
            _ => None,
        }
    }

    /// The operand that is chosen where one is a NaN.
    pub fn of_unordered(&self) -> Operand {
        let holds = self.relation.allows(Relation::UNORDERED);
        self.operands[usize::from(holds != self.first)]
    }

    /// Whether it is the greater of its operands, where these are numbers.
    pub fn is_greatest(&self) -> bool {
        let relation = if self.first { self.relation } else { self.relation.negated() };
        relation.order().not_less && relation.negated().order().not_greater
    }

    /// Whether it is the lesser of its operands, where these are numbers.
    pub fn is_least(&self) -> bool {
        let relation = if self.first { self.relation } else { self.relation.negated() };
        relation.order().not_greater && relation.negated().order().not_less
    }

    /// The two operands and the register, refined by each other.
    pub fn refined(&self, a: &Floats, b: &Floats, result: &Floats) -> [Floats; 3] {
        let mut left = [Floats::nothing(self.format); 3];
        for (relation, first) in
            [(self.relation, self.first), (self.relation.negated(), !self.first)]
        {
            let case = match first {
                true => [a.meet(result), *b],
                false => [*a, b.meet(result)],
            };
            if let Some([x, y]) = relation.narrow(Grid::of(self.format), case) {
                let case = [x, y, if first { x } else { y }];
                left = [0, 1, 2].map(|at| left[at].join(&case[at]));
            }
        }
        left
    }
}
