//! Reading variables as what they are used for.
//!
//! A program's inputs come as bytes. Where all that a query does with a string of bits is
//! to read it as a float, or it must be a number beside that, it may as well be a float; where it
//! only looks at parts that do not overlap, these may be variables of their own; and where variables are only ever
//! looked at side by side, they may be one. Floats are then variables to the engines, which
//! know much about those and little about encodings.

use nanoscope_ieee::{Format, Operation, operations};
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
        } else if let Some((format, read)) = as_number(terms, assertions, parents) {
            recast.read_as_float(terms, *variable, id, format, read);
            let (_, encoding) = recast.back.last().expect("pushed above");
            recast.table.insert(*variable, *encoding);
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

/// The format and the reading, if a variable is read as a float that is asserted to be a number,
/// beside other uses of its bits: numbers have one encoding each.
fn as_number(terms: &Terms, assertions: &[Term], parents: &[Term]) -> Option<(Format, Term)> {
    let mut readings = parents.iter().filter_map(|parent| match terms.op(*parent) {
        Op::Float(Operation::FromBits, parameters) => Some((parameters.format, *parent)),
        _ => None,
    });
    let (format, read) = readings.next()?;
    let says_so = |assertion: &Term| {
        let args = terms.args(*assertion);
        match terms.op(*assertion) {
            Op::Float(operations!(Order), _) => args.contains(&read),
            Op::Not => {
                let is_nan = matches!(terms.op(args[0]), Op::Float(Operation::IsNan, _));
                is_nan && terms.args(args[0]) == [read]
            }
            // Any other assertion may hold of a NaN.
            _ => false,
        }
    };
    let alone = readings.all(|other| other == (format, read));
    let is_number = assertions.iter().any(says_so);
    (alone && is_number && !format.explicit_integer_bit).then_some((format, read))
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
mod tests;
