//! Arithmetic on integers: when a result does not fit, and how far it is from that.

use crate::distance::FAR;

/// Arithmetic on integers of a width, as C's types have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegerArithmetic {
    /// What is computed.
    pub operation: Arithmetic,
    /// Width of the operands.
    pub bits: u32,
    /// Whether they have a sign. (Of a narrowing nobody knows: see [`Arithmetic::Narrow`].)
    pub signed: bool,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// A sum.
    Add,
    /// A difference; from zero, a negation.
    Sub,
    /// A product.
    Mul,
    /// A conversion to a narrower type. It loses something when neither the signed nor the
    /// unsigned integers of that width have the value.
    Narrow {
        /// Its width.
        to: u32,
    },
}

impl IntegerArithmetic {
    /// The widest integers asked about.
    pub const WIDEST: u32 = 64;

    /// The operation's name, as LLVM has it.
    pub fn name(self) -> &'static str {
        match self.operation {
            Arithmetic::Add => "add",
            Arithmetic::Sub => "sub",
            Arithmetic::Mul => "mul",
            Arithmetic::Narrow { .. } => "trunc",
        }
    }

    /// How many operands it takes.
    pub fn operands(self) -> usize {
        match self.operation {
            Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul => 2,
            Arithmetic::Narrow { .. } => 1,
        }
    }

    /// Whether operands are read with their sign.
    pub fn reads_signed(self) -> bool {
        self.signed || matches!(self.operation, Arithmetic::Narrow { .. })
    }

    /// The least and the greatest result that fits.
    pub fn limits(self) -> (i128, i128) {
        match (self.operation, self.signed) {
            (Arithmetic::Narrow { to }, _) => (-(1 << (to - 1)), (1 << to) - 1),
            (Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul, true) => {
                (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)
            }
            (Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul, false) => {
                (0, (1 << self.bits) - 1)
            }
        }
    }

    /// An operand's value.
    pub fn read(self, encoding: u128) -> i128 {
        let spare = 128 - self.bits;
        if self.reads_signed() {
            ((encoding << spare) as i128) >> spare
        } else {
            ((encoding << spare) >> spare) as i128
        }
    }

    /// The exact result; none where it is beyond anything that fits.
    pub fn exact(self, operands: &[u128]) -> Option<i128> {
        let value = |i: usize| self.read(operands[i]);
        match self.operation {
            Arithmetic::Add => Some(value(0) + value(1)),
            Arithmetic::Sub => Some(value(0) - value(1)),
            Arithmetic::Mul => value(0).checked_mul(value(1)),
            Arithmetic::Narrow { .. } => Some(value(0)),
        }
    }

    /// What the machine makes of the result.
    pub fn wrapped(self, operands: &[u128]) -> i128 {
        let value = |i: usize| self.read(operands[i]);
        let (exact, bits) = match self.operation {
            Arithmetic::Add => (value(0).wrapping_add(value(1)), self.bits),
            Arithmetic::Sub => (value(0).wrapping_sub(value(1)), self.bits),
            Arithmetic::Mul => (value(0).wrapping_mul(value(1)), self.bits),
            Arithmetic::Narrow { to } => (value(0), to),
        };
        IntegerArithmetic { bits, ..self }.read(exact as u128)
    }

    /// How far an execution was from a result that does not fit; 0: it does not.
    pub fn distance(self, operands: &[u128]) -> u64 {
        let (least, greatest) = self.limits();
        match self.exact(operands) {
            Some(exact) if exact >= least && exact <= greatest => {
                // Without a sign, zero is an end of the range for differences alone: no sum
                // and no product goes below.
                let down = match (self.operation, self.signed) {
                    (Arithmetic::Add | Arithmetic::Mul, false) => i128::MAX,
                    (Arithmetic::Add | Arithmetic::Mul, true)
                    | (Arithmetic::Sub | Arithmetic::Narrow { .. }, _) => exact - least,
                };
                let up = match (self.operation, self.signed) {
                    (Arithmetic::Sub, false) => i128::MAX,
                    (Arithmetic::Sub, true)
                    | (Arithmetic::Add | Arithmetic::Mul | Arithmetic::Narrow { .. }, _) => {
                        greatest - exact
                    }
                };
                (down.min(up) + 1).min(i128::from(FAR - 1)) as u64
            }
            Some(_) | None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let check = |operation, bits, signed, operands: &[i128], expected| {
            let arithmetic = IntegerArithmetic { operation, bits, signed };
            let encoded: Vec<u128> =
                operands.iter().map(|&x| x as u128 & (u128::MAX >> (128 - bits))).collect();
            assert_eq!(arithmetic.distance(&encoded), expected, "{arithmetic:?} {operands:?}");
        };
        use Arithmetic::*;
        let top = i128::from(i32::MAX);
        check(Add, 32, true, &[top, 0], 1);
        check(Add, 32, true, &[top, 1], 0);
        check(Add, 32, true, &[-top, -1], 1);
        check(Add, 32, true, &[-top, -2], 0);
        check(Sub, 32, true, &[0, -top - 1], 0);
        check(Sub, 32, true, &[0, -top], 1);
        check(Mul, 32, true, &[1 << 16, 1 << 15], 0);
        check(Mul, 32, true, &[1 << 16, -(1 << 15)], 1);
        check(Mul, 64, true, &[i128::from(i64::MIN), -1], 0);
        check(Mul, 64, false, &[i128::from(u64::MAX), i128::from(u64::MAX)], 0);
        check(Add, 64, false, &[i128::from(u64::MAX), 0], 1);
        check(Add, 64, false, &[i128::from(u64::MAX), 1], 0);
        check(Sub, 32, false, &[5, 5], 1);
        check(Sub, 32, false, &[5, 6], 0);
        check(Sub, 32, false, &[9, 5], 5);
        check(Narrow { to: 32 }, 64, true, &[1 << 32], 0);
        check(Narrow { to: 32 }, 64, true, &[(1 << 32) - 1], 1);
        check(Narrow { to: 32 }, 64, true, &[-top - 1], 1);
        check(Narrow { to: 32 }, 64, true, &[-top - 2], 0);
    }
}
