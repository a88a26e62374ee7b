//! The functions of the machine's libm, each looked up by its symbol in the shared library.
//!
//! Rust's methods of these names are no way to call it: the linker may bind them to another
//! implementation (the compiler's support library has a `cbrt` of its own), and a program in C
//! would compute something else.

#![allow(unsafe_code, reason = "symbols of a shared library have no types")]

use super::Libm;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::LazyLock;

unsafe extern "C" {
    fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, symbol: *const c_char) -> *mut c_void;
}

/// Resolve every symbol at once (POSIX; the same number on Linux, the BSDs and macOS).
const RTLD_NOW: c_int = 2;

/// Where libm is: glibc, musl, macOS.
const FILES: &[&CStr] = &[c"libm.so.6", c"libm.so", c"libc.so", c"libSystem.dylib"];

/// A function as the library has it.
pub(super) enum Bound<T> {
    One(unsafe extern "C" fn(T) -> T),
    Two(unsafe extern "C" fn(T, T) -> T),
    /// With a place for the sign: `lgamma_r`, since `lgamma` writes a global variable.
    Signed(unsafe extern "C" fn(T, *mut c_int) -> T),
}

impl<T> Bound<T> {
    pub(super) fn call(&self, x: T, y: T) -> T {
        match self {
            // SAFETY: the symbol has this type by ISO C 7.12, and may be called with any number.
            Bound::One(function) => unsafe { function(x) },
            // SAFETY: as above.
            Bound::Two(function) => unsafe { function(x, y) },
            // SAFETY: as above, by POSIX, and the place for the sign is there.
            Bound::Signed(function) => unsafe { function(x, &mut 0) },
        }
    }

    /// The function `name` of the library, which is `function` on `T`s.
    fn find(library: *mut c_void, function: Libm, name: &str) -> Bound<T> {
        // SAFETY: the symbol of that name is a function of this type.
        unsafe {
            if function == Libm::Lgamma {
                let address = symbol(library, &format!("{name}_r"));
                type Signed<T> = unsafe extern "C" fn(T, *mut c_int) -> T;
                return Bound::Signed(std::mem::transmute::<*mut c_void, Signed<T>>(address));
            }
            let address = symbol(library, name);
            type One<T> = unsafe extern "C" fn(T) -> T;
            type Two<T> = unsafe extern "C" fn(T, T) -> T;
            match function.arity() {
                1 => Bound::One(std::mem::transmute::<*mut c_void, One<T>>(address)),
                _ => Bound::Two(std::mem::transmute::<*mut c_void, Two<T>>(address)),
            }
        }
    }
}

/// A function in both formats.
pub(super) struct Functions {
    pub(super) double: Bound<f64>,
    pub(super) single: Bound<f32>,
}

/// The function in the machine's libm.
pub(super) fn bound(function: Libm) -> &'static Functions {
    static BOUND: LazyLock<Vec<Functions>> = LazyLock::new(|| {
        let library = open();
        let functions = Libm::ALL.iter().map(|function| Functions {
            double: Bound::find(library, *function, function.name()),
            single: Bound::find(library, *function, function.single_name()),
        });
        functions.collect()
    });
    &BOUND[function as usize]
}

/// The library, which stays loaded.
fn open() -> *mut c_void {
    let opened = FILES.iter().map(|file| {
        // SAFETY: the name is a C string; libm runs no code of its own when it is loaded.
        unsafe { dlopen(file.as_ptr(), RTLD_NOW) }
    });
    opened.into_iter().find(|library| !library.is_null()).unwrap_or_else(|| {
        panic!("the machine's libm cannot be loaded: none of {FILES:?} is a shared library")
    })
}

fn symbol(library: *mut c_void, name: &str) -> *mut c_void {
    let text = CString::new(name).expect("names have no zero byte");
    // SAFETY: the library is open and the name is a C string.
    let address = unsafe { dlsym(library, text.as_ptr()) };
    assert!(!address.is_null(), "the machine's libm has no `{name}`");
    address
}

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    use super::*;

    unsafe extern "C" {
        fn dladdr(address: *const c_void, found: *mut Found) -> c_int;
    }

    /// `Dl_info`.
    #[repr(C)]
    struct Found {
        file: *const c_char,
        base: *mut c_void,
        symbol: *const c_char,
        at: *mut c_void,
    }

    /// The file that an address was loaded from.
    fn file_of<T>(function: &Bound<T>) -> String {
        let address = match function {
            Bound::One(at) => *at as *const c_void,
            Bound::Two(at) => *at as *const c_void,
            Bound::Signed(at) => *at as *const c_void,
        };
        let nothing = std::ptr::null();
        let none = std::ptr::null_mut();
        let mut found = Found { file: nothing, base: none, symbol: nothing, at: none };
        // SAFETY: dladdr fills in `found`; the file it names is a C string.
        unsafe {
            assert_ne!(dladdr(address, &mut found), 0);
            CStr::from_ptr(found.file).to_string_lossy().into_owned()
        }
    }

    #[test]
    fn every_function_is_the_shared_librarys() {
        for function in Libm::ALL {
            let functions = bound(*function);
            for file in [file_of(&functions.double), file_of(&functions.single)] {
                assert!(file.contains("/libm"), "{} comes from {file}", function.name());
            }
        }
    }
}
