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

/// Whether every access to a variable is seen and lies within it, and no two of them overlap
/// without being the same stretch: the pass would make masks and shifts of those, on a whole
/// that is undefined at first (a `long double` put together from its parts, say).
fn is_kept_to(module: &Module, variable: Value) -> bool {
    let size = module.size_of(variable.value_type());
    if variable.operand(0).as_integer() != Some(1) {
        return false;
    }
    let mut stretches: Vec<(i64, u64)> = Vec::new();
    let mut open = vec![(variable, 0i64)];
    while let Some((pointer, offset)) = open.pop() {
        let within = |bytes: u64| {
            u64::try_from(offset).is_ok_and(|start| start.saturating_add(bytes) <= size)
        };
        for user in pointer.users() {
            let fine = match user.opcode() {
                Some(Opcode::LLVMLoad) => {
                    let bytes = module.stored_size(user.ty());
                    stretches.push((offset, bytes));
                    within(bytes)
                }
                Some(Opcode::LLVMStore) => {
                    let bytes = module.stored_size(user.operand(0).ty());
                    stretches.push((offset, bytes));
                    user.operand(0) != pointer && within(bytes)
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
                            let length = user.operand(2).as_integer().map(|n| n as u64);
                            // Of a part: like a store. Of the whole: the pass takes it apart.
                            if let Some(length) = length.filter(|length| *length < size) {
                                stretches.push((offset, length));
                            }
                            length.is_some_and(within)
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
    stretches.sort_unstable();
    stretches.dedup();
    stretches.windows(2).all(|pair| pair[0].0 + pair[0].1 as i64 <= pair[1].0)
}
