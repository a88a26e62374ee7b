//! Classes of C++'s standard library (libstdc++'s) as inputs: a vector is an array with a number of
//! elements, a string one of characters, a `std::function` a callback. Others that have pointers to
//! what only the library can make are not made.

use crate::llvm::DebugType;
use crate::target::callback::Callback;
use crate::target::declared::{Leaf, strip, tag};
use crate::target::extent::DEFAULT_LENGTH;
use crate::target::object::Object;
use crate::target::scalar::Scalar;

/// Places what a declared type is made of in an object, at an offset, under a name.
type Place<'a> = dyn Fn(&mut Object, DebugType, &str, u64) -> Result<(), String> + 'a;

/// How a parameter is filled.
pub(crate) struct Filling<'a> {
    /// What the user said about an array.
    pub length: &'a dyn Fn(&str) -> Option<u64>,
    /// Whether the callee may write.
    pub writes: bool,
    /// Places an element, all of it an input.
    pub place: &'a Place<'a>,
}

/// The pointers of libstdc++'s `std::vector`: to the first element, behind the last, and behind
/// the memory.
const START: &str = "_M_start";
const ENDS: [&str; 2] = ["_M_finish", "_M_end_of_storage"];

/// How many characters a string has when nothing tells.
const CHARACTERS: u64 = 8;

/// Places what a class of the standard library consists of, if it is one of those above.
pub(crate) fn place(
    filling: &Filling,
    object: &mut Object,
    ty: DebugType,
    prefix: &str,
    offset: u64,
) -> Result<bool, String> {
    if vector(filling, object, ty, prefix, offset)? || string(filling, object, ty, prefix, offset) {
        return Ok(true);
    }
    let is_pointer = |member: &DebugType| {
        !member.is_static_member()
            && member.base().map(strip).is_some_and(|ty| {
                let behind = ty.base().map(strip);
                ty.tag() == tag::POINTER && behind.is_some_and(|ty| ty.tag() != tag::SUBROUTINE)
            })
    };
    match ty.is_standard() && ty.tag() != tag::UNION && members(ty).iter().any(is_pointer) {
        true => Err(format!("has `{}`, which only the standard library can make", path(prefix))),
        false => Ok(false),
    }
}

/// What a callback is called that is a member: of a `std::function`, the whole. What copies and
/// ends such a function returns nothing that counts.
pub(crate) fn callback(callback: Callback, member: &str, prefix: &str) -> Callback {
    match member {
        "_M_invoker" => callback.named(path(prefix)),
        "_M_manager" => callback.without_result(),
        _ => callback,
    }
}

/// The members of a class; its functions and types stand among them.
fn members(ty: DebugType) -> Vec<DebugType> {
    ty.elements().into_iter().filter(|element| element.tag() == tag::MEMBER).collect()
}

/// The way to an object, without the names of members that lead there within the library.
fn path(prefix: &str) -> &str {
    let outer = prefix.find("_M_").map_or(prefix, |at| &prefix[..at]);
    outer.trim_end_matches(['.', '-', '>'])
}

/// Places the characters of a string, if these are a string's members.
fn string(
    filling: &Filling,
    object: &mut Object,
    ty: DebugType,
    prefix: &str,
    offset: u64,
) -> bool {
    let members = members(ty);
    let place = |name: &str| {
        let member = members.iter().find(|member| member.name() == name)?;
        Some(offset + member.offset() / 8)
    };
    let (Some(data), Some(length)) = (place("_M_dataplus"), place("_M_string_length")) else {
        return false;
    };
    let name = path(prefix);
    let count = (filling.length)(name).unwrap_or(CHARACTERS);
    let character = |i: u64| {
        let scalar = Scalar::Integer { bits: 8, signed: true };
        Leaf { offset: i, ..Leaf::input(&format!("{name}[{i}]"), "char", scalar) }
    };
    let text = Object {
        name: name.to_owned(),
        // A zero ends it.
        size: count + 1,
        leaves: (0..count).map(character).collect(),
        shape: vec![count],
        on_heap: filling.writes,
        ..Object::default()
    };
    object.size = object.size.max(offset + ty.bits().div_ceil(8));
    object.fixed.push((length, 64, count));
    object.pointers.push((data, text));
    true
}

/// Places the array of a vector, if these are a vector's members. `prefix` leads to them.
fn vector(
    filling: &Filling,
    object: &mut Object,
    ty: DebugType,
    prefix: &str,
    offset: u64,
) -> Result<bool, String> {
    let members = members(ty);
    let place = |name: &str| {
        let member = members.iter().find(|member| member.name() == name)?;
        let is_pointer = strip(member.base()?).tag() == tag::POINTER;
        is_pointer.then(|| (offset + member.offset() / 8, member.base().map(strip)))
    };
    let Some((start, Some(pointer))) = place(START) else { return Ok(false) };
    let (Some(finish), Some(end)) = (place(ENDS[0]), place(ENDS[1])) else { return Ok(false) };
    let Some(element) = pointer.base().map(strip) else { return Ok(false) };
    let name = path(prefix);
    let count = (filling.length)(name).unwrap_or(DEFAULT_LENGTH);
    let step = element.bits().div_ceil(8);
    let mut array = Object {
        name: name.to_owned(),
        size: count * step,
        is_array: true,
        length: count,
        elements: count,
        shape: vec![count],
        // What is not constant may grow, and then frees it.
        on_heap: filling.writes,
        ..Object::default()
    };
    for i in 0..count {
        let element_name = format!("{name}[{i}]");
        (filling.place)(&mut array, element, &element_name, i * step)?;
    }
    object.size = object.size.max(end.0 + 8);
    object.within.extend([(finish.0, start, count * step), (end.0, start, count * step)]);
    object.pointers.push((start, array));
    Ok(true)
}
