//! The processor's state in a signal frame: reading numbers where an instruction has
//! them, and the control words that take effect when the handler returns.

use crate::text::Place;
use crate::trace::RawNumber;
use nanoscope_ieee::Format;

/// All six exceptions masked, in MXCSR.
pub(crate) const MASKED: u32 = 0x1f80;
/// The flags, in MXCSR and in x87's status word.
pub(crate) const FLAGS: u32 = 0x3f;

const TRAP_FLAG: i64 = 0x100;

/// Where the fields are in the frame's FXSAVE image and behind it (Intel's manual,
/// volume 1, 10.5.1 and 13.4).
const STACK_REGISTERS: usize = 32;
const VECTOR_REGISTERS: usize = 160;
const SOFTWARE_MAGIC: usize = 464;
const STATES_PRESENT: usize = 512;
const UPPER_HALVES: usize = 576;

pub(crate) struct Frame {
    context: *mut libc::mcontext_t,
    bias: u64,
}

impl Frame {
    /// # Safety
    /// `context` is what the kernel handed to a handler that is still running.
    pub(crate) unsafe fn new(context: *mut libc::c_void, bias: u64) -> Frame {
        // SAFETY: as promised.
        let context = unsafe { &raw mut (*context.cast::<libc::ucontext_t>()).uc_mcontext };
        Frame { context, bias }
    }

    fn general(&self, register: i32) -> *mut i64 {
        // SAFETY: a live frame, an index within its array.
        unsafe { &raw mut (*self.context).gregs[register as usize] }
    }

    fn float_image(&self) -> *mut u8 {
        // SAFETY: a live frame; x86-64 always saves this state.
        unsafe { (*self.context).fpregs.cast() }
    }

    pub(crate) fn program_counter(&self) -> u64 {
        // SAFETY: a live frame.
        unsafe { *self.general(libc::REG_RIP) as u64 }
    }

    pub(crate) fn set_program_counter(&self, address: u64) {
        // SAFETY: a live frame.
        unsafe { *self.general(libc::REG_RIP) = address as i64 }
    }

    /// Goes on in a function without parameters that does not return.
    pub(crate) fn divert(&self, function: u64) {
        // The stack as after a call: a multiple of 16 and the return address, below what
        // a function may use without moving the pointer (System V ABI, 3.2.2).
        let stack = self.general(libc::REG_RSP);
        // SAFETY: a live frame.
        unsafe { *stack = ((*stack - 256) & !15) - 8 };
        self.set_program_counter(function);
    }

    pub(crate) fn single_step(&self, on: bool) {
        let flags = self.general(libc::REG_EFL);
        // SAFETY: a live frame.
        unsafe { *flags = if on { *flags | TRAP_FLAG } else { *flags & !TRAP_FLAG } };
    }

    pub(crate) fn mxcsr(&self) -> u32 {
        // SAFETY: a live frame.
        unsafe { (*(*self.context).fpregs).mxcsr }
    }

    pub(crate) fn set_mxcsr(&self, value: u32) {
        // SAFETY: a live frame.
        unsafe { (*(*self.context).fpregs).mxcsr = value }
    }

    /// x87's status word.
    pub(crate) fn status(&self) -> u32 {
        // SAFETY: a live frame.
        unsafe { u32::from((*(*self.context).fpregs).swd) }
    }

    pub(crate) fn set_status(&self, value: u32) {
        // SAFETY: a live frame. The bit says that x87's state is not the initial one,
        // without which the kernel would not load it.
        unsafe {
            (*(*self.context).fpregs).swd = value as u16;
            if self.is_extended() {
                *self.float_image().add(STATES_PRESENT) |= 1;
            }
        }
    }

    /// Whether there is more behind the FXSAVE image (the kernel says so there).
    fn is_extended(&self) -> bool {
        // SAFETY: within the image.
        unsafe { self.float_image().add(SOFTWARE_MAGIC).cast::<u32>().read() == 0x4650_5853 }
    }

    /// The number at `place`. Reads the program's memory as the program would.
    pub(crate) fn read(&self, place: Place, format: Format, lanes: u8) -> RawNumber {
        let kind = format.width();
        let mut number = RawNumber { kind, lanes: u32::from(lanes), words: [0; 4] };
        let bytes = (kind as usize / 8 * lanes as usize).min(32);
        let words = number.words.as_mut_ptr().cast::<u8>();
        let image = self.float_image();
        // SAFETY: at most 32 bytes into a buffer of 32; sources as the frame's layout
        // says, or where the instruction itself reads or has written.
        unsafe {
            match place {
                Place::None => return RawNumber::default(),
                Place::Stack(register) => {
                    let from = image.add(STACK_REGISTERS + 16 * register as usize);
                    std::ptr::copy_nonoverlapping(from, words, 10);
                }
                Place::Vector(register) => {
                    let from = image.add(VECTOR_REGISTERS + 16 * register as usize);
                    std::ptr::copy_nonoverlapping(from, words, bytes.min(16));
                    let has_upper = self.is_extended() && *image.add(STATES_PRESENT) & 4 != 0;
                    if bytes > 16 && has_upper {
                        let from = image.add(UPPER_HALVES + 16 * register as usize);
                        std::ptr::copy_nonoverlapping(from, words.add(16), bytes - 16);
                    }
                }
                Place::Memory { .. } => {
                    let from = self.address(place) as *const u8;
                    std::ptr::copy_nonoverlapping(from, words, bytes);
                }
            }
        }
        number
    }

    fn address(&self, place: Place) -> u64 {
        let Place::Memory { base, index, scale, displacement, relative } = place else { return 0 };
        let register = |number: u8| match REGISTERS.get(number as usize) {
            // SAFETY: a live frame.
            Some(register) => unsafe { *self.general(*register) as u64 },
            None => 0,
        };
        let displacement =
            if relative { displacement.wrapping_add(self.bias) } else { displacement };
        register(base)
            .wrapping_add(register(index).wrapping_mul(u64::from(scale)))
            .wrapping_add(displacement)
    }
}

/// The frame's names of the general registers, by the processor's numbers.
const REGISTERS: [i32; 16] = [
    libc::REG_RAX,
    libc::REG_RCX,
    libc::REG_RDX,
    libc::REG_RBX,
    libc::REG_RSP,
    libc::REG_RBP,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
];
