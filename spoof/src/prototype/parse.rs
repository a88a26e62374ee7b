//! The text of prototypes, read. `docs/handling.md` describes the format.

use super::expression::{Expression, Scalar};
use super::family::{Member, members};
use super::tokens::{Mistake, Placed, Token, tokenize};
use super::{
    Dimension, Documented, Intent, Kind, Language, Library, Parameter, Passing, Prototype, Shape,
};

/// Reads a file of prototypes.
pub fn parse(text: &str) -> Result<Library, Mistake> {
    let tokens = tokenize(text)?;
    Parser { tokens, next: 0, depth: 0, member: None }.library()
}

/// `info.usual`: an output without any spoof.
pub(crate) const USUAL: &str = ".usual";

/// The exceptions that a call raises, as conditions name them, and the processor's flags for them.
pub(crate) const RAISES: [(&str, u8); 3] =
    [("raises.invalid", 1), ("raises.division", 4), ("raises.overflow", 8)];

/// A parameter's name in a function's heading, and where it stands.
struct Named {
    name: String,
    line: u32,
    column: u32,
}

pub(super) struct Parser {
    tokens: Vec<Placed>,
    pub(super) next: usize,
    /// Of nested expressions.
    pub(super) depth: u32,
    /// The member of a family that is being read.
    member: Option<Member>,
}

impl Parser {
    pub(super) fn here(&self) -> &Placed {
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    pub(super) fn mistake<T>(&self, what: impl Into<String>) -> Result<T, Mistake> {
        let here = self.here();
        Err(Mistake { line: here.line, column: here.column, what: what.into() })
    }

    fn at_end(&self) -> bool {
        self.next >= self.tokens.len() - 1
    }

    pub(super) fn accept(&mut self, symbol: &str) -> bool {
        let found = matches!(&self.here().token, Token::Symbol(s) if *s == symbol);
        self.next += usize::from(found);
        found
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(&self.here().token, Token::Word(w) if w == word);
        self.next += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<(), Mistake> {
        if self.accept(symbol) {
            Ok(())
        } else {
            self.mistake(format!("`{symbol}` is needed here"))
        }
    }

    fn word(&mut self, what: &str) -> Result<String, Mistake> {
        match &self.here().token {
            Token::Word(word) => {
                let word = word.clone();
                self.next += 1;
                Ok(word)
            }
            Token::Number(_) | Token::Character(_) | Token::Symbol(_) | Token::End => {
                self.mistake(format!("{what} is needed here"))
            }
        }
    }

    fn end(&mut self) -> Result<(), Mistake> {
        if self.here().token == Token::End {
            self.next += 1;
            Ok(())
        } else {
            self.mistake("the statement should end here")
        }
    }

    fn library(mut self) -> Result<Library, Mistake> {
        let mut library = Library::default();
        while !self.at_end() {
            if self.here().token == Token::End {
                self.next += 1;
            } else if self.accept_word("optional") {
                library.optional = true;
                self.end()?;
            } else {
                let (line, column) = (self.here().line, self.here().column);
                for prototype in self.family()? {
                    let mut others = library.prototypes.iter();
                    if others.any(|other| other.symbol == prototype.symbol) {
                        let what = format!("{} is described twice", prototype.symbol);
                        return Err(Mistake { line, column, what });
                    }
                    library.prototypes.push(prototype);
                }
            }
        }
        Ok(library)
    }

    /// A prototype, or one for each member of a family: `{s,d}axpy`.
    fn family(&mut self) -> Result<Vec<Prototype>, Mistake> {
        let begin = self.next;
        let named = match self.tokens.get(begin + 1).map(|placed| &placed.token) {
            Some(Token::Word(word)) => members(word),
            Some(Token::Number(_) | Token::Character(_) | Token::Symbol(_) | Token::End) | None => {
                Ok(Vec::new())
            }
        };
        let all = match named {
            Ok(all) => all,
            Err(what) => {
                self.next += 1;
                return self.mistake(what);
            }
        };
        if all.is_empty() {
            return Ok(vec![self.prototype()?]);
        }
        let mut prototypes = Vec::new();
        for member in all {
            self.next = begin;
            self.member = Some(member);
            prototypes.push(self.prototype()?);
        }
        self.member = None;
        Ok(prototypes)
    }

    fn prototype(&mut self) -> Result<Prototype, Mistake> {
        let (mut prototype, names) = self.heading()?;
        let mut parameters: Vec<Option<Parameter>> = vec![None; names.len()];
        let mut conditions: Vec<(usize, Expression)> = Vec::new();
        while !self.prototype_ends(&names) {
            if self.here().token == Token::End {
                self.next += 1;
                continue;
            }
            let is_parameter = names.iter().any(|named| self.is_word(&named.name))
                && !self.follows(1, &["(", "->"]);
            if is_parameter {
                self.parameters(prototype.language, &names, &mut parameters)?;
            } else {
                conditions.extend(self.statement(&mut prototype, &names)?);
                self.end()?;
            }
        }
        for (Named { name, line, column }, parameter) in names.into_iter().zip(parameters) {
            let Some(parameter) = parameter else {
                let what = format!("{name} is not described");
                return Err(Mistake { line, column, what });
            };
            prototype.parameters.push(parameter);
        }
        self.check_names(&prototype, &conditions)?;
        Ok(prototype)
    }

    /// `fortran sgemv(trans, m, n) -> real 32`: the names of the parameters, to be described.
    fn heading(&mut self) -> Result<(Prototype, Vec<Named>), Mistake> {
        let line = self.here().line;
        let language = if self.accept_word("fortran") {
            Language::Fortran
        } else if self.accept_word("c") {
            Language::C
        } else {
            return self.mistake("a prototype begins with `fortran` or `c`, then the function");
        };
        let written = self.word("the function's name")?;
        let name = self.member.as_ref().map_or(written, |member| member.name.clone());
        let symbol = match language {
            Language::Fortran if !name.ends_with('_') => format!("{}_", name.to_lowercase()),
            Language::Fortran | Language::C => name.clone(),
        };
        self.expect("(")?;
        let mut names: Vec<Named> = Vec::new();
        while !self.accept(")") {
            if !names.is_empty() {
                self.expect(",")?;
            }
            let (line, column) = (self.here().line, self.here().column);
            let name = self.word("a parameter's name")?;
            if names.iter().any(|other| other.name == name) {
                let what = format!("{name} is there twice");
                return Err(Mistake { line, column, what });
            }
            names.push(Named { name, line, column });
        }
        let result = if self.accept("->") { Some(self.result(language)?) } else { None };
        self.end()?;
        let prototype = Prototype {
            name,
            symbol,
            address: None,
            language,
            line,
            parameters: Vec::new(),
            result,
            fields: Vec::new(),
            returned: None,
            require: Vec::new(),
            documented: Vec::new(),
            reports: Vec::new(),
            error_routines: Vec::new(),
        };
        Ok((prototype, names))
    }

    /// Whether the next prototype begins here, or nothing follows.
    fn prototype_ends(&self, names: &[Named]) -> bool {
        if self.at_end() {
            return true;
        }
        // A parameter may be called c, as in rot: then a type follows.
        ["fortran", "c"].into_iter().any(|word| {
            let named = names.iter().any(|named| named.name == word);
            self.is_word(word) && (!named || self.follows(2, &["("]))
        })
    }

    /// What is said of the whole function: `require`, `documented`, `report`, `error`, `address`. Gives the
    /// condition, if it has one, and where that stands.
    fn statement(
        &mut self,
        prototype: &mut Prototype,
        names: &[Named],
    ) -> Result<Option<(usize, Expression)>, Mistake> {
        let at = self.next + 1;
        if self.accept_word("require") {
            let condition = self.expression()?;
            prototype.require.push(condition.clone());
            return Ok(Some((at, condition)));
        }
        if self.accept_word("documented") {
            let condition = if self.accept_word("always") {
                Expression::Literal(Scalar::Truth(true))
            } else {
                self.expression()?
            };
            let text = self.text_between(at, self.next);
            let parameters = if self.accept(":") { self.named(names)? } else { Vec::new() };
            let documented = Documented { condition: condition.clone(), text, parameters };
            prototype.documented.push(documented);
            return Ok(Some((at, condition)));
        }
        if self.accept_word("report") {
            let condition = self.expression()?;
            let text = self.text_between(at, self.next);
            prototype.reports.push((condition.clone(), text));
            return Ok(Some((at, condition)));
        }
        if self.accept_word("address") {
            let Token::Number(Scalar::Integer(address)) = self.here().token else {
                return self.mistake("an address is needed here, as 0x4011d6");
            };
            prototype.address = u64::try_from(address).ok();
            self.next += 1;
            return Ok(None);
        }
        if self.accept_word("error") {
            prototype.error_routines.push(self.word("the error routine's name")?);
            return Ok(None);
        }
        self.mistake(format!(
            "a parameter of {}, `require`, `documented`, `report`, `error` or `address` is needed here",
            prototype.name
        ))
    }

    /// Parameters, with commas between them.
    fn named(&mut self, names: &[Named]) -> Result<Vec<String>, Mistake> {
        let mut all = Vec::new();
        loop {
            if !names.iter().any(|named| self.is_word(&named.name)) {
                return self.mistake("a parameter's name is needed here");
            }
            all.push(self.word("a parameter's name")?);
            if !self.accept(",") {
                return Ok(all);
            }
        }
    }

    /// Whether one of these symbols stands so many tokens ahead.
    fn follows(&self, ahead: usize, symbols: &[&str]) -> bool {
        let placed = self.tokens.get(self.next + ahead);
        placed.is_some_and(|p| matches!(&p.token, Token::Symbol(s) if symbols.contains(s)))
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.here().token, Token::Word(w) if w == word)
    }

    /// The names of all expressions are parameters, indices, `return`, `errno` or exceptions.
    fn check_names(
        &self,
        prototype: &Prototype,
        conditions: &[(usize, Expression)],
    ) -> Result<(), Mistake> {
        let known = |name: &str| {
            // `param[0]` is an element of `param`, `info.usual` what it is without a spoof.
            let name = name.split('[').next().unwrap_or(name);
            let name = name.strip_suffix(USUAL).unwrap_or(name);
            name == "return"
                || name == "errno"
                || RAISES.iter().any(|(flag, _)| *flag == name)
                || prototype.parameters.iter().any(|parameter| parameter.name == name)
        };
        for (at, condition) in conditions {
            let mut names = Vec::new();
            condition.names(&mut names);
            if let Some(unknown) = names.into_iter().find(|name| !known(name)) {
                let what = format!("{} has no parameter {unknown}", prototype.name);
                let place = &self.tokens[*at];
                return Err(Mistake { line: place.line, column: place.column, what });
            }
        }
        for parameter in prototype.parameters.iter().chain(&prototype.result) {
            for shape in parameter.shapes() {
                // In a family of real and complex functions `part` may stand for either.
                let index = |name: &str| {
                    let part = name == "part" && parameter.kind.is_float();
                    part || shape.dimensions.iter().any(|d| d.index == name)
                };
                let mut names = Vec::new();
                shape.dimensions.iter().for_each(|dimension| dimension.extent.names(&mut names));
                shape.offset.iter().for_each(|offset| offset.names(&mut names));
                shape.condition.iter().for_each(|condition| condition.names(&mut names));
                if let Some(unknown) = names.into_iter().find(|name| !known(name) && !index(name)) {
                    let what = format!("{} has no parameter or index {unknown}", prototype.name);
                    return Err(Mistake { line: shape.line, column: shape.column, what });
                }
            }
        }
        Ok(())
    }

    fn text_between(&self, from: usize, to: usize) -> String {
        let mut text = String::new();
        for placed in &self.tokens[from..to] {
            let word = match &placed.token {
                Token::Word(word) => word.clone(),
                Token::Number(Scalar::Integer(x)) => x.to_string(),
                Token::Number(Scalar::Real(x)) => x.to_string(),
                Token::Number(Scalar::Truth(_) | Scalar::Character(_)) | Token::End => {
                    String::new()
                }
                Token::Character(c) => format!("'{}'", char::from(*c)),
                Token::Symbol(symbol) => (*symbol).to_string(),
            };
            let tight = matches!(word.as_str(), ")" | ",") || text.ends_with('(');
            if !text.is_empty() && !tight {
                text.push(' ');
            }
            text.push_str(&word);
        }
        text
    }

    fn kind(&mut self) -> Result<(Kind, Option<u32>), Mistake> {
        let at = self.next;
        let word = self.word("a type (character, integer, real or complex)")?;
        let own = self.member.as_ref().map(|member| (member.kind, member.bits));
        let kind = match (word.as_str(), own) {
            ("number", Some((kind, bits))) => return Ok((kind, Some(bits))),
            ("character", _) => Kind::Character,
            ("integer", _) => Kind::Integer,
            ("real", _) => Kind::Real,
            ("complex", _) => Kind::Complex,
            (other, _) => {
                self.next = at;
                return self.mistake(format!(
                    "{other} is no type: character, integer, real or complex is needed here"
                ));
            }
        };
        let bits = match self.here().token {
            Token::Number(Scalar::Integer(bits)) => Some(bits),
            Token::Word(_)
            | Token::Number(_)
            | Token::Character(_)
            | Token::Symbol(_)
            | Token::End => None,
        };
        let known: &[i64] = match kind {
            Kind::Character => &[8],
            Kind::Integer => &[8, 16, 32, 64],
            Kind::Real | Kind::Complex => &[32, 64, 80],
        };
        match (bits, kind) {
            (Some(bits), _) if known.contains(&bits) => {
                self.next += 1;
                Ok((kind, u32::try_from(bits).ok()))
            }
            (Some(bits), _) => self.mistake(format!("no {word} has {bits} bits, but {known:?}")),
            (None, Kind::Character | Kind::Integer) => Ok((kind, None)),
            (None, Kind::Real | Kind::Complex) if own.is_some() => {
                Ok((kind, own.map(|(_, bits)| bits)))
            }
            (None, Kind::Real | Kind::Complex) => {
                self.mistake(format!("the bits of a {word} are needed here: 32, 64 or 80"))
            }
        }
    }

    fn result(&mut self, language: Language) -> Result<Parameter, Mistake> {
        let (kind, bits) = self.kind()?;
        let shape = if matches!(self.here().token, Token::Symbol("(")) {
            Some(self.shape()?)
        } else {
            None
        };
        Ok(Parameter {
            name: "return".to_string(),
            kind,
            bits: bits.unwrap_or(default_bits(kind)),
            default_size: bits.is_none() && kind == Kind::Integer && language == Language::Fortran,
            intent: Intent::Return,
            passing: Passing::Value,
            shape,
            out_shape: None,
            observed: false,
            inside: None,
        })
    }

    fn parameters(
        &mut self,
        language: Language,
        names: &[Named],
        parameters: &mut [Option<Parameter>],
    ) -> Result<(), Mistake> {
        let mut described = Vec::new();
        let (line, column) = (self.here().line, self.here().column);
        loop {
            let Some(at) = names.iter().position(|named| self.is_word(&named.name)) else {
                return self.mistake("a parameter's name is needed here");
            };
            let twice = described.contains(&at) || parameters[at].as_ref().is_some_and(is_whole);
            if twice {
                return self.mistake(format!("{} is described twice", names[at].name));
            }
            described.push(at);
            self.next += 1;
            if !self.accept(",") {
                break;
            }
        }
        let (kind, bits) = self.kind()?;
        let at = self.next;
        let intent = match self.word("`in`, `out` or `inout`")?.as_str() {
            "in" => Intent::In,
            "out" => Intent::Out,
            "inout" => Intent::InOut,
            _ => {
                self.next = at;
                return self.mistake("`in`, `out` or `inout` is needed here");
            }
        };
        let mut passing = None;
        if self.accept_word("by") {
            if self.accept_word("value") {
                passing = Some(Passing::Value);
            } else if self.accept_word("reference") {
                passing = Some(Passing::Reference);
            } else {
                return self.mistake("`value` or `reference` is needed here");
            }
        }
        let observed = kind.is_float() && self.accept_word("observed");
        let shape = if !observed && matches!(self.here().token, Token::Symbol("(")) {
            Some(self.shape()?)
        } else {
            None
        };
        self.end()?;
        let by_value =
            language == Language::C && intent == Intent::In && shape.is_none() && !observed;
        let passing = passing.unwrap_or(if by_value { Passing::Value } else { Passing::Reference });
        if observed && passing == Passing::Value {
            return Err(Mistake {
                line,
                column,
                what: "a value has no elements to observe".to_string(),
            });
        }
        for at in described {
            if let Some(before) = &mut parameters[at] {
                let same = before.kind == kind && bits.is_none_or(|bits| before.bits == bits);
                if intent != Intent::Out || shape.is_none() || !same {
                    let what =
                        "after its elements that come `in`, those that go `out` are described";
                    return Err(Mistake { line, column, what: what.to_string() });
                }
                before.intent = Intent::InOut;
                before.out_shape = shape.clone();
                continue;
            }
            parameters[at] = Some(Parameter {
                name: names[at].name.clone(),
                kind,
                bits: bits.unwrap_or(default_bits(kind)),
                default_size: bits.is_none()
                    && kind == Kind::Integer
                    && language == Language::Fortran,
                intent,
                passing,
                shape: shape.clone(),
                out_shape: None,
                observed,
                inside: None,
            });
        }
        Ok(())
    }

    /// `(i < m, j < n) at offset where condition`, or `(i < n) step inc`.
    fn shape(&mut self) -> Result<Shape, Mistake> {
        let (line, column) = (self.here().line, self.here().column);
        self.expect("(")?;
        let mut dimensions: Vec<Dimension> = Vec::new();
        loop {
            let index = self.word("an index")?;
            self.expect("<")?;
            let extent = self.additive()?;
            dimensions.push(Dimension { index, extent });
            if self.accept(")") {
                break;
            }
            self.expect(",")?;
        }
        let mut shape =
            Shape { dimensions, offset: None, step: None, condition: None, line, column };
        if self.accept_word("at") {
            shape.offset = Some(self.expression()?);
        } else if self.accept_word("step") {
            if shape.dimensions.len() != 1 {
                return self
                    .mistake("`step` is for one index; with more, say where: `at i + j*lda`");
            }
            shape.step = Some(self.expression()?);
        } else if shape.dimensions.len() != 1 {
            return self.mistake("say where the elements are: `at i + j*lda`");
        }
        if self.accept_word("where") {
            shape.condition = Some(self.expression()?);
        }
        Ok(shape)
    }
}

/// Whether no second line may follow: an array that comes in may be followed by what goes out.
fn is_whole(parameter: &Parameter) -> bool {
    parameter.intent != Intent::In || parameter.shape.is_none()
}

fn default_bits(kind: Kind) -> u32 {
    match kind {
        Kind::Character => 8,
        Kind::Integer => 32,
        Kind::Real | Kind::Complex => 64,
    }
}
