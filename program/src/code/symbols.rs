//! Whether an external symbol will be found when the library is loaded.

use crate::compile::Bitcode;
use std::ffi::{CString, c_void};
use std::sync::OnceLock;

/// Whether the C library, the mathematical library or the languages' runtimes have the
/// symbol. Libraries that the user links with are not opened here, since that would run
/// their code: whatever is missing is taken to be in them.
#[allow(unsafe_code)] // The dynamic loader is the one that knows.
pub(crate) fn is_there(name: &str, bitcode: &Bitcode) -> bool {
    static SYSTEM: OnceLock<Vec<usize>> = OnceLock::new();
    let system = SYSTEM.get_or_init(|| {
        ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"]
            .iter()
            .filter_map(|l| open(l))
            .collect()
    });
    let Ok(symbol) = CString::new(name) else { return false };
    // SAFETY: the handles come from dlopen and are never closed.
    let has =
        |handle: usize| unsafe { !libc::dlsym(handle as *mut c_void, symbol.as_ptr()).is_null() };
    // Static runtimes (Fortran's) are linked in: the linker will complain, not the loader.
    system.iter().any(|&handle| has(handle))
        || name.starts_with("_Fortran")
        || bitcode.flags.links_libraries()
}

/// Opens a library of the system.
#[allow(unsafe_code)] // As above.
fn open(name: &str) -> Option<usize> {
    let name = CString::new(name).ok()?;
    // SAFETY: a NUL-terminated name.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    (!handle.is_null()).then_some(handle as usize)
}
