//! What the debugging information of a binary says of its functions' parameters, and whether a
//! prototype fits it.

use crate::prototype::{Kind, Language, Parameter, Passing, Prototype};
use gimli::{
    AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, LittleEndian, Reader, SectionId,
    UnitOffset, constants as dw,
};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// What a value is, as far as a prototype says it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A floating-point number of so many bits.
    Real(u32),
    /// A complex number; the bits of each part.
    Complex(u32),
    /// An integer, an enumeration or a character.
    Integer(u32),
    /// The address of something.
    Pointer,
    /// The address of a floating-point number of so many bits, or of several.
    PointerToReal(u32),
    /// Anything else.
    Other,
}

/// A function as it was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The parameters that the source has.
    pub parameters: Vec<(String, Type)>,
    /// What it returns.
    pub result: Option<Type>,
}

/// The functions of a file that begin at these addresses, as far as it has debugging information.
pub fn declared(file: &Path, addresses: &[u64]) -> BTreeMap<u64, Declared> {
    with_dwarf(file, |dwarf| functions(dwarf, addresses).ok()).unwrap_or_default()
}

/// The debugging information of a file, looked at.
pub(crate) fn with_dwarf<T>(
    file: &Path,
    look: impl FnOnce(&Dwarf<EndianSlice<LittleEndian>>) -> Option<T>,
) -> Option<T> {
    let bytes = std::fs::read(file).ok()?;
    let object = object::File::parse(&*bytes).ok()?;
    object.section_by_name(".debug_info")?;
    let section = |id: SectionId| -> Result<Cow<[u8]>, gimli::Error> {
        let section = object.section_by_name(id.name());
        Ok(section.and_then(|s| s.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(section).ok()?;
    look(&sections.borrow(|section| EndianSlice::new(section, LittleEndian)))
}

fn functions<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    addresses: &[u64],
) -> gimli::Result<BTreeMap<u64, Declared>> {
    let mut all = BTreeMap::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries();
        // The function that is being read, and how deep it is.
        let mut open: Option<(u64, isize, Declared)> = None;
        while let Some(entry) = entries.next_dfs()? {
            if let Some((address, depth, declared)) = &mut open {
                if entry.depth() <= *depth {
                    all.insert(*address, declared.clone());
                    open = None;
                } else if entry.depth() == *depth + 1 && entry.tag() == dw::DW_TAG_formal_parameter
                {
                    let origin = origin(&unit, entry)?;
                    if !is_artificial(entry) && !origin.as_ref().is_some_and(is_artificial) {
                        let entry = origin.as_ref().unwrap_or(entry);
                        let name = name(dwarf, &unit, entry)?;
                        declared.parameters.push((name, type_of(&unit, entry)?));
                    }
                    continue;
                }
            }
            if open.is_none() && entry.tag() == dw::DW_TAG_subprogram {
                let address = match entry.attr_value(dw::DW_AT_low_pc) {
                    Some(value) => dwarf.attr_address(&unit, value)?,
                    None => None,
                };
                if let Some(address) = address.filter(|address| addresses.contains(address)) {
                    let origin = origin(&unit, entry)?;
                    let typed = origin.as_ref().unwrap_or(entry);
                    let result = match typed.attr(dw::DW_AT_type) {
                        Some(_) => Some(type_of(&unit, typed)?),
                        None => None,
                    };
                    let declared = Declared { parameters: Vec::new(), result };
                    open = Some((address, entry.depth(), declared));
                }
            }
        }
        if let Some((address, _, declared)) = open {
            all.insert(address, declared);
        }
    }
    Ok(all)
}

pub(crate) type Entry<R> = DebuggingInformationEntry<R>;

/// What an entry is a copy of: it has the name and the type.
pub(crate) fn origin<R: Reader<Offset = usize>>(
    unit: &gimli::Unit<R>,
    entry: &Entry<R>,
) -> gimli::Result<Option<Entry<R>>> {
    for name in [dw::DW_AT_abstract_origin, dw::DW_AT_specification] {
        if let Some(AttributeValue::UnitRef(offset)) = entry.attr_value(name) {
            let found = unit.entry(offset)?;
            return Ok(Some(origin(unit, &found)?.unwrap_or(found)));
        }
    }
    Ok(None)
}

pub(crate) fn is_artificial<R: Reader<Offset = usize>>(entry: &Entry<R>) -> bool {
    matches!(entry.attr_value(dw::DW_AT_artificial), Some(AttributeValue::Flag(true)))
}

pub(crate) fn name<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    unit: &gimli::Unit<R>,
    entry: &Entry<R>,
) -> gimli::Result<String> {
    match entry.attr_value(dw::DW_AT_name) {
        Some(value) => Ok(dwarf.attr_string(unit, value)?.to_string_lossy()?.into_owned()),
        None => Ok(String::new()),
    }
}

fn type_of<R: Reader<Offset = usize>>(
    unit: &gimli::Unit<R>,
    entry: &Entry<R>,
) -> gimli::Result<Type> {
    match entry.attr_value(dw::DW_AT_type) {
        Some(AttributeValue::UnitRef(offset)) => type_at(unit, offset, 0),
        Some(_) | None => Ok(Type::Other),
    }
}

/// Types nest deeper only if the information is broken.
const DEEPEST: u32 = 32;

fn type_at<R: Reader<Offset = usize>>(
    unit: &gimli::Unit<R>,
    offset: UnitOffset,
    depth: u32,
) -> gimli::Result<Type> {
    if depth > DEEPEST {
        return Ok(Type::Other);
    }
    let entry = unit.entry(offset)?;
    let inner = || match entry.attr_value(dw::DW_AT_type) {
        Some(AttributeValue::UnitRef(offset)) => type_at(unit, offset, depth + 1),
        Some(_) | None => Ok(Type::Other),
    };
    let bits = match entry.attr_value(dw::DW_AT_byte_size).and_then(|value| value.udata_value()) {
        Some(bytes) => u32::try_from(bytes).unwrap_or(0).saturating_mul(8),
        None => 0,
    };
    // `long double` takes sixteen bytes and has eighty bits.
    let float = |bits: u32| if bits == 128 { 80 } else { bits };
    Ok(match entry.tag() {
        dw::DW_TAG_typedef
        | dw::DW_TAG_const_type
        | dw::DW_TAG_volatile_type
        | dw::DW_TAG_restrict_type
        | dw::DW_TAG_atomic_type
        | dw::DW_TAG_array_type => inner()?,
        dw::DW_TAG_pointer_type | dw::DW_TAG_reference_type => match inner()? {
            Type::Real(bits) | Type::Complex(bits) => Type::PointerToReal(bits),
            Type::Integer(_) | Type::Pointer | Type::PointerToReal(_) | Type::Other => {
                Type::Pointer
            }
        },
        dw::DW_TAG_enumeration_type => Type::Integer(bits),
        dw::DW_TAG_base_type => match entry.attr_value(dw::DW_AT_encoding) {
            Some(AttributeValue::Encoding(dw::DW_ATE_float)) => Type::Real(float(bits)),
            Some(AttributeValue::Encoding(dw::DW_ATE_complex_float)) => {
                Type::Complex(float(bits / 2))
            }
            Some(_) | None => Type::Integer(bits),
        },
        _ => Type::Other,
    })
}

/// What is wrong with a prototype, if the function was compiled otherwise.
pub fn misfit(prototype: &Prototype, declared: &Declared) -> Option<String> {
    let (said, compiled) = (prototype.parameters.len(), declared.parameters.len());
    // The lengths of characters follow, where the source is not Fortran.
    let lengths = match prototype.language {
        Language::C => 0,
        Language::Fortran => {
            prototype.parameters.iter().filter(|p| p.kind == Kind::Character).count()
        }
    };
    if compiled < said || compiled > said + lengths {
        let names: Vec<&str> = declared.parameters.iter().map(|(name, _)| name.as_str()).collect();
        let plural = if said == 1 { "" } else { "s" };
        return Some(format!(
            "the prototype has {said} parameter{plural}, the function has {compiled} ({})",
            names.join(", ")
        ));
    }
    for (parameter, (_, compiled)) in prototype.parameters.iter().zip(&declared.parameters) {
        let by_value = parameter.passing == Passing::Value;
        let what = match prototype.language {
            Language::C => clash(parameter, by_value, *compiled),
            Language::Fortran => fortran_clash(parameter, *compiled),
        };
        if let Some(what) = what {
            let (name, said) = (&parameter.name, said_of(parameter, by_value));
            return Some(format!("{name} is {said} in the prototype and {what} in the function"));
        }
    }
    None
}

fn said_of(parameter: &Parameter, by_value: bool) -> String {
    let what = match parameter.kind {
        Kind::Character => "a character".to_string(),
        Kind::Integer => "an integer".to_string(),
        Kind::Real => format!("a number of {} bits", parameter.bits),
        Kind::Complex => format!("a complex number of {} bits a part", parameter.bits),
    };
    if by_value { what } else { format!("the address of {what}") }
}

/// The same for Fortran, where everything is passed by reference and the debugging information need
/// not say so.
fn fortran_clash(parameter: &Parameter, compiled: Type) -> Option<String> {
    let float = parameter.kind.is_float();
    match compiled {
        Type::Real(bits) | Type::Complex(bits) | Type::PointerToReal(bits)
            if !float || bits != parameter.bits =>
        {
            Some(format!("of numbers of {bits} bits"))
        }
        Type::Integer(bits) if float => Some(format!("of integers of {bits} bits")),
        Type::Real(_)
        | Type::Complex(_)
        | Type::Integer(_)
        | Type::Pointer
        | Type::PointerToReal(_)
        | Type::Other => None,
    }
}

/// What a parameter is in the function, if it cannot be what the prototype says.
fn clash(parameter: &Parameter, by_value: bool, compiled: Type) -> Option<String> {
    let float = parameter.kind.is_float();
    match compiled {
        Type::Real(bits) if by_value && (!float || bits != parameter.bits) => {
            Some(format!("a number of {bits} bits"))
        }
        Type::Real(bits) if !by_value => Some(format!("a number of {bits} bits")),
        Type::Integer(bits) if !by_value || float => Some(format!("an integer of {bits} bits")),
        Type::Pointer | Type::PointerToReal(_) if by_value && parameter.kind != Kind::Integer => {
            Some("an address".to_string())
        }
        Type::PointerToReal(bits) if !by_value && (!float || bits != parameter.bits) => {
            Some(format!("the address of numbers of {bits} bits"))
        }
        Type::Real(_)
        | Type::Complex(_)
        | Type::Integer(_)
        | Type::Pointer
        | Type::PointerToReal(_)
        | Type::Other => None,
    }
}
