//! Which memory an instruction reads and writes: lanes that a mask leaves out are not touched, and a gather has an
//! address for each lane.

use crate::trace::State;
use iced_x86::{Instruction, Mnemonic, OpAccess, Register, UsedMemory};

/// The bytes of memory that an access touches: those of lanes that a mask leaves out are not read or written.
pub(super) fn touched(
    instruction: &Instruction,
    memory: &UsedMemory,
    before: &State,
) -> Vec<(u64, u64)> {
    let size = memory.memory_size();
    let whole = || address(memory, before).map(|at| (at, size.size() as u64)).into_iter().collect();
    let element = size.element_size() as u64;
    let lanes = (size.size() as u64).checked_div(element).unwrap_or(0);
    let last = instruction.op_count().saturating_sub(1);
    let vector_mask = |operand: u32, lane: u64| {
        let register = instruction.op_register(operand);
        let byte = (lane * element + element - 1) as usize;
        let bytes = before.vectors.get(register.number()).filter(|_| register.is_vector_register());
        bytes.and_then(|bytes| bytes.get(byte)).is_some_and(|byte| byte & 0x80 != 0)
    };
    let opmask = instruction.op_mask();
    let enabled = |lane: u64| match instruction.mnemonic() {
        Mnemonic::Vmaskmovps
        | Mnemonic::Vmaskmovpd
        | Mnemonic::Vpmaskmovd
        | Mnemonic::Vpmaskmovq => vector_mask(1, lane),
        _ if opmask != Register::None => before.masks[opmask.number()] >> lane & 1 == 1,
        // The gathers of AVX2.
        _ if instruction.is_vsib() => vector_mask(last, lane),
        _ => true,
    };
    if instruction.is_vsib() {
        let lanes = gathered_lanes(instruction, element);
        let lane_address = |lane: u64| address_of_lane(memory, before, lane as usize);
        let used = (0..lanes).filter(|lane| enabled(*lane));
        return used.filter_map(|lane| Some((lane_address(lane)?, element))).collect();
    }
    let masked =
        opmask != Register::None || format!("{:?}", instruction.mnemonic()).contains("maskmov");
    let packed = format!("{:?}", instruction.mnemonic());
    let packed = packed.contains("xpand") || packed.contains("ompress");
    if !masked || instruction.is_broadcast() || lanes == 0 {
        return whole();
    }
    let Some(at) = address(memory, before) else { return Vec::new() };
    if packed {
        let count = (0..lanes).filter(|lane| enabled(*lane)).count() as u64;
        return if count == 0 { Vec::new() } else { vec![(at, count * element)] };
    }
    let used = (0..lanes).filter(|lane| enabled(*lane));
    used.map(|lane| (at + lane * element, element)).collect()
}

/// How many elements a gather has: as many as there are indices, and as fit into its destination.
fn gathered_lanes(instruction: &Instruction, element: u64) -> u64 {
    let index = if instruction.is_vsib64() { 8 } else { 4 };
    let indices = instruction.memory_index().size() as u64 / index;
    indices.min(instruction.op_register(0).size() as u64 / element.max(1))
}

/// Whether an access reads, and whether it writes.
pub(super) fn accesses(access: OpAccess) -> (bool, bool) {
    match access {
        OpAccess::None | OpAccess::NoMemAccess => (false, false),
        OpAccess::Read | OpAccess::CondRead => (true, false),
        OpAccess::Write | OpAccess::CondWrite => (false, true),
        OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
    }
}

pub(super) fn address(memory: &UsedMemory, state: &State) -> Option<u64> {
    address_of_lane(memory, state, 0)
}

fn address_of_lane(memory: &UsedMemory, state: &State, lane: usize) -> Option<u64> {
    memory.virtual_address(lane, |register, index, size| {
        if register == Register::FS {
            Some(state.fs_base)
        } else if register.is_segment_register() {
            Some(0)
        } else if register.is_gpr64() {
            Some(state.general[register.number()])
        } else if register.is_vector_register() {
            let bytes = state.vectors[register.number()].get(index * size..(index + 1) * size)?;
            Some(crate::prototype::signed(bytes) as u64)
        } else {
            None
        }
    })
}
