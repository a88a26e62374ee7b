//! What a step of a tape computes: one function, many points at once.
//!
//! A register holds one word for each point; loops over registers are plain
//! enough for the compiler to vectorise. Floats are encodings, every NaN the
//! canonical one; truth values are 0 and 1; distances are numbers.

use nanoscope_ieee::{Format, Operation, operations};
use nanoscope_term::{BitsOp, Libm, bits_ops};

/// Points evaluated at once.
pub(super) const LANES: usize = 32;

/// One value for each point.
pub(super) type Lanes = [u64; LANES];

/// A function of up to three registers and a number known beforehand.
pub(super) type Kernel = fn([&Lanes; 3], u64, &mut Lanes);

/// The distance of what is not comparable.
const FAR: u64 = 1 << 53;

macro_rules! kernel {
    (|$a:ident, $b:ident, $c:ident, $known:ident| $body:expr) => {{
        #[allow(unused_variables, reason = "most take fewer than four")]
        fn kernel(from: [&Lanes; 3], $known: u64, to: &mut Lanes) {
            for lane in 0..LANES {
                let ($a, $b, $c) = (from[0][lane], from[1][lane], from[2][lane]);
                to[lane] = $body;
            }
        }
        kernel as Kernel
    }};
}

const NAN_64: u64 = 0x7ff8 << 48;
const NAN_32: u64 = 0x7fc0 << 16;

fn double(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn from_double(value: f64) -> u64 {
    if value.is_nan() { NAN_64 } else { value.to_bits() }
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn from_single(value: f32) -> u64 {
    if value.is_nan() { NAN_32 } else { u64::from(value.to_bits()) }
}

/// The encoding of a format's infinity: all that the kernels of comparisons
/// need to know of it, as the sign bit is the next power of two.
pub(super) fn infinity(format: Format) -> u64 {
    format.special_exponent() << format.fraction_bits()
}

fn magnitude(bits: u64, infinity: u64) -> u64 {
    bits & (infinity.next_power_of_two() - 1)
}

fn is_nan(bits: u64, infinity: u64) -> bool {
    magnitude(bits, infinity) > infinity
}

fn is_negative(bits: u64, infinity: u64) -> bool {
    bits & infinity.next_power_of_two() != 0
}

/// The place of a number on the line, both zeros at 0.
fn place(bits: u64, infinity: u64) -> i64 {
    let magnitude = magnitude(bits, infinity) as i64;
    if is_negative(bits, infinity) { -magnitude } else { magnitude }
}

/// How far `a` is above `b`, where it is.
fn above(a: i64, b: i64) -> u64 {
    a.wrapping_sub(b) as u64
}

/// A distance made small enough that a thousand can be added, exact below
/// 2^52.
fn tamed(distance: u64) -> u64 {
    const EXACT: u64 = 1 << 52;
    if distance < EXACT { distance } else { EXACT + ((distance - EXACT) >> 12) }
}

fn mask(width: u64) -> u64 {
    u64::MAX >> (64 - width)
}

fn signed(bits: u64, width: u64) -> i64 {
    let shift = 64 - width;
    ((bits << shift) as i64) >> shift
}

/// Distances to an order between the floats `a` and `b`: to hold, and to fail.
#[derive(Clone, Copy)]
pub(super) enum Order {
    Less,
    LessEqual,
    Equal,
    Unordered,
}

/// The distance to `a order b` being `wanted`. Known: the infinity.
pub(super) fn order(order: Order, wanted: bool) -> Kernel {
    match (order, wanted) {
        (Order::Less, true) => kernel!(|a, b, c, inf| {
            let (x, y) = (place(a, inf), place(b, inf));
            if is_nan(a, inf) || is_nan(b, inf) {
                FAR
            } else if x < y {
                0
            } else {
                tamed(above(x, y).saturating_add(1))
            }
        }),
        (Order::Less, false) => kernel!(|a, b, c, inf| {
            let (x, y) = (place(a, inf), place(b, inf));
            if is_nan(a, inf) || is_nan(b, inf) || x >= y { 0 } else { tamed(above(y, x)) }
        }),
        (Order::LessEqual, true) => kernel!(|a, b, c, inf| {
            let (x, y) = (place(a, inf), place(b, inf));
            if is_nan(a, inf) || is_nan(b, inf) {
                FAR
            } else if x <= y {
                0
            } else {
                tamed(above(x, y))
            }
        }),
        (Order::LessEqual, false) => kernel!(|a, b, c, inf| {
            let (x, y) = (place(a, inf), place(b, inf));
            if is_nan(a, inf) || is_nan(b, inf) || x > y {
                0
            } else {
                tamed(above(y, x).saturating_add(1))
            }
        }),
        (Order::Equal, true) => kernel!(|a, b, c, inf| {
            let (x, y) = (place(a, inf), place(b, inf));
            if is_nan(a, inf) || is_nan(b, inf) { FAR } else { tamed(above(x.max(y), x.min(y))) }
        }),
        (Order::Equal, false) => kernel!(|a, b, c, inf| {
            let nan = is_nan(a, inf) || is_nan(b, inf);
            u64::from(!nan && place(a, inf) == place(b, inf))
        }),
        (Order::Unordered, true) => kernel!(|a, b, c, inf| {
            if is_nan(a, inf) || is_nan(b, inf) {
                0
            } else {
                let most = magnitude(a, inf).max(magnitude(b, inf));
                tamed(inf + 1 - most)
            }
        }),
        (Order::Unordered, false) => {
            kernel!(|a, b, c, inf| u64::from(is_nan(a, inf)) + u64::from(is_nan(b, inf)))
        }
    }
}

/// The distance between floats as values: NaN is itself, the zeros differ.
pub(super) fn same_float() -> Kernel {
    kernel!(|a, b, c, inf| {
        let line = |bits| {
            let place = magnitude(bits, inf) as i64;
            if is_negative(bits, inf) { !place } else { place }
        };
        if a == b {
            0
        } else if is_nan(a, inf) || is_nan(b, inf) {
            FAR
        } else {
            let (x, y) = (line(a), line(b));
            tamed(above(x.max(y), x.min(y)))
        }
    })
}

/// The distance between strings of bits: by the number between them or by the
/// bits that differ, whichever is less. Known: the width.
pub(super) fn same_bits() -> Kernel {
    kernel!(|a, b, c, width| {
        let apart = a.wrapping_sub(b) & mask(width);
        let apart = apart.min(apart.wrapping_neg() & mask(width));
        tamed(apart.min(u64::from((a ^ b).count_ones()) << 4))
    })
}

/// 1 where two words are the same.
pub(super) fn identical() -> Kernel {
    kernel!(|a, b, c, known| u64::from(a == b))
}

/// The distance of a truth value to true, or to false.
pub(super) fn truth(wanted: bool) -> Kernel {
    if wanted { kernel!(|a, b, c, known| 1 - a) } else { kernel!(|a, b, c, known| a) }
}

/// Whether a distance is 0.
pub(super) fn reached() -> Kernel {
    kernel!(|a, b, c, known| u64::from(a == 0))
}

/// The sum of distances.
pub(super) fn sum() -> Kernel {
    kernel!(|a, b, c, known| a.saturating_add(b))
}

/// The lesser of distances.
pub(super) fn least() -> Kernel {
    kernel!(|a, b, c, known| a.min(b))
}

/// `b` where `a` is 1, `c` where it is 0.
pub(super) fn choice() -> Kernel {
    kernel!(|a, b, c, known| if a != 0 { b } else { c })
}

/// The distance to an order between strings of bits being `wanted`; none for
/// functions that are no orders. Known: the width.
pub(super) fn bits_order(op: BitsOp, wanted: bool) -> Option<Kernel> {
    Some(match (op, wanted) {
        (BitsOp::Ult, true) => {
            kernel!(|a, b, c, width| if a < b { 0 } else { tamed((a - b).saturating_add(1)) })
        }
        (BitsOp::Ult, false) => {
            kernel!(|a, b, c, width| if a < b { tamed(b - a) } else { 0 })
        }
        (BitsOp::Ule, true) => {
            kernel!(|a, b, c, width| if a <= b { 0 } else { tamed(a - b) })
        }
        (BitsOp::Ule, false) => {
            kernel!(|a, b, c, width| if a <= b { tamed((b - a).saturating_add(1)) } else { 0 })
        }
        (BitsOp::Slt, true) => kernel!(|a, b, c, width| {
            let (x, y) = (signed(a, width), signed(b, width));
            if x < y { 0 } else { tamed(above(x, y).saturating_add(1)) }
        }),
        (BitsOp::Slt, false) => kernel!(|a, b, c, width| {
            let (x, y) = (signed(a, width), signed(b, width));
            if x < y { tamed(above(y, x)) } else { 0 }
        }),
        (BitsOp::Sle, true) => kernel!(|a, b, c, width| {
            let (x, y) = (signed(a, width), signed(b, width));
            if x <= y { 0 } else { tamed(above(x, y)) }
        }),
        (BitsOp::Sle, false) => kernel!(|a, b, c, width| {
            let (x, y) = (signed(a, width), signed(b, width));
            if x <= y { tamed(above(y, x).saturating_add(1)) } else { 0 }
        }),
        (bits_ops!(Logic, Arithmetic, Shift, Slice), _) => return None,
    })
}

/// How the tape computes an operation of the table.
pub(super) enum Recipe {
    /// To the nearest even: on `double`, and on `float`.
    Rounded(Kernel, Kernel),
    /// Exact, of any format. Known: the infinity.
    Exact(Kernel),
    /// An order between the operands, perhaps the other way round.
    Order(Order, bool),
    /// A class, by the distance to it. Known: the infinity.
    Class(Kernel),
    /// Between formats.
    Convert,
    /// By the general semantics, point by point.
    General,
}

/// The kernel of a conversion to the nearest even between the machine's formats.
pub(super) fn conversion(format: Format, target: Format) -> Option<Kernel> {
    match (format, target) {
        (Format::BINARY32, Format::BINARY64) => {
            Some(kernel!(|a, b, c, known| from_double(f64::from(single(a)))))
        }
        (Format::BINARY64, Format::BINARY32) => {
            Some(kernel!(|a, b, c, known| from_single(double(a) as f32)))
        }
        (Format { .. }, Format { .. }) => None,
    }
}

macro_rules! rounded {
    (|$a:ident, $b:ident, $c:ident| $body:expr) => {
        Recipe::Rounded(
            kernel!(|x, y, z, known| {
                #[allow(unused_variables, reason = "most take fewer than three")]
                let ($a, $b, $c) = (double(x), double(y), double(z));
                from_double($body)
            }),
            kernel!(|x, y, z, known| {
                #[allow(unused_variables, reason = "most take fewer than three")]
                let ($a, $b, $c) = (single(x), single(y), single(z));
                from_single($body)
            }),
        )
    };
}

/// How the tape computes this operation.
pub(super) fn recipe(operation: Operation) -> Recipe {
    match operation {
        Operation::Add => rounded!(|a, b, c| a + b),
        Operation::Sub => rounded!(|a, b, c| a - b),
        Operation::Mul => rounded!(|a, b, c| a * b),
        Operation::Div => rounded!(|a, b, c| a / b),
        Operation::Fma => rounded!(|a, b, c| a.mul_add(b, c)),
        Operation::Sqrt => rounded!(|a, b, c| a.sqrt()),
        Operation::RoundToIntegral | Operation::RoundToIntegralExact => {
            rounded!(|a, b, c| a.round_ties_even())
        }
        Operation::Fmod => rounded!(|a, b, c| a % b),
        Operation::Neg => Recipe::Exact(kernel!(|a, b, c, inf| {
            if is_nan(a, inf) { a } else { a ^ inf.next_power_of_two() }
        })),
        Operation::Abs => Recipe::Exact(kernel!(|a, b, c, inf| magnitude(a, inf))),
        Operation::ToBits => Recipe::Exact(kernel!(|a, b, c, inf| a)),
        Operation::FromBits => Recipe::Exact(kernel!(|a, b, c, inf| {
            if is_nan(a, inf) { inf | (inf & inf.wrapping_neg()) >> 1 } else { a }
        })),
        Operation::Less | Operation::LessSignaling => Recipe::Order(Order::Less, false),
        Operation::LessEqual | Operation::LessEqualSignaling => {
            Recipe::Order(Order::LessEqual, false)
        }
        Operation::Greater | Operation::GreaterSignaling => Recipe::Order(Order::Less, true),
        Operation::GreaterEqual | Operation::GreaterEqualSignaling => {
            Recipe::Order(Order::LessEqual, true)
        }
        Operation::Equal | Operation::EqualSignaling => Recipe::Order(Order::Equal, false),
        Operation::Unordered => Recipe::Order(Order::Unordered, false),
        Operation::Convert => Recipe::Convert,
        Operation::IsNan => Recipe::Class(kernel!(|a, b, c, inf| tamed(
            (inf + 1).saturating_sub(magnitude(a, inf))
        ))),
        Operation::IsInfinite => {
            Recipe::Class(kernel!(|a, b, c, inf| tamed(inf.abs_diff(magnitude(a, inf)))))
        }
        Operation::IsFinite => Recipe::Class(kernel!(|a, b, c, inf| tamed(
            (magnitude(a, inf) + 1).saturating_sub(inf)
        ))),
        Operation::IsZero => Recipe::Class(kernel!(|a, b, c, inf| tamed(magnitude(a, inf)))),
        Operation::IsSubnormal => Recipe::Class(kernel!(|a, b, c, inf| {
            let least_normal = inf & inf.wrapping_neg();
            let at = magnitude(a, inf);
            tamed(if at == 0 { 1 } else { (at + 1).saturating_sub(least_normal) })
        })),
        Operation::IsNormal => Recipe::Class(kernel!(|a, b, c, inf| {
            let least_normal = inf & inf.wrapping_neg();
            let at = magnitude(a, inf);
            tamed(least_normal.saturating_sub(at) + (at + 1).saturating_sub(inf))
        })),
        Operation::IsNegative => Recipe::Class(kernel!(|a, b, c, inf| {
            if is_nan(a, inf) {
                FAR
            } else if is_negative(a, inf) {
                0
            } else {
                tamed(magnitude(a, inf) + 1)
            }
        })),
        Operation::IsPositive => Recipe::Class(kernel!(|a, b, c, inf| {
            if is_nan(a, inf) {
                FAR
            } else if is_negative(a, inf) {
                tamed(magnitude(a, inf) + 1)
            } else {
                0
            }
        })),
        Operation::Remainder
        | Operation::CopySign
        | Operation::Identical
        | Operation::IsSignaling
        | Operation::IsSignMinus
        | operations!(Choice, Step, FromInteger, ToInteger) => Recipe::General,
    }
}

/// A function of bit strings. Known: the width of the result, or what
/// [`bits_known`] says.
pub(super) fn bits(op: BitsOp) -> Kernel {
    match op {
        BitsOp::Not => kernel!(|a, b, c, width| !a & mask(width)),
        BitsOp::Neg => kernel!(|a, b, c, width| a.wrapping_neg() & mask(width)),
        BitsOp::And => kernel!(|a, b, c, width| a & b),
        BitsOp::Or => kernel!(|a, b, c, width| a | b),
        BitsOp::Xor => kernel!(|a, b, c, width| a ^ b),
        BitsOp::Add => kernel!(|a, b, c, width| a.wrapping_add(b) & mask(width)),
        BitsOp::Sub => kernel!(|a, b, c, width| a.wrapping_sub(b) & mask(width)),
        BitsOp::Mul => kernel!(|a, b, c, width| a.wrapping_mul(b) & mask(width)),
        BitsOp::Udiv => kernel!(|a, b, c, width| a.checked_div(b).unwrap_or(mask(width))),
        BitsOp::Urem => kernel!(|a, b, c, width| a.checked_rem(b).unwrap_or(a)),
        BitsOp::Shl => {
            kernel!(|a, b, c, width| if b >= width { 0 } else { a << b & mask(width) })
        }
        BitsOp::Lshr => kernel!(|a, b, c, width| if b >= width { 0 } else { a >> b }),
        BitsOp::Ashr => {
            kernel!(|a, b, c, width| (signed(a, width) >> b.min(63)) as u64 & mask(width))
        }
        BitsOp::Concat => kernel!(|a, b, c, low| a << low | b),
        BitsOp::Extract { .. } => {
            kernel!(|a, b, c, ends| a >> (ends & 0xff) & mask(ends >> 8))
        }
        BitsOp::ZeroExtend(_) => kernel!(|a, b, c, width| a),
        BitsOp::SignExtend(_) => {
            kernel!(|a, b, c, widths| signed(a, widths & 0xff) as u64 & mask(widths >> 8))
        }
        BitsOp::Ult => kernel!(|a, b, c, width| u64::from(a < b)),
        BitsOp::Ule => kernel!(|a, b, c, width| u64::from(a <= b)),
        BitsOp::Slt => kernel!(|a, b, c, width| u64::from(signed(a, width) < signed(b, width))),
        BitsOp::Sle => kernel!(|a, b, c, width| u64::from(signed(a, width) <= signed(b, width))),
    }
}

/// What the kernel of a function of bit strings must know, from the widths of
/// its result and of its last argument.
pub(super) fn bits_known(op: BitsOp, result: u32, argument: u32) -> u64 {
    let (result, argument) = (u64::from(result), u64::from(argument));
    match op {
        BitsOp::Extract { high, low } => u64::from(low) | u64::from(high - low + 1) << 8,
        BitsOp::SignExtend(_) => argument | result << 8,
        BitsOp::Concat | bits_ops!(Compare) => argument,
        BitsOp::ZeroExtend(_) | bits_ops!(Logic, Arithmetic, Shift) => result,
    }
}

macro_rules! libm_kernels {
    (real { $(
        $(#[$documentation:meta])*
        $Variant:ident $double:ident $single:ident $Signature:ident $Domain:ident $errors:tt $errno:ident;
    )* } $($others:tt)*) => {
        /// A function of the machine's libm.
        pub(super) fn libm(function: Libm, format: Format) -> Kernel {
            match (function, format == Format::BINARY64) {
                $(
                    (Libm::$Variant, true) => kernel!(|a, b, c, known| {
                        from_double(Libm::$Variant.of_doubles(double(a), double(b)))
                    }),
                    (Libm::$Variant, false) => kernel!(|a, b, c, known| {
                        from_single(Libm::$Variant.of_singles(single(a), single(b)))
                    }),
                )*
            }
        }
    };
}
nanoscope_ieee::for_each_libm!(libm_kernels);
