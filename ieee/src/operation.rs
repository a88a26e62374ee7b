//! The operation table: every operation once, and what is made of it.

use crate::{Format, Word};
use std::fmt;
use std::str::FromStr;

/// Hands every operation's row to the macro named by `$callback`.
///
/// A row reads
///
/// ```text
/// Variant method [parameter: Type, ...] (operand: Sort, ...) -> Sort as "smtlib.name" raises [Flag, ...];
/// ```
///
/// with its documentation before it. `Variant` is its name in [`Operation`],
/// `method` its name in [`Domain`] and in text. Parameters are known when the
/// operation is written down (a format, a width); operands are values. `as` is
/// left out where SMT-LIB has no such function. `raises` lists what the
/// operation may raise; `Tiny` goes with `Underflow`, alone where a tiny
/// result is always exact.
///
/// The callback takes the rows apart as it needs; types and sorts are plain
/// tokens until it uses them:
///
/// ```
/// macro_rules! count {
///     ($($(#[$documentation:meta])* $Variant:ident $method:ident [$($parameters:tt)*]
///         ($($operand:ident: $Sort:ident),*) -> $Result:ident
///         $(as $smtlib:literal)? raises [$($Raised:ident),*];)*) => {
///         [$(stringify!($method)),*].len()
///     };
/// }
/// assert_eq!(nanoscope_ieee::for_each_operation!(count), nanoscope_ieee::Operation::ALL.len());
/// ```
///
/// To add an operation, add its row. The compiler then asks for its method in
/// every domain (E0046); write its semantics in `semantics/`, add
/// `vectors/<method>.txt`, and name it in the exhaustive test.
#[macro_export]
macro_rules! for_each_operation {
    ($callback:ident) => {
        $callback! {
            /// Sum (5.4.1).
            Add add [format: Format] (rounding: Rounding, a: Float, b: Float) -> Float as "fp.add" raises [Invalid, Overflow, Underflow, Inexact, Tiny];
            /// Difference (5.4.1).
            Sub sub [format: Format] (rounding: Rounding, a: Float, b: Float) -> Float as "fp.sub" raises [Invalid, Overflow, Underflow, Inexact, Tiny];
            /// Product (5.4.1).
            Mul mul [format: Format] (rounding: Rounding, a: Float, b: Float) -> Float as "fp.mul" raises [Invalid, Overflow, Underflow, Inexact, Tiny];
            /// Quotient (5.4.1).
            Div div [format: Format] (rounding: Rounding, a: Float, b: Float) -> Float as "fp.div" raises [Invalid, DivideByZero, Overflow, Underflow, Inexact, Tiny];
            /// `a * b + c` rounded once (5.4.1).
            Fma fma [format: Format] (rounding: Rounding, a: Float, b: Float, c: Float) -> Float as "fp.fma" raises [Invalid, Overflow, Underflow, Inexact, Tiny];
            /// Square root (5.4.1). It underflows only in formats with more precision than range.
            Sqrt sqrt [format: Format] (rounding: Rounding, a: Float) -> Float as "fp.sqrt" raises [Invalid, Underflow, Inexact, Tiny];
            /// `a - b * n` with `n` the integer nearest to `a / b`, ties to even; exact (5.3.1).
            Remainder remainder [format: Format] (a: Float, b: Float) -> Float as "fp.rem" raises [Invalid, Tiny];
            /// C's `fmod`: `a - b * n` with `n` the truncated `a / b`; exact.
            Fmod fmod [format: Format] (a: Float, b: Float) -> Float raises [Invalid, Tiny];
            /// To an integral value, without raising inexact (5.3.1): C's `nearbyint`, `floor`, `ceil`, `trunc`, `round`, `roundeven`.
            RoundToIntegral round_to_integral [format: Format] (rounding: Rounding, a: Float) -> Float as "fp.roundToIntegral" raises [Invalid];
            /// To an integral value, raising inexact (5.3.1): C's `rint`.
            RoundToIntegralExact round_to_integral_exact [format: Format] (rounding: Rounding, a: Float) -> Float raises [Invalid, Inexact];
            /// 754-2008's `minNum`, C's `fmin`: a quiet NaN loses against a number; `-0 < +0`.
            MinNum min_num [format: Format] (a: Float, b: Float) -> Float as "fp.min" raises [Invalid];
            /// 754-2008's `maxNum`, C's `fmax`: a quiet NaN loses against a number; `-0 < +0`.
            MaxNum max_num [format: Format] (a: Float, b: Float) -> Float as "fp.max" raises [Invalid];
            /// 754-2019's `minimum` (9.6): a NaN wins; `-0 < +0`.
            Minimum minimum [format: Format] (a: Float, b: Float) -> Float raises [Invalid];
            /// 754-2019's `maximum` (9.6): a NaN wins; `-0 < +0`.
            Maximum maximum [format: Format] (a: Float, b: Float) -> Float raises [Invalid];
            /// x86's `minss`, `minsd`: `a < b ? a : b`, so `b` for NaNs and for equal operands; any NaN is invalid.
            MinX86 min_x86 [format: Format] (a: Float, b: Float) -> Float raises [Invalid];
            /// x86's `maxss`, `maxsd`: `a > b ? a : b`, so `b` for NaNs and for equal operands; any NaN is invalid.
            MaxX86 max_x86 [format: Format] (a: Float, b: Float) -> Float raises [Invalid];
            /// The sign bit cleared, of NaNs too (5.5.1).
            Abs abs [format: Format] (a: Float) -> Float as "fp.abs" raises [];
            /// The sign bit flipped, of NaNs too (5.5.1).
            Neg neg [format: Format] (a: Float) -> Float as "fp.neg" raises [];
            /// `a` with the sign bit of `b` (5.5.1).
            CopySign copy_sign [format: Format] (a: Float, b: Float) -> Float raises [];
            /// The least value greater than `a` (5.3.1).
            NextUp next_up [format: Format] (a: Float) -> Float raises [Invalid];
            /// The greatest value less than `a` (5.3.1).
            NextDown next_down [format: Format] (a: Float) -> Float raises [Invalid];
            /// The same datum: equal encodings, or both NaN (SMT-LIB's `=`).
            Identical identical [format: Format] (a: Float, b: Float) -> Bool as "=" raises [];
            /// Quiet `a == b` (5.6.1).
            Equal equal [format: Format] (a: Float, b: Float) -> Bool as "fp.eq" raises [Invalid];
            /// Quiet `a < b` (5.6.1).
            Less less [format: Format] (a: Float, b: Float) -> Bool as "fp.lt" raises [Invalid];
            /// Quiet `a <= b` (5.6.1).
            LessEqual less_equal [format: Format] (a: Float, b: Float) -> Bool as "fp.leq" raises [Invalid];
            /// Quiet `a > b` (5.6.1).
            Greater greater [format: Format] (a: Float, b: Float) -> Bool as "fp.gt" raises [Invalid];
            /// Quiet `a >= b` (5.6.1).
            GreaterEqual greater_equal [format: Format] (a: Float, b: Float) -> Bool as "fp.geq" raises [Invalid];
            /// Whether either is a NaN (5.6.1).
            Unordered unordered [format: Format] (a: Float, b: Float) -> Bool raises [Invalid];
            /// Signalling `a == b` (5.6.1).
            EqualSignaling equal_signaling [format: Format] (a: Float, b: Float) -> Bool raises [Invalid];
            /// Signalling `a < b`, C's `<` (5.6.1).
            LessSignaling less_signaling [format: Format] (a: Float, b: Float) -> Bool raises [Invalid];
            /// Signalling `a <= b`, C's `<=` (5.6.1).
            LessEqualSignaling less_equal_signaling [format: Format] (a: Float, b: Float) -> Bool raises [Invalid];
            /// Signalling `a > b`, C's `>` (5.6.1).
            GreaterSignaling greater_signaling [format: Format] (a: Float, b: Float) -> Bool raises [Invalid];
            /// Signalling `a >= b`, C's `>=` (5.6.1).
            GreaterEqualSignaling greater_equal_signaling [format: Format] (a: Float, b: Float) -> Bool raises [Invalid];
            /// Whether it is a NaN, quiet or not (5.7.2).
            IsNan is_nan [format: Format] (a: Float) -> Bool as "fp.isNaN" raises [];
            /// Whether it is a signalling NaN (5.7.2).
            IsSignaling is_signaling [format: Format] (a: Float) -> Bool raises [];
            /// Whether it is an infinity (5.7.2).
            IsInfinite is_infinite [format: Format] (a: Float) -> Bool as "fp.isInfinite" raises [];
            /// Whether it is neither an infinity nor a NaN (5.7.2).
            IsFinite is_finite [format: Format] (a: Float) -> Bool raises [];
            /// Whether it is a zero (5.7.2).
            IsZero is_zero [format: Format] (a: Float) -> Bool as "fp.isZero" raises [];
            /// Whether it is subnormal (5.7.2).
            IsSubnormal is_subnormal [format: Format] (a: Float) -> Bool as "fp.isSubnormal" raises [];
            /// Whether it is normal (5.7.2).
            IsNormal is_normal [format: Format] (a: Float) -> Bool as "fp.isNormal" raises [];
            /// Whether its sign bit is set and it is no NaN.
            IsNegative is_negative [format: Format] (a: Float) -> Bool as "fp.isNegative" raises [];
            /// Whether its sign bit is clear and it is no NaN.
            IsPositive is_positive [format: Format] (a: Float) -> Bool as "fp.isPositive" raises [];
            /// Whether its sign bit is set, of a NaN too (5.7.2): C's `signbit`.
            IsSignMinus is_sign_minus [format: Format] (a: Float) -> Bool raises [];
            /// To another format (5.4.2).
            Convert convert [format: Format, target: Format] (rounding: Rounding, a: Float) -> Float as "to_fp" raises [Invalid, Overflow, Underflow, Inexact, Tiny];
            /// From a two's complement integer (5.4.1).
            FromSigned from_signed [format: Format, width: u32] (rounding: Rounding, a: Bits) -> Float as "to_fp" raises [Overflow, Inexact];
            /// From an unsigned integer (5.4.1).
            FromUnsigned from_unsigned [format: Format, width: u32] (rounding: Rounding, a: Bits) -> Float as "to_fp_unsigned" raises [Overflow, Inexact];
            /// To a two's complement integer (5.4.1). Invalid tells that the value, rounded, is out of range.
            ToSigned to_signed [format: Format, width: u32, out_of_range: OutOfRange] (rounding: Rounding, a: Float) -> Bits as "fp.to_sbv" raises [Invalid, Inexact];
            /// To an unsigned integer (5.4.1). Invalid tells that the value, rounded, is out of range.
            ToUnsigned to_unsigned [format: Format, width: u32, out_of_range: OutOfRange] (rounding: Rounding, a: Float) -> Bits as "fp.to_ubv" raises [Invalid, Inexact];
            /// An encoding read as a float; every NaN becomes the canonical one, as SMT-LIB has just one.
            FromBits from_bits [format: Format] (a: Bits) -> Float as "to_fp" raises [];
            /// The encoding of a float.
            ToBits to_bits [format: Format] (a: Float) -> Bits raises [];
        }
    };
}

/// The sort of an operand or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// A float of the operation's format (or target).
    Float,
    /// A rounding mode.
    Rounding,
    /// An integer or an encoding.
    Bits,
    /// A truth value.
    Bool,
}

/// An exception flag by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flag {
    /// See [`Raised::invalid`](crate::Raised::invalid).
    Invalid,
    /// See [`Raised::divide_by_zero`](crate::Raised::divide_by_zero).
    DivideByZero,
    /// See [`Raised::overflow`](crate::Raised::overflow).
    Overflow,
    /// See [`Raised::underflow`](crate::Raised::underflow).
    Underflow,
    /// See [`Raised::inexact`](crate::Raised::inexact).
    Inexact,
    /// See [`Raised::tiny`](crate::Raised::tiny).
    Tiny,
}

impl Flag {
    /// Every flag.
    pub const ALL: [Flag; 6] = [
        Flag::Invalid,
        Flag::DivideByZero,
        Flag::Overflow,
        Flag::Underflow,
        Flag::Inexact,
        Flag::Tiny,
    ];

    /// The name in reports: `invalid`, `divide-by-zero`, ...
    pub const fn name(self) -> &'static str {
        match self {
            Flag::Invalid => "invalid",
            Flag::DivideByZero => "divide-by-zero",
            Flag::Overflow => "overflow",
            Flag::Underflow => "underflow",
            Flag::Inexact => "inexact",
            Flag::Tiny => "tiny",
        }
    }

    /// The letter in operation vectors.
    pub const fn letter(self) -> char {
        match self {
            Flag::Invalid => 'v',
            Flag::DivideByZero => 'z',
            Flag::Overflow => 'o',
            Flag::Underflow => 'u',
            Flag::Inexact => 'x',
            Flag::Tiny => 't',
        }
    }
}

/// What a conversion to an integer gives when the integer cannot hold the
/// value. It raises invalid in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OutOfRange {
    /// Nothing is promised (C, SMT-LIB): the result is zero, and whoever cares
    /// looks at the invalid flag.
    #[default]
    Undefined,
    /// The nearest integer there is, and zero for a NaN (Rust's `as`, LLVM's
    /// `fptosi.sat`).
    Saturate,
    /// x86's integer indefinite: the sign bit alone when signed, all ones when
    /// unsigned (AVX-512).
    Indefinite,
}

impl OutOfRange {
    /// Every policy.
    pub const ALL: [OutOfRange; 3] =
        [OutOfRange::Undefined, OutOfRange::Saturate, OutOfRange::Indefinite];

    /// Its name in text.
    pub const fn name(self) -> &'static str {
        match self {
            OutOfRange::Undefined => "undefined",
            OutOfRange::Saturate => "saturate",
            OutOfRange::Indefinite => "indefinite",
        }
    }
}

/// Which parameter an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ParameterKind {
    /// The format of the operands (of the result, for conversions from integers).
    Format,
    /// The format of the result.
    Target,
    /// The width of the integer.
    Width,
    /// What to do when the integer cannot hold the value.
    OutOfRange,
}

/// The parameters of an operation; it reads the ones its row names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Parameters {
    /// The format of the operands (of the result, for conversions from integers).
    pub format: Format,
    /// The format a conversion gives.
    pub target: Format,
    /// The width of the integer converted from or to.
    pub width: u32,
    /// What to do when the integer cannot hold the value.
    pub out_of_range: OutOfRange,
}

impl Parameters {
    /// For operations on one format.
    pub const fn of(format: Format) -> Parameters {
        Parameters { format, target: format, width: 0, out_of_range: OutOfRange::Undefined }
    }

    /// For a conversion between formats.
    pub const fn between(format: Format, target: Format) -> Parameters {
        Parameters { target, ..Parameters::of(format) }
    }

    /// For a conversion from or to an integer.
    pub const fn integer(format: Format, width: u32, out_of_range: OutOfRange) -> Parameters {
        Parameters { width, out_of_range, ..Parameters::of(format) }
    }
}

/// A value of some domain, of any sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Datum<F, R, W, T> {
    /// A float.
    Float(F),
    /// A rounding mode.
    Rounding(R),
    /// An integer or an encoding.
    Bits(W),
    /// A truth value.
    Bool(T),
}

impl<F, R, W, T> Datum<F, R, W, T> {
    /// The sort of this value.
    pub const fn sort(&self) -> Sort {
        match self {
            Datum::Float(_) => Sort::Float,
            Datum::Rounding(_) => Sort::Rounding,
            Datum::Bits(_) => Sort::Bits,
            Datum::Bool(_) => Sort::Bool,
        }
    }
}

/// Number and sorts of the operands do not fit the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MismatchedOperands {
    /// The operation asked for.
    pub operation: Operation,
    /// The sorts it was given.
    pub given: Vec<Sort>,
}

impl fmt::Display for MismatchedOperands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} takes {:?}, not {:?}", self.operation, self.operation.operands(), self.given)
    }
}

impl std::error::Error for MismatchedOperands {}

/// The kind of a parameter, by its name in the table.
macro_rules! parameter_kind {
    (format) => {
        ParameterKind::Format
    };
    (target) => {
        ParameterKind::Target
    };
    (width) => {
        ParameterKind::Width
    };
    (out_of_range) => {
        ParameterKind::OutOfRange
    };
}

macro_rules! define_operations {
    ($(
        $(#[$documentation:meta])*
        $Variant:ident $method:ident [$($parameter:ident: $Type:ty),*]
        ($($operand:ident: $Sort:ident),*) -> $Result:ident
        $(as $smtlib:literal)? raises [$($Raised:ident),*];
    )*) => {
        /// Every operation of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Operation {
            $( $(#[$documentation])* $Variant, )*
        }

        impl Operation {
            /// Every operation, in the table's order.
            pub const ALL: &'static [Operation] = &[$(Operation::$Variant),*];

            /// Its name in text, the one of its method in [`Domain`].
            pub const fn name(self) -> &'static str {
                match self { $( Operation::$Variant => stringify!($method), )* }
            }

            /// The operation of that name.
            pub fn from_name(name: &str) -> Option<Operation> {
                match name {
                    $( stringify!($method) => Some(Operation::$Variant), )*
                    _ => None,
                }
            }

            /// The SMT-LIB function which means the same, if there is one.
            /// `to_fp` stands for several: its operands tell which.
            pub fn smtlib_name(self) -> Option<&'static str> {
                match self {
                    $( Operation::$Variant => [$($smtlib)?].first().copied() as Option<&'static str>, )*
                }
            }

            /// Its parameters.
            pub const fn parameters(self) -> &'static [ParameterKind] {
                match self { $( Operation::$Variant => &[$(parameter_kind!($parameter)),*], )* }
            }

            /// The sorts of its operands.
            pub const fn operands(self) -> &'static [Sort] {
                match self { $( Operation::$Variant => &[$(Sort::$Sort),*], )* }
            }

            /// The sort of its result.
            pub const fn result(self) -> Sort {
                match self { $( Operation::$Variant => Sort::$Result, )* }
            }

            /// The flags it can raise.
            pub const fn raises(self) -> &'static [Flag] {
                match self { $( Operation::$Variant => &[$(Flag::$Raised),*], )* }
            }
        }

        /// A reading of the operations: concrete numbers, circuits, intervals,
        /// terms, shadows. A method an operation: a domain that forgets one
        /// does not compile.
        #[allow(clippy::wrong_self_convention, reason = "`self` is the domain, not the operand")]
        pub trait Domain {
            /// A float.
            type Float;
            /// A rounding mode.
            type Rounding;
            /// An integer or an encoding.
            type Bits;
            /// A truth value.
            type Bool;
            /// What was raised; `()` where nobody asks.
            type Flags;

            $(
                $(#[$documentation])*
                fn $method(&mut self, $($parameter: $Type,)* $($operand: &Self::$Sort),*)
                    -> (Self::$Result, Self::Flags);
            )*
        }

        /// Applies the operation that `operation` names to operands of any sort.
        #[allow(clippy::type_complexity, reason = "a datum of the domain, spelled out")]
        pub fn apply<D: Domain>(
            domain: &mut D,
            operation: Operation,
            parameters: &Parameters,
            operands: &[Datum<D::Float, D::Rounding, D::Bits, D::Bool>],
        ) -> Result<(Datum<D::Float, D::Rounding, D::Bits, D::Bool>, D::Flags), MismatchedOperands> {
            let mismatch = || MismatchedOperands {
                operation,
                given: operands.iter().map(Datum::sort).collect(),
            };
            match operation {
                $( Operation::$Variant => {
                    let [$(Datum::$Sort($operand)),*] = operands else { return Err(mismatch()) };
                    let (result, flags) = domain.$method($(parameters.$parameter,)* $($operand),*);
                    Ok((Datum::$Result(result), flags))
                } )*
            }
        }
    };
}
for_each_operation!(define_operations);

/// The pattern of all operations of some families: `operations!(Compare, Classify)`.
///
/// A match that treats a family alike names the family. A new operation must be in a family
/// (see [`Operation::family`]), and is a compile error in every match that names the others of its
/// family one by one.
#[macro_export]
macro_rules! operations {
    (Arithmetic) => {
        $crate::operations!(@ Add Sub Mul Div Fma Sqrt)
    };
    (Remainder) => {
        $crate::operations!(@ Remainder Fmod)
    };
    (Integral) => {
        $crate::operations!(@ RoundToIntegral RoundToIntegralExact)
    };
    (Choice) => {
        $crate::operations!(@ MinNum MaxNum Minimum Maximum MinX86 MaxX86)
    };
    (Sign) => {
        $crate::operations!(@ Abs Neg CopySign)
    };
    (Step) => {
        $crate::operations!(@ NextUp NextDown)
    };
    (Compare) => {
        $crate::operations!(@ Identical Unordered Equal Less LessEqual Greater GreaterEqual EqualSignaling LessSignaling LessEqualSignaling GreaterSignaling GreaterEqualSignaling)
    };
    (Order) => {
        $crate::operations!(@ Equal Less LessEqual Greater GreaterEqual EqualSignaling LessSignaling LessEqualSignaling GreaterSignaling GreaterEqualSignaling)
    };
    (Below) => {
        $crate::operations!(@ Less LessEqual LessSignaling LessEqualSignaling)
    };
    (Above) => {
        $crate::operations!(@ Greater GreaterEqual GreaterSignaling GreaterEqualSignaling)
    };
    (Rational) => {
        $crate::operations!(@ Add Sub Mul Div)
    };
    (Mirror) => {
        $crate::operations!(@ Abs Neg)
    };
    (Category) => {
        $crate::operations!(@ IsNan IsInfinite IsZero IsSubnormal IsNormal IsNegative IsPositive)
    };
    (Quiet) => {
        $crate::operations!(@ Equal Less LessEqual Greater GreaterEqual)
    };
    (Extremum) => {
        $crate::operations!(@ MinNum MaxNum Minimum Maximum)
    };
    (Signaling) => {
        $crate::operations!(@ EqualSignaling LessSignaling LessEqualSignaling GreaterSignaling GreaterEqualSignaling)
    };
    (Classify) => {
        $crate::operations!(@ IsNan IsSignaling IsInfinite IsFinite IsZero IsSubnormal IsNormal IsNegative IsPositive IsSignMinus)
    };
    (Convert) => {
        $crate::operations!(@ Convert FromSigned FromUnsigned ToSigned ToUnsigned)
    };
    (FromInteger) => {
        $crate::operations!(@ FromSigned FromUnsigned)
    };
    (ToInteger) => {
        $crate::operations!(@ ToSigned ToUnsigned)
    };
    (Encoding) => {
        $crate::operations!(@ FromBits ToBits)
    };
    (@ $($Variant:ident)+) => {
        $($crate::Operation::$Variant { .. })|+
    };
    ($First:ident, $($More:ident),+) => {
        $crate::operations!($First) | $crate::operations!($($More),+)
    };
}

/// What the operations of a family have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Family {
    /// Rounds a real function of its operands (5.4.1).
    Arithmetic,
    /// A remainder, which is exact.
    Remainder,
    /// Rounds to an integral value.
    Integral,
    /// Gives one of its operands.
    Choice,
    /// Changes the sign bit alone.
    Sign,
    /// Gives a neighbour.
    Step,
    /// Relates two floats.
    Compare,
    /// Asks what kind of float it is.
    Classify,
    /// To another format, from and to integers.
    Convert,
    /// Between a float and its encoding.
    Encoding,
}

impl Operation {
    /// The family of an operation.
    pub const fn family(self) -> Family {
        match self {
            operations!(Arithmetic) => Family::Arithmetic,
            operations!(Remainder) => Family::Remainder,
            operations!(Integral) => Family::Integral,
            operations!(Choice) => Family::Choice,
            operations!(Sign) => Family::Sign,
            operations!(Step) => Family::Step,
            operations!(Compare) => Family::Compare,
            operations!(Classify) => Family::Classify,
            operations!(Convert) => Family::Convert,
            operations!(Encoding) => Family::Encoding,
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Operation {
    type Err = String;

    fn from_str(text: &str) -> Result<Operation, String> {
        Operation::from_name(text).ok_or_else(|| format!("`{text}` is no operation"))
    }
}

/// A datum of the concrete domain.
pub type ConcreteDatum = Datum<Word, Word, Word, bool>;
