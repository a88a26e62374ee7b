//! Mask registers of AVX-512: a truth value a bit.

use super::context::{Bit, Context, Unlifted};
use super::symbolic_state::{Effect, Place, Status};
use iced_x86::Mnemonic::{self, *};
use iced_x86::OpKind;
use nanoscope_term::Term;

/// Lifts instructions on mask registers.
pub(super) fn lift(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    let width = match mnemonic {
        Kmovb | Kandb | Korb | Kxorb | Kandnb | Kxnorb | Knotb | Kortestb | Ktestb | Kshiftlb
        | Kshiftrb => 8,
        Kmovw | Kandw | Korw | Kxorw | Kandnw | Kxnorw | Knotw | Kortestw | Ktestw | Kshiftlw
        | Kshiftrw | Kunpckbw => 16,
        Kmovd | Kandd | Kord | Kxord | Kandnd | Kxnord | Knotd | Kortestd | Ktestd | Kshiftld
        | Kshiftrd | Kunpckwd => 32,
        Kmovq | Kandq | Korq | Kxorq | Kandnq | Kxnorq | Knotq | Kortestq | Ktestq | Kshiftlq
        | Kshiftrq | Kunpckdq => 64,
        _ => return None,
    };
    Some(lift_wide(c, mnemonic, width))
}

fn lift_wide(c: &mut Context, mnemonic: Mnemonic, width: usize) -> Result<(), Unlifted> {
    let name = format!("{mnemonic:?}");
    let last = c.instruction.op_count() - 1;
    if name.starts_with("Kmov") {
        return moved(c, width);
    }
    if name.starts_with("Kshift") {
        let by = usize::from(c.control());
        let source = bits(c, 1, width);
        let clear = c.terms.bool(false);
        let shifted = (0..width).map(|at| {
            let from = if name.starts_with("Kshiftl") { at.checked_sub(by) } else { Some(at + by) };
            from.and_then(|from| source.get(from).copied()).unwrap_or(clear)
        });
        let result = shifted.collect();
        return write(c, result);
    }
    if name.starts_with("Kunpck") {
        let mut low = bits(c, 2, width / 2);
        low.extend(bits(c, 1, width / 2));
        return write(c, low);
    }
    let b = bits(c, last, width);
    if name.starts_with("Knot") {
        let result = b.iter().map(|bit| c.terms.not(*bit)).collect();
        return write(c, result);
    }
    let a = bits(c, last - 1, width);
    let pairs: Vec<(Term, Term)> = a.into_iter().zip(b).collect();
    if name.starts_with("Kortest") {
        let all: Vec<Term> = pairs.iter().map(|(a, b)| c.terms.or(&[*a, *b])).collect();
        let any = c.terms.or(&all);
        let none = c.terms.not(any);
        let every = c.terms.and(&all);
        return tested(c, none, every);
    }
    if name.starts_with("Ktest") {
        let both: Vec<Term> = pairs.iter().map(|(a, b)| c.terms.and(&[*a, *b])).collect();
        let second: Vec<Term> = pairs
            .iter()
            .map(|(a, b)| {
                let not_a = c.terms.not(*a);
                c.terms.and(&[not_a, *b])
            })
            .collect();
        let (both, second) = (c.terms.or(&both), c.terms.or(&second));
        let (zero, carry) = (c.terms.not(both), c.terms.not(second));
        return tested(c, zero, carry);
    }
    let result = pairs
        .into_iter()
        .map(|(a, b)| {
            if name.starts_with("Kandn") {
                let not_a = c.terms.not(a);
                c.terms.and(&[not_a, b])
            } else if name.starts_with("Kand") {
                c.terms.and(&[a, b])
            } else if name.starts_with("Kor") {
                c.terms.or(&[a, b])
            } else if name.starts_with("Kxor") {
                c.terms.xor(a, b)
            } else {
                c.terms.equal(a, b)
            }
        })
        .collect();
    write(c, result)
}

fn bits(c: &mut Context, n: u32, width: usize) -> Vec<Term> {
    let register = c.instruction.op_register(n);
    (0..width)
        .map(|bit| match c.mask_bit(register, bit) {
            Bit::Known(value) => c.terms.bool(value),
            Bit::Term(term) => term,
        })
        .collect()
}

fn write(c: &mut Context, bits: Vec<Term>) -> Result<(), Unlifted> {
    let bits = bits.into_iter().map(|bit| Some(bit).filter(|bit| c.terms.value(*bit).is_none()));
    let bits = bits.collect();
    c.effects.push(Effect::Mask(c.instruction.op0_register().number() as u8, bits));
    Ok(())
}

fn tested(c: &mut Context, zero: Term, carry: Term) -> Result<(), Unlifted> {
    let clear = c.terms.bool(false);
    c.set_status(Status::Zero, zero);
    c.set_status(Status::Carry, carry);
    for status in [Status::Overflow, Status::Sign, Status::Adjust, Status::Parity] {
        c.set_status(status, clear);
    }
    Ok(())
}

fn is_mask(c: &Context, n: u32) -> bool {
    c.instruction.op_kind(n) == OpKind::Register && c.instruction.op_register(n).is_k()
}

fn moved(c: &mut Context, width: usize) -> Result<(), Unlifted> {
    match (is_mask(c, 0), is_mask(c, 1)) {
        (true, true) => {
            let source = bits(c, 1, width);
            write(c, source)
        }
        (true, false) => {
            let source = c.bytes(1, width / 8)?;
            let source = c.bits(&source);
            let bits = (0..width as u32).map(|bit| c.bit_of(source, bit)).collect();
            write(c, bits)
        }
        _ => {
            let source = bits(c, 1, width);
            let wide = if c.is_memory(0) { width as u32 } else { 64 };
            let all = c.gathered(&source, wide);
            let place = c.place(0)?;
            let place = match place {
                Place::General(register, _) => Place::General(register, 0),
                other => other,
            };
            let parts = c.parts(all);
            c.effects.push(Effect::Bytes(place, parts));
            Ok(())
        }
    }
}
