//! Debug information: where an instruction comes from, what a parameter was declared as,
//! and line tables of our own making.

// SAFETY (whole file): metadata handles come from LLVM and live as long as their context.

use super::module::Module;
use super::value::Value;
use crate::Location;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::path::{Component, Path, PathBuf};

unsafe extern "C" {
    fn nanoscope_demangled(symbol: *const c_char) -> *mut c_char;
    fn nanoscope_object_type(object: LLVMValueRef) -> LLVMMetadataRef;
    fn nanoscope_parameter(function: LLVMValueRef, number: c_uint) -> LLVMMetadataRef;
    fn nanoscope_scope_name(scope: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    fn nanoscope_outer_scope(scope: LLVMMetadataRef) -> LLVMMetadataRef;
    fn nanoscope_variable_name(variable: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    fn nanoscope_variable_type(variable: LLVMMetadataRef) -> LLVMMetadataRef;
    fn nanoscope_signature_type(function: LLVMValueRef, number: c_uint) -> LLVMMetadataRef;
    fn nanoscope_signature_length(function: LLVMValueRef) -> c_uint;
    fn nanoscope_type_tag(ty: LLVMMetadataRef) -> c_uint;
    fn nanoscope_type_name(ty: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    fn nanoscope_type_bits(ty: LLVMMetadataRef) -> u64;
    fn nanoscope_type_offset(ty: LLVMMetadataRef) -> u64;
    fn nanoscope_type_encoding(ty: LLVMMetadataRef) -> c_uint;
    fn nanoscope_type_base(ty: LLVMMetadataRef) -> LLVMMetadataRef;
    fn nanoscope_type_elements(ty: LLVMMetadataRef) -> c_uint;
    fn nanoscope_type_element(ty: LLVMMetadataRef, index: c_uint) -> LLVMMetadataRef;
    fn nanoscope_type_identifier(ty: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    fn nanoscope_type_descriptor(ty: LLVMMetadataRef) -> c_uint;
    fn nanoscope_subroutine_length(ty: LLVMMetadataRef) -> c_uint;
    fn nanoscope_subroutine_type(ty: LLVMMetadataRef, index: c_uint) -> LLVMMetadataRef;
    fn nanoscope_member_is_static(member: LLVMMetadataRef) -> i32;
    fn nanoscope_member_is_bit_field(member: LLVMMetadataRef) -> i32;
    fn nanoscope_global_name(global: LLVMValueRef, length: *mut usize) -> *const c_char;
    fn nanoscope_common_members(
        function: LLVMValueRef,
        data: *mut c_void,
        found: extern "C" fn(*mut c_void, LLVMValueRef, i64, LLVMMetadataRef),
    );
    fn nanoscope_subrange_count(range: LLVMMetadataRef) -> i64;
}

fn text(pointer: *const c_char, length: usize) -> String {
    if pointer.is_null() {
        return String::new();
    }
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a Fortran array is that lies behind a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// An assumed-shape dummy argument.
    Shape,
    Allocatable,
    Pointer,
}

/// A type as the source declares it.
#[derive(Clone, Copy)]
pub struct DebugType(LLVMMetadataRef);

impl DebugType {
    fn from_raw(raw: LLVMMetadataRef) -> Option<DebugType> {
        (!raw.is_null()).then_some(DebugType(raw))
    }

    /// DW_TAG_*.
    pub fn tag(self) -> u32 {
        unsafe { nanoscope_type_tag(self.0) }
    }

    /// Its name; empty where it has none.
    pub fn name(self) -> String {
        let mut length = 0;
        text(unsafe { nanoscope_type_name(self.0, &mut length) }, length)
    }

    /// Its size in bits.
    pub fn bits(self) -> u64 {
        unsafe { nanoscope_type_bits(self.0) }
    }

    /// A member's offset in bits.
    pub fn offset(self) -> u64 {
        unsafe { nanoscope_type_offset(self.0) }
    }

    /// DW_ATE_* of a basic type.
    pub fn encoding(self) -> u32 {
        unsafe { nanoscope_type_encoding(self.0) }
    }

    /// What it is made from.
    pub fn base(self) -> Option<DebugType> {
        DebugType::from_raw(unsafe { nanoscope_type_base(self.0) })
    }

    /// Members of a structure, ranges of an array.
    pub fn elements(self) -> Vec<DebugType> {
        let count = unsafe { nanoscope_type_elements(self.0) };
        (0..count)
            .filter_map(|i| DebugType::from_raw(unsafe { nanoscope_type_element(self.0, i) }))
            .collect()
    }

    /// Whether it is a class of C++'s standard library.
    pub fn is_standard(self) -> bool {
        let mut length = 0;
        let name = text(unsafe { nanoscope_type_identifier(self.0, &mut length) }, length);
        name.starts_with("_ZTSSt") || name.starts_with("_ZTSNSt")
    }

    /// Of a Fortran array: how it lies behind a descriptor, if it does.
    pub fn descriptor(self) -> Option<Behind> {
        match unsafe { nanoscope_type_descriptor(self.0) } {
            1 => Some(Behind::Shape),
            2 => Some(Behind::Allocatable),
            3 => Some(Behind::Pointer),
            _ => None,
        }
    }

    /// Of the type of a function: its result (`None`: nothing), then its parameters.
    pub fn signature(self) -> Vec<Option<DebugType>> {
        let count = unsafe { nanoscope_subroutine_length(self.0) };
        let part = |i| DebugType::from_raw(unsafe { nanoscope_subroutine_type(self.0, i) });
        (0..count).map(part).collect()
    }

    /// Whether a member is static.
    pub fn is_static_member(self) -> bool {
        unsafe { nanoscope_member_is_static(self.0) != 0 }
    }

    /// Whether a member is a bit-field: its offset and size are any numbers of bits.
    pub fn is_bit_field(self) -> bool {
        unsafe { nanoscope_member_is_bit_field(self.0) != 0 }
    }

    /// The extent of an array's range.
    pub fn count(self) -> Option<u64> {
        u64::try_from(unsafe { nanoscope_subrange_count(self.0) }).ok()
    }
}

/// A symbol of C++ as the source writes it; any other as it is.
pub fn demangled(symbol: &str) -> String {
    let Ok(given) = CString::new(symbol) else { return symbol.to_owned() };
    let made = unsafe { nanoscope_demangled(given.as_ptr()) };
    if made.is_null() {
        return symbol.to_owned();
    }
    // The allocation is the C library's.
    let name = unsafe { CStr::from_ptr(made) }.to_string_lossy().into_owned();
    unsafe { libc::free(made.cast()) };
    name
}

/// The declared type of a variable, local or global.
pub fn object_type(object: Value) -> Option<DebugType> {
    DebugType::from_raw(unsafe { nanoscope_object_type(object.0) })
}

/// The name of a global variable in the source.
pub fn global_name(global: Value) -> Option<String> {
    let mut length = 0;
    let name = text(unsafe { nanoscope_global_name(global.0, &mut length) }, length);
    (!name.is_empty()).then_some(name)
}

/// A variable that a function declares to lie in a global one, as flang's members of COMMON
/// blocks do.
pub struct CommonMember {
    pub global: Value,
    pub offset: u64,
    pub name: String,
    pub ty: Option<DebugType>,
}

/// The variables that a function declares to lie in global ones.
pub fn common_members(function: Value) -> Vec<CommonMember> {
    extern "C" fn found(
        data: *mut c_void,
        global: LLVMValueRef,
        offset: i64,
        variable: LLVMMetadataRef,
    ) {
        // `data` is the list below, which outlives the call.
        let list = unsafe { &mut *data.cast::<Vec<CommonMember>>() };
        let Ok(offset) = u64::try_from(offset) else { return };
        let mut length = 0;
        let name = text(unsafe { nanoscope_variable_name(variable, &mut length) }, length);
        let ty = DebugType::from_raw(unsafe { nanoscope_variable_type(variable) });
        list.push(CommonMember { global: Value(global), offset, name, ty });
    }
    let mut list: Vec<CommonMember> = Vec::new();
    unsafe { nanoscope_common_members(function.0, (&raw mut list).cast(), found) };
    list
}

/// Name and type of a function's parameter `number`, from 1.
pub fn parameter(function: Value, number: u32) -> Option<(String, Option<DebugType>)> {
    let variable = unsafe { nanoscope_parameter(function.0, number) };
    if variable.is_null() {
        return None;
    }
    let mut length = 0;
    let name = text(unsafe { nanoscope_variable_name(variable, &mut length) }, length);
    Some((name, DebugType::from_raw(unsafe { nanoscope_variable_type(variable) })))
}

/// The declared types of a function: its result (`None`: nothing), then its parameters.
pub fn signature(function: Value) -> Vec<Option<DebugType>> {
    let length = unsafe { nanoscope_signature_length(function.0) };
    (0..length)
        .map(|i| DebugType::from_raw(unsafe { nanoscope_signature_type(function.0, i) }))
        .collect()
}

impl Value {
    /// The function's name in the source, with its namespaces and classes, where debug information
    /// has it.
    pub fn source_name(self) -> Option<String> {
        unsafe {
            let subprogram = LLVMGetSubprogram(self.0);
            if subprogram.is_null() {
                return None;
            }
            let name = scope_name(subprogram);
            if name.is_empty() {
                return None;
            }
            let mut names = vec![name];
            let mut scope = nanoscope_outer_scope(subprogram);
            while !scope.is_null() {
                names.push(scope_name(scope));
                scope = nanoscope_outer_scope(scope);
            }
            // An anonymous namespace has no name.
            names.retain(|name| !name.is_empty());
            names.reverse();
            Some(names.join("::"))
        }
    }

    /// The line a function starts on.
    pub fn source_line(self) -> u32 {
        unsafe {
            let subprogram = LLVMGetSubprogram(self.0);
            if subprogram.is_null() { 0 } else { LLVMDISubprogramGetLine(subprogram) }
        }
    }

    /// The file a function stands in.
    pub fn source_file(self) -> Option<String> {
        unsafe {
            let subprogram = LLVMGetSubprogram(self.0);
            if subprogram.is_null() { None } else { Some(scope_file(subprogram)) }
        }
    }

    /// Where an instruction comes from, through inlining.
    pub fn location(self) -> Location {
        let mut at = unsafe { LLVMInstructionGetDebugLoc(self.0) };
        let mut frames = Vec::new();
        while !at.is_null() {
            unsafe {
                let scope = LLVMDILocationGetScope(at);
                frames.push(Location {
                    file: scope_file(scope),
                    line: LLVMDILocationGetLine(at),
                    column: LLVMDILocationGetColumn(at),
                    inlined_at: Vec::new(),
                });
                at = LLVMDILocationGetInlinedAt(at);
            }
        }
        if frames.is_empty() {
            return Location::default();
        }
        let mut innermost = frames.remove(0);
        innermost.inlined_at = frames;
        innermost
    }
}

/// The name of a scope; empty where it has none.
unsafe fn scope_name(scope: LLVMMetadataRef) -> String {
    let mut length = 0;
    unsafe { text(nanoscope_scope_name(scope, &mut length), length) }
}

/// The file of a scope, from the folder we are in if it is below it.
unsafe fn scope_file(scope: LLVMMetadataRef) -> String {
    let (folder, name) = unsafe {
        let file = LLVMDIScopeGetFile(scope);
        if file.is_null() {
            return String::new();
        }
        let (mut folder_length, mut name_length) = (0, 0);
        let folder = LLVMDIFileGetDirectory(file, &mut folder_length);
        let name = LLVMDIFileGetFilename(file, &mut name_length);
        (text(folder, folder_length as usize), text(name, name_length as usize))
    };
    let path = Path::new(&folder).join(&name);
    let here = std::env::current_dir().unwrap_or_default();
    match path.strip_prefix(&here) {
        Ok(below) => below.display().to_string(),
        Err(_) => without_detours(&path).display().to_string(),
    }
}

/// A path without `..`: `/usr/lib/gcc/../../include` is `/usr/include`.
fn without_detours(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if straight.file_name().is_some() => {
                straight.pop();
            }
            _ => straight.push(part),
        }
    }
    straight
}

/// Writes a line table of its own: line `n` stands for whatever the caller numbers `n`.
pub struct LineTable<'m> {
    module: &'m Module,
    builder: LLVMDIBuilderRef,
    file: LLVMMetadataRef,
}

impl<'m> LineTable<'m> {
    /// Replaces the module's debug information by an empty table.
    pub fn new(module: &'m Module) -> LineTable<'m> {
        module.strip_debug_information();
        unsafe {
            let builder = LLVMCreateDIBuilder(module.raw());
            let (name, folder, producer) = ("sites", "", "nanoscope");
            let file = LLVMDIBuilderCreateFile(
                builder,
                name.as_ptr().cast(),
                name.len(),
                folder.as_ptr().cast(),
                0,
            );
            LLVMDIBuilderCreateCompileUnit(
                builder,
                LLVMDWARFSourceLanguage::LLVMDWARFSourceLanguageC,
                file,
                producer.as_ptr().cast(),
                producer.len(),
                0,
                std::ptr::null(),
                0,
                0,
                std::ptr::null(),
                0,
                LLVMDWARFEmissionKind::LLVMDWARFEmissionKindLineTablesOnly,
                0,
                0,
                0,
                std::ptr::null(),
                0,
                std::ptr::null(),
                0,
            );
            let key = "Debug Info Version";
            if LLVMGetModuleFlag(module.raw(), key.as_ptr().cast(), key.len()).is_null() {
                LLVMAddModuleFlag(
                    module.raw(),
                    llvm_sys::LLVMModuleFlagBehavior::LLVMModuleFlagBehaviorWarning,
                    key.as_ptr().cast(),
                    key.len(),
                    LLVMValueAsMetadata(module.integer(32).constant(3).0),
                );
            }
            LineTable { module, builder, file }
        }
    }

    /// Gives a defined function a scope of its own.
    pub fn function(&mut self, function: Value) {
        unsafe {
            let kind = LLVMDIBuilderCreateSubroutineType(
                self.builder,
                self.file,
                std::ptr::null_mut(),
                0,
                0,
            );
            let name = function.name();
            let subprogram = LLVMDIBuilderCreateFunction(
                self.builder,
                self.file,
                name.as_ptr().cast(),
                name.len(),
                std::ptr::null(),
                0,
                self.file,
                0,
                kind,
                0,
                1,
                0,
                0,
                0,
            );
            LLVMSetSubprogram(function.0, subprogram);
        }
    }

    /// Says that an instruction of `function` stands on `line`.
    pub fn place(&mut self, function: Value, instruction: Value, line: u32) {
        unsafe {
            let scope = LLVMGetSubprogram(function.0);
            let location = LLVMDIBuilderCreateDebugLocation(
                self.module.context(),
                line,
                0,
                scope,
                std::ptr::null_mut(),
            );
            LLVMInstructionSetDebugLoc(instruction.0, location);
        }
    }
}

impl Drop for LineTable<'_> {
    fn drop(&mut self) {
        unsafe {
            LLVMDIBuilderFinalize(self.builder);
            LLVMDisposeDIBuilder(self.builder);
        }
    }
}
