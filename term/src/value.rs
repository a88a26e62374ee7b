//! Values: what a term can turn out to be.

use crate::Sort;
use nanoscope_ieee::{Format, Rounding, Word};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A value of some sort.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A string of bits.
    Bits(Word),
    /// A float, by its encoding. Made by [`Value::float`], a NaN is the
    /// canonical one.
    Float(Format, Word),
    /// A rounding mode.
    Rounding(Rounding),
    /// An array.
    Array(Box<ArrayValue>),
}

/// An array: an element for every index, all but finitely many the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayValue {
    /// The sort of indices.
    pub index: Sort,
    /// The element at indices without an entry.
    pub default: Value,
    /// The other elements.
    pub entries: BTreeMap<Value, Value>,
}

impl Value {
    /// The float with that encoding; any NaN becomes the canonical one. The
    /// format is one without a stored integer bit.
    pub fn float(format: Format, bits: Word) -> Value {
        assert_eq!(bits.width(), format.width(), "an encoding as wide as the format");
        let value = Value::Float(format, bits);
        if value.is_nan() { Value::nan(format) } else { value }
    }

    /// The NaN.
    pub fn nan(format: Format) -> Value {
        let quiet = Word::ones(format.exponent_bits + 1).to_big() << (format.fraction_bits() - 1);
        Value::Float(format, Word::from_big(format.width(), &quiet))
    }

    /// An infinity.
    pub fn infinity(format: Format, negative: bool) -> Value {
        let exponent = Word::ones(format.exponent_bits).to_big() << format.fraction_bits();
        let sign = num_bigint::BigUint::from(negative as u8) << (format.width() - 1);
        Value::Float(format, Word::from_big(format.width(), &(exponent | sign)))
    }

    /// A zero.
    pub fn zero(format: Format, negative: bool) -> Value {
        let sign = num_bigint::BigUint::from(negative as u8) << (format.width() - 1);
        Value::Float(format, Word::from_big(format.width(), &sign))
    }

    /// The `double`.
    pub fn from_f64(value: f64) -> Value {
        Value::float(Format::BINARY64, Word::new(64, value.to_bits() as u128))
    }

    /// The `float`.
    pub fn from_f32(value: f32) -> Value {
        Value::float(Format::BINARY32, Word::new(32, value.to_bits() as u128))
    }

    /// The low `width` bits of a number.
    pub fn bits(width: u32, value: u128) -> Value {
        Value::Bits(Word::new(width, value))
    }

    /// The first value of a sort that is no array: false, all zeros, `+0`, `RNE`.
    pub fn default_of(sort: Sort) -> Option<Value> {
        match sort {
            Sort::Bool => Some(Value::Bool(false)),
            Sort::Bits(width) => Some(Value::Bits(Word::zero(width))),
            Sort::Float(format) => Some(Value::zero(format, false)),
            Sort::Rounding => Some(Value::Rounding(Rounding::NearestEven)),
            Sort::Array(_) => None,
        }
    }

    /// Its sort, if it is no array.
    pub fn sort(&self) -> Option<Sort> {
        match self {
            Value::Bool(_) => Some(Sort::Bool),
            Value::Bits(word) => Some(Sort::Bits(word.width())),
            Value::Float(format, _) => Some(Sort::Float(*format)),
            Value::Rounding(_) => Some(Sort::Rounding),
            Value::Array(_) => None,
        }
    }

    /// The truth value it is.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }

    /// The bits it is.
    pub fn as_bits(&self) -> Option<&Word> {
        if let Value::Bits(word) = self { Some(word) } else { None }
    }

    /// The rounding mode it is.
    pub fn as_rounding(&self) -> Option<Rounding> {
        if let Value::Rounding(mode) = self { Some(*mode) } else { None }
    }

    /// The format and encoding it is.
    pub fn as_float(&self) -> Option<(Format, &Word)> {
        if let Value::Float(format, word) = self { Some((*format, word)) } else { None }
    }

    /// The `double` it is.
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Value::Float(Format::BINARY64, word) => Some(f64::from_bits(word.low_u64())),
            Value::Float(..)
            | Value::Bool(_)
            | Value::Bits(_)
            | Value::Rounding(_)
            | Value::Array(_) => None,
        }
    }

    /// The `float` it is.
    pub fn to_f32(&self) -> Option<f32> {
        match self {
            Value::Float(Format::BINARY32, word) => Some(f32::from_bits(word.low_u64() as u32)),
            Value::Float(..)
            | Value::Bool(_)
            | Value::Bits(_)
            | Value::Rounding(_)
            | Value::Array(_) => None,
        }
    }

    /// Whether it is a float that is the NaN.
    pub fn is_nan(&self) -> bool {
        let Some((format, word)) = self.as_float() else { return false };
        if let Some(bits) = word.to_u128().filter(|_| format.width() <= 128) {
            let infinity = (format.special_exponent() as u128) << format.fraction_bits();
            return bits & (u128::MAX >> (129 - format.width())) > infinity;
        }
        let magnitude = Word::from_big(format.width() - 1, &word.to_big()).to_big();
        magnitude >> format.fraction_bits() == format.special_exponent().into()
            && word.to_big().trailing_zeros().is_some_and(|n| n < format.fraction_bits() as u64)
    }
}

impl ArrayValue {
    /// The element at an index.
    pub fn select(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Sets the element at an index.
    pub fn store(&mut self, index: Value, element: Value) {
        if element == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
    }

    /// Whether both have equal elements everywhere: with different defaults,
    /// the entries must cover all indices.
    pub fn same(&self, other: &ArrayValue) -> bool {
        let mut covered = self.entries.len() as u64;
        for index in other.entries.keys() {
            covered += !self.entries.contains_key(index) as u64;
        }
        let agree = |a: &Value, b: &Value| match (a, b) {
            (Value::Array(a), Value::Array(b)) => a.same(b),
            (a, b) => a == b,
        };
        self.entries
            .keys()
            .chain(other.entries.keys())
            .all(|index| agree(self.select(index), other.select(index)))
            && (agree(&self.default, &other.default)
                || self.index.size().is_some_and(|size| size <= covered))
    }
}

fn compare_words(a: &Word, b: &Word) -> Ordering {
    a.width().cmp(&b.width()).then_with(|| match (a.to_u128(), b.to_u128()) {
        (Some(a), Some(b)) => a.cmp(&b),
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (None, None) => a.to_big().cmp(&b.to_big()),
    })
}

impl Ord for Value {
    /// By sort, then by encoding: an order to print in, not a numeric one.
    fn cmp(&self, other: &Value) -> Ordering {
        let rank = |value: &Value| match value {
            Value::Bool(_) => 0,
            Value::Bits(_) => 1,
            Value::Float(..) => 2,
            Value::Rounding(_) => 3,
            Value::Array(_) => 4,
        };
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Bits(a), Value::Bits(b)) => compare_words(a, b),
            (Value::Float(f, a), Value::Float(g, b)) => f.cmp(g).then_with(|| compare_words(a, b)),
            (Value::Rounding(a), Value::Rounding(b)) => a.cmp(b),
            (Value::Array(a), Value::Array(b)) => {
                a.default.cmp(&b.default).then_with(|| a.entries.cmp(&b.entries))
            }
            (a, b) => rank(a).cmp(&rank(b)),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
