//! LLVM's constants as ours.

use super::Lowerer;
use crate::ir::{Constant, ConstantId, Operand, Place, Type};
use crate::llvm::{self, Opcode, TypeKind, Value, ValueKind};
use nanoscope_ieee::{Format, Word};

impl Lowerer<'_> {
    /// The constant that an LLVM constant is; `None` when it must be computed by
    /// instructions, as the distance between two objects.
    pub fn known(&mut self, value: Value) -> Option<Operand> {
        if let Some(known) = self.constants.get(&value) {
            return known.map(Operand::Constant);
        }
        let ty = self.ty(value.ty());
        let id = self.constant(value).map(|constant| self.intern(ty, constant));
        self.constants.insert(value, id);
        id.map(Operand::Constant)
    }

    /// The position of a constant in the table.
    pub fn intern(&mut self, ty: Type, constant: Constant) -> ConstantId {
        let next = ConstantId(self.code.constants.len() as u32);
        let entry = (ty, constant);
        if let Some(&known) = self.interned.get(&entry) {
            return known;
        }
        self.code.constants.push(entry.clone());
        self.interned.insert(entry, next);
        next
    }

    /// An integer constant.
    pub fn integer(&mut self, bits: u32, value: i128) -> Operand {
        let constant = Constant::Integer(Word::new(bits, value as u128));
        Operand::Constant(self.intern(Type::Integer(bits), constant))
    }

    /// What an LLVM constant is.
    pub fn constant(&mut self, value: Value) -> Option<Constant> {
        let ty = value.ty();
        Some(match value.kind() {
            ValueKind::LLVMConstantIntValueKind => {
                let TypeKind::Integer(bits) = ty.kind() else { return None };
                Constant::Integer(word(bits, &value.constant_words()?))
            }
            ValueKind::LLVMConstantFPValueKind => {
                let TypeKind::Float(format) = ty.kind() else { return None };
                Constant::Float(format, word(format.width(), &value.constant_words()?))
            }
            ValueKind::LLVMConstantPointerNullValueKind
            | ValueKind::LLVMConstantAggregateZeroValueKind => Constant::Zero(self.ty(ty)),
            ValueKind::LLVMUndefValueValueKind => Constant::Undefined(self.ty(ty)),
            ValueKind::LLVMPoisonValueKind => Constant::Poison(self.ty(ty)),
            ValueKind::LLVMConstantDataArrayValueKind
            | ValueKind::LLVMConstantDataVectorValueKind => {
                self.data(ty, value.constant_data()?)?
            }
            ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantStructValueKind
            | ValueKind::LLVMConstantVectorValueKind => {
                let count = match ty.kind() {
                    TypeKind::Array(_, length) => length,
                    TypeKind::Vector(_, lanes) => u64::from(lanes),
                    _ => ty.members().len() as u64,
                };
                let parts: Option<Vec<Constant>> =
                    (0..count as u32).map(|i| self.constant(value.constant_element(i)?)).collect();
                Constant::Parts(self.ty(ty), parts?.into())
            }
            ValueKind::LLVMGlobalVariableValueKind => {
                Constant::Address { of: Place::Global(*self.globals.get(&value)?), offset: 0 }
            }
            ValueKind::LLVMFunctionValueKind | ValueKind::LLVMGlobalIFuncValueKind => {
                Constant::Address { of: Place::Function(*self.functions.get(&value)?), offset: 0 }
            }
            ValueKind::LLVMGlobalAliasValueKind => self.constant(value.aliasee())?,
            ValueKind::LLVMBlockAddressValueKind => {
                let (function, block) = value.block_address();
                let number = function.blocks().iter().position(|b| *b == block)?;
                let of = Place::Function(*self.functions.get(&function)?);
                Constant::Address { of, offset: number as i64 + 1 }
            }
            ValueKind::LLVMConstantExprValueKind => self.expression(value)?,
            _ => return None,
        })
    }

    /// A constant array or vector of plain numbers.
    fn data(&mut self, ty: llvm::Type, bytes: Vec<u8>) -> Option<Constant> {
        let (element, is_array) = match ty.kind() {
            TypeKind::Array(element, _) => (element, true),
            TypeKind::Vector(element, _) => (element, false),
            _ => return None,
        };
        if is_array && element.kind() == TypeKind::Integer(8) {
            return Some(Constant::Bytes(bytes.into()));
        }
        let size = element.byte_size() as usize;
        let number = |chunk: &[u8]| {
            chunk.iter().rev().fold(0u128, |number, &byte| number << 8 | u128::from(byte))
        };
        let numbers = bytes.chunks(size).map(number);
        let parts: Vec<Constant> = match element.kind() {
            TypeKind::Integer(bits) => {
                numbers.map(|n| Constant::Integer(Word::new(bits, n))).collect()
            }
            TypeKind::Float(format) => {
                numbers.map(|n| Constant::Float(format, Word::new(format.width(), n))).collect()
            }
            _ => return None,
        };
        Some(Constant::Parts(self.ty(ty), parts.into()))
    }

    /// A constant expression that is an address or a number.
    fn expression(&mut self, value: Value) -> Option<Constant> {
        let ty = self.ty(value.ty());
        match value.constant_opcode() {
            Opcode::LLVMGetElementPtr => {
                let (of, start) = address(&self.constant(value.operand(0))?)?;
                let steps = self.steps(value);
                if !steps.scaled.is_empty() || ty != Type::Pointer {
                    return None;
                }
                Some(Constant::Address { of, offset: start.wrapping_add(steps.constant) })
            }
            Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr | Opcode::LLVMBitCast => {
                let from = self.constant(value.operand(0))?;
                let from_ty = self.ty(value.operand(0).ty());
                match (from, ty) {
                    (from, ty) if from_ty == ty => Some(from),
                    (Constant::Zero(_), Type::Integer(bits)) => {
                        Some(Constant::Integer(Word::zero(bits)))
                    }
                    (Constant::Integer(word), Type::Pointer) => {
                        let offset = word.to_u128()? as i64;
                        Some(Constant::Address { of: Place::Nowhere, offset })
                    }
                    (Constant::Address { of: Place::Nowhere, offset }, Type::Integer(bits)) => {
                        Some(Constant::Integer(Word::new(bits, offset as u64 as u128)))
                    }
                    (from @ Constant::Address { .. }, Type::Integer(64) | Type::Pointer) => {
                        Some(from)
                    }
                    _ => None,
                }
            }
            Opcode::LLVMAdd | Opcode::LLVMSub => {
                let negative = value.constant_opcode() == Opcode::LLVMSub;
                let a = self.constant(value.operand(0))?;
                let b = self.constant(value.operand(1))?;
                match (address(&a)?, address(&b)?) {
                    ((of, a), (Place::Nowhere, b)) => {
                        let b = if negative { b.wrapping_neg() } else { b };
                        Some(Constant::Address { of, offset: a.wrapping_add(b) })
                    }
                    ((Place::Nowhere, a), (of, b)) if !negative => {
                        Some(Constant::Address { of, offset: a.wrapping_add(b) })
                    }
                    ((a_of, a), (b_of, b)) if negative && a_of == b_of => {
                        Some(Constant::Integer(Word::new(64, a.wrapping_sub(b) as u64 as u128)))
                    }
                    _ => None,
                }
            }
            Opcode::LLVMTrunc => {
                let (Constant::Integer(word), Type::Integer(bits)) =
                    (self.constant(value.operand(0))?, ty)
                else {
                    return None;
                };
                Some(Constant::Integer(Word::new(bits, word.to_u128()?)))
            }
            _ => None,
        }
    }

    /// The encoding of one in a format.
    pub fn one(&mut self, format: Format) -> Operand {
        let one = nanoscope_ieee::Float::one(format, false);
        let constant = Constant::Float(format, one.word().clone());
        Operand::Constant(self.intern(Type::Float(format), constant))
    }
}

/// A constant as an address, or a number of 64 bits as one nowhere.
fn address(constant: &Constant) -> Option<(Place, i64)> {
    match constant {
        Constant::Address { of, offset } => Some((*of, *offset)),
        Constant::Zero(Type::Pointer) => Some((Place::Nowhere, 0)),
        Constant::Integer(word) if word.width() == 64 => {
            Some((Place::Nowhere, word.to_u128()? as i64))
        }
        _ => None,
    }
}

/// A word from its 64-bit limbs, least significant first.
fn word(width: u32, limbs: &[u64]) -> Word {
    if let [low] = limbs {
        return Word::new(width, u128::from(*low));
    }
    if let [low, high] = limbs {
        return Word::new(width, u128::from(*high) << 64 | u128::from(*low));
    }
    let bit = |i: u32| limbs[(i / 64) as usize] >> (i % 64) & 1 == 1;
    Word::from_bits(&(0..width).map(bit).collect::<Vec<bool>>())
}
