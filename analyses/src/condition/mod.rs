//! Conditions: C expressions over a function's inputs or outputs, as users write them for
//! `--assume "x > 0 && n <= 100"` and `--status-ok "ret == 0"`.
//!
//! A condition means what the same text means in C on x86-64: the usual arithmetic
//! conversions, `float` arithmetic in `float`, integer division toward zero. What C leaves
//! undefined (signed overflow, division by zero, a shift too far) does not hold.
//!
//! - `parse.rs`: text to expression
//! - `evaluate.rs`: expression and numbers to truth
//! - `narrow.rs`: what a condition says about one input's range
//! - `order.rs`: what it says of real numbers
//! - `encode.rs`: expression and terms to a formula

mod encode;
mod evaluate;
mod narrow;
mod order;
mod parse;

pub(crate) use narrow::narrow;
pub(crate) use order::{Combination, Order, Side, orders};
pub(crate) use parse::split_function;

use evaluate::CValue;
use nanoscope_program::{Scalar, Target};
use std::sync::Arc;

/// A condition that was read, with names that are not looked up yet.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    text: String,
    expression: Expression,
}

/// A condition about certain words of a vector of inputs or outputs.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    text: String,
    expression: Arc<Expression>,
    slots: Arc<[Slot]>,
}

/// Where a named number stands in a vector of words.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// As the program names it.
    pub name: String,
    /// What it is.
    pub scalar: Scalar,
    /// Its first word.
    pub word: usize,
}

/// An expression. A name is a position in a list of names, those of the parser first, those
/// of a target after binding.
#[derive(Clone, Debug, PartialEq)]
enum Expression {
    /// A literal or a macro of `<float.h>`, `<limits.h>`, `<math.h>`.
    Constant(CValue),
    /// A name not looked up yet.
    Name(String),
    /// A number of the vector.
    Slot(usize),
    /// `-a`, `!a`, `~a`.
    Unary(Unary, Box<Expression>),
    /// `a + b` and the like, `&&` and `||` excepted.
    Binary(Binary, Box<[Expression; 2]>),
    /// `a && b`.
    And(Box<[Expression; 2]>),
    /// `a || b`.
    Or(Box<[Expression; 2]>),
    /// `a ? b : c`.
    Choice(Box<[Expression; 3]>),
    /// `(double)a`.
    Cast(Number, Box<Expression>),
    /// `fabs(a)`.
    Call(Function, Vec<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unary {
    Minus,
    Not,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

/// The pattern of all operators of some families.
macro_rules! binaries {
    (Arithmetic) => {
        binaries!(@ Add Sub Mul Div Rem)
    };
    (Bitwise) => {
        binaries!(@ ShiftLeft ShiftRight And Or Xor)
    };
    (Shift) => {
        binaries!(@ ShiftLeft ShiftRight)
    };
    (Order) => {
        binaries!(@ Less LessEqual Greater GreaterEqual)
    };
    (Compare) => {
        binaries!(@ Less LessEqual Greater GreaterEqual Equal NotEqual)
    };
    (@ $($Variant:ident)+) => {
        $(Binary::$Variant { .. })|+
    };
    ($First:ident, $($More:ident),+) => {
        binaries!($First) | binaries!($($More),+)
    };
}
use binaries;

/// The arithmetic types of C that conditions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Integer { bits: u32, signed: bool },
    Single,
    Double,
}

/// One row a function: its name in C, its variant, how many arguments it takes.
macro_rules! functions {
    ($($name:literal $variant:ident $count:literal)*) => {
        /// The functions that conditions may call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Function { $($variant),* }

        impl Function {
            /// The function of a name, and how many arguments it takes.
            fn named(name: &str) -> Option<(Function, usize)> {
                match name {
                    $($name => Some((Function::$variant, $count)),)*
                    _ => None,
                }
            }
        }
    };
}

functions! {
    "fabs" Fabs 1
    "abs" Abs 1
    "sqrt" Sqrt 1
    "exp" Exp 1
    "log" Log 1
    "pow" Pow 2
    "floor" Floor 1
    "ceil" Ceil 1
    "trunc" Trunc 1
    "fmod" Fmod 2
    "fmin" Fmin 2
    "fmax" Fmax 2
    "isnan" IsNan 1
    "isinf" IsInf 1
    "isfinite" IsFinite 1
    "isnormal" IsNormal 1
    "signbit" SignBit 1
}

impl Condition {
    /// Reads a condition; the error says what is wrong and where.
    pub fn parse(text: &str) -> Result<Condition, String> {
        Ok(Condition { text: text.trim().to_owned(), expression: parse::parse(text)? })
    }

    /// Looks its names up; the error is the first that is not there.
    pub fn bind(&self, slots: &[Slot]) -> Result<Bound, String> {
        Ok(Bound {
            text: self.text.clone(),
            expression: Arc::new(bind(&self.expression, slots)?),
            slots: slots.into(),
        })
    }
}

impl Bound {
    /// The condition as the user wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it holds of a vector.
    pub fn holds(&self, words: &[u64]) -> bool {
        evaluate::evaluate(&self.expression, &self.slots, words).is_some_and(|value| value.truth())
    }
}

/// The inputs of a target, for binding.
pub(crate) fn inputs(target: &Target) -> Vec<Slot> {
    let slot = |input: &nanoscope_program::Input| Slot {
        name: input.name.clone(),
        scalar: input.scalar,
        word: input.word,
    };
    target.inputs.iter().map(slot).collect()
}

/// The outputs of a target, for binding; `ret` is short for `return`.
pub(crate) fn outputs(target: &Target) -> Vec<Slot> {
    let mut list = Vec::new();
    for output in &target.outputs {
        let slot =
            |name: &str| Slot { name: name.to_owned(), scalar: output.scalar, word: output.word };
        list.push(slot(&output.name));
        if let Some(rest) = output.name.strip_prefix("return") {
            list.push(slot(&format!("ret{rest}")));
        }
    }
    list
}

fn bind(expression: &Expression, slots: &[Slot]) -> Result<Expression, String> {
    let each = |parts: &[Expression]| {
        parts.iter().map(|part| bind(part, slots)).collect::<Result<Vec<_>, String>>()
    };
    let two = |parts: &[Expression; 2]| {
        Ok::<_, String>(Box::new([bind(&parts[0], slots)?, bind(&parts[1], slots)?]))
    };
    Ok(match expression {
        Expression::Constant(_) | Expression::Slot(_) => expression.clone(),
        Expression::Name(name) => Expression::Slot(position(name, slots).ok_or(name.clone())?),
        Expression::Unary(operator, part) => {
            Expression::Unary(*operator, Box::new(bind(part, slots)?))
        }
        Expression::Binary(operator, parts) => Expression::Binary(*operator, two(parts)?),
        Expression::And(parts) => Expression::And(two(parts)?),
        Expression::Or(parts) => Expression::Or(two(parts)?),
        Expression::Choice(parts) => {
            let [a, b, c] = &**parts;
            Expression::Choice(Box::new([bind(a, slots)?, bind(b, slots)?, bind(c, slots)?]))
        }
        Expression::Cast(ty, part) => Expression::Cast(*ty, Box::new(bind(part, slots)?)),
        Expression::Call(function, arguments) => Expression::Call(*function, each(arguments)?),
    })
}

/// A name's position; `*x` and `x[0]` are the same place in C.
fn position(name: &str, slots: &[Slot]) -> Option<usize> {
    let find = |wanted: &str| slots.iter().position(|slot| slot.name == wanted);
    find(name).or_else(|| match name.strip_prefix('*') {
        Some(pointer) => find(&format!("{pointer}[0]")),
        None => find(&format!("*{}", name.strip_suffix("[0]")?)),
    })
}

#[cfg(test)]
mod tests {
    use super::{Condition, Slot};
    use nanoscope_ieee::Format;
    use nanoscope_program::Scalar;
    use nanoscope_term::{Term, Terms, Value as Known};

    fn slots() -> Vec<Slot> {
        let slot = |name: &str, scalar, word| Slot { name: name.to_owned(), scalar, word };
        let int = |bits, signed| Scalar::Integer { bits, signed };
        vec![
            slot("x", Scalar::Float(Format::BINARY64), 0),
            slot("f", Scalar::Float(Format::BINARY32), 1),
            slot("n", int(32, true), 2),
            slot("u", int(32, false), 3),
            slot("p->val", Scalar::Float(Format::BINARY64), 4),
            slot("a[0]", Scalar::Float(Format::BINARY64), 5),
            slot("a[1]", Scalar::Float(Format::BINARY64), 6),
        ]
    }

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let words = [
            1.5f64.to_bits(),
            u64::from(0.1f32.to_bits()),
            u64::from((-3i32) as u32),
            7,
            2.0f64.to_bits(),
            1e300f64.to_bits(),
            f64::NAN.to_bits(),
        ];
        let condition = Condition::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
        let bound = condition.bind(&slots()).unwrap_or_else(|name| panic!("{text}: {name}"));
        assert_eq!(bound.holds(&words), expected, "{text}");
        // Terms of the same numbers say the same, as far as terms can say it.
        let mut terms = Terms::new();
        let inputs: Vec<Term> = slots()
            .iter()
            .map(|slot| match slot.scalar {
                Scalar::Float(Format::BINARY64) => terms.f64(f64::from_bits(words[slot.word])),
                Scalar::Float(_) => terms.f32(f32::from_bits(words[slot.word] as u32)),
                Scalar::Integer { bits, .. } => terms.bits(bits, words[slot.word].into()),
            })
            .collect();
        let encoded = bound.encode(&mut terms, &inputs);
        let all = terms.and(&encoded);
        let whole = !text.contains("<<");
        let value = terms.value(all).cloned();
        assert!(value == Some(Known::Bool(expected)) || !whole && expected, "{text}: {value:?}");
    }

    #[test]
    fn what_c_says() {
        for (text, expected) in [
            ("x > 0 && n <= 100", true),
            ("x == 1.5", true),
            ("x * 2 == 3", true),
            ("n / 2 == -1", true),
            ("n % 2 == -1", true),
            ("n < u", false), // -3 as an unsigned int is large
            ("n + 1L < 0", true),
            ("f == 0.1f", true),
            ("f == 0.1", false),
            ("f * 3 == 0.3", false),
            ("f * 3 == 0.1f * 3.0f", true),
            ("p->val >= 2 && *a > 1e299", true),
            ("a[0] * a[0] == INFINITY", true),
            ("isnan(a[1]) && !isfinite(a[1])", true),
            ("a[1] == a[1]", false),
            ("a[1] != a[1]", true),
            ("fabs(-x) == x", true),
            ("sqrt(4) == 2 && floor(-0.5) == -1 && fmax(x, 2) == 2", true),
            ("x ? n < 0 : n > 0", true),
            ("(int)x == 1 && (double)n / 2 == -1.5", true),
            ("1 / 0 == 0 || 1", false),    // undefined: does not hold
            ("x > 0 || 1 / 0", true),      // but the right side is not looked at
            ("2147483647 + 1 > 0", false), // signed overflow
            ("2147483648 > 0", true),      // a long
            ("0xffffffff == 4294967295u", true),
            ("-1 < 0u", false),
            ("1 << 3 == 8", true), // shifts bind tighter than comparisons
            ("~0 == -1 && (6 & 3) == 2 && (6 ^ 3) == 5 && (6 | 3) == 7", true),
            ("0x1p-3 == 0.125 && .5 == 5e-1", true),
            ("DBL_MAX * 2 == INFINITY && DBL_MIN > 0 && INT_MIN < -2147483647", true),
            ("n == -3 and x > 0", true),
            ("abs(n) == 3 && abs(x) == 1", true),
            ("n % -2 == -1 && u / 2 == 3 && u % 4 == 3 && -u > 5", true),
            ("(int)1e10 == 0 || 1", false), // undefined
            ("(unsigned)-0.5 == 0 && (long)-9223372036854775808.0 < 0", true),
            ("(long)9223372036854775808.0 < 0 || 1", false),
            ("(x > 0 ? x : f) > 1 && (n < 0) + 1 == 2", true),
            ("fmin(a[1], x) == x && fmax(x, a[1]) == x && fmod(x, 1) == 0.5", true),
            ("exp(0) == 1 && log(1) == 0 && pow(x, 2) == 2.25", true),
            ("ceil(x) == 2 && trunc(-x) == -1 && isnormal(f) && !isinf(x)", true),
            ("x > 0 && 1 / (n + 3) == 0", false),
            ("n ? 1 / (n + 3) : 1", false),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (text, reason) in [
            ("", "an expression is missing"),
            ("x >", "an expression is missing at the end"),
            ("x > 0)", "`)` is not expected here"),
            ("(x > 0", "a closing `)` is missing"),
            ("x = 0", "`=` assigns; to compare, write `==`"),
            ("0 < x < 1", "write `a < b && b < c`"),
            ("foo(x) > 0", "no function `foo`"),
            ("fmax(x) > 0", "fmax takes 2 arguments, not 1"),
            ("x # 2", "`#` is no part of C's expressions"),
            ("1.2.3 > x", "is no number"),
        ] {
            let error = Condition::parse(text).expect_err(text);
            assert!(error.contains(reason), "{text}: {error}");
        }
        assert_eq!(Condition::parse("z > 0").expect("C").bind(&slots()).expect_err("z"), "z");
    }
}
