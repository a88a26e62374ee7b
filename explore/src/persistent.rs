//! Tables and lists whose copies share all that none of them changes.
//!
//! A state forks at every branch, and a path may have taken a hundred thousand: what grows with
//! the path must not be copied with it. A table is a radix tree over the digits of its keys; an
//! insertion copies the nodes on the way to its place, and those only while somebody shares them.

use std::rc::Rc;

/// Bits of a digit.
const BITS: u32 = 4;
const WAYS: usize = 1 << BITS;

/// Values by number.
#[derive(Clone, Debug)]
pub struct Table<V> {
    root: Option<Rc<Node<V>>>,
    /// Levels above the leaves.
    height: u32,
}

#[derive(Clone, Debug)]
enum Node<V> {
    Leaf([Option<V>; WAYS]),
    Inner([Option<Rc<Node<V>>>; WAYS]),
}

impl<V> Default for Table<V> {
    fn default() -> Table<V> {
        Table { root: None, height: 0 }
    }
}

/// A digit of a key, the least significant one 0.
fn digit(key: usize, number: u32) -> usize {
    key >> (BITS * number) & (WAYS - 1)
}

impl<V: Clone> Table<V> {
    /// The value at a key.
    pub fn get(&self, key: usize) -> Option<&V> {
        if self.is_beyond(key) {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut level = self.height;
        loop {
            match node {
                Node::Leaf(values) => return values[digit(key, 0)].as_ref(),
                Node::Inner(parts) => node = parts[digit(key, level)].as_deref()?,
            }
            level -= 1;
        }
    }

    /// Puts a value at a key.
    pub fn insert(&mut self, key: usize, value: V) {
        while self.is_beyond(key) {
            if let Some(root) = self.root.take() {
                let mut parts = [const { None }; WAYS];
                parts[0] = Some(root);
                self.root = Some(Rc::new(Node::Inner(parts)));
            }
            self.height += 1;
        }
        put(&mut self.root, self.height, key, value);
    }

    /// Whether a key has more digits than the tree has levels.
    fn is_beyond(&self, key: usize) -> bool {
        let bits = BITS * (self.height + 1);
        bits < usize::BITS && key >> bits != 0
    }
}

fn put<V: Clone>(place: &mut Option<Rc<Node<V>>>, level: u32, key: usize, value: V) {
    let node = place.get_or_insert_with(|| {
        Rc::new(match level {
            0 => Node::Leaf([const { None }; WAYS]),
            _ => Node::Inner([const { None }; WAYS]),
        })
    });
    match Rc::make_mut(node) {
        Node::Leaf(values) => values[digit(key, 0)] = Some(value),
        Node::Inner(parts) => put(&mut parts[digit(key, level)], level - 1, key, value),
    }
}

/// Values in order.
#[derive(Clone, Debug)]
pub struct List<V> {
    values: Table<V>,
    length: usize,
}

impl<V> Default for List<V> {
    fn default() -> List<V> {
        List { values: Table::default(), length: 0 }
    }
}

impl<V: Clone> List<V> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Adds one at the end.
    pub fn push(&mut self, value: V) {
        self.values.insert(self.length, value);
        self.length += 1;
    }

    /// Forgets all but the first ones.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &V> {
        (0..self.length).filter_map(|at| self.values.get(at))
    }

    /// A copy of all.
    pub fn to_vec(&self) -> Vec<V> {
        self.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Copies taken at every step keep what they had: against maps that are really copied.
    #[test]
    fn copies_are_as_they_were() {
        let mut random = 1u64;
        let mut draw = move |most: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) % most
        };
        let mut kept: Vec<(Table<u64>, BTreeMap<usize, u64>)> = vec![Default::default()];
        for step in 0..400 {
            let (mut table, mut map) = kept[draw(kept.len() as u64) as usize].clone();
            let most = [3, 40, 5000, 1 << 31][draw(4) as usize];
            let key = draw(most) as usize;
            table.insert(key, step);
            map.insert(key, step);
            kept.push((table, map));
        }
        let keys: Vec<usize> = kept.iter().flat_map(|(_, map)| map.keys().copied()).collect();
        for (table, map) in &kept {
            for key in keys.iter().flat_map(|key| [*key, key + 1, key ^ 16]) {
                assert_eq!(table.get(key), map.get(&key), "{key}");
            }
        }
    }

    #[test]
    fn lists_keep_their_order() {
        let mut list = List::default();
        (0..1000).for_each(|number| list.push(number));
        let mut other = list.clone();
        other.truncate(300);
        other.push(7);
        assert!(list.iter().copied().eq(0..1000));
        assert!(other.iter().copied().eq((0..300).chain([7])));
        assert_eq!((other.len(), other.to_vec().len()), (301, 301));
    }
}
