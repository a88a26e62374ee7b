//! Words of literals: the and-inverter graph as an algebra of bits, so that
//! the semantics of every operation, written once in `ieee`, makes gates.
//!
//! The default circuits are replaced where a shape that SAT solvers like
//! better is known, and where working on slices of literals saves time.

use super::aig::{Aig, Lit, Multiplier};
use nanoscope_ieee::Algebra;

impl Aig {
    /// A word of new inputs.
    pub fn inputs(&mut self, width: u32) -> Vec<Lit> {
        (0..width).map(|_| self.input()).collect()
    }

    /// Sum and carry of three bits.
    pub(super) fn full_adder(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let half = self.xor(a, b);
        let sum = self.xor(half, c);
        (sum, self.majority(a, b, c))
    }

    /// Whether at least two of three hold; the shape that
    /// [`Aig::as_no_majority`] knows.
    pub(super) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let half = self.xor(a, b);
        let both = self.and(a, b);
        let through = self.and(half, c);
        self.or(both, through)
    }

    fn columns(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let width = a.len() + b.len();
        let mut columns = vec![Vec::new(); width];
        for (i, &x) in a.iter().enumerate() {
            if self.overgrown() {
                break;
            }
            for (j, &y) in b.iter().enumerate() {
                let product = self.and(x, y);
                if product != Lit::FALSE {
                    columns[i + j].push(product);
                }
            }
        }
        // Dadda's heights: each stage brings every column down to the next of
        // 2, 3, 4, 6, 9, 13, ... with as few adders as that takes.
        let tallest = columns.iter().map(Vec::len).max().unwrap_or(0);
        let mut heights = vec![2];
        while heights[heights.len() - 1] < tallest {
            heights.push(heights[heights.len() - 1] * 3 / 2);
        }
        for &height in heights.iter().rev() {
            for place in 0..width {
                while columns[place].len() > height && !self.overgrown() {
                    let excess = columns[place].len() - height;
                    let taken: Vec<Lit> =
                        columns[place].drain(..if excess > 1 { 3 } else { 2 }).collect();
                    let third = taken.get(2).copied().unwrap_or(Lit::FALSE);
                    let (sum, carry) = self.full_adder(taken[0], taken[1], third);
                    if sum != Lit::FALSE {
                        columns[place].push(sum);
                    }
                    if place + 1 < width && carry != Lit::FALSE {
                        columns[place + 1].push(carry);
                    }
                }
            }
        }
        let row = |index: usize| -> Vec<Lit> {
            columns.iter().map(|column| column.get(index).copied().unwrap_or(Lit::FALSE)).collect()
        };
        let (first, second) = (row(0), row(1));
        self.add_carry(&first, &second, &Lit::FALSE).0
    }

    /// The low half of the product: as many bits as an operand has.
    pub fn mul_low(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        assert_eq!(a.len(), b.len(), "words of one width");
        let (a, b) = if known_bits(a) > known_bits(b) { (b, a) } else { (a, b) };
        let mut product = vec![Lit::FALSE; a.len()];
        for (shift, &bit) in b.iter().enumerate() {
            if self.overgrown() {
                break;
            }
            let mut carry = Lit::FALSE;
            for (i, &x) in a[..a.len() - shift].iter().enumerate() {
                let partial = self.and(x, bit);
                (product[shift + i], carry) = self.full_adder(product[shift + i], partial, carry);
            }
        }
        product
    }

    fn rows(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        // The accumulator's low bits are final as soon as they are passed.
        let mut product = vec![Lit::FALSE; a.len() + b.len()];
        for (shift, &bit) in b.iter().enumerate() {
            if self.overgrown() {
                break;
            }
            let mut carry = Lit::FALSE;
            for (i, &x) in a.iter().enumerate() {
                let partial = self.and(x, bit);
                (product[shift + i], carry) = self.full_adder(product[shift + i], partial, carry);
            }
            product[shift + a.len()] = carry;
        }
        product
    }
}

fn known_bits(word: &[Lit]) -> usize {
    word.iter().filter(|lit| lit.value().is_some()).count()
}

impl Algebra for Aig {
    type Bit = Lit;
    type Word = Vec<Lit>;

    fn bit(&mut self, value: bool) -> Lit {
        Lit::known(value)
    }

    fn not(&mut self, a: &Lit) -> Lit {
        !*a
    }

    fn and(&mut self, a: &Lit, b: &Lit) -> Lit {
        Aig::and(self, *a, *b)
    }

    fn assemble(&mut self, bits: &[Lit]) -> Vec<Lit> {
        bits.to_vec()
    }

    fn bit_of(&mut self, a: &Vec<Lit>, index: u32) -> Lit {
        a[index as usize]
    }

    fn width(&self, a: &Vec<Lit>) -> u32 {
        a.len() as u32
    }

    fn known(&self, a: &Lit) -> Option<bool> {
        a.value()
    }

    fn spent(&self) -> bool {
        self.overgrown()
    }

    fn or(&mut self, a: &Lit, b: &Lit) -> Lit {
        Aig::or(self, *a, *b)
    }

    fn xor(&mut self, a: &Lit, b: &Lit) -> Lit {
        Aig::xor(self, *a, *b)
    }

    fn and_not(&mut self, a: &Lit, b: &Lit) -> Lit {
        Aig::and(self, *a, !*b)
    }

    fn mux(&mut self, condition: &Lit, then: &Lit, otherwise: &Lit) -> Lit {
        Aig::mux(self, *condition, *then, *otherwise)
    }

    fn bits_of(&mut self, a: &Vec<Lit>) -> Vec<Lit> {
        a.clone()
    }

    fn repeat(&mut self, a: &Lit, width: u32) -> Vec<Lit> {
        vec![*a; width as usize]
    }

    fn extract(&mut self, a: &Vec<Lit>, low: u32, width: u32) -> Vec<Lit> {
        a[low as usize..(low + width) as usize].to_vec()
    }

    fn concat(&mut self, high: &Vec<Lit>, low: &Vec<Lit>) -> Vec<Lit> {
        [low.as_slice(), high].concat()
    }

    fn not_word(&mut self, a: &Vec<Lit>) -> Vec<Lit> {
        a.iter().map(|&lit| !lit).collect()
    }

    fn add_carry(&mut self, a: &Vec<Lit>, b: &Vec<Lit>, carry: &Lit) -> (Vec<Lit>, Lit) {
        assert_eq!(a.len(), b.len(), "words of one width");
        let mut carry = *carry;
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let (bit, next) = self.full_adder(a, b, carry);
            sum.push(bit);
            carry = next;
        }
        (sum, carry)
    }

    fn mul(&mut self, a: &Vec<Lit>, b: &Vec<Lit>) -> Vec<Lit> {
        // Known bits make rows vanish; so rows go by the operand with more.
        let (a, b) = if known_bits(a) > known_bits(b) { (b, a) } else { (a, b) };
        match self.tuning.multiplier {
            Multiplier::Rows => self.rows(a, b),
            Multiplier::Columns => self.columns(a, b),
        }
    }

    fn shifted_remainder(
        &mut self,
        a: &Vec<Lit>,
        shift: &Vec<Lit>,
        limit: u64,
        b: &Vec<Lit>,
    ) -> (Vec<Lit>, Lit) {
        // One bit of the quotient a step; the steps beyond `shift` leave all
        // as it is. A graph that is full makes no more sense of it.
        let divisor = [b.as_slice(), &[Lit::FALSE]].concat();
        let (mut remainder, mut odd) = (a.clone(), Lit::FALSE);
        for step in 0..limit {
            let step = self.number(shift.len() as u32, step as u128);
            let active = self.less(&step, shift);
            if active == Lit::FALSE || self.overgrown() {
                break;
            }
            let doubled = [&[Lit::FALSE], remainder.as_slice()].concat();
            let (reduced, fits) = self.sub_compare(&doubled, &divisor);
            let take = Aig::and(self, active, fits);
            for i in 0..remainder.len() {
                let kept = Aig::mux(self, active, doubled[i], remainder[i]);
                remainder[i] = Aig::mux(self, take, reduced[i], kept);
            }
            odd = Aig::mux(self, active, fits, odd);
        }
        (remainder, odd)
    }

    fn equal(&mut self, a: &Vec<Lit>, b: &Vec<Lit>) -> Lit {
        assert_eq!(a.len(), b.len(), "words of one width");
        let differ: Vec<Lit> = a.iter().zip(b).map(|(&a, &b)| Aig::xor(self, a, b)).collect();
        !self.any(&differ.iter().collect::<Vec<_>>())
    }

    fn less(&mut self, a: &Vec<Lit>, b: &Vec<Lit>) -> Lit {
        assert_eq!(a.len(), b.len(), "words of one width");
        // The carries of `a - b`, which a subtraction then shares.
        let mut at_least = Lit::TRUE;
        for (&a, &b) in a.iter().zip(b) {
            at_least = self.majority(a, !b, at_least);
        }
        !at_least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blast::aig::Tuning;
    use nanoscope_ieee::{Concrete, Word};

    /// A circuit over words of the given widths, against the concrete algebra
    /// on all operands, or on a spread of them where there are too many.
    fn check(
        widths: [u32; 2],
        circuit: impl Fn(&mut Aig, &Vec<Lit>, &Vec<Lit>) -> Vec<Lit>,
        expected: impl Fn(&mut Concrete, &Word, &Word) -> Word,
    ) {
        for multiplier in [Multiplier::Rows, Multiplier::Columns] {
            let mut aig = Aig::with_tuning(Tuning { multiplier });
            let [a, b] = widths.map(|width| aig.inputs(width));
            let outputs = circuit(&mut aig, &a, &b);
            let total = widths[0] + widths[1];
            let operands: Vec<u64> = if total <= 12 {
                (0..1 << total).collect()
            } else {
                (0..4096u64)
                    .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - total))
                    .collect()
            };
            for chunk in operands.chunks(64) {
                let patterns: Vec<u64> = (0..total)
                    .map(|bit| {
                        let bits = chunk.iter().enumerate();
                        bits.fold(0, |word, (lane, value)| word | (value >> bit & 1) << lane)
                    })
                    .collect();
                let simulation = aig.simulate(&patterns);
                for (lane, &value) in chunk.iter().enumerate() {
                    let x = Word::new(widths[0], value as u128);
                    let y = Word::new(widths[1], (value >> widths[0]) as u128);
                    let got: Vec<bool> =
                        outputs.iter().map(|&lit| simulation.of(lit) >> lane & 1 == 1).collect();
                    assert_eq!(
                        Word::from_bits(&got),
                        expected(&mut Concrete, &x, &y),
                        "{x:?} {y:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn circuits_compute() {
        for widths in [[1, 1], [3, 3], [5, 5], [6, 6], [13, 13]] {
            check(widths, |g, a, b| g.add(a, b), |g, a, b| g.add(a, b));
            check(widths, |g, a, b| g.sub(a, b), |g, a, b| g.sub(a, b));
            check(widths, |g, a, b| vec![g.less(a, b)], |g, a, b| Word::from_bits(&[g.less(a, b)]));
            check(
                widths,
                |g, a, b| vec![g.less_signed(a, b)],
                |g, a, b| Word::from_bits(&[g.less_signed(a, b)]),
            );
            check(
                widths,
                |g, a, b| vec![g.equal(a, b)],
                |g, a, b| Word::from_bits(&[g.equal(a, b)]),
            );
            check(widths, |g, a, b| g.udiv_rem(a, b).0, |g, a, b| g.udiv_rem(a, b).0);
            check(widths, |g, a, b| g.udiv_rem(a, b).1, |g, a, b| g.udiv_rem(a, b).1);
        }
        for widths in [[1, 1], [2, 5], [5, 2], [6, 6], [11, 9]] {
            check(widths, |g, a, b| g.mul(a, b), |g, a, b| g.mul(a, b));
            check(widths, |g, a, b| g.shl(a, b), |g, a, b| g.shl(a, b));
            check(widths, |g, a, b| g.shr(a, b), |g, a, b| g.shr(a, b));
            check(widths, |g, a, b| g.shr_signed(a, b), |g, a, b| g.shr_signed(a, b));
            check(widths, |g, a, _| g.leading_zeros(a), |g, a, _| g.leading_zeros(a));
            check(widths, |g, a, _| g.root(a).0, |g, a, _| g.root(a).0);
        }
    }

    #[test]
    fn remainders_compute() {
        // a < b is wanted: the first operand is reduced before.
        check(
            [4, 4],
            |g, a, b| {
                let (_, a) = g.udiv_rem(a, b);
                let shift = g.number(3, 5);
                let (rest, odd) = g.shifted_remainder(&a, &shift, 7, b);
                let zero = g.is_zero(b);
                let result = [rest.as_slice(), &[odd]].concat();
                let nothing = vec![Lit::FALSE; 5];
                g.mux_word(&zero, &nothing, &result)
            },
            |g, a, b| {
                if b.is_zero() {
                    return Word::zero(5);
                }
                let (_, a) = g.udiv_rem(a, b);
                let shift = g.number(3, 5);
                let (rest, odd) = g.shifted_remainder(&a, &shift, 7, b);
                g.concat(&Word::from_bits(&[odd]), &rest)
            },
        );
    }
}
