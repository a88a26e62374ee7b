//! Real numbers at SMT-LIB's door: known ones, and the values of floats.

use super::head::{Head, two_widths};
use super::symbols::{Meaning, Real};
use crate::evaluate::from_ratio;
use crate::{Evaluation, Sort, Term, Terms, Value};
use nanoscope_ieee::{Float, Format, Operation, Rounding};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use std::rc::Rc;

/// Functions of real numbers that are known, or the values of floats.
pub(crate) fn with_reals(
    terms: &mut Terms,
    head: &Head,
    args: &[Meaning],
) -> Result<Meaning, String> {
    if head.name == "ite" {
        return choose(terms, args);
    }
    if let Some(at) = args.iter().position(|arg| matches!(arg, Meaning::Real(Real::Choice(..)))) {
        return with_choice(terms, head, args, at);
    }
    if let Some(meaning) = of_floats(terms, head, args)? {
        return Ok(meaning);
    }
    if head.name == "to_fp" {
        let format = two_widths(&head.indices).ok_or("`to_fp` takes two widths")?;
        let [Meaning::Term(mode), Meaning::Real(real)] = args else {
            return Err("`to_fp` takes a rounding mode and a real number".to_string());
        };
        if terms.sort(*mode) != Sort::Rounding {
            return Err("`to_fp` takes a rounding mode and a real number".to_string());
        }
        return real_to_fp(terms, format, *mode, real).map(Meaning::Term);
    }
    let mut numbers: Vec<BigRational> = Vec::new();
    for arg in args {
        match arg {
            Meaning::Real(Real::Known(number)) => numbers.push(number.clone()),
            Meaning::Real(
                Real::OverZero(_) | Real::OfFloat(_) | Real::Beyond | Real::Choice(..),
            )
            | Meaning::Term(_) => {
                return Err(format!("`{}` of a real number that is not known", head.name));
            }
        }
    }
    let known = |number| Ok(Meaning::Real(Real::Known(number)));
    let truth = |terms: &mut Terms, ordered: bool| Ok(Meaning::Term(terms.bool(ordered)));
    let ordered = |test: fn(&BigRational, &BigRational) -> bool| {
        numbers.windows(2).all(|pair| test(&pair[0], &pair[1]))
    };
    match (head.name.as_str(), numbers.as_slice()) {
        ("-", [only]) => known(-only),
        ("to_real", [only]) => known(only.clone()),
        ("+", [first, rest @ ..]) => known(rest.iter().fold(first.clone(), |sum, n| sum + n)),
        ("-", [first, rest @ ..]) => known(rest.iter().fold(first.clone(), |sum, n| sum - n)),
        ("*", [first, rest @ ..]) => known(rest.iter().fold(first.clone(), |all, n| all * n)),
        ("/", [first, second]) if second.is_zero() => {
            Ok(Meaning::Real(Real::OverZero(first.clone())))
        }
        ("/", [first, rest @ ..]) if rest.iter().all(|n| !n.is_zero()) => {
            known(rest.iter().fold(first.clone(), |all, n| all / n))
        }
        ("=", _) => truth(terms, ordered(|a, b| a == b)),
        ("<", _) => truth(terms, ordered(|a, b| a < b)),
        ("<=", _) => truth(terms, ordered(|a, b| a <= b)),
        (">", _) => truth(terms, ordered(|a, b| a > b)),
        (">=", _) => truth(terms, ordered(|a, b| a >= b)),
        (name, _) => Err(format!("`{name}` is not known for real numbers")),
    }
}

/// The first part of the names of what stands for truths and floats that come
/// from real numbers beyond us. Nothing is known of them, so a refutation
/// without that knowledge is one, but a model is none.
pub(crate) const BEYOND: &str = "fp.to_real";

/// A function of real numbers of which some come from floats: a comparison with a known number
/// or between two of them, or a conversion, is one of floats; of others nothing is known.
fn of_floats(terms: &mut Terms, head: &Head, args: &[Meaning]) -> Result<Option<Meaning>, String> {
    let comes = |arg: &Meaning| matches!(arg, Meaning::Real(Real::OfFloat(_) | Real::Beyond));
    if !args.iter().any(comes) {
        return Ok(None);
    }
    let reals: Vec<&Real> = args
        .iter()
        .filter_map(|arg| if let Meaning::Real(real) = arg { Some(real) } else { None })
        .collect();
    match (head.name.as_str(), reals.as_slice(), args) {
        ("=" | "distinct" | "<" | "<=" | ">" | ">=", [_, _, ..], _) => {
            let distinct = head.name == "distinct";
            let mut all = Vec::new();
            for (at, first) in reals.iter().enumerate() {
                let after = if distinct { reals.len() } else { (at + 2).min(reals.len()) };
                for second in &reals[at + 1..after] {
                    let Some(holds) = compared(terms, &head.name, first, second) else {
                        return beyond(terms, head).map(Some);
                    };
                    all.push(holds);
                }
            }
            Ok(Some(Meaning::Term(terms.and(&all))))
        }
        ("to_fp", [Real::OfFloat(float)], [Meaning::Term(mode), _])
            if terms.sort(*mode) == Sort::Rounding =>
        {
            let format = two_widths(&head.indices).ok_or("`to_fp` takes two widths")?;
            let zero = terms.constant(Value::zero(format, false));
            let converted = terms.convert(format, *mode, *float);
            let is_zero = terms.fp(Operation::IsZero, &[*float]);
            let rounded = terms.ite(is_zero, zero, converted);
            Ok(Some(Meaning::Term(if_finite(terms, &[*float], rounded))))
        }
        ("to_real", [real], _) => Ok(Some(Meaning::Real((*real).clone()))),
        _ => beyond(terms, head).map(Some),
    }
}

/// A comparison of two real numbers, each known or the value of a float.
fn compared(terms: &mut Terms, name: &str, first: &Real, second: &Real) -> Option<Term> {
    match (first, second) {
        (Real::OfFloat(float), Real::Known(number)) => {
            let format = terms.format(*float);
            // Between a number and the nearest float above or below it, there is no float.
            let [below, above] = [Rounding::Downward, Rounding::Upward].map(|mode| {
                let word = from_ratio(format, mode, number.numer(), number.denom());
                terms.float_bits(format, word)
            });
            let truth = match name {
                "<" => terms.fp(Operation::Less, &[*float, above]),
                "<=" => terms.fp(Operation::LessEqual, &[*float, below]),
                ">" => terms.fp(Operation::Less, &[below, *float]),
                ">=" => terms.fp(Operation::LessEqual, &[above, *float]),
                _ => {
                    let sides = [
                        terms.fp(Operation::Equal, &[*float, below]),
                        terms.fp(Operation::Equal, &[*float, above]),
                    ];
                    let equal = terms.and(&sides);
                    if name == "distinct" { terms.not(equal) } else { equal }
                }
            };
            Some(if_finite(terms, &[*float], truth))
        }
        (Real::Known(_), Real::OfFloat(_)) => {
            let turned = match name {
                "<" => ">",
                "<=" => ">=",
                ">" => "<",
                ">=" => "<=",
                same => same,
            };
            compared(terms, turned, second, first)
        }
        (Real::OfFloat(a), Real::OfFloat(b)) => {
            let (first, second) = (terms.format(*a), terms.format(*b));
            let format = if first.holds(second) { first } else { second };
            if !format.holds(first) {
                return None;
            }
            let exact = terms.rounding(Rounding::TowardZero);
            let [a, b] = [*a, *b].map(|float| match terms.format(float) == format {
                true => float,
                false => terms.convert(format, exact, float),
            });
            let (a, b) = (&a, &b);
            let truth = match name {
                "<" => terms.fp(Operation::Less, &[*a, *b]),
                "<=" => terms.fp(Operation::LessEqual, &[*a, *b]),
                ">" => terms.fp(Operation::Less, &[*b, *a]),
                ">=" => terms.fp(Operation::LessEqual, &[*b, *a]),
                _ => {
                    let equal = terms.fp(Operation::Equal, &[*a, *b]);
                    if name == "distinct" { terms.not(equal) } else { equal }
                }
            };
            Some(if_finite(terms, &[*a, *b], truth))
        }
        (Real::Known(a), Real::Known(b)) => {
            let truth = match name {
                "<" => a < b,
                "<=" => a <= b,
                ">" => a > b,
                ">=" => a >= b,
                "distinct" => a != b,
                _ => a == b,
            };
            Some(terms.bool(truth))
        }
        _ => None,
    }
}

/// The term if the floats are finite. SMT-LIB does not say which number `fp.to_real` makes of
/// others: then it is a variable, whose name has the numbers of the floats' terms.
fn if_finite(terms: &mut Terms, floats: &[Term], term: Term) -> Term {
    let finite: Vec<Term> =
        floats.iter().map(|float| terms.fp(Operation::IsFinite, &[*float])).collect();
    let finite = terms.and(&finite);
    let numbers: Vec<String> = floats.iter().map(|float| float.index().to_string()).collect();
    let sort = terms.sort(term);
    let open = terms.fresh(&format!("{BEYOND}!{}", numbers.join(",")), sort);
    terms.ite(finite, term, open)
}

/// The floats that [`if_finite`] asks about where a variable stands for the rest; none if the
/// variable stands for a number of which nothing is known.
pub(crate) fn floats_behind(terms: &Terms, name: &str) -> Option<Vec<Term>> {
    let numbers = name.strip_prefix(BEYOND)?.strip_prefix('!')?.split_once('!')?.0;
    numbers.split(',').map(|number| terms.term_at(number.parse().ok()?)).collect()
}

/// Exponents beyond this make numbers that nobody wants to read.
const MOST_DIGITS: u64 = 20_000;

/// The real number in a model, where SMT-LIB says which one it is.
pub(crate) fn real_value(evaluation: &mut Evaluation, real: &Real) -> Option<BigRational> {
    match real {
        Real::Known(number) => Some(number.clone()),
        Real::OfFloat(float) => {
            let (format, bits) = evaluation.value(*float).as_float()?;
            let (negative, significand, exponent) =
                Float::from_word(format, bits.clone()).to_parts()?;
            if exponent.unsigned_abs() > MOST_DIGITS {
                return None;
            }
            let scale = BigInt::from(1) << exponent.unsigned_abs();
            let magnitude = BigInt::from(significand);
            let signed = if negative { -magnitude } else { magnitude };
            Some(match exponent {
                0.. => BigRational::from(signed * scale),
                _ => BigRational::new(signed, scale),
            })
        }
        Real::Choice(condition, branches) => match evaluation.value(*condition).as_bool()? {
            true => real_value(evaluation, &branches.0),
            false => real_value(evaluation, &branches.1),
        },
        Real::OverZero(_) | Real::Beyond => None,
    }
}

/// A real number in SMT-LIB.
pub(crate) fn real_text(number: &BigRational) -> String {
    let magnitude = number.abs();
    let text = if magnitude.is_integer() {
        format!("{}.0", magnitude.numer())
    } else {
        format!("(/ {}.0 {}.0)", magnitude.numer(), magnitude.denom())
    };
    if number.is_negative() { format!("(- {text})") } else { text }
}

/// A function of a real number that comes from a float.
fn beyond(terms: &mut Terms, head: &Head) -> Result<Meaning, String> {
    match head.name.as_str() {
        "+" | "-" | "*" | "/" | "abs" | "to_real" => Ok(Meaning::Real(Real::Beyond)),
        "=" | "distinct" | "<" | "<=" | ">" | ">=" => {
            Ok(Meaning::Term(terms.fresh(BEYOND, Sort::Bool)))
        }
        "to_fp" => {
            let format = two_widths(&head.indices).ok_or("`to_fp` takes two widths")?;
            Ok(Meaning::Term(terms.fresh(BEYOND, Sort::Float(format))))
        }
        name => Err(format!("`{name}` is not known for real numbers")),
    }
}

/// `ite` of two real numbers.
fn choose(terms: &mut Terms, args: &[Meaning]) -> Result<Meaning, String> {
    let [Meaning::Term(condition), Meaning::Real(then), Meaning::Real(otherwise)] = args else {
        return Err("`ite` of a real number and something else".to_string());
    };
    if terms.sort(*condition) != Sort::Bool {
        return Err("`ite` takes a truth value".to_string());
    }
    Ok(Meaning::Real(match terms.value(*condition).and_then(Value::as_bool) {
        Some(true) => then.clone(),
        Some(false) => otherwise.clone(),
        None => Real::Choice(*condition, Rc::new((then.clone(), otherwise.clone()))),
    }))
}

/// Among more numbers than this nobody chooses.
const MOST_CHOICES: usize = 256;

/// A function of a choice is a choice between the function's results.
fn with_choice(
    terms: &mut Terms,
    head: &Head,
    args: &[Meaning],
    at: usize,
) -> Result<Meaning, String> {
    let leaves = |arg: &Meaning| match arg {
        Meaning::Real(real) => real.leaves(),
        Meaning::Term(_) => 1,
    };
    let total = args.iter().map(leaves).try_fold(1usize, |total, n| total.checked_mul(n));
    if total.is_none_or(|total| total > MOST_CHOICES) {
        return Err(format!("a choice among more than {MOST_CHOICES} real numbers"));
    }
    let Meaning::Real(Real::Choice(condition, branches)) = args[at].clone() else {
        return Err("no choice".to_string());
    };
    let mut branch = |real: &Real| {
        let mut args = args.to_vec();
        args[at] = Meaning::Real(real.clone());
        with_reals(terms, head, &args)
    };
    match (branch(&branches.0)?, branch(&branches.1)?) {
        (Meaning::Term(then), Meaning::Term(otherwise)) => {
            Ok(Meaning::Term(terms.ite(condition, then, otherwise)))
        }
        (Meaning::Real(then), Meaning::Real(otherwise)) => {
            Ok(Meaning::Real(Real::Choice(condition, Rc::new((then, otherwise)))))
        }
        (Meaning::Term(_), Meaning::Real(_)) | (Meaning::Real(_), Meaning::Term(_)) => {
            Err(format!("`{}` of a choice of real numbers", head.name))
        }
    }
}

/// A real number rounded into a format; with an unknown mode, a choice of five.
fn real_to_fp(terms: &mut Terms, format: Format, mode: Term, real: &Real) -> Result<Term, String> {
    let number = match real {
        Real::Known(number) => number,
        Real::OverZero(_) => return over_zero(terms, format, mode, real),
        Real::OfFloat(_) | Real::Beyond | Real::Choice(..) => {
            return Err("`to_fp` of a choice".to_string());
        }
    };
    let in_mode = |terms: &mut Terms, mode: Rounding| {
        let word = from_ratio(format, mode, number.numer(), number.denom());
        terms.float_bits(format, word)
    };
    if let Some(Value::Rounding(mode)) = terms.value(mode).cloned() {
        return Ok(in_mode(terms, mode));
    }
    let mut all = in_mode(terms, Rounding::TowardZero);
    for known in Rounding::ALL.into_iter().filter(|known| *known != Rounding::TowardZero) {
        let rounded = in_mode(terms, known);
        let name = terms.rounding(known);
        let chosen = terms.equal(mode, name);
        all = terms.ite(chosen, rounded, all);
    }
    Ok(all)
}

/// A quotient by zero is some real number, always the same: a variable over
/// the floats that real numbers round to. One variable cannot speak of the
/// same number in several formats or modes, so only one is read, to
/// nearest, where every float but the NaN comes from some number.
fn over_zero(terms: &mut Terms, format: Format, mode: Term, real: &Real) -> Result<Term, String> {
    let Real::OverZero(numerator) = real else { return Err("a known number".to_string()) };
    let nearest = [Rounding::NearestEven, Rounding::NearestAway];
    let known = terms.value(mode).and_then(Value::as_rounding);
    let Some(known) = known.filter(|known| nearest.contains(known)) else {
        return Err("a quotient by zero, rounded other than to nearest".to_string());
    };
    let name = format!("{numerator}/0 in {format} by {known}");
    if terms.has_variable(&format!("{numerator}/0 in "), &name) {
        return Err("a quotient by zero, rounded in two ways".to_string());
    }
    let variable = terms.variable(&name, Sort::Float(format));
    let is_nan = terms.fp(Operation::IsNan, &[variable]);
    let zero = terms.constant(Value::zero(format, false));
    Ok(terms.ite(is_nan, zero, variable))
}
