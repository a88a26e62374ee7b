//! Types as a header or debugging information has them, and the numbers that are found inside of structures.

use super::channel;
use crate::prototype::{Inside, Returned};

/// A type of C, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// No value.
    Void,
    /// An integer, a character or an enumeration, of so many bits.
    Integer(u32),
    /// A truth value.
    Boolean(u32),
    /// A floating-point number.
    Real(u32),
    /// A complex number; the bits of each part.
    Complex(u32),
    /// The address of something.
    Pointer {
        /// Of what.
        to: Box<Type>,
        /// Whether it may only be read.
        constant: bool,
    },
    /// So many of the same, one after the other.
    Array(Box<Type>, usize),
    /// A structure, a class or a union.
    Structure(Record),
    /// The elements of an array of Fortran, which a descriptor leads to.
    Described(Box<Type>),
    /// Anything else.
    Other,
}

/// A structure, a class or a union.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// What people call it; empty if it has no name.
    pub name: String,
    /// Its bytes.
    pub size: u64,
    /// In order; those of base classes too.
    pub fields: Vec<Field>,
    /// Whether its address is passed where a value is: C++ does so with classes that have a destructor.
    pub by_address: bool,
    /// Whether its fields are alternatives.
    pub union: bool,
}

/// A part of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// What people call it; empty for a base class.
    pub name: String,
    /// Where it begins.
    pub offset: u64,
    /// What it is.
    pub of: Type,
}

/// Numbers inside of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// How people call them, after the structure's name: `.x`, `.data`.
    pub name: String,
    /// From the structure's address to them.
    pub path: Vec<u64>,
    /// How many bytes they take; none for what an address leads to.
    pub extent: Option<u64>,
    /// The bytes of the innermost structure that an address leads to: another one may follow.
    pub stride: u64,
    /// What they are: an integer, a truth value, a number.
    pub of: Type,
    /// Whether they may only be read.
    pub constant: bool,
    /// Whether they are part of something whose type is for telling of trouble.
    pub tells: bool,
}

/// Structures inside of structures are followed through so many addresses.
const MOST_ADDRESSES: usize = 3;
/// More numbers of one structure are not told apart.
const MOST_LEAVES: usize = 48;

impl Type {
    /// The bits of the numbers that a type is made of, if it is made of nothing else.
    pub fn floats(&self) -> Option<u32> {
        match self {
            Type::Real(bits) | Type::Complex(bits) => Some(*bits),
            Type::Array(of, _) => of.floats(),
            Type::Structure(record) if !record.union => {
                let first = record.fields.first()?.of.floats()?;
                let all = record.fields.iter().all(|field| field.of.floats() == Some(first));
                all.then_some(first)
            }
            Type::Void
            | Type::Integer(_)
            | Type::Boolean(_)
            | Type::Pointer { .. }
            | Type::Structure(_)
            | Type::Described(_)
            | Type::Other => None,
        }
    }

    /// The numbers that an address of this type leads to.
    fn numbers(&self) -> Option<Type> {
        match self {
            Type::Complex(bits) => Some(Type::Complex(*bits)),
            other => other.floats().map(Type::Real),
        }
    }

    /// How many scalars it has.
    pub fn count(&self) -> i64 {
        match self {
            Type::Structure(record) => record.fields.iter().map(|field| field.of.count()).sum(),
            Type::Array(of, count) => of.count() * *count as i64,
            Type::Complex(_) => 2,
            Type::Void
            | Type::Integer(_)
            | Type::Boolean(_)
            | Type::Real(_)
            | Type::Pointer { .. }
            | Type::Described(_)
            | Type::Other => 1,
        }
    }

    /// Its bytes.
    pub fn size(&self) -> u64 {
        let scalar = |bits: u32| if bits == 80 { 16 } else { u64::from(bits / 8) };
        match self {
            Type::Void | Type::Other => 0,
            Type::Integer(bits) | Type::Boolean(bits) | Type::Real(bits) => scalar(*bits),
            Type::Complex(bits) => 2 * scalar(*bits),
            Type::Pointer { .. } | Type::Described(_) => 8,
            Type::Array(of, count) => of.size() * *count as u64,
            Type::Structure(record) => record.size,
        }
    }

    /// The alignment that C gives it.
    pub fn alignment(&self) -> u64 {
        match self {
            Type::Array(of, _) => of.alignment(),
            Type::Structure(record) => {
                record.fields.iter().map(|field| field.of.alignment()).max().unwrap_or(1)
            }
            Type::Complex(_) => self.size() / 2,
            Type::Void
            | Type::Integer(_)
            | Type::Boolean(_)
            | Type::Real(_)
            | Type::Pointer { .. }
            | Type::Described(_)
            | Type::Other => self.size().max(1),
        }
    }
}

impl Record {
    /// The structure with these fields, as C lays it out.
    pub fn laid_out(fields: Vec<(String, Type)>, union: bool) -> Record {
        let mut record = Record { union, ..Record::default() };
        let mut alignment = 1;
        for (name, of) in fields {
            let (size, own) = (of.size(), of.alignment());
            alignment = alignment.max(own);
            let offset = if union { 0 } else { record.size.next_multiple_of(own) };
            record.size = record.size.max(offset + size);
            record.fields.push(Field { name, offset, of });
        }
        record.size = record.size.next_multiple_of(alignment);
        record
    }

    /// The numbers inside, as far as they can be told.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut found = Vec::new();
        self.collect(&[0], "", false, self.size, &mut found);
        found.truncate(MOST_LEAVES);
        found
    }

    fn collect(
        &self,
        path: &[u64],
        before: &str,
        constant: bool,
        stride: u64,
        found: &mut Vec<Leaf>,
    ) {
        let (own, tells) = (found.len(), channel::reports_by(&self.name));
        let any_float = self.fields.iter().any(|field| field.of.floats().is_some());
        for field in &self.fields {
            if found.len() > MOST_LEAVES {
                return;
            }
            // Of alternatives, an integer is another view of the same bytes.
            if self.union && any_float && field.of.floats().is_none() {
                continue;
            }
            let mut path = path.to_vec();
            if let Some(last) = path.last_mut() {
                *last += field.offset;
            }
            let name = named(before, &field.name);
            field.of.collect(&path, name, constant, stride, found);
        }
        found.iter_mut().skip(own).for_each(|leaf| leaf.tells |= tells);
    }

    /// How it comes back as a result; nothing if it is not known where its numbers are.
    pub fn returned(&self) -> Returned {
        let mut general = vec![false; self.size.div_ceil(8) as usize];
        self.mark_general(0, &mut general);
        let wide = self.has_wide();
        Returned { size: self.size, in_memory: self.by_address || wide, general }
    }

    fn mark_general(&self, at: u64, general: &mut [bool]) {
        for field in &self.fields {
            field.of.mark_general(at + field.offset, general);
        }
    }

    /// Whether it has a number of 80 bits.
    fn has_wide(&self) -> bool {
        let wide = |of: &Type| of.floats() == Some(80);
        self.fields.iter().any(|field| match &field.of {
            Type::Structure(record) => record.has_wide(),
            other => wide(other),
        })
    }
}

impl Type {
    fn collect(
        &self,
        path: &[u64],
        name: String,
        constant: bool,
        stride: u64,
        found: &mut Vec<Leaf>,
    ) {
        let own = |extent| Leaf {
            name: name.clone(),
            path: path.to_vec(),
            extent,
            stride,
            of: Type::Void,
            constant,
            tells: false,
        };
        match self {
            Type::Integer(_) | Type::Boolean(_) | Type::Real(_) | Type::Complex(_) => {
                found.push(Leaf { of: self.clone(), ..own(Some(self.size())) });
            }
            Type::Array(of, _) if of.floats().is_some() => {
                let of = self.floats().map_or(Type::Other, Type::Real);
                found.push(Leaf { of, ..own(Some(self.size())) });
            }
            Type::Structure(record) => record.collect(path, &name, constant, stride, found),
            Type::Pointer { to, constant } => {
                let addresses = path.len();
                let mut path = path.to_vec();
                path.push(0);
                match to.as_ref() {
                    Type::Structure(record) if to.floats().is_none() => {
                        if addresses < MOST_ADDRESSES {
                            record.collect(&path, &name, *constant, record.size, found);
                        }
                    }
                    to => {
                        if let Some(of) = to.numbers() {
                            let constant = *constant;
                            found.push(Leaf { path, of, constant, ..own(None) });
                        }
                    }
                }
            }
            // A descriptor begins with the address of its array.
            Type::Described(to) => {
                if let Some(of) = to.numbers() {
                    found.push(Leaf { path: [path, &[0]].concat(), of, ..own(None) });
                }
            }
            Type::Array(..) | Type::Void | Type::Other => {}
        }
    }

    fn mark_general(&self, at: u64, general: &mut [bool]) {
        match self {
            Type::Structure(record) => record.mark_general(at, general),
            Type::Array(of, count) => {
                for k in 0..*count as u64 {
                    of.mark_general(at + k * of.size(), general);
                }
            }
            Type::Real(_) | Type::Complex(_) | Type::Void => {}
            Type::Integer(_)
            | Type::Boolean(_)
            | Type::Pointer { .. }
            | Type::Described(_)
            | Type::Other => {
                if let Some(word) = general.get_mut((at / 8) as usize) {
                    *word = true;
                }
            }
        }
    }
}

/// What people call a field: what the C++ library wraps around it is left out.
fn named(before: &str, field: &str) -> String {
    let outer = before.rsplit_once('.').map_or("", |(outer, _)| outer);
    match before.rsplit_once('.').map(|(_, last)| last) {
        _ if field.is_empty() => before.to_string(),
        Some(last) if last.starts_with("_M_") => format!("{outer}.{field}"),
        Some(_) | None => format!("{before}.{field}"),
    }
}

impl Leaf {
    /// Where it is; `shared` if the structure is the one of the parameter before.
    pub fn inside(&self, shared: bool) -> Inside {
        Inside { path: self.path.clone(), extent: self.extent, stride: self.stride, shared }
    }
}
