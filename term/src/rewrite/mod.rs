//! Simplification as terms are made: known values are folded by the
//! evaluator, and rules are applied at the head.
//!
//! A rule is a row: its name, its equation, left sides that show it in text,
//! and the function that knows it. The tests try every row on every value of
//! tiny formats; whoever can prove equations can iterate the rows too.
//!
//! A right side is smaller than its left side, or nearer to a normal form:
//! comparisons are `less` and `less_equal`, differences are sums, signs stand
//! outside of products, halving and doubling are products, arguments of what
//! commutes go in the order of their terms. That is why rewriting ends.

mod bits;
mod bool;
mod extremes;
mod float;
mod narrowing;
mod polynomials;
mod powers;
mod signs;

use crate::smtlib::expression_text;
use crate::{BitsOp, Op, Sort, Term, Terms, evaluate};
use nanoscope_ieee::{Format, Operation, Parameters};
use std::sync::OnceLock;

/// A rule: an equation that holds for all values, read from left to right.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// The equation, as a reader would write it.
    pub equation: &'static str,
    /// Left sides in SMT-LIB, over the variables of [`Rule::samples`].
    pub left: &'static [&'static str],
    /// The heads it is tried at, whatever their parameters.
    heads: &'static [Op],
    apply: fn(&mut Terms, Op, &[Term]) -> Option<Term>,
}

/// The variables of [`Rule::left`] that are no floats, and their sorts. Those
/// that are: `x` and `y` of a tiny format, `u` and `v` of one that holds it.
const VARIABLES: &[(&str, Sort)] = &[
    ("a", Sort::Bits(3)),
    ("b", Sort::Bits(3)),
    ("c", Sort::Bits(4)),
    ("d", Sort::Bits(2)),
    ("p", Sort::Bool),
    ("q", Sort::Bool),
    ("r", Sort::Bool),
    ("m", Sort::Rounding),
    ("n", Sort::Rounding),
];
const TINY: Format = Format::new(2, 3);
const WIDER: Format = Format::new(3, 4);

impl Rule {
    /// Both sides of the equation for every sample, in `terms`, which must not
    /// rewrite. The right side is missing where the rule does not apply, which
    /// is a mistake in its row.
    pub fn samples(&self, terms: &mut Terms) -> Vec<(Term, Option<Term>)> {
        self.samples_in(terms, TINY, WIDER)
    }

    /// The samples with other formats in the place of the tiny one and of the
    /// one that holds it.
    pub fn samples_in(
        &self,
        terms: &mut Terms,
        tiny: Format,
        wider: Format,
    ) -> Vec<(Term, Option<Term>)> {
        assert!(!terms.rewrites(), "rules are looked at with rewriting off");
        let floats = [("x", tiny), ("y", tiny), ("u", wider), ("v", wider)];
        let floats = floats.map(|(name, format)| (name, Sort::Float(format)));
        let variables: Vec<(&str, Term)> = floats
            .iter()
            .chain(VARIABLES)
            .map(|(name, sort)| (*name, terms.variable(name, *sort)))
            .collect();
        let read = |text: &&str| {
            let text = &in_formats(text, tiny, wider);
            let left = expression_text(terms, text, &variables)
                .unwrap_or_else(|mistake| panic!("{}: {text}: {mistake}", self.name));
            let args = terms.args(left).to_vec();
            (left, (self.apply)(terms, terms.op(left), &args))
        };
        self.left.iter().map(read).collect()
    }
}

/// The text of a sample with its formats exchanged: where they are named, and
/// in the values, which are 1, 1.5 and the like.
fn in_formats(text: &str, tiny: Format, wider: Format) -> String {
    let named = |format: Format| format!(" {} {})", format.exponent_bits, format.precision);
    let mut parts = text.split("(fp ");
    let mut result = parts.next().unwrap_or("").to_string();
    for part in parts {
        let (value, rest) = part.split_once(')').unwrap_or((part, ""));
        let fields: Vec<&str> = value.split(' ').map(|field| &field[2..]).collect();
        let format = if fields[1].len() == 2 { tiny } else { wider };
        let bits = format.exponent_bits as usize;
        let fraction = format.fraction_bits() as usize;
        result.push_str(&format!(
            "(fp #b{} #b0{} #b{:0<fraction$})",
            fields[0],
            "1".repeat(bits - 1),
            fields[2]
        ));
        result.push_str(rest);
    }
    result
        .replace(&named(WIDER), "\0")
        .replace(&named(TINY), &named(tiny))
        .replace('\0', &named(wider))
}

/// Every rule.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [
        GENERAL,
        bool::RULES,
        bits::RULES,
        polynomials::RULES,
        float::RULES,
        extremes::RULES,
        narrowing::RULES,
        signs::RULES,
        powers::RULES,
    ]
    .into_iter()
    .flatten()
}

/// The simplified form of a head on arguments; none where it stays as it is.
pub(crate) fn simplify(terms: &mut Terms, op: Op, args: &[Term]) -> Option<Term> {
    if !args.is_empty()
        && let Some(values) = args.iter().map(|arg| terms.value(*arg)).collect::<Option<Vec<_>>>()
        && let Some(value) = evaluate::apply(op, &values)
    {
        return Some(terms.constant(value));
    }
    let rules = by_head().get(position(op))?;
    rules.iter().find_map(|rule| (rule.apply)(terms, op, args))
}

/// The rules of each head, in the order of the rows.
fn by_head() -> &'static Vec<Vec<&'static Rule>> {
    static TABLE: OnceLock<Vec<Vec<&'static Rule>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = vec![Vec::new(); FLOATS + Operation::ALL.len()];
        for rule in rules() {
            for head in rule.heads {
                table[position(*head)].push(rule);
            }
            if rule.heads.is_empty() {
                table.iter_mut().for_each(|rules| rules.push(rule));
            }
        }
        table
    })
}

const BITS: usize = 10;
const FLOATS: usize = BITS + 21;

/// Where the rules of a head are, whatever its parameters.
fn position(op: Op) -> usize {
    match op {
        Op::Value(_) | Op::Variable(_) | Op::Apply(_) | Op::ConstantArray(_) => 0,
        Op::Not => 1,
        Op::And => 2,
        Op::Or => 3,
        Op::Ite => 4,
        Op::Equal => 5,
        Op::Libm(..) => 6,
        Op::Unspecified(_) => 7,
        Op::Select => 8,
        Op::Store => 9,
        Op::Bits(op) => {
            BITS + match op {
                BitsOp::Not => 0,
                BitsOp::Neg => 1,
                BitsOp::And => 2,
                BitsOp::Or => 3,
                BitsOp::Xor => 4,
                BitsOp::Add => 5,
                BitsOp::Sub => 6,
                BitsOp::Mul => 7,
                BitsOp::Udiv => 8,
                BitsOp::Urem => 9,
                BitsOp::Shl => 10,
                BitsOp::Lshr => 11,
                BitsOp::Ashr => 12,
                BitsOp::Concat => 13,
                BitsOp::Extract { .. } => 14,
                BitsOp::ZeroExtend(_) => 15,
                BitsOp::SignExtend(_) => 16,
                BitsOp::Ult => 17,
                BitsOp::Ule => 18,
                BitsOp::Slt => 19,
                BitsOp::Sle => 20,
            }
        }
        Op::Float(operation, _) => FLOATS + operation as usize,
    }
}

/// An operation of the table as a rule's head.
const fn float_head(operation: Operation) -> Op {
    Op::Float(operation, Parameters::of(Format::BINARY64))
}

/// Rules of any head.
const GENERAL: &[Rule] = &[Rule {
    name: "choice of values",
    equation: "f (ite p k l) m = ite p (f k m) (f l m) for values k, l, m",
    left: &[
        "(fp.isNaN (ite p (_ NaN 2 3) (_ +zero 2 3)))",
        "(= #b101 (ite p #b101 #b001))",
        "(bvadd #b101 (ite p #b101 #b001))",
        "((_ extract 1 0) (ite p #b101 #b001))",
    ],
    heads: &[],
    apply: |t, op, args| {
        if matches!(op, Op::Ite | Op::And | Op::Or) {
            return None;
        }
        let unknown = |t: &Terms, arg: &Term| t.value(*arg).is_none();
        let mut open = args.iter().enumerate().filter(|(_, arg)| unknown(t, arg));
        let (at, choice) = open.next().map(|(at, arg)| (at, *arg))?;
        if open.next().is_some() {
            return None;
        }
        let [condition, then, otherwise] = parts3(t, choice, Op::Ite)?;
        if unknown(t, &then) || unknown(t, &otherwise) {
            return None;
        }
        let mut folded = [then, otherwise].map(|branch| {
            let mut args = args.to_vec();
            args[at] = branch;
            let values: Vec<_> = args.iter().filter_map(|arg| t.value(*arg).cloned()).collect();
            let values: Vec<_> = values.iter().collect();
            evaluate::apply(op, &values).map(|value| t.constant(value))
        });
        let (then, otherwise) = (folded[0].take()?, folded[1].take()?);
        Some(t.ite(condition, then, otherwise))
    },
}];

/// The argument of a term with that head.
fn part(terms: &Terms, term: Term, op: Op) -> Option<Term> {
    match terms.args(term) {
        [a] if terms.op(term) == op => Some(*a),
        _ => None,
    }
}

/// The two arguments of a term with that head.
fn parts2(terms: &Terms, term: Term, op: Op) -> Option<[Term; 2]> {
    match terms.args(term) {
        [a, b] if terms.op(term) == op => Some([*a, *b]),
        _ => None,
    }
}

/// The three arguments of a term with that head.
fn parts3(terms: &Terms, term: Term, op: Op) -> Option<[Term; 3]> {
    match terms.args(term) {
        [a, b, c] if terms.op(term) == op => Some([*a, *b, *c]),
        _ => None,
    }
}
