//! Writing instructions.

// SAFETY (whole file): the builder belongs to the module's context and the handles passed
// in come from it.

use super::module::Module;
use super::value::{Block, Type, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};

const NAME: *const std::ffi::c_char = c"".as_ptr();

/// Writes instructions at a place.
pub struct Builder<'m> {
    raw: LLVMBuilderRef,
    module: &'m Module,
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

impl<'m> Builder<'m> {
    /// A builder that stands nowhere yet.
    pub fn new(module: &'m Module) -> Builder<'m> {
        Builder { raw: unsafe { LLVMCreateBuilderInContext(module.context()) }, module }
    }

    /// Writes at the end of a block.
    pub fn at_end(&self, block: Block) {
        unsafe { LLVMPositionBuilderAtEnd(self.raw, block.0) }
    }

    /// Writes before an instruction.
    pub fn before(&self, instruction: Value) {
        unsafe {
            LLVMPositionBuilderBefore(self.raw, instruction.0);
        }
    }

    /// Splits the block before `instruction`: what stands before it stays, the rest
    /// moves to the new block that is returned, and the old block has no terminator.
    pub fn split_before(&self, instruction: Value) -> Block {
        unsafe {
            let old = LLVMGetInstructionParent(instruction.0);
            let context = self.module.context();
            let new = LLVMInsertBasicBlockInContext(context, old, NAME);
            LLVMMoveBasicBlockAfter(new, old);
            // Successors' phi nodes must name the new block as where control comes from.
            let terminator = LLVMGetBasicBlockTerminator(old);
            for index in 0..LLVMGetNumSuccessors(terminator) {
                let successor = LLVMGetSuccessor(terminator, index);
                let mut phi = LLVMGetFirstInstruction(successor);
                while !phi.is_null() && !LLVMIsAPHINode(phi).is_null() {
                    nanoscope_phi_rename(phi, old, new);
                    phi = LLVMGetNextInstruction(phi);
                }
            }
            LLVMPositionBuilderAtEnd(self.raw, new);
            let mut at = instruction.0;
            while !at.is_null() {
                let next = LLVMGetNextInstruction(at);
                LLVMInstructionRemoveFromParent(at);
                LLVMInsertIntoBuilder(self.raw, at);
                at = next;
            }
            LLVMPositionBuilderAtEnd(self.raw, old);
            Block(new)
        }
    }

    fn unnamed(raw: LLVMValueRef) -> Value {
        Value(raw)
    }

    /// A binary instruction.
    pub fn binary(&self, opcode: LLVMOpcode, a: Value, b: Value) -> Value {
        Self::unnamed(unsafe { LLVMBuildBinOp(self.raw, opcode, a.0, b.0, NAME) })
    }

    /// Integer addition.
    pub fn add(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMOpcode::LLVMAdd, a, b)
    }

    /// Integer subtraction.
    pub fn sub(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMOpcode::LLVMSub, a, b)
    }

    /// Bitwise and.
    pub fn and(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMOpcode::LLVMAnd, a, b)
    }

    /// Bitwise or.
    pub fn or(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMOpcode::LLVMOr, a, b)
    }

    /// Shift left by a constant.
    pub fn shift_left(&self, a: Value, by: u64) -> Value {
        self.binary(LLVMOpcode::LLVMShl, a, a.ty().constant(by))
    }

    /// Logical shift right by a constant.
    pub fn shift_right(&self, a: Value, by: u64) -> Value {
        self.binary(LLVMOpcode::LLVMLShr, a, a.ty().constant(by))
    }

    /// Integer comparison.
    pub fn compare(&self, predicate: LLVMIntPredicate, a: Value, b: Value) -> Value {
        Self::unnamed(unsafe { LLVMBuildICmp(self.raw, predicate, a.0, b.0, NAME) })
    }

    /// One of two values.
    pub fn select(&self, condition: Value, yes: Value, no: Value) -> Value {
        Self::unnamed(unsafe { LLVMBuildSelect(self.raw, condition.0, yes.0, no.0, NAME) })
    }

    /// A phi node without values; the builder stands before or among those of its block.
    pub fn phi(&self, ty: Type) -> Value {
        Self::unnamed(unsafe { LLVMBuildPhi(self.raw, ty.0, NAME) })
    }

    /// The same bits at another type.
    pub fn bitcast(&self, value: Value, ty: Type) -> Value {
        Self::unnamed(unsafe { LLVMBuildBitCast(self.raw, value.0, ty.0, NAME) })
    }

    /// A conversion, by the opcode of a cast.
    pub fn cast(&self, opcode: LLVMOpcode, value: Value, ty: Type) -> Value {
        Self::unnamed(unsafe { LLVMBuildCast(self.raw, opcode, value.0, ty.0, NAME) })
    }

    /// An integer at another width, zero-extended or cut.
    pub fn resize(&self, value: Value, ty: Type) -> Value {
        Self::unnamed(unsafe { LLVMBuildIntCast2(self.raw, value.0, ty.0, 0, NAME) })
    }

    /// An integer at another width, sign-extended or cut.
    pub fn resize_signed(&self, value: Value, ty: Type) -> Value {
        Self::unnamed(unsafe { LLVMBuildIntCast2(self.raw, value.0, ty.0, 1, NAME) })
    }

    /// A load.
    pub fn load(&self, ty: Type, pointer: Value) -> Value {
        Self::unnamed(unsafe { LLVMBuildLoad2(self.raw, ty.0, pointer.0, NAME) })
    }

    /// A load that may be at any address.
    pub fn load_unaligned(&self, ty: Type, pointer: Value) -> Value {
        let load = self.load(ty, pointer);
        unsafe { LLVMSetAlignment(load.0, 1) };
        load
    }

    /// A store.
    pub fn store(&self, value: Value, pointer: Value) {
        unsafe {
            LLVMBuildStore(self.raw, value.0, pointer.0);
        }
    }

    /// A store that may be at any address.
    pub fn store_unaligned(&self, value: Value, pointer: Value) {
        unsafe {
            let store = LLVMBuildStore(self.raw, value.0, pointer.0);
            LLVMSetAlignment(store, 1);
        }
    }

    /// Memory on the stack, aligned to 16.
    pub fn stack(&self, ty: Type) -> Value {
        unsafe {
            let slot = LLVMBuildAlloca(self.raw, ty.0, NAME);
            LLVMSetAlignment(slot, 16);
            Value(slot)
        }
    }

    /// `bytes` past a pointer.
    pub fn offset(&self, pointer: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return pointer;
        }
        let mut index = [self.module.integer(64).constant(bytes).0];
        let byte = self.module.integer(8);
        Self::unnamed(unsafe {
            LLVMBuildGEP2(self.raw, byte.0, pointer.0, index.as_mut_ptr(), 1, NAME)
        })
    }

    /// The place of an element of an array.
    pub fn element(&self, ty: Type, array: Value, index: Value) -> Value {
        let mut index = [index.0];
        Self::unnamed(unsafe {
            LLVMBuildGEP2(self.raw, ty.0, array.0, index.as_mut_ptr(), 1, NAME)
        })
    }

    /// Fills memory with zero.
    pub fn clear(&self, pointer: Value, bytes: u64) {
        let (zero, length) =
            (self.module.integer(8).constant(0), self.module.integer(64).constant(bytes));
        unsafe {
            LLVMBuildMemSet(self.raw, pointer.0, zero.0, length.0, 1);
        }
    }

    /// Copies memory.
    pub fn copy(&self, to: Value, from: Value, bytes: u64) {
        let length = self.module.integer(64).constant(bytes);
        unsafe {
            LLVMBuildMemCpy(self.raw, to.0, 1, from.0, 1, length.0);
        }
    }

    /// A lane of a vector.
    pub fn lane(&self, vector: Value, index: u32) -> Value {
        let index = self.module.integer(32).constant(u64::from(index));
        Self::unnamed(unsafe { LLVMBuildExtractElement(self.raw, vector.0, index.0, NAME) })
    }

    /// A call of a function.
    pub fn call(&self, function: Value, arguments: &[Value]) -> Value {
        self.call_through(function.value_type(), function, arguments)
    }

    /// A call through a pointer.
    pub fn call_through(&self, ty: Type, pointer: Value, arguments: &[Value]) -> Value {
        let mut raw: Vec<_> = arguments.iter().map(|a| a.0).collect();
        Self::unnamed(unsafe {
            LLVMBuildCall2(self.raw, ty.0, pointer.0, raw.as_mut_ptr(), raw.len() as u32, NAME)
        })
    }

    /// Assembly that is neither dropped nor moved across other such assembly.
    pub fn assembly(
        &self,
        result: Type,
        text: &str,
        constraints: &str,
        arguments: &[Value],
    ) -> Value {
        let types: Vec<Type> = arguments.iter().map(|argument| argument.ty()).collect();
        let ty = self.module.function_type(result, &types);
        let assembly = unsafe {
            LLVMGetInlineAsm(
                ty.0,
                text.as_ptr().cast(),
                text.len(),
                constraints.as_ptr().cast(),
                constraints.len(),
                1,
                0,
                llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
                0,
            )
        };
        self.call_through(ty, Value(assembly), arguments)
    }

    /// A jump.
    pub fn jump(&self, to: Block) {
        unsafe {
            LLVMBuildBr(self.raw, to.0);
        }
    }

    /// A branch that is rarely taken.
    pub fn branch_rarely(&self, condition: Value, rare: Block, usual: Block) {
        unsafe {
            let branch = LLVMBuildCondBr(self.raw, condition.0, rare.0, usual.0);
            let context = self.module.context();
            let kind = "prof";
            let kind = LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32);
            let label = "branch_weights";
            let label = LLVMMDStringInContext2(context, label.as_ptr().cast(), label.len());
            let word = self.module.integer(32);
            let mut nodes = [
                label,
                LLVMValueAsMetadata(word.constant(1).0),
                LLVMValueAsMetadata(word.constant(100_000).0),
            ];
            let node = LLVMMDNodeInContext2(context, nodes.as_mut_ptr(), nodes.len());
            LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(context, node));
        }
    }

    /// A return of nothing.
    pub fn return_nothing(&self) {
        unsafe {
            LLVMBuildRetVoid(self.raw);
        }
    }

    /// Returns a value.
    pub fn return_value(&self, value: Value) {
        unsafe {
            LLVMBuildRet(self.raw, value.0);
        }
    }

    /// Says that control never comes here.
    pub fn unreachable(&self) {
        unsafe {
            LLVMBuildUnreachable(self.raw);
        }
    }

    /// A member of an aggregate value.
    pub fn extract(&self, aggregate: Value, index: u32) -> Value {
        Self::unnamed(unsafe { LLVMBuildExtractValue(self.raw, aggregate.0, index, NAME) })
    }

    /// A call that goes on to one block, and to another when something is thrown.
    pub fn invoke(&self, function: Value, arguments: &[Value], normal: Block, pad: Block) -> Value {
        let mut raw: Vec<_> = arguments.iter().map(|argument| argument.0).collect();
        Self::unnamed(unsafe {
            LLVMBuildInvoke2(
                self.raw,
                function.value_type().0,
                function.0,
                raw.as_mut_ptr(),
                raw.len() as u32,
                normal.0,
                pad.0,
                NAME,
            )
        })
    }

    /// A landing pad for whatever is thrown: the exception. `personality` is the language's.
    pub fn catch_all(&self, function: Value, personality: Value) -> Value {
        let (pointer, word) = (self.module.pointer(), self.module.integer(32));
        unsafe {
            let mut members = [pointer.0, word.0];
            let ty = LLVMStructTypeInContext(self.module.context(), members.as_mut_ptr(), 2, 0);
            LLVMSetPersonalityFn(function.0, personality.0);
            let pad = LLVMBuildLandingPad(self.raw, ty, personality.0, 1, NAME);
            LLVMAddClause(pad, pointer.zero().0);
            self.extract(Value(pad), 0)
        }
    }

    /// An aggregate value with a member replaced.
    pub fn insert(&self, aggregate: Value, member: Value, index: u32) -> Value {
        Self::unnamed(unsafe { LLVMBuildInsertValue(self.raw, aggregate.0, member.0, index, NAME) })
    }

    /// Copies the place in the source from an instruction to all that is written next.
    pub fn place_as(&self, instruction: Value) {
        unsafe {
            let location = llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(instruction.0);
            LLVMSetCurrentDebugLocation2(self.raw, location);
        }
    }

    /// The same from another instruction, if that stands in the same line and scope.
    pub fn place_as_neighbour(&self, instruction: Value, neighbour: Value) -> bool {
        use llvm_sys::debuginfo::{
            LLVMDILocationGetInlinedAt, LLVMDILocationGetLine, LLVMDILocationGetScope,
            LLVMInstructionGetDebugLoc,
        };
        // SAFETY: both are instructions; their locations are looked at only where they have one.
        unsafe {
            let [own, other] = [instruction, neighbour].map(|i| LLVMInstructionGetDebugLoc(i.0));
            let fits = !own.is_null()
                && !other.is_null()
                && LLVMDILocationGetLine(own) == LLVMDILocationGetLine(other)
                && LLVMDILocationGetScope(own) == LLVMDILocationGetScope(other)
                && LLVMDILocationGetInlinedAt(own) == LLVMDILocationGetInlinedAt(other);
            if fits {
                LLVMSetCurrentDebugLocation2(self.raw, other);
            }
            fits
        }
    }

    /// A comparison of floats.
    pub fn compare_floats(&self, predicate: LLVMRealPredicate, a: Value, b: Value) -> Value {
        Self::unnamed(unsafe { LLVMBuildFCmp(self.raw, predicate, a.0, b.0, NAME) })
    }

    /// Lanes of two vectors laid end to end, by their numbers.
    pub fn shuffle(&self, a: Value, b: Value, lanes: &[u32]) -> Value {
        let word = self.module.integer(32);
        let mut mask: Vec<_> = lanes.iter().map(|&lane| word.constant(u64::from(lane)).0).collect();
        unsafe {
            let mask = LLVMConstVector(mask.as_mut_ptr(), mask.len() as u32);
            Self::unnamed(LLVMBuildShuffleVector(self.raw, a.0, b.0, mask, NAME))
        }
    }

    /// A float with the other sign.
    pub fn negative(&self, value: Value) -> Value {
        Self::unnamed(unsafe { LLVMBuildFNeg(self.raw, value.0, NAME) })
    }
}

unsafe extern "C" {
    /// Makes a phi node name `new` where it named `old` as a predecessor.
    fn nanoscope_phi_rename(phi: LLVMValueRef, old: LLVMBasicBlockRef, new: LLVMBasicBlockRef);
}
