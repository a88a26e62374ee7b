//! Handles: values, types, blocks, and what can be asked of them.

// SAFETY (whole file): handles come from LLVM and are used while their module lives;
// each function is called only on the kind of value its documentation names.

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{
    LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind, LLVMValueKind,
};
use std::ffi::CStr;

/// A value: constant, instruction, parameter, function, global.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value(pub(super) LLVMValueRef);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type(pub(super) LLVMTypeRef);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Block(pub(super) LLVMBasicBlockRef);

/// Fast-math flags: what a compiler may compute in place of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FastMath(u32);

impl FastMath {
    /// No freedom.
    pub const NONE: FastMath = FastMath(0);
    /// `contract`: a product and a sum may become one operation.
    pub const CONTRACT: FastMath = FastMath(1 << 5);

    /// Whether all of these are among them.
    pub fn has(self, flags: FastMath) -> bool {
        self.0 & flags.0 == flags.0
    }
}

/// The kinds of type that matter here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// Half, bfloat, float, double, x86_fp80 or fp128.
    Float(nanoscope_ieee::Format),
    /// An integer of so many bits.
    Integer(u32),
    /// A pointer.
    Pointer,
    /// A fixed vector: its lanes' type and their number.
    Vector(Type, u32),
    /// A structure.
    Structure,
    /// An array: its elements' type and their number.
    Array(Type, u64),
    /// Nothing.
    Void,
    /// Anything else: labels, tokens, metadata, scalable vectors.
    Other,
}

impl Type {
    /// What kind of type it is.
    pub fn kind(self) -> TypeKind {
        use LLVMTypeKind::*;
        use nanoscope_ieee::Format;
        unsafe {
            match LLVMGetTypeKind(self.0) {
                LLVMHalfTypeKind => TypeKind::Float(Format::BINARY16),
                LLVMBFloatTypeKind => TypeKind::Float(Format::BFLOAT16),
                LLVMFloatTypeKind => TypeKind::Float(Format::BINARY32),
                LLVMDoubleTypeKind => TypeKind::Float(Format::BINARY64),
                LLVMX86_FP80TypeKind => TypeKind::Float(Format::X87),
                LLVMFP128TypeKind => TypeKind::Float(Format::BINARY128),
                LLVMIntegerTypeKind => TypeKind::Integer(LLVMGetIntTypeWidth(self.0)),
                LLVMPointerTypeKind => TypeKind::Pointer,
                LLVMVectorTypeKind => {
                    TypeKind::Vector(Type(LLVMGetElementType(self.0)), LLVMGetVectorSize(self.0))
                }
                LLVMStructTypeKind => TypeKind::Structure,
                LLVMArrayTypeKind => {
                    TypeKind::Array(Type(LLVMGetElementType(self.0)), LLVMGetArrayLength2(self.0))
                }
                LLVMVoidTypeKind => TypeKind::Void,
                LLVMFunctionTypeKind
                | LLVMLabelTypeKind
                | LLVMMetadataTypeKind
                | LLVMTokenTypeKind
                | LLVMPPC_FP128TypeKind
                | LLVMScalableVectorTypeKind
                | LLVMX86_AMXTypeKind
                | LLVMX86_MMXTypeKind
                | LLVMTargetExtTypeKind => TypeKind::Other,
            }
        }
    }

    /// Whether it is a vector type.
    pub fn is_vector(self) -> bool {
        matches!(self.kind(), TypeKind::Vector(..))
    }

    /// The members of a structure type.
    pub fn members(self) -> Vec<Type> {
        unsafe {
            let count = LLVMCountStructElementTypes(self.0);
            (0..count).map(|i| Type(LLVMStructGetTypeAtIndex(self.0, i))).collect()
        }
    }

    /// The constant of an integer type with these low bits.
    pub fn constant(self, value: u64) -> Value {
        Value(unsafe { LLVMConstInt(self.0, value, 0) })
    }

    /// The constant of an integer type, sign-extended.
    pub fn negative_constant(self, value: i64) -> Value {
        Value(unsafe { LLVMConstInt(self.0, value as u64, 1) })
    }

    /// The constant of a float type.
    pub fn real(self, value: f64) -> Value {
        Value(unsafe { LLVMConstReal(self.0, value) })
    }

    /// The all-zero constant.
    pub fn zero(self) -> Value {
        Value(unsafe { LLVMConstNull(self.0) })
    }

    /// No value at all.
    pub fn poison(self) -> Value {
        Value(unsafe { LLVMGetPoison(self.0) })
    }

    /// A constant array with elements of this type.
    pub fn constant_array(self, elements: &[Value]) -> Value {
        let mut raw: Vec<_> = elements.iter().map(|e| e.0).collect();
        Value(unsafe { LLVMConstArray2(self.0, raw.as_mut_ptr(), raw.len() as u64) })
    }

    /// The bytes a scalar of it takes when stored.
    pub fn byte_size(self) -> u64 {
        unsafe { nanoscope_byte_size(self.0) }
    }

    /// As LLVM prints it.
    pub fn text(self) -> String {
        unsafe { take(LLVMPrintTypeToString(self.0)) }
    }

    /// What the names of intrinsics on floats of it end in: `f64`, `v4f32`.
    pub fn suffix(self) -> String {
        match self.kind() {
            TypeKind::Vector(lane, lanes) => format!("v{lanes}{}", lane.suffix()),
            _ => match self.text().as_str() {
                "float" => "f32".to_owned(),
                "double" => "f64".to_owned(),
                other => other.to_owned(),
            },
        }
    }

    /// The constant of an integer type, or of vectors of one in each lane, with these low bits.
    pub fn repeated(self, value: u64) -> Value {
        let TypeKind::Vector(lane, lanes) = self.kind() else { return self.constant(value) };
        let mut raw = vec![lane.constant(value).0; lanes as usize];
        Value(unsafe { LLVMConstVector(raw.as_mut_ptr(), lanes) })
    }

    /// The constant of all ones.
    pub fn ones(self) -> Value {
        Value(unsafe { LLVMConstAllOnes(self.0) })
    }

    /// A vector type with lanes of this type.
    pub fn vector(self, lanes: u32) -> Type {
        Type(unsafe { LLVMVectorType(self.0, lanes) })
    }

    /// An array type with elements of this type.
    pub fn array(self, length: u64) -> Type {
        Type(unsafe { LLVMArrayType2(self.0, length) })
    }
}

impl Value {
    pub(super) fn from_raw(raw: LLVMValueRef) -> Option<Value> {
        (!raw.is_null()).then_some(Value(raw))
    }

    /// Its type.
    pub fn ty(self) -> Type {
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    /// Its name; empty where it has none.
    pub fn name(self) -> String {
        unsafe {
            let mut length = 0;
            let pointer = LLVMGetValueName2(self.0, &mut length);
            String::from_utf8_lossy(std::slice::from_raw_parts(pointer.cast::<u8>(), length))
                .into_owned()
        }
    }

    /// What an instruction does; `None` for what is no instruction.
    pub fn opcode(self) -> Option<LLVMOpcode> {
        unsafe { (!LLVMIsAInstruction(self.0).is_null()).then(|| LLVMGetInstructionOpcode(self.0)) }
    }

    /// Its operands (for a call: the arguments, then the callee).
    pub fn operands(self) -> Vec<Value> {
        unsafe {
            let count = LLVMGetNumOperands(self.0).max(0) as u32;
            (0..count).filter_map(|i| Value::from_raw(LLVMGetOperand(self.0, i))).collect()
        }
    }

    /// Gives an instruction another operand.
    pub fn set_operand(self, index: u32, operand: Value) {
        unsafe { LLVMSetOperand(self.0, index, operand.0) }
    }

    /// One operand.
    pub fn operand(self, index: u32) -> Value {
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }

    /// What a call calls; `None` for what is no call.
    fn called(self) -> Option<Value> {
        use LLVMOpcode::{LLVMCall, LLVMCallBr, LLVMInvoke};
        match self.opcode() {
            Some(LLVMCall | LLVMInvoke | LLVMCallBr) => {
                Value::from_raw(unsafe { LLVMGetCalledValue(self.0) })
            }
            _ => None,
        }
    }

    /// The function that a call calls directly.
    pub fn callee(self) -> Option<Value> {
        self.called().filter(|callee| callee.is_function())
    }

    /// Whether a call's callee is inline assembly.
    pub fn calls_assembly(self) -> bool {
        self.called().is_some_and(|callee| unsafe { !LLVMIsAInlineAsm(callee.0).is_null() })
    }

    /// A call's arguments.
    pub fn arguments(self) -> Vec<Value> {
        let count = unsafe { LLVMGetNumArgOperands(self.0) };
        (0..count).map(|i| self.operand(i)).collect()
    }

    /// The predicate of a floating-point comparison.
    pub fn real_predicate(self) -> LLVMRealPredicate {
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    /// The predicate of an integer comparison.
    pub fn int_predicate(self) -> LLVMIntPredicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// The condition of a conditional branch.
    pub fn condition(self) -> Option<Value> {
        unsafe { (LLVMIsConditional(self.0) != 0).then(|| Value(LLVMGetCondition(self.0))) }
    }

    /// The blocks a terminator can go to.
    pub fn successors(self) -> Vec<Block> {
        unsafe {
            (0..LLVMGetNumSuccessors(self.0)).map(|i| Block(LLVMGetSuccessor(self.0, i))).collect()
        }
    }

    /// Everything that uses it.
    pub fn users(self) -> Vec<Value> {
        let mut list = Vec::new();
        unsafe {
            let mut at = LLVMGetFirstUse(self.0);
            while !at.is_null() {
                list.push(Value(LLVMGetUser(at)));
                at = LLVMGetNextUse(at);
            }
        }
        list
    }

    /// Replaces it everywhere.
    pub fn replace_with(self, other: Value) {
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) }
    }

    /// Removes an instruction that nothing uses.
    pub fn erase(self) {
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    /// The instruction after this one.
    pub fn next(self) -> Option<Value> {
        Value::from_raw(unsafe { LLVMGetNextInstruction(self.0) })
    }

    /// The block an instruction stands in.
    pub fn block(self) -> Block {
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    /// The blocks of a function.
    pub fn blocks(self) -> Vec<Block> {
        let mut list = Vec::new();
        unsafe {
            let mut at = LLVMGetFirstBasicBlock(self.0);
            while !at.is_null() {
                list.push(Block(at));
                at = LLVMGetNextBasicBlock(at);
            }
        }
        list
    }

    /// The parameters of a function.
    pub fn parameters(self) -> Vec<Value> {
        unsafe { (0..LLVMCountParams(self.0)).map(|i| Value(LLVMGetParam(self.0, i))).collect() }
    }

    /// The type of a function, global or alloca: what stands there, not the pointer to it.
    pub fn value_type(self) -> Type {
        unsafe {
            if !LLVMIsAAllocaInst(self.0).is_null() {
                Type(LLVMGetAllocatedType(self.0))
            } else {
                Type(LLVMGlobalGetValueType(self.0))
            }
        }
    }

    /// What a function of this type gives back.
    pub fn result_type(self) -> Type {
        Type(unsafe { LLVMGetReturnType(LLVMGlobalGetValueType(self.0)) })
    }

    /// The element type a `getelementptr` steps by.
    pub fn source_element_type(self) -> Type {
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// Whether a function takes more arguments than it names.
    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(LLVMGlobalGetValueType(self.0)) != 0 }
    }

    /// Whether a function or global is declared only.
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// Whether it is a function of LLVM's own.
    pub fn is_intrinsic(self) -> bool {
        unsafe { LLVMGetIntrinsicID(self.0) != 0 }
    }

    /// A function's or global's linkage.
    pub fn linkage(self) -> LLVMLinkage {
        unsafe { LLVMGetLinkage(self.0) }
    }

    /// Changes it.
    pub fn set_linkage(self, linkage: LLVMLinkage) {
        unsafe { LLVMSetLinkage(self.0, linkage) }
    }

    /// Takes what is attached to a function or global away.
    pub fn clear_metadata(self) {
        unsafe { LLVMGlobalClearMetadata(self.0) }
    }

    /// Whether a global variable is a constant.
    pub fn is_constant_global(self) -> bool {
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// Whether a global variable has a copy in every thread.
    pub fn is_thread_local(self) -> bool {
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    /// Makes a global variable a constant.
    pub fn make_constant(self) {
        unsafe { LLVMSetGlobalConstant(self.0, 1) }
    }

    /// Gives a symbol another name.
    pub fn rename(self, name: &str) {
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) }
    }

    /// The initial value of a global variable, if it is one.
    pub fn initializer_of_global(self) -> Option<Value> {
        self.is_global_variable().then(|| self.initializer()).flatten()
    }

    /// A global variable's initial value.
    pub fn initializer(self) -> Option<Value> {
        Value::from_raw(unsafe { LLVMGetInitializer(self.0) })
    }

    /// A function's string attribute, such as `target-features`.
    pub fn string_attribute(self, key: &str) -> Option<String> {
        unsafe {
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            let attribute =
                LLVMGetStringAttributeAtIndex(self.0, index, key.as_ptr().cast(), key.len() as u32);
            if attribute.is_null() {
                return None;
            }
            let mut length = 0;
            let pointer = LLVMGetStringAttributeValue(attribute, &mut length);
            let bytes = std::slice::from_raw_parts(pointer.cast::<u8>(), length as usize);
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }

    /// The type behind a parameter's `byval` or `sret` attribute.
    pub fn parameter_type_attribute(self, parameter: u32, key: &str) -> Option<Type> {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, parameter + 1, kind);
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// Gives a function an attribute without a value.
    pub fn set_attribute(self, key: &str) {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(self.ty().0), kind, 0);
            LLVMAddAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// Takes an attribute from a function.
    pub fn remove_attribute(self, key: &str) {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            LLVMRemoveEnumAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, kind);
        }
    }

    /// Takes a string attribute from a function.
    pub fn remove_string_attribute(self, key: &str) {
        unsafe {
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            LLVMRemoveStringAttributeAtIndex(self.0, index, key.as_ptr().cast(), key.len() as u32);
        }
    }

    /// Gives a function a string attribute.
    pub fn set_string_attribute(self, key: &str, text: &str) {
        unsafe {
            let context = LLVMGetTypeContext(self.ty().0);
            let attribute = LLVMCreateStringAttribute(
                context,
                key.as_ptr().cast(),
                key.len() as u32,
                text.as_ptr().cast(),
                text.len() as u32,
            );
            LLVMAddAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// Makes a call one of the function that is called, whatever the optimiser knows of
    /// functions of that name.
    pub fn forbid_builtin(self) {
        let key = "nobuiltin";
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(self.ty().0), kind, 0);
            LLVMAddCallSiteAttribute(self.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// Gives an argument of a call an attribute without a value.
    pub fn set_argument_attribute(self, argument: u32, key: &str) {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(self.ty().0), kind, 0);
            LLVMAddCallSiteAttribute(self.0, argument + 1, attribute);
        }
    }

    /// Copies a string attribute onto another function.
    pub fn copy_string_attribute(self, key: &str, to: Value) {
        if let Some(text) = self.string_attribute(key) {
            to.set_string_attribute(key, &text);
        }
    }

    /// A floating-point constant as binary64.
    pub fn as_double(self) -> Option<f64> {
        unsafe {
            if LLVMIsAConstantFP(self.0).is_null() {
                return None;
            }
            let mut lost = 0;
            Some(LLVMConstRealGetDouble(self.0, &mut lost))
        }
    }

    /// An integer constant of at most 64 bits, sign-extended.
    pub fn as_integer(self) -> Option<i64> {
        unsafe {
            if LLVMIsAConstantInt(self.0).is_null() || LLVMGetIntTypeWidth(LLVMTypeOf(self.0)) > 64
            {
                return None;
            }
            Some(LLVMConstIntGetSExtValue(self.0))
        }
    }

    /// The fast-math flags of an instruction.
    pub fn fast_math(self) -> FastMath {
        unsafe {
            match LLVMCanValueUseFastMathFlags(self.0) {
                0 => FastMath::NONE,
                _ => FastMath(LLVMGetFastMathFlags(self.0)),
            }
        }
    }

    /// Sets the fast-math flags of an instruction, where it can have any.
    pub fn set_fast_math(self, flags: FastMath) {
        unsafe {
            if LLVMCanValueUseFastMathFlags(self.0) != 0 {
                nanoscope_set_fast_math(self.0, flags.0);
            }
        }
    }

    /// Takes back all that is promised of a function's numbers and of those at its calls.
    pub fn forget_classes(self) {
        unsafe { nanoscope_forget_classes(self.0) }
    }

    /// Whether fast-math flags let the compiler compute something else than is written.
    pub fn may_be_rewritten(self) -> bool {
        self.fast_math() != FastMath::NONE
    }

    /// Whether it is a constant of any sort.
    pub fn is_constant(self) -> bool {
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// Whether it is a global variable.
    pub fn is_global_variable(self) -> bool {
        unsafe { LLVMGetValueKind(self.0) == LLVMValueKind::LLVMGlobalVariableValueKind }
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        unsafe { !LLVMIsAFunction(self.0).is_null() }
    }

    /// The offset that a `getelementptr` adds, where it is a constant.
    pub fn constant_offset(self) -> Option<u64> {
        let mut offset = 0;
        (unsafe { nanoscope_constant_offset(self.0, &mut offset) } != 0).then_some(offset as u64)
    }

    /// The function a parameter belongs to.
    pub fn parent_function(self) -> Option<Value> {
        unsafe {
            if LLVMIsAArgument(self.0).is_null() {
                None
            } else {
                Value::from_raw(LLVMGetParamParent(self.0))
            }
        }
    }
}

unsafe extern "C" {
    fn nanoscope_constant_offset(value: LLVMValueRef, offset: *mut i64) -> i32;
    fn nanoscope_byte_size(ty: LLVMTypeRef) -> u64;
    fn nanoscope_set_fast_math(instruction: LLVMValueRef, bits: u32);
    fn nanoscope_forget_classes(function: LLVMValueRef);
}

impl Block {
    /// Its instructions, in order.
    pub fn instructions(self) -> Vec<Value> {
        chain(unsafe { LLVMGetFirstInstruction(self.0) }, |i| unsafe { LLVMGetNextInstruction(i) })
    }

    /// Its last instruction.
    pub fn terminator(self) -> Option<Value> {
        Value::from_raw(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }

    /// The function it belongs to.
    pub fn function(self) -> Value {
        Value(unsafe { LLVMGetBasicBlockParent(self.0) })
    }
}

/// Follows one of LLVM's intrusive lists.
pub(super) fn chain(
    first: LLVMValueRef,
    next: impl Fn(LLVMValueRef) -> LLVMValueRef,
) -> Vec<Value> {
    let mut list = Vec::new();
    let mut at = first;
    while let Some(value) = Value::from_raw(at) {
        list.push(value);
        at = next(at);
    }
    list
}

/// Copies a message of LLVM's and frees it.
pub(super) unsafe fn take(message: *mut std::ffi::c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
