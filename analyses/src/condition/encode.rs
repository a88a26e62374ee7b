//! A condition as a formula: what [`evaluate`](super::evaluate) says of numbers, said of terms.
//!
//! C's undefined results are no value here either: beside every value stands when it is
//! defined, and a condition holds where it is defined and true.

use super::binaries;
use super::evaluate::{CValue, common};
use super::{Binary, Bound, Expression, Function, Number, Unary};
use nanoscope_ieee::{Format, Operation, OutOfRange, Parameters, Rounding};
use nanoscope_program::Scalar;
use nanoscope_term::{BitsOp, Libm, Term, Terms};

impl Bound {
    /// Terms of which all must hold where the condition does; `inputs` are the slots' terms,
    /// floats as floats, integers as bits of their width. Parts that no term says (shifts,
    /// the sign of a NaN, formats wider than `double`) are left out.
    pub fn encode(&self, terms: &mut Terms, inputs: &[Term]) -> Vec<Term> {
        let mut list = Vec::new();
        let mut encoder = Encoder { bound: self, terms, inputs };
        encoder.conjuncts(&self.expression, &mut list);
        list
    }
}

struct Encoder<'e> {
    bound: &'e Bound,
    terms: &'e mut Terms,
    inputs: &'e [Term],
}

/// A value, and when it is defined.
#[derive(Clone, Copy)]
struct Coded {
    what: What,
    defined: Term,
}

#[derive(Clone, Copy)]
enum What {
    /// C's `int` 0 or 1.
    Truth(Term),
    Integer {
        term: Term,
        bits: u32,
        signed: bool,
    },
    Float {
        term: Term,
        format: Format,
    },
}

const INT: Number = Number::Integer { bits: 32, signed: true };

impl Encoder<'_> {
    fn conjuncts(&mut self, expression: &Expression, list: &mut Vec<Term>) {
        match expression {
            Expression::And(parts) => parts.iter().for_each(|part| self.conjuncts(part, list)),
            other => {
                if let Some(coded) = self.encode(other) {
                    let truth = self.truth(coded.what);
                    list.push(self.terms.and(&[coded.defined, truth]));
                }
            }
        }
    }

    fn always(&mut self, what: What) -> Option<Coded> {
        let defined = self.terms.bool(true);
        Some(Coded { what, defined })
    }

    fn nearest(&mut self) -> Term {
        self.terms.rounding(Rounding::NearestEven)
    }

    fn encode(&mut self, expression: &Expression) -> Option<Coded> {
        match expression {
            Expression::Constant(value) => {
                let what = self.constant(*value);
                self.always(what)
            }
            Expression::Name(_) => None,
            Expression::Slot(at) => {
                let what = self.slot(*at)?;
                self.always(what)
            }
            Expression::Unary(operator, part) => {
                let part = self.encode(part)?;
                self.unary(*operator, part)
            }
            Expression::Binary(operator, parts) => {
                let (a, b) = (self.encode(&parts[0])?, self.encode(&parts[1])?);
                self.binary(*operator, a, b)
            }
            // The right side counts, and need be defined, only where the left leaves it open.
            Expression::And(parts) | Expression::Or(parts) => {
                let is_and = matches!(expression, Expression::And(_));
                let (a, b) = (self.encode(&parts[0])?, self.encode(&parts[1])?);
                let (left, right) = (self.truth(a.what), self.truth(b.what));
                let decided = if is_and { self.terms.not(left) } else { left };
                let rest = self.terms.or(&[decided, b.defined]);
                let defined = self.terms.and(&[a.defined, rest]);
                let truth = if is_and {
                    self.terms.and(&[left, right])
                } else {
                    self.terms.or(&[left, right])
                };
                Some(Coded { what: What::Truth(truth), defined })
            }
            Expression::Choice(parts) => {
                let [condition, a, b] = &**parts;
                let (condition, a, b) = (self.encode(condition)?, self.encode(a)?, self.encode(b)?);
                let chosen = self.truth(condition.what);
                let what = match (a.what, b.what) {
                    (What::Truth(a), What::Truth(b)) => What::Truth(self.terms.ite(chosen, a, b)),
                    (
                        What::Integer { term: a, bits, signed },
                        What::Integer { term: b, bits: other, signed: too },
                    ) if (bits, signed) == (other, too) => {
                        What::Integer { term: self.terms.ite(chosen, a, b), bits, signed }
                    }
                    (What::Float { term: a, format }, What::Float { term: b, format: other })
                        if format == other =>
                    {
                        What::Float { term: self.terms.ite(chosen, a, b), format }
                    }
                    // Only where the common type holds both: the numbers keep theirs.
                    (What::Float { .. }, What::Float { .. }) => {
                        let (a, b) = (self.to(a, Number::Double)?, self.to(b, Number::Double)?);
                        let (What::Float { term: a, format }, What::Float { term: b, .. }) =
                            (a.what, b.what)
                        else {
                            return None;
                        };
                        What::Float { term: self.terms.ite(chosen, a, b), format }
                    }
                    (_, _) => return None,
                };
                let side = self.terms.ite(chosen, a.defined, b.defined);
                let defined = self.terms.and(&[condition.defined, side]);
                Some(Coded { what, defined })
            }
            Expression::Cast(ty, part) => {
                let part = self.encode(part)?;
                self.to(part, *ty)
            }
            Expression::Call(function, arguments) => {
                let first = self.encode(&arguments[0])?;
                let second = match arguments.get(1) {
                    Some(argument) => self.encode(argument)?,
                    None => first,
                };
                self.call(*function, first, second)
            }
        }
    }

    fn constant(&mut self, value: CValue) -> What {
        match value {
            CValue::Integer { value, bits, signed } => {
                let term = self.terms.bits(bits, value as u128 & (u128::MAX >> (128 - bits)));
                What::Integer { term, bits, signed }
            }
            CValue::Single(value) => {
                What::Float { term: self.terms.f32(value), format: Format::BINARY32 }
            }
            CValue::Double(value) => {
                What::Float { term: self.terms.f64(value), format: Format::BINARY64 }
            }
        }
    }

    /// A number of the vector, promoted as C promotes it.
    fn slot(&mut self, at: usize) -> Option<What> {
        let term = *self.inputs.get(at)?;
        Some(match self.bound.slots[at].scalar {
            Scalar::Float(format @ (Format::BINARY32 | Format::BINARY64)) => {
                What::Float { term, format }
            }
            Scalar::Float(_) => return None,
            Scalar::Integer { bits: width @ 1..=64, signed } => {
                let (bits, promoted) = match width {
                    0..32 => (32, true),
                    32 => (32, signed),
                    _ => (64, signed),
                };
                What::Integer {
                    term: self.resized(term, width, signed, bits),
                    bits,
                    signed: promoted,
                }
            }
            Scalar::Integer { .. } => return None,
        })
    }

    fn resized(&mut self, term: Term, from: u32, signed: bool, to: u32) -> Term {
        match to.checked_sub(from) {
            Some(0) => term,
            Some(more) if signed => self.terms.bits_op(BitsOp::SignExtend(more), &[term]),
            Some(more) => self.terms.bits_op(BitsOp::ZeroExtend(more), &[term]),
            None => self.terms.extract(to - 1, 0, term),
        }
    }

    fn truth(&mut self, what: What) -> Term {
        match what {
            What::Truth(term) => term,
            What::Integer { term, bits, .. } => {
                let zero = self.terms.bits(bits, 0);
                let same = self.terms.equal(term, zero);
                self.terms.not(same)
            }
            What::Float { term, .. } => {
                let zero = self.terms.fp(Operation::IsZero, &[term]);
                self.terms.not(zero)
            }
        }
    }

    /// A truth value as the integer that it is.
    fn plain(&mut self, what: What) -> What {
        let What::Truth(truth) = what else { return what };
        let (one, zero) = (self.terms.bits(32, 1), self.terms.bits(32, 0));
        What::Integer { term: self.terms.ite(truth, one, zero), bits: 32, signed: true }
    }

    fn number(&self, what: What) -> Number {
        match what {
            What::Truth(_) => INT,
            What::Integer { bits, signed, .. } => Number::Integer { bits, signed },
            What::Float { format: Format::BINARY32, .. } => Number::Single,
            What::Float { .. } => Number::Double,
        }
    }

    /// Converted as C converts.
    fn to(&mut self, coded: Coded, ty: Number) -> Option<Coded> {
        let Coded { what, defined } = coded;
        let what = self.plain(what);
        let target = match ty {
            Number::Double => Format::BINARY64,
            Number::Single => Format::BINARY32,
            Number::Integer { bits, signed } => {
                return Some(match what {
                    What::Truth(_) => return None,
                    What::Integer { term, bits: from, signed: was } => {
                        let term = self.resized(term, from, was, bits);
                        Coded { what: What::Integer { term, bits, signed }, defined }
                    }
                    What::Float { term, format } => self.whole(term, format, defined, bits, signed),
                });
            }
        };
        let nearest = self.nearest();
        let term = match what {
            What::Truth(_) => return None,
            What::Integer { term, bits, signed } => {
                let operation =
                    if signed { Operation::FromSigned } else { Operation::FromUnsigned };
                let parameters = Parameters::integer(target, bits, OutOfRange::Indefinite);
                self.terms.float(operation, parameters, &[nearest, term])
            }
            What::Float { term, format } if format == target => term,
            What::Float { term, .. } => self.terms.convert(target, nearest, term),
        };
        Some(Coded { what: What::Float { term, format: target }, defined })
    }

    /// A float as an integer: truncated, and defined where that fits.
    fn whole(
        &mut self,
        term: Term,
        format: Format,
        defined: Term,
        bits: u32,
        signed: bool,
    ) -> Coded {
        let nearest = self.nearest();
        let double = match format {
            Format::BINARY64 => term,
            _ => self.terms.convert(Format::BINARY64, nearest, term),
        };
        // Above the one and below the other; to 64 bits no double lies between the least
        // integer and one less.
        let two = |power: u32| 2f64.powi(power as i32);
        let (above, below) = match (signed, bits) {
            (true, 64) => (-two(63) * (1.0 + f64::EPSILON), two(63)),
            (true, bits) => (-two(bits - 1) - 1.0, two(bits - 1)),
            (false, bits) => (-1.0, two(bits)),
        };
        let (above, below) = (self.terms.f64(above), self.terms.f64(below));
        let enough = self.terms.fp(Operation::Less, &[above, double]);
        let fits = self.terms.fp(Operation::Less, &[double, below]);
        let defined = self.terms.and(&[defined, enough, fits]);
        let operation = if signed { Operation::ToSigned } else { Operation::ToUnsigned };
        let parameters = Parameters::integer(Format::BINARY64, bits, OutOfRange::Indefinite);
        let mode = self.terms.rounding(Rounding::TowardZero);
        let term = self.terms.float(operation, parameters, &[mode, double]);
        Coded { what: What::Integer { term, bits, signed }, defined }
    }

    fn unary(&mut self, operator: Unary, part: Coded) -> Option<Coded> {
        let Coded { what, defined } = part;
        if operator == Unary::Not {
            let truth = self.truth(what);
            return Some(Coded { what: What::Truth(self.terms.not(truth)), defined });
        }
        match (operator, self.plain(what)) {
            (Unary::Minus, What::Float { term, format }) => {
                let term = self.terms.fp(Operation::Neg, &[term]);
                Some(Coded { what: What::Float { term, format }, defined })
            }
            (Unary::Minus, What::Integer { term, bits, signed }) => {
                let over = self.terms.neg_overflows(term);
                let fits = if signed { self.terms.not(over) } else { self.terms.bool(true) };
                let defined = self.terms.and(&[defined, fits]);
                let term = self.terms.bits_op(BitsOp::Neg, &[term]);
                Some(Coded { what: What::Integer { term, bits, signed }, defined })
            }
            (Unary::Complement, What::Integer { term, bits, signed }) => {
                let term = self.terms.bits_op(BitsOp::Not, &[term]);
                Some(Coded { what: What::Integer { term, bits, signed }, defined })
            }
            (Unary::Not | Unary::Complement, _) | (Unary::Minus, What::Truth(_)) => None,
        }
    }

    fn binary(&mut self, operator: Binary, a: Coded, b: Coded) -> Option<Coded> {
        if matches!(operator, Binary::ShiftLeft | Binary::ShiftRight) {
            return None;
        }
        let ty = common(self.number(a.what), self.number(b.what));
        let (a, b) = (self.to(a, ty)?, self.to(b, ty)?);
        let defined = self.terms.and(&[a.defined, b.defined]);
        match (a.what, b.what) {
            (What::Integer { term: a, bits, signed }, What::Integer { term: b, .. }) => {
                self.integers(operator, (a, b), bits, signed, defined)
            }
            (What::Float { term: a, format }, What::Float { term: b, .. }) => {
                self.floats(operator, (a, b), format, defined)
            }
            (_, _) => None,
        }
    }

    fn integers(
        &mut self,
        operator: Binary,
        (a, b): (Term, Term),
        bits: u32,
        signed: bool,
        defined: Term,
    ) -> Option<Coded> {
        let terms = &mut *self.terms;
        let (less, at_most) =
            if signed { (BitsOp::Slt, BitsOp::Sle) } else { (BitsOp::Ult, BitsOp::Ule) };
        let zero = terms.bits(bits, 0);
        let divides = terms.equal(b, zero);
        let divides = terms.not(divides);
        let always = terms.bool(true);
        let fits = |terms: &mut Terms, over: Term| if signed { terms.not(over) } else { always };
        let (term, also) = match operator {
            Binary::Add => {
                let over = terms.add_overflows(signed, a, b);
                (terms.bits_op(BitsOp::Add, &[a, b]), fits(terms, over))
            }
            Binary::Sub => {
                let over = terms.sub_overflows(signed, a, b);
                (terms.bits_op(BitsOp::Sub, &[a, b]), fits(terms, over))
            }
            Binary::Mul => {
                let over = terms.mul_overflows(signed, a, b);
                (terms.bits_op(BitsOp::Mul, &[a, b]), fits(terms, over))
            }
            Binary::Div if signed => {
                let over = terms.sdiv_overflows(a, b);
                let fits = terms.not(over);
                (terms.sdiv(a, b), terms.and(&[divides, fits]))
            }
            Binary::Div => (terms.bits_op(BitsOp::Udiv, &[a, b]), divides),
            Binary::Rem if signed => (terms.srem(a, b), divides),
            Binary::Rem => (terms.bits_op(BitsOp::Urem, &[a, b]), divides),
            Binary::And => (terms.bits_op(BitsOp::And, &[a, b]), always),
            Binary::Or => (terms.bits_op(BitsOp::Or, &[a, b]), always),
            Binary::Xor => (terms.bits_op(BitsOp::Xor, &[a, b]), always),
            Binary::ShiftLeft | Binary::ShiftRight => return None,
            binaries!(Compare) => {
                let truth = match operator {
                    Binary::Less => terms.bits_op(less, &[a, b]),
                    Binary::LessEqual => terms.bits_op(at_most, &[a, b]),
                    Binary::Greater => terms.bits_op(less, &[b, a]),
                    Binary::GreaterEqual => terms.bits_op(at_most, &[b, a]),
                    Binary::NotEqual => {
                        let same = terms.equal(a, b);
                        terms.not(same)
                    }
                    _ => terms.equal(a, b),
                };
                return Some(Coded { what: What::Truth(truth), defined });
            }
        };
        let defined = terms.and(&[defined, also]);
        Some(Coded { what: What::Integer { term, bits, signed }, defined })
    }

    fn floats(
        &mut self,
        operator: Binary,
        (a, b): (Term, Term),
        format: Format,
        defined: Term,
    ) -> Option<Coded> {
        let computes = match operator {
            Binary::Add => Operation::Add,
            Binary::Sub => Operation::Sub,
            Binary::Mul => Operation::Mul,
            Binary::Div => Operation::Div,
            Binary::Rem | binaries!(Bitwise) => return None,
            binaries!(Compare) => {
                let operation = match operator {
                    Binary::Less => Operation::Less,
                    Binary::LessEqual => Operation::LessEqual,
                    Binary::Greater => Operation::Greater,
                    Binary::GreaterEqual => Operation::GreaterEqual,
                    _ => Operation::Equal,
                };
                let truth = self.terms.fp(operation, &[a, b]);
                let differ = operator == Binary::NotEqual;
                let truth = if differ { self.terms.not(truth) } else { truth };
                return Some(Coded { what: What::Truth(truth), defined });
            }
        };
        let nearest = self.nearest();
        let term = self.terms.fp(computes, &[nearest, a, b]);
        Some(Coded { what: What::Float { term, format }, defined })
    }

    fn call(&mut self, function: Function, first: Coded, second: Coded) -> Option<Coded> {
        if function == Function::Abs {
            return self.absolute(first);
        }
        let own = first.what;
        let (first, second) = (self.to(first, Number::Double)?, self.to(second, Number::Double)?);
        let (What::Float { term: a, .. }, What::Float { term: b, .. }) = (first.what, second.what)
        else {
            return None;
        };
        let defined = self.terms.and(&[first.defined, second.defined]);
        let double =
            |term| Some(Coded { what: What::Float { term, format: Format::BINARY64 }, defined });
        let truth = |term| Some(Coded { what: What::Truth(term), defined });
        let whole = |encoder: &mut Self, mode| {
            let mode = encoder.terms.rounding(mode);
            encoder.terms.fp(Operation::RoundToIntegral, &[mode, a])
        };
        match function {
            Function::Abs | Function::SignBit => None, // the sign of a NaN is no term's
            Function::Fabs => double(self.terms.fp(Operation::Abs, &[a])),
            Function::Sqrt => {
                let nearest = self.nearest();
                double(self.terms.fp(Operation::Sqrt, &[nearest, a]))
            }
            Function::Exp => double(self.terms.libm(Libm::Exp, &[a])),
            Function::Log => double(self.terms.libm(Libm::Log, &[a])),
            Function::Pow => double(self.terms.libm(Libm::Pow, &[a, b])),
            Function::Floor => double(whole(self, Rounding::Downward)),
            Function::Ceil => double(whole(self, Rounding::Upward)),
            Function::Trunc => double(whole(self, Rounding::TowardZero)),
            Function::Fmod => double(self.terms.fp(Operation::Fmod, &[a, b])),
            Function::Fmin | Function::Fmax => {
                let (x, y) = if function == Function::Fmin { (a, b) } else { (b, a) };
                let less = self.terms.fp(Operation::Less, &[x, y]);
                let nan = self.terms.fp(Operation::IsNan, &[b]);
                let takes_a = self.terms.or(&[less, nan]);
                double(self.terms.ite(takes_a, a, b))
            }
            Function::IsNan => truth(self.terms.fp(Operation::IsNan, &[a])),
            Function::IsInf => truth(self.terms.fp(Operation::IsInfinite, &[a])),
            Function::IsFinite => truth(self.terms.fp(Operation::IsFinite, &[a])),
            // Of its own type: the smallest normal float is not the smallest normal double.
            Function::IsNormal => {
                let term = match own {
                    What::Float { term, .. } => term,
                    What::Truth(_) | What::Integer { .. } => a,
                };
                truth(self.terms.fp(Operation::IsNormal, &[term]))
            }
        }
    }

    /// C's `abs`, of an `int`.
    fn absolute(&mut self, coded: Coded) -> Option<Coded> {
        let coded = self.to(coded, INT)?;
        let What::Integer { term, bits, signed } = coded.what else { return None };
        let over = self.terms.neg_overflows(term);
        let fits = self.terms.not(over);
        let zero = self.terms.bits(bits, 0);
        let negative = self.terms.bits_op(BitsOp::Slt, &[term, zero]);
        let opposite = self.terms.bits_op(BitsOp::Neg, &[term]);
        let term = self.terms.ite(negative, opposite, term);
        let defined = self.terms.and(&[coded.defined, fits]);
        Some(Coded { what: What::Integer { term, bits, signed }, defined })
    }
}
