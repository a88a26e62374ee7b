//! Operations in formats that the machine computes by other instructions or by calls: half
//! precision, bfloat16 and quadruple precision. No trap of theirs tells what they raised, so a
//! finding is confirmed by a look at what they were given and gave, in the original program
//! compiled with the user's flags.

use crate::goal::site::{self, Action, Found};
use crate::llvm::{Builder, Module, Type, TypeKind, Value};
use crate::{Site, actions};
use nanoscope_ieee::Format;

/// Whether a format has no instructions of its own on x86-64.
pub fn is_soft(format: Format) -> bool {
    matches!(format, Format::BINARY16 | Format::BFLOAT16 | Format::BINARY128)
}

/// Whether a site is looked at by a check, as no trap tells of it.
pub fn is_checked(site: &Site) -> bool {
    kind(site.action, site.format).is_some()
}

/// What `checks.c` is told of an operation: its operands, and how it makes zeros. Nothing of one
/// that an instruction does.
fn kind(action: Action, format: Format) -> Option<u64> {
    const DIVISION: u64 = 4;
    const PRODUCT: u64 = 8;
    let narrows_soft = matches!(action, Action::Narrow { from } if is_soft(from));
    if !is_soft(format) && !narrows_soft {
        return None;
    }
    match action {
        actions!(Sum) => Some(2),
        Action::Mul => Some(2 | PRODUCT),
        Action::Div => Some(2 | DIVISION),
        Action::Fma => Some(3),
        Action::Sqrt => Some(1),
        Action::Narrow { .. } => Some(1 | PRODUCT),
        Action::Rem | Action::Libm(_) | actions!(ToIntegers) => None,
    }
}

/// Puts a look behind every such operation on scalars.
pub(crate) fn check(module: &Module, sites: &[Found]) {
    let b = Builder::new(module);
    let (word, long) = (module.integer(32), module.integer(64));
    let types: Vec<Type> = [word; 6].into_iter().chain([long; 8]).collect();
    let ty = module.function_type(module.void(), &types);
    let computed = module.add_function("nanoscope_computed", ty);
    for (number, found) in sites.iter().enumerate() {
        let is_scalar = matches!(found.instruction.ty().kind(), TypeKind::Float(_));
        let Some(kind) = kind(found.action, found.format).filter(|_| is_scalar) else {
            continue;
        };
        let Some(after) = found.instruction.next() else { continue };
        b.before(after);
        let given = site::scalar_format(found.instruction.operand(0)).unwrap_or(found.format);
        let mut arguments = vec![word.constant(number as u64), word.constant(kind)];
        for format in [given, found.format] {
            let fraction = format.width() - 1 - format.exponent_bits;
            arguments.push(word.constant(u64::from(format.exponent_bits)));
            arguments.push(word.constant(u64::from(fraction)));
        }
        let mut push = |value: Option<Value>| {
            let halves = value.map_or([long.zero(); 2], |value| {
                let TypeKind::Float(format) = value.ty().kind() else { return [long.zero(); 2] };
                let bits = b.bitcast(value, module.integer(format.width()));
                let bits = b.resize(bits, module.integer(128));
                [b.resize(bits, long), b.resize(b.shift_right(bits, 64), long)]
            });
            arguments.extend(halves);
        };
        let operands = found.action.operands() as u32;
        (0..3).for_each(|i| push((i < operands).then(|| found.instruction.operand(i))));
        push(Some(found.instruction));
        b.call(computed, &arguments);
    }
}
