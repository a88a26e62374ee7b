//! The memory that host and agent share: a header and the channels, as `agent/protocol.h` lays
//! them out. One side at a time may touch a channel: the one whose turn it is.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};

/// The descriptor that the subject finds the memory under.
pub const DESCRIPTOR: i32 = 963;
const BYTES: usize = 1 << 28;
const MAGIC: u32 = 0x6e61_6e6f;
const CHANNELS_AT: usize = 4096;
const CHANNEL_BYTES: usize = 8 << 20;
const DATA_AT: usize = 72;
/// The bytes of a channel's data.
pub const DATA_BYTES: usize = CHANNEL_BYTES - 4096;
/// The most channels there is room for.
pub const MOST_CHANNELS: usize = BYTES / CHANNEL_BYTES - 1;

const TURN_AGENT: u32 = 1;
const TURN_HOST: u32 = 2;

/// The shared memory.
pub struct Shared {
    memory: *mut u8,
    descriptor: OwnedFd,
}

// SAFETY: the turn of each channel says who may touch it, and each host thread has its own.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// The other side is no longer there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone(pub i32);

impl Shared {
    /// Fresh memory, for a machine whose extended state has these components and bytes.
    pub fn new(components: u64, state_bytes: u64) -> io::Result<Shared> {
        // SAFETY: a constant name; the descriptor is ours alone.
        let descriptor = unsafe {
            let descriptor = libc::memfd_create(c"nanoscope".as_ptr(), libc::MFD_CLOEXEC);
            if descriptor < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(descriptor)
        };
        // SAFETY: a new mapping of a new file.
        let memory = unsafe {
            if libc::ftruncate(descriptor.as_raw_fd(), BYTES as i64) != 0 {
                return Err(io::Error::last_os_error());
            }
            let memory = libc::mmap(
                std::ptr::null_mut(),
                BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                descriptor.as_raw_fd(),
                0,
            );
            if memory == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            memory.cast::<u8>()
        };
        let shared = Shared { memory, descriptor };
        shared.put32(0, MAGIC);
        shared.put64(8, CHANNELS_AT as u64);
        shared.put64(16, CHANNEL_BYTES as u64);
        shared.put64(24, DATA_BYTES as u64);
        shared.put64(32, components);
        shared.put64(40, state_bytes);
        Ok(shared)
    }

    /// The file behind it.
    pub fn descriptor(&self) -> i32 {
        self.descriptor.as_raw_fd()
    }

    /// Says which process the agent is to work in. Called in the child before it executes the
    /// subject: writes memory and nothing else.
    pub fn claim(&self, process: u32) {
        self.put32(4, process);
    }

    /// A channel, from 0.
    pub fn channel(&self, index: usize) -> Channel<'_> {
        assert!(index < MOST_CHANNELS);
        Channel { shared: self, base: CHANNELS_AT + index * CHANNEL_BYTES }
    }

    fn put32(&self, at: usize, value: u32) {
        // SAFETY: inside the mapping, aligned.
        unsafe { self.memory.add(at).cast::<u32>().write_volatile(value) }
    }

    fn put64(&self, at: usize, value: u64) {
        // SAFETY: inside the mapping, aligned.
        unsafe { self.memory.add(at).cast::<u64>().write_volatile(value) }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: nobody has a reference into it any more.
        unsafe { libc::munmap(self.memory.cast(), BYTES) };
    }
}

/// One channel, seen from the host.
#[derive(Clone, Copy)]
pub struct Channel<'a> {
    shared: &'a Shared,
    base: usize,
}

impl Channel<'_> {
    fn turn(&self) -> &AtomicU32 {
        // SAFETY: inside the mapping, aligned, and both sides use it atomically.
        unsafe { AtomicU32::from_ptr(self.shared.memory.add(self.base).cast()) }
    }

    /// Makes it as if nobody had used it.
    pub fn reset(&self) {
        self.turn().store(0, Ordering::Release);
    }

    /// Waits for the agent's request. `gone` is asked now and then whether the agent's process has
    /// ended, and if so, how.
    pub fn wait(&self, mut gone: impl FnMut() -> Option<i32>) -> Result<u32, Gone> {
        loop {
            let turn = self.turn().load(Ordering::Acquire);
            if turn == TURN_HOST {
                // SAFETY: inside the mapping; it is our turn.
                return Ok(unsafe { self.at::<u32>(4).read_volatile() });
            }
            let patience = libc::timespec { tv_sec: 0, tv_nsec: 20_000_000 };
            // SAFETY: the word lives as long as the mapping.
            let waited = unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    self.turn().as_ptr(),
                    libc::FUTEX_WAIT,
                    turn,
                    &raw const patience,
                )
            };
            if waited != 0
                && io::Error::last_os_error().raw_os_error() == Some(libc::ETIMEDOUT)
                && let Some(status) = gone()
            {
                // It may have spoken before it went.
                if self.turn().load(Ordering::Acquire) != TURN_HOST {
                    return Err(Gone(status));
                }
            }
        }
    }

    /// Gives the agent its next command.
    pub fn command(&self, command: u32, arguments: &[u64]) {
        // SAFETY: inside the mapping; it is our turn.
        unsafe { self.at::<u32>(8).write_volatile(command) };
        for (k, argument) in arguments.iter().enumerate() {
            self.set_argument(k, *argument);
        }
        self.turn().store(TURN_AGENT, Ordering::Release);
        // SAFETY: the word lives as long as the mapping.
        unsafe { libc::syscall(libc::SYS_futex, self.turn().as_ptr(), libc::FUTEX_WAKE, 1) };
    }

    /// An argument of the agent's request, or of its answer.
    pub fn argument(&self, which: usize) -> u64 {
        assert!(which < 6);
        // SAFETY: inside the mapping; it is our turn.
        unsafe { self.at::<u64>(16 + 8 * which).read_volatile() }
    }

    fn set_argument(&self, which: usize, value: u64) {
        assert!(which < 6);
        // SAFETY: inside the mapping; it is our turn.
        unsafe { self.at::<u64>(16 + 8 * which).write_volatile(value) }
    }

    /// A copy of a part of the data.
    pub fn read(&self, at: usize, length: usize) -> Vec<u8> {
        assert!(at + length <= DATA_BYTES);
        let mut bytes = vec![0u8; length];
        // SAFETY: inside the mapping; it is our turn.
        unsafe {
            let from = self.shared.memory.add(self.base + DATA_AT + at);
            std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), length);
        }
        bytes
    }

    /// Writes a part of the data.
    pub fn write(&self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= DATA_BYTES);
        // SAFETY: inside the mapping; it is our turn.
        unsafe {
            let to = self.shared.memory.add(self.base + DATA_AT + at);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
    }

    /// # Safety
    /// `offset` is aligned for `T` and inside the channel.
    unsafe fn at<T>(&self, offset: usize) -> *mut T {
        // SAFETY: the caller promises it.
        unsafe { self.shared.memory.add(self.base + offset).cast() }
    }
}
