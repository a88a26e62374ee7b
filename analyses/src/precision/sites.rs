//! The places of a target that goals are about: operations that give a float, comparisons,
//! conversions to integers.

use crate::shadow::At;
use nanoscope_ieee::{Format, Operation, operations};
use nanoscope_program::ir::{Act, Callee, Code, FunctionId, Instruction, Special, Type};
use nanoscope_program::{SiteId, Target};
use nanoscope_report::Place;
use std::collections::BTreeSet;

/// What happens at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum SiteKind {
    /// An operation gives a float of a format.
    Value(Format),
    /// Two floats are compared.
    Comparison,
    /// A float becomes an integer, or is rounded to one.
    Conversion,
}

/// An operation of the program.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub kind: SiteKind,
    /// As reports name it: `fadd`, `sqrt`, `fcmp`, …
    pub operation: String,
    pub place: Place,
    /// The calls it was inlined through, innermost first.
    pub inlined_at: Vec<Place>,
    /// What `program` calls it, where it is one operation of a graph.
    pub identity: Option<SiteId>,
}

impl Site {
    /// Whether it is a function that is not defined for all numbers.
    pub fn has_domain(&self) -> bool {
        let name = self.operation.trim_end_matches(['f', 'l']);
        self.operation == "sqrt" || super::libm::inside(name, 0.5).is_some()
    }
}

/// All places of a target, and where each stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Sites {
    pub list: Vec<Site>,
    /// By function, block and instruction.
    index: Vec<Vec<Vec<u32>>>,
}

const NONE: u32 = u32::MAX;

impl Sites {
    /// Those in code that a target's entry can reach.
    pub fn of(code: &Code, target: &Target) -> Sites {
        let mut sites = Sites { index: vec![Vec::new(); code.functions.len()], ..Sites::default() };
        let Some(entry) = code.named(&format!("nanoscope_run_{}", target.entry)) else {
            return sites;
        };
        let mut seen = BTreeSet::from([entry]);
        let mut pending = vec![entry];
        while let Some(id) = pending.pop() {
            sites.add(code, id, id == entry);
            for called in calls(code, id) {
                if seen.insert(called) {
                    pending.push(called);
                }
            }
        }
        sites
    }

    /// The number of the place of an instruction.
    pub fn at(&self, at: At) -> Option<usize> {
        let block = self.index.get(at.function as usize)?.get(at.block as usize)?;
        block.get(at.index as usize).copied().filter(|&site| site != NONE).map(|site| site as usize)
    }

    fn add(&mut self, code: &Code, id: FunctionId, is_entry: bool) {
        let function = code.function(id);
        let mut index = Vec::with_capacity(function.blocks.len());
        for body in &function.blocks {
            let mut row = vec![NONE; body.instructions.len()];
            for (place, instruction) in body.instructions.iter().enumerate() {
                let location = code.location(instruction.location);
                // What hands the inputs over is nobody's source.
                if is_entry && location.line == 0 {
                    continue;
                }
                let ty = instruction.result.map(|at| &function.registers[at.0 as usize]);
                let Some((kind, operation)) = described(code, instruction, ty) else { continue };
                row[place] = self.list.len() as u32;
                let is_single = is_single(&instruction.act) && !SEVERAL.contains(&&*operation);
                self.list.push(Site {
                    kind,
                    operation,
                    place: placed(location),
                    inlined_at: location.inlined_at.iter().map(placed).collect(),
                    identity: instruction.site.filter(|_| is_single),
                });
            }
            index.push(row);
        }
        self.index[id.0 as usize] = index;
    }
}

fn placed(location: &nanoscope_program::Location) -> Place {
    Place { file: location.file.clone(), line: location.line, column: location.column }
}

/// The functions that a function calls by name.
fn calls(code: &Code, id: FunctionId) -> Vec<FunctionId> {
    let blocks = &code.function(id).blocks;
    let instructions = blocks.iter().flat_map(|block| &block.instructions);
    instructions
        .filter_map(|instruction| match &instruction.act {
            Act::Call { callee: Callee::Function(id), .. } => Some(*id),
            _ => None,
        })
        .collect()
}

/// Functions that give several numbers.
const SEVERAL: [&str; 4] = ["sincos", "sincosf", "modf", "frexp"];

/// Whether an instruction is one operation, on each lane: sums of vectors and powers are several.
fn is_single(act: &Act) -> bool {
    match act {
        Act::Float { .. } | Act::FloatCompare { .. } => true,
        Act::Special { special: Special::Libm(..), .. } => true,
        Act::Call { .. } => true,
        // Anything else is made of several operations, or is no site.
        _ => false,
    }
}

/// What an instruction is to precision; nothing for what rounds and decides nothing.
fn described(
    code: &Code,
    instruction: &Instruction,
    ty: Option<&Type>,
) -> Option<(SiteKind, String)> {
    let format = match ty.map(Type::lane) {
        Some(Type::Float(format)) => Some(*format),
        Some(_) | None => None,
    };
    match &instruction.act {
        Act::Float { operation, parameters, .. } => {
            let (kind, name) = row(*operation, parameters.format, format)?;
            Some((kind, name.to_owned()))
        }
        Act::FloatCompare { .. } => Some((SiteKind::Comparison, "fcmp".to_owned())),
        Act::Special { special: Special::Libm(function, _), .. } => libm(function.name(), format),
        Act::Special { special: Special::IntegerPower(_), .. } => libm("powi", format),
        Act::Special { special: Special::ReduceFloat(operation), .. } => {
            let (kind, name) = row(*operation, format?, format)?;
            Some((kind, name.to_owned()))
        }
        Act::Call { callee: Callee::Function(id), .. } => {
            let function = code.function(*id);
            if function.is_defined() {
                return None;
            }
            libm(&function.name, format)
        }
        _ => None,
    }
}

/// A function of the mathematical library.
fn libm(name: &str, format: Option<Format>) -> Option<(SiteKind, String)> {
    let bare = name.trim_end_matches(['f', 'l']);
    if matches!(bare, "lround" | "llround" | "lrint" | "llrint") {
        return Some((SiteKind::Conversion, name.to_owned()));
    }
    let steps = ["floor", "ceil", "trunc", "round", "rint", "nearbyint", "roundeven", "modf"];
    let format = format?;
    let plain = if format == Format::BINARY32 { name.trim_end_matches('f') } else { name };
    if steps.contains(&plain) || steps.contains(&name) {
        return Some((SiteKind::Conversion, name.to_owned()));
    }
    Some((SiteKind::Value(format), name.to_owned()))
}

/// A row of the operation table.
fn row(
    operation: Operation,
    format: Format,
    result: Option<Format>,
) -> Option<(SiteKind, &'static str)> {
    use Operation as Op;
    let value = SiteKind::Value(result.unwrap_or(format));
    Some(match operation {
        Op::Add => (value, "fadd"),
        Op::Sub => (value, "fsub"),
        Op::Mul => (value, "fmul"),
        Op::Div => (value, "fdiv"),
        Op::Fma => (value, "fma"),
        Op::Sqrt => (value, "sqrt"),
        Op::Remainder => (value, "remainder"),
        Op::Fmod => (value, "frem"),
        Op::FromSigned => (value, "sitofp"),
        Op::FromUnsigned => (value, "uitofp"),
        Op::Convert if result.is_some_and(|to| to.precision < format.precision) => {
            (value, "fptrunc")
        }
        Op::Convert => return None,
        Op::RoundToIntegral | Op::RoundToIntegralExact => (SiteKind::Conversion, "rint"),
        Op::ToSigned => (SiteKind::Conversion, "fptosi"),
        Op::ToUnsigned => (SiteKind::Conversion, "fptoui"),
        Op::Identical | Op::Unordered => return None,
        operations!(Choice, Sign, Step, Encoding, Classify) => return None,
        operations!(Order) => (SiteKind::Comparison, "fcmp"),
    })
}
