//! Memory that a process and others that it has the kernel fork have in common.

use nanoscope_program::Fault;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;

/// A mapping of memory without a name, zeroed; others map it where they like.
pub(crate) struct Shared {
    base: NonNull<u8>,
    bytes: usize,
    descriptor: OwnedFd,
}

pub(crate) const PAGE: usize = 4096;

impl Shared {
    pub(crate) fn new(bytes: usize) -> Result<Shared, Fault> {
        let bytes = bytes.next_multiple_of(PAGE);
        // SAFETY: makes a descriptor that nobody else owns.
        let descriptor = unsafe { libc::memfd_create(c"shared".as_ptr(), libc::MFD_CLOEXEC) };
        // SAFETY: a descriptor of ours.
        if descriptor < 0 || unsafe { libc::ftruncate(descriptor, bytes as i64) } != 0 {
            return Err(failed(bytes));
        }
        Shared::map(descriptor)
    }

    /// Maps what another process made. The descriptor is the mapping's from now on.
    pub(crate) fn map(descriptor: RawFd) -> Result<Shared, Fault> {
        // SAFETY: fresh, or handed over; the mapping is a fresh one, and nothing of ours is
        // there yet.
        let (descriptor, bytes, base) = unsafe {
            let descriptor = OwnedFd::from_raw_fd(descriptor);
            let mut status: libc::stat = std::mem::zeroed();
            if libc::fstat(descriptor.as_raw_fd(), &mut status) != 0 {
                return Err(failed(0));
            }
            let bytes = status.st_size as usize;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_SHARED | libc::MAP_NORESERVE;
            let base =
                libc::mmap(std::ptr::null_mut(), bytes, access, kind, descriptor.as_raw_fd(), 0);
            (descriptor, bytes, base)
        };
        match NonNull::new(base.cast::<u8>()) {
            Some(base) if base.as_ptr().cast() != libc::MAP_FAILED => {
                Ok(Shared { base, bytes, descriptor })
            }
            _ => Err(failed(bytes)),
        }
    }

    /// What another process maps it by.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.descriptor.as_raw_fd()
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

fn failed(bytes: usize) -> Fault {
    let error = std::io::Error::last_os_error();
    Fault::Internal(format!("cannot map {bytes} bytes of shared memory: {error}"))
}
