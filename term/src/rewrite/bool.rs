//! Rules of truth values, choices and equality.

use super::{Rule, part, parts2, parts3};
use crate::{BitsOp, Op, Sort, Term, Terms, Value};
use nanoscope_ieee::Operation;

const EQUAL: &[Op] = &[Op::Equal];
const ITE: &[Op] = &[Op::Ite];

fn known(terms: &Terms, term: Term) -> Option<bool> {
    terms.value(term).and_then(Value::as_bool)
}

/// Longer ones are not flattened into others: a chain of n conjunctions, each
/// using the one before, would else have n^2 arguments.
const FLATTENED: usize = 8;

/// Arguments of `and` or `or` flattened, ordered and each once, without
/// `neutral`; none where that changes nothing. `Err` where the whole is the
/// opposite of `neutral`.
fn gather(terms: &Terms, op: Op, args: &[Term], neutral: bool) -> Result<Option<Vec<Term>>, ()> {
    let mut all = Vec::new();
    for arg in args {
        if terms.op(*arg) == op && terms.args(*arg).len() <= FLATTENED {
            all.extend_from_slice(terms.args(*arg));
        } else {
            all.push(*arg);
        }
    }
    all.retain(|arg| known(terms, *arg) != Some(neutral));
    all.sort_unstable();
    all.dedup();
    let absorbed = all.iter().any(|arg| {
        let opposite = part(terms, *arg, Op::Not);
        known(terms, *arg) == Some(!neutral)
            || opposite.is_some_and(|a| all.binary_search(&a).is_ok())
    });
    if absorbed { Err(()) } else { Ok((all != args).then_some(all)) }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "double negation",
        equation: "not (not p) = p",
        left: &["(not (not p))"],
        heads: &[Op::Not],
        apply: |t, _, args| part(t, args[0], Op::Not),
    },
    Rule {
        name: "conjunction gathered",
        equation: "and nested, repeated, in any order, with true or an opposite, is flat",
        left: &[
            "(and q p)",
            "(and p p)",
            "(and p true)",
            "(and p false)",
            "(and p (not p))",
            "(and p (and q r) p)",
        ],
        heads: &[Op::And],
        apply: |t, op, args| match gather(t, op, args, true) {
            Err(()) => Some(t.bool(false)),
            Ok(all) => all.map(|all| t.and(&all)),
        },
    },
    Rule {
        name: "disjunction gathered",
        equation: "or nested, repeated, in any order, with false or an opposite, is flat",
        left: &[
            "(or q p)",
            "(or p p)",
            "(or p true)",
            "(or p false)",
            "(or p (not p))",
            "(or p (or q r) p)",
        ],
        heads: &[Op::Or],
        apply: |t, op, args| match gather(t, op, args, false) {
            Err(()) => Some(t.bool(true)),
            Ok(all) => all.map(|all| t.or(&all)),
        },
    },
    Rule {
        name: "choice made",
        equation: "ite true x y = x, ite false x y = y",
        left: &["(ite true x y)", "(ite false x y)"],
        heads: ITE,
        apply: |t, _, args| known(t, args[0]).map(|c| if c { args[1] } else { args[2] }),
    },
    Rule {
        name: "no choice",
        equation: "ite p x x = x",
        left: &["(ite p x x)"],
        heads: ITE,
        apply: |_, _, args| (args[1] == args[2]).then(|| args[1]),
    },
    Rule {
        name: "choice by negation",
        equation: "ite (not p) x y = ite p y x",
        left: &["(ite (not p) x y)"],
        heads: ITE,
        apply: |t, _, args| {
            let condition = part(t, args[0], Op::Not)?;
            Some(t.ite(condition, args[2], args[1]))
        },
    },
    Rule {
        name: "choice of truth",
        equation: "ite p true q = p or q, and the like",
        left: &["(ite p true q)", "(ite p false q)", "(ite p q true)", "(ite p q false)"],
        heads: ITE,
        apply: |t, _, args| {
            if t.sort(args[1]) != Sort::Bool {
                return None;
            }
            let (condition, then, otherwise) = (args[0], args[1], args[2]);
            match (known(t, then), known(t, otherwise)) {
                (Some(true), _) => Some(t.or(&[condition, otherwise])),
                (Some(false), _) => {
                    let not = t.not(condition);
                    Some(t.and(&[not, otherwise]))
                }
                (None, Some(true)) => {
                    let not = t.not(condition);
                    Some(t.or(&[not, then]))
                }
                (None, Some(false)) => Some(t.and(&[condition, then])),
                (None, None) => None,
            }
        },
    },
    Rule {
        name: "choice within the same choice",
        equation: "ite p (ite p x y) z = ite p x z, ite p x (ite p y z) = ite p x z",
        left: &["(ite p (ite p x y) (_ NaN 2 3))", "(ite p (_ NaN 2 3) (ite p x y))"],
        heads: ITE,
        apply: |t, _, args| {
            let inner = |t: &Terms, term| {
                parts3(t, term, Op::Ite).filter(|[condition, ..]| *condition == args[0])
            };
            if let Some([_, then, _]) = inner(t, args[1]) {
                return Some(t.ite(args[0], then, args[2]));
            }
            let [_, _, otherwise] = inner(t, args[2])?;
            Some(t.ite(args[0], args[1], otherwise))
        },
    },
    Rule {
        name: "equal to itself",
        equation: "x = x is true",
        left: &["(= x x)", "(= a a)", "(= p p)", "(= m m)"],
        heads: EQUAL,
        apply: |t, _, args| (args[0] == args[1]).then(|| t.bool(true)),
    },
    Rule {
        name: "equality with truth",
        equation: "(p = true) = p, (p = false) = not p",
        left: &["(= p true)", "(= false p)"],
        heads: EQUAL,
        apply: |t, _, args| {
            let (value, other) = match (known(t, args[0]), known(t, args[1])) {
                (Some(value), _) => (value, args[1]),
                (None, Some(value)) => (value, args[0]),
                (None, None) => return None,
            };
            Some(if value { other } else { t.not(other) })
        },
    },
    Rule {
        name: "equality of negations",
        equation: "(not p = q) = not (p = q)",
        left: &["(= (not p) q)", "(= p (not p))", "(= (not p) (not q))"],
        heads: EQUAL,
        apply: |t, _, args| {
            let stripped = args.iter().map(|arg| part(t, *arg, Op::Not)).collect::<Vec<_>>();
            match stripped[..] {
                [Some(a), Some(b)] => Some(t.equal(a, b)),
                [Some(a), None] => Some(t.xor(a, args[1])),
                [None, Some(b)] => Some(t.xor(args[0], b)),
                _ => None,
            }
        },
    },
    Rule {
        name: "equality ordered",
        equation: "(y = x) = (x = y)",
        left: &["(= y x)", "(= b a)", "(= q p)"],
        heads: EQUAL,
        apply: |t, _, args| (args[0] > args[1]).then(|| t.equal(args[1], args[0])),
    },
    Rule {
        name: "choice equal to a branch's value",
        equation: "(ite p k x = k) = (p or x = k), and impossible values strike branches",
        left: &[
            "(= #b101 (ite p #b101 b))",
            "(= #b101 (ite p b #b101))",
            "(= #b101 (ite p #b100 b))",
            "(= #b101 (ite p b #b100))",
        ],
        heads: EQUAL,
        apply: |t, _, args| {
            let (value, choice) = if t.value(args[0]).is_some() {
                (args[0], args[1])
            } else if t.value(args[1]).is_some() {
                (args[1], args[0])
            } else {
                return None;
            };
            let [condition, then, otherwise] = parts3(t, choice, Op::Ite)?;
            if t.value(then).is_none() && t.value(otherwise).is_none() {
                return None;
            }
            let (then, otherwise) = (t.equal(then, value), t.equal(otherwise, value));
            Some(t.ite(condition, then, otherwise))
        },
    },
    Rule {
        name: "equality of concatenations",
        equation: "(concat a b = k) = (a = high of k and b = low of k); likewise of two",
        left: &["(= (concat a d) #b10110)", "(= (concat a d) (concat b d))"],
        heads: EQUAL,
        apply: |t, _, args| {
            let concat = |t: &Terms, term| parts2(t, term, Op::Bits(BitsOp::Concat));
            let ([high, low], other) = match (concat(t, args[0]), concat(t, args[1])) {
                (Some(parts), Some([_, low])) if t.width(parts[1]) == t.width(low) => {
                    (parts, args[1])
                }
                (Some(parts), None) if t.value(args[1]).is_some() => (parts, args[1]),
                (None, Some(parts)) if t.value(args[0]).is_some() => (parts, args[0]),
                _ => return None,
            };
            let cut = t.width(low);
            let width = cut + t.width(high);
            let (other_high, other_low) = match concat(t, other) {
                Some([high, low]) => (high, low),
                None => (t.extract(width - 1, cut, other), t.extract(cut - 1, 0, other)),
            };
            let (high, low) = (t.equal(high, other_high), t.equal(low, other_low));
            Some(t.and(&[high, low]))
        },
    },
    Rule {
        name: "equality of extensions",
        equation: "(zero_extend a = zero_extend b) = (a = b); with a value, its low bits or never",
        left: &[
            "(= ((_ zero_extend 1) a) ((_ zero_extend 1) b))",
            "(= ((_ sign_extend 1) a) ((_ sign_extend 1) b))",
            "(= ((_ zero_extend 1) a) #x5)",
            "(= ((_ zero_extend 1) a) #xd)",
            "(= ((_ sign_extend 1) a) #xd)",
            "(= ((_ sign_extend 1) a) #x5)",
        ],
        heads: EQUAL,
        apply: |t, _, args| {
            let extended = |t: &Terms, term: Term| match t.op(term) {
                op @ Op::Bits(BitsOp::ZeroExtend(_) | BitsOp::SignExtend(_)) => {
                    Some((op, t.args(term)[0]))
                }
                _ => None,
            };
            match (extended(t, args[0]), extended(t, args[1])) {
                (Some((op, a)), Some((other, b))) if op == other => Some(t.equal(a, b)),
                (Some((op, a)), None) | (None, Some((op, a))) => {
                    let value = *args.iter().find(|arg| t.value(**arg).is_some())?;
                    let width = t.width(a);
                    let low = t.extract(width - 1, 0, value);
                    let back = t.make(op, &[low]);
                    let fits = t.equal(back, value);
                    let same = t.equal(a, low);
                    Some(t.and(&[fits, same]))
                }
                _ => None,
            }
        },
    },
    Rule {
        name: "equality through what can be undone",
        equation: "(bvnot a = k) = (a = bvnot k); likewise bvneg, bvadd and bvxor of a value",
        left: &[
            "(= (bvnot a) #b101)",
            "(= (bvneg a) #b101)",
            "(= (bvadd a #b011) #b101)",
            "(= (bvxor a #b011) #b101)",
        ],
        heads: EQUAL,
        apply: |t, _, args| {
            let value = *args.iter().find(|arg| t.value(**arg).is_some())?;
            let other = *args.iter().find(|arg| t.value(**arg).is_none())?;
            let inner = t.args(other).to_vec();
            let known = inner.iter().copied().find(|arg| t.value(*arg).is_some());
            let unknown = inner.iter().copied().find(|arg| t.value(*arg).is_none())?;
            let back = match (t.op(other), known) {
                (op @ Op::Bits(BitsOp::Not | BitsOp::Neg), _) => t.make(op, &[value]),
                (Op::Bits(BitsOp::Add), Some(known)) => t.bits_op(BitsOp::Sub, &[value, known]),
                (Op::Bits(BitsOp::Xor), Some(known)) => t.bits_op(BitsOp::Xor, &[value, known]),
                _ => return None,
            };
            Some(t.equal(unknown, back))
        },
    },
    Rule {
        name: "equality with the NaN",
        equation: "(x = NaN) = isNaN x",
        left: &["(= x (_ NaN 2 3))", "(= (_ NaN 2 3) x)"],
        heads: EQUAL,
        apply: |t, _, args| {
            let nan = args.iter().position(|arg| t.value(*arg).is_some_and(Value::is_nan))?;
            Some(t.fp(Operation::IsNan, &[args[1 - nan]]))
        },
    },
    Rule {
        name: "equality of opposites",
        equation: "(fp.neg x = fp.neg y) = (x = y), (fp.neg x = k) = (x = fp.neg k)",
        left: &["(= (fp.neg x) (fp.neg y))", "(= (fp.neg x) (fp #b0 #b01 #b10))"],
        heads: EQUAL,
        apply: |t, _, args| {
            let stripped = |t: &Terms, term: Term| {
                matches!(t.op(term), Op::Float(Operation::Neg, _)).then(|| t.args(term)[0])
            };
            match (stripped(t, args[0]), stripped(t, args[1])) {
                (Some(a), Some(b)) => Some(t.equal(a, b)),
                (Some(a), None) if t.value(args[1]).is_some() => {
                    let opposite = t.fp(Operation::Neg, &[args[1]]);
                    Some(t.equal(a, opposite))
                }
                (None, Some(b)) if t.value(args[0]).is_some() => {
                    let opposite = t.fp(Operation::Neg, &[args[0]]);
                    Some(t.equal(b, opposite))
                }
                _ => None,
            }
        },
    },
];
