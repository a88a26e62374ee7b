//! Memory that a process and its forked children have in common.

use nanoscope_program::Fault;
use std::ptr::NonNull;

/// An anonymous mapping, zeroed, at the same address in parent and child.
pub(crate) struct Shared {
    base: NonNull<u8>,
    bytes: usize,
}

pub(crate) const PAGE: usize = 4096;

impl Shared {
    pub(crate) fn new(bytes: usize) -> Result<Shared, Fault> {
        let bytes = bytes.next_multiple_of(PAGE);
        // SAFETY: a fresh mapping; nothing of ours is there yet.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        match NonNull::new(base.cast::<u8>()) {
            Some(base) if base.as_ptr().cast() != libc::MAP_FAILED => Ok(Shared { base, bytes }),
            _ => Err(Fault::Internal(format!(
                "cannot map {bytes} bytes of shared memory: {}",
                std::io::Error::last_os_error()
            ))),
        }
    }

    /// The address of the `T` that starts `offset` bytes in.
    pub(crate) fn at<T>(&self, offset: usize) -> *mut T {
        assert!(offset + size_of::<T>() <= self.bytes && offset.is_multiple_of(align_of::<T>()));
        // SAFETY: within the mapping, by the line above.
        unsafe { self.base.as_ptr().add(offset).cast() }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and its addresses do not outlive us.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}
