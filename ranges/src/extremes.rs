//! The lesser or the greater of two, as C writes it: `a < b ? a : b`. Where that is known to be
//! at least something, so are both.

use crate::floats::Floats;
use crate::relation::Relation;
use crate::shape::{ByRegister, Numbers, edges};
use nanoscope_ieee::Format;
use nanoscope_program::ir::{Act, BlockId, Edge, End, Function, Operand};

/// A register that one of two operands moves to, as a comparison of the two decides.
#[derive(Clone, Copy, Debug)]
pub struct Extreme {
    /// Where the comparison is made, and where the register is assigned.
    pub from: BlockId,
    pub to: BlockId,
    /// What is compared.
    pub operands: [Operand; 2],
    pub format: Format,
    relation: Relation,
    /// Whether the first is taken where the comparison holds.
    first: bool,
}

/// Those of a function.
pub fn of_function(
    function: &Function,
    definitions: &ByRegister<(BlockId, usize)>,
    numbers: &Numbers,
) -> ByRegister<Extreme> {
    let mut found = ByRegister::of(function);
    let mut ways = vec![0; function.blocks.len()];
    for block in &function.blocks {
        edges(&block.end).iter().for_each(|edge| ways[edge.to.0 as usize] += 1);
    }
    for (at, block) in function.blocks.iter().enumerate() {
        let End::Branch { condition: Operand::Register(condition), then, otherwise } = &block.end
        else {
            continue;
        };
        let Some(&(place, position)) = definitions.get(condition) else { continue };
        let Act::FloatCompare { predicate, format, operands, .. } =
            &function.block(place).instructions[position].act
        else {
            continue;
        };
        // Past a block that nothing else leads to.
        let last = |edge: &Edge| match &function.block(edge.to).end {
            End::Jump(next) if ways[edge.to.0 as usize] == 1 && edge.moves.is_empty() => {
                next.clone()
            }
            _ => edge.clone(),
        };
        let (then, otherwise) = (last(then), last(otherwise));
        if then.to != otherwise.to || ways[then.to.0 as usize] != 2 {
            continue;
        }
        let [x, y] = operands.map(|operand| numbers.of(operand));
        for (register, value) in &then.moves {
            let other = otherwise.moves.iter().find(|(other, _)| other == register);
            let Some((_, other)) = other else { continue };
            let taken = [numbers.of(*value), numbers.of(*other)];
            if x != y && (taken == [x, y] || taken == [y, x]) {
                let extreme = Extreme {
                    from: BlockId(at as u32),
                    to: then.to,
                    operands: *operands,
                    format: *format,
                    relation: Relation::of(*predicate),
                    first: taken == [x, y],
                };
                found.insert(*register, extreme);
            }
        }
    }
    found
}

impl Extreme {
    /// What is left of two operands where the register is one of these, and what is left of it.
    pub fn refined(&self, a: &Floats, b: &Floats, result: &Floats) -> [Floats; 3] {
        let mut left = [Floats::nothing(self.format); 3];
        for (relation, first) in
            [(self.relation, self.first), (self.relation.negated(), !self.first)]
        {
            let case = match first {
                true => relation.refine(&a.meet(result), b),
                false => relation.refine(a, &b.meet(result)),
            };
            if !case.0.is_empty() && !case.1.is_empty() {
                let taken = if first { case.0 } else { case.1 };
                let case = [case.0, case.1, taken];
                left = [0, 1, 2].map(|at| left[at].join(&case[at]));
            }
        }
        left
    }
}
