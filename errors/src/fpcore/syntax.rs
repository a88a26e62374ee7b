//! Trees to FPCores: arguments, properties, expressions.

use super::read::{Place, SyntaxError, Tree, TreeKind, read};
use nanoscope_ieee::Rational;
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// A benchmark: `(FPCore (arguments) :properties ... body)`.
#[derive(Clone, Debug)]
pub struct Core {
    /// Its `:name`, or the symbol before the arguments, or where it stands.
    pub name: String,
    /// The symbol before the arguments, by which others call it.
    pub symbol: Option<String>,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// The `:precision` and `:round` of the body.
    pub context: Context,
    /// The `:pre`.
    pub precondition: Option<Expression>,
    /// The body.
    pub body: Expression,
    /// Where it begins.
    pub place: Place,
}

/// An argument, with the properties it is annotated with.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its own precision.
    pub context: Context,
}

/// The properties that say how to round. None: as around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// `:precision`, as a word or as `float es nbits`.
    pub precision: Option<String>,
    /// `:round`.
    pub round: Option<String>,
}

/// An expression and where it begins.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Where it begins.
    pub place: Place,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// A number.
    Number(Rational),
    /// A variable or a named constant.
    Symbol(String),
    /// An operation by name.
    Apply(String, Vec<Expression>),
    /// `if`.
    If(Box<[Expression; 3]>),
    /// `let` or `let*` (each binding sees those before it).
    Let {
        /// Whether bindings see those before them.
        sequential: bool,
        /// The bindings.
        bindings: Vec<(String, Expression)>,
        /// What it is the value of.
        body: Box<Expression>,
    },
    /// `while` or `while*`.
    While {
        /// Whether updates see those before them.
        sequential: bool,
        /// Goes on while this holds.
        condition: Box<Expression>,
        /// Variables, first values and updates.
        updates: Vec<(String, Expression, Expression)>,
        /// What it is the value of.
        body: Box<Expression>,
    },
    /// `!`: the same in another context.
    Annotated(Context, Box<Expression>),
}

/// Reads all FPCores of a text, whatever their names mean.
pub(super) fn cores(text: &str) -> Result<Vec<Core>, SyntaxError> {
    read(text)?.iter().map(core).collect()
}

fn core(tree: &Tree) -> Result<Core, SyntaxError> {
    let Some([head, rest @ ..]) = tree.list() else {
        return Err(tree.error("an FPCore is a list: (FPCore (x y ...) ... body)"));
    };
    if head.atom() != Some("FPCore") {
        return Err(head.error("expected FPCore"));
    }
    let (symbol, rest) = match rest {
        [name, rest @ ..] if name.atom().is_some() => (name.atom(), rest),
        _ => (None, rest),
    };
    let [arguments, rest @ ..] = rest else {
        return Err(tree.error("an FPCore has a list of arguments"));
    };
    let Some(list) = arguments.list() else {
        return Err(arguments.error("expected the list of arguments"));
    };
    let arguments = list.iter().map(argument).collect::<Result<Vec<_>, _>>()?;
    let (mut context, mut name, mut precondition) = (Context::default(), None, None);
    let body = properties(rest, tree, |key, value| {
        match (key, &value.kind) {
            (":name", TreeKind::Text(text)) => name = Some(text.clone()),
            (":pre", _) => precondition = Some(expression(value)?),
            _ => context.read(key, value)?,
        }
        Ok(())
    })?;
    Ok(Core {
        name: name
            .or_else(|| symbol.map(str::to_string))
            .unwrap_or_else(|| format!("FPCore at {}:{}", tree.place.line, tree.place.column)),
        symbol: symbol.map(str::to_string),
        arguments,
        context,
        precondition,
        body: expression(body)?,
        place: tree.place,
    })
}

/// Goes through properties up to the one tree that follows them.
fn properties<'t>(
    trees: &'t [Tree],
    around: &Tree,
    mut property: impl FnMut(&str, &'t Tree) -> Result<(), SyntaxError>,
) -> Result<&'t Tree, SyntaxError> {
    let mut rest = trees;
    loop {
        match rest {
            [] => return Err(around.error("the body is missing")),
            [key, after @ ..] if key.atom().is_some_and(|name| name.starts_with(':')) => {
                let [value, after @ ..] = after else {
                    return Err(key.error("this property has no value"));
                };
                property(key.atom().unwrap_or_default(), value)?;
                rest = after;
            }
            [body] => return Ok(body),
            [_, extra, ..] => return Err(extra.error("one body is expected, this is a second one")),
        }
    }
}

impl Context {
    fn read(&mut self, key: &str, value: &Tree) -> Result<(), SyntaxError> {
        let words = || match &value.kind {
            TreeKind::Atom(word) => Ok(word.clone()),
            TreeKind::List(members) => members
                .iter()
                .map(|member| member.atom().ok_or_else(|| member.error("expected a word")))
                .collect::<Result<Vec<_>, _>>()
                .map(|words| words.join(" ")),
            TreeKind::Text(_) => Err(value.error("expected a word")),
        };
        match key {
            ":precision" => self.precision = Some(words()?),
            ":round" => self.round = Some(words()?),
            _ => {}
        }
        Ok(())
    }

    /// These properties within those around them.
    pub fn within(&self, outer: &Context) -> Context {
        Context {
            precision: self.precision.clone().or_else(|| outer.precision.clone()),
            round: self.round.clone().or_else(|| outer.round.clone()),
        }
    }
}

fn argument(tree: &Tree) -> Result<Argument, SyntaxError> {
    match &tree.kind {
        TreeKind::Atom(name) => Ok(Argument { name: name.clone(), context: Context::default() }),
        TreeKind::List(members) if members.first().and_then(Tree::atom) == Some("!") => {
            let mut context = Context::default();
            let name = properties(&members[1..], tree, |key, value| context.read(key, value))?;
            match name.atom() {
                Some(name) => Ok(Argument { name: name.to_string(), context }),
                None => Err(name.error("arguments that are tensors are not supported")),
            }
        }
        TreeKind::List(_) => Err(tree.error("arguments that are tensors are not supported")),
        TreeKind::Text(_) => Err(tree.error("expected the name of an argument")),
    }
}

fn expression(tree: &Tree) -> Result<Expression, SyntaxError> {
    let place = tree.place;
    let boxed = |tree: &Tree| expression(tree).map(Box::new);
    let kind = match &tree.kind {
        TreeKind::Text(_) => return Err(tree.error("a text is no expression")),
        TreeKind::Atom(name) => match number(name) {
            Some(value) => ExpressionKind::Number(value),
            None if name.starts_with(|c: char| c.is_ascii_digit()) => {
                return Err(tree.error(format!("`{name}` is no number")));
            }
            None => ExpressionKind::Symbol(name.clone()),
        },
        TreeKind::List(members) => {
            let Some(head) = members.first() else {
                return Err(tree.error("an empty list is no expression"));
            };
            let Some(head_name) = head.atom() else {
                return Err(head.error("expected the name of an operation"));
            };
            match (head_name, &members[1..]) {
                ("if", [condition, yes, no]) => ExpressionKind::If(Box::new([
                    expression(condition)?,
                    expression(yes)?,
                    expression(no)?,
                ])),
                ("if", _) => return Err(tree.error("`if` takes a condition and two expressions")),
                ("let" | "let*", [bindings, body]) => {
                    let Some(list) = bindings.list() else {
                        return Err(bindings.error("expected bindings: ([x e] ...)"));
                    };
                    let bindings = list
                        .iter()
                        .map(|binding| match binding.list() {
                            Some([name, value]) => Ok((symbol(name)?, expression(value)?)),
                            _ => Err(binding.error("a binding is [name expression]")),
                        })
                        .collect::<Result<_, _>>()?;
                    let sequential = head_name == "let*";
                    ExpressionKind::Let { sequential, bindings, body: boxed(body)? }
                }
                ("let" | "let*", _) => return Err(tree.error("`let` takes bindings and a body")),
                ("while" | "while*", [condition, updates, body]) => {
                    let Some(list) = updates.list() else {
                        return Err(updates.error("expected updates: ([x first next] ...)"));
                    };
                    let updates = list
                        .iter()
                        .map(|update| match update.list() {
                            Some([name, first, next]) => {
                                Ok((symbol(name)?, expression(first)?, expression(next)?))
                            }
                            _ => Err(update.error("an update is [name first next]")),
                        })
                        .collect::<Result<_, _>>()?;
                    ExpressionKind::While {
                        sequential: head_name == "while*",
                        condition: boxed(condition)?,
                        updates,
                        body: boxed(body)?,
                    }
                }
                ("while" | "while*", _) => {
                    return Err(tree.error("`while` takes a condition, updates and a body"));
                }
                ("!", rest) => {
                    let mut context = Context::default();
                    let body = properties(rest, tree, |key, value| context.read(key, value))?;
                    ExpressionKind::Annotated(context, boxed(body)?)
                }
                ("digits", [mantissa, exponent, base]) => {
                    let value = digits(mantissa, exponent, base)
                        .ok_or_else(|| tree.error("`digits` takes three integers"))?;
                    ExpressionKind::Number(value)
                }
                (name, operands) => ExpressionKind::Apply(
                    name.to_string(),
                    operands.iter().map(expression).collect::<Result<_, _>>()?,
                ),
            }
        }
    };
    Ok(Expression { kind, place })
}

fn symbol(tree: &Tree) -> Result<String, SyntaxError> {
    match tree.atom() {
        Some(name) if number(name).is_none() => Ok(name.to_string()),
        _ => Err(tree.error("expected a name")),
    }
}

/// Exponents of decimals beyond this are refused: nobody writes them but to break things.
const EXPONENT: i64 = 20_000;

fn power(base: u32, exponent: i64) -> Rational {
    let power = Rational::from_integer(BigInt::from(base).pow(exponent.unsigned_abs() as u32));
    if exponent < 0 { power.recip() } else { power }
}

fn digits(mantissa: &Tree, exponent: &Tree, base: &Tree) -> Option<Rational> {
    let mantissa: BigInt = mantissa.atom()?.parse().ok()?;
    let exponent: i64 = exponent.atom()?.parse().ok()?;
    let base: u32 = base.atom()?.parse().ok()?;
    if !(2..=36).contains(&base) || exponent.abs() > EXPONENT {
        return None;
    }
    Some(Rational::from_integer(mantissa) * power(base, exponent))
}

/// A number of FPCore: decimal, hexadecimal or a fraction.
pub fn number(text: &str) -> Option<Rational> {
    if let Some((numerator, denominator)) = text.split_once('/') {
        let (numerator, denominator): (BigInt, BigInt) =
            (numerator.parse().ok()?, denominator.parse().ok()?);
        return (!denominator.is_zero()).then(|| Rational::new(numerator, denominator));
    }
    let (negative, magnitude) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let (base, step, mark, body) = match magnitude.strip_prefix("0x") {
        Some(body) => (16, 2, 'p', body),
        None => (10, 10, 'e', magnitude),
    };
    let lower = body.to_ascii_lowercase();
    let (significand, exponent) = match lower.split_once(mark) {
        Some((significand, exponent)) => (significand, exponent.parse::<i64>().ok()?),
        None => (lower.as_str(), 0),
    };
    let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
    let all: String = [whole, fraction].concat();
    if all.is_empty() || !all.chars().all(|c| c.is_digit(base)) || exponent.abs() > EXPONENT {
        return None;
    }
    let mantissa = BigInt::parse_bytes(all.as_bytes(), base)?;
    let places = power(base, -(fraction.len() as i64));
    let scale = if exponent == 0 { Rational::one() } else { power(step, exponent) };
    let value = Rational::from_integer(mantissa) * places * scale;
    Some(if negative { -value } else { value })
}
