//! From a prototype and the registers at a call to its arguments: the System V calling
//! convention, and the referenced elements of arrays.

use super::expression::{Environment, NoValue, Scalar};
use super::{
    Argument, Element, Intent, Kind, Language, Parameter, Passing, Place, Prototype, Returned,
    Shape,
};
use crate::trace::State;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Reads the memory of the process that makes the call.
pub trait Reader {
    /// `length` bytes from `address` on, or nothing if they are not there.
    fn read(&mut self, address: u64, length: usize) -> Option<Vec<u8>>;
}

/// The arguments of one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The parameters in order, then the result.
    pub arguments: Vec<Argument>,
    /// The values of the scalars, by name.
    pub environment: Environment,
}

/// An array with more referenced elements than this is refused.
const MOST_ELEMENTS: i64 = 1 << 20;

/// The general registers that pass arguments: rdi, rsi, rdx, rcx, r8, r9.
const GENERAL: [u8; 6] = [7, 6, 2, 1, 8, 9];

/// Where parameters are, as they are handed out.
struct Convention {
    general: usize,
    vector: u8,
    stack: u64,
}

impl Convention {
    fn general(&mut self) -> Place {
        if let Some(register) = GENERAL.get(self.general) {
            self.general += 1;
            return Place::General { register: *register, byte: 0 };
        }
        Place::Memory(self.stack(8))
    }

    fn stack(&mut self, bytes: u64) -> u64 {
        let address = self.stack;
        self.stack += bytes;
        address
    }

    /// The places of so many floating-point numbers that are one value: a scalar, the parts of a complex
    /// number, the fields of a structure. What fits into two registers is in registers, if all of it is.
    fn floats(&mut self, bits: u32, count: u64) -> Vec<Place> {
        let apart = u64::from(storage(bits));
        let registers = (count * apart).div_ceil(8);
        let fits = bits != 80 && registers <= 2 && u64::from(self.vector) + registers <= 8;
        if !fits {
            if bits == 80 && !self.stack.is_multiple_of(16) {
                self.stack += 8;
            }
            let base = self.stack((count * apart).next_multiple_of(8));
            return (0..count).map(|k| Place::Memory(base + apart * k)).collect();
        }
        let first = self.vector;
        self.vector += registers as u8;
        (0..count)
            .map(|k| Place::Vector {
                register: first + (k * apart / 8) as u8,
                byte: (k * apart % 8) as u8,
            })
            .collect()
    }
}

/// The scalars of a call, and where all its parameters are.
struct Scalars {
    environment: Environment,
    /// Of each parameter, the place of the scalar or of the array's first element.
    places: Vec<Vec<Place>>,
    /// Of each parameter, the structure that it lies inside of.
    structures: Vec<Option<u64>>,
    /// Where the result goes that does not fit into registers, and how many scalars it has.
    hidden_result: Option<(u64, u64)>,
}

fn scalars(
    prototype: &Prototype,
    state: &State,
    reader: &mut dyn Reader,
    integer_bits: u32,
) -> Result<Scalars, NoValue> {
    let mut convention = Convention { general: 0, vector: 0, stack: state.general[4] + 8 };
    // A structure that does not fit into two registers is returned where the first argument says.
    let mut hidden_result = None;
    let in_memory = match (&prototype.result, &prototype.returned) {
        (Some(result), _) => returned_in_memory(result)?,
        (None, Some(returned)) => (returned.in_memory || returned.size > 16).then_some(0),
        (None, None) => None,
    };
    if let Some(count) = in_memory {
        let place = convention.general();
        let address = read_integer(state, reader, place, 64)?;
        hidden_result = Some((address as u64, count));
    }
    let mut environment = Environment::new();
    let mut places: Vec<Vec<Place>> = Vec::new();
    let mut structures = Vec::new();
    let mut structure = 0;
    for parameter in &prototype.parameters {
        let bits = bits_of(parameter, integer_bits);
        let place = match (parameter.passing, parameter.kind) {
            (Passing::Value, Kind::Real | Kind::Complex) => {
                convention.floats(bits, scalars_of(parameter)?)
            }
            (Passing::Value, Kind::Character | Kind::Integer) | (Passing::Address, _) => {
                vec![convention.general()]
            }
            (Passing::Reference, kind) => {
                let inside = parameter.inside.as_ref();
                if inside.is_none_or(|inside| !inside.shared) {
                    let pointer = convention.general();
                    structure = read_integer(state, reader, pointer, 64)? as u64;
                }
                let address = match inside {
                    None => structure,
                    // What leads nowhere has no numbers.
                    Some(inside) => follow(structure, &inside.path, reader).unwrap_or(0),
                };
                // An optional argument that is not there has no numbers either.
                let mut parts =
                    if address == 0 { Vec::new() } else { vec![Place::Memory(address)] };
                if kind == Kind::Complex && address != 0 {
                    parts.push(Place::Memory(address.wrapping_add(u64::from(storage(bits)))));
                }
                parts
            }
        };
        let is_value = parameter.passing != Passing::Address && parameter.shape.is_none();
        if is_value && !parameter.observed && parameter.intent.is_input() && !place.is_empty() {
            let value = scalar(state, reader, parameter.kind, bits, &place)
                .map_err(|NoValue(why)| NoValue(format!("{}: {why}", parameter.name)))?;
            environment.insert(parameter.name.clone(), value);
        }
        if let Some(shape) = &parameter.shape
            && parameter.intent.is_input()
            && let [Place::Memory(base), ..] = place.as_slice()
            && let Some(count) = small_constant(shape)
        {
            for k in 0..count {
                let at = [Place::Memory(base + k * u64::from(storage(bits)))];
                if let Ok(value) = scalar(state, reader, parameter.kind, bits, &at) {
                    environment.insert(format!("{}[{k}]", parameter.name), value);
                }
            }
        }
        structures.push(match parameter.passing {
            Passing::Address => Some(read_integer(state, reader, place[0], 64)? as u64),
            Passing::Value | Passing::Reference => parameter.inside.as_ref().map(|_| structure),
        });
        places.push(place);
    }
    Ok(Scalars { environment, places, structures, hidden_result })
}

/// The addresses that are read on the way to what lies inside of a structure, and where it is in the end.
pub(crate) fn hops(
    structure: u64,
    path: &[u64],
    reader: &mut dyn Reader,
) -> Option<(Vec<u64>, u64)> {
    let mut read = Vec::new();
    let (last, before) = path.split_last()?;
    let mut at = structure;
    for offset in before {
        let from = at.checked_add(*offset).filter(|_| at != 0)?;
        read.push(from);
        at = u64::from_le_bytes(reader.read(from, 8)?.try_into().ok()?);
    }
    let found = at.checked_add(*last).filter(|_| at != 0)?;
    Some((read, found))
}

fn follow(structure: u64, path: &[u64], reader: &mut dyn Reader) -> Option<u64> {
    hops(structure, path, reader).map(|(_, found)| found)
}

/// Tells calls apart by the integers and characters that they are given, and by which numbers are 0 or 1:
/// with these, functions do less.
pub fn signature(
    prototype: &Prototype,
    state: &State,
    reader: &mut dyn Reader,
    integer_bits: u32,
) -> Option<u64> {
    let Scalars { environment, .. } = scalars(prototype, state, reader, integer_bits).ok()?;
    let mut hasher = DefaultHasher::new();
    for (name, value) in &environment {
        match value {
            Scalar::Integer(value) => (name, *value).hash(&mut hasher),
            Scalar::Character(value) => (name, i64::from(*value)).hash(&mut hasher),
            Scalar::Real(value) => (name, *value == 0.0, *value == 1.0).hash(&mut hasher),
            Scalar::Truth(_) => {}
        }
    }
    Some(hasher.finish())
}

/// What `prototype` says of the call whose registers are `state`, before its first instruction.
/// `integer_bits` is the size of Fortran's default integers.
pub fn bind(
    prototype: &Prototype,
    state: &State,
    reader: &mut dyn Reader,
    integer_bits: u32,
) -> Result<Bound, NoValue> {
    let Scalars { environment, places, structures, hidden_result } =
        scalars(prototype, state, reader, integer_bits)?;
    for condition in &prototype.require {
        if !condition.truth(&environment)? {
            return Err(NoValue("the call does not meet the prototype's `require`".to_string()));
        }
    }
    let mut arguments = Vec::new();
    let passed = places.iter().zip(structures);
    for (parameter, (place, structure)) in prototype.parameters.iter().zip(passed) {
        let named = |NoValue(why)| NoValue(format!("{}: {why}", parameter.name));
        let mut argument = empty(parameter, integer_bits);
        if let (Passing::Reference, Some(Place::Memory(base))) = (parameter.passing, place.first())
        {
            argument.base = Some(*base);
        }
        argument.origin = structure;
        match (&parameter.shape, place.as_slice()) {
            // An address is nobody's number.
            (None, _) if parameter.observed || parameter.passing == Passing::Address => {}
            (Some(_), fields)
                if parameter.passing == Passing::Value && parameter.kind.is_float() =>
            {
                push_fields(&mut argument, fields);
            }
            (None, parts) => {
                argument.value = match environment.get(&parameter.name) {
                    Some(Scalar::Integer(value)) => Some(*value),
                    Some(Scalar::Character(value)) => Some(i64::from(*value)),
                    Some(Scalar::Real(_) | Scalar::Truth(_)) | None => None,
                };
                push_parts(&mut argument, &parameter.name, parts, parameter.intent);
            }
            (Some(shape), [Place::Memory(base), ..]) => {
                let bits = argument.bits;
                elements(prototype.language, shape, *base, &mut argument, bits, &environment)
                    .map_err(named)?;
                if let Some(shape) = &parameter.out_shape {
                    let mut out = empty(parameter, integer_bits);
                    elements(prototype.language, shape, *base, &mut out, bits, &environment)
                        .map_err(named)?;
                    apart(&mut argument.elements, out.elements);
                }
            }
            (Some(_), []) => return Err(named(NoValue("no address is passed".to_string()))),
            (Some(_), _) => {
                return Err(named(NoValue("an array of integers is passed by value".to_string())));
            }
        }
        arguments.push(argument);
    }
    if let Some(result) = &prototype.result {
        let mut argument = empty(result, integer_bits);
        returned(result, argument.bits, hidden_result, &mut argument)?;
        arguments.push(argument);
    }
    if let Some(whole) = &prototype.returned {
        for field in &prototype.fields {
            let mut argument = empty(field, integer_bits);
            let at = field.inside.as_ref().and_then(|inside| inside.path.first().copied());
            let from = at.unwrap_or(0);
            let size = u64::from(storage(argument.bits));
            let memory = hidden_result.map(|(address, _)| address);
            let places: Vec<Place> = (0..scalars_of(field)?)
                .map(|k| returned_field(whole, from + k * size, memory))
                .collect();
            push_fields(&mut argument, &places);
            arguments.push(argument);
        }
    }
    for documented in &prototype.documented {
        if !documented.condition.truth(&environment).unwrap_or(false) {
            continue;
        }
        for argument in &mut arguments {
            if documented.parameters.is_empty() || documented.parameters.contains(&argument.name) {
                for element in &mut argument.elements {
                    element.documented.get_or_insert_with(|| documented.text.clone());
                }
            }
        }
    }
    Ok(Bound { arguments, environment })
}

/// How many elements a short array of constant length has: its elements may be named in
/// expressions.
fn small_constant(shape: &Shape) -> Option<u64> {
    let [dimension] = shape.dimensions.as_slice() else { return None };
    let count = dimension.extent.integer(&Environment::new()).ok()?;
    (shape.step.is_none() && (0..=16).contains(&count)).then_some(count as u64)
}

fn bits_of(parameter: &Parameter, integer_bits: u32) -> u32 {
    if parameter.default_size { integer_bits } else { parameter.bits }
}

/// The bytes from one scalar to the next.
pub(super) fn storage(bits: u32) -> u32 {
    if bits == 80 { 16 } else { bits / 8 }
}

fn empty(parameter: &Parameter, integer_bits: u32) -> Argument {
    Argument {
        name: parameter.name.clone(),
        kind: parameter.kind,
        bits: bits_of(parameter, integer_bits),
        intent: parameter.intent,
        elements: Vec::new(),
        value: None,
        base: None,
        origin: None,
    }
}

/// The numbers of a structure that is passed or returned by value.
fn push_fields(argument: &mut Argument, places: &[Place]) {
    let parts = if argument.kind == Kind::Complex { 2 } else { 1 };
    let (name, intent) = (argument.name.clone(), argument.intent);
    for (k, chunk) in places.chunks(parts).enumerate() {
        let several = places.len() > parts;
        let field = if several { format!("{name}[{k}]") } else { name.clone() };
        push_parts(argument, &field, chunk, intent);
    }
}

fn push_parts(argument: &mut Argument, name: &str, parts: &[Place], intent: Intent) {
    for (part, place) in parts.iter().enumerate() {
        let name = match (argument.kind, part) {
            (Kind::Complex, 0) => format!("{name}.re"),
            (Kind::Complex, _) => format!("{name}.im"),
            (Kind::Character | Kind::Integer | Kind::Real, _) => name.to_string(),
        };
        argument.elements.push(Element {
            name,
            place: *place,
            input: intent.is_input(),
            output: intent.is_output(),
            documented: None,
        });
    }
}

fn elements(
    language: Language,
    shape: &Shape,
    base: u64,
    argument: &mut Argument,
    bits: u32,
    environment: &Environment,
) -> Result<(), NoValue> {
    let mut names = environment.clone();
    let mut extents = Vec::new();
    let mut count = 1i64;
    for dimension in &shape.dimensions {
        let extent = dimension.extent.integer(&names)?.max(0);
        count = count
            .checked_mul(extent)
            .filter(|count| *count <= MOST_ELEMENTS)
            .ok_or_else(|| NoValue(format!("there are more than {MOST_ELEMENTS} elements")))?;
        extents.push(extent);
    }
    let step = match &shape.step {
        Some(step) => Some(step.integer(&names)?),
        None => None,
    };
    let parts = if argument.kind == Kind::Complex { 2 } else { 1 };
    let size = i64::from(storage(bits)) * parts;
    let mut indices = vec![0i64; extents.len()];
    let mut found: Vec<(i64, String, [bool; 2])> = Vec::new();
    for _ in 0..count {
        for (dimension, index) in shape.dimensions.iter().zip(&indices) {
            names.insert(dimension.index.clone(), Scalar::Integer(*index));
        }
        let mut referenced = [true; 2];
        if let Some(condition) = &shape.condition {
            for part in 0..parts {
                names.insert("part".to_string(), Scalar::Integer(part));
                referenced[part as usize] = condition.truth(&names)?;
            }
        }
        if referenced[..parts as usize].contains(&true) {
            let offset = match (&shape.offset, step) {
                (Some(offset), _) => offset.integer(&names)?,
                (None, Some(step)) if step < 0 => (indices[0] - extents[0] + 1) * step,
                (None, Some(step)) => indices[0] * step,
                (None, None) => indices[0],
            };
            found.push((offset, element_name(language, &argument.name, &indices), referenced));
        }
        // The first index runs fastest.
        for (index, extent) in indices.iter_mut().zip(&extents) {
            *index += 1;
            if *index < *extent {
                break;
            }
            *index = 0;
        }
    }
    found.sort();
    found.dedup_by_key(|(offset, _, _)| *offset);
    let intent = argument.intent;
    for (offset, name, referenced) in found {
        let address = base.wrapping_add_signed(offset * size);
        let places: Vec<Place> = (0..parts as u64)
            .map(|part| Place::Memory(address + part * u64::from(storage(bits))))
            .collect();
        let before = argument.elements.len();
        push_parts(argument, &name, &places, intent);
        for part in (0..parts as usize).rev().filter(|part| !referenced[*part]) {
            argument.elements.remove(before + part);
        }
    }
    Ok(())
}

/// Elements that come in and elements that go out, together.
fn apart(inputs: &mut Vec<Element>, outputs: Vec<Element>) {
    let mut all: BTreeMap<Place, Element> = BTreeMap::new();
    for element in inputs.drain(..) {
        all.insert(element.place, Element { output: false, ..element });
    }
    for element in outputs {
        let known = all.entry(element.place).or_insert(Element { input: false, ..element });
        known.output = true;
    }
    inputs.extend(all.into_values());
}

fn element_name(language: Language, name: &str, indices: &[i64]) -> String {
    let first = match language {
        Language::Fortran => 1,
        Language::C => 0,
    };
    let list: Vec<String> = indices.iter().map(|index| (index + first).to_string()).collect();
    match language {
        Language::Fortran => format!("{name}({})", list.join(",")),
        Language::C => format!("{name}[{}]", list.join("][")),
    }
}

/// How many scalars a value has that is passed or returned as one: a structure's are a constant.
fn scalars_of(parameter: &Parameter) -> Result<u64, NoValue> {
    let mut count = if parameter.kind == Kind::Complex { 2 } else { 1 };
    for dimension in parameter.shape.iter().flat_map(|shape| &shape.dimensions) {
        count *= dimension.extent.integer(&Environment::new())?.max(0) as u64;
    }
    Ok(count)
}

/// The number of scalars, if the result comes back in memory.
fn returned_in_memory(result: &Parameter) -> Result<Option<u64>, NoValue> {
    let count = scalars_of(result)?;
    let in_registers = match (result.kind, result.bits) {
        // Both parts in st(0) and st(1); a structure of one in st(0).
        (Kind::Complex, 80) => count <= 2,
        (Kind::Real, 80) => count <= 1,
        (Kind::Character | Kind::Integer | Kind::Real | Kind::Complex, bits) => {
            count * u64::from(storage(bits)) <= 16
        }
    };
    Ok(if in_registers { None } else { Some(count) })
}

fn returned(
    result: &Parameter,
    bits: u32,
    hidden: Option<(u64, u64)>,
    argument: &mut Argument,
) -> Result<(), NoValue> {
    let size = u64::from(storage(bits));
    let places: Vec<Place> = if let Some((address, count)) = hidden {
        (0..count).map(|k| Place::Memory(address + k * size)).collect()
    } else {
        let count = scalars_of(result)?;
        match (result.kind.is_float(), bits) {
            (true, 80) => (0..count).map(|k| Place::X87(k as u8)).collect(),
            (true, _) => (0..count)
                .map(|k| Place::Vector {
                    register: (k * size / 8) as u8,
                    byte: (k * size % 8) as u8,
                })
                .collect(),
            // rax, then rdx.
            (false, _) => vec![Place::General { register: 0, byte: 0 }],
        }
    };
    push_fields(argument, &places);
    Ok(())
}

/// Where a byte of a structure that is returned is: in memory, or in the next register of its eight bytes' kind.
fn returned_field(whole: &Returned, at: u64, memory: Option<u64>) -> Place {
    if let Some(address) = memory {
        return Place::Memory(address + at);
    }
    let (word, byte) = ((at / 8) as usize, (at % 8) as u8);
    let is_general = |word: usize| whole.general.get(word).copied().unwrap_or(false);
    let before = (0..word).filter(|other| is_general(*other) == is_general(word)).count() as u8;
    match is_general(word) {
        // rax, then rdx.
        true => Place::General { register: 2 * before, byte },
        false => Place::Vector { register: before, byte },
    }
}

/// The bytes of a place; registers as the state has them.
pub(crate) fn bytes_at(
    state: &State,
    reader: &mut dyn Reader,
    place: Place,
    length: usize,
) -> Option<Vec<u8>> {
    match place {
        Place::Memory(address) => reader.read(address, length),
        Place::General { register, byte } => {
            let (from, bytes) =
                (usize::from(byte), state.general[usize::from(register)].to_le_bytes());
            Some(bytes.get(from..(from + length).min(8))?.to_vec())
        }
        Place::Vector { register, byte } => {
            let byte = usize::from(byte);
            Some(state.vectors[usize::from(register)].get(byte..byte + length)?.to_vec())
        }
        Place::X87(index) => Some(state.x87.stack[usize::from(index)][..length.min(10)].to_vec()),
    }
}

fn read_integer(
    state: &State,
    reader: &mut dyn Reader,
    place: Place,
    bits: u32,
) -> Result<i64, NoValue> {
    let length = (bits / 8) as usize;
    let bytes = bytes_at(state, reader, place, length)
        .ok_or_else(|| NoValue("its address is not in the program's memory".to_string()))?;
    Ok(signed(&bytes))
}

/// A two's complement integer, least significant byte first.
pub(crate) fn signed(bytes: &[u8]) -> i64 {
    let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
    let mut all = [if negative { 0xff } else { 0 }; 8];
    all[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
    i64::from_le_bytes(all)
}

fn scalar(
    state: &State,
    reader: &mut dyn Reader,
    kind: Kind,
    bits: u32,
    parts: &[Place],
) -> Result<Scalar, NoValue> {
    let missing = || NoValue("its address is not in the program's memory".to_string());
    match kind {
        Kind::Character => {
            let byte = read_integer(state, reader, parts[0], 8)? as u8;
            Ok(Scalar::Character(byte.to_ascii_uppercase()))
        }
        Kind::Integer => Ok(Scalar::Integer(read_integer(state, reader, parts[0], bits)?)),
        Kind::Real | Kind::Complex => {
            let mut values = Vec::new();
            for part in parts {
                let length = if bits == 80 { 10 } else { (bits / 8) as usize };
                let bytes = bytes_at(state, reader, *part, length).ok_or_else(missing)?;
                values.push(as_double(&bytes));
            }
            Ok(Scalar::Real(match values.as_slice() {
                [real] => *real,
                [real, imaginary] if *imaginary == 0.0 => *real,
                _ => f64::NAN,
            }))
        }
    }
}

/// A float as a double: only what conditions compare, so rounding does not matter.
pub(crate) fn as_double(bytes: &[u8]) -> f64 {
    match bytes.len() {
        4 => f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        8 => f64::from_le_bytes(std::array::from_fn(|k| bytes[k])),
        10 => {
            let significand = u64::from_le_bytes(std::array::from_fn(|k| bytes[k]));
            let top = u16::from_le_bytes([bytes[8], bytes[9]]);
            let exponent = i32::from(top & 0x7fff);
            let sign = if top & 0x8000 != 0 { -1.0 } else { 1.0 };
            if exponent == 0x7fff {
                return if significand << 1 == 0 { sign * f64::INFINITY } else { f64::NAN };
            }
            sign * (significand as f64) * 2f64.powi((exponent - 16383).clamp(-2000, 2000) - 63)
        }
        _ => f64::NAN,
    }
}
