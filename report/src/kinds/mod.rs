//! The kinds of finding, a file each: what it is, why it matters, what to do.
//!
//! To add one: write its file, add its row below. `nanoscope explain` and
//! `docs/findings.md` are made from this list.

mod abort;
mod assertion_failure;
mod cancellation;
mod conversion_out_of_range;
mod divide_by_zero;
mod error_call;
mod integer_division_by_zero;
mod integer_overflow;
mod invalid;
mod invalid_deref;
mod invalid_free;
mod manual;
mod overflow;
mod overshift;
mod precision_loss;
mod swallowed_exception;
mod underflow;
mod unreachable;
mod unstable_branch;
mod unstable_conversion;

pub use manual::page;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a kind's file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// In a few words, as a heading.
    pub title: &'static str,
    /// How bad it is in itself.
    pub severity: Severity,
    /// What it is.
    pub what: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// A program that shows it.
    pub example: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

/// How bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing: accuracy may suffer.
    Note,
    /// Often wrong, sometimes meant.
    Warning,
    /// The result is lost.
    Error,
}

impl Severity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One row a kind: its name in the reports, its variant, its file.
macro_rules! kinds {
    ($($name:literal $variant:ident $module:ident)*) => {
        /// What a finding is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Kind {
            $(
                #[doc = concat!("`", $name, "`")]
                #[serde(rename = $name)]
                $variant,
            )*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$variant),*];

            /// Its name, as in the JSON and on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$variant => $name,)* }
            }

            /// The kind of that name.
            pub fn from_name(name: &str) -> Option<Kind> {
                match name {
                    $($name => Some(Kind::$variant),)*
                    _ => None,
                }
            }

            /// Its documentation.
            pub fn explanation(self) -> &'static Explanation {
                match self { $(Kind::$variant => &$module::EXPLANATION,)* }
            }
        }
    };
}

/// The pattern of all kinds of a family: exceptions, failures of a whole program, precision,
/// handling of exceptions.
#[macro_export]
macro_rules! finding_kinds {
    (Exception) => {
        $crate::finding_kinds!(@ Overflow Underflow DivideByZero Invalid ConversionOutOfRange IntegerOverflow)
    };
    (Failure) => {
        $crate::finding_kinds!(Stop, Undefined)
    };
    // The program stops itself.
    (Stop) => {
        $crate::finding_kinds!(@ AssertionFailure ErrorCall Abort)
    };
    // The behaviour of the program is undefined; a sanitiser shows it.
    (Undefined) => {
        $crate::finding_kinds!(@ InvalidDeref InvalidFree IntegerDivisionByZero Overshift Unreachable)
    };
    (Precision) => {
        $crate::finding_kinds!(@ PrecisionLoss Cancellation UnstableBranch UnstableConversion)
    };
    (Handling) => {
        $crate::finding_kinds!(@ SwallowedException)
    };
    (@ $($Variant:ident)+) => {
        $($crate::Kind::$Variant { .. })|+
    };
    ($First:ident, $($More:ident),+) => {
        $crate::finding_kinds!($First) | $crate::finding_kinds!($($More),+)
    };
}

impl Kind {
    /// Whether it is an exception of a floating-point operation or of arithmetic on integers
    /// that derive from floats, and not a program that goes wrong as a whole.
    pub fn is_exception(self) -> bool {
        match self {
            finding_kinds!(Exception) => true,
            finding_kinds!(Precision, Handling, Failure) => false,
        }
    }

    /// Whether it is about the distance of floats from real numbers.
    pub fn is_precision(self) -> bool {
        matches!(self, finding_kinds!(Precision))
    }
}

kinds! {
    "overflow"                 Overflow               overflow
    "underflow"                Underflow              underflow
    "divide-by-zero"           DivideByZero           divide_by_zero
    "invalid"                  Invalid                invalid
    "conversion-out-of-range"  ConversionOutOfRange   conversion_out_of_range
    "integer-overflow"         IntegerOverflow        integer_overflow
    "assertion-failure"        AssertionFailure       assertion_failure
    "error-call"               ErrorCall              error_call
    "abort"                    Abort                  abort
    "invalid-deref"            InvalidDeref           invalid_deref
    "invalid-free"             InvalidFree            invalid_free
    "integer-division-by-zero" IntegerDivisionByZero  integer_division_by_zero
    "overshift"                Overshift              overshift
    "unreachable"              Unreachable            unreachable
    "precision-loss"           PrecisionLoss          precision_loss
    "cancellation"             Cancellation           cancellation
    "unstable-branch"          UnstableBranch         unstable_branch
    "unstable-conversion"      UnstableConversion     unstable_conversion
    "swallowed-exception"      SwallowedException     swallowed_exception
}
