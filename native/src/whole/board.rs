//! The board: what host and program tell each other, in memory that both see.
//!
//! The layout is that of `program/runtime/test.c`, which explains the fields.

use nanoscope_program::Fault;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
pub(super) const FILTER_AT: usize = 64 * KIB;
pub(super) const STDIN_AT: usize = 128 * KIB;
pub(super) const DICTIONARY_AT: usize = 192 * KIB;
pub(super) const TIMES_AT: usize = 256 * KIB;
pub(super) const WORDS_AT: usize = 320 * KIB;
pub(super) const OUTPUTS_AT: usize = 448 * KIB;
pub(super) const GIVEN_AT: usize = MIB;
pub(super) const ASKED_AT: usize = 5 * MIB;
pub(super) const EDGES_AT: usize = 9 * MIB;
pub(super) const BRANCHES_AT: usize = 11 * MIB;
pub(super) const WHOLE: usize = 12 * MIB;

/// The most bytes of the sections whose contents the host chooses.
pub(super) const FILTER_MOST: usize = STDIN_AT - FILTER_AT;
pub(super) const STDIN_MOST: usize = DICTIONARY_AT - STDIN_AT;
pub(super) const DICTIONARY_MOST: usize = TIMES_AT - DICTIONARY_AT;
pub(super) const TIMES_MOST: usize = WORDS_AT - TIMES_AT;
pub(super) const WORDS_MOST: usize = OUTPUTS_AT - WORDS_AT;
pub(super) const OUTPUTS_MOST: usize = GIVEN_AT - OUTPUTS_AT;
pub(super) const GIVEN_MOST: usize = ASKED_AT - GIVEN_AT;
pub(super) const ASKED_MOST: usize = EDGES_AT - ASKED_AT;
pub(super) const EDGES_MOST: usize = MIB;
pub(super) const BRANCHES_MOST: usize = WHOLE - BRANCHES_AT;

pub(super) const FRAMES: usize = 64;
pub(super) const TROUBLES: usize = 16;
pub(super) const TEXT: usize = 1024;

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Trouble {
    pub line: u32,
    pub column: u32,
    pub frames: u32,
    pub unused: u32,
    pub kind: [u8; 64],
    pub file: [u8; 512],
    pub frame: [u64; FRAMES],
}

#[repr(C)]
pub(super) struct Head {
    pub generate: u64,
    pub seed: u64,
    pub milliseconds: u64,
    pub memory: u64,
    pub given_bytes: u64,
    pub time_bytes: u64,
    pub stdin_bytes: u64,
    pub words: u64,
    pub output_words: u64,
    pub filter: u64,
    pub rules: u64,
    pub dictionary: u64,
    pub stdin_generated: u64,
    pub profile: [u8; TEXT],
    pub outcome: u64,
    pub line: u64,
    pub frames: u64,
    pub asked_bytes: u64,
    pub troubles: u64,
    pub edges: u64,
    pub counters: u64,
    pub outputs_written: u64,
    pub stdin_made: u64,
    pub branches: u64,
    pub frame: [u64; FRAMES],
    pub text: [u8; TEXT],
    pub file: [u8; TEXT],
    pub function: [u8; TEXT],
    pub trouble: [Trouble; TROUBLES],
}

/// The memory, and the descriptor by which the program comes by it.
pub(super) struct Board {
    base: *mut u8,
    descriptor: OwnedFd,
}

// SAFETY: the mapping is reached through `&mut self` or `&self` only, and is ours alone
// while no child runs.
unsafe impl Send for Board {}

impl Board {
    pub fn new() -> Result<Board, Fault> {
        // SAFETY: a constant name; a fresh descriptor; a fresh mapping of its whole length.
        unsafe {
            let descriptor = libc::memfd_create(c"board".as_ptr(), libc::MFD_CLOEXEC);
            if descriptor < 0 {
                return Err(crate::child::last_error("cannot make a board"));
            }
            let descriptor = OwnedFd::from_raw_fd(descriptor);
            if libc::ftruncate(descriptor.as_raw_fd(), WHOLE as i64) != 0 {
                return Err(crate::child::last_error("cannot make a board"));
            }
            let base = libc::mmap(
                std::ptr::null_mut(),
                WHOLE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                descriptor.as_raw_fd(),
                0,
            );
            if base == libc::MAP_FAILED {
                return Err(crate::child::last_error("cannot map a board"));
            }
            Ok(Board { base: base.cast(), descriptor })
        }
    }

    pub fn descriptor(&self) -> i32 {
        self.descriptor.as_raw_fd()
    }

    pub fn head(&mut self) -> &mut Head {
        const { assert!(size_of::<Head>() <= FILTER_AT) };
        // SAFETY: the mapping starts with a head, which any bytes are.
        unsafe { &mut *self.base.cast::<Head>() }
    }

    /// A section; its length must be one of those above.
    pub fn section(&mut self, at: usize, length: usize) -> &mut [u8] {
        assert!(at + length <= WHOLE);
        // SAFETY: within the mapping, by the line above.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(at), length) }
    }

    pub fn write(&mut self, at: usize, most: usize, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.len() > most {
            return Err(Fault::User(format!(
                "an input of {} bytes is more than a native run takes",
                bytes.len()
            )));
        }
        self.section(at, bytes.len()).copy_from_slice(bytes);
        Ok(())
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and its addresses do not outlive us.
        unsafe { libc::munmap(self.base.cast(), WHOLE) };
    }
}

/// Text up to its first zero byte.
pub(super) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
