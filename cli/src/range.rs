//! `--input x=LO..HI` and `--array x=8`, as words.
//!
//! A bound stays text here: which number it is depends on the parameter's type, which
//! is known only when the program is compiled.

use clap::ValueEnum;
use nanoscope_ieee::{Float, Format, Rounding};
use std::str::FromStr;

/// The values an input may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRange {
    /// The only function it is meant for.
    pub function: Option<String>,
    /// The input's name.
    pub name: String,
    /// The smallest value.
    pub low: String,
    /// The largest value.
    pub high: String,
}

/// How many elements an array parameter points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayLength {
    /// The only function it is meant for.
    pub function: Option<String>,
    /// The parameter's name.
    pub name: String,
    /// Elements: a number, or an expression over integer inputs.
    pub length: String,
}

/// What a function is that a target is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackChoice {
    /// The only function it is meant for.
    pub function: Option<String>,
    /// The parameter's name.
    pub name: String,
    /// `any`, `pure`, or the name of a function.
    pub what: String,
}

/// The most elements an array is given: every element is a dimension of the search.
const LONGEST: u64 = 4096;

const FORM: &str = "x=LO..HI, as in x=-1e3..1e3 or mean:x=0..1";

impl FromStr for InputRange {
    type Err = String;

    fn from_str(text: &str) -> Result<InputRange, String> {
        let (function, name, value) = parts(text, FORM)?;
        // One number is a range too.
        let (low, high) = value.split_once("..").unwrap_or((value, value));
        let (low, high) = (low.trim(), high.trim());
        if low.is_empty() || high.is_empty() {
            return Err(format!("an end of the range is missing: the form is {FORM}"));
        }
        if approximately(low)? > approximately(high)? {
            return Err(format!("the range is empty: {low} is above {high}"));
        }
        let (low, high) = (low.to_string(), high.to_string());
        Ok(InputRange { function, name, low, high })
    }
}

impl FromStr for ArrayLength {
    type Err = String;

    fn from_str(text: &str) -> Result<ArrayLength, String> {
        let (function, name, value) = parts(text, "x=N, as in x=8, norm2:x=8 or a=lda*n")?;
        let is_expression = value
            .starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '('))
            || value.contains(['*', '+', '-']);
        match value.parse() {
            Err(_) if is_expression => {}
            Ok(length) if (1..=LONGEST).contains(&length) => {}
            Ok(_) | Err(_) => {
                return Err(format!("{value} is not a number of elements (1 to {LONGEST})"));
            }
        }
        Ok(ArrayLength { function, name, length: value.to_owned() })
    }
}

impl FromStr for CallbackChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<CallbackChoice, String> {
        let (function, name, value) = parts(text, "f=any, f=pure or f=NAME")?;
        if value.is_empty() {
            return Err("say what it is: any, pure, or a function of the program".to_owned());
        }
        Ok(CallbackChoice { function, name, what: value.to_owned() })
    }
}

/// `[function:]name=value`. A C++ function's name may hold `::`.
fn parts<'a>(text: &'a str, form: &str) -> Result<(Option<String>, String, &'a str), String> {
    let (left, value) = text.split_once('=').ok_or_else(|| format!("the form is {form}"))?;
    let single = left.rfind(':').filter(|&at| at > 0 && !left[..at].ends_with(':'));
    let (function, name) = match single {
        Some(at) => (Some(left[..at].trim().to_string()), &left[at + 1..]),
        None => (None, left),
    };
    let name = name.trim();
    if name.is_empty() || function.as_deref() == Some("") {
        return Err(format!("a name is missing: the form is {form}"));
    }
    Ok((function, name.to_string(), value.trim()))
}

/// The number that `text` is, as near as a double comes: enough to see that a range
/// is upside down. Infinities and NaN are no ends of ranges.
fn approximately(text: &str) -> Result<f64, String> {
    let digits = text.trim_start_matches(['-', '+']);
    let number = Float::parse(Format::BINARY64, Rounding::NearestEven, text);
    match number {
        Ok((number, _)) if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            Ok(number.to_f64())
        }
        Ok(_) | Err(_) => Err(format!("{text} is not a number (1.5, -2e-3 and 0x1.8p+1 are)")),
    }
}

/// Which values floating-point inputs may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Inputs {
    /// Every finite number
    Finite,
    /// Infinities and NaN too
    Any,
}

/// A positive number of seconds, not so many that a clock overflows.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e8 => Ok(seconds),
        Ok(_) | Err(_) => Err("give a positive number of seconds, as in 10 or 0.5".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{ArrayLength, InputRange};

    #[track_caller]
    fn check(text: &str, function: Option<&str>, name: &str, low: &str, high: &str) {
        let expected = InputRange {
            function: function.map(str::to_string),
            name: name.to_string(),
            low: low.to_string(),
            high: high.to_string(),
        };
        assert_eq!(text.parse(), Ok(expected));
    }

    #[track_caller]
    fn refused<T: std::str::FromStr<Err = String> + std::fmt::Debug>(text: &str, reason: &str) {
        let error = text.parse::<T>().expect_err("it is wrong");
        assert!(error.contains(reason), "{error}");
    }

    #[test]
    fn ranges() {
        check("x=-1..2.5", None, "x", "-1", "2.5");
        check("x=0x1p-3..0x1.8p+3", None, "x", "0x1p-3", "0x1.8p+3");
        check("mean:x=1e-3 .. 1e+3", Some("mean"), "x", "1e-3", "1e+3");
        check("ns::mean:p->val=0..1", Some("ns::mean"), "p->val", "0", "1");
        check("ns::x=0..5", None, "ns::x", "0", "5");
        check("a[3]=7", None, "a[3]", "7", "7");
        check("n=0x10..0x7fffffff", None, "n", "0x10", "0x7fffffff");
        check("x=.5...75", None, "x", ".5", ".75");
    }

    #[test]
    fn bad_ranges() {
        refused::<InputRange>("x", "the form is");
        refused::<InputRange>("=1..2", "a name is missing");
        refused::<InputRange>("x=2..1", "the range is empty: 2 is above 1");
        refused::<InputRange>("x=0x1p+4..15.5", "the range is empty");
        refused::<InputRange>("x=0..", "an end of the range is missing");
        refused::<InputRange>("x=", "an end of the range is missing");
        refused::<InputRange>("x=a..b", "a is not a number");
        refused::<InputRange>("x=-inf..nan", "-inf is not a number");
        refused::<InputRange>("x=0xp1..1", "0xp1 is not a number");
    }

    #[test]
    fn lengths() {
        let length = ArrayLength { function: None, name: "x".to_string(), length: "8".to_string() };
        assert_eq!("x=8".parse(), Ok(length.clone()));
        let of_norm2 = ArrayLength { function: Some("norm2".to_string()), ..length };
        assert_eq!("norm2:x=8".parse(), Ok(of_norm2));
        refused::<ArrayLength>("x=0", "not a number of elements");
        refused::<ArrayLength>("x=8.5", "8.5 is not a number of elements");
        assert_eq!("a=lda * n".parse().map(|it: ArrayLength| it.length), Ok("lda * n".to_owned()));
        refused::<ArrayLength>("8", "the form is");
    }
}
