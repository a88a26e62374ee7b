//! What LLVM's instructions do.

use super::Lowerer;
use super::body::Body;
use super::types::representable;
use crate::ir::{
    Act, Constant, FloatPredicate, IntegerConversion, IntegerOperation, IntegerPredicate, Mode,
    Operand, Promises, Type,
};
use crate::llvm::{AtomicOperation, IntPredicate, Opcode, RealPredicate, TypeKind, Value};
use nanoscope_ieee::{Format, Operation, OutOfRange, Parameters, Rounding};

/// The steps of a `getelementptr`.
pub struct Steps {
    /// Bytes further in any case.
    pub constant: i64,
    /// Indices and how many bytes one is worth.
    pub scaled: Vec<(Value, i64)>,
}

impl Lowerer<'_> {
    /// The steps of a `getelementptr`, instruction or constant.
    pub fn steps(&self, value: Value) -> Steps {
        let operands = value.operands();
        let mut ty = value.source_element_type();
        let mut steps = Steps { constant: 0, scaled: Vec::new() };
        for (number, &index) in operands[1..].iter().enumerate() {
            let step = if number == 0 {
                self.module.size_of(ty)
            } else {
                match ty.kind() {
                    TypeKind::Structure => {
                        // A vector of indices into a structure repeats one number.
                        let member = index.constant_element(0).unwrap_or(index).as_integer();
                        let member = member.unwrap_or(0) as u32;
                        let offset = self.module.offset_of(ty, member) as i64;
                        steps.constant = steps.constant.wrapping_add(offset);
                        ty = ty.members()[member as usize];
                        continue;
                    }
                    TypeKind::Array(element, _) | TypeKind::Vector(element, _) => {
                        ty = element;
                        self.module.size_of(element)
                    }
                    _ => 0,
                }
            };
            match index.as_integer() {
                Some(known) => {
                    let bytes = known.wrapping_mul(step as i64);
                    steps.constant = steps.constant.wrapping_add(bytes);
                }
                None => steps.scaled.push((index, step as i64)),
            }
        }
        steps
    }
}

impl Body<'_, '_> {
    /// Lowers an instruction that ends no block.
    pub fn instruction(&mut self, value: Value) {
        let opcode = value.opcode().expect("a block holds instructions");
        let types_fit = representable(value.ty())
            && (opcode == Opcode::LLVMCall
                || value.operands().iter().all(|operand| representable(operand.ty())));
        if !types_fit {
            return self.unknown(value);
        }
        match opcode {
            Opcode::LLVMPHI | Opcode::LLVMFence => {} // Phi nodes are moves on edges.
            Opcode::LLVMGetElementPtr if self.stands_for(value).is_some() => {}
            Opcode::LLVMCall => self.call(value),
            Opcode::LLVMStore => {
                let (stored, place) = (value.operand(0), value.operand(1));
                let ty = self.type_of(stored);
                let (address, value) = (self.operand(place), self.operand(stored));
                self.emit(None, Act::Store { ty, address, value });
            }
            Opcode::LLVMAtomicRMW => self.exchange(value),
            Opcode::LLVMAtomicCmpXchg => self.compare_exchange(value),
            _ => match self.act(value, opcode) {
                Some(act) => self.give(value, act),
                None => self.unknown(value),
            },
        }
    }

    /// Emits what has no counterpart.
    pub fn unknown(&mut self, value: Value) {
        let is_call = value.callee().is_some() || value.calls_assembly();
        let list = if is_call { value.arguments() } else { value.operands() };
        let operands: Vec<Operand> = list
            .into_iter()
            .filter(|operand| representable(operand.ty()))
            .map(|operand| self.operand(operand))
            .collect();
        let act = Act::Unknown { text: value.text(), operands: operands.into() };
        let result = (value.ty().kind() != TypeKind::Void).then(|| self.register(value));
        self.emit(result, act);
    }

    /// Computes a constant expression (or a constant made of some) by instructions.
    pub fn computed(&mut self, value: Value) -> Operand {
        let ty = self.type_of(value);
        if value.is_constant_expression() {
            let act = self
                .act(value, value.constant_opcode())
                .unwrap_or_else(|| Act::Unknown { text: value.text(), operands: Box::default() });
            return self.step(ty, act);
        }
        let count = match &ty {
            Type::Vector(_, lanes) => u64::from(*lanes),
            Type::Aggregate(aggregate) => aggregate.count(),
            Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => 0,
        };
        let start = self.lowerer.intern(ty.clone(), Constant::Poison(ty.clone()));
        let mut whole = Operand::Constant(start);
        if count == 0 {
            let act = Act::Unknown { text: value.text(), operands: Box::default() };
            return self.step(ty, act);
        }
        for i in 0..count as u32 {
            let Some(part) = value.constant_element(i) else { continue };
            let part = self.operand(part);
            let act = if matches!(ty, Type::Vector(..)) {
                Act::SetLane { operands: [whole, part, self.lowerer.integer(32, i.into())] }
            } else {
                Act::SetMember { operands: [whole, part], path: [i].into() }
            };
            whole = self.step(ty.clone(), act);
        }
        whole
    }

    /// What an instruction or constant expression with a result does.
    fn act(&mut self, value: Value, opcode: Opcode) -> Option<Act> {
        use IntegerOperation as I;
        let is_instruction = value.opcode().is_some();
        Some(match opcode {
            Opcode::LLVMAdd => self.wrapping(value, I::Add),
            Opcode::LLVMSub => self.wrapping(value, I::Sub),
            Opcode::LLVMMul => self.wrapping(value, I::Mul),
            Opcode::LLVMShl => self.wrapping(value, I::ShiftLeft),
            Opcode::LLVMUDiv => self.exact(value, I::UnsignedDiv),
            Opcode::LLVMSDiv => self.exact(value, I::SignedDiv),
            Opcode::LLVMLShr => self.exact(value, I::LogicalShiftRight),
            Opcode::LLVMAShr => self.exact(value, I::ArithmeticShiftRight),
            Opcode::LLVMURem => self.integer(value, I::UnsignedRem, Promises::default()),
            Opcode::LLVMSRem => self.integer(value, I::SignedRem, Promises::default()),
            Opcode::LLVMAnd => self.integer(value, I::And, Promises::default()),
            Opcode::LLVMOr => self.integer(value, I::Or, Promises::default()),
            Opcode::LLVMXor => self.integer(value, I::Xor, Promises::default()),
            Opcode::LLVMICmp => {
                let operands = self.two(value);
                let bits = self.operand_type(operands[0]).lane().bits()?;
                let predicate = integer_predicate(value.int_predicate());
                Act::IntegerCompare { predicate, bits, operands }
            }
            Opcode::LLVMTrunc => self.convert(value, IntegerConversion::Truncate),
            Opcode::LLVMZExt => self.convert(value, IntegerConversion::ZeroExtend),
            Opcode::LLVMSExt => self.convert(value, IntegerConversion::SignExtend),
            Opcode::LLVMPtrToInt => self.convert(value, IntegerConversion::FromPointer),
            Opcode::LLVMIntToPtr => self.convert(value, IntegerConversion::ToPointer),
            Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => {
                self.convert(value, IntegerConversion::Reinterpret)
            }
            Opcode::LLVMFAdd => self.float(value, Operation::Add, Mode::Dynamic, 2)?,
            Opcode::LLVMFSub => self.float(value, Operation::Sub, Mode::Dynamic, 2)?,
            Opcode::LLVMFMul => self.float(value, Operation::Mul, Mode::Dynamic, 2)?,
            Opcode::LLVMFDiv => self.float(value, Operation::Div, Mode::Dynamic, 2)?,
            Opcode::LLVMFRem => self.float(value, Operation::Fmod, Mode::Dynamic, 2)?,
            Opcode::LLVMFNeg => self.float(value, Operation::Neg, Mode::Dynamic, 1)?,
            Opcode::LLVMFCmp => {
                let predicate = float_predicate(value.real_predicate());
                self.compare_floats(value, predicate, false)?
            }
            Opcode::LLVMFPTrunc | Opcode::LLVMFPExt => self.float_to_float(value)?,
            Opcode::LLVMFPToSI => {
                self.float_to_integer(value, true, OutOfRange::Undefined, TOWARD_ZERO)?
            }
            Opcode::LLVMFPToUI => {
                self.float_to_integer(value, false, OutOfRange::Undefined, TOWARD_ZERO)?
            }
            Opcode::LLVMSIToFP => self.integer_to_float(value, true)?,
            Opcode::LLVMUIToFP => self.integer_to_float(value, false)?,
            Opcode::LLVMSelect => Act::Select { operands: self.three(value) },
            Opcode::LLVMFreeze => Act::Freeze { operand: self.operand(value.operand(0)) },
            Opcode::LLVMAlloca => self.allocate(value),
            Opcode::LLVMLoad => {
                Act::Load { ty: self.type_of(value), address: self.operand(value.operand(0)) }
            }
            Opcode::LLVMGetElementPtr => {
                let steps = self.lowerer.steps(value);
                let base = self.operand(value.operand(0));
                let scaled = steps.scaled.iter().map(|&(v, n)| (self.operand(v), n)).collect();
                let inbounds = value.is_inbounds();
                Act::Offset { base, constant: steps.constant, scaled, inbounds }
            }
            Opcode::LLVMExtractElement => Act::Lane { operands: self.two(value) },
            Opcode::LLVMInsertElement => Act::SetLane { operands: self.three(value) },
            Opcode::LLVMShuffleVector => {
                Act::Shuffle { operands: self.two(value), mask: value.shuffle_mask().into() }
            }
            Opcode::LLVMExtractValue => Act::Member {
                operand: self.operand(value.operand(0)),
                path: value.member_path().into(),
            },
            Opcode::LLVMInsertValue => {
                Act::SetMember { operands: self.two(value), path: value.member_path().into() }
            }
            Opcode::LLVMVAArg if is_instruction => Act::Special {
                special: crate::ir::Special::ArgumentsNext,
                operands: [self.operand(value.operand(0))].into(),
            },
            // Exceptions, tokens, and what the caller has dealt with.
            _ => return None,
        })
    }

    fn two(&mut self, value: Value) -> [Operand; 2] {
        [0, 1].map(|i| self.operand(value.operand(i)))
    }

    fn three(&mut self, value: Value) -> [Operand; 3] {
        [0, 1, 2].map(|i| self.operand(value.operand(i)))
    }

    /// An operation on two integers.
    pub fn integer(
        &mut self,
        value: Value,
        operation: IntegerOperation,
        promises: Promises,
    ) -> Act {
        let operands = self.two(value);
        let bits = self.operand_type(operands[0]).lane().bits().unwrap_or(0);
        Act::Integer { operation, bits, operands, promises }
    }

    fn wrapping(&mut self, value: Value, operation: IntegerOperation) -> Act {
        let (no_unsigned_wrap, no_signed_wrap) =
            if value.opcode().is_some() { value.no_wrap() } else { (false, false) };
        let promises = Promises { no_unsigned_wrap, no_signed_wrap, exact: false };
        self.integer(value, operation, promises)
    }

    fn exact(&mut self, value: Value, operation: IntegerOperation) -> Act {
        let exact = value.opcode().is_some() && value.is_exact();
        self.integer(value, operation, Promises { exact, ..Promises::default() })
    }

    fn convert(&mut self, value: Value, conversion: IntegerConversion) -> Act {
        let operand = self.operand(value.operand(0));
        let from = self.operand_type(operand).clone();
        Act::Convert { conversion, operand, from, to: self.type_of(value) }
    }

    fn allocate(&mut self, value: Value) -> Act {
        let ty = value.value_type();
        let alignment = match value.alignment() {
            0 => self.lowerer.module.align_of(ty),
            given => given,
        };
        Act::Allocate {
            size: self.lowerer.module.size_of(ty),
            count: self.operand(value.operand(0)),
            alignment,
            name: value.stack_name().unwrap_or_else(|| value.name()),
        }
    }

    /// An atomic exchange, which nothing interrupts here: a load, an operation, a store.
    fn exchange(&mut self, value: Value) {
        use AtomicOperation as A;
        use IntegerOperation as I;
        let ty = self.type_of(value);
        let address = self.operand(value.operand(0));
        let given = self.operand(value.operand(1));
        let found = Operand::Register(self.register(value));
        self.give(value, Act::Load { ty: ty.clone(), address });
        let bits = ty.lane().bits().unwrap_or(0);
        let promises = Promises::default();
        let integer = |operation| {
            let operands = [found, given];
            Some(Act::Integer { operation, bits, operands, promises })
        };
        let float = |operation| match ty.lane() {
            Type::Float(format) => Some(Act::Float {
                operation,
                parameters: Parameters::of(*format),
                mode: Mode::Dynamic,
                operands: [found, given].into(),
                relaxed: false,
            }),
            _ => None,
        };
        let act = match value.atomic_operation() {
            A::LLVMAtomicRMWBinOpXchg => None,
            A::LLVMAtomicRMWBinOpAdd => integer(I::Add),
            A::LLVMAtomicRMWBinOpSub => integer(I::Sub),
            A::LLVMAtomicRMWBinOpAnd => integer(I::And),
            A::LLVMAtomicRMWBinOpNand => integer(I::And),
            A::LLVMAtomicRMWBinOpOr => integer(I::Or),
            A::LLVMAtomicRMWBinOpXor => integer(I::Xor),
            A::LLVMAtomicRMWBinOpMax => integer(I::SignedMax),
            A::LLVMAtomicRMWBinOpMin => integer(I::SignedMin),
            A::LLVMAtomicRMWBinOpUMax => integer(I::UnsignedMax),
            A::LLVMAtomicRMWBinOpUMin => integer(I::UnsignedMin),
            A::LLVMAtomicRMWBinOpFAdd => float(Operation::Add),
            A::LLVMAtomicRMWBinOpFSub => float(Operation::Sub),
            A::LLVMAtomicRMWBinOpFMax => float(Operation::MaxNum),
            A::LLVMAtomicRMWBinOpFMin => float(Operation::MinNum),
            A::LLVMAtomicRMWBinOpUIncWrap | A::LLVMAtomicRMWBinOpUDecWrap => {
                Some(Act::Unknown { text: value.text(), operands: [found, given].into() })
            }
        };
        let mut new = match act {
            Some(act) => self.step(ty.clone(), act),
            None => given,
        };
        if value.atomic_operation() == A::LLVMAtomicRMWBinOpNand {
            let operands = [new, self.lowerer.integer(bits, -1)];
            new =
                self.step(ty.clone(), Act::Integer { operation: I::Xor, bits, operands, promises });
        }
        self.emit(None, Act::Store { ty, address, value: new });
    }

    /// An atomic compare and exchange, which nothing interrupts here.
    fn compare_exchange(&mut self, value: Value) {
        let address = self.operand(value.operand(0));
        let expected = self.operand(value.operand(1));
        let new = self.operand(value.operand(2));
        let ty = self.type_of(value.operand(1));
        let bits = ty.bits().unwrap_or(0);
        let found = self.step(ty.clone(), Act::Load { ty: ty.clone(), address });
        let predicate = IntegerPredicate::Equal;
        let same = Act::IntegerCompare { predicate, bits, operands: [found, expected] };
        let same = self.step(Type::Integer(1), same);
        let stored = self.step(ty.clone(), Act::Select { operands: [same, new, found] });
        self.emit(None, Act::Store { ty, address, value: stored });
        let pair = self.type_of(value);
        let empty = self.lowerer.intern(pair.clone(), Constant::Poison(pair.clone()));
        let half = Act::SetMember { operands: [Operand::Constant(empty), found], path: [0].into() };
        let half = self.step(pair, half);
        self.give(value, Act::SetMember { operands: [half, same], path: [1].into() });
    }
}

/// C's way of converting floats to integers.
pub const TOWARD_ZERO: Mode = Mode::Fixed(Rounding::TowardZero);

/// The format of a float or of a vector of floats.
pub fn format_of(ty: &Type) -> Option<Format> {
    match ty.lane() {
        Type::Float(format) => Some(*format),
        Type::Void | Type::Integer(_) | Type::Pointer | Type::Vector(..) | Type::Aggregate(_) => {
            None
        }
    }
}

fn integer_predicate(predicate: IntPredicate) -> IntegerPredicate {
    use IntPredicate::*;
    use IntegerPredicate as P;
    match predicate {
        LLVMIntEQ => P::Equal,
        LLVMIntNE => P::NotEqual,
        LLVMIntUGT => P::UnsignedGreater,
        LLVMIntUGE => P::UnsignedGreaterEqual,
        LLVMIntULT => P::UnsignedLess,
        LLVMIntULE => P::UnsignedLessEqual,
        LLVMIntSGT => P::SignedGreater,
        LLVMIntSGE => P::SignedGreaterEqual,
        LLVMIntSLT => P::SignedLess,
        LLVMIntSLE => P::SignedLessEqual,
    }
}

fn float_predicate(predicate: RealPredicate) -> FloatPredicate {
    use FloatPredicate as P;
    use RealPredicate::*;
    match predicate {
        LLVMRealPredicateFalse => P::False,
        LLVMRealOEQ => P::OrderedEqual,
        LLVMRealOGT => P::OrderedGreater,
        LLVMRealOGE => P::OrderedGreaterEqual,
        LLVMRealOLT => P::OrderedLess,
        LLVMRealOLE => P::OrderedLessEqual,
        LLVMRealONE => P::OrderedNotEqual,
        LLVMRealORD => P::Ordered,
        LLVMRealUNO => P::Unordered,
        LLVMRealUEQ => P::UnorderedEqual,
        LLVMRealUGT => P::UnorderedGreater,
        LLVMRealUGE => P::UnorderedGreaterEqual,
        LLVMRealULT => P::UnorderedLess,
        LLVMRealULE => P::UnorderedLessEqual,
        LLVMRealUNE => P::UnorderedNotEqual,
        LLVMRealPredicateTrue => P::True,
    }
}
