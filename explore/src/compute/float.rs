//! Floats: every row of the operation table, on known and unknown operands.

use super::encoding::Origin;
use super::machine::{self, Register};
use super::scalar::FloatTerm;
use super::{Compute, EncodingId, Obligation, Trouble};
use crate::Value;
use nanoscope_ieee::{
    Float, Format, Operation, OutOfRange, Parameters, Rounding, Sort, Word, operations,
};
use nanoscope_program::ir::{FloatPredicate, Mode};
use nanoscope_term::{BitsOp, Term, Value as Known};

/// The operands of an operation as terms.
pub(super) struct Operands {
    /// The rounding mode, if it takes one.
    pub mode: Option<Term>,
    /// The floats.
    pub floats: Vec<FloatTerm>,
    /// Integers and encodings.
    pub bits: Vec<Term>,
}

impl Operands {
    /// The origin of a result whose NaN comes from the operands.
    fn origin(&self) -> Origin {
        let mut ids: [Option<EncodingId>; 3] = [None; 3];
        for (id, float) in ids.iter_mut().zip(&self.floats) {
            *id = Some(float.encoding);
        }
        Origin::Result(ids)
    }

    /// The terms in the row's order.
    fn terms(&self) -> Vec<Term> {
        let floats = self.floats.iter().map(|float| float.term);
        self.mode.into_iter().chain(floats).chain(self.bits.iter().copied()).collect()
    }
}

impl Compute<'_> {
    /// A row of the operation table on scalars.
    pub fn float(
        &mut self,
        operation: Operation,
        parameters: &Parameters,
        mode: Mode,
        values: &[&Value],
    ) -> Value {
        if let Some(mode) = machine::known_mode(mode, self.environment)
            && let Some(words) = known_operands(operation, parameters, values)
        {
            return self.float_known(operation, parameters, mode, &words);
        }
        let mut operands = Operands { mode: None, floats: Vec::new(), bits: Vec::new() };
        let mut values = values.iter();
        for sort in operation.operands() {
            match sort {
                Sort::Rounding => {
                    operands.mode = Some(match mode {
                        Mode::Fixed(mode) => self.terms.rounding(mode),
                        Mode::Dynamic => self.environment.mode(self.terms),
                    });
                }
                Sort::Float => {
                    let value = values.next().expect("an operand");
                    operands.floats.push(self.float_source(value, parameters.format));
                }
                Sort::Bits | Sort::Bool => {
                    let value = values.next().expect("an operand");
                    let width = bits_width(operation, parameters);
                    operands.bits.push(self.integer_term(value, width));
                }
            }
        }
        let value = self.float_unknown(operation, parameters, &operands);
        if self.environment.tracked {
            self.raise(operation, parameters, &operands);
        }
        value
    }

    fn float_known(
        &mut self,
        operation: Operation,
        parameters: &Parameters,
        mode: Rounding,
        words: &[Word],
    ) -> Value {
        let (mut value, flags) = machine::soft(operation, parameters, mode, words);
        if self.environment.tracked {
            self.environment.raise(flags);
        }
        match operation {
            Operation::ToSigned | Operation::ToUnsigned
                if parameters.out_of_range == OutOfRange::Undefined =>
            {
                let float = Float::from_word(parameters.format, words[0].clone());
                let (_, flags) = if operation == Operation::ToSigned {
                    float.to_signed(parameters.width, mode, OutOfRange::Undefined)
                } else {
                    float.to_unsigned(parameters.width, mode, OutOfRange::Undefined)
                };
                if flags.invalid {
                    let condition = self.terms.bool(true);
                    let trouble = Trouble::ConversionOutOfRange;
                    self.obligations.push(Obligation { condition, trouble });
                }
            }
            // Of opposite zeros glibc's functions give the second, as minsd does.
            Operation::MinNum | Operation::MaxNum => {
                let zero =
                    |word: &Word| Float::from_word(parameters.format, word.clone()).is_zero();
                if words.iter().all(zero) {
                    value = Value::word(words[1].clone());
                }
            }
            // Any other operation is on x86 what the table says.
            _ => {}
        }
        value
    }

    fn float_unknown(
        &mut self,
        operation: Operation,
        parameters: &Parameters,
        operands: &Operands,
    ) -> Value {
        let format = parameters.format;
        let plain = implicit(parameters);
        let term = |compute: &mut Self| compute.terms.float(operation, plain, &operands.terms());
        match operation {
            Operation::Minimum | Operation::Maximum | operations!(Arithmetic, Integral, Step) => {
                let term = term(self);
                self.float_made(term, format, operands.origin())
            }
            // Functions of libm: which NaN they give is their own affair.
            Operation::Remainder | Operation::Fmod => {
                let term = term(self);
                self.float_made(term, format, Origin::Anything)
            }
            Operation::MinNum | Operation::MaxNum => self.selected(operation, format, operands),
            Operation::MinX86 | Operation::MaxX86 => {
                let (a, b) = (operands.floats[0], operands.floats[1]);
                let pair = if operation == Operation::MinX86 {
                    [a.term, b.term]
                } else {
                    [b.term, a.term]
                };
                let first = self.terms.fp(Operation::Less, &pair);
                self.chosen(first, a, b, format)
            }
            Operation::Abs => {
                let term = term(self);
                self.float_made(term, format, Origin::Magnitude(operands.floats[0].encoding))
            }
            Operation::Neg => {
                let term = term(self);
                self.float_made(term, format, Origin::Negated(operands.floats[0].encoding))
            }
            Operation::CopySign => self.copy_sign(format, operands.floats[0], operands.floats[1]),
            Operation::IsFinite | operations!(Category) | operations!(Compare) => {
                let term = term(self);
                self.truth_value(term)
            }
            Operation::IsSignaling => {
                let term = self.signaling(operands.floats[0].encoding);
                self.truth_value(term)
            }
            Operation::IsSignMinus => {
                let term = self.sign_bit(operands.floats[0]);
                self.truth_value(term)
            }
            Operation::Convert => {
                let from = operands.floats[0];
                let exact = parameters.target.holds(parameters.format);
                let mode = match operands.mode {
                    Some(mode) if !exact => mode,
                    Some(_) | None => self.terms.rounding(Rounding::NearestEven),
                };
                let term = self.terms.float(operation, plain, &[mode, from.term]);
                self.float_made(term, parameters.target, Origin::Converted(from.encoding))
            }
            Operation::FromSigned | Operation::FromUnsigned => {
                let term = term(self);
                self.float_made(term, format, Origin::Result([None; 3]))
            }
            Operation::ToSigned | Operation::ToUnsigned => {
                let mode = operands.mode.expect("conversions to integers round");
                let signed = operation == Operation::ToSigned;
                self.integer_value_of(signed, parameters, mode, operands.floats[0])
            }
            Operation::FromBits => self.float_from_bits(format, operands.bits[0]),
            Operation::ToBits => {
                let bits = self.encoding_bits(operands.floats[0].encoding);
                self.integer_value(bits)
            }
        }
    }

    /// One of two floats.
    fn chosen(&mut self, first: Term, a: FloatTerm, b: FloatTerm, format: Format) -> Value {
        let term = self.terms.ite(first, a.term, b.term);
        self.float_made(term, format, Origin::Choice(first, a.encoding, b.encoding))
    }

    /// C's `fmin` and `fmax`. Which of two opposite zeros comes, and whether a signalling NaN
    /// wins or loses against a number, differs between what compilers make of them.
    fn selected(&mut self, operation: Operation, format: Format, operands: &Operands) -> Value {
        let (a, b) = (operands.floats[0], operands.floats[1]);
        let number = self.terms.fp(operation, &[a.term, b.term]);
        let zeros = [a.term, b.term].map(|term| self.terms.fp(Operation::IsZero, &[term]));
        let same = self.terms.equal(a.term, b.term);
        let differ = self.terms.not(same);
        let opposite = self.terms.and(&[zeros[0], zeros[1], differ]);
        let mut term = number;
        if !self.is_false(opposite) {
            let which = self.terms.fresh("which_zero", nanoscope_term::Sort::Bool);
            let zero = self.terms.ite(which, a.term, b.term);
            term = self.terms.ite(opposite, zero, term);
        }
        let signaling = [a, b].map(|float| self.signaling(float.encoding));
        let signaling = self.terms.or(&signaling);
        if !self.is_false(signaling) {
            let wins = self.terms.fresh("signaling_wins", nanoscope_term::Sort::Bool);
            let wins = self.terms.and(&[signaling, wins]);
            let nan = self.terms.constant(Known::nan(format.implicit()));
            term = self.terms.ite(wins, nan, term);
        }
        self.float_made(term, format, operands.origin())
    }

    fn copy_sign(&mut self, format: Format, a: FloatTerm, b: FloatTerm) -> Value {
        // The sign of a NaN counts too: of one that arithmetic made, all that is known is in
        // its encoding.
        let minus = self.sign_bit(b);
        let magnitude = self.terms.fp(Operation::Abs, &[a.term]);
        let opposite = self.terms.fp(Operation::Neg, &[magnitude]);
        let term = self.terms.ite(minus, opposite, magnitude);
        self.float_made(term, format, Origin::Signed(a.encoding, b.encoding))
    }

    /// Whether the sign bit is set, of a NaN too.
    pub(super) fn sign_bit(&mut self, float: FloatTerm) -> Term {
        let negative = self.terms.fp(Operation::IsNegative, &[float.term]);
        let nan = self.terms.fp(Operation::IsNan, &[float.term]);
        if self.is_false(nan) {
            return negative;
        }
        let bits = self.encoding_bits(float.encoding);
        let sign = self.terms.sign(bits);
        let of_nan = self.terms.and(&[nan, sign]);
        self.terms.or(&[negative, of_nan])
    }

    /// To an integer: as the row says out of range, or as clang's code does where C says
    /// nothing.
    fn integer_value_of(
        &mut self,
        signed: bool,
        parameters: &Parameters,
        mode: Term,
        float: FloatTerm,
    ) -> Value {
        let (format, width) = (parameters.format.implicit(), parameters.width);
        if parameters.out_of_range != OutOfRange::Undefined {
            let term =
                self.integer_of(signed, format, width, parameters.out_of_range, mode, float.term);
            return self.integer_value(term);
        }
        let fits = self.fits(signed, format, width, mode, float.term);
        let beyond = self.terms.not(fits);
        if !self.is_false(beyond) {
            let trouble = Trouble::ConversionOutOfRange;
            self.obligations.push(Obligation { condition: beyond, trouble });
        }
        // Half precision goes by way of `float`.
        let narrow = format.precision < Format::BINARY32.precision;
        let (format, term, wide) = if narrow {
            let wide = self.terms.convert(Format::BINARY32, mode, float.term);
            (Format::BINARY32, wide, Format::BINARY32)
        } else {
            (format, float.term, parameters.format)
        };
        let term = match machine::register(wide, signed, width) {
            Register::Direct(bits) => {
                let policy = OutOfRange::Indefinite;
                let term = self.integer_of(true, format, bits, policy, mode, term);
                self.resized(term, width, true)
            }
            Register::Saturating => {
                self.integer_of(signed, format, width, OutOfRange::Saturate, mode, term)
            }
            Register::TwoSteps => {
                let inside = self.integer_of(false, format, 64, OutOfRange::Undefined, mode, term);
                let outside = self.two_steps(wide, mode, term);
                self.terms.ite(fits, inside, outside)
            }
        };
        self.integer_value(term)
    }

    pub(super) fn integer_of(
        &mut self,
        signed: bool,
        format: Format,
        width: u32,
        policy: OutOfRange,
        mode: Term,
        term: Term,
    ) -> Term {
        let operation = if signed { Operation::ToSigned } else { Operation::ToUnsigned };
        self.terms.float(operation, Parameters::integer(format, width, policy), &[mode, term])
    }

    /// Two to the 63rd, and the float less it.
    pub(super) fn less_half(&mut self, format: Format, term: Term) -> (Term, Term) {
        let format = format.implicit();
        let nearest = self.terms.rounding(Rounding::NearestEven);
        let (half, _) = Float::from_unsigned(format, Rounding::NearestEven, &Word::run(65, 63, 1));
        let half = self.terms.float_bits(format, half.word().clone());
        (half, self.terms.fp(Operation::Sub, &[nearest, term, half]))
    }

    /// What clang's code for unsigned 64-bit integers gives, out of range too.
    fn two_steps(&mut self, format: Format, mode: Term, term: Term) -> Term {
        let implicit = format.implicit();
        let (half, less) = self.less_half(format, term);
        let policy = OutOfRange::Indefinite;
        let above = self.integer_of(true, implicit, 64, policy, mode, less);
        let below = self.integer_of(true, implicit, 64, policy, mode, term);
        if format.explicit_integer_bit {
            let top = self.terms.bits(64, 1 << 63);
            let turned = self.terms.bits_op(BitsOp::Xor, &[above, top]);
            let low = self.terms.fp(Operation::Less, &[term, half]);
            return self.terms.ite(low, below, turned);
        }
        let negative = self.terms.sign(below);
        let either = self.terms.bits_op(BitsOp::Or, &[below, above]);
        self.terms.ite(negative, either, below)
    }

    /// Whether an integer type has a place for a float, rounded.
    pub(super) fn fits(
        &mut self,
        signed: bool,
        format: Format,
        width: u32,
        mode: Term,
        term: Term,
    ) -> Term {
        let integral = self.terms.fp(Operation::RoundToIntegral, &[mode, term]);
        // The outermost floats of the range: those that its ends round to, toward zero.
        let (least, greatest) = if signed {
            (Word::run(width, width - 1, 1), Word::run(width, 0, width - 1))
        } else {
            (Word::zero(width), Word::ones(width))
        };
        let end = |word: &Word| {
            let toward = Rounding::TowardZero;
            if signed {
                Float::from_signed(format, toward, word).0
            } else {
                Float::from_unsigned(format, toward, word).0
            }
        };
        let least = self.terms.float_bits(format, end(&least).word().clone());
        let greatest = self.terms.float_bits(format, end(&greatest).word().clone());
        let above = self.terms.fp(Operation::LessEqual, &[least, integral]);
        let below = self.terms.fp(Operation::LessEqual, &[integral, greatest]);
        self.terms.and(&[above, below])
    }

    /// A comparison.
    pub(super) fn float_compare(
        &mut self,
        predicate: FloatPredicate,
        signaling: bool,
        format: Format,
        a: &Value,
        b: &Value,
    ) -> Value {
        if let (Some(x), Some(y)) = (a.as_word(format.width()), b.as_word(format.width())) {
            let (x, y) = (Float::from_word(format, x), Float::from_word(format, y));
            if self.environment.tracked {
                let (unordered, mut flags) = x.unordered(&y);
                flags.invalid |= signaling && unordered;
                self.environment.raise(flags);
            }
            return Value::truth(machine::related(predicate, x.partial_order(&y)));
        }
        let (a, b) = (self.float_source(a, format), self.float_source(b, format));
        if self.environment.tracked {
            self.raise_comparison(signaling, a, b);
        }
        let term = self.related(predicate, a.term, b.term);
        self.truth_value(term)
    }

    fn related(&mut self, predicate: FloatPredicate, a: Term, b: Term) -> Term {
        use FloatPredicate as P;
        let terms = &mut *self.terms;
        let mut either = |operation: Operation, negated: bool, a: Term, b: Term| {
            let holds = terms.fp(operation, &[a, b]);
            if negated { terms.not(holds) } else { holds }
        };
        // An unordered comparison is the opposite ordered one denied.
        match predicate {
            P::False => self.terms.bool(false),
            P::True => self.terms.bool(true),
            P::OrderedEqual => either(Operation::Equal, false, a, b),
            P::OrderedGreater => either(Operation::Less, false, b, a),
            P::OrderedGreaterEqual => either(Operation::LessEqual, false, b, a),
            P::OrderedLess => either(Operation::Less, false, a, b),
            P::OrderedLessEqual => either(Operation::LessEqual, false, a, b),
            P::Ordered => either(Operation::Unordered, true, a, b),
            P::Unordered => either(Operation::Unordered, false, a, b),
            P::UnorderedGreater => either(Operation::LessEqual, true, a, b),
            P::UnorderedGreaterEqual => either(Operation::Less, true, a, b),
            P::UnorderedLess => either(Operation::LessEqual, true, b, a),
            P::UnorderedLessEqual => either(Operation::Less, true, b, a),
            P::UnorderedNotEqual => either(Operation::Equal, true, a, b),
            P::OrderedNotEqual => {
                let (below, above) =
                    (either(Operation::Less, false, a, b), either(Operation::Less, false, b, a));
                self.terms.or(&[below, above])
            }
            P::UnorderedEqual => {
                let (below, above) =
                    (either(Operation::Less, false, a, b), either(Operation::Less, false, b, a));
                let differ = self.terms.or(&[below, above]);
                self.terms.not(differ)
            }
        }
    }

    /// Whether a float is in one of the classes of `llvm.is.fpclass`' mask.
    pub(super) fn classify(&mut self, mask: u32, format: Format, value: &Value) -> Value {
        if let Some(word) = value.as_word(format.width()) {
            let float = Float::from_word(format, word);
            let minus = float.is_sign_minus();
            let class = if float.is_nan() {
                u32::from(!float.is_signaling())
            } else if float.is_infinite() {
                if minus { 2 } else { 9 }
            } else if float.is_zero() {
                if minus { 5 } else { 6 }
            } else if float.is_subnormal() {
                if minus { 4 } else { 7 }
            } else if minus {
                3
            } else {
                8
            };
            return Value::truth(mask >> class & 1 == 1);
        }
        let float = self.float_source(value, format);
        let mut any = Vec::new();
        match mask & 3 {
            0 => {}
            3 => any.push(self.terms.fp(Operation::IsNan, &[float.term])),
            one => {
                let signaling = self.signaling(float.encoding);
                let nan = self.terms.fp(Operation::IsNan, &[float.term]);
                let quiet = self.terms.not(signaling);
                let other = if one == 1 { signaling } else { quiet };
                any.push(self.terms.and(&[nan, other]));
            }
        }
        let classes = [
            (Operation::IsInfinite, 2, 9),
            (Operation::IsNormal, 3, 8),
            (Operation::IsSubnormal, 4, 7),
            (Operation::IsZero, 5, 6),
        ];
        for (operation, minus, plus) in classes {
            let (minus, plus) = (mask >> minus & 1 == 1, mask >> plus & 1 == 1);
            if !minus && !plus {
                continue;
            }
            let class = self.terms.fp(operation, &[float.term]);
            any.push(if minus && plus {
                class
            } else {
                let sign = if minus { Operation::IsNegative } else { Operation::IsPositive };
                let sign = self.terms.fp(sign, &[float.term]);
                self.terms.and(&[class, sign])
            });
        }
        let term = self.terms.or(&any);
        self.truth_value(term)
    }
}

/// The parameters with formats that terms have.
pub(super) fn implicit(parameters: &Parameters) -> Parameters {
    Parameters {
        format: parameters.format.implicit(),
        target: parameters.target.implicit(),
        ..*parameters
    }
}

/// The width of an operand that is no float.
fn bits_width(operation: Operation, parameters: &Parameters) -> u32 {
    if operation == Operation::FromBits { parameters.format.width() } else { parameters.width }
}

/// The operands' bits, if all are known.
fn known_operands(
    operation: Operation,
    parameters: &Parameters,
    values: &[&Value],
) -> Option<Vec<Word>> {
    let sorts = operation.operands().iter().filter(|sort| **sort != Sort::Rounding);
    sorts
        .zip(values)
        .map(|(sort, value)| match sort {
            Sort::Float => value.as_word(parameters.format.width()),
            Sort::Bits => value.as_word(bits_width(operation, parameters)),
            Sort::Rounding | Sort::Bool => value.as_word(1),
        })
        .collect()
}
