//! Reading conditions: C's expression grammar, by precedence climbing.

use super::{Binary, CValue, Expression, Function, Number, Unary};

/// Reads a whole text as one expression.
pub(super) fn parse(text: &str) -> Result<Expression, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens, at: 0 };
    let expression = parser.choice()?;
    match parser.peek() {
        None => Ok(expression),
        Some(token) => Err(parser.complain(&format!("`{token}` is not expected here"))),
    }
}

/// `f: x > 0` is about the function `f`, `a.c:f: x > 0` about that of a file: its name and the
/// rest.
pub(crate) fn split_function(text: &str) -> (Option<String>, &str) {
    let text = text.trim();
    if let Some((file, rest)) = text.split_once(':')
        && file.contains('.')
        && file.chars().all(|c| c.is_alphanumeric() || "._-/+".contains(c))
        && let (Some(name), rest) = split_function(rest)
    {
        return (Some(format!("{file}:{name}")), rest);
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut from = 0;
    while let Some(at) = text[from..].find(|c| !is_word(c)) {
        let at = from + at;
        if text[at..].starts_with("::") {
            from = at + 2; // a C++ scope
            continue;
        }
        let name = &text[..at];
        let rest = text[at..].trim_start();
        let named = !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
        return match rest.strip_prefix(':') {
            Some(rest) if named => (Some(name.to_owned()), rest.trim_start()),
            Some(_) | None => (None, text),
        };
    }
    (None, text)
}

/// A token and where it begins.
struct Token<'t> {
    text: &'t str,
    start: usize,
}

/// Operators of more than one character, longest first where one begins another.
const LONG: &[&str] = &["&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->"];

fn tokens(text: &str) -> Result<Vec<Token<'_>>, String> {
    let mut list = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if first.is_alphabetic() || first == '_' || first == '$' {
            let end = |c: char| !(c.is_alphanumeric() || c == '_' || c == '$');
            rest.find(end).unwrap_or(rest.len())
        } else if first.is_ascii_digit()
            || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            number_length(rest)
        } else if let Some(operator) = LONG.iter().find(|operator| rest.starts_with(**operator)) {
            operator.len()
        } else if "+-*/%<>=!&|^~?:()[],.".contains(first) {
            1
        } else {
            return Err(format!("`{first}` is no part of C's expressions, in `{text}`"));
        };
        if !first.is_whitespace() {
            list.push(Token { text: &rest[..length], start });
        }
        start += length;
    }
    Ok(list)
}

/// C's "preprocessing number": digits, letters, dots, and signs after an exponent's letter.
fn number_length(text: &str) -> usize {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        let exponent = if hexadecimal { "pP".contains(before) } else { "eE".contains(before) };
        let sign = (letter == '+' || letter == '-') && exponent;
        if !(letter.is_ascii_alphanumeric() || letter == '.' || sign) {
            return at;
        }
        before = letter;
    }
    text.len()
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    at: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).map(|token| token.text)
    }

    fn take(&mut self, wanted: &str) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: &str) -> Result<(), String> {
        if self.take(wanted) {
            return Ok(());
        }
        Err(self.complain(&format!("a closing `{wanted}` is missing")))
    }

    /// A message with the place of the next token.
    fn complain(&self, what: &str) -> String {
        let place = match self.tokens.get(self.at) {
            Some(token) => format!("at column {}", self.text[..token.start].chars().count() + 1),
            None => "at the end".to_owned(),
        };
        format!("{what} {place} of `{}`", self.text)
    }

    fn choice(&mut self) -> Result<Expression, String> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let then = self.choice()?;
        if !self.take(":") {
            return Err(self.complain("the `:` of a `?` is missing"));
        }
        let otherwise = self.choice()?;
        Ok(Expression::Choice(Box::new([condition, then, otherwise])))
    }

    /// Operators that bind at least as tightly as `level`.
    fn binary(&mut self, level: u32) -> Result<Expression, String> {
        let mut left = self.unary()?;
        let mut compared = None;
        while let Some((operator, binds)) = self.peek().and_then(operator) {
            if binds < level {
                break;
            }
            self.at += 1;
            let right = self.binary(binds + 1)?;
            let parts = Box::new([left, right]);
            left = match operator {
                Operator::And => Expression::And(parts),
                Operator::Or => Expression::Or(parts),
                Operator::Plain(operator) => {
                    if binds == COMPARISON && compared == Some(binds) {
                        self.at -= 1;
                        return Err(self.complain(
                            "C compares a truth value here: write `a < b && b < c`, found",
                        ));
                    }
                    Expression::Binary(operator, parts)
                }
            };
            compared = Some(binds);
        }
        if self.peek() == Some("=") {
            return Err(self.complain("`=` assigns; to compare, write `==`,"));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        for (sign, operator) in
            [("-", Unary::Minus), ("!", Unary::Not), ("not", Unary::Not), ("~", Unary::Complement)]
        {
            if self.take(sign) {
                return Ok(Expression::Unary(operator, Box::new(self.unary()?)));
            }
        }
        if self.take("+") {
            return self.unary();
        }
        if self.take("*") {
            return match self.unary()? {
                Expression::Name(name) => Ok(Expression::Name(format!("*{name}"))),
                _ => Err(self.complain("only a name can be dereferenced,")),
            };
        }
        if self.take("(") {
            if let Some(ty) = self.type_name() {
                self.expect(")")?;
                return Ok(Expression::Cast(ty, Box::new(self.unary()?)));
            }
            let inner = self.choice()?;
            self.expect(")")?;
            return Ok(inner);
        }
        self.primary()
    }

    /// A type's name, if one stands here.
    fn type_name(&mut self) -> Option<Number> {
        let mut words = Vec::new();
        while let Some(word @ ("double" | "float" | "int" | "long" | "unsigned")) = self.peek() {
            words.push(word);
            self.at += 1;
        }
        let signed = !words.contains(&"unsigned");
        match words.iter().rfind(|word| **word != "unsigned") {
            Some(&"double") => Some(Number::Double),
            Some(&"float") => Some(Number::Single),
            Some(&"long") => Some(Number::Integer { bits: 64, signed }),
            Some(_) if words.contains(&"long") => Some(Number::Integer { bits: 64, signed }),
            Some(_) => Some(Number::Integer { bits: 32, signed }),
            None if words.is_empty() => None,
            None => Some(Number::Integer { bits: 32, signed }),
        }
    }

    fn primary(&mut self) -> Result<Expression, String> {
        let Some(token) = self.peek() else {
            return Err(self.complain("an expression is missing"));
        };
        let first = token.chars().next().unwrap_or(' ');
        if first.is_ascii_digit() || first == '.' && token.len() > 1 {
            let value = CValue::literal(token)
                .ok_or_else(|| self.complain(&format!("`{token}` is no number of C's,")))?;
            self.at += 1;
            return Ok(Expression::Constant(value));
        }
        if !(first.is_alphabetic() || first == '_' || first == '$') {
            return Err(self.complain(&format!("an expression is missing before `{token}`")));
        }
        self.at += 1;
        if let Some(value) = CValue::named(token) {
            return Ok(Expression::Constant(value));
        }
        if self.peek() == Some("(") {
            return self.call(token);
        }
        Ok(Expression::Name(self.path(token.to_owned())?))
    }

    fn call(&mut self, name: &str) -> Result<Expression, String> {
        let Some((function, count)) = Function::named(name) else {
            // Fortran's elements are written like calls: x(1).
            if let [_, index, close, ..] = &self.tokens[self.at..]
                && close.text == ")"
                && index.text.bytes().all(|byte| byte.is_ascii_digit())
            {
                let element = format!("{name}({})", index.text);
                self.at += 3;
                return Ok(Expression::Name(element));
            }
            self.at -= 1;
            return Err(self.complain(&format!("no function `{name}` is known here,")));
        };
        self.at += 1;
        let mut arguments = Vec::new();
        while self.peek() != Some(")") {
            arguments.push(self.choice()?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        if arguments.len() != count {
            let given = arguments.len();
            return Err(format!("{name} takes {count} arguments, not {given}, in `{}`", self.text));
        }
        Ok(Expression::Call(function, arguments))
    }

    /// The rest of `p->q.r[3]`, as inputs are named.
    fn path(&mut self, mut name: String) -> Result<String, String> {
        loop {
            let link = match self.peek() {
                Some(link @ ("->" | "." | "[")) => link,
                Some(_) | None => return Ok(name),
            };
            self.at += 1;
            let Some(part) = self.peek() else {
                return Err(self.complain(&format!("something is missing after `{link}`")));
            };
            self.at += 1;
            name.push_str(link);
            name.push_str(part);
            if link == "[" {
                self.expect("]")?;
                name.push(']');
            }
        }
    }
}

/// A binary operator.
enum Operator {
    And,
    Or,
    Plain(Binary),
}

/// How tightly comparisons bind.
const COMPARISON: u32 = 6;

/// An operator and how tightly it binds.
fn operator(text: &str) -> Option<(Operator, u32)> {
    use Operator::Plain;
    Some(match text {
        "||" | "or" => (Operator::Or, 0),
        "&&" | "and" => (Operator::And, 1),
        "|" => (Plain(Binary::Or), 2),
        "^" => (Plain(Binary::Xor), 3),
        "&" => (Plain(Binary::And), 4),
        "==" => (Plain(Binary::Equal), 5),
        "!=" => (Plain(Binary::NotEqual), 5),
        "<" => (Plain(Binary::Less), COMPARISON),
        "<=" => (Plain(Binary::LessEqual), COMPARISON),
        ">" => (Plain(Binary::Greater), COMPARISON),
        ">=" => (Plain(Binary::GreaterEqual), COMPARISON),
        "<<" => (Plain(Binary::ShiftLeft), 7),
        ">>" => (Plain(Binary::ShiftRight), 7),
        "+" => (Plain(Binary::Add), 8),
        "-" => (Plain(Binary::Sub), 8),
        "*" => (Plain(Binary::Mul), 9),
        "/" => (Plain(Binary::Div), 9),
        "%" => (Plain(Binary::Rem), 9),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::split_function;

    #[test]
    fn a_function_before_a_colon() {
        for (text, function, rest) in [
            ("x > 0", None, "x > 0"),
            ("f: x > 0", Some("f"), "x > 0"),
            ("ns::f : x > 0", Some("ns::f"), "x > 0"),
            ("x ? 1 : 0", None, "x ? 1 : 0"),
            ("x", None, "x"),
        ] {
            assert_eq!(split_function(text), (function.map(str::to_owned), rest), "{text}");
        }
    }
}
