//! The branches that exceptional values decide: a comparison that reads one, the jumps on its flags, and
//! where they lead. Builds of the same source are held against each other by these.

use super::code::{decode, disassemble};
use crate::lift::events;
use crate::run::Modules;
use crate::trace::Trace;
use iced_x86::{FlowControl, Instruction, RflagsBits};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A comparison that read an exceptional value, and what it decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// `sger_+0x8b`.
    pub place: String,
    /// The file it is in, and the address there.
    pub location: (PathBuf, u64),
    /// The comparison, disassembled.
    pub comparison: String,
    /// The jumps that it decided, and whether they were taken.
    pub jumps: Vec<(String, bool)>,
    /// Where they lead.
    pub next: (PathBuf, u64),
}

/// More are not kept.
const MOST: usize = 32;
/// So many instructions after a comparison are looked at for its jumps.
const REACH: usize = 12;

/// The decisions of a run, in order.
pub fn decisions(trace: &Trace, modules: &Modules) -> Vec<Decision> {
    let mut all = Vec::new();
    for event in events(trace).iter().filter(|event| event.read) {
        let step = |k: usize| trace.steps.get(k).and_then(|step| decode(step.address, &step.code));
        let Some(comparison) = step(event.step).filter(sets_flags) else { continue };
        let mut jumps = Vec::new();
        let mut last = event.step;
        for k in event.step + 1..event.step + 1 + REACH {
            let (Some(instruction), Some(next)) = (step(k), trace.steps.get(k + 1)) else { break };
            if instruction.flow_control() == FlowControl::ConditionalBranch {
                let taken = next.address != instruction.next_ip();
                jumps.push((mnemonic(&instruction), taken));
                last = k;
            } else if sets_flags(&instruction) {
                break;
            }
        }
        if let Some(next) = trace.steps.get(last + 1).filter(|_| !jumps.is_empty()) {
            all.push(Decision {
                place: modules.describe(event.address),
                location: modules.locate(event.address),
                comparison: disassemble(&comparison),
                jumps,
                next: modules.locate(next.address),
            });
        }
        if all.len() == MOST {
            break;
        }
    }
    all
}

fn sets_flags(instruction: &Instruction) -> bool {
    let compared = RflagsBits::ZF | RflagsBits::PF | RflagsBits::CF;
    instruction.rflags_modified() & compared != 0
}

/// `jne`, without where to: that differs from build to build.
fn mnemonic(instruction: &Instruction) -> String {
    disassemble(instruction).split(' ').next().unwrap_or_default().to_string()
}
