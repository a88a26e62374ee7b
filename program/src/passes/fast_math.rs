//! Fast-math flags: what they let the compiler compute is decided once, in the bitcode that
//! analyses, probes and the original library are all made of, so that they speak of one program.
//!
//! Without optimisation LLVM uses none of these freedoms. With it, what its passes compute is in
//! the bitcode already (`compile`), and the code generator gets no freedom of its own. `contract`
//! is used on a machine with fused operations only, and as LLVM's code generator does: a sum or
//! difference takes up a product of its own block that has no other use.

use crate::goal::site;
use crate::llvm::{Builder, FastMath, Module, Opcode, Value};
use nanoscope_ieee::Format;

/// Decides; no operation has a flag then. `optimises`: whether the program is compiled with
/// optimisation.
pub(crate) fn decide(module: &Module, optimises: bool) {
    let builder = Builder::new(module);
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        let features = function.string_attribute("target-features").unwrap_or_default();
        let fuses = features.split(',').any(|f| f == "+fma" || f == "+fma4");
        for block in function.blocks() {
            for instruction in block.instructions() {
                multiply_add(module, &builder, instruction, fuses);
            }
            if fuses && optimises {
                for instruction in block.instructions() {
                    contract(module, &builder, instruction);
                }
            }
            for instruction in block.instructions() {
                instruction.set_fast_math(FastMath::NONE);
            }
        }
        function.forget_classes();
        FREEDOMS.iter().for_each(|freedom| function.remove_string_attribute(freedom));
    }
}

/// Attributes of functions that say of all their operations what flags say of one.
const FREEDOMS: &[&str] = &[
    "unsafe-fp-math",
    "no-infs-fp-math",
    "no-nans-fp-math",
    "no-signed-zeros-fp-math",
    "approx-func-fp-math",
];

/// `a * b + c` in one expression (clang's default): one operation where the machine has it, a
/// multiplication and an addition elsewhere.
fn multiply_add(module: &Module, builder: &Builder, instruction: Value, fuses: bool) {
    const PLAIN: &str = "llvm.fmuladd.";
    const CONSTRAINED: &str = "llvm.experimental.constrained.fmuladd.";
    let Some(callee) = instruction.callee() else { return };
    let name = callee.name();
    let constrained = name.starts_with(CONSTRAINED);
    if !constrained && !name.starts_with(PLAIN) {
        return;
    }
    let arguments = instruction.arguments();
    let (a, b, c) = (arguments[0], arguments[1], arguments[2]);
    builder.before(instruction);
    builder.place_as(instruction);
    // A constrained operation carries its rounding and exception modes along.
    let operation = |opcode: Opcode, word: &str, a: Value, b: Value| {
        if !constrained {
            return builder.binary(opcode, a, b);
        }
        let modes = [arguments[3], arguments[4]];
        let types = [a, b, modes[0], modes[1]].map(Value::ty);
        let ty = module.function_type(instruction.ty(), &types);
        let same = module.add_function(&name.replace("fmuladd", word), ty);
        builder.call(same, &[a, b, modes[0], modes[1]])
    };
    let replacement = if fuses && is_fusable(instruction) {
        let same = module.add_function(&name.replace("fmuladd", "fma"), callee.value_type());
        builder.call(same, &arguments)
    } else {
        // The location is the sum's. The product is told apart by that of an operand, where its
        // expression begins.
        let is_load = |value: &Value| value.opcode() == Some(Opcode::LLVMLoad);
        let _ = [a, b]
            .into_iter()
            .filter(is_load)
            .any(|operand| builder.place_as_neighbour(instruction, operand));
        let product = operation(Opcode::LLVMFMul, "fmul", a, b);
        product.set_fast_math(instruction.fast_math());
        builder.place_as(instruction);
        operation(Opcode::LLVMFAdd, "fadd", product, c)
    };
    replacement.set_fast_math(instruction.fast_math());
    instruction.replace_with(replacement);
    instruction.erase();
}

/// A sum or difference that may contract takes up a product that may, has no other use and
/// stands in the same block. Of two products the first is taken.
fn contract(module: &Module, builder: &Builder, sum: Value) {
    let is_difference = match sum.opcode() {
        Some(Opcode::LLVMFAdd) => false,
        Some(Opcode::LLVMFSub) => true,
        _ => return,
    };
    let is_product = |value: &Value| {
        value.opcode() == Some(Opcode::LLVMFMul)
            && value.fast_math().has(FastMath::CONTRACT)
            && value.block() == sum.block()
            && value.users().len() == 1
    };
    let operands = [sum.operand(0), sum.operand(1)];
    let Some(position) = operands.iter().position(is_product) else { return };
    if !sum.fast_math().has(FastMath::CONTRACT) || !is_fusable(sum) {
        return;
    }
    let product = operands[position];
    builder.before(sum);
    builder.place_as(sum);
    let (mut a, b, mut c) = (product.operand(0), product.operand(1), operands[1 - position]);
    match (is_difference, position) {
        (false, _) => {}
        (true, 0) => c = builder.negative(c),
        (true, _) => a = builder.negative(a),
    }
    let ty = module.function_type(sum.ty(), &[sum.ty(); 3]);
    let fused = module.add_function(&format!("llvm.fma.{}", sum.ty().suffix()), ty);
    let replacement = builder.call(fused, &[a, b, c]);
    replacement.set_fast_math(sum.fast_math());
    sum.replace_with(replacement);
    sum.erase();
    product.erase();
}

/// Whether the machine has the operation in this format.
fn is_fusable(value: Value) -> bool {
    matches!(site::scalar_format(value), Some(Format::BINARY32 | Format::BINARY64))
}
