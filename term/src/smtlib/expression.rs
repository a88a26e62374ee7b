//! Terms out of trees, by a stack of its own: no depth of nesting, of
//! parentheses or of `let`, exhausts the program's.

use super::head::Head;
use super::heads;
use super::names::RESERVED;
use super::symbols::{Binding, DoorSort, Meaning, Real, Symbols, brief, format, index};
use super::text::{At, Kind, Mistake, Reader, Tree};
use crate::typing::MAX_WIDTH;
use crate::{ArraySort, FunctionId, Op, Sort, Term, Terms, Value};
use hashbrown::HashMap;
use nanoscope_ieee::{Rounding, Word};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use std::rc::Rc;

/// What an application applies.
enum Callee {
    Theory(Head),
    Function(FunctionId),
    Macro(Rc<(Vec<Term>, Meaning)>),
    ConstantArray(ArraySort),
}

enum Frame {
    /// Arguments up to `next` are read.
    Apply { callee: Callee, head: At, args: Vec<Meaning>, next: At, end: At },
    /// Values of the first bindings are read.
    Let { names: Vec<(String, At)>, values: Vec<Meaning>, body: At },
    /// The body of a `let` is being read.
    Body { names: Vec<(String, At)> },
    /// An annotated term is being read.
    Annotated { name: Option<String> },
}

enum State {
    Enter(At),
    Leave(Meaning),
}

/// Reads an expression; `named` gets what `(! ... :named ...)` names.
pub(crate) fn read(
    terms: &mut Terms,
    symbols: &mut Symbols,
    tree: &Tree,
    at: At,
    named: &mut Vec<(String, Term)>,
) -> Result<Meaning, Mistake> {
    let mut frames = Vec::new();
    let outcome = run(terms, symbols, tree, at, named, &mut frames);
    if outcome.is_err() {
        // Names bound by the `let`s that the mistake is in.
        for frame in frames {
            if let Frame::Body { names } = frame {
                names.iter().for_each(|(name, _)| symbols.release(name));
            }
        }
    }
    outcome
}

/// Reads an expression from text, over the given variables.
pub(crate) fn expression_text(
    terms: &mut Terms,
    text: &str,
    variables: &[(&str, Term)],
) -> Result<Term, Mistake> {
    let mut symbols = Symbols::default();
    for (name, term) in variables {
        symbols.bind(name, Binding::Is(Meaning::Term(*term)));
    }
    // Wrapped, so that an atom is read too.
    let wrapped = format!("({text})");
    let tree = Reader::new(wrapped.as_bytes()).command()?.unwrap_or_default();
    match read(terms, &mut symbols, &tree, Tree::ROOT + 1, &mut Vec::new())? {
        Meaning::Term(term) => Ok(term),
        Meaning::Real(_) => Err(tree.mistake(Tree::ROOT, "a real number")),
    }
}

fn run(
    terms: &mut Terms,
    symbols: &mut Symbols,
    tree: &Tree,
    at: At,
    named: &mut Vec<(String, Term)>,
    frames: &mut Vec<Frame>,
) -> Result<Meaning, Mistake> {
    let mut state = State::Enter(at);
    loop {
        state = match state {
            State::Enter(at) => enter(terms, symbols, tree, at, frames)?,
            State::Leave(meaning) => match frames.pop() {
                None => return Ok(meaning),
                Some(frame) => leave(terms, symbols, tree, meaning, frame, frames, named)?,
            },
        };
    }
}

fn enter(
    terms: &mut Terms,
    symbols: &Symbols,
    tree: &Tree,
    at: At,
    frames: &mut Vec<Frame>,
) -> Result<State, Mistake> {
    if !tree.is_list(at) {
        return atom(terms, symbols, tree, at).map(State::Leave);
    }
    let end = tree.next(at);
    let head = at + 1;
    if head == end {
        return Err(tree.mistake(at, "an empty list is no term"));
    }
    if tree.kind(head) == Kind::Symbol && RESERVED.contains(&tree.text(head)) {
        let children = tree.children(at);
        return match (tree.text(head), children.as_slice()) {
            ("let", [_, bindings, body]) => enter_let(tree, *bindings, *body, frames),
            ("!", [_, body, attributes @ ..]) => {
                let name = annotation(tree, attributes)?;
                frames.push(Frame::Annotated { name });
                Ok(State::Enter(*body))
            }
            ("_", [_, name, indices @ ..]) => {
                indexed_constant(terms, tree, *name, indices).map(State::Leave)
            }
            ("as", [_, name, _sort]) if !tree.is_list(*name) => Ok(State::Enter(*name)),
            ("forall" | "exists", _) => Err(tree.mistake(at, "quantifiers are not decided here")),
            (word, _) => Err(tree.mistake(at, format!("`{word}` is not used like this"))),
        };
    }
    let callee = callee(terms, symbols, tree, head)?;
    let next = tree.next(head);
    if next == end {
        return Err(tree.mistake(at, format!("`{}` without arguments", brief(tree, head))));
    }
    frames.push(Frame::Apply { callee, head, args: Vec::new(), next: tree.next(next), end });
    Ok(State::Enter(next))
}

fn enter_let(
    tree: &Tree,
    bindings: At,
    body: At,
    frames: &mut Vec<Frame>,
) -> Result<State, Mistake> {
    let mut names = Vec::new();
    for binding in tree.children(bindings) {
        match tree.children(binding).as_slice() {
            [name, value] if tree.symbol(*name).is_some() => {
                names.push((tree.text(*name).to_string(), *value));
            }
            _ => return Err(tree.mistake(binding, "a binding is `(name term)`")),
        }
    }
    let Some((_, first)) = names.first() else {
        return Err(tree.mistake(bindings, "`let` without bindings"));
    };
    let first = *first;
    frames.push(Frame::Let { names, values: Vec::new(), body });
    Ok(State::Enter(first))
}

fn leave(
    terms: &mut Terms,
    symbols: &mut Symbols,
    tree: &Tree,
    meaning: Meaning,
    frame: Frame,
    frames: &mut Vec<Frame>,
    named: &mut Vec<(String, Term)>,
) -> Result<State, Mistake> {
    match frame {
        Frame::Apply { callee, head, mut args, next, end } => {
            args.push(meaning);
            if next < end {
                let following = tree.next(next);
                frames.push(Frame::Apply { callee, head, args, next: following, end });
                return Ok(State::Enter(next));
            }
            let result = apply(terms, callee, args);
            result.map(State::Leave).map_err(|what| tree.mistake(head, what))
        }
        Frame::Let { names, mut values, body } => {
            values.push(meaning);
            if let Some((_, value)) = names.get(values.len()) {
                let value = *value;
                frames.push(Frame::Let { names, values, body });
                return Ok(State::Enter(value));
            }
            for ((name, _), value) in names.iter().zip(values) {
                symbols.bind(name, Binding::Is(value));
            }
            frames.push(Frame::Body { names });
            Ok(State::Enter(body))
        }
        Frame::Body { names } => {
            names.iter().for_each(|(name, _)| symbols.release(name));
            Ok(State::Leave(meaning))
        }
        Frame::Annotated { name } => {
            if let (Some(name), Meaning::Term(term)) = (name, &meaning) {
                named.push((name, *term));
            }
            Ok(State::Leave(meaning))
        }
    }
}

fn apply(terms: &mut Terms, callee: Callee, args: Vec<Meaning>) -> Result<Meaning, String> {
    let plain = |args: &[Meaning]| -> Result<Vec<Term>, String> {
        let term = |arg: &Meaning| match arg {
            Meaning::Term(term) => Ok(*term),
            Meaning::Real(_) => Err("a real number as an argument".to_string()),
        };
        args.iter().map(term).collect()
    };
    let checked = |terms: &mut Terms, op: Op, args: Vec<Meaning>| {
        let args = plain(&args)?;
        terms.sort_of(op, &args)?;
        Ok(Meaning::Term(terms.make(op, &args)))
    };
    match callee {
        Callee::Theory(head) => heads::apply(terms, &head, args),
        Callee::Function(function) => checked(terms, Op::Apply(function), args),
        Callee::ConstantArray(array) => checked(terms, Op::ConstantArray(array), args),
        Callee::Macro(definition) => {
            let (parameters, body) = &*definition;
            let args = plain(&args)?;
            if args.len() != parameters.len() {
                return Err(format!("{} arguments wanted, not {}", parameters.len(), args.len()));
            }
            for (parameter, arg) in parameters.iter().zip(&args) {
                let (wanted, given) = (terms.sort(*parameter), terms.sort(*arg));
                if wanted != given {
                    let (wanted, given) = (terms.sort_text(wanted), terms.sort_text(given));
                    return Err(format!("an argument of sort {wanted} wanted, not {given}"));
                }
            }
            let Meaning::Term(body) = body else { return Ok(body.clone()) };
            let map: HashMap<Term, Term> = parameters.iter().copied().zip(args).collect();
            let result = terms.substitute(&[*body], |_, term| map.get(&term).copied());
            Ok(Meaning::Term(result[0]))
        }
    }
}

/// The name that attributes give, if any.
fn annotation(tree: &Tree, attributes: &[At]) -> Result<Option<String>, Mistake> {
    let mut rest = attributes.iter();
    let mut found = None;
    while let Some(attribute) = rest.next() {
        if tree.kind(*attribute) == Kind::Keyword && tree.text(*attribute) == ":named" {
            let name = rest.next().and_then(|name| tree.symbol(*name));
            let name = name.ok_or_else(|| tree.mistake(*attribute, "`:named` takes a symbol"))?;
            found = Some(name.to_string());
        }
    }
    Ok(found)
}

fn callee(terms: &mut Terms, symbols: &Symbols, tree: &Tree, head: At) -> Result<Callee, Mistake> {
    if let Some(name) = tree.symbol(head) {
        return match symbols.get(name) {
            Some(Binding::Function(function)) => Ok(Callee::Function(*function)),
            Some(Binding::Macro(definition)) => Ok(Callee::Macro(definition.clone())),
            Some(Binding::Is(_)) => Err(tree.mistake(head, format!("`{name}` takes no arguments"))),
            None => {
                Ok(Callee::Theory(Head { name: name.to_string(), indices: Vec::new(), word: None }))
            }
        };
    }
    let children = tree.children(head);
    match children.as_slice() {
        [underscore, name, indices @ ..] if tree.is_word(*underscore, "_") => {
            let mut numbers = Vec::new();
            let mut word = None;
            for at in indices {
                match tree.symbol(*at) {
                    Some(text) => word = Some(text.to_string()),
                    None => numbers.push(index(tree, *at)?),
                }
            }
            let name = tree.symbol(*name).ok_or_else(|| tree.mistake(*name, "a function"))?;
            Ok(Callee::Theory(Head { name: name.to_string(), indices: numbers, word }))
        }
        [word, constant, sort] if tree.is_word(*word, "as") && tree.is_word(*constant, "const") => {
            match symbols.sort(terms, tree, *sort)? {
                DoorSort::Term(Sort::Array(array)) => Ok(Callee::ConstantArray(array)),
                DoorSort::Term(_) | DoorSort::Real => {
                    Err(tree.mistake(*sort, "`const` makes arrays"))
                }
            }
        }
        [word, name, _] if tree.is_word(*word, "as") && tree.symbol(*name).is_some() => {
            callee(terms, symbols, tree, *name)
        }
        _ => Err(tree.mistake(head, format!("`{}` is no function", brief(tree, head)))),
    }
}

fn atom(terms: &mut Terms, symbols: &Symbols, tree: &Tree, at: At) -> Result<Meaning, Mistake> {
    let text = tree.text(at);
    let bits = |terms: &mut Terms, base: u32, bits: u32| {
        let width = text.len() as u64 * bits as u64;
        if width > MAX_WIDTH as u64 {
            return Err(tree.mistake(at, format!("more than {MAX_WIDTH} bits")));
        }
        let value = BigUint::parse_bytes(text.as_bytes(), base).expect("digits, as read");
        Ok(Meaning::Term(terms.constant(Value::Bits(Word::from_big(width as u32, &value)))))
    };
    match tree.kind(at) {
        Kind::Hexadecimal => bits(terms, 16, 4),
        Kind::Binary => bits(terms, 2, 1),
        Kind::Numeral | Kind::Decimal => Ok(Meaning::Real(Real::Known(real(text)))),
        Kind::Symbol | Kind::Quoted => match symbols.get(text) {
            Some(Binding::Is(meaning)) => Ok(meaning.clone()),
            Some(Binding::Function(_) | Binding::Macro(_)) => {
                Err(tree.mistake(at, format!("`{text}` takes arguments")))
            }
            None => {
                if let Ok(mode) = text.parse::<Rounding>() {
                    return Ok(Meaning::Term(terms.rounding(mode)));
                }
                match text {
                    "true" => Ok(Meaning::Term(terms.bool(true))),
                    "false" => Ok(Meaning::Term(terms.bool(false))),
                    // A symbol by the letter of SMT-LIB, a number to all solvers.
                    _ if negative_number(text) => Ok(Meaning::Real(Real::Known(-real(&text[1..])))),
                    _ => Err(tree.mistake(at, format!("`{text}` is not declared"))),
                }
            }
        },
        Kind::List | Kind::Keyword | Kind::Text => {
            Err(tree.mistake(at, format!("`{}` is no term", brief(tree, at))))
        }
    }
}

/// The number that a numeral or decimal writes.
fn real(text: &str) -> BigRational {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = BigInt::parse_bytes(format!("{whole}{part}").as_bytes(), 10);
    let scale = num_traits::pow(BigInt::from(10), part.len());
    BigRational::new(digits.expect("digits, as read"), scale)
}

fn negative_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.strip_prefix('-').is_some_and(|number| match number.split_once('.') {
        Some((whole, part)) => digits(whole) && digits(part),
        None => digits(number),
    })
}

fn indexed_constant(
    terms: &mut Terms,
    tree: &Tree,
    name: At,
    indices: &[At],
) -> Result<Meaning, Mistake> {
    let text = tree.text(name);
    if let ([width], Some(digits)) = (indices, text.strip_prefix("bv"))
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
    {
        let at = *width;
        let width = index(tree, at)?;
        let value = BigUint::parse_bytes(digits.as_bytes(), 10).expect("digits");
        if width == 0 || value.bits() > width as u64 {
            return Err(tree.mistake(name, format!("{digits} does not fit {width} bits")));
        }
        return Ok(Meaning::Term(terms.constant(Value::Bits(Word::from_big(width, &value)))));
    }
    let [exponent, precision] = indices else {
        return Err(tree.mistake(name, format!("`{text}` is no indexed constant")));
    };
    let format = || format(tree, *exponent, *precision);
    let value = match text {
        "+oo" => Value::infinity(format()?, false),
        "-oo" => Value::infinity(format()?, true),
        "+zero" => Value::zero(format()?, false),
        "-zero" => Value::zero(format()?, true),
        "NaN" => Value::nan(format()?),
        _ => return Err(tree.mistake(name, format!("`{text}` is no indexed constant"))),
    };
    Ok(Meaning::Term(terms.constant(value)))
}
