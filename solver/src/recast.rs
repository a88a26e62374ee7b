//! Reading variables as what they are used for.
//!
//! A program's inputs come as bytes. Where all that a query does with a string of bits is
//! to read it as a float, it may as well be a float; where it only looks at parts that do
//! not overlap, these may be variables of their own; and where variables are only ever
//! looked at side by side, they may be one. Floats are then variables to the engines, which
//! know much about those and little about encodings.

use nanoscope_ieee::{Format, Operation};
use nanoscope_term::{BitsOp, Op, Sort, Term, Terms, VariableId};
use std::collections::BTreeMap;

/// Terms that become variables, and how models come back.
#[derive(Clone, Debug, Default)]
pub struct Recast {
    /// Terms and the new variables that stand for them.
    pub table: BTreeMap<Term, Term>,
    /// The old variables by the new ones.
    pub back: Vec<(VariableId, Term)>,
    /// The new variables by the old ones.
    pub forth: Vec<(VariableId, Term)>,
}

/// What can be read otherwise in assertions; `None` if nothing.
pub fn recast(terms: &mut Terms, assertions: &[Term]) -> Option<Recast> {
    let uses = uses(terms, assertions);
    let mut recast = Recast::default();
    for (variable, parents) in &uses {
        let Some(id) = terms.as_variable(*variable) else { continue };
        if let Some(format) = as_float(terms, parents) {
            recast.read_as_float(terms, *variable, id, format, parents[0]);
        } else if let Some(ranges) = as_pieces(terms, *variable, parents) {
            recast.take_apart(terms, *variable, id, &ranges);
        }
    }
    for (whole, leaves) in as_one(terms, &uses) {
        recast.put_together(terms, whole, &leaves);
    }
    (!recast.table.is_empty()).then_some(recast)
}

impl Recast {
    fn read_as_float(
        &mut self,
        terms: &mut Terms,
        variable: Term,
        id: VariableId,
        format: Format,
        read: Term,
    ) {
        let name = format!("{}!float", terms.symbol(id));
        let new = terms.variable(&name, Sort::Float(format));
        self.table.insert(read, new);
        self.forth.push((terms.as_variable(new).expect("a variable"), read));
        self.back.push((id, terms.fp(Operation::ToBits, &[new])));
        debug_assert_eq!(terms.args(read), [variable]);
    }

    /// Ranges of bits, the lowest first, become variables; bits in none are zero.
    fn take_apart(
        &mut self,
        terms: &mut Terms,
        variable: Term,
        id: VariableId,
        ranges: &[(u32, u32, Term)],
    ) {
        let mut whole: Option<Term> = None;
        let mut next = 0;
        let mut put = |terms: &mut Terms, piece: Term| {
            whole = Some(whole.map_or(piece, |low| terms.concat(piece, low)));
        };
        for (low, high, extract) in ranges {
            if *low > next {
                let gap = terms.bits(low - next, 0);
                put(terms, gap);
            }
            let name = format!("{}!{high}..{low}", terms.symbol(id));
            let new = terms.variable(&name, Sort::Bits(high - low + 1));
            self.table.insert(*extract, new);
            self.forth.push((terms.as_variable(new).expect("a variable"), *extract));
            put(terms, new);
            next = high + 1;
        }
        let width = terms.width(variable);
        if next < width {
            let gap = terms.bits(width - next, 0);
            put(terms, gap);
        }
        self.back.push((id, whole.expect("at least one range")));
    }

    /// Leaves of a concatenation, the highest first, become one variable.
    fn put_together(&mut self, terms: &mut Terms, whole: Term, leaves: &[Term]) {
        let names: Vec<&str> = leaves
            .iter()
            .map(|leaf| terms.symbol(terms.as_variable(*leaf).expect("a variable")))
            .collect();
        let name = format!("{}!joined", names.join("."));
        let new = terms.variable(&name, terms.sort(whole));
        self.table.insert(whole, new);
        self.forth.push((terms.as_variable(new).expect("a variable"), whole));
        let mut high = terms.width(whole);
        for leaf in leaves {
            let low = high - terms.width(*leaf);
            let part = terms.extract(high - 1, low, new);
            self.back.push((terms.as_variable(*leaf).expect("a variable"), part));
            high = low;
        }
    }
}

/// The terms that variables of bits and concatenations are arguments of, once a use.
fn uses(terms: &Terms, assertions: &[Term]) -> BTreeMap<Term, Vec<Term>> {
    let mut uses: BTreeMap<Term, Vec<Term>> = BTreeMap::new();
    for term in terms.below(assertions) {
        let followed = |arg: Term| match terms.op(arg) {
            Op::Variable(_) => matches!(terms.sort(arg), Sort::Bits(_)),
            op => op == Op::Bits(BitsOp::Concat),
        };
        for arg in terms.args(term) {
            if followed(*arg) {
                uses.entry(*arg).or_default().push(term);
            }
        }
    }
    uses
}

/// The format, if all uses read a variable as a float of one.
fn as_float(terms: &Terms, parents: &[Term]) -> Option<Format> {
    let read = |term: &Term| match terms.op(*term) {
        Op::Float(Operation::FromBits, parameters) => Some(parameters.format),
        _ => None,
    };
    let first = read(parents.first()?)?;
    parents.iter().all(|parent| read(parent) == Some(first)).then_some(first)
}

/// The ranges that all uses take, the lowest first, if they do not overlap and are not all.
fn as_pieces(terms: &Terms, variable: Term, parents: &[Term]) -> Option<Vec<(u32, u32, Term)>> {
    let mut ranges = Vec::new();
    for parent in parents {
        match terms.op(*parent) {
            Op::Bits(BitsOp::Extract { high, low }) => ranges.push((low, high, *parent)),
            _ => return None,
        }
    }
    ranges.sort_unstable();
    ranges.dedup();
    let apart = ranges.windows(2).all(|pair| pair[0].1 < pair[1].0);
    let whole = ranges.len() == 1 && ranges[0].0 == 0 && ranges[0].1 + 1 == terms.width(variable);
    (apart && !whole).then_some(ranges)
}

/// Concatenations of variables that are used nowhere else, with their leaves.
fn as_one(terms: &Terms, uses: &BTreeMap<Term, Vec<Term>>) -> Vec<(Term, Vec<Term>)> {
    let is_concat = |term: Term| terms.op(term) == Op::Bits(BitsOp::Concat);
    let mut found = Vec::new();
    for (whole, parents) in uses {
        if !is_concat(*whole) || parents.iter().any(|parent| is_concat(*parent)) {
            continue;
        }
        let mut leaves = Vec::new();
        let mut todo = vec![*whole];
        let mut alone = true;
        while let Some(term) = todo.pop() {
            if is_concat(term) {
                alone &= term == *whole || uses[&term].len() == 1;
                // The higher part is looked at first.
                todo.extend(terms.args(term).iter().rev());
            } else {
                alone &= terms.as_variable(term).is_some() && uses[&term].len() == 1;
                leaves.push(term);
            }
            if !alone {
                break;
            }
        }
        if alone {
            found.push((*whole, leaves));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::simplify::simplify;
    use crate::{Options, Solver, Verdict};
    use nanoscope_ieee::{Format, Operation};
    use nanoscope_search::Budget;
    use nanoscope_term::{Model, Sort, Term, Terms, Value};

    /// Asserts `low < f < high` of the float that `read` makes of variables of these widths;
    /// expects floats to be all that is left, models to come back, and hints to get there.
    fn check(widths: &[u32], read: impl Fn(&mut Terms, &[Term]) -> Vec<Term>) {
        let mut terms = Terms::new();
        let variables: Vec<Term> = widths
            .iter()
            .enumerate()
            .map(|(i, width)| terms.variable(&format!("v{i}"), Sort::Bits(*width)))
            .collect();
        let mut assertions = Vec::new();
        for float in read(&mut terms, &variables) {
            let (low, high) = (terms.f32(1.5), terms.f32(2.5));
            assertions.push(terms.fp(Operation::Less, &[low, float]));
            assertions.push(terms.fp(Operation::Less, &[float, high]));
        }
        let left = simplify(&mut terms, &assertions).assertions;
        for variable in terms.variables_below(&left) {
            assert_eq!(terms.variable_sort(variable), Sort::Float(Format::BINARY32));
        }
        let decide = |terms: &mut Terms, assertions: &[Term], hint: Option<&Model>| {
            let mut solver = Solver::new(Options::default());
            let verdict = solver.decide(terms, assertions, hint, &Budget::unlimited());
            (verdict.expect("no defect"), solver.statistics().decided.contains_key("hint"))
        };
        let (Verdict::Sat(model), false) = decide(&mut terms, &assertions, None) else {
            panic!("there are such floats")
        };
        // The model says something of every old variable, and is a hint for the same again.
        for variable in &variables {
            assert!(model.variables.contains_key(&terms.as_variable(*variable).expect("one")));
        }
        assert!(matches!(decide(&mut terms, &assertions, Some(&model)), (Verdict::Sat(_), true)));
    }

    #[test]
    fn encodings_become_floats() {
        check(&[32], |terms, v| vec![terms.from_bits(Format::BINARY32, v[0])]);
    }

    #[test]
    fn pieces_become_floats() {
        check(&[64], |terms, v| {
            [(31, 0), (63, 32)]
                .map(|(high, low)| {
                    let piece = terms.extract(high, low, v[0]);
                    terms.from_bits(Format::BINARY32, piece)
                })
                .to_vec()
        });
    }

    #[test]
    fn bytes_become_floats() {
        check(&[8, 8, 8, 8], |terms, v| {
            let bits = v[1..].iter().fold(v[0], |low, high| terms.concat(*high, low));
            vec![terms.from_bits(Format::BINARY32, bits)]
        });
    }

    #[test]
    fn pieces_of_pieces_become_floats() {
        check(&[64, 16], |terms, v| {
            let low = terms.extract(15, 0, v[0]);
            let across = terms.concat(low, v[1]);
            vec![terms.from_bits(Format::BINARY32, across)]
        });
    }

    #[test]
    fn what_is_looked_at_otherwise_stays() {
        let mut terms = Terms::new();
        let bits = terms.variable("b", Sort::Bits(32));
        let float = terms.from_bits(Format::BINARY32, bits);
        let one = terms.f32(1.0);
        let above = terms.fp(Operation::Less, &[one, float]);
        let mask = terms.bits(32, 0xff);
        let low = terms.bits_op(nanoscope_term::BitsOp::And, &[bits, mask]);
        let odd = terms.equal(low, mask);
        let left = simplify(&mut terms, &[above, odd]).assertions;
        assert_eq!(left.len(), 2);
        let mut model = Model::new();
        model.set(terms.as_variable(bits).expect("one"), Value::bits(32, 0x4000_00ff));
        assert!(nanoscope_term::holds(&terms, &model, &left));
    }
}
