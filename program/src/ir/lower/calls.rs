//! Calls, and inline assembly.

use super::body::Body;
use super::globals::{is_kept, origin};
use super::types::representable;
use crate::ir::{Act, Callee, Operand, Type};
use crate::llvm::{TypeKind, Value};

/// Whether a piece of inline assembly computes nothing.
pub(crate) fn is_barrier(call: Value) -> bool {
    let (text, _) = call.called_value().assembly();
    text.split(['\n', ';']).all(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') || matches!(line, "nop" | "pause" | "mfence")
    })
}

impl Body<'_, '_> {
    /// Lowers a call (or the call in an `invoke`).
    pub fn call(&mut self, call: Value) {
        if call.calls_assembly() {
            return self.assembly(call);
        }
        if let Some(name) = call.callee().and_then(Value::intrinsic_name)
            && !is_kept(&name)
        {
            return self.intrinsic(call, &name);
        }
        let arguments = call.arguments();
        let fits = |value: &Value| representable(value.ty());
        if !arguments.iter().all(fits) || !fits(&call) {
            return self.unknown(call);
        }
        let callee = match self.lowerer.functions.get(&origin(call.called_value())) {
            Some(&id) => Callee::Function(id),
            None => Callee::Address(self.operand(call.called_value())),
        };
        let named = call.called_parameters();
        let (mut operands, mut types) = (Vec::new(), Vec::new());
        for (number, &argument) in arguments.iter().enumerate() {
            let operand = self.operand(argument);
            let copied = call.copied_argument(number as u32).filter(|_| number as u32 >= named);
            let (operand, ty) = match copied {
                // No parameter says that this is a copy: the structure itself is passed.
                Some(copied) => {
                    let ty = self.lowerer.ty(copied);
                    let load = Act::Load { ty: ty.clone(), address: operand };
                    (self.step(ty.clone(), load), ty)
                }
                None => (operand, self.type_of(argument)),
            };
            operands.push(operand);
            types.push(ty);
        }
        let result = (call.ty().kind() != TypeKind::Void).then(|| self.register(call));
        let act = Act::Call { callee, arguments: operands.into(), types: types.into() };
        self.emit(result, act);
    }

    /// Inline assembly: barriers do nothing, and a value that only passes through one (to
    /// hide it from the optimiser) stays what it is.
    fn assembly(&mut self, call: Value) {
        if !is_barrier(call) {
            return self.unknown(call);
        }
        let (_, constraints) = call.called_value().assembly();
        if call.ty().kind() == TypeKind::Void {
            return;
        }
        match self.passed_through(call, &constraints) {
            Some(operand) => self.give(call, Act::Freeze { operand }),
            None => self.unknown(call),
        }
    }

    /// The one operand that an empty piece of assembly ties to its one result.
    fn passed_through(&mut self, call: Value, constraints: &str) -> Option<Operand> {
        let ty = self.type_of(call);
        if matches!(ty, Type::Aggregate(_)) {
            return None;
        }
        let inputs: Vec<&str> = constraints
            .split(',')
            .filter(|c| !c.starts_with('=') && !c.starts_with('~') && !c.starts_with('!'))
            .collect();
        let tied = inputs.iter().position(|c| *c == "0")?;
        let argument = *call.arguments().get(tied)?;
        let operand = self.operand(argument);
        (*self.operand_type(operand) == ty).then_some(operand)
    }
}
