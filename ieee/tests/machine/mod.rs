//! The machine's own arithmetic, one instruction at a time, with its rounding
//! mode set and its flags read around it.

use nanoscope_ieee::{Flags, Rounding};

/// The modes the machine has.
pub const MODES: [Rounding; 4] =
    [Rounding::NearestEven, Rounding::Upward, Rounding::Downward, Rounding::TowardZero];

/// The two bits that set a rounding mode, in MXCSR and in the x87 control word.
pub fn rounding_control(rounding: Rounding) -> u16 {
    match rounding {
        Rounding::NearestEven => 0,
        Rounding::Downward => 1,
        Rounding::Upward => 2,
        Rounding::TowardZero => 3,
        Rounding::NearestAway => panic!("the machine does not round to nearest, ties away"),
    }
}

/// The flags in MXCSR and the x87 status word; the denormal one is not IEEE's.
pub fn flags_of(status: u16) -> Flags {
    Flags {
        invalid: status & 1 != 0,
        divide_by_zero: status & 4 != 0,
        overflow: status & 8 != 0,
        underflow: status & 16 != 0,
        inexact: status & 32 != 0,
        tiny: false,
    }
}

/// Runs one SSE or AVX instruction on `xmm0`, `xmm1`, `xmm2` and gives `xmm0`
/// and the flags.
#[macro_export]
macro_rules! sse {
    ($instruction:literal, $rounding:expr, $a:expr, $b:expr, $c:expr) => {{
        let (a, b, c): (u64, u64, u64) = ($a, $b, $c);
        let control: u32 = 0x1f80 | ($crate::machine::rounding_control($rounding) as u32) << 13;
        let (mut saved, mut status): (u32, u32) = (0, 0);
        let result: u64;
        // SAFETY: touches only the registers it names and the three words it
        // is given; MXCSR is put back before the block ends.
        #[allow(unsafe_code, reason = "only an instruction of the machine shows what it does")]
        unsafe {
            std::arch::asm!(
                "stmxcsr [{saved}]",
                "ldmxcsr [{control}]",
                "movq xmm0, {a}",
                "movq xmm1, {b}",
                "movq xmm2, {c}",
                $instruction,
                "stmxcsr [{status}]",
                "ldmxcsr [{saved}]",
                "movq {a}, xmm0",
                saved = in(reg) &mut saved,
                control = in(reg) &control,
                status = in(reg) &mut status,
                a = inout(reg) a => result,
                b = in(reg) b,
                c = in(reg) c,
                out("xmm0") _, out("xmm1") _, out("xmm2") _,
                options(nostack),
            );
        }
        let _ = saved;
        (result, $crate::machine::flags_of(status as u16))
    }};
}

/// Runs one SSE instruction which gives an integer in `rax` (or flags there).
#[macro_export]
macro_rules! sse_to_integer {
    ($instruction:literal, $rounding:expr, $a:expr, $b:expr) => {{
        let (a, b): (u64, u64) = ($a, $b);
        let control: u32 = 0x1f80 | ($crate::machine::rounding_control($rounding) as u32) << 13;
        let (mut saved, mut status): (u32, u32) = (0, 0);
        let result: u64;
        // SAFETY: as in `sse!`.
        #[allow(unsafe_code, reason = "only an instruction of the machine shows what it does")]
        unsafe {
            std::arch::asm!(
                "stmxcsr [{saved}]",
                "ldmxcsr [{control}]",
                "movq xmm0, rax",
                "movq xmm1, {b}",
                $instruction,
                "stmxcsr [{status}]",
                "ldmxcsr [{saved}]",
                saved = in(reg) &mut saved,
                control = in(reg) &control,
                status = in(reg) &mut status,
                b = in(reg) b,
                inout("rax") a => result,
                out("xmm0") _, out("xmm1") _,
                options(nostack),
            );
        }
        let _ = saved;
        (result, $crate::machine::flags_of(status as u16))
    }};
}

/// Runs x87 instructions with `a` in `st(0)` and `b` in `st(1)`, and gives
/// `st(0)` as `$store` writes it, and the flags.
#[macro_export]
macro_rules! x87 {
    ([$($instruction:literal),*], $store:literal, $rounding:expr, $a:expr, $b:expr) => {{
        let a: [u8; 16] = ($a as u128).to_le_bytes();
        let b: [u8; 16] = ($b as u128).to_le_bytes();
        let mut result = [0u8; 16];
        let control: u16 = 0x037f | $crate::machine::rounding_control($rounding) << 10;
        let (mut saved, mut status): (u16, u16) = (0, 0);
        // SAFETY: reads and writes only the buffers it is given, of 16 bytes
        // each; leaves the x87 stack empty and its control word as it was.
        #[allow(unsafe_code, reason = "only an instruction of the machine shows what it does")]
        unsafe {
            std::arch::asm!(
                "fnstcw word ptr [{saved}]",
                "fldcw word ptr [{control}]",
                "fld tbyte ptr [{b}]",
                "fld tbyte ptr [{a}]",
                "fnclex",
                $($instruction,)*
                $store,
                "fnstsw word ptr [{status}]",
                "fstp st(0)",
                "fnclex",
                "fldcw word ptr [{saved}]",
                a = in(reg) &a,
                b = in(reg) &b,
                result = in(reg) &mut result,
                saved = in(reg) &mut saved,
                control = in(reg) &control,
                status = in(reg) &mut status,
                out("rax") _,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        let _ = saved;
        (u128::from_le_bytes(result), $crate::machine::flags_of(status))
    }};
}
