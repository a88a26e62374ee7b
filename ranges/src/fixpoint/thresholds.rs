//! Thresholds of widening: numbers at which a program is likely to change its behaviour.

use crate::integers::Integers;
use nanoscope_ieee::{Float, Format};
use nanoscope_program::ir::{
    Act, Code, Constant, ConstantId, End, Function, IntegerOperation, Operand,
};
use nanoscope_sets::{Grid, Ordinal};
use std::collections::{BTreeMap, BTreeSet};

/// Where widening stops: constants of the program, and powers of two of each format.
#[derive(Clone, Debug, Default)]
pub struct Thresholds {
    /// Magnitudes, by format, rising.
    pub magnitudes: BTreeMap<Format, Vec<Ordinal>>,
    /// Integers, rising.
    pub integers: Vec<i128>,
}

impl Thresholds {
    /// No thresholds: a bound that moves goes to the end of the format.
    pub const NONE: Thresholds = Thresholds { magnitudes: BTreeMap::new(), integers: Vec::new() };

    /// The magnitudes of a format.
    pub fn floats(&self, format: Format) -> &[Ordinal] {
        self.magnitudes.get(&format).map_or(&[], Vec::as_slice)
    }

    /// The constants with which functions compare numbers, or that limit integers.
    pub fn of_functions<'f>(
        code: &Code,
        functions: impl IntoIterator<Item = &'f Function>,
    ) -> Thresholds {
        let mut compared: BTreeSet<ConstantId> = BTreeSet::new();
        for block in functions.into_iter().flat_map(|function| &function.blocks) {
            for instruction in &block.instructions {
                let operands = match &instruction.act {
                    Act::FloatCompare { operands, .. }
                    | Act::IntegerCompare { operands, .. }
                    | Act::Integer {
                        operation:
                            IntegerOperation::UnsignedRem
                            | IntegerOperation::SignedRem
                            | IntegerOperation::And,
                        operands,
                        ..
                    } => Some(operands),
                    // Of other acts the constants are no limits.
                    _ => None,
                };
                if let Some(operands) = operands {
                    compared.extend(operands.iter().filter_map(|operand| match operand {
                        Operand::Constant(id) => Some(*id),
                        Operand::Register(_) => None,
                    }));
                }
            }
            if let End::Switch { cases, .. } = &block.end {
                compared.extend(cases.iter().map(|(constant, _)| *constant));
            }
        }
        let floats = compared.iter().filter_map(|id| match code.constant(*id) {
            (_, Constant::Float(format, word)) => Some(Float::from_word(*format, word.clone())),
            (_, _) => None,
        });
        let integers = compared.iter().filter_map(|id| match code.constant(*id) {
            (_, Constant::Integer(word)) if word.width() <= Integers::WIDEST => {
                Integers::of_bits(word.width(), word.to_u128()?).single()
            }
            (_, _) => None,
        });
        Thresholds::of(floats, integers)
    }

    /// Thresholds from a program's constants.
    fn of(floats: impl Iterator<Item = Float>, integers: impl Iterator<Item = i128>) -> Thresholds {
        let mut thresholds = Thresholds::default();
        for (_, format) in Format::NAMED {
            let mut list: Vec<Ordinal> = [-1000, -300, -100, -52, -30, -10, -1, 0, 1, 2, 4, 7, 10]
                .into_iter()
                .chain([16, 20, 31, 32, 40, 53, 63, 64, 100, 200, 300, 500, 700, 900, 1000])
                .map(|exponent| Grid::of(format).power(exponent))
                .filter(|&magnitude| magnitude > 0)
                .collect();
            list.push(Grid::of(format).min_normal());
            list.push(Grid::of(format).max_finite());
            thresholds.magnitudes.insert(format, list);
        }
        for float in floats {
            if let (Some(at), Some(list)) = (
                Grid::of(float.format()).place(&float),
                thresholds.magnitudes.get_mut(&float.format()),
            ) {
                let magnitude = if at < 0 { !at } else { at };
                if magnitude > 0 {
                    list.extend(
                        [magnitude - 1, magnitude, magnitude + 1].iter().filter(|m| **m > 0),
                    );
                }
            }
        }
        for list in thresholds.magnitudes.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        thresholds.integers =
            [-1, 0, 1, 255, 1 << 16, i128::from(i32::MAX) - 1, i128::from(i32::MAX)]
                .into_iter()
                .chain(integers.flat_map(|value| [value - 1, value, value + 1]))
                .collect();
        thresholds.integers.sort_unstable();
        thresholds.integers.dedup();
        thresholds
    }
}
