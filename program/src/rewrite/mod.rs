//! Rewritings: other formulas for the same real value, which avoid exceptions on the way to it.
//!
//! A rewriting looks at one instruction and offers formulas in its place. Whether an offer helps
//! is not decided here: an offer can be applied, which gives another program, and who asked
//! runs that. A row of [`REWRITINGS`] and a function each:
//!
//! - `formula.rs`: formulas, read from instructions, printed, and written as instructions
//! - `hypot.rs`: roots of sums of squares; `scaling.rs`: scaling before squaring
//! - `averages.rs`: dividing before adding
//! - `products.rs`: other orders of products and quotients
//! - `logarithms.rs`, `exponentials.rs`: functions of libm that do not leave the range

mod averages;
mod exponentials;
mod formula;
mod hypot;
mod logarithms;
mod names;
mod products;
mod scaling;

use crate::compile::Bitcode;
use crate::llvm::{Builder, Module, Opcode, TypeKind, Value};
use crate::program::Program;
use crate::{Fault, Location};
use formula::{Formula, Writer, is_called};
use names::Names;
use nanoscope_ieee::Format;
use std::collections::BTreeSet;
use std::path::Path;

/// An instruction and the formula that takes its place.
type Edit = (Value, Formula);

/// What a rewriting offers for an instruction: each a list of edits that belong together.
type Find = fn(Value) -> Vec<Vec<Edit>>;

/// Every rewriting, those that are safe on most inputs first.
const REWRITINGS: &[(&str, Find)] = &[
    ("hypot", hypot::straight),
    ("hypot", hypot::in_a_loop),
    ("difference of squares", scaling::difference),
    ("scaling before squaring", scaling::root),
    ("scaling before squaring", scaling::quotient),
    ("log1p", logarithms::log1p),
    ("asinh, acosh", logarithms::area),
    ("logarithm of a sum of exponentials", logarithms::sum_of_exponentials),
    ("sum of logarithms", logarithms::of_product),
    ("tanh", exponentials::tanh),
    ("expm1", exponentials::expm1),
    ("one exponential", exponentials::quotient),
    ("one exponential", exponentials::of_sum),
    ("dividing before adding", averages::straight),
    ("dividing before adding", averages::in_a_loop),
    ("dividing through", products::through),
    ("another order", products::reorder),
    ("two roots", products::roots),
];

/// Another way to compute a value.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What the rewriting is called.
    pub rewriting: &'static str,
    /// The formulas to change.
    pub steps: Vec<Step>,
    /// The operations that are gone afterwards.
    pub replaced: Vec<Location>,
    /// The operations that use the values.
    pub feeds: Vec<Location>,
}

/// A formula and what takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it stands.
    pub location: Location,
    /// As it is.
    pub before: String,
    /// As it may be.
    pub after: String,
}

/// A program prepared for rewriting: variables are registers, equal values are one.
pub struct Rewriter {
    module: Module,
    bitcode: Bitcode,
    offers: Vec<Offer>,
}

/// Passes that make registers of variables and one value of equal ones. They change no number.
const PREPARE: &str = "function(mem2reg,early-cse<memssa>)";

impl Program {
    /// Looks for formulas that could be others.
    pub fn rewriter(&self) -> Result<Rewriter, Fault> {
        let module = self.module.copy();
        module.functions().into_iter().for_each(|function| function.remove_attribute("optnone"));
        let names = Names::give(&module);
        module.run(PREPARE)?;
        let offers = changes(&module).iter().map(|change| change.offer(&names)).collect();
        Ok(Rewriter { module, bitcode: self.bitcode.clone(), offers })
    }
}

impl Rewriter {
    /// What could be changed, in the order of the program.
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// The program with some offers (by their positions) taken; its bitcode is kept in a folder.
    pub fn apply(&self, chosen: &[usize], folder: &Path) -> Result<Program, Fault> {
        let module = self.module.copy();
        let changes = changes(&module);
        let mut replaced = BTreeSet::new();
        let builder = Builder::new(&module);
        for &number in chosen {
            let change = &changes[number];
            replaced.extend(change.replaced());
            for (instruction, formula) in &change.edits {
                let new = Writer::new(&module, &builder, *instruction).write(formula);
                instruction.replace_with(new);
            }
        }
        erase_unused(replaced);
        module.verify()?;
        let path = folder.join("rewritten.bc");
        module.write(&path)?;
        Program::load(Bitcode { path, runtime: Vec::new(), ..self.bitcode.clone() })
    }
}

/// A change that a rewriting proposes.
struct Change {
    rewriting: &'static str,
    edits: Vec<Edit>,
}

impl Change {
    /// The operations that nothing needs afterwards, from the result to the operands.
    fn replaced(&self) -> Vec<Value> {
        let kept: BTreeSet<Value> =
            self.edits.iter().flat_map(|(_, formula)| formula.values()).collect();
        let mut list = Vec::new();
        let mut pending: Vec<Value> = self.edits.iter().map(|(root, _)| *root).collect();
        while let Some(value) = pending.pop() {
            let is_root = self.edits.iter().any(|(root, _)| *root == value);
            let is_kept = kept.contains(&value) && !is_root;
            if is_kept || list.contains(&value) || !formula::is_operation(value) {
                continue;
            }
            list.push(value);
            pending.extend(value.operands());
        }
        list
    }

    fn offer(&self, names: &Names) -> Offer {
        let step = |(root, formula): &Edit| {
            let format = format_of(*root).unwrap_or(Format::BINARY64);
            Step {
                location: root.location(),
                before: Formula::read(*root).text(names, format),
                after: formula.text(names, format),
            }
        };
        let users = self.edits.iter().flat_map(|(root, _)| root.users());
        Offer {
            rewriting: self.rewriting,
            steps: self.edits.iter().map(step).collect(),
            replaced: self.replaced().into_iter().map(Value::location).collect(),
            feeds: users.filter(|user| user.opcode().is_some()).map(Value::location).collect(),
        }
    }
}

/// Every change to a module, in the order of its instructions.
fn changes(module: &Module) -> Vec<Change> {
    let mut list = Vec::new();
    for function in module.functions() {
        for block in function.blocks() {
            let numbers = block.instructions().into_iter().filter(|it| format_of(*it).is_some());
            for instruction in numbers {
                for (rewriting, find) in REWRITINGS {
                    let found = find(instruction).into_iter();
                    list.extend(found.map(|edits| Change { rewriting, edits }));
                }
            }
        }
    }
    list
}

/// The format of what an instruction gives, where C has functions for it.
fn format_of(instruction: Value) -> Option<Format> {
    match instruction.ty().kind() {
        TypeKind::Float(format @ (Format::BINARY32 | Format::BINARY64 | Format::X87)) => {
            Some(format)
        }
        _ => None,
    }
}

/// Erases operations that nothing uses any more. Calls of libm are among them: what they do to
/// `errno` belongs to the formula that is gone.
fn erase_unused(mut candidates: BTreeSet<Value>) {
    loop {
        let unused: Vec<Value> =
            candidates.iter().copied().filter(|value| value.users().is_empty()).collect();
        if unused.is_empty() {
            return;
        }
        for value in unused {
            candidates.remove(&value);
            value.erase();
        }
    }
}

/// A sum that a loop makes: `sum = 0; … sum = sum + added`.
struct Reduction {
    /// The sum at the head of the loop.
    sum: Value,
    /// The addition.
    step: Value,
    /// What is added.
    added: Value,
}

impl Reduction {
    /// The reduction that `value` is the result of, if `user` alone uses it.
    fn of(value: Value, user: Value) -> Option<Reduction> {
        let is_phi = |value: &Value| value.opcode() == Some(Opcode::LLVMPHI);
        let sum = match is_phi(&value) {
            true => value,
            false => {
                let (a, b) = formula::binary(value, Opcode::LLVMFAdd)?;
                [a, b].into_iter().find(is_phi)?
            }
        };
        let incoming: Vec<Value> = sum.incoming().into_iter().map(|(value, _)| value).collect();
        let [first, second] = incoming[..] else { return None };
        let is_zero = |value: Value| value.as_double() == Some(0.0);
        let step = match (is_zero(first), is_zero(second)) {
            (true, false) => second,
            (false, true) => first,
            (true, true) | (false, false) => return None,
        };
        let (a, b) = formula::binary(step, Opcode::LLVMFAdd)?;
        let added = match (a == sum, b == sum) {
            (true, false) => b,
            (false, true) => a,
            (true, true) | (false, false) => return None,
        };
        let only =
            |value: Value, users: [Value; 2]| value.users().iter().all(|one| users.contains(one));
        (only(sum, [step, user]) && only(step, [sum, user])).then_some(Reduction {
            sum,
            step,
            added,
        })
    }
}

/// Whether a value is a constant or a parameter (converted, perhaps): it can be computed anywhere
/// in its function.
fn is_available_everywhere(value: Value) -> bool {
    if value.is_constant() || value.parent_function().is_some() {
        return true;
    }
    let is_cast = matches!(
        value.opcode(),
        Some(Opcode::LLVMSIToFP | Opcode::LLVMUIToFP | Opcode::LLVMFPExt | Opcode::LLVMFPTrunc)
    );
    is_cast && is_available_everywhere(value.operand(0))
}

/// The offer of one formula in the place of one instruction.
fn one(root: Value, formula: Option<Formula>) -> Vec<Vec<Edit>> {
    formula.map(|formula| vec![(root, formula)]).into_iter().collect()
}

/// The one argument of a call of a function of libm, in any format.
fn argument_of(value: Value, function: &str) -> Option<Value> {
    is_called(value, function).then(|| value.operand(0))
}
