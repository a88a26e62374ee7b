//! A shared library in a child's address space.

use std::ffi::{CStr, CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub(crate) struct Loaded {
    handle: *mut c_void,
}

impl Loaded {
    /// Loads, running the library's constructors, and keeps what they made of its variables
    /// for `nanoscope_reset`. Only ever in a child.
    pub(crate) fn open(path: &Path) -> Result<Loaded, String> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        // Lazily: a function that is missing but never called does no harm.
        // SAFETY: runs foreign constructors; the child is confined and expendable.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(loader_error());
        }
        let library = Loaded { handle };
        let keep = library.find(c"nanoscope_keep");
        if !keep.is_null() {
            // SAFETY: the contract gives the symbol this type.
            unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn()>(keep)() };
        }
        Ok(library)
    }

    /// A symbol's address, null if it is not there.
    pub(crate) fn find(&self, symbol: &CStr) -> *mut c_void {
        // SAFETY: the handle is open; it is never closed.
        unsafe { libc::dlsym(self.handle, symbol.as_ptr()) }
    }

    /// Says which of the library's targets is to run.
    ///
    /// # Safety
    /// The library keeps to the contract; not while it runs.
    pub(crate) unsafe fn choose(&self, entry: u32) {
        let chosen = self.find(c"nanoscope_entry").cast::<u32>();
        if !chosen.is_null() {
            // SAFETY: the contract gives the symbol this type.
            unsafe { *chosen = entry };
        }
    }

    /// A symbol's address.
    pub(crate) fn symbol(&self, symbol: &CStr) -> Result<*mut c_void, String> {
        let address = self.find(symbol);
        if address.is_null() {
            return Err(format!("the library has no symbol {}", symbol.to_string_lossy()));
        }
        Ok(address)
    }
}

fn loader_error() -> String {
    // SAFETY: dlerror gives null or a string that lives until the next call.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() {
            return "the library cannot be loaded".into();
        }
        CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}
