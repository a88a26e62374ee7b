//! `nanoscope precision`, as words.

use crate::delivery::Delivery;
use crate::subject::{Effort, Subject};
use clap::{Args, ValueEnum};
use std::str::FromStr;

/// `nanoscope precision`.
#[derive(Debug, Args)]
pub struct Precision {
    /// The functions and their inputs; of FPCore files, the cores.
    #[command(flatten)]
    pub subject: Subject,

    /// The input stands for a real number: at most E away from the float (x=1e-6), or rounded
    /// to it (x=ulp/2). x may be * for all inputs; may be given several times
    #[arg(long = "input-error", value_name = "x=E")]
    pub input_errors: Vec<InputUncertainty>,

    /// A relative error above this is too much
    #[arg(long, allow_hyphen_values = true, value_name = "E", default_value = "1e-3", value_parser = positive, conflicts_with_all = ["ulps", "absolute"])]
    pub threshold: f64,

    /// An error of more than N units in the last place is too much
    #[arg(long, allow_hyphen_values = true, value_name = "N", value_parser = positive, conflicts_with = "absolute")]
    pub ulps: Option<f64>,

    /// An absolute error above this is too much
    #[arg(long, allow_hyphen_values = true, value_name = "E", value_parser = positive)]
    pub absolute: Option<f64>,

    /// How operations round. any: in proofs each operation in its own direction, in runs to
    /// nearest
    #[arg(long, value_name = "MODE", value_enum, default_value_t = Direction::Nearest)]
    pub rounding: Direction,

    /// How bounds are proved. taylor: error terms with first derivatives and a rigorous rest;
    /// interval: F-Soft's model, an interval for each value with a relative and an absolute
    /// error for each operation (--delta, --epsilon)
    #[arg(long, value_name = "MODEL", value_enum, default_value_t = Model::Taylor)]
    pub model: Model,

    /// The relative error of an operation in --model interval: one number, or float=E, double=E;
    /// otherwise the format's
    #[arg(long, value_name = "E")]
    pub delta: Vec<PerType>,

    /// The absolute error of an operation in --model interval, beside the relative one
    #[arg(long, value_name = "E")]
    pub epsilon: Vec<PerType>,

    /// Prove without what is known of signs and ranges of values: in Taylor forms what abstract
    /// interpretation knows of each operation; in --model interval numbers of one sign may cancel
    /// then, and normal numbers have the absolute error of subnormal ones too
    #[arg(long)]
    pub no_ranges: bool,

    /// Only show errors, or only prove bounds
    #[arg(long, value_name = "END", value_enum)]
    pub only: Option<End>,

    /// How long it may work.
    #[command(flatten)]
    pub effort: Effort,

    /// Draw inputs at random instead of searching: a baseline to compare with (with --only show)
    #[arg(long)]
    pub blind: bool,

    /// Where the report goes.
    #[command(flatten)]
    pub delivery: Delivery,
}

/// How operations round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// To the nearest float
    Nearest,
    /// Upward
    Up,
    /// Downward
    Down,
    /// Toward zero
    Zero,
    /// In any direction
    Any,
}

/// How bounds are proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// Taylor forms and branch and bound
    Taylor,
    /// F-Soft's intervals
    Interval,
}

/// One end of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum End {
    /// Inputs with large errors
    Show,
    /// Proved bounds
    Prove,
}

/// What an input stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct InputUncertainty {
    /// The only function it is meant for.
    pub function: Option<String>,
    /// The input's name.
    pub name: String,
    /// At most so far from the float; `None`: rounded to it.
    pub absolute: Option<f64>,
}

impl FromStr for InputUncertainty {
    type Err = String;

    fn from_str(text: &str) -> Result<InputUncertainty, String> {
        const FORM: &str = "the form is x=1e-6 or x=ulp/2";
        let (left, value) = match text.split_once('=') {
            Some((left, value)) => (left.trim(), value.trim()),
            // Alone, it is meant of all inputs.
            None => ("*", text.trim()),
        };
        let single = left.rfind(':').filter(|&at| at > 0 && !left[..at].ends_with(':'));
        let (function, name) = match single {
            Some(at) => (Some(left[..at].to_string()), &left[at + 1..]),
            None => (None, left),
        };
        if name.is_empty() {
            return Err(FORM.to_string());
        }
        let absolute =
            match value {
                "ulp/2" => None,
                number => Some(positive(number).map_err(|_| {
                    format!("{number} is neither a positive number nor ulp/2: {FORM}")
                })?),
            };
        Ok(InputUncertainty { function, name: name.to_string(), absolute })
    }
}

/// A number for one type, or for all.
#[derive(Clone, Debug, PartialEq)]
pub struct PerType {
    /// `float`, `double` or `long double`; `None`: all.
    pub type_name: Option<String>,
    /// The number.
    pub value: f64,
}

impl FromStr for PerType {
    type Err = String;

    fn from_str(text: &str) -> Result<PerType, String> {
        let (type_name, value) = match text.split_once('=') {
            Some((name @ ("float" | "double" | "long double"), value)) => {
                (Some(name.to_string()), value)
            }
            Some((name, _)) => {
                return Err(format!("{name} is no type: float, double and \"long double\" are"));
            }
            None => (None, text),
        };
        Ok(PerType { type_name, value: positive(value)? })
    }
}

/// A positive number, decimal, hexadecimal or a power of two (2^-23).
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let wrong = || format!("{text} is not a positive number (1e-3, 0.5 and 2^-23 are)");
    let value = match text.split_once('^') {
        Some(("2", exponent)) => 2f64.powi(exponent.parse().map_err(|_| wrong())?),
        Some(_) => return Err(wrong()),
        None => text.parse::<f64>().map_err(|_| wrong())?,
    };
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(wrong()) }
}

pub(crate) const PRECISION: &str = "\
Find how wrong the results of floating-point code can be: the worst error that could be shown, \
with an input, and the worst that could be proved, over the whole input range.

Exact means the program run in real numbers along its own path. A search maximises the error of \
every result and of every operation, led by condition numbers; the worst inputs are run natively \
on the original program and recomputed in exact arithmetic, and only what these two show is \
reported. Bounds hold for all inputs in range. Comparisons and conversions to integers that \
rounding decides are reported too.";

pub(crate) const PRECISION_MORE: &str = "\
Examples:
  nanoscope precision quadratic.c --function root --input b=1..1e6
  nanoscope precision sum.c --array x=16 --input x=-1..1 --absolute 1e-12
  nanoscope precision f.c --input-error ulp/2 --ulps 10 --html f.html
  nanoscope precision kernels.fpcore

Reading the output: each finding names the line, the input, what was computed and what is exact, \
and where the error comes from: what each operation rounds off and by how much that grows on the \
way to the result. The table has both ends of the error of every result. The verdict is: shown \
above the threshold, proved below it, or open.

Exit code: 0 nothing found, 1 findings, 2 your mistake, 70 ours.";

#[cfg(test)]
mod tests {
    use super::{InputUncertainty, PerType, positive};

    #[test]
    fn numbers() {
        assert_eq!(positive("1e-3"), Ok(1e-3));
        assert_eq!(positive("2^-23"), Ok(2f64.powi(-23)));
        for wrong in ["0", "-1", "nan", "inf", "much", "3^2", "2^x", ""] {
            assert!(positive(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_inputs_stand_for() {
        let read = |text: &str| text.parse::<InputUncertainty>();
        let of = |function: Option<&str>, name: &str, absolute| InputUncertainty {
            function: function.map(str::to_string),
            name: name.to_string(),
            absolute,
        };
        assert_eq!(read("x=1e-6"), Ok(of(None, "x", Some(1e-6))));
        assert_eq!(read("f:x=ulp/2"), Ok(of(Some("f"), "x", None)));
        assert_eq!(read("ulp/2"), Ok(of(None, "*", None)));
        for wrong in ["x=ulp", "x=", "=1", "x=-1"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_of_types() {
        let read = |text: &str| text.parse::<PerType>();
        assert_eq!(read("2^-24").map(|one| one.type_name), Ok(None));
        let float = PerType { type_name: Some("float".to_string()), value: 1e-7 };
        assert_eq!(read("float=1e-7"), Ok(float));
        assert!(read("int=1").is_err());
    }
}
