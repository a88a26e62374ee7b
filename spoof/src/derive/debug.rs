//! The functions that a binary's debugging information describes.

use super::{Declaration, Field, Record, Type};
use gimli::{
    AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, LittleEndian, Reader, SectionId,
    Unit, UnitOffset, constants as dw,
};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

type Entry<R> = DebuggingInformationEntry<R>;

/// Types nest deeper only if the information is broken.
const DEEPEST: u32 = 44;
/// An address counts as so many levels: what lies behind several is of no interest.
const ADDRESS_DEPTH: u32 = 10;
/// A parameter of more types is not followed to its end.
const MOST_TYPES: u32 = 4_000;

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
    let mut all = Vec::new();
    with_dwarf(file, |dwarf| {
        let keep = |external: bool, _| external;
        functions(dwarf, &keep, &mut |_, declared| all.push(declared)).ok()
    })
    .ok_or_else(none)?;
    all.retain(|declared| !matches!(declared.name.as_str(), "" | "main" | "MAIN__" | "_QQmain"));
    all.retain(|declared| !declared.symbol.starts_with('~'));
    all.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    all.dedup_by(|a, b| a.symbol == b.symbol);
    Ok(all)
}

/// The functions of a file that begin at these addresses, as far as it has debugging information.
pub fn declarations_at(file: &Path, addresses: &[u64]) -> BTreeMap<u64, Declaration> {
    let mut all = BTreeMap::new();
    let keep = |_, address| addresses.contains(&address);
    let mut add = |address, declared| drop(all.insert(address, declared));
    with_dwarf(file, |dwarf| functions(dwarf, &keep, &mut add).ok());
    all
}

/// The debugging information of a file, looked at.
fn with_dwarf<T>(
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

/// What a unit says of all its functions.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    /// Whether everything is passed by reference, as in Fortran.
    by_reference: bool,
    /// Whether flang made it, which describes parameters that are characters as variables.
    by_flang: bool,
}

/// Gives every function that has code, with its address; `keep` says of which, by whether others may call
/// it and by its address.
fn functions<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    keep: &dyn Fn(bool, u64) -> bool,
    give: &mut dyn FnMut(u64, Declaration),
) -> gimli::Result<()> {
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries();
        let mut source = Source::default();
        let mut open: Option<(isize, u64, Declaration)> = None;
        while let Some(entry) = entries.next_dfs()? {
            if let Some((depth, address, mut declared)) = open.take() {
                if entry.depth() > depth {
                    if entry.depth() == depth + 1 {
                        parameter(dwarf, &unit, entry, source, &mut declared)?;
                    }
                    open = Some((depth, address, declared));
                    continue;
                }
                give(address, declared);
            }
            match entry.tag() {
                dw::DW_TAG_compile_unit => source = source_of(dwarf, &unit, entry)?,
                dw::DW_TAG_subprogram => {
                    if let Some(address) = begin(dwarf, &unit, entry)? {
                        let (external, declared) = function(dwarf, &unit, entry, source)?;
                        open = keep(external, address).then(|| (entry.depth(), address, declared));
                    }
                }
                _ => {}
            }
        }
        if let Some((_, address, declared)) = open {
            give(address, declared);
        }
    }
    Ok(())
}

/// Where a function begins. Of one whose unlikely part lies elsewhere, the first range.
fn begin<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    unit: &Unit<R>,
    entry: &Entry<R>,
) -> gimli::Result<Option<u64>> {
    if let Some(value) = entry.attr_value(dw::DW_AT_low_pc) {
        return dwarf.attr_address(unit, value);
    }
    if entry.attr_value(dw::DW_AT_ranges).is_none() {
        return Ok(None);
    }
    let first = dwarf.die_ranges(unit, entry)?.next()?;
    Ok(first.map(|range| range.begin))
}

fn source_of<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    unit: &Unit<R>,
    entry: &Entry<R>,
) -> gimli::Result<Source> {
    let producer = text(dwarf, unit, entry, dw::DW_AT_producer)?;
    Ok(Source { by_reference: is_fortran(entry), by_flang: producer.contains("flang") })
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

/// A function without its parameters, and whether others may call it.
fn function<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    unit: &Unit<R>,
    entry: &Entry<R>,
    source: Source,
) -> gimli::Result<(bool, Declaration)> {
    let origin = origin(unit, entry)?;
    let described = origin.as_ref().unwrap_or(entry);
    let external = flag(described, dw::DW_AT_external) || flag(entry, dw::DW_AT_external);
    let name = text(dwarf, unit, described, dw::DW_AT_name)?;
    let linked = text(dwarf, unit, described, dw::DW_AT_linkage_name)?;
    let symbol = match (linked.is_empty(), source.by_reference) {
        (false, _) => linked,
        (true, true) => format!("{name}_"),
        (true, false) => name.clone(),
    };
    let result = match described.attr_value(dw::DW_AT_type) {
        Some(AttributeValue::UnitRef(offset)) => whole_type(dwarf, unit, offset)?,
        Some(_) => Type::Other,
        None => Type::Void,
    };
    let declared = Declaration {
        name,
        symbol,
        parameters: Vec::new(),
        result,
        variadic: false,
        by_reference: source.by_reference,
        omits_characters: false,
    };
    Ok((external, declared))
}

/// What stands one level below a function: its parameters, or that it has more.
fn parameter<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    unit: &Unit<R>,
    entry: &Entry<R>,
    source: Source,
    declared: &mut Declaration,
) -> gimli::Result<()> {
    match entry.tag() {
        dw::DW_TAG_unspecified_parameters => declared.variadic = true,
        dw::DW_TAG_variable if source.by_flang => {
            if let Some(AttributeValue::UnitRef(offset)) = entry.attr_value(dw::DW_AT_type) {
                let kind = unit.entry(offset)?.tag();
                declared.omits_characters |= kind == dw::DW_TAG_string_type;
            }
        }
        dw::DW_TAG_formal_parameter => {
            let origin = origin(unit, entry)?;
            let artificial = |entry| flag(entry, dw::DW_AT_artificial);
            let artificial = artificial(entry) || origin.as_ref().is_some_and(artificial);
            let entry = origin.as_ref().unwrap_or(entry);
            let passed = match entry.attr_value(dw::DW_AT_type) {
                Some(AttributeValue::UnitRef(offset)) => whole_type(dwarf, unit, offset)?,
                Some(_) | None => Type::Other,
            };
            // The lengths of Fortran's characters, after all others. (Its descriptors are artificial too.)
            if artificial && declared.by_reference && !matches!(passed, Type::Described(_)) {
                return Ok(());
            }
            let passed = if declared.by_reference { referred(passed) } else { passed };
            declared.parameters.push((text(dwarf, unit, entry, dw::DW_AT_name)?, passed));
        }
        _ => {}
    }
    Ok(())
}

/// What an entry is a copy of: it has the name and the type.
fn origin<R: Reader<Offset = usize>>(
    unit: &Unit<R>,
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

/// An attribute that is text; empty if it is not there.
fn text<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    unit: &Unit<R>,
    entry: &Entry<R>,
    attribute: dw::DwAt,
) -> gimli::Result<String> {
    match entry.attr_value(attribute) {
        Some(value) => Ok(dwarf.attr_string(unit, value)?.to_string_lossy()?.into_owned()),
        None => Ok(String::new()),
    }
}

/// In Fortran a parameter is passed by reference, whether the type says so or not.
fn referred(passed: Type) -> Type {
    match passed {
        Type::Pointer { to, .. } => referred(*to),
        Type::Array(of, _) => referred(*of),
        // As C would have it: the address of a structure.
        Type::Structure(_) => Type::Pointer { to: Box::new(passed), constant: false },
        Type::Void
        | Type::Integer(_)
        | Type::Boolean(_)
        | Type::Real(_)
        | Type::Complex(_)
        | Type::Described(_)
        | Type::Other => passed,
    }
}

/// The type at an offset, followed as far as it may matter.
fn whole_type<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    unit: &Unit<R>,
    offset: UnitOffset,
) -> gimli::Result<Type> {
    Types { dwarf, unit, left: Cell::new(MOST_TYPES) }.at(offset, 0)
}

/// The types of a unit.
struct Types<'a, R: Reader<Offset = usize>> {
    dwarf: &'a Dwarf<R>,
    unit: &'a Unit<R>,
    /// How many more are followed.
    left: Cell<u32>,
}

impl<R: Reader<Offset = usize>> Types<'_, R> {
    /// The type of what an entry describes; no type is `void`.
    fn of(&self, entry: &Entry<R>, depth: u32) -> gimli::Result<Type> {
        match entry.attr_value(dw::DW_AT_type) {
            Some(AttributeValue::UnitRef(offset)) => self.at(offset, depth),
            Some(_) => Ok(Type::Other),
            None => Ok(Type::Void),
        }
    }

    fn at(&self, offset: UnitOffset, depth: u32) -> gimli::Result<Type> {
        let left = self.left.get();
        if depth > DEEPEST || left == 0 {
            return Ok(Type::Other);
        }
        self.left.set(left - 1);
        let entry = self.unit.entry(offset)?;
        let bits = u32::try_from(bytes(&entry)).unwrap_or(0).saturating_mul(8);
        // `long double` takes sixteen bytes and has eighty bits.
        let float = |bits: u32| if bits == 128 { 80 } else { bits };
        Ok(match entry.tag() {
            dw::DW_TAG_typedef
            | dw::DW_TAG_const_type
            | dw::DW_TAG_volatile_type
            | dw::DW_TAG_restrict_type
            | dw::DW_TAG_atomic_type => self.of(&entry, depth + 1)?,
            dw::DW_TAG_pointer_type
            | dw::DW_TAG_reference_type
            | dw::DW_TAG_rvalue_reference_type => {
                let to = Box::new(self.of(&entry, depth + ADDRESS_DEPTH)?);
                // In Fortran, the address of a descriptor is what is passed.
                if let Type::Described(_) = *to {
                    return Ok(*to);
                }
                Type::Pointer { to, constant: is_constant(self.unit, &entry)? }
            }
            dw::DW_TAG_enumeration_type => Type::Integer(bits),
            dw::DW_TAG_string_type => Type::Integer(8),
            dw::DW_TAG_base_type => match entry.attr_value(dw::DW_AT_encoding) {
                Some(AttributeValue::Encoding(dw::DW_ATE_float)) => Type::Real(float(bits)),
                Some(AttributeValue::Encoding(dw::DW_ATE_complex_float)) => {
                    Type::Complex(float(bits / 2))
                }
                Some(AttributeValue::Encoding(dw::DW_ATE_boolean)) => Type::Boolean(bits),
                Some(_) | None => Type::Integer(bits),
            },
            dw::DW_TAG_array_type => {
                let of = Box::new(self.of(&entry, depth + 1)?);
                match entry.attr_value(dw::DW_AT_data_location) {
                    Some(_) => Type::Described(of),
                    None => Type::Array(of, extent(self.unit, offset)?),
                }
            }
            dw::DW_TAG_structure_type | dw::DW_TAG_class_type | dw::DW_TAG_union_type => {
                self.record(&entry, offset, depth)?
            }
            _ => Type::Other,
        })
    }

    fn record(&self, entry: &Entry<R>, offset: UnitOffset, depth: u32) -> gimli::Result<Type> {
        if flag(entry, dw::DW_AT_declaration) {
            return Ok(Type::Other);
        }
        let by_address = matches!(
            entry.attr_value(dw::DW_AT_calling_convention),
            Some(AttributeValue::CallingConvention(dw::DW_CC_pass_by_reference))
        );
        let mut record = Record {
            name: text(self.dwarf, self.unit, entry, dw::DW_AT_name)?,
            size: bytes(entry),
            fields: Vec::new(),
            by_address,
            union: entry.tag() == dw::DW_TAG_union_type,
        };
        let mut tree = self.unit.entries_tree(Some(offset))?;
        let mut children = tree.root()?.children();
        while let Some(child) = children.next()? {
            let child = child.entry();
            let base = child.tag() == dw::DW_TAG_inheritance;
            // A static member is elsewhere, and bits of an integer are no integer.
            let elsewhere = flag(child, dw::DW_AT_external)
                || child.attr_value(dw::DW_AT_data_bit_offset).is_some();
            if !base && child.tag() != dw::DW_TAG_member || elsewhere {
                continue;
            }
            let name = match base {
                true => String::new(),
                false => text(self.dwarf, self.unit, child, dw::DW_AT_name)?,
            };
            let at = child.attr_value(dw::DW_AT_data_member_location);
            let at = at.map_or(Some(0), |value| value.udata_value());
            // A virtual base is where only its object knows.
            let Some(offset) = at else { continue };
            let of = self.of(child, depth + 1)?;
            // An empty class takes a byte and has nothing.
            if matches!(&of, Type::Structure(record) if record.fields.is_empty()) {
                continue;
            }
            record.fields.push(Field { name, offset, of });
        }
        Ok(Type::Structure(record))
    }
}

/// How many bytes what an entry describes takes; 0 if it does not say.
fn bytes<R: Reader<Offset = usize>>(entry: &Entry<R>) -> u64 {
    entry.attr_value(dw::DW_AT_byte_size).and_then(|value| value.udata_value()).unwrap_or(0)
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
    Ok(usize::try_from(count.max(1)).unwrap_or(1))
}
