//! Terms in normalised three-address form: every operation on a line of its own, in the order of
//! evaluation, with temporaries for intermediate results (Botella, Gotlieb, Michel: Symbolic
//! execution of floating-point computations, section 4.4).

use crate::{BitsOp, Op, Term, Terms, Value, bits_ops, op_heads};
use nanoscope_ieee::{Float, Format, Operation, Parameters, Rounding, operations};
use std::collections::HashMap;

/// Writes terms in normalised form; temporaries are shared by all that one of these writes.
#[derive(Clone, Debug, Default)]
pub struct NormalForm {
    names: HashMap<Term, String>,
    lines: Vec<String>,
    temporaries: usize,
}

impl NormalForm {
    /// No temporaries yet.
    pub fn new() -> NormalForm {
        NormalForm::default()
    }

    /// Gives a term a name: that of an input.
    pub fn name(&mut self, term: Term, name: &str) {
        self.names.insert(term, name.to_owned());
    }

    /// A condition: the definitions of the temporaries that it needs and are not there yet, then
    /// a relation between two operands.
    pub fn condition(&mut self, terms: &Terms, condition: Term) -> Vec<String> {
        let text = match terms.op(condition) {
            Op::Not => {
                let negated = terms.args(condition)[0];
                match self.names.contains_key(&negated) || terms.args(negated).is_empty() {
                    true => format!("!{}", self.operand(terms, negated)),
                    false => format!("!({})", self.expression(terms, negated)),
                }
            }
            op_heads!(Leaf) => self.operand(terms, condition),
            _ if self.names.contains_key(&condition) => self.operand(terms, condition),
            _ => self.expression(terms, condition),
        };
        self.lines.push(text);
        std::mem::take(&mut self.lines)
    }

    /// What a result is: definitions of temporaries that are not there yet, then `name = …`.
    pub fn result(&mut self, terms: &Terms, name: &str, term: Term) -> Vec<String> {
        let text = match terms.args(term).is_empty() || self.names.contains_key(&term) {
            true => self.operand(terms, term),
            false => self.expression(terms, term),
        };
        self.lines.push(format!("{name} = {text}"));
        std::mem::take(&mut self.lines)
    }

    /// An operand: a constant, an input, or a temporary, which is defined first.
    fn operand(&mut self, terms: &Terms, term: Term) -> String {
        if let Some(name) = self.names.get(&term) {
            return name.clone();
        }
        if let Some(value) = terms.value(term) {
            return constant(value);
        }
        if let Some(variable) = terms.as_variable(term) {
            return terms.symbol(variable).to_owned();
        }
        // What it needs comes first, without recursion: paths can be long.
        let mut todo = vec![(term, false)];
        while let Some((part, ready)) = todo.pop() {
            if terms.args(part).is_empty() || self.names.contains_key(&part) {
                continue;
            }
            if let Some(name) = self.reinterpreted(terms, part) {
                self.names.insert(part, name);
            } else if ready {
                let text = self.expression(terms, part);
                self.temporaries += 1;
                let name = format!("t{}", self.temporaries);
                self.lines.push(format!("{name} = {text}"));
                self.names.insert(part, name);
            } else {
                todo.push((part, true));
                todo.extend(needed(terms, part).into_iter().rev().map(|it| (it, false)));
            }
        }
        self.names[&term].clone()
    }

    /// The name of an input whose encoding is read as a float.
    fn reinterpreted(&self, terms: &Terms, term: Term) -> Option<String> {
        let Op::Float(Operation::FromBits, _) = terms.op(term) else { return None };
        let bits = terms.args(term)[0];
        let named = self.names.get(&bits).filter(|_| terms.args(bits).is_empty()).cloned();
        named.or_else(|| terms.as_variable(bits).map(|name| terms.symbol(name).to_owned()))
    }

    /// A single operation over operands.
    fn expression(&mut self, terms: &Terms, term: Term) -> String {
        if let Some(name) = self.reinterpreted(terms, term) {
            return name;
        }
        let args = terms.args(term).to_vec();
        let is_constant = |arg: &Term| terms.value(*arg).is_some();
        match terms.op(term) {
            Op::Not => format!("!{}", self.operand(terms, args[0])),
            Op::And => self.joined(terms, &args, " && "),
            Op::Or => self.joined(terms, &args, " || "),
            Op::Ite => {
                let [condition, then, otherwise] =
                    [args[0], args[1], args[2]].map(|arg| self.operand(terms, arg));
                format!("{condition} ? {then} : {otherwise}")
            }
            Op::Equal => {
                let (a, b) = if is_constant(&args[0]) { (1, 0) } else { (0, 1) };
                let word = if compares_as_c_does(terms, &args) { "==" } else { "is" };
                format!("{} {word} {}", self.operand(terms, args[a]), self.operand(terms, args[b]))
            }
            Op::Bits(operation) => self.bits(terms, operation, &args),
            Op::Float(operation, parameters) => self.float(terms, operation, parameters, &args),
            Op::Libm(function, format) => {
                let suffix = suffix(format);
                format!("{}{suffix}({})", function.name(), self.joined(terms, &args, ", "))
            }
            op_heads!(Leaf) => self.operand(terms, term),
            op_heads!(Door) => {
                format!("{}({})", terms.op_text(terms.op(term)), self.joined(terms, &args, ", "))
            }
        }
    }

    fn joined(&mut self, terms: &Terms, args: &[Term], separator: &str) -> String {
        let parts: Vec<String> = args.iter().map(|arg| self.operand(terms, *arg)).collect();
        parts.join(separator)
    }

    fn float(
        &mut self,
        terms: &Terms,
        operation: Operation,
        parameters: Parameters,
        args: &[Term],
    ) -> String {
        let (mode, args) = match args.first() {
            Some(first) if terms.sort(*first) == crate::Sort::Rounding => {
                (self.mode(terms, *first), &args[1..])
            }
            Some(_) | None => (String::new(), args),
        };
        let binary = |this: &mut NormalForm, symbol: &str, swapped: &str| {
            // Constants stand on the right, as people write them.
            let turn = terms.value(args[0]).is_some() && !swapped.is_empty();
            let (a, b, symbol) =
                if turn { (args[1], args[0], swapped) } else { (args[0], args[1], symbol) };
            format!("{} {symbol}{mode} {}", this.operand(terms, a), this.operand(terms, b))
        };
        match operation {
            Operation::Add => match difference(terms, args) {
                Some((from, Taken::Constant(text))) => {
                    format!("{} -{mode} {text}", self.operand(terms, from))
                }
                Some((from, Taken::Term(taken))) => {
                    format!("{} -{mode} {}", self.operand(terms, from), self.operand(terms, taken))
                }
                None => binary(self, "+", "+"),
            },
            Operation::IsZero => {
                let zero = constant(&Value::zero(parameters.format, false));
                format!("{} == {zero}", self.operand(terms, args[0]))
            }
            Operation::Sub => binary(self, "-", ""),
            Operation::Mul => binary(self, "*", "*"),
            Operation::Div => binary(self, "/", ""),
            Operation::Equal | Operation::EqualSignaling => binary(self, "==", "=="),
            Operation::Less | Operation::LessSignaling => binary(self, "<", ">"),
            Operation::LessEqual | Operation::LessEqualSignaling => binary(self, "<=", ">="),
            Operation::Greater | Operation::GreaterSignaling => binary(self, ">", "<"),
            Operation::GreaterEqual | Operation::GreaterEqualSignaling => binary(self, ">=", "<="),
            Operation::Identical => binary(self, "is", "is"),
            Operation::Neg => format!("-{}", self.operand(terms, args[0])),
            Operation::Convert => {
                let target = type_name(parameters.target);
                format!("({target}){mode} {}", self.operand(terms, args[0]))
            }
            Operation::FromSigned | Operation::FromUnsigned => {
                let target = type_name(parameters.format);
                let sign = if operation == Operation::FromUnsigned { "unsigned " } else { "" };
                format!("({target}){mode} {sign}{}", self.operand(terms, args[0]))
            }
            Operation::ToSigned | Operation::ToUnsigned => {
                let sign = if operation == Operation::ToUnsigned { "u" } else { "" };
                format!("({sign}int{}){mode} {}", parameters.width, self.operand(terms, args[0]))
            }
            Operation::Unordered
            | operations!(
                Arithmetic, Sign, Classify, Remainder, Integral, Choice, Step, Encoding
            ) => {
                format!("{}{mode}({})", operation.name(), self.joined(terms, args, ", "))
            }
        }
    }

    /// A rounding mode, where it is not the usual one.
    fn mode(&mut self, terms: &Terms, mode: Term) -> String {
        match terms.value(mode).and_then(Value::as_rounding) {
            Some(Rounding::NearestEven) => String::new(),
            Some(mode) => format!("[{}]", mode.smtlib_name()),
            None => format!("[{}]", self.operand(terms, mode)),
        }
    }

    fn bits(&mut self, terms: &Terms, operation: BitsOp, args: &[Term]) -> String {
        let infix = match operation {
            BitsOp::Not => return format!("~{}", self.operand(terms, args[0])),
            BitsOp::Neg => return format!("-{}", self.operand(terms, args[0])),
            BitsOp::And => "&",
            BitsOp::Or => "|",
            BitsOp::Xor => "^",
            BitsOp::Add => "+",
            BitsOp::Sub => "-",
            BitsOp::Mul => "*",
            BitsOp::Udiv => "/u",
            BitsOp::Urem => "%u",
            BitsOp::Shl => "<<",
            BitsOp::Lshr => ">>u",
            BitsOp::Ashr => ">>",
            BitsOp::Slt => "<",
            BitsOp::Sle => "<=",
            BitsOp::Ult => "<u",
            BitsOp::Ule => "<=u",
            BitsOp::Concat => "##",
            BitsOp::Extract { high, low } => {
                return format!("{}[{high}:{low}]", self.operand(terms, args[0]));
            }
            bits_ops!(Extend) => {
                let sign = if matches!(operation, BitsOp::ZeroExtend(_)) { "u" } else { "" };
                let width = terms.width(args[0]) + extension(operation);
                return format!("({sign}int{width}) {}", self.operand(terms, args[0]));
            }
        };
        self.joined(terms, args, &format!(" {infix} "))
    }
}

/// What is taken away in a sum that is a difference.
enum Taken {
    /// A constant, as text.
    Constant(String),
    /// Another term.
    Term(Term),
}

/// A sum with a negated operand as the difference that it is: what something is taken from, and
/// what is.
fn difference(terms: &Terms, args: &[Term]) -> Option<(Term, Taken)> {
    let taken = |arg: Term| {
        if let (Op::Float(Operation::Neg, _), [negated]) = (terms.op(arg), terms.args(arg)) {
            return Some(Taken::Term(*negated));
        }
        let (format, word) = terms.value(arg)?.as_float()?;
        let float = Float::from_word(format, word.clone());
        let is_negative = float.is_sign_minus() && !float.is_zero() && float.to_parts().is_some();
        is_negative.then(|| Taken::Constant(format!("{}{}", float.neg(), suffix(format))))
    };
    let both = taken(args[0]).is_some() && taken(args[1]).is_some();
    let at = (0..2).rev().find(|at| !both && taken(args[*at]).is_some())?;
    Some((args[1 - at], taken(args[at])?))
}

/// The operands that the expression of a term names, in order.
fn needed(terms: &Terms, term: Term) -> Vec<Term> {
    let args = terms.args(term);
    if let Op::Float(Operation::Add, _) = terms.op(term)
        && let Some((from, taken)) = difference(terms, &args[1..])
    {
        return match taken {
            Taken::Constant(_) => vec![from],
            Taken::Term(taken) => vec![from, taken],
        };
    }
    args.to_vec()
}

/// Whether being the same value and C's `==` are one relation: not for zeros and NaNs.
fn compares_as_c_does(terms: &Terms, args: &[Term]) -> bool {
    let is_plain = |value: &Value| match value {
        Value::Float(format, word) => {
            let float = Float::from_word(*format, word.clone());
            !float.is_zero() && !float.is_nan()
        }
        Value::Bool(_) | Value::Bits(_) | Value::Rounding(_) | Value::Array(_) => true,
    };
    !matches!(terms.sort(args[0]), crate::Sort::Float(_))
        || args.iter().any(|arg| terms.value(*arg).is_some_and(is_plain))
}

fn extension(operation: BitsOp) -> u32 {
    match operation {
        BitsOp::ZeroExtend(more) | BitsOp::SignExtend(more) => more,
        bits_ops!(Logic, Arithmetic, Shift, Compare) | BitsOp::Concat | BitsOp::Extract { .. } => 0,
    }
}

/// A constant as C has it.
fn constant(value: &Value) -> String {
    match value {
        Value::Bool(truth) => truth.to_string(),
        Value::Bits(word) if word.width() <= 128 => {
            let bits = word.to_u128().unwrap_or(0);
            let shift = 128 - word.width();
            ((bits << shift) as i128 >> shift).to_string()
        }
        Value::Bits(word) => format!("0x{}", word.to_hex()),
        Value::Float(format, word) => {
            let float = Float::from_word(*format, word.clone());
            let finite = float.to_parts().is_some();
            format!("{float}{}", if finite { suffix(*format) } else { "" })
        }
        Value::Rounding(mode) => mode.smtlib_name().to_owned(),
        Value::Array(_) => "an array".to_owned(),
    }
}

/// What C writes after a constant or a function of a format.
fn suffix(format: Format) -> &'static str {
    match format {
        Format::BINARY32 => "f",
        format if format == Format::X87.implicit() => "l",
        _ => "",
    }
}

/// C's type of a format.
fn type_name(format: Format) -> String {
    match format {
        Format::BINARY16 => "_Float16".to_owned(),
        Format::BINARY32 => "float".to_owned(),
        Format::BINARY64 => "double".to_owned(),
        Format::BINARY128 => "_Float128".to_owned(),
        format if format.implicit() == Format::X87.implicit() => "long double".to_owned(),
        format => format!("float{}", format.width()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sort;

    #[test]
    fn the_papers_example() {
        // E = v1 * v2 * v3 + v4, section 4.4
        let mut terms = Terms::new();
        let [a, b, c, d] = ["v1", "v2", "v3", "v4"]
            .map(|name| terms.variable(name, Sort::Float(Format::BINARY64)));
        let mode = terms.constant(Value::Rounding(Rounding::NearestEven));
        let ab = terms.fp(Operation::Mul, &[mode, a, b]);
        let abc = terms.fp(Operation::Mul, &[mode, ab, c]);
        let sum = terms.fp(Operation::Add, &[mode, abc, d]);
        let mut form = NormalForm::new();
        let lines = form.result(&terms, "E", sum);
        // Addition and multiplication commute: operands may have changed sides.
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(lines[0], "t1 = v1 * v2");
        assert!(["t2 = t1 * v3", "t2 = v3 * t1"].contains(&lines[1].as_str()), "{lines:?}");
        assert!(["E = t2 + v4", "E = v4 + t2"].contains(&lines[2].as_str()), "{lines:?}");
    }

    #[test]
    fn conditions_and_constants() {
        let mut terms = Terms::new();
        let single = Format::BINARY32;
        let bits = terms.variable("x#0", Sort::Bits(32));
        let x = terms.from_bits(single, bits);
        let mode = terms.constant(Value::Rounding(Rounding::NearestEven));
        let up = terms.constant(Value::Rounding(Rounding::Upward));
        let big = terms.constant(Value::from_f32(1e12));
        let zero = terms.constant(Value::zero(single, false));
        let sum = terms.fp(Operation::Add, &[mode, x, big]);
        let positive = terms.fp(Operation::Less, &[zero, x]);
        let absorbed = terms.fp(Operation::Equal, &[sum, big]);
        let opposite = terms.not(absorbed);
        let raised = terms.fp(Operation::Mul, &[up, sum, x]);
        let mut form = NormalForm::new();
        form.name(bits, "x");
        form.name(x, "x");
        assert_eq!(form.condition(&terms, positive), ["x > 0.0f"]);
        assert_eq!(
            form.condition(&terms, absorbed),
            ["t1 = x + 1000000000000.0f", "t1 == 1000000000000.0f"]
        );
        assert_eq!(form.condition(&terms, opposite), ["!(t1 == 1000000000000.0f)"]);
        let less = terms.constant(Value::from_f32(-1.0));
        let down = terms.fp(Operation::Add, &[mode, x, less]);
        assert_eq!(form.result(&terms, "w", down), ["w = x - 1.0f"]);
        let negated = terms.fp(Operation::Neg, &[sum]);
        let apart = terms.fp(Operation::Add, &[mode, big, negated]);
        assert_eq!(form.result(&terms, "z", apart), ["z = 1000000000000.0f - t1"]);
        let none = terms.fp(Operation::IsZero, &[apart]);
        assert_eq!(form.condition(&terms, none), ["t2 = 1000000000000.0f - t1", "t2 == 0.0f"]);
        assert_eq!(form.result(&terms, "return", raised).len(), 1);
    }
}
