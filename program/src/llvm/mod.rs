//! LLVM behind a thin, typed face: what the rest of the room needs and no more.
//!
//! A [`Value`], [`Type`], [`Block`] or [`Metadata`] is a handle into a [`Module`]
//! and must not outlive it; handles are `Copy` because LLVM's graph is shared.
#![allow(unsafe_code)] // Every call crosses into LLVM; the reasons stand at each module's head.

mod build;
mod debug;
mod inspect;
mod module;
mod value;

pub use build::Builder;
pub use debug::{
    Behind, CommonMember, DebugType, LineTable, common_members, demangled, global_name,
    object_type, parameter, signature,
};
pub use module::Module;
pub use value::{Block, FastMath, Type, TypeKind, Value};

pub use llvm_sys::LLVMAtomicRMWBinOp as AtomicOperation;
pub use llvm_sys::LLVMIntPredicate as IntPredicate;
pub use llvm_sys::LLVMLinkage as Linkage;
pub use llvm_sys::LLVMOpcode as Opcode;
pub use llvm_sys::LLVMRealPredicate as RealPredicate;
pub use llvm_sys::LLVMValueKind as ValueKind;
