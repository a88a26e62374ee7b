//! Ranges: what values an input may take.

use crate::Fault;
use crate::goal::distance::Landmarks;
use crate::nearest::nearest;
use crate::target::extent::DEFAULT_LENGTH;
use crate::target::layout::Layout;
use crate::target::object::Object;
use crate::target::scalar::Scalar;
use crate::target::{Input, Target, Untestable, Wishes};
use nanoscope_ieee::{Float, Format, Rounding};

/// All finite values of a type, as encodings.
pub(crate) fn full(scalar: Scalar) -> (u128, u128) {
    match scalar {
        Scalar::Float(format) => {
            let largest = Landmarks::of(format).largest();
            (largest | 1 << (format.width() - 1), largest)
        }
        Scalar::Integer { bits, signed: true } => (1 << (bits - 1), (1 << (bits - 1)) - 1),
        Scalar::Integer { bits, signed: false } => (0, u128::MAX >> (128 - bits)),
    }
}

/// How the sentence about an integer ends that is taken for a length.
const LENGTH: &str = ", the length of the arrays";

/// An integer parameter beside an array is most often its length: without a word from
/// the user, such a parameter stays within the array.
pub(crate) fn bound_lengths(layout: &Layout, inputs: &mut [Input], assumptions: &mut Vec<String>) {
    let objects: Vec<&Object> = layout.objects.iter().flat_map(Object::all).collect();
    let Some(length) = objects.iter().filter(|o| o.is_array).map(|o| o.length).min() else {
        return;
    };
    for object in objects.iter().filter(|o| !o.shape.is_empty()) {
        let extents: Vec<String> = object.shape.iter().map(u64::to_string).collect();
        let extents = extents.join(" by ");
        assumptions.push(format!("`{}` is an array of {extents} elements", object.name));
    }
    for object in objects.iter().filter(|o| o.is_array && o.elements > o.length) {
        assumptions.push(format!(
            "`{}` has {} elements: so far the code goes with these integers",
            object.name, object.elements
        ));
    }
    for input in inputs {
        let is_part = input.name.contains(['[', '(', '.', '>', '+', '%']);
        if let Scalar::Integer { bits: 9.., .. } = input.scalar
            && !is_part
        {
            (input.low, input.high) = (0, u128::from(length));
            assumptions.push(format!("`{}` is in 0..{length}{LENGTH}", input.name));
        }
    }
}

/// What is assumed of several integers alike, said once.
pub(crate) fn together(assumptions: Vec<String>) -> Vec<String> {
    let mut list: Vec<(Vec<String>, String)> = Vec::new();
    for text in assumptions {
        let (name, rest) = match text.split_once(" is in ") {
            Some((name, rest)) if rest.ends_with(LENGTH) => (name.to_owned(), rest.to_owned()),
            Some(_) | None => (text, String::new()),
        };
        match list.iter_mut().find(|(_, said)| !said.is_empty() && *said == rest) {
            Some((names, _)) => names.push(name),
            None => list.push((vec![name], rest)),
        }
    }
    let said = |(mut names, rest): (Vec<String>, String)| {
        let last = names.pop().unwrap_or_default();
        match (names.is_empty(), rest.is_empty()) {
            (_, true) => last,
            (true, false) => format!("{last} is in {rest}"),
            (false, false) => format!("{} and {last} are in {rest}", names.join(", ")),
        }
    };
    list.into_iter().map(said).collect()
}

/// The ends of an integer that the length of an array is made of: as the user says, else few.
pub(crate) fn ends(name: &str, function: &str, wishes: &Wishes) -> (i64, i64) {
    let mut told = wishes.ranges.iter().rev().filter(|wish| wish.concerns(function));
    let end = |text: &str| parse_integer(text).and_then(|end| i64::try_from(end).ok());
    told.find(|wish| wish.name == name)
        .and_then(|wish| Some((end(&wish.value.0)?, end(&wish.value.1)?)))
        .unwrap_or((0, DEFAULT_LENGTH as i64))
}

/// Keeps the integers that lengths of arrays are made of within what the arrays were made for.
pub(crate) fn bound_extents(
    function: &str,
    inputs: &mut [Input],
    wishes: &Wishes,
    assumptions: &mut Vec<String>,
) {
    for wish in wishes.arrays.iter().filter(|wish| wish.concerns(function)) {
        for name in wish.value.names() {
            let (low, high) = ends(&name, function, wishes);
            let meant = |input: &&mut Input| input.name.trim_start_matches('*') == name;
            for input in inputs.iter_mut().filter(meant) {
                let Scalar::Integer { bits, .. } = input.scalar else { continue };
                let mask = u128::MAX >> (128 - bits);
                (input.low, input.high) = (low as u128 & mask, high as u128 & mask);
                assumptions.retain(|text| !text.starts_with(&format!("`{}` is in ", input.name)));
                let text = format!(
                    "`{}` is in {low}..{high}: `{}` has {} elements",
                    input.name, wish.name, wish.value
                );
                assumptions.push(text);
            }
        }
    }
}

/// Which wishes were about something.
#[derive(Default)]
pub(crate) struct Used {
    ranges: Vec<bool>,
}

impl Used {
    /// Complains about the first wish that was about nothing.
    pub fn check(
        &self,
        wishes: &Wishes,
        functions: &[String],
        targets: &[Result<Target, Untestable>],
    ) -> Result<(), Fault> {
        for (i, wish) in wishes.ranges.iter().enumerate().skip(wishes.shared_ranges) {
            if self.ranges.get(i).copied().unwrap_or(false) {
                continue;
            }
            if let Some(function) = &wish.function
                && !functions.contains(function)
            {
                return Err(Fault::User(format!(
                    "--input {function}:{}: `{function}` is not among the functions analysed",
                    wish.name
                )));
            }
            let names: Vec<&str> = targets
                .iter()
                .flatten()
                .filter(|target| wish.concerns(&target.function))
                .flat_map(|target| target.inputs.iter().map(|input| input.name.as_str()))
                .collect();
            let hint = match nearest(&wish.name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => "there are no inputs".into(),
                None => {
                    let mut some = names.clone();
                    some.dedup();
                    some.truncate(8);
                    format!("the inputs are {}", some.join(", "))
                }
            };
            return Err(Fault::User(format!(
                "--input {}=…: no input is called `{}`; {hint}",
                wish.name, wish.name
            )));
        }
        Ok(())
    }
}

/// The name that means every floating-point input.
const EVERY_FLOAT: &str = "*";

/// Applies the user's ranges to a target's inputs.
pub(crate) fn narrow(
    function: &str,
    inputs: &mut [Input],
    wishes: &Wishes,
    used: &mut Used,
    assumptions: &mut Vec<String>,
) -> Result<(), Fault> {
    used.ranges.resize(wishes.ranges.len(), false);
    let theirs = wishes.ranges.iter().enumerate().filter(|(_, wish)| wish.concerns(function));
    // What is said of one input stands above what is said of all, in whichever order.
    let (all, single): (Vec<_>, Vec<_>) = theirs.partition(|(_, wish)| wish.name == EVERY_FLOAT);
    for (i, wish) in all.into_iter().chain(single) {
        let meant = |input: &&mut Input| match input.scalar {
            Scalar::Float(_) if wish.name == EVERY_FLOAT => true,
            Scalar::Float(_) | Scalar::Integer { .. } => names(&wish.name, &input.name),
        };
        for input in inputs.iter_mut().filter(meant) {
            used.ranges[i] = true;
            let (low, high) = &wish.value;
            let (low, high) = parse(input.scalar, low, high).map_err(|why| {
                Fault::User(format!("--input {}={low}..{high}: {why}", wish.name))
            })?;
            (input.low, input.high) = (low, high);
            input.specials = false;
            assumptions.retain(|text| !text.starts_with(&format!("`{}` is in ", input.name)));
        }
    }
    Ok(())
}

/// Whether a wish's name means an input: itself, or all elements of its array.
pub(crate) fn names(wish: &str, input: &str) -> bool {
    let element = || {
        let rest =
            input.strip_prefix(wish).or_else(|| input.strip_prefix('*')?.strip_prefix(wish))?;
        Some(rest.is_empty() || rest.starts_with(['[', '(', '.', '%']))
    };
    input == wish || element().unwrap_or(false)
}

/// The ends of a range as encodings.
fn parse(scalar: Scalar, low: &str, high: &str) -> Result<(u128, u128), String> {
    match scalar {
        Scalar::Float(format) => {
            let low = parse_float(format, low, Rounding::Upward)?;
            let high = parse_float(format, high, Rounding::Downward)?;
            let marks = Landmarks::of(format);
            let place = |v: u128| (marks.ordinal(v), v >> (format.width() - 1) == 0);
            if place(low) > place(high) {
                return Err("the range is empty: its low end is above its high end".into());
            }
            // Zero ends mean both zeros.
            let zero = |v: u128, negative: bool| {
                if marks.ordinal(v) == 0 { u128::from(negative) << (format.width() - 1) } else { v }
            };
            Ok((zero(low, true), zero(high, false)))
        }
        Scalar::Integer { bits, signed } => {
            let (least, most) = integer_limits(bits, signed);
            let read = |text: &str| {
                let number =
                    parse_integer(text).ok_or_else(|| format!("`{text}` is not an integer"))?;
                if number < least || number > most {
                    return Err(format!("{number} does not fit: the type holds {least}..{most}"));
                }
                Ok(number)
            };
            let (low, high) = (read(low)?, read(high)?);
            if low > high {
                return Err("the range is empty: its low end is above its high end".into());
            }
            let mask = u128::MAX >> (128 - bits);
            Ok((low as u128 & mask, high as u128 & mask))
        }
    }
}

fn integer_limits(bits: u32, signed: bool) -> (i128, i128) {
    match (bits, signed) {
        (128, true) => (i128::MIN, i128::MAX),
        (_, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (128, false) => (0, i128::MAX),
        (_, false) => (0, (1 << bits) - 1),
    }
}

fn parse_integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let number = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok().or_else(|| {
            // 1e6 is an integer too.
            let real: f64 = digits.parse().ok()?;
            (real.fract() == 0.0 && real.abs() < 1e18).then_some(real as i128)
        })?,
    };
    Some(if negative { -number } else { number })
}

/// A number in the user's notation, rounded as a compiler rounds it; what is too large
/// for the type, as its largest number, which `inward` gives.
fn parse_float(format: Format, text: &str, inward: Rounding) -> Result<u128, String> {
    let parse = |rounding| {
        Float::parse(format, rounding, text)
            .map_err(|_| format!("`{text}` is not a number (write 1.5, 1e-3 or 0x1.8p-4)"))
    };
    let (nearest, flags) = parse(Rounding::NearestEven)?;
    let value = if flags.overflow { parse(inward)?.0 } else { nearest };
    match value.to_bits() {
        Some(bits) if Landmarks::of(format).is_finite(bits) => Ok(bits),
        _ => {
            Err(format!("`{text}` is not a finite number; --inputs any admits infinities and NaN"))
        }
    }
}
