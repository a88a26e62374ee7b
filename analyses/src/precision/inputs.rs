//! Inputs: points of a search, and the real numbers that are meant by the floats.

use super::InputError;
use super::running::{Running, decoded};
use crate::numbers;
use crate::shadow::{Real, ShadowValue, bytes_of};
use nanoscope_ieee::{Float, Format, Rounding};
use nanoscope_native::space;
use nanoscope_program::{Fault, Scalar, Target};
use nanoscope_search::{Dimension, Space};
use rug::Rational;

/// An input that stands for a real number near to the float.
#[derive(Clone, Debug)]
pub(super) struct Uncertain {
    /// Its position among the target's inputs.
    pub input: usize,
    pub format: Format,
    pub error: InputError,
    /// The word of a point that says where in the error's range the real number lies.
    word: usize,
    /// The least and the greatest real number.
    low: Rational,
    high: Rational,
}

impl Uncertain {
    /// The ends of its range, as proofs have them.
    pub fn ends(&self) -> (Option<nanoscope_ieee::Rational>, Option<nanoscope_ieee::Rational>) {
        let end = |end: &Rational| end.to_string().parse().ok();
        (end(&self.low), end(&self.high))
    }
}

/// How points of a target are made.
#[derive(Clone, Debug)]
pub(super) struct Points<'t> {
    pub target: &'t Target,
    pub uncertain: Vec<Uncertain>,
}

impl<'t> Points<'t> {
    /// `errors` has an entry for each of the target's inputs; `ends` the ends of their ranges
    /// as the user wrote them.
    pub fn new(
        target: &'t Target,
        errors: &[Option<InputError>],
        ends: &[Option<(Rational, Rational)>],
    ) -> Points<'t> {
        let mut uncertain = Vec::new();
        for (input, error) in errors.iter().enumerate() {
            let Some(error) = error else { continue };
            let Scalar::Float(format) = target.inputs[input].scalar else { continue };
            let (low, high) = match &ends[input] {
                Some((low, high)) => (low.clone(), high.clone()),
                None => {
                    let end = |bits: u128| exactly(format, bits);
                    (end(target.inputs[input].low), end(target.inputs[input].high))
                }
            };
            let word = target.input_words + uncertain.len();
            uncertain.push(Uncertain { input, format, error: *error, word, low, high });
        }
        Points { target, uncertain }
    }

    /// The space of points.
    pub fn space(&self) -> Result<Space, Fault> {
        let space = space(self.target)?;
        if self.uncertain.is_empty() {
            return Ok(space);
        }
        let mut dimensions = space.dimensions().to_vec();
        for _ in &self.uncertain {
            let ends = [-1.0f64, 1.0].map(|end| u128::from(end.to_bits()));
            let shift = Dimension::float(Format::BINARY64).within(ends[0], ends[1]);
            dimensions.push(shift.expect("not empty"));
        }
        Ok(Space::new(dimensions))
    }

    /// The point at which inputs are given as these floats, standing for these reals: one pair
    /// for each float and each integer of at most 64 bits, in the order of the target's inputs.
    pub fn point(
        &self,
        given: impl Iterator<Item = (nanoscope_ieee::Rational, nanoscope_ieee::Rational)>,
    ) -> Option<Vec<u64>> {
        let mut point = vec![0; self.target.input_words + self.uncertain.len()];
        let followed = |scalar: &Scalar| match scalar {
            Scalar::Float(_) => true,
            Scalar::Integer { bits, .. } => *bits <= 64,
        };
        let inputs = self.target.inputs.iter().enumerate();
        for ((at, input), (float, real)) in inputs.filter(|(_, i)| followed(&i.scalar)).zip(given) {
            let bits = match input.scalar {
                Scalar::Float(format) => {
                    Float::from_rational(format, Rounding::NearestEven, &float).0.to_bits()?
                }
                Scalar::Integer { bits, .. } => {
                    let value = i128::try_from(float.to_integer()).ok()?;
                    value as u128 & (u128::MAX >> (128 - bits))
                }
            };
            numbers::set_encoding(&mut point, input.word, input.scalar, bits);
            let Some(uncertain) = self.uncertain.iter().find(|one| one.input == at) else {
                continue;
            };
            let away = real.to_string().parse::<Rational>().ok()?
                - float.to_string().parse::<Rational>().ok()?;
            let unit = self.unit(uncertain, bits, away < 0);
            let shift = if unit > 0 { (away / unit).to_f64().clamp(-1.0, 1.0) } else { 0.0 };
            point[uncertain.word] = shift.to_bits();
        }
        Some(point)
    }

    /// The words of the target's own inputs.
    pub fn words<'p>(&self, point: &'p [u64]) -> &'p [u64] {
        &point[..self.target.input_words]
    }

    /// The real number that an uncertain input stands for at a point.
    pub fn real(&self, uncertain: &Uncertain, point: &[u64]) -> Rational {
        let input = &self.target.inputs[uncertain.input];
        let bits = numbers::encoding(point, input.word, input.scalar);
        let float = exactly(uncertain.format, bits);
        let shift = point.get(uncertain.word).map_or(0.0, |&word| f64::from_bits(word));
        let shift = if shift.is_finite() { shift.clamp(-1.0, 1.0) } else { 0.0 };
        let unit = self.unit(uncertain, bits, shift < 0.0);
        let real = float + unit * Rational::from_f64(shift).unwrap_or_default();
        Ord::clamp(real, uncertain.low.clone(), uncertain.high.clone())
    }

    /// How far the real number may be from a float, below it or above.
    fn unit(&self, uncertain: &Uncertain, bits: u128, below: bool) -> Rational {
        match uncertain.error {
            InputError::Absolute(most) => Rational::from_f64(most).unwrap_or_default(),
            InputError::HalfUlp => {
                let here = Float::from_bits(uncertain.format, bits);
                let (beside, _) = if below { here.next_down() } else { here.next_up() };
                let beside = exactly(uncertain.format, beside.to_bits().unwrap_or(bits));
                (beside - exactly(uncertain.format, bits)).abs() / 2u32
            }
        }
    }

    /// The uncertain inputs as values of a run in exact arithmetic.
    pub fn exact<S>(&self, point: &[u64]) -> Vec<(usize, u64, ShadowValue<Real, S>)> {
        let given = |uncertain: &Uncertain| {
            let input = &self.target.inputs[uncertain.input];
            let real = Real::rational(self.real(uncertain, point));
            (input.word, bytes_of(input.scalar), ShadowValue::Coded(uncertain.format, real))
        };
        self.uncertain.iter().map(given).collect()
    }

    /// The uncertain inputs as values of a run with running errors.
    pub fn running<S>(&self, point: &[u64]) -> Vec<(usize, u64, ShadowValue<Running, S>)> {
        let given = |uncertain: &Uncertain| {
            let input = &self.target.inputs[uncertain.input];
            let bits = numbers::encoding(point, input.word, input.scalar);
            let float = decoded(uncertain.format, bits);
            let exact = self.real(uncertain, point);
            let error = (exact - exactly(uncertain.format, bits)).to_f64();
            let most = match uncertain.error {
                InputError::Absolute(most) => most,
                InputError::HalfUlp => {
                    float.value.abs() * 2f64.powi(-(uncertain.format.precision as i32))
                }
            };
            let value = Running { error, bound: most, ..float };
            (input.word, bytes_of(input.scalar), ShadowValue::Coded(uncertain.format, value))
        };
        self.uncertain.iter().map(given).collect()
    }
}

/// The rational number that a finite float is; 0 for others.
fn exactly(format: Format, bits: u128) -> Rational {
    match Real::decoded(format, bits) {
        Real::Exact(value) => (*value).clone(),
        Real::Nan | Real::Infinite { .. } | Real::Zero { .. } | Real::Rounded(_) => Rational::new(),
    }
}
