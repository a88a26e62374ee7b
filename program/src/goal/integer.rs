//! Arithmetic on integers: when a result does not fit, and how far it is from that.

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
}
