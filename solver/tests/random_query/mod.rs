//! Random queries over floats, bits and truths, with or without a planted
//! model. The same seed gives the same query.

use nanoscope_ieee::{Format, Operation, OutOfRange, Parameters, Rounding, Word};
use nanoscope_term::{BitsOp, Evaluation, Model, Sort, Term, Terms, Value};

/// What a query is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A format of seven bits, any rounding mode.
    Tiny,
    /// binary32, mostly to nearest, mostly within small ranges.
    Single,
    /// binary64 likewise.
    Double,
    /// Two formats, bit vectors, rounding modes that are variables.
    Mixed,
}

/// A query, and a model if one was planted.
pub struct Planted {
    pub terms: Terms,
    pub assertions: Vec<Term>,
    #[allow(dead_code, reason = "not every test looks at it")]
    pub model: Model,
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

struct Builder {
    terms: Terms,
    random: Random,
    shape: Shape,
    /// Floats, bits and truths made so far.
    pool: Vec<Term>,
    model: Model,
}

impl Planted {
    /// A query with a model.
    pub fn new(shape: Shape, seed: u64) -> Planted {
        Builder::new(shape, seed).finish(true)
    }

    /// A query that may have a model or not.
    #[allow(dead_code, reason = "not every test wants one")]
    pub fn unplanted(shape: Shape, seed: u64) -> Planted {
        Builder::new(shape, seed ^ 0xabcd_ef00).finish(false)
    }
}

impl Builder {
    fn new(shape: Shape, seed: u64) -> Builder {
        let random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ shape as u64);
        let mut builder =
            Builder { terms: Terms::new(), random, shape, pool: Vec::new(), model: Model::new() };
        let formats: &[Format] = match shape {
            Shape::Tiny => &[Format::new(3, 4)],
            Shape::Single => &[Format::BINARY32],
            Shape::Double => &[Format::BINARY64],
            Shape::Mixed => &[Format::BINARY16, Format::BINARY32],
        };
        for (number, format) in formats.iter().cycle().take(1 + builder.random.below(3)).enumerate()
        {
            let value = builder.number(*format);
            builder.variable(&format!("x{number}"), value);
        }
        if shape == Shape::Mixed {
            let bits = builder.random.next();
            builder.variable("b", Value::bits(16, bits.into()));
            let mode = builder.random.one_of(&Rounding::ALL);
            builder.variable("r", Value::Rounding(mode));
        }
        builder
    }

    fn variable(&mut self, name: &str, value: Value) {
        let term = self.terms.variable(name, value.sort().expect("a sort"));
        self.model.set(self.terms.as_variable(term).expect("a variable"), value);
        self.pool.push(term);
    }

    /// A value: often of moderate size, sometimes anything.
    fn number(&mut self, format: Format) -> Value {
        let width = format.width();
        if self.random.below(4) == 0 || self.shape == Shape::Tiny {
            return Value::float(format, Word::new(width, self.random.next().into()));
        }
        let value = (self.random.next() >> 11) as f64 / (1u64 << 53) as f64 * 16.0 - 8.0;
        let wide = nanoscope_ieee::Float::from_bits(Format::BINARY64, value.to_bits().into());
        let (float, _) = wide.convert(format, Rounding::NearestEven);
        Value::float(format, float.word().clone())
    }

    fn mode(&mut self) -> Term {
        let variable: Vec<Term> = self.of(|sort| sort == Sort::Rounding);
        if !variable.is_empty() && self.random.below(2) == 0 {
            return variable[0];
        }
        let nearest = self.shape != Shape::Tiny && self.random.below(4) != 0;
        let mode = if nearest { Rounding::NearestEven } else { self.random.one_of(&Rounding::ALL) };
        self.terms.rounding(mode)
    }

    fn of(&self, wanted: impl Fn(Sort) -> bool) -> Vec<Term> {
        self.pool.iter().copied().filter(|term| wanted(self.terms.sort(*term))).collect()
    }

    fn float(&mut self) -> Term {
        let floats = self.of(|sort| matches!(sort, Sort::Float(_)));
        self.random.one_of(&floats)
    }

    /// A float of the same format, or a constant.
    fn mate(&mut self, term: Term) -> Term {
        let format = self.terms.format(term);
        if self.random.below(3) == 0 {
            let value = self.number(format);
            return self.terms.constant(value);
        }
        let mates = self.of(|sort| sort == Sort::Float(format));
        self.random.one_of(&mates)
    }

    /// One more float or bit vector.
    fn grow(&mut self) {
        let a = self.float();
        let format = self.terms.format(a);
        let (b, c, mode) = (self.mate(a), self.mate(a), self.mode());
        let parameters = Parameters::of(format);
        use Operation as O;
        let new = match self.random.below(22) {
            0..=2 => self.terms.float(O::Add, parameters, &[mode, a, b]),
            3 | 4 => self.terms.float(O::Sub, parameters, &[mode, a, b]),
            5..=7 => self.terms.float(O::Mul, parameters, &[mode, a, b]),
            8 | 9 => self.terms.float(O::Div, parameters, &[mode, a, b]),
            10 => self.terms.float(O::Fma, parameters, &[mode, a, b, c]),
            11 => self.terms.float(O::Sqrt, parameters, &[mode, a]),
            12 if format.width() <= 32 => self.terms.float(O::Remainder, parameters, &[a, b]),
            13 => self.terms.float(O::RoundToIntegral, parameters, &[mode, a]),
            14 => self.terms.float(O::Neg, parameters, &[a]),
            15 => self.terms.float(O::Abs, parameters, &[a]),
            16 => self.terms.float(O::MinNum, parameters, &[a, b]),
            17 => self.terms.float(O::MaxNum, parameters, &[a, b]),
            18 => {
                let less = self.terms.float(O::Less, parameters, &[a, c]);
                self.terms.ite(less, a, b)
            }
            19 if self.shape == Shape::Mixed => {
                let targets = [Format::BINARY16, Format::BINARY32];
                let target = self.random.one_of(&targets);
                self.terms.convert(target, mode, a)
            }
            20 if self.shape == Shape::Mixed => {
                let into = Parameters::integer(format, 16, OutOfRange::Saturate);
                self.terms.float(O::ToSigned, into, &[mode, a])
            }
            21 if self.shape == Shape::Mixed => {
                let bits = self.of(|sort| sort == Sort::Bits(16));
                let (x, y) = (self.random.one_of(&bits), self.random.one_of(&bits));
                let op = [BitsOp::Add, BitsOp::Xor, BitsOp::Mul, BitsOp::Lshr];
                let op = self.random.one_of(&op);
                let new = self.terms.bits_op(op, &[x, y]);
                self.pool.push(new);
                let from = Parameters::integer(format, 16, OutOfRange::Undefined);
                self.terms.float(O::FromSigned, from, &[mode, new])
            }
            _ => self.terms.float(O::Add, parameters, &[mode, a, c]),
        };
        if self.terms.value(new).is_none() {
            self.pool.push(new);
        }
    }

    /// A truth value about the pool.
    fn atom(&mut self) -> Term {
        let a = self.float();
        let b = self.mate(a);
        let format = self.terms.format(a);
        let parameters = Parameters::of(format);
        use Operation as O;
        match self.random.below(12) {
            0..=3 => self.terms.float(O::LessEqual, parameters, &[a, b]),
            4..=6 => self.terms.float(O::Less, parameters, &[a, b]),
            7 => self.terms.float(O::Equal, parameters, &[a, b]),
            8 => self.terms.equal(a, b),
            9 => self.terms.float(O::IsNormal, parameters, &[a]),
            10 => {
                let class = [O::IsNan, O::IsZero, O::IsInfinite, O::IsNegative, O::IsSubnormal];
                let class = self.random.one_of(&class);
                self.terms.float(class, parameters, &[a])
            }
            _ => {
                let bits = self.of(|sort| matches!(sort, Sort::Bits(_)));
                match bits.as_slice() {
                    [] => self.terms.float(O::LessEqual, parameters, &[b, a]),
                    _ => {
                        let (x, y) = (self.random.one_of(&bits), self.random.one_of(&bits));
                        let op = self.random.one_of(&[BitsOp::Ult, BitsOp::Sle]);
                        self.terms.bits_op(op, &[x, y])
                    }
                }
            }
        }
    }

    /// Bounds that leave the planted model little room, or none.
    fn tight(&mut self) -> Vec<Term> {
        let term = self.float();
        let format = self.terms.format(term);
        let value = Evaluation::new(&self.terms, &self.model).value(term).clone();
        let Some((_, word)) = value.as_float().filter(|_| !value.is_nan()) else {
            return vec![self.terms.fp(Operation::IsNan, &[term])];
        };
        let place = nanoscope_ieee::Float::from_word(format, word.clone()).ordinal();
        let infinity = nanoscope_ieee::Float::infinity(format, false).ordinal();
        let mut ends = Vec::new();
        for below in [true, false] {
            let room = [0, 1, 3, 1000][self.random.below(4)];
            let end = if below { place - room } else { place + room };
            let end = nanoscope_ieee::Float::from_ordinal(format, end.clamp(!infinity, infinity));
            let end = self.terms.float_bits(format, end.expect("a number").word().clone());
            let sides = if below { [end, term] } else { [term, end] };
            ends.push(self.terms.fp(Operation::LessEqual, &sides));
        }
        ends
    }

    fn finish(mut self, planted: bool) -> Planted {
        let mut assertions = Vec::new();
        // Ranges, which engines of the reals need.
        for variable in self.of(|sort| matches!(sort, Sort::Float(_))) {
            if self.random.below(4) == 0 {
                continue;
            }
            let format = self.terms.format(variable);
            for sign in [-1.0f64, 1.0] {
                let end = sign * [1.0, 2.0, 8.0, 9.0][self.random.below(4)];
                let wide = nanoscope_ieee::Float::from_bits(Format::BINARY64, end.to_bits().into());
                let (end, _) = wide.convert(format, Rounding::NearestEven);
                let end = self.terms.float_bits(format, end.word().clone());
                let sides = if sign < 0.0 { [end, variable] } else { [variable, end] };
                assertions.push(self.terms.fp(Operation::LessEqual, &sides));
            }
        }
        for _ in 0..2 + self.random.below(7) {
            self.grow();
        }
        for _ in 0..1 + self.random.below(4) {
            let mut atom = self.atom();
            if self.random.below(4) == 0 {
                let other = self.atom();
                atom = self.terms.or(&[atom, other]);
            }
            assertions.push(atom);
        }
        if planted {
            let mut evaluation = Evaluation::new(&self.terms, &self.model);
            let fails: Vec<bool> = assertions
                .iter()
                .map(|term| *evaluation.value(*term) == Value::Bool(false))
                .collect();
            for (assertion, fails) in assertions.iter_mut().zip(fails) {
                if fails {
                    *assertion = self.terms.not(*assertion);
                }
            }
            for _ in 0..self.random.below(2) * self.random.below(4) {
                let tight = self.tight();
                assertions.extend(tight);
            }
        }
        Planted { terms: self.terms, assertions, model: self.model }
    }
}
