//! A short list that needs no memory of its own: an instruction has hardly ever more than a
//! few operands.

use std::ops::Deref;

/// How many are few.
const FEW: usize = 4;

/// A list, in place where it is short.
pub enum Few<T> {
    /// The first so many.
    Short([T; FEW], usize),
    /// All of them.
    Long(Vec<T>),
}

impl<T: Copy> Few<T> {
    /// A list of what an iterator gives; `blank` stands where there is nothing.
    pub fn of(blank: T, items: impl ExactSizeIterator<Item = T>) -> Few<T> {
        let count = items.len();
        if count > FEW {
            return Few::Long(items.collect());
        }
        let mut short = [blank; FEW];
        for (slot, item) in short.iter_mut().zip(items) {
            *slot = item;
        }
        Few::Short(short, count)
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Few::Short(items, count) => &items[..*count],
            Few::Long(items) => items,
        }
    }
}
