//! Ranges: abstract interpretation proves what no number of paths would: loops without end
//! among others.

use super::goals::{self, Key, Site};
use nanoscope_program::Target;
use nanoscope_program::ir::{Act, Callee, Code, Constant, IntegerOperation, Operand};
use nanoscope_ranges::{Options, Start, analyse};
use nanoscope_report::Proof;
use std::collections::BTreeMap;
use std::time::Instant;

/// What it is called in reports.
const ENGINE: &str = "ranges";

/// What was proved.
#[derive(Debug, Default)]
pub(super) struct Proved {
    /// The questions that are answered "never".
    pub never: BTreeMap<Key, Proof>,
    /// Whether nothing can go wrong anywhere: every question is answered, and no access leaves
    /// its object, no integer is divided by zero, no shift is too far.
    pub everything: bool,
}

/// Asks which of the sites control can never come to.
pub(super) fn prove(
    code: &Code,
    target: Option<&Target>,
    sites: &[Site],
    deadline: Instant,
) -> Proved {
    let start = match (target, code.named("main").or_else(|| code.named("_QQmain"))) {
        (Some(target), _) => Start::Target(target),
        (None, Some(main)) => Start::Program(main),
        (None, None) => return Proved::default(),
    };
    // Failures matter here, not exceptions: nothing to cut the input space for.
    let options = Options {
        deadline: Some(deadline),
        wanted: target.is_none().then(Default::default),
        ..Options::default()
    };
    let found = analyse(code, start, &options);
    if found.stopped.is_some() {
        return Proved::default();
    }
    let mut reachable: BTreeMap<Key, bool> = BTreeMap::new();
    for failure in &found.failures {
        if let Some(key) = goals::key(code, &failure.callee, failure.location) {
            *reachable.entry(key).or_default() |= failure.may_be_reached;
        }
    }
    let proof = Proof { engine: ENGINE.to_owned(), assumptions: found.assumptions.clone() };
    let never: BTreeMap<Key, Proof> = sites
        .iter()
        .map(Site::key)
        .filter(|key| reachable.get(key) == Some(&false))
        .map(|key| (key, proof.clone()))
        .collect();
    let everything =
        never.len() == sites.len() && found.accesses_stay_inside && nothing_else_can_go_wrong(code);
    Proved { never, everything }
}

/// Whether the code has nothing in it that can go wrong beside accesses and calls of error
/// functions.
fn nothing_else_can_go_wrong(code: &Code) -> bool {
    let acts = code.functions.iter().flat_map(|function| &function.blocks);
    let mut acts = acts.flat_map(|block| &block.instructions).map(|instruction| &instruction.act);
    acts.all(|act| {
        if let Act::Integer { operation, bits, operands, .. } = act {
            return is_safe(code, *operation, *bits, operands);
        }
        if let Act::Call { callee: Callee::Function(callee), .. } = act {
            let name = code.function(*callee).name.as_str();
            return !matches!(name, "free" | "realloc" | "_ZdlPv" | "_ZdaPv");
        }
        !matches!(act, Act::Call { callee: Callee::Address(_), .. } | Act::Unknown { .. })
    })
}

/// Whether an integer operation is defined for all values of its first operand.
fn is_safe(code: &Code, operation: IntegerOperation, bits: u32, operands: &[Operand; 2]) -> bool {
    use IntegerOperation::*;
    let second = match operands[1] {
        Operand::Constant(id) => match &code.constant(id).1 {
            Constant::Integer(word) => word.to_u128(),
            _ => None,
        },
        Operand::Register(_) => None,
    };
    match operation {
        UnsignedDiv | UnsignedRem => second.is_some_and(|by| by != 0),
        // The smallest number divided by minus one is not there.
        SignedDiv | SignedRem => {
            second.is_some_and(|by| by != 0 && by != u128::MAX >> (128 - bits))
        }
        ShiftLeft | LogicalShiftRight | ArithmeticShiftRight => {
            second.is_some_and(|by| by < u128::from(bits))
        }
        Add
        | Sub
        | Mul
        | And
        | Or
        | Xor
        | UnsignedMin
        | UnsignedMax
        | SignedMin
        | SignedMax
        | SaturatingUnsignedAdd
        | SaturatingSignedAdd
        | SaturatingUnsignedSub
        | SaturatingSignedSub
        | SaturatingUnsignedShiftLeft
        | SaturatingSignedShiftLeft
        | UnsignedAddOverflow
        | SignedAddOverflow
        | UnsignedSubOverflow
        | SignedSubOverflow
        | UnsignedMulOverflow
        | SignedMulOverflow
        | UnsignedCompare
        | SignedCompare => true,
    }
}
