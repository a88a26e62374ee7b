//! How many elements an array has: a number, or an expression over the integer inputs, such as
//! `lda*n`. An array is made for the largest values that these may have.

use std::fmt;
use std::str::FromStr;

/// How many elements an array behind a pointer gets when nothing tells.
pub(crate) const DEFAULT_LENGTH: u64 = 4;

/// A number of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    text: String,
    terms: Expression,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Expression {
    Number(i64),
    Name(String),
    Add(Box<Expression>, Box<Expression>),
    Sub(Box<Expression>, Box<Expression>),
    Mul(Box<Expression>, Box<Expression>),
}

impl Extent {
    /// The names it is made of, in order.
    pub fn names(&self) -> Vec<String> {
        fn visit(expression: &Expression, names: &mut Vec<String>) {
            match expression {
                Expression::Number(_) => {}
                Expression::Name(name) if names.contains(name) => {}
                Expression::Name(name) => names.push(name.clone()),
                Expression::Add(a, b) | Expression::Sub(a, b) | Expression::Mul(a, b) => {
                    visit(a, names);
                    visit(b, names);
                }
            }
        }
        let mut names = Vec::new();
        visit(&self.terms, &mut names);
        names
    }

    /// The most elements it may mean, where each name lies between the two ends that `range`
    /// gives. Such an expression is greatest at a corner: in each name it is linear or, where a
    /// name occurs twice, taken at its ends.
    pub fn most(&self, range: &dyn Fn(&str) -> (i64, i64)) -> u64 {
        let names = self.names();
        let ends: Vec<(i64, i64)> = names.iter().map(|name| range(name)).collect();
        let corners = 1u32 << names.len().min(10);
        let value = |corner: u32| {
            let of = |name: &str| {
                let at = names.iter().position(|known| known == name).unwrap_or(0);
                if corner >> at & 1 == 0 { ends[at].0 } else { ends[at].1 }
            };
            evaluate(&self.terms, &of)
        };
        (0..corners).map(value).max().unwrap_or(0).max(1) as u64
    }

    /// The number, where it is one.
    pub fn number(&self) -> Option<u64> {
        match self.terms {
            Expression::Number(number) => u64::try_from(number).ok(),
            _ => None,
        }
    }
}

fn evaluate(expression: &Expression, of: &dyn Fn(&str) -> i64) -> i64 {
    match expression {
        Expression::Number(number) => *number,
        Expression::Name(name) => of(name),
        Expression::Add(a, b) => evaluate(a, of).saturating_add(evaluate(b, of)),
        Expression::Sub(a, b) => evaluate(a, of).saturating_sub(evaluate(b, of)),
        Expression::Mul(a, b) => evaluate(a, of).saturating_mul(evaluate(b, of)),
    }
}

impl From<u64> for Extent {
    fn from(number: u64) -> Extent {
        Extent { text: number.to_string(), terms: Expression::Number(number as i64) }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Extent, String> {
        let mut reader = Reader { rest: text };
        let terms = reader.sum()?;
        match reader.peek() {
            None => Ok(Extent { text: text.to_owned(), terms }),
            Some(other) => Err(format!("`{other}` is not expected in `{text}`")),
        }
    }
}

/// Reads sums of products of names, numbers and parentheses.
struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.rest = &self.rest[wanted.len_utf8()..];
        }
        there
    }

    fn sum(&mut self) -> Result<Expression, String> {
        let mut sum = self.product()?;
        loop {
            if self.take('+') {
                sum = Expression::Add(sum.into(), self.product()?.into());
            } else if self.take('-') {
                sum = Expression::Sub(sum.into(), self.product()?.into());
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<Expression, String> {
        let mut product = self.factor()?;
        while self.take('*') {
            product = Expression::Mul(product.into(), self.factor()?.into());
        }
        Ok(product)
    }

    fn factor(&mut self) -> Result<Expression, String> {
        if self.take('(') {
            let inner = self.sum()?;
            return if self.take(')') { Ok(inner) } else { Err("a `)` is missing".to_owned()) };
        }
        self.peek();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word.chars().next() {
            Some(first) if first.is_ascii_digit() => word
                .parse()
                .map(Expression::Number)
                .map_err(|_| format!("`{word}` is not a number of elements")),
            Some(_) => Ok(Expression::Name(word.to_owned())),
            None => Err("a number or a name is missing".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, most: u64) {
        let range = |name: &str| if name == "k" { (-1, 3) } else { (0, 4) };
        let extent: Extent = text.parse().unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(extent.most(&range), most, "{text}");
    }

    #[test]
    fn the_largest_values_count() {
        check("8", 8);
        check("lda*n", 16);
        check("lda * (n - 1) + m", 16);
        check("2*n + 1", 9);
        check("4 - k", 5);
        check("0*n", 1);
    }

    #[test]
    fn mistakes_are_told() {
        for (text, why) in
            [("", "missing"), ("n *", "missing"), ("(n", "`)`"), ("n/2", "`/`"), ("9x", "number")]
        {
            let said = text.parse::<Extent>().expect_err(text);
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
