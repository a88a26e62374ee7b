//! Formulas: read from instructions, printed as C, and written as instructions.

use super::names::Names;
use crate::Location;
use crate::llvm::{Builder, Module, Opcode, Type, TypeKind, Value};
use nanoscope_ieee::Format;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A formula over values of the program.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    /// A value as the program computes it.
    Value(Value),
    /// A conversion that the program does elsewhere, done here.
    Again(Value),
    /// A constant.
    Constant(f64),
    /// The smallest normal number of the format.
    SmallestNormal,
    /// The other sign.
    Negative(Rc<Formula>),
    /// An operation.
    Binary(Operator, Rc<Formula>, Rc<Formula>),
    /// A function of libm, by the name of its double form.
    Call(&'static str, Vec<Formula>),
    /// A variable and what it holds, computed once.
    Let(&'static str, Rc<Formula>),
}

/// Operations of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
}

impl Operator {
    fn opcode(self) -> Opcode {
        match self {
            Operator::Add => Opcode::LLVMFAdd,
            Operator::Sub => Opcode::LLVMFSub,
            Operator::Mul => Opcode::LLVMFMul,
            Operator::Div => Opcode::LLVMFDiv,
        }
    }

    fn of(opcode: Opcode) -> Option<Operator> {
        let all = [Operator::Add, Operator::Sub, Operator::Mul, Operator::Div];
        all.into_iter().find(|operator| operator.opcode() == opcode)
    }

    fn sign(self) -> char {
        match self {
            Operator::Add => '+',
            Operator::Sub => '-',
            Operator::Mul => '*',
            Operator::Div => '/',
        }
    }

    /// How tightly it binds.
    fn strength(self) -> u32 {
        match self {
            Operator::Add | Operator::Sub => 1,
            Operator::Mul | Operator::Div => 2,
        }
    }
}

pub(super) fn value(value: Value) -> Formula {
    match value.as_double() {
        Some(number) => Formula::Constant(number),
        None => Formula::Value(value),
    }
}

pub(super) fn number(number: f64) -> Formula {
    Formula::Constant(number)
}

pub(super) fn add(a: Formula, b: Formula) -> Formula {
    Formula::Binary(Operator::Add, Rc::new(a), Rc::new(b))
}

pub(super) fn sub(a: Formula, b: Formula) -> Formula {
    Formula::Binary(Operator::Sub, Rc::new(a), Rc::new(b))
}

pub(super) fn mul(a: Formula, b: Formula) -> Formula {
    Formula::Binary(Operator::Mul, Rc::new(a), Rc::new(b))
}

pub(super) fn div(a: Formula, b: Formula) -> Formula {
    Formula::Binary(Operator::Div, Rc::new(a), Rc::new(b))
}

pub(super) fn negative(a: Formula) -> Formula {
    match a {
        Formula::Constant(number) => Formula::Constant(-number),
        other => Formula::Negative(Rc::new(other)),
    }
}

pub(super) fn call(function: &'static str, arguments: impl Into<Vec<Formula>>) -> Formula {
    Formula::Call(function, arguments.into())
}

pub(super) fn named(name: &'static str, formula: Formula) -> Formula {
    Formula::Let(name, Rc::new(formula))
}

/// A sum of terms with signs; nothing of none.
pub(super) fn sum(terms: impl IntoIterator<Item = (bool, Formula)>) -> Option<Formula> {
    let join = |sum: Option<Formula>, (is_negative, term): (bool, Formula)| {
        Some(match (sum, is_negative) {
            (None, false) => term,
            (None, true) => negative(term),
            (Some(sum), false) => add(sum, term),
            (Some(sum), true) => sub(sum, term),
        })
    };
    terms.into_iter().fold(None, join)
}

/// A product; nothing of none.
pub(super) fn product(factors: impl IntoIterator<Item = Formula>) -> Option<Formula> {
    factors.into_iter().reduce(mul)
}

/// The operands of a sum or a product as the source has them: a fused sum may have turned them round.
fn in_source_order(value: Value) -> [Value; 2] {
    let [a, b] = [value.operand(0), value.operand(1)];
    let place = |value: Value| value.opcode().map_or(Location::default(), |_| value.location());
    let [first, second] = [a, b].map(place);
    let is_comparable = first.line > 0
        && second.line > 0
        && (&first.file, &first.inlined_at) == (&second.file, &second.inlined_at);
    if is_comparable && second < first { [b, a] } else { [a, b] }
}

/// The operands of an operation.
pub(super) fn binary(value: Value, opcode: Opcode) -> Option<(Value, Value)> {
    (value.opcode() == Some(opcode)).then(|| (value.operand(0), value.operand(1)))
}

/// The terms of a sum, each with whether it is subtracted.
pub(super) fn terms(sum: Value) -> Vec<(bool, Value)> {
    let flip = |list: Vec<(bool, Value)>| list.into_iter().map(|(sign, value)| (!sign, value));
    match sum.opcode() {
        Some(Opcode::LLVMFAdd) => in_source_order(sum).map(terms).concat(),
        Some(Opcode::LLVMFSub) => {
            let mut list = terms(sum.operand(0));
            list.extend(flip(terms(sum.operand(1))));
            list
        }
        Some(Opcode::LLVMFNeg) => flip(terms(sum.operand(0))).collect(),
        Some(_) | None => vec![(false, sum)],
    }
}

/// The factors of a product.
pub(super) fn factors(product: Value) -> Vec<Value> {
    match product.opcode() {
        Some(Opcode::LLVMFMul) => in_source_order(product).map(factors).concat(),
        Some(_) | None => vec![product],
    }
}

/// The factors of a product without their signs, and whether the signs make it negative.
pub(super) fn signed_factors(product: Value) -> (bool, Vec<Value>) {
    let mut is_negative = false;
    let mut list = factors(product);
    for factor in &mut list {
        while factor.opcode() == Some(Opcode::LLVMFNeg) {
            is_negative = !is_negative;
            *factor = factor.operand(0);
        }
    }
    (is_negative, list)
}

/// What a product is the square of, and whether it is the negative of a square.
pub(super) fn root_of_square(product: Value) -> Option<(bool, Value)> {
    let (is_negative, list) = signed_factors(product);
    match list[..] {
        [a, b] if is_same(a, b) => Some((is_negative, a)),
        _ => None,
    }
}

/// The terms of a sum that are all squares or negatives of squares: their bases.
pub(super) fn signed_squares(sum: Value) -> Option<Vec<(bool, Value)>> {
    let signed = |(outer, term): (bool, Value)| {
        root_of_square(term).map(|(inner, base)| (outer != inner, base))
    };
    terms(sum).into_iter().map(signed).collect()
}

/// The bases of a sum of at least two squares and nothing else.
pub(super) fn squares(sum: Value) -> Option<Vec<Value>> {
    let squares = signed_squares(sum)?;
    let is_sum = squares.len() > 1 && squares.iter().all(|(is_negative, _)| !is_negative);
    is_sum.then(|| squares.into_iter().map(|(_, base)| base).collect())
}

/// Whether two values are computed alike. Two calls of one function on the same number are.
pub(super) fn is_same(a: Value, b: Value) -> bool {
    if a == b {
        return true;
    }
    let is_alike = is_operation(a) && a.opcode() == b.opcode() && called(a) == called(b);
    let (left, right) = (a.operands(), b.operands());
    is_alike && left.len() == right.len() && left.iter().zip(&right).all(|(a, b)| is_same(*a, *b))
}

/// Whether an instruction calls a function of libm, given by the name of its double form.
pub(super) fn is_called(value: Value, function: &str) -> bool {
    called(value).as_deref() == Some(function)
}

/// The function of libm that an instruction calls, by the name of its double form.
fn called(value: Value) -> Option<String> {
    let callee = value.callee().filter(|callee| callee.is_declaration())?;
    let name = callee.name();
    if let Some(intrinsic) = name.strip_prefix("llvm.") {
        let base = intrinsic.split('.').next().unwrap_or(intrinsic);
        let is_ours = INTRINSICS.iter().find(|(_, llvm)| *llvm == base);
        let is_same = LIKE_C.contains(&base).then(|| base.to_owned());
        return is_ours.map(|(c, _)| (*c).to_owned()).or(is_same);
    }
    let TypeKind::Float(format) = value.ty().kind() else { return None };
    let base = match suffix(format)? {
        "" => name.as_str(),
        suffix => name.strip_suffix(suffix)?,
    };
    let function = crate::code::libm::Function::named(base)?;
    (function.signature.operands() == value.arguments().len()).then(|| base.to_owned())
}

/// Functions that LLVM has intrinsics for: C's name, and LLVM's.
const INTRINSICS: &[(&str, &str)] =
    &[("fabs", "fabs"), ("fmax", "maxnum"), ("copysign", "copysign"), ("sqrt", "sqrt")];

/// Intrinsics with the names of C's functions.
const LIKE_C: &[&str] = &["exp", "log", "log2", "log10", "pow"];

/// What the names of C's functions end in.
fn suffix(format: Format) -> Option<&'static str> {
    match format {
        Format::BINARY64 => Some(""),
        Format::BINARY32 => Some("f"),
        Format::X87 => Some("l"),
        _ => None,
    }
}

/// Whether a value is an operation that a formula can hold.
pub(super) fn is_operation(value: Value) -> bool {
    match value.opcode() {
        Some(Opcode::LLVMFNeg) => true,
        Some(opcode) => Operator::of(opcode).is_some() || called(value).is_some(),
        None => false,
    }
}

/// Operations down to which an instruction is read.
const DEPTH: u32 = 6;

impl Formula {
    /// The formula that an instruction computes.
    pub fn read(instruction: Value) -> Formula {
        Formula::read_to(instruction, DEPTH, true)
    }

    fn read_to(from: Value, depth: u32, is_root: bool) -> Formula {
        let has_name = !is_root && from.opcode().is_some() && !from.name().is_empty();
        if depth == 0 || has_name || !is_operation(from) {
            return value(from);
        }
        let read = |operand| Formula::read_to(operand, depth - 1, false);
        let operand = |at| read(from.operand(at));
        match from.opcode().map(|opcode| (opcode, Operator::of(opcode))) {
            Some((_, Some(Operator::Add))) => match in_source_order(from).map(read) {
                [a, Formula::Negative(b)] => sub(a, (*b).clone()),
                [a, Formula::Constant(b)] if b < 0.0 => sub(a, number(-b)),
                [a, b] => add(a, b),
            },
            Some((_, Some(Operator::Mul))) => {
                let [a, b] = in_source_order(from).map(read);
                mul(a, b)
            }
            Some((_, Some(operator))) => {
                Formula::Binary(operator, Rc::new(operand(0)), Rc::new(operand(1)))
            }
            Some((Opcode::LLVMFNeg, None)) => negative(operand(0)),
            Some((_, None)) | None => {
                let known = called(from)
                    .and_then(|name| Some(crate::code::libm::Function::named(&name)?.name));
                let arguments = 0..from.arguments().len() as u32;
                match known {
                    Some(name) => Formula::Call(name, arguments.map(operand).collect()),
                    None => value(from),
                }
            }
        }
    }

    /// The values of the program in it.
    pub fn values(&self) -> Vec<Value> {
        match self {
            Formula::Value(value) | Formula::Again(value) => vec![*value],
            Formula::Constant(_) | Formula::SmallestNormal => Vec::new(),
            Formula::Negative(inner) | Formula::Let(_, inner) => inner.values(),
            Formula::Binary(_, a, b) => [a.values(), b.values()].concat(),
            Formula::Call(_, arguments) => arguments.iter().flat_map(Formula::values).collect(),
        }
    }

    /// As C, with the definitions of its variables behind it.
    pub fn text(&self, names: &Names, format: Format) -> String {
        let mut page = Page { names, format, letters: Vec::new(), lets: Vec::new() };
        let mut text = page.print(self, 0);
        let mut at = 0;
        // A definition may need further ones.
        while let Some((name, formula)) = page.lets.get(at).cloned() {
            let definition = page.print(&formula, 0);
            let joint = if at == 0 { " where" } else { "," };
            text.push_str(&format!("{joint} {name} = {definition}"));
            at += 1;
        }
        text
    }
}

/// A formula that is being printed.
struct Page<'n> {
    names: &'n Names,
    format: Format,
    /// Values without a name in the source: they get letters.
    letters: Vec<Value>,
    lets: Vec<(&'static str, Rc<Formula>)>,
}

impl Page<'_> {
    /// Prints a formula where operators of a strength stand beside it.
    fn print(&mut self, formula: &Formula, beside: u32) -> String {
        match formula {
            Formula::Value(value) if self.is_nameless(*value) => {
                self.print(&Formula::read(*value), beside)
            }
            Formula::Value(value) | Formula::Again(value) => self.value(*value),
            Formula::Constant(number) => format!("{number:?}").replace(".0", ""),
            Formula::SmallestNormal => match self.format {
                Format::BINARY32 => "FLT_MIN".to_owned(),
                _ => "DBL_MIN".to_owned(),
            },
            Formula::Negative(inner) => format!("-{}", self.print(inner, 3)),
            Formula::Binary(operator, a, b) => {
                let strength = operator.strength();
                let (a, b) = (self.print(a, strength), self.print(b, strength + 1));
                let text = format!("{a} {} {b}", operator.sign());
                if strength < beside { format!("({text})") } else { text }
            }
            Formula::Call(function, arguments) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| self.print(argument, 0)).collect();
                format!("{function}{}({})", suffix(self.format).unwrap_or(""), arguments.join(", "))
            }
            Formula::Let(name, inner) => {
                if !self.lets.iter().any(|(known, _)| known == name) {
                    self.lets.push((name, Rc::clone(inner)));
                }
                (*name).to_owned()
            }
        }
    }

    /// Whether a value is known by its formula only.
    fn is_nameless(&self, value: Value) -> bool {
        self.names.of(value).is_none() && is_operation(value)
    }

    fn value(&mut self, value: Value) -> String {
        if let Some(number) = value.as_double() {
            return format!("{number:?}").replace(".0", "");
        }
        if let Some(number) = value.as_integer() {
            return number.to_string();
        }
        if let Some(name) = self.names.of(value) {
            return name.to_owned();
        }
        use Opcode::*;
        match value.opcode() {
            Some(LLVMSIToFP | LLVMUIToFP | LLVMFPExt | LLVMFPTrunc | LLVMSExt | LLVMZExt) => {
                self.value(value.operand(0))
            }
            Some(LLVMLoad) => self.place(value.operand(0)),
            Some(_) | None => self.letter(value),
        }
    }

    /// What stands at an address: an element of an array or a member of a structure, where that
    /// can be told.
    fn place(&mut self, address: Value) -> String {
        let is_element = address.opcode() == Some(Opcode::LLVMGetElementPtr);
        let operands = if is_element { address.operands() } else { vec![address] };
        let named = match operands.as_slice() {
            [pointer] => self.names.behind(*pointer),
            [array, index] => {
                let name = self.names.of(*array).map(str::to_owned);
                name.map(|name| format!("{name}[{}]", self.value(*index)))
            }
            [object, first, member] if first.as_integer() == Some(0) => {
                let number = member.as_integer().and_then(|number| usize::try_from(number).ok());
                number.and_then(|number| self.names.member(*object, number))
            }
            _ => None,
        };
        named.unwrap_or_else(|| self.letter(address))
    }

    fn letter(&mut self, value: Value) -> String {
        const LETTERS: [&str; 6] = ["p", "q", "r", "s", "t", "w"];
        let at = self.letters.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.letters.push(value);
            self.letters.len() - 1
        });
        let (round, letter) = (at / LETTERS.len(), LETTERS[at % LETTERS.len()]);
        if round == 0 { letter.to_owned() } else { format!("{letter}{round}") }
    }
}

/// Writes formulas in the place of an instruction.
pub(super) struct Writer<'m> {
    module: &'m Module,
    builder: &'m Builder<'m>,
    ty: Type,
    lets: RefCell<BTreeMap<&'static str, Value>>,
}

impl<'m> Writer<'m> {
    /// Before `instruction`, in its format.
    pub fn new(module: &'m Module, builder: &'m Builder<'m>, instruction: Value) -> Writer<'m> {
        builder.before(instruction);
        builder.place_as(instruction);
        Writer { module, builder, ty: instruction.ty(), lets: RefCell::default() }
    }

    pub fn write(&self, formula: &Formula) -> Value {
        match formula {
            Formula::Value(value) => *value,
            Formula::Again(value) => match value.opcode() {
                Some(opcode) => {
                    let operand = self.write(&Formula::Again(value.operand(0)));
                    self.builder.cast(opcode, operand, value.ty())
                }
                None => *value,
            },
            Formula::Constant(number) => self.ty.real(*number),
            Formula::SmallestNormal => self.ty.real(match self.ty.kind() {
                TypeKind::Float(Format::BINARY32) => f64::from(f32::MIN_POSITIVE),
                _ => f64::MIN_POSITIVE,
            }),
            Formula::Negative(inner) => self.builder.negative(self.write(inner)),
            Formula::Binary(operator, a, b) => {
                let (a, b) = (self.write(a), self.write(b));
                self.builder.binary(operator.opcode(), a, b)
            }
            Formula::Call(function, arguments) => {
                let arguments: Vec<Value> =
                    arguments.iter().map(|argument| self.write(argument)).collect();
                let ty = self.module.function_type(self.ty, &vec![self.ty; arguments.len()]);
                let callee = self.module.add_function(&self.symbol(function), ty);
                self.builder.call(callee, &arguments)
            }
            Formula::Let(name, inner) => {
                let known = self.lets.borrow().get(name).copied();
                known.unwrap_or_else(|| {
                    let value = self.write(inner);
                    self.lets.borrow_mut().insert(name, value);
                    value
                })
            }
        }
    }

    /// The symbol of a function in the format that is written.
    fn symbol(&self, function: &str) -> String {
        match INTRINSICS.iter().find(|(c, _)| *c == function) {
            Some((_, llvm)) => {
                let suffix = match self.ty.kind() {
                    TypeKind::Float(Format::X87) => "f80".to_owned(),
                    _ => self.ty.suffix(),
                };
                format!("llvm.{llvm}.{suffix}")
            }
            None => {
                let TypeKind::Float(format) = self.ty.kind() else { return function.to_owned() };
                format!("{function}{}", suffix(format).unwrap_or(""))
            }
        }
    }
}
