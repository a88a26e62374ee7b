//! Variables that nothing points to become registers.
//!
//! LLVM's `sroa` does it, structures and small arrays included. It drops accesses that lie
//! outside their variable, because they are undefined; here they are what somebody wants to
//! hear about. So a variable that is not plainly kept to is held back from the pass.

use crate::Fault;
use crate::llvm::{Builder, Module, Opcode, Value};

/// The function that held-back variables are handed to while the pass runs.
const HELD: &str = "nanoscope_held";

/// Makes registers of variables, all over a module.
pub fn promote(module: &Module) -> Result<(), Fault> {
    let ty = module.function_type(module.void(), &[module.pointer()]);
    let held = module.add_function(HELD, ty);
    let builder = Builder::new(module);
    for function in module.functions() {
        function.remove_attribute("optnone");
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction.opcode() == Some(Opcode::LLVMAlloca)
                    && !is_kept_to(module, instruction)
                    && let Some(next) = instruction.next()
                {
                    builder.before(next);
                    builder.call(held, &[instruction]);
                }
            }
        }
    }
    let passed = module.run("function(sroa<preserve-cfg>)");
    for call in held.users() {
        call.erase();
    }
    held.delete_function();
    passed
}

/// Whether every access to a variable is seen and lies within it.
fn is_kept_to(module: &Module, variable: Value) -> bool {
    let size = module.size_of(variable.value_type());
    if variable.operand(0).as_integer() != Some(1) {
        return false;
    }
    let mut open = vec![(variable, 0i64)];
    while let Some((pointer, offset)) = open.pop() {
        let within = |bytes: u64| {
            u64::try_from(offset).is_ok_and(|start| start.saturating_add(bytes) <= size)
        };
        for user in pointer.users() {
            let fine = match user.opcode() {
                Some(Opcode::LLVMLoad) => within(module.stored_size(user.ty())),
                Some(Opcode::LLVMStore) => {
                    user.operand(0) != pointer && within(module.stored_size(user.operand(0).ty()))
                }
                Some(Opcode::LLVMGetElementPtr) => match user.constant_offset() {
                    Some(further) => {
                        open.push((user, offset.saturating_add(further as i64)));
                        true
                    }
                    None => false,
                },
                Some(Opcode::LLVMCall) => match user.callee().and_then(Value::intrinsic_name) {
                    Some(name) => match name.as_str() {
                        "llvm.lifetime.start" | "llvm.lifetime.end" => true,
                        "llvm.memcpy" | "llvm.memmove" | "llvm.memset" => {
                            let length = user.operand(2).as_integer();
                            length.is_some_and(|length| within(length as u64))
                        }
                        name => name.starts_with("llvm.dbg."),
                    },
                    None => false,
                },
                _ => false,
            };
            if !fine {
                return false;
            }
        }
    }
    true
}
