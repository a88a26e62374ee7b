//! Fortran's parameters that flang's debug information does not describe: derived types, which it
//! calls integers, and arrays behind descriptors.
//!
//! A derived type is known by the structure that the code indexes with, and its components by
//! the tables that flang writes for its run-time (`_QMmoduleE.c.type`). Of an array behind a
//! descriptor the shape is assumed; the report says so.

use crate::llvm::{Behind, DebugType, Module, Opcode, Type, TypeKind, Value};
use crate::target::declared::{Leaf, encoding, float_format, scalar_of, strip, tag, type_name};
use crate::target::extent::DEFAULT_LENGTH;
use crate::target::memory_use::Usage;
use crate::target::object::{MOST_LEAVES, Object};
use crate::target::scalar::Scalar;
use std::collections::BTreeSet;

/// What flang writes into every descriptor.
const VERSION: u64 = 20_180_515;
/// The bytes of a descriptor before its dimensions, and of a dimension.
const HEADER: u64 = 24;
const DIMENSION: u64 = 24;

/// A parameter that is passed by reference, where its declared type does not tell what it is.
/// `None`: the declared type does.
pub(crate) fn parameter(
    module: &Module,
    value: Value,
    declared: DebugType,
    name: &str,
    usage: &Usage,
    length: &dyn Fn(&str) -> Option<u64>,
) -> Result<Option<Object>, String> {
    let element = if declared.tag() == tag::ARRAY { declared.base().map(strip) } else { None };
    let is_placeholder = |ty: DebugType| ty.tag() == tag::BASE && ty.name() == "integer";
    let derived = match is_placeholder(element.unwrap_or(declared)) {
        true => derived_type(value),
        false => None,
    };
    let filler = Filler { module };
    if let (tag::ARRAY, Some(behind), Some(element)) =
        (declared.tag(), declared.descriptor(), element)
    {
        let element = match derived {
            Some(ty) => Element::Derived(ty),
            None => Element::Declared(element),
        };
        let rank = declared.elements().len().max(1) as u32;
        return filler.descriptor(name, behind, rank, element, length(name)).map(Some);
    }
    if let Some(ty) = derived
        && is_polymorphic(value)
    {
        return filler.polymorphic(name, ty).map(Some);
    }
    let Some(ty) = derived else {
        let bytes = declared.bits().div_ceil(8);
        let is_odd = scalar_of(declared).is_some()
            && (usage.extent > bytes.max(1)
                || usage.types.values().any(|ty| ty.kind() == TypeKind::Pointer));
        return match is_odd {
            true => Err(format!(
                "has the parameter `{name}`, of whose type neither its debug information nor its \
                 use tells enough"
            )),
            false => Ok(None),
        };
    };
    let mut object = Object::default();
    let is_array = declared.tag() == tag::ARRAY;
    let known: Option<u64> = declared.elements().iter().map(|range| range.count()).product();
    let count = match is_array {
        true => length(name).or(known).unwrap_or(DEFAULT_LENGTH),
        false => 1,
    };
    let step = module.size_of(ty);
    for i in 0..count {
        let name = if is_array { format!("{name}({})", i + 1) } else { name.to_owned() };
        filler.place(&mut object, ty, &name, i * step)?;
    }
    for leaf in &mut object.leaves {
        leaf.is_input = usage.is_read(leaf.offset);
        leaf.is_output = usage.writes;
    }
    object.size = object.size.max(count * step);
    object.is_array = is_array && known.is_none();
    (object.length, object.elements) = (count, count);
    Ok(Some(object))
}

/// Whether a function looks whether a parameter was given.
pub(crate) fn is_optional(parameter: Value) -> bool {
    parameter.users().into_iter().any(|user| {
        let is_comparison = |value: &Value| value.opcode() == Some(Opcode::LLVMICmp);
        match user.opcode() {
            Some(Opcode::LLVMICmp) => true,
            Some(Opcode::LLVMPtrToInt) => user.users().iter().any(is_comparison),
            _ => false,
        }
    })
}

/// The symbol of the derived type of what a parameter leads to.
pub(crate) fn derived_symbol(parameter: Value) -> Option<String> {
    derived_type(parameter).and_then(derived_name)
}

/// The derived type that code takes what a parameter leads to for.
fn derived_type(parameter: Value) -> Option<Type> {
    let mut seen = BTreeSet::from([parameter]);
    let mut list = vec![parameter];
    while let Some(value) = list.pop() {
        for user in value.users() {
            let next = match user.opcode() {
                Some(Opcode::LLVMGetElementPtr) if user.operand(0) == value => {
                    let ty = user.source_element_type();
                    if derived_name(ty).is_some() {
                        return Some(ty);
                    }
                    Some(user)
                }
                Some(Opcode::LLVMLoad) if user.ty().kind() == TypeKind::Pointer => Some(user),
                Some(Opcode::LLVMPHI | Opcode::LLVMSelect | Opcode::LLVMInsertValue) => Some(user),
                // A descriptor is copied to one of the function's own.
                Some(Opcode::LLVMStore) if user.operand(0) == value => {
                    let place = user.operand(1);
                    (place.opcode() == Some(Opcode::LLVMAlloca)).then_some(place)
                }
                Some(Opcode::LLVMCall) => user.callee().and_then(|callee| {
                    let at = user.arguments().iter().position(|argument| *argument == value)?;
                    callee.parameters().get(at).copied().filter(|_| !callee.is_declaration())
                }),
                _ => None,
            };
            if let Some(next) = next
                && seen.insert(next)
            {
                list.push(next);
            }
        }
    }
    None
}

/// Whether code takes a parameter for the descriptor of an object whose type is known when the
/// program runs: `class(t)`.
fn is_polymorphic(parameter: Value) -> bool {
    parameter.users().into_iter().any(|user| {
        user.opcode() == Some(Opcode::LLVMGetElementPtr)
            && user.operand(0) == parameter
            && user.source_element_type().text().starts_with("{ ptr, i64, i32, i8, i8, i8, i8, ptr")
    })
}

/// The symbol of a derived type, such as `_QMmoduleTtype`.
fn derived_name(ty: Type) -> Option<String> {
    if ty.kind() != TypeKind::Structure {
        return None;
    }
    let text = ty.text();
    let name = text.strip_prefix('%')?.split(' ').next()?.trim_matches('"').to_owned();
    // Where files are linked, types of one name are numbered.
    let is_number = |end: &str| !end.is_empty() && end.chars().all(|c| c.is_ascii_digit());
    let name = match name.rsplit_once('.') {
        Some((stem, end)) if is_number(end) => stem.to_owned(),
        Some(_) | None => name,
    };
    (name.starts_with("_Q") && name.contains('T') && !name.contains("__fortran_")).then_some(name)
}

/// The names of a derived type's components, in order, where flang's table of them is there.
fn components(module: &Module, ty: Type) -> Option<Vec<String>> {
    let symbol = derived_name(ty)?;
    let (scope, name) = symbol.rsplit_once('T')?;
    let table = module.global(&format!("{scope}E.c.{name}"))?.initializer()?;
    let count = ty.members().len() as u32;
    (0..count)
        .map(|at| {
            let name = table.constant_element(at)?.constant_element(0)?.constant_element(0)?;
            String::from_utf8(name.initializer()?.constant_data()?).ok()
        })
        .collect()
}

#[derive(Clone, Copy)]
enum Element {
    Declared(DebugType),
    Derived(Type),
}

struct Filler<'m> {
    module: &'m Module,
}

impl Filler<'_> {
    /// A descriptor, and the array behind it.
    fn descriptor(
        &self,
        name: &str,
        behind: Behind,
        rank: u32,
        element: Element,
        told: Option<u64>,
    ) -> Result<Object, String> {
        let extent = match (told, rank) {
            (Some(count), 1) => count,
            // So many in each dimension that no more are there than the user says.
            (Some(count), _) => (1..)
                .take_while(|side: &u64| side.saturating_pow(rank) <= count)
                .last()
                .unwrap_or(1),
            (None, 1) => DEFAULT_LENGTH,
            (None, 2) => 3,
            (None, _) => 2,
        };
        let mut array = Object { on_heap: behind == Behind::Allocatable, ..Object::default() };
        let count = extent.saturating_pow(rank);
        let (step, code) = match element {
            Element::Declared(ty) => (ty.bits().div_ceil(8), type_code(ty)),
            Element::Derived(ty) => (self.module.size_of(ty), 42),
        };
        for at in 0..count.min(MOST_LEAVES as u64 + 1) {
            let element_name = format!("{name}({})", indices(at, extent, rank));
            match element {
                Element::Declared(ty) => declared(&mut array, ty, &element_name, at * step)?,
                Element::Derived(ty) => self.place(&mut array, ty, &element_name, at * step)?,
            }
        }
        // The callee may give it another shape.
        array.leaves.iter_mut().for_each(|leaf| leaf.is_output = !array.on_heap);
        array.size = array.size.max(count * step).max(1);
        array.name = name.to_owned();
        let attribute = match behind {
            Behind::Shape => 0,
            Behind::Pointer => 1,
            Behind::Allocatable => 2,
        };
        let mut object = Object {
            size: HEADER + DIMENSION * u64::from(rank) + 16,
            fixed: vec![
                (8, 64, step),
                (16, 32, VERSION),
                (20, 8, u64::from(rank)),
                (21, 8, code),
                (22, 8, attribute),
            ],
            pointers: vec![(0, array)],
            is_array: true,
            length: extent,
            elements: extent,
            shape: vec![extent; rank as usize],
            ..Object::default()
        };
        for dimension in 0..rank {
            let at = HEADER + DIMENSION * u64::from(dimension);
            let stride = step * extent.saturating_pow(dimension);
            object.fixed.extend([(at, 64, 1), (at + 8, 64, extent), (at + 16, 64, stride)]);
        }
        Ok(object)
    }

    /// The descriptor of an object of a type, and the object.
    fn polymorphic(&self, name: &str, ty: Type) -> Result<Object, String> {
        let mut behind = Object { name: name.to_owned(), ..Object::default() };
        self.place(&mut behind, ty, name, 0)?;
        let table = derived_name(ty).and_then(|symbol| {
            let (scope, name) = symbol.rsplit_once('T')?;
            Some((HEADER, format!("{scope}E.dt.{name}")))
        });
        Ok(Object {
            size: HEADER + 16,
            // No dimensions, a derived type, and a table of it behind.
            fixed: vec![
                (8, 64, self.module.size_of(ty)),
                (16, 32, VERSION),
                (21, 8, 42),
                (23, 8, 1),
            ],
            symbols: table.into_iter().collect(),
            pointers: vec![(0, behind)],
            ..Object::default()
        })
    }

    /// A component, or an element, as LLVM's type of it is.
    fn place(&self, object: &mut Object, ty: Type, name: &str, offset: u64) -> Result<(), String> {
        if object.leaves.len() > MOST_LEAVES {
            return Err(format!("has more than {MOST_LEAVES} scalars in `{name}`"));
        }
        object.size = object.size.max(offset + self.module.size_of(ty));
        let mut leaf = |name: &str, type_name: &str, scalar: Scalar, offset: u64| {
            let input = Leaf::input(name, type_name, scalar);
            object.leaves.push(Leaf { offset, is_output: true, ..input });
        };
        match ty.kind() {
            TypeKind::Float(format) => leaf(name, "real", Scalar::Float(format), offset),
            TypeKind::Integer(bits @ 8..=128) => {
                leaf(name, "integer", Scalar::Integer { bits, signed: true }, offset);
            }
            TypeKind::Array(element, count) => {
                let step = self.module.size_of(element);
                for i in 0..count {
                    let name = format!("{name}({})", i + 1);
                    self.place(object, element, &name, offset + i * step)?;
                }
            }
            TypeKind::Structure => {
                let members = ty.members();
                let names = components(self.module, ty);
                let is_complex = derived_name(ty).is_none()
                    && members.len() == 2
                    && members.iter().all(|m| matches!(m.kind(), TypeKind::Float(_)));
                // A component that is allocatable or a pointer has a descriptor: not allocated.
                let is_descriptor = derived_name(ty).is_none()
                    && members.first().is_some_and(|m| m.kind() == TypeKind::Pointer);
                if is_descriptor {
                    let rank = self.module.size_of(ty).saturating_sub(HEADER) / DIMENSION;
                    object.fixed.extend([(offset + 16, 32, VERSION), (offset + 20, 8, rank)]);
                    return Ok(());
                }
                for (at, member) in members.into_iter().enumerate() {
                    let name = match (&names, is_complex) {
                        (Some(names), _) => format!("{name}%{}", names[at]),
                        (None, true) => format!("{name}%{}", ["re", "im"][at]),
                        (None, false) => format!("{name}%{}", at + 1),
                    };
                    let offset = offset + self.module.offset_of(ty, at as u32);
                    self.place(object, member, &name, offset)?;
                }
            }
            TypeKind::Integer(_)
            | TypeKind::Pointer
            | TypeKind::Vector(..)
            | TypeKind::Void
            | TypeKind::Other => {}
        }
        Ok(())
    }
}

/// An element of a declared type.
fn declared(object: &mut Object, ty: DebugType, name: &str, offset: u64) -> Result<(), String> {
    let mut leaf = |name: String, scalar: Scalar, offset: u64| {
        let input = Leaf::input(&name, &type_name(ty), scalar);
        object.leaves.push(Leaf { offset, is_output: true, ..input });
    };
    if let Some(scalar) = scalar_of(ty) {
        leaf(name.to_owned(), scalar, offset);
        return Ok(());
    }
    let half = ty.bits() / 2;
    if ty.tag() == tag::BASE
        && ty.encoding() == encoding::COMPLEX
        && let Some(format) = float_format(half, &ty.name())
    {
        leaf(format!("{name}%re"), Scalar::Float(format), offset);
        leaf(format!("{name}%im"), Scalar::Float(format), offset + half / 8);
        return Ok(());
    }
    Err(format!("has `{name}` of type {}", type_name(ty)))
}

/// The indices of an element of an array with the same extent in each dimension.
fn indices(at: u64, extent: u64, rank: u32) -> String {
    let mut rest = at;
    let mut list = Vec::new();
    for _ in 0..rank {
        list.push((rest % extent.max(1) + 1).to_string());
        rest /= extent.max(1);
    }
    list.join(",")
}

/// The number by which a descriptor names the type of its elements.
fn type_code(ty: DebugType) -> u64 {
    match (scalar_of(ty), ty.bits(), ty.encoding()) {
        (Some(Scalar::Float(_)), 32, _) => 27,
        (Some(Scalar::Float(_)), 64, _) => 28,
        (Some(Scalar::Float(_)), 80, _) => 29,
        (Some(Scalar::Float(_)), _, _) => 31,
        (None, 64, encoding::COMPLEX) => 34,
        (None, 128, encoding::COMPLEX) => 35,
        (_, 8, _) => 7,
        (_, 16, _) => 8,
        (_, 32, _) => 9,
        (_, 64, _) => 10,
        (_, _, _) => 42,
    }
}
