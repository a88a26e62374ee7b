//! What the tests of values share: random numbers, a place to compute, and evaluation of
//! what was computed under a model.

#![allow(dead_code, reason = "each test uses some of it")]

use nanoscope_explore::Value;
use nanoscope_explore::compute::{Compute, Encodings, Obligation};
use nanoscope_explore::environment::{Environment, STANDARD};
use nanoscope_ieee::{Format, Word};
use nanoscope_program::ir::Type;
use nanoscope_term::{Evaluation, Model, Sort, Term, Terms, Value as Known};

/// A small generator of pseudo-random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    pub fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }

    /// An encoding: often a special one, or one with few bits.
    pub fn encoding(&mut self, format: Format) -> Word {
        let width = format.width();
        let (exponent, fraction) = (format.exponent_bits, format.fraction_bits());
        let integer = u32::from(format.explicit_integer_bit);
        let sign = u128::from(self.below(2)) << (width - 1);
        let bias = format.max_exponent() as u128;
        let field = match self.below(12) {
            0 | 1 => 0,
            2 | 3 => format.special_exponent().into(),
            4 => 1,
            5 => u128::from(format.special_exponent()) - 1,
            6 => bias + u128::from(self.below(70)),
            7 => bias - u128::from(self.below(12)),
            8 => u128::from(self.below(2 + u64::from(fraction))) & ((1 << exponent) - 1),
            9 | 10 => bias,
            _ => self.wide() & ((1 << exponent) - 1),
        };
        let all = (1u128 << fraction) - 1;
        let rest = match self.below(8) {
            0 | 1 => 0,
            2 => all,
            3 => 1 << self.below(u64::from(fraction)),
            4 => 1 << (fraction - 1),
            5 => (1u128 << (fraction - 1)) | 1,
            6 => all ^ (1 << self.below(u64::from(fraction))),
            _ => self.wide() & all,
        };
        // Mostly the integer bit that belongs there, sometimes the wrong one.
        let right = field != 0;
        let bit = if self.below(6) == 0 { !right } else { right };
        let bit = u128::from(integer == 1 && bit) << fraction;
        Word::new(width, sign | field << (fraction + integer) | bit | rest)
    }

    /// An integer: often a small one, or one at an end of the range.
    pub fn integer(&mut self, width: u32) -> Word {
        let all = Word::ones(width);
        match self.below(7) {
            0 => Word::zero(width),
            1 => Word::new(width, 1),
            2 => all,
            3 => Word::run(width, width - 1, 1),
            4 => Word::run(width, 0, width - 1),
            5 => Word::new(width, self.below(2 * u64::from(width)).into()),
            _ => Word::new(width, self.wide()),
        }
    }
}

/// A place to compute.
pub struct Place {
    pub terms: Terms,
    pub encodings: Encodings,
    pub environment: Environment,
    pub obligations: Vec<Obligation>,
    pub model: Model,
}

impl Default for Place {
    fn default() -> Place {
        Place {
            terms: Terms::new(),
            encodings: Encodings::new(),
            environment: Environment::default(),
            obligations: Vec::new(),
            model: Model::new(),
        }
    }
}

impl Place {
    pub fn compute(&mut self) -> Compute<'_> {
        Compute {
            terms: &mut self.terms,
            encodings: &mut self.encodings,
            environment: &mut self.environment,
            obligations: &mut self.obligations,
        }
    }

    /// A variable that is these bits in the model, as a value of a scalar or vector type.
    pub fn unknown(&mut self, ty: &Type, bits: &Word) -> Value {
        let width = bits.width();
        let variable = self.terms.fresh("x", Sort::Bits(width));
        let id = self.terms.as_variable(variable).expect("a variable");
        self.model.set(id, Known::Bits(bits.clone()));
        self.compute().of_bits(variable, ty)
    }

    /// The value of a term in the model.
    pub fn value(&self, term: Term) -> Known {
        Evaluation::new(&self.terms, &self.model).value(term).clone()
    }

    pub fn truth(&self, term: Term) -> bool {
        self.value(term).as_bool().expect("a truth value")
    }

    /// The bits of a scalar or vector in the model.
    pub fn bits(&mut self, value: &Value, ty: &Type) -> Word {
        let term = self.compute().bits_of(value, ty);
        self.value(term).as_bits().expect("bits").clone()
    }

    /// A letter for each flag that is raised in the model.
    pub fn flags(&mut self) -> String {
        let environment = self.environment.clone();
        let raised = STANDARD.into_iter().filter(|flag| {
            let term = environment.raised(&mut self.terms, *flag);
            self.truth(term)
        });
        raised.map(|flag| flag.letter()).collect::<Vec<_>>().into_iter().collect()
    }
}
