//! Registers as the agent hands them over, and as everybody else sees them.

use crate::prototype::Place;
use crate::trace::{State, X87};
use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

/// The bytes of `struct state`.
pub const STATE_BYTES: usize = 192 + 4096;
const EXTENDED: usize = 192;

/// Where XSAVE puts the parts of the extended state on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The components in use: x87, SSE, AVX, and the three of AVX-512.
    pub components: u64,
    /// How many bytes they take.
    pub bytes: u64,
    high_halves: Option<usize>,
    masks: Option<usize>,
    high_of_512: Option<usize>,
    upper_sixteen: Option<usize>,
}

impl Layout {
    /// This machine's.
    pub fn of_this_machine() -> Option<Layout> {
        let features = __cpuid(1);
        if features.ecx & (1 << 27) == 0 {
            return None; // no XSAVE, or the system does not use it
        }
        // SAFETY: the processor has XGETBV, as just asked.
        let enabled = unsafe { xgetbv() };
        let components = enabled & 0b1110_0111;
        let mut end = 576;
        let mut place = |component: u32| {
            if components & (1 << component) == 0 {
                return None;
            }
            let entry = __cpuid_count(0xd, component);
            end = end.max(entry.ebx + entry.eax);
            Some(entry.ebx as usize)
        };
        let high_halves = place(2);
        let masks = place(5);
        let high_of_512 = place(6);
        let upper_sixteen = place(7);
        let bytes = u64::from(end);
        (bytes <= 4096).then_some(Layout {
            components,
            bytes,
            high_halves,
            masks,
            high_of_512,
            upper_sixteen,
        })
    }

    /// Where in `struct state` a byte of a vector register is.
    pub fn vector_byte(&self, register: u8, byte: u8) -> Option<usize> {
        let (register, byte) = (usize::from(register), usize::from(byte));
        let at = match (register, byte) {
            (16.., _) => self.upper_sixteen? + (register - 16) * 64 + byte,
            (_, 0..16) => 160 + register * 16 + byte,
            (_, 16..32) => self.high_halves? + register * 16 + byte - 16,
            (_, _) => self.high_of_512? + register * 32 + byte - 32,
        };
        Some(EXTENDED + at)
    }

    /// Where in `struct state` st(`index`) is.
    pub fn x87(&self, index: usize) -> usize {
        EXTENDED + 32 + 16 * index
    }
}

#[target_feature(enable = "xsave")]
fn xgetbv() -> u64 {
    // SAFETY: register 0 exists wherever the instruction does.
    unsafe { _xgetbv(0) }
}

/// The registers in a `struct state`, of which `bytes` has at least the used part.
pub fn state_from(layout: &Layout, bytes: &[u8]) -> State {
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|k| bytes[at + k]));
    let extended = &bytes[EXTENDED..];
    let short = |at: usize| u16::from_le_bytes([extended[at], extended[at + 1]]);
    let mut state = State::zero();
    state.general = std::array::from_fn(|k| word(8 * k));
    state.rip = word(128);
    state.rflags = word(136);
    state.fs_base = word(144);
    let present = u64::from_le_bytes(std::array::from_fn(|k| extended[512 + k]));
    state.mxcsr = u32::from_le_bytes(std::array::from_fn(|k| extended[24 + k]));
    if present & 1 != 0 {
        state.x87 = X87 {
            control: short(0),
            status: short(2),
            in_use: extended[4],
            stack: std::array::from_fn(|r| std::array::from_fn(|k| extended[32 + 16 * r + k])),
        };
    }
    for register in 0..16 {
        if present & 2 != 0 {
            let at = 160 + 16 * register;
            state.vectors[register][..16].copy_from_slice(&extended[at..at + 16]);
        }
        if let Some(at) = layout.high_halves.filter(|_| present & 4 != 0) {
            let at = at + 16 * register;
            state.vectors[register][16..32].copy_from_slice(&extended[at..at + 16]);
        }
        if let Some(at) = layout.high_of_512.filter(|_| present & 64 != 0) {
            let at = at + 32 * register;
            state.vectors[register][32..].copy_from_slice(&extended[at..at + 32]);
        }
        if let Some(at) = layout.upper_sixteen.filter(|_| present & 128 != 0) {
            let at = at + 64 * register;
            state.vectors[16 + register].copy_from_slice(&extended[at..at + 64]);
        }
    }
    if let Some(at) = layout.masks.filter(|_| present & 32 != 0) {
        state.masks = std::array::from_fn(|k| {
            u64::from_le_bytes(std::array::from_fn(|b| extended[at + 8 * k + b]))
        });
    }
    state
}

/// A place as the agent takes it: an address, or an offset in `struct state`.
pub fn patch_place(layout: &Layout, place: Place) -> Option<u64> {
    Some(match place {
        Place::Memory(address) => address,
        Place::General { register, byte } => 8 * u64::from(register) + u64::from(byte),
        Place::Vector { register, byte } => layout.vector_byte(register, byte)? as u64,
        Place::X87(index) => layout.x87(usize::from(index)) as u64,
    })
}
