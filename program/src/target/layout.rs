//! Layouts: parameters as objects in memory with scalar leaves, from the declared
//! types where debug information has them, from how the code uses them where not.

use crate::llvm::{DebugType, Module, TypeKind, Value, parameter, signature};
use crate::target::callback::Callback;
use crate::target::containers::Filling;
use crate::target::declared::{Leaf, encoding, float_format, scalar_of, strip, tag, type_name};
use crate::target::extent::DEFAULT_LENGTH;
use crate::target::memory_use::Usage;
use crate::target::object::{MOST_LEAVES, Object};
use crate::target::scalar::Scalar;
use crate::{target::containers, target::fortran};

/// How many characters a string gets when nothing tells, the final zero not counted.
const DEFAULT_STRING: u64 = 8;
/// How many pointers deep objects are built.
const DEEPEST: u32 = 3;

/// How a parameter of the machine-level function is made.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    /// A scalar by itself.
    Scalar(Leaf),
    /// The address of object `n`.
    Address(usize),
    /// The address of object `n`, or null where the leaf, a truth value, is false.
    Optional(Leaf, usize),
    /// A part of object `n` (a structure passed in registers) at an offset.
    Piece(usize, u64),
    /// The address of a function.
    Callback(Callback),
}

/// All parameters of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Variables of the program that are inputs, by their symbols.
    pub globals: Vec<(String, Leaf)>,
    pub arguments: Vec<Argument>,
    pub objects: Vec<Object>,
}

impl Layout {
    /// All functions that the target is given.
    pub fn callbacks_mut(&mut self) -> Vec<&mut Callback> {
        fn visit<'a>(object: &'a mut Object, list: &mut Vec<&'a mut Callback>) {
            list.extend(object.callbacks.iter_mut().map(|(_, callback)| callback));
            object.pointers.iter_mut().for_each(|(_, behind)| visit(behind, list));
        }
        let mut list = Vec::new();
        for argument in &mut self.arguments {
            if let Argument::Callback(callback) = argument {
                list.push(callback);
            }
        }
        self.objects.iter_mut().for_each(|object| visit(object, &mut list));
        list
    }
}

/// Lays out the parameters of `function`; `usage` tells how it uses a pointer parameter, by its
/// number, `length` what the user said about an array. An error says what kind of parameter
/// cannot be made.
pub(crate) fn lay_out(
    module: &Module,
    function: Value,
    usage: &mut dyn FnMut(usize) -> Usage,
    length: &dyn Fn(&str) -> Option<u64>,
) -> Result<Layout, String> {
    if function.is_variadic() {
        return Err("takes a variable number of arguments".into());
    }
    let mut layout = Layout::default();
    let machine = function.parameters();
    let declared = signature(function);
    let mut at = 0;
    let mut number = 0;
    while at < machine.len() {
        let value = machine[at];
        if function.parameter_type_attribute(at as u32, "sret").is_some() {
            let mut object = Object::default();
            if let Some(ty) = declared.first().copied().flatten() {
                Filler {
                    length,
                    usage: &Usage::default(),
                    reads: false,
                    writes: true,
                    fortran: false,
                }
                .place(&mut object, ty, "return", 0, 0)?;
            }
            layout.arguments.push(Argument::Address(layout.objects.len()));
            layout.objects.push(object.named("return"));
            at += 1;
            continue;
        }
        number += 1;
        let (name, ty) = parameter(function, number).unwrap_or_default();
        let ty = ty.or_else(|| declared.get(number as usize).copied().flatten());
        let name = if name.is_empty() { format!("arg{}", at + 1) } else { name };
        let usage = usage(at);
        let is_pointer = value.ty().kind() == TypeKind::Pointer;
        let callback = ty.filter(|_| is_pointer).and_then(|ty| Callback::of(ty, &name));
        let called = || Callback::by_use(value, &name).filter(|_| is_pointer);
        if let Some(callback) = callback.or_else(called) {
            layout.arguments.push(Argument::Callback(callback));
            at += 1;
            continue;
        }
        match ty.map(strip) {
            Some(ty) if is_pointer => {
                let by_value = function.parameter_type_attribute(at as u32, "byval").is_some();
                let pointed = !by_value
                    && matches!(ty.tag(), tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE);
                let odd = match pointed || by_value {
                    true => None,
                    false => fortran::parameter(module, value, ty, &name, &usage, length)?,
                };
                let is_optional = !pointed && !by_value && fortran::is_optional(value);
                let object =
                    if let Some(object) = odd {
                        object
                    } else if pointed {
                        behind_pointer(module, ty, &name, &usage, length, 0)?
                    } else {
                        let fortran = !by_value;
                        let written = fortran && usage.writes;
                        let mut object = Object::default();
                        Filler { length, usage: &usage, reads: true, writes: written, fortran }
                            .place(&mut object, ty, &name, 0, 0)?;
                        object
                    };
                let number = layout.objects.len();
                layout.arguments.push(match is_optional {
                    true => {
                        let given = Scalar::Integer { bits: 1, signed: false };
                        let leaf = Leaf::input(&format!("present({name})"), "logical", given);
                        Argument::Optional(leaf, number)
                    }
                    false => Argument::Address(number),
                });
                layout.objects.push(object.named(&name));
                at += 1;
            }
            Some(ty) if scalar_of(ty).is_some_and(|s| fits(value, s)) => {
                let scalar = scalar_of(ty).expect("just seen");
                layout.arguments.push(Argument::Scalar(Leaf::input(&name, &type_name(ty), scalar)));
                at += 1;
            }
            Some(ty) if ty.bits() > 0 && scalar_of(ty).is_none() => {
                // A structure in registers: machine-level parameters take it eight bytes at a time.
                let mut object = Object::default();
                Filler {
                    length,
                    usage: &Usage::default(),
                    reads: true,
                    writes: false,
                    fortran: false,
                }
                .place(&mut object, ty, &name, 0, 0)?;
                let index = layout.objects.len();
                let mut offset = 0;
                while offset < ty.bits().div_ceil(8) && at < machine.len() {
                    layout.arguments.push(Argument::Piece(index, offset));
                    offset += module.size_of(machine[at].ty()).next_multiple_of(8);
                    at += 1;
                }
                layout.objects.push(object.named(&name));
            }
            _ => {
                let argument =
                    undeclared(module, value, &name, &usage, length, &mut layout.objects)?;
                layout.arguments.push(argument);
                at += 1;
            }
        }
    }
    let leaves: usize = layout.objects.iter().map(Object::count).sum();
    if leaves > MOST_LEAVES {
        return Err(format!("has {leaves} scalars in its parameters, more than {MOST_LEAVES}"));
    }
    Ok(layout)
}

/// The scalars of a type, their names the ways to them; none where it holds something else.
pub(crate) fn leaves_of(ty: DebugType) -> Option<Vec<Leaf>> {
    leaves(ty, false)
}

/// The same, elements named as Fortran does.
pub(crate) fn leaves_of_fortran(ty: DebugType) -> Option<Vec<Leaf>> {
    leaves(ty, true)
}

fn leaves(ty: DebugType, fortran: bool) -> Option<Vec<Leaf>> {
    let mut object = Object::default();
    let filler =
        Filler { length: &|_| None, usage: &Usage::default(), reads: true, writes: false, fortran };
    filler.place(&mut object, ty, "", 0, DEEPEST).ok()?;
    (!object.leaves.is_empty() && object.leaves.len() <= MOST_LEAVES).then_some(object.leaves)
}

impl Leaf {
    pub fn input(name: &str, type_name: &str, scalar: Scalar) -> Leaf {
        Leaf {
            offset: 0,
            bit: None,
            name: name.into(),
            type_name: type_name.into(),
            scalar,
            is_input: true,
            is_output: false,
        }
    }
}

/// A parameter without a declared type: what its use tells.
fn undeclared(
    module: &Module,
    value: Value,
    name: &str,
    usage: &Usage,
    length: &dyn Fn(&str) -> Option<u64>,
    objects: &mut Vec<Object>,
) -> Result<Argument, String> {
    match value.ty().kind() {
        TypeKind::Float(format) => {
            Ok(Argument::Scalar(Leaf::input(name, &value.ty().text(), Scalar::Float(format))))
        }
        TypeKind::Integer(bits @ 1..=128) => {
            let scalar = Scalar::Integer { bits, signed: bits > 1 };
            Ok(Argument::Scalar(Leaf::input(name, &value.ty().text(), scalar)))
        }
        TypeKind::Pointer => {
            objects.push(by_use(module, name, usage, length));
            Ok(Argument::Address(objects.len() - 1))
        }
        TypeKind::Vector(lane, lanes) => {
            let mut object = Object::default();
            let scalar = match lane.kind() {
                TypeKind::Float(format) => Scalar::Float(format),
                TypeKind::Integer(bits) if bits >= 8 => Scalar::Integer { bits, signed: true },
                _ => {
                    return Err(format!(
                        "has the parameter `{name}` of type {}",
                        value.ty().text()
                    ));
                }
            };
            let step = module.size_of(lane);
            for i in 0..u64::from(lanes) {
                let mut leaf = Leaf::input(&format!("{name}[{i}]"), &lane.text(), scalar);
                leaf.offset = i * step;
                object.leaves.push(leaf);
            }
            object.size = step * u64::from(lanes);
            objects.push(object);
            Ok(Argument::Piece(objects.len() - 1, 0))
        }
        TypeKind::Integer(_)
        | TypeKind::Structure
        | TypeKind::Array(..)
        | TypeKind::Void
        | TypeKind::Other => {
            Err(format!("has the parameter `{name}` of type {}", value.ty().text()))
        }
    }
}

/// Memory as the code reads and writes it.
fn by_use(
    module: &Module,
    name: &str,
    usage: &Usage,
    length: &dyn Fn(&str) -> Option<u64>,
) -> Object {
    let mut object = Object::default();
    let scalar = |ty: crate::llvm::Type| match ty.kind() {
        TypeKind::Float(format) => Some(Scalar::Float(format)),
        TypeKind::Integer(bits @ (8 | 16 | 32 | 64)) => {
            Some(Scalar::Integer { bits, signed: true })
        }
        _ => None,
    };
    if let Some((element, scalar)) = usage.element.and_then(|ty| Some((ty, scalar(ty)?))) {
        let step = module.size_of(element);
        let inferred = DEFAULT_LENGTH.max(usage.extent.div_ceil(step));
        let count = length(name).unwrap_or(inferred.max(usage.reach.div_ceil(step)));
        for i in 0..count {
            object.leaves.push(Leaf {
                offset: i * step,
                bit: None,
                name: format!("{name}[{i}]"),
                type_name: element.text(),
                scalar,
                is_input: usage.is_read(i * step),
                is_output: usage.writes,
            });
        }
        object.is_array = true;
        object.length = length(name).unwrap_or(inferred);
        object.elements = count;
        object.size = count * step;
    } else {
        for (&offset, &ty) in &usage.types {
            let Some(scalar) = scalar(ty) else { continue };
            let name = if usage.types.len() == 1 && offset == 0 {
                name.to_owned()
            } else {
                format!("{name}+{offset}")
            };
            object.leaves.push(Leaf {
                offset,
                bit: None,
                name,
                type_name: ty.text(),
                scalar,
                is_input: usage.is_read(offset),
                is_output: usage.writes,
            });
            object.size = object.size.max(offset + module.size_of(ty));
        }
    }
    object.size = object.size.max(64);
    object
}

/// The object behind a declared pointer.
fn behind_pointer(
    module: &Module,
    pointer: DebugType,
    name: &str,
    usage: &Usage,
    length: &dyn Fn(&str) -> Option<u64>,
    depth: u32,
) -> Result<Object, String> {
    let mut constant = false;
    let mut base = pointer.base();
    while let Some(ty) = base {
        match ty.tag() {
            tag::CONST => constant = true,
            tag::TYPEDEF | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC => {}
            _ => break,
        }
        base = ty.base();
    }
    let Some(pointee) = base else {
        // `void *`: only its use can tell.
        return Ok(by_use(module, name, usage, length));
    };
    if pointee.tag() == tag::SUBROUTINE {
        return Err(format!("has the parameter `{name}`, a pointer to a function"));
    }
    let filler = Filler { length, usage, reads: constant, writes: !constant, fortran: false };
    let mut object = Object::default();
    let Some(scalar) = scalar_of(pointee) else {
        // A reference leads to one object, whose own length may be told.
        let told = length(name).filter(|_| pointer.tag() == tag::POINTER);
        let count = told.unwrap_or(1);
        let step = pointee.bits().div_ceil(8);
        for i in 0..count {
            let element =
                if told.is_none() { format!("{name}->") } else { format!("{name}[{i}].") };
            filler.members(&mut object, pointee, &element, i * step, depth)?;
        }
        object.size = object.size.max(count * step);
        return Ok(object);
    };
    let step = u64::from(scalar.bits()).div_ceil(8);
    let step = step.max(pointee.bits() / 8);
    let is_text = step == 1;
    let indexed = usage.variable || usage.extent > step;
    // What integers that are lengths may be, and how many elements that makes.
    let (length, count) = length(name).map(|told| (told, told)).unwrap_or_else(|| {
        if is_text {
            (DEFAULT_STRING, DEFAULT_STRING)
        } else if indexed {
            let least = if usage.variable { DEFAULT_LENGTH } else { 1 };
            let length = usage.extent.div_ceil(step).max(least);
            (length, length.max(usage.reach.div_ceil(step)))
        } else {
            (1, 1)
        }
    });
    for i in 0..count {
        let offset = i * step;
        object.leaves.push(Leaf {
            offset,
            bit: None,
            name: if count == 1 { format!("*{name}") } else { format!("{name}[{i}]") },
            type_name: type_name(pointee),
            scalar,
            is_input: constant || usage.is_read(offset),
            is_output: !constant,
        });
    }
    // A string ends with a zero that is no input.
    object.size = count * step + u64::from(is_text);
    object.is_array = usage.variable && !is_text;
    object.length = length;
    object.elements = count;
    Ok(object)
}

/// Fills objects with the leaves of declared types.
#[derive(Clone, Copy)]
struct Filler<'a> {
    length: &'a dyn Fn(&str) -> Option<u64>,
    usage: &'a Usage,
    /// Everything is an input, whatever the use.
    reads: bool,
    /// Everything is an output.
    writes: bool,
    /// Names elements as Fortran does.
    fortran: bool,
}

impl Filler<'_> {
    fn place(
        &self,
        object: &mut Object,
        ty: DebugType,
        name: &str,
        offset: u64,
        depth: u32,
    ) -> Result<(), String> {
        let ty = strip(ty);
        if object.leaves.len() > MOST_LEAVES {
            return Err(format!("has more than {MOST_LEAVES} scalars in `{name}`"));
        }
        if let Some(scalar) = scalar_of(ty) {
            object.leaves.push(Leaf {
                offset,
                bit: None,
                name: name.into(),
                type_name: type_name(ty),
                scalar,
                is_input: self.reads && !self.fortran || self.usage.is_read(offset),
                is_output: self.writes,
            });
            object.size = object.size.max(offset + ty.bits().div_ceil(8));
            return Ok(());
        }
        match ty.tag() {
            tag::ARRAY => {
                let element =
                    ty.base().map(strip).ok_or_else(|| format!("has the odd array `{name}`"))?;
                let step = element.bits().div_ceil(8);
                let ranges = ty.elements();
                let known: Option<u64> = ranges.iter().map(|range| range.count()).product();
                let told = (self.length)(name);
                let whole = |bytes: u64| bytes.div_ceil(step.max(1));
                let length = told.or(known).unwrap_or(DEFAULT_LENGTH.max(whole(self.usage.extent)));
                let count = told.or(known).unwrap_or(length.max(whole(self.usage.reach)));
                for i in 0..count {
                    let element_name = if self.fortran {
                        format!("{name}({})", i + 1)
                    } else {
                        format!("{name}[{i}]")
                    };
                    self.place(object, element, &element_name, offset + i * step, depth)?;
                }
                object.is_array = object.is_array || known.is_none();
                object.length = length;
                object.elements = count;
                Ok(())
            }
            tag::STRUCTURE | tag::CLASS | tag::UNION => {
                self.members(object, ty, &format!("{name}."), offset, depth)
            }
            tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => {
                object.size = object.size.max(offset + 8);
                if self.reads || self.usage.is_read(offset) {
                    object.nulls.push(name.into());
                }
                Ok(())
            }
            tag::BASE if ty.encoding() == encoding::COMPLEX => {
                let half = ty.bits() / 2;
                let format = float_format(half, &ty.name())
                    .ok_or_else(|| format!("has the odd complex `{name}`"))?;
                for (part, at) in [("real", 0), ("imag", half / 8)] {
                    object.leaves.push(Leaf {
                        offset: offset + at,
                        bit: None,
                        name: format!("{name}.{part}"),
                        type_name: type_name(ty),
                        scalar: Scalar::Float(format),
                        is_input: self.reads || self.usage.is_read(offset + at),
                        is_output: self.writes,
                    });
                }
                object.size = object.size.max(offset + ty.bits().div_ceil(8));
                Ok(())
            }
            _ => Err(format!("has `{name}` of type {}", type_name(ty))),
        }
    }

    fn members(
        &self,
        object: &mut Object,
        ty: DebugType,
        prefix: &str,
        offset: u64,
        depth: u32,
    ) -> Result<(), String> {
        let ty = strip(ty);
        object.size = object.size.max(offset + ty.bits().div_ceil(8));
        let whole = Filler { reads: true, writes: false, fortran: false, ..*self };
        let filling = Filling {
            length: self.length,
            writes: self.writes,
            place: &|object, ty, name, at| whole.place(object, ty, name, at, depth + 1),
        };
        if containers::place(&filling, object, ty, prefix, offset)? {
            return Ok(());
        }
        let members = ty.elements();
        let is_placed = |member: &&DebugType| {
            !member.is_static_member() && matches!(member.tag(), tag::MEMBER | tag::INHERITANCE)
        };
        let mut members: Vec<&DebugType> = members.iter().filter(is_placed).collect();
        if ty.tag() != tag::UNION || members.is_empty() {
            return members
                .into_iter()
                .try_for_each(|member| self.member(object, *member, prefix, offset, depth));
        }
        // Of a union the first member of the greatest size that can be made, so that every byte is
        // unknown.
        members.sort_by_key(|member| std::cmp::Reverse(member.bits()));
        let mut made = members.into_iter().map(|member| {
            let mut tried = object.clone();
            self.member(&mut tried, *member, prefix, offset, depth).map(|()| tried)
        });
        let made = made.find_map(Result::ok);
        *object = made.ok_or_else(|| {
            format!("has the union `{}`, which cannot be made", prefix.trim_end_matches('.'))
        })?;
        Ok(())
    }

    /// A member of a structure or union that lies at `offset`.
    fn member(
        &self,
        object: &mut Object,
        member: DebugType,
        prefix: &str,
        offset: u64,
        depth: u32,
    ) -> Result<(), String> {
        let Some(base) = member.base() else { return Ok(()) };
        let at = offset + member.offset() / 8;
        // The elements of a `std::array` are its own, as those of a base class are.
        let name = if member.tag() == tag::INHERITANCE || member.name() == "_M_elems" {
            prefix.trim_end_matches(['.', '-', '>']).to_owned()
        } else {
            format!("{prefix}{}", member.name())
        };
        if member.is_bit_field() {
            // The one between two units has no name.
            if !member.name().is_empty() {
                self.bit_field(object, member, &name, at);
            }
            return Ok(());
        }
        let stripped = strip(base);
        let is_read = self.reads || self.usage.is_read(at);
        if is_read
            && depth < DEEPEST
            && let Some(callback) = Callback::of(base, &name)
        {
            let callback = containers::callback(callback, &member.name(), prefix);
            object.callbacks.push((at, callback));
            return Ok(());
        }
        if stripped.tag() == tag::POINTER && depth < DEEPEST {
            match self.behind(stripped, &name, depth)? {
                Some(object_behind) => object.pointers.push((at, object_behind)),
                None if is_read => object.nulls.push(name),
                None => {}
            }
            return Ok(());
        }
        self.place(object, base, &name, at, depth)
    }

    fn bit_field(&self, object: &mut Object, member: DebugType, name: &str, at: u64) {
        let Some((ty, scalar)) = member.base().map(strip).and_then(|ty| Some((ty, scalar_of(ty)?)))
        else {
            return;
        };
        let Scalar::Integer { signed, .. } = scalar else { return };
        let scalar = Scalar::Integer { bits: member.bits() as u32, signed };
        object.leaves.push(Leaf {
            offset: at,
            bit: Some((member.offset() % 8) as u32),
            is_input: self.reads || self.usage.is_read(at),
            is_output: self.writes,
            ..Leaf::input(name, &type_name(ty), scalar)
        });
    }

    /// What a pointer inside a structure points to; `None` for what stays null.
    fn behind(&self, pointer: DebugType, name: &str, depth: u32) -> Result<Option<Object>, String> {
        let Some(pointee) = pointer.base().map(strip) else { return Ok(None) };
        let mut object = Object::default();
        let count = (self.length)(name).unwrap_or(1);
        let step = pointee.bits().div_ceil(8);
        let whole = Filler {
            length: self.length,
            usage: self.usage,
            reads: true,
            writes: true,
            fortran: false,
        };
        match pointee.tag() {
            tag::SUBROUTINE => return Ok(None),
            _ if step == 0 => return Ok(None),
            tag::STRUCTURE | tag::CLASS | tag::UNION => {
                whole.members(&mut object, pointee, &format!("{name}->"), 0, depth + 1)?;
            }
            _ => {
                for i in 0..count {
                    let element =
                        if count == 1 { format!("*{name}") } else { format!("{name}[{i}]") };
                    whole.place(&mut object, pointee, &element, i * step, depth + 1)?;
                }
            }
        }
        object.size = object.size.max(step * count);
        Ok(Some(object.named(name)))
    }
}

/// Whether a machine-level parameter can hold the declared scalar.
fn fits(value: Value, scalar: Scalar) -> bool {
    match (value.ty().kind(), scalar) {
        (TypeKind::Float(a), Scalar::Float(b)) => a == b,
        (TypeKind::Integer(a), Scalar::Integer { bits, .. }) => a >= bits,
        _ => false,
    }
}
