//! Powers with a constant integer exponent (`x**2` in Fortran) as the multiplications that they
//! are compiled to.
//!
//! Code generator and run-time both square and multiply from the lowest bit of the exponent
//! upward, and divide one by the result for a negative one; they differ in multiplications by
//! one, which are exact. So sites stand at what is computed, and engines need no enclosure of it.

use crate::llvm::{Builder, Module, Opcode, TypeKind, Value};

/// Exponents of greater magnitude stay calls.
const GREATEST: u64 = 64;

/// Writes out every power whose exponent is a small constant.
pub(crate) fn expand(module: &Module) {
    let builder = Builder::new(module);
    let powers = module.functions().into_iter().filter(|f| f.name().starts_with("llvm.powi."));
    let calls: Vec<Value> = powers.flat_map(|power| power.users()).collect();
    for call in calls {
        let arguments = call.arguments();
        let [base, exponent] = arguments[..] else { continue };
        let Some(exponent) = exponent.as_integer() else { continue };
        let is_scalar = matches!(call.ty().kind(), TypeKind::Float(_));
        if exponent == 0 || exponent.unsigned_abs() > GREATEST || exponent < 0 && !is_scalar {
            continue;
        }
        builder.before(call);
        builder.place_as(call);
        let multiply = |a: Value, b: Value| {
            let product = builder.binary(Opcode::LLVMFMul, a, b);
            product.set_fast_math(call.fast_math());
            product
        };
        let mut square = base;
        let mut product: Option<Value> = None;
        let mut rest = exponent.unsigned_abs();
        loop {
            if rest & 1 == 1 {
                product = Some(product.map_or(square, |product| multiply(product, square)));
            }
            rest >>= 1;
            if rest == 0 {
                break;
            }
            square = multiply(square, square);
        }
        let mut value = product.expect("the exponent is not zero");
        if exponent < 0 {
            value = builder.binary(Opcode::LLVMFDiv, call.ty().real(1.0), value);
            value.set_fast_math(call.fast_math());
        }
        call.replace_with(value);
        call.erase();
    }
}
