//! What the source calls the values of a program. A value carries the number of its name in its
//! own, which survives that variables become registers, and copies of a module.

use crate::llvm::{self, DebugType, Module, Opcode, TypeKind, Value};
use crate::target::declared::tag;

/// Names of the source.
pub(crate) struct Names(Vec<Name>);

/// The name of a value.
struct Name {
    text: String,
    /// Of a pointer: what it points to.
    pointee: Option<Pointee>,
}

/// What a parameter points to.
#[derive(Clone)]
struct Pointee {
    /// Whether the source does not show the pointer: a reference of C++, an argument of Fortran.
    is_hidden: bool,
    /// The members of a structure.
    members: Vec<String>,
}

impl Pointee {
    /// Of a pointer that the source declares so.
    fn of(declared: DebugType) -> Pointee {
        let declared = plain(declared);
        let is_pointer = declared.tag() == tag::POINTER;
        let is_reference = matches!(declared.tag(), tag::REFERENCE | tag::RVALUE_REFERENCE);
        let object = match declared.base() {
            Some(base) if is_pointer || is_reference => plain(base),
            Some(_) | None => declared,
        };
        let members = match object.tag() {
            tag::STRUCTURE | tag::CLASS => {
                let all = object.elements();
                // With bases, static members or bit fields, members are no elements of LLVM's type.
                let is_field = |it: &DebugType| {
                    it.tag() == tag::MEMBER && !it.is_static_member() && !it.is_bit_field()
                };
                let data =
                    all.iter().filter(|it| matches!(it.tag(), tag::MEMBER | tag::INHERITANCE));
                let names = data.map(|it| is_field(it).then(|| it.name()));
                names.collect::<Option<Vec<String>>>().unwrap_or_default()
            }
            _ => Vec::new(),
        };
        Pointee { is_hidden: !is_pointer, members }
    }
}

/// A type without the names and qualifiers that it goes by.
fn plain(mut ty: DebugType) -> DebugType {
    while matches!(
        ty.tag(),
        tag::TYPEDEF | tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC
    ) && let Some(base) = ty.base()
    {
        ty = base;
    }
    ty
}

/// Begins and ends the number of a name.
const BEGIN: char = 'v';
const END: char = '$';

impl Names {
    /// Numbers variables, parameters, and what is stored into variables.
    pub fn give(module: &Module) -> Names {
        let mut names = Names(Vec::new());
        for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
            for (at, parameter) in function.parameters().into_iter().enumerate() {
                if let Some((name, declared)) = llvm::parameter(function, at as u32 + 1) {
                    let is_pointer = parameter.ty().kind() == TypeKind::Pointer;
                    let pointee = declared.filter(|_| is_pointer).map(Pointee::of);
                    names.set(parameter, &name, pointee);
                }
            }
            let instructions: Vec<Value> =
                function.blocks().into_iter().flat_map(llvm::Block::instructions).collect();
            for &instruction in &instructions {
                if instruction.opcode() == Some(Opcode::LLVMAlloca)
                    && let Some(name) = instruction.stack_name()
                {
                    names.set(instruction, &name, None);
                }
            }
            for &store in instructions.iter().filter(|i| i.opcode() == Some(Opcode::LLVMStore)) {
                let (value, place) = (store.operand(0), store.operand(1));
                let is_first = value.opcode().is_some() && names.of(value).is_none();
                if is_first
                    && place.opcode() == Some(Opcode::LLVMAlloca)
                    && let Some(name) = names.of(place).map(str::to_owned)
                {
                    names.set(value, &name, None);
                }
            }
        }
        names
    }

    fn set(&mut self, value: Value, name: &str, pointee: Option<Pointee>) {
        if !name.is_empty() && !value.ty().text().contains("void") {
            value.rename(&format!("{BEGIN}{}{END}", self.0.len()));
            self.0.push(Name { text: name.to_owned(), pointee });
        }
    }

    fn find(&self, value: Value) -> Option<&Name> {
        let name = value.name();
        let number = name.strip_prefix(BEGIN)?.split_once(END)?.0;
        self.0.get(number.parse::<usize>().ok()?)
    }

    /// What the source calls a value.
    pub fn of(&self, value: Value) -> Option<&str> {
        self.find(value).map(|name| name.text.as_str())
    }

    /// What the source calls what a pointer points to: `*x`, `x` of a reference, the first member
    /// of a structure, the first element where others are used.
    pub fn behind(&self, pointer: Value) -> Option<String> {
        let Name { text, pointee } = self.find(pointer)?;
        let is_hidden = pointee.as_ref().is_some_and(|pointee| pointee.is_hidden);
        let is_element = |user: &Value| {
            user.opcode() == Some(Opcode::LLVMGetElementPtr)
                && user.operands().len() == 2
                && user.operand(0) == pointer
        };
        let whole = if is_hidden {
            text.clone()
        } else if pointer.users().iter().any(is_element) {
            format!("{text}[0]")
        } else {
            format!("*{text}")
        };
        Some(self.member(pointer, 0).unwrap_or(whole))
    }

    /// What the source calls a member of the structure that a pointer points to.
    pub fn member(&self, pointer: Value, number: usize) -> Option<String> {
        let Name { text, pointee } = self.find(pointer)?;
        let Pointee { is_hidden, members } = pointee.as_ref()?;
        let through = if *is_hidden { "." } else { "->" };
        members.get(number).map(|member| format!("{text}{through}{member}"))
    }
}
