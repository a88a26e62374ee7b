//! Entries: the code that makes a target's arguments from an input vector, calls it,
//! and writes what it gives back to an output vector.

use crate::code::written_globals::may_be_written;
use crate::llvm::{Builder, Module, Type, TypeKind, Value};
use crate::target::Output;
use crate::target::callback::Callback;
use crate::target::declared::Leaf;
use crate::target::layout::{Argument, Layout};
use crate::target::object::Object;
use crate::target::scalar::Scalar;

/// Writes `name(const uint64_t *inputs, uint64_t *outputs)` for a function. Inputs take
/// their words in the order of [`inputs_of`]. Returns the outputs.
pub(crate) fn write(module: &Module, name: &str, function: Value, layout: &Layout) -> Vec<Output> {
    let ty = module.function_type(module.void(), &[module.pointer(), module.pointer()]);
    let entry = module.add_function(name, ty);
    for key in ["target-cpu", "target-features", "tune-cpu", "frame-pointer"] {
        function.copy_string_attribute(key, entry);
    }
    let builder = Builder::new(module);
    builder.at_end(module.add_block(entry, "entry"));
    let parameters = entry.parameters();
    let mut writer = Writer {
        module,
        builder,
        inputs: parameters[0],
        outputs: parameters[1],
        input: 0,
        output: 0,
        given: Vec::new(),
    };
    for (symbol, leaf) in &layout.globals {
        let value = writer.take(leaf.scalar);
        let global = module.global(symbol).expect("a copy has the same variables");
        writer.put(leaf, value, global);
    }
    let mut objects: Vec<Option<Value>> = vec![None; layout.objects.len()];
    let mut arguments = Vec::new();
    for (argument, parameter) in layout.arguments.iter().zip(function.parameters()) {
        let mut memory = |number: usize, writer: &mut Writer| {
            *objects[number].get_or_insert_with(|| writer.make(&layout.objects[number]))
        };
        arguments.push(match argument {
            Argument::Scalar(leaf) => {
                let value = writer.take(leaf.scalar);
                writer.as_type(value, leaf.scalar, parameter.ty())
            }
            Argument::Address(object) => memory(*object, &mut writer),
            Argument::Optional(leaf, object) => {
                let given = writer.take(leaf.scalar);
                let memory = memory(*object, &mut writer);
                writer.builder.select(given, memory, module.pointer().zero())
            }
            Argument::Callback(callback) => writer.stand_in(callback),
            Argument::Piece(object, offset) => {
                let place = memory(*object, &mut writer);
                let place = writer.builder.offset(place, *offset);
                writer.builder.load_unaligned(parameter.ty(), place)
            }
        });
    }
    let result = writer.call(entry, function, &arguments);
    // A function of the user's that is called as one of the library is not that one. Said of
    // this call alone: what is inlined here is compiled as it is elsewhere.
    result.forbid_builtin();
    writer.give_result(result, function.result_type(), "return");
    for (object, memory) in layout.objects.iter().zip(&objects) {
        if let Some(memory) = memory {
            writer.give_object(object, *memory);
            writer.free(object, *memory);
        }
    }
    writer.builder.return_nothing();
    writer.given
}

/// The leaves that are inputs, in the order of their words.
pub(crate) fn inputs_of(layout: &Layout) -> Vec<&Leaf> {
    fn visit<'a>(object: &'a Object, list: &mut Vec<&'a Leaf>) {
        list.extend(object.leaves.iter().filter(|leaf| leaf.is_input));
        for (_, behind) in &object.pointers {
            visit(behind, list);
        }
        list.extend(object.callbacks.iter().flat_map(|(_, callback)| &callback.values));
    }
    let mut list: Vec<&Leaf> = layout.globals.iter().map(|(_, leaf)| leaf).collect();
    let mut next = 0;
    for argument in &layout.arguments {
        match argument {
            Argument::Scalar(leaf) => list.push(leaf),
            Argument::Callback(callback) => list.extend(&callback.values),
            Argument::Optional(leaf, object) => {
                list.push(leaf);
                visit(&layout.objects[*object], &mut list);
                next += 1;
            }
            Argument::Address(object) | Argument::Piece(object, _) => {
                // Objects are numbered in the order of the arguments that need them.
                if *object == next {
                    visit(&layout.objects[*object], &mut list);
                    next += 1;
                }
            }
        }
    }
    list
}

struct Writer<'m> {
    module: &'m Module,
    builder: Builder<'m>,
    inputs: Value,
    outputs: Value,
    /// The next input's word.
    input: usize,
    /// The next output's word.
    output: usize,
    given: Vec<Output>,
}

impl Writer<'_> {
    /// Calls the target. In C++ an exception that leaves it ends the run there.
    fn call(&mut self, entry: Value, function: Value, arguments: &[Value]) -> Value {
        let module = self.module;
        let Some(personality) = module.function("__gxx_personality_v0") else {
            return self.builder.call(function, arguments);
        };
        let normal = module.add_block(entry, "returned");
        let pad = module.add_block(entry, "thrown");
        let result = self.builder.invoke(function, arguments, normal, pad);
        self.builder.at_end(pad);
        let exception = self.builder.catch_all(entry, personality);
        let pointer = module.pointer();
        let begin = module.function_type(pointer, &[pointer]);
        self.builder.call(module.add_function("__cxa_begin_catch", begin), &[exception]);
        let end = module.function_type(module.void(), &[]);
        self.builder.call(module.add_function("__cxa_end_catch", end), &[]);
        self.builder.return_nothing();
        self.builder.at_end(normal);
        result
    }

    /// The next input, read as what it is: a float is loaded as a float, so that whoever
    /// follows it sees a float from the start.
    fn take(&mut self, scalar: Scalar) -> Value {
        let place = self.builder.offset(self.inputs, 8 * self.input as u64);
        self.input += scalar.words();
        self.read(scalar, place)
    }

    /// A scalar in memory.
    fn read(&self, scalar: Scalar, place: Value) -> Value {
        match scalar {
            Scalar::Float(format) => self.builder.load_unaligned(self.module.float(format), place),
            Scalar::Integer { bits, .. } => {
                let stored = self.module.integer(bits.next_multiple_of(8));
                let value = self.builder.load_unaligned(stored, place);
                self.builder.resize(value, self.module.integer(bits))
            }
        }
    }

    /// Writes a scalar to memory.
    fn write(&self, scalar: Scalar, value: Value, place: Value) {
        let value = match scalar {
            Scalar::Float(_) => value,
            Scalar::Integer { bits, .. } => {
                self.builder.resize(value, self.module.integer(bits.next_multiple_of(8)))
            }
        };
        self.builder.store_unaligned(value, place);
    }

    /// Writes a leaf of an object. A bit-field leaves the bits beside it as they are.
    fn put(&self, leaf: &Leaf, value: Value, memory: Value) {
        let place = self.builder.offset(memory, leaf.offset);
        let Some(bit) = leaf.bit else { return self.write(leaf.scalar, value, place) };
        let unit = self.unit(leaf, bit);
        let b = &self.builder;
        let shifted = |value: Value| b.shift_left(b.resize(value, unit), u64::from(bit));
        let own = shifted(self.module.integer(leaf.scalar.bits()).negative_constant(-1));
        let others = b.sub(unit.negative_constant(-1), own);
        let others = b.and(b.load_unaligned(unit, place), others);
        b.store_unaligned(b.or(others, shifted(value)), place);
    }

    /// Reads a leaf of an object.
    fn get(&self, leaf: &Leaf, memory: Value) -> Value {
        let place = self.builder.offset(memory, leaf.offset);
        let Some(bit) = leaf.bit else { return self.read(leaf.scalar, place) };
        let unit = self.builder.load_unaligned(self.unit(leaf, bit), place);
        let value = self.builder.shift_right(unit, u64::from(bit));
        self.builder.resize(value, self.module.integer(leaf.scalar.bits()))
    }

    /// The bytes that a bit-field lies in.
    fn unit(&self, leaf: &Leaf, bit: u32) -> Type {
        self.module.integer((bit + leaf.scalar.bits()).next_multiple_of(8))
    }

    /// A scalar as a value of a machine-level type.
    fn as_type(&self, value: Value, scalar: Scalar, ty: Type) -> Value {
        match scalar {
            Scalar::Float(_) => value,
            Scalar::Integer { signed: true, .. } => self.builder.resize_signed(value, ty),
            Scalar::Integer { signed: false, .. } => self.builder.resize(value, ty),
        }
    }

    /// An object in memory, filled.
    fn make(&mut self, object: &Object) -> Value {
        let size = object.size.max(8).next_multiple_of(16);
        let memory = match object.on_heap {
            true => {
                let (pointer, word) = (self.module.pointer(), self.module.integer(64));
                let malloc = self.module.function_type(pointer, &[word]);
                let malloc = self.module.add_function("malloc", malloc);
                self.builder.call(malloc, &[word.constant(size)])
            }
            false => self.builder.stack(self.module.integer(8).array(size)),
        };
        self.builder.clear(memory, size);
        for &(offset, bits, value) in &object.fixed {
            let value = self.module.integer(bits).constant(value);
            self.builder.store_unaligned(value, self.builder.offset(memory, offset));
        }
        for (offset, symbol) in &object.symbols {
            if let Some(global) = self.module.global(symbol) {
                self.builder.store_unaligned(global, self.builder.offset(memory, *offset));
            }
        }
        for leaf in object.leaves.iter().filter(|leaf| leaf.is_input) {
            let value = self.take(leaf.scalar);
            self.put(leaf, value, memory);
        }
        for (offset, behind) in &object.pointers {
            let pointer = self.make(behind);
            self.builder.store_unaligned(pointer, self.builder.offset(memory, *offset));
        }
        for (offset, start, bytes) in &object.within {
            let start = self.builder.offset(memory, *start);
            let start = self.builder.load_unaligned(self.module.pointer(), start);
            let inside = self.builder.offset(start, *bytes);
            self.builder.store_unaligned(inside, self.builder.offset(memory, *offset));
        }
        for (offset, callback) in &object.callbacks {
            let address = self.stand_in(callback);
            self.builder.store_unaligned(address, self.builder.offset(memory, *offset));
        }
        memory
    }

    /// The address of a function that stands in for a callback.
    fn stand_in(&mut self, callback: &Callback) -> Value {
        let word = self.input;
        self.input += callback.values.iter().map(|leaf| leaf.scalar.words()).sum::<usize>();
        callback.write(self.module, &self.builder, self.inputs, word)
    }

    /// Writes a scalar to the output vector, with zeros above it.
    fn give(&mut self, name: String, scalar: Scalar, value: Value) {
        let place = self.builder.offset(self.outputs, 8 * self.output as u64);
        let whole = self.module.integer(64 * scalar.words() as u32);
        match scalar {
            Scalar::Float(format) => {
                if format.width() != 64 * scalar.words() as u32 {
                    self.builder.store_unaligned(whole.zero(), place);
                }
                self.builder.store_unaligned(value, place);
            }
            Scalar::Integer { .. } => {
                self.builder.store_unaligned(self.builder.resize(value, whole), place);
            }
        }
        self.given.push(Output { name, scalar, word: self.output });
        self.output += scalar.words();
    }

    fn give_result(&mut self, value: Value, ty: Type, name: &str) {
        match ty.kind() {
            TypeKind::Float(format) => self.give(name.into(), Scalar::Float(format), value),
            TypeKind::Integer(bits @ 1..=128) => {
                self.give(name.into(), Scalar::Integer { bits, signed: true }, value);
            }
            TypeKind::Vector(lane, lanes) => {
                for i in 0..lanes {
                    self.give_result(self.builder.lane(value, i), lane, &format!("{name}[{i}]"));
                }
            }
            TypeKind::Structure => {
                for (i, member) in ty.members().into_iter().enumerate() {
                    let part = self.builder.extract(value, i as u32);
                    self.give_result(part, member, &format!("{name}.{i}"));
                }
            }
            TypeKind::Integer(_)
            | TypeKind::Pointer
            | TypeKind::Array(..)
            | TypeKind::Void
            | TypeKind::Other => {}
        }
    }

    fn give_object(&mut self, object: &Object, memory: Value) {
        for leaf in object.leaves.iter().filter(|leaf| leaf.is_output) {
            let value = self.get(leaf, memory);
            self.give(leaf.name.clone(), leaf.scalar, value);
        }
        for (offset, behind) in &object.pointers {
            let pointer = self
                .builder
                .load_unaligned(self.module.pointer(), self.builder.offset(memory, *offset));
            self.give_object(behind, pointer);
        }
    }
}

impl Writer<'_> {
    /// Frees what an object leads to on the heap, if it is still there.
    fn free(&mut self, object: &Object, memory: Value) {
        let pointer = self.module.pointer();
        for (offset, behind) in &object.pointers {
            if !behind.on_heap {
                continue;
            }
            let place = self.builder.offset(memory, *offset);
            let there = self.builder.load_unaligned(pointer, place);
            let free = self.module.function_type(self.module.void(), &[pointer]);
            self.builder.call(self.module.add_function("free", free), &[there]);
        }
    }
}

/// Writes `nanoscope_run`, which calls the entry that `nanoscope_entry` names.
pub(crate) fn write_switch(module: &Module, entries: &[String]) {
    let (word, pointer) = (module.integer(32), module.pointer());
    let chosen = module.add_global("nanoscope_entry", word, Some(word.zero()));
    let ty = module.function_type(module.void(), &[pointer, pointer]);
    let functions: Vec<Value> = entries.iter().map(|name| module.add_function(name, ty)).collect();
    let table = module.add_global(
        "nanoscope_entries",
        pointer.array(entries.len() as u64),
        Some(pointer.constant_array(&functions)),
    );
    table.make_constant();
    let run = module.add_function("nanoscope_run", ty);
    let builder = Builder::new(module);
    builder.at_end(module.add_block(run, "entry"));
    let index = builder.load(word, chosen);
    let place = builder.element(pointer, table, index);
    let function = builder.load(pointer, place);
    builder.call_through(ty, function, &run.parameters());
    builder.return_nothing();
}

/// Writes `nanoscope_reset`, which gives every global that may be written its first
/// value back, and `nanoscope_resets`, which tells whether there is any. Where static
/// initialisers run, that is the value they left: `nanoscope_keep`, called once after them,
/// keeps it.
pub(crate) fn write_reset(module: &Module) {
    let nothing = module.function_type(module.void(), &[]);
    let reset = module.add_function("nanoscope_reset", nothing);
    let is_reset = |global: &Value| {
        let ours = global.name().starts_with("nanoscope_") || global.name().starts_with("llvm.");
        !ours
            && !global.is_constant_global()
            && !global.is_thread_local()
            && global.initializer().is_some()
            && may_be_written(*global)
    };
    // All of them before the first is copied: a copy has pointers, too.
    let written: Vec<Value> = module.globals().into_iter().filter(is_reset).collect();
    let is_initialised = module.global("llvm.global_ctors").is_some();
    let pristine = |global: &Value| {
        let name = format!("nanoscope_first_{}", global.name());
        let pristine = module.add_global(&name, global.value_type(), global.initializer());
        pristine.set_linkage(crate::llvm::Linkage::LLVMPrivateLinkage);
        if !is_initialised {
            pristine.make_constant();
        }
        pristine
    };
    let pairs: Vec<(Value, Value)> =
        written.iter().map(|global| (*global, pristine(global))).collect();
    let builder = Builder::new(module);
    if is_initialised {
        let keep = module.add_function("nanoscope_keep", nothing);
        builder.at_end(module.add_block(keep, "entry"));
        for (global, pristine) in &pairs {
            builder.copy(*pristine, *global, module.size_of(global.value_type()));
        }
        builder.return_nothing();
    }
    builder.at_end(module.add_block(reset, "entry"));
    for (global, pristine) in &pairs {
        builder.copy(*global, *pristine, module.size_of(global.value_type()));
    }
    builder.return_nothing();
    let word = module.integer(32);
    module
        .add_global("nanoscope_resets", word, Some(word.constant(u64::from(!written.is_empty()))))
        .make_constant();
}
