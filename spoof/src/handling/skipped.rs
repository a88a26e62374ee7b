//! What a function does not read because another number is zero.

use super::numbers::number_bytes;
use crate::prototype::{Argument, Element, Place, Reader};
use crate::run::{Patch, Region, Worker};
use std::collections::BTreeMap;

/// What is put into memory is kept by pieces of this size.
const NEAR: u64 = 1 << 16;
/// And by so many of them at most.
const MOST_PIECES: usize = 200;
/// So many zeros are replaced at most.
const MOST_ZEROS: usize = 4_000;

/// The elements of arrays that are zero: functions skip the arithmetic with them, and do not read what they would be
/// multiplied with.
pub(super) fn zeros(
    arguments: &[Argument],
    elements: &BTreeMap<usize, Vec<Element>>,
    worker: &mut Worker,
) -> Vec<Patch> {
    let mut zeros = Vec::new();
    for (number, elements) in elements.iter().filter(|(_, elements)| elements.len() > 1) {
        if zeros.len() > MOST_ZEROS {
            break;
        }
        let argument = &arguments[*number];
        let length = if argument.bits == 80 { 10 } else { argument.bits / 8 };
        for element in elements.iter().filter(|e| e.input && argument.kind.is_float()) {
            let Place::Memory(place) = element.place else { continue };
            let bytes = worker.read(place, length as usize).unwrap_or_default();
            // Of either sign.
            let Some((top, rest)) = bytes.split_last() else { continue };
            if top & 0x7f == 0 && rest.iter().all(|byte| *byte == 0) {
                let mut padded = [0; 16];
                padded[..bytes.len()].copy_from_slice(&bytes);
                zeros.push(Patch { place, length, bytes: padded });
            }
        }
    }
    zeros.truncate(MOST_ZEROS);
    if around(&zeros).len() > MOST_PIECES {
        zeros.clear();
    }
    zeros
}

/// The memory around patches, which need not be writable: a region for those that are near each other.
pub(super) fn around(patches: &[Patch]) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    let mut sorted: Vec<&Patch> = patches.iter().collect();
    sorted.sort_by_key(|patch| patch.place);
    for patch in sorted {
        let (address, end) = (patch.place, patch.place + u64::from(patch.length));
        match regions.last_mut() {
            Some(last) if address - last.address < NEAR => last.length = end - last.address,
            Some(_) | None => regions.push(Region { address, length: end - address }),
        }
    }
    regions
}

/// One, in so many bytes.
pub(super) fn one(length: u32) -> [u8; 16] {
    let mut bytes = [0; 16];
    let one = number_bytes(1.0, if length == 10 { 80 } else { 8 * length });
    bytes[..one.len()].copy_from_slice(&one);
    bytes
}

/// What is read only if the zeros are other numbers is an input too, if it lies among the elements that are read
/// anyway.
pub(super) fn add_skipped(
    known: &mut BTreeMap<usize, Vec<Element>>,
    others: BTreeMap<usize, Vec<Element>>,
) {
    for (number, others) in others {
        let Some(own) = known.get_mut(&number) else { continue };
        let (Some(first), Some(last)) =
            (own.iter().map(|e| e.place).min(), own.iter().map(|e| e.place).max())
        else {
            continue;
        };
        let fresh = others.into_iter().filter(|other| {
            let among = (first..=last).contains(&other.place);
            let is_new = !own.iter().any(|known| known.place == other.place);
            among && is_new && other.input && !other.output
        });
        let fresh: Vec<Element> = fresh.collect();
        own.extend(fresh);
        own.sort_by_key(|element| element.place);
    }
}
