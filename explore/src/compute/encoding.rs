//! Which bits an unknown float is.
//!
//! Terms have one NaN, the machine has many, and programs look at them: `signbit`, `memcpy`,
//! unions. So every unknown float remembers where its encoding comes from, and the bits are
//! written out only when somebody asks. They claim no more than x86 promises: a result that
//! is a NaN is the quieted one of its NaN operands, whichever the compiler put first; with
//! no NaN among the operands it is the default NaN, whose sign is set.
//!
//! The x87 unit's encodings with a wrong integer bit (unnormals, pseudo-infinities,
//! pseudo-NaNs) live here too: their term is the NaN, and arithmetic on them gives the default
//! one (Intel SDM volume 1, 8.2.2).

use super::Compute;
use nanoscope_ieee::{Format, Operation, Word};
use nanoscope_term::{BitsOp, Term, Terms, Value as Known};
use std::collections::HashMap;

/// The name of an encoding within its [`Encodings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EncodingId(u32);

/// The encodings of all unknown floats.
#[derive(Clone, Debug, Default)]
pub struct Encodings {
    nodes: Vec<Node>,
    names: HashMap<Node, EncodingId>,
    /// The bits, for those that somebody asked for.
    bits: Vec<Option<Term>>,
    /// Bits that were asked for, so that reading them back gives the same float.
    written: HashMap<(Format, Term), EncodingId>,
}

/// A float and where its encoding comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    term: Term,
    format: Format,
    origin: Origin,
}

/// Where an encoding comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// It was read as these bits.
    Bits(Term),
    /// An operation computed it from these operands.
    Result([Option<EncodingId>; 3]),
    /// Another float's with the sign bit flipped.
    Negated(EncodingId),
    /// Another float's with the sign bit cleared.
    Magnitude(EncodingId),
    /// The first one's with the sign bit of the second.
    Signed(EncodingId, EncodingId),
    /// The first one's if the truth value is true, else the second's.
    Choice(Term, EncodingId, EncodingId),
    /// A float of another format, converted.
    Converted(EncodingId),
    /// Whatever quiet NaN, if it is one.
    Anything,
}

impl Encodings {
    /// None yet.
    pub fn new() -> Encodings {
        Encodings::default()
    }

    /// The float's term.
    pub fn term(&self, id: EncodingId) -> Term {
        self.nodes[id.0 as usize].term
    }

    pub(super) fn insert(&mut self, term: Term, format: Format, origin: Origin) -> EncodingId {
        let node = Node { term, format, origin };
        if let Some(known) = self.names.get(&node) {
            return *known;
        }
        let id = EncodingId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.bits.push(None);
        self.names.insert(node, id);
        id
    }

    /// The float that was written as these bits, if one was.
    pub(super) fn read_back(&self, format: Format, bits: Term) -> Option<(Term, EncodingId)> {
        let id = *self.written.get(&(format, bits))?;
        Some((self.term(id), id))
    }

    /// Whether the encoding may be one that no operation gives: it came in as bits.
    fn came_as_bits(&self, terms: &Terms, id: EncodingId) -> bool {
        let mut todo = vec![id];
        let mut seen = std::collections::HashSet::new();
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = &self.nodes[id.0 as usize];
            match node.origin {
                // Known numbers are neither signalling nor odd.
                Origin::Bits(bits) => {
                    if terms.value(bits).is_none()
                        || terms.value(node.term).is_some_and(Known::is_nan)
                    {
                        return true;
                    }
                }
                Origin::Negated(a) | Origin::Magnitude(a) | Origin::Signed(a, _) => todo.push(a),
                Origin::Choice(_, a, b) => todo.extend([a, b]),
                Origin::Result(_) | Origin::Converted(_) | Origin::Anything => {}
            }
        }
        false
    }
}

/// The default NaN of x86: sign and quiet bit set, nothing else.
pub(super) fn default_nan(format: Format) -> Word {
    let fraction = format.fraction_bits();
    let ones = format.exponent_bits + 2 + u32::from(format.explicit_integer_bit);
    Word::run(format.width(), fraction - 1, ones)
}

impl Compute<'_> {
    /// The encoding of a float: `format.width()` bits.
    pub(super) fn encoding_bits(&mut self, id: EncodingId) -> Term {
        // Operands have smaller names, so one pass over the missing ones in order does it,
        // however long the chain.
        let mut missing = Vec::new();
        let mut todo = vec![id];
        let mut seen = std::collections::HashSet::new();
        while let Some(next) = todo.pop() {
            if self.encodings.bits[next.0 as usize].is_some() || !seen.insert(next) {
                continue;
            }
            missing.push(next);
            match self.encodings.nodes[next.0 as usize].origin {
                Origin::Bits(_) | Origin::Anything => {}
                Origin::Result(operands) => todo.extend(operands.into_iter().flatten()),
                Origin::Negated(a) | Origin::Magnitude(a) | Origin::Converted(a) => todo.push(a),
                Origin::Signed(a, b) | Origin::Choice(_, a, b) => todo.extend([a, b]),
            }
        }
        missing.sort_unstable();
        for next in missing {
            let bits = self.written_out(next);
            self.encodings.bits[next.0 as usize] = Some(bits);
            let format = self.encodings.nodes[next.0 as usize].format;
            self.encodings.written.entry((format, bits)).or_insert(next);
        }
        self.encodings.bits[id.0 as usize].expect("written out just now")
    }

    /// The bits of one whose operands' bits are known.
    fn written_out(&mut self, id: EncodingId) -> Term {
        let Node { term, format, origin } = self.encodings.nodes[id.0 as usize];
        let bits_of = |compute: &Self, id: EncodingId| {
            compute.encodings.bits[id.0 as usize].expect("operands come first")
        };
        let width = format.width();
        let sign = Word::run(width, width - 1, 1);
        match origin {
            Origin::Bits(bits) => bits,
            Origin::Negated(a) => {
                let a = bits_of(self, a);
                let sign = self.terms.constant(Known::Bits(sign));
                self.terms.bits_op(BitsOp::Xor, &[a, sign])
            }
            Origin::Magnitude(a) => {
                let a = bits_of(self, a);
                let rest = self.terms.constant(Known::Bits(Word::run(width, 0, width - 1)));
                self.terms.bits_op(BitsOp::And, &[a, rest])
            }
            Origin::Signed(a, b) => {
                let (a, b) = (bits_of(self, a), bits_of(self, b));
                let wide = self.terms.width(b);
                let sign = self.terms.extract(wide - 1, wide - 1, b);
                let rest = self.terms.extract(width - 2, 0, a);
                self.terms.concat(sign, rest)
            }
            Origin::Choice(condition, a, b) => {
                let (a, b) = (bits_of(self, a), bits_of(self, b));
                self.terms.ite(condition, a, b)
            }
            Origin::Converted(a) => {
                let from = self.encodings.nodes[a.0 as usize].format;
                let bits = bits_of(self, a);
                let odd = self.unsupported(a);
                let nan = converted_nan(self.terms, from, format, bits);
                let default = self.terms.constant(Known::Bits(default_nan(format)));
                let nan = self.terms.ite(odd, default, nan);
                self.number_or(term, format, nan)
            }
            Origin::Result(operands) => {
                let operands: Vec<EncodingId> = operands.into_iter().flatten().collect();
                let nan = self.result_nan(format, &operands);
                self.number_or(term, format, nan)
            }
            Origin::Anything => {
                // Any sign, any payload.
                let fraction = format.fraction_bits();
                let free = self.terms.fresh("nan", nanoscope_term::Sort::Bits(width));
                let quiet = Word::run(width, fraction - 1, width - fraction);
                let quiet = self.terms.constant(Known::Bits(quiet));
                let nan = self.terms.bits_op(BitsOp::Or, &[free, quiet]);
                self.number_or(term, format, nan)
            }
        }
    }

    /// The encoding of a number, or the given one of a NaN.
    fn number_or(&mut self, term: Term, format: Format, nan: Term) -> Term {
        let number = encoded(self.terms, format, term);
        let is_nan = self.terms.fp(Operation::IsNan, &[term]);
        self.terms.ite(is_nan, nan, number)
    }

    /// The NaN that an operation gives.
    fn result_nan(&mut self, format: Format, operands: &[EncodingId]) -> Term {
        let default = self.terms.constant(Known::Bits(default_nan(format)));
        let mut chosen: Option<(Term, Term)> = None;
        let mut odd = Vec::new();
        for id in operands {
            let node = self.encodings.nodes[id.0 as usize];
            // An operand of another kind (an integer, a scale) hands on no NaN.
            if node.format != format {
                continue;
            }
            let bits = self.encodings.bits[id.0 as usize].expect("operands come first");
            let nan = self.terms.fp(Operation::IsNan, &[node.term]);
            let quiet = quieted(self.terms, format, bits);
            if format.explicit_integer_bit {
                odd.push(self.unsupported(*id));
            }
            chosen = Some(match chosen {
                None => (nan, quiet),
                Some((before, first)) => {
                    let both = self.terms.and(&[before, nan]);
                    let either = if first == quiet || self.is_false(both) {
                        first
                    } else {
                        let which = self.terms.fresh("which_nan", nanoscope_term::Sort::Bool);
                        self.terms.ite(which, first, quiet)
                    };
                    let one = self.terms.ite(before, first, quiet);
                    (self.terms.or(&[before, nan]), self.terms.ite(both, either, one))
                }
            });
        }
        let Some((any, nan)) = chosen else { return default };
        let nan = self.terms.ite(any, nan, default);
        let odd = self.terms.or(&odd);
        self.terms.ite(odd, default, nan)
    }

    /// Whether a float is a signalling NaN, or an encoding that the x87 unit does not
    /// support: what every operation finds invalid.
    pub(super) fn signaling(&mut self, id: EncodingId) -> Term {
        if !self.encodings.came_as_bits(self.terms, id) {
            return self.terms.bool(false);
        }
        let Node { term, format, .. } = self.encodings.nodes[id.0 as usize];
        let bits = self.encoding_bits(id);
        let at = format.fraction_bits() - 1;
        let quiet = self.terms.extract(at, at, bits);
        let clear = self.terms.bits(1, 0);
        let clear = self.terms.equal(quiet, clear);
        let odd = self.unsupported(id);
        let wrong = self.terms.or(&[clear, odd]);
        let nan = self.terms.fp(Operation::IsNan, &[term]);
        self.terms.and(&[nan, wrong])
    }

    /// Whether an encoding is one that the x87 unit does not support.
    pub(super) fn unsupported(&mut self, id: EncodingId) -> Term {
        let format = self.encodings.nodes[id.0 as usize].format;
        if !format.explicit_integer_bit || !self.encodings.came_as_bits(self.terms, id) {
            return self.terms.bool(false);
        }
        let bits = self.encoding_bits(id);
        unsupported(self.terms, format, bits)
    }
}

/// The encoding of a number, and of the NaN the canonical one.
pub(super) fn encoded(terms: &mut Terms, format: Format, term: Term) -> Term {
    let bits = terms.fp(Operation::ToBits, &[term]);
    if !format.explicit_integer_bit {
        return bits;
    }
    let (exponent, fraction) = (format.exponent_bits, format.fraction_bits());
    let field = terms.extract(fraction + exponent - 1, fraction, bits);
    let none = terms.bits(exponent, 0);
    let integer = terms.equal(field, none);
    let integer = terms.not(integer);
    let integer = terms.bit(integer);
    let top = terms.extract(fraction + exponent, fraction, bits);
    let rest = terms.extract(fraction - 1, 0, bits);
    let top = terms.concat(top, integer);
    terms.concat(top, rest)
}

/// The float that bits encode.
pub(super) fn decoded(terms: &mut Terms, format: Format, bits: Term) -> Term {
    if !format.explicit_integer_bit {
        return terms.from_bits(format, bits);
    }
    let (exponent, fraction) = (format.exponent_bits, format.fraction_bits());
    let [sign, field, integer, rest] = x87_fields(terms, format, bits);
    // A pseudo-denormal, with exponent field 0 and its integer bit set, stands for
    // exponent field 1.
    let none = terms.bits(exponent, 0);
    let denormal = terms.equal(field, none);
    let one = terms.bits(exponent - 1, 0);
    let one = terms.concat(one, integer);
    let field = terms.ite(denormal, one, field);
    let top = terms.concat(sign, field);
    let implicit = terms.concat(top, rest);
    let number = terms.from_bits(format.implicit(), implicit);
    let nan = terms.constant(Known::nan(format.implicit()));
    let odd = unsupported(terms, format, bits);
    debug_assert_eq!(terms.width(rest), fraction);
    terms.ite(odd, nan, number)
}

/// Sign, exponent, integer bit and fraction.
fn x87_fields(terms: &mut Terms, format: Format, bits: Term) -> [Term; 4] {
    let (exponent, fraction) = (format.exponent_bits, format.fraction_bits());
    [
        terms.extract(fraction + exponent + 1, fraction + exponent + 1, bits),
        terms.extract(fraction + exponent, fraction + 1, bits),
        terms.extract(fraction, fraction, bits),
        terms.extract(fraction - 1, 0, bits),
    ]
}

/// Whether the x87 unit refuses these bits: the integer bit is clear though the exponent
/// field is not zero.
fn unsupported(terms: &mut Terms, format: Format, bits: Term) -> Term {
    let [_, field, integer, _] = x87_fields(terms, format, bits);
    let (none, clear) = (terms.bits(format.exponent_bits, 0), terms.bits(1, 0));
    let denormal = terms.equal(field, none);
    let normal = terms.not(denormal);
    let clear = terms.equal(integer, clear);
    terms.and(&[normal, clear])
}

fn quieted(terms: &mut Terms, format: Format, bits: Term) -> Term {
    let quiet = Word::run(format.width(), format.fraction_bits() - 1, 1);
    let quiet = terms.constant(Known::Bits(quiet));
    terms.bits_op(BitsOp::Or, &[bits, quiet])
}

/// A NaN in another format: its sign, and as much of its payload as there is room for.
fn converted_nan(terms: &mut Terms, from: Format, to: Format, bits: Term) -> Term {
    let (narrow, wide) = (from.fraction_bits(), to.fraction_bits());
    let sign = terms.extract(from.width() - 1, from.width() - 1, bits);
    let payload = if narrow >= wide {
        terms.extract(narrow - 1, narrow - wide, bits)
    } else {
        let payload = terms.extract(narrow - 1, 0, bits);
        let zeros = terms.bits(wide - narrow, 0);
        terms.concat(payload, zeros)
    };
    let ones = to.exponent_bits + u32::from(to.explicit_integer_bit);
    let ones = terms.constant(Known::Bits(Word::ones(ones)));
    let top = terms.concat(sign, ones);
    let nan = terms.concat(top, payload);
    quieted(terms, to, nan)
}
