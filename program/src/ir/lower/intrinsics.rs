//! LLVM's intrinsics: what is written as a call but is none.

use super::body::Body;
use crate::ir::{
    Act, Constant, IntegerConversion, IntegerOperation, IntegerUnary, Operand, Promises, Special,
    Type,
};
use crate::llvm::{Opcode, TypeKind, Value};
use nanoscope_ieee::Operation;

impl Body<'_, '_> {
    /// The operand that an instruction merely passes on, where it does: what the compiler
    /// was told about it is not needed here.
    pub fn stands_for(&mut self, value: Value) -> Option<Operand> {
        match value.opcode()? {
            Opcode::LLVMCall => {}
            Opcode::LLVMGetElementPtr if goes_nowhere(value) => {
                return Some(self.operand(value.operand(0)));
            }
            _ => return None,
        }
        let name = value.callee()?.intrinsic_name()?;
        match name.strip_prefix("llvm.")? {
            "expect"
            | "expect.with.probability"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy"
            | "annotation"
            | "ptr.annotation"
            | "threadlocal.address"
            | "arithmetic.fence"
            | "preserve.array.access.index"
            | "preserve.struct.access.index"
            | "preserve.union.access.index" => Some(self.operand(value.operand(0))),
            "is.constant" => Some(self.lowerer.integer(1, 0)),
            _ => None,
        }
    }

    /// Lowers a call of an intrinsic.
    pub fn intrinsic(&mut self, call: Value, full_name: &str) {
        if self.stands_for(call).is_some() {
            return;
        }
        let name = full_name.strip_prefix("llvm.").unwrap_or(full_name);
        if says_nothing(name) || self.masked(call, name) {
            return;
        }
        let act = match name.strip_prefix("experimental.constrained.") {
            Some(name) => self.float_intrinsic(call, name),
            None => self
                .integer_intrinsic(call, name)
                .or_else(|| self.memory_intrinsic(call, name))
                .or_else(|| self.vector_intrinsic(call, name))
                .or_else(|| self.x86_intrinsic(call, name))
                .or_else(|| self.float_intrinsic(call, name)),
        };
        match act {
            None => self.unknown(call),
            Some(act) if call.ty().kind() == TypeKind::Void => self.emit(None, act),
            Some(act) => self.give(call, act),
        }
    }

    /// Integer arithmetic that C has no operators for.
    fn integer_intrinsic(&mut self, call: Value, name: &str) -> Option<Act> {
        use IntegerOperation as I;
        use IntegerUnary as U;
        let unary = match name {
            "abs" => Some(U::Abs),
            "ctpop" => Some(U::CountOnes),
            "ctlz" => Some(U::LeadingZeros),
            "cttz" => Some(U::TrailingZeros),
            "bswap" => Some(U::SwapBytes),
            "bitreverse" => Some(U::ReverseBits),
            _ => None,
        };
        if let Some(operation) = unary {
            let operand = self.operand(call.operand(0));
            let bits = self.operand_type(operand).lane().bits()?;
            return Some(Act::IntegerUnary { operation, bits, operand });
        }
        if let "fshl" | "fshr" = name {
            let operands = [0, 1, 2].map(|i| self.operand(call.operand(i)));
            let bits = self.operand_type(operands[0]).lane().bits()?;
            return Some(Act::FunnelShift { left: name == "fshl", bits, operands });
        }
        let operation = match name {
            "umin" => I::UnsignedMin,
            "umax" => I::UnsignedMax,
            "smin" => I::SignedMin,
            "smax" => I::SignedMax,
            "uadd.sat" => I::SaturatingUnsignedAdd,
            "sadd.sat" => I::SaturatingSignedAdd,
            "usub.sat" => I::SaturatingUnsignedSub,
            "ssub.sat" => I::SaturatingSignedSub,
            "ushl.sat" => I::SaturatingUnsignedShiftLeft,
            "sshl.sat" => I::SaturatingSignedShiftLeft,
            "uadd.with.overflow" => I::UnsignedAddOverflow,
            "sadd.with.overflow" => I::SignedAddOverflow,
            "usub.with.overflow" => I::UnsignedSubOverflow,
            "ssub.with.overflow" => I::SignedSubOverflow,
            "umul.with.overflow" => I::UnsignedMulOverflow,
            "smul.with.overflow" => I::SignedMulOverflow,
            "ucmp" => I::UnsignedCompare,
            "scmp" => I::SignedCompare,
            _ => return None,
        };
        Some(self.integer(call, operation, Promises::default()))
    }

    /// Memory, the stack, variable arguments, the environment.
    fn memory_intrinsic(&mut self, call: Value, name: &str) -> Option<Act> {
        let (special, count) = match name {
            "memcpy" | "memcpy.inline" | "memcpy.element.unordered.atomic" => {
                (Special::Copy { may_overlap: false }, 3)
            }
            "memmove" | "memmove.element.unordered.atomic" => {
                (Special::Copy { may_overlap: true }, 3)
            }
            "memset" | "memset.inline" | "memset.element.unordered.atomic" => (Special::Fill, 3),
            "va_start" => (Special::ArgumentsBegin, 1),
            "va_copy" => (Special::ArgumentsCopy, 2),
            "va_end" => (Special::ArgumentsEnd, 1),
            "assume" => (Special::Assume, 1),
            "trap" | "debugtrap" | "ubsantrap" => (Special::Trap, 0),
            "get.rounding" => (Special::Rounding, 0),
            "set.rounding" => (Special::SetRounding, 1),
            "stacksave" => (Special::StackSave, 0),
            "stackrestore" => (Special::StackRestore, 1),
            "objectsize" => (Special::ObjectSize, 2),
            "returnaddress"
            | "frameaddress"
            | "addressofreturnaddress"
            | "sponentry"
            | "readcyclecounter"
            | "readsteadycounter"
            | "eh.typeid.for"
            | "thread.pointer"
            | "x86.rdtsc" => (Special::Unknowable, 0),
            "ptrmask" => return self.mask_pointer(call),
            _ => return None,
        };
        let operands = (0..count).map(|i| self.operand(call.operand(i))).collect();
        Some(Act::Special { special, operands })
    }

    fn mask_pointer(&mut self, call: Value) -> Option<Act> {
        let pointer = self.operand(call.operand(0));
        let mask = self.operand(call.operand(1));
        let (address, number) = (self.type_of(call), self.operand_type(mask).clone());
        let bits = number.lane().bits()?;
        let from = Act::Convert {
            conversion: IntegerConversion::FromPointer,
            operand: pointer,
            from: address.clone(),
            to: number.clone(),
        };
        let operands = [self.step(number.clone(), from), mask];
        let promises = Promises::default();
        let and = Act::Integer { operation: IntegerOperation::And, bits, operands, promises };
        let operand = self.step(number.clone(), and);
        let conversion = IntegerConversion::ToPointer;
        Some(Act::Convert { conversion, operand, from: number, to: address })
    }

    /// Horizontal operations and rearrangements of vectors.
    fn vector_intrinsic(&mut self, call: Value, name: &str) -> Option<Act> {
        use IntegerOperation as I;
        let rest = name.strip_prefix("vector.").or(name.strip_prefix("experimental.vector."))?;
        if let Some(operation) = rest.strip_prefix("reduce.") {
            let (special, count) = match operation {
                "add" => (Special::ReduceInteger(I::Add), 1),
                "mul" => (Special::ReduceInteger(I::Mul), 1),
                "and" => (Special::ReduceInteger(I::And), 1),
                "or" => (Special::ReduceInteger(I::Or), 1),
                "xor" => (Special::ReduceInteger(I::Xor), 1),
                "smax" => (Special::ReduceInteger(I::SignedMax), 1),
                "smin" => (Special::ReduceInteger(I::SignedMin), 1),
                "umax" => (Special::ReduceInteger(I::UnsignedMax), 1),
                "umin" => (Special::ReduceInteger(I::UnsignedMin), 1),
                "fadd" => (Special::ReduceFloat(Operation::Add), 2),
                "fmul" => (Special::ReduceFloat(Operation::Mul), 2),
                "fmax" => (Special::ReduceFloat(Operation::MaxNum), 1),
                "fmin" => (Special::ReduceFloat(Operation::MinNum), 1),
                "fmaximum" => (Special::ReduceFloat(Operation::Maximum), 1),
                "fminimum" => (Special::ReduceFloat(Operation::Minimum), 1),
                _ => return None,
            };
            let operands = (0..count).map(|i| self.operand(call.operand(i))).collect();
            return Some(Act::Special { special, operands });
        }
        let operand = self.operand(call.operand(0));
        let ty = self.type_of(call);
        let (lanes, given) = (ty.lanes()?, self.operand_type(operand).lanes()?);
        match rest {
            "reverse" => {
                let mask: Vec<u32> = (0..lanes).rev().collect();
                Some(self.shuffle([operand, operand], mask))
            }
            "extract" => {
                let first = call.operand(1).as_integer()? as u32;
                Some(self.shuffle([operand, operand], (first..first + lanes).collect()))
            }
            "insert" => {
                let part = self.operand(call.operand(1));
                let part_ty = self.operand_type(part).clone();
                let count = part_ty.lanes()?;
                let first = call.operand(2).as_integer()? as u32;
                // Both operands of a shuffle have one type: widen the part first.
                let mask = (0..lanes).map(|i| i.min(count - 1)).collect();
                let widen = self.shuffle([part, part], mask);
                let wide = self.step(ty, widen);
                let within = |i: u32| (first..first + count).contains(&i);
                let mask =
                    (0..lanes).map(|i| if within(i) { given + i - first } else { i }).collect();
                Some(self.shuffle([operand, wide], mask))
            }
            "splice" => {
                let other = self.operand(call.operand(1));
                let by = call.operand(2).as_integer()?;
                let first = if by < 0 { i64::from(lanes) + by } else { by } as u32;
                Some(self.shuffle([operand, other], (first..first + lanes).collect()))
            }
            _ => None,
        }
    }

    fn shuffle(&mut self, operands: [Operand; 2], mask: Vec<u32>) -> Act {
        Act::Shuffle { operands, mask: mask.into_iter().map(Some).collect() }
    }

    /// A vector of a type with one value in every lane.
    pub fn splat(&mut self, lane: Operand, ty: &Type) -> Operand {
        let empty = self.lowerer.intern(ty.clone(), Constant::Poison(ty.clone()));
        let empty = Operand::Constant(empty);
        let first = self.lowerer.integer(32, 0);
        let one = self.step(ty.clone(), Act::SetLane { operands: [empty, lane, first] });
        let mask = vec![0; ty.lanes().unwrap_or(1) as usize];
        let all = self.shuffle([one, empty], mask);
        self.step(ty.clone(), all)
    }
}

/// Whether a `getelementptr` gives the address it starts from.
fn goes_nowhere(value: Value) -> bool {
    value.ty() == value.operand(0).ty()
        && value.operands()[1..].iter().all(|index| index.as_integer() == Some(0))
}

/// Intrinsics that only tell the optimiser or the debugger something.
fn says_nothing(name: &str) -> bool {
    name.starts_with("dbg.")
        || name.starts_with("lifetime.")
        || name.starts_with("invariant.start")
        || name.starts_with("invariant.end")
        || name.starts_with("instrprof.")
        || matches!(
            name,
            "var.annotation"
                | "donothing"
                | "sideeffect"
                | "prefetch"
                | "codeview.annotation"
                | "experimental.noalias.scope.decl"
                | "pseudoprobe"
                | "fake.use"
                | "clear_cache"
                | "x86.avx.vzeroupper"
                | "x86.sse.sfence"
                | "x86.sse2.lfence"
                | "x86.sse2.mfence"
                | "x86.sse2.pause"
        )
}
