//! What one execution of a function did, instruction by instruction: the contract between
//! running (which records it) and lifting (which turns it into terms).

use crate::prototype::Argument;

/// The registers that a function can see, as they are before an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 … r15: the order of their encoding.
    pub general: [u64; 16],
    /// The address of the instruction.
    pub rip: u64,
    /// The flags.
    pub rflags: u64,
    /// The base of `fs`, where thread-local variables are.
    pub fs_base: u64,
    /// Control and status of SSE and AVX.
    pub mxcsr: u32,
    /// zmm0 … zmm31, least significant byte first. Bytes the machine does not have are zero.
    pub vectors: [[u8; 64]; 32],
    /// k0 … k7.
    pub masks: [u64; 8],
    /// The x87 unit.
    pub x87: X87,
}

/// The x87 unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct X87 {
    /// The control word: masks, precision, rounding.
    pub control: u16,
    /// The status word: flags, condition codes, and the top of the stack in bits 11 to 13.
    pub status: u16,
    /// One bit per physical register: set if it is in use.
    pub in_use: u8,
    /// st(0) … st(7), relative to the top of the stack, least significant byte first.
    pub stack: [[u8; 10]; 8],
}

impl State {
    /// All registers zero.
    pub fn zero() -> State {
        State {
            general: [0; 16],
            rip: 0,
            rflags: 0,
            fs_base: 0,
            mxcsr: 0x1f80,
            vectors: [[0; 64]; 32],
            masks: [0; 8],
            x87: X87 { control: 0x37f, ..X87::default() },
        }
    }
}

/// A piece of memory at some moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Where it begins.
    pub address: u64,
    /// What is there.
    pub bytes: Vec<u8>,
}

impl Memory {
    /// The bytes `address .. address + length`, if all of them are in this piece.
    pub fn get(&self, address: u64, length: usize) -> Option<&[u8]> {
        let start = usize::try_from(address.checked_sub(self.address)?).ok()?;
        self.bytes.get(start..start.checked_add(length)?)
    }
}

/// One executed instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it is, in the process that ran it.
    pub address: u64,
    /// The bytes of the instruction, without any breakpoint.
    pub code: Vec<u8>,
    /// The registers before it.
    pub before: State,
    /// What its memory operands held before it, whether it reads or only writes them: in the
    /// order of its operands. Implicit stack accesses (push, call, ret) are included.
    pub reads: Vec<Memory>,
}

/// One execution of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The function's symbol.
    pub function: String,
    /// Where the function begins.
    pub address: u64,
    /// The registers at its first instruction; `[rsp]` holds the return address.
    pub entry: State,
    /// Its arguments, with the places of their elements.
    pub arguments: Vec<Argument>,
    /// What the arguments point to, at entry: every referenced element is in one of these.
    pub memory: Vec<Memory>,
    /// What was executed, in order, the return included.
    pub steps: Vec<Step>,
    /// The registers after the return.
    pub exit: State,
    /// The same pieces as `memory`, after the return.
    pub memory_after: Vec<Memory>,
    /// Whether the function returned; otherwise the trace ends where recording stopped.
    pub returned: bool,
}
