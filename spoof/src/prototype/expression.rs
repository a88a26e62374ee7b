//! Expressions of prototypes: over the parameters' values and the indices of an element.

use std::collections::BTreeMap;
use std::fmt;

/// A value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// An integer.
    Integer(i64),
    /// A real number; a complex one is represented by its real part if its imaginary part is
    /// zero, and by NaN otherwise.
    Real(f64),
    /// A truth value.
    Truth(bool),
    /// A character, in upper case.
    Character(u8),
}

/// The values that names stand for.
pub type Environment = BTreeMap<String, Scalar>;

/// An operation of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, towards zero for integers
    Divide,
    /// `%`
    Remainder,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `and`
    And,
    /// `or`
    Or,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A literal.
    Literal(Scalar),
    /// A parameter or an index.
    Name(String),
    /// `-x`
    Negate(Box<Expression>),
    /// `not x`
    Not(Box<Expression>),
    /// Two operands.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `if c then a else b`
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `min(a, b, …)`, `max(a, b, …)`, `abs(a)`
    Call(Function, Vec<Expression>),
}

/// A function that expressions may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// The absolute value.
    Abs,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue(pub String);

impl fmt::Display for NoValue {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn no_value<T>(why: impl Into<String>) -> Result<T, NoValue> {
    Err(NoValue(why.into()))
}

impl Expression {
    /// Its value.
    pub fn evaluate(&self, names: &Environment) -> Result<Scalar, NoValue> {
        match self {
            Expression::Literal(value) => Ok(*value),
            Expression::Name(name) => match names.get(name) {
                Some(value) => Ok(*value),
                None => no_value(format!("{name} has no value")),
            },
            Expression::Negate(inner) => match inner.evaluate(names)? {
                Scalar::Integer(x) => overflow(x.checked_neg()),
                Scalar::Real(x) => Ok(Scalar::Real(-x)),
                Scalar::Truth(_) | Scalar::Character(_) => no_value("- needs a number"),
            },
            Expression::Not(inner) => Ok(Scalar::Truth(!inner.truth(names)?)),
            Expression::Binary(Binary::And, a, b) => {
                Ok(Scalar::Truth(a.truth(names)? && b.truth(names)?))
            }
            Expression::Binary(Binary::Or, a, b) => {
                Ok(Scalar::Truth(a.truth(names)? || b.truth(names)?))
            }
            Expression::Binary(operation, a, b) => {
                binary(*operation, a.evaluate(names)?, b.evaluate(names)?)
            }
            Expression::If(condition, a, b) => {
                if condition.truth(names)? {
                    a.evaluate(names)
                } else {
                    b.evaluate(names)
                }
            }
            Expression::Call(function, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(argument.integer(names)?);
                }
                let value = match function {
                    Function::Min => values.into_iter().min(),
                    Function::Max => values.into_iter().max(),
                    Function::Abs => values.first().and_then(|x| x.checked_abs()),
                };
                overflow(value)
            }
        }
    }

    /// Its value, which must be a truth value.
    pub fn truth(&self, names: &Environment) -> Result<bool, NoValue> {
        match self.evaluate(names)? {
            Scalar::Truth(truth) => Ok(truth),
            Scalar::Integer(_) | Scalar::Real(_) | Scalar::Character(_) => {
                no_value("a condition is needed here, not a number")
            }
        }
    }

    /// Its value, which must be an integer.
    pub fn integer(&self, names: &Environment) -> Result<i64, NoValue> {
        match self.evaluate(names)? {
            Scalar::Integer(x) => Ok(x),
            Scalar::Real(_) | Scalar::Truth(_) | Scalar::Character(_) => {
                no_value("an integer is needed here")
            }
        }
    }

    /// The names in it, in order of appearance.
    pub fn names<'a>(&'a self, into: &mut Vec<&'a str>) {
        match self {
            Expression::Literal(_) => {}
            Expression::Name(name) => into.push(name),
            Expression::Negate(a) | Expression::Not(a) => a.names(into),
            Expression::Binary(_, a, b) => {
                a.names(into);
                b.names(into);
            }
            Expression::If(a, b, c) => {
                a.names(into);
                b.names(into);
                c.names(into);
            }
            Expression::Call(_, arguments) => {
                arguments.iter().for_each(|argument| argument.names(into));
            }
        }
    }
}

fn overflow(value: Option<i64>) -> Result<Scalar, NoValue> {
    match value {
        Some(value) => Ok(Scalar::Integer(value)),
        None => no_value("an integer is out of range"),
    }
}

fn binary(operation: Binary, a: Scalar, b: Scalar) -> Result<Scalar, NoValue> {
    match (a, b) {
        (Scalar::Integer(a), Scalar::Integer(b)) => integers(operation, a, b),
        (Scalar::Integer(a), Scalar::Real(b)) => reals(operation, a as f64, b),
        (Scalar::Real(a), Scalar::Integer(b)) => reals(operation, a, b as f64),
        (Scalar::Real(a), Scalar::Real(b)) => reals(operation, a, b),
        (Scalar::Character(a), Scalar::Character(b)) => match operation {
            Binary::Equal => Ok(Scalar::Truth(a == b)),
            Binary::NotEqual => Ok(Scalar::Truth(a != b)),
            _ => no_value("characters can be compared with == and != only"),
        },
        (Scalar::Truth(a), Scalar::Truth(b)) => match operation {
            Binary::Equal => Ok(Scalar::Truth(a == b)),
            Binary::NotEqual => Ok(Scalar::Truth(a != b)),
            _ => no_value("conditions can be compared with == and != only"),
        },
        (Scalar::Truth(_) | Scalar::Integer(_) | Scalar::Real(_) | Scalar::Character(_), _) => {
            no_value("the operands are of different kinds")
        }
    }
}

fn integers(operation: Binary, a: i64, b: i64) -> Result<Scalar, NoValue> {
    match operation {
        Binary::Add => overflow(a.checked_add(b)),
        Binary::Subtract => overflow(a.checked_sub(b)),
        Binary::Multiply => overflow(a.checked_mul(b)),
        Binary::Divide if b == 0 => no_value("division by zero"),
        Binary::Remainder if b == 0 => no_value("division by zero"),
        Binary::Divide => overflow(a.checked_div(b)),
        Binary::Remainder => overflow(a.checked_rem(b)),
        Binary::Equal => Ok(Scalar::Truth(a == b)),
        Binary::NotEqual => Ok(Scalar::Truth(a != b)),
        Binary::Less => Ok(Scalar::Truth(a < b)),
        Binary::LessEqual => Ok(Scalar::Truth(a <= b)),
        Binary::Greater => Ok(Scalar::Truth(a > b)),
        Binary::GreaterEqual => Ok(Scalar::Truth(a >= b)),
        Binary::And | Binary::Or => no_value("`and` and `or` need conditions"),
    }
}

fn reals(operation: Binary, a: f64, b: f64) -> Result<Scalar, NoValue> {
    Ok(match operation {
        Binary::Add => Scalar::Real(a + b),
        Binary::Subtract => Scalar::Real(a - b),
        Binary::Multiply => Scalar::Real(a * b),
        Binary::Divide => Scalar::Real(a / b),
        Binary::Remainder => Scalar::Real(a % b),
        Binary::Equal => Scalar::Truth(a == b),
        Binary::NotEqual => Scalar::Truth(a != b),
        Binary::Less => Scalar::Truth(a < b),
        Binary::LessEqual => Scalar::Truth(a <= b),
        Binary::Greater => Scalar::Truth(a > b),
        Binary::GreaterEqual => Scalar::Truth(a >= b),
        Binary::And | Binary::Or => return no_value("`and` and `or` need conditions"),
    })
}
