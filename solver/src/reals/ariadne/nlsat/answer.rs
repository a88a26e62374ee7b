//! What a solver over reals answers: numbers, exact and algebraic, and the floats around them.

use super::super::axis::Axis;
use super::super::number::{real as exact, rounded};
use super::super::polynomial::Integral;
use super::super::region::roots;
use crate::propagate::{Grid, Ordinal};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Rational, Word};
use nanoscope_term::Value;
use num_bigint::{BigInt, Sign};
use num_traits::{One, Zero};

/// A value of a model over reals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Real {
    Truth(bool),
    Number(Rational),
    /// The root of this polynomial, of the lowest power first, that so many roots are less than.
    Root(Vec<BigInt>, usize),
}

/// The longest answer that is read, and how deep it is.
const MOST_TEXT: usize = 4 << 20;
const MOST_DEPTH: usize = 64;
/// The greatest power of a polynomial that is read.
const MOST_POWER: usize = 32;

/// Reads `((name value) (name value))`; none if it is anything else.
pub(super) fn read(text: &str, count: usize) -> Option<Vec<Real>> {
    if text.len() > MOST_TEXT {
        return None;
    }
    let mut words = Words { rest: text };
    let Tree::List(pairs) = words.tree(0)? else { return None };
    let value = |pair: &Tree| match pair {
        Tree::List(parts) if parts.len() == 2 => real(&parts[1]),
        Tree::List(_) | Tree::Word(_) => None,
    };
    let values: Option<Vec<Real>> = pairs.iter().map(value).collect();
    values.filter(|values| values.len() == count)
}

enum Tree<'t> {
    Word(&'t str),
    List(Vec<Tree<'t>>),
}

struct Words<'t> {
    rest: &'t str,
}

impl<'t> Words<'t> {
    fn tree(&mut self, depth: usize) -> Option<Tree<'t>> {
        self.rest = self.rest.trim_start();
        let Some(within) = self.rest.strip_prefix('(') else {
            let ends = |c: char| c.is_whitespace() || c == '(' || c == ')';
            let end = self.rest.find(ends).unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(end);
            self.rest = rest;
            return (!word.is_empty()).then_some(Tree::Word(word));
        };
        if depth == MOST_DEPTH {
            return None;
        }
        self.rest = within;
        let mut parts = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if let Some(after) = self.rest.strip_prefix(')') {
                self.rest = after;
                return Some(Tree::List(parts));
            }
            parts.push(self.tree(depth + 1)?);
        }
    }
}

fn real(tree: &Tree) -> Option<Real> {
    match tree {
        Tree::Word("true") => Some(Real::Truth(true)),
        Tree::Word("false") => Some(Real::Truth(false)),
        Tree::Word(_) => Some(Real::Number(number(tree)?)),
        Tree::List(parts) => match parts.as_slice() {
            [Tree::Word("root-obj"), polynomial, Tree::Word(index)] => {
                let coefficients = coefficients(polynomial)?;
                let index = index.parse::<usize>().ok()?.checked_sub(1)?;
                (coefficients.len() > 1).then_some(Real::Root(coefficients, index))
            }
            _ => Some(Real::Number(number(tree)?)),
        },
    }
}

/// A number: `3`, `3.5`, `(- 3.0)`, `(/ 1.0 3.0)`.
fn number(tree: &Tree) -> Option<Rational> {
    match tree {
        Tree::Word(word) => {
            let (whole, part) = word.split_once('.').unwrap_or((word, "0"));
            let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            if !digits(whole) || !digits(part) {
                return None;
            }
            let scale = num_traits::pow(BigInt::from(10), part.len());
            let digits = format!("{whole}{part}").parse::<BigInt>().ok()?;
            Some(Rational::new(digits, scale))
        }
        Tree::List(parts) => match parts.as_slice() {
            [Tree::Word("-"), one] => Some(-number(one)?),
            [Tree::Word("/"), above, below] => {
                let below = number(below)?;
                if below.is_zero() { None } else { Some(number(above)? / below) }
            }
            _ => None,
        },
    }
}

/// A polynomial in `x` with integer coefficients: sums, products, differences and powers.
fn coefficients(tree: &Tree) -> Option<Vec<BigInt>> {
    let polynomial = match tree {
        Tree::Word("x") => vec![BigInt::zero(), BigInt::one()],
        Tree::Word(_) => {
            let value = number(tree)?;
            if !value.is_integer() {
                return None;
            }
            vec![value.to_integer()]
        }
        Tree::List(parts) => {
            let (Tree::Word(head), operands) = parts.split_first()? else { return None };
            match (*head, operands) {
                ("^", [Tree::Word("x"), Tree::Word(power)]) => {
                    let power = power.parse::<usize>().ok().filter(|power| *power <= MOST_POWER)?;
                    let mut all = vec![BigInt::zero(); power];
                    all.push(BigInt::one());
                    all
                }
                ("-", [one]) => coefficients(one)?.into_iter().map(|c| -c).collect(),
                ("+", operands) => {
                    let mut sum: Vec<BigInt> = Vec::new();
                    for operand in operands {
                        let operand = coefficients(operand)?;
                        sum.resize(sum.len().max(operand.len()), BigInt::zero());
                        sum.iter_mut().zip(operand).for_each(|(all, one)| *all += one);
                    }
                    sum
                }
                ("*", operands) => {
                    let mut product = vec![BigInt::one()];
                    for operand in operands {
                        let operand = coefficients(operand)?;
                        let length = product.len() + operand.len().max(1) - 1;
                        if length > MOST_POWER + 1 {
                            return None;
                        }
                        let mut next = vec![BigInt::zero(); length];
                        for (i, a) in product.iter().enumerate() {
                            for (j, b) in operand.iter().enumerate() {
                                next[i + j] += a * b;
                            }
                        }
                        product = next;
                    }
                    product
                }
                _ => return None,
            }
        }
    };
    let length = polynomial.iter().rposition(|c| !c.is_zero()).map_or(0, |last| last + 1);
    Some(polynomial[..length].to_vec())
}

impl Real {
    /// The floats around it, the nearest first: fp(v) and next(fp(v)) of Algorithm 5.
    pub(super) fn floats(&self, grid: Grid, budget: &Budget) -> Vec<Ordinal> {
        let finite = grid.finite();
        let places = match self {
            Real::Truth(_) => Vec::new(),
            Real::Number(number) => {
                let nearest = rounded(grid, number).ordinal().clamp(finite.lo, finite.hi);
                if number.is_zero() { vec![0, -1] } else { neighbours(grid, nearest, number) }
            }
            Real::Root(coefficients, index) => {
                let all = roots(&Integral::of(coefficients.clone()), Axis::Floats(grid), budget);
                let around = all.get(*index).or(all.last());
                around.map_or(Vec::new(), |around| vec![around.lo, around.hi])
            }
        };
        let mut places: Vec<Ordinal> =
            places.into_iter().filter(|place| finite.contains(*place)).collect();
        places.dedup();
        places
    }

    /// The integers around it, the nearest first.
    pub(super) fn integers(&self, width: u32, budget: &Budget) -> Vec<Value> {
        let near = match self {
            Real::Truth(_) => return Vec::new(),
            Real::Number(number) => number.clone(),
            Real::Root(..) => {
                let grid = Grid::new(Format::BINARY64).expect("doubles have an order");
                let place = self.floats(grid, budget).first().copied();
                let Some(place) = place else { return Vec::new() };
                let value = Axis::Floats(grid).value(place);
                match exact(&value) {
                    Some(number) => number,
                    None => return Vec::new(),
                }
            }
        };
        let nearest = near.round().to_integer();
        let other = if near.is_integer() {
            None
        } else {
            let below = near.floor().to_integer();
            Some(if below == nearest { near.ceil().to_integer() } else { below })
        };
        std::iter::once(nearest).chain(other).map(|integer| wrapped(&integer, width)).collect()
    }

    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Real::Truth(truth) => Some(*truth),
            Real::Number(_) | Real::Root(..) => None,
        }
    }
}

/// The float nearest to a number, and the one on the number's other side.
fn neighbours(grid: Grid, nearest: Ordinal, number: &Rational) -> Vec<Ordinal> {
    let value = Axis::Floats(grid).value(nearest);
    let here = exact(&value).unwrap_or_else(Rational::zero);
    let other = match here.cmp(number) {
        std::cmp::Ordering::Less => Some(nearest + 1),
        std::cmp::Ordering::Greater => Some(nearest - 1),
        std::cmp::Ordering::Equal => None,
    };
    std::iter::once(nearest).chain(other).collect()
}

/// An integer in two's complement.
fn wrapped(integer: &BigInt, width: u32) -> Value {
    let modulus = BigInt::one() << width;
    let rest = ((integer % &modulus) + &modulus) % &modulus;
    debug_assert_ne!(rest.sign(), Sign::Minus);
    Value::Bits(Word::from_big(width, rest.magnitude()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn big(values: &[i64]) -> Vec<BigInt> {
        values.iter().map(|value| BigInt::from(*value)).collect()
    }

    fn ratio(above: i64, below: i64) -> Real {
        Real::Number(Rational::new(above.into(), below.into()))
    }

    fn check(text: &str, expected: Option<Vec<Real>>) {
        let count = expected.as_ref().map_or(1, Vec::len);
        assert_eq!(read(text, count), expected, "{text}");
    }

    #[test]
    fn answers_are_read() {
        check("((u1 3.0) (u2 (- 2.5)))", Some(vec![ratio(3, 1), ratio(-5, 2)]));
        check("((u1 (/ 1.0 3.0))\n (u2 (- (/ 7 2))))\n", Some(vec![ratio(1, 3), ratio(-7, 2)]));
        check("((u1 true) (u2 false))", Some(vec![Real::Truth(true), Real::Truth(false)]));
        check(
            "((u1 (root-obj (+ (^ x 3) (* (- 1) x) (- 3)) 1)))",
            Some(vec![Real::Root(big(&[-3, -1, 0, 1]), 0)]),
        );
        check(
            "((u1 (root-obj (+ (* 2 (^ x 2)) (- 4)) 2)))",
            Some(vec![Real::Root(big(&[-4, 0, 2]), 1)]),
        );
    }

    #[test]
    fn what_is_no_answer_is_none() {
        let garbage = [
            "",
            "(",
            "(error \"line 1\")",
            "((u1 3.0)",
            "((u1 3.0) (u2 1.0))",
            "((u1 (/ 1.0 0.0)))",
            "((u1 1e5))",
            "((u1 nonsense))",
            "((u1 (root-obj (+ (^ x 2) (- 2)) 0)))",
            "((u1 (root-obj 7 1)))",
            "((u1 (root-obj (^ x 1000000000000) 1)))",
            "((u1 (root-obj (* (^ x 30) (^ x 30)) 1)))",
            "((u1 (root-obj (sin x) 1)))",
        ];
        for text in garbage {
            check(text, None);
        }
        assert_eq!(read(&"(".repeat(100_000), 1), None);
    }

    /// The doubles around a real number.
    fn around(real: &Real, expected: &[f64]) {
        let grid = Grid::new(Format::BINARY64).expect("doubles have an order");
        let places = real.floats(grid, &Budget::unlimited());
        let floats: Vec<f64> =
            places.iter().map(|place| f64::from_bits(grid.encode(*place) as u64)).collect();
        let same = |a: &[f64], b: &[f64]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
        };
        assert!(same(&floats, expected), "{real:?}: {floats:?}, not {expected:?}");
    }

    #[test]
    fn floats_are_around_reals() {
        around(&ratio(3, 2), &[1.5]);
        around(&ratio(0, 1), &[0.0, -0.0]);
        around(&ratio(1, 3), &[1.0 / 3.0, (1.0f64 / 3.0).next_up()]);
        around(&ratio(-1, 3), &[-1.0 / 3.0, (-1.0f64 / 3.0).next_down()]);
        let huge = Rational::from_integer(BigInt::one() << 2000);
        around(&Real::Number(huge.clone()), &[f64::MAX]);
        around(&Real::Number(-huge.clone()), &[-f64::MAX]);
        around(&Real::Number(huge.recip()), &[0.0, f64::from_bits(1)]);
        let root = 2.0f64.sqrt();
        around(&Real::Root(big(&[-2, 0, 1]), 1), &[root.next_down(), root]);
        around(&Real::Root(big(&[-2, 0, 1]), 0), &[-root, (-root).next_up()]);
        // (x - 1) (x - 2) (x + 3)
        let product = big(&[6, -7, 0, 1]);
        around(&Real::Root(product.clone(), 0), &[-3.0]);
        around(&Real::Root(product.clone(), 1), &[1.0]);
        around(&Real::Root(product, 2), &[2.0]);
    }

    #[test]
    fn integers_are_around_reals() {
        let check = |real: &Real, expected: &[u128]| {
            let expected: Vec<Value> = expected.iter().map(|one| Value::bits(8, *one)).collect();
            assert_eq!(real.integers(8, &Budget::unlimited()), expected, "{real:?}");
        };
        check(&ratio(5, 1), &[5]);
        check(&ratio(-1, 1), &[255]);
        check(&ratio(7, 3), &[2, 3]);
        check(&ratio(-7, 3), &[254, 253]);
        check(&Real::Root(big(&[-2, 0, 1]), 1), &[1, 2]);
    }
}
