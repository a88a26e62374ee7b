//! Results of arithmetic that are kept: iteration asks again and again for the same operation on the
//! same sets, and to look one up costs less than to compute it. A table has one place for each
//! hash; what comes there later displaces what was there.

use crate::domain::values::{self, Computed};
use crate::policy::{MEMO_START, MOST_MEMOS};
use crate::value::AbstractValue;
use nanoscope_ieee::{Operation, Parameters};
use nanoscope_program::ir::{Act, Type};
use nanoscope_sets::{CompactFloats, FloatSet, Modes, Order};
use smallvec::SmallVec;
use std::cell::RefCell;

/// What is left of operands.
pub type Left = SmallVec<[AbstractValue; 3]>;

/// Floats of formats of at most 64 bits; all others are computed each time.
type Short = FloatSet<i64>;

/// An operation on one or two floats; one operand stands for both if there is one.
#[derive(Clone, Copy, PartialEq)]
struct Question {
    operation: Operation,
    parameters: Parameters,
    modes: Modes,
    operands: [Short; 2],
}

impl Question {
    fn of<'v>(
        operation: Operation,
        parameters: &Parameters,
        modes: Modes,
        operands: impl IntoIterator<Item = &'v AbstractValue>,
    ) -> Option<Question> {
        let mut operands = operands.into_iter().map(short);
        let a = operands.next()??;
        let b = operands.next().unwrap_or(Some(a))?;
        let alone = operands.next().is_none();
        let question = Question { operation, parameters: *parameters, modes, operands: [a, b] };
        alone.then_some(question)
    }

    fn hash(&self) -> u64 {
        let [a, b] = self.operands.map(|floats| hash(&floats));
        mix(a.rotate_left(29) ^ b, self.operation as u64 + 1)
    }
}

/// Results of operations, and what they leave of their operands.
#[derive(Default)]
pub struct Memo {
    forward: Table<(Question, Order), Computed>,
    backward: Table<(Question, Short, bool), Option<[CompactFloats; 2]>>,
}

impl Memo {
    /// Evaluates an act, as [`values::evaluate`] does.
    pub fn evaluate(
        memo: &RefCell<Memo>,
        modes: Modes,
        act: &Act,
        operands: &[&AbstractValue],
        result: &Type,
        order: Order,
    ) -> Option<Computed> {
        let evaluate = || values::evaluate(modes, act, operands, result, order);
        let (Act::Float { operation, parameters, mode, relaxed: false, .. }, Type::Float(_)) =
            (act, result)
        else {
            return evaluate();
        };
        let modes = values::modes_of(modes, *mode);
        let Some(question) = Question::of(*operation, parameters, modes, operands.iter().copied())
        else {
            return evaluate();
        };
        let key = (question, order);
        let at = question.hash();
        if let Some(known) = memo.borrow().forward.get(at, &key) {
            return Some(known.clone());
        }
        let computed = evaluate()?;
        memo.borrow_mut().forward.put(at, key, computed.clone());
        Some(computed)
    }

    /// What an operation leaves of its operands, given its result: `None` if nothing can be so,
    /// and by `project` if that is not known yet. `same`: the operands are one.
    pub fn project(
        memo: &RefCell<Memo>,
        (operation, parameters, modes): (Operation, &Parameters, Modes),
        operands: &[AbstractValue],
        result: &AbstractValue,
        same: bool,
        project: impl FnOnce() -> Option<Left>,
    ) -> Option<Left> {
        let question = Question::of(operation, parameters, modes, operands);
        let (Some(question), Some(result)) = (question, short(result)) else { return project() };
        let key = (question, result, same);
        let at = mix(question.hash(), hash(&result));
        if let Some(known) = memo.borrow().backward.get(at, &key) {
            let given = |left: &[CompactFloats; 2]| {
                left.iter().take(operands.len()).cloned().map(AbstractValue::Float).collect()
            };
            return known.as_ref().map(given);
        }
        let left = project();
        let floats = |value: &AbstractValue| value.as_float().cloned();
        let kept = match left.as_deref() {
            None => Some(None),
            Some([a]) => floats(a).map(|a| Some([a.clone(), a])),
            Some([a, b]) => floats(a).zip(floats(b)).map(|(a, b)| Some([a, b])),
            Some(_) => None,
        };
        if let Some(kept) = kept {
            memo.borrow_mut().backward.put(at, key, kept);
        }
        left
    }
}

fn short(value: &AbstractValue) -> Option<Short> {
    match value {
        AbstractValue::Float(CompactFloats::Short(floats)) => Some(*floats),
        _ => None,
    }
}

fn hash(floats: &Short) -> u64 {
    let FloatSet { positive, negative, nan, plus_zero, minus_zero, .. } = floats;
    let signs = u64::from(*nan) | u64::from(*plus_zero) << 1 | u64::from(*minus_zero) << 2;
    let positive = mix(positive.lo as u64, positive.hi as u64);
    let negative = mix(negative.lo as u64, negative.hi as u64);
    mix(positive.rotate_left(17) ^ negative, signs)
}

fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    (product >> 64) as u64 ^ product as u64
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// A table with one place for each hash. It grows while much is displaced.
struct Table<K, V> {
    places: Vec<Option<(K, V)>>,
    /// A part of the hash of what is in each place: most questions that are new are told by it.
    tags: Vec<u32>,
    added: usize,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Table<K, V> {
        Table { places: Vec::new(), tags: Vec::new(), added: 0 }
    }
}

impl<K: PartialEq, V> Table<K, V> {
    fn get(&self, hash: u64, key: &K) -> Option<&V> {
        let at = self.at(hash);
        if *self.tags.get(at)? != tag(hash) {
            return None;
        }
        let place = self.places[at].as_ref();
        place.filter(|(known, _)| known == key).map(|(_, value)| value)
    }

    fn put(&mut self, hash: u64, key: K, value: V) {
        if self.added >= 2 * self.places.len() && self.places.len() < MOST_MEMOS {
            let count = (4 * self.places.len()).clamp(MEMO_START, MOST_MEMOS);
            self.places = (0..count).map(|_| None).collect();
            self.tags = vec![0; count];
            self.added = 0;
        }
        self.added += 1;
        let at = self.at(hash);
        self.places[at] = Some((key, value));
        self.tags[at] = tag(hash);
    }

    /// The number of places is a power of two.
    fn at(&self, hash: u64) -> usize {
        hash as usize & self.places.len().wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Dice;
    use nanoscope_ieee::Format;
    use nanoscope_program::ir::{ConstantId, Mode, Operand};

    /// What is looked up is what would be computed, also after much was displaced: questions are
    /// few, so that most come again, and more than a table has places.
    #[test]
    fn what_is_kept_is_what_is_computed() {
        let mut dice = Dice::new(11);
        let memo = RefCell::new(Memo::default());
        let format = Format::BINARY32;
        let operand = Operand::Constant(ConstantId(0));
        let ty = Type::Float(format);
        let mut pool: Vec<AbstractValue> = Vec::new();
        for _ in 0..24 {
            pool.push(AbstractValue::float(dice.floats(format)));
        }
        let operations = [Operation::Add, Operation::Mul, Operation::Div, Operation::Sqrt];
        let modes = [Modes::NEAREST, Modes::ALL];
        let mut pick = |count: usize| dice.roll(count as u64) as usize;
        for _ in 0..40_000 {
            let operation = operations[pick(operations.len())];
            let parameters = Parameters::of(format);
            let count = if operation == Operation::Sqrt { 1 } else { 2 };
            let operands: Vec<&AbstractValue> = (0..count).map(|_| &pool[pick(24)]).collect();
            let act = Act::Float {
                operation,
                parameters,
                operands: vec![operand; count].into(),
                mode: Mode::Dynamic,
                relaxed: false,
            };
            let same = count == 2 && std::ptr::eq(operands[0], operands[1]);
            let (modes, order) = (modes[pick(2)], Order { same, ..Order::default() });
            let kept = Memo::evaluate(&memo, modes, &act, &operands, &ty, order);
            let computed = values::evaluate(modes, &act, &operands, &ty, order);
            let (kept, computed) = (kept.expect("a float"), computed.expect("a float"));
            assert_eq!((kept.value, kept.raised), (computed.value, computed.raised), "{act:?}");
        }
        let asked = memo.borrow().forward.added;
        assert!((1000..30_000).contains(&asked), "{asked} of 40,000 were computed");
    }
}
