//! A module: loaded from bitcode or text, changed, optimised and written.

// SAFETY (whole file): every pointer passed to LLVM was obtained from it and is
// alive: a module owns its context and is dropped before it.

use super::value::{Type, Value, chain, take};
use crate::Fault;
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::bit_writer::{LLVMWriteBitcodeToFile, LLVMWriteBitcodeToMemoryBuffer};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::prelude::*;
use llvm_sys::target_machine::*;
use llvm_sys::transforms::pass_builder::*;
use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr;
use std::rc::Rc;

unsafe extern "C" {
    fn nanoscope_takes_block_addresses(module: LLVMModuleRef) -> i32;
    fn nanoscope_split(
        module: LLVMModuleRef,
        functions: *mut LLVMValueRef,
        count: usize,
    ) -> LLVMModuleRef;
}

struct Context(LLVMContextRef);

impl Drop for Context {
    fn drop(&mut self) {
        unsafe { LLVMContextDispose(self.0) }
    }
}

/// A program in LLVM's representation.
pub struct Module {
    raw: LLVMModuleRef,
    context: Rc<Context>,
}

impl Drop for Module {
    fn drop(&mut self) {
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

impl Module {
    /// Reads bitcode or textual IR.
    pub fn read(path: &Path) -> Result<Module, Fault> {
        Module::read_into(Rc::new(Context(unsafe { LLVMContextCreate() })), path)
    }

    fn read_into(context: Rc<Context>, path: &Path) -> Result<Module, Fault> {
        let name = CString::new(path.to_string_lossy().as_bytes())
            .map_err(|_| Fault::User(format!("`{}` has a NUL in its name", path.display())))?;
        unsafe {
            let mut buffer = ptr::null_mut();
            let mut message = ptr::null_mut();
            if LLVMCreateMemoryBufferWithContentsOfFile(name.as_ptr(), &mut buffer, &mut message)
                != 0
            {
                return Err(Fault::User(format!(
                    "cannot read `{}`: {}",
                    path.display(),
                    take(message)
                )));
            }
            let mut raw = ptr::null_mut();
            // Takes the buffer over, also when it fails.
            if LLVMParseIRInContext(context.0, buffer, &mut raw, &mut message) != 0 {
                return Err(Fault::User(format!(
                    "cannot read `{}`: {}",
                    path.display(),
                    take(message).trim()
                )));
            }
            Ok(Module { raw, context })
        }
    }

    /// Reads bitcode or textual IR into the same context.
    pub fn read_beside(&self, path: &Path) -> Result<Module, Fault> {
        Module::read_into(Rc::clone(&self.context), path)
    }

    /// A copy in the same context.
    pub fn copy(&self) -> Module {
        let context = Rc::clone(&self.context);
        unsafe {
            // A clone's variables would hold addresses of the original's blocks.
            if nanoscope_takes_block_addresses(self.raw) == 0 {
                return Module { raw: LLVMCloneModule(self.raw), context };
            }
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.raw);
            let mut raw = ptr::null_mut();
            let failed = LLVMParseBitcodeInContext2(context.0, buffer, &mut raw);
            LLVMDisposeMemoryBuffer(buffer);
            assert!(failed == 0, "LLVM reads what it has written");
            Module { raw, context }
        }
    }

    /// Moves functions to a module of their own, to be linked with what is left; none where
    /// addresses of blocks tie the functions together.
    pub fn split_off(&self, functions: &[Value]) -> Option<Module> {
        let mut raw: Vec<LLVMValueRef> = functions.iter().map(|function| function.0).collect();
        unsafe {
            if nanoscope_takes_block_addresses(self.raw) != 0 {
                return None;
            }
            let raw = nanoscope_split(self.raw, raw.as_mut_ptr(), raw.len());
            Some(Module { raw, context: Rc::clone(&self.context) })
        }
    }

    /// Writes bitcode.
    pub fn write(&self, path: &Path) -> Result<(), Fault> {
        let name =
            CString::new(path.to_string_lossy().as_bytes()).expect("a scratch path has no NUL");
        match unsafe { LLVMWriteBitcodeToFile(self.raw, name.as_ptr()) } {
            0 => Ok(()),
            _ => Err(Fault::User(format!("cannot write `{}`", path.display()))),
        }
    }

    /// Inlines and optimises as compilers do at `-O2`, apart from vectors.
    pub fn optimise(&self) -> Result<(), Fault> {
        self.run_with("default<O2>", |options| unsafe {
            LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
            LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
        })
    }

    /// Runs passes, in `opt`'s notation.
    pub fn run(&self, passes: &str) -> Result<(), Fault> {
        self.run_with(passes, |_| {})
    }

    fn run_with(
        &self,
        passes: &str,
        set: impl FnOnce(LLVMPassBuilderOptionsRef),
    ) -> Result<(), Fault> {
        let passes = CString::new(passes).expect("pass names have no NUL");
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            set(options);
            let machine: LLVMTargetMachineRef = ptr::null_mut();
            let error = LLVMRunPasses(self.raw, passes.as_ptr(), machine, options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(Fault::Internal(format!("LLVM passes: {text}")))
        }
    }

    /// Checks the module's invariants.
    pub fn verify(&self) -> Result<(), Fault> {
        use llvm_sys::analysis::*;
        unsafe {
            let mut message = ptr::null_mut();
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = LLVMVerifyModule(self.raw, action, &mut message) != 0;
            let text = take(message);
            if broken { Err(Fault::Internal(format!("broken module: {text}"))) } else { Ok(()) }
        }
    }

    /// Every function, defined or declared, in order.
    pub fn functions(&self) -> Vec<Value> {
        chain(unsafe { LLVMGetFirstFunction(self.raw) }, |f| unsafe { LLVMGetNextFunction(f) })
    }

    /// Every global variable, in order.
    pub fn globals(&self) -> Vec<Value> {
        chain(unsafe { LLVMGetFirstGlobal(self.raw) }, |g| unsafe { LLVMGetNextGlobal(g) })
    }

    /// A function by its symbol.
    pub fn function(&self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        Value::from_raw(unsafe { LLVMGetNamedFunction(self.raw, name.as_ptr()) })
    }

    /// Adds (or finds) a function of a type.
    pub fn add_function(&self, name: &str, ty: Type) -> Value {
        if let Some(function) = self.function(name) {
            return function;
        }
        let name = CString::new(name).expect("a symbol has no NUL");
        Value(unsafe { LLVMAddFunction(self.raw, name.as_ptr(), ty.0) })
    }

    /// Adds a global variable.
    pub fn add_global(&self, name: &str, ty: Type, initial: Option<Value>) -> Value {
        let name = CString::new(name).expect("a symbol has no NUL");
        unsafe {
            let global = LLVMAddGlobal(self.raw, ty.0, name.as_ptr());
            if let Some(initial) = initial {
                LLVMSetInitializer(global, initial.0);
            }
            Value(global)
        }
    }

    /// The size a value of a type takes in memory, padding included.
    pub fn size_of(&self, ty: Type) -> u64 {
        unsafe {
            llvm_sys::target::LLVMABISizeOfType(
                llvm_sys::target::LLVMGetModuleDataLayout(self.raw),
                ty.0,
            )
        }
    }

    /// Forgets all debug information.
    pub fn strip_debug_information(&self) {
        unsafe { LLVMStripModuleDebugInfo(self.raw) };
    }

    /// Hands the module over to LLVM, which ends it.
    pub(super) fn into_raw(self) -> LLVMModuleRef {
        let raw = self.raw;
        // SAFETY: the context's count is released here, the module is not disposed of.
        let this = std::mem::ManuallyDrop::new(self);
        drop(unsafe { ptr::read(&this.context) });
        raw
    }

    pub(super) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    pub(super) fn context(&self) -> LLVMContextRef {
        self.context.0
    }

    /// An integer type.
    pub fn integer(&self, bits: u32) -> Type {
        Type(unsafe { LLVMIntTypeInContext(self.context.0, bits) })
    }

    /// A float type; formats that LLVM has none for do not occur in programs.
    pub fn float(&self, format: nanoscope_ieee::Format) -> Type {
        use nanoscope_ieee::Format;
        let context = self.context.0;
        Type(unsafe {
            match format {
                Format::BINARY16 => LLVMHalfTypeInContext(context),
                Format::BFLOAT16 => LLVMBFloatTypeInContext(context),
                Format::BINARY32 => LLVMFloatTypeInContext(context),
                Format::BINARY64 => LLVMDoubleTypeInContext(context),
                Format::X87 => LLVMX86FP80TypeInContext(context),
                Format::BINARY128 => LLVMFP128TypeInContext(context),
                other => unreachable!("{other} is no machine's format"),
            }
        })
    }

    /// The pointer type.
    pub fn pointer(&self) -> Type {
        Type(unsafe { LLVMPointerTypeInContext(self.context.0, 0) })
    }

    /// The type of nothing.
    pub fn void(&self) -> Type {
        Type(unsafe { LLVMVoidTypeInContext(self.context.0) })
    }

    /// A function type.
    pub fn function_type(&self, result: Type, parameters: &[Type]) -> Type {
        let mut raw: Vec<_> = parameters.iter().map(|p| p.0).collect();
        Type(unsafe { LLVMFunctionType(result.0, raw.as_mut_ptr(), raw.len() as u32, 0) })
    }

    /// Appends a block to a function.
    pub fn add_block(&self, function: Value, name: &str) -> super::Block {
        let name = CString::new(name).expect("a block name has no NUL");
        super::Block(unsafe {
            LLVMAppendBasicBlockInContext(self.context.0, function.0, name.as_ptr())
        })
    }
}
