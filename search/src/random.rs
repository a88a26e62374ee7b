//! A small, fast, seeded generator of random numbers.

/// A Weyl sequence whose state is mixed by a folded 64x64 multiplication: two
/// cheap instructions a number, full period, good enough to pick moves with.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

/// What the state grows by with every number.
const WEYL: u64 = 0xa076_1d64_78bd_642f;

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        let mut random = Random { state: seed ^ 0x9e37_79b9_7f4a_7c15 };
        random.next();
        random
    }

    /// 64 random bits.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(WEYL);
        let product = u128::from(self.state) * u128::from(self.state ^ 0xe703_7ed1_a0b4_28db);
        (product >> 64) as u64 ^ product as u64
    }

    /// Leaves out so many numbers: those that a clone has drawn.
    pub(crate) fn skip(&mut self, count: usize) {
        self.state = self.state.wrapping_add((count as u64).wrapping_mul(WEYL));
    }

    /// A number below `bound`, which must not be 0 (then: 0). The bias is below
    /// `bound / 2^32` and does not matter here.
    #[inline]
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (((self.next() >> 32) * bound as u64) >> 32) as usize
    }

    /// Uniform in [0, 1).
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True once in `n` times.
    #[inline]
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_and_repeatable() {
        let (mut one, mut two) = (Random::new(5), Random::new(5));
        let mut buckets = [0u32; 16];
        for _ in 0..16_000 {
            let n = one.below(16);
            assert_eq!(n, two.below(16));
            buckets[n] += 1;
        }
        assert!(buckets.iter().all(|&n| (850..1150).contains(&n)), "{buckets:?}");
        assert!((0..1000).all(|_| (0.0..1.0).contains(&one.unit())));
        assert_ne!(Random::new(1).next(), Random::new(2).next());
    }
}
