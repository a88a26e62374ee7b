//! Operations whose circuits are put off: what is cheap to say about them at
//! once, and what a wrong model teaches.
//!
//! A product, say, starts as free bits with lemmas about its class, sign and
//! exponent. A model that contradicts its meaning is answered by a lemma that
//! excludes it and more: products grow with their operands' magnitudes. After a
//! few of these the operation gets its circuit. Functions without a circuit get
//! their value at a point, again and again.

use super::Reason;
use super::aig::{Lit, Simulation};
use super::deferred::Deferred;
use super::image::{Images, Opaque, bits_of, value_of};
use nanoscope_ieee::{
    Algebra, Circuit, Concrete, ConcreteDatum, Datum, Domain, Format, Operation, Parameters,
    Sort as Kind, Word, apply,
};
use nanoscope_term::{Model, Op, Sort, Term, Terms, evaluate};
use std::collections::BTreeMap;

/// What was said so far about opaque terms.
#[derive(Default)]
pub(super) struct Refinement {
    pub lemmas: u64,
    introduced: usize,
    progress: BTreeMap<Term, Progress>,
}

#[derive(Default)]
struct Progress {
    lemmas: u32,
    circuit: bool,
}

impl Refinement {
    /// Says what is cheap to say about terms not met before.
    pub fn introduce(&mut self, images: &mut Images, terms: &Terms) -> Result<(), Reason> {
        while let Some(&(term, opaque)) = images.opaque.get(self.introduced) {
            let before = images.constraints.len();
            if let Opaque::Deferred(deferred, parameters) = opaque {
                let operands: Vec<Vec<Lit>> =
                    terms.args(term).iter().map(|&arg| images.of(arg).to_vec()).collect();
                let result = images.of(term).to_vec();
                let facts = first_facts(
                    &mut images.circuit,
                    deferred,
                    parameters.format,
                    &operands,
                    &result,
                );
                images.constraints.extend(facts);
            }
            if images.circuit.algebra.overgrown() {
                images.constraints.truncate(before);
                return Err(images.circuit.algebra.why_overgrown());
            }
            self.introduced += 1;
        }
        Ok(())
    }

    /// Compares opaque terms below the roots with what they mean, and adds
    /// lemmas about those that differ. How many.
    pub fn refine(
        &mut self,
        images: &mut Images,
        terms: &Terms,
        roots: &[Term],
        simulation: &Simulation,
    ) -> Result<usize, Reason> {
        if images.opaque.is_empty() {
            return Ok(0);
        }
        let mut below = vec![false; terms.len()];
        for term in terms.below(roots) {
            below[term.index()] = true;
        }
        let mut added = 0;
        let mut circuits = 0;
        for (term, opaque) in images.opaque.clone() {
            let done = self.progress.get(&term).is_some_and(|progress| progress.circuit);
            if done || !below[term.index()] {
                continue;
            }
            let point = Point::read(images, terms, term, opaque, simulation);
            if point.agrees() {
                continue;
            }
            let before = images.constraints.len();
            let progress = self.progress.entry(term).or_default();
            match opaque {
                Opaque::Deferred(deferred, parameters)
                    if progress.lemmas >= deferred.patience() =>
                {
                    if circuits > 0 {
                        continue;
                    }
                    circuits += 1;
                    let meaning = images.float(terms, term, deferred.operation(), &parameters);
                    let lemma = equate(images, terms.sort(term), &meaning, &point.result);
                    images.constraints.push(lemma);
                    progress.circuit = !images.circuit.algebra.overgrown();
                }
                Opaque::Deferred(deferred, _) => {
                    let lemma = point.monotone(images, deferred);
                    let lemma = lemma.unwrap_or_else(|| point.alone(images));
                    images.constraints.push(lemma);
                    progress.lemmas += 1;
                }
                Opaque::Libm => {
                    let lemma = point.alone(images);
                    images.constraints.push(lemma);
                    progress.lemmas += 1;
                }
            }
            if images.circuit.algebra.overgrown() {
                images.constraints.truncate(before);
                return Err(images.circuit.algebra.why_overgrown());
            }
            added += 1;
            self.lemmas += 1;
        }
        Ok(added)
    }
}

/// Whether two images of a sort mean the same.
fn equate(images: &mut Images, sort: Sort, a: &[Lit], b: &[Lit]) -> Lit {
    let (a, b) = (a.to_vec(), b.to_vec());
    match sort {
        Sort::Float(format) => images.circuit.identical(format, &a, &b).0,
        Sort::Bool | Sort::Bits(_) | Sort::Rounding | Sort::Array(_) => {
            images.circuit.algebra.equal(&a, &b)
        }
    }
}

/// An opaque term at one assignment.
struct Point {
    sort: Sort,
    operands: Vec<Vec<Lit>>,
    values: Vec<Word>,
    result: Vec<Lit>,
    /// What the assignment says.
    said: Word,
    /// What is so.
    meant: Word,
}

impl Point {
    fn read(
        images: &Images,
        terms: &Terms,
        term: Term,
        opaque: Opaque,
        simulation: &Simulation,
    ) -> Point {
        let read = |term: Term| -> Word {
            let bits: Vec<bool> =
                images.of(term).iter().map(|&lit| simulation.first(lit)).collect();
            Word::from_bits(&bits)
        };
        let args = terms.args(term);
        let values: Vec<Word> = args.iter().map(|&arg| read(arg)).collect();
        let meant = match opaque {
            Opaque::Deferred(deferred, parameters) => {
                operation_at(deferred.operation(), &parameters, &values)
            }
            Opaque::Libm => libm_at(terms, term, &values),
        };
        Point {
            sort: terms.sort(term),
            operands: args.iter().map(|&arg| images.of(arg).to_vec()).collect(),
            values,
            result: images.of(term).to_vec(),
            said: read(term),
            meant,
        }
    }

    fn agrees(&self) -> bool {
        let value = |word: &Word| {
            let bits: Vec<bool> = (0..word.width()).map(|i| word.bit(i)).collect();
            value_of(self.sort, &bits)
        };
        value(&self.said) == value(&self.meant)
    }

    /// With these very operands, the result is what it is.
    fn alone(&self, images: &mut Images) -> Lit {
        let mut conditions = Vec::new();
        for (operand, value) in self.operands.iter().zip(&self.values) {
            conditions.push(is(images, operand, value));
        }
        let meant = images.circuit.algebra.constant(&self.meant);
        let so = equate(images, self.sort, &self.result, &meant);
        implied(images, &conditions, so)
    }

    /// With operands beyond these, the result is beyond this.
    fn monotone(&self, images: &mut Images, deferred: Deferred) -> Option<Lit> {
        let Sort::Float(format) = self.sort else { return None };
        let sign = format.width() as usize - 1;
        let magnitude = |word: &Word| Word::from_big(sign as u32, &word.to_big());
        let (said, meant) = (magnitude(&self.said), magnitude(&self.meant));
        let nan = |word: &Word| Circuit::new(Concrete).is_nan(format, word).0;
        if nan(&self.meant) || nan(&self.said) || said == meant {
            return None;
        }
        // Too large is answered from above, too small from below.
        let above = said.to_big() > meant.to_big();
        let directions: &[bool] = match deferred {
            Deferred::Mul => &[above, above],
            Deferred::Div => &[above, !above],
            Deferred::Sqrt => &[above],
            Deferred::Fma | Deferred::Remainder | Deferred::Fmod => return None,
        };
        let mut conditions = vec![is(images, &self.operands[0], &self.values[0])];
        let floats = self.operands[1..].iter().zip(&self.values[1..]);
        for ((operand, value), &at_most) in floats.zip(directions) {
            conditions.push(bounded(images, &operand[..sign], &magnitude(value), at_most));
        }
        // Directed roundings look at the sign.
        let result_sign = self.result[sign];
        conditions.push(result_sign.xor_sign(!self.meant.bit(sign as u32)));
        let so = bounded(images, &self.result[..sign], &meant, above);
        let is_nan = images.circuit.is_nan(format, &self.result).0;
        let so = images.circuit.algebra.or(is_nan, so);
        Some(implied(images, &conditions, so))
    }
}

/// The meaning of an operation at a point.
fn operation_at(operation: Operation, parameters: &Parameters, values: &[Word]) -> Word {
    let operands: Vec<ConcreteDatum> = values
        .iter()
        .zip(operation.operands())
        .map(|(value, kind)| match kind {
            Kind::Float => Datum::Float(value.clone()),
            Kind::Rounding => Datum::Rounding(value.clone()),
            Kind::Bits => Datum::Bits(value.clone()),
            Kind::Bool => Datum::Bool(value.bit(0)),
        })
        .collect();
    let (result, _) = apply(&mut Circuit::new(Concrete), operation, parameters, &operands)
        .expect("terms are well sorted");
    match result {
        Datum::Float(word) | Datum::Rounding(word) | Datum::Bits(word) => word,
        Datum::Bool(bit) => Word::from_bits(&[bit]),
    }
}

/// The value of a term whose operands have these.
fn libm_at(terms: &Terms, term: Term, values: &[Word]) -> Word {
    let mut alone = Terms::without_rewriting();
    let constants: Vec<Term> = values
        .iter()
        .zip(terms.args(term))
        .map(|(value, &arg)| {
            let bits: Vec<bool> = (0..value.width()).map(|i| value.bit(i)).collect();
            let value = value_of(terms.sort(arg), &bits).expect("a float");
            alone.constant(value)
        })
        .collect();
    let Op::Libm(function, _) = terms.op(term) else { unreachable!("an opaque libm term") };
    let applied = alone.libm(function, &constants);
    let value = evaluate(&alone, &Model::new(), applied);
    bits_of(&value).expect("a float")
}

/// Whether a word has this value.
fn is(images: &mut Images, word: &[Lit], value: &Word) -> Lit {
    let value = images.circuit.algebra.constant(value);
    images.circuit.algebra.equal(&word.to_vec(), &value)
}

/// Whether a word is at most this value, or at least.
fn bounded(images: &mut Images, word: &[Lit], value: &Word, at_most: bool) -> Lit {
    let alg = &mut images.circuit.algebra;
    let value = alg.constant(value);
    if at_most { !alg.less(&value, &word.to_vec()) } else { !alg.less(&word.to_vec(), &value) }
}

fn implied(images: &mut Images, conditions: &[Lit], conclusion: Lit) -> Lit {
    let alg = &mut images.circuit.algebra;
    let all = alg.all(&conditions.iter().collect::<Vec<_>>());
    alg.or(!all, conclusion)
}

/// A float's class, sign and exponent field.
struct Parts {
    nan: Lit,
    infinite: Lit,
    zero: Lit,
    normal: Lit,
    sign: Lit,
    magnitude: Vec<Lit>,
    field: Vec<Lit>,
}

/// Lemmas about the result of an operation, one by one.
struct Facts<'a> {
    circuit: &'a mut Circuit<super::Aig>,
    format: Format,
    found: Vec<Lit>,
}

impl Facts<'_> {
    fn parts(&mut self, word: &Vec<Lit>) -> Parts {
        let format = self.format;
        let (fraction, eb) = (format.fraction_bits(), format.exponent_bits);
        Parts {
            nan: self.circuit.is_nan(format, word).0,
            infinite: self.circuit.is_infinite(format, word).0,
            zero: self.circuit.is_zero(format, word).0,
            normal: self.circuit.is_normal(format, word).0,
            sign: word[word.len() - 1],
            magnitude: word[..word.len() - 1].to_vec(),
            // Two bits more: sums of two exponents and the bias.
            field: {
                let field = self.circuit.algebra.extract(word, fraction, eb);
                self.circuit.algebra.zero_extend(&field, eb + 2)
            },
        }
    }

    fn any(&mut self, bits: &[Lit]) -> Lit {
        self.circuit.algebra.any(&bits.iter().collect::<Vec<_>>())
    }

    fn all(&mut self, bits: &[Lit]) -> Lit {
        self.circuit.algebra.all(&bits.iter().collect::<Vec<_>>())
    }

    /// If all conditions hold, so does the conclusion.
    fn when(&mut self, conditions: &[Lit], conclusion: Lit) {
        let all = self.all(conditions);
        let lemma = self.circuit.algebra.or(!all, conclusion);
        self.found.push(lemma);
    }

    /// The result is a NaN exactly in these cases.
    fn nan_iff(&mut self, result: &Parts, cases: &[Lit]) {
        let some = self.any(cases);
        let differ = self.circuit.algebra.xor(result.nan, some);
        self.found.push(!differ);
    }

    fn sum(&mut self, a: &Vec<Lit>, b: &Vec<Lit>) -> Vec<Lit> {
        self.circuit.algebra.add(a, b)
    }

    fn number(&mut self, value: i64) -> Vec<Lit> {
        self.circuit.algebra.number(self.format.exponent_bits + 2, value as u128)
    }

    /// Under `conditions`: unless the result is near its format's ends, its
    /// exponent lies so that `low <= left` and `right <= high`, the sides being
    /// sums that contain it.
    fn exponent(
        &mut self,
        conditions: &[Lit],
        result: &Parts,
        (low, left): (&Vec<Lit>, &Vec<Lit>),
        (right, high): (&Vec<Lit>, &Vec<Lit>),
    ) {
        let top = self.number(self.format.special_exponent() as i64 - 1);
        let two = self.number(2);
        let alg = &mut self.circuit.algebra;
        let below_top = alg.less(&result.field, &top);
        let above_bottom = !alg.less(&result.field, &two);
        let not_below = !alg.less(left, low);
        let not_above = !alg.less(high, right);
        self.when(&[conditions, &[below_top]].concat(), not_below);
        self.when(&[conditions, &[above_bottom, below_top]].concat(), not_above);
    }
}

/// What can be said at once about the result of an operation.
fn first_facts(
    circuit: &mut Circuit<super::Aig>,
    deferred: Deferred,
    format: Format,
    operands: &[Vec<Lit>],
    result: &Vec<Lit>,
) -> Vec<Lit> {
    let mut facts = Facts { circuit, format, found: Vec::new() };
    let r = facts.parts(result);
    // The operands that are floats: all but a rounding mode.
    let floats: Vec<&Vec<Lit>> =
        operands.iter().filter(|word| word.len() == format.width() as usize).collect();
    let x = facts.parts(floats[0]);
    let bias = facts.number(format.max_exponent());
    let one = facts.number(1);
    match deferred {
        Deferred::Mul => {
            let y = facts.parts(floats[1]);
            let (first, second) =
                (facts.all(&[x.infinite, y.zero]), facts.all(&[x.zero, y.infinite]));
            facts.nan_iff(&r, &[x.nan, y.nan, first, second]);
            let sign = facts.circuit.algebra.xor(x.sign, y.sign);
            let sign = !facts.circuit.algebra.xor(sign, r.sign);
            facts.when(&[!r.nan], sign);
            let zero = facts.any(&[x.zero, y.zero]);
            facts.when(&[!r.nan, zero], r.zero);
            let infinite = facts.any(&[x.infinite, y.infinite]);
            facts.when(&[!r.nan, infinite], r.infinite);
            // 1 <= significands' product < 4.
            let (sum, biased) = (facts.sum(&x.field, &y.field), facts.sum(&r.field, &bias));
            let more = facts.sum(&sum, &one);
            facts.exponent(&[x.normal, y.normal], &r, (&sum, &biased), (&biased, &more));
        }
        Deferred::Div => {
            let y = facts.parts(floats[1]);
            let (first, second) =
                (facts.all(&[x.infinite, y.infinite]), facts.all(&[x.zero, y.zero]));
            facts.nan_iff(&r, &[x.nan, y.nan, first, second]);
            let sign = facts.circuit.algebra.xor(x.sign, y.sign);
            let sign = !facts.circuit.algebra.xor(sign, r.sign);
            facts.when(&[!r.nan], sign);
            let zero = facts.any(&[x.zero, y.infinite]);
            facts.when(&[!r.nan, zero], r.zero);
            let infinite = facts.any(&[x.infinite, y.zero]);
            facts.when(&[!r.nan, infinite], r.infinite);
            // 1/2 < significands' ratio < 2.
            let (sum, biased) = (facts.sum(&r.field, &y.field), facts.sum(&x.field, &bias));
            let more = facts.sum(&sum, &one);
            facts.exponent(&[x.normal, y.normal], &r, (&biased, &more), (&sum, &biased));
        }
        Deferred::Sqrt => {
            let negative = facts.all(&[x.sign, !x.zero]);
            facts.nan_iff(&r, &[x.nan, negative]);
            facts.when(&[!r.nan, x.infinite], r.infinite);
            facts.when(&[x.zero], r.zero);
            let differ = facts.circuit.algebra.xor(x.sign, r.sign);
            facts.when(&[!r.nan], !differ);
            // 1 <= significand's root < 2, or 2 where rounded up.
            let (twice, biased) = (facts.sum(&r.field, &r.field), facts.sum(&x.field, &bias));
            let (more, least) = (facts.sum(&twice, &one), biased.clone());
            let two = facts.number(2);
            let most = facts.sum(&biased, &two);
            facts.exponent(&[x.normal, !r.nan], &r, (&least, &more), (&twice, &most));
        }
        Deferred::Fma => {
            let (y, z) = (facts.parts(floats[1]), facts.parts(floats[2]));
            let (first, second) =
                (facts.all(&[x.infinite, y.zero]), facts.all(&[x.zero, y.infinite]));
            let sign = facts.circuit.algebra.xor(x.sign, y.sign);
            let opposite = facts.circuit.algebra.xor(sign, z.sign);
            let infinite = facts.any(&[x.infinite, y.infinite]);
            let clash = facts.all(&[infinite, z.infinite, opposite]);
            facts.nan_iff(&r, &[x.nan, y.nan, z.nan, first, second, clash]);
            // Two terms of one sign have a sum of that sign.
            let signed = !facts.circuit.algebra.xor(z.sign, r.sign);
            facts.when(&[!r.nan, !opposite], signed);
        }
        Deferred::Remainder | Deferred::Fmod => {
            let y = facts.parts(floats[1]);
            facts.nan_iff(&r, &[x.nan, y.nan, x.infinite, y.zero]);
            for bound in [&x, &y] {
                let within = !facts.circuit.algebra.less(&bound.magnitude, &r.magnitude);
                facts.when(&[!r.nan], within);
            }
            let differ = facts.circuit.algebra.xor(x.sign, r.sign);
            facts.when(&[r.zero], !differ);
        }
    }
    facts.found
}

#[cfg(test)]
mod tests {
    use super::super::aig::Tuning;
    use super::*;
    use nanoscope_ieee::Rounding;

    /// The first facts hold of all results.
    fn check(deferred: Deferred, format: Format) {
        let mut images = Images::new(Tuning::default(), true);
        let operation = deferred.operation();
        let kinds = operation.operands();
        let width = |kind: &Kind| if *kind == Kind::Rounding { 3 } else { format.width() };
        let operands: Vec<Vec<Lit>> =
            kinds.iter().map(|kind| images.aig().inputs(width(kind))).collect();
        let result = images.aig().inputs(format.width());
        let facts = first_facts(&mut images.circuit, deferred, format, &operands, &result);
        let all = images.aig().all(&facts.iter().collect::<Vec<_>>());
        let total: u32 = kinds.iter().map(width).sum();
        let parameters = Parameters::of(format);
        let mut points = Vec::new();
        for code in 0..1u64 << total {
            let mut rest = code;
            let mut values = Vec::new();
            for kind in kinds {
                values.push(Word::new(width(kind), rest as u128));
                rest >>= width(kind);
            }
            if kinds[0] == Kind::Rounding && values[0].low_u64() as usize >= Rounding::ALL.len() {
                continue;
            }
            let meant = operation_at(operation, &parameters, &values);
            points.push(code | meant.low_u64() << total);
        }
        for chunk in points.chunks(64) {
            let patterns: Vec<u64> = (0..total + format.width())
                .map(|bit| {
                    let lanes = chunk.iter().enumerate();
                    lanes.fold(0, |word, (lane, point)| word | (point >> bit & 1) << lane)
                })
                .collect();
            let simulation = images.circuit.algebra.simulate(&patterns);
            for (lane, point) in chunk.iter().enumerate() {
                assert!(simulation.of(all) >> lane & 1 == 1, "{operation} {format} {point:#x}");
            }
        }
    }

    #[test]
    fn first_facts_hold() {
        for (eb, precision) in [(2, 3), (3, 3), (3, 4), (4, 3)] {
            let format = Format::new(eb, precision);
            for deferred in Deferred::ALL {
                if deferred != Deferred::Fma {
                    check(deferred, format);
                }
            }
        }
        check(Deferred::Fma, Format::new(2, 3));
    }
}
