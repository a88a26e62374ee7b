//! The functions that a binary's debugging information describes.

use super::{Declaration, Type};
use crate::declared::{Entry, is_artificial, name, origin, with_dwarf};
use gimli::{AttributeValue, Dwarf, Reader, Unit, UnitOffset, constants as dw};
use std::path::Path;

/// Types nest deeper only if the information is broken.
const DEEPEST: u32 = 32;
/// Longer arrays inside structures are of no interest.
const LONGEST: u64 = 64;

/// The functions of a program or a library that others may call. Of what is local to a file, compilers
/// change the parameters.
pub fn declarations(file: &Path) -> Result<Vec<Declaration>, String> {
    let none = || {
        format!(
            "{} has no debugging information to take prototypes from: compile it with -g, or give \
             --prototypes or --header",
            file.display()
        )
    };
    with_dwarf(file, |dwarf| functions(dwarf).ok()).ok_or_else(none)
}

fn functions<R: Reader<Offset = usize>>(dwarf: &Dwarf<R>) -> gimli::Result<Vec<Declaration>> {
    let mut all: Vec<Declaration> = Vec::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries();
        let mut by_reference = false;
        let mut open: Option<(isize, Declaration)> = None;
        while let Some(entry) = entries.next_dfs()? {
            if let Some((depth, declared)) = &mut open {
                if entry.depth() <= *depth {
                    all.push(declared.clone());
                    open = None;
                } else {
                    if entry.depth() == *depth + 1 {
                        parameter(dwarf, &unit, entry, declared)?;
                    }
                    continue;
                }
            }
            match entry.tag() {
                dw::DW_TAG_compile_unit => by_reference = is_fortran(entry),
                dw::DW_TAG_subprogram if entry.attr(dw::DW_AT_low_pc).is_some() => {
                    let declared = function(dwarf, &unit, entry, by_reference)?;
                    open = declared.map(|declared| (entry.depth(), declared));
                }
                _ => {}
            }
        }
        all.extend(open.map(|(_, declared)| declared));
    }
    all.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    all.dedup_by(|a, b| a.symbol == b.symbol);
    Ok(all)
}

fn is_fortran<R: Reader<Offset = usize>>(unit: &Entry<R>) -> bool {
    let language = match unit.attr_value(dw::DW_AT_language) {
        Some(AttributeValue::Language(language)) => language,
        Some(_) | None => return false,
    };
    let fortran = [
        dw::DW_LANG_Fortran77,
        dw::DW_LANG_Fortran90,
        dw::DW_LANG_Fortran95,
        dw::DW_LANG_Fortran03,
        dw::DW_LANG_Fortran08,
        dw::DW_LANG_Fortran18,
    ];
    fortran.contains(&language)
}

fn flag<R: Reader<Offset = usize>>(entry: &Entry<R>, name: dw::DwAt) -> bool {
    matches!(entry.attr_value(name), Some(AttributeValue::Flag(true)))
}

fn function<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    unit: &Unit<R>,
    entry: &Entry<R>,
    by_reference: bool,
) -> gimli::Result<Option<Declaration>> {
    let origin = origin(unit, entry)?;
    let described = origin.as_ref().unwrap_or(entry);
    let called = name(dwarf, unit, described)?;
    if !(flag(described, dw::DW_AT_external) || flag(entry, dw::DW_AT_external))
        || matches!(called.as_str(), "" | "main" | "MAIN__")
    {
        return Ok(None);
    }
    let symbol = match described.attr_value(dw::DW_AT_linkage_name) {
        Some(value) => dwarf.attr_string(unit, value)?.to_string_lossy()?.into_owned(),
        None if by_reference => format!("{called}_"),
        None => called.clone(),
    };
    let result = match described.attr_value(dw::DW_AT_type) {
        Some(AttributeValue::UnitRef(offset)) => type_at(unit, offset, 0)?,
        Some(_) => Type::Other,
        None => Type::Void,
    };
    let parameters = Vec::new();
    Ok(Some(Declaration {
        name: called,
        symbol,
        parameters,
        result,
        variadic: false,
        by_reference,
    }))
}

/// What stands one level below a function: its parameters, or that it has more.
fn parameter<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    unit: &Unit<R>,
    entry: &Entry<R>,
    declared: &mut Declaration,
) -> gimli::Result<()> {
    match entry.tag() {
        dw::DW_TAG_unspecified_parameters => declared.variadic = true,
        dw::DW_TAG_formal_parameter => {
            let origin = origin(unit, entry)?;
            let artificial = is_artificial(entry) || origin.as_ref().is_some_and(is_artificial);
            // The lengths of Fortran's characters, after all others.
            if artificial && declared.by_reference {
                return Ok(());
            }
            let entry = origin.as_ref().unwrap_or(entry);
            let passed = match entry.attr_value(dw::DW_AT_type) {
                Some(AttributeValue::UnitRef(offset)) => type_at(unit, offset, 0)?,
                Some(_) | None => Type::Other,
            };
            let passed = if declared.by_reference { referred(passed) } else { passed };
            declared.parameters.push((name(dwarf, unit, entry)?, passed));
        }
        _ => {}
    }
    Ok(())
}

/// In Fortran a parameter is passed by reference, whether the type says so or not.
fn referred(passed: Type) -> Type {
    match passed {
        Type::Pointer { to, .. } => referred(*to),
        Type::Structure(fields) => fields.into_iter().next().map_or(Type::Other, referred),
        Type::Void | Type::Integer(_) | Type::Real(_) | Type::Complex(_) | Type::Other => passed,
    }
}

fn type_at<R: Reader<Offset = usize>>(
    unit: &Unit<R>,
    offset: UnitOffset,
    depth: u32,
) -> gimli::Result<Type> {
    if depth > DEEPEST {
        return Ok(Type::Other);
    }
    let entry = unit.entry(offset)?;
    let inner = || match entry.attr_value(dw::DW_AT_type) {
        Some(AttributeValue::UnitRef(offset)) => type_at(unit, offset, depth + 1),
        Some(_) => Ok(Type::Other),
        None => Ok(Type::Void),
    };
    let bytes = entry.attr_value(dw::DW_AT_byte_size).and_then(|value| value.udata_value());
    let bits = bytes.and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or(0).saturating_mul(8);
    // `long double` takes sixteen bytes and has eighty bits.
    let float = |bits: u32| if bits == 128 { 80 } else { bits };
    Ok(match entry.tag() {
        dw::DW_TAG_typedef
        | dw::DW_TAG_const_type
        | dw::DW_TAG_volatile_type
        | dw::DW_TAG_restrict_type
        | dw::DW_TAG_atomic_type => inner()?,
        dw::DW_TAG_pointer_type | dw::DW_TAG_reference_type => {
            let to = Box::new(inner()?);
            Type::Pointer { to, constant: is_constant(unit, &entry)? }
        }
        dw::DW_TAG_enumeration_type => Type::Integer(bits),
        dw::DW_TAG_string_type => Type::Integer(8),
        dw::DW_TAG_base_type => match entry.attr_value(dw::DW_AT_encoding) {
            Some(AttributeValue::Encoding(dw::DW_ATE_float)) => Type::Real(float(bits)),
            Some(AttributeValue::Encoding(dw::DW_ATE_complex_float)) => {
                Type::Complex(float(bits / 2))
            }
            Some(_) | None => Type::Integer(bits),
        },
        dw::DW_TAG_array_type => Type::Structure(vec![inner()?; extent(unit, offset)?]),
        dw::DW_TAG_structure_type | dw::DW_TAG_class_type => {
            let mut fields = Vec::new();
            let mut tree = unit.entries_tree(Some(offset))?;
            let mut children = tree.root()?.children();
            while let Some(child) = children.next()? {
                if child.entry().tag() == dw::DW_TAG_member {
                    fields.push(match child.entry().attr_value(dw::DW_AT_type) {
                        Some(AttributeValue::UnitRef(offset)) => type_at(unit, offset, depth + 1)?,
                        Some(_) | None => Type::Other,
                    });
                }
            }
            Type::Structure(fields)
        }
        _ => Type::Other,
    })
}

/// Whether what a pointer points to may only be read.
fn is_constant<R: Reader<Offset = usize>>(
    unit: &Unit<R>,
    pointer: &Entry<R>,
) -> gimli::Result<bool> {
    let Some(AttributeValue::UnitRef(offset)) = pointer.attr_value(dw::DW_AT_type) else {
        return Ok(false);
    };
    Ok(unit.entry(offset)?.tag() == dw::DW_TAG_const_type)
}

/// How many elements an array has; one if that is not said.
fn extent<R: Reader<Offset = usize>>(unit: &Unit<R>, array: UnitOffset) -> gimli::Result<usize> {
    let mut count = 1u64;
    let mut tree = unit.entries_tree(Some(array))?;
    let mut children = tree.root()?.children();
    while let Some(child) = children.next()? {
        let number = |name| child.entry().attr_value(name).and_then(|value| value.udata_value());
        let extent = number(dw::DW_AT_count).or(number(dw::DW_AT_upper_bound).map(|last| last + 1));
        count = count.saturating_mul(extent.unwrap_or(1));
    }
    Ok(count.clamp(1, LONGEST) as usize)
}
