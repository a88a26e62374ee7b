//! Every operation of the table as a circuit.

use super::Circuit;
use super::compare::Relation;
use super::minmax::Flavour;
use crate::{Algebra, Domain, Format, OutOfRange, Raised};

/// Comparisons: whether one operand stands in a relation to the other, and whether a quiet NaN is
/// invalid.
macro_rules! relations {
    ($($method:ident |$a:ident, $b:ident| $left:ident $relation:ident $right:ident, $signaling:literal;)*) => { $(
        fn $method(&mut self, format: Format, $a: &A::Word, $b: &A::Word) -> (A::Bit, Raised<A::Bit>) {
            self.relation(format, $left, $right, Relation::$relation, $signaling)
        }
    )* };
}

/// Minima and maxima.
macro_rules! extrema {
    ($($method:ident $flavour:ident $greater:literal;)*) => { $(
        fn $method(&mut self, format: Format, a: &A::Word, b: &A::Word) -> (A::Word, Raised<A::Bit>) {
            self.extremum(format, a, b, Flavour::$flavour, $greater)
        }
    )* };
}

impl<A: Algebra> Domain for Circuit<A> {
    type Float = A::Word;
    type Rounding = A::Word;
    type Bits = A::Word;
    type Bool = A::Bit;
    type Flags = Raised<A::Bit>;

    fn add(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
        b: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.sum(format, rounding, a, b, false)
    }

    fn sub(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
        b: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.sum(format, rounding, a, b, true)
    }

    fn mul(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
        b: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.product(format, rounding, a, b)
    }

    fn div(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
        b: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.quotient(format, rounding, a, b)
    }

    fn fma(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
        b: &A::Word,
        c: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.fused(format, rounding, a, b, c)
    }

    fn sqrt(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.square_root(format, rounding, a)
    }

    fn remainder(&mut self, format: Format, a: &A::Word, b: &A::Word) -> (A::Word, Raised<A::Bit>) {
        self.modulo(format, a, b, true)
    }

    fn fmod(&mut self, format: Format, a: &A::Word, b: &A::Word) -> (A::Word, Raised<A::Bit>) {
        self.modulo(format, a, b, false)
    }

    fn round_to_integral(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.integral(format, rounding, a, false)
    }

    fn round_to_integral_exact(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.integral(format, rounding, a, true)
    }

    extrema! {
        min_num Number false;
        max_num Number true;
        minimum Propagating false;
        maximum Propagating true;
        min_x86 X86 false;
        max_x86 X86 true;
    }

    fn abs(&mut self, format: Format, a: &A::Word) -> (A::Word, Raised<A::Bit>) {
        let top = format.width() - 1;
        let magnitude = self.algebra.extract(a, 0, top);
        (self.algebra.zero_extend(&magnitude, top + 1), self.no_flags())
    }

    fn neg(&mut self, format: Format, a: &A::Word) -> (A::Word, Raised<A::Bit>) {
        let top = format.width() - 1;
        let sign = self.algebra.bit_of(a, top);
        let sign = self.algebra.not(&sign);
        (self.with_sign(a, &sign), self.no_flags())
    }

    fn copy_sign(&mut self, format: Format, a: &A::Word, b: &A::Word) -> (A::Word, Raised<A::Bit>) {
        let sign = self.algebra.bit_of(b, format.width() - 1);
        (self.with_sign(a, &sign), self.no_flags())
    }

    fn next_up(&mut self, format: Format, a: &A::Word) -> (A::Word, Raised<A::Bit>) {
        self.neighbour(format, a, true)
    }

    fn next_down(&mut self, format: Format, a: &A::Word) -> (A::Word, Raised<A::Bit>) {
        self.neighbour(format, a, false)
    }

    fn identical(&mut self, format: Format, a: &A::Word, b: &A::Word) -> (A::Bit, Raised<A::Bit>) {
        (self.same(format, a, b), self.no_flags())
    }

    relations! {
        equal |a, b| a Equal b, false;
        less |a, b| a Less b, false;
        less_equal |a, b| a LessEqual b, false;
        greater |a, b| b Less a, false;
        greater_equal |a, b| b LessEqual a, false;
        unordered |a, b| a Unordered b, false;
        equal_signaling |a, b| a Equal b, true;
        less_signaling |a, b| a Less b, true;
        less_equal_signaling |a, b| a LessEqual b, true;
        greater_signaling |a, b| b Less a, true;
        greater_equal_signaling |a, b| b LessEqual a, true;
    }

    fn is_nan(&mut self, format: Format, a: &A::Word) -> (A::Bit, Raised<A::Bit>) {
        let x = self.unpack(format, a);
        (x.nan, self.no_flags())
    }

    fn is_signaling(&mut self, format: Format, a: &A::Word) -> (A::Bit, Raised<A::Bit>) {
        let x = self.unpack(format, a);
        (x.signaling, self.no_flags())
    }

    fn is_infinite(&mut self, format: Format, a: &A::Word) -> (A::Bit, Raised<A::Bit>) {
        let x = self.unpack(format, a);
        (x.infinite, self.no_flags())
    }

    fn is_finite(&mut self, format: Format, a: &A::Word) -> (A::Bit, Raised<A::Bit>) {
        let x = self.unpack(format, a);
        let special = self.algebra.or(&x.nan, &x.infinite);
        (self.algebra.not(&special), self.no_flags())
    }

    fn is_zero(&mut self, format: Format, a: &A::Word) -> (A::Bit, Raised<A::Bit>) {
        let x = self.unpack(format, a);
        (x.zero, self.no_flags())
    }

    fn is_subnormal(&mut self, format: Format, a: &A::Word) -> (A::Bit, Raised<A::Bit>) {
        let x = self.unpack(format, a);
        (x.subnormal, self.no_flags())
    }

    fn is_normal(&mut self, format: Format, a: &A::Word) -> (A::Bit, Raised<A::Bit>) {
        let x = self.unpack(format, a);
        (x.normal, self.no_flags())
    }

    fn is_negative(&mut self, format: Format, a: &A::Word) -> (A::Bit, Raised<A::Bit>) {
        let x = self.unpack(format, a);
        (self.algebra.and_not(&x.sign, &x.nan), self.no_flags())
    }

    fn is_positive(&mut self, format: Format, a: &A::Word) -> (A::Bit, Raised<A::Bit>) {
        let x = self.unpack(format, a);
        let other = self.algebra.or(&x.sign, &x.nan);
        (self.algebra.not(&other), self.no_flags())
    }

    fn is_sign_minus(&mut self, format: Format, a: &A::Word) -> (A::Bit, Raised<A::Bit>) {
        (self.algebra.bit_of(a, format.width() - 1), self.no_flags())
    }

    fn convert(
        &mut self,
        format: Format,
        target: Format,
        rounding: &A::Word,
        a: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.converted(format, target, rounding, a)
    }

    fn from_signed(
        &mut self,
        format: Format,
        width: u32,
        rounding: &A::Word,
        a: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.integer_to_float(format, width, rounding, a, true)
    }

    fn from_unsigned(
        &mut self,
        format: Format,
        width: u32,
        rounding: &A::Word,
        a: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.integer_to_float(format, width, rounding, a, false)
    }

    fn to_signed(
        &mut self,
        format: Format,
        width: u32,
        out_of_range: OutOfRange,
        rounding: &A::Word,
        a: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.float_to_integer(format, width, out_of_range, rounding, a, true)
    }

    fn to_unsigned(
        &mut self,
        format: Format,
        width: u32,
        out_of_range: OutOfRange,
        rounding: &A::Word,
        a: &A::Word,
    ) -> (A::Word, Raised<A::Bit>) {
        self.float_to_integer(format, width, out_of_range, rounding, a, false)
    }

    fn from_bits(&mut self, format: Format, a: &A::Word) -> (A::Word, Raised<A::Bit>) {
        (self.canonical(format, a), self.no_flags())
    }

    fn to_bits(&mut self, format: Format, a: &A::Word) -> (A::Word, Raised<A::Bit>) {
        assert_eq!(self.algebra.width(a), format.width(), "an encoding of {format}");
        (a.clone(), self.no_flags())
    }
}

impl<A: Algebra> Circuit<A> {
    /// `a` with its top bit replaced.
    fn with_sign(&mut self, a: &A::Word, sign: &A::Bit) -> A::Word {
        let magnitude = self.algebra.extract(a, 0, self.algebra.width(a) - 1);
        let sign = self.algebra.word_of(sign);
        self.algebra.concat(&sign, &magnitude)
    }
}
