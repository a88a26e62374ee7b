//! Random scripts in SMT-LIB over every operation the door knows: floats of
//! several formats, bits, arrays, uninterpreted functions, rounding modes and
//! truth values. The same seed gives the same script.

mod draw;

use draw::{Draw, SortText};
use nanoscope_ieee::{Rounding, Word};
use nanoscope_term::smtlib::read;
use nanoscope_term::{Evaluation, Model, Sort, Terms, Value};

/// What the floats of a script are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Five to eight bits: what is wrong in a corner is met soon.
    Tiny,
    /// binary16 and a tiny one.
    Half,
    /// binary32 and binary16.
    Single,
    /// binary64 and binary32.
    Double,
    /// Short significands, exponents of up to 60 bits.
    Wide,
}

impl Size {
    /// Every size.
    #[allow(dead_code, reason = "not every test draws all")]
    pub const ALL: [Size; 5] = [Size::Tiny, Size::Half, Size::Single, Size::Double, Size::Wide];

    fn formats(self) -> &'static [(u32, u32)] {
        match self {
            Size::Tiny => &[(2, 3), (3, 4), (3, 5), (4, 3), (2, 5), (4, 4)],
            Size::Half => &[(5, 11), (3, 5)],
            Size::Single => &[(8, 24), (5, 11)],
            Size::Double => &[(11, 53), (8, 24)],
            Size::Wide => &[(31, 5), (60, 8), (20, 4)],
        }
    }
}

/// A script in parts, so that it can be asked in several ways.
#[derive(Clone, Debug)]
pub struct Script {
    /// Declarations and definitions, in their order.
    pub preamble: String,
    /// What is asserted: terms.
    pub assertions: Vec<String>,
}

impl Script {
    /// A script that may have a model or not.
    pub fn random(size: Size, seed: u64) -> Script {
        let formats = size.formats();
        let mut draw = Draw::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ size as u64, formats);
        draw.declare();
        for _ in 0..2 + draw.below(8) {
            draw.define();
        }
        let assertions = (0..1 + draw.below(4)).map(|_| draw.assertion()).collect();
        Script { preamble: draw.preamble, assertions }
    }

    /// A script with a model: assertions that a random model makes false are
    /// negated.
    #[allow(dead_code, reason = "not every test plants")]
    pub fn planted(size: Size, seed: u64) -> Script {
        let mut script = Script::random(size, seed ^ 0x5eed_0000_0000);
        let problem = read(&script.text()).unwrap_or_else(|mistake| {
            panic!("{size:?} {seed}: {mistake}\n{}", script.text());
        });
        let mut draw = Draw::new(seed ^ 0x1234_5678, size.formats());
        let mut model = Model::new();
        for variable in &problem.variables {
            let sort = problem.terms.variable_sort(*variable);
            let value = random_value(&problem.terms, &mut draw, sort);
            model.set(*variable, value);
        }
        let mut evaluation = Evaluation::new(&problem.terms, &model);
        for (text, term) in script.assertions.iter_mut().zip(&problem.assertions) {
            if *evaluation.value(*term) == Value::Bool(false) {
                *text = format!("(not {text})");
            }
        }
        script
    }

    /// The script: everything asserted, then one question.
    pub fn text(&self) -> String {
        let mut text = format!("(set-logic ALL)\n{}", self.preamble);
        for assertion in &self.assertions {
            text.push_str(&format!("(assert {assertion})\n"));
        }
        text + "(check-sat)\n"
    }

    /// The same question step by step: assertions in the opposite order, each
    /// in a level of its own, a question after each, a wrong turn between.
    #[allow(dead_code, reason = "not every test asks step by step")]
    pub fn steps(&self) -> String {
        let mut text = format!("(set-logic ALL)\n{}", self.preamble);
        for assertion in self.assertions.iter().rev() {
            text.push_str(&format!("(push 1)\n(assert (not {assertion}))\n(check-sat)\n(pop 1)\n"));
            text.push_str(&format!("(push 1)\n(assert {assertion})\n(check-sat)\n"));
        }
        text
    }
}

fn random_value(terms: &Terms, draw: &mut Draw, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(draw.below(2) == 0),
        Sort::Rounding => Value::Rounding(Rounding::ALL[draw.below(Rounding::ALL.len())]),
        Sort::Bits(width) => Value::Bits(Word::new(width, draw.next().into())),
        Sort::Float(format) => {
            let bits = draw.float_bits(SortText::of_format(format));
            let bits = u128::from_str_radix(&bits, 2).expect("binary digits");
            Value::float(format, Word::new(format.width(), bits))
        }
        Sort::Array(array) => {
            let (index, element) = terms.array(array);
            let mut value = terms.default_value(sort);
            if let Value::Array(array) = &mut value {
                array.default = random_value(terms, draw, element);
                for _ in 0..draw.below(3) {
                    let at = random_value(terms, draw, index);
                    array.store(at, random_value(terms, draw, element));
                }
            }
            value
        }
    }
}
