//! Vectors in memory of which only some lanes are touched.
//!
//! A lane that is not touched goes to a place of its own instead, which holds what the
//! result has there: then every lane is a plain load or store.

use super::body::Body;
use crate::ir::{Act, Constant, Operand, Type};
use crate::llvm::Value;

impl Body<'_, '_> {
    /// Lowers a masked load, store, gather or scatter; `false` when it is none of these.
    pub fn masked(&mut self, call: Value, name: &str) -> bool {
        match name {
            "masked.load" | "masked.gather" => {
                let mask = self.operand(call.operand(2));
                let otherwise = self.operand(call.operand(3));
                self.masked_load(call, mask, otherwise)
            }
            "masked.store" | "masked.scatter" => {
                let mask = self.operand(call.operand(3));
                let value = self.operand(call.operand(0));
                self.masked_store(call.operand(1), mask, value)
            }
            "x86.avx.maskload.ps"
            | "x86.avx.maskload.pd"
            | "x86.avx.maskload.ps.256"
            | "x86.avx.maskload.pd.256"
            | "x86.avx2.maskload.d"
            | "x86.avx2.maskload.q"
            | "x86.avx2.maskload.d.256"
            | "x86.avx2.maskload.q.256" => {
                let mask = self.operand(call.operand(1));
                let ty = self.type_of(call);
                let zero = self.lowerer.intern(ty.clone(), Constant::Zero(ty));
                match self.is_negative(mask) {
                    Some(mask) => self.masked_load(call, mask, Operand::Constant(zero)),
                    None => None,
                }
            }
            "x86.avx.maskstore.ps"
            | "x86.avx.maskstore.pd"
            | "x86.avx.maskstore.ps.256"
            | "x86.avx.maskstore.pd.256"
            | "x86.avx2.maskstore.d"
            | "x86.avx2.maskstore.q"
            | "x86.avx2.maskstore.d.256"
            | "x86.avx2.maskstore.q.256" => {
                let mask = self.operand(call.operand(1));
                let value = self.operand(call.operand(2));
                match self.is_negative(mask) {
                    Some(mask) => self.masked_store(call.operand(0), mask, value),
                    None => None,
                }
            }
            _ => None,
        }
        .is_some()
    }

    fn masked_load(&mut self, call: Value, mask: Operand, otherwise: Operand) -> Option<()> {
        let ty = self.type_of(call);
        let (lane, lanes) = (ty.lane().clone(), ty.lanes()?);
        let spare = self.spare(&lane);
        let mut whole = otherwise;
        for i in 0..lanes {
            let kept = self.lane_of(otherwise, i, &lane);
            self.emit(None, Act::Store { ty: lane.clone(), address: spare, value: kept });
            let address = self.lane_address(call.operand(0), mask, i, &lane, spare);
            let part = self.step(lane.clone(), Act::Load { ty: lane.clone(), address });
            let act = Act::SetLane { operands: [whole, part, self.lowerer.integer(32, i.into())] };
            if i + 1 == lanes {
                self.give(call, act);
            } else {
                whole = self.step(ty.clone(), act);
            }
        }
        Some(())
    }

    fn masked_store(&mut self, place: Value, mask: Operand, value: Operand) -> Option<()> {
        let ty = self.operand_type(value).clone();
        let (lane, lanes) = (ty.lane().clone(), ty.lanes()?);
        let spare = self.spare(&lane);
        for i in 0..lanes {
            let part = self.lane_of(value, i, &lane);
            let address = self.lane_address(place, mask, i, &lane, spare);
            self.emit(None, Act::Store { ty: lane.clone(), address, value: part });
        }
        Some(())
    }

    fn lane_of(&mut self, vector: Operand, number: u32, lane: &Type) -> Operand {
        let number = self.lowerer.integer(32, number.into());
        self.step(lane.clone(), Act::Lane { operands: [vector, number] })
    }

    /// Where a lane lies: in the array at a pointer, or at a pointer of its own.
    fn lane_address(
        &mut self,
        place: Value,
        mask: Operand,
        number: u32,
        lane: &Type,
        spare: Operand,
    ) -> Operand {
        let place = self.operand(place);
        let address = if self.operand_type(place).lanes().is_some() {
            self.lane_of(place, number, &Type::Pointer)
        } else {
            self.further(place, (u64::from(number) * lane.stored_bytes()) as i64)
        };
        let touched = self.lane_of(mask, number, &Type::Integer(1));
        self.step(Type::Pointer, Act::Select { operands: [touched, address, spare] })
    }
}
