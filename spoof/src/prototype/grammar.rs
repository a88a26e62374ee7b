//! The grammar of expressions: conditions, extents, offsets.

use super::expression::{Binary, Expression, Function, Scalar};
use super::parse::Parser;
use super::tokens::{Mistake, Token};

/// Deeper expressions are refused, so that reading needs a bounded stack.
const DEEPEST: u32 = 100;

impl Parser {
    pub(super) fn expression(&mut self) -> Result<Expression, Mistake> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.mistake("the expression is nested too deeply");
        }
        let result = self.or();
        self.depth -= 1;
        result
    }

    fn or(&mut self) -> Result<Expression, Mistake> {
        let mut left = self.and()?;
        while self.accept_word("or") {
            left = Expression::Binary(Binary::Or, Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expression, Mistake> {
        let mut left = self.comparison()?;
        while self.accept_word("and") {
            left = Expression::Binary(Binary::And, Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Expression, Mistake> {
        let left = self.additive()?;
        const COMPARISONS: [(&str, Binary); 6] = [
            ("==", Binary::Equal),
            ("!=", Binary::NotEqual),
            ("<=", Binary::LessEqual),
            (">=", Binary::GreaterEqual),
            ("<", Binary::Less),
            (">", Binary::Greater),
        ];
        for (symbol, operation) in COMPARISONS {
            if self.accept(symbol) {
                let right = self.additive()?;
                return Ok(Expression::Binary(operation, Box::new(left), Box::new(right)));
            }
        }
        Ok(left)
    }

    pub(super) fn additive(&mut self) -> Result<Expression, Mistake> {
        let mut left = self.multiplicative()?;
        loop {
            let operation = if self.accept("+") {
                Binary::Add
            } else if self.accept("-") {
                Binary::Subtract
            } else {
                return Ok(left);
            };
            left = Expression::Binary(operation, Box::new(left), Box::new(self.multiplicative()?));
        }
    }

    fn multiplicative(&mut self) -> Result<Expression, Mistake> {
        let mut left = self.primary()?;
        loop {
            let operation = if self.accept("*") {
                Binary::Multiply
            } else if self.accept("/") {
                Binary::Divide
            } else if self.accept("%") {
                Binary::Remainder
            } else {
                return Ok(left);
            };
            left = Expression::Binary(operation, Box::new(left), Box::new(self.primary()?));
        }
    }

    fn primary(&mut self) -> Result<Expression, Mistake> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.mistake("the expression is nested too deeply");
        }
        let result = self.primary_inside();
        self.depth -= 1;
        result
    }

    fn primary_inside(&mut self) -> Result<Expression, Mistake> {
        if self.accept("(") {
            let inside = self.expression()?;
            self.expect(")")?;
            return Ok(inside);
        }
        if self.accept("-") {
            return Ok(Expression::Negate(Box::new(self.primary()?)));
        }
        if self.accept_word("not") {
            return Ok(Expression::Not(Box::new(self.comparison()?)));
        }
        if self.accept_word("if") {
            let condition = self.expression()?;
            if !self.accept_word("then") {
                return self.mistake("`then` is needed here");
            }
            let yes = self.expression()?;
            if !self.accept_word("else") {
                return self.mistake("`else` is needed here");
            }
            let no = self.expression()?;
            return Ok(Expression::If(Box::new(condition), Box::new(yes), Box::new(no)));
        }
        match self.here().token.clone() {
            Token::Number(value) => {
                self.next += 1;
                Ok(Expression::Literal(value))
            }
            Token::Character(c) => {
                self.next += 1;
                Ok(Expression::Literal(Scalar::Character(c)))
            }
            Token::Word(word) => {
                self.next += 1;
                if self.accept("[") {
                    let Token::Number(Scalar::Integer(index)) = self.here().token else {
                        return self.mistake("a number is needed here: the index, from 0");
                    };
                    self.next += 1;
                    self.expect("]")?;
                    return Ok(Expression::Name(format!("{word}[{index}]")));
                }
                let function = match word.as_str() {
                    "min" => Function::Min,
                    "max" => Function::Max,
                    "abs" => Function::Abs,
                    _ => return Ok(Expression::Name(word)),
                };
                if !self.accept("(") {
                    return Ok(Expression::Name(word));
                }
                let mut arguments = vec![self.expression()?];
                while self.accept(",") {
                    arguments.push(self.expression()?);
                }
                self.expect(")")?;
                Ok(Expression::Call(function, arguments))
            }
            Token::Symbol(_) | Token::End => self.mistake("an expression is needed here"),
        }
    }
}
