//! A whole module: its functions, global variables, constructors.

use super::Lowerer;
use super::body::Body;
use crate::ir::{
    Act, Block, Callee, Code, Constant, End, Function, FunctionId, Global, GlobalId, Instruction,
    LocationId, Operand, Parameter, Register, Type,
};
use crate::llvm::Value;

impl Lowerer<'_> {
    /// Lowers the module.
    pub fn lower(mut self) -> Code {
        let functions: Vec<Value> = self
            .module
            .functions()
            .into_iter()
            .filter(|f| !f.is_intrinsic() || is_kept(&f.name()))
            .collect();
        let ifuncs = self.module.ifuncs();
        for function in functions.iter().chain(&ifuncs) {
            let id = FunctionId(self.functions.len() as u32);
            self.functions.insert(*function, id);
            self.code.symbols.insert(function.name(), id);
        }
        let globals: Vec<Value> =
            self.module.globals().into_iter().filter(|g| !g.name().starts_with("llvm.")).collect();
        for (number, global) in globals.iter().enumerate() {
            self.globals.insert(*global, GlobalId(number as u32));
        }
        for alias in self.module.aliases() {
            if let Some(&id) = self.functions.get(&origin(alias)) {
                self.code.symbols.insert(alias.name(), id);
            }
        }
        let mut computed = Vec::new();
        for global in &globals {
            let lowered = self.global(*global, &mut computed);
            self.code.globals.push(lowered);
        }
        for function in &functions {
            let lowered = self.function(*function);
            self.code.functions.push(lowered);
        }
        for ifunc in &ifuncs {
            let lowered = self.found_at_start(*ifunc);
            self.code.functions.push(lowered);
        }
        self.code.constructors = self.listed("llvm.global_ctors", false);
        self.code.destructors = self.listed("llvm.global_dtors", true);
        if !computed.is_empty() {
            self.initialise(&computed);
        }
        self.code
    }

    fn global(&mut self, global: Value, computed: &mut Vec<(Value, u64, Value)>) -> Global {
        let value_type = global.value_type();
        let alignment = match global.alignment() {
            0 => self.module.align_of(value_type),
            given => given,
        };
        let before = computed.len();
        let initial = global.initializer().map(|value| self.initial(value, global, 0, computed));
        Global {
            name: global.name(),
            ty: self.ty(value_type),
            size: self.module.size_of(value_type),
            alignment,
            constant: global.is_constant_global() && computed.len() == before,
            initial,
        }
    }

    /// A global's first value, with zeros for what has to be computed when the program
    /// starts: `computed` gets its place and its value.
    fn initial(
        &mut self,
        value: Value,
        global: Value,
        offset: u64,
        computed: &mut Vec<(Value, u64, Value)>,
    ) -> Constant {
        if let Some(constant) = self.constant(value) {
            return constant;
        }
        let ty = self.ty(value.ty());
        if let (Type::Aggregate(aggregate), Some(_)) = (&ty, value.constant_element(0)) {
            let parts: Vec<Constant> = (0..aggregate.count())
                .map(|i| {
                    let (at, _) = aggregate.member(i).expect("within its length");
                    let part = value.constant_element(i as u32).expect("within its length");
                    self.initial(part, global, offset + at, computed)
                })
                .collect();
            return Constant::Parts(ty, parts.into());
        }
        computed.push((global, offset, value));
        Constant::Zero(ty)
    }

    /// Writes a constructor, the first of all, for what no constant can say.
    fn initialise(&mut self, computed: &[(Value, u64, Value)]) {
        let id = FunctionId(self.code.functions.len() as u32);
        let mut body = Body::new(self);
        for &(global, offset, value) in computed {
            let value_operand = body.operand(value);
            let base = body.operand(global);
            let address = body.further(base, offset as i64);
            let ty = body.lowerer.ty(value.ty());
            body.emit(None, Act::Store { ty, address, value: value_operand });
        }
        let (registers, instructions) = body.finish();
        let end = End::Return(None);
        let name = "nanoscope_initialise".to_owned();
        self.code.symbols.insert(name.clone(), id);
        self.code.constructors.insert(0, id);
        self.code.functions.push(Function {
            source_name: name.clone(),
            name,
            location: LocationId(0),
            parameters: Vec::new(),
            result: Type::Void,
            variadic: false,
            never_returns: false,
            leave: None,
            registers,
            blocks: vec![Block { instructions, end, end_location: LocationId(0) }],
        });
    }

    /// A function without its body.
    fn signature(&mut self, function: Value) -> Function {
        let name = function.name();
        let parameters: Vec<Parameter> = function
            .parameters()
            .into_iter()
            .enumerate()
            .map(|(number, value)| Parameter {
                ty: self.ty(value.ty()),
                copied: function.parameter_type_attribute(number as u32, "byval").map(|copied| {
                    let given = function.parameter_number_attribute(number as u32, "align");
                    let alignment = given.unwrap_or_else(|| self.module.align_of(copied));
                    (self.module.size_of(copied), alignment)
                }),
            })
            .collect();
        let location = crate::Location {
            file: function.source_file().unwrap_or_default(),
            line: function.source_line(),
            ..crate::Location::default()
        };
        Function {
            source_name: function.source_name().unwrap_or_else(|| name.clone()),
            name,
            location: self.location(location),
            registers: parameters.iter().map(|parameter| parameter.ty.clone()).collect(),
            parameters,
            result: self.ty(function.result_type()),
            variadic: function.is_variadic(),
            never_returns: function.has_attribute("noreturn"),
            leave: None,
            blocks: Vec::new(),
        }
    }

    fn function(&mut self, function: Value) -> Function {
        let mut lowered = self.signature(function);
        if !function.is_declaration() {
            (lowered.registers, lowered.blocks, lowered.leave) = Body::new(self).function(function);
        }
        lowered
    }

    /// An ifunc: a function that asks its resolver where to go on, each time.
    fn found_at_start(&mut self, ifunc: Value) -> Function {
        let name = ifunc.name();
        let resolver = ifunc.resolver().map(origin).and_then(|r| self.functions.get(&r).copied());
        let ty = ifunc.value_type();
        let parameters: Vec<Type> = ty.parameters().into_iter().map(|p| self.ty(p)).collect();
        let result = self.ty(ty.result());
        let mut registers = parameters.clone();
        registers.push(Type::Pointer);
        let found = Register(parameters.len() as u32);
        let instruction =
            |result, act| Instruction { result, act, location: LocationId(0), site: None };
        let (mut instructions, mut end) = (Vec::new(), End::Unknown(format!("ifunc {name}")));
        if let Some(resolver) = resolver {
            let callee = Callee::Function(resolver);
            let ask = Act::Call { callee, arguments: Box::default(), types: Box::default() };
            instructions.push(instruction(Some(found), ask));
            let arguments =
                (0..parameters.len() as u32).map(|i| Operand::Register(Register(i))).collect();
            let callee = Callee::Address(Operand::Register(found));
            let go = Act::Call { callee, arguments, types: parameters.clone().into() };
            let given = (result != Type::Void).then(|| {
                registers.push(result.clone());
                Register(found.0 + 1)
            });
            instructions.push(instruction(given, go));
            end = End::Return(given.map(Operand::Register));
        }
        Function {
            source_name: name.clone(),
            name,
            location: LocationId(0),
            parameters: parameters.into_iter().map(|ty| Parameter { ty, copied: None }).collect(),
            result,
            variadic: false,
            never_returns: false,
            leave: None,
            registers,
            blocks: vec![Block { instructions, end, end_location: LocationId(0) }],
        }
    }

    /// The functions of a list with priorities, in the order they run.
    fn listed(&self, name: &str, latest_first: bool) -> Vec<FunctionId> {
        let Some(list) = self.module.global(name).and_then(Value::initializer) else {
            return Vec::new();
        };
        let mut entries: Vec<(i64, FunctionId)> = list
            .operands()
            .into_iter()
            .filter_map(|entry| {
                let priority = entry.constant_element(0)?.as_integer()?;
                let function = origin(entry.constant_element(1)?);
                Some((priority, *self.functions.get(&function)?))
            })
            .collect();
        entries.sort_by_key(|(priority, _)| *priority);
        if latest_first {
            entries.reverse();
        }
        entries.into_iter().map(|(_, id)| id).collect()
    }
}

/// What stands behind aliases.
pub fn origin(mut value: Value) -> Value {
    while value.is_alias() {
        value = value.aliasee();
    }
    value
}

/// Whether an intrinsic stays a call of a function: the control register is the engines' affair.
pub fn is_kept(intrinsic: &str) -> bool {
    matches!(intrinsic, "llvm.x86.sse.stmxcsr" | "llvm.x86.sse.ldmxcsr")
}
