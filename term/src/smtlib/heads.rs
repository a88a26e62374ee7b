//! SMT-LIB's functions by name, applied to what is known of their arguments.

use super::head::{Head, two_widths};
use super::names::{IEEE, LIBM, exact_name};
use super::reals::with_reals;
use super::symbols::{Meaning, Real};
use crate::{BitsOp, Libm, Op, Sort, Term, Terms, Unspecified, Value};
use nanoscope_ieee::{Format, Operation, OutOfRange, ParameterKind, Parameters, Word};

/// Applies a head of the theories.
pub(crate) fn apply(terms: &mut Terms, head: &Head, args: Vec<Meaning>) -> Result<Meaning, String> {
    if args.iter().any(|arg| matches!(arg, Meaning::Real(_))) {
        return with_reals(terms, head, &args);
    }
    if let ("fp.to_real", [Meaning::Term(float)]) = (head.name.as_str(), args.as_slice()) {
        return match terms.sort(*float) {
            Sort::Float(_) => Ok(Meaning::Real(Real::OfFloat(*float))),
            _ => Err("`fp.to_real` takes a float".to_string()),
        };
    }
    let args: Vec<Term> = args
        .into_iter()
        .filter_map(|arg| if let Meaning::Term(term) = arg { Some(term) } else { None })
        .collect();
    on_terms(terms, head, &args).map(Meaning::Term)
}

/// Makes a term after looking at the sorts.
fn make(terms: &mut Terms, op: Op, args: &[Term]) -> Result<Term, String> {
    terms.sort_of(op, args)?;
    Ok(terms.make(op, args))
}

fn on_terms(terms: &mut Terms, head: &Head, args: &[Term]) -> Result<Term, String> {
    if args.is_empty() {
        return Err(format!("`{}` without arguments", head.name));
    }
    let name = head.name.as_str();
    if let Some(term) = core(terms, name, args)? {
        return Ok(term);
    }
    if let Some(term) = bits(terms, head, args)? {
        return Ok(term);
    }
    if let Some(term) = float(terms, head, args)? {
        return Ok(term);
    }
    Err(format!("`{name}` is not known here"))
}

fn all_bool(terms: &Terms, name: &str, args: &[Term]) -> Result<(), String> {
    if args.iter().all(|arg| terms.sort(*arg) == Sort::Bool) {
        Ok(())
    } else {
        Err(format!("`{name}` takes truth values"))
    }
}

/// `a op b op c` as the conjunction of neighbours.
fn chain(terms: &mut Terms, op: Op, args: &[Term]) -> Result<Term, String> {
    let mut links = Vec::new();
    for pair in args.windows(2) {
        links.push(make(terms, op, pair)?);
    }
    if links.is_empty() {
        return Err(format!("`{}` of a single argument", terms.op_text(op)));
    }
    Ok(terms.and(&links))
}

fn core(terms: &mut Terms, name: &str, args: &[Term]) -> Result<Option<Term>, String> {
    Ok(Some(match (name, args) {
        ("not", _) => make(terms, Op::Not, args)?,
        ("and", _) => {
            all_bool(terms, name, args)?;
            terms.and(args)
        }
        ("or", _) => {
            all_bool(terms, name, args)?;
            terms.or(args)
        }
        ("xor", [first, rest @ ..]) => {
            all_bool(terms, name, args)?;
            rest.iter().fold(*first, |all, next| terms.xor(all, *next))
        }
        ("=>", [rest @ .., last]) => {
            all_bool(terms, name, args)?;
            rest.iter().rev().fold(*last, |all, next| terms.implies(*next, all))
        }
        ("ite", _) => make(terms, Op::Ite, args)?,
        ("=", _) => chain(terms, Op::Equal, args)?,
        ("distinct", [first, ..]) => {
            let sort = terms.sort(*first);
            if args.iter().any(|arg| terms.sort(*arg) != sort) {
                return Err("`distinct` of different sorts".to_string());
            }
            terms.distinct(args)
        }
        ("select", _) => make(terms, Op::Select, args)?,
        ("store", _) => make(terms, Op::Store, args)?,
        _ => return Ok(None),
    }))
}

/// The two strings of equal width that a function takes.
fn pair(terms: &Terms, name: &str, args: &[Term]) -> Result<(Term, Term), String> {
    match args {
        [a, b] => match (terms.sort(*a), terms.sort(*b)) {
            (Sort::Bits(m), Sort::Bits(n)) if m == n => Ok((*a, *b)),
            _ => Err(format!("`{name}` takes two bit vectors of equal width")),
        },
        _ => Err(format!("`{name}` takes two arguments")),
    }
}

fn single(terms: &Terms, name: &str, args: &[Term]) -> Result<Term, String> {
    match args {
        [a] if matches!(terms.sort(*a), Sort::Bits(_)) => Ok(*a),
        _ => Err(format!("`{name}` takes a bit vector")),
    }
}

fn bits(terms: &mut Terms, head: &Head, args: &[Term]) -> Result<Option<Term>, String> {
    let name = head.name.as_str();
    let plain = match name {
        "bvnot" => Some(BitsOp::Not),
        "bvneg" => Some(BitsOp::Neg),
        "bvand" => Some(BitsOp::And),
        "bvor" => Some(BitsOp::Or),
        "bvxor" => Some(BitsOp::Xor),
        "bvadd" => Some(BitsOp::Add),
        "bvsub" => Some(BitsOp::Sub),
        "bvmul" => Some(BitsOp::Mul),
        "bvudiv" => Some(BitsOp::Udiv),
        "bvurem" => Some(BitsOp::Urem),
        "bvshl" => Some(BitsOp::Shl),
        "bvlshr" => Some(BitsOp::Lshr),
        "bvashr" => Some(BitsOp::Ashr),
        "concat" => Some(BitsOp::Concat),
        "bvult" => Some(BitsOp::Ult),
        "bvule" => Some(BitsOp::Ule),
        "bvslt" => Some(BitsOp::Slt),
        "bvsle" => Some(BitsOp::Sle),
        _ => None,
    };
    if let Some(op) = plain.filter(|_| head.indices.is_empty()) {
        let folds = ["bvand", "bvor", "bvxor", "bvadd", "bvmul", "concat"].contains(&name);
        if folds && args.len() > 2 {
            let mut all = args[0];
            for next in &args[1..] {
                all = make(terms, Op::Bits(op), &[all, *next])?;
            }
            return Ok(Some(all));
        }
        return make(terms, Op::Bits(op), args).map(Some);
    }
    let swapped = |terms: &mut Terms, op| {
        let (a, b) = pair(terms, name, args)?;
        make(terms, Op::Bits(op), &[b, a])
    };
    let negated = |terms: &mut Terms, op| {
        let (a, b) = pair(terms, name, args)?;
        let inner = make(terms, Op::Bits(op), &[a, b])?;
        Ok::<Term, String>(terms.bits_op(BitsOp::Not, &[inner]))
    };
    Ok(Some(match (name, head.indices.as_slice()) {
        ("bvugt", []) => swapped(terms, BitsOp::Ult)?,
        ("bvuge", []) => swapped(terms, BitsOp::Ule)?,
        ("bvsgt", []) => swapped(terms, BitsOp::Slt)?,
        ("bvsge", []) => swapped(terms, BitsOp::Sle)?,
        ("bvnand", []) => negated(terms, BitsOp::And)?,
        ("bvnor", []) => negated(terms, BitsOp::Or)?,
        ("bvxnor", []) => negated(terms, BitsOp::Xor)?,
        (
            "bvsdiv" | "bvsrem" | "bvsmod" | "bvcomp" | "bvuaddo" | "bvsaddo" | "bvusubo"
            | "bvssubo" | "bvumulo" | "bvsmulo" | "bvsdivo",
            [],
        ) => {
            let (a, b) = pair(terms, name, args)?;
            match name {
                "bvsdiv" => terms.sdiv(a, b),
                "bvsrem" => terms.srem(a, b),
                "bvsmod" => terms.smod(a, b),
                "bvcomp" => terms.bvcomp(a, b),
                "bvuaddo" => terms.add_overflows(false, a, b),
                "bvsaddo" => terms.add_overflows(true, a, b),
                "bvusubo" => terms.sub_overflows(false, a, b),
                "bvssubo" => terms.sub_overflows(true, a, b),
                "bvumulo" => terms.mul_overflows(false, a, b),
                "bvsmulo" => terms.mul_overflows(true, a, b),
                _ => terms.sdiv_overflows(a, b),
            }
        }
        ("bvnego", []) => {
            let a = single(terms, name, args)?;
            terms.neg_overflows(a)
        }
        ("bvredor" | "bvredand", []) => {
            let a = single(terms, name, args)?;
            let width = terms.width(a);
            let all = if name == "bvredor" { Word::zero(width) } else { Word::ones(width) };
            let all = terms.constant(Value::Bits(all));
            let same = terms.equal(a, all);
            let truth = if name == "bvredor" { terms.not(same) } else { same };
            terms.bit(truth)
        }
        ("extract", [high, low]) => {
            make(terms, Op::Bits(BitsOp::Extract { high: *high, low: *low }), args)?
        }
        ("zero_extend", [more]) => make(terms, Op::Bits(BitsOp::ZeroExtend(*more)), args)?,
        ("sign_extend", [more]) => make(terms, Op::Bits(BitsOp::SignExtend(*more)), args)?,
        ("bvrol" | "ext_rotate_left" | "bvror" | "ext_rotate_right", []) => {
            let [a, amount] = args else { return Err(format!("`{name}` takes two")) };
            make(terms, Op::Bits(BitsOp::And), args)?;
            terms.rotate(matches!(name, "bvrol" | "ext_rotate_left"), *a, *amount)
        }
        ("bvredxor", []) => {
            let a = single(terms, name, args)?;
            let bits: Vec<Term> = (0..terms.width(a)).map(|at| terms.extract(at, at, a)).collect();
            bits.into_iter()
                .reduce(|all, bit| terms.bits_op(BitsOp::Xor, &[all, bit]))
                .expect("a bit")
        }
        ("bvinc" | "bvdec", []) => {
            let a = single(terms, name, args)?;
            let one = terms.bits(terms.width(a), 1);
            let op = if name == "bvinc" { BitsOp::Add } else { BitsOp::Sub };
            terms.bits_op(op, &[a, one])
        }
        ("rotate_left", [amount]) => {
            let a = single(terms, name, args)?;
            terms.rotate_left(*amount, a)
        }
        ("rotate_right", [amount]) => {
            let a = single(terms, name, args)?;
            terms.rotate_right(*amount, a)
        }
        ("repeat", [count]) => {
            let a = single(terms, name, args)?;
            let width = terms.width(a) as u64 * *count as u64;
            if width == 0 || width > crate::typing::MAX_WIDTH as u64 || *count > 1 << 16 {
                return Err(format!("`repeat` of {count} times"));
            }
            terms.repeat(*count, a)
        }
        _ => return Ok(None),
    }))
}

fn float_format(terms: &Terms, name: &str, args: &[Term]) -> Result<Format, String> {
    match args.last().map(|arg| terms.sort(*arg)) {
        Some(Sort::Float(format)) => Ok(format),
        Some(_) | None => Err(format!("`{name}` takes floats")),
    }
}

fn float(terms: &mut Terms, head: &Head, args: &[Term]) -> Result<Option<Term>, String> {
    let name = head.name.as_str();
    let widths = || two_widths(&head.indices).ok_or(format!("`{name}` takes two widths"));
    let open = |terms: &mut Terms, function| make(terms, Op::Unspecified(function), args);
    let width = || match head.indices.as_slice() {
        [width] if *width > 0 => Ok(*width),
        _ => Err(format!("`{name}` takes a width")),
    };
    Ok(Some(match name {
        "fp" => {
            let [Sort::Bits(1), Sort::Bits(exponent), Sort::Bits(fraction)] =
                args.iter().map(|arg| terms.sort(*arg)).collect::<Vec<_>>()[..]
            else {
                return Err("`fp` takes one bit, an exponent and a fraction".to_string());
            };
            let format = two_widths(&[exponent, fraction.saturating_add(1)])
                .ok_or("`fp` of widths that no format has")?;
            let known: Option<Vec<_>> = args.iter().map(|a| terms.value(*a)?.as_bits()).collect();
            if let Some([sign, field, rest]) = known.as_deref() {
                let high = (sign.to_big() << exponent) | field.to_big();
                let bits = (high << fraction) | rest.to_big();
                return Ok(Some(terms.float_bits(format, Word::from_big(format.width(), &bits))));
            }
            let high = terms.concat(args[0], args[1]);
            let bits = terms.concat(high, args[2]);
            terms.from_bits(format, bits)
        }
        "to_fp" => to_fp(terms, widths()?, args)?,
        "to_fp_unsigned" => {
            let format = widths()?;
            let width = match args {
                [_, a] => match terms.sort(*a) {
                    Sort::Bits(width) => width,
                    _ => return Err("`to_fp_unsigned` takes a bit vector".to_string()),
                },
                _ => return Err("`to_fp_unsigned` takes a rounding mode and bits".to_string()),
            };
            let parameters = Parameters::integer(format, width, OutOfRange::Undefined);
            make(terms, Op::Float(Operation::FromUnsigned, parameters), args)?
        }
        "fp.min" => {
            let format = float_format(terms, name, args)?;
            open(terms, Unspecified::Min(format))?
        }
        "fp.max" => {
            let format = float_format(terms, name, args)?;
            open(terms, Unspecified::Max(format))?
        }
        "fp.to_ubv" => {
            let format = float_format(terms, name, args)?;
            open(terms, Unspecified::ToUnsigned(format, width()?))?
        }
        "fp.to_sbv" => {
            let format = float_format(terms, name, args)?;
            open(terms, Unspecified::ToSigned(format, width()?))?
        }
        "fp.to_ieee_bv" => {
            let format = float_format(terms, name, args)?;
            open(terms, Unspecified::ToIeeeBits(format))?
        }
        _ => {
            if let Some(function) = name.strip_prefix(LIBM).and_then(Libm::from_name) {
                let format = float_format(terms, name, args)?;
                return make(terms, Op::Libm(function, format), args).map(Some);
            }
            if let Some(operation) = name.strip_prefix(IEEE).and_then(Operation::from_name) {
                return extension(terms, head, operation, args).map(Some);
            }
            let operation = Operation::ALL.iter().find(|o| exact_name(**o) == Some(name));
            let Some(operation) = operation.filter(|_| head.indices.is_empty()) else {
                return Ok(None);
            };
            let format = float_format(terms, name, args)?;
            let op = Op::Float(*operation, Parameters::of(format));
            let chainable = ["fp.eq", "fp.lt", "fp.leq", "fp.gt", "fp.geq"].contains(&name);
            if chainable { chain(terms, op, args)? } else { make(terms, op, args)? }
        }
    }))
}

fn to_fp(terms: &mut Terms, format: Format, args: &[Term]) -> Result<Term, String> {
    let last = args.last().map(|arg| terms.sort(*arg));
    match (args.len(), last) {
        (1, Some(Sort::Bits(_))) => {
            make(terms, Op::Float(Operation::FromBits, Parameters::of(format)), args)
        }
        (2, Some(Sort::Bits(width))) => {
            let parameters = Parameters::integer(format, width, OutOfRange::Undefined);
            make(terms, Op::Float(Operation::FromSigned, parameters), args)
        }
        (2, Some(Sort::Float(from))) => {
            let parameters = Parameters::between(from, format);
            make(terms, Op::Float(Operation::Convert, parameters), args)
        }
        _ => {
            Err("`to_fp` takes bits, or a rounding mode and bits, a float or a real number"
                .to_string())
        }
    }
}

/// An operation of the table under its own name: `ieee.min_num`,
/// `(_ ieee.to_signed 32 saturate)`.
fn extension(
    terms: &mut Terms,
    head: &Head,
    operation: Operation,
    args: &[Term],
) -> Result<Term, String> {
    let has = |kind| operation.parameters().contains(&kind);
    let mut indices = head.indices.as_slice();
    let mut parameters = match float_format(terms, &head.name, args) {
        Ok(format) => Parameters::of(format),
        Err(why) => {
            let (widths, rest) = indices.split_at_checked(2).ok_or(why)?;
            indices = rest;
            Parameters::of(two_widths(widths).ok_or("no such format")?)
        }
    };
    if has(ParameterKind::Target) {
        let (widths, rest) = indices.split_at_checked(2).ok_or("the widths of the target")?;
        indices = rest;
        parameters.target = two_widths(widths).ok_or("no such format")?;
    }
    if has(ParameterKind::Width) {
        let to_float = operation.result() == nanoscope_ieee::Sort::Float;
        if to_float {
            parameters.width = match args.last().map(|arg| terms.sort(*arg)) {
                Some(Sort::Bits(width)) => width,
                Some(_) | None => return Err("takes bits".to_string()),
            };
        } else {
            let (width, rest) = indices.split_first().ok_or("the width of the integer")?;
            (parameters.width, indices) = (*width, rest);
            if *width == 0 {
                return Err("an integer of no bits".to_string());
            }
        }
    }
    if let Some(word) = &head.word {
        let policy = OutOfRange::ALL.into_iter().find(|policy| policy.name() == word);
        parameters.out_of_range = policy
            .filter(|_| has(ParameterKind::OutOfRange))
            .ok_or_else(|| format!("`{word}` is no index here"))?;
    }
    if !indices.is_empty() {
        return Err(format!("too many indices of `{}`", head.name));
    }
    make(terms, Op::Float(operation, parameters), args)
}
