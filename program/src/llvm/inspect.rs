//! Reading everything: what lowering asks of values, types and modules.

// SAFETY (whole file): handles come from LLVM and are used while their module lives;
// each function is called only on the kind of value its documentation names.

use super::module::Module;
use super::value::{Block, Type, Value};
use super::value::{chain, take};
use crate::Fault;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::{LLVMAtomicRMWBinOp, LLVMOpcode, LLVMValueKind};
use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr;

unsafe extern "C" {
    fn nanoscope_constant_words(constant: LLVMValueRef, words: *mut u64, room: usize) -> usize;
    fn nanoscope_constant_data(constant: LLVMValueRef, length: *mut usize) -> *const c_char;
    fn nanoscope_stack_name(alloca: LLVMValueRef, length: *mut usize) -> *const c_char;
    fn nanoscope_forget_predecessor(block: LLVMBasicBlockRef, gone: LLVMBasicBlockRef);
    fn nanoscope_link_needed(into: LLVMModuleRef, from: LLVMModuleRef) -> i32;
}

fn text(pointer: *const c_char, length: usize) -> String {
    String::from_utf8_lossy(bytes(pointer, length)).into_owned()
}

fn bytes<'a>(pointer: *const c_char, length: usize) -> &'a [u8] {
    if pointer.is_null() || length == 0 {
        return &[];
    }
    unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) }
}

/// Values in general, and constants.
impl Value {
    /// What kind of value it is.
    pub fn kind(self) -> LLVMValueKind {
        unsafe { LLVMGetValueKind(self.0) }
    }

    /// As LLVM prints it.
    pub fn text(self) -> String {
        unsafe { take(LLVMPrintValueToString(self.0)) }.trim().to_owned()
    }

    /// What a constant expression does.
    pub fn constant_opcode(self) -> LLVMOpcode {
        unsafe { LLVMGetConstOpcode(self.0) }
    }

    /// The 64-bit words of an integer or floating-point constant, least significant first.
    pub fn constant_words(self) -> Option<Vec<u64>> {
        let mut words = [0; 4];
        let count = unsafe { nanoscope_constant_words(self.0, words.as_mut_ptr(), words.len()) };
        match count {
            0 => None,
            1..=4 => Some(words[..count].to_vec()),
            _ => {
                let mut words = vec![0; count];
                unsafe { nanoscope_constant_words(self.0, words.as_mut_ptr(), count) };
                Some(words)
            }
        }
    }

    /// The bytes of a constant array or vector of plain numbers, as memory holds them.
    pub fn constant_data(self) -> Option<Vec<u8>> {
        let mut length = 0;
        let pointer = unsafe { nanoscope_constant_data(self.0, &mut length) };
        (!pointer.is_null()).then(|| bytes(pointer, length).to_vec())
    }

    /// The string that a constant points to.
    pub fn constant_text(self) -> Option<String> {
        let bytes = self.initializer_of_global()?.constant_data()?;
        let end = bytes.iter().position(|&byte| byte == 0)?;
        String::from_utf8(bytes[..end].to_vec()).ok()
    }

    /// A member of a constant aggregate.
    pub fn constant_element(self, index: u32) -> Option<Value> {
        Value::from_raw(unsafe { LLVMGetAggregateElement(self.0, index) })
    }

    /// Function and block of a `blockaddress`.
    pub fn block_address(self) -> (Value, Block) {
        unsafe {
            (
                Value(LLVMGetBlockAddressFunction(self.0)),
                Block(LLVMGetBlockAddressBasicBlock(self.0)),
            )
        }
    }

    /// Whether it is another name of a function or global.
    pub fn is_alias(self) -> bool {
        self.kind() == LLVMValueKind::LLVMGlobalAliasValueKind
    }

    /// Whether it is computed when the program is linked.
    pub fn is_constant_expression(self) -> bool {
        self.kind() == LLVMValueKind::LLVMConstantExprValueKind
    }

    /// Whether an instruction ends a block.
    pub fn is_terminator(self) -> bool {
        unsafe { !LLVMIsATerminatorInst(self.0).is_null() }
    }

    /// What an alias stands for.
    pub fn aliasee(self) -> Value {
        Value(unsafe { LLVMAliasGetAliasee(self.0) })
    }

    /// The function that finds an ifunc's code.
    pub fn resolver(self) -> Option<Value> {
        Value::from_raw(unsafe { LLVMGetGlobalIFuncResolver(self.0) })
    }

    /// The alignment of a global or alloca; 0 where nothing is said.
    pub fn alignment(self) -> u64 {
        u64::from(unsafe { LLVMGetAlignment(self.0) })
    }

    /// A function's enum attribute, such as `noreturn`.
    pub fn has_attribute(self, key: &str) -> bool {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            !LLVMGetEnumAttributeAtIndex(self.0, index, kind).is_null()
        }
    }

    /// Removes a function that nothing uses.
    pub fn delete_function(self) {
        unsafe { LLVMDeleteFunction(self.0) }
    }

    /// The number behind a parameter's attribute, such as `align`.
    pub fn parameter_number_attribute(self, parameter: u32, key: &str) -> Option<u64> {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, parameter + 1, kind);
            (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute))
        }
    }

    /// The intrinsic's name without the types it is for: `llvm.fptosi.sat`.
    pub fn intrinsic_name(self) -> Option<String> {
        unsafe {
            let id = LLVMGetIntrinsicID(self.0);
            if id == 0 {
                return None;
            }
            let mut length = 0;
            let pointer = LLVMIntrinsicGetName(id, &mut length);
            Some(text(pointer, length))
        }
    }
}

/// Instructions.
impl Value {
    /// Whether the result of integer arithmetic may not wrap: unsigned, signed.
    pub fn no_wrap(self) -> (bool, bool) {
        unsafe { (LLVMGetNUW(self.0) != 0, LLVMGetNSW(self.0) != 0) }
    }

    /// Takes the promise away that integer arithmetic does not wrap.
    pub fn may_wrap(self) {
        unsafe {
            if !LLVMIsABinaryOperator(self.0).is_null() {
                LLVMSetNUW(self.0, 0);
                LLVMSetNSW(self.0, 0);
            }
        }
    }

    /// Adds the promise that signed integer arithmetic does not wrap.
    pub fn may_not_wrap(self) {
        unsafe {
            if !LLVMIsABinaryOperator(self.0).is_null() {
                LLVMSetNSW(self.0, 1);
            }
        }
    }

    /// Whether a division leaves no remainder or a shift loses no bit, by promise.
    pub fn is_exact(self) -> bool {
        unsafe { LLVMGetExact(self.0) != 0 }
    }

    /// Whether a `getelementptr` promises to stay in its object.
    pub fn is_inbounds(self) -> bool {
        unsafe { LLVMIsInBounds(self.0) != 0 }
    }

    /// A phi node's values and where control comes from for each.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|i| {
                    (Value(LLVMGetIncomingValue(self.0, i)), Block(LLVMGetIncomingBlock(self.0, i)))
                })
                .collect()
        }
    }

    /// Gives a phi node the value that it has where control comes from a block.
    pub fn add_incoming(self, value: Value, from: Block) {
        unsafe { LLVMAddIncoming(self.0, &mut { value.0 }, &mut { from.0 }, 1) }
    }

    /// The mask of a `shufflevector`; `None` for an undefined lane.
    pub fn shuffle_mask(self) -> Vec<Option<u32>> {
        unsafe {
            (0..LLVMGetNumMaskElements(self.0))
                .map(|i| u32::try_from(LLVMGetMaskValue(self.0, i)).ok())
                .collect()
        }
    }

    /// The way to a member, of `extractvalue` and `insertvalue`.
    pub fn member_path(self) -> Vec<u32> {
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }

    /// What an `atomicrmw` does.
    pub fn atomic_operation(self) -> LLVMAtomicRMWBinOp {
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    /// Whatever a call calls.
    pub fn called_value(self) -> Value {
        Value(unsafe { LLVMGetCalledValue(self.0) })
    }

    /// The type of an argument that a call passes as a copy in memory.
    pub fn copied_argument(self, argument: u32) -> Option<Type> {
        unsafe {
            let key = "byval";
            let kind = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind);
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// How many parameters the function type of a call names.
    pub fn called_parameters(self) -> u32 {
        unsafe { LLVMCountParamTypes(LLVMGetCalledFunctionType(self.0)) }
    }

    /// The type of the function that a call calls.
    pub fn called_type(self) -> Type {
        Type(unsafe { LLVMGetCalledFunctionType(self.0) })
    }

    /// Where an `invoke` goes when something is thrown.
    pub fn unwind_destination(self) -> Block {
        Block(unsafe { LLVMGetUnwindDest(self.0) })
    }

    /// Whether a landing pad cleans up whatever is thrown.
    pub fn is_cleanup(self) -> bool {
        unsafe { LLVMIsCleanup(self.0) != 0 }
    }

    /// Where an `invoke` goes on when nothing is thrown.
    pub fn normal_destination(self) -> Block {
        Block(unsafe { LLVMGetNormalDest(self.0) })
    }

    /// Text and constraints of inline assembly.
    pub fn assembly(self) -> (String, String) {
        unsafe {
            let (mut length, mut constraints_length) = (0, 0);
            let pointer = LLVMGetInlineAsmAsmString(self.0, &mut length);
            let constraints = LLVMGetInlineAsmConstraintString(self.0, &mut constraints_length);
            (text(pointer, length), text(constraints, constraints_length))
        }
    }

    /// The text of an operand that is a metadata string.
    pub fn metadata_text(self) -> Option<String> {
        unsafe {
            if LLVMIsAMDString(self.0).is_null() {
                return None;
            }
            let mut length = 0;
            let pointer = LLVMGetMDString(self.0, &mut length);
            Some(text(pointer, length as usize))
        }
    }

    /// The source's name of the variable that an alloca holds.
    pub fn stack_name(self) -> Option<String> {
        let mut length = 0;
        let pointer = unsafe { nanoscope_stack_name(self.0, &mut length) };
        (!pointer.is_null()).then(|| text(pointer, length))
    }

    /// An identity of the place in the source; the same for instructions at the same place.
    pub fn place_identity(self) -> Option<usize> {
        let raw = unsafe { LLVMInstructionGetDebugLoc(self.0) };
        (!raw.is_null()).then_some(raw as usize)
    }

    /// Attaches a number to an instruction, which passes and linking leave there.
    pub fn attach(self, module: &Module, kind: &str, number: u32) {
        unsafe {
            let context = module.context();
            let kind = LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32);
            let mut nodes = [LLVMValueAsMetadata(module.integer(32).constant(number.into()).0)];
            let node = LLVMMDNodeInContext2(context, nodes.as_mut_ptr(), 1);
            LLVMSetMetadata(self.0, kind, LLVMMetadataAsValue(context, node));
        }
    }

    /// A number attached to an instruction.
    pub fn attached(self, module: &Module, kind: &str) -> Option<u32> {
        unsafe {
            if LLVMHasMetadata(self.0) == 0 {
                return None;
            }
            let context = module.context();
            let kind = LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32);
            let node = LLVMGetMetadata(self.0, kind);
            if node.is_null() {
                return None;
            }
            let mut operand = ptr::null_mut();
            LLVMGetMDNodeOperands(node, &mut operand);
            Value::from_raw(operand)?.as_integer().map(|number| number as u32)
        }
    }
}

impl Type {
    /// The address space of a pointer type.
    pub fn address_space(self) -> u32 {
        unsafe { LLVMGetPointerAddressSpace(self.0) }
    }

    /// Whether a structure type's members are known.
    pub fn is_opaque(self) -> bool {
        unsafe { LLVMIsOpaqueStruct(self.0) != 0 }
    }
}

/// Types of functions.
impl Type {
    /// What functions of this type take.
    pub fn parameters(self) -> Vec<Type> {
        unsafe {
            let mut raw = vec![ptr::null_mut(); LLVMCountParamTypes(self.0) as usize];
            LLVMGetParamTypes(self.0, raw.as_mut_ptr());
            raw.into_iter().map(Type).collect()
        }
    }

    /// What functions of this type give back.
    pub fn result(self) -> Type {
        Type(unsafe { LLVMGetReturnType(self.0) })
    }
}

impl Block {
    /// Its first instruction.
    pub fn first(self) -> Option<Value> {
        Value::from_raw(unsafe { LLVMGetFirstInstruction(self.0) })
    }

    /// Has phi nodes forget a block that control does not come from any more.
    pub fn forget_predecessor(self, block: Block) {
        unsafe { nanoscope_forget_predecessor(self.0, block.0) }
    }

    /// The constant that is its address.
    pub fn address(self) -> Value {
        unsafe { Value(LLVMBlockAddress(self.function().0, self.0)) }
    }
}

impl Module {
    /// The alignment of a type.
    pub fn align_of(&self, ty: Type) -> u64 {
        unsafe { u64::from(LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(self.raw()), ty.0)) }
    }

    /// The offset of a structure's member in bytes.
    pub fn offset_of(&self, ty: Type, member: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(LLVMGetModuleDataLayout(self.raw()), ty.0, member) }
    }

    /// The bytes that storing a value of a type writes.
    pub fn stored_size(&self, ty: Type) -> u64 {
        unsafe { LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.raw()), ty.0) }
    }

    /// Other names of functions and globals.
    pub fn aliases(&self) -> Vec<Value> {
        chain(unsafe { LLVMGetFirstGlobalAlias(self.raw()) }, |a| unsafe {
            LLVMGetNextGlobalAlias(a)
        })
    }

    /// Functions that are found when the program starts.
    pub fn ifuncs(&self) -> Vec<Value> {
        chain(unsafe { LLVMGetFirstGlobalIFunc(self.raw()) }, |f| unsafe {
            LLVMGetNextGlobalIFunc(f)
        })
    }

    /// A global variable by its symbol.
    pub fn global(&self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        Value::from_raw(unsafe { LLVMGetNamedGlobal(self.raw(), name.as_ptr()) })
    }

    /// Adds the definitions of a bitcode file that are declared here and not defined, and
    /// what they need in turn.
    pub fn link_needed(&self, path: &Path) -> Result<(), Fault> {
        let from = self.read_beside(path)?;
        self.linking(|whole| unsafe { nanoscope_link_needed(whole, from.into_raw()) })
            .map_err(|said| Fault::User(format!("`{}` does not link: {said}", path.display())))
    }

    /// Takes in all of another module of the same context; LLVM's words where that fails.
    pub fn link(&self, other: Module) -> Result<(), String> {
        self.linking(|whole| unsafe { llvm_sys::linker::LLVMLinkModules2(whole, other.into_raw()) })
    }

    fn linking(&self, link: impl FnOnce(LLVMModuleRef) -> i32) -> Result<(), String> {
        let mut said = String::new();
        let failed = unsafe {
            let context = self.context();
            let handler = LLVMContextGetDiagnosticHandler(context);
            let handler_data = LLVMContextGetDiagnosticContext(context);
            LLVMContextSetDiagnosticHandler(context, Some(note), (&raw mut said).cast());
            let failed = link(self.raw());
            LLVMContextSetDiagnosticHandler(context, handler, handler_data);
            failed
        };
        if failed != 0 { Err(said) } else { Ok(()) }
    }
}

/// Keeps LLVM's messages instead of writing them to the terminal (and, for errors, ending
/// the process).
extern "C" fn note(diagnostic: LLVMDiagnosticInfoRef, said: *mut c_void) {
    unsafe {
        let said = &mut *said.cast::<String>();
        if !said.is_empty() {
            said.push_str("; ");
        }
        said.push_str(&take(LLVMGetDiagInfoDescription(diagnostic)));
    }
}
