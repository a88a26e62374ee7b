//! What a term does with its arguments.
//!
//! There are few functions on purpose: every engine must know every one. Much
//! of what SMT-LIB has is defined by these in [`Terms`](crate::Terms)' builders.

use crate::{ArraySort, FunctionId, ValueId, VariableId};
use nanoscope_ieee::{Format, Libm, Operation, Parameters};

/// The head of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A known value; [`Terms::value`](crate::Terms::value) tells which.
    Value(ValueId),
    /// An unknown of any sort; [`Terms::symbol`](crate::Terms::symbol) names it.
    Variable(VariableId),
    /// Negation of a truth value.
    Not,
    /// Conjunction of two or more truth values.
    And,
    /// Disjunction of two or more truth values.
    Or,
    /// `ite condition then otherwise`, of any sort.
    Ite,
    /// The same value, of any sort: floats as SMT-LIB's `=`, so NaN equals NaN
    /// and the zeros differ.
    Equal,
    /// A function of bit strings.
    Bits(BitsOp),
    /// A row of the operation table. The NaN of a result is the one NaN, even
    /// of `neg`, `abs` and `copy_sign`; its encoding is the canonical one and
    /// its sign bit is clear. Never [`Operation::Identical`]: that is
    /// [`Op::Equal`].
    Float(Operation, Parameters),
    /// A function of the machine's libm.
    Libm(Libm, Format),
    /// Only at the door: a function that SMT-LIB leaves partly open.
    Unspecified(Unspecified),
    /// Only at the door: an uninterpreted function applied.
    Apply(FunctionId),
    /// Only at the door: `select array index`.
    Select,
    /// Only at the door: `store array index element`.
    Store,
    /// Only at the door: the array that has its argument everywhere.
    ConstantArray(ArraySort),
}

/// The pattern of some kinds of terms: `op_heads!(Door)` are those that stand only at the door.
#[macro_export]
macro_rules! op_heads {
    (Leaf) => {
        $crate::op_heads!(@ Value Variable)
    };
    (Connective) => {
        $crate::op_heads!(@ Not And Or)
    };
    (Door) => {
        $crate::op_heads!(@ Unspecified Apply Select Store ConstantArray)
    };
    (Array) => {
        $crate::op_heads!(@ Select Store ConstantArray)
    };
    (@ $($Variant:ident)+) => {
        $($crate::Op::$Variant { .. })|+
    };
    ($First:ident, $($More:ident),+) => {
        $crate::op_heads!($First) | $crate::op_heads!($($More),+)
    };
}

/// Functions of bit strings. SMT-LIB's others are defined by these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BitsOp {
    /// Bitwise negation.
    Not,
    /// Two's complement negation.
    Neg,
    /// Bitwise conjunction of two.
    And,
    /// Bitwise disjunction of two.
    Or,
    /// Bitwise exclusive disjunction of two.
    Xor,
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Sub,
    /// Product, wrapping.
    Mul,
    /// Unsigned quotient; all ones when dividing by zero.
    Udiv,
    /// Unsigned remainder; the dividend when dividing by zero.
    Urem,
    /// Shift left; zero from the width on.
    Shl,
    /// Shift right, zeros coming in.
    Lshr,
    /// Shift right, the sign bit coming in.
    Ashr,
    /// First argument above the second.
    Concat,
    /// Bits `high` down to `low`, both included.
    Extract {
        /// The highest bit taken.
        high: u32,
        /// The lowest bit taken.
        low: u32,
    },
    /// That many zeros more on top.
    ZeroExtend(u32),
    /// That many copies more of the sign bit on top.
    SignExtend(u32),
    /// Unsigned less than.
    Ult,
    /// Unsigned less than or equal.
    Ule,
    /// Signed less than.
    Slt,
    /// Signed less than or equal.
    Sle,
}

/// The pattern of all functions of bit strings of some families: `bits_ops!(Logic, Shift)`.
#[macro_export]
macro_rules! bits_ops {
    (Logic) => {
        $crate::bits_ops!(@ Not And Or Xor)
    };
    (Arithmetic) => {
        $crate::bits_ops!(@ Neg Add Sub Mul Udiv Urem)
    };
    (Binary) => {
        $crate::bits_ops!(@ And Or Xor Add Sub Mul Udiv Urem)
    };
    (Quotient) => {
        $crate::bits_ops!(@ Udiv Urem)
    };
    (Shift) => {
        $crate::bits_ops!(@ Shl Lshr Ashr)
    };
    (Slice) => {
        $crate::bits_ops!(@ Concat Extract ZeroExtend SignExtend)
    };
    (Extend) => {
        $crate::bits_ops!(@ ZeroExtend SignExtend)
    };
    (Compare) => {
        $crate::bits_ops!(@ Ult Ule Slt Sle)
    };
    (@ $($Variant:ident)+) => {
        $($crate::BitsOp::$Variant { .. })|+
    };
    ($First:ident, $($More:ident),+) => {
        $crate::bits_ops!($First) | $crate::bits_ops!($($More),+)
    };
}

impl BitsOp {
    /// SMT-LIB's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            BitsOp::Not => "bvnot",
            BitsOp::Neg => "bvneg",
            BitsOp::And => "bvand",
            BitsOp::Or => "bvor",
            BitsOp::Xor => "bvxor",
            BitsOp::Add => "bvadd",
            BitsOp::Sub => "bvsub",
            BitsOp::Mul => "bvmul",
            BitsOp::Udiv => "bvudiv",
            BitsOp::Urem => "bvurem",
            BitsOp::Shl => "bvshl",
            BitsOp::Lshr => "bvlshr",
            BitsOp::Ashr => "bvashr",
            BitsOp::Concat => "concat",
            BitsOp::Extract { .. } => "extract",
            BitsOp::ZeroExtend(_) => "zero_extend",
            BitsOp::SignExtend(_) => "sign_extend",
            BitsOp::Ult => "bvult",
            BitsOp::Ule => "bvule",
            BitsOp::Slt => "bvslt",
            BitsOp::Sle => "bvsle",
        }
    }
}

/// The functions that SMT-LIB leaves open for some arguments, where any value
/// may come, but always the same for the same arguments. They stand at the
/// door only; [`eliminate`](crate::eliminate) gives engines total functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unspecified {
    /// `fp.min`, open for zeros of opposite sign.
    Min(Format),
    /// `fp.max`, open for zeros of opposite sign.
    Max(Format),
    /// `fp.to_ubv`, open where the integer does not fit.
    ToUnsigned(Format, u32),
    /// `fp.to_sbv`, open where the integer does not fit.
    ToSigned(Format, u32),
    /// `fp.to_ieee_bv`, which many solvers have: any NaN's encoding for the NaN.
    ToIeeeBits(Format),
}
