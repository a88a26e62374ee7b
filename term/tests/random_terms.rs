//! Random terms: simplified or not they have the same value, and printed they
//! are read as the same.

use nanoscope_ieee::{
    self as ieee, Format, Operation, OutOfRange, ParameterKind, Parameters, Rounding, Word,
};
use nanoscope_term::smtlib::{read, script_text};
use nanoscope_term::{
    BitsOp, Evaluation, Model, Op, Sort, Term, Terms, Unspecified, Value, VariableId,
};

/// A small generator of numbers that look random (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn value(&mut self, sort: Sort) -> Value {
        let word =
            |random: &mut Random, width: u32| Word::new(width, random.below(1 << width) as u128);
        match sort {
            Sort::Bool => Value::Bool(self.below(2) == 1),
            Sort::Rounding => Value::Rounding(self.pick(&Rounding::ALL)),
            Sort::Bits(width) => Value::Bits(word(self, width)),
            Sort::Float(format) => Value::float(format, word(self, format.width())),
            Sort::Array(_) => panic!("no arrays here"),
        }
    }
}

const FORMATS: [Format; 2] = [Format::new(2, 3), Format::new(3, 4)];
const SORTS: [Sort; 7] = [
    Sort::Bool,
    Sort::Rounding,
    Sort::Bits(1),
    Sort::Bits(3),
    Sort::Bits(5),
    Sort::Float(FORMATS[0]),
    Sort::Float(FORMATS[1]),
];

/// A random head and the sorts of its arguments.
fn head(random: &mut Random) -> (Op, Vec<Sort>) {
    let sort = random.pick(&SORTS);
    let width = random.pick(&[1, 3, 5]);
    let format = random.pick(&FORMATS);
    match random.below(8) {
        0 => (Op::Not, vec![Sort::Bool]),
        1 => {
            let count = 2 + random.below(3);
            (random.pick(&[Op::And, Op::Or]), vec![Sort::Bool; count])
        }
        2 => (Op::Ite, vec![Sort::Bool, sort, sort]),
        3 => (Op::Equal, vec![sort, sort]),
        4 => {
            use BitsOp::*;
            let binary =
                [And, Or, Xor, Add, Sub, Mul, Udiv, Urem, Shl, Lshr, Ashr, Ult, Ule, Slt, Sle];
            (Op::Bits(random.pick(&binary)), vec![Sort::Bits(width); 2])
        }
        5 => {
            let high = random.below(width as usize) as u32;
            let low = random.below(high as usize + 1) as u32;
            let more = random.below(3) as u32;
            let unary = [
                BitsOp::Not,
                BitsOp::Neg,
                BitsOp::Extract { high, low },
                BitsOp::ZeroExtend(more),
                BitsOp::SignExtend(more),
                BitsOp::Concat,
            ];
            match random.pick(&unary) {
                BitsOp::Concat => {
                    let low = random.pick(&[1, 3]);
                    (Op::Bits(BitsOp::Concat), vec![Sort::Bits(width), Sort::Bits(low)])
                }
                op => (Op::Bits(op), vec![Sort::Bits(width)]),
            }
        }
        6 => {
            let floats = vec![Sort::Float(format); 2];
            let integer = vec![Sort::Rounding, Sort::Float(format)];
            match random.below(5) {
                0 => (Op::Unspecified(Unspecified::Min(format)), floats),
                1 => (Op::Unspecified(Unspecified::Max(format)), floats),
                2 => (Op::Unspecified(Unspecified::ToUnsigned(format, width)), integer),
                3 => (Op::Unspecified(Unspecified::ToSigned(format, width)), integer),
                _ => (Op::Unspecified(Unspecified::ToIeeeBits(format)), vec![Sort::Float(format)]),
            }
        }
        _ => {
            let operation = random.pick(Operation::ALL);
            let target = random.pick(&FORMATS);
            let out_of_range = random.pick(&OutOfRange::ALL);
            let parameters = Parameters { format, target, width, out_of_range };
            let integer = operation.parameters().contains(&ParameterKind::Width);
            let bits = if integer { width } else { format.width() };
            let sorts = operation.operands().iter().map(|sort| match sort {
                ieee::Sort::Float => Sort::Float(format),
                ieee::Sort::Rounding => Sort::Rounding,
                ieee::Sort::Bits => Sort::Bits(bits),
                ieee::Sort::Bool => Sort::Bool,
            });
            (Op::Float(operation, parameters), sorts.collect())
        }
    }
}

/// Random terms, made alike with rewriting on and off.
struct Pair {
    plain: Terms,
    simplified: Terms,
    terms: Vec<(Term, Term)>,
    variables: Vec<(VariableId, VariableId)>,
}

fn pair(random: &mut Random, count: usize) -> Pair {
    let mut pair = Pair {
        plain: Terms::without_rewriting(),
        simplified: Terms::new(),
        terms: Vec::new(),
        variables: Vec::new(),
    };
    for (number, sort) in SORTS.into_iter().chain(SORTS).enumerate() {
        let name = format!("v {number}");
        let both = (pair.plain.variable(&name, sort), pair.simplified.variable(&name, sort));
        pair.terms.push(both);
        let ids = (pair.plain.as_variable(both.0), pair.simplified.as_variable(both.1));
        pair.variables.push((ids.0.expect("a variable"), ids.1.expect("a variable")));
    }
    for _ in 0..count {
        if random.below(4) == 0 {
            let sort = random.pick(&SORTS);
            let value = random.value(sort);
            let both = (pair.plain.constant(value.clone()), pair.simplified.constant(value));
            pair.terms.push(both);
            continue;
        }
        let (op, sorts) = head(random);
        let mut args = Vec::new();
        for sort in sorts {
            let fitting: Vec<(Term, Term)> =
                pair.terms.iter().copied().filter(|(t, _)| pair.plain.sort(*t) == sort).collect();
            // Late ones more often, so that terms grow.
            if let Some(least) = fitting.len().checked_sub(1) {
                args.push(fitting[random.below(fitting.len()).max(random.below(least + 1))]);
            }
        }
        let (plain, simplified): (Vec<Term>, Vec<Term>) = args.into_iter().unzip();
        if pair.plain.sort_of(op, &plain).is_ok() {
            let both = (pair.plain.make(op, &plain), pair.simplified.make(op, &simplified));
            pair.terms.push(both);
        }
    }
    pair
}

#[test]
fn simplified_terms_have_the_same_value() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..150 {
        let pair = pair(&mut random, 150);
        for _ in 0..12 {
            let (mut left, mut right) = (Model::new(), Model::new());
            for (a, b) in &pair.variables {
                let value = random.value(pair.plain.variable_sort(*a));
                left.set(*a, value.clone());
                right.set(*b, value);
            }
            let mut plain = Evaluation::new(&pair.plain, &left);
            let mut simplified = Evaluation::new(&pair.simplified, &right);
            for (a, b) in &pair.terms {
                let (expected, found) = (plain.value(*a), simplified.value(*b));
                if expected != found {
                    let text = nanoscope_term::smtlib::term_text(&pair.plain, *a);
                    let other = nanoscope_term::smtlib::term_text(&pair.simplified, *b);
                    panic!("{text}\nis {expected:?}, but\n{other}\nis {found:?} for {left:?}");
                }
            }
        }
    }
}

#[test]
fn printed_terms_are_read_as_the_same() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    for _ in 0..150 {
        let pair = pair(&mut random, 80);
        let assertions: Vec<Term> = pair
            .terms
            .iter()
            .map(|(_, term)| *term)
            .filter(|term| pair.simplified.sort(*term) == Sort::Bool)
            .collect();
        let text = script_text(&pair.simplified, &assertions);
        let again = read(&text).unwrap_or_else(|mistake| panic!("{mistake} in\n{text}"));
        assert_eq!(assertions.len(), again.assertions.len());
        for _ in 0..5 {
            let (mut left, mut right) = (Model::new(), Model::new());
            for variable in pair.simplified.variables_below(&assertions) {
                let sort = pair.simplified.variable_sort(variable);
                let value = random.value(sort);
                let name = pair.simplified.symbol(variable);
                let found = again.variables.iter().find(|v| again.terms.symbol(**v) == name);
                right.set(*found.expect("the same variable"), value.clone());
                left.set(variable, value);
            }
            let mut first = Evaluation::new(&pair.simplified, &left);
            let mut second = Evaluation::new(&again.terms, &right);
            for (a, b) in assertions.iter().zip(&again.assertions) {
                assert_eq!(first.value(*a), second.value(*b), "{text}");
            }
        }
    }
}
