//! What moves bytes without computing: loads, stores, shuffles, blends, insertions, broadcasts.
//! No term is made for these but where a choice depends on an unknown.

use super::context::{Bit, Context, Unlifted, is_symbolic, moved};
use super::symbolic_state::{Byte, Parts, Place};
use iced_x86::Mnemonic::{self, *};
use iced_x86::{OpKind, Register};

/// Lifts moves and permutations.
pub(super) fn lift(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    moves(c, mnemonic).or_else(|| shuffles(c, mnemonic)).or_else(|| pieces(c, mnemonic))
}

/// What moves or widens whole lanes and leaves them where they are.
fn moves(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    Some(match mnemonic {
        Movaps | Movups | Movdqa | Movdqu | Lddqu | Movntps | Movntdq | Movntdqa | Movapd
        | Movupd | Movntpd | Vlddqu | Vmovntps | Vmovntdq | Vmovntdqa | Vmovdqa | Vmovdqu
        | Vmovaps | Vmovups | Vmovdqa32 | Vmovdqu32 => whole(c, 4),
        Vmovapd | Vmovupd | Vmovntpd | Vmovdqa64 | Vmovdqu64 => whole(c, 8),
        Vmovdqu16 => whole(c, 2),
        Vmovdqu8 => whole(c, 1),
        Movss | Vmovss => scalar(c, 4),
        Movsd | Vmovsd if is_vector_move(c) => scalar(c, 8),
        Movd | Vmovd => low(c, 4),
        Movq | Vmovq => low(c, 8),
        Movlps | Movlpd | Vmovlps | Vmovlpd => half(c, 0),
        Movhps | Movhpd | Vmovhps | Vmovhpd => half(c, 8),
        Vmaskmovps | Vpmaskmovd => masked_move(c, 4),
        Vmaskmovpd | Vpmaskmovq => masked_move(c, 8),
        Movmskps | Vmovmskps => signs(c, 4),
        Movmskpd | Vmovmskpd => signs(c, 8),
        Pmovmskb | Vpmovmskb => signs(c, 1),
        Pmovzxbw | Vpmovzxbw => extend(c, 1, 2, false),
        Pmovzxbd | Vpmovzxbd => extend(c, 1, 4, false),
        Pmovzxbq | Vpmovzxbq => extend(c, 1, 8, false),
        Pmovzxwd | Vpmovzxwd => extend(c, 2, 4, false),
        Pmovzxwq | Vpmovzxwq => extend(c, 2, 8, false),
        Pmovzxdq | Vpmovzxdq => extend(c, 4, 8, false),
        Pmovsxbw | Vpmovsxbw => extend(c, 1, 2, true),
        Pmovsxbd | Vpmovsxbd => extend(c, 1, 4, true),
        Pmovsxbq | Vpmovsxbq => extend(c, 1, 8, true),
        Pmovsxwd | Vpmovsxwd => extend(c, 2, 4, true),
        Pmovsxwq | Vpmovsxwq => extend(c, 2, 8, true),
        Pmovsxdq | Vpmovsxdq => extend(c, 4, 8, true),
        _ => return None,
    })
}

/// What arranges the lanes of one or two registers anew.
fn shuffles(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    let control = |c: &Context| usize::from(c.control());
    Some(match mnemonic {
        Movhlps | Vmovhlps => two(c, 16, |_, a, b| [&b[8..16], &a[8..16]].concat()),
        Movlhps | Vmovlhps => two(c, 16, |_, a, b| [&a[..8], &b[..8]].concat()),
        Movddup | Vmovddup => duplicate(c),
        Movshdup | Vmovshdup => one(c, 4, |_, a| pick(a, 4, |at| at | 1)),
        Movsldup | Vmovsldup => one(c, 4, |_, a| pick(a, 4, |at| at & !1)),
        Shufps | Vshufps => two(c, 4, |c, a, b| {
            let control = control(c);
            blocks(a, b, |a, b| {
                let from = |source: &[Byte], n: usize| {
                    let at = 4 * (control >> (2 * n) & 3);
                    source[at..at + 4].to_vec()
                };
                [from(a, 0), from(a, 1), from(b, 2), from(b, 3)].concat()
            })
        }),
        Shufpd | Vshufpd => two(c, 8, |c, a, b| {
            let control = control(c);
            let choose = |source: &[Byte], lane: usize| {
                let at = 16 * (lane / 2) + 8 * (control >> lane & 1);
                source[at..at + 8].to_vec()
            };
            (0..a.len() / 8).flat_map(|n| choose(if n % 2 == 0 { a } else { b }, n)).collect()
        }),
        Unpcklps | Vunpcklps | Punpckldq | Vpunpckldq => interleave(c, 4, 0),
        Unpckhps | Vunpckhps | Punpckhdq | Vpunpckhdq => interleave(c, 4, 8),
        Unpcklpd | Vunpcklpd | Punpcklqdq | Vpunpcklqdq => interleave(c, 8, 0),
        Unpckhpd | Vunpckhpd | Punpckhqdq | Vpunpckhqdq => interleave(c, 8, 8),
        Punpcklbw | Vpunpcklbw => interleave(c, 1, 0),
        Punpckhbw | Vpunpckhbw => interleave(c, 1, 8),
        Punpcklwd | Vpunpcklwd => interleave(c, 2, 0),
        Punpckhwd | Vpunpckhwd => interleave(c, 2, 8),
        Pshufd | Vpshufd => one(c, 4, |c, a| {
            let control = control(c);
            pick(a, 4, |at| at & !3 | control >> (2 * (at & 3)) & 3)
        }),
        Vpermilps if c.instruction.op_count() == 3 && is_immediate(c) => one(c, 4, |c, a| {
            let control = control(c);
            pick(a, 4, |at| at & !3 | control >> (2 * (at & 3)) & 3)
        }),
        Vpermilpd if c.instruction.op_count() == 3 && is_immediate(c) => one(c, 8, |c, a| {
            let control = control(c);
            pick(a, 8, |at| at & !1 | control >> at & 1)
        }),
        Vpermilps => by_vector(c, 4, |at, index| at & !3 | index & 3),
        Vpermilpd => by_vector(c, 8, |at, index| at & !1 | index >> 1 & 1),
        Vpermq | Vpermpd if is_immediate(c) => one(c, 8, |c, a| {
            let control = control(c);
            pick(a, 8, |at| at & !3 | control >> (2 * (at & 3)) & 3)
        }),
        Vpermps | Vpermd => across(c, 4),
        Vpermpd | Vpermq => across(c, 8),
        Vpermt2ps | Vpermt2d => from_two(c, 4, 0, 1),
        Vpermt2pd | Vpermt2q => from_two(c, 8, 0, 1),
        Vpermi2ps | Vpermi2d => from_two(c, 4, 1, 0),
        Vpermi2pd | Vpermi2q => from_two(c, 8, 1, 0),
        Pshuflw | Vpshuflw => one(c, 2, |c, a| {
            let control = control(c);
            pick(a, 2, |at| if at & 4 == 0 { at & !3 | control >> (2 * (at & 3)) & 3 } else { at })
        }),
        Pshufhw | Vpshufhw => one(c, 2, |c, a| {
            let control = control(c);
            pick(a, 2, |at| if at & 4 != 0 { at & !3 | control >> (2 * (at & 3)) & 3 } else { at })
        }),
        Pshufb | Vpshufb => shuffle_bytes(c),
        Palignr | Vpalignr => two(c, 1, |c, a, b| {
            let shift = control(c);
            blocks(a, b, |a, b| {
                let both = [b, a].concat();
                (shift..shift + 16).map(|at| both.get(at).copied().unwrap_or(ZERO)).collect()
            })
        }),
        Valignd => align(c, 4),
        Valignq => align(c, 8),
        Pslldq | Vpslldq => last_by_blocks(c, |control, at| at.checked_sub(control)),
        Psrldq | Vpsrldq => last_by_blocks(c, |control, at| Some(at + control)),
        Vperm2f128 | Vperm2i128 => two(c, 16, |c, a, b| {
            let control = control(c);
            let both = [a, b].concat();
            [control & 15, control >> 4]
                .into_iter()
                .flat_map(|field| match field & 8 {
                    0 => both[16 * (field & 3)..16 * (field & 3) + 16].to_vec(),
                    _ => vec![ZERO; 16],
                })
                .collect()
        }),
        Vshuff32x4 | Vshufi32x4 => shuffle_blocks(c, 4),
        Vshuff64x2 | Vshufi64x2 => shuffle_blocks(c, 8),
        _ => return None,
    })
}

/// What puts pieces in, takes them out, repeats them, or chooses them of two registers.
fn pieces(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    Some(match mnemonic {
        Insertps | Vinsertps => insert_single(c),
        Extractps | Vextractps | Pextrd | Vpextrd => extract(c, 4),
        Pextrq | Vpextrq => extract(c, 8),
        Pextrw | Vpextrw => extract(c, 2),
        Pextrb | Vpextrb => extract(c, 1),
        Pinsrd | Vpinsrd => insert(c, 4),
        Pinsrq | Vpinsrq => insert(c, 8),
        Pinsrw | Vpinsrw => insert(c, 2),
        Pinsrb | Vpinsrb => insert(c, 1),
        Blendps | Vblendps | Vpblendd => blend(c, 4),
        Blendpd | Vblendpd => blend(c, 8),
        Pblendw | Vpblendw => blend(c, 2),
        Blendvps | Vblendvps => blend_by_sign(c, 4),
        Blendvpd | Vblendvpd => blend_by_sign(c, 8),
        Pblendvb | Vpblendvb => blend_by_sign(c, 1),
        Vblendmps | Vpblendmd => blend_by_mask(c, 4),
        Vblendmpd | Vpblendmq => blend_by_mask(c, 8),
        Vbroadcastss | Vpbroadcastd => broadcast(c, 4, 4),
        Vbroadcastsd | Vpbroadcastq => broadcast(c, 8, 8),
        Vpbroadcastw => broadcast(c, 2, 2),
        Vpbroadcastb => broadcast(c, 1, 1),
        Vbroadcastf128 | Vbroadcasti128 | Vbroadcastf32x4 | Vbroadcasti32x4 => broadcast(c, 16, 4),
        Vbroadcastf64x2 | Vbroadcasti64x2 => broadcast(c, 16, 8),
        Vbroadcastf32x2 | Vbroadcasti32x2 => broadcast(c, 8, 4),
        Vbroadcastf64x4 | Vbroadcasti64x4 => broadcast(c, 32, 8),
        Vbroadcastf32x8 | Vbroadcasti32x8 => broadcast(c, 32, 4),
        Vinsertf128 | Vinserti128 | Vinsertf32x4 | Vinserti32x4 => insert_block(c, 16, 4),
        Vinsertf64x2 | Vinserti64x2 => insert_block(c, 16, 8),
        Vinsertf64x4 | Vinserti64x4 => insert_block(c, 32, 8),
        Vinsertf32x8 | Vinserti32x8 => insert_block(c, 32, 4),
        Vextractf128 | Vextracti128 | Vextractf32x4 | Vextracti32x4 => extract_block(c, 16, 4),
        Vextractf64x2 | Vextracti64x2 => extract_block(c, 16, 8),
        Vextractf64x4 | Vextracti64x4 => extract_block(c, 32, 8),
        Vextractf32x8 | Vextracti32x8 => extract_block(c, 32, 4),
        _ => return None,
    })
}

const ZERO: Byte = Byte { known: 0, part: None };

/// `movsd` is also a string instruction.
fn is_vector_move(c: &Context) -> bool {
    (0..c.instruction.op_count()).any(|n| {
        c.instruction.op_kind(n) == OpKind::Register
            && c.instruction.op_register(n).is_vector_register()
    })
}

fn is_immediate(c: &Context) -> bool {
    c.instruction.op_kind(c.instruction.op_count() - 1) == OpKind::Immediate8
}

/// MMX registers are not modelled.
fn has_mmx(c: &Context) -> bool {
    (0..c.instruction.op_count()).any(|n| {
        c.instruction.op_kind(n) == OpKind::Register && c.instruction.op_register(n).is_mm()
    })
}

/// Moves the bytes chosen for the destination; under a symbolic mask, by whole elements.
fn put(c: &mut Context, bytes: &[Byte], element: usize) -> Result<(), Unlifted> {
    let parts = as_elements(c, bytes, element);
    c.write_vector(0, parts, element)
}

fn as_elements(c: &mut Context, bytes: &[Byte], element: usize) -> Parts {
    if c.is_masked_symbolically() {
        c.map(bytes.len() / element, &[(bytes, element)], element, |c, _, x| c.bits(x[0]))
    } else {
        moved(bytes)
    }
}

/// A function of the last operand, as long as the destination.
fn one(
    c: &mut Context,
    element: usize,
    f: impl Fn(&Context, &[Byte]) -> Vec<Byte>,
) -> Result<(), Unlifted> {
    if has_mmx(c) {
        return Err(Unlifted::Form);
    }
    let source = c.vector(c.last(), c.size(0))?;
    let bytes = f(c, &source);
    put(c, &bytes, element)
}

/// A function of the last two operands, as long as the destination.
fn two(
    c: &mut Context,
    element: usize,
    f: impl Fn(&Context, &[Byte], &[Byte]) -> Vec<Byte>,
) -> Result<(), Unlifted> {
    if has_mmx(c) {
        return Err(Unlifted::Form);
    }
    let (last, size) = (c.last(), c.size(0));
    let (a, b) = (c.vector(last - 1, size)?, c.vector(last, size)?);
    let bytes = f(c, &a, &b);
    put(c, &bytes, element.min(8))
}

/// A function of two vectors, 16 bytes at a time.
fn blocks(a: &[Byte], b: &[Byte], f: impl Fn(&[Byte], &[Byte]) -> Vec<Byte>) -> Vec<Byte> {
    a.chunks(16).zip(b.chunks(16)).flat_map(|(a, b)| f(a, b)).collect()
}

/// Elements of a vector by their new numbers.
fn pick(a: &[Byte], element: usize, f: impl Fn(usize) -> usize) -> Vec<Byte> {
    (0..a.len() / element)
        .flat_map(|at| a[f(at) * element..(f(at) + 1) * element].iter().copied())
        .collect()
}

fn whole(c: &mut Context, element: usize) -> Result<(), Unlifted> {
    if has_mmx(c) {
        return Err(Unlifted::Form);
    }
    let size = c.size(0).min(c.size(1));
    let source = c.bytes(1, size)?;
    put(c, &source, element)
}

/// `movss` and `movsd`: a load clears what is above, a move between registers keeps it.
fn scalar(c: &mut Context, size: usize) -> Result<(), Unlifted> {
    let last = c.last();
    let source = c.bytes(last, size)?;
    let place = c.place(0)?;
    let low = as_elements(c, &source, size);
    let mut parts = c.masked(place, low, size)?;
    if c.is_memory(last) {
        parts.resize(16, None);
    } else if !c.is_memory(0) {
        parts.extend(moved(&c.bytes(last - 1, 16)?[size..]));
    }
    c.write(place, parts);
    Ok(())
}

/// `movd` and `movq`: what is above is cleared.
fn low(c: &mut Context, size: usize) -> Result<(), Unlifted> {
    if has_mmx(c) {
        return Err(Unlifted::Form);
    }
    let source = c.bytes(1, size)?;
    let place = c.place(0)?;
    let mut parts = moved(&source);
    match place {
        Place::Vector(..) => parts.resize(16, None),
        Place::General(..) => parts.resize(8, None),
        Place::Memory(_) => {}
    }
    c.write(place, parts);
    Ok(())
}

/// `movlps`, `movhps`: 8 bytes from or to memory; `at` is where in the register.
fn half(c: &mut Context, at: usize) -> Result<(), Unlifted> {
    if c.is_memory(0) {
        let source = c.bytes(1, 16)?;
        let place = c.place(0)?;
        c.write(place, moved(&source[at..at + 8]));
        return Ok(());
    }
    let last = c.last();
    let source = c.bytes(last, 8)?;
    let mut first = c.bytes(last - 1, 16)?;
    first[at..at + 8].copy_from_slice(&source);
    put(c, &first, 8)
}

fn duplicate(c: &mut Context) -> Result<(), Unlifted> {
    let size = c.size(0);
    if size == 16 {
        let source = c.bytes(1, 8)?;
        return put(c, &[&source[..], &source[..]].concat(), 8);
    }
    one(c, 8, |_, a| pick(a, 8, |at| at & !1))
}

fn interleave(c: &mut Context, element: usize, from: usize) -> Result<(), Unlifted> {
    two(c, element, |_, a, b| {
        blocks(a, b, |a, b| {
            (from..from + 8)
                .step_by(element)
                .flat_map(|at| [&a[at..at + element], &b[at..at + element]].concat())
                .collect()
        })
    })
}

/// The numbers in a vector of indices; a symbolic index is not followed.
fn indices(bytes: &[Byte], element: usize) -> Result<Vec<usize>, Unlifted> {
    if is_symbolic(bytes) {
        return Err(Unlifted::Form);
    }
    let number = |bytes: &[Byte]| {
        bytes.iter().take(4).rev().fold(0, |all, byte| all << 8 | usize::from(byte.known))
    };
    Ok(bytes.chunks(element).map(number).collect())
}

/// Elements of the first source chosen by the second.
fn by_vector(
    c: &mut Context,
    element: usize,
    f: impl Fn(usize, usize) -> usize,
) -> Result<(), Unlifted> {
    let size = c.size(0);
    let source = c.vector(1, size)?;
    let indices = indices(&c.vector(2, size)?, element)?;
    put(c, &pick(&source, element, |at| f(at, indices[at])), element)
}

/// Elements of the second source chosen by the first, from anywhere.
fn across(c: &mut Context, element: usize) -> Result<(), Unlifted> {
    let size = c.size(0);
    let indices = indices(&c.vector(1, size)?, element)?;
    let source = c.vector(2, size)?;
    let count = size / element;
    put(c, &pick(&source, element, |at| indices[at] % count), element)
}

/// Elements of operand `table` and operand 2, chosen by operand `index`.
fn from_two(c: &mut Context, element: usize, table: u32, index: u32) -> Result<(), Unlifted> {
    let size = c.size(0);
    let indices = indices(&c.bytes(index, size)?, element)?;
    let both = [c.bytes(table, size)?, c.vector(2, size)?].concat();
    let count = both.len() / element;
    let bytes: Vec<Byte> = (0..size / element)
        .flat_map(|at| {
            let from = indices[at] % count * element;
            both[from..from + element].to_vec()
        })
        .collect();
    put(c, &bytes, element)
}

fn shuffle_bytes(c: &mut Context) -> Result<(), Unlifted> {
    if has_mmx(c) {
        return Err(Unlifted::Form);
    }
    let (last, size) = (c.last(), c.size(0));
    let source = c.bytes(last - 1, size)?;
    let indices = indices(&c.bytes(last, size)?, 1)?;
    let bytes: Vec<Byte> = (0..size)
        .map(|at| match indices[at] {
            index if index & 0x80 != 0 => ZERO,
            index => source[at & !15 | index & 15],
        })
        .collect();
    put(c, &bytes, 1)
}

fn align(c: &mut Context, element: usize) -> Result<(), Unlifted> {
    two(c, element, |c, a, b| {
        let both = [b, a].concat();
        let shift = usize::from(c.control()) % (a.len() / element) * element;
        both[shift..shift + a.len()].to_vec()
    })
}

/// Bytes of each block of the last register operand by their new numbers.
fn last_by_blocks(
    c: &mut Context,
    f: impl Fn(usize, usize) -> Option<usize>,
) -> Result<(), Unlifted> {
    one(c, 1, |c, a| {
        let control = usize::from(c.control()).min(16);
        a.chunks(16)
            .flat_map(|block| {
                let from = |at| f(control, at).and_then(|at| block.get(at).copied());
                (0..16).map(move |at| from(at).unwrap_or(ZERO)).collect::<Vec<_>>()
            })
            .collect()
    })
}

fn insert_single(c: &mut Context) -> Result<(), Unlifted> {
    let last = c.last();
    let control = usize::from(c.control());
    let from = if c.is_memory(last) { 0 } else { 4 * (control >> 6) };
    let size = if c.is_memory(last) { 4 } else { 16 };
    let source = c.bytes(last, size)?;
    let mut first = c.bytes(last - 1, 16)?;
    let at = 4 * (control >> 4 & 3);
    first[at..at + 4].copy_from_slice(&source[from..from + 4]);
    for lane in 0..4 {
        if control >> lane & 1 == 1 {
            first[4 * lane..4 * lane + 4].fill(ZERO);
        }
    }
    put(c, &first, 4)
}

fn extract(c: &mut Context, size: usize) -> Result<(), Unlifted> {
    if has_mmx(c) {
        return Err(Unlifted::Form);
    }
    let source = c.bytes(1, 16)?;
    let at = usize::from(c.control()) % (16 / size) * size;
    let place = c.place(0)?;
    let mut parts = moved(&source[at..at + size]);
    if !c.is_memory(0) {
        parts.resize(8, None);
    }
    c.write(place, parts);
    Ok(())
}

fn insert(c: &mut Context, size: usize) -> Result<(), Unlifted> {
    if has_mmx(c) {
        return Err(Unlifted::Form);
    }
    let last = c.last();
    let source = c.bytes(last, size)?;
    let mut first = c.bytes(last - 1, 16)?;
    let at = usize::from(c.control()) % (16 / size) * size;
    first[at..at + size].copy_from_slice(&source);
    put(c, &first, size)
}

fn blend(c: &mut Context, element: usize) -> Result<(), Unlifted> {
    two(c, element, |c, a, b| {
        let control = c.control();
        (0..a.len())
            .map(|at| if control >> (at / element % 8) & 1 == 1 { b[at] } else { a[at] })
            .collect()
    })
}

/// One of two elements by the sign of a third.
fn blend_by_sign(c: &mut Context, element: usize) -> Result<(), Unlifted> {
    let size = c.size(0);
    // Legacy: destination, source, xmm0 implied.
    let (a, b, mask) = if c.clears_above() {
        (c.bytes(1, size)?, c.bytes(2, size)?, c.bytes(3, size)?)
    } else {
        (c.bytes(0, size)?, c.bytes(1, size)?, c.bytes_at(Place::Vector(0, 0), size)?)
    };
    let mut parts = Parts::new();
    for at in (0..size).step_by(element) {
        let range = at..at + element;
        let sign = &mask[range.clone()];
        if is_symbolic(sign) {
            let sign = c.bits(sign);
            let condition = c.bit_of(sign, 8 * element as u32 - 1);
            let (b, a) = (c.bits(&b[range.clone()]), c.bits(&a[range]));
            let chosen = c.terms.ite(condition, b, a);
            parts.extend(c.parts(chosen));
        } else {
            let chosen = if sign[element - 1].known & 0x80 != 0 { &b } else { &a };
            parts.extend(moved(&chosen[range]));
        }
    }
    c.write_vector(0, parts, element)
}

/// The second source where the mask is set, else the first, or zero.
fn blend_by_mask(c: &mut Context, element: usize) -> Result<(), Unlifted> {
    let size = c.size(0);
    let (a, b) = (c.bytes(1, size)?, c.vector(2, size)?);
    let zeroes = c.instruction.zeroing_masking();
    let mut parts = Parts::new();
    for lane in 0..size / element {
        let range = lane * element..(lane + 1) * element;
        let bit = match c.instruction.op_mask() {
            Register::None | Register::K0 => Bit::Known(true),
            register => c.mask_bit(register, lane),
        };
        match bit {
            Bit::Known(true) => parts.extend(moved(&b[range])),
            Bit::Known(false) if zeroes => parts.extend(std::iter::repeat_n(None, element)),
            Bit::Known(false) => parts.extend(moved(&a[range])),
            Bit::Term(condition) => {
                let then = c.bits(&b[range.clone()]);
                let otherwise = match zeroes {
                    true => c.terms.bits(8 * element as u32, 0),
                    false => c.bits(&a[range]),
                };
                let chosen = c.terms.ite(condition, then, otherwise);
                parts.extend(c.parts(chosen));
            }
        }
    }
    let place = c.place(0)?;
    c.write(place, parts);
    Ok(())
}

fn broadcast(c: &mut Context, size: usize, element: usize) -> Result<(), Unlifted> {
    let total = c.size(0);
    if c.instruction.op1_kind() == OpKind::Register && c.instruction.op1_register().is_k() {
        return Err(Unlifted::Form);
    }
    let source = c.bytes(1, size)?;
    let bytes: Vec<Byte> = source.iter().copied().cycle().take(total).collect();
    put(c, &bytes, element)
}

fn insert_block(c: &mut Context, size: usize, element: usize) -> Result<(), Unlifted> {
    let total = c.size(0);
    let (mut first, block) = (c.bytes(1, total)?, c.bytes(2, size)?);
    let at = usize::from(c.control()) % (total / size) * size;
    first[at..at + size].copy_from_slice(&block);
    put(c, &first, element)
}

fn extract_block(c: &mut Context, size: usize, element: usize) -> Result<(), Unlifted> {
    let total = c.size(1);
    let source = c.bytes(1, total)?;
    let at = usize::from(c.control()) % (total / size) * size;
    put(c, &source[at..at + size], element)
}

fn shuffle_blocks(c: &mut Context, element: usize) -> Result<(), Unlifted> {
    two(c, element, |c, a, b| {
        let control = usize::from(c.control());
        let count = a.len() / 16;
        let bits = count.ilog2() as usize;
        (0..count)
            .flat_map(|n| {
                let source = if n < count / 2 { a } else { b };
                let from = 16 * (control >> (bits * n) & (count - 1));
                source[from..from + 16].to_vec()
            })
            .collect()
    })
}

/// `vmaskmovps`: elements whose mask has its sign bit set are loaded or stored.
fn masked_move(c: &mut Context, element: usize) -> Result<(), Unlifted> {
    let mask = c.bytes(1, c.size(1))?;
    if is_symbolic(&mask) {
        return Err(Unlifted::Form);
    }
    let size = mask.len();
    let is_set = |at: usize| mask[at / element * element + element - 1].known & 0x80 != 0;
    let source = c.bytes(2, size)?;
    let place = c.place(0)?;
    let parts = (0..size)
        .map(|at| match is_set(at) {
            true => source[at].part,
            false if c.is_memory(0) => c.machine.part(place, at),
            false => None,
        })
        .collect();
    c.write(place, parts);
    Ok(())
}

/// The signs of elements to a general register.
fn signs(c: &mut Context, element: usize) -> Result<(), Unlifted> {
    if has_mmx(c) {
        return Err(Unlifted::Form);
    }
    let source = c.bytes(1, c.size(1))?;
    let mut bits = Vec::new();
    if element == 1 {
        // Whole terms first: a byte's sign is a bit of the element it belongs to.
        for byte in &source {
            bits.push(match byte.part {
                None => c.terms.bool(byte.known & 0x80 != 0),
                Some(part) => c.bit_of(part.term, 8 * u32::from(part.index) + 7),
            });
        }
    } else {
        for at in (0..source.len()).step_by(element) {
            let lane = c.bits(&source[at..at + element]);
            bits.push(c.bit_of(lane, 8 * element as u32 - 1));
        }
    }
    let all = c.gathered(&bits, 32);
    let register = c.instruction.op0_register().full_register();
    let mut parts = c.parts(all);
    parts.resize(8, None);
    let place = Place::General(register.number() as u8, 0);
    c.write(place, parts);
    Ok(())
}

fn extend(c: &mut Context, from: usize, to: usize, signed: bool) -> Result<(), Unlifted> {
    let lanes = c.size(0) / to;
    let source = c.bytes(1, lanes * from)?;
    let more = 8 * (to - from) as u32;
    let parts = c.map(lanes, &[(&source, from)], to, |c, _, x| {
        let bits = c.bits(x[0]);
        let op = if signed {
            nanoscope_term::BitsOp::SignExtend(more)
        } else {
            nanoscope_term::BitsOp::ZeroExtend(more)
        };
        c.terms.bits_op(op, &[bits])
    });
    c.write_vector(0, parts, to)
}
