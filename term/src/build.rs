//! Builders: a method a function of SMT-LIB. Those that [`Op`] has no head for
//! are written out by their definitions in the theory FixedSizeBitVectors.

use crate::{ArrayValue, BitsOp, Libm, Op, Sort, Term, Terms, Value};
use nanoscope_ieee::{Format, Operation, Parameters, Rounding, Word};
use std::collections::BTreeMap;

/// Truth values, and what is of any sort.
impl Terms {
    /// A known truth value.
    pub fn bool(&mut self, value: bool) -> Term {
        self.constant(Value::Bool(value))
    }

    /// Negation.
    pub fn not(&mut self, a: Term) -> Term {
        self.make(Op::Not, &[a])
    }

    /// Conjunction of any number.
    pub fn and(&mut self, all: &[Term]) -> Term {
        match all {
            [] => self.bool(true),
            [one] => *one,
            _ => self.make(Op::And, all),
        }
    }

    /// Disjunction of any number.
    pub fn or(&mut self, any: &[Term]) -> Term {
        match any {
            [] => self.bool(false),
            [one] => *one,
            _ => self.make(Op::Or, any),
        }
    }

    /// `a` implies `b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }

    /// Either but not both.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let same = self.equal(a, b);
        self.not(same)
    }

    /// `then` if `condition`, else `otherwise`.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.make(Op::Ite, &[condition, then, otherwise])
    }

    /// The same value (not IEEE's equality: see [`Op::Equal`]).
    pub fn equal(&mut self, a: Term, b: Term) -> Term {
        self.make(Op::Equal, &[a, b])
    }

    /// No two the same.
    pub fn distinct(&mut self, all: &[Term]) -> Term {
        let mut pairs = Vec::new();
        for (i, a) in all.iter().enumerate() {
            for b in &all[i + 1..] {
                let same = self.equal(*a, *b);
                pairs.push(self.not(same));
            }
        }
        self.and(&pairs)
    }

    /// The first value of any sort; an array has its element's everywhere.
    pub fn default_value(&self, sort: Sort) -> Value {
        match sort {
            Sort::Array(array) => {
                let (index, element) = self.array(array);
                let default = self.default_value(element);
                Value::Array(Box::new(ArrayValue { index, default, entries: BTreeMap::new() }))
            }
            Sort::Bool | Sort::Bits(_) | Sort::Float(_) | Sort::Rounding => {
                Value::default_of(sort).expect("a sort that is no array")
            }
        }
    }

    /// The term for any value; an array of sort `sort` becomes stores.
    pub fn constant_of(&mut self, value: &Value, sort: Sort) -> Term {
        let (Value::Array(array), Sort::Array(id)) = (value, sort) else {
            return self.constant(value.clone());
        };
        let (index, element) = self.array(id);
        let default = self.constant_of(&array.default, element);
        let mut term = self.make(Op::ConstantArray(id), &[default]);
        for (at, value) in &array.entries {
            let at = self.constant_of(at, index);
            let value = self.constant_of(value, element);
            term = self.make(Op::Store, &[term, at, value]);
        }
        term
    }
}

/// Bit strings.
impl Terms {
    /// A known string: the low `width` bits of a number.
    pub fn bits(&mut self, width: u32, value: u128) -> Term {
        self.constant(Value::Bits(Word::new(width, value)))
    }

    /// A function of bit strings.
    pub fn bits_op(&mut self, op: BitsOp, args: &[Term]) -> Term {
        self.make(Op::Bits(op), args)
    }

    /// The width of a term that is a string of bits.
    pub fn width(&self, a: Term) -> u32 {
        match self.sort(a) {
            Sort::Bits(width) => width,
            other => panic!("a bit vector, not {}", self.sort_text(other)),
        }
    }

    /// Bits `high` down to `low`.
    pub fn extract(&mut self, high: u32, low: u32, a: Term) -> Term {
        self.bits_op(BitsOp::Extract { high, low }, &[a])
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        self.bits_op(BitsOp::Concat, &[high, low])
    }

    /// `count` copies side by side.
    pub fn repeat(&mut self, count: u32, a: Term) -> Term {
        assert!(count > 0, "repeat at least once");
        // By doubling: few terms, and none much wider than half the result.
        let mut all = a;
        for bit in (0..count.ilog2()).rev() {
            all = self.concat(all, all);
            if count >> bit & 1 == 1 {
                all = self.concat(all, a);
            }
        }
        all
    }

    /// Rotated left by a known amount.
    pub fn rotate_left(&mut self, amount: u32, a: Term) -> Term {
        let width = self.width(a);
        let amount = amount % width;
        if amount == 0 {
            return a;
        }
        let high = self.extract(width - amount - 1, 0, a);
        let low = self.extract(width - 1, width - amount, a);
        self.concat(high, low)
    }

    /// Rotation by as many bits as a bit string of the same width says.
    pub fn rotate(&mut self, left: bool, a: Term, amount: Term) -> Term {
        let width = self.width(a);
        let modulus = self.constant(Value::Bits(Word::new(width, width as u128)));
        // A width of one or two bits is no number of that width; there, all bits count.
        let fits = width >= 3;
        let steps = if fits { self.bits_op(BitsOp::Urem, &[amount, modulus]) } else { amount };
        let mut turned = a;
        let most = if fits { u32::BITS - (width - 1).leading_zeros() } else { width };
        for bit in 0..most.min(width) {
            let set = self.extract(bit, bit, steps);
            let one = self.bits(1, 1);
            let set = self.equal(set, one);
            let by = (1u32 << bit) % width;
            let rotated =
                if left { self.rotate_left(by, turned) } else { self.rotate_right(by, turned) };
            turned = self.ite(set, rotated, turned);
        }
        turned
    }

    /// Rotated right by a known amount.
    pub fn rotate_right(&mut self, amount: u32, a: Term) -> Term {
        let width = self.width(a);
        self.rotate_left(width - amount % width, a)
    }

    /// The sign bit as a truth value.
    pub fn sign(&mut self, a: Term) -> Term {
        let top = self.width(a) - 1;
        let bit = self.extract(top, top, a);
        let one = self.bits(1, 1);
        self.equal(bit, one)
    }

    /// The magnitude of a signed number.
    fn magnitude(&mut self, a: Term) -> Term {
        let negative = self.sign(a);
        let opposite = self.bits_op(BitsOp::Neg, &[a]);
        self.ite(negative, opposite, a)
    }

    /// Signed quotient, rounded toward zero; by zero as `bvsdiv`'s definition says.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        let (sign_a, sign_b) = (self.sign(a), self.sign(b));
        let (magnitude_a, magnitude_b) = (self.magnitude(a), self.magnitude(b));
        let quotient = self.bits_op(BitsOp::Udiv, &[magnitude_a, magnitude_b]);
        let opposite = self.bits_op(BitsOp::Neg, &[quotient]);
        let differ = self.xor(sign_a, sign_b);
        self.ite(differ, opposite, quotient)
    }

    /// Signed remainder with the dividend's sign.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        let sign = self.sign(a);
        let (magnitude_a, magnitude_b) = (self.magnitude(a), self.magnitude(b));
        let remainder = self.bits_op(BitsOp::Urem, &[magnitude_a, magnitude_b]);
        let opposite = self.bits_op(BitsOp::Neg, &[remainder]);
        self.ite(sign, opposite, remainder)
    }

    /// Signed remainder with the divisor's sign.
    pub fn smod(&mut self, a: Term, b: Term) -> Term {
        let (sign_a, sign_b) = (self.sign(a), self.sign(b));
        let (magnitude_a, magnitude_b) = (self.magnitude(a), self.magnitude(b));
        let u = self.bits_op(BitsOp::Urem, &[magnitude_a, magnitude_b]);
        let width = self.width(a);
        let zero = self.bits(width, 0);
        let exact = self.equal(u, zero);
        let minus_u = self.bits_op(BitsOp::Neg, &[u]);
        let b_minus_u = self.bits_op(BitsOp::Sub, &[b, u]);
        let b_plus_u = self.bits_op(BitsOp::Add, &[b, u]);
        let b_positive = self.ite(sign_b, b_plus_u, u);
        let b_negative = self.ite(sign_b, minus_u, b_minus_u);
        let inexact = self.ite(sign_a, b_negative, b_positive);
        self.ite(exact, u, inexact)
    }

    /// One bit, set if they are equal.
    pub fn bvcomp(&mut self, a: Term, b: Term) -> Term {
        let same = self.equal(a, b);
        self.bit(same)
    }

    /// One bit, set if the truth value is true.
    pub fn bit(&mut self, a: Term) -> Term {
        let (one, zero) = (self.bits(1, 1), self.bits(1, 0));
        self.ite(a, one, zero)
    }

    /// Whether a signed or unsigned sum, difference or product does not fit:
    /// computed in full by `op` after extending both by `more` bits.
    fn overflows(&mut self, op: BitsOp, signed: bool, more: u32, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let extend = if signed { BitsOp::SignExtend(more) } else { BitsOp::ZeroExtend(more) };
        let (wide_a, wide_b) = (self.bits_op(extend, &[a]), self.bits_op(extend, &[b]));
        let exact = self.bits_op(op, &[wide_a, wide_b]);
        let cut = self.extract(width - 1, 0, exact);
        let back = self.bits_op(extend, &[cut]);
        let same = self.equal(back, exact);
        self.not(same)
    }

    /// `bvuaddo`, `bvsaddo`: whether the sum does not fit.
    pub fn add_overflows(&mut self, signed: bool, a: Term, b: Term) -> Term {
        self.overflows(BitsOp::Add, signed, 1, a, b)
    }

    /// `bvusubo`, `bvssubo`: whether the difference does not fit.
    pub fn sub_overflows(&mut self, signed: bool, a: Term, b: Term) -> Term {
        if signed {
            self.overflows(BitsOp::Sub, true, 1, a, b)
        } else {
            self.bits_op(BitsOp::Ult, &[a, b])
        }
    }

    /// `bvumulo`, `bvsmulo`: whether the product does not fit.
    pub fn mul_overflows(&mut self, signed: bool, a: Term, b: Term) -> Term {
        let width = self.width(a);
        self.overflows(BitsOp::Mul, signed, width, a, b)
    }

    /// `bvsdivo`: whether the signed quotient does not fit.
    pub fn sdiv_overflows(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let least = self.neg_overflows(a);
        let minus_one = self.constant(Value::Bits(Word::ones(width)));
        let by_minus_one = self.equal(b, minus_one);
        self.and(&[least, by_minus_one])
    }

    /// `bvnego`: whether it is the least signed number.
    pub fn neg_overflows(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let least = num_bigint::BigUint::from(1u32) << (width - 1);
        let least = self.constant(Value::Bits(Word::from_big(width, &least)));
        self.equal(a, least)
    }
}

/// Floats.
impl Terms {
    /// A known rounding mode.
    pub fn rounding(&mut self, mode: Rounding) -> Term {
        self.constant(Value::Rounding(mode))
    }

    /// A known float, by its encoding.
    pub fn float_bits(&mut self, format: Format, bits: Word) -> Term {
        self.constant(Value::float(format, bits))
    }

    /// A known `double`.
    pub fn f64(&mut self, value: f64) -> Term {
        self.constant(Value::from_f64(value))
    }

    /// A known `float`.
    pub fn f32(&mut self, value: f32) -> Term {
        self.constant(Value::from_f32(value))
    }

    /// An operation of the table.
    pub fn float(&mut self, operation: Operation, parameters: Parameters, args: &[Term]) -> Term {
        self.make(Op::Float(operation, parameters), args)
    }

    /// An operation of the table on one format, the one of its last operand.
    pub fn fp(&mut self, operation: Operation, args: &[Term]) -> Term {
        let format = self.format(*args.last().expect("an operand"));
        self.float(operation, Parameters::of(format), args)
    }

    /// The format of a term that is a float.
    pub fn format(&self, a: Term) -> Format {
        match self.sort(a) {
            Sort::Float(format) => format,
            other => panic!("a float, not {}", self.sort_text(other)),
        }
    }

    /// To another format.
    pub fn convert(&mut self, target: Format, rounding: Term, a: Term) -> Term {
        let format = self.format(a);
        self.float(Operation::Convert, Parameters::between(format, target), &[rounding, a])
    }

    /// An encoding read as a float.
    pub fn from_bits(&mut self, format: Format, a: Term) -> Term {
        self.float(Operation::FromBits, Parameters::of(format), &[a])
    }

    /// A function of the machine's libm.
    pub fn libm(&mut self, function: Libm, args: &[Term]) -> Term {
        let format = self.format(args[0]);
        self.make(Op::Libm(function, format), args)
    }
}
