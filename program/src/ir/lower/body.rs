//! The body of a function: registers, blocks and the edges between them.

use super::unwind::LEAVES;
use super::{Lowerer, SITE};
use crate::SiteId;
use crate::ir::{
    Act, Block, BlockId, ConstantId, Edge, End, Instruction, LocationId, Operand, Register, Type,
};
use crate::llvm::{self, Opcode, Value, ValueKind};
use std::collections::{HashMap, HashSet};

/// A function's body in the making.
pub struct Body<'l, 'm> {
    pub lowerer: &'l mut Lowerer<'m>,
    registers: Vec<Type>,
    values: HashMap<Value, Register>,
    blocks: HashMap<llvm::Block, BlockId>,
    /// The phi nodes of blocks that edges have been made to.
    phis: HashMap<llvm::Block, Vec<Phi>>,
    /// What the current block does so far.
    instructions: Vec<Instruction>,
    /// What the function does before anything else.
    prologue: Vec<Instruction>,
    /// Where the current LLVM instruction stands.
    location: LocationId,
    /// The site that the current LLVM instruction is.
    site: Option<SiteId>,
}

impl<'l, 'm> Body<'l, 'm> {
    /// An empty body.
    pub fn new(lowerer: &'l mut Lowerer<'m>) -> Body<'l, 'm> {
        Body {
            lowerer,
            registers: Vec::new(),
            values: HashMap::new(),
            blocks: HashMap::new(),
            phis: HashMap::new(),
            instructions: Vec::new(),
            prologue: Vec::new(),
            location: LocationId(0),
            site: None,
        }
    }

    /// Lowers a function: its registers and blocks, and the one from which exceptions leave it.
    pub fn function(mut self, function: Value) -> (Vec<Type>, Vec<Block>, Option<BlockId>) {
        for parameter in function.parameters() {
            self.register(parameter);
        }
        let reachable = reachable(function);
        let order: Vec<llvm::Block> =
            function.blocks().into_iter().filter(|block| reachable.contains(block)).collect();
        for (number, block) in order.iter().enumerate() {
            self.blocks.insert(*block, BlockId(number as u32));
        }
        let mut leave = None;
        let mut blocks = Vec::with_capacity(order.len());
        for block in order {
            let mut end = End::Unreachable;
            for instruction in block.instructions() {
                self.location = self.lowerer.place(instruction);
                self.site = instruction.attached(self.lowerer.module, SITE).map(SiteId);
                if instruction.is_terminator() {
                    end = self.end(block, instruction);
                    if instruction.attached(self.lowerer.module, LEAVES).is_some() {
                        leave = Some(self.blocks[&block]);
                    }
                } else {
                    self.instruction(instruction);
                }
            }
            blocks.push(Block {
                instructions: std::mem::take(&mut self.instructions),
                end,
                end_location: self.location,
            });
        }
        if let Some(entry) = blocks.first_mut() {
            entry.instructions.splice(0..0, self.prologue);
        }
        (self.registers, blocks, leave)
    }

    /// What was emitted, without blocks.
    pub fn finish(self) -> (Vec<Type>, Vec<Instruction>) {
        (self.registers, self.instructions)
    }

    /// The register that holds a parameter or an instruction's result.
    pub fn register(&mut self, value: Value) -> Register {
        if let Some(&known) = self.values.get(&value) {
            return known;
        }
        let ty = self.lowerer.ty(value.ty());
        let register = self.new_register(ty);
        self.values.insert(value, register);
        register
    }

    fn new_register(&mut self, ty: Type) -> Register {
        let register = Register(self.registers.len() as u32);
        self.registers.push(ty);
        register
    }

    /// The type of an LLVM value.
    pub fn type_of(&mut self, value: Value) -> Type {
        self.lowerer.ty(value.ty())
    }

    /// The type of an operand.
    pub fn operand_type(&self, operand: Operand) -> &Type {
        match operand {
            Operand::Register(register) => &self.registers[register.0 as usize],
            Operand::Constant(id) => &self.lowerer.code.constants[id.0 as usize].0,
        }
    }

    /// An LLVM value as an operand; constants that must be computed are computed here.
    pub fn operand(&mut self, value: Value) -> Operand {
        match value.kind() {
            ValueKind::LLVMArgumentValueKind => Operand::Register(self.register(value)),
            ValueKind::LLVMInstructionValueKind => match self.stands_for(value) {
                Some(operand) => operand,
                None => Operand::Register(self.register(value)),
            },
            _ => match self.lowerer.known(value) {
                Some(operand) => operand,
                None => self.computed(value),
            },
        }
    }

    /// Emits an instruction that gives an LLVM instruction its result.
    pub fn give(&mut self, value: Value, act: Act) {
        let result = self.register(value);
        self.emit(Some(result), act);
    }

    /// Emits an instruction.
    pub fn emit(&mut self, result: Option<Register>, act: Act) {
        let (location, site) = (self.location, self.site);
        self.instructions.push(Instruction { result, act, location, site });
    }

    /// Emits a step on the way to an LLVM instruction's result.
    pub fn step(&mut self, ty: Type, act: Act) -> Operand {
        let result = self.new_register(ty);
        let location = self.location;
        self.instructions.push(Instruction { result: Some(result), act, location, site: None });
        Operand::Register(result)
    }

    /// An address so many bytes further.
    pub fn further(&mut self, base: Operand, constant: i64) -> Operand {
        if constant == 0 {
            return base;
        }
        let act = Act::Offset { base, constant, scaled: Box::default(), inbounds: false };
        self.step(Type::Pointer, act)
    }

    /// A place on the stack for a value that nobody else looks at.
    pub fn spare(&mut self, ty: &Type) -> Operand {
        let count = self.lowerer.integer(64, 1);
        let (size, alignment) = (ty.stored_bytes(), 16);
        let act = Act::Allocate { size, count, alignment, name: String::new() };
        let result = self.new_register(Type::Pointer);
        let location = LocationId(0);
        self.prologue.push(Instruction { result: Some(result), act, location, site: None });
        Operand::Register(result)
    }

    /// How a block ends.
    fn end(&mut self, from: llvm::Block, terminator: Value) -> End {
        let opcode = terminator.opcode().expect("a terminator is an instruction");
        match opcode {
            Opcode::LLVMRet => {
                let value = terminator.operands().first().copied();
                End::Return(value.map(|value| self.operand(value)))
            }
            Opcode::LLVMBr => {
                let to = terminator.successors();
                match terminator.condition() {
                    None => End::Jump(self.edge(from, to[0])),
                    Some(condition) => End::Branch {
                        condition: self.operand(condition),
                        then: self.edge(from, to[0]),
                        otherwise: self.edge(from, to[1]),
                    },
                }
            }
            Opcode::LLVMSwitch => {
                let to = terminator.successors();
                let on = self.operand(terminator.operand(0));
                // Operands: value, default, then a constant and a block each.
                let cases = (1..to.len())
                    .map(|i| {
                        let case = terminator.operand(2 * i as u32);
                        (self.case(case), self.edge(from, to[i]))
                    })
                    .collect();
                End::Switch { on, cases, default: self.edge(from, to[0]) }
            }
            Opcode::LLVMIndirectBr => {
                let address = self.operand(terminator.operand(0));
                let mut seen = HashSet::new();
                let mut to = terminator.successors();
                to.retain(|block| seen.insert(*block));
                let edges = to
                    .into_iter()
                    .map(|block| (self.case(block.address()), self.edge(from, block)))
                    .collect();
                End::Computed { to: address, edges }
            }
            Opcode::LLVMInvoke => {
                // Nothing is ever thrown here: control goes the normal way.
                self.call(terminator);
                End::Jump(self.edge(from, terminator.normal_destination()))
            }
            Opcode::LLVMUnreachable => End::Unreachable,
            _ => End::Unknown(terminator.text()),
        }
    }

    /// A constant that a way is chosen by.
    fn case(&mut self, value: Value) -> ConstantId {
        match self.lowerer.known(value) {
            Some(Operand::Constant(id)) => id,
            Some(Operand::Register(_)) | None => {
                unreachable!("cases are integers and block addresses")
            }
        }
    }

    /// The edge between two blocks: what phi nodes say is moved on the way.
    fn edge(&mut self, from: llvm::Block, to: llvm::Block) -> Edge {
        let phis = self.phis.remove(&to).unwrap_or_else(|| phis(to));
        let mut moves = Vec::new();
        for phi in &phis {
            let Some(&value) = phi.incoming.get(&from) else { continue };
            let operand = self.operand(value);
            let register = self.register(phi.value);
            if operand != Operand::Register(register) {
                moves.push((register, operand));
            }
        }
        self.phis.insert(to, phis);
        Edge { to: self.blocks[&to], moves }
    }
}

/// A phi node, by where control comes from.
struct Phi {
    value: Value,
    incoming: HashMap<llvm::Block, Value>,
}

fn phis(block: llvm::Block) -> Vec<Phi> {
    let mut list = Vec::new();
    let mut next = block.first();
    while let Some(value) = next
        && value.opcode() == Some(Opcode::LLVMPHI)
    {
        let incoming = value.incoming().into_iter().map(|(value, from)| (from, value)).collect();
        list.push(Phi { value, incoming });
        next = value.next();
    }
    list
}

/// The blocks that control can reach when nothing is thrown.
fn reachable(function: Value) -> HashSet<llvm::Block> {
    let mut seen = HashSet::new();
    let mut open: Vec<llvm::Block> = function.blocks().into_iter().take(1).collect();
    while let Some(block) = open.pop() {
        if !seen.insert(block) {
            continue;
        }
        let Some(terminator) = block.terminator() else { continue };
        match terminator.opcode() {
            Some(Opcode::LLVMInvoke) => open.push(terminator.normal_destination()),
            Some(Opcode::LLVMBr | Opcode::LLVMSwitch | Opcode::LLVMIndirectBr) => {
                open.extend(terminator.successors());
            }
            // The rest ends the path, or has no counterpart here.
            _ => {}
        }
    }
    seen
}
