//! Acts: what an instruction does.
//!
//! Operations on integers, floats and pointers work on scalars and, lane by lane, on
//! vectors: the type of the result register (of the operands, for comparisons) tells.

use super::{FunctionId, Operand, Type};
use nanoscope_ieee::{Format, Libm, Operation, Parameters, Rounding};

/// What an instruction does.
#[derive(Clone, Debug)]
pub enum Act {
    /// An operation on two integers of a width.
    Integer {
        /// Which.
        operation: IntegerOperation,
        /// Width in bits.
        bits: u32,
        /// The operands.
        operands: [Operand; 2],
        /// What the source promised about the result.
        promises: Promises,
    },
    /// An operation on one integer of a width.
    IntegerUnary {
        /// Which.
        operation: IntegerUnary,
        /// Width in bits.
        bits: u32,
        /// The operand.
        operand: Operand,
    },
    /// Upper half then lower half, shifted left (or right), and the upper (lower) half kept.
    FunnelShift {
        /// Whether it shifts to the left.
        left: bool,
        /// Width in bits.
        bits: u32,
        /// Upper half, lower half, distance (modulo the width).
        operands: [Operand; 3],
    },
    /// A comparison of two integers or pointers.
    IntegerCompare {
        /// Which.
        predicate: IntegerPredicate,
        /// Width in bits; 64 for pointers.
        bits: u32,
        /// The operands.
        operands: [Operand; 2],
    },
    /// A conversion between integers, pointers and encodings.
    Convert {
        /// Which.
        conversion: IntegerConversion,
        /// What is converted.
        operand: Operand,
        /// Its type.
        from: Type,
        /// The result's type.
        to: Type,
    },
    /// A row of the operation table on floats. The operands are the row's in order,
    /// without the rounding mode.
    Float {
        /// Which row.
        operation: Operation,
        /// Its parameters.
        parameters: Parameters,
        /// Where the rounding mode comes from, if the row takes one.
        mode: Mode,
        /// The operands.
        operands: Box<[Operand]>,
        /// Whether the compiler may replace it by something faster and less exact.
        relaxed: bool,
    },
    /// A comparison of two floats.
    FloatCompare {
        /// Which.
        predicate: FloatPredicate,
        /// Whether a quiet NaN is invalid.
        signaling: bool,
        /// Their format.
        format: Format,
        /// The operands.
        operands: [Operand; 2],
    },
    /// Whether a float is in one of the classes of a mask (`llvm.is.fpclass`, ten bits).
    Classify {
        /// The classes.
        mask: u32,
        /// Its format.
        format: Format,
        /// The float.
        operand: Operand,
    },
    /// The second operand where the first is true, the third elsewhere. The condition is
    /// one truth value or, for vectors, one a lane.
    Select {
        /// The condition and the two values.
        operands: [Operand; 3],
    },
    /// The operand, with anything undefined in it fixed once.
    Freeze {
        /// The value.
        operand: Operand,
    },
    /// A new object on the stack, which ends with the function. Its address.
    Allocate {
        /// Bytes of an element.
        size: u64,
        /// How many elements.
        count: Operand,
        /// Alignment in bytes.
        alignment: u64,
        /// Its name in the source, where that is known.
        name: String,
    },
    /// An address so many bytes further; a vector of addresses where the base or an index is
    /// a vector, scalars among them serving every lane.
    Offset {
        /// Where from.
        base: Operand,
        /// Bytes further in any case.
        constant: i64,
        /// Indices (signed, of their own width) and how many bytes one is worth.
        scaled: Box<[(Operand, i64)]>,
        /// Whether leaving the object is undefined.
        inbounds: bool,
    },
    /// Reads memory.
    Load {
        /// The type read.
        ty: Type,
        /// Where.
        address: Operand,
    },
    /// Writes memory.
    Store {
        /// The type written.
        ty: Type,
        /// Where.
        address: Operand,
        /// What.
        value: Operand,
    },
    /// Calls a function. C does not make sure that arguments and result are as the callee
    /// has them.
    Call {
        /// Which.
        callee: Callee,
        /// The arguments, those beyond the parameters of a variadic function included. A
        /// structure that is passed there in memory is an argument of its own type.
        arguments: Box<[Operand]>,
        /// The arguments' types.
        types: Box<[Type]>,
    },
    /// One of the things that are no function though they are written as calls.
    Special {
        /// Which.
        special: Special,
        /// The operands.
        operands: Box<[Operand]>,
    },
    /// A lane of a vector: vector, index.
    Lane {
        /// Vector and index.
        operands: [Operand; 2],
    },
    /// A vector with a lane replaced: vector, lane, index.
    SetLane {
        /// Vector, lane and index.
        operands: [Operand; 3],
    },
    /// Lanes of two vectors put together; `None` is an undefined lane.
    Shuffle {
        /// The vectors.
        operands: [Operand; 2],
        /// For each lane of the result, its number in the two operands laid end to end.
        mask: Box<[Option<u32>]>,
    },
    /// A member of an aggregate.
    Member {
        /// The aggregate.
        operand: Operand,
        /// The way to the member.
        path: Box<[u32]>,
    },
    /// An aggregate with a member replaced.
    SetMember {
        /// The aggregate and the member.
        operands: [Operand; 2],
        /// The way to the member.
        path: Box<[u32]>,
    },
    /// What stands here has no counterpart in this representation: its text, and what it reads.
    Unknown {
        /// LLVM's text of it.
        text: String,
        /// What it reads.
        operands: Box<[Operand]>,
    },
}

/// Operations on two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntegerOperation {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Unsigned quotient.
    UnsignedDiv,
    /// Signed quotient, toward zero.
    SignedDiv,
    /// Unsigned remainder.
    UnsignedRem,
    /// Signed remainder, with the dividend's sign.
    SignedRem,
    /// Shift left.
    ShiftLeft,
    /// Shift right, zeros coming in.
    LogicalShiftRight,
    /// Shift right, the sign coming in.
    ArithmeticShiftRight,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The smaller, unsigned.
    UnsignedMin,
    /// The larger, unsigned.
    UnsignedMax,
    /// The smaller, signed.
    SignedMin,
    /// The larger, signed.
    SignedMax,
    /// Sum, staying at the largest unsigned value.
    SaturatingUnsignedAdd,
    /// Sum, staying at the ends of the signed range.
    SaturatingSignedAdd,
    /// Difference, staying at zero.
    SaturatingUnsignedSub,
    /// Difference, staying at the ends of the signed range.
    SaturatingSignedSub,
    /// Shift left, staying at the largest unsigned value.
    SaturatingUnsignedShiftLeft,
    /// Shift left, staying at the ends of the signed range.
    SaturatingSignedShiftLeft,
    /// The structure of the wrapped unsigned sum and whether it overflowed.
    UnsignedAddOverflow,
    /// The structure of the wrapped signed sum and whether it overflowed.
    SignedAddOverflow,
    /// The structure of the wrapped unsigned difference and whether it overflowed.
    UnsignedSubOverflow,
    /// The structure of the wrapped signed difference and whether it overflowed.
    SignedSubOverflow,
    /// The structure of the wrapped unsigned product and whether it overflowed.
    UnsignedMulOverflow,
    /// The structure of the wrapped signed product and whether it overflowed.
    SignedMulOverflow,
    /// -1, 0 or 1, unsigned, of the result's width.
    UnsignedCompare,
    /// -1, 0 or 1, signed, of the result's width.
    SignedCompare,
}

/// Operations on one integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntegerUnary {
    /// The absolute value; the smallest value stays.
    Abs,
    /// How many bits are set.
    CountOnes,
    /// How many zeros lead; the width for zero.
    LeadingZeros,
    /// How many zeros trail; the width for zero.
    TrailingZeros,
    /// The bytes in reverse.
    SwapBytes,
    /// The bits in reverse.
    ReverseBits,
}

/// What the source promised about an integer operation; a broken promise is undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Promises {
    /// No unsigned overflow.
    pub no_unsigned_wrap: bool,
    /// No signed overflow.
    pub no_signed_wrap: bool,
    /// No remainder, no bit shifted out.
    pub exact: bool,
}

/// Comparisons of integers and pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntegerPredicate {
    /// Equal.
    Equal,
    /// Different.
    NotEqual,
    /// Unsigned greater.
    UnsignedGreater,
    /// Unsigned greater or equal.
    UnsignedGreaterEqual,
    /// Unsigned less.
    UnsignedLess,
    /// Unsigned less or equal.
    UnsignedLessEqual,
    /// Signed greater.
    SignedGreater,
    /// Signed greater or equal.
    SignedGreaterEqual,
    /// Signed less.
    SignedLess,
    /// Signed less or equal.
    SignedLessEqual,
}

/// Conversions between integers, pointers and encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntegerConversion {
    /// The low bits.
    Truncate,
    /// Zeros on top.
    ZeroExtend,
    /// The sign on top.
    SignExtend,
    /// The same bits as another type: floats, integers, vectors.
    Reinterpret,
    /// An address as a number, cut or with zeros on top where the widths differ.
    FromPointer,
    /// A number as an address, cut or with zeros on top where the widths differ.
    ToPointer,
}

/// Where an operation's rounding mode comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// From the floating-point environment.
    Dynamic,
    /// From the operation itself, as of `floor` or of C's conversion to integers.
    Fixed(Rounding),
}

/// Comparisons of floats, as LLVM has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatPredicate {
    /// Never.
    False,
    /// Ordered and equal.
    OrderedEqual,
    /// Ordered and greater.
    OrderedGreater,
    /// Ordered and greater or equal.
    OrderedGreaterEqual,
    /// Ordered and less.
    OrderedLess,
    /// Ordered and less or equal.
    OrderedLessEqual,
    /// Ordered and different.
    OrderedNotEqual,
    /// No NaN.
    Ordered,
    /// A NaN.
    Unordered,
    /// A NaN, or equal.
    UnorderedEqual,
    /// A NaN, or greater.
    UnorderedGreater,
    /// A NaN, or greater or equal.
    UnorderedGreaterEqual,
    /// A NaN, or less.
    UnorderedLess,
    /// A NaN, or less or equal.
    UnorderedLessEqual,
    /// A NaN, or different.
    UnorderedNotEqual,
    /// Always.
    True,
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A function of the program, defined or only declared.
    Function(FunctionId),
    /// The function at an address.
    Address(Operand),
}

/// What is written as a call but is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// Copies bytes: to, from, how many. The places may overlap when it is a move.
    Copy {
        /// Whether the places may overlap.
        may_overlap: bool,
    },
    /// Fills with a byte: to, byte, how many.
    Fill,
    /// Begins to read variable arguments: where the list is.
    ArgumentsBegin,
    /// Copies a list of variable arguments: to, from.
    ArgumentsCopy,
    /// Ends the reading of variable arguments.
    ArgumentsEnd,
    /// The next variable argument: the list. Its type is the result's.
    ArgumentsNext,
    /// The condition is true, the compiler was told.
    Assume,
    /// The program stops here, abnormally.
    Trap,
    /// The rounding mode, as C's `FLT_ROUNDS` (0 toward zero, 1 nearest, 2 up, 3 down).
    Rounding,
    /// Sets the rounding mode: its value as above.
    SetRounding,
    /// The stack's height, to be restored.
    StackSave,
    /// The stack back to a height.
    StackRestore,
    /// The size of the object at an address, where that is known; else -1 (or 0, if the
    /// second operand is true).
    ObjectSize,
    /// C's `frexp` in one: a structure of fraction and exponent.
    Fraction(Format),
    /// C's `ldexp`: the float times two to an integer.
    Scale(Format),
    /// A function of the mathematical library, as an intrinsic.
    Libm(Libm, Format),
    /// A float to the power of an integer (`llvm.powi`).
    IntegerPower(Format),
    /// A horizontal operation over a vector: an integer operation.
    ReduceInteger(IntegerOperation),
    /// A horizontal operation over a vector of floats, in order (or in any, if relaxed):
    /// start value first for sums and products, then the vector.
    ReduceFloat(Operation),
    /// The number of a type of exception, a frame address, a return address, a cycle
    /// counter: a value nobody can know.
    Unknowable,
}

/// The pattern of all acts that only compute ([`Act::only_computes`], special ones apart):
/// `acts!(Computing)`.
#[macro_export]
macro_rules! acts {
    (Computing) => {
        $crate::acts!(@ Integer IntegerUnary FunnelShift IntegerCompare Convert Float FloatCompare Classify Select Freeze Offset Lane SetLane Shuffle Member SetMember)
    };
    (@ $($Variant:ident)+) => {
        $($crate::ir::Act::$Variant { .. })|+
    };
}

/// The pattern of all special acts of some families: `specials!(Memory, Variadic)`.
#[macro_export]
macro_rules! specials {
    (Memory) => {
        $crate::specials!(@ Copy Fill StackSave StackRestore ObjectSize)
    };
    (Variadic) => {
        $crate::specials!(@ ArgumentsBegin ArgumentsCopy ArgumentsEnd ArgumentsNext)
    };
    (Control) => {
        $crate::specials!(@ Assume Trap)
    };
    (Environment) => {
        $crate::specials!(@ Rounding SetRounding Unknowable)
    };
    (Float) => {
        $crate::specials!(@ Fraction Scale Libm IntegerPower)
    };
    (Reduce) => {
        $crate::specials!(@ ReduceInteger ReduceFloat)
    };
    (@ $($Variant:ident)+) => {
        $($crate::ir::Special::$Variant { .. })|+
    };
    ($First:ident, $($More:ident),+) => {
        $crate::specials!($First) | $crate::specials!($($More),+)
    };
}

/// The pattern of all operations on integers of some families: `integer_operations!(Shift, Logic)`.
#[macro_export]
macro_rules! integer_operations {
    (Arithmetic) => {
        $crate::integer_operations!(@ Add Sub Mul UnsignedDiv SignedDiv UnsignedRem SignedRem)
    };
    (Shift) => {
        $crate::integer_operations!(@ ShiftLeft LogicalShiftRight ArithmeticShiftRight)
    };
    (Logic) => {
        $crate::integer_operations!(@ And Or Xor)
    };
    (Choice) => {
        $crate::integer_operations!(@ UnsignedMin UnsignedMax SignedMin SignedMax)
    };
    (Saturating) => {
        $crate::integer_operations!(@ SaturatingUnsignedAdd SaturatingSignedAdd SaturatingUnsignedSub SaturatingSignedSub SaturatingUnsignedShiftLeft SaturatingSignedShiftLeft)
    };
    (Overflow) => {
        $crate::integer_operations!(@ UnsignedAddOverflow SignedAddOverflow UnsignedSubOverflow SignedSubOverflow UnsignedMulOverflow SignedMulOverflow)
    };
    (Compare) => {
        $crate::integer_operations!(@ UnsignedCompare SignedCompare)
    };
    (@ $($Variant:ident)+) => {
        $($crate::ir::IntegerOperation::$Variant { .. })|+
    };
    ($First:ident, $($More:ident),+) => {
        $crate::integer_operations!($First) | $crate::integer_operations!($($More),+)
    };
}
