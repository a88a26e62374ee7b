//! Functions that a target is given and calls: a function of the program, or a stand-in whose
//! results are inputs.
//!
//! A stand-in takes its results from the input vector, a few in turn: any value at each call. So it
//! does with the arrays that it may write: the right-hand side of a differential equation.
//! One that is to be pure looks first whether it was called with the same arguments before, and
//! gives the same result again; when its results are used up, it gives the last.

use crate::llvm::{
    Builder, DebugType, IntPredicate, Linkage, Module, Opcode, Type, TypeKind, Value,
};
use crate::target::declared::{Leaf, scalar_of, strip, tag, type_name};
use crate::target::scalar::Scalar;
use std::collections::BTreeSet;

/// How many results a stand-in has: a power of two.
const RESULTS: u64 = 4;
/// The most numbers that it has for an array: a power of two.
const MOST_ELEMENTS: u64 = 16;

/// What a callback takes.
#[derive(Clone, Copy, Debug)]
enum Taken {
    Scalar(Scalar),
    /// The address of something that it does not write.
    Address,
    /// The address of numbers that it may write.
    Array(Scalar),
}

/// An array that a stand-in writes at each call.
#[derive(Clone, Debug)]
struct Filled {
    parameter: usize,
    scalar: Scalar,
    /// How many elements it writes.
    count: u64,
    /// How many numbers there are for them: a power of two.
    numbers: u64,
}

/// A function that a target is given.
#[derive(Clone, Debug)]
pub(crate) struct Callback {
    /// The parameter or member it is given as.
    pub name: String,
    /// What it is.
    pub manner: Manner,
    /// What it returns, if anything.
    result: Option<Scalar>,
    parameters: Vec<Taken>,
    filled: Vec<Filled>,
    /// Its results, then what it writes to arrays, as inputs.
    pub values: Vec<Leaf>,
}

/// What a callback is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Any result at each call.
    Any,
    /// The same result for the same arguments.
    Pure,
    /// The program's function of this symbol.
    Function(String),
}

impl Callback {
    /// Of a declared type, if it is that of a pointer to a function whose calls can be made.
    pub fn of(pointer: DebugType, name: &str) -> Option<Callback> {
        let pointer = strip(pointer);
        if pointer.tag() != tag::POINTER {
            return None;
        }
        let declared = pointer.base().map(strip).filter(|ty| ty.tag() == tag::SUBROUTINE)?;
        let signature = declared.signature();
        let (result, taken) = signature.split_first()?;
        let result = match result.map(strip) {
            None => None,
            Some(ty) => Some((scalar_of(ty)?, type_name(ty))),
        };
        let parameter = |ty: &Option<DebugType>| {
            let ty = strip((*ty)?);
            match ty.tag() {
                tag::POINTER | tag::REFERENCE => Some(behind(ty)),
                // Nobody looks at it afterwards.
                tag::RVALUE_REFERENCE => Some(Taken::Address),
                _ => scalar_of(ty).map(Taken::Scalar),
            }
        };
        let parameters = taken.iter().map(parameter).collect::<Option<Vec<_>>>()?;
        let value = |i: u64| {
            let (scalar, type_name) = result.clone()?;
            Some(Leaf::input(&format!("{name}()[{i}]"), &type_name, scalar))
        };
        let values = (0..RESULTS).filter_map(value).collect();
        let result = result.map(|(scalar, _)| scalar);
        Some(Callback::new(name, result, parameters, values))
    }

    /// Of a parameter that is called, where nothing declares it: a procedure of Fortran's.
    pub fn by_use(parameter: Value, name: &str) -> Option<Callback> {
        let ty = called_as(parameter, &mut BTreeSet::new())?;
        let scalar = |ty: Type| match ty.kind() {
            TypeKind::Float(format) => Some(Scalar::Float(format)),
            TypeKind::Integer(bits @ 1..=128) => Some(Scalar::Integer { bits, signed: true }),
            _ => None,
        };
        let parameters = ty
            .parameters()
            .into_iter()
            .map(|ty| match ty.kind() {
                TypeKind::Pointer => Some(Taken::Address),
                _ => scalar(ty).map(Taken::Scalar),
            })
            .collect::<Option<Vec<_>>>()?;
        let result = match ty.result().kind() {
            TypeKind::Void => None,
            _ => Some(scalar(ty.result())?),
        };
        let value = |i: u64| {
            let type_name = if let Some(Scalar::Float(_)) = result { "real" } else { "integer" };
            Some(Leaf::input(&format!("{name}()[{i}]"), type_name, result?))
        };
        let values = (0..RESULTS).filter_map(value).collect();
        Some(Callback::new(name, result, parameters, values))
    }

    fn new(
        name: &str,
        result: Option<Scalar>,
        parameters: Vec<Taken>,
        values: Vec<Leaf>,
    ) -> Callback {
        let (name, filled) = (name.to_owned(), Vec::new());
        Callback { name, manner: Manner::Any, result, parameters, filled, values }
    }

    /// Whether a call of this type may be one of it.
    pub fn is_called_as(&self, ty: Type) -> bool {
        let fits = |ty: Type, scalar: Option<Scalar>| match (ty.kind(), scalar) {
            (TypeKind::Float(a), Some(Scalar::Float(b))) => a == b,
            (TypeKind::Integer(a), Some(Scalar::Integer { bits, .. })) => a >= bits,
            (TypeKind::Pointer | TypeKind::Void, None) => true,
            _ => false,
        };
        let taken = ty.parameters();
        let scalar = |taken: &Taken| match taken {
            Taken::Scalar(scalar) => Some(*scalar),
            Taken::Address | Taken::Array(_) => None,
        };
        fits(ty.result(), self.result)
            && taken.len() == self.parameters.len()
            && taken.iter().zip(&self.parameters).all(|(ty, own)| fits(*ty, scalar(own)))
    }

    /// Has it write to the arrays that it is given; `bytes` tells how much memory lies behind a
    /// parameter wherever it is called.
    pub fn fill(&mut self, bytes: &dyn Fn(usize) -> Option<u64>) {
        if let Manner::Function(_) = self.manner {
            return;
        }
        for (parameter, taken) in self.parameters.iter().enumerate() {
            let Taken::Array(scalar) = *taken else { continue };
            let size = u64::from(scalar.bits()).div_ceil(8);
            let count = bytes(parameter).map_or(1, |bytes| bytes / size).min(MOST_ELEMENTS);
            if count == 0 {
                continue;
            }
            let numbers = count.next_power_of_two().max(RESULTS);
            let type_name = if let Scalar::Float(_) = scalar { "real" } else { "integer" };
            for i in 0..numbers {
                let name = format!("{}().arg{}[{i}]", self.name, parameter + 1);
                self.values.push(Leaf::input(&name, type_name, scalar));
            }
            self.filled.push(Filled { parameter, scalar, count, numbers });
        }
    }

    /// By another name.
    pub fn named(mut self, name: &str) -> Callback {
        for (i, value) in self.values.iter_mut().enumerate() {
            value.name = format!("{name}()[{i}]");
        }
        Callback { name: name.to_owned(), ..self }
    }

    /// Without a result, and writing nothing.
    pub fn without_result(self) -> Callback {
        let parameters = self.parameters.iter().map(|taken| match taken {
            Taken::Array(_) => Taken::Address,
            Taken::Scalar(_) | Taken::Address => *taken,
        });
        let parameters = parameters.collect();
        Callback { result: None, parameters, values: Vec::new(), ..self }
    }

    /// Has it be what the user says.
    pub fn become_what(&mut self, manner: Manner) {
        if let Manner::Function(_) = manner {
            self.values.clear();
            self.filled.clear();
        }
        self.manner = manner;
    }

    /// Writes a stand-in that takes its results from the input vector at a word, and what has
    /// it begin anew, with `builder`. Its address.
    pub fn write(&self, module: &Module, builder: &Builder, inputs: Value, word: usize) -> Value {
        if let Manner::Function(symbol) = &self.manner {
            return module.function(symbol).expect("it was found by its name");
        }
        let number = module.functions().len();
        let name = |what: &str| format!("nanoscope_callback_{number}_{what}");
        let variable = |what: &str, ty: Type| {
            let global = module.add_global(&name(what), ty, Some(ty.zero()));
            global.set_linkage(Linkage::LLVMInternalLinkage);
            global
        };
        let (long, pointer) = (module.integer(64), module.pointer());
        let given = variable("inputs", pointer);
        let calls = variable("calls", long);
        builder.store(inputs, given);
        builder.store(long.zero(), calls);
        let types: Vec<Type> =
            self.parameters.iter().map(|taken| taken.machine_type(module)).collect();
        let result = match self.result {
            Some(scalar) => Taken::Scalar(scalar).machine_type(module),
            None => module.void(),
        };
        let function = module.add_function(&name("call"), module.function_type(result, &types));
        function.set_linkage(Linkage::LLVMInternalLinkage);
        let body = Builder::new(module);
        body.at_end(module.add_block(function, "entry"));
        if self.values.is_empty() {
            body.return_nothing();
            return function;
        }
        let called = body.load(long, calls);
        let index = match self.manner {
            Manner::Pure => self.known(module, &body, function, called, calls, &variable),
            Manner::Any | Manner::Function(_) => {
                body.store(body.add(called, long.constant(1)), calls);
                body.and(called, long.constant(RESULTS - 1))
            }
        };
        let mut first = body.offset(body.load(pointer, given), 8 * word as u64);
        let number = |scalar: Scalar, first: Value, index: Value| {
            let place = body.element(long.array(scalar.words() as u64), first, index);
            match scalar {
                Scalar::Float(format) => body.load_unaligned(module.float(format), place),
                Scalar::Integer { bits, .. } => {
                    let stored = module.integer(bits.next_multiple_of(8));
                    body.resize(body.load_unaligned(stored, place), module.integer(bits))
                }
            }
        };
        let value = self.result.map(|scalar| {
            let value = number(scalar, first, index);
            first = body.offset(first, 8 * RESULTS * scalar.words() as u64);
            value
        });
        let nowhere = variable("nowhere", long.array(2 * MOST_ELEMENTS));
        for Filled { parameter, scalar, count, numbers } in &self.filled {
            let memory = function.parameters()[*parameter];
            let is_null = body.compare(IntPredicate::LLVMIntEQ, memory, pointer.zero());
            let memory = body.select(is_null, nowhere, memory);
            let size = u64::from(scalar.bits()).div_ceil(8);
            // The call's number times the count: by its bits, for there is no product here.
            let mut start = long.zero();
            for bit in (0..64 - count.leading_zeros()).filter(|bit| count >> bit & 1 == 1) {
                start = body.add(start, body.shift_left(index, u64::from(bit)));
            }
            for i in 0..*count {
                let at = body.and(body.add(start, long.constant(i)), long.constant(numbers - 1));
                let value = number(*scalar, first, at);
                body.store_unaligned(value, body.offset(memory, i * size));
            }
            first = body.offset(first, 8 * numbers * scalar.words() as u64);
        }
        match value {
            Some(value) => body.return_value(value),
            None => body.return_nothing(),
        }
        function
    }

    /// Which result belongs to the arguments: that of an earlier call with the same, else the
    /// next, and in the end the last.
    fn known(
        &self,
        module: &Module,
        body: &Builder,
        function: Value,
        called: Value,
        calls: Value,
        variable: &dyn Fn(&str, Type) -> Value,
    ) -> Value {
        let long = module.integer(64);
        let bits: Vec<Value> = function
            .parameters()
            .into_iter()
            .zip(&self.parameters)
            .filter_map(|(value, taken)| match *taken {
                Taken::Address | Taken::Array(_) => None,
                Taken::Scalar(scalar) if scalar.words() > 1 => None,
                Taken::Scalar(Scalar::Float(format)) => {
                    let plain = body.bitcast(value, module.integer(format.width()));
                    Some(body.resize(plain, long))
                }
                Taken::Scalar(Scalar::Integer { .. }) => Some(body.resize(value, long)),
            })
            .collect();
        // A row for each result, and one for what is not kept any more.
        let row = long.array(bits.len() as u64);
        let kept = variable("arguments", row.array(RESULTS + 1));
        let mut index = called;
        for i in (0..RESULTS).rev() {
            let at = body.offset(kept, i * 8 * bits.len() as u64);
            let mut same = body.compare(IntPredicate::LLVMIntULT, long.constant(i), called);
            for (number, &argument) in bits.iter().enumerate() {
                let before = body.load(long, body.offset(at, 8 * number as u64));
                let equal = body.compare(IntPredicate::LLVMIntEQ, before, argument);
                same = body.and(same, equal);
            }
            index = body.select(same, long.constant(i), index);
        }
        let place = body.element(row, kept, called);
        for (number, &argument) in bits.iter().enumerate() {
            body.store(argument, body.offset(place, 8 * number as u64));
        }
        let is_new = body.compare(IntPredicate::LLVMIntEQ, index, called);
        let is_room = body.compare(IntPredicate::LLVMIntULT, called, long.constant(RESULTS));
        let more = body.resize(body.and(is_new, is_room), long);
        body.store(body.add(called, more), calls);
        let last = long.constant(RESULTS - 1);
        let beyond = body.compare(IntPredicate::LLVMIntUGT, index, last);
        body.select(beyond, last, index)
    }
}

/// The type that a parameter is called as, here or where it is handed on to.
fn called_as(parameter: Value, seen: &mut BTreeSet<Value>) -> Option<Type> {
    if !seen.insert(parameter) {
        return None;
    }
    parameter.users().into_iter().find_map(|user| {
        if !matches!(user.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke)) {
            return None;
        }
        if user.called_value() == parameter {
            return Some(user.called_type());
        }
        let callee = user.callee().filter(|callee| !callee.is_declaration())?;
        let at = user.arguments().iter().position(|argument| *argument == parameter)?;
        called_as(*callee.parameters().get(at)?, seen)
    })
}

/// What a callback may do with an address of a declared type.
fn behind(pointer: DebugType) -> Taken {
    let mut base = pointer.base();
    while let Some(ty) = base {
        match ty.tag() {
            tag::CONST => return Taken::Address,
            tag::TYPEDEF | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC => base = ty.base(),
            _ => return scalar_of(ty).map_or(Taken::Address, Taken::Array),
        }
    }
    Taken::Address
}

impl Taken {
    fn machine_type(self, module: &Module) -> Type {
        match self {
            Taken::Address | Taken::Array(_) => module.pointer(),
            Taken::Scalar(Scalar::Float(format)) => module.float(format),
            Taken::Scalar(Scalar::Integer { bits, .. }) => module.integer(bits),
        }
    }
}
