//! From terms to literals.
//!
//! The image of a term is a literal for each of its bits: one for a truth
//! value, the encoding for a float, three for a rounding mode. SMT-LIB's one
//! NaN may have any NaN's encoding within an image, so that reading an encoding
//! as a float costs nothing; what looks at the encoding of a NaN gets the
//! canonical one.

use super::Reason;
use super::aig::Tuning;
use super::aig::{Aig, Lit};
use super::deferred::Deferred;
use nanoscope_ieee::{
    Algebra, Circuit, Datum, Domain, Format, Operation, Parameters, Sort as Kind, Word, apply,
};
use nanoscope_term::{BitsOp, Op, Sort, Term, Terms, Value, VariableId, op_heads};
use std::collections::BTreeMap;

/// Bits of a term that are known: where `mask` is set, they are as in `value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownBits {
    /// Which bits are known.
    pub mask: Word,
    /// What they are.
    pub value: Word,
}

impl KnownBits {
    /// What is known of a word that lies between two others, unsigned, both
    /// included: the bits above the first that differs. For floats of one sign
    /// encodings are ordered as magnitudes are.
    pub fn between(low: &Word, high: &Word) -> KnownBits {
        let width = low.width();
        assert_eq!(width, high.width(), "words of one width");
        let same = (0..width).rev().take_while(|&i| low.bit(i) == high.bit(i)).count() as u32;
        let mask: Vec<bool> = (0..width).map(|i| i >= width - same).collect();
        KnownBits { mask: Word::from_bits(&mask), value: low.clone() }
    }
}

/// How many bits a value of the sort has; `None` for arrays.
pub(super) fn width_of(sort: Sort) -> Option<u32> {
    match sort {
        Sort::Bool => Some(1),
        Sort::Bits(width) => Some(width),
        Sort::Float(format) => Some(format.width()),
        Sort::Rounding => Some(3),
        Sort::Array(_) => None,
    }
}

/// The value of a sort with these bits.
pub(super) fn value_of(sort: Sort, bits: &[bool]) -> Option<Value> {
    let word = Word::from_bits(bits);
    match sort {
        Sort::Bool => Some(Value::Bool(bits[0])),
        Sort::Bits(_) => Some(Value::Bits(word)),
        Sort::Float(format) => Some(Value::float(format, word)),
        Sort::Rounding => {
            let modes = nanoscope_ieee::Rounding::ALL;
            modes.get(word.low_u64() as usize).map(|&mode| Value::Rounding(mode))
        }
        Sort::Array(_) => None,
    }
}

/// The bits of a value that is no array.
pub(super) fn bits_of(value: &Value) -> Option<Word> {
    match value {
        Value::Bool(truth) => Some(Word::from_bits(&[*truth])),
        Value::Bits(word) | Value::Float(_, word) => Some(word.clone()),
        Value::Rounding(mode) => Some(Word::new(3, *mode as u128)),
        Value::Array(_) => None,
    }
}

/// A term whose bits are free for now, although its operation says what they
/// are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opaque {
    /// A floating-point operation whose circuit is put off.
    Deferred(Deferred, Parameters),
    /// A function that has no circuit.
    Libm,
}

/// The images of terms.
pub(super) struct Images {
    pub circuit: Circuit<Aig>,
    spans: Vec<Option<(u32, u32)>>,
    literals: Vec<Lit>,
    /// Whose bits are inputs, in the order of their making.
    pub variables: Vec<(VariableId, Term)>,
    /// What holds whatever is asserted.
    pub constraints: Vec<Lit>,
    /// Terms whose meaning is not in the graph, in the order of their making.
    pub opaque: Vec<(Term, Opaque)>,
    known: BTreeMap<Term, KnownBits>,
    /// Whether circuits of costly operations are put off.
    pub lazy: bool,
}

impl Images {
    pub fn new(tuning: Tuning, lazy: bool) -> Images {
        Images {
            circuit: Circuit::new(Aig::with_tuning(tuning)),
            spans: Vec::new(),
            literals: Vec::new(),
            variables: Vec::new(),
            constraints: Vec::new(),
            opaque: Vec::new(),
            known: BTreeMap::new(),
            lazy,
        }
    }

    pub fn aig(&mut self) -> &mut Aig {
        &mut self.circuit.algebra
    }

    /// Bits of a term not yet built.
    pub fn know(&mut self, term: Term, bits: KnownBits) {
        self.known.insert(term, bits);
    }

    /// The image of a term that was built.
    pub fn of(&self, term: Term) -> &[Lit] {
        let (first, count) = self.spans[term.index()].expect("a term that was built");
        &self.literals[first as usize..(first + count) as usize]
    }

    /// Builds the images of terms and of what is below them.
    pub fn build(&mut self, terms: &Terms, roots: &[Term]) -> Result<(), Reason> {
        self.spans.resize(terms.len().max(self.spans.len()), None);
        let mut pending: Vec<(Term, bool)> =
            roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((term, ready)) = pending.pop() {
            if self.spans[term.index()].is_some() {
                continue;
            }
            if !ready {
                pending.push((term, true));
                pending.extend(terms.args(term).iter().rev().map(|&arg| (arg, false)));
                continue;
            }
            let before = (self.variables.len(), self.constraints.len(), self.opaque.len());
            let image = self.image(terms, term)?;
            if self.circuit.algebra.overgrown() {
                // Gates are missing: as if the term had never been seen.
                self.variables.truncate(before.0);
                self.constraints.truncate(before.1);
                self.opaque.truncate(before.2);
                return Err(self.circuit.algebra.why_overgrown());
            }
            let image = self.fixed(terms, term, image);
            self.spans[term.index()] = Some((self.literals.len() as u32, image.len() as u32));
            self.literals.extend(image);
        }
        Ok(())
    }

    /// The image with known bits in place; those of terms that are no
    /// variables must come out so.
    fn fixed(&mut self, terms: &Terms, term: Term, image: Vec<Lit>) -> Vec<Lit> {
        let Some(known) = self.known.get(&term) else { return image };
        let mut fixed = image;
        for (i, lit) in fixed.iter_mut().enumerate() {
            if known.mask.bit(i as u32) {
                let value = Lit::known(known.value.bit(i as u32));
                if terms.as_variable(term).is_none() {
                    self.constraints.push(lit.xor_sign(value == Lit::FALSE));
                }
                *lit = value;
            }
        }
        fixed
    }

    fn word(&self, term: Term) -> Vec<Lit> {
        self.of(term).to_vec()
    }

    fn bit(&self, term: Term) -> Lit {
        self.of(term)[0]
    }

    fn image(&mut self, terms: &Terms, term: Term) -> Result<Vec<Lit>, Reason> {
        let args = terms.args(term);
        Ok(match terms.op(term) {
            Op::Value(_) => {
                let value = terms.value(term).expect("a value");
                let word = bits_of(value).ok_or(Reason::Beyond("an array"))?;
                (0..word.width()).map(|i| Lit::known(word.bit(i))).collect()
            }
            Op::Variable(variable) => {
                let width = width_of(terms.sort(term)).ok_or(Reason::Beyond("an array"))?;
                let word = self.aig().inputs(width);
                self.variables.push((variable, term));
                if terms.sort(term) == Sort::Rounding {
                    let high = self.aig().or(word[0], word[1]);
                    let none = self.aig().and(word[2], high);
                    self.constraints.push(!none);
                }
                word
            }
            Op::Not => vec![!self.bit(args[0])],
            Op::And => {
                let bits: Vec<Lit> = args.iter().map(|&arg| self.bit(arg)).collect();
                vec![self.aig().all(&bits.iter().collect::<Vec<_>>())]
            }
            Op::Or => {
                let bits: Vec<Lit> = args.iter().map(|&arg| self.bit(arg)).collect();
                vec![self.aig().any(&bits.iter().collect::<Vec<_>>())]
            }
            Op::Ite => {
                let (then, otherwise) = (self.word(args[1]), self.word(args[2]));
                let condition = self.bit(args[0]);
                self.aig().mux_word(&condition, &then, &otherwise)
            }
            Op::Equal => {
                let (a, b) = (self.word(args[0]), self.word(args[1]));
                match terms.sort(args[0]) {
                    Sort::Float(format) => vec![self.circuit.identical(format, &a, &b).0],
                    Sort::Bool | Sort::Bits(_) | Sort::Rounding => vec![self.aig().equal(&a, &b)],
                    Sort::Array(_) => return Err(Reason::Beyond("an array")),
                }
            }
            Op::Bits(op) => {
                let words: Vec<Vec<Lit>> = args.iter().map(|&arg| self.word(arg)).collect();
                bits_image(self.aig(), op, &words)
            }
            Op::Float(operation, parameters) => {
                match Deferred::from(operation).filter(|_| self.lazy) {
                    Some(deferred) => {
                        self.free(terms, term, Opaque::Deferred(deferred, parameters))
                    }
                    None => self.float(terms, term, operation, &parameters),
                }
            }
            Op::Libm(..) => self.free(terms, term, Opaque::Libm),
            Op::Unspecified(_) => return Err(Reason::Beyond("an unspecified result")),
            Op::Apply(_) => return Err(Reason::Beyond("an uninterpreted function")),
            op_heads!(Array) => {
                return Err(Reason::Beyond("an array"));
            }
        })
    }

    /// Free bits for a term whose meaning comes later.
    fn free(&mut self, terms: &Terms, term: Term, why: Opaque) -> Vec<Lit> {
        self.opaque.push((term, why));
        let width = width_of(terms.sort(term)).expect("an operation gives no array");
        self.aig().inputs(width)
    }

    /// The circuit of a floating-point operation on the images of its operands.
    pub fn float(
        &mut self,
        terms: &Terms,
        term: Term,
        operation: Operation,
        parameters: &Parameters,
    ) -> Vec<Lit> {
        let args = terms.args(term);
        if operation == Operation::FromBits {
            return self.word(args[0]);
        }
        let operands: Vec<_> = args
            .iter()
            .zip(operation.operands())
            .map(|(&arg, kind)| match kind {
                Kind::Float => {
                    let word = self.word(arg);
                    Datum::Float(if reads_nan(operation) {
                        self.canonical(parameters.format, &word)
                    } else {
                        word
                    })
                }
                Kind::Rounding => Datum::Rounding(self.word(arg)),
                Kind::Bits => Datum::Bits(self.word(arg)),
                Kind::Bool => Datum::Bool(self.bit(arg)),
            })
            .collect();
        let (result, _) = apply(&mut self.circuit, operation, parameters, &operands)
            .expect("terms are well sorted");
        match result {
            Datum::Float(word) | Datum::Rounding(word) | Datum::Bits(word) => word,
            Datum::Bool(bit) => vec![bit],
        }
    }

    /// The encoding with any NaN made the canonical one.
    fn canonical(&mut self, format: Format, word: &Vec<Lit>) -> Vec<Lit> {
        self.circuit.from_bits(format, word).0
    }
}

/// Whether an operation can tell one NaN from another.
fn reads_nan(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::ToBits
            | Operation::IsSignMinus
            | Operation::IsSignaling
            | Operation::CopySign
            // A signalling NaN is not passed over (754-2008, 5.3.1).
            | Operation::MinNum
            | Operation::MaxNum
    )
}

fn bits_image(aig: &mut Aig, op: BitsOp, words: &[Vec<Lit>]) -> Vec<Lit> {
    let a = &words[0];
    let b = words.get(1).unwrap_or(a);
    match op {
        BitsOp::Not => aig.not_word(a),
        BitsOp::Neg => aig.neg(a),
        BitsOp::And => aig.and_word(a, b),
        BitsOp::Or => aig.or_word(a, b),
        BitsOp::Xor => aig.xor_word(a, b),
        BitsOp::Add => aig.add(a, b),
        BitsOp::Sub => aig.sub(a, b),
        BitsOp::Mul => aig.mul_low(a, b),
        BitsOp::Udiv => aig.udiv_rem(a, b).0,
        BitsOp::Urem => aig.udiv_rem(a, b).1,
        BitsOp::Shl => aig.shl(a, b),
        BitsOp::Lshr => aig.shr(a, b),
        BitsOp::Ashr => aig.shr_signed(a, b),
        BitsOp::Concat => aig.concat(a, b),
        BitsOp::Extract { high, low } => aig.extract(a, low, high - low + 1),
        BitsOp::ZeroExtend(more) => aig.zero_extend(a, a.len() as u32 + more),
        BitsOp::SignExtend(more) => aig.sign_extend(a, a.len() as u32 + more),
        BitsOp::Ult => vec![aig.less(a, b)],
        BitsOp::Ule => vec![!aig.less(b, a)],
        BitsOp::Slt => vec![aig.less_signed(a, b)],
        BitsOp::Sle => vec![!aig.less_signed(b, a)],
    }
}
