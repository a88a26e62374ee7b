//! The table of direct projections: every operation of IEEE 754 on sets of machine floats, and what
//! it may raise.

use crate::floats::Floats;
use crate::image::{Image, Order};
use crate::integers::Integers;
use crate::modes::Modes;
use crate::operation::extremum::{Extremum, NanChoice};
use crate::operation::remainder::{self, Quotient};
use crate::operation::{add, convert, div, encoding, fma, from_integer, mul, round_to_integral};
use crate::operation::{classify::Classes, compare::Relation};
use crate::operation::{sign, sqrt, step, sub, to_integer};
use crate::truths::Truths;
use nanoscope_ieee::{Domain, Flags, Format, OutOfRange};

/// Operations on sets of floats: what they give, and what they may raise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Direct {
    /// What is known of the order of two operands.
    pub order: Order,
}

impl From<Image> for (Floats, Flags) {
    fn from(outcome: Image) -> (Floats, Flags) {
        (outcome.result, outcome.raised)
    }
}

macro_rules! relations {
    ($($method:ident $relation:expr;)*) => { $(
        fn $method(&mut self, _: Format, a: &Floats, b: &Floats) -> (Truths, Flags) {
            ($relation.truth(a, b, self.order), Flags::NONE)
        }
    )* };
}

macro_rules! classes {
    ($($method:ident $classes:expr;)*) => { $(
        fn $method(&mut self, _: Format, a: &Floats) -> (Truths, Flags) {
            ($classes.truth(a), Flags::NONE)
        }
    )* };
}

macro_rules! extrema {
    ($($method:ident $greater:literal $choice:expr;)*) => { $(
        fn $method(&mut self, _: Format, a: &Floats, b: &Floats) -> (Floats, Flags) {
            (Extremum { greater: $greater, choice: $choice }.direct(a, b), Flags::NONE)
        }
    )* };
}

macro_rules! quiet {
    ($($method:ident |$a:ident| $result:expr;)*) => { $(
        fn $method(&mut self, _: Format, $a: &Floats) -> (Floats, Flags) {
            ($result, Flags::NONE)
        }
    )* };
}

impl Domain for Direct {
    type Float = Floats;
    type Rounding = Modes;
    /// `None`: integers too wide to be followed.
    type Bits = Option<Integers>;
    type Bool = Truths;
    type Flags = Flags;

    fn add(&mut self, _: Format, modes: &Modes, a: &Floats, b: &Floats) -> (Floats, Flags) {
        add::direct(*modes, a, b).into()
    }

    fn sub(&mut self, _: Format, modes: &Modes, a: &Floats, b: &Floats) -> (Floats, Flags) {
        sub::direct(*modes, a, b, self.order).into()
    }

    fn mul(&mut self, _: Format, modes: &Modes, a: &Floats, b: &Floats) -> (Floats, Flags) {
        mul::direct(*modes, a, b, self.order.same).into()
    }

    fn div(&mut self, _: Format, modes: &Modes, a: &Floats, b: &Floats) -> (Floats, Flags) {
        div::direct(*modes, a, b, self.order.same).into()
    }

    fn fma(
        &mut self,
        _: Format,
        modes: &Modes,
        a: &Floats,
        b: &Floats,
        c: &Floats,
    ) -> (Floats, Flags) {
        fma::direct(*modes, a, b, c).into()
    }

    fn sqrt(&mut self, _: Format, modes: &Modes, a: &Floats) -> (Floats, Flags) {
        sqrt::direct(*modes, a).into()
    }

    fn remainder(&mut self, _: Format, a: &Floats, b: &Floats) -> (Floats, Flags) {
        remainder::direct(Quotient::Nearest, a, b).into()
    }

    fn fmod(&mut self, _: Format, a: &Floats, b: &Floats) -> (Floats, Flags) {
        remainder::direct(Quotient::Truncated, a, b).into()
    }

    fn round_to_integral(&mut self, _: Format, modes: &Modes, a: &Floats) -> (Floats, Flags) {
        (round_to_integral::direct(*modes, a), Flags::NONE)
    }

    fn round_to_integral_exact(&mut self, _: Format, modes: &Modes, a: &Floats) -> (Floats, Flags) {
        (round_to_integral::direct(*modes, a), Flags::NONE)
    }

    extrema! {
        min_num false NanChoice::Other;
        max_num true NanChoice::Other;
        minimum false NanChoice::Nan;
        maximum true NanChoice::Nan;
        min_x86 false NanChoice::Second;
        max_x86 true NanChoice::Second;
    }

    quiet! {
        abs |a| a.magnitudes();
        neg |a| a.negated();
        next_up |a| step::direct(true, a);
        next_down |a| step::direct(false, a);
    }

    fn copy_sign(&mut self, _: Format, a: &Floats, b: &Floats) -> (Floats, Flags) {
        (sign::copy_sign(a, b), Flags::NONE)
    }

    fn identical(&mut self, _: Format, _: &Floats, _: &Floats) -> (Truths, Flags) {
        (Truths::BOTH, Flags::NONE)
    }

    relations! {
        equal Relation::EQUAL;
        less Relation::LESS;
        less_equal Relation::LESS_EQUAL;
        greater Relation::GREATER;
        greater_equal Relation::GREATER_EQUAL;
        unordered Relation::UNORDERED;
        equal_signaling Relation::EQUAL;
        less_signaling Relation::LESS;
        less_equal_signaling Relation::LESS_EQUAL;
        greater_signaling Relation::GREATER;
        greater_equal_signaling Relation::GREATER_EQUAL;
    }

    classes! {
        is_nan Classes::NAN;
        is_signaling Classes::SIGNALING;
        is_infinite Classes::INFINITE;
        is_finite Classes::FINITE;
        is_zero Classes::ZERO;
        is_subnormal Classes::SUBNORMAL;
        is_normal Classes::NORMAL;
        is_negative Classes::NEGATIVE;
        is_positive Classes::POSITIVE;
        is_sign_minus Classes::sign_minus::<Floats>();
    }

    fn convert(&mut self, _: Format, target: Format, modes: &Modes, a: &Floats) -> (Floats, Flags) {
        convert::direct(*modes, target, a).into()
    }

    fn from_signed(
        &mut self,
        format: Format,
        _: u32,
        modes: &Modes,
        a: &Option<Integers>,
    ) -> (Floats, Flags) {
        let Some(a) = a else { return (Floats::everything(format), Flags::NONE) };
        // Read with its sign, a truth value is 0 or -1.
        match a.bits {
            1 => (from_integer::direct(*modes, format, [a.signed()].into_iter()), Flags::NONE),
            _ => (from_integer::direct(*modes, format, a.pieces()), Flags::NONE),
        }
    }

    fn from_unsigned(
        &mut self,
        format: Format,
        _: u32,
        modes: &Modes,
        a: &Option<Integers>,
    ) -> (Floats, Flags) {
        let Some(a) = a else { return (Floats::everything(format), Flags::NONE) };
        (from_integer::direct(*modes, format, a.unsigned_pieces()), Flags::NONE)
    }

    fn to_signed(
        &mut self,
        _: Format,
        width: u32,
        out_of_range: OutOfRange,
        modes: &Modes,
        a: &Floats,
    ) -> (Option<Integers>, Flags) {
        let (result, invalid) = to_integer::direct(*modes, a, width, true, out_of_range);
        (result, Flags { invalid, ..Flags::NONE })
    }

    fn to_unsigned(
        &mut self,
        _: Format,
        width: u32,
        out_of_range: OutOfRange,
        modes: &Modes,
        a: &Floats,
    ) -> (Option<Integers>, Flags) {
        let (result, invalid) = to_integer::direct(*modes, a, width, false, out_of_range);
        (result, Flags { invalid, ..Flags::NONE })
    }

    fn from_bits(&mut self, format: Format, a: &Option<Integers>) -> (Floats, Flags) {
        let floats = a.map(|a| encoding::from_bits(format, &a));
        (floats.unwrap_or(Floats::everything(format)), Flags::NONE)
    }

    fn to_bits(&mut self, _: Format, a: &Floats) -> (Option<Integers>, Flags) {
        (encoding::to_bits(a), Flags::NONE)
    }
}
